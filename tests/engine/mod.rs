//! The library on real files: what stays the same whatever happens, and what is said when something is wrong.
//!
//! Trees are generated from seeds or taken from the sources of this repository; each has a new folder with the index
//! beside it. How a shell sees all this is tested in `cli`; killed processes in `tests/crash.rs`.

mod bounded;
mod branches;
mod building;
mod concurrent;
#[cfg(unix)]
mod confined;
mod damage;
#[cfg(target_os = "linux")]
mod disk;
mod entries;
mod exclusion;
mod exhaustive;
mod faults;
mod federated;
mod federated_lookups;
mod file_graph;
mod files;
mod first_page;
mod graph;
mod graph_alike;
mod graph_changes;
mod graph_interfaces;
mod graph_mentions;
mod graph_of_files;
mod graph_places;
mod grep;
mod hit_callers;
#[cfg(unix)]
mod hostile;
mod literal;
mod map;
mod notes;
mod odd_queries;
mod pack;
mod pack_changes;
mod place;
mod portable;
mod read;
#[cfg(unix)]
mod rebuild;
mod refresh;
#[cfg(unix)]
pub mod repository;
mod request_limits;
mod same_answers;
mod secret_forms;
mod secret_generated;
mod secrets;
#[cfg(unix)]
mod shared;
mod source_set;
mod symbols;
#[cfg(unix)]
mod unreadable;
mod views;
#[cfg(target_os = "linux")]
mod watch;
#[cfg(target_os = "linux")]
mod workers;
mod worktrees;

use std::path::{Path, PathBuf};

use serde_json::Value;
use spyhop_engine::Engine;
use spyhop_engine::api::{Hit, Options, RefreshReport, SearchReply, SearchRequest};
use spyhop_interface::render::json;

use crate::support::{Random, Tree, copy_into};

/// Options that place the index beside the tree.
fn options(tree: &Tree) -> Options {
    Options { index_dir: Some(tree.index_dir()), ..Options::default() }
}

/// The folder of the data in the folder of an index, or of what was put aside.
fn data(index_dir: &Path) -> PathBuf {
    let entries = std::fs::read_dir(index_dir).unwrap().map(|entry| entry.unwrap().path());
    let is_data = |path: &PathBuf| path.join("tantivy").is_dir();
    entries.into_iter().find(is_data).expect("there is a folder of data")
}

/// The engine of a tree.
fn open(tree: &Tree) -> Engine {
    Engine::open(tree.root(), options(tree)).unwrap()
}

fn ask(engine: &Engine, query: &str) -> SearchReply {
    engine.search(&SearchRequest::new(query)).unwrap()
}

/// The paths of a reply's hits, in order.
fn paths(reply: &SearchReply) -> Vec<&str> {
    reply.results.iter().map(|hit| hit.path.as_str()).collect()
}

pub fn refresh(engine: &Engine) -> RefreshReport {
    engine.refresh(&|_| ()).unwrap()
}

/// A reply as JSON without what names the index that it comes from: the snapshot, and the cursor's generation.
fn rendered(reply: &SearchReply) -> Value {
    let mut value: Value = serde_json::from_str(&json::line(reply)).unwrap();
    let fields = value.as_object_mut().unwrap();
    fields.remove("snapshot");
    if let Some(next) = reply.next.as_ref() {
        let (_, offset) = next.split_once('-').unwrap();
        fields.insert("next".into(), offset.into());
    }
    value
}

/// The hits of a reply, each with all that ranking says of it, numbers to the bit.
pub fn exact(reply: &SearchReply) -> Vec<String> {
    let hit = |hit: &Hit| {
        let reasons: Vec<String> = hit
            .reasons
            .iter()
            .map(|reason| {
                format!("{:?} {:08x} {}", reason.signal, reason.contribution.to_bits(), reason.text)
            })
            .collect();
        let (lines, score) = (hit.lines, hit.score);
        format!(
            "{}:{}-{} {score} {:08x}\n  {}",
            hit.path,
            lines.first,
            lines.last,
            score.to_bits(),
            reasons.join("\n  ")
        )
    };
    reply.results.iter().map(hit).collect()
}

/// What generated files are about; queries are made of the same words.
const WORDS: &[&str] = &[
    "acquire", "balance", "cache", "deliver", "expire", "filter", "gather", "handle", "invoke", "journal",
    "key", "lookup", "merge", "notify", "order", "parse", "quota", "resolve", "session", "token", "update",
    "verify", "window", "yield",
];

/// A generated file: its language by `number`, its words by `random`.
fn generated(number: usize, random: &mut Random) -> (String, String) {
    let mut text = String::new();
    let folder = random.pick(WORDS);
    let name = format!("{}_{}", random.pick(WORDS), random.pick(WORDS));
    for _ in 0..1 + random.below(6) {
        let (does, what, with) = (random.pick(WORDS), random.pick(WORDS), random.pick(WORDS));
        let how_often = random.below(100);
        text += &match number % 4 {
            0 => format!(
                "/// Will {does} the {what} before the {with}.\npub fn {does}_{what}({with}: u32) -> u32 {{\n    {with} + {how_often}\n}}\n\n"
            ),
            1 => format!(
                "class {does}:\n    \"\"\"Holds a {what}.\"\"\"\n    def {what}_{with}(self):\n        return {how_often}\n\n"
            ),
            2 => format!(
                "// {does} and {what}\nexport function {does}{what}({with}: number) {{\n  return {how_often};\n}}\n\n"
            ),
            _ => format!("# {does} {what}\n\nHow to {does} a {what} with the {with}, {how_often} times.\n\n"),
        };
    }
    let extension = ["rs", "py", "ts", "md"][number % 4];
    (format!("{folder}/{name}_{number}.{extension}"), text)
}
