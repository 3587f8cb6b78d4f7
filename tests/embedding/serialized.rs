//! The feature `serde`: requests come back from JSON as they were. Replies are serialized as the program prints them.

use std::fmt::Debug;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, from_value, json, to_value};
use spyhop::{
    AddNoteRequest, AddRequest, Case, EntriesRequest, EntryKind, ErrorKind, Export, FileGraphQuestion,
    FileGraphRequest, FilesRequest, FilterSpec, GraphChanges, GraphQuestion, GraphRequest, GrepRequest,
    Import, LineRange, ListNotesRequest, MapRequest, Mode, NoteKind, PackMode, PackRequest, Profile,
    ReadRequest, RelPath, Relation, SearchNotesRequest, SearchRequest, SymbolKind, SymbolsRequest,
    SymlinkPolicy,
};

use crate::support::Tree;

/// A request that comes back as it was. `Debug` shows every field.
fn same<T: Serialize + DeserializeOwned + Debug>(request: &T) -> Value {
    let form = to_value(request).unwrap();
    let back: T = from_value(form.clone()).unwrap_or_else(|error| panic!("{form}: {error}"));
    assert_eq!(format!("{back:?}"), format!("{request:?}"));
    form
}

fn filter() -> FilterSpec {
    FilterSpec {
        path: Some("src".to_string()),
        exclude: vec!["old".to_string()],
        max_depth: Some(3),
        kind: vec![SymbolKind::Fn],
        ..FilterSpec::default()
    }
}

#[test]
fn requests_with_a_filter_come_back_as_they_were() {
    let search = SearchRequest {
        max_results: 7,
        filter: filter(),
        mode: Mode::Compact,
        profile: Some(Arc::new(Profile::built_in().clone())),
        ..SearchRequest::new("api key")
    };
    let form = same(&search);
    assert_eq!(form["mode"], json!("compact"));
    assert_eq!(form["filter"]["kind"], json!(["fn"]));

    let mut grep = GrepRequest { case: Case::Smart, filter: filter(), ..GrepRequest::new("fn .*") };
    grep.files.symlinks = SymlinkPolicy::FollowNamed;
    assert_eq!(same(&grep)["files"]["symlinks"], json!("follow-named"));

    same(&FilesRequest { filter: filter(), include_scattered: true, ..FilesRequest::new("auth") });
    same(&SymbolsRequest { filter: filter(), ..SymbolsRequest::new("resolve") });
    same(&MapRequest { filter: filter(), max_items: 9, depth: 4 });
    same(&SearchNotesRequest { filter: filter(), ..SearchNotesRequest::new("retries") });
    let changes = Some(GraphChanges::Between("main..".to_string()));
    same(&PackRequest { pack_mode: PackMode::Broad, changes, ..PackRequest::new("raise the limit") });
    let graph = GraphRequest {
        depth: Some(2),
        relation: Some(Relation::Calls),
        to: Some("main".to_string()),
        filter: filter(),
        ..GraphRequest::new(GraphQuestion::Trace, "open")
    };
    assert_eq!(same(&graph)["question"], json!("trace"));
    let (question, max_results) = (FileGraphQuestion::Cycles, 3);
    same(&FileGraphRequest { question, max_results, filter: filter() });
    same(&EntriesRequest { filter: filter(), ..EntriesRequest::new(EntryKind::Route, "GET") });
}

#[test]
fn other_requests_come_back_as_they_were() {
    same(&ReadRequest {
        path: Some(RelPath::new("src/auth.rs").unwrap()),
        lines: Some(LineRange { first: 2, last: None }),
        symbol: None,
    });
    same(&AddNoteRequest { author: Some("a".to_string()), ..AddNoteRequest::new(NoteKind::Failure, "text") });
    same(&ListNotesRequest { only_stale: true, ..ListNotesRequest::default() });
    same(&AddRequest { groups: vec!["g".to_string()], ..AddRequest::new("folder") });
    same(&Export::default());
    same(&Import::default());
}

#[test]
fn absent_fields_have_the_values_of_new() {
    let check = |form: Value, new: &str, parse: &dyn Fn(Value) -> String| assert_eq!(parse(form), new);
    fn parsed<T: DeserializeOwned + Debug>(form: Value) -> String {
        format!("{:?}", from_value::<T>(form).unwrap())
    }
    let new = format!("{:?}", SearchRequest::new("key"));
    check(json!({ "query": "key" }), &new, &parsed::<SearchRequest>);
    let new = format!("{:?}", GrepRequest::new("key"));
    check(json!({ "pattern": "key" }), &new, &parsed::<GrepRequest>);
    let new = format!("{:?}", GraphRequest::new(GraphQuestion::Callers, "key"));
    check(json!({ "question": "callers", "target": "key" }), &new, &parsed::<GraphRequest>);
    let new = format!("{:?}", EntriesRequest::new(EntryKind::Command, ""));
    check(json!({ "kind": "command" }), &new, &parsed::<EntriesRequest>);

    // A question that is missing or misspelled is not another question.
    let error = from_value::<GraphRequest>(json!({ "target": "key" })).unwrap_err().to_string();
    assert!(error.contains("missing field `question`"), "{error}");
    let error = from_value::<SearchRequest>(json!({ "querry": "key" })).unwrap_err().to_string();
    assert!(error.contains("unknown field `querry`"), "{error}");
    let error = Tree::small().open().search(&from_value(json!({})).unwrap()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadRequest, "{error}");
}

#[test]
fn replies_and_errors_have_the_form_of_the_program() {
    let tree = Tree::small();
    let engine = tree.open();
    let reply = to_value(engine.search(&SearchRequest::new("resolve_api_key")).unwrap()).unwrap();
    let hit = &reply["results"][0];
    assert_eq!((&hit["path"], &hit["language"]), (&json!("src/auth.rs"), &json!("rust")));
    assert_eq!((&hit["line"], &hit["kind"]), (&json!(2), &json!("fn")));
    assert!(hit["reasons"][0]["signal"].is_string(), "{hit}");

    let reply = to_value(engine.ask(&GrepRequest::new("resolve_api_key")).unwrap()).unwrap();
    assert_eq!((&reply["total_lines"], &reply["results"][1]["line"]), (&json!(2), &json!(7)));
    let graph = GraphRequest::new(GraphQuestion::Callers, "resolve_api_key");
    let reply = to_value(engine.ask(&graph).unwrap()).unwrap();
    assert_eq!(reply["results"][0]["from"]["symbol"], json!("open_vault"));
    assert_eq!(reply["results"][0]["to"]["symbol"], json!("resolve_api_key"));
    assert_eq!(to_value(engine.status().unwrap()).unwrap()["state"], json!("ready"));
    assert_eq!(to_value(engine.ask(&MapRequest::default()).unwrap()).unwrap()["files"], json!(3));

    let error = engine.search(&SearchRequest::new("")).unwrap_err();
    let form = to_value(&error).unwrap();
    assert_eq!((&form["kind"], &form["error"]), (&json!("bad-request"), &json!(error.to_string())));
}
