//! `spyhop-eval packs`: how much of what a task changes a context pack holds, beside a search.
//!
//! A query is a task, and its targets are the files that the task changes. Each way of collecting code is asked at each
//! budget and gives a set of files; recall and precision are those of the set. A figure is the mean over trees of the mean
//! over their tasks.

use spyhop::{Engine, PackRequest, PackStages};

use spyhop_base::judged::{JudgedList, mean_of_means};

use std::collections::BTreeSet;
use std::time::Instant;

use crate::failure::Failure;
use crate::measure::percentile;
use crate::run::call;
use crate::select::Selection;
use crate::sets::Query;
use crate::table::Table;

/// The files whose order NDCG judges.
const FIRST_FILES: usize = 10;
/// The files of a pack, at most.
const MAX_FILES: usize = 50;

/// Measure context packs: the set of files that each task changes, at several budgets of tokens
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    /// Budgets in tokens
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "2000,4000,8000,16000")]
    budgets: Vec<usize>,
}

/// The ways of collecting code: a pack, a pack without one of its stages, and the first hits of a search as whole units.
fn ways() -> [(&'static str, PackStages); 7] {
    let all = PackStages::default();
    [
        ("pack", all),
        ("without-goals", PackStages { goals: false, ..all }),
        ("without-regions", PackStages { regions: false, ..all }),
        ("without-graph", PackStages { graph: false, ..all }),
        ("without-backup", PackStages { backup: false, ..all }),
        ("without-prune", PackStages { prune: false, ..all }),
        ("search-units", PackStages::NONE),
    ]
}

/// The columns of figures, with the number of digits behind the point.
const FIGURES: [(&str, usize); 8] = [
    ("recall", 3),
    ("precision", 3),
    ("F1", 3),
    ("NDCG@10", 3),
    ("files", 1),
    ("tokens", 0),
    ("edges", 1),
    ("ms", 1),
];

/// The figures of one task in one way at one budget.
struct PackRow {
    tree: String,
    way: &'static str,
    budget: usize,
    figures: [f64; FIGURES.len()],
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let sets = args.selection.read()?;
    let mut rows = Vec::new();
    args.selection.each(&sets, |_, tree, opened| {
        for query in &tree.queries {
            for (way, stages) in ways() {
                for &budget in &args.budgets {
                    let figures = figures(&opened.engine, query, budget, stages)?;
                    rows.push(PackRow { tree: tree.name.clone(), way, budget, figures });
                }
            }
        }
        Ok(())
    })?;
    if rows.is_empty() {
        return Err(Failure::Asked("no tree is there".to_string()));
    }
    print!("{}", table(&rows, &args.budgets).printed());
    Ok(())
}

fn figures(
    engine: &Engine,
    query: &Query,
    budget: usize,
    stages: PackStages,
) -> Result<[f64; FIGURES.len()], Failure> {
    let request = PackRequest { budget, max_files: MAX_FILES, stages, ..PackRequest::new(&query.text) };
    let begun = Instant::now();
    let reply = engine.call(&request, &call())?;
    let ms = begun.elapsed().as_secs_f64() * 1e3;
    let mut seen = BTreeSet::new();
    let files = reply.files.iter().map(|file| file.path.as_str()).filter(|path| seen.insert(*path));
    let answered: Vec<Vec<usize>> = files
        .map(|path| (0..query.targets.len()).filter(|at| query.targets[*at].names(path)).collect())
        .collect();
    let found: BTreeSet<usize> = answered.iter().flatten().copied().collect();
    let right = answered.iter().filter(|targets| !targets.is_empty()).count();
    let recall = found.len() as f64 / query.targets.len() as f64;
    let precision = right as f64 / answered.len().max(1) as f64;
    let f1 = 2.0 * recall * precision / (recall + precision).max(f64::MIN_POSITIVE);
    let lists: Vec<&[usize]> = answered.iter().map(Vec::as_slice).collect();
    let grades: Vec<u32> = query.targets.iter().map(|target| target.grade).collect();
    let ndcg = JudgedList::new(&lists, &grades).ndcg(FIRST_FILES);
    let (tokens, edges) = (reply.tokens as f64, reply.record.edges as f64);
    Ok([recall, precision, f1, ndcg, answered.len() as f64, tokens, edges, ms])
}

fn table(rows: &[PackRow], budgets: &[usize]) -> Table {
    let mut head = vec!["way", "budget", "tasks"];
    head.extend(FIGURES.map(|(name, _)| name));
    head.push("p99 ms");
    let mut table = Table::new(&head);
    for &budget in budgets {
        for (way, _) in ways() {
            let of_way: Vec<&PackRow> =
                rows.iter().filter(|row| (row.budget, row.way) == (budget, way)).collect();
            let mut cells = vec![way.to_string(), budget.to_string(), of_way.len().to_string()];
            for (at, (_, digits)) in FIGURES.iter().enumerate() {
                let mean = mean_of_means(of_way.iter().map(|row| (&row.tree, row.figures[at])));
                cells.push(format!("{mean:.digits$}"));
            }
            let mut times: Vec<f64> = of_way.iter().map(|row| row.figures[FIGURES.len() - 1]).collect();
            times.sort_by(f64::total_cmp);
            cells.push(format!("{:.1}", percentile(&times, 0.99)));
            table.row(cells);
        }
    }
    table
}
