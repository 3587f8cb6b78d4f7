//! The graph of files for agents: the files of each circle, or a line for each file with its counts.

use std::fmt::Write;

use super::answer::{Answer, clean_value, cut, with_footer};
use crate::render::places::agent_path;
use crate::render::text::{circle_and_rest, count};
use spyhop_engine::api::{FileGraphQuestion, FileGraphReply};

/// The answer to a question about the graph of files.
pub fn file_graph(reply: &FileGraphReply, budget: usize) -> Answer {
    let path = |at: usize| agent_path(reply.files[at].source.as_ref(), &reply.files[at].path);
    let mut out = String::new();
    let (shown, one, many) = match reply.question {
        FileGraphQuestion::Cycles => {
            for group in &reply.cycles {
                let (circle, rest) = circle_and_rest(reply, group);
                let first = circle.first();
                let files: Vec<_> = circle.iter().chain(first).map(|at| path(*at)).collect();
                let _ = writeln!(out, "{}", files.join(" -> "));
                if !rest.is_empty() {
                    let files: Vec<_> = rest.iter().map(|at| path(*at)).collect();
                    let title = count(rest.len(), "more file", "more files");
                    let _ = writeln!(out, "  {title} in circles with them: {}", files.join(", "));
                }
            }
            (reply.cycles.len(), "circle of imports", "circles of imports")
        }
        FileGraphQuestion::Orphans => {
            (0..reply.files.len()).for_each(|at| _ = writeln!(out, "{}", path(at)));
            (reply.files.len(), "orphan", "orphans")
        }
        FileGraphQuestion::Hubs | FileGraphQuestion::Export => {
            for (at, file) in reply.files.iter().enumerate() {
                let _ = writeln!(out, "{} {} in, {} out", path(at), file.importers, file.imports);
            }
            (reply.files.len(), "file", "files")
        }
    };
    let more = if shown < reply.total { "; more with max_results or a narrower path" } else { "" };
    let _ = writeln!(out, "\n{shown} of {}{more}", count(reply.total, one, many));
    let text = with_footer(out, reply.incomplete.as_deref(), &reply.warnings, None);
    cut(Answer { text, data: clean_value(reply) }, budget)
}
