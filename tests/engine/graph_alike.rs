//! The code graph of a refreshed index, of a fresh one, of another branch, and of a name that very many files use.

use std::fmt::Write as _;

use spyhop::{GraphQuestion, GraphReply, GraphRequest};
use spyhop_engine::Engine;
use spyhop_engine::api::Options;

use super::{Random, Tree, open, options, refresh};
use crate::support::cases;

/// The modules of a generated tree; each is a file with functions and a class.
pub(super) const MODULES: [&str; 8] = ["pool", "lock", "queue", "store", "view", "cache", "route", "timer"];

/// A Python module whose functions call functions and methods of other modules.
pub(super) fn module(random: &mut Random) -> String {
    let mut text = String::from("# what take and close do\n");
    for _ in 0..random.below(4) {
        let (module, name) = (random.pick(&MODULES), random.below(4));
        let alias = if random.below(3) == 0 { format!(" as own{name}") } else { String::new() };
        let _ = writeln!(text, "from {module} import run{name}{alias}");
    }
    let _ = writeln!(text, "from {} import Kind\n", random.pick(&MODULES));
    for function in 0..1 + random.below(4) {
        let _ = writeln!(text, "def run{function}(one):\n    \"run{function} of one\"");
        for _ in 0..random.below(4) {
            let name = random.below(4);
            let call = ["run", "own", "Kind().take", "one.take"][random.below(4)];
            let _ = writeln!(text, "    {call}{name}(run{}, 'run1')", random.below(4));
        }
        text.push_str("    return one\n\n");
    }
    if random.below(2) == 0 {
        let base = if random.below(2) == 0 { "(Kind)" } else { "" };
        let _ = writeln!(
            text,
            "class Kind{base}:\n    def take{}(self):\n        return run0(self)\n",
            random.below(4)
        );
    }
    text
}

fn rows(engine: &Engine, question: GraphQuestion, target: &str) -> String {
    let request =
        GraphRequest { max_results: 1_000, min_confidence: 0.0, ..GraphRequest::new(question, target) };
    match engine.ask(&request) {
        Ok(GraphReply { definitions, rows, total, incomplete, .. }) => {
            format!("{definitions:#?}\n{rows:#?}\n{total} {incomplete:?}")
        }
        Err(error) => error.to_string(),
    }
}

/// All edges that questions about the names and files of a generated tree give.
fn edges(engine: &Engine) -> Vec<(String, String)> {
    use GraphQuestion::*;
    let names = (0..4).flat_map(|name| [format!("run{name}"), format!("take{name}")]).chain(["Kind".into()]);
    let about_names = names.flat_map(|name| {
        [References, Callers, Implementations, Tests, Trace, Impact].map(|question| (question, name.clone()))
    });
    let files = MODULES.iter().map(|module| format!("{module}.py"));
    let about_files =
        files.flat_map(|file| [Imports, Importers, Impact].map(|question| (question, file.clone())));
    let asked = about_names.chain(about_files);
    asked
        .map(|(question, target)| (format!("{} {target}", question.name()), rows(engine, question, &target)))
        .collect()
}

#[test]
fn the_edges_of_a_refreshed_index_are_those_of_a_fresh_one() {
    let tree = Tree::new("");
    let mut random = Random(11);
    MODULES.iter().for_each(|name| tree.write(&format!("{name}.py"), module(&mut random)));
    let engine = open(&tree);
    let (n_rounds, mut n_rows) = (cases(5, 12), 0);
    for round in 0..n_rounds {
        for _ in 0..1 + random.below(3) {
            let path = format!("{}.py", random.pick(&MODULES));
            match random.below(5) {
                0 => _ = std::fs::remove_file(tree.root().join(&path)),
                _ => tree.write(&path, module(&mut random)),
            }
        }
        refresh(&engine);
        let other = tempfile::tempdir().unwrap();
        let fresh = Options { index_dir: Some(other.path().join("index")), ..options(&tree) };
        let fresh = Engine::open(tree.root(), fresh).unwrap();
        let (refreshed, fresh) = (edges(&engine), edges(&fresh));
        for (one, other) in refreshed.iter().zip(&fresh) {
            assert_eq!(one, other, "round {round}");
            n_rows += one.1.matches("relation: ").count();
        }
    }
    assert!(n_rows > 80 * n_rounds, "{n_rows}");
}

#[test]
fn a_name_that_very_many_files_use_is_answered_from_the_nearest_ones() {
    let tree = Tree::new("");
    tree.write("core/pool.py", "def take(n):\n    return n\n");
    for number in 0..300 {
        let folder = if number % 10 == 0 { "core" } else { "far" };
        let text = format!("from core.pool import take\n\ndef run{number}():\n    return take({number})\n");
        tree.write(&format!("{folder}/user{number}.py"), text);
    }
    let ask = |max_results: usize| {
        let request = GraphRequest { max_results, ..GraphRequest::new(GraphQuestion::Callers, "take") };
        open(&tree).ask(&request).unwrap()
    };
    let few = ask(5);
    assert_eq!(few.rows.len(), 5);
    assert!(few.rows.iter().all(|row| row.path.as_str().starts_with("core/")), "{:?}", few.rows);
    assert!(few.total >= 5 && few.total + few.further_files == 300, "{} {}", few.total, few.further_files);
    let why = few.incomplete.unwrap();
    assert!(why.contains(&format!("{} more files use the name", few.further_files)), "{why}");
    let all = ask(1_000);
    assert_eq!((all.rows.len(), all.total, all.further_files, all.incomplete), (300, 300, 0, None));
}
