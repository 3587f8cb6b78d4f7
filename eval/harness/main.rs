//! `spyhop-eval`: measures how good and how fast the answers are.
//!
//! The program owns reading query sets, asking, measuring, comparing and fitting; searching is the duty of the library,
//! which it uses as any program would. The package is not published.

mod compare;
mod export;
mod failure;
mod fit;
mod fit_places;
mod fit_scores;
mod graph_rows;
mod measure;
mod outline;
mod packs;
mod record;
mod related_pairs;
mod report;
mod run;
mod select;
mod sets;
mod table;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// That of the program, so that times are those of the program.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures how good and how fast Spyhop's answers are.
///
/// A query set says what is asked and what answers it; a folder holds the trees that are asked about. `run` measures,
/// the other commands look closer.
#[derive(Parser)]
#[command(name = "spyhop-eval", version, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  spyhop-eval run questions.toml --trees ~/src --out before.jsonl
  spyhop-eval compare before.jsonl after.jsonl

eval/README.md tells the forms of query sets and the formulas of the measures.";

#[derive(Subcommand)]
enum Command {
    Run(run::Args),
    Compare(compare::Args),
    Fit(fit::Args),
    FitPlaces(fit_places::Args),
    FitScores(fit_scores::Args),
    Export(export::Args),
    Packs(packs::Args),
    Outline(outline::Args),
    GraphRows(graph_rows::Args),
    RelatedPairs(related_pairs::Args),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Run(args) => run::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Fit(args) => fit::run(&args),
        Command::FitPlaces(args) => fit_places::run(&args),
        Command::FitScores(args) => fit_scores::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Packs(args) => packs::run(&args),
        Command::Outline(args) => outline::run(&args),
        Command::GraphRows(args) => graph_rows::run(&args),
        Command::RelatedPairs(args) => related_pairs::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(2)
        }
    }
}
