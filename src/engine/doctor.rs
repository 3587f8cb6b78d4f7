//! A thorough check of an index: every byte against its checksum, and the counts against each other. The check changes
//! nothing.

use super::advice;
use super::api::{Check, Checkup, CheckupRequest, Health};
use super::call::Call;
use super::core::Engine;
use super::corpus::Corpus;
use super::operation::Operation;
use super::semantic;
use crate::error::{Error, ErrorKind};
use spyhop_base::store::Lock;
use spyhop_index::inverted;
use spyhop_index::meta::{Meta, ViewInfo, ViewKey};
use spyhop_index::workspace::{Committed, Workspace, WorkspaceError};
use spyhop_semantic::StoredKind;

/// How often a check is restarted because another process has committed meanwhile.
const TRIES: usize = 5;

/// The number of problems that are listed; the others are counted.
const NAMED: usize = 3;

/// Checks every byte of the index. Errors: `Io` if the index cannot be read.
impl Operation for CheckupRequest {
    const NAME: &'static str = "doctor";

    type Reply = Checkup;

    fn run(&self, corpus: &Corpus, _call: &Call<'_>) -> Result<Checkup, Error> {
        check(corpus.only(Self::NAME, "one index is checked")?)
    }
}

/// Checks the index of `engine`.
fn check(engine: &Engine) -> Result<Checkup, Error> {
    let workspace = engine.index().workspace();
    let mut checks = vec![folder(workspace), lock(workspace)];
    for left in (0..TRIES).rev() {
        let stamp = workspace.stamp();
        let data = check_data(engine)?;
        if left == 0 || stamp == workspace.stamp() {
            checks.extend(data);
            break;
        }
    }
    checks.push(leftovers(workspace));
    checks.push(put_aside(workspace));
    checks.extend(StoredKind::ALL.iter().filter_map(|kind| vectors(engine, *kind)));
    Ok(Checkup { checks })
}

/// Checks the data of the newest commit.
fn check_data(engine: &Engine) -> Result<Vec<Check>, Error> {
    match inverted::guarded(|| check_data_unguarded(engine)) {
        Err(error) if error.kind() == ErrorKind::Damaged => Ok(vec![damaged("commit", error.to_string())]),
        other => other,
    }
}

fn check_data_unguarded(engine: &Engine) -> Result<Vec<Check>, Error> {
    let workspace = engine.index().workspace();
    let committed = match workspace.open() {
        Ok(committed) => committed,
        Err(WorkspaceError::Missing { .. }) => {
            let check = ok("commit", "there is no index yet".to_string());
            return Ok(vec![Check { remedy: Some(advice::build_index(engine)), ..check }]);
        }
        Err(WorkspaceError::Damaged { reason, .. }) => return Ok(vec![damaged("commit", reason)]),
        Err(error @ WorkspaceError::LostClaim { .. }) => {
            return Ok(vec![damaged("folder", error.to_string())]);
        }
        Err(error) => return Err(error.into()),
    };
    let Committed { reader, meta } = &committed;
    let commit = meta.commit();
    let (records, segments) = (commit.records.len(), reader.segments().len());
    let counted = format!("generation {}, {records} records, {segments} segments", commit.generation);
    let documents = inverted::guarded(|| Ok::<_, Error>(documents(&committed)));
    Ok(vec![
        ok("commit", counted),
        records_whole(meta),
        segments_whole(workspace, reader.is_sealed()),
        documents.unwrap_or_else(|error| damaged("documents", error.to_string())),
        views(meta),
    ])
}

fn folder(workspace: &Workspace) -> Check {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = workspace.dir().metadata().map_or(0o700, |metadata| metadata.permissions().mode());
        if mode & 0o077 != 0 {
            let text =
                format!("others may look into {} (mode {:o})", workspace.dir().display(), mode & 0o777);
            return warning("folder", text);
        }
    }
    ok("folder", workspace.dir().display().to_string())
}

fn lock(workspace: &Workspace) -> Check {
    let detail = match Lock::holder(&workspace.lock_path()) {
        None => "nobody is indexing".into(),
        Some(None) => "another process is indexing".into(),
        Some(Some(holder)) => format!("process {} is indexing, since {} s", holder.pid, holder.age()),
    };
    ok("lock", detail)
}

