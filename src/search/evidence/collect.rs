//! The passes over the postings: one pass per query term and field, for all files at once.
//!
//! BM25 (Robertson and Zaragoza 2009, with Lucene's idf, ln(1 + (N - n + 0.5) / (n + 0.5))): a term adds
//! `idf * f * (k1 + 1) / (f + k1 * (1 - b + b * length / average))`. N, n and the average are counted over the live documents
//! of the view, so deleted documents and other views do not change an answer. If the view contains every document of a
//! segment, the dictionary of the segment has the count. Otherwise the postings of a term are read twice.

use tracing::debug_span;

use super::columns::{Evidence, MATCHES, Marks, RowSums};
use crate::context::Context;
use crate::error::SearchError;
use crate::framed::{Framed, framed};
use crate::literal::{self, Likely, Literal, Worth};
use crate::profile::{Bm25, Bm25Fields};
use crate::query::{Query, QueryTerm};
use crate::snapshot::{NO_FILE, SearchSnapshot};
use crate::source::ReadSource;
use crate::statistics::Statistics;
use spyhop_base::model::Field;
use spyhop_base::parallel;
use spyhop_index::inverted::{IndexField, Lengths, PostingBlocks};
use spyhop_index::meta::Totals;

/// Gathers the evidence for `query` under the filter, with the literal pass. The pass over texts and the pass over names,
/// comments and paths fill different columns, so the two passes run in parallel.
pub fn collect(
    query: &Query,
    context: &Context<'_>,
    source: &ReadSource<'_>,
) -> Result<(Evidence, Literal), SearchError> {
    collect_with(query, context, |likely, worth| literal::find(query, context, source, likely, worth))
}

/// As [`collect()`], with a literal pass that `find` makes of the likely files and the scores of files.
pub(crate) fn collect_with(
    query: &Query,
    context: &Context<'_>,
    find: impl FnOnce(Option<&Likely<'_>>, &Worth<'_>) -> Result<Literal, SearchError>,
) -> Result<(Evidence, Literal), SearchError> {
    let snapshot = context.snapshot;
    let mut evidence =
        Evidence::take(snapshot.pool(), (snapshot.n_docs(), snapshot.n_files()), query.terms.len());
    let pass = PassContext {
        snapshot,
        bm25: &context.profile.bm25,
        admitted: admitted(context),
        scores: Field::ALL.map(|field| FieldScores::new(context.totals(), field, parameters(context, field))),
        totals: context.totals(),
        statistics: context.statistics,
    };
    let inner = literal::inner_terms(query, &mut context.tokenizers.take());
    let (mut texts, mut names) = passes(&pass, &mut evidence);
    let (read, defining) = parallel::join(
        snapshot.is_large(),
        || {
            let mut terms = query.terms.iter().enumerate();
            terms.try_for_each(|(place, term)| texts.term(place, term, inner & (1 << place) != 0))
        },
        || {
            let mut terms = query.terms.iter().enumerate();
            terms.try_for_each(|(place, term)| names.term(place, term))?;
            names.mark_definitions(query)
        },
    );
    read?;
    let defining = defining?;
    evidence.columns.merge_marks();
    debug_span!("search.evidence.definitions")
        .in_scope(|| pass.mark_mentions(query, &mut evidence.columns))?;
    let likely = |file: u32| evidence.columns.may_contain(snapshot, file, inner);
    let likely: Option<&Likely<'_>> = if inner != 0 { Some(&likely) } else { None };
    let worth = |file: u32| evidence.columns.file_score(file);
    let literal = debug_span!("search.literal").in_scope(|| find(likely, &worth))?;
    let Framed { files, innermost, moved } = framed(query, context);
    (evidence.framed, evidence.innermost, evidence.moved) = (files, innermost, moved);
    debug_span!("search.evidence.rows").in_scope(|| evidence.sum_up(context, &literal, defining));
    Ok((evidence, literal))
}

/// By file: whether the filter admits the file; `None` if the filter admits all files.
fn admitted(context: &Context<'_>) -> Option<Vec<bool>> {
    if context.admits_all_files() {
        return None;
    }
    let files = 0..context.snapshot.n_files() as u32;
    Some(files.map(|file| context.admits(file)).collect())
}

