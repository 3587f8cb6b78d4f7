//! `spyhop-eval fit-scores`: learns what scores say, and judges it on repositories held out.
//!
//! A lesson is one of the first ten files of a query: the sum of its contributions, the log-odds of its share of the head,
//! and whether it answers. The command minimises the log-loss of the profile's line of scores for each shape of query
//! ([`spyhop::Calibration`]). Queries of the sets have an answer. With --foreign, each tree also gets queries about other
//! repositories, which have no answer there.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use fastrand::Rng;
use spyhop::{Calibration, Profile, ScoreCalibration};

use crate::failure::Failure;
use crate::fit::descent::{Bounds, Smooth, least};
use crate::fit::held_out::folds;
use crate::fit::question::repository;
use crate::run::{call, request};
use crate::select::Selection;
use crate::table::Table;

/// A query teaches with this many first files.
const FILES: usize = 10;

/// The first file of a query weighs like this many others, because it is what people look at.
const OF_FIRST: f64 = 3.0;

/// Learn what scores say, and judge it on repositories held out
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    /// Write the profile here
    #[arg(long, value_name = "FILE.toml", required_unless_present = "judge")]
    out: Option<PathBuf>,
    /// Hold repositories out in this many parts
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u16).range(2..))]
    folds: u16,
    /// Ask each tree this many queries about other repositories, which have no answer there
    #[arg(long, value_name = "N", default_value = "20")]
    foreign: usize,
    /// Seed of the choice of these queries and of the split into parts
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
    /// Only report how the profile's scores do
    #[arg(long, conflicts_with = "out")]
    judge: bool,
}

/// The name of the set of queries about other repositories.
const FOREIGN: &str = "foreign";

/// A file of a list.
struct Lesson {
    query: usize,
    is_first: bool,
    sum: f64,
    softmax_log_odds: f64,
    is_right: bool,
}

/// A query.
struct Asked {
    set: String,
    repository: String,
    shape: usize,
    is_doubted: bool,
}

/// All queries, and the first files of each.
#[derive(Default)]
struct Lessons {
    queries: Vec<Asked>,
    files: Vec<Lesson>,
}

const SHAPES: [&str; 4] = ["names", "mixed", "words", "report"];

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let start = args.selection.profile()?;
    let lessons = gathered(args, &start)?;
    if args.judge {
        let lines = lines_of(&start.scores);
        print!("{}", judged(&lessons, |lesson| score(lesson, &lines[lessons.queries[lesson.query].shape])));
        return Ok(());
    }
    let repositories = lessons.queries.iter().map(|asked| asked.repository.as_str());
    let folds = folds(repositories, usize::from(args.folds), args.seed);
    let fold = |lesson: &Lesson| folds[lessons.queries[lesson.query].repository.as_str()];
    let of_folds: Vec<[Calibration; SHAPES.len()]> = (0..usize::from(args.folds))
        .map(|left_out| learned(&lessons, |lesson| fold(lesson) != left_out))
        .collect();
    print!(
        "{}",
        judged(&lessons, |lesson| score(
            lesson,
            &of_folds[fold(lesson)][lessons.queries[lesson.query].shape]
        ))
    );
    let [names, mixed, words, report] = learned(&lessons, |_| true);
    let mut profile = (*start).clone();
    profile.scores = ScoreCalibration { names, mixed, words, report, ..start.scores };
    match &args.out {
        Some(out) => fs::write(out, profile.to_toml()).map_err(Failure::write(out)),
        None => Ok(()),
    }
}

fn lines_of(scores: &ScoreCalibration) -> [Calibration; SHAPES.len()] {
    [scores.names, scores.mixed, scores.words, scores.report]
}

/// Asks everything.
fn gathered(args: &Args, start: &std::sync::Arc<Profile>) -> Result<Lessons, Failure> {
    let sets = args.selection.read()?;
    let all: Vec<(&str, &str)> = (sets.iter().flat_map(|set| &set.trees))
        .flat_map(|tree| tree.queries.iter().map(|query| (repository(&tree.name), query.text.as_str())))
        .collect();
    let mut rng = Rng::with_seed(args.seed);
    let mut lessons = Lessons::default();
    args.selection.each(&sets, |set, tree, opened| {
        let repository = repository(&tree.name);
        let mut ask = |set: &str, text: &str, is_right: &dyn Fn(&str) -> bool| {
            let found = opened.engine.candidates(&request(text, 1, start), &call())?;
            let shape = if found.is_report { SHAPES.len() - 1 } else { found.kind as usize };
            let query = lessons.queries.len();
            lessons.queries.push(Asked {
                set: set.to_string(),
                repository: repository.to_string(),
                shape,
                is_doubted: found.is_doubted,
            });
            for (at, file) in found.files.iter().enumerate().take(FILES) {
                lessons.files.push(Lesson {
                    query,
                    is_first: at == 0,
                    sum: file.sum.into(),
                    softmax_log_odds: file.softmax_log_odds.into(),
                    is_right: is_right(file.path.as_str()),
                });
            }
            Ok::<(), Failure>(())
        };
        for query in &tree.queries {
            ask(&set.name, &query.text, &|path| query.targets.iter().any(|target| target.names(path)))?;
        }
        for _ in 0..args.foreign {
            let (of, text) = all[rng.usize(..all.len())];
            if of != repository {
                ask(FOREIGN, text, &|_| false)?;
            }
        }
        Ok(())
    })?;
    Ok(lessons)
}

fn score(lesson: &Lesson, line: &Calibration) -> f64 {
    let odds = f64::from(line.intercept)
        + f64::from(line.sum) * lesson.sum
        + f64::from(line.softmax) * lesson.softmax_log_odds;
    1.0 / (1.0 + (-odds).exp())
}

