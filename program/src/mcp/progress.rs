//! Progress notifications, sent only for requests that carry a progress token.
//!
//! This module owns the single number that a client sees. Stages count different things, and the protocol requires a
//! number that only grows, so progress is a share of 100 ([`keep::percentage`]): a small part for the scan of the tree,
//! most of it for the bytes indexed.

use std::time::{Duration, Instant};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use spyhop_engine::api::Progress;
use spyhop_interface::render::agent;

use crate::keep;

/// The shortest interval between two notifications.
const PAUSE: Duration = Duration::from_millis(100);

/// The client that receives notifications, if it sent a progress token.
pub struct Watcher {
    /// `None` if the client sent no token.
    peer: Option<(Peer<RoleServer>, ProgressToken)>,
    told: Option<(f64, Instant)>,
}

impl Watcher {
    pub fn new(peer: Peer<RoleServer>, token: Option<ProgressToken>) -> Watcher {
        Watcher { peer: token.map(|token| (peer, token)), told: None }
    }

    /// A client that wants no notifications.
    #[cfg(test)]
    pub fn of_nobody() -> Watcher {
        Watcher { peer: None, told: None }
    }

    /// Whether the client asked for progress.
    pub fn is_there(&self) -> bool {
        self.peer.is_some()
    }

    /// Sends the progress of an update, if it has grown since the last notification.
    pub async fn tell(&mut self, progress: Option<Progress>) {
        let part = progress.map_or(0.0, keep::percentage);
        let text = progress.map_or_else(|| "starting".to_string(), agent::said);
        if self.told.is_some_and(|(before, at)| part <= before || at.elapsed() < PAUSE) {
            return;
        }
        self.send(part, text).await;
    }

    /// Sends the final notification, if any was sent before.
    pub async fn finish(&mut self) {
        if self.told.is_some() {
            self.send(WHOLE, "done".to_string()).await;
        }
    }

    async fn send(&mut self, part: f64, text: String) {
        let Some((peer, token)) = &self.peer else { return };
        self.told = Some((part, Instant::now()));
        let params = ProgressNotificationParam::new(token.clone(), part).with_total(WHOLE).with_message(text);
        if let Err(error) = peer.notify_progress(params).await {
            tracing::debug!(%error, "a progress notification was not sent");
        }
    }
}

/// The progress of a finished update.
const WHOLE: f64 = 100.0;
