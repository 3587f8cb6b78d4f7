//! Copying the segments of a commit to another folder, for exporting and importing an archive of an index.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use tantivy::Index;

use super::directory::{META, PinnedDirectory};
use crate::inverted::error::{IndexError, guarded};
use crate::inverted::reader::Reader;
use spyhop_base::store;

/// The names of the files of the newest commit in the folder `dir`, sorted, the commit point last.
pub fn files(dir: &Path) -> Result<Vec<String>, IndexError> {
    let meta = fs::read(dir.join(META))?;
    let mut names = segment_files(dir, meta.into())?;
    names.push(META.to_string());
    Ok(names)
}

/// Copies the commit that `reader` has open into the empty folder `to`. Files of segments never change, so they are
/// linked and not copied if the file system allows it. Returns `Moved` when there is a newer commit.
pub(crate) fn copy_commit(reader: &Reader, to: &Path) -> Result<(), IndexError> {
    let from = reader.dir();
    for name in segment_files(from, reader.stamp().into())? {
        let (from, to) = (from.join(&name), to.join(&name));
        let copied = fs::hard_link(&from, &to).or_else(|_| fs::copy(&from, &to).map(drop));
        copied.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => IndexError::Moved(from.clone()),
            _ => error.into(),
        })?;
    }
    fs::write(to.join(META), reader.stamp())?;
    Reader::open(to).map(drop)
}

/// Makes the commit in the folder `from` that of the folder `to`: moves its files, the commit point last. Until then
/// `to` is unchanged. The caller holds the workspace's lock, and the files have been synced.
pub(crate) fn put_in_place(from: &Path, to: &Path) -> Result<(), IndexError> {
    let mut names = files(from)?;
    names.pop();
    for name in &names {
        // Segments have random names: a file with the same name is the same file, or one of the two was altered.
        let there = to.join(name);
        if there.exists() && !same_bytes(&from.join(name), &there)? {
            return Err(IndexError::Damaged(format!("another file called {name} is there already")));
        }
    }
    let of_file = |error: store::FileError| IndexError::Io(error.source);
    for name in names.iter().filter(|name| !to.join(name).exists()) {
        store::rename(&from.join(name), &to.join(name)).map_err(of_file)?;
    }
    store::sync_folder(to).map_err(of_file)?;
    store::rename(&from.join(META), &to.join(META)).map_err(of_file)?;
    store::sync_folder(to).map_err(of_file)
}

/// The files of the segments that the commit point `meta` names.
fn segment_files(dir: &Path, meta: Arc<[u8]>) -> Result<Vec<String>, IndexError> {
    guarded(|| {
        let metas = Index::open(PinnedDirectory::open(dir, meta)?)?.load_metas()?;
        let names = metas.list_segment_files().into_iter();
        // The list includes files that only some segments have, such as that of deletions.
        let mut names: Vec<String> = names
            .filter_map(|name| name.into_os_string().into_string().ok())
            .filter(|name| dir.join(name).is_file())
            .collect();
        names.sort();
        Ok(names)
    })
}

fn same_bytes(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut one, mut other) = (fs::File::open(one)?, fs::File::open(other)?);
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let (mut left, mut right) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        let n = one.read(&mut left)?;
        if n == 0 {
            return Ok(true);
        }
        other.read_exact(&mut right[..n])?;
        if left[..n] != right[..n] {
            return Ok(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inverted::writer::Writer;
    use crate::inverted::writer::tests::segment;
    use spyhop_base::id::VersionId;

    fn documents(dir: &Path) -> u64 {
        Reader::open(dir).unwrap().segments().iter().map(|segment| u64::from(segment.max_doc())).sum()
    }

    #[test]
    fn a_commit_is_carried_whole_and_nothing_else_of_its_name_is_overwritten() {
        let [from, way, to] = [(); 3].map(|()| tempfile::tempdir().unwrap());
        let mut writer = Writer::open(from.path()).unwrap();
        writer.add(segment(&writer, 0..40)).unwrap();
        writer.commit("one").unwrap();
        let reader = Reader::open(from.path()).unwrap();
        writer.delete(VersionId(3));
        writer.commit("two").unwrap();
        writer.close().unwrap();
        copy_commit(&reader, way.path()).unwrap();
        assert_eq!(Reader::open(way.path()).unwrap().payload(), "one");
        let names = files(way.path()).unwrap();
        assert!(names.len() > 5 && names.last().unwrap() == META, "{names:?}");
        // Another file with the name of one of the commit's files.
        fs::write(to.path().join(&names[0]), "other").unwrap();
        let error = put_in_place(way.path(), to.path()).unwrap_err();
        assert!(matches!(&error, IndexError::Damaged(text) if text.contains(&names[0])), "{error}");
        assert_eq!(fs::read(to.path().join(&names[0])).unwrap(), b"other");
        assert!(!to.path().join(META).exists());
        // The same file, from a previous import.
        fs::copy(way.path().join(&names[0]), to.path().join(&names[0])).unwrap();
        put_in_place(way.path(), to.path()).unwrap();
        assert_eq!((documents(to.path()), Reader::open(to.path()).unwrap().payload()), (40, "one"));
    }
}
