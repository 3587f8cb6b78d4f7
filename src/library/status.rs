//! Reading a library: its sources, their states, and their engines.

use std::path::PathBuf;

use super::api::{FailedSource, LibraryReply, LibraryStatus, SourceBatch, SourceStatus, UnfinishedImport};
use super::error::LibraryError;
use super::job::Job;
use super::manifest::{SourceManifest, SourceState};
use super::open::Library;
use spyhop_base::store;
use spyhop_engine::api::{Options, State};
use spyhop_engine::{Engine, Error, ErrorKind};

impl Library {
    /// The sources, by name. Nothing but the manifests and the records of unfinished imports is read.
    ///
    /// # Errors
    /// `Io` or `Permission` if the library cannot be read. A manifest that cannot be read is a warning.
    pub fn list(&self) -> Result<LibraryReply, Error> {
        let (sources, errors) = self.manifests()?;
        let mut warnings = texts(errors);
        let unfinished = self.unfinished(&mut warnings);
        Ok(LibraryReply { root: self.paths.root().to_path_buf(), sources, unfinished, warnings })
    }

    /// One source.
    ///
    /// # Errors
    /// `UnknownSource`, which names similar sources.
    pub fn show(&self, name: &str) -> Result<SourceManifest, Error> {
        Ok(self.find(name)?)
    }

    /// The folder of a source that is searched.
    ///
    /// # Errors
    /// As [`Library::show`].
    pub fn path(&self, name: &str) -> Result<PathBuf, Error> {
        Ok(self.root_of(&self.find(name)?))
    }

    /// An engine over one source. The place of the index and the options that select files come from the manifest, and
    /// everything else from `options`.
    ///
    /// # Errors
    /// As [`Library::show`] and [`Engine::open`].
    pub fn engine(&self, name: &str, options: Options) -> Result<Engine, Error> {
        self.engine_of(&self.find(name)?, &options)
    }

    /// Runs `call` for the sources of these names, or for every source if `names` is empty. An error ends only the call
    /// for its source.
    pub(super) fn each<T>(
        &self,
        names: &[String],
        call: impl Fn(&str) -> Result<T, Error>,
    ) -> Result<SourceBatch<T>, Error> {
        let mut batch = SourceBatch { sources: Vec::new(), failed: Vec::new() };
        let names = match names {
            [] => {
                let (sources, errors) = self.manifests()?;
                if let Some(error) = errors.into_iter().next() {
                    return Err(error.into());
                }
                sources.into_iter().map(|source| source.name).collect()
            }
            names => names.to_vec(),
        };
        for name in names {
            match call(&name) {
                Ok(outcome) => batch.sources.push(outcome),
                Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
                Err(error) => batch.failed.push(FailedSource { name, error }),
            }
        }
        Ok(batch)
    }

    /// The state of every source and its index. The folders of the user are compared with their indexes.
    ///
    /// # Errors
    /// As [`Library::list`].
    pub fn status(&self, options: &Options) -> Result<LibraryStatus, Error> {
        let (sources, errors) = self.manifests()?;
        let mut warnings = texts(errors);
        let unfinished = self.unfinished(&mut warnings);
        Ok(LibraryStatus {
            root: self.paths.root().to_path_buf(),
            unfinished,
            sources: sources.into_iter().map(|source| self.status_of(source, options)).collect(),
            warnings,
        })
    }

    fn unfinished(&self, warnings: &mut Vec<String>) -> Vec<UnfinishedImport> {
        let jobs = self.jobs().unwrap_or_else(|error| {
            warnings.push(error.to_string());
            Vec::new()
        });
        let import = |job: Job| UnfinishedImport {
            is_update: self.manifest(&job.id).is_ok_and(|manifest| manifest.is_some()),
            id: job.id,
            name: job.name,
            origin: job.origin,
            stage: job.stage.name(),
            begun_at: job.begun_at,
        };
        jobs.into_iter().map(import).collect()
    }

    pub(super) fn status_of(&self, source: SourceManifest, options: &Options) -> SourceStatus {
        let index_path = self.paths.index(&source.id, source.import);
        let import = self.paths.import(&source.id, source.import);
        let mut status = SourceStatus {
            path: self.root_of(&source),
            state: State::Missing,
            detail: None,
            indexed_files: 0,
            stale_files: None,
            raw_bytes: if source.is_held() { store::bytes_below(&import) } else { 0 },
            index_bytes: store::bytes_below(&index_path),
            index_path,
            source,
        };
        match self.engine_of(&status.source, options).and_then(|engine| engine.status()) {
            Ok(found) => {
                (status.state, status.detail) = (found.state, found.detail);
                (status.indexed_files, status.stale_files) = (found.files, found.stale_files);
                let is_partial = status.source.state == SourceState::Indexing;
                if is_partial && status.state != State::Missing {
                    status.state = State::Indexing;
                }
            }
            Err(error) => status.detail = Some(error.to_string()),
        }
        status
    }
}

fn texts(errors: Vec<LibraryError>) -> Vec<String> {
    errors.iter().map(LibraryError::to_string).collect()
}
