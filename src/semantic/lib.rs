//! Optional vectors of a model: an endpoint or a local table turns parts of files into vectors, which are stored beside the
//! index, and the first files of a search are compared with the question.
//!
//! A model can expand the parts with words, too, and a cross-encoder can read the first files beside the question. Ranking needs
//! none of this. A workspace opts in by a file of its own ([`SemanticSettings`]), and a program is built with the feature
//! `dense-embed`. Without the feature, [`SemanticFolder`] has the same methods, which touch nothing and
//! say how to get the feature.
//!
//! ```text
//! semantic/settings.toml    what the workspace opted in to
//! semantic/HASH/            the vectors of one model of one provider, or the expansions of one model
//!   lock                    the builder's lock
//!   vectors                 a row for each part of a file, found by the hash of its text
//!   files                   a record for each content: the spans of its parts, and their rows
//! ```

#![deny(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

#[cfg(feature = "dense-embed")]
mod dense;
#[cfg(not(feature = "dense-embed"))]
#[path = "without_vectors.rs"]
mod dense;
mod error;
mod model;
mod settings;

pub use dense::SemanticFolder;
pub use error::SemanticError;
pub use model::{BuildProgress, BuildReport, BuildText, Estimate, StoredKind, StoredVectors};
pub use settings::{
    DatabaseSettings, EndpointSettings, ExpansionSettings, FolderSettings, ProviderSettings, QdrantSettings,
    RerankSettings, SemanticSettings,
};

/// The name of the folder of vectors in the folder of an index.
pub const SEMANTIC_FOLDER: &str = "semantic";

/// Whether this program is built with vectors.
pub const IS_BUILT: bool = cfg!(feature = "dense-embed");
