//! `spyhop-eval stages`: where a warm question's time goes: ordinary questions about kubernetes, asked many times of one open
//! engine.
//!
//! The questions are those of somebody who works on kubernetes (any version): names, sentences, questions, one without any
//! answer. The engine does not look for changes, and the page cache is warm. Every round asks each question once. Half of the
//! rounds measure whole answers with tracing off; the other half listens to the spans that the library opens for its stages,
//! which costs some microseconds an answer. A stage that contains others is measured with them; an indented stage is a part of the
//! stage above.

use std::collections::HashMap;
use std::hint::black_box;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use spyhop::render::json::{self, JsonPaths};
use spyhop::{Engine, Options, SearchRequest, StalePolicy};
use tracing::span::Id;
use tracing::{Subscriber, subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::{LookupSpan, Registry};

use crate::failure::Failure;

/// Time the stages of warm questions about kubernetes
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The tree
    tree: PathBuf,
    /// The index; without it the tree is indexed into a temporary folder
    #[arg(long, value_name = "DIR")]
    index_dir: Option<PathBuf>,
    /// How often each question is asked, with and without tracing
    #[arg(long, default_value_t = 40, value_name = "N")]
    rounds: usize,
    /// Count the processor time of the thread, which other programs lengthen less
    #[arg(long)]
    cpu: bool,
    /// Only questions that contain this text, or the text itself if none does
    #[arg(long, default_value = "", value_name = "TEXT")]
    only: String,
    /// A row for each question
    #[arg(long)]
    each: bool,
    /// p50, p90, p99 and the mean of each stage as JSON
    #[arg(long)]
    json: bool,
}

const QUESTIONS: &[&str] = &[
    "kubelet",
    "NewSchedulerCommand",
    "PodDisruptionBudget",
    "syncHandler",
    "ParseQuantity",
    "leader_election",
    "watchCache",
    "eviction manager",
    "garbage collection of images on a node",
    "horizontal pod autoscaler replica calculation",
    "round robin load balancer of the user space proxy",
    "iptables rules for service endpoints",
    "admission webhook timeout",
    "rolling update of a deployment",
    "decode a secret from base64",
    "node taint eviction rate limiter",
    "token request for service accounts",
    "where are pods bound to nodes?",
    "how does the scheduler score nodes",
    "how is a container restarted when its liveness probe fails",
    "where does the api server check that a user may do something",
    "what happens to the volumes of a pod that is deleted",
    "how are resource versions compared when an object is updated",
    "which code decides that a certificate must be renewed",
    "retry with exponential backoff after a conflict",
    "convert an internal object to another api version",
    "validate the name of a namespace",
    "parse command line flags of kubectl",
    "return an error if the file does not exist",
    "func (kl *Kubelet) syncPod(",
    "if err := c.queue.Add(key)",
    "the quick brown fox jumps over the lazy dog",
];

/// The stages as they are printed: the name of a span, and how it is shown.
const STAGES: &[(&str, &str)] = &[
    ("search.evidence", "evidence"),
    ("search.evidence.body", "  body"),
    ("search.evidence.symbol", "  symbols"),
    ("search.evidence.comment", "  comments"),
    ("search.evidence.name", "  file names"),
    ("search.evidence.path", "  paths"),
    ("search.evidence.definitions", "  definitions"),
    ("search.literal", "  literal pass"),
    ("search.evidence.rows", "  rows of files"),
    ("search.fusion", "fusion"),
    ("search.rescoring", "rescoring"),
    ("search.hits", "hits"),
    ("search.face", "faces of the page"),
    ("search.snippet", "snippets of the page"),
];

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    CPU.store(args.cpu, Relaxed);
    let scratch = tempfile::tempdir()?;
    let dir = args.index_dir.clone().unwrap_or(scratch.path().to_path_buf());
    let stale_policy = StalePolicy::Ignore;
    let options = Options { index_dir: Some(std::path::absolute(dir)?), stale_policy, ..Options::default() };
    let engine = Engine::open(&args.tree, options)?;
    let (only, rounds) = (args.only.as_str(), args.rounds);
    let mut questions: Vec<&str> = QUESTIONS.iter().copied().filter(|text| text.contains(only)).collect();
    if questions.is_empty() {
        questions.push(only);
    }
    let requests: Vec<SearchRequest> = questions.iter().map(|text| SearchRequest::new(*text)).collect();
    for request in &requests {
        engine.search(request)?;
    }

    let whole = whole(&engine, &requests, rounds)?;
    let stages = by_stage(&engine, &requests, rounds)?;
    let mut rows: Vec<(&str, Percentiles)> = STAGES
        .iter()
        .map(|(name, shown)| (*shown, percentiles(stages.get(name).cloned().unwrap_or_default())))
        .collect();
    rows.push(("rendering as JSON", percentiles(whole.rendering.concat())));
    rows.push(("whole answer, tracing off", percentiles(whole.answers.concat())));
    if args.json {
        let rows: HashMap<&str, Percentiles> =
            rows.into_iter().map(|(shown, times)| (shown.trim(), times)).collect();
        println!("{}", serde_json::json!(rows));
        return Ok(());
    }
    println!("{} questions, {rounds} rounds; microseconds\n", questions.len());
    println!("| stage | p50 | p90 | p99 | mean |\n|---|--:|--:|--:|--:|");
    for (shown, [p50, p90, p99, mean]) in rows {
        println!("| {shown} | {p50} | {p90} | {p99} | {mean} |");
    }
    if args.each {
        println!("\n| question | p50 | p99 |\n|---|--:|--:|");
        for (question, mut times) in questions.iter().zip(whole.answers) {
            times.sort_unstable();
            println!("| {question} | {} | {} |", at(&times, 50), at(&times, 99));
        }
    }
    Ok(())
}

