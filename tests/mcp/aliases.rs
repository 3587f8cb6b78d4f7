//! Other names of tools: a recorded session that calls them with their parameters is answered again.

use serde_json::{Value, json};

use super::{Session, steady};
use crate::support::{SMALL, Tree};

/// The folder of the tree's index.
fn index_of(tree: &Tree) -> String {
    tree.json(&["status"])["index_path"].as_str().unwrap().to_string()
}

#[test]
fn another_index_of_the_root_answers() {
    let tree = Tree::new(SMALL);
    tree.run(&["index", "-q"]);
    tree.write("src/new.rs", "pub fn hoist_flag() {}\n");
    tree.run(&["index", "-q", "--index-dir", ".other/index"]);
    let other = tree.root().join(".other/index");
    // Neither index is compared with the tree, so they differ in what they know.
    let mut session = Session::start(tree.command().args(["mcp", "--no-refresh", "--require-index"]));
    let found = |data: Value| data["results"].as_array().unwrap().len();
    let asked = |db: Value| json!({ "query": "hoist_flag", "db": db });
    assert_eq!(found(session.data("code.search", json!({ "query": "hoist_flag" }))), 0);
    for db in [json!(other), json!(".other/index"), json!(other.join("."))] {
        assert_eq!(found(session.data("code.search", asked(db.clone()))), 1, "{db}");
        let batch = json!({ "queries": ["hoist_flag"], "db": db });
        assert_eq!(found(session.data("code.search_batch", batch)), 1, "{db}");
        let status = session.data("code.status", json!({ "db": db }));
        assert_eq!((&status["index_path"], &status["files"]), (&json!(other), &json!(4)), "{db}");
    }
    // The index of the server by its name is as good as none.
    let index = index_of(&tree);
    assert_eq!(found(session.data("code.search", asked(json!(index)))), 0);
    assert_eq!(session.data("code.status", json!({ "db": index })), session.data("index_status", json!({})));
    // With another revision as well.
    let message = session.call("code.search", json!({ "query": "hoist_flag", "db": other, "view": "gone" }));
    assert_eq!(message["result"]["isError"], true, "{message}");
}

