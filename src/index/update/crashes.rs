//! Updates of a store that is frozen at each of its steps, or whose steps fail one by one: the remaining index answers
//! as before the update or as after it, and the next update needs no repair.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use super::tests::TestTree;
use super::*;
use crate::meta::ViewKey;
use crate::retention::{Collection, Collector};
use crate::workspace::{Committed, Workspace, WorkspaceError};
use spyhop_base::id::VersionContent;
use spyhop_base::store::faults::{self, Image};

/// The operation on an index while its store is frozen.
type UpdateWork = fn(&TestTree) -> Result<(), UpdateError>;

/// The files of each view, with their contents. Staged views are left out, because no answer comes from them. Fails
/// where anything is contradictory.
type IndexedState = BTreeMap<ViewKey, BTreeMap<String, VersionContent>>;

pub fn refresh(tree: &TestTree) -> Result<(), UpdateError> {
    let committed = tree.workspace.open().ok();
    tree.with_updater(|updater| updater.refresh(committed.as_ref(), Duration::ZERO, &|_| ()).map(|_| ()))
}

fn rebuild(tree: &TestTree) -> Result<(), UpdateError> {
    tree.with_updater(|updater| updater.rebuild(Duration::ZERO, &|_| ()).map(|_| ()))
}

fn collect(tree: &TestTree) -> Result<(), UpdateError> {
    let collected = tree.with_updater(|updater| {
        let (workspace, repo, view_key) = (updater.workspace, updater.repo, updater.view_key());
        let collector = Collector { workspace, repo, view_key };
        collector.collect(&Collection::default(), Duration::ZERO, &mut |_| ())
    });
    Ok(collected.map(drop)?)
}

fn state(workspace: &Workspace) -> IndexedState {
    let committed = match workspace.open() {
        Ok(committed) => committed,
        Err(WorkspaceError::Missing { .. }) => return IndexedState::new(),
        Err(error) => panic!("{error}"),
    };
    let Committed { reader, meta } = &committed;
    assert!(meta.verify().is_empty(), "{:?}", meta.verify());
    let mut documents: BTreeMap<u32, u32> = BTreeMap::new();
    for segment in reader.segments() {
        let live = (0..).zip(segment.versions().unwrap()).filter(|(doc, _)| segment.is_live(*doc));
        live.for_each(|(_, version)| *documents.entry(version).or_default() += 1);
    }
    let expected: BTreeMap<u32, u32> =
        meta.version_ids().map(|id| (id.0, meta.version(id).unwrap().chunks())).collect();
    assert_eq!(documents, expected);
    let files = |key: &ViewKey| {
        let view = meta.view(key).unwrap().unwrap();
        let file =
            |id| meta.version(id).map(|version| (version.path().to_string(), version.content())).unwrap();
        view.versions().iter().copied().map(file).collect()
    };
    let answers = meta.views().filter(|(key, _)| !key.staged);
    answers.map(|(key, _)| (key.clone(), files(key))).collect()
}

/// A tree of some files on a branch, indexed twice, so that there are segments to merge and versions to delete.
pub fn prepared() -> TestTree {
    let mut tree = TestTree::new();
    tree.git("init -q -b main");
    (0..20).for_each(|number| tree.write(&format!("{number:02}.rs"), &format!("fn f{number}() {{}}\n")));
    refresh(&tree).unwrap();
    (0..5).for_each(|number| tree.write(&format!("{number:02}.rs"), &format!("fn g{number}() {{}}\n")));
    refresh(&tree).unwrap();
    tree.checkpoint = Duration::ZERO;
    tree
}

/// Changes that exercise all of an update: changed content, new files, deleted files.
pub fn change(tree: &TestTree) {
    (3..12).for_each(|number| tree.write(&format!("{number:02}.rs"), &format!("fn h{number}() {{}}\n")));
    (20..28).for_each(|number| tree.write(&format!("{number:02}.rs"), &format!("fn h{number}() {{}}\n")));
    (12..15).for_each(|number| std::fs::remove_file(tree.root.join(format!("{number:02}.rs"))).unwrap());
}

fn copy_of(tree: &TestTree, dir: &Path) -> Workspace {
    let fingerprint = tree.workspace.fingerprint().to_string();
    Workspace::new(tree.root.clone(), tree.root.clone(), dir.to_path_buf(), fingerprint)
}

