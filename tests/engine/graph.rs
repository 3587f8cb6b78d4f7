//! The code graph: which definition a use means, in each family of languages, and what is said when a target means nothing.

use spyhop::{GraphEnd, GraphQuestion, GraphReply, GraphRequest};
use spyhop_engine::ErrorKind;

use super::open;
use crate::support::Tree;

fn ask(tree: &Tree, question: GraphQuestion, target: &str) -> GraphReply {
    let request = GraphRequest { min_confidence: 0.5, ..GraphRequest::new(question, target) };
    open(tree).graph(&request).unwrap()
}

/// Rows as `path:line from -> to`.
fn shown(reply: &GraphReply) -> Vec<String> {
    let row = |row: &spyhop::GraphRow| {
        let from = row.from.as_ref().map_or("-".to_string(), |from| from.qualified());
        let to = match &row.to {
            GraphEnd::Symbol(to) => format!("{}:{}", to.path, to.lines.first),
            GraphEnd::Removed(to) => format!("removed {}", to.qualified()),
            GraphEnd::File(path) => path.to_string(),
            GraphEnd::Outside(module) => format!("outside {module}"),
        };
        format!("{}:{} {from} -> {to}", row.path, row.line)
    };
    let mut rows: Vec<String> = reply.rows.iter().map(row).collect();
    rows.sort();
    rows
}

fn check(tree: &str, question: GraphQuestion, target: &str, expected: &[&str]) {
    assert_eq!(shown(&ask(&Tree::new(tree), question, target)), expected, "{} {target}", question.name());
}

const RUST: &str = r#"
=== Cargo.toml
[package]
name = "pool"
=== src/lib.rs
pub mod pool;
pub mod user;
pub use pool::take_all;
=== src/pool.rs
pub struct Pool;

pub trait Source {
    fn next(&self);
}

impl Source for Pool {
    fn next(&self) {
        self.take(1);
    }
}

impl Pool {
    pub fn take(&self, n: usize) {}
}

pub fn take_all() {}

#[cfg(test)]
mod tests {
    #[test]
    fn all_are_taken() {
        assert_eq!(super::take_all(), ());
    }
}
=== src/user.rs
use crate::pool::{Pool, take_all as all};
use std::collections::VecDeque;

pub fn run(pool: &Pool, queue: &mut VecDeque<u8>) {
    pool.take(2);
    all();
    queue.take(3);
}

pub fn other() {
    crate::take_all();
    let take = 1;
}
"#;

#[test]
fn rust_uses_are_resolved_by_paths_imports_receivers_and_macros() {
    let calls = ["src/pool.rs:9 Pool.next -> src/pool.rs:14", "src/user.rs:5 run -> src/pool.rs:14"];
    check(RUST, GraphQuestion::Callers, "Pool::take", &calls);
    let calls = [
        "src/pool.rs:23 tests.all_are_taken -> src/pool.rs:17",
        "src/user.rs:11 other -> src/pool.rs:17",
        "src/user.rs:6 run -> src/pool.rs:17",
    ];
    check(RUST, GraphQuestion::Callers, "take_all", &calls);
    check(RUST, GraphQuestion::Tests, "take_all", &calls[..1]);
    check(
        RUST,
        GraphQuestion::Callees,
        "src/user.rs#run",
        &["src/user.rs:5 run -> src/pool.rs:14", "src/user.rs:6 run -> src/pool.rs:17"],
    );
    check(RUST, GraphQuestion::Implementations, "Source", &["src/pool.rs:7 Pool -> src/pool.rs:3"]);
    check(
        RUST,
        GraphQuestion::Imports,
        "src/user.rs",
        &["src/user.rs:1 - -> src/pool.rs", "src/user.rs:2 - -> outside std::collections"],
    );
    check(
        RUST,
        GraphQuestion::Importers,
        "src/pool.rs",
        &["src/lib.rs:3 - -> src/pool.rs", "src/user.rs:1 - -> src/pool.rs"],
    );
}

const PYTHON: &str = r#"
=== app/__init__.py
from .pool import Pool
=== app/base.py
class Base:
    def close(self):
        pass
=== app/pool.py
import json as js
from .base import Base

class Pool(Base):
    def take(self):
        self.close()
        js.loads("take")
        return take()

def take():
    return 1
=== app/user.py
from app import Pool
from . import pool as module

def run():
    pool = Pool()
    pool.take()
    module.take()

def wrap():
    return map(module.take, [])
"#;

