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
            _ => format!("{}:{}", row.path, row.line),
        })
        .collect();
    rows.sort();
    rows
}

const WEB: &str = r#"
=== src/index.ts
import z4 from "./classic/index.js";
export * from "./classic/index.js";
export default z4;
=== src/classic/index.ts
import * as z from "./external.js";
export { z };
export * from "./external.js";
export default z;
=== src/classic/external.ts
export * from "./schemas.js";
export * as util from "./util.js";
=== src/classic/util.ts
export function normalize(text: string): string { return text; }
=== src/classic/schemas.ts
export interface Maker<T> {
    init(inst: T): void;
}
export interface Pool {
    take(size: number): Pool;
}
export const Pool: Maker<Pool> = null as any;
export function pool(): Pool { return null as any; }
function _enum(values: string[]): Pool { return pool(); }
export { _enum as enum };
=== src/user.ts
import z from "./index.js";
import * as all from "./index.js";
import { z as named, util } from "./index.js";

export function run() {
    z.pool().take(1).take(2);
    all.pool().take(3);
    named.pool();
    all.z.pool();
    z.enum(["a"]);
    util.normalize("a");
    all.util.normalize("b");
    return [...util.normalize("c"), z.Pool.init(z.pool())];
}
"#;

#[test]
fn names_of_web_modules_are_followed_through_namespaces_and_other_names() {
    let calls = [6, 7, 8, 9, 13].map(|line| format!("src/user.ts:{line} -> 8"));
    let mut expected: Vec<&str> = calls.iter().map(String::as_str).collect();
    expected.insert(0, "src/classic/schemas.ts:9 -> 8");
    expected.sort_unstable();
    check(WEB, "src/classic/schemas.ts#pool", &expected);
    check(WEB, "Pool.take", &["src/user.ts:6 -> 5", "src/user.ts:7 -> 5"]);
    let calls = ["src/user.ts:11 -> 1", "src/user.ts:12 -> 1", "src/user.ts:13 -> 1"];
    check(WEB, "normalize", &calls);
    check(WEB, "Maker.init", &["src/user.ts:13 -> 2"]);
    let imports = rows_of(WEB, GraphQuestion::Importers, "src/classic/external.ts");
    assert_eq!(imports, ["src/classic/index.ts:1", "src/classic/index.ts:3"]);
    let callees = rows_of(WEB, GraphQuestion::Callees, "src/user.ts#run");
    assert!(callees.contains(&"src/user.ts:10 -> 9".to_string()), "{callees:?}");
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
fn types_of_a_module_are_in_its_source_or_declaration_and_not_in_its_output() {
    let tree = "
=== lib/pool.js
export function take() {}
=== lib/pool.d.ts
export declare function take(): void;
=== lib/user.ts
import { take } from \"./pool.js\";
take();
=== lib/other.js
import { take } from \"./pool.js\";
take();
";
    check(tree, "lib/pool.d.ts#take", &["lib/user.ts:2 -> 1"]);
    check(tree, "lib/pool.js#take", &["lib/other.js:2 -> 1"]);
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
