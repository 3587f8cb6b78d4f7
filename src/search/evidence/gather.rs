//! For each query term one pass over each field, for all files at once.
//!
//! BM25 (Robertson and Zaragoza 2009, with Lucene's idf, ln(1 + (N - n + 0.5) / (n + 0.5))): a term adds
//! idf * f * (k1 + 1) / (f + k1 * (1 - b + b * length / average)). N, n and the average are those of the view: only
//! its live documents are counted, so neither a deleted document nor another view's can change an answer. Where the
//! view holds a segment whole, the dictionary knows the count; elsewhere a term's postings are read twice.

use tracing::debug_span;

use super::{Columns, Evidence, SEEN};
use crate::index::{Blocks, IndexField, Lengths};
use crate::model::Field;
use crate::profile::Bm25;
use crate::query::Query;
use crate::search::corpus::{Corpus, NO_FILE};
use crate::search::literal::{self, Literal};
use crate::search::{Context, SearchError};

/// Gathers the evidence for `query` under the filter, the literal pass among it.
pub fn gather(query: &Query, context: &Context<'_>) -> Result<(Evidence, Literal), SearchError> {
    let corpus = context.corpus;
    let mut gathering = Gathering {
        context,
        corpus,
        admitted: admitted(context),
        evidence: Evidence::take(corpus, query.terms.len()),
        scores: Field::ALL.map(|field| Scores::new(corpus, field, parameters(context, field))),
        blocks: Vec::new(),
        defining: Vec::new(),
    };
    let inner = literal::inner_terms(query, &mut context.tokenizer.borrow_mut());
    for (place, term) in query.terms.iter().enumerate() {
        gathering.term(place, &term.term, inner & (1 << place) != 0)?;
    }
    for (place, name) in query.names.iter().enumerate() {
        debug_span!("search.evidence.definitions").in_scope(|| {
            gathering.defined(place, name)?;
            gathering.mentioned(place, name)
        })?;
    }
    let n_inner = inner.count_ones() as u8;
    let likely = |file: u32| gathering.holds(file, n_inner);
    let likely: Option<&literal::Likely<'_>> = if n_inner > 0 { Some(&likely) } else { None };
    let worth = |file: u32| gathering.worth(file);
    let literal = debug_span!("search.literal").in_scope(|| literal::find(query, context, likely, &worth))?;
    let Gathering { mut evidence, defining, .. } = gathering;
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

struct Gathering<'g> {
    context: &'g Context<'g>,
    corpus: &'g Corpus,
    admitted: Option<Vec<bool>>,
    evidence: Evidence,
    /// By field.
    scores: [Scores; Field::ALL.len()],
    /// Of one term and field: the postings of each segment that has any.
    blocks: Vec<(usize, Blocks)>,
    /// A chunk for each name of the query that it defines.
    defining: Vec<u32>,
}

