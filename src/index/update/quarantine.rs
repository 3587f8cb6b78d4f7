//! The quarantine: the list of contents that are not parsed again, because their parser crashed, hung or used too much.
//!
//! Such files are indexed by lines and listed among the skipped. The list is kept in the workspace, by content, and is
//! valid for one set of parsers: with another set the list starts empty.
//!
//! A parser worker that dies names its file ([`spyhop_syntax::worker`]). A worker that dies from outside says little about its file:
//! the file is parsed again by the next updates, and is in quarantine only after [`MAX_OUTSIDE_DEATHS`] of them. A rebuild
//! keeps only the contents on which a parser failed, and tries the others again.
//!
//! Where files are parsed in this process, a crash takes
//! the process with it. There each thread notes the file that it is about to parse in a journal. A process that dies
//! leaves its notes behind, and the next update parses each noted file again, one by one, with a note that names this
//! file alone. A process that dies in such a trial leaves no doubt about the file.
//!
//! A note is one write to a file that stays open. The note survives the process, which is what matters here, and is not
//! synced, because a machine that lost power did not lose it to a parser.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::RwLock;

use serde::{Deserialize, Serialize};

use spyhop_base::id::ContentHash;
use spyhop_base::path::RelPath;
use spyhop_base::store::{self, FileError, Private};
use spyhop_syntax::analyze;
use spyhop_syntax::grammar::Grammars;
use spyhop_syntax::worker::{LossKind, Lost};

/// A note: the length of the path (4 bytes, little endian), the hash of the content (16 bytes), the path.
const NOTE_HEAD: usize = 20;

/// The list of crashes.
pub struct Quarantine {
    dir: PathBuf,
    list: RwLock<QuarantineList>,
}

#[derive(Clone, Default, Serialize, Deserialize)]
struct QuarantineList {
    /// The fingerprint of the parsers that crashed.
    parsers: String,
    /// The files, by the hash of their content in hexadecimal.
    files: BTreeMap<String, Entry>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Entry {
    /// The path at which the content was found.
    path: RelPath,
    cause: String,
    #[serde(default)]
    kind: LossKind,
    /// How many updates lost the file by a death from outside.
    #[serde(default)]
    outside_deaths: u32,
}

impl Entry {
    fn is_final(&self) -> bool {
        self.kind != LossKind::Outside || self.outside_deaths >= MAX_OUTSIDE_DEATHS
    }
}

/// How many updates may lose a file by a death from outside before the file is not parsed again: a file whose parser needs more
/// memory than the machine has must not cost every update a worker.
const MAX_OUTSIDE_DEATHS: u32 = 3;

/// The name of the note that a trial writes.
const TRIAL: &str = "trial";

/// A file that was being parsed when a process died.
pub(crate) struct Suspect {
    pub path: RelPath,
    /// The hash of the file's content at that time.
    pub hash: ContentHash,
    /// Whether the file was parsed in a trial, so that nothing else can have ended the process.
    was_tried: bool,
}

impl Quarantine {
    /// The list in the workspace folder `dir` for the parsers of these grammars.
    pub fn of(dir: &Path, grammars: &Grammars) -> Quarantine {
        // Everything that decides how a text is parsed.
        let mut hasher = blake3::Hasher::new();
        hasher.update(&analyze::VERSION.to_le_bytes());
        hasher.update(&grammars.fingerprint());
        Quarantine::open(dir, &hasher.finalize().to_hex()[..32])
    }

    /// The list in the workspace folder `dir` for the parsers with the fingerprint `parsers`. If the list cannot be
    /// read, an empty one replaces it: its files will be found again.
    pub(super) fn open(dir: &Path, parsers: &str) -> Quarantine {
        let read = || serde_json::from_slice(&fs::read(dir.join("quarantine")).ok()?).ok();
        let list = read().filter(|list: &QuarantineList| list.parsers == parsers);
        let list = list
            .unwrap_or_else(|| QuarantineList { parsers: parsers.to_string(), ..QuarantineList::default() });
        Quarantine { dir: dir.to_path_buf(), list: RwLock::new(list) }
    }

    /// Why content with this hash must not be parsed again; `None` if it may be parsed.
    pub fn cause(&self, hash: ContentHash) -> Option<String> {
        let list = self.list.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        if list.files.is_empty() {
            return None;
        }
        list.files.get(&hash.to_string()).filter(|entry| entry.is_final()).map(|entry| entry.cause.clone())
    }

    /// Adds content to the list, unless its loss says nothing about it.
    pub fn add(&self, path: &RelPath, hash: ContentHash, lost: &Lost) -> Result<(), FileError> {
        let Lost { cause, kind } = lost.clone();
        if kind == LossKind::NoWorker {
            return Ok(());
        }
        let mut list = self.list.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        let before = list.files.get(&hash.to_string()).map_or(0, |entry| entry.outside_deaths);
        let outside_deaths = before + u32::from(kind == LossKind::Outside);
        let entry = Entry { path: path.clone(), cause, kind, outside_deaths };
        tracing::warn!(
            path = path.as_str(),
            cause = entry.cause,
            again = !entry.is_final(),
            "a file has no structure"
        );
        list.files.insert(hash.to_string(), entry);
        self.write(&list)
    }

