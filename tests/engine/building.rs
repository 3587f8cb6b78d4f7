//! While the first index of a tree is being built, and what is left when that is cut short.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use spyhop_engine::api::{GrepRequest, OnMissing, Options, SearchRequest, StalePolicy, State};
use spyhop_engine::{Engine, ErrorKind};

use super::{Tree, open, options, paths, refresh};

/// Enough that its first index takes longer than until the first checkpoint, when each file takes a moment.
const FILES: usize = 400;

fn large() -> Tree {
    let tree = Tree::new("");
    for file in 0..FILES {
        tree.write(&format!("src/part{file:03}.rs"), format!("pub fn turn_{file}() {{}} // provider\n"));
    }
    tree
}

/// An engine that answers what there is.
fn at_once(tree: &Tree, stale_policy: StalePolicy) -> Engine {
    let options = Options { stale_policy, on_missing: OnMissing::Fail, ..options(tree) };
    Engine::open(tree.root(), options).unwrap()
}

/// Until somebody has begun, so that it is not the test that builds.
fn wait_for_the_builder(tree: &Tree) {
    while at_once(tree, StalePolicy::Ignore).status().unwrap().state != State::Indexing {
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn searches_answer_from_what_there_is_so_far() {
    let tree = large();
    let (answered, is_done) = (AtomicUsize::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // Every file takes a moment, so that the first index takes some.
            let refreshed = open(&tree).refresh(&|_| std::thread::sleep(Duration::from_millis(20)));
            is_done.store(true, Ordering::SeqCst);
            refreshed.unwrap();
        });
        wait_for_the_builder(&tree);
        let mut seen = 0;
        while !is_done.load(Ordering::SeqCst) {
            // One that may build waits for something to answer from, and no longer.
            let reply = open(&tree).search(&SearchRequest::new("provider")).unwrap();
            let Some(building) = reply.snapshot.building else { continue };
            assert!(
                building.files >= seen && building.files < FILES && building.total_files == FILES,
                "{building:?}"
            );
            assert_eq!(reply.snapshot.indexed_files, building.files);
            assert!(
                !reply.literal_complete && reply.warnings[0].contains("is being built"),
                "{:?}",
                reply.warnings
            );
            assert!(!reply.results.is_empty());
            for policy in [StalePolicy::Ignore, StalePolicy::Warn, StalePolicy::Refresh] {
                let part = at_once(&tree, policy).search(&SearchRequest::new("provider")).unwrap();
                assert!(part.snapshot.indexed_files >= building.files);
            }
            // A part says nothing of where else a line may stand.
            let lines = at_once(&tree, StalePolicy::Ignore).ask(&GrepRequest::new("provider")).unwrap();
            assert_eq!(lines.total_files, FILES);
            let status = at_once(&tree, StalePolicy::Ignore).status().unwrap();
            assert!(matches!(status.state, State::Indexing | State::Ready), "{:?}", status.state);
            seen = building.files;
            answered.fetch_add(1, Ordering::SeqCst);
        }
    });
    assert!(answered.load(Ordering::SeqCst) > 0, "nothing was answered while the index was being built");
    let reply = open(&tree).search(&SearchRequest::new("provider")).unwrap();
    assert_eq!((reply.snapshot.building, reply.snapshot.indexed_files), (None, FILES));
    assert_eq!(open(&tree).status().unwrap().state, State::Ready);
}

#[test]
fn a_request_for_the_whole_answer_waits() {
    let tree = large();
    std::thread::scope(|scope| {
        let builder = scope.spawn(|| {
            open(&tree).refresh(&|_| std::thread::sleep(Duration::from_millis(15))).unwrap();
        });
        wait_for_the_builder(&tree);
        let waiting = Options { stale_policy: StalePolicy::Wait, ..options(&tree) };
        let reply =
            Engine::open(tree.root(), waiting).unwrap().search(&SearchRequest::new("turn_399")).unwrap();
        assert_eq!((paths(&reply)[0], reply.snapshot.building), ("src/part399.rs", None));
        builder.join().unwrap();
    });
}

#[test]
fn data_of_another_version_stay_until_they_are_collected() {
    let tree = Tree::new(crate::support::SMALL);
    let index = tree.index_dir();
    refresh(&open(&tree));
    // What other versions would have left: the first had no separate folder, a later one may be in use.
    for folder in ["meta", "tantivy", "v1-0123456789ab/tantivy", "v999-0123456789ab/tantivy"] {
        std::fs::create_dir_all(index.join(folder)).unwrap();
        std::fs::write(index.join(folder).join("meta.json"), "{}").unwrap();
    }
    tree.write("src/new.rs", "pub fn brand_new() {}\n");
    assert_eq!(refresh(&open(&tree)).added, 1);
    let there = |name: &str| index.join(name).exists();
    assert!(there("tantivy") && there("v1-0123456789ab") && there("v999-0123456789ab"));
    let collected = open(&tree).collect(false, &|_| ()).unwrap();
    assert_eq!(collected.others.len(), 3, "{collected:?}");
    assert!(!there("meta") && !there("tantivy") && !there("v1-0123456789ab"));
    assert!(there("v999-0123456789ab"), "the data of a newer version are not ours to remove");
    assert_eq!(paths(&super::ask(&open(&tree), "brand_new")), ["src/new.rs"]);
    let nowhere = Tree::new(crate::support::SMALL);
    let error = open(&nowhere).collect(false, &|_| ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoIndex, "{error}");
}