#[test]
fn python_uses_are_resolved_through_packages_and_base_classes() {
    check(PYTHON, GraphQuestion::Callers, "Pool.take", &["app/user.py:6 run -> app/pool.py:5"]);
    let calls = ["app/pool.py:8 Pool.take -> app/pool.py:10", "app/user.py:7 run -> app/pool.py:10"];
    check(PYTHON, GraphQuestion::Callers, "app/pool.py:10", &calls);
    check(PYTHON, GraphQuestion::Callers, "Base.close", &["app/pool.py:6 Pool.take -> app/base.py:2"]);
    check(PYTHON, GraphQuestion::Implementations, "Base", &["app/pool.py:4 Pool -> app/base.py:1"]);
    let uses = [
        "app/__init__.py:1 - -> app/pool.py:4",
        "app/user.py:1 - -> app/pool.py:4",
        "app/user.py:5 run -> app/pool.py:4",
    ];
    check(PYTHON, GraphQuestion::References, "Pool", &uses);
    check(
        PYTHON,
        GraphQuestion::Imports,
        "app/user.py",
        &["app/user.py:1 - -> app/__init__.py", "app/user.py:2 - -> app/pool.py"],
    );
}

const WEB: &str = r#"
=== tsconfig.json
{ "compilerOptions": { "paths": { "@lib/*": ["./lib/*"] } } } // comment
=== lib/pool.ts
export class Pool {
  take(): number { return 1 }
}
export default function open(): Pool { return new Pool() }
export function close() {}
=== lib/index.ts
export { close } from './pool'
=== src/user.ts
import open, { Pool } from '@lib/pool'
import { close as shut } from '../lib'
import { close } from 'elsewhere'

export function run(pool: Pool) {
  open()
  pool.take()
  shut()
  close()
}
"#;

#[test]
fn web_uses_are_resolved_through_re_exports_and_configured_paths() {
    check(WEB, GraphQuestion::Callers, "lib/pool.ts#close", &["src/user.ts:8 run -> lib/pool.ts:5"]);
    check(WEB, GraphQuestion::Callers, "open", &["src/user.ts:6 run -> lib/pool.ts:4"]);
    check(WEB, GraphQuestion::Callers, "Pool.take", &["src/user.ts:7 run -> lib/pool.ts:2"]);
}

const OTHERS: &str = r#"
=== go.mod
module example.com/app
=== pool/pool.go
package pool

type Pool struct{}

func (p *Pool) Take() { helper() }

func New() *Pool { return &Pool{} }
=== pool/help.go
package pool

func helper() {}
=== main.go
package main

import "example.com/app/pool"

func main() {
	p := pool.New()
	use(p)
}

func use(p *pool.Pool) {
	p.Take()
}
=== java/a/Pool.java
package a;

public class Pool {
    public void give() { check(); }
    private void check() {}
}
=== java/b/User.java
package b;

import a.Pool;

class User {
    void run(Pool pool) { pool.give(); }
}
=== c/pool.h
int pool_drain(int n);
=== c/pool.c
#include "pool.h"

int pool_drain(int n)
{
    return n;
}
=== c/main.c
#include "pool.h"

int main(void)
{
    return pool_drain(1);
}
"#;

#[test]
fn go_java_and_c_uses_are_resolved_by_packages_imports_and_headers() {
    check(OTHERS, GraphQuestion::Callers, "Pool.Take", &["main.go:11 use -> pool/pool.go:5"]);
    check(OTHERS, GraphQuestion::Callers, "helper", &["pool/pool.go:5 Pool.Take -> pool/help.go:3"]);
    check(OTHERS, GraphQuestion::Callers, "pool/pool.go#New", &["main.go:6 main -> pool/pool.go:7"]);
    check(
        OTHERS,
        GraphQuestion::Callers,
        "Pool.give",
        &["java/b/User.java:6 User.run -> java/a/Pool.java:4"],
    );
    check(
        OTHERS,
        GraphQuestion::Callers,
        "Pool.check",
        &["java/a/Pool.java:4 Pool.give -> java/a/Pool.java:5"],
    );
    check(OTHERS, GraphQuestion::Callers, "c/pool.c#pool_drain", &["c/main.c:5 main -> c/pool.c:3"]);
}

#[test]
fn a_use_that_may_mean_several_definitions_is_one_row() {
    let tree = "
=== a.py
class A:
    def fetch_all(self):
        pass
=== b.py
class B:
    def fetch_all(self):
        pass
=== c.py
def run(x):
    return x.fetch_all()
";
    let request =
        GraphRequest { min_confidence: 0.0, ..GraphRequest::new(GraphQuestion::Callers, "fetch_all") };
    let reply = open(&Tree::new(tree)).graph(&request).unwrap();
    assert_eq!((reply.definitions.len(), reply.rows.len(), reply.total), (2, 1, 1), "{:?}", shown(&reply));
}

