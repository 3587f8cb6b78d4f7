//! The measure of each signal of places on each unit of a file.

use memchr::memmem::Finder;
use rustc_hash::FxHashMap;

use super::parts::{FilePart, FileParts};
use super::runs::Runs;
use super::templates::Templates;
use super::units::Unit;
use crate::context::Context;
use crate::definition::{definition_worth, is_constructor, is_in_container, is_in_module, meant};
use crate::error::SearchError;
use crate::evidence::Evidence;
use crate::literal;
use crate::measure::MeasuredFile;
use crate::names::{Names, TermOverlap};
use crate::profile::PlaceSignal;
use crate::query::Query;
use spyhop_base::model::SymbolKind;
use spyhop_base::text::Span;
use spyhop_index::meta::{Outline, OutlineSymbol};
use spyhop_index::tokenize::TermPrefixFilter;

/// A value for each signal of places.
pub(crate) type PlaceValues = [f32; PlaceSignal::COUNT];

/// The BM25 parameters for units. Repetition saturates soon, and length counts little, because there is a signal
/// for length.
const K1: f32 = 1.2;
const B: f32 = 0.4;

/// The average length of a unit in bytes, for BM25.
const USUAL_BYTES: f32 = 800.0;

/// The frequency that a term in the name of a unit adds.
const IN_NAME: f32 = 3.0;

/// The literal measure if the query as written is only a part of its line.
const PART_OF_LINE: f32 = 0.7;

/// The measure of a place that an outer frame of a trace names; 1 for the innermost frame of the file.
const OUTER_FRAME: f32 = 0.8;

/// The factor of a constructor, if the query has the common name of constructor and type.
const OF_CONSTRUCTOR: f32 = 0.8;

pub(crate) struct MeasuredUnit {
    /// The unit, with the lines that are shown.
    pub unit: Unit,
    pub values: PlaceValues,
    /// The terms of the query in these lines.
    pub mask: u64,
    /// Whether the query as written begins in these lines.
    pub literal: bool,
    /// The line that answers, if there is one.
    pub wanted: Option<u32>,
}

/// Measures the units of files, one file at a time.
pub(crate) struct UnitMeasure<'m> {
    query: &'m Query,
    context: &'m Context<'m>,
    evidence: &'m Evidence,
    term_prefixes: TermPrefixFilter,
    names: Names<'m>,
    /// By word: the terms of the query in it.
    words: FxHashMap<Box<str>, u64>,
    runs: Option<Runs<'m>>,
    templates: Option<Templates<'m>>,
}

/// The counts of a unit.
#[derive(Clone, Default)]
struct Counted {
    /// By term: its frequency.
    terms: Vec<u16>,
    mask: u64,
    /// The terms in the lines before the item, such as its comment.
    lead: u64,
    bytes: u32,
    /// Bit `n` is set if a word with term `n + 1` of the query follows a word with term `n`.
    pairs: u64,
    /// The best verbatim run, and its end.
    run: f32,
    run_end: Option<u32>,
    /// The best template, and its position.
    template: f32,
    template_at: Option<u32>,
    /// The position of the query as written.
    literal: Option<u32>,
    /// Whether the query as written is a whole line.
    is_whole_line: bool,
    /// The start of a line that a frame of the query names, and the measure of the frame.
    frame: Option<(u32, f32)>,
}

