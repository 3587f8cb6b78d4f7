//! Replies for agents: a text for the model and structured data for the program around it, from the same reply.
//!
//! This module decides the compact layout and which rows fit a budget of tokens; the data is the wire format of [`json`] with a
//! `file://` link for each place. A token is counted as four bytes, rounded up: an estimate that needs no model's
//! vocabulary, gives the same cut everywhere, and errs on the long side for code. The budget bounds the text, which
//! is what a model reads; the data holds the same rows.

mod lookup;

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

use serde_json::{Map, Value, json};

pub use self::lookup::{files, files_fits, grep, grep_fits, map, symbols, symbols_fits};
use super::paint::{Style, file_uri, shown};
use super::text::{bytes, count, footer, tally, telling};
use super::{json, note_words, text};
use crate::catalog::schema;
use crate::catalog::tools::Tool;
use crate::clean::{self, line as clean};
use crate::engine::api::{
    Hit, Mode, Progress, Reason, SearchReply, Sent, SkippedReply, Snippet, Stage, State, Status, WhyNot,
};
use crate::path::RelPath;
use crate::profile::Signal;
use crate::text::Lines;

/// What a call answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// For the model.
    pub text: String,
    /// For the program.
    pub data: Value,
}

impl Answer {
    /// This answer without links to files, for content that is not in the files of the worktree.
    pub fn without_links(mut self) -> Answer {
        for list in ["results", "entries"] {
            rows(&mut self.data, list).for_each(|row| _ = row.remove("link"));
        }
        if let Some(data) = self.data.as_object_mut() {
            data.remove("link");
        }
        self
    }

    /// This answer with one more warning, in the text and in the data.
    pub fn warn(mut self, warning: &str) -> Answer {
        let _ = writeln!(self.text, "note: {}", clean(warning));
        if let Some(list) = self.data.get_mut("warnings").and_then(Value::as_array_mut) {
            list.push(clean::data(warning).into());
        } else if let Some(data) = self.data.as_object_mut() {
            data.insert("warnings".into(), json!([clean::data(warning)]));
        }
        self
    }
}

/// How many tokens a text is counted as.
pub fn tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}

/// How many rows of a reply fit: what its answers look like with the first ones only, of `rows` that there are.
///
/// Looking for the number by halves asks for few renderings; more rows never make a shorter text.
pub fn fitting(rows: usize, budget: usize, answer: impl Fn(usize) -> String) -> usize {
    if tokens(&answer(rows)) <= budget {
        return rows;
    }
    let (mut fits, mut too_many) = (0, rows);
    while too_many - fits > 1 {
        let middle = (fits + too_many) / 2;
        if tokens(&answer(middle)) <= budget { fits = middle } else { too_many = middle }
    }
    fits
}

/// A search's reply; of a batch when there are `queries`.
pub fn search(reply: &SearchReply, queries: &[String], mode: Mode) -> Answer {
    let data = if queries.is_empty() { json::search(reply) } else { json::batch(reply, queries) };
    let mut data = parsed(&data);
    let root = &reply.snapshot.root;
    for (wire, hit) in rows(&mut data, "results").zip(&reply.results) {
        wire.insert("link".into(), link(root, &hit.path, Some(hit.lines)).into());
    }
    Answer { text: search_text(reply, reply.results.len(), queries, mode), data }
}

/// How many hits of a reply fit a budget. The page's end is rendered with the longest cursor that it can have.
pub fn search_fits(reply: &SearchReply, queries: &[String], mode: Mode, budget: usize) -> usize {
    let cursor = || format!("g{}-{}", reply.snapshot.generation, usize::MAX);
    let longest = SearchReply { next: Some(reply.next.clone().unwrap_or_else(cursor)), ..reply.clone() };
    fitting(reply.results.len(), budget, |hits| search_text(&longest, hits, queries, mode))
}

/// An answer cut at the end of a line so that it fits the budget. It is for what cannot be divided, such as a single
/// hit with much code; the end of the text, which says where the next page is, stays.
pub fn cut(answer: Answer, budget: usize) -> Answer {
    let most = budget * 4;
    if answer.text.len() <= most {
        return answer;
    }
    let (body, end) = match answer.text.rfind("\n\n") {
        Some(at) => answer.text.split_at(at),
        None => (answer.text.as_str(), "\n"),
    };
    let mark = "\n… cut: raise max_tokens";
    let room = most.saturating_sub(end.len() + mark.len());
    let kept = body.match_indices('\n').map(|(at, _)| at).take_while(|at| *at <= room).last();
    let head = body.find('\n').unwrap_or(body.len());
    let text = format!("{}{mark}{end}", &body[..kept.unwrap_or(head)]);
    Answer { text, ..answer }
}

