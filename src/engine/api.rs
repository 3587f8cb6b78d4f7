//! The facade's plain data: requests, replies and options. Front ends fill requests and print replies. The wire formats
//! are in [`crate::render`], so a rename here does not change a protocol.

pub(super) mod cursor;
mod lookup;
pub(super) mod remedy;
mod snapshot;
mod state;
mod views;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use self::cursor::page_cursor;
pub use self::lookup::*;
pub use self::remedy::*;
pub use self::snapshot::*;
pub use self::state::*;
pub use self::views::*;
pub use super::session::{Interest, Recall, Sent, Session};
pub use crate::archive::{Export, Exported, Import, Imported};
use crate::filter::FilterSpec;
pub use crate::git::Reach as GitReach;
use crate::id::{ContentHash, Generation};
use crate::model::{Note, SkipReason, Skipped, SymbolKind};
use crate::path::RelPath;
use crate::profile::{Feature, PlaceSignal, Profile, QueryKind, Signal};
pub use crate::retention::{Collected, Cost, DropReason, Dropped, Neighbour, SpaceTarget};
use crate::search::Forms;
pub use crate::snippet::{ContextLine, Snippet};
pub use crate::store::LockHolder;
use crate::text::Lines;
pub use crate::update::{Progress, RefreshReport, Stage};
pub use crate::walk::{BuiltInFire, Cause, Exception, IgnoreKind, IgnoreRule, OverridingRule};
pub use crate::worker::{Parsing, WorkerPool};

/// How an engine is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the index lies: `None` for `SPYHOP_INDEX_DIR`, else the user's cache directory. A relative one is
    /// relative to the root.
    pub index_dir: Option<PathBuf>,
    /// What a search does when there is no index yet.
    pub on_missing: OnMissing,
    /// What a search does about changes since the index was made.
    pub stale_policy: StalePolicy,
    /// Threads for indexing; `None` for one a core. Never changes an answer.
    pub threads: Option<usize>,
    /// Bytes of memory that an update keeps to, at least 64 MiB. Never changes an answer: with less, segments are
    /// written sooner, large files are parsed one after the other, and at last fewer threads work. One file by itself
    /// may need more, see [`Options::max_file_bytes`]. `None` for 200 MiB, 700 bytes a file of the tree, and
    /// of what is to be read a third of the bytes beyond 200 MiB, up to another 256 MiB.
    pub max_memory: Option<u64>,
    /// How long [`super::Engine::refresh`], `rebuild` and `collect` wait for another process that is changing the
    /// index. Default: not at all. Searches do not wait, see [`StalePolicy::Wait`].
    pub wait: Duration,
    /// Whether a large tree that has never been indexed, from 64 MiB on, is searchable by the text of all its files
    /// before they are parsed. Else what is not parsed yet is not found, and the index is complete sooner. Never
    /// changes what a complete index holds. Default true.
    pub text_first: bool,
    /// Files above this many bytes are found by path and not ranked by content. Default 1 MiB, at least 1 byte
    /// and at most 1 GiB.
    pub max_file_bytes: u64,
    /// Whether files and directories whose name begins with a dot are indexed. Default false.
    pub hidden: bool,
    /// Whether ignore files count for nothing, git's and this program's own. Default false.
    pub no_ignore: bool,
    /// Whether built-in rules count for nothing: build products, lock files, what looks generated or minified.
    /// Default false.
    pub no_built_in: bool,
    /// Whether files that hold secrets by their names are indexed: environment files, private keys, credentials. What
    /// they hold is masked all the same, see [`Options::show_secrets`]. Default false.
    pub secrets: bool,
    /// Whether replies show passwords, keys and tokens as they are. Else each is masked, in as many bytes as it has.
    /// Default false.
    pub show_secrets: bool,
    /// A folder of grammar manifests that replace built-in ones of the same name.
    pub grammars: Option<PathBuf>,
    /// Where files are parsed: on threads of this process, the default, or in child processes that may die.
    pub parsing: Parsing,
    /// A branch, tag or commit, or any name of git's for one, that is searched in place of the files of the worktree.
    /// Nothing is checked out: what it holds is read from git's objects, and only content that is not indexed at its
    /// path is parsed. A branch is followed when it moves.
    pub view: Option<String>,
    /// From which folders the repository around the root is read. Default [`GitReach::Anywhere`]; a server that answers
    /// for others has to name its roots.
    pub git_reach: GitReach,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            index_dir: None,
            on_missing: OnMissing::Build,
            stale_policy: StalePolicy::Refresh,
            threads: None,
            max_memory: None,
            wait: Duration::ZERO,
            text_first: true,
            max_file_bytes: 1 << 20,
            hidden: false,
            no_ignore: false,
            no_built_in: false,
            secrets: false,
            show_secrets: false,
            grammars: None,
            parsing: Parsing::InProcess,
            view: None,
            git_reach: GitReach::Anywhere,
        }
    }
}

