//! The paths of a library: the only place that knows where its files lie.
//!
//! ```text
//! SPYHOP-LIBRARY     the format of the library (JSON)
//! lock               the lock of the process that changes the library
//! manifests/ID.json  the manifest of a source; ID.removed while the source is being removed
//! jobs/ID.json       the record of an import that has not ended
//! staging/ID/        what an import has acquired and unpacked so far
//! raw/ID/rN/         the N-th import of a source: tree/ (read-only) and FILES, the hashes of its files
//! derived/ID/rN/     the index of that import
//! intake/inbox/      the folder for files that are dropped in; intake/failed/ has those that could not be taken in
//! intake/...         the other folders: protected files by class, and the records of papers and documents
//! texts/             the texts of papers and documents, in Markdown
//! ```

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use super::error::LibraryError;
use super::intake::class::IntakeClass;
use super::names::SourceId;
use spyhop_files::walk::LIBRARY_FILE;

/// The variable that names the library.
const VARIABLE: &str = "SPYHOP_LIBRARY";

/// The paths of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryPaths {
    root: PathBuf,
}

impl LibraryPaths {
    /// The paths of the library in `given`, else in the folder that `SPYHOP_LIBRARY` names, else in the user's data folder.
    pub fn resolve(given: Option<&Path>) -> Result<LibraryPaths, LibraryError> {
        let named = std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let root = match given.map(Path::to_path_buf).or(named) {
            Some(folder) => std::path::absolute(&folder)
                .map_err(|source| LibraryError::io("resolve the path", &folder, source))?,
            None => {
                let strategy = etcetera::choose_base_strategy().map_err(|_| LibraryError::NoFolder)?;
                strategy.data_dir().join("spyhop").join("library")
            }
        };
        Ok(LibraryPaths { root })
    }

    /// The folder of the library.
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn marker(&self) -> PathBuf {
        self.root.join(LIBRARY_FILE)
    }

    pub(super) fn lock(&self) -> PathBuf {
        self.root.join("lock")
    }

    pub(super) fn manifests(&self) -> PathBuf {
        self.root.join("manifests")
    }

    pub(super) fn manifest(&self, id: &SourceId) -> PathBuf {
        self.manifests().join(format!("{id}.json"))
    }

    /// The manifest of a source that is being removed.
    pub(super) fn removed(&self, id: &SourceId) -> PathBuf {
        self.manifests().join(format!("{id}.removed"))
    }

    pub(super) fn jobs(&self) -> PathBuf {
        self.root.join("jobs")
    }

    pub(super) fn job(&self, id: &SourceId) -> PathBuf {
        self.jobs().join(format!("{id}.json"))
    }

    pub(super) fn staging(&self) -> PathBuf {
        self.root.join("staging")
    }

    pub(super) fn staging_of(&self, id: &SourceId) -> PathBuf {
        self.staging().join(id.as_str())
    }

    /// The lock of the process that fetches a commit from another machine.
    pub(super) fn fetching(&self, id: &SourceId) -> PathBuf {
        self.staging_of(id).join("fetching")
    }

    /// The raw files of an import: an archive, a file, or a repository.
    pub(super) fn acquired(&self, id: &SourceId) -> PathBuf {
        self.staging_of(id).join("acquired")
    }

    pub(super) fn raw(&self) -> PathBuf {
        self.root.join("raw")
    }

    pub(super) fn raw_of(&self, id: &SourceId) -> PathBuf {
        self.raw().join(id.as_str())
    }

    /// The folder of one import of a source.
    pub(super) fn import(&self, id: &SourceId, number: u32) -> PathBuf {
        self.raw_of(id).join(format!("r{number}"))
    }

    pub(super) fn derived(&self) -> PathBuf {
        self.root.join("derived")
    }

    pub(super) fn derived_of(&self, id: &SourceId) -> PathBuf {
        self.derived().join(id.as_str())
    }

    /// The index of one import of a source.
    pub(super) fn index(&self, id: &SourceId, number: u32) -> PathBuf {
        self.derived_of(id).join(format!("r{number}"))
    }

