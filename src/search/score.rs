//! The explainable model: contributions of named signals, their sum, the score that is shown, and the reasons.
//!
//! s = base + the sum of the contributions (log-odds); the score is p = 1 / (1 + e^-s). Shares: `base` has what p
//! would be without evidence; what lies between that and p is shared out in proportion to the contributions, so a
//! share has its contribution's sign and all shares add up to p. A reason is made where its contribution is, from
//! the same numbers.

use super::corpus::Corpus;
use super::evidence::{Evidence, FileEvidence};
use super::{Context, SearchError, place};
use crate::id::VersionId;
use crate::index::{Columns, IndexField};
use crate::meta::OutlineSymbol;
use crate::model::{KindSet, SymbolKind};
use crate::path::RelPath;
use crate::profile::Signal;
use crate::query::Query;
use crate::session::Session;
use crate::text::{Lines, Span};
use crate::tokenize::{TermList, Tokenizer};

/// A part of a score.
#[derive(Clone, Debug, PartialEq)]
pub struct Contribution {
    /// Which signal.
    pub signal: Signal,
    /// What it adds to the sum, in log-odds.
    pub value: f32,
    /// What it adds to the score.
    pub share: f32,
    /// The reason in words.
    pub text: String,
}

/// A file of the head, scored.
#[derive(Clone, Debug)]
pub struct RankedFile {
    /// Which file.
    pub file: u32,
    /// The sum of its contributions.
    pub sum: f32,
    /// What it is made of.
    pub contributions: Vec<Contribution>,
}

/// A hit: a chunk of a ranked file.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// The file version.
    pub version: VersionId,
    /// Its path.
    pub path: RelPath,
    /// The chunk.
    pub chunk: Columns,
    /// The sum of the contributions, in log-odds: it tells scores apart that round to the same.
    pub sum: f32,
    /// 0 to 1.
    pub score: f32,
    /// Never empty; the shares add up to the score.
    pub reasons: Vec<Contribution>,
    /// Whether it holds the query as written.
    pub literal: bool,
    /// The query's terms that its file holds.
    pub terms: Vec<String>,
}

/// What a hit is shown as: its chunk or, where one symbol of it answers, that symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Face {
    /// Its bytes.
    pub span: Span,
    /// Its lines.
    pub lines: Lines,
    /// What it is.
    pub kind: SymbolKind,
    /// The name it defines or belongs to.
    pub symbol: Option<String>,
}

impl Ranked {
    /// Before `other` in an answer: by score, then by path and place.
    pub fn order(&self, other: &Ranked) -> std::cmp::Ordering {
        (other.sum.total_cmp(&self.sum))
            .then_with(|| self.path.cmp(&other.path))
            .then_with(|| self.chunk.span.cmp(&other.chunk.span))
    }
}

/// Scores the head, best first.
pub fn rescore(
    query: &Query,
    context: &Context<'_>,
    evidence: &Evidence,
    head: &[u32],
) -> Result<Vec<RankedFile>, SearchError> {
    let mut scorer = Scorer::new(query, context, evidence, head);
    let mut files = head.iter().map(|file| scorer.file(*file)).collect::<Result<Vec<_>, _>>()?;
    let corpus = context.corpus;
    files.sort_by(|a, b| b.sum.total_cmp(&a.sum).then_with(|| corpus.path(a.file).cmp(corpus.path(b.file))));
    Ok(files)
}

/// The greatest value of each scaled signal over the head.
#[derive(Default)]
struct Greatest {
    chunk: f32,
    chunks: f32,
    body: f32,
    symbol: f32,
    comment: f32,
    name: f32,
    path: f32,
}

struct Scorer<'s> {
    query: &'s Query,
    context: &'s Context<'s>,
    evidence: &'s Evidence,
    greatest: Greatest,
    hints: Hints,
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
    /// The share of the query's idf that the name's terms hold.
    of_query: f32,
    /// The share of the name's terms that the query holds.
    of_name: f32,
}

