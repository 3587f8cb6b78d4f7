//! Planning and running an index update, and the single commit point.
//!
//! The data flow: `walk -> UpdatePlan -> work on threads -> Record -> commit`. Everything before the commit writes files that
//! nothing names yet; the commit names them all at once; a crash at any point leaves the last commit as it was. An
//! update holds the workspace's lock from the moment it knows that there is something to write.

mod checkpoints;
mod compare;
mod error;
mod fields;
mod memory;
mod plan;
mod progress;
mod quarantine;
mod refresh;
mod report;
mod retries;
mod run;
mod text_pass;
mod unranked;
mod updater;
mod work;

pub use error::UpdateError;
pub use memory::{DEFAULT_MEMORY, MIN_MEMORY};
pub use plan::{ReadTask, UpdatePlan};
pub use progress::{OnProgress, Progress, Stage, tell_waiting};
pub use quarantine::Quarantine;
pub use report::RefreshReport;
pub use updater::{FIRST_CHECKPOINT, INDEX_IN_TREE, RACY, Since, TEXT_ALONE, TEXT_FIRST, Updater};

#[cfg(test)]
pub mod crashes;
#[cfg(test)]
pub mod tests;