    /// The folder for files that are dropped in.
    pub fn inbox(&self) -> PathBuf {
        self.root.join("intake/inbox")
    }

    /// The lock of the process that takes in files.
    pub(super) fn intake_lock(&self) -> PathBuf {
        self.root.join("intake/lock")
    }

    /// The file that is there while files are taken in.
    pub(super) fn begun_intake(&self) -> PathBuf {
        self.root.join("intake/begun")
    }

    /// The folder of projects and archives whose sources were removed.
    pub(super) fn removed_entries(&self) -> PathBuf {
        self.root.join("intake/removed")
    }

    /// The folder of entries that could not be taken in.
    pub(super) fn failed(&self) -> PathBuf {
        self.root.join("intake/failed")
    }

    /// The folder of archives that were dropped in.
    pub(super) fn archives(&self) -> PathBuf {
        self.root.join("intake/archives")
    }

    /// The folder of projects that were dropped in.
    pub(super) fn projects(&self) -> PathBuf {
        self.root.join("intake/source-workspaces/projects")
    }

    /// The folder of source files that were dropped in.
    pub(super) fn single_files(&self) -> PathBuf {
        self.root.join("intake/source-workspaces/single-files")
    }

    /// The folder of papers or documents that were dropped in.
    pub(super) fn documents(&self, class: IntakeClass) -> PathBuf {
        self.root.join("intake").join(class.folder())
    }

    /// The record of a paper or document with the file name `file`.
    pub(super) fn document(&self, class: IntakeClass, file: &str) -> PathBuf {
        self.root.join("intake/manifests").join(format!("{}-{file}.json", class.name()))
    }

    /// The folder of the texts of papers or documents.
    pub(super) fn texts(&self, class: IntakeClass) -> PathBuf {
        self.root.join("texts").join(class.folder())
    }

    /// The folder of the source that has all entries of a class.
    pub(super) fn shared(&self, class: IntakeClass) -> PathBuf {
        if class == IntakeClass::File { self.single_files() } else { self.texts(class) }
    }

    /// Whether a path is an archive or a project that was dropped in.
    pub(super) fn is_dropped(&self, path: &Path) -> bool {
        let is_in = |folder: PathBuf| path.parent().is_some_and(|parent| parent == without_links(&folder));
        is_in(self.archives()) || is_in(self.projects())
    }

    /// The path that an intake protects for the source at a path: a dropped project or archive, single files, papers or documents.
    pub(super) fn protected_by_intake(&self, path: &Path) -> Option<PathBuf> {
        if self.is_dropped(path) || path == without_links(&self.single_files()) {
            return Some(path.to_path_buf());
        }
        let classes = [IntakeClass::Paper, IntakeClass::Document];
        let class = classes.into_iter().find(|class| path == without_links(&self.texts(*class)));
        class.map(|class| self.documents(class))
    }

    /// The folders that every library has, below its root.
    pub(super) fn folders() -> &'static [&'static str] {
        &[
            "manifests",
            "jobs",
            "staging",
            "raw",
            "derived",
            "intake/inbox",
            "intake/archives",
            "intake/papers",
            "intake/documents",
            "intake/source-workspaces/projects",
            "intake/source-workspaces/single-files",
            "intake/failed",
            "intake/removed",
            "intake/manifests",
            "texts/papers",
            "texts/documents",
        ]
    }
}

pub(super) fn tree_in(import: &Path) -> PathBuf {
    import.join("tree")
}

/// The hashes of the files in the folder of an import.
pub(super) fn listing_in(import: &Path) -> PathBuf {
    import.join("FILES")
}

/// A path, which need not exist, without the links in its part that exists.
pub(super) fn without_links(path: &Path) -> PathBuf {
    let canonical = |folder: &Path| {
        let rest = path.strip_prefix(folder).expect("an ancestor is a prefix");
        folder.canonicalize().ok().map(|folder| folder.join(rest))
    };
    path.ancestors().find_map(canonical).unwrap_or_else(|| path.to_path_buf())
}
