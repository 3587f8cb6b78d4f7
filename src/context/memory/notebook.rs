//! The notes of a tree: reading them without a lock, and changing them under one.

use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustc_hash::{FxHashMap, FxHashSet};

use super::check;
use super::error::MemoryError;
use super::limits::{MAX_LOG_BYTES, MAX_NOTES, MIN_REWRITTEN};
use super::log::{self, LoggedNotes};
use super::note::{ID_LEN, RevisionNote};
use spyhop_base::store::{self, FileError, Lock, LockError};
use spyhop_index::workspace::MEMORY_FOLDER;

/// The beginning of the names of logs.
pub(super) const LOG_PREFIX: &str = "notes-";

/// The fewest digits of an abbreviated id.
const MIN_DIGITS: usize = 4;

/// The place of the notes of a tree.
#[derive(Clone, Debug)]
pub struct NotePlace {
    folder: PathBuf,
    log: PathBuf,
    lock: PathBuf,
}

/// The stamp of a log, which differs from one state of the log to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoteStamp {
    len: u64,
    modified: Option<SystemTime>,
    inode: u64,
}

/// The notes of a tree at one moment.
#[derive(Debug, Default)]
pub struct Notebook {
    /// The notes, in the order in which they were added.
    pub notes: Vec<RevisionNote>,
    /// The number of damaged records, whose notes are not among `notes`.
    pub damaged: usize,
}

/// The outcome of recording a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordOutcome {
    /// The note is new.
    Added,
    /// The note has a new state.
    Changed,
    /// The note was recorded before, in this state, a newer one, or another one that was changed as often.
    Unchanged,
}

impl NotePlace {
    /// The place of the notes of a tree whose index is in the folder `workspace`. `tree` tells trees that share an index
    /// folder apart.
    pub fn new(workspace: &Path, tree: &str) -> NotePlace {
        let folder = workspace.join(MEMORY_FOLDER);
        let hash = blake3::hash(tree.as_bytes()).to_hex();
        NotePlace::in_folder(folder, &hash[..ID_LEN])
    }

    /// The place whose log is the file at `log`; `None` if that is not the name of a log.
    pub(super) fn of_log(log: &Path) -> Option<NotePlace> {
        let tree = log.file_name()?.to_str()?.strip_prefix(LOG_PREFIX)?;
        (!tree.contains('.')).then(|| NotePlace::in_folder(log.parent().unwrap_or(log).to_path_buf(), tree))
    }

    fn in_folder(folder: PathBuf, tree: &str) -> NotePlace {
        let name = |prefix: &str| folder.join(format!("{prefix}{tree}"));
        NotePlace { log: name(LOG_PREFIX), lock: name("lock-"), folder }
    }

    pub fn log(&self) -> &Path {
        &self.log
    }

    /// The stamp of the log; `None` if there is none. This is one look at the file system.
    pub fn stamp(&self) -> Option<NoteStamp> {
        let found = std::fs::metadata(&self.log).ok()?;
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(&found);
        #[cfg(not(unix))]
        let inode = 0;
        Some(NoteStamp { len: found.len(), modified: found.modified().ok(), inode })
    }

    /// Reads the notes; none if there is no log.
    pub fn read(&self) -> Result<Notebook, MemoryError> {
        let LoggedNotes { notes, damaged, .. } = log::read(&self.log)?.unwrap_or_default();
        Ok(Notebook { notes, damaged })
    }

