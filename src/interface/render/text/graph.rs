//! Answers of the code graph for terminals: the definitions, then a line for each edge, as `path:line  owner  code`, so
//! that each line can be read alone and opened by an editor. Where a terminal is narrow, the code is on a line of its own.

use std::fmt::Write;

use super::counts::{count, grouped};
use super::entries::entry;
use super::memory::note_lines;
use crate::render::paint::{Ink, Style, columns};
use crate::render::places::RowPlaces;
use spyhop_base::clean::line as clean;
use spyhop_base::path::RelPath;
use spyhop_engine::api::{
    AffectedTest, GraphEnd, GraphQuestion, GraphReply, GraphRow, MentionPart, MentionRow, Mentions, Mode,
    PlaceMeaning, SourceName, SymbolRow,
};

/// The width of a terminal from which the owner and the code share a line. A pipe has no width.
const WIDE: usize = 100;

/// The number of rows from which a terminal shows them below their files.
const MANY: usize = 20;

/// The most columns of a place and of an owner that are aligned.
const MAX_PLACE: usize = 44;
const MAX_OWNER: usize = 30;

/// The most definitions above the edges.
const MAX_DEFINITIONS: usize = 20;

/// Rows below this confidence are marked.
const SURE: f32 = 0.9;

/// The answer to a question about the code graph.
pub fn graph(reply: &GraphReply, mode: Mode, style: &Style) -> String {
    let mut out = String::new();
    let page = Page { reply, mode, style };
    let is_all = reply.question == GraphQuestion::Definitions || reply.definitions.len() <= MAX_DEFINITIONS;
    let most = if is_all { reply.definitions.len() } else { MAX_DEFINITIONS };
    for (place, own) in reply.definitions[..most].iter().enumerate() {
        let name = style.paint(Ink::Symbol, &clean(&own.qualified()));
        let kind = kind_of(reply, own);
        let _ =
            writeln!(out, "{}  {} {name}", page.link(own.source.as_ref(), &own.path, own.lines.first), kind);
        page.code(&mut out, place);
    }
    if let Some(told) = told_of_place(reply) {
        let _ = writeln!(out, "{told}");
        for own in reply.place.iter().flat_map(|place| &place.candidates) {
            let link = page.link(own.source.as_ref(), &own.path, own.lines.first);
            let name = style.paint(Ink::Symbol, &clean(&own.qualified()));
            let _ = writeln!(out, "{link}  {} {name}", own.kind.name());
        }
    }
    if reply.question == GraphQuestion::Definitions {
        return out;
    }
    if !is_all {
        let more = count(reply.definitions.len() - most, "more symbol", "more symbols");
        let _ = writeln!(out, "{}", style.paint(Ink::Dim, &format!("and {more}")));
    }
    let heading = |row: &GraphRow| heading_of_edge(reply.question, row);
    for rows in reply.rows.chunk_by(|row, next| heading(row) == heading(next)) {
        page.heading(&mut out, heading(&rows[0]));
        page.rows(&mut out, &rows.iter().collect::<Vec<_>>());
    }
    let last = reply.rows.last().map(heading);
    page.mentions(&mut out, last);
    for (number, path) in reply.paths.iter().enumerate() {
        page.heading(&mut out, &format!("path {}, {}", number + 1, count(path.len(), "call", "calls")));
        page.rows(&mut out, &path.iter().collect::<Vec<_>>());
    }
    if !reply.tests.is_empty() {
        page.heading(&mut out, "tests to run");
        reply.tests.iter().for_each(|test| page.test(&mut out, test));
    }
    if !reply.entries.is_empty() {
        page.heading(&mut out, "routes and commands that lead to it");
        reply.entries.iter().for_each(|row| entry(&mut out, row, page.places(), style));
    }
    out
}

/// The kind of a definition, as people call it.
pub(crate) fn kind_of(reply: &GraphReply, own: &SymbolRow) -> &'static str {
    let is_local = reply.place.as_ref().is_some_and(|place| place.meaning == PlaceMeaning::Local);
    if is_local { "local variable" } else { own.kind.name() }
}

