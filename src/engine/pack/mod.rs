//! Context packs: the functions and types that a task needs, whole, within a budget of tokens.
//!
//! ```text
//! task -> goals -> a probe of each -> regions of the tree -> mode
//!      -> candidates: files that searches, imports, folders and start points lead to, with their evidence
//!      -> order by probability -> the number of files -> one whole unit of each file
//!      -> core files: further units, imports, callers, callees, tests -> backup
//! ```
//!
//! A unit is shown as a whole or not at all; only a unit that is larger than the whole budget is cut, and says so. Each
//! file has a reason, and so has each place that is left out. All texts come from one commit of the index, and a file is
//! read once.

mod around;
mod assemble;
mod assembled;
mod candidates;
mod deepen;
mod filling;
mod imported;
mod near;
mod notes;
mod probe;
mod run;
mod seeds;
mod sent;
mod traces;
mod units;

use super::api::*;
use super::core::Engine;
use super::fault;
use super::graph::on_large_stack;
use super::lookup::check_rows;
use crate::current;
use crate::error::Error;
use spyhop_base::limit;
use spyhop_base::parallel;
use spyhop_index::update::OnProgress;
use spyhop_search::filter::Filter;
use spyhop_search::query::QueryError;

/// The smallest and the largest budget, in tokens.
const BUDGETS: std::ops::RangeInclusive<usize> = 200..=200_000;

impl Engine {
    /// Collects the code that a task needs.
    ///
    /// # Errors
    /// As [`Engine::search`]; `BadRequest` if the budget or the number of files is out of range, or if a start point means
    /// nothing in the tree.
    pub fn pack(&self, request: &PackRequest) -> Result<PackReply, Error> {
        self.pack_with_progress(request, &|_| ())
    }

    /// Like [`Engine::pack`], and reports the progress of an index update before the answer.
    ///
    /// # Errors
    /// As [`Engine::pack`].
    pub fn pack_with_progress(
        &self,
        request: &PackRequest,
        progress: OnProgress<'_>,
    ) -> Result<PackReply, Error> {
        check_rows("max_files", request.max_files, MAX_RESULTS)?;
        if !BUDGETS.contains(&request.budget) {
            let (least, most) = (BUDGETS.start(), BUDGETS.end());
            return Err(Error::bad(format!("budget is {}; choose {least} to {most} tokens", request.budget)));
        }
        limit::names("seed_files", &request.seed_files)?;
        limit::names("seed_symbols", &request.seed_symbols)?;
        request.changes.iter().try_for_each(GraphChanges::check_limits)?;
        let query = fault::guarded("parsing the task", || {
            self.parsers().query(&request.task).map_err(|error| match error {
                QueryError::Empty => Error::bad("the task is empty; say in words what is to be done"),
                error => error.into(),
            })
        })?;
        let filter = Filter::new(&request.filter, self.grammars())?;
        let span = tracing::info_span!("code.pack", project = %self.root().display());
        let _entered = span.enter();
        let reply = current::with_snapshot(self, progress, |snapshot, freshness| {
            let run = || run::pack(self, snapshot, &filter, request, &query, &freshness);
            on_large_stack(|| parallel::with_helper_thread(run))
        })?;
        Ok(self.policy().masked(reply))
    }
}
