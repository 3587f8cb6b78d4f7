//! Vectors and expansions: what makes them, where they lie, and how files are compared with a question.

mod build;
#[cfg_attr(not(feature = "chunkhound"), path = "without_chunkhound.rs")]
mod chunkhound;
mod compare;
mod database;
mod endpoint;
#[cfg_attr(not(feature = "sparse-splade"), path = "without_expansion.rs")]
mod expansion;
mod http;
#[cfg_attr(not(feature = "local-model"), path = "without_local.rs")]
mod local;
mod parts;
mod provider;
#[cfg_attr(not(feature = "qdrant"), path = "without_qdrant.rs")]
mod qdrant;
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
use crate::model::{BuildProgress, BuildReport, BuildText, Estimate, StoredKind, StoredVectors};
use crate::settings::{ProviderSettings, SemanticSettings};
use build::{Build, RowMaker, VectorMaker};
use compare::{Broken, QuestionAsker, RowAsker};
use database::DatabaseParts;
use endpoint::HttpEndpoint;
use provider::Provider;
use silence::lock;
use store::{StoreWriter, Stored};
use table::Table;

/// The version of how texts are cut and rows are packed; a change makes all rows anew.
const FORM: u32 = 1;

/// The folder of the vectors and expansions of a workspace, and what is open of it.
pub struct SemanticFolder {
    path: PathBuf,
    /// By kind.
    open: [Mutex<Option<Open>>; 2],
    reranker: Mutex<Option<OpenReranker>>,
}

/// What is open of a folder, as of a state of its files.
struct Open {
    settings: FileStamp,
    asker: Arc<dyn RowAsker>,
    location: StoreLocation,
    records: FileStamp,
    comparer: Arc<dyn SimilarTexts>,
}

/// Where the rows of a model are.
struct StoreLocation {
    folder: PathBuf,
    /// The bytes of a row.
    width: usize,
}

impl StoreLocation {
    fn stored(&self) -> Result<Stored, SemanticError> {
        Stored::open(&self.folder, self.width)
    }
}

type FileStamp = Option<(SystemTime, u64)>;

/// What reranks, if the settings name something, as of a state of the settings.
type OpenReranker = (FileStamp, Option<Arc<dyn Reranker>>);

fn stamp(path: &Path) -> FileStamp {
    let found = fs::metadata(path).ok()?;
    Some((found.modified().ok()?, found.len()))
}

