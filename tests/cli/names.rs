//! Entries that an exact search cannot take by their names or rules: what is said of them, and with which exit code.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use super::{SMALL, Tree};

#[test]
fn a_name_that_is_not_utf8_is_told_of_and_fails_no_search() {
    let tree = Tree::new(SMALL);
    let odd = tree.root().join(OsStr::from_bytes(b"bad\xff.rs"));
    std::fs::write(odd, "fn draw_circle() {}\n").unwrap();
    for index in [false, true] {
        if index {
            tree.run(&["index", "-q"]);
        }
        for policy in ["refresh", "ignore"] {
            let run = |pattern: &str| tree.run(&["grep", "-n", pattern, "--stale-policy", policy]);
            let found = run("draw_circle");
            let told = "spyhop: warning: bad\u{fffd}.rs was not searched: its name is \"bad\\xFF.rs\", which is not UTF-8\n";
            assert_eq!(
                (found.code, &*found.out, &*found.err),
                (0, "src/paint.py:1:def draw_circle(radius):\n", told),
                "{policy}"
            );
            let nothing = run("no_such_thing");
            assert_eq!((nothing.code, &*nothing.out, &*nothing.err), (1, "", told), "{policy}");
        }
    }
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