/// What is said of a name at a place that means no definition.
pub(crate) fn told_of_place(reply: &GraphReply) -> Option<String> {
    let place = reply.place.as_ref()?;
    let (name, target) = (clean(&place.name), clean(&reply.target));
    match place.meaning {
        PlaceMeaning::Outside => Some(format!("'{name}' at {target} is not defined in the tree")),
        PlaceMeaning::Unknown if place.candidates.is_empty() => {
            Some(format!("'{name}' at {target} is unknown: the tree defines no such name"))
        }
        PlaceMeaning::Unknown => Some(format!("'{name}' at {target} is unknown; it may be:")),
        _ => None,
    }
}

/// The definitions, edges and tests as `path:line:column: text`, for editors.
pub fn graph_lines(reply: &GraphReply, style: &Style) -> String {
    let mut out = String::new();
    let page = Page { reply, mode: Mode::Compact, style };
    let mut line = |source: &Option<SourceName>, path: &RelPath, line: u32, column: u32, text: &str| {
        let _ = writeln!(out, "{}:{column}: {}", page.link(source.as_ref(), path, line), clean(text));
    };
    if reply.question == GraphQuestion::Definitions {
        for own in &reply.definitions {
            line(
                &own.source,
                &own.path,
                own.lines.first,
                1,
                &format!("{} {}", own.kind.name(), own.qualified()),
            );
        }
    }
    for row in reply.rows.iter().chain(reply.paths.iter().flatten()) {
        line(&row.source, &row.path, row.line, row.column, &row.text);
    }
    for row in reply.mentions.iter().flat_map(|mentions| &mentions.rows) {
        line(&row.source, &row.path, row.line, row.column, &row.text);
    }
    for test in &reply.tests {
        line(&test.source, &test.path, 1, 1, &test.reason);
    }
    for entry in &reply.entries {
        line(
            &entry.source,
            &entry.path,
            entry.line,
            entry.column,
            &format!("{} {}", entry.method, entry.name),
        );
    }
    out
}

/// What an answer leaves out, and why: empty if nothing.
pub fn graph_footer(reply: &GraphReply, style: &Style) -> String {
    let mut out = String::new();
    let is_empty =
        reply.rows.is_empty() && reply.paths.is_empty() && reply.tests.is_empty() && reply.entries.is_empty();
    if is_empty && !names_uses(reply) && reply.question != GraphQuestion::Definitions {
        let _ = writeln!(out, "{}", none_of(reply));
    }
    if reply.total > reply.rows.len() && reply.paths.is_empty() {
        let least = if reply.incomplete.is_some() { "at least " } else { "" };
        let total = count(reply.total, "row", "rows");
        let text = format!("{} of {least}{total}; more with --max-results", reply.rows.len());
        let _ = writeln!(out, "{}", style.paint(Ink::Dim, &text));
    }
    if let Some(mentions) = &reply.mentions {
        let mut text = mentions_line(mentions);
        let lists_all = matches!(
            reply.question,
            GraphQuestion::Callers | GraphQuestion::References | GraphQuestion::Trace | GraphQuestion::Impact
        );
        if lists_all
            && mentions.other + mentions.comments_and_strings > 0
            && mentions.rows.len() < mentions.total
        {
            text.push_str("; every one: --mentions");
        }
        let _ = writeln!(out, "{}", style.paint(Ink::Dim, &style.clip(0, &text)));
    }
    if let Some(reason) = &reply.incomplete {
        let text = style.clip(0, &format!("not complete: {}", clean(reason)));
        let _ = writeln!(out, "{}", style.paint(Ink::Alarm, &text));
    }
    out + &note_lines(&reply.notes, style)
}

