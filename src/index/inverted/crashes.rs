//! Tests of the writer with a store that is frozen at each of its steps, or whose steps fail one by one.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};

use super::writer::tests::{live, segment, try_segment};
use crate::inverted::error::IndexError;
use crate::inverted::reader::Reader;
use crate::inverted::writer::Writer;
use spyhop_base::id::VersionId;
use spyhop_base::store::IoCause;
use spyhop_base::store::faults::{self, Image};

/// How long the threads of a failed writer may take to end.
const PATIENCE: Duration = Duration::from_secs(60);

type IndexWork = fn(&mut Writer) -> Result<(), IndexError>;

/// An index with `segments` segments, some of whose documents are deleted.
fn prepare(dir: &Path, segments: u32) {
    let mut writer = Writer::open(dir).unwrap();
    for version in 0..segments {
        writer.add(segment(&writer, version * 10..version * 10 + 3)).unwrap();
    }
    writer.commit("before").unwrap();
    writer.delete(VersionId(2));
    writer.commit("old").unwrap();
    writer.close().unwrap();
}

fn commit(writer: &mut Writer) -> Result<(), IndexError> {
    writer.add(try_segment(writer, 200..205)?)?;
    writer.add(try_segment(writer, 300..302)?)?;
    writer.delete(VersionId(0));
    writer.delete(VersionId(11));
    writer.commit("new")
}

fn merge(writer: &mut Writer) -> Result<(), IndexError> {
    assert!(writer.merge(1)? > 0);
    Ok(())
}

fn compact(writer: &mut Writer) -> Result<(), IndexError> {
    assert!(writer.compact()? > 0);
    Ok(())
}

/// The payload of the newest commit, and its live documents.
fn state(dir: &Path) -> (String, Vec<u32>) {
    let reader = Reader::open(dir).unwrap();
    (reader.payload().to_string(), live(dir).0)
}

/// Opens the writer as soon as the threads of a writer that failed have ended: until then they hold tantivy's lock.
fn open_when_free(dir: &Path) -> Writer {
    let begun = Instant::now();
    loop {
        match Writer::open(dir) {
            Err(IndexError::Io(error)) if error.kind() == ErrorKind::WouldBlock => {
                assert!(begun.elapsed() < PATIENCE, "{error}");
                std::thread::yield_now();
            }
            opened => return opened.unwrap(),
        }
    }
}

/// Checks that `work` succeeds on the content of `dir` and leaves only files that its commit names.
fn work_again(dir: &Path, work: IndexWork) {
    let mut writer = open_when_free(dir);
    work(&mut writer).or_else(|_| writer.commit("empty")).unwrap();
    writer.close().unwrap();
    let meta = std::fs::read_to_string(dir.join("meta.json")).unwrap();
    let names: BTreeSet<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "meta.json" && name != ".tantivy-writer.lock")
        .collect();
    for name in names {
        let id = name.split('.').next().unwrap().to_string();
        let dashed = [&id[..8], &id[8..12], &id[12..16], &id[16..20], &id[20..]].join("-");
        assert!(meta.contains(&dashed), "{name} stays behind");
    }
}

/// Checks that every image taken during `work` is the commit before or after it, and that `work` succeeds on the image.
fn check_images(segments: u32, work: IndexWork) {
    let dir = tempfile::tempdir().unwrap();
    let _fast = faults::without_sync(dir.path());
    prepare(dir.path(), segments);
    let before = state(dir.path());
    let mut writer = Writer::open(dir.path()).unwrap();
    let freezer = faults::freeze(dir.path());
    work(&mut writer).unwrap();
    writer.close().unwrap();
    let images = freezer.finish_by_kind();
    let after = state(dir.path());
    let copy = tempfile::tempdir().unwrap();
    let _fast_copy = faults::without_sync(copy.path());
    let (mut old, mut new) = (0, 0);
    for (number, image) in images.iter().enumerate() {
        let Image { at, mode, .. } = image;
        image.restore(copy.path());
        let found = std::panic::catch_unwind(|| state(copy.path()))
            .unwrap_or_else(|_| panic!("cannot be opened: {mode:?} before step {at}"));
        assert!(found == before || found == after, "{mode:?} before step {at}: {found:?}");
        if found == before {
            old += 1
        } else {
            new += 1
        }
        if number % 13 == 0 {
            work_again(copy.path(), commit);
        }
    }
    assert_eq!(state(dir.path()), after);
    assert!(images.len() > 10 && old > 0, "{} images, {old} old, {new} new", images.len());
}

#[test]
fn a_commit_that_is_cut_short_is_the_old_or_the_new_one() {
    check_images(2, commit);
}

#[test]
fn a_merge_that_is_cut_short_changes_nothing() {
    check_images(13, merge);
}

#[test]
fn a_compaction_that_is_cut_short_changes_nothing() {
    check_images(3, compact);
}

/// Fails each step of `work`, once or permanently. The old or the new commit answers, work that is reported as done is
/// done, and the next run neither fails because of leftovers nor keeps any of them.
fn check_failures(segments: u32, work: IndexWork) {
    let template = tempfile::tempdir().unwrap();
    let _fast = faults::without_sync(template.path());
    prepare(template.path(), segments);
    let before = state(template.path());
    let dir = tempfile::tempdir().unwrap();
    let _fast_copy = faults::without_sync(dir.path());
    let whole = faults::freeze(template.path()).finish().remove(0);
    whole.restore(dir.path());
    work(&mut Writer::open(dir.path()).unwrap()).unwrap();
    let after = state(dir.path());
    for n in 0.. {
        for is_full in [false, true] {
            whole.restore(dir.path());
            let failing = if is_full {
                faults::full_from(dir.path(), n)
            } else {
                faults::fail_at(dir.path(), n, ErrorKind::PermissionDenied)
            };
            let result = Writer::open(dir.path()).and_then(|mut writer| {
                work(&mut writer)?;
                writer.close()
            });
            let count = failing.count();
            drop(failing);
            let found = state(dir.path());
            match result {
                Ok(()) => assert_eq!(found, after, "step {n}"),
                Err(error) => {
                    assert!(found == before || found == after, "step {n}: {found:?}");
                    let trouble = if is_full { IoCause::DiskFull } else { IoCause::Permission };
                    assert_eq!(error.io_cause(), trouble, "step {n}: {error}");
                }
            }
            work_again(dir.path(), commit);
            if n >= count {
                return;
            }
        }
    }
}

#[test]
fn a_commit_whose_steps_fail_can_be_tried_again() {
    check_failures(2, commit);
}

#[test]
fn a_merge_whose_steps_fail_loses_nothing() {
    check_failures(13, merge);
}
