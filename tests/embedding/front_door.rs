//! What a host may rely on: threads share the library's types.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use spyhop::{
    Call, Cancel, Change, Corpus, Engine, Error, ErrorKind, FolderTree, GraphReply, GrepReply, Library,
    MemoryTree, Options, PackReply, Profile, RevisionTree, SearchReply, SearchRequest, Session, SourceEntry,
    SourceTree, Stop, ZipTree,
};

/// A source whose third folder takes until a deadline.
struct Slow {
    tree: MemoryTree,
    lists: AtomicUsize,
    until: Instant,
}

impl SourceTree for Slow {
    fn list(&self, folder: &str) -> io::Result<Vec<SourceEntry>> {
        if self.lists.fetch_add(1, Relaxed) == 2 {
            std::thread::sleep(self.until.saturating_duration_since(Instant::now()));
        }
        self.tree.list(folder)
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self.tree.read(path)
    }
}

#[test]
fn a_deadline_ends_a_call_and_the_next_call_is_whole() {
    let tree = crate::support::Tree::mixed(60);
    let ask = |engine: &Engine, cancel: &Cancel| {
        Engine::cancellable(cancel, || engine.search(&SearchRequest::new("merge")))
    };
    let options = Options { threads: Some(1), ..Options::default() };
    // A slow machine needs longer until the engine lists the third folder.
    let ended = [2, 8, 32, 128].into_iter().find_map(|seconds| {
        let until = Instant::now() + Duration::from_secs(seconds);
        let source = Arc::new(Slow { tree: tree.memory(), lists: AtomicUsize::new(0), until });
        let engine = Engine::in_memory(Arc::clone(&source), options.clone()).unwrap();
        let error = ask(&engine, &Cancel::at(until)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
        let listed = source.lists.swap(3, Relaxed);
        (listed >= 3).then_some((engine, source, listed))
    });
    let (engine, source, listed) = ended.expect("the call ended before its deadline");
    let late = Cancel::at(Instant::now() + Duration::from_secs(600));
    let reply = ask(&engine, &late).unwrap();
    let all = source.lists.load(Relaxed) - 3;
    assert!(listed * 2 < all, "{listed} of {all} folders were listed until the deadline");
    assert_eq!(reply.snapshot.indexed_files, refreshed_files(&tree));
    late.cancel();
    assert_eq!(ask(&engine, &late).unwrap_err().kind(), ErrorKind::Cancelled);
}

#[test]
fn a_call_that_takes_too_long_says_so() {
    let tree = crate::support::Tree::mixed(20);
    let engine = crate::support::in_memory(tree.memory());
    let ask = |call: Call<'_>| engine.call(&SearchRequest::new("merge"), &call);
    let later = Instant::now() + Duration::from_secs(600);
    let error = ask(Call::default().with_deadline(Instant::now())).unwrap_err();
    assert_eq!((error.kind(), ErrorKind::TimedOut.name()), (ErrorKind::TimedOut, "timed-out"));
    assert!(error.to_string().starts_with("there was no answer within 0 ms"), "{error}");
    let cancel = Cancel::default();
    cancel.cancel();
    let cancelled = ask(Call::default().with_deadline(later).with_cancel(cancel)).unwrap_err();
    assert_eq!(cancelled.kind(), ErrorKind::Cancelled);
    assert!(ask(Call::default().with_deadline(later)).is_ok());
}

/// The number of indexed files of an engine of `tree` that no deadline ended.
fn refreshed_files(tree: &crate::support::Tree) -> usize {
    let engine = crate::support::in_memory(tree.memory());
    engine.search(&SearchRequest::new("merge")).unwrap().snapshot.indexed_files
}

#[test]
fn threads_share_every_handle_request_and_reply() {
    fn is_shared<T: Send + Sync + 'static>() {}
    is_shared::<Engine>();
    is_shared::<Corpus>();
    is_shared::<Library>();
    is_shared::<Options>();
    is_shared::<Profile>();
    is_shared::<Session>();
    is_shared::<(Cancel, Stop, Error)>();
    is_shared::<(Change, FolderTree, MemoryTree, RevisionTree, ZipTree)>();
    is_shared::<(SearchRequest, SearchReply, GrepReply, GraphReply, PackReply)>();
}
