//! Path safety: every path that a caller names stays in the roots that the server was started with. A path may also be one
//! of the `file://` links of an answer, or begin with `/` at the root.
//!
//! This module owns the conversion of a text to a root and a path below that root, for every parameter of every tool;
//! nothing else in this front end reads a path from a caller. The only path that may lie outside the roots is an index
//! folder, and [`engines`](super::engines) checks that the folder holds an index of the root. A path is first checked
//! by its spelling, before any access to the disk, so that a refusal reveals nothing about what lies outside; then by
//! where its links lead. `..` is refused even where it would stay inside: no answer of Spyhop contains `..`, so it is
//! always an attempt to escape or a mistake.

use std::path::{Path, PathBuf};

use spyhop_base::path::RelPath;
use spyhop_engine::Error;
use spyhop_files::gitdir::GitFolders;
use spyhop_interface::catalog::params;

use super::names::names;
use crate::lsp::uri;

/// The roots, as the engine names them: absolute, links resolved.
pub struct Roots(Vec<PathBuf>);

/// A caller's path, resolved.
#[derive(Debug, PartialEq)]
pub struct ResolvedPath {
    /// The index of the root in the list.
    pub root: usize,
    /// The path below that root.
    pub path: RelPath,
}

impl Roots {
    pub fn new(roots: Vec<PathBuf>) -> Roots {
        Roots(roots)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(PathBuf::as_path)
    }

    /// The root that `text` names: exactly the path of one of the roots, or the name of its folder.
    pub fn root(&self, text: &str) -> Result<usize, String> {
        let link = path_of_link(text);
        let text = link.as_deref().unwrap_or(text);
        spelling("root", text)?;
        let named = Path::new(text);
        let named = named.canonicalize().unwrap_or_else(|_| named.to_path_buf());
        let by_path = self.0.iter().position(|root| named.is_absolute() && *root == named);
        let found = by_path.or_else(|| names(self.iter()).iter().position(|name| name == text));
        found.ok_or_else(|| format!("root '{text}' is none of this server's; choose {}", self.listed()))
    }

    /// Resolves the path `text`. A relative path is below `root`, or below the first root if `root` is not given. An
    /// absolute path chooses its root, which must be `root` if that is given. A path in a git directory is refused, because
    /// the files there may hold tokens.
    pub fn place(&self, param: &str, text: &str, root: Option<usize>) -> Result<ResolvedPath, String> {
        let place = self.located(param, text, root)?;
        match GitFolders::of(&self.0[place.root]).contain(place.path.as_str()) {
            true => Err(Error::in_git_folder(param, place.path.as_str()).to_string()),
            false => Ok(place),
        }
    }

    fn located(&self, param: &str, text: &str, root: Option<usize>) -> Result<ResolvedPath, String> {
        let link = path_of_link(text);
        let text = link.as_deref().unwrap_or(text);
        spelling(param, text)?;
        let path = Path::new(text);
        if path.is_absolute() {
            let absolute = self.absolute(param, text, root);
            return absolute.or_else(|error| self.at_root(param, text, root).ok_or(error));
        }
        let root = root.unwrap_or(0);
        let below = RelPath::new(text).map_err(|error| format!("{param}: {error}"))?;
        let target = real(&below.below(&self.0[root]));
        if !target.starts_with(&self.0[root]) {
            return Err(format!(
                "{param} '{text}' leads out of the root '{}' by a symbolic link",
                self.0[root].display()
            ));
        }
        Ok(ResolvedPath { root, path: below })
    }

    /// A pattern for paths below a root. One that begins with the path of the root is one below the root.
    pub fn pattern(&self, param: &str, text: String, root: usize) -> Result<String, String> {
        let root = self.0[root].to_str();
        let below = root.and_then(|root| text.strip_prefix(root)?.strip_prefix('/'));
        pattern(param, below.unwrap_or(&text))?;
        Ok(match below {
            // Without `/`, a glob is one of names in every folder.
            Some(below)
                if !below.contains('/')
                    && (param == params::PATH_GLOB.name || below.contains(GLOB_SIGNS)) =>
            {
                format!("/{below}")
            }
            Some(below) => below.to_string(),
            None => text,
        })
    }

    /// The root that has a path which another root does not have.
    pub fn having(&self, path: &RelPath) -> Option<&Path> {
        self.iter().find(|root| path.below(root).exists())
    }

