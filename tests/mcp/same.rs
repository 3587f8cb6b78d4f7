//! One request, three ways in: the library, the command line and the server give the same results.

use serde_json::{Value, json};
use spyhop::{
    Engine, FilesRequest, FilterSpec, GrepRequest, MapRequest, Mode, Options, ReadRequest, SearchBatch,
    SearchRequest, SkippedRequest, SymbolsRequest, WhyNotRequest,
};
use spyhop_base::path::RelPath;
use spyhop_interface::render::json as wire;

use super::{Session, steady};
use crate::support::{SMALL, Tree};

/// Something to ask: for the library, for the command line, for the server.
struct Request {
    library: SearchRequest,
    line: &'static [&'static str],
    tool: Value,
}

fn request(
    query: &str,
    change: impl FnOnce(&mut SearchRequest),
    line: &'static [&'static str],
    tool: Value,
) -> Request {
    let mut library = SearchRequest::new(query);
    change(&mut library);
    Request { library, line, tool }
}

fn table() -> Vec<Request> {
    let filter = |request: &mut SearchRequest, change: &dyn Fn(&mut FilterSpec)| change(&mut request.filter);
    vec![
        request("circle", |_| (), &["circle"], json!({ "query": "circle" })),
        request(
            "where is the secret resolved?",
            |r| r.max_results = 1,
            &["where", "is", "the", "secret", "resolved?", "--limit", "1"],
            json!({ "query": "where is the secret resolved?", "limit": 1 }),
        ),
        request(
            "the",
            |r| filter(r, &|f| f.path = Some("src".into())),
            &["the", "--path", "src"],
            json!({ "query": "the", "path": "src" }),
        ),
        request(
            "draw",
            |r| filter(r, &|f| f.path_globs = vec!["*.py".into(), "*.md".into()]),
            &["draw", "--glob", "*.py", "--glob", "*.md"],
            json!({ "query": "draw", "glob": ["*.py", "*.md"] }),
        ),
        request(
            "provider",
            |r| filter(r, &|f| f.exclude = vec!["PAINT|guide".into()]),
            &["provider", "--exclude", "PAINT|guide"],
            json!({ "query": "provider", "exclude": "PAINT|guide" }),
        ),
        request(
            "resolve",
            |r| filter(r, &|f| f.lang = vec!["rust".into(), "python".into()]),
            &["resolve", "--lang", "rust,python"],
            json!({ "query": "resolve", "language": "rust,python" }),
        ),
        request(
            "vault",
            |r| {
                filter(r, &|f| {
                    f.kind = vec![spyhop_base::model::SymbolKind::Struct, spyhop_base::model::SymbolKind::Fn]
                })
            },
            &["vault", "--kind", "struct,function"],
            json!({ "query": "vault", "kind": ["struct", "function"] }),
        ),
        request(
            "canvas",
            |r| (r.mode, r.expand, r.per_file) = (Mode::Debug, 2, 1),
            &["canvas", "--mode", "debug", "--expand", "2", "--per-file", "1"],
            json!({ "query": "canvas", "mode": "debug", "expand": 2, "per_file": 1 }),
        ),
        request(
            "pour the water",
            |r| (r.mode, r.min_score) = (Mode::Compact, Some(0.2)),
            &["pour the water", "--mode", "compact", "--min-score", "0.2"],
            json!({ "query": "pour the water", "mode": "compact", "min_score": 0.2 }),
        ),
        request("zzzqqq", |_| (), &["zzzqqq"], json!({ "query": "zzzqqq" })),
    ]
}

fn engine(tree: &Tree) -> Engine {
    // The command line and the server find the folder by the environment; the library is told where that leads.
    let status = tree.json(&["status"]);
    let index_dir = Some(status["index_path"].as_str().unwrap().into());
    Engine::open(tree.root(), Options { index_dir, ..Options::default() }).unwrap()
}

#[test]
fn searches() {
    let tree = Tree::new(SMALL);
    Session::new(&tree);
    let engine = engine(&tree);
    for Request { library, line, tool } in table() {
        let reply = engine.search(&library).unwrap();
        let by_library = steady(serde_json::from_str(&wire::line(&reply)).unwrap());
        assert_eq!(steady(tree.json(line)), by_library, "{line:?}");
        // Nothing of an earlier question weighs in a session that is new.
        let mut session = Session::start(tree.command().arg("mcp"));
        assert_eq!(steady(session.data("codebase_search", tool)), by_library, "{line:?}");
    }
}

