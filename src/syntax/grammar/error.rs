//! Why a language or a manifest was rejected.

use std::path::PathBuf;

use spyhop_base::model::UnknownKind;
use spyhop_base::similar::did_you_mean;

/// An unknown language, or one whose parser is not linked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown language '{value}'; choose one of {choices}{}", did_you_mean(value, choices.split(", ")))]
pub struct UnknownLanguage {
    pub value: String,
    pub choices: String,
}

/// Why a manifest was rejected.
#[derive(Debug, thiserror::Error)]
pub enum GrammarError {
    /// A file or folder could not be read.
    #[error("cannot read '{}': {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    /// A folder does not have the name of a language with a linked parser.
    #[error("'{}' is not named after a language: {unknown}", path.display())]
    Folder {
        path: PathBuf,
        /// The name of the folder, and the valid names.
        unknown: UnknownLanguage,
    },
    /// The manifest is not TOML, or has an invalid key or value.
    #[error("{source_name}: {message}")]
    Manifest {
        source_name: String,
        /// The parser's message; it lists the valid keys.
        message: String,
    },
    /// The manifest's name is not that of its folder.
    #[error("{source_name}: name '{value}' is not that of its folder, '{expected}'")]
    Name { source_name: String, value: String, expected: String },
    /// The manifest claims something that belongs to another language.
    #[error("{source_name}: '{value}' belongs to {owner} already")]
    Claimed {
        source_name: String,
        /// The extension, file name, interpreter or alias.
        value: String,
        owner: String,
    },
    /// The parser has no such node kind.
    #[error("{source_name}: unknown node kind '{value}'; the nearest are {near}")]
    NodeKind {
        source_name: String,
        /// The node kind in the manifest.
        value: String,
        /// Similar kinds of the parser.
        near: String,
    },
    /// The parser has no such field.
    #[error("{source_name}: unknown field '{value}'; the nearest are {near}")]
    Field {
        source_name: String,
        value: String,
        /// Similar fields of the parser.
        near: String,
    },
    /// The manifest names an unknown symbol kind.
    #[error("{source_name}: {unknown}")]
    SymbolKind {
        source_name: String,
        /// The symbol kind in the manifest, and the valid kinds.
        unknown: UnknownKind,
    },
}