impl Gathering<'_> {
    fn term(&mut self, place: usize, term: &str, is_inner: bool) -> Result<(), SearchError> {
        debug_span!("search.evidence.body").in_scope(|| self.body(place, term, is_inner))?;
        debug_span!("search.evidence.symbol")
            .in_scope(|| self.names_or_comments(place, Field::Symbol, term))?;
        debug_span!("search.evidence.comment")
            .in_scope(|| self.names_or_comments(place, Field::Comment, term))?;
        debug_span!("search.evidence.name").in_scope(|| self.place(place, Field::Name, term))?;
        debug_span!("search.evidence.path").in_scope(|| self.place(place, Field::Path, term))
    }

    /// Opens the postings of a term and gives its idf.
    fn open(&mut self, field: Field, term: &str) -> Result<f32, SearchError> {
        let corpus = self.corpus;
        let reader = &corpus.committed().reader;
        self.blocks.clear();
        let mut n_live = 0;
        for segment in 0..reader.segments().len() {
            let Some(blocks) = reader.blocks(segment, IndexField::Scored(field), term)? else { continue };
            if corpus.is_whole(segment) {
                n_live += blocks.count();
            } else {
                let files = corpus.files_of(segment);
                let is_live = |doc: &&u32| files[**doc as usize] != NO_FILE;
                blocks.clone().for_each(|docs, _| n_live += docs.iter().filter(is_live).count() as u64);
            }
            self.blocks.push((segment, blocks));
        }
        Ok(if n_live == 0 { 0.0 } else { idf(self.scores[field as usize].docs, n_live) })
    }

    /// The text of chunks and, from the same postings, of whole files.
    fn body(&mut self, place: usize, term: &str, is_inner: bool) -> Result<(), SearchError> {
        let idf_of_chunks = self.open(Field::Body, term)?;
        let scores = &self.scores[Field::Body as usize];
        let admitted = self.admitted.as_deref();
        let Evidence { chunk_body, columns, idf: idfs, .. } = &mut self.evidence;
        let Columns { seen, frequencies, .. } = columns;
        idfs[place] = idf_of_chunks;
        frequencies.clear();
        for (segment, blocks) in &mut self.blocks {
            let base = self.corpus.base(*segment) as usize;
            let files = self.corpus.files_of(*segment);
            let lengths = self.corpus.committed().reader.segments()[*segment].lengths(Field::Body)?;
            // A file's documents stand together, so each file comes once.
            let (mut open, mut sum, mut is_admitted) = (NO_FILE, 0, false);
            blocks.for_each(|docs, freqs| {
                for (&doc, &freq) in docs.iter().zip(freqs) {
                    let file = files[doc as usize];
                    if file != open {
                        if open != NO_FILE {
                            frequencies.push((open, sum));
                        }
                        (open, sum) = (file, 0);
                        is_admitted =
                            file != NO_FILE && admitted.is_none_or(|admitted| admitted[file as usize]);
                    }
                    sum += freq;
                    if is_admitted {
                        let at = base + doc as usize;
                        chunk_body[at] += idf_of_chunks * scores.of(freq, lengths.code(doc));
                        seen[at] = (seen[at] | SEEN) + is_inner as u8;
                    }
                }
            });
            if open != NO_FILE {
                frequencies.push((open, sum));
            }
        }
        self.whole_files(place, Field::Body);
        Ok(())
    }

    /// The text or names of whole files, from the frequencies of a term.
    fn whole_files(&mut self, place: usize, field: Field) {
        let totals = self.corpus.totals();
        let average = totals.lengths[field as usize] as f32 / totals.files.max(1) as f32;
        let bm25 = &self.context.profile.bm25;
        let Columns { body, symbols, masks, touched, frequencies, .. } = &mut self.evidence.columns;
        let (sums, parameters) = match field {
            Field::Symbol => (symbols, bm25.symbols),
            _ => (body, bm25.file),
        };
        let idf = idf(totals.files, frequencies.len() as u64);
        let mask = &mut masks[field as usize];
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

    /// What stands on any chunk beside its text.
    fn names_or_comments(&mut self, place: usize, field: Field, term: &str) -> Result<(), SearchError> {
        let idf = self.open(field, term)?;
        let scores = &self.scores[field as usize];
        let Evidence { chunk_symbol, columns, .. } = &mut self.evidence;
        let Columns { comment, seen, masks, touched, frequencies, .. } = columns;
        let sums = if field == Field::Symbol { chunk_symbol } else { comment };
        frequencies.clear();
        let mask = &mut masks[field as usize];
        for (segment, blocks) in &mut self.blocks {
            let base = self.corpus.base(*segment) as usize;
            let files = self.corpus.files_of(*segment);
            let lengths = self.corpus.committed().reader.segments()[*segment].lengths(field)?;
            blocks.for_each(|docs, freqs| {
                for (&doc, &freq) in docs.iter().zip(freqs) {
                    let file = files[doc as usize];
                    if is_admitted(&self.admitted, file) {
                        let at = base + doc as usize;
                        sums[at] += idf * scores.of(freq, lengths.code(doc));
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
            self.whole_files(place, Field::Symbol);
        }
        Ok(())
    }

    /// What stands on a file's first chunk only.
    fn place(&mut self, place: usize, field: Field, term: &str) -> Result<(), SearchError> {
        let idf = self.open(field, term)?;
        let scores = &self.scores[field as usize];
        let Columns { name, path, first, masks, touched, .. } = &mut self.evidence.columns;
        let sums = if field == Field::Name { name } else { path };
        let mask = &mut masks[field as usize];
        for (segment, blocks) in &mut self.blocks {
            let base = self.corpus.base(*segment);
            let files = self.corpus.files_of(*segment);
            let lengths = self.corpus.committed().reader.segments()[*segment].lengths(field)?;
            blocks.for_each(|docs, freqs| {
                for (&doc, &freq) in docs.iter().zip(freqs) {
                    let file = files[doc as usize];
                    if is_admitted(&self.admitted, file) {
                        sums[file as usize] += idf * scores.of(freq, lengths.code(doc));
                        mask[file as usize] |= 1 << place;
                        first[file as usize] = base + doc + 1;
                        touched[file as usize] = 1;
                    }
                }
            });
        }
        Ok(())
    }

    /// Files that define a name of the query as written.
    fn defined(&mut self, place: usize, name: &str) -> Result<(), SearchError> {
        let reader = &self.corpus.committed().reader;
        let Columns { seen, defines, touched, .. } = &mut self.evidence.columns;
        for segment in 0..reader.segments().len() {
            let base = self.corpus.base(segment);
            let files = self.corpus.files_of(segment);
            reader.postings(segment, IndexField::Definition, name, |doc, _| {
                let file = files[doc as usize];
                if is_admitted(&self.admitted, file) {
                    defines[file as usize] |= 1 << place;
                    touched[file as usize] = 1;
                    seen[(base + doc) as usize] |= SEEN;
                    self.defining.push(base + doc);
                }
            })?;
        }
        Ok(())
    }

    /// Files that contain a name of the query as written.
    fn mentioned(&mut self, place: usize, name: &str) -> Result<(), SearchError> {
        let reader = &self.corpus.committed().reader;
        let Columns { mentions, touched, .. } = &mut self.evidence.columns;
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
        Ok(())
    }

    /// How well a file matches as a whole.
    fn worth(&self, file: u32) -> f32 {
        let Columns { body, symbols, name, path, .. } = &self.evidence.columns;
        let at = file as usize;
        body[at] + symbols[at] + name[at] + path[at]
    }

    /// Whether a chunk of a file holds `n_inner` inner terms, or two that follow each other and share a line as many
    /// together.
    fn holds(&self, file: u32, n_inner: u8) -> bool {
        let docs = self.corpus.docs(file);
        let seen = &self.evidence.columns.seen[docs.start as usize..docs.end as usize];
        let mut before = 0;
        docs.clone().zip(seen).any(|(doc, seen)| {
            let held = seen & !SEEN;
            let both = before + held;
            before = held;
            held >= n_inner || (both >= n_inner && doc > docs.start && self.corpus.shares_line(doc))
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
