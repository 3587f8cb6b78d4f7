//! How fast parts of indexing can be at all, beside how fast indexing is: whole-tree lanes on N threads.
//!
//! ```text
//! cargo run --release -p spyhop-eval --example lanes -- TREE [--threads N] [--runs R] [--only LANE]... [--json]
//! ```
//!
//! The floors call the file system, blake3 and tree-sitter directly, on the files that an index of the tree holds:
//! what the library walks, up to 1 MiB, that it reads as text, in the language that it detects. The parse lanes leave
//! out what the library does not parse (no grammar, nested too deep, out of budget), so they and the index parse
//! exactly the same files. What the set is, is found out before anything is timed; each lane then walks the tree
//! again, as an index would, and takes the files in the same portions.
//!
//! Every run is a process of its own, a re-execution with `--lane`, so that memory peaks and allocator states of one
//! lane are not another's. The runs of all lanes take turns, so that a slow minute of the machine hits all alike; the
//! table has medians. The page cache is warm: the pass that finds the set has read every file.
//!
//! What a refresh that finds nothing changed costs beside listing the tree and asking for every file's stat, which
//! `std` does and nothing else, needs no such pass:
//!
//! ```text
//! cargo run --release -p spyhop-eval --example lanes -- TREE --runs 15 --only floor --only walk --only nothing-changed \
//!     --only nothing-changed-again
//! ```

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use serde::{Deserialize, Serialize};
use spyhop::analyze::Analyzer;
use spyhop::engine::Engine;
use spyhop::engine::api::Options;
use spyhop::git::{self, Tracked};
use spyhop::grammar::Grammars;
use spyhop::id::LanguageId;
use spyhop::model::{Note, SkipReason};
use spyhop::path::RelPath;
use spyhop::read::{self, Limits, ReadOutcome};
use spyhop::store;
use spyhop::tokenize::{TermList, Tokenizer};
use spyhop::walk::{self, Candidate, WalkOptions};
use tree_sitter::{Language, Parser, TreeCursor};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Files that a thread takes at once, as the library's do.
const PORTION: usize = 8;

/// How often memory is looked at. A look takes some ten microseconds.
const LOOK: Duration = Duration::from_millis(3);

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lane {
    Floor,
    Walk,
    Read,
    Hash,
    Terms,
    Parse,
    Cursor,
    Analyze,
    AtOnce,
    Index,
    NothingChanged,
    NothingChangedAgain,
}

impl Lane {
    const ALL: [(Lane, &'static str, &'static str); 12] = [
        (Lane::Floor, "floor", "list + stat"),
        (Lane::Walk, "walk", "walk + stat (ours)"),
        (Lane::Read, "read", "+ read"),
        (Lane::Hash, "hash", "+ read + blake3"),
        (Lane::Terms, "terms", "read + terms (ours)"),
        (Lane::Parse, "parse", "read + parse"),
        (Lane::Cursor, "cursor", "read + parse + cursor walk"),
        (Lane::Analyze, "analyze", "read + analyze (ours)"),
        (Lane::AtOnce, "at-once", "complete index, parsed at once"),
        (Lane::Index, "index", "complete index, text first where large"),
        (Lane::NothingChanged, "nothing-changed", "nothing changed, new process"),
        (Lane::NothingChangedAgain, "nothing-changed-again", "nothing changed, open engine"),
    ];

    fn named(name: &str) -> Lane {
        Lane::ALL.iter().find(|(_, known, _)| *known == name).expect("the parser lists the names").0
    }

    fn is_refresh(self) -> bool {
        matches!(self, Lane::NothingChanged | Lane::NothingChangedAgain)
    }

    fn is_index(self) -> bool {
        matches!(self, Lane::Index | Lane::AtOnce)
    }

    /// Whether it has to know which files an index holds.
    fn needs_the_set(self) -> bool {
        !self.is_refresh() && !self.is_index() && !matches!(self, Lane::Floor | Lane::Walk)
    }
}

