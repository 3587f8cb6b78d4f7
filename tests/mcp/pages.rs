//! Budgets and pages: what does not fit comes next, and nothing comes twice or is lost.

use serde_json::{Value, json};
use spyhop_interface::render::agent;

use super::Session;
use crate::support::{SMALL, Tree};

/// Forty files that all answer, each with a function long enough to be shown with code.
fn forty() -> Tree {
    let file = |number: usize| {
        let body: String = (0..12).map(|line| format!("    let lantern_{line} = {number};\n")).collect();
        format!(
            "\n=== part{number:02}/lamp.rs\n/// Lights lantern {number}.\npub fn light_{number:02}() {{\n{body}}}\n"
        )
    };
    Tree::new(&(0..40).map(file).collect::<String>())
}

fn keys(reply: &Value, list: &str) -> Vec<String> {
    reply[list].as_array().unwrap().iter().map(|row| format!("{}:{}", row["path"], row["line"])).collect()
}

/// The rows of all pages of a call, each page within a budget of tokens, and the number of pages.
fn paged(
    session: &mut Session,
    tool: &str,
    mut given: Value,
    list: &str,
    budget: usize,
) -> (Vec<String>, usize) {
    given["max_tokens"] = budget.into();
    let (mut seen, mut pages) = (Vec::new(), 0);
    loop {
        let message = session.call(tool, given.clone());
        let text = message["result"]["content"][0]["text"].as_str().unwrap();
        assert!(agent::tokens(text) <= budget, "{tool}, {budget}: {}\n{text}", agent::tokens(text));
        let page = &message["result"]["structuredContent"];
        seen.extend(keys(page, list));
        pages += 1;
        match page["next"].as_str() {
            Some(next) => assert!(text.contains(&format!("next: {next}\n")), "{text}"),
            None => return (seen, pages),
        }
        given["cursor"] = page["next"].clone();
    }
}

#[test]
fn pages_that_fit_join_to_the_whole() {
    let tree = forty();
    let mut session = Session::new(&tree);
    let whole = session
        .data("codebase_search", json!({ "query": "light lantern", "limit": 50, "max_tokens": 100000 }));
    let whole = keys(&whole, "results");
    assert_eq!(whole.len(), 40);
    for budget in [300, 700, 4000] {
        // What a page showed weighs in later questions, and not in the further pages of the same search.
        let mut session = Session::start(tree.command().arg("mcp"));
        let given = json!({ "query": "light lantern", "limit": 50 });
        let (seen, pages) = paged(&mut session, "codebase_search", given, "results", budget);
        assert_eq!(seen, whole, "{budget}");
        assert!(pages > 1 || budget == 4000, "{pages}");
    }
}

#[test]
fn lines_and_files_come_in_pages_and_a_map_is_made_to_fit() {
    let tree = forty();
    let mut session = Session::new(&tree);
    for (tool, given) in [
        ("grep_files", json!({ "pattern": "lantern_[37]", "max_results": 1000, "expand": 1 })),
        ("file_search", json!({ "pattern": "**/*.rs", "max_results": 1000 })),
    ] {
        let mut asked = given.clone();
        asked["max_tokens"] = 100_000.into();
        let whole = keys(&session.data(tool, asked.clone()), "results");
        assert!(whole.len() >= 40, "{whole:?}");
        let (seen, pages) = paged(&mut session, tool, given, "results", 300);
        assert_eq!(seen, whole, "{tool}");
        assert!(pages > 1);
    }
    let text = session.text("project_map", json!({ "max_tokens": 200, "depth": 5 }));
    assert!(agent::tokens(&text) <= 200 && text.starts_with(".: 40 files, "), "{text}");
    assert!(text.contains("not everything"), "{text}");
}

#[test]
fn a_page_behind_the_last_one_says_how_many_there_are() {
    let tree = forty();
    let mut session = Session::new(&tree);
    for (tool, given) in [
        ("codebase_search", json!({ "query": "light lantern" })),
        ("file_search", json!({ "pattern": "*.rs" })),
        ("symbol_search", json!({ "pattern": "light" })),
    ] {
        let mut behind = given.clone();
        behind["cursor"] = "g1-99999999".into();
        let text = session.text(tool, behind);
        assert!(
            text.starts_with("No further results for: ") && text.contains("(40 in all)"),
            "{tool}: {text}"
        );
    }
}

#[test]
fn a_hit_that_is_too_long_by_itself_is_cut_within() {
    let body: String = (0..400).map(|line| format!("    let lantern_{line} = {line};\n")).collect();
    let tree = Tree::new(&format!("\n=== lamp.rs\npub fn light() {{\n{body}}}\n"));
    let mut session = Session::new(&tree);
    let given = json!({ "query": "light", "mode": "debug", "max_tokens": 200, "limit": 1 });
    let text = session.text("codebase_search", given);
    assert!(agent::tokens(&text) <= 200, "{text}");
    assert!(text.starts_with("lamp.rs:") && text.contains("… cut: raise max_tokens\n"), "{text}");
}

