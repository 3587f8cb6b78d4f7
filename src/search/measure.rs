//! What each signal measures on a file of the head: numbers only, and the facts that its sentences are made from.
//!
//! Measures do not depend on the profile's weights, so they can be exported, weighed anew and learned from.

use rustc_hash::FxHashSet;

use super::corpus::Role;
use super::definition::{definition_worth, has_body, is_in_container, is_in_module};
use super::evidence::{Evidence, FileEvidence};
use super::names::Names;
use super::usage::usage;
use super::{Context, SearchError, role};
use crate::meta::Version;
use crate::parallel;
use crate::path;
use crate::profile::Signal;
use crate::query::Query;
use crate::session::SessionInterest;
use crate::tokenize::{Scan, TermPrefixFilter};

/// A value for each signal.
pub type Values = [f32; Signal::COUNT];

/// A file of the head, measured.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Which file.
    pub file: u32,
    /// What the postings say of it.
    pub known: FileEvidence,
    /// By signal; what it means is said in the profile.
    pub values: Values,
    /// What the sentences tell.
    pub facts: Facts,
}

/// Facts behind the values.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts {
    /// The symbol of its outline that the query asks for by name.
    pub exact: Option<u32>,
    /// How many places use it.
    pub uses: u32,
    /// The symbol whose name and the query cover each other best, and the terms that they share.
    pub best: Option<(u32, u64)>,
    /// What the session knows of it.
    pub noted: Option<SessionInterest>,
}

/// BM25 sums are some tens; a tenth of them is of the size of the other measures.
const BM25_UNIT: f32 = 0.1;

/// What the definition of a qualified name and its declaration without a body are worth; others are worth at most 1.
const QUALIFIED: f32 = 2.0;
const QUALIFIED_DECLARATION: f32 = 1.75;

/// How much more the definition of a qualified name counts if the query is nothing else: uses that hold the query as
/// written, such as imports, must not stand before the definition.
const ONLY_QUALIFIED: f32 = 2.0;

/// A query of so many words that stands in so few files as written was copied from there.
const PASTED_WORDS: usize = 4;
const PASTED_FILES: usize = 3;

/// What such a file measures, where others measure 1.
const PASTED: f32 = 3.0;

/// Measures the files of the head.
pub fn measure(
    query: &Query,
    context: &Context<'_>,
    evidence: &Evidence,
    head: &[u32],
) -> Result<Vec<Measured>, SearchError> {
    let paths: FxHashSet<&str> = head.iter().map(|file| context.corpus.path(*file)).collect();
    let sources =
        paths.iter().filter(|path| role::is_source_of_header(path)).map(|path| path::stem(path)).collect();
    let term_prefixes = TermPrefixFilter::new(query.terms.iter().map(|term| term.term.as_str()));
    let measure = || {
        let (names, scan) = (Names::new(query, context.tokenizers), Scan::default());
        Measure {
            query,
            context,
            evidence,
            term_prefixes: &term_prefixes,
            scan,
            names,
            paths: &paths,
            sources: &sources,
        }
    };
    let file = |measure: &mut Measure<'_>, file: u32| measure.file(file);
    parallel::map_init(context.corpus.is_large(), head.to_vec(), measure, file, || ()).into_iter().collect()
}

struct Measure<'m> {
    query: &'m Query,
    context: &'m Context<'m>,
    evidence: &'m Evidence,
    term_prefixes: &'m TermPrefixFilter,
    scan: Scan,
    names: Names<'m>,
    /// Those of the head.
    paths: &'m FxHashSet<&'m str>,
    /// The stems of the head's sources of C, C++ and Objective-C.
    sources: &'m FxHashSet<&'m str>,
}

impl<'m> Measure<'m> {
    fn file(&mut self, file: u32) -> Result<Measured, SearchError> {
        let known = self.evidence.of_file(self.context, file);
        let mut measured = Measured { file, known, values: [0.0; Signal::COUNT], facts: Facts::default() };
        self.text(&mut measured);
        let pairs = self.names(&mut measured);
        self.definitions(&mut measured, pairs)?;
        self.place(&mut measured);
        Ok(measured)
    }

