//! Whole units: which lines belong to a place, and their text.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::candidates::CandidatePlace;
use super::parts::{HEADING_BYTES, LONG_UNIT, MAX_PARTS_TOKENS, UnitLine, parts};
use crate::api::PackLine;
use crate::core::Engine;
use crate::error::Error;
use crate::source::ReplySources;
use spyhop_base::model::SymbolKind;
use spyhop_base::text::{LineIndex, Lines, Span};
use spyhop_context::pack::{row_bytes, tokens_of_bytes};
use spyhop_grep::secrets::{self, SecretMask};
use spyhop_search::query::Query;
use spyhop_search::{SearchError, SearchSnapshot};

/// The most lines of an import statement.
const MAX_IMPORT_LINES: u32 = 8;

/// The texts of a pack, each read once.
pub(crate) struct Units<'a> {
    engine: &'a Engine,
    snapshot: &'a SearchSnapshot,
    sources: Arc<ReplySources<'a>>,
    words: Vec<TaskWord>,
    /// The lines that the change of the request touches, with their files.
    touched: Vec<(u32, Lines)>,
    /// Whether a long unit is shown in parts.
    shortens: bool,
    files: RefCell<FxHashMap<u32, Option<Rc<UnitFile>>>>,
    /// The extents of places, by file and lines.
    extents: RefCell<FxHashMap<(u32, u32, u32), Option<UnitExtent>>>,
}

/// A file with its items.
struct UnitFile {
    path: String,
    text: Arc<String>,
    index: LineIndex,
    items: Vec<UnitItem>,
    mask: OnceCell<Option<SecretMask>>,
}

/// A word of the task.
struct TaskWord {
    /// The word, or its stem if the word begins with the stem, in lower case.
    text: String,
    /// How rare the word is in the tree, 0 to 1.
    rarity: f32,
}

/// The words of a task that are looked for in items have at least so many letters.
const MIN_LETTERS: usize = 3;

/// The tokens at which an item is worth half as much as a short one with as many words.
const LONG_ITEM: f32 = 400.0;

/// How much words in the name of an item count beside those in its text.
const NAME_SHARE: f32 = 2.0;

/// How much more the words of a line count that the search found.
const FOUND_LINE: f32 = 1.5;

/// The weight of a line that the change of the request touches: more than all words of a task.
const TOUCHED_LINE: f32 = 1e4;

struct UnitItem {
    kind: SymbolKind,
    symbol: String,
    /// The lines of the item proper.
    lines: Lines,
    /// The lines with the doc comment.
    whole: Lines,
}

/// The lines of a unit.
#[derive(Clone, Debug)]
pub(crate) struct UnitExtent {
    pub lines: Lines,
    pub kind: SymbolKind,
    pub symbol: Option<String>,
    /// The first line of the type around the unit.
    pub enclosing: Option<u32>,
    /// The first line of the item without its doc comment.
    signature: u32,
    /// The lines that are shown: all lines, or the parts of a long unit.
    pub parts: Vec<Lines>,
    /// The tokens of the parts and of the line of the type around the unit.
    pub tokens: usize,
}

impl UnitFile {
    /// The digits of the largest line number.
    fn width(&self) -> usize {
        self.index.count().to_string().len()
    }

    /// The bytes of each of some lines as a row with its number.
    fn row_bytes(&self, lines: Lines) -> impl Iterator<Item = usize> {
        let width = self.width();
        self.text[self.index.span_of(lines).range()].lines().map(move |line| row_bytes(width, line))
    }
}

impl UnitFile {
    /// The tokens of lines, and of the first line of the type around them.
    fn tokens(&self, enclosing: Option<u32>, parts: &[Lines]) -> usize {
        let above = enclosing.map_or(0, |line| self.row_bytes(Lines { first: line, last: line }).sum());
        let code = parts.iter().flat_map(|part| self.row_bytes(*part)).sum();
        tokens_of_bytes(code) + tokens_of_bytes(above)
    }

