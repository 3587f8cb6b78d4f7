//! An update under the lock: the work, the checkpoints, and the commit.
//!
//! A long update commits its progress as a *staged* view, beside the view that answers queries. If the update is
//! killed, the next one reuses the staged view; and if there is no other view yet, searches answer from it. Only the
//! last commit changes the view itself, so no reader sees half of an update.

use rustc_hash::{FxHashMap, FxHashSet};

use super::checkpoints::BatchKind;
use super::compare::RESTATS_WORTH_A_COMMIT;
use super::error::UpdateError;
use super::plan::{ReadTask, UpdatePlan};
use super::progress::{OnProgress, Stage, tell};
use super::quarantine::{Quarantine, Suspect};
use super::report::RefreshReport;
use super::retries::is_in_doubt;
use super::text_pass::TextPass;
use super::updater::Updater;
use super::work::{self, FileOutcome, NewVersion, WorkerBatch, WorkerInputs};
use crate::inverted::{IndexError, Writer};
use crate::meta::{
    self, Commit, Meta, RecordBuilder, RecordedIdentity, SkippedEntry, Version, VersionRow, View, ViewEntry,
    ViewInfo, ViewKey,
};
use crate::retention::{DropReason, Judged, Strictness, judge};
use crate::workspace::{WriteError, unix_now};
use spyhop_base::id::{ContentHash, VersionContent, VersionId};
use spyhop_files::walk::{Cancel, WalkError};
use spyhop_syntax::worker::FileAnalyzer;

pub(super) struct UpdateRun<'r, 'e> {
    updater: &'r Updater<'e>,
    /// The metadata before the update.
    base: &'r Meta,
    /// The metadata since the last checkpoint.
    latest: Option<Meta>,
    key: ViewKey,
    /// The view before the update, if it can be used.
    view: Option<&'r View>,
    reuse: bool,
    plan: UpdatePlan,
    /// The number of files that had to be read.
    n_tasks: usize,
    next_version: u32,
    /// The versions that are indexed by their text only so far.
    text_pass: TextPass,
    progress: OnProgress<'r>,
    /// The number of files from which new stat data of unchanged content are recorded.
    worth_a_commit: usize,
    extent: Extent,
}

/// How much of a large tree a first update indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// All of it.
    Whole,
    /// The text only; the next update goes on with the structure.
    Text,
}

/// The merged outcomes of the workers.
#[derive(Default)]
struct MergedOutcomes {
    /// Versions that no record holds yet.
    new: Vec<NewVersion>,
    /// The entries of live files, except the unchanged ones.
    entries: Vec<ViewEntry>,
    /// Entries that were skipped after they were read.
    skipped: Vec<SkippedEntry>,
    /// Previous versions that are no longer live.
    removed: Vec<VersionId>,
    /// Whether a file has another version than before.
    has_moved: bool,
    /// Files with unchanged content whose new stat data proves something, so that recording it saves reading them
    /// again.
    stat_verified: usize,
    /// Documents that were added.
    docs: u32,
    report: RefreshReport,
}

impl<'r, 'e> UpdateRun<'r, 'e> {
    pub fn new(
        updater: &'r Updater<'e>,
        base: &'r Meta,
        reuse: bool,
        plan: UpdatePlan,
        progress: OnProgress<'r>,
    ) -> Result<UpdateRun<'r, 'e>, UpdateError> {
        let key = updater.view_key();
        let view = if reuse { base.view(&key)? } else { None };
        let next_version = base.commit().next_version;
        let text_pass = TextPass::default();
        Ok(UpdateRun {
            updater,
            base,
            latest: None,
            key,
            view,
            reuse,
            plan,
            n_tasks: 0,
            next_version,
            text_pass,
            progress,
            worth_a_commit: RESTATS_WORTH_A_COMMIT,
            extent: Extent::Whole,
        })
    }

    /// The run, for a view whose stat data prove nothing yet: proving stat data are recorded even for a single file.
    pub(crate) fn proving(self) -> UpdateRun<'r, 'e> {
        UpdateRun { worth_a_commit: 1, ..self }
    }

    /// The run, limited to `extent`.
    pub fn limited(self, extent: Extent) -> UpdateRun<'r, 'e> {
        UpdateRun { extent, ..self }
    }

