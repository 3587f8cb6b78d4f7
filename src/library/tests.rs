//! Tests of whole imports, with real archives and repositories.

mod changes;
mod extents;
mod place;

use std::collections::BTreeSet;
use std::fs;

use place::{PACKAGE, TestPlace, git, gzipped, library_at, run, tar_bytes};

use super::protect::remove_tree;
use crate::api::AddRequest;
use crate::manifest::{SourceKind, SourceState};
use crate::open::Library;
use spyhop_base::store::faults::{self, CrashMode};
use spyhop_engine::api::{AddNoteRequest, ListNotesRequest, NoteKind, Options};
use spyhop_engine::{Cancel, Engine, ErrorKind};

#[test]
fn a_folder_stays_where_it_is_and_outlives_its_source() {
    let place = TestPlace::new();
    let tree = place.project("tree");
    let reply = place.add(&tree).unwrap();
    assert_eq!((reply.source.origin.kind, reply.source.state), (SourceKind::Folder, SourceState::Ready));
    assert_eq!((reply.path, reply.source.licence.as_deref()), (tree.clone(), Some("MIT")));
    assert_eq!(reply.source.package.unwrap().name, "keys");
    assert_eq!(place.found("tree"), "src/auth.rs");
    assert_eq!(place.add(&tree).unwrap_err().kind(), ErrorKind::NameTaken);
    fs::write(tree.join("src/auth.rs"), "pub fn other() {}\n").unwrap();
    fs::write(tree.join("src/new.rs"), "pub fn resolve_api_key() {}\n").unwrap();
    place.library.update("tree", &Options::default(), &|_| ()).unwrap();
    assert_eq!(place.found("tree"), "src/new.rs");
    place.library.remove("tree").unwrap();
    assert!(tree.join("src/auth.rs").exists() && tree.join("src/new.rs").exists());
    assert_eq!(fs::read_dir(&tree).unwrap().count(), 2);
    let derived = fs::read_dir(place.path("library/derived")).unwrap().count();
    assert_eq!((derived, place.library.list().unwrap().sources.len()), (0, 0));
    assert_eq!(place.library.show("tree").unwrap_err().kind(), ErrorKind::UnknownSource);
}

#[test]
fn a_snapshot_does_not_follow_its_folder() {
    let place = TestPlace::new();
    let tree = place.project("tree");
    place.add_with(&AddRequest { snapshot: true, ..AddRequest::new(tree.to_str().unwrap()) }).unwrap();
    fs::remove_dir_all(&tree).unwrap();
    assert_eq!(place.found("tree"), "src/auth.rs");
    assert!(place.library.verify("tree").unwrap().is_clean());
    let cancel = Cancel::default();
    cancel.cancel();
    let cancelled = Engine::cancellable(&cancel, || place.library.verify_all(&[])).unwrap_err();
    assert_eq!(cancelled.kind(), ErrorKind::Cancelled);
}

#[test]
fn archives_are_unpacked_and_indexed() {
    let place = TestPlace::new();
    let tar = tar_bytes(PACKAGE);
    fs::write(place.path("plain.tar"), &tar).unwrap();
    fs::write(place.path("keys-1.2.0.crate"), gzipped(&tar)).unwrap();
    let mut names = vec![("plain", SourceKind::Tar), ("keys-1.2.0", SourceKind::Tar)];
    let mut files = vec!["plain.tar", "keys-1.2.0.crate"];
    place.project("packed");
    // The archive by Python's writer is one of the kinds that users have.
    run(&place.path(""), "python3", &["-m", "zipfile", "-c", "packed.zip", "packed/"]);
    names.push(("packed", SourceKind::Zip));
    files.push("packed.zip");
    for ((name, kind), file) in names.iter().zip(&files) {
        let before = fs::read(place.path(file)).unwrap();
        let reply = place.add(&place.path(file)).unwrap();
        assert_eq!((reply.source.name.as_str(), reply.source.origin.kind), (*name, *kind));
        assert_eq!(reply.source.archive_hash, Some(blake3::hash(&before).to_hex().to_string()));
        assert_eq!(reply.source.package.unwrap().version.as_deref(), Some("1.2.0"), "{file}");
        assert_eq!(place.found(name), "src/auth.rs", "{file}");
        assert!(place.library.verify(name).unwrap().is_clean(), "{file}");
        assert_eq!(fs::read(place.path(file)).unwrap(), before);
    }
    let status = place.library.status(&Options::default()).unwrap();
    assert_eq!((status.sources.len(), status.unfinished.len(), status.warnings.len()), (3, 0, 0));
}