/// The lines of all shapes.
fn learned(lessons: &Lessons, is_taught: impl Fn(&Lesson) -> bool) -> [Calibration; SHAPES.len()] {
    let mut n_of_set: BTreeMap<&str, f64> = BTreeMap::new();
    lessons.queries.iter().for_each(|asked| *n_of_set.entry(&asked.set).or_default() += 1.0);
    std::array::from_fn(|shape| {
        let of_shape = lessons.files.iter().filter(|lesson| lessons.queries[lesson.query].shape == shape);
        // Sets weigh by the root of their size: a mechanical one of hundreds must not drown those that people wrote.
        let weighed = of_shape.filter(|lesson| is_taught(lesson)).map(|lesson| {
            let of_set = n_of_set[lessons.queries[lesson.query].set.as_str()].sqrt().recip();
            (lesson, if lesson.is_first { OF_FIRST * of_set } else { of_set })
        });
        let lessons: Vec<(&Lesson, f64)> = weighed.collect();
        if lessons.is_empty() {
            return Calibration::IDENTITY;
        }
        let total = lessons.iter().map(|(_, weight)| weight).sum();
        const BOUNDS: [Bounds; 3] = [[-20.0, 20.0], [0.0, 5.0], [0.05, 5.0]];
        let [intercept, sum, softmax] = least(&Loss { lessons, total }, &BOUNDS)[..] else { unreachable!() };
        Calibration { intercept: intercept as f32, sum: sum as f32, softmax: softmax as f32 }
    })
}

/// The mean log-loss.
struct Loss<'l> {
    lessons: Vec<(&'l Lesson, f64)>,
    total: f64,
}

impl Smooth for Loss<'_> {
    fn at(&self, point: &[f64], gradient: Option<&mut [f64]>) -> f64 {
        // A little towards no line at all keeps it finite where all are alike.
        let mut value = 1e-4 * point.iter().map(|weight| weight * weight).sum::<f64>();
        let mut slopes: Vec<f64> = point.iter().map(|weight| 2e-4 * weight).collect();
        for (lesson, weight) in &self.lessons {
            let row = [1.0, lesson.sum, lesson.softmax_log_odds];
            let odds: f64 = row.iter().zip(point).map(|(value, weight)| value * weight).sum();
            let wanted = f64::from(u8::from(lesson.is_right));
            let share = weight / self.total;
            value += share * ((-odds.abs()).exp().ln_1p() + odds.max(0.0) - wanted * odds);
            let off = 1.0 / (1.0 + (-odds).exp()) - wanted;
            slopes.iter_mut().zip(row).for_each(|(slope, row)| *slope += share * off * row);
        }
        if let Some(gradient) = gradient {
            gradient.copy_from_slice(&slopes);
        }
        value
    }
}

/// By set: the share of first files that answer in each band of scores, the calibration errors of first files and of first
/// pages, and how many queries get the warning that nothing seems to answer.
fn judged(lessons: &Lessons, score: impl Fn(&Lesson) -> f64) -> String {
    const BANDS: [(&str, f64); 4] = [("high", 0.8), ("good", 0.6), ("possible", 0.4), ("weak", 0.0)];
    let mut headings = vec!["first files", "queries"];
    headings.extend(BANDS.map(|(name, _)| name));
    headings.extend(["off, first", "off, ten", "doubted"]);
    let mut table = Table::new(&headings);
    const ALL: &str = "~ all";
    let sets: std::collections::BTreeSet<&str> =
        lessons.queries.iter().map(|asked| asked.set.as_str()).chain([ALL]).collect();
    for set in sets {
        let is_of = |lesson: &&Lesson| set == ALL || lessons.queries[lesson.query].set == set;
        let scored = |lesson: &Lesson| (score(lesson) as f32, lesson.is_right);
        let first: Vec<(f32, bool)> =
            lessons.files.iter().filter(is_of).filter(|lesson| lesson.is_first).map(scored).collect();
        let page = lessons.files.iter().filter(is_of).map(scored);
        let mut row = vec![set.to_string(), first.len().to_string()];
        for (at, (_, from)) in BANDS.iter().enumerate() {
            let to = if at == 0 { f64::INFINITY } else { BANDS[at - 1].1 };
            let in_band = first.iter().filter(|(score, _)| (*from..to).contains(&f64::from(*score)));
            let (n, right) = in_band.fold((0, 0), |(n, right), (_, is)| (n + 1, right + usize::from(*is)));
            row.push(if n == 0 { "-".to_string() } else { format!("{:.2} of {n}", right as f64 / n as f64) });
        }
        row.push(format!("{:.3}", calibration_error(first)));
        row.push(format!("{:.3}", calibration_error(page)));
        let doubted = lessons.queries.iter().filter(|asked| asked.is_doubted);
        let doubted = doubted.filter(|asked| set == ALL || asked.set == set);
        row.push(doubted.count().to_string());
        table.row(row);
    }
    table.printed()
}

/// The expected calibration error (Naeini, Cooper and Hauskrecht 2015): how far the mean score of hits in a tenth of the
/// scores is from the share of them that are right, each tenth weighed by its hits.
fn calibration_error(hits: impl IntoIterator<Item = (f32, bool)>) -> f64 {
    let (mut off, mut n) = ([0.0; 10], 0);
    for (score, right) in hits {
        off[((score * 10.0) as usize).min(9)] += f64::from(score) - f64::from(u8::from(right));
        n += 1;
    }
    off.iter().copied().map(f64::abs).sum::<f64>() / f64::from(n.max(1))
}
