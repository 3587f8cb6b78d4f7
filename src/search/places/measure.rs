//! What each unit of a file measures on the profile's signals of places.

use memchr::memmem;
use rustc_hash::FxHashMap;

use super::runs::Runs;
use super::units::{self, Piece, Unit, is_function};
use crate::index::Columns;
use crate::meta::{Outline, OutlineSymbol};
use crate::model::SymbolKind;
use crate::profile::PlaceSignal;
use crate::query::Query;
use crate::search::evidence::Evidence;
use crate::search::model::RankedFile;
use crate::search::names::Names;
use crate::search::{Context, SearchError};
use crate::text::{LineIndex, Lines, Span};
use crate::tokenize::{Beginnings, for_each_word};

/// A value for each signal of places.
pub type PlaceValues = [f32; PlaceSignal::COUNT];

/// The parameters of BM25 over units: repetition soon stops to count, and length counts little, because it has a signal
/// of its own.
const K1: f32 = 1.2;
const B: f32 = 0.4;

/// The length in bytes that counts as usual.
const USUAL_BYTES: f32 = 800.0;

/// What a term in a unit's name counts beside one in its text.
const IN_NAME: f32 = 3.0;

/// What the query as written counts where more stands on its line.
const PART_OF_LINE: f32 = 0.7;

/// Of a unit of more lines, such as a table, the part is shown that matches best.
const MOST_LINES: u32 = 120;

/// A unit and what it measures.
pub struct Measured {
    pub unit: Unit,
    pub values: PlaceValues,
    /// The query's terms in its text.
    pub mask: u64,
    /// Whether the query as written begins in it.
    pub literal: bool,
}

/// Measures one file after another.
pub struct Measure<'m> {
    query: &'m Query,
    context: &'m Context<'m>,
    evidence: &'m Evidence,
    beginnings: Beginnings,
    names: Names<'m>,
    /// By word that was met: the terms of the query in it.
    words: FxHashMap<Box<str>, u64>,
    runs: Option<Runs<'m>>,
}

/// What is counted of a unit.
#[derive(Clone, Default)]
struct Counted {
    /// By term.
    terms: Vec<u16>,
    mask: u64,
    /// The terms in what leads it, such as its comment.
    lead: u64,
    bytes: u32,
    /// The lines of the chunk in it that matches best, and how well.
    best_chunk: Option<(f32, Lines)>,
    /// The best verbatim run.
    run: f32,
    /// Where what must be shown stands: a line that the query has as written, or the end of the best run.
    shown: Option<u32>,
    literal: bool,
    /// Whether the query as written is all that stands on some lines.
    is_whole_line: bool,
}

