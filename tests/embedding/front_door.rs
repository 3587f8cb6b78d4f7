//! What a host may rely on: threads share the library's types.

use spyhop::{
    Cancel, Change, Engine, Error, FolderTree, GraphReply, GrepReply, Library, MemoryTree, Options,
    PackReply, Profile, RevisionTree, SearchReply, SearchRequest, Session, SourceSet, Stop, ZipTree,
};

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
