//! Who calls the definition of the first hit, for searches that ask for the callers.

use std::time::{Duration, Instant};

use super::answer::AnswerContext;
use super::api::*;
use super::graph::on_large_stack;
use super::joined::is_defined_by;
use crate::error::Error;
use spyhop_base::parallel;
use spyhop_graph::{Graph, Relation};
use spyhop_search::profile::Signal;

/// The most callers with a name.
const MAX_NAMES: usize = 3;

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
        let limits = (MAX_STEPS, Some(Instant::now() + PATIENCE));
        let ask = || self.with_graph(limits, &|_| true, |graph| callers(graph, file, hit));
        hit.callers = on_large_stack(|| parallel::with_helper_thread(ask)).ok().flatten();
    }
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
