//! Where a pack starts: lines and files that the task names, and the files, symbols and changes that the caller has.

use super::candidates::{CandidatePlace, PackCandidates};
use super::run::PackRun;
use super::users::StartKind;
use crate::api::GraphQuestion;
use crate::error::Error;
use crate::graph_target::{self, Target};
use spyhop_base::path::{self, RelPath};
use spyhop_base::text::Lines;

/// The score of a place that the task names.
const NAMED: f32 = 0.9;

/// The most files that a name in the task may mean.
const MAX_MEANT: usize = 2;

impl PackRun<'_, '_> {
    /// Adds the start points of the request, and the lines and files that the task names.
    pub(super) fn add_seeds(&mut self, candidates: &mut PackCandidates) -> Result<(), Error> {
        if self.request.stages.weighing {
            self.add_frames(candidates);
            self.add_named_files(candidates);
        }
        for typed in &self.request.seed_files {
            let path = RelPath::new(typed)?;
            let Some(file) = self.snapshot.file_at(path.as_str()) else {
                return Err(Error::bad(format!(
                    "seed_file '{path}' is not in the index; give the path of an indexed file, relative to the root"
                )));
            };
            candidates.of(file).evidence.is_named = true;
            candidates.of(file).edge = Some("given as a start point".to_string());
        }
        for typed in &self.request.seed_symbols {
            match self.resolved(typed)? {
                Target::File(_) => {
                    return Err(Error::bad(format!(
                        "seed_symbol '{typed}' is a file; give it as a seed_file"
                    )));
                }
                named => {
                    let symbols = named.symbols(typed)?;
                    self.add_start_symbols(candidates, &symbols, StartKind::Symbol)?;
                }
            }
        }
        if let Some(changes) = &self.request.changes {
            self.add_change(candidates, changes)?;
        }
        Ok(())
    }

    fn resolved(&self, typed: &str) -> Result<Target, Error> {
        let read = (&*self.graph.sources.sources, self.engine.root());
        graph_target::resolve(&self.graph.graph, self.snapshot, typed, GraphQuestion::References, read)
    }

    /// Adds the lines that a stack trace in the task names.
    fn add_frames(&self, candidates: &mut PackCandidates) {
        for (frame, line) in self.query.frames.iter().filter_map(|frame| Some((frame, frame.line?))) {
            for file in self.meant_by(&frame.path) {
                let own = candidates.of(file);
                own.evidence.is_named = true;
                let lines = Lines { first: line, last: line };
                own.add(CandidatePlace::of_lines(lines, NAMED, &format!("the task names line {line}")));
            }
        }
    }

    /// Marks the files that the task names by a path or by a file name.
    fn add_named_files(&self, candidates: &mut PackCandidates) {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+');
        for word in self.request.task.split(|c: char| !is_part(c)) {
            let word = word.trim_matches(['.', '/']);
            let has_extension = word.rsplit_once('.').is_some_and(|(stem, end)| {
                !stem.is_empty() && (1..=5).contains(&end.len()) && end.starts_with(char::is_alphabetic)
            });
            if has_extension {
                for file in self.meant_by(word) {
                    let own = candidates.of(file);
                    own.evidence.is_named = true;
                    own.edge.get_or_insert_with(|| "the task names the file".to_string());
                }
            }
        }
    }

    /// The files that a path in a text means, if they are few: the paths that end in the most of its parts.
    fn meant_by(&self, written: &str) -> Vec<u32> {
        let shared = |file: &u32| {
            let own = self.snapshot.path(*file).rsplit('/');
            own.zip(written.rsplit('/')).take_while(|(own, other)| own == other).count()
        };
        let named = self.snapshot.files_named(path::split(written).1);
        let most = named.iter().map(shared).max().unwrap_or(0);
        let best: Vec<u32> = named.into_iter().filter(|file| shared(file) == most).collect();
        if best.len() <= MAX_MEANT { best } else { Vec::new() }
    }
}
