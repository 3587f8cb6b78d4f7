//! The manifest of a source: what the source is, where it came from, and where its index lies.
//!
//! A manifest is a JSON file that is replaced atomically. Its replacement is the commit point of an import: before it,
//! nothing refers to the new files; after it, nothing refers to the old ones. A program that reads a manifest of a newer
//! format refuses the file and leaves it as it is.

use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use serde::{Deserialize, Serialize, Serializer};

use super::names::SourceId;
use spyhop_attributes::{Name, form, open, reply};
use spyhop_base::path::RelPath;
use spyhop_base::time::rfc3339;
use spyhop_base::wire::Wire;
use spyhop_engine::api::Options;
use spyhop_engine::form_of;
use spyhop_files::git::Reach;

/// The format of manifests and jobs. Version log: 1, the first.
pub(super) const MANIFEST_FORMAT: u32 = 1;

/// The manifest of a source.
#[open(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceManifest {
    /// The format of the file.
    pub format: u32,
    /// The id, which names the folders of the source.
    pub id: SourceId,
    /// The name, which a user can change.
    pub name: String,
    /// The labels by which a question names several sources.
    #[serde(default)]
    pub groups: Vec<String>,
    /// Where the source came from.
    pub origin: SourceOrigin,
    /// Whether the source is indexed.
    pub state: SourceState,
    /// The number of the import that answers, from 1.
    pub import: u32,
    /// The folder that is searched, relative to the tree of the import, or to the folder of the user.
    pub root: RelPath,
    /// The git commit of the import.
    pub commit: Option<String>,
    /// The branch or tag of that commit when it was imported.
    pub branch: Option<String>,
    /// The BLAKE3 hash of the acquired archive or file.
    pub archive_hash: Option<String>,
    /// The BLAKE3 hash of the names and contents of all files; `None` for a folder that stays where it is.
    pub tree_hash: Option<String>,
    /// The number of raw files; 0 for a folder that stays where it is.
    pub files: usize,
    /// The size of the raw files in bytes.
    pub bytes: u64,
    /// The entries of the source that are not part of the tree, the first of them.
    pub left_out: Vec<LeftOutEntry>,
    /// The number of all entries that are not part of the tree.
    pub left_out_count: usize,
    /// The licence that the source states, as an SPDX expression if known.
    pub licence: Option<String>,
    /// The files with the text of the licence.
    pub licence_files: Vec<String>,
    /// The package that the source is, by the manifest in its files.
    pub package: Option<PackageName>,
    /// Whether the raw files are read-only.
    pub is_protected: bool,
    /// How the source is indexed.
    pub settings: IndexSettings,
    /// When the source was added, in seconds since 1970.
    pub added_at: u64,
    /// When the present import was made, in seconds since 1970.
    pub imported_at: u64,
    /// The imports and changes, oldest first.
    pub history: Vec<ImportRecord>,
}

impl SourceManifest {
    /// Whether raw files lie in the library, and not only in a folder of the user.
    pub fn is_held(&self) -> bool {
        self.origin.is_held()
    }
}

/// Where a source came from, and which part of it was asked for.
#[open(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceOrigin {
    /// The kind of source.
    pub kind: SourceKind,
    /// The absolute path, or the URL of a repository on another machine.
    pub location: String,
    /// The requested branch, tag or commit.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// The requested folder of the source.
    pub folder: Option<String>,
    /// Whether a folder is copied.
    pub snapshot: bool,
    /// Whether archives inside the archive are unpacked too.
    #[serde(default)]
    pub nested: bool,
}

impl SourceOrigin {
    /// Whether raw files lie in the library.
    pub(super) fn is_held(&self) -> bool {
        self.kind != SourceKind::Folder || self.snapshot
    }

    /// Whether the source is on another machine.
    pub(super) fn is_remote(&self) -> bool {
        self.kind == SourceKind::Git && !Path::new(&self.location).is_absolute()
    }

    /// The location as a path, for sources of this machine.
    pub(super) fn path(&self) -> PathBuf {
        PathBuf::from(&self.location)
    }
}

/// The kind of a source.
#[reply(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Name)]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    /// A folder of the user.
    Folder,
    /// A commit of a git repository.
    Git,
    /// A zip archive, such as a wheel.
    Zip,
    /// A tar archive, whether compressed or not, such as a crate.
    Tar,
    /// One file.
    File,
}

impl SourceKind {
    pub(crate) fn is_archive(self) -> bool {
        match self {
            SourceKind::Zip | SourceKind::Tar => true,
            SourceKind::Folder | SourceKind::Git | SourceKind::File => false,
        }
    }
}

/// Whether a source is indexed.
#[reply(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Name)]
#[serde(rename_all = "lowercase")]
pub enum SourceState {
    /// The raw files are there, and the index is not complete.
    Indexing,
    /// The source is indexed.
    Ready,
}

/// An entry that is not part of the tree, with the reason.
#[reply(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct LeftOutEntry {
    /// The path of the entry in the source.
    pub path: String,
    /// The reason.
    pub reason: String,
}

/// A package of a registry.
#[form(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct PackageName {
    /// The registry: `cargo`, `go`, `npm` or `python`.
    pub ecosystem: String,
    /// The name of the package.
    pub name: String,
    /// The version, if the manifest of the package has one.
    pub version: Option<String>,
}

/// How a source is indexed: the options that select files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexSettings {
    /// [`Options::hidden`].
    pub hidden: bool,
    /// [`Options::no_ignore`].
    pub no_ignore: bool,
    /// [`Options::no_built_in`].
    pub no_built_in: bool,
    /// [`Options::secrets`].
    pub secrets: bool,
    /// [`Options::max_file_bytes`].
    pub max_file_bytes: u64,
}

