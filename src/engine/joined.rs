//! One hop through the code graph from the first hits of a search: callers, callees, tests, users, and imported files of
//! strong hits join the list, each with a reason such as "called by 'resolve_auth', hit 1".

use std::time::Instant;

use super::answer::AnswerContext;
use super::api::*;
use super::graph::{GraphSources, on_large_stack};
use crate::error::Error;
use spyhop_base::model::SymbolKind;
use spyhop_base::parallel;
use spyhop_base::path::RelPath;
use spyhop_base::text::{Lines, Span};
use spyhop_graph::{Definition, Graph, GraphLimits, MAX_STEPS, Relation};
use spyhop_search::profile::Signal;
use spyhop_search::query::Query;

/// The first hits whose neighbours may join.
const FIRST_HITS: usize = 3;

/// The least score of a hit whose neighbours join. A weak first hit is often wrong, and its neighbours are then wrong too.
const STRONG: f32 = 0.6;

/// The most neighbours of one kind for one hit, and of all hits together.
const MAX_OF_KIND: usize = 2;
const MAX_JOINED: usize = 5;

/// The least confidence of an edge to a neighbour.
const LEAST: f32 = 0.7;

/// The score of a neighbour as a share of the score of its hit, multiplied by the confidence of the edge.
const SHARE: f32 = 0.5;

/// The most files that the neighbours of all hits may read.
const MAX_WORK: usize = 150;

/// A symbol or file one hop away from a hit.
struct JoinedPlace {
    file: u32,
    /// `None` for a whole file.
    symbol: Option<Definition>,
    score: f32,
    reason: String,
}

