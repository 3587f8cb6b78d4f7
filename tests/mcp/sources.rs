//! Several sources of a library at once: the tools answer as `--in` does on a command line.

use serde_json::{Value, json};
use spyhop::Options;

use super::{Session, steady};
use crate::support::{Shelf, Tree};

/// Data without the times of comparisons in the snapshots of sources.
fn without_times(data: Value) -> Value {
    let mut data = steady(data);
    // Numbers of 32 bits are written in one form as text and in another as a value.
    let rows = data.get_mut("results").and_then(Value::as_array_mut).into_iter().flatten();
    rows.for_each(|row| _ = row.as_object_mut().unwrap().remove("confidence"));
    let sources = data.get_mut("sources").and_then(Value::as_array_mut).into_iter().flatten();
    sources.for_each(|source| {
        _ = source["snapshot"].as_object_mut().map(|snapshot| snapshot.remove("checked_at"))
    });
    data
}

#[test]
fn every_tool_that_takes_sources_answers_as_the_command_line_does() {
    let shelf = Shelf::new();
    let table: &[(&str, Value, &[&str])] = &[
        ("codebase_search", json!({ "query": "delay of a request" }), &["search", "delay of a request"]),
        ("search_batch", json!({ "queries": ["delay", "bucket"] }), &["search", "--queries", "delay|bucket"]),
        ("grep_files", json!({ "pattern": "request" }), &["grep", "request"]),
        ("file_search", json!({ "pattern": "" }), &["files"]),
        ("symbol_search", json!({ "pattern": "delay" }), &["symbols", "delay"]),
        ("project_map", json!({ "depth": 1 }), &["map", "--depth", "1"]),
        ("find_references", json!({ "target": "backoff_delay" }), &["refs", "backoff_delay"]),
        ("trace_symbol", json!({ "target": "backoff_delay" }), &["trace", "backoff_delay"]),
        ("read_file", json!({ "symbol": "backoff_delay" }), &["read", "--symbol", "backoff_delay"]),
        ("list_routes", json!({}), &["routes"]),
        ("list_commands", json!({}), &["commands"]),
        ("search_revision_memory", json!({ "query": "delay" }), &["memory", "search", "delay"]),
        ("file_imports", json!({ "question": "hubs" }), &["graph", "--hubs"]),
        ("get_context_pack", json!({ "task": "delay a request" }), &["pack", "delay", "a", "request"]),
        ("read_file", json!({ "path": "limits:src/retry.rs" }), &["read", "limits:src/retry.rs"]),
    ];
    // A file that is in one of the sources.
    let of_one: &[(&str, Value, &[&str])] = &[(
        "why_not",
        json!({ "file": "src/retry.rs", "query": "delay" }),
        &["why-not", "src/retry.rs", "delay"],
    )];
    let mut session = Session::new(&shelf.tree);
    let several = table.iter().map(|row| (row, &["all", "deps", "client,limits"][..]));
    let one = of_one.iter().map(|row| (row, &["limits"][..]));
    for ((tool, given, line), choices) in several.chain(one) {
        for names in choices {
            let mut asked = given.clone();
            asked["in"] = json!(names.split(',').collect::<Vec<_>>());
            let mut by_tool = session.data(tool, asked);
            if let Some(link) = by_tool.as_object_mut().unwrap().remove("link").filter(|_| *tool == "why_not")
            {
                let root =
                    shelf.library.engine("limits", Options::default()).unwrap().root().display().to_string();
                assert_eq!(link, format!("file://{root}/src/retry.rs#L1"));
            }
            let line = [*line, &["--in", names]].concat();
            assert_eq!(without_times(by_tool), without_times(shelf.tree.json(&line)), "{tool} {names}");
        }
    }
    let status = session.data("index_status", json!({ "in": ["deps"] }));
    assert_eq!(status["sources"][1]["source"]["name"], "pages", "{status}");
    let mut full = Session::start(shelf.tree.command().args(["mcp", "--profile", "full"]));
    let offered = full.ask("tools/list", json!({}));
    for tool in offered["result"]["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let takes_it = !tool["inputSchema"]["properties"]["in"].is_null();
        let is_of_no_source = ["tool_search", "touch", "verify_source"].contains(&name);
        assert_eq!(takes_it, !is_of_no_source && !name.starts_with("library"), "{name}");
    }
}

