//! When a view was last used: the modification time of an empty file, which a query can update without any other write.
//!
//! The mark needs no lock, a failure to write one is ignored, and no commit includes it. Where the mark is missing, the
//! time of the view's last update counts.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::folder::Workspace;
use crate::meta::{ViewInfo, ViewKey};
use spyhop_base::store::{self, Private};

impl Workspace {
    fn mark_of(&self, key: &ViewKey) -> PathBuf {
        let hash = blake3::hash(format!("{}\0{}\0{}", key.root, key.head, key.settings).as_bytes()).to_hex();
        self.marks().join(&hash[..16])
    }

    fn marks(&self) -> PathBuf {
        self.dir().join("used")
    }

    /// Marks a view as used now.
    pub fn mark_used(&self, key: &ViewKey) {
        let mark = || {
            store::create_private_dir(&self.marks()).ok()?;
            let file = Private::Write.open(&self.mark_of(key)).ok()?;
            file.set_modified(SystemTime::now()).ok()
        };
        if mark().is_none() {
            tracing::debug!("that a view is used cannot be noted in {}", self.dir().display());
        }
    }

    /// When a view was last used or updated.
    pub fn last_used(&self, key: &ViewKey, info: &ViewInfo) -> SystemTime {
        let updated = UNIX_EPOCH + Duration::from_secs(info.used);
        let marked = std::fs::metadata(self.mark_of(key)).and_then(|mark| mark.modified());
        marked.map_or(updated, |marked| marked.max(updated))
    }

    /// Removes the marks of views that are not among `kept`.
    pub(crate) fn forget_marks<'k>(&self, kept: impl Iterator<Item = &'k ViewKey>) {
        let kept: Vec<PathBuf> = kept.map(|key| self.mark_of(key)).collect();
        let marks = std::fs::read_dir(self.marks()).into_iter().flatten().flatten().map(|mark| mark.path());
        for mark in marks.filter(|mark| !kept.contains(mark)) {
            let _ = std::fs::remove_file(mark);
        }
    }
}

/// Seconds since 1970.
pub fn unix_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
