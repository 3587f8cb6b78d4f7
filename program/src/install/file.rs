//! The configuration file of a client: read whole, replaced whole.
//!
//! This module guarantees that a reader sees either the old bytes or the new ones, and that a link stays a link: people
//! keep such files in a repository of theirs, and the file in that repository is the one that changes. Mode and owner
//! are kept.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use spyhop_base::input;

use super::ConfigScope;
use super::error::Error;

/// How many links are followed before they are taken for a cycle.
const MAX_LINKS: usize = 40;

/// The file that `path` leads to, whether or not that file exists.
pub fn behind_links(path: &Path) -> Result<PathBuf, Error> {
    let failed = |error| Error::Io { path: path.to_path_buf(), error };
    let mut target = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            // The path is not a link, or does not exist.
            Err(_) => return Ok(target),
        }
    }
    Err(failed(io::Error::other("too many links, one behind the other")))
}

/// The text of the file; `None` where there is no file.
pub fn read(path: &Path) -> Result<Option<String>, Error> {
    match input::bounded(path, input::MAX_TEXT_BYTES) {
        Ok(bytes) => {
            let text = String::from_utf8(bytes).map_err(|_| Error::NotText { path: path.to_path_buf() })?;
            Ok(Some(text))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::Io { path: path.to_path_buf(), error }),
    }
}

/// Replaces `before` by `after`; fails without a change if the file is not `before` any more. Returns the folders that
/// were created for the file, outermost first.
pub fn replace(
    path: &Path,
    before: Option<&str>,
    after: Option<&str>,
    scope: Option<ConfigScope>,
) -> Result<Vec<PathBuf>, Error> {
    let failed = |error| Error::Io { path: path.to_path_buf(), error };
    let folder = path.parent().unwrap_or(Path::new("."));
    let made = make(folder).map_err(failed)?;
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(|old| old.permissions().readonly()) {
        return Err(Error::ReadOnly { path: path.to_path_buf() });
    }
    let fresh = after.map(|after| written(folder, after, old.as_ref(), scope)).transpose().map_err(failed)?;
    // Checked as late as possible: a running client writes into its file, too.
    if read(path)?.as_deref() != before {
        return Err(Error::Changed { path: path.to_path_buf() });
    }
    match fresh {
        Some(fresh) => _ = fresh.persist(path).map_err(|error| failed(error.error))?,
        None => fs::remove_file(path).map_err(failed)?,
    }
    #[cfg(unix)]
    fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
    Ok(made)
}

/// Creates a folder and its missing parents, and returns those that were missing.
fn make(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let missing = folder.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    let mut missing: Vec<PathBuf> = missing.map(Path::to_path_buf).collect();
    missing.reverse();
    fs::create_dir_all(folder)?;
    Ok(missing)
}

/// A temporary file with `text`, synced to disk.
fn written(
    folder: &Path,
    text: &str,
    old: Option<&fs::Metadata>,
    scope: Option<ConfigScope>,
) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".spyhop-");
    // Whoever may read a project may read the project's file; the user's file may hold secrets one day.
    #[cfg(unix)]
    if scope != Some(ConfigScope::User) {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    let mut fresh = builder.tempfile_in(folder)?;
    fresh.write_all(text.as_bytes())?;
    if let Some(old) = old {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, chown};
            let new = fresh.as_file().metadata()?;
            if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
                // Only root may change the owner of a file; for any other user, the file becomes the user's own.
                let _ = chown(fresh.path(), Some(old.uid()), Some(old.gid()));
            }
        }
        fs::set_permissions(fresh.path(), old.permissions())?;
    }
    fresh.as_file().sync_all()?;
    Ok(fresh)
}

/// Removes folders that were created for a file and are empty, innermost first.
pub fn remove_folders(made: &[PathBuf]) {
    for folder in made.iter().rev() {
        // A folder that something else uses by now is not empty and stays.
        let _ = fs::remove_dir(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_else_wrote_meanwhile_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/file");
        let made = replace(&path, None, Some("one"), None).unwrap();
        assert_eq!(made, [folder.path().join("a"), folder.path().join("a/b")]);
        assert!(matches!(replace(&path, None, Some("two"), None), Err(Error::Changed { .. })));
        assert!(matches!(replace(&path, Some("other"), Some("two"), None), Err(Error::Changed { .. })));
        assert!(matches!(replace(&path, Some("other"), None, None), Err(Error::Changed { .. })));
        assert_eq!(read(&path).unwrap().as_deref(), Some("one"));
        assert_eq!(replace(&path, Some("one"), Some("two"), None).unwrap(), Vec::<PathBuf>::new());
        assert_eq!(read(&path).unwrap().as_deref(), Some("two"));
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing is left over");
        replace(&path, Some("two"), None, None).unwrap();
        assert_eq!(read(&path).unwrap(), None);
        remove_folders(&made);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_circle_of_links_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
        std::os::unix::fs::symlink("two", &one).unwrap();
        assert_eq!(behind_links(&one).unwrap(), two);
        std::os::unix::fs::symlink("one", &two).unwrap();
        assert!(behind_links(&one).is_err());
    }
}
