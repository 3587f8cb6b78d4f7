//! `spyhop-eval fit`: learns the weights of a ranking profile, judges them on repositories held out, and calibrates the
//! score that is shown.
//!
//! What is ordered is the head that the engine rescores, a file once, so figures differ a little from those of `run`,
//! whose lists hold several places of a file. Which files are in the head depends on fusion, not on weights, so nothing
//! has to be asked twice.

mod calibration;
pub mod descent;
mod feature;
mod head;
pub mod held_out;
mod model;
mod names;
pub mod question;
mod tables;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use spyhop::{Feature, Profile, QueryKind, Signal, Transform};

use self::calibration::{Line, Point};
use self::held_out::{Held, held_out, lessons};
use self::model::{Restraint, SHAPES, Weights, learned};
use self::question::{Gathered, Names, Question, gathered, logistic};
use crate::failure::Failure;
use crate::record::{Header, QueryRow, Run};
use crate::select::Selection;

/// Measures look at so many first files, and so many are calibrated.
const K: usize = 10;

/// Run files hold so many files a query.
const DEPTH: usize = 50;

/// Learn the weights of a ranking profile from query sets, and judge them on repositories held out
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    /// Write the profile here
    #[arg(long, value_name = "FILE.toml")]
    out: PathBuf,
    /// Call the profile so
    #[arg(long, value_name = "NAME", default_value = "fitted", value_parser = one_line)]
    name: String,
    /// Hold repositories out in so many parts
    #[arg(long, value_name = "N", default_value = "8", value_parser = clap::value_parser!(u16).range(2..))]
    folds: u16,
    /// Seed of the shuffle that deals repositories out
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Deal out so many times, each with the next seed; tables have the means
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=100))]
    seeds: u16,
    /// How far weights may go
    #[arg(long, value_name = "C", default_value = "0.1", value_parser = positive)]
    strength: f64,
    /// How far the weights of a shape of query may be from the common ones
    #[arg(long, value_name = "C", default_value = "1.5", value_parser = positive)]
    kinds: f64,
    /// Ask for so many names that each repository defines, too: sets ask for few that no file is called after
    #[arg(long, value_name = "N", default_value_t = 60)]
    names: u16,
    /// Features to leave out, such as `lexical.rank`; a signal stands for all its transforms
    #[arg(long, value_name = "FEATURE", value_delimiter = ',')]
    without: Vec<String>,
    /// Features to learn beside those that the start weighs; a signal stands for all its transforms, `all` for everything
    #[arg(long, value_name = "FEATURE", value_delimiter = ',')]
    add: Vec<String>,
    /// Write two run files here, start.jsonl and held-out.jsonl, for compare
    #[arg(long, value_name = "DIR")]
    runs: Option<PathBuf>,
}

pub fn positive(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "choose a number above 0".to_string())?;
    if value.is_finite() && value > 0.0 { Ok(value) } else { Err("choose a number above 0".to_string()) }
}

/// The name stands in a comment as well.
fn one_line(text: &str) -> Result<String, String> {
    if text.is_empty() || text.contains(char::is_control) {
        return Err("choose a name without line breaks".to_string());
    }
    Ok(text.to_string())
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let sets = args.selection.read()?;
    let places = args.selection.places()?;
    let start = args.selection.profile()?;
    let features = feature::chosen(&start, &args.add, &args.without)?;
    let restraint = Restraint { strength: args.strength, kinds: args.kinds };
    let names = Names { of_a_tree: args.names.into(), seed: args.seed };
    let gathered = gathered(&sets, &places, &start, &features, names)?;
    let n_folds = usize::from(args.folds).min(repositories(&gathered)?);
    let questions = &gathered.questions;
    let seeds = (0..args.seeds).map(|at| args.seed.wrapping_add(u64::from(at)));
    let trials: Vec<Vec<Held>> =
        seeds.map(|seed| held_out(questions, &features, restraint, n_folds, seed)).collect();
    // A list is of one trial, so what is shown with it is that of the first.
    let points = points(questions, &trials[0]);
    let held = shown(questions, &trials[0], &calibration::held_out(&points, n_folds));

    let weights = learned(&lessons(questions.iter()), &features, restraint);
    let profile = profile(&start, &args.name, &features, &weights, &calibration::lines(&points));
    let judged = tables::judged(questions, &trials);
    let printed = [
        tables::compared(&judged, args.seed),
        tables::reliability(questions, &held),
        tables::weights(&profile, &features, &weights.scale),
    ];
    let head = head::head(args, &start, &gathered, features.len(), n_folds, &judged);
    fs::write(&args.out, format!("{head}\n{}", profile.to_toml())).map_err(Failure::write(&args.out))?;
    if let Some(folder) = &args.runs {
        let trial = format!("{}, {n_folds} folds held out, seed {}", args.name, args.seed);
        write_runs(folder, &start, &trial, gathered, held)?;
    }
    print!("{}", printed.concat());
    Ok(())
}

/// How many repositories there are; fewer than two cannot be held out, and without a lesson nothing is learned.
fn repositories(gathered: &Gathered) -> Result<usize, Failure> {
    let questions = &gathered.questions;
    if questions.is_empty() {
        let text = format!("no tree is there; missing: {}", gathered.missing.join(", "));
        return Err(Failure::Asked(text));
    }
    let repositories: BTreeSet<&str> =
        questions.iter().map(|question| question.repository.as_str()).collect();
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
            let right = !question.files[at].targets.is_empty();
            Point { shape: question.shape, query, fold: held.fold, sum, right }
        };
        held.order.iter().take(K).map(point).collect::<Vec<_>>()
    };
    questions.iter().zip(trial).enumerate().flat_map(points).collect()
}

/// The lists of a trial, each file with the score that the other folds would show.
fn shown(questions: &[Question], trial: &[Held], lines: &[[Line; SHAPES]]) -> Vec<QueryRow> {
    let list = |(question, held): (&Question, &Held)| {
        let line = lines[held.fold][question.shape as usize];
        question.listed(held.order.iter().map(|(at, sum)| (*at, logistic(line.of(*sum)))), DEPTH)
    };
    questions.iter().zip(trial).map(list).collect()
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

/// Writes the lists as they were and as the first trial has them.
fn write_runs(
    folder: &Path,
    start: &Profile,
    trial: &str,
    gathered: Gathered,
    held: Vec<QueryRow>,
) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(Failure::write(folder))?;
    let as_it_was = |question: &Question| {
        let files = question.files.iter().enumerate();
        question.listed(files.map(|(at, file)| (at, file.score)), DEPTH)
    };
    let before = gathered.questions.iter().map(as_it_was).collect();
    let sets: BTreeSet<String> = gathered.trees.iter().map(|tree| tree.set.clone()).collect();
    let mut header = Header::new(start, sets.into_iter().collect(), [K, DEPTH, 0, 0]);
    header.missing = gathered.missing;
    let mut held_header = header.clone();
    held_header.profile = trial.to_string();
    let before = Run { header, trees: gathered.trees.clone(), queries: before };
    before.write(&folder.join("start.jsonl"))?;
    Run { header: held_header, trees: gathered.trees, queries: held }
        .write(&folder.join("held-out.jsonl"))?;
    Ok(())
}
