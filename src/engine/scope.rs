//! Which files an exact search reads, and how the index narrows them.
//!
//! With the policy `ignore`, or if a watcher confirms that the index is current, the list of files comes from the last
//! commit. Otherwise the tree is walked, and the index narrows only files with unchanged stat data. In both cases, the
//! files are those that ripgrep would search: files that are not ranked because of a rule, their size or their encoding
//! are read too; git's ignore files count in a repository only; a glob of `-g` includes ignored files; and unreadable
//! files are reported. An exact search does not update the index. It therefore needs no index, builds none and never
//! waits for another process.

use std::time::SystemTime;

use rustc_hash::FxHashMap;

use super::api::{GrepFiles, Incomplete, IncompleteCause, StalePolicy, SymlinkPolicy};
use super::core::Engine;
use super::open_index::{Recorded, Viewed};
use super::{cancel, updating, vouched};
use crate::error::Error;
use spyhop_base::cancel::Cancel;
use spyhop_base::id::VersionId;
use spyhop_base::model::{SkipReason, Skipped};
use spyhop_base::path::RelPath;
use spyhop_files::confined::{LinkReach, RootFolder};
use spyhop_files::read::TreeSource;
use spyhop_files::walk::{self, AsRipgrep, BAD_LINE, Candidate, DIFFERING, Region, WalkError, Walked};
use spyhop_grep::{Effort, NarrowPlan, Unread};
use spyhop_index::inverted;
use spyhop_index::meta::RecordedIdentity;
use spyhop_index::update::Updater;
use spyhop_index::workspace::Settings;
use spyhop_search::SearchError;
use spyhop_search::filter::Filter;

/// An entry that could not be searched.
pub(super) struct UnsearchedEntry {
    pub path: RelPath,
    pub why: String,
    /// Whether the cause is a name that is not UTF-8.
    pub is_of_name: bool,
}

/// What a request says of the files to search that the index does not know.
#[derive(Clone, Copy)]
pub(super) struct BeyondIndex<'r> {
    /// Whether files with NUL bytes are searched.
    pub binary: bool,
    /// Ignore files and links.
    pub files: &'r GrepFiles,
}

/// What an exact search reads.
pub(super) struct ExactScope {
    /// The files that may match, sorted.
    pub files: Vec<RelPath>,
    /// Whether files may be searched at all, also those that cannot match.
    pub has_files: bool,
    /// The unreadable entries that ripgrep would search, with the reason.
    pub holes: Vec<UnsearchedEntry>,
    /// The commit with a view of the present checkout, if there is one.
    pub recorded: Option<Recorded>,
    /// When the tree was walked or confirmed by a watcher; `None` if the last commit was used without a check.
    pub checked_at: Option<SystemTime>,
    /// The source of the files.
    pub source_tree: TreeSource,
    /// Why the index could not be read, if there is one.
    pub warning: Option<String>,
}

/// The warning of an exact search about an index that cannot be read.
pub(super) fn unread_index(engine: &Engine) -> Option<String> {
    let error = engine.index().fault()?;
    Some(format!("every file was read, because the index cannot be: {error}"))
}

impl ExactScope {
    /// Why some lines were not counted; `None` if all were.
    pub fn incomplete(&self, unread: &[Unread]) -> Option<Incomplete> {
        let holes = self.holes.iter().map(|hole| (&hole.path, hole.why.as_str()));
        let unread = unread.iter().map(|unread| (&unread.path, unread.error.as_str()));
        let mut all = holes.chain(unread);
        let (path, why) = all.next()?;
        let text = match all.count() {
            0 => format!("{path} could not be read: {why}"),
            others => format!("{path} and {others} more could not be read: {why}"),
        };
        Some(IncompleteCause::Unread.with(text))
    }
}

/// The files that an exact search for `plan` has to read, also those `beyond` the index.
pub(super) fn scope(
    engine: &Engine,
    filter: &Filter,
    plan: &NarrowPlan,
    beyond: &BeyondIndex<'_>,
) -> Result<ExactScope, Error> {
    if engine.index().lacks_tree() {
        return Err(Error::no_sources("an exact search"));
    }
    let Some(mut git) = engine.tree().git_folders() else { return whole_scope(engine, filter, plan, beyond) };
    // What is named is refused, and nothing else leads into a git directory, unless one has another name.
    if let Some(path) = filter.named().iter().find(|path| git.contain(path.as_str())) {
        return Err(Error::in_git_folder("path", path.as_str()));
    }
    if takes_git(filter) {
        return Err(Error::in_git_folder("path", ".git"));
    }
    let mut scope = whole_scope(engine, filter, plan, beyond)?;
    scope.files.retain(|path| !git.contain_file(path.as_str()));
    Ok(scope)
}

