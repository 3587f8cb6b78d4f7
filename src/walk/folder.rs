//! One directory as the system lists it: the names, the kinds and the stat data of its entries.
//!
//! This module owns the system calls of a walk. On Linux the calls are relative to an open directory and reuse their
//! buffers, which takes a third of the time that `std` takes to list small directories. Elsewhere `std` makes the
//! calls.

use std::cmp::Ordering;
use std::ffi::{OsStr, OsString};
use std::io;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(not(target_os = "linux"), test))]
#[cfg_attr(target_os = "linux", allow(dead_code, reason = "the test compares what both list"))]
mod portable;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
use portable as system;

pub(super) use system::Folder;

/// The kind of an entry; a link is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Dir,
    Link,
    /// Another kind, with a word for it.
    Special(&'static str),
}

#[derive(Debug)]
pub(super) struct Entry {
    /// The offset of the entry's name in the names of its directory.
    at: usize,
    len: usize,
    pub kind: Kind,
    /// The exact name, if it is not UTF-8.
    pub exact: Option<Box<OsStr>>,
}

impl Entry {
    pub(super) fn is_dir(&self) -> bool {
        self.kind == Kind::Dir
    }
}

/// A failure to read an entry, or with `None` the directory itself, whose remaining entries are then missing.
pub(super) type Failure = (Option<String>, io::Error);

/// The entries of a directory, sorted as the paths that begin with them sort as text.
#[derive(Debug)]
pub(super) struct Listed {
    pub entries: Vec<Entry>,
    /// The names, each with a NUL after it; a name that is not UTF-8 in a lossy form.
    names: String,
}

impl Listed {
    pub(super) fn name(&self, entry: &Entry) -> &str {
        &self.names[entry.at..entry.at + entry.len]
    }

    /// The total length of all names in bytes.
    pub(super) fn name_bytes(&self) -> usize {
        self.names.len()
    }

    pub(super) fn exact_name<'a>(&'a self, entry: &'a Entry) -> &'a OsStr {
        entry.exact.as_deref().unwrap_or_else(|| OsStr::new(self.name(entry)))
    }

    /// An empty listing with capacity for most directories.
    fn new() -> Listed {
        Listed { entries: Vec::with_capacity(16), names: String::with_capacity(512) }
    }

    /// A listing of entries from another source.
    pub(super) fn of<'n>(entries: impl Iterator<Item = (&'n OsStr, Kind)>) -> Listed {
        let mut listed = Listed::new();
        entries.for_each(|(name, kind)| listed.push(name, kind));
        listed.sorted()
    }

    fn push(&mut self, name: &OsStr, kind: Kind) {
        let shown = name.to_string_lossy();
        let exact = (name.to_str().is_none()).then(|| OsString::from(name).into_boxed_os_str());
        self.entries.push(Entry { at: self.names.len(), len: shown.len(), kind, exact });
        self.names.push_str(&shown);
        self.names.push('\0');
    }

    fn sorted(mut self) -> Listed {
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::*;
    use crate::path::RelPath;

    /// A directory as text: one line for each entry.
    macro_rules! as_text {
        ($module:ident, $root:expr, $below:expr) => {{
            let folder = $module::Folder::open($root).unwrap().below(&RelPath::new($below).unwrap()).unwrap();
            let (listed, failures) = folder.list().unwrap();
            assert!(failures.is_empty());
            let line = |entry: &Entry| {
                let stat = folder.stat(&listed, entry).unwrap();
                format!("{} {:?} {:?} {stat:?}\n", listed.name(entry), listed.exact_name(entry), entry.kind)
            };
            listed.entries.iter().map(line).collect::<String>()
        }};
    }

    #[test]
    fn both_ways_to_list_give_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let below = dir.path().join("a/b");
        fs::create_dir_all(below.join("c.d")).unwrap();
        for name in ["c", "c.c", "c-d", "cé", ".x"] {
            fs::write(below.join(name), name).unwrap();
        }
        // More entries than one buffer holds.
        for number in 0..2000 {
            fs::write(below.join(format!("{number:0>64}")), "").unwrap();
        }
        std::os::unix::fs::symlink("nowhere", below.join("link")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(below.join("socket")).unwrap();
        let linux = as_text!(linux, dir.path(), "a/b");
        assert_eq!(linux, as_text!(portable, dir.path(), "a/b"));
        assert_eq!(linux.lines().count(), 2008);
        assert!(linux.contains("link \"link\" Link ") && linux.contains("Special(\"socket\")"), "{linux}");
    }

    #[test]
    fn names_stand_as_their_paths_do() {
        let check = |names: &[(&str, bool)]| {
            let mut listed = Listed::new();
            for (name, is_dir) in names.iter().rev() {
                listed.push(OsStr::new(name), if *is_dir { Kind::Dir } else { Kind::File });
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
