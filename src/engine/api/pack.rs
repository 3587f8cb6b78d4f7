//! The request and the reply of a context pack: the code that a task needs, within a budget of tokens.

use super::snapshot::Snapshot;
use crate::filter::FilterSpec;
use crate::model::SymbolKind;
use crate::path::RelPath;
use crate::text::Lines;

/// A request for a context pack: a task, and the budget of tokens for the code that the task needs.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let tree = tempfile::tempdir()?;
/// # std::fs::write(tree.path().join("up.py"), "def retry_limit():\n    return 3\n\ndef other():\n    pass\n")?;
/// # let options = spyhop::Options { index_dir: Some(tree.path().join("index")), ..spyhop::Options::default() };
/// # let engine = spyhop::Engine::open(tree.path(), options)?;
/// use spyhop::PackRequest;
///
/// let pack = engine.pack(&PackRequest::new("raise the retry limit of uploads"))?;
/// assert_eq!(pack.files[0].units[0].symbol.as_deref(), Some("retry_limit"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct PackRequest {
    /// The task in words, of 1 to 10,000 characters.
    pub task: String,
    /// The most tokens of the pack, 200 to 200,000. A token is taken to be 4 bytes. Default 8,000.
    pub budget: usize,
    /// The most files, 1 to 50. Default 20.
    pub max_files: usize,
    /// The filter of files and kinds.
    pub filter: FilterSpec,
}

impl PackRequest {
    /// The default pack for `task`.
    pub fn new(task: impl Into<String>) -> PackRequest {
        PackRequest { task: task.into(), budget: 8_000, max_files: 20, filter: FilterSpec::default() }
    }
}

/// A context pack: the code that a task needs, within a budget of tokens.
#[derive(Clone, Debug)]
pub struct PackReply {
    /// The goals of the task.
    pub goals: Vec<PackGoal>,
    /// The files, best first.
    pub files: Vec<PackFile>,
    /// The best places that were found and are not in the pack, up to 30.
    pub left_out: Vec<LeftOutPlace>,
    /// The tokens of the pack, at most [`PackRequest::budget`].
    pub tokens: usize,
    /// The budget of the request, in tokens.
    pub budget: usize,
    /// Where the answer comes from.
    pub snapshot: Snapshot,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

/// A part of a task that was searched by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackGoal {
    /// The text that was searched.
    pub text: String,
    /// The verb that says what to do.
    pub verb: Option<String>,
    /// The object of the verb.
    pub object: String,
    /// The phrases of the goal that say where, when or why, such as `in the parser`.
    pub qualifiers: Vec<String>,
}

/// A file of a pack.
#[derive(Clone, Debug)]
pub struct PackFile {
    /// The file.
    pub path: RelPath,
    /// The name of the file's language.
    pub language: &'static str,
    /// The units, in the order of the file. They do not overlap.
    pub units: Vec<PackUnit>,
}

/// A whole function, type or other part of a file.
#[derive(Clone, Debug)]
pub struct PackUnit {
    /// The lines, with the doc comment.
    pub lines: Lines,
    /// The kind of the unit.
    pub kind: SymbolKind,
    /// The name with its container.
    pub symbol: Option<String>,
    /// The first line of the type around the unit, if the type is not part of the pack as a whole.
    pub enclosing: Option<EnclosingLine>,
    /// The text without line breaks at the ends of lines. Secrets are masked.
    pub text: Vec<String>,
    /// Whether lines are missing at the end, because the unit is larger than the whole budget.
    pub is_cut: bool,
    /// The probability that the task needs the unit, 0 to 1.
    pub score: f32,
    /// The goals that led to the unit, as indexes into [`PackReply::goals`]; empty if only the search for the text of the
    /// whole task found the unit.
    pub goals: Vec<usize>,
    /// Why the unit was chosen.
    pub reason: String,
}

/// The first line of the definition around a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnclosingLine {
    /// The number of the line, from 1.
    pub line: u32,
    /// The text of the line.
    pub text: String,
}

/// A place that was found and is not in the pack.
#[derive(Clone, Debug)]
pub struct LeftOutPlace {
    /// The file.
    pub path: RelPath,
    /// The lines.
    pub lines: Lines,
    /// The name with its container.
    pub symbol: Option<String>,
    /// The probability that the task needs the place, 0 to 1.
    pub score: f32,
    /// Why the place was left out.
    pub reason: LeftOutReason,
}

/// Why a place is not in the pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOutReason {
    /// The budget of tokens is used up.
    Budget,
    /// The pack already has [`PackRequest::max_files`] files.
    Files,
    /// The probability that the task needs the place is too low.
    Threshold,
    /// The file could not be read.
    Unreadable,
}

impl LeftOutReason {
    /// The name in replies.
    pub fn name(self) -> &'static str {
        match self {
            LeftOutReason::Budget => "budget",
            LeftOutReason::Files => "files",
            LeftOutReason::Threshold => "threshold",
            LeftOutReason::Unreadable => "unreadable",
        }
    }
}
