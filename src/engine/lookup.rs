//! What lookups and searches share: checks of requests, cursors, and the snapshot of a reply.

use super::api::cursor::LineCursor;
use super::api::*;
use super::current::Freshness;
use super::open_index::Viewed;
use super::tree::SearchedTree;
use crate::error::Error;
use spyhop_base::id::Generation;
use spyhop_base::limit;
use spyhop_files::git::Head;
use spyhop_search::filter::FilterSpec;

/// The snapshot of a reply; `viewed` is `None` without an index.
pub(super) fn snapshot(tree: &SearchedTree, viewed: Option<Viewed<'_>>, freshness: &Freshness) -> Snapshot {
    let mut head = tree.head();
    if let Some(viewed) = viewed {
        let branch = viewed.key.head.branch().map(str::to_string);
        // After a comparison with the tree, the answer is of the present commit; otherwise of the commit that was
        // indexed.
        if freshness.checked_at.is_none() || branch != head.branch {
            head.commit.clone_from(&viewed.info().commit);
        }
        head.branch = branch;
    }
    let branch = head.shown().map(str::to_string);
    let Head { commit, .. } = head;
    Snapshot {
        root: tree.root().to_path_buf(),
        branch,
        commit,
        generation: viewed.map_or(Generation(0), |viewed| viewed.meta().commit().generation),
        checked_at: freshness.checked_at,
        indexed_files: viewed.map_or(0, |viewed| viewed.view.len()),
        skipped_files: viewed.map_or(0, |viewed| viewed.view.skipped().len()),
        stale_files: freshness.stale_files,
        building: viewed.and_then(Viewed::building),
    }
}

/// Checks the number of rows of a page.
pub(super) fn check_rows(name: &str, value: usize, most: usize) -> Result<(), Error> {
    if (1..=most).contains(&value) {
        return Ok(());
    }
    Err(Error::bad(format!("{name} is {value}; choose 1 to {most}")))
}

/// The most characters of a pattern for names.
const MAX_PATTERN_CHARS: usize = 1_000;

/// Checks the length of a pattern for names.
pub(super) fn check_pattern_length(pattern: &str) -> Result<(), Error> {
    match pattern.chars().count() {
        chars if chars > MAX_PATTERN_CHARS => Err(Error::bad(format!(
            "pattern has {chars} characters; at most {MAX_PATTERN_CHARS} are allowed"
        ))),
        _ => Ok(()),
    }
}

/// Refuses kinds for an operation whose rows have no kind.
pub(super) fn refuse_kinds(filter: &FilterSpec, what: &str) -> Result<(), Error> {
    match filter.kind.first() {
        Some(kind) => Err(Error::bad(format!("kind is {kind}, and {what} has no kind; leave it out"))),
        None => Ok(()),
    }
}

/// The offset of a page of a list. A cursor of another generation is accepted, because the order of the head rarely
/// changes.
pub(super) fn parse_offset(cursor: Option<&str>) -> Result<usize, Error> {
    let Some(cursor) = cursor else { return Ok(0) };
    limit::bytes("cursor", cursor, limit::MAX_NAME_BYTES)?;
    let parse = || {
        let (generation, offset) = cursor.strip_prefix('g')?.split_once('-')?;
        generation.parse::<u64>().ok()?;
        offset.parse().ok()
    };
    parse().ok_or_else(|| invalid_cursor(cursor))
}

/// The position of a page of lines, ordered by relevance if `ranked`, or else by path.
pub(super) fn parse_position(cursor: Option<&str>, ranked: bool) -> Result<Option<LineCursor>, Error> {
    cursor.iter().try_for_each(|cursor| limit::bytes("cursor", cursor, limit::MAX_NAME_BYTES))?;
    let parse = |cursor| LineCursor::parse(cursor, ranked).ok_or_else(|| invalid_cursor(cursor));
    cursor.map(parse).transpose()
}

pub(super) fn invalid_cursor(cursor: &str) -> Error {
    Error::bad(format!("cursor '{cursor}' is invalid; give the 'next' of a reply"))
}
