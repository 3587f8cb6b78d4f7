//! The code graph: from a target as typed to definitions, from these to edges, from edges to the rows of a reply.
//!
//! [`spyhop_graph`] resolves uses. This module reads files, limits the number of files that one question analyses, and
//! masks what the reply shows.

use std::cell::{LazyCell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use memchr::memmem::Finder;
use rustc_hash::{FxHashMap, FxHashSet};

use super::api::*;
use super::cancel;
use super::core::Engine;
use super::current::{self, Freshness};
use super::graph_target::{self, Target};
use super::lookup::{self, check_pattern_length, check_rows};
use super::memory;
use super::open_index::Viewed;
use super::source::ReplySources;
use crate::error::{Error, ErrorKind};
use spyhop_base::cores::NoThread;
use spyhop_base::id::LanguageId;
use spyhop_base::limit;
use spyhop_base::model::Analysis;
use spyhop_base::parallel;
use spyhop_base::path::RelPath;
use spyhop_base::text::{LineIndex, Span};
use spyhop_base::threads;
use spyhop_graph::{
    Definition, Graph, GraphEdge, GraphFiles, GraphLimits, ImportEdge, MAX_STEPS, PlacedName, has_imports,
};
use spyhop_grep::secrets::SecretMask;
use spyhop_index::update::{OnProgress, Quarantine};
use spyhop_search::filter::Filter;
use spyhop_search::{CurrentFile, SearchError, SearchSnapshot};
use spyhop_syntax::analyze::STACK_BYTES;
use spyhop_syntax::grammar::Grammars;
use spyhop_syntax::worker::FileAnalyzer;

/// The most work of one question, in files of usual size that are read.
pub(super) const MAX_WORK: usize = 3_000;

/// The uses that are resolved at most if more than the nearest ones are needed.
const MAX_USES: usize = 4 * MAX_ROWS;

/// The most steps of a question.
pub(super) const MAX_DEPTH: u32 = 8;

/// The most definitions of one target. More of them have so many users that an answer would say nothing.
pub(super) const MAX_DEFINITIONS: usize = 64;

/// A question whose values are valid.
struct AskedGraph<'r> {
    request: &'r GraphRequest,
    depth: u32,
    filter: Filter,
}

/// The number of steps of a request, whose values are checked.
fn checked_depth(request: &GraphRequest) -> Result<u32, Error> {
    check_rows("max_results", request.max_results, MAX_ROWS)?;
    check_pattern_length(&request.target)?;
    let depth = request.depth.unwrap_or(request.question.default_depth());
    if !(1..=MAX_DEPTH).contains(&depth) {
        return Err(Error::bad(format!("depth is {depth}; choose 1 to {MAX_DEPTH}")));
    }
    if !(0.0..=1.0).contains(&request.min_confidence) {
        return Err(Error::bad(format!("min_confidence is {}; choose 0 to 1", request.min_confidence)));
    }
    request.to.iter().try_for_each(|to| limit::bytes("to", to, limit::MAX_NAME_BYTES))?;
    request.changes.iter().try_for_each(GraphChanges::check_limits)?;
    if request.changes.is_some() && !request.target.trim().is_empty() {
        return Err(Error::bad("give a target or a diff, not both: a diff names the changed symbols"));
    }
    Ok(depth)
}

/// Answers a question from one tree.
pub(super) fn graph_of_tree(
    engine: &Engine,
    request: &GraphRequest,
    progress: OnProgress<'_>,
) -> Result<GraphReply, Error> {
    let depth = checked_depth(request)?;
    let filter = Filter::new(&request.filter, engine.grammars())?;
    let (snapshot, freshness) = current::ready(engine, progress)?;
    cancel::begin_answer()?;
    let asked = AskedGraph { request, depth, filter };
    let answer = || graph_of_snapshot(engine, &asked, &snapshot, &freshness);
    on_large_stack(|| parallel::with_helper_thread(answer))
}

