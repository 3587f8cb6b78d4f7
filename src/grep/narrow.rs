//! A plan against the index: the files that may match, by the words that they hold.
//!
//! What a file's words cannot tell, because it is found by its path only, was decoded or has a word that is too long,
//! is always among them ([`OPEN_WORDS`]). Part by part the cheaper ones first; a part that costs more to look up than
//! reading the files that are left is passed over, which lets through more and never less. The costs are counted in
//! words and files; which files are let through in vain may differ from run to run, what is found never does.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::plan::{Edge, Part, Plan};
use crate::cores::spread;
use crate::index::{Blocks, IndexError, IndexField, MIN_WORDS, Reader, Words};
use crate::tokenize::OPEN_WORDS;

/// Looking at so many words of the dictionary takes as long as reading and searching a file: some 20 microseconds
/// against some .1.
const WORDS_A_FILE: u64 = 200;

/// Of what scanning all files would take, this part at most is spent on looking up a plan, which may be in vain.
const IN_VAIN: u64 = 20;

/// A segment of so many files tells what others are like.
const TELLING_FILES: u64 = 200;

/// How much is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// No more than reading the files would take. How much that lets through depends on the segments.
    Worthwhile,
    /// No more than reading so many files would take, for who reads no more of them. As above.
    Files(usize),
    /// Everything, so that what is let through depends on the files alone.
    Whole,
}

/// The documents that speak for files that may match, by segment, each list sorted.
#[derive(Debug)]
pub struct Narrowed(pub Vec<Vec<u32>>);

/// The files that may match, of `n_files`; `None` for all.
pub fn narrow(
    reader: &Reader,
    plan: &Plan,
    n_files: usize,
    effort: Effort,
) -> Result<Option<Narrowed>, IndexError> {
    if *plan == Plan::All {
        return Ok(None);
    }
    let n_segments = reader.segments().len();
    let all_docs: u64 = reader.segments().iter().map(|segment| u64::from(segment.max_doc())).sum();
    let (next, in_vain) = (AtomicUsize::new(0), AtomicBool::new(false));
    let work = || -> Result<Vec<Listed>, IndexError> {
        let mut lists = Vec::new();
        loop {
            let segment = next.fetch_add(1, Ordering::Relaxed);
            if segment >= n_segments {
                return Ok(lists);
            }
            let share = n_files as u64 * u64::from(reader.segments()[segment].max_doc()) / all_docs.max(1);
            // Where one segment of some size says that most files may match, the others would say the same.
            let own_effort = match effort {
                Effort::Files(most) => {
                    Effort::Files((most as u64 * share).div_ceil(n_files.max(1) as u64) as usize)
                }
                other => other,
            };
            let list = match in_vain.load(Ordering::Relaxed) {
                true => None,
                false => in_segment(reader, segment, plan, share, own_effort)?,
            };
            let is_most = |list: &Vec<u32>| list.len() as u64 * 2 > share;
            if effort != Effort::Whole && share > TELLING_FILES && list.as_ref().is_none_or(is_most) {
                in_vain.store(true, Ordering::Relaxed);
            }
            lists.push((segment, list));
        }
    };
    // A thread is worth it where there are some segments to ask.
    let threads = super::scan::default_threads().min(n_segments / 4).max(1);
    let lists: Result<Vec<Vec<Listed>>, IndexError> = spread(threads, work).into_iter().collect();
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

/// A segment and its documents that speak for files that may match; `None` for all.
type Listed = (usize, Option<Vec<u32>>);

/// The documents of a segment that speak for files that may match, of `n_files`; `None` for all.
fn in_segment(
    reader: &Reader,
    segment: usize,
    plan: &Plan,
    n_files: u64,
    effort: Effort,
) -> Result<Option<Vec<u32>>, IndexError> {
    let here = Here {
        reader,
        segment,
        words: reader.words(segment)?,
        n_docs: reader.segments()[segment].max_doc(),
        budget: match effort {
            Effort::Worthwhile => n_files * WORDS_A_FILE / IN_VAIN + MIN_WORDS,
            Effort::Files(most) => (most as u64).min(n_files) * WORDS_A_FILE,
            Effort::Whole => u64::MAX,
        },
        effort,
    };
    let Some(mut docs) = here.docs(plan)? else { return Ok(None) };
    if let Some(mut open) = reader.blocks(segment, IndexField::Word, OPEN_WORDS)? {
        docs.add(&mut open);
    }
    Ok(Some(docs.into_list()))
}

/// A set of documents.
#[derive(Clone)]
struct Docs {
    bits: Vec<u64>,
}

impl Docs {
    fn new(n_docs: u32) -> Docs {
        Docs { bits: vec![0; n_docs.div_ceil(64) as usize] }
    }

    fn add(&mut self, blocks: &mut Blocks) {
        blocks
            .for_each(|docs, _| docs.iter().for_each(|doc| self.bits[*doc as usize / 64] |= 1 << (doc % 64)));
    }

    fn keep(&mut self, other: &Docs) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(own, other)| *own &= other);
    }

    fn join(&mut self, other: &Docs) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(own, other)| *own |= other);
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

/// A segment that is asked.
struct Here<'r> {
    reader: &'r Reader,
    segment: usize,
    words: Words<'r>,
    n_docs: u32,
    /// How many words may be looked at for a part.
    budget: u64,
    effort: Effort,
}

impl Here<'_> {
    /// The documents that a plan leaves; `None` where that cannot be told within the budget.
    fn docs(&self, plan: &Plan) -> Result<Option<Docs>, IndexError> {
        match plan {
            Plan::All => Ok(None),
            Plan::Word(part) => self.of_part(part, self.budget),
            Plan::Or(plans) => {
                let mut all = Docs::new(self.n_docs);
                for plan in plans {
                    match self.docs(plan)? {
                        Some(docs) => all.join(&docs),
                        None => return Ok(None),
                    }
                }
                Ok(Some(all))
            }
            Plan::And(plans) => {
                let mut by_cost: Vec<(u64, &Plan)> =
                    plans.iter().map(|plan| (self.cost(plan), plan)).collect();
                by_cost.sort_by_key(|(cost, _)| *cost);
                let mut left: Option<Docs> = None;
                for (cost, plan) in by_cost {
                    let is_dear = |left: &Docs| cost > left.count() * WORDS_A_FILE;
                    if self.effort != Effort::Whole && left.as_ref().is_some_and(is_dear) {
                        break;
                    }
                    if let Some(docs) = self.docs(plan)? {
                        match &mut left {
                            Some(left) => left.keep(&docs),
                            none => *none = Some(docs),
                        }
                    }
                }
                Ok(left)
            }
        }
    }

    /// How many words have to be looked at.
    fn cost(&self, plan: &Plan) -> u64 {
        match plan {
            Plan::All => 0,
            Plan::Word(part) if part.is_word() => 1,
            Plan::Word(part) => self.words.stretches(&part.grams()).words(),
            Plan::And(plans) => plans.iter().map(|plan| self.cost(plan)).min().unwrap_or(0),
            Plan::Or(plans) => plans.iter().map(|plan| self.cost(plan)).sum(),
        }
    }

    fn of_part(&self, part: &Part, budget: u64) -> Result<Option<Docs>, IndexError> {
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
