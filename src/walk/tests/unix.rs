//! Links, pipes, unusual names and permissions, which only some systems have.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::*;

fn mkfifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn links_and_special_files_are_rows() {
    let dir = tree("-- a/x.rs\n-- .gitignore\npipe\n");
    let root = dir.path();
    symlink("a", root.join("to-dir")).unwrap();
    symlink("..", root.join("a/loop")).unwrap();
    symlink("a/x.rs", root.join(".to-file")).unwrap();
    symlink("nowhere", root.join("dangling")).unwrap();
    mkfifo(&root.join("pipe"));
    let _socket = std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap();
    check_at(
        root,
        &plain(),
        "a/x.rs
         ! .gitignore [hidden: '.gitignore' begins with a dot]
         ! .to-file [symlink: to a/x.rs]
         ! a/loop [symlink: to ..]
         ! dangling [symlink: to nowhere]
         ! pipe [special: FIFO]
         ! socket [special: socket]
         ! to-dir [symlink: to a]",
    );
}

#[test]
fn an_ignore_file_is_a_regular_file() {
    let dir = tree("-- rules\na.rs\n-- a.rs\n-- sub/a.rs");
    symlink("rules", dir.path().join(".gitignore")).unwrap();
    mkfifo(&dir.path().join("sub/.ignore"));
    check_at(
        dir.path(),
        &plain(),
        "a.rs
         rules
         sub/a.rs
         ! .gitignore [symlink: to rules]
         ! sub/.ignore [special: FIFO]",
    );
}

#[test]
fn a_root_may_be_a_link() {
    let dir = tree("-- real/a.rs\n-- real/.gitignore\n*.log\n-- real/b.log");
    symlink("real", dir.path().join("link")).unwrap();
    check_at(
        &dir.path().join("link"),
        &plain(),
        "a.rs
         ! .gitignore [hidden: '.gitignore' begins with a dot]
         ! b.log [ignored: .gitignore:1: *.log]",
    );
}

#[test]
fn odd_names() {
    let dir = tree("-- ok.rs\n-- .gitignore\n*.log");
    fs::write(dir.path().join(OsStr::from_bytes(b"bad\xff.rs")), "").unwrap();
    fs::create_dir(dir.path().join(OsStr::from_bytes(b"dir\xfe"))).unwrap();
    fs::write(dir.path().join("two\nlines.rs"), "").unwrap();
    fs::write(dir.path().join("back\\slash.log"), "").unwrap();
    check_at(
        dir.path(),
        &plain(),
        "ok.rs
         two
         lines.rs
         ! .gitignore [hidden: '.gitignore' begins with a dot]
         ! back\\slash.log [ignored: .gitignore:1: *.log]
         ! bad\u{fffd}.rs [name-not-utf8: its name is \"bad\\xFF.rs\"]
         ! dir\u{fffd}/ [name-not-utf8: its name is \"dir\\xFE\"]",
    );
}

#[test]
fn an_ignore_file_beyond_all_measure_is_reported() {
    let dir = tree("-- a.rs\n-- .gitignore\na.rs");
    let file = fs::OpenOptions::new().write(true).open(dir.path().join(".gitignore")).unwrap();
    file.set_len(1 << 30).unwrap();
    let walked = walk(dir.path(), &plain()).unwrap();
    assert_eq!(
        print(&walked),
        "a.rs\n! .gitignore [unreadable: its rules do not count: it is above 4194304 bytes]\n"
    );
}
