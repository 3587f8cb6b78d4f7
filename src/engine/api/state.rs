//! The plain data about the state of an index: status, events of a watch, results of a check, and skipped files.

use std::path::PathBuf;
use std::time::Duration;

use super::form::form_of;
use crate::api::remedy::{IndexRecipe, Remedy};
use crate::api::snapshot::Building;
use crate::api::views::ViewRow;
use crate::error::Error;
use spyhop_attributes::{Name, form, open, reply, request};
use spyhop_base::id::Generation;
use spyhop_base::model::{Note, SkipReason, Skipped};
use spyhop_base::path::RelPath;
use spyhop_base::wire::wire;
use spyhop_base::wire_form;
use spyhop_files::walk::{Cause, Exception, RuleForm};
use spyhop_index::update::RefreshReport;

/// The state of an index.
#[reply(Clone, Copy, Debug, PartialEq, Eq, Name)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// There is no index.
    Missing,
    /// The index is being built or refreshed.
    Indexing,
    /// The index answers, and no file has changed since the last update.
    Ready,
    /// The index answers, but files have changed since the last update.
    Stale,
    /// The index exists, but cannot be read.
    Damaged,
}

/// The number of indexed files whose structure is known in each way. Each indexed file counts once.
#[reply(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StructureCounts {
    /// The number of files that a parser read.
    pub parsed: usize,
    /// The number of files that were read by patterns of lines.
    pub by_rule: usize,
    /// The number of files of which only the text is known: their type is unknown, or they were not parsed.
    pub text_only: usize,
    /// The number of files of which only the path and the words are known.
    pub path_only: usize,
}

impl StructureCounts {
    /// The counts that are not zero, each with its name for people.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let StructureCounts { parsed, by_rule, text_only, path_only } = *self;
        let all = [
            ("by a parser", parsed),
            ("by line rules", by_rule),
            ("text only", text_only),
            ("path only", path_only),
        ];
        all.into_iter().filter(|(_, files)| *files > 0)
    }
}

/// The state of an index, with counts.
#[reply(Clone, Debug)]
pub struct Status {
    /// The state.
    pub state: State,
    /// Details of the state, such as the damage or the process that is indexing.
    pub detail: Option<String>,
    /// The folder of the index.
    #[serde(serialize_with = "wire")]
    pub index_path: PathBuf,
    /// The location and the options of the index, with which a front end can name the command that builds the index.
    #[serde(skip)]
    pub recipe: IndexRecipe,
    /// The root of the tree.
    #[serde(serialize_with = "wire")]
    pub root: PathBuf,
    /// The git branch.
    pub branch: Option<String>,
    /// The git commit.
    pub commit: Option<String>,
    /// The generation of the index.
    pub generation: Option<Generation>,
    /// The number of indexed files.
    pub files: usize,
    /// The number of chunks of these files.
    pub chunks: usize,
    /// The number of symbols that these files define.
    pub symbols: usize,
    /// The size of these files in bytes.
    pub source_bytes: u64,
    /// The size of the index in bytes.
    pub index_bytes: u64,
    /// The number of files for each language, most first.
    #[serde(serialize_with = "wire")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<spyhop_base::wire::LanguageCount>"))]
    pub languages: Vec<(&'static str, usize)>,
    /// The number of files and folders that are not indexed or only partly indexed, for each reason, most first.
    #[serde(serialize_with = "wire")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<spyhop_base::wire::ReasonCount>"))]
    pub skipped: Vec<(SkipReason, usize)>,
    /// The number of files for each note, most first.
    #[serde(serialize_with = "wire")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<spyhop_base::wire::NoteCount>"))]
    pub notes: Vec<(Note, usize)>,
    /// How the structure of these files is known.
    pub structure: StructureCounts,
    /// The faults of the grammars of the tree, which are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub grammar_faults: Vec<String>,
    /// The number of files that were added, changed or deleted since the last update; `None` without a comparison.
    pub stale_files: Option<usize>,
    /// The progress of the first update, until it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub building: Option<Building>,
    /// The views of the index, the most recently used first.
    pub views: Vec<ViewRow>,
    /// The id of the process that watches the tree, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watcher: Option<u32>,
    /// The model whose vectors order the first files of a search, if the tree has opted in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vectors: Option<String>,
}

/// An event of a watch.
#[reply(Debug)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum WatchEvent {
    /// The index is current, and the watch keeps it current.
    #[serde(rename = "watching")]
    Begun {
        /// The number of watched folders; 0 if the system watches the tree as a whole.
        folders: usize,
    },
    /// File system events are not available. The watch walks the tree periodically. The watch cannot tell callers that
    /// the index is current, so they walk the tree too.
    Polling {
        /// The cause.
        why: String,
        /// The time between two walks.
        #[serde(rename = "every_ms", serialize_with = "wire")]
        #[cfg_attr(feature = "schema", schemars(with = "u64"))]
        every: Duration,
    },
    /// The index was updated.
    Updated {
        /// The duration of the update.
        #[serde(rename = "took_ms", serialize_with = "wire")]
        #[cfg_attr(feature = "schema", schemars(with = "u64"))]
        took: Duration,
        /// The report of the update.
        #[serde(flatten)]
        report: RefreshReport,
    },
    /// An update failed and will be repeated.
    Failed(Error),
}

/// Why a watch ended.
#[open(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchEnd {
    /// The caller stopped the watch.
    Stopped,
    /// The tree now belongs to another repository or to none, so another index answers for it. A newly opened engine
    /// can watch the tree.
    Elsewhere,
}

