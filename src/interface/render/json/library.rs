//! The wire format of a library of sources.

use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use serde::Serialize;

use super::error::error_kind;
use super::index::WireRefresh;
use super::shared::shown;
use spyhop_base::time::rfc3339;
use spyhop_library::{
    AddPlan, AddReply, CollectedSources, FailedEntry, FailedSource, ImportRecord, IntakeReply, LeftOutEntry,
    LibraryReply, LibraryStatus, PackageName, PlannedUpdate, RemovedSource, SourceBatch, SourceManifest,
    SourceStatus, TakenEntry, UnfinishedImport, UpdatedSource, VerifiedSource,
};

/// The sources of a library.
pub fn sources(reply: &LibraryReply) -> impl Serialize + use<'_> {
    WireSources {
        library: shown(&reply.root),
        sources: reply.sources.iter().map(|source| WireManifest::new(source, None)).collect(),
        unfinished: reply.unfinished.iter().map(WireUnfinished::new).collect(),
        warnings: &reply.warnings,
    }
}

/// A source, with the folder that is searched if that is known.
pub fn source<'r>(source: &'r SourceManifest, path: Option<&'r Path>) -> impl Serialize + use<'r> {
    WireManifest::new(source, path)
}

/// A source that was removed, and where what the user dropped in lies now.
pub(crate) fn removed_source(removed: &RemovedSource) -> impl Serialize + use<'_> {
    WireRemoved {
        source: WireManifest::new(&removed.source, None),
        kept_at: removed.kept_at.as_deref().map(shown),
    }
}

/// The folder of a source.
pub(crate) fn source_path(path: &Path) -> impl Serialize + use<> {
    WireSourcePath { path: shown(path) }
}

/// What adding a source would do.
pub(crate) fn add_plan(plan: &AddPlan) -> impl Serialize + use<'_> {
    WireAddPlan {
        library: shown(&plan.library),
        id: plan.id.as_str(),
        name: &plan.name,
        kind: plan.kind.name(),
        location: &plan.location,
        commit: plan.commit.as_deref(),
        branch: plan.branch.as_deref(),
        folder: plan.folder.as_deref(),
        bytes: plan.bytes,
        copies: plan.copies,
        resumes: plan.resumes,
    }
}

/// A source that was added.
pub(crate) fn added_source(added: &AddReply) -> impl Serialize + use<'_> {
    WireAdded {
        source: WireManifest::new(&added.source, Some(&added.path)),
        resumed: added.resumed,
        report: WireRefresh::new(&added.report),
    }
}

/// The state of a library.
pub fn library_status(status: &LibraryStatus) -> impl Serialize + use<'_> {
    WireLibraryStatus {
        library: shown(&status.root),
        sources: status.sources.iter().map(WireSourceStatus::new).collect(),
        unfinished: status.unfinished.iter().map(WireUnfinished::new).collect(),
        warnings: &status.warnings,
    }
}

/// The outcomes of an update.
pub(crate) fn updated_sources(batch: &SourceBatch<UpdatedSource>) -> impl Serialize + use<'_> {
    WireBatch {
        sources: batch.sources.iter().map(WireUpdated::new).collect(),
        failed: batch.failed.iter().map(WireFailed::new).collect(),
    }
}

/// The plans of updates.
pub(crate) fn update_plans(batch: &SourceBatch<PlannedUpdate>) -> impl Serialize + use<'_> {
    WireBatch {
        sources: batch.sources.iter().map(WirePlannedUpdate::new).collect(),
        failed: batch.failed.iter().map(WireFailed::new).collect(),
    }
}

/// The outcomes of a comparison with hashes.
pub(crate) fn verified_sources(batch: &SourceBatch<VerifiedSource>) -> impl Serialize + use<'_> {
    WireBatch {
        sources: batch.sources.iter().map(WireVerified::new).collect(),
        failed: batch.failed.iter().map(WireFailed::new).collect(),
    }
}

/// What was removed to free space, or would be.
pub(crate) fn collected_sources(collected: &CollectedSources, is_dry_run: bool) -> impl Serialize + use<> {
    WireCollectedSources {
        removed: collected.removed.iter().map(|path| shown(path)).collect(),
        bytes: collected.bytes,
        dry_run: is_dry_run,
    }
}

/// What an intake did.
pub fn intake(reply: &IntakeReply) -> impl Serialize + use<'_> {
    WireIntake {
        inbox: shown(&reply.inbox),
        taken: reply.taken.iter().map(WireTaken::new).collect(),
        failed: reply.failed.iter().map(WireFailedEntry::new).collect(),
        waiting: &reply.waiting,
        warnings: &reply.warnings,
    }
}

fn time(seconds: u64) -> String {
    rfc3339(UNIX_EPOCH + Duration::from_secs(seconds))
}

#[derive(Serialize)]
struct WireRemoved<'a> {
    #[serde(flatten)]
    source: WireManifest<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kept_at: Option<String>,
}

