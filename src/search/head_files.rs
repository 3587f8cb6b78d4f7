//! What the order of a head needs to know of its files, besides their measures.

use super::snapshot::SearchSnapshot;
use spyhop_base::id::ContentHash;

/// The files of a head, and their chunks: those of a snapshot, or those of which shards have told.
pub trait HeadFiles {
    fn path(&self, file: u32) -> &str;

    /// The number of the tree of a file.
    fn member_of(&self, file: u32) -> usize;

    /// The hash of the indexed bytes; `None` if only the path of the file is ranked.
    fn content(&self, file: u32) -> Option<ContentHash>;

    fn file_of_doc(&self, doc: u32) -> u32;

    /// The byte at which a chunk begins in its file.
    fn start(&self, doc: u32) -> u32;

    /// The chunk of a file that contains a byte, or another chunk of the file if chunks are not told apart.
    fn doc_of(&self, file: u32, at: u32) -> u32;
}

impl HeadFiles for SearchSnapshot {
    fn path(&self, file: u32) -> &str {
        SearchSnapshot::path(self, file)
    }

    fn member_of(&self, file: u32) -> usize {
        SearchSnapshot::member_of(self, file)
    }

    fn content(&self, file: u32) -> Option<ContentHash> {
        self.version(file).content().ranked()
    }

    fn file_of_doc(&self, doc: u32) -> u32 {
        SearchSnapshot::file_of_doc(self, doc)
    }

    fn start(&self, doc: u32) -> u32 {
        SearchSnapshot::start(self, doc)
    }

    fn doc_of(&self, file: u32, at: u32) -> u32 {
        let docs = self.docs(file);
        docs.clone().rev().find(|doc| SearchSnapshot::start(self, *doc) <= at).unwrap_or(docs.start)
    }
}