/// Answers a question from a snapshot.
fn graph_of_snapshot(
    engine: &Engine,
    AskedGraph { request, depth, filter }: &AskedGraph<'_>,
    snapshot: &SearchSnapshot,
    freshness: &Freshness,
) -> Result<GraphReply, Error> {
    let quarantine = engine.quarantine();
    let sources = GraphSources::new(engine, snapshot, &quarantine)?;
    let takes_file =
        |file: u32| *depth > 1 || filter.takes_file(snapshot.path(file), snapshot.version(file).language());
    let limits = GraphLimits {
        work: MAX_WORK,
        steps: MAX_STEPS,
        until: None,
        enough: enough(request, *depth, filter),
        min_confidence: request.min_confidence,
        takes_file: &takes_file,
    };
    let graph = Graph::new(snapshot, engine.grammars(), &sources, limits);
    let mut asked = GraphAnswer::new(engine, snapshot, graph, &sources);
    let answered = asked.answer(request, *depth)?;
    let mut answered = asked.checked(answered)?;
    let total = answered.limit(request, filter, engine.grammars());
    asked.fill_texts(&mut answered.rows);
    let mentions = asked.mentions(&answered.counted, request, filter, &answered.rows)?;
    let mentions = asked.checked(mentions)?;
    let open = asked.open(mentions.as_ref(), &answered, (request.question, *depth));
    let shows_code = request.question == GraphQuestion::Trace && request.to.is_none();
    let code = if shows_code { asked.code_of(&answered.definitions) } else { Vec::new() };
    let place = answered.place.as_ref().map(|placed| asked.named_place(placed)).transpose()?;
    let definitions = answered.definitions.iter().map(|own| asked.symbol_row(own));
    let definitions = definitions.collect::<Result<Vec<_>, _>>()?;
    let too_many = answered.is_too_common.then(|| asked.too_many(&definitions)).flatten();
    let unread = answered.unread_imports.map(IncompleteCause::unread_imports);
    let incomplete = too_many.or(unread).or(asked.cut.take()).or_else(|| asked.incomplete()).or(open);
    let notes = memory::notes_linked_to(engine, &definitions);
    Ok(GraphReply {
        question: request.question,
        target: request.target.clone(),
        definitions,
        place,
        code,
        rows: answered.rows,
        total,
        further_files: asked.graph.further(),
        paths: answered.paths,
        tests: answered.tests,
        entries: answered.entries,
        incomplete,
        mentions,
        notes: notes.notes,
        snapshot: lookup::snapshot(engine.tree(), Some(Viewed::from_snapshot(snapshot)), freshness),
        sources: Vec::new(),
        warnings: freshness.warnings.iter().cloned().chain(asked.warnings).chain(notes.warnings).collect(),
    })
}

/// The number of uses after which no further files are resolved: for one step, as many as are shown, and some more
/// because rows are merged; for several steps, as many as may be followed.
fn enough(request: &GraphRequest, depth: u32, filter: &Filter) -> usize {
    let is_one_step = depth == 1
        && matches!(
            request.question,
            GraphQuestion::References | GraphQuestion::Callers | GraphQuestion::Trace
        );
    match is_one_step && filter.kinds().is_none() {
        true => request.max_results + request.max_results / 4 + 16,
        false => MAX_USES,
    }
}

/// Runs `work` on a thread with the stack that the analysis of deeply nested files needs.
pub(super) fn on_large_stack<T: Send>(work: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
    std::thread::scope(|scope| {
        match threads::for_call(scope, std::thread::Builder::new().stack_size(STACK_BYTES), work) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => Err(Error::new(ErrorKind::NoThread, NoThread::new(error).to_string())),
        }
    })
}

fn passes(filter: &Filter, grammars: &Grammars, row: &GraphRow) -> bool {
    let language = grammars.detect(&row.path, "");
    let by_kind = match (filter.kinds(), &row.from) {
        (Some(kinds), Some(from)) => kinds.contains(from.kind),
        (Some(_), None) => false,
        (None, _) => true,
    };
    by_kind && filter.takes_file(row.path.as_str(), language)
}

