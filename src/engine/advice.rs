//! What builds the index of an engine, the error for a missing index, and the check of the folder for an index.

use std::path::{Path, PathBuf};

use super::api::{IndexRecipe, Options, Remedy};
use super::core::Engine;
use crate::error::{Error, ErrorKind};

impl Engine {
    /// The recipe of this engine's index.
    pub fn recipe(&self) -> IndexRecipe {
        let Options { grammars, max_file_bytes, hidden, no_ignore, no_built_in, secrets, .. } =
            &self.options();
        let is_default = *max_file_bytes == Options::default().max_file_bytes;
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        IndexRecipe {
            index_path: self.index_dir().to_path_buf(),
            root: self.root().to_path_buf(),
            view: self.view().map(str::to_string),
            index_dir: self.options().index_dir.as_ref().map(|_| absolute(&self.index_dir().to_path_buf())),
            grammars: grammars.as_ref().map(absolute),
            hidden: *hidden,
            no_ignore: *no_ignore,
            no_built_in: *no_built_in,
            secrets: *secrets,
            max_file_bytes: (!is_default).then_some(*max_file_bytes),
        }
    }
}

/// Building this engine's index, as a remedy.
pub(super) fn build_index(engine: &Engine) -> Remedy {
    Remedy::BuildIndex(Box::new(engine.recipe()))
}

/// The error for a missing index, if the options do not allow building it.
pub(super) fn no_index(engine: &Engine) -> Error {
    let text = format!("there is no index at {}", engine.index_dir().display());
    Error::new(ErrorKind::NoIndex, text).with(build_index(engine))
}

/// Refuses an index folder that cannot be one, because it is a file or lies below one.
pub(super) fn check_index_dir(dir: &Path) -> Result<(), Error> {
    let existing = dir.ancestors().find_map(|above| Some((above, above.metadata().ok()?)));
    match existing {
        Some((above, metadata)) if !metadata.is_dir() => {
            let why = if above == dir {
                "is a file".to_string()
            } else {
                format!("lies below the file '{}'", above.display())
            };
            let text = format!(
                "index_dir '{}' {why}; choose a folder, or one that is yet to be made",
                dir.display()
            );
            Err(Error::bad(text))
        }
        _ => Ok(()),
    }
}
