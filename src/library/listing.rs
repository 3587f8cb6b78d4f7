//! The list of raw files with their hashes, by which a later check tells whether they are unchanged.
//!
//! The list is a text: the first line has the format and the hash of the tree, and each further line has the hash, the
//! size and the path of a file. The hash of the tree covers the lines of the files, so a damaged list shows.

use std::fs;
use std::path::Path;

use super::error::LibraryError;
use spyhop_base::store;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RawFile {
    /// The path below the tree.
    pub path: String,
    /// The size in bytes.
    pub bytes: u64,
    /// The BLAKE3 hash.
    pub hash: String,
}

/// The first words of a list.
const HEAD: &str = "spyhop-files 1 ";

/// The size of the largest list that is read.
const MAX_LIST_BYTES: u64 = 1 << 30;

/// The hash of a tree: of the lines of its files, sorted by path.
fn tree_hash(lines: &str) -> String {
    blake3::hash(lines.as_bytes()).to_hex().to_string()
}

/// Writes the list of `files` to `path`, and returns the hash of the tree. The files are sorted.
pub(super) fn write(path: &Path, files: &mut [RawFile]) -> Result<String, LibraryError> {
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let lines: String =
        files.iter().map(|file| format!("{} {} {}\n", file.hash, file.bytes, file.path)).collect();
    let hash = tree_hash(&lines);
    store::replace(path, &[HEAD.as_bytes(), hash.as_bytes(), b"\n", lines.as_bytes()])?;
    Ok(hash)
}

/// Reads a list, with the hash of the tree.
pub(super) fn read(path: &Path) -> Result<(String, Vec<RawFile>), LibraryError> {
    let bytes = spyhop_base::input::bounded(path, MAX_LIST_BYTES)
        .map_err(|error| LibraryError::io("read", path, error))?;
    let text = String::from_utf8(bytes).map_err(|error| LibraryError::damaged(path, error))?;
    let (head, lines) = text.split_once('\n').unwrap_or((&text, ""));
    let hash =
        head.strip_prefix(HEAD).ok_or_else(|| LibraryError::damaged(path, "its first line is wrong"))?;
    if tree_hash(lines) != hash {
        return Err(LibraryError::damaged(path, "its hash is wrong"));
    }
    let file = |line: &str| {
        let mut parts = line.splitn(3, ' ');
        let (hash, bytes, path) = (parts.next()?, parts.next()?, parts.next()?);
        Some(RawFile { path: path.to_string(), bytes: bytes.parse().ok()?, hash: hash.to_string() })
    };
    let files: Option<Vec<RawFile>> = lines.lines().map(file).collect();
    let files = files.ok_or_else(|| LibraryError::damaged(path, "a line is wrong"))?;
    Ok((hash.to_string(), files))
}

pub(super) fn hash_of(path: &Path) -> std::io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(fs::File::open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> RawFile {
        RawFile { path: path.to_string(), bytes: 3, hash: blake3::hash(path.as_bytes()).to_hex().to_string() }
    }

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("FILES");
        let mut files = vec![file("b c"), file("a/x y  z")];
        let hash = write(&path, &mut files).unwrap();
        assert_eq!(read(&path).unwrap(), (hash, vec![file("a/x y  z"), file("b c")]));
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace("b c", "b d")).unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("its hash is wrong"));
    }
}
