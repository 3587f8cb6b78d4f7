//! The first of two passes over a large tree that has never been indexed: it indexes the text, so that all of the tree
//! can be searched before its structure is indexed.
//!
//! The first pass makes versions like any others, with [`Note::TextOnly`]. Only the staged view names them, until the
//! second pass has made the versions with structure. The second pass indexes all files again, with or without a grammar,
//! so that every segment of the first pass becomes garbage and is deleted as a whole.
//!
//! An update that resumes an earlier one keeps those versions in the staged view, so the text of all files stays
//! searchable, and lets the first pass read only the files that the staged view lacks.

use super::plan::ReadTask;
use super::work::{self, FileOutcome, NewVersion};
use crate::meta::ViewEntry;
use spyhop_base::model::Note;

/// The versions of the first pass that the second pass will replace.
#[derive(Default)]
pub(crate) struct TextPass {
    /// For each task, the version that is indexed by its text; `None` if there is no such version, or no longer.
    entries: Vec<Option<ViewEntry>>,
    /// The tasks of the first pass, by their positions in the plan.
    missing: Vec<usize>,
}

impl TextPass {
    /// The pass over `tasks`, of which an earlier update has indexed the text of those that `known` returns.
    pub fn new(tasks: &[ReadTask], known: impl Fn(&ReadTask) -> Option<ViewEntry>) -> TextPass {
        TextPass { entries: tasks.iter().map(known).collect(), missing: Vec::new() }
    }

    /// Begins the first pass and returns its tasks, which are a part of `tasks`.
    pub fn begin(&mut self, tasks: &[ReadTask]) -> Vec<ReadTask> {
        self.missing = (0..tasks.len()).filter(|&place| self.entries[place].is_none()).collect();
        self.missing.iter().map(|&place| tasks[place].clone()).collect()
    }

    /// Keeps the outcome of the task at `place` of the first pass if its structure is not indexed yet, and returns the
    /// version to record. Otherwise returns the outcome, which is final.
    #[expect(clippy::result_large_err, reason = "the error hands the outcome back")]
    pub fn take(&mut self, place: usize, outcome: FileOutcome) -> Result<NewVersion, FileOutcome> {
        match outcome.version {
            work::LiveVersion::New(version) if version.notes.contains(&Note::TextOnly) => {
                let entry = ViewEntry { version: version.id, identity: outcome.identity };
                self.entries[self.missing[place]] = Some(entry);
                Ok(version)
            }
            _ => Err(outcome),
        }
    }

    /// Whether there are no versions to replace.
    pub fn is_empty(&self) -> bool {
        self.entries().next().is_none()
    }

    /// Ends the first pass and returns the tasks of the second, which are a part of `tasks`.
    pub fn again(&mut self, tasks: &[ReadTask]) -> Vec<ReadTask> {
        let second = tasks.iter().zip(&self.entries).filter(|(_, entry)| entry.is_some());
        let second = second.map(|(task, _)| task.clone()).collect();
        self.entries.retain(Option::is_some);
        second
    }

    /// Records that the second pass has done the task at `place` of its tasks.
    pub fn replace(&mut self, place: usize) {
        if let Some(entry) = self.entries.get_mut(place) {
            *entry = None;
        }
    }

    /// The entries that are not replaced yet.
    pub fn entries(&self) -> impl Iterator<Item = ViewEntry> + '_ {
        self.entries.iter().flatten().copied()
    }
}
