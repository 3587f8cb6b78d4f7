//! Requests and replies of a library.

use std::path::PathBuf;
use std::time::Duration;

use super::manifest::{IndexSettings, SourceKind, SourceManifest, SourceOrigin, sources};
use super::names::SourceId;
use spyhop_attributes::{Name, open, reply, request};
use spyhop_base::wire::wire;
use spyhop_engine::Error;
use spyhop_engine::api::{RefreshReport, State};
use spyhop_index::update::Progress;

/// The place of a library, and how long its calls wait.
#[derive(Clone, Debug, Default)]
pub struct LibraryOptions {
    /// The folder of the library. `None` for the folder that `SPYHOP_LIBRARY` names or, if that variable is not set, a
    /// folder in the user's data folder.
    pub root: Option<PathBuf>,
    /// How long a call waits for another process that changes the library. Default: not at all.
    pub wait: Duration,
}

/// A source to add.
#[request(Clone, Debug, Default; default, deny_unknown_fields)]
pub struct AddRequest {
    /// A folder, a file, a repository or the URL of one, or the address of a folder of a repository at GitHub or GitLab. A
    /// relative path is relative to the current folder.
    pub source: String,
    /// The name of the source; `None` for the last part of its location.
    pub name: Option<String>,
    /// The groups of the source: labels by which a question names several sources.
    pub groups: Vec<String>,
    /// The branch, tag or commit of a repository; `None` for the branch that is checked out.
    pub reference: Option<String>,
    /// The folder of the source that is searched; `None` for all of it.
    pub folder: Option<String>,
    /// Whether the files of a folder are copied, so that later changes do not affect the source.
    pub snapshot: bool,
    /// Whether archives inside an archive are unpacked too: the files of `a/b.jar` in the folder `a/b.jar!`. Archives inside
    /// these stay files.
    pub nested: bool,
    /// How the source is indexed; `None` for the options of the call.
    pub settings: Option<IndexSettings>,
}

impl AddRequest {
    /// A request to add `source` as a whole.
    pub fn new(source: impl Into<String>) -> AddRequest {
        AddRequest { source: source.into(), ..AddRequest::default() }
    }
}

/// The plan for adding a source.
#[reply(Clone, Debug)]
pub struct AddPlan {
    /// The library.
    #[serde(serialize_with = "wire")]
    pub library: PathBuf,
    /// The id.
    pub id: SourceId,
    /// The name.
    pub name: String,
    /// The kind of source.
    pub kind: SourceKind,
    /// The absolute path, or the URL of a repository on another machine.
    pub location: String,
    /// The git commit.
    pub commit: Option<String>,
    /// The branch or tag.
    pub branch: Option<String>,
    /// The folder of the source that is searched.
    pub folder: Option<String>,
    /// The size of the file to copy, if the source is one.
    pub bytes: Option<u64>,
    /// Whether files are copied into the library.
    pub copies: bool,
    /// The last complete stage of an earlier import, which this import resumes.
    pub resumes: Option<&'static str>,
}

/// A source that was added.
#[open(Clone, Debug)]
pub struct AddReply {
    /// The source.
    pub source: SourceManifest,
    /// The folder that is searched.
    pub path: PathBuf,
    /// The report of the indexing.
    pub report: RefreshReport,
    /// The last stage of an earlier import that was complete.
    pub resumed: Option<&'static str>,
}

/// The progress of an import.
#[open(Clone, Copy, Debug)]
pub enum AddProgress {
    /// Bytes are copied.
    Acquiring {
        /// The bytes so far; 0 where the size is not known.
        bytes: u64,
        /// The bytes in all; 0 where the size is not known.
        total_bytes: u64,
    },
    /// Files are unpacked or checked out.
    Materializing {
        /// The files so far.
        files: usize,
        /// The bytes so far.
        bytes: u64,
        /// The bytes in all; 0 where the size is not known.
        total_bytes: u64,
    },
    /// The source is indexed.
    Indexing(Progress),
}

/// Called with the progress of an import.
pub type OnAddProgress<'p> = &'p (dyn Fn(AddProgress) + Sync);

/// The sources of a library.
#[reply(Clone, Debug)]
pub struct LibraryReply {
    /// The folder of the library.
    #[serde(rename = "library", serialize_with = "wire")]
    pub root: PathBuf,
    /// The sources, by name.
    #[serde(serialize_with = "sources")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<super::manifest::ShownSource>"))]
    pub sources: Vec<SourceManifest>,
    /// The imports that have not ended.
    pub unfinished: Vec<UnfinishedImport>,
    /// Manifests that cannot be read, and similar problems.
    pub warnings: Vec<String>,
}

