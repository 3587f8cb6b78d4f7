//! Moving entries of the inbox to the folder of their class.

use std::path::{Path, PathBuf};

use crate::library::error::LibraryError;
use crate::library::names;
use crate::library::paths::LibraryPaths;
use crate::library::protect;
use crate::store;

/// The ending of a file that says why an entry failed.
pub(super) const REASON_ENDING: &str = ".reason.txt";

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
    let beside = paths.failed().join(format!("{}{REASON_ENDING}", name_of(&to)));
    store::replace(&beside, &[reason.as_bytes(), b"\n"])?;
    move_entry(entry, &to)?;
    Ok(to)
}

fn move_entry(from: &Path, to: &Path) -> Result<(), LibraryError> {
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

/// A path in `folder` that nothing has, with `name` or a number before its ending.
fn free_path(folder: &Path, name: &str) -> PathBuf {
    let is_taken = |name: &str| folder.join(name).symlink_metadata().is_ok();
    if !is_taken(name) {
        return folder.join(name);
    }
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() => (stem, format!(".{ending}")),
        _ => (name, String::new()),
    };
    let free = names::free_name(stem, |stem| is_taken(&format!("{stem}{ending}")));
    folder.join(format!("{free}{ending}"))
}
