//! The map: its rows, its bounds, its choice of symbols, and that it is always the same.

use spyhop_base::model::SymbolKind;
use spyhop_engine::api::{MapReply, MapRequest};

use super::open;
use crate::support::{SMALL, Tree};

const TREE: &str = r#"
=== src/store/vault.rs
pub struct Vault;
pub struct Rarely {
    one: u32,
    two: u32,
    three: u32,
}
impl Vault {
    pub fn open_it(&self) -> u32 {
        7
    }
}
=== src/main.rs
mod store;
fn main() {
    let vault: Vault = Vault::new();
    start(vault);
}
fn start(vault: Vault) -> Vault {
    vault
}
=== tests/vault_test.rs
fn checks(vault: Vault) {}
=== docs/deep/down/guide.md
# Vaults
"#;

fn ask(tree: &Tree, change: impl FnOnce(&mut MapRequest)) -> MapReply {
    let mut request = MapRequest::default();
    change(&mut request);
    open(tree).ask(&request).unwrap()
}

fn rows(reply: &MapReply) -> Vec<String> {
    let row = |entry: &spyhop_engine::api::MapEntry| {
        let slash = if entry.is_dir { "/" } else { "" };
        format!("{} {}{slash} {}", entry.depth, entry.path, entry.files)
    };
    reply.entries.iter().map(row).collect()
}

/// More files than are outlined one by one.
fn large() -> Tree {
    let tree = Tree::new(TREE);
    for number in 0..30 {
        tree.write(&format!("src/many/part{number}.rs"), format!("pub fn part_{number}() {{}}\n"));
    }
    tree
}

#[test]
fn a_small_tree_is_outlined_file_by_file() {
    let tree = Tree::new(TREE);
    let reply = ask(&tree, |request| request.depth = 1);
    let expected = [
        "0 / 4",
        "1 docs/ 1",
        "4 docs/deep/down/guide.md 1",
        "1 src/ 2",
        "2 src/main.rs 1",
        "3 src/store/vault.rs 1",
        "1 tests/ 1",
        "2 tests/vault_test.rs 1",
    ];
    assert_eq!(rows(&reply), expected);
    assert_eq!((reply.files, reply.languages[0], reply.all_rows_listed), (4, ("rust", 3), true));
    let names = |path: &str| -> Vec<String> {
        let entry = reply.entries.iter().find(|entry| entry.path.as_str() == path).unwrap();
        entry.symbols.iter().map(|symbol| format!("{} {}", symbol.kind, symbol.name)).collect()
    };
    assert_eq!(names("src/store/vault.rs"), ["struct Vault", "struct Rarely", "method Vault.open_it"]);
}

#[test]
fn a_large_tree_is_outlined_folder_by_folder() {
    let tree = large();
    let reply = ask(&tree, |_| ());
    let expected = [
        "0 / 34",
        "1 docs/ 1",
        "2 docs/deep/ 1",
        "1 src/ 32",
        "2 src/many/ 30",
        "2 src/store/ 1",
        "1 tests/ 1",
    ];
    assert_eq!(rows(&reply), expected);
    let src = &reply.entries[5];
    let symbols: Vec<&str> = src.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!(symbols[0], "Vault", "what is used most comes first");
    assert_eq!(src.symbols[0].path.as_str(), "src/store/vault.rs");
    let flat = ask(&tree, |request| request.depth = 0);
    assert_eq!(rows(&flat), ["0 / 34"]);
    assert!(flat.entries[0].symbols.iter().any(|symbol| symbol.path.as_str() == "src/main.rs"));
    let below = ask(&tree, |request| (request.filter.path, request.depth) = (Some("src".into()), 1));
    assert_eq!(rows(&below), ["0 src/ 32", "1 src/many/ 30", "1 src/store/ 1"]);
}

#[test]
fn a_file_is_outlined_whole() {
    let tree = Tree::new(TREE);
    let reply = ask(&tree, |request| request.filter.path = Some("src/store/vault.rs".into()));
    let entry = &reply.entries[0];
    let lines: Vec<String> = entry
        .symbols
        .iter()
        .map(|symbol| {
            format!(
                "{}{}-{} {}",
                " ".repeat(symbol.depth as usize),
                symbol.lines.first,
                symbol.lines.last,
                symbol.name
            )
        })
        .collect();
    assert_eq!(lines, ["1-1 Vault", "2-6 Rarely", "7-11 Vault", " 8-10 Vault.open_it"]);
    assert_eq!(
        (entry.is_dir, reply.all_rows_listed, rows(&reply)),
        (false, true, vec!["0 src/store/vault.rs 1".into()])
    );
    let cut = ask(&tree, |request| {
        request.filter.path = Some("src/store/vault.rs".into());
        request.max_items = 3;
    });
    assert_eq!(
        (cut.entries[0].symbols.len(), cut.entries[0].total_symbols, cut.all_rows_listed),
        (2, 4, false)
    );
}

#[test]
fn rows_are_bounded_and_the_largest_folders_stay() {
    let tree = Tree::new(SMALL);
    for folder in 0..40 {
        for file in 0..=folder % 4 {
            tree.write(&format!("d{folder:02}/f{file}.rs"), format!("pub struct S{folder}x{file};\n"));
        }
    }
    for max_items in [1, 2, 10, 30, 5_000] {
        let reply = ask(&tree, |request| request.max_items = max_items);
        let items: usize = reply.entries.iter().map(|entry| 1 + entry.symbols.len()).sum();
        assert!(items <= max_items, "{items} of {max_items}");
        assert_eq!(reply.entries[0].files, 103);
        assert_eq!(reply.all_rows_listed, max_items == 5_000);
        if max_items == 10 {
            assert!(reply.entries[1..].iter().all(|entry| entry.files == 4), "{:?}", rows(&reply));
        }
    }
}

#[test]
fn kinds_choose_symbols() {
    let tree = Tree::new(TREE);
    let reply = ask(&tree, |request| request.filter.kind = vec![SymbolKind::Fn]);
    let symbols: Vec<SymbolKind> =
        reply.entries.iter().flat_map(|entry| &entry.symbols).map(|symbol| symbol.kind).collect();
    assert!(symbols.len() >= 3 && symbols.iter().all(|kind| *kind == SymbolKind::Fn), "{symbols:?}");
    let mut request = MapRequest::default();
    request.filter.path = Some("gone".into());
    let error = open(&tree).ask(&request).unwrap_err();
    assert!(error.to_string().contains("no indexed file at 'gone'"), "{error}");
}
