//! Questions to the code graph, and their replies.

use serde::{Serialize, Serializer};

use super::incomplete::{Incomplete, completeness};
use super::mentions::Mentions;
use crate::api::entries::EntryRow;
use crate::api::memory::NoteRow;
use crate::api::snapshot::Snapshot;
use crate::api::sources::{SourceName, SourceSnapshot, answering};
use crate::api::symbols::{SymbolEnd, SymbolRow, end};
use spyhop_attributes::{All, Name, form, open, reply, request};
use spyhop_base::limit::{self, AboveLimit};
use spyhop_base::model::SymbolKind;
use spyhop_base::path::RelPath;
use spyhop_base::text::Lines;
use spyhop_base::wire_form;
pub use spyhop_graph::{EdgeRule, PlaceMeaning, Relation};
use spyhop_search::filter::FilterSpec;

/// What is asked about a symbol or a file.
#[form(Clone, Copy, Debug, PartialEq, Eq, Name, All)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
pub enum GraphQuestion {
    /// The definitions of a name, or of the name used at a position in a file.
    #[serde(rename = "def")]
    Definitions,
    /// Every use of a symbol: calls, uses as a type, imports.
    #[serde(rename = "refs")]
    References,
    /// The functions that call a function.
    Callers,
    /// The functions that a function calls.
    Callees,
    /// The types that extend or implement a type, and the methods that implement a method.
    #[serde(rename = "impls")]
    Implementations,
    /// The tests that reach a function by calls, or whose names suggest that they test the function.
    #[serde(rename = "tests-of")]
    Tests,
    /// The modules that a file imports.
    Imports,
    /// The files that import a file.
    Importers,
    /// The callers and the callees of a function; with [`GraphRequest::to`], the paths of calls between two symbols.
    Trace,
    /// What depends on a symbol, or on any symbol of a file, through calls.
    Impact,
}

impl GraphQuestion {
    /// The number of steps that are followed if [`GraphRequest::depth`] is `None`.
    pub fn default_depth(self) -> u32 {
        match self {
            GraphQuestion::Tests | GraphQuestion::Impact => 3,
            GraphQuestion::Implementations => 8,
            _ => 1,
        }
    }
}

/// The lowest confidence of a row by default.
pub(crate) const MIN_CONFIDENCE: f32 = 0.3;

/// A question to the code graph.
#[request(Clone, Debug; deny_unknown_fields)]
pub struct GraphRequest {
    /// The question.
    pub question: GraphQuestion,
    /// The symbol or file: `name`, `Container.name`, `Container::name`, `path#name`, `path:line`, `path:line:column`;
    /// for imports, importers and impact also `path`. At most 1,000 characters.
    pub target: String,
    /// The maximum number of steps that are followed, 1 to 8; `None` for [`GraphQuestion::default_depth`].
    pub depth: Option<u32>,
    /// The lowest confidence of a row, 0 to 1. Default 0.3.
    #[cfg_attr(feature = "serde", serde(default = "crate::api::blank::min_confidence"))]
    pub min_confidence: f32,
    /// The maximum number of rows, 1 to 1,000. Default 50.
    #[cfg_attr(feature = "serde", serde(default = "crate::api::blank::max_results"))]
    pub max_results: usize,
    /// The filter of the files in which uses are shown; kinds are those of the using symbols.
    #[cfg_attr(feature = "serde", serde(default))]
    pub filter: FilterSpec,
    /// For [`GraphQuestion::References`]: only edges of this relation. [`Relation::Calls`] includes functions that are used as
    /// values.
    pub relation: Option<Relation>,
    /// For [`GraphQuestion::Trace`]: find the paths of calls from `target` to this symbol.
    pub to: Option<String>,
    /// For [`GraphQuestion::Impact`]: the change to ask about. With a change, `target` must be empty.
    pub changes: Option<GraphChanges>,
    /// Whether [`Mentions::rows`] lists every mention of the name, and not only the possible uses.
    #[cfg_attr(feature = "serde", serde(default))]
    pub all_mentions: bool,
}

