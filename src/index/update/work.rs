//! The work of an update's threads: read, analyze, invert.
//!
//! Each worker takes the next few files, in path order, and fills a separate segment. A version's number is its
//! position in the plan, so it does not depend on which worker was first. Neither does anything else that is stored,
//! except which segment a document lies in, and no answer depends on that.
//!
//! A worker delivers its results in batches: a finished segment with the outcomes of the files in it. It flushes a
//! batch when the segment is full, and when a checkpoint is called. So delivered results can be committed while the
//! workers continue.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustc_hash::{FxHashMap, FxHashSet};

use super::checkpoints::{BatchKind, CheckpointScheduler, HOME};
use super::fields::{Fields, overlapping};
use super::memory::{self, MemoryGate, Shares};
use super::plan::ReadTask;
use super::progress::{OnProgress, Progress, Stage};
use super::quarantine::{Journal, Quarantine, Slot};
use super::unranked::{self, read_file};
use crate::inverted::{ChunkDoc, FinishedSegment, IndexError, SegmentBuilder, SegmentMaker};
use crate::meta::{
    Details, EncodedDetails, EncodedOutline, EncodedUses, Outline, RecordedIdentity, SkippedEntry, StoredUses,
};
use crate::tokenize::{ExtraTerms, TermList, Tokenizer};
use spyhop_base::cores::cores;
use spyhop_base::id::{LanguageId, PathOnlyKey, VersionContent, VersionId};
use spyhop_base::model::{Analysis, Chunk, FieldLengths, Note, SkipReason, Skipped, SymbolKind};
use spyhop_base::path::RelPath;
use spyhop_base::text::{LineIndex, Lines, Span};
use spyhop_base::threads;
use spyhop_files::git::Tracked;
use spyhop_files::read::{Limits, ReadOutcome, Source, TreeSource};
use spyhop_files::walk::{Cancel, FileIdentity};
use spyhop_syntax::analyze::{Analyzer, STACK_BYTES};
use spyhop_syntax::grammar::Grammars;
use spyhop_syntax::worker::{FileAnalyzer, Isolation, LossKind};

/// How many files a thread takes at once.
const BATCH: usize = 8;

/// The default number of threads: one for each core.
pub fn default_threads() -> usize {
    cores()
}

pub(crate) struct WorkerInputs<'w> {
    pub source_tree: &'w TreeSource,
    pub limits: Limits,
    pub grammars: &'w Grammars,
    pub isolation: &'w Isolation,
    pub extra_terms: &'w ExtraTerms,
    pub segments: SegmentMaker,
    pub tracked: Option<&'w Tracked>,
    pub known: &'w FxHashMap<(&'w str, VersionContent), VersionId>,
    /// Previous versions that are replaced even if the content of their files is unchanged.
    pub retried: &'w FxHashSet<VersionId>,
    pub quarantine: &'w Quarantine,
    pub journal: &'w Journal,
    pub first_version: u32,
    /// Whether only the text is indexed in this pass.
    pub text_only: bool,
    pub threads: usize,
    /// The memory budget in bytes.
    pub max_memory: Option<u64>,
    /// The number of files in the tree, unchanged ones included.
    pub n_files: usize,
    pub progress: OnProgress<'w>,
    /// Ends the work between two files, as if no further file were left.
    pub cancel: Option<&'w Cancel>,
    /// See [`Updater::racy`](super::Updater::racy).
    pub racy: Duration,
}

pub(crate) struct FileOutcome {
    pub version: LiveVersion,
    pub identity: RecordedIdentity,
    /// The file's entry among the skipped.
    pub skipped: Option<SkippedEntry>,
    pub bytes_read: u64,
}

/// The version that is live for the file now.
pub(crate) enum LiveVersion {
    /// The previous version.
    Same(VersionId),
    /// A version that is recorded already.
    Known(VersionId),
    /// A new version, whose documents are in a segment.
    New(NewVersion),
    /// No version: the file is gone, or is not ranked.
    None,
}

