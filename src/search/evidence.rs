//! What is known of files and chunks for a query, and the memory that it is kept in.
//!
//! The passes over the postings ([`gather()`]) add up in columns, one a number, because a common term stands in most
//! chunks: what a pass touches then fits the caches. What a file's chunks sum up to is put together once, at the end,
//! and a row of all that is known only for the files of the head. Evidence that is dropped goes back to its corpus for
//! the next query, and is swept when there is time or when it is wanted: a fresh allocation of this size is handed out by
//! the system page by page, which costs more than the sums.

mod gather;
mod rows;

pub use gather::gather;
pub use rows::Sums;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::corpus::Corpus;
use crate::model::Field;

/// What is known of a file for a query. Masks have a bit for each query term.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileEvidence {
    /// BM25 of the whole file.
    pub body: f32,
    /// BM25 of the three best chunks, best first.
    pub chunks: [f32; 3],
    /// The chunk to show, plus one; 0 for none.
    pub best_doc: u32,
    /// What it was chosen by: its BM25 in body and symbols.
    pub best_worth: f32,
    /// BM25 of its best chunk's symbols.
    pub symbol: f32,
    /// BM25 of all names that it defines.
    pub symbols: f32,
    /// BM25 of its best chunk's comments.
    pub comment: f32,
    /// BM25 of its file name.
    pub name: f32,
    /// BM25 of its path.
    pub path: f32,
    /// Terms in its text.
    pub body_mask: u64,
    /// Terms in the names that it defines.
    pub symbol_mask: u64,
    /// Terms in its comments.
    pub comment_mask: u64,
    /// Terms in its file name.
    pub name_mask: u64,
    /// Terms in its path.
    pub path_mask: u64,
    /// Names of the query that it defines, a bit each.
    pub defines: u64,
    /// Names of the query that it contains as written, a bit each.
    pub mentions: u64,
    /// Lines of it that hold the query as written.
    pub literal: u32,
}

impl FileEvidence {
    /// The chunk to show.
    pub fn best(&self) -> Option<u32> {
        self.best_doc.checked_sub(1)
    }
}

/// What is known of the whole view for a query.
#[derive(Default)]
pub struct Evidence {
    /// The files that match anything, increasing.
    pub touched: Vec<u32>,
    /// Of each of them: what its chunks sum up to.
    pub sums: Vec<Sums>,
    /// By chunk: BM25 of the text.
    pub chunk_body: Vec<f32>,
    /// By chunk: BM25 of its symbols.
    pub chunk_symbol: Vec<f32>,
    /// The chunks that hold the query as written, increasing.
    pub literal_docs: Vec<u32>,
    /// The files that hold it, increasing, and on how many lines.
    pub literal_files: Vec<(u32, u32)>,
    /// The files that its frames name, increasing, and the lines.
    pub framed: Vec<(u32, Vec<u32>)>,
    /// A chunk for each name of the query that it defines, increasing.
    defining: Vec<u32>,
    /// The weight of each query term: its idf in the text of chunks, scaled to sum up to 1.
    pub idf: Vec<f32>,
    columns: Columns,
    pool: Option<Arc<Pool>>,
}

/// Evidence that nobody uses just now.
#[derive(Default)]
pub struct Pool(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    /// All zero.
    swept: Vec<Evidence>,
    /// As it was left.
    used: Vec<Evidence>,
}

/// As many wait for the next query; more would only hold memory after a rush.
const POOLED: usize = 2;

impl Pool {
    /// All zero, if any waits.
    fn take(&self) -> Option<Evidence> {
        let mut waiting = self.lock();
        if let Some(swept) = waiting.swept.pop() {
            return Some(swept);
        }
        let used = waiting.used.pop();
        drop(waiting);
        used.map(Evidence::swept)
    }

    fn put(&self, used: Evidence) {
        let mut waiting = self.lock();
        if waiting.swept.len() + waiting.used.len() < POOLED {
            waiting.used.push(used);
        }
    }

