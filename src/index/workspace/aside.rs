//! The files beside the current data: damaged data that were put aside, data of other formats, and the remains of
//! processes that died.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::WorkspaceError;
use super::folder::Workspace;
use spyhop_base::store::{self, AtFile, FORMAT_VERSION, TEMPORARY_PREFIX};

/// How long a data folder of another program version is kept after its last update.
const UNUSED: Duration = Duration::from_secs(7 * 24 * 3600);

/// The age from which a temporary file was left behind by a crash. A younger file may still be being written: the
/// session log is written without the lock.
const LEFT_BEHIND: Duration = Duration::from_secs(3600);

/// The prefix of the names of folders with data that could not be read.
const DAMAGED: &str = "damaged-";

impl Workspace {
    /// Moves data that cannot be read out of the way, with a note of the reason. Of data put aside for the same cause,
    /// the oldest and the newest stay. The caller holds the lock.
    pub fn put_aside(&self, reason: &str) -> Result<PathBuf, WorkspaceError> {
        let number = self.numbered_aside().last().map_or(1, |(number, _)| number + 1);
        let aside = self.dir.join(format!("{DAMAGED}{number}"));
        tracing::warn!(reason, aside = %aside.display(), "the index could not be read; it will be rebuilt");
        store::create_private_dir(&aside)?;
        store::replace(&aside.join("REASON"), &[reason.as_bytes(), b"\n"])?;
        let from = self.data_dir();
        let name = from.file_name().expect("it has a name").to_owned();
        store::rename(&from, &aside.join(name))?;
        store::sync_folder(&aside)?;
        store::sync_folder(&self.dir)?;
        self.claim()?;
        self.remove_repeats(reason)?;
        Ok(aside)
    }

    /// Removes data that were put aside for the same cause as `reason`, except the oldest, which is the state before
    /// the cause appeared, and the newest. The data in between were rebuilt from the sources and damaged again. Data
    /// that came with their sources stay, because the sources may exist nowhere else.
    fn remove_repeats(&self, reason: &str) -> Result<(), WorkspaceError> {
        let is_alike = |path: &PathBuf| {
            let recorded = std::fs::read_to_string(path.join("REASON")).unwrap_or_default();
            cause(recorded.trim_end()) == cause(reason)
        };
        let asides = self.numbered_aside().into_iter().map(|(_, path)| path);
        let alike: Vec<PathBuf> = asides.filter(is_alike).collect();
        let between = alike.get(1..alike.len().saturating_sub(1)).unwrap_or_default();
        for path in between.iter().filter(|path| !holds_sources(path)) {
            tracing::info!(path = %path.display(), "a repeat of damaged data is removed");
            store::remove_folder(path)?;
        }
        Ok(())
    }

    /// The folders of data put aside, in chronological order.
    fn numbered_aside(&self) -> Vec<(u64, PathBuf)> {
        let number = |path: &PathBuf| path.file_name()?.to_str()?.strip_prefix(DAMAGED)?.parse().ok();
        let asides = self.aside().into_iter();
        let mut numbered: Vec<(u64, PathBuf)> =
            asides.filter_map(|path| Some((number(&path)?, path))).collect();
        numbered.sort_unstable();
        numbered
    }

    /// The remains of processes that died: temporary files, and notes of files in flight.
    pub fn leftovers(&self) -> Vec<String> {
        let unnamed = [self.dir.clone(), self.meta_dir()];
        let unnamed = unnamed.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
        let unnamed = unnamed.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut found: Vec<String> = unnamed.filter(|name| name.starts_with(TEMPORARY_PREFIX)).collect();
        let notes = std::fs::read_dir(self.dir.join("in-flight")).map_or(0, |notes| notes.count());
        if notes > 0 {
            found.push(format!("{notes} notes of files that were being parsed"));
        }
        found.sort();
        found
    }

