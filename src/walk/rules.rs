//! The rules of ignore files, stacked from the top of the repository down to a directory.
//!
//! This module owns which ignore files count, in which order, and which line decides. `ignore` matches the patterns
//! themselves. Each directory that has rules is one [`Level`] with a link to the level above. Directories without rules
//! share the level above them, so a tree with one `.gitignore` has one level however large the tree is.
//!
//! The order is ripgrep's: every `.spyhopignore` before every `.ignore` before every `.gitignore`, wherever they lie,
//! then the repository's `info/exclude`, then the user's own file; among files of one name the deepest decides. So one
//! line at the top of a tree can overrule an ignore file far below. Git's files apply without a repository too, but not
//! inside a repository nested below them. As in git, a link is not read as an ignore file, which also prevents a tree
//! from directing us to a device.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, Glob, gitconfig_excludes_path};
use rustc_hash::FxHashMap;

use super::options::GlobalExcludes;
use super::sieve::Sieve;
use super::small_file::{bytes_of, small_file};
use crate::gitdir;
use crate::path::RelPath;
use crate::tree::{Tree, TreeKind};

/// The longest line that applies. This is arbitrary: no system has paths that are as long, and the matcher refuses
/// patterns of some hundred times as many bytes.
const MAX_LINE_BYTES: usize = 16 << 10;

/// The prefix of the detail of a row about one line of an ignore file. The other lines of the file apply.
pub const BAD_LINE: &str = "line ";

/// How many lines of a file are reported.
const TOLD_LINES: usize = 5;

/// The ignore files of a directory, in the order of precedence.
pub(super) const NAMES: [(&str, Kind); 3] =
    [(".spyhopignore", Kind::Spyhop), (".ignore", Kind::Ignore), (".gitignore", Kind::Git)];

/// The entries that mark the top of a repository: git's, and Jujutsu's, which only ripgrep's definition includes.
pub(super) const REPOSITORIES: [&str; 2] = [".git", ".jj"];

/// The kind of an ignore file, in the order of precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IgnoreKind {
    /// `.spyhopignore`, which only Spyhop reads.
    Spyhop,
    /// `.ignore`, which search tools read.
    Ignore,
    /// `.gitignore`.
    Git,
    /// `info/exclude` in a repository.
    GitExclude,
    /// The user's own file, for every tree.
    Global,
}

use IgnoreKind as Kind;

impl IgnoreKind {
    /// The name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Spyhop => "spyhopignore",
            Kind::Ignore => "ignore",
            Kind::Git => "gitignore",
            Kind::GitExclude => "git-exclude",
            Kind::Global => "global-excludes",
        }
    }
}

/// A line of an ignore file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoreRule {
    /// The kind of the file.
    pub kind: IgnoreKind,
    /// The file: its path from the root, which may lead above it, or the absolute path of the user's own.
    pub file: String,
    /// The number of the line, from 1.
    pub line: u32,
    /// The text of the line.
    pub pattern: String,
}

impl std::fmt::Display for IgnoreRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.pattern)
    }
}

struct IgnoreFile {
    kind: Kind,
    /// The name in rows: the path from the root.
    shown: String,
    text: String,
    sieve: Sieve,
    /// The compiled patterns of `text`, made when a path first passes the sieve.
    patterns: OnceLock<Patterns>,
}

struct Patterns {
    /// Matchers for the patterns of the file, in order. Usually one matcher has all of them; if they exceed the limit
    /// of a matcher, several share them.
    matchers: Vec<Gitignore>,
    /// The line of each pattern; the last one if the pattern occurs twice, because the last one decides.
    lines: FxHashMap<Box<str>, u32>,
}

impl IgnoreFile {
    fn matched(&self, path: &str, is_dir: bool) -> Match<&Glob> {
        if !self.sieve.passes(path, is_dir) {
            return Match::None;
        }
        let matched = |matcher: &'_ Gitignore| -> bool { !matcher.matched(path, is_dir).is_none() };
        // The last pattern that matches decides.
        let last = self.patterns().matchers.iter().rev().find(|matcher| matched(matcher));
        last.map_or(Match::None, |matcher| matcher.matched(path, is_dir))
    }

    fn patterns(&self) -> &Patterns {
        self.patterns.get_or_init(|| compile(&self.text, &self.shown))
    }

    fn rule(&self, glob: &Glob) -> IgnoreRule {
        IgnoreRule {
            kind: self.kind,
            file: self.shown.clone(),
            line: self.patterns().lines.get(glob.original()).copied().unwrap_or(0),
            pattern: glob.original().to_string(),
        }
    }
}

