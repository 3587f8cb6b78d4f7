//! Context packs: the functions and types that a task needs, within a budget of tokens.
//!
//! ```text
//! task -> goals -> a probe of each -> regions of the tree -> mode
//!      -> candidates: files that searches, imports, folders and start points lead to, with their evidence
//!      -> order by probability -> the number of files -> one unit of each file
//!      -> core files: further units, imports, callers, callees, tests -> backup -> the rest of the budget
//! ```
//!
//! A long unit is shown in parts, which name the lines of the whole unit; so is the unit at which the budget ends. The order of
//! the steps does not depend on the budget, so that a larger budget has every line that a smaller one has. Each file has a
//! reason, and so has each place that is left out. All texts come from one commit of the index, and a file is read once.

mod around;
mod assemble;
mod assembled;
mod candidates;
mod deepen;
mod filling;
mod folders;
mod imported;
mod near;
mod notes;
mod parts;
mod probe;
mod roles;
mod run;
mod seeds;
mod sent;
mod sources;
mod traces;
mod units;
mod users;

#[cfg(feature = "serde")]
pub(crate) use sources::PackOfSource;

use super::api::*;
use super::call::Call;
use super::corpus::Corpus;
use super::lookup::check_rows;
use super::operation::Operation;
use crate::error::Error;
use spyhop_base::limit;

/// The smallest and the largest budget, in tokens.
const BUDGETS: std::ops::RangeInclusive<usize> = 200..=200_000;

/// The code that a task needs. The budget of several trees is divided by what a search finds in each of them. Errors: those of a search; `BadRequest` if a start point means nothing in the tree.
impl Operation for PackRequest {
    const NAME: &'static str = "pack";

    type Reply = PackReply;

    fn paths_in_sources(&mut self) -> Vec<&mut String> {
        self.filter.path.iter_mut().collect()
    }

    fn run(&self, corpus: &Corpus, call: &Call<'_>) -> Result<PackReply, Error> {
        check_rows("max_files", self.max_files, MAX_RESULTS)?;
        if !BUDGETS.contains(&self.budget) {
            let (least, most) = (BUDGETS.start(), BUDGETS.end());
            return Err(Error::bad(format!("budget is {}; choose {least} to {most} tokens", self.budget)));
        }
        limit::names("seed_files", &self.seed_files)?;
        limit::names("seed_symbols", &self.seed_symbols)?;
        self.changes.iter().try_for_each(GraphChanges::check_limits)?;
        run::parsed(corpus.first_engine()?, &self.task)?;
        match corpus.alone() {
            Some(engine) => run::pack_of_tree(engine, self, call, None),
            None => sources::pack_of_sources(corpus, self, call),
        }
    }
}
