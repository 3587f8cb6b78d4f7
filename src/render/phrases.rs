//! Texts that several formats share.

use crate::model::Note;

/// The name of a note in JSON, and its description in text.
pub(super) fn note_words(note: Note) -> (&'static str, &'static str) {
    match note {
        Note::SyntaxErrors => ("syntax-errors", "the parser met errors"),
        Note::TooDeep => ("too-deep", "nested too deep to parse, cut by lines"),
        Note::ParseBudget => ("parse-budget", "parsing was given up, cut by lines"),
        Note::Decoded => ("decoded", "decoded from another encoding than UTF-8"),
        Note::PathOnly => ("path-only", "found by path only"),
        Note::Quarantined => ("quarantined", "its parser failed, cut by lines"),
        Note::TextOnly => ("text-only", "not parsed yet, cut by lines"),
    }
}