    fn text(&self, measured: &mut Measured) {
        let Measured { known, values, file, .. } = measured;
        let mut set = |signal: Signal, value: f32| values[signal as usize] = value;
        set(Signal::Base, 1.0);
        set(Signal::Lexical, BM25_UNIT * known.chunks[0]);
        set(Signal::Chunks, BM25_UNIT * known.chunks.iter().sum::<f32>());
        set(Signal::File, BM25_UNIT * known.body);
        set(Signal::Symbol, BM25_UNIT * known.symbol);
        set(Signal::Symbols, BM25_UNIT * known.symbols);
        set(Signal::Comment, BM25_UNIT * known.comment);
        set(Signal::Path, BM25_UNIT * known.path);
        set(Signal::Coverage, self.evidence.idf_of(known.body_mask | known.path_mask));
        set(Signal::Literal, self.literal(known.literal));
        set(Signal::Frame, !self.evidence.frames_of(*file).is_empty() as u32 as f32);
        let n_names = self.query.names.len().max(1);
        set(Signal::Mentions, known.mentions.count_ones() as f32 / n_names as f32);
    }

    /// What it means that a file holds the query as written: more where the query has several words and hardly another
    /// file does, because such a text is found and not described.
    fn literal(&self, lines: u32) -> f32 {
        let is_pasted = !self.query.is_qualified_name
            && self.query.n_words >= PASTED_WORDS
            && self.evidence.literal_files.len() <= PASTED_FILES;
        match lines {
            0 => 0.0,
            _ if is_pasted => PASTED,
            _ => 1.0,
        }
    }

    /// Signals of the path's own words; gives the pairs of neighbours in it.
    fn names(&mut self, measured: &mut Measured) -> u64 {
        let path = self.context.corpus.path(measured.file);
        let (naming, folders) = (path::naming(path), path::split(path).0);
        let mut pairs = 0;
        let mut set = |signal: Signal, value: f32| measured.values[signal as usize] = value;
        let names = &mut self.names;
        let (of_naming, of_path) = (names.of(naming), names.of_path(path));
        if measured.known.path_mask != 0 {
            set(Signal::NameShare, names.cover(of_naming.clone()).of_name);
            pairs = names.cover(of_path.clone()).pairs;
            let folder = folders.rsplit('/').find(|folder| *folder != naming).unwrap_or_default();
            let of_folder = names.of(folder);
            set(Signal::Folder, names.cover(of_folder).of_name);
        }
        set(Signal::NameKin, names.kin_cover(of_naming.clone()).of_name);
        set(Signal::PathKin, self.evidence.idf_of(names.kin_cover(of_path).mask));
        let is_entry = naming != path::stem(path);
        let of_holder = names.of(path::split(folders).1);
        let is_eponym = !is_entry && names.is_same(of_holder, of_naming);
        set(Signal::Eponym, is_eponym as u32 as f32);
        pairs
    }

    /// Signals of what the file defines.
    fn definitions(&mut self, measured: &mut Measured, mut pairs: u64) -> Result<(), SearchError> {
        let Measured { file, known, values, facts } = measured;
        let version = self.context.corpus.version(*file);
        if known.defines != 0 {
            self.asked_by_name(version, values, facts)?;
        }
        let held = known.symbol_mask;
        if held != 0 {
            let mut best = 0.0f32;
            let (most, neighbours) = (self.evidence.idf_of(held), held & (held >> 1));
            let mut symbols = version.symbol_names()?;
            let mut next = 0;
            while let Some((name, shared)) = symbols.advance() {
                let place = next;
                next += 1;
                // Most names are ruled out by the bytes that the one before does not begin with.
                let may = held & self.scan.next(self.term_prefixes, name, shared);
                let is_ruled_out =
                    may == 0 || (self.evidence.idf_of(may) <= best && may & (may >> 1) & !pairs == 0);
                if is_ruled_out || !self.may_be_better(name, held, best, pairs) {
                    continue;
                }
                let Ok(name) = std::str::from_utf8(name) else { continue };
                let name = self.names.of(name);
                let cover = self.names.cover(name);
                pairs |= cover.pairs;
                let worth = name_worth(self.evidence.idf_of(cover.mask), cover.of_name);
                if worth > best {
                    best = worth;
                    facts.best = Some((place, cover.mask));
                }
                // No name can be worth more.
                if best >= most && neighbours & !pairs == 0 {
                    break;
                }
            }
            values[Signal::DefinedName as usize] = best;
        }
        let n_pairs = self.query.terms.len().saturating_sub(1);
        if n_pairs > 0 {
            values[Signal::Pairs as usize] = pairs.count_ones() as f32 / n_pairs as f32;
        }
        Ok(())
    }

