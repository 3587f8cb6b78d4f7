//! One open engine that several threads ask at once: answers a second, and allocations an answer.
//!
//! ```text
//! cargo run --release -p spyhop-eval --example callers -- TREE [--index-dir DIR] [--queries FILE] [--threads N...] [--seconds N]
//!     [--json]
//! ```
//!
//! The engine does not look for changes, the page cache is warm, and every query is asked once before. Ranked searches
//! and exact ones are measured apart, each with the snippets or lines of its first page. A thread asks all queries in
//! turn, each thread from another one on, until the time is over. An exact search takes further threads itself where
//! it has many files to read, so that its answers a second grow less.
//!
//! Allocations are counted on one thread by this program's allocator, those of the threads that an exact search starts
//! among them; while it does not count it only looks at a flag. A reallocation is one, and its bytes are the new size.
//!
//! FILE holds queries, a line each, `search ` or `grep ` before it. For a kind that it does not have the queries are
//! those below, which find something in any tree.

use std::alloc::{GlobalAlloc, Layout, System};
use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use serde_json::json;
use spyhop::Engine;
use spyhop::engine::api::{GrepRequest, Options, SearchRequest, StalePolicy};

const SEARCHES: [&str; 12] = [
    "where are files read and decoded",
    "how is an error reported to the caller",
    "parse command line options",
    "what happens when a lock is held by another process",
    "write the list of changes to disk",
    "is a path ignored or hidden",
    "new",
    "read_file",
    "parseOptions",
    "max_size",
    "return None",
    "if (error != null)",
];

const GREPS: [&str; 8] =
    ["read_file", "max_size", "TODO", "[Pp]arse\\w*Options", "is_\\w+_empty", "timeout", "config", "zzqxj"];

/// The system's allocator, which counts when it is told to.
struct Counting;

static COUNTS: AtomicBool = AtomicBool::new(false);
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count(bytes: usize) {
    if COUNTS.load(Relaxed) {
        ALLOCATIONS.fetch_add(1, Relaxed);
        BYTES.fetch_add(bytes as u64, Relaxed);
    }
}

// SAFETY: everything is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}

/// A query of either kind.
enum Request {
    Search(SearchRequest),
    Grep(GrepRequest),
}

impl Request {
    fn ask(&self, engine: &Engine) -> Result<(), spyhop::Error> {
        match self {
            Request::Search(request) => drop(black_box(engine.search(request)?)),
            Request::Grep(request) => drop(black_box(engine.grep(request)?)),
        }
        Ok(())
    }
}

/// What so many threads came to.
struct Load {
    threads: usize,
    a_second: f64,
    p50: Duration,
    p99: Duration,
}

/// What answers took of the allocator, a row a query.
struct Allocated {
    queries: Vec<(u64, u64)>,
}

struct Row {
    kind: &'static str,
    loads: Vec<Load>,
    allocated: Allocated,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = args();
    let tree: &PathBuf = args.get_one("tree").expect("required");
    let scratch = tempfile::tempdir()?;
    let dir = args.get_one::<PathBuf>("index-dir").cloned().unwrap_or(scratch.path().to_path_buf());
    let stale_policy = StalePolicy::Ignore;
    let options = Options { index_dir: Some(std::path::absolute(dir)?), stale_policy, ..Options::default() };
    let engine = Engine::open(tree, options)?;
    let threads: Vec<usize> = args.get_many("threads").expect("it has a default").copied().collect();
    let time = Duration::try_from_secs_f64(*args.get_one("seconds").expect("it has a default"))?;
    let mut rows = Vec::new();
    for (kind, requests) in requests(args.get_one("queries"))? {
        for request in &requests {
            request.ask(&engine)?;
        }
        let loads = threads.iter().map(|threads| load(&engine, &requests, *threads, time));
        let loads = loads.collect::<Result<_, _>>()?;
        rows.push(Row { kind, loads, allocated: allocated(&engine, &requests)? });
    }
    if args.get_flag("json") {
        println!("{}", as_json(&rows))
    } else {
        print(&rows)
    }
    Ok(())
}

fn args() -> ArgMatches {
    clap::Command::new("callers")
        .arg(Arg::new("tree").required(true).value_parser(value_parser!(PathBuf)))
        .arg(Arg::new("index-dir").long("index-dir").value_parser(value_parser!(PathBuf)))
        .arg(Arg::new("queries").long("queries").value_parser(value_parser!(PathBuf)))
        .arg(
            Arg::new("threads")
                .long("threads")
                .num_args(1..)
                .value_parser(value_parser!(usize))
                .default_values(["1", "2", "4", "8"]),
        )
        .arg(Arg::new("seconds").long("seconds").value_parser(value_parser!(f64)).default_value("2"))
        .arg(Arg::new("json").long("json").action(ArgAction::SetTrue))
        .get_matches()
}

