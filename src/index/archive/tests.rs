//! Archives contain nothing about the machine that made them.

use std::path::Path;
use std::time::Duration;

use super::file::Archive;
use super::layout::{META, SEGMENTS};
use crate::archive::error::ArchiveError;
use crate::archive::export::Export;
use crate::archive::import::Import;
use crate::inverted::Reader;
use crate::meta::{Commit, Meta, RecordedIdentity};
use crate::update::tests::TestTree;
use spyhop_base::store::TEMPORARY_PREFIX;

fn export(tree: &TestTree, to: &Path) {
    tree.with_updater(|updater| updater.export(to, &Export::default()).map(drop)).unwrap();
}

fn import(tree: &TestTree, from: &Path) -> Result<(), ArchiveError> {
    let import = Import::default();
    tree.with_updater(|updater| updater.import(from, &import, Duration::ZERO, &|_| ()).map(drop))
}

fn indexed() -> TestTree {
    let tree = TestTree::new();
    (0..6).for_each(|number| tree.write(&format!("{number}.rs"), &format!("fn f{number}() {{}}\n")));
    tree.write("data.bin", "a\0b");
    tree.refresh();
    tree
}

/// The identities of the ranked files of the newest commit.
fn identities(tree: &TestTree) -> Vec<RecordedIdentity> {
    let committed = tree.workspace.open().unwrap();
    let key = tree.with_updater(|updater| updater.view_key());
    committed.meta.view(&key).unwrap().unwrap().entries().map(|entry| entry.identity).collect()
}

#[test]
fn no_stat_and_no_root_travels() {
    let (tree, folder) = (indexed(), tempfile::tempdir().unwrap());
    let path = folder.path().join("archive");
    // The stat data of a file prove something once the file is old enough.
    std::thread::sleep(Duration::from_millis(2100));
    tree.with_updater(|updater| updater.rebuild(Duration::ZERO, &|_| ()).unwrap());
    assert!(identities(&tree).iter().all(|identity| *identity != RecordedIdentity::Unproven));
    export(&tree, &path);
    Archive::open(&path).unwrap().unpack(folder.path()).unwrap();
    let reader = Reader::open(&folder.path().join(SEGMENTS)).unwrap();
    let commit = Commit::parse(reader.payload(), folder.path()).unwrap();
    let meta = Meta::open(&folder.path().join(META), commit).unwrap();
    let (key, info) = meta.views().next().unwrap();
    assert_eq!((key.root.as_str(), info.used, info.files), ("", 0, 6));
    let view = meta.view(key).unwrap().unwrap();
    assert!(view.entries().all(|entry| entry.identity == RecordedIdentity::Unproven));
    let recorded: Vec<_> = view.skipped().iter().map(|entry| entry.identity).collect();
    assert_eq!(recorded, [Some(RecordedIdentity::Unproven)]);
    // An import records the stat data that it finds here, although no content differs.
    std::fs::remove_file(tree.root.join("data.bin")).unwrap();
    tree.refresh();
    export(&tree, &path);
    std::fs::remove_dir_all(tree.workspace.dir()).unwrap();
    import(&tree, &path).unwrap();
    assert!(self::identities(&tree).iter().all(|identity| *identity != RecordedIdentity::Unproven));
}

#[test]
fn the_next_import_removes_the_remains_of_one_that_died() {
    let (tree, folder) = (indexed(), tempfile::tempdir().unwrap());
    let path = folder.path().join("archive");
    export(&tree, &path);
    let other = indexed();
    std::fs::remove_dir_all(other.workspace.dir()).unwrap();
    let left = other.workspace.dir().join(format!("{TEMPORARY_PREFIX}dead"));
    std::fs::create_dir_all(left.join(META)).unwrap();
    import(&other, &path).unwrap();
    assert!(!left.exists());
    assert!(other.workspace.leftovers().is_empty());
    assert!(matches!(import(&other, &path), Err(ArchiveError::Occupied { .. })));
}
