//! Export: pins a commit, copies it to a folder beside the archive, reduces it to the exported views, and packs it.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use rustc_hash::FxHashSet;

use super::error::{ArchiveError, at_segments};
use super::file;
use super::layout::{ArchiveManifest, ArchivedFile, ArchivedView, META, SEGMENTS};
use crate::inverted::{self, IndexError, Writer};
use crate::meta::{Commit, Meta, RecordBuilder, RecordRef, SOURCES, SourcesBuilder, ViewInfo, ViewKey};
use crate::update::Updater;
use crate::workspace::Committed;
use spyhop_base::id::{ContentHash, VersionId};
use spyhop_base::path::RelPath;
use spyhop_base::store::{self, AtFile, TEMPORARY_PREFIX};
use spyhop_base::wire::wire;
use spyhop_files::confined::RootFolder;
use spyhop_files::read::{self, Limits};

/// How often copying a commit is retried. Another process's commit takes far longer than linking the files of one.
const TRIES: usize = 20;

/// The options of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Export {
    /// Whether to export all branches of this worktree, and not only the checked-out head.
    pub all_views: bool,
    /// Whether to include the sources of the checked-out files, for a search on a machine without the tree.
    pub snippets: bool,
}

/// The result of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Exported {
    /// The archive.
    #[serde(serialize_with = "wire")]
    pub path: PathBuf,
    /// The size of the archive in bytes.
    pub bytes: u64,
    /// The number of files in the view of the checked-out head.
    pub files: usize,
    /// The number of sources in the archive.
    pub sources: usize,
    /// Files whose sources were requested but no longer have the indexed content.
    pub lacking: usize,
    /// The checked-out head of each exported view: a branch, `@` and a commit, or nothing outside git.
    pub heads: Vec<String>,
}

/// The sources file of an export.
struct Packed {
    record: RecordRef,
    sources: usize,
    lacking: usize,
}