/// What a run found.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Run {
    seconds: f64,
    /// Processor time of all threads; 0 where the system does not tell. Another program's work lengthens it less.
    cpu: f64,
    /// Files that the lane worked on, and their bytes.
    files: u64,
    bytes: u64,
    /// The most memory that was resident, and the most of it that was no file's; 0 where the system does not tell.
    peak: u64,
    peak_anon: u64,
    index_bytes: u64,
}

fn main() -> Result<()> {
    let args = arguments();
    match args.get_one::<String>("lane") {
        Some(name) => child(Lane::named(name), &args),
        None => parent(&args),
    }
}

fn arguments() -> ArgMatches {
    let names = || Lane::ALL.map(|(_, name, _)| name);
    let number = |id: &'static str, default| {
        Arg::new(id).long(id).value_parser(value_parser!(usize)).default_value(default)
    };
    clap::Command::new("lanes")
        .arg(Arg::new("tree").required(true).value_parser(value_parser!(PathBuf)))
        .arg(number("threads", "2"))
        .arg(number("runs", "3"))
        .arg(Arg::new("only").long("only").action(ArgAction::Append).value_parser(names()))
        .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("only the medians, by lane"))
        .arg(Arg::new("lane").long("lane").hide(true).value_parser(names()))
        .arg(Arg::new("scratch").long("scratch").hide(true).value_parser(value_parser!(PathBuf)))
        .get_matches()
}

fn parent(args: &ArgMatches) -> Result<()> {
    let tree = args.get_one::<PathBuf>("tree").expect("required").canonicalize()?;
    let (threads, runs) = (number(args, "threads"), number(args, "runs").max(1));
    let only: Vec<Lane> =
        args.get_many::<String>("only").into_iter().flatten().map(|name| Lane::named(name)).collect();
    let scratch = tempfile::tempdir()?;
    let needs_the_set = only.is_empty() || only.iter().any(|lane| lane.needs_the_set());
    let set = if needs_the_set { FileSet::of(&tree, threads)? } else { FileSet::default() };
    fs::write(scratch.path().join("set"), set.to_text())?;
    let json = args.get_flag("json");
    if !json {
        println!("{threads} threads, median of {runs}");
    }
    if needs_the_set && !json {
        println!(
            "{} files of text, {:.1} MB; {} of them, {:.1} MB, are parsed",
            set.languages.len(),
            mb(set.bytes),
            set.languages.values().filter(|language| language.is_some()).count(),
            mb(set.parsed_bytes),
        );
    }

    let mut all: Vec<Vec<Run>> = vec![Vec::new(); Lane::ALL.len()];
    for run in 0..runs {
        for (runs, &(lane, name, _)) in all.iter_mut().zip(&Lane::ALL) {
            // A refresh needs what the index lane leaves behind.
            let wanted = only.is_empty()
                || only.contains(&lane)
                || (run == 0 && lane == Lane::Index && only.iter().any(|it| it.is_refresh()));
            if wanted {
                runs.push(run_child(&tree, name, threads, scratch.path())?);
            }
        }
    }
    if json {
        let medians =
            all.iter().zip(&Lane::ALL).filter_map(|(runs, (_, name, _))| Some((*name, median(runs)?)));
        println!("{}", serde_json::to_string(&medians.collect::<HashMap<_, _>>())?);
    } else {
        table(&all, set.bytes);
    }
    Ok(())
}

fn number(args: &ArgMatches, id: &str) -> usize {
    *args.get_one(id).expect("it has a default")
}

