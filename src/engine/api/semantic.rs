//! Requests about the vectors of a tree, and their reply.

use std::path::PathBuf;

use spyhop_attributes::reply;
use spyhop_base::path::RelPath;

/// What is asked of the vectors of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SemanticAction {
    /// What is enabled, and how many files have vectors.
    #[default]
    Status,
    /// Opts in to a model, in the folder of the index.
    Enable,
    /// Opts out. Vectors stay.
    Disable,
    /// What a build would send, and its price.
    Estimate,
    /// Makes the vectors that are missing.
    Build,
    /// Opts out and removes all vectors.
    Purge,
}

/// A request about the vectors of a tree, by a person: no tool and no server can opt in.
#[derive(Clone, Debug, Default)]
pub struct SemanticRequest {
    /// What is asked.
    pub action: SemanticAction,
    /// The folder of a table of Model2Vec, for [`SemanticAction::Enable`]; else an endpoint is meant.
    pub table: Option<PathBuf>,
    /// The folder of a transformer.
    pub local_model: Option<PathBuf>,
    /// The database of ChunkHound with vectors of the endpoint's model.
    pub chunkhound: Option<PathBuf>,
    /// The name that ChunkHound gives the provider; `None` is `openai`.
    pub chunkhound_provider: Option<String>,
    /// The program of DuckDB; `None` is `duckdb`.
    pub duckdb: Option<PathBuf>,
    /// The folder of a model of the kind SPLADE, which expands texts with words. Vectors stay as they are.
    pub expansion_folder: Option<PathBuf>,
    /// The address of a server of Qdrant, which keeps the vectors of the model that is enabled for several machines.
    pub qdrant_url: Option<String>,
    /// The collection; `None` is one for the model and where it is.
    pub qdrant_collection: Option<String>,
    /// The address of an endpoint that reranks. Vectors stay as they are.
    pub rerank_url: Option<String>,
    /// The model of this endpoint.
    pub rerank_model: Option<String>,
    /// The folder of a cross-encoder. Vectors stay as they are.
    pub rerank_folder: Option<PathBuf>,
    /// The address of the endpoint; `None` is that of OpenAI.
    pub base_url: Option<String>,
    /// The model; `None` is `text-embedding-3-small`.
    pub model: Option<String>,
    /// The numbers of a vector of the model, if they are not known.
    pub dimensions: Option<usize>,
    /// The environment variable with the key.
    pub key_variable: Option<String>,
    /// The file with the key.
    pub key_file: Option<PathBuf>,
    /// The most tokens that a build sends.
    pub max_tokens: Option<u64>,
    /// The price of a million tokens, as text.
    pub price: Option<String>,
    /// The calls at the same time.
    pub concurrency: Option<usize>,
    /// Whether a build only lists what it would send.
    pub dry_run: bool,
}

impl SemanticRequest {
    /// A request for an action.
    pub fn new(action: SemanticAction) -> SemanticRequest {
        SemanticRequest { action, ..SemanticRequest::default() }
    }
}

/// The state of the vectors of a tree, and what was done.
#[reply(Clone, Debug, Default)]
pub struct SemanticReply {
    /// Whether the program is built with vectors.
    pub built: bool,
    /// The model that is enabled.
    pub enabled: Option<EnabledModel>,
    /// The model that expands texts with words.
    pub expander: Option<EnabledModel>,
    /// The model that reranks.
    pub reranker: Option<EnabledModel>,
    /// The database that vectors are taken from.
    pub database: Option<PathBuf>,
    /// The address of the server of Qdrant that keeps vectors.
    pub qdrant: Option<String>,
    /// What was done, in a sentence.
    pub done: Option<String>,
    /// Files that can have vectors.
    pub files: usize,
    /// Files that have vectors.
    pub files_with_vectors: usize,
    /// Stored vectors.
    pub vectors: usize,
    /// Files that have expansions.
    pub files_with_expansions: usize,
    /// Stored expansions.
    pub expansions: usize,
    /// The bytes of vectors and expansions on the disk, of all models.
    pub bytes: u64,
    /// What a build would send.
    pub estimate: Option<BuildEstimate>,
    /// The files that a build would send.
    pub would_send: Vec<SentFile>,
    /// The files that are never sent, since they may hold secrets.
    pub never_sent: Vec<RelPath>,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// A model that makes vectors.
#[reply(Clone, Debug)]
pub struct EnabledModel {
    /// The name.
    pub model: String,
    /// Where texts go: an address or a folder.
    pub target: String,
    /// Whether texts leave this machine.
    pub sends: bool,
}

/// What a build would send.
#[reply(Clone, Debug)]
pub struct BuildEstimate {
    /// Files without vectors.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Their tokens, about.
    pub tokens: u64,
    /// The price, if that of a million tokens is set.
    pub cost: Option<f64>,
    /// The most tokens of one build, if there is a bound.
    pub max_tokens: Option<u64>,
}

/// A file that a build would send.
#[reply(Clone, Debug)]
pub struct SentFile {
    /// The path.
    pub path: RelPath,
    /// The bytes.
    pub bytes: u64,
}
