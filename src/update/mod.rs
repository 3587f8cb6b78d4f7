//! Planning and running an index update, and the single commit point.
//!
//! The way of the data: `walk -> Plan -> work on threads -> Record -> commit`. Everything before the commit writes
//! files that nobody names yet; the commit names them all at once; a crash anywhere leaves the last commit as it
//! was. An update holds the workspace's lock from the moment it knows that there is something to write.

mod plan;
mod quarantine;
mod trial;
mod work;
mod workspace;

use std::path::PathBuf;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

pub use plan::{Plan, ReadTask, is_unmoved, stat_row};
pub use workspace::{Committed, Workspace, WorkspaceError};

use crate::analyze::{self, Analyzer};
use crate::git::Tracked;
use crate::grammar::Grammars;
use crate::id::{ContentHash, Generation, VersionId};
use crate::index::{IndexError, Writer};
use crate::meta::{self, Commit, Meta, RecordBuilder, SkippedEntry, StatRow, VersionRow, View, ViewDelta};
use crate::model::{SkipReason, Skipped};
use crate::path::RelPath;
use crate::read::{self, Limits, ReadOutcome};
use crate::store::{self, FORMAT_VERSION, FileError, Lock, LockError};
use crate::tokenize::TOKENIZER_VERSION;
use crate::walk::{self, Candidate, WalkError, WalkOptions, Walked};
use quarantine::{Quarantine, Suspect};
use work::{NewVersion, Outcome, Work};

/// Stat data that moved without the content is written down when it is worth a commit of its own.
const RESTATS_WORTH_A_COMMIT: usize = 256;

/// The detail of the row for an index that lies in its own tree.
pub const OWN_INDEX: &str = "this tree's own index";

/// What changes what is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether names that begin with a dot are taken in.
    pub hidden: bool,
    /// Files above this many bytes are found by path only.
    pub max_file_bytes: u64,
    /// Whether what ignore files leave out is taken in.
    pub no_ignore: bool,
    /// Whether what built-in rules leave out is taken in.
    pub no_built_in: bool,
}

impl Settings {
    /// How they have a tree walked.
    pub fn walk_options(&self) -> WalkOptions<'static> {
        let Settings { hidden, no_ignore, no_built_in, .. } = *self;
        WalkOptions { hidden, no_ignore, no_built_in, ..WalkOptions::default() }
    }
}

/// What an update did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefreshReport {
    /// The generation that answers now.
    pub generation: Generation,
    /// Files that were not there before.
    pub added: usize,
    /// Files with other content.
    pub changed: usize,
    /// Files that are gone.
    pub deleted: usize,
    /// Files whose content was known under another path; they are among `added` and `deleted` as well.
    pub renamed: usize,
    /// Files that were parsed.
    pub parsed: usize,
    /// Bytes that were read.
    pub bytes: u64,
}

/// How far an update is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// Files done.
    pub files: usize,
    /// Files in all, as far as known.
    pub total_files: usize,
    /// Bytes done.
    pub bytes: u64,
    /// Bytes in all, as far as known.
    pub total_bytes: u64,
}

/// A stage of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Walking the tree.
    Scan,
    /// Reading, parsing and indexing.
    Index,
    /// Writing and syncing.
    Commit,
}

/// Where progress is told; called from indexing threads.
pub type OnProgress<'p> = &'p (dyn Fn(Progress) + Sync);

/// Why an update failed. The last commit still answers.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    /// The root cannot be walked.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// The workspace cannot be used.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// Another process is indexing.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The segments could not be written.
    #[error("writing the index at {}: {source}", dir.display())]
    Index {
        /// Where.
        dir: PathBuf,
        /// What went wrong.
        source: IndexError,
    },
    /// A file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// What an update works on.
pub struct Updater<'e> {
    /// The index.
    pub workspace: &'e Workspace,
    /// What git tracks below the root, where there is a repository.
    pub tracked: Option<&'e Tracked>,
    /// The grammars.
    pub grammars: &'e Grammars,
    /// What changes what is stored.
    pub settings: &'e Settings,
    /// Threads; `None` for one a core.
    pub threads: Option<usize>,
}

