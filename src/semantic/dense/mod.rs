//! Vectors: what makes them, where they lie, and how files are compared with a question.

mod build;
#[cfg_attr(not(feature = "chunkhound"), path = "without_chunkhound.rs")]
mod chunkhound;
mod compare;
mod database;
mod endpoint;
mod http;
#[cfg_attr(not(feature = "local-model"), path = "without_local.rs")]
mod local;
mod parts;
mod provider;
#[cfg_attr(not(feature = "rerank"), path = "without_rerank.rs")]
mod rerank;
mod silence;
mod store;
mod table;
mod tensors;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use spyhop_base::id::ContentHash;
use spyhop_base::store as files;
use spyhop_search::{Reranker, SimilarTexts};

use crate::error::SemanticError;
use crate::model::{BuildProgress, BuildReport, BuildText, Estimate, StoredVectors};
use crate::settings::{ProviderSettings, SemanticSettings};
use build::Build;
use compare::{Broken, Comparer, QuestionAsker};
use database::DatabaseParts;
use endpoint::HttpEndpoint;
use provider::Provider;
use silence::lock;
use store::{StoreWriter, Stored};
use table::Table;

/// The version of how texts are cut and vectors are packed; a change makes all vectors anew.
const FORM: u32 = 1;

/// The folder of the vectors of a workspace, and what is open of it.
pub struct SemanticFolder {
    path: PathBuf,
    open: Mutex<Option<Open>>,
    reranker: Mutex<Option<(FileStamp, Option<Arc<dyn Reranker>>)>>,
}

/// What is open of a folder, as of a state of its files.
struct Open {
    settings: FileStamp,
    asker: Arc<QuestionAsker>,
    folder: PathBuf,
    records: FileStamp,
    comparer: Arc<Comparer>,
}

type FileStamp = Option<(SystemTime, u64)>;

fn stamp(path: &Path) -> FileStamp {
    let found = fs::metadata(path).ok()?;
    Some((found.modified().ok()?, found.len()))
}

