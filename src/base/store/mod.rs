//! Durable files: atomic replacement with fsync, private folders, the writer's lock, and the checksummed envelope
//! around every record.
//!
//! A record file is never changed after its name appears: it is written under a temporary name, synced and renamed, and
//! then its folder is synced. So a reader that finds a name finds the whole file, and a crash leaves at most a
//! temporary file.

mod envelope;
#[cfg(any(test, feature = "testing"))]
pub mod faults;
mod file_error;
mod format;
mod io_cause;
mod lock;
mod pages;
mod private;
mod step;
mod store_step;
mod varint;

use std::fs;
use std::io::Write;
use std::path::Path;

pub use envelope::{ENVELOPE_LEN, Envelope, EnvelopeError};
pub use file_error::{AtFile, FileError};
pub use format::FORMAT_VERSION;
pub use io_cause::IoCause;
pub use lock::{Lock, LockError, LockHolder};
pub use pages::{mapped_bytes, release_pages};
pub use private::{Private, create_private_dir, foreign_owner};
pub use step::{remove_file, rename, sync_folder};
pub use step::{step, sync_all, sync_below, sync_file};
pub use store_step::StoreStep;
pub use varint::{push_varint, take_varint};

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
    step(StoreStep::Create(file.path())).at("create a file in", folder)?;
    for piece in pieces {
        step(StoreStep::Write(file.path())).at("write", path)?;
        file.write_all(piece).at("write", path)?;
    }
    sync_file(file.as_file(), file.path()).at("sync", path)?;
    step(StoreStep::Rename { from: file.path(), to: path }).at("replace", path)?;
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
