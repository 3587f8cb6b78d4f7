//! The measure of each signal on each file of the head, with the facts that the sentences of reasons need.
//!
//! Measures do not depend on the weights of the profile, so they can be exported, weighed again and fitted.

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::context::Context;
use super::definition::{definition_worth, has_body, outer_share, qualification};
use super::error::{SearchError, check_cancelled};
use super::evidence::{Evidence, FileEvidence};
use super::host_measure;
use super::host_signal::HostMeasure;
use super::named_outline::{OutlineNames, named_outline, names_minor};
use super::names::Names;
use super::role;
use super::snapshot::PathRole;
use super::usage::usage;
use crate::profile::Signal;
use crate::query::Query;
use crate::session::WeightedActivity;
use spyhop_base::parallel;
use spyhop_base::path;
use spyhop_index::meta::Version;
use spyhop_index::tokenize::{PrefixScan, TermPrefixFilter};

/// A value for each signal.
pub type Values = [f32; Signal::COUNT];

/// A measured file of the head.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MeasuredFile {
    pub file: u32,
    /// The row of the evidence: what the postings say of the file.
    pub row: FileEvidence,
    /// By signal: its measure, as the profile describes it.
    #[serde(with = "super::array")]
    pub values: Values,
    /// The facts for the sentences.
    pub facts: Facts,
    /// The measures of the signals that the host adds and the profile weighs. Shards have no host.
    #[serde(skip)]
    pub host_measures: Vec<HostMeasure>,
}

/// The facts that the measures are based on, for the sentences of reasons.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Facts {
    /// The symbol with a name of the query.
    pub exact: Option<u32>,
    /// The byte at which this symbol begins.
    pub exact_at: u32,
    /// The number of chunks that use this name.
    pub uses: u32,
    /// The symbol whose name matches the query best, and their common terms.
    pub best: Option<(u32, u64)>,
    #[serde(skip)]
    pub activity: Option<WeightedActivity>,
    /// The line in a frame of the query, and the line to which the function that the frame names has moved.
    pub moved: Option<[u32; 2]>,
}

/// The factor that brings BM25 sums to the scale of the other measures.
const BM25_UNIT: f32 = 0.1;

/// The worth of a definition of a qualified name, and of its declaration without a body. Other definitions are worth at
/// most 1.
const QUALIFIED: f32 = 2.0;
const QUALIFIED_DECLARATION: f32 = 1.75;

/// The factor for a definition if the query is only a qualified name: uses that contain the query as written, such as
/// imports, must rank behind the definition.
const ONLY_QUALIFIED: f32 = 2.0;

/// The gain of a definition that has all outer parts of the qualified name.
const OF_OUTER: f32 = 0.2;

/// The frame measure of the file of the innermost frame, if frames name other files too: the fault was met there.
const INNERMOST_FRAME: f32 = 4.0;

/// The frame measure of a file that the whole query names.
const NAMED_FILE: f32 = 6.0;

/// The test measure of a file for a message: tests contain the messages that they expect, and the code that writes the
/// message is meant.
const TEST_OF_MESSAGE: f32 = 2.0;

/// The measure of a test where the query asks for tests alone.
const ASKED_TEST: f32 = -2.0;

/// A query of at least this many words, or one word less with a capital, found as written in at most this many files, was probably
/// copied from there.
const PASTED_WORDS: usize = 4;
const PASTED_FILES: usize = 3;

/// The literal measure of such a file; the usual measure is 1.
const PASTED: f32 = 3.0;

/// What the measures of a file depend on beyond the file: the whole head, and files outside of it.
pub struct HeadScope<'h> {
    /// The paths of the head.
    paths: FxHashSet<&'h str>,
    /// The stems of the head's sources of C, C++ and Objective-C.
    sources: FxHashSet<&'h str>,
    /// The number of files that contain the query as written, without translations.
    n_literal: usize,
    /// Whether one of these has translations into the base language.
    has_base_text: bool,
    /// The number of files that frames of the query name.
    n_framed: usize,
}