impl SemanticFolder {
    /// The folder at `path`; no file is touched.
    pub fn new(path: PathBuf) -> SemanticFolder {
        SemanticFolder { path, open: Mutex::default(), reranker: Mutex::default() }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What compares texts; `None` if the workspace has not opted in. Files that cannot be read give an object that says so.
    pub fn similar(&self) -> Option<Arc<dyn SimilarTexts>> {
        let mut open = lock(&self.open);
        let settings = stamp(&SemanticSettings::path(&self.path));
        if settings.is_none() {
            *open = None;
            return None;
        }
        match self.opened(&mut open, settings) {
            Ok(comparer) => Some(comparer),
            Err(SemanticError::NotEnabled) => None,
            Err(error) => Some(Arc::new(Broken(error))),
        }
    }

    /// What reranks; `None` if the workspace has not opted in. A model that cannot be read gives an object that says so.
    pub fn reranker(&self) -> Option<Arc<dyn Reranker>> {
        let settings = stamp(&SemanticSettings::path(&self.path));
        settings?;
        let mut open = lock(&self.reranker);
        if let Some((known, reranker)) = &*open
            && *known == settings
        {
            return reranker.clone();
        }
        let reranker: Option<Arc<dyn Reranker>> = match SemanticSettings::read(&self.path) {
            // The comparison with vectors tells that the settings cannot be read.
            Ok(None) | Err(_) => None,
            Ok(Some(read)) => read.rerank.map(|rerank| match rerank::open(&rerank) {
                Ok(reranker) => Arc::from(reranker),
                Err(error) => Arc::new(Broken(error)) as Arc<dyn Reranker>,
            }),
        };
        *open = Some((settings, reranker.clone()));
        reranker
    }

    /// Opens what has changed since it was opened.
    fn opened(&self, open: &mut Option<Open>, settings: FileStamp) -> Result<Arc<Comparer>, SemanticError> {
        let asker = open.take().filter(|open| open.settings == settings);
        let (asker, folder, known) = match asker {
            Some(open) => (open.asker, open.folder, Some((open.records, open.comparer))),
            None => {
                let read = SemanticSettings::read(&self.path)?.ok_or(SemanticError::NotEnabled)?;
                let (provider, folder, dimensions) = self.model(&read)?;
                let name = read.provider.as_ref().map(ProviderSettings::model).unwrap_or_default();
                (Arc::new(QuestionAsker::new(provider, name, dimensions)), folder, None)
            }
        };
        let records = stamp(&folder.join("files"));
        let comparer = match known.filter(|(known, _)| *known == records) {
            Some((_, comparer)) => comparer,
            None => {
                let stored = Stored::open(&folder, asker.stored_dimensions())?;
                Arc::new(Comparer { asker: Arc::clone(&asker), stored })
            }
        };
        *open = Some(Open { settings, asker, folder, records, comparer: Arc::clone(&comparer) });
        Ok(comparer)
    }

    /// The provider of the settings, the folder of its vectors, and the numbers of a vector that are stored.
    fn model(
        &self,
        settings: &SemanticSettings,
    ) -> Result<(Box<dyn Provider>, PathBuf, usize), SemanticError> {
        let of_settings = settings.provider.as_ref().ok_or(SemanticError::NotEnabled)?;
        let provider = provider_of(of_settings)?;
        let dimensions = settings.stored_dimensions.min(provider.dimensions());
        let identity = format!("{FORM} {dimensions} {}", provider.identity());
        let identity = match &settings.chunkhound {
            Some(database) => format!("{identity} {}", database.database.display()),
            None => identity,
        };
        let folder = self.path.join(&blake3::hash(identity.as_bytes()).to_hex()[..16]);
        Ok((provider, folder, dimensions))
    }

    fn settings(&self) -> Result<SemanticSettings, SemanticError> {
        SemanticSettings::read(&self.path)?.ok_or(SemanticError::NotEnabled)
    }

    /// Opts in. Local models and databases are opened first; an endpoint is not asked. Returns a line about each model.
    pub fn enable(&self, settings: &SemanticSettings) -> Result<String, SemanticError> {
        settings.check()?;
        let mut lines = Vec::new();
        if let Some(own) = &settings.provider {
            let provider = provider_of(own)?;
            let line = format!("{}, {} dimensions, at {}", own.model(), provider.dimensions(), own.target());
            lines.push(line);
        }
        if let Some(parts) = database_of(settings, settings.stored_dimensions)? {
            lines.push(format!("vectors of {} files from a database", parts.len()));
        }
        if let Some(own) = &settings.rerank {
            rerank::open(own)?;
            lines.push(format!("reranking by {} at {}", own.model(), own.target()));
        }
        settings.write(&self.path)?;
        Ok(lines.join("; "))
    }

    /// What is stored for the model of the settings.
    pub fn stored(&self) -> Result<StoredVectors, SemanticError> {
        let (_, folder, dimensions) = self.model(&self.settings()?)?;
        let stored = Stored::open(&folder, dimensions)?;
        Ok(StoredVectors {
            contents: stored.n_contents(),
            rows: stored.n_rows(),
            bytes: files::bytes_below(&self.path),
            damaged: stored.n_damaged(),
        })
    }

    /// For each content, whether it lacks vectors.
    pub fn lacking(&self, contents: &[ContentHash]) -> Result<Vec<bool>, SemanticError> {
        let (_, folder, dimensions) = self.model(&self.settings()?)?;
        let stored = Stored::open(&folder, dimensions)?;
        Ok(contents.iter().map(|content| !stored.is_whole(*content)).collect())
    }

    /// The estimate for files of these bytes.
    pub fn estimate(&self, n_files: usize, bytes: u64) -> Result<Estimate, SemanticError> {
        let tokens = provider::tokens(bytes);
        let settings = self.settings()?;
        if settings.chunkhound.is_some() {
            return Ok(Estimate { files: n_files, bytes, ..Estimate::default() });
        }
        let (price, cap) = match settings.provider {
            Some(ProviderSettings::Openai(endpoint)) => (endpoint.price, endpoint.max_tokens),
            _ => (None, None),
        };
        let cost = price.map(|price| tokens as f64 / 1e6 * price);
        Ok(Estimate { files: n_files, bytes, tokens, cost, cap })
    }

    /// Makes the vectors of `texts`, which `estimate` is about.
    pub fn build(
        &self,
        estimate: &Estimate,
        texts: &mut dyn Iterator<Item = Result<BuildText, SemanticError>>,
        progress: &(dyn Fn(BuildProgress) + Sync),
    ) -> Result<BuildReport, SemanticError> {
        if let Some(cap) = estimate.cap.filter(|cap| estimate.tokens > *cap) {
            return Err(SemanticError::AboveCap { tokens: estimate.tokens, cap });
        }
        let settings = self.settings()?;
        let (provider, folder, stored_dimensions) = self.model(&settings)?;
        let database = database_of(&settings, stored_dimensions)?;
        let writer = StoreWriter::open(&folder, stored_dimensions)?;
        let report = BuildReport::default();
        let mut build = Build { writer, provider: &*provider, stored_dimensions, database, progress, report };
        match build.run(texts) {
            Ok(()) => Ok(build.report),
            Err(cause) => {
                build.writer.sync()?;
                let (files, of) = (build.report.files, estimate.files);
                Err(SemanticError::Ended { cause: Box::new(cause), files, of })
            }
        }
    }
}

/// The provider of the settings. An endpoint is not asked yet.
fn provider_of(settings: &ProviderSettings) -> Result<Box<dyn Provider>, SemanticError> {
    Ok(match settings {
        ProviderSettings::Openai(endpoint) => Box::new(HttpEndpoint::new(endpoint.clone())),
        ProviderSettings::Model2vec(table) => Box::new(Table::open(&table.folder)?),
        ProviderSettings::Local(model) => local::provider(&model.folder)?,
    })
}

/// The parts of the database of the settings, if they name one.
fn database_of(
    settings: &SemanticSettings,
    stored_dimensions: usize,
) -> Result<Option<DatabaseParts>, SemanticError> {
    match (&settings.chunkhound, &settings.provider) {
        (Some(database), Some(ProviderSettings::Openai(endpoint))) => {
            chunkhound::read(database, endpoint, stored_dimensions).map(Some)
        }
        _ => Ok(None),
    }
}
