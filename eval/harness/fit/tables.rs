//! What the fit prints: the held-out figures beside those of the start, how reliable shown scores are, and the weights.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use spyhop::judged::{mean, mean_of_means};
use spyhop::{Feature, Profile, QueryKind, Signal, Transform};

use super::held_out::Held;
use super::question::Question;
use super::{DEPTH, K};
use crate::bins::{BINS, Bins};
use crate::compare::{Measure, interval};
use crate::measure::Measures;
use crate::record::QueryRow;
use crate::table::Table;

/// What is looked at.
const LOOKED_AT: [Measure; 3] = [Measure::Ndcg, Measure::Mrr, Measure::Success];

/// How many draws an interval is made of.
const DRAWS: u32 = 10_000;

/// A query with what its list is worth.
pub struct Judged<'q> {
    question: &'q Question,
    /// As the start orders it.
    start: Measures,
    /// Held out, once a seed.
    held: Vec<Measures>,
}

impl Judged<'_> {
    fn group(&self) -> (&str, &str) {
        self.question.row.group()
    }

    fn before(&self, measure: Measure) -> f64 {
        measure.of(&self.start)
    }

    fn after(&self, measure: Measure) -> f64 {
        mean(self.held.iter().map(|held| measure.of(held)))
    }
}

/// The worth of every list, as it was and held out.
pub fn judged<'q>(questions: &'q [Question], trials: &[Vec<Held>]) -> Vec<Judged<'q>> {
    let judge = |(at, question): (usize, &'q Question)| {
        let start = question.listed((0..question.files.len()).map(|at| (at, 0.0)), DEPTH).measures(K);
        let held = trials.iter().map(|trial| {
            question.listed(trial[at].order.iter().map(|(at, _)| (*at, 0.0)), DEPTH).measures(K)
        });
        Judged { question, start, held: held.collect() }
    };
    questions.iter().enumerate().map(judge).collect()
}

/// The figures of some queries.
pub struct Figures {
    /// How many queries.
    pub queries: usize,
    /// NDCG, MRR and success of the start, and held out.
    pub of: [[f64; 2]; 3],
    /// The interval of the difference in NDCG.
    pub interval: [f64; 2],
}

impl Figures {
    /// Of some queries.
    pub fn of<'j>(judged: impl Iterator<Item = &'j Judged<'j>>, seed: u64) -> Figures {
        let judged: Vec<&Judged<'_>> = judged.collect();
        let of = LOOKED_AT.map(|measure| {
            let before = mean_of_means(judged.iter().map(|of| (of.group(), of.before(measure))));
            [before, mean_of_means(judged.iter().map(|of| (of.group(), of.after(measure))))]
        });
        let mut groups: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
        for of in &judged {
            let difference = of.after(Measure::Ndcg) - of.before(Measure::Ndcg);
            groups.entry(of.group()).or_default().push(difference);
        }
        let groups: Vec<Vec<f64>> = groups.into_values().collect();
        Figures { queries: judged.len(), of, interval: interval(&groups, seed, DRAWS) }
    }

    /// NDCG held out minus that of the start.
    pub fn difference(&self) -> f64 {
        self.of[0][1] - self.of[0][0]
    }

    fn cells(&self, label: &str) -> Vec<String> {
        let [ndcg, others @ ..] = &self.of;
        let mut cells = vec![label.to_string(), self.queries.to_string()];
        cells.extend(ndcg.iter().map(|value| format!("{value:.4}")));
        let [low, high] = self.interval;
        cells.extend([self.difference(), low, high].iter().map(|value| format!("{value:+.4}")));
        cells.extend(others.iter().flatten().map(|value| format!("{value:.3}")));
        cells
    }
}

/// The queries of each set in order of name, then all of them.
pub fn by_set<'j>(judged: &'j [Judged<'j>], seed: u64) -> Vec<(&'j str, Figures)> {
    let names: BTreeSet<&str> = judged.iter().map(|of| of.question.row.set.as_str()).collect();
    let of_set = |name| judged.iter().filter(move |of| of.question.row.set == name);
    let mut figures: Vec<_> = names.into_iter().map(|name| (name, Figures::of(of_set(name), seed))).collect();
    if figures.len() > 1 {
        figures.push(("all", Figures::of(judged.iter(), seed)));
    }
    figures
}