/// Whether the mentions have uses that no row has.
pub(crate) fn names_uses(reply: &GraphReply) -> bool {
    let mut mentions = reply.mentions.iter().flat_map(|mentions| &mentions.rows);
    mentions.any(|row| row.part == MentionPart::Resolved)
}

/// That an answer has no rows. Nothing is said to be absent while a mention may be a use.
pub(crate) fn none_of(reply: &GraphReply) -> String {
    let subject = clean(if reply.target.is_empty() { "the change" } else { &reply.target });
    let what = nothing(reply.question);
    let open = reply.mentions.as_ref().filter(|mentions| mentions.open() > 0);
    match (open, &reply.incomplete) {
        // Only the question for a path to another symbol has no mentions.
        (None, why) if reply.question == GraphQuestion::Trace && reply.mentions.is_none() => {
            format!("no path of calls {} from {subject}", if why.is_none() { "found" } else { "proven" })
        }
        (None, None) => format!("no {what} found of {subject}"),
        (None, Some(_)) => format!("no {what} of {subject} proven"),
        (Some(mentions), _) => {
            let may = count(mentions.open(), "mention may be one", "mentions may be some");
            let first = mentions.rows.iter().find(|row| row.part == MentionPart::Possible);
            let first = first.map(|row| format!(": {}", clean(&row.text))).unwrap_or_default();
            format!("no {what} of {subject} proven; {may}{first}")
        }
    }
}

/// The numbers of mentions by part.
pub(crate) fn mentions_line(mentions: &Mentions) -> String {
    let names: Vec<String> = mentions.names.iter().map(|name| clean(name)).collect();
    let parts = [
        (mentions.definitions, "in definitions"),
        (mentions.resolved, "resolved"),
        (mentions.possible, "possible"),
        (mentions.other, "of something else"),
        (mentions.comments_and_strings, "in comments and strings"),
        (mentions.not_read, "not read"),
    ];
    let parts =
        parts.iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!("{number} {what}"));
    let parts: Vec<String> = parts.collect();
    let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    let unread = mentions
        .unread
        .iter()
        .map(|unread| format!("{}: {}", count(unread.files, "file", "files"), unread.reason.sentence()));
    let unread: Vec<String> = unread.collect();
    let unread = if unread.is_empty() { String::new() } else { format!(" ({})", unread.join(", ")) };
    let least = if mentions.uncounted_files > 0 { "at least " } else { "" };
    let total = count(mentions.total, "mention", "mentions");
    format!("{least}{total} of {}{parts}{unread}", names.join(", "))
}

/// The heading above mentions.
pub(crate) fn heading_of_mention(question: GraphQuestion, row: &MentionRow) -> &'static str {
    match row.part {
        MentionPart::Definition => "definitions",
        MentionPart::Resolved => "resolved",
        MentionPart::Possible => possible(question),
        MentionPart::Other => "something else",
        _ => "comments and strings",
    }
}

fn possible(question: GraphQuestion) -> &'static str {
    if question == GraphQuestion::Impact { "may depend on it" } else { "may use it" }
}

/// An answer and how it is shown.
struct Page<'p> {
    reply: &'p GraphReply,
    mode: Mode,
    style: &'p Style,
}

