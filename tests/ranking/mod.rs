//! Ranking, on a small product that was made up for it: `corpus/`, with questions in `queries.toml`.
//!
//! The corpus has what makes ranking hard: twins of an older interface, defaults that nobody calls so, a central file
//! beside a more special one, `mod.rs` and `index.ts`, tests, examples, generated and vendored code. It is copied to a
//! new folder before it is indexed, so that no path in it speaks of tests, and git tracks it there as it would a
//! clone. How good ranking is on real trees is measured by `spyhop-eval` and not here: these tests say what
//! changed, and that answers depend on nothing but the tree and the query.

mod doubt;
mod fingerprints;
mod named;
mod names;
mod places;
mod ranks;
mod readme;
mod related;
mod same;
mod stable;

use std::path::PathBuf;

use serde::Deserialize;
use spyhop_engine::Engine;
use spyhop_engine::api::{Hit, Mode, Options, SearchReply, SearchRequest, StalePolicy};
use spyhop_search::profile::Signal;

use crate::engine::{exact, refresh};
use crate::support::Tree;
use crate::support::copy_into;
use crate::support::repository;

/// A question about the corpus.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    kind: String,
    text: String,
    relevant: Vec<String>,
}

/// This folder.
fn folder() -> PathBuf {
    repository("tests/ranking")
}

fn questions() -> Vec<Question> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        query: Vec<Question>,
    }
    let text = std::fs::read_to_string(folder().join("queries.toml")).unwrap();
    let questions = toml::from_str::<File>(&text).unwrap().query;
    assert!(questions.len() >= 60, "{}", questions.len());
    questions
}

/// The corpus, as a clone of it would look.
fn corpus() -> Tree {
    let tree = Tree::new("");
    copy_into(&tree, &folder().join("corpus"), ".");
    track(&tree);
    tree
}

/// Makes a clone of a tree: git tracks what is in it.
fn track(tree: &Tree) {
    tree.git(&["init", "--quiet"]);
    tree.git(&["add", "."]);
}

/// The engine of a tree as it is now, with the index in a folder of this name.
fn indexed(tree: &Tree, index: &str, threads: Option<usize>) -> Engine {
    let index_dir = Some(tree.index_dir().join(index));
    let options = Options { index_dir, threads, stale_policy: StalePolicy::Ignore, ..Options::default() };
    let engine = Engine::open(tree.root(), options).unwrap();
    refresh(&engine);
    engine
}

/// A request for hits without what is shown of them.
fn request(query: &str, max_results: usize) -> SearchRequest {
    SearchRequest { max_results, mode: Mode::Compact, ..SearchRequest::new(query) }
}

fn ask(engine: &Engine, query: &str, max_results: usize) -> SearchReply {
    engine.search(&request(query, max_results)).unwrap()
}

/// A hit says why it is there, and its reasons add up to its score.
fn check_reasons(query: &str, hit: &Hit) {
    let sum: f32 = hit.reasons.iter().map(|reason| reason.contribution).sum();
    assert!((sum - hit.score).abs() < 1e-4, "{query}: {sum} in all: {hit:?}");
    assert!((0.0..=1.0).contains(&hit.score) && hit.reasons.len() > 1, "{query}: {hit:?}");
    let bases = hit.reasons.iter().filter(|reason| reason.signal == Signal::Base).count();
    assert!(bases == 1 && hit.reasons.iter().all(|reason| reason.text.contains(": ")), "{query}: {hit:?}");
}

/// All hits of a query, page by page.
fn pages(engine: &Engine, query: &str, max_results: usize) -> Vec<String> {
    let mut request = request(query, max_results);
    let mut hits = Vec::new();
    loop {
        let reply = engine.search(&request).unwrap();
        reply.results.iter().for_each(|hit| check_reasons(query, hit));
        assert!(reply.results.is_sorted_by(|one, next| one.score >= next.score && !next.stale), "{query}");
        hits.extend(exact(&reply));
        request.cursor = reply.next;
        if request.cursor.is_none() {
            return hits;
        }
    }
}
