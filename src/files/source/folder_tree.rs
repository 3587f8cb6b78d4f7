//! A folder of the file system as a source.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::content_id::ContentId;
use super::source_tree::{SourceEntry, SourceTree};
use crate::confined::RootFolder;
use crate::read;
use spyhop_base::path::RelPath;

/// A file that was modified this recently may be modified again without a change of its stat data.
const RECENT: Duration = Duration::from_secs(2);

/// A folder of the file system as a source, for engines whose files are partly unsaved:
/// `Engine::apply` lays the buffers of an editor over the files of the folder. An engine of the
/// folder alone is made by `Engine::open`, which is faster and knows the git repository.
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
        RootFolder::new(&root).names(&RelPath::root())?;
        Ok(FolderTree { root })
    }

    fn entry(root: &RootFolder, path: &RelPath, name: OsString) -> io::Result<Option<SourceEntry>> {
        let metadata = root.metadata(path)?;
        let kind = metadata.file_type();
        Ok(if kind.is_dir() {
            Some(SourceEntry::folder(name))
        } else if kind.is_file() {
            Some(SourceEntry::file(name, metadata.len(), file_id(root, path, &metadata)?))
        } else if kind.is_symlink() {
            let target = target(root, path)?;
            Some(SourceEntry::link(name, target.len() as u64, ContentId::of(&target)))
        } else {
            None
        })
    }
}

fn target(root: &RootFolder, path: &RelPath) -> io::Result<Vec<u8>> {
    Ok(fs::read_link(path.below(root.path()))?.into_os_string().into_encoded_bytes())
}

fn bytes(root: &RootFolder, path: &RelPath) -> io::Result<Vec<u8>> {
    let (mut file, _) = read::regular(root.open(path)?)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The id of a file by its stat data. The stat data of a recently modified file prove nothing, so its bytes count too.
fn file_id(root: &RootFolder, path: &RelPath, metadata: &Metadata) -> io::Result<ContentId> {
    let modified = metadata.modified()?;
    let mut text = format!("{} {modified:?}", metadata.len());
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        text.push_str(&format!(" {} {} {}", metadata.ctime(), metadata.ctime_nsec(), metadata.ino()));
    }
    if SystemTime::now().duration_since(modified).map_or(true, |age| age < RECENT) {
        text.push_str(blake3::hash(&bytes(root, path)?).to_hex().as_str());
    }
    Ok(ContentId::of(text.as_bytes()))
}

impl SourceTree for FolderTree {
    fn list(&self, folder: &str) -> io::Result<Vec<SourceEntry>> {
        let (root, folder) = (RootFolder::new(&self.root), RelPath::new(folder).map_err(io::Error::other)?);
        let mut entries = Vec::new();
        for name in root.names(&folder)? {
            // A name that is not UTF-8 is refused by whoever reads the list.
            let path = name.to_str().map(|name| folder.join(name));
            match path.map_or(Ok(None), |path| FolderTree::entry(&root, &path, name.clone())) {
                _ if name == ".git" => {}
                Ok(None) if name.to_str().is_none() => {
                    entries.push(SourceEntry::file(name, 0, ContentId::of(b"unreadable")));
                }
                Ok(found) => entries.extend(found),
                // The file has gone since the folder was listed.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                // A file that cannot be read is reported when it is read.
                Err(_) => entries.push(SourceEntry::file(name, 0, ContentId::of(b"unreadable"))),
            }
        }
        Ok(entries)
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let (root, path) = (RootFolder::new(&self.root), RelPath::new(path).map_err(io::Error::other)?);
        match root.metadata(&path)?.is_symlink() {
            true => target(&root, &path),
            false => bytes(&root, &path),
        }
    }
}
