//! The graph of files: circles, hubs, orphans and exports.

use spyhop_engine::api::{FileGraphQuestion, FileGraphReply, FileGraphRequest};

use super::open;
use crate::support::Tree;

const APP: &str = "
=== app/__init__.py
# The package.
=== app/a.py
from app import b
from app.c import value
=== app/b.py
from app import c
import json
=== app/c.py
from app import a
value = 1
=== app/alone.py
import json
=== app/user.py
from app.c import value
from app.c import value as again
=== docs/guide.md
# Guide
";

fn ask(tree: &Tree, question: FileGraphQuestion) -> FileGraphReply {
    open(tree).ask(&FileGraphRequest { question, ..FileGraphRequest::default() }).unwrap()
}

fn paths(reply: &FileGraphReply) -> Vec<&str> {
    reply.files.iter().map(|file| file.path.as_str()).collect()
}

#[test]
fn hubs_circles_and_orphans_are_found() {
    let tree = Tree::new(APP);
    let hubs = ask(&tree, FileGraphQuestion::Hubs);
    assert_eq!((hubs.files[0].path.as_str(), hubs.files[0].importers), ("app/c.py", 3), "{:?}", hubs.files);
    let cycles = ask(&tree, FileGraphQuestion::Cycles);
    assert_eq!(cycles.cycles.len(), 1);
    assert_eq!(
        cycles.cycles[0].iter().map(|at| paths(&cycles)[*at]).collect::<Vec<_>>(),
        ["app/a.py", "app/c.py", "app/b.py"]
    );
    assert!(paths(&ask(&tree, FileGraphQuestion::Orphans)).contains(&"app/alone.py"));
}

#[test]
fn a_module_named_build_is_not_a_build_script() {
    let tree = Tree::new(
        "\n=== Cargo.toml\n[package]\nname = \"app\"\n=== build.rs\nfn main() {}\n=== src/lib.rs\nmod dense;\n=== src/dense/mod.rs\n\
         mod build;\nmod store;\nuse build::run;\n=== src/dense/build.rs\nuse super::store::Row;\npub fn run() {}\n=== src/dense/store.rs\n\
         pub struct Row;\n",
    );
    let reply = ask(&tree, FileGraphQuestion::Export);
    let edges = reply.edges.iter().map(|edge| (paths(&reply)[edge.from], paths(&reply)[edge.to]));
    let of_build: Vec<(&str, &str)> = edges.filter(|(from, _)| *from == "src/dense/build.rs").collect();
    assert_eq!(of_build, [("src/dense/build.rs", "src/dense/store.rs")]);
    assert!(ask(&tree, FileGraphQuestion::Cycles).cycles.is_empty());
}

#[test]
fn an_export_has_every_file_and_import_in_each_format() {
    let tree = Tree::new(APP);
    let reply = ask(&tree, FileGraphQuestion::Export);
    let lines: Vec<serde_json::Value> = {
        let ran = tree.run(&["graph", "export"]);
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    assert_eq!(lines.len(), reply.files.len() + reply.edges.len());
    let import = |line: &serde_json::Value| line["from"] == "app/user.py" && line["to"] == "app/c.py";
    assert_eq!(
        lines.iter().filter(|line| import(line)).map(|line| line["line"].clone()).collect::<Vec<_>>(),
        [1, 2]
    );
    let dot = tree.run(&["graph", "export", "--format", "dot"]).out;
    assert_eq!(dot.matches("\"app/user.py\" -> \"app/c.py\";").count(), 1, "{dot}");
    let graphml = tree.run(&["graph", "export", "--format", "graphml"]).out;
    assert_eq!(graphml.matches("<edge ").count(), reply.edges.len(), "{graphml}");
    let ran = tree.run(&["graph", "export", "--cycles"]);
    assert!(ran.err.contains("choose one of export, --cycles"), "{}", ran.err);
}
