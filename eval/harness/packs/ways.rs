//! The ways of collecting code for a task, each of which gives a set of files within a budget.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use spyhop::operations::PACK;
use spyhop::render::agent;
use spyhop::render::json::JsonPaths;
use spyhop::{ActivitySource, Engine, Mode, PackRequest, PackStages, Profile};

use crate::failure::Failure;
use crate::run::request;
use crate::tokens::words_of;

/// The hits of the searches that packs are compared with.
const HITS: usize = 50;
/// The files of a pack, at most.
const FILES: usize = 50;
/// The files that the agent with ripgrep lists.
const LISTED: usize = 100;

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
    Ripgrep,
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
    pub files: Vec<String>,
    pub tokens: usize,
    pub ms: f64,
    pub edges: usize,
    pub equal: bool,
}

impl Way {
    pub const ALL: [Way; 9] = [
        Way::Pack,
        Way::WithoutGoals,
        Way::WithoutRegions,
        Way::WithoutGraph,
        Way::WithoutBackup,
        Way::WithoutPrune,
        Way::SearchUnits,
        Way::SearchSnippets,
        Way::Ripgrep,
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
            Way::Ripgrep => "ripgrep-read",
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
            Way::Ripgrep => return ripgrep(context, task, budgets),
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
    Ok(Asked { budget, files, tokens: reply.tokens, ms, edges: reply.record.edges, equal })
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
        Asked { budget: *budget, files, tokens, ms, edges: 0, equal: true }
    };
    Ok(budgets.iter().map(of_budget).collect())
}

/// The files that hold most of the words of the task, whole, until the next one does not fit.
fn ripgrep(context: &WayContext<'_>, task: &str, budgets: &[usize]) -> Result<Vec<Asked>, Failure> {
    let begun = Instant::now();
    let mut words: BTreeMap<String, usize> = BTreeMap::new();
    for word in words_of(task) {
        for path in files_with(context, &word)? {
            *words.entry(path).or_default() += 1;
        }
    }
    let mut files: Vec<(String, usize)> = words.into_iter().collect();
    files.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    files.truncate(LISTED);
    let root = context.engine.root();
    let size = |path: &str| root.join(path).metadata().map_or(0, |file| file.len() as usize).div_ceil(4);
    let sizes: Vec<usize> = files.iter().map(|(path, _)| size(path)).collect();
    let ms = begun.elapsed().as_secs_f64() * 1e3;
    let of_budget = |budget: &usize| {
        let mut tokens = 0;
        let fits = sizes.iter().take_while(|size| {
            let fits = tokens + **size <= *budget;
            tokens += if fits { **size } else { 0 };
            fits
        });
        let n_files = fits.count();
        let files = files.iter().take(n_files).map(|(path, _)| path.clone()).collect();
        Asked { budget: *budget, files, tokens, ms, edges: 0, equal: true }
    };
    Ok(budgets.iter().map(of_budget).collect())
}

fn files_with(context: &WayContext<'_>, word: &str) -> Result<Vec<String>, Failure> {
    let mut command = Command::new(context.rg);
    command.args(["--no-config", "-liwF", "--", word, "."]).current_dir(context.engine.root());
    let ran = command.output().map_err(|error| {
        Failure::Asked(format!("{} cannot be run: {error}; name ripgrep by --rg", context.rg.display()))
    })?;
    // 1 is nothing found.
    if ran.status.code().is_none_or(|code| code > 1) {
        let said = String::from_utf8_lossy(&ran.stderr);
        return Err(Failure::Asked(format!("{} failed: {said}", context.rg.display())));
    }
    let listed = String::from_utf8_lossy(&ran.stdout);
    Ok(listed.lines().map(|path| path.trim_start_matches("./").to_string()).collect())
}
