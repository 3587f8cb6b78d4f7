//! Parser workers through the library: the choice that an embedding program has, and what happens when workers are
//! killed, are not there, or are something else.

use std::path::PathBuf;
use std::sync::Arc;

use spyhop_engine::Engine;
use spyhop_engine::api::{Isolation, MapRequest, Options, SkippedRequest, WorkerPool};
use spyhop_interface::render::json;
use spyhop_syntax::worker::WORKER_ARGUMENT;

use super::{Tree, ask, copy_into, options, refresh};
use crate::support::repository;

/// Parsing in workers that are the real binary.
fn in_workers() -> Isolation {
    pool_of(env!("CARGO_BIN_EXE_spyhop"))
}

fn pool_of(program: &str) -> Isolation {
    Isolation::Subprocess(Arc::new(WorkerPool::new(PathBuf::from(program), vec![WORKER_ARGUMENT.into()])))
}

fn open(tree: &Tree, isolation: Isolation, index: &str) -> Engine {
    let index_dir = Some(tree.index_dir().join(index));
    Engine::open(tree.root(), Options { isolation, index_dir, ..options(tree) }).unwrap()
}

/// Every symbol of a tree, with its lines.
fn map(engine: &Engine) -> String {
    let request = MapRequest { max_items: 1000, depth: 6, ..MapRequest::default() };
    let reply = engine.ask(&request).unwrap();
    assert!(!reply.entries.is_empty());
    json::line(&reply).split("\"snapshot\"").next().unwrap().to_string()
}

#[test]
fn workers_see_what_this_process_sees() {
    let tree = Tree::new("");
    let repository_dir = repository("");
    copy_into(&tree, &repository_dir.join("src/syntax/grammars"), "grammars");
    copy_into(&tree, &repository_dir.join("src/syntax/analyze"), "src");
    let engines = [open(&tree, in_workers(), "workers"), open(&tree, Isolation::InProcess, "in_process")];
    let reports = engines.each_ref().map(refresh);
    assert_eq!(reports[0].parsed, reports[1].parsed);
    assert_eq!(map(&engines[0]), map(&engines[1]));
    for query in ["where is a text cut into chunks", "fn narrowed", "budget of the parser"] {
        let [one, other] = engines.each_ref().map(|engine| super::exact(&ask(engine, query)));
        assert_eq!(one, other, "{query}");
    }
}

#[test]
fn manifests_of_the_user_reach_the_workers() {
    let tree = Tree::new("\n=== a.rs\nfn zorblax() {}\nstruct Quexalt;\n");
    let grammars = tree.index_dir().join("grammars");
    std::fs::create_dir_all(grammars.join("rust")).unwrap();
    // Functions alone are items.
    let manifest = "name = \"rust\"\ntitle = \"Mine\"\nextensions = [\"rs\"]\n\
                    [[item]]\nnode = \"function_item\"\nkind = \"fn\"\n";
    std::fs::write(grammars.join("rust/grammar.toml"), manifest).unwrap();
    let engine = |isolation, index: &str| {
        let index_dir = Some(tree.index_dir().join(index));
        let options_of_workers =
            Options { grammars: Some(grammars.clone()), isolation, index_dir, ..options(&tree) };
        Engine::open(tree.root(), options_of_workers).unwrap()
    };
    let engines = [engine(in_workers(), "workers"), engine(Isolation::InProcess, "in_process")];
    engines.iter().for_each(|engine| drop(refresh(engine)));
    assert_eq!(map(&engines[0]), map(&engines[1]));
    assert!(map(&engines[0]).contains("zorblax") && !map(&engines[0]).contains("Quexalt"));
}

/// The folder of the tree that [`embedder`] indexes.
const EMBEDDED_TREE: &str = "SPYHOP_TEST_EMBEDDED_TREE";

/// A program that embeds the library and parses in this process. The test below runs it.
#[test]
#[ignore = "it dies: `a_crash_in_an_embedding_program_costs_one_file_in_the_end` runs it"]
fn embedder() {
    let Some(root) = std::env::var_os(EMBEDDED_TREE).map(PathBuf::from) else { return };
    let index_dir = Some(root.with_file_name("index"));
    let engine = Engine::open(&root, Options { index_dir, ..Options::default() }).unwrap();
    refresh(&engine);
}

#[test]
#[cfg(feature = "lang-ruby")]
fn a_crash_in_an_embedding_program_costs_one_file_in_the_end() {
    use std::os::unix::process::ExitStatusExt;

    let tree = Tree::new("\n=== a.rs\nfn zorblax() {}\n");
    let end = "A".repeat(300);
    tree.write("deadly.rb", format!("x = <<~{end}\n  quexalt\n{end}\n"));
    let run = || {
        let mut embedder = std::process::Command::new(std::env::current_exe().unwrap());
        embedder.args(["--exact", "engine::workers::embedder", "--ignored"]).env(EMBEDDED_TREE, tree.root());
        embedder.output().unwrap().status
    };
    // The first crash leaves a suspect, the second happens when the suspect is tried alone.
    assert_eq!(run().signal(), Some(libc::SIGABRT));
    assert_eq!(run().signal(), Some(libc::SIGABRT));
    assert!(run().success());
    let engine = super::open(&tree);
    let skipped = engine.ask(&SkippedRequest::default()).unwrap().entries;
    let rows: Vec<_> = skipped.iter().map(|row| (row.path.as_str(), row.detail.as_str())).collect();
    assert_eq!(rows, [("deadly.rb", "its parser ended the process")]);
}
