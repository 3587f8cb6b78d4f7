//! Replies for agents: text for the model, and structured data for the program that runs the model.
//!
//! This module decides the compact layout, and how many rows fit a budget of tokens. The data is the wire format of
//! [`json`](mod@super::json) with a `file://` link for each place. Four bytes count as a token, rounded up. This estimate needs no vocabulary
//! of a model, gives the same page everywhere, and is rather high for code. The budget limits the text, because models read
//! the text. The data contains the same rows.

mod answer;
mod entries;
mod file_graph;
mod graph;
mod library;
mod lookup;
mod memory;
mod pack;
mod read;
mod sources;

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};

pub use self::answer::{Answer, IN_TEXT, TextFields, cut, tokens};

use self::answer::{clean_value, link, rows, rows_that_fit, short_name, span, with_footer};
pub use self::entries::entries;
pub use self::file_graph::file_graph;
pub use self::graph::{graph, graph_within};
pub use self::library::{import_goes_on, import_is_running, of_library};
pub use self::lookup::{files, files_within, grep, grep_within, map, map_within, symbols, symbols_within};
pub use self::memory::notes;
pub use self::pack::pack;
pub use self::read::{read, read_within};
pub use self::sources::source_statuses;
use super::command::{error_text, no_index as how_to_index, quoted};
use super::paint::{Style, shown};
use super::places::{RowPlaces, agent_path};
use super::text::{about_page, also_in, bytes, count, in_words, tally};
use super::{json, text};
use crate::catalog::schema;
use crate::catalog::tools::Tool;
use spyhop_base::clean::{self, line as clean};
use spyhop_base::path::RelPath;
use spyhop_engine::Error;
use spyhop_engine::api::{
    Band, Hit, IndexRecipe, Mode, Progress, Reason, Remedy, SearchReply, Sent, SkippedReply, Snippet, Stage,
    State, Status, ViewsReply, WhyNot, telling,
};
use spyhop_search::profile::Signal;

/// The reply to a search, or to a batch if `queries` is not empty.
pub fn search(reply: &SearchReply, queries: &[String], mode: Mode) -> Answer {
    let mut data = clean_value(reply);
    let places = RowPlaces::new(&reply.snapshot, &reply.sources);
    for (wire, hit) in rows(&mut data, "results").zip(&reply.results) {
        wire.insert("link".into(), link(places.root(hit.source.as_ref()), &hit.path, Some(hit.lines)).into());
    }
    Answer { text: search_text(reply, reply.results.len(), queries, mode), data }
}

/// The hits that fit, and whether their whole text fits. The other hits are dropped from the reply.
pub fn search_within(
    reply: &mut SearchReply,
    (queries, mode): (&[String], Mode),
    budget: usize,
) -> (Answer, bool) {
    reply.truncate(search_fits(reply, queries, mode, budget).max(1));
    let is_cut = bound_snippets(&mut reply.results, mode, budget);
    let answer = search(reply, queries, mode);
    let is_whole = !is_cut && tokens(&answer.text) <= budget;
    (if reply.results.len() <= 1 { cut(answer, budget) } else { answer }, is_whole)
}

/// Cuts the code of hits so that all of it together stays within a budget: the code of hits that the text shows without code
/// is in the data too, and comes last. Returns whether code that the text shows was cut.
fn bound_snippets(hits: &mut [Hit], mode: Mode, budget: usize) -> bool {
    let (mut room, mut is_cut) = (budget * 4, false);
    for of_reduced in [false, true] {
        for (place, hit) in hits.iter_mut().enumerate() {
            if is_reduced(place, hit, mode) != of_reduced {
                continue;
            }
            let Some(snippet) = &mut hit.snippet else { continue };
            is_cut |= cut_snippet(snippet, room) && !of_reduced;
            room = room.saturating_sub(snippet.text.len());
        }
    }
    is_cut
}

/// Cuts code to the lines that fit into `room` bytes, but the first line; returns whether anything was cut.
fn cut_snippet(snippet: &mut Snippet, room: usize) -> bool {
    if snippet.text.len() <= room {
        return false;
    }
    let first = snippet.text.find('\n').unwrap_or(snippet.text.len());
    let ends = snippet.text.match_indices('\n').map(|(at, _)| at).take_while(|at| *at <= room);
    let end = ends.last().unwrap_or(first);
    if end == snippet.text.len() {
        return false;
    }
    snippet.text.truncate(end);
    snippet.lines.last = snippet.lines.first + snippet.text.matches('\n').count() as u32;
    snippet.highlights.retain(|span| span.end as usize <= end);
    snippet.cut = true;
    true
}

