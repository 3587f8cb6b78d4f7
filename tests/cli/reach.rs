//! Every operation can be asked from every face, or the reason why not is listed.

use std::path::Path;

use serde_json::Value;
use spyhop_engine::{Operation, for_each_operation};
use spyhop_interface::catalog::tools::tool;
use spyhop_interface::operations::{ListedOperation, MEMORY_OPERATIONS, OPERATIONS};

/// Where a face has an operation, or why it has none.
type Reached = Result<&'static str, &'static str>;

const READS_ONLY: Reached = Err("the HTTP interface changes nothing");
const FOR_PEOPLE: Reached = Err("agents have no use for a check of every byte or a list of parsers");

/// The operations with their command, their tool and their path.
const FACES: &[(&str, Reached, Reached, Reached)] = &[
    ("search", Ok("search"), Ok("codebase_search"), Ok("search")),
    ("search_batch", Ok("search"), Ok("search_batch"), Err("the page asks one query at a time")),
    ("grep", Ok("grep"), Ok("grep_files"), Ok("grep")),
    ("files", Ok("files"), Ok("file_search"), Ok("files")),
    ("symbols", Ok("symbols"), Ok("symbol_search"), Ok("symbols")),
    ("map", Ok("map"), Ok("project_map"), Ok("map")),
    ("read", Ok("read"), Ok("read_file"), Ok("read")),
    ("graph", Ok("callers"), Ok("find_references"), Ok("callers")),
    ("entries", Ok("routes"), Ok("list_routes"), Ok("routes")),
    ("file_graph", Ok("graph"), Ok("file_imports"), Ok("graph")),
    ("pack", Ok("pack"), Ok("get_context_pack"), Ok("pack")),
    ("why_not", Ok("why-not"), Ok("why_not"), Ok("why-not")),
    ("skipped", Ok("skipped"), Ok("skipped_files"), Ok("skipped")),
    ("explain_skips", Ok("skipped"), Err("`skipped_files` gives the rule of each entry"), Ok("skipped")),
    ("status", Ok("status"), Ok("index_status"), Ok("status")),
    ("views", Ok("views"), Ok("list_views"), Ok("views")),
    ("doctor", Ok("doctor"), FOR_PEOPLE, Ok("doctor")),
    ("languages", Ok("languages"), FOR_PEOPLE, Ok("languages")),
    ("search_notes", Ok("memory search"), Ok("search_revision_memory"), Ok("memory/search")),
    ("list_notes", Ok("memory list"), Ok("list_revisions"), Ok("memory/list")),
    ("show_note", Ok("memory show"), Err("`list_revisions` gives whole notes"), Ok("memory/show")),
    ("add_note", Ok("memory add"), Ok("record_revision"), READS_ONLY),
    ("verify_note", Ok("memory verify"), Ok("verify_revision"), READS_ONLY),
    ("retire_note", Ok("memory retire"), Ok("retire_revision"), READS_ONLY),
];

macro_rules! names {
    ($($request:ident),+ $(,)?) => {
        [$(spyhop_engine::api::$request::NAME),+]
    };
}

#[test]
fn every_operation_is_reachable_from_every_face() {
    let names = for_each_operation!(names);
    assert_eq!(FACES.iter().map(|row| row.0).collect::<Vec<_>>(), names);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let paths = std::fs::read_to_string(root.join("docs/openapi.json")).unwrap();
    let paths: Value = serde_json::from_str(&paths).unwrap();
    let python = std::fs::read_to_string(root.join("python/package/spyhop/_engine.py")).unwrap();
    let commands: Vec<&str> = OPERATIONS
        .iter()
        .chain(MEMORY_OPERATIONS)
        .map(|listed: &ListedOperation| listed.row().name)
        .collect();
    for (name, command, own_tool, path) in FACES {
        // The package has every operation, with the class of its reply.
        assert!(python.contains(&format!("\n    \"{name}\": ")), "{name} in Python");
        for (face, reached) in [("command", command), ("tool", own_tool), ("path", path)] {
            let is_there = |at| match face {
                "command" => commands.contains(&at),
                "tool" => tool(at).is_some(),
                _ => !paths["paths"][format!("/api/v1/{at}")].is_null(),
            };
            match reached {
                Ok(at) => assert!(is_there(at), "{face} {at} of {name}"),
                Err(reason) => assert!(reason.len() > 20, "{face} of {name}: {reason}"),
            }
        }
    }
}
