//! Neighbours of strong hits in the code graph, and callers of the first hit, for a search that asks for them.

use spyhop::{Hit, SearchRequest, Signal};

use super::open;
use crate::support::Tree;

const APP: &str = "
=== app/auth.py
from app.keys import load_key


def resolve_auth(request):
    \"\"\"Resolve the authentication of a request from its header.\"\"\"
    return load_key(request.header)
=== app/keys.py
def load_key(name):
    return open(name).read()
=== app/server.py
from app.auth import resolve_auth


def serve(incoming):
    return resolve_auth(incoming)
=== tests/test_auth.py
from app.auth import resolve_auth


def test_of_a_header():
    assert resolve_auth(None)
=== app/other.py
def nothing():
    return 1
";

fn asked(query: &str, expand_graph: bool) -> Vec<Hit> {
    let tree = Tree::new(APP);
    let request = SearchRequest { expand_graph, max_results: 1, ..SearchRequest::new(query) };
    let reply = open(&tree).search(&request).unwrap();
    assert_eq!(reply.offset, 0);
    reply.results
}

fn reasons(hits: &[Hit]) -> Vec<String> {
    let joined = hits.iter().filter(|hit| hit.is_neighbour());
    let mut reasons: Vec<String> = joined
        .map(|hit| format!("{} {}", hit.symbol.as_deref().unwrap_or("-"), hit.reasons[0].text))
        .collect();
    reasons.sort();
    reasons
}

#[test]
fn callers_callees_and_tests_of_a_strong_hit_join_with_reasons() {
    let hits = asked("resolve_auth", true);
    assert_eq!(hits[0].symbol.as_deref(), Some("resolve_auth"));
    assert!(!hits[0].is_neighbour());
    let expected = [
        "load_key graph: called by 'resolve_auth', hit 1",
        "serve graph: calls 'resolve_auth', hit 1",
        "test_of_a_header graph: tests 'resolve_auth', hit 1",
    ];
    assert_eq!(reasons(&hits), expected);
    for hit in &hits {
        let sum: f32 = hit.reasons.iter().map(|reason| reason.contribution).sum();
        assert!((sum - hit.score).abs() < 0.01, "{} of {}", sum, hit.score);
        assert!(hit.snippet.is_some() && hit.representative_line.is_some(), "{:?}", hit.path);
    }
    assert!(hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
}

#[test]
fn the_first_hit_names_its_callers_if_the_query_names_its_definition() {
    let tree = Tree::new(APP);
    let engine = open(&tree);
    let callers = |query: &str, name_callers: bool| {
        let request = SearchRequest { name_callers, ..SearchRequest::new(query) };
        let reply = engine.search(&request).unwrap();
        assert!(reply.results.iter().skip(1).all(|hit| hit.callers.is_none()));
        reply.results[0].callers.clone().map(|callers| (callers.names, callers.has_more))
    };
    assert_eq!(callers("resolve_auth", true), Some((vec!["serve".to_string()], false)));
    assert_eq!(callers("load_key", true), Some((vec!["resolve_auth".to_string()], false)));
    assert_eq!(callers("resolve_auth", false), None);
    assert_eq!(callers("nothing", true), None);
    assert_eq!(callers("authentication of a request from its header", true), None);
}

#[test]
fn nothing_joins_unless_a_search_asks_and_the_first_hit_is_strong() {
    assert!(asked("resolve_auth", false).iter().all(|hit| !hit.is_neighbour()));
    let queries = ["how a lantern is lit by rote", "return of the native", "none of these words but request"];
    let weak: Vec<Vec<Hit>> = queries
        .iter()
        .map(|query| asked(query, true))
        .filter(|hits| hits.iter().any(|hit| !hit.is_neighbour() && hit.score < 0.6))
        .collect();
    assert!(!weak.is_empty());
    assert!(weak.iter().flatten().all(|hit| !hit.is_neighbour()), "{weak:?}");
}

#[test]
fn a_page_that_is_cut_goes_on_with_the_first_ranked_hit_that_was_dropped() {
    let tree = Tree::new(APP);
    let request = SearchRequest { expand_graph: true, ..SearchRequest::new("resolve_auth") };
    let engine = open(&tree);
    let mut reply = engine.search(&request).unwrap();
    let ranked: Vec<String> =
        reply.results.iter().filter(|hit| !hit.is_neighbour()).map(|hit| hit.path.to_string()).collect();
    let kept =
        reply.results.iter().position(Hit::is_neighbour).map_or(1, |at| at + 1).min(reply.results.len() - 1);
    reply.truncate(kept);
    let shown = reply.results.iter().filter(|hit| !hit.is_neighbour()).count();
    let next = SearchRequest { cursor: reply.next.clone(), ..request };
    let rest: Vec<String> =
        engine.search(&next).unwrap().results.iter().map(|hit| hit.path.to_string()).collect();
    assert_eq!(rest, ranked[shown..]);
    assert!(reply.results.iter().all(|hit| hit.reasons.iter().all(|own| own.signal != Signal::Sibling)));
}