impl<'h> HeadScope<'h> {
    /// The scope of a head of files with these paths. The files `literal` contain the query as written.
    pub fn new<'l>(
        paths: impl Iterator<Item = &'h str>,
        literal: impl ExactSizeIterator<Item = &'l str>,
        n_framed: usize,
    ) -> HeadScope<'h> {
        let (mut n_literal, mut has_base_text) = (0, false);
        for path in literal {
            let is_translation = role::translation_part(path).is_some();
            n_literal += usize::from(!is_translation);
            has_base_text |= is_translation && role::is_of_base_language(path);
        }
        let paths: FxHashSet<&str> = paths.collect();
        let sources = paths.iter().filter(|path| role::is_source_of_header(path));
        let sources = sources.map(|path| path::stem(path)).collect();
        HeadScope { paths, sources, n_literal, has_base_text, n_framed }
    }

    /// Takes back from the measures of a file of the head, which has this path, what does not hold within the head.
    pub fn settle(&self, measured: &mut MeasuredFile, path: &str) {
        let values = &mut measured.values;
        let mut without = |signal: Signal, greater: f32, usual: f32, is_usual: bool| {
            if values[signal as usize] == greater && is_usual {
                values[signal as usize] = usual;
            }
        };
        without(Signal::Literal, PASTED, 1.0, self.n_literal > PASTED_FILES);
        without(Signal::Data, role::OF_OTHER_LANGUAGE, role::OF_ONLY_LANGUAGE, !self.has_base_text);
        without(Signal::Frame, INNERMOST_FRAME, 1.0, self.n_framed <= 1);
        without(Signal::Header, 1.0, 0.0, !self.sources.contains(path::stem(path)));
        if values[Signal::OlderCopy as usize] > 0.0 && !self.has_newer_copy(path) {
            values[Signal::OlderCopy as usize] = 0.0;
        }
    }

    /// Whether the head has the file with this path less one folder that denotes a version or old code.
    fn has_newer_copy(&self, path: &str) -> bool {
        let parts: Vec<&str> = path.split('/').collect();
        (0..parts.len() - 1).filter(|at| role::is_past(parts[*at])).any(|at| {
            let newer: Vec<&str> = parts[..at].iter().chain(&parts[at + 1..]).copied().collect();
            self.paths.contains(newer.join("/").as_str())
        })
    }
}

/// The measures within a head whose files are all in one snapshot.
pub fn settled(context: &Context<'_>, evidence: &Evidence, mut head: Vec<MeasuredFile>) -> Vec<MeasuredFile> {
    let path = |measured: &MeasuredFile| context.snapshot.path(measured.file);
    let literal = evidence.literal_files.iter().map(|(file, _)| context.snapshot.path(*file));
    let scope = HeadScope::new(head.iter().map(path), literal, evidence.framed.len());
    head.iter_mut().for_each(|measured| scope.settle(measured, context.snapshot.path(measured.file)));
    head
}

/// Measures files, each as if the head had whatever makes its measures greater; [`HeadScope::settle`] takes back what does not
/// hold. So the measures of a file do not depend on other files.
pub fn measure(
    query: &Query,
    context: &Context<'_>,
    evidence: &Evidence,
    files: &[u32],
) -> Result<Vec<MeasuredFile>, SearchError> {
    let term_prefixes = TermPrefixFilter::new(query.terms.iter().map(|term| term.term.as_str()));
    let measure = || {
        let (names, scan) = (Names::new(query, context.tokenizers), PrefixScan::default());
        FileMeasure { query, context, evidence, term_prefixes: &term_prefixes, scan, names }
    };
    let file = |measure: &mut FileMeasure<'_>, file: u32| measure.file(file);
    parallel::map_init(context.snapshot.is_large(), files.to_vec(), measure, file, || ())
        .into_iter()
        .collect()
}

struct FileMeasure<'m> {
    query: &'m Query,
    context: &'m Context<'m>,
    evidence: &'m Evidence,
    term_prefixes: &'m TermPrefixFilter,
    scan: PrefixScan,
    names: Names<'m>,
}

impl<'m> FileMeasure<'m> {
    fn file(&mut self, file: u32) -> Result<MeasuredFile, SearchError> {
        check_cancelled()?;
        let row = self.evidence.file_row(self.context, file);
        let host_measures = host_measure::measured(self.query, self.context, file);
        let mut measured =
            MeasuredFile { file, row, values: [0.0; Signal::COUNT], facts: Facts::default(), host_measures };
        self.measure_text(&mut measured);
        let pairs = self.measure_path(&mut measured);
        self.measure_definitions(&mut measured, pairs)?;
        self.measure_role(&mut measured);
        Ok(measured)
    }

    fn measure_text(&self, measured: &mut MeasuredFile) {
        let MeasuredFile { row, values, file, facts, .. } = measured;
        let mut set = |signal: Signal, value: f32| values[signal as usize] = value;
        set(Signal::Base, 1.0);
        set(Signal::Lexical, BM25_UNIT * row.chunks[0]);
        set(Signal::Chunks, BM25_UNIT * row.chunks.iter().sum::<f32>());
        set(Signal::File, BM25_UNIT * row.body);
        set(Signal::Symbol, BM25_UNIT * row.symbol);
        set(Signal::Symbols, BM25_UNIT * row.symbols);
        set(Signal::Comment, BM25_UNIT * row.comment);
        set(Signal::Path, BM25_UNIT * row.path);
        set(Signal::Coverage, self.evidence.idf_of(row.body_mask | row.path_mask));
        set(Signal::Literal, self.literal_value(row.literal));
        set(
            Signal::Frame,
            match self.evidence.frames_of(*file) {
                None => 0.0,
                Some([]) => NAMED_FILE,
                _ if self.evidence.innermost.contains(file) => INNERMOST_FRAME,
                _ => 1.0,
            },
        );
        let moved = self.evidence.moved.iter().find(|(moved, _)| moved == file);
        facts.moved = moved.map(|(_, lines)| *lines);
        let n_names = self.query.names.len().max(1);
        set(Signal::Mentions, row.mentions.count_ones() as f32 / n_names as f32);
    }

