//! How replies about sources are serialized, where JSON has other fields than the type.

use std::path::PathBuf;

use super::api::{AddReply, PlannedUpdate, RemovedSource, SourceStatus, UnfinishedImport, UpdateStep};
use super::api::{UpdatedSource, VerifiedSource};
use super::manifest::{ShownSource, SourceKind, shown_time};
use spyhop_attributes::form;
use spyhop_base::wire::{Wire, wire};
use spyhop_base::wire_form;
use spyhop_engine::api::{RefreshReport, State};

wire_form!(AddReply as AddForm);

/// How an [`AddReply`] is serialized.
#[form]
struct AddForm<'r> {
    /// The source, with the folder that is searched.
    source: ShownSource<'r>,
    /// The last stage of an earlier import that was complete.
    resumed: Option<&'static str>,
    /// The report of the indexing.
    report: &'r RefreshReport,
}

impl<'r> AddForm<'r> {
    fn new(added: &'r AddReply) -> AddForm<'r> {
        let source = ShownSource::new(&added.source, Some(&added.path));
        AddForm { source, resumed: added.resumed, report: &added.report }
    }
}

wire_form!(RemovedSource as RemovedForm);

/// How a [`RemovedSource`] is serialized.
#[form]
struct RemovedForm<'r> {
    /// The source.
    #[serde(flatten)]
    source: ShownSource<'r>,
    /// Where the project or archive lies that the user had dropped into the inbox.
    #[serde(serialize_with = "wire", skip_serializing_if = "Option::is_none")]
    kept_at: Option<PathBuf>,
}

impl<'r> RemovedForm<'r> {
    fn new(removed: &'r RemovedSource) -> RemovedForm<'r> {
        RemovedForm { source: ShownSource::new(&removed.source, None), kept_at: removed.kept_at.clone() }
    }
}

wire_form!(SourceStatus as SourceStatusForm);

/// How a [`SourceStatus`] is serialized.
#[form]
struct SourceStatusForm<'r> {
    /// The name of the source.
    name: &'r str,
    /// The kind of source.
    kind: SourceKind,
    /// The absolute path, or the URL of a repository on another machine.
    location: &'r str,
    /// The git commit of the import.
    commit: Option<&'r str>,
    /// The state of the index.
    state: State,
    /// Details of the state, such as an error.
    detail: Option<&'r str>,
    /// The folder that is searched.
    path: String,
    /// The folder of the index.
    index_path: String,
    /// The number of indexed files.
    indexed_files: usize,
    /// The number of files that changed since they were indexed, if that is known.
    stale_files: Option<usize>,
    /// The size of the raw files in the library.
    raw_bytes: u64,
    /// The size of the index.
    index_bytes: u64,
    /// When the present import was made, as RFC 3339.
    imported_at: String,
}

impl<'r> SourceStatusForm<'r> {
    fn new(status: &'r SourceStatus) -> SourceStatusForm<'r> {
        SourceStatusForm {
            name: &status.source.name,
            kind: status.source.origin.kind,
            location: &status.source.origin.location,
            commit: status.source.commit.as_deref(),
            state: status.state,
            detail: status.detail.as_deref(),
            path: status.path.form(),
            index_path: status.index_path.form(),
            indexed_files: status.indexed_files,
            stale_files: status.stale_files,
            raw_bytes: status.raw_bytes,
            index_bytes: status.index_bytes,
            imported_at: shown_time(status.source.imported_at),
        }
    }
}

wire_form!(UnfinishedImport as UnfinishedForm);

/// How an [`UnfinishedImport`] is serialized.
#[form]
struct UnfinishedForm<'r> {
    /// The name of the source.
    name: &'r str,
    /// The absolute path, or the URL of a repository on another machine.
    location: &'r str,
    /// The last complete stage.
    stage: &'static str,
    /// When the import began, as RFC 3339.
    begun_at: String,
}

impl<'r> UnfinishedForm<'r> {
    fn new(import: &'r UnfinishedImport) -> UnfinishedForm<'r> {
        let (name, location) = (&import.name, &import.origin.location);
        UnfinishedForm { name, location, stage: import.stage, begun_at: shown_time(import.begun_at) }
    }
}

wire_form!(UpdatedSource as UpdatedForm);

/// How an [`UpdatedSource`] is serialized.
#[form]
struct UpdatedForm<'r> {
    /// The name of the source.
    name: &'r str,
    /// Whether a newer state was imported.
    new: bool,
    /// The number of the import that answers, from 1.
    import: u32,
    /// The commit before the update.
    old_commit: Option<&'r str>,
    /// The commit after the update.
    commit: Option<&'r str>,
    /// The report of the indexing; `null` if there was nothing to index.
    report: Option<&'r RefreshReport>,
}

impl<'r> UpdatedForm<'r> {
    fn new(updated: &'r UpdatedSource) -> UpdatedForm<'r> {
        UpdatedForm {
            name: &updated.source.name,
            new: updated.is_new,
            import: updated.source.import,
            old_commit: updated.old_commit.as_deref(),
            commit: updated.source.commit.as_deref(),
            report: updated.report.as_ref(),
        }
    }
}

wire_form!(PlannedUpdate as PlannedForm);

/// How a [`PlannedUpdate`] is serialized.
#[form]
struct PlannedForm<'r> {
    /// The name of the source.
    name: &'r str,
    /// The first thing that the update would do.
    step: UpdateStep,
    /// The imported commit.
    commit: Option<&'r str>,
    /// The newest commit of a repository.
    newest_commit: Option<&'r str>,
    /// The number of files of the user's folder that changed since they were indexed, if that is known.
    changed_files: Option<usize>,
    /// The last complete stage of an earlier update, which this update resumes.
    resumes: Option<&'static str>,
}

impl<'r> PlannedForm<'r> {
    fn new(plan: &'r PlannedUpdate) -> PlannedForm<'r> {
        PlannedForm {
            name: &plan.source.name,
            step: plan.step,
            commit: plan.source.commit.as_deref(),
            newest_commit: plan.newest_commit.as_deref(),
            changed_files: plan.changed_files,
            resumes: plan.resumes,
        }
    }
}

wire_form!(VerifiedSource as VerifiedForm);

/// How a [`VerifiedSource`] is serialized.
#[form]
struct VerifiedForm<'r> {
    /// The name of the source.
    name: &'r str,
    /// Whether raw files lie in the library. A folder of the user has no hashes.
    copied: bool,
    /// Whether the raw files are those that were imported.
    clean: bool,
    /// The number of compared files.
    files: usize,
    /// Files whose content differs.
    changed: &'r [String],
    /// Files that are missing.
    missing: &'r [String],
    /// Files that do not belong to the source.
    added: &'r [String],
}

impl<'r> VerifiedForm<'r> {
    fn new(verified: &'r VerifiedSource) -> VerifiedForm<'r> {
        VerifiedForm {
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
