//! Files and folders whose modes forbid to read them, for a process without privileges.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use spyhop_engine::{Engine, ErrorKind};
use spyhop_files::walk::{WalkOptions, walk};

use super::options;
use crate::support::{Tree, unprivileged};

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn each_unreadable_file_has_a_row() {
    let tree = Tree::new("\n=== shut/a.rs\nfn a() {}\n=== sub/.gitignore\na.rs\n=== sub/a.rs\nfn a() {}\n");
    let root = tree.root();
    set_mode(&root.join("shut"), 0o000);
    set_mode(&root.join("sub/.gitignore"), 0o000);
    unprivileged(|| {
        let walked = walk(&root, &WalkOptions { hidden: true, ..WalkOptions::default() }).unwrap();
        let candidates: Vec<&str> =
            walked.candidates.iter().map(|candidate| candidate.path.as_str()).collect();
        assert_eq!(candidates, ["sub/.gitignore", "sub/a.rs"]);
        let rows: Vec<(&str, &str)> =
            walked.skipped.iter().map(|row| (row.path.as_str(), row.detail.as_str())).collect();
        let denied = "Permission denied (os error 13)";
        let rules = format!("its rules do not count: {denied}");
        assert_eq!(rows, [("shut", denied), ("sub/.gitignore", &*rules)]);
    });
    set_mode(&root.join("shut"), 0o700);
}

#[test]
fn an_unreadable_root_is_named() {
    let tree = Tree::new("\n=== locked/a.rs\nfn a() {}\n");
    let locked = tree.root().join("locked");
    set_mode(&locked, 0o000);
    unprivileged(|| {
        let opened = Engine::open(&locked, options(&tree)).and_then(|engine| engine.refresh(&|_| ()));
        let error = opened.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NoRoot, "{error}");
        assert!(error.to_string().contains(locked.to_str().unwrap()), "{error}");
    });
    set_mode(&locked, 0o700);
}
