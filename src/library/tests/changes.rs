//! Tests of sources that change, or are changed, while a library is at work.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use super::place::{PACKAGE, TestPlace, git, library_at, tar_bytes};
use crate::api::{AddProgress, AddRequest, UpdateStep};
use crate::job::{Job, JobStage};
use crate::manifest::SourceState;
use crate::manifest::{ImportEvent, SourceManifest};
use crate::protect::remove_tree;
use crate::records;
use crate::sources::SourceChoice;
use spyhop_base::store::faults::CrashMode;
use spyhop_base::store::{Lock, StoreStep, faults};
use spyhop_engine::ErrorKind;
use spyhop_engine::api::{Options, SearchRequest};
use spyhop_files::git::Reach;

const NEWER: &[(&str, &str)] = &[PACKAGE[0], ("keys-1.2.0/src/new.rs", "pub fn resolve_api_key() {}\n")];
const NEWEST: &[(&str, &str)] = &[PACKAGE[0], ("keys-1.2.0/src/newest.rs", "pub fn resolve_api_key() {}\n")];

impl TestPlace {
    /// Adds an archive, and then replaces the file by a newer one.
    fn with_newer_archive() -> (TestPlace, SourceManifest) {
        let place = TestPlace::new();
        fs::write(place.path("keys.tar"), tar_bytes(PACKAGE)).unwrap();
        let source = place.add(&place.path("keys.tar")).unwrap().source;
        fs::write(place.path("keys.tar"), tar_bytes(NEWER)).unwrap();
        (place, source)
    }

    /// Begins an update of `keys`, which ends before the new import is indexed.
    fn update_until_indexing(&self, name: &str) {
        let old = self.library.find(name).unwrap();
        let (_, job) = self.library.bring_in_newer(&old, &Reach::Anywhere, &|_| ()).unwrap();
        assert_eq!(job.unwrap().stage, JobStage::Materialized);
    }
}

#[test]
fn a_source_whose_newer_import_is_being_indexed_is_in_use() {
    let (place, source) = TestPlace::with_newer_archive();
    place.update_until_indexing("keys");
    let index = place.library.paths.index(&source.id, 2);
    fs::create_dir_all(&index).unwrap();
    let lock = Lock::acquire(&index.join("lock"), Duration::ZERO, &mut |_| ()).unwrap();
    assert_eq!(place.library.remove("keys").unwrap_err().kind(), ErrorKind::Locked);
    assert!(index.exists());
    drop(lock);
    place.library.remove("keys").unwrap();
    assert!(!index.exists());
}

#[test]
fn an_update_after_one_of_another_process_keeps_the_import_that_answers() {
    let (place, stale) = TestPlace::with_newer_archive();
    assert_eq!(place.library.update("keys", &Options::default(), &|_| ()).unwrap().source.import, 2);
    fs::write(place.path("keys.tar"), tar_bytes(NEWEST)).unwrap();
    // The manifest was read before the other process had updated the source.
    let (now, job) = place.library.bring_in_newer(&stale, &Reach::Anywhere, &|_| ()).unwrap();
    assert_eq!((now.import, job.unwrap().import), (2, 3));
    assert!(place.library.verify("keys").unwrap().is_clean());
    assert_eq!(place.found("keys"), "src/new.rs");
}

#[test]
fn an_import_that_a_manifest_names_is_not_removed() {
    let (place, source) = TestPlace::with_newer_archive();
    place.update_until_indexing("keys");
    let mut job = place.library.jobs().unwrap().remove(0);
    (job.import, job.stage) = (source.import, JobStage::Planned);
    for step in ["materialize", "acquire"] {
        let mut job = job.clone();
        if step == "acquire" {
            fs::remove_file(place.path("keys.tar")).unwrap();
        }
        let lock = place.library.lock().unwrap();
        let done = place.library.bring_in(&mut job, &Reach::Anywhere, &|_| (), lock);
        let error = done.unwrap_err().to_string();
        assert_eq!(error.contains("changed or removed 'keys' meanwhile"), step == "materialize", "{error}");
        assert!(place.library.verify("keys").unwrap().is_clean(), "{step}");
    }
}

