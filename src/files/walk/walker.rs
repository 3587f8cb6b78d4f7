//! The walk of one directory after another: what a directory holds, and the verdict on each entry.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use ignore::Match;

use super::bounds::Spent;
use super::built_in::{self, BuiltInFire, NamePattern};
use super::cause::{Cause, Exception, OverridingRule};
use super::claim;
use super::error::{WalkError, root_error};
use super::folder::{Entry, Folder, FolderListing, ListedKind};
use super::follow;
use super::open_directory::OpenDirectory;
use super::options::WalkOptions;
use super::rules::{self, GitCounts, IgnoreRule, Level, LevelPlace, RuleFiles, RuleLine, Ruling};
use super::secret;
use super::small_file::{bytes_below, small_file};
use super::tally::{DirectoryCandidates, Tally};
use super::walked::Candidate;
use super::worktree;
use crate::confined::{LinkReach, RootFolder};
use spyhop_base::cores::cores;
use spyhop_base::model::{SkipReason, Skipped};
use spyhop_base::path::RelPath;

/// The default number of threads. More than sixteen gain nothing: the kernel's directory cache is the limit.
pub(super) fn default_threads() -> usize {
    cores().min(16)
}

/// A directory that is to be listed.
pub(super) struct Dir {
    pub(super) rel: RelPath,
    /// The number of the directory in the walk; the root's is 0.
    number: usize,
    above: Option<Arc<Level>>,
    /// The file system that the walk does not leave, if it stays on one.
    device: Option<u64>,
    /// The line that excludes what git does not track here.
    only_tracked: Option<Arc<IgnoreRule>>,
}

impl Dir {
    /// The number of the directory in the walk.
    pub(super) fn number(&self) -> usize {
        self.number
    }
}

/// A directory's entries, and the rules that apply to them.
pub(super) struct Listing<'a> {
    pub(super) folder: OpenDirectory<'a>,
    pub(super) listed: FolderListing,
    pub(super) rules: Option<Arc<Level>>,
    /// See [`Dir::only_tracked`].
    only_tracked: Option<Arc<IgnoreRule>>,
    /// Rows for entries that could not be read.
    pub(super) broken: Vec<Skipped>,
    /// The row of a directory that is left out for what it holds: an index of this program, or another worktree of the
    /// repository.
    pub(super) left_out: Option<Skipped>,
}

impl Listing<'_> {
    pub(super) fn name(&self, entry: &Entry) -> &str {
        self.listed.name(entry)
    }

    fn holds(&self, name: &str) -> bool {
        self.listed.entries.iter().any(|entry| self.name(entry) == name)
    }

    /// Why an entry cannot be part of a tree, by its name or by its kind.
    /// With `opens_lossy`, a name that is not UTF-8 fits if its lossy form tells it from the others.
    fn misfit(&self, entry: &Entry, opens_lossy: bool) -> Option<(SkipReason, String)> {
        let has_form = |other: &&Entry| self.name(other) == self.name(entry);
        if let Some(exact) = &entry.exact
            && !(opens_lossy && self.listed.entries.iter().filter(has_form).count() == 1)
        {
            // Different names can have the same lossy form, so the detail is exact.
            return Some((SkipReason::NameNotUtf8, format!("its name is {exact:?}")));
        }
        match entry.kind {
            ListedKind::File | ListedKind::Dir => None,
            ListedKind::Link if self.name(entry) == ".git" => None,
            ListedKind::Link => {
                let target = self.folder.read_link(self.name(entry));
                let detail =
                    target.map_or_else(|error| error.to_string(), |to| format!("to {}", to.display()));
                Some((SkipReason::Symlink, detail))
            }
            ListedKind::Special(name) => Some((SkipReason::Special, name.to_string())),
        }
    }
}

/// The kind of directory that the rules of ignore files belong to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RulesHere {
    /// The rules of a directory that is walked.
    OfTree,
    /// The rules of a directory above the walked directories.
    OfParent,
}

