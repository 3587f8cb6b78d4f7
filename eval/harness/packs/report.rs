//! The tables of `spyhop-eval packs`. A figure is the mean over trees of the mean over their tasks.

use std::collections::{BTreeMap, BTreeSet};

use spyhop::judged::mean;

use super::PackRow;
use super::ways::Way;
use crate::measure::percentile;
use crate::table::Table;

/// The tables of all repositories and of each fold, and the latency.
pub fn tables(rows: &[PackRow], ways: &[Way], budgets: &[usize], folds: usize) -> String {
    let of_all: Vec<&PackRow> = rows.iter().collect();
    let mut out = format!("{} tasks\n\n{}", tasks(&of_all), table(&of_all, ways, budgets));
    let names: BTreeSet<&str> = rows.iter().map(|row| repository(&row.tree)).collect();
    let fold_of: BTreeMap<&str, usize> = names.iter().copied().zip((0..folds).cycle()).collect();
    for fold in (0..folds).filter(|_| folds > 1) {
        let is_inside = |row: &&PackRow| fold_of[repository(&row.tree)] == fold;
        let inside: Vec<&PackRow> = rows.iter().filter(is_inside).collect();
        let table = table(&inside, ways, budgets);
        out.push_str(&format!("\nfold {}, {} tasks\n\n{table}", fold + 1, tasks(&inside)));
    }
    out.push_str(&format!("\n{}", latency(rows, ways)));
    let unequal = rows.iter().filter(|row| !row.equal).count();
    out.push_str(&format!("\npacks whose repetitions differ: {unequal}\n"));
    out
}

/// The name of the repository: revisions of one repository are in one fold.
fn repository(tree: &str) -> &str {
    tree.split('@').next().unwrap_or(tree)
}

fn tasks(rows: &[&PackRow]) -> usize {
    rows.iter().map(|row| (&row.tree, &row.id)).collect::<BTreeSet<_>>().len()
}

fn table(rows: &[&PackRow], ways: &[Way], budgets: &[usize]) -> String {
    let mut table =
        Table::new(&["way", "budget", "recall", "precision", "F1", "NDCG@10", "files", "tokens", "edges"]);
    for &budget in budgets {
        for way in ways {
            let own: Vec<&PackRow> =
                rows.iter().copied().filter(|row| row.budget == budget && row.way == way.name()).collect();
            let figure = |of: &dyn Fn(&PackRow) -> f64| by_tree(&own, of);
            table.row(vec![
                way.name().to_string(),
                budget.to_string(),
                format!("{:.3}", figure(&|row| row.recall)),
                format!("{:.3}", figure(&|row| row.precision)),
                format!("{:.3}", figure(&PackRow::f1)),
                format!("{:.3}", figure(&|row| row.ndcg)),
                format!("{:.1}", figure(&|row| row.files as f64)),
                format!("{:.0}", figure(&|row| row.tokens as f64)),
                format!("{:.1}", figure(&|row| row.edges as f64)),
            ]);
        }
    }
    table.printed()
}

fn by_tree(rows: &[&PackRow], of: &dyn Fn(&PackRow) -> f64) -> f64 {
    let mut trees: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for row in rows {
        trees.entry(&row.tree).or_default().push(of(row));
    }
    mean(trees.values().map(|figures| mean(figures.iter().copied())))
}

fn latency(rows: &[PackRow], ways: &[Way]) -> String {
    let mut table = Table::new(&["latency", "p50 ms", "p90 ms", "p99 ms"]);
    for way in ways {
        let mut times: Vec<f64> = rows.iter().filter(|row| row.way == way.name()).map(|row| row.ms).collect();
        times.sort_by(f64::total_cmp);
        let shown = [0.5, 0.9, 0.99].map(|share| format!("{:.1}", percentile(&times, share)));
        table.row([vec![way.name().to_string()], shown.to_vec()].concat());
    }
    table.printed()
}
