//! Whatever happens to a tree, its refreshed index answers as one that is made anew.
//!
//! Sequences of steps are drawn from a seed and carried out on real trees, most of them git repositories with branches
//! and worktrees. After each step the index that has seen them all and a fresh one in another folder must give equal
//! answers, scores to the bit, and list and count the same; refreshing once more must find nothing to do. A failing
//! sequence is shrunk and printed.
//!
//! ```text
//! cargo test --test integration rebuild                                         five short sequences
//! SPYHOP_SEQUENCES=200 SPYHOP_STEPS=40 SPYHOP_SEED=7 cargo test --release --test integration rebuild -- --nocapture
//! ```

mod step;
#[cfg(target_os = "linux")]
mod watched;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use serde_json::Value;
use spyhop_engine::Engine;
use spyhop_engine::api::{FilesRequest, MapRequest, Options, SearchRequest, SkippedRequest, Snapshot};
use spyhop_interface::render::json;
use spyhop_search::filter::FilterSpec;

use super::{exact, refresh, rendered};
use crate::support::unprivileged;
use step::{MAX_FILE_BYTES, Step, World};

fn number(name: &str, otherwise: u32) -> u32 {
    std::env::var(name)
        .map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{name} is a number")))
}

fn steps() -> impl Strategy<Value = Step> {
    let n = any::<u16>();
    prop_oneof![
        4 => (n, n).prop_map(|(a, b)| Step::Edit(a, b)),
        2 => n.prop_map(Step::Add),
        2 => (n, n).prop_map(|(a, b)| Step::Save(a, b)),
        4 => n.prop_map(Step::SameSize),
        2 => n.prop_map(Step::SameSizeSameTime),
        1 => n.prop_map(Step::Append),
        1 => n.prop_map(Step::Touch),
        1 => n.prop_map(Step::TouchBack),
        2 => n.prop_map(Step::Delete),
        3 => (n, n).prop_map(|(a, b)| Step::Rename(a, b)),
        2 => (n, n).prop_map(|(a, b)| Step::RenameFolder(a, b)),
        1 => n.prop_map(Step::DeleteFolder),
        2 => (n, n).prop_map(|(a, b)| Step::Copy(a, b)),
        2 => (n, n).prop_map(|(a, b)| Step::Exchange(a, b)),
        3 => (n, n).prop_map(|(a, b)| Step::Mode(a, b)),
        2 => (n, n).prop_map(|(a, b)| Step::FolderMode(a, b)),
        5 => (n, n, n).prop_map(|(a, b, c)| Step::Ignore(a, b, c)),
        2 => (n, n).prop_map(|(a, b)| Step::Unignore(a, b)),
        1 => n.prop_map(Step::Unfold),
        1 => n.prop_map(Step::Fold),
        1 => (n, n).prop_map(|(a, b)| Step::Link(a, b)),
        2 => (n, n).prop_map(|(a, b)| Step::LinkOver(a, b)),
        5 => (n, n).prop_map(|(a, b)| Step::Odd(a, b)),
        2 => n.prop_map(Step::Track),
        2 => n.prop_map(Step::Untrack),
        4 => Just(Step::Commit),
        6 => n.prop_map(Step::Checkout),
        1 => n.prop_map(Step::Detach),
        2 => n.prop_map(Step::Merge),
        1 => Just(Step::Stash),
        1 => Just(Step::ResetHard),
        3 => n.prop_map(Step::Worktree),
        3 => Just(Step::Reopen),
        1 => Just(Step::Rest),
    ]
}

/// A sequence: the seed of its texts, whether the tree is a repository, and the steps.
#[derive(Clone, Debug)]
struct Sequence {
    seed: u64,
    has_git: bool,
    steps: Vec<Step>,
}

fn sequences(longest: usize) -> impl Strategy<Value = Sequence> {
    let drawn = (any::<u64>(), prop::bool::weighted(0.8), vec(steps(), longest / 2..=longest));
    drawn.prop_map(|(seed, has_git, steps)| Sequence { seed, has_git, steps })
}

fn open(root: &Path, index: PathBuf) -> Engine {
    let index_dir = Some(index);
    let options =
        Options { index_dir, max_file_bytes: MAX_FILE_BYTES, threads: Some(2), ..Options::default() };
    Engine::open(root, options).unwrap()
}

fn requests() -> Vec<SearchRequest> {
    let ask = |query: &str| SearchRequest { max_results: 50, ..SearchRequest::new(query) };
    let queries = [
        "resolve the quota",
        "session_token",
        "merge",
        "where is the cache updated",
        "inside",
        "let quota = session_token;",
        "how to notify an order with the key",
        "renamed moved link",
        "fn",
        "bddpvou rvpub",
    ];
    let mut requests: Vec<SearchRequest> = queries.into_iter().map(ask).collect();
    let rust = FilterSpec { lang: vec!["rust".into()], ..FilterSpec::default() };
    requests.push(SearchRequest { filter: rust, ..ask("handle the window") });
    let folder = FilterSpec { path_globs: vec!["merge/**".into()], ..FilterSpec::default() };
    requests.push(SearchRequest { filter: folder, ..ask("quota key") });
    requests
}