impl Page<'_> {
    fn heading(&self, out: &mut String, heading: &str) {
        let blank = if out.is_empty() { "" } else { "\n" };
        let _ = writeln!(out, "{blank}{}", self.style.paint(Ink::Dim, heading));
    }

    /// The code of a definition, each line with its number.
    fn code(&self, out: &mut String, place: usize) {
        for code in self.reply.code.iter().filter(|code| code.definition == place) {
            for (number, line) in (code.lines.first..).zip(code.text.lines()) {
                let number = self.style.paint(Ink::Line, &format!("{number:>6}"));
                let _ =
                    writeln!(out, "{}", format!("{number}  {}", self.style.clip(8, &clean(line))).trim_end());
            }
            if code.lines.last < self.reply.definitions[place].lines.last {
                let _ = writeln!(out, "{}", self.style.paint(Ink::Dim, "        ..."));
            }
        }
    }

    /// The mentions that no row shows; those of one part below one heading, unless `last` is the heading above.
    fn mentions(&self, out: &mut String, last: Option<&str>) {
        let mut last = last;
        for row in self.reply.mentions.iter().flat_map(|mentions| &mentions.rows) {
            let heading = heading_of_mention(self.reply.question, row);
            if last != Some(heading) {
                self.heading(out, heading);
                last = Some(heading);
            }
            let place = self.link(row.source.as_ref(), &row.path, row.line);
            let owner =
                row.from.as_ref().map_or_else(|| "top level".to_string(), |own| clean(&own.qualified()));
            let owner = self.style.paint(Ink::Symbol, &owner);
            let why = self.style.paint(Ink::Dim, &why_of_mention(row));
            let used = columns(&format!("{}:{}  {owner}  {why}  ", row.path, row.line));
            let code = match self.style.width {
                0 => clean(&row.text),
                width => self.style.clip(used.min(width.saturating_sub(10)), &clean(&row.text)),
            };
            let _ = writeln!(out, "{}", format!("{place}  {owner}  {why}  {code}").trim_end());
        }
    }

    /// The rows below one heading.
    fn rows(&self, out: &mut String, rows: &[&GraphRow]) {
        let is_wide = self.style.width == 0 || self.style.width >= WIDE;
        let is_aligned = self.style.width > 0;
        if !is_wide {
            rows.iter().for_each(|row| self.in_two_lines(out, row));
            return;
        }
        let width = |text: String, most: usize| if is_aligned { columns(&text).min(most) } else { 0 };
        let owner = rows.iter().map(|row| width(self.end(row), MAX_OWNER)).max().unwrap_or(0);
        if is_aligned && rows.len() >= MANY {
            for ((source, path), rows) in grouped(rows.iter().copied(), |row| (&row.source, &row.path)) {
                let source = source.as_ref();
                let shown = self.places().clean(self.style, source, path);
                let _ = writeln!(out, "{}", self.style.paint(Ink::Path, &shown));
                for row in rows {
                    let number = format!("{:>6}", row.line);
                    let place = self.style.link(&self.places().file(source, path), &number);
                    self.in_one_line(out, row, &self.style.paint(Ink::Line, &place), 6, 6, owner);
                }
            }
            return;
        }
        let place = |row: &GraphRow| {
            format!("{}:{}", self.places().shown(self.style, row.source.as_ref(), &row.path), row.line)
        };
        let most = rows.iter().map(|row| width(place(row), MAX_PLACE)).max().unwrap_or(0);
        for row in rows {
            let own = columns(&place(row));
            self.in_one_line(
                out,
                row,
                &self.link(row.source.as_ref(), &row.path, row.line),
                own,
                most,
                owner,
            );
        }
    }

    /// Writes `place  owner  code`; `own` is the width of the place, `most` and `owner` are the widths of the columns.
    fn in_one_line(
        &self,
        out: &mut String,
        row: &GraphRow,
        place: &str,
        own: usize,
        most: usize,
        owner: usize,
    ) {
        let end = self.end(row);
        let (pad, gap) = (most.saturating_sub(own), owner.saturating_sub(columns(&end)));
        let why = self.why(row);
        let why = if why.is_empty() { why } else { format!("  {why}") };
        let used = own.max(most) + columns(&end).max(owner) + columns(&why) + 4;
        let code = match self.style.width {
            0 => clean(&row.text),
            // No line of an answer wraps, unless the place and the owner alone are too long.
            width => self.style.clip(used.min(width.saturating_sub(10)), &clean(&row.text)),
        };
        let (end, why) = (self.style.paint(Ink::Symbol, &end), self.style.paint(Ink::Dim, &why));
        let line = format!("{place}{:pad$}  {end}{:gap$}{why}  {code}", "", "");
        let _ = writeln!(out, "{}", line.trim_end());
    }

    fn in_two_lines(&self, out: &mut String, row: &GraphRow) {
        let (end, why) = (self.style.paint(Ink::Symbol, &self.end(row)), self.why(row));
        let line = format!(
            "{}  {end}  {}",
            self.link(row.source.as_ref(), &row.path, row.line),
            self.style.paint(Ink::Dim, &why)
        );
        let _ = writeln!(out, "{}", line.trim_end());
        if !row.text.is_empty() {
            let _ = writeln!(out, "    {}", self.style.clip(4, &clean(&row.text)));
        }
    }

    /// The other end of an edge: the owner of a use, or what the target uses.
    fn end(&self, row: &GraphRow) -> String {
        let name = |own: &SymbolRow| clean(&own.qualified());
        let path =
            |source: Option<&SourceName>, path: &RelPath| self.places().clean(self.style, source, path);
        match (&row.to, row.is_outgoing) {
            (GraphEnd::Symbol(to), true) if !self.reply.paths.is_empty() => {
                let from = row.from.as_ref().map(name).unwrap_or_default();
                format!("{from} -> {}", name(to))
            }
            (GraphEnd::Symbol(to), true) => {
                format!(
                    "{}  {}:{}",
                    name(to),
                    path(to.source.as_ref().or(row.source.as_ref()), &to.path),
                    to.lines.first
                )
            }
            (GraphEnd::File(to), true) => path(row.source.as_ref(), to),
            (GraphEnd::Outside(module), _) => format!("{} (outside of the tree)", clean(module)),
            (GraphEnd::Removed(to), _) => {
                let from = row.from.as_ref().map_or_else(|| "top level".to_string(), name);
                format!("{from} uses {}", name(to))
            }
            (_, false) => row.from.as_ref().map_or_else(|| "top level".to_string(), name),
        }
    }

    /// The confidence of a row that is not sure, and in the mode `debug` the rule; whether the row is in a test.
    fn why(&self, row: &GraphRow) -> String {
        let mut parts = Vec::new();
        let is_symbol = matches!(row.to, GraphEnd::Symbol(_) | GraphEnd::Removed(_));
        if is_symbol && (row.confidence < SURE || self.mode == Mode::Debug) {
            parts.push(format!("{:.2}", row.confidence));
        }
        if is_symbol && self.mode == Mode::Debug {
            parts.push(row.rule.sentence().to_string());
        }
        // Paths and dependents have headings that tell their steps.
        if row.depth > 1 && self.reply.paths.is_empty() && self.reply.question != GraphQuestion::Impact {
            parts.push(format!("{} steps", row.depth));
        }
        if row.is_test && self.reply.question != GraphQuestion::Tests {
            parts.push("test".to_string());
        }
        parts.join(" · ")
    }

    fn test(&self, out: &mut String, test: &AffectedTest) {
        let source = test.source.as_ref();
        let path = self.style.paint(Ink::Path, &self.places().clean(self.style, source, &test.path));
        let path = self.style.link(&self.places().file(source, &test.path), &path);
        let why = format!("{:.2} {}", test.confidence, clean(&test.reason));
        let _ = writeln!(out, "{path}  {}", self.style.paint(Ink::Dim, &why));
    }

    fn places(&self) -> RowPlaces<'_> {
        RowPlaces::new(&self.reply.snapshot, &self.reply.sources)
    }

    fn link(&self, source: Option<&SourceName>, path: &RelPath, line: u32) -> String {
        let shown = self.style.paint(Ink::Path, &self.places().clean(self.style, source, path));
        let number = self.style.paint(Ink::Line, &line.to_string());
        self.style.link(&self.places().file(source, path), &format!("{shown}:{number}"))
    }
}

