//! One pack: its stages in order.

use std::sync::Arc;

use super::assembled::Assembled;
use super::candidates::PackCandidates;
use super::folders::CommonFolders;
use super::imported::KnownImports;
use super::units::Units;
use crate::answer::AnswerContext;
use crate::api::cursor::page_cursor;
use crate::api::*;
use crate::call::Call;
use crate::core::Engine;
use crate::current::{self, Freshness};
use crate::error::Error;
use crate::fault;
use crate::graph::{GraphAnswer, GraphSources, on_large_stack};
use crate::lookup;
use crate::open_index::Viewed;
use crate::source::ReplySources;
use spyhop_base::parallel;
use spyhop_context::goals::{Goal, PackMode, planned};
use spyhop_context::pack::order;
use spyhop_graph::{Graph, GraphLimits, MAX_STEPS};
use spyhop_search::SearchSnapshot;
use spyhop_search::filter::Filter;
use spyhop_search::query::{Query, QueryError};

/// The most work of the graph for one pack, in files of usual size that are read.
const MAX_WORK: usize = 300;

/// The uses after which no further file is read for callers.
const ENOUGH_USES: usize = 16;

/// The least confidence of an edge.
const MIN_CONFIDENCE: f32 = 0.5;

/// What a pack is asked for.
pub(crate) struct AskedPack<'r> {
    pub request: &'r PackRequest,
    /// The source whose name stands before the paths of files.
    pub source: Option<&'r SourceName>,
    /// Whose earlier work counts, and whose session remembers what was sent.
    pub activity: &'r ActivitySource,
    pub query: &'r Query,
}

/// A pack that is being made.
pub(crate) struct PackRun<'a, 'e> {
    pub engine: &'a Engine,
    pub snapshot: &'a SearchSnapshot,
    pub request: &'a PackRequest,
    /// The source whose name stands before the paths of files.
    pub source: Option<&'a SourceName>,
    pub activity: &'a ActivitySource,
    pub query: &'a Query,
    pub answer: AnswerContext<'a>,
    pub graph: GraphAnswer<'a, 'e>,
    pub units: Units<'a>,
    pub imports: KnownImports,
    pub folders: CommonFolders,
    pub record: PackDiagnostics,
    /// Whether units that the session was sent are left out.
    pub dedupes: bool,
}

/// The task as a query.
pub(super) fn parsed(engine: &Engine, task: &str) -> Result<Query, Error> {
    fault::guarded("parsing the task", || {
        engine.parsers().query(task).map_err(|error| match error {
            QueryError::Empty => Error::bad("the task is empty; say in words what is to be done"),
            error => error.into(),
        })
    })
}

/// Collects the pack of one tree, whose files are shown with the name of their `source`, if there is one.
pub(super) fn pack_of_tree(
    engine: &Engine,
    request: &PackRequest,
    call: &Call<'_>,
    source: Option<&SourceName>,
) -> Result<PackReply, Error> {
    let query = parsed(engine, &request.task)?;
    let filter = Filter::new(&request.filter, engine.grammars())?;
    let span = tracing::info_span!("code.pack", project = %engine.root().display());
    let _entered = span.enter();
    current::with_snapshot(engine, call.progress(), |snapshot, freshness| {
        let asked = AskedPack { request, source, activity: call.session(), query: &query };
        let run = || pack(engine, snapshot, &filter, &asked, &freshness);
        on_large_stack(|| parallel::with_helper_thread(run))
    })
}

