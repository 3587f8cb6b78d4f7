//! What a host may rely on: threads share the library's types.

use std::time::{Duration, Instant};

use spyhop::{
    Cancel, Change, Engine, Error, ErrorKind, FolderTree, GraphReply, GrepReply, Library, MemoryTree,
    Options, PackReply, Profile, RevisionTree, SearchReply, SearchRequest, Session, SourceSet, Stop, ZipTree,
};

#[test]
fn a_deadline_ends_a_call_and_the_next_call_is_whole() {
    let engine = crate::support::in_memory(crate::support::Tree::mixed(60).memory());
    let ask = |cancel: &Cancel| Engine::cancellable(cancel, || engine.search(&SearchRequest::new("merge")));
    let error = ask(&Cancel::at(Instant::now())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    let late = Cancel::at(Instant::now() + Duration::from_secs(600));
    assert!(!ask(&late).unwrap().results.is_empty());
    late.cancel();
    assert_eq!(ask(&late).unwrap_err().kind(), ErrorKind::Cancelled);
}

#[test]
fn threads_share_every_handle_request_and_reply() {
    fn is_shared<T: Send + Sync + 'static>() {}
    is_shared::<Engine>();
    is_shared::<SourceSet>();
    is_shared::<Library>();
    is_shared::<Options>();
    is_shared::<Profile>();
    is_shared::<Session>();
    is_shared::<(Cancel, Stop, Error)>();
    is_shared::<(Change, FolderTree, MemoryTree, RevisionTree, ZipTree)>();
    is_shared::<(SearchRequest, SearchReply, GrepReply, GraphReply, PackReply)>();
}