#[test]
fn an_agent_reads_where_a_hit_came_from() {
    let shelf = Shelf::new();
    let mut session = Session::new(&shelf.tree);
    let given = json!({ "query": "delay attempt request", "in": ["all"] });
    let message = session.call("codebase_search", given.clone());
    let text = message["result"]["content"][0]["text"].as_str().unwrap();
    let commit = shelf.library.show("limits").unwrap().commit.unwrap();
    assert!(text.contains("limits:src/retry.rs:2-4 rust fn backoff_delay"), "{text}");
    let limits = text.lines().find(|line| line.starts_with("source limits: git ")).unwrap();
    assert!(limits.contains(&format!(" v1 at {commit}, imported 20")), "{limits}");
    assert!(text.contains("3 sources of the library answered"), "{text}");
    let link = message["result"]["structuredContent"]["results"][0]["link"].as_str().unwrap();
    assert!(link.starts_with("file://"), "{link}");
    let mut lean = Session::start(shelf.tree.command().args(["mcp", "--structured", "lean"]));
    let data = lean.data("codebase_search", given);
    let commits = data["results"].as_array().unwrap().iter().map(|row| &row["source"]["commit"]);
    assert!(commits.into_iter().any(|listed| *listed == commit.as_str()), "{data}");
    assert!(data.get("sources").is_none(), "{data}");
}

#[test]
fn changes_of_the_library_are_seen_by_the_next_call() {
    let shelf = Shelf::new();
    let mut session = Session::new(&shelf.tree);
    let mut names = |given: &str| -> Vec<String> {
        let data = session.data("file_search", json!({ "pattern": "", "in": [given] }));
        let rows = data["results"].as_array().unwrap();
        let mut names: Vec<String> =
            rows.iter().map(|row| row["source"]["name"].as_str().unwrap().to_string()).collect();
        names.sort();
        names.dedup();
        names
    };
    assert_eq!(names("all"), ["client", "limits", "pages"]);
    let other = Tree::new("\n=== other.rs\npub fn other() {}\n");
    shelf.add("other", other.root().to_str().unwrap(), &["deps"]);
    assert_eq!(names("all"), ["client", "limits", "other", "pages"]);
    assert_eq!(names("deps"), ["limits", "other", "pages"]);
    shelf.library.remove("limits").unwrap();
    assert_eq!(names("all"), ["client", "other", "pages"]);
    shelf.library.rename("other", "renamed").unwrap();
    assert_eq!(names("deps"), ["pages", "renamed"]);
}

#[test]
fn requests_about_one_root_are_refused_with_sources() {
    let shelf = Shelf::new();
    let mut session = Session::new(&shelf.tree);
    let mut refused = |given: Value| -> String {
        let message = session.call("codebase_search", given);
        assert_eq!(message["result"]["isError"], true, "{message}");
        message["result"]["content"][0]["text"].as_str().unwrap().to_string()
    };
    let root = shelf.tree.root();
    let with_root = refused(json!({ "query": "a", "in": ["all"], "root": root.to_str().unwrap() }));
    assert!(with_root.contains("'root' is of one root"), "{with_root}");
    assert!(refused(json!({ "query": "a", "in": ["all"], "view": "main" })).contains("'view'"));
    assert!(refused(json!({ "query": "a", "in": ["nope"] })).contains("there is no source 'nope'"));
    assert!(refused(json!({ "query": "a", "in": ["all"], "path": "../x" })).contains("holds '..'"));
    assert!(refused(json!({ "query": "a", "in": ["all"], "path": "/etc" })).contains("is absolute"));
}

#[test]
fn several_roots_are_asked_as_one_by_the_names_of_their_folders() {
    let one = Tree::new("\n=== a/lamp.py\ndef light_lantern():\n    pass\n");
    let two = Tree::new("\n=== b/lamp.py\ndef light_lantern():\n    pass\n\nlight_lantern()\n");
    let mut command = one.command();
    let mut session = Session::start(command.arg("mcp").args([one.root(), two.root()]));
    session.patient("codebase_search", json!({ "query": "lantern", "root": two.root() }));
    // Both folders are named `tree`.
    let asked = |tool: &str, given: Value, names: Value| {
        let mut given = given;
        given["in"] = names;
        (tool.to_string(), given)
    };
    let rows = |data: &Value| {
        let rows = data["results"].as_array().unwrap().iter();
        let place = |row: &Value| {
            format!("{}:{}", row["source"]["name"].as_str().unwrap(), row["path"].as_str().unwrap())
        };
        rows.map(place).collect::<Vec<_>>()
    };
    for (tool, given) in [
        asked("codebase_search", json!({ "query": "light lantern" }), json!(["tree", "tree-2"])),
        asked("symbol_search", json!({ "pattern": "light_lantern" }), json!("tree,tree-2")),
        asked("grep_files", json!({ "pattern": "def light" }), json!("[\"tree\", \"tree-2\"]")),
    ] {
        let mut found = rows(&session.data(&tool, given));
        found.sort();
        found.dedup();
        assert_eq!(found, ["tree-2:b/lamp.py", "tree:a/lamp.py"], "{tool}");
    }
    let only = session.data("codebase_search", json!({ "query": "light lantern", "in": "tree-2" }));
    assert!(rows(&only).iter().all(|row| row == "tree-2:b/lamp.py") && !rows(&only).is_empty(), "{only}");
    let mixed = session.text("codebase_search", json!({ "query": "lantern", "in": ["tree", "client"] }));
    assert!(mixed.contains("'client' is none of tree, tree-2"), "{mixed}");
}