impl<'s> Scorer<'s> {
    fn new(query: &'s Query, context: &'s Context<'s>, evidence: &'s Evidence, head: &[u32]) -> Scorer<'s> {
        let mut greatest = Greatest::default();
        for file in head.iter().map(|file| &evidence.files[*file as usize]) {
            greatest.chunk = greatest.chunk.max(file.chunks[0]);
            greatest.chunks = greatest.chunks.max(file.chunks.iter().sum());
            greatest.body = greatest.body.max(file.body);
            greatest.symbol = greatest.symbol.max(file.symbol);
            greatest.comment = greatest.comment.max(file.comment);
            greatest.name = greatest.name.max(file.name);
            greatest.path = greatest.path.max(file.path);
        }
        Scorer { query, context, evidence, greatest, hints: Hints::new(query) }
    }

    fn file(&mut self, file: u32) -> Result<RankedFile, SearchError> {
        let known = self.evidence.files[file as usize];
        let context = self.context;
        let mut sum = Sum { scorer: self, contributions: Vec::new() };
        sum.text(&known);
        sum.names(&known, context.corpus.path(file));
        let mut ranked = RankedFile { file, sum: 0.0, contributions: sum.contributions };
        if known.defines != 0 || known.symbol_mask != 0 {
            self.definitions(&known, &mut ranked)?;
        }
        let mut sum = Sum { scorer: self, contributions: std::mem::take(&mut ranked.contributions) };
        sum.place(file);
        ranked.contributions = sum.contributions;
        let base = self.context.profile.weight(Signal::Base);
        ranked.sum = base + ranked.contributions.iter().map(|part| part.value).sum::<f32>();
        share_out(base, &mut ranked.contributions);
        Ok(ranked)
    }

    /// The words of the query behind a mask, as a list.
    fn words(&self, mask: u64) -> String {
        let words: Vec<&str> = self
            .query
            .terms
            .iter()
            .enumerate()
            .filter(|(place, _)| mask & (1 << place) != 0)
            .map(|(_, term)| term.word.as_str())
            .collect();
        words.join(", ")
    }

    fn idf_of(&self, mask: u64) -> f32 {
        self.evidence
            .idf
            .iter()
            .enumerate()
            .filter(|(place, _)| mask & (1 << place) != 0)
            .map(|(_, idf)| idf)
            .sum()
    }

    /// How well `name` and the query cover each other, with the mask of the terms that do.
    fn cover(&mut self, name: &str) -> (Cover, u64) {
        let mut terms = TermList::default();
        self.context.tokenizer.borrow_mut().terms(name, &mut terms);
        let mut distinct: Vec<&str> = terms.iter().collect();
        distinct.sort_unstable();
        distinct.dedup();
        let mut mask = 0u64;
        let mut found = 0;
        for term in &distinct {
            if let Some(place) = self.query.terms.iter().position(|wanted| wanted.term == *term) {
                mask |= 1 << place;
                found += 1;
            }
        }
        let of_name = if distinct.is_empty() { 0.0 } else { found as f32 / distinct.len() as f32 };
        (Cover { of_query: self.idf_of(mask), of_name }, mask)
    }

    /// Signals of what the file defines.
    fn definitions(&mut self, known: &FileEvidence, ranked: &mut RankedFile) -> Result<(), SearchError> {
        let outline = self.context.corpus.version(ranked.file).outline()?;
        let mut best = (0.0f32, None, 0u64);
        let mut exact = (0.0f32, None);
        for (place, symbol) in outline.symbols.iter().enumerate() {
            let is_exact = known.defines != 0 && self.query.names.iter().any(|name| name == symbol.name);
            if is_exact {
                let worth = definition_worth(symbol, outline.depth(place));
                if worth > exact.0 {
                    exact = (worth, Some(place));
                }
            }
            if known.symbol_mask != 0 && self.hints.may_hold(symbol.name) {
                let (cover, mask) = self.cover(symbol.name);
                let worth = cover.of_query * cover.of_name;
                if worth > best.0 {
                    best = (worth, Some(place), mask);
                }
            }
        }
        let mut sum = Sum { scorer: self, contributions: std::mem::take(&mut ranked.contributions) };
        if let Some(place) = exact.1 {
            let symbol = &outline.symbols[place];
            sum.add(Signal::Definition, exact.0, || {
                format!("definition: {} '{}' is defined here", symbol.kind, symbol.qualified())
            });
            sum.used(symbol)?;
        }
        if let Some(place) = best.1 {
            let name = outline.symbols[place].qualified();
            let words = sum.scorer.words(best.2).replace(", ", "/");
            sum.add(Signal::DefinedName, best.0, || format!("symbol: {name} matches '{words}'"));
        }
        ranked.contributions = sum.contributions;
        Ok(())
    }
}

