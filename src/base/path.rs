//! Root-relative paths.
//!
//! A [`RelPath`] cannot leave its root: it is checked once, when it is created, and all other code relies on the check. A path is
//! UTF-8 with `/` between its parts on every platform, so it sorts and prints the same everywhere.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A path below a root: UTF-8, `/` between parts, no empty part, no `.` or `..`, never absolute. The root itself is
/// the empty path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct RelPath(Box<str>);

/// Why a path was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// The path is absolute, or begins with a drive or share.
    #[error("path '{0}' is absolute; give a path below the root")]
    Absolute(String),
    /// The path has a `..` that leads above the root.
    #[error("path '{0}' leaves its root")]
    Leaves(String),
    /// The path is not UTF-8.
    #[error("path '{0}' is not valid UTF-8")]
    NotUtf8(String),
    /// The path contains a NUL byte.
    #[error("path '{0}' holds a NUL byte")]
    Nul(String),
}

/// Stems that describe the role of a file in its folder.
const ROLES: &[&str] = &["mod", "lib", "main", "index", "__init__", "init"];

/// Folders with the code of a component whose name is that of the folder above.
const CONTAINERS: &[&str] = &["src", "lib", "source"];

impl RelPath {
    /// The root itself.
    pub fn root() -> RelPath {
        RelPath("".into())
    }

    /// The path that `text` spells: `.` and empty parts are dropped, `..` removes the part before it, `\` is an
    /// ordinary character except on Windows.
    pub fn new(text: &str) -> Result<RelPath, PathError> {
        if text.contains('\0') {
            return Err(PathError::Nul(text.replace('\0', "\\0")));
        }
        Self::from_path(Path::new(text))
    }

    /// The path that a platform path spells, by the rules of [`RelPath::new`].
    pub fn from_path(path: &Path) -> Result<RelPath, PathError> {
        let shown = || path.to_string_lossy().into_owned();
        let mut parts: Vec<&str> = Vec::new();
        for component in path.components() {
            match component {
                Component::Prefix(_) | Component::RootDir => return Err(PathError::Absolute(shown())),
                Component::CurDir => {}
                Component::ParentDir => {
                    parts.pop().ok_or_else(|| PathError::Leaves(shown()))?;
                }
                Component::Normal(part) => {
                    parts.push(part.to_str().ok_or_else(|| PathError::NotUtf8(shown()))?)
                }
            }
        }
        Ok(RelPath(parts.join("/").into()))
    }

    /// This path with one more part. A name that cannot be a part is replaced by [`as_part`], so the result lies below
    /// this path whatever the name is.
    pub fn join(&self, name: &str) -> RelPath {
        let name = &*as_part(name);
        if self.0.is_empty() { RelPath(name.into()) } else { RelPath([&self.0, "/", name].concat().into()) }
    }

    /// The text, with `/` between the parts.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last part; empty for the root.
    pub fn file_name(&self) -> &str {
        split(&self.0).1
    }

    /// The file name without its last extension; a leading dot belongs to the name.
    pub fn stem(&self) -> &str {
        stem(&self.0)
    }

    /// The part that names the file: its stem or, if the stem only describes the role of the file in its folder (`mod`,
    /// `index`, `__init__`), the folder's name.
    pub fn naming(&self) -> &str {
        naming(&self.0)
    }

    /// The extension of the file name, without the dot.
    pub fn extension(&self) -> Option<&str> {
        let name = self.file_name();
        name.rfind('.').filter(|&at| at > 0).map(|at| &name[at + 1..])
    }

    /// The path of the containing directory; `None` for the root.
    pub fn parent(&self) -> Option<&str> {
        if self.0.is_empty() { None } else { Some(split(&self.0).0) }
    }

    /// The number of directories above the path.
    pub fn depth(&self) -> usize {
        self.0.matches('/').count()
    }

    /// The platform path below `root`.
    pub fn below(&self, root: &Path) -> PathBuf {
        if self.0.is_empty() { root.to_path_buf() } else { root.join(&*self.0) }
    }
}

/// Why `name` cannot be a part of a path, as the end of a sentence; `None` when it can.
pub fn part_fault(name: &[u8]) -> Option<&'static str> {
    let is_separator = |byte: &u8| *byte == b'/' || (cfg!(windows) && matches!(byte, b'\\' | b':'));
    match name {
        b"" => Some("is empty"),
        b"." => Some("stands for the folder itself"),
        b".." => Some("leads out of its folder"),
        _ if name.iter().any(is_separator) => Some("holds a separator"),
        _ if name.contains(&0) => Some("holds a NUL byte"),
        _ => None,
    }
}

/// `name` if it can be a part of a path, else with U+FFFD in place of the characters that a part cannot contain.
pub fn as_part(name: &str) -> Cow<'_, str> {
    if part_fault(name.as_bytes()).is_none() {
        return Cow::Borrowed(name);
    }
    let is_whole = matches!(name, "." | "..");
    let replaced = |c: char| match c {
        '/' | '\0' => '\u{fffd}',
        '\\' | ':' if cfg!(windows) => '\u{fffd}',
        _ if is_whole => '\u{fffd}',
        c => c,
    };
    match name {
        "" => Cow::Borrowed("\u{fffd}"),
        name => Cow::Owned(name.chars().map(replaced).collect()),
    }
}