/// Marks the rows of uses that no rule proves. A use that may mean several of the definitions that were asked about means one
/// of them.
fn mark_possible(rows: &mut [GraphRow]) {
    let is_use = |row: &GraphRow| {
        let is_of_symbol = matches!(row.to, GraphEnd::Symbol(_)) && row.relation != Relation::Tests;
        is_of_symbol && !row.is_outgoing && row.depth == 1
    };
    let mut sums: FxHashMap<(RelPath, u32, u32), f32> = FxHashMap::default();
    for row in rows.iter().filter(|row| is_use(row)) {
        *sums.entry((row.path.clone(), row.line, row.column)).or_default() += row.confidence;
    }
    for row in rows.iter_mut().filter(|row| is_use(row)) {
        row.is_possible =
            sums.get(&(row.path.clone(), row.line, row.column)).is_some_and(|sum| *sum < RESOLVED);
    }
}

/// Sorts rows, and merges rows of one edge.
fn sort_and_merge(rows: &mut Vec<GraphRow>, question: GraphQuestion) {
    mark_possible(rows);
    rows.sort_by(|a, b| order(question, a, b));
    rows.dedup_by(|next, first| is_same_edge(first, next));
    // A use that may mean several wanted definitions is one row, with the most certain of them.
    let mut seen = FxHashSet::default();
    rows.retain(|row| {
        let place = (row.path.clone(), row.line, row.column, row.relation.name());
        row.is_outgoing || matches!(row.to, GraphEnd::File(_)) || seen.insert(place)
    });
}

fn order(question: GraphQuestion, a: &GraphRow, b: &GraphRow) -> std::cmp::Ordering {
    order_of_edges(question, a, b)
        .then_with(|| (&a.path, a.line, a.column).cmp(&(&b.path, b.line, b.column)))
        .then_with(|| b.confidence.total_cmp(&a.confidence))
}

/// The order of rows by what they are, whatever their place is.
pub(super) fn order_of_edges(question: GraphQuestion, a: &GraphRow, b: &GraphRow) -> std::cmp::Ordering {
    // Dependents are sorted by distance and confidence, whatever relates them to the change.
    let relation = |row: &GraphRow| (question != GraphQuestion::Impact).then_some(row.relation);
    let is_value = |row: &GraphRow| question != GraphQuestion::Impact && row.is_value;
    // What breaks is shown first.
    let is_there = |row: &GraphRow| !matches!(row.to, GraphEnd::Removed(_));
    let key = |row: &GraphRow| {
        (row.is_outgoing, row.depth, is_there(row), row.is_possible, relation(row), is_value(row))
    };
    // Callees keep the order of the calls, which tells how a function works.
    let by_confidence = |a: &GraphRow, b: &GraphRow| match a.is_outgoing {
        true => std::cmp::Ordering::Equal,
        false => b.confidence.total_cmp(&a.confidence),
    };
    key(a).cmp(&key(b)).then_with(|| by_confidence(a, b))
}

/// Whether two rows show one edge: of the calls of one function by another, the first is shown.
fn is_same_edge(first: &GraphRow, next: &GraphRow) -> bool {
    let ends = |row: &GraphRow| (row.path.clone(), row.line, row.relation, row.to.clone());
    ends(first) == ends(next) && first.from == next.from
}

/// A parser that starts when it is first used.
type LazyAnalyzer<'e> =
    LazyCell<RefCell<FileAnalyzer<'e>>, Box<dyn FnOnce() -> RefCell<FileAnalyzer<'e>> + 'e>>;

/// The lines of a file, and what masks its secrets once a line is shown.
pub(super) struct FileLines {
    pub source: Arc<String>,
    pub index: LineIndex,
    pub mask: OnceCell<Option<SecretMask>>,
}

/// The files of a question, read once each.
pub(super) struct GraphSources<'e> {
    engine: &'e Engine,
    snapshot: &'e SearchSnapshot,
    quarantine: &'e Quarantine,
    pub(super) sources: Arc<ReplySources<'e>>,
    /// Files whose uses are not stored are rare, so a parser is started when it is needed.
    analyzer: LazyAnalyzer<'e>,
    lines: RefCell<FxHashMap<u32, Option<Rc<FileLines>>>>,
}

