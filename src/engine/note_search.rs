//! The notes that help with a question: for a search among notes, beside the hits of a search for code, and for other
//! callers that have searched already.

use rustc_hash::FxHashMap;

use super::api::*;
use super::call::Call;
use super::core::Engine;
use super::corpus::{AskedMembers, Corpus};
use super::lookup::check_rows;
use super::memory::{self as notes, applied, damage, known_notes, note_rows};
use super::operation::Operation;
use super::revision_notes::KnownNotes;
use crate::error::Error;
use spyhop_base::limit;
use spyhop_base::path::RelPath;
use spyhop_context::memory::{self, NoteQuestion, Relevance};
use spyhop_search::SearchSnapshot;
use spyhop_search::filter::{Filter, FilterSpec};
use spyhop_search::query::Query;

/// The most notes that a search shows beside its hits.
const BESIDE_HITS: usize = 3;

/// The most hits whose files are evidence for a note.
const FOUND_FILES: usize = 5;

/// The question that notes are searched for.
struct AskedNotes<'q> {
    queries: &'q [Query],
    files: &'q [RelPath],
    symbols: &'q [String],
    found: &'q [RelPath],
    found_symbols: &'q [String],
    kind: Option<NoteKind>,
    filter: &'q FilterSpec,
    min_score: f32,
    most: usize,
}

impl<'q> AskedNotes<'q> {
    /// The question of a search or a pack, whose files are evidence.
    fn beside(queries: &'q [Query], found: &'q [RelPath], filter: &'q FilterSpec) -> AskedNotes<'q> {
        let (files, symbols, found_symbols, kind) = (&[], &[], &[], None);
        let (min_score, most) = (memory::CUT_OFF, BESIDE_HITS);
        AskedNotes { queries, files, symbols, found, found_symbols, kind, filter, min_score, most }
    }
}

/// The notes that help with a question. Only notes with enough evidence are shown.
impl Operation for SearchNotesRequest {
    const NAME: &'static str = "search_notes";

    type Reply = NotesReply;

    fn paths_in_sources(&mut self) -> Vec<&mut String> {
        self.filter.path.iter_mut().collect()
    }

