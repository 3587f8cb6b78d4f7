//! `spyhop-eval sources`: the time of one question over a library of many packages in a process that stays, and how much memory
//! and how many open files the process needs.
//!
//!     find ~/.cargo/registry/cache -name '*.crate' | spyhop-eval sources LIBRARY --build 200
//!     spyhop-eval sources LIBRARY
//!
//! `--build` adds packages whose files are named on standard input, the largest first. Every question is asked once, and then in
//! five rounds that are measured. Questions are sentences, and names that the packages define, drawn with a fixed seed.

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use spyhop::{
    AddRequest, FilesRequest, Library, LibraryOptions, Options, SearchRequest, SourceChoice, SymbolsRequest,
};

use crate::failure::Failure;

/// Time questions over a library of many packages
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder of the library
    library: PathBuf,
    /// Add packages first, until there are this many
    #[arg(long, value_name = "N")]
    build: Option<usize>,
    /// Add at most this many megabytes of unpacked files
    #[arg(long, default_value_t = 1000, value_name = "MB")]
    megabytes: u64,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    match args.build {
        Some(sources) => build(&args.library, sources, args.megabytes),
        None => ask(&args.library),
    }
    Ok(())
}

/// Questions that packages of any kind may answer.
const SENTENCES: &[&str] = &[
    "where is a timeout applied to a connection",
    "parse a header into name and value",
    "how is a buffer grown when it is full",
    "retry a request after an error",
    "encode bytes as base64",
    "compute the hash of a file",
    "split a path into its components",
    "convert a duration to milliseconds",
    "read a configuration file",
    "compress a stream of bytes",
    "compare two versions",
    "escape special characters in a string",
    "wait until a lock is free",
    "spawn a thread and join it",
    "decode utf-8 with replacement characters",
    "iterate over the entries of a directory",
    "format a number with leading zeros",
    "generate random numbers from a seed",
    "check a certificate chain",
    "merge overlapping ranges",
    "serialize a struct to json",
    "match a glob pattern against a path",
    "send a signal to a process",
    "allocate memory with alignment",
];

/// Rounds that are measured.
const ROUNDS: usize = 5;

fn library(folder: &Path) -> Library {
    Library::open(LibraryOptions { root: Some(folder.into()), ..LibraryOptions::default() })
        .expect("a library")
}

fn build(folder: &Path, most: usize, megabytes: u64) {
    let library = library(folder);
    let mut packages: Vec<(u64, PathBuf)> = std::io::stdin()
        .lock()
        .lines()
        .map_while(Result::ok)
        .filter_map(|line| Some((Path::new(&line).metadata().ok()?.len(), line.into())))
        .collect();
    packages.sort_by_key(|(bytes, path)| (std::cmp::Reverse(*bytes), path.clone()));
    let (mut sources, mut bytes) = (0, 0);
    let start = Instant::now();
    for (_, package) in packages {
        if sources == most || bytes >> 20 >= megabytes {
            break;
        }
        match library.add(&AddRequest::new(package.to_string_lossy()), &Options::default(), &|_| ()) {
            Ok(added) => (sources, bytes) = (sources + 1, bytes + added.source.bytes),
            Err(error) => eprintln!("{}: {error}", package.display()),
        }
    }
    println!("{sources} sources, {} MB of files, {:.1} s", bytes >> 20, start.elapsed().as_secs_f64());
}

/// A line of `/proc/self/status` in megabytes.
fn megabytes(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok()).unwrap_or(0) >> 10
}

fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

fn show(what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e3;
    println!(
        "{what:<24} p50 {:6.1} ms  p90 {:6.1} ms  p99 {:6.1} ms  most {:6.1} ms",
        at(50),
        at(90),
        at(99),
        at(100)
    );
}

fn ask(folder: &Path) {
    let start = Instant::now();
    let reader = library(folder).reader(Options::default());
    let set = reader.set(&SourceChoice::All).expect("a set");
    let (opened, own) = (start.elapsed(), megabytes("RssAnon"));
    let first = set.search(&SearchRequest::new(SENTENCES[0])).expect("an answer");
    println!(
        "{} sources, {} files; opened in {:.0} ms with {own} MB, first answer after {:.0} ms",
        first.sources.len(),
        first.snapshot.indexed_files,
        opened.as_secs_f64() * 1e3,
        start.elapsed().as_secs_f64() * 1e3
    );
    let after_first = megabytes("RssAnon");
    let names =
        set.symbols(&SymbolsRequest { max_results: 1_000, ..SymbolsRequest::new("") }).expect("names");
    let names = names.symbols.into_iter().step_by(41).map(|row| row.name);
    let questions: Vec<String> = SENTENCES.iter().map(|text| text.to_string()).chain(names).collect();
    let search = |text: &str| {
        let start = Instant::now();
        let set = reader.set(&SourceChoice::All).expect("a set");
        set.search(&SearchRequest::new(text)).expect("an answer");
        start.elapsed()
    };
    let after_names = megabytes("RssAnon");
    questions.iter().for_each(|text| _ = search(text));
    println!(
        "own memory: opened {own} MB, first answer {after_first} MB, names {after_names} MB, every question once {} MB",
        megabytes("RssAnon")
    );
    let mut most_open = 0;
    let (mut sentences, mut of_names) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        for (at, text) in questions.iter().enumerate() {
            let took = search(text);
            if at < SENTENCES.len() {
                sentences.push(took)
            } else {
                of_names.push(took)
            }
            most_open = most_open.max(open_files());
        }
    }
    show("search, sentences", &mut sentences);
    show("search, names", &mut of_names);
    let mut all: Vec<Duration> = sentences.into_iter().chain(of_names).collect();
    show("search, all", &mut all);
    println!(
        "open files {most_open}; resident {} MB: own {}, mapped files {}; most {} MB",
        megabytes("VmRSS"),
        megabytes("RssAnon"),
        megabytes("RssFile"),
        megabytes("VmHWM")
    );
    let mut files: Vec<Duration> = questions[..SENTENCES.len()]
        .iter()
        .map(|text| {
            let start = Instant::now();
            let pattern = text.split(' ').next_back().unwrap_or_default();
            set.files(&FilesRequest::new(pattern)).expect("files");
            start.elapsed()
        })
        .collect();
    show("files", &mut files);
}
