//! The location that a user typed as a source: a folder, a file, or a repository, of this machine or another one.

use std::io;
use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;

use super::error::LibraryError;
use super::format::{self, FileForm};
use super::web::WebAddress;

/// Where a source is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Located {
    /// A folder of this machine.
    Folder(PathBuf),
    /// A file of this machine.
    File(PathBuf, FileForm),
    /// A repository of this machine, whose commits are read.
    Repository(PathBuf),
    /// A repository on another machine.
    Remote(Box<WebAddress>),
}

/// Finds the source that `typed` names. With `reference`, a repository of this machine is read for its commits.
pub(super) fn locate(typed: &str, reference: Option<&str>) -> Result<Located, LibraryError> {
    if typed.is_empty() {
        return Err(LibraryError::bad_source(typed, "it is empty; give a folder, a file or a repository"));
    }
    if let Some((scheme, rest)) = typed.split_once("://") {
        return match scheme.eq_ignore_ascii_case("file") {
            true => at_path(&file_url(typed, rest)?, reference, true),
            false => Ok(Located::Remote(Box::new(WebAddress::parse(typed)?))),
        };
    }
    let path = expanded(typed);
    if !path.exists() && is_scp_like(typed) {
        return Ok(Located::Remote(Box::new(WebAddress::parse(typed)?)));
    }
    at_path(&path, reference, false)
}

fn file_url(typed: &str, rest: &str) -> Result<PathBuf, LibraryError> {
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        let reason = "a file URL has three slashes before the path, as in file:///home/me/tree";
        return Err(LibraryError::bad_source(typed, reason));
    }
    let path = percent_decode_str(path).decode_utf8();
    let path = path.map_err(|_| LibraryError::bad_source(typed, "the path is not UTF-8"))?;
    // A drive follows the third slash.
    let path = if cfg!(windows) { path.trim_start_matches('/') } else { &path };
    Ok(PathBuf::from(path))
}

/// The path that a user typed, with the home folder in place of `~`.
fn expanded(typed: &str) -> PathBuf {
    let path = Path::new(typed);
    match (path.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_path_buf(),
    }
}

/// Whether a text names a repository on another machine: a URL other than that of a file, or `user@host:path`.
pub fn is_remote(typed: &str) -> bool {
    match typed.split_once("://") {
        Some((scheme, _)) => !scheme.eq_ignore_ascii_case("file"),
        None => is_scp_like(typed),
    }
}

/// Whether a text has the form `user@host:path`.
fn is_scp_like(typed: &str) -> bool {
    let Some((host, path)) = typed.split_once(':') else { return false };
    !path.is_empty() && host.contains('@') && !host.contains(['/', '\\']) && !host.starts_with('-')
}

/// The source at a path. A URL names a repository, if there is one.
fn at_path(path: &Path, reference: Option<&str>, is_url: bool) -> Result<Located, LibraryError> {
    let real = match path.canonicalize() {
        Ok(real) => real,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(LibraryError::NoSuchPath { path: path.to_path_buf() });
        }
        Err(error) => return Err(LibraryError::io("read", path, error)),
    };
    if real.to_str().is_none() {
        let reason = "its path is not UTF-8; give it a name in UTF-8";
        return Err(LibraryError::bad_source(real.display().to_string(), reason));
    }
    let metadata = real.metadata().map_err(|error| LibraryError::io("read", &real, error))?;
    if metadata.is_dir() {
        let is_bare =
            !real.join(".git").exists() && real.join("HEAD").is_file() && real.join("objects").is_dir();
        let has_commits = is_bare || real.join(".git").exists();
        if has_commits && (is_bare || is_url || reference.is_some()) {
            return Ok(Located::Repository(real));
        }
        return Ok(Located::Folder(real));
    }
    if !metadata.is_file() {
        return Err(LibraryError::bad_source(
            real.display().to_string(),
            "it is neither a file nor a folder",
        ));
    }
    let form = format::form_of(&real).map_err(|error| LibraryError::io("read", &real, error))?;
    Ok(Located::File(real, form))
}

/// The last part of a location without the ending of an archive, for a default name.
pub(super) fn last_part(location: &str) -> &str {
    let location = location.trim_end_matches(['/', '\\']);
    let name = location.rsplit(['/', '\\', ':']).next().unwrap_or(location);
    let endings = [".git", ".tar.gz", ".tar.zst", ".tgz", ".tzst", ".tar", ".zip", ".crate", ".whl"];
    endings
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .filter(|name| !name.is_empty())
        .unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_recognized() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        std::fs::write(real.join("a.rs"), "fn a() {}\n").unwrap();
        let typed = |name: &str| real.join(name).to_str().unwrap().to_string();
        assert_eq!(locate(&typed(""), None).unwrap(), Located::Folder(real.clone()));
        assert_eq!(locate(&typed("a.rs"), None).unwrap(), Located::File(real.join("a.rs"), FileForm::Text));
        assert_eq!(
            locate(&format!("file://{}", typed("a.rs")), None).unwrap(),
            Located::File(real.join("a.rs"), FileForm::Text)
        );
        for (bad, part) in
            [("/no/such/path", "there is no file or folder"), ("file://a", "three slashes"), ("", "empty")]
        {
            let error = locate(bad, None).unwrap_err().to_string();
            assert!(error.contains(part), "{bad}: {error}");
        }
    }

    #[test]
    fn urls_that_cannot_be_fetched_are_refused() {
        let without_network = "built without the feature 'network'";
        for (bad, part) in [
            ("ftp://h/a", "its scheme is none of"),
            ("https://me:secret@h/a@b", "'https://b' cannot be fetched: it has a password"),
        ] {
            let error = locate(bad, None).unwrap_err().to_string();
            let expected = if cfg!(feature = "network") { part } else { without_network };
            assert!(error.contains(expected), "{bad}: {error}");
            assert!(!error.contains("secret"), "{bad}: {error}");
        }
    }

    #[test]
    fn names_come_from_the_last_part() {
        for (location, expected) in [
            ("/a/b/", "b"),
            ("https://h/x/y.git", "y"),
            ("git@h:z.git", "z"),
            ("/d/serde-1.0.tar.gz", "serde-1.0"),
        ] {
            assert_eq!(last_part(location), expected);
        }
    }
}
