//! `spyhop-eval fit`: learns the weights of a ranking profile, judges them on repositories held out, and scales them to
//! log-odds.
//!
//! What is ordered is the head that the engine rescores, a file once, so figures differ a little from those of `run`,
//! whose lists hold several places of a file. Which files are in the head depends on fusion, not on weights, so nothing
//! has to be asked twice.

mod calibration;
pub mod descent;
mod feature;
pub mod held_out;
mod model;
mod names;
pub mod question;
mod report;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use spyhop::{Feature, Profile, QueryKind, Signal, Transform};

use self::calibration::{Line, Point};
use self::held_out::{Held, held_out, lessons};
use self::model::{Restraint, SHAPES, Weights, learned};
use self::question::{Gathered, Question, gathered};
use crate::failure::Failure;
use crate::select::Selection;

/// The number of first files that measures and calibration use.
const K: usize = 10;

/// Learn the weights of a ranking profile from query sets, and judge them on repositories held out
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    /// Write the profile here
    #[arg(long, value_name = "FILE.toml")]
    out: PathBuf,
    /// Call the profile so
    #[arg(long, value_name = "NAME", default_value = "fitted")]
    name: String,
    /// Hold repositories out in N parts
    #[arg(long, value_name = "N", default_value = "8", value_parser = clap::value_parser!(u16).range(2..))]
    folds: u16,
    /// Seed of the shuffle that deals repositories out
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Deal out N times, each with the next seed; figures are the means
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=100))]
    seeds: u16,
    /// How far weights may go
    #[arg(long, value_name = "C", default_value = "0.1", value_parser = positive)]
    strength: f64,
    /// How far the weights of a shape of query may be from the common ones
    #[arg(long, value_name = "C", default_value = "1.5", value_parser = positive)]
    kinds: f64,
    /// Ask for N names that each repository defines, too: sets rarely ask for names that no file has
    #[arg(long, value_name = "N", default_value_t = 60)]
    names: u16,
}

pub fn positive(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "choose a number above 0".to_string())?;
    if value.is_finite() && value > 0.0 { Ok(value) } else { Err("choose a number above 0".to_string()) }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let start = args.selection.profile()?;
    let features = feature::weighed(&start);
    let restraint = Restraint { strength: args.strength, kinds: args.kinds };
    let gathered = gathered(&args.selection, &start, &features, args.names.into(), args.seed)?;
    let n_folds = usize::from(args.folds).min(repositories(&gathered)?);
    let questions = &gathered.questions;
    let seeds = (0..args.seeds).map(|at| args.seed.wrapping_add(u64::from(at)));
    let trials: Vec<Vec<Held>> =
        seeds.map(|seed| held_out(questions, &features, restraint, n_folds, seed)).collect();
    // The lists of the first trial are calibrated.
    let lines = calibration::lines(&points(questions, &trials[0]));
    let weights = learned(&lessons(questions.iter()), &features, restraint);
    let profile = profile(&start, &args.name, &features, &weights, &lines);
    let by_set = report::by_set(questions, &trials, args.seed);
    let head = report::head(args, &start, &gathered, features.len(), n_folds, &by_set);
    fs::write(&args.out, format!("{head}\n{}", profile.to_toml())).map_err(Failure::write(&args.out))?;
    print!("{}", report::table(&by_set).printed());
    Ok(())
}

/// How many repositories there are; fewer than two cannot be held out, and without a lesson nothing is learned.
fn repositories(gathered: &Gathered) -> Result<usize, Failure> {
    let questions = &gathered.questions;
    if questions.is_empty() {
        let text = format!("no tree is there; missing: {}", gathered.missing.join(", "));
        return Err(Failure::Asked(text));
    }
    let repositories: BTreeSet<&str> = questions.iter().map(Question::repository).collect();
    if repositories.len() < 2 {
        let text = "weights are judged on repositories held out; give two or more";
        return Err(Failure::Asked(text.to_string()));
    }
    if lessons(questions.iter()).is_empty() {
        let text = "nothing can be learned: no query has an answer and something else among its first files";
        return Err(Failure::Asked(text.to_string()));
    }
    Ok(repositories.len())
}

/// The first files of each query as they stand under the weights of other folds.
fn points(questions: &[Question], trial: &[Held]) -> Vec<Point> {
    let points = |(query, (question, held)): (usize, (&Question, &Held))| {
        let point = |&(at, sum): &(usize, f64)| {
            let right = !question.answered[at].is_empty();
            Point { shape: question.shape, query, sum, right }
        };
        held.iter().take(K).map(point).collect::<Vec<_>>()
    };
    questions.iter().zip(trial).enumerate().flat_map(points).collect()
}

/// The start with what was learned, in log-odds. Session and sibling stay, what was left out weighs nothing. Weights are
/// those that are written, with four decimals, so that what is printed is what the file says.
fn profile(
    start: &Profile,
    name: &str,
    features: &[Feature],
    weights: &Weights,
    lines: &[Line; SHAPES],
) -> Profile {
    let mut profile = start.clone();
    profile.name = name.to_string();
    // Lines that were learned under other weights say nothing of these.
    profile.scores = spyhop::ScoreCalibration::UNCALIBRATED;
    let base = Transform::ALL.map(|transform| Feature { signal: Signal::Base, transform });
    feature::learnable().chain(base).for_each(|feature| profile.set_weight(None, feature, 0.0));
    for kind in QueryKind::ALL {
        let line = lines[kind as usize];
        for (feature, weight) in features.iter().zip(&weights.of[kind as usize]) {
            profile.set_weight(Some(kind), *feature, written(line.a * weight));
        }
        for feature in feature::weighed_alone() {
            let weight = f64::from(start.weight(kind, feature));
            profile.set_weight(Some(kind), feature, written(line.a * weight));
        }
        profile.set_weight(Some(kind), base[Transform::Value as usize], written(line.b));
    }
    profile
}

/// A weight of four decimals; 0 has no sign.
fn written(weight: f64) -> f32 {
    ((weight * 1e4).round() / 1e4) as f32 + 0.0
}