/// The number of hits that fit a budget. The page is measured with the longest possible cursor.
fn search_fits(reply: &SearchReply, queries: &[String], mode: Mode, budget: usize) -> usize {
    let cursor = || format!("g{}-{}", reply.snapshot.generation, usize::MAX);
    let longest = SearchReply { next: Some(reply.next.clone().unwrap_or_else(cursor)), ..reply.clone() };
    rows_that_fit(reply.results.len(), budget, |hits| search_text(&longest, hits, queries, mode))
}

fn search_text(reply: &SearchReply, hits: usize, queries: &[String], mode: Mode) -> String {
    let mut out = String::new();
    if reply.results.is_empty() {
        let blank = SearchReply { next: None, notes: Vec::new(), ..reply.clone() };
        out = text::search(&blank, mode, &Style { agent: true, ..Style::default() });
        if reply.total == 0 {
            out.push_str("Other or fewer words may help; grep_files finds text as written, index_status what is indexed.\n");
        }
    }
    for (place, hit) in reply.results[..hits].iter().enumerate() {
        let is_reduced = is_reduced(place, hit, mode);
        let query = hit.query_index.and_then(|at| queries.get(at));
        heading(&mut out, hit, query, mode, is_reduced);
        if mode == Mode::Compact || is_reduced {
            continue;
        }
        if let Some(snippet) = &hit.snippet {
            code(&mut out, snippet);
        }
        if let Some(Sent { call, result, query }) = &hit.sent_before {
            let _ = writeln!(out, "  already sent: result {result} of call {call}, {}", short_name(query));
        }
    }
    let reduced = (0..hits).filter(|place| is_reduced(*place, &reply.results[*place], mode)).count();
    if reduced > 0 {
        let _ = writeln!(out, "{} without code (mode debug)", count(reduced, "weak hit", "weak hits"));
    }
    let is_compared = reply.snapshot.checked_at.is_some() || sources::are_fixed(&reply.sources);
    let compared = if !is_compared { " · not compared with the tree" } else { "" };
    let query =
        if reply.results.is_empty() { String::new() } else { format!(" for: {}", short_name(&reply.query)) };
    let _ = writeln!(out, "\n{}{compared}{query}", about_page(reply, hits).join(" · "));
    sources::lines(&mut out, &reply.sources, reply.results[..hits].iter().map(|hit| hit.source.as_ref()));
    memory::note_lines(&mut out, &reply.notes);
    with_footer(out, None, &reply.warnings, reply.next.as_deref())
}

/// The first hits are shown with code, however weak they are.
const ALWAYS_WHOLE: usize = 3;

/// Whether a hit is only a line of the text, with its first reason: agents pay for each line, and a weak hit is seldom the
/// answer. It is not left out, because a limit for scores would lose answers.
pub fn is_reduced(place: usize, hit: &Hit, mode: Mode) -> bool {
    let is_literal = hit.reasons.iter().any(|reason| reason.signal == Signal::Literal);
    place >= ALWAYS_WHOLE && hit.band == Band::Weak && !is_literal && mode != Mode::Debug
}

/// Writes `path:first-last language kind symbol score band`, then a line with the reasons. A reduced hit, and every hit in mode
/// compact, has its first reason on the same line. The count below the hits names the band of the reduced hits.
fn heading(out: &mut String, hit: &Hit, query: Option<&String>, mode: Mode, is_reduced: bool) {
    let _ = write!(out, "{}:{}", agent_path(hit.source.as_ref(), &hit.path), span(hit.lines));
    let _ = write!(out, " {} {}", hit.language, hit.kind.name());
    if let Some(symbol) = &hit.symbol {
        let _ = write!(out, " {}", short_name(symbol));
    }
    let _ = write!(out, " {:.2}", hit.score);
    if !is_reduced {
        let _ = write!(out, " {}", hit.band.name());
    }
    if let Some(page) = hit.page {
        let _ = write!(out, " page {page}");
    }
    if hit.stale {
        out.push_str(" (changed since indexed)");
    }
    if let Some(copies) = also_in(hit) {
        let _ = write!(out, " ({})", clean(&copies));
    }
    if let Some(query) = query {
        let _ = write!(out, " <- {}", clean(query));
    }
    if is_reduced || mode == Mode::Compact {
        let why = telling(&hit.reasons, 1).first().map(|reason| format!(": {}", brief(reason)));
        let _ = writeln!(out, "{}", why.unwrap_or_default());
        return;
    }
    let why: Vec<String> =
        shown_reasons(&hit.reasons, hit.band, mode).iter().map(|reason| short_name(&reason.text)).collect();
    let _ = writeln!(out, "\n  why: {}", why.join("; "));
}

/// The most characters of the reason of a reduced hit.
const MAX_BRIEF_CHARS: usize = 32;