#[test]
fn an_import_that_another_process_has_replaced_is_not_recorded() {
    let (place, source) = TestPlace::with_newer_archive();
    let is_replaced = AtomicBool::new(false);
    let replace = |progress: AddProgress| {
        if matches!(progress, AddProgress::Indexing(_)) && !is_replaced.swap(true, Relaxed) {
            let path = place.library.paths.job(&source.id);
            let job = place.library.job(&source.id).unwrap().unwrap();
            records::write(&path, &Job { begun_at: job.begun_at + 1, ..job }).unwrap();
        }
    };
    let error = place.library.update("keys", &Options::default(), &replace).unwrap_err();
    assert!(error.to_string().contains("changed or removed 'keys' meanwhile"), "{error}");
    assert_eq!(place.library.show("keys").unwrap().import, 1);
}

#[test]
fn an_index_that_is_in_use_is_not_removed() {
    let (place, source) = TestPlace::with_newer_archive();
    let index = place.library.paths.index(&source.id, 1);
    let lock = std::sync::Mutex::new(None);
    let hold = |progress: AddProgress| {
        if matches!(progress, AddProgress::Indexing(_)) {
            let mut lock = lock.lock().unwrap();
            lock.get_or_insert_with(|| {
                Lock::acquire(&index.join("lock"), Duration::ZERO, &mut |_| ()).unwrap()
            });
        }
    };
    assert!(place.library.update("keys", &Options::default(), &hold).unwrap().is_new);
    assert!(index.join("WORKSPACE").exists());
    drop(lock);
    place.library.collect(false).unwrap();
    assert!(!index.exists());
}

#[test]
fn an_unfinished_import_says_how_to_continue() {
    let (place, _) = TestPlace::with_newer_archive();
    place.update_until_indexing("keys");
    let mut job = place.library.jobs().unwrap().remove(0);
    job.id = "other-1".to_string().try_into().unwrap();
    records::write(&place.library.paths.job(&job.id), &job).unwrap();
    let unfinished = place.library.list().unwrap().unfinished;
    let rows: Vec<_> = unfinished.iter().map(|row| (row.id.as_str(), row.is_update)).collect();
    assert_eq!((rows[1], rows[0].1), (("other-1", false), true));
}

#[test]
fn raw_files_that_were_made_writable_are_compared_with_their_index() {
    let place = TestPlace::new();
    fs::write(place.path("keys.tar"), tar_bytes(PACKAGE)).unwrap();
    let path = place.add(&place.path("keys.tar")).unwrap().path;
    let reader = place.library.reader(Options::default());
    let found = || {
        let set = reader.set(&SourceChoice::All).unwrap();
        let hits = set.ask(&SearchRequest::new("pelican_lantern")).unwrap().results;
        hits.iter().map(|hit| hit.path.as_str().to_string()).collect::<Vec<_>>()
    };
    assert!(found().is_empty());
    place.library.unprotect("keys").unwrap();
    fs::write(path.join("src/auth.rs"), "pub fn pelican_lantern() {}\n").unwrap();
    assert_eq!(found(), ["src/auth.rs"]);
}

#[test]
fn a_change_during_an_update_stays_in_the_history() {
    let (place, _) = TestPlace::with_newer_archive();
    let is_renamed = AtomicBool::new(false);
    let rename = |progress: AddProgress| {
        if matches!(progress, AddProgress::Indexing(_)) && !is_renamed.swap(true, Relaxed) {
            place.library.rename("keys", "other").unwrap();
        }
    };
    let updated = place.library.update("keys", &Options::default(), &rename).unwrap().source;
    let events: Vec<ImportEvent> = updated.history.iter().map(|record| record.event).collect();
    assert_eq!(events, [ImportEvent::Added, ImportEvent::Renamed, ImportEvent::Updated]);
    assert_eq!(updated.name, "other");
}

