//! `spyhop-eval tokens`: what an agent reads until it meets the first answer, beside an agent that has ripgrep only.
//!
//! A token is four bytes, rounded up, of text that is really given out: of Spyhop the agent's form with headings and
//! reasons, as `spyhop mcp` sends it. The models are written down in `eval/README.md`; each reads on until a target is
//! met or ten places were looked at, and what it read in vain counts as well.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use spyhop::judged::mean;
use spyhop::render::agent;
use spyhop::text::Lines;
use spyhop::{Mode, Profile, SearchReply, SearchRequest};

use crate::corpus::Opened;
use crate::failure::Failure;
use crate::measure::percentile;
use crate::progress::Bar;
use crate::ripgrep::{RipgrepAgent, listed_tokens};
use crate::run::request;
use crate::select::Selection;
use crate::sets::{Query, Tree};
use crate::table::Table;

/// So many hits or files are looked at.
const PLACES: usize = 10;
/// What an answer of the server holds at most unless asked otherwise.
const PAGE: usize = 4_000;

/// Count what an agent reads until it meets the first answer: with hits in a line, with snippets, and with ripgrep
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    /// The ripgrep to compare with
    #[arg(long, value_name = "PATH", default_value = "rg")]
    rg: PathBuf,
    /// Write the counts of each query
    #[arg(long, value_name = "FILE.jsonl")]
    out: Option<PathBuf>,
}

/// How an agent goes about it.
const WAYS: [&str; 4] = ["compact", "compact, then read", "default", "ripgrep, then read"];

/// What was read of a query in one way.
#[derive(Clone, Copy, Debug, Serialize)]
struct Read {
    /// Until the first answer, it included; everything where there is none.
    tokens: usize,
    found: bool,
}

/// The counts of a query.
#[derive(Debug, Serialize)]
struct Row {
    set: String,
    tree: String,
    id: String,
    /// By the places of `WAYS`.
    read: [Read; WAYS.len()],
    /// Of the whole first page: compact, default.
    page: [usize; 2],
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let (sets, places) = (args.selection.read()?, args.selection.places()?);
    let profile = args.selection.profile()?;
    let bar = Bar::new(sets.iter().flat_map(|set| &set.trees).map(|tree| tree.queries.len()).sum());
    let mut rows = Vec::new();
    for set in &sets {
        for tree in &set.trees {
            bar.at(&tree.folder);
            match places.open(&set.name, tree)? {
                Some(opened) => {
                    let asking = Asking { opened, tree, profile: &profile, rg: &args.rg };
                    for query in &tree.queries {
                        rows.push(asking.row(&set.name, query)?);
                    }
                }
                None => bar.say(&format!("left out, not there: {}", tree.folder)),
            }
            bar.advance(tree.queries.len());
        }
    }
    if rows.is_empty() {
        return Err(Failure::Asked("no tree is there".to_string()));
    }
    print!("{}", report(&rows));
    if let Some(path) = &args.out {
        let mut out = BufWriter::new(File::create(path)?);
        for row in &rows {
            writeln!(out, "{}", serde_json::to_string(row).expect("plain data"))?;
        }
        out.flush()?;
    }
    Ok(())
}

/// A tree that is asked about.
struct Asking<'a> {
    opened: Opened,
    tree: &'a Tree,
    profile: &'a Arc<Profile>,
    rg: &'a Path,
}

impl Asking<'_> {
    fn row(&self, set: &str, query: &Query) -> Result<Row, Failure> {
        let [compact, default] = [Mode::Compact, Mode::Default].map(|mode| self.asked(query, mode));
        let (compact, default) = (compact?, default?);
        let read = [
            shown(query, &compact, Mode::Compact),
            self.then_read(query, &compact),
            shown(query, &default, Mode::Default),
            self.ripgrep(query)?,
        ];
        let page = [(&compact, Mode::Compact), (&default, Mode::Default)].map(|(reply, mode)| {
            let fits = agent::search_fits(reply, &[], mode, PAGE);
            agent::tokens(&agent::search(&first(reply, fits), &[], mode).text)
        });
        let (set, tree, id) = (set.to_string(), self.tree.name.clone(), query.id.clone());
        Ok(Row { set, tree, id, read, page })
    }

    fn asked(&self, query: &Query, mode: Mode) -> Result<SearchReply, Failure> {
        let request = SearchRequest { mode, ..request(&query.text, PLACES, self.profile) };
        Ok(self.opened.engine.search(&request)?)
    }

    /// Hits in a line each, and the lines of one after the other from the file until one answers.
    fn then_read(&self, query: &Query, reply: &SearchReply) -> Read {
        let listed = agent::tokens(&until(reply, reply.results.len(), Mode::Compact));
        let mut tokens = listed;
        for hit in &reply.results {
            tokens += agent::tokens(&self.agent().lines(hit.path.as_str(), hit.lines).concat());
            if answers(query, hit.path.as_str(), hit.lines) {
                return Read { tokens, found: true };
            }
        }
        Read { tokens, found: false }
    }

    /// The files that hold most of the query's words, read from the top until one answers.
    fn ripgrep(&self, query: &Query) -> Result<Read, Failure> {
        let agent = self.agent();
        let files = agent.ranked_files(&query.text)?;
        let mut tokens = listed_tokens(&files);
        for path in files.iter().take(PLACES) {
            let top = agent.top(path);
            tokens += agent::tokens(&top.concat());
            if answers(query, path, Lines { first: 1, last: top.len() as u32 }) {
                return Ok(Read { tokens, found: true });
            }
        }
        Ok(Read { tokens, found: false })
    }

    fn agent(&self) -> RipgrepAgent<'_> {
        RipgrepAgent { rg: self.rg, root: self.opened.engine.root() }
    }
}

