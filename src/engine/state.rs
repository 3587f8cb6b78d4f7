//! The state of an index: status, skipped files and languages.

use std::collections::BTreeMap;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::api::*;
use super::call::Call;
use super::core::Engine;
use super::corpus::{Corpus, CorpusMember};
use super::open_index::{Current, Viewed};
use super::operation::Operation;
use super::{current, semantic, structure, vouched};
use crate::error::{Error, ErrorKind};
use spyhop_base::model::{Note, SkipReason, Skipped};
use spyhop_base::path::RelPath;
use spyhop_base::store::Lock;
use spyhop_files::git::Head;
use spyhop_index::meta::Meta;
use spyhop_search::SearchSnapshot;

impl Engine {
    /// The state of the index of this tree. A missing index is not an error.
    ///
    /// # Errors
    /// `Io` when the tree or the index cannot be read.
    pub fn status(&self) -> Result<Status, Error> {
        status(self)
    }
}

/// The state of the index, or of the index of each named tree. Errors: `Io` when the tree or the index cannot be read.
impl Operation for StatusRequest {
    const NAME: &'static str = "status";

    type Reply = StatusReply;

    fn run(&self, corpus: &Corpus, _call: &Call<'_>) -> Result<StatusReply, Error> {
        Ok(match corpus.alone() {
            Some(engine) => StatusReply::Tree(Box::new(status(engine)?)),
            None => StatusReply::Sources(corpus.statuses()),
        })
    }
}

/// The languages, each with the number of its files in the index, if there is an index.
impl Operation for LanguagesRequest {
    const NAME: &'static str = "languages";

    type Reply = Languages;

    fn run(&self, corpus: &Corpus, _call: &Call<'_>) -> Result<Languages, Error> {
        Ok(Languages {
            languages: languages(corpus.only(Self::NAME, "its grammars may be those of the tree")?),
        })
    }
}

/// The files that are not indexed or only partly indexed, each with its reason. The counts are those of all pages.
impl Operation for SkippedRequest {
    const NAME: &'static str = "skipped";

    type Reply = SkippedReply;

    fn run(&self, corpus: &Corpus, call: &Call<'_>) -> Result<SkippedReply, Error> {
        let whole = match corpus.alone() {
            Some(engine) => {
                current::with_snapshot(engine, call.progress(), |snapshot, _| Ok(skipped(snapshot)))?
            }
            None => skipped_in_sources(corpus, call)?,
        };
        let mut reply = whole.of_reason(self.reason);
        if let Some(after) = &self.after {
            reply.entries.drain(..reply.until(after));
        }
        Ok(reply)
    }
}

/// The state of the index, with counts.
fn status(engine: &Engine) -> Result<Status, Error> {
    let workspace = engine.index().workspace();
    let head = engine.tree().head();
    let branch = head.shown().map(str::to_string);
    let Head { commit, .. } = head;
    let mut status = Status {
        state: State::Missing,
        detail: None,
        index_path: workspace.dir().to_path_buf(),
        recipe: engine.recipe(),
        root: workspace.root().to_path_buf(),
        branch,
        commit,
        generation: None,
        files: 0,
        chunks: 0,
        symbols: 0,
        source_bytes: 0,
        index_bytes: engine.index().bytes(),
        languages: Vec::new(),
        skipped: Vec::new(),
        notes: Vec::new(),
        structure: StructureCounts::default(),
        grammar_faults: engine.parsers().faults().to_vec(),
        stale_files: None,
        building: None,
        views: Vec::new(),
        watcher: None,
        vectors: semantic::shown(engine),
    };
    fill_from_commit(engine, &mut status)?;
    if let Some(holder) = Lock::holder(&workspace.lock_path()) {
        status.state = State::Indexing;
        status.detail = holder.map(|holder| format!("process {}, since {} s", holder.pid, holder.age()));
    }
    Ok(status)
}

/// Fills in what the newest commit has of the present checkout.
fn fill_from_commit(engine: &Engine, status: &mut Status) -> Result<(), Error> {
    status.watcher = vouched::watcher(engine).map(|holder| holder.pid);
    let vouched = current::snapshot_from_watcher(engine).map(|(snapshot, _)| snapshot);
    let is_vouched = vouched.is_some();
    match vouched.map_or_else(|| engine.current(), |snapshot| Ok(Current::Whole(snapshot))) {
        Ok(Current::Whole(snapshot)) => {
            count(engine, &snapshot, status);
            status.views = views(snapshot.meta());
            match reconciled(&snapshot) {
                Ok(()) if snapshot.meta().sources().is_some() => {
                    status.state = State::Ready;
                    status.detail =
                        Some("it came without its tree, with the sources that it shows".to_string());
                }
                Ok(()) => {
                    let stale = if is_vouched { 0 } else { current::stale_files(engine, &snapshot)? };
                    status.stale_files = Some(stale);
                    status.state = if stale == 0 { State::Ready } else { State::Stale };
                }
                Err(detail) => {
                    status.state = State::Damaged;
                    status.detail = Some(detail);
                }
            }
        }
        Ok(Current::Part(snapshot)) => {
            count(engine, &snapshot, status);
            status.views = views(snapshot.meta());
            status.building = Viewed::from_snapshot(&snapshot).building();
            status.state = State::Indexing;
            status.detail = Some("its first update has not ended; the next one goes on with it".to_string());
        }
        Ok(Current::Other(committed)) => {
            status.views = views(&committed.meta);
            status.generation = Some(committed.meta.commit().generation);
            status.state = State::Stale;
            status.detail = Some("what is checked out has not been indexed yet".to_string());
        }
        Ok(Current::Nothing) => {}
        Err(error) if error.kind() == ErrorKind::Damaged => {
            status.state = State::Damaged;
            status.detail = Some(error.to_string());
        }
        Err(error) => return Err(error),
    }
    Ok(())
}

