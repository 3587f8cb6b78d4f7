//! How replies about sources are serialized, where JSON has other fields than the type.

use std::path::PathBuf;

use super::api::{AddReply, PlannedUpdate, RemovedSource, SourceStatus, UnfinishedImport, UpdateStep};
use super::api::{UpdatedSource, VerifiedSource};
use super::manifest::{ShownSource, SourceKind, shown_time};
use spyhop_base::wire::{Wire, wire};
use spyhop_base::wire_form;
use spyhop_engine::api::{RefreshReport, State};
use spyhop_engine::form_of;

wire_form!(AddReply as AddForm);

form_of! {
    /// How an [`AddReply`] is serialized.
    struct AddForm<'r>(added: &'r AddReply) {
        /// The source, with the folder that is searched.
        source: ShownSource<'r> = ShownSource::new(&added.source, Some(&added.path)),
        /// The last stage of an earlier import that was complete.
        resumed: Option<&'static str> = added.resumed,
        /// The report of the indexing.
        report: &'r RefreshReport = &added.report,
    }
}

wire_form!(RemovedSource as RemovedForm);

form_of! {
    /// How a [`RemovedSource`] is serialized.
    struct RemovedForm<'r>(removed: &'r RemovedSource) {
        /// The source.
        #[serde(flatten)]
        source: ShownSource<'r> = ShownSource::new(&removed.source, None),
        /// Where the project or archive lies that the user had dropped into the inbox.
        #[serde(serialize_with = "wire", skip_serializing_if = "Option::is_none")]
        kept_at: Option<PathBuf> = removed.kept_at.clone(),
    }
}

wire_form!(SourceStatus as SourceStatusForm);

form_of! {
    /// How a [`SourceStatus`] is serialized.
    struct SourceStatusForm<'r>(status: &'r SourceStatus) {
        /// The name of the source.
        name: &'r str = &status.source.name,
        /// The kind of source.
        kind: SourceKind = status.source.origin.kind,
        /// The absolute path, or the URL of a repository on another machine.
        location: &'r str = &status.source.origin.location,
        /// The git commit of the import.
        commit: Option<&'r str> = status.source.commit.as_deref(),
        /// The state of the index.
        state: State = status.state,
        /// Details of the state, such as an error.
        detail: Option<&'r str> = status.detail.as_deref(),
        /// The folder that is searched.
        path: String = status.path.form(),
        /// The folder of the index.
        index_path: String = status.index_path.form(),
        /// The number of indexed files.
        indexed_files: usize = status.indexed_files,
        /// The number of files that changed since they were indexed, if that is known.
        stale_files: Option<usize> = status.stale_files,
        /// The size of the raw files in the library.
        raw_bytes: u64 = status.raw_bytes,
        /// The size of the index.
        index_bytes: u64 = status.index_bytes,
        /// When the present import was made, as RFC 3339.
        imported_at: String = shown_time(status.source.imported_at),
    }
}

wire_form!(UnfinishedImport as UnfinishedForm);

form_of! {
    /// How an [`UnfinishedImport`] is serialized.
    struct UnfinishedForm<'r>(import: &'r UnfinishedImport) {
        /// The name of the source.
        name: &'r str = &import.name,
        /// The absolute path, or the URL of a repository on another machine.
        location: &'r str = &import.origin.location,
        /// The last complete stage.
        stage: &'static str = import.stage,
        /// When the import began, as RFC 3339.
        begun_at: String = shown_time(import.begun_at),
    }
}

wire_form!(UpdatedSource as UpdatedForm);

form_of! {
    /// How an [`UpdatedSource`] is serialized.
    struct UpdatedForm<'r>(updated: &'r UpdatedSource) {
        /// The name of the source.
        name: &'r str = &updated.source.name,
        /// Whether a newer state was imported.
        new: bool = updated.is_new,
        /// The number of the import that answers, from 1.
        import: u32 = updated.source.import,
        /// The commit before the update.
        old_commit: Option<&'r str> = updated.old_commit.as_deref(),
        /// The commit after the update.
        commit: Option<&'r str> = updated.source.commit.as_deref(),
        /// The report of the indexing; `null` if there was nothing to index.
        report: Option<&'r RefreshReport> = updated.report.as_ref(),
    }
}

wire_form!(PlannedUpdate as PlannedForm);

form_of! {
    /// How a [`PlannedUpdate`] is serialized.
    struct PlannedForm<'r>(plan: &'r PlannedUpdate) {
        /// The name of the source.
        name: &'r str = &plan.source.name,
        /// The first thing that the update would do.
        step: UpdateStep = plan.step,
        /// The imported commit.
        commit: Option<&'r str> = plan.source.commit.as_deref(),
        /// The newest commit of a repository.
        newest_commit: Option<&'r str> = plan.newest_commit.as_deref(),
        /// The number of files of the user's folder that changed since they were indexed, if that is known.
        changed_files: Option<usize> = plan.changed_files,
        /// The last complete stage of an earlier update, which this update resumes.
        resumes: Option<&'static str> = plan.resumes,
    }
}

wire_form!(VerifiedSource as VerifiedForm);

form_of! {
    /// How a [`VerifiedSource`] is serialized.
    struct VerifiedForm<'r>(verified: &'r VerifiedSource) {
        /// The name of the source.
        name: &'r str = &verified.name,
        /// Whether raw files lie in the library. A folder of the user has no hashes.
        copied: bool = verified.is_held,
        /// Whether the raw files are those that were imported.
        clean: bool = verified.is_clean(),
        /// The number of compared files.
        files: usize = verified.files,
        /// Files whose content differs.
        changed: &'r [String] = &verified.changed,
        /// Files that are missing.
        missing: &'r [String] = &verified.missing,
        /// Files that do not belong to the source.
        added: &'r [String] = &verified.added,
    }
}
