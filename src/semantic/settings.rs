//! What a workspace opted in to: `settings.toml` in its folder, which `spyhop semantic enable` writes.
//!
//! The file lies beside the index and not in the tree, so that a tree from elsewhere cannot have its text sent to a server.
//! A key is never in the file, only the name of the variable or of the file that has it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::SemanticError;
use crate::model::StoredKind;
use spyhop_base::store::{self, AtFile, Private};

/// The name of the file.
const FILE: &str = "settings.toml";

/// The first line of the file.
const HEAD: &str = "# Written by 'spyhop semantic enable'.\n";

/// The settings of the vectors of a workspace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SemanticSettings {
    /// The most numbers of a vector that are stored.
    #[serde(default = "stored_dimensions")]
    pub stored_dimensions: usize,
    /// What makes vectors; `None` if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<ProviderSettings>,
    /// An existing database, from which a build takes vectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunkhound: Option<DatabaseSettings>,
    /// A server that keeps vectors for several machines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qdrant: Option<QdrantSettings>,
    /// What expands texts with words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expansion: Option<ExpansionSettings>,
    /// What reranks the first files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerank: Option<RerankSettings>,
}

impl Default for SemanticSettings {
    /// Without a model.
    fn default() -> SemanticSettings {
        SemanticSettings {
            stored_dimensions: stored_dimensions(),
            provider: None,
            chunkhound: None,
            qdrant: None,
            expansion: None,
            rerank: None,
        }
    }
}

/// The default of [`SemanticSettings::stored_dimensions`]: of 384 numbers the first 128 rank as well.
fn stored_dimensions() -> usize {
    256
}

/// What makes vectors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ProviderSettings {
    /// An HTTP endpoint with the interface of OpenAI.
    Openai(EndpointSettings),
    /// A static table of Model2Vec in a local folder.
    Model2vec(FolderSettings),
    /// A transformer in a local folder.
    Local(FolderSettings),
}

/// A database of ChunkHound with vectors of the model of the endpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatabaseSettings {
    /// The file of DuckDB.
    pub database: PathBuf,
    /// The name that ChunkHound gives the provider of the vectors.
    #[serde(default = "database_provider")]
    pub provider: String,
    /// The program of DuckDB, which reads the database.
    #[serde(default = "duckdb")]
    pub program: PathBuf,
}

fn database_provider() -> String {
    "openai".to_string()
}

fn duckdb() -> PathBuf {
    PathBuf::from("duckdb")
}

impl DatabaseSettings {
    /// The settings of a database; `None` is the name of OpenAI's provider, and the program on the path.
    pub fn new(database: PathBuf, provider: Option<String>, program: Option<PathBuf>) -> DatabaseSettings {
        let provider = provider.unwrap_or_else(database_provider);
        DatabaseSettings { database, provider, program: program.unwrap_or_else(duckdb) }
    }
}

/// A server of Qdrant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QdrantSettings {
    /// The address before `/collections`.
    pub url: String,
    /// The collection; by default one is named after the model and where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    /// The environment variable that has the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_variable: Option<String>,
    /// The file that has the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_file: Option<PathBuf>,
}

impl QdrantSettings {
    /// Vectors tell much of a text, so they go the ways of a key, whether there is one or not.
    fn check(&self) -> Result<(), SemanticError> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if let Some(name) =
            self.collection.as_ref().filter(|name| name.is_empty() || !name.chars().all(is_plain))
        {
            let text = format!("the collection is '{name}'; choose letters, digits, '-', '_' and '.'");
            return Err(SemanticError::BadSetting(text));
        }
        check_url("the address of Qdrant", &self.url, true)
    }

    /// Whether vectors leave this machine.
    pub fn sends(&self) -> bool {
        !is_local(&self.url)
    }
}

