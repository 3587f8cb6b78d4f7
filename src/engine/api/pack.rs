//! The request and the reply of a context pack: the code that a task needs, within a budget of tokens.

use serde::{Serialize, Serializer};

use super::form::form_of;
use crate::api::graph::GraphChanges;
use crate::api::memory::NoteRow;
use crate::api::reasons::Reason;
use crate::api::search::Mode;
use crate::api::snapshot::Snapshot;
use crate::api::sources::{SourceName, SourceSnapshot, answering};
use crate::session::Sent;
use spyhop_attributes::{All, Name, form, open, reply, request};
use spyhop_base::id::ContentHash;
use spyhop_base::model::SymbolKind;
use spyhop_base::path::RelPath;
use spyhop_base::text::Lines;
use spyhop_base::wire::wire;
use spyhop_base::wire_form;
pub use spyhop_context::goals::{PackHelpers, PackMode};
use spyhop_graph::Relation;
use spyhop_search::filter::FilterSpec;

/// A request for a context pack: a task, and the budget of tokens for the code that the task needs.
#[request(Clone, Debug; default = "crate::api::blank::pack", deny_unknown_fields)]
pub struct PackRequest {
    /// The task in words, of 1 to 10,000 characters.
    pub task: String,
    /// The maximum number of tokens of the pack's text, 200 to 200,000; see [`PackReply::tokens`]. A token is taken to be 4 bytes.
    /// Default 8,000.
    pub budget: usize,
    /// The maximum number of files, 1 to 50. Default 40.
    pub max_files: usize,
    /// The filter of files and kinds.
    pub filter: FilterSpec,
    /// How widely the pack collects code.
    pub pack_mode: PackMode,
    /// How much of the pack the reply shows: places only, the code, or the record of each stage as well.
    pub mode: Mode,
    /// Files that the caller knows to be relevant: the pack begins with these files.
    pub seed_files: Vec<String>,
    /// Symbols that the caller has: the pack begins with them.
    pub seed_symbols: Vec<String>,
    /// A change: the pack begins with the symbols that the change touches.
    pub changes: Option<GraphChanges>,
    /// Whether units that the session of the call was sent are left out.
    pub dedupe: bool,
    /// The cursor of the reply that this request extends, with otherwise equal parameters.
    pub cursor: Option<String>,
    /// The stages that run.
    pub stages: PackStages,
    /// The planner and the semantic clusterer. They have no serialized form; a deserialized request has the defaults.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub helpers: PackHelpers,
}

impl PackRequest {
    /// The default pack for `task`.
    pub fn new(task: impl Into<String>) -> PackRequest {
        PackRequest {
            task: task.into(),
            budget: 8_000,
            max_files: 40,
            filter: FilterSpec::default(),
            pack_mode: PackMode::Auto,
            mode: Mode::Default,
            seed_files: Vec::new(),
            seed_symbols: Vec::new(),
            changes: None,
            dedupe: false,
            cursor: None,
            stages: PackStages::default(),
            helpers: PackHelpers::default(),
        }
    }
}

/// The stages of a pack, each of which can be switched off for measurements. All run by default.
#[request(Clone, Copy, Debug, PartialEq, Eq; default, deny_unknown_fields)]
pub struct PackStages {
    /// The task is divided into goals.
    pub goals: bool,
    /// Goals about one region of the tree are merged.
    pub regions: bool,
    /// Imports, callers and callees are followed.
    pub graph: bool,
    /// A backup is kept.
    pub backup: bool,
    /// Improbable files are left out though they fit.
    pub prune: bool,
    /// Files are weighed by all evidence. Without this stage the places of a search are taken in their order.
    pub weighing: bool,
}

impl Default for PackStages {
    fn default() -> PackStages {
        PackStages { goals: true, regions: true, graph: true, backup: true, prune: true, weighing: true }
    }
}

impl PackStages {
    /// No stage: the places of a search in their order, as whole units.
    pub const NONE: PackStages = PackStages {
        goals: false,
        regions: false,
        graph: false,
        backup: false,
        prune: false,
        weighing: false,
    };
}

