//! The wire format of answers about the graph of files.

use serde::Serialize;

use super::shared::{JsonPaths, WirePath, WireSnapshot};
use spyhop_engine::api::{FileGraphQuestion, FileGraphReply};

/// The answer to a question about the graph of files.
pub fn file_graph<'r>(reply: &'r FileGraphReply, paths: JsonPaths<'r>) -> impl Serialize + use<'r> {
    let path = |place: &usize| reply.files[*place].path.as_str();
    WireFileGraph {
        question: match reply.question {
            FileGraphQuestion::Export => "export",
            FileGraphQuestion::Cycles => "cycles",
            FileGraphQuestion::Orphans => "orphans",
            FileGraphQuestion::Hubs => "hubs",
        },
        files: reply
            .files
            .iter()
            .map(|file| WireFileNode {
                path: paths.of(&file.path),
                language: file.language,
                imports: file.imports,
                importers: file.importers,
                is_test: file.is_test,
            })
            .collect(),
        edges: reply
            .edges
            .iter()
            .map(|edge| WireEdge { from: path(&edge.from), to: path(&edge.to), line: edge.line })
            .collect(),
        cycles: reply.cycles.iter().map(|group| group.iter().map(path).collect()).collect(),
        total: reply.total,
        complete: reply.incomplete.is_none(),
        incomplete: reply.incomplete.as_deref(),
        snapshot: WireSnapshot::new(&reply.snapshot),
        warnings: &reply.warnings,
    }
}

#[derive(Serialize)]
struct WireFileGraph<'a> {
    question: &'static str,
    files: Vec<WireFileNode<'a>>,
    edges: Vec<WireEdge<'a>>,
    cycles: Vec<Vec<&'a str>>,
    total: usize,
    complete: bool,
    incomplete: Option<&'a str>,
    snapshot: WireSnapshot,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct WireFileNode<'a> {
    #[serde(flatten)]
    path: WirePath<'a>,
    language: &'a str,
    imports: usize,
    importers: usize,
    is_test: bool,
}

#[derive(Serialize)]
struct WireEdge<'a> {
    from: &'a str,
    to: &'a str,
    line: u32,
}