/// What a definition of a name asked for is worth, 0 to 1: outer, large and type-like ones are what people mean.
fn definition_worth(symbol: &OutlineSymbol, depth: usize) -> f32 {
    let outer = 1.0 / (1.0 + depth as f32);
    let large = symbol.lines.count().min(200) as f32 / 400.0;
    let kind = if symbol.kind.is_type_like() { 0.5 } else { 0.0 };
    (outer + large + kind) / 2.0
}

/// Contributions as they come together.
struct Sum<'a, 's> {
    scorer: &'a mut Scorer<'s>,
    contributions: Vec<Contribution>,
}

impl Sum<'_, '_> {
    /// Adds `x`, 0 to 1, times the signal's weight.
    fn add(&mut self, signal: Signal, x: f32, text: impl FnOnce() -> String) {
        let value = self.scorer.context.profile.weight(signal) * x;
        if value != 0.0 {
            self.contributions.push(Contribution { signal, value, share: 0.0, text: text() });
        }
    }

    fn text(&mut self, known: &FileEvidence) {
        let words = self.scorer.words(known.body_mask);
        let Greatest { chunk, chunks, body, symbol, comment, .. } = self.scorer.greatest;
        self.add(Signal::Lexical, ratio(known.chunks[0], chunk), || {
            format!("lexical: matched tokens [{words}]")
        });
        let n_chunks = known.chunks.iter().filter(|score| **score > 0.0).count();
        self.add(Signal::Chunks, ratio(known.chunks.iter().sum(), chunks), || match n_chunks {
            1 => "chunks: one place matches".to_string(),
            n => format!("chunks: {n} places or more match"),
        });
        self.add(Signal::File, ratio(known.body, body), || "file: its words as a whole match".to_string());
        let held = self.scorer.idf_of(known.body_mask | known.path_mask);
        let cover = 0.5 * (known.chunk_cover + held);
        self.add(Signal::Coverage, cover, || {
            format!(
                "coverage: {:.0} % of the query's weight in one place, {:.0} % in the file",
                known.chunk_cover * 100.0,
                held * 100.0
            )
        });
        let names = self.scorer.words(known.symbol_mask);
        self.add(Signal::Symbol, ratio(known.symbol, symbol), || {
            format!("symbol: names defined here hold [{names}]")
        });
        let said = self.scorer.words(known.comment_mask);
        self.add(Signal::Comment, ratio(known.comment, comment), || format!("comment: mentions [{said}]"));
        self.add(Signal::Literal, (known.literal > 0) as u32 as f32, || {
            let times =
                if known.literal == 1 { String::new() } else { format!(" on {} lines", known.literal) };
            format!("literal: contains the query as written{times}")
        });
    }

    fn names(&mut self, known: &FileEvidence, path: &str) {
        let Greatest { name, path: greatest_path, .. } = self.scorer.greatest;
        let file_name = path.rsplit('/').next().unwrap_or(path);
        self.add(Signal::Name, ratio(known.name, name), || {
            format!("name: file name '{file_name}' matches query")
        });
        let words = self.scorer.words(known.path_mask);
        self.add(Signal::Path, ratio(known.path, greatest_path), || {
            let component = path_component(path, &words);
            format!("path: component '{component}' matches query")
        });
        if known.name_mask != 0 {
            let path = RelPath::new(path).expect("paths are checked before they are recorded");
            let stem = path.naming();
            let (cover, _) = self.scorer.cover(stem);
            self.add(Signal::NameShare, cover.of_name, || {
                format!("name: the query names {:.0} % of '{stem}'", cover.of_name * 100.0)
            });
        }
    }

