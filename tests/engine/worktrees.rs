//! Worktrees of one repository share what was parsed; an answer never comes from the other one.

use spyhop_engine::Engine;
use spyhop_engine::api::Options;

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
fn an_answer_never_comes_from_the_other_worktree() {
    let (tree, [first, second]) = two_worktrees();
    // A third without the others in its index: what sharing must not change.
    let alone = |engine: &Engine, name: &str| {
        let index_dir = Some(tree.index_dir().with_file_name(name));
        Engine::open(engine.root(), Options { index_dir, ..Options::default() }).unwrap()
    };
    let write =
        |engine: &Engine, path: &str, text: &str| std::fs::write(engine.root().join(path), text).unwrap();
    refresh(&first);
    refresh(&second);
    write(&first, "src/auth.rs", "pub fn only_in_first() {}\n");
    write(&second, "src/auth.rs", "pub fn only_in_second() {}\n");
    write(&second, "src/more.rs", "pub fn more_of_second() { only_in_second() }\n");
    std::fs::remove_file(second.root().join("docs/guide.md")).unwrap();
    for _ in 0..2 {
        assert_eq!(paths(&ask(&first, "only_in_first")), ["src/auth.rs"]);
        assert_eq!(paths(&ask(&first, "brewing")), ["docs/guide.md"]);
        assert_eq!(paths(&ask(&second, "only_in_second"))[0], "src/auth.rs");
        assert_eq!(paths(&ask(&second, "more_of_second"))[0], "src/more.rs");
        for (engine, absent) in [(&first, "more_of_second"), (&second, "brewing")] {
            assert_eq!(paths(&ask(engine, absent)).iter().filter(|path| path.contains("guide")).count(), 0);
        }
        for path in ["src/more.rs", "docs/guide.md"] {
            let there = |engine: &Engine| {
                let reply = ask(engine, "src docs guide more of");
                paths(&reply).contains(&path)
            };
            assert_eq!((there(&first), there(&second)), (path.contains("guide"), path.contains("more")));
        }
    }
    for (engine, name) in [(&first, "alone1"), (&second, "alone2")] {
        let alone = alone(engine, name);
        for query in ["only_in_first", "only_in_second", "secret", "circle", "brewing", "fn", "src"] {
            let (shared, alone) = (ask(engine, query), ask(&alone, query));
            assert_eq!(super::rendered(&shared), super::rendered(&alone), "{query}");
        }
    }
    // Going back to what the other one still holds parses nothing.
    let old = SMALL.split("src/auth.rs\n").nth(1).unwrap().split("\n===").next().unwrap();
    write(&first, "src/auth.rs", &format!("{old}\n"));
    refresh(&first);
    write(&second, "src/auth.rs", &format!("{old}\n"));
    assert_eq!(refresh(&second).parsed, 0);
    // A rebuild of one leaves the other an index to answer from, which it makes itself.
    first.rebuild(&|_| ()).unwrap();
    assert_eq!(paths(&ask(&second, "more_of_second"))[0], "src/more.rs");
    assert_eq!(paths(&ask(&first, "brewing")), ["docs/guide.md"]);
}
