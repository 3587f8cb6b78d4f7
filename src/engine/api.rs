//! The facade's plain data: requests, replies and options. Front ends fill requests and print replies. The wire formats
//! are those of the faces, so a rename here does not change a protocol.

#[cfg(feature = "serde")]
pub(super) mod blank;
pub(super) mod cursor;
mod entries;
mod file_graph;
mod files;
mod graph;
mod grep;
mod incomplete;
mod map;
mod memory;
mod pack;
mod page;
mod read;
mod reasons;
pub(super) mod remedy;
mod snapshot;
mod sources;
mod state;
mod symbols;
mod views;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use self::cursor::page_cursor;
pub use self::entries::*;
pub use self::file_graph::*;
pub use self::files::*;
pub use self::graph::*;
pub use self::grep::*;
pub use self::incomplete::*;
pub use self::map::*;
pub use self::memory::*;
pub use self::pack::*;
pub use self::page::*;
pub use self::read::*;
pub use self::reasons::Reason;
pub(crate) use self::reasons::most_telling;
pub use self::reasons::telling;
pub use self::remedy::*;
pub use self::snapshot::*;
pub use self::sources::*;
pub use self::state::*;
pub use self::symbols::*;
pub use self::views::*;
pub use super::session::{ActivitySource, FileActivity, Sent, Session};
use spyhop_base::id::{ContentHash, Generation};
use spyhop_base::model::{Note, SkipReason, Skipped, SymbolKind};
use spyhop_base::path::RelPath;
pub use spyhop_base::store::LockHolder;
use spyhop_base::text::Lines;
pub use spyhop_files::git::Reach as GitReach;
pub use spyhop_files::walk::{BuiltInFire, Cause, Exception, IgnoreKind, IgnoreRule, OverridingRule};
pub use spyhop_index::archive::{Export, Exported, Import, Imported};
pub use spyhop_index::retention::{Collected, Cost, DropReason, Dropped, Neighbour, SpaceTarget};
pub use spyhop_index::tokenize::{ExtraTerms, TokenizerHook};
pub use spyhop_index::update::{Progress, RefreshReport, Stage};
use spyhop_search::FeatureMeasures;
use spyhop_search::filter::FilterSpec;
use spyhop_search::profile::{Feature, PlaceSignal, Profile, QueryKind, Signal};
pub use spyhop_search::snippet::{ContextLine, Snippet, SourceLine};
pub use spyhop_search::{HostSignal, HostSignals, PlaceInput, SignalInput, SignalValue};
pub use spyhop_syntax::worker::{Isolation, WorkerPool};

