//! The rows of vectors: `spyhop semantic enable` and the other commands of the family. They are for people alone: an agent
//! must not be able to have the text of a tree sent elsewhere.

use super::operation::OperationRow;
use super::param::{Takes, params};
use super::row::{FilledField, Row, command_line, listed, row};
use super::shared::FilledRequest;
use super::upkeep::DRY_RUN;
use spyhop_engine::api::SemanticRequest;

params! {
    pub(crate) TABLE = "table": Takes::Path,
        "The folder of a Model2Vec table (model.safetensors, tokenizer.json): nothing leaves this machine";
    pub(crate) MAX_TOKENS = "max_tokens": Takes::Number(1, 1_000_000_000_000),
        "Refuse a build that would send more tokens than this";
}

/// The rows of `semantic enable`.
pub(crate) const ENABLE_SEMANTIC_ROWS: &[Row<FilledRequest<SemanticRequest>>] = &[
    command_line(&TABLE, |call, param, given| call.request.table.fill(param, given)),
    row!(command_line "local_model" => request.local_model: Takes::Path,
        "The folder of a transformer such as MiniLM (config.json, tokenizer.json, model.safetensors): \
         nothing leaves this machine"),
    row!(command_line "base_url" => request.base_url: Takes::Text, default: Some("https://api.openai.com/v1"),
        "The address of an endpoint with the interface of OpenAI, such as http://127.0.0.1:11434/v1 of Ollama"),
    row!(command_line "model" => request.model: Takes::Text, default: Some("text-embedding-3-small"),
        "The model of the endpoint"),
    row!(command_line "dimensions" => request.dimensions: Takes::Number(1, 8192),
        "The numbers of a vector; known of OpenAI's models"),
    row!(command_line "key_variable" => request.key_variable: Takes::Text,
        "The environment variable with the key; OPENAI_API_KEY for OpenAI's address"),
    row!(command_line "key_file" => request.key_file: Takes::Path, "The file with the key"),
    command_line(&MAX_TOKENS, |call, param, given| call.request.max_tokens.fill(param, given)),
    row!(command_line "price" => request.price: Takes::Text,
        "The price of a million tokens, for estimates, such as 0.02"),
    row!(command_line "concurrency" => request.concurrency: Takes::Number(1, 64), default: Some("4"),
        "Calls of the endpoint at the same time"),
    row!(command_line "chunkhound" => request.chunkhound: Takes::Path,
        "A database of ChunkHound, from which a build takes vectors of the endpoint's model"),
    row!(command_line "chunkhound_provider" => request.chunkhound_provider: Takes::Text, default: Some("openai"),
        "The provider of these vectors, as ChunkHound names it"),
    row!(command_line "duckdb" => request.duckdb: Takes::Path,
        "The program of DuckDB, which reads the database; found on the path by default"),
    row!(command_line "qdrant_url" => request.qdrant_url: Takes::Text,
        "Share the vectors of the enabled model with other machines by a server of Qdrant, such as \
         http://127.0.0.1:6333"),
    row!(command_line "qdrant_collection" => request.qdrant_collection: Takes::Text,
        "The collection, which machines that share vectors name alike; else one for the model and where it is"),
    row!(command_line "expansion_folder" => request.expansion_folder: Takes::Path,
        "Expand texts with words by a SPLADE model in a folder: nothing leaves this machine; vectors stay \
         as they are"),
    row!(command_line "rerank_url" => request.rerank_url: Takes::Text,
        "Rerank the first files by an endpoint with the path /rerank, such as http://127.0.0.1:8080/v1; \
         vectors stay as they are"),
    row!(command_line "rerank_model" => request.rerank_model: Takes::Text, "The model of this endpoint"),
    row!(command_line "rerank_folder" => request.rerank_folder: Takes::Path,
        "Rerank the first files by a cross-encoder in a folder: nothing leaves this machine"),
];

/// Opts in to vectors.
pub(crate) const ENABLE_SEMANTIC: OperationRow = OperationRow::new(
    "semantic enable",
    "Opt in to the vectors of a model for this tree; nothing is sent yet",
    listed!(ENABLE_SEMANTIC_ROWS),
);

/// Reports the state of vectors.
pub(crate) const SEMANTIC_STATUS: OperationRow =
    OperationRow::new("semantic status", "Show which model is enabled, and how many files have vectors", &[]);

/// Opts out.
pub(crate) const DISABLE_SEMANTIC: OperationRow =
    OperationRow::new("semantic disable", "Opt out; the vectors stay for another time", &[]);

/// Estimates a build.
pub(crate) const ESTIMATE_SEMANTIC: OperationRow =
    OperationRow::new("semantic estimate", "Show how many tokens a build would send, and their price", &[]);

/// The rows of `semantic build`.
pub(crate) const BUILD_SEMANTIC_ROWS: &[Row<FilledRequest<SemanticRequest>>] =
    &[command_line(&DRY_RUN, |call, param, given| call.request.dry_run.fill(param, given))];

/// Makes vectors.
pub(crate) const BUILD_SEMANTIC: OperationRow = OperationRow::new(
    "semantic build",
    "Make the vectors that are missing; a build that ends early is continued by the next",
    listed!(BUILD_SEMANTIC_ROWS),
);

/// Removes vectors.
pub(crate) const PURGE_SEMANTIC: OperationRow =
    OperationRow::new("semantic purge", "Opt out and remove all vectors of this tree", &[]);
