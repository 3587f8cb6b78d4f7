//! Whether an entry of the inbox may still be written.

use std::fs::Metadata;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// How long an entry must be unchanged before it is taken in.
const QUIET: Duration = Duration::from_secs(2);

/// The most files and folders of an entry whose times are read.
const MAX_EXAMINED: usize = 20_000;

/// Whether an entry, or anything in it, changed in the last two seconds.
pub(super) fn is_recent(entry: &Path) -> bool {
    let now = SystemTime::now();
    let mut folders = vec![entry.to_path_buf()];
    let mut examined = 0;
    while let Some(path) = folders.pop() {
        let Ok(metadata) = path.symlink_metadata() else { continue };
        examined += 1;
        if changed(&metadata).is_some_and(|then| is_just_before(then, now)) {
            return true;
        }
        if metadata.is_dir() && examined < MAX_EXAMINED {
            let inside = std::fs::read_dir(&path).into_iter().flatten().flatten();
            folders.extend(inside.map(|entry| entry.path()));
        }
    }
    false
}

/// Whether a time lies in the last two seconds. A time in the future says nothing.
fn is_just_before(then: SystemTime, now: SystemTime) -> bool {
    now.duration_since(then).is_ok_and(|age| age < QUIET)
}

/// When the content, the name or the times of a file changed last. Programs that copy set the time of the content to that of
/// the original.
#[cfg(unix)]
fn changed(metadata: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt;
    let (seconds, nanoseconds) = (u64::try_from(metadata.ctime()).ok()?, metadata.ctime_nsec() as u32);
    Some(SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds))
}

#[cfg(not(unix))]
fn changed(metadata: &Metadata) -> Option<SystemTime> {
    metadata.modified().ok()
}
