//! Changes of a hosted tree at moments at which an engine works with it: while an update runs, between the index and the
//! answer, and where files and folders take each other's places.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use spyhop::{
    Change, Engine, ErrorKind, MemoryTree, OnMissing, Options, SearchRequest, SourceEntry, SourceTree,
    StalePolicy,
};

use crate::support::{Tree, ask, check_alike, first, in_memory, refresh};

type Hook = Box<dyn Fn() + Send>;

/// A source that its host changes at any time and that runs a hook before it gives bytes.
#[derive(Default)]
struct Changing {
    tree: Mutex<MemoryTree>,
    /// `u64::MAX` for a source that cannot tell its version.
    version: AtomicU64,
    lists: AtomicUsize,
    before_read: Mutex<Option<Hook>>,
}

impl Changing {
    fn of(files: &[(&str, &str)]) -> Arc<Changing> {
        let tree = MemoryTree::of(files.iter().copied()).unwrap();
        Arc::new(Changing { tree: Mutex::new(tree), ..Changing::default() })
    }

    fn set(&self, path: &str, text: &str) {
        self.tree.lock().unwrap().insert(path, text).unwrap();
    }

    /// Runs `hook` once, before the next file is read.
    fn before_next_read(&self, hook: impl Fn() + Send + 'static) {
        *self.before_read.lock().unwrap() = Some(Box::new(hook));
    }
}

impl SourceTree for Changing {
    fn list(&self, folder: &str) -> io::Result<Vec<SourceEntry>> {
        self.lists.fetch_add(1, SeqCst);
        self.tree.lock().unwrap().list(folder)
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let hook = self.before_read.lock().unwrap().take();
        if let Some(hook) = hook {
            hook();
        }
        self.tree.lock().unwrap().read(path)
    }

    fn version(&self) -> Option<u64> {
        Some(self.version.load(SeqCst)).filter(|version| *version != u64::MAX)
    }
}

/// A handle that answers from the last commit.
fn as_it_is(engine: &Engine) -> Engine {
    let policy = engine.policy();
    engine.with_policy(spyhop::CallPolicy {
        on_missing: OnMissing::Fail,
        stale_policy: StalePolicy::Ignore,
        ..policy
    })
}

const OLD: &str = "/// The former text.\npub fn merge_token() {}\n";
const NEW: &str = "/// Text that no commit has, at the place of the former text.\npub fn other() {}\n";

#[test]
fn text_that_is_not_indexed_is_not_shown_as_indexed() {
    let source = Changing::of(&[("a.rs", OLD)]);
    let engine = in_memory(Arc::clone(&source));
    let hit = &ask(&engine, "merge_token").results[0];
    assert!(hit.snippet.as_ref().is_some_and(|snippet| snippet.text.contains("merge_token")));
    source.set("a.rs", NEW);
    let of_index = as_it_is(&engine);
    for version in [0, 1] {
        source.version.store(version, SeqCst);
        let reply = ask(&of_index, "merge_token");
        assert_eq!(reply.results[0].snippet, None, "version {version}");
    }
    assert!(ask(&engine, "merge_token").results.is_empty());
}

#[test]
fn the_indexed_text_of_a_layer_answers_for_its_commit() {
    let source = Changing::of(&[("a.rs", "fn nothing() {}\n")]);
    source.version.store(u64::MAX, SeqCst);
    let engine = in_memory(source);
    engine.apply([Change::write("a.rs", OLD)]).unwrap();
    refresh(&engine);
    engine.apply([Change::write("a.rs", NEW)]).unwrap();
    let reply = ask(&as_it_is(&engine), "merge_token");
    let text = reply.results[0].snippet.as_ref().map(|snippet| snippet.text.as_str());
    assert!(text.is_some_and(|text| text.contains("merge_token")), "{text:?}");
    assert_eq!(first(&engine, "other").as_deref(), Some("other"));
}

#[test]
fn files_and_folders_take_each_others_places() {
    let files = [("a/x.rs", OLD), ("a/deep/y.rs", OLD), ("b.rs", OLD), ("c.md", "# Merge the token\n")];
    let engine = in_memory(MemoryTree::of(files).unwrap());
    let steps = [
        (vec![Change::write("a", OLD)], vec![("a", OLD), files[2], files[3]]),
        (vec![Change::write("a/z.rs", OLD)], vec![("a/z.rs", OLD), files[2], files[3]]),
        (vec![Change::write("a", NEW)], vec![("a", NEW), files[2], files[3]]),
        (vec![Change::restore("a")], files.to_vec()),
        (
            vec![Change::write("b.rs/in/er.rs", OLD)],
            vec![files[0], files[1], ("b.rs/in/er.rs", OLD), files[3]],
        ),
        (vec![Change::restore("b.rs/in/er.rs")], files.to_vec()),
        (vec![Change::remove("a"), Change::write("a/x.rs", NEW)], vec![("a/x.rs", NEW), files[2], files[3]]),
        (vec![Change::restore("a")], files.to_vec()),
        (vec![Change::write("a/deep/y.rs", NEW), Change::restore("a/deep/y.rs")], files.to_vec()),
    ];
    let requests = ["merge_token", "merge the token"].map(SearchRequest::new);
    for (number, (changes, expected)) in steps.into_iter().enumerate() {
        engine.apply(changes).unwrap();
        check_alike(&engine, &in_memory(MemoryTree::of(expected).unwrap()), &requests, &number.to_string());
    }
}