#[test]
fn the_data_of_a_hit_is_as_bounded_as_its_text() {
    let body: String = (0..900).map(|line| format!("    let lantern_{line} = {line};\n")).collect();
    let tree = Tree::new(&format!("\n=== lamp.rs\npub fn light() {{\n{body}}}\n"));
    let mut session = Session::start(tree.command().arg("mcp"));
    let given = json!({ "query": "light", "expand": 900, "max_tokens": 1000, "limit": 3 });
    let message = session.call("codebase_search", given);
    let data = &message["result"]["structuredContent"];
    let snippet = data["results"][0]["snippet"].as_str().unwrap();
    assert!(snippet.len() <= 4_000 && snippet.lines().count() > 50, "{}", snippet.len());
    assert!(data.to_string().len() < 8_000, "{}", data.to_string().len());
    let whole = json!({ "query": "light", "expand": 900, "max_tokens": 10_000, "limit": 3 });
    assert!(session.data("codebase_search", whole)["results"][0]["snippet"].as_str().unwrap().len() > 20_000);
}

#[test]
fn no_text_is_above_the_least_budget() {
    let uses: String = (0..60)
        .map(|use_| format!("def lantern_{use_}(pole):\n    light()\n    pole.light()\n\n\n"))
        .collect();
    let tree = Tree::new(&format!(
        "\n=== lamp.py\ndef light():\n    return 1\n=== use.py\nfrom lamp import light\n\n\n{uses}=== test_lamp.py\nfrom lamp import light\n\n\n\
         def test_light():\n    assert light() == 1\n"
    ));
    tree.git(&["init", "-q"]);
    tree.commit();
    tree.write("lamp.py", "def light():\n    return 2\n");
    for number in 0..8 {
        tree.write(
            &format!("new/{}{number}.py", "a_lantern_that_nobody_tracks_".repeat(3)),
            "def new():\n    pass\n",
        );
    }
    let mut session = Session::new(&tree);
    for (tool, given) in [
        ("impact", json!({ "diff": "HEAD" })),
        ("impact", json!({ "target": "light" })),
        ("impact", json!({ "target": "lamp.py" })),
        ("find_references", json!({ "target": "light" })),
        ("trace_symbol", json!({ "target": "light" })),
    ] {
        let mut asked = given.clone();
        asked["max_tokens"] = 100.into();
        let text = session.text(tool, asked);
        assert!(agent::tokens(&text) <= 100, "{given}: {} tokens\n{text}", agent::tokens(&text));
        assert!(text.contains("max_tokens"), "{text}");
    }
}

#[test]
fn places_that_were_left_out_come_in_pages() {
    let tree = Tree::new(SMALL);
    tree.write(".gitignore", "*.log\n");
    for number in 0..30 {
        tree.write(&format!("logs/{number:02}.log"), "x\n");
    }
    let mut session = Session::new(&tree);
    let whole = session.data("skipped_files", json!({ "max_tokens": 100000 }));
    let (seen, pages) = paged(&mut session, "skipped_files", json!({}), "entries", 100);
    assert_eq!(seen, keys(&whole, "entries"));
    assert!(seen.len() > 30 && pages > 1, "{pages} pages of {seen:?}");
    assert_eq!(session.data("skipped_files", json!({ "reason": "binary" }))["entries"], json!([]));
}

#[test]
fn a_text_says_what_an_agent_needs() {
    let tree = Tree::new(SMALL);
    let mut session = Session::new(&tree);
    let text = session.text("codebase_search", json!({ "query": "resolve_api_key", "limit": 1 }));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("src/auth.rs:2-4 rust fn resolve_api_key 0.99 high"), "{text}");
    assert!(
        lines[1].starts_with("  why: ") && lines[1].contains("definition: fn 'resolve_api_key'"),
        "{text}"
    );
    assert_eq!(lines[2], "2\tpub fn resolve_api_key(provider: &str) -> String {", "{text}");
    assert!(text.contains("\n1 of "), "{text}");
    let hit = &session.data("codebase_search", json!({ "query": "resolve_api_key" }))["results"][0];
    let link = format!("file://{}/src/auth.rs#L2", tree.root().display());
    assert_eq!(hit["link"], link);
    let snippet = hit["snippet"].as_str().unwrap();
    let highlights = hit["highlights"].as_array().unwrap();
    assert!(!highlights.is_empty(), "{hit}");
    for range in highlights {
        let (from, to) = (range[0].as_u64().unwrap() as usize, range[1].as_u64().unwrap() as usize);
        assert!(snippet.get(from..to).is_some_and(|word| !word.is_empty()), "{hit}");
    }
    assert_eq!(
        session.text("codebase_search", json!({ "query": "zzzqqq" })).lines().next(),
        Some("No results found for: zzzqqq")
    );
}
