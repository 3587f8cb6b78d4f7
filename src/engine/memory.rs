//! Revision memory: recording, listing, verifying and exchanging the notes of a tree.
//!
//! [`spyhop_context::memory`] stores notes and weighs evidence. This module links notes to code, judges in the searched view
//! whether that code has changed, and masks replies.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::api::*;
use super::call::Call;
use super::changes::{self, Changes};
use super::core::Engine;
use super::corpus::{Corpus, of_source};
use super::lookup::check_rows;
use super::note_links::{self, LinkSources};
use super::operation::Operation;
use super::revision_notes::KnownNotes;
use super::tree::SearchedTree;
use crate::error::{Error, ErrorKind};
use spyhop_base::limit;
use spyhop_base::path::{self, RelPath};
use spyhop_base::store::{self, AtFile};
use spyhop_base::time::rfc3339;
use spyhop_context::memory::{
    self, BadLine, MAX_NOTES, MemoryError, NotePlace, Notebook, RecordOutcome, Relevance,
};
use spyhop_files::git::Repo;
use spyhop_files::read::TreeSource;
use spyhop_index::workspace::Workspace;
use spyhop_search::filter::{Filter, FilterSpec};
use spyhop_search::query::split_container;
use spyhop_search::{Lookup, WordRows};

/// How long a change of the notes waits for another process. Each change takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a note of several trees is not recorded or shown.
const OF_NOTES: &str = "each tree has notes of its own";

impl From<MemoryError> for Error {
    fn from(error: MemoryError) -> Error {
        let kind = match error {
            MemoryError::File(error) => return error.into(),
            MemoryError::BadNote(_) | MemoryError::NoNote(_) | MemoryError::Full(_) => ErrorKind::BadRequest,
            MemoryError::NotALog { .. } | MemoryError::LongLog { .. } => ErrorKind::Damaged,
            MemoryError::NewerLog { .. } => ErrorKind::NewerFormat,
            MemoryError::Locked { .. } => ErrorKind::Locked,
        };
        Error::new(kind, error.to_string())
    }
}

/// Records a note about the tree. The note is durable when the call returns. A note that says the same as a known one is not
/// recorded again. Errors: `BadRequest` for a text, link or revision that cannot be used, with the limits; `Locked` if another
/// process writes notes for longer than ten seconds; `DiskFull`, `ReadOnly`, `Permission` or `Io` when the note cannot be written.
impl Operation for AddNoteRequest {
    const NAME: &'static str = "add_note";

    type Reply = NotesReply;

    fn paths_in_sources(&mut self) -> Vec<&mut String> {
        self.links.iter_mut().collect()
    }

    fn run(&self, corpus: &Corpus, _call: &Call<'_>) -> Result<NotesReply, Error> {
        let engine = corpus.only(Self::NAME, OF_NOTES)?;
        engine.tree().only_of_worktrees("recording a note")?;
        let mut warnings = Vec::new();
        let note = note_of(engine, self, &mut warnings)?;
        warnings.extend(self.test.iter().filter_map(|test| unknown_test(engine, test)));
        claim_for_notes(engine)?;
        let id = note.id.clone();
        let outcome =
            engine.notes().place().record(vec![note.clone()], engine.policy().wait.max(PATIENCE))?;
        if outcome == [RecordOutcome::Unchanged] {
            let known = known_notes(engine)?;
            let is_retired = known.is_some_and(|known| {
                memory::by_id(&known.notebook.notes, &id).is_ok_and(|own| own.retired.is_some())
            });
            warnings.push(match is_retired {
                true => format!("note {id} says the same and is retired; 'spyhop memory retire {id} --undo' shows it again"),
                false => format!("note {id} says the same; nothing was recorded"),
            });
        }
        let mut reply = shown(engine, &id)?;
        reply.warnings.splice(0..0, warnings);
        Ok(reply)
    }
}

/// The notes of the tree. Errors: `NewerFormat` or `Damaged` if the notes cannot be read.
impl Operation for ListNotesRequest {
    const NAME: &'static str = "list_notes";

    type Reply = NotesReply;

    fn run(&self, corpus: &Corpus, _call: &Call<'_>) -> Result<NotesReply, Error> {
        check_rows("max_results", self.max_results, MAX_NOTES)?;
        notes_of(corpus, self, self.max_results, |engine| listed(engine, self))
    }
}

