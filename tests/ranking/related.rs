//! A question is answered by code in other words: the related words order the first files, and the reason names the pairs.

use spyhop::Signal;

use super::{ask, indexed};
use crate::support::Tree;

/// Files that all hold "entry" as often; only one has words that are related to "forget" and "oldest".
const FILES: &[(&str, &str)] = &[
    (
        "src/alpha.rs",
        "/// Draws an entry.\npub fn paint(entry: u32) -> u32 {\n    let colour = entry;\n    colour\n}\n",
    ),
    (
        "src/bravo.rs",
        "/// Parses an entry.\npub fn parse(entry: u32) -> u32 {\n    let token = entry;\n    token\n}\n",
    ),
    (
        "src/delta.rs",
        "/// Evicts an entry.\npub fn evict(entry: u32) -> u32 {\n    let stale = entry;\n    stale\n}\n",
    ),
    (
        "src/gamma.rs",
        "/// Sends an entry.\npub fn send(entry: u32) -> u32 {\n    let socket = entry;\n    socket\n}\n",
    ),
];

#[test]
fn related_words_order_files_and_are_named() {
    let tree = Tree::new("");
    FILES.iter().for_each(|(path, text)| tree.write(path, text));
    let engine = indexed(&tree, "related", None);
    let reply = ask(&engine, "which entry is forgotten when it expires", 4);
    let first = &reply.results[0];
    assert_eq!(first.path.as_str(), "src/delta.rs");
    let reason = first.reasons.iter().find(|reason| reason.signal == Signal::Related).unwrap();
    assert!(reason.contribution > 0.0);
    assert!(reason.text.starts_with("related: '") && reason.text.contains("' for '"), "{}", reason.text);
    assert!(reason.text.contains("evict") || reason.text.contains("stale"), "{}", reason.text);
    // A name is not compared by related words.
    let named = ask(&engine, "evict", 4);
    assert!(named.results.iter().flat_map(|hit| &hit.reasons).all(|reason| reason.signal != Signal::Related));
}
