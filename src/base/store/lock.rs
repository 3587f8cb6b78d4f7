//! The writer's lock: one process at a time changes an index.
//!
//! The lock is an advisory lock of the operating system on the file `lock`, so a killed holder leaves nothing behind.
//! The file names its holder, for the processes that wait. The lock is taken before tantivy's lock, which
//! does not know its holder. The note about the holder is written after the lock is taken and emptied before the lock
//! is released, so the note can be out of date only when its writer was killed. Therefore the note counts only while
//! the process that it names runs, and is still the same process: the operating system may have reused the process id.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::file_error::{AtFile, FileError};
use super::private::Private;
use super::step::step;
use super::store_step::StoreStep;

/// The process that holds a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LockHolder {
    /// The process id.
    pub pid: u32,
    /// When the process took the lock, in seconds since 1970.
    pub since: u64,
}

/// The content of the lock file.
#[derive(Debug, Serialize, Deserialize)]
struct LockNote {
    #[serde(flatten)]
    holder: LockHolder,
    /// When the process started, in a unit of the system; `None` where that is not known.
    begun: Option<u64>,
    /// Whether the holder is working at the moment, 1 or 0. Both have the same length, so the note can be overwritten
    /// in place.
    #[serde(default)]
    at_work: u8,
}

/// Why a lock could not be acquired.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process holds the lock.
    #[error("{}", told(holder))]
    Held {
        /// The holder, if the lock file names it.
        holder: Option<LockHolder>,
    },
    /// The lock file could not be used.
    #[error(transparent)]
    File(#[from] FileError),
}

fn told(holder: &Option<LockHolder>) -> String {
    let who = |holder: &LockHolder| match holder.pid == std::process::id() {
        true => "this",
        false => "another",
    };
    let since = |holder: &LockHolder| format!(" (process {}, since {} s)", holder.pid, holder.age());
    let (who, since) =
        (holder.as_ref().map_or("another", who), holder.as_ref().map(since).unwrap_or_default());
    format!("{who} process is indexing{since}")
}

impl LockHolder {
    /// For how many seconds the process has held the lock.
    pub fn age(&self) -> u64 {
        now().saturating_sub(self.since)
    }
}

/// The least time to wait for a lock whose holder is not known: the holder has yet to write its note, or another
/// process only queries the lock ([`Lock::holder`] takes the lock for a moment).
const GRACE: Duration = Duration::from_millis(20);

/// The longest pause between two tries, and so the longest delay until a released lock is noticed.
const MAX_PAUSE: Duration = Duration::from_millis(25);

/// The interval between calls of `on_wait`.
const TELL_EVERY: Duration = Duration::from_secs(5);

/// A lock; dropping it releases the lock.
#[derive(Debug)]
pub struct Lock {
    file: File,
    note: LockNote,
}

impl Lock {
    /// Acquires the lock file at `path`, waiting at most `patience` for another holder. During the wait, `on_wait` is
    /// called with the holder, if known: at once and every few seconds.
    pub fn acquire(
        path: &Path,
        patience: Duration,
        on_wait: &mut dyn FnMut(Option<&LockHolder>),
    ) -> Result<Lock, LockError> {
        let mut file = open(path)?;
        let begin = Instant::now();
        let mut pause = Duration::from_millis(1);
        let mut tell_at = begin;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => {
                    return Err(Err::<(), _>(error).at("lock", path).unwrap_err().into());
                }
            }
            let holder = read_holder(&mut file);
            let waited = begin.elapsed();
            let is_graced = holder.is_none() && waited < GRACE;
            if waited >= patience && !is_graced {
                return Err(LockError::Held { holder });
            }
            if Instant::now() >= tell_at && !is_graced {
                on_wait(holder.as_ref());
                tell_at = Instant::now() + TELL_EVERY;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(MAX_PAUSE);
        }
        let holder = LockHolder { pid: std::process::id(), since: now() };
        let note = LockNote { begun: begun(holder.pid), holder, at_work: 0 };
        let text = serde_json::to_vec(&note).expect("plain data");
        // On a disk that is too full for the note, an update that writes nothing may still succeed.
        let written =
            file.set_len(0).and_then(|()| file.seek(SeekFrom::Start(0))).and_then(|_| file.write_all(&text));
        if let Err(error) = written {
            tracing::warn!(%error, "the lock does not say who holds it");
        }
        Ok(Lock { file, note })
    }

    /// Records whether the holder is working, for the processes that wait.
    pub fn set_at_work(&mut self, is_at_work: bool) {
        self.note.at_work = is_at_work.into();
        let text = serde_json::to_vec(&self.note).expect("plain data");
        // A concurrent reader sees the old or the new note. A disk without space for the note has none for the work
        // either.
        let _ = self.file.seek(SeekFrom::Start(0)).and_then(|_| self.file.write_all(&text));
    }

    /// Whether the lock at `path` has a holder that is working. This takes no lock, so it delays no other process.
    pub fn is_at_work(path: &Path) -> bool {
        Private::Read
            .open(path)
            .ok()
            .and_then(|mut file| read_note(&mut file))
            .is_some_and(|note| note.at_work > 0)
    }

    /// The present holder of the lock at `path`: `None` when the lock is free, `Some(None)` when the holder is not
    /// known.
    pub fn holder(path: &Path) -> Option<Option<LockHolder>> {
        let mut file = Private::Read.open(path).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(read_holder(&mut file)),
            _ => None,
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.file.set_len(0);
        // Closing the file does not release the lock while a forked process that has not begun its program shares the file.
        let _ = self.file.unlock();
    }
}

