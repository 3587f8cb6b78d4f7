//! An exact search over shards: the lines of all trees, by path.

use crate::api::cursor::LineCursor;
use crate::api::{GrepReply, GrepRequest, Incomplete, IncompleteCause, Snapshot};

/// The page of the lines of all trees. `lost` says what does not answer.
pub(super) fn merged(
    request: &GrepRequest,
    trees: Vec<GrepReply>,
    (snapshot, lost): (Snapshot, Vec<String>),
) -> GrepReply {
    let (mut lines, mut warnings) = (Vec::new(), Vec::new());
    let (mut total_lines, mut total_files, mut has_more) = (0, 0, false);
    let mut missing: Vec<Incomplete> =
        lost.into_iter().map(|why| IncompleteCause::Silent.with(why)).collect();
    for tree in trees {
        lines.extend(tree.lines);
        total_lines += tree.total_lines;
        total_files += tree.total_files;
        has_more |= tree.next.is_some();
        warnings.extend(tree.warnings);
        missing.extend(tree.incomplete);
    }
    warnings.dedup();
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