/// The rules of one directory.
pub(super) struct Level {
    above: Option<Arc<Level>>,
    /// The length in bytes of the path from the base to this directory, with its last `/`.
    start: usize,
    files: Vec<IgnoreFile>,
    /// Whether a repository begins here.
    is_git_top: bool,
    /// Whether a repository by ripgrep's definition begins here: git's, or Jujutsu's.
    is_ripgreps_top: bool,
    /// Whether a repository by ripgrep's definition begins here or above.
    in_repository: bool,
}

/// Where git's ignore files, and the user's own, apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GitCounts {
    /// Everywhere, even without a repository.
    Everywhere,
    /// Only in a repository, as in ripgrep.
    InRepositories,
}

/// The verdict of the rules on a path.
pub(super) enum Ruling<'l> {
    /// No rule matches.
    None,
    /// The path is excluded.
    Ignore(RuleLine<'l>),
    /// The path is wanted.
    Whitelist(RuleLine<'l>),
}

/// The line that decides.
#[derive(Clone, Copy)]
pub(super) struct RuleLine<'l> {
    file: &'l IgnoreFile,
    glob: &'l Glob,
}

impl RuleLine<'_> {
    pub(super) fn rule(self) -> IgnoreRule {
        self.file.rule(self.glob)
    }

    /// Whether the line may overrule our own assumptions, and not only lines of other authors. An exception in a
    /// `.gitignore` is about git's rules, and was written without our rules in mind.
    pub(super) fn is_ours(self) -> bool {
        self.file.kind == Kind::Spyhop
    }
}

/// The directory where the rules begin: the top of the repository that holds the root, else the root itself.
pub(super) struct Base {
    /// The path from the base to the root, empty or with `/` at its end; lossy if a name is not UTF-8.
    pub prefix: String,
    /// The rules of the directories above the root, and the user's own.
    pub level: Option<Arc<Level>>,
}

impl Base {
    /// The base of `root`. With a `tree`, the rules of its folders apply instead of those in the file system.
    pub(super) fn above(root: &Path, global: GlobalExcludes, tree: Option<&dyn Tree>) -> io::Result<Base> {
        let mut level = global_level(global);
        let real = fs::canonicalize(root)?;
        let top = real.ancestors().find(|dir| fs::symlink_metadata(dir.join(".git")).is_ok());
        let way: Vec<&OsStr> = match top.and_then(|top| real.strip_prefix(top).ok()) {
            Some(way) => way.iter().collect(),
            None => Vec::new(),
        };
        let mut prefix = String::new();
        let mut dir = top.unwrap_or(&real).to_path_buf();
        for (at, part) in way.iter().enumerate() {
            let mut present = PresentNames::default();
            let folder = RelPath::new(&prefix).unwrap_or(RelPath::root());
            for name in NAMES.map(|(name, _)| name).into_iter().chain(REPOSITORIES) {
                match tree.filter(|_| !REPOSITORIES.contains(&name)) {
                    Some(tree) => {
                        if let Ok(entry) = tree.find(&folder.join(name)) {
                            present.note(name, entry.kind == TreeKind::File);
                        }
                    }
                    None => {
                        if let Ok(metadata) = fs::symlink_metadata(dir.join(name)) {
                            present.note(name, metadata.is_file());
                        }
                    }
                }
            }
            let shown = "../".repeat(way.len() - at);
            let read = |name: &str| match tree {
                Some(tree) => small_file(tree, &folder, name),
                None => bytes_of(&dir.join(name)),
            };
            level = enter(&dir, &read, prefix.len(), &shown, present, level.as_ref(), |name, detail| {
                tracing::warn!("{}: {detail}", dir.join(name).display());
            });
            prefix.push_str(&part.to_string_lossy());
            prefix.push('/');
            dir.push(part);
        }
        Ok(Base { prefix, level })
    }

    /// The path, relative to the base, of the entry at `rel` below the root.
    pub(super) fn path<'a>(&self, rel: &'a RelPath) -> Cow<'a, str> {
        if self.prefix.is_empty() {
            Cow::Borrowed(rel.as_str())
        } else {
            Cow::Owned(format!("{}{rel}", self.prefix))
        }
    }
}

/// Which of the relevant names a directory contains.
#[derive(Clone, Copy, Default)]
pub(super) struct PresentNames {
    ignore_files: [bool; 3],
    git: bool,
    jujutsu: bool,
}

impl PresentNames {
    pub(super) fn note(&mut self, name: &str, is_file: bool) {
        if !name.starts_with('.') {
            return;
        }
        if name == ".git" {
            self.git = true;
        } else if name == ".jj" {
            self.jujutsu = true;
        } else if let Some(at) = NAMES.iter().position(|(known, _)| *known == name) {
            self.ignore_files[at] = is_file;
        }
    }

