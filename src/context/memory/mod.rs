//! Revision memory: durable notes about the code of a tree, such as failures, changes and explanations.
//!
//! The notes of a tree are a log beside the data of its index, in a folder that no update, rebuild or collection of the
//! index touches ([`NotePlace`]). Readers take no lock. A writer appends a record and syncs it before the note counts as
//! recorded. The floor knows notes as data: the engine resolves links, judges whether they are stale, and masks replies.
//!
//! Which notes help with a question is decided by evidence ([`relevance()`]): shared words, weighed by their rarity, the
//! text of an error, and shared symbols and files. A note below the cut-off is not shown.

mod check;
mod error;
mod exchange;
mod limits;
mod log;
mod moving;
mod note;
mod notebook;
mod relevance;
#[cfg(test)]
mod tests;

pub use check::{prepare, texts};
pub use error::MemoryError;
pub use exchange::{BadLine, from_lines, to_lines};
pub use limits::{
    MAX_DIFF_BYTES, MAX_IMPORTED, MAX_ITEMS, MAX_LINE_BYTES, MAX_LINKS, MAX_NOTES, MAX_TEXT_BYTES,
};
pub use moving::move_notes;
pub use note::{Applicability, NoteKind, NoteLink, Retirement, RevisionNote, Verification, Verifier};
pub use notebook::{NotePlace, NoteStamp, Notebook, RecordOutcome, by_id};
pub use relevance::{
    CUT_OFF, FURTHER_CUT_OFF, NoteQuestion, NoteReason, NoteTerms, Relevance, relevance, words,
};
