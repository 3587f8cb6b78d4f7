//! Durable files: atomic replacement with fsync, private folders, the writer's lock, and the checksummed envelope
//! around every record. [`crate::meta`] defines the content of the records.
//!
//! A record file is never changed after its name appears: it is written under a temporary name, synced and renamed, and
//! then its folder is synced. So a reader that finds a name finds the whole file, and a crash leaves at most a
//! temporary file.

mod envelope;
#[cfg(test)]
pub(crate) mod faults;
mod io_cause;
mod lock;
mod private;
mod step;
mod varint;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub use envelope::{ENVELOPE_LEN, Envelope, EnvelopeError};
pub use io_cause::IoCause;
pub use lock::{Holder, Lock, LockError};
pub use private::{Private, create_private_dir, foreign_owner};
pub(crate) use step::{Step, step, sync_all, sync_file};
pub use step::{remove_file, rename, sync_folder};
pub use varint::{push_varint, take_varint};

/// The number of the on-disk format: folders, envelope, records, index schema. Each format has a data folder of its
/// own, so indexes of different formats lie side by side and each program reads only its own. The folder of an older
/// format is removed when no program has updated it for a week; that of a newer format is never touched. A commit in
/// this program's own folder that claims an older format is damaged, so it is put aside and the index rebuilt; one that
/// claims a newer format is refused.
///
/// Version log: 1, the first; 2, a view for each branch, and its parts in the heap; 3, columns of file versions that
/// are read from the mapped file; 4, outlines that encode each symbol relative to the one before; 5, views that record
/// how many of their files are text only; 6, outlines by front coding, and files of secrets among the skipped.
pub const FORMAT_VERSION: u32 = 6;

/// An I/O error with the file that it concerns.
#[derive(Debug, thiserror::Error)]
#[error("{action} {}: {source}{}", path.display(), IoCause::of(source).advice())]
pub struct FileError {
    /// The attempted action, such as `write`.
    pub action: &'static str,
    /// The file.
    pub path: PathBuf,
    /// The error of the system.
    pub source: io::Error,
}

impl FileError {
    /// The cause of the error.
    pub fn trouble(&self) -> IoCause {
        IoCause::of(&self.source)
    }
}

/// Adds the file to an I/O error.
pub trait AtFile<T> {
    /// The result with `action` and `path` in its error.
    fn at(self, action: &'static str, path: &Path) -> Result<T, FileError>;
}

impl<T> AtFile<T> for io::Result<T> {
    fn at(self, action: &'static str, path: &Path) -> Result<T, FileError> {
        self.map_err(|source| FileError { action, path: path.to_path_buf(), source })
    }
}

/// The prefix of the names of files that [`replace`] has not put in place yet. An old file with it was left by a crash.
pub const TEMPORARY_PREFIX: &str = ".tmp-";

/// Replaces or creates `path` with the concatenation of `pieces`, so that it holds either its old or its new bytes even
/// after a crash. The file and its folder are synced. The file has the mode 0600.
pub fn replace(path: &Path, pieces: &[&[u8]]) -> Result<(), FileError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(TEMPORARY_PREFIX)
        .tempfile_in(folder)
        .at("create a file in", folder)?;
    step(Step::Create(file.path())).at("create a file in", folder)?;
    for piece in pieces {
        step(Step::Write(file.path())).at("write", path)?;
        file.write_all(piece).at("write", path)?;
    }
    sync_file(file.as_file(), file.path()).at("sync", path)?;
    step(Step::Rename { from: file.path(), to: path }).at("replace", path)?;
    file.persist(path).map_err(|error| error.error).at("replace", path)?;
    sync_folder(folder)
}

/// Removes a folder with its content, if there is one.
pub fn remove_folder(folder: &Path) -> Result<(), FileError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        other => other.at("remove", folder),
    }
}

/// The size of all regular files below `folder` in bytes; a file that vanishes meanwhile counts as 0.
pub fn bytes_below(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(meta) if meta.is_dir() => bytes_below(&entry.path()),
            Ok(meta) => meta.len(),
            Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replace_writes_the_whole_file_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        replace(&path, &[b"one"]).unwrap();
        replace(&path, &[b"two ", b"pieces"]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two pieces");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let error = replace(&folder.path().join("none/record"), &[b""]).unwrap_err();
        assert!(error.to_string().contains("none"), "{error}");
        assert_eq!(bytes_below(folder.path()), 10);
    }
}