/// What a search does when there is no index yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnMissing {
    /// Index the tree, then answer.
    Build,
    /// Index the tree, then answer. If the tree is large, from 16 MiB on, only its text is indexed, and the answer says
    /// so ([`Snapshot::building`]). The caller lets the next [`super::Engine::refresh`] complete the index, in another
    /// process as a rule.
    BuildText,
    /// Answer with an error of kind [`super::ErrorKind::NoIndex`].
    Fail,
}

/// What a search does about changes since the index was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StalePolicy {
    /// Stat the tree, index what changed, then answer. The default. While another process is indexing, the answer is
    /// from what is committed; about a branch that has moved, see [`Options::view`], only after ten seconds.
    Refresh,
    /// Stat the tree, answer from the index as it is, count the stale files.
    Warn,
    /// Answer from the index as it is.
    Ignore,
    /// Stat the tree; fail when anything changed.
    Error,
    /// As `Refresh`, but wait while another process is indexing instead of answering from what is committed.
    Wait,
}

impl StalePolicy {
    /// Every policy, the default first.
    pub const ALL: [StalePolicy; 5] =
        [StalePolicy::Refresh, StalePolicy::Warn, StalePolicy::Ignore, StalePolicy::Error, StalePolicy::Wait];

    /// The name of the policy.
    pub const fn name(self) -> &'static str {
        match self {
            StalePolicy::Refresh => "refresh",
            StalePolicy::Warn => "warn",
            StalePolicy::Ignore => "ignore",
            StalePolicy::Error => "error",
            StalePolicy::Wait => "wait",
        }
    }
}

/// How much of each hit is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// One line: no snippet.
    Compact,
    /// A snippet of at most 500 characters around the best lines, without its context. The default.
    Default,
    /// The whole place and every signal.
    Debug,
}

impl Mode {
    /// Every mode, the shortest first.
    pub const ALL: [Mode; 3] = [Mode::Compact, Mode::Default, Mode::Debug];

    /// The name of the mode.
    pub const fn name(self) -> &'static str {
        match self {
            Mode::Compact => "compact",
            Mode::Default => "default",
            Mode::Debug => "debug",
        }
    }
}

/// The most hits that a page holds, unless the search is exhaustive; then [`MAX_ROWS`].
pub const MAX_RESULTS: usize = 50;

/// A search.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// What is looked for: a sentence, a name, a piece of code. Neither empty nor above 10,000 characters.
    pub query: String,
    /// How many hits a page holds, 1 to 50, or to 1,000 when `exhaustive`. Default 10.
    pub max_results: usize,
    /// Where the page begins: a reply's `next`.
    pub cursor: Option<String>,
    /// Which files and chunks may answer.
    pub filter: FilterSpec,
    /// Whether every file that holds the query as written is among the hits, however many there are, also what is
    /// found by its path only, is not ranked or has changed since: what an exact search of the query as a text finds,
    /// and what the index decoded. Each such file is ranked beside the usual head; one that the index knows nothing of
    /// shows its first line. It takes as long as reading them, for every page. Default false: the literal pass has a
    /// budget.
    pub exhaustive: bool,
    /// Lines of context before and after a snippet, cut at the ends of the file. Default 0.
    pub expand: u32,
    /// Hits below this score are left out, 0 to 1; literal hits are exempt. Default 0.
    pub min_score: f32,
    /// How many places of one file may be hits; the best one stands at the file's rank, the others behind it by how
    /// probable they are. Files beyond the first ten have at most 3. At least 1. Default 10.
    pub per_file: usize,
    /// How much of each hit is shown.
    pub mode: Mode,
    /// Whose files weigh more, because they were touched, opened or shown before. By default those that
    /// [`Engine::touch`](super::Engine::touch) was told of.
    pub session: Recall,
    /// Whether a text that the session has been sent already, of unchanged content, is only referred to, by
    /// [`Hit::sent_before`]. Default false; it has no effect without a session.
    pub dedupe: bool,
    /// What is ranked by; `None` is the built-in profile.
    pub profile: Option<Arc<Profile>>,
}

