//! Tests of the steps that questions to the code graph take on hostile trees: circles of imports and of base types, names with
//! very many definitions.

use crate::api::Options;
use crate::core::Engine;
use crate::current;
use crate::error::ErrorKind;
use crate::graph::GraphSources;
use spyhop_base::cancel::{self, Cancel};
use spyhop_graph::{Definition, Graph, GraphLimits};
use spyhop_search::SearchError;

/// A tree of `files`, with an engine whose index lies beside it.
fn engine(files: impl IntoIterator<Item = (String, String)>) -> (tempfile::TempDir, Engine) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join("tree").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let options = Options { index_dir: Some(folder.path().join("index")), ..Options::default() };
    let engine = Engine::open(folder.path().join("tree"), options).unwrap();
    (folder, engine)
}

/// Asks the graph of a tree, which may take `steps`.
fn with_graph<T>(engine: &Engine, steps: u64, ask: impl FnOnce(&Graph<'_>) -> T) -> T {
    let (snapshot, _) = current::ready(engine, &|_| ()).unwrap();
    let quarantine = engine.quarantine();
    let sources = GraphSources::new(engine, &snapshot, &quarantine).unwrap();
    let limits = GraphLimits { steps, ..GraphLimits::of_work(100_000) };
    ask(&Graph::new(&snapshot, engine.grammars(), &sources, limits))
}

/// Everything that is called, used and implemented in a tree.
fn ask_everything(graph: &Graph<'_>, n_files: u32) -> Result<(), SearchError> {
    for file in 0..n_files {
        graph.imports_of(file);
        for own in graph.symbols(file)? {
            graph.callees(&own)?;
            graph.uses_of(std::slice::from_ref(&own), 1, |_| true)?;
            graph.implementations(&own, 8)?;
        }
    }
    Ok(())
}

/// The files of a tree in which each of 20 files has one line for each other one, around what the files have in common.
fn circle(
    path: impl Fn(usize) -> String,
    line: impl Fn(usize) -> String,
    (head, tail): (impl Fn(usize) -> String, impl Fn(usize) -> String),
) -> Vec<(String, String)> {
    let of = |own: usize| {
        let others: String = (0..20).filter(|other| *other != own).map(&line).collect();
        (path(own), format!("{}{others}{}", head(own), tail(own)))
    };
    (0..20).map(of).collect()
}

#[test]
fn circles_of_imports_and_base_types_take_few_steps() {
    let none = |_: usize| String::new();
    let kotlin = circle(
        |n| format!("p{n}/F{n}.kt"),
        |n| format!("import p{n}.*\n"),
        (|n| format!("package p{n}\n"), |n| format!("fun use{n}() {{ routing {{ helper{n}() }} }}\n")),
    );
    let receiver = ("q/R.kt", "package q\nclass R {\n  fun routing(x: () -> Unit) {\n    x()\n  }\n}\n");
    let stars = circle(
        |n| format!("m{n}.ts"),
        |n| format!("export * from './m{n}';\n"),
        (none, |n| {
            format!("import {{ missing }} from './m{}';\nexport function f{n}() {{ missing(); }}\n", 19 - n)
        }),
    );
    let namespaces = circle(
        |n| format!("n{n}.ts"),
        |n| format!("export * as n{n} from './n{n}';\nexport * from './n{n}';\n"),
        (none, |n| {
            format!("import * as all from './n0';\nexport function g{n}() {{ all.n1.n2.n3.nowhere.x(); }}\n")
        }),
    );
    let python = circle(
        |n| format!("s{n}.py"),
        |n| format!("from s{n} import *\n"),
        (none, |n| format!("def h{n}():\n    absent()\n    absent.x()\n")),
    );
    let rust = circle(
        |n| format!("src/r{n}.rs"),
        |n| format!("pub use crate::r{n}::*;\n"),
        (none, |n| format!("pub fn i{n}() {{ gone(); crate::r1::gone(); }}\n")),
    );
    let includes = circle(
        |n| format!("c{n}.h"),
        |n| format!("#include \"c{n}.h\"\n"),
        (none, |n| format!("static void k{n}(void) {{\n  unknown();\n}}\n")),
    );
    let bases: String = (0..20)
        .map(|n| {
            let others: Vec<String> = (0..20).filter(|other| *other != n).map(|n| format!("C{n}")).collect();
            format!(
                "interface C{n} extends {} {{ default void m{n}() {{ nothing(); }} }}\n",
                others.join(", ")
            )
        })
        .collect();
    let classes: String = (0..20)
        .map(|n| {
            format!(
                "class D{n}(D{}, D{}):\n  def q{n}(self):\n    self.nothing()\n",
                (n + 1) % 20,
                (n + 7) % 20
            )
        })
        .collect();
    let others = [
        receiver,
        ("src/lib.rs", "pub mod r0;\npub mod r1;\n"),
        ("B.java", &bases),
        ("d.py", &classes),
        // These names are looked for everywhere, because something defines them.
        (
            "z.py",
            "class Z:\n  def missing(self): pass\n  def absent(self): pass\n  def nothing(self): pass\n",
        ),
        ("z.rs", "pub struct Z;\nimpl Z {\n  pub fn gone(&self) {\n  }\n}\n"),
        ("z.ts", "export class Z { missing() {} nowhere() {} x() {} }\n"),
        ("Z.java", "class Z { void nothing() { } }\n"),
        ("z.c", "struct z { int unknown; };\n"),
    ];
    let others = others.map(|(path, text)| (path.to_string(), text.to_string()));
    let all = [kotlin, stars, namespaces, python, rust, includes];
    let files: Vec<(String, String)> = all.into_iter().flatten().chain(others).collect();
    let n_files = files.len() as u32;
    let (_folder, engine) = engine(files);
    with_graph(&engine, 30_000_000, |graph| {
        ask_everything(graph, n_files).unwrap();
        assert!(!graph.is_cut(), "{} steps", graph.steps_taken());
    });
}

/// The steps of all uses of one definition in a tree, and the number of uses that were found.
fn uses_of_first(text: &str, path: &str) -> (u64, usize, usize) {
    let (_folder, engine) = engine([(path.to_string(), text.to_string())]);
    with_graph(&engine, u64::MAX, |graph| {
        let first: Vec<Definition> = graph.definitions("same").unwrap().iter().take(1).cloned().collect();
        let edges = graph.uses_of(&first, 1, |_| true).unwrap();
        (graph.steps_taken(), edges.len(), graph.crowded())
    })
}

#[test]
fn steps_grow_with_the_number_of_definitions_of_a_name_and_not_with_its_square() {
    type Line = fn(usize) -> String;
    let kinds: [(&str, Line); 6] = [
        ("a.py", |_| "def same():\n    same()\n".to_string()),
        ("b.py", |n| format!("class C{n}:\n  def same(self):\n    self.same(); same()\n")),
        ("a.js", |_| "function same() { same(); }\n".to_string()),
        ("a.rs", |_| "fn same() { same(); }\n".to_string()),
        ("a.c", |_| "void same(void) {\n  same();\n}\n".to_string()),
        ("a.go", |n| format!("func (t T{n}) same() {{ t.same() }}\n")),
    ];
    for (path, line) in kinds {
        let [few, many] = [1_500, 3_000].map(|n| uses_of_first(&(0..n).map(line).collect::<String>(), path));
        assert!(many.0 < 5 * few.0 / 2, "{path}: {few:?}, {many:?}");
        assert!(many.0 < 40_000_000, "{path}: {many:?}");
    }
    let (_, n_uses, n_crowded) = uses_of_first(&"def same():\n    same()\n".repeat(1_500), "a.py");
    assert!(n_uses > 10 && n_crowded >= 1_500, "{n_uses} {n_crowded}");
}

#[test]
fn a_hundred_thousand_re_exports_take_a_bounded_number_of_steps() {
    // Each file is below the limit of sizes, so that its structure is known.
    let file = |own: usize| {
        let next = (own + 1) % 100;
        let line = |n: usize| format!("export {{ f{next} as g{n}x{own} }} from './m{next}';\n");
        let lines: String = (0..1_000).map(line).collect();
        let all = format!("export * from './m{}';\nexport function f{own}() {{}}\n", (own + 7) % 100);
        (format!("m{own}.ts"), lines + &all)
    };
    let user = "import { g7x3, f50 } from './m3';\ng7x3();\nf50();\n";
    let (_folder, engine) = engine((0..100).map(file).chain([("user.ts".to_string(), user.to_string())]));
    for (name, is_resolved) in [("f4", true), ("f50", false)] {
        with_graph(&engine, 30_000_000, |graph| {
            let all = graph.definitions(name).unwrap().to_vec();
            assert_eq!(all.len(), 1, "the structure of the files is known");
            let edges = graph.uses_of(&all, 1, |_| true).unwrap();
            assert!(!is_resolved || !edges.is_empty() || graph.is_cut(), "{name}");
            assert!(graph.steps_taken() <= 31_000_000, "{name}: {} steps", graph.steps_taken());
        });
    }
}

#[test]
fn a_question_ends_when_its_call_is_cancelled_and_says_when_its_steps_are_taken() {
    let (_folder, engine) = engine([("a.py".to_string(), "def same():\n    same()\n".repeat(500))]);
    let ask = |graph: &Graph<'_>| {
        let all = graph.definitions("same").unwrap();
        graph.uses_of(&all, 1, |_| true).unwrap().len()
    };
    let (n_edges, is_cut) = with_graph(&engine, 100_000, |graph| (ask(graph), graph.is_cut()));
    assert!(is_cut && n_edges < 500 * 64, "{n_edges}");
    let cancelled = Cancel::default();
    let checked = with_graph(&engine, u64::MAX, |graph| {
        let cancel = cancelled.clone();
        cancel::with(Some(cancel), || {
            cancelled.cancel();
            ask(graph);
            graph.check()
        })
    });
    assert_eq!(crate::Error::from(checked.unwrap_err()).kind(), ErrorKind::Cancelled);
}

#[test]
fn a_page_of_symbols_reads_the_outline_of_a_file_once() {
    let (_folder, engine) = engine([("a.py".to_string(), "def same():\n    same()\n".repeat(400))]);
    let request = crate::api::SymbolsRequest { max_results: 400, ..crate::api::SymbolsRequest::new("same") };
    engine.ask(&request).unwrap();
    let before = spyhop_index::meta::outlines_read();
    let reply = engine.ask(&request).unwrap();
    let lines: Vec<u32> = reply.symbols.iter().map(|row| row.lines.first).collect();
    assert_eq!(lines, (0..400).map(|n| 2 * n + 1).collect::<Vec<_>>());
    assert!(spyhop_index::meta::outlines_read() - before <= 3);
}
