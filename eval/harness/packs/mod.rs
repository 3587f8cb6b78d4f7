//! `spyhop-eval packs`: how much of what a task changes a context pack holds, beside a search and an agent with ripgrep.
//!
//! A query is a task, and its targets are the files that the task changes. Each way of collecting code is asked at each
//! budget and gives a set of files; recall and precision are those of the set. The ways without one stage switch that
//! stage of the pack off. `eval/README.md` describes the ways.

mod report;
mod ways;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use serde::Serialize;
use sha2::{Digest, Sha256};
use spyhop::judged::JudgedList;

use self::ways::{Asked, Way, WayContext};
use crate::failure::Failure;
use crate::progress::Bar;
use crate::select::Selection;
use crate::sets::Query;

/// The files whose order NDCG judges.
const FIRST_FILES: usize = 10;

/// Measure context packs: the set of files that each task changes, at several budgets of tokens
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    /// Budgets in tokens
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "2000,4000,8000,16000")]
    budgets: Vec<usize>,
    /// Only these ways, by name
    #[arg(long, value_name = "WAY", value_delimiter = ',')]
    ways: Vec<String>,
    /// The ripgrep to compare with
    #[arg(long, value_name = "PATH", default_value = "rg")]
    rg: PathBuf,
    /// Ask every pack so many times and compare the bytes
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    repeat: u16,
    /// Also report each fold of so many; a repository is in one fold
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    folds: u16,
    /// Write the figures of each task
    #[arg(long, value_name = "FILE.jsonl")]
    out: Option<PathBuf>,
}

/// The figures of one task in one way at one budget.
#[derive(Clone, Debug, Serialize)]
pub struct PackRow {
    tree: String,
    id: String,
    way: &'static str,
    budget: usize,
    recall: f64,
    precision: f64,
    /// NDCG of the first ten files, in their order.
    ndcg: f64,
    files: usize,
    tokens: usize,
    ms: f64,
    edges: usize,
    /// Whether every repetition gave equal bytes.
    equal: bool,
    /// The first 16 digits of the SHA-256 of a pack's JSON.
    digest: String,
    /// The files in their order, each with its score and whether the task changes it.
    collected: Vec<(String, Option<f32>, bool)>,
}

impl PackRow {
    fn f1(&self) -> f64 {
        match self.recall + self.precision {
            0.0 => 0.0,
            sum => 2.0 * self.recall * self.precision / sum,
        }
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let (sets, places) = (args.selection.read()?, args.selection.places()?);
    let profile = args.selection.profile()?;
    let ways = chosen(&args.ways)?;
    let bar = Bar::new(sets.iter().flat_map(|set| &set.trees).map(|tree| tree.queries.len()).sum());
    let mut rows = Vec::new();
    for set in &sets {
        for tree in &set.trees {
            bar.at(&tree.folder);
            match places.open(&set.name, tree)? {
                Some(opened) => {
                    let context = WayContext {
                        engine: &opened.engine,
                        profile: &profile,
                        rg: &args.rg,
                        repeat: usize::from(args.repeat),
                    };
                    for query in &tree.queries {
                        for &way in &ways {
                            let asked = way.ask(&context, &query.text, &args.budgets)?;
                            let row = |asked| row(&tree.name, query, way, asked);
                            rows.extend(asked.into_iter().map(row));
                        }
                        bar.advance(1);
                    }
                }
                None => bar.say(&format!("left out, not there: {}", tree.folder)),
            }
        }
    }
    if rows.is_empty() {
        return Err(Failure::Asked("no tree is there".to_string()));
    }
    print!("{}", report::tables(&rows, &ways, &args.budgets, usize::from(args.folds)));
    let digests: String = rows.iter().map(|row| row.digest.as_str()).collect();
    println!("digest of all packs: {}", digest(&digests));
    if let Some(path) = &args.out {
        let mut out = BufWriter::new(File::create(path)?);
        for row in &rows {
            writeln!(out, "{}", serde_json::to_string(row).expect("plain data"))?;
        }
        out.flush()?;
    }
    Ok(())
}

fn chosen(names: &[String]) -> Result<Vec<Way>, Failure> {
    let known = |name: &String| {
        Way::ALL.into_iter().find(|way| way.name() == name).ok_or_else(|| {
            let all: Vec<&str> = Way::ALL.iter().map(|way| way.name()).collect();
            Failure::Asked(format!("--ways: nothing is called '{name}'; choose of: {}", all.join(", ")))
        })
    };
    match names {
        [] => Ok(Way::ALL.to_vec()),
        names => names.iter().map(known).collect(),
    }
}

fn row(tree: &str, query: &Query, way: Way, asked: Asked) -> PackRow {
    let mut seen = BTreeSet::new();
    let files: Vec<&str> = asked.files.iter().map(String::as_str).filter(|path| seen.insert(*path)).collect();
    let is_right = |path: &str| query.targets.iter().any(|target| target.names(path));
    let found = query.targets.iter().filter(|target| files.iter().any(|path| target.names(path))).count();
    let right = files.iter().filter(|path| is_right(path)).count();
    let answered = |path: &&str| {
        (0..query.targets.len()).filter(|at| query.targets[*at].names(path)).collect::<Vec<usize>>()
    };
    let answered: Vec<Vec<usize>> = files.iter().map(answered).collect();
    let answered: Vec<&[usize]> = answered.iter().map(Vec::as_slice).collect();
    let grades: Vec<u32> = query.targets.iter().map(|target| target.grade).collect();
    let scored = (0..)
        .zip(&files)
        .map(|(at, path): (usize, &&str)| (path.to_string(), asked.scores.get(at).copied(), is_right(path)));
    PackRow {
        tree: tree.to_string(),
        id: query.id.clone(),
        way: way.name(),
        budget: asked.budget,
        recall: found as f64 / query.targets.len() as f64,
        precision: if files.is_empty() { 0.0 } else { right as f64 / files.len() as f64 },
        ndcg: JudgedList::new(&answered, &grades).ndcg(FIRST_FILES),
        files: files.len(),
        tokens: asked.tokens,
        ms: asked.ms,
        edges: asked.edges,
        equal: asked.equal,
        digest: digest(&asked.bytes),
        collected: scored.collect(),
    }
}

fn digest(text: &str) -> String {
    Sha256::digest(text).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