impl SearchRequest {
    /// The default search for `query`.
    pub fn new(query: impl Into<String>) -> SearchRequest {
        SearchRequest {
            query: query.into(),
            max_results: 10,
            cursor: None,
            filter: FilterSpec::default(),
            exhaustive: false,
            expand: 0,
            min_score: 0.0,
            per_file: 10,
            mode: Mode::Default,
            session: Recall::Tree,
            dedupe: false,
            profile: None,
        }
    }

    /// The most hits that a page of it holds.
    pub(super) fn most_results(&self) -> usize {
        if self.exhaustive { MAX_ROWS } else { MAX_RESULTS }
    }
}

/// The files that a query's ranking orders, with what it orders them by.
#[derive(Clone, Debug)]
pub struct RankedCandidates {
    /// What kind of query it is, by its shape: which weights apply.
    pub kind: QueryKind,
    /// Whether it is a report, which has a line of scores of its own.
    pub is_report: bool,
    /// Whether a search warns that nothing seems to answer.
    pub is_doubted: bool,
    /// The files, best first.
    pub files: Vec<RankedCandidate>,
}

/// A file of the head.
#[derive(Clone, Debug)]
pub struct RankedCandidate {
    /// Which file.
    pub path: RelPath,
    /// What is shown of it.
    pub lines: Lines,
    /// The sum of its contributions under the request's profile before calibration, in log-odds.
    pub sum: f32,
    /// The log-odds of its share of the head, see [`ScoreLine`](crate::ScoreLine).
    pub standing: f32,
    pub(super) forms: Forms,
}

impl RankedCandidate {
    /// What a feature measures; times its weight, that is what it contributes.
    pub fn measure(&self, feature: Feature) -> f32 {
        self.forms[feature.signal as usize][feature.form as usize]
    }
}

/// The places of a query's first files, with what they are told apart by.
#[derive(Clone, Debug)]
pub struct PlaceCandidates {
    /// What kind of query it is, by its shape: which weights apply.
    pub kind: QueryKind,
    /// The files, best first.
    pub files: Vec<FilePlaces>,
}

/// The places of a file.
#[derive(Clone, Debug)]
pub struct FilePlaces {
    /// Which file.
    pub path: RelPath,
    /// Its places that hold any evidence, best first.
    pub places: Vec<PlaceCandidate>,
}

/// A place of a file.
#[derive(Clone, Debug)]
pub struct PlaceCandidate {
    /// Its lines.
    pub lines: Lines,
    /// How probable it is that it answers, if its file does.
    pub share: f32,
    /// By signal: the measure, and its share of the greatest in the file.
    pub measures: [[f32; 2]; PlaceSignal::COUNT],
}

/// The answer to a search.
#[derive(Clone, Debug)]
pub struct SearchReply {
    /// The query as asked; of a batch, the queries joined with ` | `.
    pub query: String,
    /// The hits, best first. If the literal pass finds the query as written in at most 5 files, each of these files has a
    /// place among the first 10 hits, whatever its evidence otherwise.
    pub results: Vec<Hit>,
    /// Which evidence was at hand, such as `lexical+symbol+path`.
    pub backend: String,
    /// Lines that hold the query as written, case as typed, in the files of the index; a lower bound when `complete` is
    /// false.
    pub fallback_grep_hits: usize,
    /// How many hits there are over all pages; the head that is ranked bounds it.
    pub total: usize,
    /// Whether the literal pass saw every place where the query as written can stand.
    pub complete: bool,
    /// The cursor of the next page.
    pub next: Option<String>,
    /// The number of hits on the pages before.
    pub offset: usize,
    /// Where the answer comes from.
    pub snapshot: Snapshot,
    /// What the caller should know, such as that another process is indexing.
    pub warnings: Vec<String>,
}