impl<'m> UnitMeasure<'m> {
    /// Prepares the measures for one query.
    pub fn new(query: &'m Query, context: &'m Context<'m>, evidence: &'m Evidence) -> UnitMeasure<'m> {
        let term_prefixes = TermPrefixFilter::new(query.terms.iter().map(|term| term.term.as_str()));
        let mut names = Names::new(query, context.tokenizers);
        let runs = Runs::new(query, &mut names);
        let templates = Templates::new(query, &mut names);
        let words = FxHashMap::default();
        UnitMeasure { query, context, evidence, term_prefixes, names, words, runs, templates }
    }

    /// Measures the units of a file that have evidence, in the order of the file.
    pub fn file(
        &mut self,
        measured_file: &MeasuredFile,
        outline: &Outline<'_>,
        text: &str,
    ) -> Result<Vec<MeasuredUnit>, SearchError> {
        let snapshot = self.context.snapshot;
        let chunk = |doc: u32| {
            let worth = self.evidence.matches(doc).then(|| self.evidence.chunk_score(doc));
            Ok((snapshot.columns(doc)?, worth))
        };
        let chunks = snapshot.docs(measured_file.file).map(chunk).collect::<Result<Vec<_>, SearchError>>()?;
        let kinds = self.context.filter.kinds();
        let n_outline = snapshot.version(measured_file.file).symbols() as usize;
        let mut parts = FileParts::new(text, (&outline.symbols, n_outline), kinds, &chunks);
        let mut counted = self.counted(&mut parts);
        if measured_file.row.literal > 0 {
            self.mark_literal(&parts, text, &mut counted);
        }
        for (at, line) in self.evidence.frames_of(measured_file.file).unwrap_or_default().iter().enumerate() {
            let byte = parts.first_of_line(*line);
            if let Some(part) = parts.part_at(byte) {
                let frame = &mut counted[parts.all[part].unit].frame;
                *frame = frame.or(Some((byte, if at == 0 { 1.0 } else { OUTER_FRAME })));
            }
        }
        let local = self.local_weights(&counted);
        let mut measured = Vec::new();
        for (unit, counted) in counted.iter().enumerate() {
            let frame = counted.frame.map(|(at, _)| at);
            let wanted = frame.or(counted.literal).or(counted.template_at).or(counted.run_end);
            let named = &parts.units[unit];
            if counted.mask == 0 && wanted.is_none() && !self.is_named_in_query(named, outline) {
                continue;
            }
            let (lines, mask) = parts.shown(unit, wanted, counted.lead);
            let unit = parts.units[unit];
            let values = self.values(&unit, counted, (measured_file.file, outline), &local);
            if kinds.is_none_or(|kinds| kinds.contains(unit.kind)) {
                let literal = counted.literal.is_some_and(|at| {
                    let line = parts.index.line_of(at);
                    lines.first <= line && line <= lines.last
                });
                let wanted = wanted.map(|at| parts.index.line_of(at));
                measured.push(MeasuredUnit { unit: Unit { lines, ..unit }, values, mask, literal, wanted });
            }
        }
        Ok(measured)
    }

    /// Counts the terms of each unit, and sets the masks of the parts.
    fn counted(&mut self, parts: &mut FileParts<'_>) -> Vec<Counted> {
        let mut counted = vec![Counted::default(); parts.units.len()];
        for part in 0..parts.all.len() {
            let FilePart { span, unit, worth, .. } = parts.all[part];
            counted[unit].bytes += span.end - span.start;
            if worth.is_some() {
                let known = &parts.units[unit];
                let lead = if known.is_named { parts.index.start_of(known.lines.first) } else { 0 };
                let text = parts.part_text(part);
                parts.all[part].mask = self.count(text, span.start, lead, &mut counted[unit]);
                if let Some(templates) = &self.templates {
                    let best = templates.best(text, self.evidence);
                    let counts = &mut counted[unit];
                    if best.value > counts.template {
                        (counts.template, counts.template_at) = (best.value, Some(span.start + best.at));
                    }
                }
            }
        }
        counted
    }

    /// Records the first match of the query as written in each unit, preferring whole lines.
    fn mark_literal(&self, parts: &FileParts<'_>, text: &str, counted: &mut [Counted]) {
        for at in literal::occurrences(text, &Finder::new(&self.query.text)) {
            let Some(part) = parts.part_at(at) else { continue };
            let counts = &mut counted[parts.all[part].unit];
            let is_whole = parts.is_whole_lines(Span { start: at, end: at + self.query.text.len() as u32 });
            if counts.literal.is_none() || (is_whole && !counts.is_whole_line) {
                counts.literal = Some(at);
            }
            counts.is_whole_line |= is_whole;
        }
    }

    /// Counts the terms of a part that begins at `start`. Terms before `lead` are counted as the lines before the item;
    /// the others are returned as a mask.
    fn count(&mut self, text: &str, start: u32, lead: u32, counted: &mut Counted) -> u64 {
        counted.terms.resize(self.query.terms.len(), 0);
        if let Some(runs) = &mut self.runs {
            runs.begin();
        }
        let mut item = 0;
        let mut last = 0u64;
        self.term_prefixes.for_each_word(text, |word, may_hold| {
            let at = || start + (word.as_ptr() as usize - text.as_ptr() as usize) as u32;
            if let Some(runs) = &mut self.runs {
                let run = runs.next(word, self.evidence);
                if run > counted.run {
                    (counted.run, counted.run_end) = (run, Some(at()));
                }
            }
            let mask = match may_hold {
                true => word_mask(word, &mut self.words, &mut self.names, &self.term_prefixes),
                false => 0,
            };
            if mask == 0 {
                last = 0;
                return;
            }
            *(if at() < lead { &mut counted.lead } else { &mut item }) |= mask;
            counted.mask |= mask;
            counted.pairs |= (last | mask) & (mask >> 1);
            last = mask;
            let mut left = mask;
            while left != 0 {
                let term = &mut counted.terms[left.trailing_zeros() as usize];
                *term = term.saturating_add(1);
                left &= left - 1;
            }
        });
        item
    }

    /// Measures a unit with all of its lines.
    fn values(
        &mut self,
        unit: &Unit,
        counted: &Counted,
        (file, outline): (u32, &Outline<'_>),
        local: &[f32],
    ) -> PlaceValues {
        let mut values = [0.0; PlaceSignal::COUNT];
        let mut set = |signal: PlaceSignal, value: f32| values[signal as usize] = value;
        let symbol = unit.symbol.map(|at| &outline.symbols[at as usize]).filter(|_| unit.is_named);
        let (mut in_name, mut in_holder) = (0, 0);
        if let Some(symbol) = symbol {
            let cover = self.cover(symbol.name);
            in_name = cover.mask;
            set(PlaceSignal::Name, self.evidence.idf_of(cover.mask) * cover.of_name);
            // A query that is only the name of a type does not ask for its members.
            if let Some(container) = symbol.container.filter(|name| self.query.only_name() != Some(name)) {
                let cover = self.cover(container);
                in_holder = cover.mask;
                set(PlaceSignal::Holder, self.evidence.idf_of(cover.mask) * cover.of_name);
            }
            let of_name = self.names.terms_of(symbol.name);
            let related = self.names.related_overlap(of_name);
            set(PlaceSignal::Related, self.evidence.idf_of(related.mask) * related.of_name);
            set(
                PlaceSignal::Asked,
                self.asked_value(symbol, outline.depth(unit.symbol.unwrap_or(0) as usize)),
            );
            set(PlaceSignal::Qualified, self.qualified_value(symbol, file));
            let is_test = !self.query.asks.tests && starts_as_test(symbol.name);
            set(PlaceSignal::Test, is_test as u32 as f32);
        }
        let n_pairs = self.query.terms.len().saturating_sub(1).max(1);
        set(PlaceSignal::Adjacent, counted.pairs.count_ones() as f32 / n_pairs as f32);
        let held = counted.mask | in_name | in_holder;
        let of_term = |(place, weight): (usize, &f32)| if held & (1 << place) != 0 { *weight } else { 0.0 };
        set(PlaceSignal::Local, local.iter().enumerate().map(of_term).sum());
        set(PlaceSignal::Body, self.bm25(counted, in_name));
        set(PlaceSignal::Coverage, self.evidence.idf_of(held));
        set(PlaceSignal::Lead, self.evidence.idf_of(counted.lead));
        let of_line = if counted.is_whole_line { 1.0 } else { PART_OF_LINE };
        set(PlaceSignal::Literal, if counted.literal.is_some() { of_line } else { 0.0 });
        set(PlaceSignal::Run, counted.run);
        set(PlaceSignal::Template, counted.template);
        set(PlaceSignal::Frame, counted.frame.map_or(0.0, |(_, value)| value));
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
        set(PlaceSignal::Declaration, flag(unit.kind.is_function() && n_lines < 2));
        values
    }

    /// By term: its weight among the units of the file. A term of most units does not distinguish them.
    fn local_weights(&self, counted: &[Counted]) -> Vec<f32> {
        let n_terms = self.query.terms.len();
        let n_units = counted.len() as f32;
        let mut held = vec![0.0f32; n_terms];
        for unit in counted {
            for (place, count) in held.iter_mut().enumerate() {
                *count += (unit.mask >> place & 1) as f32;
            }
        }
        let rarity = |(place, held): (usize, f32)| {
            self.evidence.idf[place] * ((n_units - held + 0.5) / (held + 0.5)).ln_1p()
        };
        let mut weights: Vec<f32> = held.into_iter().enumerate().map(rarity).collect();
        let total: f32 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= total.max(f32::MIN_POSITIVE));
        weights
    }

    /// Whether the name of a unit has a term or a name of the query.
    fn is_named_in_query(&mut self, unit: &Unit, outline: &Outline<'_>) -> bool {
        let Some(symbol) = unit.symbol.filter(|_| unit.is_named) else { return false };
        let name = outline.symbols[symbol as usize].name;
        let mask = self.cover(name).mask;
        self.evidence.idf_of(mask) > 0.0 || self.query.names.iter().any(|asked| asked == name)
    }

    fn cover(&mut self, name: &str) -> TermOverlap {
        // The filter rules out most names without tokenizing them.
        if !self.term_prefixes.may_hold(name.as_bytes()) {
            return TermOverlap::default();
        }
        let name = self.names.terms_of(name);
        self.names.cover(name)
    }

    /// BM25 of a unit, with the idf of the query, which sums up to 1.
    fn bm25(&self, counted: &Counted, in_name: u64) -> f32 {
        let norm = K1 * (1.0 - B + B * counted.bytes as f32 / USUAL_BYTES);
        let score = |place: usize| {
            let in_name = if in_name & (1 << place) != 0 { IN_NAME } else { 0.0 };
            let freq = f32::from(counted.terms.get(place).copied().unwrap_or(0)) + in_name;
            self.evidence.idf[place] * freq * (K1 + 1.0) / (freq + norm)
        };
        (0..self.query.terms.len()).map(score).sum()
    }

    /// The measure of a symbol with a name of the query: .75, plus up to .25 for an outer, large or type-like
    /// definition.
    fn asked_value(&self, symbol: &OutlineSymbol<'_>, depth: usize) -> f32 {
        let Some(place) = self.query.names.iter().position(|name| name == symbol.name) else { return 0.0 };
        // Near names are sorted by nearness.
        let nearness = if self.query.is_respelled { 0.03 * place as f32 } else { 0.0 };
        let value = 0.75 + 0.25 * definition_worth(symbol, depth) - nearness;
        // The name alone means the type. `Type.Type` means the constructor, which is measured as a qualified name.
        if is_constructor(symbol) { OF_CONSTRUCTOR * value } else { value }
    }

    /// The measure of a symbol whose qualified name is in the query, by its container, module or file.
    fn qualified_value(&self, symbol: &OutlineSymbol<'_>, file: u32) -> f32 {
        let of_name = || meant(self.query).iter().filter(|named| named.name == symbol.name);
        let by_holder = of_name().any(|named| is_in_container(symbol, &named.container));
        let path = self.context.snapshot.path(file);
        let by_module = || of_name().any(|named| is_in_module(symbol, path, &named.container));
        let by_file = || of_name().any(|named| named.container == spyhop_base::path::naming(path));
        if by_holder || by_module() {
            1.0
        } else if by_file() {
            0.5
        } else {
            0.0
        }
    }
}

/// The terms of the query in a word. `known` has the words that were asked before.
fn word_mask(
    word: &str,
    known: &mut FxHashMap<Box<str>, u64>,
    names: &mut Names<'_>,
    term_prefixes: &TermPrefixFilter,
) -> u64 {
    if let Some(mask) = known.get(word) {
        return *mask;
    }
    let mask = match term_prefixes.possible_terms(word.as_bytes()).mask {
        0 => 0,
        _ => {
            let name = names.terms_of(word);
            names.cover(name).mask
        }
    };
    known.insert(word.into(), mask);
    mask
}

fn starts_as_test(name: &str) -> bool {
    ["test", "Test", "bench", "Benchmark"].iter().any(|prefix| name.starts_with(prefix))
}