/// The order of paths in which ripgrep sorts them: folder by folder, so that `a/c` comes before `a-b`.
pub fn by_parts(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let shared = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    // A `/` ends a part, so it comes before every other byte.
    let rank =
        |path: &[u8]| path.get(shared).map(|byte| if *byte == b'/' { 0 } else { u32::from(*byte) + 1 });
    rank(a).cmp(&rank(b))
}

/// The folder of a root-relative path, and its last part.
pub fn split(path: &str) -> (&str, &str) {
    match memchr::memrchr(b'/', path.as_bytes()) {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => ("", path),
    }
}

/// [`RelPath::stem`] of a path as text.
pub fn stem(path: &str) -> &str {
    let name = split(path).1;
    match memchr::memrchr(b'.', name.as_bytes()) {
        Some(at) if at > 0 => &name[..at],
        _ => name,
    }
}

/// The modules or packages that a path names: its folders, and what names the file.
pub fn modules(path: &str) -> impl Iterator<Item = &str> {
    split(path).0.split('/').chain([naming(path)])
}

/// [`RelPath::naming`] of a path as text.
pub fn naming(path: &str) -> &str {
    let stem = stem(path);
    if !ROLES.contains(&stem) {
        return stem;
    }
    path.rsplit('/').skip(1).find(|folder| !CONTAINERS.contains(folder)).unwrap_or(stem)
}

impl TryFrom<String> for RelPath {
    type Error = PathError;
    fn try_from(text: String) -> Result<RelPath, PathError> {
        RelPath::new(&text)
    }
}

impl From<RelPath> for String {
    fn from(path: RelPath) -> String {
        path.0.into()
    }
}

impl std::fmt::Display for RelPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The folder to which the shown paths of a tree are relative.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PathBase {
    /// Relative to the root. The default.
    #[default]
    Root,
    /// Relative to this folder of the tree, with `..` for what lies beside the folder.
    Folder(RelPath),
    /// Absolute, below this root.
    Absolute(PathBuf),
    /// Behind the name of this source, as `client:src/lib.rs`.
    Source(String),
    /// As typed: a path below one of these folders or files begins with the typed text. Else relative to the root.
    Typed(Vec<(RelPath, String)>),
}

impl PathBase {
    /// The path as shown.
    ///
    /// ```
    /// use spyhop_base::path::{PathBase, RelPath};
    ///
    /// let base = PathBase::Folder(RelPath::new("src/engine").unwrap());
    /// assert_eq!(base.shown("src/engine/api.rs"), "api.rs");
    /// assert_eq!(base.shown("src/path.rs"), "../path.rs");
    /// ```
    pub fn shown<'p>(&self, path: &'p str) -> Cow<'p, str> {
        let (prefix, strip) = self.split(path);
        if prefix.is_empty() { Cow::Borrowed(&path[strip..]) } else { Cow::Owned(prefix + &path[strip..]) }
    }

    /// The text that replaces the beginning of `path`, and the number of bytes that the text replaces.
    pub fn split(&self, path: &str) -> (String, usize) {
        match self {
            PathBase::Root => (String::new(), 0),
            PathBase::Folder(folder) => relative_to(folder.as_str(), path),
            PathBase::Absolute(root) => (format!("{}/", root.display().to_string().trim_end_matches('/')), 0),
            PathBase::Source(name) => (format!("{name}:"), 0),
            PathBase::Typed(typed) => {
                let below = |(scope, text): &(RelPath, String)| {
                    let rest = path.strip_prefix(scope.as_str())?;
                    match (rest, scope.as_str()) {
                        ("", _) => Some((text.clone(), path.len())),
                        (_, "") => Some((with_slash(text), 0)),
                        (rest, scope) => rest.starts_with('/').then(|| (with_slash(text), scope.len() + 1)),
                    }
                };
                typed.iter().find_map(below).unwrap_or_default()
            }
        }
    }
}

/// A typed folder with a `/` at its end, so that a path can follow; an empty text stays empty.
fn with_slash(typed: &str) -> String {
    if typed.is_empty() || typed.ends_with('/') { typed.to_string() } else { format!("{typed}/") }
}