/// The heading above a group of edges.
pub(crate) fn heading_of_edge(question: GraphQuestion, row: &GraphRow) -> &'static str {
    match (question, row.is_outgoing) {
        (GraphQuestion::Imports, _) => "imports",
        (GraphQuestion::Importers, _) => "imported by",
        (GraphQuestion::Implementations, _) => "implemented by",
        (GraphQuestion::Tests, _) => "tested by",
        (GraphQuestion::Impact, _) if matches!(row.to, GraphEnd::Removed(_)) => "uses what was removed",
        (_, false) if row.is_possible => possible(question),
        (GraphQuestion::Impact, _) => match row.depth {
            1 => "depends on it directly",
            2 => "depends on it through 2 steps",
            3 => "depends on it through 3 steps",
            _ => "depends on it through more steps",
        },
        (_, true) => "calls",
        (_, false) => match row.relation.name() {
            _ if row.is_value => "used as a value by",
            "calls" => "called by",
            "imports" => "imported by",
            "implements" => "implemented by",
            _ => "used by",
        },
    }
}

/// The confidence of a possible mention, and why the mention is what it is.
pub(crate) fn why_of_mention(row: &MentionRow) -> String {
    let reason = row.reason.map_or("", |reason| reason.sentence());
    let to = row.to.as_ref().map(|to| format!(" {}:{}", to.path, to.lines.first)).unwrap_or_default();
    match row.part {
        MentionPart::Possible => format!("{:.2} · {reason}", row.confidence),
        _ => format!("{reason}{to}"),
    }
}

