//! Keeps the index of a served tree current: a first update, then a watch as long as the server serves the tree.
//!
//! Both servers use this module, the one for agents and the one for editors. The calls block, so each server runs them
//! on a thread of its own and decides what requests do meanwhile.

use std::time::Duration;

use spyhop_engine::api::{OnMissing, Options, Progress, Stage, StalePolicy, State, WatchEvent};
use spyhop_engine::{Engine, Error, ErrorKind, Stop};

/// How often to check whether a tree that another process watches still is watched, or can be watched by now.
const WATCH_AGAIN: Duration = Duration::from_secs(60);

/// The interval at which to check an index that another process is building.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// Whether the options ask for an index that is current.
pub fn refreshes(options: &Options) -> bool {
    matches!(options.stale_policy, StalePolicy::Refresh | StalePolicy::Wait)
}

/// Whether a server begins with an update of the tree.
pub fn begins_with_update(engine: &Engine, options: &Options) -> Result<bool, Error> {
    let builds = options.on_missing == OnMissing::Build;
    Ok(builds && (refreshes(options) || engine.status()?.state == State::Missing))
}

/// Makes the index or brings it up to date. Waits while another process does so, because a first answer needs the
/// result. Other failures are left for the calls to find and report.
pub fn bring_up_to_date(engine: &Engine, tell: &(dyn Fn(Progress) + Sync)) {
    while let Err(error) = engine.refresh(tell) {
        tracing::warn!(root = %engine.root().display(), %error, "the index was not brought up to date");
        let is_first = engine.status().is_ok_and(|status| status.generation.is_none());
        if error.kind() != ErrorKind::Locked || !is_first {
            break;
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}

/// Watches the tree until `stop` is used, so that calls need not compare it; `used` is called when the engine was used.
/// Where another process watches the tree, or watching fails, calls ask that process or compare the tree themselves
/// meanwhile.
pub fn stay_up_to_date(engine: &Engine, stop: &Stop, used: &(dyn Fn() + Sync)) {
    let tell = |event: WatchEvent| match event {
        WatchEvent::Begun { folders } => {
            tracing::info!(folders, "the tree is watched");
            used();
        }
        WatchEvent::Polling { why, .. } => {
            tracing::warn!(%why, "the tree cannot be watched; each call compares it");
            stop.stop();
        }
        WatchEvent::Updated { report, took } => {
            tracing::debug!(?report, ?took, "changes are in the index");
            used();
        }
        WatchEvent::Failed(error) => tracing::warn!(%error, "changes are not in the index yet"),
    };
    loop {
        match engine.watch(stop, &tell) {
            // The tree cannot be watched, or belongs to another repository than the engine's now; calls compare for
            // themselves. Or the server serves the tree no more.
            Ok(_) => return,
            Err(error) => tracing::info!(root = %engine.root().display(), %error, "the tree is not watched"),
        }
        std::thread::sleep(WATCH_AGAIN);
    }
}

/// The progress of an update, of 100. How many files a scan will see is unknown, so a scan approaches 5 without
/// reaching it.
pub fn percentage(progress: Progress) -> f64 {
    let part = match progress.stage {
        Stage::Wait => 0.0,
        Stage::Scan => 5.0 - 5.0 / (1.0 + progress.files as f64 / 1000.0),
        // The total of this stage is known, but not its share of the whole update.
        Stage::Text => 5.0,
        Stage::Index => 5.0 + 90.0 * progress.bytes as f64 / progress.total_bytes.max(1) as f64,
        // A commit, and what a later version of the library may do after the files are indexed.
        _ => 96.0,
    };
    (part.min(96.0) * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_grows_from_stage_to_stage() {
        let at = |stage, files, bytes| {
            let mut progress = Progress::new(stage);
            (progress.files, progress.total_files) = (files, 10);
            (progress.bytes, progress.total_bytes) = (bytes, 100);
            percentage(progress)
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