impl Updater<'_> {
    /// A hash of what decides how a text is parsed.
    fn parsers(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&analyze::VERSION.to_le_bytes());
        hasher.update(&self.grammars.fingerprint());
        hasher.finalize().to_hex()[..32].to_string()
    }

    /// Parses a suspect as an update would, if its content is still the same.
    fn parse(&self, suspect: &Suspect) {
        let read = read::read(&suspect.path.below(self.workspace.root()), &Limits::WANTED);
        if let ReadOutcome::Source(source) = read
            && source.hash == suspect.hash
        {
            let language = self.grammars.detect(&suspect.path, &source.text);
            Analyzer::new().analyze(self.grammars, language, &source.text);
        }
    }

    /// A hash of everything that changes what is stored for the same tree.
    pub fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        let versions = [FORMAT_VERSION, TOKENIZER_VERSION, analyze::VERSION];
        hasher.update(format!("{versions:?} {:?}", self.settings).as_bytes());
        hasher.update(&self.grammars.fingerprint());
        hasher.finalize().to_hex()[..32].to_string()
    }

    /// Walks the tree.
    pub fn walk(&self) -> Result<Walked, WalkError> {
        let tracked =
            |path: &RelPath, is_dir: bool| self.tracked.is_some_and(|tracked| tracked.contains(path, is_dir));
        let options =
            WalkOptions { threads: self.threads, is_tracked: Some(&tracked), ..self.settings.walk_options() };
        let mut walked = walk::walk(self.workspace.root(), &options)?;
        self.leave_own_index_out(&mut walked);
        Ok(walked)
    }

    /// The row for an index that was asked to lie inside its own tree, of which it is no part.
    pub fn own_index(&self) -> Option<Skipped> {
        let below = self.workspace.dir().strip_prefix(self.workspace.root()).ok()?;
        let path = RelPath::from_path(below).ok().filter(|own| !own.as_str().is_empty())?;
        let detail = OWN_INDEX.to_string();
        Some(Skipped { path, reason: SkipReason::BuiltIn, detail, is_dir: true })
    }

    fn leave_own_index_out(&self, walked: &mut Walked) {
        let Some(own) = self.own_index() else { return };
        let inside = |path: &RelPath| own.covers(path);
        let before = walked.candidates.len() + walked.skipped.len();
        walked.candidates.retain(|candidate| !inside(&candidate.path));
        walked.skipped.retain(|skipped| !inside(&skipped.path));
        if walked.candidates.len() + walked.skipped.len() < before {
            walked.skipped.push(own);
            walked.skipped.sort();
        }
    }

    /// What an update of `committed` would do now.
    pub fn plan(&self, committed: Option<&Committed>) -> Result<Plan, WalkError> {
        let walked = self.walk()?;
        Ok(match committed.map(|committed| &committed.meta).filter(|meta| self.fits(meta)) {
            Some(meta) => {
                let view = meta.view(&self.workspace.view_key());
                Plan::new(walked, meta, view, |path| self.is_tracked(path))
            }
            None => Plan::new(walked, &Meta::empty(""), None, |_| false),
        })
    }

    /// How many files a plan would add, change or delete; what only moved in stat is read and compared.
    pub fn stale(&self, plan: &Plan, meta: &Meta) -> usize {
        let view = meta.view(&self.workspace.view_key());
        plan.read.iter().filter(|task| !self.is_current(task, view)).count() + plan.deleted.len()
    }

    /// Whether all that `plan` would read is as recorded. A file that was saved shortly before it was indexed is read
    /// again by every refresh, until the next commit: that must not cost a lock and a writer each time.
    fn is_settled(&self, plan: &Plan, meta: &Meta) -> bool {
        let Some(view) = meta.view(&self.workspace.view_key()) else { return false };
        if !plan.deleted.is_empty() || plan.read.len() >= RESTATS_WORTH_A_COMMIT {
            return false;
        }
        let read: FxHashSet<&RelPath> = plan.read.iter().map(|task| &task.path).collect();
        let others = view.skipped().iter().filter(|entry| !read.contains(&entry.skipped.path));
        others.eq(&plan.skipped) && plan.read.iter().all(|task| self.is_current(task, Some(view)))
    }

    /// Whether a file is as `view` has it, by reading it.
    fn is_current(&self, task: &ReadTask, view: Option<&View>) -> bool {
        let entries = view.map_or(&[][..], View::skipped);
        let entry = entries
            .binary_search_by(|entry| entry.skipped.path.cmp(&task.path))
            .ok()
            .map(|place| &entries[place].skipped);
        let is_listed = |reason: SkipReason, detail: String| {
            entry.is_some_and(|entry| (entry.reason, &entry.detail) == (reason, &detail))
        };
        let old = task.old.map(|(_, hash)| hash);
        match work::read_file(task, self.workspace.root(), &self.limits(), self.tracked) {
            ReadOutcome::Source(source) => {
                old == Some(source.hash) && entry.is_none_or(|entry| entry.reason == SkipReason::Quarantined)
            }
            ReadOutcome::PathOnly { hash, reason, detail } => old == Some(hash) && is_listed(reason, detail),
            ReadOutcome::Skipped { reason, detail } => old.is_none() && is_listed(reason, detail),
        }
    }

    /// Reads a file as an update would, and as it would if nothing were known about who keeps it.
    pub fn read(&self, candidate: &Candidate) -> (ReadOutcome, ReadOutcome) {
        let Candidate { path, stat, wanted } = candidate.clone();
        let task = ReadTask { path, stat, wanted, old: None };
        let strict = Limits {
            max_file_bytes: self.settings.max_file_bytes,
            skip_generated: true,
            skip_minified: true,
        };
        let root = self.workspace.root();
        let outcome = work::read_file(&task, root, &self.limits(), self.tracked);
        (outcome, read::read(&task.path.below(root), &strict))
    }

    fn limits(&self) -> Limits {
        Limits {
            max_file_bytes: self.settings.max_file_bytes,
            // Without a repository nothing tells whether somebody keeps the file.
            skip_generated: self.tracked.is_some() && !self.settings.no_built_in,
            skip_minified: !self.settings.no_built_in,
        }
    }

    /// Whether git tracks a file.
    pub fn is_tracked(&self, path: &RelPath) -> bool {
        self.tracked.is_some_and(|tracked| tracked.contains(path, false))
    }

    /// Whether an index was made with these settings.
    pub fn fits(&self, meta: &Meta) -> bool {
        meta.commit().fingerprint == self.fingerprint()
    }

    /// Brings the index up to date, making it if there is none. `committed` is what the caller has open, if it is
    /// still the newest. Waits at most `patience` for another process that is indexing.
    pub fn refresh(
        &self,
        committed: Option<&Committed>,
        patience: Duration,
        progress: OnProgress<'_>,
    ) -> Result<RefreshReport, UpdateError> {
        tell(progress, Stage::Scan, 0, 0);
        let mut known = None;
        if let Some(committed) = committed.filter(|committed| self.fits(&committed.meta)) {
            let plan = self.plan(Some(committed))?;
            if plan.is_empty() || self.is_settled(&plan, &committed.meta) {
                let generation = committed.meta.commit().generation;
                return Ok(RefreshReport { generation, ..RefreshReport::default() });
            }
            known = Some((committed, plan));
        }
        self.update(known, patience, progress)
    }

    /// Makes the index anew from the sources; the old one answers until the new one is committed.
    pub fn rebuild(
        &self,
        patience: Duration,
        progress: OnProgress<'_>,
    ) -> Result<RefreshReport, UpdateError> {
        let _lock = self.lock(patience)?;
        let current = self.open_or_put_aside()?;
        let fingerprint = self.fingerprint();
        let empty = Meta::empty(&fingerprint);
        let meta = current.as_ref().map_or(&empty, |committed| &committed.meta);
        let plan = Plan::new(self.walk()?, &empty, None, |_| false);
        self.run(meta, false, plan, progress)
    }

    /// Updates under the lock. `known` is a commit with the plan to update it, good if no other has come since.
    fn update(
        &self,
        known: Option<(&Committed, Plan)>,
        patience: Duration,
        progress: OnProgress<'_>,
    ) -> Result<RefreshReport, UpdateError> {
        let _lock = self.lock(patience)?;
        let stamp = self.workspace.stamp();
        if let Some((committed, plan)) = known
            && stamp.as_deref() == Some(committed.reader.stamp())
        {
            return self.run(&committed.meta, true, plan, progress);
        }
        let current = self.open_or_put_aside()?;
        let plan = self.plan(current.as_ref())?;
        match &current {
            Some(committed) => self.run(&committed.meta, self.fits(&committed.meta), plan, progress),
            None => self.run(&Meta::empty(&self.fingerprint()), true, plan, progress),
        }
    }

    /// Takes the lock and makes the folder this tree's own.
    fn lock(&self, patience: Duration) -> Result<Lock, UpdateError> {
        self.workspace.check_owner()?;
        store::create_private_dir(self.workspace.dir())?;
        let lock = Lock::acquire(&self.workspace.lock_path(), patience)?;
        self.workspace.claim()?;
        Ok(lock)
    }

    /// The newest commit. One that cannot be read is put aside, so that it is made anew. The caller holds the lock.
    fn open_or_put_aside(&self) -> Result<Option<Committed>, UpdateError> {
        match self.workspace.open() {
            Ok(committed) => Ok(Some(committed)),
            Err(WorkspaceError::Missing { .. }) => Ok(None),
            Err(WorkspaceError::Damaged { reason, .. }) => {
                let aside = self.workspace.put_aside()?;
                tracing::warn!(reason, aside = %aside.display(), "the index could not be read; it is made anew");
                self.workspace.claim()?;
                Ok(None)
            }
            Err(other) => Err(other.into()),
        }
    }

    /// Carries a plan out. `reuse`: whether what `meta` holds is still good under these settings.
    fn run(
        &self,
        meta: &Meta,
        reuse: bool,
        plan: Plan,
        progress: OnProgress<'_>,
    ) -> Result<RefreshReport, UpdateError> {
        let view = if reuse { meta.view(&self.workspace.view_key()) } else { None };
        let root = self.workspace.root().display();
        let span = tracing::info_span!("code.index.build", path = %root, fileCount = plan.read.len());
        let _entered = span.enter();
        Run { updater: self, meta, view, reuse, fingerprint: self.fingerprint(), plan, progress }.run()
    }
}

