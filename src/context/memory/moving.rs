//! Moving the notes of a tree to another index, before the folder of the earlier index is removed.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::error::MemoryError;
use super::log;
use super::notebook::{LOG_PREFIX, NotePlace};
use spyhop_base::store::{self, AtFile};
use spyhop_index::workspace::MEMORY_FOLDER;

/// How long a move waits for a process that writes notes.
const PATIENCE: Duration = Duration::from_secs(10);

/// Moves all notes beside the index in the folder `from` to the index in the folder `to`. Notes that are there already
/// stay; of two states of a note, the one that was changed more often is kept. The move is durable when this returns.
pub fn move_notes(from: &Path, to: &Path) -> Result<(), MemoryError> {
    let (old, new) = (from.join(MEMORY_FOLDER), to.join(MEMORY_FOLDER));
    if !old.is_dir() {
        return Ok(());
    }
    store::create_private_dir(&new)?;
    let entries = fs::read_dir(&old).at("read", &old)?;
    let logs = entries
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(|name| name.starts_with(LOG_PREFIX)));
    for entry in logs {
        let (log, target) = (entry.path(), new.join(entry.file_name()));
        if !target.exists() {
            store::rename(&log, &target)?;
        } else if let Some(place) = NotePlace::of_log(&target)
            && let Some(logged) = log::read(&log)?
        {
            place.record(logged.notes, PATIENCE)?;
            store::remove_file(&log)?;
        }
    }
    for folder in [&new, to, &old] {
        store::sync_folder(folder)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::note::RevisionNote;
    use crate::memory::notebook::by_id;

    fn note(text: &str) -> RevisionNote {
        let json = serde_json::json!({ "id": "", "kind": "failure", "text": text, "time": "t" });
        let note: RevisionNote = serde_json::from_value(json).unwrap();
        RevisionNote { id: note.id_of(), ..note }
    }

    #[test]
    fn notes_are_moved_and_join_those_that_are_there() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("r1"), dir.path().join("r2"));
        for folder in [&from, &to] {
            fs::create_dir(folder).unwrap();
        }
        move_notes(&from, &to).unwrap();
        let (old, new) = (NotePlace::new(&from, ""), NotePlace::new(&to, ""));
        old.record(vec![note("one"), note("two")], PATIENCE).unwrap();
        NotePlace::new(&from, "inner").record(vec![note("inner")], PATIENCE).unwrap();
        move_notes(&from, &to).unwrap();
        assert_eq!((old.read().unwrap().notes.len(), new.read().unwrap().notes.len()), (0, 2));
        assert_eq!(NotePlace::new(&to, "inner").read().unwrap().notes.len(), 1);
        // A note of a late writer joins, and a newer state wins.
        let id = note("one").id;
        old.record(vec![note("one"), note("three")], PATIENCE).unwrap();
        old.revise(&id, PATIENCE, |note| note.author = Some("late".into())).unwrap();
        move_notes(&from, &to).unwrap();
        let notes = new.read().unwrap().notes;
        assert_eq!((notes.len(), by_id(&notes, &id).unwrap().author.as_deref()), (3, Some("late")));
        assert!(old.read().unwrap().notes.is_empty());
    }
}
