//! The routes and the commands of a tree, as rows of a reply.
//!
//! [`spyhop_graph`] finds the entries. This module filters them, and masks what the reply shows.

use std::path::Path;

use super::api::*;
use super::call::Call;
use super::cancel;
use super::core::Engine;
use super::corpus::{Corpus, incomplete_of, of_source};
use super::current;
use super::graph::{GraphSources, on_large_stack};
use super::graph_target::{self, Target};
use super::lookup::{self, check_pattern_length, check_rows};
use super::open_index::Viewed;
use super::operation::Operation;
use super::origin::sums;
use super::source::ReplySources;
use crate::error::{Error, ErrorKind};
use spyhop_base::limit;
use spyhop_base::path::RelPath;
use spyhop_base::text::LineIndex;
use spyhop_graph::{EntryPoint, Graph, GraphEdge, GraphLimits, ReachedEntry};
use spyhop_search::SearchSnapshot;
use spyhop_search::filter::Filter;

/// The most files that one question analyses.
const MAX_ANALYSED: usize = 600;

/// The most calls between a handler and a symbol that it reaches.
const MAX_CALLS: u32 = 5;

/// The routes or the commands of a tree.
impl Operation for EntriesRequest {
    const NAME: &'static str = "entries";

    type Reply = EntriesReply;

    fn paths_in_sources(&mut self) -> Vec<&mut String> {
        self.filter.path.iter_mut().collect()
    }

    fn run(&self, corpus: &Corpus, call: &Call<'_>) -> Result<EntriesReply, Error> {
        match corpus.alone() {
            Some(engine) => entries_of_tree(engine, self, call),
            None => entries_of_sources(corpus, self, call),
        }
    }
}

/// The entries of each tree, joined. A tree in which the symbol of `reaches` is unknown has none.
fn entries_of_sources(
    corpus: &Corpus,
    request: &EntriesRequest,
    call: &Call<'_>,
) -> Result<EntriesReply, Error> {
    let mut unknown = None;
    let (answers, warnings) = corpus.each(|_, answers| match answers.call(request, call) {
        Err(error) if request.reaches.is_some() && error.kind() == ErrorKind::BadRequest => {
            unknown.get_or_insert(error);
            Ok(None)
        }
        answer => answer.map(Some),
    })?;
    let mut whole = EntriesReply {
        kind: request.kind,
        pattern: request.pattern.clone(),
        rows: Vec::new(),
        total: 0,
        incomplete: (!warnings.is_empty()).then(|| corpus.missing(warnings.len())),
        snapshot: Snapshot::default(),
        sources: Vec::new(),
        warnings,
    };
    for (member, reply) in answers {
        let Some(reply) = reply else { continue };
        let name = member.name();
        whole.rows.extend(reply.rows.into_iter().map(|row| EntryRow { source: Some(name.clone()), ..row }));
        whole.total += reply.total;
        whole.incomplete = whole.incomplete.or(reply.incomplete.map(|why| incomplete_of(name, why)));
        whole.warnings.extend(reply.warnings.iter().map(|warning| of_source(name, warning)));
        whole.sources.push(member.snapshot(reply.snapshot));
    }
    if let (true, Some(error)) = (whole.sources.is_empty(), unknown) {
        return Err(error);
    }
    whole.snapshot = sums(&whole.sources);
    whole.rows.sort_by_key(|row| (row.depth, row.is_test));
    whole.truncate(request.max_results);
    Ok(whole)
}

fn entries_of_tree(
    engine: &Engine,
    request: &EntriesRequest,
    call: &Call<'_>,
) -> Result<EntriesReply, Error> {
    check_rows("max_results", request.max_results, MAX_ROWS)?;
    check_pattern_length(&request.pattern)?;
    request.reaches.iter().try_for_each(|own| limit::bytes("reaches", own, limit::MAX_NAME_BYTES))?;
    let filter = Filter::new(&request.filter, engine.grammars())?;
    let (snapshot, freshness) = current::ready(engine, call.progress())?;
    cancel::begin_answer()?;
    let answer = || -> Result<EntriesReply, Error> {
        let quarantine = engine.quarantine();
        let sources = GraphSources::new(engine, &snapshot, &quarantine)?;
        let graph = Graph::new(&snapshot, engine.grammars(), &sources, GraphLimits::of_work(MAX_ANALYSED));
        let (found, incomplete) =
            asked_entries(request, &graph, &snapshot, (&*sources.sources, engine.root()))?;
        graph.check()?;
        let stopped = || {
            let text = "the names have so many definitions and uses that the question stopped after its budget of steps";
            IncompleteCause::Limit.with(text.to_string())
        };
        let incomplete = incomplete.or_else(|| graph.is_cut().then(stopped));
        let words: Vec<String> = request.pattern.split_whitespace().map(str::to_lowercase).collect();
        let mut rows = Vec::new();
        for own in &found {
            let version = snapshot.version(own.entry.file);
            let takes_kind = filter.kinds().is_none_or(|kinds| {
                own.entry.handler.definition.as_ref().is_some_and(|own| kinds.contains(own.kind))
            });
            let takes = takes_kind && filter.takes_file(version.path(), version.language());
            if takes && has_words(&own.entry, &words) {
                let depth = request.reaches.as_ref().map(|_| own.depth);
                let row = entry_row(engine, &snapshot, &sources, &own.entry)?;
                rows.push(EntryRow { depth, confidence: own.confidence, ..row });
            }
        }
        rows.sort_by_key(|row| (row.depth, row.is_test));
        let total = rows.len();
        rows.truncate(request.max_results);
        Ok(EntriesReply {
            kind: request.kind,
            pattern: request.pattern.clone(),
            rows,
            total,
            incomplete,
            snapshot: lookup::snapshot(engine.tree(), Some(Viewed::from_snapshot(&snapshot)), &freshness),
            sources: Vec::new(),
            warnings: freshness.warnings.clone(),
        })
    };
    on_large_stack(answer)
}

