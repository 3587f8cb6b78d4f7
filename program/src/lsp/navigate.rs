//! From the word at the cursor to its definitions, its uses and its description.
//!
//! The code graph says what the name at a position of a saved file means: definitions, the declaration of a local variable, or one
//! of several candidates. Words that are not in a saved file are matched as text; all definitions with the name are answered,
//! the likely ones first, by what stands before the word (`Pool.take`, `Pool::take`).

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use lsp_types::{Hover, HoverContents, Location, MarkupContent, MarkupKind, Position};
use spyhop_base::path::RelPath;
use spyhop_engine::ErrorKind;
use spyhop_engine::api::{
    Bounds, GraphQuestion, GraphReply, GraphRequest, GrepLine, GrepRequest, MentionPart, PlaceMeaning,
    SymbolRow, SymbolsRequest,
};

use super::documents::RequestContext;
use super::request_error::RequestError;
use super::roots::ServedRoot;
use super::symbols;
use super::text::{qualifier_before, word_at};

/// The most definitions of an answer.
const DEFINITIONS: usize = 100;

/// The most lines with uses of an answer.
const REFERENCES: usize = 1_000;

/// The most lines of documentation above a definition, and of its signature, that a description shows.
const DOC_LINES: u32 = 40;
const SIGNATURE_LINES: u32 = 8;

/// Words that stand for the type around them.
const OWN: &[&str] = &["self", "Self", "this", "cls", "super", "crate"];

/// The word at the cursor, with the document around it.
pub struct CursorWord {
    root: Arc<ServedRoot>,
    path: RelPath,
    word: String,
    /// The word with the sign behind it that some languages have in names: `empty?`.
    extended: Option<String>,
    qualifier: Option<String>,
    /// The target of the code graph for the word, if the saved file has its line.
    target: Option<String>,
}

/// The definitions of a word.
struct CursorMeaning {
    /// What the word means, or may mean.
    rows: Vec<SymbolRow>,
    meaning: PlaceMeaning,
}

impl CursorWord {
    /// The word at a position; `None` outside of the roots and beside of words.
    pub fn at(context: &RequestContext, uri: &str, position: Position) -> Option<CursorWord> {
        let (root, path, text) = context.document(uri)?;
        let line = text.line(position.line)?;
        let range = word_at(line, context.unit.byte(line, position.character))?;
        let behind = line[range.end..].chars().next().filter(|sign| ['?', '!'].contains(sign));
        let word = line[range.clone()].to_string();
        let extended = behind.map(|sign| format!("{word}{sign}"));
        let qualifier = qualifier_before(line, range.start).map(str::to_string);
        let saved = root.read(&path).and_then(|saved| saved.nearest(position.line, line));
        let target = saved.map(|number| format!("{path}:{}:{}", number + 1, range.start + 1));
        Some(CursorWord { root, path, word, extended, qualifier, target })
    }

    /// The answer of the code graph to a question about the word; `None` if the graph does not know the place.
    fn asked(
        &self,
        context: &RequestContext,
        question: GraphQuestion,
    ) -> Result<Option<GraphReply>, RequestError> {
        let Some(target) = &self.target else { return Ok(None) };
        let request = GraphRequest {
            max_results: REFERENCES,
            min_confidence: 0.0,
            all_mentions: question == GraphQuestion::References,
            ..GraphRequest::new(question, target)
        };
        self.root.answer(&context.cancel, |engine| match engine.ask(&request) {
            Err(error) if error.kind() == ErrorKind::BadRequest => Ok(None),
            answer => answer.map(Some),
        })
    }

    /// The definitions of the word, likely ones first.
    fn definitions(&self, context: &RequestContext) -> Result<CursorMeaning, RequestError> {
        if let Some(reply) = self.asked(context, GraphQuestion::Definitions)? {
            let meaning = reply.place.as_ref().map_or(PlaceMeaning::Definition, |place| place.meaning);
            let candidates = reply.place.map(|place| place.candidates).unwrap_or_default();
            let mut rows =
                if meaning == PlaceMeaning::Unknown { self.likely(candidates) } else { reply.definitions };
            rows.truncate(DEFINITIONS);
            return Ok(CursorMeaning { rows, meaning });
        }
        let rows = self.by_name(context)?;
        Ok(CursorMeaning { rows, meaning: PlaceMeaning::Unknown })
    }

    /// The definitions with the name of the word.
    fn by_name(&self, context: &RequestContext) -> Result<Vec<SymbolRow>, RequestError> {
        for name in self.extended.iter().chain([&self.word]) {
            let request = SymbolsRequest { max_results: REFERENCES, ..SymbolsRequest::new(name) };
            let reply = self.root.answer(&context.cancel, |engine| engine.ask(&request))?;
            let mut rows = reply.symbols;
            rows.retain(|row| row.name == *name);
            if !rows.is_empty() {
                return Ok(self.likely(rows));
            }
        }
        Ok(Vec::new())
    }