fn search_text(reply: &SearchReply, hits: usize, queries: &[String], mode: Mode) -> String {
    let mut out = String::new();
    if reply.results.is_empty() {
        out = text::search(&SearchReply { next: None, ..reply.clone() }, mode, &Style::default());
    }
    for hit in &reply.results[..hits] {
        heading(&mut out, hit, queries.get(hit.query_index), mode);
        if mode == Mode::Compact {
            continue;
        }
        if let Some(snippet) = &hit.snippet {
            code(&mut out, snippet);
        }
        if let Some(Sent { call, result, query }) = &hit.sent_before {
            let _ = writeln!(out, "  already sent: result {result} of call {call}, {}", named(query));
        }
    }
    let compared = if reply.snapshot.checked_at.is_none() { " · not compared with the tree" } else { "" };
    let _ = writeln!(out, "\n{}{compared}", footer(reply, hits));
    for warning in &reply.warnings {
        let _ = writeln!(out, "note: {}", clean(warning));
    }
    if let Some(next) = &reply.next {
        let _ = writeln!(out, "next: {}", clean(next));
    }
    out
}

/// `path:first-last kind symbol score band`, and why in a line.
fn heading(out: &mut String, hit: &Hit, query: Option<&String>, mode: Mode) {
    let _ = write!(out, "{}:{}", clean::answer_path(hit.path.as_str()), span(hit.lines));
    let _ = write!(out, " {}", hit.kind.name());
    if let Some(symbol) = &hit.symbol {
        let _ = write!(out, " {}", named(symbol));
    }
    let _ = write!(out, " {:.2} {}", hit.score, hit.band.name());
    if hit.stale {
        out.push_str(" (changed since indexed)");
    }
    if let Some(query) = query {
        let _ = write!(out, " <- {}", clean(query));
    }
    let why: Vec<String> =
        shown_reasons(&hit.reasons, mode).iter().map(|reason| named(&reason.text)).collect();
    let _ = writeln!(out, "\n  why: {}", why.join("; "));
}

/// The reasons in the text of a hit; the data has all of them.
fn shown_reasons(reasons: &[Reason], mode: Mode) -> Vec<&Reason> {
    match mode {
        Mode::Compact => telling(reasons, 2),
        Mode::Default => telling(reasons, 3),
        Mode::Debug => {
            let only_base = reasons.len() == 1;
            reasons.iter().filter(|reason| only_base || reason.signal != Signal::Base).collect()
        }
    }
}

/// A name or sentence that a file may have written: on one line, and no longer than a name can be.
pub(super) fn named(text: &str) -> String {
    let name = clean(text);
    match name.char_indices().nth(MAX_NAME_CHARS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name,
    }
}

/// The heading of a document can be a whole paragraph.
const MAX_NAME_CHARS: usize = 160;

/// Lines with their numbers, as `cat -n` has them: an agent edits by them. The number is also what tells a file's text
/// from ours: every line of it has one in front, and no sign in it begins another line.
fn code(out: &mut String, snippet: &Snippet) {
    let head = snippet.head.iter().map(|line| (line.line, line.text.as_str()));
    for (number, line) in head.chain((snippet.lines.first..).zip(snippet.text.lines())) {
        let _ = writeln!(out, "{}", format!("{number}\t{}", clean(line)).trim_end());
    }
    if snippet.cut {
        out.push_str("\t…\n");
    }
}

fn span(lines: Lines) -> String {
    if lines.first == lines.last {
        lines.first.to_string()
    } else {
        format!("{}-{}", lines.first, lines.last)
    }
}

