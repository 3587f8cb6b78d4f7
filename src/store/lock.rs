//! The writer's lock: one process at a time changes an index.
//!
//! It is an advisory lock of the operating system on the file `lock`, so a killed holder leaves nothing behind; the
//! holder's pid and start time are written inside for those who wait. It is taken before the index library's own
//! lock, which knows no holder.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::{AtFile, FileError};

/// Who holds a lock, by what it wrote there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process id.
    pub pid: u32,
    /// When it took the lock, in seconds since 1970.
    pub since: u64,
}

/// Why a lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Somebody has it.
    #[error("another process is indexing{}", holder.as_ref().map(|h| format!(" (process {}, since {} s)", h.pid, h.age())).unwrap_or_default())]
    Held {
        /// Who, as far as it said.
        holder: Option<Holder>,
    },
    /// The lock file could not be used.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Holder {
    /// For how many seconds it has held the lock.
    pub fn age(&self) -> u64 {
        now().saturating_sub(self.since)
    }
}

/// A lock that is held until this is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock file at `path`, waiting at most `patience` for another holder.
    pub fn acquire(path: &Path, patience: Duration) -> Result<Lock, LockError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path).at("open", path)?;
        let deadline = Instant::now() + patience;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(LockError::Held { holder: read_holder(&mut file) });
                }
                Err(TryLockError::Error(error)) => {
                    return Err(Err::<(), _>(error).at("lock", path).unwrap_err().into());
                }
            }
        }
        let holder = Holder { pid: std::process::id(), since: now() };
        let text = serde_json::to_vec(&holder).expect("plain data");
        file.set_len(0).and_then(|()| file.write_all(&text)).at("write", path)?;
        Ok(Lock { _file: file })
    }

    /// Who holds the lock at `path` now, `None` when nobody does.
    pub fn holder(path: &Path) -> Option<Option<Holder>> {
        let mut file = File::open(path).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(read_holder(&mut file)),
            _ => None,
        }
    }
}

fn read_holder(file: &mut File) -> Option<Holder> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    file.take(4096).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time_and_it_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        assert_eq!(Lock::holder(&path), None);
        let lock = Lock::acquire(&path, Duration::ZERO).unwrap();
        match Lock::acquire(&path, Duration::from_millis(20)).unwrap_err() {
            LockError::Held { holder } => assert_eq!(holder.unwrap().pid, std::process::id()),
            other => panic!("{other}"),
        }
        assert_eq!(Lock::holder(&path).flatten().map(|holder| holder.pid), Some(std::process::id()));
        drop(lock);
        assert_eq!(Lock::holder(&path), None);
        Lock::acquire(&path, Duration::ZERO).unwrap();
    }
}