    /// The place of a path whose first `/` stands for a root, as `/src/a.py`; `None` if there is no such file or folder.
    fn at_root(&self, param: &str, text: &str, root: Option<usize>) -> Option<ResolvedPath> {
        let below = text.trim_start_matches('/');
        let roots = root.map_or(0..self.0.len(), |root| root..root + 1);
        let exists = |place: &ResolvedPath| place.path.below(&self.0[place.root]).exists();
        roots
            .filter(|_| !below.is_empty())
            .find_map(|root| self.located(param, below, Some(root)).ok().filter(exists))
    }

    /// A folder that may lie anywhere, relative to a root. The caller must check what is there.
    pub fn folder(&self, param: &str, text: &str, root: usize) -> Result<PathBuf, String> {
        spelling(param, text)?;
        Ok(self.0[root].join(text))
    }

    fn absolute(&self, param: &str, text: &str, root: Option<usize>) -> Result<ResolvedPath, String> {
        let target = real(Path::new(text));
        // Of nested roots, the innermost is meant.
        let holding = self.0.iter().enumerate().filter(|(_, folder)| target.starts_with(folder));
        let found = match root {
            Some(root) => holding.into_iter().find(|(at, _)| *at == root),
            None => holding.max_by_key(|(_, folder)| folder.components().count()),
        };
        let Some((root, folder)) = found else {
            let allowed = root.map_or_else(|| self.listed(), |root| self.0[root].display().to_string());
            return Err(format!("{param} '{text}' lies outside; choose a path in {allowed}"));
        };
        let below = target.strip_prefix(folder).unwrap_or(Path::new(""));
        let path = RelPath::from_path(below).map_err(|error| format!("{param}: {error}"))?;
        Ok(ResolvedPath { root, path })
    }

    /// The absolute path that `text` names, if it lies outside of the roots. Only its spelling is looked at, and where the
    /// links below the roots lead.
    pub fn outside(&self, text: &str) -> Option<String> {
        let path = path_of_link(text).unwrap_or_else(|| text.to_string());
        let is_path = Path::new(&path).is_absolute() && spelling("path", &path).is_ok();
        (is_path && self.located("path", text, None).is_err()).then_some(path)
    }

    fn listed(&self) -> String {
        self.0.iter().map(|root| root.display().to_string()).collect::<Vec<_>>().join(", ")
    }
}

/// The path of a `file://` link, as answers have them: `file:///w/src/a.rs#L3`.
pub fn path_of_link(text: &str) -> Option<String> {
    uri::path_of(text)?.into_os_string().into_string().ok()
}

/// The lines of a `file://` link as they follow a path: `3` of `#L3`, which begins there, and `3-9` of `#L3-L9` or `#L3-9`.
pub fn lines_of_link(text: &str) -> Option<String> {
    path_of_link(text)?;
    let (_, lines) = text.split_once("#L")?;
    let (first, last) = lines.split_once('-').map_or((lines, None), |(first, last)| (first, Some(last)));
    let number = |text: &str| text.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u32>().ok();
    let last = last.map(|last| last.trim_start_matches('L')).and_then(number);
    let text = number(first)?.to_string();
    Some(last.map_or(text.clone(), |last| format!("{text}-{last}")))
}

/// A path below the root of each source of a library.
pub fn below(param: &str, text: &str) -> Result<ResolvedPath, String> {
    spelling(param, text)?;
    let path = RelPath::new(text).map_err(|error| format!("{param}: {error}"))?;
    Ok(ResolvedPath { root: 0, path })
}

/// The characters with a meaning in globs.
const GLOB_SIGNS: [char; 4] = ['*', '?', '[', '{'];

/// A path as a glob that matches the path alone.
pub fn as_glob(path: &str) -> String {
    path.chars().map(|c| if GLOB_SIGNS.contains(&c) { format!("[{c}]") } else { c.to_string() }).collect()
}

/// Refuses a path pattern that is spelled to leave the root. Such a pattern could match nothing; an error is more
/// helpful than an empty answer.
pub fn pattern(param: &str, text: &str) -> Result<(), String> {
    spelling(param, text)?;
    if text.starts_with('/') {
        return Err(format!("{param} '{text}' is absolute; patterns are compared with paths below the root"));
    }
    Ok(())
}

