//! Notes as text for people.

use std::fmt::Write;

use super::counts::count;
use crate::render::paint::{Ink, Style};
use spyhop_base::clean::{self, line as clean, short_name};
use spyhop_engine::api::{ImportedNotes, LinkRow, LinkState, NoteRow, NotesReply, Verification};

/// Notes, each with its title, state, text and links.
pub fn notes(reply: &NotesReply, style: &Style) -> String {
    notes_with(reply, note, style)
}

/// Notes with all that they have, also their diffs.
pub(crate) fn whole_notes(reply: &NotesReply, style: &Style) -> String {
    let whole = |out: &mut String, row: &NoteRow, style: &Style| {
        note(out, row, style);
        for line in row.note.diff.iter().flat_map(|diff| diff.lines()) {
            let _ = writeln!(out, "    {}", clean(line));
        }
    };
    notes_with(reply, whole, style)
}

fn notes_with(reply: &NotesReply, note: impl Fn(&mut String, &NoteRow, &Style), style: &Style) -> String {
    let mut out = String::new();
    for row in &reply.notes {
        if !out.is_empty() {
            out.push('\n');
        }
        note(&mut out, row, style);
    }
    if reply.notes.is_empty() {
        out.push_str("no notes\n");
    } else if reply.notes.len() < reply.total {
        let text = format!(
            "{} of {}; more with --max-results",
            reply.notes.len(),
            count(reply.total, "note", "notes")
        );
        let _ = writeln!(out, "\n{}", style.paint(Ink::Dim, &text));
    }
    out
}

fn note(out: &mut String, row: &NoteRow, style: &Style) {
    let note = &row.note;
    let score = row.score.map(|score| format!("  {score:.2}")).unwrap_or_default();
    let author = note.author.as_ref().map(|author| format!(" by {}", clean(author))).unwrap_or_default();
    let source = row.source.as_ref().map(|source| format!("{source}: ")).unwrap_or_default();
    let _ = writeln!(
        out,
        "{source}{}  {}{}",
        style.paint(Ink::Symbol, &note.id),
        state(row),
        style.paint(Ink::Dim, &format!("{score}  {}{author}", clean(&note.time)))
    );
    for line in note.text.lines() {
        let _ = writeln!(out, "  {}", clean(line));
    }
    let mut fact = |name: &str, text: &str| {
        let _ = writeln!(out, "  {}", style.paint(Ink::Dim, &format!("{name}: {text}")));
    };
    note.signals.iter().for_each(|signal| fact("signal", &clean(signal)));
    let applies = &note.applies;
    for (name, list) in
        [("paths", &applies.paths), ("languages", &applies.languages), ("when", &applies.conditions)]
    {
        if !list.is_empty() {
            fact(name, &clean(&list.join(", ")));
        }
    }
    if let Some(commit) = &note.commit {
        fact("commit", &clean(commit));
    }
    if let Some(retired) = note.retired.as_ref().filter(|retired| !retired.reason.is_empty()) {
        fact("retired", &clean(&retired.reason));
    }
    for link in &row.links {
        fact("about", &link_text(link, style));
    }
    row.reasons.iter().for_each(|reason| fact("why", &clean(&reason.text)));
    for warning in row.warnings.iter().filter(|warning| !warning.starts_with("renamed")) {
        let _ = writeln!(out, "  {}", style.paint(Ink::Alarm, &clean(warning)));
    }
}

fn link_text(link: &LinkRow, style: &Style) -> String {
    let path = |path: &str| clean::path(&style.paths.shown(path)).into_owned();
    let symbol = link.symbol.as_ref().map(|symbol| format!("#{}", clean(symbol))).unwrap_or_default();
    let renamed =
        link.renamed_to.as_ref().map(|to| format!(", now {}", path(to.as_str()))).unwrap_or_default();
    let state = match link.state {
        LinkState::Current => String::new(),
        other => format!(" ({})", other.name()),
    };
    format!("{}{symbol}{renamed}{state}", path(link.path.as_str()))
}

/// The kind of a note and how sure it is: `failure, verified by test upload_retries, stale`.
fn state(row: &NoteRow) -> String {
    let mut state = format!("{}, ", row.note.kind.name());
    state += &match &row.note.verification {
        Verification::Unverified => "unverified".to_string(),
        Verification::Verified { by, reference } => format!("verified by {} {}", by.name(), clean(reference)),
        Verification::Contradicted { reference } => format!("contradicted ({})", clean(reference)),
    };
    if row.is_stale() {
        state += ", stale";
    }
    if row.note.retired.is_some() {
        state += ", retired";
    }
    state
}

/// A line for each note that a search or a pack shows.
pub(super) fn note_lines(notes: &[NoteRow], style: &Style) -> String {
    let mut out = String::new();
    for row in notes {
        let line = format!("note {} ({}): {}", row.note.id, state(row), short_name(row.note.title()));
        let _ = writeln!(out, "{}", style.paint(Ink::Dim, &style.clip(0, &line)));
    }
    out
}

/// The outcome of an import.
pub fn imported_notes(imported: &ImportedNotes) -> String {
    let ImportedNotes { added, changed, unchanged, bad_lines, .. } = imported;
    let mut out =
        format!("{} added, {changed} changed, {unchanged} known already\n", count(*added, "note", "notes"));
    for bad in bad_lines {
        let _ = writeln!(out, "line {}: {}", bad.line, clean(&bad.reason));
    }
    out
}