    /// The best definition of a name that the query asks for, and how much that name is used.
    fn asked_by_name(
        &self,
        version: Version<'_>,
        values: &mut Values,
        facts: &mut Facts,
    ) -> Result<(), SearchError> {
        let mut names = Vec::new();
        let outline = version.outline(&mut names)?;
        let mut exact = 0.0f32;
        for (place, symbol) in outline.symbols.iter().enumerate() {
            if self.query.names.iter().any(|name| name == symbol.name) {
                let of_name = || self.query.qualified.iter().filter(|own| own.name == symbol.name);
                let worth = match () {
                    () if of_name().any(|own| is_in_container(symbol, &own.container)) => {
                        match has_body(symbol) {
                            true => QUALIFIED,
                            false => QUALIFIED_DECLARATION,
                        }
                    }
                    () if of_name().any(|own| is_in_module(symbol, version.path(), &own.container)) => {
                        QUALIFIED
                    }
                    () => definition_worth(symbol, outline.depth(place)),
                };
                let worth =
                    if self.query.is_qualified_name && worth > 1.0 { ONLY_QUALIFIED * worth } else { worth };
                if worth > exact {
                    exact = worth;
                    facts.exact = Some(place as u32);
                }
            }
        }
        values[Signal::Definition as usize] = exact;
        if let Some(place) = facts.exact {
            let name = outline.symbols[place as usize].name;
            facts.uses = usage(self.context.corpus, name)?.references;
            values[Signal::Reference as usize] = (((1 + facts.uses) as f32).ln() / 1000f32.ln()).min(1.0);
        }
        Ok(())
    }

    /// Whether a name of a file whose names hold the terms `held` may be worth more than `best`, or have neighbours
    /// that are not among `pairs`.
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

    /// Signals of where the file lies and what it is.
    fn place(&self, measured: &mut Measured) {
        let context = self.context;
        let version = context.corpus.version(measured.file);
        let (path, asks) = (version.path(), self.query.asks);
        let mut set = |signal: Signal, value: f32| measured.values[signal as usize] = value;
        set(Signal::Depth, (memchr::memchr_iter(b'/', path.as_bytes()).count() as f32 / 10.0).min(1.0));
        set(Signal::Size, (((1 + version.lines()) as f32).ln() / 10_000f32.ln()).min(1.0));
        let role = context.corpus.role(measured.file);
        let flag = |is: bool, asked: bool| (is && !asked) as u32 as f32;
        set(Signal::Test, flag(role.has(Role::TEST), asks.tests));
        set(Signal::Compat, flag(role.has(Role::COMPAT), asks.compat));
        set(Signal::Generated, flag(role.has(Role::GENERATED), asks.generated));
        set(Signal::Platform, flag(role.has(Role::PLATFORM), asks.platform));
        set(Signal::Header, (role::is_header(path) && self.sources.contains(path::stem(path))) as u32 as f32);
        set(Signal::Twin, flag(role.has(Role::PAST) && self.has_twin(path), asks.compat));
        let language = context.grammars.name(version.language());
        set(Signal::Docs, flag(role::is_prose(version.language(), language), asks.docs));
        set(Signal::Data, flag(role::is_data(language), asks.data));
        let Some(session) = context.session else { return };
        if let Some(noted) = session.of(path) {
            measured.facts.noted = Some(noted);
            set(Signal::Session, noted.worth);
        }
    }

    /// Whether the head holds the same file without one of its folders that speak of a version or the past.
    fn has_twin(&self, path: &str) -> bool {
        let parts: Vec<&str> = path.split('/').collect();
        (0..parts.len() - 1).filter(|at| role::is_past(parts[*at])).any(|at| {
            let twin: Vec<&str> = parts[..at].iter().chain(&parts[at + 1..]).copied().collect();
            self.paths.contains(twin.join("/").as_str())
        })
    }
}

/// What a name is worth that covers so much of the query, and of which the query covers so much. One that holds much
/// else says little, so that counts twice.
fn name_worth(of_query: f32, of_name: f32) -> f32 {
    of_query * of_name * of_name
}