#[test]
fn one_file_is_a_source() {
    let place = TestPlace::new();
    fs::write(place.path("auth.rs"), "pub fn resolve_api_key() {}\n").unwrap();
    assert_eq!(place.add(&place.path("auth.rs")).unwrap().source.origin.kind, SourceKind::File);
    assert_eq!(place.found("auth.rs"), "auth.rs");
}

#[test]
fn commits_of_a_repository_are_imported_and_updated() {
    let place = TestPlace::new();
    let tree = place.project("repo");
    git(&tree, "init -q");
    git(&tree, "add .");
    git(&tree, "commit -q -m one");
    git(&tree, "tag v1");
    let url = format!("file://{}", tree.display());
    let first = place.add_with(&AddRequest::new(&url)).unwrap().source;
    assert_eq!((first.origin.kind, first.branch.as_deref()), (SourceKind::Git, Some("main")));
    fs::rename(tree.join("src/auth.rs"), tree.join("src/moved.rs")).unwrap();
    git(&tree, "add -A");
    git(&tree, "commit -q -m two");
    assert_eq!(place.found("repo"), "src/auth.rs");
    let updated = place.library.update("repo", &Options::default(), &|_| ()).unwrap();
    assert!(updated.is_new && updated.old_commit == first.commit && updated.source.commit != first.commit);
    assert_eq!((place.found("repo").as_str(), updated.source.import), ("src/moved.rs", 2));
    let again = place.library.update("repo", &Options::default(), &|_| ()).unwrap();
    assert!(!again.is_new);
    let tagged =
        AddRequest { name: Some("old".into()), reference: Some("v1".into()), ..AddRequest::new(&url) };
    assert_eq!(place.add_with(&tagged).unwrap().source.commit, first.commit);
    assert_eq!(place.found("old"), "src/auth.rs");
    let unknown =
        AddRequest { name: Some("x".into()), reference: Some("none".into()), ..AddRequest::new(&url) };
    assert!(place.add_with(&unknown).unwrap_err().to_string().contains("none"));
    assert_eq!(place.library.list().unwrap().sources.len(), 2);
}

