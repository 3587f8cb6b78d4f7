//! A record of the change to a file, so that the change can be undone to the byte.
//!
//! This module owns the records, a small file for each configuration in the user's state folder. A record holds the
//! range that differs and hashes of both texts, not a copy of the file: the file contains other servers' secrets, which
//! Spyhop must not copy. A record is useful as long as the file is still the one that was written; after any other
//! change, the entry is removed by its name.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::splice::Splice;

/// The record of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub path: PathBuf,
    /// The hash of the text that was written.
    after: String,
    /// The hash of the text before; `None` where there was no file.
    before: Option<String>,
    /// The change.
    #[serde(flatten)]
    splice: Splice,
    /// The folders that were created for the file, outermost first.
    pub folders: Vec<PathBuf>,
    /// Whether Spyhop created the table of servers.
    pub whole: bool,
}

impl Record {
    pub fn new(path: &Path, before: Option<&str>, after: &str, whole: bool) -> Record {
        Record {
            path: path.to_path_buf(),
            after: hash(after),
            before: before.map(hash),
            splice: Splice::between(before.unwrap_or_default(), after),
            folders: Vec::new(),
            whole,
        }
    }

    /// The text before the change if `now` is the text that was written; `Some(None)` if there was no file.
    pub fn original(&self, now: &str) -> Option<Option<String>> {
        if hash(now) != self.after {
            return None;
        }
        let Some(before) = &self.before else { return Some(None) };
        let text = self.splice.back().on(now)?;
        (hash(&text) == *before).then_some(Some(text))
    }
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// The folder of the records.
pub fn folder(state: &Path) -> PathBuf {
    state.join("installed")
}

/// The path of the record for a file.
fn place(state: &Path, path: &Path) -> PathBuf {
    let name = blake3::hash(path.as_os_str().as_encoded_bytes()).to_hex();
    folder(state).join(format!("{}.json", &name[..32]))
}

/// The record for a file. A record that cannot be read counts as missing.
pub fn read(state: &Path, path: &Path) -> Option<Record> {
    let text = fs::read_to_string(place(state, path)).ok()?;
    serde_json::from_str(&text).ok().filter(|record: &Record| record.path == path)
}

pub fn write(state: &Path, record: &Record) -> std::io::Result<()> {
    let place = place(state, &record.path);
    let folder = place.parent().unwrap_or(state);
    fs::create_dir_all(folder)?;
    // The mode of a temporary file lets only its owner read it.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(serde_json::to_string_pretty(record)?.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(place)?;
    Ok(())
}

pub fn forget(state: &Path, path: &Path) {
    let _ = fs::remove_file(place(state, path));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_restores_what_it_is_about_and_nothing_else() {
        let state = tempfile::tempdir().unwrap();
        let path = Path::new("/home/a/file");
        let record = Record::new(path, Some("{a}"), "{a, ours}", false);
        write(state.path(), &record).unwrap();
        let read_back = read(state.path(), path).unwrap();
        assert_eq!(read_back, record);
        assert_eq!(read_back.original("{a, ours}"), Some(Some("{a}".into())));
        assert_eq!(read_back.original("{a, ours }"), None);
        assert_eq!(Record::new(path, None, "{ours}", true).original("{ours}"), Some(None));
        assert_eq!(read(state.path(), Path::new("/home/a/other")), None);
        forget(state.path(), path);
        assert_eq!(read(state.path(), path), None);
    }
}
