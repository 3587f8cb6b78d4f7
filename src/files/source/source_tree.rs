//! The interface that a host implements.

use std::ffi::OsString;
use std::io;
use std::sync::Arc;

use super::content_id::ContentId;

/// A tree of files that an engine can index and search, wherever its files are stored.
///
/// Paths are relative to the root of the tree, with `/` between their parts. The path of the root is empty. The rules
/// that exclude files apply as in a folder, including the ignore files in the tree. Rules from outside the tree do not
/// apply.
pub trait SourceTree: Send + Sync {
    /// The entries of a folder, in any order. An error of kind `NotFound` if there is no such folder.
    ///
    /// # Errors
    /// Any error of the source. The folder then becomes a skipped entry with the text of the error.
    fn list(&self, folder: &str) -> io::Result<Vec<SourceEntry>>;

    /// The bytes of a file, or the target of a link.
    ///
    /// # Errors
    /// Any error of the source. The file then becomes a skipped entry with the text of the error.
    fn read(&self, path: &str) -> io::Result<Vec<u8>>;

    /// A number that changes whenever the tree does. As long as the number stays, an engine does not list the tree again.
    /// `None`, the default, if the source cannot tell: the engine lists the whole tree before an answer.
    fn version(&self) -> Option<u64> {
        None
    }
}

impl<T: SourceTree + ?Sized> SourceTree for Arc<T> {
    fn list(&self, folder: &str) -> io::Result<Vec<SourceEntry>> {
        (**self).list(folder)
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        (**self).read(path)
    }

    fn version(&self) -> Option<u64> {
        (**self).version()
    }
}

impl<T: SourceTree + ?Sized> SourceTree for Box<T> {
    fn list(&self, folder: &str) -> io::Result<Vec<SourceEntry>> {
        (**self).list(folder)
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        (**self).read(path)
    }

    fn version(&self) -> Option<u64> {
        (**self).version()
    }
}

/// An entry of a folder of a [`SourceTree`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceEntry {
    /// The name.
    pub name: OsString,
    /// The kind.
    pub kind: SourceEntryKind,
    /// The size of a file in bytes.
    pub size: u64,
    /// The id of the content of a file.
    pub id: ContentId,
}

/// The kind of a [`SourceEntry`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceEntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, which is not followed.
    Link,
    /// A submodule, which is not searched.
    Submodule,
}

impl SourceEntry {
    /// A file of `size` bytes whose content has this id.
    pub fn file(name: impl Into<OsString>, size: u64, id: ContentId) -> SourceEntry {
        SourceEntry { name: name.into(), kind: SourceEntryKind::File, size, id }
    }

    /// A folder.
    pub fn folder(name: impl Into<OsString>) -> SourceEntry {
        SourceEntry { name: name.into(), kind: SourceEntryKind::Folder, size: 0, id: ContentId([0; 20]) }
    }

    /// A symbolic link whose target has `size` bytes.
    pub fn link(name: impl Into<OsString>, size: u64, id: ContentId) -> SourceEntry {
        SourceEntry { name: name.into(), kind: SourceEntryKind::Link, size, id }
    }

    pub(super) fn submodule(name: impl Into<OsString>) -> SourceEntry {
        SourceEntry { kind: SourceEntryKind::Submodule, ..SourceEntry::folder(name) }
    }
}
