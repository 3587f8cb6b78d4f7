//! A table of Model2Vec from a local folder.

use super::model::write_table;
use super::support::Tree;
use super::{TREE, find};

#[test]
fn a_local_table_compares_words() {
    let tree = Tree::new(TREE);
    let folder = tree.index_dir().with_file_name("table");
    write_table(&folder);
    let ran = tree.run(&["semantic", "enable", "--table", folder.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("table, 8 dimensions"), "{}", ran.out);
    assert_eq!(tree.run(&["semantic", "build"]).code, 0);
    let reply = tree.json(&["search", "the longest entry that is forgotten", "--mode", "debug"]);
    let first = &reply["results"][0];
    assert_eq!(first["path"], "src/cache.rs");
    let reasons = first["reasons"].to_string();
    assert!(
        reasons.contains("similar: 'the longest entry that is forgotten' to evict_lru (table, "),
        "{reasons}"
    );
    // A table that is gone costs the vectors, not the answer.
    std::fs::remove_dir_all(&folder).unwrap();
    let reply = tree.json(&["search", "the entry that is forgotten"]);
    assert_eq!(reply["results"][0]["path"], "src/cache.rs");
    assert!(reply["warnings"].to_string().contains("ranked without vectors"), "{}", reply["warnings"]);
    assert!(find(&tree.index_dir(), "settings.toml").exists());
}

#[test]
fn a_folder_without_a_table_is_refused() {
    let tree = Tree::new(TREE);
    let ran = tree.run(&["semantic", "enable", "--table", "src"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("model.safetensors"), "{}", ran.err);
    let status = tree.json(&["semantic", "status"]);
    assert!(status["enabled"].is_null() && status["built"] == true, "{status}");
}