/// An update under the lock.
struct Run<'r, 'e> {
    updater: &'r Updater<'e>,
    meta: &'r Meta,
    view: Option<&'r View>,
    reuse: bool,
    fingerprint: String,
    plan: Plan,
    progress: OnProgress<'r>,
}

/// What the threads found, sorted out.
#[derive(Default)]
struct Found {
    new: Vec<(NewVersion, StatRow)>,
    live: Vec<(VersionId, StatRow)>,
    /// Files with the content of before.
    restats: usize,
    /// Those of them whose new stat data proves something, so that writing it down spares reading them.
    proven: usize,
    removed: Vec<VersionId>,
    skipped: Vec<SkippedEntry>,
    report: RefreshReport,
}

impl Run<'_, '_> {
    fn run(mut self) -> Result<RefreshReport, UpdateError> {
        let dir = self.updater.workspace.segment_dir();
        let failed = |source: IndexError| UpdateError::Index { dir: dir.clone(), source };
        let mut writer = Writer::open(&dir).map_err(failed)?;
        let tasks = std::mem::take(&mut self.plan.read);
        let known = self.known_elsewhere();
        let quarantine = Quarantine::open(self.updater.workspace.dir(), &self.updater.parsers());
        quarantine.try_suspects(|suspect| trial::outcome_of(|| self.updater.parse(suspect)))?;
        let journal = quarantine.journal();
        let work = Work {
            root: self.updater.workspace.root(),
            limits: self.updater.limits(),
            grammars: self.updater.grammars,
            writer: &writer,
            tracked: self.updater.tracked,
            known: &known,
            quarantine: &quarantine,
            journal: &journal,
            first_version: self.meta.commit().next_version,
            threads: self.updater.threads.unwrap_or_else(work::default_threads),
            progress: self.progress,
        };
        let (outcomes, segments) = work.run(&tasks).map_err(failed)?;
        drop(journal);
        let found = self.sort_out(&tasks, outcomes);
        let skipped_moved = self.view.is_none_or(|view| view.skipped() != found.skipped);
        let nothing = found.new.is_empty()
            && found.removed.is_empty()
            && found.restats == found.live.len()
            && !skipped_moved
            && self.reuse;
        if nothing && found.proven < RESTATS_WORTH_A_COMMIT {
            return Ok(RefreshReport { generation: self.meta.commit().generation, ..found.report });
        }
        tell(self.progress, Stage::Commit, tasks.len(), found.report.bytes);
        for segment in segments {
            writer.add(segment).map_err(failed)?;
        }
        let collected = self.collectable(&found);
        collected.iter().for_each(|version| writer.delete(*version));
        let commit = self.record(&found, &collected, skipped_moved)?;
        let payload = serde_json::to_string(&commit).expect("plain data");
        writer.commit(&payload).map_err(failed)?;
        // The update is done; a merge that fails, as on a full disk, is tried again after the next.
        if let Err(error) = writer.merge().and_then(|()| writer.close()) {
            tracing::warn!(%error, "segments were not merged");
        }
        meta::remove_garbage(&self.updater.workspace.meta_dir(), &[self.meta.commit(), &commit])?;
        Ok(RefreshReport { generation: commit.generation, ..found.report })
    }

