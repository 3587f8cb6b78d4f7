//! What is lost by not parsing the insides of functions, and what is gained: every file of a tree analysed both ways.
//!
//! ```text
//! cargo run --release -p spyhop-eval --example bodies -- TREE [--every N] [--show N]
//! ```
//!
//! One way is with the manifests as they are on disk, the other without their table `[bodies]`, from a folder of overrides. Symbols are
//! compared by kind, name and lines, names used by role and name with their counts, comments by place, chunks by where they begin. The table
//! has, for each language that has the table `[bodies]`, what both have beside what only one has, and the seconds that the analysis took.

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::hash::Hash;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Parser;
use spyhop::analyze::Analyzer;
use spyhop::grammar::Grammars;
use spyhop::model::{Analysis, Note, ReferenceRole};
use spyhop::read::{self, Limits, ReadOutcome};
use spyhop::walk::{self, WalkOptions};

#[derive(Parser)]
struct Arguments {
    /// The tree.
    tree: PathBuf,
    /// Only every so manieth file.
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// Print so many differences of each kind.
    #[arg(long, default_value_t = 0)]
    show: usize,
}

/// How two multisets agree.
#[derive(Default, Clone, Copy)]
struct Agreement {
    both: usize,
    only_whole: usize,
    only_less: usize,
}

#[derive(Default)]
struct Sum {
    files: usize,
    bytes: usize,
    errors: [usize; 2],
    time: [Duration; 2],
    rows: BTreeMap<&'static str, Agreement>,
    shown: BTreeMap<&'static str, usize>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse();
    let without = tempfile::tempdir()?;
    let mut languages = Vec::new();
    let manifests = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../grammars"));
    for entry in std::fs::read_dir(&manifests)? {
        let path = entry?.path();
        let Ok(manifest) = std::fs::read_to_string(path.join("grammar.toml")) else { continue };
        let mut table: toml::Table = manifest.parse()?;
        if table.remove("bodies").is_some() {
            let name = path.file_name().expect("a folder").to_owned();
            std::fs::create_dir(without.path().join(&name))?;
            std::fs::write(without.path().join(&name).join("grammar.toml"), table.to_string())?;
            languages.push(name.to_string_lossy().into_owned());
        }
    }
    let grammars = [Grammars::with_overrides(without.path())?, Grammars::with_overrides(&manifests)?];
    let mut analyzers = [Analyzer::new(), Analyzer::new()];
    let mut sums: HashMap<String, Sum> = HashMap::new();
    for candidate in
        walk::walk(&arguments.tree, &WalkOptions::default())?.candidates.iter().step_by(arguments.every)
    {
        let limits = Limits { max_file_bytes: 1 << 20, skip_generated: false, skip_minified: true };
        let ReadOutcome::Source(source) = read::read(&candidate.path.below(&arguments.tree), &limits) else {
            continue;
        };
        let language = grammars[1].detect(&candidate.path, &source.text);
        let name = grammars[1].name(language);
        if !languages.iter().any(|other| other == name) {
            continue;
        }
        let sum = sums.entry(name.to_string()).or_default();
        let mut analyses = Vec::new();
        for way in 0..2 {
            let begun = Instant::now();
            let analysis = analyzers[way].analyze(&grammars[way], language, &source.text);
            sum.time[way] += begun.elapsed();
            sum.errors[way] += usize::from(analysis.notes.contains(&Note::SyntaxErrors));
            analyses.push(analysis);
        }
        sum.files += 1;
        sum.bytes += source.text.len();
        sum.compare(&analyses[0], &analyses[1], &source.text, candidate.path.as_str(), arguments.show);
    }
    for (name, sum) in sums {
        let [whole, less] = sum.time;
        println!(
            "{name}: {} files, {:.1} MB, {:.2} s whole, {:.2} s without bodies ({:.2}); with errors {} and {}",
            sum.files,
            sum.bytes as f64 / 1e6,
            whole.as_secs_f64(),
            less.as_secs_f64(),
            less.as_secs_f64() / whole.as_secs_f64(),
            sum.errors[0],
            sum.errors[1],
        );
        println!(
            "| what | both | only whole | only without bodies | recall | precision |\n|---|--:|--:|--:|--:|--:|"
        );
        for (what, Agreement { both, only_whole, only_less }) in sum.rows {
            let share = |other: usize| both as f64 / (both + other).max(1) as f64;
            println!(
                "| {what} | {both} | {only_whole} | {only_less} | {:.4} | {:.4} |",
                share(only_whole),
                share(only_less)
            );
        }
    }
    Ok(())
}

impl Sum {
    fn compare(&mut self, whole: &Analysis, less: &Analysis, text: &str, path: &str, show: usize) {
        let symbols = |analysis: &Analysis| -> Vec<String> {
            let symbol = |it: &spyhop::model::Symbol| {
                format!(
                    "{} {}:{} {}-{}",
                    it.kind,
                    it.container.as_deref().unwrap_or(""),
                    it.name,
                    it.lines.first,
                    it.lines.last
                )
            };
            analysis.symbols.iter().map(symbol).collect()
        };
        let names = |analysis: &Analysis, role: ReferenceRole| -> Vec<String> {
            let of_role = analysis.references.iter().filter(|it| it.role == role);
            of_role.map(|it| text[it.span.range()].to_string()).collect()
        };
        let distinct = |mut names: Vec<String>| {
            names.sort();
            names.dedup();
            names
        };
        let comments = |analysis: &Analysis| -> Vec<String> {
            analysis.comments.iter().map(|it| format!("{}-{}", it.start, it.end)).collect()
        };
        let chunks = |analysis: &Analysis| -> Vec<String> {
            analysis.chunks.iter().map(|it| it.lines.first.to_string()).collect()
        };
        let (calls, types) = (ReferenceRole::Call, ReferenceRole::Type);
        let both = [whole, less];
        let rows = [
            ("symbols", both.map(symbols)),
            ("calls", both.map(|it| names(it, calls))),
            ("types", both.map(|it| names(it, types))),
            ("types, distinct", both.map(|it| distinct(names(it, types)))),
            ("comments", both.map(comments)),
            ("chunks", both.map(chunks)),
        ];
        for (what, [whole, less]) in rows {
            let (agreement, differ) = Agreement::of(&whole, &less);
            let row = self.rows.entry(what).or_default();
            row.both += agreement.both;
            row.only_whole += agreement.only_whole;
            row.only_less += agreement.only_less;
            let shown = self.shown.entry(what).or_default();
            for (item, count) in differ {
                if *shown < show {
                    *shown += 1;
                    println!("{what} {path}: {item} {count:+}");
                }
            }
        }
    }
}

impl Agreement {
    fn of<T: Hash + Eq + Clone>(whole: &[T], less: &[T]) -> (Agreement, Vec<(T, i64)>) {
        let mut counts: HashMap<&T, (usize, usize)> = HashMap::new();
        whole.iter().for_each(|item| counts.entry(item).or_default().0 += 1);
        less.iter().for_each(|item| counts.entry(item).or_default().1 += 1);
        let mut agreement = Agreement::default();
        let mut differ = Vec::new();
        for (item, (whole, less)) in counts {
            agreement.both += whole.min(less);
            agreement.only_whole += whole.saturating_sub(less);
            agreement.only_less += less.saturating_sub(whole);
            if whole != less {
                differ.push((item.clone(), less as i64 - whole as i64));
            }
        }
        (agreement, differ)
    }
}