impl<'e> GraphSources<'e> {
    pub(super) fn new(
        engine: &'e Engine,
        snapshot: &'e SearchSnapshot,
        quarantine: &'e Quarantine,
    ) -> Result<GraphSources<'e>, Error> {
        let tree = engine.tree().source_of(Viewed::from_snapshot(snapshot))?;
        let sources = Arc::new(ReplySources::new(tree, snapshot));
        Ok(GraphSources::with_sources(engine, snapshot, quarantine, sources))
    }

    /// The files of a question, read with those of another part of the answer.
    pub(super) fn with_sources(
        engine: &'e Engine,
        snapshot: &'e SearchSnapshot,
        quarantine: &'e Quarantine,
        sources: Arc<ReplySources<'e>>,
    ) -> GraphSources<'e> {
        GraphSources {
            engine,
            snapshot,
            quarantine,
            sources,
            analyzer: LazyCell::new(Box::new(move || RefCell::new(engine.parsers().analyzer()))),
            lines: RefCell::default(),
        }
    }

    /// The lines of a file; `None` if the file has changed.
    pub(super) fn lines(&self, file: u32) -> Option<Rc<FileLines>> {
        if let Some(known) = self.lines.borrow().get(&file) {
            return known.clone();
        }
        let lines = self.sources.text(file).map(|source| {
            Rc::new(FileLines { index: LineIndex::new(&source), mask: OnceCell::new(), source })
        });
        self.lines.borrow_mut().insert(file, lines.clone());
        lines
    }
}

impl GraphSources<'_> {
    /// The present content of a file, if the file may contain `wanted`; also that of a file without a text in the index.
    pub(super) fn current(&self, file: u32, wanted: &Finder<'_>) -> CurrentFile {
        self.sources.read(file, Some(wanted), false)
    }

    /// The text of a file, if its content is still the indexed content.
    pub(super) fn source(&self, file: u32) -> Option<Arc<String>> {
        self.sources.text(file)
    }
}

impl GraphSources<'_> {
    /// The analysis of a text that is not the indexed text of a file.
    pub(super) fn analyze_other(&self, language: LanguageId, text: &str) -> Analysis {
        let by_lines = || self.engine.parsers().by_lines(language, text);
        self.analyzer.borrow_mut().analyze_text(language, text).unwrap_or_else(|_| by_lines())
    }
}

impl GraphFiles for GraphSources<'_> {
    fn text(&self, file: u32) -> Option<Arc<String>> {
        self.sources.text(file)
    }

    fn prepare(&self, files: &[u32]) {
        let sources = &self.sources;
        parallel::map(self.snapshot.is_large(), files.to_vec(), |file| _ = sources.text(file), || ());
    }

    fn analyze(&self, file: u32, text: &str) -> Analysis {
        let version = self.snapshot.version(file);
        let language = version.language();
        let by_lines = || self.engine.parsers().by_lines(language, text);
        let Some(hash) = version.content().ranked() else { return by_lines() };
        if self.quarantine.cause(hash).is_some() {
            return by_lines();
        }
        self.analyzer.borrow_mut().analyze(version.path(), language, text).unwrap_or_else(|lost| {
            if let Ok(path) = RelPath::new(version.path()) {
                self.quarantine.add_from_query(&path, hash, &lost);
            }
            by_lines()
        })
    }
}

/// Definitions that a change removed, by file and place, as rows of a reply.
pub(super) type RemovedRows = FxHashMap<(u32, u32), SymbolRow>;

/// A question with what its answer reads.
pub(super) struct GraphAnswer<'a, 'e> {
    pub engine: &'a Engine,
    pub snapshot: &'a SearchSnapshot,
    pub graph: Graph<'a>,
    pub sources: &'a GraphSources<'e>,
    /// What the change of the question removed.
    pub removed: RemovedRows,
    /// The places of uses that mean definitions of removed files.
    pub removed_uses: FxHashSet<(u32, Span)>,
    pub warnings: Vec<String>,
    /// Why only a part of the change of the question was looked at.
    pub cut: Option<Incomplete>,
}