/// How an engine is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder of the index; a relative path is relative to the root. `None` for a folder in `SPYHOP_INDEX_DIR` or,
    /// if that variable is not set, in the user's cache folder.
    ///
    /// An engine of [`Engine::in_memory`](super::Engine::in_memory) has no folder as its root: a relative path is relative
    /// to the current folder of the process, `None` is a private temporary folder, and the folder gets two folders, `index`
    /// and the empty `tree`.
    pub index_dir: Option<PathBuf>,
    /// Whether the index is in a private temporary folder, which is removed with the last handle of the engine. Use this
    /// for a tree that is searched for a short time, or where nothing may be kept. `index_dir` must be `None`. Default
    /// false; the engines of [`Engine::in_memory`](super::Engine::in_memory) do so anyway.
    pub index_in_memory: bool,
    /// What a search does if there is no index. Default: build it.
    pub on_missing: OnMissing,
    /// What a search does about files that changed since they were indexed. Default: index them first.
    pub stale_policy: StalePolicy,
    /// The number of indexing threads; `None` for one for each core. The number does not affect answers.
    pub threads: Option<usize>,
    /// The memory budget of an update in bytes, at least 64 MiB. The budget does not affect answers: with a smaller
    /// budget, segments are flushed sooner, large files are parsed one after the other, and fewer threads work. A single
    /// file may need more than the budget, see [`Options::max_file_bytes`]. `None` for 200 MiB, plus 700 bytes for each
    /// file of the tree, plus a third of the bytes to read beyond the first 200 MiB; this third counts up to 256 MiB.
    pub max_memory: Option<u64>,
    /// How long [`super::Engine::refresh`], `rebuild`, `collect` and `import` wait for another process that is changing
    /// the index. Default: not at all. For searches, see [`StalePolicy::Wait`].
    pub wait: Duration,
    /// Whether the first index of a large tree, of 64 MiB and more, covers the text of all files before any file is
    /// parsed. If false, a file is found only after it is parsed, and the index is complete sooner. The content of a
    /// complete index is the same. Default true.
    pub text_first: bool,
    /// The size in bytes above which a file is found by its path only and not ranked by its content, 1 byte to 1 GiB.
    /// Default 1 MiB.
    pub max_file_bytes: u64,
    /// Whether to index files and folders whose names begin with a dot. Default false.
    pub hidden: bool,
    /// Whether to disregard ignore files: git's, `.ignore` and `.spyhopignore`. Default false.
    pub no_ignore: bool,
    /// Whether to disregard the built-in skip rules, which exclude build products, lock files, and files that look
    /// generated or minified. Default false.
    pub no_built_in: bool,
    /// Whether to index files whose names say that they contain secrets, such as environment files, private keys and
    /// credentials. Their values are masked in replies, see [`Options::show_secrets`]. Default false.
    pub secrets: bool,
    /// Whether replies show passwords, keys and tokens. If false, each secret is replaced by a mask of the same length in
    /// bytes. Default false.
    pub show_secrets: bool,
    /// A folder of grammar manifests that replace built-in ones of the same name.
    pub grammars: Option<PathBuf>,
    /// Where files are parsed: on threads of this process, which is the default, or in child processes, so that a crash
    /// of a parser does not end this process.
    pub isolation: Isolation,
    /// Further terms of words, by a hook of the tokenizer. The default adds none. Another hook is another index.
    pub extra_terms: ExtraTerms,
    /// Signals that the host adds to the ranking. A profile gives their weights
    /// ([`Profile::set_own_weight`](crate::Profile::set_own_weight)).
    pub signals: HostSignals,
    /// The git revision to search instead of the worktree: a branch, a tag, a commit, or any other name that git accepts
    /// for a commit. Nothing is checked out. The files are read from git's objects, and only content that is not yet
    /// indexed at its path is parsed. After a branch has moved, its new commit is searched.
    pub view: Option<String>,
    /// The folders from which the data of the root's git repository may be read. Default [`GitReach::Anywhere`]. A server
    /// that answers other users should permit its roots only.
    pub git_reach: GitReach,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            index_dir: None,
            index_in_memory: false,
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
            isolation: Isolation::InProcess,
            extra_terms: ExtraTerms::default(),
            signals: HostSignals::default(),
            view: None,
            git_reach: GitReach::Anywhere,
        }
    }
}

/// What a call does about a missing index, changed files and other processes, and whether its reply shows secrets.
/// [`Options`] has the policy of an engine; [`Engine::with_policy`](super::Engine::with_policy) chooses another policy for
/// single calls, at no cost. The view is not part of a policy, because an engine keeps the index open for one view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct CallPolicy {
    /// What a search does if there is no index.
    pub on_missing: OnMissing,
    /// What a search does about files that changed since they were indexed.
    pub stale_policy: StalePolicy,
    /// How long a call that changes the index waits for another process, see [`Options::wait`].
    pub wait: Duration,
    /// Whether the reply shows passwords, keys and tokens, see [`Options::show_secrets`].
    pub show_secrets: bool,
}

impl CallPolicy {
    /// The policy of an engine with these options.
    pub(super) fn of(options: &Options) -> CallPolicy {
        CallPolicy {
            on_missing: options.on_missing,
            stale_policy: options.stale_policy,
            wait: options.wait,
            show_secrets: options.show_secrets,
        }
    }

    /// A policy that answers from the last commit: builds nothing, updates nothing and compares nothing. `wait` and
    /// `show_secrets` stay as they are.
    pub fn last_commit(self) -> CallPolicy {
        CallPolicy { on_missing: OnMissing::Fail, stale_policy: StalePolicy::Ignore, ..self }
    }
}