fn parameters(context: &Context<'_>, field: Field) -> Bm25 {
    let bm25 = &context.profile.bm25;
    match field {
        Field::Body => bm25.chunk,
        Field::Comment => bm25.comment,
        Field::Symbol => bm25.symbol,
        Field::Name => bm25.name,
        Field::Path => bm25.path,
    }
}

/// The BM25 parameters of one field.
struct FieldScores {
    /// The number of documents of the view: files or chunks.
    docs: u64,
    /// k1 + 1.
    most: f32,
    /// By the code of a length: the length normalization.
    norms: [f32; Lengths::CODES],
}

impl FieldScores {
    fn new(totals: Totals, field: Field, parameters: Bm25) -> FieldScores {
        let docs = if field.is_per_file() { totals.files } else { totals.chunks };
        let average = totals.lengths[field as usize] as f32 / docs.max(1) as f32;
        let norms =
            std::array::from_fn(|code| norm(Lengths::of_code(code as u8) as f32, average, parameters));
        FieldScores { docs, most: parameters.k1 + 1.0, norms }
    }

    fn score(&self, freq: u32, code: u8) -> f32 {
        saturation(freq as f32, self.norms[code as usize], self.most)
    }
}

/// The inputs of both passes.
struct PassContext<'p> {
    snapshot: &'p SearchSnapshot,
    bm25: &'p Bm25Fields,
    admitted: Option<Vec<bool>>,
    /// By field.
    scores: [FieldScores; Field::ALL.len()],
    totals: Totals,
    /// The statistics of all shards; `None` counts in the snapshot.
    statistics: Option<&'p Statistics>,
}

/// The postings of one term in one field, by segment, and the weighted idf of the term.
#[derive(Default)]
struct TermPostings {
    blocks: Vec<(usize, PostingBlocks)>,
    idf: f32,
}

impl TermPostings {
    fn open(
        &mut self,
        pass: &PassContext<'_>,
        field: Field,
        (place, term): (usize, &QueryTerm),
    ) -> Result<(), SearchError> {
        let snapshot = pass.snapshot;
        let reader = snapshot.index();
        self.blocks.clear();
        let known = pass.statistics.map(|statistics| statistics.chunks[place][field as usize]);
        let mut n_live = known.unwrap_or(0);
        for segment in 0..reader.segments().len() {
            let Some(blocks) = reader.blocks(segment, IndexField::Scored(field), &term.term)? else {
                continue;
            };
            if known.is_some() {
                // All shards have been counted.
            } else if snapshot.is_whole(segment) {
                n_live += blocks.count();
            } else {
                let files = snapshot.files_of(segment);
                let is_live = |doc: &&u32| files[**doc as usize] != NO_FILE;
                blocks.clone().for_each(|docs, _| n_live += docs.iter().filter(is_live).count() as u64);
            }
            self.blocks.push((segment, blocks));
        }
        let idf = if n_live == 0 { 0.0 } else { idf(pass.scores[field as usize].docs, n_live) };
        self.idf = term.weight.get() * idf;
        Ok(())
    }
}

/// The pass over the text of chunks. The frequencies are also summed for whole files.
struct PostingsPass<'t> {
    pass: &'t PassContext<'t>,
    opened: TermPostings,
    marks: &'t mut Marks,
    chunk_body: &'t mut [f32],
    body: &'t mut [f32],
    mask: &'t mut [u64],
    idf: &'t mut [f32],
}

/// The pass over names, comments and paths.
struct NamePass<'n> {
    pass: &'n PassContext<'n>,
    opened: TermPostings,
    marks: &'n mut Marks,
    chunk_symbol: &'n mut [f32],
    comment: &'n mut [f32],
    symbols: &'n mut [f32],
    name: &'n mut [f32],
    path: &'n mut [f32],
    first: &'n mut [u32],
    path_idf: &'n mut [f32],
    /// By field; empty for the text.
    masks: [&'n mut [u64]; Field::ALL.len()],
    defines: &'n mut [u64],
}

