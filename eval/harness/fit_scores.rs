//! `spyhop-eval fit-scores`: learns what scores say; with --judge, measures what they say.
//!
//! A lesson is one of the first ten files of a query: the inputs of its score, and whether it answers. The command
//! minimises the log-loss of the profile's calibration for each shape of query ([`spyhop::Calibration`]). Queries of the
//! sets have an answer. With --foreign, each tree also gets queries about other repositories, which have no answer there.
//!
//! --judge asks the searches that a person would ask, and looks at the first ten hits as they are shown. The first hit of
//! a file is right if the file answers. A further hit of the file is right if its place answers, and is not judged if the
//! set names no places.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use fastrand::Rng;
use spyhop::{Calibration, ScoreCalibration, ScoreInput};

use crate::failure::Failure;
use crate::fit::descent::{Bounds, Smooth, least};
use crate::fit::question::repository;
use crate::run::{call, request};
use crate::select::{Opened, Selection};
use crate::sets::{Query, answered};
use crate::table::Table;

/// A query teaches with this many first files, and is judged by this many first hits.
const FIRST: usize = 10;

/// The first file of a query weighs like this many others, because it is what people look at.
const OF_FIRST: f64 = 3.0;

/// The score from which a caller who asks for probable hits gets a hit.
const PROBABLE: f32 = 0.4;

/// Learn what scores say, or judge what they say
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    /// Write the profile here
    #[arg(long, value_name = "FILE.toml", required_unless_present = "judge")]
    out: Option<PathBuf>,
    /// Ask each tree this many queries about other repositories, which have no answer there
    #[arg(long, value_name = "N", default_value = "20")]
    foreign: usize,
    /// Seed of the choice of these queries
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
    set: String,
    shape: usize,
    is_first: bool,
    inputs: [f64; ScoreInput::COUNT],
    is_right: bool,
}

const SHAPES: [&str; 4] = ["names", "mixed", "words", "report"];

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let start = args.selection.profile()?;
    if args.judge {
        let mut judged = Judged::default();
        each_query(args, |opened, set, text, query| {
            judged.add(set, query, opened.engine.call(&request(text, FIRST, &start), &call())?);
            Ok(())
        })?;
        print!("{}", judged.table());
        return Ok(());
    }
    let mut lessons = Vec::new();
    each_query(args, |opened, set, text, query| {
        let found = opened.engine.candidates(&request(text, 1, &start), &call())?;
        let shape = if found.is_report { SHAPES.len() - 1 } else { found.kind as usize };
        for (at, file) in found.files.iter().enumerate().take(FIRST) {
            let mut inputs = [0.0; ScoreInput::COUNT];
            inputs.iter_mut().zip(file.score_inputs()).for_each(|(input, own)| *input = f64::from(*own));
            let is_right = query.is_some_and(|query| names(query, file.path.as_str()));
            lessons.push(Lesson { set: set.to_string(), shape, is_first: at == 0, inputs, is_right });
        }
        Ok(())
    })?;
    let [names, mixed, words, report] = learned(&lessons);
    let mut profile = (*start).clone();
    profile.scores = ScoreCalibration { names, mixed, words, report, ..start.scores };
    match &args.out {
        Some(out) => fs::write(out, profile.to_toml()).map_err(Failure::write(out)),
        None => Ok(()),
    }
}

/// Visits the queries of every tree, and `args.foreign` queries about other repositories, which have no answer there.
fn each_query(
    args: &Args,
    mut visit: impl FnMut(&Opened, &str, &str, Option<&Query>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let sets = args.selection.read()?;
    let all: Vec<(&str, &str)> = (sets.iter().flat_map(|set| &set.trees))
        .flat_map(|tree| tree.queries.iter().map(|query| (repository(&tree.name), query.text.as_str())))
        .collect();
    let mut rng = Rng::with_seed(args.seed);
    args.selection.each(&sets, |set, tree, opened| {
        for query in &tree.queries {
            visit(opened, &set.name, &query.text, Some(query))?;
        }
        for _ in 0..args.foreign {
            let (of, text) = all[rng.usize(..all.len())];
            if of != repository(&tree.name) {
                visit(opened, FOREIGN, text, None)?;
            }
        }
        Ok(())
    })?;
    Ok(())
}

fn names(query: &Query, path: &str) -> bool {
    query.targets.iter().any(|target| target.names(path))
}

/// The calibrations of all shapes.
fn learned(lessons: &[Lesson]) -> [Calibration; SHAPES.len()] {
    let mut n_of_set: BTreeMap<&str, f64> = BTreeMap::new();
    lessons.iter().for_each(|lesson| *n_of_set.entry(&lesson.set).or_default() += 1.0);
    std::array::from_fn(|shape| {
        // Sets weigh by the root of their size: a mechanical one of hundreds must not drown those that people wrote.
        let weighed = lessons.iter().filter(|lesson| lesson.shape == shape).map(|lesson| {
            let of_set = n_of_set[lesson.set.as_str()].sqrt().recip();
            (lesson, if lesson.is_first { OF_FIRST * of_set } else { of_set })
        });
        let lessons: Vec<(&Lesson, f64)> = weighed.collect();
        if lessons.is_empty() {
            return Calibration::IDENTITY;
        }
        let total = lessons.iter().map(|(_, weight)| weight).sum();
        let bounds: Vec<Bounds> = std::iter::once([-20.0, 20.0])
            .chain(ScoreInput::ALL.iter().map(|input| bounds(*input)))
            .collect();
        let found = least(&Loss { lessons, total }, &bounds);
        let mut calibration = Calibration { intercept: found[0] as f32, ..Calibration::IDENTITY };
        calibration.weights.iter_mut().zip(&found[1..]).for_each(|(weight, found)| *weight = *found as f32);
        calibration
    })
}

/// The weights that an input may have: evidence does not speak against a file, and what others have not for it.
fn bounds(input: ScoreInput) -> Bounds {
    match input {
        ScoreInput::Behind | ScoreInput::Rivals => [-20.0, 0.0],
        ScoreInput::Terms | ScoreInput::Related => [-20.0, 20.0],
        _ => [0.0, 20.0],
    }
}

/// The mean log-loss.
struct Loss<'l> {
    lessons: Vec<(&'l Lesson, f64)>,
    total: f64,
}

impl Smooth for Loss<'_> {
    fn at(&self, point: &[f64], gradient: Option<&mut [f64]>) -> f64 {
        // A little towards no weights at all keeps them finite where all are alike.
        let mut value = 1e-4 * point.iter().map(|weight| weight * weight).sum::<f64>();
        let mut slopes: Vec<f64> = point.iter().map(|weight| 2e-4 * weight).collect();
        for (lesson, weight) in &self.lessons {
            let row = || std::iter::once(1.0).chain(lesson.inputs);
            let odds: f64 = row().zip(point).map(|(value, weight)| value * weight).sum();
            let wanted = f64::from(u8::from(lesson.is_right));
            let share = weight / self.total;
            value += share * ((-odds.abs()).exp().ln_1p() + odds.max(0.0) - wanted * odds);
            let off = 1.0 / (1.0 + (-odds).exp()) - wanted;
            slopes.iter_mut().zip(row()).for_each(|(slope, row)| *slope += share * off * row);
        }
        if let Some(gradient) = gradient {
            gradient.copy_from_slice(&slopes);
        }
        value
    }
}

