//! Which files of a tree are candidates, and why every other file is not.
//!
//! This module owns exclusion: ignore files, hidden names, built-in rules, links, special files. Nothing else in the
//! crate may exclude a file by its name. The walk reads names and stat data only; [`crate::read`] judges contents.
//!
//! The walk is our own although `ignore` has one, because the walk of `ignore` does not report what it excluded. A walk
//! and [`trace`] share one `judge`, so an explanation cannot differ from what happened.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use ignore::Match;
use ignore::overrides::Override;
use serde::{Deserialize, Serialize};

use crate::cores::cores;
use crate::model::{SkipReason, Skipped};
use crate::path::RelPath;
use crate::tree::Tree;

mod bounds;
mod built_in;
mod claim;
mod folder;
mod opened;
mod outside;
mod queue;
mod rules;
mod secret;
mod sieve;
mod some;
mod tally;
mod trace;

use bounds::Spent;
pub use bounds::{Bounds, Cancel};
pub use built_in::{BUILT_IN, BuiltInFire, BuiltInRule, Evidence, NamePattern};
pub use claim::INDEX_FOLDER;
use folder::{Entry, Folder, Listed};
use opened::Opened;
pub use outside::{decides, decides_inside, exclude_of, is_in_repository, outside, private_rules};
pub use rules::{BAD_LINE, IgnoreKind, IgnoreRule};
use rules::{GitCounts, Level, Ruling};
pub use secret::holds_secrets;
pub use some::{Region, walk_some};
use tally::{Block, Tally};
pub use trace::{Cause, Exception, Found, OverridingRule, Trace, explain, trace};

/// The options of a walk.
#[derive(Clone, Copy, Default)]
pub struct WalkOptions<'a> {
    /// Include names that begin with a dot. `.git` stays out.
    pub hidden: bool,
    /// The number of threads, including the calling one; `None` means one for each core, at most sixteen. The threads
    /// end with the walk.
    pub threads: Option<usize>,
    /// Include paths that ignore files exclude.
    pub no_ignore: bool,
    /// Include paths that built-in rules exclude.
    pub no_built_in: bool,
    /// Include files whose names indicate secrets.
    pub secrets: bool,
    /// Whether git tracks a file, or anything below a directory (the flag is true for a directory). Called only where a
    /// built-in rule fires; the rule does not apply to tracked entries.
    pub is_tracked: Option<&'a IsTracked<'a>>,
    /// The user's ignore file that applies in every tree.
    pub global_excludes: GlobalExcludes<'a>,
    /// Called with each directory just before it is listed.
    pub on_list: Option<&'a OnList<'a>>,
    /// A tree to walk in place of the folder at the root; the root still decides which rules above and beside it apply.
    pub tree: Option<&'a dyn Tree>,
    /// The limits on such a tree.
    pub bounds: Bounds,
    /// Ends the walk early.
    pub cancel: Option<&'a Cancel>,
    /// Select the files that ripgrep selects, where that differs.
    pub as_ripgrep: Option<AsRipgrep<'a>>,
}

/// Where ripgrep's selection of files differs: git's ignore files apply in a repository only, and globs take precedence
/// over every ignore file and over hidden names.
#[derive(Clone, Copy, Default)]
pub struct AsRipgrep<'a> {
    /// The globs of `-g`, relative to the root.
    pub globs: Option<&'a Override>,
}

/// A callback for the directories of a walk.
pub type OnList<'a> = dyn Fn(&RelPath) + Sync + 'a;

/// Whether git tracks a path; the flag is true when it is a directory.
pub type IsTracked<'a> = dyn Fn(&RelPath, bool) -> bool + Sync + 'a;

/// The location of the ignore file that applies in every tree.
#[derive(Clone, Copy, Debug, Default)]
pub enum GlobalExcludes<'a> {
    /// The file that the user's git uses: `core.excludesFile`, else `git/ignore` in the configuration folder.
    #[default]
    OfGit,
    /// This file.
    File(&'a Path),
    /// No file.
    None,
}