    /// The literal measure of a file, which is greater for a text of several words that few files contain.
    fn literal_value(&self, lines: u32) -> f32 {
        match lines {
            0 => 0.0,
            _ if !self.query.is_qualified_name && self.is_long() => PASTED,
            _ => 1.0,
        }
    }

    /// Whether the query, found as written, was probably copied.
    fn is_long(&self) -> bool {
        let has_capital = self.query.text.contains(char::is_uppercase);
        self.query.n_words >= PASTED_WORDS - usize::from(has_capital)
    }

    /// Measures the words of the path. Returns the pairs of adjacent query terms in the path.
    fn measure_path(&mut self, measured: &mut MeasuredFile) -> u64 {
        let path = self.context.snapshot.path(measured.file);
        let (naming, folders) = (path::naming(path), path::split(path).0);
        let mut pairs = 0;
        let mut set = |signal: Signal, value: f32| measured.values[signal as usize] = value;
        let names = &mut self.names;
        let (of_naming, of_path) = (names.terms_of(naming), names.path_terms(path));
        if measured.row.path_mask != 0 {
            set(Signal::FileName, names.cover(of_naming.clone()).of_name);
            pairs = names.cover(of_path.clone()).pairs;
            let folder = folders.rsplit('/').find(|folder| *folder != naming).unwrap_or_default();
            let of_folder = names.terms_of(folder);
            set(Signal::Folder, names.cover(of_folder).of_name);
        }
        set(Signal::FileNameRelated, names.related_overlap(of_naming.clone()).of_name);
        set(Signal::PathRelated, self.evidence.idf_of(names.related_overlap(of_path).mask));
        let is_entry = naming != path::stem(path);
        let of_holder = names.terms_of(path::split(folders).1);
        let is_named_as_folder = !is_entry && names.are_related(of_holder, of_naming);
        set(Signal::NamedAsFolder, is_named_as_folder as u32 as f32);
        pairs
    }

    /// Measures the names that the file defines.
    fn measure_definitions(
        &mut self,
        measured: &mut MeasuredFile,
        mut pairs: u64,
    ) -> Result<(), SearchError> {
        let MeasuredFile { file, row, values, facts, .. } = measured;
        let version = self.context.snapshot.version(*file);
        let language = self.context.grammars.name(version.language());
        // Translations repeat the names of the texts that they translate.
        let repeats = || role::data_share(version.path(), language) == role::OF_OTHER_LANGUAGE;
        let defines = row.defines != 0 || (row.mentions != 0 && names_minor(version, self.query)?);
        if defines && !repeats() {
            self.measure_exact_definitions(version, values, facts)?;
        }
        let held = row.symbol_mask;
        if held != 0 {
            let mut best = 0.0f32;
            let (most, neighbours) = (self.evidence.idf_of(held), held & (held >> 1));
            let mut symbols = version.symbol_names()?;
            let mut next = 0;
            while let Some((name, shared)) = symbols.advance() {
                let place = next;
                next += 1;
                // The prefix filter rules out most names by the bytes that differ from the previous name.
                let may = held & self.scan.next(self.term_prefixes, name, shared);
                let is_ruled_out =
                    may == 0 || (self.evidence.idf_of(may) <= best && may & (may >> 1) & !pairs == 0);
                // The bounds know nothing of terms that a host adds.
                let is_bounded = !self.context.tokenizers.has_extra();
                if is_bounded && (is_ruled_out || !self.may_be_better(name, held, best, pairs)) {
                    continue;
                }
                let Ok(name) = std::str::from_utf8(name) else { continue };
                let name = self.names.terms_of(name);
                let cover = self.names.cover(name);
                pairs |= cover.pairs;
                let worth = name_worth(self.evidence.idf_of(cover.mask), cover.of_name);
                if worth > best {
                    best = worth;
                    facts.best = Some((place, cover.mask));
                }
                // The remaining names cannot match better.
                if best >= most && neighbours & !pairs == 0 {
                    break;
                }
            }
            values[Signal::DefinedName as usize] = best;
        }
        let n_pairs = self.query.terms.len().saturating_sub(1);
        if n_pairs > 0 {
            values[Signal::AdjacentWords as usize] = pairs.count_ones() as f32 / n_pairs as f32;
        }
        Ok(())
    }

