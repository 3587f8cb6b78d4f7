//! From rankings to a reply: merging, paging, and snippets from sources that are checked against the index.

use std::sync::Arc;

use memchr::memmem::Finder;
use rustc_hash::{FxHashMap, FxHashSet};
use tracing::debug_span;

use super::api::*;
use super::asked_queries::{AskedQueries, lost_query};
use super::core::Engine;
use super::exhaustive::{self, ExhaustiveMatches, UnrankedFile};
use super::lead::lead;
use super::member::{MemberTree, MemberTrees};
use super::open_index::Viewed;
use super::origin::ReplyOrigin;
use super::ranked_query::RankedQuery;
use super::reply_page::{ReplyPage, is_doubtful};
use super::rows::{self, RowKind};
use super::source::ReplySources;
use super::{cancel, literal_files, lookup, semantic};
use crate::error::Error;
use spyhop_base::id::{ContentHash, LanguageId};
use spyhop_base::model::SymbolKind;
use spyhop_base::path::RelPath;
use spyhop_base::text::{LineIndex, Lines};
use spyhop_grep::Line;
use spyhop_search::filter::Filter;
use spyhop_search::profile::Profile;
use spyhop_search::query::Query;
use spyhop_search::session;
use spyhop_search::snippet::{self, DEFAULT_CHARS};
use spyhop_search::{
    self, Context, Contribution, HitDisplay, MeasuredFile, Ranked, RankedFile, Ranking, Reranker,
    SearchSnapshot, SimilarTexts, UnrankedMatch,
};
use spyhop_semantic::StoredKind;
use spyhop_syntax::document::page_of;

/// A hit without its text.
#[derive(Clone)]
pub(crate) struct FoundPlace {
    /// The file, as a number of the snapshot.
    pub file: u32,
    pub lines: Lines,
    pub kind: SymbolKind,
    pub symbol: Option<String>,
    /// How far the place leads, 0 to 1.
    pub lead: f32,
    pub reasons: Vec<Reason>,
}

/// The request and the snapshot of a reply.
pub(crate) struct AnswerContext<'a> {
    pub(super) engine: &'a Engine,
    pub(super) snapshot: &'a SearchSnapshot,
    filter: &'a Filter,
    pub(super) request: &'a SearchRequest,
    pub(super) trees: MemberTrees<'a>,
    /// Whose earlier work counts.
    activity: ActivitySource,
    /// The record of earlier calls, unless the request excludes it.
    session: Option<session::ActivityRecord>,
    models: Models,
}

/// The models that compare the texts of the first files with the queries, if the trees have opted in.
struct Models {
    similar: Option<Arc<dyn SimilarTexts>>,
    expanded: Option<Arc<dyn SimilarTexts>>,
    reranker: Option<Arc<dyn Reranker>>,
}

impl<'a> AnswerContext<'a> {
    /// The context for answering `request` from `snapshot`.
    pub fn new(
        engine: &'a Engine,
        snapshot: &'a SearchSnapshot,
        filter: &'a Filter,
        (request, activity): (&'a SearchRequest, &ActivitySource),
    ) -> Result<AnswerContext<'a>, Error> {
        let tree = engine.tree().source_of(Viewed::from_snapshot(snapshot))?;
        let sources = Arc::new(ReplySources::new(tree, snapshot));
        Ok(AnswerContext::with_sources(engine, snapshot, filter, (request, activity), sources))
    }

    /// The context for answering `request`, with sources that other parts of the answer read too.
    pub fn with_sources(
        engine: &'a Engine,
        snapshot: &'a SearchSnapshot,
        filter: &'a Filter,
        (request, activity): (&'a SearchRequest, &ActivitySource),
        sources: Arc<ReplySources<'a>>,
    ) -> AnswerContext<'a> {
        let trees = MemberTrees::one(engine, snapshot, sources);
        let session = match activity {
            ActivitySource::AnyCaller => {
                Some(session::ActivityRecord::Log(engine.touches().log(), engine.now()))
            }
            ActivitySource::Session(caller) => {
                caller.see(engine.root(), Viewed::from_snapshot(snapshot));
                Some(session::ActivityRecord::Trail(caller.trail(engine.root(), engine.view(), request)))
            }
            ActivitySource::Ignored => None,
        };
        let activity = activity.clone();
        let [similar, expanded] = StoredKind::ALL.map(|kind| engine.semantic().similar(kind));
        let models = Models { similar, expanded, reranker: engine.semantic().reranker() };
        AnswerContext { engine, snapshot, filter, request, trees, activity, session, models }
    }

