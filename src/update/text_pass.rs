//! The first of two passes over a large tree that has never been indexed: it indexes the text, so that all of the tree
//! can be searched before its structure is indexed.
//!
//! The first pass makes versions like any others, with [`Note::TextOnly`]. Only the staged view names them, until the
//! second pass has made the versions with structure. An update that resumes a killed one does not reuse them. The
//! second pass indexes all files again, with or without a grammar, so that every segment of the first pass becomes
//! garbage and is deleted as a whole.

use super::plan::ReadTask;
use super::work::{self, FileOutcome, NewVersion};
use crate::meta::ViewEntry;
use crate::model::Note;

/// The versions of the first pass that the second pass will replace.
#[derive(Default)]
pub struct TextPass {
    /// The files, by their positions in the plan.
    files: Vec<(usize, ViewEntry)>,
    /// Which of the files the second pass has done.
    done: Vec<bool>,
}

impl TextPass {
    /// Keeps the outcome of the file at `place` if its structure is not indexed yet, and returns the version to record.
    /// Otherwise returns the outcome, which is final.
    #[expect(clippy::result_large_err, reason = "the error hands the outcome back")]
    pub fn take(&mut self, place: usize, outcome: FileOutcome) -> Result<NewVersion, FileOutcome> {
        match outcome.version {
            work::LiveVersion::New(version) if version.notes.contains(&Note::TextOnly) => {
                self.files.push((place, ViewEntry { version: version.id, identity: outcome.identity }));
                self.done.push(false);
                Ok(version)
            }
            _ => Err(outcome),
        }
    }

    /// Whether there are no files.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Ends the first pass and returns the tasks of the second, which are a part of `tasks`.
    pub fn again(&mut self, tasks: &[ReadTask]) -> Vec<ReadTask> {
        self.files.sort_unstable_by_key(|(place, _)| *place);
        self.files.iter().map(|(place, _)| tasks[*place].clone()).collect()
    }

    /// Records that the second pass has done the task at `place` of those that [`TextPass::again`] returned.
    pub fn replace(&mut self, place: usize) {
        if let Some(done) = self.done.get_mut(place) {
            *done = true;
        }
    }

    /// The entries that are not replaced yet.
    pub fn entries(&self) -> impl Iterator<Item = ViewEntry> + '_ {
        self.files.iter().zip(&self.done).filter(|(_, done)| !**done).map(|((_, entry), _)| *entry)
    }
}
