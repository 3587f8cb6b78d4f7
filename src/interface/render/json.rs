//! The wire format: a serializable value for each reply. [`line()`] prints a value on one line, without a line end.
//!
//! This module decides the names and the order of fields, and which fields are `null`. [`spyhop_engine::api`] defines the
//! meaning of the values. Contributions and scores are rounded to six decimals, each separately. The error of the sum of
//! a dozen contributions stays far below 1e-4. Distributing the remainder would make a contribution differ from its
//! signal.

mod entries;
mod error;
mod file_graph;
mod graph;
mod index;
mod library;
mod lookup;
mod memory;
mod pack;
mod read;
mod shared;

use serde::Serialize;

pub use self::entries::entries;
pub use self::error::{error, error_kind};
pub use self::file_graph::file_graph;
pub use self::graph::graph;
pub use self::index::{
    checkup, collected, exported, imported, refresh, source_statuses, status, views, watched,
};
pub(crate) use self::library::{
    add_plan, added_source, collected_sources, removed_source, source_path, update_plans, updated_sources,
    verified_sources,
};
pub use self::library::{intake, library_status, source, sources};
use self::lookup::{WireContextLine, context};
pub use self::lookup::{files, grep, map, symbols};
pub use self::memory::{imported_notes, notes};
pub use self::pack::pack;
pub use self::read::read;
pub use self::shared::WirePath;
pub(crate) use self::shared::WireSnapshot;
pub use self::shared::{JsonPaths, line};
use self::shared::{WireAnswering, WireProvenance, WireReasonCount, reasons, rounded};
use crate::render::places::RowPlaces;
use spyhop_base::model::Skipped;
use spyhop_engine::LanguageRow;
use spyhop_engine::api::{
    Cause, Exception, Explanation, Hit, IgnoreRule, OverridingRule, PathOutcome, SearchReply, SkippedReply,
    Verdict, WhyNot,
};

/// The reply to a search, or to a batch if `queries` is given. In a batch each result has the index of its query.
pub fn search<'r>(
    reply: &'r SearchReply,
    queries: Option<&'r [String]>,
    paths: JsonPaths<'r>,
) -> impl Serialize + use<'r> {
    WireReply::new(reply, queries, paths)
}

/// The reply to a search or to a batch as JSON lines: a line per hit, then a line with all other fields. Each line has a
/// line end.
pub fn search_lines(reply: &SearchReply, queries: Option<&[String]>, paths: JsonPaths<'_>) -> String {
    let mut rest = WireReply::new(reply, queries, paths);
    let hits = rest.results.take().unwrap_or_default();
    let mut out = String::new();
    for hit in &hits {
        out.push_str(&line(hit));
        out.push('\n');
    }
    out.push_str(&line(&rest));
    out.push('\n');
    out
}

/// The skipped files.
pub fn skipped<'r>(reply: &'r SkippedReply, paths: JsonPaths<'r>) -> impl Serialize + use<'r> {
    let entries = reply.entries.iter().map(|entry| WireSkipped::new(entry, paths)).collect();
    WireSkippedReply { entries, counts: reasons(&reply.counts) }
}

/// How the rules apply to one path.
pub fn explanation<'r>(explanation: &'r Explanation, paths: JsonPaths<'r>) -> impl Serialize + use<'r> {
    WireExplanation::new(explanation, paths)
}

/// Why a file has its rank.
pub fn why_not<'r>(answer: &'r WhyNot, paths: JsonPaths<'r>) -> impl Serialize + use<'r> {
    WireWhyNot::new(answer, paths)
}

/// The languages.
pub fn languages(rows: &[LanguageRow]) -> impl Serialize {
    let languages = rows
        .iter()
        .map(|row| WireLanguage {
            name: row.name,
            title: row.title.as_ref(),
            extensions: row.extensions.iter().map(|extension| extension.as_ref()).collect(),
            overridden: row.overridden,
            files: row.files,
        })
        .collect();
    WireLanguages { languages }
}

#[derive(Serialize)]
struct WireReply<'a> {
    query: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    queries: Option<&'a [String]>,
    /// Absent in JSON lines, where each hit is a line of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<Vec<WireHit<'a>>>,
    backend: &'a str,
    fallback_grep_hits: usize,
    total: usize,
    complete: bool,
    next: Option<&'a str>,
    /// Only if a note helps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<memory::WireNote<'a>>,
    snapshot: WireSnapshot,
    #[serde(flatten)]
    sources: WireAnswering<'a>,
    warnings: &'a [String],
}

