//! The graph of files: circles, hubs, orphans and exports.

use spyhop_engine::api::{FileGraphQuestion, FileGraphReply, FileGraphRequest};
use spyhop_interface::render::agent;
use spyhop_search::filter::FilterSpec;

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
fn importers_are_counted_in_the_whole_tree() {
    let tree = Tree::new(
        "\n=== lib/store.py\nvalue = 1\n=== lib/date.py\nfrom lib.store import value\n=== web/views.py\nfrom lib.store import value\n\
         from web import forms\n=== web/forms.py\nfrom lib.date import value\n",
    );
    let engine = open(&tree);
    let of = |question, path: &str| {
        let filter = FilterSpec { path: Some(path.to_string()), ..FilterSpec::default() };
        let reply =
            engine.ask(&FileGraphRequest { question, filter, ..FileGraphRequest::default() }).unwrap();
        assert!(reply.incomplete.is_none());
        reply
    };
    let hubs = of(FileGraphQuestion::Hubs, "lib");
    let counts: Vec<_> =
        hubs.files.iter().map(|file| (file.path.as_str(), file.importers, file.imports)).collect();
    assert_eq!(counts, [("lib/store.py", 2, 0), ("lib/date.py", 1, 1)]);
    assert_eq!(paths(&of(FileGraphQuestion::Hubs, "lib/store.py")), ["lib/store.py"]);
    assert!(of(FileGraphQuestion::Orphans, "lib/store.py").files.is_empty());
    let export = of(FileGraphQuestion::Export, "lib");
    assert_eq!((paths(&export), export.edges.len()), (vec!["lib/date.py", "lib/store.py"], 1));
}

#[test]
fn a_group_is_told_from_its_shortest_circle() {
    let tree = Tree::new(
        "\n=== app/__init__.py\n# The package.\n=== app/a.py\nfrom app import b\n=== app/b.py\nfrom app import a\nfrom app import c\n\
         === app/c.py\nimport json\nfrom app import a\n",
    );
    let reply = ask(&tree, FileGraphQuestion::Cycles);
    assert_eq!(paths(&reply), ["app/a.py", "app/b.py", "app/c.py"]);
    let edges: Vec<_> = reply.edges.iter().map(|edge| (edge.from, edge.to, edge.line)).collect();
    assert_eq!(edges, [(0, 1, 1), (1, 0, 1)]);
    let text = agent::file_graph(&reply, 1000).text;
    let expected = "app/a.py -> app/b.py -> app/a.py\n  1 more file in circles with them: app/c.py\n";
    assert!(text.starts_with(expected), "{text}");
    let shown = tree.run(&["graph", "--cycles"]).out;
    let expected = "3 files import each other\n  app/a.py\n  app/b.py\n  1 more file in circles with them:\n  app/c.py\n";
    assert_eq!(shown, expected);
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