/// Makes the pack of a request.
fn pack(
    engine: &Engine,
    snapshot: &SearchSnapshot,
    filter: &Filter,
    &AskedPack { request, source, activity, query }: &AskedPack<'_>,
    freshness: &Freshness,
) -> Result<PackReply, Error> {
    let tree = engine.tree().source_of(Viewed::from_snapshot(snapshot))?;
    let sources = Arc::new(ReplySources::new(tree, snapshot));
    let search = SearchRequest {
        filter: request.filter.clone(),
        mode: Mode::Compact,
        // A further page is ranked with the activity of the first one.
        cursor: request.cursor.clone(),
        ..SearchRequest::new(&*request.task)
    };
    let answer =
        AnswerContext::with_sources(engine, snapshot, filter, (&search, activity), Arc::clone(&sources));
    let quarantine = engine.quarantine();
    let graph_sources = GraphSources::with_sources(engine, snapshot, &quarantine, Arc::clone(&sources));
    let limits = GraphLimits {
        work: MAX_WORK,
        steps: MAX_STEPS / 2,
        until: None,
        enough: ENOUGH_USES,
        min_confidence: MIN_CONFIDENCE,
        takes_file: &|_| true,
    };
    let graph = Graph::new(snapshot, engine.grammars(), &graph_sources, limits);
    let graph = GraphAnswer::new(engine, snapshot, graph, &graph_sources);
    let units = Units::new(engine, snapshot, &sources, query, request.stages.weighing);
    let record = PackDiagnostics::default();
    let imports = KnownImports::default();
    let mut run = PackRun {
        activity,
        engine,
        snapshot,
        request,
        source,
        query,
        answer,
        graph,
        units,
        imports,
        folders: CommonFolders::default(),
        record,
        dedupes: false,
    };
    let mut reply = run.reply(freshness)?;
    if run.graph.graph.is_cut() {
        let text = "the code graph was followed in part only: the names have very many definitions and uses";
        reply.warnings.push(text.to_string());
    }
    run.graph.checked(reply)
}

impl PackRun<'_, '_> {
    fn reply(&mut self, freshness: &Freshness) -> Result<PackReply, Error> {
        let page = lookup::parse_offset(self.request.cursor.as_deref())?;
        let goals = match self.request.stages.goals {
            true => planned(&self.request.task, self.request.helpers.planner.as_deref()),
            false => vec![Goal::whole(&self.request.task)],
        };
        let mut candidates = PackCandidates::default();
        self.probe(&goals, &mut candidates)?;
        self.add_seeds(&mut candidates)?;
        self.choose_mode(&goals, &candidates)?;
        if self.request.stages.graph && self.record.pack_mode != PackMode::NavigationPrune {
            self.add_neighbors(&mut candidates)?;
        }
        self.mark_asides(&mut candidates);
        self.record.candidates = candidates.by_file.len();
        let mut candidates: Vec<_> = candidates.by_file.into_values().collect();
        let evidence = candidates.iter().map(|own| own.evidence.clone());
        let ranked = order(evidence, |at| self.snapshot.path(candidates[at].file));
        self.place_edge_led(&mut candidates, &ranked)?;
        if self.request.stages.weighing {
            self.add_items(&mut candidates, &ranked)?;
        }
        let mut pack = self.assembled(&candidates, &ranked, &goals, page)?;
        let region = |goal: usize| {
            let of_goal = |region: &PackRegion| region.goals.contains(&goal);
            self.record.regions.iter().position(of_goal).unwrap_or(0)
        };
        let goals = goals.into_iter().enumerate().map(|(at, goal)| pack_goal(goal, region(at))).collect();
        let generation = self.snapshot.meta().commit().generation;
        let viewed = Some(Viewed::from_snapshot(self.snapshot));
        let (notes, unread) = self.related_notes(&mut pack, page);
        let Assembled { files, left_out, left_out_counts, tokens, is_complete } = pack;
        let warnings = freshness.warnings.iter().cloned().chain(self.graph.warnings.drain(..)).chain(unread);
        Ok(PackReply {
            goals,
            notes,
            files,
            left_out,
            left_out_counts,
            tokens,
            budget: self.request.budget,
            mode: self.request.mode,
            record: std::mem::take(&mut self.record),
            next: (!is_complete).then(|| page_cursor(generation, page + 1)),
            snapshot: lookup::snapshot(self.engine.tree(), viewed, freshness),
            sources: Vec::new(),
            warnings: warnings.collect(),
        })
    }
}

fn pack_goal(goal: Goal, region: usize) -> PackGoal {
    PackGoal { text: goal.text, verb: goal.verb, object: goal.object, qualifiers: goal.qualifiers, region }
}
