//! Answers within a budget of tokens: a reply is truncated to the rows that fit. The reply then says where the next page
//! begins.

use super::answer::{Answer, cut, tokens};
use super::graph::{graph, graph_fits};
use super::lookup::{files, files_fits, grep, grep_fits, map, symbols, symbols_fits};
use super::read::{read, read_fits};
use spyhop_engine::api::{FilesReply, GraphReply, GrepReply, MapReply, MapRequest, ReadReply, SymbolsReply};

/// The lines of a file that fit.
pub fn read_within(mut reply: ReadReply, budget: usize) -> Answer {
    if let ReadReply::Text(text) = &mut reply {
        text.truncate(read_fits(text, budget).max(1));
    }
    cut(read(&reply), budget)
}

/// The lines that fit.
pub fn grep_within(mut reply: GrepReply, budget: usize) -> Answer {
    reply.truncate(grep_fits(&reply, budget).max(1));
    let answer = grep(&reply);
    if reply.lines.len() <= 1 { cut(answer, budget) } else { answer }
}

/// The files that fit.
pub fn files_within(mut reply: FilesReply, budget: usize) -> Answer {
    reply.truncate(files_fits(&reply, budget).max(1));
    files(&reply)
}

/// The definitions that fit.
pub fn symbols_within(mut reply: SymbolsReply, budget: usize) -> Answer {
    reply.truncate(symbols_fits(&reply, budget).max(1));
    symbols(&reply)
}

/// The edges that fit.
pub fn graph_within(mut reply: GraphReply, budget: usize) -> Answer {
    reply.truncate(graph_fits(&reply, budget).max(1));
    cut(graph(&reply), budget)
}

/// Answers a map request.
///
/// A map has no pages: when it is too long, the request runs again with as many rows as should
/// fit.
///
/// # Errors
/// Those of `ask`.
pub fn map_within<E>(
    ask: impl Fn(&MapRequest) -> Result<MapReply, E>,
    request: &MapRequest,
    budget: usize,
) -> Result<Answer, E> {
    let mut request = request.clone();
    loop {
        let answer = map(&ask(&request)?);
        let tokens = tokens(&answer.text);
        if tokens <= budget {
            return Ok(answer);
        }
        if request.max_items == 1 {
            return Ok(cut(answer, budget));
        }
        request.max_items = (request.max_items * budget / tokens).clamp(1, request.max_items - 1);
    }
}
