//! The results of a fit on repositories held out, as a table and as the comment over the fitted profile. The comment names
//! sets and no folder of a machine, so the same fit gives the same bytes anywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use spyhop::Profile;
use spyhop_base::judged::{mean, mean_of_means};

use super::held_out::{Held, lessons};
use super::question::{Gathered, Question};
use super::{Args, K};
use crate::compare::interval;
use crate::record::Header;
use crate::table::Table;

/// How many draws an interval is made of.
const DRAWS: u32 = 10_000;

/// The NDCG of some queries.
pub struct Figures {
    queries: usize,
    before: f64,
    after: f64,
    interval: [f64; 2],
}

impl Figures {
    /// Of queries with their NDCG as the start orders them, and held out.
    fn of(judged: &[(&Question, f64, f64)], seed: u64) -> Figures {
        let average = |of: fn(&(&Question, f64, f64)) -> f64| {
            mean_of_means(judged.iter().map(|judged| (judged.0.group(), of(judged))))
        };
        let mut groups: BTreeMap<_, Vec<f64>> = BTreeMap::new();
        for (question, before, after) in judged {
            groups.entry(question.group()).or_default().push(after - before);
        }
        let groups: Vec<Vec<f64>> = groups.into_values().collect();
        Figures {
            queries: judged.len(),
            before: average(|judged| judged.1),
            after: average(|judged| judged.2),
            interval: interval(&groups, seed, DRAWS),
        }
    }
}

/// The figures of each set in order of name, then of all.
pub fn by_set(questions: &[Question], trials: &[Vec<Held>], seed: u64) -> Vec<(String, Figures)> {
    let judge = |(at, question): (usize, _)| {
        let question: &Question = question;
        let held = trials.iter().map(|trial| question.ndcg(trial[at].iter().map(|(file, _)| *file), K));
        (question, question.ndcg(0..question.paths.len(), K), mean(held))
    };
    let judged: Vec<(&Question, f64, f64)> = questions.iter().enumerate().map(judge).collect();
    let sets: BTreeSet<&str> = questions.iter().map(|question| question.set.as_str()).collect();
    let of_set = |set: &str| {
        let of_set: Vec<_> = judged.iter().filter(|judged| judged.0.set == set).copied().collect();
        (set.to_string(), Figures::of(&of_set, seed))
    };
    let mut figures: Vec<(String, Figures)> = sets.into_iter().map(of_set).collect();
    figures.push(("all".to_string(), Figures::of(&judged, seed)));
    figures
}

/// The table of these figures.
pub fn table(by_set: &[(String, Figures)]) -> Table {
    let ndcg = format!("NDCG@{K} start");
    let mut table = Table::new(&["set", "queries", &ndcg, "held out", "difference", "95 % from", "to"]);
    for (set, of) in by_set {
        let [low, high] = of.interval;
        let mut cells = vec![set.clone(), of.queries.to_string()];
        cells.extend([of.before, of.after].map(|value| format!("{value:.4}")));
        cells.extend([of.after - of.before, low, high].map(|value| format!("{value:+.4}")));
        table.row(cells);
    }
    table
}

/// The comment.
pub fn head(
    args: &Args,
    start: &Profile,
    gathered: &Gathered,
    n_features: usize,
    n_folds: usize,
    by_set: &[(String, Figures)],
) -> String {
    let start = Header::new(start, Vec::new(), [0; 4]).profile;
    let taught = lessons(gathered.questions.iter()).len();
    let mut out = format!("# Fitted, not written: {}\n#\n", command(args, gathered));
    let _ = writeln!(
        out,
        "# {n_features} features, learned from {taught} of {} queries about {} trees; from the profile '{start}'.",
        gathered.questions.len(),
        gathered.n_trees,
    );
    let first = args.seed;
    let last = first.wrapping_add(u64::from(args.seeds) - 1);
    let seeds =
        if first == last { format!("seed {first}") } else { format!("means of seeds {first} to {last}") };
    let _ = writeln!(out, "# NDCG@10 on repositories held out, {n_folds} folds, {seeds}:");
    for (name, Figures { queries, before, after, interval: [low, high] }) in by_set {
        let difference = after - before;
        let _ = writeln!(
            out,
            "#   {name}: {queries} queries, {before:.4} -> {after:.4}, {difference:+.4} (95 % {low:+.4} to {high:+.4})",
        );
    }
    out
}

/// The command without the folders of this machine.
fn command(args: &Args, gathered: &Gathered) -> String {
    let mut out = format!("spyhop-eval fit {} --name {}", gathered.sets.join(" "), args.name);
    let _ = write!(
        out,
        " --folds {} --seed {} --seeds {} --strength {} --kinds {} --names {}",
        args.folds, args.seed, args.seeds, args.strength, args.kinds, args.names
    );
    let selection = &args.selection;
    if !selection.only.is_empty() {
        let _ = write!(out, " --only {}", selection.only.join(","));
    }
    for (option, value) in [("--kind", &selection.kind), ("--lang", &selection.lang)] {
        if let Some(value) = value {
            let _ = write!(out, " {option} {value}");
        }
    }
    out
}
