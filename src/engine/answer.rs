//! From rankings to a reply: merging, paging, snippets read from the sources and checked against the index.

use std::borrow::Cow;

use memchr::memmem::Finder;
use rustc_hash::FxHashMap;
use tracing::debug_span;

use super::api::*;
use super::current::{Freshness, Viewed};
use super::everywhere::{Everywhere, Unranked};
use super::rows::{self, Row, What};
use super::source::Sources;
use super::{Engine, Error, few, lock, lookup};
use crate::filter::Filter;
use crate::grep::Line;
use crate::id::ContentHash;
use crate::model::SymbolKind;
use crate::parallel;
use crate::path::RelPath;
use crate::profile::Profile;
use crate::query::Query;
use crate::read;
use crate::search::{
    self, Beyond, Context, Contribution, Corpus, HitDisplay, Measured, Ranked, RankedFile, Ranking,
};
use crate::secrets;
use crate::session;
use crate::snippet::{self, DEFAULT_CHARS};
use crate::text::{LineIndex, Lines};

/// Whether a query of fewer terms has an answer cannot be told from the evidence: where every file holds them, no file has
/// more evidence than another.
const LEAST_TERMS_TO_DOUBT: usize = 3;

/// What a reply is made from.
pub struct Answer<'a> {
    engine: &'a Engine,
    corpus: &'a Corpus,
    filter: &'a Filter,
    request: &'a SearchRequest,
    sources: Sources<'a>,
    /// What is remembered of earlier calls, if the request wants it to count.
    session: Option<session::Session>,
}

/// A query that was asked, and what it ranks.
pub struct Asked<'q> {
    /// Its place among those of the request.
    pub place: usize,
    /// What was asked.
    pub query: &'q Query,
    /// The files and hits.
    pub ranking: Ranking,
    /// Whether every line that holds the query as written was counted.
    pub literal_complete: bool,
    /// The files that hold the query as written and are not ranked, if they were looked for.
    pub beyond: Vec<Unranked>,
    /// What one of them is worth.
    pub worth: Beyond,
    /// Whether no file holds what the query quotes, so that it was answered without that.
    pub is_unquoted: bool,
}

impl Asked<'_> {
    /// The query that was answered: the one that was asked, or the one that stands for it.
    fn query(&self) -> &Query {
        self.ranking.query(self.query)
    }

    /// The paths of the files that hold the query as written, if these are few.
    pub fn few<'p>(&'p self, corpus: &'p Corpus) -> Vec<&'p str> {
        let Ranking { holding, .. } = &self.ranking;
        if holding.len() + self.beyond.len() > search::FEW {
            return Vec::new();
        }
        let beyond = self.beyond.iter().map(|unranked| unranked.first.path.as_str());
        holding.iter().map(|file| corpus.path(*file)).chain(beyond).collect()
    }

    fn literal_lines(&self) -> usize {
        let beyond = self.beyond.iter().map(|unranked| unranked.lines as usize);
        self.ranking.literal_lines + beyond.sum::<usize>()
    }
}

