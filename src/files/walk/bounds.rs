//! When a walk stops early: the limits on the tree of a commit, and cancellation by the caller.
//!
//! A folder of the file system is as large as its disk allows. A commit is not: eleven objects can hold ten thousand
//! million files, if each folder has ten entries of one subtree. So a walk of a commit counts its entries and bytes,
//! and stops with an error that names the exceeded limit. A cancelled walk stops at the next folder, wherever it is.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use super::error::WalkError;
use spyhop_base::cancel::Cancel;

/// Limits on the tree of a commit. The defaults are several times the largest public repositories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommitLimits {
    /// The number of files, folders and all other named entries.
    pub entries: u64,
    /// The depth of nested folders.
    pub depth: u64,
    /// The total length of all paths in bytes.
    pub path_bytes: u64,
    /// The total size of all files in bytes.
    pub file_bytes: u64,
    /// The duration of the walk in seconds.
    pub seconds: u64,
}

impl Default for CommitLimits {
    fn default() -> CommitLimits {
        CommitLimits {
            entries: 3_000_000,
            depth: 512,
            path_bytes: 512 << 20,
            file_bytes: 256 << 30,
            seconds: 300,
        }
    }
}

/// The resources that a walk has used so far.
pub(super) struct Spent<'a> {
    /// `None` for a folder of the file system.
    bounds: Option<CommitLimits>,
    cancel: Option<&'a Cancel>,
    begun: Instant,
    entries: AtomicU64,
    path_bytes: AtomicU64,
    file_bytes: AtomicU64,
    /// Why the walk stops early.
    end: OnceLock<End>,
}

enum End {
    Cancelled,
    Late(u64, u64),
    Above(&'static str, u64, u64),
}

impl<'a> Spent<'a> {
    pub fn new(bounds: Option<CommitLimits>, cancel: Option<&'a Cancel>) -> Spent<'a> {
        Spent {
            bounds,
            cancel,
            begun: Instant::now(),
            entries: AtomicU64::new(0),
            path_bytes: AtomicU64::new(0),
            file_bytes: AtomicU64::new(0),
            end: OnceLock::new(),
        }
    }

    /// Whether the walk continues; checked before each folder.
    pub fn goes_on(&self) -> bool {
        if self.cancel.is_some_and(Cancel::is_cancelled) {
            _ = self.end.set(End::Cancelled);
        }
        if let Some(bounds) = self.bounds {
            let seconds = self.begun.elapsed().as_secs();
            if seconds > bounds.seconds {
                _ = self.end.set(End::Late(seconds, bounds.seconds));
            }
        }
        self.end.get().is_none()
    }

    /// Counts a folder with its number of entries, the length of their names and of its path in bytes, and its
    /// depth. Returns whether the walk continues.
    pub(crate) fn take_folder(
        &self,
        entries: usize,
        name_bytes: usize,
        folder_bytes: usize,
        depth: usize,
    ) -> bool {
        let Some(bounds) = self.bounds else { return true };
        let path_bytes = (name_bytes + entries * (folder_bytes + 1)) as u64;
        let add = |sum: &AtomicU64, more: u64| sum.fetch_add(more, Relaxed).saturating_add(more);
        self.check("folders within each other", depth as u64, bounds.depth);
        self.check("entries", add(&self.entries, entries as u64), bounds.entries);
        self.check("bytes of paths", add(&self.path_bytes, path_bytes), bounds.path_bytes);
        self.end.get().is_none()
    }

    pub(crate) fn take_file(&self, bytes: u64) {
        let Some(bounds) = self.bounds else { return };
        let before = self.file_bytes.fetch_add(bytes.min(1 << 50), Relaxed);
        self.check("bytes of files", before.saturating_add(bytes), bounds.file_bytes);
    }

    fn check(&self, what: &'static str, value: u64, bound: u64) {
        if value > bound {
            _ = self.end.set(End::Above(what, value, bound));
        }
    }

    /// The error that stopped the walk; `Ok` if the walk was complete.
    pub fn checked(&self) -> Result<(), WalkError> {
        match self.end.get() {
            None => Ok(()),
            Some(End::Cancelled) => Err(WalkError::Cancelled),
            Some(&End::Late(seconds, bound)) => Err(WalkError::TooSlow { seconds, bound }),
            Some(&End::Above(what, value, bound)) => Err(WalkError::TooLarge { what, value, bound }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const BOUNDS: CommitLimits =
        CommitLimits { entries: 10, depth: 2, path_bytes: 100, file_bytes: 1000, seconds: 300 };

    /// The error of a walk of these folders (entries, bytes of names, bytes of the folder's path, depth) and files.
    fn ends(folders: &[(usize, usize, usize, usize)], files: &[u64]) -> String {
        let spent = Spent::new(Some(BOUNDS), None);
        for (entries, name_bytes, folder_bytes, depth) in folders {
            spent.take_folder(*entries, *name_bytes, *folder_bytes, *depth);
        }
        files.iter().for_each(|bytes| spent.take_file(*bytes));
        assert_eq!(spent.goes_on(), spent.checked().is_ok());
        spent.checked().map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn each_bound_ends_a_walk_and_is_named() {
        let says = |what: &str| format!("the tree of the commit is too large to be searched: it has {what}");
        assert_eq!(ends(&[(5, 40, 1, 2), (5, 40, 1, 2)], &[500, 500]), "");
        assert_eq!(
            ends(&[(5, 1, 1, 0), (6, 1, 1, 0)], &[]),
            says("11 entries or more, above the limit of 10")
        );
        assert_eq!(
            ends(&[(1, 1, 1, 3)], &[]),
            says("3 folders within each other or more, above the limit of 2")
        );
        assert_eq!(ends(&[(2, 20, 40, 0)], &[]), says("102 bytes of paths or more, above the limit of 100"));
        assert_eq!(
            ends(&[], &[900, u64::MAX]),
            says("18446744073709551615 bytes of files or more, above the limit of 1000")
        );
        let late = Spent::new(Some(CommitLimits { seconds: 0, ..BOUNDS }), None);
        std::thread::sleep(Duration::from_millis(1100));
        assert!(!late.goes_on());
        assert_eq!(
            late.checked().unwrap_err().to_string(),
            "the walk of the commit took 1 seconds or more, above the limit of 0"
        );
    }

    #[test]
    fn a_folder_of_the_system_has_no_bounds_and_can_be_cancelled() {
        let cancel = Cancel::default();
        let spent = Spent::new(None, Some(&cancel));
        assert!(spent.take_folder(1 << 40, 1 << 40, 1, 1 << 40));
        spent.take_file(u64::MAX);
        assert!(spent.goes_on());
        cancel.clone().cancel();
        assert!(!spent.goes_on());
        assert!(matches!(spent.checked(), Err(WalkError::Cancelled)));
    }
}
