//! The folder of an index: where it lies, its owner, its lock, and how a reader opens its newest commit.
//!
//! ```text
//! WORKSPACE    the owner; an index of another tree is refused
//! lock         see [`spyhop_base::store::Lock`]
//! vN-HASH/     the data in format N for the parsers and tokenizer with that hash
//!   meta/      see [`crate::meta`]
//!   tantivy/   segments; its meta.json is the commit point
//! session-H    the touch log of the tree whose path has hash H
//! memory/      the logs of the notes of trees; what removes an index keeps this folder
//! semantic/    vectors of a model, if the workspace opts in; see the crate `semantic`
//! watch-H      see [`spyhop_files::watch`]; asks-H/ with it
//! in-flight/   see `src/update/quarantine.rs`
//! quarantine   see `src/update/quarantine.rs`
//! damaged-N/   data that could not be read and was rebuilt, with the reason; of data damaged in the same way the
//!              oldest and the newest stay
//! ```
//!
//! A program of another version, or with other grammars, has a separate data folder: while it builds that folder, the
//! old folder still serves the old program. A data folder that no process has updated for a week is removed.

mod aside;
mod committed;
mod error;
mod folder;
mod settings;
mod used;
mod writing;

pub use committed::Committed;
pub use error::{WorkspaceError, WriteError};
pub use folder::{MEMORY_FOLDER, Workspace};
pub use settings::{Settings, fingerprint, view_key};
pub use used::unix_now;
