//! Parser workers through the library: the choice that an embedding program has, and what happens when workers are
//! killed, are not there, or are something else.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use spyhop_engine::Engine;
use spyhop_engine::api::{Isolation, MapRequest, Options, WorkerPool};
use spyhop_interface::render::json::{self, JsonPaths};
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
    let reply = engine.project_map(&request).unwrap();
    assert!(!reply.entries.is_empty());
    json::line(&json::map(&reply, JsonPaths::default())).split("\"snapshot\"").next().unwrap().to_string()
}

/// The process numbers of the workers of this process that `program` runs in.
fn workers_of(program: &Path) -> Vec<libc::pid_t> {
    let program = program.canonicalize().unwrap();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<libc::pid_t>().ok());
    let is_worker = |number: &libc::pid_t| {
        let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        let parent = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1)?.parse().ok());
        let command = std::fs::read_to_string(format!("/proc/{number}/cmdline")).unwrap_or_default();
        parent == Some(std::process::id())
            && command.contains(WORKER_ARGUMENT)
            && std::fs::read_link(format!("/proc/{number}/exe")).is_ok_and(|exe| exe == program)
    };
    numbers.filter(is_worker).collect()
}

#[test]
fn workers_see_what_this_process_sees() {
    let tree = Tree::new("");
    let own = repository("");
    copy_into(&tree, &own.join("src/syntax/grammars"), "grammars");
    copy_into(&tree, &own.join("src/syntax/analyze"), "src");
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
        let own = Options { grammars: Some(grammars.clone()), isolation, index_dir, ..options(&tree) };
        Engine::open(tree.root(), own).unwrap()
    };
    let engines = [engine(in_workers(), "workers"), engine(Isolation::InProcess, "in_process")];
    engines.iter().for_each(|engine| drop(refresh(engine)));
    assert_eq!(map(&engines[0]), map(&engines[1]));
    assert!(map(&engines[0]).contains("zorblax") && !map(&engines[0]).contains("Quexalt"));
}

#[test]
fn a_worker_that_was_killed_is_replaced() {
    // Another name, so that no other test's workers are meant.
    let tree = Tree::new("\n=== a.rs\nfn zorblax() {}\n");
    let program = tree.index_dir().join("bin/worker");
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    std::fs::copy(env!("CARGO_BIN_EXE_spyhop"), &program).unwrap();
    let engine = open(&tree, pool_of(program.to_str().unwrap()), "index");
    refresh(&engine);
    let idle = workers_of(&program);
    assert_eq!(idle.len(), 1);
    // SAFETY: a number and a signal.
    unsafe { libc::kill(idle[0], libc::SIGKILL) };
    tree.write("a.rs", "fn quexalt() {}\n");
    assert_eq!(ask(&engine, "quexalt").results[0].symbol.as_deref(), Some("quexalt"));
    assert!(engine.skipped().unwrap().entries.is_empty());
    assert_eq!(workers_of(&program).len(), 1);
    // An engine that rests keeps no worker.
    engine.release_caches();
    assert!(workers_of(&program).is_empty());
}

#[test]
fn what_is_not_a_worker_is_not_used() {
    let tree = Tree::new("\n=== a.rs\nfn zorblax() {}\n");
    for program in ["/bin/true", "/bin/cat", "/there/is/no/such/program"] {
        let engine = open(&tree, pool_of(program), program.rsplit('/').next().unwrap());
        refresh(&engine);
        // Nothing is parsed in this process instead: the file is found by its lines.
        let hit = &ask(&engine, "zorblax").results[0];
        assert_eq!((hit.path.as_str(), hit.symbol.as_deref()), ("a.rs", None), "{program}");
        let rows = engine.skipped().unwrap().entries;
        assert_eq!((rows.len(), rows[0].reason.name()), (1, "quarantined"), "{program}: {rows:?}");
        assert!(rows[0].detail.starts_with("there was no parser: "), "{program}: {rows:?}");
    }
}

/// The folder of the tree that [`embedder`] indexes.
const EMBEDDED_TREE: &str = "SPYHOP_TEST_EMBEDDED_TREE";

/// A program that embeds the library and parses in its own process. The test below runs it.
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
    let skipped = engine.skipped().unwrap().entries;
    let rows: Vec<_> = skipped.iter().map(|row| (row.path.as_str(), row.detail.as_str())).collect();
    assert_eq!(rows, [("deadly.rb", "its parser ended the process")]);
}
