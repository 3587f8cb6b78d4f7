//! The highlight queries, which say the colour of each node of a syntax tree.
//!
//! This module owns how the queries of the parser crates are compiled, and what is added to those that are written for other
//! rules than these: later patterns win, and a condition that tree-sitter does not check never holds.

use tree_sitter::{Language, Query, QueryPredicate};

/// The patterns that C++ adds to C.
#[cfg(feature = "lang-cpp")]
pub(super) const CPP: &[&str] = &[
    #[cfg(feature = "lang-c")]
    tree_sitter_c::HIGHLIGHT_QUERY,
    tree_sitter_cpp::HIGHLIGHT_QUERY,
];

/// The query of Go has variables and fields behind functions.
#[cfg(feature = "lang-go")]
pub(super) const GO: &[&str] = &[
    tree_sitter_go::HIGHLIGHTS_QUERY,
    "(call_expression function: [(identifier) @function (selector_expression field: (field_identifier) @function)])
    (function_declaration name: (identifier) @function)
    (method_declaration name: (field_identifier) @function)",
];

/// The query of Haskell ends with every variable as a type.
#[cfg(feature = "lang-haskell")]
pub(super) const HASKELL: &[&str] = &[
    tree_sitter_haskell::HIGHLIGHTS_QUERY,
    "(expression/variable) @variable
    (pattern/variable) @variable
    (apply . (expression/variable) @function)
    (decl/function name: (variable) @function)
    (decl/signature name: (variable) @function)
    (decl/bind name: (variable) @function)",
];

/// The query of JSON has strings behind keys.
#[cfg(feature = "lang-json")]
pub(super) const JSON: &[&str] = &[tree_sitter_json::HIGHLIGHTS_QUERY, "(pair key: (string) @property)"];

/// The patterns that TypeScript adds to JavaScript.
#[cfg(feature = "lang-typescript")]
pub(super) const TYPESCRIPT: &[&str] = &[
    #[cfg(feature = "lang-javascript")]
    tree_sitter_javascript::HIGHLIGHT_QUERY,
    tree_sitter_typescript::HIGHLIGHTS_QUERY,
];

/// The query of Lua has the braces of a table as its constructor.
#[cfg(feature = "lang-lua")]
pub(super) const LUA: &[&str] =
    &[tree_sitter_lua::HIGHLIGHTS_QUERY, "(table_constructor [\"{\" \"}\"] @none)"];

/// The query of Rust has numbers as constants, and its expression for the names of constants matches none.
#[cfg(feature = "lang-rust")]
pub(super) const RUST: &[&str] = &[
    tree_sitter_rust::HIGHLIGHTS_QUERY,
    "[(integer_literal) (float_literal)] @number
    ((identifier) @constant (#match? @constant \"^[A-Z][A-Z0-9_]+$\"))",
];

/// TypeScript with markup.
#[cfg(feature = "lang-typescript")]
pub(super) const TSX: &[&str] = &[
    #[cfg(feature = "lang-javascript")]
    tree_sitter_javascript::HIGHLIGHT_QUERY,
    #[cfg(feature = "lang-javascript")]
    tree_sitter_javascript::JSX_HIGHLIGHT_QUERY,
    tree_sitter_typescript::HIGHLIGHTS_QUERY,
];

/// The compiled queries of a parser, without those that do not fit to the parser.
pub(super) fn compiled(parser: &Language, texts: &[&str]) -> Vec<Query> {
    let queries = texts.iter().filter_map(|text| Query::new(parser, text).ok());
    queries.map(without_unknown_conditions).collect()
}

/// Turns off the patterns with a condition that tree-sitter does not check, because these would match every node:
/// `lua-match?`, and whether a name is a local variable.
fn without_unknown_conditions(mut query: Query) -> Query {
    let is_condition = |predicate: &QueryPredicate| predicate.operator.ends_with('?');
    for pattern in 0..query.pattern_count() {
        if query.general_predicates(pattern).iter().any(is_condition)
            || !query.property_predicates(pattern).is_empty()
        {
            query.disable_pattern(pattern);
        }
    }
    query
}

#[cfg(test)]
mod tests {
    use super::super::parsers::LINKED;
    use super::*;

    #[test]
    fn the_queries_of_every_language_compile() {
        for linked in LINKED {
            let parser = (linked.parser)();
            for text in linked.highlights {
                assert!(
                    Query::new(&parser, text).is_ok_and(|query| query.pattern_count() > 0),
                    "{}",
                    linked.name
                );
            }
            // The crate of Kotlin has no highlight query.
            assert_eq!(linked.highlights.is_empty(), linked.name == "kotlin", "{}", linked.name);
        }
    }

    #[test]
    fn patterns_with_unknown_conditions_match_nothing() {
        let Some(linked) = LINKED.iter().find(|linked| linked.name == "rust") else { return };
        let parser = (linked.parser)();
        let mut parsing = tree_sitter::Parser::new();
        parsing.set_language(&parser).unwrap();
        let tree = parsing.parse("fn a() {}", None).unwrap();
        let matches = |text: &str| {
            let query = &compiled(&parser, &[text])[0];
            let mut cursor = tree_sitter::QueryCursor::new();
            tree_sitter::StreamingIterator::count(cursor.matches(query, tree.root_node(), &b"fn a() {}"[..]))
        };
        assert_eq!(matches("(identifier) @a"), 1);
        assert_eq!(matches("((identifier) @a (#eq? @a \"a\"))"), 1);
        assert_eq!(matches("((identifier) @a (#set! \"priority\" 9))"), 1);
        assert_eq!(matches("((identifier) @a (#lua-match? @a \"^B\"))"), 0);
        assert_eq!(matches("((identifier) @a (#is-not? local))"), 0);
    }
}
