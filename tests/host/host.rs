//! The host: what the host does itself, the engines that it embeds, and the comparison of its state before and after.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use rayon::prelude::*;
use spyhop::{
    Change, Engine, GraphQuestion, GraphRequest, GrepRequest, Isolation, MapRequest, MemoryTree, Options,
    SearchRequest, SkippedRequest, SkippedRow, Stop,
};
use tree_sitter::{Parser, Tree};

use crate::IS_HOST;
use crate::counting::{Counting, allocations_of_parsers, parser_allocator};
use crate::process::ProcessState;

/// Most bytes that the library may keep for the next engine, such as the built-in manifests and its tables of words.
const KEPT_BYTES: i64 = 16 << 20;

/// The message of a panic of the host.
const OWN_PANIC: &str = "a panic of the host";

/// A text that the host parses.
const OWN_TEXT: &str = "fn own(a: u32) -> u32 { a + 1 }";

/// Files without a surprise.
const PLAIN: &[(&str, &str)] = &[
    (
        "src/auth.rs",
        "/// Resolves the api key.\npub fn resolve_api_key() -> u32 { helper() }\n\nfn helper() -> u32 { 1 }\n",
    ),
    ("src/store.c", "int zorblax(void) { return 1; }\n"),
    ("lib/quexalt.rb", "def quexalt\n  1\nend\n"),
];

/// Input on which a parser works much longer than on code, by path. The first two come to their end. The last is stopped by
/// the count of reads. No process ends, and nothing is listed, on machines of any speed.
fn exploding() -> Vec<(&'static str, String)> {
    vec![
        ("explodes/time.rs", "\"\"\"".repeat(30_000)),
        ("explodes/time.rb", "'a".repeat(30_000)),
        ("explodes/reads.c", "/* ".repeat(20_000)),
    ]
}

/// Input that ends the process of its parser, by path.
fn crashing() -> Vec<(&'static str, String)> {
    let word = "A".repeat(300);
    vec![
        ("crashes/memory.c", "a=>".repeat(1_000)),
        ("crashes/assertion.rb", format!("x = <<~{word}\n  1\n{word}\n")),
        ("crashes/assertion.yaml", format!("\"a\" {}", "- ".repeat(400))),
        ("crashes/memory.java", "a<".repeat(30_000)),
        ("crashes/memory.sh", "a | ".repeat(15_000)),
    ]
}

/// What the host does besides.
struct Life {
    runtime: tokio::runtime::Runtime,
    parser: Parser,
    tree: Tree,
    is_asked: Arc<AtomicBool>,
    panics: Arc<AtomicUsize>,
}

impl Life {
    fn begin() -> Life {
        // SAFETY: the functions are those of the C library, with counting added, and no parser exists yet.
        unsafe { tree_sitter::set_allocator(Some(parser_allocator())) };
        rayon::ThreadPoolBuilder::new().num_threads(2).build_global().expect("the first pool");
        // The runtime's threads for blocking work end at once, so that no thread of the host ends or begins in between.
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_keep_alive(Duration::from_millis(1))
            .build()
            .expect("a runtime");
        let is_asked = Arc::new(AtomicBool::new(false));
        for signal in [libc::SIGUSR1, libc::SIGTERM, libc::SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&is_asked)).expect("a handler");
        }
        let panics = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&panics);
        std::panic::set_hook(Box::new(move |panic| {
            counted.fetch_add(1, Ordering::Relaxed);
            let is_own = panic.payload().downcast_ref::<&str>() == Some(&OWN_PANIC)
                || panic.payload().downcast_ref::<String>().is_some_and(|text| text == OWN_PANIC);
            if !is_own {
                eprintln!("{panic}");
            }
        }));
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_rust::LANGUAGE.into()).expect("a language");
        let tree = parser.parse(OWN_TEXT, None).expect("a tree");
        Life { runtime, parser, tree, is_asked, panics }
    }

    /// Panics, unless everything of the host works.
    fn check(&mut self) {
        let sum: u64 = (0..1_000u64).into_par_iter().map(|n| n * n).sum();
        assert_eq!(sum, 332_833_500);
        assert_eq!(self.runtime.block_on(self.runtime.spawn(async { 7 })).expect("a task"), 7);
        assert!(!self.is_asked.swap(false, Ordering::SeqCst), "the library sent a signal");
        // SAFETY: a signal that this process handles.
        unsafe { libc::raise(libc::SIGUSR1) };
        assert!(self.is_asked.swap(false, Ordering::SeqCst), "the handler of the host is gone");
        assert!(std::panic::catch_unwind(|| panic!("{OWN_PANIC}")).is_err());
        assert_eq!(
            self.panics.swap(0, Ordering::SeqCst),
            1,
            "the library panicked, or the hook of the host is gone"
        );
        let before = allocations_of_parsers();
        let again = self.parser.parse(OWN_TEXT, None).expect("a tree");
        assert_eq!(again.root_node().to_sexp(), self.tree.root_node().to_sexp());
        assert!(allocations_of_parsers() > before, "tree-sitter has another allocator");
    }
}

