//! Files that crash their parser: the journal of files in flight, and the list of those that are not parsed again.
//!
//! Grammars come with scanners in C, some of which abort the whole process on input that their authors did not
//! foresee. So each thread writes down which file it is about to parse. A process that dies leaves those notes
//! behind; the next update tries each file named in them (see [`super::trial`]) and puts the guilty ones on a list in
//! the workspace, by content. They are indexed by lines and named among the skipped. The list holds for the parsers
//! of the day: with others it begins anew.
//!
//! A note is one write to a file that stays open: it survives the process, which is what matters here, and it is not
//! synced, because a machine that lost power did not lose it to a parser.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::RwLock;

use serde::{Deserialize, Serialize};

use crate::id::ContentHash;
use crate::path::RelPath;
use crate::store::{self, FileError};

/// A note: the length of the path (4 bytes, little endian), the hash of the content (16 bytes), the path.
const NOTE_HEAD: usize = 20;

/// What is known about crashes.
pub struct Quarantine {
    dir: PathBuf,
    list: RwLock<List>,
}

#[derive(Clone, Default, Serialize, Deserialize)]
struct List {
    /// Which parsers crashed.
    parsers: String,
    /// The files, by the hash of their content in hexadecimal.
    files: BTreeMap<String, Entry>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Entry {
    /// Where such content was met.
    path: RelPath,
    /// What happened.
    cause: String,
}

/// A file that was being parsed when a process died.
pub struct Suspect {
    /// Its path.
    pub path: RelPath,
    /// The hash of its content then.
    pub hash: ContentHash,
}

impl Quarantine {
    /// What is recorded in the workspace folder `dir` about the parsers with the fingerprint `parsers`. A list that
    /// cannot be read is begun anew: its files will be found again.
    pub fn open(dir: &Path, parsers: &str) -> Quarantine {
        let read = || serde_json::from_slice(&fs::read(dir.join("quarantine")).ok()?).ok();
        let list = read().filter(|list: &List| list.parsers == parsers);
        let list = list.unwrap_or_else(|| List { parsers: parsers.to_string(), ..List::default() });
        Quarantine { dir: dir.to_path_buf(), list: RwLock::new(list) }
    }

    /// What happened when content with this hash was parsed, if it must not be parsed again.
    pub fn cause(&self, hash: ContentHash) -> Option<String> {
        let list = self.list.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        if list.files.is_empty() {
            return None;
        }
        list.files.get(&hash.to_string()).map(|entry| entry.cause.clone())
    }

    /// Puts content on the list.
    pub fn add(&self, path: &RelPath, hash: ContentHash, cause: String) -> Result<(), FileError> {
        let mut list = self.list.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        tracing::warn!(path = path.as_str(), cause, "a file is not parsed from now on");
        list.files.insert(hash.to_string(), Entry { path: path.clone(), cause });
        let text = serde_json::to_vec_pretty(&*list).expect("plain data");
        store::replace(&self.dir.join("quarantine"), &[&text])
    }

    /// Tries what was in flight when a process died, and puts the guilty on the list. `trial` says what happens when
    /// a suspect is parsed, if that does not come to an end.
    pub fn try_suspects(&self, trial: impl Fn(&Suspect) -> Option<String>) -> Result<(), FileError> {
        for suspect in self.suspects() {
            if let Some(cause) = trial(&suspect) {
                self.add(&suspect.path, suspect.hash, cause)?;
            }
        }
        Journal::remove(&self.folder());
        Ok(())
    }

    /// The files that were in flight when a process died.
    fn suspects(&self) -> Vec<Suspect> {
        let Ok(entries) = fs::read_dir(self.folder()) else { return Vec::new() };
        let mut notes: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        notes.sort();
        notes.iter().filter_map(|note| Suspect::parse(&fs::read(note).ok()?)).collect()
    }

    /// Begins the journal of an update.
    pub fn journal(&self) -> Journal {
        let folder = self.folder();
        if let Err(error) = store::create_private_dir(&folder) {
            tracing::warn!(%error, "there is no journal of files in flight");
        }
        Journal { folder }
    }

