//! Worktrees of one repository share what was parsed; an answer never comes from the other one.

use spyhop_engine::Engine;

use super::{Tree, ask, options, paths, refresh};
use crate::support::{SMALL, git};

/// A repository with one commit, and a second worktree of it.
fn two_worktrees() -> (Tree, [Engine; 2]) {
    let tree = Tree::new(SMALL);
    git(&tree.root(), &["init", "-q", "-b", "main"]);
    git(&tree.root(), &["add", "."]);
    git(&tree.root(), &["commit", "-q", "-m", "one"]);
    let second = tree.root().with_file_name("second");
    git(&tree.root(), &["worktree", "add", "-q", "-b", "topic", second.to_str().unwrap()]);
    let engines = [tree.root(), second].map(|root| Engine::open(root, options(&tree)).unwrap());
    (tree, engines)
}

#[test]
fn worktrees_share_what_was_parsed() {
    let (_tree, [first, second]) = two_worktrees();
    assert_eq!(refresh(&first).parsed, 3);
    let report = refresh(&second);
    assert_eq!((report.added, report.parsed), (3, 0));
    for (engine, branch) in [(&first, "main"), (&second, "topic")] {
        let reply = ask(engine, "secret of the provider");
        assert_eq!(paths(&reply), ["src/auth.rs"]);
        assert!(!reply.results[0].stale);
        let snapshot = &reply.snapshot;
        assert_eq!((snapshot.root.as_path(), snapshot.branch.as_deref()), (engine.root(), Some(branch)));
        assert_eq!(snapshot.indexed_files, 3);
    }
}

#[test]
fn a_worktree_inside_the_tree_is_left_out() {
    let tree = Tree::new(SMALL);
    git(&tree.root(), &["init", "-q", "-b", "main"]);
    tree.write(".github/workflows/ci.yml", "on: push\njobs:\n  build-all:\n    runs-on: x\n");
    git(&tree.root(), &["add", "."]);
    git(&tree.root(), &["commit", "-q", "-m", "one"]);
    let inner = tree.root().join("trees/topic");
    git(&tree.root(), &["worktree", "add", "-q", "-b", "topic", inner.to_str().unwrap()]);
    tree.write(".github/untracked/a.rs", "fn a() {}\n");
    let engine = Engine::open(tree.root(), options(&tree)).unwrap();
    refresh(&engine);
    let reply = engine.ask(&spyhop_engine::api::FilesRequest::new("")).unwrap();
    let found: Vec<&str> = reply.files.iter().map(|row| row.path.as_str()).collect();
    assert!(found.contains(&".github/workflows/ci.yml"), "{found:?}");
    assert!(!found.iter().any(|path| path.starts_with("trees/")), "{found:?}");
    let inner = Engine::open(inner, options(&tree)).unwrap();
    assert!(refresh(&inner).added > 0);
}