/// A context pack: the code that a task needs, within a budget of tokens.
#[open(Clone, Debug)]
pub struct PackReply {
    /// The goals of the task.
    pub goals: Vec<PackGoal>,
    /// The files, best first.
    pub files: Vec<PackFile>,
    /// The notes that help with the task, up to 3 and as many as fit the budget; see [`Engine::related_notes`](crate::Engine::related_notes).
    pub notes: Vec<NoteRow>,
    /// The best places that the pack does not have, up to 30.
    pub left_out: Vec<LeftOutPlace>,
    /// How many places the pack does not have, for each reason.
    pub left_out_counts: Vec<(LeftOutReason, usize)>,
    /// The tokens of the pack's text in the mode `default`, at most [`PackRequest::budget`]: code with its line numbers,
    /// headings, goals, traces, imports, notes, and the lines below the files, but not warnings. The text names places
    /// without room as far as the rest of the budget allows. The mode `debug` adds lines that do not count.
    pub tokens: usize,
    /// The budget of the request, in tokens.
    pub budget: usize,
    /// How much of the pack is shown.
    pub mode: Mode,
    /// What the stages did; of several trees, in the tree with the most evidence.
    pub record: PackDiagnostics,
    /// The cursor with which a further request extends the pack; `None` if nothing is left for the budget.
    pub next: Option<String>,
    /// Where the answer comes from; without branch and commit if several trees answer.
    pub snapshot: Snapshot,
    /// The trees whose code the task needs, if several trees were asked.
    pub sources: Vec<SourceSnapshot>,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

impl PackReply {
    /// Completes the sources of the reply and of its rows.
    pub(crate) fn settle_sources(&mut self) {
        SourceSnapshot::settle(&mut self.sources, self.files.iter_mut().map(|file| &mut file.source));
        SourceSnapshot::name(&self.sources, self.left_out.iter_mut().map(|place| &mut place.source));
    }
}

/// A part of a task that was searched by itself.
#[reply(Clone, Debug, PartialEq, Eq)]
pub struct PackGoal {
    /// The text that was searched.
    pub text: String,
    /// The verb that says what to do.
    pub verb: Option<String>,
    /// The object of the verb.
    pub object: String,
    /// The phrases of the goal that say where, when or why, such as `in the parser`.
    pub qualifiers: Vec<String>,
    /// The region of the tree that the goal is about, as an index into [`PackDiagnostics::regions`].
    pub region: usize,
}

/// A file of a pack.
#[reply(Clone, Debug)]
pub struct PackFile {
    /// The source of the file; `None` if one tree answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceName>,
    /// The file.
    pub path: RelPath,
    /// The name of the file's language.
    pub language: &'static str,
    /// The hash of the content, if the file has indexed text.
    #[serde(skip)]
    pub content: Option<ContentHash>,
    /// The probability that the task needs the file, 0 to 1.
    #[serde(serialize_with = "wire")]
    pub score: f32,
    /// Why the file was chosen.
    pub reason: String,
    /// Whether the file is the backup: a place outside of the primary region.
    #[serde(rename = "backup")]
    pub is_backup: bool,
    /// The import statements that the units need, if the file is nearly as probable as the first file; none in the mode
    /// `compact`.
    pub imports: Vec<PackLine>,
    /// The units, in the order of the file. They do not overlap.
    pub units: Vec<PackUnit>,
}

/// A function, type or other item of a file, or a part of a long one.
#[reply(Clone, Debug)]
pub struct PackUnit {
    /// The lines, with the doc comment.
    #[serde(flatten)]
    pub lines: Lines,
    /// The kind of the unit.
    pub kind: SymbolKind,
    /// The name with its container.
    pub symbol: Option<String>,
    /// The first line of the type around the unit, if the type is not part of the pack as a whole.
    #[serde(flatten, serialize_with = "enclosing")]
    #[cfg_attr(feature = "schema", schemars(with = "EnclosingLine"))]
    pub enclosing: Option<PackLine>,
    /// The text without line breaks at the ends of lines; empty in the mode `compact`. Secrets are masked.
    #[serde(serialize_with = "joined")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub text: Vec<String>,
    /// The lines of the whole item, if the unit is a part of the item: the item is long, or the budget ends in the item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part_of: Option<Lines>,
    /// The score of the unit by the search that found the unit, 0 to 1; the score of the file, if an edge led to the unit.
    #[serde(serialize_with = "wire")]
    pub score: f32,
    /// The goals that led to the unit, as indexes into [`PackReply::goals`]; empty if only the search for the text of the
    /// whole task found the unit.
    pub goals: Vec<usize>,
    /// Why the unit was chosen.
    pub reason: String,
    /// The contributions to the score, in the mode `debug`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// The edges of one step around the unit, and the tests that cover the unit.
    pub traces: Vec<PackTrace>,
}

/// A line of a file.
#[reply(Clone, Debug, PartialEq, Eq)]
pub struct PackLine {
    /// The number of the line, from 1.
    pub line: u32,
    /// The text of the line.
    pub text: String,
}

/// An edge of one step from or to a unit.
#[reply(Clone, Debug, PartialEq)]
pub struct PackTrace {
    /// How the ends are related; [`Relation::Tests`] for a test that covers the unit.
    pub relation: Relation,
    /// Whether the edge leads away from the unit, as to a callee.
    #[serde(rename = "outgoing")]
    pub is_outgoing: bool,
    /// The symbol at the other end; `None` at the top level of a file.
    pub symbol: Option<String>,
    /// The file of the other end.
    pub path: RelPath,
    /// The line of the other end.
    pub line: u32,
    /// The estimated probability that the edge is right, 0 to 1.
    #[serde(serialize_with = "wire")]
    pub confidence: f32,
}

impl PackTrace {
    /// How the other end is related to the unit, in words.
    pub fn words(&self) -> &'static str {
        match (self.relation, self.is_outgoing) {
            (Relation::Tests, _) => "tested by",
            (_, true) => "calls",
            (Relation::Calls, false) => "called by",
            (_, false) => "used by",
        }
    }
}