/// Stat data, which show that a file has changed without reading it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Stat {
    /// The length in bytes.
    pub size: u64,
    /// The time of the last change of the content, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// The time of the last change of the content or inode; 0 on platforms without it.
    pub ctime_ns: i64,
    /// The inode; 0 on platforms without inodes.
    pub inode: u64,
}

/// A regular file that no rule excludes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The path of the file.
    pub path: RelPath,
    /// The stat data of the file during the walk.
    pub stat: Stat,
    /// Whether a `.spyhopignore` asks for the file by `!pattern`, so that neither its size nor its looks may exclude
    /// its content.
    pub wanted: bool,
}

/// The result of a walk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// The candidates, sorted by path.
    pub candidates: Vec<Candidate>,
    /// The skipped entries, sorted by path; a directory stands for everything below it.
    pub skipped: Vec<Skipped>,
}

/// Why there is nothing to walk.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// There is nothing at the root.
    #[error("root '{}' does not exist", .root.display())]
    Missing {
        /// The root as given.
        root: PathBuf,
    },
    /// The root is not a directory.
    #[error("root '{}' is not a directory", .root.display())]
    NotADirectory {
        /// The root as given.
        root: PathBuf,
    },
    /// The root cannot be listed.
    #[error("root '{}' cannot be read: {source}", .root.display())]
    Unreadable {
        /// The root as given.
        root: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The tree of a commit exceeds a limit of the walk.
    #[error(
        "the tree of the commit is too large to be searched: it has {value} {what} or more, above the limit of {bound}"
    )]
    TooLarge {
        /// The counted quantity.
        what: &'static str,
        /// The quantity when the walk stopped.
        value: u64,
        /// The limit.
        bound: u64,
    },
    /// The walk of a commit took too long.
    #[error("the walk of the commit took {seconds} seconds or more, above the limit of {bound}")]
    TooSlow {
        /// How long the walk took.
        seconds: u64,
        /// The limit.
        bound: u64,
    },
    /// The caller cancelled the walk.
    #[error("the walk was cancelled by the caller")]
    Cancelled,
}

/// The candidates below `root`, and everything that was seen and skipped. The root itself may be a symbolic link; no
/// link below it is followed. A directory that cannot be read becomes a skipped row, and the walk continues.
pub fn walk(root: &Path, options: &WalkOptions) -> Result<Walked, WalkError> {
    let walker = Walker::new(root, options)?;
    let top = walker.top();
    let listing = walker.list(&top).map_err(|source| root_error(root, source))?;
    let mut tally = Tally::default();
    let dirs = walker.sort_out(&top, listing, &mut tally);

    let threads = options.threads.unwrap_or_else(default_threads).max(1);
    let parts = queue::drain(dirs, threads, |dir, part: &mut Tally| walker.visit(dir, part));
    walker.spent.checked()?;
    Ok(tally::sum(parts.into_iter().chain([tally])))
}

/// Walks some folders of the tree at `root`, under the rules of the folders above them. The caller decides that these
/// folders are walked at all; a folder that has gone yields nothing.
pub fn walk_below(root: &Path, folders: &[RelPath], options: &WalkOptions) -> Result<Walked, WalkError> {
    let walker = Walker::new(root, options)?;
    let mut skipped = Vec::new();
    let mut dirs = Vec::new();
    for folder in folders {
        match walker.dir(folder) {
            Ok(dir) => dirs.push(dir),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => skipped.push(unreadable_dir(folder, &error)),
        }
    }
    let threads = options.threads.unwrap_or_else(default_threads).max(1);
    let parts = queue::drain(dirs, threads, |dir, part: &mut Tally| walker.visit(dir, part));
    walker.spent.checked()?;
    Ok(tally::heap(parts.into_iter().chain([Tally { skipped, ..Tally::default() }])))
}