/// The tables by set, kind, shape, tree and, where there are several, seed.
pub fn compared(judged: &[Judged<'_>], seed: u64) -> String {
    let mut out = String::new();
    let mut sets = table("set");
    by_set(judged, seed).iter().for_each(|(name, figures)| sets.row(figures.cells(name)));
    let _ = writeln!(out, "{}", sets.printed());
    let several = judged.iter().map(|of| &of.question.row.set).collect::<BTreeSet<_>>().len() > 1;
    let tree = |row: &QueryRow| match several {
        true => format!("{}/{}", row.set, row.tree),
        false => row.tree.clone(),
    };
    section(&mut out, "kind", judged, seed, |question| question.row.kind.clone());
    section(&mut out, "shape", judged, seed, |question| question.shape.name().to_string());
    section(&mut out, "tree", judged, seed, |question| tree(&question.row));
    seeds(&mut out, judged, seed);
    out
}

fn table(label: &str) -> Table {
    let ndcg = format!("NDCG@{K} start");
    let mrr = format!("MRR@{K} start");
    let head = [label, "queries", &ndcg, "held out", "difference", "95 % from", "to", &mrr, "held out"];
    Table::new(&[&head[..], &["success@1 start", "held out"]].concat())
}

fn section(
    out: &mut String,
    name: &str,
    judged: &[Judged<'_>],
    seed: u64,
    label: impl Fn(&Question) -> String,
) {
    let mut groups: BTreeMap<String, Vec<&Judged<'_>>> = BTreeMap::new();
    for of in judged {
        groups.entry(label(of.question)).or_default().push(of);
    }
    let mut table = table(name);
    for (label, judged) in groups {
        table.row(Figures::of(judged.into_iter(), seed).cells(&label));
    }
    let _ = writeln!(out, "{}", table.printed());
}

/// How much depends on which repositories were held out together.
fn seeds(out: &mut String, judged: &[Judged<'_>], seed: u64) {
    let n_seeds = judged.first().map_or(0, |of| of.held.len());
    if n_seeds < 2 {
        return;
    }
    let names = LOOKED_AT.map(|measure| measure.name(K));
    let mut table = Table::new(&["seed", &names[0], &names[1], &names[2]]);
    for at in 0..n_seeds {
        let average = |measure: Measure| {
            let value = mean_of_means(judged.iter().map(|of| (of.group(), measure.of(&of.held[at]))));
            format!("{value:.4}")
        };
        let mut cells = vec![seed.wrapping_add(at as u64).to_string()];
        cells.extend(LOOKED_AT.map(average));
        table.row(cells);
    }
    let _ = writeln!(out, "{}", table.printed());
}

/// For the first files of each held-out list: the mean of the shown score, the share that is right, and how many, in ten
/// bins, for each shape and all.
pub fn reliability(questions: &[Question], held: &[QueryRow]) -> String {
    let hits = |shape: Option<QueryKind>| {
        let rows = questions
            .iter()
            .zip(held)
            .filter(move |(question, _)| shape.is_none_or(|own| own == question.shape));
        rows.flat_map(|(_, row)| row.hits.iter().take(K)).map(|hit| (hit.score, !hit.targets.is_empty()))
    };
    let columns: Vec<(&str, Bins)> = QueryKind::ALL
        .into_iter()
        .map(|shape| (shape.name(), Bins::of(hits(Some(shape)))))
        .chain([("all", Bins::of(hits(None)))])
        .collect();
    let mut head = vec!["score".to_string()];
    for (name, _) in &columns {
        head.extend([format!("{name}: shown"), "right".to_string(), "files".to_string()]);
    }
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let mut table = Table::new(&head);
    for at in 0..BINS {
        let mut cells =
            vec![format!("{:.1} to {:.1}", at as f32 / BINS as f32, (at + 1) as f32 / BINS as f32)];
        for (_, bins) in &columns {
            let bin = &bins.0[at];
            match bin.hits {
                0 => cells.extend(["-", "-", "0"].map(str::to_string)),
                hits => cells.extend([
                    format!("{:.3}", bin.shown()),
                    format!("{:.3}", bin.share()),
                    hits.to_string(),
                ]),
            }
        }
        table.row(cells);
    }
    let mut off = vec!["off by".to_string()];
    for (_, bins) in &columns {
        off.extend([format!("{:.3}", bins.error()), String::new(), bins.hits().to_string()]);
    }
    table.row(off);
    format!("{}\n", table.printed())
}

/// The weights for the three kinds of query under each transform, the signal that moves scores most first: how much is the weight times
/// how much the feature differs within pairs, added up over transforms, the mean of the kinds.
pub fn weights(profile: &Profile, features: &[Feature], scale: &[f64]) -> String {
    let weights = |feature: Feature| QueryKind::ALL.map(|kind| profile.weight(kind, feature));
    let mut moves: BTreeMap<Signal, f64> = BTreeMap::new();
    for (feature, scale) in features.iter().zip(scale) {
        let own = mean(weights(*feature).map(|weight| f64::from(weight.abs()) * scale));
        *moves.entry(feature.signal).or_default() += own;
    }
    let mut signals: Vec<(Signal, f64)> = moves.into_iter().collect();
    signals.sort_by(|one, other| other.1.total_cmp(&one.1)); // stable: equal ones stay in order
    let mut table = Table::new(&["names/mixed/words", "moves", "value", "relative", "rank"]);
    for (signal, moves) in signals {
        let shown = |transform: Transform| {
            let feature = Feature { signal, transform };
            match features.contains(&feature) {
                true => weights(feature).map(|weight| format!("{weight:.2}")).join("/"),
                false => String::new(),
            }
        };
        let mut cells = vec![signal.to_string(), format!("{moves:.3}")];
        cells.extend(Transform::ALL.map(shown));
        table.row(cells);
    }
    table.printed()
}
