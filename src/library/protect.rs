//! Read-only trees: setting and removing the protection, as far as the system knows one.

use std::fs;
use std::io;
use std::path::Path;

use super::error::LibraryError;
use spyhop_base::store::{self, StoreStep};

/// The change of the permissions of a tree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    ReadOnly,
    Writable,
}

/// Makes the files and folders of a tree read-only.
pub(super) fn protect(tree: &Path) -> Result<(), LibraryError> {
    set(tree, Access::ReadOnly).map_err(|error| LibraryError::io("protect", tree, error))
}

/// Makes the files and folders of a tree writable for their owner.
pub(super) fn unprotect(tree: &Path) -> Result<(), LibraryError> {
    set(tree, Access::Writable).map_err(|error| LibraryError::io("unprotect", tree, error))
}

/// Makes the files and folders in a folder read-only, and not the folder.
pub(super) fn protect_inside(folder: &Path) -> Result<(), LibraryError> {
    let failed = |error| LibraryError::io("protect", folder, error);
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(failed)?,
    };
    for entry in entries {
        set(&entry.map_err(failed)?.path(), Access::ReadOnly).map_err(failed)?;
    }
    Ok(())
}

/// Makes a folder writable, and not what is in it: a folder that is read-only cannot be moved to another folder.
pub(super) fn make_movable(path: &Path) -> Result<(), LibraryError> {
    let failed = |error| LibraryError::io("unprotect", path, error);
    let metadata = fs::symlink_metadata(path).map_err(failed)?;
    match metadata.is_dir() {
        true => set_one(path, &metadata, Access::Writable).map_err(failed),
        false => Ok(()),
    }
}

/// Removes a tree, protected or not, if there is one.
pub(super) fn remove_tree(tree: &Path) -> Result<(), LibraryError> {
    match fs::symlink_metadata(tree) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(LibraryError::io("remove", tree, error)),
        Ok(_) => {}
    }
    store::step(StoreStep::Remove(tree)).map_err(|error| LibraryError::io("remove", tree, error))?;
    if fs::remove_dir_all(tree).is_ok() {
        return Ok(());
    }
    // A folder that is read-only cannot be emptied by an ordinary user.
    let _ = set(tree, Access::Writable);
    fs::remove_dir_all(tree).map_err(|error| LibraryError::io("remove", tree, error))
}

/// Removes a tree or a file, protected or not, if there is one.
pub(super) fn remove_tree_or_file(path: &Path) -> Result<(), LibraryError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(store::remove_file(path)?),
        _ => remove_tree(path),
    }
}

/// Sets the access of everything in a tree, without following links.
fn set(path: &Path, access: Access) -> io::Result<()> {
    let metadata = fs::symlink_metadata(path)?;
    if metadata.is_symlink() {
        return Ok(());
    }
    // A folder must be readable while its entries are changed.
    if access == Access::Writable {
        set_one(path, &metadata, access)?;
    }
    if metadata.is_dir() {
        for entry in fs::read_dir(path)? {
            set(&entry?.path(), access)?;
        }
    }
    if access == Access::ReadOnly {
        set_one(path, &metadata, access)?;
    }
    Ok(())
}

#[cfg(unix)]
fn set_one(path: &Path, metadata: &fs::Metadata, access: Access) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let mode = match (access, metadata.is_dir()) {
        (Access::ReadOnly, true) => 0o500,
        (Access::ReadOnly, false) => 0o400,
        (Access::Writable, true) => 0o700,
        (Access::Writable, false) => 0o600,
    };
    // The other names of a file are not the library's: a copy takes the place of the file.
    let is_shared = metadata.is_file() && metadata.nlink() > 1;
    if is_shared {
        unlink_others(path)?;
    }
    match !is_shared && metadata.permissions().mode() & 0o7777 == mode {
        true => Ok(()),
        false => fs::set_permissions(path, fs::Permissions::from_mode(mode)),
    }
}

/// Replaces a file by a copy that shares no bytes with other files.
#[cfg(unix)]
fn unlink_others(path: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut copy = tempfile::NamedTempFile::new_in(folder)?;
    io::copy(&mut fs::File::open(path)?, copy.as_file_mut())?;
    copy.as_file().sync_all()?;
    copy.persist(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(not(unix))]
fn set_one(path: &Path, metadata: &fs::Metadata, access: Access) -> io::Result<()> {
    if metadata.is_dir() {
        return Ok(()); // the attribute has no effect on folders
    }
    let mut permissions = metadata.permissions();
    permissions.set_readonly(access == Access::ReadOnly);
    fs::set_permissions(path, permissions)
}