fn open(path: &Path) -> Result<File, FileError> {
    if !path.exists() {
        step(StoreStep::Create(path)).at("create", path)?;
    }
    Private::Write.open(path).at("open", path)
}

/// The holder that the lock file names, if that process runs.
fn read_holder(file: &mut File) -> Option<LockHolder> {
    read_note(file).map(|note| note.holder)
}

fn read_note(file: &mut File) -> Option<LockNote> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    file.take(4096).read_to_string(&mut text).ok()?;
    let note: LockNote = serde_json::from_str(&text).ok()?;
    let is_running = is_running(note.holder.pid) && note.begun == begun(note.holder.pid);
    is_running.then_some(note)
}

#[cfg(unix)]
fn is_running(pid: u32) -> bool {
    let Ok(pid) = libc::pid_t::try_from(pid) else { return false };
    // SAFETY: signal 0 is not delivered; the call only checks whether the process exists.
    let answer = unsafe { libc::kill(pid, 0) };
    answer == 0 || std::io::Error::last_os_error().raw_os_error() == Some(libc::EPERM)
}

#[cfg(not(unix))]
fn is_running(_: u32) -> bool {
    true
}

/// When a process started, in ticks since the machine started.
#[cfg(target_os = "linux")]
fn begun(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field, a name in parentheses, may hold anything; the time is the twentieth after it.
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(19)?.parse().ok()
}

#[cfg(not(target_os = "linux"))]
fn begun(_: u32) -> Option<u64> {
    None
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::faults;
    use crate::store::io_cause::IoCause;

    fn take(path: &Path, patience: u64) -> Result<Lock, LockError> {
        Lock::acquire(path, Duration::from_millis(patience), &mut |_| {})
    }

    #[test]
    fn one_holder_at_a_time_and_it_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        assert_eq!(Lock::holder(&path), None);
        let lock = take(&path, 0).unwrap();
        match take(&path, 20).unwrap_err() {
            LockError::Held { holder } => assert_eq!(holder.unwrap().pid, std::process::id()),
            other => panic!("{other}"),
        }
        assert_eq!(Lock::holder(&path).flatten().map(|holder| holder.pid), Some(std::process::id()));
        drop(lock);
        assert_eq!(Lock::holder(&path), None);
        assert_eq!(std::fs::read(&path).unwrap(), b"");
        take(&path, 0).unwrap();
    }

    #[test]
    fn a_copy_of_the_file_does_not_keep_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let lock = take(&path, 0).unwrap();
        let copy = lock.file.try_clone().unwrap();
        drop(lock);
        assert_eq!(Lock::holder(&path), None);
        drop(copy);
    }

    #[test]
    fn a_waiter_is_told_the_holder_and_wakes_soon() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let lock = take(&path, 0).unwrap();
        let mut told = Vec::new();
        let (released, taken) = std::thread::scope(|scope| {
            let release = scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(200));
                drop(lock);
                Instant::now()
            });
            let taken =
                Lock::acquire(&path, Duration::from_secs(60), &mut |holder| told.push(holder.cloned()));
            taken.unwrap();
            (release.join().unwrap(), Instant::now())
        });
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].as_ref().unwrap().pid, std::process::id());
        // The bound is far above the longest pause, for a busy machine.
        assert!(taken - released < Duration::from_secs(2), "{:?}", taken - released);
    }

    #[test]
    fn the_note_of_a_killed_holder_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let mut dead = std::process::Command::new(std::env::current_exe().unwrap())
            .arg("--list")
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        dead.wait().unwrap();
        let held = File::create(&path).unwrap();
        held.lock().unwrap();
        let note = |pid: u32, begun: Option<u64>| {
            let note = LockNote { holder: LockHolder { pid, since: 1 }, begun, at_work: 0 };
            std::fs::write(&path, serde_json::to_vec(&note).unwrap()).unwrap();
            Lock::holder(&path).expect("it is held")
        };
        let this_process = std::process::id();
        assert_eq!(note(this_process, begun(this_process)), Some(LockHolder { pid: this_process, since: 1 }));
        assert_eq!(note(dead.id(), None), None);
        // The same process id, but another process.
        assert_eq!(note(this_process, Some(1)), None);
        std::fs::write(&path, b"").unwrap();
        assert!(matches!(take(&path, 0), Err(LockError::Held { holder: None })));
    }

    #[test]
    fn a_reader_of_the_note_does_not_keep_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        drop(take(&path, 0).unwrap());
        let asking = File::open(&path).unwrap();
        asking.lock_shared().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(5));
                asking.unlock().unwrap();
            });
            // The grace period is short, and the machine may be busy.
            let begun = std::time::Instant::now();
            while let Err(error) = take(&path, 0) {
                assert!(begun.elapsed() < Duration::from_secs(20), "{error}");
            }
        });
    }

    #[test]
    fn a_lock_file_that_cannot_be_made_is_told_with_its_cause() {
        let folder = tempfile::tempdir().unwrap();
        for (kind, trouble) in [
            (std::io::ErrorKind::ReadOnlyFilesystem, IoCause::ReadOnly),
            (std::io::ErrorKind::PermissionDenied, IoCause::Permission),
        ] {
            let _failing = faults::fail_at(folder.path(), 0, kind);
            match take(&folder.path().join("lock"), 0).unwrap_err() {
                LockError::File(error) => assert_eq!(error.io_cause(), trouble),
                other => panic!("{other}"),
            }
        }
    }
}
