//! Adding a source: the four stages of an import, of which an earlier import may have completed some.

use super::api::{AddPlan, AddProgress, AddReply, AddRequest, OnAddProgress};
use super::describe;
use super::error::LibraryError;
use super::job::{Job, JobStage};
use super::manifest::{
    ImportEvent, ImportRecord, IndexSettings, MANIFEST_FORMAT, SourceKind, SourceManifest, SourceState,
};
use super::names;
use super::open::Library;
use super::paths;
use super::plan::{self, LocatedSource};
use super::records;
use spyhop_base::path::RelPath;
use spyhop_engine::api::{Options, RefreshReport};
use spyhop_engine::{Engine, Error};
use spyhop_index::workspace::unix_now;

/// The size of the files up to which one thread indexes a source. The index then has one segment, and a question over many
/// sources looks up its terms once for each segment.
const ONE_SEGMENT_BYTES: u64 = 16 << 20;

impl Library {
    /// The plan of [`Library::add`]. Nothing is written.
    ///
    /// # Errors
    /// As [`Library::add`].
    pub fn plan(&self, request: &AddRequest, options: &Options) -> Result<AddPlan, Error> {
        let mut located = plan::located(request)?;
        self.check_place(&located)?;
        let earlier = self.job(&located.id)?;
        self.check_free(&located)?;
        let resumes = earlier.as_ref().map(|job| job.stage.name());
        let job = match earlier {
            Some(job) => job,
            None => {
                let planned = located.planned(&options.git_reach)?;
                located.job(settings(request, options), planned)
            }
        };
        Ok(AddPlan {
            library: self.paths.root().to_path_buf(),
            id: job.id,
            name: job.name,
            kind: job.origin.kind,
            copies: job.origin.is_held(),
            location: job.origin.location,
            commit: job.planned.commit,
            branch: job.planned.branch,
            folder: job.origin.folder,
            bytes: job.planned.bytes,
            resumes,
        })
    }

    /// Adds a source and indexes it. If an earlier call with this request was killed, the call continues with the first
    /// stage that is not complete. The user's files are only read.
    ///
    /// # Errors
    /// `BadRequest` for a wrong value; `NameTaken` if the name or the source is in the library; `BadSource` if an archive
    /// is refused; `Unreachable` if a repository on another machine cannot be fetched; `Locked` if another process changes the library, or fetches this source; `DiskFull`,
    /// `ReadOnly`, `Permission` or `Io` if files cannot be read or written. After these errors, the library is as before.
    /// After an error of the indexing, the source is in the library and can be indexed by [`Library::update`].
    pub fn add(
        &self,
        request: &AddRequest,
        options: &Options,
        progress: OnAddProgress<'_>,
    ) -> Result<AddReply, Error> {
        let located = plan::located(request)?;
        self.check_place(&located)?;
        let (manifest, resumed) = self.import(located, request, options, progress)?;
        let (source, report) = self.index_and_record(manifest, options, progress)?;
        Ok(AddReply { path: self.root_of(&source), source, report, resumed })
    }

    /// Adds an archive or a folder of the intake, which lies in the library.
    pub(super) fn add_from_intake(
        &self,
        request: &AddRequest,
        options: &Options,
        progress: OnAddProgress<'_>,
    ) -> Result<SourceManifest, LibraryError> {
        let (manifest, _) = self.import(plan::located(request)?, request, options, progress)?;
        Ok(self.index_and_record(manifest, options, progress)?.0)
    }

    /// The first three stages. Returns the manifest, and the stage at which an earlier import ended. While a server is asked,
    /// other processes may change the library.
    fn import(
        &self,
        mut located: LocatedSource,
        request: &AddRequest,
        options: &Options,
        progress: OnAddProgress<'_>,
    ) -> Result<(SourceManifest, Option<&'static str>), LibraryError> {
        let id = located.id.clone();
        let mut planned = None;
        let is_new = self.job(&id)?.is_none() && self.manifest(&id)?.is_none();
        if located.origin.is_remote() && is_new {
            self.check_free(&located)?;
            planned = Some(located.planned(&options.git_reach)?);
        }
        let mut lock = self.lock()?;
        let known = self.manifest(&id)?;
        if let Some(manifest) = known.filter(|known| known.state == SourceState::Indexing) {
            return Ok((manifest, Some(JobStage::Materialized.name())));
        }
        self.check_free(&located)?;
        let earlier = self.job(&id)?;
        let resumed = earlier.as_ref().map(|job| job.stage.name());
        let name = request.name.clone();
        let mut job = match earlier {
            Some(job) => Job { name: name.unwrap_or(job.name), ..job },
            None => {
                let planned = match planned {
                    Some(planned) => planned,
                    None if located.origin.is_remote() => {
                        return Err(LibraryError::Changed { name: located.name });
                    }
                    None => located.planned(&options.git_reach)?,
                };
                located.job(settings(request, options), planned)
            }
        };
        if !request.groups.is_empty() {
            job.groups = names::groups(&request.groups)?;
        }
        if job.origin.is_held() {
            lock = self.bring_in(&mut job, &options.git_reach, progress, lock)?;
        }
        let manifest = self.manifest_of(&job, None)?;
        self.save(&manifest)?;
        self.end_job(&id)?;
        drop(lock);
        Ok((manifest, resumed))
    }

    /// Fails if the source and the library contain each other.
    fn check_place(&self, located: &LocatedSource) -> Result<(), LibraryError> {
        if located.origin.is_remote() {
            return Ok(());
        }
        let library = paths::without_links(self.paths.root());
        let path = located.origin.path();
        let is_around = located.origin.kind == SourceKind::Folder && library.starts_with(&path);
        if path.starts_with(&library) || is_around {
            let reason = format!("it and the library at {} contain each other", library.display());
            return Err(LibraryError::bad_source(&located.origin.location, reason));
        }
        Ok(())
    }

