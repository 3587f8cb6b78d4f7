//! Whether a watcher, or the host of a tree, confirms that the index is current, so that the tree need not be walked.

use std::time::{Duration, SystemTime};

use super::api::StalePolicy;
use super::core::Engine;
use super::hosted::HostedFiles;
use spyhop_base::store::LockHolder;
use spyhop_files::watch::{FreshnessClient, Timeouts};
use spyhop_index::workspace::view_key;

/// How long an answer waits for a watcher before it walks the tree itself. A busy watcher does the work that the answer
/// would have to do otherwise; its timeout is arbitrary.
const TIMEOUTS: Timeouts = Timeouts { idle: Duration::from_millis(500), most: Duration::from_secs(10) };

/// The timeouts of callers that always wait. The death of a watcher is noticed earlier.
const ENDLESS: Timeouts =
    Timeouts { idle: Duration::from_secs(24 * 3600), most: Duration::from_secs(24 * 3600) };

/// How often a request is repeated because of another commit meanwhile.
const TRIES: usize = 3;

/// The process that watches this tree, if there is one and it is known.
pub(super) fn watcher(engine: &Engine) -> Option<LockHolder> {
    client(engine).watcher().flatten()
}

/// Whether a process watches this tree.
pub(super) fn is_watched(engine: &Engine) -> bool {
    client(engine).watcher().is_some()
}

/// The client for requests to the watcher of this tree under these settings.
pub(super) fn client(engine: &Engine) -> FreshnessClient {
    let workspace = engine.index().workspace();
    let key = view_key(workspace, &Default::default(), engine.tree().settings());
    let text = format!("{key:?} {}", workspace.fingerprint());
    FreshnessClient::new(workspace.dir(), &blake3::hash(text.as_bytes()).to_hex()[..16])
}

/// The result of `look`, if the watcher confirms the token of the result, and the time of the request.
pub(super) fn vouched_by<T>(
    engine: &Engine,
    look: impl Fn() -> Option<(String, T)>,
) -> Option<(T, SystemTime)> {
    // A watcher is for the worktree. A commit cannot change.
    if engine.tree().view().is_some() {
        return None;
    }
    if let Some(hosted) = engine.tree().hosted() {
        let asked_at = SystemTime::now();
        return Some((vouched_by_host(hosted, look)?, asked_at));
    }
    let timeouts = if engine.policy().stale_policy == StalePolicy::Wait { ENDLESS } else { TIMEOUTS };
    let client = client(engine);
    for _ in 0..TRIES {
        let asked_at = SystemTime::now();
        let answer = client.ask(timeouts)?;
        if let Some((token, found)) = look()
            && token == answer
        {
            return Some((found, asked_at));
        }
    }
    None
}

/// The result of `look`, if its commit and view have the tree as it is now.
fn vouched_by_host<T>(hosted: &HostedFiles, look: impl Fn() -> Option<(String, T)>) -> Option<T> {
    let now = hosted.now();
    let (token, found) = look()?;
    hosted.is_indexed(&token, &now).then_some(found)
}