fn run_child(tree: &Path, lane: &str, threads: usize, scratch: &Path) -> Result<Run> {
    let output = Command::new(std::env::current_exe()?)
        .arg(tree)
        .args(["--lane", lane, "--threads", &threads.to_string()])
        .arg("--scratch")
        .arg(scratch)
        .output()?;
    if !output.status.success() {
        return Err(format!("lane {lane}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn table(all: &[Vec<Run>], source_bytes: u64) {
    let medians: Vec<Option<Run>> = all.iter().map(|runs| median(runs)).collect();
    let at = |lane: Lane| Lane::ALL.iter().position(|(known, ..)| *known == lane).expect("it is listed");
    // Parsing is what indexing is measured by; without it in the table, finding the files.
    let parsing = medians[at(Lane::Cursor)].as_ref().map(|run| (run, "cursor walk"));
    let (yardstick, of) = match parsing.or(medians[at(Lane::Floor)].as_ref().map(|run| (run, "floor"))) {
        Some((run, of)) => (Some(run), of),
        None => (None, "floor"),
    };
    println!(
        "\n| lane | s | min to max | CPU s | MB/s | of {of} | in CPU | peak MB | anonymous MB | index / source |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for ((median, runs), (lane, _, title)) in medians.iter().zip(all).zip(&Lane::ALL) {
        let Some(median) = median else { continue };
        let seconds = runs.iter().map(|run| run.seconds);
        let (min, max) = (seconds.clone().fold(f64::MAX, f64::min), seconds.fold(0.0, f64::max));
        let ratio = |of: fn(&Run) -> f64| {
            let one = yardstick.map(of).filter(|one| *one > 0.0);
            one.map_or(String::new(), |one| format!("{:.3}", of(median) / one))
        };
        let (in_wall, in_cpu) = (ratio(|run| run.seconds), ratio(|run| run.cpu));
        let (mut peaks, mut share) = ([String::new(), String::new()], String::new());
        if lane.is_index() {
            // Peaks are peaks: the largest of the runs.
            let most = |of: fn(&Run) -> u64| runs.iter().map(of).max().filter(|peak| *peak > 0);
            peaks = [most(|run| run.peak), most(|run| run.peak_anon)]
                .map(|peak| peak.map_or("-".into(), |peak| format!("{:.0}", mb(peak))));
            if source_bytes > 0 {
                share = format!("{:.3}", median.index_bytes as f64 / source_bytes as f64);
            }
        }
        let [peak, anon] = peaks;
        // What reads nothing has no rate.
        let reads = !lane.is_refresh() && !matches!(lane, Lane::Floor | Lane::Walk);
        let rate = if reads { format!("{:.1}", mb(median.bytes) / median.seconds) } else { String::new() };
        println!(
            "| {title} | {:.4} | {min:.4} to {max:.4} | {:.2} | {rate} | {in_wall} | {in_cpu} | {peak} | {anon} | {share} |",
            median.seconds, median.cpu,
        );
    }
}

fn median(runs: &[Run]) -> Option<Run> {
    let mut runs = runs.to_vec();
    runs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    runs.get(runs.len() / 2).cloned()
}

fn mb(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// One run of one lane; prints what it found as JSON.
fn child(lane: Lane, args: &ArgMatches) -> Result<()> {
    let tree = args.get_one::<PathBuf>("tree").expect("required");
    let scratch = args.get_one::<PathBuf>("scratch").ok_or("--lane is given by the parent")?;
    let threads = number(args, "threads");
    let run = match lane {
        Lane::AtOnce | Lane::Index | Lane::NothingChanged | Lane::NothingChangedAgain => {
            engine_lane(lane, tree, &scratch.join("index"), threads)?
        }
        _ => floor_lane(lane, tree, FileSet::from_text(&fs::read_to_string(scratch.join("set"))?)?, threads)?,
    };
    println!("{}", serde_json::to_string(&run)?);
    Ok(())
}

fn engine_lane(lane: Lane, tree: &Path, dir: &Path, threads: usize) -> Result<Run> {
    if lane.is_index() && dir.exists() {
        fs::remove_dir_all(dir)?;
    }
    let options = Options {
        index_dir: Some(dir.to_path_buf()),
        threads: Some(threads),
        text_first: lane != Lane::AtOnce,
        ..Options::default()
    };
    let memory = Memory::watch();
    let mut begun = Clock::start();
    let engine = Engine::open(tree, options)?;
    if lane == Lane::NothingChangedAgain {
        engine.refresh(&|_| ())?;
        begun = Clock::start();
    }
    let report = engine.refresh(&|_| ())?;
    let (seconds, cpu) = begun.elapsed();
    let (peak, peak_anon) = memory.peaks();
    if !lane.is_index() && report.added + report.changed + report.deleted > 0 {
        return Err("the tree has changed meanwhile".into());
    }
    let status = engine.status()?;
    Ok(Run {
        seconds,
        cpu,
        files: status.files as u64,
        bytes: status.source_bytes,
        peak,
        peak_anon,
        index_bytes: store::bytes_below(engine.index_dir()),
    })
}

fn floor_lane(lane: Lane, tree: &Path, set: FileSet, threads: usize) -> Result<Run> {
    let parsers = Parsers::of(&set)?;
    let grammars = Grammars::built_in();
    let repo = git::discover(tree);
    let tracked = repo.as_ref().map(|repo| repo.tracked_below(tree));
    let (files, bytes) = (AtomicU64::new(0), AtomicU64::new(0));
    let begun = Clock::start();
    if lane == Lane::Floor {
        let (files, bytes) = list_and_stat(tree, threads)?;
        let (seconds, cpu) = begun.elapsed();
        return Ok(Run { seconds, cpu, files, bytes, ..Run::default() });
    }
    let mut candidates = candidates(tree, tracked.as_ref(), threads)?;
    if lane == Lane::Walk {
        files.store(candidates.len() as u64, Relaxed);
        bytes.store(candidates.iter().map(|candidate| candidate.identity.size()).sum(), Relaxed);
        candidates.clear();
    }
    on_threads(threads, &candidates, || {
        let (mut parser, mut analyzer, mut tokenizer) = (Parser::new(), Analyzer::new(), Tokenizer::new());
        let (mut set_to, mut terms) = (None, TermList::default());
        let (set, parsers, grammars, files, bytes) = (&set, &parsers, &grammars, &files, &bytes);
        move |candidate: &Candidate| {
            let Some(language) = set.languages.get(&candidate.path) else { return };
            if matches!(lane, Lane::Parse | Lane::Cursor) && language.is_none() {
                return;
            }
            let Ok(content) = fs::read(candidate.path.below(tree)) else { return };
            files.fetch_add(1, Relaxed);
            bytes.fetch_add(content.len() as u64, Relaxed);
            match lane {
                Lane::Read => return drop(black_box(content)),
                Lane::Hash => {
                    black_box(blake3::hash(&content));
                    return;
                }
                _ => {}
            }
            let Ok((text, _)) = read::decode(content) else { return };
            match lane {
                Lane::Terms => {
                    terms.clear();
                    tokenizer.terms(&text, &mut terms);
                    black_box(&terms);
                }
                Lane::Analyze => {
                    let language = grammars.detect(&candidate.path, &text);
                    drop(black_box(analyzer.analyze(grammars, language, &text)));
                }
                _ => {
                    if set_to != *language {
                        let language = language.expect("only these come here");
                        parser.set_language(&parsers.0[&language]).expect("checked when it was made");
                        set_to = Some(language);
                    }
                    let tree = black_box(parser.parse(&text, None)).expect("without a budget it ends");
                    if lane == Lane::Cursor {
                        black_box(visit(&mut tree.walk()));
                    }
                }
            }
        }
    });
    let (seconds, cpu) = begun.elapsed();
    Ok(Run { seconds, cpu, files: files.into_inner(), bytes: bytes.into_inner(), ..Run::default() })
}

/// Lists every directory that has no dot in front and asks for every file's stat, by `std`, keeping nothing. How many
/// files, and their bytes.
fn list_and_stat(tree: &Path, threads: usize) -> Result<(u64, u64)> {
    // The directories to be listed, and how many threads hold one.
    let todo = Mutex::new((vec![tree.to_path_buf()], 0));
    let (files, bytes) = (AtomicU64::new(0), AtomicU64::new(0));
    let list = |dir: &Path| -> std::io::Result<Vec<PathBuf>> {
        let mut below = Vec::new();
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            let (name, file_type) = (entry.file_name(), entry.file_type()?);
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            if file_type.is_dir() {
                below.push(dir.join(name));
            } else if file_type.is_file() {
                files.fetch_add(1, Relaxed);
                bytes.fetch_add(entry.metadata()?.len(), Relaxed);
            }
        }
        Ok(below)
    };
    let work = || -> std::io::Result<()> {
        loop {
            let mut now = todo.lock().expect("no thread panicked");
            match now.0.pop() {
                Some(dir) => {
                    now.1 += 1;
                    drop(now);
                    let below = list(&dir);
                    let mut now = todo.lock().expect("no thread panicked");
                    now.1 -= 1;
                    now.0.append(&mut below?);
                }
                None if now.1 == 0 => return Ok(()),
                None => {
                    drop(now);
                    std::thread::yield_now();
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads.max(1)).map(|_| scope.spawn(work)).collect();
        let own = work();
        helpers
            .into_iter()
            .map(|helper| helper.join().expect("it does not panic"))
            .fold(own, std::io::Result::and)
    })?;
    Ok((files.into_inner(), bytes.into_inner()))
}

/// Goes to every node below the cursor; how many there are.
fn visit(cursor: &mut TreeCursor) -> u64 {
    let mut nodes = 1;
    loop {
        black_box(cursor.node());
        if cursor.goto_first_child() {
            nodes += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return nodes;
            }
        }
        nodes += 1;
    }
}

/// What the library would consider.
fn candidates(tree: &Path, tracked: Option<&Tracked>, threads: usize) -> Result<Vec<Candidate>> {
    let is_tracked =
        |path: &RelPath, is_dir: bool| tracked.is_some_and(|tracked| tracked.contains(path, is_dir));
    let options =
        WalkOptions { threads: Some(threads), is_tracked: Some(&is_tracked), ..WalkOptions::default() };
    Ok(walk::walk(tree, &options)?.candidates)
}

/// Hands the candidates out in portions; each thread works with what `hand` makes for it.
fn on_threads<H: FnMut(&Candidate)>(threads: usize, candidates: &[Candidate], hand: impl Fn() -> H + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                let mut hand = hand();
                loop {
                    let start = next.fetch_add(PORTION, Relaxed);
                    let Some(rest) = candidates.get(start..).filter(|rest| !rest.is_empty()) else { return };
                    rest.iter().take(PORTION).for_each(&mut hand);
                }
            });
        }
    });
}