/// A source with the state of its index.
#[open(Clone, Debug)]
pub struct SourceStatus {
    /// The source.
    pub source: SourceManifest,
    /// The folder that is searched.
    pub path: PathBuf,
    /// The folder of the index.
    pub index_path: PathBuf,
    /// The state of the index.
    pub state: State,
    /// Details of the state, such as an error.
    pub detail: Option<String>,
    /// The number of indexed files.
    pub indexed_files: usize,
    /// The number of files that changed since they were indexed; `None` if that is not known.
    pub stale_files: Option<usize>,
    /// The size of the raw files in the library.
    pub raw_bytes: u64,
    /// The size of the index.
    pub index_bytes: u64,
}

/// The state of a library.
#[reply(Clone, Debug)]
pub struct LibraryStatus {
    /// The folder of the library.
    #[serde(rename = "library", serialize_with = "wire")]
    pub root: PathBuf,
    /// The sources, by name.
    pub sources: Vec<SourceStatus>,
    /// The imports that have not ended.
    pub unfinished: Vec<UnfinishedImport>,
    /// Manifests that cannot be read, and similar problems.
    pub warnings: Vec<String>,
}

/// An import that has not ended, because it is running or was killed.
#[open(Clone, Debug, PartialEq, Eq)]
pub struct UnfinishedImport {
    /// The id of the source.
    pub id: SourceId,
    /// The name of the source.
    pub name: String,
    /// Where the source comes from, and which part of it was asked for.
    pub origin: SourceOrigin,
    /// Whether the import is a newer state of a source that is in the library.
    pub is_update: bool,
    /// The last complete stage.
    pub stage: &'static str,
    /// When the import began, in seconds since 1970.
    pub begun_at: u64,
}

/// A source that was removed.
#[open(Clone, Debug)]
pub struct RemovedSource {
    /// The source.
    pub source: SourceManifest,
    /// Where the project or archive lies that the user had dropped into the inbox; `None` for other sources.
    pub kept_at: Option<PathBuf>,
}

/// The result of an update of a source.
#[open(Clone, Debug)]
pub struct UpdatedSource {
    /// The source after the update.
    pub source: SourceManifest,
    /// Whether a newer state was imported. A folder of the user has none: it is only indexed.
    pub is_new: bool,
    /// The commit before the update.
    pub old_commit: Option<String>,
    /// The report of the indexing; `None` if there was nothing to index.
    pub report: Option<RefreshReport>,
}

/// The plan of an update of one source.
#[open(Clone, Debug)]
pub struct PlannedUpdate {
    /// The source as it is.
    pub source: SourceManifest,
    /// The first thing that the update would do.
    pub step: UpdateStep,
    /// The newest commit of a repository.
    pub newest_commit: Option<String>,
    /// The number of files of the user's folder that changed since they were indexed; `None` for imported files, and if there is
    /// no index.
    pub changed_files: Option<usize>,
    /// The last complete stage of an earlier update, which this update resumes.
    pub resumes: Option<&'static str>,
}

/// The first thing that an update would do.
#[reply(Clone, Copy, Debug, PartialEq, Eq, Name)]
#[serde(rename_all = "kebab-case")]
pub enum UpdateStep {
    /// Nothing: the newest state is imported and indexed.
    Nothing,
    /// Import a newer commit, a changed archive or a changed file.
    Import,
    /// Copy the folder of a snapshot again, and import the copy if it differs.
    Copy,
    /// Index the files that are there.
    Index,
}

/// The outcomes of a call about several sources, each of which can fail by itself.
#[reply(Debug)]
pub struct SourceBatch<T> {
    /// The outcomes of the sources that did not fail.
    pub sources: Vec<T>,
    /// The sources that failed.
    pub failed: Vec<FailedSource>,
}

impl<T> From<T> for SourceBatch<T> {
    fn from(source: T) -> SourceBatch<T> {
        SourceBatch { sources: vec![source], failed: Vec::new() }
    }
}

/// A source for which a call failed.
#[reply(Debug)]
pub struct FailedSource {
    /// The name of the source.
    pub name: String,
    /// The error.
    #[serde(flatten)]
    pub error: Error,
}

/// The result of a comparison of raw files with their hashes.
#[open(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedSource {
    /// The name of the source.
    pub name: String,
    /// Whether raw files lie in the library. A folder of the user has no hashes.
    pub is_held: bool,
    /// The number of compared files.
    pub files: usize,
    /// Files whose content differs.
    pub changed: Vec<String>,
    /// Files that are missing.
    pub missing: Vec<String>,
    /// Files that do not belong to the source.
    pub added: Vec<String>,
}

impl VerifiedSource {
    /// Whether the raw files are those that were imported.
    pub fn is_clean(&self) -> bool {
        self.changed.is_empty() && self.missing.is_empty() && self.added.is_empty()
    }
}

/// The files that were removed to free space.
#[reply(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectedSources {
    /// The removed files and folders.
    #[serde(serialize_with = "wire")]
    pub removed: Vec<PathBuf>,
    /// Their size in bytes.
    pub bytes: u64,
    /// Whether nothing was removed, because the call only asked what would be.
    #[serde(rename = "dry_run")]
    pub is_dry_run: bool,
}
