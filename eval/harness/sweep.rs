//! `spyhop-eval sweep`: what one weight of the profile does, at several values and with all others as they are.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;

use spyhop::engine::api::MAX_RESULTS;
use spyhop::judged::mean_of_means;
use spyhop::{Engine, Feature, Mode, Profile, QueryKind, SearchRequest, Signal, Transform};

use crate::compare::Measure;
use crate::failure::Failure;
use crate::progress::Bar;
use crate::record::{HitRow, measures};
use crate::run::request;
use crate::select::Selection;
use crate::sets::{Set, Tree};
use crate::table::Table;

/// Try several values of one weight of the ranking profile
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    /// The weight, such as `lexical.relative`; without `.value`, `.relative` or `.rank` the one that the profile has
    #[arg(long, value_name = "NAME")]
    weight: String,
    /// Set it only for queries of this shape
    #[arg(long, value_name = "SHAPE", value_parser = ["names", "mixed", "words"])]
    shape: Option<String>,
    /// The first value
    #[arg(long, value_name = "A", allow_hyphen_values = true)]
    from: f32,
    /// The last value
    #[arg(long, value_name = "B", allow_hyphen_values = true)]
    to: f32,
    /// How many values, both ends included
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..=1000))]
    steps: u16,
    /// What is measured
    #[arg(long, value_name = "M", default_value = "ndcg")]
    measure: Measure,
    /// Measures look at so many first hits
    #[arg(short, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u16).range(1..=50))]
    k: u16,
}

/// A value of the weight; the first one tried is what the profile has.
struct Step {
    label: String,
    profile: Arc<Profile>,
    /// What each query is worth, with its tree and kind.
    values: Vec<((String, String), String, f64)>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let sets = args.selection.read()?;
    let places = args.selection.places()?;
    let mut steps = steps(args, &args.selection.profile()?)?;
    let n_queries: usize = sets.iter().flat_map(|set| &set.trees).map(|tree| tree.queries.len()).sum();
    let bar = Bar::new(n_queries);
    for set in &sets {
        for tree in &set.trees {
            bar.at(&tree.folder);
            match places.open(&set.name, tree)? {
                Some(opened) => tried(args, &mut steps, set, tree, &opened.engine)?,
                None => bar.say(&format!("left out, not there: {}", tree.folder)),
            }
            bar.advance(tree.queries.len());
        }
    }
    drop(bar);
    if steps[0].values.is_empty() {
        return Err(Failure::Asked("no tree is there".to_string()));
    }
    print!("{}", table(args, &steps).printed());
    Ok(())
}

fn steps(args: &Args, profile: &Arc<Profile>) -> Result<Vec<Step>, Failure> {
    let feature = feature(&args.weight, profile)?;
    let shape = QueryKind::ALL.into_iter().find(|kind| args.shape.as_deref() == Some(kind.name()));
    let mut steps =
        vec![Step { label: "as it is".to_string(), profile: Arc::clone(profile), values: Vec::new() }];
    for at in 0..args.steps {
        let share = f32::from(at) / f32::from(args.steps - 1);
        let weight = args.from + (args.to - args.from) * share;
        let mut own = Profile::clone(profile);
        own.set_weight(shape, feature, weight);
        steps.push(Step { label: format!("{weight:.4}"), profile: Arc::new(own), values: Vec::new() });
    }
    Ok(steps)
}

/// The feature that is called so. A signal alone stands for the transform that the profile weighs.
fn feature(name: &str, profile: &Profile) -> Result<Feature, Failure> {
    let signal = Signal::by_name(name);
    let Some(signal) = signal else { return Ok(name.parse()?) };
    let weighed: Vec<Feature> = Transform::ALL
        .into_iter()
        .map(|transform| Feature { signal, transform })
        .filter(|feature| QueryKind::ALL.iter().any(|kind| profile.weight(*kind, *feature) != 0.0))
        .collect();
    match weighed[..] {
        [only] => Ok(only),
        _ => {
            let features = Transform::ALL.map(|transform| Feature { signal, transform }.to_string());
            Err(Failure::Asked(format!("--weight: choose a transform of '{name}': {}", features.join(", "))))
        }
    }
}

/// Asks the queries of a tree at every step; the steps are shared among threads.
fn tried(args: &Args, steps: &mut [Step], set: &Set, tree: &Tree, engine: &Engine) -> Result<(), Failure> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = steps.len().div_ceil(threads);
    thread::scope(|scope| {
        let shares: Vec<_> = steps
            .chunks_mut(share)
            .map(|steps| {
                scope.spawn(move || steps.iter_mut().try_for_each(|step| step.ask(args, set, tree, engine)))
            })
            .collect();
        shares.into_iter().try_for_each(|share| share.join().expect("asking does not panic"))
    })
}

impl Step {
    fn ask(&mut self, args: &Args, set: &Set, tree: &Tree, engine: &Engine) -> Result<(), Failure> {
        let k = usize::from(args.k);
        // Snippets cost time, and only tokens are counted in them.
        let mode = if args.measure == Measure::Tokens { Mode::Default } else { Mode::Compact };
        // MAP looks at the whole list.
        let page = if args.measure == Measure::Map { MAX_RESULTS } else { k };
        for query in &tree.queries {
            let request = SearchRequest { mode, ..request(&query.text, page, &self.profile) };
            let reply = engine.search(&request)?;
            let hits: Vec<HitRow> = reply.results.iter().map(|hit| HitRow::new(query, hit)).collect();
            let value = args.measure.of(&measures(&hits, &query.targets, k));
            self.values.push(((set.name.clone(), tree.name.clone()), query.kind.clone(), value));
        }
        Ok(())
    }

    fn average(&self, kind: Option<&str>) -> f64 {
        let chosen = self.values.iter().filter(|(_, own, _)| kind.is_none_or(|kind| kind == own));
        mean_of_means(chosen.map(|(group, _, value)| (group, *value)))
    }
}

fn table(args: &Args, steps: &[Step]) -> Table {
    let kinds: BTreeSet<&str> = steps[0].values.iter().map(|(_, kind, _)| kind.as_str()).collect();
    let measure = args.measure.name(usize::from(args.k));
    let mut head = vec![args.weight.as_str(), measure.as_str()];
    head.extend(&kinds);
    let mut table = Table::new(&head);
    for step in steps {
        let averages = std::iter::once(None).chain(kinds.iter().copied().map(Some));
        let values = averages.map(|kind| format!("{:.4}", step.average(kind)));
        table.row(std::iter::once(step.label.clone()).chain(values).collect());
    }
    table
}
