//! The code graph of names that modules pass on, and of scopes that end where they are written to end.

use spyhop::{GraphEnd, GraphQuestion, GraphRequest};

use super::open;
use crate::support::Tree;

/// The callers of a function as `path:line -> line of the definition`, with a confidence of at least .5.
fn check(tree: &str, target: &str, expected: &[&str]) {
    assert_eq!(rows_of(tree, GraphQuestion::Callers, target), expected, "{target}");
}

fn rows_of(tree: &str, question: GraphQuestion, target: &str) -> Vec<String> {
    let request = GraphRequest { min_confidence: 0.5, ..GraphRequest::new(question, target) };
    let reply = open(&Tree::new(tree)).graph(&request).unwrap();
    let mut rows: Vec<String> = reply
        .rows
        .iter()
        .map(|row| match &row.to {
            GraphEnd::Symbol(to) => format!("{}:{} -> {}", row.path, row.line, to.lines.first),
            other => panic!("{other:?}"),
        })
        .collect();
    rows.sort();
    rows
}

#[test]
fn a_parameter_of_a_method_with_a_generic_result_hides_the_function_of_the_file() {
    let tree = "
=== src/pool.ts
export function input(): void {}
export class Pool {
    parse(input: () => void): Promise<Pool> {
        input();
        return null as any;
    }
    check(): void { input(); }
}
";
    check(tree, "input", &["src/pool.ts:7 -> 1"]);
}

#[test]
fn a_bound_of_a_type_parameter_is_no_base_type() {
    let tree = "
=== src/pool.ts
export interface Inner { take(): void }
export interface Outer { take(): void }
export interface Pool<out T extends Inner = Inner> extends Outer { size: T }
export function run(pool: Pool) { pool.take(); }
";
    check(tree, "Outer.take", &["src/pool.ts:4 -> 2"]);
    check(tree, "Inner.take", &[]);
}

#[test]
fn a_python_signature_of_several_lines_has_its_parameters_in_scope() {
    let tree = "
=== tests/test_pool.py
def pool():
    return object()

def test_take(
    pool,
    size: int,
) -> None:
    pool(size)

def test_plain():
    pool()
";
    check(tree, "pool", &["tests/test_pool.py:11 -> 1"]);
}