/// The answers to the queries of the sets.
#[derive(Default)]
struct Judged {
    of_set: BTreeMap<String, Vec<Answer>>,
}

/// An answer as it is shown.
struct Answer {
    /// The scores of the first hits that are judged, and whether each is right.
    hits: Vec<(f32, bool)>,
    /// Whether the reply warns that nothing seems to answer.
    is_doubted: bool,
}

impl Judged {
    fn add(&mut self, set: &str, query: Option<&Query>, reply: spyhop::SearchReply) {
        let mut files = BTreeSet::new();
        let mut hits = Vec::new();
        for hit in &reply.results {
            let path = hit.path.as_str();
            let is_further = !files.insert(path);
            let is_right = match query {
                None => Some(false),
                Some(query) if !is_further => Some(names(query, path)),
                Some(query) if query.places.is_empty() => None,
                Some(query) => Some(!answered(&query.places, path, hit.lines).is_empty()),
            };
            hits.extend(is_right.map(|is_right| (hit.score, is_right)));
        }
        let is_doubted =
            reply.warnings.iter().any(|warning| warning.starts_with("nothing here seems to answer"));
        self.of_set.entry(set.to_string()).or_default().push(Answer { hits, is_doubted });
    }

    /// By set: the share of right first hits that are probable, of answered queries whose answer is probable, of first
    /// hits without an answer that are not probable; the calibration errors of first hits and of first pages; how many
    /// replies warn, and the share of these without an answer.
    fn table(&self) -> String {
        let headings = [
            "set",
            "queries",
            "right first",
            "of these probable",
            "answered",
            "answer probable",
            "wrong first below",
            "off, first",
            "off, ten",
            "warned",
            "rightly",
        ];
        let mut table = Table::new(&headings);
        for (set, answers) in &self.of_set {
            table.row(row(set, answers.iter()));
        }
        let of_sets =
            || self.of_set.iter().filter(|(set, _)| *set != FOREIGN).flat_map(|(_, answers)| answers);
        table.row(row("~ all sets", of_sets()));
        table.row(row("~ with foreign", self.of_set.values().flatten()));
        table.printed()
    }
}

fn row<'a>(name: &str, answers: impl Iterator<Item = &'a Answer> + Clone) -> Vec<String> {
    let firsts = || answers.clone().filter_map(|answer| answer.hits.first().copied());
    let share = |those: &mut dyn Iterator<Item = bool>| {
        let those: Vec<bool> = those.collect();
        let yes = those.iter().filter(|is| **is).count();
        if those.is_empty() {
            "-".to_string()
        } else {
            format!("{:.3} of {}", yes as f64 / those.len() as f64, those.len())
        }
    };
    let is_answered = |answer: &Answer| answer.hits.iter().any(|(_, right)| *right);
    let survives = |answer: &Answer| answer.hits.iter().any(|(score, right)| *right && *score >= PROBABLE);
    let warned = || answers.clone().filter(|answer| answer.is_doubted);
    vec![
        name.to_string(),
        answers.clone().count().to_string(),
        share(&mut firsts().map(|(_, right)| right)),
        share(&mut firsts().filter(|(_, right)| *right).map(|(score, _)| score >= PROBABLE)),
        share(&mut answers.clone().map(is_answered)),
        share(&mut answers.clone().filter(|answer| is_answered(answer)).map(survives)),
        share(&mut firsts().filter(|(_, right)| !*right).map(|(score, _)| score < PROBABLE)),
        format!("{:.3}", calibration_error(firsts())),
        format!("{:.3}", calibration_error(answers.clone().flat_map(|answer| answer.hits.iter().copied()))),
        warned().count().to_string(),
        share(&mut warned().map(|answer| !is_answered(answer))),
    ]
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
