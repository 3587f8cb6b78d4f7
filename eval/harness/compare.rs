//! `spyhop-eval compare`: two runs over the same queries, and whether what differs is more than chance.
//!
//! The difference is that of the averages, B minus A, over the queries that both runs have. Its interval is that of a
//! paired bootstrap (Efron 1979; in two levels, because questions about one tree are alike): trees are drawn with
//! replacement, then queries of each. The p-value is that of a paired randomisation test (Fisher 1935): how often signs
//! thrown at random make a difference as large. Both draw from wyrand, seeded, so the same runs give the same figures.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use fastrand::Rng;
use spyhop_base::judged::{mean, mean_of_means};

use crate::failure::Failure;
use crate::measure::{Measures, percentile};
use crate::record::{QueryRow, Run};
use crate::table::Table;

/// Differences below this are none: they come from the order of additions.
const TIE: f64 = 1e-9;

/// Compare two run files: wins and losses, the difference with its interval, and the queries that moved most
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The run to start from
    #[arg(value_name = "A.jsonl")]
    a: PathBuf,
    /// The run to compare with it
    #[arg(value_name = "B.jsonl")]
    b: PathBuf,
    /// The compared builds, sets or profiles
    #[arg(long, value_name = "M", default_value = "ndcg")]
    measure: Measure,
    /// The first hits that are looked at; as in A unless given
    #[arg(short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=50))]
    k: Option<u16>,
    /// Seed of the draws
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many draws the interval and the p-value are made of
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..))]
    draws: u32,
    /// How many of the queries that moved most are listed
    #[arg(long, value_name = "N", default_value_t = 10)]
    most: usize,
}

/// A measure that two runs are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Measure {
    Ndcg,
    Mrr,
    Map,
    Recall,
    Success,
    /// Tokens that are read until the first answer; fewer are better
    Tokens,
}

impl Measure {
    /// Its value.
    pub fn of(self, measures: &Measures) -> f64 {
        match self {
            Measure::Ndcg => measures.ndcg,
            Measure::Mrr => measures.reciprocal_rank,
            Measure::Map => measures.average_precision,
            Measure::Recall => measures.recall,
            Measure::Success => measures.success,
            Measure::Tokens => measures.tokens,
        }
    }

    /// Its name, with what it looks at.
    pub fn name(self, k: usize) -> String {
        match self {
            Measure::Ndcg => format!("NDCG@{k}"),
            Measure::Mrr => format!("MRR@{k}"),
            Measure::Map => "MAP".to_string(),
            Measure::Recall => format!("recall@{k}"),
            Measure::Success => "success@1".to_string(),
            Measure::Tokens => "tokens".to_string(),
        }
    }

    /// 1 where more is better, else -1.
    fn sign(self) -> f64 {
        if self == Measure::Tokens { -1.0 } else { 1.0 }
    }
}

/// A query in both runs.
struct Pair<'r> {
    a: &'r QueryRow,
    b: &'r QueryRow,
    /// The values.
    values: [f64; 2],
}

impl Pair<'_> {
    fn difference(&self) -> f64 {
        self.values[1] - self.values[0]
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let (a, b) = (Run::read(&args.a)?, Run::read(&args.b)?);
    let k = args.k.map_or(a.header.k, usize::from);
    let pairs = pairs(&a, &b, args.measure, k);
    if pairs.is_empty() {
        return Err(Failure::Asked("the runs have no query in common".to_string()));
    }
    let [alone_a, alone_b] = [&a, &b].map(|run| run.queries.len() - pairs.len());
    println!(
        "A {}: {} · {} queries, {alone_a} of them only there",
        args.a.display(),
        a.header.profile,
        a.queries.len()
    );
    println!(
        "B {}: {} · {} queries, {alone_b} of them only there\n",
        args.b.display(),
        b.header.profile,
        b.queries.len()
    );
    println!("{}", tested(&pairs, args, k).printed());
    println!("{}", by_tree(&pairs, args.measure).printed());
    print!("{}", moved(pairs, args.measure, args.most));
    Ok(())
}