/// What a search does if there is no index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum OnMissing {
    /// Build the index, then answer.
    Build,
    /// Index the tree, then answer. If the tree is large, from 16 MiB on, only its text is indexed, and the answer says
    /// so ([`Snapshot::building`]). The caller runs [`super::Engine::refresh`] afterwards, usually in another process,
    /// to complete the index. An engine of [`Engine::in_memory`](super::Engine::in_memory) builds the whole index, as with
    /// `Build`, because no other process can read the files of its host.
    BuildText,
    /// Answer with an error of kind [`super::ErrorKind::NoIndex`].
    Fail,
}

/// What a search does about files that changed since they were indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum StalePolicy {
    /// Compare the tree with the index, index the changed files, then answer. The default. If another process is
    /// indexing, the last commit answers at once. If the searched branch ([`Options::view`]) has moved, the search waits
    /// for the other process first, up to ten seconds.
    Refresh,
    /// Compare the tree with the index, answer from the last commit, and count the changed files in the reply.
    Warn,
    /// Answer from the last commit without a comparison.
    Ignore,
    /// Compare the tree with the index, and fail if any file has changed.
    Error,
    /// Like `Refresh`, but if another process is indexing, wait until that process has finished, for at most 24 hours.
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

/// How much text a reply has for each hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Mode {
    /// No snippet.
    Compact,
    /// A snippet around the best lines, of at most 500 characters without the lines of context. The default.
    Default,
    /// The whole place as the snippet, and a reason for every signal.
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

/// The maximum number of hits of a page. The limit of an exhaustive search is [`MAX_ROWS`].
pub const MAX_RESULTS: usize = 50;

/// A ranked search.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default = "crate::api::blank::search", deny_unknown_fields))]
pub struct SearchRequest {
    /// The query: a question, a name or a piece of code, of 1 to 10,000 characters.
    pub query: String,
    /// The maximum number of hits of a page, 1 to 50, or 1 to 1,000 if `exhaustive` is set. Default 10.
    pub max_results: usize,
    /// The cursor of the page: the `next` of a reply.
    pub cursor: Option<String>,
    /// The filter of files and kinds.
    pub filter: FilterSpec,
    /// Whether every file that contains the query text is a hit, as with an exact search for the text. This includes
    /// files that are indexed by their path only, files whose content is not indexed, changed files, and files that contain
    /// the text only after decoding. They are merged into one order with the best files of a search that is not
    /// exhaustive. The hit of a file whose content is not indexed is its first matching line. All candidate files are read again for each page.
    /// Default false: the search for the query text ends when its budget is used up.
    pub exhaustive: bool,
    /// The lines of context before and after each snippet. Default 0.
    pub expand: u32,
    /// The lowest score of a hit, 0 to 1. Hits that contain the query text are exempt. Default 0.
    pub min_score: f32,
    /// The maximum number of hits in one file, at least 1. Only the first ten files are divided into places, such as functions and
    /// types; the first twenty for a query of many words on several lines. The best place has the rank of the file,
    /// and the other places rank lower according to their probability. Other files have at most 3 hits. Default 10.
    pub per_file: usize,
    /// How much text the reply has for each hit.
    pub mode: Mode,
    /// Whose earlier work with files affects the ranking. Default: the files that
    /// [`Engine::record_touch`](super::Engine::record_touch) recorded.
    pub activity: ActivitySource,
    /// Whether a hit omits its snippet if the session was sent the same text of unchanged content before. Such a hit has
    /// [`Hit::sent_before`] instead. Without a session the value has no effect. Default false.
    pub dedupe: bool,
    /// Whether the first page has the notes of the tree that help with the query. Default true.
    pub notes: bool,
    /// The ranking profile; `None` for the built-in one.
    pub profile: Option<Arc<Profile>>,
    /// Whether the first hit of the first page names its callers, if the query names its definition:
    /// [`Hit::callers`]. Default false.
    pub name_callers: bool,
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
            activity: ActivitySource::AnyCaller,
            dedupe: false,
            notes: true,
            profile: None,
            name_callers: false,
        }
    }

    /// The maximum number of hits of a page of this request.
    pub(super) fn most_results(&self) -> usize {
        if self.exhaustive { MAX_ROWS } else { MAX_RESULTS }
    }
}

