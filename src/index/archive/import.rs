//! Import: checks an archive and unpacks it beside the index, renames its views for the importing tree, and puts it in
//! place by the commit point. Then the tree is compared with the imported view.

use std::path::Path;

use serde::Serialize;

use super::error::{ArchiveError, at_segments};
use super::file::Archive;
use super::layout::{ArchiveManifest, META, SEGMENTS};
use crate::inverted::{self, IndexError, Reader, Writer};
use crate::meta::{self, Commit, Meta, RecordBuilder, RecordRef, SOURCES, View, ViewInfo, ViewKey};
use crate::update::{OnProgress, RefreshReport, Updater, tell_waiting};
use crate::workspace::{Committed, WorkspaceError, unix_now};
use spyhop_base::id::Generation;
use spyhop_base::path::RelPath;
use spyhop_base::store::{self, AtFile, FORMAT_VERSION, TEMPORARY_PREFIX};

/// How much wider than their count the range of version numbers of an archive may be: bitsets indexed by version number
/// take memory for the whole range.
const MAX_GAPS: u64 = 1 << 26;

/// The options of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Import {
    /// Whether to replace an existing index.
    pub force: bool,
    /// Whether the tree is absent: queries are answered from the archive alone, with its sources.
    pub without_sources: bool,
}

/// The result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Imported {
    /// The number of files in the archive's view.
    pub files: usize,
    /// The head that was checked out where the archive was made.
    pub head: String,
    /// The commit of that head.
    pub commit: Option<String>,
    /// The version of the program that made the archive.
    pub made_by: String,
    /// The result of the comparison with the tree. Files that are as in the archive are not counted.
    #[serde(flatten)]
    pub report: RefreshReport,
}

/// An archive that was unpacked and checked.
struct Unpacked {
    folder: tempfile::TempDir,
    committed: Committed,
    /// The view of the checked-out head.
    key: ViewKey,
}

impl Unpacked {
    fn view(&self) -> Result<&View, ArchiveError> {
        Ok(self.committed.meta.view(&self.key)?.expect("it was there when this was made"))
    }

    fn paths(&self) -> Result<impl Iterator<Item = &str>, ArchiveError> {
        let meta = &self.committed.meta;
        Ok(self.view()?.versions().iter().filter_map(|id| Some(meta.version(*id)?.path())))
    }
}

