//! Moving entries to the folder of their class, and out of the library again.

use std::path::{Path, PathBuf};

use crate::error::LibraryError;
use crate::names;
use crate::paths::LibraryPaths;
use crate::protect;
use spyhop_base::store;

/// The ending of a file that says why an entry failed.
const REASON_ENDING: &str = ".reason.txt";

/// The longest name of a kept entry in bytes. The names of its record and of its text are longer.
const MAX_NAME_BYTES: usize = 200;

/// The longest ending of a name that is kept when the name is cut.
const MAX_ENDING_BYTES: usize = 16;

/// Moves an entry to `folder` under a free name, and protects it. Returns its path.
pub(super) fn keep(entry: &Path, folder: &Path) -> Result<PathBuf, LibraryError> {
    let to = free_path(folder, &name_of(entry));
    move_entry(entry, &to)?;
    protect::protect(&to)?;
    Ok(to)
}

/// Moves an entry to the folder of failed entries, and writes the reason beside it. Returns its path.
pub(super) fn fail(entry: &Path, paths: &LibraryPaths, reason: &str) -> Result<PathBuf, LibraryError> {
    let to = free_path(&paths.failed(), &name_of(entry));
    move_entry(entry, &to)?;
    let beside = paths.failed().join(format!("{}{REASON_ENDING}", name_of(&to)));
    store::replace(&beside, &[reason.as_bytes(), b"\n"])?;
    Ok(to)
}

/// Moves a kept entry to the folder of removed entries, where it is writable. Returns its path.
pub fn give_back(kept: &Path, paths: &LibraryPaths) -> Result<PathBuf, LibraryError> {
    let folder = paths.removed_entries();
    store::create_private_dir(&folder)?;
    protect::unprotect(kept)?;
    let to = free_path(&folder, &name_of(kept));
    move_entry(kept, &to)?;
    Ok(to)
}

fn move_entry(from: &Path, to: &Path) -> Result<(), LibraryError> {
    // A folder that is read-only cannot be moved to another folder.
    protect::make_movable(from)?;
    store::rename(from, to)?;
    for path in [from, to] {
        store::sync_folder(path.parent().expect("an entry lies in a folder"))?;
    }
    Ok(())
}

/// The name of an entry. A name that is not UTF-8 gets replacement characters.
pub(super) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A path in `folder` that nothing has, with `name`, cut if it is too long, or with a number before its ending.
fn free_path(folder: &Path, name: &str) -> PathBuf {
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && ending.len() < MAX_ENDING_BYTES => {
            (stem, format!(".{ending}"))
        }
        _ => (name, String::new()),
    };
    let most = MAX_NAME_BYTES - ending.len();
    let end = (0..=most.min(stem.len())).rev().find(|at| stem.is_char_boundary(*at)).unwrap_or(0);
    let stem = &stem[..end];
    let is_taken = |stem: &str| folder.join(format!("{stem}{ending}")).symlink_metadata().is_ok();
    let free = match is_taken(stem) {
        true => names::free_name(stem, is_taken),
        false => stem.to_string(),
    };
    folder.join(format!("{free}{ending}"))
}