    /// Records notes, each with its limits checked and its secrets masked. If a note breaks a limit, none is recorded.
    /// Waits at most `patience` for another process.
    pub fn record(
        &self,
        mut notes: Vec<RevisionNote>,
        patience: Duration,
    ) -> Result<Vec<RecordOutcome>, MemoryError> {
        notes.iter_mut().try_for_each(check::prepare)?;
        self.change(patience, |known| {
            let mut outcomes = Vec::with_capacity(notes.len());
            let mut changes: FxHashMap<String, _> =
                known.iter().map(|note| (note.id.clone(), note.changes)).collect();
            let (mut changed, mut places) = (Vec::<RevisionNote>::new(), FxHashMap::default());
            for note in notes {
                let outcome = match changes.insert(note.id.clone(), note.changes) {
                    None => RecordOutcome::Added,
                    Some(newest) if note.changes > newest => RecordOutcome::Changed,
                    Some(newest) => {
                        changes.insert(note.id.clone(), newest);
                        RecordOutcome::Unchanged
                    }
                };
                if outcome != RecordOutcome::Unchanged {
                    match places.entry(note.id.clone()) {
                        Entry::Occupied(place) => changed[*place.get()] = note,
                        Entry::Vacant(place) => {
                            place.insert(changed.len());
                            changed.push(note);
                        }
                    }
                }
                outcomes.push(outcome);
            }
            Ok((outcomes, changed))
        })
    }

    /// Changes the note that `id` names, and returns its new state.
    pub fn revise(
        &self,
        id: &str,
        patience: Duration,
        change: impl FnOnce(&mut RevisionNote),
    ) -> Result<RevisionNote, MemoryError> {
        self.change(patience, |known| {
            let mut note = by_id(known, id)?.clone();
            change(&mut note);
            note.changes = note.changes.saturating_add(1);
            check::prepare(&mut note)?;
            Ok((note.clone(), vec![note]))
        })
    }

    /// Appends what `change` makes of the present notes. The folder of the index must exist and be claimed.
    fn change<T>(
        &self,
        patience: Duration,
        change: impl FnOnce(&[RevisionNote]) -> Result<(T, Vec<RevisionNote>), MemoryError>,
    ) -> Result<T, MemoryError> {
        store::create_private_dir(&self.folder)?;
        let _lock = Lock::acquire(&self.lock, patience, &mut |_| ()).map_err(|error| match error {
            LockError::Held { holder } => MemoryError::Locked { holder },
            LockError::File(error) => error.into(),
        })?;
        let logged = log::read(&self.log)?;
        let (result, changed) = change(logged.as_ref().map_or(&[], |logged| &logged.notes))?;
        if changed.is_empty() {
            return Ok(result);
        }
        let Some(logged) = logged else {
            limited(&[], &changed)?;
            log::write(&self.log, &changed)?;
            self.sync_folders()?;
            return Ok(result);
        };
        match limited(&logged.notes, &changed)? {
            // Retired notes make room.
            Some(kept) => self.rewrite(&logged, &kept)?,
            None => {
                let len = self.append(&logged, &changed)?;
                self.rewrite_if_worthwhile(len);
            }
        }
        Ok(result)
    }

    /// Appends `changed`, and returns the new length of the log. A log that has no room for them loses older states first.
    fn append(&self, logged: &LoggedNotes, changed: &[RevisionNote]) -> Result<u64, MemoryError> {
        match log::append(&self.log, logged, changed) {
            Err(MemoryError::LongLog { .. }) if logged.live_len < logged.sound_len / 2 => {
                self.rewrite(logged, &logged.notes)?;
                log::append(&self.log, &log::read(&self.log)?.unwrap_or_default(), changed)
            }
            appended => appended,
        }
    }

    /// Replaces a log of `len` bytes that is mostly older states. The notes are recorded already, so a failure only delays
    /// this. A log near the limit is replaced when half of the log is older states.
    fn rewrite_if_worthwhile(&self, len: u64) {
        if len < MIN_REWRITTEN {
            return;
        }
        let Ok(Some(logged)) = log::read(&self.log) else { return };
        let part = if len > MAX_LOG_BYTES / 2 { 2 } else { 4 };
        if logged.sound_len / part < logged.live_len {
            return;
        }
        if let Err(error) = self.rewrite(&logged, &logged.notes) {
            tracing::warn!(%error, "the log of notes was not made shorter");
        }
    }

