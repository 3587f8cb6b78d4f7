//! For each query term one pass over each field, for all files at once.
//!
//! BM25 (Robertson and Zaragoza 2009, with Lucene's idf, ln(1 + (N - n + 0.5) / (n + 0.5))): a term adds
//! idf * f * (k1 + 1) / (f + k1 * (1 - b + b * length / average)). N, n and the average are those of the view: only
//! its live documents are counted, so neither a deleted document nor another view's can change an answer. Where the
//! view holds a segment whole, the dictionary knows the count; elsewhere a term's postings are read twice.

use tracing::debug_span;

use super::{Columns, Evidence, Marks, SEEN};
use crate::index::{Blocks, IndexField, Lengths};
use crate::model::Field;
use crate::parallel;
use crate::profile::{Bm25, Bm25Fields};
use crate::query::{Query, QueryTerm};
use crate::search::corpus::{Corpus, NO_FILE};
use crate::search::framed::framed;
use crate::search::literal::{self, Literal};
use crate::search::{Context, ReadSource, SearchError};

/// Gathers the evidence for `query` under the filter, the literal pass among it. What texts say and what names and
/// comments say is kept in columns of its own, so the two passes can go side by side.
pub fn gather(
    query: &Query,
    context: &Context<'_>,
    source: &ReadSource<'_>,
) -> Result<(Evidence, Literal), SearchError> {
    let corpus = context.corpus;
    let mut evidence = Evidence::take(corpus, query.terms.len());
    let pass = Pass {
        corpus,
        bm25: &context.profile.bm25,
        admitted: admitted(context),
        scores: Field::ALL.map(|field| Scores::new(corpus, field, parameters(context, field))),
    };
    let inner = literal::inner_terms(query, &mut context.tokenizers.take());
    let (mut texts, mut names) = passes(&pass, &mut evidence);
    let (read, defining) = parallel::join(
        corpus.is_large(),
        || {
            let mut terms = query.terms.iter().enumerate();
            terms.try_for_each(|(place, term)| texts.term(place, term, inner & (1 << place) != 0))
        },
        || {
            let mut terms = query.terms.iter().enumerate();
            terms.try_for_each(|(place, term)| names.term(place, term))?;
            names.all_defined(query)
        },
    );
    read?;
    let defining = defining?;
    evidence.columns.join();
    debug_span!("search.evidence.definitions").in_scope(|| pass.mentioned(query, &mut evidence.columns))?;
    let likely = |file: u32| evidence.columns.holds(corpus, file, inner);
    let likely: Option<&literal::Likely<'_>> = if inner != 0 { Some(&likely) } else { None };
    let worth = |file: u32| evidence.columns.worth(file);
    let literal =
        debug_span!("search.literal").in_scope(|| literal::find(query, context, source, likely, &worth))?;
    evidence.framed = framed(query, context);
    debug_span!("search.evidence.rows").in_scope(|| evidence.sum_up(context, &literal, defining));
    Ok((evidence, literal))
}

/// Which files the filter lets through; `None` for all.
fn admitted(context: &Context<'_>) -> Option<Vec<bool>> {
    if context.filter.takes_all_files() {
        return None;
    }
    let files = 0..context.corpus.n_files() as u32;
    let take = |file| {
        let version = context.corpus.version(file);
        context.filter.takes_file(version.path(), version.language())
    };
    Some(files.map(take).collect())
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

/// BM25 in one field.
struct Scores {
    /// How many documents the view holds.
    docs: u64,
    /// k1 + 1.
    most: f32,
    /// What length adds to a frequency, by the code of the length.
    norms: [f32; Lengths::CODES],
}

impl Scores {
    fn new(corpus: &Corpus, field: Field, parameters: Bm25) -> Scores {
        let totals = corpus.totals();
        let docs = if field.is_per_file() { totals.files } else { totals.chunks };
        let average = totals.lengths[field as usize] as f32 / docs.max(1) as f32;
        let norms =
            std::array::from_fn(|code| norm(Lengths::of_code(code as u8) as f32, average, parameters));
        Scores { docs, most: parameters.k1 + 1.0, norms }
    }

    fn of(&self, freq: u32, code: u8) -> f32 {
        saturation(freq as f32, self.norms[code as usize], self.most)
    }
}

/// What both passes need.
struct Pass<'p> {
    corpus: &'p Corpus,
    bm25: &'p Bm25Fields,
    admitted: Option<Vec<bool>>,
    /// By field.
    scores: [Scores; Field::ALL.len()],
}

