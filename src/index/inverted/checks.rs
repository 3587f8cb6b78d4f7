//! Which blocks of the files of a commit were compared with their checksums, by this process and by those before.
//!
//! Some parts of a file are read as a whole, such as a dictionary, so the first answer of a process compares megabytes of
//! a large index. If a reader has compared [`WORTH_NOTING`] bytes, it notes which blocks are whole in the file `checked`
//! beside the segments, with the stat data of their files. A later process does not compare these blocks again, as long
//! as the stat data are the same, the system has not been started again, and the note is younger than a day. A file that
//! was written, replaced or restored has other stat data. The note is derived and may be missing; small indexes have none.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tantivy::directory::FileHandle;
use tantivy::directory::error::OpenReadError;

use super::checked_file::{CheckedFile, refused};
use super::sums::SumsByName;
use spyhop_base::store::{Envelope, Private, TEMPORARY_PREFIX};
use spyhop_files::walk::{Stat, stat_of};

/// The kind number in the envelope.
const KIND: u32 = 19;

/// The name of the file.
const NAME: &str = "checked";

/// The bytes that a reader must have compared before a note is worth writing.
const WORTH_NOTING: u64 = 1 << 20;

/// The size from which a file is noted.
const MIN_SIZE: u64 = 64 << 10;

/// How long a note is used, in seconds.
const MAX_AGE: u64 = 24 * 3600;

/// The age in nanoseconds below which stat data may not show a further change, because times are coarse.
const COARSE_NS: i64 = 2_000_000_000;

/// The note, as stored.
#[derive(Serialize, Deserialize)]
struct CheckedNote {
    /// The start of the system; empty where the system does not tell.
    boot: String,
    /// When the note was written, in seconds since 1970.
    at: u64,
    files: BTreeMap<String, NotedFile>,
}

/// The blocks of a file that were compared.
#[derive(Clone, Serialize, Deserialize)]
struct NotedFile {
    size: u64,
    mtime_ns: i64,
    ctime_ns: i64,
    inode: u64,
    /// The checksum of the sums that the blocks were compared with.
    sums: u32,
    /// A bit for each block.
    whole: Vec<u64>,
}

impl NotedFile {
    fn is_of(&self, stat: &Stat, sums: u32) -> bool {
        let noted =
            Stat { size: self.size, mtime_ns: self.mtime_ns, ctime_ns: self.ctime_ns, inode: self.inode };
        noted == *stat && self.sums == sums
    }
}

/// The files of a commit that are open for reading, and what is known about their blocks.
pub(super) struct Checks {
    dir: PathBuf,
    sums: Arc<SumsByName>,
    noted: BTreeMap<String, NotedFile>,
    files: Mutex<Vec<(Stat, Arc<CheckedFile>)>>,
    /// The bytes that were compared since the last note.
    compared: Arc<AtomicU64>,
}

impl Checks {
    /// The checks of the commit in `dir` that has these sums.
    pub fn new(dir: &Path, sums: SumsByName) -> Checks {
        // A small index has no note, so nothing is asked of the system.
        let is_large = sums.values().map(|sums| sums.len).sum::<u64>() >= WORTH_NOTING;
        let noted = if is_large { noted(dir, now()).unwrap_or_default() } else { BTreeMap::new() };
        let (dir, sums) = (dir.to_path_buf(), Arc::new(sums));
        Checks { dir, sums, noted, files: Mutex::default(), compared: Arc::default() }
    }

    pub fn sums(&self) -> &SumsByName {
        &self.sums
    }

