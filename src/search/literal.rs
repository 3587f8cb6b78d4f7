//! The literal pass: the search for the query as written, case-sensitive.
//!
//! The index gives candidates, and their bytes decide. A file that contains the query contains all inner words of the
//! query as whole words, so the word field narrows the candidates. The evidence narrows them too: one chunk contains
//! the terms of all inner words, or two chunks if a long line is split. The first and the last word of the query may be
//! parts of longer words. If inner words do not narrow enough, parts of words are looked up as for an exact search, as
//! long as the lookup costs less than reading. If more files contain the first and last word as whole words than may be
//! read, only these files are candidates.
//!
//! Candidates are read in the order of their other evidence, within a budget of files and bytes. If the budget ends, or
//! the content of a candidate has changed, the pass is not complete. A query that looks like code has a larger budget.
//! The budget also has a reserve, which is used while at most [`MAX_FEW_FILES`] files are known to contain the query. After an exact
//! search ([`ExhaustivePass`]) there is no budget.
//!
//! Path-only files are not ranked, but their lines count. The rest of the budget is used for them. They are ranked if
//! at most [`MAX_FEW_FILES`] files contain the query, because such files have a place on the first page. If the filter has kinds,
//! only lines inside items of these kinds count, as for an exact search. The items of a path-only file are not known,
//! so a match in such a file makes the count a lower bound.

mod candidates;
mod items;

use memchr::memmem::Finder;
use rustc_hash::FxHashSet;

pub(crate) use candidates::{Likely, Worth};

use candidates::{LiteralCandidates, candidates, may_be_read, narrowing_words};
use items::count_in_items;

use super::context::{Context, ExhaustivePass};
use super::error::{SearchError, check_cancelled};
use super::snapshot::SearchSnapshot;
use super::source::{CurrentFile, ReadSource};
use crate::query::Query;
use spyhop_base::parallel;
use spyhop_index::tokenize::{TermList, Tokenizer};

/// The most files that count as few. If few files contain the query as written, each of them has a place on the first
/// page. A page has twice as many hits, so ranking alone determines at least half of it.
pub const MAX_FEW_FILES: usize = 5;

/// The most files that are read.
const MAX_FILES: usize = 200;

/// The most bytes that are read.
const MAX_BYTES: u64 = 8 << 20;

/// The factor of both limits for a query that looks like code.
const TIMES_FOR_CODE: usize = 2;

/// The reserve of a query that looks like code, as a factor: of files, this many times the budget; of bytes, one more
/// budget. The reserve is used while at most [`MAX_FEW_FILES`] files are known to contain the query.
const TIMES_IF_FEW: usize = 3;

/// The number of files that are read from the reserve before the matching files are counted again.
const READ_AT_ONCE: usize = 100;

/// The result of the pass.
#[derive(Debug, Default)]
pub struct Literal {
    /// The number of lines that contain the query, in items of the kinds of the filter.
    pub lines: usize,
    /// Whether all such lines were counted.
    pub complete: bool,
    /// The files that contain the query, with the number of lines, in increasing order.
    pub files: Vec<(u32, u32)>,
    /// The chunks that contain the query, in increasing order.
    pub docs: Vec<u32>,
    /// The files whose lines count, with path-only files.
    pub holding: Vec<u32>,
}

impl Literal {
    /// The files whose lines count, if they are few.
    pub fn files_if_few(&self) -> &[u32] {
        if self.holding.len() <= MAX_FEW_FILES { &self.holding } else { &[] }
    }
}

/// The terms of the inner words of the query, as a mask. A chunk that contains the query as written contains all of
/// them. The mask is empty for a query of several lines, which may extend over many chunks.
pub(crate) fn inner_terms(query: &Query, tokenizer: &mut Tokenizer) -> u64 {
    if query.text.contains('\n') {
        return 0;
    }
    let mut terms = TermList::default();
    let words = narrowing_words(&query.text);
    words.iter().filter(|(_, whole)| *whole).for_each(|(word, _)| tokenizer.terms(word, &mut terms));
    let bit = |term: &str| query.terms.iter().position(|known| known.term == term).map_or(0, |at| 1 << at);
    terms.iter().map(bit).fold(0, |bits, bit| bits | bit)
}

/// Searches for the query as written in the `likely` files, or in all files.
pub fn find(
    query: &Query,
    context: &Context<'_>,
    source: &ReadSource<'_>,
    likely: Option<&Likely<'_>>,
    worth: &Worth<'_>,
) -> Result<Literal, SearchError> {
    let mut literal = match context.exhaustive {
        Some(exhaustive) => found_exhaustively(query, context, source, exhaustive)?,
        None => found_within_budget(query, context, source, likely, worth)?,
    };
    literal.files.sort_unstable();
    literal.docs.sort_unstable();
    literal.holding.sort_unstable();
    Ok(literal)
}