/// The files that an index holds the content of, each with the language that it is parsed in, if it is.
#[derive(Default)]
struct FileSet {
    languages: HashMap<RelPath, Option<LanguageId>>,
    bytes: u64,
    parsed_bytes: u64,
}

impl FileSet {
    /// Reads and analyses everything once, since only that tells.
    fn of(tree: &Path, threads: usize) -> Result<FileSet> {
        let grammars = Grammars::built_in();
        let repo = git::discover(tree);
        let tracked = repo.as_ref().map(|repo| repo.tracked_below(tree));
        let found = Mutex::new(FileSet::default());
        on_threads(threads, &candidates(tree, tracked.as_ref(), threads)?, || {
            let mut analyzer = Analyzer::new();
            let (grammars, found, tracked) = (&grammars, &found, tracked.as_ref());
            move |candidate: &Candidate| {
                let path = &candidate.path;
                let ReadOutcome::Source(source) = read_as_indexed(tree, path, tracked) else { return };
                let language = grammars.detect(path, &source.text);
                let notes = analyzer.analyze(grammars, language, &source.text).notes;
                let given_up = notes.iter().any(|note| matches!(note, Note::TooDeep | Note::ParseBudget));
                let language = Some(language).filter(|language| *language != LanguageId::TEXT && !given_up);
                let mut found = found.lock().expect("no thread panicked");
                found.bytes += source.bytes;
                found.parsed_bytes += language.map_or(0, |_| source.bytes);
                found.languages.insert(path.clone(), language);
            }
        });
        Ok(found.into_inner()?)
    }