/// Splits the evidence into the columns that each pass fills.
fn passes<'e>(pass: &'e PassContext<'e>, evidence: &'e mut Evidence) -> (PostingsPass<'e>, NamePass<'e>) {
    let Evidence { chunk_body, chunk_symbol, columns, idf, path_idf, .. } = evidence;
    let RowSums { of_texts, of_names, comment, body, symbols, name, path, first, masks, defines, .. } =
        columns;
    let mut masks = masks.each_mut().map(Vec::as_mut_slice);
    let mask = std::mem::take(&mut masks[Field::Body as usize]);
    let texts =
        PostingsPass { pass, opened: TermPostings::default(), marks: of_texts, chunk_body, body, mask, idf };
    let names = NamePass {
        pass,
        opened: TermPostings::default(),
        marks: of_names,
        chunk_symbol,
        comment,
        symbols,
        name,
        path,
        first,
        path_idf,
        masks,
        defines,
    };
    (texts, names)
}

impl PostingsPass<'_> {
    fn term(&mut self, place: usize, term: &QueryTerm, is_inner: bool) -> Result<(), SearchError> {
        let _span = debug_span!("search.evidence.body").entered();
        let PassContext { snapshot, admitted, scores, .. } = self.pass;
        self.opened.open(self.pass, Field::Body, (place, term))?;
        let TermPostings { blocks, idf } = &mut self.opened;
        let scores = &scores[Field::Body as usize];
        let Marks { doc_marks, frequencies, .. } = &mut *self.marks;
        self.idf[place] = *idf;
        frequencies.clear();
        for (segment, blocks) in blocks {
            let base = snapshot.base(*segment) as usize;
            let files = snapshot.files_of(*segment);
            let lengths = snapshot.index().segments()[*segment].lengths(Field::Body)?;
            // The documents of a file are adjacent, so each file occurs once.
            let (mut open, mut sum, mut takes) = (NO_FILE, 0, false);
            blocks.for_each(|docs, freqs| {
                for (&doc, &freq) in docs.iter().zip(freqs) {
                    let file = files[doc as usize];
                    if file != open {
                        if open != NO_FILE {
                            frequencies.push((open, sum));
                        }
                        (open, sum) = (file, 0);
                        takes = is_admitted(admitted, file);
                    }
                    sum += freq;
                    if takes {
                        let at = base + doc as usize;
                        self.chunk_body[at] += *idf * scores.score(freq, lengths.code(doc));
                        doc_marks[at] = (doc_marks[at] | MATCHES) + is_inner as u8;
                    }
                }
            });
            if open != NO_FILE {
                frequencies.push((open, sum));
            }
        }
        self.pass.score_files((place, term.weight.get()), Field::Body, self.marks, self.body, self.mask);
        Ok(())
    }
}

