//! Progress notifications, sent only for requests that carry a progress token.
//!
//! This module owns the single number that a client sees. Stages count different things, and the protocol requires a
//! number that only grows, so progress is a share of 100: a small part for the scan of the tree, most of it for the
//! bytes indexed.

use std::time::{Duration, Instant};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use spyhop::engine::api::{Progress, Stage};
use spyhop::render::agent;

/// The shortest interval between two notifications.
const PAUSE: Duration = Duration::from_millis(100);

/// The client that receives notifications, if it sent a progress token.
pub struct Watcher {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    told: Option<(f64, Instant)>,
}

impl Watcher {
    pub fn new(peer: Peer<RoleServer>, token: Option<ProgressToken>) -> Watcher {
        Watcher { peer, token, told: None }
    }

    /// Whether the client asked for progress.
    pub fn is_there(&self) -> bool {
        self.token.is_some()
    }

    /// Sends the progress of an update, if it has grown since the last notification.
    pub async fn tell(&mut self, progress: Option<Progress>) {
        let part = progress.map_or(0.0, part);
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
        let Some(token) = self.token.clone() else { return };
        self.told = Some((part, Instant::now()));
        let params = ProgressNotificationParam::new(token, part).with_total(WHOLE).with_message(text);
        if let Err(error) = self.peer.notify_progress(params).await {
            tracing::debug!(%error, "a progress notification was not sent");
        }
    }
}

/// The progress of a finished update.
const WHOLE: f64 = 100.0;

/// The progress of an update, of 100. How many files a scan will see is unknown, so a scan approaches 5 without
/// reaching it.
fn part(progress: Progress) -> f64 {
    let part = match progress.stage {
        Stage::Wait => 0.0,
        Stage::Scan => 5.0 - 5.0 / (1.0 + progress.files as f64 / 1000.0),
        // The total of this stage is known, but not its share of the whole update.
        Stage::Text => 5.0,
        Stage::Index => 5.0 + 90.0 * progress.bytes as f64 / progress.total_bytes.max(1) as f64,
        Stage::Commit => 96.0,
    };
    (part.min(96.0) * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_grows_from_stage_to_stage() {
        let at = |stage, files, bytes| {
            part(Progress { stage, files, total_files: 10, bytes, total_bytes: 100, holder: None })
        };
        let seen = [
            at(Stage::Scan, 0, 0),
            at(Stage::Scan, 500, 0),
            at(Stage::Scan, 5_000_000, 0),
            at(Stage::Text, 10, 100),
            at(Stage::Index, 1, 10),
            at(Stage::Index, 9, 90),
            at(Stage::Index, 10, 100),
            at(Stage::Commit, 10, 100),
        ];
        assert_eq!(seen, [0.0, 1.7, 5.0, 5.0, 14.0, 86.0, 95.0, 96.0]);
    }
}
