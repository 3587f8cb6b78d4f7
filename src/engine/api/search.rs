//! The request and the reply of a ranked search, and why a file has its rank.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::form::form_of;
use crate::api::cursor::page_cursor;
use crate::api::memory::NoteRow;
use crate::api::page::MAX_ROWS;
use crate::api::reasons::Reason;
use crate::api::snapshot::Snapshot;
use crate::api::sources::{SourceName, SourceSnapshot, answering};
use crate::api::state::StructureCounts;
use crate::session::Sent;
use spyhop_attributes::{All, Name, form, open, reply, request};
use spyhop_base::id::ContentHash;
use spyhop_base::model::{Skipped, SymbolKind};
use spyhop_base::path::RelPath;
use spyhop_base::text::{Lines, Span};
use spyhop_base::wire::wire;
use spyhop_base::wire_form;
use spyhop_search::filter::FilterSpec;
use spyhop_search::profile::{Feature, PlaceSignal, Profile, QueryKind, Signal};
use spyhop_search::snippet::{ContextLine, Snippet, SourceLine};
use spyhop_search::{FeatureMeasures, ScoreInputs};

/// How much text a reply has for each hit.
#[request(Clone, Copy, Debug, PartialEq, Eq, Name, All; rename_all = "kebab-case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Mode {
    /// No snippet.
    Compact,
    /// A snippet around the best lines, of at most 500 characters without the lines of context. The default.
    Default,
    /// The whole place as the snippet, and a reason for every signal.
    Debug,
}

/// The maximum number of hits of a page. The limit of an exhaustive search is [`MAX_ROWS`].
pub const MAX_RESULTS: usize = 50;

/// A ranked search.
#[request(Clone, Debug; default = "crate::api::blank::search", deny_unknown_fields)]
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
    /// The lowest score of a hit, 0 to 1. Hits that contain the query text are exempt. Without a value, a search of one tree takes the
    /// `min_score` of the file `.spyhop/search.toml` in the root, if there is one, and else 0.
    pub min_score: Option<f32>,
    /// The maximum number of hits in one file, at least 1. Only the first ten files are divided into places, such as functions and
    /// types; the first twenty for a query of many words on several lines. The best place has the rank of the file,
    /// and the other places rank lower according to their probability. Other files have at most 3 hits. Default 10.
    pub per_file: usize,
    /// How much text the reply has for each hit.
    pub mode: Mode,
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
            min_score: None,
            per_file: 10,
            mode: Mode::Default,
            dedupe: false,
            notes: true,
            profile: None,
            name_callers: false,
        }
    }

    /// The maximum number of hits of a page of this request.
    pub(crate) fn most_results(&self) -> usize {
        if self.exhaustive { MAX_ROWS } else { MAX_RESULTS }
    }
}

/// A ranked search for several queries, which are answered as one.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct SearchBatch {
    /// The queries, 1 to 100.
    pub queries: Vec<String>,
    /// What applies to every query: the filter, the exclusions and the limits. Its query is not used.
    pub request: SearchRequest,
}

impl SearchBatch {
    /// A search for `queries` with what else `request` says.
    pub fn new(queries: Vec<String>, request: SearchRequest) -> SearchBatch {
        SearchBatch { queries, request }
    }
}

/// The best files for a query, with the measures by which they were rescored.
#[open(Clone, Debug)]
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
    /// The score of the best hit in the file, 0 to 1.
    pub score: f32,
    pub(crate) inputs: ScoreInputs,
    pub(crate) measures: FeatureMeasures,
}

impl RankedCandidate {
    /// The measure of a feature. The contribution before calibration is this measure times the weight of the feature.
    pub fn measure(&self, feature: Feature) -> f32 {
        self.measures[feature.signal as usize][feature.transform as usize]
    }

    /// The inputs of the score, in the order of [`ScoreInput::ALL`](spyhop_search::profile::ScoreInput::ALL).
    pub fn score_inputs(&self) -> &[f32] {
        &self.inputs
    }
}

/// The places of the first files of a query, with their measures.
#[open(Clone, Debug)]
pub struct PlaceCandidates {
    /// The kind of the query, which selects the weights.
    pub kind: QueryKind,
    /// The files, best first.
    pub files: Vec<FilePlaces>,
}

/// The places of a file.
#[open(Clone, Debug)]
pub struct FilePlaces {
    /// The file.
    pub path: RelPath,
    /// The places with any evidence, best first.
    pub places: Vec<PlaceCandidate>,
}

