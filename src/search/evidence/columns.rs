//! The columns in which the passes add up scores, the lists of files that are fused by these scores, and the pool of
//! evidence between queries.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use spyhop_base::model::Field;

/// The evidence of one file. Masks have a bit for each query term.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct FileEvidence {
    /// BM25 of the whole file.
    pub body: f32,
    /// BM25 of the three best chunks, best first.
    pub chunks: [f32; 3],
    /// The chunk to show, plus one; 0 if there is none.
    pub best_doc: u32,
    /// The score by which the chunk was chosen: BM25 in body and symbols, with the gains of definitions and literal
    /// matches.
    pub best_worth: f32,
    /// The greatest BM25 of the symbols of a chunk.
    pub symbol: f32,
    /// BM25 of all names that the file defines.
    pub symbols: f32,
    /// The greatest BM25 of the comments of a chunk.
    pub comment: f32,
    /// BM25 of the file name.
    pub name: f32,
    /// BM25 of the path.
    pub path: f32,
    /// Terms in the text.
    pub body_mask: u64,
    /// Terms in the names that the file defines.
    pub symbol_mask: u64,
    /// Terms in the comments.
    pub comment_mask: u64,
    /// Terms in the file name.
    pub name_mask: u64,
    /// Terms in the path.
    pub path_mask: u64,
    /// Names of the query that the file defines, as a mask.
    pub defines: u64,
    /// Names of the query that the file contains as written, as a mask.
    pub mentions: u64,
    /// The number of lines that contain the query as written.
    pub literal: u32,
}

impl FileEvidence {
    /// The chunk to show.
    pub fn best(&self) -> Option<u32> {
        self.best_doc.checked_sub(1)
    }
}

/// The scores of a file that are sums or maxima over its chunks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    /// BM25 of the best chunk.
    pub chunk: f32,
    /// The sum of BM25 of the three best chunks.
    pub chunks: f32,
    /// The greatest BM25 of the symbols of a chunk.
    pub symbol: f32,
    /// The greatest BM25 of the comments of a chunk.
    pub comment: f32,
    /// Whether a chunk can be shown.
    pub is_shown: bool,
}

/// How rare a query term is, and whether any file has the term.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TermRarity {
    pub(crate) rarity: f32,
    pub(crate) is_known: bool,
}

/// A list of files, ordered by one kind of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FusedList {
    /// The score of the text of the whole file.
    Body,
    Chunk,
    /// The scores of the best chunks together.
    Chunks,
    /// The score of the symbols of the best chunk.
    Symbol,
    Name,
    Path,
    Comment,
    /// The number of query names that the file defines.
    Definitions,
    /// The number of lines that contain the query as written; known for the files of the literal pass only.
    Literal,
}

impl FusedList {
    pub const ALL: [FusedList; 9] = [
        FusedList::Body,
        FusedList::Chunk,
        FusedList::Chunks,
        FusedList::Symbol,
        FusedList::Name,
        FusedList::Path,
        FusedList::Comment,
        FusedList::Definitions,
        FusedList::Literal,
    ];
}

/// The evidence of a query in the whole view.
#[derive(Default)]
pub struct Evidence {
    /// The matching files, in increasing order.
    pub matching: Vec<u32>,
    /// For each of these files the scores over its chunks.
    pub sums: Vec<Sums>,
    /// By chunk: BM25 of its text.
    pub chunk_body: Vec<f32>,
    /// By chunk: BM25 of its symbols.
    pub chunk_symbol: Vec<f32>,
    /// The chunks that contain the query as written, in increasing order.
    pub literal_docs: Vec<u32>,
    /// The files that contain the query as written, in increasing order, with the number of lines.
    pub literal_files: Vec<(u32, u32)>,
    /// The files that frames of the query name, in increasing order, with the lines.
    pub framed: Vec<(u32, Vec<u32>)>,
    /// The files that the innermost of these frames names.
    pub innermost: Vec<u32>,
    /// The functions that frames name and that have moved, by file: the line in the frame, and that of the function.
    pub moved: Vec<(u32, [u32; 2])>,
    /// A chunk for each definition of a name of the query, in increasing order.
    pub(super) defining: Vec<u32>,
    /// By query term: its idf in the text of chunks, scaled so that the sum is 1.
    pub idf: Vec<f32>,
    /// By query term: its idf among the paths.
    pub(super) path_idf: Vec<f32>,
    /// The sum of the idf of the terms, by which `idf` is divided.
    pub(super) total_idf: f32,
    pub(super) columns: RowSums,
    pool: Option<Arc<Pool>>,
}