/// The notes of each tree, joined: those with a score the most relevant first.
pub(super) fn notes_of<O>(
    corpus: &Corpus,
    request: &O,
    max_results: usize,
    of_tree: impl FnOnce(&Engine) -> Result<NotesReply, Error>,
) -> Result<NotesReply, Error>
where
    O: Operation<Reply = NotesReply> + 'static,
{
    if let Some(engine) = corpus.alone() {
        return of_tree(engine);
    }
    let (answers, warnings) = corpus.each(|_, answers| answers.ask(request))?;
    let mut whole = NotesReply { warnings, ..NotesReply::default() };
    for (member, reply) in answers {
        let name = member.name();
        whole.notes.extend(reply.notes.into_iter().map(|row| NoteRow { source: Some(name.clone()), ..row }));
        whole.total += reply.total;
        whole.warnings.extend(reply.warnings.iter().map(|warning| of_source(name, warning)));
    }
    whole.notes.sort_by(|a, b| b.score.unwrap_or(0.0).total_cmp(&a.score.unwrap_or(0.0)));
    whole.notes.truncate(max_results);
    Ok(whole)
}

fn listed(engine: &Engine, request: &ListNotesRequest) -> Result<NotesReply, Error> {
    let Some(known) = known_notes(engine)? else { return Ok(NotesReply::default()) };
    let is_listed = |note: &&RevisionNote| {
        (request.include_retired || note.retired.is_none())
            && request.kind.is_none_or(|kind| kind == note.kind)
    };
    let listed: Vec<&RevisionNote> = known.notebook.notes.iter().rev().filter(is_listed).collect();
    let most = if request.only_stale { listed.len() } else { request.max_results };
    let mut rows = note_rows(engine, listed.iter().take(most).map(|note| (*note, None)))?;
    if request.only_stale {
        rows.retain(NoteRow::is_stale);
    }
    let total = if request.only_stale { rows.len() } else { listed.len() };
    rows.truncate(request.max_results);
    Ok(NotesReply { notes: rows, total, warnings: damage(&known.notebook) })
}

/// Changes how sure a note is. Exactly one of the states must be given, or at least `relink`.
impl Operation for VerifyNoteRequest {
    const NAME: &'static str = "verify_note";

    type Reply = NotesReply;

    fn run(&self, corpus: &Corpus, _call: &Call<'_>) -> Result<NotesReply, Error> {
        let engine = corpus.only(Self::NAME, OF_NOTES)?;
        engine.tree().only_of_worktrees("verifying a note")?;
        let commit = self.commit.as_deref().map(|spec| commit_id(engine.tree(), spec)).transpose()?;
        let tested = |reference: String| Verification::Verified { by: Verifier::Test, reference };
        let committed = |reference: String| Verification::Verified { by: Verifier::Commit, reference };
        let contradicted = |reference: String| Verification::Contradicted { reference };
        let states: Vec<Verification> = (self.test.clone().map(tested).into_iter())
            .chain(commit.map(committed))
            .chain(self.contradicted.clone().map(contradicted))
            .chain(self.unverified.then_some(Verification::Unverified))
            .collect();
        if states.len() > 1 || (states.is_empty() && !self.relink) {
            return Err(Error::bad(
                "give one of test, commit, contradicted and unverified, which say how sure the note is, or relink",
            ));
        }
        let mut warnings: Vec<String> =
            self.test.iter().filter_map(|test| unknown_test(engine, test)).collect();
        let links = match self.relink {
            true => Some(links_now(engine, &self.id, &mut warnings)?),
            false => None,
        };
        let mut reply = revised(engine, &self.id, |note| {
            if let Some(state) = states.into_iter().next() {
                note.verification = state;
            }
            if let Some(links) = links {
                note.links = links;
            }
        })?;
        reply.warnings.splice(0..0, warnings);
        Ok(reply)
    }
}

/// Retires a note, so that no search shows the note any more, or shows a retired note again.
impl Operation for RetireNoteRequest {
    const NAME: &'static str = "retire_note";

    type Reply = NotesReply;