impl IndexSettings {
    /// The settings in the options of an engine.
    pub fn of(options: &Options) -> IndexSettings {
        IndexSettings {
            hidden: options.hidden,
            no_ignore: options.no_ignore,
            no_built_in: options.no_built_in,
            secrets: options.secrets,
            max_file_bytes: options.max_file_bytes,
        }
    }

    /// The options of the engine of a source, with everything else from `options`.
    pub(super) fn apply(&self, index_dir: PathBuf, origin: &SourceOrigin, options: &Options) -> Options {
        let is_held = origin.is_held();
        // Built-in rules do not apply to files that git tracks. All files of a commit are tracked, and a snapshot has only
        // files that passed the rules.
        let has_passed = origin.kind == SourceKind::Git || origin.snapshot;
        Options {
            index_dir: Some(index_dir),
            hidden: self.hidden,
            no_ignore: self.no_ignore,
            no_built_in: self.no_built_in || has_passed,
            secrets: self.secrets,
            max_file_bytes: self.max_file_bytes,
            view: None,
            // A raw tree is not a worktree, although the library may lie in one.
            git_reach: if is_held { Reach::Nowhere } else { options.git_reach.clone() },
            ..options.clone()
        }
    }
}

/// An event in the history of a source.
#[open(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportRecord {
    /// The event.
    pub event: ImportEvent,
    /// When, in seconds since 1970.
    pub at: u64,
    /// The number of the import.
    pub import: u32,
    /// The git commit.
    pub commit: Option<String>,
    /// The hash of the tree.
    pub tree_hash: Option<String>,
}

/// An event in the life of a source.
#[reply(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Name)]
#[serde(rename_all = "lowercase")]
pub enum ImportEvent {
    /// The source was added.
    Added,
    /// A newer state of the source was imported.
    Updated,
    /// The source got another name.
    Renamed,
    /// The raw files were made writable.
    Unprotected,
}

/// A time, in seconds since 1970, as RFC 3339.
pub(super) fn shown_time(seconds: u64) -> String {
    rfc3339(UNIX_EPOCH + Duration::from_secs(seconds))
}

form_of! {
    /// A source as replies show it, with the folder that is searched if that is known.
    pub struct ShownSource<'r>(source: &'r SourceManifest, path: Option<&PathBuf>)
    let {
        origin = &source.origin;
        import = |record: &'r ImportRecord| ShownImport {
            event: record.event,
            at: shown_time(record.at),
            import: record.import,
            commit: record.commit.as_deref(),
            tree_hash: record.tree_hash.as_deref(),
        };
    }
    {
        /// The id, which names the folders of the source.
        id: &'r SourceId = &source.id,
        /// The name.
        name: &'r str = &source.name,
        /// The kind of source.
        kind: SourceKind = origin.kind,
        /// The absolute path, or the URL of a repository on another machine.
        location: &'r str = &origin.location,
        /// The requested branch, tag or commit.
        #[serde(rename = "ref")]
        reference: Option<&'r str> = origin.reference.as_deref(),
        /// The requested folder of the source.
        folder: Option<&'r str> = origin.folder.as_deref(),
        /// Whether the source is indexed.
        state: SourceState = source.state,
        /// The folder that is searched.
        #[serde(skip_serializing_if = "Option::is_none")]
        path: Option<String> = path.map(Wire::form),
        /// The number of the import that answers, from 1.
        import: u32 = source.import,
        /// The git commit of the import.
        commit: Option<&'r str> = source.commit.as_deref(),
        /// The branch or tag of that commit when it was imported.
        branch: Option<&'r str> = source.branch.as_deref(),
        /// Whether raw files lie in the library, and not only in a folder of the user.
        copied: bool = source.is_held(),
        /// Whether archives inside the archive are unpacked too.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        nested: bool = origin.nested,
        /// Whether the raw files are read-only.
        protected: bool = source.is_protected,
        /// The number of raw files; 0 for a folder that stays where it is.
        files: usize = source.files,
        /// The size of the raw files in bytes.
        bytes: u64 = source.bytes,
        /// The BLAKE3 hash of the acquired archive or file.
        archive_hash: Option<&'r str> = source.archive_hash.as_deref(),
        /// The BLAKE3 hash of the names and contents of all files.
        tree_hash: Option<&'r str> = source.tree_hash.as_deref(),
        /// The licence that the source states, as an SPDX expression if known.
        licence: Option<&'r str> = source.licence.as_deref(),
        /// The files with the text of the licence.
        licence_files: &'r [String] = &source.licence_files,
        /// The package that the source is, by its own manifest.
        package: Option<&'r PackageName> = source.package.as_ref(),
        /// The entries of the source that are not part of the tree, the first of them.
        left_out: &'r [LeftOutEntry] = &source.left_out,
        /// The number of all entries that are not part of the tree.
        left_out_count: usize = source.left_out_count,
        /// When the source was added, as RFC 3339.
        added_at: String = shown_time(source.added_at),
        /// When the present import was made, as RFC 3339.
        imported_at: String = shown_time(source.imported_at),
        /// The imports and changes, oldest first.
        history: Vec<ShownImport<'r>> = source.history.iter().map(import).collect(),
    }
}

/// An event in the history of a source.
#[form]
struct ShownImport<'r> {
    /// The kind of event.
    event: ImportEvent,
    /// When, as RFC 3339.
    at: String,
    /// The number of the import.
    import: u32,
    /// The git commit.
    commit: Option<&'r str>,
    /// The hash of the tree.
    tree_hash: Option<&'r str>,
}

/// Serializes the sources of a list.
pub(super) fn sources<S: Serializer>(sources: &[SourceManifest], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(sources.iter().map(|source| ShownSource::new(source, None)))
}
