//! What each signal measures on a file of the head: numbers only, and the facts that its sentences are made from.
//!
//! Measures do not depend on the profile's weights, so they can be exported, weighed anew and learned from.

use rustc_hash::FxHashSet;

use super::evidence::{Evidence, FileEvidence};
use super::kin::{self, Kin};
use super::usage::usage;
use super::{Context, SearchError, place};
use crate::meta::OutlineSymbol;
use crate::path::RelPath;
use crate::profile::Signal;
use crate::query::Query;
use crate::session::Session;
use crate::tokenize::{TermList, begins_variously};

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
    /// How long ago in this session it was read.
    pub turns: usize,
}

/// BM25 sums are some tens; a tenth of them is of the size of the other measures.
const BM25_UNIT: f32 = 0.1;

/// Measures the files of the head.
pub fn measure(
    query: &Query,
    context: &Context<'_>,
    evidence: &Evidence,
    head: &[u32],
) -> Result<Vec<Measured>, SearchError> {
    let paths = head.iter().map(|file| context.corpus.path(*file)).collect();
    let (hints, kin) = (Hints::new(query), Kin::new(query));
    let mut measure = Measure { query, context, evidence, hints, kin, paths, terms: TermList::default() };
    head.iter().map(|file| measure.file(*file)).collect()
}

/// How the query's terms begin: a name that holds none of these beginnings holds none of the terms, and need not be
/// cut and stemmed to know it.
struct Hints {
    /// `None` where letters fold in ways that bytes do not show.
    beginnings: Option<Vec<Vec<u8>>>,
    lower: Vec<u8>,
}

impl Hints {
    fn new(query: &Query) -> Hints {
        // A stem keeps the beginning of its word but for a few short ones: `dying` and `die` share a letter.
        let beginning = |term: &str| {
            term.as_bytes()[..match term.len() {
                _ if begins_variously(term) => 1,
                0..=3 => 1,
                4 => 2,
                _ => 3,
            }]
                .to_vec()
        };
        let ascii = query.terms.iter().all(|term| term.term.is_ascii());
        let beginnings = ascii.then(|| query.terms.iter().map(|term| beginning(&term.term)).collect());
        Hints { beginnings, lower: Vec::new() }
    }

    fn may_hold(&mut self, name: &str) -> bool {
        let Some(beginnings) = self.beginnings.as_ref().filter(|_| name.is_ascii()) else { return true };
        self.lower.clear();
        self.lower.extend(name.bytes().map(|byte| byte.to_ascii_lowercase()));
        beginnings.iter().any(|beginning| memchr::memmem::find(&self.lower, beginning).is_some())
    }
}

/// How well a name and the query cover each other.
#[derive(Clone, Copy, Default)]
struct Cover {
    /// The query's terms that the name holds.
    mask: u64,
    /// Term `n` of the query stands right before term `n + 1` in the name.
    pairs: u64,
    /// The share of the query's idf that the name's terms hold.
    of_query: f32,
    /// The share of the name's terms that the query holds.
    of_name: f32,
}

struct Measure<'m> {
    query: &'m Query,
    context: &'m Context<'m>,
    evidence: &'m Evidence,
    hints: Hints,
    kin: Kin,
    /// Those of the head.
    paths: FxHashSet<&'m str>,
    terms: TermList,
}