fn pairs<'r>(a: &'r Run, b: &'r Run, measure: Measure, k: usize) -> Vec<Pair<'r>> {
    let key = |row: &'r QueryRow| (row.set.as_str(), row.id.as_str());
    let others: HashMap<_, _> = b.queries.iter().map(|row| (key(row), row)).collect();
    let pair = |a: &'r QueryRow| {
        let b = *others.get(&key(a))?;
        (a.query == b.query && a.targets == b.targets).then(|| {
            let values = [a, b].map(|row| measure.of(&row.measures(k)));
            Pair { a, b, values }
        })
    };
    a.queries.iter().filter_map(pair).collect()
}

/// Wins, losses and ties of B.
fn tally(pairs: &[&Pair<'_>], measure: Measure) -> [usize; 3] {
    let better = |pair: &&&Pair<'_>| measure.sign() * pair.difference() > TIE;
    let worse = |pair: &&&Pair<'_>| measure.sign() * pair.difference() < -TIE;
    let (wins, losses) = (pairs.iter().filter(better).count(), pairs.iter().filter(worse).count());
    [wins, losses, pairs.len() - wins - losses]
}

/// The averages of both runs, and the difference.
fn averages(pairs: &[&Pair<'_>]) -> [f64; 3] {
    let [a, b] = [0, 1].map(|run| mean_of_means(pairs.iter().map(|pair| (pair.a.group(), pair.values[run]))));
    [a, b, b - a]
}

/// All and each kind, with interval and p-value.
fn tested(pairs: &[Pair<'_>], args: &Args, k: usize) -> Table {
    let name = args.measure.name(k);
    let head =
        [name.as_str(), "queries", "A", "B", "B - A", "95 % from", "to", "p", "wins", "losses", "ties"];
    let mut table = Table::new(&head);
    let mut kinds: BTreeMap<&str, Vec<&Pair<'_>>> = BTreeMap::new();
    for pair in pairs {
        kinds.entry(&pair.a.kind).or_default().push(pair);
    }
    let all = ("all", pairs.iter().collect());
    for (label, pairs) in std::iter::once(all).chain(kinds) {
        let groups = groups(&pairs);
        let [low, high] = interval(&groups, args.seed, args.draws);
        let [wins, losses, ties] = tally(&pairs, args.measure);
        let mut cells = vec![label.to_string(), pairs.len().to_string()];
        cells.extend(averages(&pairs)[..2].iter().map(|value| format!("{value:.4}")));
        cells.extend([averages(&pairs)[2], low, high].iter().map(|value| format!("{value:+.4}")));
        cells.push(format!("{:.4}", p_value(&groups, args.seed, args.draws)));
        cells.extend([wins, losses, ties].iter().map(usize::to_string));
        table.row(cells);
    }
    table
}

fn by_tree(pairs: &[Pair<'_>], measure: Measure) -> Table {
    let mut table = Table::new(&["tree", "queries", "A", "B", "B - A", "wins", "losses", "ties"]);
    let mut trees: BTreeMap<(&str, &str), Vec<&Pair<'_>>> = BTreeMap::new();
    for pair in pairs {
        trees.entry(pair.a.group()).or_default().push(pair);
    }
    for ((_, tree), pairs) in trees {
        let [a, b, difference] = averages(&pairs);
        let mut cells = vec![tree.to_string(), pairs.len().to_string()];
        cells.extend([format!("{a:.4}"), format!("{b:.4}"), format!("{difference:+.4}")]);
        cells.extend(tally(&pairs, measure).iter().map(usize::to_string));
        table.row(cells);
    }
    table
}

/// The queries with the largest differences, both ways, in order of size, then of id.
fn moved(mut pairs: Vec<Pair<'_>>, measure: Measure, most: usize) -> String {
    pairs.retain(|pair| pair.difference().abs() > TIE);
    pairs.sort_by(|one, other| {
        let size = |pair: &Pair<'_>| pair.difference().abs();
        size(other).total_cmp(&size(one)).then_with(|| one.a.id.cmp(&other.a.id))
    });
    let mut out = String::new();
    for pair in pairs.iter().take(most) {
        let word = if measure.sign() * pair.difference() > 0.0 { "better" } else { "worse " };
        out += &format!(
            "{word} {:+.3} {}: {}\n       ranks {} -> {}\n",
            pair.difference(),
            pair.a.id,
            pair.a.query,
            pair.a.ranks(),
            pair.b.ranks()
        );
    }
    out
}

/// The differences, by tree.
fn groups(pairs: &[&Pair<'_>]) -> Vec<Vec<f64>> {
    let mut groups: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    for pair in pairs {
        groups.entry(pair.a.group()).or_default().push(pair.difference());
    }
    groups.into_values().collect()
}

/// The 95 % interval of the mean of means, by percentiles of a bootstrap over groups and their values.
pub fn interval(groups: &[Vec<f64>], seed: u64, draws: u32) -> [f64; 2] {
    let mut rng = Rng::with_seed(seed);
    let mut means: Vec<f64> = (0..draws)
        .map(|_| {
            mean((0..groups.len()).map(|_| {
                let group = &groups[rng.usize(..groups.len())];
                let sum: f64 = (0..group.len()).map(|_| group[rng.usize(..group.len())]).sum();
                sum / group.len() as f64
            }))
        })
        .collect();
    means.sort_by(f64::total_cmp);
    [percentile(&means, 0.025), percentile(&means, 0.975)]
}

/// How often random signs make a mean of means at least as far from 0; two-sided, the outcome itself counted in.
fn p_value(groups: &[Vec<f64>], seed: u64, draws: u32) -> f64 {
    let actual = mean(groups.iter().map(|group| mean(group.iter().copied()))).abs();
    let mut rng = Rng::with_seed(seed);
    let as_far = (0..draws).filter(|_| {
        let thrown = mean(
            groups
                .iter()
                .map(|group| mean(group.iter().map(|value| if rng.bool() { *value } else { -value }))),
        );
        thrown.abs() >= actual - TIE
    });
    (as_far.count() + 1) as f64 / (f64::from(draws) + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_difference_has_no_width_and_is_no_chance() {
        let groups = vec![vec![0.5; 8], vec![0.5; 4]];
        assert_eq!(interval(&groups, 1, 1_000), [0.5, 0.5]);
        // Of 2^12 ways to throw signs, two are as far from 0.
        assert!(p_value(&groups, 1, 10_000) < 0.002);
    }

    #[test]
    fn no_difference_is_all_chance() {
        assert_eq!(p_value(&[vec![0.0; 5]], 1, 1_000), 1.0);
        assert_eq!(interval(&[vec![0.0; 5]], 1, 1_000), [0.0, 0.0]);
    }

    #[test]
    fn two_values_of_one_sign_are_as_far_in_half_of_the_throws() {
        let p = p_value(&[vec![1.0, 1.0]], 7, 100_000);
        assert!((p - 0.5).abs() < 0.01, "{p}");
    }

    #[test]
    fn the_interval_is_that_of_the_normal_law_for_many_values() {
        // 400 values of 0 and 1 in equal shares: the mean's deviation is 0.5 / 20, times 1.96.
        let values: Vec<f64> = (0..400).map(|at| f64::from(at % 2)).collect();
        let [low, high] = interval(&[values], 3, 20_000);
        assert!((low - 0.451).abs() < 0.005 && (high - 0.549).abs() < 0.005, "{low} {high}");
    }

    #[test]
    fn trees_are_drawn_as_well() {
        // Two trees that disagree: with one draw in four, only one of them is looked at.
        let groups = vec![vec![0.0; 100], vec![1.0; 100]];
        assert_eq!(interval(&groups, 1, 10_000), [0.0, 1.0]);
    }

    #[test]
    fn the_same_seed_gives_the_same_figures() {
        let groups = vec![vec![0.1, -0.4, 0.3], vec![0.2, 0.0]];
        assert_eq!(interval(&groups, 5, 1_000), interval(&groups, 5, 1_000));
        assert_eq!(p_value(&groups, 5, 1_000), p_value(&groups, 5, 1_000));
    }
}