#[cfg(feature = "network")]
#[test]
fn a_cancelled_call_asks_no_server() {
    let place = TestPlace::new();
    let cancel = Cancel::default();
    cancel.cancel();
    let add = || place.add_with(&AddRequest::new("git://127.0.0.1:1/a"));
    assert_eq!(Engine::cancellable(&cancel, add).unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(add().unwrap_err().kind(), ErrorKind::Unreachable);
    assert!(!place.path("library").exists());
}

#[test]
fn an_update_keeps_the_notes_of_a_source_also_when_it_is_killed() {
    let place = TestPlace::new();
    fs::write(place.path("keys.tar"), tar_bytes(PACKAGE)).unwrap();
    let source = place.add(&place.path("keys.tar")).unwrap().source;
    let engine = || place.library.engine(&source.name, Options::default()).unwrap();
    let recorded = |text: &str| {
        engine().ask(&AddNoteRequest::new(NoteKind::Failure, text)).unwrap().notes.remove(0).note
    };
    let texts = || {
        let rows = engine().ask(&ListNotesRequest::default()).unwrap().notes;
        rows.into_iter().map(|row| row.note.text).collect::<Vec<_>>()
    };
    recorded("The key is read twice");
    fs::write(
        place.path("keys.tar"),
        tar_bytes(&[PACKAGE[0], ("keys-1.2.0/src/new.rs", "pub fn new() {}\n")]),
    )
    .unwrap();
    let updated = place.library.update(&source.name, &Options::default(), &|_| ()).unwrap();
    assert!(updated.is_new);
    assert_eq!(texts(), ["The key is read twice"]);
    // A process that is killed after it has replaced the manifest leaves the old index with its notes.
    let paths = &place.library.paths;
    let (left, new) = (paths.index(&source.id, 1), paths.index(&source.id, 2));
    fs::create_dir(&left).unwrap();
    fs::rename(new.join("memory"), left.join("memory")).unwrap();
    assert!(texts().is_empty());
    assert!(place.library.collect(true).unwrap().removed.contains(&left));
    assert!(left.exists());
    place.library.collect(false).unwrap();
    assert!(!left.exists());
    assert_eq!(texts(), ["The key is read twice"]);
}

#[test]
fn changes_of_raw_files_are_reported() {
    let place = TestPlace::new();
    fs::write(place.path("keys.tar"), tar_bytes(PACKAGE)).unwrap();
    let reply = place.add(&place.path("keys.tar")).unwrap();
    place.library.unprotect("keys").unwrap();
    fs::write(reply.path.join("src/auth.rs"), "pub fn resolve_api_kez() {}\n").unwrap();
    fs::write(reply.path.join("src/new.rs"), "").unwrap();
    fs::remove_file(reply.path.join("LICENSE")).unwrap();
    let verified = place.library.verify("keys").unwrap();
    assert_eq!(verified.changed, ["keys-1.2.0/src/auth.rs"]);
    assert_eq!(verified.added, ["keys-1.2.0/src/new.rs"]);
    assert_eq!(verified.missing, ["keys-1.2.0/LICENSE"]);
}

#[test]
fn a_name_is_given_once() {
    let place = TestPlace::new();
    let (one, two) = (place.project("a/tree"), place.project("b/tree"));
    place.add(&one).unwrap();
    let error = place.add(&two).unwrap_err();
    assert!(error.kind() == ErrorKind::NameTaken && error.to_string().contains("'tree-2'"), "{error}");
    place
        .add_with(&AddRequest { name: Some("two".into()), ..AddRequest::new(two.to_str().unwrap()) })
        .unwrap();
    assert_eq!(place.library.rename("two", "tree").unwrap_err().kind(), ErrorKind::NameTaken);
    place.library.rename("two", "three").unwrap();
    assert_eq!(place.found("three"), "src/auth.rs");
}

/// The stage at which the only import of a library ended, if it is unfinished.
fn begun_stage(library: &Library) -> Option<&'static str> {
    let source = library.list().unwrap().sources.into_iter().next();
    match source {
        Some(source) => (source.state == SourceState::Indexing).then_some("materialized"),
        None => library.jobs().unwrap().first().map(|job| job.stage.name()),
    }
}

