//! The right place in a file comes first, whatever is typed: a pasted line, a message of a log, a qualified name, a name
//! with a slip, a stack trace, a whole report; and a template comes first for the texts that its page shows. Reasons are
//! true of the lines that are shown.
//!
//! Each file of `places/` is a tree of files with queries, and for each the first hit: its path, its symbol, and what a line
//! of it holds.

use spyhop_engine::Engine;
use spyhop_engine::api::{Hit, SearchRequest};

use super::{ask, corpus, folder, indexed, questions};
use crate::support::Tree;

/// The tree that a file of `places/` describes, its engine, and what is asked of it.
fn described(name: &str) -> (Tree, Engine, String) {
    let text = std::fs::read_to_string(folder().join("places").join(name)).unwrap();
    let (tree, queries) = text.split_once("\n? ").unwrap();
    let tree = Tree::new(tree);
    let engine = indexed(&tree, "index", None);
    (tree, engine, queries.to_string())
}

fn first(engine: &Engine, query: &str) -> Hit {
    let reply = ask(engine, query, 10);
    reply.results.into_iter().next().unwrap_or_else(|| panic!("{query}: nothing"))
}

#[test]
fn the_first_hit_is_the_place_that_is_meant() {
    for entry in std::fs::read_dir(folder().join("places")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let (tree, engine, queries) = described(&name);
        for part in queries.split("\n? ") {
            let [query, expected] = [0, 1].map(|at| part.lines().nth(at).unwrap());
            let query = query.replace("\\n", "\n").replace("\\t", "\t");
            let (place, holds) = expected.split_once(" | ").unwrap_or((expected, ""));
            let hit = first(&engine, &query);
            let (path, symbol) = place.split_once(' ').unwrap_or((place, ""));
            assert_eq!(hit.path.as_str(), path, "{query}: {hit:#?}");
            assert!(symbol.is_empty() || hit.symbol.as_deref() == Some(symbol), "{query}: {hit:#?}");
            let text = std::fs::read_to_string(tree.root().join(path)).unwrap();
            let lines = hit.lines.first as usize - 1..hit.lines.last as usize;
            let is_shown = text.lines().take(lines.end).skip(lines.start).any(|line| line.contains(holds));
            assert!(is_shown, "{query}: {:?} without {holds}", hit.lines);
        }
    }
    let warnings = |name: &str, query: &str| ask(&described(name).1, query, 5).warnings;
    let expected = ["no name 'resolveprovider' is defined; looked for 'ResolveProvider'"];
    assert_eq!(warnings("code.txt", "resolveprovider"), expected);
    let expected = ["no name 'comimt' is defined; looked for 'commit'"];
    assert_eq!(warnings("history.txt", "History.comimt"), expected);
}

#[test]
fn a_word_that_only_a_path_has_decides_and_is_a_reason() {
    let export = "def export(rows):\n    return [row.text for row in rows]\n";
    let tree = Tree::new("");
    for folder in ["admin", "billing", "catalog"] {
        tree.write(&format!("{folder}/export.py"), export);
    }
    let hit = first(&indexed(&tree, "paths", None), "how are the rows of billing exported");
    assert_eq!(hit.path.as_str(), "billing/export.py");
    assert!(hit.reasons.iter().any(|reason| reason.text.starts_with("path-related")), "{:#?}", hit.reasons);
}

#[test]
fn a_wider_snippet_keeps_the_lines_of_the_hit() {
    let (_tree, engine, _) = described("code.txt");
    let request = SearchRequest { expand: 8, ..SearchRequest::new("RowSet.order_by") };
    let hit = engine.search(&request).unwrap().results.remove(0);
    let snippet = hit.snippet.expect("a snippet");
    for held in ["def order_by", "Cannot reorder", "return self.chain(ordering=names)"] {
        assert!(snippet.text.contains(held), "{held}: {}", snippet.text);
    }
    assert!(snippet.lines.first + 8 <= hit.lines.first, "{:?} of {:?}", snippet.lines, hit.lines);
    assert!(snippet.lines.last >= hit.lines.last + 3, "{:?} of {:?}", snippet.lines, hit.lines);
}

