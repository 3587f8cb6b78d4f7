//! Definitions by name: which are found, in which order, and what is refused.

use spyhop_base::model::SymbolKind;
use spyhop_engine::api::{ReadReply, ReadRequest, SymbolsReply, SymbolsRequest};

use super::open;
use crate::support::Tree;

const TREE: &str = r#"
=== src/pool.rs
pub struct Pool {
    permits: usize,
}

impl Pool {
    pub fn take_permit(&mut self) {}
    pub fn give_back(&mut self) {}
}

pub struct PoolOfAll;

impl PoolOfAll {
    pub fn take_permit(&mut self) {}
}
=== src/provider.rs
pub const MAX_PROVIDERS: usize = 3;

pub fn resolve_provider_key() {}

pub fn turbo_kite_angle_plane() {}
=== tests/pool_test.rs
fn pool() {}
=== docs/pool.md
# Pool of permits

How to take a permit.
"#;

fn ask(tree: &Tree, pattern: &str) -> SymbolsReply {
    open(tree).ask(&SymbolsRequest::new(pattern)).unwrap()
}

fn shown(reply: &SymbolsReply) -> Vec<String> {
    let row = |row: &spyhop::SymbolRow| format!("{}:{} {}", row.path, row.lines.first, row.qualified());
    reply.symbols.iter().map(row).collect()
}

#[test]
fn the_name_itself_comes_first_and_a_container_chooses() {
    let tree = Tree::new(TREE);
    let check =
        |pattern: &str, expected: &[&str]| assert_eq!(shown(&ask(&tree, pattern)), expected, "{pattern}");
    check("pool", &["src/pool.rs:1 Pool", "tests/pool_test.rs:1 pool", "src/pool.rs:10 PoolOfAll"]);
    let both = ["src/pool.rs:6 Pool.take_permit", "src/pool.rs:13 PoolOfAll.take_permit"];
    check("take_permit", &both);
    check("tkperm", &both);
    check("take permit", &both);
    check("Pool::take_permit", &both);
    check("PoolOfAll.take", &both[1..]);
    check("poolofall#tp", &both[1..]);
    check("rpk", &["src/provider.rs:3 resolve_provider_key"]);
    check("tkap", &["src/provider.rs:5 turbo_kite_angle_plane"]);
    check("MAXPROVIDERS", &["src/provider.rs:1 MAX_PROVIDERS"]);
    check("pool::take_permit", &both);
    check("app.src.provider.resolve_provider_key", &["src/provider.rs:3 resolve_provider_key"]);
    check("Nowhere.take_permit", &[]);
    let row = &ask(&tree, "rpk").symbols[0];
    let letters: Vec<&str> = row.highlights.iter().map(|span| &row.name[span.range()]).collect();
    assert_eq!((letters.concat().as_str(), row.kind, row.language), ("rpk", SymbolKind::Fn, "rust"));
}

#[test]
fn fields_and_variants_come_behind_other_symbols_of_their_name() {
    let tree = Tree::new(
        r#"
=== a.h
enum xfer { XFER_OK, XFER_STALLED };
struct pool { int size, take; };
=== b.c
int take(struct pool *pool) { return pool->size; }
=== c.ts
class Store { load = computedFn((id: string) => this.map.get(id)); private size = 3 }
export const { reset } = slice.actions;
enum State { Open, Shut = 2 }
interface Props { title: string }
=== d.sql
create table permits (id int);
"#,
    );
    let check = |pattern: &str, expected: &[&str]| {
        let kinds = ask(&tree, pattern);
        let rows =
            kinds.symbols.iter().zip(shown(&kinds)).map(|(row, shown)| format!("{shown} {}", row.kind));
        assert_eq!(rows.collect::<Vec<_>>(), expected, "{pattern}");
    };
    check("XFER_STALLED", &["a.h:1 XFER_STALLED variant"]);
    check("take", &["b.c:1 take fn", "a.h:2 pool.take field"]);
    check("size", &["a.h:2 pool.size field", "c.ts:1 Store.size field"]);
    check("Store.load", &["c.ts:1 Store.load method"]);
    check("reset", &["c.ts:2 reset fn"]);
    check("State.Shut", &["c.ts:3 State.Shut variant"]);
    check("title", &["c.ts:4 Props.title field"]);
    let all = shown(&ask(&tree, ""));
    assert_eq!(all[..3], ["a.h:1 xfer", "a.h:1 XFER_OK", "a.h:1 XFER_STALLED"]);
    let by_rule: Vec<bool> = ["permits", "take"].map(|name| ask(&tree, name).symbols[0].by_rule).into();
    assert_eq!(by_rule, [true, false]);
}

