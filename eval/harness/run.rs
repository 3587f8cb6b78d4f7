//! `spyhop-eval run`: asks every query of every tree, and tells how good and how fast the answers are.
//!
//! A query is asked once for `--depth` hits, which are judged; that also warms caches. Then all queries of the tree are
//! asked `--repeat` times for a page of k hits as a caller would, one after the other on one thread, and timed.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use spyhop::{ActivitySource, Call, Engine, Profile, SearchRequest};
use spyhop_engine::api::MAX_RESULTS;

use crate::failure::Failure;
use crate::record::{Header, HitRow, QueryRow, Run, TreeRow};
use crate::report;
use crate::select::{Opened, Selection};
use crate::sets::{Query, Set, Tree};

const PAGE: i64 = MAX_RESULTS as i64;

/// Ask every query of a set and report how good and how fast the answers are
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    selection: Selection,
    /// Write the lists, for compare and export
    #[arg(long, value_name = "FILE.jsonl")]
    out: Option<PathBuf>,
    /// Measures look at the first N hits
    #[arg(short, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u16).range(1..=PAGE))]
    k: u16,
    /// Ask for N hits; MAP looks at all of them
    #[arg(long, value_name = "N", default_value = "50", value_parser = clap::value_parser!(u16).range(1..=PAGE))]
    depth: u16,
    /// List N of the queries with the lowest NDCG
    #[arg(long, value_name = "N", default_value = "0")]
    worst: usize,
    /// Time each query N times and keep the median
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    repeat: u16,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let (k, depth, repeat) = (usize::from(args.k), usize::from(args.depth), usize::from(args.repeat));
    if depth < k {
        return Err(Failure::Asked(format!("--depth {depth} is less than -k {k}; choose {k} or more")));
    }
    let sets = args.selection.read()?;
    let names = sets.iter().map(|set| set.name.clone()).collect();
    let threads = args.selection.threads.map_or(0, usize::from);
    let profile = args.selection.profile()?;
    let header = Header::new(&profile, names, [k, depth, repeat, threads]);
    let mut run = Run { header, trees: Vec::new(), queries: Vec::new() };
    run.header.missing = args.selection.each(&sets, |set, tree, opened| {
        run.trees.push(tree_row(set, tree, opened));
        run.queries.extend(asked(set, tree, &opened.engine, &profile, &run.header)?);
        Ok(())
    })?;
    if run.queries.is_empty() {
        return Err(Failure::Asked(format!("no tree is there; missing: {}", run.header.missing.join(", "))));
    }
    print!("{}{}", report::run(&run), report::worst(&run, args.worst));
    if let Some(path) = &args.out {
        run.write(path)?;
    }
    Ok(())
}

/// The call of a query: what was touched on this machine must not count.
pub fn call() -> Call<'static> {
    Call::default().with_session(ActivitySource::Ignored)
}

/// The request that a query is asked with.
pub fn request(text: &str, max_results: usize, profile: &Arc<Profile>) -> SearchRequest {
    let profile = Some(Arc::clone(profile));
    SearchRequest { max_results, profile, ..SearchRequest::new(text) }
}

/// Asks the queries of a tree, then times them.
fn asked(
    set: &Set,
    tree: &Tree,
    engine: &Engine,
    profile: &Arc<Profile>,
    header: &Header,
) -> Result<Vec<QueryRow>, Failure> {
    let mut rows = Vec::new();
    for query in &tree.queries {
        let reply = engine.call(&request(&query.text, header.depth, profile), &call())?;
        let hits = reply.results.iter().map(|hit| HitRow::new(query, hit)).collect();
        rows.push(query_row(set, tree, query, hits));
    }
    let mut times = vec![Vec::new(); rows.len()];
    for _ in 0..header.repeat {
        for (query, times) in tree.queries.iter().zip(&mut times) {
            let request = request(&query.text, header.k, profile);
            let begun = Instant::now();
            engine.search(&request)?;
            times.push(begun.elapsed().as_secs_f64() * 1e3);
        }
    }
    for (row, times) in rows.iter_mut().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        row.ms = times[(times.len() - 1) / 2];
    }
    Ok(rows)
}

/// The row of a query with its list.
pub fn query_row(set: &Set, tree: &Tree, query: &Query, hits: Vec<HitRow>) -> QueryRow {
    QueryRow {
        set: set.name.clone(),
        tree: tree.name.clone(),
        folder: tree.folder.clone(),
        language: language(tree),
        id: query.id.clone(),
        kind: query.kind.clone(),
        query: query.text.clone(),
        targets: query.targets.clone(),
        places: query.places.clone(),
        ms: 0.0,
        hits,
    }
}

/// The row of a tree with what its index cost.
pub fn tree_row(set: &Set, tree: &Tree, opened: &Opened) -> TreeRow {
    TreeRow {
        set: set.name.clone(),
        tree: tree.name.clone(),
        folder: tree.folder.clone(),
        language: language(tree),
        files: opened.status.files,
        chunks: opened.status.chunks,
        source_bytes: opened.status.source_bytes,
        index_bytes: opened.status.index_bytes,
        parsed: opened.parsed,
        index_ms: opened.index_ms,
    }
}

fn language(tree: &Tree) -> String {
    tree.language.clone().unwrap_or_else(|| "-".to_string())
}