#[test]
fn a_report_is_answered_with_its_quotes_by_the_functions_it_names() {
    let filler =
        "Please find the steps below; they were tried on several machines by several people. ".repeat(6);
    let report = format!(
        "\"distinct\" fails on a sliced RowSet\nDescription\n\n{filler}\nCalling RowSet.distinct() raises \"TypeError\" \
         after [:5].\n{filler}\nExpected: \"order_by\" and distinct of RowSet behave alike.\n"
    );
    let (_tree, engine, _) = described("code.txt");
    let reply = ask(&engine, &report, 10);
    let symbols: Vec<_> = reply.results.iter().take(3).filter_map(|hit| hit.symbol.as_deref()).collect();
    assert!(symbols.contains(&"RowSet.distinct") && symbols.contains(&"RowSet.order_by"), "{symbols:?}");
}

#[test]
fn a_comment_is_that_of_the_place() {
    let tree = Tree::new(
        "
=== src/pool.rs
/// Waits for a permit of the harbour.
pub fn wait_permit(crane: u32) -> u32 {
    crane
}

pub fn crane_of(anchor: u32) -> u32 {
    anchor
}
",
    );
    let engine = indexed(&tree, "comments", None);
    let comment = |query: &str| {
        let reply = ask(&engine, query, 10);
        let hits = reply.results.iter();
        let reason = |hit: &Hit| {
            let found = hit.reasons.iter().find(|reason| reason.text.starts_with("comment: "));
            (
                hit.symbol.clone().unwrap_or_default(),
                found.map(|reason| reason.text.clone()).unwrap_or_default(),
            )
        };
        hits.map(reason).collect::<Vec<_>>()
    };
    let here = comment("permit of the harbour to wait");
    assert!(
        here[0].0 == "wait_permit" && here[0].1.contains("its comments mention [permit, harbour, wait]"),
        "{here:?}"
    );
    let elsewhere = comment("anchor of a crane in the harbour");
    let of_crane = elsewhere.iter().find(|(symbol, _)| symbol == "crane_of").unwrap();
    assert_eq!(of_crane.1, "comment: other comments of the file mention [harbour]", "{elsewhere:?}");
}

/// What a reason says of the place is so: the definition stands in the lines, the text, and every token.
fn check_reasons(query: &str, text: &str, hit: &Hit) {
    let lines: Vec<&str> = text.lines().collect();
    let shown = lines[hit.lines.first as usize - 1..(hit.lines.last as usize).min(lines.len())].join("\n");
    let at = |reason: &str| format!("{query}: {reason} at {}:{:?}\n{shown}", hit.path, hit.lines);
    for reason in hit.reasons.iter().map(|reason| reason.text.as_str()) {
        if let Some(name) =
            reason.strip_prefix("definition: ").and_then(|rest| rest.strip_suffix("' is defined here"))
        {
            let name = name.rsplit(['\'', '.']).next().unwrap();
            assert!(defines(&shown, name), "{}", at(reason));
        }
        if reason == "literal: contains the query as written" {
            assert!(shown.contains(query.lines().next().unwrap()), "{}", at(reason));
        }
        if let Some(tokens) = reason.strip_prefix("lexical: matched tokens [") {
            let here = tokens.split(']').next().unwrap();
            for token in here.split(", ") {
                // Stems share their beginnings; irregular forms have another beginning.
                let beginning = match token {
                    "took" => "tak",
                    "keep" => "kep",
                    "given" => "gave",
                    "running" if shown.contains("ran_at") => "ran",
                    token => token.get(..3).unwrap_or(token),
                };
                assert!(
                    [token, beginning].iter().any(|form| shown.to_lowercase().contains(form)),
                    "{token}: {}",
                    at(reason)
                );
            }
        }
    }
}

/// Whether a text defines a name, by the words that languages begin definitions with, or has it left of a bracket.
fn defines(text: &str, name: &str) -> bool {
    let name = regex::escape(name);
    let words = "fn|func|function|def|class|struct|enum|trait|interface|type|const|let|static|impl|mod|export|pub|create";
    let pattern =
        format!(r"(?m)^\s*(.*\b({words})\b.*)?\b{name}\b\s*[(<:={{;]|\b({words})\b[^\n]*\b{name}\b");
    regex::Regex::new(&pattern).unwrap().is_match(text)
}

#[test]
fn reasons_are_true_of_the_lines_that_are_shown() {
    let tree = corpus();
    let engine = indexed(&tree, "index", None);
    let mut n_hits = 0;
    for question in questions() {
        for hit in ask(&engine, &question.text, 50).results {
            let text = std::fs::read_to_string(tree.root().join(hit.path.as_str())).unwrap();
            check_reasons(&question.text, &text, &hit);
            n_hits += 1;
        }
    }
    assert!(n_hits > 500, "{n_hits}");
}
