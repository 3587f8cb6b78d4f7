//! Whole units: which lines belong to a place, and their text.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::candidates::CandidatePlace;
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
    /// The words of the task in lower case.
    words: Vec<String>,
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

/// The words of a task that are looked for in items have at least so many letters.
const MIN_LETTERS: usize = 3;

/// The tokens at which an item is worth half as much as a short one with as many words.
const LONG_ITEM: f32 = 400.0;

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
    /// The tokens of the code.
    pub code_tokens: usize,
    /// The tokens of the code and of the line of the type around the unit.
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

impl UnitExtent {
    /// What identifies the unit in a tree.
    pub fn key(&self, file: u32) -> (u32, u32, u32) {
        (file, self.lines.first, self.lines.last)
    }
}

impl<'a> Units<'a> {
    pub fn new(
        engine: &'a Engine,
        snapshot: &'a SearchSnapshot,
        sources: &Arc<ReplySources<'a>>,
        query: &Query,
    ) -> Units<'a> {
        let words = query.terms.iter().map(|term| term.word.to_lowercase());
        let words = words.filter(|word| word.chars().count() >= MIN_LETTERS).collect();
        Units {
            engine,
            snapshot,
            sources: Arc::clone(sources),
            words,
            files: RefCell::default(),
            extents: RefCell::default(),
        }
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
        let item = item.or_else(|| self.telling_item(&own, Some(lines)));
        let whole = item.map_or(lines, |item| item.whole);
        let around = own.items.iter().rev().find(|item| {
            let is_container =
                item.kind.is_type_like() || matches!(item.kind, SymbolKind::Impl | SymbolKind::Module);
            is_container && item.lines.first < whole.first && whole.last <= item.whole.last
        });
        let enclosing = around.map(|item| item.lines.first);
        let above = enclosing.map_or(0, |line| own.row_bytes(Lines { first: line, last: line }).sum());
        let code_tokens = tokens_of_bytes(own.row_bytes(whole).sum());
        Ok(Some(UnitExtent {
            lines: whole,
            kind: item.map_or(place.kind, |item| item.kind),
            symbol: item.map(|item| item.symbol.clone()).or_else(|| place.symbol.clone()),
            enclosing,
            code_tokens,
            tokens: code_tokens + tokens_of_bytes(above),
        }))
    }

    /// The function or type of a file that says most about the task; `None` if no item has a word of the task.
    pub(crate) fn telling_place(&self, file: u32) -> Result<Option<(Lines, SymbolKind, String)>, Error> {
        let Some(own) = self.file(file)? else { return Ok(None) };
        let item = self.telling_item(&own, None);
        Ok(item.map(|item| (item.lines, item.kind, item.symbol.clone())))
    }

    /// The function or type within lines that has the most words of the task for its length.
    fn telling_item<'f>(&self, own: &'f UnitFile, within: Option<Lines>) -> Option<&'f UnitItem> {
        let is_inside = |item: &&UnitItem| {
            let is_unit = item.kind.is_function() || item.kind.is_type_like();
            is_unit
                && within.is_none_or(|lines| lines.first <= item.lines.first && item.whole.last <= lines.last)
        };
        let mut best: Option<(f32, &UnitItem)> = None;
        for item in own.items.iter().filter(is_inside) {
            let text = own.text[own.index.span_of(item.whole).range()].to_lowercase();
            let n_words = self.words.iter().filter(|word| text.contains(word.as_str())).count();
            let worth = n_words as f32 / (1.0 + tokens_of_bytes(text.len()) as f32 / LONG_ITEM);
            if n_words > 0 && best.is_none_or(|(known, _)| worth > known) {
                best = Some((worth, item));
            }
        }
        best.map(|(_, item)| item)
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

    /// The number of lines, of the first ones of `lines`, whose rows have at most `room` bytes, and their bytes.
    pub(crate) fn rows_within(&self, file: u32, lines: Lines, room: usize) -> Result<(usize, usize), Error> {
        let Some(own) = self.file(file)? else { return Ok((0, 0)) };
        let (mut count, mut size) = (0, 0);
        for bytes in own.row_bytes(lines) {
            if size + bytes > room {
                break;
            }
            (count, size) = (count + 1, size + bytes);
        }
        Ok((count, size))
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