    /// Fails if the source or its name is in the library.
    fn check_free(&self, located: &LocatedSource) -> Result<(), LibraryError> {
        let (manifests, _) = self.manifests()?;
        if let Some(known) = manifests.iter().find(|known| known.id == located.id) {
            // A source that is not indexed yet is resumed.
            return match known.state {
                SourceState::Indexing => Ok(()),
                SourceState::Ready => Err(LibraryError::AlreadyAdded {
                    location: located.origin.location.clone(),
                    name: known.name.clone(),
                }),
            };
        }
        self.check_name_free(&located.name, &located.id)
    }

    /// The manifest of an import whose first three stages are complete, after `old`.
    pub(super) fn manifest_of(
        &self,
        job: &Job,
        old: Option<&SourceManifest>,
    ) -> Result<SourceManifest, LibraryError> {
        let now = unix_now();
        let materialized = job.materialized.clone();
        let root = match (&materialized, &job.origin.folder) {
            (Some(materialized), _) => materialized.root.clone(),
            (None, folder) => folder_of_user(job, folder.as_deref())?,
        };
        let (tree_hash, commit) = (
            materialized.as_ref().map(|done| done.tree_hash.clone()),
            job.acquired.as_ref().and_then(|acquired| acquired.commit.clone()),
        );
        let event = if old.is_some() { ImportEvent::Updated } else { ImportEvent::Added };
        let record = ImportRecord {
            event,
            at: now,
            import: job.import,
            commit: commit.clone(),
            tree_hash: tree_hash.clone(),
        };
        let mut history = old.map(|old| old.history.clone()).unwrap_or_default();
        history.push(record);
        let mut manifest = SourceManifest {
            format: MANIFEST_FORMAT,
            id: job.id.clone(),
            name: old.map_or(&job.name, |old| &old.name).clone(),
            groups: old.map_or(&job.groups, |old| &old.groups).clone(),
            origin: job.origin.clone(),
            state: SourceState::Indexing,
            import: job.import,
            root,
            commit,
            branch: job.planned.branch.clone(),
            archive_hash: job.acquired.as_ref().and_then(|acquired| acquired.hash.clone()),
            tree_hash,
            files: materialized.as_ref().map_or(0, |done| done.files),
            bytes: materialized.as_ref().map_or(0, |done| done.bytes),
            left_out_count: materialized.as_ref().map_or(0, |done| done.left_out_count),
            left_out: materialized.map(|done| done.left_out).unwrap_or_default(),
            licence: None,
            licence_files: Vec::new(),
            package: None,
            is_protected: job.origin.is_held(),
            settings: job.settings.clone(),
            added_at: old.map_or(now, |old| old.added_at),
            imported_at: now,
            history,
        };
        let described = describe::describe(&self.root_of(&manifest));
        (manifest.licence, manifest.licence_files) = (described.licence, described.licence_files);
        manifest.package = described.package;
        Ok(manifest)
    }

    /// The fourth stage: indexes the import of a manifest, and records that in the manifest.
    pub(super) fn index_and_record(
        &self,
        manifest: SourceManifest,
        options: &Options,
        progress: OnAddProgress<'_>,
    ) -> Result<(SourceManifest, RefreshReport), LibraryError> {
        let report = self.index(&manifest, options, progress)?;
        let _lock = self.lock()?;
        // Another process may have removed or renamed the source meanwhile.
        let Some(mut manifest) = self.manifest(&manifest.id)?.filter(|now| now.import == manifest.import)
        else {
            return Err(LibraryError::Changed { name: manifest.name });
        };
        if manifest.state != SourceState::Ready {
            manifest.state = SourceState::Ready;
            self.save(&manifest)?;
        }
        Ok((manifest, report))
    }

    pub(super) fn index(
        &self,
        manifest: &SourceManifest,
        options: &Options,
        progress: OnAddProgress<'_>,
    ) -> Result<RefreshReport, LibraryError> {
        let failed = |error| LibraryError::Index { name: manifest.name.clone(), error };
        let mut options = options.clone();
        if manifest.is_held() && manifest.bytes <= ONE_SEGMENT_BYTES {
            options.threads = Some(1);
        }
        let engine = self.engine_of(manifest, &options).map_err(failed)?;
        engine.refresh(&|now| progress(AddProgress::Indexing(now))).map_err(failed)
    }

    /// The engine over the import of a manifest.
    pub(super) fn engine_of(&self, manifest: &SourceManifest, options: &Options) -> Result<Engine, Error> {
        let index = self.paths.index(&manifest.id, manifest.import);
        Engine::open(self.root_of(manifest), manifest.settings.apply(index, &manifest.origin, options))
    }
}

fn settings(request: &AddRequest, options: &Options) -> IndexSettings {
    request.settings.clone().unwrap_or_else(|| IndexSettings::of(options))
}

/// The folder that is searched in a folder that stays where it is.
fn folder_of_user(job: &Job, folder: Option<&str>) -> Result<RelPath, LibraryError> {
    let root = RelPath::new(folder.unwrap_or_default())
        .map_err(|error| LibraryError::BadParameter(error.to_string()))?;
    let path = job.origin.path();
    if root.below(&path).is_dir() {
        return Ok(root);
    }
    let mut near = records::names(&path)?;
    near.retain(|name| path.join(name).is_dir());
    let location = job.origin.location.clone();
    Err(LibraryError::NoFolderInside { folder: root.as_str().to_string(), location, near })
}