/// The files that an exact search has to read, those of git directories too.
fn whole_scope(
    engine: &Engine,
    filter: &Filter,
    plan: &NarrowPlan,
    beyond: &BeyondIndex<'_>,
) -> Result<ExactScope, Error> {
    let vouched =
        (engine.policy().stale_policy != StalePolicy::Ignore).then(|| record_from_watcher(engine)).flatten();
    let (recorded, vouched_at) = match vouched {
        Some((recorded, asked_at)) => (Some(recorded), Some(asked_at)),
        None => (engine.recorded(), None),
    };
    if let Some(recorded) = &recorded {
        engine.index().mark_used(recorded.viewed().key);
    }
    let named = named(engine, filter, beyond.files.symlinks);
    if let Some(Named { files, folders, .. }) = &named
        && folders.is_empty()
    {
        return Ok(ExactScope {
            files: files.clone(),
            has_files: !files.is_empty(),
            holes: Vec::new(),
            checked_at: Some(SystemTime::now()),
            source_tree: source_tree_followed(engine, beyond, named.as_ref()),
            recorded,
            warning: None,
        });
    }
    let narrowed = recorded.as_ref().and_then(|recorded| narrowed_by(recorded.viewed(), plan));
    let (viewed, narrowed) = match narrowed {
        Some((viewed, narrowed)) => (Some(viewed), narrowed),
        None => (None, None),
    };
    if let Some(viewed) = viewed
        && (engine.policy().stale_policy == StalePolicy::Ignore || vouched_at.is_some())
        && knows_files(engine, viewed, filter, beyond)
    {
        let (files, holes) = as_recorded(engine, viewed, filter, narrowed)?;
        let source_tree = engine.tree().source_of(viewed)?;
        let has_files = !files.is_empty() || !viewed.files(filter, None).is_empty();
        return Ok(ExactScope {
            files,
            has_files,
            holes,
            checked_at: vouched_at,
            source_tree,
            recorded,
            warning: None,
        });
    }
    let checked_at = Some(SystemTime::now());
    let (source_tree, walked) = walked(engine, filter, beyond, named.as_ref())?;
    let holes = walked.skipped.iter().filter_map(|row| hole(row, filter)).collect();
    let takes = |candidate: &Candidate| filter.takes_path(candidate.path.as_str());
    let has_files = walked.candidates.iter().any(takes);
    let mut files = match (viewed, narrowed) {
        (Some(viewed), Some(narrowed)) => viewed.narrowed_or_changed(filter, walked, &narrowed),
        _ => paths(walked).filter(|path| filter.takes_path(path.as_str())).collect(),
    };
    let mut has_files = has_files;
    if let Some(named) = named {
        has_files |= !named.files.is_empty();
        files.extend(named.files);
        // Some of the folders may lie in others.
        files.sort_unstable();
        files.dedup();
    }
    let warning = if recorded.is_none() { unread_index(engine) } else { None };
    Ok(ExactScope { files, has_files, holes, checked_at, source_tree, recorded, warning })
}

/// The view, with the versions that may match; `None` if the view cannot tell.
pub(super) fn narrowed_by<'v>(
    viewed: Viewed<'v>,
    plan: &NarrowPlan,
) -> Option<(Viewed<'v>, Option<Vec<VersionId>>)> {
    // What an update has got so far knows too little.
    if viewed.key.staged {
        return None;
    }
    match inverted::guarded(|| viewed.narrowed(plan)) {
        Ok(narrowed) => {
            viewed.committed.reader.note_checks();
            Some((viewed, narrowed))
        }
        Err(error) => {
            tracing::warn!(%error, "the index cannot tell which files may match; all are read");
            None
        }
    }
}

/// Walks the tree, or the folders that the caller named, as ripgrep does.
fn walked(
    engine: &Engine,
    filter: &Filter,
    beyond: &BeyondIndex<'_>,
    named: Option<&Named>,
) -> Result<(TreeSource, Walked), Error> {
    let has_links = named.is_some_and(|named| named.has_links);
    let links = reach(beyond.files.symlinks, has_links);
    walking(engine, filter, beyond, links, |updater| {
        let source_tree = match &updater.source_tree {
            TreeSource::Folder(_) => TreeSource::Folder(RootFolder::following(engine.root(), links)),
            other => other.clone(),
        };
        let walked = match named {
            Some(named) => updater.walk_below(&named.folders)?,
            None => updater.walk()?,
        };
        Ok((source_tree, walked))
    })
}

