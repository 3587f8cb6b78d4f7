//! From rankings to a reply: merging, paging, snippets read from the sources and checked against the index.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::api::*;
use super::{Engine, Error, Freshness, lock, lookup};
use crate::filter::Filter;
use crate::id::ContentHash;
use crate::path::RelPath;
use crate::profile::Profile;
use crate::query::Query;
use crate::read::{self, Limits, ReadOutcome};
use crate::search::{self, Context, Corpus, Face, Ranked, Ranking};
use crate::session::Session;
use crate::snippet::{self, DEFAULT_CHARS};
use crate::text::LineIndex;

/// What a reply is made from.
pub struct Answer<'a> {
    pub engine: &'a Engine,
    pub corpus: &'a Corpus,
    pub filter: &'a Filter,
    pub request: &'a SearchRequest,
}

/// The sources read for one reply, each once.
#[derive(Default)]
pub struct Sources(RefCell<FxHashMap<RelPath, Option<Read>>>);

/// The text of a file and the hash of its bytes.
type Read = (Rc<String>, ContentHash);

impl Sources {
    /// The present text of a file whose content is indexed, and its hash; `None` when it cannot be read as text.
    pub fn read(&self, engine: &Engine, path: &RelPath) -> Option<Read> {
        let mut known = self.0.borrow_mut();
        known
            .entry(path.clone())
            .or_insert_with(|| match read::read(&path.below(engine.root()), &Limits::WANTED) {
                ReadOutcome::Source(source) => Some((Rc::new(source.text), source.hash)),
                _ => None,
            })
            .clone()
    }
}

impl Answer<'_> {
    /// Ranks every query and puts the reply together.
    pub fn reply(&self, queries: &[Query], freshness: Freshness) -> Result<SearchReply, Error> {
        let offset = lookup::offset(self.request.cursor.as_deref())?;
        let sources = Sources::default();
        let session = self.session();
        let mut merged: Vec<(usize, Ranked)> = Vec::new();
        let (mut literal_lines, mut complete) = (0, true);
        for (place, query) in queries.iter().enumerate() {
            let ranking = self.rank(query, &sources, session.as_ref())?;
            literal_lines += ranking.literal_lines;
            complete &= ranking.literal_complete;
            merged.extend(ranking.hits.into_iter().map(|hit| (place, hit)));
        }
        merge(&mut merged);
        merged.retain(|(_, hit)| hit.literal || hit.score >= self.request.min_score);
        let total = merged.len();
        let page = merged.into_iter().skip(offset).take(self.request.max_results);
        let results = page
            .map(|(place, hit)| self.hit(hit, place, &queries[place], &sources))
            .collect::<Result<Vec<Hit>, Error>>()?;
        let end = offset + results.len();
        let text: Vec<&str> = queries.iter().map(|query| query.text.as_str()).collect();
        let used_session = session.is_some_and(|session| !session.is_empty());
        Ok(SearchReply {
            query: text.join(" | "),
            results,
            backend: format!("lexical+symbol+path{}", if used_session { "+session" } else { "" }),
            fallback_grep_hits: literal_lines,
            total,
            complete,
            next: lookup::next(self.corpus, end, total),
            snapshot: self.engine.snapshot(Some(self.corpus), &freshness),
            warnings: freshness.warnings,
        })
    }

    /// Ranks one query.
    pub fn rank(
        &self,
        query: &Query,
        sources: &Sources,
        session: Option<&Session>,
    ) -> Result<Ranking, Error> {
        self.with_context(sources, session, |context| Ok(search::search(query, context)?))
    }

    /// Whether a file holds anything of a query, whatever its rank.
    pub fn matches(&self, query: &Query, path: &RelPath, sources: &Sources) -> Result<bool, Error> {
        self.with_context(sources, None, |context| Ok(search::matches(query, context, path.as_str())?))
    }

    fn with_context<T>(
        &self,
        sources: &Sources,
        session: Option<&Session>,
        search: impl FnOnce(&Context<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let tokenizer = RefCell::new(lock(&self.engine.tokenizers).pop().unwrap_or_default());
        let source = self.indexed(sources);
        let found = search(&Context {
            corpus: self.corpus,
            grammars: &self.engine.grammars,
            tokenizer: &tokenizer,
            profile: Profile::built_in(),
            filter: self.filter,
            session,
            per_file: self.request.per_file,
            source: &source,
        });
        lock(&self.engine.tokenizers).push(tokenizer.into_inner());
        found
    }

    /// Reads the text of a file if it is still what was indexed.
    fn indexed<'s>(
        &'s self,
        sources: &'s Sources,
    ) -> impl Fn(&RelPath, ContentHash) -> Option<Rc<String>> + 's {
        move |path, hash| {
            // What is found by its path only may be of any size.
            let read = if hash == read::path_only_hash() { None } else { sources.read(self.engine, path) };
            read.filter(|read| read.1 == hash).map(|read| read.0)
        }
    }

    /// What was touched, if the request wants it to count.
    pub fn session(&self) -> Option<Session> {
        self.request.session.then(|| lock(&self.engine.session).clone())
    }

    /// A ranked hit as it is shown.
    pub fn hit(
        &self,
        ranked: Ranked,
        query_index: usize,
        query: &Query,
        sources: &Sources,
    ) -> Result<Hit, Error> {
        let face = search::face(query, self.filter.kinds(), self.corpus, &ranked)?;
        let version = self.corpus.meta().version(ranked.version);
        let is_path_only = version.is_some_and(|version| version.hash() == read::path_only_hash());
        let source = if is_path_only { None } else { sources.read(self.engine, &ranked.path) };
        let stale = !is_path_only
            && match (&source, version) {
                (Some(source), Some(version)) => source.1 != version.hash(),
                _ => true,
            };
        // A snippet of other content would be a wrong one.
        let snippet =
            source.filter(|_| !stale).and_then(|source| self.snippet(&face, &ranked, query, &source.0));
        Ok(Hit {
            lines: face.lines,
            kind: face.kind,
            symbol: face.symbol,
            language: version.map_or("text", |version| self.engine.grammars.name(version.language())),
            snippet,
            score: ranked.score,
            band: Band::of(ranked.score),
            reasons: ranked
                .reasons
                .into_iter()
                .map(|reason| Reason { signal: reason.signal, share: reason.share, text: reason.text })
                .collect(),
            stale,
            query_index,
            path: ranked.path,
        })
    }

    fn snippet(&self, face: &Face, ranked: &Ranked, query: &Query, source: &str) -> Option<Snippet> {
        let max_chars = match self.request.mode {
            Mode::Compact => return None,
            Mode::Default => Some(DEFAULT_CHARS),
            Mode::Debug => None,
        };
        let request = snippet::Request {
            lines: face.lines,
            span: face.span,
            expand: self.request.expand,
            max_chars,
            terms: &ranked.terms,
            literal: &query.text,
        };
        Some(snippet::snippet(source, &LineIndex::new(source), &request))
    }
}

/// Merges the hits of several queries: best first, a place once.
fn merge(hits: &mut Vec<(usize, Ranked)>) {
    hits.sort_by(|(a_query, a), (b_query, b)| a.order(b).then_with(|| a_query.cmp(b_query)));
    let mut seen = FxHashSet::default();
    hits.retain(|(_, hit)| seen.insert((hit.path.clone(), hit.chunk.span)));
}
