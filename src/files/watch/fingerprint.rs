//! The stat data of files that affect a tree from outside, to detect changes of these files.

use std::path::PathBuf;

use crate::walk::{self, Stat};

/// The stat data of some files. Two fingerprints are equal if no file changed in between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatFingerprint(Vec<(PathBuf, Option<Stat>)>);

impl StatFingerprint {
    /// Reads the stat data of `paths`. Only the inode of a folder counts.
    pub fn of(paths: impl IntoIterator<Item = PathBuf>) -> StatFingerprint {
        let read = |path: PathBuf| {
            let metadata = path.symlink_metadata().ok();
            let stat = metadata.map(|metadata| {
                let stat = walk::stat(&metadata);
                if metadata.is_dir() { Stat { inode: stat.inode, ..Stat::default() } } else { stat }
            });
            (path, stat)
        };
        StatFingerprint(paths.into_iter().map(read).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_comes_changes_or_goes_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ["a", "b", "folder"].map(|name| dir.path().join(name));
        std::fs::write(&paths[0], "one").unwrap();
        std::fs::create_dir(&paths[2]).unwrap();
        let first = StatFingerprint::of(paths.clone());
        std::fs::write(paths[2].join("inside"), "").unwrap();
        assert_eq!(StatFingerprint::of(paths.clone()), first);
        std::fs::write(&paths[1], "").unwrap();
        let second = StatFingerprint::of(paths.clone());
        assert_ne!(second, first);
        std::fs::remove_file(&paths[1]).unwrap();
        assert_eq!(StatFingerprint::of(paths.clone()), first);
        std::fs::write(&paths[0], "three").unwrap();
        assert_ne!(StatFingerprint::of(paths), first);
    }
}