/// The postings of one term in one field: those of each segment that has any, and the term's idf.
#[derive(Default)]
struct Opened {
    blocks: Vec<(usize, Blocks)>,
    idf: f32,
}

impl Opened {
    fn open(&mut self, pass: &Pass<'_>, field: Field, term: &QueryTerm) -> Result<(), SearchError> {
        let corpus = pass.corpus;
        let reader = &corpus.committed().reader;
        self.blocks.clear();
        let mut n_live = 0;
        for segment in 0..reader.segments().len() {
            let Some(blocks) = reader.blocks(segment, IndexField::Scored(field), &term.term)? else {
                continue;
            };
            if corpus.is_whole(segment) {
                n_live += blocks.count();
            } else {
                let files = corpus.files_of(segment);
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

/// The pass over the text of chunks and, by the same postings, of whole files.
struct Texts<'t> {
    pass: &'t Pass<'t>,
    opened: Opened,
    marks: &'t mut Marks,
    chunk_body: &'t mut [f32],
    body: &'t mut [f32],
    mask: &'t mut [u64],
    idf: &'t mut [f32],
}

/// The pass over what stands beside the text: names, comments, paths.
struct Names<'n> {
    pass: &'n Pass<'n>,
    opened: Opened,
    marks: &'n mut Marks,
    chunk_symbol: &'n mut [f32],
    comment: &'n mut [f32],
    symbols: &'n mut [f32],
    name: &'n mut [f32],
    path: &'n mut [f32],
    first: &'n mut [u32],
    /// By field; nothing for the text.
    masks: [&'n mut [u64]; Field::ALL.len()],
    defines: &'n mut [u64],
}

/// The two passes, each with the columns that it fills.
fn passes<'e>(pass: &'e Pass<'e>, evidence: &'e mut Evidence) -> (Texts<'e>, Names<'e>) {
    let Evidence { chunk_body, chunk_symbol, columns, idf, .. } = evidence;
    let Columns { of_texts, of_names, comment, body, symbols, name, path, first, masks, defines, .. } =
        columns;
    let mut masks = masks.each_mut().map(Vec::as_mut_slice);
    let mask = std::mem::take(&mut masks[Field::Body as usize]);
    let texts = Texts { pass, opened: Opened::default(), marks: of_texts, chunk_body, body, mask, idf };
    let names = Names {
        pass,
        opened: Opened::default(),
        marks: of_names,
        chunk_symbol,
        comment,
        symbols,
        name,
        path,
        first,
        masks,
        defines,
    };
    (texts, names)
}

impl Texts<'_> {
    fn term(&mut self, place: usize, term: &QueryTerm, is_inner: bool) -> Result<(), SearchError> {
        let _span = debug_span!("search.evidence.body").entered();
        let Pass { corpus, admitted, scores, .. } = self.pass;
        self.opened.open(self.pass, Field::Body, term)?;
        let Opened { blocks, idf } = &mut self.opened;
        let scores = &scores[Field::Body as usize];
        let Marks { seen, frequencies, .. } = &mut *self.marks;
        self.idf[place] = *idf;
        frequencies.clear();
        for (segment, blocks) in blocks {
            let base = corpus.base(*segment) as usize;
            let files = corpus.files_of(*segment);
            let lengths = corpus.committed().reader.segments()[*segment].lengths(Field::Body)?;
            // A file's documents stand together, so each file comes once.
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
                        self.chunk_body[at] += *idf * scores.of(freq, lengths.code(doc));
                        seen[at] = (seen[at] | SEEN) + is_inner as u8;
                    }
                }
            });
            if open != NO_FILE {
                frequencies.push((open, sum));
            }
        }
        self.pass.whole_files((place, term.weight.get()), Field::Body, self.marks, self.body, self.mask);
        Ok(())
    }
}

