//! The same tree gives the same answers, however many threads indexed it. What it was before is changed in `rebuild`.

use spyhop_engine::Engine;
use spyhop_engine::api::{Mode, Options, SearchRequest, SkippedRequest, StalePolicy};
use spyhop_search::filter::FilterSpec;

use super::{Random, Tree, WORDS, copy_into, data, exact, generated, options, refresh, rendered};
use crate::support::repository;

/// Questions about a generated tree and about this crate, with and without filters.
pub fn requests() -> Vec<SearchRequest> {
    let mut random = Random(7);
    let mut queries: Vec<String> = [
        "how is the lock taken",
        "resolve",
        "acquire_quota",
        "where are records written and synced",
        "reciprocal rank fusion",
        "pub fn merge",
        "Engine::open",
        "verify the token before the session",
        "ignore files of git",
        "fn",
        "notify_order",
        "// journal and key",
    ]
    .map(String::from)
    .into();
    for length in 1..5 {
        for _ in 0..5 {
            queries.push((0..length).map(|_| random.pick(WORDS)).collect::<Vec<_>>().join(" "));
        }
    }
    let mut requests: Vec<SearchRequest> = queries
        .into_iter()
        .map(|query| SearchRequest { max_results: 50, ..SearchRequest::new(query) })
        .collect();
    let filtered = [
        FilterSpec { lang: vec!["rust".into()], ..FilterSpec::default() },
        FilterSpec { path_globs: vec!["*.py".into()], ..FilterSpec::default() },
        FilterSpec { kind: vec!["fn".parse().unwrap()], ..FilterSpec::default() },
        FilterSpec { exclude: vec!["merge|cache".into()], ..FilterSpec::default() },
    ];
    for filter in filtered {
        requests.push(SearchRequest {
            filter,
            mode: Mode::Debug,
            ..SearchRequest::new("merge the cache window")
        });
    }
    requests
}

/// Options under which a search does not look at the tree again.
pub fn as_indexed(tree: &Tree) -> Options {
    Options { stale_policy: StalePolicy::Ignore, ..options(tree) }
}

/// Both engines answer every request alike, and most requests find something.
pub fn check_alike(one: &Engine, other: &Engine, requests: &[SearchRequest], when: &str) {
    let mut found = 0;
    for request in requests {
        let (first, second) = (one.search(request).unwrap(), other.search(request).unwrap());
        assert_eq!(first.snapshot.indexed_files, second.snapshot.indexed_files, "{when}");
        assert_eq!(rendered(&first), rendered(&second), "{when}: {}", request.query);
        assert_eq!(exact(&first), exact(&second), "{when}: {}", request.query);
        found += usize::from(!first.results.is_empty());
    }
    assert!(found * 2 > requests.len(), "{when}: {found} of {}", requests.len());
    let what_is_there = |engine: &Engine| {
        let status = engine.status().unwrap();
        let counts = (status.files, status.chunks, status.symbols, status.source_bytes);
        (counts, status.languages, status.notes, engine.ask(&SkippedRequest::default()).unwrap().entries)
    };
    assert_eq!(what_is_there(one), what_is_there(other), "{when}");
}

#[test]
fn threads_do_not_change_an_answer() {
    let tree = Tree::new("");
    let mut random = Random(1);
    for number in 0..240 {
        let (path, text) = generated(number, &mut random);
        tree.write(&path, text);
    }
    copy_into(&tree, &repository("src/search"), "own");
    let with = |threads: usize| {
        let index_dir = tree.index_dir().join(threads.to_string());
        let options = Options { index_dir: Some(index_dir), threads: Some(threads), ..as_indexed(&tree) };
        let engine = Engine::open(tree.root(), options).unwrap();
        let report = refresh(&engine);
        assert!(report.parsed > 280, "{report:?}");
        engine
    };
    let (one, four) = (with(1), with(4));
    let segments = |engine: &Engine| {
        let names = std::fs::read_dir(data(engine.index_dir()).join("tantivy")).unwrap();
        names
            .filter(|name| name.as_ref().unwrap().path().extension().is_some_and(|ext| ext == "term"))
            .count()
    };
    // What the threads flush and what is merged afterwards depends on the sizes of the files.
    assert!(segments(&four) > 1, "{} and {}", segments(&one), segments(&four));
    check_alike(&one, &four, &requests(), "threads");
}