    /// Whether there are rules to read.
    pub(super) fn any(self) -> bool {
        self.git || self.jujutsu || self.ignore_files.contains(&true)
    }
}

/// The level of the directory at `path`. `bytes` reads its ignore files by their names, and `shown` is the prefix of
/// these names in rows. An ignore file that cannot be read, and lines that are too long, do not apply; `broken` is
/// called with the file's name and the reason.
pub(super) fn enter(
    path: &Path,
    bytes: &dyn Fn(&str) -> io::Result<Vec<u8>>,
    start: usize,
    shown: &str,
    present: PresentNames,
    above: Option<&Arc<Level>>,
    mut broken: impl FnMut(&str, String),
) -> Option<Arc<Level>> {
    let mut files = Vec::new();
    for ((name, kind), present) in NAMES.into_iter().zip(present.ignore_files) {
        if present {
            match bytes(name) {
                Ok(bytes) => {
                    let (file, bad_lines) = parse(bytes, kind, format!("{shown}{name}"));
                    files.extend(file);
                    if let Some(detail) = bad_lines {
                        broken(name, detail);
                    }
                }
                Err(error) => broken(name, format!("its rules do not count: {error}")),
            }
        }
    }
    if present.git
        && let Some(exclude) = exclude_file(&path.join(".git")).filter(|exclude| exclude.is_file())
    {
        match read(&exclude, Kind::GitExclude, format!("{shown}.git/info/exclude")) {
            Ok(file) => files.extend(file),
            Err(error) => tracing::warn!("the rules of {} do not count: {error}", exclude.display()),
        }
    }
    let is_ripgreps_top = present.git || present.jujutsu;
    if files.is_empty() && !is_ripgreps_top {
        return above.cloned();
    }
    let in_repository = is_ripgreps_top || above.is_some_and(|above| above.in_repository);
    let (above, is_git_top) = (above.cloned(), present.git);
    Some(Arc::new(Level { above, start, files, is_git_top, is_ripgreps_top, in_repository }))
}

/// The verdict of the levels from `level` up on `path`, which is relative to the base.
pub(super) fn rule<'l>(
    level: Option<&'l Level>,
    path: &str,
    is_dir: bool,
    git_counts: GitCounts,
) -> Ruling<'l> {
    let mut decided: Option<(RuleLine, bool)> = None;
    for (file, path) in in_order(level, path, git_counts) {
        if decided.is_some_and(|(line, _)| line.file.kind <= file.kind) {
            continue;
        }
        match file.matched(path, is_dir) {
            Match::None => {}
            Match::Whitelist(glob) => decided = Some((RuleLine { file, glob }, true)),
            Match::Ignore(glob) => decided = Some((RuleLine { file, glob }, false)),
        }
    }
    match decided {
        None => Ruling::None,
        Some((line, true)) => Ruling::Whitelist(line),
        Some((line, false)) => Ruling::Ignore(line),
    }
}

/// The line that would exclude `path` if no other line included it.
pub(super) fn overruled(
    level: Option<&Level>,
    path: &str,
    is_dir: bool,
    git_counts: GitCounts,
) -> Option<IgnoreRule> {
    let ignoring =
        in_order(level, path, git_counts).filter_map(|(file, path)| match file.matched(path, is_dir) {
            Match::Ignore(glob) => Some(RuleLine { file, glob }),
            _ => None,
        });
    // Of equal kinds, the first line is the deepest.
    ignoring.min_by_key(|line| line.file.kind).map(RuleLine::rule)
}

/// The ignore files that may apply, from the deepest directory up, each with the path relative to its directory.
fn in_order<'l, 'p>(
    level: Option<&'l Level>,
    path: &'p str,
    git_counts: GitCounts,
) -> impl Iterator<Item = (&'l IgnoreFile, &'p str)> {
    let (needs_repository, in_repository) =
        (git_counts == GitCounts::InRepositories, level.is_some_and(|level| level.in_repository));
    let git_counts_here = in_repository || !needs_repository;
    // Where the nearest repository begins: the user's own file is read as if it were there.
    let mut top = None;
    std::iter::successors(level, |level| level.above.as_deref()).flat_map(move |level| {
        let same_repository = top.is_none();
        let is_top = level.is_git_top || (needs_repository && level.is_ripgreps_top);
        if is_top && same_repository {
            top = Some(level.start);
        }
        let top = top.unwrap_or(0);
        let counts = move |file: &&IgnoreFile| match file.kind {
            Kind::Spyhop | Kind::Ignore => true,
            Kind::Global => git_counts_here,
            Kind::Git | Kind::GitExclude => git_counts_here && same_repository,
        };
        level.files.iter().filter(counts).map(move |file| match file.kind {
            Kind::Global => (file, &path[top..]),
            _ => (file, &path[level.start..]),
        })
    })
}