/// The stat of one file; a symbolic link is not followed.
pub fn stat_of(path: &Path) -> io::Result<Stat> {
    fs::symlink_metadata(path).map(|metadata| stat(&metadata))
}

/// The stat data in `metadata`.
#[cfg(unix)]
pub fn stat(metadata: &Metadata) -> Stat {
    use std::os::unix::fs::MetadataExt;
    let ns = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
    Stat {
        size: metadata.len(),
        mtime_ns: ns(metadata.mtime(), metadata.mtime_nsec()),
        ctime_ns: ns(metadata.ctime(), metadata.ctime_nsec()),
        inode: metadata.ino(),
    }
}

#[cfg(not(unix))]
pub fn stat(metadata: &Metadata) -> Stat {
    let since = |time: std::time::SystemTime| match time.duration_since(std::time::UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |ns| -ns),
    };
    Stat { size: metadata.len(), mtime_ns: metadata.modified().map_or(0, since), ctime_ns: 0, inode: 0 }
}

/// The default number of threads. More than sixteen gain nothing: the kernel's directory cache is the limit.
fn default_threads() -> usize {
    cores().min(16)
}

/// A directory that is to be listed.
struct Dir {
    rel: RelPath,
    /// The number of the directory in the walk; the root's is 0.
    number: usize,
    /// The rules of the directories above.
    above: Option<Arc<Level>>,
}

/// A directory's entries, and the rules that apply to them.
struct Listing<'a> {
    folder: Opened<'a>,
    listed: Listed,
    rules: Option<Arc<Level>>,
    /// Rows for entries that could not be read.
    broken: Vec<Skipped>,
    /// Whether the directory holds an index of this program.
    is_index: bool,
}

impl Listing<'_> {
    fn name(&self, entry: &Entry) -> &str {
        self.listed.name(entry)
    }

    fn holds(&self, name: &str) -> bool {
        self.listed.entries.iter().any(|entry| self.name(entry) == name)
    }

    /// Why an entry cannot be part of a tree, by its name or by its kind.
    fn misfit(&self, entry: &Entry) -> Option<(SkipReason, String)> {
        if let Some(exact) = &entry.exact {
            // Different names can have the same lossy form, so the detail is exact.
            return Some((SkipReason::NameNotUtf8, format!("its name is {exact:?}")));
        }
        match entry.kind {
            folder::Kind::File | folder::Kind::Dir => None,
            folder::Kind::Link if self.name(entry) == ".git" => None,
            folder::Kind::Link => {
                let target = self.folder.read_link(self.name(entry));
                let detail =
                    target.map_or_else(|error| error.to_string(), |to| format!("to {}", to.display()));
                Some((SkipReason::Symlink, detail))
            }
            folder::Kind::Special(name) => Some((SkipReason::Special, name.to_string())),
        }
    }
}

enum Verdict {
    /// A candidate; the flag is [`Candidate::wanted`].
    Keep(bool),
    /// A directory to walk.
    Enter,
    /// Excluded, with a row.
    Leave(SkipReason, Cause),
    /// Excluded without a row: the entry is not part of the tree.
    Omit,
}

struct Walker<'a> {
    root: &'a Path,
    options: &'a WalkOptions<'a>,
    base: rules::Base,
    /// The open root, relative to which directories are opened.
    top: Folder,
    /// The number of directories that have a number.
    numbers: AtomicUsize,
    spent: Spent<'a>,
}

