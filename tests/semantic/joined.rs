//! Vectors in searches of several trees.

use spyhop::{Call, Corpus, Engine, Options, SearchRequest, SourceName};

use super::server::{DIMENSIONS, Server};
use super::support::Tree;
use super::{TREE, build, enable};

fn corpus(trees: &[(&str, &Tree)]) -> Corpus {
    let engine = |tree: &Tree| {
        // The program made one folder in the folder of indexes.
        let made = std::fs::read_dir(tree.index_dir()).unwrap().next();
        let index_dir = made.map(|entry| entry.unwrap().path());
        let options = Options { index_dir, ..Options::default() };
        Engine::open(tree.root(), options).unwrap()
    };
    Corpus::new(trees.iter().map(|(name, tree)| (SourceName::new(name), engine(tree)))).unwrap()
}

#[test]
fn trees_of_one_model_are_compared_together() {
    let server = Server::start();
    let (one, two) =
        (Tree::new(TREE), Tree::new("\n=== src/shape.rs\n/// The longest shape.\npub fn longest() {}\n"));
    enable(&one, &server, &[]);
    build(&one);
    let searched = || {
        let corpus = corpus(&[("one", &one), ("two", &two)]);
        let reply = corpus.call(&SearchRequest::new("key forgotten longest ago"), &Call::default()).unwrap();
        let reply = serde_json::to_value(&reply).unwrap();
        let backend = reply["backend"].as_str().unwrap().to_string();
        (backend, reply["results"].to_string(), reply["warnings"].to_string())
    };
    // One tree has not opted in.
    assert_eq!(two.run(&["index"]).code, 0);
    assert_eq!(searched().0, "lexical+symbol+path");
    enable(&two, &server, &[]);
    build(&two);
    let (backend, results, warnings) = searched();
    assert_eq!(backend, "lexical+symbol+path+semantic", "{warnings}");
    assert!(!warnings.contains("vectors"), "{warnings}");
    for part in ["longest_key", "longest"] {
        let reason = format!("similar: 'key forgotten longest ago' to {part} (fake, ");
        assert!(results.contains(&reason), "{results}");
    }
    // Another model: similarities to different models cannot be ordered.
    let dimensions = DIMENSIONS.to_string();
    let args =
        ["semantic", "enable", "--base-url", &server.url, "--model", "other", "--dimensions", &dimensions];
    assert_eq!(two.run(&args).code, 0);
    assert_eq!(searched().0, "lexical+symbol+path");
}