fn records_whole(meta: &Meta) -> Check {
    let problems: Vec<String> = meta.verify().iter().map(ToString::to_string).collect();
    verdict("records", problems, || {
        let bytes: u64 = meta.commit().records.iter().map(|record| record.len).sum();
        format!("{bytes} bytes are as they were written")
    })
}

/// `is_sealed` tells whether readers compare checksums, too.
fn segments_whole(workspace: &Workspace, is_sealed: bool) -> Check {
    match inverted::verify(&workspace.segment_dir()) {
        Ok(found) => {
            let problems =
                found.iter().map(|(path, reason)| format!("{}: {reason}", path.display())).collect();
            verdict("segments", problems, || match is_sealed {
                true => "every file is as it was written".into(),
                false => "every file is as an older version wrote it, without checksums of blocks".into(),
            })
        }
        Err(error) => damaged("segments", error.to_string()),
    }
}

/// Whether the segments have the documents of every version and no others.
fn documents(committed: &Committed) -> Check {
    let segments = committed.reader.segments().iter();
    let total: u64 = segments.map(|segment| segment.live_docs()).sum();
    verdict("documents", committed.contradictions(), || format!("{total}, as the records say"))
}

/// Whether every version of every view exists.
fn views(meta: &Meta) -> Check {
    let mut problems = Vec::new();
    let mut shown = Vec::new();
    for (key, info) in meta.views() {
        let ViewKey { root, staged, .. } = key;
        let head = key.head.shown();
        let Ok(versions) = meta.view_versions(key) else { continue };
        let lost = versions.iter().filter(|id| meta.version(**id).is_none()).count();
        if lost > 0 || versions.len() != info.files as usize {
            problems.push(format!("{root} {head}: {lost} of {} files are lost", info.files));
        }
        let ViewInfo { files, of, .. } = info;
        let whose = if head.is_empty() { root.clone() } else { format!("{root} ({head})") };
        shown.push(match staged {
            true => format!("{whose}: {files} of {of} files of an update that has not ended"),
            false => format!("{whose}: {files} files"),
        });
    }
    verdict("views", problems, || shown.join("; "))
}

/// Files that a killed process left behind. The next update removes them.
fn leftovers(workspace: &Workspace) -> Check {
    // The files of a running update look alike.
    let found = match Lock::holder(&workspace.lock_path()) {
        None => workspace.leftovers(),
        Some(_) => Vec::new(),
    };
    match found.is_empty() {
        true => ok("leftovers", "none".into()),
        false => warning("leftovers", format!("{}; the next update takes care of them", list(&found))),
    }
}

fn put_aside(workspace: &Workspace) -> Check {
    let found: Vec<String> = workspace.aside().iter().map(|path| path.display().to_string()).collect();
    match found.is_empty() {
        true => ok("put aside", "nothing".into()),
        false => {
            let text = format!("{}: damaged before, made anew since; may be deleted", list(&found));
            warning("put aside", text)
        }
    }
}

/// The vectors or expansions of a tree that has opted in. They are derived: damage costs a build and changes no answer to a
/// wrong one.
fn vectors(engine: &Engine, kind: StoredKind) -> Option<Check> {
    engine.semantic().similar(kind)?;
    Some(match engine.semantic().stored(kind) {
        Ok(stored) => match semantic::damage(kind, &stored) {
            Some(text) => warning(kind.name(), text),
            None => ok(kind.name(), format!("{} are as they were written", stored.rows)),
        },
        Err(error) => warning(kind.name(), error.to_string()),
    })
}

fn ok(name: &'static str, detail: String) -> Check {
    Check { name, health: Health::Ok, detail, remedy: None }
}

fn warning(name: &'static str, detail: String) -> Check {
    Check { name, health: Health::Warning, detail, remedy: None }
}

fn damaged(name: &'static str, detail: String) -> Check {
    Check { name, health: Health::Damaged, detail, remedy: None }
}

fn verdict(name: &'static str, problems: Vec<String>, fine: impl FnOnce() -> String) -> Check {
    if problems.is_empty() { ok(name, fine()) } else { damaged(name, list(&problems)) }
}

fn list(items: &[String]) -> String {
    let mut text = items[..items.len().min(NAMED)].join("; ");
    if items.len() > NAMED {
        text += &format!("; and {} more", items.len() - NAMED);
    }
    text
}