#[test]
fn a_name_with_a_slip_is_answered_by_near_ones_and_says_so() {
    let tree = Tree::new(TREE);
    let reply = ask(&tree, "tkae_permit");
    assert_eq!(shown(&reply), ["src/pool.rs:6 Pool.take_permit", "src/pool.rs:13 PoolOfAll.take_permit"]);
    assert_eq!(reply.warnings, ["no name is like 'tkae_permit'; shown are 'take_permit'"]);
    let reply = ask(&tree, "PoolOfAll.tkae_permit");
    assert_eq!(shown(&reply), ["src/pool.rs:13 PoolOfAll.take_permit"]);
    assert_eq!(reply.warnings, ["no name is like 'PoolOfAll.tkae_permit'; shown are 'take_permit'"]);
    // The near names are all filtered out: there is nothing to warn about.
    let mut request = SymbolsRequest::new("tkae_permit");
    request.filter.path = Some("docs".into());
    let reply = open(&tree).ask(&request).unwrap();
    assert_eq!((shown(&reply), reply.warnings), (Vec::<String>::new(), Vec::<String>::new()));
    let reply = ask(&tree, "zzzzzzz");
    assert_eq!((shown(&reply), reply.warnings), (Vec::<String>::new(), Vec::<String>::new()));
}

#[test]
fn an_empty_pattern_lists_definitions_by_path_and_line() {
    let tree = Tree::new(TREE);
    let mut request = SymbolsRequest { max_results: 2, ..SymbolsRequest::new("") };
    request.filter.path = Some("src".into());
    let mut all = Vec::new();
    loop {
        let reply = open(&tree).ask(&request).unwrap();
        assert_eq!(reply.total, 9);
        all.extend(reply.symbols.iter().map(|row| (row.path.as_str().to_string(), row.lines.first)));
        match reply.next {
            Some(next) => request.cursor = Some(next),
            None => break,
        }
    }
    assert!(all.is_sorted() && all.len() == 9, "{all:?}");
    let kinds = |kind: SymbolKind| {
        let mut request = SymbolsRequest::new("");
        request.filter.kind = vec![kind];
        shown(&open(&tree).ask(&request).unwrap())
    };
    assert_eq!(kinds(SymbolKind::Const), ["src/provider.rs:1 MAX_PROVIDERS"]);
    assert_eq!(kinds(SymbolKind::Doc), ["docs/pool.md:1 Pool of permits"]);
}

#[test]
fn similar_kinds_answer_for_a_kind_that_is_not_there() {
    let tree = Tree::new(TREE);
    let of_kind = |pattern: &str, kind: SymbolKind| {
        let mut request = SymbolsRequest::new(pattern);
        request.filter.kind = vec![kind];
        let reply = open(&tree).ask(&request).unwrap();
        let names: Vec<String> = reply.symbols.iter().map(|row| row.name.clone()).collect();
        (names, reply.warnings)
    };
    let (names, warnings) = of_kind("give_back", SymbolKind::Fn);
    assert_eq!(names, ["give_back"]);
    assert_eq!(warnings, ["no function matches 'give_back'; shown are methods"]);
    let (names, warnings) = of_kind("resolve_provider_key", SymbolKind::Fn);
    assert_eq!((names, warnings), (vec!["resolve_provider_key".to_string()], vec![]));
    let (names, warnings) = of_kind("Pool", SymbolKind::Class);
    assert_eq!(names[0], "Pool");
    assert_eq!(warnings, ["no class matches 'Pool'; shown are types of other kinds"]);
}

#[test]
fn a_file_above_a_mebibyte_has_the_definitions_that_line_rules_find() {
    let tree = Tree::new("\n=== a.py\ndef one():\n    pass\n=== notes.zz9\n\nthe fetch_all of x\n");
    let padding = "    # padding\n".repeat(100_000);
    tree.write("big.py", format!("class Big:\n{padding}    def far_away(self):\n        return 1\n"));
    let reply = ask(&tree, "Big.far_away");
    let row = &reply.symbols[0];
    assert_eq!((row.path.as_str(), row.lines.first, row.by_rule), ("big.py", 100_002, true));
    assert_eq!(open(&tree).status().unwrap().structure.by_rule, 1);
    let request = ReadRequest { symbol: Some("far_away".to_string()), ..ReadRequest::default() };
    let read = open(&tree).ask(&request).unwrap();
    let ReadReply::Text(text) = read else { panic!("one definition") };
    assert_eq!(text.text, ["    def far_away(self):", "        return 1"]);
    let reply = ask(&tree, "fetch_all");
    assert!(
        reply.warnings.iter().any(|warning| warning.contains("1 of unknown type: notes.zz9:2")),
        "{reply:?}"
    );
}