impl<'m> Measure<'m> {
    /// For one query.
    pub fn new(query: &'m Query, context: &'m Context<'m>, evidence: &'m Evidence) -> Measure<'m> {
        let beginnings = Beginnings::new(query.terms.iter().map(|term| term.term.as_str()));
        let mut names = Names::new(query, context.tokenizers);
        let runs = Runs::new(query, &mut names);
        Measure { query, context, evidence, beginnings, names, words: FxHashMap::default(), runs }
    }

    /// The units of a file that hold any evidence, in the order of the file.
    pub fn file(
        &mut self,
        ranked: &RankedFile,
        outline: &Outline<'_>,
        text: &str,
    ) -> Result<Vec<Measured>, SearchError> {
        let kinds = self.context.filter.kinds();
        let symbols = &outline.symbols[..];
        let (mut units, pieces) = units::units(symbols, text.len() as u32, kinds);
        let chunks: Vec<(u32, Columns)> = (self.context.corpus.docs(ranked.file))
            .map(|doc| Ok((doc, self.context.corpus.columns(doc)?)))
            .collect::<Result<_, SearchError>>()?;
        let index = LineIndex::new(text);
        let lines_of_frames = self.evidence.frames_of(ranked.file);
        let mut counted = vec![Counted::default(); units.len()];
        let mut loose: FxHashMap<u32, u32> = FxHashMap::default();
        for Piece { span, unit } in pieces {
            let from = chunks.partition_point(|(_, columns)| columns.span.end <= span.start);
            let within = chunks[from..].iter().take_while(|(_, columns)| columns.span.start < span.end);
            for (doc, columns) in within {
                let part =
                    Span { start: span.start.max(columns.span.start), end: span.end.min(columns.span.end) };
                let Some(own) = text.get(part.range()) else { continue };
                let unit = match unit {
                    Some(unit) => unit,
                    None if own.trim().is_empty() => continue,
                    None => *loose.entry(*doc).or_insert_with(|| {
                        units.push(loose_unit(symbols, part, columns.kind));
                        counted.push(Counted::default());
                        units.len() as u32 - 1
                    }),
                };
                let known = &mut units[unit as usize];
                if !known.is_named {
                    known.span.end = part.end;
                }
                let counted = &mut counted[unit as usize];
                counted.bytes += part.end - part.start;
                let of_chunk = self.evidence.of_chunk(*doc);
                if of_chunk > counted.best_chunk.map_or(0.0, |(best, _)| best) {
                    counted.best_chunk = Some((of_chunk, columns.lines));
                }
                if self.evidence.matches(*doc) {
                    let lead = if known.is_named { index.start_of(known.lines.first) } else { 0 };
                    self.count(own, part.start, lead, counted);
                }
            }
        }
        if ranked.measured.known.literal > 0 {
            for at in memmem::find_iter(text.as_bytes(), self.query.text.as_bytes()) {
                if let Some(unit) = innermost(&units, at as u32) {
                    counted[unit].literal = true;
                    counted[unit].is_whole_line |= is_whole_line(text, at, self.query.text.len());
                    counted[unit].shown = Some(at as u32);
                }
            }
        }
        let mut measured = Vec::new();
        for (mut unit, counted) in units.into_iter().zip(counted) {
            if !unit.is_named {
                unit.lines = index.lines_of(trimmed(text, unit.span));
            }
            if let Some((_, lines)) = counted.best_chunk
                && unit.lines.count() > MOST_LINES
                && unit.lines.overlaps(lines)
            {
                unit.lines.first = unit.lines.first.max(lines.first);
                unit.lines.last = unit.lines.last.min(lines.last);
            }
            if let Some(shown) = counted.shown {
                // It may stand in what leads the item.
                let line = index.line_of(shown);
                unit.lines.first = unit.lines.first.min(line);
                unit.lines.last = unit.lines.last.max(line);
            }
            let has_frame =
                lines_of_frames.iter().any(|line| unit.lines.first <= *line && *line <= unit.lines.last);
            let values = self.values(&unit, &counted, has_frame, (ranked.file, outline));
            let has_name =
                values[PlaceSignal::Name as usize] > 0.0 || values[PlaceSignal::Asked as usize] > 0.0;
            let is_evidence = counted.mask != 0 || counted.literal || has_frame || has_name;
            if is_evidence && kinds.is_none_or(|kinds| kinds.contains(unit.kind)) {
                measured.push(Measured { unit, values, mask: counted.mask, literal: counted.literal });
            }
        }
        Ok(measured)
    }

    /// Counts the terms of a piece that begins at `start`; those before `lead` stand in what leads the unit.
    fn count(&mut self, text: &str, start: u32, lead: u32, counted: &mut Counted) {
        counted.terms.resize(self.query.terms.len(), 0);
        if let Some(runs) = &mut self.runs {
            runs.begin();
        }
        for_each_word(text, |word| {
            if let Some(runs) = &mut self.runs {
                let run = runs.next(word, self.evidence);
                if run > counted.run {
                    counted.run = run;
                    counted.shown = Some(start + (word.as_ptr() as usize - text.as_ptr() as usize) as u32);
                }
            }
            let bytes = word.as_bytes();
            if !self.beginnings.may_hold(bytes) || self.beginnings.held(bytes).mask == 0 {
                return;
            }
            let mask = match self.words.get(word) {
                Some(mask) => *mask,
                None => {
                    let name = self.names.of(word);
                    let mask = self.names.cover(name).mask;
                    self.words.insert(word.into(), mask);
                    mask
                }
            };
            let at = start + (word.as_ptr() as usize - text.as_ptr() as usize) as u32;
            if at < lead {
                counted.lead |= mask;
            }
            counted.mask |= mask;
            let mut left = mask;
            while left != 0 {
                let term = &mut counted.terms[left.trailing_zeros() as usize];
                *term = term.saturating_add(1);
                left &= left - 1;
            }
        });
    }

    fn values(
        &mut self,
        unit: &Unit,
        counted: &Counted,
        has_frame: bool,
        (file, outline): (u32, &Outline<'_>),
    ) -> PlaceValues {
        let mut values = [0.0; PlaceSignal::COUNT];
        let mut set = |signal: PlaceSignal, value: f32| values[signal as usize] = value;
        let symbol = unit.symbol.map(|at| &outline.symbols[at as usize]).filter(|_| unit.is_named);
        let (mut in_name, mut in_holder) = (0, 0);
        if let Some(symbol) = symbol {
            let name = self.names.of(symbol.name);
            let cover = self.names.cover(name);
            in_name = cover.mask;
            set(PlaceSignal::Name, self.evidence.idf_of(cover.mask) * cover.of_name);
            if let Some(container) = symbol.container {
                let name = self.names.of(container);
                let cover = self.names.cover(name);
                in_holder = cover.mask;
                set(PlaceSignal::Holder, self.evidence.idf_of(cover.mask) * cover.of_name);
            }
            set(PlaceSignal::Asked, self.asked(symbol, outline.depth(unit.symbol.unwrap_or(0) as usize)));
            set(PlaceSignal::Qualified, self.qualified(symbol, file));
            let is_test = !self.query.asks.tests && starts_as_test(symbol.name);
            set(PlaceSignal::Test, is_test as u32 as f32);
        }
        set(PlaceSignal::Body, self.bm25(counted, in_name));
        set(PlaceSignal::Coverage, self.evidence.idf_of(counted.mask | in_name | in_holder));
        set(PlaceSignal::Lead, self.evidence.idf_of(counted.lead));
        let of_line = if counted.is_whole_line { 1.0 } else { PART_OF_LINE };
        set(PlaceSignal::Literal, if counted.literal { of_line } else { 0.0 });
        set(PlaceSignal::Run, counted.run);
        set(PlaceSignal::Frame, has_frame as u32 as f32);
        let n_lines = unit.lines.count();
        set(PlaceSignal::Size, ((1 + n_lines) as f32).ln() / 200f32.ln());
        let flag = |is: bool| is as u32 as f32;
        set(PlaceSignal::Type, flag(unit.is_named && unit.kind.is_type_like()));
        set(
            PlaceSignal::Data,
            flag(unit.is_named && matches!(unit.kind, SymbolKind::Const | SymbolKind::Field)),
        );
        set(PlaceSignal::Loose, flag(!unit.is_named));
        set(PlaceSignal::Prose, flag(matches!(unit.kind, SymbolKind::Doc | SymbolKind::Text)));
        set(PlaceSignal::Declaration, flag(is_function(unit.kind) && n_lines < 2));
        values
    }

    /// BM25 of a unit, with the query's idf, which sums up to 1.
    fn bm25(&self, counted: &Counted, in_name: u64) -> f32 {
        let norm = K1 * (1.0 - B + B * counted.bytes as f32 / USUAL_BYTES);
        let score = |place: usize| {
            let in_name = if in_name & (1 << place) != 0 { IN_NAME } else { 0.0 };
            let freq = f32::from(counted.terms.get(place).copied().unwrap_or(0)) + in_name;
            self.evidence.idf[place] * freq * (K1 + 1.0) / (freq + norm)
        };
        (0..self.query.terms.len()).map(score).sum()
    }

    /// Whether the query has its name as written: outer, large and type-like ones are what people mean, a little.
    fn asked(&self, symbol: &OutlineSymbol<'_>, depth: usize) -> f32 {
        let Some(place) = self.query.names.iter().position(|name| name == symbol.name) else { return 0.0 };
        // Names that stand for one that is not defined are in the order of their nearness.
        let nearness = if self.query.is_respelled { 0.05 * place as f32 } else { 0.0 };
        0.75 + 0.25 * crate::search::measure::definition_worth(symbol, depth) - nearness
    }

    /// Whether the query has its name behind that of what holds it, or of its file.
    fn qualified(&self, symbol: &OutlineSymbol<'_>, file: u32) -> f32 {
        let of_name = || self.query.qualified.iter().filter(|own| own.name == symbol.name);
        let by_holder = of_name().any(|own| symbol.container == Some(own.container.as_str()));
        let by_file = || {
            let naming = crate::path::naming(self.context.corpus.path(file));
            of_name().any(|own| own.container == naming)
        };
        if by_holder {
            1.0
        } else if by_file() {
            0.5
        } else {
            0.0
        }
    }
}