    fn run(&self, corpus: &Corpus, _call: &Call<'_>) -> Result<NotesReply, Error> {
        let engine = corpus.only(Self::NAME, OF_NOTES)?;
        engine.tree().only_of_worktrees("retiring a note")?;
        let retired = (!self.undo).then(|| Retirement::new(self.reason.clone(), rfc3339(engine.now())));
        let mut before = None;
        let mut reply = revised(engine, &self.id, |note| {
            before = std::mem::replace(&mut note.retired, retired.clone());
        })?;
        let warning = match (before, &retired) {
            (Some(before), Some(retired)) if before.reason != retired.reason => {
                Some("the note was retired before; the reason is replaced".to_string())
            }
            (Some(_), Some(_)) => Some("the note was retired before".to_string()),
            (None, None) => Some("the note was not retired".to_string()),
            _ => None,
        };
        reply.warnings.splice(0..0, warning);
        Ok(reply)
    }
}

/// One note. Errors: `BadRequest` if there is no such note or several; otherwise as a [`ListNotesRequest`].
impl Operation for ShowNoteRequest {
    const NAME: &'static str = "show_note";

    type Reply = NotesReply;

    fn run(&self, corpus: &Corpus, _call: &Call<'_>) -> Result<NotesReply, Error> {
        shown(corpus.only(Self::NAME, OF_NOTES)?, &self.id)
    }
}

/// The note with this id, or with this beginning of an id.
fn shown(engine: &Engine, id: &str) -> Result<NotesReply, Error> {
    let known = known_notes(engine)?;
    let notes = known.as_ref().map_or(&[][..], |known| &known.notebook.notes);
    let note = memory::by_id(notes, id)?;
    let rows = note_rows(engine, std::iter::once((note, None)))?;
    let warnings = known.as_ref().map(|known| damage(&known.notebook)).unwrap_or_default();
    Ok(NotesReply { notes: rows, total: 1, warnings })
}

impl Engine {
    /// All notes as JSON lines, the oldest first.
    ///
    /// # Errors
    /// As a [`ListNotesRequest`].
    pub fn export_notes(&self) -> Result<ExportedNotes, Error> {
        let Some(known) = known_notes(self)? else { return Ok(ExportedNotes::default()) };
        let notes = self.policy().masked(known.notebook.notes.clone());
        Ok(ExportedNotes { lines: memory::to_lines(&notes), warnings: damage(&known.notebook) })
    }

    /// Writes all notes to a file, as [`Engine::export_notes`] gives them. The file is replaced as a whole, and only its
    /// owner can read the new one. Without any note, no file is written.
    ///
    /// # Errors
    /// As [`Engine::export_notes`]; `DiskFull`, `ReadOnly`, `Permission` or `Io` when the file cannot be written. A file
    /// that was there is then as before.
    pub fn export_notes_to(&self, file: &Path) -> Result<ExportedNotes, Error> {
        let exported = self.export_notes()?;
        if exported.lines.is_empty() {
            return Ok(exported);
        }
        // A link keeps its name, and its target is replaced.
        let whole = file.canonicalize().or_else(|_| std::path::absolute(file)).at("find", file)?;
        match whole.metadata() {
            // A pipe or a device, such as /dev/stdout, cannot be replaced.
            Ok(found) if !found.is_file() => fs::write(&whole, &exported.lines).at("write", file)?,
            _ => store::replace(&whole, &[exported.lines.as_bytes()])?,
        }
        Ok(exported)
    }

    /// Records the notes of JSON lines. Importing lines again changes nothing while the memory is not full. Of two states of a note, the one
    /// that was changed more often is kept. Lines that are no notes are reported and passed over.
    ///
    /// # Errors
    /// As an [`AddNoteRequest`].
    pub fn import_notes(&self, lines: &str) -> Result<ImportedNotes, Error> {
        self.tree().only_of_worktrees("importing notes")?;
        let n_lines = lines.lines().filter(|line| !line.trim().is_empty()).count();
        limit::entries("the import", n_lines, memory::MAX_IMPORTED)?;
        let (mut notes, bad_lines): (Vec<RevisionNote>, Vec<BadLine>) = memory::from_lines(lines);
        let now = rfc3339(self.now());
        notes.iter_mut().filter(|note| note.time.is_empty()).for_each(|note| note.time.clone_from(&now));
        let mut imported = ImportedNotes { bad_lines, ..ImportedNotes::default() };
        if notes.is_empty() {
            return Ok(imported);
        }
        claim_for_notes(self)?;
        for outcome in self.notes().place().record(notes, self.policy().wait.max(PATIENCE))? {
            match outcome {
                RecordOutcome::Added => imported.added += 1,
                RecordOutcome::Changed => imported.changed += 1,
                RecordOutcome::Unchanged => imported.unchanged += 1,
            }
        }
        imported.warnings = known_notes(self)?.map(|known| damage(&known.notebook)).unwrap_or_default();
        Ok(imported)
    }
}

