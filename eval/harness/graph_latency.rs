//! `spyhop-eval graph-latency`: the time of questions to the code graph in a process that stays, on an indexed tree whose changes
//! are ignored. The first answer of each line is not counted, because it may read files from the disk.
//!
//!     printf 'callers kfree\nrefs kfree\nimpact kernel/cpu.c\n' | spyhop-eval graph-latency TREE INDEX_DIR
//!
//! The line `diff FILE` asks for the impact of the unified diff in a file.

use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use spyhop::engine::api::StalePolicy;
use spyhop::{Engine, GraphChanges, GraphQuestion, GraphRequest, Options};

use crate::failure::Failure;

/// Time questions to the code graph: lines such as `callers kfree` from standard input, and callers of drawn functions
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The tree
    tree: PathBuf,
    /// Its index
    index_dir: PathBuf,
    /// Also ask for the callers of this many functions, drawn from the sources of the tree
    #[arg(long, default_value_t = 0, value_name = "N")]
    draw: usize,
    /// The seed of the draw
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// How often each question is asked; the median counts.
const RUNS: usize = 7;

struct Timed {
    median: Duration,
    rows: usize,
    total: usize,
    is_complete: bool,
}

fn ask(engine: &Engine, request: &GraphRequest) -> Result<Timed, spyhop::Error> {
    let mut reply = engine.graph(request)?;
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        reply = engine.graph(request)?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    let is_complete = reply.incomplete.is_none();
    Ok(Timed { median: times[RUNS / 2], rows: reply.rows.len(), total: reply.total, is_complete })
}

/// The question of a line: `callers kfree`, or `diff FILE` for the impact of the diff in a file.
fn request_of(line: &str) -> Result<GraphRequest, Failure> {
    let (name, target) = line
        .split_once(' ')
        .ok_or_else(|| Failure::Asked(format!("'{line}' is not a question and a target")))?;
    if name == "diff" {
        let changes = Some(GraphChanges::Diff(std::fs::read_to_string(target)?));
        return Ok(GraphRequest { changes, ..GraphRequest::new(GraphQuestion::Impact, "") });
    }
    let question = GraphQuestion::ALL
        .into_iter()
        .find(|own| own.name() == name)
        .ok_or_else(|| Failure::Asked(format!("there is no question '{name}'")))?;
    Ok(GraphRequest::new(question, target))
}

/// The names of functions in random sources of the tree, at most one of a file.
fn drawn(tree: &Path, wanted: usize, mut seed: u64) -> Vec<String> {
    let mut files: Vec<PathBuf> = ignore::WalkBuilder::new(tree)
        .build()
        .flatten()
        .map(ignore::DirEntry::into_path)
        .filter(|path| {
            path.extension()
                .is_some_and(|ending| ["c", "go", "rs", "py", "ts"].iter().any(|own| ending == *own))
        })
        .collect();
    files.sort();
    let name = regex::Regex::new(
        r"(?m)^(?:(?:pub(?:\([a-z]+\))? |async |const )*fn (\w+)|func (?:\([^)\n]*\) )?(\w+)|\s*def (\w+)|(?:export )?function (\w+)|(?:static |struct |const |unsigned |inline )*\w+ \**(\w+)\([^;\n]*$)",
    )
    .expect("a constant pattern");
    let mut names = Vec::new();
    for _ in 0..wanted * 20 {
        if names.len() == wanted || files.is_empty() {
            break;
        }
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let file = &files[(seed >> 33) as usize % files.len()];
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let found: Vec<String> = name
            .captures_iter(&text)
            .filter_map(|found| found.iter().skip(1).flatten().next().map(|name| name.as_str().to_string()))
            .collect();
        if !found.is_empty() {
            names.push(found[(seed >> 20) as usize % found.len()].clone());
        }
    }
    names
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let options = Options {
        index_dir: Some(args.index_dir.clone()),
        stale_policy: StalePolicy::Ignore,
        ..Options::default()
    };
    let engine = Engine::open(&args.tree, options)?;
    let mut lines: Vec<String> = Vec::new();
    if !std::io::stdin().is_terminal() {
        lines = std::io::stdin().lock().lines().collect::<Result<_, _>>()?;
    }
    for line in &lines {
        let shown = match ask(&engine, &request_of(line)?) {
            Ok(Timed { median, rows, total, is_complete }) => {
                let least = if is_complete { "" } else { "at least " };
                format!("{:9.2} ms  {rows} of {least}{total}", median.as_secs_f64() * 1e3)
            }
            Err(error) => format!("failed: {error}"),
        };
        println!("{line:<44} {shown}");
    }
    let mut timed: Vec<(Duration, String)> = Vec::new();
    for name in drawn(&args.tree, args.draw, args.seed) {
        match ask(&engine, &GraphRequest::new(GraphQuestion::Callers, &name)) {
            Ok(answered) if answered.rows > 0 => timed.push((answered.median, name)),
            Ok(_) => println!("callers {name:<36} no rows"),
            Err(error) => println!("callers {name:<36} failed: {error}"),
        }
    }
    timed.sort();
    if let Some((slowest, name)) = timed.last() {
        let median = timed[timed.len() / 2].0.as_secs_f64() * 1e3;
        let slowest = slowest.as_secs_f64() * 1e3;
        println!(
            "callers of {} functions: median {median:.2} ms, slowest {slowest:.2} ms ({name})",
            timed.len()
        );
    }
    Ok(())
}
