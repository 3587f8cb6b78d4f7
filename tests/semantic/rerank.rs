//! Reranking by an endpoint, with vectors and without.

use std::time::Duration;

use super::server::{Behaviour, Server};
use super::support::Tree;
use super::{QUESTION, TOKEN, TREE, build, enable, find, tree_paths};

fn enable_rerank(tree: &Tree, server: &Server) {
    let ran = tree.run(&["semantic", "enable", "--rerank-url", &server.url, "--rerank-model", "judge"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("reranking") && ran.out.contains("judge at http://127.0.0.1"), "{}", ran.out);
}

fn asked(tree: &Tree) -> serde_json::Value {
    tree.json(&["search", &format!("key {QUESTION}"), "--mode", "debug"])
}

#[test]
fn a_cross_encoder_orders_the_first_files_and_says_why() {
    let server = Server::start();
    let tree = Tree::new(&TREE.replace("TOKEN", TOKEN));
    let plain = asked(&tree);
    enable_rerank(&tree, &server);
    let reply = asked(&tree);
    assert_eq!(server.n_calls(), 1);
    assert_eq!(reply["backend"], "lexical+symbol+path+rerank");
    let reasons = reply["results"].to_string();
    assert!(reasons.contains(&format!("rerank: 'key {QUESTION}' to ")), "{reasons}");
    assert!(reasons.contains(" (judge, "), "{reasons}");
    let sent = server.texts().join("\n");
    assert!(sent.contains("src/keys.rs\n") && sent.contains("longest_key"), "{sent}");
    assert!(!sent.contains(&TOKEN[8..]), "{sent}");
    // Vectors are another opt-in, and both can be enabled.
    assert_eq!(tree.run(&["semantic", "build"]).code, 2);
    enable(&tree, &server, &[]);
    build(&tree);
    let reply = asked(&tree);
    assert_eq!(reply["backend"], "lexical+symbol+path+semantic+rerank");
    assert_eq!(tree.json(&["semantic", "status"])["reranker"]["model"], "judge");
    assert!(tree.run(&["status"]).out.contains("reranking by judge"));
    assert_eq!(tree.run(&["semantic", "disable"]).code, 0);
    assert_eq!(tree_paths(&asked(&tree)), tree_paths(&plain));
}

#[test]
fn a_search_goes_on_without_the_cross_encoder() {
    let server = Server::start();
    let tree = Tree::new(TREE);
    let plain = tree_paths(&asked(&tree));
    enable_rerank(&tree, &server);
    let settings = find(&tree.index_dir(), "settings.toml");
    let text = std::fs::read_to_string(&settings).unwrap().replace("budget_ms = 2000", "budget_ms = 300");
    std::fs::write(&settings, text).unwrap();
    for (behaviour, expected) in [
        (Behaviour::Status(500, "oops"), "500: oops"),
        (Behaviour::Slow(Duration::from_secs(2)), "timeout"),
        (Behaviour::CutJson, "the answer"),
        (Behaviour::NotJson, "not as expected"),
        (Behaviour::Close, "gave no"),
    ] {
        server.push(&[behaviour]);
        let reply = asked(&tree);
        assert_eq!(tree_paths(&reply), plain, "{behaviour:?}");
        let warnings = reply["warnings"].to_string();
        assert!(warnings.contains("ranked without reranking") && warnings.contains(expected), "{warnings}");
    }
}

#[test]
fn one_model_is_enabled_at_a_time() {
    let tree = Tree::new(TREE);
    let refused = |args: &[&str], text: &str| {
        let ran = tree.run(&[&["semantic", "enable"], args].concat());
        assert_eq!(ran.code, 2, "{}", ran.out);
        assert!(ran.err.contains(text), "{}", ran.err);
    };
    refused(&["--rerank-url", "http://127.0.0.1:1/v1"], "--rerank-model");
    refused(&["--rerank-model", "judge"], "--rerank-url");
    refused(&["--rerank-folder", "src", "--table", "src"], "--table and --rerank-folder");
    refused(&["--rerank-folder", "src"], "config.json");
    refused(&["--rerank-url", "ftp://host", "--rerank-model", "judge"], "https://");
}
