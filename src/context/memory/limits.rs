//! The limits of notes: the cost of one note for a reader, and of all notes for a process.

/// The most notes of a tree, with the retired ones.
pub const MAX_NOTES: usize = 2_000;

/// The most bytes of the text of a note.
pub const MAX_TEXT_BYTES: usize = 8_000;

/// The most bytes of a diff in a note.
pub const MAX_DIFF_BYTES: usize = 16_000;

/// The most signals, paths, languages and conditions of a note, each.
pub const MAX_ITEMS: usize = 16;

/// The most bytes of a signal.
pub(crate) const MAX_SIGNAL_BYTES: usize = 1_000;

/// The most bytes of any other short text: a condition, a path pattern, a reference, an author, a time.
pub(crate) const MAX_SHORT_BYTES: usize = 300;

/// The most links of a note.
pub const MAX_LINKS: usize = 64;

/// The most lines of an import: a few exports.
pub const MAX_IMPORTED: usize = 10 * MAX_NOTES;

/// The most bytes of a line of an import.
pub const MAX_LINE_BYTES: usize = 256 << 10;

/// The most bytes of a log that is read. All notes at their limits fit.
pub(super) const MAX_LOG_BYTES: u64 = 512 << 20;

/// A log of fewer bytes is not rewritten.
pub(super) const MIN_REWRITTEN: u64 = 256 << 10;