/// What is known before filters and limits.
#[derive(Default)]
pub(super) struct Answered {
    /// The name at the place that the target names.
    pub place: Option<PlacedName>,
    pub definitions: Vec<Definition>,
    pub rows: Vec<GraphRow>,
    pub paths: Vec<Vec<GraphRow>>,
    pub tests: Vec<AffectedTest>,
    pub entries: Vec<EntryRow>,
    /// The definitions whose mentions are counted.
    pub counted: Vec<Definition>,
    /// The language of a file whose imports are asked for and not read.
    pub unread_imports: Option<&'static str>,
    /// Whether a name has more than [`MAX_DEFINITIONS`] definitions, whose uses were not looked for.
    pub is_too_common: bool,
}

impl Answered {
    /// Filters, sorts and truncates the rows, and returns their number before.
    pub fn limit(&mut self, request: &GraphRequest, filter: &Filter, grammars: &Grammars) -> usize {
        self.rows.retain(|row| row.confidence >= request.min_confidence && passes(filter, grammars, row));
        let takes_file = |path: &RelPath| filter.takes_file(path.as_str(), grammars.detect(path, ""));
        self.tests.retain(|test| takes_file(&test.path));
        self.entries.retain(|entry| takes_file(&entry.path));
        sort_and_merge(&mut self.rows, request.question);
        let total = if self.paths.is_empty() { self.rows.len() } else { self.paths.len() };
        self.rows.truncate(request.max_results);
        self.tests.truncate(request.max_results);
        self.entries.truncate(request.max_results);
        total
    }
}

impl<'a, 'e> GraphAnswer<'a, 'e> {
    pub fn new(
        engine: &'a Engine,
        snapshot: &'a SearchSnapshot,
        graph: Graph<'a>,
        sources: &'a GraphSources<'e>,
    ) -> GraphAnswer<'a, 'e> {
        GraphAnswer {
            engine,
            snapshot,
            graph,
            sources,
            removed: RemovedRows::default(),
            removed_uses: FxHashSet::default(),
            warnings: Vec::new(),
            cut: None,
        }
    }

    /// The answer, unless the call was cancelled or the question met damage of the index.
    pub fn checked<T>(&self, answer: T) -> Result<T, Error> {
        self.graph.check()?;
        Ok(answer)
    }
}

impl GraphAnswer<'_, '_> {
    fn answer(&mut self, request: &GraphRequest, depth: u32) -> Result<Answered, Error> {
        if let Some(changes) = &request.changes {
            return self.impact_of_changes(changes, request, depth);
        }
        let target = self.target(&request.target, request.question)?;
        let definitions = match (target, request.question) {
            (target, GraphQuestion::Imports | GraphQuestion::Importers) => {
                return self.imports(target, request.question);
            }
            (Target::File(file), GraphQuestion::Impact) => return self.impact_of_file(file, request, depth),
            (Target::Place(placed), GraphQuestion::Definitions | GraphQuestion::References)
                if request.question == GraphQuestion::Definitions
                    || placed.meaning == PlaceMeaning::Local =>
            {
                return self.answer_at_place(placed, request.question);
            }
            (target, _) => target.symbols(&request.target)?,
        };
        if request.question == GraphQuestion::Definitions {
            return Ok(Answered { definitions, ..Answered::default() });
        }
        if definitions.len() > MAX_DEFINITIONS {
            let counted = definitions.clone();
            return Ok(Answered { definitions, counted, is_too_common: true, ..Answered::default() });
        }
        match (request.question, &request.to) {
            (GraphQuestion::Impact, _) => return self.impact_of_symbols(definitions, request, depth),
            (GraphQuestion::Trace, Some(to)) => return self.paths(definitions, to, request),
            _ => {}
        }
        let question = match request.relation {
            Some(Relation::Implements) => GraphQuestion::Implementations,
            Some(Relation::Calls) => GraphQuestion::Callers,
            _ => request.question,
        };
        let depth = if question == request.question {
            depth
        } else {
            request.depth.unwrap_or(question.default_depth())
        };
        let mut rows = self.symbol_rows(question, &definitions, depth)?;
        // A function that is used as a value is called elsewhere.
        let is_callers = question == GraphQuestion::Callers;
        rows.retain(|row| {
            let is_asked = |relation| row.relation == relation || (is_callers && row.is_value);
            request.relation.is_none_or(is_asked)
        });
        let counts = matches!(
            request.question,
            GraphQuestion::References | GraphQuestion::Callers | GraphQuestion::Trace | GraphQuestion::Tests
        );
        let counted = if counts { definitions.clone() } else { Vec::new() };
        Ok(Answered { definitions, rows, counted, ..Answered::default() })
    }

