//! The code graph of Go, Java and Rust: receivers whose type follows from declarations.

use spyhop::{GraphEnd, GraphQuestion, GraphRequest};

use super::open;
use crate::support::Tree;

/// The callers of a function as `line -> line of the definition`, with a confidence of at least .5.
fn check(tree: &str, target: &str, expected: &[&str]) {
    let request = GraphRequest { min_confidence: 0.5, ..GraphRequest::new(GraphQuestion::Callers, target) };
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
    assert_eq!(rows, expected, "{target}");
}

const RUST: &str = r#"
=== Cargo.toml
[package]
name = "pool"
=== src/lib.rs
pub struct Pool { first: Slot, slots: Vec<Slot> }
pub struct Slot;
pub struct Other;
pub enum Kind { One(Slot), Named { slot: Slot } }
pub trait Source { fn close(&self); }

impl Pool {
    pub fn new() -> Result<Self, String> { todo!() }
    pub fn slot(&self, at: usize) -> Option<&Slot> { self.slots.get(at) }
}
impl Slot {
    pub fn take(&self) -> Other { Other }
}
impl Other {
    pub fn take(&self) {}
}
unsafe impl Source for Slot {
    fn close(&self) {}
}
impl Source for Other {
    fn close(&self) {}
}
=== src/user.rs
use std::sync::Arc;

use crate::{Kind, Pool, Slot, Source};

pub fn chains(pool: &Pool) -> Option<()> {
    pool.slot(1)?.take();
    pool.slot(1).unwrap().take().take();
    let made = Pool::new().unwrap();
    made.first.take();
    made.slots[0].take();
    for slot in made.slots.iter() {
        slot.take();
    }
    let shared = Arc::new(Slot);
    shared.take();
    None
}

pub fn patterns(kind: Kind, pool: &Pool) {
    match kind {
        Kind::One(slot) => slot.take(),
        Kind::Named { slot } => slot.take(),
    };
    if let Some(slot) = pool.slot(2) {
        slot.take();
    }
    let text = r"a\";
    pool.slots.iter().for_each(|slot| slot.take());
}

pub fn bounded<T: Source>(source: T) {
    source.close();
}
=== tests/all.rs
mod util;
#[path = "elsewhere/deep.rs"]
mod deep;
=== tests/util.rs
pub fn help() {}
=== tests/elsewhere/deep.rs
pub fn dig() {}
=== tests/run.rs
use crate::util::help;

fn run() {
    help();
}
=== tests/all/more.rs
use crate::deep::dig;

fn more() {
    dig();
}
"#;

#[test]
fn rust_follows_results_fields_patterns_and_bounds() {
    let calls = [
        "src/user.rs:10 -> 12",
        "src/user.rs:12 -> 12",
        "src/user.rs:15 -> 12",
        "src/user.rs:21 -> 12",
        "src/user.rs:22 -> 12",
        "src/user.rs:25 -> 12",
        "src/user.rs:6 -> 12",
        "src/user.rs:7 -> 12",
        "src/user.rs:9 -> 12",
    ];
    check(RUST, "Slot.take", &calls);
    check(RUST, "Other.take", &["src/user.rs:7 -> 15"]);
    check(RUST, "Source.close", &["src/user.rs:32 -> 5"]);
}

#[test]
fn modules_of_rust_tests_lie_beside_their_root_or_at_a_written_path() {
    check(RUST, "help", &["tests/run.rs:4 -> 1"]);
    check(RUST, "dig", &["tests/all/more.rs:4 -> 1"]);
}

#[test]
fn a_chain_of_unknown_members_costs_one_step_for_each_member() {
    let chain = ".part".repeat(60);
    let tree = format!(
        "=== Cargo.toml\n[package]\nname = \"pool\"\n=== src/lib.rs\npub struct Slot;\nimpl Slot {{\n    \
         pub fn take(&self) {{}}\n}}\nfn run(slot: Unknown) {{\n    slot{chain}.take();\n    let all = [0];\n    \
         all[0]{chain}.take();\n    Slot.take();\n}}\n"
    );
    // With two steps for each member, the answer would take years.
    check(&tree, "Slot.take", &["src/lib.rs:9 -> 3"]);
}