/// A test whether a file passes the language filter. It may read the file, so the threads of the search run it. No
/// file passes after the call is cancelled.
pub(super) fn takes<'f>(
    engine: &'f Engine,
    filter: &'f Filter,
    source_tree: &'f TreeSource,
) -> impl Fn(&RelPath) -> bool + Sync + 'f {
    let asks_for_languages = filter.asks_for_languages();
    let cancel = cancel::current();
    let is_cancelled = move || cancel.as_ref().is_some_and(Cancel::is_cancelled);
    let is_small = move |path: &RelPath| match (filter.max_file_bytes(), source_tree.folder()) {
        // A file that is named is searched whatever its size, as in ripgrep.
        (Some(_), Some(_)) if filter.named().contains(path) => true,
        (Some(most), Some(root)) => root.metadata(path).is_ok_and(|metadata| metadata.len() <= most),
        _ => true,
    };
    move |path| {
        !is_cancelled()
            && is_small(path)
            && (!asks_for_languages
                || filter.takes_file(path.as_str(), engine.language_now(path, source_tree)))
    }
}

/// Calls `walk` with the inputs of a walk as ripgrep's.
pub(super) fn walking<T>(
    engine: &Engine,
    filter: &Filter,
    beyond: &BeyondIndex<'_>,
    links: LinkReach,
    walk: impl FnOnce(&Updater<'_>) -> Result<T, WalkError>,
) -> Result<T, Error> {
    let tracked = engine.tree().tracked();
    let updater = updating::updater(engine, tracked.as_ref())?;
    // Built-in rules select files for ranking, and secrets are masked in the reply, so neither excludes a file
    // here.
    let settings = Settings { no_built_in: true, secrets: true, ..engine.tree().settings().clone() };
    let as_ripgrep = Some(AsRipgrep {
        globs: filter.ripgrep_globs(),
        types: filter.ripgrep_types(),
        git_folder: beyond.files.git_folder,
        sources: &beyond.files.ignore,
        links,
        one_file_system: beyond.files.one_file_system,
    });
    Ok(walk(&Updater { settings: &settings, as_ripgrep, ..updater })?)
}

/// The root as the source of files, with links as the request says.
fn source_tree_followed(engine: &Engine, beyond: &BeyondIndex<'_>, named: Option<&Named>) -> TreeSource {
    let has_links = named.is_some_and(|named| named.has_links);
    TreeSource::Folder(RootFolder::following(engine.root(), reach(beyond.files.symlinks, has_links)))
}

/// The files and folders that the caller named, if the files on disk are searched and not all of them. They are
/// searched whatever any rule says of them, as in ripgrep.
pub(super) fn named(engine: &Engine, filter: &Filter, symlinks: SymlinkPolicy) -> Option<Named> {
    let root = engine.root();
    let paths = filter.named();
    let is_root = |path: &RelPath| path.as_str().is_empty();
    if !engine.tree().is_of_folder() || paths.iter().all(is_root) {
        return None;
    }
    let mut named = Named::default();
    for path in paths {
        let whole = path.below(root);
        let Ok(real) = whole.canonicalize() else { continue };
        let is_allowed = match symlinks {
            SymlinkPolicy::Skip => real == whole,
            SymlinkPolicy::FollowNamed => real.starts_with(root),
            SymlinkPolicy::FollowAll => true,
        };
        named.has_links |= is_allowed && real != whole;
        match is_allowed {
            true if real.is_dir() => named.folders.push(path.clone()),
            true if real.is_file() => named.files.push(path.clone()),
            _ => {}
        }
    }
    Some(named)
}

/// Whether the rows of a view tell which files an exact search reads.
fn knows_files(engine: &Engine, viewed: Viewed<'_>, filter: &Filter, beyond: &BeyondIndex<'_>) -> bool {
    let GrepFiles { ignore, symlinks, one_file_system, git_folder, search_zip, as_mapped: _ } = beyond.files;
    // A view has no rows for the `.git` folder, for what is behind links, and for files with NUL bytes.
    let asks_for_more = takes_git(filter)
        || beyond.binary
        || *git_folder
        || *one_file_system
        || *symlinks == SymlinkPolicy::FollowAll
        || *search_zip
        || !ignore.is_default();
    if asks_for_more || walk::has_ripgreps_rules_above(engine.root()) {
        return false;
    }
    // A named folder is searched even if a rule or a link keeps the folder out of the view.
    let is_left_out = |row: &Skipped| {
        let rests = filter.named().iter().filter_map(|path| path.as_str().strip_prefix(row.path.as_str()));
        rests.into_iter().any(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let is_rules = |path: &str| path.rsplit('/').next().is_some_and(|name| DIFFERING.contains(&name));
    let skipped = || viewed.view.skipped().iter().map(|entry| &entry.skipped);
    if skipped().any(|row| is_left_out(row) || is_rules(row.path.as_str())) {
        return false;
    }
    let versions = viewed.view.versions().iter();
    !versions.filter_map(|version| viewed.meta().version(*version)).any(|version| is_rules(version.path()))
}

/// The recorded view, if a watcher confirms it, and the time of the request.
fn record_from_watcher(engine: &Engine) -> Option<(Recorded, SystemTime)> {
    vouched::vouched_by(engine, || {
        let recorded = engine.recorded()?;
        let viewed = recorded.viewed();
        Some((viewed.token(), recorded))
    })
}

/// The files of a view that may match, and the entries that could not be read when it was indexed.
fn as_recorded(
    engine: &Engine,
    viewed: Viewed<'_>,
    filter: &Filter,
    narrowed: Option<Vec<VersionId>>,
) -> Result<(Vec<RelPath>, Vec<UnsearchedEntry>), Error> {
    let mut files = viewed.files(filter, narrowed);
    let mut folders = Vec::new();
    let mut holes = Vec::new();
    // The paths for which ripgrep's rules may differ from those of the index.
    let mut judged_anew = Vec::new();
    let brings_back = filter.ripgrep_globs().is_some_and(|globs| globs.num_whitelists() > 0)
        || filter.ripgrep_types().is_some();
    let is_in_repository = engine.view().is_some() || walk::is_in_repository(engine.root());
    if !engine.tree().settings().hidden {
        // Ripgrep leaves out hidden sources that git tracks, and without a repository also what a line of a git ignore file
        // includes.
        let is_hidden = |path: &RelPath| path.as_str().split('/').any(|name| name.starts_with('.'));
        let (hidden, others) = files.into_iter().partition(is_hidden);
        (files, judged_anew) = (others, hidden);
    }
    for row in viewed.view.skipped().iter().map(|entry| &entry.skipped) {
        holes.extend(hole(row, filter));
        match row.reason {
            SkipReason::BuiltIn if row.is_dir => folders.push(row.path.clone()),
            SkipReason::Secret => judged_anew.push(row.path.clone()),
            SkipReason::Ignored if brings_back || !is_in_repository => judged_anew.push(row.path.clone()),
            SkipReason::Hidden if brings_back => judged_anew.push(row.path.clone()),
            // Of a binary file ripgrep may print lines before its first NUL byte.
            SkipReason::BuiltIn | SkipReason::Encoding | SkipReason::Binary => {
                files.push(row.path.clone());
            }
            _ => {}
        }
    }
    judged_anew.retain(|path| filter.may_take_below(path, true));
    if !folders.is_empty() || !judged_anew.is_empty() {
        let tracked = engine.tree().tracked();
        let settings = Settings { no_built_in: true, secrets: true, ..engine.tree().settings().clone() };
        let (globs, types) = (filter.ripgrep_globs(), filter.ripgrep_types());
        let as_ripgrep = Some(AsRipgrep { globs, types, ..AsRipgrep::default() });
        let updater =
            Updater { settings: &settings, as_ripgrep, ..updating::updater(engine, tracked.as_ref())? };
        // Another rule may also exclude a file of secrets, such as the rule for hidden files.
        let anew = updater.walk_some(&Region::new(judged_anew))?;
        let below = updater.walk_below(&folders)?;
        for walked in [anew, below] {
            holes.extend(walked.skipped.iter().filter_map(|row| hole(row, filter)));
            files.extend(paths(walked));
        }
    }
    files.retain(|path| filter.takes_path(path.as_str()));
    files.sort_unstable();
    files.dedup();
    Ok((files, holes))
}

/// The files and folders that a caller named.
#[derive(Default)]
pub(super) struct Named {
    pub files: Vec<RelPath>,
    pub folders: Vec<RelPath>,
    /// Whether a link is on the way to one of them.
    pub has_links: bool,
}

impl Viewed<'_> {
    /// The files of `narrowed`, or of the whole view, that pass the filter, sorted.
    pub(super) fn files(self, filter: &Filter, narrowed: Option<Vec<VersionId>>) -> Vec<RelPath> {
        let versions = narrowed.unwrap_or_else(|| self.view.versions().to_vec());
        let versions = versions.into_iter().filter_map(|version| self.meta().version(version));
        let paths = versions.map(|version| version.path()).filter(|path| filter.takes_path(path));
        let mut files: Vec<RelPath> = paths.filter_map(|path| RelPath::new(path).ok()).collect();
        files.sort_unstable();
        files
    }

    /// The versions of the view that may match, sorted; `None` for all.
    pub(super) fn narrowed(self, plan: &NarrowPlan) -> Result<Option<Vec<VersionId>>, Error> {
        let reader = &self.committed.reader;
        let Some(lists) = spyhop_grep::narrow(reader, plan, self.view.len(), Effort::Worthwhile)
            .map_err(SearchError::from)?
        else {
            return Ok(None);
        };
        let mut versions: Vec<VersionId> = Vec::new();
        for (segment, docs) in reader.segments().iter().zip(lists.0) {
            let live: Vec<u32> = docs.into_iter().filter(|doc| segment.is_live(*doc)).collect();
            let named = segment.versions_of(&live).map_err(SearchError::from)?;
            versions.extend(named.into_iter().filter(|version| self.view.holds(*version)));
        }
        versions.sort_unstable();
        versions.dedup();
        Ok(Some(versions))
    }

    /// The walked files that may match: those of `narrowed`, and files that changed since they were indexed.
    fn narrowed_or_changed(self, filter: &Filter, walked: Walked, narrowed: &[VersionId]) -> Vec<RelPath> {
        let known = self.view.entries().filter_map(|entry| {
            let version = self.meta().version(entry.version)?;
            Some((version.path(), (entry.version, entry.identity)))
        });
        let known: FxHashMap<&str, _> = known.collect();
        let may_match = |candidate: &Candidate| {
            let Some((version, recorded)) = known.get(candidate.path.as_str()) else { return true };
            *recorded != RecordedIdentity::stat_verified(candidate.identity, candidate.wanted)
                || narrowed.binary_search(version).is_ok()
        };
        let candidates = walked.candidates.into_iter();
        candidates
            .filter(|candidate| filter.takes_path(candidate.path.as_str()) && may_match(candidate))
            .map(|candidate| candidate.path)
            .collect()
    }
}

/// The links that are followed on the way to files, if a link is on the way to one that the caller named.
pub(super) fn reach(symlinks: SymlinkPolicy, has_links: bool) -> LinkReach {
    match symlinks {
        SymlinkPolicy::FollowAll => LinkReach::Anywhere,
        SymlinkPolicy::FollowNamed if has_links => LinkReach::Inside,
        SymlinkPolicy::FollowNamed | SymlinkPolicy::Skip => LinkReach::Nowhere,
    }
}

/// Whether a named path or a glob of `-g` includes the `.git` folder, or the `.git` file of a worktree.
fn takes_git(filter: &Filter) -> bool {
    let is_below_git = |path: &RelPath| path.as_str().split('/').any(|name| name == ".git");
    let globs = filter.ripgrep_globs();
    filter.named().iter().any(is_below_git)
        || globs.is_some_and(|globs| {
            [true, false].into_iter().any(|is_dir| globs.matched(".git", is_dir).is_whitelist())
        })
}

fn paths(walked: Walked) -> impl Iterator<Item = RelPath> {
    walked.candidates.into_iter().map(|candidate| candidate.path)
}

/// The hole of a skipped entry, if ripgrep would have searched the entry.
pub(super) fn hole(row: &Skipped, filter: &Filter) -> Option<UnsearchedEntry> {
    // An invalid line of an ignore file excludes nothing.
    let is_of_rules = row.detail.starts_with(BAD_LINE);
    let is_of_name = row.reason == SkipReason::NameNotUtf8;
    let counts = (row.reason == SkipReason::Unreadable && !is_of_rules) || is_of_name;
    let why = if row.detail.is_empty() { row.reason.name() } else { &row.detail };
    (counts && filter.may_take_below(&row.path, row.is_dir)).then(|| UnsearchedEntry {
        path: row.path.clone(),
        why: why.to_string(),
        is_of_name,
    })
}