#[derive(Serialize)]
struct WireSources<'a> {
    library: String,
    sources: Vec<WireManifest<'a>>,
    unfinished: Vec<WireUnfinished<'a>>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct WireManifest<'a> {
    id: &'a str,
    name: &'a str,
    kind: &'static str,
    location: &'a str,
    #[serde(rename = "ref")]
    reference: Option<&'a str>,
    folder: Option<&'a str>,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    import: u32,
    commit: Option<&'a str>,
    branch: Option<&'a str>,
    copied: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    nested: bool,
    protected: bool,
    files: usize,
    bytes: u64,
    archive_hash: Option<&'a str>,
    tree_hash: Option<&'a str>,
    licence: Option<&'a str>,
    licence_files: &'a [String],
    package: Option<WirePackage<'a>>,
    left_out: Vec<WireLeftOutEntry<'a>>,
    left_out_count: usize,
    added_at: String,
    imported_at: String,
    history: Vec<WireImport<'a>>,
}

impl<'a> WireManifest<'a> {
    fn new(source: &'a SourceManifest, path: Option<&Path>) -> WireManifest<'a> {
        let origin = &source.origin;
        WireManifest {
            id: source.id.as_str(),
            name: &source.name,
            kind: origin.kind.name(),
            location: &origin.location,
            reference: origin.reference.as_deref(),
            folder: origin.folder.as_deref(),
            state: source.state.name(),
            path: path.map(shown),
            import: source.import,
            commit: source.commit.as_deref(),
            branch: source.branch.as_deref(),
            copied: source.is_held(),
            nested: origin.nested,
            protected: source.is_protected,
            files: source.files,
            bytes: source.bytes,
            archive_hash: source.archive_hash.as_deref(),
            tree_hash: source.tree_hash.as_deref(),
            licence: source.licence.as_deref(),
            licence_files: &source.licence_files,
            package: source.package.as_ref().map(WirePackage::new),
            left_out: source.left_out.iter().map(WireLeftOutEntry::new).collect(),
            left_out_count: source.left_out_count,
            added_at: time(source.added_at),
            imported_at: time(source.imported_at),
            history: source.history.iter().map(WireImport::new).collect(),
        }
    }
}

#[derive(Serialize)]
struct WirePackage<'a> {
    ecosystem: &'a str,
    name: &'a str,
    version: Option<&'a str>,
}

impl<'a> WirePackage<'a> {
    fn new(PackageName { ecosystem, name, version }: &'a PackageName) -> WirePackage<'a> {
        WirePackage { ecosystem, name, version: version.as_deref() }
    }
}

#[derive(Serialize)]
struct WireLeftOutEntry<'a> {
    path: &'a str,
    reason: &'a str,
}

impl<'a> WireLeftOutEntry<'a> {
    fn new(LeftOutEntry { path, reason }: &'a LeftOutEntry) -> WireLeftOutEntry<'a> {
        WireLeftOutEntry { path, reason }
    }
}

#[derive(Serialize)]
struct WireImport<'a> {
    event: &'static str,
    at: String,
    import: u32,
    commit: Option<&'a str>,
    tree_hash: Option<&'a str>,
}

impl<'a> WireImport<'a> {
    fn new(record: &'a ImportRecord) -> WireImport<'a> {
        WireImport {
            event: record.event.name(),
            at: time(record.at),
            import: record.import,
            commit: record.commit.as_deref(),
            tree_hash: record.tree_hash.as_deref(),
        }
    }
}

#[derive(Serialize)]
struct WireSourcePath {
    path: String,
}

#[derive(Serialize)]
struct WireAddPlan<'a> {
    library: String,
    id: &'a str,
    name: &'a str,
    kind: &'static str,
    location: &'a str,
    commit: Option<&'a str>,
    branch: Option<&'a str>,
    folder: Option<&'a str>,
    bytes: Option<u64>,
    copies: bool,
    resumes: Option<&'static str>,
}

#[derive(Serialize)]
struct WireAdded<'a> {
    source: WireManifest<'a>,
    resumed: Option<&'static str>,
    report: WireRefresh,
}

#[derive(Serialize)]
struct WireLibraryStatus<'a> {
    library: String,
    sources: Vec<WireSourceStatus<'a>>,
    unfinished: Vec<WireUnfinished<'a>>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct WireSourceStatus<'a> {
    name: &'a str,
    kind: &'static str,
    location: &'a str,
    commit: Option<&'a str>,
    state: &'static str,
    detail: Option<&'a str>,
    path: String,
    index_path: String,
    indexed_files: usize,
    stale_files: Option<usize>,
    raw_bytes: u64,
    index_bytes: u64,
    imported_at: String,
}

