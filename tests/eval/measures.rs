//! Our measures against those of ir_measures, query by query, on runs made up of chance.
//!
//! The comparison needs a Python with that package: `SPYHOP_MEASURES_PYTHON`, else `python3`. `.ci/peers` installs one. Without the
//! variable and without the package, the test prints that the comparison is skipped.

use std::collections::HashMap;
use std::env;
use std::fs;
use std::process::Command;

use fastrand::Rng;
use serde_json::{Value, json};

use super::skip::skipped;
use super::{Folder, shown};

const QUERIES: usize = 300;
const PYTHON: &str = "SPYHOP_MEASURES_PYTHON";

/// The Python to ask; `None` when there is none with the package.
fn python() -> Option<String> {
    if let Ok(python) = env::var(PYTHON) {
        return Some(python);
    }
    let found = Command::new("python3").args(["-c", "import ir_measures"]).output();
    found.is_ok_and(|found| found.status.success()).then(|| "python3".to_string())
}

/// A query with some targets, graded for every other query, and a list whose hits answer none, one or several of them.
fn query(number: usize, rng: &mut Rng) -> Value {
    let n_targets = rng.usize(1..15);
    let grade = |rng: &mut Rng| if number.is_multiple_of(2) { 1 } else { rng.u32(1..4) };
    let targets: Vec<Value> =
        (0..n_targets).map(|at| json!({ "path": format!("src/{at} a.rs"), "grade": grade(rng) })).collect();
    let answering = rng.f64() * 0.7;
    let hits: Vec<Value> = (0..rng.usize(0..50))
        .map(|_| {
            let mut answered = Vec::new();
            while rng.f64() < answering {
                answered.push(rng.usize(..n_targets));
            }
            answered.sort_unstable();
            answered.dedup();
            // Paths repeat, so that several hits would be the same document.
            let path = format!("src/{} a.rs", rng.usize(..5));
            let lines = json!({ "first": 1, "last": rng.u32(1..4) });
            json!({ "path": path, "lines": lines, "score": 0.5, "chars": 100, "targets": answered })
        })
        .collect();
    json!({
        "row": "query", "set": "chance", "tree": "t", "folder": "t", "language": "-", "id": format!("t-{number}"),
        "kind": "question", "query": "what", "targets": targets, "ms": 1.0, "hits": hits,
    })
}

#[test]
fn measures_are_those_of_ir_measures() {
    let Some(python) = python() else {
        skipped("measures_are_those_of_ir_measures: python3 has no ir_measures (.ci/peers installs it)");
        return;
    };
    let folder = Folder::new("");
    let header = json!({
        "row": "header", "format": 1, "version": "0", "profile": "default", "sets": ["chance"], "k": 10, "depth": 50,
        "repeat": 1, "threads": 0, "missing": [],
    });
    let mut rng = Rng::with_seed(7);
    let rows = std::iter::once(header).chain((0..QUERIES).map(|number| query(number, &mut rng)));
    let lines: String = rows.map(|row| format!("{row}\n")).collect();
    fs::write(folder.path("run.jsonl"), lines).unwrap();
    folder.ok("export run.jsonl --out out");

    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/eval/measures.py");
    let ran = Command::new(python).args([script, &shown(&folder.path("out"))]).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let theirs: HashMap<(String, String), f64> = String::from_utf8(ran.stdout)
        .unwrap()
        .lines()
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            ((cells[0].to_string(), cells[1].to_string()), cells[2].parse().unwrap())
        })
        .collect();
    compare(&folder.read("out/measures.tsv"), &theirs);
}

/// Compares each value of our table with theirs.
fn compare(ours: &str, theirs: &HashMap<(String, String), f64>) {
    let mut lines = ours.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    assert_eq!(head, ["query", "nDCG@10", "RR@10", "AP", "R@10", "Success@1", "shared"]);
    let (mut compared, mut shared) = (0, 0);
    for cells in lines {
        let is_shared = cells[6] == "true";
        shared += usize::from(is_shared);
        for (name, value) in head.iter().zip(&cells).skip(1).take(5) {
            let ours: f64 = value.parse().unwrap();
            let theirs = theirs[&(cells[0].to_string(), (*name).to_string())];
            if *name == "R@10" && is_shared {
                // Of targets that share their first hit, tools know one.
                assert!(ours >= theirs - 1e-6, "{} {name}: {ours} and {theirs}", cells[0]);
            } else {
                assert!((ours - theirs).abs() < 1e-6, "{} {name}: {ours} and {theirs}", cells[0]);
            }
            compared += 1;
        }
    }
    assert_eq!(compared, QUERIES * 5);
    assert!((50..QUERIES - 50).contains(&shared), "{shared} queries have targets that share a hit");
}
