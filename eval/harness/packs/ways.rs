//! The ways of collecting code for a task, each of which gives a set of files within a budget.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use spyhop::operations::PACK;
use spyhop::render::agent;
use spyhop::render::json::JsonPaths;
use spyhop::{ActivitySource, Engine, Mode, PackRequest, PackStages, Profile};

use crate::failure::Failure;
use crate::ripgrep::{RipgrepAgent, listed_tokens, words_of};
use crate::run::request;

/// The hits of the searches that packs are compared with.
const HITS: usize = 50;
/// The files of a pack, at most.
const FILES: usize = 50;

/// A way of collecting code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Pack,
    WithoutGoals,
    WithoutRegions,
    WithoutGraph,
    WithoutBackup,
    WithoutPrune,
    SearchUnits,
    SearchSnippets,
    RipgrepRead,
    RipgrepLines,
}

/// What the ways need.
pub struct WayContext<'a> {
    pub engine: &'a Engine,
    pub profile: &'a Arc<Profile>,
    pub rg: &'a Path,
    pub repeat: usize,
}

/// The files that a way collects within a budget.
pub struct Asked {
    pub budget: usize,
    /// The files, best first.
    pub files: Vec<String>,
    /// The scores of the files, if the way gives any.
    pub scores: Vec<f32>,
    pub tokens: usize,
    pub ms: f64,
    pub edges: usize,
    /// Whether every repetition gave equal bytes.
    pub equal: bool,
    /// The bytes of a pack, as JSON.
    pub bytes: String,
}

impl Asked {
    fn of(budget: usize, files: Vec<String>) -> Asked {
        Asked {
            budget,
            files,
            scores: Vec::new(),
            tokens: 0,
            ms: 0.0,
            edges: 0,
            equal: true,
            bytes: String::new(),
        }
    }
}

impl Way {
    pub const ALL: [Way; 10] = [
        Way::Pack,
        Way::WithoutGoals,
        Way::WithoutRegions,
        Way::WithoutGraph,
        Way::WithoutBackup,
        Way::WithoutPrune,
        Way::SearchUnits,
        Way::SearchSnippets,
        Way::RipgrepRead,
        Way::RipgrepLines,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Way::Pack => "pack",
            Way::WithoutGoals => "without-goals",
            Way::WithoutRegions => "without-regions",
            Way::WithoutGraph => "without-graph",
            Way::WithoutBackup => "without-backup",
            Way::WithoutPrune => "without-prune",
            Way::SearchUnits => "search-units",
            Way::SearchSnippets => "search-snippets",
            Way::RipgrepRead => "ripgrep-read",
            Way::RipgrepLines => "ripgrep-lines",
        }
    }

    /// Collects code for `task`, at each budget.
    pub fn ask(self, context: &WayContext<'_>, task: &str, budgets: &[usize]) -> Result<Vec<Asked>, Failure> {
        let all = PackStages::default();
        let stages = match self {
            Way::Pack => all,
            Way::WithoutGoals => PackStages { goals: false, ..all },
            Way::WithoutRegions => PackStages { regions: false, ..all },
            Way::WithoutGraph => PackStages { graph: false, ..all },
            Way::WithoutBackup => PackStages { backup: false, ..all },
            Way::WithoutPrune => PackStages { prune: false, ..all },
            Way::SearchUnits => PackStages::NONE,
            Way::SearchSnippets => return snippets(context, task, budgets),
            Way::RipgrepRead | Way::RipgrepLines => return ripgrep(context, task, budgets, self),
        };
        budgets.iter().map(|budget| pack(context, task, *budget, stages)).collect()
    }
}