impl Measure<'_> {
    fn file(&mut self, file: u32) -> Result<Measured, SearchError> {
        let known = self.evidence.files[file as usize];
        let mut measured = Measured { file, known, values: [0.0; Signal::COUNT], facts: Facts::default() };
        self.text(&mut measured);
        let pairs = self.names(&mut measured);
        self.definitions(&mut measured, pairs)?;
        self.place(&mut measured);
        Ok(measured)
    }

    fn text(&self, measured: &mut Measured) {
        let Measured { known, values, .. } = measured;
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
        set(Signal::Literal, (known.literal > 0) as u32 as f32);
        let n_names = self.query.names.len().max(1);
        set(Signal::Mentions, known.mentions.count_ones() as f32 / n_names as f32);
    }

    /// Signals of the path's own words; gives the pairs of neighbours in it.
    fn names(&mut self, measured: &mut Measured) -> u64 {
        let path = self.context.corpus.path(measured.file);
        let rel = RelPath::new(path).expect("paths are checked before they are recorded");
        let naming = rel.naming();
        let mut pairs = 0;
        let mut set = |signal: Signal, value: f32| measured.values[signal as usize] = value;
        let folder = rel.parent().unwrap_or("").rsplit('/').find(|folder| *folder != naming);
        let folder = folder.unwrap_or_default();
        if measured.known.path_mask != 0 {
            set(Signal::NameShare, self.cover(naming).of_name);
            pairs = self.cover(path).pairs;
            set(Signal::Folder, self.cover(folder).of_name);
        }
        set(Signal::NameKin, self.kin_cover(naming).of_name);
        set(Signal::PathKin, self.kin_cover(path).of_query);
        let is_entry = naming != rel.stem();
        let holder = rel.parent().unwrap_or("").rsplit('/').next().unwrap_or_default();
        let is_eponym = !is_entry && self.is_same(holder, naming);
        set(Signal::Eponym, is_eponym as u32 as f32);
        pairs
    }

    /// Signals of what the file defines.
    fn definitions(&mut self, measured: &mut Measured, mut pairs: u64) -> Result<(), SearchError> {
        let Measured { file, known, values, facts } = measured;
        let version = self.context.corpus.version(*file);
        if known.defines != 0 || known.symbol_mask != 0 {
            let outline = version.outline()?;
            let (mut exact, mut best) = (0.0f32, 0.0f32);
            for (place, symbol) in outline.symbols.iter().enumerate() {
                if known.defines != 0 && self.query.names.iter().any(|name| name == symbol.name) {
                    let worth = definition_worth(symbol, outline.depth(place));
                    if worth > exact {
                        exact = worth;
                        facts.exact = Some(place as u32);
                    }
                }
                if known.symbol_mask != 0 && self.hints.may_hold(symbol.name) {
                    let cover = self.cover(symbol.name);
                    pairs |= cover.pairs;
                    // A name that holds much else says little, so what the query covers of it counts twice.
                    let worth = cover.of_query * cover.of_name * cover.of_name;
                    if worth > best {
                        best = worth;
                        facts.best = Some((place as u32, cover.mask));
                    }
                }
            }
            values[Signal::Definition as usize] = exact;
            values[Signal::DefinedName as usize] = best;
            if let Some(place) = facts.exact {
                let name = outline.symbols[place as usize].name;
                facts.uses = usage(self.context.corpus, name)?.references;
                values[Signal::Reference as usize] = (((1 + facts.uses) as f32).ln() / 1000f32.ln()).min(1.0);
            }
        }
        let n_pairs = self.query.terms.len().saturating_sub(1);
        if n_pairs > 0 {
            values[Signal::Pairs as usize] = pairs.count_ones() as f32 / n_pairs as f32;
        }
        Ok(())
    }

    /// Signals of where the file lies and what it is.
    fn place(&self, measured: &mut Measured) {
        let context = self.context;
        let version = context.corpus.version(measured.file);
        let (path, asks) = (version.path(), self.query.asks);
        let mut set = |signal: Signal, value: f32| measured.values[signal as usize] = value;
        set(Signal::Depth, (path.matches('/').count() as f32 / 10.0).min(1.0));
        set(Signal::Size, (((1 + version.lines()) as f32).ln() / 10_000f32.ln()).min(1.0));
        let flag = |is: bool, asked: bool| (is && !asked) as u32 as f32;
        set(Signal::Test, flag(place::test_part(path).is_some(), asks.tests));
        set(Signal::Compat, flag(place::compat_part(path).is_some(), asks.compat));
        set(Signal::Generated, flag(place::generated_part(path).is_some(), asks.generated));
        set(Signal::Platform, flag(place::platform_part(path).is_some(), asks.platform));
        set(Signal::Twin, flag(self.has_twin(path), asks.compat));
        let language = context.grammars.name(version.language());
        set(Signal::Docs, flag(place::is_prose(version.language(), language), asks.docs));
        set(Signal::Data, flag(place::is_data(language), asks.data));
        let Some(session) = context.session else { return };
        if let Some((_, turns)) = session.touched().find(|(touched, _)| touched.as_str() == path) {
            measured.facts.turns = turns;
            set(Signal::Session, Session::worth(turns));
        }
    }

    /// Whether the head holds the same file without one of its folders that speak of a version or the past.
    fn has_twin(&self, path: &str) -> bool {
        let parts: Vec<&str> = path.split('/').collect();
        (0..parts.len() - 1).filter(|at| place::is_past(parts[*at])).any(|at| {
            let twin: Vec<&str> = parts[..at].iter().chain(&parts[at + 1..]).copied().collect();
            self.paths.contains(twin.join("/").as_str())
        })
    }

    /// How well `name` and the query cover each other when related words count.
    fn kin_cover(&mut self, name: &str) -> Cover {
        self.terms.clear();
        self.context.tokenizer.borrow_mut().terms(name, &mut self.terms);
        let terms: Vec<&str> = self.terms.iter().collect();
        let mut cover = Cover::default();
        let mut known = 0;
        for (at, term) in terms.iter().enumerate() {
            let mut mask = self.kin.of(term);
            if at > 0 {
                mask |= self.kin.of_pair(terms[at - 1], term);
            }
            if let Some(next) = terms.get(at + 1) {
                mask |= self.kin.of_pair(term, next);
            }
            known += u32::from(mask != 0);
            cover.mask |= mask;
        }
        cover.of_name = known as f32 / terms.len().max(1) as f32;
        cover.of_query = self.evidence.idf_of(cover.mask);
        cover
    }

    /// Whether two names have the same words, but for their endings.
    fn is_same(&mut self, one: &str, other: &str) -> bool {
        let mut tokenizer = self.context.tokenizer.borrow_mut();
        self.terms.clear();
        tokenizer.terms(one, &mut self.terms);
        let mut others = TermList::default();
        tokenizer.terms(other, &mut others);
        self.terms.count > 0
            && self.terms.count == others.count
            && self.terms.iter().zip(others.iter()).all(|(one, other)| kin::is_kin(one, other))
    }

    /// How well `name` and the query cover each other.
    fn cover(&mut self, name: &str) -> Cover {
        self.terms.clear();
        self.context.tokenizer.borrow_mut().terms(name, &mut self.terms);
        let mut cover = Cover::default();
        let (mut known, mut unknown) = (0u32, 0u32);
        let mut last = None;
        for (at, term) in self.terms.iter().enumerate() {
            let place = self.query.terms.iter().position(|wanted| wanted.term == term);
            match place {
                Some(place) if cover.mask & (1 << place) == 0 => {
                    cover.mask |= 1 << place;
                    known += 1;
                }
                Some(_) => {}
                // Names are short, so looking back is cheaper than a set.
                None => unknown += !self.terms.iter().take(at).any(|before| before == term) as u32,
            }
            if let (Some(place), Some(last)) = (place, last)
                && place == last + 1
            {
                cover.pairs |= 1u64 << last;
            }
            last = place;
        }
        cover.of_name = if known == 0 { 0.0 } else { known as f32 / (known + unknown) as f32 };
        cover.of_query = self.evidence.idf_of(cover.mask);
        cover
    }
}

/// What a definition of a name asked for is worth, 0 to 1: outer, large and type-like ones are what people mean.
fn definition_worth(symbol: &OutlineSymbol<'_>, depth: usize) -> f32 {
    let outer = 1.0 / (1.0 + depth as f32);
    let large = symbol.lines.count().min(200) as f32 / 400.0;
    let kind = if symbol.kind.is_type_like() { 0.5 } else { 0.0 };
    (outer + large + kind) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SymbolKind;
    use crate::text::{Lines, Span};

    #[test]
    fn outer_types_are_what_people_mean() {
        let symbol = |kind, last| OutlineSymbol {
            name: "x",
            kind,
            span: Span::default(),
            lines: Lines { first: 1, last },
            container: None,
            parent: None,
        };
        let class = definition_worth(&symbol(SymbolKind::Class, 100), 0);
        assert!(class > definition_worth(&symbol(SymbolKind::Method, 100), 0));
        assert!(class > definition_worth(&symbol(SymbolKind::Class, 100), 1));
        assert!((0.0..=1.0).contains(&class));
    }
}
