//! Evaluates a plan with the inverted index: the files that may match, by the words that they contain.
//!
//! A file whose words are not all known is always selected ([`OPEN_WORDS`]): a path-only file, a decoded file, or a file
//! with a word that is too long. Cheap parts of a plan are looked up first. A part that costs more than reading the
//! remaining files is skipped, which selects more files and never fewer. Costs are counted in words and files. The files
//! that are selected in vain may differ between runs; the matching lines never do.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::plan::{Edge, NarrowPlan, WordPart};
use spyhop_base::cores::spread;
use spyhop_index::inverted::{IndexError, IndexField, MIN_WORDS, PostingBlocks, SegmentList, Words};
use spyhop_index::tokenize::OPEN_WORDS;

/// The number of dictionary words that can be compared in the time of reading and searching a file: about 20 microseconds
/// for a file and 0.1 for a word.
const WORDS_A_FILE: u64 = 200;

/// A lookup of a part costs at most the time of scanning all files, divided by this number, because the lookup may
/// exclude no file.
const BUDGET_DIVISOR: u64 = 20;

/// A segment with more files is a sample for the other segments.
const SAMPLE_FILES: u64 = 200;

/// How much work a lookup may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Less than reading the files would cost. The number of selected files depends on the segments.
    Worthwhile,
    /// No more than reading this number of files would cost, for a caller that reads no more files. The number of
    /// selected files depends on the segments.
    Files(usize),
    /// No limit, so that the selected files depend on the content of the files alone.
    Whole,
}

/// The documents of files that may match: a sorted list for each segment.
#[derive(Debug)]
pub struct Narrowed(pub Vec<Vec<u32>>);

/// The documents of files that may match, in a view of `n_files` files; `None` for all files.
pub fn narrow(
    reader: &SegmentList,
    plan: &NarrowPlan,
    n_files: usize,
    effort: Effort,
) -> Result<Option<Narrowed>, IndexError> {
    if *plan == NarrowPlan::All {
        return Ok(None);
    }
    let n_segments = reader.segments().len();
    let all_docs: u64 = reader.segments().iter().map(|segment| u64::from(segment.max_doc())).sum();
    let (next, in_vain) = (AtomicUsize::new(0), AtomicBool::new(false));
    let work = || -> Result<Vec<SegmentMatches>, IndexError> {
        let mut lists = Vec::new();
        loop {
            let segment = next.fetch_add(1, Ordering::Relaxed);
            if segment >= n_segments {
                return Ok(lists);
            }
            let share = n_files as u64 * u64::from(reader.segments()[segment].max_doc()) / all_docs.max(1);
            // If most files of a sample may match, the other segments are likely to be similar.
            let segment_effort = match effort {
                Effort::Files(most) => {
                    Effort::Files((most as u64 * share).div_ceil(n_files.max(1) as u64) as usize)
                }
                other => other,
            };
            let list = match in_vain.load(Ordering::Relaxed) {
                true => None,
                false => narrow_segment(reader, segment, plan, share, segment_effort)?,
            };
            let is_most = |list: &Vec<u32>| list.len() as u64 * 2 > share;
            if effort != Effort::Whole && share > SAMPLE_FILES && list.as_ref().is_none_or(is_most) {
                in_vain.store(true, Ordering::Relaxed);
            }
            lists.push((segment, list));
        }
    };
    // A thread is worthwhile from a few segments on.
    let threads = super::scan::default_threads().min(n_segments / 4).max(1);
    let lists: Result<Vec<Vec<SegmentMatches>>, IndexError> = spread(threads, work).into_iter().collect();
    let mut lists = lists?.concat();
    if lists.iter().all(|(_, list)| list.is_none()) {
        return Ok(None);
    }
    lists.sort_unstable_by_key(|(segment, _)| *segment);
    let all = |segment: usize| (0..reader.segments()[segment].max_doc()).collect();
    Ok(Some(Narrowed(
        lists.into_iter().map(|(segment, list)| list.unwrap_or_else(|| all(segment))).collect(),
    )))
}

/// A segment and its documents of files that may match; `None` for all.
type SegmentMatches = (usize, Option<Vec<u32>>);

/// The documents of files that may match, in a segment with about `n_files` files of the view; `None` for all.
fn narrow_segment(
    reader: &SegmentList,
    segment: usize,
    plan: &NarrowPlan,
    n_files: u64,
    effort: Effort,
) -> Result<Option<Vec<u32>>, IndexError> {
    let lookup = SegmentLookup {
        reader,
        segment,
        words: reader.words(segment)?,
        n_docs: reader.segments()[segment].max_doc(),
        budget: match effort {
            Effort::Worthwhile => n_files * WORDS_A_FILE / BUDGET_DIVISOR + MIN_WORDS,
            Effort::Files(most) => (most as u64).min(n_files) * WORDS_A_FILE,
            Effort::Whole => u64::MAX,
        },
        effort,
    };
    let Some(mut docs) = lookup.docs(plan)? else { return Ok(None) };
    if let Some(mut open) = reader.blocks(segment, IndexField::Word, OPEN_WORDS)? {
        docs.add(&mut open);
    }
    Ok(Some(docs.into_list()))
}