/// A version that the update made.
pub(crate) struct NewVersion {
    pub id: VersionId,
    pub path: RelPath,
    pub content: VersionContent,
    pub language: LanguageId,
    pub notes: Vec<Note>,
    pub bytes: u64,
    pub lines: u32,
    pub chunks: u32,
    pub lengths: FieldLengths,
    pub outline: EncodedOutline,
    pub uses: EncodedUses,
    pub details: EncodedDetails,
}

/// The results that a worker flushes at once: a segment, and the outcomes of the files whose documents are in it, by
/// their positions among the tasks.
#[derive(Default)]
pub(crate) struct WorkerBatch {
    pub outcomes: Vec<(usize, FileOutcome)>,
    pub segments: Vec<FinishedSegment>,
    /// How many checkpoints had been called when the batch was flushed.
    epoch: u32,
    thread: usize,
}

/// The state that the workers share.
struct Shared {
    /// The next file that no worker has taken.
    next: AtomicUsize,
    files: AtomicUsize,
    bytes: AtomicU64,
    /// The number of workers that still take files.
    working: AtomicUsize,
    /// The files whose parser was killed from outside, by their places. The last worker parses them, alone.
    deferred: Mutex<Vec<usize>>,
    /// How many checkpoints have been called.
    epoch: AtomicU32,
    /// Whether all workers are to stop.
    stop: AtomicBool,
    /// The gate at which large files wait.
    gate: MemoryGate,
}

impl WorkerInputs<'_> {
    /// Does all tasks. Calls `deliver` on this thread with every batch, and says when a checkpoint is complete. The
    /// first checkpoint is called after `first`, the next after twice that, and so on.
    pub fn run<E: From<IndexError>>(
        &self,
        tasks: &[ReadTask],
        first: Duration,
        mut deliver: impl FnMut(WorkerBatch, BatchKind) -> Result<(), E>,
    ) -> Result<(), E> {
        let wanted = self.threads.clamp(1, tasks.len().div_ceil(BATCH).max(1));
        let sizes = tasks.iter().map(|task| task.identity.size());
        let bytes = sizes.filter(|size| *size <= self.limits.max_file_bytes).sum();
        let shares = Shares::of(self.max_memory, self.n_files, bytes, wanted);
        let Shares { threads, segment: budget, files } = shares;
        let shared = Shared {
            next: AtomicUsize::new(0),
            files: AtomicUsize::new(0),
            bytes: AtomicU64::new(0),
            working: AtomicUsize::new(threads),
            deferred: Mutex::default(),
            epoch: AtomicU32::new(0),
            stop: AtomicBool::new(false),
            gate: MemoryGate::new(files),
        };
        let all = tasks.iter().map(|task| task.identity.size()).sum();
        (self.progress)(self.progress_of((0, tasks.len()), (0, all)));
        let (sender, batches) = mpsc::channel::<Result<WorkerBatch, IndexError>>();
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads)
                .map(|thread| {
                    let (shared, sender) = (&shared, &sender);
                    let work = move || IndexWorker::new(self, thread, budget, sender).work(tasks, shared);
                    spawn(scope, work)
                })
                .collect();
            let mut clock = CheckpointScheduler::new(first, threads);
            let result = loop {
                let received = match clock.left() {
                    Some(left) => batches.recv_timeout(left),
                    None => batches.recv().map_err(RecvTimeoutError::from),
                };
                let delivered = match received {
                    Ok(Ok(batch)) => {
                        let moment = clock.receive(batch.thread, batch.epoch);
                        deliver(batch, moment)
                    }
                    Ok(Err(error)) => Err(error.into()),
                    Err(_) => {
                        clock.call(&shared.epoch);
                        Ok(())
                    }
                };
                if delivered.is_err() {
                    shared.stop.store(true, Ordering::Relaxed);
                    break delivered;
                }
                if clock.all_are_home() {
                    break Ok(());
                }
            };
            for worker in workers {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            }
            result
        })
    }

    /// The progress: files and bytes that are done, each with its total.
    fn progress_of(
        &self,
        (files, total_files): (usize, usize),
        (bytes, total_bytes): (u64, u64),
    ) -> Progress {
        let stage = if self.text_only { Stage::Text } else { Stage::Index };
        Progress { stage, files, total_files, bytes, total_bytes, holder: None }
    }
}