impl Updater<'_> {
    /// Writes the newest commit's view of the checked-out head into the archive `to`, without stat data and without the
    /// name of the tree. An export needs no lock; a commit that another process makes meanwhile is not included.
    pub fn export(&self, to: &Path, export: &Export) -> Result<Exported, ArchiveError> {
        let beside = to.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = tempfile::Builder::new()
            .prefix(TEMPORARY_PREFIX)
            .tempdir_in(beside)
            .map_err(about_the_folder)
            .at("write into", beside)?;
        let (meta_dir, segment_dir) = (folder.path().join(META), folder.path().join(SEGMENTS));
        store::create_private_dir(&meta_dir)?;
        let Committed { meta, .. } = self.pinned(&segment_dir)?;
        let keys = self.travelling(&meta, export)?;
        let packed = match export.snippets {
            true => Some(self.pack_sources(&meta, &keys[0], &meta_dir)?),
            false => None,
        };
        let (sources, lacking) = packed.as_ref().map_or((0, 0), |packed| (packed.sources, packed.lacking));
        self.reduce(&meta, &keys, &meta_dir, &segment_dir, packed.map(|packed| packed.record))?;
        let info = |key: &ViewKey| meta.view_info(key).expect("it travels");
        let views = keys.iter().map(|key| ArchivedView {
            head: key.head.to_string(),
            commit: info(key).commit.clone(),
            settings: key.settings.clone(),
            files: info(key).files,
        });
        let manifest = ArchiveManifest {
            made_by: env!("CARGO_PKG_VERSION").to_string(),
            format: meta.commit().format,
            fingerprint: meta.commit().fingerprint.clone(),
            views: views.collect(),
            files: rows(folder.path())?,
        };
        Ok(Exported {
            path: to.to_path_buf(),
            bytes: file::write(to, &manifest, folder.path())?,
            files: info(&keys[0]).files as usize,
            sources,
            lacking,
            heads: keys.into_iter().map(|key| key.head.to_string()).collect(),
        })
    }

    /// Copies the segments of the newest commit into the new folder `to`. Returns that commit.
    fn pinned(&self, to: &Path) -> Result<Committed, ArchiveError> {
        let dir = self.workspace.segment_dir();
        let mut gone = dir.clone();
        for _ in 0..TRIES {
            let committed = self.workspace.open()?;
            store::create_private_dir(to)?;
            match inverted::copy_commit(&committed.reader, to) {
                Err(IndexError::Moved(path)) => {
                    std::fs::remove_dir_all(to).at("remove", to)?;
                    gone = path;
                }
                other => return other.map(|()| committed).map_err(at_segments(&dir)),
            }
        }
        Err(at_segments(&dir)(IndexError::Moved(gone)))
    }

    /// The exported views, that of the checked-out head first.
    fn travelling(&self, meta: &Meta, export: &Export) -> Result<Vec<ViewKey>, ArchiveError> {
        let current = self.view_key();
        if meta.view_info(&current).is_none() {
            return Err(ArchiveError::NoView);
        }
        let others = meta.views().map(|(key, _)| key);
        let others = others.filter(|key| export.all_views && key.root == current.root && !key.staged);
        let others: Vec<ViewKey> = others.filter(|key| **key != current).cloned().collect();
        Ok([vec![current], others].concat())
    }

    /// Writes the sources of a view into the folder `to`, as far as they still have the indexed content.
    fn pack_sources(&self, meta: &Meta, key: &ViewKey, to: &Path) -> Result<Packed, ArchiveError> {
        let mut builder = SourcesBuilder::new(to)?;
        let mut lacking = 0;
        let root = RootFolder::new(self.workspace.root());
        let versions = meta.view_versions(key)?;
        let ranked = versions.iter().filter_map(|id| {
            let version = meta.version(*id)?;
            Some((version, version.content().ranked()?))
        });
        for (version, hash) in ranked {
            let Ok(path) = RelPath::new(version.path()) else { continue };
            // An imported index that came with its sources can be exported again.
            let kept = meta.sources().and_then(|sources| sources.get(hash));
            let added = match kept {
                Some(bytes) => Some(builder.add(hash, &bytes)),
                None => read::with_content((&root, &path), Limits::MAX_FILE_BYTES, |bytes, _| {
                    (ContentHash::of(bytes) == hash).then(|| builder.add(hash, bytes))
                })
                .flatten(),
            };
            match added {
                Some(added) => added.at("write", to)?,
                None => lacking += 1,
            }
        }
        let sources = builder.len();
        let name = format!("g{:09}.{SOURCES}", meta.commit().generation.0 + 1);
        Ok(Packed { record: builder.write(to, &name)?, sources, lacking })
    }

    /// Reduces the commit in `segment_dir` to the views `keys`, and writes its record into `meta_dir`.
    fn reduce(
        &self,
        meta: &Meta,
        keys: &[ViewKey],
        meta_dir: &Path,
        segment_dir: &Path,
        sources: Option<RecordRef>,
    ) -> Result<(), ArchiveError> {
        let mut record = RecordBuilder::new();
        meta.views().for_each(|(key, _)| record.drop_view(key.clone()));
        let mut named: FxHashSet<VersionId> = FxHashSet::default();
        for key in keys {
            let (Some(view), Some(info)) = (meta.view(key)?, meta.view_info(key)) else { continue };
            named.extend(view.versions());
            // The root path of the tree is private, so an archive does not contain it.
            let key = ViewKey { root: String::new(), ..key.clone() };
            let info = ViewInfo { commit: info.commit.clone(), ..ViewInfo::default() };
            record.set_view(key, info, view.unproven(), None);
        }
        let failed = at_segments(segment_dir);
        let mut writer = Writer::open(segment_dir).map_err(&failed)?;
        for version in meta.version_ids().filter(|id| !named.contains(id)) {
            record.collect(version);
            writer.delete(version);
        }
        let commit = meta.commit();
        let commit = record.write(meta_dir, meta, &commit.fingerprint, commit.next_version, true)?;
        let commit = Commit { sources, ..commit };
        writer.commit(&serde_json::to_string(&commit).expect("plain data")).map_err(&failed)?;
        // Deleted documents are still in their segments, with all their words.
        writer.compact().and_then(|_| writer.close()).map_err(&failed)
    }
}

/// The error for a folder in which nothing can be created, without the temporary name, which the user never chose.
fn about_the_folder(error: io::Error) -> io::Error {
    use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem};
    match error.kind() {
        NotFound => io::Error::new(NotFound, "there is no such folder"),
        NotADirectory => io::Error::new(NotADirectory, "it is not a folder"),
        kind @ (PermissionDenied | ReadOnlyFilesystem) => kind.into(),
        _ => error,
    }
}

/// The rows of the commit's files below `folder`.
fn rows(folder: &Path) -> Result<Vec<ArchivedFile>, ArchiveError> {
    let (meta_dir, segment_dir) = (folder.join(META), folder.join(SEGMENTS));
    let records = std::fs::read_dir(&meta_dir).at("list", &meta_dir)?.flatten();
    let records = records.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = records.map(|name| format!("{META}/{name}")).collect();
    names.sort();
    let segments = inverted::files(&segment_dir).map_err(at_segments(&segment_dir))?;
    names.extend(segments.into_iter().map(|name| format!("{SEGMENTS}/{name}")));
    Ok(names.into_iter().map(|name| ArchivedFile::of(folder, name)).collect::<Result<_, _>>()?)
}
