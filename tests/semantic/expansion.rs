//! Words by which a model expands texts: a search needs no model for them.

use std::fs::{File, FileTimes};
use std::path::PathBuf;

use super::model::{write_expander, write_table};
use super::support::{Tree, skipped};
use super::{TREE, build, find, killed_builds, many_files, tree_paths};

const QUESTION: &str = "the longest entry that is forgotten and drops";

/// A tree that has opted in, with the folder of the model.
fn enabled() -> (Tree, PathBuf) {
    let tree = Tree::new(TREE);
    let folder = tree.index_dir().with_file_name("splade");
    write_expander(&folder);
    let ran = tree.run(&["semantic", "enable", "--expansion-folder", folder.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("128 words of each part by splade"), "{}", ran.out);
    (tree, folder)
}

fn asked(tree: &Tree) -> serde_json::Value {
    tree.json(&["search", QUESTION, "--mode", "debug"])
}

#[test]
fn a_word_of_the_question_that_a_text_lacks_is_found_in_its_expansion() {
    let plain = asked(&Tree::new(TREE));
    let (tree, folder) = enabled();
    let warned = asked(&tree);
    assert!(
        warned["warnings"].to_string().contains("expansions are enabled and there are none yet"),
        "{warned}"
    );
    let listed = tree.run(&["semantic", "build", "--dry-run"]);
    assert!(
        listed.out.contains("src/cache.rs") && listed.out.contains("0 of 4 have expansions"),
        "{}",
        listed.out
    );
    build(&tree);
    let reply = asked(&tree);
    assert_eq!(reply["backend"], "lexical+symbol+path+expanded");
    assert!(!reply["warnings"].to_string().contains("expansions"), "{}", reply["warnings"]);
    assert_eq!(reply["results"][0]["path"], "src/cache.rs");
    let reasons = reply["results"][0]["reasons"].to_string();
    assert!(reasons.contains("expanded: 'forgotten' in evict_lru (splade, 1."), "{reasons}");
    let status = tree.json(&["semantic", "status"]);
    assert_eq!((&status["files_with_expansions"], &status["files"]), (&4.into(), &4.into()), "{status}");
    assert_eq!(status["expander"]["sends"], false);
    // Other weights of the same length and time: a search does not read them.
    let weights = folder.join("model.safetensors");
    let found = weights.metadata().unwrap();
    std::fs::write(&weights, vec![0; found.len() as usize]).unwrap();
    let times = FileTimes::new().set_modified(found.modified().unwrap());
    File::options().write(true).open(&weights).unwrap().set_times(times).unwrap();
    assert_eq!(asked(&tree)["results"], reply["results"]);
    assert_eq!(tree.run(&["semantic", "disable"]).code, 0);
    assert_eq!(tree_paths(&asked(&tree)), tree_paths(&plain));
}

#[test]
fn vectors_and_expansions_are_made_by_one_build() {
    let (tree, _) = enabled();
    let table = tree.index_dir().with_file_name("table");
    write_table(&table);
    assert_eq!(tree.run(&["semantic", "enable", "--table", table.to_str().unwrap()]).code, 0);
    let ran = tree.run(&["semantic", "build"]);
    assert!(
        ran.out.contains("4 parts sent") && ran.out.contains("4 parts expanded"),
        "{}{}",
        ran.out,
        ran.err
    );
    let reply = asked(&tree);
    assert_eq!(reply["backend"], "lexical+symbol+path+semantic+expanded");
    let reasons = reply["results"][0]["reasons"].to_string();
    assert!(reasons.contains("similar: '") && reasons.contains("expanded: '"), "{reasons}");
    assert!(tree.run(&["status"]).out.contains("words by splade at "));
    let ran = tree.run(&["semantic", "purge"]);
    assert_eq!((ran.code, asked(&tree)["backend"].as_str()), (0, Some("lexical+symbol+path")));
}

#[test]
fn damaged_expansions_are_told_and_made_anew() {
    let (tree, _) = enabled();
    build(&tree);
    let rows = find(&tree.index_dir(), "vectors");
    let mut bytes = std::fs::read(&rows).unwrap();
    *bytes.last_mut().unwrap() ^= 0x55;
    std::fs::write(&rows, bytes).unwrap();
    assert!(tree.run(&["doctor"]).out.contains("1 expansions are damaged"));
    build(&tree);
    assert!(!tree.run(&["doctor"]).out.contains("damaged"));
}

#[test]
fn a_killed_build_of_expansions_loses_nothing() {
    let (tree, _) = enabled();
    many_files(&tree, 400);
    killed_builds(&tree, "files_with_expansions");
}

#[test]
fn a_folder_of_another_model_is_refused() {
    let (tree, folder) = enabled();
    std::fs::write(folder.join("config.json"), "{}").unwrap();
    let ran = tree.run(&["semantic", "enable", "--expansion-folder", folder.to_str().unwrap()]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains("config.json"), "{}", ran.err);
}

#[test]
fn a_real_model_expands_texts() {
    let Some(folder) = std::env::var_os("SPYHOP_SPLADE_MODEL") else {
        return skipped("expansions by a real model: SPYHOP_SPLADE_MODEL names no folder of one");
    };
    let tree = Tree::new(TREE);
    let ran = tree.run(&["semantic", "enable", "--expansion-folder", folder.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    build(&tree);
    let reply = tree.json(&["search", "key painted longest ago", "--mode", "debug"]);
    assert_eq!(reply["backend"], "lexical+symbol+path+expanded");
    assert!(reply["results"].to_string().contains("expanded: '"), "{reply}");
}
