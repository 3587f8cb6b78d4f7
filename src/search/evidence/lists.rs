//! The lists of files that are fused, by name.

/// A list of files, ordered by one kind of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FusedList {
    /// The score of the text of the whole file.
    Body,
    /// The score of the best chunk.
    Chunk,
    /// The scores of the best chunks together.
    Chunks,
    /// The score of the symbols of the best chunk.
    Symbol,
    /// The score of the file name.
    Name,
    /// The score of the path.
    Path,
    /// The score of the comments.
    Comment,
    /// The number of query names that the file defines.
    Definitions,
    /// The number of lines that contain the query as written; known for the files of the literal pass only.
    Literal,
}

impl FusedList {
    /// All lists.
    pub const ALL: [FusedList; 9] = [
        FusedList::Body,
        FusedList::Chunk,
        FusedList::Chunks,
        FusedList::Symbol,
        FusedList::Name,
        FusedList::Path,
        FusedList::Comment,
        FusedList::Definitions,
        FusedList::Literal,
    ];
}
