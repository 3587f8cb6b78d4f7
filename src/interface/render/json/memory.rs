//! The wire format of notes.

use serde::Serialize;

use super::shared::{JsonPaths, WirePath, rounded};
use spyhop_engine::api::{
    Applicability, ImportedNotes, LinkRow, NoteRow, NotesReply, RevisionNote, Verification,
};

/// Notes.
pub fn notes<'r>(reply: &'r NotesReply, paths: JsonPaths<'r>) -> impl Serialize + use<'r> {
    WireNotes {
        results: reply.notes.iter().map(|row| WireNote::new(row, paths)).collect(),
        total: reply.total,
        warnings: &reply.warnings,
    }
}

/// The outcome of an import of notes.
pub fn imported_notes(imported: &ImportedNotes) -> impl Serialize + use<> {
    let bad = |bad: &spyhop_engine::api::BadLine| WireBadLine { line: bad.line, reason: bad.reason.clone() };
    WireImportedNotes {
        added: imported.added,
        changed: imported.changed,
        unchanged: imported.unchanged,
        bad_lines: imported.bad_lines.iter().map(bad).collect(),
        warnings: imported.warnings.clone(),
    }
}

#[derive(Serialize)]
struct WireImportedNotes {
    added: usize,
    changed: usize,
    unchanged: usize,
    bad_lines: Vec<WireBadLine>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct WireBadLine {
    line: usize,
    reason: String,
}

#[derive(Serialize)]
struct WireNotes<'a> {
    results: Vec<WireNote<'a>>,
    total: usize,
    warnings: &'a [String],
}

/// A note. `untrusted` says that the texts come from outside.
#[derive(Serialize)]
pub(super) struct WireNote<'a> {
    id: &'a str,
    kind: &'static str,
    untrusted: bool,
    text: &'a str,
    signals: &'a [String],
    applies: WireApplies<'a>,
    verification: WireVerification<'a>,
    stale: bool,
    links: Vec<WireLink<'a>>,
    commit: Option<&'a str>,
    diff: Option<&'a str>,
    time: &'a str,
    author: Option<&'a str>,
    retired: Option<WireRetired<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<WireNoteReason<'a>>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct WireApplies<'a> {
    paths: &'a [String],
    languages: &'a [String],
    conditions: &'a [String],
}

#[derive(Serialize)]
struct WireVerification<'a> {
    state: &'static str,
    by: Option<&'static str>,
    reference: Option<&'a str>,
}

#[derive(Serialize)]
struct WireLink<'a> {
    #[serde(flatten)]
    path: WirePath<'a>,
    symbol: Option<&'a str>,
    state: &'static str,
    renamed_to: Option<&'a str>,
}

#[derive(Serialize)]
struct WireRetired<'a> {
    reason: &'a str,
    time: &'a str,
}

#[derive(Serialize)]
struct WireNoteReason<'a> {
    signal: &'static str,
    /// What the evidence adds to the log-odds of the score.
    weight: f64,
    text: &'a str,
}

impl<'a> WireNote<'a> {
    pub(super) fn new(row: &'a NoteRow, json_paths: JsonPaths<'a>) -> WireNote<'a> {
        let RevisionNote { id, kind, text, signals, applies, verification, .. } = &row.note;
        let Applicability { paths, languages, conditions } = applies;
        let by = match verification {
            Verification::Verified { by, .. } => Some(by.name()),
            Verification::Unverified | Verification::Contradicted { .. } => None,
        };
        let reference = verification.reference().map(String::as_str);
        let link = |link: &'a LinkRow| WireLink {
            path: json_paths.of(&link.path),
            symbol: link.symbol.as_deref(),
            state: link.state.name(),
            renamed_to: link.renamed_to.as_ref().map(|path| path.as_str()),
        };
        let reasons = row.reasons.iter().map(|reason| WireNoteReason {
            signal: reason.signal,
            weight: rounded(reason.contribution),
            text: &reason.text,
        });
        WireNote {
            id,
            kind: kind.name(),
            untrusted: true,
            text,
            signals,
            applies: WireApplies { paths, languages, conditions },
            verification: WireVerification { state: verification.name(), by, reference },
            stale: row.is_stale(),
            links: row.links.iter().map(link).collect(),
            commit: row.note.commit.as_deref(),
            diff: row.note.diff.as_deref(),
            time: &row.note.time,
            author: row.note.author.as_deref(),
            retired: row
                .note
                .retired
                .as_ref()
                .map(|own| WireRetired { reason: &own.reason, time: &own.time }),
            score: row.score.map(rounded),
            reasons: reasons.collect(),
            warnings: &row.warnings,
        }
    }
}