    /// How often a definition asked for is used: an estimate from the index, 0 to 1 at 1,000 chunks.
    fn used(&mut self, symbol: &OutlineSymbol) -> Result<(), SearchError> {
        let corpus = self.scorer.context.corpus;
        let uses = live_uses(corpus, symbol.name)?;
        let x = ((1 + uses) as f32).ln() / 1000f32.ln();
        self.add(Signal::Reference, x.min(1.0), || {
            format!("reference: '{}' is used in {uses} places", symbol.name)
        });
        Ok(())
    }

    fn place(&mut self, file: u32) {
        let context = self.scorer.context;
        let version = context.corpus.version(file);
        let (path, asks) = (version.path(), self.scorer.query.asks);
        let depth = path.matches('/').count();
        self.add(Signal::Depth, (depth as f32 / 10.0).min(1.0), || match depth {
            1 => "depth: 1 folder deep".to_string(),
            n => format!("depth: {n} folders deep"),
        });
        let size = ((1 + version.lines()) as f32).ln() / 10_000f32.ln();
        self.add(Signal::Size, size.min(1.0), || match version.lines() {
            1 => "size: 1 line".to_string(),
            n => format!("size: {n} lines"),
        });
        if let Some(part) = place::test_part(path).filter(|_| !asks.tests) {
            self.add(Signal::Test, 1.0, || format!("test: '{part}' in its path"));
        }
        if let Some(part) = place::compat_part(path).filter(|_| !asks.compat) {
            self.add(Signal::Compat, 1.0, || format!("compat: '{part}' in its path"));
        }
        if place::is_prose(version.language(), context.grammars.name(version.language())) && !asks.docs {
            self.add(Signal::Docs, 1.0, || "docs: prose or data, not code".to_string());
        }
        let Some(session) = context.session else { return };
        if let Some((_, turns)) = session.touched().find(|(touched, _)| touched.as_str() == path) {
            self.add(Signal::Session, Session::worth(turns), || match turns {
                0 => "session: file read just now".to_string(),
                1 => "session: file read 1 turn ago".to_string(),
                n => format!("session: file read {n} turns ago"),
            });
        }
    }
}

/// How many live chunks use a name.
fn live_uses(corpus: &Corpus, name: &str) -> Result<u64, SearchError> {
    let reader = &corpus.committed().reader;
    let mut uses = 0;
    for segment in 0..reader.segments().len() {
        let base = corpus.base(segment);
        reader.postings(segment, IndexField::Reference, name, |doc, _| {
            uses += (corpus.files()[(base + doc) as usize] != super::corpus::NO_FILE) as u64;
        })?;
    }
    Ok(uses)
}

/// The part of a path that a word of the query occurs in, the last such; else the file name.
fn path_component<'p>(path: &'p str, words: &str) -> &'p str {
    let is_in = |part: &str| {
        let part = part.to_lowercase();
        words.split(", ").any(|word| !word.is_empty() && part.contains(&word[..floor_boundary(word, 4)]))
    };
    let found = path.rsplit('/').find(|part| is_in(part));
    found.unwrap_or_else(|| path.rsplit('/').next().unwrap_or(path))
}

/// The first `n` characters of a word in bytes: stems differ at their ends.
fn floor_boundary(word: &str, n: usize) -> usize {
    word.char_indices().nth(n).map_or(word.len(), |(at, _)| at)
}

fn ratio(value: f32, greatest: f32) -> f32 {
    if greatest > 0.0 { value / greatest } else { 0.0 }
}

/// The probability of log-odds.
fn probability(sum: f32) -> f32 {
    1.0 / (1.0 + (-sum).exp())
}

/// Computes the shares of `contributions` and gives the score. The base is not among them yet.
fn share_out(base: f32, contributions: &mut [Contribution]) -> f32 {
    let evidence: f32 = contributions.iter().map(|part| part.value).sum();
    let score = probability(base + evidence);
    // The slope between the two points; where they meet, the curve's own.
    let slope = if evidence.abs() > 1e-4 {
        (score - probability(base)) / evidence
    } else {
        probability(base) * (1.0 - probability(base))
    };
    contributions.iter_mut().for_each(|part| part.share = part.value * slope);
    score
}

