//! The candidates of the literal pass: files that may contain the query as written, by the index.

use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::error::SearchError;
use crate::query::Query;
use crate::snapshot::{NO_FILE, SearchSnapshot};
use spyhop_base::parallel;
use spyhop_grep::{Effort, NarrowPlan, Wanted};
use spyhop_index::inverted::{IndexField, PostingBlocks};
use spyhop_index::tokenize::{MAX_WORD_BYTES, OPEN_WORDS, is_word_char};

/// The divisor of the lookup effort for a query that does not look like code.
const LESS_FOR_PROSE: usize = 8;

/// The most words of the tree that a part of a word is expanded to.
const MAX_EXPANSIONS: usize = 256;

/// In a tree of more files, only words with the part as a prefix are looked up. A scan reads about ten million words a
/// second, and a tree of this many files has some hundred thousand words.
const MAX_FILES_FOR_INSIDES: usize = 3_000;

/// Whether the evidence permits that a file contains the query as written.
pub(crate) type Likely<'l> = dyn Fn(u32) -> bool + Sync + 'l;

/// The score of a file by its other evidence.
pub(crate) type Worth<'w> = dyn Fn(u32) -> f32 + 'w;

/// Whether the text of a file is indexed and the file is admitted.
pub(super) fn may_be_read(context: &Context<'_>, file: u32) -> bool {
    // Path-only files are handled apart, because they are not ranked.
    !context.snapshot.is_path_only(file) && context.admits(file)
}

/// The files that may contain the query.
pub(crate) struct LiteralCandidates {
    pub(crate) files: Vec<u32>,
    pub(crate) complete: bool,
    /// The path-only files among the candidates, in any order. They may also be in `files`.
    pub(crate) unranked: Vec<u32>,
    /// What the choice among the ways of narrowing depends on.
    pub(crate) counts: NarrowingCounts,
}

/// How the candidates of a query with inner words are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Narrowing {
    /// All files with the inner words.
    Few,
    /// The files with all words as whole words.
    Whole,
    /// The files with the inner words and with parts of words.
    Parts,
}

/// The files of a shard with the inner words of a query, and those with all words as whole words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NarrowingCounts {
    inner: u64,
    whole: u64,
}

impl NarrowingCounts {
    pub(crate) fn add(&mut self, other: NarrowingCounts) {
        self.inner += other.inner;
        self.whole += other.whole;
    }

    /// The choice if at most `most` files are read, and the lookup costs as much as reading `effort` files.
    pub(super) fn narrowing(self, (most, effort): (usize, usize)) -> Narrowing {
        match () {
            () if self.inner as usize <= effort => Narrowing::Few,
            () if self.whole as usize > most => Narrowing::Whole,
            () => Narrowing::Parts,
        }
    }
}

impl LiteralCandidates {
    /// Keeps the best candidates that may be read: more than `most`, if there are enough. The order is by score, ties
    /// by path.
    pub(super) fn best(self, context: &Context<'_>, worth: &Worth<'_>, most: usize) -> LiteralCandidates {
        let path = |file: u32| context.snapshot.path(file);
        let mut left: Vec<(f32, u32)> = self.files.into_iter().map(|file| (worth(file), file)).collect();
        let mut files = Vec::new();
        while files.len() <= most && !left.is_empty() {
            // A large tree may have tens of thousands of candidates, so only the best of them are sorted.
            let mut next = best_of(&mut left, most + 1, path);
            next.sort_unstable_by(|a, b| {
                b.0.total_cmp(&a.0).then_with(|| (path(a.1), a.1).cmp(&(path(b.1), b.1)))
            });
            files.extend(next.into_iter().map(|(_, file)| file).filter(|file| may_be_read(context, *file)));
        }
        LiteralCandidates { files, ..self }
    }
}

