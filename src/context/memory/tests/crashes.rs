//! Crashes and full disks: no acknowledged note is lost at any step, and no half of a note is ever read.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::memory::error::MemoryError;
use crate::memory::limits::{MAX_LOG_BYTES, MAX_NOTES};
use crate::memory::note::{Retirement, RevisionNote};
use crate::memory::notebook::{NotePlace, RecordOutcome};
use spyhop_base::store::{StoreStep, faults};
use spyhop_index::workspace::MEMORY_FOLDER;

const NOW: Duration = Duration::ZERO;

fn note(text: &str) -> RevisionNote {
    let json =
        serde_json::json!({ "id": "", "kind": "failure", "text": text, "time": "2026-01-01T00:00:00Z" });
    let note: RevisionNote = serde_json::from_value(json).unwrap();
    RevisionNote { id: note.id_of(), ..note }
}

fn texts(place: &NotePlace) -> Vec<String> {
    place.read().unwrap().notes.into_iter().map(|note| note.text).collect()
}

fn place(folder: &Path) -> NotePlace {
    NotePlace::new(folder, "tree")
}

#[test]
fn a_crash_at_any_step_leaves_every_acknowledged_note() {
    let (dir, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let workspace = dir.path().join("workspace");
    fs::create_dir(&workspace).unwrap();
    place(&workspace).record(vec![note("first")], NOW).unwrap();
    let freezer = faults::freeze(&workspace);
    place(&workspace).record(vec![note("second")], NOW).unwrap();
    let id = note("first").id;
    place(&workspace).revise(&id, NOW, |note| note.author = Some("a".into())).unwrap();
    let images = freezer.finish();
    assert!(images.len() >= 4, "{}", images.len());
    for image in images {
        let to = copy.path().join("image");
        image.restore(&to);
        let found = texts(&place(&to));
        assert!(
            found == ["first"] || found == ["first", "second"],
            "{} {:?}: {found:?}",
            image.at,
            image.mode
        );
        // The next writer works on.
        place(&to).record(vec![note("third")], NOW).unwrap();
        assert_eq!(texts(&place(&to)).last().unwrap(), "third", "{}", image.at);
    }
}

#[test]
fn a_first_note_is_there_or_not_and_durable_once_acknowledged() {
    let (dir, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let freezer = faults::freeze(dir.path());
    place(dir.path()).record(vec![note("first")], NOW).unwrap();
    let images = freezer.finish();
    let last = images.len();
    for (at, image) in images.into_iter().enumerate() {
        let to = copy.path().join("image");
        image.restore(&to);
        let found = texts(&place(&to));
        assert!(found.is_empty() || found == ["first"], "{} {:?}: {found:?}", image.at, image.mode);
        // The last images of each mode are those after the note was acknowledged.
        if image.at.ends_with("end") || at + 1 == last {
            assert_eq!(found, ["first"], "{} {:?}", image.at, image.mode);
        }
    }
}

#[test]
fn a_first_note_makes_the_names_of_all_folders_durable() {
    let dir = tempfile::tempdir().unwrap();
    // The folder is left from a process that died before the first note.
    fs::create_dir(dir.path().join(MEMORY_FOLDER)).unwrap();
    let synced = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&synced);
    let _observer = faults::observe(dir.path(), move |step| {
        if let StoreStep::SyncFolder(folder) = step {
            seen.lock().unwrap().push(folder.to_path_buf());
        }
        Ok(())
    });
    place(dir.path()).record(vec![note("first")], NOW).unwrap();
    let synced = synced.lock().unwrap();
    assert!(synced.iter().any(|folder| folder == dir.path()), "{synced:?}");
}

#[test]
fn a_record_that_was_cut_anywhere_is_passed_over_and_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let place = place(dir.path());
    place.record(vec![note("first")], NOW).unwrap();
    let whole = fs::read(place.log()).unwrap();
    place.record(vec![note("second")], NOW).unwrap();
    let longer = fs::read(place.log()).unwrap();
    // A record that lacks only its line break is whole.
    for len in whole.len()..longer.len() - 1 {
        fs::write(place.log(), &longer[..len]).unwrap();
        assert_eq!(texts(&place), ["first"], "{len}");
        let mut zeros = longer[..len].to_vec();
        zeros.resize(longer.len() - 1, 0);
        zeros.push(b'\n');
        fs::write(place.log(), &zeros).unwrap();
        assert_eq!((texts(&place), place.read().unwrap().damaged), (vec!["first".to_string()], 0), "{len}");
        place.record(vec![note("third")], NOW).unwrap();
        assert_eq!(texts(&place), ["first", "third"], "{len}");
    }
}

#[test]
fn every_step_may_fail_or_find_a_full_disk() {
    for kind in [io::ErrorKind::Other, io::ErrorKind::StorageFull] {
        for n in 0.. {
            let dir = tempfile::tempdir().unwrap();
            let place = place(dir.path());
            place.record(vec![note("first")], NOW).unwrap();
            let failing = match kind {
                io::ErrorKind::StorageFull => faults::full_from(dir.path(), n),
                kind => faults::fail_at(dir.path(), n, kind),
            };
            let outcome = place.record(vec![note("second")], NOW);
            let count = failing.count();
            drop(failing);
            match outcome {
                Ok(outcomes) => {
                    assert_eq!(outcomes, [RecordOutcome::Added]);
                    assert_eq!(texts(&place), ["first", "second"]);
                }
                Err(MemoryError::File(_)) => assert_eq!(texts(&place), ["first"], "step {n} {kind:?}"),
                Err(other) => panic!("{other}"),
            }
            place.record(vec![note("third")], NOW).unwrap();
            assert_eq!(texts(&place).last().unwrap(), "third");
            if n >= count {
                break;
            }
        }
    }
}

