//! `spyhop-eval fit-places`: learns what the places of a file are told apart by, from sets whose queries name places, and
//! judges the weights on repositories held out.
//!
//! A lesson is a file among the first of a query's list that holds a place which answers, and one that does not. What
//! is minimised is the mean over queries of -log P(a place that answers | file), P being the softmax that the engine shows,
//! with λ/2 |w - w0|² for the weights that all kinds of query share, w0 being the start's, and with (λ/2) |w_kind - w|² for
//! those of a kind. Measures are divided by the root of their mean squares first. What says that a place matches never
//! counts against it.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use spyhop::{PlaceSignal, Profile, QueryKind};

use crate::failure::Failure;
use crate::fit::descent::{Bounds, Smooth, least};
use crate::fit::held_out::folds;
use crate::fit::positive;
use crate::fit::question::repository;
use crate::run::{call, request};
use crate::select::Selection;
use crate::table::Table;

/// Weights: the value and the share of each signal.
const N: usize = 2 * PlaceSignal::COUNT;

/// Learn what the places of a file are told apart by, and judge it on repositories held out
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    /// Write the profile here
    #[arg(long, value_name = "FILE.toml")]
    out: PathBuf,
    /// Hold repositories out in N parts
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u16).range(2..))]
    folds: u16,
    /// Seed of the split into parts
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
    /// How far weights may go from those of the start
    #[arg(long, value_name = "C", default_value = "0.05", value_parser = positive)]
    strength: f64,
    /// How far the weights of a kind of query may go from the common ones
    #[arg(long, value_name = "C", default_value = "0.05", value_parser = positive)]
    kinds: f64,
}

/// The places of a file, and which of them answer.
struct Lesson {
    set: String,
    repository: String,
    kind: QueryKind,
    rows: Vec<[f64; N]>,
    answers: Vec<bool>,
    /// The lessons of a query weigh the same together as those of another, and those of a set as those of another.
    weight: f64,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let start = args.selection.profile()?;
    let mut lessons: Vec<Lesson> = Vec::new();
    args.selection.each(&args.selection.read()?, |set, tree, opened| {
        for query in tree.queries.iter().filter(|query| !query.places.is_empty()) {
            let found = opened.engine.place_candidates(&request(&query.text, 1, &start), &call())?;
            let before = lessons.len();
            for file in &found.files {
                let is_answer =
                    |lines| query.places.iter().any(|target| target.answered_by(file.path.as_str(), lines));
                let answers: Vec<bool> = file.places.iter().map(|place| is_answer(place.lines)).collect();
                if answers.contains(&true) && answers.contains(&false) {
                    let row = |at: usize| {
                        std::array::from_fn(|n| f64::from(file.places[at].measures[n / 2][n % 2]))
                    };
                    lessons.push(Lesson {
                        set: set.name.clone(),
                        repository: repository(&tree.name).to_string(),
                        kind: found.kind,
                        rows: (0..answers.len()).map(row).collect(),
                        answers,
                        weight: 1.0,
                    });
                }
            }
            let n = (lessons.len() - before) as f64;
            lessons[before..].iter_mut().for_each(|lesson| lesson.weight = 1.0 / n);
        }
        Ok(())
    })?;
    comparable(&mut lessons);
    let mut sizes: BTreeMap<String, f64> = BTreeMap::new();
    lessons.iter().for_each(|lesson| *sizes.entry(lesson.set.clone()).or_default() += lesson.weight);
    let mean = sizes.values().sum::<f64>() / sizes.len().max(1) as f64;
    lessons.iter_mut().for_each(|lesson| lesson.weight *= mean / sizes[&lesson.set]);
    if lessons.is_empty() {
        return Err(Failure::Asked(
            "no query names a place that is among others in a file found".to_string(),
        ));
    }
    let repositories = lessons.iter().map(|lesson| lesson.repository.as_str());
    let folds = folds(repositories, usize::from(args.folds), args.seed);
    let fold = |lesson: &Lesson| folds[lesson.repository.as_str()];
    let mut held = vec![false; lessons.len()];
    let as_it_was: Vec<bool> =
        lessons.iter().map(|lesson| is_right(lesson, &start_weights(&start)[lesson.kind as usize])).collect();
    for left_out in 0..usize::from(args.folds) {
        let taught: Vec<&Lesson> = lessons.iter().filter(|lesson| fold(lesson) != left_out).collect();
        let weights = learned(&taught, &start, args);
        for (at, lesson) in lessons.iter().enumerate().filter(|(_, lesson)| fold(lesson) == left_out) {
            held[at] = is_right(lesson, &weights[lesson.kind as usize]);
        }
    }
    print!("{}", compared(&lessons, &as_it_was, &held));
    let weights = learned(&lessons.iter().collect::<Vec<_>>(), &start, args);
    let mut profile = (*start).clone();
    for kind in QueryKind::ALL {
        for signal in PlaceSignal::ALL {
            let at = 2 * *signal as usize;
            let of = &weights[kind as usize];
            profile.set_place_weight(kind, *signal, [of[at] as f32, of[at + 1] as f32]);
        }
    }
    fs::write(&args.out, profile.to_toml()).map_err(Failure::write(&args.out))?;
    Ok(())
}