    /// Adds content that a query could not parse. Only an update counts deaths from outside. Without an index, the list cannot
    /// be written, and the next query parses the file again.
    pub fn add_from_query(&self, path: &RelPath, hash: ContentHash, lost: &Lost) {
        if lost.kind == LossKind::Outside {
            return;
        }
        if let Err(error) = self.add(path, hash, lost) {
            tracing::warn!(%error, "the quarantine could not be written");
        }
    }

    /// Removes content that was parsed after a death from outside.
    pub fn clear(&self, hash: ContentHash) -> Result<(), FileError> {
        let list = self.list.read().unwrap_or_else(|poisoned| poisoned.into_inner());
        if list.files.is_empty() {
            return Ok(());
        }
        drop(list);
        self.retain(|key, _| *key != hash.to_string())
    }

    /// Forgets the contents that another attempt may parse.
    pub(crate) fn forget_doubtful(&self) -> Result<(), FileError> {
        self.retain(|_, entry| entry.kind == LossKind::Parser)
    }

    fn retain(&self, keep: impl Fn(&String, &Entry) -> bool) -> Result<(), FileError> {
        let mut list = self.list.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        let before = list.files.len();
        list.files.retain(|key, entry| keep(key, entry));
        if list.files.len() == before { Ok(()) } else { self.write(&list) }
    }

    fn write(&self, list: &QuarantineList) -> Result<(), FileError> {
        let text = serde_json::to_vec_pretty(list).expect("plain data");
        store::replace(&self.dir.join("quarantine"), &[&text])
    }

    /// Parses each suspect again and adds those that fail to the list. `trial` parses a suspect and returns the loss
    /// if parsing did not finish. `is_in_process` says whether a crash ends this process.
    pub(crate) fn try_suspects(
        &self,
        suspects: Vec<Suspect>,
        is_in_process: bool,
        mut trial: impl FnMut(&Suspect) -> Option<Lost>,
    ) -> Result<(), FileError> {
        for suspect in suspects {
            let lost = match suspect.was_tried {
                true => {
                    Some(Lost { cause: "its parser ended the process".to_string(), kind: LossKind::Parser })
                }
                false => {
                    if is_in_process {
                        Slot::create(&self.folder(), TRIAL).enter(&suspect.path, suspect.hash);
                    }
                    let lost = trial(&suspect);
                    let _ = fs::remove_file(self.folder().join(TRIAL));
                    lost
                }
            };
            if let Some(lost) = lost {
                self.add(&suspect.path, suspect.hash, &lost)?;
            }
        }
        Journal::remove(&self.folder());
        Ok(())
    }

    /// The files that were being parsed when a process died. A process that died in a trial leaves the note of the
    /// trial; all other notes are then of the same suspects or older.
    pub(crate) fn suspects(&self) -> Vec<Suspect> {
        let Ok(entries) = fs::read_dir(self.folder()) else { return Vec::new() };
        let mut notes: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        notes.sort();
        let suspect = |note: &PathBuf| {
            let was_tried = note.file_name().is_some_and(|name| name == TRIAL);
            Suspect::parse(&fs::read(note).ok()?, was_tried)
        };
        let suspects: Vec<Suspect> = notes.iter().filter_map(suspect).collect();
        let guilty: Vec<ContentHash> =
            suspects.iter().filter(|suspect| suspect.was_tried).map(|suspect| suspect.hash).collect();
        suspects.into_iter().filter(|suspect| suspect.was_tried || !guilty.contains(&suspect.hash)).collect()
    }

    /// Starts the journal of an update.
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

/// The journal of an update: the files that are being parsed.
pub struct Journal {
    folder: PathBuf,
}

impl Journal {
    /// The note of one thread.
    pub fn slot(&self, thread: usize) -> Slot {
        Slot::create(&self.folder, &thread.to_string())
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

/// The file in which a thread notes what it parses.
pub struct Slot {
    file: Option<File>,
    note: Vec<u8>,
}

impl Slot {
    fn create(folder: &Path, name: &str) -> Slot {
        let path = folder.join(name);
        // The folder may be a link of another user; see `store::Private`.
        let folder = store::create_private_dir(folder).map_err(|error| error.source);
        match folder.and_then(|()| Private::Write.open(&path)) {
            Ok(file) => Slot { file: Some(file), note: Vec::new() },
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "files in flight are not written down");
                Slot { file: None, note: Vec::new() }
            }
        }
    }

