//! The rules of ignore files, stacked from the top of the repository down to a directory.
//!
//! This module owns which ignore files count, in which order, and which line decides. `ignore` matches the patterns
//! themselves. Each directory that has rules is one [`Level`] with a link to the level above. Directories without rules
//! share the level above them, so a tree with one `.gitignore` has one level however large the tree is.
//!
//! The order is ripgrep's: every `.spyhopignore` before every `.ignore` before every `.gitignore`, wherever they lie,
//! then the repository's `info/exclude`, then the user's file; among files of one name the deepest decides. So one
//! line at the top of a tree can overrule an ignore file far below. Git's files apply without a repository too, but not
//! inside a repository nested below them. As in git, a link is not read as an ignore file, which also prevents a tree
//! from directing us to a device. An exact search reads `.rgignore` in place of `.spyhopignore`, and may choose which files apply
//! ([`RuleFiles`]).

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, Glob, gitconfig_excludes_path};
use rustc_hash::FxHashMap;

use super::options::{GlobalExcludes, IgnoreSources, WalkOptions};
use super::sieve::Sieve;
use super::small_file::{bytes_of, small_file};
use crate::gitdir;
use crate::tree::{Tree, TreeKind};
use spyhop_base::input;
use spyhop_base::path::{PathBase, RelPath};

/// The longest line that applies. This is arbitrary: no system has paths that are as long, and the matcher refuses
/// patterns of some hundred times as many bytes.
const MAX_LINE_BYTES: usize = 16 << 10;

/// The prefix of the detail of a row about one line of an ignore file. The other lines of the file apply.
pub const BAD_LINE: &str = "line ";

/// How many lines of a file are reported.
const TOLD_LINES: usize = 5;

/// The ignore files of a directory, in the order of precedence.
pub(super) const NAMES: [(&str, Kind); 4] = [
    (SPYHOPS_NAME, Kind::Spyhop),
    (RIPGREPS_NAME, Kind::Ripgrep),
    (".ignore", Kind::Ignore),
    (".gitignore", Kind::Git),
];

/// The ignore file that applies in ranked searches only: an exact search reads what ripgrep would read.
pub(crate) const SPYHOPS_NAME: &str = ".spyhopignore";

/// The ignore file that applies in exact searches only.
pub(crate) const RIPGREPS_NAME: &str = ".rgignore";

/// The entries that mark the top of a repository: git's, and Jujutsu's, which only ripgrep's definition includes.
pub(super) const REPOSITORIES: [&str; 2] = [".git", ".jj"];

/// The kind of an ignore file, in the order of precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum IgnoreKind {
    /// `.spyhopignore`, which only Spyhop reads.
    Spyhop,
    /// `.rgignore`, which ripgrep reads, and an exact search.
    Ripgrep,
    /// `.ignore`, which search tools read.
    Ignore,
    /// `.gitignore`.
    Git,
    /// `info/exclude` in a repository.
    GitExclude,
    /// The user's file, for all trees.
    Global,
    /// A file that the user names for one exact search.
    Named,
}

use IgnoreKind as Kind;

impl IgnoreKind {
    /// The name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Spyhop => "spyhopignore",
            Kind::Ripgrep => "rgignore",
            Kind::Ignore => "ignore",
            Kind::Git => "gitignore",
            Kind::GitExclude => "git-exclude",
            Kind::Global => "global-excludes",
            Kind::Named => "ignore-file",
        }
    }
}

/// A line of an ignore file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IgnoreRule {
    /// The kind of the file.
    pub kind: IgnoreKind,
    /// The file: its path from the root, which may lead above it, or the absolute path of the user's file.
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

/// The ignore files that apply in a walk.
#[derive(Clone, Copy)]
pub(super) struct RuleFiles<'a> {
    /// The choice of an exact search; `None` for the index.
    sources: Option<&'a IgnoreSources>,
    no_ignore: bool,
}

