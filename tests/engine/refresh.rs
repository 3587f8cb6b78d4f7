//! Work in proportion to the change: what a refresh parses, and when it makes a generation.

use std::fs::File;
use std::time::{Duration, SystemTime};

use spyhop_engine::api::RefreshReport;

use super::{Tree, ask, open, paths, refresh};
use crate::support::SMALL;

/// What a refresh did, in short.
fn did(report: &RefreshReport) -> String {
    let RefreshReport { added, changed, deleted, renamed, parsed, .. } = report;
    format!("added {added}, changed {changed}, deleted {deleted}, renamed {renamed}, parsed {parsed}")
}

const NOTHING: &str = "added 0, changed 0, deleted 0, renamed 0, parsed 0";

/// Moves a file's time without touching its content.
fn touch(tree: &Tree, path: &str, seconds_ago: u64) {
    let file = File::options().append(true).open(tree.root().join(path)).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(seconds_ago)).unwrap();
}

#[test]
fn only_what_changed_is_parsed() {
    let tree = Tree::new(SMALL);
    let engine = open(&tree);
    let check = |expected: &str| {
        assert_eq!(did(&refresh(&engine)), expected);
        let again = refresh(&engine);
        assert_eq!(did(&again), NOTHING);
    };
    check("added 3, changed 0, deleted 0, renamed 0, parsed 3");
    touch(&tree, "src/auth.rs", 100);
    check(NOTHING);
    tree.write("src/auth.rs", "pub fn resolve_nothing() {}\n");
    check("added 0, changed 1, deleted 0, renamed 0, parsed 1");
    std::fs::rename(tree.root().join("src/paint.py"), tree.root().join("src/draw.py")).unwrap();
    check("added 1, changed 0, deleted 1, renamed 1, parsed 1");
    tree.write("src/new.rs", "pub fn brand_new() {}\n");
    check("added 1, changed 0, deleted 0, renamed 0, parsed 1");
    std::fs::remove_file(tree.root().join("src/new.rs")).unwrap();
    check("added 0, changed 0, deleted 1, renamed 0, parsed 0");
    tree.write(".gitignore", "docs/\n");
    check("added 0, changed 0, deleted 1, renamed 0, parsed 0");
    assert_eq!(paths(&ask(&engine, "brewing")), Vec::<&str>::new());
    assert_eq!(paths(&ask(&engine, "draws a circle")), ["src/draw.py"]);
}

#[test]
fn nothing_changed_makes_no_generation() {
    // As many files as make the writing down of stat data worth a commit, all of them too fresh for their times to
    // prove anything.
    let tree = Tree::new("");
    (0..300)
        .for_each(|number| tree.write(&format!("file{number}.rs"), format!("fn number_{number}() {{}}\n")));
    let engine = open(&tree);
    let first = refresh(&engine).generation;
    for _ in 0..3 {
        assert_eq!(refresh(&engine).generation, first);
    }
    assert_eq!(ask(&engine, "number_7").snapshot.generation, first);
}
