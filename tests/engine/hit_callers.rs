//! Callers of the first hit, for a search that asks for them.

use spyhop::SearchRequest;

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