/// The hits of the ranked files: each file's best chunk, and further ones behind a penalty.
pub fn hits(
    query: &Query,
    context: &Context<'_>,
    evidence: &Evidence,
    files: &[RankedFile],
) -> Result<Vec<Ranked>, SearchError> {
    let mut by_file: rustc_hash::FxHashMap<u32, Vec<u32>> = rustc_hash::FxHashMap::default();
    if context.per_file > 1 {
        let wanted: rustc_hash::FxHashSet<u32> = files.iter().map(|ranked| ranked.file).collect();
        for doc in &evidence.chunks {
            let file = context.corpus.files()[*doc as usize];
            if wanted.contains(&file) {
                by_file.entry(file).or_default().push(*doc);
            }
        }
    }
    let mut hits = Vec::new();
    for ranked in files {
        let known = &evidence.files[ranked.file as usize];
        let Some(best) = known.best() else { continue };
        hits.push(hit(query, context, evidence, ranked, best, None)?);
        let mut others: Vec<(f32, u32)> = by_file
            .remove(&ranked.file)
            .unwrap_or_default()
            .into_iter()
            .filter(|doc| *doc != best)
            .map(|doc| (evidence.chunk_body[doc as usize] + evidence.chunk_symbol[doc as usize], doc))
            .filter(|(worth, _)| *worth > 0.0)
            .collect();
        others.sort_unstable_by(|a, b| {
            b.0.total_cmp(&a.0).then_with(|| place_of(context, a.1).cmp(&place_of(context, b.1)))
        });
        let greatest = known.best_worth.max(f32::MIN_POSITIVE);
        for (worth, doc) in others.into_iter().take(context.per_file - 1) {
            hits.push(hit(query, context, evidence, ranked, doc, Some((worth / greatest).min(1.0)))?);
        }
    }
    hits.sort_by(Ranked::order);
    Ok(hits)
}

fn place_of(context: &Context<'_>, doc: u32) -> u32 {
    let (segment, within) = context.corpus.locate(doc);
    let columns = context.corpus.committed().reader.segments()[segment].columns(within);
    columns.map_or(0, |columns| columns.span.start)
}

/// A chunk of a ranked file as a hit. `sibling`: what it is worth beside the best one, for the others.
fn hit(
    query: &Query,
    context: &Context<'_>,
    evidence: &Evidence,
    ranked: &RankedFile,
    doc: u32,
    sibling: Option<f32>,
) -> Result<Ranked, SearchError> {
    let (segment, within) = context.corpus.locate(doc);
    let columns = context.corpus.committed().reader.segments()[segment].columns(within)?;
    let version = context.corpus.version(ranked.file);
    let mut reasons = ranked.contributions.clone();
    if let Some(worth) = sibling {
        let value = context.profile.weight(Signal::Sibling) * (2.0 - worth) / 2.0;
        let text = "sibling: a better place in the same file stands before it".to_string();
        reasons.push(Contribution { signal: Signal::Sibling, value, share: 0.0, text });
    }
    let base = context.profile.weight(Signal::Base);
    let score = share_out(base, &mut reasons);
    let evidence_sum: f32 = reasons.iter().map(|part| part.value).sum();
    reasons.sort_by(|a, b| b.share.abs().total_cmp(&a.share.abs()).then_with(|| a.signal.cmp(&b.signal)));
    let text = "base: before any evidence".to_string();
    reasons.push(Contribution { signal: Signal::Base, value: base, share: probability(base), text });
    let known = &evidence.files[ranked.file as usize];
    let mask = known.body_mask | known.path_mask;
    let held = query.terms.iter().enumerate().filter(|(place, _)| mask & (1 << place) != 0);
    Ok(Ranked {
        version: version.id(),
        path: RelPath::new(version.path()).expect("paths are checked before they are recorded"),
        chunk: columns,
        sum: base + evidence_sum,
        score,
        reasons,
        literal: evidence.literal_docs.binary_search(&doc).is_ok(),
        terms: held.map(|(_, term)| term.term.clone()).collect(),
    })
}

/// A chunk is shown as the symbol in it that answers, where one does; else as itself, under the name of its main
/// symbol or of what it is a part of.
pub fn face(
    query: &Query,
    kinds: Option<KindSet>,
    corpus: &Corpus,
    hit: &Ranked,
) -> Result<Face, SearchError> {
    let outline =
        corpus.meta().version(hit.version).map(|version| version.outline()).transpose()?.unwrap_or_default();
    Ok(face_among(query, kinds, &outline.symbols, hit))
}

