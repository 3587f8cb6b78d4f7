//! The literal pass: places that hold the query as written, case as typed.
//!
//! Candidates come from the index, the verdict from the bytes. A file that holds the query holds every whole word of
//! its inside, so the word field narrows to the files that hold them all, and the evidence narrows as well: what holds
//! the query has the terms of its inside in one chunk, or in two where a long line is cut. The first and last word may
//! be parts of longer ones. Where nothing else narrows, or not enough, they are looked up as an exact search would, by
//! what words contain, as long as that costs no more than reading; where they stand whole in more files than may be read,
//! only these are. Candidates are read within a budget counted in files and bytes, those that match best otherwise
//! first; when it ends, or a candidate cannot be read as indexed, the pass says that it is not complete. A query that
//! looks like code has a larger budget, and a reserve that is spent as long as no more than [`FEW`] files are known to hold
//! the query. Where an exact search has looked [`Everywhere`], there is no budget, and what it found is found.
//!
//! Files that are found by their path only are not ranked, but their lines count: what the budget leaves is spent on
//! them. They are ranked where no more than [`FEW`] files hold the query, because these have a place on the first page.
//! Where the filter asks for kinds of item, a line counts if it stands in such an item, as for an exact search; no
//! items of a file are known that is found by its path only, so a line there makes the count a lower bound.

mod items;

use memchr::memmem::Finder;
use rustc_hash::FxHashSet;

use items::counted;

use super::corpus::{Corpus, NO_FILE};
use super::{Context, FEW, Present, ReadSource, SearchError};
use crate::grep::{self, Effort, Plan, Wanted};
use crate::index::{Blocks, IndexField};
use crate::parallel;
use crate::query::Query;
use crate::tokenize::{MAX_WORD_BYTES, OPEN_WORDS, TermList, Tokenizer, is_word_char};

/// The most files that are read.
const MAX_FILES: usize = 200;

/// The most bytes that are read.
const MAX_BYTES: u64 = 8 << 20;

/// How many times as much is read for a query that looks like code.
const TIMES_FOR_CODE: usize = 2;

/// How many times as many files again, and as many bytes again, are read for such a query as long as no more than [`FEW`] files
/// are known to hold it.
const TIMES_IF_FEW: usize = 3;

/// So many files of these are read before it is asked again how many hold the query.
const READ_AT_ONCE: usize = 100;

/// Of what reading the files would take, at most this part is spent on looking up what any other query begins and ends
/// with.
const LESS_FOR_PROSE: usize = 8;

/// A query of one word is looked for inside of at most this many words of the tree.
const MAX_EXPANSIONS: usize = 256;

/// In a tree of more files the dictionary is not searched for the insides of words: it is read at some ten million
/// words a second, and a tree of this many files holds some hundred thousand.
const MAX_FILES_FOR_INSIDES: usize = 3_000;

/// What an exact search knows of the query as written: with it the pass has no budget.
#[derive(Clone, Debug, Default)]
pub struct Everywhere {
    /// The files whose decoded text may hold it.
    pub candidates: Vec<u32>,
    /// The files whose bytes hold it now, and on how many lines.
    pub lines: Vec<(u32, u32)>,
    /// Whether all bytes could be read.
    pub complete: bool,
}

/// What the pass found.
#[derive(Debug, Default)]
pub struct Literal {
    /// Lines that hold the query, in items of the kinds that are asked for.
    pub lines: usize,
    /// Whether all such lines were counted.
    pub complete: bool,
    /// How many lines of each file, by file.
    pub files: Vec<(u32, u32)>,
    /// The chunks that hold it, increasing.
    pub docs: Vec<u32>,
    /// The files whose lines count, those found by their path only as well.
    pub holding: Vec<u32>,
}

impl Literal {
    /// The files whose lines count, if these are few.
    pub fn few(&self) -> &[u32] {
        if self.holding.len() <= FEW { &self.holding } else { &[] }
    }
}

/// The terms of the query that come from words in its inside: a chunk that holds the query as written holds them
/// all. A bit each; none for a query of several lines, which may stand in any number of chunks.
pub fn inner_terms(query: &Query, tokenizer: &mut Tokenizer) -> u64 {
    if query.text.contains('\n') {
        return 0;
    }
    let mut terms = TermList::default();
    let words = narrowing_words(&query.text);
    words.iter().filter(|(_, whole)| *whole).for_each(|(word, _)| tokenizer.terms(word, &mut terms));
    let bit = |term: &str| query.terms.iter().position(|known| known.term == term).map_or(0, |at| 1 << at);
    terms.iter().map(bit).fold(0, |bits, bit| bits | bit)
}