/// Drops the places of kinds that no query of a set asks for: where only functions can answer, nothing is learned from a
/// type that does not.
fn comparable(lessons: &mut Vec<Lesson>) {
    const KINDS: [PlaceSignal; 4] =
        [PlaceSignal::Type, PlaceSignal::Data, PlaceSignal::Loose, PlaceSignal::Prose];
    let is_of = |row: &[f64; N], kind: PlaceSignal| row[2 * kind as usize] > 0.0;
    let mut asked: BTreeMap<String, [bool; KINDS.len()]> = BTreeMap::new();
    for lesson in lessons.iter() {
        let asked = asked.entry(lesson.set.clone()).or_default();
        for row in lesson.rows.iter().zip(&lesson.answers).filter(|(_, is)| **is).map(|(row, _)| row) {
            asked.iter_mut().zip(KINDS).for_each(|(asked, kind)| *asked |= is_of(row, kind));
        }
    }
    for lesson in lessons.iter_mut() {
        let asked = asked[&lesson.set];
        let is_asked =
            |row: &[f64; N]| asked.iter().zip(KINDS).all(|(asked, kind)| *asked || !is_of(row, kind));
        let kept: Vec<bool> = lesson.rows.iter().map(is_asked).collect();
        let mut at = 0..;
        lesson.rows.retain(|_| kept[at.next().expect("endless")]);
        let mut at = 0..;
        lesson.answers.retain(|_| kept[at.next().expect("endless")]);
    }
    lessons.retain(|lesson| lesson.answers.contains(&false) && lesson.answers.contains(&true));
}

/// In how many files a place that answers comes first, by set.
fn compared(lessons: &[Lesson], before: &[bool], after: &[bool]) -> String {
    let mut sets: BTreeMap<&str, [f64; 3]> = BTreeMap::new();
    for ((lesson, before), after) in lessons.iter().zip(before).zip(after) {
        for set in [lesson.set.as_str(), "~ all"] {
            let sums = sets.entry(set).or_default();
            sums[0] += 1.0;
            sums[1] += f64::from(u8::from(*before));
            sums[2] += f64::from(u8::from(*after));
        }
    }
    let mut table = Table::new(&["right place first, by file", "files", "start", "held out"]);
    for (set, [n, before, after]) in sets {
        table.row(vec![
            set.to_string(),
            format!("{n:.0}"),
            format!("{:.3}", before / n),
            format!("{:.3}", after / n),
        ]);
    }
    table.printed()
}

fn sum(row: &[f64; N], weights: &[f64]) -> f64 {
    row.iter().zip(weights).map(|(value, weight)| value * weight).sum()
}

fn is_right(lesson: &Lesson, weights: &[f64]) -> bool {
    let sums: Vec<f64> = lesson.rows.iter().map(|row| sum(row, weights)).collect();
    let best = (0..sums.len()).reduce(|best, at| if sums[at] > sums[best] { at } else { best });
    best.is_some_and(|best| lesson.answers[best])
}

fn start_weights(start: &Profile) -> Vec<Vec<f64>> {
    let of = |kind: QueryKind| {
        let weights = PlaceSignal::ALL.iter().flat_map(|signal| start.place_weight(kind, *signal));
        weights.map(f64::from).collect()
    };
    QueryKind::ALL.map(of).to_vec()
}