impl SearchReply {
    /// Keeps the first `n` hits. The next page then begins with the first hit that was dropped.
    pub fn truncate(&mut self, n: usize) {
        if n < self.results.len() {
            self.results.truncate(n);
            self.next = Some(page_cursor(self.snapshot.generation, self.offset + n));
        }
    }
}

/// A place that answers.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The file.
    pub path: RelPath,
    /// The lines of the chunk or, where one symbol of it answers, of that symbol.
    pub lines: Lines,
    /// What it is.
    pub kind: SymbolKind,
    /// The name it defines or belongs to, with its container, as `Type.method`.
    pub symbol: Option<String>,
    /// The name of its language.
    pub language: &'static str,
    /// What is shown of it, by the mode.
    pub snippet: Option<Snippet>,
    /// Where the snippet was sent before, for which it is left out; see [`SearchRequest::dedupe`].
    pub sent_before: Option<Sent>,
    /// The hash of the content that the snippet is from, where it was read.
    pub content: Option<ContentHash>,
    /// The probability, 0 to 1, that this is what was looked for.
    pub score: f32,
    /// The score in a word.
    pub band: Band,
    /// Why it is here; never empty. The shares add up to the score.
    pub reasons: Vec<Reason>,
    /// Whether the file has changed since it was indexed, so that lines may be off.
    pub stale: bool,
    /// Which query of a batch found it, from 0.
    pub query_index: usize,
}

/// A score in a word: `high` from .8, `good` from .6, `possible` from .4, `weak` below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Band {
    /// From .8.
    High,
    /// From .6.
    Good,
    /// From .4.
    Possible,
    /// Below .4.
    Weak,
}

impl Band {
    /// The band of a score.
    pub fn of(score: f32) -> Band {
        match score {
            s if s >= 0.8 => Band::High,
            s if s >= 0.6 => Band::Good,
            s if s >= 0.4 => Band::Possible,
            _ => Band::Weak,
        }
    }

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Band::High => "high",
            Band::Good => "good",
            Band::Possible => "possible",
            Band::Weak => "weak",
        }
    }
}

/// A part of a score.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// Which signal.
    pub signal: Signal,
    /// What it adds to the score; negative for a penalty.
    pub share: f32,
    /// A sentence such as `path: component 'provider' matches query`.
    pub text: String,
}

/// Why a file ranks where it does for a query, or does not.
#[derive(Clone, Debug)]
pub struct WhyNot {
    /// The file.
    pub path: RelPath,
    /// The verdict.
    pub verdict: Verdict,
    /// The file's rank among files, from 1, if it ranks.
    pub rank: Option<usize>,
    /// Its best hit, with its reasons.
    pub hit: Option<Hit>,
    /// What the tenth hit has and this file lacks: the signal and both shares, the largest gap first.
    pub missing: Vec<Gap>,
    /// One sentence that says it all.
    pub text: String,
}

/// A signal on which a file falls behind the tenth hit.
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    /// Which signal.
    pub signal: Signal,
    /// The file's share.
    pub own: f32,
    /// The tenth hit's share.
    pub tenth: f32,
}

/// What became of a file in a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There is no such file below the root.
    NoSuchFile,
    /// The file was seen and left out.
    Skipped(Skipped),
    /// The file exists and is not in the index yet.
    NotIndexed,
    /// The filter excludes it; the text names the part that does.
    Filtered(String),
    /// None of the query's words occurs in it.
    NoTerm,
    /// The file matches and is outside the head, the files that are ordered.
    BelowHead,
    /// The file ranks.
    Ranked,
}

/// A language that this program parses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanguageRow {
    /// Its name in filters and replies.
    pub name: &'static str,
    /// Its name for people.
    pub title: String,
    /// The extensions that tell it.
    pub extensions: Vec<String>,
    /// Whether a manifest of the user replaces the built-in one.
    pub overridden: bool,
    /// Files of the index; `None` without an index.
    pub files: Option<usize>,
}