/// A place that a pack does not have.
#[reply(Clone, Debug)]
pub struct LeftOutPlace {
    /// The source of the file; `None` if one tree answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceName>,
    /// The file.
    pub path: RelPath,
    /// The lines.
    #[serde(flatten)]
    pub lines: Lines,
    /// The name with its container.
    pub symbol: Option<String>,
    /// The probability that the task needs the file of the place, 0 to 1.
    #[serde(serialize_with = "wire")]
    pub score: f32,
    /// Why the place was left out.
    pub reason: LeftOutReason,
    /// For [`LeftOutReason::Sent`]: the earlier reply that had the place.
    #[serde(rename = "sent_in_call", skip_serializing_if = "Option::is_none", serialize_with = "call")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<usize>"))]
    pub sent_before: Option<Sent>,
}

/// Why a place is not in the pack.
#[reply(Clone, Copy, Debug, PartialEq, Eq, Name, All)]
#[serde(rename_all = "kebab-case")]
pub enum LeftOutReason {
    /// The budget of tokens is used up.
    Budget,
    /// The pack already has [`PackRequest::max_files`] files.
    Files,
    /// The probability that the task needs the place is too low.
    Threshold,
    /// A unit of the pack contains the place.
    Duplicate,
    /// The place belongs to another region than the primary one.
    #[serde(rename = "other branch")]
    OtherRegion,
    /// The session was sent the place before.
    #[serde(rename = "sent before")]
    Sent,
    /// The file could not be read, or has changed since it was indexed.
    Unreadable,
}

/// What the stages of a pack did.
#[reply(Clone, Debug, Default, PartialEq)]
pub struct PackDiagnostics {
    /// The mode, never [`PackMode::Auto`].
    #[serde(skip)]
    pub pack_mode: PackMode,
    /// Why the mode was chosen.
    #[serde(skip)]
    pub mode_reason: String,
    /// The number of places that each search found: of the whole task, then of each goal.
    #[serde(rename = "probes")]
    pub places_per_search: Vec<usize>,
    /// The regions of the goals, the primary one first.
    pub regions: Vec<PackRegion>,
    /// The pairs of goals that were compared.
    pub pairs: Vec<PackPair>,
    /// The file of the backup, and what the backup kept.
    pub backup: Option<PackBackup>,
    /// The number of files that were weighed.
    pub candidates: usize,
    /// The number of edges that were followed.
    pub edges: usize,
}