impl<'a> RuleFiles<'a> {
    pub(super) fn of(options: &WalkOptions<'a>) -> RuleFiles<'a> {
        let sources = options.as_ripgrep.map(|as_ripgrep| as_ripgrep.sources);
        RuleFiles { sources, no_ignore: options.no_ignore }
    }

    fn has(self, kind: Kind) -> bool {
        match (kind, self.sources) {
            (Kind::Named, sources) => sources.is_some(),
            _ if self.no_ignore => false,
            (Kind::Spyhop, sources) => sources.is_none(),
            (Kind::Ripgrep, None) => false,
            (_, None) => true,
            (Kind::Ripgrep | Kind::Ignore, Some(sources)) => sources.dot,
            (Kind::Git, Some(sources)) => sources.vcs,
            (Kind::GitExclude, Some(sources)) => sources.vcs && sources.exclude,
            (Kind::Global, Some(sources)) => sources.vcs && sources.global,
        }
    }

    /// Where git's ignore files apply.
    pub(super) fn git_counts(self) -> GitCounts {
        match self.sources {
            None => GitCounts::Everywhere,
            Some(sources) if sources.require_git => GitCounts::InRepositories,
            Some(_) => GitCounts::AcrossRepositories,
        }
    }

    /// Whether ignore files above the walked folders apply.
    pub(super) fn reads_parents(self) -> bool {
        self.sources.is_none_or(|sources| sources.parents)
    }

    fn ignores_case(self) -> bool {
        self.sources.is_some_and(|sources| sources.ignore_case)
    }
}

struct IgnoreFile {
    kind: Kind,
    /// The name in rows: the path from the root.
    shown: String,
    text: String,
    sieve: Sieve,
    ignores_case: bool,
    /// The folder from which the patterns are seen, relative to the base, if that is not the folder of the level.
    seen_from: Option<PathBase>,
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
        if !self.ignores_case && !self.sieve.passes(path, is_dir) {
            return Match::None;
        }
        let matched = |matcher: &'_ Gitignore| -> bool { !matcher.matched(path, is_dir).is_none() };
        // The last pattern that matches decides.
        let last = self.patterns().matchers.iter().rev().find(|matcher| matched(matcher));
        last.map_or(Match::None, |matcher| matcher.matched(path, is_dir))
    }