    fn folder(&self) -> PathBuf {
        self.dir.join("in-flight")
    }
}

/// Which files are being parsed, for the time of one update.
pub struct Journal {
    folder: PathBuf,
}

impl Journal {
    /// The notes of one thread.
    pub fn slot(&self, thread: usize) -> Slot {
        let path = self.folder.join(thread.to_string());
        match File::create(&path) {
            Ok(file) => Slot { file: Some(file), note: Vec::new() },
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "files in flight are not written down");
                Slot { file: None, note: Vec::new() }
            }
        }
    }

    fn remove(folder: &Path) {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(%error, "the journal of files in flight was not removed");
            }
            _ => {}
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        Journal::remove(&self.folder);
    }
}

/// Where a thread notes the file that it parses.
pub struct Slot {
    file: Option<File>,
    note: Vec<u8>,
}

impl Slot {
    /// Notes that the file is about to be parsed, in place of the one before. Without a journal, as on a full disk,
    /// the file is parsed all the same.
    pub fn enter(&mut self, path: &RelPath, hash: ContentHash) {
        let Some(file) = &self.file else { return };
        self.note.clear();
        self.note.extend_from_slice(&(path.as_str().len() as u32).to_le_bytes());
        self.note.extend_from_slice(&hash.0);
        self.note.extend_from_slice(path.as_str().as_bytes());
        if write_at_start(file, &self.note).is_err() {
            self.file = None;
        }
    }
}

#[cfg(unix)]
fn write_at_start(file: &File, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, 0)
}

#[cfg(not(unix))]
fn write_at_start(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    use std::io::{Seek, Write};
    file.rewind()?;
    file.write_all(bytes)
}

impl Suspect {
    fn parse(note: &[u8]) -> Option<Suspect> {
        let (head, rest) = note.split_at_checked(NOTE_HEAD)?;
        let (length, hash) = head.split_at(4);
        let path = rest.get(..u32::from_le_bytes(length.try_into().ok()?) as usize)?;
        let path = RelPath::new(std::str::from_utf8(path).ok()?).ok()?;
        Some(Suspect { path, hash: ContentHash(hash.try_into().ok()?) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RelPath {
        RelPath::new(text).unwrap()
    }

    #[test]
    fn what_was_in_flight_is_tried_and_the_guilty_are_remembered() {
        let dir = tempfile::tempdir().unwrap();
        let quarantine = Quarantine::open(dir.path(), "today");
        let journal = quarantine.journal();
        let mut slots = [journal.slot(0), journal.slot(1)];
        slots[0].enter(&path("a/long/path/that/is/overwritten.rs"), ContentHash([9; 16]));
        slots[0].enter(&path("good.rs"), ContentHash([1; 16]));
        slots[1].enter(&path("bad.rb"), ContentHash([2; 16]));
        // A process that dies drops nothing.
        std::mem::forget(journal);

        quarantine
            .try_suspects(|suspect| match suspect.path.as_str() {
                "bad.rb" => Some("it crashed".to_string()),
                other => (other != "good.rs").then(|| panic!("{other}")),
            })
            .unwrap();
        assert!(quarantine.suspects().is_empty());
        let again = Quarantine::open(dir.path(), "today");
        assert_eq!(again.cause(ContentHash([1; 16])), None);
        assert_eq!(again.cause(ContentHash([2; 16])).as_deref(), Some("it crashed"));
        assert_eq!(Quarantine::open(dir.path(), "tomorrow").cause(ContentHash([2; 16])), None);
    }

    #[test]
    fn an_update_that_ends_leaves_no_journal() {
        let dir = tempfile::tempdir().unwrap();
        let quarantine = Quarantine::open(dir.path(), "");
        let journal = quarantine.journal();
        journal.slot(0).enter(&path("a.rs"), ContentHash([1; 16]));
        drop(journal);
        assert!(quarantine.suspects().is_empty());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_torn_note_names_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let quarantine = Quarantine::open(dir.path(), "");
        let journal = quarantine.journal();
        fs::write(journal.folder.join("0"), [255; 30]).unwrap();
        fs::write(journal.folder.join("1"), b"").unwrap();
        fs::write(journal.folder.join("2"), [&[3, 0, 0, 0][..], &[7; 16], b"../"].concat()).unwrap();
        assert!(quarantine.suspects().is_empty());
    }
}
