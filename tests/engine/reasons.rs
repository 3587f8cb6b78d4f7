//! Every hit says why, its reasons add up, and pages are pieces of one list: over real questions about this crate's
//! own sources.

use crate::support::{cases, repository};
use spyhop_engine::Engine;
use spyhop_engine::api::{Hit, Options, SearchReply, SearchRequest, StalePolicy};
use spyhop_search::profile::Signal;

const QUESTIONS: &[&str] = &[
    "where is the workspace lock taken",
    "how are records checksummed",
    "what happens when the index is damaged",
    "which files are left out of the walk",
    "reciprocal rank fusion of lists",
    "split identifiers into parts",
    "stemming of words",
    "how does a reader pin one commit",
    "parse budget of a grammar",
    "detect the language of a file",
    "snippet with highlighted matches",
    "calibrated probability of a score",
    "reasons and shares of a hit",
    "read branch and commit from git",
    "is a file tracked",
    "stale files since the index was made",
    "cursor of the next page",
    "exclude patterns in filters",
    "generated and minified files",
    "decode a file that is not UTF-8",
    "progress of indexing",
    "exit code when nothing is found",
    "touch log of a session",
    "fold deltas into a new base",
    "merge small segments",
    "Engine::open",
    "put_aside",
    "SkipReason",
    "fn replace(path",
    "hidden",
    "wire format of a search reply",
    "line index of a text",
    "why does a file not rank",
    "colour and hyperlinks",
];

/// What tells hits apart in a list.
fn name(hit: &Hit) -> String {
    format!("{}:{}-{} {:.6}", hit.path, hit.lines.first, hit.lines.last, hit.score)
}

fn check_reasons(reply: &SearchReply) {
    for hit in &reply.results {
        let sum: f32 = hit.reasons.iter().map(|reason| reason.contribution).sum();
        assert!((sum - hit.score).abs() < 1e-4, "{}: {} adds up to {sum}", reply.query, name(hit));
        assert!((0.0..=1.0).contains(&hit.score), "{}: {}", reply.query, name(hit));
        let bases = hit.reasons.iter().filter(|reason| reason.signal == Signal::Base).count();
        assert!(bases == 1 && hit.reasons.len() > 1, "{}: {:?}", reply.query, hit.reasons);
        for reason in &hit.reasons {
            assert!(
                reason.text.contains(": ") && reason.contribution.is_finite(),
                "{}: {reason:?}",
                reply.query
            );
        }
        assert!(!hit.stale);
    }
    for pair in reply.results.windows(2) {
        assert!(
            pair[0].score >= pair[1].score,
            "{}: {} before {}",
            reply.query,
            name(&pair[0]),
            name(&pair[1])
        );
    }
}

/// All hits, page by page.
fn all(engine: &Engine, query: &str, max_results: usize) -> Vec<String> {
    let mut request = SearchRequest { max_results, ..SearchRequest::new(query) };
    let mut hits = Vec::new();
    loop {
        let reply = engine.search(&request).unwrap();
        check_reasons(&reply);
        hits.extend(reply.results.iter().map(name));
        assert_eq!(reply.next.is_none(), hits.len() == reply.total, "{query}");
        assert!(reply.results.len() == max_results || reply.next.is_none(), "{query}");
        request.cursor = reply.next;
        if request.cursor.is_none() {
            return hits;
        }
    }
}

#[test]
fn every_hit_says_why_and_pages_are_pieces_of_one_list() {
    let index = tempfile::tempdir().unwrap();
    let options = Options {
        index_dir: Some(index.path().join("index")),
        stale_policy: StalePolicy::Ignore,
        ..Options::default()
    };
    let folder = ["src/engine", "src"][cases(0, 1)];
    let engine = Engine::open(repository(folder), options).unwrap();
    for question in QUESTIONS.iter().step_by(cases(4, 1)) {
        let whole = all(&engine, question, 50);
        assert!(!whole.is_empty(), "{question}");
        assert_eq!(all(&engine, question, 23), whole, "{question}");
        for max_results in [1, 5, 10] {
            let request = SearchRequest { max_results, ..SearchRequest::new(*question) };
            let head: Vec<String> = engine.search(&request).unwrap().results.iter().map(name).collect();
            assert_eq!(head, whole[..max_results.min(whole.len())], "{question}");
        }
    }
}