#[test]
fn an_update_that_was_killed_does_not_hide_a_newer_state() {
    let (place, _) = TestPlace::with_newer_archive();
    place.update_until_indexing("keys");
    fs::write(place.path("keys.tar"), tar_bytes(NEWEST)).unwrap();
    let updated = place.library.update("keys", &Options::default(), &|_| ()).unwrap();
    let hash = blake3::hash(&tar_bytes(NEWEST)).to_hex().to_string();
    assert_eq!((updated.is_new, updated.source.archive_hash), (true, Some(hash)));
    assert_eq!((place.found("keys").as_str(), updated.source.import), ("src/newest.rs", 2));
    // The archive of the present import may have come back.
    fs::write(place.path("keys.tar"), tar_bytes(NEWER)).unwrap();
    place.update_until_indexing("keys");
    fs::write(place.path("keys.tar"), tar_bytes(NEWEST)).unwrap();
    assert!(!place.library.update("keys", &Options::default(), &|_| ()).unwrap().is_new);
    assert!(place.library.jobs().unwrap().is_empty());
}

#[test]
fn the_plan_of_an_update_says_what_the_update_does() {
    let (place, _) = TestPlace::with_newer_archive();
    let plan = || place.library.plan_update("keys", &Options::default()).unwrap();
    assert_eq!((plan().step, plan().resumes), (UpdateStep::Import, None));
    assert!(place.library.jobs().unwrap().is_empty());
    place.update_until_indexing("keys");
    assert_eq!((plan().step, plan().resumes), (UpdateStep::Import, Some("materialized")));
    place.library.update("keys", &Options::default(), &|_| ()).unwrap();
    assert_eq!((plan().step, plan().resumes), (UpdateStep::Nothing, None));
    fs::remove_file(place.path("keys.tar")).unwrap();
    let gone = place.library.plan_update("keys", &Options::default()).unwrap_err();
    assert_eq!(gone.kind(), place.library.update("keys", &Options::default(), &|_| ()).unwrap_err().kind());

    let tree = place.project("own");
    let snapshot =
        AddRequest { snapshot: true, name: Some("copy".into()), ..AddRequest::new(tree.to_str().unwrap()) };
    place.add_with(&snapshot).unwrap();
    let copied = place.library.plan_update("copy", &Options::default()).unwrap();
    assert_eq!((copied.step, copied.changed_files), (UpdateStep::Copy, None));
    place.library.remove("copy").unwrap();
    place.add(&tree).unwrap();
    fs::write(tree.join("latest.rs"), "pub fn latest() {}\n").unwrap();
    let all = place.library.plan_update_all(&[], &Options::default()).unwrap();
    assert_eq!((all.sources.len(), &*all.failed[0].name), (1, "keys"));
    assert_eq!((all.sources[0].step, all.sources[0].changed_files), (UpdateStep::Index, Some(1)));
}

#[test]
fn an_update_of_a_repository_that_was_killed_does_not_hide_a_newer_commit() {
    let place = TestPlace::new();
    let tree = place.project("repo");
    let commit = |name: &str| {
        fs::write(tree.join(name), "pub fn other() {}\n").unwrap();
        git(&tree, "add -A");
        git(&tree, "commit -q -m next");
    };
    git(&tree, "init -q");
    commit("a.rs");
    place.add_with(&AddRequest::new(format!("file://{}", tree.display()))).unwrap();
    commit("b.rs");
    place.update_until_indexing("repo");
    commit("c.rs");
    place.library.update("repo", &Options::default(), &|_| ()).unwrap();
    assert!(place.library.path("repo").unwrap().join("c.rs").exists());
}

#[test]
fn an_old_import_that_cannot_be_removed_is_left_to_the_collection() {
    let (place, source) = TestPlace::with_newer_archive();
    let old = place.library.paths.import(&source.id, 1);
    let refused = old.clone();
    let guard = faults::observe(&old, move |step| match step {
        StoreStep::Remove(path) if *path == refused => Err(io::ErrorKind::PermissionDenied.into()),
        _ => Ok(()),
    });
    assert!(place.library.update("keys", &Options::default(), &|_| ()).unwrap().is_new);
    drop(guard);
    assert_eq!(place.found("keys"), "src/new.rs");
    assert!(old.exists());
    place.library.collect(false).unwrap();
    assert!(!old.exists());
}