/// The warning about the name of a test that occurs nowhere in the last commit of the index. Without an index nothing is known.
fn unknown_test(engine: &Engine, test: &str) -> Option<String> {
    let name = split_container(test.split_whitespace().next_back()?.trim_end_matches("()")).1;
    let snapshot = engine.current().ok()?.snapshot()?;
    let occurs = snapshot.is_found(Lookup::Occurs(name.to_string())).ok()?;
    let is_file = || !snapshot.files_named(path::split(test).1).is_empty();
    // The name comes from outside, so a message does not repeat it.
    let text = "no file of the tree has the name of the test that verifies the note";
    (!occurs && !is_file()).then(|| text.to_string())
}

/// The notes; `None` if the tree has none.
pub(super) fn known_notes(engine: &Engine) -> Result<Option<Arc<KnownNotes>>, Error> {
    Ok(engine.notes().known(engine.parsers().tokenizers())?)
}

/// The notes that a look-up of a definition shows beside its answer, at most.
const BESIDE_DEFINITIONS: usize = 3;

/// The notes that are linked to one of these definitions and not retired, the newest first. Notes that cannot be read give a
/// warning and no error.
pub(super) fn notes_linked_to(engine: &Engine, definitions: &[SymbolRow]) -> NotesReply {
    if definitions.is_empty() || !engine.notes().are_there() {
        return NotesReply::default();
    }
    let names: Vec<String> = definitions.iter().map(SymbolRow::qualified).collect();
    let is_named = |symbol: &Option<String>| symbol.as_ref().is_some_and(|symbol| names.contains(symbol));
    // A link names the path of its time: the file may have moved since.
    let means = |link: &LinkRow| {
        let path = link.renamed_to.as_ref().unwrap_or(&link.path);
        let is_of =
            |(own, name): (&SymbolRow, &String)| own.path == *path && link.symbol.as_ref() == Some(name);
        definitions.iter().zip(&names).any(is_of)
    };
    let notes = || -> Result<NotesReply, Error> {
        let Some(known) = known_notes(engine)? else { return Ok(NotesReply::default()) };
        let own = known.notebook.notes.iter().filter(|note| note.retired.is_none());
        let own = own.filter(|note| note.links.iter().any(|link| is_named(&link.symbol)));
        let mut notes = note_rows(engine, own.map(|note| (note, None)))?;
        notes.retain(|row| row.links.iter().any(means));
        let total = notes.len();
        keep_newest(&mut notes);
        Ok(NotesReply { notes, total, warnings: damage(&known.notebook) })
    };
    notes().unwrap_or_else(|error| NotesReply {
        warnings: vec![format!("the notes cannot be read: {error}")],
        ..NotesReply::default()
    })
}

/// Keeps the newest notes, as many as an answer shows.
pub(super) fn keep_newest(notes: &mut Vec<NoteRow>) {
    notes.sort_by(|a, b| b.note.time.cmp(&a.note.time));
    notes.truncate(BESIDE_DEFINITIONS);
}

/// Claims the folder of the index for this tree before the first note, so that no other tree uses the folder.
fn claim_for_notes(engine: &Engine) -> Result<(), Error> {
    if Workspace::owner_of(engine.index().workspace().dir()).is_none() {
        drop(engine.index().workspace().lock(engine.policy().wait.max(PATIENCE), &mut |_| ())?);
    }
    Ok(engine.index().workspace().check_owner()?)
}

fn revised(engine: &Engine, id: &str, change: impl FnOnce(&mut RevisionNote)) -> Result<NotesReply, Error> {
    if !engine.notes().are_there() {
        memory::by_id(&[], id)?;
    }
    let note = engine.notes().place().revise(id, engine.policy().wait.max(PATIENCE), change)?;
    shown(engine, &note.id)
}

