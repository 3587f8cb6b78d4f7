//! A run in tables: the averages overall, by kind, by language, by tree, and what the indexes cost.
//!
//! An average is the mean over trees of the means over their queries, so that a tree counts the same with few questions
//! as with many. Percentiles of latency are over the queries.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use spyhop_base::judged::mean_of_means;

use crate::measure::{Measures, PlaceMeasures, percentile};
use crate::record::{QueryRow, Run, TreeRow};
use crate::table::Table;

/// The averages of some queries.
#[derive(Clone, Debug, PartialEq)]
pub struct Averages {
    /// How many queries.
    pub queries: usize,
    /// The means.
    pub measures: Measures,
    /// Latency that half, nine tenths and 99 hundredths of the queries do not exceed, in milliseconds.
    pub ms: [f64; 3],
}

impl Averages {
    /// Of `rows`, with measures at `k`.
    pub fn of(rows: &[&QueryRow], k: usize) -> Averages {
        let measured: Vec<_> = rows.iter().map(|row| (row.group(), row.measures(k))).collect();
        let average = |measure: fn(&Measures) -> f64| {
            mean_of_means(measured.iter().map(|(group, measures)| (*group, measure(measures))))
        };
        let mut ms: Vec<f64> = rows.iter().map(|row| row.ms).collect();
        ms.sort_by(f64::total_cmp);
        Averages {
            queries: rows.len(),
            measures: Measures {
                ndcg: average(|of| of.ndcg),
                reciprocal_rank: average(|of| of.reciprocal_rank),
                average_precision: average(|of| of.average_precision),
                recall: average(|of| of.recall),
                success: average(|of| of.success),
                tokens: average(|of| of.tokens),
            },
            ms: [0.5, 0.9, 0.99].map(|share| percentile(&ms, share)),
        }
    }

    fn cells(&self, label: &str) -> Vec<String> {
        let of = &self.measures;
        let mut cells = vec![label.to_string(), self.queries.to_string()];
        for value in [of.ndcg, of.reciprocal_rank, of.average_precision, of.recall, of.success] {
            cells.push(format!("{value:.3}"));
        }
        cells.push(format!("{:.0}", of.tokens));
        cells.extend(self.ms.iter().map(|ms| format!("{ms:.2}")));
        cells
    }
}

/// All tables of a run.
pub fn run(run: &Run) -> String {
    let mut out = String::new();
    let sets: BTreeSet<&str> = run.queries.iter().map(|row| row.set.as_str()).collect();
    let several = sets.len() > 1;
    let overall = |row: &QueryRow| row.set.clone();
    let of_tree =
        |row: &QueryRow| if several { format!("{}/{}", row.set, row.tree) } else { row.tree.clone() };
    section(&mut out, run, "set", overall, several);
    section(&mut out, run, "kind", |row| row.kind.clone(), false);
    section(&mut out, run, "language", |row| row.language.clone(), false);
    section(&mut out, run, "tree", of_tree, false);
    let places = places(run, several);
    if !places.is_empty() {
        let _ = writeln!(out, "{places}");
    }
    let _ = writeln!(out, "{}", indexes(&run.trees));
    if !run.header.missing.is_empty() {
        let _ = writeln!(out, "left out, not there: {}", run.header.missing.join(", "));
    }
    out
}

/// The `most` queries with the lowest NDCG of those that are not perfect, with the ranks of their targets.
pub fn worst(run: &Run, most: usize) -> String {
    let k = run.header.k;
    let mut rows: Vec<(f64, &QueryRow)> =
        run.queries.iter().map(|row| (row.measures(k).ndcg, row)).filter(|(ndcg, _)| *ndcg < 1.0).collect();
    rows.sort_by(|one, other| one.0.total_cmp(&other.0)); // stable: equal ones stay in order
    let mut out = String::new();
    for (ndcg, row) in rows.iter().take(most) {
        let _ = writeln!(out, "{ndcg:.3} {}: {}\n      ranks {}", row.id, row.query, row.ranks());
    }
    out
}

