//! Making an index and keeping it current, in one process.
//!
//! Data: 1,000 made-up files (`generated`), and a copy of the tree that the environment variable `SPYHOP_BENCH_TREE` names,
//! if it is set, without its history. `first index` opens an engine over an empty folder and fills it. `nothing changed`
//! is what an engine that is open pays to see that; `opened anew` is a new engine, which reads the metadata first. `one file
//! changed` has one file of the tree edited before each, always the same one, outside of what is measured. Every one
//! checks that the update did what it is called after.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use spyhop::{Engine, RefreshReport};
use spyhop_engine::api::Options;

mod generated;

const FILES: usize = 1_000;

/// A file that was just written counts as unproven for two seconds, and is read again.
const SETTLED: Duration = Duration::from_millis(2_100);

fn open(tree: &Path, index: &Path) -> Engine {
    let options = Options { index_dir: Some(index.to_path_buf()), ..Options::default() };
    Engine::open(tree, options).expect("the tree is there")
}

fn update(engine: &Engine) -> RefreshReport {
    engine.refresh(&|_| ()).expect("it can be indexed")
}

/// A source of the tree, the first by path.
fn source(tree: &Path) -> PathBuf {
    let walked = spyhop_files::walk::walk(tree, &Default::default()).expect("the tree is there");
    let mut paths = walked.candidates.iter().map(|candidate| candidate.path.below(tree));
    let is_source = |path: &PathBuf| {
        ["rs", "py", "go", "c", "ts", "js", "java"]
            .map(OsStr::new)
            .iter()
            .any(|it| path.extension() == Some(it))
    };
    paths.find(is_source).expect("the tree has sources")
}

fn updates(criterion: &mut Criterion, name: &str, tree: &Path) {
    let mut group = criterion.benchmark_group(format!("update/{name}"));
    group.sample_size(10);
    group.bench_function("first index", |bencher| {
        let empty = || tempfile::tempdir().expect("a temporary folder");
        let fill = |index: tempfile::TempDir| {
            let engine = open(tree, index.path());
            let report = update(&engine);
            assert!(report.added > 0 && report.parsed > 0, "it was empty");
            (engine, index)
        };
        bencher.iter_batched(empty, fill, BatchSize::PerIteration);
    });

    let index = tempfile::tempdir().expect("a temporary folder");
    let engine = open(tree, index.path());
    update(&engine);
    thread::sleep(SETTLED);
    update(&engine);
    let nothing = |engine: &Engine| {
        let report = update(engine);
        assert_eq!((report.added, report.changed, report.deleted), (0, 0, 0));
        report
    };
    group.bench_function("nothing changed", |bencher| bencher.iter(|| nothing(&engine)));
    group.bench_function("opened anew", |bencher| bencher.iter(|| nothing(&open(tree, index.path()))));

    let path = source(tree);
    let text = fs::read(&path).expect("it is there");
    let mut edits = 0;
    group.bench_function("one file changed", |bencher| {
        let edit = || {
            edits += 1;
            fs::write(&path, [&text[..], format!("\n\n{edits}\n").as_bytes()].concat()).expect("it is ours");
        };
        let take_in = |()| assert_eq!(update(&engine).changed, 1);
        bencher.iter_batched(edit, take_in, BatchSize::PerIteration);
    });
    group.finish();
}

/// Copies what is in a folder, but no `.git` and no symbolic links.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a temporary folder");
    for entry in fs::read_dir(from).expect("the tree is there") {
        let entry = entry.expect("the tree is there");
        let kind = entry.file_type().expect("it was just listed");
        if kind.is_dir() && entry.file_name() != ".git" {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else if kind.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name())).expect("a temporary folder");
        }
    }
}

fn bench(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    generated::tree(folder.path(), FILES);
    updates(criterion, "generated", folder.path());
    if let Some(tree) = std::env::var_os("SPYHOP_BENCH_TREE").map(PathBuf::from) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        copy(&tree, folder.path());
        let name = tree.file_name().map_or("root".into(), |name| name.to_string_lossy());
        updates(criterion, &name, folder.path());
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