impl Updater<'_> {
    /// Makes the archive at `from` the index of this tree, and updates that index. Waits at most `patience` for another
    /// process that is indexing.
    pub fn import(
        &self,
        from: &Path,
        import: &Import,
        patience: std::time::Duration,
        progress: OnProgress<'_>,
    ) -> Result<Imported, ArchiveError> {
        let archive = Archive::open(from)?;
        self.check_fit(from, archive.manifest())?;
        let _lock = self.workspace.lock(patience, &mut tell_waiting(progress))?;
        let before = self.before(import)?;
        let unpacked = self.unpacked(&archive)?;
        if import.without_sources {
            self.check_sources_in(from, &unpacked)?;
        } else {
            self.check_tree(from, &unpacked)?;
        }
        let generation = before.as_ref().map_or(Generation(0), |before| before.meta.commit().generation);
        drop(before);
        self.put_in_place(&unpacked, generation, import.without_sources)?;
        let committed = self.workspace.open()?;
        let report = if import.without_sources {
            let generation = committed.meta.commit().generation;
            RefreshReport { generation, ..RefreshReport::default() }
        } else {
            self.adopt(&committed, progress)?
        };
        let row = archive.manifest().views[0].clone();
        Ok(Imported {
            files: row.files as usize,
            head: row.head,
            commit: row.commit,
            made_by: archive.manifest().made_by.clone(),
            report,
        })
    }

    /// Checks that this program can read the index in the archive.
    fn check_fit(&self, from: &Path, manifest: &ArchiveManifest) -> Result<(), ArchiveError> {
        let (path, made_by) = (from.to_path_buf(), manifest.made_by.clone());
        if manifest.format != FORMAT_VERSION {
            return Err(ArchiveError::Format { path, found: manifest.format, made_by });
        }
        let expected = self.workspace.fingerprint();
        if manifest.fingerprint != expected {
            let (found, expected) = (manifest.fingerprint.clone(), expected.to_string());
            return Err(ArchiveError::Fingerprint { path, found, made_by, expected });
        }
        Ok(())
    }

    /// The existing index, if it may be replaced; otherwise an error.
    fn before(&self, import: &Import) -> Result<Option<Committed>, ArchiveError> {
        let dir = self.workspace.dir().to_path_buf();
        match self.workspace.open() {
            Ok(committed) if import.force => Ok(Some(committed)),
            Ok(committed) => {
                let generation = committed.meta.commit().generation.0;
                Err(ArchiveError::Occupied { dir, generation })
            }
            Err(WorkspaceError::Missing { .. }) => Ok(None),
            Err(WorkspaceError::Damaged { reason, .. }) => {
                self.workspace.put_aside(&reason)?;
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Unpacks the archive beside the index, and accepts it if it is consistent.
    fn unpacked(&self, archive: &Archive) -> Result<Unpacked, ArchiveError> {
        let dir = self.workspace.dir();
        self.workspace.remove_leftovers()?;
        let folder = tempfile::Builder::new()
            .prefix(TEMPORARY_PREFIX)
            .tempdir_in(dir)
            .at("create a folder in", dir)?;
        archive.unpack(folder.path())?;
        // Code that reads forged bytes may panic on them.
        let checked = inverted::guarded(|| Ok::<_, IndexError>(self.checked(archive, folder.path())));
        let (committed, key) = checked.map_err(|error| archive.damaged(error.to_string()))??;
        Ok(Unpacked { folder, committed, key })
    }

    /// Opens the index that was unpacked into `folder`, and finds its view of the checked-out head.
    fn checked(&self, archive: &Archive, folder: &Path) -> Result<(Committed, ViewKey), ArchiveError> {
        let (meta_dir, segment_dir) = (folder.join(META), folder.join(SEGMENTS));
        let damaged = |error: &dyn std::fmt::Display| archive.damaged(error.to_string());
        let found = inverted::verify(&segment_dir).map_err(|error| damaged(&error))?;
        if let Some((path, reason)) = found.first() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            return Err(archive.damaged(format!("{SEGMENTS}/{name}: {reason}")));
        }
        let reader = Reader::open(&segment_dir).map_err(|error| damaged(&error))?;
        let commit = Commit::parse(reader.payload(), &segment_dir).map_err(|error| damaged(&error))?;
        let named = commit.records.iter().chain(&commit.sources);
        let names = named.map(|record| format!("{META}/{}", record.name));
        for name in names {
            if !archive.manifest().files.iter().any(|row| row.name == name) {
                return Err(archive.damaged(format!("{name} is missing")));
            }
        }
        let meta = Meta::open(&meta_dir, commit).map_err(|error| damaged(&error))?;
        if let Some(error) = meta.verify().first() {
            return Err(damaged(error));
        }
        let committed = Committed { reader, meta };
        if let Some(problem) = self.odd(&committed).or_else(|| committed.contradictions().into_iter().next())
        {
            return Err(archive.damaged(problem));
        }
        let first = archive.manifest().views.first();
        let is_first = |key: &&ViewKey| {
            !key.staged
                && first.is_some_and(|row| row.head == key.head.to_string() && row.settings == key.settings)
        };
        let key = committed.meta.views().map(|(key, _)| key).find(is_first).cloned();
        let key = key.ok_or_else(|| damaged(&"it holds no view"))?;
        Ok((committed, key))
    }

    /// An inconsistency that Spyhop would never have written, although every checksum is right.
    fn odd(&self, committed: &Committed) -> Option<String> {
        let Committed { meta, .. } = committed;
        let mut ids = meta.version_ids();
        let (mut first, mut last, mut count) = (None, 0, 0u64);
        let odd = ids.find_map(|id| {
            first = first.or(Some(id.0));
            (last, count) = (id.0, count + 1);
            let version = meta.version(id)?;
            let path = version.path();
            let is_plain = RelPath::new(path).is_ok_and(|rel| rel.as_str() == path && !path.is_empty());
            let is_known = self.grammars.knows(version.language());
            (!is_plain || !is_known || id.0 >= meta.commit().next_version)
                .then(|| format!("an index cannot hold the file version {path:?}"))
        });
        let span = u64::from(last - first.unwrap_or(0));
        odd.or_else(|| (span > MAX_GAPS + 16 * count).then(|| "its version numbers lie too far apart".into()))
            .or_else(|| {
                let holds = |key: &ViewKey| meta.view_versions(key).unwrap_or_default();
                let mut views = meta.views().map(|(key, _)| key);
                let is_lost = |key: &&ViewKey| holds(key).iter().any(|id| meta.version(*id).is_none());
                views.find(is_lost).map(|_| "a view names versions that do not exist".into())
            })
    }

    /// Checks that the archive can answer without the tree.
    fn check_sources_in(&self, from: &Path, unpacked: &Unpacked) -> Result<(), ArchiveError> {
        let path = || from.to_path_buf();
        let sources = unpacked.committed.meta.sources();
        sources.map_or(Err(ArchiveError::WithoutSnippets { path: path() }), |_| Ok(()))
    }

    /// Checks that the tree is roughly the tree of the archive. Paths decide and contents do not count:
    /// every file is hashed after an import, so a tree that only looks alike costs time but never gives a wrong answer,
    /// while an archive of months ago, most of whose files have changed since, is still worth more than none.
    fn check_tree(&self, from: &Path, unpacked: &Unpacked) -> Result<(), ArchiveError> {
        let root = self.workspace.root();
        let of = unpacked.view()?.len();
        let is_here = |path: &&str| root.join(path).symlink_metadata().is_ok_and(|it| it.is_file());
        let here = unpacked.paths()?.filter(is_here).count();
        if here * 2 < of {
            let (path, root) = (from.to_path_buf(), root.to_path_buf());
            return Err(ArchiveError::OtherTree { path, root, here, of });
        }
        Ok(())
    }

    /// Renames the views of the unpacked index for this tree, and makes it the newest commit, with its sources or
    /// without. The caller holds the lock.
    fn put_in_place(
        &self,
        unpacked: &Unpacked,
        before: Generation,
        with_sources: bool,
    ) -> Result<(), ArchiveError> {
        let (meta_dir, segment_dir) =
            (unpacked.folder.path().join(META), unpacked.folder.path().join(SEGMENTS));
        let meta = &unpacked.committed.meta;
        let mut record = RecordBuilder::new();
        for (key, info) in meta.views() {
            record.drop_view(key.clone());
            let view = meta.view(key)?.map(View::unproven).unwrap_or_default();
            let info = ViewInfo { used: unix_now(), commit: info.commit.clone(), ..ViewInfo::default() };
            if !with_sources || *key == unpacked.key {
                record.set_view(self.key_here(key, with_sources), info, view, None);
            }
        }
        let mut commit = record.write_after(&meta_dir, meta, before)?;
        if let Some(sources) = meta.commit().sources.clone().filter(|_| with_sources) {
            let name = format!("g{:09}.{SOURCES}", commit.generation.0);
            store::rename(&meta_dir.join(&sources.name), &meta_dir.join(&name))?;
            commit.sources = Some(RecordRef { name, ..sources });
        }
        let failed = at_segments(&segment_dir);
        let mut writer = Writer::open(&segment_dir).map_err(&failed)?;
        writer.commit(&serde_json::to_string(&commit).expect("plain data")).map_err(&failed)?;
        writer.close().map_err(&failed)?;
        let workspace = self.workspace;
        for record in commit.records.iter().chain(&commit.sources) {
            store::rename(&meta_dir.join(&record.name), &workspace.meta_dir().join(&record.name))?;
        }
        store::sync_folder(&workspace.meta_dir())?;
        let segments_here = workspace.segment_dir();
        inverted::put_in_place(&segment_dir, &segments_here).map_err(at_segments(&segments_here))?;
        // From here on the imported index is in place. Files of the previous index are removed.
        Writer::open(&segments_here).and_then(Writer::close).map_err(at_segments(&segments_here))?;
        workspace.write_derived();
        meta::remove_garbage(&workspace.meta_dir(), &[&commit])?;
        Ok(())
    }

    /// The key of a view of the archive in this tree. If the tree is absent, the key is that of the requested view.
    fn key_here(&self, key: &ViewKey, with_sources: bool) -> ViewKey {
        let current = self.view_key();
        if with_sources { current } else { ViewKey { root: current.root, ..key.clone() } }
    }
}
