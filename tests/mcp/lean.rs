//! The default structured content has nothing that the text has too, and weak hits are a line each.

use serde_json::{Value, json};

use super::Session;
use crate::support::{SMALL, Tree};

fn lean(tree: &Tree) -> Session {
    tree.run(&["index", "-q"]);
    Session::start(tree.command().args(["mcp", "--structured", "lean"]))
}

#[test]
fn lean_content_has_places_and_no_text() {
    let tree = Tree::new(SMALL);
    let names = |row: &Value| row.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    let mut session = lean(&tree);
    let reply = session.data("codebase_search", json!({ "query": "circle" }));
    assert_eq!(names(&reply["results"][0]), "band end_line kind language line link path score stale symbol");
    let text = session.text("codebase_search", json!({ "query": "circle" }));
    assert!(text.contains("return canvas.arc(radius)") && text.contains("why:"), "{text}");
    let reply = session.data("grep_files", json!({ "pattern": "circle" }));
    assert_eq!(names(&reply["results"][0]), "column line link path");
    let reply = session.data("read_file", json!({ "path": "src/paint.py" }));
    assert!(reply.get("text").is_none() && reply["total_lines"] == 3, "{reply}");
    // An error says as much as before.
    let message = session.call("read_file", json!({ "path": "src/pant.py" }));
    let data = &message["result"]["structuredContent"];
    assert_eq!(data["kind"], "not-found");
    assert!(data["error"].as_str().unwrap().contains("'src/paint.py'"), "{data}");
}

#[test]
fn weak_hits_are_a_line_each() {
    let file = |number: usize| {
        format!(
            "\n=== part{number:02}/lamp.rs\npub fn light_{number:02}() {{\n    let lantern = {number};\n}}\n"
        )
    };
    let tree = Tree::new(&(0..12).map(file).collect::<String>());
    let mut session = lean(&tree);
    const QUERY: &str = "which lantern is broken when nobody pours water";
    let asked = json!({ "query": QUERY });
    let reply = session.data("codebase_search", asked.clone());
    let rows = reply["results"].as_array().unwrap();
    let weak = rows.iter().skip(3).filter(|row| row["band"] == "weak").count();
    assert!(weak > 0, "{reply}");
    let text = session.text("codebase_search", asked);
    assert!(text.contains(&format!("\n{weak} weak hits without reasons and code")), "{text}");
    assert_eq!(text.matches("why:").count(), rows.len() - weak, "{text}");
    for row in rows {
        assert!(text.contains(&format!("{}:", row["path"].as_str().unwrap())), "{text}");
    }
    let whole = session.text("codebase_search", json!({ "query": QUERY, "mode": "debug" }));
    assert_eq!(whole.matches("why:").count(), rows.len(), "{whole}");
}