/// Whether a file can hold the query as written for another reason than its words.
pub type Likely<'l> = dyn Fn(u32) -> bool + Sync + 'l;

/// How well a file matches otherwise.
pub type Worth<'w> = dyn Fn(u32) -> f32 + 'w;

/// Looks for the query as written in the files that are `likely` to hold it, if that is known, or everywhere.
pub fn find(
    query: &Query,
    context: &Context<'_>,
    source: &ReadSource<'_>,
    likely: Option<&Likely<'_>>,
    worth: &Worth<'_>,
) -> Result<Literal, SearchError> {
    let mut literal = match context.everywhere {
        Some(everywhere) => found_everywhere(query, context, source, everywhere)?,
        None => found_within_budget(query, context, source, likely, worth)?,
    };
    literal.files.sort_unstable();
    literal.docs.sort_unstable();
    literal.holding.sort_unstable();
    Ok(literal)
}

/// Reads the best candidates first. A query that looks like code may be a literal of few files; the budget is larger as long
/// as no more than these have been found.
fn found_within_budget(
    query: &Query,
    context: &Context<'_>,
    source: &ReadSource<'_>,
    likely: Option<&Likely<'_>>,
    worth: &Worth<'_>,
) -> Result<Literal, SearchError> {
    let mut budget = Budget::of(query);
    let mut reserve = budget.reserve(query);
    let most = budget.files + reserve.files;
    let Candidates { files, complete, unranked } =
        candidates(query, context, likely, (most, budget.files))?.best(context, worth, most);
    let mut literal = Literal { complete, ..Literal::default() };
    let mut next = files;
    let mut rest = budget.cut(&mut next, context.corpus);
    read(query, context, source, (next, false), &mut literal)?;
    while !rest.is_empty() && literal.holding.len() <= FEW {
        let mut next = std::mem::take(&mut rest);
        let later = next.split_off(next.len().min(READ_AT_ONCE));
        let over = reserve.cut(&mut next, context.corpus);
        if next.is_empty() {
            rest = over;
            break;
        }
        rest = [over, later].concat();
        read(query, context, source, (next, false), &mut literal)?;
    }
    literal.complete &= rest.is_empty();
    if literal.holding.len() <= FEW {
        budget.add(&reserve);
    }
    let unranked = count_unranked(query, context, source, unranked, &mut budget, &mut literal);
    rank_few(unranked, context, &mut literal);
    Ok(literal)
}

/// Without a budget. Where the text that was indexed does not hold the query, the bytes as they are now may: files that
/// are found by their path only, and such as have changed.
fn found_everywhere(
    query: &Query,
    context: &Context<'_>,
    source: &ReadSource<'_>,
    everywhere: &Everywhere,
) -> Result<Literal, SearchError> {
    let candidates = everywhere.candidates.iter().copied().filter(|file| may_be_read(context, *file));
    let mut literal = Literal::default();
    read(query, context, source, (candidates.collect(), true), &mut literal)?;
    let known: FxHashSet<u32> = literal.files.iter().map(|(file, _)| *file).collect();
    literal.complete = everywhere.complete;
    for (file, lines) in everywhere.lines.iter().filter(|(file, _)| !known.contains(file)) {
        // In which items they stand is not known.
        match context.filter.kinds() {
            None => {
                literal.lines += *lines as usize;
                literal.holding.push(*file);
            }
            Some(_) => literal.complete = false,
        }
        literal.files.push((*file, *lines));
        // Its first chunk stands for it.
        literal.docs.extend(context.corpus.docs(*file).next());
    }
    Ok(literal)
}

/// Whether the text of a file is indexed and may answer.
fn may_be_read(context: &Context<'_>, file: u32) -> bool {
    // The words of what is found by its path only are known, and it is not ranked.
    !context.corpus.is_path_only(file) && is_let_through(context, file)
}

fn is_let_through(context: &Context<'_>, file: u32) -> bool {
    let version = context.corpus.version(file);
    context.filter.takes_file(version.path(), version.language())
}

/// What may still be read.
struct Budget {
    files: usize,
    bytes: u64,
}

impl Budget {
    fn of(query: &Query) -> Budget {
        let times = if query.is_code { TIMES_FOR_CODE } else { 1 };
        Budget { files: MAX_FILES * times, bytes: MAX_BYTES * times as u64 }
    }

