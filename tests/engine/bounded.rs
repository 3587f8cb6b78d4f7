//! Answers about names that are defined or imported very often: they end, and say what they leave out.

use spyhop::{GraphQuestion, GraphRequest, IncompleteCause};
use spyhop_engine::api::{PackRequest, SearchRequest};

use super::open;
use crate::support::Tree;

#[test]
fn a_search_ends_whose_first_hit_is_used_in_a_circle_of_imports() {
    let tree = Tree::new("");
    for number in 0..25 {
        let others: String =
            (0..25).filter(|other| *other != number).map(|other| format!("import p{other}.*\n")).collect();
        let text =
            format!("package p{number}\n{others}fun use{number}() {{ routing {{ helper{number}() }} }}\n");
        tree.write(&format!("p{number}/F{number}.kt"), text);
    }
    tree.write("q/R.kt", "package q\nclass R {\n  fun routing(x: () -> Unit) {\n    x()\n  }\n}\n");
    let engine = open(&tree);
    let reply =
        engine.search(&SearchRequest { name_callers: true, ..SearchRequest::new("routing") }).unwrap();
    assert_eq!(reply.results[0].symbol.as_deref(), Some("R.routing"));
    for question in [GraphQuestion::Callers, GraphQuestion::Impact, GraphQuestion::References] {
        let reply = engine.ask(&GraphRequest::new(question, "routing")).unwrap();
        // No limit was met: what is open is what the uses mean.
        let is_open = reply.incomplete.as_ref().is_none_or(|why| why.cause == IncompleteCause::Undecided);
        assert!(is_open, "{question:?}: {:?}", reply.incomplete);
    }
    assert!(!engine.ask(&PackRequest::new("routing")).unwrap().files.is_empty());
}

#[test]
fn a_name_with_very_many_definitions_is_answered_in_part_and_says_so() {
    let tree = Tree::new("");
    tree.write("a.py", "def same():\n    same()\n".repeat(3_000));
    let engine = open(&tree);
    for question in [GraphQuestion::Callers, GraphQuestion::References, GraphQuestion::Impact] {
        let request = GraphRequest { max_results: 10, ..GraphRequest::new(question, "a.py:3") };
        let reply = engine.ask(&request).unwrap();
        assert!(!reply.rows.is_empty() && reply.rows.len() <= 10, "{question:?}");
        let text = format!("{:?}", reply.incomplete);
        assert!(
            text.contains("more than 64 definitions") || text.contains("more files use"),
            "{question:?}: {text}"
        );
    }
    let reply = engine.ask(&GraphRequest::new(GraphQuestion::Callers, "same")).unwrap();
    let text = format!("{:?}", reply.incomplete);
    assert!(text.contains("3000 definitions"), "{text}");
    assert!(!engine.ask(&PackRequest::new("same")).unwrap().files.is_empty());
}