/// A snapshot without what tells two indexes of one tree apart.
fn named(snapshot: &Snapshot) -> String {
    let Snapshot { root, branch, commit, indexed_files, skipped_files, stale_files, .. } = snapshot;
    format!(
        "{root:?} {branch:?} {commit:?}: {indexed_files} indexed, {skipped_files} skipped, {stale_files} stale"
    )
}

fn without_snapshot(text: &str) -> Value {
    let mut value: Value = serde_json::from_str(text).unwrap();
    let fields = value.as_object_mut().unwrap();
    for name in ["snapshot", "next", "generation", "index_bytes", "index_path", "views", "watcher"] {
        fields.remove(name);
    }
    value
}

/// All that an engine says of its tree but what names the index.
fn says(engine: &Engine) -> Vec<(String, String)> {
    let mut said = Vec::new();
    for request in requests() {
        let reply = engine.search(&request).unwrap();
        let warnings = reply.warnings.join("\n");
        let text = format!(
            "{}\n{}\n{:#}\n{warnings}",
            named(&reply.snapshot),
            exact(&reply).join("\n"),
            rendered(&reply)
        );
        said.push((request.query, text));
    }
    let status = engine.status().unwrap();
    said.push(("status".into(), format!("{:#}", without_snapshot(&json::line(&status)))));
    let skipped = engine.ask(&SkippedRequest::default()).unwrap();
    said.push(("skipped".into(), format!("{:#?}\n{:?}", skipped.entries, skipped.counts)));
    let files = engine.ask(&FilesRequest { max_results: 1000, ..FilesRequest::new("") }).unwrap();
    said.push(("files".into(), format!("{:#}", without_snapshot(&json::line(&files)))));
    let map = engine.ask(&MapRequest::default()).unwrap();
    said.push(("map".into(), format!("{:#}", without_snapshot(&json::line(&map)))));
    said
}

/// The lines in which two texts differ, a few of them.
fn difference(one: &str, other: &str) -> String {
    let apart = one.lines().zip(other.lines()).filter(|(one, other)| one != other).take(6);
    let shown: Vec<String> =
        apart.map(|(one, other)| format!("  refreshed {one}\n  fresh     {other}")).collect();
    format!("{} and {} lines\n{}", one.lines().count(), other.lines().count(), shown.join("\n"))
}

/// The refreshed index of a tree and a fresh one say the same.
fn check(engine: &Engine, explicitly: bool) -> Result<(), String> {
    if explicitly {
        refresh(engine);
    }
    let refreshed = says(engine);
    let again = refresh(engine);
    if (again.parsed, again.added + again.changed + again.deleted) != (0, 0) {
        return Err(format!("refreshed again, it finds something to do: {again:?}"));
    }
    // It is gone soon, so it need not reach a disk.
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let anew = says(&open(engine.root(), folder.path().join("index")));
    for ((what, one), (_, other)) in refreshed.iter().zip(&anew) {
        if one != other {
            return Err(format!("'{what}' differs: {}", difference(one, other)));
        }
    }
    Ok(())
}

fn run(sequence: &Sequence) -> Result<(), String> {
    let mut world = World::new(sequence.seed, sequence.has_git);
    let mut engines = vec![open(&world.roots[0], world.beside("index"))];
    refresh(&engines[0]);
    for (place, step) in sequence.steps.iter().enumerate() {
        let reopen = world.apply(*step);
        for at in engines.len()..world.roots.len() {
            engines.push(open(&world.roots[at], world.beside("index")));
        }
        if reopen {
            engines[world.here] = open(world.root(), world.beside("index"));
        }
        check(&engines[world.here], place % 2 == 0)
            .map_err(|why| format!("step {place}, {step:?}: {why}"))?;
    }
    for engine in &engines {
        check(engine, false).map_err(|why| format!("at the end: {why}"))?;
    }
    Ok(())
}

/// Tries drawn sequences, without a privilege that would make every file readable.
fn try_sequences(run: fn(&Sequence) -> Result<(), String>) {
    let by_default = crate::support::cases(3, 20) as u32;
    let (cases, longest) = (number("SPYHOP_SEQUENCES", by_default), number("SPYHOP_STEPS", 12) as usize);
    let seed = number("SPYHOP_SEED", 1);
    unprivileged(|| {
        let config = Config {
            cases,
            failure_persistence: None,
            max_shrink_iters: 400,
            max_shrink_time: 120_000,
            ..Config::default()
        };
        let mut bytes = [0; 32];
        bytes[..4].copy_from_slice(&seed.to_le_bytes());
        let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
        let result = runner.run(&sequences(longest), |sequence| {
            let ran = catch_unwind(AssertUnwindSafe(|| run(&sequence)));
            ran.unwrap_or_else(|_| Err("it panicked; see above".to_string())).map_err(TestCaseError::fail)
        });
        match result {
            Ok(()) => println!("{cases} sequences of up to {longest} steps, seed {seed}"),
            Err(TestError::Fail(why, sequence)) => panic!("seed {seed}: {why}\n{sequence:#?}"),
            Err(other) => panic!("seed {seed}: {other}"),
        }
    });
}

#[test]
fn a_refreshed_index_is_as_one_made_anew() {
    try_sequences(run);
}