fn note_of(
    engine: &Engine,
    request: &AddNoteRequest,
    warnings: &mut Vec<String>,
) -> Result<RevisionNote, Error> {
    if request.commit.is_some() && request.diff.is_some() {
        return Err(Error::bad("give a commit or a diff, not both: each names what was changed"));
    }
    limit::entries("links", request.links.len(), memory::MAX_LINKS)?;
    request.links.iter().try_for_each(|link| limit::bytes("link", link, limit::MAX_NAME_BYTES))?;
    let mut note = note_without_links(request);
    if note.time.trim().is_empty() {
        note.time = rfc3339(engine.now());
    }
    memory::prepare(&mut note)?;
    check_applicability(engine, &request.applies)?;
    let commit = request.commit.as_deref().map(|spec| commit_id(engine.tree(), spec)).transpose()?;
    let head = engine.tree().repo().and_then(|repo| repo.head().commit);
    let mut sources = LinkSources::of_view(engine)?;
    let mut links = note_links::links_as_written(engine, &request.links, &mut sources, head.as_deref())?;
    let changed = match (&commit, &request.diff) {
        (Some(commit), _) => links_of_commit(engine, commit, warnings)?,
        (None, Some(diff)) => links_of_diff(engine, diff, &mut sources, head.as_deref(), warnings)?,
        (None, None) => Vec::new(),
    };
    let (written, mut left_out) = (links.len(), 0);
    for link in changed {
        // The worktree may have a newer content than the commit; the caller has linked that one.
        let is_written =
            |own: &NoteLink| commit.is_some() && own.path == link.path && own.symbol == link.symbol;
        let is_known = links[..written].iter().any(is_written) || links.contains(&link);
        match (is_known, links.len() < memory::MAX_LINKS) {
            (true, _) => {}
            (false, true) => links.push(link),
            (false, false) => left_out += 1,
        }
    }
    if left_out > 0 {
        let max = memory::MAX_LINKS;
        warnings.push(format!(
            "{left_out} or more changed places are not linked, because a note has at most {max} links: tests and generated files are left out \
             first; link a note to each part of the change"
        ));
    }
    (note.links, note.commit) = (links, commit);
    // The id is that of the text as it is stored.
    memory::texts(&mut note).for_each(|text| _ = spyhop_grep::secrets::mask_text(text));
    note.id = note.id_of();
    Ok(note)
}

/// Checks that the patterns and languages of a note mean something.
fn check_applicability(engine: &Engine, applies: &Applicability) -> Result<(), Error> {
    Filter::new(&applied(applies), engine.grammars())?;
    Ok(())
}

fn commit_id(tree: &SearchedTree, spec: &str) -> Result<String, Error> {
    Ok(tree.named_revision(spec)?.1.commit)
}

/// The links to what a commit changed, with the content that the commit has.
fn links_of_commit(
    engine: &Engine,
    commit: &str,
    warnings: &mut Vec<String>,
) -> Result<Vec<NoteLink>, Error> {
    let Some(repo) = engine.tree().repo() else { return Ok(Vec::new()) };
    let Some(parent) = repo.first_parent(commit) else {
        warnings.push(format!("commit {} has no parent, so no symbols are linked", &commit[..12]));
        return Ok(Vec::new());
    };
    let tree = Arc::new(repo.tree_of(commit, commit, engine.root())?);
    let mut sources = LinkSources::new(engine, TreeSource::Tree(tree), None);
    let changes =
        changes::changes(engine.tree(), &GraphChanges::Between(format!("{parent}..{commit}")), &|_| None)?;
    warnings.extend(changes.warnings);
    sources.links_of_change(&changes.files, Some(commit))
}

fn links_of_diff(
    engine: &Engine,
    diff: &str,
    sources: &mut LinkSources<'_>,
    at: Option<&str>,
    warnings: &mut Vec<String>,
) -> Result<Vec<NoteLink>, Error> {
    let Changes { files, warnings: of_diff, .. } =
        changes::changes(engine.tree(), &GraphChanges::Diff(diff.to_string()), &|_| None)?;
    warnings.extend(of_diff);
    sources.links_of_change(&files, at)
}

/// The links of a note with the present content of the code. Links to code that is gone are dropped with a warning.
fn links_now(engine: &Engine, id: &str, warnings: &mut Vec<String>) -> Result<Vec<NoteLink>, Error> {
    let known = known_notes(engine)?;
    let note = memory::by_id(known.as_ref().map_or(&[][..], |known| &known.notebook.notes), id)?;
    let head = engine.tree().repo().and_then(|repo| repo.head().commit);
    let rows = note_links::link_rows(engine, &[note])?.pop().unwrap_or_default();
    let gone = rows.iter().filter(|row| row.state == LinkState::Gone);
    warnings.extend(gone.map(|row| format!("the link to {} was dropped: the code is gone", named(row))));
    let links: Vec<(&LinkRow, &NoteLink)> =
        rows.iter().zip(&note.links).filter(|(row, _)| row.state != LinkState::Gone).collect();
    LinkSources::of_view(engine)?.links_now(&links, head.as_deref())
}

