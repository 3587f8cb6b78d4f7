//! Many threads and several engines over one index: whole answers, no errors, and the lock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use spyhop_base::store::Lock;
use spyhop_engine::api::{Options, SearchReply, SearchRequest, StalePolicy, State};
use spyhop_engine::{Engine, ErrorKind};

use super::{Tree, ask, open, options, paths, refresh};
use crate::support::SMALL;

const FILES: usize = 24;

/// How many states the tree goes through: enough that segments are merged on the way.
const STATES: usize = 14;

/// The word that every file holds in a state.
fn word(state: usize) -> String {
    format!("qx{}qx", char::from(b'a' + state as u8))
}

/// Writes every file of a state, each at once: nobody may find one half written.
fn write(tree: &Tree, state: usize) {
    let beside = tree.root().with_file_name("next.rs");
    for file in 0..FILES {
        std::fs::write(&beside, format!("/// {}\nfn number_{file}() {{}}\n", word(state))).unwrap();
        std::fs::rename(&beside, tree.root().join(format!("f{file}.rs"))).unwrap();
    }
}

fn with(tree: &Tree, stale_policy: StalePolicy) -> Engine {
    Engine::open(tree.root(), Options { stale_policy, ..options(tree) }).unwrap()
}

/// Runs `writer` while `searchers` threads call `search` over and over.
fn meanwhile(searchers: usize, search: impl Fn(usize) + Sync, writer: impl FnOnce()) {
    let done = AtomicBool::new(false);
    /// Tells the searchers to end, even if the writer panics.
    struct Done<'d>(&'d AtomicBool);
    impl Drop for Done<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    std::thread::scope(|scope| {
        for searcher in 0..searchers {
            let (done, search) = (&done, &search);
            scope.spawn(move || {
                let mut turn = searcher;
                while !done.load(Ordering::Relaxed) {
                    search(turn);
                    turn += 1;
                }
            });
        }
        let _done = Done(&done);
        writer();
    });
}

#[test]
fn an_answer_is_of_one_generation_while_others_are_made() {
    let tree = Tree::new("");
    write(&tree, 0);
    let (engine, other) = (with(&tree, StalePolicy::Ignore), with(&tree, StalePolicy::Ignore));
    let first = refresh(&engine).generation.0;
    let search = |turn: usize| {
        let state = turn % STATES;
        let engine = if turn.is_multiple_of(3) { &other } else { &engine };
        let request = SearchRequest { max_results: 50, per_file: 1, ..SearchRequest::new(word(state)) };
        let reply = engine.search(&request).unwrap();
        // A state is a generation, and all of its files hold its word.
        let expected = if reply.snapshot.generation.0 == first + state as u64 { FILES } else { 0 };
        assert_eq!(reply.results.len(), expected, "state {state}: {:?}", reply.snapshot);
        assert_eq!(reply.snapshot.indexed_files, FILES);
    };
    meanwhile(4, search, || {
        for state in 1..STATES {
            write(&tree, state);
            assert_eq!(refresh(&engine).generation.0, first + state as u64);
        }
    });
    assert_eq!(ask(&engine, &word(STATES - 1)).total, FILES);
}

#[test]
fn two_engines_refresh_one_index() {
    let tree = Tree::new("");
    write(&tree, 0);
    let engines = [open(&tree), open(&tree)];
    refresh(&engines[0]);
    let search = |turn: usize| {
        // Each search refreshes; one that finds the other at it answers from the last commit and says so.
        let reply = ask(&engines[turn % 2], "number_3");
        assert_eq!((paths(&reply)[0], reply.snapshot.indexed_files), ("f3.rs", FILES));
        let warnings = &reply.warnings;
        assert!(warnings.iter().all(|warning| warning.contains(" process is indexing")), "{warnings:?}");
    };
    meanwhile(3, search, || (1..STATES).for_each(|state| write(&tree, state)));
    for engine in &engines {
        let reply = ask(engine, &word(STATES - 1));
        assert_eq!((reply.total, &reply.warnings[..]), (FILES, &[][..]));
        assert_eq!(ask(engine, &word(STATES - 2)).total, 0);
    }
}

/// What an answer says: its paths and its warnings.
fn says(reply: &SearchReply) -> (Vec<&str>, usize) {
    (paths(reply), reply.warnings.len())
}

#[test]
fn a_held_lock_fails_a_refresh_and_not_a_search() {
    let tree = Tree::new(SMALL);
    let engine = open(&tree);
    refresh(&engine);
    let lock = Lock::acquire(&tree.index_dir().join("lock"), Duration::ZERO, &mut |_| {}).unwrap();
    tree.write("src/auth.rs", "pub fn resolve_nothing() {}\n");
    let error = engine.refresh(&|_| ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Locked);
    assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
    assert_eq!(engine.rebuild(&|_| ()).unwrap_err().kind(), ErrorKind::Locked);
    let reply = ask(&engine, "secret");
    assert_eq!(says(&reply), (vec!["src/auth.rs"], 1));
    assert!(reply.warnings[0].ends_with("this answer is from the last commit"), "{:?}", reply.warnings);
    assert!(reply.results[0].stale && reply.results[0].snippet.is_none());
    assert_eq!(engine.status().unwrap().state, State::Indexing);
    // As another process sees it.
    let ran = tree.run(&["search", "secret", "--index-dir", tree.index_dir().to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("another process is indexing"), "{}", ran.err);
    drop(lock);
    assert_eq!(says(&ask(&engine, "secret")), (vec![], 0));
    assert_eq!(says(&ask(&engine, "resolve_nothing")).0, ["src/auth.rs"]);
}

/// What this process maps of an index.
#[cfg(target_os = "linux")]
fn mapped(tree: &Tree) -> usize {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let dir = tree.index_dir();
    maps.lines().filter(|line| line.contains(dir.to_str().unwrap())).count()
}

#[cfg(target_os = "linux")]
#[test]
fn an_engine_that_rests_keeps_nothing_open_and_answers_as_before() {
    let tree = Tree::new("");
    write(&tree, 0);
    let engine = open(&tree);
    let before = paths(&ask(&engine, &word(0))).join(" ");
    assert!(mapped(&tree) > 0);
    engine.release_caches();
    assert_eq!(mapped(&tree), 0);
    assert_eq!(paths(&ask(&engine, &word(0))).join(" "), before);
    meanwhile(
        2,
        |_| assert_eq!(paths(&ask(&engine, &word(0))).join(" "), before),
        || (0..20).for_each(|_| engine.release_caches()),
    );
}