/// A table with a row for each value of `label`, in order of name, and for everything when `all`.
fn section(out: &mut String, run: &Run, name: &str, label: impl Fn(&QueryRow) -> String, all: bool) {
    let k = run.header.k;
    let mut table = Table::new(&[
        name,
        "queries",
        &format!("NDCG@{k}"),
        &format!("MRR@{k}"),
        &format!("MAP@{}", run.header.depth),
        &format!("recall@{k}"),
        "success@1",
        "tokens",
        "p50 ms",
        "p90 ms",
        "p99 ms",
    ]);
    let mut groups: BTreeMap<String, Vec<&QueryRow>> = BTreeMap::new();
    for row in &run.queries {
        groups.entry(label(row)).or_default().push(row);
    }
    for (label, rows) in &groups {
        table.row(Averages::of(rows, k).cells(label));
    }
    if all {
        let rows: Vec<&QueryRow> = run.queries.iter().collect();
        table.row(Averages::of(&rows, k).cells("all"));
    }
    let _ = writeln!(out, "{}", table.printed());
}

/// The measures of places, by set and kind, of the queries whose sets name places; nothing where none does.
fn places(run: &Run, several: bool) -> String {
    let k = run.header.k;
    let mut groups: BTreeMap<String, Vec<(&QueryRow, PlaceMeasures)>> = BTreeMap::new();
    for row in &run.queries {
        let Some(measures) = row.place_measures(k) else { continue };
        let set = if several { "all" } else { row.set.as_str() };
        for label in [set.to_string(), format!("{}: {}", row.set, row.kind)] {
            groups.entry(label).or_default().push((row, measures));
        }
    }
    let ndcg = format!("NDCG@{k}");
    let head =
        ["places", "queries", "place@1", "place@5", &ndcg, "MRR", "shown@1", "shown@5", "all@5", "all@10"];
    let mut table = Table::new(&head);
    for (label, rows) in &groups {
        let average = |of: fn(&PlaceMeasures) -> f64| {
            let mean = mean_of_means(rows.iter().map(|(row, measures)| (row.group(), of(measures))));
            format!("{mean:.3}")
        };
        table.row(vec![
            label.clone(),
            rows.len().to_string(),
            average(|of| of.place_1),
            average(|of| of.place_5),
            average(|of| of.ndcg),
            average(|of| of.reciprocal_rank),
            average(|of| of.shown_1),
            average(|of| of.shown_5),
            average(|of| of.all_5),
            average(|of| of.all_10),
        ]);
    }
    if groups.is_empty() { String::new() } else { table.printed() }
}

/// The cost of the indexes.
fn indexes(trees: &[TreeRow]) -> String {
    let head =
        ["index of", "files", "parsed", "chunks", "source MB", "index MB", "index/source", "s", "MB/s"];
    let mut table = Table::new(&head);
    for row in trees {
        table.row(cost(&row.folder, std::slice::from_ref(row)));
    }
    table.row(cost("all", trees));
    table.printed()
}

fn cost(label: &str, rows: &[TreeRow]) -> Vec<String> {
    let mb = |bytes: u64| bytes as f64 / 1e6;
    let sum = |of: fn(&TreeRow) -> usize| rows.iter().map(of).sum::<usize>().to_string();
    let source = mb(rows.iter().map(|row| row.source_bytes).sum());
    let index = mb(rows.iter().map(|row| row.index_bytes).sum());
    let seconds = rows.iter().map(|row| row.index_ms).sum::<f64>() / 1e3;
    let over = |a: f64, b: f64| if b > 0.0 { format!("{:.2}", a / b) } else { "-".to_string() };
    // What was not parsed was not indexed in that time.
    let anew = rows.iter().all(|row| row.parsed >= row.files);
    vec![
        label.to_string(),
        sum(|row| row.files),
        sum(|row| row.parsed),
        sum(|row| row.chunks),
        format!("{source:.2}"),
        format!("{index:.2}"),
        over(index, source),
        format!("{seconds:.2}"),
        if anew { over(source, seconds) } else { "-".to_string() },
    ]
}
