//! An exact search over shards: the lines of all trees, by path.

use super::messages::LinesOfTree;
use crate::api::cursor::LineCursor;
use crate::api::{GrepLine, GrepReply, GrepRequest, Incomplete, IncompleteCause, Snapshot};
use crate::corpus::ReadyMember;
use crate::error::Error;

/// The lines of one tree of a shard.
pub(super) fn of_tree(member: &ReadyMember<'_>, request: &GrepRequest) -> Result<LinesOfTree, Error> {
    let reply = member.engine.ask(request)?;
    let cause = |cause: IncompleteCause| IncompleteCause::ALL.iter().position(|own| *own == cause);
    Ok(LinesOfTree {
        lines: reply.lines.into_iter().map(Into::into).collect(),
        total_lines: reply.total_lines,
        total_files: reply.total_files,
        incomplete: reply.incomplete.map(|why| (cause(why.cause).unwrap_or_default(), why.text)),
        has_more: reply.next.is_some(),
        warnings: reply.warnings,
    })
}

/// The page of the lines of all trees. `lost` says what does not answer.
pub(super) fn merged(
    request: &GrepRequest,
    trees: Vec<LinesOfTree>,
    (snapshot, lost): (Snapshot, Vec<String>),
) -> GrepReply {
    let (mut lines, mut warnings): (Vec<GrepLine>, Vec<String>) = (Vec::new(), Vec::new());
    let (mut total_lines, mut total_files, mut has_more) = (0, 0, false);
    let mut missing = Vec::new();
    for tree in trees {
        lines.extend(tree.lines.into_iter().map(GrepLine::from));
        total_lines += tree.total_lines;
        total_files += tree.total_files;
        has_more |= tree.has_more;
        warnings.extend(tree.warnings);
        let cause = |(cause, text): (usize, String)| {
            IncompleteCause::ALL.get(cause).copied().unwrap_or(IncompleteCause::Unread).with(text)
        };
        missing.extend(tree.incomplete.map(cause));
    }
    warnings.dedup();
    missing.splice(0..0, lost.into_iter().map(|why| IncompleteCause::Silent.with(why)));
    lines.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    has_more |= lines.len() > request.max_results;
    lines.truncate(request.max_results);
    let next = lines
        .last()
        .filter(|_| has_more)
        .map(|last| LineCursor { path: last.path.clone(), line: last.line, rank: None }.to_string());
    GrepReply {
        pattern: request.pattern.clone(),
        lines,
        total_lines,
        total_files,
        incomplete: Incomplete::of_all(missing),
        next,
        snapshot,
        sources: Vec::new(),
        warnings,
        file_ranks: Vec::new(),
    }
}
