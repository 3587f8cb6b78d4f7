//! A table of Model2Vec from a local folder.

use std::path::Path;

use serde_json::json;

use super::support::Tree;
use super::{TREE, find};

/// Writes a table of these words and rows, as floats of 32 bits.
fn write_table(folder: &Path, rows: &[(&str, [f32; 8])]) {
    std::fs::create_dir_all(folder).unwrap();
    let vocabulary: serde_json::Map<_, _> =
        rows.iter().enumerate().map(|(id, (word, _))| ((*word).to_string(), json!(id))).collect();
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": { "type": "Lowercase" },
        "pre_tokenizer": { "type": "Split", "pattern": { "Regex": "[^a-z0-9]+" }, "behavior": "Removed", "invert": false },
        "post_processor": null, "decoder": null,
        "model": { "type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]" },
    });
    std::fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).unwrap();
    let bytes: Vec<u8> =
        rows.iter().flat_map(|(_, row)| row.iter().flat_map(|number| number.to_le_bytes())).collect();
    let head = json!({ "embeddings": { "dtype": "F32", "shape": [rows.len(), 8], "data_offsets": [0, bytes.len()] } });
    let mut head = head.to_string().into_bytes();
    head.resize(head.len().next_multiple_of(8), b' ');
    let mut file = (head.len() as u64).to_le_bytes().to_vec();
    file.extend(head);
    file.extend(bytes);
    std::fs::write(folder.join("model.safetensors"), file).unwrap();
}

fn row(at: usize) -> [f32; 8] {
    let mut row = [0.05; 8];
    row[at] = 1.0;
    row
}

#[test]
fn a_local_table_compares_words() {
    let tree = Tree::new(TREE);
    let folder = tree.index_dir().with_file_name("table");
    write_table(
        &folder,
        &[
            ("[UNK]", row(7)),
            ("evict", row(0)),
            ("forgotten", row(0)),
            ("drops", row(0)),
            ("longest", row(1)),
            ("draw", row(2)),
            ("shape", row(2)),
            ("key", row(3)),
            ("token", row(3)),
        ],
    );
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