    /// For the lanes' processes: a line a file, the language's number and the path.
    fn to_text(&self) -> String {
        let number = |language: &Option<LanguageId>| language.map_or(0, |language| language.0);
        self.languages.iter().map(|(path, language)| format!("{} {path}\0", number(language))).collect()
    }

    fn from_text(text: &str) -> Result<FileSet> {
        let mut set = FileSet::default();
        for entry in text.split_terminator('\0') {
            let (number, path) = entry.split_once(' ').ok_or("a number and a path")?;
            let language = LanguageId(number.parse()?);
            set.languages.insert(RelPath::new(path)?, Some(language).filter(|it| *it != LanguageId::TEXT));
        }
        Ok(set)
    }
}

/// Reads as an update does: what git tracks is not left out for looking generated.
fn read_as_indexed(tree: &Path, path: &RelPath, tracked: Option<&Tracked>) -> ReadOutcome {
    // Without a repository nothing tells whether somebody keeps a generated file, so it counts.
    let limits = Limits { skip_generated: tracked.is_some(), ..Limits::default() };
    let file = path.below(tree);
    match read::read(&file, &limits) {
        ReadOutcome::PathOnly { reason: SkipReason::Generated | SkipReason::Minified, .. }
            if tracked.is_some_and(|tracked| tracked.contains(path, false)) =>
        {
            read::read(&file, &Limits { skip_generated: false, skip_minified: false, ..limits })
        }
        outcome => outcome,
    }
}

