//! `spyhop-eval export`: a run in the form of TREC's tools.
//!
//! What qrels name are targets, and a run lists hits, so each hit has to become a document. The first hit that answers a
//! target is listed under the target's id; where it is the first for several, under that of the best grade (the first of
//! them), and the others are never listed. Every other hit is listed under a separate id, which no target has. So
//! NDCG, MRR, MAP and success come out as here, query by query; recall does too, but for queries in which two targets
//! share their first hit: tools find only one of them. `measures.tsv` has our values and says which queries those are.

use std::collections::HashSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use spyhop_base::text::Lines;

use crate::failure::Failure;
use crate::record::{QueryRow, Run};

/// Write a run for other tools: TREC run file, qrels, topics, and our values of the measures
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A run file
    #[arg(value_name = "RUN.jsonl")]
    run: PathBuf,
    /// The folder to write to: run.txt, qrels.txt, topics.tsv, measures.tsv
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let run = Run::read(&args.run)?;
    let (mut list, mut qrels, mut topics) = (String::new(), String::new(), String::new());
    let mut measures = head(run.header.k);
    let several = run.header.sets.len() > 1;
    for row in &run.queries {
        // Ids are only unique in a set.
        let id = if several { format!("{}/{}", row.set, row.id) } else { row.id.clone() };
        let targets = target_ids(row);
        for (document, target) in targets.iter().zip(&row.targets) {
            let _ = writeln!(qrels, "{id} 0 {document} {}", target.grade);
        }
        let documents = documents(row, &targets);
        for (at, document) in documents.iter().enumerate() {
            // Tools order by score and know nothing of ties, so the score is the rank from the end.
            let _ = writeln!(list, "{id} Q0 {document} {} {} spyhop", at + 1, documents.len() - at);
        }
        let _ = writeln!(topics, "{id}\t{}", row.query);
        measured(&mut measures, &id, row, run.header.k);
    }
    fs::create_dir_all(&args.out).map_err(Failure::write(&args.out))?;
    let files = [("run.txt", list), ("qrels.txt", qrels), ("topics.tsv", topics), ("measures.tsv", measures)];
    files.iter().try_for_each(|(name, text)| write(&args.out.join(name), text))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(Failure::write(path))
}

fn head(k: usize) -> String {
    format!("query\tnDCG@{k}\tRR@{k}\tAP\tR@{k}\tSuccess@1\tshared\n")
}

fn measured(out: &mut String, id: &str, row: &QueryRow, k: usize) {
    let of = row.measures(k);
    let shared = row.judged().shares();
    let values = [of.ndcg, of.reciprocal_rank, of.average_precision, of.recall, of.success];
    let values: Vec<String> = values.iter().map(f64::to_string).collect();
    let _ = writeln!(out, "{id}\t{}\t{shared}", values.join("\t"));
}

/// An id that is not taken yet: `id`, `id#2`, ...
fn free(id: String, taken: &mut HashSet<String>) -> String {
    let mut free = id.clone();
    let mut number = 2;
    while !taken.insert(free.clone()) {
        free = format!("{id}#{number}");
        number += 1;
    }
    free
}

/// The id of lines of a file as a document: `path` or `path:first-last`. Blanks and `%` are escaped, because blanks end an id.
fn document_id(path: &str, lines: Option<Lines>) -> String {
    let mut id = String::new();
    for sign in path.chars() {
        if sign == '%' || sign.is_whitespace() || sign.is_control() {
            let mut bytes = [0; 4];
            sign.encode_utf8(&mut bytes).bytes().for_each(|byte| id.push_str(&format!("%{byte:02X}")));
        } else {
            id.push(sign);
        }
    }
    match lines {
        Some(lines) => format!("{id}:{}-{}", lines.first, lines.last),
        None => id,
    }
}

/// The document of each target.
fn target_ids(row: &QueryRow) -> Vec<String> {
    let mut taken = HashSet::new();
    row.targets.iter().map(|target| free(document_id(&target.path, target.lines), &mut taken)).collect()
}

/// The document of each hit.
fn documents(row: &QueryRow, targets: &[String]) -> Vec<String> {
    let mut taken: HashSet<String> = targets.iter().cloned().collect();
    let mut answered = vec![false; targets.len()];
    let mut documents = Vec::new();
    for hit in &row.hits {
        let new: Vec<usize> = hit.targets.iter().copied().filter(|target| !answered[*target]).collect();
        new.iter().for_each(|target| answered[*target] = true);
        // Of equal grades the first one counts, and `max_by_key` gives the last.
        documents.push(match new.iter().rev().max_by_key(|target| row.targets[**target].grade) {
            Some(target) => targets[*target].clone(),
            None => free(document_id(&hit.path, Some(hit.lines)), &mut taken),
        });
    }
    documents
}