pub(super) fn entry_row(
    engine: &Engine,
    snapshot: &SearchSnapshot,
    sources: &GraphSources<'_>,
    entry: &EntryPoint,
) -> Result<EntryRow, Error> {
    let path = RelPath::new(snapshot.path(entry.file))?;
    let text = sources.source(entry.file).unwrap_or_default();
    let lines = LineIndex::new(&text);
    let line = lines.line_of(entry.span.start);
    let definition = entry.handler.definition.as_ref().map(|own| -> Result<SymbolRow, Error> {
        let version = snapshot.version(own.file);
        Ok(SymbolRow {
            source: None,
            path: RelPath::new(version.path())?,
            lines: own.lines,
            kind: own.kind,
            name: own.name.to_string(),
            container: own.container.as_deref().map(str::to_string),
            language: engine.grammars().name(version.language()),
            by_rule: version.is_by_rule(own.place),
            highlights: Vec::new(),
        })
    });
    let file = entry.handler.file.map(|file| RelPath::new(snapshot.path(file)));
    Ok(EntryRow {
        source: None,
        kind: entry.kind,
        framework: entry.framework,
        method: entry.method.clone(),
        name: entry.name.clone(),
        line,
        column: entry.span.start - lines.start_of(line) + 1,
        handler: entry.handler.text.clone(),
        definition: definition.transpose()?,
        handler_path: file.transpose()?,
        confidence: entry.handler.confidence,
        depth: None,
        is_test: spyhop_search::is_aside(path.as_str()),
        path,
    })
}

/// The entries that are asked for, and why some may be missing.
fn asked_entries(
    request: &EntriesRequest,
    graph: &Graph<'_>,
    snapshot: &SearchSnapshot,
    read: (&ReplySources<'_>, &Path),
) -> Result<(Vec<ReachedEntry>, Option<Incomplete>), Error> {
    let Some(target) = &request.reaches else {
        let found = graph.entry_points(request.kind).map_err(Error::from)?;
        let incomplete = (found.left_out > 0).then(|| {
            let text = format!("{} files that may declare more were not read", found.left_out);
            IncompleteCause::Limit.with(text)
        });
        let all = found.entries.into_iter().map(|entry| {
            let confidence = entry.handler.confidence;
            ReachedEntry { entry, depth: 0, confidence }
        });
        return Ok((all.collect(), incomplete));
    };
    let definitions = match graph_target::resolve(graph, snapshot, target, GraphQuestion::References, read)? {
        Target::File(file) => graph.symbols(file).map_err(Error::from)?,
        named => named.symbols(target)?,
    };
    let dependents =
        graph.dependents(&definitions, Vec::new(), MAX_CALLS, 0.0, MAX_ROWS).map_err(Error::from)?;
    let found = graph.reaching(&definitions, &dependents, &[request.kind]).map_err(Error::from)?;
    let left_out = graph.left_out();
    let is_open = |edge: &&GraphEdge| edge.depth == 1 && edge.confidence < RESOLVED;
    let incomplete = match (left_out, graph.undecided() + dependents.iter().filter(is_open).count()) {
        (0, 0) => None,
        (0, 1) => Some(IncompleteCause::Undecided.with("no rule decides what 1 call on the way means")),
        (0, calls) => {
            let text = format!("no rule decides what {calls} calls on the way mean");
            Some(IncompleteCause::Undecided.with(text))
        }
        _ => Some(IncompleteCause::Limit.with(format!(
            "{left_out} more files use these names; a question analyses up to {MAX_ANALYSED} files"
        ))),
    };
    Ok((found, incomplete))
}

/// Whether an entry contains all words, in its method, name or handler.
fn has_words(entry: &EntryPoint, words: &[String]) -> bool {
    let texts = [&entry.method, &entry.name, &entry.handler.text].map(|text| text.to_lowercase());
    words.iter().all(|word| texts.iter().any(|text| text.contains(word.as_str())))
}