/// Refuses spellings that are invalid on any system: an agent may think that it is on another one.
fn spelling(param: &str, text: &str) -> Result<(), String> {
    let refuse = |why: &str| Err(format!("{param} '{}' {why}", text.replace('\0', "\\0")));
    if text.contains('\0') {
        return refuse("holds a NUL byte");
    }
    if text.starts_with('~') {
        return refuse("begins with ~, which is not followed here; give a path below the root");
    }
    if has_drive(text) || text.starts_with('\\') || text.starts_with("//") {
        return refuse("begins with a drive, share or device; give a path below the root");
    }
    if text.split(['/', '\\']).any(|part| part == "..") {
        return refuse("holds '..'; give a path below the root");
    }
    Ok(())
}

/// Whether a path begins with a drive of Windows. Elsewhere `a:10.rs` is a name like any other.
fn has_drive(text: &str) -> bool {
    match text.as_bytes() {
        [letter, b':', rest @ ..] if letter.is_ascii_alphabetic() => {
            cfg!(windows) || matches!(rest, [] | [b'/' | b'\\', ..])
        }
        _ => false,
    }
}

/// `path` with its links resolved as far as the path exists; the rest is appended as spelled.
fn real(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        if let Ok(found) = ancestor.canonicalize() {
            let rest = path.strip_prefix(ancestor).unwrap_or(Path::new(""));
            return found.join(rest).components().collect();
        }
        // A dangling link cannot be resolved, and its target may be outside.
        if ancestor.is_symlink() {
            return PathBuf::from("/");
        }
    }
    path.to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_in_its_root() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let [one, two] = ["one", "two"].map(|name| folder.join(name));
        std::fs::create_dir_all(one.join("src")).unwrap();
        std::fs::create_dir_all(two.join("lib")).unwrap();
        let roots = Roots::new(vec![one.clone(), two.clone(), one.join("src")]);
        let ok = |text: &str, root: Option<usize>, expected: (usize, &str)| {
            let place = roots.place("path", text, root).unwrap();
            assert_eq!((place.root, place.path.as_str()), expected, "{text}");
        };
        ok("src", None, (0, "src"));
        ok("./src/", None, (0, "src"));
        ok("", None, (0, ""));
        ok("no/such", None, (0, "no/such"));
        ok("lib", Some(1), (1, "lib"));
        #[cfg(unix)]
        ok("a:10.rs", None, (0, "a:10.rs"));
        ok(two.join("lib").to_str().unwrap(), None, (1, "lib"));
        ok(one.join("src/new").to_str().unwrap(), None, (2, "new"));
        ok(one.join("src").to_str().unwrap(), Some(0), (0, "src"));
        let refused = |text: &str, root: Option<usize>| {
            let error = roots.place("path", text, root).unwrap_err();
            assert!(error.starts_with("path '"), "{error}");
        };
        for text in ["..", "a/../b", "..\\x", "~", "~/x", "C:\\x", "c:", "\\\\server\\x", "//?/C:/x", "a\0b"]
        {
            refused(text, None);
        }
        for text in [folder.to_str().unwrap(), "/etc/passwd", "/"] {
            refused(text, None);
        }
        refused(two.join("lib").to_str().unwrap(), Some(0));
        assert_eq!(roots.root(two.to_str().unwrap()), Ok(1));
        assert_eq!((roots.root("one"), roots.root("two")), (Ok(0), Ok(1)));
        assert!(roots.root("lib").is_err() && roots.root(two.join("lib").to_str().unwrap()).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let [one, two] = ["one", "two"].map(|name| folder.join(name));
        std::fs::create_dir_all(one.join("src")).unwrap();
        std::fs::create_dir_all(&two).unwrap();
        let link = |to: &Path, at: &str| std::os::unix::fs::symlink(to, one.join(at)).unwrap();
        link(&two, "other");
        link(&folder.join("gone"), "dangling");
        link(&one.join("src"), "inner");
        let roots = Roots::new(vec![one.clone(), two]);
        for text in ["other", "other/new/file", "dangling", "dangling/file"] {
            assert!(roots.place("path", text, None).is_err(), "{text}");
        }
        assert_eq!(roots.place("path", "inner", None).unwrap().path.as_str(), "inner");
        // An absolute path names its target, so a link to another root chooses that root, as its own path would.
        let through = one.join("other");
        assert_eq!(roots.place("path", through.to_str().unwrap(), None).unwrap().root, 1);
        assert!(roots.place("path", through.to_str().unwrap(), Some(0)).is_err());
    }
}
