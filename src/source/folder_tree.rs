//! A folder of the file system as a source.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::content_id::ContentId;
use super::source_tree::{SourceEntry, SourceTree};
use crate::input;

/// A file that was modified this recently may be modified again without a change of its stat data.
const RECENT: Duration = Duration::from_secs(2);

/// A folder of the file system as a source, for engines whose files are partly unsaved:
/// [`Engine::apply`](crate::Engine::apply) lays the buffers of an editor over the files of the folder. An engine of the
/// folder alone is made by [`Engine::open`](crate::Engine::open), which is faster and knows the git repository.
#[derive(Clone, Debug)]
pub struct FolderTree {
    root: PathBuf,
}

impl FolderTree {
    /// The folder at `root`.
    ///
    /// # Errors
    /// The folder does not exist or cannot be read.
    pub fn open(root: impl AsRef<Path>) -> io::Result<FolderTree> {
        let root = root.as_ref().canonicalize()?;
        fs::read_dir(&root)?;
        Ok(FolderTree { root })
    }

    fn entry(&self, entry: &fs::DirEntry) -> io::Result<Option<SourceEntry>> {
        let metadata = entry.metadata()?;
        let kind = metadata.file_type();
        Ok(if kind.is_dir() {
            Some(SourceEntry::folder(entry.file_name()))
        } else if kind.is_file() {
            let id = file_id(&entry.path(), &metadata)?;
            Some(SourceEntry::file(entry.file_name(), metadata.len(), id))
        } else if kind.is_symlink() {
            let target = fs::read_link(entry.path())?;
            let target = target.as_os_str().as_encoded_bytes();
            Some(SourceEntry::link(entry.file_name(), target.len() as u64, ContentId::of(target)))
        } else {
            None
        })
    }
}

/// The id of a file by its stat data. Those of a recently modified file prove nothing, so its bytes count too.
fn file_id(path: &Path, metadata: &Metadata) -> io::Result<ContentId> {
    let modified = metadata.modified()?;
    let mut text = format!("{} {modified:?}", metadata.len());
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        text.push_str(&format!(" {} {} {}", metadata.ctime(), metadata.ctime_nsec(), metadata.ino()));
    }
    if SystemTime::now().duration_since(modified).map_or(true, |age| age < RECENT) {
        text.push_str(blake3::hash(&input::bounded(path, i64::MAX as u64)?).to_hex().as_str());
    }
    Ok(ContentId::of(text.as_bytes()))
}

impl SourceTree for FolderTree {
    fn list(&self, folder: &str) -> io::Result<Vec<SourceEntry>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(self.root.join(folder))? {
            let entry = entry?;
            if entry.file_name() == ".git" {
                continue;
            }
            match self.entry(&entry) {
                Ok(found) => entries.extend(found),
                // The file has gone since the folder was listed.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                // A file that cannot be read is reported when it is read.
                Err(_) => entries.push(SourceEntry::file(entry.file_name(), 0, ContentId::of(b"unreadable"))),
            }
        }
        Ok(entries)
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let path = self.root.join(path);
        match path.symlink_metadata()?.file_type() {
            kind if kind.is_file() => input::bounded(&path, i64::MAX as u64),
            kind if kind.is_symlink() => Ok(fs::read_link(path)?.into_os_string().into_encoded_bytes()),
            _ => Err(io::Error::other("it is not a regular file")),
        }
    }
}
