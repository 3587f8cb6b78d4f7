//! The touches of a tree: the files that any caller has read or written, in a log beside the index.

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::SystemTime;

use super::lock::lock;
use spyhop_base::path::RelPath;
use spyhop_base::store::FileError;
use spyhop_search::session::TouchLog;

/// The log of touches, as this process read it last.
pub(crate) struct Touches {
    path: PathBuf,
    log: Mutex<TouchLog>,
}

impl Touches {
    /// Reads the log at `path`.
    pub fn load(path: PathBuf) -> Touches {
        Touches { log: Mutex::new(TouchLog::load(&path)), path }
    }

    /// The log.
    pub fn log(&self) -> TouchLog {
        lock(&self.log).clone()
    }

    /// Records a touch of a file.
    pub fn record(&self, file: RelPath, now: SystemTime) -> Result<(), FileError> {
        let mut log = lock(&self.log);
        // Another process may have touched files meanwhile.
        *log = TouchLog::load(&self.path);
        log.touch(file, now);
        log.save(&self.path)
    }
}