/// The best files for a query, with the measures by which they were rescored.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RankedCandidates {
    /// The kind of the query, which selects the weights.
    pub kind: QueryKind,
    /// Whether the query is a report: many words on several lines, such as an issue. The scores of reports are
    /// calibrated separately.
    pub is_report: bool,
    /// Whether a search would warn that no hit seems to answer the query.
    pub is_doubted: bool,
    /// The files, best first.
    pub files: Vec<RankedCandidate>,
}

/// A file that was rescored.
#[derive(Clone, Debug)]
pub struct RankedCandidate {
    /// The file.
    pub path: RelPath,
    /// The lines of the best hit in the file.
    pub lines: Lines,
    /// The sum of the contributions under the profile of the request, before calibration, in log-odds.
    pub sum: f32,
    /// The log-odds of the softmax probability of `sum` among the rescored files, see [`Calibration`](crate::Calibration).
    pub softmax_log_odds: f32,
    pub(super) measures: FeatureMeasures,
}

impl RankedCandidate {
    /// The measure of a feature. The contribution before calibration is this measure times the weight of the feature.
    pub fn measure(&self, feature: Feature) -> f32 {
        self.measures[feature.signal as usize][feature.transform as usize]
    }
}

/// The places of the first files of a query, with their measures.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PlaceCandidates {
    /// The kind of the query, which selects the weights.
    pub kind: QueryKind,
    /// The files, best first.
    pub files: Vec<FilePlaces>,
}

/// The places of a file.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct FilePlaces {
    /// The file.
    pub path: RelPath,
    /// The places with any evidence, best first.
    pub places: Vec<PlaceCandidate>,
}

/// A place of a file.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PlaceCandidate {
    /// The lines of the place.
    pub lines: Lines,
    /// The probability that the place answers, given that its file does.
    pub probability: f32,
    /// For each signal, in the order of [`PlaceSignal::ALL`]: the measure, and the measure divided by the greatest one in
    /// the file.
    pub measures: [[f32; 2]; PlaceSignal::COUNT],
}

/// The answer to a search.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SearchReply {
    /// The query of the request; for a batch, all queries, joined by ` | `.
    pub query: String,
    /// The hits, best first. If at most 5 files are found to contain the query text, each of these files is among the
    /// first 10 hits, whatever its other evidence.
    pub results: Vec<Hit>,
    /// The kinds of evidence that the search used, such as `lexical+symbol+path`.
    pub evidence_used: String,
    /// The number of lines in indexed files that contain the query text, case-sensitive; a lower bound if
    /// `literal_complete` is false.
    pub literal_lines: usize,
    /// The number of hits over all pages. Only the best files by a first measure are rescored. Unless the request is
    /// exhaustive, only rescored files have hits.
    pub total: usize,
    /// Whether every file that may contain the query text was searched for the text.
    pub literal_complete: bool,
    /// The cursor of the next page.
    pub next: Option<String>,
    /// The number of hits on the pages before.
    pub offset: usize,
    /// The notes that help with the query, up to 3, only on the first page; see [`Engine::search_notes`](super::Engine::search_notes).
    pub notes: Vec<NoteRow>,
    /// Where the answer comes from. If several trees answer: the sums over the trees, without branch and commit.
    pub snapshot: Snapshot,
    /// The trees that answer, if there are several.
    pub sources: Vec<SourceSnapshot>,
    /// Warnings for the caller, such as that another process is indexing.
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