/// What expands texts with words: a model of the kind SPLADE in a local folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpansionSettings {
    /// The folder with `config.json`, `model.safetensors` and `tokenizer.json`.
    pub folder: PathBuf,
    /// The most words of a part that are stored.
    #[serde(default = "expansion_terms")]
    pub terms: usize,
}

fn expansion_terms() -> usize {
    128
}

impl ExpansionSettings {
    /// The settings of a folder.
    pub fn new(folder: PathBuf) -> ExpansionSettings {
        ExpansionSettings { folder, terms: expansion_terms() }
    }

    /// The name of the model in reasons.
    pub fn model(&self) -> String {
        name_of(&self.folder)
    }
}

/// What reranks the first files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum RerankSettings {
    /// An HTTP endpoint with the path `/rerank`.
    Endpoint(RerankEndpoint),
    /// A cross-encoder in a local folder.
    Local(RerankFolder),
}

/// An endpoint that reranks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RerankEndpoint {
    /// The address before `/rerank`.
    pub base_url: String,
    /// The name of the model.
    pub model: String,
    /// The environment variable that has the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_variable: Option<String>,
    /// The file that has the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_file: Option<PathBuf>,
    /// How long a search waits, in milliseconds.
    #[serde(default = "rerank_ms")]
    pub budget_ms: u64,
}

/// A cross-encoder in a local folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RerankFolder {
    /// The folder with `config.json`, `model.safetensors` and `tokenizer.json`.
    pub folder: PathBuf,
    /// How long a search waits, in milliseconds.
    #[serde(default = "rerank_ms")]
    pub budget_ms: u64,
}

fn rerank_ms() -> u64 {
    2_000
}

impl RerankSettings {
    /// The settings of an endpoint.
    pub fn endpoint(
        base_url: &str,
        model: &str,
        key_variable: Option<String>,
        key_file: Option<PathBuf>,
    ) -> RerankSettings {
        let (base_url, model) = (base_url.trim_end_matches('/').to_string(), model.to_string());
        let budget_ms = rerank_ms();
        RerankSettings::Endpoint(RerankEndpoint { base_url, model, key_variable, key_file, budget_ms })
    }

    /// The settings of a folder.
    pub fn folder(folder: PathBuf) -> RerankSettings {
        RerankSettings::Local(RerankFolder { folder, budget_ms: rerank_ms() })
    }

    /// The name of the model in reasons.
    pub fn model(&self) -> String {
        match self {
            RerankSettings::Endpoint(endpoint) => endpoint.model.clone(),
            RerankSettings::Local(RerankFolder { folder, .. }) => name_of(folder),
        }
    }

    /// Where texts go.
    pub fn target(&self) -> String {
        match self {
            RerankSettings::Endpoint(endpoint) => endpoint.base_url.clone(),
            RerankSettings::Local(RerankFolder { folder, .. }) => folder.display().to_string(),
        }
    }

    /// Whether texts leave this machine.
    pub fn sends(&self) -> bool {
        matches!(self, RerankSettings::Endpoint(endpoint) if !is_local(&endpoint.base_url))
    }

    fn check(&self) -> Result<(), SemanticError> {
        match self {
            RerankSettings::Endpoint(RerankEndpoint { base_url, model, key_variable, key_file, .. }) => {
                check_address(base_url, model, key_variable.is_some() || key_file.is_some())
            }
            RerankSettings::Local(_) => Ok(()),
        }
    }
}

/// The name of a model in a folder.
fn name_of(folder: &Path) -> String {
    folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned()
}

/// An HTTP endpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndpointSettings {
    /// The address before `/embeddings`.
    pub base_url: String,
    /// The name of the model.
    pub model: String,
    /// The numbers of a vector.
    pub dimensions: usize,
    /// The environment variable that has the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_variable: Option<String>,
    /// The file that has the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_file: Option<PathBuf>,
    /// The most tokens, about, that one build sends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// The price of a million tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<f64>,
    /// The calls at the same time.
    #[serde(default = "concurrency")]
    pub concurrency: usize,
    /// How long a search waits for the vector of its question, in milliseconds.
    #[serde(default = "question_ms")]
    pub question_ms: u64,
    /// How long a build waits for one answer, in milliseconds.
    #[serde(default = "build_ms")]
    pub build_ms: u64,
}

