//! The default structured content has the snippet and the reasons of each hit, and else nothing that the text has too; weak
//! hits are a line each.

use serde_json::{Value, json};

use super::Session;
use crate::support::{SMALL, Tree};

fn lean(tree: &Tree) -> Session {
    tree.run(&["index", "-q"]);
    Session::start(tree.command().args(["mcp", "--structured", "lean"]))
}

#[test]
fn lean_content_has_places_snippets_and_reasons() {
    let tree = Tree::new(SMALL);
    let names = |row: &Value| row.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    let mut session = lean(&tree);
    let reply = session.data("codebase_search", json!({ "query": "circle" }));
    let expected =
        "band end_line kind language line link path reasons score snippet snippet_line stale symbol";
    assert_eq!(names(&reply["results"][0]), expected);
    assert!(
        reply["results"][0]["snippet"].as_str().unwrap().contains("return canvas.arc(radius)"),
        "{reply}"
    );
    let reasons = reply["results"][0]["reasons"].as_array().unwrap();
    assert!(reasons.iter().all(|reason| reason["text"].is_string()) && !reasons.is_empty(), "{reply}");
    let text = session.text("codebase_search", json!({ "query": "circle" }));
    assert!(text.contains("return canvas.arc(radius)") && text.contains("why:"), "{text}");
    assert!(text.starts_with("src/paint.py:1-3 python fn draw_circle 0."), "{text}");
    assert!(text.contains(" for: circle\n"), "{text}");
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
    let message = session.call("codebase_search", asked);
    let (reply, text) = (&message["result"]["structuredContent"], &message["result"]["content"][0]["text"]);
    let (rows, text) = (reply["results"].as_array().unwrap(), text.as_str().unwrap());
    let weak = rows.iter().skip(3).filter(|row| row["band"] == "weak").count();
    assert!(weak > 0, "{reply}");
    assert!(text.contains(&format!("\n{weak} weak hits without code")), "{text}");
    assert_eq!(text.matches("\n  why:").count(), rows.len() - weak, "{text}");
    // The text says of each hit, weak or not, where it is, in which language, how well it matches and why; the data too.
    for row in rows {
        let [path, language, kind, symbol] =
            ["path", "language", "kind", "symbol"].map(|name| row[name].as_str().unwrap());
        let (line, end, score) = (&row["line"], &row["end_line"], row["score"].as_f64().unwrap());
        let heading = format!("{path}:{line}-{end} {language} {kind} {symbol} {score:.2}");
        let (_, said) = text.split_once(&heading).unwrap_or_else(|| panic!("{heading} in {text}"));
        let mut said = said.lines();
        // `: reason` on the line of a weak hit, else the band, and the reasons below.
        let first = said.next().unwrap().strip_prefix(": ").or_else(|| said.next()?.strip_prefix("  why: "));
        let first = first.unwrap_or_else(|| panic!("{heading} has no reason in {text}"));
        let first = first.split(';').next().unwrap().trim_end_matches('…');
        let reasons = row["reasons"].as_array().unwrap();
        let word = first.split_whitespace().last().unwrap().trim_end_matches(',');
        let is_said = |reason: &Value| reason["text"].as_str().unwrap().contains(word);
        assert!(reasons.iter().any(is_said), "{first}: {row}");
        assert!(row["snippet"].is_string(), "{row}");
    }
    assert!(text.contains(&format!(" for: {QUERY}\n")), "{text}");
    // In mode compact every hit is a line.
    let compact = session.text("codebase_search", json!({ "query": QUERY, "mode": "compact" }));
    let is_hit = |line: &&str| line.starts_with("part");
    assert_eq!(compact.lines().take_while(is_hit).count(), rows.len(), "{compact}");
    let whole = session.text("codebase_search", json!({ "query": QUERY, "mode": "debug" }));
    assert_eq!(whole.matches("why:").count(), rows.len(), "{whole}");
}
