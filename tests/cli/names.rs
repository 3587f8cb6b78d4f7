//! Entries that an exact search cannot take by their names or rules: what is said of them, and with which exit code.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use super::{SMALL, Tree};

#[test]
fn a_name_that_is_not_utf8_is_searched_if_it_looks_like_no_other() {
    let tree = Tree::new(SMALL);
    let write = |name: &[u8]| {
        std::fs::write(tree.root().join(OsStr::from_bytes(name)), "fn draw_circle() {}\n").unwrap();
    };
    std::fs::create_dir(tree.root().join(OsStr::from_bytes(b"caf\xe9"))).unwrap();
    write(b"caf\xe9/bad\xff.rs");
    let run = |pattern: &str| tree.run(&["grep", "-n", pattern]);
    let odd = "caf\u{fffd}/bad\u{fffd}.rs:1:fn draw_circle() {}\n";
    for index in [false, true] {
        if index {
            tree.run(&["index", "-q"]);
        }
        let found = run("draw_circle");
        let lines = format!("{odd}src/paint.py:1:def draw_circle(radius):\n");
        assert_eq!((found.code, &*found.out, &*found.err), (0, &*lines, ""));
    }
    let reply = tree.json(&["grep", "draw_circle"]);
    assert_eq!((&reply["complete"], &reply["total_lines"]), (&true.into(), &2.into()), "{reply}");
    // Two names with one form cannot be told apart.
    write(b"caf\xe9/bad\xfe.rs");
    let found = run("draw_circle");
    let told = "caf\u{fffd}/bad\u{fffd}.rs and 1 more were not searched: its name is \"bad\\xFE.rs\", which is not UTF-8\n";
    assert_eq!((found.code, &*found.out), (0, "src/paint.py:1:def draw_circle(radius):\n"));
    assert!(found.err.ends_with(told), "{}", found.err);
    // A program reads it from the reply, which has no exit code.
    let reply = tree.json(&["grep", "draw_circle"]);
    assert_eq!((&reply["complete"], &reply["total_lines"]), (&false.into(), &1.into()), "{reply}");
}

#[test]
fn a_line_of_an_ignore_file_that_does_not_count_fails_no_search() {
    let tree = Tree::new(SMALL);
    tree.write(".ignore", format!("{}\n*.py\n", "?".repeat(200_000)));
    for index in [false, true] {
        if index {
            tree.run(&["index", "-q"]);
        }
        let found = tree.run(&["grep", "-l", "-i", "circle|secret"]);
        assert_eq!((found.code, &*found.out, &*found.err), (0, "src/auth.rs\n", ""));
    }
    let rows = tree.run(&["skipped", "--color", "never"]).out;
    assert!(rows.contains("line 1 (200000 bytes) does not count, being above 16384 bytes"), "{rows}");
}