/// Spawns a thread whose stack suffices to analyze any file, or a thread with the usual stack if address space is
/// short.
pub fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl Fn() -> T + Send + Copy + 'scope,
) -> ScopedJoinHandle<'scope, T> {
    let deep = threads::for_call(scope, Builder::new().stack_size(STACK_BYTES), work);
    let usual = || threads::for_call(scope, Builder::new(), work);
    deep.or_else(|_| usual()).unwrap_or_else(|error| panic!("failed to spawn thread: {error}"))
}

/// A worker thread with its tools.
struct IndexWorker<'w> {
    work: &'w WorkerInputs<'w>,
    thread: usize,
    sender: &'w Sender<Result<WorkerBatch, IndexError>>,
    budget: usize,
    segment: Option<SegmentBuilder>,
    batch: WorkerBatch,
    analyzer: FileAnalyzer<'w>,
    /// Whether no other worker parses any more.
    is_alone: bool,
    /// The cause for which the analysis of the current file was lost.
    cause: Option<String>,
    slot: Slot,
    tokenizer: Tokenizer,
    fields: Fields,
}

impl<'w> IndexWorker<'w> {
    fn new(
        work: &'w WorkerInputs<'w>,
        thread: usize,
        budget: usize,
        sender: &'w Sender<Result<WorkerBatch, IndexError>>,
    ) -> IndexWorker<'w> {
        IndexWorker {
            work,
            thread,
            sender,
            budget,
            segment: None,
            batch: WorkerBatch { thread, ..WorkerBatch::default() },
            analyzer: FileAnalyzer::new(work.isolation, work.grammars),
            is_alone: false,
            cause: None,
            slot: work.journal.slot(thread),
            tokenizer: Tokenizer::with(work.extra_terms.clone()),
            fields: Fields::default(),
        }
    }

    /// Works until no task is left, then reports the end, however it ended.
    fn work(mut self, tasks: &[ReadTask], shared: &Shared) {
        let ended = catch_unwind(AssertUnwindSafe(|| self.work_through(tasks, shared)));
        // A closed channel means that the receiver has stopped for another error.
        match ended {
            Ok(Ok(())) => {}
            Ok(Err(error)) => _ = self.sender.send(Err(error)),
            Err(panic) => {
                _ = self.sender.send(Ok(WorkerBatch {
                    thread: self.thread,
                    epoch: HOME,
                    ..WorkerBatch::default()
                }));
                std::panic::resume_unwind(panic);
            }
        }
    }

    fn work_through(&mut self, tasks: &[ReadTask], shared: &Shared) -> Result<(), IndexError> {
        let all = tasks.iter().map(|task| task.identity.size()).sum();
        loop {
            let start = shared.next.fetch_add(BATCH, Ordering::Relaxed);
            let batch = tasks.get(start..(start + BATCH).min(tasks.len()));
            let Some(batch) = batch.filter(|batch| !batch.is_empty()) else {
                self.work_alone(tasks, shared)?;
                return self.flush(HOME);
            };
            for (place, task) in (start..).zip(batch) {
                if self.work.cancel.is_some_and(Cancel::ends_update) {
                    return self.flush(HOME);
                }
                if shared.stop.load(Ordering::Relaxed) {
                    return Ok(());
                }
                if !self.take(place, task, shared)? {
                    continue;
                }
                let files = shared.files.fetch_add(1, Ordering::Relaxed) + 1;
                let bytes =
                    shared.bytes.fetch_add(task.identity.size(), Ordering::Relaxed) + task.identity.size();
                (self.work.progress)(self.work.progress_of((files, tasks.len()), (bytes, all)));
                let epoch = shared.epoch.load(Ordering::Relaxed);
                // Flush only between files, so that a file's documents stay together.
                let is_full = self.segment.as_ref().is_some_and(|segment| segment.memory() > self.budget);
                if is_full || epoch != self.batch.epoch {
                    self.flush(epoch)?;
                }
            }
        }
    }

    /// Does one task; false if the task is deferred.
    fn take(&mut self, place: usize, task: &ReadTask, shared: &Shared) -> Result<bool, IndexError> {
        // A file that does not fit into memory beside the segments needs the memory of this worker's segment, so flush
        // that first.
        let filled = self.segment.as_ref().map_or(0, SegmentBuilder::memory) as u64;
        if filled > 0 && self.cost(task) + filled > shared.gate.most() + self.budget as u64 {
            self.flush(self.batch.epoch)?;
        }
        match self.one(place, task, &shared.gate)? {
            Some(outcome) => self.batch.outcomes.push((place, outcome)),
            None => {
                shared.deferred.lock().unwrap_or_else(PoisonError::into_inner).push(place);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Does the deferred tasks, if this is the last worker.
    fn work_alone(&mut self, tasks: &[ReadTask], shared: &Shared) -> Result<(), IndexError> {
        if shared.working.fetch_sub(1, Ordering::AcqRel) > 1 {
            return Ok(());
        }
        self.is_alone = true;
        let deferred = std::mem::take(&mut *shared.deferred.lock().unwrap_or_else(PoisonError::into_inner));
        for place in deferred {
            if self.work.cancel.is_some_and(Cancel::ends_update) || shared.stop.load(Ordering::Relaxed) {
                break;
            }
            self.take(place, &tasks[place], shared)?;
        }
        Ok(())
    }

    /// Finishes the segment and sends it with the outcomes so far.
    fn flush(&mut self, epoch: u32) -> Result<(), IndexError> {
        let segment = self.segment.take().map(SegmentBuilder::finish).transpose()?.flatten();
        let next = WorkerBatch { thread: self.thread, epoch, ..WorkerBatch::default() };
        let mut batch = std::mem::replace(&mut self.batch, next);
        batch.segments.extend(segment);
        batch.epoch = epoch;
        // As above, a closed channel is not an error.
        let _ = self.sender.send(Ok(batch));
        Ok(())
    }

    /// The outcome of a file; `None` if the file is to be parsed alone, later.
    fn one(
        &mut self,
        place: usize,
        task: &ReadTask,
        gate: &MemoryGate,
    ) -> Result<Option<FileOutcome>, IndexError> {
        let _room = memory::is_large(task.identity.size()).then(|| gate.enter(self.cost(task)));
        let identity = recorded_identity(task, self.work.racy);
        let id = VersionId(self.work.first_version + place as u32);
        let entry = |reason: SkipReason, detail: String| {
            let skipped = Skipped::new(task.path.clone(), reason, detail, false);
            Some(SkippedEntry { skipped, identity: Some(identity) })
        };
        Ok(Some(match read_file(task, self.work.source_tree, &self.work.limits, self.work.tracked) {
            ReadOutcome::Source(source) => {
                let version = match self.recorded(task, VersionContent::Ranked(source.hash)) {
                    Some(version) => version,
                    None => match self.index(id, task, &source)? {
                        Some(version) => LiveVersion::New(version),
                        None => return Ok(None),
                    },
                };
                let cause = self.cause.take().or_else(|| self.work.quarantine.cause(source.hash));
                let skipped = cause.and_then(|cause| entry(SkipReason::Quarantined, cause));
                FileOutcome { version, identity, skipped, bytes_read: source.bytes }
            }
            ReadOutcome::PathOnly { key, reason, detail } => FileOutcome {
                version: match self.recorded(task, VersionContent::PathOnly(key)) {
                    Some(version) => version,
                    None => LiveVersion::New(self.index_path(id, task, (key, reason))?),
                },
                identity,
                skipped: entry(reason, detail),
                bytes_read: 0,
            },
            ReadOutcome::Skipped { reason, detail } => {
                // An unreadable file says nothing about its content, and the obstacle may vanish without a change of
                // its stat data.
                let unread = reason == SkipReason::Unreadable;
                let identity = if unread { RecordedIdentity::Unproven } else { identity };
                let skipped = Skipped::new(task.path.clone(), reason, detail, false);
                let skipped = Some(SkippedEntry { skipped, identity: Some(identity) });
                FileOutcome { version: LiveVersion::None, identity, skipped, bytes_read: 0 }
            }
        }))
    }

    /// The memory for indexing a file.
    fn cost(&self, task: &ReadTask) -> u64 {
        let size = task.identity.size();
        match task.wanted || size <= self.work.limits.max_file_bytes {
            true => memory::of_parsed(size),
            false if size <= Limits::MAX_RULE_BYTES => memory::of_rules(size),
            false => memory::of_words(size.min(unranked::MAX_WORDS_BYTES)),
        }
    }

    /// The version with this content, if it is recorded already.
    fn recorded(&self, task: &ReadTask, content: VersionContent) -> Option<LiveVersion> {
        match task.old {
            Some((version, old)) if old == content && !self.work.retried.contains(&version) => {
                Some(LiveVersion::Same(version))
            }
            _ => self
                .work
                .known
                .get(&(task.path.as_str(), content))
                .map(|version| LiveVersion::Known(*version)),
        }
    }

    /// The structure of a file. A file in quarantine is not parsed; a file whose analysis is lost is added to the
    /// quarantine. `None` if the parser was killed from outside while other workers parsed, too: the machine may be short of
    /// memory.
    fn analyze(&mut self, path: &RelPath, language: LanguageId, source: &Source) -> Option<Analysis> {
        let WorkerInputs { grammars, quarantine, text_only, .. } = *self.work;
        if text_only {
            return Some(Analyzer::by_lines(grammars, language, &source.text, Note::TextOnly));
        }
        let by_lines = || Analyzer::by_lines(grammars, language, &source.text, Note::Quarantined);
        if quarantine.cause(source.hash).is_some() {
            return Some(by_lines());
        }
        if self.analyzer.is_in_process() && language != LanguageId::TEXT {
            self.slot.enter(path, source.hash);
        }
        let (analysis, written) = match self.analyzer.analyze(path.as_str(), language, &source.text) {
            Ok(analysis) => (analysis, quarantine.clear(source.hash)),
            Err(lost) if lost.kind == LossKind::Outside && !self.is_alone => return None,
            Err(lost) => {
                let written = quarantine.add(path, source.hash, &lost);
                self.cause = Some(lost.cause);
                (by_lines(), written)
            }
        };
        if let Err(error) = written {
            tracing::warn!(%error, "the quarantine could not be written");
        }
        Some(analysis)
    }

    /// Indexes a file; `None` if the file is to be parsed alone, later.
    fn index(
        &mut self,
        id: VersionId,
        task: &ReadTask,
        source: &Source,
    ) -> Result<Option<NewVersion>, IndexError> {
        let text = source.text.as_str();
        let language = self.work.grammars.detect(&task.path, text);
        let Some(analysis) = self.analyze(&task.path, language, source) else { return Ok(None) };
        let mut lengths = FieldLengths::default();
        let (mut comments, mut references) = (&analysis.comments[..], &analysis.references[..]);
        self.tokenizer.begin_words();
        self.fields.words.clear();
        let last = analysis.chunks.len() - 1;
        for (place, chunk) in analysis.chunks.iter().enumerate() {
            let inside = overlapping(&mut comments, chunk.span);
            let n_inside = references.partition_point(|reference| reference.span.start < chunk.span.end);
            let names = references[..n_inside].iter().map(|reference| &text[reference.span.range()]);
            self.fields.fill(&mut self.tokenizer, text, &analysis, chunk, inside, names);
            references = &references[n_inside..];
            if place == 0 {
                self.fields.fill_path(&mut self.tokenizer, &task.path);
            }
            if place == last && !self.work.text_only {
                self.fields.close_words(&self.tokenizer, &analysis.chunks, source);
            }
            self.add(id, chunk, place == last, &mut lengths)?;
        }
        let uses = match self.work.text_only {
            true => EncodedUses::default(),
            false => StoredUses::encode(text, &analysis),
        };
        let mut notes = analysis.notes.clone();
        if source.decoded {
            notes.push(Note::Decoded);
        }
        let outline = Outline::from(&analysis);
        Ok(Some(NewVersion {
            id,
            path: task.path.clone(),
            content: VersionContent::Ranked(source.hash),
            language,
            notes,
            bytes: source.bytes,
            lines: LineIndex::new(text).count(),
            chunks: analysis.chunks.len() as u32,
            lengths,
            outline: outline.encode(),
            uses,
            details: Details::from(&analysis).encode(&outline),
        }))
    }

    /// Indexes a file whose content is not ranked: one document with its path, and with the definitions of a large file.
    fn index_path(
        &mut self,
        id: VersionId,
        task: &ReadTask,
        (key, reason): (PathOnlyKey, SkipReason),
    ) -> Result<NewVersion, IndexError> {
        let mut lengths = FieldLengths::default();
        self.fields.clear();
        self.fields.fill_path(&mut self.tokenizer, &task.path);
        self.fields.words.clear();
        let source = if self.work.text_only {
            None
        } else {
            let (tokenizer, words) = (&mut self.tokenizer, &mut self.fields.words);
            unranked::fill_words(self.work.source_tree, &task.path, key, tokenizer, words)
        };
        let source =
            source.filter(|source| reason == SkipReason::TooLarge && unranked::has_rules(source, &task.path));
        let text = source.as_ref().map_or("", |source| &*source.text);
        let language = self.work.grammars.detect(&task.path, text);
        let symbols = source.as_ref().and_then(|_| self.analyzer.definitions_by_rule(language, text));
        let mut notes = vec![Note::PathOnly];
        if self.work.text_only {
            notes.push(Note::TextOnly);
        }
        if symbols.is_some() {
            notes.push(Note::ByRule);
        }
        let analysis = Analysis { symbols: symbols.unwrap_or_default(), ..Analysis::default() };
        self.fields.fill_definitions(&analysis.symbols);
        let chunk = Chunk {
            span: Span::default(),
            lines: Lines { first: 1, last: 1 },
            kind: SymbolKind::Text,
            kinds: [SymbolKind::Text].into_iter().collect(),
            symbols: 0..0,
            context: Vec::new(),
        };
        self.add(id, &chunk, true, &mut lengths)?;
        Ok(NewVersion {
            id,
            path: task.path.clone(),
            content: VersionContent::PathOnly(key),
            language,
            notes,
            bytes: task.identity.size(),
            lines: 0,
            chunks: 1,
            lengths,
            outline: Outline::from(&analysis).encode(),
            uses: EncodedUses::default(),
            details: EncodedDetails::default(),
        })
    }

    /// Adds a document. The words of a file are added with its last document, when all of them are known.
    fn add(
        &mut self,
        version: VersionId,
        chunk: &Chunk,
        is_last: bool,
        lengths: &mut FieldLengths,
    ) -> Result<(), IndexError> {
        let segment = match &mut self.segment {
            Some(segment) => segment,
            none => none.insert(self.work.segments.new_segment(self.budget)?),
        };
        let fields = &self.fields;
        for (length, terms) in lengths.iter_mut().zip(&fields.scored) {
            *length += terms.count;
        }
        let none = TermList::default();
        segment.add(&ChunkDoc {
            version,
            span: chunk.span,
            lines: chunk.lines,
            kind: chunk.kind,
            kinds: chunk.kinds,
            scored: std::array::from_fn(|field| Some(&fields.scored[field])),
            words: if is_last { &fields.words } else { &none },
            definitions: &fields.definitions,
            references: &fields.references,
        })
    }
}

/// The identity to record for a file that is about to be read: as walked, or unproven if the file is too fresh.
fn recorded_identity(task: &ReadTask, racy: Duration) -> RecordedIdentity {
    if let FileIdentity::Stat(stat) = task.identity {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let newest = stat.mtime_ns.max(stat.ctime_ns);
        if i128::from(newest) + racy.as_nanos() as i128 > now.as_nanos() as i128 {
            return RecordedIdentity::Unproven;
        }
    }
    RecordedIdentity::stat_verified(task.identity, task.wanted)
}
