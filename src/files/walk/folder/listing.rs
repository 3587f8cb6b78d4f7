//! The entries of one directory, in the order of the paths that begin with them.

use std::cmp::Ordering;
use std::ffi::{OsStr, OsString};
use std::io;

/// The kind of an entry; a link is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListedKind {
    File,
    Dir,
    Link,
    /// Another kind, with a word for it.
    Special(&'static str),
}

#[derive(Debug)]
pub struct Entry {
    /// The offset of the entry's name in the names of its directory.
    pub(super) at: usize,
    pub(super) len: usize,
    pub kind: ListedKind,
    /// The exact name, if it is not UTF-8.
    pub exact: Option<Box<OsStr>>,
}

impl Entry {
    pub fn is_dir(&self) -> bool {
        self.kind == ListedKind::Dir
    }
}

/// A failure to read an entry, or with `None` the directory itself, whose remaining entries are then missing.
pub(crate) type EntryFailure = (Option<String>, io::Error);

/// The entries of a directory, sorted as the paths that begin with them sort as text.
#[derive(Debug)]
pub(crate) struct FolderListing {
    pub entries: Vec<Entry>,
    /// The names, each with a NUL after it; a name that is not UTF-8 in a lossy form.
    pub(super) names: String,
}

impl FolderListing {
    pub fn name(&self, entry: &Entry) -> &str {
        &self.names[entry.at..entry.at + entry.len]
    }

    /// The total length of all names in bytes.
    pub(crate) fn name_bytes(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn exact_name<'a>(&'a self, entry: &'a Entry) -> &'a OsStr {
        entry.exact.as_deref().unwrap_or_else(|| OsStr::new(self.name(entry)))
    }

    /// An empty listing with capacity for most directories.
    pub(super) fn new() -> FolderListing {
        FolderListing { entries: Vec::with_capacity(16), names: String::with_capacity(512) }
    }

    /// A listing of entries from another source.
    pub fn of<'n>(entries: impl Iterator<Item = (&'n OsStr, ListedKind)>) -> FolderListing {
        let mut listed = FolderListing::new();
        entries.for_each(|(name, kind)| listed.push(name, kind));
        listed.sorted()
    }

    pub(super) fn push(&mut self, name: &OsStr, kind: ListedKind) {
        let shown = name.to_string_lossy();
        let exact = (name.to_str().is_none()).then(|| OsString::from(name).into_boxed_os_str());
        self.entries.push(Entry { at: self.names.len(), len: shown.len(), kind, exact });
        self.names.push_str(&shown);
        self.names.push('\0');
    }

    /// Replaces the kinds of entries by those that `kind_of` gives.
    pub(crate) fn with_kinds(
        mut self,
        mut kind_of: impl FnMut(&FolderListing, &Entry) -> Option<ListedKind>,
    ) -> FolderListing {
        let kinds: Vec<Option<ListedKind>> = self.entries.iter().map(|entry| kind_of(&self, entry)).collect();
        if kinds.iter().all(Option::is_none) {
            return self;
        }
        for (entry, kind) in self.entries.iter_mut().zip(kinds) {
            entry.kind = kind.unwrap_or(entry.kind);
        }
        self.sorted()
    }

    pub(super) fn sorted(mut self) -> FolderListing {
        let name = |entry: &Entry| &self.names.as_bytes()[entry.at..entry.at + entry.len];
        self.entries.sort_unstable_by(|a, b| in_paths((name(a), a.is_dir()), (name(b), b.is_dir())));
        self
    }
}

/// Compares two names as the paths that begin with them compare: a directory's name continues with a `/`.
fn in_paths((a, a_is_dir): (&[u8], bool), (b, b_is_dir): (&[u8], bool)) -> Ordering {
    let common = a.len().min(b.len());
    let next = |name: &[u8], is_dir: bool| name.get(common).copied().or(is_dir.then_some(b'/'));
    a[..common].cmp(&b[..common]).then_with(|| next(a, a_is_dir).cmp(&next(b, b_is_dir)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_as_their_paths_do() {
        let check = |names: &[(&str, bool)]| {
            let mut listed = FolderListing::new();
            for (name, is_dir) in names.iter().rev() {
                listed.push(OsStr::new(name), if *is_dir { ListedKind::Dir } else { ListedKind::File });
            }
            let listed = listed.sorted();
            let sorted: Vec<_> =
                listed.entries.iter().map(|entry| (listed.name(entry), entry.is_dir())).collect();
            assert_eq!(sorted, names);
        };
        check(&[("a", false), ("a-b", false), ("a.rs", true), ("ab", false)]);
        check(&[("a-b", false), ("a.rs", true), ("a", true), ("a0", true), ("b", false)]);
    }
}