    /// Keeps the definitions that the word's qualifier allows, if it allows any, and puts those of the same file and the
    /// same folder first. Of a word without a qualifier, fields and variants come last.
    fn likely(&self, mut rows: Vec<SymbolRow>) -> Vec<SymbolRow> {
        if let Some(qualifier) = &self.qualifier {
            let is_allowed = |row: &SymbolRow| match OWN.contains(&qualifier.as_str()) {
                true => row.path == self.path,
                false => is_in(row, qualifier),
            };
            if rows.iter().any(is_allowed) {
                rows.retain(is_allowed);
            }
        }
        let is_plain = self.qualifier.is_none();
        rows.sort_by_key(|row| {
            let is_late = is_plain && row.kind.is_minor();
            (is_late, row.path != self.path, row.path.parent() != self.path.parent())
        });
        rows.truncate(DEFINITIONS);
        rows
    }
}

/// Whether a definition belongs to a type, module or file with this name.
fn is_in(row: &SymbolRow, qualifier: &str) -> bool {
    let is_last = |container: &str| container.rsplit(['.', ':']).next() == Some(qualifier);
    let path = row.path.as_str();
    row.container.as_deref().is_some_and(is_last)
        || row.path.stem() == qualifier
        || path.split('/').rev().skip(1).any(|folder| folder == qualifier)
}

/// Where the word at the cursor is defined.
pub fn definition(context: &RequestContext, cursor: &CursorWord) -> Result<Vec<Location>, RequestError> {
    let CursorMeaning { rows, .. } = cursor.definitions(context)?;
    Ok(rows.iter().filter_map(|row| symbols::location(context, &cursor.root, row)).collect())
}

/// The uses of what the word at the cursor means, also possible ones. Of a word whose meaning is unknown, all places of the word in
/// files of its root.
pub fn references(
    context: &RequestContext,
    cursor: &CursorWord,
    with_declaration: bool,
) -> Result<Vec<Location>, RequestError> {
    let Some(reply) = cursor.asked(context, GraphQuestion::References)? else {
        return mentions(context, cursor, with_declaration);
    };
    let rows = reply.rows.iter().map(|row| (&row.path, row.line, row.column));
    // A line has one row, and perhaps several mentions.
    let mentions = reply.mentions.iter().flat_map(|mentions| &mentions.rows);
    let uses = mentions.filter(|row| matches!(row.part, MentionPart::Resolved | MentionPart::Possible));
    let places = rows.chain(uses.map(|row| (&row.path, row.line, row.column)));
    let mut found: Vec<Location> = Vec::new();
    if with_declaration {
        found
            .extend(reply.definitions.iter().filter_map(|row| symbols::location(context, &cursor.root, row)));
    }
    for (path, line, column) in places {
        let (Some(uri), Some(text)) = (cursor.root.uri(path), context.text(&cursor.root, path)) else {
            continue;
        };
        let line = line.saturating_sub(1);
        let written = text.line(line).unwrap_or_default();
        let start = column.saturating_sub(1) as usize;
        // An alias is another word.
        let end = word_at(written, start).map_or(start, |range| range.end);
        let location = Location::new(uri, context.unit.range(line, written, start..end));
        if !found.contains(&location) {
            found.push(location);
        }
    }
    let own = cursor.root.uri(&cursor.path);
    found.sort_by_key(|location| {
        let is_other = Some(&location.uri) != own.as_ref();
        (is_other, location.uri.to_string(), location.range.start)
    });
    Ok(found)
}

/// Where the word at the cursor stands in files of its root, as a whole word. The lines come from the files as they are
/// saved.
fn mentions(
    context: &RequestContext,
    cursor: &CursorWord,
    with_declaration: bool,
) -> Result<Vec<Location>, RequestError> {
    let mut request = whole_word(&cursor.word);
    request.max_results = REFERENCES;
    let reply = cursor.root.answer_from_files(&context.cancel, |engine| engine.ask(&request))?;
    let declared: HashSet<(RelPath, Position)> = match with_declaration {
        true => HashSet::new(),
        false => {
            let rows = cursor.definitions(context)?.rows.into_iter();
            rows.map(|row| (row.path.clone(), symbols::name_range(context, &cursor.root, &row).start))
                .collect()
        }
    };
    let (own, others): (Vec<_>, Vec<_>) = reply.lines.iter().partition(|line| line.path == cursor.path);
    let mut found = Vec::new();
    for line in own.into_iter().chain(others) {
        let Some(uri) = cursor.root.uri(&line.path) else { continue };
        for range in ranges(context, &cursor.root, line) {
            if !declared.contains(&(line.path.clone(), range.start)) {
                found.push(Location::new(uri.clone(), range));
            }
        }
    }
    // A line may have several.
    found.truncate(REFERENCES);
    Ok(found)
}