/// A pool of evidence that is not in use.
#[derive(Default)]
pub struct Pool(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    /// Evidence whose columns are all zero.
    cleared: Vec<Evidence>,
    /// Evidence as its query left it.
    used: Vec<Evidence>,
}

/// The most evidence in the pool. More would waste memory after a burst of queries.
const POOLED: usize = 2;

impl Pool {
    /// Evidence whose columns are all zero, if the pool has any.
    fn take(&self) -> Option<Evidence> {
        let mut waiting = self.lock();
        if let Some(cleared) = waiting.cleared.pop() {
            return Some(cleared);
        }
        let used = waiting.used.pop();
        drop(waiting);
        used.map(Evidence::cleared)
    }

    fn put(&self, used: Evidence) {
        let mut waiting = self.lock();
        if waiting.cleared.len() + waiting.used.len() < POOLED {
            waiting.used.push(used);
        }
    }

    /// Clears the used evidence in the pool.
    pub(crate) fn clear_used(&self) {
        let used = std::mem::take(&mut self.lock().used);
        let cleared: Vec<Evidence> = used.into_iter().map(Evidence::cleared).collect();
        let mut waiting = self.lock();
        waiting.cleared.extend(cleared);
        let room = POOLED.saturating_sub(waiting.used.len());
        waiting.cleared.truncate(room);
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

/// The columns that are read only for rows.
#[derive(Default)]
pub(super) struct RowSums {
    /// By chunk: BM25 of its comments.
    pub(super) comment: Vec<f32>,
    /// The marks of the pass over texts; after both passes the marks of all matches.
    pub(super) of_texts: Marks,
    /// The marks of the pass over names, comments and paths.
    pub(super) of_names: Marks,
    /// By file, here and in the next three columns: BM25.
    pub(super) body: Vec<f32>,
    pub(super) symbols: Vec<f32>,
    pub(super) name: Vec<f32>,
    pub(super) path: Vec<f32>,
    /// By file: its first chunk plus one, if the path matches; otherwise 0.
    pub(super) first: Vec<u32>,
    /// By field and file: the terms in the field.
    pub(super) masks: [Vec<u64>; Field::ALL.len()],
    /// By file: the names of the query that the file defines.
    pub(super) defines: Vec<u64>,
    /// By file: the names of the query that the file contains.
    pub(super) mentions: Vec<u64>,
    /// A buffer for the files, and their sums, of the later half of the files.
    pub(super) later: (Vec<u32>, Vec<Sums>),
}

impl RowSums {
    /// The row of a file, without the scores of its chunks.
    pub(super) fn row(&self, file: usize) -> FileEvidence {
        let mask = |field: Field| self.masks[field as usize][file];
        FileEvidence {
            body: self.body[file],
            symbols: self.symbols[file],
            name: self.name[file],
            path: self.path[file],
            body_mask: mask(Field::Body),
            symbol_mask: mask(Field::Symbol),
            comment_mask: mask(Field::Comment),
            name_mask: mask(Field::Name),
            path_mask: mask(Field::Path),
            defines: self.defines[file],
            mentions: self.mentions[file],
            // A file that matches only by its path is shown by its first chunk, which carries the path in the index.
            best_doc: self.first[file],
            ..FileEvidence::default()
        }
    }
}

/// The marks of matching chunks and files.
#[derive(Default)]
pub(super) struct Marks {
    /// By chunk: 0 if the chunk does not match; otherwise [`MATCHES`] plus the number of inner terms of the query in
    /// its text.
    pub(super) doc_marks: Vec<u8>,
    /// By file: 1 if any column has a score of the file or of one of its chunks.
    pub(super) file_marks: Vec<u8>,
    /// The files that contain the current term, with its frequency.
    pub(super) frequencies: Vec<(u32, u32)>,
}

impl Marks {
    fn sized(n_docs: usize, n_files: usize) -> Marks {
        Marks {
            doc_marks: vec![0; n_docs],
            file_marks: vec![0; n_files],
            frequencies: Vec::with_capacity(n_files),
        }
    }

    fn clear(&mut self) {
        self.doc_marks.fill(0);
        self.file_marks.fill(0);
        self.frequencies.clear();
    }
}

/// The bit of [`Marks::doc_marks`] for a match. The bits below have room for the number of terms of any query.
pub(super) const MATCHES: u8 = 0x80;

const _: () = assert!(crate::query::MAX_TERMS < MATCHES as usize);

impl Evidence {
    /// Empty evidence for a query of `n_terms` terms, from the pool if possible.
    pub(super) fn take(pool: &Arc<Pool>, (n_docs, n_files): (usize, usize), n_terms: usize) -> Evidence {
        let mut evidence = pool.take().unwrap_or_else(|| Evidence::sized(n_docs, n_files));
        evidence.idf.resize(n_terms, 0.0);
        evidence.path_idf.resize(n_terms, 0.0);
        evidence.pool = Some(pool.clone());
        evidence
    }

    fn sized(n_docs: usize, n_files: usize) -> Evidence {
        // The capacity suffices for all files, because growing step by step touches new memory each time.
        let rows = |n_files: usize| (Vec::with_capacity(n_files), Vec::with_capacity(n_files));
        let mut evidence = Evidence::default();
        (evidence.matching, evidence.sums) = rows(n_files);
        evidence.chunk_body = vec![0.0; n_docs];
        evidence.chunk_symbol = vec![0.0; n_docs];
        evidence.columns = RowSums {
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
        evidence
    }

    fn cleared(mut self) -> Evidence {
        self.clear();
        self
    }

    /// Sets all columns to zero.
    fn clear(&mut self) {
        let RowSums {
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
        let Marks { doc_marks, file_marks, .. } = &*of_texts;
        // If many entries are set, clearing whole columns is faster.
        if self.matching.len() * 8 > file_marks.len() {
            let by_chunk = [&mut self.chunk_body, &mut self.chunk_symbol, comment];
            by_chunk.into_iter().chain([body, symbols, name, path]).for_each(|sums| sums.fill(0.0));
            masks.iter_mut().chain([defines, mentions]).for_each(|masks| masks.fill(0));
            first.fill(0);
        } else {
            for_each_nonzero(doc_marks, |doc| {
                (self.chunk_body[doc], self.chunk_symbol[doc], comment[doc]) = (0.0, 0.0, 0.0);
            });
            for_each_nonzero(file_marks, |file| {
                (body[file], symbols[file], name[file], path[file]) = (0.0, 0.0, 0.0, 0.0);
                (first[file], defines[file], mentions[file]) = (0, 0, 0);
                masks.iter_mut().for_each(|masks| masks[file] = 0);
            });
        }
        of_texts.clear();
        of_names.clear();
        self.matching.clear();
        self.sums.clear();
        later.0.clear();
        later.1.clear();
        self.literal_docs.clear();
        self.literal_files.clear();
        self.framed.clear();
        self.innermost.clear();
        self.moved.clear();
        self.defining.clear();
        self.idf.clear();
        self.path_idf.clear();
    }

    /// Calls `each` with the score for a fused list of each matching file that is shown, by its index, which is in `rows`. A file
    /// with score 0 is not in that list; the list of the literal pass is not known here.
    pub fn for_each_score(&self, list: FusedList, rows: Range<usize>, each: impl FnMut(f32, u32)) {
        let RowSums { body, name, path, defines, .. } = &self.columns;
        match list {
            FusedList::Body => self.for_each_shown(rows, |file, _| body[file], each),
            FusedList::Chunk => self.for_each_shown(rows, |_, sums| sums.chunk, each),
            FusedList::Chunks => self.for_each_shown(rows, |_, sums| sums.chunks, each),
            FusedList::Symbol => self.for_each_shown(rows, |_, sums| sums.symbol, each),
            FusedList::Name => self.for_each_shown(rows, |file, _| name[file], each),
            FusedList::Path => self.for_each_shown(rows, |file, _| path[file], each),
            FusedList::Comment => self.for_each_shown(rows, |_, sums| sums.comment, each),
            FusedList::Definitions => {
                self.for_each_shown(rows, |file, _| defines[file].count_ones() as f32, each)
            }
            FusedList::Literal => {}
        }
    }

    #[inline]
    fn for_each_shown(
        &self,
        rows: Range<usize>,
        score: impl Fn(usize, &Sums) -> f32,
        mut each: impl FnMut(f32, u32),
    ) {
        let first = rows.start as u32;
        let files = self.matching[rows.clone()].iter().zip(&self.sums[rows]);
        for (row, (file, sums)) in (first..).zip(files) {
            if sums.is_shown {
                each(score(*file as usize, sums), row);
            }
        }
    }

    pub fn matches(&self, doc: u32) -> bool {
        self.columns.of_texts.doc_marks[doc as usize] != 0
    }

    /// The score of a chunk by its text and its symbols.
    pub(crate) fn chunk_score(&self, doc: u32) -> f32 {
        self.chunk_body[doc as usize] + self.chunk_symbol[doc as usize]
    }

    /// The lines of a file that the frames of the query name; `None` if no frame names the file.
    pub(crate) fn frames_of(&self, file: u32) -> Option<&[u32]> {
        let place = self.framed.binary_search_by_key(&file, |(file, _)| *file);
        place.ok().map(|place| &self.framed[place].1[..])
    }

    /// The rarity of the query term at `place` in the text of `n_chunks` chunks: 1 if at most one chunk has the term, near 0 if all
    /// have it.
    pub(crate) fn rarity(&self, n_chunks: u64, place: usize) -> f32 {
        let idf = self.idf[place] * self.total_idf;
        let greatest = super::collect::idf(n_chunks, 1);
        if idf > 0.0 { (idf / greatest).min(1.0).sqrt() } else { 1.0 }
    }

    /// By query term: its rarity in the text of `n_chunks` chunks.
    pub(crate) fn rarities(&self, n_chunks: u64) -> Vec<TermRarity> {
        let of = |place| TermRarity { rarity: self.rarity(n_chunks, place), is_known: self.idf[place] > 0.0 };
        (0..self.idf.len()).map(of).collect()
    }

    /// The sum of the idf of the terms in a mask: their share of the query's weight.
    pub(crate) fn idf_of(&self, mask: u64) -> f32 {
        let mut left = mask;
        let mut sum = 0.0;
        while left != 0 {
            sum += self.idf[left.trailing_zeros() as usize];
            left &= left - 1;
        }
        sum
    }
}

/// Calls `each` with the index of every byte that is not zero, in increasing order.
pub(super) fn for_each_nonzero(bytes: &[u8], mut each: impl FnMut(usize)) {
    // Most bytes are zero, so eight bytes are tested at once.
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
            for_each_nonzero(&bytes, |place| found.push(place));
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
            (columns.of_texts.doc_marks[doc], columns.comment[doc]) = (MATCHES, 1.0);
            (columns.of_names.doc_marks[doc], columns.of_names.file_marks[2]) = (MATCHES, 1);
            (columns.symbols[2], columns.mentions[2]) = (1.0, 1);
            (evidence.chunk_body[doc], evidence.chunk_symbol[doc]) = (1.0, 1.0);
            (columns.of_texts.file_marks[2], columns.body[2]) = (1, 1.0);
            (columns.name[2], columns.path[2]) = (1.0, 1.0);
            (columns.first[2], columns.defines[2]) = (1, 1);
            columns.masks.iter_mut().for_each(|masks| masks[2] = 1);
            evidence.matching.push(2);
            evidence.sums.push(Sums { chunk: 1.0, ..Sums::default() });
            evidence.columns.later = (vec![2], vec![Sums::default()]);
            (evidence.literal_docs, evidence.literal_files) = (vec![1], vec![(2, 1)]);
            evidence.framed.push((1, vec![1]));
            evidence.defining.push(1);
            evidence.clear();
            let RowSums {
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
            let marks = [of_texts, of_names].map(|marks| [&marks.doc_marks, &marks.file_marks]);
            assert!(marks.into_iter().flatten().flatten().all(|byte| *byte == 0));
            assert!(masks.iter().chain([defines, mentions]).flatten().all(|mask| *mask == 0));
            assert!(first.iter().all(|number| *number == 0));
            let lens = [evidence.matching.len(), evidence.sums.len(), evidence.literal_docs.len()];
            assert_eq!((lens, evidence.literal_files.len(), evidence.defining.len()), ([0; 3], 0, 0));
            assert_eq!((later.0.len(), later.1.len(), evidence.framed.len()), (0, 0, 0));
        }
    }
}
