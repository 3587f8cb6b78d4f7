//! Opening what lies below the root of a tree: nothing outside of the root is opened, however links are swapped meanwhile.
//!
//! This module owns every opening of a file or a folder of a tree. A path that was checked before can be another one by
//! the time that it is opened, so the check and the opening are one call: the system resolves the path below the open
//! root and refuses links on the way (`openat2` on Linux). Where the system has no such call, or a sandbox denies the
//! call, the path is opened part by part. Outside of Unix each part is checked just before the file is opened.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io;
#[cfg(unix)]
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use spyhop_base::input;
use spyhop_base::path::RelPath;

#[cfg(unix)]
mod unix;

/// Which links are followed on the way to an entry of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkReach {
    /// No link is followed.
    #[default]
    Nowhere,
    /// Links that lead to an entry of the tree.
    Inside,
    /// All links, because the user asks for it.
    Anywhere,
}

/// The folder of a tree, from which files and folders are opened. Cloning is cheap.
///
/// The folder is opened when it is first needed and stays open, so a value serves one question or one walk, and is not
/// kept: the next question may find another folder at the path.
#[derive(Clone, Debug)]
pub struct RootFolder(Arc<OpenedRoot>);

#[derive(Debug)]
struct OpenedRoot {
    path: PathBuf,
    links: LinkReach,
    #[cfg(unix)]
    opened: std::sync::OnceLock<OwnedFd>,
}

impl RootFolder {
    /// The folder at `path`, in which no link is followed. Links in `path` itself are followed.
    pub fn new(path: impl Into<PathBuf>) -> RootFolder {
        RootFolder::following(path, LinkReach::Nowhere)
    }

    /// The folder at `path`, in which the links within `links` are followed.
    pub fn following(path: impl Into<PathBuf>, links: LinkReach) -> RootFolder {
        RootFolder(Arc::new(OpenedRoot {
            path: path.into(),
            links,
            #[cfg(unix)]
            opened: std::sync::OnceLock::new(),
        }))
    }

    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Opens the file at `rel` for reading. A FIFO does not block. The caller checks that the file is regular.
    pub fn open(&self, rel: &RelPath) -> io::Result<File> {
        match self.0.links {
            LinkReach::Nowhere => self.open_unlinked(rel),
            LinkReach::Inside => self.open_unlinked(&self.resolved(rel)?),
            LinkReach::Anywhere => input::open_unblocked(&rel.below(self.path())),
        }
    }

    /// The metadata of the entry at `rel`, also of one that must not be read. A link at its end is not followed, unless
    /// links are followed.
    pub fn metadata(&self, rel: &RelPath) -> io::Result<Metadata> {
        match self.0.links {
            LinkReach::Nowhere => self.metadata_unlinked(rel),
            LinkReach::Inside => self.metadata_unlinked(&self.resolved(rel)?),
            LinkReach::Anywhere => fs::metadata(rel.below(self.path())),
        }
    }

    /// Whether there is a regular file at `rel`.
    pub fn has_file(&self, rel: &RelPath) -> bool {
        self.metadata(rel).is_ok_and(|metadata| metadata.is_file())
    }

    /// The path without links of the entry at `rel`, which must lie below the root. What is opened by this path later is
    /// opened without following a link.
    pub fn resolved(&self, rel: &RelPath) -> io::Result<RelPath> {
        let (whole, root) = (rel.below(self.path()).canonicalize()?, self.path().canonicalize()?);
        let outside = || io::Error::other(format!("it leads out of '{}'", root.display()));
        let below = whole.strip_prefix(&root).map_err(|_| outside())?;
        RelPath::from_path(below).map_err(io::Error::other)
    }
}

#[cfg(unix)]
impl RootFolder {
    fn fd(&self) -> io::Result<BorrowedFd<'_>> {
        if self.0.opened.get().is_none() {
            // Another thread may be faster.
            let _ = self.0.opened.set(unix::open_root(self.path())?);
        }
        self.0.opened.get().map(AsFd::as_fd).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn open_unlinked(&self, rel: &RelPath) -> io::Result<File> {
        unix::open_file(self.fd()?, rel)
    }

    fn metadata_unlinked(&self, rel: &RelPath) -> io::Result<Metadata> {
        unix::metadata(self.fd()?, rel, self.path())
    }

    pub fn folder(&self, rel: &RelPath) -> io::Result<OwnedFd> {
        match self.0.links {
            LinkReach::Nowhere => unix::open_folder(self.fd()?, rel),
            LinkReach::Inside => unix::open_folder(self.fd()?, &self.resolved(rel)?),
            LinkReach::Anywhere => unix::open_folder_anywhere(self.fd()?, rel),
        }
    }

    /// The names in the folder at `rel`, in any order.
    pub fn names(&self, rel: &RelPath) -> io::Result<Vec<OsString>> {
        unix::names(self.folder(rel)?)
    }
}

#[cfg(not(unix))]
impl RootFolder {
    /// The names in the folder at `rel`, in any order.
    pub fn names(&self, rel: &RelPath) -> io::Result<Vec<OsString>> {
        match self.metadata(rel)?.is_dir() {
            true => fs::read_dir(rel.below(self.path()))?.map(|entry| Ok(entry?.file_name())).collect(),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    fn open_unlinked(&self, rel: &RelPath) -> io::Result<File> {
        match self.metadata_unlinked(rel)?.is_file() {
            true => File::open(rel.below(self.path())),
            false => Err(io::Error::other("it is not a regular file")),
        }
    }

    /// Without handles of folders there is a race between the check and the opening.
    fn metadata_unlinked(&self, rel: &RelPath) -> io::Result<Metadata> {
        let mut whole = self.path().to_path_buf();
        let mut metadata = fs::metadata(&whole)?;
        for name in rel.as_str().split('/').filter(|name| !name.is_empty()) {
            if !metadata.is_dir() {
                return Err(io::Error::other("a link or a file is on the way"));
            }
            whole.push(name);
            metadata = fs::symlink_metadata(&whole)?;
        }
        Ok(metadata)
    }
}

#[cfg(all(test, unix))]
mod tests;
