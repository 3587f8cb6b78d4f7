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

pub(crate) use candidates::{Likely, LiteralCandidates, Worth, count_of_ends};
pub use candidates::{Narrowing, NarrowingCounts};

use candidates::{candidates, may_be_read, narrowing_words};
use items::count_in_items;

use super::context::{Context, ExhaustivePass};
use super::error::{SearchError, check_cancelled};
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
    /// Adds the matches of files.
    pub(crate) fn add(&mut self, read: ReadFiles) {
        for (file, found) in read {
            let Some(found) = found else {
                self.complete = false;
                continue;
            };
            if found.lines == 0 {
                continue;
            }
            self.lines += found.counted as usize;
            self.files.push((file, found.lines));
            if found.counted > 0 {
                self.holding.push(file);
            }
            self.docs.extend(found.docs);
        }
    }

    /// Adds the lines of path-only files. Returns the files with lines that count, with their numbers of lines.
    fn add_unranked(&mut self, counted: Vec<(u32, Option<u32>)>, has_kinds: bool) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        for (file, lines) in counted {
            match lines {
                Some(0) => {}
                Some(lines) if !has_kinds => {
                    self.lines += lines as usize;
                    self.holding.push(file);
                    found.push((file, lines));
                }
                _ => self.complete = false,
            }
        }
        found
    }

    /// Sorts the files and chunks.
    pub(crate) fn sort(&mut self) {
        self.files.sort_unstable();
        self.docs.sort_unstable();
        self.holding.sort_unstable();
    }

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

/// Whether the choice of candidates depends on files only that are admitted: those with the terms of the inner words, or on no
/// count at all.
pub(crate) fn counts_admitted_files(query: &Query, tokenizer: &mut Tokenizer) -> bool {
    inner_terms(query, tokenizer) != 0 || narrowing_words(&query.text).iter().all(|(_, whole)| !whole)
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
    literal.sort();
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
    let candidates = best_candidates(query, context, (likely, None), worth)?;
    deal(query, candidates, &mut SnapshotReads { query, context, source })
}

/// The candidates, best first, and the path-only files among them, by path.
pub(crate) fn best_candidates(
    query: &Query,
    context: &Context<'_>,
    (likely, narrowing): (Option<&Likely<'_>>, Option<Narrowing>),
    worth: &Worth<'_>,
) -> Result<LiteralCandidates, SearchError> {
    let (most, effort) = most_read(query);
    let all = candidates(query, context, (likely, narrowing), (most, effort))?;
    let mut best = all.best(context, worth, most);
    best.unranked.retain(|file| context.admits(*file));
    best.unranked.sort_unstable_by_key(|file| (context.snapshot.path(*file), *file));
    best.unranked.dedup();
    Ok(best)
}

/// The most files that are read, with the reserve and without it.
pub(crate) fn most_read(query: &Query) -> (usize, usize) {
    let budget = ReadBudget::for_query(query);
    (budget.files + budget.reserve(query).files, budget.files)
}

/// The choice of candidates that the counts of all shards together lead to.
pub(crate) fn narrowing_of(query: &Query, counts: NarrowingCounts) -> Narrowing {
    counts.narrowing(most_read(query))
}

/// What reads candidates: a snapshot, or the shards that have told what they found.
pub(crate) trait LiteralReads {
    fn bytes(&self, file: u32) -> u64;

    /// The matches of files; `None` for a file that has changed.
    fn read(&mut self, files: Vec<u32>) -> Result<ReadFiles, SearchError>;

    /// The matching lines of path-only files; `None` for a file that has changed.
    fn count_unranked(&mut self, files: Vec<u32>) -> Vec<(u32, Option<u32>)>;

    /// Whether only lines in items of some kinds count.
    fn has_kinds(&self) -> bool;

    /// The chunk that represents a path-only file.
    fn first_doc(&self, file: u32) -> Option<u32>;
}

/// Deals the budget out to the candidates, which are in order.
pub(crate) fn deal(
    query: &Query,
    candidates: LiteralCandidates,
    reads: &mut dyn LiteralReads,
) -> Result<Literal, SearchError> {
    let mut budget = ReadBudget::for_query(query);
    let mut reserve = budget.reserve(query);
    let LiteralCandidates { files, complete, mut unranked, .. } = candidates;
    let mut literal = Literal { complete, ..Literal::default() };
    let mut next = files;
    let mut rest = budget.cut(&mut next, reads);
    literal.add(reads.read(next)?);
    while !rest.is_empty() && literal.holding.len() <= MAX_FEW_FILES {
        let mut next = std::mem::take(&mut rest);
        let later = next.split_off(next.len().min(READ_AT_ONCE));
        let over = reserve.cut(&mut next, reads);
        if next.is_empty() {
            rest = over;
            break;
        }
        rest = [over, later].concat();
        literal.add(reads.read(next)?);
    }
    literal.complete &= rest.is_empty();
    if literal.holding.len() <= MAX_FEW_FILES {
        budget.add(&reserve);
    }
    literal.complete &= budget.cut(&mut unranked, reads).is_empty();
    let counted = reads.count_unranked(unranked);
    let unranked = literal.add_unranked(counted, reads.has_kinds());
    rank_few(unranked, reads, &mut literal);
    Ok(literal)
}

/// Reads the candidates in a snapshot.
pub(crate) struct SnapshotReads<'r> {
    pub(crate) query: &'r Query,
    pub(crate) context: &'r Context<'r>,
    pub(crate) source: &'r ReadSource<'r>,
}

