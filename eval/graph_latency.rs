//! How long questions to the code graph take in a process that stays: lines from standard input, each a question and a
//! target such as `callers kfree`, on an indexed tree whose changes are ignored. The first answer of each line is not
//! counted, because it may read files from the disk.
//!
//!     printf 'callers kfree\nrefs kfree\nimpact kernel/cpu.c\n' |
//!         cargo run --release -p spyhop-eval --example graph_latency -- TREE INDEX_DIR
//!
//! The line `diff FILE` asks for the impact of the unified diff in a file.
//!
//! With `--draw N SEED`, also the callers of N functions whose names are drawn from the sources of the tree.

use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use spyhop::engine::api::StalePolicy;
use spyhop::{Engine, GraphChanges, GraphQuestion, GraphRequest, Options};

/// How often each question is asked; the median counts.
const RUNS: usize = 7;

struct Timed {
    median: Duration,
    rows: usize,
    total: usize,
    is_complete: bool,
}

fn ask(engine: &Engine, request: &GraphRequest) -> Result<Timed, spyhop::engine::Error> {
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
fn request_of(line: &str) -> Result<GraphRequest, Box<dyn std::error::Error>> {
    let (name, target) = line.split_once(' ').ok_or("a line is a question and a target")?;
    if name == "diff" {
        let changes = Some(GraphChanges::Diff(std::fs::read_to_string(target)?));
        return Ok(GraphRequest { changes, ..GraphRequest::new(GraphQuestion::Impact, "") });
    }
    let question = GraphQuestion::ALL.into_iter().find(|own| own.name() == name).ok_or("no such question")?;
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

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(tree), Some(index)) = (args.next(), args.next()) else {
        return Err("give a tree and an index folder".into());
    };
    let (mut draw, mut seed) = (0, 1);
    if args.next().as_deref() == Some("--draw") {
        draw = args.next().ok_or("give a number after --draw")?.parse()?;
        seed = args.next().map_or(Ok(1), |seed| seed.parse())?;
    }
    let options =
        Options { index_dir: Some(index.into()), stale_policy: StalePolicy::Ignore, ..Options::default() };
    let engine = Engine::open(&tree, options)?;
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
    for name in drawn(Path::new(&tree), draw, seed) {
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