/// The state of an index, with how far an update is that runs just now.
pub fn status(status: &Status, roots: &[&Path], progress: Option<Progress>) -> Answer {
    let mut data = parsed(&json::status(status));
    data["roots"] = roots.iter().map(|root| root.to_string_lossy()).collect();
    data["indexing"] = progress.map_or(Value::Null, wire_progress);
    let mut out = format!("state: {}", status.state.name());
    if let Some(detail) = &status.detail {
        let _ = write!(out, " ({})", clean(detail));
    }
    if let Some(progress) = progress {
        let _ = write!(out, "; {}", said(progress));
    }
    let _ = write!(out, "\nroot: {}", shown(&status.root));
    if let Some(branch) = &status.branch {
        let _ = write!(out, " on {}", clean(branch));
    }
    if let Some(commit) = &status.commit {
        let _ = write!(out, " at {}", clean(commit));
    }
    if roots.len() > 1 {
        let all: Vec<_> = roots.iter().map(|root| shown(root)).collect();
        let _ = write!(out, "\nroots: {}", all.join(", "));
    }
    out.push('\n');
    if status.state == State::Missing {
        let _ = writeln!(out, "{}", super::no_index(status));
        return Answer { text: out, data };
    }
    let stale = status.stale_files.map_or("not compared".to_string(), |files| files.to_string());
    let _ = writeln!(
        out,
        "index: generation {}, {}, {}, {}, sources {}, index {}\nchanged since: {stale}",
        status.generation.map_or("-".to_string(), |generation| generation.to_string()),
        count(status.files, "file", "files"),
        count(status.chunks, "chunk", "chunks"),
        count(status.symbols, "symbol", "symbols"),
        bytes(status.source_bytes),
        bytes(status.index_bytes),
    );
    let _ = writeln!(out, "languages: {}", tally(status.languages.iter().copied()));
    let skipped = status.skipped.iter().map(|&(reason, files)| (reason.name(), files));
    let _ = writeln!(out, "left out: {}", tally(skipped));
    if !status.notes.is_empty() {
        let notes = status.notes.iter().map(|&(note, files)| (note_words(note).1, files));
        let _ = writeln!(out, "notes: {}", tally(notes));
    }
    Answer { text: out, data }
}

/// What is answered while there is no index yet.
pub fn indexing(root: &Path, progress: Option<Progress>) -> Answer {
    let done = progress.map_or("starting".to_string(), said);
    let text = format!(
        "state: indexing ({done})\nThe first index of {} is being built; ask again in a moment. grep_files answers meanwhile.\n",
        shown(root)
    );
    let data = json!({
        "state": State::Indexing.name(),
        "root": root.to_string_lossy(),
        "results": [],
        "complete": false,
        "indexing": progress.map_or(Value::Null, wire_progress),
    });
    Answer { text, data }
}

/// How far an update is, in words.
pub fn said(progress: Progress) -> String {
    let Progress { files, total_files, bytes: done, total_bytes, .. } = progress;
    match progress.stage {
        Stage::Wait => "waiting for another process that is indexing".to_string(),
        Stage::Scan => format!("scanning, {} seen", count(files, "file", "files")),
        Stage::Text => {
            format!("indexing the text of {files} of {total_files} files, their structure after that")
        }
        Stage::Index => {
            format!("indexing {files} of {total_files} files, {} of {}", bytes(done), bytes(total_bytes))
        }
        Stage::Commit => format!("writing {}", count(files, "file", "files")),
    }
}

fn wire_progress(progress: Progress) -> Value {
    let stage = match progress.stage {
        Stage::Wait => "wait",
        Stage::Scan => "scan",
        Stage::Text => "text",
        Stage::Index => "index",
        Stage::Commit => "commit",
    };
    let Progress { files, total_files, bytes, total_bytes, .. } = progress;
    json!({ "stage": stage, "files": files, "total_files": total_files, "bytes": bytes, "total_bytes": total_bytes })
}

/// What is left out, from behind the path `after` on, as much of it as fits; the cursor of the rest is a path, so it
/// stays right when files come and go.
pub fn skipped(reply: &SkippedReply, after: Option<&str>, budget: usize) -> Answer {
    let begin = after.map_or(0, |after| reply.entries.partition_point(|entry| entry.path.as_str() <= after));
    let rest = &reply.entries[begin..];
    let next = |rows: usize| (rows < rest.len()).then(|| rest[rows.max(1) - 1].path.as_str());
    let answer = |rows: usize| {
        let mut out = String::new();
        for entry in &rest[..rows] {
            let dir = if entry.is_dir { "/" } else { "" };
            let _ = write!(out, "{}{dir} {}", clean::answer_path(entry.path.as_str()), entry.reason.name());
            if !entry.detail.is_empty() {
                let _ = write!(out, " ({})", clean(&entry.detail));
            }
            out.push('\n');
        }
        let counts = tally(reply.counts.iter().map(|&(reason, files)| (reason.name(), files)));
        let _ = writeln!(out, "\n{rows} of {} left out: {counts}", reply.entries.len());
        if let Some(next) = next(rows) {
            let _ = writeln!(out, "next: {}", clean(next));
        }
        out
    };
    let fits = fitting(rest.len(), budget, answer).max(1).min(rest.len());
    let page = SkippedReply { entries: rest[..fits].to_vec(), counts: reply.counts.clone() };
    let mut data = parsed(&json::skipped(&page));
    data["total"] = reply.entries.len().into();
    data["next"] = next(fits).into();
    Answer { text: answer(fits), data }
}

