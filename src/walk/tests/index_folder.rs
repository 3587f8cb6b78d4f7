//! Folders that hold an index are excluded, and other folders with a file called `WORKSPACE` are not.

use super::*;

const CLAIM: &str = r#"{"format":1,"owner":"/w/other"}"#;

fn tree_with_indexes() -> tempfile::TempDir {
    tree(&format!(
        "-- a.rs
         -- idx/WORKSPACE
         {CLAIM}
         -- idx/lock
         -- idx/v1-abc/meta/g.base
         -- many/one/WORKSPACE
         {CLAIM}
         -- many/readme.md
         -- bazel/WORKSPACE
         workspace(name = \"tree\")
         -- bazel/b.rs
         -- json/WORKSPACE
         {{\"format\": \"one\"}}
         -- json/c.rs
         -- folder/WORKSPACE/d.rs"
    ))
}

#[test]
fn an_index_of_any_tree_is_left_out() {
    let dir = tree_with_indexes();
    let expected = "a.rs
         bazel/WORKSPACE
         bazel/b.rs
         folder/WORKSPACE/d.rs
         json/WORKSPACE
         json/c.rs
         many/readme.md
         ! idx/ [built-in: an index of spyhop, by its file WORKSPACE]
         ! many/one/ [built-in: an index of spyhop, by its file WORKSPACE]";
    check_at(dir.path(), &plain(), expected);
    // Neither an option nor a rule includes the index.
    fs::write(dir.path().join(".spyhopignore"), "!idx\n!idx/**\n").unwrap();
    let hidden = "! .spyhopignore [hidden: '.spyhopignore' begins with a dot]";
    let expected = expected.replacen("! idx", &format!("{hidden}\n! idx"), 1);
    check_at(dir.path(), &WalkOptions { no_built_in: true, ..plain() }, &expected);
    let all = WalkOptions { no_built_in: true, no_ignore: true, hidden: true, ..plain() };
    let walked = walk(dir.path(), &all).unwrap();
    assert!(
        walked.candidates.iter().all(|found| !found.path.as_str().starts_with("idx/")),
        "{}",
        print(&walked)
    );
}

#[test]
fn a_part_of_an_index_is_left_out_with_it() {
    let dir = tree_with_indexes();
    let path = |path: &str| RelPath::new(path).unwrap();
    let region = Region::new(vec![path("idx/lock"), path("many/one/new"), path("many/readme.md")]);
    let some = walk_some(dir.path(), &region, &plain()).unwrap();
    assert_eq!(print(&some), "many/readme.md\n");
    let below = walk_below(dir.path(), &[path("idx"), path("many")], &plain()).unwrap();
    let row = |path: &str| format!("! {path}/ [built-in: {INDEX_FOLDER}]\n");
    assert_eq!(print(&below), format!("many/readme.md\n{}{}", row("idx"), row("many/one")));
    for (asked, found) in [("idx/lock", "idx"), ("many/one", "many/one")] {
        let skipped = explain(dir.path(), &path(asked), &plain()).unwrap();
        assert_eq!((skipped.path.as_str(), skipped.detail.as_str()), (found, INDEX_FOLDER));
    }
}

#[test]
fn an_index_that_is_the_root_is_walked() {
    let dir = tree(&format!("-- WORKSPACE\n{CLAIM}\n-- lock"));
    check_at(dir.path(), &plain(), "WORKSPACE\nlock");
}