/// A reason as people read it, cut.
fn brief(reason: &Reason) -> String {
    let text = clean(&in_words(reason));
    match text.char_indices().nth(MAX_BRIEF_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The reasons in the text of a hit. The data contains all reasons.
fn shown_reasons(reasons: &[Reason], band: Band, mode: Mode) -> Vec<&Reason> {
    match mode {
        Mode::Default if band == Band::Weak => telling(reasons, 2),
        Mode::Compact | Mode::Default => telling(reasons, 3),
        Mode::Debug => {
            let only_base = reasons.len() == 1;
            reasons.iter().filter(|reason| only_base || reason.signal != Signal::Base).collect()
        }
    }
}

/// Writes lines with their numbers, as `cat -n` does, because agents refer to the numbers in edits. The numbers also
/// distinguish the text of a file from the text of the answer: every line of a file begins with its number, and no
/// character of a file can begin another line.
fn code(out: &mut String, snippet: &Snippet) {
    let head = snippet.head.iter().map(|line| (line.line, line.text.as_str()));
    for (number, line) in head.chain((snippet.lines.first..).zip(snippet.text.lines())) {
        let _ = writeln!(out, "{}", format!("{number}\t{}", clean(line)).trim_end());
    }
    if snippet.cut {
        out.push_str("\t…\n");
    }
}

/// The state of an index, with the progress of a running update.
pub fn status(status: &Status, roots: &[&Path], progress: Option<Progress>) -> Answer {
    let mut data = clean_value(status);
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
        let _ = writeln!(out, "{}", how_to_index(&status.recipe));
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
    let _ = writeln!(out, "structure: {}", tally(status.structure.named()));
    for fault in &status.grammar_faults {
        let _ = writeln!(out, "grammar left out: {}", clean(fault));
    }
    let skipped = status.skipped.iter().map(|&(reason, files)| (reason.name(), files));
    let _ = writeln!(out, "left out: {}", tally(skipped));
    if !status.notes.is_empty() {
        let notes = status.notes.iter().map(|&(note, files)| (note.words(), files));
        let _ = writeln!(out, "notes: {}", tally(notes));
    }
    Answer { text: out, data }
}

/// The answer during the first indexing run, before there is an index.
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

/// The progress of an update as a phrase.
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
        Stage::Vectors => format!("making vectors of {}", count(files, "file", "files")),
    }
}

fn wire_progress(progress: Progress) -> Value {
    let stage = match progress.stage {
        Stage::Wait => "wait",
        Stage::Scan => "scan",
        Stage::Text => "text",
        Stage::Index => "index",
        Stage::Commit => "commit",
        Stage::Vectors => "vectors",
    };
    let Progress { files, total_files, bytes, total_bytes, .. } = progress;
    json!({ "stage": stage, "files": files, "total_files": total_files, "bytes": bytes, "total_bytes": total_bytes })
}

/// A page of the skipped files after the path `after`, as many as fit the budget. The cursor is a path, so it stays valid
/// if files are created or deleted.
pub fn skipped(reply: &SkippedReply, after: Option<&str>, budget: usize) -> Answer {
    let rest = &reply.entries[after.map_or(0, |after| reply.until(after))..];
    let next = |rows: usize| (rows < rest.len()).then(|| rest[rows.max(1) - 1].place());
    let answer = |rows: usize| {
        let mut out = String::new();
        for entry in &rest[..rows] {
            let dir = if entry.is_dir { "/" } else { "" };
            let path = agent_path(entry.source.as_ref(), &entry.path);
            let _ = write!(out, "{path}{dir} {}", entry.reason.name());
            if !entry.detail.is_empty() {
                let _ = write!(out, " ({})", clean(&entry.detail));
            }
            out.push('\n');
        }
        let counts = tally(reply.counts.iter().map(|&(reason, files)| (reason.name(), files)));
        let _ = writeln!(out, "\n{rows} of {} left out: {counts}", reply.entries.len());
        if let Some(next) = next(rows) {
            let _ = writeln!(out, "next: {}", clean(&next));
        }
        with_footer(out, None, &reply.warnings, None)
    };
    let fits = rows_that_fit(rest.len(), budget, answer).max(1).min(rest.len());
    let page = SkippedReply { entries: rest[..fits].to_vec(), ..reply.clone() };
    let mut data = clean_value(&page);
    data["total"] = reply.entries.len().into();
    data["next"] = next(fits).into();
    Answer { text: answer(fits), data }
}

/// The views of an index.
pub fn views(reply: &ViewsReply) -> Answer {
    Answer { text: text::views(reply, &Style::default()), data: clean_value(reply) }
}

/// Why a file has its rank.
pub fn why_not(answer: &WhyNot) -> Answer {
    let mut data = clean_value(answer);
    let lines = answer.hit.as_ref().map(|hit| hit.lines);
    data["link"] = link(&answer.root, &answer.path, lines).into();
    Answer { text: text::why_not(answer, &Style { agent: true, ..Style::default() }), data }
}