/// The ranges of the matches of a line.
pub fn ranges(context: &RequestContext, root: &ServedRoot, line: &GrepLine) -> Vec<lsp_types::Range> {
    let number = line.line.saturating_sub(1);
    if !line.cut {
        let spans = line.highlights.iter();
        return spans.map(|span| context.unit.range(number, &line.text, span.range())).collect();
    }
    // The text is only a part of the line: the first match is counted in the whole line.
    let text = context.text(root, &line.path);
    let whole = text.as_ref().and_then(|text| text.line(number)).unwrap_or_default();
    let start = line.column.saturating_sub(1) as usize;
    let len = line.highlights.first().map_or(0, |span| span.len());
    vec![context.unit.range(number, whole, start..start + len)]
}

fn whole_word(word: &str) -> GrepRequest {
    GrepRequest { fixed: true, bounds: Bounds::Word, ..GrepRequest::new(word) }
}

/// The description of the word at the cursor: its first definition with its documentation, and how many more there are.
/// The lines come from an exact search, which masks secrets.
pub fn hover(context: &RequestContext, cursor: &CursorWord) -> Result<Option<Hover>, RequestError> {
    let CursorMeaning { rows, meaning } = cursor.definitions(context)?;
    let Some(row) = rows.first() else { return Ok(None) };
    let mut request = whole_word(&cursor.word);
    request.filter.path = Some(row.path.as_str().to_string());
    request.max_results = REFERENCES;
    (request.before, request.after) = (Some(DOC_LINES), Some(SIGNATURE_LINES));
    let reply = cursor.root.answer_from_files(&context.cancel, |engine| engine.ask(&request))?;
    let mut lines: BTreeMap<u32, &str> = BTreeMap::new();
    for line in &reply.lines {
        lines.insert(line.line, &line.text);
        lines.extend(line.before.iter().chain(&line.after).map(|line| (line.line, line.text.as_str())));
    }
    let fence = if lines.values().any(|line| line.contains("```")) { "````" } else { "```" };
    let mut value = format!("{fence}{}\n", row.language);
    for line in signature(&lines, row) {
        value += &format!("{line}\n");
    }
    value += &format!("{fence}\n");
    let doc = documentation(&lines, row);
    if !doc.is_empty() {
        value += &format!("\n{}\n", doc.join("\n"));
    }
    let kind = if meaning == PlaceMeaning::Local { "local variable" } else { row.kind.name() };
    value += &format!("\n{kind} `{}` · `{}:{}`", row.qualified(), row.path, row.lines.first);
    if rows.len() > 1 {
        value += &format!(" · {} more with this name", rows.len() - 1);
    }
    if meaning == PlaceMeaning::Unknown {
        value += " · no rule decides which one is meant";
    }
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Ok(Some(Hover { contents, range: None }))
}

/// The lines of a definition up to the beginning of its body.
fn signature<'l>(lines: &BTreeMap<u32, &'l str>, row: &SymbolRow) -> Vec<&'l str> {
    let mut shown = Vec::new();
    for number in row.lines.first..=row.lines.last.min(row.lines.first + SIGNATURE_LINES - 1) {
        let Some(line) = lines.get(&number) else { break };
        shown.push(*line);
        let code = line.trim_end();
        if code.ends_with(['{', ':', ';', '=', '}']) || code.ends_with("do") {
            break;
        }
    }
    shown
}

/// The comment above a definition, without the signs that make it a comment.
fn documentation(lines: &BTreeMap<u32, &str>, row: &SymbolRow) -> Vec<String> {
    let mut doc = Vec::new();
    let mut number = row.lines.first;
    while number > 1 && doc.len() < DOC_LINES as usize {
        number -= 1;
        let Some(line) = lines.get(&number).map(|line| line.trim()) else { break };
        let is_attribute = line.starts_with("#[") || line.starts_with('@');
        match comment(line, row.language) {
            _ if is_attribute => {}
            Some(text) => doc.push(text.to_string()),
            None => break,
        }
    }
    doc.reverse();
    let first = doc.iter().position(|line| !line.is_empty()).unwrap_or(doc.len());
    let last = doc.iter().rposition(|line| !line.is_empty()).map_or(first, |last| last + 1);
    doc[first..last].to_vec()
}

/// The languages in which `#` begins a directive and no comment.
const WITH_DIRECTIVES: &[&str] = &["c", "cpp", "csharp", "glsl", "objc", "swift", "vb", "wgsl"];

/// The text of a line that is a comment.
fn comment<'l>(line: &'l str, language: &str) -> Option<&'l str> {
    if line.starts_with('#') && WITH_DIRECTIVES.contains(&language) {
        return None;
    }
    let signs = ["///", "//!", "//", "/**", "/*", "*/", "*", "##", "# ", "#", "--", ";;", "%%"];
    let text = signs.iter().find_map(|sign| line.strip_prefix(sign))?;
    Some(text.strip_suffix("*/").unwrap_or(text).trim())
}