/// A result of a ranked search: a place in a file.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Hit {
    /// The source that has the file; `None` if one tree answers.
    pub source: Option<SourceName>,
    /// The file, relative to the root of its tree.
    pub path: RelPath,
    /// The lines of the place.
    pub lines: Lines,
    /// The kind of the place: the kind of a symbol, or `doc`, `block` or `text` for another part of a file.
    pub kind: SymbolKind,
    /// The symbol that the place defines or belongs to, with its container: `Type.method`.
    pub symbol: Option<String>,
    /// The name of the file's language.
    pub language: &'static str,
    /// The page, from 1, of a document whose text has form feeds between its pages, such as the text of a PDF file in a
    /// library; `None` for code.
    pub page: Option<u32>,
    /// The text of the place; its length depends on the mode.
    pub snippet: Option<Snippet>,
    /// The line that says most about the hit, in every mode: the signature, or the line that matches; `None` if the
    /// text could not be read.
    pub representative_line: Option<SourceLine>,
    /// The earlier reply that had the snippet, if the snippet is omitted because of [`SearchRequest::dedupe`].
    pub sent_before: Option<Sent>,
    /// The hash of the file's content, if the file was read for the snippet.
    pub content: Option<ContentHash>,
    /// The probability that the hit answers the query, 0 to 1.
    pub score: f32,
    /// The score as a word.
    pub band: Band,
    /// The reasons of the score; never empty. The contributions add up to the score.
    pub reasons: Vec<Reason>,
    /// Who calls the definition; `None` unless asked for by [`SearchRequest::name_callers`], or without callers.
    pub callers: Option<HitCallers>,
    /// Whether the file has changed since it was indexed, so that the lines may be wrong.
    pub stale: bool,
    /// The index, in the batch, of the query that found the hit, from 0.
    pub query_index: usize,
}

/// Who calls the definition of a hit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct HitCallers {
    /// The names of up to three callers, nearest first. Tests have no names here: their names are often sentences.
    pub names: Vec<String>,
    /// Whether there are further callers, or tests only.
    pub has_more: bool,
}

/// A score as a word: `high` from .8, `good` from .6, `possible` from .4, `weak` below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
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

    /// The name in replies.
    pub fn name(self) -> &'static str {
        match self {
            Band::High => "high",
            Band::Good => "good",
            Band::Possible => "possible",
            Band::Weak => "weak",
        }
    }
}

/// Why a file has its rank for a query, or has none.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct WhyNot {
    /// The file.
    pub path: RelPath,
    /// The verdict.
    pub verdict: Verdict,
    /// The rank among files, from 1, if the file ranks.
    pub rank: Option<usize>,
    /// The best hit in the file, with reasons.
    pub hit: Option<Hit>,
    /// The signals on which the file falls behind the tenth hit, the largest gap first.
    pub missing: Vec<Gap>,
    /// A summary in one sentence.
    pub text: String,
    /// The files with similar names, which the summary lists, if there is no such file.
    pub nearest: Vec<String>,
}

/// A signal on which a file falls behind the tenth hit.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Gap {
    /// The signal.
    pub signal: Signal,
    /// What the signal adds to the file's sum, in log-odds before calibration.
    pub own: f32,
    /// What the signal adds to the tenth hit's sum.
    pub tenth: f32,
}

/// The outcome of a search for one file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Verdict {
    /// There is no such file below the root.
    NoSuchFile,
    /// The file is not indexed, for this reason.
    Skipped(Skipped),
    /// The file is partly indexed: by its path, which does not match, and not by its content, for this reason.
    PartlyIndexed(Skipped),
    /// The file exists, but is not indexed yet.
    NotIndexed,
    /// The filter excludes the file. The text names the part of the filter.
    Filtered(String),
    /// The file contains no term of the query, or no part of a kind in the filter contains a term.
    NoTerm,
    /// The file matches, but is not rescored: it is not among the best files by the first measure, the fused lists.
    NotRescored,
    /// The file ranks.
    Ranked,
}

/// A language that this program parses.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct LanguageRow {
    /// The name in filters and replies.
    pub name: &'static str,
    /// The name for people.
    pub title: String,
    /// The file name extensions of the language.
    pub extensions: Vec<String>,
    /// Whether a manifest in [`Options::grammars`] replaces the built-in one.
    pub overridden: bool,
    /// The number of indexed files; `None` without an index.
    pub files: Option<usize>,
}
