//! A page of the reply to a search: the rows of the hits, and what the reply tells of all of them. Nothing here reads an
//! index, so that the rankings of one snapshot and those of several shards become replies alike.

use super::api::cursor::page_cursor;
use super::api::*;
use super::asked_queries::AskedQueries;
use super::copies::{self, Copies};
use super::literal_files;
use super::origin::ReplyOrigin;
use super::ranked_query::RankedQuery;
use super::rows::{self, HitRow};
use spyhop_base::clean;
use spyhop_base::path::RelPath;
use spyhop_search::profile::Profile;
use spyhop_search::query::Query;
use spyhop_search::{self, ComparedFiles, HeadFiles, UnknownWord};

/// The rows of a page, and what the reply tells of all rows.
pub(crate) struct ReplyPage {
    pub rows: Vec<HitRow>,
    /// By row: the copies of its file.
    also_in: Vec<Vec<RelPath>>,
    offset: usize,
    /// The number of rows of all pages.
    pub total: usize,
    doubt: Option<String>,
    /// The number of rows that the threshold left out, and the threshold.
    below: (usize, f32),
}

impl ReplyPage {
    /// The page of the hits of all queries that begins at `offset`.
    pub fn new(
        asked: &[RankedQuery<'_>],
        table: &dyn HeadFiles,
        (request, profile): (&SearchRequest, &Profile),
        offset: usize,
    ) -> ReplyPage {
        let rows = rows::merged(asked, table, |_| true);
        // An exhaustive search has every file that contains the query.
        let (mut rows, copies) = match request.exhaustive {
            true => (rows, Copies::default()),
            false => copies::collapsed(rows, table),
        };
        let n_all = rows.len();
        let min_score = request.min_score.unwrap_or(0.0);
        rows.retain(|row| row.literal || row.score >= min_score);
        let below = (n_all - rows.len(), min_score);
        let rows = literal_files::lifted(rows, asked, table);
        let (total, doubt) = (rows.len(), doubt(profile, asked, &rows));
        let rows: Vec<HitRow> = rows.into_iter().skip(offset).take(request.max_results).collect();
        let also_in = rows.iter().map(|row| copies.of(row, table)).collect();
        ReplyPage { rows, also_in, offset, total, doubt, below }
    }

    /// The reply with the hits of the page. `unknown` has the unknown words of each query, and `lost` a warning for each
    /// query without an answer.
    pub fn reply(
        self,
        (all, asked, unknown): (&AskedQueries, &[RankedQuery<'_>], Vec<Vec<UnknownWord>>),
        mut results: Vec<Hit>,
        (origin, lost): (ReplyOrigin, Vec<String>),
        used_session: bool,
    ) -> SearchReply {
        results.iter_mut().zip(self.also_in).for_each(|(hit, also_in)| hit.also_in = also_in);
        let end = self.offset + results.len();
        let text: Vec<&str> = all.parsed.iter().map(|query| query.text.as_str()).collect();
        let unknown =
            asked.iter().zip(unknown).filter_map(|(asked, unknown)| unknown_warning(asked, unknown));
        SearchReply {
            query: text.join(" | "),
            queries: Vec::new(),
            results,
            evidence_used: evidence_used(used_session, asked),
            literal_lines: asked.iter().map(RankedQuery::literal_lines).sum(),
            total: self.total,
            literal_complete: asked.iter().all(|asked| asked.literal_complete)
                && lost.is_empty()
                && origin.is_whole,
            next: (end < self.total).then(|| page_cursor(origin.snapshot.generation, end)),
            offset: self.offset,
            notes: Vec::new(),
            snapshot: origin.snapshot,
            sources: origin.sources,
            warnings: origin
                .warnings
                .into_iter()
                .chain(lost)
                .chain(asked.iter().flat_map(query_warnings))
                .chain(similar_notes(asked))
                .chain(unknown)
                .chain(self.doubt)
                .chain(below_warning(self.below, origin.default_min_score))
                .collect(),
        }
    }
}

/// The warning about words of a query that no file contains.
fn unknown_warning(asked: &RankedQuery<'_>, mut unknown: Vec<UnknownWord>) -> Option<String> {
    // The words of a path on another machine are not looked for.
    if asked.query().frames.iter().any(|frame| frame.line.is_none()) {
        return None;
    }
    let replaced = asked.ranking.respelled.iter().flat_map(|respelled| &respelled.replaced);
    let replaced: Vec<&str> = replaced.map(|replaced| replaced.typed.as_str()).collect();
    unknown.retain(|unknown| !replaced.iter().any(|typed| typed.eq_ignore_ascii_case(&unknown.word)));
    let quoted = |words: &[String]| {
        words.iter().map(|word| format!("'{}'", clean::line(word))).collect::<Vec<_>>().join(", ")
    };
    let words = unknown.iter().map(|unknown| {
        let word = quoted(std::slice::from_ref(&unknown.word));
        match unknown.similar.is_empty() {
            true => word,
            false => format!("{word} (similar: {})", quoted(&unknown.similar)),
        }
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| format!("no file contains {}", words.join(" or ")))
}

/// The warning that no hit seems to answer, if that is likely.
fn doubt(profile: &Profile, asked: &[RankedQuery<'_>], rows: &[HitRow]) -> Option<String> {
    let hits = rows.iter().map(|row| (row.literal, row.score));
    let queries = asked.iter().map(|asked| (asked.query, asked.ranking.known_share()));
    (!rows.is_empty() && is_doubtful(profile, queries, hits))
        .then(|| "nothing here seems to answer this; the best places hold little of it".to_string())
}

/// Whether `hits` are too weak to answer any of `queries`, each with the share of it whose words the tree has. A hit is a
/// flag for a literal hit, and its score.
pub(super) fn is_doubtful<'q>(
    profile: &Profile,
    mut queries: impl Iterator<Item = (&'q Query, f32)>,
    mut hits: impl Iterator<Item = (bool, f32)>,
) -> bool {
    let least = profile.scores.doubt;
    let mut most = least;
    queries.all(|(query, known)| {
        most = most.max(if known < LEAST_KNOWN { MOST_OF_UNKNOWN } else { 0.0 });
        query.terms.len() >= spyhop_search::MIN_TERMS_TO_DOUBT
    }) && hits.all(|(is_literal, score)| !is_literal && score < most)
}

/// The evidence that hits were ranked by.
fn evidence_used(used_session: bool, asked: &[RankedQuery<'_>]) -> String {
    let is_compared =
        |compared: &Option<ComparedFiles>| compared.as_ref().is_some_and(ComparedFiles::is_compared);
    let session = if used_session { "+session" } else { "" };
    let similar = if asked.iter().any(|own| is_compared(&own.ranking.similar)) { "+semantic" } else { "" };
    let expanded = if asked.iter().any(|own| is_compared(&own.ranking.expanded)) { "+expanded" } else { "" };
    let reranked = if asked.iter().any(|own| is_compared(&own.ranking.reranked)) { "+rerank" } else { "" };
    format!("lexical+symbol+path{session}{similar}{expanded}{reranked}")
}

/// What the caller should know of the comparison with vectors and of the reranking, each note once.
fn similar_notes(asked: &[RankedQuery<'_>]) -> Vec<String> {
    let of_models = asked
        .iter()
        .flat_map(|asked| [&asked.ranking.similar, &asked.ranking.expanded, &asked.ranking.reranked]);
    let mut notes: Vec<String> = of_models.filter_map(|own| own.as_ref()?.note.clone()).collect();
    notes.sort();
    notes.dedup();
    notes
}

/// A query is doubted up to [`MOST_OF_UNKNOWN`], if the tree has a smaller share of its words.
const LEAST_KNOWN: f32 = 0.4;

/// The score below which the hits of such a query do not answer.
const MOST_OF_UNKNOWN: f32 = 0.4;

/// The warning that hits are left out because of their scores. `file` has set the threshold, unless the caller has.
fn below_warning((below, min_score): (usize, f32), file: Option<&str>) -> Option<String> {
    let hits = if below == 1 { "1 hit scores" } else { &format!("{below} hits score") };
    let how = match file {
        Some(file) => format!("the min_score of {file}; min_score 0 shows every hit"),
        None => "the min_score; a lower one shows more".to_string(),
    };
    (below > 0).then(|| format!("{hits} below {min_score:.2}, {how}"))
}

/// The warnings about a query that was respelled or answered without its quotes.
fn query_warnings(asked: &RankedQuery<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    for replaced in asked.ranking.respelled.iter().flat_map(|respelled| &respelled.replaced) {
        let quoted: Vec<String> = replaced.instead.iter().map(|word| format!("'{word}'")).collect();
        let (typed, quoted) = (clean::line(&replaced.typed), quoted.join(", "));
        warnings.push(match replaced.is_name {
            true => format!("no name '{typed}' is defined; looked for {quoted}"),
            false => format!("no file contains '{typed}'; looked for {quoted}"),
        });
    }
    if has_open_quote(&asked.query.text) {
        warnings.push("the quote behind + does not end; its text is searched as words".to_string());
    }
    if asked.is_unquoted {
        let quoted: Vec<String> = asked.query.quoted.iter().map(|text| format!("\"{text}\"")).collect();
        warnings.push(format!("no file holds {}; answered without the quotes", quoted.join(" and ")));
    }
    warnings
}

/// Whether a text that must occur, `+"text"`, lacks its closing quote.
fn has_open_quote(query: &str) -> bool {
    let Some((before, _)) = query.rsplit_once('"') else { return false };
    let is_open = before.matches('"').count() % 2 == 0;
    is_open
        && before.strip_suffix('+').is_some_and(|rest| rest.is_empty() || rest.ends_with(char::is_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_that_does_not_end_is_seen() {
        for (query, expected) in [
            ("code +\"open", true),
            ("+\"open", true),
            ("code +\"closed\"", false),
            ("\"a\" +\"open", true),
            ("five \"inches", false),
            ("a+\"b", false),
            ("code", false),
        ] {
            assert_eq!(has_open_quote(query), expected, "{query}");
        }
    }
}