    /// The file `path`, mapped as `handle`.
    pub fn file(
        &self,
        path: &Path,
        handle: Arc<dyn FileHandle>,
    ) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let name = path.to_string_lossy();
        let Some(sums) = self.sums.get(&*name) else {
            return Err(refused(path, "the commit has no checksums of it"));
        };
        let stat = (sums.len >= MIN_SIZE).then(|| stat_of(&self.dir.join(path)).ok()).flatten();
        let noted = stat.as_ref().zip(self.noted.get(&*name));
        let noted = noted.filter(|(stat, noted)| noted.is_of(stat, sums.check()));
        let whole = noted.map_or(&[][..], |(_, noted)| &noted.whole);
        let file = Arc::new(CheckedFile::open(path, handle, sums, whole, Arc::clone(&self.compared))?);
        if let Some(stat) = stat {
            self.files.lock().unwrap_or_else(PoisonError::into_inner).push((stat, Arc::clone(&file)));
        }
        Ok(file)
    }

    /// Notes which blocks were compared, if that saves later processes much.
    pub fn note(&self) {
        let compared = self.compared.load(Ordering::Relaxed);
        if cfg!(not(unix)) || compared < WORTH_NOTING {
            return;
        }
        self.compared.store(0, Ordering::Relaxed);
        // Without the note, answers take longer.
        if let Err(error) = self.write_note(now()) {
            tracing::debug!(%error, "the compared blocks were not noted");
        }
    }

    fn write_note(&self, now: Duration) -> std::io::Result<()> {
        let settled = i64::try_from(now.as_nanos()).unwrap_or(i64::MAX) - COARSE_NS;
        let mut files = BTreeMap::new();
        for (stat, file) in &*self.files.lock().unwrap_or_else(PoisonError::into_inner) {
            let Stat { size, mtime_ns, ctime_ns, inode } = *stat;
            if mtime_ns.max(ctime_ns) < settled {
                let (sums, whole) = (file.sums().check(), file.whole());
                let noted = NotedFile { size, mtime_ns, ctime_ns, inode, sums, whole };
                files.insert(file.name().to_string(), noted);
            }
        }
        if files.is_empty() {
            return Ok(());
        }
        let note = CheckedNote { boot: boot(), at: now.as_secs(), files };
        let table = postcard::to_stdvec(&note).expect("plain data");
        // The note need not survive a crash, so nothing is synced.
        let mut file = tempfile::Builder::new().prefix(TEMPORARY_PREFIX).tempfile_in(&self.dir)?;
        file.write_all(&Envelope::header(KIND, &table, 0))?;
        file.write_all(&table)?;
        file.persist(self.dir.join(NAME))?;
        Ok(())
    }
}

/// The files in the note in `dir`, if the note is still good.
fn noted(dir: &Path, now: Duration) -> Option<BTreeMap<String, NotedFile>> {
    let mut bytes = Vec::new();
    Private::Read.open(&dir.join(NAME)).ok()?.read_to_end(&mut bytes).ok()?;
    let envelope = Envelope::open(&bytes).ok().filter(|envelope| envelope.kind == KIND)?;
    let note: CheckedNote = postcard::from_bytes(envelope.table).ok()?;
    let is_good = note.boot == boot() && now.as_secs().abs_diff(note.at) < MAX_AGE;
    is_good.then_some(note.files)
}

/// The time since 1970.
fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// An id of this start of the system; empty where the system has none.
fn boot() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default()
}

#[cfg(all(test, unix))]
mod tests {
    use tantivy::Directory;
    use tantivy::directory::MmapDirectory;

    use super::*;
    use crate::inverted::sums::FileSums;

    const LEN: usize = 2 << 20;

    fn checks(dir: &Path, bytes: &[u8]) -> Checks {
        Checks::new(dir, [("a.term".to_string(), Arc::new(FileSums::of(bytes)))].into())
    }

    /// Reads the whole file. Returns how many bytes were compared.
    fn read(dir: &Path, checks: &Checks) -> std::io::Result<u64> {
        let path = Path::new("a.term");
        let handle = MmapDirectory::open(dir).unwrap().get_file_handle(path).unwrap();
        let before = checks.compared.load(Ordering::Relaxed);
        checks.file(path, handle).unwrap().read_bytes(0..LEN)?;
        Ok(checks.compared.load(Ordering::Relaxed) - before)
    }

    #[test]
    fn blocks_are_compared_again_when_the_file_the_sums_or_the_day_are_others() {
        let dir = tempfile::tempdir().unwrap();
        let (dir, path) = (dir.path(), dir.path().join("a.term"));
        let mut bytes: Vec<u8> = (0..LEN as u32).map(|at| (at % 253) as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let first = checks(dir, &bytes);
        assert_eq!(read(dir, &first).unwrap(), LEN as u64);
        // The file was written just now, so its stat data may not show a further change.
        first.note();
        assert!(!dir.join(NAME).exists());
        let later = now() + Duration::from_secs(3);
        first.write_note(later).unwrap();
        assert_eq!(read(dir, &checks(dir, &bytes)).unwrap(), 0);
        assert!(noted(dir, later + Duration::from_secs(MAX_AGE)).is_none());

        let whole = bytes.clone();
        bytes[LEN / 2] ^= 1;
        let other_sums = checks(dir, &bytes);
        assert!(read(dir, &other_sums).is_err());
        std::fs::write(&path, &bytes).unwrap();
        let restored = std::fs::File::options().write(true).open(&path).unwrap();
        let mtime = Duration::from_nanos(first.files.lock().unwrap()[0].0.mtime_ns as u64);
        restored.set_modified(UNIX_EPOCH + mtime).unwrap();
        assert!(read(dir, &checks(dir, &whole)).is_err(), "only the time of the inode tells");

        let mut note = std::fs::read(dir.join(NAME)).unwrap();
        note[60] ^= 1;
        std::fs::write(dir.join(NAME), note).unwrap();
        assert!(noted(dir, later).is_none());
        std::fs::remove_file(dir.join(NAME)).unwrap();
        assert!(std::fs::read_dir(dir).unwrap().count() == 1, "no temporary file stays");
    }
}