impl NamePass<'_> {
    fn term(&mut self, place: usize, term: &QueryTerm) -> Result<(), SearchError> {
        debug_span!("search.evidence.symbol").in_scope(|| self.score_chunks(place, Field::Symbol, term))?;
        debug_span!("search.evidence.comment").in_scope(|| self.score_chunks(place, Field::Comment, term))?;
        debug_span!("search.evidence.name").in_scope(|| self.score_paths(place, Field::Name, term))?;
        debug_span!("search.evidence.path").in_scope(|| self.score_paths(place, Field::Path, term))
    }

    /// Scores the symbols or comments of chunks for one term.
    fn score_chunks(&mut self, place: usize, field: Field, term: &QueryTerm) -> Result<(), SearchError> {
        let PassContext { snapshot, admitted, scores, .. } = self.pass;
        self.opened.open(self.pass, field, (place, term))?;
        let TermPostings { blocks, idf } = &mut self.opened;
        let scores = &scores[field as usize];
        let sums = if field == Field::Symbol { &mut *self.chunk_symbol } else { &mut *self.comment };
        let Marks { doc_marks, file_marks, frequencies } = &mut *self.marks;
        frequencies.clear();
        let mask = &mut *self.masks[field as usize];
        for (segment, blocks) in blocks {
            let base = snapshot.base(*segment) as usize;
            let files = snapshot.files_of(*segment);
            let lengths = snapshot.index().segments()[*segment].lengths(field)?;
            blocks.for_each(|docs, freqs| {
                for (&doc, &freq) in docs.iter().zip(freqs) {
                    let file = files[doc as usize];
                    if is_admitted(admitted, file) {
                        let at = base + doc as usize;
                        sums[at] += *idf * scores.score(freq, lengths.code(doc));
                        doc_marks[at] |= MATCHES;
                        mask[file as usize] |= 1 << place;
                        file_marks[file as usize] = 1;
                    }
                    if field == Field::Symbol && file != NO_FILE {
                        match frequencies.last_mut() {
                            Some((last, sum)) if *last == file => *sum += freq,
                            _ => frequencies.push((file, freq)),
                        }
                    }
                }
            });
        }
        if field == Field::Symbol {
            self.pass.score_files((place, term.weight.get()), field, self.marks, self.symbols, mask);
        }
        Ok(())
    }

    /// Scores file names or paths for one term. The index stores these with the first chunk of a file.
    fn score_paths(&mut self, place: usize, field: Field, term: &QueryTerm) -> Result<(), SearchError> {
        let PassContext { snapshot, admitted, scores, .. } = self.pass;
        self.opened.open(self.pass, field, (place, term))?;
        let TermPostings { blocks, idf } = &mut self.opened;
        self.path_idf[place] = self.path_idf[place].max(*idf);
        let scores = &scores[field as usize];
        let sums = if field == Field::Name { &mut *self.name } else { &mut *self.path };
        let mask = &mut *self.masks[field as usize];
        for (segment, blocks) in blocks {
            let base = snapshot.base(*segment);
            let files = snapshot.files_of(*segment);
            let lengths = snapshot.index().segments()[*segment].lengths(field)?;
            blocks.for_each(|docs, freqs| {
                for (&doc, &freq) in docs.iter().zip(freqs) {
                    let file = files[doc as usize];
                    if is_admitted(admitted, file) {
                        sums[file as usize] += *idf * scores.score(freq, lengths.code(doc));
                        mask[file as usize] |= 1 << place;
                        self.first[file as usize] = base + doc + 1;
                        self.marks.file_marks[file as usize] = 1;
                    }
                }
            });
        }
        Ok(())
    }

    /// Marks the files that define a name of the query as written. Returns a chunk for each definition.
    fn mark_definitions(&mut self, query: &Query) -> Result<Vec<u32>, SearchError> {
        let _span = debug_span!("search.evidence.definitions").entered();
        let PassContext { snapshot, admitted, .. } = self.pass;
        let Marks { doc_marks, file_marks, .. } = &mut *self.marks;
        let mut defining = Vec::new();
        let reader = snapshot.index();
        for (place, name) in query.names.iter().enumerate() {
            for segment in 0..reader.segments().len() {
                let base = snapshot.base(segment);
                let files = snapshot.files_of(segment);
                reader.postings(segment, IndexField::Definition, name, |doc, _| {
                    let file = files[doc as usize];
                    if is_admitted(admitted, file) {
                        self.defines[file as usize] |= 1 << place;
                        file_marks[file as usize] = 1;
                        doc_marks[(base + doc) as usize] |= MATCHES;
                        defining.push(base + doc);
                    }
                })?;
            }
        }
        Ok(defining)
    }
}