    fn patterns(&self) -> &Patterns {
        self.patterns.get_or_init(|| compile(&self.text, &self.shown, self.ignores_case))
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

impl Level {
    /// A level of files that lie in no directory of the tree.
    fn of_files(files: Vec<IgnoreFile>, above: Option<Arc<Level>>) -> Level {
        let in_repository = above.as_ref().is_some_and(|above| above.in_repository);
        Level { above, start: 0, files, is_git_top: false, is_ripgreps_top: false, in_repository }
    }
}

/// Where the ignore files of git and of the user apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GitCounts {
    /// Everywhere, even without a repository.
    Everywhere,
    /// Only in a repository, as in ripgrep.
    InRepositories,
    /// Everywhere, also inside of repositories nested below, as in ripgrep where it requires no repository.
    AcrossRepositories,
}

/// The verdict of the rules on a path.
pub(super) enum Ruling<'l> {
    /// No rule matches.
    None,
    Ignore(RuleLine<'l>),
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

    /// Whether the line is one of git's, which has no effect on what git tracks.
    pub(super) fn is_of_git(self) -> bool {
        matches!(self.file.kind, Kind::Git | Kind::GitExclude | Kind::Global)
    }

    /// Whether the line may overrule the built-in rules, and not only lines of other authors. An exception in a
    /// `.gitignore` is about git's rules, and was written without our rules in mind.
    pub(super) fn is_ours(self) -> bool {
        self.file.kind == Kind::Spyhop
    }
}

/// The file that marks a library of sources. Rules of that folder, and of the folders above, do not apply to the sources.
pub const LIBRARY_FILE: &str = "SPYHOP-LIBRARY";

/// The folder `root` and the folders above it whose rules apply to it: a library may lie in a repository whose rules are
/// not meant for the library's sources.
pub(super) fn ancestors_with_rules(root: &Path) -> impl Iterator<Item = &Path> {
    root.ancestors().take_while(|folder| fs::symlink_metadata(folder.join(LIBRARY_FILE)).is_err())
}

/// The directory where the rules begin: the top of the repository that holds the root, else the root itself; in an exact
/// search, the highest folder above the root that has rules.
pub(super) struct Base {
    /// The path from the base to the root, empty or with `/` at its end; lossy if a name is not UTF-8.
    pub prefix: String,
    /// The rules of the directories above the root, and of the user.
    pub level: Option<Arc<Level>>,
}

impl Base {
    /// The base of `root`. With a tree in `options`, the rules of its folders apply instead of those in the file system.
    pub(super) fn above(root: &Path, options: &WalkOptions<'_>) -> io::Result<Base> {
        let (files, tree) = (RuleFiles::of(options), options.tree);
        let real = fs::canonicalize(root)?;
        if tree.is_some_and(Tree::is_alone) {
            let level = named_files(&real, &real, files, user_level(GlobalExcludes::None, files));
            return Ok(Base { prefix: String::new(), level });
        }
        let mut level = user_level(options.global_excludes, files);
        let is_there = |dir: &Path, name: &str| fs::symlink_metadata(dir.join(name)).is_ok();
        let above = || ancestors_with_rules(&real);
        let top = above().find(|dir| is_there(dir, ".git"));
        let begin = match files.sources.filter(|_| tree.is_none()) {
            Some(sources) => {
                let has_rules = |dir: &&Path| {
                    !sources.files.is_empty()
                        || present_in(dir, RuleFiles { sources: Some(sources), ..files }).any()
                };
                above().skip(1).filter(has_rules).last().unwrap_or(&real)
            }
            None => top.unwrap_or(&real),
        };
        let way: Vec<&OsStr> = real.strip_prefix(begin).map(|way| way.iter().collect()).unwrap_or_default();
        let mut prefix = String::new();
        let mut dir = begin.to_path_buf();
        for (at, part) in way.iter().enumerate() {
            let folder = RelPath::new(&prefix).unwrap_or(RelPath::root());
            let mut present = match tree {
                Some(tree) => present_in_tree(tree, &folder, &dir, files),
                None => present_in(&dir, files),
            };
            if !files.reads_parents() {
                present.leave_only_repositories();
            }
            // The index reads rules of Spyhop up to the top of the repository only.
            if !top.is_some_and(|top| dir.starts_with(top)) {
                present.leave_out(Kind::Spyhop);
            }
            let shown = "../".repeat(way.len() - at);
            let read = |name: &str| match tree {
                Some(tree) => small_file(tree, &folder, name),
                None => bytes_of(&dir.join(name)),
            };
            let place = LevelPlace { path: &dir, start: prefix.len(), shown: &shown };
            level = enter(place, &read, present, level.as_ref(), files, |name, detail| {
                tracing::warn!("{}: {detail}", dir.join(name).display());
            });
            prefix.push_str(&part.to_string_lossy());
            prefix.push('/');
            dir.push(part);
        }
        let level = named_files(&real, begin, files, level);
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
    ignore_files: [bool; NAMES.len()],
    git: bool,
    jujutsu: bool,
    /// Whether the rules of the repository itself apply.
    exclude: bool,
}

impl PresentNames {
    pub(super) fn note(&mut self, name: &str, is_file: bool, files: RuleFiles<'_>) {
        if !name.starts_with('.') || files.no_ignore {
            return;
        }
        if name == ".git" {
            (self.git, self.exclude) = (true, files.has(Kind::GitExclude));
        } else if name == ".jj" {
            self.jujutsu = true;
        } else if let Some(at) = NAMES.iter().position(|(known, _)| *known == name) {
            self.ignore_files[at] = is_file && files.has(NAMES[at].1);
        }
    }

    pub(super) fn leave_only_repositories(&mut self) {
        (self.ignore_files, self.exclude) = ([false; NAMES.len()], false);
    }

    fn leave_out(&mut self, kind: Kind) {
        for ((_, file_kind), present) in NAMES.iter().zip(&mut self.ignore_files) {
            *present &= *file_kind != kind;
        }
    }