/// The subject of an answer without edges.
fn nothing(question: GraphQuestion) -> &'static str {
    match question {
        GraphQuestion::Definitions => "definitions",
        GraphQuestion::References => "uses",
        GraphQuestion::Callers => "callers",
        GraphQuestion::Impact => "dependents",
        GraphQuestion::Callees => "callees in this tree",
        GraphQuestion::Implementations => "implementations",
        GraphQuestion::Tests => "tests",
        GraphQuestion::Imports => "imports",
        GraphQuestion::Importers => "importers",
        GraphQuestion::Trace => "calls",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spyhop_engine::Engine;
    use spyhop_engine::api::{GraphRequest, Options};

    /// The callers of a function with that many callers in two files.
    fn callers(number: usize) -> GraphReply {
        let tree = tempfile::tempdir().unwrap();
        let calls = |from: usize, to: usize| {
            let call = |n| format!("def caller_{n}():\n    return take({n}, '{}')\n\n", "long".repeat(40));
            (from..to).map(call).collect::<String>()
        };
        let first = format!("def take(n, text):\n    return n\n\n{}", calls(0, number / 2));
        std::fs::write(tree.path().join("pool.py"), first).unwrap();
        let second = format!("from pool import take\n\n{}", calls(number / 2, number));
        std::fs::write(tree.path().join("user.py"), second).unwrap();
        let options = Options { index_dir: Some(tree.path().join("index")), ..Options::default() };
        let engine = Engine::open(tree.path(), options).unwrap();
        engine.ask(&GraphRequest::new(GraphQuestion::Callers, "take")).unwrap()
    }

    #[test]
    fn rows_fit_the_width_of_a_terminal() {
        let style = |width| Style { width, ..Style::default() };
        let few = callers(4);
        let wide = graph(&few, Mode::Default, &style(100));
        let rows: Vec<&str> = wide.lines().filter(|line| line.contains("caller_")).collect();
        assert!(rows.len() == 4 && rows.iter().all(|row| row.contains("return take(")), "{wide}");
        assert!(wide.lines().all(|line| line.chars().count() <= 100), "{wide}");
        let narrow = graph(&few, Mode::Default, &style(60));
        assert_eq!(narrow.lines().filter(|line| line.starts_with("    return take(")).count(), 4, "{narrow}");
        assert!(narrow.lines().all(|line| line.chars().count() <= 60), "{narrow}");
        let many = graph(&callers(24), Mode::Default, &style(100));
        assert_eq!(many.lines().filter(|line| *line == "user.py").count(), 1, "{many}");
        assert!(many.lines().all(|line| line.chars().count() <= 100), "{many}");
    }
}