/// The views, the most recently used first.
fn views(meta: &Meta) -> Vec<ViewRow> {
    let mut views: Vec<ViewRow> = meta.views().map(|(key, info)| ViewRow::new(key, info)).collect();
    views.sort_by_key(|view| std::cmp::Reverse(view.updated_at));
    views
}

/// Checks that the segments have as many documents of each file as the metadata says; the error describes the
/// difference.
pub(crate) fn reconciled(snapshot: &SearchSnapshot) -> Result<(), String> {
    let files = 0..snapshot.n_files() as u32;
    let lacks = |file: &u32| snapshot.docs(*file).len() != snapshot.version(*file).chunks() as usize;
    let lacking = files.filter(lacks).count();
    let expected = snapshot.info().files as usize;
    if lacking > 0 {
        return Err(format!("{lacking} files are not in the segments as the metadata say"));
    }
    if snapshot.n_files() != expected {
        return Err(format!("{} of {expected} files are in the metadata", snapshot.n_files()));
    }
    Ok(())
}

fn count(engine: &Engine, snapshot: &SearchSnapshot, status: &mut Status) {
    let mut languages: FxHashMap<&'static str, usize> = FxHashMap::default();
    let mut notes: FxHashMap<Note, usize> = FxHashMap::default();
    for file in 0..snapshot.n_files() as u32 {
        let version = snapshot.version(file);
        status.chunks += version.chunks() as usize;
        status.symbols += version.symbols() as usize;
        status.source_bytes += version.bytes();
        *languages.entry(engine.grammars().name(version.language())).or_default() += 1;
        version.notes().for_each(|note| *notes.entry(note).or_default() += 1);
    }
    status.files = snapshot.n_files();
    status.generation = Some(snapshot.meta().commit().generation);
    status.languages = most_first(languages, |name| name.to_string());
    status.notes = most_first(notes, |note| *note as u8);
    status.structure = structure::counts(snapshot);
    status.skipped = skipped(snapshot).counts;
}

/// The files of each tree that are not indexed or only partly indexed.
fn skipped_in_sources(corpus: &Corpus, call: &Call<'_>) -> Result<SkippedReply, Error> {
    let all = SkippedRequest::default();
    let (answers, warnings) = corpus.each(|_, answers| answers.call(&all, call))?;
    let named = |(member, reply): (&CorpusMember, SkippedReply)| {
        let name = member.name().clone();
        reply.entries.into_iter().map(move |row| SkippedRow { source: Some(name.clone()), ..row })
    };
    let entries = answers.into_iter().flat_map(named).collect();
    Ok(SkippedReply { warnings, ..counted(entries) })
}

/// The files of a view that are not indexed or only partly indexed.
fn skipped(snapshot: &SearchSnapshot) -> SkippedReply {
    let recorded = snapshot.view().skipped().iter().map(|entry| entry.skipped.clone());
    let mut all: Vec<Skipped> = recorded.chain(without_structure(snapshot)).collect();
    all.sort_by(|a, b| a.path.cmp(&b.path));
    counted(all.into_iter().map(SkippedRow::from).collect())
}

/// The files that were not parsed to their end: the notes of their analysis say why.
fn without_structure(snapshot: &SearchSnapshot) -> impl Iterator<Item = Skipped> {
    (0..snapshot.n_files() as u32).filter_map(|file| {
        let version = snapshot.version(file);
        let reason = version.notes().find_map(|note| match note {
            Note::TooDeep => Some(SkipReason::TooDeep),
            Note::ParseBudget => Some(SkipReason::ParseBudget),
            _ => None,
        })?;
        Some(Skipped::new(RelPath::new(version.path()).ok()?, reason, String::new(), false))
    })
}

fn counted(entries: Vec<SkippedRow>) -> SkippedReply {
    let mut counts: FxHashMap<SkipReason, usize> = FxHashMap::default();
    entries.iter().for_each(|entry| *counts.entry(entry.reason).or_default() += 1);
    SkippedReply { counts: most_first(counts, |reason| *reason), entries, warnings: Vec::new() }
}

fn most_first<K: Eq + Hash, O: Ord>(counts: FxHashMap<K, usize>, order: impl Fn(&K) -> O) -> Vec<(K, usize)> {
    let mut counts: Vec<(K, usize)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| order(&a.0).cmp(&order(&b.0))));
    counts
}

/// The languages, with the numbers of files if there is an index.
fn languages(engine: &Engine) -> Vec<LanguageRow> {
    let files = engine.current().ok().and_then(Current::snapshot).map(|snapshot| {
        let mut files: BTreeMap<&'static str, usize> = BTreeMap::new();
        for file in 0..snapshot.n_files() as u32 {
            *files.entry(engine.grammars().name(snapshot.version(file).language())).or_default() += 1;
        }
        files
    });
    let row = |row: spyhop_syntax::grammar::GrammarRow| {
        let name = engine.grammars().name(row.id);
        LanguageRow {
            name,
            title: row.title,
            extensions: row.extensions,
            overridden: row.overridden,
            files: files.as_ref().map(|files| files.get(name).copied().unwrap_or(0)),
        }
    };
    engine.grammars().list().into_iter().map(row).collect()
}