    /// The context for answering `request` from the joined `snapshot` of several trees, which vectors compare if all trees
    /// have those of one model. Earlier calls do not count, and nothing is reranked: a tree's opt-in is not about the texts of
    /// another tree. Secrets are masked if one of the engines masks them.
    pub fn joined(
        trees: MemberTrees<'a>,
        snapshot: &'a SearchSnapshot,
        filter: &'a Filter,
        request: &'a SearchRequest,
    ) -> AnswerContext<'a> {
        let engine = trees.masking_engine();
        let (activity, session) = (ActivitySource::Ignored, None);
        let [similar, expanded] = StoredKind::ALL.map(|kind| semantic::similar_in_all(kind, trees.engines()));
        let models = Models { similar, expanded, reranker: None };
        AnswerContext { engine, snapshot, filter, request, trees, activity, session, models }
    }

    /// Ranks every query and assembles the reply.
    pub fn reply(&self, all: &AskedQueries, origin: ReplyOrigin) -> Result<SearchReply, Error> {
        let queries = &all.parsed;
        let offset = lookup::parse_offset(self.request.cursor.as_deref())?;
        if let (Some(similar), [_, _, ..]) = (&self.models.similar, &queries[..]) {
            similar.prepare(&queries.iter().map(|query| query.text.as_str()).collect::<Vec<_>>());
        }
        let (mut asked, mut lost) = self.ask_all(all)?;
        let (page, mut results) = loop {
            let mut page = ReplyPage::new(&asked, self.snapshot, (self.request, self.profile()), offset);
            match self.page_of(&asked, std::mem::take(&mut page.rows))? {
                Ok(results) => break (page, results),
                // The others are merged again without the query whose hit could not be shown.
                Err((at, fault)) if asked.len() > 1 => {
                    lost.push(lost_query(&asked.remove(at).query.text, &fault))
                }
                Err((_, fault)) => return Err(fault),
            }
        };
        let unknown = |asked: &RankedQuery<'_>| spyhop_search::unknown_words(asked.query, self.snapshot);
        let unknown = asked.iter().map(unknown).collect::<Result<Vec<_>, _>>()?;
        let is_first_of_one = offset == 0 && all.is_one() && self.trees.all().len() == 1;
        if self.request.name_callers && is_first_of_one {
            self.name_callers(&mut results);
            cancel::check()?;
        }
        let used_session = self.session.as_ref().is_some_and(|session| !session.is_empty());
        Ok(page.reply((all, &asked, unknown), results, (origin, lost), used_session))
    }

    /// Ranks one query.
    pub fn rank(&self, query: &Query) -> Result<Ranking, Error> {
        Ok(self.ask(0, query)?.ranking)
    }

    /// Ranks the query at `place` and, for an exhaustive request, finds the other files that contain it.
    pub(super) fn ask<'q>(&self, place: usize, query: &'q Query) -> Result<RankedQuery<'q>, Error> {
        let exhaustive = match self.request.exhaustive {
            true => Some(self.exhaustive(&query.text)?),
            false => None,
        };
        let quoting = self.quoting_files(query, exhaustive.as_ref())?;
        let is_unquoted = !query.quoted.is_empty() && quoting.is_none();
        let known = exhaustive.as_ref().map(|exhaustive| &exhaustive.known);
        let ranking = self.search(query, quoting.as_ref(), known)?;
        let mut unranked = exhaustive.map(|exhaustive| exhaustive.unranked).unwrap_or_default();
        let mut literal_complete = ranking.literal_complete;
        if self.filter.kinds().is_some() {
            // The items of unranked files are unknown, so the filter by kind cannot be applied.
            literal_complete &= unranked.is_empty();
            unranked.clear();
        }
        let worth = spyhop_search::unranked(query, self.profile(), &ranking.calibration);
        Ok(RankedQuery { place, query, ranking, literal_complete, unranked, worth, is_unquoted })
    }

    /// Whether secrets are masked.
    fn masks(&self) -> bool {
        !self.engine.policy().show_secrets
    }

    /// The engine by whose settings secrets are masked.
    pub fn engine(&self) -> &Engine {
        self.engine
    }

    /// Whether the filter of the request takes a file.
    pub fn takes_file(&self, path: &str, language: LanguageId) -> bool {
        self.filter.takes_file(path, language)
    }

    /// The first `most` hits of a query in the order of a reply, without their texts.
    pub fn places(&self, query: &Query, most: usize) -> Result<Vec<FoundPlace>, Error> {
        let asked = [self.ask(0, query)?];
        let rows =
            literal_files::lifted(rows::merged(&asked, self.snapshot, |_| true), &asked, self.snapshot);
        let mut places = Vec::new();
        for row in rows.into_iter().take(most) {
            let RowKind::Ranked(ranked) = row.kind else { continue };
            let [asked] = &asked;
            let query = asked.query();
            let file = &asked.ranking.files[ranked.file];
            let text = self.trees.text(file.file);
            let text = text.as_ref().map(|text| text.as_str());
            let reasons =
                spyhop_search::reasons(query, &self.context(None, None), &asked.ranking, &ranked, text)?;
            let face = self.face(query, &ranked)?;
            places.push(FoundPlace {
                file: file.file,
                lines: face.lines,
                kind: face.kind,
                symbol: face.symbol,
                lead: lead(query, &asked.ranking.calibration, ranked.raw),
                reasons: reasons.into_iter().map(reason_row).collect(),
            });
        }
        Ok(places)
    }

    /// The ranked files, best first, given the lines that contain the query.
    pub(crate) fn ranked_of(
        &self,
        query: &Query,
        exhaustive: &spyhop_search::ExhaustivePass,
    ) -> Result<Vec<u32>, Error> {
        let ranking = self.search(query, None, Some(exhaustive))?;
        Ok(ranking.files.into_iter().map(|ranked| ranked.file).collect())
    }

    /// Whether a file matches any part of a query, regardless of its rank.
    pub fn matches(&self, query: &Query, file: u32) -> Result<bool, Error> {
        let quoting = self.quoting_files(query, None)?;
        let source = |file: u32, wanted: &Finder<'_>| self.trees.read(file, Some(wanted), true);
        Ok(spyhop_search::matches(query, &self.context(quoting.as_ref(), None), &source, file)?)
    }

    /// The files of the head, each with its measures on every signal.
    pub fn candidates(&self, query: &Query) -> Result<RankedCandidates, Error> {
        let ranking = self.rank(query)?;
        let measured: Vec<MeasuredFile> =
            ranking.files.iter().map(|ranked| ranked.measured.clone()).collect();
        let measures = spyhop_search::feature_measures(&measured);
        let mut first: FxHashMap<usize, &Ranked> = FxHashMap::default();
        for hit in &ranking.hits {
            first.entry(hit.file).or_insert(hit);
        }
        let shown = ranking.files.iter().zip(measures.into_iter().zip(&ranking.inputs)).enumerate();
        let with_hits =
            shown.filter_map(|(place, (ranked, of_file))| Some((first.get(&place)?, ranked, of_file)));
        let files = with_hits
            .map(|(hit, ranked, (measures, inputs))| {
                let face = self.face(query, hit)?;
                Ok(RankedCandidate {
                    path: RelPath::new(self.snapshot.version(ranked.file).path())?,
                    lines: face.lines,
                    sum: ranked.raw,
                    score: hit.score,
                    inputs: *inputs,
                    measures,
                })
            })
            .collect::<Result<_, Error>>()?;
        let hits = ranking.hits.iter().map(|hit| (hit.literal, hit.score));
        Ok(RankedCandidates {
            kind: query.kind,
            is_report: query.is_report,
            is_doubted: !ranking.hits.is_empty()
                && is_doubtful(self.profile(), std::iter::once((query, ranking.known_share())), hits),
            files,
        })
    }

    /// The measures of every place of the first files.
    pub fn place_candidates(&self, query: &Query) -> Result<Vec<FilePlaces>, Error> {
        let ranking = self.rank(query)?;
        let of_file = |(ranked, places): (&RankedFile, Vec<spyhop_search::MeasuredPlace>)| {
            let candidate = |own: spyhop_search::MeasuredPlace| PlaceCandidate {
                lines: own.place.lines,
                probability: own.place.probability,
                measures: own.values,
            };
            let path = RelPath::new(self.snapshot.version(ranked.file).path())?;
            Ok(FilePlaces { path, places: places.into_iter().map(candidate).collect() })
        };
        ranking.files.iter().zip(ranking.places).map(of_file).collect()
    }

    /// The result of an exact search for `text` in all trees.
    pub(super) fn exhaustive(&self, text: &str) -> Result<ExhaustiveMatches, Error> {
        let mut all = ExhaustiveMatches::default();
        for (member, tree) in self.trees.all().iter().enumerate() {
            let own = exhaustive::exhaustive(tree.engine, tree.snapshot, self.filter, text, self.masks())?;
            all.add(own, member, tree.first_file);
        }
        Ok(all)
    }

    /// The result of an exact search that was made already: the indexed files by path, with their numbers of matching lines.
    #[cfg(feature = "serde")]
    pub(super) fn listed(&self, files: &[(String, u32)]) -> ExhaustiveMatches {
        let number = |path: &String| {
            let own = |tree: &MemberTree<'_>| Some(tree.first_file + tree.snapshot.file_at(path)?);
            self.trees.all().iter().find_map(own)
        };
        let lines = files.iter().filter_map(|(path, lines)| Some((number(path)?, *lines))).collect();
        let known = spyhop_search::ExhaustivePass { candidates: Vec::new(), lines, complete: true };
        ExhaustiveMatches { known, unranked: Vec::new() }
    }

    /// The files that contain every quoted part of the query; `None` if the query quotes nothing, or if there is no such
    /// file.
    fn quoting_files(
        &self,
        query: &Query,
        exhaustive: Option<&ExhaustiveMatches>,
    ) -> Result<Option<FxHashSet<u32>>, Error> {
        let files = self.files_quoting(&query.quoted, exhaustive)?;
        Ok(files.filter(|files| !files.is_empty()))
    }

    /// The files that contain every one of `quoted`, or the whole query; `None` if there is none to contain.
    pub(super) fn files_quoting(
        &self,
        quoted: &[String],
        exhaustive: Option<&ExhaustiveMatches>,
    ) -> Result<Option<FxHashSet<u32>>, Error> {
        if quoted.is_empty() {
            return Ok(None);
        }
        // A file that contains the whole query contains its parts.
        let whole = exhaustive.iter().flat_map(|exhaustive| &exhaustive.known.lines);
        let mut files: FxHashSet<u32> = whole.map(|(file, _)| *file).collect();
        for tree in self.trees.all() {
            let viewed = Viewed::from_snapshot(tree.snapshot);
            let paths = exhaustive::files_with_all(tree.engine, viewed, self.filter, quoted)?;
            let numbers = paths.iter().filter_map(|path| tree.snapshot.file_at(path));
            files.extend(numbers.map(|file| tree.first_file + file));
        }
        Ok(Some(files))
    }

    fn search(
        &self,
        query: &Query,
        quoting: Option<&FxHashSet<u32>>,
        exhaustive: Option<&spyhop_search::ExhaustivePass>,
    ) -> Result<Ranking, Error> {
        let keeps = exhaustive.is_none();
        let source = |file: u32, wanted: &Finder<'_>| self.trees.read(file, Some(wanted), keeps);
        Ok(spyhop_search::search(query, &self.context(quoting, exhaustive), &source)?)
    }

    pub(super) fn context<'c>(
        &'c self,
        quoting: Option<&'c FxHashSet<u32>>,
        exhaustive: Option<&'c spyhop_search::ExhaustivePass>,
    ) -> Context<'c> {
        Context {
            snapshot: self.snapshot,
            grammars: self.engine.grammars(),
            tokenizers: self.engine.parsers().tokenizers(),
            profile: self.profile(),
            signals: &self.engine.options().signals,
            filter: self.filter,
            quoting,
            session: self.session.as_ref(),
            per_file: self.request.per_file,
            similar: self.models.similar.as_deref(),
            expanded: self.models.expanded.as_deref(),
            reranker: self.models.reranker.as_deref(),
            exhaustive,
            statistics: None,
        }
    }

    fn face(
        &self,
        query: &Query,
        ranked: &Ranked,
    ) -> Result<spyhop_search::HitDisplay, spyhop_search::SearchError> {
        spyhop_search::face(
            query,
            self.filter.kinds(),
            self.snapshot,
            self.engine.parsers().tokenizers(),
            ranked,
        )
    }

    /// Converts a ranked hit to a hit of the reply.
    pub fn hit(&self, asked: &RankedQuery<'_>, ranked: Ranked) -> Result<Hit, Error> {
        let query = asked.query();
        let file = &asked.ranking.files[ranked.file];
        let text = self.trees.text(file.file);
        let shown = text.as_ref().map(|text| text.as_str());
        let context = self.context(None, None);
        let reasons = debug_span!("search.reasons")
            .in_scope(|| spyhop_search::reasons(query, &context, &asked.ranking, &ranked, shown))?;
        let face = debug_span!("search.face").in_scope(|| self.face(query, &ranked))?;
        let _span = debug_span!("search.snippet").entered();
        let version = self.snapshot.version(file.file);
        let tree = self.trees.of_file(file.file);
        let is_path_only = version.content().is_path_only();
        if is_path_only && ranked.literal {
            let path = RelPath::new(version.path())?;
            if let Some(first) =
                exhaustive::first_line(tree.sources.source_tree(), &path, &asked.query.text, self.masks())?
            {
                let hit = self.hit_by_line(asked.place, tree, &first, (ranked.score, reasons));
                return Ok(self.deduplicated(hit));
            }
        }
        let stale = !is_path_only && text.is_none();
        // The text must come from the indexed content.
        let shown_as = |face: &HitDisplay| {
            text.as_ref().map(|text| self.shown_text(face, file, query, (version.path(), text)))
        };
        let mut shown = shown_as(&face);
        let kinds = self.filter.kinds();
        let mut face = face;
        if let Some((_, line)) = &shown
            && let Some(of_line) =
                spyhop_search::face_of_line(&face, kinds, self.snapshot, &ranked, line.line)?
        {
            shown = shown_as(&of_line);
            face = of_line;
        }
        let (snippet, representative_line) = shown.unzip();
        let snippet = snippet.flatten();
        let language = self.engine.grammars().name(version.language());
        let hit = Hit {
            lines: face.lines,
            kind: face.kind,
            symbol: face.symbol,
            page: text
                .as_ref()
                .and_then(|text| page(language, text, representative_line.as_ref(), face.lines)),
            language,
            content: snippet.as_ref().and_then(|_| version.content().ranked()),
            snippet,
            representative_line,
            sent_before: None,
            score: ranked.score,
            band: Band::of(ranked.score),
            reasons: reasons.into_iter().map(reason_row).collect(),
            callers: None,
            stale,
            query_index: Some(asked.place),
            source: tree.name.clone(),
            also_in: Vec::new(),
            path: RelPath::new(version.path())?,
        };
        Ok(self.deduplicated(hit))
    }

    /// Replaces the snippet of a hit by a reference, if the request deduplicates and the caller was sent the text
    /// before.
    fn deduplicated(&self, hit: Hit) -> Hit {
        let ActivitySource::Session(session) = &self.activity else { return hit };
        match session.sent_before(self.engine.root(), &hit).filter(|_| self.request.dedupe) {
            Some(sent) => Hit { snippet: None, sent_before: Some(sent), ..hit },
            None => hit,
        }
    }

    fn profile(&self) -> &Profile {
        self.request.profile.as_deref().unwrap_or(Profile::built_in())
    }

    /// Converts an unranked file to a hit of the reply.
    pub(super) fn unranked_hit(
        &self,
        asked: &RankedQuery<'_>,
        place: usize,
        worth: &UnrankedMatch,
    ) -> Result<Hit, Error> {
        let UnrankedFile { member, lines, first } = &asked.unranked[place];
        let tree = &self.trees.all()[*member];
        Ok(self.deduplicated(self.hit_by_line(
            asked.place,
            tree,
            first,
            (worth.score, worth.reasons(*lines)),
        )))
    }

    /// For a shard: the hits of the files without indexed text that contain `text`, each with its number of lines, without score and reasons.
    #[cfg(feature = "serde")]
    pub(super) fn unranked_hits(&self, text: &str) -> Result<Vec<(u32, Hit)>, Error> {
        let found = self.exhaustive(text)?.unranked;
        let hit = |own: &UnrankedFile| {
            let tree = &self.trees.all()[own.member];
            (own.lines, self.hit_by_line(0, tree, &own.first, (0.0, Vec::new())))
        };
        Ok(found.iter().map(hit).collect())
    }

    /// The hit of a file without indexed text: its first line that contains the query at `place`.
    fn hit_by_line(
        &self,
        place: usize,
        tree: &MemberTree<'_>,
        first: &Line,
        (score, reasons): (f32, Vec<Contribution>),
    ) -> Hit {
        let line = Lines { first: first.number, last: first.number };
        let shows = self.request.mode != Mode::Compact;
        let (text, highlights) = (first.text.clone(), first.highlights.clone());
        let representative_line = SourceLine::new(first.number, text.clone(), highlights.clone());
        let snippet = shows.then(|| Snippet::of_line(first.number, text, highlights, first.cut));
        Hit {
            lines: line,
            kind: SymbolKind::Text,
            symbol: None,
            page: None,
            language: tree
                .engine
                .grammars()
                .name(tree.engine.language_now(&first.path, tree.sources.source_tree())),
            // Only the line is known, so the hash is that of the line.
            content: snippet.as_ref().map(|snippet| ContentHash::of(snippet.text.as_bytes())),
            snippet,
            representative_line: Some(representative_line),
            sent_before: None,
            score,
            band: Band::of(score),
            reasons: reasons.into_iter().map(reason_row).collect(),
            callers: None,
            stale: false,
            query_index: Some(place),
            source: tree.name.clone(),
            also_in: Vec::new(),
            path: first.path.clone(),
        }
    }

    /// The snippet of a hit, unless the mode is compact, and the line that says most about the hit.
    fn shown_text(
        &self,
        face: &HitDisplay,
        file: &RankedFile,
        query: &Query,
        (path, source): (&str, &str),
    ) -> (Option<Snippet>, SourceLine) {
        let max_chars = (self.request.mode != Mode::Debug).then_some(DEFAULT_CHARS);
        let mask = file.measured.row.body_mask | file.measured.row.path_mask;
        let held = query.terms.iter().enumerate().filter(|(place, _)| mask & (1 << place) != 0);
        let terms: Vec<String> = held.map(|(_, term)| term.term.clone()).collect();
        let index = LineIndex::new(source);
        let mut head = face.head.clone();
        let mut signature = None;
        if let (Some(first), Some(symbol)) = (head.pop(), &face.symbol) {
            let named = snippet::lines_of_name(source, &index, first, symbol);
            head.extend(named.first..=named.last);
            signature = Some(named.last);
        }
        let request = snippet::SnippetRequest {
            lines: face.lines,
            span: face.span,
            wanted: face.wanted,
            head: &head,
            expand: self.request.expand,
            max_chars,
        };
        let mut tokenizer = self.engine.parsers().tokenizers().take();
        let mut matcher = snippet::SnippetMatcher::new(&terms, &query.text, &mut tokenizer);
        // The line of the hit is in its snippet.
        let best = snippet::shown_lines(source, &index, &request, &mut matcher);
        let of_snippet = snippet::SnippetRequest { lines: best, ..request };
        let telling = snippet::representative_line(source, &index, &of_snippet, signature, &mut matcher);
        let above = head.iter().map(|line| Lines { first: *line, last: *line });
        let shown = above.chain([snippet::extent(&index, &of_snippet)]);
        let spans: Vec<_> = shown.map(|lines| index.span_of(lines).range()).collect();
        // A mask has the length of its secret, so lines keep their positions.
        let masked = self.engine.policy().masked_spans(path, source, &spans);
        let line = snippet::source_line(&masked, &index, telling, &mut matcher);
        let shows = self.request.mode != Mode::Compact;
        (shows.then(|| snippet::snippet(&masked, &index, &request, best, &mut matcher)), line)
    }
}

/// The page of a hit in a document.
fn page(language: &str, text: &str, telling: Option<&SourceLine>, lines: Lines) -> Option<u32> {
    let is_document = matches!(language, "markdown" | "text");
    is_document.then(|| page_of(text, telling.map_or(lines.first, |own| own.line))).flatten()
}

pub(crate) fn reason_row(reason: Contribution) -> Reason {
    Reason { signal: reason.signal, contribution: reason.amount, text: reason.text }
}
