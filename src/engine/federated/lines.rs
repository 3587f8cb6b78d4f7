//! An exact search over shards: the lines of all trees, by path or by the relevance of their files.

use rustc_hash::FxHashMap;

use super::matched::{MatchedFiles, MatchedFilesRequest, OrderedLinesRequest};
use super::search::{self, MatchedByShard};
use super::shard::{AskedState, pending};
use super::trees::TreeRequest;
use crate::api::cursor::LineCursor;
use crate::api::{GrepReply, GrepRequest, Incomplete, IncompleteCause};
use crate::core::Engine;
use crate::error::Error;
use crate::grep;
use crate::grep_selection::{NO_WORDS, ranking_words};
use crate::lookup;
use crate::operation::Operation;
use crate::remote;
use spyhop_base::path::RelPath;

/// The places of files in the order of an answer; none if the order is that of the paths.
type OrderOfFiles = FxHashMap<RelPath, usize>;

/// The page of an exact search in ranked files: which files match, their ranking over all shards, and the lines of the page.
pub(super) fn ranked(
    engine: &Engine,
    state: &mut AskedState,
    request: &GrepRequest,
) -> Result<GrepReply, Error> {
    let cursor = lookup::parse_position(request.cursor.as_deref(), true)?;
    let request = GrepRequest { cursor: None, ..request.clone() };
    let told = of_trees(state, |_| MatchedFilesRequest(request.clone()))?;
    let lines = |(path, lines): (RelPath, usize)| (path, u32::try_from(lines).unwrap_or(u32::MAX));
    let of_shard = |trees: Vec<MatchedFiles>| trees.into_iter().flat_map(|own| own.0).map(lines).collect();
    let matched: MatchedByShard = told.into_iter().map(of_shard).collect();
    let (mut shard_of, mut warnings) = (FxHashMap::default(), Vec::new());
    for (shard, own) in matched.iter().enumerate() {
        shard_of.extend(own.iter().map(|(path, _)| (path, shard)));
    }
    let mut order: Vec<RelPath> =
        match engine.parsers().query(&ranking_words(&request, &grep::wanted(&request))) {
            Ok(query) => search::by_relevance(state, query, &matched)?,
            Err(_) => {
                warnings.push(NO_WORDS.to_string());
                Vec::new()
            }
        };
    order.retain(|path| shard_of.contains_key(path));
    let mut places: OrderOfFiles = order.iter().cloned().zip(0..).collect();
    // The files that are not ranked come last, by path.
    let mut others: Vec<RelPath> =
        shard_of.keys().copied().filter(|path| !places.contains_key(*path)).cloned().collect();
    others.sort_unstable();
    places.extend(others.iter().cloned().zip(order.len()..));
    order.extend(others);
    let after = cursor.map(|cursor| cursor.place(&order));
    let trees = of_trees(state, |shard| {
        let is_own = |path: &&RelPath| shard_of[*path] == shard;
        let before = |(place, line): (usize, u32)| {
            let line = if order.get(place).as_ref().is_some_and(is_own) { line } else { 0 };
            (order.iter().take(place).filter(is_own).count(), line)
        };
        let files = order.iter().filter(is_own).cloned().collect();
        OrderedLinesRequest { request: request.clone(), files, after: after.map(before) }
    })?;
    let trees = trees.into_iter().flatten().collect();
    let mut reply = merged(&request, trees, state, Some(&places));
    reply.warnings.splice(0..0, warnings);
    Ok(reply)
}

/// By shard that answers: the replies of its trees; an error while replies are missing.
fn of_trees<O>(state: &mut AskedState, request: impl Fn(usize) -> O) -> Result<Vec<Vec<O::Reply>>, Error>
where
    O: Operation<Reply: 'static> + 'static,
{
    let live = state.shards.iter_mut().filter(|shard| shard.lost.is_none()).enumerate();
    let told = live.map(|(number, shard)| Ok(shard.answers(&TreeRequest::travelling(&request(number))?)));
    let told: Vec<Option<Vec<_>>> = told.collect::<Result<_, Error>>()?;
    let told: Option<Vec<_>> = told.into_iter().collect();
    let typed = |trees: Vec<Result<_, Error>>| trees.into_iter().map(|own| remote::of_type(own?)).collect();
    told.ok_or_else(pending)?.into_iter().map(typed).collect()
}

/// The page of the lines of all trees.
pub(super) fn merged(
    request: &GrepRequest,
    trees: Vec<GrepReply>,
    state: &AskedState,
    places: Option<&OrderOfFiles>,
) -> GrepReply {
    let lost = state.shards.iter().filter_map(|shard| shard.lost.clone());
    let (mut lines, mut warnings) = (Vec::new(), Vec::new());
    let (mut total_lines, mut total_files, mut has_more) = (0, 0, false);
    let mut missing: Vec<Incomplete> = lost.map(|why| IncompleteCause::Silent.with(why)).collect();
    for tree in trees {
        lines.extend(tree.lines);
        total_lines += tree.total_lines;
        total_files += tree.total_files;
        has_more |= tree.next.is_some();
        warnings.extend(tree.warnings);
        missing.extend(tree.incomplete);
    }
    warnings.dedup();
    let place = |path: &RelPath| places.and_then(|places| places.get(path).copied());
    lines.sort_by(|a, b| (place(&a.path), &a.path, a.line).cmp(&(place(&b.path), &b.path, b.line)));
    has_more |= lines.len() > request.max_results;
    lines.truncate(request.max_results);
    let next = lines.last().filter(|_| has_more).map(|last| {
        LineCursor { path: last.path.clone(), line: last.line, rank: place(&last.path) }.to_string()
    });
    GrepReply {
        pattern: request.pattern.clone(),
        total_lines,
        total_files,
        incomplete: Incomplete::of_all(missing),
        next,
        snapshot: state.state().snapshot,
        sources: Vec::new(),
        warnings,
        file_ranks: lines.chunk_by(|a, b| a.path == b.path).filter_map(|own| place(&own[0].path)).collect(),
        lines,
    }
}
