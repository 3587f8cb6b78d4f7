//! What is left out and brought back: rules that change between refreshes, and repositories inside of others.

use spyhop_engine::Engine;
use spyhop_engine::api::SkippedRequest;

use super::{Tree, ask, open, paths, refresh};
use crate::support::git;

/// The rows of what is left out, in short.
fn left_out(engine: &Engine) -> Vec<String> {
    let entries = engine.ask(&SkippedRequest::default()).unwrap().entries;
    entries.iter().map(|entry| format!("{} {}", entry.path, entry.reason.name())).collect()
}

#[test]
fn files_excluded_by_size_and_content_can_be_requested() {
    let tree = Tree::new("\n=== a.rs\nfn small_fish() {}\n");
    let filler = "// filler\n".repeat(120_000);
    tree.write("big.rs", format!("fn large_whale() {{}}\n{filler}"));
    tree.write("app.js", format!("function shrunken_head(){{}}{}", "a();".repeat(3_000)));
    tree.write("app.min.js", "function tiny_cell(){}");
    let engine = open(&tree);
    let out = ["app.js minified", "app.min.js built-in", "big.rs too-large"];
    assert_eq!(refresh(&engine).added, 3);
    assert_eq!(left_out(&engine), out);

    tree.write(".spyhopignore", "!big.rs\n!*.js\n");
    let report = refresh(&engine);
    assert_eq!((report.added, report.changed), (1, 2));
    assert_eq!(left_out(&engine), [".spyhopignore hidden"]);
    for (query, path) in [("large_whale", "big.rs"), ("shrunken_head", "app.js"), ("tiny_cell", "app.min.js")]
    {
        let reply = ask(&engine, query);
        assert_eq!(paths(&reply), [path]);
        assert!(reply.results[0].snippet.is_some() && !reply.results[0].stale, "{path}");
    }
    let again = refresh(&engine);
    assert_eq!((again.added, again.changed, again.parsed, again.generation), (0, 0, 0, report.generation));

    // Nothing about the files themselves has changed either way.
    std::fs::remove_file(tree.root().join(".spyhopignore")).unwrap();
    let report = refresh(&engine);
    assert_eq!((report.deleted, report.changed), (1, 2));
    assert_eq!(left_out(&engine), out);
    // Its text is not ranked: a word of it finds nothing, and a literal finds the line.
    assert_eq!(ask(&engine, "where is the large one").total, 0);
    let reply = ask(&engine, "large_whale");
    assert_eq!((paths(&reply), reply.results[0].symbol.as_deref()), (vec!["big.rs"], None));
}

#[test]
fn a_file_that_git_tracks_and_ignores_is_indexed() {
    let tree =
        Tree::new("\n=== bin/release.py\ndef tally_fish(): pass\n=== bin/other.py\ndef weigh_fish(): pass\n");
    tree.write(".gitignore", "bin/\n");
    tree.git(&["init", "-q"]);
    let engine = open(&tree);
    assert_eq!(refresh(&engine).added, 0);
    tree.git(&["add", "-f", "bin/release.py"]);
    assert_eq!(refresh(&engine).added, 1);
    assert_eq!(paths(&ask(&engine, "tally_fish")), ["bin/release.py"]);
    assert_eq!(left_out(&engine), [".gitignore hidden", "bin/other.py ignored"]);
    tree.git(&["rm", "-q", "--cached", "bin/release.py"]);
    assert_eq!(refresh(&engine).deleted, 1);
    assert_eq!(left_out(&engine), [".gitignore hidden", "bin ignored"]);
}

/// A file that is indexed by lines alone is said to be so, with the reason.
#[test]
fn files_that_are_not_parsed_are_listed() {
    let tree = Tree::new("\n=== a.rs\nfn shallow_pool() {}\n");
    tree.write("deep.rs", format!("fn deep_trench() {{ {} }}", "(".repeat(100_000)));
    let engine = open(&tree);
    assert_eq!(refresh(&engine).added, 2);
    assert_eq!(left_out(&engine), ["deep.rs too-deep"]);
}

#[test]
fn repositories_inside_are_indexed_once_under_their_rules() {
    let tree = Tree::new("\n=== a.rs\nfn outer_reef() {}\n");
    tree.write("nested/n.rs", "fn nested_shell() {}\n");
    tree.write("nested/.gitignore", "*.log\n");
    tree.write("nested/z.log", "noise\n");
    // What will be a submodule lies outside the tree.
    let library = tree.index_dir().with_file_name("library");
    std::fs::create_dir(&library).unwrap();
    std::fs::write(library.join("m.rs"), "fn in_module() {}\n").unwrap();
    for folder in [&library, &tree.root().join("nested")] {
        git(folder, &["init", "-q"]);
        git(folder, &["add", "."]);
        git(folder, &["commit", "-qm", "first"]);
    }
    tree.git(&["init", "-q"]);
    tree.git(&["add", "a.rs"]);
    tree.git(&["submodule", "--quiet", "add", library.to_str().unwrap(), "module"]);
    tree.git(&["commit", "-qm", "first"]);
    tree.git(&["worktree", "add", "-q", "beside"]);

    let engine = open(&tree);
    assert_eq!(refresh(&engine).added, 3);
    assert_eq!(paths(&ask(&engine, "in_module")), ["module/m.rs"]);
    assert_eq!(paths(&ask(&engine, "nested_shell")), ["nested/n.rs"]);
    assert_eq!(paths(&ask(&engine, "outer_reef")), ["a.rs"]);
    assert!(left_out(&engine).contains(&"beside built-in".to_string()), "{:?}", left_out(&engine));
    assert!(left_out(&engine).contains(&"nested/z.log ignored".to_string()), "{:?}", left_out(&engine));
}