    pub fn run(mut self) -> Result<RefreshReport, UpdateError> {
        let workspace = self.updater.workspace;
        let dir = workspace.segment_dir();
        let failed = |source: IndexError| WriteError::Index { dir: dir.clone(), source };
        let mut tasks = std::mem::take(&mut self.plan.read);
        if !tasks.is_empty() {
            self.updater.isolation.prepare(self.updater.grammars);
        }
        let mut writer = Writer::open(&dir).map_err(failed)?;
        self.n_tasks = tasks.len();
        let quarantine = self.updater.quarantine();
        self.try_suspects(&quarantine)?;
        let mut found = self.found_already();
        self.text_pass = self.text_so_far(&tasks)?;
        if self.begins_with_text(&tasks) {
            let missing = self.text_pass.begin(&tasks);
            if !missing.is_empty() {
                self.work_through(&mut writer, &missing, &quarantine, &mut found, true)?;
            }
            self.checkpoint(&mut writer, &mut found)?;
            if self.extent == Extent::Text {
                writer.close().map_err(failed)?;
                return Ok(RefreshReport { generation: self.meta().commit().generation, ..found.report });
            }
            tasks = self.text_pass.again(&tasks);
        }
        self.work_through(&mut writer, &tasks, &quarantine, &mut found, false)?;
        if self.updater.has_switched() {
            return Err(UpdateError::Switched);
        }
        let view = self.view_now(&found);
        if self.comes_to_nothing(&found, &view) {
            workspace.write_derived();
            return Ok(RefreshReport { generation: self.base.commit().generation, ..found.report });
        }
        tell(self.progress, Stage::Commit, self.n_tasks, found.report.bytes);
        let before = self.meta().commit().clone();
        let commit = self.record(&mut found, view, &writer)?;
        writer.commit(&serde_json::to_string(&commit).expect("plain data")).map_err(failed)?;
        // The update is done. If a merge fails, as on a full disk, the next update tries again.
        if let Err(error) = writer.merge(found.docs).and_then(|_| writer.close()) {
            tracing::warn!(%error, "segments were not merged");
        }
        workspace.write_derived();
        // Readers of the previous commit may still open its records, so these are kept. A previous commit with only a
        // staged view is not kept: its readers start again.
        let kept = if self.view.is_some() { &[&before, &commit][..] } else { &[&commit] };
        meta::remove_garbage(&workspace.meta_dir(), kept)?;
        workspace.remove_unused_others()?;
        Ok(RefreshReport { generation: commit.generation, ..found.report })
    }