/// A region of the tree, and the goals about it.
#[reply(Clone, Debug, PartialEq)]
pub struct PackRegion {
    /// The goals, as indexes into [`PackReply::goals`].
    pub goals: Vec<usize>,
    /// The sum of the scores of its first files.
    #[serde(serialize_with = "wire")]
    pub mass: f32,
    /// The first files.
    pub files: Vec<RelPath>,
}

/// Two goals that were compared.
#[reply(Clone, Debug, PartialEq)]
pub struct PackPair {
    /// The first goal.
    pub first: usize,
    /// The second goal.
    pub second: usize,
    /// How near the first files of both are, 0 to 1.
    #[serde(serialize_with = "wire")]
    pub nearness: f32,
    /// The strongest evidence: `files`, `symbols`, `edges` or `folders`.
    pub reason: &'static str,
    /// Whether both goals are of one region.
    #[serde(rename = "merged")]
    pub is_merged: bool,
}

/// The backup: one file outside of the primary region.
#[reply(Clone, Debug, PartialEq, Eq)]
pub struct PackBackup {
    /// The file.
    pub path: RelPath,
    /// Whether the file fitted the budget.
    #[serde(rename = "kept")]
    pub is_kept: bool,
    /// One caller or callee of its unit.
    pub trace: Option<String>,
    /// One file that the file imports.
    pub neighbor: Option<RelPath>,
}

wire_form!(PackReply as PackForm);

form_of! {
    /// How a [`PackReply`] is serialized.
    struct PackForm<'r>(reply: &'r PackReply) {
        /// The goals of the task.
        goals: &'r [PackGoal] = &reply.goals,
        /// The mode of the collection.
        pack_mode: PackMode = reply.record.pack_mode,
        /// Why the mode was chosen.
        pack_mode_reason: &'r str = &reply.record.mode_reason,
        /// The files, best first.
        results: &'r [PackFile] = &reply.files,
        /// The notes that help with the task.
        notes: &'r [NoteRow] = &reply.notes,
        /// The best places that the pack does not have.
        left_out: &'r [LeftOutPlace] = &reply.left_out,
        /// The tokens of the pack's text in the mode `default`.
        tokens: usize = reply.tokens,
        /// The budget of the request, in tokens.
        budget: usize = reply.budget,
        /// The record of the stages, in the mode `debug`.
        #[serde(skip_serializing_if = "Option::is_none")]
        record: Option<&'r PackDiagnostics> = (reply.mode == Mode::Debug).then_some(&reply.record),
        /// The cursor with which a further request extends the pack.
        next: Option<&'r str> = reply.next.as_deref(),
        /// Where the answer comes from.
        snapshot: &'r Snapshot = &reply.snapshot,
        /// The sources of the files, if several trees were asked.
        #[serde(flatten, serialize_with = "answering")]
        #[cfg_attr(feature = "schema", schemars(with = "crate::api::sources::Answering"))]
        sources: &'r [SourceSnapshot] = &reply.sources,
        /// Warnings for the caller.
        warnings: &'r [String] = &reply.warnings,
    }
}

/// The first line of the type around a unit.
#[form]
struct EnclosingLine<'r> {
    /// The number of the line, from 1.
    enclosing_line: Option<u32>,
    /// The text of the line.
    enclosing: Option<&'r str>,
}

fn enclosing<S: Serializer>(line: &Option<PackLine>, serializer: S) -> Result<S::Ok, S::Error> {
    let (number, text) = (line.as_ref().map(|own| own.line), line.as_ref().map(|own| own.text.as_str()));
    EnclosingLine { enclosing_line: number, enclosing: text }.serialize(serializer)
}

/// Serializes lines as one text; `null` if there is none.
fn joined<S: Serializer>(lines: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    (!lines.is_empty()).then(|| lines.join("\n")).serialize(serializer)
}

fn call<S: Serializer>(sent: &Option<Sent>, serializer: S) -> Result<S::Ok, S::Error> {
    sent.as_ref().map(|sent| sent.call).serialize(serializer)
}