#[cfg(unix)]
#[test]
fn a_library_below_a_link_is_not_in_the_source_that_contains_it() {
    let place = TestPlace::new();
    let tree = place.project("real");
    std::os::unix::fs::symlink(&tree, place.path("link")).unwrap();
    let library = library_at(place.path("link/new/library"));
    let request = AddRequest::new(tree.to_str().unwrap());
    let error = library.add(&request, &Options::default(), &|_| ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadSource);
    assert!(error.to_string().contains("contain each other") && !tree.join("new").exists(), "{error}");
}

#[test]
fn a_snapshot_leaves_out_what_is_too_large_or_cannot_be_read() {
    let place = TestPlace::new();
    let tree = place.project("tree");
    fs::File::create(tree.join("huge.bin")).unwrap().set_len((1 << 30) + 1).unwrap();
    fs::write(tree.join("shut.rs"), "pub fn shut() {}\n").unwrap();
    #[cfg(unix)]
    fs::set_permissions(tree.join("shut.rs"), std::os::unix::fs::PermissionsExt::from_mode(0o000)).unwrap();
    let is_readable = fs::File::open(tree.join("shut.rs")).is_ok();
    let request = AddRequest { snapshot: true, ..AddRequest::new(tree.to_str().unwrap()) };
    let source = place.add_with(&request).unwrap().source;
    assert_eq!(place.found("tree"), "src/auth.rs");
    let left_out: Vec<&str> = source.left_out.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(left_out, if is_readable { vec!["huge.bin"] } else { vec!["huge.bin", "shut.rs"] });
}

#[test]
fn committed_files_are_indexed_as_in_a_worktree() {
    let place = TestPlace::new();
    let tree = place.project("repo");
    fs::create_dir_all(tree.join("node_modules/keys")).unwrap();
    fs::write(tree.join("node_modules/keys/vendored.js"), "function rotateVendoredSecretly() {}\n").unwrap();
    git(&tree, "init -q");
    git(&tree, "add -A -f");
    git(&tree, "commit -q -m one");
    let path = tree.to_str().unwrap().to_string();
    let named = |name: &str, request| AddRequest { name: Some(name.into()), ..request };
    let (url, plain) = (AddRequest::new(format!("file://{path}")), AddRequest::new(&path));
    place.add_with(&named("worktree", plain.clone())).unwrap();
    place.add_with(&named("commit", url)).unwrap();
    place.add_with(&named("snapshot", AddRequest { snapshot: true, ..plain })).unwrap();
    for name in ["worktree", "commit", "snapshot"] {
        let engine = place.library.engine(name, Options::default()).unwrap();
        let hits = engine.search(&SearchRequest::new("rotateVendoredSecretly")).unwrap().results;
        assert!(hits.iter().any(|hit| hit.path.as_str() == "node_modules/keys/vendored.js"), "{name}");
    }
}

#[test]
fn a_tar_archive_that_becomes_another_file_says_what_to_do() {
    let (place, _) = TestPlace::with_newer_archive();
    fs::write(place.path("keys.tar"), "only a text\n").unwrap();
    let error = place.library.update("keys", &Options::default(), &|_| ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadSource);
    assert!(error.to_string().contains("keys.tar is no tar archive any more; remove"), "{error}");
}

#[test]
fn a_source_that_is_removed_during_an_update_is_not_brought_back() {
    let (place, source) = TestPlace::with_newer_archive();
    let manifest = place.library.paths.manifest(&source.id);
    let remove = |progress: AddProgress| {
        if matches!(progress, AddProgress::Indexing(_)) {
            let _ = fs::remove_file(&manifest);
        }
    };
    let error = place.library.update("keys", &Options::default(), &remove).unwrap_err();
    assert!(error.to_string().contains("another process changed or removed 'keys' meanwhile"), "{error}");
    assert!(!manifest.exists());
}