fn concurrency() -> usize {
    4
}

fn question_ms() -> u64 {
    2_000
}

fn build_ms() -> u64 {
    60_000
}

/// The endpoint of OpenAI.
const OPENAI: &str = "https://api.openai.com/v1";

/// The models whose dimensions are known, and whether a request may ask for fewer.
const KNOWN_MODELS: &[(&str, usize, bool)] = &[
    ("text-embedding-3-small", 1536, true),
    ("text-embedding-3-large", 3072, true),
    ("text-embedding-ada-002", 1536, false),
];

impl EndpointSettings {
    /// The settings of a model at an address; `None` is OpenAI's.
    ///
    /// # Errors
    /// The dimensions of the model are not known.
    pub fn new(
        base_url: Option<&str>,
        model: Option<&str>,
        dimensions: Option<usize>,
    ) -> Result<EndpointSettings, SemanticError> {
        let base_url = base_url.unwrap_or(OPENAI).trim_end_matches('/').to_string();
        let model = model.unwrap_or(KNOWN_MODELS[0].0).to_string();
        let known =
            KNOWN_MODELS.iter().find(|(name, ..)| *name == model).map(|(_, dimensions, _)| *dimensions);
        let Some(dimensions) = dimensions.or(known) else {
            let text =
                format!("the dimensions of the model '{model}' are not known; give them by --dimensions");
            return Err(SemanticError::BadSetting(text));
        };
        let key_variable = (base_url == OPENAI).then(|| "OPENAI_API_KEY".to_string());
        let (key_file, max_tokens, price) = (None, None, None);
        let (concurrency, question_ms, build_ms) = (concurrency(), question_ms(), build_ms());
        Ok(EndpointSettings {
            base_url,
            model,
            dimensions,
            key_variable,
            key_file,
            max_tokens,
            price,
            concurrency,
            question_ms,
            build_ms,
        })
    }

    /// Whether requests ask for the dimensions: those of a model that can give fewer, if these are fewer.
    pub fn asks_dimensions(&self) -> bool {
        KNOWN_MODELS.iter().any(|(name, dimensions, may_cut)| {
            *name == self.model && *may_cut && *dimensions != self.dimensions
        })
    }

    fn check(&self) -> Result<(), SemanticError> {
        let bad = |text: String| Err(SemanticError::BadSetting(text));
        check_address(&self.base_url, &self.model, self.key_variable.is_some() || self.key_file.is_some())?;
        if !(1..=MAX_DIMENSIONS).contains(&self.dimensions) {
            return bad(format!("dimensions is {}; choose 1 to {MAX_DIMENSIONS}", self.dimensions));
        }
        if !(1..=MAX_CONCURRENCY).contains(&self.concurrency) {
            return bad(format!("concurrency is {}; choose 1 to {MAX_CONCURRENCY}", self.concurrency));
        }
        Ok(())
    }
}