/// p50, p90, p99 and the mean, in microseconds.
type Percentiles = [u128; 4];

fn percentiles(mut times: Vec<Duration>) -> Percentiles {
    times.sort_unstable();
    let mean = times.iter().sum::<Duration>().as_micros() / times.len().max(1) as u128;
    [at(&times, 50), at(&times, 90), at(&times, 99), mean]
}

static CPU: AtomicBool = AtomicBool::new(false);

/// Since some moment; of processor time, if that is asked for and the system tells.
fn now() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    #[cfg(unix)]
    if CPU.load(Relaxed) {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the call fills what it is given.
        unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
        return Duration::new(time.tv_sec as u64, time.tv_nsec as u32);
    }
    START.elapsed()
}

/// A percentile in microseconds.
fn at(sorted: &[Duration], percent: usize) -> u128 {
    sorted.get(sorted.len() * percent / 100).map_or(0, Duration::as_micros)
}

/// Times by question.
struct Whole {
    answers: Vec<Vec<Duration>>,
    rendering: Vec<Vec<Duration>>,
}

fn whole(engine: &Engine, requests: &[SearchRequest], rounds: usize) -> Result<Whole, Failure> {
    let none = vec![Vec::with_capacity(rounds); requests.len()];
    let mut whole = Whole { answers: none.clone(), rendering: none };
    for _ in 0..rounds {
        for (place, request) in requests.iter().enumerate() {
            let begun = now();
            let reply = black_box(engine.search(request)?);
            whole.answers[place].push(now() - begun);
            let begun = now();
            black_box(json::line(&json::search(&reply, None, JsonPaths::default())));
            whole.rendering[place].push(now() - begun);
        }
    }
    Ok(whole)
}

/// The times of each stage, one an answer.
type Times = HashMap<&'static str, Vec<Duration>>;

fn by_stage(engine: &Engine, requests: &[SearchRequest], rounds: usize) -> Result<Times, Failure> {
    let stopwatch = Stopwatch::default();
    let sums = stopwatch.sums.clone();
    subscriber::with_default(Registry::default().with(stopwatch), || {
        let mut times = Times::new();
        for request in (0..rounds).flat_map(|_| requests) {
            black_box(engine.search(request)?);
            let sums = std::mem::take(&mut *sums.lock().expect("one thread"));
            for (name, _) in STAGES {
                times.entry(name).or_default().push(sums.get(name).copied().unwrap_or_default());
            }
        }
        Ok(times)
    })
}

/// Sums up how long each kind of span was entered.
#[derive(Default)]
struct Stopwatch {
    sums: Arc<Mutex<HashMap<&'static str, Duration>>>,
}

struct Begun(Duration);

impl<S: Subscriber + for<'l> LookupSpan<'l>> Layer<S> for Stopwatch {
    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            span.extensions_mut().replace(Begun(now()));
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let ended = now();
        let Some(span) = context.span(id) else { return };
        let begun = span.extensions().get::<Begun>().map(|begun| begun.0);
        if let Some(begun) = begun {
            *self.sums.lock().expect("one thread").entry(span.name()).or_default() += ended - begun;
        }
    }
}