/// Checks that every image taken during `work` is the state before it or after it, and that the next update continues
/// from there.
pub fn check_images(mut tree: TestTree, work: UpdateWork) {
    let before = state(&tree.workspace);
    let _fast = faults::without_sync(tree.workspace.dir());
    std::fs::create_dir_all(tree.workspace.dir()).unwrap();
    let freezer = faults::freeze(tree.workspace.dir());
    work(&tree).unwrap();
    let images = freezer.finish_by_kind();
    let after = state(&tree.workspace);
    let copy = tempfile::tempdir().unwrap();
    let _fast_copy = faults::without_sync(copy.path());
    let (mut old, mut new) = (0, 0);
    tree.workspace = copy_of(&tree, copy.path());
    for (number, image) in images.iter().enumerate() {
        let Image { at, mode, .. } = image;
        image.restore(copy.path());
        let found = std::panic::catch_unwind(|| state(&tree.workspace))
            .unwrap_or_else(|_| panic!("cannot be opened: {mode:?} before step {at}"));
        assert!(found == before || found == after, "{mode:?} before step {at}: {found:?}");
        if found == before {
            old += 1;
        }
        if found == after {
            new += 1;
        }
        if number % 29 == 0 {
            refresh(&tree).unwrap_or_else(|error| panic!("{mode:?} before step {at}: {error}"));
            let key = tree.with_updater(|updater| updater.view_key());
            let (again, wanted) = (state(&tree.workspace), after.get(&key));
            assert_eq!(again.get(&key), wanted, "{mode:?} before step {at}");
            assert!(tree.workspace.aside().is_empty(), "{mode:?} before step {at}");
        }
    }
    assert!(images.len() > 20 && old > 0 && new > 0, "{} images, {old} old, {new} new", images.len());
}

#[test]
fn a_first_update_that_is_cut_short_leaves_nothing_or_all() {
    let mut tree = TestTree::new();
    (0..20).for_each(|number| tree.write(&format!("{number:02}.rs"), &format!("fn f{number}() {{}}\n")));
    tree.checkpoint = Duration::ZERO;
    check_images(tree, refresh);
}

#[test]
fn a_first_update_that_begins_with_the_text_survives_crashes() {
    let mut tree = TestTree::new();
    (0..20).for_each(|number| tree.write(&format!("{number:02}.rs"), &format!("fn f{number}() {{}}\n")));
    (tree.checkpoint, tree.text_first) = (Duration::ZERO, 1);
    check_images(tree, refresh);
}

#[test]
fn an_update_that_is_cut_short_leaves_what_was_or_what_is_to_be() {
    let tree = prepared();
    change(&tree);
    check_images(tree, refresh);
}

#[test]
fn a_switch_of_branches_that_is_cut_short_keeps_the_branch_that_was_left() {
    let tree = prepared();
    tree.git("checkout -q -b topic");
    change(&tree);
    check_images(tree, refresh);
}

#[test]
fn a_rebuild_that_is_cut_short_leaves_the_index_that_was() {
    let tree = prepared();
    change(&tree);
    check_images(tree, rebuild);
}

#[test]
fn a_collection_that_is_cut_short_changes_no_view_that_stays() {
    let tree = prepared();
    tree.git("checkout -q -b topic");
    change(&tree);
    refresh(&tree).unwrap();
    // The branch that was left has no commit, so no branch of its name exists.
    check_images(tree, collect);
}

/// Fails each step in turn. The update reports the failure, the previous state answers, and the next update succeeds.
fn check_failures(kind: ErrorKind, fails: fn(&Path, u64, ErrorKind) -> faults::Failing) {
    let mut tree = prepared();
    change(&tree);
    let whole = tempfile::tempdir().unwrap();
    let freezer = faults::freeze(tree.workspace.dir());
    let image = freezer.finish().pop().unwrap();
    let before = state(&tree.workspace);
    tree.workspace = copy_of(&tree, whole.path());
    let _fast = faults::without_sync(whole.path());
    let (mut failed, mut step) = (0, 0);
    loop {
        image.restore(whole.path());
        let failing = fails(whole.path(), step, kind);
        let result = refresh(&tree);
        let is_past = failing.count() <= step;
        drop(failing);
        let found = state(&tree.workspace);
        match result {
            Err(_) => {
                failed += 1;
                let key = tree.with_updater(|updater| updater.view_key());
                assert!(found == before || found[&key].len() == 25, "step {step}: {found:?}");
            }
            // Steps after the commit may fail without harm.
            Ok(()) => assert_eq!(found.values().next().unwrap().len(), 25, "step {step}"),
        }
        refresh(&tree).unwrap_or_else(|error| panic!("after step {step} had failed: {error}"));
        assert_eq!(state(&tree.workspace).values().next().unwrap().len(), 25, "step {step}");
        if is_past {
            break;
        }
        step += 7;
    }
    assert!(failed > 5, "{failed} of {step} steps");
}

#[test]
fn any_step_may_fail() {
    check_failures(ErrorKind::Other, faults::fail_at);
}

#[test]
fn the_disk_may_be_full_from_any_step_on() {
    check_failures(ErrorKind::StorageFull, |dir, step, _| faults::full_from(dir, step));
}