fn global_level(global: GlobalExcludes) -> Option<Arc<Level>> {
    let path = match global {
        GlobalExcludes::OfGit => gitconfig_excludes_path()?,
        GlobalExcludes::File(path) => path.to_path_buf(),
        GlobalExcludes::None => return None,
    };
    if !path.is_file() {
        return None;
    }
    match read(&path, Kind::Global, path.display().to_string()) {
        Ok(file) => {
            let files = vec![file?];
            let (is_git_top, is_ripgreps_top, in_repository) = (false, false, false);
            Some(Arc::new(Level { above: None, start: 0, files, is_git_top, is_ripgreps_top, in_repository }))
        }
        Err(error) => {
            tracing::warn!("the rules of {} do not count: {error}", path.display());
            None
        }
    }
}

fn read(path: &Path, kind: Kind, shown: String) -> io::Result<Option<IgnoreFile>> {
    let (file, bad_lines) = parse(bytes_of(path)?, kind, shown);
    if let Some(detail) = bad_lines {
        tracing::warn!("{}: {detail}", path.display());
    }
    Ok(file)
}

/// An ignore file, `None` if it contains no pattern; and the detail of a row for lines that are too long. As in git, a
/// line that is not a pattern has no effect.
fn parse(bytes: Vec<u8>, kind: Kind, shown: String) -> (Option<IgnoreFile>, Option<String>) {
    let text = String::from_utf8_lossy(&bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let is_bad = |line: &str| line.len() > MAX_LINE_BYTES && !line.starts_with('#');
    let bad: Vec<String> = (1..)
        .zip(text.lines())
        .filter(|(_, line)| is_bad(line))
        .map(|(number, line): (u32, &str)| format!("{number} ({} bytes)", line.len()))
        .collect();
    // The other lines keep their numbers.
    let text = match bad.is_empty() {
        true => text.to_string(),
        false => text.lines().flat_map(|line| [if is_bad(line) { "" } else { line }, "\n"]).collect(),
    };
    let sieve = Sieve::of(&text);
    let file =
        (!sieve.is_empty()).then(|| IgnoreFile { kind, shown, text, sieve, patterns: OnceLock::new() });
    (file, (!bad.is_empty()).then(|| bad_lines(&bad)))
}

fn bad_lines(bad: &[String]) -> String {
    let more = bad.len().saturating_sub(TOLD_LINES);
    let told = bad[..bad.len() - more].join(", ");
    let others = if more > 0 { format!(" and {more} more") } else { String::new() };
    let verb = if bad.len() == 1 { "does" } else { "do" };
    format!(
        "{BAD_LINE}{told}{others} {verb} not count, being above {MAX_LINE_BYTES} bytes; the other lines count"
    )
}

fn compile(text: &str, shown: &str) -> Patterns {
    let mut lines = FxHashMap::default();
    let mut patterns: Vec<(u32, &str)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        patterns.push((number, line));
        // The key of a pattern is its line without trailing blanks, unless the last blank is escaped.
        let pattern = if line.ends_with("\\ ") { line } else { line.trim_end() };
        lines.insert(pattern.into(), number);
    }
    let mut matchers = Vec::new();
    share_out(&patterns, shown, &mut matchers);
    Patterns { matchers, lines }
}

/// Compiles patterns into as few matchers as possible. The size of a matcher is limited. A single line should never
/// exceed that limit (see [`MAX_LINE_BYTES`]); if it does, only that line is dropped.
fn share_out(patterns: &[(u32, &str)], shown: &str, matchers: &mut Vec<Gitignore>) {
    // Patterns are matched against paths from the file's own directory, so the matcher's root is empty.
    let mut builder = GitignoreBuilder::new("");
    for (number, line) in patterns {
        if let Err(error) = builder.add_line(None, line) {
            tracing::debug!("{shown}:{number}: {error}");
        }
    }
    match builder.build() {
        Ok(matcher) => matchers.push(matcher),
        Err(error) if patterns.len() <= 1 => {
            let number = patterns.first().map_or(0, |(number, _)| *number);
            tracing::warn!("{shown}:{number}: the line does not count: {error}");
        }
        Err(_) => {
            let (first, rest) = patterns.split_at(patterns.len() / 2);
            share_out(first, shown, matchers);
            share_out(rest, shown, matchers);
        }
    }
}

/// The path of the private rules of a repository, from the entry at `.git`, whether or not the file exists. `None` for
/// a `.git` that leads to a repository of another folder.
pub(super) fn exclude_file(dot_git: &Path) -> Option<PathBuf> {
    gitdir::resolve(dot_git).ok().flatten().map(|git_dir| git_dir.common.join("info/exclude"))
}
