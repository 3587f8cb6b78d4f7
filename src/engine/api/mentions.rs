//! The mentions of a name in a question to the code graph, counted by part.

use super::incomplete::{Incomplete, IncompleteCause};
use crate::api::sources::SourceName;
use crate::api::symbols::{SymbolRow, end};
use spyhop_attributes::reply;
use spyhop_base::path::RelPath;
use spyhop_graph::Relation;
pub use spyhop_graph::{MentionPart, MentionReason, RESOLVED};

/// Every occurrence of the names of the symbols that were asked about, as whole words, in the indexed files that the filter
/// of the request takes: what `rg -w NAME` finds there. `definitions`, `resolved`, `possible`, `other`,
/// `comments_and_strings` and `not_read` add up to `total`.
#[reply(Clone, Debug, Default, PartialEq)]
pub struct Mentions {
    /// The names.
    pub names: Vec<String>,
    /// The number of occurrences that were counted; a lower bound if `uncounted_files` is not 0.
    pub total: usize,
    /// The names in the definitions of the symbols.
    pub definitions: usize,
    /// Uses of the symbols, by rules that look at more than the name.
    pub resolved: usize,
    /// Mentions that may be uses of the symbols, and that no rule proves.
    pub possible: usize,
    /// Other definitions of the name, and uses of something else.
    pub other: usize,
    /// Words in comments, in string literals, and in texts and data.
    pub comments_and_strings: usize,
    /// Occurrences in files that were not read as code, with the reasons in `unread`.
    pub not_read: usize,
    /// The number of files that have the name, or may have it, and whose occurrences were not counted.
    pub uncounted_files: usize,
    /// The files that were not read as code, by reason.
    pub unread: Vec<UnreadMentions>,
    /// The possible mentions that no row of the answer shows, the most probable first; with
    /// [`GraphRequest::all_mentions`](super::GraphRequest::all_mentions) the mentions of every part.
    pub rows: Vec<MentionRow>,
}

impl Mentions {
    /// The number of mentions that may be uses and are none of the resolved ones.
    pub fn open(&self) -> usize {
        self.possible + self.not_read
    }

    /// Why an answer with these mentions is not complete; `None` if each mention is accounted for.
    pub(crate) fn incomplete(&self) -> Option<Incomplete> {
        let mut parts = Vec::new();
        if self.possible > 0 {
            parts.push(format!(
                "{} of {} mentions may be uses that no rule proves",
                self.possible, self.total
            ));
        }
        if self.not_read > 0 {
            parts.push(format!("{} were not read as code", self.not_read));
        }
        if self.uncounted_files > 0 {
            parts.push(format!("those in {} files were not counted", self.uncounted_files));
        }
        (!parts.is_empty()).then(|| IncompleteCause::Undecided.with(parts.join("; ")))
    }

    /// Adds the mentions in another tree.
    pub(crate) fn add(&mut self, other: Mentions) {
        self.names.extend(other.names);
        self.names.sort_unstable();
        self.names.dedup();
        self.total += other.total;
        self.definitions += other.definitions;
        self.resolved += other.resolved;
        self.possible += other.possible;
        self.other += other.other;
        self.comments_and_strings += other.comments_and_strings;
        self.not_read += other.not_read;
        self.uncounted_files += other.uncounted_files;
        self.unread.extend(other.unread);
        self.rows.extend(other.rows);
    }
}

/// The files with mentions that were not read as code, for one reason.
#[reply(Clone, Debug, PartialEq)]
pub struct UnreadMentions {
    /// The source of the files; `None` if one tree answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceName>,
    /// The reason.
    pub reason: UnreadReason,
    /// The number of files.
    pub files: usize,
    /// The number of mentions in those of the files that were counted.
    pub mentions: usize,
    /// The first of the files.
    pub paths: Vec<RelPath>,
}

/// Why the mentions in a file were not read as code.
#[reply(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
pub enum UnreadReason {
    /// Nearer files have enough rows, or the question has done all the work that it may do.
    Budget,
    /// The file is larger than what a question reads.
    TooLarge,
    /// Only the path of the file is indexed: it is generated, minified, or larger than what is ranked.
    PathOnly,
    /// The file has changed since it was indexed, or cannot be read.
    Changed,
}

impl UnreadReason {
    /// The words for people.
    pub fn sentence(self) -> &'static str {
        match self {
            UnreadReason::Budget => "budget",
            UnreadReason::TooLarge => "above 1 MB",
            UnreadReason::PathOnly => "only the path is indexed",
            UnreadReason::Changed => "changed or unreadable",
        }
    }
}

/// A mention of a name.
#[reply(Clone, Debug, PartialEq)]
pub struct MentionRow {
    /// The part that the mention belongs to.
    pub part: MentionPart,
    /// Why the mention is possible, or is something else.
    pub reason: Option<MentionReason>,
    /// How the mention is related to the symbol, if it is a use.
    pub relation: Relation,
    /// The source that has the file; `None` if one tree answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceName>,
    /// The file.
    pub path: RelPath,
    /// The line, from 1.
    pub line: u32,
    /// The column in bytes, from 1.
    pub column: u32,
    /// The line, without its line break and the blanks around it, with secrets masked.
    pub text: String,
    /// The symbol around the mention; `None` at the top level of a file.
    #[serde(serialize_with = "end")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::api::symbols::SymbolEnd>"))]
    pub from: Option<SymbolRow>,
    /// The other definition that the mention is or means.
    #[serde(serialize_with = "end")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::api::symbols::SymbolEnd>"))]
    pub to: Option<SymbolRow>,
    /// The estimated probability that the mention is a use of the symbol, 0 to 1.
    pub confidence: f32,
}