    /// The definition or the uses of a local variable, and that a name is unknown or outside of the tree.
    fn answer_at_place(&self, placed: PlacedName, question: GraphQuestion) -> Result<Answered, Error> {
        let is_local = placed.meaning == PlaceMeaning::Local;
        let definitions = if is_local { placed.definitions.clone() } else { Vec::new() };
        let mut rows = Vec::new();
        if question == GraphQuestion::References
            && let Some(local) = definitions.first()
        {
            rows = self.rows(self.graph.uses_of_local(local).map_err(Error::from)?, false)?;
        }
        Ok(Answered { place: Some(placed), definitions, rows, ..Answered::default() })
    }

    fn named_place(&self, placed: &PlacedName) -> Result<GraphPlace, Error> {
        let is_unknown = placed.meaning == PlaceMeaning::Unknown;
        let candidates = placed.definitions.iter().filter(|_| is_unknown).map(|own| self.symbol_row(own));
        let candidates = candidates.collect::<Result<_, _>>()?;
        Ok(GraphPlace { name: placed.name.clone(), meaning: placed.meaning, candidates })
    }

    /// The meaning of a target. An error tells how much of the tree is indexed, if that is not all.
    fn target(&self, typed: &str, question: GraphQuestion) -> Result<Target, Error> {
        let read = (&*self.sources.sources, self.engine.root());
        let target = graph_target::resolve(&self.graph, self.snapshot, typed, question, read);
        target.map_err(|error| match (error.kind(), self.partial()) {
            (ErrorKind::BadRequest, Some(partial)) => Error::bad(format!("{error}; {partial}")),
            _ => error,
        })
    }

    /// The answer to a question about the imports of a file.
    fn imports(&self, target: Target, question: GraphQuestion) -> Result<Answered, Error> {
        let file = match target {
            Target::File(file) => file,
            Target::Symbols(symbols) => symbols[0].file,
            Target::Place(placed) => placed.file,
        };
        let is_outgoing = question == GraphQuestion::Imports;
        let edges = match is_outgoing {
            true => self.graph.imports_of(file),
            false => self.graph.importers_of(file, |_| true).map_err(Error::from)?.into(),
        };
        let mut rows = Vec::new();
        for edge in edges.iter() {
            rows.extend(self.import_rows(edge, file, is_outgoing)?);
        }
        let language = self.engine.grammars().name(self.snapshot.version(file).language());
        let unread_imports = Some(language).filter(|language| !has_imports(language));
        Ok(Answered { rows, unread_imports, ..Answered::default() })
    }