/// The host of an address is this machine.
fn is_local(base_url: &str) -> bool {
    let host = base_url.split_once("://").map_or(base_url, |(_, rest)| rest);
    let host = host.split('/').next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let name = match host.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Refuses an address or a model that cannot be right, and an address to which no key may go.
fn check_address(url: &str, model: &str, has_key: bool) -> Result<(), SemanticError> {
    check_url("base_url", url, has_key)?;
    if model.trim().is_empty() {
        return Err(SemanticError::BadSetting("model is empty".to_string()));
    }
    Ok(())
}

/// Refuses an address that cannot be right, and one to which nothing secret may go. `name` is what the address is called.
fn check_url(name: &str, url: &str, is_secret: bool) -> Result<(), SemanticError> {
    let bad = |text: String| Err(SemanticError::BadSetting(text));
    if !url.starts_with("https://") && !url.starts_with("http://") {
        return bad(format!("{name} is '{url}'; give an address that begins with https:// or http://"));
    }
    if url.contains('@') {
        return bad(format!("{name} has a user; give a key by --key-variable or --key-file"));
    }
    if is_secret && url.starts_with("http://") && !is_local(url) {
        return bad(format!("{name} is '{url}', where a key could be read on its way; use https://"));
    }
    Ok(())
}

/// The most numbers of a vector.
const MAX_DIMENSIONS: usize = 8192;

/// The most words of an expansion.
const MAX_TERMS: usize = 4096;

/// The most calls at the same time.
const MAX_CONCURRENCY: usize = 64;

/// A model in a local folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FolderSettings {
    /// The folder with `model.safetensors` and `tokenizer.json`.
    pub folder: PathBuf,
}

impl ProviderSettings {
    /// The name of the model in reasons.
    pub fn model(&self) -> String {
        match self {
            ProviderSettings::Openai(endpoint) => endpoint.model.clone(),
            ProviderSettings::Model2vec(own) | ProviderSettings::Local(own) => name_of(&own.folder),
        }
    }

    /// Where texts go.
    pub fn target(&self) -> String {
        match self {
            ProviderSettings::Openai(endpoint) => endpoint.base_url.clone(),
            ProviderSettings::Model2vec(own) | ProviderSettings::Local(own) => {
                own.folder.display().to_string()
            }
        }
    }

    /// Whether texts leave this machine.
    pub fn sends(&self) -> bool {
        matches!(self, ProviderSettings::Openai(endpoint) if !is_local(&endpoint.base_url))
    }
}

impl SemanticSettings {
    /// The settings of a provider.
    pub fn new(provider: ProviderSettings) -> SemanticSettings {
        SemanticSettings { provider: Some(provider), ..SemanticSettings::default() }
    }

    /// Checks the values.
    ///
    /// # Errors
    /// The first wrong value, with the choices.
    pub fn check(&self) -> Result<(), SemanticError> {
        if !(8..=MAX_DIMENSIONS).contains(&self.stored_dimensions) {
            let text =
                format!("stored_dimensions is {}; choose 8 to {MAX_DIMENSIONS}", self.stored_dimensions);
            return Err(SemanticError::BadSetting(text));
        }
        if let Some(ProviderSettings::Openai(endpoint)) = &self.provider {
            endpoint.check()?;
        } else if self.chunkhound.is_some() {
            let text = "the vectors of a database need the endpoint of their model, for questions";
            return Err(SemanticError::BadSetting(text.to_string()));
        }
        if let Some(qdrant) = &self.qdrant {
            if self.provider.is_none() {
                let text =
                    "no model is enabled whose vectors the server of Qdrant could keep; enable one first";
                return Err(SemanticError::BadSetting(text.to_string()));
            }
            qdrant.check()?;
        }
        if let Some(ExpansionSettings { terms, .. }) = &self.expansion
            && !(1..=MAX_TERMS).contains(terms)
        {
            let text = format!("terms of the expansion is {terms}; choose 1 to {MAX_TERMS}");
            return Err(SemanticError::BadSetting(text));
        }
        self.rerank.as_ref().map_or(Ok(()), RerankSettings::check)
    }

    /// What the workspace has opted in to have stored.
    pub fn kinds(&self) -> Vec<StoredKind> {
        let is_enabled = |kind: &StoredKind| match kind {
            StoredKind::Vectors => self.provider.is_some(),
            StoredKind::Expansions => self.expansion.is_some(),
        };
        StoredKind::ALL.into_iter().filter(is_enabled).collect()
    }

    /// The path of the settings in a folder.
    pub fn path(folder: &Path) -> PathBuf {
        folder.join(FILE)
    }

