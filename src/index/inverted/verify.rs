//! Damage: detecting it, and surviving it.
//!
//! A commit names the checksums of the blocks of its files ([`super::sums`]). Readers compare those of the blocks that
//! they read; [`verify`] compares all. Files of a commit of an older program end in a checksum of their bytes, which only
//! [`verify`] computes. The index library panics on some altered bytes, so every reader runs in [`guarded`].

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::Index;

use super::checked_file::damage_of;
use super::derived;
use super::directory::{META, PinnedDirectory};
use super::error::{IndexError, guarded};
use super::reader::Reader;
use super::sums::FileSums;

/// Reads every file of the newest commit in the folder `dir` and compares its checksums, then opens the segments.
/// Returns the damage of each file; empty when there is none.
pub fn verify(dir: &Path) -> Result<Vec<(PathBuf, String)>, IndexError> {
    let meta: Arc<[u8]> = match std::fs::read(dir.join(META)) {
        Ok(bytes) => bytes.into(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(IndexError::Missing),
        Err(error) => return Err(error.into()),
    };
    let opened = guarded(|| {
        let directory = PinnedDirectory::open(dir, meta.clone())?;
        let checks = directory.checks();
        Ok((Index::open(directory)?, checks))
    });
    let (index, checks) = match opened {
        Ok(opened) => opened,
        Err(IndexError::Damaged(reason)) => return Ok(vec![(dir.join(META), reason)]),
        Err(error) => return Err(error),
    };
    let metas = index.load_metas()?;
    let mut names: Vec<PathBuf> = metas.list_segment_files().into_iter().collect();
    names.sort();
    let mut wrong = Vec::new();
    for name in names {
        let known = checks.as_ref().map(|checks| checks.sums().get(&*name.to_string_lossy()));
        let is_deletions = name.extension().is_some_and(|it| it == "del");
        let is_optional = match known {
            Some(known) => known.is_none(),
            None => {
                name.extension().is_some_and(|it| it == "temp")
                    || is_deletions && !metas.segments.iter().any(|segment| has_deletions(segment, &name))
            }
        };
        match guarded(|| damage_of_file(&index, dir, &name, known)) {
            Ok(None) => {}
            Ok(Some(reason)) => wrong.push((dir.join(&name), reason)),
            Err(IndexError::Moved(_)) if is_optional => {}
            // A newer commit has removed the file; otherwise the file is lost.
            Err(error @ IndexError::Moved(_)) if std::fs::read(dir.join(META))?[..] != meta[..] => {
                return Err(error);
            }
            Err(IndexError::Moved(_)) => wrong.push((dir.join(&name), "it is missing".to_string())),
            Err(IndexError::Damaged(reason)) => wrong.push((dir.join(&name), reason)),
            Err(error) => return Err(error),
        }
    }
    for segment in &metas.segments {
        wrong.extend(derived::damaged(dir, &segment.id().uuid_string()));
    }
    if wrong.is_empty()
        && let Err(IndexError::Damaged(reason)) = guarded(|| Reader::open(dir))
    {
        wrong.push((dir.join(META), reason));
    }
    Ok(wrong)
}

/// The damage of the file `name`. `known` are its sums, if the commit has sums of its files.
fn damage_of_file(
    index: &Index,
    dir: &Path,
    name: &Path,
    known: Option<Option<&Arc<FileSums>>>,
) -> Result<Option<String>, IndexError> {
    let Some(sums) = known else {
        let is_whole = index.directory().validate_checksum(name)?;
        return Ok((!is_whole).then(|| "its checksum is wrong".to_string()));
    };
    let file = match File::open(dir.join(name)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(IndexError::Moved(name.to_path_buf()));
        }
        opened => opened?,
    };
    let Some(sums) = sums else { return Ok(Some("the commit has no checksums of it".to_string())) };
    // SAFETY: such a file is never changed or truncated after it got its name; it is only ever unlinked.
    let bytes = unsafe { memmap2::Mmap::map(&file) }?;
    Ok(damage_of(&bytes, sums))
}

