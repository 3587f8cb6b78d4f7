//! The watch over idle trees.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use super::engines::{self, Rests};

/// A tree without requests or changes for this long releases whatever is cheap to open again. Agents send requests in
/// bursts; opening a tree again takes some ten milliseconds.
const IDLE: Duration = Duration::from_secs(30);

/// Releases the caches of idle roots.
pub struct Resting {
    pub all: Vec<Arc<dyn Rests>>,
    pub wake: Arc<Notify>,
    pub give_back: fn(),
}

impl Resting {
    pub async fn watch(self) {
        engines::rest_when_idle(self.all, self.wake, IDLE, self.give_back).await;
    }
}
