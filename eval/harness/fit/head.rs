//! The comment over a fitted profile: how it was made and what it was worth. It names sets and no folder of a machine,
//! so the same fit gives the same bytes anywhere.

use std::fmt::Write;

use spyhop::Profile;

use super::Args;
use super::held_out::lessons;
use super::question::Gathered;
use super::tables::{self, Judged};
use crate::record::Header;

/// The comment.
pub fn head(
    args: &Args,
    start: &Profile,
    gathered: &Gathered,
    n_features: usize,
    n_folds: usize,
    judged: &[Judged<'_>],
) -> String {
    let start = Header::new(start, Vec::new(), [0; 4]).profile;
    let taught = lessons(gathered.questions.iter()).len();
    let mut out = format!("# Fitted, not written: {}\n#\n", command(args, gathered));
    let _ = writeln!(
        out,
        "# {n_features} features, learned from {taught} of {} queries about {} trees; from the profile '{start}'.",
        gathered.questions.len(),
        gathered.trees.len(),
    );
    let first = args.seed;
    let last = first.wrapping_add(u64::from(args.seeds) - 1);
    let seeds =
        if first == last { format!("seed {first}") } else { format!("means of seeds {first} to {last}") };
    let _ = writeln!(out, "# NDCG@10 on repositories held out, {n_folds} folds, {seeds}:");
    for (name, figures) in tables::by_set(judged, args.seed) {
        let [before, after] = figures.of[0];
        let [low, high] = figures.interval;
        let _ = writeln!(
            out,
            "#   {name}: {} queries, {before:.4} -> {after:.4}, {:+.4} (95 % {low:+.4} to {high:+.4})",
            figures.queries,
            figures.difference(),
        );
    }
    out
}

/// The command without the places of this machine.
fn command(args: &Args, gathered: &Gathered) -> String {
    let mut sets: Vec<&str> = gathered.trees.iter().map(|tree| tree.set.as_str()).collect();
    sets.dedup();
    let mut out = format!("spyhop-eval fit {} --name {}", sets.join(" "), args.name);
    let _ = write!(
        out,
        " --folds {} --seed {} --seeds {} --strength {} --kinds {} --names {}",
        args.folds, args.seed, args.seeds, args.strength, args.kinds, args.names
    );
    let selection = &args.selection;
    let lists = [("--add", &args.add), ("--without", &args.without), ("--only", &selection.only)];
    for (option, names) in lists.into_iter().filter(|(_, names)| !names.is_empty()) {
        let _ = write!(out, " {option} {}", names.join(","));
    }
    for (option, value) in [("--kind", &selection.kind), ("--lang", &selection.lang)] {
        if let Some(value) = value {
            let _ = write!(out, " {option} {value}");
        }
    }
    out
}