/// A set of documents, as a bitset.
#[derive(Clone)]
struct Docs {
    bits: Vec<u64>,
}

impl Docs {
    fn new(n_docs: u32) -> Docs {
        Docs { bits: vec![0; n_docs.div_ceil(64) as usize] }
    }

    fn add(&mut self, blocks: &mut PostingBlocks) {
        blocks
            .for_each(|docs, _| docs.iter().for_each(|doc| self.bits[*doc as usize / 64] |= 1 << (doc % 64)));
    }

    fn intersect(&mut self, other: &Docs) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(bits, other)| *bits &= other);
    }

    fn union(&mut self, other: &Docs) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(bits, other)| *bits |= other);
    }

    fn count(&self) -> u64 {
        self.bits.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    fn into_list(self) -> Vec<u32> {
        let mut list = Vec::new();
        for (place, mut word) in self.bits.into_iter().enumerate() {
            while word != 0 {
                list.push(place as u32 * 64 + word.trailing_zeros());
                word &= word - 1;
            }
        }
        list
    }
}

/// The lookup of a plan in one segment.
struct SegmentLookup<'r> {
    reader: &'r SegmentList,
    segment: usize,
    words: Words<'r>,
    n_docs: u32,
    /// The most words that may be compared for a part.
    budget: u64,
    effort: Effort,
}

impl SegmentLookup<'_> {
    /// The documents that match a plan; `None` if the budget does not suffice.
    fn docs(&self, plan: &NarrowPlan) -> Result<Option<Docs>, IndexError> {
        match plan {
            NarrowPlan::All => Ok(None),
            NarrowPlan::Word(part) => self.part_docs(part, self.budget),
            NarrowPlan::Or(plans) => {
                let mut all = Docs::new(self.n_docs);
                for plan in plans {
                    match self.docs(plan)? {
                        Some(docs) => all.union(&docs),
                        None => return Ok(None),
                    }
                }
                Ok(Some(all))
            }
            NarrowPlan::And(plans) => {
                let mut by_cost: Vec<(u64, &NarrowPlan)> =
                    plans.iter().map(|plan| (self.cost(plan), plan)).collect();
                by_cost.sort_by_key(|(cost, _)| *cost);
                let mut left: Option<Docs> = None;
                for (cost, plan) in by_cost {
                    let is_costly = |left: &Docs| cost > left.count() * WORDS_A_FILE;
                    if self.effort != Effort::Whole && left.as_ref().is_some_and(is_costly) {
                        break;
                    }
                    if let Some(docs) = self.docs(plan)? {
                        match &mut left {
                            Some(left) => left.intersect(&docs),
                            none => *none = Some(docs),
                        }
                    }
                }
                Ok(left)
            }
        }
    }

    /// The number of words that a lookup compares.
    fn cost(&self, plan: &NarrowPlan) -> u64 {
        match plan {
            NarrowPlan::All => 0,
            NarrowPlan::Word(part) if part.is_word() => 1,
            NarrowPlan::Word(part) => self.words.stretches(&part.grams()).words(),
            NarrowPlan::And(plans) => plans.iter().map(|plan| self.cost(plan)).min().unwrap_or(0),
            NarrowPlan::Or(plans) => plans.iter().map(|plan| self.cost(plan)).sum(),
        }
    }

    /// The documents with a word of a part; `None` if the budget does not suffice.
    fn part_docs(&self, part: &WordPart, budget: u64) -> Result<Option<Docs>, IndexError> {
        let mut docs = Docs::new(self.n_docs);
        if part.is_word() {
            if let Some(mut blocks) = self.reader.blocks(self.segment, IndexField::Word, &part.text)? {
                docs.add(&mut blocks);
            }
            return Ok(Some(docs));
        }
        if !part.folded && (part.start, part.end) == (Edge::Whole, Edge::Open) {
            let all = self.words.for_each_with_prefix(&part.text, budget, |documents| {
                docs.add(&mut documents.read()?);
                Ok(())
            })?;
            return Ok(all.then_some(docs));
        }
        let stretches = self.words.stretches(&part.grams());
        if stretches.words() > budget {
            return Ok(None);
        }
        let mut tester = part.tester();
        self.words.for_each(&stretches, |word, documents| {
            if tester.takes(word) {
                docs.add(&mut documents.read()?);
            }
            Ok(())
        })?;
        Ok(Some(docs))
    }
}