/// Notes with the states of their links and with warnings, masked.
pub(super) fn note_rows<'n>(
    engine: &Engine,
    notes: impl Iterator<Item = (&'n RevisionNote, Option<Relevance>)>,
) -> Result<Vec<NoteRow>, Error> {
    let (notes, relevance): (Vec<&RevisionNote>, Vec<Option<Relevance>>) = notes.unzip();
    let links = note_links::link_rows(engine, &notes)?;
    let rows = notes.into_iter().zip(links).zip(relevance).map(|((note, links), relevance)| {
        let warnings = warnings_of(note, &links);
        let score = relevance.as_ref().map(|own| own.score);
        let reasons = relevance.map(|own| own.reasons).unwrap_or_default();
        engine.policy().masked(NoteRow { source: None, note: note.clone(), links, score, reasons, warnings })
    });
    Ok(rows.collect())
}

/// The place of the notes of a tree: all worktrees and views of a repository share them, since a note is about a path of
/// the repository.
pub(super) fn note_place(workspace: &Workspace, repo: Option<&Repo>) -> NotePlace {
    let prefix = repo.and_then(|repo| workspace.root().strip_prefix(repo.top()).ok());
    let tree = prefix.map(|prefix| prefix.to_string_lossy().into_owned()).unwrap_or_default();
    NotePlace::new(workspace.dir(), &tree)
}

/// The note of a request, without what is found in the tree.
fn note_without_links(request: &AddNoteRequest) -> RevisionNote {
    let verified =
        |reference: &String| Verification::Verified { by: Verifier::Test, reference: reference.clone() };
    let mut note = RevisionNote::new(request.kind, request.text.trim().to_string());
    note.signals.clone_from(&request.signals);
    note.applies.clone_from(&request.applies);
    note.diff.clone_from(&request.diff);
    note.verification = request.test.as_ref().map(verified).unwrap_or_default();
    note.time = request.time.clone().unwrap_or_default();
    note.author.clone_from(&request.author);
    note
}

/// The files to which a note applies.
pub(super) fn applied(applies: &Applicability) -> FilterSpec {
    let globs = applies.paths.iter().map(|path| match path.contains(['*', '?', '[', '{']) {
        true => path.clone(),
        // A file, or all of a folder.
        false => format!("{0}{{,/**}}", path.trim_end_matches('/')),
    });
    FilterSpec { path_globs: globs.collect(), lang: applies.languages.clone(), ..FilterSpec::default() }
}

pub(super) fn damage(notebook: &Notebook) -> Vec<String> {
    let damaged = notebook.damaged;
    let text = || match damaged {
        1 => "a damaged record of a note was passed over; the other notes are whole".to_string(),
        _ => format!("{damaged} damaged records of notes were passed over; the other notes are whole"),
    };
    (damaged > 0).then(text).into_iter().collect()
}

/// The code of a link as people write it.
fn named(row: &LinkRow) -> String {
    match &row.symbol {
        Some(symbol) => format!("{}#{symbol}", row.path),
        None => row.path.to_string(),
    }
}

/// What a reader should know before using a note.
fn warnings_of(note: &RevisionNote, links: &[LinkRow]) -> Vec<String> {
    let mut warnings = Vec::new();
    for (state, what) in [(LinkState::Changed, "has changed"), (LinkState::Gone, "does not exist any more")] {
        let rows: Vec<String> = links.iter().filter(|row| row.state == state).map(named).collect();
        if let Some(first) = rows.first() {
            let more = if rows.len() > 1 { format!(" and {} more", rows.len() - 1) } else { String::new() };
            warnings.push(format!("stale: {first}{more} {what} since the note was linked to it"));
        }
    }
    for row in links.iter().filter(|row| row.renamed_to.is_some()).take(3) {
        let to = row.renamed_to.as_ref().map(RelPath::to_string).unwrap_or_default();
        warnings.push(format!("renamed: {} is {to} now", row.path));
    }
    if let Verification::Contradicted { .. } = note.verification {
        warnings.push("contradicted: the note turned out to be wrong".to_string());
    }
    if note.retired.is_some() {
        warnings.push("retired: the note is no longer shown by searches".to_string());
    }
    warnings
}