/// The confirmation that files were recorded as touched.
pub fn touched(root: &Path, files: &[RelPath]) -> Answer {
    let names: Vec<_> = files.iter().map(|file| clean::answer_path(file.as_str())).collect();
    let links: Vec<String> = files.iter().map(|file| link(root, file, None)).collect();
    let data = json!({ "touched": files.iter().map(|file| clean::data(file.as_str())).collect::<Vec<_>>(), "links": links });
    Answer { text: format!("touched: {}\n", names.join(", ")), data }
}

/// The most tokens of schemas in an answer with tools.
const MAX_SCHEMA_TOKENS: usize = 700;

/// The tools that were found, each with its description. Schemas are given for the first tools, as far as they fit. Where
/// none was found, the names of all `others` are given.
pub fn tools(query: &str, found: &[&Tool], others: &[&Tool]) -> Answer {
    let mut out = String::new();
    let mut described = Vec::new();
    let mut without = Vec::new();
    for (place, tool) in found.iter().enumerate() {
        let text = format!("{}: {}\n{}\n\n", tool.name, tool.description(), Value::from(schema::of(tool)));
        let fits = place == 0 || tokens(&out) + tokens(&text) <= MAX_SCHEMA_TOKENS;
        // Whoever asks for all tools wants to know what there is.
        if without.is_empty() && fits && !query.trim().is_empty() {
            out.push_str(&text);
            described.push(schema::described(tool));
        } else {
            let purpose = tool.description().split([':', '.']).next().unwrap_or_default();
            without.push(tool.name);
            let _ = writeln!(out, "{}: {purpose}", tool.name);
            described.push(json!({ "name": tool.name, "description": tool.description() }));
        }
    }
    if !without.is_empty() {
        let _ = writeln!(out, "\nFor the parameters of a tool, search for its name.");
    }
    if found.is_empty() {
        let all: Vec<&str> = others.iter().map(|tool| tool.name).collect();
        let _ = writeln!(
            out,
            "No further tool found for: {}; listed tools are not searched. There are: {}",
            clean(query),
            all.join(", ")
        );
    }
    Answer { text: out, data: json!({ "query": query, "tools": described }) }
}

/// A call asked an index that is not there: how to make the index, then why the call has no answer.
pub fn no_index(recipe: &IndexRecipe, why: &str) -> Answer {
    error(&format!("{}\n{why}", how_to_index(recipe)), "no-index")
}

/// A call asked a tree that the server does not serve: how to index the tree and to serve it beside `roots`. The tree is
/// not looked at, so the text is the same whether it exists.
pub fn other_tree(tree: &str, roots: &[&Path], why: &str) -> Answer {
    let all = roots.iter().map(|root| root.to_string_lossy().into_owned()).chain([tree.to_string()]);
    let all: Vec<String> = all.map(|root| quoted(&root)).collect();
    let text = format!(
        "Run: spyhop index {}\nThen serve the tree too: spyhop mcp {}\n{why}",
        quoted(tree),
        all.join(" ")
    );
    error(&text, "no-index")
}

/// A call that failed. The advice names tools.
pub fn failed(failure: &Error) -> Answer {
    let text = match failure.remedy() {
        Some(Remedy::SearchLines { name, .. }) => {
            format!("{failure}; grep_files with '{name}' searches for its lines")
        }
        _ => error_text(failure),
    };
    error(&text, failure.kind().name())
}

/// An error: the message as text; the message and its kind as data.
pub fn error(text: &str, kind: &str) -> Answer {
    Answer { text: format!("{}\n", clean::lines(text)), data: clean_value(&json::error(text, kind)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specific_reasons_come_first() {
        let check = |mode: Mode, signals: &[Signal], expected: &[&str]| {
            let reason =
                |signal: &Signal| Reason { signal: *signal, contribution: 0.1, text: signal.name().into() };
            let reasons: Vec<Reason> = signals.iter().map(reason).collect();
            let shown = shown_reasons(&reasons, Band::High, mode);
            let texts: Vec<&str> = shown.iter().map(|reason| reason.text.as_str()).collect();
            assert_eq!(texts, expected);
        };
        use Signal::{Base, Chunks, Definition, Lexical, Literal, Size, Test};
        let all = [Chunks, Definition, Size, Lexical, Test, Literal, Base];
        check(Mode::Default, &all, &["definition", "lexical", "test"]);
        check(Mode::Debug, &all, &["chunks", "definition", "size", "lexical", "test", "literal"]);
        check(Mode::Default, &[Size, Chunks, Base], &["size"]);
        check(Mode::Default, &[Base], &["base"]);
    }
}