fn has_deletions(segment: &tantivy::SegmentMeta, name: &Path) -> bool {
    segment.has_deletes() && name.to_string_lossy().starts_with(&segment.id().uuid_string())
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::inverted::schema::IndexField;
    use crate::inverted::sums::without_sums;
    use crate::inverted::writer::Writer;
    use crate::inverted::writer::tests::segment;
    use spyhop_base::id::VersionId;
    use spyhop_base::model::Field;
    use spyhop_base::store::faults;

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

    /// The files of the commit in `dir`, sorted, the commit point last.
    fn files_of(dir: &Path) -> Vec<PathBuf> {
        crate::inverted::files(dir).unwrap().iter().map(|name| dir.join(name)).collect()
    }

    /// Flips bits in a file; calls `each` with what `verify` finds and with what reading all data gives.
    fn with_flips(
        dir: &Path,
        path: &Path,
        flips: u32,
        mut each: impl FnMut(&str, bool, Result<u64, IndexError>, usize),
    ) {
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        let bytes = std::fs::read(path).unwrap();
        for _ in 0..flips {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let place = (random >> 33) as usize % bytes.len();
            let mut altered = bytes.clone();
            altered[place] ^= ((random >> 25) as u8).max(1);
            std::fs::write(path, &altered).unwrap();
            let is_found = verify(dir).unwrap().iter().any(|(wrong, _)| wrong == path);
            let begin = Instant::now();
            let read = guarded(|| read_all(dir));
            assert!(begin.elapsed().as_secs() < 20, "{} byte {place}", path.display());
            each(&format!("{} byte {place}", path.display()), is_found, read, bytes.len() - place);
        }
        std::fs::write(path, &bytes).unwrap();
    }

    #[test]
    fn every_altered_byte_is_found_before_anything_is_read_from_it() {
        let dir = tempfile::tempdir().unwrap();
        let _fast = faults::without_sync(dir.path());
        prepare(dir.path());
        assert_eq!(verify(dir.path()).unwrap(), []);
        let whole = read_all(dir.path()).unwrap();
        let files = files_of(dir.path());
        assert!(files.len() > 10);
        for path in &files {
            with_flips(dir.path(), path, 12, |at, is_found, read, _| {
                assert!(is_found, "{at}");
                match read {
                    Ok(sum) => assert_eq!(sum, whole, "{at}"),
                    // The text of a panic would be another one.
                    Err(IndexError::Damaged(text)) => {
                        assert!(text.contains("checksum") || text.contains("cut off"), "{at}: {text}");
                    }
                    Err(error) => panic!("{at}: {error}"),
                }
            });
        }
        std::fs::remove_file(&files[0]).unwrap();
        assert_eq!(verify(dir.path()).unwrap(), [(files[0].clone(), "it is missing".to_string())]);
    }

    #[test]
    fn a_commit_of_an_older_program_is_checked_by_file_and_adopted_by_the_next_one() {
        let dir = tempfile::tempdir().unwrap();
        let _fast = faults::without_sync(dir.path());
        prepare(dir.path());
        let point = dir.path().join(META);
        std::fs::write(&point, without_sums(&std::fs::read(&point).unwrap())).unwrap();
        assert_eq!(verify(dir.path()).unwrap(), []);
        let whole = read_all(dir.path()).unwrap();
        let (mut refused, mut unnoticed) = (0, 0);
        for path in files_of(dir.path()).iter().filter(|path| **path != point) {
            with_flips(dir.path(), path, 12, |at, is_found, read, to_end| {
                // The bytes after the checksummed part are the version and the checksum, in JSON.
                let is_in_footer = to_end < 150;
                assert!(is_found || is_in_footer, "{at}");
                match read {
                    Ok(sum) => {
                        assert!(is_found || sum == whole, "{at}");
                        unnoticed += u32::from(sum == whole);
                    }
                    Err(error) => {
                        assert!(matches!(error, IndexError::Damaged(_)), "{at}: {error}");
                        refused += 1;
                    }
                }
            });
        }
        assert!(refused > 20 && unnoticed > 20, "{refused} refused, {unnoticed} without effect");

        let terms =
            files_of(dir.path()).into_iter().find(|path| path.extension().unwrap() == "term").unwrap();
        let bytes = std::fs::read(&terms).unwrap();
        let altered: Vec<u8> = bytes.iter().enumerate().map(|(at, byte)| byte ^ u8::from(at == 9)).collect();
        std::fs::write(&terms, altered).unwrap();
        assert!(matches!(Writer::open(dir.path()).err(), Some(IndexError::Damaged(_))));
        std::fs::write(&terms, bytes).unwrap();
        assert!(!Reader::open(dir.path()).unwrap().is_sealed());
        let mut writer = Writer::open(dir.path()).unwrap();
        writer.commit("three").unwrap();
        writer.close().unwrap();
        assert!(Reader::open(dir.path()).unwrap().is_sealed());
        assert_eq!((verify(dir.path()).unwrap(), read_all(dir.path()).unwrap()), (Vec::new(), whole));
    }

    /// Checks that a file with these bytes in the place of `path` is found, also by a reader.
    fn check_replaced(dir: &Path, path: &Path, bytes: &[u8], what: &str) {
        let whole = std::fs::read(path).unwrap();
        if whole == bytes {
            return;
        }
        std::fs::write(path, bytes).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let found = verify(dir).unwrap();
        assert!(found.iter().any(|(wrong, _)| wrong == path), "{what}: {name}: {found:?}");
        let error = guarded(|| read_all(dir)).unwrap_err();
        assert!(
            matches!(&error, IndexError::Damaged(text) if text.contains(name)),
            "{what}: {name}: {error}"
        );
        std::fs::write(path, whole).unwrap();
    }

    #[test]
    fn valid_bytes_of_another_file_are_damage() {
        let [dir, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let _fast = [faults::without_sync(dir.path()), faults::without_sync(other.path())];
        prepare(dir.path());
        let mut writer = Writer::open(other.path()).unwrap();
        writer.add(segment(&writer, 0..400)).unwrap();
        writer.add(segment(&writer, 500..503)).unwrap();
        writer.commit("one").unwrap();
        writer.delete(VersionId(7));
        writer.commit("two").unwrap();
        writer.close().unwrap();
        let mut files = files_of(dir.path());
        files.pop();
        let mut swapped = 0;
        for path in &files {
            let bytes = std::fs::read(path).unwrap();
            check_replaced(dir.path(), path, &bytes[..bytes.len() - 1], "cut");
            check_replaced(dir.path(), path, &[&bytes[..], b"x"].concat(), "longer");
            check_replaced(dir.path(), path, b"", "empty");
            let same_kind = |file: &&PathBuf| file.extension() == path.extension() && *file != path;
            let others = files_of(other.path());
            for file in files.iter().chain(&others).filter(same_kind) {
                let bytes = std::fs::read(file).unwrap();
                swapped += 1;
                check_replaced(dir.path(), path, &bytes, "another file");
            }
        }
        assert!(swapped > 20, "{swapped}");
    }

    #[test]
    fn deletions_of_another_history_are_damage() {
        let [dir, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let mut writer = Writer::open(dir.path()).unwrap();
        writer.add(segment(&writer, 0..40)).unwrap();
        writer.commit("one").unwrap();
        writer.close().unwrap();
        for path in files_of(dir.path()) {
            std::fs::copy(&path, other.path().join(path.file_name().unwrap())).unwrap();
        }
        let deletions = [(&dir, 3), (&other, 5)].map(|(dir, version)| {
            let mut writer = Writer::open(dir.path()).unwrap();
            writer.delete(VersionId(version));
            writer.commit("two").unwrap();
            writer.close().unwrap();
            files_of(dir.path()).into_iter().find(|path| path.extension().unwrap() == "del").unwrap()
        });
        assert_eq!(deletions[0].file_name(), deletions[1].file_name());
        check_replaced(dir.path(), &deletions[0], &std::fs::read(&deletions[1]).unwrap(), "other deletions");
    }
}
