//! The same of an index that a watcher keeps current, for those who trust it instead of comparing.

use std::time::{Duration, Instant};

use spyhop_engine::Stop;
use spyhop_engine::api::{StalePolicy, WatchEnd};

use super::*;

/// So long a change may take to get into the index on a machine that is busy with other things.
const DEADLINE: Duration = Duration::from_secs(120);

/// An engine that changes nothing itself: it answers when nothing is known to be missing, and fails otherwise.
fn trusting(root: &Path, index: PathBuf) -> Engine {
    let (index_dir, stale_policy) = (Some(index), StalePolicy::Error);
    let threads = Some(2);
    Engine::open(
        root,
        Options { index_dir, stale_policy, threads, max_file_bytes: MAX_FILE_BYTES, ..Options::default() },
    )
    .unwrap()
}

/// Waits until the watcher has caught up.
fn settle(engine: &Engine) -> Result<(), String> {
    let deadline = Instant::now() + DEADLINE;
    while let Err(error) = engine.search(&SearchRequest::new("quota")) {
        if Instant::now() > deadline {
            return Err(format!("the watcher does not catch up: {error}"));
        }
    }
    Ok(())
}

/// Ends watches, whatever happens: those who wait for them would wait for ever.
struct Stops(Vec<Stop>);

impl Drop for Stops {
    fn drop(&mut self) {
        self.0.iter().for_each(Stop::stop);
    }
}

fn run_watched(sequence: &Sequence) -> Result<(), String> {
    let mut world = World::new(sequence.seed, sequence.has_git);
    std::thread::scope(|scope| {
        let mut stops = Stops(Vec::new());
        let mut engines = Vec::new();
        let begin = |world: &World, at: usize, stops: &mut Stops| {
            let stop = Stop::default();
            stops.0.push(stop.clone());
            let watched = open(&world.roots[at], world.beside("index"));
            scope.spawn(move || assert_eq!(watched.watch(&stop, &|_| ()).unwrap(), WatchEnd::Stopped));
            trusting(&world.roots[at], world.beside("index"))
        };
        refresh(&open(&world.roots[0], world.beside("index")));
        engines.push(begin(&world, 0, &mut stops));
        for (place, step) in sequence.steps.iter().enumerate() {
            let reopen = world.apply(*step);
            for at in engines.len()..world.roots.len() {
                refresh(&open(&world.roots[at], world.beside("index")));
                engines.push(begin(&world, at, &mut stops));
            }
            if reopen {
                engines[world.here] = trusting(world.root(), world.beside("index"));
            }
            let failed = |why| format!("step {place}, {step:?}: {why}");
            settle(&engines[world.here]).map_err(failed)?;
            check(&engines[world.here], false).map_err(failed)?;
        }
        for engine in &engines {
            settle(engine).and_then(|()| check(engine, false)).map_err(|why| format!("at the end: {why}"))?;
        }
        Ok(())
    })
}

#[test]
fn a_watched_index_is_as_one_made_anew() {
    try_sequences(run_watched);
}