fn pack(context: &WayContext<'_>, task: &str, budget: usize, stages: PackStages) -> Result<Asked, Failure> {
    let activity = ActivitySource::Ignored;
    let request = PackRequest { budget, max_files: FILES, stages, activity, ..PackRequest::new(task) };
    let begun = Instant::now();
    let reply = context.engine.pack(&request)?;
    let ms = begun.elapsed().as_secs_f64() * 1e3;
    let bytes = (PACK.json)(&reply, JsonPaths::default());
    let mut equal = true;
    for _ in 1..context.repeat {
        equal &= (PACK.json)(&context.engine.pack(&request)?, JsonPaths::default()) == bytes;
    }
    let files = reply.files.iter().map(|file| file.path.to_string()).collect();
    let scores = reply.files.iter().map(|file| file.score).collect();
    let (tokens, edges) = (reply.tokens, reply.record.edges);
    Ok(Asked { scores, tokens, ms, edges, equal, bytes, ..Asked::of(budget, files) })
}

/// The first hits with their snippets, as agents are sent them.
fn snippets(context: &WayContext<'_>, task: &str, budgets: &[usize]) -> Result<Vec<Asked>, Failure> {
    let begun = Instant::now();
    let reply = context.engine.search(&request(task, HITS, context.profile))?;
    let ms = begun.elapsed().as_secs_f64() * 1e3;
    let of_budget = |budget: &usize| {
        let mut shown = reply.clone();
        shown.truncate(agent::search_fits(&reply, &[], Mode::Default, *budget));
        let files = shown.results.iter().map(|hit| hit.path.to_string()).collect();
        let tokens = agent::tokens(&agent::search(&shown, &[], Mode::Default).text);
        Asked { tokens, ms, ..Asked::of(*budget, files) }
    };
    Ok(budgets.iter().map(of_budget).collect())
}

/// The files that hold most of the words of the task, until the budget is used: from the top, or the lines around the words.
fn ripgrep(context: &WayContext<'_>, task: &str, budgets: &[usize], way: Way) -> Result<Vec<Asked>, Failure> {
    let begun = Instant::now();
    let agent = RipgrepAgent { rg: context.rg, root: context.engine.root() };
    let files = agent.ranked_files(task)?;
    let ms = begun.elapsed().as_secs_f64() * 1e3;
    let words = words_of(task);
    let most = budgets.iter().copied().max().unwrap_or(0);
    let listed = listed_tokens(&files);
    let (mut tokens, mut read) = (listed, Vec::new());
    for path in files {
        if tokens >= most {
            break;
        }
        let lines = if way == Way::RipgrepLines { agent.around(&path, &words) } else { agent.top(&path) };
        tokens += agent::tokens(&lines.concat());
        read.push((path, tokens));
    }
    let of_budget = |budget: &usize| {
        let (n_files, used) = read_within(*budget, listed, &read);
        let files = read.iter().take(n_files).map(|(path, _)| path.clone()).collect();
        Asked { tokens: used, ms, ..Asked::of(*budget, files) }
    };
    Ok(budgets.iter().map(of_budget).collect())
}

/// The number of files that an agent reads within a budget after the list of all files, and the tokens that are used. Each
/// file comes with the tokens up to its end. The last file is read as far as the budget reaches.
fn read_within(budget: usize, listed: usize, read: &[(String, usize)]) -> (usize, usize) {
    if listed >= budget {
        return (0, budget);
    }
    let whole = read.partition_point(|(_, tokens)| *tokens <= budget);
    match whole < read.len() {
        true => (whole + 1, budget),
        false => (whole, read.last().map_or(listed, |(_, tokens)| *tokens)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_files_that_uses_the_budget_leaves_no_file() {
        let read = [("a".to_string(), 150), ("b".to_string(), 200)];
        for (budget, expected) in [
            (100, (0, 100)),
            (80, (0, 80)),
            (101, (1, 101)),
            (150, (2, 150)),
            (200, (2, 200)),
            (300, (2, 200)),
        ] {
            assert_eq!(read_within(budget, 100, &read), expected, "{budget}");
        }
        assert_eq!(read_within(500, 100, &[]), (0, 100));
    }
}
