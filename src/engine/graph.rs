//! The code graph: from a target as typed to definitions, from these to edges, from edges to the rows of a reply.
//!
//! [`crate::graph`] resolves uses. This module reads files, limits the number of files that one question analyses, and
//! masks what the reply shows.

use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::api::*;
use super::core::Engine;
use super::current::Viewed;
use super::graph_target::{self, Target};
use super::lookup::{check_pattern_length, check_rows};
use super::source::ReplySources;
use super::{Error, ErrorKind};
use crate::analyze::{Analyzer, STACK_BYTES};
use crate::cores::NoThread;
use crate::filter::Filter;
use crate::graph::{Definition, Graph, GraphEdge, GraphFiles, ImportEdge};
use crate::model::{Analysis, Note};
use crate::path::RelPath;
use crate::search::{SearchError, SearchSnapshot};
use crate::secrets;
use crate::text::{LineIndex, Lines, Span};
use crate::update::{OnProgress, Quarantine};
use crate::worker::{FileAnalyzer, Lost};

/// The most files that one question analyses.
const MAX_FILES: usize = 600;

/// The most steps of a question.
const MAX_DEPTH: u32 = 8;

/// The most definitions of one target. More of them have so many users that an answer would say nothing.
pub(super) const MAX_DEFINITIONS: usize = 12;

impl Engine {
    /// Answers a question about callers, callees, uses, imports or implementations.
    ///
    /// # Errors
    /// As [`Engine::search`]; `BadRequest` if the target means nothing in the tree, with the nearest names.
    pub fn graph(&self, request: &GraphRequest) -> Result<GraphReply, Error> {
        self.graph_with_progress(request, &|_| ())
    }

    /// Like [`Engine::graph`], and reports the progress of an index update before the answer.
    ///
    /// # Errors
    /// As [`Engine::graph`].
    pub fn graph_with_progress(
        &self,
        request: &GraphRequest,
        progress: OnProgress<'_>,
    ) -> Result<GraphReply, Error> {
        check_rows("max_results", request.max_results, MAX_ROWS)?;
        check_pattern_length(&request.target)?;
        let depth = request.depth.unwrap_or(request.question.default_depth());
        if !(1..=MAX_DEPTH).contains(&depth) {
            return Err(Error::bad(format!("depth is {depth}; choose 1 to {MAX_DEPTH}")));
        }
        if !(0.0..=1.0).contains(&request.min_confidence) {
            return Err(Error::bad(format!("min_confidence is {}; choose 0 to 1", request.min_confidence)));
        }
        let filter = Filter::new(&request.filter, &self.grammars)?;
        let (snapshot, freshness) = self.ready(progress)?;
        let answer = || -> Result<GraphReply, Error> {
            let quarantine = self.updater(None)?.quarantine();
            let sources = GraphSources::new(self, &snapshot, &quarantine)?;
            let graph = Graph::new(&snapshot, &self.grammars, &sources, MAX_FILES);
            let mut asked = GraphAnswer {
                engine: self,
                snapshot: &snapshot,
                graph,
                sources: &sources,
                warnings: Vec::new(),
            };
            let (definitions, mut rows) = asked.answer(request, depth)?;
            rows.retain(|row| {
                row.confidence >= request.min_confidence && passes(&filter, &self.grammars, row)
            });
            rows.sort_by(order);
            rows.dedup_by(|next, first| is_same_edge(first, next));
            // A use that may mean several wanted definitions is one row, with the most certain of them.
            let mut seen = FxHashSet::default();
            rows.retain(|row| {
                let place = (row.path.clone(), row.line, row.column, row.relation.name());
                row.is_outgoing || matches!(row.to, GraphEnd::File(_)) || seen.insert(place)
            });
            let total = rows.len();
            rows.truncate(request.max_results);
            let incomplete = asked.incomplete();
            let definitions =
                definitions.iter().map(|own| asked.symbol_row(own)).collect::<Result<_, _>>()?;
            Ok(self.masked_graph(GraphReply {
                question: request.question,
                target: request.target.clone(),
                definitions,
                rows,
                total,
                incomplete,
                snapshot: self.snapshot(Some(Viewed::from_snapshot(&snapshot)), &freshness),
                warnings: freshness.warnings.iter().cloned().chain(asked.warnings).collect(),
            }))
        };
        on_large_stack(answer)
    }
}