impl<'a> Walker<'a> {
    fn new(root: &'a Path, options: &'a WalkOptions<'a>) -> Result<Walker<'a>, WalkError> {
        let metadata = fs::metadata(root).map_err(|source| root_error(root, source))?;
        if !metadata.is_dir() {
            return Err(WalkError::NotADirectory { root: root.to_path_buf() });
        }
        let global = if options.no_ignore { GlobalExcludes::None } else { options.global_excludes };
        let mut base =
            rules::Base::above(root, global, options.tree).map_err(|source| root_error(root, source))?;
        if options.no_ignore {
            base.level = None;
        }
        let top = Folder::open(root).map_err(|source| root_error(root, source))?;
        let spent = Spent::new(options.tree.map(|_| options.bounds), options.cancel);
        Ok(Walker { root, options, base, top, numbers: AtomicUsize::new(1), spent })
    }

    fn top(&self) -> Dir {
        Dir { rel: RelPath::root(), number: 0, above: self.base.level.clone() }
    }

    fn child(&self, rel: RelPath, listing: &Listing<'_>) -> Dir {
        Dir { rel, number: self.numbers.fetch_add(1, Relaxed), above: listing.rules.clone() }
    }

    /// A folder below the root, with the rules of those above it.
    fn dir(&self, folder: &RelPath) -> io::Result<Dir> {
        let mut dir = self.top();
        for name in folder.as_str().split('/').filter(|name| !name.is_empty()) {
            let listing = self.list(&dir)?;
            dir = self.child(dir.rel.join(name), &listing);
        }
        Ok(dir)
    }

    fn visit(&self, dir: Dir, out: &mut Tally) -> Vec<Dir> {
        if !self.spent.goes_on() {
            return Vec::new();
        }
        match self.list(&dir) {
            Ok(listing) if listing.is_index => {
                out.skipped.push(claim::row(&dir.rel));
                Vec::new()
            }
            Ok(listing) => self.sort_out(&dir, listing, out),
            // The directory has gone since it was listed, so it is no longer part of the tree.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => {
                out.skipped.push(unreadable_dir(&dir.rel, &error));
                Vec::new()
            }
        }
    }

    /// Judges every entry. Returns the directories that are to be walked.
    fn sort_out(&self, dir: &Dir, listing: Listing<'_>, out: &mut Tally) -> Vec<Dir> {
        self.sort_out_some(dir, listing, |_| true, out)
    }

    /// Judges the entries whose names `is_asked` accepts. Returns the directories that are to be walked.
    fn sort_out_some(
        &self,
        dir: &Dir,
        mut listing: Listing<'_>,
        is_asked: impl Fn(&str) -> bool,
        out: &mut Tally,
    ) -> Vec<Dir> {
        let mut dirs = Vec::new();
        let depth = dir.rel.as_str().split('/').filter(|part| !part.is_empty()).count();
        let (n_entries, names) = (listing.listed.entries.len(), listing.listed.name_bytes());
        if !self.spent.take_folder(n_entries, names, dir.rel.as_str().len(), depth) {
            return dirs;
        }
        let mut block = Block::of(dir.number, listing.listed.entries.len());
        for entry in listing.listed.entries.iter().filter(|entry| is_asked(listing.name(entry))) {
            let rel = dir.rel.join(listing.name(entry));
            let (reason, detail) = match self.judge(&listing, entry, &rel, None) {
                Verdict::Omit => continue,
                Verdict::Enter => {
                    let child = self.child(rel, &listing);
                    block.enter(child.number);
                    dirs.push(child);
                    continue;
                }
                Verdict::Keep(wanted) => match listing.folder.stat(&listing.listed, entry) {
                    Ok(stat) => {
                        self.spent.take_file(stat.size);
                        block.files.push(Candidate { path: rel, stat, wanted });
                        continue;
                    }
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    Err(error) => (SkipReason::Unreadable, error.to_string()),
                },
                Verdict::Leave(reason, cause) => (reason, cause.to_string()),
            };
            // An ignore file that cannot be read already has a row with more details.
            if !listing.broken.iter().any(|row| row.path == rel) {
                out.skipped.push(Skipped { path: rel, reason, detail, is_dir: entry.is_dir() });
            }
        }
        out.skipped.append(&mut listing.broken);
        out.blocks.push(block);
        dirs
    }