/// Why a file ranks where it does.
pub fn why_not(answer: &WhyNot, root: &Path) -> Answer {
    let mut data = parsed(&json::why_not(answer));
    let lines = answer.hit.as_ref().map(|hit| hit.lines);
    data["link"] = link(root, &answer.path, lines).into();
    Answer { text: text::why_not(answer, root, &Style { agent: true, ..Style::default() }), data }
}

/// Files that were noted.
pub fn touched(root: &Path, files: &[RelPath]) -> Answer {
    let names: Vec<_> = files.iter().map(|file| clean::answer_path(file.as_str())).collect();
    let links: Vec<String> = files.iter().map(|file| link(root, file, None)).collect();
    let data = json!({ "touched": files.iter().map(|file| clean::data(file.as_str())).collect::<Vec<_>>(), "links": links });
    Answer { text: format!("touched: {}\n", names.join(", ")), data }
}

/// Tools that were found, each with all that a caller needs to know.
pub fn tools(query: &str, found: &[&Tool]) -> Answer {
    let mut out = String::new();
    for tool in found {
        let _ = writeln!(out, "{}: {}\n{}\n", tool.name, tool.description, Value::from(schema::of(tool)));
    }
    if found.is_empty() {
        let _ = writeln!(out, "No tool found for: {}; without a query every one is shown.", clean(query));
    }
    let described: Vec<Value> = found.iter().map(|tool| schema::described(tool)).collect();
    Answer { text: out, data: json!({ "query": query, "tools": described }) }
}

/// A failure: its text, and both in the data.
pub fn error(text: &str, kind: &str) -> Answer {
    Answer { text: format!("{}\n", clean::lines(text)), data: parsed(&json::error(text, kind)) }
}

/// The link to a place: a `file:` URI of the file, and `#L3` for its first line.
pub(super) fn link(root: &Path, path: &RelPath, lines: Option<Lines>) -> String {
    let uri = file_uri("", &path.below(root));
    lines.map_or(uri.clone(), |lines| format!("{uri}#L{}", lines.first))
}

/// The rows of a list in `data`.
pub(super) fn rows<'d>(data: &'d mut Value, list: &str) -> impl Iterator<Item = &'d mut Map<String, Value>> {
    let list = data.get_mut(list).and_then(Value::as_array_mut);
    list.into_iter().flatten().filter_map(Value::as_object_mut)
}

/// The wire format as data. Clients show it to models as well, so its texts are clean; a cursor is for the server and
/// stays as it is.
pub(super) fn parsed(wire: &str) -> Value {
    let mut data = serde_json::from_str(wire).expect("the wire format is JSON");
    clean_data(&mut data);
    data
}

fn clean_data(data: &mut Value) {
    match data {
        Value::String(text) => {
            if let Cow::Owned(clean) = clean::data(text) {
                *text = clean;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(clean_data),
        Value::Object(fields) => {
            fields.iter_mut().filter(|(name, _)| *name != "next").for_each(|(_, value)| clean_data(value));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_something_is_said_first() {
        let check = |mode: Mode, signals: &[Signal], expected: &[&str]| {
            let reason = |signal: &Signal| Reason { signal: *signal, share: 0.1, text: signal.name().into() };
            let reasons: Vec<Reason> = signals.iter().map(reason).collect();
            let said: Vec<&str> =
                shown_reasons(&reasons, mode).iter().map(|reason| reason.text.as_str()).collect();
            assert_eq!(said, expected);
        };
        use Signal::{Base, Chunks, Definition, Lexical, Literal, Size, Test};
        let all = [Chunks, Definition, Size, Lexical, Test, Literal, Base];
        check(Mode::Compact, &all, &["definition", "lexical"]);
        check(Mode::Default, &all, &["definition", "lexical", "test"]);
        check(Mode::Debug, &all, &["chunks", "definition", "size", "lexical", "test", "literal"]);
        check(Mode::Compact, &[Size, Chunks, Base], &["size"]);
        check(Mode::Compact, &[Base], &["base"]);
    }
}
