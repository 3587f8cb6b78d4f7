//! Where the answers stand: a committed line for each question, so that a change in ranking is read as a diff.

use super::{ask, corpus, folder, indexed, questions};

/// How many hits the averages look at.
const SEEN: usize = 10;

/// A question with its answer: the rank of each relevant file among the hits, and what the hits are.
struct Asked {
    kind: String,
    text: String,
    ranks: Vec<Option<usize>>,
    first: Vec<String>,
}

impl Asked {
    /// NDCG with gain 1 for each relevant file, over the first ten hits.
    fn ndcg(&self) -> f64 {
        let gain = |rank: usize| 1.0 / ((rank + 1) as f64).log2();
        let found = self.ranks.iter().flatten().filter(|rank| **rank <= SEEN);
        found.fold(0.0, |sum, rank| sum + gain(*rank))
            / (1..=self.ranks.len().min(SEEN)).map(gain).sum::<f64>()
    }

    /// One over the first rank of a relevant file.
    fn reciprocal(&self) -> f64 {
        let first = self.ranks.iter().flatten().filter(|rank| **rank <= SEEN).min();
        first.map_or(0.0, |rank| 1.0 / *rank as f64)
    }

    fn line(&self) -> String {
        let ranks: Vec<String> =
            self.ranks.iter().map(|rank| rank.map_or("-".into(), |rank| rank.to_string())).collect();
        format!("{:<12}  {:<5}  {} => {}\n", self.kind, ranks.join(" "), self.text, self.first.join(", "))
    }
}

/// Asks every question of the corpus.
fn asked() -> Vec<Asked> {
    let tree = corpus();
    let engine = indexed(&tree, "ranks", None);
    let mut all = Vec::new();
    for question in questions() {
        for path in &question.relevant {
            assert!(tree.root().join(path).is_file(), "{}: no {path} in the corpus", question.text);
        }
        let reply = ask(&engine, &question.text, 50);
        let rank =
            |path: &String| reply.results.iter().position(|hit| hit.path.as_str() == path).map(|at| at + 1);
        let first = reply.results.iter().take(3).map(|hit| hit.path.to_string()).collect();
        let ranks = question.relevant.iter().map(rank).collect();
        all.push(Asked { kind: question.kind, text: question.text, ranks, first });
    }
    all
}

/// Averages over some of the questions.
fn averages(name: &str, of: &[&Asked]) -> String {
    let mean = |value: fn(&Asked) -> f64| of.iter().map(|asked| value(asked)).sum::<f64>() / of.len() as f64;
    format!("{name:<12}  {:>7}  {:>7.3}  {:>7.3}\n", of.len(), mean(Asked::ndcg), mean(Asked::reciprocal))
}

/// The committed page: a line a question, then the averages.
fn page(all: &[Asked]) -> String {
    let mut page: String = all.iter().map(Asked::line).collect();
    let mut kinds: Vec<&str> = Vec::new();
    for asked in all {
        if !kinds.contains(&asked.kind.as_str()) {
            kinds.push(&asked.kind);
        }
    }
    page += &format!("\n{:<12}  {:>7}  {:>7}  {:>7}\n", "", "queries", "NDCG@10", "MRR@10");
    for kind in kinds {
        page += &averages(kind, &all.iter().filter(|asked| asked.kind == kind).collect::<Vec<_>>());
    }
    page + &averages("all", &all.iter().collect::<Vec<_>>())
}

/// What a page has and another has not, line by line.
fn difference(committed: &str, now: &str) -> String {
    let lacking = |sign: char, lines: &str, other: &str| -> String {
        let other: Vec<&str> = other.lines().collect();
        lines.lines().filter(|line| !other.contains(line)).map(|line| format!("{sign} {line}\n")).collect()
    };
    lacking('-', committed, now) + &lacking('+', now, committed)
}

#[test]
fn every_answer_stands_where_it_stood() {
    let now = page(&asked());
    let path = folder().join("ranks.txt");
    if std::env::var_os("SPYHOP_BLESS").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == now,
        "ranking has changed; - is tests/ranking/ranks.txt, + is now. If it is meant, run\n\
         SPYHOP_BLESS=1 cargo test --test integration ranking::ranks\n\
         and review the file's diff.\n\n{}",
        difference(&committed, &now)
    );
}

#[test]
fn measures_are_those_of_the_textbook() {
    let asked = |ranks: &[Option<usize>]| Asked {
        kind: "semantic".into(),
        text: "where".into(),
        ranks: ranks.into(),
        first: vec!["a.rs".into(), "b.rs".into()],
    };
    let check = |ranks: &[Option<usize>], ndcg: &str, reciprocal: f64| {
        let asked = asked(ranks);
        assert_eq!(
            (format!("{:.4}", asked.ndcg()).as_str(), asked.reciprocal()),
            (ndcg, reciprocal),
            "{ranks:?}"
        );
    };
    check(&[Some(1)], "1.0000", 1.0);
    check(&[Some(4)], "0.4307", 0.25);
    check(&[Some(11)], "0.0000", 0.0);
    check(&[None], "0.0000", 0.0);
    check(&[Some(2), None], "0.3869", 0.5);
    check(&[Some(2), Some(1)], "1.0000", 1.0);
    let page = page(&[asked(&[Some(1)]), asked(&[None, Some(2)])]);
    let expected = "semantic      1      where => a.rs, b.rs\nsemantic      - 2    where => a.rs, b.rs\n\n";
    assert!(page.starts_with(expected), "{page}");
    assert!(page.ends_with("all                 2    0.693    0.750\n"), "{page}");
    assert_eq!(difference("a\nb\n", "a\nc\n"), "- b\n+ c\n");
}
