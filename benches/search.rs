//! A query on a warm index in the same process, whole and by stage.
//!
//! Data: the `src/` of this repository, and the tree that the environment variable `SPYHOP_BENCH_TREE` names, if it is set;
//! each is first indexed into a new folder. The queries are below: sentences, names, and pieces of code that
//! any tree has something for, since a query that matches nothing costs nothing. A measurement is all of them in
//! turn, one thread, so what it says is the time of that many queries; for the distribution, `cargo bench --bench
//! search` first prints the median and the 99th percentile of single queries.
//!
//! The tree is not looked at for changes. Stages, each with what is before it: `parse` (the query only), `rank`
//! (retrieval, fusion and scoring; sources are not read, so lines as written are not checked), `compact` (the whole
//! reply without snippets, sources read where the query is looked for as written), `default` (with snippets). `open`
//! is what a new process or generation pays once: opening segments and metadata and laying out the view.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use spyhop_engine::Engine;
use spyhop_engine::api::{Mode, Options, SearchRequest, StalePolicy};
use spyhop_files::git;
use spyhop_index::tokenize::Tokenizers;
use spyhop_index::workspace::{self, Workspace};
use spyhop_search::filter::{Filter, FilterSpec};
use spyhop_search::profile::Profile;
use spyhop_search::query::Query;
use spyhop_search::{Context, CurrentFile, SearchSnapshot};
use spyhop_syntax::grammar::Grammars;

const QUERIES: [&str; 12] = [
    "where are files read and decoded",
    "how is an error reported to the caller",
    "parse command line options",
    "what happens when a lock is held by another process",
    "write the list of changes to disk",
    "is a path ignored or hidden",
    "new",
    "read_file",
    "parseOptions",
    "max_size",
    "return None",
    "if (error != null)",
];

/// Rounds over all queries for the percentiles.
const ROUNDS: usize = 40;

/// A tree, its engine and the opened index beneath it.
struct Bed {
    name: String,
    engine: Engine,
    workspace: Workspace,
    _index: tempfile::TempDir,
}

impl Bed {
    fn new(root: &Path) -> Bed {
        let index = tempfile::tempdir().expect("a temporary folder");
        let dir = index.path().to_path_buf();
        let stale_policy = StalePolicy::Ignore;
        let options = Options { index_dir: Some(dir), stale_policy, ..Options::default() };
        let engine = Engine::open(root, options).expect("the tree is there");
        engine.refresh(&|_| ()).expect("it can be indexed");
        let root = engine.root().to_path_buf();
        let owner = git::discover(&root).map_or_else(|| root.clone(), |repo| repo.common_dir());
        let name = root.file_name().map_or("root".into(), |name| name.to_string_lossy().into_owned());
        let dir = engine.index_dir().to_path_buf();
        let workspace = Workspace::new(
            root,
            owner,
            dir,
            workspace::fingerprint(&Grammars::built_in(), &spyhop::ExtraTerms::default()),
        );
        Bed { name, engine, workspace, _index: index }
    }

    fn snapshot(&self) -> SearchSnapshot {
        let committed = Arc::new(self.workspace.open().expect("it was just made"));
        let (key, _) = committed.meta.views().next().expect("it was just made");
        let snapshot = SearchSnapshot::new(Arc::clone(&committed), key);
        snapshot.expect("it can be read").expect("it holds this tree")
    }

    fn ask(&self, query: &str, mode: Mode) -> usize {
        let request = SearchRequest { mode, ..SearchRequest::new(query) };
        self.engine.search(&request).expect("the queries are good").results.len()
    }

    /// The median and the 99th percentile of single queries.
    fn percentiles(&self) -> (Duration, Duration) {
        let mut times: Vec<Duration> = Vec::with_capacity(ROUNDS * QUERIES.len());
        for _ in 0..ROUNDS {
            for query in QUERIES {
                let begun = Instant::now();
                black_box(self.ask(query, Mode::Default));
                times.push(begun.elapsed());
            }
        }
        times.sort_unstable();
        (times[times.len() / 2], times[times.len() * 99 / 100])
    }
}

fn stages(criterion: &mut Criterion, bed: &Bed) {
    let (p50, p99) = bed.percentiles();
    println!("{}: single queries, whole reply: p50 {p50:.1?}, p99 {p99:.1?}", bed.name);

    let grammars = Grammars::built_in();
    let filter = Filter::new(&FilterSpec::default(), &grammars).expect("the default filter");
    let snapshot = bed.snapshot();
    let tokenizers = Tokenizers::default();
    let signals = spyhop::HostSignals::default();
    let context = Context {
        tokenizers: &tokenizers,
        snapshot: &snapshot,
        grammars: &grammars,
        profile: Profile::built_in(),
        filter: &filter,
        quoting: None,
        session: None,
        per_file: 3,
        exhaustive: None,
        signals: &signals,
        similar: None,
        expanded: None,
        reranker: None,
        statistics: None,
    };
    let parsed = QUERIES.map(|query| Query::parse(query).expect("the queries are good"));

    let mut group = criterion.benchmark_group(format!("search/{}", bed.name));
    group.bench_function("open", |bencher| bencher.iter(|| bed.snapshot()));
    group.bench_function("parse", |bencher| {
        bencher.iter(|| QUERIES.map(|query| Query::parse(black_box(query)).is_ok()));
    });
    group.bench_function("rank", |bencher| {
        bencher.iter(|| {
            let rank = |query| {
                spyhop_search::search(query, &context, &|_, _| CurrentFile::Changed)
                    .expect("the index is whole")
                    .hits
                    .len()
            };
            parsed.iter().map(rank).sum::<usize>()
        });
    });
    for (name, mode) in [("compact", Mode::Compact), ("default", Mode::Default)] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| QUERIES.map(|query| bed.ask(black_box(query), mode)));
        });
    }
    group.finish();
}

fn bench(criterion: &mut Criterion) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src");
    stages(criterion, &Bed::new(&source));
    if let Some(tree) = std::env::var_os("SPYHOP_BENCH_TREE") {
        stages(criterion, &Bed::new(&PathBuf::from(tree)));
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = bench
}
criterion_main!(benches);
