//! A list does not depend on how much of it is asked for, and where scores are equal, path and line decide.

use spyhop_engine::Engine;
use spyhop_engine::api::{Options, StalePolicy};

use super::{ask, corpus, exact, indexed, pages, questions};
use crate::support::{Random, Tree, cases, repository};

/// Questions about the sources of this repository.
const OWN: &[&str] = &[
    "who may hold the writer's lock",
    "how are equal scores ordered",
    "RelPath",
    "split a file into windows of lines",
    "tests of the walk",
    "where does parse_budget stop a parser",
];

/// The first hits of a longer list are the hits of a shorter one, and pages are pieces of it.
fn check(engine: &Engine, query: &str) {
    let whole = pages(engine, query, 50);
    for max_results in [1, 3, 10, 50] {
        let head = exact(&ask(engine, query, max_results));
        assert_eq!(head, whole[..max_results.min(whole.len())], "{query}: the first {max_results}");
    }
    assert_eq!(pages(engine, query, 7), whole, "{query}: pages of 7");
    let mut sorted = whole.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!(sorted.len(), whole.len(), "{query}: a hit stands twice");
}

#[test]
fn the_first_hits_of_a_longer_list_are_those_of_a_shorter_one() {
    let tree = corpus();
    let engine = indexed(&tree, "index", None);
    for question in questions().iter().step_by(cases(4, 1)) {
        check(&engine, &question.text);
    }
    let index = tempfile::tempdir().unwrap();
    let options = Options {
        index_dir: Some(index.path().join("index")),
        stale_policy: StalePolicy::Ignore,
        ..Options::default()
    };
    let engine = Engine::open(repository("src/search"), options).unwrap();
    for question in OWN.iter().take(cases(3, OWN.len())) {
        check(&engine, question);
    }
}

/// The paths and scores of the hits for a query, on a tree of these files.
fn ranked(files: &[(String, String)], query: &str) -> Vec<(String, f32)> {
    let tree = Tree::new("");
    for (path, content) in files {
        tree.write(path, content);
    }
    let engine = indexed(&tree, "index", None);
    let reply = ask(&engine, query, 50);
    reply.results.iter().map(|hit| (hit.path.to_string(), hit.score)).collect()
}

/// Names of one word each that say nothing about what is asked, in no order.
const NAMES: &[&str] = &[
    "mango", "birch", "otter", "zebra", "aspen", "koala", "plum", "heron", "cedar", "yak", "fig", "newt",
    "willow", "badger", "quince", "ibis",
];

/// A file about deliveries: the more of them, the better it answers.
fn about_deliveries(times: usize) -> String {
    let calls = "    schedule(delivery);\n".repeat(times);
    let rest = "    wait(something);\n".repeat(20 - times);
    format!("fn work() {{\n{calls}{rest}}}\n")
}

/// Ends the text of each file with another number of three digits, so that files that answer alike are no copies.
fn apart(mut files: Vec<(String, String)>) -> Vec<(String, String)> {
    files.iter_mut().enumerate().for_each(|(at, (_, text))| *text += &format!("// {}\n", 100 + at));
    files
}

#[test]
fn twins_score_alike_and_are_ordered_by_path() {
    let mut random = Random(5);
    for _ in 0..4 {
        let mut names = NAMES.to_vec();
        for last in (1..names.len()).rev() {
            names.swap(last, random.below(last + 1));
        }
        let files: Vec<_> = names.iter().map(|name| (format!("{name}.rs"), about_deliveries(3))).collect();
        let files = apart(files);
        let hits = ranked(&files, "schedule a delivery");
        assert!(hits.iter().all(|hit| hit.1.to_bits() == hits[0].1.to_bits()), "{hits:?}");
        let mut expected: Vec<String> = files.into_iter().map(|file| file.0).collect();
        expected.sort();
        assert_eq!(hits.into_iter().map(|hit| hit.0).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn twins_within_a_file_are_ordered_by_line() {
    let function = "fn deliver_parcel() {\n    hand_over(parcel);\n}\n\n";
    let filler: String = (0..60).map(|n| format!("fn other_{n}() {{\n    nothing({n});\n}}\n\n")).collect();
    let tree = Tree::new("");
    tree.write("heron.rs", format!("{function}{filler}{function}{filler}{function}"));
    let engine = indexed(&tree, "index", None);
    let reply = ask(&engine, "deliver parcel", 50);
    let mut lines: Vec<u32> = Vec::new();
    for pair in reply.results.windows(2).filter(|pair| pair[0].score == pair[1].score) {
        lines.extend([pair[0].lines.first, pair[1].lines.first]);
    }
    assert!(!lines.is_empty(), "{:?}", exact(&reply));
    assert!(lines.chunks(2).all(|pair| pair[0] < pair[1]), "{lines:?}");
}

#[test]
fn names_decide_nothing_where_content_does() {
    let mut forward = NAMES.to_vec();
    forward.sort_unstable();
    let backward: Vec<&str> = forward.iter().rev().copied().collect();
    for names in [&forward, &backward, &NAMES.to_vec()] {
        let files: Vec<_> = names
            .iter()
            .enumerate()
            .map(|(at, name)| (format!("{name}.rs"), about_deliveries(NAMES.len() - at)))
            .collect();
        let hits = ranked(&files, "schedule a delivery");
        let expected: Vec<String> = files.into_iter().map(|file| file.0).collect();
        assert_eq!(hits.iter().map(|hit| hit.0.clone()).collect::<Vec<_>>(), expected);
        assert!(hits.windows(2).all(|pair| pair[0].1 > pair[1].1), "{hits:?}");
    }
}

#[test]
fn a_twin_stands_beside_its_twin_and_moves_nobody_else() {
    for twin in 0..8 {
        let mut files: Vec<_> = NAMES[..8]
            .iter()
            .enumerate()
            .map(|(at, name)| (format!("{name}.rs"), about_deliveries(2 * (8 - at))))
            .collect();
        let before: Vec<String> = files.iter().map(|file| file.0.clone()).collect();
        files.push(("vole.rs".into(), files[twin].1.clone()));
        let files = apart(files);
        let hits: Vec<String> = ranked(&files, "schedule a delivery").into_iter().map(|hit| hit.0).collect();
        let mut expected = before;
        let after = if expected[twin].as_str() < "vole.rs" { twin + 1 } else { twin };
        expected.insert(after, "vole.rs".into());
        assert_eq!(hits, expected);
    }
}

/// More equal files than the head that is scored holds: the cut takes them by path, and a better one is not lost.
#[test]
fn a_cut_among_equals_goes_by_path() {
    let mut files: Vec<_> =
        (0..420).map(|n| (format!("x{:03}.rs", (n * 37) % 420), about_deliveries(2))).collect();
    files.push(("z.rs".into(), about_deliveries(9)));
    let files = apart(files);
    let hits: Vec<String> = ranked(&files, "schedule a delivery").into_iter().map(|hit| hit.0).collect();
    let expected: Vec<String> =
        ["z.rs".to_string()].into_iter().chain((0..49).map(|n| format!("x{n:03}.rs"))).collect();
    assert_eq!(hits, expected);
}