    /// Versions that other views hold or this view held under the same path: content that need not be parsed.
    fn known_elsewhere(&self) -> FxHashMap<(&str, ContentHash), VersionId> {
        if !self.reuse {
            return FxHashMap::default();
        }
        let own = |id: VersionId| self.view.is_some_and(|view| view.holds(id));
        self.meta
            .version_ids()
            .filter(|id| !own(*id))
            .filter_map(|id| self.meta.version(id))
            .map(|version| ((version.path(), version.hash()), version.id()))
            .collect()
    }

    fn sort_out(&mut self, tasks: &[ReadTask], outcomes: Vec<Outcome>) -> Found {
        let mut found = Found { skipped: std::mem::take(&mut self.plan.skipped), ..Found::default() };
        let gone: FxHashSet<ContentHash> = self
            .plan
            .deleted
            .iter()
            .filter_map(|id| self.meta.version(*id))
            .map(|version| version.hash())
            .filter(|hash| *hash != read::path_only_hash())
            .collect();
        found.removed = std::mem::take(&mut self.plan.deleted);
        found.report.deleted = found.removed.len();
        for (task, outcome) in tasks.iter().zip(outcomes) {
            found.report.bytes += outcome.bytes_read;
            let old = task.old.map(|(version, _)| version);
            if let Some(entry) = outcome.skipped {
                found.skipped.push(entry);
            }
            match outcome.version {
                work::Version::Same(version) => {
                    found.restats += 1;
                    found.proven += (outcome.stat != StatRow::default()) as usize;
                    found.live.push((version, outcome.stat));
                    continue;
                }
                work::Version::Known(version) => found.live.push((version, outcome.stat)),
                work::Version::New(version) => {
                    found.report.parsed += 1;
                    found.report.renamed += (old.is_none() && gone.contains(&version.hash)) as usize;
                    found.new.push((version, outcome.stat));
                }
                work::Version::None => {
                    found.report.deleted += old.is_some() as usize;
                    found.removed.extend(old);
                    continue;
                }
            }
            match old {
                Some(old) => {
                    found.removed.push(old);
                    found.report.changed += 1;
                }
                None => found.report.added += 1,
            }
        }
        found.skipped.sort_by(|a, b| a.skipped.cmp(&b.skipped));
        found
    }