    /// The settings in a folder; `None` if the workspace has not opted in.
    ///
    /// # Errors
    /// The file cannot be read or has wrong values.
    pub fn read(folder: &Path) -> Result<Option<SemanticSettings>, SemanticError> {
        let path = SemanticSettings::path(folder);
        let mut text = String::new();
        match Private::Read.open(&path) {
            Ok(mut file) => std::io::Read::read_to_string(&mut file, &mut text).at("read", &path)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Err::<(), _>(error).at("read", &path).unwrap_err().into()),
        };
        let settings: SemanticSettings = toml::from_str(&text)
            .map_err(|error| SemanticError::BadSettings { path, why: error.message().to_string() })?;
        settings.check()?;
        Ok(Some(settings))
    }

    /// Writes the settings into a folder.
    ///
    /// # Errors
    /// A value is wrong, or the file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), SemanticError> {
        self.check()?;
        store::create_private_dir(folder)?;
        let text = toml::to_string(self).map_err(|error| SemanticError::BadSetting(error.to_string()))?;
        Ok(store::replace(&SemanticSettings::path(folder), &[HEAD.as_bytes(), text.as_bytes()])?)
    }

    /// Opts out; returns whether the workspace had opted in. Vectors stay.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub fn remove(folder: &Path) -> Result<bool, SemanticError> {
        let path = SemanticSettings::path(folder);
        match std::fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(Err::<(), _>(error).at("remove", &path).unwrap_err().into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("semantic");
        assert_eq!(SemanticSettings::read(&folder).unwrap(), None);
        let endpoint = EndpointSettings::new(None, None, None).unwrap();
        assert_eq!((endpoint.model.as_str(), endpoint.dimensions), ("text-embedding-3-small", 1536));
        let settings = SemanticSettings::new(ProviderSettings::Openai(endpoint));
        settings.write(&folder).unwrap();
        assert_eq!(SemanticSettings::read(&folder).unwrap(), Some(settings));
        assert!(SemanticSettings::remove(&folder).unwrap());
        assert!(!SemanticSettings::remove(&folder).unwrap());
        std::fs::write(SemanticSettings::path(&folder), "[provider]\nkind = \"oracle\"\n").unwrap();
        let error = SemanticSettings::read(&folder).unwrap_err().to_string();
        assert!(error.contains("settings.toml cannot be read") && error.contains("oracle"), "{error}");
    }

    #[test]
    fn a_key_goes_over_https_or_to_this_machine() {
        let check = |url: &str, key: bool, expected: Option<&str>| {
            let mut endpoint = EndpointSettings::new(Some(url), Some("m"), Some(8)).unwrap();
            endpoint.key_variable = key.then(|| "KEY".to_string());
            let checked = SemanticSettings::new(ProviderSettings::Openai(endpoint)).check();
            match expected {
                None => checked.unwrap(),
                Some(text) => assert!(checked.unwrap_err().to_string().contains(text), "{url}"),
            }
        };
        check("https://example.org/v1", true, None);
        check("http://127.0.0.1:11434/v1", true, None);
        check("http://[::1]:11434/v1", true, None);
        check("http://localhost:1/v1", true, None);
        check("http://example.org/v1", false, None);
        check("http://example.org/v1", true, Some("use https://"));
        check("http://127.0.0.1.example.org/v1", true, Some("use https://"));
        check("https://user:key@example.org", false, Some("--key-file"));
        check("ftp://example.org", false, Some("https://"));
    }

    #[test]
    fn the_dimensions_of_an_unknown_model_are_asked_for() {
        let error = EndpointSettings::new(None, Some("nomic"), None).unwrap_err().to_string();
        assert!(error.contains("'nomic'") && error.contains("--dimensions"), "{error}");
        let fewer = EndpointSettings::new(None, None, Some(256)).unwrap();
        assert!(
            fewer.asks_dimensions() && !EndpointSettings::new(None, None, None).unwrap().asks_dimensions()
        );
    }
}