    /// Removes the remains of processes that died: temporary folders, which only an import makes, and old temporary
    /// files. The caller holds the lock.
    pub(crate) fn remove_leftovers(&self) -> Result<(), WorkspaceError> {
        for path in self.entries(|name| name.starts_with(TEMPORARY_PREFIX)) {
            let Ok(found) = path.symlink_metadata() else { continue };
            if found.is_dir() {
                store::remove_folder(&path)?;
            } else if found.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age > LEFT_BEHIND)) {
                match std::fs::remove_file(&path) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                        Err(error).at("remove", &path)?;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// The folders of data put aside.
    pub fn aside(&self) -> Vec<PathBuf> {
        self.entries(|name| name.starts_with(DAMAGED))
    }

    /// Data folders of other formats or for other parsers that no process has updated for `unused`. Folders of a newer
    /// format are not included.
    pub fn others(&self, unused: Duration) -> Vec<PathBuf> {
        let current = self.data_dir();
        let is_data = |name: &str| {
            let format =
                name.strip_prefix('v').and_then(|rest| rest.split_once('-')).map(|(format, _)| format);
            // The first format had no separate folder.
            matches!(name, "meta" | "tantivy")
                || format.and_then(|format| format.parse().ok()).is_some_and(|it: u32| it <= FORMAT_VERSION)
        };
        let is_unused = |path: &PathBuf| {
            let commit = [path.join("tantivy/meta.json"), self.dir.join("tantivy/meta.json"), path.clone()];
            let written = commit.iter().find_map(|path| path.metadata().ok()?.modified().ok());
            written.is_none_or(|time| time.elapsed().unwrap_or_default() >= unused)
        };
        let mut others = self.entries(is_data);
        others.retain(|path| *path != current && is_unused(path));
        others
    }

    /// Removes data folders. The caller holds the lock.
    pub(crate) fn remove_others(&self, others: &[PathBuf]) -> Result<(), WorkspaceError> {
        for path in others {
            store::remove_folder(path)?;
        }
        Ok(())
    }

    /// Removes the data folders that are no longer used, and the remains of an import that died. The caller holds the
    /// lock.
    pub(crate) fn remove_unused_others(&self) -> Result<(), WorkspaceError> {
        self.remove_leftovers()?;
        self.remove_others(&self.others(UNUSED))
    }

    fn entries(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let wanted = entries.filter(|entry| entry.file_name().to_str().is_some_and(&is_wanted));
        let mut paths: Vec<PathBuf> = wanted.map(|entry| entry.path()).collect();
        paths.sort();
        paths
    }
}

/// A reason without the parts that differ between two indexes: words with a digit in them, such as generations and
/// segment names.
fn cause(reason: &str) -> String {
    let words = reason.split_inclusive(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.contains(|c: char| c.is_ascii_digit())).collect()
}

/// Whether data that were put aside came with their sources.
fn holds_sources(aside: &Path) -> bool {
    let folders = |path: &Path| std::fs::read_dir(path).into_iter().flatten().flatten();
    let is_sources =
        |entry: std::fs::DirEntry| entry.path().extension().is_some_and(|extension| extension == "sources");
    folders(aside).any(|data| folders(&data.path().join("meta")).any(is_sources))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_of_damaged_data_are_bounded_and_nothing_else_goes() {
        let dir = tempfile::tempdir().unwrap();
        let workspace =
            Workspace::new("/tree".into(), "/tree".into(), dir.path().to_path_buf(), "test".into());
        let put_aside = |content: &str, reason: &str| {
            workspace.claim().unwrap();
            std::fs::write(workspace.meta_dir().join(content), b"x").unwrap();
            workspace.put_aside(reason).unwrap().file_name().unwrap().to_str().unwrap().to_string()
        };
        assert_eq!(put_aside("first", "record g000000001.base is damaged: a part of a view"), "damaged-1");
        assert_eq!(put_aside("other", "record g000000002.base is damaged: checksum"), "damaged-2");
        assert_eq!(
            put_aside("g.sources", "record g000000003.base is damaged: a part of a view"),
            "damaged-3"
        );
        for number in 4..10 {
            let reason = format!("record g00000000{number}.delta is damaged: a part of a view");
            assert_eq!(put_aside("again", &reason.replace("delta", "base")), format!("damaged-{number}"));
        }
        let mut left: Vec<String> = workspace
            .aside()
            .iter()
            .map(|path| path.file_name().unwrap().to_str().unwrap().to_string())
            .collect();
        left.sort();
        assert_eq!(left, ["damaged-1", "damaged-2", "damaged-3", "damaged-9"]);
        assert!(dir.path().join("damaged-1").join(workspace.data_dir().file_name().unwrap()).is_dir());
    }
}
