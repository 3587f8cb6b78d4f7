//! What is left out and brought back: rules that change between refreshes, and repositories inside of others.

use spyhop::engine::Engine;
use spyhop::engine::api::Options;

use super::{Tree, ask, open, options, paths, refresh};

/// The rows of what is left out, in short.
fn left_out(engine: &Engine) -> Vec<String> {
    let entries = engine.skipped().unwrap().entries;
    entries.iter().map(|entry| format!("{} {}", entry.path, entry.reason.name())).collect()
}

#[test]
fn what_size_and_looks_keep_out_comes_back_when_it_is_asked_for() {
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
    assert_eq!(ask(&engine, "large_whale").total, 0);
}

#[test]
fn rules_are_switched_off_by_options() {
    let tree = Tree::new(
        "\n=== a.rs\nfn a() {}\n=== .gitignore\n*.log\n=== b.log\nignored_bird\n=== c.plist\nfine_leaf\n",
    );
    let with = |options: Options| {
        let engine = Engine::open(tree.root(), options).unwrap();
        refresh(&engine);
        left_out(&engine)
    };
    let hidden = ".gitignore hidden";
    assert_eq!(with(options(&tree)), [hidden, "b.log ignored", "c.plist built-in"]);
    assert_eq!(with(Options { no_ignore: true, ..options(&tree) }), [hidden, "c.plist built-in"]);
    assert_eq!(with(Options { no_built_in: true, ..options(&tree) }), [hidden, "b.log ignored"]);
}
