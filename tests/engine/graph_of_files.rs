//! The whole graph of a tree, as comparisons with other tools read it.

use super::open;
use crate::support::Tree;

const TREE: &str = "
=== app/pool.py
def take():
    return 1
=== app/user.py
from app.pool import take


def run():
    return take()
";

#[test]
fn every_file_is_visited_with_its_symbols_uses_and_imports() {
    let tree = Tree::new(TREE);
    let engine = open(&tree);
    engine.refresh(&|_| ()).unwrap();
    let mut lines = Vec::new();
    engine
        .graph_of_files(&mut |file| {
            lines.extend(file.symbols.iter().map(|symbol| format!("{} defines {}", file.path, symbol.name)));
            lines.extend(file.uses.iter().map(|(line, column, edge)| {
                let to = (file.path_of)(edge.to.file);
                format!("{}:{line}:{column} {} {to}#{}", file.path, edge.relation.name(), edge.to.name)
            }));
            lines.extend(file.imports.iter().map(|(line, edge)| {
                let files: Vec<&str> = edge.files.iter().map(|number| (file.path_of)(*number)).collect();
                format!("{}:{line} imports {} {files:?}", file.path, edge.module)
            }));
        })
        .unwrap();
    lines.sort();
    let expected = [
        "app/pool.py defines take",
        "app/user.py defines run",
        "app/user.py:1 imports app.pool [\"app/pool.py\"]",
        "app/user.py:1:22 imports app/pool.py#take",
        "app/user.py:5:12 calls app/pool.py#take",
    ];
    assert_eq!(lines, expected);
}