    fn list(&self, dir: &Dir) -> io::Result<Listing<'a>> {
        if let Some(on_list) = self.options.on_list {
            on_list(&dir.rel);
        }
        let tree = self.options.tree.map(|tree| (tree, tree.from_top(&dir.rel)));
        let folder = match &tree {
            Some((tree, path)) => Opened::of(*tree, path)?,
            None => Opened::Folder(self.top.below(&dir.rel)?),
        };
        let (listed, errors) = folder.list()?;
        let unread = |(name, error): (Option<String>, io::Error)| match name {
            None => unreadable_dir(&dir.rel, &error),
            Some(name) => {
                let (path, detail) = (dir.rel.join(&name), error.to_string());
                Skipped { path, reason: SkipReason::Unreadable, detail, is_dir: false }
            }
        };
        let mut broken: Vec<Skipped> = errors.into_iter().map(unread).collect();
        // Names come first: most directories have none of the four, and then no file is opened.
        let mut present = rules::Present::default();
        let mut may_be_index = false;
        for entry in &listed.entries {
            let (name, is_file) = (listed.name(entry), entry.kind == folder::Kind::File);
            if !self.options.no_ignore {
                present.note(name, is_file);
            }
            // An index folder that is itself the root was requested by name.
            may_be_index |= is_file && name == claim::NAME && !dir.rel.as_str().is_empty();
        }
        // The tree of a commit does not contain its repository.
        if !self.options.no_ignore && tree.as_ref().is_some_and(|(_, path)| path.as_str().is_empty()) {
            present.note(".git", false);
        }
        let path = dir.rel.below(self.root);
        let read = |name: &str| match &tree {
            Some((tree, folder)) => opened::small_file(*tree, folder, name),
            None => rules::bytes_of(&path.join(name)),
        };
        let is_index = may_be_index && read(claim::NAME).is_ok_and(|bytes| claim::is_claim(&bytes));
        let rules = if present.any() {
            let shown = if dir.rel.as_str().is_empty() { String::new() } else { format!("{}/", dir.rel) };
            let start = self.base.prefix.len() + shown.len();
            rules::enter(&path, &read, start, &shown, present, dir.above.as_ref(), |name, detail| {
                let path = dir.rel.join(name);
                broken.push(Skipped { path, reason: SkipReason::Unreadable, detail, is_dir: false });
            })
        } else {
            dir.above.clone()
        };
        Ok(Listing { folder, listed, rules, broken, is_index })
    }

    /// Judges one entry. The kind comes first, since no rule can make a link or a device a candidate; then the lines of
    /// ignore files; then the built-in assumptions. `kept` receives the rules that would have excluded the entry and
    /// were overruled.
    fn judge(
        &self,
        listing: &Listing<'_>,
        entry: &Entry,
        rel: &RelPath,
        mut kept: Option<&mut Vec<Exception>>,
    ) -> Verdict {
        if let Some((reason, detail)) = listing.misfit(entry) {
            return Verdict::Leave(reason, Cause::Text(detail));
        }
        let name = listing.name(entry);
        let (is_dir, tracing) = (entry.is_dir(), kept.is_some());
        match self.by_globs(rel, is_dir) {
            Match::Ignore(()) => return Verdict::Omit,
            // Only a link to a repository's folder gets here, and ripgrep follows no links.
            Match::Whitelist(()) if entry.kind == folder::Kind::Link => return Verdict::Omit,
            Match::Whitelist(()) if is_dir => return Verdict::Enter,
            Match::Whitelist(()) => return Verdict::Keep(false),
            Match::None => {}
        }
        if name == ".git" {
            return Verdict::Omit;
        }
        let in_base = self.base.path(rel);
        let wanted = match rules::rule(listing.rules.as_deref(), &in_base, is_dir, self.git_counts()) {
            Ruling::Ignore(line) => return Verdict::Leave(SkipReason::Ignored, Cause::Rule(line.rule())),
            Ruling::Whitelist(line) => Some(line),
            Ruling::None => None,
        };
        let mut exception = |reason, over, by| {
            if let Some(kept) = kept.as_deref_mut() {
                kept.push(Exception { path: rel.clone(), reason, over, by });
            }
        };
        if let Some(line) = wanted
            && tracing
            && let Some(over) =
                rules::overruled(listing.rules.as_deref(), &in_base, is_dir, self.git_counts())
        {
            exception(SkipReason::Ignored, Cause::Rule(over), OverridingRule::Rule(line.rule()));
        }
        let ours = wanted.filter(|line| line.is_ours());
        if let Some(fire) = (!is_dir).then(|| secret::fires(rel.as_str())).flatten() {
            match ours {
                Some(line) => {
                    exception(SkipReason::Secret, Cause::BuiltIn(fire), OverridingRule::Rule(line.rule()))
                }
                None if self.options.secrets => {
                    exception(SkipReason::Secret, Cause::BuiltIn(fire), OverridingRule::Option("secrets"));
                }
                None => return Verdict::Leave(SkipReason::Secret, Cause::BuiltIn(fire)),
            }
        }
        if name.starts_with('.') {
            let over = || Cause::Text(format!("'{name}' begins with a dot"));
            match wanted {
                Some(line) => exception(SkipReason::Hidden, over(), OverridingRule::Rule(line.rule())),
                None if self.options.hidden => {
                    exception(SkipReason::Hidden, over(), OverridingRule::Option("hidden"))
                }
                None => return Verdict::Leave(SkipReason::Hidden, over()),
            }
        }
        if let Some(fire) = self.built_in(listing, entry, rel) {
            let tracked = || self.options.is_tracked.is_some_and(|is_tracked| is_tracked(rel, is_dir));
            let by = match ours {
                Some(line) => OverridingRule::Rule(line.rule()),
                None if self.options.no_built_in => OverridingRule::Option("no_built_in"),
                None if tracked() => OverridingRule::Git,
                None => return Verdict::Leave(SkipReason::BuiltIn, Cause::BuiltIn(fire)),
            };
            exception(SkipReason::BuiltIn, Cause::BuiltIn(fire), by);
        }
        if is_dir { Verdict::Enter } else { Verdict::Keep(ours.is_some()) }
    }

    /// The verdict of ripgrep's globs on an entry.
    fn by_globs(&self, rel: &RelPath, is_dir: bool) -> Match<()> {
        let globs = self.options.as_ripgrep.and_then(|as_ripgrep| as_ripgrep.globs);
        globs.map_or(Match::None, |globs| globs.matched(rel.as_str(), is_dir).map(|_| ()))
    }

    /// Where git's ignore files apply.
    fn git_counts(&self) -> GitCounts {
        if self.options.as_ripgrep.is_some() { GitCounts::InRepositories } else { GitCounts::Everywhere }
    }

    fn built_in(&self, listing: &Listing<'_>, entry: &Entry, rel: &RelPath) -> Option<BuiltInFire> {
        let inside = |inner: &str| match self.options.tree {
            Some(tree) => tree.find(&tree.from_top(rel).join(inner)).is_ok(),
            None => fs::symlink_metadata(rel.below(self.root).join(inner)).is_ok(),
        };
        let beside = |pattern: &NamePattern| match pattern {
            NamePattern::Is(name) => listing.holds(name),
            NamePattern::Ends(_) => {
                listing.listed.entries.iter().any(|entry| pattern.matches(listing.name(entry)))
            }
        };
        built_in::fires(listing.name(entry), entry.is_dir(), beside, inside)
    }
}

fn unreadable_dir(rel: &RelPath, error: &io::Error) -> Skipped {
    Skipped { path: rel.clone(), reason: SkipReason::Unreadable, detail: error.to_string(), is_dir: true }
}

fn root_error(root: &Path, source: io::Error) -> WalkError {
    let root = root.to_path_buf();
    match source.kind() {
        io::ErrorKind::NotFound => WalkError::Missing { root },
        io::ErrorKind::NotADirectory => WalkError::NotADirectory { root },
        _ => WalkError::Unreadable { root, source },
    }
}

#[cfg(test)]
mod tests;