    /// Replaces the log by one that has only `notes`. A log with damaged records is kept beside the new one, and beside
    /// copies of earlier damage.
    fn rewrite(&self, logged: &LoggedNotes, notes: &[RevisionNote]) -> Result<(), MemoryError> {
        if logged.damaged > 0 {
            let bytes = log::bytes(&self.log)?.unwrap_or_default();
            let copies = (1..).map(|number| match number {
                1 => self.log.with_extension("damaged"),
                number => self.log.with_extension(format!("damaged-{number}")),
            });
            let copy = copies.into_iter().find(|copy| copy.symlink_metadata().is_err());
            store::replace(&copy.expect("the numbers do not end"), &[&bytes])?;
        }
        Ok(log::write(&self.log, notes)?)
    }

    /// Makes the names of the folder of notes and of the folders around it durable.
    fn sync_folders(&self) -> Result<(), FileError> {
        let around = self.folder.ancestors().skip(1).take(3);
        for (steps, folder) in around.enumerate() {
            match store::sync_folder(folder) {
                // A folder above that of the index may not be readable.
                Err(_) if steps > 0 => break,
                synced => synced?,
            }
        }
        Ok(())
    }
}

/// Checks the number of notes after a change. If retired notes must make room, returns all notes that are kept.
fn limited(
    known: &[RevisionNote],
    changed: &[RevisionNote],
) -> Result<Option<Vec<RevisionNote>>, MemoryError> {
    let ids =
        |notes: &'_ [RevisionNote]| notes.iter().map(|note| note.id.clone()).collect::<FxHashSet<String>>();
    let (changed_ids, known_ids) = (ids(changed), ids(known));
    let is_changed = |note: &&RevisionNote| changed_ids.contains(&note.id);
    let is_new = |note: &&RevisionNote| !known_ids.contains(&note.id);
    let n_new = changed.iter().filter(is_new).count();
    let surplus = (known.len() + n_new).saturating_sub(MAX_NOTES);
    if surplus == 0 {
        return Ok(None);
    }
    let is_spare = |note: &&RevisionNote| note.retired.is_some() && !is_changed(note);
    if known.iter().filter(is_spare).count() < surplus {
        return Err(MemoryError::Full(MAX_NOTES));
    }
    let mut left = surplus;
    let mut kept: Vec<RevisionNote> = Vec::with_capacity(MAX_NOTES);
    for note in known {
        if left > 0 && is_spare(&note) {
            left -= 1;
            continue;
        }
        kept.push(changed.iter().find(|other| other.id == note.id).unwrap_or(note).clone());
    }
    kept.extend(changed.iter().filter(is_new).cloned());
    Ok(Some(kept))
}

/// The note whose id is or begins with `id`.
pub fn by_id<'n>(notes: &'n [RevisionNote], id: &str) -> Result<&'n RevisionNote, MemoryError> {
    let id = id.trim();
    if let Some(found) = notes.iter().find(|note| note.id == id) {
        return Ok(found);
    }
    let found: Vec<&RevisionNote> =
        notes.iter().filter(|note| id.len() >= MIN_DIGITS && note.id.starts_with(id)).collect();
    match found[..] {
        [only] => Ok(only),
        [] => Err(MemoryError::NoNote(no_note(notes, id))),
        _ => {
            let ids: Vec<&str> = found.iter().map(|note| note.id.as_str()).collect();
            Err(MemoryError::NoNote(format!("'{id}' means several notes: {}", ids.join(", "))))
        }
    }
}

/// The message about an id that no note has.
fn no_note(notes: &[RevisionNote], id: &str) -> String {
    if notes.is_empty() {
        return format!("there is no note '{id}'; the tree has no notes");
    }
    if id.len() < MIN_DIGITS && notes.iter().any(|note| note.id.starts_with(id)) {
        return format!(
            "'{id}' is too short for the id of a note; give at least its first {MIN_DIGITS} digits"
        );
    }
    let n_retired = notes.iter().filter(|note| note.retired.is_some()).count();
    let with_retired = if n_retired > 0 { " --retired" } else { "" };
    let all = match notes.len() {
        1 => "the id of the only note".to_string(),
        number => format!("the ids of all {number} notes"),
    };
    format!("there is no note '{id}'; 'spyhop memory list{with_retired}' shows {all}")
}
