//! Folders that hold an index are left out of ranking, and nothing else that calls itself one.

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
         -- many/one/lock
         -- many/one/v23-0123456789ab/tantivy/meta.json
         -- many/readme.md
         -- bazel/WORKSPACE
         workspace(name = \"tree\")
         -- bazel/b.rs
         -- bazel/lock
         -- bazel/v1-abc/c.rs
         -- claimed/WORKSPACE
         {CLAIM}
         -- claimed/lock
         -- claimed/backdoor.rs
         -- folder/WORKSPACE/d.rs"
    ))
}

#[test]
fn an_index_of_any_tree_is_left_out() {
    let dir = tree_with_indexes();
    let expected = "a.rs
         bazel/WORKSPACE
         bazel/b.rs
         bazel/lock
         bazel/v1-abc/c.rs
         claimed/WORKSPACE
         claimed/backdoor.rs
         claimed/lock
         folder/WORKSPACE/d.rs
         many/readme.md
         ! idx/ [built-in: an index of spyhop, by its structure]
         ! many/one/ [built-in: an index of spyhop, by its structure]";
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
fn an_exact_search_and_git_hide_no_index() {
    let dir = tree_with_indexes();
    let is_tracked = |path: &RelPath, _: bool| path.as_str() == "idx";
    let tracked = WalkOptions { is_tracked: Some(&is_tracked), ..plain() };
    let exact = WalkOptions { as_ripgrep: Some(AsRipgrep::default()), ..plain() };
    for (options, shown) in [(&tracked, 1), (&exact, 2)] {
        let walked = walk(dir.path(), options).unwrap();
        let found = |path: &str| walked.candidates.iter().any(|found| found.path.as_str() == path);
        let found = [found("idx/v1-abc/meta/g.base"), found("many/one/lock")];
        assert_eq!(found.into_iter().filter(|found| *found).count(), shown, "{}", print(&walked));
    }
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
    let dir = tree(&format!("-- WORKSPACE\n{CLAIM}\n-- lock\n-- v1-abc/x"));
    check_at(dir.path(), &plain(), "WORKSPACE\nlock\nv1-abc/x");
}