#[test]
fn a_folder_without_an_index_of_the_root_is_refused_and_left_alone() {
    let tree = Tree::new(SMALL);
    let stranger = Tree::new(SMALL);
    stranger.run(&["index", "-q"]);
    std::fs::create_dir(tree.root().join("empty")).unwrap();
    let mut session = Session::new(&tree);
    let foreign = index_of(&stranger);
    for db in [&*foreign, "/etc/passwd", "/gone", "docs/guide.md", "empty", "src", "new"] {
        let whole = tree.root().join(db);
        for (tool, mut given) in [("code.search", json!({ "query": "circle" })), ("code.status", json!({}))] {
            given["db"] = json!(db);
            let message = session.call(tool, given);
            let text = message["result"]["content"][0]["text"].as_str().unwrap();
            let (shown, root) = (whole.display(), tree.root().display().to_string());
            let expected = format!("db '{shown}' holds no index of '{root}'");
            assert!(text.contains(&expected), "{text}");
            let how = format!("Run: spyhop index {root} --index-dir {shown}\nExpected index at: {shown}\n");
            assert!(text.starts_with(&how), "{text}");
            assert_eq!(message["result"]["structuredContent"]["kind"], "no-index", "{message}");
            assert_eq!(message["result"]["isError"], true, "{message}");
        }
    }
    assert!(!tree.root().join("new").exists());
    assert_eq!(std::fs::read_dir(tree.root().join("empty")).unwrap().count(), 0);
    for db in ["../index", "~/index", "C:\\index"] {
        let message = session.call("code.search", json!({ "query": "circle", "db": db }));
        assert_eq!(message["result"]["isError"], true, "{message}");
    }
    // Only those names take it.
    let message = session.call("codebase_search", json!({ "query": "circle", "db": foreign }));
    let text = message["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("codebase_search has no parameter 'db'"), "{text}");
}

#[test]
fn a_path_chooses_the_root_whose_state_is_told() {
    let (one, two) = (Tree::new(SMALL), Tree::new("\n=== lib/b.rs\npub fn hoist_flag() {}\n"));
    for tree in [&one, &two] {
        tree.run(&["index", "-q"]);
    }
    let mut command = one.command();
    command.args(["mcp"]).args([one.root(), two.root()]);
    two.run_in(".", &["index", "-q", "--index-dir", one.index_dir().join("two").to_str().unwrap()]);
    let mut session = Session::start(&mut command);
    let root = |session: &mut Session, given: Value| session.patient("code.status", given)["root"].take();
    assert_eq!(root(&mut session, json!({})), json!(one.root()));
    assert_eq!(root(&mut session, json!({ "path": "src" })), json!(one.root()));
    for path in [two.root(), two.root().join("lib"), two.root().join("lib/b.rs")] {
        assert_eq!(root(&mut session, json!({ "path": path })), json!(two.root()), "{path:?}");
    }
    // The server indexes the second root and begins to watch it meanwhile; what the calls say is compared after that.
    let mut by_root = Value::Null;
    for _ in 0..500 {
        by_root = session.data("index_status", json!({ "root": two.root() }));
        if by_root["indexing"].is_null() && by_root["watcher"].is_number() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(steady(session.data("code.status", json!({ "path": two.root() }))), steady(by_root));
    let other = session.data("code.status", json!({ "path": two.root(), "db": one.index_dir().join("two") }));
    assert_eq!((&other["root"], &other["files"]), (&json!(two.root()), &json!(1)));
    for path in ["gone", "/etc"] {
        let message = session.call("code.status", json!({ "path": path }));
        assert_eq!(message["result"]["isError"], true, "{message}");
    }
}

#[test]
fn a_tree_that_is_not_served_is_answered_with_how_to_index_and_serve_it() {
    let (tree, other) = (Tree::new(SMALL), Tree::new(SMALL));
    let mut session = Session::new(&tree);
    let root = tree.root().display().to_string();
    for path in [other.root().display().to_string(), "/no/such/tree".to_string()] {
        let how = format!("Run: spyhop index {path}\nThen serve the tree too: spyhop mcp {root} {path}\n");
        for (tool, mut given) in [
            ("code.search", json!({ "query": "circle" })),
            ("code.search_batch", json!({ "queries": ["circle"] })),
            ("code.status", json!({})),
        ] {
            given["path"] = json!(path);
            let message = session.call(tool, given);
            let text =
                message["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{message}"));
            assert!(text.starts_with(&how), "{text}");
            assert_eq!(message["result"]["structuredContent"]["kind"], "no-index", "{message}");
        }
    }
    // A spelling that leads out is refused as ever.
    let message = session.call("code.search", json!({ "query": "circle", "path": "../other" }));
    assert_eq!(message["result"]["structuredContent"]["kind"], "bad-request", "{message}");
}

#[test]
fn a_name_asks_the_question_that_it_says() {
    let tree = Tree::new("\n=== a.py\ndef take():\n    pass\n\ndef use():\n    take()\n\nnames = [take]\n");
    let mut session = Session::new(&tree);
    for (names, question) in [
        (&["who_calls", "get_callers", "find_callers"][..], "callers"),
        (&["get_callees", "find_callees"], "callees"),
        (&["find_implementations", "go_to_implementation"], "impls"),
        (&["goto_definition", "get_definition", "find_definition", "go_to_definition"], "def"),
        (&["find_usages", "get_references"], "refs"),
        (&["call_graph", "call_hierarchy"], "trace"),
    ] {
        for name in names {
            assert_eq!(session.data(name, json!({ "symbol": "take" }))["question"], question, "{name}");
        }
    }
    let lines = |data: Value| {
        let rows = data["results"].as_array().unwrap().iter();
        rows.map(|row| (row["path"].clone(), row["line"].clone(), row["relation"].clone()))
            .collect::<Vec<_>>()
    };
    let called = session.data("who_calls", json!({ "symbol": "take" }));
    assert_eq!(lines(called), lines(tree.json(&["callers", "take"])));
    // Places as editors and language servers give them.
    for place in [
        json!({ "path": "a.py", "line": 5, "column": 5 }),
        json!({ "uri": format!("file://{}/a.py", tree.root().display()), "line": 4, "character": 4 }),
        json!({ "symbol": "take", "file_path": "a.py" }),
    ] {
        let found = session.data("go_to_definition", place.clone());
        assert_eq!(found["definitions"][0]["line"], 1, "{place}: {found}");
    }
    let incoming = session.data("call_hierarchy", json!({ "symbol": "take", "direction": "incoming" }));
    assert_eq!(incoming["question"], "callers");
    let both = session.text("find_callees", json!({ "symbol": "use", "to": "take" }));
    assert!(both.contains("exclude each other"), "{both}");
}