    /// Sweeps what was used.
    pub fn sweep(&self) {
        let used = std::mem::take(&mut self.lock().used);
        let swept: Vec<Evidence> = used.into_iter().map(Evidence::swept).collect();
        let mut waiting = self.lock();
        waiting.swept.extend(swept);
        let room = POOLED.saturating_sub(waiting.used.len());
        waiting.swept.truncate(room);
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Evidence {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.take() {
            pool.put(std::mem::take(self));
        }
    }
}

/// The sums that only the rows need.
#[derive(Default)]
struct Columns {
    /// By chunk.
    comment: Vec<f32>,
    /// What matches: at first by its text, in the end at all.
    of_texts: Marks,
    /// What matches by what stands beside the text.
    of_names: Marks,
    /// By file.
    body: Vec<f32>,
    symbols: Vec<f32>,
    name: Vec<f32>,
    path: Vec<f32>,
    /// By file: its first chunk, plus one, where its path matches.
    first: Vec<u32>,
    /// By field and file: the terms that it holds.
    masks: [Vec<u64>; Field::ALL.len()],
    /// By file: the names that it defines.
    defines: Vec<u64>,
    /// By file: the names that it contains.
    mentions: Vec<u64>,
    /// What the chunks of the later half of the files sum up to, on its way.
    later: (Vec<u32>, Vec<Sums>),
}

/// What matches.
#[derive(Default)]
struct Marks {
    /// By chunk: 0 when it does not match, else [`SEEN`] and how many of the query's inner terms its text holds.
    seen: Vec<u8>,
    /// By file: 1 when any of its columns or chunks is not zero.
    touched: Vec<u8>,
    /// Of one term: files that hold it, and how often.
    frequencies: Vec<(u32, u32)>,
}

impl Marks {
    fn sized(n_docs: usize, n_files: usize) -> Marks {
        Marks { seen: vec![0; n_docs], touched: vec![0; n_files], frequencies: Vec::with_capacity(n_files) }
    }

    fn clear(&mut self) {
        self.seen.fill(0);
        self.touched.fill(0);
        self.frequencies.clear();
    }
}

/// Says in [`Marks::seen`] that a chunk matches. The bits below it hold any number of terms that a query can have.
const SEEN: u8 = 0x80;

const _: () = assert!(crate::query::MAX_TERMS < SEEN as usize);

impl Evidence {
    /// Empty evidence for a query of so many terms.
    fn take(corpus: &Corpus, n_terms: usize) -> Evidence {
        let pool = corpus.pool();
        let mut own = pool.take().unwrap_or_else(|| Evidence::sized(corpus.n_docs(), corpus.n_files()));
        own.idf.resize(n_terms, 0.0);
        own.pool = Some(pool.clone());
        own
    }

    fn sized(n_docs: usize, n_files: usize) -> Evidence {
        // Room for all files at once: growing step by step touches new memory at each.
        let rows = |n_files: usize| (Vec::with_capacity(n_files), Vec::with_capacity(n_files));
        let mut own = Evidence::default();
        (own.touched, own.sums) = rows(n_files);
        own.chunk_body = vec![0.0; n_docs];
        own.chunk_symbol = vec![0.0; n_docs];
        own.columns = Columns {
            comment: vec![0.0; n_docs],
            of_texts: Marks::sized(n_docs, n_files),
            of_names: Marks::sized(n_docs, n_files),
            body: vec![0.0; n_files],
            symbols: vec![0.0; n_files],
            name: vec![0.0; n_files],
            path: vec![0.0; n_files],
            first: vec![0; n_files],
            masks: std::array::from_fn(|_| vec![0; n_files]),
            defines: vec![0; n_files],
            mentions: vec![0; n_files],
            later: rows(n_files.div_ceil(2)),
        };
        own
    }

    fn swept(mut self) -> Evidence {
        self.clear();
        self
    }

    /// Sets everything back to zero that is not.
    fn clear(&mut self) {
        let Columns {
            of_texts,
            of_names,
            comment,
            body,
            symbols,
            name,
            path,
            first,
            masks,
            defines,
            mentions,
            later,
        } = &mut self.columns;
        let Marks { seen, touched, .. } = &*of_texts;
        // Where much is to be cleared, one sweep is faster than many steps.
        if self.touched.len() * 8 > touched.len() {
            let by_chunk = [&mut self.chunk_body, &mut self.chunk_symbol, comment];
            by_chunk.into_iter().chain([body, symbols, name, path]).for_each(|sums| sums.fill(0.0));
            masks.iter_mut().chain([defines, mentions]).for_each(|masks| masks.fill(0));
            first.fill(0);
        } else {
            for_each_place(seen, |doc| {
                (self.chunk_body[doc], self.chunk_symbol[doc], comment[doc]) = (0.0, 0.0, 0.0);
            });
            for_each_place(touched, |file| {
                (body[file], symbols[file], name[file], path[file]) = (0.0, 0.0, 0.0, 0.0);
                (first[file], defines[file], mentions[file]) = (0, 0, 0);
                masks.iter_mut().for_each(|masks| masks[file] = 0);
            });
        }
        of_texts.clear();
        of_names.clear();
        self.touched.clear();
        self.sums.clear();
        (later.0.clear(), later.1.clear());
        self.literal_docs.clear();
        self.literal_files.clear();
        self.framed.clear();
        self.defining.clear();
        self.idf.clear();
    }

