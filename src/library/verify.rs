//! Comparing raw files with the hashes of their import.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::api::{SourceBatch, VerifiedSource};
use super::error::LibraryError;
use super::listing;
use super::manifest::SourceManifest;
use super::open::Library;
use super::paths;
use spyhop_base::cancel;
use spyhop_engine::Error;

impl Library {
    /// Compares every raw file of a source with its hash. Nothing is changed.
    ///
    /// # Errors
    /// `UnknownSource`; `Damaged` if the list of hashes is damaged; `Io` if files cannot be read.
    pub fn verify(&self, name: &str) -> Result<VerifiedSource, Error> {
        Ok(self.verify_source(&self.find(name)?)?)
    }

    /// Compares the raw files of the sources of these names, or of every source if `names` is empty.
    ///
    /// # Errors
    /// An error of the library as a whole. Other errors are reported for their sources.
    pub fn verify_all(&self, names: &[String]) -> Result<SourceBatch<VerifiedSource>, Error> {
        self.each(names, |name| self.verify(name))
    }

    fn verify_source(&self, manifest: &SourceManifest) -> Result<VerifiedSource, LibraryError> {
        let mut verified = VerifiedSource {
            name: manifest.name.clone(),
            is_held: manifest.is_held(),
            files: 0,
            changed: Vec::new(),
            missing: Vec::new(),
            added: Vec::new(),
        };
        if !verified.is_held {
            return Ok(verified);
        }
        let import = self.paths.import(&manifest.id, manifest.import);
        let listed = paths::listing_in(&import);
        let (hash, files) = listing::read(&listed)?;
        if manifest.tree_hash.as_ref() != Some(&hash) {
            return Err(LibraryError::damaged(&listed, "it belongs to another import"));
        }
        let tree = paths::tree_in(&import);
        let mut found = BTreeMap::new();
        entries_below(&tree, "", &mut found)?;
        for file in files {
            if cancel::is_cancelled() {
                return Err(LibraryError::Cancelled);
            }
            verified.files += 1;
            let path = tree.join(&file.path);
            match found.remove(&file.path) {
                None => verified.missing.push(file.path),
                Some(Some(bytes)) if bytes == file.bytes => {
                    let hash =
                        listing::hash_of(&path).map_err(|error| LibraryError::io("read", &path, error))?;
                    if hash != file.hash {
                        verified.changed.push(file.path);
                    }
                }
                Some(_) => verified.changed.push(file.path),
            }
        }
        verified.added = found.into_keys().collect();
        Ok(verified)
    }
}

/// The entries below a folder that are not folders, with the sizes of regular files.
fn entries_below(
    folder: &Path,
    prefix: &str,
    found: &mut BTreeMap<String, Option<u64>>,
) -> Result<(), LibraryError> {
    let reading = |error| LibraryError::io("list", folder, error);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        // All files are missing then.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(reading(error)),
    };
    for entry in entries {
        let entry = entry.map_err(reading)?;
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let metadata = entry.metadata().map_err(reading)?;
        if metadata.is_dir() {
            entries_below(&entry.path(), &format!("{path}/"), found)?;
        } else {
            found.insert(path, metadata.is_file().then_some(metadata.len()));
        }
    }
    Ok(())
}
