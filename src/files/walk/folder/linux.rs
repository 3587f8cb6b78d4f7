//! Directories by Linux system calls.

use std::cell::RefCell;
use std::ffi::{CStr, OsStr};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use rustix::fs::{AtFlags, FileType, RawDir, fstat, readlinkat, statat};
use rustix::io::Errno;

use super::listing::{Entry, EntryFailure, FolderListing, ListedKind};
use crate::confined::RootFolder;
use crate::walk::stat::Stat;
use spyhop_base::path::RelPath;

/// The buffer size that the C library uses.
const BUFFER_BYTES: usize = 32 << 10;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(Vec::with_capacity(BUFFER_BYTES));
}

/// An open directory.
pub struct Folder(OwnedFd);

impl Folder {
    /// The directory at `rel` below a root.
    pub fn open(root: &RootFolder, rel: &RelPath) -> io::Result<Folder> {
        Ok(Folder(root.folder(rel)?))
    }

    /// The number of the user that owns the directory, where the system tells.
    pub fn owner(&self) -> Option<u32> {
        Some(fstat(&self.0).ok()?.st_uid)
    }

    /// The number of the file system of the directory, where the system tells.
    pub fn device(&self) -> Option<u64> {
        Some(fstat(&self.0).ok()?.st_dev)
    }

    pub fn list(&self) -> io::Result<(FolderListing, Vec<EntryFailure>)> {
        BUFFER.with_borrow_mut(|buffer| {
            let (mut listed, mut failures) = (FolderListing::new(), Vec::new());
            let mut dir = RawDir::new(&self.0, buffer.spare_capacity_mut());
            while let Some(entry) = dir.next() {
                let entry = match entry {
                    Ok(entry) => entry,
                    Err(error) => {
                        failures.push((None, error.into()));
                        break;
                    }
                };
                let name = entry.file_name();
                if matches!(name.to_bytes(), b"." | b"..") {
                    continue;
                }
                match self.kind(name, entry.file_type()) {
                    Ok(kind) => listed.push(OsStr::from_bytes(name.to_bytes()), kind),
                    Err(Errno::NOENT) => {}
                    Err(error) => failures.push((Some(name.to_string_lossy().into_owned()), error.into())),
                }
            }
            Ok((listed.sorted(), failures))
        })
    }

    /// The kind of an entry. Some file systems do not report it, so that it has to be looked up.
    fn kind(&self, name: &CStr, file_type: FileType) -> Result<ListedKind, Errno> {
        Ok(match file_type {
            FileType::RegularFile => ListedKind::File,
            FileType::Directory => ListedKind::Dir,
            FileType::Symlink => ListedKind::Link,
            FileType::Fifo => ListedKind::Special("FIFO"),
            FileType::Socket => ListedKind::Special("socket"),
            FileType::BlockDevice => ListedKind::Special("block device"),
            FileType::CharacterDevice => ListedKind::Special("character device"),
            FileType::Unknown => {
                let stat = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
                match FileType::from_raw_mode(stat.st_mode) {
                    FileType::Unknown => ListedKind::Special("not a regular file"),
                    known => return self.kind(name, known),
                }
            }
        })
    }

    pub fn stat(&self, listed: &FolderListing, entry: &Entry) -> io::Result<Stat> {
        let stat = match listed.names.as_bytes().get(entry.at..=entry.at + entry.len) {
            Some(name) if entry.exact.is_none() => {
                let name = CStr::from_bytes_with_nul(name).map_err(io::Error::other)?;
                statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?
            }
            _ => statat(&self.0, listed.exact_name(entry), AtFlags::SYMLINK_NOFOLLOW)?,
        };
        let ns = |seconds: i64, rest: u64| seconds.saturating_mul(1_000_000_000).saturating_add(rest as i64);
        Ok(Stat {
            size: stat.st_size as u64,
            mtime_ns: ns(stat.st_mtime as i64, stat.st_mtime_nsec as u64),
            ctime_ns: ns(stat.st_ctime as i64, stat.st_ctime_nsec as u64),
            inode: stat.st_ino as u64,
        })
    }

    pub fn read_link(&self, name: &str) -> io::Result<PathBuf> {
        let target = readlinkat(&self.0, name, Vec::new())?;
        Ok(std::ffi::OsString::from_vec(target.into_bytes()).into())
    }
}