impl LiteralReads for SnapshotReads<'_> {
    fn bytes(&self, file: u32) -> u64 {
        self.context.snapshot.version(file).bytes()
    }

    fn read(&mut self, files: Vec<u32>) -> Result<ReadFiles, SearchError> {
        read_files(self.query, self.context, self.source, files)
    }

    fn count_unranked(&mut self, files: Vec<u32>) -> Vec<(u32, Option<u32>)> {
        let finder = Finder::new(&self.query.text);
        let lines = |file: u32| match (self.source)(file, &finder) {
            CurrentFile::Text(source) => (file, Some(occurrences(&source, &finder).len() as u32)),
            CurrentFile::Without => (file, Some(0)),
            CurrentFile::Changed => (file, None),
        };
        parallel::map(self.context.snapshot.is_large(), files, lines, || ())
    }

    fn has_kinds(&self) -> bool {
        self.context.filter.kinds().is_some()
    }

    fn first_doc(&self, file: u32) -> Option<u32> {
        self.context.snapshot.docs(file).next()
    }
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
    let mut read = read_files(query, context, source, candidates.collect())?;
    for (file, found) in read.iter_mut().filter_map(|(file, found)| Some((*file, found.as_mut()?))) {
        // A match that extends over two chunks is in neither; the first chunk of the file represents it.
        if found.lines > 0 && found.docs.is_empty() {
            found.docs.extend(context.snapshot.docs(file).next());
        }
    }
    literal.add(read);
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
    fn cut(&mut self, files: &mut Vec<u32>, reads: &dyn LiteralReads) -> Vec<u32> {
        let mut left = self.bytes;
        let fits = |file: &u32| {
            let bytes = reads.bytes(*file);
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
fn rank_few(unranked: Vec<(u32, u32)>, reads: &dyn LiteralReads, literal: &mut Literal) {
    if literal.files_if_few().is_empty() {
        return;
    }
    for (file, lines) in unranked {
        literal.files.push((file, lines));
        literal.docs.extend(reads.first_doc(file));
    }
}

/// Reads files for their matches.
fn read_files(
    query: &Query,
    context: &Context<'_>,
    source: &ReadSource<'_>,
    files: Vec<u32>,
) -> Result<ReadFiles, SearchError> {
    let snapshot = context.snapshot;
    let finder = Finder::new(&query.text);
    let read = |file: u32| {
        check_cancelled()?;
        let found = match source(file, &finder) {
            CurrentFile::Text(source) => {
                Some(find_in_file(context, file, &source, &occurrences(&source, &finder))?)
            }
            CurrentFile::Without => Some(FoundLiteral::default()),
            CurrentFile::Changed => None,
        };
        Ok((file, found))
    };
    parallel::map(snapshot.is_large(), files, read, || ()).into_iter().collect()
}

/// Files that were read, each with its matches; `None` if the file has changed.
pub(crate) type ReadFiles = Vec<(u32, Option<FoundLiteral>)>;

/// The matches in one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoundLiteral {
    pub(crate) lines: u32,
    /// The number of lines in items of the kinds of the filter.
    pub(crate) counted: u32,
    pub(crate) docs: Vec<u32>,
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