#[test]
fn an_update_that_is_killed_leaves_the_old_or_the_new_import() {
    let (place, _) = TestPlace::with_newer_archive();
    let root = place.path("library");
    let freezer = faults::freeze(&root);
    place.library.update("keys", &Options::default(), &|_| ()).unwrap();
    let images = freezer.finish();
    let images: Vec<_> = images.iter().filter(|image| image.mode == CrashMode::Killed).collect();
    let mut found = BTreeSet::new();
    for (number, image) in images.iter().enumerate() {
        remove_tree(&root).unwrap();
        image.restore(&root);
        let library = library_at(root.clone());
        let sources = library.list().unwrap().sources;
        assert_eq!((sources.len(), sources[0].state), (1, SourceState::Ready), "before step {}", image.at);
        assert!(library.verify("keys").unwrap().is_clean(), "before step {}", image.at);
        found.insert(place.found("keys"));
        if number % 7 == 0 || number + 1 == images.len() {
            library.update("keys", &Options::default(), &|_| ()).unwrap();
            library.collect(false).unwrap();
            assert_eq!(place.found("keys"), "src/new.rs", "before step {}", image.at);
            let raw = root.join("raw").join(sources[0].id.as_str());
            assert_eq!(fs::read_dir(raw).unwrap().count(), 1, "before step {}", image.at);
        }
    }
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["src/auth.rs", "src/new.rs"]);
}

#[test]
fn the_name_of_an_unfinished_import_is_taken() {
    let (place, _) = TestPlace::with_newer_archive();
    place.update_until_indexing("keys");
    place.add(&place.project("tree")).unwrap();
    // The import of another source, which a user named like the source that is renamed here.
    let paths = &place.library.paths;
    let mut job = place.library.jobs().unwrap().remove(0);
    (job.id, job.name) = ("other-1".to_string().try_into().unwrap(), "other".to_string());
    records::write(&paths.job(&job.id), &job).unwrap();
    let error = place.library.rename("tree", "other").unwrap_err();
    assert!(error.kind() == ErrorKind::NameTaken && error.to_string().contains("'other-2'"), "{error}");
}

#[test]
fn a_name_goes_before_an_id() {
    let place = TestPlace::new();
    let first = place.add(&place.project("zoo")).unwrap().source;
    place.add(&place.project("tree")).unwrap();
    place.library.rename("tree", first.id.as_str()).unwrap();
    assert_eq!(place.library.show(first.id.as_str()).unwrap().name, first.id.as_str());
    assert_eq!(place.library.show("zoo").unwrap().id, first.id);
}

#[test]
fn a_dry_run_of_a_collection_changes_nothing() {
    let (place, source) = TestPlace::with_newer_archive();
    let paths = &place.library.paths;
    place.update_until_indexing("keys");
    // A removal that was killed after its first step.
    fs::rename(paths.manifest(&source.id), paths.removed(&source.id)).unwrap();
    fs::remove_file(paths.job(&source.id)).unwrap();
    let names = || {
        let mut files = Vec::new();
        let mut folders = vec![place.path("library")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path.clone())
                }
                files.push(path);
            }
        }
        files.sort();
        files
    };
    let before = names();
    let planned = place.library.collect(true).unwrap();
    assert_eq!(names(), before);
    let collected = place.library.collect(false).unwrap();
    assert_eq!((&collected.removed, collected.bytes), (&planned.removed, planned.bytes));
    assert!(planned.is_dry_run && !collected.is_dry_run);
    for gone in [paths.raw_of(&source.id), paths.derived_of(&source.id), paths.removed(&source.id)] {
        assert!(planned.removed.contains(&gone) && !gone.exists(), "{}", gone.display());
    }
    // Nothing is created where no library is.
    let other = place.path("other");
    assert!(library_at(other.clone()).collect(true).unwrap().removed.is_empty() && !other.exists());
}