/// One `../` for each part of `folder` below the common folder of `folder` and `path`, and the length of the common folder. The
/// folder itself is `.`, and a folder around it is `..`.
fn relative_to(folder: &str, path: &str) -> (String, usize) {
    let below = folder.strip_prefix(path).filter(|below| below.is_empty() || below.starts_with('/'));
    if let Some(below) = below.filter(|_| !path.is_empty()) {
        let n_above = below.matches('/').count();
        let text = if n_above == 0 { ".".to_string() } else { vec![".."; n_above].join("/") };
        return (text, path.len());
    }
    let mut shared = 0;
    let mut left = folder.split('/').filter(|part| !part.is_empty()).peekable();
    while let Some(part) = left.peek() {
        match path[shared..].strip_prefix(part).and_then(|rest| rest.strip_prefix('/')) {
            Some(rest) => shared = path.len() - rest.len(),
            None => break,
        }
        left.next();
    }
    ("../".repeat(left.count()), shared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_shown_from_a_folder_and_as_typed() {
        let check = |base: &PathBase, path: &str, expected: &str| assert_eq!(base.shown(path), expected);
        let folder = |path: &str| PathBase::Folder(RelPath::new(path).unwrap());
        check(&PathBase::Root, "a/b.rs", "a/b.rs");
        check(&folder("a"), "a/b.rs", "b.rs");
        check(&folder("a"), "ab/c.rs", "../ab/c.rs");
        check(&folder("a/b"), "a/c/d.rs", "../c/d.rs");
        check(&folder("a/b"), "x.rs", "../../x.rs");
        check(&folder("a/b"), "a/b", ".");
        check(&folder("a/b/c"), "a", "../..");
        check(&folder("ab"), "a", "../a");
        check(&folder(""), "x.rs", "x.rs");
        check(&PathBase::Absolute("/t".into()), "a/b.rs", "/t/a/b.rs");
        check(&PathBase::Absolute("/".into()), "a", "/a");
        check(&PathBase::Source("client".into()), "a/b.rs", "client:a/b.rs");
        let typed = |scope: &str, text: &str| (RelPath::new(scope).unwrap(), text.to_string());
        let base =
            PathBase::Typed(vec![typed("a", "./a/"), typed("b/c.rs", "../b/c.rs"), typed("d", "/t/d")]);
        check(&base, "a/x.rs", "./a/x.rs");
        check(&base, "b/c.rs", "../b/c.rs");
        check(&base, "d/x.rs", "/t/d/x.rs");
        check(&PathBase::Typed(vec![typed("", ".")]), "a/x.rs", "./a/x.rs");
        check(&PathBase::Typed(vec![typed("a", "")]), "a/x.rs", "x.rs");
    }

    #[test]
    fn paths_are_sorted_by_their_parts() {
        let paths = ["", "a", "a.rs", "a/b", "a/b-c/d", "a/b/c", "a/b/c/d", "a-b", "a-b/c", "b", "é/a", "é"];
        for a in paths {
            for b in paths {
                assert_eq!(by_parts(a, b), a.split('/').cmp(b.split('/')), "{a} {b}");
            }
        }
    }

    #[test]
    fn paths_stay_below_their_root() {
        let ok = |text: &str, expected: &str| {
            assert_eq!(RelPath::new(text).unwrap().as_str(), expected, "{text:?}")
        };
        ok("", "");
        ok(".", "");
        ok("a/b.rs", "a/b.rs");
        ok("./a//b/", "a/b");
        ok("a/../b", "b");
        let err = |text: &str, expected: &str| {
            assert_eq!(RelPath::new(text).unwrap_err().to_string(), expected);
        };
        err("/etc/passwd", "path '/etc/passwd' is absolute; give a path below the root");
        err("../x", "path '../x' leaves its root");
        err("a/../../x", "path 'a/../../x' leaves its root");
        err("a\0b", "path 'a\\0b' holds a NUL byte");
    }

    #[test]
    fn no_name_joins_to_a_path_that_cannot_be() {
        let root = RelPath::new("a").unwrap();
        for (name, expected) in [
            ("b", "a/b"),
            ("..b", "a/..b"),
            ("", "a/\u{fffd}"),
            (".", "a/\u{fffd}"),
            ("..", "a/\u{fffd}\u{fffd}"),
            ("/x", "a/\u{fffd}x"),
            ("../x", "a/..\u{fffd}x"),
            ("b\0c", "a/b\u{fffd}c"),
        ] {
            let joined = root.join(name);
            assert_eq!(joined.as_str(), expected, "{name:?}");
            assert_eq!(RelPath::new(joined.as_str()).as_ref(), Ok(&joined), "{name:?}");
        }
    }

    #[test]
    fn parts_of_a_path() {
        let path = RelPath::new("src/.config.d/lib.test.rs").unwrap();
        assert_eq!(
            (path.file_name(), path.stem(), path.extension()),
            ("lib.test.rs", "lib.test", Some("rs"))
        );
        assert_eq!((path.parent(), path.depth()), (Some("src/.config.d"), 2));
        let naming = |text: &str| RelPath::new(text).unwrap().naming().to_string();
        assert_eq!(naming("src/harbour/mod.rs"), "harbour");
        assert_eq!(naming("crates/harbour/src/lib.rs"), "harbour");
        assert_eq!(naming("src/main.rs"), "main");
        assert_eq!(naming("src/model.rs"), "model");
        let dot = RelPath::new(".gitignore").unwrap();
        assert_eq!((dot.stem(), dot.extension(), dot.parent()), (".gitignore", None, Some("")));
    }
}