    /// What the fused lists rank a file by, which has place `place` among those that match. Zero means that it is not
    /// in a list.
    pub fn scores(&self, place: usize) -> [f32; 8] {
        let (file, sums, columns) = (self.touched[place] as usize, &self.sums[place], &self.columns);
        [
            columns.body[file],
            sums.chunk,
            sums.chunks,
            sums.symbol,
            columns.name[file],
            columns.path[file],
            sums.comment,
            columns.defines[file].count_ones() as f32,
        ]
    }

    /// Whether a chunk matches.
    pub fn matches(&self, doc: u32) -> bool {
        self.columns.of_texts.seen[doc as usize] != 0
    }

    /// How well a chunk matches, by its text and its names.
    pub fn of_chunk(&self, doc: u32) -> f32 {
        self.chunk_body[doc as usize] + self.chunk_symbol[doc as usize]
    }

    /// The lines of a file that frames of the query name.
    pub fn frames_of(&self, file: u32) -> &[u32] {
        let place = self.framed.binary_search_by_key(&file, |(file, _)| *file);
        place.map_or(&[], |place| &self.framed[place].1)
    }

    /// The share of the query's weight that the terms of a mask have.
    pub fn idf_of(&self, mask: u64) -> f32 {
        let mut left = mask;
        let mut sum = 0.0;
        while left != 0 {
            sum += self.idf[left.trailing_zeros() as usize];
            left &= left - 1;
        }
        sum
    }
}

/// Calls `each` with the places of the bytes that are not zero, increasing.
fn for_each_place(bytes: &[u8], mut each: impl FnMut(usize)) {
    // Most bytes are zero for most queries, so they are looked at in eights.
    let (eights, rest) = bytes.as_chunks::<8>();
    for (at, eight) in eights.iter().enumerate() {
        let mut left = u64::from_le_bytes(*eight);
        while left != 0 {
            let within = left.trailing_zeros() as usize / 8;
            each(at * 8 + within);
            left &= !(0xff << (within * 8));
        }
    }
    let from = eights.len() * 8;
    (0..rest.len()).filter(|within| rest[*within] != 0).for_each(|within| each(from + within));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_that_are_not_zero() {
        let check = |set: &[usize], len: usize| {
            let mut bytes = vec![0; len];
            set.iter().for_each(|place| bytes[*place] = 1);
            let mut found = Vec::new();
            for_each_place(&bytes, |place| found.push(place));
            assert_eq!(found, set);
        };
        check(&[], 0);
        check(&[0, 2], 3);
        check(&[7, 8, 40, 42], 43);
    }

    #[test]
    fn cleared_evidence_is_all_zero() {
        for n_docs in [9, 3] {
            let mut evidence = Evidence::sized(n_docs, 3);
            let doc = n_docs - 1;
            let columns = &mut evidence.columns;
            (columns.of_texts.seen[doc], columns.comment[doc]) = (SEEN, 1.0);
            (columns.of_names.seen[doc], columns.of_names.touched[2]) = (SEEN, 1);
            (columns.symbols[2], columns.mentions[2]) = (1.0, 1);
            (evidence.chunk_body[doc], evidence.chunk_symbol[doc]) = (1.0, 1.0);
            (columns.of_texts.touched[2], columns.body[2]) = (1, 1.0);
            (columns.name[2], columns.path[2]) = (1.0, 1.0);
            (columns.first[2], columns.defines[2]) = (1, 1);
            columns.masks.iter_mut().for_each(|masks| masks[2] = 1);
            evidence.touched.push(2);
            evidence.sums.push(Sums { chunk: 1.0, ..Sums::default() });
            evidence.columns.later = (vec![2], vec![Sums::default()]);
            (evidence.literal_docs, evidence.literal_files) = (vec![1], vec![(2, 1)]);
            evidence.framed.push((1, vec![1]));
            evidence.defining.push(1);
            evidence.clear();
            let Columns {
                of_texts,
                of_names,
                comment,
                body,
                symbols,
                name,
                path,
                first,
                masks,
                defines,
                mentions,
                later,
            } = &evidence.columns;
            let by_chunk = [&evidence.chunk_body, &evidence.chunk_symbol, comment];
            assert!(by_chunk.into_iter().chain([body, symbols, name, path]).flatten().all(|sum| *sum == 0.0));
            let marks = [of_texts, of_names].map(|marks| [&marks.seen, &marks.touched]);
            assert!(marks.into_iter().flatten().flatten().all(|byte| *byte == 0));
            assert!(masks.iter().chain([defines, mentions]).flatten().all(|mask| *mask == 0));
            assert!(first.iter().all(|number| *number == 0));
            let lens = [evidence.touched.len(), evidence.sums.len(), evidence.literal_docs.len()];
            assert_eq!((lens, evidence.literal_files.len(), evidence.defining.len()), ([0; 3], 0, 0));
            assert_eq!((later.0.len(), later.1.len(), evidence.framed.len()), (0, 0, 0));
        }
    }
}