/// A place of a file.
#[open(Clone, Debug)]
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
#[reply(Clone, Debug)]
pub struct SearchReply {
    /// The query of the request; for a batch, all queries, joined by ` | `.
    pub query: String,
    /// The queries of a batch; empty for a search.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<String>,
    /// The hits, best first. If at most 5 files are found to contain the query text, each of these files is among the
    /// first 10 hits, whatever its other evidence.
    pub results: Vec<Hit>,
    /// The kinds of evidence that the search used, such as `lexical+symbol+path`.
    #[serde(rename = "backend")]
    pub evidence_used: String,
    /// The number of lines in indexed files that contain the query text, case-sensitive; a lower bound if
    /// `literal_complete` is false.
    #[serde(rename = "fallback_grep_hits")]
    pub literal_lines: usize,
    /// The number of hits over all pages. Only the best files by a first measure are rescored. Unless the request is
    /// exhaustive, only rescored files have hits.
    pub total: usize,
    /// Whether every file that may contain the query text was searched for the text.
    #[serde(rename = "complete")]
    pub literal_complete: bool,
    /// The cursor of the next page.
    pub next: Option<String>,
    /// The number of hits on the pages before.
    #[serde(skip)]
    pub offset: usize,
    /// The notes that help with the query, up to 3, only on the first page; see [`SearchNotesRequest`](crate::api::SearchNotesRequest).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<NoteRow>,
    /// Where the answer comes from. If several trees answer: the sums over the trees, without branch and commit.
    pub snapshot: Snapshot,
    /// The trees that answer, if there are several.
    #[serde(flatten, serialize_with = "answering")]
    #[cfg_attr(feature = "schema", schemars(with = "super::sources::Answering"))]
    pub sources: Vec<SourceSnapshot>,
    /// Warnings for the caller, such as that another process is indexing.
    pub warnings: Vec<String>,
}

impl SearchReply {
    /// The reply to a batch of `queries`, or to a search if there is none.
    pub(crate) fn of_batch(mut self, queries: &[String]) -> SearchReply {
        if queries.is_empty() {
            self.results.iter_mut().for_each(|hit| hit.query_index = None);
        }
        SearchReply { queries: queries.to_vec(), ..self }
    }

    /// Completes the sources of the reply and of its hits.
    pub(crate) fn settle_sources(&mut self) {
        SourceSnapshot::settle(&mut self.sources, self.results.iter_mut().map(|hit| &mut hit.source));
    }

    /// Keeps the first `n` hits. The next page then begins with the first hit that was dropped.
    pub fn truncate(&mut self, n: usize) {
        if n < self.results.len() {
            self.results.truncate(n);
            self.settle_sources();
            self.next = Some(page_cursor(self.snapshot.generation, self.offset + n));
        }
    }
}

/// A result of a ranked search: a place in a file.
#[open(Clone, Debug)]
pub struct Hit {
    /// The source that has the file; `None` if one tree answers.
    pub source: Option<SourceName>,
    /// The file, relative to the root of its tree.
    pub path: RelPath,
    /// Tests, vendored and generated files with the same content, at most ten. They are not hits of their own.
    pub also_in: Vec<RelPath>,
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
    /// The index, in the batch, of the query that found the hit, from 0; `None` for a search.
    pub query_index: Option<usize>,
}

/// Who calls the definition of a hit.
#[reply(Clone, Debug, PartialEq, Eq)]
pub struct HitCallers {
    /// The names of up to three callers, nearest first. Tests have no names here: their names are often sentences.
    pub names: Vec<String>,
    /// Whether there are further callers, or tests only.
    pub has_more: bool,
}

/// A score as a word: `high` from .8, `good` from .6, `possible` from .15, `weak` below. Text for people shows no word for
/// `possible`.
#[form(Clone, Copy, Debug, PartialEq, Eq, Name)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
pub enum Band {
    /// From .8.
    High,
    /// From .6.
    Good,
    /// From .15.
    Possible,
    /// Below .15.
    Weak,
}

impl Band {
    /// The band of a score.
    pub fn of(score: f32) -> Band {
        match score {
            s if s >= 0.8 => Band::High,
            s if s >= 0.6 => Band::Good,
            s if s >= 0.15 => Band::Possible,
            _ => Band::Weak,
        }
    }
}

/// Why a file has its rank for a query, or has none.
#[reply(Clone, Debug)]
pub struct WhyNot {
    /// The source of the file; `None` if one tree answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceName>,
    /// The file.
    pub path: RelPath,
    /// The verdict.
    #[serde(flatten, serialize_with = "verdict")]
    #[cfg_attr(feature = "schema", schemars(with = "VerdictForm"))]
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<String>,
    /// How the structure of the files of the tree is known.
    pub structure: StructureCounts,
    /// The root of the tree.
    #[serde(skip)]
    pub root: PathBuf,
}

/// A signal on which a file falls behind the tenth hit.
#[reply(Clone, Debug, PartialEq)]
pub struct Gap {
    /// The signal.
    pub signal: Signal,
    /// What the signal adds to the file's sum, in log-odds before calibration.
    #[serde(serialize_with = "wire")]
    pub own: f32,
    /// What the signal adds to the tenth hit's sum.
    #[serde(serialize_with = "wire")]
    pub tenth: f32,
}

