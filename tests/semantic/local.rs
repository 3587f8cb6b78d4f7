//! A transformer from a local folder. Its arithmetic has unit tests; here a real one runs, if there is one.

use super::support::{Tree, skipped};
use super::{QUESTION, TREE};

#[test]
fn a_local_transformer_finds_what_shares_no_word() {
    let tree = Tree::new(TREE);
    let ran = tree.run(&["semantic", "enable", "--local-model", "src"]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains("config.json: there is no such file"), "{}", ran.err);
    let Some(folder) = std::env::var_os("SPYHOP_LOCAL_MODEL") else {
        return skipped("a local transformer: SPYHOP_LOCAL_MODEL names no folder of all-MiniLM-L6-v2");
    };
    let ran = tree.run(&["semantic", "enable", "--local-model", folder.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("384 dimensions"), "{}", ran.out);
    assert_eq!(tree.run(&["semantic", "build"]).code, 0);
    let reply = tree.json(&["search", &format!("key {QUESTION}"), "--mode", "debug"]);
    assert_eq!(reply["backend"], "lexical+symbol+path+semantic");
    let hits = reply["results"].as_array().unwrap();
    assert!(hits.iter().any(|hit| hit["reasons"].to_string().contains("similar: 'key forgotten")), "{reply}");
}