    fn with_parts(&self, extent: &UnitExtent, parts: Vec<Lines>) -> UnitExtent {
        let tokens = self.tokens(extent.enclosing, &parts);
        UnitExtent { parts, tokens, ..extent.clone() }
    }
}

impl UnitExtent {
    /// Whether lines of the unit are not shown.
    pub fn is_cut(&self) -> bool {
        self.parts != [self.lines]
    }
}

impl<'a> Units<'a> {
    pub fn new(
        engine: &'a Engine,
        snapshot: &'a SearchSnapshot,
        sources: &Arc<ReplySources<'a>>,
        query: &Query,
        shortens: bool,
    ) -> Units<'a> {
        let words = query.terms.iter().filter(|own| own.word.chars().count() >= MIN_LETTERS).map(|own| {
            let word = own.word.to_lowercase();
            let text = if word.starts_with(&own.term) { own.term.clone() } else { word };
            TaskWord { text, rarity: spyhop_search::rarity(&own.term, snapshot).unwrap_or(1.0) }
        });
        let words = words.collect();
        Units {
            engine,
            snapshot,
            sources: Arc::clone(sources),
            words,
            touched: Vec::new(),
            shortens,
            files: RefCell::default(),
            extents: RefCell::default(),
        }
    }

    /// Makes the parts of long units begin with the lines that a change touches.
    pub fn set_touched(&mut self, touched: Vec<(u32, Lines)>) {
        self.touched = touched;
    }

    /// The file with its items; `None` if the file cannot be read or has changed since it was indexed.
    fn file(&self, file: u32) -> Result<Option<Rc<UnitFile>>, Error> {
        if let Some(known) = self.files.borrow().get(&file) {
            return Ok(known.clone());
        }
        let version = self.snapshot.version(file);
        let text = if version.content().is_path_only() { None } else { self.sources.text(file) };
        let found = match text {
            None => None,
            Some(text) => {
                let mut names = Vec::new();
                let outline = version.outline(&mut names).map_err(SearchError::from)?;
                let index = LineIndex::new(&text);
                let items = outline.symbols.iter().map(|symbol| UnitItem {
                    kind: symbol.kind,
                    symbol: symbol.qualified(),
                    lines: symbol.lines,
                    whole: index.lines_of(symbol.span),
                });
                let items = items.collect();
                let path = version.path().to_string();
                Some(Rc::new(UnitFile { path, text, items, index, mask: OnceCell::new() }))
            }
        };
        self.files.borrow_mut().insert(file, found.clone());
        Ok(found)
    }

    /// The whole unit of a place: its item with the doc comment. A part of a function is the function.
    pub fn extent(&self, file: u32, place: &CandidatePlace) -> Result<Option<UnitExtent>, Error> {
        let key = (file, place.lines.first, place.lines.last);
        if let Some(known) = self.extents.borrow().get(&key) {
            return Ok(known.clone());
        }
        let found = self.computed_extent(file, place)?;
        self.extents.borrow_mut().insert(key, found.clone());
        Ok(found)
    }

    fn computed_extent(&self, file: u32, place: &CandidatePlace) -> Result<Option<UnitExtent>, Error> {
        let Some(own) = self.file(file)? else { return Ok(None) };
        let last = own.index.count();
        if place.lines.first > last {
            return Ok(None);
        }
        let lines = Lines { first: place.lines.first, last: place.lines.last.min(last) };
        let contains = |outer: Lines| outer.first <= lines.first && lines.last <= outer.last;
        let is_item = |item: &&UnitItem| {
            contains(item.whole) && (item.lines.first == lines.first || item.whole == lines)
        };
        let is_function = |item: &&UnitItem| contains(item.whole) && item.kind.is_function();
        let item = own.items.iter().find(is_item);
        let item = item.or_else(|| own.items.iter().rev().find(is_function));
        let item = item.or_else(|| self.telling_items(&own, Some(lines)).first().map(|(_, item)| *item));
        let whole = item.map_or(lines, |item| item.whole);
        let around = own.items.iter().rev().find(|item| {
            let is_container =
                item.kind.is_type_like() || matches!(item.kind, SymbolKind::Impl | SymbolKind::Module);
            is_container && item.lines.first < whole.first && whole.last <= item.whole.last
        });
        let enclosing = around.map(|item| item.lines.first);
        let mut extent = UnitExtent {
            lines: whole,
            kind: item.map_or(place.kind, |item| item.kind),
            symbol: item.map(|item| item.symbol.clone()).or_else(|| place.symbol.clone()),
            enclosing,
            signature: item.map_or(whole.first, |item| item.lines.first),
            parts: vec![whole],
            tokens: own.tokens(enclosing, &[whole]),
        };
        if self.shortens && extent.tokens > LONG_UNIT {
            let parts = self.parts((file, &own), &extent, place, (MAX_PARTS_TOKENS, HEADING_BYTES));
            extent = own.with_parts(&extent, parts);
        }
        Ok(Some(extent))
    }

    /// The rarities of the words of the task with which a part of a name in a text begins, added up.
    fn weight_of(&self, text: &str) -> f32 {
        let lower = text.to_ascii_lowercase();
        let begins_part = |at: usize| {
            let mut before = text[..at].chars().rev();
            let is_new_case = text[at..].starts_with(char::is_uppercase);
            before.next().is_none_or(|c| !c.is_alphanumeric() || (is_new_case && !c.is_uppercase()))
        };
        let is_in_text = |own: &&TaskWord| lower.match_indices(&own.text).any(|(at, _)| begins_part(at));
        self.words.iter().filter(is_in_text).map(|own| own.rarity).sum()
    }

    /// The parts of a unit within `room` tokens, if the heading of a further part has `heading` bytes.
    fn parts(
        &self,
        (file, own): (u32, &UnitFile),
        extent: &UnitExtent,
        place: &CandidatePlace,
        (room, heading): (usize, usize),
    ) -> Vec<Lines> {
        let below = Lines { first: extent.signature, last: extent.lines.last };
        let is_part = place.lines.first > extent.signature || place.lines.last < extent.lines.last;
        let text = &own.text[own.index.span_of(below).range()];
        let touched = self.touched.iter().filter(|(other, _)| *other == file).map(|(_, lines)| *lines);
        let touched: Vec<Lines> = touched.collect();
        let lines =
            text.lines().zip(own.row_bytes(below)).zip(below.first..).map(|((line, bytes), number)| {
                let is_found = is_part && place.lines.first <= number && number <= place.lines.last;
                let weight = self.weight_of(line) * if is_found { FOUND_LINE } else { 1.0 };
                let is_touched = touched.iter().any(|own| own.first <= number && number <= own.last);
                UnitLine { bytes, weight: if is_touched { TOUCHED_LINE } else { weight } }
            });
        parts(below.first, &lines.collect::<Vec<_>>(), room, heading)
    }

    /// The parts of a unit that have at most `room` tokens with the line of the type around the unit and with `heading` bytes
    /// for each part but the first; `None` if no line fits.
    pub fn shortened(
        &self,
        file: u32,
        extent: &UnitExtent,
        place: &CandidatePlace,
        (room, heading): (usize, usize),
    ) -> Result<Option<UnitExtent>, Error> {
        let Some(own) = self.file(file)? else { return Ok(None) };
        let above = own.tokens(extent.enclosing, &[]);
        let Some(room) = room.checked_sub(above) else { return Ok(None) };
        let parts = self.parts((file, &own), extent, place, (room, heading));
        Ok((!parts.is_empty()).then(|| own.with_parts(extent, parts)))
    }

    /// A unit with other parts.
    pub fn with_parts(
        &self,
        file: u32,
        extent: &UnitExtent,
        parts: Vec<Lines>,
    ) -> Result<Option<UnitExtent>, Error> {
        Ok(self.file(file)?.map(|own| own.with_parts(extent, parts)))
    }

    /// The functions and types of a file that have words of the task, each with what it tells for its length, the item that tells
    /// most first.
    pub(crate) fn telling_places(&self, file: u32) -> Result<Vec<(f32, Lines, SymbolKind, String)>, Error> {
        let Some(own) = self.file(file)? else { return Ok(Vec::new()) };
        let items = self.telling_items(&own, None);
        let place = |(tells, item): (f32, &UnitItem)| (tells, item.lines, item.kind, item.symbol.clone());
        Ok(items.into_iter().map(place).collect())
    }

    /// The functions and types within lines that have words of the task, each with the weight of these words, less for a long
    /// item and more for words in its name. The item that tells most is first.
    fn telling_items<'f>(&self, own: &'f UnitFile, within: Option<Lines>) -> Vec<(f32, &'f UnitItem)> {
        let is_inside = |item: &&UnitItem| {
            let is_unit = item.kind.is_function() || item.kind.is_type_like();
            is_unit
                && within.is_none_or(|lines| lines.first <= item.lines.first && item.whole.last <= lines.last)
        };
        let tells = |item: &'f UnitItem| {
            let text = &own.text[own.index.span_of(item.whole).range()];
            let weight = self.weight_of(text) + NAME_SHARE * self.weight_of(&item.symbol);
            (weight / (1.0 + tokens_of_bytes(text.len()) as f32 / LONG_ITEM), item)
        };
        let items = own.items.iter().filter(is_inside).map(tells);
        let mut items: Vec<(f32, &UnitItem)> = items.filter(|(tells, _)| *tells > 0.0).collect();
        items.sort_by(|a, b| b.0.total_cmp(&a.0));
        items
    }

    /// The lines of a file without line breaks at their ends, with secrets masked.
    pub fn text(&self, file: u32, lines: Lines) -> Result<Vec<String>, Error> {
        let Some(own) = self.file(file)? else { return Ok(Vec::new()) };
        let range = own.index.span_of(lines).range();
        let mask = own.mask.get_or_init(|| self.engine.policy().secret_mask(&own.path, &own.text));
        let masked = mask.as_ref().map(|cover| secrets::mask_lines(&own.text, range.clone(), cover));
        let text = masked.as_deref().unwrap_or(&own.text);
        Ok(text[range].lines().map(str::to_string).collect())
    }

    /// The bytes of lines of a file as rows with numbers.
    pub(crate) fn bytes_of_rows(&self, file: u32, rows: &[PackLine]) -> Result<usize, Error> {
        let width = self.file(file)?.map_or(0, |own| own.width());
        Ok(rows.iter().map(|row| row_bytes(width, &row.text)).sum())
    }

    /// A line of a file.
    pub fn line(&self, file: u32, line: u32) -> Result<PackLine, Error> {
        let text = self.text(file, Lines { first: line, last: line })?.pop().unwrap_or_default();
        Ok(PackLine { line, text })
    }

    /// The text of lines as it is, for looking up words.
    pub fn raw(&self, file: u32, lines: Lines) -> Result<String, Error> {
        let own = self.file(file)?;
        Ok(own.map(|own| own.text[own.index.span_of(lines).range()].to_string()).unwrap_or_default())
    }

    /// The line of a byte.
    pub fn line_of(&self, file: u32, byte: u32) -> Result<u32, Error> {
        Ok(self.file(file)?.map_or(1, |own| own.index.line_of(byte)))
    }

    /// The lines of the statement that begins at a byte: up to the line that closes its brackets.
    pub fn statement(&self, file: u32, start: u32) -> Result<Vec<PackLine>, Error> {
        let Some(own) = self.file(file)? else { return Ok(Vec::new()) };
        let first = own.index.line_of(start);
        let mut lines = Vec::new();
        let mut open = 0_i32;
        for line in first..first + MAX_IMPORT_LINES {
            let span: Span = own.index.span_of(Lines { first: line, last: line });
            let text = &own.text[span.range()];
            if text.is_empty() {
                break;
            }
            open +=
                text.matches(['(', '{', '[']).count() as i32 - text.matches([')', '}', ']']).count() as i32;
            lines.push(self.line(file, line)?);
            if open <= 0 {
                break;
            }
        }
        Ok(lines)
    }
}