#[test]
fn a_value_is_followed_through_many_names() {
    let names: String = (1..30).map(|at| format!("    let slot{at} = slot{};\n", at - 1)).collect();
    let tree = format!(
        "=== Cargo.toml\n[package]\nname = \"pool\"\n=== src/lib.rs\npub struct Slot;\npub struct Other;\n\
         impl Slot {{ pub fn take(&self) {{}} }}\nimpl Other {{ pub fn take(&self) {{}} }}\n\
         fn run(slot0: Slot) {{\n{names}    slot29.take();\n}}\n"
    );
    check(&tree, "Slot.take", &["src/lib.rs:35 -> 3"]);
}

#[test]
fn a_function_may_end_inside_of_a_literal() {
    let tree = "=== Cargo.toml\n[package]\nname = \"pool\"\n=== src/lib.rs\npub struct Slot;\nimpl Slot {\n    \
                pub fn take(&self) {}\n}\nfn run(slot: Slot) {\n    slot.take();\n    let end = '\\";
    check(tree.trim_end(), "Slot.take", &["src/lib.rs:6 -> 3"]);
}

const GO: &str = r#"
=== go.mod
module example.com/pool
=== pool.go
package pool

type Base struct{ name string }
type Pool struct {
	Base
	first, last *Slot
	slots []*Slot
}
type Slot struct{}
type Other struct{}

func (b *Base) Close() {}
func (o *Other) Close() {}
func (s *Slot) Take() *Slot { return s }
func (o *Other) Take() *Slot { return nil }
func Make(n int) (*Pool, error) { return nil, nil }
=== user.go
package pool

var shared = new(Slot)

func run() {
	pool, err := Make(1)
	pool.last.Take().Take()
	new(Slot).Take()
	for _, slot := range pool.slots {
		slot.Take()
	}
	pool.Close()
	shared.Take()
	each(func(other *Other) error {
		other.Take()
		return err
	})
}
"#;

#[test]
fn go_follows_results_fields_embedded_types_and_ranges() {
    let calls = ["user.go:10 -> 14", "user.go:13 -> 14", "user.go:7 -> 14", "user.go:8 -> 14"];
    check(GO, "Slot.Take", &calls);
    check(GO, "Other.Take", &["user.go:15 -> 15"]);
    check(GO, "Base.Close", &["user.go:12 -> 12"]);
}

const JAVA: &str = r#"
=== src/a/Pool.java
package a;

public class Pool extends Base<Slot> {
    public static final Pool SHARED = new Pool();
    private Slot first;
    public static Builder builder() { return new Builder(); }
    public void run() {
        first.take();
        held().take();
    }
    public static class Builder {
        public Builder size(int size) { return this; }
        public Pool get() { return null; }
    }
}
=== src/a/Base.java
package a;

public class Base<T> {
    public T held() { return null; }
}
=== src/a/Slot.java
package a;

public class Slot {
    public void take() {}
    public Slot get() { return this; }
}
=== src/a/Other.java
package a;

public class Other {
    public void take() {}
}
=== src/b/User.java
package b;

import a.Pool;

class User {
    void use(Pool pool) {
        Pool.builder().size(1).get().run();
        Pool.SHARED.run();
        for (Pool each : pools()) {
            each.run();
        }
    }
}
"#;

#[test]
fn java_follows_builders_constants_and_fields() {
    check(JAVA, "Builder.get", &["src/b/User.java:7 -> 13"]);
    check(JAVA, "Pool.run", &["src/b/User.java:10 -> 7", "src/b/User.java:7 -> 7", "src/b/User.java:8 -> 7"]);
    check(JAVA, "Slot.take", &["src/a/Pool.java:8 -> 4"]);
}

#[test]
fn an_import_of_a_go_package_does_not_see_its_tests() {
    let tree = Tree::new(
        "
=== go.mod
module example.com/pool
=== pool/pool.go
package pool

func Take() {}
=== pool/pool_test.go
package pool

func Help() {}
=== main.go
package main

import \"example.com/pool/pool\"

func main() {
	pool.Take()
}
",
    );
    let imports = GraphRequest::new(GraphQuestion::Imports, "main.go");
    let reply = open(&tree).graph(&imports).unwrap();
    let ends: Vec<String> = reply
        .rows
        .iter()
        .map(|row| match &row.to {
            GraphEnd::File(path) => path.to_string(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(ends, ["pool/pool.go"]);
}
