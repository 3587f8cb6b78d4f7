//! What each unit of a file measures on the profile's signals of places.

use memchr::memmem::Finder;
use rustc_hash::FxHashMap;

use super::parts::{Part, Parts};
use super::runs::Runs;
use super::units::Unit;
use crate::meta::{Outline, OutlineSymbol};
use crate::model::SymbolKind;
use crate::profile::PlaceSignal;
use crate::query::Query;
use crate::search::definition::{definition_worth, is_constructor, is_in_container, is_in_module};
use crate::search::evidence::Evidence;
use crate::search::model::RankedFile;
use crate::search::names::{Names, TermOverlap};
use crate::search::{Context, SearchError, literal};
use crate::text::Span;
use crate::tokenize::{TermPrefixFilter, for_each_word};

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

/// What a constructor counts beside its type, where the query has their common name.
const OF_CONSTRUCTOR: f32 = 0.8;

/// A unit and what it measures.
pub struct Measured {
    /// Its lines are those that are shown.
    pub unit: Unit,
    pub values: PlaceValues,
    /// The query's terms in these lines.
    pub mask: u64,
    /// Whether the query as written begins in it.
    pub literal: bool,
    /// The line that answers, where one does.
    pub wanted: Option<u32>,
}

/// Measures one file after another.
pub struct Measure<'m> {
    query: &'m Query,
    context: &'m Context<'m>,
    evidence: &'m Evidence,
    term_prefixes: TermPrefixFilter,
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
    /// The best verbatim run, and where it ends.
    run: f32,
    run_end: Option<u32>,
    /// Where the query as written stands.
    literal: Option<u32>,
    /// Whether the query as written is all that stands on some lines.
    is_whole_line: bool,
    /// Where a line begins that the query names.
    frame: Option<u32>,
}