/// Reads the best candidates first. A query that looks like code may occur in few files, so its budget grows while few
/// files are known.
fn found_within_budget(
    query: &Query,
    context: &Context<'_>,
    source: &ReadSource<'_>,
    likely: Option<&Likely<'_>>,
    worth: &Worth<'_>,
) -> Result<Literal, SearchError> {
    let mut budget = ReadBudget::for_query(query);
    let mut reserve = budget.reserve(query);
    let most = budget.files + reserve.files;
    let LiteralCandidates { files, complete, unranked } =
        candidates(query, context, likely, (most, budget.files))?.best(context, worth, most);
    let mut literal = Literal { complete, ..Literal::default() };
    let mut next = files;
    let mut rest = budget.cut(&mut next, context.snapshot);
    read_files(query, context, source, (next, false), &mut literal)?;
    while !rest.is_empty() && literal.holding.len() <= MAX_FEW_FILES {
        let mut next = std::mem::take(&mut rest);
        let later = next.split_off(next.len().min(READ_AT_ONCE));
        let over = reserve.cut(&mut next, context.snapshot);
        if next.is_empty() {
            rest = over;
            break;
        }
        rest = [over, later].concat();
        read_files(query, context, source, (next, false), &mut literal)?;
    }
    literal.complete &= rest.is_empty();
    if literal.holding.len() <= MAX_FEW_FILES {
        budget.add(&reserve);
    }
    let unranked = count_unranked(query, context, source, unranked, &mut budget, &mut literal);
    rank_few(unranked, context, &mut literal);
    Ok(literal)
}

/// Reads all candidates of an exact search. The lines of other files come from the exact search: path-only files, and
/// files that have changed.
fn found_exhaustively(
    query: &Query,
    context: &Context<'_>,
    source: &ReadSource<'_>,
    exhaustive: &ExhaustivePass,
) -> Result<Literal, SearchError> {
    let candidates = exhaustive.candidates.iter().copied().filter(|file| may_be_read(context, *file));
    let mut literal = Literal::default();
    read_files(query, context, source, (candidates.collect(), true), &mut literal)?;
    let known: FxHashSet<u32> = literal.files.iter().map(|(file, _)| *file).collect();
    literal.complete = exhaustive.complete;
    for (file, lines) in exhaustive.lines.iter().filter(|(file, _)| !known.contains(file)) {
        // The items of these lines are not known.
        match context.filter.kinds() {
            None => {
                literal.lines += *lines as usize;
                literal.holding.push(*file);
            }
            Some(_) => literal.complete = false,
        }
        literal.files.push((*file, *lines));
        // The first chunk represents the file.
        literal.docs.extend(context.snapshot.docs(*file).next());
    }
    Ok(literal)
}

/// The files and bytes that may still be read.
struct ReadBudget {
    files: usize,
    bytes: u64,
}

impl ReadBudget {
    fn for_query(query: &Query) -> ReadBudget {
        let times = if query.is_code { TIMES_FOR_CODE } else { 1 };
        ReadBudget { files: MAX_FILES * times, bytes: MAX_BYTES * times as u64 }
    }

    /// The reserve, for as long as few files contain the query.
    fn reserve(&self, query: &Query) -> ReadBudget {
        let times = if query.is_code { TIMES_IF_FEW } else { 0 };
        let bytes = if query.is_code { self.bytes } else { 0 };
        ReadBudget { files: self.files * times, bytes }
    }

    fn add(&mut self, other: &ReadBudget) {
        self.files += other.files;
        self.bytes += other.bytes;
    }

    /// Truncates `files` to those that fit the budget, and subtracts them from it. Returns the others.
    fn cut(&mut self, files: &mut Vec<u32>, snapshot: &SearchSnapshot) -> Vec<u32> {
        let mut left = self.bytes;
        let fits = |file: &u32| {
            let bytes = snapshot.version(*file).bytes();
            let fits = bytes <= left;
            left -= if fits { bytes } else { 0 };
            fits
        };
        let n_read = files.iter().take(self.files).copied().take_while(fits).count();
        (self.files, self.bytes) = (self.files - n_read, left);
        files.split_off(n_read)
    }
}

/// Ranks path-only files if few files contain the query. The first chunk represents the file.
fn rank_few(unranked: Vec<(u32, u32)>, context: &Context<'_>, literal: &mut Literal) {
    if literal.files_if_few().is_empty() {
        return;
    }
    for (file, lines) in unranked {
        literal.files.push((file, lines));
        literal.docs.extend(context.snapshot.docs(file).next());
    }
}

