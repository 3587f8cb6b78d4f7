//! Tests of the observers of steps.

use super::*;
use crate::store::step::{remove_file, sync_folder};

/// The content of the file `name` in the last image of each mode, "-" if there is no such file.
fn at_the_end(images: &[Image], name: &str) -> Vec<String> {
    let text = |image: &Image| match image.files.get(Path::new(name)) {
        Some(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
        None => "-".to_string(),
    };
    [CrashMode::Killed, CrashMode::Lost, CrashMode::NamesKept, CrashMode::RemovalsKept]
        .map(|mode| text(images.iter().rfind(|image| image.mode == mode).unwrap()))
        .to_vec()
}

#[test]
fn images_tell_what_was_made_durable() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    for name in ["kept", "removed"] {
        fs::write(path(name), "old").unwrap();
    }
    let freezer = freeze(dir.path());
    crate::store::replace(&path("replaced"), &[b"new"]).unwrap();
    // As in a careless program, neither the bytes nor the names are synced.
    step(StoreStep::Create(&path("careless"))).unwrap();
    fs::write(path("careless"), "new").unwrap();
    step(StoreStep::Rename { from: &path("careless"), to: &path("kept") }).unwrap();
    fs::rename(path("careless"), path("kept")).unwrap();
    remove_file(&path("removed")).unwrap();
    let images = freezer.finish();
    assert_eq!(at_the_end(&images, "replaced"), ["new"; 4]);
    assert_eq!(at_the_end(&images, "kept"), ["new", "old", "", "old"]);
    assert_eq!(at_the_end(&images, "removed"), ["-", "old", "-", "-"]);
    assert_eq!(at_the_end(&images, "careless"), ["-"; 4]);
    let folder = tempfile::tempdir().unwrap();
    images.last().unwrap().restore(folder.path());
    assert!(!folder.path().join("removed").exists());
}

#[test]
fn a_replaced_file_is_old_or_new_in_every_image_and_after_every_failure() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("record");
    crate::store::replace(&path, &[b"old"]).unwrap();
    let freezer = freeze(dir.path());
    crate::store::replace(&path, &[b"n", b"ew"]).unwrap();
    for image in freezer.finish() {
        let bytes = &image.files[Path::new("record")];
        assert!([&b"old"[..], b"new"].contains(&&bytes[..]), "{} {:?}", image.at, image.mode);
    }
    for n in 0.. {
        crate::store::replace(&path, &[b"old"]).unwrap();
        let failing = fail_at(dir.path(), n, io::ErrorKind::Other);
        let result = crate::store::replace(&path, &[b"new"]);
        if n >= failing.count() {
            result.unwrap();
            break;
        }
        result.unwrap_err();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "step {n} leaves something");
    }
}

#[test]
fn observers_see_one_folder_only_and_end() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let failing = full_from(dir.path(), 0);
    crate::store::replace(&other.path().join("a"), &[b"x"]).unwrap();
    assert_eq!(failing.count(), 0);
    let error = crate::store::replace(&dir.path().join("a"), &[b"x"]).unwrap_err();
    assert_eq!(error.source.kind(), io::ErrorKind::StorageFull);
    drop(failing);
    sync_folder(dir.path()).unwrap();
}