impl<'a> Answer<'a> {
    /// What answers `request` from `corpus`.
    pub fn new(
        engine: &'a Engine,
        corpus: &'a Corpus,
        filter: &'a Filter,
        request: &'a SearchRequest,
    ) -> Result<Answer<'a>, Error> {
        let sources = Sources::new(engine.ground_of(Viewed::of(corpus))?, corpus);
        let session = match &request.session {
            Recall::Tree => Some(session::Session::Log(lock(&engine.touched).clone(), (engine.clock)())),
            Recall::Session(caller) => {
                Some(session::Session::Trail(caller.trail(engine.root(), engine.view(), request)))
            }
            Recall::Off => None,
        };
        Ok(Answer { engine, corpus, filter, request, sources, session })
    }

    /// Ranks every query and puts the reply together.
    pub fn reply(&self, queries: &[Query], freshness: Freshness) -> Result<SearchReply, Error> {
        let offset = lookup::offset(self.request.cursor.as_deref())?;
        let asked: Vec<Asked<'_>> = (queries.iter().enumerate())
            .map(|(place, query)| self.ask(place, query))
            .collect::<Result<_, Error>>()?;
        let rows =
            rows::merged(&asked, self.corpus, |row| row.literal || row.score >= self.request.min_score);
        let rows = few::lifted(rows, &asked, self.corpus);
        let total = rows.len();
        let doubt = self.doubt(&asked, &rows);
        let page = rows.into_iter().skip(offset).take(self.request.max_results);
        let hit = |row: Row| match row.what {
            What::Ranked(ranked) => self.hit(&asked[row.query], ranked),
            What::Beyond(place, worth) => self.beyond(&asked[row.query], place, &worth),
        };
        let sweep = || self.corpus.sweep();
        let results = parallel::map(self.corpus.is_large(), page.collect(), hit, sweep);
        let results = results.into_iter().collect::<Result<Vec<Hit>, Error>>()?;
        let end = offset + results.len();
        let text: Vec<&str> = queries.iter().map(|query| query.text.as_str()).collect();
        let used_session = self.session.as_ref().is_some_and(|session| !session.is_empty());
        Ok(SearchReply {
            query: text.join(" | "),
            results,
            backend: format!("lexical+symbol+path{}", if used_session { "+session" } else { "" }),
            fallback_grep_hits: asked.iter().map(Asked::literal_lines).sum(),
            total,
            complete: asked.iter().all(|asked| asked.literal_complete) && !self.corpus.key().staged,
            next: lookup::next(self.corpus, end, total),
            snapshot: self.engine.snapshot(Some(Viewed::of(self.corpus)), &freshness),
            warnings: freshness
                .warnings
                .into_iter()
                .chain(asked.iter().flat_map(said))
                .chain(doubt)
                .collect(),
        })
    }

    /// The warning that nothing seems to answer, where that is likely.
    fn doubt(&self, asked: &[Asked<'_>], rows: &[Row]) -> Option<String> {
        let hits = rows.iter().map(|row| (row.literal, row.evidence));
        (!rows.is_empty() && self.is_doubtful(asked.iter().map(|asked| asked.query), hits))
            .then(|| "nothing here seems to answer this; the best places hold little of it".to_string())
    }

    /// Whether hits, each a literal one or not and with its uncalibrated score, are too weak to answer any of `queries`.
    fn is_doubtful<'q>(
        &self,
        mut queries: impl Iterator<Item = &'q Query>,
        mut hits: impl Iterator<Item = (bool, f32)>,
    ) -> bool {
        let least = self.profile().scores.doubt;
        queries.all(|query| query.terms.len() >= LEAST_TERMS_TO_DOUBT)
            && hits.all(|(is_literal, evidence)| !is_literal && evidence < least)
    }

    /// Ranks one query.
    pub fn rank(&self, query: &Query) -> Result<Ranking, Error> {
        Ok(self.ask(0, query)?.ranking)
    }

    /// Ranks the query at `place` and finds what else holds it, if the request wants that.
    fn ask<'q>(&self, place: usize, query: &'q Query) -> Result<Asked<'q>, Error> {
        let everywhere = match self.request.exhaustive {
            true => Some(self.engine.everywhere(self.corpus, self.filter, &query.text)?),
            false => None,
        };
        let filter = self.filter_of(query, everywhere.as_ref())?;
        let is_unquoted = !query.quoted.is_empty() && matches!(filter, Cow::Borrowed(_));
        let known = everywhere.as_ref().map(|everywhere| &everywhere.known);
        let ranking = self.search(query, &filter, known)?;
        let mut beyond = everywhere.map(|everywhere| everywhere.beyond).unwrap_or_default();
        let mut literal_complete = ranking.literal_complete;
        if self.filter.kinds().is_some() {
            // In which items the lines stand is not known of what is not ranked.
            literal_complete &= beyond.is_empty();
            beyond.clear();
        }
        let worth = search::beyond(query, self.profile(), &ranking.standing);
        Ok(Asked { place, query, ranking, literal_complete, beyond, worth, is_unquoted })
    }

    /// The files that are ordered when these hold the query, best first.
    pub fn ranked_of(&self, query: &Query, everywhere: &search::Everywhere) -> Result<Vec<u32>, Error> {
        let ranking = self.search(query, self.filter, Some(everywhere))?;
        Ok(ranking.files.into_iter().map(|ranked| ranked.file).collect())
    }

    /// Whether a file holds anything of a query, whatever its rank.
    pub fn matches(&self, query: &Query, path: &RelPath) -> Result<bool, Error> {
        let filter = self.filter_of(query, None)?;
        let source = |file: u32, wanted: &Finder<'_>| self.sources.read(file, Some(wanted), true);
        Ok(search::matches(query, &self.context(&filter, None), &source, path.as_str())?)
    }

    /// Why a file ranks where it does.
    pub fn file_reasons(&self, query: &Query, ranked: &RankedFile) -> Result<Vec<Contribution>, Error> {
        Ok(search::file_reasons(query, &self.context(self.filter, None), ranked)?)
    }

    /// The files of the head, with what each measures on every signal.
    pub fn candidates(&self, query: &Query) -> Result<Candidates, Error> {
        let ranking = self.rank(query)?;
        let measured: Vec<Measured> = ranking.files.iter().map(|ranked| ranked.measured.clone()).collect();
        let forms = search::forms(&measured);
        let mut first: FxHashMap<usize, &Ranked> = FxHashMap::default();
        for hit in &ranking.hits {
            first.entry(hit.file).or_insert(hit);
        }
        let shown = ranking.files.iter().zip(forms).enumerate();
        let with_hits =
            shown.filter_map(|(place, (ranked, forms))| Some((first.get(&place)?, ranked, forms)));
        let files = with_hits
            .map(|(hit, ranked, forms)| {
                let face = search::face(query, self.filter.kinds(), self.corpus, hit)?;
                Ok(Candidate {
                    path: RelPath::new(self.corpus.version(ranked.file).path())?,
                    lines: face.lines,
                    sum: ranked.raw,
                    standing: ranking.standing.of_head(ranked.raw),
                    forms,
                })
            })
            .collect::<Result<_, Error>>()?;
        let hits = ranking.hits.iter().map(|hit| (hit.literal, hit.evidence));
        Ok(Candidates {
            kind: query.kind,
            is_report: query.is_report,
            is_doubted: !ranking.hits.is_empty() && self.is_doubtful(std::iter::once(query), hits),
            files,
        })
    }

    /// What every place of the first files measures.
    pub fn place_candidates(&self, query: &Query) -> Result<Vec<FilePlaces>, Error> {
        let ranking = self.rank(query)?;
        let of_file = |(ranked, places): (&RankedFile, Vec<search::MeasuredPlace>)| {
            let candidate = |own: search::MeasuredPlace| PlaceCandidate {
                lines: own.place.lines,
                share: own.place.share,
                measures: own.values,
            };
            let path = RelPath::new(self.corpus.version(ranked.file).path())?;
            Ok(FilePlaces { path, places: places.into_iter().map(candidate).collect() })
        };
        ranking.files.iter().zip(ranking.places).map(of_file).collect()
    }

    /// The filter, narrowed to the files that hold what a query quotes; where there is none, as it is.
    fn filter_of(&self, query: &Query, everywhere: Option<&Everywhere>) -> Result<Cow<'_, Filter>, Error> {
        if query.quoted.is_empty() {
            return Ok(Cow::Borrowed(self.filter));
        }
        let mut files = self.engine.files_with_all(Viewed::of(self.corpus), self.filter, &query.quoted)?;
        if let Some(everywhere) = everywhere {
            // What holds the whole query holds its parts.
            files.extend(everywhere.ranked(self.corpus).map(str::to_string));
        }
        Ok(match files.is_empty() {
            true => Cow::Borrowed(self.filter),
            false => Cow::Owned(self.filter.only(files)),
        })
    }

    fn search(
        &self,
        query: &Query,
        filter: &Filter,
        everywhere: Option<&search::Everywhere>,
    ) -> Result<Ranking, Error> {
        let keeps = everywhere.is_none();
        let source = |file: u32, wanted: &Finder<'_>| self.sources.read(file, Some(wanted), keeps);
        Ok(search::search(query, &self.context(filter, everywhere), &source)?)
    }

    fn context<'c>(&'c self, filter: &'c Filter, everywhere: Option<&'c search::Everywhere>) -> Context<'c> {
        Context {
            corpus: self.corpus,
            grammars: &self.engine.grammars,
            tokenizers: &self.engine.tokenizers,
            profile: self.profile(),
            filter,
            session: self.session.as_ref(),
            per_file: self.request.per_file,
            everywhere,
        }
    }

    /// A ranked hit as it is shown.
    pub fn hit(&self, asked: &Asked<'_>, ranked: Ranked) -> Result<Hit, Error> {
        let query = asked.query();
        let file = &asked.ranking.files[ranked.file];
        let reasons = search::reasons(query, &self.context(self.filter, None), file, &ranked)?;
        let face = debug_span!("search.face")
            .in_scope(|| search::face(query, self.filter.kinds(), self.corpus, &ranked))?;
        let _span = debug_span!("search.snippet").entered();
        let version = self.corpus.version(file.file);
        let is_path_only = read::is_path_only(version.hash());
        if is_path_only && ranked.literal {
            let path = RelPath::new(version.path())?;
            if let Some(first) = self.engine.first_line(self.sources.ground(), &path, &asked.query.text)? {
                let hit = self.by_line(asked, &first, ranked.score, reasons);
                return Ok(self.once(hit));
            }
        }
        let source = self.sources.text(file.file);
        let stale = !is_path_only && source.is_none();
        // A snippet of other content would be a wrong one.
        let snippet = source.and_then(|source| self.snippet(&face, file, query, (version.path(), &source)));
        let hit = Hit {
            lines: face.lines,
            kind: face.kind,
            symbol: face.symbol,
            language: self.engine.grammars.name(version.language()),
            content: snippet.as_ref().map(|_| version.hash()),
            snippet,
            sent_before: None,
            score: ranked.score,
            band: Band::of(ranked.score),
            reasons: reasons.into_iter().map(shown).collect(),
            stale,
            query_index: asked.place,
            path: RelPath::new(version.path())?,
        };
        Ok(self.once(hit))
    }

    /// A hit without its text, if the caller has that already and wants to be told so.
    fn once(&self, hit: Hit) -> Hit {
        let Recall::Session(session) = &self.request.session else { return hit };
        match session.sent_before(self.engine.root(), &hit).filter(|_| self.request.dedupe) {
            Some(sent) => Hit { snippet: None, sent_before: Some(sent), ..hit },
            None => hit,
        }
    }

    fn profile(&self) -> &Profile {
        self.request.profile.as_deref().unwrap_or(Profile::built_in())
    }

    /// A file that is not ranked, as it is shown.
    fn beyond(&self, asked: &Asked<'_>, place: usize, worth: &Beyond) -> Result<Hit, Error> {
        let Unranked { lines, first } = &asked.beyond[place];
        Ok(self.once(self.by_line(asked, first, worth.score, worth.reasons(*lines))))
    }

    /// A file of which no text is indexed, as it is shown: by its first line that holds the query.
    fn by_line(&self, asked: &Asked<'_>, first: &Line, score: f32, reasons: Vec<Contribution>) -> Hit {
        let line = Lines { first: first.number, last: first.number };
        let shows = self.request.mode != Mode::Compact;
        let snippet = shows.then(|| Snippet {
            head: Vec::new(),
            text: first.text.clone(),
            lines: line,
            highlights: first.highlights.clone(),
            cut: first.cut,
        });
        Hit {
            lines: line,
            kind: SymbolKind::Text,
            symbol: None,
            language: self.engine.grammars.name(self.engine.language_now(&first.path, self.sources.ground())),
            // The line is all that is known of it.
            content: snippet.as_ref().map(|snippet| ContentHash::of(snippet.text.as_bytes())),
            snippet,
            sent_before: None,
            score,
            band: Band::of(score),
            reasons: reasons.into_iter().map(shown).collect(),
            stale: false,
            query_index: asked.place,
            path: first.path.clone(),
        }
    }

    fn snippet(
        &self,
        face: &HitDisplay,
        file: &RankedFile,
        query: &Query,
        (path, source): (&str, &str),
    ) -> Option<Snippet> {
        let max_chars = match self.request.mode {
            Mode::Compact => return None,
            Mode::Default => Some(DEFAULT_CHARS),
            Mode::Debug => None,
        };
        let mask = file.measured.known.body_mask | file.measured.known.path_mask;
        let held = query.terms.iter().enumerate().filter(|(place, _)| mask & (1 << place) != 0);
        let terms: Vec<String> = held.map(|(_, term)| term.term.clone()).collect();
        let request = snippet::Request {
            lines: face.lines,
            span: face.span,
            wanted: face.wanted,
            head: &face.head,
            expand: self.request.expand,
            max_chars,
            terms: &terms,
            literal: &query.text,
        };
        let index = LineIndex::new(source);
        // Masks are as long as what they stand for, so lines are where they were.
        let masked = self.engine.cover(path, source).map(|cover| {
            let above = face.head.iter().map(|line| Lines { first: *line, last: *line });
            let shown = above.chain([snippet::extent(&index, &request)]);
            shown.fold(Cow::Borrowed(source), |source, lines| {
                let masked = secrets::mask_lines(&source, index.span_of(lines).range(), &cover);
                match masked {
                    Cow::Owned(masked) => Cow::Owned(masked),
                    Cow::Borrowed(_) => source,
                }
            })
        });
        let source = masked.as_deref().unwrap_or(source);
        Some(snippet::snippet(source, &index, &request, &mut self.engine.tokenizers.take()))
    }
}

/// What is said of a query that could not be answered as it stands.
fn said(asked: &Asked<'_>) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(respelled) = &asked.ranking.respelled {
        let quoted: Vec<String> = respelled.query.names.iter().map(|name| format!("'{name}'")).collect();
        said.push(format!("no name '{}' is defined; looked for {}", respelled.typed, quoted.join(", ")));
    }
    if asked.is_unquoted {
        let quoted: Vec<String> = asked.query.quoted.iter().map(|text| format!("\"{text}\"")).collect();
        said.push(format!("no file holds {}; answered without the quotes", quoted.join(" and ")));
    }
    said
}

fn shown(reason: Contribution) -> Reason {
    Reason { signal: reason.signal, share: reason.share, text: reason.text }
}
