//! The folder that holds the indexes of many trees, and which of these are removed to save space.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::Serialize;

use crate::workspace::{MEMORY_FOLDER, Workspace, WriteError};
use spyhop_base::store::{self, FileError, Lock};
use spyhop_base::wire::wire;

/// The prefix of the names of folders that are being removed.
const GOING: &str = ".going-";

/// The files that a removal keeps where a tree has notes: the notes, and the files that name their owner.
const KEPT: &[&str] = &[MEMORY_FOLDER, OWNER, "lock"];

/// The files that name the owner of an index.
const OWNER: &str = "WORKSPACE";

/// The folder with the indexes of many trees.
#[derive(Clone, Debug)]
pub struct IndexHome {
    pub dir: PathBuf,
    /// Moves the notes beside one index to another, before the folder of the first is removed.
    pub move_notes: MoveNotes,
}

/// Moves the notes beside the index in the first folder to the index in the second. The move is durable when it returns.
pub(crate) type MoveNotes = fn(&Path, &Path) -> Result<(), FileError>;

/// The index of another tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Neighbour {
    /// The folder of the index.
    #[serde(rename = "path", serialize_with = "wire")]
    pub dir: PathBuf,
    /// The tree or repository that the index belongs to.
    #[serde(rename = "of")]
    pub owner: String,
    /// The size of the index in bytes, without the notes of the tree.
    pub bytes: u64,
    /// When the index was last used or updated.
    #[serde(serialize_with = "wire")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub used: SystemTime,
}

/// The other indexes in `home` beside that of `workspace`, the least recently used first.
pub fn neighbours(home: &Path, workspace: &Workspace) -> Vec<Neighbour> {
    let entries = fs::read_dir(home).into_iter().flatten().flatten().map(|entry| entry.path());
    let others = entries.filter(|dir| dir != workspace.dir() && !is_going(dir));
    let neighbour = |dir: PathBuf| {
        let owner = Workspace::owner_of(&dir)?;
        let notes = store::bytes_below(&dir.join(MEMORY_FOLDER));
        let is_removed = notes > 0 && removable(&dir).next().is_none();
        let bytes = store::bytes_below(&dir).saturating_sub(notes);
        (!is_removed).then(|| Neighbour { bytes, used: last_used(&dir), owner, dir })
    };
    let mut found: Vec<Neighbour> = others.filter_map(neighbour).collect();
    found.sort_by(|a, b| (a.used, &a.dir).cmp(&(b.used, &b.dir)));
    found
}

/// The entries of an index that are not kept.
fn removable(dir: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let is_kept = |name: &str| KEPT.contains(&name);
    entries.filter(move |entry| !is_kept(&entry.file_name().to_string_lossy())).map(|entry| entry.path())
}

fn is_going(dir: &Path) -> bool {
    dir.file_name().is_some_and(|name| name.to_string_lossy().starts_with(GOING))
}

/// The most recent time of the commit points and of the marks of the views.
fn last_used(dir: &Path) -> SystemTime {
    let below = |dir: &Path| fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
    let commits = below(dir).map(|data| data.join("tantivy/meta.json"));
    let times = commits.chain(below(&dir.join("used"))).chain([dir.join("WORKSPACE")]);
    let times = times.filter_map(|path| fs::metadata(path).ok()?.modified().ok());
    times.max().unwrap_or(SystemTime::UNIX_EPOCH)
}

impl Neighbour {
    /// Whether a process is changing the index or watches its tree.
    pub fn is_busy(&self) -> bool {
        let entries = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let is_lock = |name: &str| name == "lock" || name.starts_with("watch-");
        let mut locks = entries.filter(|entry| is_lock(&entry.file_name().to_string_lossy()));
        locks.any(|entry| Lock::holder(&entry.path()).is_some())
    }