/// A change of files.
#[request(Clone, Debug, PartialEq, Eq; rename_all = "kebab-case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum GraphChanges {
    /// The differences between a revision and the searched tree (`A`), between two revisions (`A..B`), or between their
    /// common ancestor and the second revision (`A...B`). An empty text or revision means `HEAD`.
    Between(String),
    /// The text of a unified diff.
    Diff(String),
}

impl GraphChanges {
    /// The change that a user gives: a text of several lines is a diff.
    pub fn of(text: String) -> GraphChanges {
        if text.trim_end().contains('\n') { GraphChanges::Diff(text) } else { GraphChanges::Between(text) }
    }

    /// Checks the length of the text.
    #[doc(hidden)]
    pub fn check_limits(&self) -> Result<(), AboveLimit> {
        match self {
            GraphChanges::Between(text) => limit::bytes("diff", text, limit::MAX_NAME_BYTES),
            GraphChanges::Diff(text) => limit::bytes("diff", text, limit::MAX_DIFF_BYTES),
        }
    }
}

impl GraphRequest {
    /// The default question about `target`.
    pub fn new(question: GraphQuestion, target: impl Into<String>) -> GraphRequest {
        GraphRequest {
            question,
            target: target.into(),
            depth: None,
            min_confidence: MIN_CONFIDENCE,
            max_results: 50,
            filter: FilterSpec::default(),
            relation: None,
            to: None,
            changes: None,
            all_mentions: false,
        }
    }
}

/// The answer of the code graph.
#[reply(Clone, Debug)]
pub struct GraphReply {
    /// The question.
    pub question: GraphQuestion,
    /// The target of the request.
    pub target: String,
    /// The definitions that the target means, best first; for a change, the definitions that the change touches. The
    /// list is empty if the target is a file.
    #[serde(serialize_with = "definitions")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<SymbolEnd>"))]
    pub definitions: Vec<SymbolRow>,
    /// For a target `path:line:column`: the name there, if it means no symbol or an unknown one.
    pub place: Option<GraphPlace>,
    /// For [`GraphQuestion::Trace`] without [`GraphRequest::to`]: the code of the first definitions.
    pub code: Vec<DefinitionCode>,
    /// The edges: fewer steps first, then sorted by confidence, path and line.
    #[serde(rename = "results")]
    pub rows: Vec<GraphRow>,
    /// The number of edges before `max_results` is applied; for [`GraphRequest::to`], the number of paths. A lower bound
    /// if `further_files` is not 0 or the answer is `incomplete`.
    pub total: usize,
    /// The number of files that use the name, but whose uses were not resolved, because nearer files gave enough edges.
    pub further_files: usize,
    /// For [`GraphRequest::to`]: the shortest paths of calls, each from the target to the other symbol.
    pub paths: Vec<Vec<GraphRow>>,
    /// For [`GraphQuestion::Impact`]: the test files to run, the most likely to be affected first.
    pub tests: Vec<AffectedTest>,
    /// For [`GraphQuestion::Impact`]: the routes and commands whose handlers change or depend on what changes, nearest
    /// first.
    pub entries: Vec<EntryRow>,
    /// For uses, callers, traces and the impact of a symbol: what became of each mention of the name. `None` for other
    /// questions.
    pub mentions: Option<Mentions>,
    /// Why edges may be missing; `None` if every file that may have an edge was read, and each mention is accounted for.
    #[serde(flatten, serialize_with = "completeness")]
    #[cfg_attr(feature = "schema", schemars(with = "super::incomplete::Completeness"))]
    pub incomplete: Option<Incomplete>,
    /// The notes that are linked to the definitions, up to 3, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<NoteRow>,
    /// Where the answer comes from.
    pub snapshot: Snapshot,
    /// The sources that answer, if several trees were asked.
    #[serde(flatten, serialize_with = "answering")]
    #[cfg_attr(feature = "schema", schemars(with = "super::sources::Answering"))]
    pub sources: Vec<SourceSnapshot>,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

impl GraphReply {
    /// Completes the sources of the reply and of its rows. What lies in the source of its row loses its source.
    pub(crate) fn settle_sources(&mut self) {
        let GraphReply { definitions, rows, paths, tests, entries, sources, mentions, place, .. } = self;
        if let Some(mentions) = mentions {
            for row in &mut mentions.rows {
                row.from.iter_mut().chain(&mut row.to).for_each(|own| own.source = None);
            }
            SourceSnapshot::name(sources, mentions.rows.iter_mut().map(|row| &mut row.source));
            SourceSnapshot::name(sources, mentions.unread.iter_mut().map(|unread| &mut unread.source));
        }
        for row in rows.iter_mut().chain(paths.iter_mut().flatten()) {
            let source = row.source.clone();
            for end in row.ends_mut() {
                end.source = end.source.take().filter(|own| Some(own) != source.as_ref());
                SourceSnapshot::name(sources, [&mut end.source]);
            }
        }
        entries.iter_mut().flat_map(|entry| &mut entry.definition).for_each(|own| own.source = None);
        place.iter_mut().flat_map(|place| &mut place.candidates).for_each(|own| own.source = None);
        SourceSnapshot::name(sources, tests.iter_mut().map(|test| &mut test.source));
        SourceSnapshot::name(sources, entries.iter_mut().map(|entry| &mut entry.source));
        let edges = rows.iter_mut().chain(paths.iter_mut().flatten()).map(|row| &mut row.source);
        SourceSnapshot::settle(sources, edges.chain(definitions.iter_mut().map(|own| &mut own.source)));
    }

