//! Finding the git directory to which a `.git` leads, and checking that this directory belongs to the folder.
//!
//! A `.git` that is a file or a link can name any repository of the machine. The author of the file would then read
//! that repository through the folder, and join its index. So such a `.git` is accepted only if the git directory
//! points back, as git writes it for linked worktrees (the file `gitdir`) and for submodules (`core.worktree`). A user
//! who can write only the folder cannot forge that.
//!
//! Files are read here without trusting them: only regular files, up to a size limit, and without blocking on a pipe.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The size limit of files that hold one path or the name of one reference.
pub const MAX_LINE_BYTES: u64 = 64 << 10;

/// The size limit of the configuration of a repository.
pub const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// A git directory that belongs to a folder. Both paths contain no links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitDir {
    /// The folder with the head and the index.
    pub dir: PathBuf,
    /// The folder with objects and branches, which all worktrees of a repository share.
    pub common: PathBuf,
    /// Whether `.git` is a folder, and neither a file nor a link.
    pub is_folder: bool,
}

/// Why a repository is not used, although there seems to be one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GitDirError {
    /// The git directory belongs to another folder, or to none.
    #[error(
        "{} leads to {}, which does not point back to it; run 'git worktree repair' in the main worktree, or set \
         core.worktree there",
        dot_git.display(), dir.display()
    )]
    NoBackLink {
        /// The `.git` that leads there.
        dot_git: PathBuf,
        /// The git directory.
        dir: PathBuf,
    },
    /// The git directory takes objects and branches from a repository that does not have it as a worktree.
    #[error("{} shares {}, which does not have it among its worktrees", dir.display(), common.display())]
    NotShared {
        /// The git directory.
        dir: PathBuf,
        /// The repository from which it would take objects and branches.
        common: PathBuf,
    },
    /// A file or folder of the repository is not valid.
    #[error("{} {reason}", path.display())]
    Unusable {
        /// The file or folder.
        path: PathBuf,
        /// The reason, as the end of a sentence.
        reason: String,
    },
}

impl GitDirError {
    pub(crate) fn unusable(path: &Path, reason: impl std::fmt::Display) -> GitDirError {
        GitDirError::Unusable { path: path.to_path_buf(), reason: reason.to_string() }
    }
}

/// The git directory to which `dot_git`, a path that ends in `.git`, leads; `None` if there is no such file, or it
/// leads nowhere. This does not check that a repository is there.
pub fn resolve(dot_git: &Path) -> Result<Option<GitDir>, GitDirError> {
    let Ok(metadata) = fs::symlink_metadata(dot_git) else { return Ok(None) };
    let is_folder = metadata.is_dir();
    let Some(dir) = (if dot_git.is_dir() { Some(dot_git.to_path_buf()) } else { led_to(dot_git)? }) else {
        return Ok(None);
    };
    let Ok(dir) = fs::canonicalize(dir) else { return Ok(None) };
    let unlinked = || GitDirError::NoBackLink { dot_git: dot_git.to_path_buf(), dir: dir.clone() };
    let Some(common) = line(&dir.join("commondir"))? else {
        if !is_folder && !is_worktree_of(&dir, dot_git)? {
            return Err(unlinked());
        }
        return Ok(Some(GitDir { common: dir.clone(), dir, is_folder }));
    };
    let common = dir.join(common);
    let common = fs::canonicalize(&common).unwrap_or(common);
    let worktrees = dir.parent();
    let is_shared = !is_folder && worktrees == Some(&common.join("worktrees"));
    if !is_shared {
        return Err(GitDirError::NotShared { dir, common });
    }
    if !is_linked_to(&dir, dot_git)? {
        return Err(unlinked());
    }
    Ok(Some(GitDir { dir, common, is_folder }))
}

/// The path in a file `.git`; `None` if the file contains none.
fn led_to(dot_git: &Path) -> Result<Option<PathBuf>, GitDirError> {
    let Some(text) = text(dot_git, MAX_LINE_BYTES)? else { return Ok(None) };
    let Some(path) = text.strip_prefix(b"gitdir: ").map(trimmed) else { return Ok(None) };
    Ok(dot_git.parent().map(|folder| folder.join(to_path(path))))
}

/// Whether the git directory of a linked worktree points back to `dot_git`.
fn is_linked_to(dir: &Path, dot_git: &Path) -> Result<bool, GitDirError> {
    let back = line(&dir.join("gitdir"))?.map(|back| dir.join(back));
    Ok(back.is_some_and(|back| is_same(&back, dot_git)))
}

/// Whether the configuration of a git directory names the folder of `dot_git` as its worktree.
fn is_worktree_of(dir: &Path, dot_git: &Path) -> Result<bool, GitDirError> {
    for name in ["config.worktree", "config"] {
        let config = text(&dir.join(name), MAX_CONFIG_BYTES)?.unwrap_or_default();
        if let Some(worktree) = core_worktree(&config) {
            return Ok(is_same(&dir.join(to_path(&worktree)).join(".git"), dot_git));
        }
    }
    Ok(false)
}