    fn run(&self, corpus: &Corpus, _call: &Call<'_>) -> Result<NotesReply, Error> {
        check_rows("max_results", self.max_results, MAX_RESULTS)?;
        notes::notes_of(corpus, self, self.max_results, |engine| found(engine, self))
    }
}

fn found(engine: &Engine, request: &SearchNotesRequest) -> Result<NotesReply, Error> {
    if !(0.0..=1.0).contains(&request.min_score) {
        return Err(Error::bad(format!("min_score is {}; choose 0 to 1", request.min_score)));
    }
    limit::entries("files", request.files.len(), limit::MAX_ENTRIES)?;
    limit::names("symbols", &request.symbols)?;
    Filter::new(&request.filter, engine.grammars())?;
    let query = Query::parse(&request.query)?;
    let Some(known) = known_notes(engine)? else { return Ok(NotesReply::default()) };
    let snapshot = engine.current().ok().and_then(|current| current.snapshot());
    let asked = AskedNotes {
        queries: &[query],
        files: &request.files,
        symbols: &request.symbols,
        found: &files_found(engine, &request.query, &request.filter),
        found_symbols: &[],
        kind: request.kind,
        filter: &request.filter,
        min_score: request.min_score,
        most: request.max_results,
    };
    relevant(engine, &known, &asked, snapshot.as_deref())
}

impl Engine {
    /// The notes that help with a question, the most relevant first, up to 3; empty if the tree has no notes. This is for
    /// callers that have searched already, such as a context pack: `files` and `symbols` are what they found, best first.
    /// The index is read as it is.
    ///
    /// # Errors
    /// As a [`SearchNotesRequest`].
    pub fn related_notes(
        &self,
        question: &str,
        files: &[RelPath],
        symbols: &[String],
    ) -> Result<NotesReply, Error> {
        let Some(known) = known_notes(self)? else { return Ok(NotesReply::default()) };
        let Ok(query) = Query::parse(question) else { return Ok(NotesReply::default()) };
        let snapshot = self.current().ok().and_then(|current| current.snapshot());
        let (queries, filter) = ([query], FilterSpec::default());
        let asked = AskedNotes { found_symbols: symbols, ..AskedNotes::beside(&queries, files, &filter) };
        relevant(self, &known, &asked, snapshot.as_deref())
    }
}

/// The notes of several trees that a search shows beside its first page, the most relevant first.
pub(super) fn add_notes_of_sources(
    members: &AskedMembers<'_>,
    reply: &mut SearchReply,
    queries: &[Query],
    filter: &FilterSpec,
) {
    let mut all = Vec::new();
    for ready in &members.ready {
        let source = ready.member.name.as_ref();
        add_notes(ready.engine, reply, (queries, source), filter, &ready.snapshot);
        let own = std::mem::take(&mut reply.notes).into_iter();
        all.extend(own.map(|row| NoteRow { source: source.cloned(), ..row }));
    }
    all.sort_by(|a: &NoteRow, b| b.score.unwrap_or(0.0).total_cmp(&a.score.unwrap_or(0.0)));
    all.truncate(BESIDE_HITS);
    reply.notes = all;
}

/// The notes that a search shows beside its first page, with the hits of `source` as evidence. Notes that cannot be read give
/// a warning and no error.
pub(super) fn add_notes(
    engine: &Engine,
    reply: &mut SearchReply,
    (queries, source): (&[Query], Option<&SourceName>),
    filter: &FilterSpec,
    snapshot: &SearchSnapshot,
) {
    if reply.offset > 0 || !engine.notes().are_there() {
        return;
    }
    let mut found: Vec<RelPath> = Vec::new();
    for hit in reply.results.iter().filter(|hit| hit.source.as_ref() == source) {
        if found.len() < FOUND_FILES && !found.contains(&hit.path) {
            found.push(hit.path.clone());
        }
    }
    let notes = || -> Result<NotesReply, Error> {
        let Some(known) = known_notes(engine)? else { return Ok(NotesReply::default()) };
        relevant(engine, &known, &AskedNotes::beside(queries, &found, filter), Some(snapshot))
    };
    match notes() {
        Ok(found) => {
            reply.notes = found.notes;
            reply.warnings.extend(found.warnings);
        }
        Err(error) => reply.warnings.push(format!("the notes cannot be read: {error}")),
    }
}

/// The files that a search finds for a question, from the index as it is; none without an index.
fn files_found(engine: &Engine, query: &str, filter: &FilterSpec) -> Vec<RelPath> {
    let request = SearchRequest {
        filter: filter.clone(),
        mode: Mode::Compact,
        per_file: 1,
        notes: false,
        ..SearchRequest::new(query)
    };
    let call = Call::default().with_policy(engine.policy().last_commit());
    let reply = engine.call(&request, &call.with_session(ActivitySource::Ignored));
    let hits = reply.map(|reply| reply.results).unwrap_or_default();
    hits.into_iter().take(FOUND_FILES).map(|hit| hit.path).collect()
}

/// The notes that help, the most relevant first, and their number.
fn relevant(
    engine: &Engine,
    known: &KnownNotes,
    asked: &AskedNotes<'_>,
    snapshot: Option<&SearchSnapshot>,
) -> Result<NotesReply, Error> {
    let rarities = Rarities::new(known, snapshot);
    let is_limited = *asked.filter != FilterSpec::default();
    let filter = is_limited.then(|| Filter::new(asked.filter, engine.grammars())).transpose()?;
    let words: Vec<Vec<String>> = asked.queries.iter().map(|query| memory::words(&query.text)).collect();
    let mut found: Vec<(&RevisionNote, Relevance)> = Vec::new();
    for (note, terms) in known.notebook.notes.iter().zip(&known.terms) {
        if note.retired.is_some() || asked.kind.is_some_and(|kind| kind != note.kind) {
            continue;
        }
        let of_query = |(query, words): (&Query, &Vec<String>)| {
            let question = NoteQuestion {
                query,
                words,
                files: asked.files,
                symbols: asked.symbols,
                found: asked.found,
                found_symbols: asked.found_symbols,
            };
            memory::relevance(note, terms, &question, &|term| rarities.of(term))
        };
        let best = asked.queries.iter().zip(&words).map(of_query).max_by(|a, b| a.score.total_cmp(&b.score));
        let best = best.filter(|best| !best.reasons.is_empty() && best.score >= asked.min_score);
        found.extend(best.filter(|_| applies(engine, note, asked, filter.as_ref())).map(|best| (note, best)));
    }
    found.sort_by(|a, b| b.1.score.total_cmp(&a.1.score).then_with(|| a.0.id.cmp(&b.0.id)));
    if asked.min_score >= memory::CUT_OFF
        && let Some(first) = found.first().map(|(note, _)| note.id.clone())
    {
        found.retain(|(note, own)| note.id == first || own.score >= memory::FURTHER_CUT_OFF);
    }
    let total = found.len();
    found.truncate(asked.most);
    let notes = note_rows(engine, found.into_iter().map(|(note, relevance)| (note, Some(relevance))))?;
    Ok(NotesReply { notes, total, warnings: damage(&known.notebook) })
}

/// Whether a note may apply to the files of a question. Without any file, every note may.
fn applies(engine: &Engine, note: &RevisionNote, asked: &AskedNotes<'_>, filter: Option<&Filter>) -> bool {
    let takes = |filter: &Filter, path: &RelPath| {
        filter.takes_file(path.as_str(), engine.grammars().detect(path, ""))
    };
    let is_outside = |filter: &Filter| !note.links.iter().any(|link| takes(filter, &link.path));
    if !note.links.is_empty() && filter.is_some_and(is_outside) {
        return false;
    }
    let mut files = asked.files.iter().chain(asked.found).peekable();
    if note.applies.paths.is_empty() && note.applies.languages.is_empty() || files.peek().is_none() {
        return true;
    }
    // A later program may have recorded a language that this one does not know; the note then applies.
    let filter = Filter::new(&applied(&note.applies), engine.grammars());
    filter.map_or(true, |filter| files.any(|path| takes(&filter, path)))
}

/// The rarities of terms, each computed once.
struct Rarities<'a> {
    known: &'a KnownNotes,
    snapshot: Option<&'a SearchSnapshot>,
    computed: std::cell::RefCell<FxHashMap<String, f32>>,
}

/// The number of notes that a tree is taken to have at least.
const MIN_NOTES: f32 = 20.0;

impl<'a> Rarities<'a> {
    fn new(known: &'a KnownNotes, snapshot: Option<&'a SearchSnapshot>) -> Rarities<'a> {
        Rarities { known, snapshot, computed: Default::default() }
    }

    fn of(&self, term: &str) -> f32 {
        if let Some(rarity) = self.computed.borrow().get(term) {
            return *rarity;
        }
        let notes = self.known.terms.iter().filter(|terms| terms.contains(term)).count().max(1) as f32;
        let all = MIN_NOTES.max(self.known.terms.len() as f32);
        let among_notes = ((1.0 + all) / notes).ln() / (1.0 + all).ln();
        // A word that many notes have tells little, however rare the word is in the tree.
        let in_view = self.snapshot.and_then(|snapshot| spyhop_search::rarity(term, snapshot).ok());
        let rarity = in_view.map_or(among_notes, |in_view| in_view.min(among_notes));
        self.computed.borrow_mut().insert(term.to_string(), rarity);
        rarity
    }
}
