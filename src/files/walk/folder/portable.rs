//! Directories by `std`.

use std::fs::{self, FileType};
use std::io;
use std::path::PathBuf;

use super::listing::{Entry, EntryFailure, FolderListing, ListedKind};
use crate::confined::RootFolder;
use crate::walk::stat::{Stat, stat};
use spyhop_base::path::RelPath;

/// A directory, named by its path.
pub struct Folder(PathBuf);

impl Folder {
    /// The directory at `rel` below a root. A directory that becomes a link while it is listed shows names from
    /// elsewhere; none of their files can be opened.
    pub fn open(root: &RootFolder, rel: &RelPath) -> io::Result<Folder> {
        match root.metadata(rel)?.is_dir() || rel.as_str().is_empty() {
            true => Ok(Folder(rel.below(root.path()))),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// The number of the user that owns the directory, where the system tells.
    pub fn owner(&self) -> Option<u32> {
        #[cfg(unix)]
        let owner = Some(std::os::unix::fs::MetadataExt::uid(&fs::metadata(&self.0).ok()?));
        #[cfg(not(unix))]
        let owner = None;
        owner
    }

    /// The number of the file system of the directory, where the system tells.
    pub fn device(&self) -> Option<u64> {
        #[cfg(unix)]
        let device = Some(std::os::unix::fs::MetadataExt::dev(&fs::metadata(&self.0).ok()?));
        #[cfg(not(unix))]
        let device = None;
        device
    }

    pub fn list(&self) -> io::Result<(FolderListing, Vec<EntryFailure>)> {
        let (mut listed, mut failures) = (FolderListing::new(), Vec::new());
        for entry in fs::read_dir(&self.0)? {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    failures.push((None, error));
                    break;
                }
            };
            match entry.file_type() {
                Ok(file_type) => listed.push(&entry.file_name(), kind(file_type)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => failures.push((Some(entry.file_name().to_string_lossy().into_owned()), error)),
            }
        }
        Ok((listed.sorted(), failures))
    }

    pub fn stat(&self, listed: &FolderListing, entry: &Entry) -> io::Result<Stat> {
        fs::symlink_metadata(self.0.join(listed.exact_name(entry))).map(|metadata| stat(&metadata))
    }

    pub fn read_link(&self, name: &str) -> io::Result<PathBuf> {
        fs::read_link(self.0.join(name))
    }
}

fn kind(file_type: FileType) -> ListedKind {
    match file_type {
        t if t.is_file() => ListedKind::File,
        t if t.is_dir() => ListedKind::Dir,
        t if t.is_symlink() => ListedKind::Link,
        other => ListedKind::Special(special_name(other)),
    }
}

#[cfg(unix)]
fn special_name(file_type: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match file_type {
        t if t.is_fifo() => "FIFO",
        t if t.is_socket() => "socket",
        t if t.is_block_device() => "block device",
        t if t.is_char_device() => "character device",
        _ => "not a regular file",
    }
}

#[cfg(not(unix))]
fn special_name(_: FileType) -> &'static str {
    "not a regular file"
}