/// Whether both paths are the same entry of the same folder; a link is not followed at the last part.
fn is_same(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| Some((fs::canonicalize(path.parent()?).ok()?, path.file_name()?.to_owned()));
    place(a).is_some_and(|a| Some(a) == place(b))
}

/// The path that a file holds; `None` if there is no such file.
fn line(path: &Path) -> Result<Option<PathBuf>, GitDirError> {
    Ok(text(path, MAX_LINE_BYTES)?.map(|text| to_path(trimmed(&text))))
}

fn text(path: &Path, max: u64) -> Result<Option<Vec<u8>>, GitDirError> {
    match bounded(path, max) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(GitDirError::unusable(path, format!("cannot be read: {error}"))),
    }
}

/// The bytes of a regular file of at most `max` bytes; links are followed.
pub fn bounded(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::other(format!("it is above {max} bytes"));
    // Opening a device may have side effects, so the type is checked first.
    check_regular(&fs::metadata(path)?)?;
    let file = open_unblocked(path)?;
    let metadata = file.metadata()?;
    check_regular(&metadata)?;
    if metadata.len() > max {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    file.take(max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max { Err(too_large()) } else { Ok(bytes) }
}

fn check_regular(metadata: &fs::Metadata) -> io::Result<()> {
    if metadata.is_file() { Ok(()) } else { Err(io::Error::other("it is not a regular file")) }
}

#[cfg(unix)]
fn open_unblocked(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    File::options().read(true).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
fn open_unblocked(path: &Path) -> io::Result<File> {
    File::open(path)
}

fn trimmed(text: &[u8]) -> &[u8] {
    text.trim_ascii_end()
}

#[cfg(unix)]
fn to_path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    std::ffi::OsStr::from_bytes(bytes).into()
}

#[cfg(not(unix))]
fn to_path(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// `core.worktree` of a configuration; the last value if there are several. Only values as git writes them are parsed:
/// on one line, with or without quotes. gix could parse more, but this module lies below the one that uses gix.
fn core_worktree(config: &[u8]) -> Option<Vec<u8>> {
    let (mut is_core, mut worktree) = (false, None);
    for line in config.split(|byte| *byte == b'\n') {
        let mut line = line.trim_ascii();
        if let [b'[', rest @ ..] = line {
            let end = memchr::memchr(b']', rest)?;
            is_core = rest[..end].trim_ascii().eq_ignore_ascii_case(b"core");
            line = rest[end + 1..].trim_ascii();
        }
        let Some(equals) = memchr::memchr(b'=', line).filter(|_| is_core) else { continue };
        if line[..equals].trim_ascii().eq_ignore_ascii_case(b"worktree") {
            worktree = value(line[equals + 1..].trim_ascii());
        }
    }
    worktree
}

/// A value without its quotes, escapes and comment; `None` if it continues on the next line.
fn value(text: &[u8]) -> Option<Vec<u8>> {
    let (mut value, mut is_quoted, mut kept) = (Vec::new(), false, 0);
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'#' | b';' if !is_quoted => break,
            b'\\' => match bytes.next()? {
                b'n' => value.push(b'\n'),
                b't' => value.push(b'\t'),
                escaped @ (b'\\' | b'"') => value.push(escaped),
                _ => return None,
            },
            byte => value.push(byte),
        }
        // Blanks count inside quotes, and before further text.
        if is_quoted || !byte.is_ascii_whitespace() {
            kept = value.len();
        }
    }
    value.truncate(kept);
    (!is_quoted).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worktree_of_a_configuration() {
        let check = |config: &str, expected: Option<&str>| {
            let found = core_worktree(config.as_bytes()).map(|value| String::from_utf8(value).unwrap());
            assert_eq!(found.as_deref(), expected, "{config}");
        };
        check("[core]\n\tbare = false\n\tworktree = ../../../sub\n", Some("../../../sub"));
        check("[Core] WorkTree=/a b ; comment\n", Some("/a b"));
        check("[core]\n worktree = \"/a \\\"b\\\" # c \"\r\n", Some("/a \"b\" # c "));
        check("[core]\nworktree = /a\n[core]\nworktree = /b\n", Some("/b"));
        check("[core \"x\"]\nworktree = /a\n[user]\nworktree = /b\n", None);
        check("[core]\nworktree = /a\\\n/b\n", None);
        check("[core]\nworktree = \"/a\n", None);
        check("worktree = /a\n[core", None);
    }

    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_read_and_only_so_far() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let says = |name: &str, max| match bounded(&at(name), max) {
            Ok(bytes) => String::from_utf8(bytes).unwrap(),
            Err(error) => error.to_string(),
        };
        fs::write(at("file"), "12345").unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("zero")).unwrap();
        let status = std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap();
        assert!(status.success());
        File::create(at("sparse")).unwrap().set_len(6 << 30).unwrap();
        assert_eq!((says("file", 5), says("link", 5)), ("12345".into(), "12345".into()));
        assert_eq!(says("file", 4), "it is above 4 bytes");
        assert_eq!(says("sparse", 1 << 20), "it is above 1048576 bytes");
        for name in ["zero", "pipe", "."] {
            assert_eq!(says(name, 1 << 20), "it is not a regular file", "{name}");
        }
    }
}