impl<'m> Measure<'m> {
    /// For one query.
    pub fn new(query: &'m Query, context: &'m Context<'m>, evidence: &'m Evidence) -> Measure<'m> {
        let term_prefixes = TermPrefixFilter::new(query.terms.iter().map(|term| term.term.as_str()));
        let mut names = Names::new(query, context.tokenizers);
        let runs = Runs::new(query, &mut names);
        Measure { query, context, evidence, term_prefixes, names, words: FxHashMap::default(), runs }
    }

    /// The units of a file that hold any evidence, in the order of the file.
    pub fn file(
        &mut self,
        ranked: &RankedFile,
        outline: &Outline<'_>,
        text: &str,
    ) -> Result<Vec<Measured>, SearchError> {
        let corpus = self.context.corpus;
        let chunk = |doc: u32| {
            let worth = self.evidence.matches(doc).then(|| self.evidence.of_chunk(doc));
            Ok((corpus.columns(doc)?, worth))
        };
        let chunks = corpus.docs(ranked.file).map(chunk).collect::<Result<Vec<_>, SearchError>>()?;
        let kinds = self.context.filter.kinds();
        let mut parts = Parts::new(text, &outline.symbols, kinds, &chunks);
        let mut counted = self.counted(&mut parts);
        if ranked.measured.known.literal > 0 {
            self.mark_literal(&parts, text, &mut counted);
        }
        for line in self.evidence.frames_of(ranked.file) {
            let byte = parts.first_of_line(*line);
            if let Some(part) = parts.at(byte) {
                counted[parts.all[part].unit].frame = Some(byte);
            }
        }
        let mut measured = Vec::new();
        for (unit, counted) in counted.iter().enumerate() {
            let wanted = counted.frame.or(counted.literal).or(counted.run_end);
            let (lines, mask) = parts.shown(unit, wanted, counted.lead);
            let unit = parts.units[unit];
            let values = self.values(&unit, counted, (ranked.file, outline));
            let has = |signal: PlaceSignal| values[signal as usize] > 0.0;
            let is_evidence =
                counted.mask != 0 || wanted.is_some() || has(PlaceSignal::Name) || has(PlaceSignal::Asked);
            if is_evidence && kinds.is_none_or(|kinds| kinds.contains(unit.kind)) {
                let literal = counted.literal.is_some_and(|at| {
                    let line = parts.index.line_of(at);
                    lines.first <= line && line <= lines.last
                });
                let wanted = wanted.map(|at| parts.index.line_of(at));
                measured.push(Measured { unit: Unit { lines, ..unit }, values, mask, literal, wanted });
            }
        }
        Ok(measured)
    }

    /// What is counted of each unit, and the terms of each part.
    fn counted(&mut self, parts: &mut Parts<'_>) -> Vec<Counted> {
        let mut counted = vec![Counted::default(); parts.units.len()];
        for part in 0..parts.all.len() {
            let Part { span, unit, worth, .. } = parts.all[part];
            counted[unit].bytes += span.end - span.start;
            if worth.is_some() {
                let known = &parts.units[unit];
                let lead = if known.is_named { parts.index.start_of(known.lines.first) } else { 0 };
                let text = parts.text(part);
                parts.all[part].mask = self.count(text, span.start, lead, &mut counted[unit]);
            }
        }
        counted
    }

    /// Notes the units in which the query stands as written, a line once.
    fn mark_literal(&self, parts: &Parts<'_>, text: &str, counted: &mut [Counted]) {
        for at in literal::occurrences(text, &Finder::new(&self.query.text)) {
            let Some(part) = parts.at(at) else { continue };
            let own = &mut counted[parts.all[part].unit];
            let is_whole = parts.is_whole_lines(Span { start: at, end: at + self.query.text.len() as u32 });
            if own.literal.is_none() || (is_whole && !own.is_whole_line) {
                own.literal = Some(at);
            }
            own.is_whole_line |= is_whole;
        }
    }

    /// Counts the terms of a part that begins at `start`; those before `lead` stand in what leads the unit. The other terms
    /// of the part.
    fn count(&mut self, text: &str, start: u32, lead: u32, counted: &mut Counted) -> u64 {
        counted.terms.resize(self.query.terms.len(), 0);
        if let Some(runs) = &mut self.runs {
            runs.begin();
        }
        let mut own = 0;
        for_each_word(text, |word| {
            let at = || start + (word.as_ptr() as usize - text.as_ptr() as usize) as u32;
            if let Some(runs) = &mut self.runs {
                let run = runs.next(word, self.evidence);
                if run > counted.run {
                    (counted.run, counted.run_end) = (run, Some(at()));
                }
            }
            let bytes = word.as_bytes();
            if !self.term_prefixes.may_hold(bytes) || self.term_prefixes.possible_terms(bytes).mask == 0 {
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
            *(if at() < lead { &mut counted.lead } else { &mut own }) |= mask;
            counted.mask |= mask;
            let mut left = mask;
            while left != 0 {
                let term = &mut counted.terms[left.trailing_zeros() as usize];
                *term = term.saturating_add(1);
                left &= left - 1;
            }
        });
        own
    }

    /// What a unit measures; its lines are all that it has.
    fn values(
        &mut self,
        unit: &Unit,
        counted: &Counted,
        (file, outline): (u32, &Outline<'_>),
    ) -> PlaceValues {
        let mut values = [0.0; PlaceSignal::COUNT];
        let mut set = |signal: PlaceSignal, value: f32| values[signal as usize] = value;
        let symbol = unit.symbol.map(|at| &outline.symbols[at as usize]).filter(|_| unit.is_named);
        let (mut in_name, mut in_holder) = (0, 0);
        if let Some(symbol) = symbol {
            let cover = self.cover(symbol.name);
            in_name = cover.mask;
            set(PlaceSignal::Name, self.evidence.idf_of(cover.mask) * cover.of_name);
            // A query that is the name of a type and nothing else asks for none of its members.
            if let Some(container) = symbol.container.filter(|name| self.query.only_name() != Some(name)) {
                let cover = self.cover(container);
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
        set(PlaceSignal::Literal, if counted.literal.is_some() { of_line } else { 0.0 });
        set(PlaceSignal::Run, counted.run);
        set(PlaceSignal::Frame, counted.frame.is_some() as u32 as f32);
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

    /// How well a name and the query cover each other.
    fn cover(&mut self, name: &str) -> TermOverlap {
        // Most names share nothing with the query, and need not be cut and stemmed to know it.
        if !self.term_prefixes.may_hold(name.as_bytes()) {
            return TermOverlap::default();
        }
        let name = self.names.of(name);
        self.names.cover(name)
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
        let nearness = if self.query.is_respelled { 0.03 * place as f32 } else { 0.0 };
        let own = 0.75 + 0.25 * definition_worth(symbol, depth) - nearness;
        // The name alone means the type. A constructor is meant by `Type.Type`, which is another signal.
        if is_constructor(symbol) { OF_CONSTRUCTOR * own } else { own }
    }

    /// Whether the query has its name behind that of what holds it, or of its file.
    fn qualified(&self, symbol: &OutlineSymbol<'_>, file: u32) -> f32 {
        let of_name = || self.query.qualified.iter().filter(|own| own.name == symbol.name);
        let by_holder = of_name().any(|own| is_in_container(symbol, &own.container));
        let path = self.context.corpus.path(file);
        let by_module = || of_name().any(|own| is_in_module(symbol, path, &own.container));
        let by_file = || of_name().any(|own| own.container == crate::path::naming(path));
        if by_holder || by_module() {
            1.0
        } else if by_file() {
            0.5
        } else {
            0.0
        }
    }
}

fn starts_as_test(name: &str) -> bool {
    ["test", "Test", "bench", "Benchmark"].iter().any(|prefix| name.starts_with(prefix))
}