    /// Whether there are rules to read.
    pub(super) fn any(self) -> bool {
        self.git || self.jujutsu || self.ignore_files.contains(&true)
    }
}

/// The relevant names in a folder of the file system.
fn present_in(dir: &Path, files: RuleFiles<'_>) -> PresentNames {
    let mut present = PresentNames::default();
    for name in NAMES.map(|(name, _)| name).into_iter().chain(REPOSITORIES) {
        if let Ok(metadata) = fs::symlink_metadata(dir.join(name)) {
            present.note(name, metadata.is_file(), files);
        }
    }
    present
}

/// The relevant names in a folder of a tree, whose repository is at `dir` in the file system.
fn present_in_tree(tree: &dyn Tree, folder: &RelPath, dir: &Path, files: RuleFiles<'_>) -> PresentNames {
    let mut present = PresentNames::default();
    for (name, _) in NAMES {
        if let Ok(entry) = tree.find(&folder.join(name)) {
            present.note(name, entry.kind == TreeKind::File, files);
        }
    }
    for name in REPOSITORIES {
        if let Ok(metadata) = fs::symlink_metadata(dir.join(name)) {
            present.note(name, metadata.is_file(), files);
        }
    }
    present
}

/// Where the directory of a level lies.
pub(super) struct LevelPlace<'p> {
    pub path: &'p Path,
    /// The length in bytes of the path from the base, with its last `/`.
    pub start: usize,
    /// The prefix of the names of ignore files in rows.
    pub shown: &'p str,
}

/// The level of the directory at `place`. `bytes` reads its ignore files by their names. An ignore file that cannot be
/// read, and lines that are too long, do not apply; `broken` is called with the file's name and the reason.
pub(super) fn enter(
    LevelPlace { path, start, shown }: LevelPlace<'_>,
    bytes: &dyn Fn(&str) -> io::Result<Vec<u8>>,
    present: PresentNames,
    above: Option<&Arc<Level>>,
    rule_files: RuleFiles<'_>,
    mut broken: impl FnMut(&str, String),
) -> Option<Arc<Level>> {
    let ignores_case = rule_files.ignores_case();
    let mut files = Vec::new();
    for ((name, kind), present) in NAMES.into_iter().zip(present.ignore_files) {
        if present {
            match bytes(name) {
                Ok(bytes) => {
                    let (file, bad_lines) = parse(bytes, kind, format!("{shown}{name}"));
                    files.extend(file.map(|file| IgnoreFile { ignores_case, ..file }));
                    if let Some(detail) = bad_lines {
                        broken(name, detail);
                    }
                }
                Err(error) => broken(name, format!("its rules do not count: {error}")),
            }
        }
    }
    if present.exclude
        && let Some(exclude) = exclude_file(&path.join(".git")).filter(|exclude| exclude.is_file())
    {
        match read(&exclude, Kind::GitExclude, format!("{shown}.git/info/exclude")) {
            Ok(file) => files.extend(file.map(|file| IgnoreFile { ignores_case, ..file })),
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
        match file.matched(&path, is_dir) {
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
        in_order(level, path, git_counts).filter_map(|(file, path)| match file.matched(&path, is_dir) {
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
) -> impl Iterator<Item = (&'l IgnoreFile, Cow<'p, str>)> {
    let (needs_repository, in_repository) =
        (git_counts == GitCounts::InRepositories, level.is_some_and(|level| level.in_repository));
    let git_counts_here = in_repository || !needs_repository;
    let crosses = git_counts == GitCounts::AcrossRepositories;
    // Where the nearest repository begins: the user's file is read as if it were there.
    let mut top = None;
    std::iter::successors(level, |level| level.above.as_deref()).flat_map(move |level| {
        let same_repository = top.is_none();
        let is_top = level.is_git_top || (needs_repository && level.is_ripgreps_top);
        if is_top && same_repository {
            top = Some(level.start);
        }
        let top = top.unwrap_or(0);
        let counts = move |file: &&IgnoreFile| match file.kind {
            Kind::Spyhop | Kind::Ripgrep | Kind::Ignore | Kind::Named => true,
            Kind::Global => git_counts_here,
            Kind::Git | Kind::GitExclude => git_counts_here && (same_repository || crosses),
        };
        level.files.iter().filter(counts).map(move |file| match (file.kind, &file.seen_from) {
            (_, Some(folder)) => (file, folder.shown(path)),
            (Kind::Global, None) => (file, Cow::Borrowed(&path[top..])),
            _ => (file, Cow::Borrowed(&path[level.start..])),
        })
    })
}

/// The level above all directories: the user's file.
fn user_level(global: GlobalExcludes, rule_files: RuleFiles<'_>) -> Option<Arc<Level>> {
    let path = match global {
        _ if !rule_files.has(Kind::Global) => return None,
        GlobalExcludes::OfGit => gitconfig_excludes_path()?,
        GlobalExcludes::File(path) => path.to_path_buf(),
        GlobalExcludes::None => return None,
    };
    if !path.is_file() {
        return None;
    }
    match read(&path, Kind::Global, path.display().to_string()) {
        Ok(file) => {
            let ignores_case = rule_files.ignores_case();
            Some(Arc::new(Level::of_files(vec![IgnoreFile { ignores_case, ..file? }], None)))
        }
        Err(error) => {
            tracing::warn!("the rules of {} do not count: {error}", path.display());
            None
        }
    }
}

/// `level` with the files that the user names for one search, in a tree at `real` whose rules begin at `begin`.
fn named_files(
    real: &Path,
    begin: &Path,
    rule_files: RuleFiles<'_>,
    level: Option<Arc<Level>>,
) -> Option<Arc<Level>> {
    let Some(sources) = rule_files.sources.filter(|sources| !sources.files.is_empty()) else { return level };
    let folder = sources.current_folder.as_deref().unwrap_or(real);
    let inside = folder.strip_prefix(begin).ok().and_then(|inside| RelPath::from_path(inside).ok());
    let seen_from = inside.map(PathBase::Folder);
    let parsed =
        sources.files.iter().rev().filter_map(|path| match input::named(path, input::MAX_TEXT_BYTES) {
            Ok(bytes) => parse(bytes, Kind::Named, path.display().to_string()).0,
            Err(error) => {
                tracing::warn!("the rules of {} do not count: {error}", path.display());
                None
            }
        });
    let files: Vec<IgnoreFile> =
        parsed.map(|file| IgnoreFile { seen_from: seen_from.clone(), ..file }).collect();
    if files.is_empty() { level } else { Some(Arc::new(Level::of_files(files, level))) }
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
    let file = (!sieve.is_empty()).then(|| {
        let (ignores_case, seen_from) = (false, None);
        IgnoreFile { kind, shown, text, sieve, ignores_case, seen_from, patterns: OnceLock::new() }
    });
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

fn compile(text: &str, shown: &str, ignores_case: bool) -> Patterns {
    let mut lines = FxHashMap::default();
    let mut patterns: Vec<(u32, &str)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        patterns.push((number, line));
        // The key of a pattern is its line without trailing blanks, unless the last blank is escaped.
        let pattern = if line.ends_with("\\ ") { line } else { line.trim_end() };
        lines.insert(pattern.into(), number);
    }
    let mut matchers = Vec::new();
    share_out(&patterns, shown, ignores_case, &mut matchers);
    Patterns { matchers, lines }
}

/// Compiles patterns into as few matchers as possible. The size of a matcher is limited. A single line should never
/// exceed that limit (see [`MAX_LINE_BYTES`]); if it does, only that line is dropped.
fn share_out(patterns: &[(u32, &str)], shown: &str, ignores_case: bool, matchers: &mut Vec<Gitignore>) {
    // Patterns are matched against paths from the directory of the file, so the matcher's root is empty.
    let mut builder = GitignoreBuilder::new("");
    if let Err(error) = builder.case_insensitive(ignores_case) {
        tracing::debug!("{shown}: {error}");
    }
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
            share_out(first, shown, ignores_case, matchers);
            share_out(rest, shown, ignores_case, matchers);
        }
    }
}

/// The path of the private rules of a repository, from the entry at `.git`, whether or not the file exists. `None` for
/// a `.git` that leads to a repository of another folder.
pub(super) fn exclude_file(dot_git: &Path) -> Option<PathBuf> {
    gitdir::resolve(dot_git).ok().flatten().map(|git_dir| git_dir.common.join("info/exclude"))
}