    /// Finds the best definition of a name of the query, and counts the uses of the name.
    fn measure_exact_definitions(
        &self,
        version: Version<'_>,
        values: &mut Values,
        facts: &mut Facts,
    ) -> Result<(), SearchError> {
        let mut names = OutlineNames::default();
        let outline = named_outline(version, self.query, &mut names)?;
        let mut exact = 0.0f32;
        for (place, symbol) in outline.symbols.iter().enumerate() {
            if self.query.names.iter().any(|name| name == symbol.name) {
                let outer = || OF_OUTER * outer_share(self.query, symbol, version.path());
                let worth = match qualification(self.query, symbol, version.path()) {
                    2 => qualified_worth(self.query, has_body(symbol)) + outer(),
                    1 => qualified_worth(self.query, true) + outer(),
                    _ => definition_worth(symbol, outline.depth(place)),
                };
                if worth > exact {
                    exact = worth;
                    (facts.exact, facts.exact_at) = (Some(place as u32), symbol.span.start);
                }
            }
        }
        values[Signal::Definition as usize] = exact;
        if let Some(place) = facts.exact {
            let name = outline.symbols[place as usize].name;
            let of_all = self.context.statistics.and_then(|known| known.uses_of(self.query, name));
            facts.uses = match of_all {
                Some(uses) => uses,
                None => usage(self.context.snapshot, name)?.references,
            };
            values[Signal::Reference as usize] = (((1 + facts.uses) as f32).ln() / 1000f32.ln()).min(1.0);
        }
        Ok(())
    }

    /// Whether a name may match better than `best`, or contain pairs that are not in `pairs`. `held` are the terms in
    /// the names of the file.
    fn may_be_better(&self, name: &[u8], held: u64, best: f32, pairs: u64) -> bool {
        let found = self.term_prefixes.possible_terms(name);
        let mask = found.mask & held;
        if found.pairs & mask & (mask >> 1) & !pairs != 0 {
            return true;
        }
        let n_terms = found.most.min(mask.count_ones());
        let of_name = n_terms as f32 / (n_terms + found.others) as f32;
        n_terms > 0 && name_worth(self.evidence.idf_of(mask), of_name) > best
    }

    fn measure_role(&self, measured: &mut MeasuredFile) {
        let context = self.context;
        let version = context.snapshot.version(measured.file);
        let (path, asks) = (version.path(), self.query.asks);
        let is_pasted = measured.row.literal > 0 && self.is_long();
        let of_message = if self.query.is_message || is_pasted { TEST_OF_MESSAGE } else { 1.0 };
        let mut set = |signal: Signal, value: f32| measured.values[signal as usize] = value;
        set(Signal::Depth, (memchr::memchr_iter(b'/', path.as_bytes()).count() as f32 / 10.0).min(1.0));
        set(Signal::Size, (((1 + version.lines()) as f32).ln() / 10_000f32.ln()).min(1.0));
        let role = context.snapshot.role(measured.file);
        let flag = |is: bool, asked: bool| (is && !asked) as u32 as f32;
        let is_test = role.has(PathRole::TEST);
        // What stands against a test in other answers stands for it in this one.
        let asked = if asks.only_tests && is_test { ASKED_TEST } else { 0.0 };
        set(Signal::Test, of_message * flag(is_test, asks.tests) + asked);
        set(Signal::Legacy, flag(role.has(PathRole::COMPAT), asks.compat));
        set(Signal::Generated, flag(role.has(PathRole::GENERATED), asks.generated));
        set(Signal::Platform, flag(role.has(PathRole::PLATFORM), asks.platform));
        set(Signal::Header, role::is_header(path) as u32 as f32);
        set(Signal::OlderCopy, flag(role.has(PathRole::PAST), asks.compat));
        let language = context.grammars.name(version.language());
        set(Signal::Docs, flag(role::is_prose(path, version.language(), context.grammars), asks.docs));
        set(Signal::Data, if asks.data { 0.0 } else { role::data_share(path, language) });
        let Some(session) = context.session else { return };
        if let Some(noted) = session.activity_in(path) {
            measured.facts.activity = Some(noted);
            set(Signal::Session, noted.worth);
        }
    }
}

fn qualified_worth(query: &Query, has_body: bool) -> f32 {
    let worth = if has_body { QUALIFIED } else { QUALIFIED_DECLARATION };
    if query.is_qualified_name { ONLY_QUALIFIED * worth } else { worth }
}

/// The worth of a name by two shares: of the query in the name, and of the name in the query. The second share is
/// squared, because a name with many other words says little.
fn name_worth(of_query: f32, of_name: f32) -> f32 {
    of_query * of_name * of_name
}
