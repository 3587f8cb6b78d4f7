//! Runs of `spyhop-eval` for the page: side by side, query by query, and with other weights.
//!
//! A run is a file of JSON lines in one folder (`eval/README.md`). Names of runs and profiles are names of files in that
//! folder, so nothing else is read or written.

mod profile;
mod run;

use std::collections::HashMap;

use serde_json::{Value, json};
use spyhop_base::judged::{JudgedList, mean_of_means};

use super::ask::Ask;
use super::reply::ApiError;
use super::site::PageSite;
use run::{QueryRow, Run};

pub use profile::{profile, rerank, save_profile};

/// Differences below this are ties.
const TIE: f64 = 1e-9;

/// The most first hits that measures use.
const MAX_K: usize = 1_000;

/// The runs of the folder, with their measures.
pub fn runs(site: &PageSite, ask: &Ask) -> Result<String, ApiError> {
    ask.params.only(&[])?;
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    for name in run::names(site.eval()?)? {
        match Run::read(site.eval()?, &name) {
            Ok(run) => rows.push(summary(&name, &run)),
            Err(error) => failed.push(json!({ "name": name, "error": error.text })),
        }
    }
    Ok(json!({ "runs": rows, "failed": failed }).to_string())
}

fn summary(name: &str, run: &Run) -> Value {
    let header = &run.header;
    let judged: Vec<(&QueryRow, JudgedList)> = run.queries.iter().map(|row| (row, row.judged())).collect();
    let mean = |of: &dyn Fn(&JudgedList) -> f64| {
        mean_of_means(judged.iter().map(|(row, judged)| (row.group(), of(judged))))
    };
    json!({
        "name": name, "profile": header.profile, "version": header.version, "sets": header.sets, "k": header.k,
        "queries": run.queries.len(), "trees": run.trees, "ndcg": mean(&|it| it.ndcg(header.k)),
        "mrr": mean(&|it| it.reciprocal_rank(header.k)), "success_1": mean(&|it| it.success(1)),
    })
}

/// A query in one run, or in two.
struct Pair<'r> {
    row: &'r QueryRow,
    a: f64,
    b: Option<(&'r QueryRow, f64)>,
}

/// Two runs side by side; one run alone if `b` is not given.
pub fn compare(site: &PageSite, ask: &Ask) -> Result<String, ApiError> {
    ask.params.only(&["a", "b", "k"])?;
    let (folder, names) =
        (site.eval()?, [ask.params.required("a")?, ask.params.one("b")?.unwrap_or_default()]);
    let a = Run::read(folder, names[0])?;
    let b = ask.params.one("b")?.map(|name| Run::read(folder, name)).transpose()?;
    let k = ask.params.number("k", 1..=MAX_K)?.unwrap_or(a.header.k);
    let pairs = pairs(&a, b.as_ref(), k);
    let mean = |pairs: &[&Pair<'_>]| {
        let a = mean_of_means(pairs.iter().map(|pair| (pair.row.group(), pair.a)));
        let b = b
            .as_ref()
            .map(|_| mean_of_means(pairs.iter().filter_map(|pair| Some((pair.row.group(), pair.b?.1)))));
        (a, b)
    };
    let mut kinds: Vec<&str> = pairs.iter().map(|pair| pair.row.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let kind = |kind: &&str| {
        let of: Vec<&Pair<'_>> = pairs.iter().filter(|pair| pair.row.kind == *kind).collect();
        let (a, b) = mean(&of);
        json!({ "kind": kind, "queries": of.len(), "a": a, "b": b })
    };
    let differences = || pairs.iter().filter_map(|pair| Some(pair.b?.1 - pair.a));
    let wins = differences().filter(|difference| *difference > TIE).count();
    let losses = differences().filter(|difference| *difference < -TIE).count();
    let (mean_a, mean_b) = mean(&pairs.iter().collect::<Vec<_>>());
    Ok(json!({
        "a": names[0],
        "b": b.as_ref().map(|_| names[1]),
        "k": k,
        "mean": { "a": mean_a, "b": mean_b },
        "wins": wins,
        "losses": losses,
        "ties": differences().count() - wins - losses,
        "kinds": kinds.iter().map(kind).collect::<Vec<_>>(),
        "queries": pairs.iter().map(wire).collect::<Vec<_>>(),
    })
    .to_string())
}

/// The queries of `a`; with a second run, those that both have with the same targets.
fn pairs<'r>(a: &'r Run, b: Option<&'r Run>, k: usize) -> Vec<Pair<'r>> {
    fn key(row: &QueryRow) -> (&str, &str) {
        (&row.set, &row.id)
    }
    let others: Option<HashMap<_, _>> = b.map(|b| b.queries.iter().map(|row| (key(row), row)).collect());
    let pair = |row: &'r QueryRow| {
        let own = row.judged().ndcg(k);
        let Some(others) = &others else { return Some(Pair { row, a: own, b: None }) };
        let other = *others.get(&key(row))?;
        let is_same = row.query == other.query && row.targets == other.targets;
        is_same.then(|| Pair { row, a: own, b: Some((other, other.judged().ndcg(k))) })
    };
    a.queries.iter().filter_map(pair).collect()
}

fn wire(pair: &Pair<'_>) -> Value {
    let side =
        |row: &QueryRow, ndcg: f64| json!({ "ndcg": ndcg, "ranks": row.judged().first(), "ms": row.ms });
    let QueryRow { set, tree, id, kind, query, .. } = pair.row;
    json!({
        "set": set, "tree": tree, "id": id, "kind": kind, "query": query, "a": side(pair.row, pair.a),
        "b": pair.b.map(|(row, ndcg)| side(row, ndcg)), "difference": pair.b.map(|(_, ndcg)| ndcg - pair.a),
    })
}

/// The list of one query of a run.
pub fn query(site: &PageSite, ask: &Ask) -> Result<String, ApiError> {
    ask.params.only(&["run", "set", "tree", "id"])?;
    let run = Run::read(site.eval()?, ask.params.required("run")?)?;
    let [set, id] = [ask.params.required("set")?, ask.params.required("id")?];
    let tree = ask.params.one("tree")?;
    let is_it = |row: &&QueryRow| row.set == set && row.id == id && tree.is_none_or(|tree| tree == row.tree);
    let row = run.queries.iter().find(is_it);
    let row =
        row.ok_or_else(|| ApiError::not_found(format!("the run has no query '{id}' of the set '{set}'")))?;
    let targets: Vec<Value> = row
        .targets
        .iter()
        .map(|target| {
            let lines = target.lines.as_ref();
            json!({
                "path": target.path, "line": lines.map(|lines| lines.first), "end_line": lines.map(|lines| lines.last),
                "grade": target.grade,
            })
        })
        .collect();
    let hits: Vec<Value> = row
        .hits
        .iter()
        .map(|hit| {
            json!({
                "path": hit.path, "line": hit.lines.first, "end_line": hit.lines.last, "score": hit.score,
                "targets": hit.targets,
            })
        })
        .collect();
    Ok(json!({ "query": row.query, "kind": row.kind, "tree": row.tree, "targets": targets, "hits": hits })
        .to_string())
}