    /// Notes that the file is about to be parsed, in place of the previous note. If there is no journal, as on a full
    /// disk, the file is parsed anyway.
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
    fn parse(note: &[u8], was_tried: bool) -> Option<Suspect> {
        let (head, rest) = note.split_at_checked(NOTE_HEAD)?;
        let (length, hash) = head.split_at(4);
        let path = rest.get(..u32::from_le_bytes(length.try_into().ok()?) as usize)?;
        let path = RelPath::new(std::str::from_utf8(path).ok()?).ok()?;
        Some(Suspect { path, hash: ContentHash(hash.try_into().ok()?), was_tried })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RelPath {
        RelPath::new(text).unwrap()
    }

    fn lost(kind: LossKind) -> Lost {
        Lost { cause: "a test lost it".to_string(), kind }
    }

    #[test]
    fn only_a_failed_parser_is_remembered_for_ever() {
        let dir = tempfile::tempdir().unwrap();
        let quarantine = Quarantine::open(dir.path(), "");
        let hash = |name: &str| ContentHash::of(name.as_bytes());
        let add = |name: &str, kind| quarantine.add(&path(name), hash(name), &lost(kind)).unwrap();
        let again = || Quarantine::open(dir.path(), "");
        let is_listed = |name: &str| again().cause(hash(name)).is_some();
        add("failed.rb", LossKind::Parser);
        add("hung.rb", LossKind::Watchdog);
        add("unlucky.rb", LossKind::NoWorker);
        for _ in 1..MAX_OUTSIDE_DEATHS {
            add("killed.rb", LossKind::Outside);
            add("saved.rb", LossKind::Outside);
            assert!(!is_listed("killed.rb") && !is_listed("saved.rb"));
        }
        quarantine.clear(hash("saved.rb")).unwrap();
        add("killed.rb", LossKind::Outside);
        add("saved.rb", LossKind::Outside);
        let listed = ["failed.rb", "hung.rb", "unlucky.rb", "killed.rb", "saved.rb"].map(is_listed);
        assert_eq!(listed, [true, true, false, true, false]);

        again().forget_doubtful().unwrap();
        assert_eq!(["failed.rb", "hung.rb", "killed.rb"].map(is_listed), [true, false, false]);
    }

    #[test]
    fn files_in_flight_are_tried_and_the_guilty_are_remembered() {
        let dir = tempfile::tempdir().unwrap();
        let quarantine = Quarantine::open(dir.path(), "today");
        let journal = quarantine.journal();
        let mut slots = [journal.slot(0), journal.slot(1)];
        slots[0].enter(&path("a/long/path/that/is/overwritten.rs"), ContentHash([9; 16]));
        slots[0].enter(&path("good.rs"), ContentHash([1; 16]));
        slots[1].enter(&path("bad.rb"), ContentHash([2; 16]));
        // A process that dies runs no destructors.
        std::mem::forget(journal);

        let trial = |suspect: &Suspect| match suspect.path.as_str() {
            "bad.rb" => Some(lost(LossKind::Parser)),
            other => (other != "good.rs").then(|| panic!("{other}")),
        };
        quarantine.try_suspects(quarantine.suspects(), true, trial).unwrap();
        assert!(quarantine.suspects().is_empty());
        let again = Quarantine::open(dir.path(), "today");
        assert_eq!(again.cause(ContentHash([1; 16])), None);
        assert_eq!(again.cause(ContentHash([2; 16])).as_deref(), Some("a test lost it"));
        assert_eq!(Quarantine::open(dir.path(), "tomorrow").cause(ContentHash([2; 16])), None);
    }

    #[test]
    fn a_process_that_dies_in_a_trial_leaves_no_doubt() {
        let dir = tempfile::tempdir().unwrap();
        let quarantine = Quarantine::open(dir.path(), "today");
        let journal = quarantine.journal();
        let mut slots = [journal.slot(0), journal.slot(1), journal.slot(2)];
        for (slot, name) in slots.iter_mut().zip(["a.rb", "bad.rb", "z.rb"]) {
            slot.enter(&path(name), ContentHash::of(name.as_bytes()));
        }
        std::mem::forget(journal);
        let die_of_bad =
            |suspect: &Suspect| (suspect.path.as_str() == "bad.rb").then(|| panic!("the process ends"));
        let died = std::panic::catch_unwind(|| {
            quarantine.try_suspects(quarantine.suspects(), true, die_of_bad).unwrap();
        });
        assert!(died.is_err());

        let mut tried = Vec::new();
        let trial = |suspect: &Suspect| {
            tried.push(suspect.path.as_str().to_string());
            None
        };
        quarantine.try_suspects(quarantine.suspects(), true, trial).unwrap();
        assert_eq!(tried, ["a.rb", "z.rb"]);
        let cause = quarantine.cause(ContentHash::of(b"bad.rb"));
        assert_eq!(cause.as_deref(), Some("its parser ended the process"));
        assert!(quarantine.suspects().is_empty());
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
