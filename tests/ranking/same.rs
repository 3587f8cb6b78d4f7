//! The same tree gives the same answers, scores to the bit: whatever the threads, the order in which files came, what
//! the index was before, and the process that asks. Generated trees that change at random are in `engine::rebuild`.

use spyhop_engine::Engine;

use super::{Question, ask, corpus, exact, indexed, track};
use crate::support::{Random, Tree, cases};

/// All questions at night, every third one else.
fn questions() -> Vec<Question> {
    super::questions().into_iter().step_by(cases(3, 1)).collect()
}

/// The answers to the questions.
fn answers(engine: &Engine) -> Vec<Vec<String>> {
    let answers: Vec<_> =
        questions().iter().map(|question| exact(&ask(engine, &question.text, 50))).collect();
    assert!(answers.iter().all(|hits| !hits.is_empty()));
    answers
}

fn check(expected: &[Vec<String>], engine: &Engine, when: &str) {
    for ((expected, now), question) in expected.iter().zip(answers(engine)).zip(questions()) {
        assert_eq!(*expected, now, "{when}: {}", question.text);
    }
}

/// The files of a tree but git's, in an order that depends on the seed.
fn shuffled(tree: &Tree, seed: u64) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = ignore::WalkBuilder::new(tree.root())
        .build()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(|entry| {
            let path = entry.path().strip_prefix(tree.root()).unwrap().to_str().unwrap().to_string();
            (path, std::fs::read(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    let mut random = Random(seed);
    for last in (1..files.len()).rev() {
        files.swap(last, random.below(last + 1));
    }
    files
}

#[test]
fn threads_and_the_order_of_creation_do_not_change_a_score() {
    let tree = corpus();
    let expected = answers(&indexed(&tree, "one", Some(1)));
    check(&expected, &indexed(&tree, "four", Some(4)), "four threads");
    for seed in 0..3 {
        let other = Tree::new("");
        for (path, content) in shuffled(&tree, seed) {
            other.write(&path, content);
        }
        track(&other);
        check(&expected, &indexed(&other, "other", None), "files created in another order");
    }
}

#[test]
fn earlier_questions_do_not_change_an_answer() {
    let tree = corpus();
    let engine = indexed(&tree, "index", None);
    let forward = answers(&engine);
    let again = indexed(&tree, "index", None);
    for (question, expected) in questions().iter().zip(&forward).rev() {
        assert_eq!(*expected, exact(&ask(&again, &question.text, 50)), "{}", question.text);
    }
}

/// A reply without the number of its commit: a busy machine commits parts of an index on the way to it.
fn of_any_commit(line: &str) -> String {
    let reply: serde_json::Value = serde_json::from_str(line).unwrap();
    let generation = format!("\"generation\":{},", reply["snapshot"]["generation"]);
    assert!(line.contains(&generation), "{line}");
    let line = line.replacen(&generation, "", 1);
    match reply["next"].as_str().and_then(|next| next.split_once('-')) {
        Some((commit, _)) => line.replacen(&format!("\"next\":\"{commit}-"), "\"next\":\"", 1),
        None => line,
    }
}

#[test]
fn two_processes_print_the_same_bytes() {
    let tree = corpus();
    let queries: String = questions().iter().map(|question| question.text.clone() + "\n").collect();
    let printed = |index: &str| {
        let index = tree.index_dir().join(index);
        let index = ["--index-dir", index.to_str().unwrap()];
        assert_eq!(tree.run(&[&["index", "--quiet"], &index[..]].concat()).code, 0);
        let ran =
            tree.feed(&[&["search", "--batch", "--no-refresh", "-n", "50"], &index[..]].concat(), &queries);
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out
    };
    let (one, other) = (printed("one"), printed("other"));
    assert_eq!(one.lines().count(), questions().len());
    for (one, other) in one.lines().zip(other.lines()) {
        assert_eq!(of_any_commit(one), of_any_commit(other));
    }
}
