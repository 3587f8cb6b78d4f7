//! Tests that both ways of listing a folder tell the same.

use std::fs;

use super::*;
use crate::confined::RootFolder;
use spyhop_base::path::RelPath;

/// A directory as text: one line for each entry.
macro_rules! as_text {
    ($module:ident, $root:expr, $below:expr) => {{
        let root = RootFolder::new($root);
        let folder = $module::Folder::open(&root, &RelPath::new($below).unwrap()).unwrap();
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