/// A unit of what stands in none, under the name of what encloses it.
fn loose_unit(symbols: &[OutlineSymbol<'_>], part: Span, kind: SymbolKind) -> Unit {
    let kind = if matches!(kind, SymbolKind::Text | SymbolKind::Doc) { kind } else { SymbolKind::Block };
    let symbol = symbols.iter().rposition(|symbol| symbol.span.contains(part)).map(|at| at as u32);
    Unit { span: part, lines: Lines { first: 1, last: 1 }, kind, symbol, is_named: false }
}

/// The innermost unit around a byte.
fn innermost(units: &[Unit], at: u32) -> Option<usize> {
    let holds = |unit: &Unit| unit.span.start <= at && at < unit.span.end;
    let held = units.iter().enumerate().filter(|(_, unit)| holds(unit));
    held.min_by_key(|(_, unit)| unit.span.len()).map(|(place, _)| place)
}

/// A span without the blanks at its ends.
fn trimmed(text: &str, span: Span) -> Span {
    let own = text.get(span.range()).unwrap_or_default();
    let start = span.start + (own.len() - own.trim_start().len()) as u32;
    Span { start, end: (start + own.trim().len() as u32).max(start) }
}

/// Whether nothing but blanks stands before and behind `len` bytes of a text on their lines.
fn is_whole_line(text: &str, at: usize, len: usize) -> bool {
    let before = text[..at].rsplit('\n').next().unwrap_or_default();
    let behind = text[at + len..].split('\n').next().unwrap_or_default();
    before.trim().is_empty() && behind.trim().is_empty()
}

fn starts_as_test(name: &str) -> bool {
    ["test", "Test", "bench", "Benchmark"].iter().any(|prefix| name.starts_with(prefix))
}