/// The parsers of the languages of a set.
struct Parsers(HashMap<LanguageId, Language>);

impl Parsers {
    fn of(set: &FileSet) -> Result<Parsers> {
        let mut parsers = HashMap::new();
        let grammars = Grammars::built_in();
        for row in grammars.list() {
            if set.languages.values().any(|language| *language == Some(row.id)) {
                let parser = grammars.parser(row.id).ok_or(format!("no parser reads {}", row.name))?;
                Parser::new().set_language(&parser)?;
                parsers.insert(row.id, parser);
            }
        }
        Ok(Parsers(parsers))
    }
}

/// Looks at this process's memory until it is asked.
struct Memory {
    over: std::sync::Arc<AtomicBool>,
    watcher: std::thread::JoinHandle<u64>,
}

impl Memory {
    fn watch() -> Memory {
        let over = std::sync::Arc::new(AtomicBool::new(false));
        let watched = over.clone();
        let watcher = std::thread::spawn(move || {
            let mut most = 0;
            while !watched.load(Relaxed) {
                // The kernel keeps a high-water mark of all resident memory, but none of the anonymous part.
                match of_status("RssAnon:") {
                    Some(now) => most = now.max(most),
                    None => break,
                }
                std::thread::sleep(LOOK);
            }
            most
        });
        Memory { over, watcher }
    }

    fn peaks(self) -> (u64, u64) {
        let peak = of_status("VmHWM:").unwrap_or(0);
        self.over.store(true, Relaxed);
        (peak, self.watcher.join().expect("it only looks"))
    }
}

/// Wall and processor time since a moment.
struct Clock {
    begun: Instant,
    cpu: f64,
}

impl Clock {
    fn start() -> Clock {
        Clock { begun: Instant::now(), cpu: cpu_seconds().unwrap_or(0.0) }
    }

    fn elapsed(&self) -> (f64, f64) {
        (self.begun.elapsed().as_secs_f64(), cpu_seconds().unwrap_or(0.0) - self.cpu)
    }
}

/// The processor time that this process has taken, in user and system mode, as Linux says: in ticks, of which there
/// are a hundred a second on every platform that it runs on today.
fn cpu_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in brackets, may hold anything; the fields are counted behind it.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    Some(ticks / 100.0)
}

/// A line of what Linux says about this process, in bytes.
fn of_status(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? << 10)
}