/// Checks that in every image, the source is whole or missing, and that adding it again ends the import. Returns the stages
/// from which imports were resumed.
fn check_images(
    place: &TestPlace,
    name: &str,
    request: &AddRequest,
    modes: &[CrashMode],
    work: impl Fn(),
) -> BTreeSet<&'static str> {
    let mut resumed = BTreeSet::new();
    let root = place.path("library");
    fs::create_dir_all(&root).unwrap();
    let _fast = faults::without_sync(&root);
    let freezer = faults::freeze(&root);
    work();
    let images = freezer.finish();
    let images: Vec<_> = images.iter().filter(|image| modes.contains(&image.mode)).collect();
    assert!(images.len() > 10, "{}", images.len());
    for (number, image) in images.iter().enumerate() {
        let at = format!("{:?} before step {}", image.mode, image.at);
        remove_tree(&root).unwrap();
        image.restore(&root);
        let library = library_at(root.clone());
        let listed = library.list().unwrap();
        assert!(listed.warnings.is_empty(), "{at}: {:?}", listed.warnings);
        for source in &listed.sources {
            let verified = library.verify(&source.name).unwrap_or_else(|error| panic!("{at}: {error}"));
            assert!(verified.is_clean(), "{at}: {verified:?}");
        }
        if number % 7 == 0 || number + 1 == images.len() {
            let begun = begun_stage(&library);
            match library.add(request, &Options::default(), &|_| ()) {
                Ok(reply) => {
                    assert_eq!((reply.source.state, reply.resumed), (SourceState::Ready, begun), "{at}");
                    resumed.extend(reply.resumed);
                }
                Err(error) => assert_eq!(error.kind(), ErrorKind::NameTaken, "{at}: {error}"),
            }
            assert!(library.jobs().unwrap().is_empty(), "{at}");
            assert_eq!(place.found(name), "src/auth.rs", "{at}");
            library.remove(name).unwrap_or_else(|error| panic!("{at}: {error}"));
            assert!(library.list().unwrap().sources.is_empty(), "{at}");
        }
    }
    resumed
}

#[test]
fn an_archive_whose_import_is_killed_is_resumed_or_missing() {
    let place = TestPlace::new();
    fs::write(place.path("keys.tar"), tar_bytes(PACKAGE)).unwrap();
    let request = AddRequest::new(place.path("keys.tar").to_str().unwrap());
    // The double of the store follows the names of files, not those in a renamed folder.
    let resumed = check_images(&place, "keys", &request, &[CrashMode::Killed], || {
        place.add_with(&request).unwrap();
    });
    assert!(resumed.contains("materialized"), "{resumed:?}");
    assert_eq!(fs::read(place.path("keys.tar")).unwrap(), tar_bytes(PACKAGE));
}

#[test]
fn a_folder_whose_import_is_cut_short_is_whole_or_missing() {
    let place = TestPlace::new();
    let tree = place.project("tree");
    let request = AddRequest::new(tree.to_str().unwrap());
    let modes = [CrashMode::Killed, CrashMode::Lost, CrashMode::NamesKept, CrashMode::RemovalsKept];
    let resumed = check_images(&place, "tree", &request, &modes, || {
        place.add_with(&request).unwrap();
    });
    assert_eq!(resumed.into_iter().collect::<Vec<_>>(), ["materialized"]);
    assert_eq!(fs::read_to_string(tree.join("src/auth.rs")).unwrap(), "pub fn resolve_api_key() {}\n");
}

#[test]
fn a_removal_that_is_killed_is_ended_by_the_next_change() {
    let place = TestPlace::new();
    fs::write(place.path("keys.tar"), tar_bytes(PACKAGE)).unwrap();
    let request = AddRequest::new(place.path("keys.tar").to_str().unwrap());
    place.add_with(&request).unwrap();
    let root = place.path("library");
    let freezer = faults::freeze(&root);
    place.library.remove("keys").unwrap();
    let images = freezer.finish();
    let killed: Vec<_> = images.iter().filter(|image| image.mode == CrashMode::Killed).collect();
    assert!(killed.len() > 3, "{}", killed.len());
    let mut kept = 0;
    for image in killed {
        remove_tree(&root).unwrap();
        image.restore(&root);
        let library = library_at(root.clone());
        let sources = library.list().unwrap().sources;
        kept += sources.len();
        if sources.is_empty() {
            library.collect(false).unwrap();
            for folder in ["manifests", "raw", "derived", "jobs", "staging"] {
                let left = fs::read_dir(root.join(folder)).map_or(0, Iterator::count);
                assert_eq!(left, 0, "{folder} before step {}", image.at);
            }
        } else {
            assert!(library.verify("keys").unwrap().is_clean(), "before step {}", image.at);
        }
        let _ = library.add(&request, &Options::default(), &|_| ());
        assert_eq!(place.found("keys"), "src/auth.rs", "before step {}", image.at);
    }
    assert!(kept > 0);
}