impl<'a> WireReply<'a> {
    fn new(reply: &'a SearchReply, queries: Option<&'a [String]>, paths: JsonPaths<'a>) -> WireReply<'a> {
        let places = RowPlaces::new(&reply.snapshot, &reply.sources);
        let hits = reply.results.iter().map(|hit| {
            let query_index = queries.is_some().then_some(hit.query_index);
            let source = WireProvenance::of(places, hit.source.as_ref());
            let path = paths.at(places, hit.source.as_ref(), &hit.path);
            WireHit { query_index, source, path, ..WireHit::new(hit, paths) }
        });
        WireReply {
            query: &reply.query,
            queries,
            results: Some(hits.collect()),
            backend: &reply.evidence_used,
            fallback_grep_hits: reply.literal_lines,
            total: reply.total,
            complete: reply.literal_complete,
            next: reply.next.as_deref(),
            notes: reply.notes.iter().map(|row| memory::WireNote::new(row, paths)).collect(),
            snapshot: WireSnapshot::new(&reply.snapshot),
            sources: WireAnswering::new(&reply.sources, reply.results.iter().map(|hit| hit.source.as_ref())),
            warnings: &reply.warnings,
        }
    }
}

#[derive(Serialize)]
struct WireHit<'a> {
    /// The source, if several trees answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<WireProvenance<'a>>,
    #[serde(flatten)]
    path: WirePath<'a>,
    line: u32,
    end_line: u32,
    kind: &'static str,
    symbol: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<u32>,
    language: &'a str,
    /// The lines shown above the snippet: the headings of the item and of the enclosing items.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    head: Vec<WireContextLine<'a>>,
    snippet: Option<&'a str>,
    score: f64,
    band: &'static str,
    reasons: Vec<WireReason<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    callers: Option<WireCallers<'a>>,
    stale: bool,
    /// The first line of the snippet in the file.
    snippet_line: Option<u32>,
    /// Half-open byte ranges in the snippet.
    highlights: Vec<[u32; 2]>,
    /// Where an earlier reply contains the text; in place of the snippet.
    #[serde(skip_serializing_if = "Option::is_none")]
    sent_before: Option<WireSent<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    query_index: Option<usize>,
}

#[derive(Serialize)]
struct WireCallers<'a> {
    names: &'a [String],
    has_more: bool,
}

#[derive(Serialize)]
struct WireSent<'a> {
    call: usize,
    result: usize,
    query: &'a str,
}

impl<'a> WireHit<'a> {
    fn new(hit: &'a Hit, paths: JsonPaths<'a>) -> WireHit<'a> {
        let snippet = hit.snippet.as_ref();
        let reason = |reason: &'a spyhop_engine::api::Reason| WireReason {
            signal: reason.signal.name(),
            share: rounded(reason.contribution),
            text: &reason.text,
        };
        WireHit {
            source: None,
            path: paths.of(&hit.path),
            line: hit.lines.first,
            end_line: hit.lines.last,
            kind: hit.kind.name(),
            symbol: hit.symbol.as_deref(),
            page: hit.page,
            language: hit.language,
            head: snippet.map(|snippet| context(&snippet.head)).unwrap_or_default(),
            snippet: snippet.map(|snippet| snippet.text.as_str()),
            score: rounded(hit.score),
            band: hit.band.name(),
            reasons: hit.reasons.iter().map(reason).collect(),
            callers: (hit.callers.as_ref())
                .map(|callers| WireCallers { names: &callers.names, has_more: callers.has_more }),
            stale: hit.stale,
            snippet_line: snippet.map(|snippet| snippet.lines.first),
            highlights: snippet
                .map(|snippet| snippet.highlights.iter().map(|span| [span.start, span.end]).collect())
                .unwrap_or_default(),
            sent_before: (hit.sent_before.as_ref()).map(|sent| WireSent {
                call: sent.call,
                result: sent.result,
                query: &sent.query,
            }),
            query_index: None,
        }
    }
}

#[derive(Serialize)]
struct WireReason<'a> {
    signal: &'static str,
    share: f64,
    text: &'a str,
}

#[derive(Serialize)]
struct WireSkippedReply<'a> {
    entries: Vec<WireSkipped<'a>>,
    counts: Vec<WireReasonCount>,
}

#[derive(Serialize)]
struct WireSkipped<'a> {
    #[serde(flatten)]
    path: WirePath<'a>,
    reason: &'static str,
    detail: &'a str,
    is_dir: bool,
}

impl<'a> WireSkipped<'a> {
    fn new(entry: &'a Skipped, paths: JsonPaths<'a>) -> WireSkipped<'a> {
        WireSkipped {
            path: paths.of(&entry.path),
            reason: entry.reason.name(),
            detail: &entry.detail,
            is_dir: entry.is_dir,
        }
    }
}

#[derive(Serialize)]
struct WireExplanation<'a> {
    #[serde(flatten)]
    path: WirePath<'a>,
    fate: &'static str,
    /// The path to which the reason applies: this path, or a folder above the path.
    at: Option<&'a str>,
    is_dir: Option<bool>,
    reason: Option<&'static str>,
    detail: Option<&'a str>,
    rule: Option<WireRule<'a>>,
    exceptions: Vec<WireException<'a>>,
    tracked: bool,
    in_index: Option<bool>,
    remedy: Option<&'a str>,
    text: &'a str,
}