#[test]
fn other_operations_answer_the_same() {
    let tree = Tree::new(SMALL);
    tree.write(".gitignore", "*.log\n");
    tree.write("a.log", "left out\n");
    let mut session = Session::new(&tree);
    let engine = engine(&tree);
    let parsed = |text: String| serde_json::from_str::<Value>(&text).unwrap();
    let without = |mut data: Value, names: &[&str]| {
        names.iter().for_each(|name| _ = data.as_object_mut().unwrap().remove(*name));
        data
    };
    let mut check = |by_library: String, line: &[&str], tool: &str, given: Value| {
        let by_library = steady(parsed(by_library));
        assert_eq!(steady(tree.json(line)), by_library, "{line:?}");
        assert_eq!(steady(session.data(tool, given)), by_library, "{line:?}");
    };

    let queries = ["circle".to_string(), "beans".to_string()];
    let batch = engine.ask(&SearchBatch::new(queries.to_vec(), SearchRequest::new(""))).unwrap();
    let batch = wire::line(&batch);
    check(batch, &["--queries", "circle|beans"], "search_batch", json!({ "queries": queries }));

    let mut grep = GrepRequest { enclosing: true, ..GrepRequest::new("circle|secret") };
    (grep.expand, grep.case, grep.filter.path) = (1, spyhop_engine::api::Case::Ignored, Some("src".into()));
    let given = json!({ "pattern": "circle|secret", "ignore_case": true, "expand": 1, "path": "src" });
    let line = ["grep", "circle|secret", "-i", "-C", "1", "--path", "src"];
    check(wire::line(&engine.ask(&grep).unwrap()), &line, "grep_files", given);
    let mut grep = GrepRequest { rank: true, fixed: true, enclosing: true, ..GrepRequest::new("circle") };
    grep.filter.kind = vec![spyhop_base::model::SymbolKind::Fn];
    let given = json!({ "pattern": "circle", "fixed": true, "rank": true, "kind": "fn" });
    let line = ["grep", "circle", "-F", "--rank", "--kind", "fn"];
    check(wire::line(&engine.ask(&grep).unwrap()), &line, "grep_files", given);

    for pattern in ["*.py", "auth", ""] {
        let files = wire::line(&engine.ask(&FilesRequest::new(pattern)).unwrap());
        check(files, &["files", pattern], "file_search", json!({ "pattern": pattern }));
    }
    for pattern in ["circle", "harea", ""] {
        let symbols = engine.ask(&SymbolsRequest::new(pattern)).unwrap();
        let symbols = wire::line(&symbols);
        check(symbols, &["symbols", pattern], "symbol_search", json!({ "pattern": pattern }));
    }
    let map = engine.ask(&MapRequest { depth: 1, ..MapRequest::default() }).unwrap();
    check(wire::line(&map), &["map", "--depth", "1"], "project_map", json!({ "depth": 1 }));

    let read = ReadRequest { path: RelPath::new("src/paint.py").ok(), ..ReadRequest::default() };
    let read = engine.ask(&ReadRequest { lines: "1-2".parse().ok(), ..read }).unwrap();
    let given = json!({ "path": "src/paint.py", "lines": "1-2" });
    check(wire::line(&read), &["read", "src/paint.py", "--lines", "1-2"], "read_file", given);
    let read = ReadRequest { symbol: Some("draw_circle".into()), ..ReadRequest::default() };
    let read = wire::line(&engine.ask(&read).unwrap());
    check(read, &["read", "--symbol", "draw_circle"], "read_file", json!({ "symbol": "draw_circle" }));

    let status = parsed(wire::line(&engine.status().unwrap()));
    assert_eq!(tree.json(&["status"]), status);
    assert_eq!(without(session.data("index_status", json!({})), &["roots", "indexing"]), status);

    let skipped = parsed(wire::line(&engine.ask(&SkippedRequest::default()).unwrap()));
    assert_eq!(tree.json(&["skipped"]), skipped);
    assert_eq!(without(session.data("skipped_files", json!({})), &["next", "total"]), skipped);

    for (line, tool, given) in [
        (&["routes"][..], "list_routes", json!({})),
        (&["commands", "--limit", "3"], "list_commands", json!({ "max_results": 3 })),
        (&["graph", "--hubs"], "file_imports", json!({})),
        (&["graph", "--cycles"], "file_imports", json!({ "question": "cycles" })),
        (
            &["graph", "--orphans", "--lang", "rust"],
            "file_imports",
            json!({ "question": "orphans", "lang": "rust" }),
        ),
    ] {
        assert_eq!(steady(session.data(tool, given)), steady(tree.json(line)), "{line:?}");
    }
    let used = |mut data: Value| {
        data["views"].as_array_mut().unwrap().iter_mut().for_each(|view| view["used"] = Value::Null);
        data
    };
    assert_eq!(used(session.data("list_views", json!({}))), used(tree.json(&["views"])));

    let why_not = engine
        .ask(&WhyNotRequest { path: "docs/guide.md".into(), search: SearchRequest::new("circle") })
        .unwrap();
    let why_not = parsed(wire::line(&why_not));
    assert_eq!(tree.json(&["why-not", "docs/guide.md", "circle"]), why_not);
    let asked = json!({ "file": "docs/guide.md", "query": "circle" });
    let mut session = Session::start(tree.command().arg("mcp"));
    assert_eq!(without(session.data("why_not", asked), &["link"]), why_not);
}