/// The name of each kind, and its queries.
type Kinds = [(&'static str, Vec<Request>); 2];

fn requests(file: Option<&PathBuf>) -> Result<Kinds, Box<dyn Error>> {
    let text = file.map(fs::read_to_string).transpose()?.unwrap_or_default();
    let (mut searches, mut greps) = (Vec::new(), Vec::new());
    for line in text.lines() {
        match line.split_once(' ') {
            Some(("search", query)) => searches.push(query),
            Some(("grep", pattern)) => greps.push(pattern),
            _ => return Err(format!("'{line}' begins with neither `search ` nor `grep `").into()),
        }
    }
    if searches.is_empty() {
        searches.extend(SEARCHES);
    }
    if greps.is_empty() {
        greps.extend(GREPS);
    }
    let searches = searches.into_iter().map(|query| Request::Search(SearchRequest::new(query))).collect();
    let greps = greps.into_iter().map(|pattern| Request::Grep(GrepRequest::new(pattern))).collect();
    Ok([("search", searches), ("grep", greps)])
}

/// So many threads for so long.
fn load(
    engine: &Engine,
    requests: &[Request],
    threads: usize,
    time: Duration,
) -> Result<Load, Box<dyn Error>> {
    let begun = Instant::now();
    let caller = |number: usize| -> Result<Vec<Duration>, spyhop::Error> {
        let mut times = Vec::new();
        let from = number * requests.len() / threads;
        for request in requests.iter().cycle().skip(from) {
            let asked = Instant::now();
            request.ask(engine)?;
            times.push(asked.elapsed());
            // Whole rounds, or what is cheap and stands first would be asked more often.
            if begun.elapsed() >= time && times.len() % requests.len() == 0 {
                break;
            }
        }
        Ok(times)
    };
    let times = thread::scope(|scope| {
        let callers: Vec<_> = (0..threads).map(|number| scope.spawn(move || caller(number))).collect();
        let times = callers.into_iter().map(|caller| caller.join().expect("a caller does not panic"));
        times.collect::<Result<Vec<_>, _>>()
    })?;
    let took = begun.elapsed();
    let mut times = times.concat();
    times.sort_unstable();
    let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or_default();
    Ok(Load { threads, a_second: times.len() as f64 / took.as_secs_f64(), p50: at(50), p99: at(99) })
}

fn allocated(engine: &Engine, requests: &[Request]) -> Result<Allocated, spyhop::Error> {
    let mut queries = Vec::new();
    for request in requests {
        let before = (ALLOCATIONS.load(Relaxed), BYTES.load(Relaxed));
        COUNTS.store(true, Relaxed);
        let asked = request.ask(engine);
        COUNTS.store(false, Relaxed);
        asked?;
        queries.push((ALLOCATIONS.load(Relaxed) - before.0, BYTES.load(Relaxed) - before.1));
    }
    Ok(Allocated { queries })
}

impl Allocated {
    /// The median, the mean and the most of a column.
    fn of(&self, column: impl Fn(&(u64, u64)) -> u64) -> [u64; 3] {
        let mut values: Vec<u64> = self.queries.iter().map(column).collect();
        values.sort_unstable();
        let mean = values.iter().sum::<u64>() / values.len().max(1) as u64;
        let at = |place: usize| values.get(place).copied().unwrap_or_default();
        [at(values.len() / 2), mean, at(values.len().saturating_sub(1))]
    }
}

fn print(rows: &[Row]) {
    println!("| kind | threads | answers a second | times one thread | p50 ms | p99 ms |");
    println!("|---|--:|--:|--:|--:|--:|");
    for Row { kind, loads, .. } in rows {
        for Load { threads, a_second, p50, p99 } in loads {
            let times = a_second / loads[0].a_second;
            let [p50, p99] = [p50, p99].map(|time| time.as_secs_f64() * 1e3);
            println!("| {kind} | {threads} | {a_second:.0} | {times:.2} | {p50:.2} | {p99:.2} |");
        }
    }
    println!("\n| kind | allocations, median | mean | most | KB, median | mean | most |");
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for Row { kind, allocated, .. } in rows {
        let [median, mean, most] = allocated.of(|query| query.0);
        let kilobytes = allocated.of(|query| query.1 / 1000).map(|of| of.to_string()).join(" | ");
        println!("| {kind} | {median} | {mean} | {most} | {kilobytes} |");
    }
}

fn as_json(rows: &[Row]) -> serde_json::Value {
    let loads = rows.iter().flat_map(|row| row.loads.iter().map(|load| (row.kind, load)));
    let loads = loads.map(|(kind, load)| {
        json!({
            "kind": kind,
            "threads": load.threads,
            "a_second": load.a_second,
            "p50_us": load.p50.as_micros(),
            "p99_us": load.p99.as_micros(),
        })
    });
    let allocated = rows.iter().map(|row| {
        let [allocations, bytes] = [row.allocated.of(|query| query.0), row.allocated.of(|query| query.1)];
        json!({ "kind": row.kind, "allocations": allocations, "bytes": bytes })
    });
    json!({ "threads": loads.collect::<Vec<_>>(), "allocated": allocated.collect::<Vec<_>>() })
}
