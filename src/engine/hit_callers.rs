//! Who calls the definition of the first hit, for searches that ask for the callers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::answer::AnswerContext;
use super::api::*;
use super::graph::{GraphSources, on_large_stack};
use crate::error::Error;
use spyhop_base::parallel;
use spyhop_graph::{Definition, Graph, GraphLimits, Relation};
use spyhop_search::profile::Signal;

/// The most callers with a name.
const MAX_NAMES: usize = 3;

/// The most files that are read.
const MAX_WORK: usize = 150;

/// The number of uses after which no further files are resolved.
const ENOUGH_USES: usize = 8;

/// The least confidence of a use that counts.
const MIN_CONFIDENCE: f32 = 0.7;

/// The most steps for the callers, which only decorate a hit: an optimized build takes fewer than 20 milliseconds for them, if
/// the files are in memory.
const MAX_STEPS: u64 = 3_000_000;

/// After this time the hit is shown without callers. Builds without optimization are some twenty times slower, and what tests
/// see must not depend on the load of the machine.
const PATIENCE: Duration = Duration::from_millis(if cfg!(debug_assertions) { 60_000 } else { 20 });

impl AnswerContext<'_> {
    /// Names the callers of the first hit, if the query names its definition. A code graph that cannot answer leaves the
    /// hit without callers: the search is complete without them.
    pub(super) fn name_callers(&self, hits: &mut [Hit]) {
        let Some(hit) = hits.first_mut() else { return };
        let names_definition =
            hit.reasons.iter().any(|reason| reason.signal == Signal::Definition && reason.contribution > 0.0);
        if !names_definition || hit.stale {
            return;
        }
        let Some(file) = self.snapshot.file_at(hit.path.as_str()) else { return };
        let _span = tracing::debug_span!("search.callers").entered();
        let until = Instant::now() + PATIENCE;
        let ask = || self.callers_of(file, hit, until);
        hit.callers = on_large_stack(|| parallel::with_helper_thread(ask)).ok().flatten();
    }

    fn callers_of(&self, file: u32, hit: &Hit, until: Instant) -> Result<Option<HitCallers>, Error> {
        let quarantine = self.engine.quarantine();
        let sources = Arc::clone(&self.trees.all()[0].sources);
        let sources = GraphSources::with_sources(self.engine, self.snapshot, &quarantine, sources);
        let limits = GraphLimits {
            steps: MAX_STEPS,
            until: Some(until),
            enough: ENOUGH_USES,
            min_confidence: MIN_CONFIDENCE,
            ..GraphLimits::of_work(MAX_WORK)
        };
        let graph = Graph::new(self.snapshot, self.engine.grammars(), &sources, limits);
        let found = callers(&graph, file, hit)?;
        graph.check()?;
        Ok(found)
    }
}

/// Whether a definition is that of a hit.
fn is_defined_by(hit: &Hit, own: &Definition) -> bool {
    Some(&*own.qualified()) == hit.symbol.as_deref()
        && own.lines.first <= hit.lines.last
        && hit.lines.first <= own.lines.last
}

fn callers(graph: &Graph<'_>, file: u32, hit: &Hit) -> Result<Option<HitCallers>, Error> {
    let symbols = graph.symbols(file)?;
    let Some(own) = symbols.iter().find(|own| is_defined_by(hit, own)) else { return Ok(None) };
    let uses = graph.uses_of(std::slice::from_ref(own), 1, |relation| relation == Relation::Calls)?;
    let (mut names, mut has_tests) = (Vec::new(), false);
    for from in uses.iter().filter_map(|edge| edge.from.as_ref()).filter(|from| !from.is(own)) {
        let name = from.qualified().to_string();
        match graph.is_test(from.file, Some(from)) {
            true => has_tests = true,
            false if names.contains(&name) => {}
            false => names.push(name),
        }
    }
    if graph.is_cut() {
        return Ok(None);
    }
    let is_whole = graph.further() + graph.left_out() + graph.crowded() == 0;
    let has_more = names.len() > MAX_NAMES || !is_whole || (names.is_empty() && has_tests);
    names.truncate(MAX_NAMES);
    Ok((!names.is_empty() || has_tests).then_some(HitCallers { names, has_more }))
}
