//! Why there are no vectors.

use std::path::PathBuf;

use spyhop_base::store::{FileError, LockError};

/// Why vectors are not made or not used.
#[derive(Debug, thiserror::Error)]
pub enum SemanticError {
    /// The program is built without the feature.
    #[error(
        "this program is built without the feature {0}; build one with it by \
         'cargo install --path program --features {0}'"
    )]
    NotBuilt(&'static str),
    /// The workspace has not opted in.
    #[error(
        "vectors are not enabled for this tree; enable them by 'spyhop semantic enable', see docs/semantic.md"
    )]
    NotEnabled,
    /// There is no database of vectors.
    #[error("Run: chunkhound index {root}\nExpected database at: {}\n{why}", path.display())]
    NoDatabase { path: PathBuf, root: String, why: String },
    /// The tree has not opted in to a database.
    #[error(
        "Run: spyhop semantic enable --chunkhound {} --model MODEL\nThen take its vectors: spyhop semantic build\n\
         {root} has not opted in to this database of ChunkHound; leave db out to ask without it",
        path.display()
    )]
    OtherDatabase { path: PathBuf, root: String },
    /// A setting is wrong.
    #[error("{0}")]
    BadSetting(String),
    /// The settings cannot be read.
    #[error("the settings in {} cannot be read: {why}; write them anew by 'spyhop semantic enable'", path.display())]
    BadSettings { path: PathBuf, why: String },
    /// The endpoint needs a key.
    #[error("{variable} not configured: it is not set in the environment{file}")]
    NoKey { variable: String, file: String },
    /// More would be sent than the settings allow.
    #[error(
        "about {tokens} tokens would be sent and {cap} are allowed; allow more by \
         'spyhop semantic enable --max-tokens', or see what would be sent by 'spyhop semantic build --dry-run'"
    )]
    AboveCap { tokens: u64, cap: u64 },
    /// The model gave no answer.
    #[error("{model} gave no answer: {why}")]
    Provider { model: String, why: String },
    /// The build ended early. What was made before is kept.
    #[error("{cause}; {files} of {of} files have their vectors, and the next build goes on from there")]
    Ended { cause: Box<SemanticError>, files: usize, of: usize },
    /// The caller cancelled the build.
    #[error("the build was cancelled")]
    Cancelled,
    /// A file of the vectors cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// Another process makes vectors.
    #[error(transparent)]
    Lock(#[from] LockError),
}