impl<'a> WireSourceStatus<'a> {
    fn new(status: &'a SourceStatus) -> WireSourceStatus<'a> {
        WireSourceStatus {
            name: &status.source.name,
            kind: status.source.origin.kind.name(),
            location: &status.source.origin.location,
            commit: status.source.commit.as_deref(),
            state: status.state.name(),
            detail: status.detail.as_deref(),
            path: shown(&status.path),
            index_path: shown(&status.index_path),
            indexed_files: status.indexed_files,
            stale_files: status.stale_files,
            raw_bytes: status.raw_bytes,
            index_bytes: status.index_bytes,
            imported_at: time(status.source.imported_at),
        }
    }
}

#[derive(Serialize)]
struct WireUnfinished<'a> {
    name: &'a str,
    location: &'a str,
    stage: &'static str,
    begun_at: String,
}

impl<'a> WireUnfinished<'a> {
    fn new(import: &'a UnfinishedImport) -> WireUnfinished<'a> {
        let UnfinishedImport { name, origin, stage, begun_at, .. } = import;
        WireUnfinished { name, location: &origin.location, stage, begun_at: time(*begun_at) }
    }
}

#[derive(Serialize)]
struct WireBatch<'a, T> {
    sources: Vec<T>,
    failed: Vec<WireFailed<'a>>,
}

#[derive(Serialize)]
struct WireFailed<'a> {
    name: &'a str,
    error: String,
    kind: &'static str,
}

impl<'a> WireFailed<'a> {
    fn new(failed: &'a FailedSource) -> WireFailed<'a> {
        WireFailed {
            name: &failed.name,
            error: failed.error.to_string(),
            kind: error_kind(failed.error.kind()),
        }
    }
}

#[derive(Serialize)]
struct WireUpdated<'a> {
    name: &'a str,
    new: bool,
    import: u32,
    old_commit: Option<&'a str>,
    commit: Option<&'a str>,
    report: Option<WireRefresh>,
}

impl<'a> WireUpdated<'a> {
    fn new(updated: &'a UpdatedSource) -> WireUpdated<'a> {
        WireUpdated {
            name: &updated.source.name,
            new: updated.is_new,
            import: updated.source.import,
            old_commit: updated.old_commit.as_deref(),
            commit: updated.source.commit.as_deref(),
            report: updated.report.as_ref().map(WireRefresh::new),
        }
    }
}

#[derive(Serialize)]
struct WirePlannedUpdate<'a> {
    name: &'a str,
    step: &'static str,
    commit: Option<&'a str>,
    newest_commit: Option<&'a str>,
    changed_files: Option<usize>,
    resumes: Option<&'static str>,
}

impl<'a> WirePlannedUpdate<'a> {
    fn new(plan: &'a PlannedUpdate) -> WirePlannedUpdate<'a> {
        WirePlannedUpdate {
            name: &plan.source.name,
            step: plan.step.name(),
            commit: plan.source.commit.as_deref(),
            newest_commit: plan.newest_commit.as_deref(),
            changed_files: plan.changed_files,
            resumes: plan.resumes,
        }
    }
}

#[derive(Serialize)]
struct WireVerified<'a> {
    name: &'a str,
    copied: bool,
    clean: bool,
    files: usize,
    changed: &'a [String],
    missing: &'a [String],
    added: &'a [String],
}

impl<'a> WireVerified<'a> {
    fn new(verified: &'a VerifiedSource) -> WireVerified<'a> {
        WireVerified {
            name: &verified.name,
            copied: verified.is_held,
            clean: verified.is_clean(),
            files: verified.files,
            changed: &verified.changed,
            missing: &verified.missing,
            added: &verified.added,
        }
    }
}

#[derive(Serialize)]
struct WireCollectedSources {
    removed: Vec<String>,
    bytes: u64,
    dry_run: bool,
}

#[derive(Serialize)]
struct WireIntake<'a> {
    inbox: String,
    taken: Vec<WireTaken<'a>>,
    failed: Vec<WireFailedEntry<'a>>,
    waiting: &'a [String],
    warnings: &'a [String],
}

#[derive(Serialize)]
struct WireTaken<'a> {
    name: &'a str,
    class: &'static str,
    path: String,
    source: &'a str,
    title: Option<&'a str>,
    problem: Option<&'a str>,
}

impl<'a> WireTaken<'a> {
    fn new(entry: &'a TakenEntry) -> WireTaken<'a> {
        WireTaken {
            name: &entry.name,
            class: entry.class.name(),
            path: shown(&entry.path),
            source: &entry.source,
            title: entry.title.as_deref(),
            problem: entry.problem.as_deref(),
        }
    }
}

#[derive(Serialize)]
struct WireFailedEntry<'a> {
    name: &'a str,
    path: String,
    reason: &'a str,
}

impl<'a> WireFailedEntry<'a> {
    fn new(entry: &'a FailedEntry) -> WireFailedEntry<'a> {
        WireFailedEntry { name: &entry.name, path: shown(&entry.path), reason: &entry.reason }
    }
}