/// The outcome of a search for one file.
#[open(Clone, Debug, PartialEq, Eq)]
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
#[reply(Clone, Debug, PartialEq, Eq)]
pub struct LanguageRow {
    /// The name in filters and replies.
    pub name: &'static str,
    /// The name for people.
    pub title: String,
    /// The file name extensions of the language.
    pub extensions: Vec<String>,
    /// Whether a manifest in [`Options::grammars`](crate::api::options::Options::grammars) replaces the built-in one.
    pub overridden: bool,
    /// The number of indexed files; `None` without an index.
    pub files: Option<usize>,
}

wire_form!(Hit as HitForm);

form_of! {
    /// How a [`Hit`] is serialized: the parts of its snippet are fields.
    struct HitForm<'r>(hit: &'r Hit)
    let {
        snippet = hit.snippet.as_ref();
    }
    {
        /// The source, if several trees answer.
        #[serde(skip_serializing_if = "Option::is_none")]
        source: Option<&'r SourceName> = hit.source.as_ref(),
        /// The file, relative to the root of its tree.
        path: &'r RelPath = &hit.path,
        /// Tests, vendored and generated files with the same content, at most ten. They are not hits of their own.
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        also_in: &'r [RelPath] = &hit.also_in,
        /// The lines of the place.
        #[serde(flatten)]
        lines: Lines = hit.lines,
        /// The kind of the place.
        kind: SymbolKind = hit.kind,
        /// The symbol that the place defines or belongs to, with its container.
        symbol: Option<&'r str> = hit.symbol.as_deref(),
        /// The page of a document, from 1; absent for code.
        #[serde(skip_serializing_if = "Option::is_none")]
        page: Option<u32> = hit.page,
        /// The name of the file's language.
        language: &'static str = hit.language,
        /// The lines shown above the snippet: the headings of the item and of the enclosing items.
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        head: &'r [ContextLine] = snippet.map(|snippet| &*snippet.head).unwrap_or_default(),
        /// The text of the place; its length depends on the mode.
        snippet: Option<&'r str> = snippet.map(|snippet| snippet.text.as_str()),
        /// The probability that the hit answers the query, 0 to 1.
        #[serde(serialize_with = "wire")]
        score: f32 = hit.score,
        /// The score as a word.
        band: Band = hit.band,
        /// The reasons of the score; never empty. The shares add up to the score.
        reasons: &'r [Reason] = &hit.reasons,
        /// The callers of the definition, if they were asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        callers: Option<&'r HitCallers> = hit.callers.as_ref(),
        /// Whether the file has changed since it was indexed, so that the lines may be wrong.
        stale: bool = hit.stale,
        /// The first line of the snippet in the file.
        snippet_line: Option<u32> = snippet.map(|snippet| snippet.lines.first),
        /// The matches, as half-open byte ranges of the snippet.
        highlights: &'r [Span] = snippet.map(|snippet| &*snippet.highlights).unwrap_or_default(),
        /// The earlier reply that had the text, in place of the snippet.
        #[serde(skip_serializing_if = "Option::is_none")]
        sent_before: Option<&'r Sent> = hit.sent_before.as_ref(),
        /// The index, in the batch, of the query that found the hit, from 0.
        #[serde(skip_serializing_if = "Option::is_none")]
        query_index: Option<usize> = hit.query_index,
    }
}

/// A verdict: how a [`WhyNot`] serializes its verdict.
#[form]
struct VerdictForm<'r> {
    /// `no-such-file`, `skipped`, `not-indexed`, `filtered`, `no-term`, `below-head` or `ranked`.
    verdict: &'static str,
    /// The part of the filter, or the reason for skipping.
    detail: Option<&'r str>,
}

fn verdict<S: Serializer>(verdict: &Verdict, serializer: S) -> Result<S::Ok, S::Error> {
    let (verdict, detail) = match verdict {
        Verdict::NoSuchFile => ("no-such-file", None),
        Verdict::Skipped(entry) | Verdict::PartlyIndexed(entry) => ("skipped", Some(entry.reason.name())),
        Verdict::NotIndexed => ("not-indexed", None),
        Verdict::Filtered(part) => ("filtered", Some(part.as_str())),
        Verdict::NoTerm => ("no-term", None),
        Verdict::NotRescored => ("below-head", None),
        Verdict::Ranked => ("ranked", None),
    };
    VerdictForm { verdict, detail }.serialize(serializer)
}

/// Asks for the languages that this program parses.
#[request(Clone, Copy, Debug, Default)]
pub struct LanguagesRequest;

/// The languages that this program parses.
#[form(Clone, Debug)]
pub struct Languages {
    /// The languages, by name, each with the number of its files in the index, if there is an index.
    pub languages: Vec<LanguageRow>,
}

/// Asks why a file has its rank for a query, or has none.
#[request(Clone, Debug; deny_unknown_fields)]
pub struct WhyNotRequest {
    /// The file, relative to the root.
    pub path: String,
    /// The query with its filters.
    pub search: SearchRequest,
}

impl WhyNotRequest {
    /// Asks about the file at `path`.
    pub fn new(path: impl Into<String>, search: SearchRequest) -> WhyNotRequest {
        WhyNotRequest { path: path.into(), search }
    }
}
