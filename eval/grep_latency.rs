//! How long `Engine::grep` takes in a process that stays: patterns from standard input, one a line, on an indexed tree
//! whose changes are ignored; the median, and that of patterns with at most a thousand lines.
//!
//!     cargo run --release -p spyhop-eval --example grep_latency -- TREE INDEX_DIR < patterns

use std::io::BufRead;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use spyhop::engine::api::{GrepRequest, Options, StalePolicy};
use spyhop::{Engine, ErrorKind};

/// Lines up to which an answer counts as a small one.
const FEW_LINES: usize = 1_000;

/// How often each is asked; the median counts.
const RUNS: usize = 7;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(tree), index_dir) = (args.next(), args.next()) else {
        return Err("give a tree, and perhaps an index folder".into());
    };
    let options = Options { index_dir, stale_policy: StalePolicy::Ignore, ..Options::default() };
    let engine = Engine::open(tree, options)?;
    let mut rows: Vec<(Duration, usize, String)> = Vec::new();
    for pattern in std::io::stdin().lock().lines() {
        let request = GrepRequest::new(pattern?);
        let mut times = Vec::new();
        let mut lines = 0;
        for _ in 0..RUNS {
            let start = Instant::now();
            lines = match engine.grep(&request) {
                Ok(reply) => reply.total_lines,
                Err(error) if error.kind() == ErrorKind::BadRequest => break,
                Err(error) => return Err(error.into()),
            };
            times.push(start.elapsed());
        }
        times.sort();
        rows.extend(times.get(times.len() / 2).map(|time| (*time, lines, request.pattern)));
    }
    for (time, lines, pattern) in &rows {
        println!("{:9.2} ms {lines:8} lines  {pattern}", time.as_secs_f64() * 1e3);
    }
    let median = |rows: Vec<&(Duration, usize, String)>| {
        let mut times: Vec<Duration> = rows.iter().map(|(time, ..)| *time).collect();
        times.sort();
        times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1e3)
    };
    let few: Vec<_> = rows.iter().filter(|(_, lines, _)| *lines <= FEW_LINES).collect();
    println!("{} patterns: {:.2} ms at p50", rows.len(), median(rows.iter().collect()));
    println!("{} of at most {FEW_LINES} lines: {:.2} ms at p50", few.len(), median(few));
    Ok(())
}