/// What a weight may be: only what a place is can speak for it or against it. What the query names as written is not
/// learned: it must decide, however rarely a set asks so.
fn bounds(from: &[f64]) -> Vec<Bounds> {
    use PlaceSignal as S;
    let of = |signal: &S| match signal {
        S::Literal | S::Template | S::Frame => [0, 1].map(|form| [from[2 * *signal as usize + form]; 2]),
        S::Size | S::Type | S::Data | S::Loose | S::Prose | S::Declaration | S::Test => {
            [[f64::NEG_INFINITY, f64::INFINITY]; 2]
        }
        _ => [[0.0, f64::INFINITY]; 2],
    };
    S::ALL.iter().flat_map(of).collect()
}

/// The weights by kind.
fn learned(lessons: &[&Lesson], start: &Profile, args: &Args) -> Vec<Vec<f64>> {
    let mut scale = [1e-9f64; N];
    let n_rows: f64 = lessons.iter().map(|lesson| lesson.rows.len() as f64).sum();
    for row in lessons.iter().flat_map(|lesson| &lesson.rows) {
        scale.iter_mut().zip(row).for_each(|(scale, value)| *scale += value * value / n_rows);
    }
    // Rare flags must not get weights that a handful of files taught.
    let scale = scale.map(|square| square.sqrt().max(0.1));
    let from = start_weights(start);
    let n = lessons.iter().map(|lesson| lesson.weight).sum::<f64>();
    let mean: Vec<f64> =
        (0..N).map(|at| (from[0][at] + from[1][at] + from[2][at]) / 3.0 * scale[at]).collect();
    let fit = |lessons: Vec<&Lesson>, towards: &[f64], strength: f64| {
        let loss = Loss { lessons, scale, towards: towards.to_vec(), lambda: 1.0 / (strength * n), n };
        least(&loss, &bounds(&mean))
    };
    let common = fit(lessons.to_vec(), &mean, args.strength);
    let of_kind = |kind: QueryKind| {
        let of_kind: Vec<&Lesson> = lessons.iter().copied().filter(|lesson| lesson.kind == kind).collect();
        let weights = fit(of_kind, &common, args.kinds);
        weights.iter().zip(scale).map(|(weight, scale)| weight / scale).collect()
    };
    QueryKind::ALL.map(of_kind).to_vec()
}

/// The function that is minimised, over weights of scaled measures.
struct Loss<'l> {
    lessons: Vec<&'l Lesson>,
    scale: [f64; N],
    towards: Vec<f64>,
    lambda: f64,
    n: f64,
}

impl Smooth for Loss<'_> {
    fn at(&self, point: &[f64], mut gradient: Option<&mut [f64]>) -> f64 {
        let away: Vec<f64> =
            point.iter().zip(&self.towards).map(|(weight, towards)| weight - towards).collect();
        let mut value = self.lambda / 2.0 * away.iter().map(|away| away * away).sum::<f64>();
        if let Some(gradient) = &mut gradient {
            gradient.iter_mut().zip(&away).for_each(|(slope, away)| *slope = self.lambda * away);
        }
        let weights: Vec<f64> = point.iter().zip(self.scale).map(|(point, scale)| point / scale).collect();
        for lesson in &self.lessons {
            let sums: Vec<f64> = lesson.rows.iter().map(|row| sum(row, &weights)).collect();
            let most = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let odds: Vec<f64> = sums.iter().map(|sum| (sum - most).exp()).collect();
            let all: f64 = odds.iter().sum();
            let right: f64 =
                odds.iter().zip(&lesson.answers).filter(|(_, is)| **is).map(|(odds, _)| odds).sum();
            let share = lesson.weight / self.n;
            value += share * (all.ln() - right.max(f64::MIN_POSITIVE).ln());
            let Some(gradient) = &mut gradient else { continue };
            for ((row, odds), is_answer) in lesson.rows.iter().zip(&odds).zip(&lesson.answers) {
                let slope = odds / all - if *is_answer { odds / right.max(f64::MIN_POSITIVE) } else { 0.0 };
                for at in 0..N {
                    gradient[at] += share * slope * row[at] / self.scale[at];
                }
            }
        }
        value
    }
}