impl Names<'_> {
    fn term(&mut self, place: usize, term: &QueryTerm) -> Result<(), SearchError> {
        debug_span!("search.evidence.symbol").in_scope(|| self.of_chunks(place, Field::Symbol, term))?;
        debug_span!("search.evidence.comment").in_scope(|| self.of_chunks(place, Field::Comment, term))?;
        debug_span!("search.evidence.name").in_scope(|| self.of_place(place, Field::Name, term))?;
        debug_span!("search.evidence.path").in_scope(|| self.of_place(place, Field::Path, term))
    }

    /// What stands on any chunk beside its text.
    fn of_chunks(&mut self, place: usize, field: Field, term: &QueryTerm) -> Result<(), SearchError> {
        let Pass { corpus, admitted, scores, .. } = self.pass;
        self.opened.open(self.pass, field, term)?;
        let Opened { blocks, idf } = &mut self.opened;
        let scores = &scores[field as usize];
        let sums = if field == Field::Symbol { &mut *self.chunk_symbol } else { &mut *self.comment };
        let Marks { seen, touched, frequencies } = &mut *self.marks;
        frequencies.clear();
        let mask = &mut *self.masks[field as usize];
        for (segment, blocks) in blocks {
            let base = corpus.base(*segment) as usize;
            let files = corpus.files_of(*segment);
            let lengths = corpus.committed().reader.segments()[*segment].lengths(field)?;
            blocks.for_each(|docs, freqs| {
                for (&doc, &freq) in docs.iter().zip(freqs) {
                    let file = files[doc as usize];
                    if is_admitted(admitted, file) {
                        let at = base + doc as usize;
                        sums[at] += *idf * scores.of(freq, lengths.code(doc));
                        seen[at] |= SEEN;
                        mask[file as usize] |= 1 << place;
                        touched[file as usize] = 1;
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
            self.pass.whole_files((place, term.weight.get()), field, self.marks, self.symbols, mask);
        }
        Ok(())
    }

    /// What stands on a file's first chunk only.
    fn of_place(&mut self, place: usize, field: Field, term: &QueryTerm) -> Result<(), SearchError> {
        let Pass { corpus, admitted, scores, .. } = self.pass;
        self.opened.open(self.pass, field, term)?;
        let Opened { blocks, idf } = &mut self.opened;
        let scores = &scores[field as usize];
        let sums = if field == Field::Name { &mut *self.name } else { &mut *self.path };
        let mask = &mut *self.masks[field as usize];
        for (segment, blocks) in blocks {
            let base = corpus.base(*segment);
            let files = corpus.files_of(*segment);
            let lengths = corpus.committed().reader.segments()[*segment].lengths(field)?;
            blocks.for_each(|docs, freqs| {
                for (&doc, &freq) in docs.iter().zip(freqs) {
                    let file = files[doc as usize];
                    if is_admitted(admitted, file) {
                        sums[file as usize] += *idf * scores.of(freq, lengths.code(doc));
                        mask[file as usize] |= 1 << place;
                        self.first[file as usize] = base + doc + 1;
                        self.marks.touched[file as usize] = 1;
                    }
                }
            });
        }
        Ok(())
    }

    /// Files that define a name of the query as written; a chunk for each name that it defines.
    fn all_defined(&mut self, query: &Query) -> Result<Vec<u32>, SearchError> {
        let _span = debug_span!("search.evidence.definitions").entered();
        let Pass { corpus, admitted, .. } = self.pass;
        let Marks { seen, touched, .. } = &mut *self.marks;
        let mut defining = Vec::new();
        let reader = &corpus.committed().reader;
        for (place, name) in query.names.iter().enumerate() {
            for segment in 0..reader.segments().len() {
                let base = corpus.base(segment);
                let files = corpus.files_of(segment);
                reader.postings(segment, IndexField::Definition, name, |doc, _| {
                    let file = files[doc as usize];
                    if is_admitted(admitted, file) {
                        self.defines[file as usize] |= 1 << place;
                        touched[file as usize] = 1;
                        seen[(base + doc) as usize] |= SEEN;
                        defining.push(base + doc);
                    }
                })?;
            }
        }
        Ok(defining)
    }
}

impl Pass<'_> {
    /// The text or names of whole files, from the frequencies of a term, which has a place in the query and a weight.
    fn whole_files(
        &self,
        (place, weight): (usize, f32),
        field: Field,
        Marks { touched, frequencies, .. }: &mut Marks,
        sums: &mut [f32],
        mask: &mut [u64],
    ) {
        let totals = self.corpus.totals();
        let average = totals.lengths[field as usize] as f32 / totals.files.max(1) as f32;
        let parameters = if field == Field::Symbol { self.bm25.symbols } else { self.bm25.file };
        let idf = weight * idf(totals.files, frequencies.len() as u64);
        for &(file, freq) in frequencies.iter() {
            if self.admitted.as_ref().is_none_or(|admitted| admitted[file as usize]) {
                let len = self.corpus.length(field, file) as f32;
                let at = file as usize;
                sums[at] +=
                    idf * saturation(freq as f32, norm(len, average, parameters), parameters.k1 + 1.0);
                mask[at] |= 1 << place;
                touched[at] = 1;
            }
        }
    }

    /// Files that contain a name of the query as written.
    fn mentioned(&self, query: &Query, columns: &mut Columns) -> Result<(), SearchError> {
        let reader = &self.corpus.committed().reader;
        let Columns { mentions, of_texts: Marks { touched, .. }, .. } = columns;
        for (place, name) in query.names.iter().enumerate() {
            for segment in 0..reader.segments().len() {
                let files = self.corpus.files_of(segment);
                reader.postings(segment, IndexField::Word, name, |doc, _| {
                    let file = files[doc as usize];
                    // Only what matches otherwise is ranked: this is no list of its own.
                    if is_admitted(&self.admitted, file) && touched[file as usize] != 0 {
                        mentions[file as usize] |= 1 << place;
                    }
                })?;
            }
        }
        Ok(())
    }
}

impl Columns {
    /// Brings the marks of both passes together.
    fn join(&mut self) {
        let Columns { of_texts, of_names, .. } = self;
        let marks = [(&mut of_texts.seen, &of_names.seen), (&mut of_texts.touched, &of_names.touched)];
        for (own, others) in marks {
            own.iter_mut().zip(others).for_each(|(own, other)| *own |= *other);
        }
    }

    /// How well a file matches as a whole.
    fn worth(&self, file: u32) -> f32 {
        let at = file as usize;
        self.body[at] + self.symbols[at] + self.name[at] + self.path[at]
    }

    /// Whether the text of a file holds the `inner` terms, and a chunk of it as many of them, or two that follow each
    /// other and share a line as many together.
    fn holds(&self, corpus: &Corpus, file: u32, inner: u64) -> bool {
        if self.masks[Field::Body as usize][file as usize] & inner != inner {
            return false;
        }
        let n_inner = inner.count_ones() as u8;
        let docs = corpus.docs(file);
        let seen = &self.of_texts.seen[docs.start as usize..docs.end as usize];
        let mut before = 0;
        docs.clone().zip(seen).any(|(doc, seen)| {
            let held = seen & !SEEN;
            let both = before + held;
            before = held;
            held >= n_inner || (both >= n_inner && doc > docs.start && corpus.shares_line(doc))
        })
    }
}

fn is_admitted(admitted: &Option<Vec<bool>>, file: u32) -> bool {
    file != NO_FILE && admitted.as_ref().is_none_or(|admitted| admitted[file as usize])
}

/// How rare a term is: `n` of `total` documents hold it.
fn idf(total: u64, n: u64) -> f32 {
    // A view's sums and its postings are written by one commit; the guard is for an index that lost a document.
    let total = total.max(n) as f32;
    (1.0 + (total - n as f32 + 0.5) / (n as f32 + 0.5)).ln()
}

/// What a frequency gives, with k1 + 1 as `most`.
fn saturation(freq: f32, norm: f32, most: f32) -> f32 {
    freq * most / (freq + norm)
}

/// What a length adds to a frequency.
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
