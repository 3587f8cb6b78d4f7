//! Other revisions than what is checked out: the tools answer as `--view` does on a command line, and say as clearly what
//! is no revision.

use serde_json::{Value, json};

use super::{Session, steady};
use crate::support::{SMALL, Tree};

/// A repository whose branch `topic` has a file more than `main`, which is checked out.
fn repository() -> Tree {
    let tree = Tree::new(SMALL);
    tree.write(".gitignore", "*.log\n");
    tree.git(&["init", "-q", "-b", "main"]);
    tree.commit();
    tree.git(&["checkout", "-q", "-b", "topic"]);
    tree.write("boats/oar.rs", "/// Rows the boat.\npub fn row_the_boat() {}\n");
    std::fs::remove_file(tree.root().join("docs/guide.md")).unwrap();
    tree.write("trace.log", "left out\n");
    tree.git(&["add", "-f", "trace.log"]);
    tree.commit();
    tree.git(&["checkout", "-q", "main"]);
    tree
}

fn without(mut data: Value, names: &[&str]) -> Value {
    names.iter().for_each(|name| _ = data.as_object_mut().unwrap().remove(*name));
    data
}

#[test]
fn every_tool_that_takes_a_view_answers_as_the_command_line_does() {
    let tree = repository();
    let mut session = Session::new(&tree);
    // A note about a file that only the view has.
    tree.git(&["checkout", "-q", "topic"]);
    tree.run(&["memory", "add", "Row the boat slowly", "--link", "boats/oar.rs#row_the_boat"]);
    tree.git(&["checkout", "-q", "main"]);
    let table: &[(&str, Value, &[&str])] = &[
        ("codebase_search", json!({ "query": "rows the boat" }), &["search", "rows the boat"]),
        ("codebase_search", json!({ "query": "beans" }), &["search", "beans"]),
        (
            "codebase_search",
            json!({ "query": "the", "path": "boats" }),
            &["search", "the", "--path", "boats"],
        ),
        ("search_batch", json!({ "queries": ["boat", "circle"] }), &["search", "--queries", "boat|circle"]),
        ("grep_files", json!({ "pattern": "boat" }), &["grep", "boat"]),
        ("grep_files", json!({ "pattern": "beans" }), &["grep", "beans"]),
        ("file_search", json!({ "pattern": "" }), &["files"]),
        ("symbol_search", json!({ "pattern": "oar" }), &["symbols", "oar"]),
        ("project_map", json!({ "depth": 1 }), &["map", "--depth", "1"]),
        ("read_file", json!({ "path": "boats/oar.rs" }), &["read", "boats/oar.rs"]),
        ("skipped_files", json!({}), &["skipped"]),
        ("why_not", json!({ "file": "boats/oar.rs", "query": "boat" }), &["why-not", "boats/oar.rs", "boat"]),
        ("search_revision_memory", json!({ "query": "row the boat" }), &["memory", "search", "row the boat"]),
        ("find_references", json!({ "target": "row_the_boat" }), &["refs", "row_the_boat"]),
        ("trace_symbol", json!({ "target": "row_the_boat" }), &["trace", "row_the_boat"]),
        ("impact", json!({ "target": "boats/oar.rs" }), &["impact", "boats/oar.rs"]),
        ("list_routes", json!({}), &["routes"]),
        ("list_commands", json!({}), &["commands"]),
        ("file_imports", json!({}), &["graph", "--hubs"]),
    ];
    for (tool, given, line) in table {
        let mut asked = given.clone();
        asked["view"] = "topic".into();
        let line = [*line, &["--view", "topic"]].concat();
        // Each in a separate session: what a session was shown weighs in its next question.
        let by_tool = Session::start(tree.command().arg("mcp")).data(tool, asked);
        assert!(!by_tool.to_string().contains("file://"), "the worktree is not what was searched: {by_tool}");
        let by_tool = match *tool {
            "skipped_files" => without(by_tool, &["next", "total"]),
            _ => by_tool,
        };
        assert_eq!(steady(by_tool), steady(tree.json(&line)), "{tool} {given}");
    }
    let mut full = Session::start(tree.command().args(["mcp", "--profile", "full"]));
    let offered = full.ask("tools/list", json!({}));
    for tool in offered["result"]["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let takes_it = !tool["inputSchema"]["properties"]["view"].is_null();
        assert_eq!(takes_it, table.iter().any(|(other, ..)| *other == name), "{name}");
    }
    // The worktree is as it was, and answers as before.
    assert_eq!(session.data("grep_files", json!({ "pattern": "boat" }))["total_lines"], 0);
    let first = session.data("codebase_search", json!({ "query": "beans" }))["results"][0].take();
    assert_eq!(first["path"], "docs/guide.md");
    assert!(first["link"].as_str().unwrap().starts_with("file://"), "{first}");
    assert_eq!(session.end(), 0);
}