/// Lives, embeds engines, and compares the process with the process before.
pub fn run() {
    let folder = PathBuf::from(std::env::var_os(IS_HOST).expect("the caller looked"));
    let mut life = Life::begin();
    life.check();
    let before = ProcessState::now();
    let live = Counting::live();

    for (name, isolation, crashing) in [
        ("in_process", Isolation::InProcess, Vec::new()),
        ("subprocess", Isolation::own_program(), crashing()),
    ] {
        let root = plant(&folder.join(name), &[exploding(), crashing.clone()].concat());
        let options =
            Options { index_dir: Some(folder.join(name).join("index")), isolation, ..Options::default() };
        let in_process = allocations_of_parsers();
        embed(&life, &root, options, &crashing, &before);
        let parsed_here = allocations_of_parsers() > in_process;
        assert_eq!(parsed_here, name == "in_process", "{name}");
        before.assert_restored(name);
        life.check();
    }
    embed_in_memory(&life);
    before.assert_restored("in memory");
    life.check();
    let kept = Counting::live() - live;
    assert!(kept < KEPT_BYTES, "{kept} bytes are in use after the engines are dropped");
    drop(life.runtime);
}

/// Writes a tree.
fn plant(folder: &Path, odd: &[(&str, String)]) -> PathBuf {
    let root = folder.join("tree");
    let plain = PLAIN.iter().map(|(path, text)| (*path, (*text).to_string()));
    for (path, text) in plain.chain(odd.iter().cloned()) {
        let file = root.join(path);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, text).expect("a file");
    }
    root
}

/// Opens an engine, uses it from threads of rayon and tokio, watches the tree, and drops the engine.
fn embed(life: &Life, root: &Path, options: Options, crashing: &[(&str, String)], before: &ProcessState) {
    let engine = Arc::new(Engine::open(root, options).expect("an engine"));
    // The first index is built on a thread of the host's pool.
    let report = rayon::scope(|_| engine.refresh(&|_| ())).expect("an index");
    assert_eq!(report.added, PLAIN.len() + exploding().len() + crashing.len());
    let rows = engine.ask(&SkippedRequest::default()).expect("the skipped files").entries;
    // Of a file that takes its parser too much work, a part is indexed.
    let (lost, partly): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.reason.name() == "quarantined");
    let is_exploding = |path: &str| exploding().iter().any(|(exploding, _)| *exploding == path);
    let is_partly =
        |row: &&SkippedRow| row.reason.name() == "parse-budget" && is_exploding(row.path.as_str());
    assert!(partly.iter().all(is_partly), "{partly:?}");
    let mut lost: Vec<&str> = lost.iter().map(|row| row.path.as_str()).collect();
    let mut expected: Vec<&str> = crashing.iter().map(|(path, _)| *path).collect();
    lost.sort();
    expected.sort();
    assert_eq!(lost, expected, "{rows:?}");

    let tasks: Vec<_> = ["resolve api key", "zorblax", "quexalt"]
        .into_iter()
        .map(|query| {
            let engine = Arc::clone(&engine);
            life.runtime.spawn_blocking(move || engine.search(&SearchRequest::new(query)).expect("a reply"))
        })
        .collect();
    for (task, path) in tasks.into_iter().zip(["src/auth.rs", "src/store.c", "lib/quexalt.rb"]) {
        let reply = life.runtime.block_on(task).expect("no panic");
        assert_eq!(reply.results[0].path.as_str(), path);
    }
    assert_eq!(engine.ask(&GrepRequest::new("z.rblax")).expect("lines").total_lines, 1);
    assert!(!engine.ask(&MapRequest::default()).expect("a map").entries.is_empty());
    let callers = GraphRequest::new(GraphQuestion::Callers, "helper");
    assert_eq!(engine.ask(&callers).expect("callers").total, 1);
    watch(&engine, root);

    // Between calls, an engine has no threads. Its idle workers and its open files go when it is asked.
    engine.release_caches();
    before.assert_restored("after release_caches");
    assert!(!engine.search(&SearchRequest::new("zorblax")).expect("a reply").results.is_empty());
    drop(engine);
}

/// Opens an engine of files in memory, uses the engine from a thread of tokio, changes a file, and drops the engine.
fn embed_in_memory(life: &Life) {
    let tree = MemoryTree::of(PLAIN.iter().copied()).expect("paths below the root");
    let engine = Arc::new(Engine::in_memory(tree, Options::default()).expect("an engine"));
    let private = engine.index_dir().parent().expect("a private folder").to_path_buf();
    let report = rayon::scope(|_| engine.refresh(&|_| ())).expect("an index");
    assert_eq!(report.added, PLAIN.len());
    let asked = Arc::clone(&engine);
    let ask = move || asked.search(&SearchRequest::new("zorblax")).expect("a reply");
    let reply = life.runtime.block_on(life.runtime.spawn_blocking(ask)).expect("no panic");
    assert_eq!(reply.results[0].path.as_str(), "src/store.c");
    engine.apply([Change::write("src/late.rs", "fn vorpalin() {}\n")]).expect("a change");
    assert_eq!(engine.ask(&GrepRequest::new("v.rpalin")).expect("lines").total_lines, 1);
    assert!(!engine.search(&SearchRequest::new("vorpalin")).expect("a reply").results.is_empty());
    assert!(private.is_dir());
    drop(engine);
    assert!(!private.exists(), "{}", private.display());
}

/// Watches the tree until a change is indexed.
fn watch(engine: &Engine, root: &Path) {
    let stop = Stop::default();
    let (sender, events) = mpsc::channel();
    std::thread::scope(|scope| {
        let watching = scope.spawn(|| {
            let sender = sender;
            engine.watch(&stop, &|event| _ = sender.send(event))
        });
        assert!(events.recv().is_ok(), "the watch begins");
        std::fs::write(root.join("src/late.rs"), "fn vorpalin() {}\n").expect("a file");
        assert!(!engine.search(&SearchRequest::new("vorpalin")).expect("a reply").results.is_empty());
        stop.stop();
        watching.join().expect("no panic").expect("an end");
    });
}