#[test]
fn a_place_is_a_target_too_and_impact_follows_callers() {
    let tree = Tree::new(RUST);
    let names = |target: &str| {
        let reply = ask(&tree, GraphQuestion::Definitions, target);
        reply.definitions.iter().map(spyhop::SymbolRow::qualified).collect::<Vec<_>>()
    };
    assert_eq!(names("src/user.rs:5"), ["run"]);
    assert_eq!(names("src/user.rs:5:11"), ["Pool.take"]);
    assert_eq!(names("src/user.rs:6:6"), ["take_all"]);
    let reply = ask(&tree, GraphQuestion::Impact, "Pool.take");
    let depths: Vec<(u32, &str)> = reply.rows.iter().map(|row| (row.depth, row.path.as_str())).collect();
    assert!(depths.contains(&(1, "src/user.rs")) && reply.incomplete.is_none(), "{depths:?}");
}

#[test]
fn a_target_that_means_nothing_names_what_is_near() {
    let tree = Tree::new(RUST);
    let engine = open(&tree);
    let check = |target: &str, expected: &str| {
        let error = engine.graph(&GraphRequest::new(GraphQuestion::Callers, target)).unwrap_err();
        assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::BadRequest, expected), "{target}");
    };
    check("take_al", "the tree defines no 'take_al'; did you mean take_all?");
    check("Pool.tak", "the tree defines no 'Pool.tak'; did you mean Pool.take?");
    check("Source.take", "the tree defines no 'Source.take'; did you mean Pool.take?");
    check(
        "src/user.rs",
        "'src/user.rs' is a file; name a symbol of the file: 'src/user.rs#name' or 'src/user.rs:line'",
    );
    check("src/usr.rs", "the tree has no file 'src/usr.rs'; did you mean src/user.rs?");
    check("src/usr.rs:7", "the tree has no file 'src/usr.rs'; did you mean src/user.rs?");
    check(
        "nowhere/zebra.py#x",
        "the tree has no file 'nowhere/zebra.py', and no file of the tree has a name like it",
    );
    let outside = format!("'../a.rs' is outside of the tree {}; choose another root", tree.root().display());
    check("../a.rs", &outside);
    check("src/user.rs#none", "'src/user.rs' defines no 'none'; it defines run, other");
    check("", "the target is empty; give a name, such as Engine.search, or a place, such as src/a.rs:10");
    let deep = GraphRequest { depth: Some(9), ..GraphRequest::new(GraphQuestion::Callers, "take") };
    assert_eq!(engine.graph(&deep).unwrap_err().to_string(), "depth is 9; choose 1 to 8");
}

#[test]
fn tests_are_also_found_by_their_names_and_by_the_names_of_their_files() {
    let text = r#"
=== shop/pool.py
def take():
    return 1

def give():
    return 2
=== tests/test_pool.py
from shop import pool

def test_take_one():
    assert pool
=== tests/test_other.py
def test_take():
    pass
=== web/cart.ts
export function total() {
  return 0;
}
=== web/cart.test.ts
it('adds up', () => expect(total()).toBe(0));
"#;
    check(text, GraphQuestion::Tests, "take", &["tests/test_pool.py:3 test_take_one -> shop/pool.py:1"]);
    // The test file alone says little about a function that it does not mention.
    let reply = open(&Tree::new(text)).graph(&GraphRequest::new(GraphQuestion::Tests, "give")).unwrap();
    let rows: Vec<(&str, &str, bool)> =
        reply.rows.iter().map(|row| (row.path.as_str(), row.rule.name(), row.is_test)).collect();
    assert_eq!(rows, [("tests/test_pool.py", "test-file", true)]);
    check(text, GraphQuestion::Tests, "total", &["web/cart.test.ts:1 - -> web/cart.ts:1"]);
}

