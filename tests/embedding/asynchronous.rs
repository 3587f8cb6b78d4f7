//! The feature `async`: answers are those of the engine, and a dropped future ends the work of its call.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::Poll;
use std::time::Duration;

use spyhop::{
    AsyncEngine, ContentId, Engine, ErrorKind, FilesRequest, GraphQuestion, GraphRequest, GrepRequest,
    LanguagesRequest, MapRequest, Options, SearchRequest, SourceEntry, SourceTree, SymbolsRequest,
};

use crate::support::Tree;

const FILES: usize = 400;

/// A tree of many files, each of which takes some milliseconds to read.
struct Slow {
    pause: Duration,
    reads: AtomicUsize,
}

impl Slow {
    fn text(path: &str) -> String {
        format!("pub fn in_{}() {{}}\n", path.trim_end_matches(".rs"))
    }
}

impl SourceTree for Slow {
    fn list(&self, folder: &str) -> io::Result<Vec<SourceEntry>> {
        assert_eq!(folder, "");
        let names = (0..FILES).map(|number| format!("f{number}.rs"));
        let entry = |name: String| {
            let text = Slow::text(&name);
            SourceEntry::file(name, text.len() as u64, ContentId::of(text.as_bytes()))
        };
        Ok(names.map(entry).collect())
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self.reads.fetch_add(1, Relaxed);
        std::thread::sleep(self.pause);
        Ok(Slow::text(path).into_bytes())
    }

    fn version(&self) -> Option<u64> {
        Some(1)
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().build().unwrap()
}

/// An engine of a slow tree that reads one file at a time.
fn slow() -> (Arc<Slow>, AsyncEngine) {
    let tree = Arc::new(Slow { pause: Duration::from_millis(5), reads: AtomicUsize::new(0) });
    let options = Options { threads: Some(1), ..Options::default() };
    (tree.clone(), Engine::in_memory(tree, options).unwrap().into())
}

/// Begins a call, drops its future after some reads, and returns the number of reads when the work has ended.
fn reads_of_dropped(tree: &Slow, call: impl Future) -> usize {
    let before = tree.reads.load(Relaxed);
    runtime().block_on(async {
        let mut call = pin!(call);
        let begun = poll_fn(|context| Poll::Ready(call.as_mut().poll(context).is_pending())).await;
        assert!(begun);
        while tree.reads.load(Relaxed) < before + 20 {
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    // The runtime has ended, and with it the thread of the call, so nothing reads any more.
    let ended = tree.reads.load(Relaxed);
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(tree.reads.load(Relaxed), ended);
    ended - before
}

#[test]
fn a_dropped_grep_ends() {
    let (tree, engine) = slow();
    let reads = reads_of_dropped(&tree, engine.ask(GrepRequest::new("nowhere")));
    assert!((20..FILES / 2).contains(&reads), "{reads} reads");
    // The engine still answers.
    let reply = runtime().block_on(engine.ask(GrepRequest::new("in_f399"))).unwrap();
    assert_eq!((reply.total_lines, reply.lines[0].path.as_str()), (1, "f399.rs"));
}

#[test]
fn a_dropped_refresh_ends_and_the_next_one_continues() {
    let (tree, engine) = slow();
    let reads = reads_of_dropped(&tree, engine.refresh(|_| ()));
    assert!((20..FILES / 2).contains(&reads), "{reads} reads");
    let report = runtime().block_on(engine.refresh(|_| ())).unwrap();
    let all = tree.reads.load(Relaxed);
    assert_eq!(all, FILES, "of these {reads} before the drop; {report:?}");
    assert_eq!(runtime().block_on(engine.status()).unwrap().files, FILES);
}

#[test]
fn answers_are_those_of_the_engine() {
    let tree = Tree::small();
    let options = Options { index_dir: Some(tree.beside("index")), ..Options::default() };
    runtime().block_on(async {
        let engine = AsyncEngine::open(tree.root(), options).await.unwrap();
        engine.refresh(|_| ()).await.unwrap();
        let search = engine.ask(SearchRequest::new("resolve_api_key")).await.unwrap();
        let blocking = engine.engine().search(&SearchRequest::new("resolve_api_key")).unwrap();
        assert_eq!(format!("{:?}", search.results), format!("{:?}", blocking.results));
        assert_eq!(engine.ask(FilesRequest::new("auth")).await.unwrap().total, 1);
        assert_eq!(engine.ask(SymbolsRequest::new("vault")).await.unwrap().total, 1);
        assert_eq!(engine.ask(MapRequest::default()).await.unwrap().files, 3);
        let graph = GraphRequest::new(GraphQuestion::Callers, "resolve_api_key");
        assert_eq!(engine.ask(graph).await.unwrap().total, 1);
        // Any other operation, and several in one call.
        let languages = engine
            .run(|engine| Ok(engine.ask(&LanguagesRequest)?.languages.len() + engine.count_files(9)?))
            .await;
        assert!(languages.unwrap() > 3);

        let error = engine.ask(SearchRequest::new("")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadRequest);
        let error = engine.run(|_| -> Result<(), _> { panic!("no such thing") }).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Internal, "{error}");
        let error = AsyncEngine::open(tree.beside("none"), Options::default()).await.err().unwrap();
        assert_eq!(error.kind(), ErrorKind::NoRoot);
    });
}