impl PassContext<'_> {
    /// Scores whole files by the frequencies of one term. The term has a position in the query and a weight.
    fn score_files(
        &self,
        (place, weight): (usize, f32),
        field: Field,
        Marks { file_marks, frequencies, .. }: &mut Marks,
        sums: &mut [f32],
        mask: &mut [u64],
    ) {
        let totals = self.totals;
        let average = totals.lengths[field as usize] as f32 / totals.files.max(1) as f32;
        let parameters = if field == Field::Symbol { self.bm25.symbols } else { self.bm25.file };
        let n_files =
            self.statistics.map_or(frequencies.len() as u64, |known| known.files_with(field, place));
        let idf = weight * idf(totals.files, n_files);
        for &(file, freq) in frequencies.iter() {
            if self.admitted.as_ref().is_none_or(|admitted| admitted[file as usize]) {
                let len = self.snapshot.length(field, file) as f32;
                let at = file as usize;
                sums[at] +=
                    idf * saturation(freq as f32, norm(len, average, parameters), parameters.k1 + 1.0);
                mask[at] |= 1 << place;
                file_marks[at] = 1;
            }
        }
    }

    /// Marks the files that contain a name of the query as written.
    fn mark_mentions(&self, query: &Query, columns: &mut RowSums) -> Result<(), SearchError> {
        let reader = self.snapshot.index();
        let RowSums { mentions, of_texts: Marks { file_marks, .. }, .. } = columns;
        for (place, name) in query.names.iter().enumerate() {
            for segment in 0..reader.segments().len() {
                let files = self.snapshot.files_of(segment);
                reader.postings(segment, IndexField::Word, name, |doc, _| {
                    let file = files[doc as usize];
                    // Mentions alone do not make a file match.
                    if is_admitted(&self.admitted, file) && file_marks[file as usize] != 0 {
                        mentions[file as usize] |= 1 << place;
                    }
                })?;
            }
        }
        Ok(())
    }
}

impl RowSums {
    /// Merges the marks of both passes.
    fn merge_marks(&mut self) {
        let RowSums { of_texts, of_names, .. } = self;
        let marks = [
            (&mut of_texts.doc_marks, &of_names.doc_marks),
            (&mut of_texts.file_marks, &of_names.file_marks),
        ];
        for (of_texts, of_names) in marks {
            of_texts.iter_mut().zip(of_names).for_each(|(marks, other)| *marks |= *other);
        }
    }

    /// The score of a file as a whole.
    fn file_score(&self, file: u32) -> f32 {
        let at = file as usize;
        self.body[at] + self.symbols[at] + self.name[at] + self.path[at]
    }

    /// Whether a file may contain the query as written, by the `inner` terms. The text of the file must contain all of
    /// them, and one chunk as many, or two adjacent chunks that share a line.
    fn may_contain(&self, snapshot: &SearchSnapshot, file: u32, inner: u64) -> bool {
        if self.masks[Field::Body as usize][file as usize] & inner != inner {
            return false;
        }
        let n_inner = inner.count_ones() as u8;
        let docs = snapshot.docs(file);
        let doc_marks = &self.of_texts.doc_marks[docs.start as usize..docs.end as usize];
        let mut before = 0;
        docs.clone().zip(doc_marks).any(|(doc, doc_marks)| {
            let held = doc_marks & !MATCHES;
            let both = before + held;
            before = held;
            held >= n_inner || (both >= n_inner && doc > docs.start && snapshot.shares_line(doc))
        })
    }
}

fn is_admitted(admitted: &Option<Vec<bool>>, file: u32) -> bool {
    file != NO_FILE && admitted.as_ref().is_none_or(|admitted| admitted[file as usize])
}

/// The idf of a term that `n` of `total` documents contain.
pub(super) fn idf(total: u64, n: u64) -> f32 {
    // One commit writes the totals of a view and its postings; `max` is a guard for an index that lost a document.
    let total = total.max(n) as f32;
    (1.0 + (total - n as f32 + 0.5) / (n as f32 + 0.5)).ln()
}

/// The term frequency after saturation; `most` is k1 + 1.
fn saturation(freq: f32, norm: f32, most: f32) -> f32 {
    freq * most / (freq + norm)
}

fn norm(len: f32, average: f32, Bm25 { k1, b }: Bm25) -> f32 {
    k1 * (1.0 - b + b * len / average.max(1e-6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bm25_by_hand() {
        assert!((idf(10, 2) - (1.0f32 + 8.5 / 2.5).ln()).abs() < 1e-6);
        let parameters = Bm25 { k1: 1.2, b: 0.75 };
        let score = |len| saturation(2.0, norm(len, 10.0, parameters), 2.2);
        assert!((score(10.0) - 2.0 * 2.2 / 3.2).abs() < 1e-6);
        assert!(score(20.0) < score(10.0));
    }
}