impl<'a> WireExplanation<'a> {
    fn new(explanation: &'a Explanation, paths: JsonPaths<'a>) -> WireExplanation<'a> {
        let row = explanation.outcome.row();
        let cause = match &explanation.outcome {
            PathOutcome::LeftOut(_, cause) => Some(cause),
            _ => None,
        };
        WireExplanation {
            path: paths.of(&explanation.path),
            fate: explanation.outcome.name(),
            at: row.map(|row| row.path.as_str()),
            is_dir: row.map(|row| row.is_dir),
            reason: row.map(|row| row.reason.name()),
            detail: row.map(|row| row.detail.as_str()),
            rule: cause.and_then(WireRule::new),
            exceptions: explanation
                .exceptions
                .iter()
                .map(|exception| WireException::new(exception, paths))
                .collect(),
            tracked: explanation.tracked,
            in_index: explanation.in_index,
            remedy: explanation.include_line.as_deref(),
            text: &explanation.text,
        }
    }
}

/// A line of an ignore file, or a built-in rule with its evidence.
#[derive(Serialize)]
struct WireRule<'a> {
    kind: &'static str,
    file: Option<&'a str>,
    line: Option<u32>,
    pattern: &'a str,
    evidence: Option<&'a str>,
}

impl<'a> WireRule<'a> {
    fn new(cause: &'a Cause) -> Option<WireRule<'a>> {
        match cause {
            Cause::Rule(rule) => Some(WireRule::of_file(rule)),
            Cause::BuiltIn(fire) => Some(WireRule {
                kind: "built-in",
                file: None,
                line: None,
                pattern: &fire.name,
                evidence: Some(&fire.evidence),
            }),
            Cause::Text(_) => None,
        }
    }

    fn of_file(rule: &'a IgnoreRule) -> WireRule<'a> {
        let IgnoreRule { kind, file, line, pattern, .. } = rule;
        WireRule { kind: kind.name(), file: Some(file), line: Some(*line), pattern, evidence: None }
    }
}

#[derive(Serialize)]
struct WireException<'a> {
    #[serde(flatten)]
    path: WirePath<'a>,
    reason: &'static str,
    over: String,
    /// Why the path is kept: `rule`, `git`, `no-repository`, or the name of an option.
    by: &'static str,
    rule: Option<WireRule<'a>>,
}

impl<'a> WireException<'a> {
    fn new(exception: &'a Exception, paths: JsonPaths<'a>) -> WireException<'a> {
        let (by, rule) = match &exception.by {
            OverridingRule::Rule(rule) => ("rule", Some(WireRule::of_file(rule))),
            OverridingRule::Git => ("git", None),
            OverridingRule::Option(name) => (*name, None),
            OverridingRule::NoRepository => ("no-repository", None),
        };
        let Exception { path, reason, over, .. } = exception;
        WireException { path: paths.of(path), reason: reason.name(), over: over.to_string(), by, rule }
    }
}

#[derive(Serialize)]
struct WireWhyNot<'a> {
    #[serde(flatten)]
    path: WirePath<'a>,
    verdict: &'static str,
    /// The detail of the verdict: the part of a filter, or the reason for skipping.
    detail: Option<&'a str>,
    rank: Option<usize>,
    hit: Option<WireHit<'a>>,
    missing: Vec<WireGap>,
    text: &'a str,
}

impl<'a> WireWhyNot<'a> {
    fn new(answer: &'a WhyNot, paths: JsonPaths<'a>) -> WireWhyNot<'a> {
        let (verdict, detail) = match &answer.verdict {
            Verdict::NoSuchFile => ("no-such-file", None),
            Verdict::Skipped(entry) | Verdict::PartlyIndexed(entry) => ("skipped", Some(entry.reason.name())),
            Verdict::NotIndexed => ("not-indexed", None),
            Verdict::Filtered(part) => ("filtered", Some(part.as_str())),
            Verdict::NoTerm => ("no-term", None),
            Verdict::NotRescored => ("below-head", None),
            Verdict::Ranked => ("ranked", None),
        };
        let gap = |gap: &spyhop_engine::api::Gap| WireGap {
            signal: gap.signal.name(),
            own: rounded(gap.own),
            tenth: rounded(gap.tenth),
        };
        WireWhyNot {
            path: paths.of(&answer.path),
            verdict,
            detail,
            rank: answer.rank,
            hit: answer.hit.as_ref().map(|hit| WireHit::new(hit, paths)),
            missing: answer.missing.iter().map(gap).collect(),
            text: &answer.text,
        }
    }
}

#[derive(Serialize)]
struct WireGap {
    signal: &'static str,
    own: f64,
    tenth: f64,
}

#[derive(Serialize)]
struct WireLanguages<'a> {
    languages: Vec<WireLanguage<'a>>,
}

#[derive(Serialize)]
struct WireLanguage<'a> {
    name: &'a str,
    title: &'a str,
    extensions: Vec<&'a str>,
    overridden: bool,
    files: Option<usize>,
}