/// Runs `work` on a thread with the stack that the analysis of deeply nested files needs.
pub(super) fn on_large_stack<T: Send>(work: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => Err(Error::new(ErrorKind::NoThread, NoThread::new(error).to_string())),
        }
    })
}

fn passes(filter: &Filter, grammars: &crate::grammar::Grammars, row: &GraphRow) -> bool {
    let language = grammars.detect(&row.path, "");
    let by_kind = match (filter.kinds(), &row.from) {
        (Some(kinds), Some(from)) => kinds.contains(from.kind),
        (Some(_), None) => false,
        (None, _) => true,
    };
    by_kind && filter.takes_file(row.path.as_str(), language)
}

fn order(a: &GraphRow, b: &GraphRow) -> std::cmp::Ordering {
    let key = |row: &GraphRow| (row.is_outgoing, row.depth, row.relation);
    // Callees keep the order of the calls, which tells how a function works.
    let by_confidence = |a: &GraphRow, b: &GraphRow| match a.is_outgoing {
        true => std::cmp::Ordering::Equal,
        false => b.confidence.total_cmp(&a.confidence),
    };
    key(a)
        .cmp(&key(b))
        .then_with(|| by_confidence(a, b))
        .then_with(|| (&a.path, a.line, a.column).cmp(&(&b.path, b.line, b.column)))
        .then_with(|| b.confidence.total_cmp(&a.confidence))
}

/// Whether two rows show one edge: of the calls of one function by another, the first is shown.
fn is_same_edge(first: &GraphRow, next: &GraphRow) -> bool {
    let ends = |row: &GraphRow| (row.path.clone(), row.line, row.relation, row.to.clone());
    ends(first) == ends(next) && first.from == next.from
}

/// The files of a question, analysed once each.
pub(super) struct GraphSources<'e> {
    engine: &'e Engine,
    snapshot: &'e SearchSnapshot,
    quarantine: &'e Quarantine,
    sources: ReplySources<'e>,
    analyzer: RefCell<FileAnalyzer<'e>>,
}

impl<'e> GraphSources<'e> {
    pub(super) fn new(
        engine: &'e Engine,
        snapshot: &'e SearchSnapshot,
        quarantine: &'e Quarantine,
    ) -> Result<GraphSources<'e>, Error> {
        let tree = engine.source_tree_of(Viewed::from_snapshot(snapshot))?;
        Ok(GraphSources {
            engine,
            snapshot,
            quarantine,
            sources: ReplySources::new(tree, snapshot),
            analyzer: RefCell::new(FileAnalyzer::new(&engine.options.parsing, &engine.grammars)),
        })
    }
}

impl GraphFiles for GraphSources<'_> {
    fn text(&self, file: u32) -> Option<Arc<String>> {
        self.sources.text(file)
    }

    fn analyze(&self, file: u32, text: &str) -> Analysis {
        let version = self.snapshot.version(file);
        let language = version.language();
        let by_lines = || Analyzer::by_lines(&self.engine.grammars, language, text, Note::Quarantined);
        let Some(hash) = version.content().ranked() else { return by_lines() };
        if self.quarantine.cause(hash).is_some() {
            return by_lines();
        }
        self.analyzer.borrow_mut().analyze(language, text).unwrap_or_else(|Lost { cause }| {
            let path = RelPath::new(version.path());
            if let Some(Err(error)) = path.ok().map(|path| self.quarantine.add(&path, hash, cause)) {
                tracing::warn!(%error, "the quarantine could not be written");
            }
            by_lines()
        })
    }
}

/// A question with what its answer reads.
struct GraphAnswer<'a, 'e> {
    engine: &'a Engine,
    snapshot: &'a SearchSnapshot,
    graph: Graph<'a>,
    sources: &'a GraphSources<'e>,
    warnings: Vec<String>,
}