#[test]
fn a_report_of_changes_does_not_ask_the_source() {
    let source = Changing::of(&[("a/x.rs", OLD), ("b.rs", OLD)]);
    let engine = in_memory(Arc::clone(&source));
    refresh(&engine);
    source.lists.store(0, SeqCst);
    engine.apply([Change::write("a/y.rs", NEW), Change::write("new/er/z.rs", NEW)]).unwrap();
    engine.apply([Change::write("b.rs/in.rs", NEW), Change::restore("a/y.rs")]).unwrap();
    assert_eq!(source.lists.load(SeqCst), 0);
    assert_eq!(ask(&engine, "other").results.len(), 2);
}

#[test]
fn more_changes_than_are_counted_arrive_during_an_update() {
    let source = Changing::of(&[("a.rs", OLD)]);
    let engine = Arc::new(in_memory(Arc::clone(&source)));
    let host = Arc::downgrade(&engine);
    source.before_next_read(move || {
        let engine = host.upgrade().unwrap();
        engine.apply((0..100_001).map(|_| Change::write("b.rs", NEW))).unwrap();
    });
    refresh(&engine);
    assert_eq!(first(&engine, "other").as_deref(), Some("other"));
    engine.apply([Change::remove("a.rs")]).unwrap();
    assert!(ask(&engine, "merge_token").results.is_empty());
}

#[test]
fn a_panic_of_a_source_is_an_error_of_the_call() {
    struct Panicking(MemoryTree, AtomicBool);
    impl SourceTree for Panicking {
        fn list(&self, folder: &str) -> io::Result<Vec<SourceEntry>> {
            self.0.list(folder)
        }
        fn read(&self, path: &str) -> io::Result<Vec<u8>> {
            self.0.read(path)
        }
        fn version(&self) -> Option<u64> {
            assert!(!self.1.load(SeqCst), "the source has a fault");
            self.0.version()
        }
    }
    let source = Panicking(MemoryTree::of([("a.rs", OLD)]).unwrap(), AtomicBool::new(true));
    let source = Arc::new(source);
    let engine = in_memory(Arc::clone(&source));
    let error = engine.refresh(&|_| ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Internal);
    assert!(error.to_string().contains("the source has a fault"), "{error}");
    source.1.store(false, SeqCst);
    assert_eq!(first(&engine, "merge_token").as_deref(), Some("merge_token"));
}

#[test]
fn an_answer_waits_for_a_rebuild() {
    let source = Changing::of(&[("a.rs", OLD)]);
    let engine = in_memory(Arc::clone(&source));
    refresh(&engine);
    let (begun, begins) = mpsc::channel();
    source.before_next_read(move || {
        begun.send(()).unwrap();
        std::thread::sleep(Duration::from_millis(300));
    });
    std::thread::scope(|scope| {
        let rebuilt = scope.spawn(|| engine.rebuild(&|_| ()).unwrap());
        begins.recv().unwrap();
        engine.apply([Change::write("b.rs", NEW)]).unwrap();
        let reply = ask(&engine, "other");
        assert_eq!(reply.warnings, Vec::<String>::new());
        assert_eq!(reply.results[0].path.as_str(), "b.rs");
        assert_eq!(rebuilt.join().unwrap().added, 1);
    });
}

#[test]
fn a_damaged_index_is_made_anew_from_the_source() {
    let tree = Tree::small();
    let options = Options { index_dir: Some(tree.beside("index")), ..Options::default() };
    let engine = Engine::in_memory(tree.memory(), options).unwrap();
    engine.apply([Change::write("new.rs", NEW)]).unwrap();
    refresh(&engine);
    engine.release_caches();
    let mut damaged = 0;
    let mut folders = vec![engine.index_dir().to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let is_record = entry.path().components().any(|part| part.as_os_str() == "meta");
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else if is_record {
                let mut bytes = std::fs::read(entry.path()).unwrap();
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                std::fs::write(entry.path(), bytes).unwrap();
                damaged += 1;
            }
        }
    }
    assert!(damaged > 0);
    let reply = ask(&engine, "other");
    assert_eq!(reply.results[0].path.as_str(), "new.rs");
    assert!(reply.warnings[0].contains("damaged"), "{:?}", reply.warnings);
    engine.apply([Change::remove("new.rs")]).unwrap();
    assert!(ask(&engine, "other").results.is_empty());
}
