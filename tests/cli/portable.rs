//! `spyhop export` and `spyhop import`, as a shell sees them.

use serde_json::Value;

use super::{SMALL, Tree};

#[test]
fn an_index_goes_from_one_tree_to_another() {
    let (tree, other) = (Tree::new(SMALL), Tree::new(SMALL));
    let ran = tree.run(&["export", "index.spyhop"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("there is no index"), "{}", ran.err);
    assert_eq!(tree.run(&["index"]).code, 0);
    // The file is named from where one stands.
    let ran = tree.run_in("src", &["export", "../../index.spyhop", "--root", ".."]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let archive = tree.root().with_file_name("index.spyhop");
    assert!(ran.out.contains(": 3 files, "), "{}", ran.out);
    other.write("src/auth.rs", "pub fn qxotherqx() {}\n");
    let archive = archive.to_str().unwrap();
    let imported: Value = other.json(&["import", archive]);
    assert_eq!((&imported["files"], &imported["parsed"]), (&3.into(), &1.into()), "{imported}");
    assert_eq!(other.paths(&["search", "qxotherqx", "--no-refresh"]), ["src/auth.rs"]);
    assert_eq!(other.paths(&["search", "brewing", "--no-refresh"]), ["docs/guide.md"]);
    let ran = other.run(&["import", archive]);
    assert_eq!((ran.code, ran.err.contains("--force replaces it")), (2, true), "{}", ran.err);
    assert_eq!(other.run(&["import", archive, "--force", "-q"]).code, 0);
    assert_eq!(other.paths(&["search", "qxotherqx", "--no-refresh"]), ["src/auth.rs"]);
}

#[test]
fn a_folder_that_cannot_be_written_into_is_named() {
    let tree = Tree::new(SMALL);
    tree.run(&["index", "-q"]);
    let root = tree.root();
    for (to, folder, why) in [
        ("no/such/file", "no/such", "there is no such folder"),
        ("src/auth.rs/file", "src/auth.rs", "it is not a folder"),
    ] {
        let ran = tree.run(&["export", to]);
        let told = format!("spyhop: write into {}: {why}\n", root.join(folder).display());
        assert_eq!((ran.code, ran.err), (2, told));
    }
}
