//! Finding the git directory to which a `.git` leads, and checking that this directory belongs to the folder.
//!
//! A `.git` that is a file or a link can name any repository of the machine. The author of the file would then read
//! that repository through the folder, and join its index. So such a `.git` is accepted only if the git directory
//! points back, as git writes it for linked worktrees (the file `gitdir`) and for submodules (`core.worktree`). A user
//! who can write only the folder cannot forge that.
//!
//! This module also knows which paths lie in a git directory ([`GitFolders`]): servers do not serve them, since the
//! configuration of a repository may hold a token.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use spyhop_base::input::bounded;

/// The size limit of files that hold one path or the name of one reference.
pub const MAX_LINE_BYTES: u64 = 64 << 10;

/// The size limit of the configuration of a repository.
pub(crate) const MAX_CONFIG_BYTES: u64 = 1 << 20;

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

/// Which paths of a tree lie in a git directory, whatever name leads there.
pub struct GitFolders {
    root: PathBuf,
    /// Whether a folder is a git directory, or lies in one.
    known: HashMap<String, bool>,
}

impl GitFolders {
    /// The paths of the tree at `root`, a path without links.
    pub fn of(root: &Path) -> GitFolders {
        GitFolders { root: root.to_path_buf(), known: HashMap::new() }
    }

    /// Whether a path of the tree, with `/` between its parts, is `.git`, a git directory of another name, or below one.
    /// Links are followed.
    pub fn contain(&mut self, path: &str) -> bool {
        let real = fs::canonicalize(self.root.join(path)).ok();
        let below =
            real.as_deref().and_then(|real| real.strip_prefix(&self.root).ok()).and_then(Path::to_str);
        self.contain_spelled(path) || below.is_some_and(|below| below != path && self.contain_spelled(below))
    }

    /// Whether the path of a file, without links, is `.git` or lies in a git directory.
    pub fn contain_file(&mut self, path: &str) -> bool {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        is_dot_git(name) || self.contain_spelled(folder)
    }

    /// Whether a path without links is or lies in a git directory.
    fn contain_spelled(&mut self, path: &str) -> bool {
        if let Some(known) = self.known.get(path) {
            return *known;
        }
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let is_inside = is_dot_git(name)
            || (!path.is_empty() && self.contain_spelled(folder))
            || is_git_dir(&self.root.join(path));
        self.known.insert(path.to_string(), is_inside);
        is_inside
    }
}

/// Whether a file system may take a name for `.git`: those of Windows and macOS know no letter case, leave out some
/// characters, and one has short names.
fn is_dot_git(name: &str) -> bool {
    let is_left_out = |c: &char| matches!(*c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let name: String = name.chars().filter(|c| !is_left_out(c)).collect();
    let name = name.split([':', '\\']).next().unwrap_or_default().trim_end_matches(['.', ' ']);
    name.eq_ignore_ascii_case(".git") || name.eq_ignore_ascii_case("git~1")
}

/// Whether a folder has what git looks for in a git directory: a head, and objects and references, or the place of those.
fn is_git_dir(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).exists();
    folder.join("HEAD").symlink_metadata().is_ok() && ((has("objects") && has("refs")) || has("commondir"))
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
        dir: PathBuf,
    },
    /// The git directory takes objects and branches from a repository that does not have it as a worktree.
    #[error("{} shares {}, which does not have it among its worktrees", dir.display(), common.display())]
    NotShared {
        dir: PathBuf,
        /// The repository from which it would take objects and branches.
        common: PathBuf,
    },
    /// A file or folder of the repository is not valid.
    #[error("{} {reason}", path.display())]
    Unusable {
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
    fn paths_in_a_git_directory_are_recognized() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for file in
            ["src/HEAD", "store/HEAD", "wt/HEAD", "wt/commondir", ".git/config", "src/.gitignore", "git/x"]
        {
            let file = root.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "x").unwrap();
        }
        fs::create_dir_all(root.join("store/objects")).unwrap();
        fs::create_dir_all(root.join("store/refs/heads")).unwrap();
        let mut folders = GitFolders::of(&root);
        let mut inside = vec![
            ".git",
            ".git/config",
            ".git/no/such",
            "sub/.git/config",
            ".GIT/config",
            ".Git",
            ".git./config",
        ];
        inside.extend([".git ", "GIT~1/config", ".g\u{200c}it/config", ".git::$INDEX_ALLOCATION/config"]);
        inside.extend(["store", "store/config", "store/refs/heads/x", "wt/config"]);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(".git/config", root.join("link")).unwrap();
            std::os::unix::fs::symlink(root.join("store"), root.join("src/linked")).unwrap();
            inside.extend(["link", "src/linked/config"]);
        }
        for path in inside {
            assert!(folders.contain(path), "{path}");
        }
        for path in
            ["", "src/HEAD", "src/.gitignore", ".github/x", "git/x", "x.git/config", ".gitmodules", "no/such"]
        {
            assert!(!folders.contain(path), "{path}");
        }
    }

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
}