fn face_among(query: &Query, kinds: Option<KindSet>, symbols: &[OutlineSymbol<'_>], hit: &Ranked) -> Face {
    let columns = &hit.chunk;
    // The query as written may stand anywhere in the chunk, so only what it names narrows such a hit.
    let enough = if hit.literal { 1.0 } else { 0.5 };
    let whole = |kind: SymbolKind, symbol: Option<String>| Face {
        span: columns.span,
        lines: columns.lines,
        kind,
        symbol,
    };
    let begins_here = |symbol: &OutlineSymbol| {
        columns.span.start <= symbol.span.start && symbol.span.start < columns.span.end
    };
    let mut tokenizer = Tokenizer::new();
    let mut best: Option<(f32, &OutlineSymbol)> = None;
    for symbol in symbols.iter().filter(|symbol| begins_here(symbol)) {
        if kinds.is_some_and(|kinds| !kinds.contains(symbol.kind)) {
            continue;
        }
        // A constant is rarely the answer beside a function or type, unless it is what was asked for.
        let is_data = matches!(symbol.kind, SymbolKind::Const | SymbolKind::Field);
        let worth = match answers(query, &mut tokenizer, symbol.name) {
            worth if is_data && worth < 1.0 => worth / 2.0,
            worth => worth,
        };
        if best.is_none_or(|(known, _)| worth > known) {
            best = Some((worth, symbol));
        }
    }
    match best {
        Some((worth, symbol)) if worth >= enough || kinds.is_some() => {
            let lines = Lines {
                first: symbol.lines.first,
                last: symbol.lines.last.min(columns.lines.last).max(symbol.lines.first),
            };
            let span = Span { start: symbol.span.start, end: symbol.span.end.min(columns.span.end) };
            Face { span, lines, kind: symbol.kind, symbol: Some(symbol.qualified()) }
        }
        Some((_, symbol)) if columns.kind != SymbolKind::Block => {
            whole(columns.kind, Some(main(symbols, columns).unwrap_or(symbol).qualified()))
        }
        _ => {
            let enclosing = symbols.iter().rfind(|symbol| symbol.span.contains(columns.span));
            whole(columns.kind, enclosing.map(OutlineSymbol::qualified))
        }
    }
}

/// The symbol that a chunk's kind comes from.
fn main<'o, 'a>(symbols: &'o [OutlineSymbol<'a>], columns: &Columns) -> Option<&'o OutlineSymbol<'a>> {
    symbols.iter().find(|symbol| {
        columns.span.start <= symbol.span.start
            && symbol.span.start < columns.span.end
            && symbol.kind == columns.kind
    })
}

/// How well a name answers the query: 1 when the query has it as written, else .9 of the share of its terms that the
/// query has.
fn answers(query: &Query, tokenizer: &mut Tokenizer, name: &str) -> f32 {
    if query.names.iter().any(|wanted| wanted == name) {
        return 1.0;
    }
    let mut terms = TermList::default();
    tokenizer.terms(name, &mut terms);
    let found = terms.iter().filter(|term| query.terms.iter().any(|wanted| wanted.term == *term)).count();
    if found == 0 { 0.0 } else { 0.9 * found as f32 / terms.count as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_keep_their_signs() {
        for values in [&[1.0, 2.0, -0.5][..], &[-3.0, 0.2], &[0.5, -0.5], &[], &[9.0]] {
            let mut contributions: Vec<Contribution> = values
                .iter()
                .map(|value| Contribution {
                    signal: Signal::Lexical,
                    value: *value,
                    share: 0.0,
                    text: String::new(),
                })
                .collect();
            let score = share_out(-2.0, &mut contributions);
            let total: f32 = probability(-2.0) + contributions.iter().map(|part| part.share).sum::<f32>();
            assert!((total - score).abs() < 1e-5, "{values:?}: {total} is not {score}");
            assert!(contributions.iter().all(|part| part.share * part.value > 0.0));
            assert!((0.0..=1.0).contains(&score));
        }
    }

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
