//! Status, what was left out, and languages: what there is, counted.

use std::collections::BTreeMap;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::api::*;
use super::{Engine, Error, ErrorKind, index_bytes};
use crate::git::Head;
use crate::search::Corpus;
use crate::store::Lock;
use crate::update::Workspace;

/// What there is.
pub fn status(engine: &Engine) -> Result<Status, Error> {
    let workspace = &engine.workspace;
    let Head { branch, commit } = engine.repo.as_ref().map(|repo| repo.head()).unwrap_or_default();
    let mut status = Status {
        state: State::Missing,
        detail: None,
        index_path: workspace.dir().to_path_buf(),
        root: workspace.root().to_path_buf(),
        branch,
        commit,
        generation: None,
        files: 0,
        chunks: 0,
        symbols: 0,
        source_bytes: 0,
        index_bytes: index_bytes(workspace),
        languages: Vec::new(),
        skipped: Vec::new(),
        notes: Vec::new(),
        stale_files: None,
    };
    match engine.current() {
        Ok(open) => {
            count(engine, &open.corpus, &mut status);
            if open.fits {
                let stale = engine.stale_files(&open)?;
                status.stale_files = Some(stale);
                status.state = if stale == 0 { State::Ready } else { State::Stale };
            } else {
                status.state = State::Stale;
                status.detail = Some("it was made with other settings".to_string());
            }
        }
        Err(error) => match error.kind() {
            ErrorKind::NoIndex => {}
            ErrorKind::Damaged => {
                status.state = State::Damaged;
                status.detail = Some(error.to_string());
            }
            _ => return Err(error),
        },
    }
    if let Some(holder) = Lock::holder(&workspace.lock_path()) {
        status.state = State::Indexing;
        status.detail = holder.map(|holder| format!("process {}, since {} s", holder.pid, holder.age()));
    }
    Ok(status)
}

fn count(engine: &Engine, corpus: &Corpus, status: &mut Status) {
    let mut languages: FxHashMap<&'static str, usize> = FxHashMap::default();
    let mut notes: FxHashMap<crate::model::Note, usize> = FxHashMap::default();
    for file in 0..corpus.n_files() as u32 {
        let version = corpus.version(file);
        status.chunks += version.chunks() as usize;
        status.symbols += version.symbols() as usize;
        status.source_bytes += version.bytes();
        *languages.entry(engine.grammars.name(version.language())).or_default() += 1;
        version.notes().for_each(|note| *notes.entry(note).or_default() += 1);
    }
    status.files = corpus.n_files();
    status.generation = Some(corpus.meta().commit().generation);
    status.languages = most_first(languages, |name| name.to_string());
    status.notes = most_first(notes, |note| *note as u8);
    status.skipped = skipped(corpus, &engine.workspace).counts;
}

/// What was left out.
pub fn skipped(corpus: &Corpus, workspace: &Workspace) -> SkippedReply {
    let view = corpus.meta().view(&workspace.view_key());
    let entries: Vec<_> =
        view.map_or(&[][..], |view| view.skipped()).iter().map(|entry| entry.skipped.clone()).collect();
    let mut counts: FxHashMap<crate::model::SkipReason, usize> = FxHashMap::default();
    entries.iter().for_each(|entry| *counts.entry(entry.reason).or_default() += 1);
    SkippedReply { counts: most_first(counts, |reason| *reason), entries }
}

fn most_first<K: Eq + Hash, O: Ord>(counts: FxHashMap<K, usize>, order: impl Fn(&K) -> O) -> Vec<(K, usize)> {
    let mut counts: Vec<(K, usize)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| order(&a.0).cmp(&order(&b.0))));
    counts
}

/// The languages, with files where there is an index.
pub fn languages(engine: &Engine) -> Vec<LanguageRow> {
    let files = engine.current().ok().map(|open| {
        let mut files: BTreeMap<&'static str, usize> = BTreeMap::new();
        for file in 0..open.corpus.n_files() as u32 {
            *files.entry(engine.grammars.name(open.corpus.version(file).language())).or_default() += 1;
        }
        files
    });
    let row = |row: crate::grammar::LanguageRow| {
        let name = engine.grammars.name(row.id);
        LanguageRow {
            name,
            title: row.title,
            extensions: row.extensions,
            overridden: row.overridden,
            files: files.as_ref().map(|files| files.get(name).copied().unwrap_or(0)),
        }
    };
    engine.grammars.list().into_iter().map(row).collect()
}
