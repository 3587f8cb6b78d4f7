//! Damage: detecting it, and surviving it.
//!
//! Every segment file ends in a checksum of its bytes; only the version numbers of the program beside it are not
//! covered, and nothing depends on these. Readers do not compute the checksum, because they use a small part of the
//! mapped bytes; [`verify`] does. The index library panics on some altered bytes, so every reader runs in [`guarded`].

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::Index;
use tantivy::directory::MmapDirectory;

use super::directory::{META, PinnedDirectory};
use super::{IndexError, Reader};
use crate::cores::NoThread;

/// Runs a function that reads the index. A panic in it is reported as damage, as are numbers out of range.
pub fn guarded<T, E: From<IndexError>>(read: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("reading it panicked");
        Err(match NoThread::of_panic(text) {
            Some(error) => IndexError::Io(error.into()).into(),
            None => IndexError::Damaged(text.to_string()).into(),
        })
    })
}

/// Reads every file of the newest commit in the folder `dir` and compares its checksum, then opens the segments.
/// Returns the damage of each file; empty when there is none.
pub fn verify(dir: &Path) -> Result<Vec<(PathBuf, String)>, IndexError> {
    let meta: Arc<[u8]> = match std::fs::read(dir.join(META)) {
        Ok(bytes) => bytes.into(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(IndexError::Missing),
        Err(error) => return Err(error.into()),
    };
    let files = MmapDirectory::open(dir).map_err(tantivy::TantivyError::from)?;
    let opened = guarded(|| Ok(Index::open(PinnedDirectory::new(files, meta.clone()))?));
    let index = match opened {
        Ok(index) => index,
        Err(IndexError::Damaged(reason)) => return Ok(vec![(dir.join(META), reason)]),
        Err(error) => return Err(error),
    };
    let metas = index.load_metas()?;
    let mut names: Vec<PathBuf> = metas.list_segment_files().into_iter().collect();
    names.sort();
    let mut wrong = Vec::new();
    for name in names {
        let path = dir.join(&name);
        let is_deletions = name.extension().is_some_and(|it| it == "del");
        let is_optional = name.extension().is_some_and(|it| it == "temp")
            || is_deletions && !metas.segments.iter().any(|segment| has_deletions(segment, &name));
        let checked =
            guarded(|| index.directory().validate_checksum(&name).map_err(|error| open_error(&error)));
        match checked {
            Ok(true) => {}
            Ok(false) => wrong.push((path, "its checksum is wrong".to_string())),
            Err(IndexError::Moved(_)) if is_optional => {}
            // A newer commit has removed the file; otherwise the file is lost.
            Err(error @ IndexError::Moved(_)) if std::fs::read(dir.join(META))?[..] != meta[..] => {
                return Err(error);
            }
            Err(IndexError::Moved(_)) => wrong.push((path, "it is missing".to_string())),
            Err(IndexError::Damaged(reason)) => wrong.push((path, reason)),
            Err(error) => return Err(error),
        }
    }
    if wrong.is_empty()
        && let Err(IndexError::Damaged(reason)) = guarded(|| Reader::open(dir))
    {
        wrong.push((dir.join(META), reason));
    }
    Ok(wrong)
}

fn has_deletions(segment: &tantivy::SegmentMeta, name: &Path) -> bool {
    segment.has_deletes() && name.to_string_lossy().starts_with(&segment.id().uuid_string())
}

fn open_error(error: &tantivy::directory::error::OpenReadError) -> IndexError {
    tantivy::TantivyError::from(error.clone()).into()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::id::VersionId;
    use crate::index::writer::tests::segment;
    use crate::index::{IndexField, Writer};
    use crate::model::Field;
    use crate::store::faults;

    fn prepare(dir: &Path) {
        let mut writer = Writer::open(dir).unwrap();
        writer.add(segment(&writer, 0..400)).unwrap();
        writer.add(segment(&writer, 400..403)).unwrap();
        writer.commit("one").unwrap();
        writer.delete(VersionId(3));
        writer.commit("two").unwrap();
        writer.close().unwrap();
    }

    /// Reads all data in all available ways.
    fn read_all(dir: &Path) -> Result<u64, IndexError> {
        let reader = Reader::open(dir)?;
        let mut sum = 0;
        let fields = [
            IndexField::Scored(Field::ALL[0]),
            IndexField::Word,
            IndexField::Definition,
            IndexField::Reference,
        ];
        for field in fields {
            reader.terms(field, None, |term| {
                sum += term.len() as u64;
                true
            })?;
            sum += reader.doc_freq_bound(field, "term")?;
            for segment in 0..reader.segments().len() {
                reader
                    .postings(segment, field, "term", |doc, freq| sum += u64::from(doc) + u64::from(freq))?;
                if let Some(mut blocks) = reader.blocks(segment, field, "term")? {
                    sum += u64::from(blocks.seek(300).unwrap_or(0));
                }
            }
        }
        for segment in reader.segments() {
            for doc in 0..segment.max_doc() {
                sum += u64::from(segment.columns(doc)?.version.0) + u64::from(segment.is_live(doc));
            }
            for field in Field::ALL {
                let lengths = segment.lengths(field)?;
                sum += (0..segment.max_doc()).map(|doc| u64::from(lengths.of(doc))).sum::<u64>();
            }
        }
        Ok(sum)
    }

    #[test]
    fn every_altered_byte_is_found_and_none_brings_a_reader_down() {
        let dir = tempfile::tempdir().unwrap();
        let _fast = faults::without_sync(dir.path());
        prepare(dir.path());
        assert_eq!(verify(dir.path()).unwrap(), []);
        let whole = read_all(dir.path()).unwrap();
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.file_name().is_some_and(|name| name.len() > 30));
        files.sort();
        assert!(files.len() > 10);
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        let (mut refused, mut unnoticed) = (0, 0);
        for path in &files {
            let bytes = std::fs::read(path).unwrap();
            for _ in 0..12 {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let place = (random >> 33) as usize % bytes.len();
                let mut altered = bytes.clone();
                altered[place] ^= ((random >> 25) as u8).max(1);
                std::fs::write(path, &altered).unwrap();
                let found = verify(dir.path()).unwrap();
                let is_found = found.iter().any(|(wrong, _)| wrong == path);
                // The bytes after the checksummed part are the version and the checksum, in JSON.
                let is_in_footer = bytes.len() - place < 150;
                assert!(is_found || is_in_footer, "{} byte {place}", path.display());
                let begin = Instant::now();
                match guarded(|| read_all(dir.path())) {
                    Ok(sum) => {
                        assert!(is_found || sum == whole, "{} byte {place}", path.display());
                        unnoticed += u32::from(sum == whole);
                    }
                    Err(error) => {
                        assert!(matches!(error, IndexError::Damaged(_)), "{error}");
                        refused += 1;
                    }
                }
                assert!(begin.elapsed().as_secs() < 20, "{} byte {place}", path.display());
            }
            std::fs::write(path, &bytes).unwrap();
        }
        assert!(refused > 20 && unnoticed > 20, "{refused} refused, {unnoticed} without effect");
        std::fs::remove_file(&files[0]).unwrap();
        assert_eq!(verify(dir.path()).unwrap(), [(files[0].clone(), "it is missing".to_string())]);
    }
}