#[test]
fn a_log_of_older_states_is_rewritten_and_a_crash_meanwhile_loses_nothing() {
    let (dir, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let _free = faults::without_sync(dir.path());
    let place = place(dir.path());
    let long = "x".repeat(7_900);
    place.record(vec![note(&long), note("small")], NOW).unwrap();
    let id = note(&long).id;
    let mut longest = 0;
    let mut images = Vec::new();
    for number in 0..40 {
        let before = fs::metadata(place.log()).unwrap().len();
        longest = longest.max(before);
        let freezer = (before > 240 << 10).then(|| faults::freeze(dir.path()));
        place.revise(&id, NOW, |note| note.author = Some(number.to_string())).unwrap();
        images.extend(freezer.map(faults::Freezer::finish).into_iter().flatten());
    }
    assert!((240 << 10..300 << 10).contains(&longest), "{longest}");
    assert!(fs::metadata(place.log()).unwrap().len() < 100 << 10);
    let notes = place.read().unwrap().notes;
    assert_eq!(
        notes.iter().map(|note| note.author.as_deref()).collect::<Vec<_>>(),
        [Some("39"), None],
        "the newest states are kept in the order of adding"
    );
    assert!(images.iter().any(|image| image.at.contains("Rename")));
    for image in images.iter().filter(|image| image.mode == faults::CrashMode::Killed) {
        let to = copy.path().join("image");
        image.restore(&to);
        assert_eq!(NotePlace::new(&to, "tree").read().unwrap().notes.len(), 2, "{}", image.at);
    }
}

#[test]
fn a_full_memory_lets_go_of_retired_notes_only() {
    let dir = tempfile::tempdir().unwrap();
    let _free = faults::without_sync(dir.path());
    let place = place(dir.path());
    place.record((0..MAX_NOTES).map(|number| note(&number.to_string())).collect(), NOW).unwrap();
    let error = place.record(vec![note("one more")], NOW).unwrap_err();
    assert!(error.to_string().contains("2000 notes"), "{error}");
    let retired = Retirement { reason: String::new(), time: String::new() };
    place.revise(&note("7").id, NOW, |note| note.retired = Some(retired)).unwrap();
    place.record(vec![note("one more")], NOW).unwrap();
    let found = texts(&place);
    assert_eq!((found.len(), found.contains(&"7".to_string())), (MAX_NOTES, false));
    assert_eq!(found.last().unwrap(), "one more");
}

#[test]
fn a_log_beyond_the_limit_is_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let place = place(dir.path());
    place.record(vec![note("first")], NOW).unwrap();
    let len = fs::metadata(place.log()).unwrap().len();
    // Records without room are refused before the log is touched.
    let full = crate::memory::log::LoggedNotes { sound_len: MAX_LOG_BYTES, ..Default::default() };
    let error = crate::memory::log::append(place.log(), &full, &[note("second")]).unwrap_err();
    assert!(matches!(error, MemoryError::LongLog { most: MAX_LOG_BYTES, .. }), "{error}");
    assert_eq!(fs::metadata(place.log()).unwrap().len(), len);
    // The file has no blocks for its zeros.
    fs::OpenOptions::new().write(true).open(place.log()).unwrap().set_len(MAX_LOG_BYTES + 1).unwrap();
    let error = place.read().unwrap_err().to_string();
    assert!(error.contains("has 536870913 bytes") && error.contains("spyhop memory import"), "{error}");
    assert!(matches!(place.record(vec![note("second")], NOW), Err(MemoryError::LongLog { .. })));
    assert_eq!(fs::metadata(place.log()).unwrap().len(), MAX_LOG_BYTES + 1);
}

#[test]
fn each_damage_has_a_separate_copy() {
    let dir = tempfile::tempdir().unwrap();
    let _free = faults::without_sync(dir.path());
    let place = place(dir.path());
    let long = "x".repeat(7_900);
    let id = note(&long).id;
    for damage in ["one", "two"] {
        place.record(vec![note(&long), note(damage)], NOW).unwrap();
        let altered =
            fs::read_to_string(place.log()).unwrap().replace(&format!("\"{damage}\""), "\"altered\"");
        fs::write(place.log(), altered).unwrap();
        assert_eq!(place.read().unwrap().damaged, 1);
        for _ in 0..40 {
            place.revise(&id, NOW, |note| note.author = Some("a".into())).unwrap();
        }
        assert_eq!(place.read().unwrap().damaged, 0, "the log was replaced");
    }
    let is_copy = |name: &String| name.contains("damaged");
    let names = fs::read_dir(dir.path().join(MEMORY_FOLDER)).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.filter(is_copy).count(), 2);
}