    /// Finds out which of the files that were being parsed when a process died must not be parsed again.
    fn try_suspects(&self, quarantine: &Quarantine) -> Result<(), UpdateError> {
        let Updater { grammars, isolation, .. } = *self.updater;
        let suspects = quarantine.suspects();
        if suspects.is_empty() {
            return Ok(());
        }
        let mut analyzer = FileAnalyzer::new(isolation, grammars);
        let is_in_process = analyzer.is_in_process();
        let trial = |suspect: &Suspect| {
            let source = self.updater.source_of(suspect)?;
            let language = grammars.detect(&suspect.path, &source.text);
            analyzer.analyze_text(language, &source.text).err()
        };
        // A parser needs more stack than the caller's thread may have.
        let work = std::sync::Mutex::new(Some((suspects, trial)));
        let outcome = std::thread::scope(|scope| {
            let thread = work::spawn(scope, || {
                let (suspects, trial) = work.lock().ok()?.take()?;
                Some(quarantine.try_suspects(suspects, is_in_process, trial))
            });
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        Ok(outcome.unwrap_or(Ok(()))?)
    }

    /// The text pass over `tasks`, with what the staged view of an earlier update has of it.
    fn text_so_far(&self, tasks: &[ReadTask]) -> Result<TextPass, UpdateError> {
        let staged =
            if self.reuse && self.view.is_none() { self.base.view(&self.key.stage())? } else { None };
        let entries = staged.into_iter().flat_map(View::entries).filter_map(|entry| {
            let version = self.base.version(entry.version).filter(|version| version.is_text_only())?;
            Some((version.path(), entry))
        });
        let known: FxHashMap<&str, ViewEntry> = entries.collect();
        Ok(TextPass::new(tasks, |task| {
            let identity = RecordedIdentity::stat_verified(task.identity, task.wanted);
            known.get(task.path.as_str()).filter(|entry| entry.identity == identity).copied()
        }))
    }

    /// Whether the tree is large and nothing of it is indexed yet, but what an earlier first update has staged.
    fn begins_with_text(&self, tasks: &[ReadTask]) -> bool {
        let bytes = || tasks.iter().map(|task| task.identity.size()).sum::<u64>();
        let staged = self.key.stage();
        let is_first =
            || self.base.version_ids().next().is_none() || self.base.views().all(|(key, _)| *key == staged);
        self.reuse && is_first() && bytes() >= self.updater.text_first
    }

    /// Lets the workers do `tasks`, by their text alone or whole, and merges their outcomes; writes checkpoints at
    /// intervals.
    fn work_through(
        &mut self,
        writer: &mut Writer,
        tasks: &[ReadTask],
        quarantine: &Quarantine,
        found: &mut MergedOutcomes,
        text_only: bool,
    ) -> Result<(), UpdateError> {
        let workspace = self.updater.workspace;
        let gone = self.gone();
        let retried = self.retried(tasks, quarantine);
        let known = self.known_elsewhere(tasks, quarantine);
        let journal = quarantine.journal();
        let first_version = self.next_version;
        self.next_version += tasks.len() as u32;
        let work = WorkerInputs {
            source_tree: &self.updater.source_tree,
            limits: self.updater.limits(),
            grammars: self.updater.grammars,
            isolation: self.updater.isolation,
            extra_terms: self.updater.extra_terms,
            segments: writer.segments(),
            tracked: self.updater.tracked,
            known: &known,
            retried: &retried,
            quarantine,
            journal: &journal,
            first_version,
            text_only,
            threads: self.updater.threads.unwrap_or_else(work::default_threads),
            max_memory: self.updater.max_memory,
            racy: self.updater.racy,
            n_files: self.plan.unchanged + self.n_tasks,
            progress: self.progress,
            cancel: self.updater.cancel.as_ref(),
        };
        let first = match text_only {
            // There is no index to answer yet, so a user may be waiting.
            true => self.updater.checkpoint / 2,
            // All text can be searched already, so nobody waits for the first thousand structures.
            false if !self.text_pass.is_empty() => self.updater.checkpoint * 8,
            false => self.updater.checkpoint,
        };
        let mut deliver = |batch: WorkerBatch, moment: BatchKind| -> Result<(), Failed> {
            let WorkerBatch { outcomes, segments, .. } = batch;
            segments.into_iter().try_for_each(|segment| writer.add(segment))?;
            for (place, outcome) in outcomes {
                match text_only {
                    true => match self.text_pass.take(place, outcome) {
                        Ok(version) => found.new.push(version),
                        Err(outcome) => found.take(&tasks[place], outcome, &gone),
                    },
                    false => {
                        self.text_pass.replace(place);
                        found.take(&tasks[place], outcome, &gone);
                    }
                }
            }
            if moment == BatchKind::Checkpoint {
                self.checkpoint(writer, found).map_err(Failed::Update)?;
            }
            Ok(())
        };
        work.run(tasks, first, &mut deliver).map_err(|error| match error {
            Failed::Index(source) => WriteError::Index { dir: workspace.segment_dir(), source }.into(),
            Failed::Update(error) => error,
        })?;
        if self.updater.cancel.as_ref().is_some_and(Cancel::ends_update) {
            self.checkpoint(writer, found)?;
            return Err(WalkError::Cancelled.into());
        }
        Ok(())
    }

    fn meta(&self) -> &Meta {
        self.latest.as_ref().unwrap_or(self.base)
    }

    /// The outcomes that are known without reading.
    fn found_already(&mut self) -> MergedOutcomes {
        let mut found = MergedOutcomes { removed: self.plan.deleted.clone(), ..MergedOutcomes::default() };
        found.report.deleted = found.removed.len();
        found.has_moved = !found.removed.is_empty();
        for adopted in std::mem::take(&mut self.plan.adopted) {
            found.place(adopted.old, adopted.entry, true);
        }
        found
    }

    /// The contents of deleted files: if such a content appears elsewhere, the file was renamed.
    fn gone(&self) -> FxHashSet<ContentHash> {
        let versions = self.plan.deleted.iter().filter_map(|id| self.base.version(*id));
        versions.filter_map(|version| version.content().ranked()).collect()
    }

    /// Versions of the files to be read in any view: their content need not be parsed again.
    fn known_elsewhere(
        &self,
        tasks: &[ReadTask],
        quarantine: &Quarantine,
    ) -> FxHashMap<(&'r str, VersionContent), VersionId> {
        if !self.reuse || tasks.is_empty() {
            return FxHashMap::default();
        }
        let paths: FxHashSet<&str> = tasks.iter().map(|task| task.path.as_str()).collect();
        let is_whole =
            |version: &Version<'_>| !version.is_text_only() && !is_in_doubt(*version, || quarantine);
        let wanted =
            self.base.versions().filter(|version| paths.contains(version.path()) && is_whole(version));
        wanted.map(|version| ((version.path(), version.content()), version.id())).collect()
    }

    /// The versions of the files of `tasks` that are replaced even if their content is unchanged.
    fn retried(&self, tasks: &[ReadTask], quarantine: &Quarantine) -> FxHashSet<VersionId> {
        let old = tasks.iter().filter_map(|task| task.old).map(|(version, _)| version);
        let in_doubt = |id: &VersionId| {
            self.base.version(*id).is_some_and(|version| is_in_doubt(version, || quarantine))
        };
        old.filter(in_doubt).collect()
    }

    fn view_now(&self, found: &MergedOutcomes) -> View {
        let replaced: FxHashSet<VersionId> =
            found.removed.iter().copied().chain(found.entries.iter().map(|entry| entry.version)).collect();
        let before = self.view.into_iter().flat_map(View::entries);
        let unmoved = before.filter(|entry| !replaced.contains(&entry.version));
        let entries = unmoved.chain(found.entries.iter().copied()).chain(self.text_pass.entries()).collect();
        View::new(entries, self.plan.skipped.iter().chain(&found.skipped).cloned().collect())
    }

    fn comes_to_nothing(&self, found: &MergedOutcomes, view: &View) -> bool {
        let is_staged = || self.meta().view_info(&self.key.stage()).is_some();
        let same = |before: &View| before.skipped() == view.skipped();
        self.view.is_some_and(same)
            && !found.has_moved
            && found.stat_verified < self.worth_a_commit
            && !is_staged()
    }

    /// Commits the progress as a staged view, without changing the view that answers queries.
    fn checkpoint(&mut self, writer: &mut Writer, found: &mut MergedOutcomes) -> Result<(), UpdateError> {
        if found.new.is_empty() {
            return Ok(());
        }
        if self.updater.has_switched() {
            return Err(UpdateError::Switched);
        }
        let workspace = self.updater.workspace;
        let stage = self.key.stage();
        let mut record = RecordBuilder::new();
        found.drain_into(&mut record);
        let of = (self.plan.unchanged + self.n_tasks) as u32;
        let text_only = self.text_pass.entries().count() as u32;
        let view = self.view_now(found);
        let from = self.source_tree(&[&stage, &self.key]);
        record.set_view(stage, ViewInfo { of, text_only, ..self.info() }, view, from);
        let meta = self.meta();
        let commit = record.write(
            &workspace.meta_dir(),
            meta,
            workspace.fingerprint(),
            self.next_version,
            meta.wants_folding(),
        )?;
        let dir = workspace.segment_dir();
        let failed = |source: IndexError| WriteError::Index { dir: dir.clone(), source };
        writer.commit(&serde_json::to_string(&commit).expect("plain data")).map_err(failed)?;
        meta::remove_garbage(&workspace.meta_dir(), &[meta.commit(), &commit])?;
        self.latest = Some(Meta::open(&workspace.meta_dir(), commit)?);
        Ok(())
    }

    fn info(&self) -> ViewInfo {
        ViewInfo { used: unix_now(), commit: self.updater.head.commit.clone(), ..ViewInfo::default() }
    }

    /// Writes the record of the commit that ends the update, and deletes the versions that no view names after it.
    fn record(&self, found: &mut MergedOutcomes, view: View, writer: &Writer) -> Result<Commit, UpdateError> {
        let workspace = self.updater.workspace;
        let meta = self.meta();
        let versions: Vec<VersionId> = view.versions().to_vec();
        let mut next_version = meta.commit().next_version;
        if let Some(last) = found.new.iter().map(|version| version.id.0).max() {
            next_version = next_version.max(last + 1);
        }
        let mut record = RecordBuilder::new();
        found.drain_into(&mut record);
        let Judged { views, dead } = if self.reuse {
            judge(meta, workspace, &self.key, &versions, Strictness::Afford)
        } else {
            self.all_of_before()
        };
        let from = self.source_tree(&[&self.key, &self.key.stage()]);
        record.set_view(self.key.clone(), self.info(), view, from);
        for (key, why) in views {
            tracing::info!(root = key.root, head = %key.head, why = why.text(), "a view is dropped");
            record.drop_view(key);
        }
        dead.iter().for_each(|version| record.collect(*version));
        writer
            .delete_all(&dead)
            .map_err(|source| WriteError::Index { dir: workspace.segment_dir(), source })?;
        // If most recorded versions are deleted, as after a text pass, keeping their records would waste space.
        let is_mostly_dead = dead.len() * 2 > meta.version_ids().count();
        let fold = meta.wants_folding() || is_mostly_dead;
        Ok(record.write(&workspace.meta_dir(), meta, workspace.fingerprint(), next_version, fold)?)
    }

    /// The view that a new view is stored as a delta of: the first of `keys` that exists, else the most recently used
    /// view of this worktree, since a new branch is mostly like the one that it leaves.
    fn source_tree(&self, keys: &[&ViewKey]) -> Option<ViewKey> {
        let meta = self.meta();
        let first = keys.iter().copied().find(|key| meta.view_info(key).is_some());
        let beside = || meta.views().filter(|(key, _)| key.is_beside(&self.key));
        // Views of commits share content ids, which they store in place of file times.
        let likeness = |key: &ViewKey| key.is_of_commit() == self.key.is_of_commit();
        let last_used = || beside().max_by_key(|(key, info)| (likeness(key), info.used)).map(|(key, _)| key);
        first.or_else(last_used).cloned()
    }

    /// All previous views and versions, which a rebuild drops.
    fn all_of_before(&self) -> Judged {
        let views = self.meta().views().map(|(key, _)| key).filter(|key| **key != self.key);
        Judged {
            views: views.map(|key| (key.clone(), DropReason::Budget)).collect(),
            dead: self.base.version_ids().collect(),
        }
    }
}

/// Why the work ended early.
enum Failed {
    Index(IndexError),
    Update(UpdateError),
}

impl From<IndexError> for Failed {
    fn from(error: IndexError) -> Failed {
        Failed::Index(error)
    }
}

impl MergedOutcomes {
    /// Merges the outcome of a file.
    fn take(&mut self, task: &ReadTask, outcome: FileOutcome, gone: &FxHashSet<ContentHash>) {
        let old = task.old.map(|(version, _)| version);
        self.report.bytes += outcome.bytes_read;
        self.skipped.extend(outcome.skipped);
        match outcome.version {
            work::LiveVersion::Same(version) | work::LiveVersion::Known(version) => {
                let entry = ViewEntry { version, identity: outcome.identity };
                self.place(old, entry, outcome.identity != RecordedIdentity::Unproven);
            }
            work::LiveVersion::New(version) => {
                self.report.parsed += 1;
                self.report.renamed += (old.is_none()
                    && version.content.ranked().is_some_and(|hash| gone.contains(&hash)))
                    as usize;
                self.docs += version.chunks;
                self.place(old, ViewEntry { version: version.id, identity: outcome.identity }, false);
                self.new.push(version);
            }
            work::LiveVersion::None => {
                self.report.deleted += old.is_some() as usize;
                self.has_moved |= old.is_some();
                self.removed.extend(old);
            }
        }
    }

    /// Records the version of a file; `old` is the previous one.
    fn place(&mut self, old: Option<VersionId>, entry: ViewEntry, proves: bool) {
        self.entries.push(entry);
        match old {
            Some(old) if old == entry.version => {
                self.stat_verified += proves as usize;
                return;
            }
            Some(old) => {
                self.removed.push(old);
                self.report.changed += 1;
            }
            None => self.report.added += 1,
        }
        self.has_moved = true;
    }

    /// Moves the new versions into a record.
    fn drain_into(&mut self, record: &mut RecordBuilder) {
        self.new.sort_unstable_by_key(|version| version.id);
        for version in self.new.drain(..) {
            record.add_version(&VersionRow {
                id: version.id,
                path: version.path.as_str(),
                content: version.content,
                language: version.language,
                notes: &version.notes,
                bytes: version.bytes,
                lines: version.lines,
                chunks: version.chunks,
                lengths: version.lengths,
                outline: &version.outline,
                details: &version.details,
                uses: &version.uses,
            });
        }
    }
}