/// Counts the lines of path-only files within the budget. Returns the files with their numbers of lines.
fn count_unranked(
    query: &Query,
    context: &Context<'_>,
    source: &ReadSource<'_>,
    mut files: Vec<u32>,
    budget: &mut ReadBudget,
    literal: &mut Literal,
) -> Vec<(u32, u32)> {
    files.retain(|file| context.admits(*file));
    files.sort_unstable_by_key(|file| (context.snapshot.path(*file), *file));
    files.dedup();
    literal.complete &= budget.cut(&mut files, context.snapshot).is_empty();
    let finder = Finder::new(&query.text);
    let lines = |file: u32| match source(file, &finder) {
        CurrentFile::Text(source) => (file, Some(occurrences(&source, &finder).len())),
        CurrentFile::Without => (file, Some(0)),
        CurrentFile::Changed => (file, None),
    };
    let mut found = Vec::new();
    for (file, lines) in parallel::map(context.snapshot.is_large(), files, lines, || ()) {
        match lines {
            Some(0) => {}
            Some(lines) if context.filter.kinds().is_none() => {
                literal.lines += lines;
                literal.holding.push(file);
                found.push((file, lines as u32));
            }
            _ => literal.complete = false,
        }
    }
    found
}

/// Reads files and adds their matches. With `has_chunk`, every matching file gets a chunk.
fn read_files(
    query: &Query,
    context: &Context<'_>,
    source: &ReadSource<'_>,
    (files, has_chunk): (Vec<u32>, bool),
    literal: &mut Literal,
) -> Result<(), SearchError> {
    let snapshot = context.snapshot;
    let finder = Finder::new(&query.text);
    let read = |file: u32| {
        check_cancelled()?;
        match source(file, &finder) {
            CurrentFile::Text(source) => {
                find_in_file(context, file, &source, &occurrences(&source, &finder)).map(Some)
            }
            CurrentFile::Without => Ok(Some(FoundLiteral::default())),
            CurrentFile::Changed => Ok(None),
        }
    };
    let all = parallel::map(snapshot.is_large(), files.clone(), read, || ());
    for (file, found) in files.into_iter().zip(all) {
        let Some(mut found) = found? else {
            literal.complete = false;
            continue;
        };
        if found.lines == 0 {
            continue;
        }
        // A match that extends over two chunks is in neither; the first chunk of the file represents it.
        if has_chunk && found.docs.is_empty() {
            found.docs.extend(snapshot.docs(file).next());
        }
        literal.lines += found.counted as usize;
        literal.files.push((file, found.lines));
        if found.counted > 0 {
            literal.holding.push(file);
        }
        literal.docs.extend(found.docs);
    }
    Ok(())
}

/// The matches in one file.
#[derive(Default)]
struct FoundLiteral {
    lines: u32,
    /// The number of lines in items of the kinds of the filter.
    counted: u32,
    docs: Vec<u32>,
}

/// The matches of a file and the chunks in which they begin. `at` are the positions of the matches.
fn find_in_file(
    context: &Context<'_>,
    file: u32,
    source: &str,
    at: &[u32],
) -> Result<FoundLiteral, SearchError> {
    let mut found = FoundLiteral { lines: at.len() as u32, ..FoundLiteral::default() };
    if !at.is_empty() {
        let snapshot = context.snapshot;
        found.counted = count_in_items(snapshot, context.filter.kinds(), file, source, at)?;
        for doc in snapshot.docs(file) {
            let span = snapshot.columns(doc)?.span;
            let next = at.partition_point(|at| *at < span.start);
            if at.get(next).is_some_and(|at| *at < span.end) {
                found.docs.push(doc);
            }
        }
    }
    Ok(found)
}

/// The position of the first match on each matching line.
pub(crate) fn occurrences(source: &str, finder: &Finder<'_>) -> Vec<u32> {
    let mut found = Vec::new();
    let mut line_end = 0;
    for at in finder.find_iter(source.as_bytes()) {
        if at >= line_end {
            found.push(at as u32);
            line_end =
                memchr::memchr(b'\n', &source.as_bytes()[at..]).map_or(source.len(), |end| at + end + 1);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_once() {
        let check = |source: &str, text: &str, expected: &[u32]| {
            assert_eq!(occurrences(source, &Finder::new(text)), expected, "{source:?}")
        };
        check("ab ab\nxab\ncd\nab", "ab", &[0, 7, 13]);
        check("a\nb a\nb", "a\nb", &[0, 4]);
        check("", "a", &[]);
    }
}