impl GraphAnswer<'_, '_> {
    fn answer(
        &mut self,
        request: &GraphRequest,
        depth: u32,
    ) -> Result<(Vec<Definition>, Vec<GraphRow>), Error> {
        let about_file = matches!(request.question, GraphQuestion::Imports | GraphQuestion::Importers);
        let target = graph_target::resolve(&self.graph, self.snapshot, &request.target)?;
        if about_file {
            let file = match target {
                Target::File(file) => file,
                Target::Symbols(symbols) => symbols[0].file,
            };
            let edges = match request.question {
                GraphQuestion::Imports => self.graph.imports_of(file),
                _ => self.graph.importers_of(file).map_err(Error::from)?,
            };
            let is_outgoing = request.question == GraphQuestion::Imports;
            let rows: Result<Vec<_>, _> =
                edges.iter().map(|edge| self.import_rows(edge, file, is_outgoing)).collect();
            return Ok((Vec::new(), rows?.into_iter().flatten().collect()));
        }
        let definitions = match target {
            Target::Symbols(symbols) => symbols,
            Target::File(file) if request.question == GraphQuestion::Impact => {
                let mut symbols = self.graph.symbols(file).map_err(Error::from)?;
                symbols.retain(|own| own.kind.is_function() || own.kind.is_type_like());
                symbols
            }
            Target::File(file) => {
                let path = self.snapshot.path(file);
                return Err(Error::bad(format!(
                    "'{path}' is a file; name a symbol of the file: '{path}#name' or '{path}:line'"
                )));
            }
        };
        let is_impact = request.question == GraphQuestion::Impact;
        if definitions.len() > MAX_DEFINITIONS && !is_impact && request.question != GraphQuestion::Definitions
        {
            self.warnings.push(format!(
                "'{}' has {} definitions; name one of them with its container or file, such as '{}'",
                request.target,
                definitions.len(),
                self.precise_name(&definitions[0]),
            ));
            return Ok((definitions, Vec::new()));
        }
        let rows = self.symbol_rows(request.question, &definitions, depth)?;
        Ok((definitions, rows))
    }

    /// The rows of a question about symbols.
    fn symbol_rows(
        &self,
        question: GraphQuestion,
        definitions: &[Definition],
        depth: u32,
    ) -> Result<Vec<GraphRow>, Error> {
        let most = MAX_ROWS;
        let incoming = |edges: Vec<GraphEdge>| self.rows(edges, false);
        let callees = || -> Result<Vec<GraphRow>, Error> {
            let edges: Result<Vec<Vec<GraphEdge>>, SearchError> =
                definitions.iter().map(|own| self.graph.callees(own)).collect();
            self.rows(edges.map_err(Error::from)?.concat(), true)
        };
        let callers = |depth| self.graph.callers(definitions, depth, most).map_err(Error::from);
        match question {
            GraphQuestion::Definitions | GraphQuestion::Imports | GraphQuestion::Importers => Ok(Vec::new()),
            GraphQuestion::References => {
                incoming(self.graph.uses_of(definitions, 1, |_| true).map_err(Error::from)?)
            }
            GraphQuestion::Callers | GraphQuestion::Impact => incoming(callers(depth)?),
            GraphQuestion::Callees => callees(),
            GraphQuestion::Implementations => {
                let edges: Result<Vec<Vec<GraphEdge>>, SearchError> =
                    definitions.iter().map(|own| self.graph.implementations(own)).collect();
                incoming(edges.map_err(Error::from)?.concat())
            }
            GraphQuestion::Tests => {
                let mut rows = incoming(callers(depth)?)?;
                rows.retain(|row| row.is_test);
                Ok(rows)
            }
            GraphQuestion::Trace => {
                let mut rows = incoming(callers(depth)?)?;
                rows.extend(callees()?);
                Ok(rows)
            }
        }
    }

    fn rows(&self, edges: Vec<GraphEdge>, is_outgoing: bool) -> Result<Vec<GraphRow>, Error> {
        edges.into_iter().map(|edge| self.row(edge, is_outgoing)).collect()
    }