/// The line that asks for an entry, and the line that what git tracks overrules.
type RuledEntry<'l> = (Option<RuleLine<'l>>, Option<Arc<IgnoreRule>>);

pub(super) enum EntryVerdict {
    /// A candidate; the flag is [`Candidate::wanted`].
    Keep(bool),
    /// A directory to walk. With a line, which excludes the directory, only what git tracks in it is part of the tree.
    Enter(Option<Arc<IgnoreRule>>),
    /// Excluded, with a row.
    Leave(SkipReason, Cause),
    /// Excluded without a row: the entry is not part of the tree.
    Omit,
}

pub(super) struct Walker<'a> {
    pub(super) root: &'a Path,
    options: &'a WalkOptions<'a>,
    pub(super) base: rules::Base,
    /// The open root, relative to which directories and files are opened.
    top: RootFolder,
    /// The number of directories that have a number.
    numbers: AtomicUsize,
    pub(super) spent: Spent<'a>,
}

impl<'a> Walker<'a> {
    pub(super) fn new(root: &'a Path, options: &'a WalkOptions<'a>) -> Result<Walker<'a>, WalkError> {
        let metadata = fs::metadata(root).map_err(|source| root_error(root, source))?;
        if !metadata.is_dir() {
            return Err(WalkError::NotADirectory { root: root.to_path_buf() });
        }
        let base = rules::Base::above(root, options).map_err(|source| root_error(root, source))?;
        let links = options.as_ripgrep.map_or(LinkReach::Nowhere, |as_ripgrep| as_ripgrep.links);
        let top = RootFolder::following(root, links);
        let spent = Spent::new(options.tree.map(|_| options.bounds), options.cancel);
        Ok(Walker { root, options, base, top, numbers: AtomicUsize::new(1), spent })
    }

    pub(super) fn top(&self) -> Dir {
        let above = self.base.level.clone();
        Dir { rel: RelPath::root(), number: 0, above, device: None, only_tracked: None }
    }

    pub(super) fn child(
        &self,
        rel: RelPath,
        listing: &Listing<'_>,
        only_tracked: Option<Arc<IgnoreRule>>,
    ) -> Dir {
        let stays = self.options.as_ripgrep.is_some_and(|as_ripgrep| as_ripgrep.one_file_system);
        let device = if stays { listing.folder.device() } else { None };
        let number = self.numbers.fetch_add(1, Relaxed);
        Dir { rel, number, above: listing.rules.clone(), device, only_tracked }
    }

    /// A folder below the root, with the rules of those above it.
    pub(super) fn dir(&self, folder: &RelPath) -> io::Result<Dir> {
        let mut dir = self.top();
        for name in folder.as_str().split('/').filter(|name| !name.is_empty()) {
            let listing = self.list_with(&dir, RulesHere::OfParent)?;
            dir = self.child(dir.rel.join(name), &listing, None);
        }
        // The walk begins here, on whatever file system.
        dir.device = None;
        Ok(dir)
    }

    pub(super) fn visit(&self, dir: Dir, out: &mut Tally) -> Vec<Dir> {
        if !self.spent.goes_on() {
            return Vec::new();
        }
        match self.list(&dir) {
            Ok(Listing { left_out: Some(row), .. }) => {
                out.skipped.push(row);
                Vec::new()
            }
            Ok(listing) if dir.device.is_some() && dir.device != listing.folder.device() => Vec::new(),
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
    pub(super) fn sort_out(&self, dir: &Dir, listing: Listing<'_>, out: &mut Tally) -> Vec<Dir> {
        self.sort_out_some(dir, listing, |_| true, out)
    }

    /// Judges the entries whose names `is_asked` accepts. Returns the directories that are to be walked.
    pub(super) fn sort_out_some(
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
        let mut block = DirectoryCandidates::of(dir.number, listing.listed.entries.len());
        for entry in listing.listed.entries.iter().filter(|entry| is_asked(listing.name(entry))) {
            let rel = dir.rel.join(listing.name(entry));
            let (reason, detail) = match self.judge(&listing, entry, &rel, None) {
                EntryVerdict::Omit => continue,
                EntryVerdict::Enter(only_tracked) => {
                    let child = self.child(rel, &listing, only_tracked);
                    block.enter(child.number);
                    dirs.push(child);
                    continue;
                }
                EntryVerdict::Keep(wanted) => match listing.folder.identity(&listing.listed, entry) {
                    Ok(identity) => {
                        self.spent.take_file(identity.size());
                        block.files.push(Candidate { path: rel, identity, wanted });
                        continue;
                    }
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    Err(error) => (SkipReason::Unreadable, error.to_string()),
                },
                EntryVerdict::Leave(reason, cause) => (reason, cause.to_string()),
            };
            // An ignore file that cannot be read already has a row with more details.
            if !listing.broken.iter().any(|row| row.path == rel) {
                out.skipped.push(Skipped::new(rel, reason, detail, entry.is_dir()));
            }
        }
        out.skipped.append(&mut listing.broken);
        out.blocks.push(block);
        dirs
    }

    pub(super) fn list(&self, dir: &Dir) -> io::Result<Listing<'a>> {
        self.list_with(dir, RulesHere::OfTree)
    }

    fn list_with(&self, dir: &Dir, rules_here: RulesHere) -> io::Result<Listing<'a>> {
        if let Some(on_list) = self.options.on_list {
            on_list(&dir.rel);
        }
        let tree = self.options.tree.map(|tree| (tree, tree.path_in_repository(&dir.rel)));
        let folder = match &tree {
            Some((tree, path)) => OpenDirectory::of(*tree, path)?,
            None => OpenDirectory::Folder(Folder::open(&self.top, &dir.rel)?),
        };
        let (listed, errors) = folder.list()?;
        let unread = |(name, error): (Option<String>, io::Error)| match name {
            None => unreadable_dir(&dir.rel, &error),
            Some(name) => {
                let (path, detail) = (dir.rel.join(&name), error.to_string());
                Skipped::new(path, SkipReason::Unreadable, detail, false)
            }
        };
        let mut broken: Vec<Skipped> = errors.into_iter().map(unread).collect();
        let listed = match self.options.as_ripgrep.map(|as_ripgrep| as_ripgrep.links) {
            Some(LinkReach::Anywhere) => follow::followed(self.root, &dir.rel, listed, &mut broken),
            _ => listed,
        };
        // Names come first: most directories have none of the four, and then no file is opened.
        let mut present = rules::PresentNames::default();
        let files = RuleFiles::of(self.options);
        for entry in &listed.entries {
            let (name, is_file) = (listed.name(entry), entry.kind == ListedKind::File);
            present.note(name, is_file, files);
        }
        // The tree of a commit does not contain its repository.
        if tree.as_ref().is_some_and(|(_, path)| path.as_str().is_empty()) {
            present.note(".git", false, files);
        }
        if rules_here == RulesHere::OfParent && !files.reads_parents() {
            present.leave_only_repositories();
        }
        let path = dir.rel.below(self.root);
        let read = |name: &str| match &tree {
            Some((tree, folder)) => small_file(*tree, folder, name),
            None => bytes_below(&self.top, &dir.rel.join(name)),
        };
        let is_tracked = || self.options.is_tracked.is_some_and(|is_tracked| is_tracked(&dir.rel, true));
        // A folder that is itself the root was requested by name.
        let is_ranked_below = self.options.as_ripgrep.is_none() && !dir.rel.as_str().is_empty();
        let is_index = is_ranked_below
            && claim::has_structure(&listed)
            && folder.is_of_this_user()
            && read(claim::NAME).is_ok_and(|bytes| claim::is_claim(&bytes))
            && !is_tracked();
        let is_worktree = is_ranked_below
            && !self.options.no_built_in
            && self.options.tree.is_none()
            && worktree::has_link(&listed)
            && read(".git").is_ok_and(|bytes| worktree::is_of_repository(self.root, &path, &bytes));
        let left_out = match (is_index, is_worktree) {
            (true, _) => Some(claim::row(&dir.rel)),
            (_, true) => Some(worktree::row(&dir.rel)),
            _ => None,
        };
        let rules = if present.any() {
            let shown = if dir.rel.as_str().is_empty() { String::new() } else { format!("{}/", dir.rel) };
            let start = self.base.prefix.len() + shown.len();
            let place = LevelPlace { path: &path, start, shown: &shown };
            rules::enter(place, &read, present, dir.above.as_ref(), files, |name, detail| {
                let path = dir.rel.join(name);
                broken.push(Skipped::new(path, SkipReason::Unreadable, detail, false));
            })
        } else {
            dir.above.clone()
        };
        Ok(Listing { folder, listed, rules, only_tracked: dir.only_tracked.clone(), broken, left_out })
    }

    /// Judges one entry. The kind comes first, since no rule can make a link or a device a candidate; then the lines of
    /// ignore files; then the built-in assumptions. `kept` receives the rules that would have excluded the entry and
    /// were overruled.
    pub(super) fn judge(
        &self,
        listing: &Listing<'_>,
        entry: &Entry,
        rel: &RelPath,
        mut kept: Option<&mut Vec<Exception>>,
    ) -> EntryVerdict {
        // An exact search opens such names where it follows no links.
        let opens_lossy =
            cfg!(unix) && self.options.as_ripgrep.is_some_and(|own| own.links == LinkReach::Nowhere);
        if let Some((reason, detail)) = listing.misfit(entry, opens_lossy) {
            return EntryVerdict::Leave(reason, Cause::Text(detail));
        }
        let name = listing.name(entry);
        let (is_dir, tracing) = (entry.is_dir(), kept.is_some());
        match self.by_globs(rel, is_dir) {
            Match::Ignore(()) => return EntryVerdict::Omit,
            // Only a link to a repository's folder gets here, and ripgrep follows no links.
            Match::Whitelist(()) if entry.kind == ListedKind::Link => return EntryVerdict::Omit,
            Match::Whitelist(()) if is_dir => return EntryVerdict::Enter(None),
            Match::Whitelist(()) => return EntryVerdict::Keep(false),
            Match::None => {}
        }
        // To ripgrep the folder `.git` is a hidden folder like others.
        if name == ".git" && !self.options.as_ripgrep.is_some_and(|as_ripgrep| as_ripgrep.git_folder) {
            return EntryVerdict::Omit;
        }
        let in_base = self.base.path(rel);
        let (wanted, only_tracked) = match self.by_ignore_files(listing, (rel, &in_base), is_dir) {
            Ok(ruled) => ruled,
            Err(line) => return EntryVerdict::Leave(SkipReason::Ignored, Cause::Rule(line)),
        };
        let mut exception = |reason, over, by| {
            if let Some(kept) = kept.as_deref_mut() {
                kept.push(Exception { path: rel.clone(), reason, over, by });
            }
        };
        if let Some(line) = only_tracked.as_deref() {
            exception(SkipReason::Ignored, Cause::Rule(line.clone()), OverridingRule::Git);
        }
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
                None => return EntryVerdict::Leave(SkipReason::Secret, Cause::BuiltIn(fire)),
            }
        }
        if name.starts_with('.') && !self.is_of_type(rel, is_dir) {
            let over = || Cause::Text(format!("'{name}' begins with a dot"));
            match wanted {
                Some(line) => exception(SkipReason::Hidden, over(), OverridingRule::Rule(line.rule())),
                None if self.options.hidden => {
                    exception(SkipReason::Hidden, over(), OverridingRule::Option("hidden"))
                }
                None if self.is_hidden_source(rel, is_dir) => {
                    exception(SkipReason::Hidden, over(), OverridingRule::Git)
                }
                None => return EntryVerdict::Leave(SkipReason::Hidden, over()),
            }
        }
        if let Some(fire) = self.built_in(listing, entry, rel) {
            let by = match ours {
                Some(line) => OverridingRule::Rule(line.rule()),
                None if self.options.no_built_in => OverridingRule::Option("no_built_in"),
                None if self.is_tracked(rel, is_dir) => OverridingRule::Git,
                None => return EntryVerdict::Leave(SkipReason::BuiltIn, Cause::BuiltIn(fire)),
            };
            exception(SkipReason::BuiltIn, Cause::BuiltIn(fire), by);
        }
        if is_dir { EntryVerdict::Enter(only_tracked) } else { EntryVerdict::Keep(ours.is_some()) }
    }

    /// What ignore files say of an entry: the line that asks for it, and the line that git's knowledge of the entry overrules. An
    /// error is the line that excludes the entry.
    fn by_ignore_files<'l>(
        &self,
        listing: &'l Listing<'_>,
        (rel, in_base): (&RelPath, &str),
        is_dir: bool,
    ) -> Result<RuledEntry<'l>, IgnoreRule> {
        match rules::rule(listing.rules.as_deref(), in_base, is_dir, self.git_counts()) {
            Ruling::Whitelist(line) => Ok((Some(line), None)),
            Ruling::Ignore(line) if line.is_of_git() && self.is_tracked(rel, is_dir) => {
                Ok((None, Some(Arc::new(line.rule()))))
            }
            Ruling::Ignore(line) => Err(line.rule()),
            Ruling::None => match &listing.only_tracked {
                Some(line) if !self.is_tracked(rel, is_dir) => Err(IgnoreRule::clone(line)),
                line => Ok((None, line.clone())),
            },
        }
    }

    /// Whether git tracks an entry, for a walk that does not select as ripgrep does.
    fn is_tracked(&self, rel: &RelPath, is_dir: bool) -> bool {
        self.options.as_ripgrep.is_none()
            && self.options.is_tracked.is_some_and(|is_tracked| is_tracked(rel, is_dir))
    }

    /// The verdict of ripgrep's globs on an entry.
    fn by_globs(&self, rel: &RelPath, is_dir: bool) -> Match<()> {
        let globs = self.options.as_ripgrep.and_then(|as_ripgrep| as_ripgrep.globs);
        globs.map_or(Match::None, |globs| globs.matched(rel.as_str(), is_dir).map(|_| ()))
    }

    /// Whether an entry is of one of ripgrep's file types that are selected.
    fn is_of_type(&self, rel: &RelPath, is_dir: bool) -> bool {
        let types = self.options.as_ripgrep.and_then(|as_ripgrep| as_ripgrep.types);
        types.is_some_and(|types| types.matched(rel.as_str(), is_dir).is_whitelist())
    }

    /// Whether a hidden entry has sources that git tracks.
    fn is_hidden_source(&self, rel: &RelPath, is_dir: bool) -> bool {
        built_in::HIDDEN_SOURCES.contains(&rel.file_name()) && self.is_tracked(rel, is_dir)
    }

    /// Where git's ignore files apply.
    pub(super) fn git_counts(&self) -> GitCounts {
        RuleFiles::of(self.options).git_counts()
    }

    fn built_in(&self, listing: &Listing<'_>, entry: &Entry, rel: &RelPath) -> Option<BuiltInFire> {
        let inside = |inner: &str| match self.options.tree {
            Some(tree) => tree.find(&tree.path_in_repository(rel).join(inner)).is_ok(),
            None => self.top.metadata(&rel.join(inner)).is_ok(),
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

pub(super) fn unreadable_dir(rel: &RelPath, error: &io::Error) -> Skipped {
    Skipped::new(rel.clone(), SkipReason::Unreadable, error.to_string(), true)
}