/// Removes the best `n` entries from `left`, ties by path.
fn best_of<'p>(left: &mut Vec<(f32, u32)>, n: usize, path: impl Fn(u32) -> &'p str) -> Vec<(f32, u32)> {
    if left.len() <= n {
        return std::mem::take(left);
    }
    left.select_nth_unstable_by(n - 1, |a, b| b.0.total_cmp(&a.0));
    let last = left[n - 1].0;
    let (mut best, rest): (Vec<_>, Vec<_>) =
        std::mem::take(left).into_iter().partition(|(worth, _)| *worth > last);
    let (mut equal, rest): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(worth, _)| *worth == last);
    let wanted = n - best.len();
    if equal.len() > wanted {
        equal.select_nth_unstable_by_key(wanted - 1, |(_, file)| (path(*file), *file));
    }
    *left = equal.split_off(wanted);
    left.extend(rest);
    best.extend(equal);
    best
}

/// The candidates. At most `most` of them are read, and the lookup may cost as much as reading `effort` files.
pub(super) fn candidates(
    query: &Query,
    context: &Context<'_>,
    (likely, narrowing): (Option<&Likely<'_>>, Option<Narrowing>),
    (most, effort): (usize, usize),
) -> Result<LiteralCandidates, SearchError> {
    let snapshot = context.snapshot;
    let is_path_only = |file: &u32| snapshot.is_path_only(*file);
    let words = narrowing_words(&query.text);
    let whole: Vec<&str> = words.iter().filter(|(_, whole)| *whole).map(|(word, _)| *word).collect();
    // The word field lacks words of these files, so a missing word proves nothing.
    let unknown = || holding_all(&[OPEN_WORDS], context, Some(&|file| snapshot.is_path_only(file)));
    if whole.is_empty() {
        let (mut found, is_narrowed) = by_ends(query, &words, context, (most, effort))?;
        found.unranked = found.files.iter().copied().filter(is_path_only).collect();
        if !is_narrowed {
            found.unranked.extend(unknown()?);
        }
        return Ok(found);
    }
    // The evidence of a path-only file has none of its words.
    let likely = likely.map(|likely| move |file| likely(file) || snapshot.is_path_only(file));
    let likely = likely.as_ref().map(|likely| likely as &Likely<'_>);
    let all = holding_all(&whole, context, likely)?;
    let (mut unranked, files): (Vec<u32>, Vec<u32>) = all.into_iter().partition(is_path_only);
    unranked.extend(unknown()?);
    let found = by_whole_words(query, &words, files, context, (likely, narrowing), (most, effort))?;
    Ok(LiteralCandidates { unranked, ..found })
}

/// The files that hold all words of a query that has no inner words; 0 for another query.
pub(crate) fn count_of_ends(query: &Query, context: &Context<'_>) -> Result<u64, SearchError> {
    let words = narrowing_words(&query.text);
    if words.is_empty() || words.iter().any(|(_, whole)| *whole) {
        return Ok(0);
    }
    let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    Ok(holding_all(&words, context, None)?.len() as u64)
}

/// The candidates among the files that contain the inner words of the query.
fn by_whole_words(
    query: &Query,
    words: &[(&str, bool)],
    mut files: Vec<u32>,
    context: &Context<'_>,
    (likely, narrowing): (Option<&Likely<'_>>, Option<Narrowing>),
    (most, effort): (usize, usize),
) -> Result<LiteralCandidates, SearchError> {
    let mut counts = NarrowingCounts { inner: files.len() as u64, whole: 0 };
    let found = |files: Vec<u32>, complete: bool, counts| {
        Ok(LiteralCandidates { files, complete, unranked: Vec::new(), counts })
    };
    // A shard counts the files with whole words even if they are few, because all shards may have many.
    let is_alone = context.statistics.is_none();
    if is_alone && files.len() <= effort {
        return found(files, true, counts);
    }
    // If enough files contain the first and last word as whole words, longer words are not looked up.
    let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    if words.iter().any(|(_, whole)| !whole) {
        let mut sure = holding_all(&all, context, likely)?;
        sure.retain(|file| !context.snapshot.is_path_only(*file));
        counts.whole = sure.len() as u64;
        if narrowing.unwrap_or_else(|| counts.narrowing((most, effort))) == Narrowing::Whole {
            return found(sure, false, counts);
        }
    }
    if narrowing.unwrap_or_else(|| counts.narrowing((most, effort))) == Narrowing::Few {
        return found(files, true, counts);
    }
    // A sentence rarely occurs as written, so its lookup has a smaller budget.
    let effort = if query.is_code { effort } else { effort / LESS_FOR_PROSE };
    if let Some(narrowed) = narrowed(&query.text, context, effort) {
        files.retain(|file| narrowed.binary_search(file).is_ok());
    }
    found(files, true, counts)
}

/// The candidates for a query of one or two words, which may be parts of longer words. The flag says whether files with
/// unknown words are among the candidates.
fn by_ends(
    query: &Query,
    words: &[(&str, bool)],
    context: &Context<'_>,
    (most, effort): (usize, usize),
) -> Result<(LiteralCandidates, bool), SearchError> {
    let counts = NarrowingCounts::default();
    let found =
        |files: Vec<u32>, complete: bool| LiteralCandidates { files, complete, unranked: Vec::new(), counts };
    let every_file = || (found((0..context.snapshot.n_files() as u32).collect(), true), true);
    let Some((longest, _)) = words.iter().max_by_key(|(word, _)| word.len()) else {
        // The query has only punctuation, so the index cannot narrow the files.
        return Ok(every_file());
    };
    let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    let files = holding_all(&all, context, None)?;
    if context.statistics.map_or(files.len(), |statistics| statistics.of_ends as usize) > most {
        // The budget does not suffice for longer words.
        return Ok((found(files, false), false));
    }
    let is_small = context.n_files() <= MAX_FILES_FOR_INSIDES;
    if (query.is_code || is_small)
        && let Some(files) = narrowed(&query.text, context, effort)
    {
        return Ok((found(files, true), true));
    }
    if context.n_files() <= most {
        // Parts of one or two letters are in nearly every word, and the budget suffices for the whole tree.
        return Ok(every_file());
    }
    let (expanded, mut complete) = expansions(longest, context)?;
    let mut files = Vec::new();
    let mut n_live = 0;
    for word in &expanded {
        let holding = holding_all(&[word], context, None)?;
        // The dictionary also has words of deleted documents and of other views. These do not count as expansions.
        if holding.is_empty() {
            continue;
        }
        if n_live == MAX_EXPANSIONS {
            complete = false;
            break;
        }
        n_live += 1;
        files.extend(holding);
    }
    files.sort_unstable();
    files.dedup();
    Ok((found(files, complete), false))
}

/// The files of the view that may contain `text`, by all of its words and parts of words, in increasing order. The
/// result is `None` if nothing narrows, or if the lookup costs more than reading `most` files.
fn narrowed(text: &str, context: &Context<'_>, most: usize) -> Option<Vec<u32>> {
    let snapshot = context.snapshot;
    let plan = NarrowPlan::new(&Wanted { fixed: true, multi_line: true, ..Wanted::new(text) });
    // If the lookup fails, nothing is narrowed, as for an exact search.
    let n_files = snapshot.n_files();
    // The candidates count against the budget, so they must not depend on documents outside the view.
    let is_small = context.n_files() <= MAX_FILES_FOR_INSIDES;
    let effort = if is_small { Effort::Whole } else { Effort::Files(most) };
    let Ok(Some(docs)) = spyhop_grep::narrow(snapshot.index(), &plan, n_files, effort) else {
        return None;
    };
    let mut files = Vec::new();
    for (segment, docs) in docs.0.into_iter().enumerate() {
        let file_of = snapshot.files_of(segment);
        // The documents of a file are adjacent.
        let mut last = NO_FILE;
        for doc in docs {
            let file = file_of[doc as usize];
            if file != last && file != NO_FILE {
                files.push(file);
            }
            last = file;
        }
    }
    files.sort_unstable();
    files.dedup();
    Some(files)
}

/// The words of `text` that the index can look up. Each has a flag that says whether it must be a whole word; the first
/// and the last word of the text may be parts of longer words.
pub(super) fn narrowing_words(text: &str) -> Vec<(&str, bool)> {
    let mut words = Vec::new();
    let mut start = None;
    let ends = std::iter::once((text.len(), ' '));
    for (at, c) in text.char_indices().chain(ends) {
        match (start, is_word_char(c) && at < text.len()) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                words.push((&text[from..at], from > 0 && at < text.len()));
                start = None;
            }
            _ => {}
        }
    }
    words.retain(|(word, _)| word.len() <= MAX_WORD_BYTES);
    words
}

/// The files of the view that contain all of `words` as whole words, among the likely files, in any order. A phrase may
/// extend over two chunks; words are counted by file.
fn holding_all(
    words: &[&str],
    context: &Context<'_>,
    likely: Option<&Likely<'_>>,
) -> Result<Vec<u32>, SearchError> {
    let segments = (0..context.snapshot.index().segments().len()).collect();
    let of_segment = |segment: usize| holding_all_of(segment, words, context.snapshot, likely);
    let all = parallel::map(context.snapshot.is_large(), segments, of_segment, || ());
    Ok(all.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
}

/// The files of one segment that contain all of `words` as whole words.
fn holding_all_of(
    segment: usize,
    words: &[&str],
    snapshot: &SearchSnapshot,
    likely: Option<&Likely<'_>>,
) -> Result<Vec<u32>, SearchError> {
    let reader = snapshot.index();
    let mut words_here = Vec::new();
    for word in words {
        match reader.blocks(segment, IndexField::Word, word)? {
            Some(blocks) => words_here.push(blocks),
            None => return Ok(Vec::new()),
        }
    }
    words_here.sort_by_key(PostingBlocks::count);
    let file_of = snapshot.files_of(segment);
    let mut docs = Vec::new();
    // The documents of a file are adjacent, so `likely` is called once per file.
    let (mut last, mut is_likely) = (NO_FILE, false);
    words_here[0].for_each(|block, _| {
        docs.extend(block.iter().copied().filter(|doc| {
            let file = file_of[*doc as usize];
            if file != last {
                (last, is_likely) = (file, file != NO_FILE && likely.is_none_or(|likely| likely(file)));
            }
            is_likely
        }));
    });
    for word in &mut words_here[1..] {
        docs.retain(|doc| word.seek(*doc) == Some(*doc));
    }
    Ok(docs.into_iter().map(|doc| file_of[doc as usize]).collect())
}

/// The words of the dictionary that contain `part`, shortest first, and whether these are all such words. In a large
/// tree only words with the prefix `part` are looked up, because the dictionary is sorted.
fn expansions(part: &str, context: &Context<'_>) -> Result<(Vec<String>, bool), SearchError> {
    let all = context.n_files() <= MAX_FILES_FOR_INSIDES;
    let finder = Finder::new(part);
    let mut found = std::collections::BTreeSet::new();
    let from = if all { None } else { Some(part) };
    context.snapshot.index().terms(IndexField::Word, from, |word| {
        if finder.find(word.as_bytes()).is_some() {
            found.insert((word.len(), word.to_string()));
        }
        all || word.starts_with(part)
    })?;
    Ok((found.into_iter().map(|(_, word)| word).collect(), all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_inside_must_stand_whole() {
        let check =
            |text: &str, expected: &[(&str, bool)]| assert_eq!(narrowing_words(text), expected, "{text}");
        check("provider auth key", &[("provider", false), ("auth", true), ("key", false)]);
        check("JoinMap", &[("JoinMap", false)]);
        check("(foo)", &[("foo", true)]);
        check("a.b_c;", &[("a", false), ("b_c", true)]);
        check("?!", &[]);
    }

    #[test]
    fn the_best_are_taken_out_and_equal_ones_by_path() {
        const PATHS: [&str; 6] = ["e", "d", "c", "b", "a", "f"];
        let weighed: Vec<(f32, u32)> = [1.0, 3.0, 1.0, 1.0, 2.0, 1.0].into_iter().zip(0..).collect();
        for n in 1..=7 {
            let (mut left, mut taken) = (weighed.clone(), Vec::new());
            while !left.is_empty() {
                let mut best = best_of(&mut left, n, |file| PATHS[file as usize]);
                assert!(best.len() == n || left.is_empty());
                best.sort_unstable_by(|a, b| {
                    b.0.total_cmp(&a.0).then(PATHS[a.1 as usize].cmp(PATHS[b.1 as usize]))
                });
                taken.extend(best.into_iter().map(|(_, file)| PATHS[file as usize]));
            }
            assert_eq!(taken, ["d", "a", "b", "c", "e", "f"], "{n}");
        }
    }
}