#[test]
fn a_question_about_files_takes_folders_and_tells_what_is_no_file() {
    let tree = Tree::new(PYTHON);
    tree.write("app/image.py", [0_u8, 159, 146, 150, 0, 1]);
    tree.write(".gitignore", "hidden.py\n");
    tree.write("hidden.py", "import app\n");
    tree.git(&["init", "-q"]);
    let engine = open(&tree);
    let imports = |target: &str| engine.graph(&GraphRequest::new(GraphQuestion::Imports, target));
    assert_eq!(shown(&imports("app").unwrap()), ["app/__init__.py:1 - -> app/pool.py"]);
    assert_eq!(shown(&imports("app/").unwrap()), ["app/__init__.py:1 - -> app/pool.py"]);
    let check = |target: &str, expected: &str| {
        let error = imports(target).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{target}: {error}");
    };
    check("nope.py", "the tree has no file 'nope.py', and no file");
    check("usr.py", "the tree has no file 'usr.py'; did you mean app/user.py?");
    check(".", "'.' is a folder, and no index file");
    check("hidden.py", "'hidden.py' is not in the index");
    check("app/image.py", "'app/image.py' is a binary file");
    check("/etc/passwd", "'/etc/passwd' is outside of the tree");
}

const TYPED_PYTHON: &str = r#"
=== app/pool.py
from typing import Iterator, Optional

class Base:
    def close(self):
        pass

class Pool(Base):
    def take(self) -> "Item":
        return Item()

    @property
    def first(self) -> Optional["Item"]:
        return None

    def __iter__(self) -> Iterator["Item"]:
        return iter([])

class Item:
    def use(self):
        pass

class Other:
    def use(self):
        pass

    def close(self):
        pass

def make() -> Pool:
    return Pool()
=== app/user.py
from app.pool import Pool, make
import queue

class User:
    def __init__(self):
        self.pool = Pool()

    def run(self):
        self.pool.take().use()

def run(other: queue.Queue):
    pool = make()
    pool.take().use()
    pool.first.use()
    for item in pool:
        item.use()
    with make() as opened:
        opened.close()
    other.close()

def shadowed(make):
    make()
"#;

#[test]
fn the_value_of_a_receiver_follows_from_declarations_in_python() {
    let uses = [
        "app/user.py:13 run -> app/pool.py:19",
        "app/user.py:14 run -> app/pool.py:19",
        "app/user.py:16 run -> app/pool.py:19",
        "app/user.py:9 User.run -> app/pool.py:19",
    ];
    check(TYPED_PYTHON, GraphQuestion::Callers, "Item.use", &uses);
    check(TYPED_PYTHON, GraphQuestion::Callers, "Other.use", &[]);
    // A queue of the standard library is not closed by the tree's method.
    let closed = ["app/user.py:18 run -> app/pool.py:4"];
    check(TYPED_PYTHON, GraphQuestion::Callers, "Base.close", &closed);
    // A parameter with the name of an imported function is not the function.
    let made = ["app/user.py:12 run -> app/pool.py:29", "app/user.py:17 run -> app/pool.py:29"];
    check(TYPED_PYTHON, GraphQuestion::Callers, "make", &made);
}

const TYPED_WEB: &str = r#"
=== src/pool.ts
export interface Source { next(): void }
export class Base { close(): void {} }
export class Pool extends Base {
  constructor(private source: Source) { super() }
  take(): Item { this.source.next(); return new Item() }
}
export class Item { use(): void {} }
export class Other { use(): void {} close(): void {} next(): void {} }
export function make(): Promise<Pool> { return null as any }
export function each(visit: (pool: Pool, index: number) => void): void {}
=== src/user.ts
import { make, each, Pool } from './pool'

export async function run(pools: Pool[]) {
  const pool = await make()
  // All of them.
  each((own) => own.take().use())
  pool.close()
  for (const one of pools) {
    one.take()
  }
}

export function shadowed() {
  const make = () => 1
  return make()
}
"#;

#[test]
fn the_value_of_a_receiver_follows_from_declarations_in_typescript() {
    check(TYPED_WEB, GraphQuestion::Callers, "Item.use", &["src/user.ts:6 run -> src/pool.ts:7"]);
    check(TYPED_WEB, GraphQuestion::Callers, "Base.close", &["src/user.ts:7 run -> src/pool.ts:2"]);
    check(TYPED_WEB, GraphQuestion::Callers, "Source.next", &["src/pool.ts:5 Pool.take -> src/pool.ts:1"]);
    check(TYPED_WEB, GraphQuestion::Callers, "each", &["src/user.ts:6 run -> src/pool.ts:10"]);
    check(TYPED_WEB, GraphQuestion::Callers, "src/pool.ts#make", &["src/user.ts:4 run -> src/pool.ts:9"]);
    let taken = ["src/user.ts:6 run -> src/pool.ts:5", "src/user.ts:9 run -> src/pool.ts:5"];
    check(TYPED_WEB, GraphQuestion::Callers, "Pool.take", &taken);
}