    /// Keeps the first `n` rows, paths and tests.
    pub fn truncate(&mut self, n: usize) {
        self.rows.truncate(n);
        self.paths.truncate(n);
        self.tests.truncate(n);
        self.mentions.iter_mut().for_each(|mentions| mentions.rows.truncate(n));
        self.settle_sources();
    }
}

/// The name at the place that a target names. The definition of a local variable is its declaration; else the reply has none.
#[reply(Clone, Debug, PartialEq)]
pub struct GraphPlace {
    /// The name.
    pub name: String,
    /// How well the meaning of the name is known.
    pub meaning: PlaceMeaning,
    /// The definitions that an unknown name may mean, the most likely ones first.
    #[serde(serialize_with = "definitions")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<SymbolEnd>"))]
    pub candidates: Vec<SymbolRow>,
}

/// The code of a definition.
#[reply(Clone, Debug, PartialEq)]
pub struct DefinitionCode {
    /// The place of the definition in the list of definitions, from 0.
    pub definition: usize,
    /// The lines of the code: the first ones of a long definition.
    #[serde(flatten)]
    pub lines: Lines,
    /// The lines as they are in the file, with secrets masked.
    pub text: String,
}

/// A test file that a change may affect.
#[reply(Clone, Debug, PartialEq)]
pub struct AffectedTest {
    /// The source that has the file; `None` if one tree answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceName>,
    /// The file.
    pub path: RelPath,
    /// The estimated probability that the change affects the file, 0 to 1.
    pub confidence: f32,
    /// The strongest reason, such as `uses Pool.take`.
    pub reason: String,
}

/// An edge of the code graph, with the location in the source that shows the edge.
#[reply(Clone, Debug, PartialEq)]
pub struct GraphRow {
    /// How the ends are related.
    pub relation: Relation,
    /// Whether the edge leaves the target of the request, as an edge to a callee does. The edge of a caller, a user or an
    /// importer arrives at the target.
    #[serde(rename = "direction", serialize_with = "direction")]
    #[cfg_attr(feature = "schema", schemars(with = "Direction"))]
    pub is_outgoing: bool,
    /// The number of steps from the target, from 1.
    pub depth: u32,
    /// The source that has the use; `None` if one tree answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceName>,
    /// The file with the use or the import.
    pub path: RelPath,
    /// The line, from 1.
    pub line: u32,
    /// The column in bytes, from 1.
    pub column: u32,
    /// The line, without its line break and the blanks around it, with secrets masked.
    pub text: String,
    /// The symbol around the use, with a source if it is not that of the row; `None` at the top level of a file.
    #[serde(serialize_with = "end")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<SymbolEnd>"))]
    pub from: Option<SymbolRow>,
    /// The other end, with a source if it is not that of the row.
    pub to: GraphEnd,
    /// The estimated probability that the edge is right, 0 to 1.
    pub confidence: f32,
    /// The rule that made the edge.
    pub rule: EdgeRule,
    /// Whether the use is in a test.
    pub is_test: bool,
    /// Whether the use names a function without calling it: as an argument, a decorator, or before a member such as `.delay`.
    pub is_value: bool,
    /// Whether the row is only possible: a use of one step that no rule proves to mean one of the definitions.
    pub is_possible: bool,
}

impl GraphRow {
    /// The symbols at the ends.
    pub(crate) fn ends_mut(&mut self) -> impl Iterator<Item = &mut SymbolRow> {
        let to = match &mut self.to {
            GraphEnd::Symbol(symbol) | GraphEnd::Removed(symbol) => Some(symbol),
            GraphEnd::File(_) | GraphEnd::Outside(_) => None,
        };
        self.from.iter_mut().chain(to)
    }
}

/// The end of an edge.
#[open(Clone, Debug, PartialEq)]
pub enum GraphEnd {
    /// A definition.
    Symbol(SymbolRow),
    /// A definition that the change removed, with its former lines.
    Removed(SymbolRow),
    /// A file of the tree.
    File(RelPath),
    /// A module outside of the tree.
    Outside(String),
}

wire_form!(GraphEnd as GraphEndForm);

/// How a [`GraphEnd`] is serialized.
#[form]
#[serde(untagged)]
enum GraphEndForm<'r> {
    /// A definition.
    Symbol(SymbolEnd<'r>),
    /// A definition that the change removed.
    Removed {
        /// The file.
        path: &'r RelPath,
        /// The kind of symbol.
        kind: SymbolKind,
        /// The name with its container.
        symbol: String,
        /// Always true.
        is_removed: bool,
    },
    /// A file of the tree.
    File {
        /// The file.
        path: &'r RelPath,
    },
    /// A module outside of the tree.
    Outside {
        /// The name of the module.
        module: &'r str,
    },
}

impl<'r> GraphEndForm<'r> {
    fn new(end: &'r GraphEnd) -> GraphEndForm<'r> {
        match end {
            GraphEnd::Symbol(own) => GraphEndForm::Symbol(SymbolEnd::new(own)),
            GraphEnd::Removed(own) => GraphEndForm::Removed {
                path: &own.path,
                kind: own.kind,
                symbol: own.qualified(),
                is_removed: true,
            },
            GraphEnd::File(path) => GraphEndForm::File { path },
            GraphEnd::Outside(module) => GraphEndForm::Outside { module },
        }
    }
}

/// Serializes definitions as ends of edges.
fn definitions<S: Serializer>(rows: &[SymbolRow], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(rows.iter().map(SymbolEnd::new))
}

/// The direction of an edge, seen from the target of the request.
#[form]
#[serde(rename_all = "lowercase")]
enum Direction {
    /// The edge arrives at the target.
    In,
    /// The edge leaves the target.
    Out,
}

fn direction<S: Serializer>(is_outgoing: &bool, serializer: S) -> Result<S::Ok, S::Error> {
    if *is_outgoing { Direction::Out } else { Direction::In }.serialize(serializer)
}
