//! Vectors: what makes them, where they lie, and how files are compared with a question.

mod build;
mod compare;
mod endpoint;
mod parts;
mod provider;
mod store;
mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use spyhop_base::id::ContentHash;
use spyhop_base::store as files;
use spyhop_search::SimilarTexts;

use crate::error::SemanticError;
use crate::model::{BuildProgress, BuildReport, BuildText, Estimate, StoredVectors};
use crate::settings::{ProviderSettings, SemanticSettings};
use build::Build;
use compare::{Broken, Comparer, QuestionAsker, lock};
use endpoint::HttpEndpoint;
use provider::Provider;
use store::{StoreWriter, Stored};
use table::Table;

/// The version of how texts are cut and vectors are packed; a change makes all vectors anew.
const FORM: u32 = 1;

/// The folder of the vectors of a workspace, and what is open of it.
pub struct SemanticFolder {
    path: PathBuf,
    open: Mutex<Option<Open>>,
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
        SemanticFolder { path, open: Mutex::default() }
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

    /// Opens what has changed since it was opened.
    fn opened(&self, open: &mut Option<Open>, settings: FileStamp) -> Result<Arc<Comparer>, SemanticError> {
        let asker = open.take().filter(|open| open.settings == settings);
        let (asker, folder, known) = match asker {
            Some(open) => (open.asker, open.folder, Some((open.records, open.comparer))),
            None => {
                let read = SemanticSettings::read(&self.path)?.ok_or(SemanticError::NotEnabled)?;
                let (provider, folder, dimensions) = self.model(&read)?;
                (Arc::new(QuestionAsker::new(provider, read.model(), dimensions)), folder, None)
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
        let provider = provider_of(settings)?;
        let dimensions = settings.stored_dimensions.min(provider.dimensions());
        let identity = format!("{FORM} {dimensions} {}", provider.identity());
        let folder = self.path.join(&blake3::hash(identity.as_bytes()).to_hex()[..16]);
        Ok((provider, folder, dimensions))
    }

    fn settings(&self) -> Result<SemanticSettings, SemanticError> {
        SemanticSettings::read(&self.path)?.ok_or(SemanticError::NotEnabled)
    }

    /// Opts in. A local table is opened first; an endpoint is not asked. Returns a line about the model.
    pub fn enable(&self, settings: &SemanticSettings) -> Result<String, SemanticError> {
        settings.check()?;
        let provider = provider_of(settings)?;
        settings.write(&self.path)?;
        Ok(format!("{}, {} dimensions, at {}", settings.model(), provider.dimensions(), settings.target()))
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
        let (price, cap) = match self.settings()?.provider {
            ProviderSettings::Openai(endpoint) => (endpoint.price, endpoint.max_tokens),
            ProviderSettings::Model2vec(_) => (None, None),
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
        let (provider, folder, stored_dimensions) = self.model(&self.settings()?)?;
        let writer = StoreWriter::open(&folder, stored_dimensions)?;
        let report = BuildReport::default();
        let mut build = Build { writer, provider: &*provider, stored_dimensions, progress, report };
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
fn provider_of(settings: &SemanticSettings) -> Result<Box<dyn Provider>, SemanticError> {
    Ok(match &settings.provider {
        ProviderSettings::Openai(endpoint) => Box::new(HttpEndpoint::new(endpoint.clone())),
        ProviderSettings::Model2vec(table) => Box::new(Table::open(&table.folder)?),
    })
}