    /// Removes the index as a whole, except for the notes of the tree. What is removed is renamed first, so no process
    /// finds half an index.
    pub fn remove(&self, move_notes: MoveNotes) -> Result<(), WriteError> {
        let _lock = Lock::acquire(&self.dir.join("lock"), Duration::ZERO, &mut |_| ())?;
        let name = self.dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let going = self.dir.with_file_name(format!("{GOING}{name}"));
        drop_aside(&going, move_notes)?;
        if has_notes(&self.dir) {
            store::create_private_dir(&going)?;
            for entry in removable(&self.dir).collect::<Vec<_>>() {
                store::rename(&entry, &going.join(entry.file_name().unwrap_or_default()))?;
            }
        } else {
            // Another process may record a first note before the folder is moved.
            store::rename(&self.dir, &going)?;
        }
        drop_aside(&going, move_notes)
    }
}

fn has_notes(dir: &Path) -> bool {
    store::bytes_below(&dir.join(MEMORY_FOLDER)) > 0
}

/// Removes the folder `going`, to which an index or a part of one was moved. Notes go back to where the index was.
fn drop_aside(going: &Path, move_notes: MoveNotes) -> Result<(), WriteError> {
    if has_notes(going) {
        let name = going.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let dir = going.with_file_name(name.strip_prefix(GOING).unwrap_or(&name));
        store::create_private_dir(&dir)?;
        let (owner, old_owner) = (dir.join(OWNER), going.join(OWNER));
        if !owner.exists() && old_owner.exists() {
            store::rename(&old_owner, &owner)?;
        }
        move_notes(going, &dir)?;
        store::sync_folder(dir.parent().unwrap_or(&dir))?;
    }
    Ok(store::remove_folder(going)?)
}

/// Removes the remains of a process that died while it removed an index.
pub(crate) fn remove_leftovers(home: &IndexHome) -> Result<(), WriteError> {
    let entries = fs::read_dir(&home.dir).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|dir| is_going(dir)).try_for_each(|dir| drop_aside(&dir, home.move_notes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use spyhop_base::store::{AtFile, StoreStep, faults};

    fn move_note(from: &Path, to: &Path) -> Result<(), FileError> {
        store::create_private_dir(&to.join(MEMORY_FOLDER))?;
        let note = |dir: &Path| dir.join(MEMORY_FOLDER).join("notes-0");
        fs::rename(note(from), note(to)).at("move", from)
    }

    #[test]
    fn a_first_note_that_is_recorded_during_a_removal_is_kept() {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("tree");
        fs::create_dir_all(dir.join("v1-000000000000")).unwrap();
        fs::write(dir.join("WORKSPACE"), "owner").unwrap();
        let neighbour =
            Neighbour { dir: dir.clone(), owner: "owner".into(), bytes: 1, used: SystemTime::UNIX_EPOCH };
        // Another process records the note right before the folder is moved.
        let late = dir.clone();
        let observer = faults::observe(home.path(), move |step| {
            let is_move = matches!(step, StoreStep::Rename { from, .. } if *from == late);
            if is_move && !late.join(MEMORY_FOLDER).exists() {
                fs::create_dir(late.join(MEMORY_FOLDER))?;
                fs::write(late.join(MEMORY_FOLDER).join("notes-0"), "a note")?;
            }
            Ok(())
        });
        neighbour.remove(move_note).unwrap();
        drop(observer);
        assert_eq!(fs::read_to_string(dir.join(MEMORY_FOLDER).join("notes-0")).unwrap(), "a note");
        assert!(dir.join("WORKSPACE").exists() && !dir.join("v1-000000000000").exists());
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1, "nothing else is left");
        // A process that is killed in between leaves the notes to the next collection.
        fs::rename(&dir, home.path().join(".going-tree")).unwrap();
        remove_leftovers(&IndexHome { dir: home.path().into(), move_notes: move_note }).unwrap();
        assert_eq!(fs::read_to_string(dir.join(MEMORY_FOLDER).join("notes-0")).unwrap(), "a note");
        assert!(dir.join("WORKSPACE").exists());
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }
}
