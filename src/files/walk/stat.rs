//! Stat data, which show that a file has changed without reading it.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;

use crate::tree::BlobId;

/// Stat data, which show that a file has changed without reading it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stat {
    pub size: u64,
    /// The time of the last change of the content, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// The time of the last change of the content or inode; 0 on platforms without it.
    pub ctime_ns: i64,
    /// The inode; 0 on platforms without inodes.
    pub inode: u64,
}

/// The identity of the content of a file, known without reading the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileIdentity {
    /// The stat data of a file in the file system.
    Stat(Stat),
    /// The id of a blob, for a file as git stores it.
    Blob { size: u64, id: BlobId },
}

impl FileIdentity {
    /// The length of the file in bytes.
    pub fn size(&self) -> u64 {
        match self {
            FileIdentity::Stat(stat) => stat.size,
            FileIdentity::Blob { size, .. } => *size,
        }
    }
}

/// The stat of one file; a symbolic link is not followed.
pub fn stat_of(path: &Path) -> io::Result<Stat> {
    fs::symlink_metadata(path).map(|metadata| stat(&metadata))
}

#[cfg(unix)]
pub fn stat(metadata: &Metadata) -> Stat {
    use std::os::unix::fs::MetadataExt;
    let ns = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
    Stat {
        size: metadata.len(),
        mtime_ns: ns(metadata.mtime(), metadata.mtime_nsec()),
        ctime_ns: ns(metadata.ctime(), metadata.ctime_nsec()),
        inode: metadata.ino(),
    }
}

#[cfg(not(unix))]
pub fn stat(metadata: &Metadata) -> Stat {
    let since = |time: std::time::SystemTime| match time.duration_since(std::time::UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |ns| -ns),
    };
    Stat { size: metadata.len(), mtime_ns: metadata.modified().map_or(0, since), ctime_ns: 0, inode: 0 }
}
