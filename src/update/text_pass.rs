//! The first of two passes over a large tree that has never been indexed: its text, so that all of it can be searched
//! while its structure is still to come.
//!
//! What is so indexed are versions like any others, with [`Note::TextOnly`]. They are named by the staged view alone,
//! until the second pass has made those with structure; an update that takes over from one that was killed does not take
//! them for known. All files are made again, with or without a grammar, so that the
//! first pass's segments hold nothing that stays and go as they are.

use super::plan::ReadTask;
use super::work::{self, NewVersion, Outcome};
use crate::meta::ViewEntry;
use crate::model::Note;

/// What the first pass has made that the second will replace.
#[derive(Default)]
pub struct TextPass {
    /// The files, by their places in the plan.
    files: Vec<(usize, ViewEntry)>,
    /// Which of them the second pass has done.
    done: Vec<bool>,
}

impl TextPass {
    /// Keeps what became of the file at `place`, if its structure is still to come; what is to be recorded of it, or
    /// the outcome that stands.
    pub fn take(&mut self, place: usize, outcome: Outcome) -> Result<NewVersion, Outcome> {
        match outcome.version {
            work::Version::New(version) if version.notes.contains(&Note::TextOnly) => {
                self.files.push((place, ViewEntry { version: version.id, stat: outcome.stat }));
                self.done.push(false);
                Ok(version)
            }
            _ => Err(outcome),
        }
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Ends the first pass: the tasks of the second, of those that `tasks` were.
    pub fn again(&mut self, tasks: &[ReadTask]) -> Vec<ReadTask> {
        self.files.sort_unstable_by_key(|(place, _)| *place);
        self.files.iter().map(|(place, _)| tasks[*place].clone()).collect()
    }

    /// Takes note that the second pass has done the task at `place` of those that [`TextPass::again`] gave.
    pub fn replace(&mut self, place: usize) {
        if let Some(done) = self.done.get_mut(place) {
            *done = true;
        }
    }

    /// What of it is not replaced yet.
    pub fn entries(&self) -> impl Iterator<Item = ViewEntry> + '_ {
        self.files.iter().zip(&self.done).filter(|(_, done)| !**done).map(|((_, entry), _)| *entry)
    }
}
