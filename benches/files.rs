//! Files by name among a million paths.
//!
//! Data: a million paths, generated from words by a fixed seed and sorted, in some fifty thousand folders. They are in
//! memory, as they are in an engine that is open. What is measured is `engine.files` without what every request costs
//! besides: patterns that nearly everything matches, names, names with letters left out, pieces of paths, nothing,
//! globs, and all files in order.
//!
//! With a folder in the environment variable `SPYHOP_BENCH_TREE` that tree is indexed into a new folder, and the
//! same is asked of an engine that does not look for changes.

use std::hint::black_box;
use std::path::PathBuf;

use criterion::{Criterion, criterion_group, criterion_main};
use spyhop_engine::Engine;
use spyhop_engine::api::{FilesRequest, Options, StalePolicy};
use spyhop_search::filter::{Filter, FilterSpec};
use spyhop_search::fuzzy::{self, FoundPaths, Fuzzy};
use spyhop_syntax::grammar::Grammars;

const PATHS: usize = 1_000_000;

const PATTERNS: [&str; 12] = [
    "e",
    "x",
    "config",
    "server",
    "main.rs",
    "src/main",
    "client config",
    "srvmain",
    "tstprs",
    "wdgmn",
    "indexserverclient",
    "zzq",
];

const GLOBS: [&str; 4] = ["*.rs", "*config*", "src/**/*.rs", "**/test/**"];

const WORDS: [&str; 64] = [
    "index", "config", "server", "client", "main", "test", "util", "parser", "lexer", "token", "search",
    "engine", "store", "query", "model", "view", "walk", "read", "write", "cache", "auth", "session", "user",
    "group", "role", "policy", "handler", "route", "http", "proxy", "stream", "buffer", "codec", "frame",
    "socket", "event", "loop", "timer", "task", "queue", "worker", "pool", "thread", "lock", "mutex",
    "error", "result", "option", "value", "table", "column", "record", "page", "block", "src", "path",
    "tree", "node", "graph", "shader", "widget", "menu", "kernel", "schema",
];

const ENDINGS: [&str; 12] = ["rs", "go", "ts", "js", "py", "c", "h", "cpp", "java", "md", "json", "yaml"];

/// Seeded.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn name(&mut self) -> String {
        let words: Vec<&str> = (0..1 + self.below(3)).map(|_| self.one(&WORDS)).collect();
        let name = match self.below(3) {
            0 => words.join("_"),
            1 => words.join("-"),
            _ => words.iter().map(|word| word[..1].to_uppercase() + &word[1..]).collect(),
        };
        let number = if self.below(5) == 0 { self.below(100).to_string() } else { String::new() };
        format!("{name}{number}.{}", self.one(&ENDINGS))
    }
}

fn paths() -> Vec<String> {
    let mut draw = Draw(1);
    let mut folders = vec![String::new()];
    let mut paths = Vec::with_capacity(PATHS);
    while paths.len() < PATHS {
        // Mostly one of the newest, so that trees grow deep.
        let from = if draw.below(5) == 0 { 0 } else { folders.len().saturating_sub(2000) };
        let parent = &folders[from + draw.below(folders.len() - from)];
        if parent.bytes().filter(|byte| *byte == b'/').count() > 7 {
            continue;
        }
        let folder = format!("{parent}{}/", draw.one(&WORDS));
        let files = 1 + draw.below(40);
        paths.extend((0..files).map(|_| folder.clone() + &draw.name()));
        folders.push(folder);
    }
    paths.sort_unstable();
    paths.truncate(PATHS);
    paths
}

fn generated(criterion: &mut Criterion) {
    let paths = paths();
    let path = |file: u32| Some(&paths[file as usize][..]);
    let mut group = criterion.benchmark_group("files/a million paths");
    for pattern in PATTERNS {
        let fuzzy = Fuzzy::new(pattern).expect("it is not blank");
        let FoundPaths { found, total, .. } = fuzzy.best(PATHS as u32, 20, true, path);
        println!("{pattern}: {total} match, the best is {:?}", found.first().map(|found| found.path));
        group.bench_function(pattern, |bencher| {
            bencher.iter(|| fuzzy.best(black_box(PATHS as u32), 20, true, path).total);
        });
    }
    let grammars = Grammars::built_in();
    for glob in GLOBS {
        let spec = FilterSpec { path_globs: vec![glob.into()], ..FilterSpec::default() };
        let filter = Filter::new(&spec, &grammars).expect("the globs are good");
        let path = |file: u32| path(file).filter(|path| filter.takes_path(path));
        group.bench_function(glob, |bencher| {
            bencher.iter(|| fuzzy::listed(black_box(PATHS as u32), 20, path).1);
        });
    }
    group.bench_function("all", |bencher| {
        bencher.iter(|| fuzzy::listed(black_box(PATHS as u32), 20, path).1);
    });
    group.finish();
}

fn of_a_tree(criterion: &mut Criterion, tree: PathBuf) {
    let index = tempfile::tempdir().expect("a temporary folder");
    let index_dir = Some(index.path().to_path_buf());
    let options = Options { index_dir, stale_policy: StalePolicy::Ignore, ..Options::default() };
    let engine = Engine::open(&tree, options).expect("the tree is there");
    engine.refresh(&|_| ()).expect("it can be indexed");
    let ask = |pattern: &str| engine.ask(&FilesRequest::new(pattern)).expect("the patterns are good").total;
    let mut group = criterion.benchmark_group("files/engine");
    for pattern in PATTERNS.into_iter().chain(GLOBS).chain([""]) {
        println!("{pattern}: {} match", ask(pattern));
        group.bench_function(if pattern.is_empty() { "all" } else { pattern }, |bencher| {
            bencher.iter(|| ask(black_box(pattern)));
        });
    }
    group.finish();
}

fn bench(criterion: &mut Criterion) {
    generated(criterion);
    if let Some(tree) = std::env::var_os("SPYHOP_BENCH_TREE") {
        of_a_tree(criterion, PathBuf::from(tree));
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = bench
}
criterion_main!(benches);