    fn row(&self, edge: GraphEdge, is_outgoing: bool) -> Result<GraphRow, Error> {
        let (line, column, text) = self.line_of(edge.file, edge.span);
        Ok(GraphRow {
            relation: edge.relation,
            is_outgoing,
            depth: edge.depth,
            path: RelPath::new(self.snapshot.path(edge.file))?,
            line,
            column,
            text,
            is_test: self.graph.is_test(edge.file, edge.from.as_ref()),
            from: edge.from.as_ref().map(|from| self.symbol_row(from)).transpose()?,
            to: GraphEnd::Symbol(self.symbol_row(&edge.to)?),
            confidence: edge.confidence,
            rule: edge.rule,
        })
    }

    /// The rows of an import: one for each file of the tree that the import means, or one for a module outside. For a
    /// question about importers, only the row of `file`.
    fn import_rows(&self, edge: &ImportEdge, file: u32, is_outgoing: bool) -> Result<Vec<GraphRow>, Error> {
        let (line, column, text) =
            self.line_of(edge.file, Span::new(edge.start as usize, edge.start as usize));
        let row = |to: GraphEnd| -> Result<GraphRow, Error> {
            Ok(GraphRow {
                relation: Relation::Imports,
                is_outgoing,
                depth: 1,
                path: RelPath::new(self.snapshot.path(edge.file))?,
                line,
                column,
                text: text.clone(),
                from: None,
                to,
                confidence: EdgeRule::Import.confidence(),
                rule: EdgeRule::Import,
                is_test: self.graph.is_test(edge.file, None),
            })
        };
        let files = edge.files.iter().filter(|to| is_outgoing || **to == file);
        let mut rows = Vec::new();
        for to in files {
            rows.push(row(GraphEnd::File(RelPath::new(self.snapshot.path(*to))?))?);
        }
        if rows.is_empty() && is_outgoing {
            rows.push(row(GraphEnd::Outside(edge.module.clone()))?);
        }
        Ok(rows)
    }

    /// The line, the column and the masked text of a span.
    fn line_of(&self, file: u32, span: Span) -> (u32, u32, String) {
        let Some(source) = self.sources.text(file) else { return (1, 1, String::new()) };
        let index = LineIndex::new(&source);
        let line = index.line_of(span.start);
        let whole = index.span_of(Lines { first: line, last: line });
        let column = span.start - whole.start + 1;
        let text = match self.engine.secret_mask(self.snapshot.path(file), &source) {
            Some(cover) => {
                secrets::mask_lines(&source, whole.range(), &cover)[whole.range()].trim().to_string()
            }
            None => source[whole.range()].trim().to_string(),
        };
        (line, column, shortened(text))
    }

    fn symbol_row(&self, own: &Definition) -> Result<SymbolRow, Error> {
        let version = self.snapshot.version(own.file);
        Ok(SymbolRow {
            path: RelPath::new(version.path())?,
            lines: own.lines,
            kind: own.kind,
            name: own.name.to_string(),
            container: own.container.as_deref().map(str::to_string),
            language: self.engine.grammars.name(version.language()),
            highlights: Vec::new(),
        })
    }

    fn precise_name(&self, own: &Definition) -> String {
        match own.container {
            Some(_) => own.qualified(),
            None => format!("{}#{}", self.snapshot.path(own.file), own.name),
        }
    }

    /// Why edges may be missing.
    fn incomplete(&self) -> Option<String> {
        let building = Viewed::from_snapshot(self.snapshot).building();
        match (self.graph.left_out(), building) {
            (0, None) => None,
            (0, Some(building)) => Some(format!(
                "the index is being built: {} of {} files have their structure",
                building.files.saturating_sub(building.text_only),
                building.of
            )),
            (files, _) => Some(format!(
                "{files} more files use these names; a question analyses up to {MAX_FILES} files, nearest first: \
                 limit the depth, or name the symbol more precisely"
            )),
        }
    }
}

/// The most characters of a line in a row.
const MAX_CHARS: usize = 200;

fn shortened(text: String) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