impl AnswerContext<'_> {
    /// The hits of a first page with the neighbours of the strong hits among the first ones, by score.
    pub(super) fn with_neighbours(&self, hits: Vec<Hit>, query: &Query) -> Result<Vec<Hit>, Error> {
        let is_strong = |hit: &&Hit| hit.score >= STRONG && !hit.stale;
        if !hits.iter().take(FIRST_HITS).any(|hit| is_strong(&hit)) {
            return Ok(hits);
        }
        let found = on_large_stack(|| parallel::with_helper_thread(|| self.neighbours(&hits)))?;
        let mut joined = hits;
        for own in found.into_iter().filter(|own| own.score >= self.request.min_score) {
            let hit = self.deduplicated(self.hit_of(own, query)?);
            let at = joined.iter().position(|other| other.score < hit.score).unwrap_or(joined.len());
            joined.insert(at, hit);
        }
        Ok(joined)
    }

    /// The best neighbours that are not hits themselves.
    fn neighbours(&self, hits: &[Hit]) -> Result<Vec<JoinedPlace>, Error> {
        let takes_file = |file: u32| {
            self.filter.takes_file(self.snapshot.path(file), self.snapshot.version(file).language())
        };
        let limits = (MAX_STEPS / 10, None);
        self.with_graph(limits, &takes_file, |graph| self.neighbours_in(graph, hits, &takes_file))
    }

    /// Asks the code graph of the tree that answers, which may read some files. The limits are the most steps, and the end.
    pub(super) fn with_graph<T>(
        &self,
        (steps, until): (u64, Option<Instant>),
        takes_file: &dyn Fn(u32) -> bool,
        ask: impl FnOnce(&Graph<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let quarantine = self.engine.updater(None)?.quarantine();
        let sources = self.trees.all()[0].sources.clone();
        let sources = GraphSources::with_sources(self.engine, self.snapshot, &quarantine, sources);
        let enough = MAX_OF_KIND * 4;
        let limits = GraphLimits { work: MAX_WORK, steps, until, enough, min_confidence: LEAST, takes_file };
        let graph = Graph::new(self.snapshot, &self.engine.grammars, &sources, limits);
        let answer = ask(&graph)?;
        graph.check()?;
        Ok(answer)
    }

    fn neighbours_in(
        &self,
        graph: &Graph<'_>,
        hits: &[Hit],
        takes_file: &dyn Fn(u32) -> bool,
    ) -> Result<Vec<JoinedPlace>, Error> {
        let mut found: Vec<JoinedPlace> = Vec::new();
        for (place, hit) in hits.iter().take(FIRST_HITS).enumerate() {
            if hit.score < STRONG || hit.stale {
                continue;
            }
            let Some(file) = self.snapshot.file_at(hit.path.as_str()) else { continue };
            found.extend(self.neighbours_of(graph, file, (place, hit))?);
        }
        let is_new = |own: &JoinedPlace| {
            let path = self.snapshot.path(own.file);
            let kinds = self.filter.kinds();
            let fits =
                kinds.is_none_or(|kinds| own.symbol.as_ref().is_some_and(|own| kinds.contains(own.kind)));
            fits && takes_file(own.file) && !hits.iter().any(|hit| is_shown(hit, path, own.symbol.as_ref()))
        };
        found.retain(is_new);
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        let mut seen = rustc_hash::FxHashSet::default();
        found.retain(|own| seen.insert((own.file, own.symbol.as_ref().map(|own| own.place))));
        found.truncate(MAX_JOINED);
        Ok(found)
    }

    fn neighbours_of(
        &self,
        graph: &Graph<'_>,
        file: u32,
        (place, hit): (usize, &Hit),
    ) -> Result<Vec<JoinedPlace>, Error> {
        let symbols = graph.symbols(file).map_err(Error::from)?;
        let is_hit = |own: &&Definition| is_defined_by(hit, own);
        let number = place + 1;
        let neighbour = |to: &Definition, confidence: f32, how: &str, name: &str| JoinedPlace {
            file: to.file,
            symbol: Some(to.clone()),
            score: hit.score * confidence * SHARE,
            reason: format!("{how} '{name}', hit {number}"),
        };
        let mut found = Vec::new();
        let Some(own) = symbols.iter().find(is_hit) else {
            // A part of a file that defines nothing: what the file imports.
            let imports = graph.imports_of(file);
            let files = imports.iter().flat_map(|import| import.files.iter().copied()).take(MAX_OF_KIND);
            found.extend(files.map(|imported| JoinedPlace {
                file: imported,
                symbol: None,
                score: hit.score * SHARE * SHARE,
                reason: format!("imported by {}, hit {number}", hit.path),
            }));
            return Ok(found);
        };
        let name = own.name.to_string();
        let takes = |relation| match own.kind.is_function() {
            true => relation == Relation::Calls,
            false => relation != Relation::Imports,
        };
        let mut counts = [0; 3];
        let uses = graph.uses_of(std::slice::from_ref(own), 1, takes).map_err(Error::from)?;
        for edge in uses.iter().filter(|edge| edge.confidence >= LEAST) {
            let Some(from) = edge.from.as_ref().filter(|from| !from.is(own)) else { continue };
            let is_test = graph.is_test(edge.file, edge.from.as_ref());
            let (kind, how) = match (is_test, edge.relation) {
                (true, _) => (0, "tests"),
                (false, Relation::Calls) => (1, "calls"),
                (false, _) => (1, "uses"),
            };
            counts[kind] += 1;
            if counts[kind] <= MAX_OF_KIND {
                found.push(neighbour(from, edge.confidence, how, &name));
            }
        }
        if own.kind.is_function() {
            for edge in graph.callees(own).map_err(Error::from)? {
                if edge.confidence >= LEAST && !edge.to.is(own) && counts[2] < MAX_OF_KIND {
                    counts[2] += 1;
                    found.push(neighbour(&edge.to, edge.confidence, "called by", &name));
                }
            }
        }
        Ok(found)
    }

    fn hit_of(&self, own: JoinedPlace, query: &Query) -> Result<Hit, Error> {
        let version = self.snapshot.version(own.file);
        let source = self.trees.text(own.file);
        let whole = Lines { first: 1, last: 1 };
        let lines = own.symbol.as_ref().map_or(whole, |own| own.lines);
        let span = own.symbol.as_ref().map_or(Span::new(0, 0), |own| own.span);
        let shown = source.as_ref().map(|source| {
            let name = own.symbol.as_ref().map(|own| &*own.name);
            self.text_of_place((lines, span, name), query, (version.path(), source))
        });
        let (snippet, representative_line) = shown.unzip();
        let snippet = snippet.flatten();
        Ok(Hit {
            path: RelPath::new(version.path())?,
            lines,
            kind: own.symbol.as_ref().map_or(SymbolKind::Text, |own| own.kind),
            symbol: own.symbol.as_ref().map(Definition::qualified),
            page: None,
            language: self.engine.grammars.name(version.language()),
            content: snippet.as_ref().and_then(|_| version.content().ranked()),
            snippet,
            representative_line,
            sent_before: None,
            score: own.score,
            band: Band::of(own.score),
            reasons: vec![Reason {
                signal: Signal::Graph,
                contribution: own.score,
                text: format!("{}: {}", Signal::Graph, own.reason),
            }],
            callers: None,
            stale: source.is_none(),
            query_index: 0,
            source: self.trees.of_file(own.file).name.clone(),
        })
    }
}

/// Whether a definition is that of a hit.
pub(super) fn is_defined_by(hit: &Hit, own: &Definition) -> bool {
    Some(&*own.qualified()) == hit.symbol.as_deref()
        && own.lines.first <= hit.lines.last
        && hit.lines.first <= own.lines.last
}

/// Whether a hit shows a symbol, or any part of a file.
fn is_shown(hit: &Hit, path: &str, symbol: Option<&Definition>) -> bool {
    let overlaps = |own: &Definition| own.lines.first <= hit.lines.last && hit.lines.first <= own.lines.last;
    hit.path.as_str() == path && symbol.is_none_or(overlaps)
}