/// What is read of a reply until the first hit that answers.
fn shown(query: &Query, reply: &SearchReply, mode: Mode) -> Read {
    let answer = reply.results.iter().position(|hit| answers(query, hit.path.as_str(), hit.lines));
    let hits = answer.map_or(reply.results.len(), |at| at + 1);
    Read { tokens: agent::tokens(&until(reply, hits, mode)), found: answer.is_some() }
}

fn answers(query: &Query, path: &str, lines: Lines) -> bool {
    query.targets.iter().any(|target| target.answered_by(path, lines))
}

/// The text of a reply's first hits, without what stands below the last one.
fn until(reply: &SearchReply, hits: usize, mode: Mode) -> String {
    let mut text = agent::search(&first(reply, hits), &[], mode).text;
    if let Some(end) = text.rfind("\n\n") {
        text.truncate(end + 1);
    }
    text
}

fn first(reply: &SearchReply, hits: usize) -> SearchReply {
    let mut reply = reply.clone();
    reply.results.truncate(hits);
    reply
}

/// A table over all queries, one over those that every way answers, and one by tree.
fn report(rows: &[Row]) -> String {
    let of_all: Vec<&Row> = rows.iter().filter(|row| row.read.iter().all(|read| read.found)).collect();
    let all: Vec<&Row> = rows.iter().collect();
    let mut out = format!("{}\n", head(&all, &of_all));
    let mut by_tree: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        by_tree.entry(&row.tree).or_default().push(row);
    }
    let mut table = Table::new(&["tree, median", "queries", WAYS[0], WAYS[1], WAYS[2], WAYS[3]]);
    for (tree, rows) in by_tree {
        let mut cells = vec![tree.to_string(), rows.len().to_string()];
        cells.extend((0..WAYS.len()).map(|way| format!("{:.0}", percentile(&tokens(&rows, way), 0.5))));
        table.row(cells);
    }
    out.push_str(&table.printed());
    for (name, page) in [WAYS[0], WAYS[2]].iter().zip(0..) {
        let mut pages: Vec<f64> = rows.iter().map(|row| row.page[page] as f64).collect();
        pages.sort_by(f64::total_cmp);
        let (median, mean) = (percentile(&pages, 0.5), mean(pages.iter().copied()));
        out.push_str(&format!("\na whole first page, {name}: median {median:.0}, mean {mean:.0}"));
    }
    out.push('\n');
    out
}

fn head(all: &[&Row], of_all: &[&Row]) -> String {
    let columns =
        ["tokens until the answer", "found", "median", "mean", "median, found by all", "mean, found by all"];
    let mut table = Table::new(&columns);
    for (way, name) in WAYS.iter().enumerate() {
        let found = all.iter().filter(|row| row.read[way].found).count();
        let figures = [all, of_all].map(|rows| {
            let sorted = tokens(rows, way);
            [percentile(&sorted, 0.5), mean(sorted.iter().copied())].map(|figure| format!("{figure:.0}"))
        });
        let mut cells = vec![(*name).to_string(), format!("{found} of {}", all.len())];
        cells.extend(figures.into_iter().flatten());
        table.row(cells);
    }
    format!("{}found by all: {} of {}\n", table.printed(), of_all.len(), all.len())
}

/// What was read in one way, sorted.
fn tokens(rows: &[&Row], way: usize) -> Vec<f64> {
    let mut tokens: Vec<f64> = rows.iter().map(|row| row.read[way].tokens as f64).collect();
    tokens.sort_by(f64::total_cmp);
    tokens
}