    /// What may be read besides as long as few files hold the query.
    fn reserve(&self, query: &Query) -> Budget {
        let times = if query.is_code { TIMES_IF_FEW } else { 0 };
        let bytes = if query.is_code { self.bytes } else { 0 };
        Budget { files: self.files * times, bytes }
    }

    fn add(&mut self, other: &Budget) {
        self.files += other.files;
        self.bytes += other.bytes;
    }

    /// Leaves the files that can be read, and takes what they need; gives the others.
    fn cut(&mut self, files: &mut Vec<u32>, corpus: &Corpus) -> Vec<u32> {
        let mut left = self.bytes;
        let fits = |file: &u32| {
            let bytes = corpus.version(*file).bytes();
            let fits = bytes <= left;
            left -= if fits { bytes } else { 0 };
            fits
        };
        let n_read = files.iter().take(self.files).copied().take_while(fits).count();
        (self.files, self.bytes) = (self.files - n_read, left);
        files.split_off(n_read)
    }
}

/// Where few files hold the query, those that are found by their path only are ranked for that as well: their first chunk
/// stands for them.
fn rank_few(unranked: Vec<(u32, u32)>, context: &Context<'_>, literal: &mut Literal) {
    if literal.few().is_empty() {
        return;
    }
    for (file, lines) in unranked {
        literal.files.push((file, lines));
        literal.docs.extend(context.corpus.docs(file).next());
    }
}

