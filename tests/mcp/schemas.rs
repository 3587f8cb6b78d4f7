//! The structured results of tools against their published schemas, `docs/tool-schemas.json`.
//!
//! The tests of the official clients in `tests/clients` validate by the same file.

use serde_json::{Value, json};
use spyhop_interface::catalog::tools::TOOLS;
use spyhop_interface::render::agent;

use super::Session;
use crate::serve::definitions;
use crate::serve::schema::faults;
use crate::support::{SMALL, Tree, golden};

#[test]
fn the_published_schemas_are_those_of_the_replies() {
    let text = serde_json::to_string_pretty(&definitions::of_tools()).unwrap() + "\n";
    golden("docs/tool-schemas.json", &text);
}

/// What is asked of each tool that has a schema.
fn asked() -> Vec<(&'static str, Value)> {
    let target = || json!({ "target": "resolve_api_key" });
    vec![
        ("codebase_search", json!({ "query": "secret of a provider" })),
        ("codebase_search", json!({ "query": "circle", "mode": "debug", "max_results": 1 })),
        ("search_batch", json!({ "queries": ["secret", "draw_circle"] })),
        ("grep_files", json!({ "pattern": "circle", "max_results": 1 })),
        ("file_search", json!({ "pattern": "*.rs" })),
        ("symbol_search", json!({ "pattern": "circle" })),
        ("project_map", json!({ "path": "src" })),
        ("read_file", json!({ "path": "src/paint.py", "lines": "2-3" })),
        ("read_file", json!({ "symbol": "resolve_api_key" })),
        ("find_references", target()),
        ("trace_symbol", target()),
        ("impact", target()),
        ("file_imports", json!({ "question": "orphans" })),
        ("list_routes", json!({})),
        ("list_commands", json!({})),
        ("get_context_pack", json!({ "task": "draw_circle", "budget": 500 })),
        ("why_not", json!({ "file": "src/paint.py", "query": "circle" })),
        ("skipped_files", json!({})),
        ("index_status", json!({})),
        ("list_views", json!({})),
        ("record_revision", json!({ "text": "A circle needs a radius", "links": ["src/paint.py"] })),
        ("search_revision_memory", json!({ "query": "circle" })),
        ("list_revisions", json!({})),
        ("library", json!({})),
        ("library_status", json!({})),
    ]
}

#[test]
fn every_structured_result_is_as_its_schema_says() {
    let tree = Tree::new(SMALL);
    tree.run(&["index", "-q"]);
    let document = definitions::of_tools();
    let mut session = Session::start(tree.command().args(["mcp", "--structured", "full", "--allow-memory"]));
    let asked = asked();
    for (tool, given) in &asked {
        let message = session.call(tool, given.clone());
        assert_ne!(message["result"]["isError"], true, "{message}");
        let data = &message["result"]["structuredContent"];
        assert_eq!(faults(&document, &document["tools"][tool], data), Vec::<String>::new(), "{tool}");
    }
    // By default, fields that the text has too are left out, which no schema requires.
    let mut lean = Session::start(tree.command().arg("mcp"));
    for (tool, given) in
        asked.iter().filter(|(tool, _)| !tool.ends_with("_revision") && *tool != "list_revisions")
    {
        let data = &lean.call(tool, given.clone())["result"]["structuredContent"];
        let faults = faults(&document, &document["tools"][tool], data);
        assert_eq!(faults, Vec::<String>::new(), "{tool}: {data}");
    }
    // Until the first index is there, a tool that asks it says so.
    let data = agent::indexing(&tree.root(), None).data;
    assert_eq!(faults(&document, &document["tools"]["impact"], &data), Vec::<String>::new(), "{data}");
    // Every tool that only reads has a schema, but for those that answer about themselves.
    let schemas = document["tools"].as_object().unwrap();
    let without: Vec<&str> = TOOLS
        .iter()
        .filter(|tool| tool.read_only && !schemas.contains_key(tool.name))
        .map(|tool| tool.name)
        .collect();
    assert_eq!(without, ["tool_search", "verify_source"]);
    for name in schemas.keys() {
        let is_asked = asked.iter().any(|(tool, _)| tool == name);
        assert!(is_asked || ["verify_revision", "retire_revision"].contains(&name.as_str()), "{name}");
    }
}