/// The results of a thorough check of an index.
#[open(Clone, Debug)]
pub struct Checkup {
    /// The checks, in the order in which they ran.
    pub checks: Vec<Check>,
}

impl Checkup {
    /// Whether nothing is damaged.
    pub fn is_clean(&self) -> bool {
        self.checks.iter().all(|check| check.health != Health::Damaged)
    }
}

/// One check.
#[reply(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What was checked.
    pub name: &'static str,
    /// The result.
    #[serde(rename = "state")]
    pub health: Health,
    /// What was found.
    pub detail: String,
    /// What the caller can do about the finding.
    #[serde(skip)]
    pub remedy: Option<Remedy>,
}

/// The result of a check.
#[form(Clone, Copy, Debug, PartialEq, Eq, Name)]
#[serde(rename_all = "kebab-case")]
pub enum Health {
    /// No problem was found.
    Ok,
    /// A problem that does not affect answers.
    Warning,
    /// Answers may be wrong or fail. A refresh rebuilds an index that cannot be opened;
    /// [`Engine::rebuild`](crate::Engine::rebuild) repairs any damage.
    Damaged,
}

/// How an update treats a path, and which rule decides.
#[open(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The path of the request, with replacement characters if a name is not UTF-8.
    pub path: RelPath,
    /// How an update treats the path.
    pub outcome: PathOutcome,
    /// The rules that would have excluded the path or a folder above it, but were overridden, outermost first.
    pub exceptions: Vec<Exception>,
    /// Whether git tracks the file, or any file in the folder.
    pub tracked: bool,
    /// Whether the index has the file now; `None` without an index.
    pub in_index: Option<bool>,
    /// The line of a `.spyhopignore` that would include the path, if a line can.
    pub include_line: Option<String>,
    /// A summary in one sentence.
    pub text: String,
}

/// How an update treats a path.
#[open(Clone, Debug, PartialEq, Eq)]
pub enum PathOutcome {
    /// The path is indexed with its content.
    Indexed,
    /// The file is partly indexed: by its path, without its content.
    PathOnly(Skipped),
    /// The path is a folder that is walked.
    Folder,
    /// The path is excluded. The [`Skipped`] is for the path, or for a folder above it.
    LeftOut(Skipped, Cause),
    /// There is no such file.
    Missing,
}

impl PathOutcome {
    /// The name in replies.
    pub fn name(&self) -> &'static str {
        match self {
            PathOutcome::Indexed => "indexed",
            PathOutcome::PathOnly(_) => "path-only",
            PathOutcome::Folder => "folder",
            PathOutcome::LeftOut(..) => "left-out",
            PathOutcome::Missing => "missing",
        }
    }

    /// The reason, if the path is not indexed or only partly indexed.
    pub fn row(&self) -> Option<&Skipped> {
        match self {
            PathOutcome::PathOnly(row) | PathOutcome::LeftOut(row, _) => Some(row),
            PathOutcome::Indexed | PathOutcome::Folder | PathOutcome::Missing => None,
        }
    }
}

wire_form!(Checkup as CheckupForm);

form_of! {
    /// How a [`Checkup`] is serialized.
    struct CheckupForm<'r>(checkup: &'r Checkup) {
        /// Whether nothing is damaged.
        clean: bool = checkup.is_clean(),
        /// The checks, in the order in which they ran.
        checks: &'r [Check] = &checkup.checks,
    }
}

wire_form!(Explanation as ExplanationForm);

form_of! {
    /// How an [`Explanation`] is serialized.
    struct ExplanationForm<'r>(explanation: &'r Explanation)
    let {
        row = explanation.outcome.row();
        cause = match &explanation.outcome {
            PathOutcome::LeftOut(_, cause) => Some(cause),
            _ => None,
        };
    }
    {
        /// The path of the request.
        path: &'r RelPath = &explanation.path,
        /// How an update treats the path: `indexed`, `path-only`, `folder`, `left-out` or `missing`.
        fate: &'static str = explanation.outcome.name(),
        /// The path to which the reason applies: this path, or a folder above the path.
        at: Option<&'r RelPath> = row.map(|row| &row.path),
        /// Whether the path to which the reason applies is that of a folder.
        is_dir: Option<bool> = row.map(|row| row.is_dir),
        /// The reason, if the path is not indexed or only partly indexed.
        reason: Option<SkipReason> = row.map(|row| row.reason),
        /// The rule, the error or the measure behind the reason.
        detail: Option<&'r str> = row.map(|row| row.detail.as_str()),
        /// The rule that excludes the path.
        rule: Option<RuleForm<'r>> = cause.and_then(RuleForm::new),
        /// The rules that were overridden, outermost first.
        exceptions: &'r [Exception] = &explanation.exceptions,
        /// Whether git tracks the file, or any file in the folder.
        tracked: bool = explanation.tracked,
        /// Whether the index has the file now; `null` without an index.
        in_index: Option<bool> = explanation.in_index,
        /// The line of a `.spyhopignore` that would include the path, if a line can.
        remedy: Option<&'r str> = explanation.include_line.as_deref(),
        /// A summary in one sentence.
        text: &'r str = &explanation.text,
    }
}

/// Asks for a check of every byte of the index. Nothing is changed; a missing index is not an error, and damage is part of the
/// reply.
#[request(Clone, Copy, Debug, Default)]
pub struct CheckupRequest;

/// Asks how an update treats one path: which rule of which file excludes the path or a folder above the path, or that no rule
/// does. The answer comes from the present tree and needs no index.
#[request(Clone, Debug; deny_unknown_fields)]
pub struct ExplainSkipsRequest {
    /// The path, relative to the root; it need not be UTF-8.
    pub path: PathBuf,
}