/// Counts the lines of files that are found by their path only, as far as the budget goes; which files have how many.
fn count_unranked(
    query: &Query,
    context: &Context<'_>,
    source: &ReadSource<'_>,
    mut files: Vec<u32>,
    budget: &mut Budget,
    literal: &mut Literal,
) -> Vec<(u32, u32)> {
    files.retain(|file| is_let_through(context, *file));
    files.sort_unstable_by_key(|file| context.corpus.path(*file));
    files.dedup();
    literal.complete &= budget.cut(&mut files, context.corpus).is_empty();
    let finder = Finder::new(&query.text);
    let lines = |file: u32| match source(file, &finder) {
        Present::Text(source) => (file, Some(occurrences(&source, &finder).len())),
        Present::Without => (file, Some(0)),
        Present::Changed => (file, None),
    };
    let mut found = Vec::new();
    for (file, lines) in parallel::map(context.corpus.is_large(), files, lines, || ()) {
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

/// Reads files and adds what they hold. A file `has_chunk` if each one has to be shown that holds the query.
fn read(
    query: &Query,
    context: &Context<'_>,
    source: &ReadSource<'_>,
    (files, has_chunk): (Vec<u32>, bool),
    literal: &mut Literal,
) -> Result<(), SearchError> {
    let corpus = context.corpus;
    let finder = Finder::new(&query.text);
    let read = |file: u32| match source(file, &finder) {
        Present::Text(source) => found(context, file, &source, &occurrences(&source, &finder)).map(Some),
        Present::Without => Ok(Some(Found::default())),
        Present::Changed => Ok(None),
    };
    let all = parallel::map(corpus.is_large(), files.clone(), read, || ());
    for (file, found) in files.into_iter().zip(all) {
        let Some(mut found) = found? else {
            literal.complete = false;
            continue;
        };
        if found.lines == 0 {
            continue;
        }
        // What stands between two chunks is shown by the first.
        if has_chunk && found.docs.is_empty() {
            found.docs.extend(corpus.docs(file).next());
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

/// What a file holds.
#[derive(Default)]
struct Found {
    lines: u32,
    /// How many of the lines stand in items of the kinds that are asked for.
    counted: u32,
    docs: Vec<u32>,
}

/// The chunks of a file that hold what begins `at` some places of its text.
fn found(context: &Context<'_>, file: u32, source: &str, at: &[u32]) -> Result<Found, SearchError> {
    let mut found = Found { lines: at.len() as u32, ..Found::default() };
    if !at.is_empty() {
        let corpus = context.corpus;
        found.counted = counted(corpus, context.filter.kinds(), file, source, at)?;
        for doc in corpus.docs(file) {
            let span = corpus.columns(doc)?.span;
            if at.iter().any(|at| span.start <= *at && *at < span.end) {
                found.docs.push(doc);
            }
        }
    }
    Ok(found)
}

/// Where the first occurrence of each line that holds what is looked for begins.
pub fn occurrences(source: &str, finder: &Finder<'_>) -> Vec<u32> {
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

/// Files that may hold the query.
struct Candidates {
    files: Vec<u32>,
    complete: bool,
    /// Those that are found by their path only, in any order; they may be among the files too.
    unranked: Vec<u32>,
}

impl Candidates {
    /// Those that may be read, the first `most` of them and some more, if there are so many: what matches best
    /// otherwise comes first, and equal ones by path.
    fn best(self, context: &Context<'_>, worth: &Worth<'_>, most: usize) -> Candidates {
        let path = |file: u32| context.corpus.path(file);
        let mut left: Vec<(f32, u32)> = self.files.into_iter().map(|file| (worth(file), file)).collect();
        let mut files = Vec::new();
        while files.len() <= most && !left.is_empty() {
            // In a large tree there may be tens of thousands, so they are not put in order for the few that are read.
            let mut next = best_of(&mut left, most + 1, path);
            next.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| path(a.1).cmp(path(b.1))));
            files.extend(next.into_iter().map(|(_, file)| file).filter(|file| may_be_read(context, *file)));
        }
        Candidates { files, ..self }
    }
}

/// Takes the best `n` out of `left`, of equal ones those whose paths come first.
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
        equal.select_nth_unstable_by_key(wanted - 1, |(_, file)| path(*file));
    }
    *left = equal.split_off(wanted);
    left.extend(rest);
    best.extend(equal);
    best
}

/// The files that may hold the query. No more than `most` are read; looking them up may take as long as reading `effort`
/// files.
fn candidates(
    query: &Query,
    context: &Context<'_>,
    likely: Option<&Likely<'_>>,
    (most, effort): (usize, usize),
) -> Result<Candidates, SearchError> {
    let corpus = context.corpus;
    let is_path_only = |file: &u32| corpus.is_path_only(*file);
    let words = narrowing_words(&query.text);
    let whole: Vec<&str> = words.iter().filter(|(_, whole)| *whole).map(|(word, _)| *word).collect();
    // Where something has to stand as a whole word, files whose words are not known are not among those that hold it.
    let unknown = || holding_all(&[OPEN_WORDS], context, Some(&|file| corpus.is_path_only(file)));
    if whole.is_empty() {
        let (mut found, is_narrowed) = by_ends(query, &words, context, (most, effort))?;
        found.unranked = found.files.iter().copied().filter(is_path_only).collect();
        if !is_narrowed {
            found.unranked.extend(unknown()?);
        }
        return Ok(found);
    }
    // Nothing is known of what stands in a file that is found by its path only, but its words.
    let likely = likely.map(|likely| move |file| likely(file) || corpus.is_path_only(file));
    let likely = likely.as_ref().map(|likely| likely as &Likely<'_>);
    let all = holding_all(&whole, context, likely)?;
    let (mut unranked, files): (Vec<u32>, Vec<u32>) = all.into_iter().partition(is_path_only);
    unranked.extend(unknown()?);
    let found = by_whole_words(query, &words, files, context, likely, (most, effort))?;
    Ok(Candidates { unranked, ..found })
}

/// The files that may hold the query, of those that hold the words of its inside.
fn by_whole_words(
    query: &Query,
    words: &[(&str, bool)],
    mut files: Vec<u32>,
    context: &Context<'_>,
    likely: Option<&Likely<'_>>,
    (most, effort): (usize, usize),
) -> Result<Candidates, SearchError> {
    if files.len() <= effort {
        return Ok(Candidates { files, complete: true, unranked: Vec::new() });
    }
    // Where the words at the ends stand whole in more files than may be read, longer words do not matter.
    let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    if words.iter().any(|(_, whole)| !whole) {
        let mut sure = holding_all(&all, context, likely)?;
        sure.retain(|file| !context.corpus.is_path_only(*file));
        if sure.len() > most {
            return Ok(Candidates { files: sure, complete: false, unranked: Vec::new() });
        }
    }
    // A sentence hardly stands anywhere as written, so less is spent on it than on code.
    let effort = if query.is_code { effort } else { effort / LESS_FOR_PROSE };
    if let Some(narrowed) = narrowed(&query.text, context, effort) {
        files.retain(|file| narrowed.binary_search(file).is_ok());
    }
    Ok(Candidates { files, complete: true, unranked: Vec::new() })
}

/// The files that may hold a query of one or two words that may be parts of longer ones, and whether files whose words are
/// not known are among them.
fn by_ends(
    query: &Query,
    words: &[(&str, bool)],
    context: &Context<'_>,
    (most, effort): (usize, usize),
) -> Result<(Candidates, bool), SearchError> {
    let found = |files: Vec<u32>, complete: bool| Candidates { files, complete, unranked: Vec::new() };
    let Some((longest, _)) = words.iter().max_by_key(|(word, _)| word.len()) else {
        // Punctuation alone: nothing narrows, so files are read as far as the budget goes.
        return Ok((found((0..context.corpus.n_files() as u32).collect(), true), true));
    };
    let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    let files = holding_all(&all, context, None)?;
    if files.len() > most {
        // The budget ends before words that hold them would be read.
        return Ok((found(files, false), false));
    }
    let is_small = context.corpus.n_files() <= MAX_FILES_FOR_INSIDES;
    if (query.is_code || is_small)
        && let Some(files) = narrowed(&query.text, context, effort)
    {
        return Ok((found(files, true), true));
    }
    let (expanded, mut complete) = expansions(longest, context)?;
    let mut files = Vec::new();
    let mut n_live = 0;
    for word in &expanded {
        let holding = holding_all(&[word], context, None)?;
        // The dictionary has words of deleted documents and of other views; they must not take the place of live ones.
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

/// The files of the view that may hold `text`, sorted, by all that its words say, insides too; `None` where that is too
/// little, or takes longer to look up than reading `most` files.
fn narrowed(text: &str, context: &Context<'_>, most: usize) -> Option<Vec<u32>> {
    let corpus = context.corpus;
    let plan = Plan::new(&Wanted { fixed: true, multi_line: true, ..Wanted::new(text) });
    // A lookup that fails narrows nothing, as for an exact search.
    let n_files = corpus.n_files();
    // What is let through counts against the budget of files, so it may not depend on what lies beside the view.
    let is_small = n_files <= MAX_FILES_FOR_INSIDES;
    let effort = if is_small { Effort::Whole } else { Effort::Files(most) };
    let Ok(Some(docs)) = grep::narrow(&corpus.committed().reader, &plan, n_files, effort) else {
        return None;
    };
    let mut files = Vec::new();
    for (segment, docs) in docs.0.into_iter().enumerate() {
        let file_of = corpus.files_of(segment);
        // A file's documents stand together.
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

/// The words of `text` that the index knows if a file holds them, each with whether it must stand there whole: a
/// word at an end of the text may be a part of a longer one.
fn narrowing_words(text: &str) -> Vec<(&str, bool)> {
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

/// The files of the view that hold all of `words` whole, among the likely ones, in any order. A phrase may straddle
/// two chunks, so the conjunction is over files.
fn holding_all(
    words: &[&str],
    context: &Context<'_>,
    likely: Option<&Likely<'_>>,
) -> Result<Vec<u32>, SearchError> {
    let segments = (0..context.corpus.committed().reader.segments().len()).collect();
    let of_segment = |segment: usize| holding_all_of(segment, words, context.corpus, likely);
    let all = parallel::map(context.corpus.is_large(), segments, of_segment, || ());
    Ok(all.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
}

/// The files of one segment that hold all of `words` whole.
fn holding_all_of(
    segment: usize,
    words: &[&str],
    corpus: &Corpus,
    likely: Option<&Likely<'_>>,
) -> Result<Vec<u32>, SearchError> {
    let reader = &corpus.committed().reader;
    let mut words_here = Vec::new();
    for word in words {
        match reader.blocks(segment, IndexField::Word, word)? {
            Some(blocks) => words_here.push(blocks),
            None => return Ok(Vec::new()),
        }
    }
    words_here.sort_by_key(Blocks::count);
    let file_of = corpus.files_of(segment);
    let mut docs = Vec::new();
    // A file's documents stand together, so each is asked about once.
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

/// The words of the dictionary that contain `part`, the shortest first, and whether that is all of them. In a large
/// tree only those that begin with it are looked up, because the dictionary is sorted.
fn expansions(part: &str, context: &Context<'_>) -> Result<(Vec<String>, bool), SearchError> {
    let all = context.corpus.n_files() <= MAX_FILES_FOR_INSIDES;
    let finder = Finder::new(part);
    let mut found = std::collections::BTreeSet::new();
    let from = if all { None } else { Some(part) };
    context.corpus.committed().reader.terms(IndexField::Word, from, |word| {
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