    /// The shortest paths of calls between symbols.
    fn paths(&mut self, from: Vec<Definition>, to: &str, request: &GraphRequest) -> Result<Answered, Error> {
        let ends = self.target(to, GraphQuestion::Trace)?.symbols(to)?;
        if ends.len() > MAX_DEFINITIONS {
            return Ok(Answered { definitions: ends, is_too_common: true, ..Answered::default() });
        }
        let depth = request.depth.unwrap_or(MAX_DEPTH);
        let (least, most) = (request.min_confidence, request.max_results);
        let paths = self.graph.paths_between(&from, &ends, depth, least, most).map_err(Error::from)?;
        let paths: Result<_, _> = paths.into_iter().map(|path| self.rows(path, true)).collect();
        let definitions = from.into_iter().chain(ends).collect();
        Ok(Answered { definitions, paths: paths?, ..Answered::default() })
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
        let callers = |depth| self.graph.callers(definitions, depth, most, false).map_err(Error::from);
        match question {
            GraphQuestion::Definitions | GraphQuestion::Imports | GraphQuestion::Importers => Ok(Vec::new()),
            GraphQuestion::References => {
                incoming(self.graph.uses_of(definitions, 1, |_| true).map_err(Error::from)?)
            }
            GraphQuestion::Callers | GraphQuestion::Impact => incoming(callers(depth)?),
            GraphQuestion::Callees => callees(),
            GraphQuestion::Implementations => {
                let edges: Result<Vec<Vec<GraphEdge>>, SearchError> =
                    definitions.iter().map(|own| self.graph.implementations(own, depth)).collect();
                incoming(edges.map_err(Error::from)?.concat())
            }
            GraphQuestion::Tests => {
                let wanted = self.graph.with_static_members(definitions).map_err(Error::from)?;
                let mut edges = self.graph.callers(&wanted, depth, most, true).map_err(Error::from)?;
                edges.retain(|edge| self.graph.is_test(edge.file, edge.from.as_ref()));
                // Names tell less than calls, so only files without a call count by name.
                let known = edges.iter().map(|edge| edge.file).collect();
                edges.extend(self.graph.tests_by_name(definitions, &known).map_err(Error::from)?);
                for edge in &mut edges {
                    edge.from = self.graph.test_around(edge.file, edge.span, edge.from.as_ref());
                }
                // A test is one row: by its nearest call.
                edges.sort_by(|a, b| {
                    a.depth.cmp(&b.depth).then_with(|| b.confidence.total_cmp(&a.confidence))
                });
                let mut seen = FxHashSet::default();
                edges.retain(|edge| {
                    edge.from.as_ref().is_none_or(|from| seen.insert((from.file, from.place)))
                });
                let mut rows = incoming(edges)?;
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

    pub(super) fn rows(&self, edges: Vec<GraphEdge>, is_outgoing: bool) -> Result<Vec<GraphRow>, Error> {
        edges.into_iter().map(|edge| self.row(edge, is_outgoing)).collect()
    }

    fn row(&self, edge: GraphEdge, is_outgoing: bool) -> Result<GraphRow, Error> {
        let (line, column) = self.place_of(edge.file, edge.span);
        // There may be many uses of which few are shown.
        let text = if is_outgoing { self.text_of(edge.file, line) } else { String::new() };
        Ok(GraphRow {
            source: None,
            relation: edge.relation,
            is_outgoing,
            depth: edge.depth,
            path: RelPath::new(self.snapshot.path(edge.file))?,
            line,
            column,
            text,
            is_test: edge.relation == Relation::Tests || self.graph.is_test(edge.file, edge.from.as_ref()),
            from: edge.from.as_ref().map(|from| self.symbol_row(from)).transpose()?,
            to: match self.removed.get(&(edge.to.file, edge.to.place)) {
                Some(removed) => GraphEnd::Removed(removed.clone()),
                None => GraphEnd::Symbol(self.symbol_row(&edge.to)?),
            },
            confidence: edge.confidence,
            rule: edge.rule,
            is_value: edge.is_value,
            is_possible: false,
        })
    }

    /// The rows of an import: one for each file of the tree that the import means, or one for a module outside. For a
    /// question about importers, only the row of `file`.
    fn import_rows(&self, edge: &ImportEdge, file: u32, is_outgoing: bool) -> Result<Vec<GraphRow>, Error> {
        let (line, column) = self.place_of(edge.file, Span::new(edge.start as usize, edge.start as usize));
        let text = self.text_of(edge.file, line);
        let row = |to: GraphEnd| -> Result<GraphRow, Error> {
            Ok(GraphRow {
                source: None,
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
                is_value: false,
                is_possible: false,
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

    pub(super) fn symbol_row(&self, own: &Definition) -> Result<SymbolRow, Error> {
        let version = self.snapshot.version(own.file);
        Ok(SymbolRow {
            source: None,
            path: RelPath::new(version.path())?,
            lines: own.lines,
            kind: own.kind,
            name: own.name.to_string(),
            container: own.container.as_deref().map(str::to_string),
            language: self.engine.grammars().name(version.language()),
            by_rule: version.is_by_rule(own.place),
            highlights: Vec::new(),
        })
    }
}