    /// Versions that no view names once this update is committed.
    fn collectable(&self, found: &Found) -> Vec<VersionId> {
        if !self.reuse {
            return self.meta.version_ids().collect();
        }
        let key = self.updater.workspace.view_key();
        let elsewhere = |id: VersionId| self.meta.views().any(|(other, view)| other != key && view.holds(id));
        found.removed.iter().copied().filter(|id| !elsewhere(*id)).collect()
    }

    fn record(
        &self,
        found: &Found,
        collected: &[VersionId],
        skipped_moved: bool,
    ) -> Result<Commit, FileError> {
        let key = self.updater.workspace.view_key();
        let mut record = RecordBuilder::new();
        let mut delta = ViewDelta { key, ..ViewDelta::default() };
        for (version, stat) in &found.new {
            record.add_version(&VersionRow {
                id: version.id,
                path: version.path.as_str(),
                hash: version.hash,
                language: version.language,
                notes: &version.notes,
                bytes: version.bytes,
                lines: version.lines,
                chunks: version.chunks,
                lengths: version.lengths,
                outline: &version.outline,
            });
            delta.version.push(version.id.0);
            delta.stat.push(*stat);
        }
        for (version, stat) in &found.live {
            delta.version.push(version.0);
            delta.stat.push(*stat);
        }
        delta.removed = found.removed.iter().map(|version| version.0).collect();
        delta.skipped = skipped_moved.then(|| found.skipped.clone());
        record.add_view(delta);
        collected.iter().for_each(|version| record.collect(*version));
        // Numbers of files that turned out not to be new are not lost: a view's tables are as long as its numbers go.
        let next_version =
            found.new.last().map_or(self.meta.commit().next_version, |(version, _)| version.id.0 + 1);
        let meta_dir = self.updater.workspace.meta_dir();
        // Other settings make every version and view of before void; the numbers go on all the same.
        let void;
        let base = if self.reuse {
            self.meta
        } else {
            void = Meta::after(self.meta.commit(), &self.fingerprint);
            &void
        };
        record.write(&meta_dir, base, &self.fingerprint, next_version, base.wants_folding())
    }
}

fn tell(progress: OnProgress<'_>, stage: Stage, files: usize, bytes: u64) {
    progress(Progress { stage, files, total_files: files, bytes, total_bytes: bytes });
}

#[cfg(test)]
mod tests;
