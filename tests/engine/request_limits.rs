//! Requests above the limits are refused at once, with the limit and the value.

use spyhop::{Applicability, FilterSpec, SearchBatch};
use spyhop_base::path::RelPath;
use spyhop_engine::api::{
    AddNoteRequest, GraphChanges, GraphQuestion, GraphRequest, GrepRequest, PackRequest, ReadRequest,
    SearchNotesRequest, SearchRequest, SymbolsRequest,
};
use spyhop_engine::{Error, ErrorKind};

use super::{open, refresh};
use crate::support::{SMALL, Tree};

fn refused<T>(answer: Result<T, Error>, says: &str) {
    let Err(error) = answer else { panic!("{says}: answered") };
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::BadRequest, says));
}

fn many(entries: usize) -> Vec<String> {
    vec!["circle".to_string(); entries]
}

#[test]
fn lists_and_texts_of_requests_are_bounded() {
    let tree = Tree::new(SMALL);
    let engine = open(&tree);
    refresh(&engine);
    let search = SearchRequest::new("circle");
    assert!(engine.ask(&SearchBatch::new(many(100), search.clone())).is_ok());
    refused(
        engine.ask(&SearchBatch::new(many(100_000), search.clone())),
        "queries has 100000 entries; the limit is 100",
    );

    let none = FilterSpec::default;
    let filters = [
        (
            FilterSpec { path_globs: many(200_000), ..none() },
            "path_glob has 200000 entries; the limit is 1000",
        ),
        (FilterSpec { ripgrep_globs: many(1_001), ..none() }, "glob has 1001 entries; the limit is 1000"),
        (FilterSpec { ripgrep_iglobs: many(1_001), ..none() }, "iglob has 1001 entries; the limit is 1000"),
        (FilterSpec { exclude: many(1_001), ..none() }, "exclude has 1001 entries; the limit is 1000"),
        (FilterSpec { lang: many(1_001), ..none() }, "lang has 1001 entries; the limit is 1000"),
        (FilterSpec { types: many(1_001), ..none() }, "type has 1001 entries; the limit is 1000"),
        (FilterSpec { types_not: many(1_001), ..none() }, "type_not has 1001 entries; the limit is 1000"),
        (FilterSpec { type_add: many(1_001), ..none() }, "type_add has 1001 entries; the limit is 1000"),
        (FilterSpec { or_paths: many(100_001), ..none() }, "path has 100001 entries; the limit is 100000"),
        (
            FilterSpec { path_globs: vec!["{a,b}".repeat(20_000)], ..none() },
            "path_glob has 100000 bytes; the limit is 65536",
        ),
    ];
    for (filter, says) in filters {
        refused(engine.search(&SearchRequest { filter: filter.clone(), ..search.clone() }), says);
        refused(engine.ask(&GrepRequest { filter: filter.clone(), ..GrepRequest::new("circle") }), says);
        refused(engine.ask(&SymbolsRequest { filter, ..SymbolsRequest::new("circle") }), says);
    }

    let pack = PackRequest::new("circle");
    let says = "seed_files has 1001 entries; the limit is 1000";
    refused(engine.ask(&PackRequest { seed_files: many(1_001), ..pack.clone() }), says);
    let says = "seed_symbols has 1001 entries; the limit is 1000";
    refused(engine.ask(&PackRequest { seed_symbols: many(1_001), ..pack.clone() }), says);
    let changes = Some(GraphChanges::Diff("+".repeat((16 << 20) + 1)));
    let says = "diff has 16777217 bytes; the limit is 16777216";
    refused(engine.ask(&PackRequest { changes: changes.clone(), ..pack }), says);
    let impact = GraphRequest { changes, ..GraphRequest::new(GraphQuestion::Impact, "") };
    refused(engine.ask(&impact), says);
    let long = "x".repeat(10_001);
    let references = GraphRequest::new(GraphQuestion::References, long.clone());
    refused(engine.ask(&references), "pattern has 10001 characters; at most 1000 are allowed");
    let read = ReadRequest { symbol: Some(long.clone()), ..ReadRequest::default() };
    refused(engine.ask(&read), "symbol has 10001 bytes; the limit is 10000");
    let page = SearchRequest { cursor: Some(long), ..search };
    refused(engine.search(&page), "cursor has 10001 bytes; the limit is 10000");
}

#[test]
fn notes_are_bounded_before_their_links_are_looked_up() {
    let tree = Tree::new(SMALL);
    let engine = open(&tree);
    refresh(&engine);
    let note = AddNoteRequest { text: "Circles are round".to_string(), ..AddNoteRequest::default() };
    let links = AddNoteRequest { links: many(100_000), ..note.clone() };
    refused(engine.ask(&links), "links has 100000 entries; the limit is 64");
    let applies = Applicability { conditions: many(17), ..Applicability::default() };
    let conditions = AddNoteRequest { applies, ..note.clone() };
    refused(engine.ask(&conditions), "conditions has 17 entries; the limit is 16");
    let diff = AddNoteRequest { diff: Some("+\n".repeat(10_000)), ..note };
    refused(engine.ask(&diff), "diff has 20000 bytes; the limit is 16000");
    let search = SearchNotesRequest { symbols: many(1_001), ..SearchNotesRequest::new("circle") };
    refused(engine.ask(&search), "symbols has 1001 entries; the limit is 1000");
    let files = vec![RelPath::new("a.rs").unwrap(); 1_001];
    let search = SearchNotesRequest { files, ..SearchNotesRequest::new("circle") };
    refused(engine.ask(&search), "files has 1001 entries; the limit is 1000");

    let line = |number: usize| format!("{{\"kind\":\"failure\",\"text\":\"note {number}\"}}\n");
    let lines: String = (0..100_000).map(line).collect();
    refused(engine.import_notes(&lines), "the import has 100000 entries; the limit is 20000");
    // Several exports of the same notes are no more notes.
    let twice: String = (0..400).map(|number| line(number % 40)).collect();
    let imported = engine.import_notes(&twice).unwrap();
    assert_eq!((imported.added, imported.unchanged), (40, 360), "{:?}", imported.bad_lines);
}