impl SemanticFolder {
    /// The folder at `path`; no file is touched.
    pub fn new(path: PathBuf) -> SemanticFolder {
        SemanticFolder { path, open: Default::default(), reranker: Mutex::default() }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What compares texts by what is stored; `None` if the workspace has not opted in. Files that cannot be read give an
    /// object that says so.
    pub fn similar(&self, kind: StoredKind) -> Option<Arc<dyn SimilarTexts>> {
        let mut open = lock(&self.open[kind as usize]);
        let settings = stamp(&SemanticSettings::path(&self.path));
        if settings.is_none() {
            *open = None;
            return None;
        }
        match self.opened(kind, &mut open, settings) {
            Ok(comparer) => Some(comparer),
            Err(SemanticError::NotEnabled) => None,
            // The comparison with vectors tells that the settings cannot be read.
            Err(SemanticError::BadSettings { .. }) if kind == StoredKind::Expansions => None,
            Err(error) => Some(Arc::new(Broken { error, without: kind.name() })),
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
                Err(error) => Arc::new(Broken { error, without: "reranking" }) as Arc<dyn Reranker>,
            }),
        };
        *open = Some((settings, reranker.clone()));
        reranker
    }

    /// Opens what has changed since it was opened.
    fn opened(
        &self,
        kind: StoredKind,
        open: &mut Option<Open>,
        settings: FileStamp,
    ) -> Result<Arc<dyn SimilarTexts>, SemanticError> {
        let (asker, location, known) = match open.take().filter(|open| open.settings == settings) {
            Some(open) => (open.asker, open.location, Some((open.records, open.comparer))),
            None => {
                let (asker, location) = self.asker(kind, &self.settings()?)?;
                (asker, location, None)
            }
        };
        let records = stamp(&location.folder.join("files"));
        let comparer = match known.filter(|(known, _)| *known == records) {
            Some((_, comparer)) => comparer,
            None => Arc::clone(&asker).comparer(location.stored()?),
        };
        *open = Some(Open { settings, asker, location, records, comparer: Arc::clone(&comparer) });
        Ok(comparer)
    }

    /// What asks questions of what is stored, and where that is.
    fn asker(
        &self,
        kind: StoredKind,
        settings: &SemanticSettings,
    ) -> Result<(Arc<dyn RowAsker>, StoreLocation), SemanticError> {
        match kind {
            StoredKind::Vectors => {
                let (provider, location) = self.vectors(settings)?;
                let name = settings.provider.as_ref().map(ProviderSettings::model).unwrap_or_default();
                Ok((Arc::new(QuestionAsker::new(provider, name, location.width)), location))
            }
            StoredKind::Expansions => {
                let own = settings.expansion.as_ref().ok_or(SemanticError::NotEnabled)?;
                Ok((expansion::asker(own)?, self.location(kind, settings)?))
            }
        }
    }

    /// Where the rows of the model of the settings are.
    fn location(
        &self,
        kind: StoredKind,
        settings: &SemanticSettings,
    ) -> Result<StoreLocation, SemanticError> {
        let (identity, width) = match (kind, &settings.expansion) {
            (StoredKind::Vectors, _) => return Ok(self.vectors(settings)?.1),
            (StoredKind::Expansions, own) => {
                expansion::identity(own.as_ref().ok_or(SemanticError::NotEnabled)?)
            }
        };
        Ok(self.location_of(&format!("{FORM} {identity}"), width))
    }

    fn location_of(&self, identity: &str, width: usize) -> StoreLocation {
        let folder = self.path.join(&blake3::hash(identity.as_bytes()).to_hex()[..16]);
        StoreLocation { folder, width }
    }

    /// The provider of the settings, and where its vectors are. The width of a row is the number of dimensions that are
    /// stored.
    fn vectors(
        &self,
        settings: &SemanticSettings,
    ) -> Result<(Box<dyn Provider>, StoreLocation), SemanticError> {
        let provider = provider_of(settings.provider.as_ref().ok_or(SemanticError::NotEnabled)?)?;
        let dimensions = settings.stored_dimensions.min(provider.dimensions());
        let identity = format!("{FORM} {dimensions} {}", provider.identity());
        let identity = match &settings.chunkhound {
            Some(database) => format!("{identity} {}", database.database.display()),
            None => identity,
        };
        Ok((provider, self.location_of(&identity, dimensions)))
    }

    fn settings(&self) -> Result<SemanticSettings, SemanticError> {
        SemanticSettings::read(&self.path)?.ok_or(SemanticError::NotEnabled)
    }

    /// Opts in. Local models and databases are opened first; an endpoint is not asked. Returns a line about each model.
    pub fn enable(&self, settings: &SemanticSettings) -> Result<String, SemanticError> {
        settings.check()?;
        let mut lines = Vec::new();
        if let Some(own) = &settings.provider {
            let provider = shared(provider_of(own)?, settings)?;
            let line = format!("{}, {} dimensions, at {}", own.model(), provider.dimensions(), own.target());
            lines.push(line);
        }
        if let Some(parts) = database_of(settings, settings.stored_dimensions)? {
            lines.push(format!("vectors of {} files from a database", parts.len()));
        }
        if let Some(own) = &settings.qdrant {
            lines.push(format!("vectors shared by {}", own.url));
        }
        if let Some(own) = &settings.expansion {
            expansion::maker(own)?;
            lines.push(format!("{} words of each part by {}", own.terms, own.model()));
        }
        if let Some(own) = &settings.rerank {
            rerank::open(own)?;
            lines.push(format!("reranking by {} at {}", own.model(), own.target()));
        }
        settings.write(&self.path)?;
        Ok(lines.join("; "))
    }

    /// Whether the database of ChunkHound at `path` is the one whose vectors the tree at `root` has opted in to; `None` if no
    /// database is named. A caller cannot opt in by naming a database, so no other one is opened.
    pub fn database(&self, path: &Path, root: &Path) -> Option<Result<(), SemanticError>> {
        chunkhound::is_named(path).then(|| {
            let (path, root) = (chunkhound::file_of(path), root.display().to_string());
            let Ok(real) = path.canonicalize() else {
                let why = "there is no such file".to_string();
                return Err(SemanticError::NoDatabase { path, root, why });
            };
            let enabled = SemanticSettings::read(&self.path)?.and_then(|settings| settings.chunkhound);
            let enabled = enabled.and_then(|own| chunkhound::file_of(&own.database).canonicalize().ok());
            match enabled == Some(real) {
                true => Ok(()),
                false => Err(SemanticError::OtherDatabase { path, root }),
            }
        })
    }

    /// What is stored for the model of the settings.
    pub fn stored(&self, kind: StoredKind) -> Result<StoredVectors, SemanticError> {
        let stored = self.location(kind, &self.settings()?)?.stored()?;
        Ok(StoredVectors {
            contents: stored.n_contents(),
            rows: stored.n_rows(),
            bytes: files::bytes_below(&self.path),
            damaged: stored.n_damaged(),
        })
    }

    /// For each content, whether it lacks what is to be stored.
    pub fn lacking(&self, kind: StoredKind, contents: &[ContentHash]) -> Result<Vec<bool>, SemanticError> {
        let stored = self.location(kind, &self.settings()?)?.stored()?;
        Ok(contents.iter().map(|content| !stored.is_whole(*content)).collect())
    }

    /// The estimate for files of these bytes.
    pub fn estimate(
        &self,
        kind: StoredKind,
        (n_files, bytes): (usize, u64),
    ) -> Result<Estimate, SemanticError> {
        let tokens = provider::tokens(bytes);
        let settings = self.settings()?;
        if kind == StoredKind::Expansions || settings.chunkhound.is_some() {
            return Ok(Estimate { files: n_files, bytes, ..Estimate::default() });
        }
        let (price, cap) = match settings.provider {
            Some(ProviderSettings::Openai(endpoint)) => (endpoint.price, endpoint.max_tokens),
            _ => (None, None),
        };
        let cost = price.map(|price| tokens as f64 / 1e6 * price);
        Ok(Estimate { files: n_files, bytes, tokens, cost, cap })
    }

    /// Makes what is to be stored for `texts`, which `estimate` is about.
    pub fn build(
        &self,
        kind: StoredKind,
        estimate: &Estimate,
        texts: &mut dyn Iterator<Item = Result<BuildText, SemanticError>>,
        progress: &(dyn Fn(BuildProgress) + Sync),
    ) -> Result<BuildReport, SemanticError> {
        if let Some(cap) = estimate.cap.filter(|cap| estimate.tokens > *cap) {
            return Err(SemanticError::AboveCap { tokens: estimate.tokens, cap });
        }
        let settings = self.settings()?;
        let (maker, location, database) = match (kind, &settings.expansion) {
            (StoredKind::Vectors, _) => {
                let (provider, location) = self.vectors(&settings)?;
                let database = database_of(&settings, location.width)?;
                let provider = shared(provider, &settings)?;
                let maker = VectorMaker { provider, stored_dimensions: location.width };
                (Box::new(maker) as Box<dyn RowMaker>, location, database)
            }
            (StoredKind::Expansions, own) => {
                let own = own.as_ref().ok_or(SemanticError::NotEnabled)?;
                (expansion::maker(own)?, self.location(kind, &settings)?, None)
            }
        };
        let writer = StoreWriter::open(&location.folder, location.width)?;
        let report = BuildReport::default();
        let mut build = Build { writer, maker: &*maker, database, progress, report };
        let ended = build.run(texts);
        build.report.taken += maker.n_taken();
        build.report.sent -= maker.n_taken().min(build.report.sent);
        match ended {
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

/// The provider with the server of the settings, if they name one.
fn shared(
    provider: Box<dyn Provider>,
    settings: &SemanticSettings,
) -> Result<Box<dyn Provider>, SemanticError> {
    match &settings.qdrant {
        Some(server) => qdrant::shared(provider, server),
        None => Ok(provider),
    }
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
