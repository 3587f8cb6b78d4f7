//! What the postings say: for each query term one pass over each field, for all files at once.
//!
//! BM25 (Robertson and Zaragoza 2009, with Lucene's idf, ln(1 + (N - n + 0.5) / (n + 0.5))): a term adds
//! idf * f * (k1 + 1) / (f + k1 * (1 - b + b * length / average)). N, n and the average are those of the view: only
//! its live documents are counted, so neither a deleted document nor another view's can change an answer.

use super::corpus::{Corpus, NO_FILE};
use super::literal::Literal;
use super::{Context, SearchError};
use crate::index::IndexField;
use crate::model::Field;
use crate::profile::Bm25;
use crate::query::Query;

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
    /// The greatest share of the query's idf that one chunk holds.
    pub chunk_cover: f32,
    /// BM25 of its best chunk's symbols.
    pub symbol: f32,
    /// BM25 of all names that it defines.
    pub symbols: f32,
    /// BM25 of its best chunk's comments.
    pub comment: f32,
    /// BM25 of all its comments.
    pub comments: f32,
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
    /// Whether anything of it matches.
    pub touched: bool,
}

impl FileEvidence {
    /// The chunk to show.
    pub fn best(&self) -> Option<u32> {
        self.best_doc.checked_sub(1)
    }
}

/// What is known of the whole view for a query.
pub struct Evidence {
    /// By file.
    pub files: Vec<FileEvidence>,
    /// The files that match anything, increasing.
    pub touched: Vec<u32>,
    /// By chunk: BM25 of the text.
    pub chunk_body: Vec<f32>,
    /// By chunk: BM25 of its symbols.
    pub chunk_symbol: Vec<f32>,
    /// By chunk: whether it holds the query as written.
    pub literal_docs: Vec<u32>,
    /// The chunks that match, increasing.
    pub chunks: Vec<u32>,
    /// The weight of each query term: its idf in the text of chunks, scaled to sum up to 1.
    pub idf: Vec<f32>,
}

impl Evidence {
    /// The share of the query's weight that the terms of a mask have.
    pub fn idf_of(&self, mask: u64) -> f32 {
        let held = self.idf.iter().enumerate().filter(|(place, _)| mask & (1 << place) != 0);
        held.map(|(_, idf)| idf).sum()
    }
}

/// How much a chunk's symbols count beside its text when the chunk to show is chosen.
const SYMBOLS_IN_CHOICE: f32 = 0.7;

/// What a chunk gains in that choice for each name of the query that it defines; above any BM25.
const DEFINITION_IN_CHOICE: f32 = 1000.0;

/// What a chunk that holds the query as written gains; above any BM25, below a definition.
const LITERAL_IN_CHOICE: f32 = 500.0;

/// Gathers the evidence for `query` under the filter.
pub fn gather(query: &Query, context: &Context<'_>, literal: &Literal) -> Result<Evidence, SearchError> {
    let corpus = context.corpus;
    let mut gathering = Gathering {
        corpus,
        admitted: admitted(context),
        evidence: Evidence {
            files: vec![FileEvidence::default(); corpus.n_files()],
            touched: Vec::new(),
            chunk_body: vec![0.0; corpus.n_docs()],
            chunk_symbol: vec![0.0; corpus.n_docs()],
            literal_docs: literal.docs.clone(),
            chunks: Vec::new(),
            idf: vec![0.0; query.terms.len()],
        },
        chunk_comment: vec![0.0; corpus.n_docs()],
        chunk_cover: vec![0.0; corpus.n_docs()],
        defining: Vec::new(),
        chunk_seen: vec![false; corpus.n_docs()],
    };
    for (place, term) in query.terms.iter().enumerate() {
        gathering.term(place, &term.term, context)?;
    }
    for (place, name) in query.names.iter().enumerate() {
        gathering.defined(place, name)?;
        gathering.mentioned(place, name)?;
    }
    for (file, lines) in &literal.files {
        let known = &mut gathering.evidence.files[*file as usize];
        known.literal = *lines;
        known.touched = true;
    }
    gathering.choose_chunks(context)?;
    let Gathering { mut evidence, .. } = gathering;
    let total: f32 = evidence.idf.iter().sum();
    if total > 0.0 {
        evidence.idf.iter_mut().for_each(|idf| *idf /= total);
        evidence.files.iter_mut().for_each(|file| file.chunk_cover /= total);
    }
    evidence.touched =
        (0..corpus.n_files() as u32).filter(|file| evidence.files[*file as usize].touched).collect();
    Ok(evidence)
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

struct Gathering<'g> {
    corpus: &'g Corpus,
    admitted: Option<Vec<bool>>,
    evidence: Evidence,
    chunk_comment: Vec<f32>,
    chunk_cover: Vec<f32>,
    /// A chunk for each name of the query that it defines.
    defining: Vec<u32>,
    chunk_seen: Vec<bool>,
}

/// A live posting.
#[derive(Clone, Copy)]
struct Posting {
    doc: u32,
    file: u32,
    freq: u32,
    /// The length of the field there.
    len: u32,
}

impl Gathering<'_> {
    /// The live postings of a term, by segment and document.
    fn postings(&self, field: Field, term: &str) -> Result<Vec<Posting>, SearchError> {
        let files = self.corpus.files();
        let reader = &self.corpus.committed().reader;
        let mut postings = Vec::new();
        for (place, segment) in reader.segments().iter().enumerate() {
            let base = self.corpus.base(place);
            let lengths = segment.lengths(field)?;
            reader.postings(place, IndexField::Scored(field), term, |doc, freq| {
                let file = files[(base + doc) as usize];
                if file != NO_FILE {
                    postings.push(Posting { doc: base + doc, file, freq, len: lengths.of(doc) });
                }
            })?;
        }
        Ok(postings)
    }

    fn admits(&self, file: u32) -> bool {
        self.admitted.as_ref().is_none_or(|admitted| admitted[file as usize])
    }

    fn term(&mut self, place: usize, term: &str, context: &Context<'_>) -> Result<(), SearchError> {
        let bit = 1u64 << place;
        let bm25 = &context.profile.bm25;
        self.body(place, term, bm25.chunk, bm25.file)?;
        self.named(bit, term, bm25.symbol, bm25.symbols)?;
        self.said(bit, term, bm25.comment, bm25.comments)?;
        for (field, parameters) in [(Field::Name, bm25.name), (Field::Path, bm25.path)] {
            for (posting, add) in self.scored(field, term, parameters)? {
                let file = &mut self.evidence.files[posting.file as usize];
                file.touched = true;
                if field == Field::Name {
                    file.name += add;
                    file.name_mask |= bit;
                } else {
                    file.path += add;
                    file.path_mask |= bit;
                }
                // A file that matches by its path alone shows its first chunk, where the path stands.
                if file.best_doc == 0 && context.filter.kinds().is_none() {
                    file.best_doc = posting.doc + 1;
                }
            }
        }
        Ok(())
    }

    /// The names that chunks and files define.
    fn named(&mut self, bit: u64, term: &str, of_chunk: Bm25, of_file: Bm25) -> Result<(), SearchError> {
        let postings = self.postings(Field::Symbol, term)?;
        for (file, add) in self.whole_files(Field::Symbol, &postings, of_file) {
            let known = &mut self.evidence.files[file as usize];
            known.symbols += add;
            known.symbol_mask |= bit;
        }
        for (posting, add) in self.weighed(Field::Symbol, postings, of_chunk) {
            self.evidence.chunk_symbol[posting.doc as usize] += add;
            self.see(posting.doc);
        }
        Ok(())
    }

    /// The comments of chunks and files.
    fn said(&mut self, bit: u64, term: &str, of_chunk: Bm25, of_file: Bm25) -> Result<(), SearchError> {
        let postings = self.postings(Field::Comment, term)?;
        for (file, add) in self.whole_files(Field::Comment, &postings, of_file) {
            let known = &mut self.evidence.files[file as usize];
            known.comments += add;
            known.comment_mask |= bit;
        }
        for (posting, add) in self.weighed(Field::Comment, postings, of_chunk) {
            self.chunk_comment[posting.doc as usize] += add;
            self.see(posting.doc);
        }
        Ok(())
    }

    fn see(&mut self, doc: u32) {
        if !std::mem::replace(&mut self.chunk_seen[doc as usize], true) {
            self.evidence.chunks.push(doc);
        }
    }

    /// The live postings that the filter admits, with what each adds.
    fn scored(&self, field: Field, term: &str, parameters: Bm25) -> Result<Vec<(Posting, f32)>, SearchError> {
        Ok(self.weighed(field, self.postings(field, term)?, parameters))
    }

    fn weighed(&self, field: Field, postings: Vec<Posting>, parameters: Bm25) -> Vec<(Posting, f32)> {
        let totals = self.corpus.totals();
        let docs = if field.is_per_file() { totals.files } else { totals.chunks };
        let average = totals.lengths[field as usize] as f32 / docs.max(1) as f32;
        let idf = idf(docs, postings.len() as u64);
        let scored = postings.into_iter().filter(|posting| self.admits(posting.file));
        scored
            .map(|posting| {
                (posting, idf * saturation(posting.freq as f32, posting.len as f32, average, parameters))
            })
            .collect()
    }

    /// What the term adds to the files as wholes that the filter admits.
    fn whole_files(&self, field: Field, postings: &[Posting], parameters: Bm25) -> Vec<(u32, f32)> {
        // A file's documents stand together, but for those that a full segment cut off.
        let mut by_file: Vec<(u32, u32)> = Vec::new();
        for posting in postings {
            match by_file.last_mut() {
                Some((file, freq)) if *file == posting.file => *freq += posting.freq,
                _ => by_file.push((posting.file, posting.freq)),
            }
        }
        by_file.sort_unstable_by_key(|(file, _)| *file);
        by_file.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        let totals = self.corpus.totals();
        let average = totals.lengths[field as usize] as f32 / totals.files.max(1) as f32;
        let idf = idf(totals.files, by_file.len() as u64);
        let admitted = by_file.into_iter().filter(|(file, _)| self.admits(*file));
        admitted
            .map(|(file, freq)| {
                let len = self.corpus.version(file).lengths()[field as usize] as f32;
                (file, idf * saturation(freq as f32, len, average, parameters))
            })
            .collect()
    }

    /// The text of chunks and files.
    fn body(&mut self, place: usize, term: &str, of_chunk: Bm25, of_file: Bm25) -> Result<(), SearchError> {
        let postings = self.postings(Field::Body, term)?;
        let chunk_idf = idf(self.corpus.totals().chunks, postings.len() as u64);
        self.evidence.idf[place] = if postings.is_empty() { 0.0 } else { chunk_idf };
        for (file, add) in self.whole_files(Field::Body, &postings, of_file) {
            let known = &mut self.evidence.files[file as usize];
            known.body += add;
            known.body_mask |= 1 << place;
        }
        for (posting, add) in self.weighed(Field::Body, postings, of_chunk) {
            let doc = posting.doc as usize;
            self.evidence.chunk_body[doc] += add;
            self.chunk_cover[doc] += chunk_idf;
            self.see(posting.doc);
        }
        Ok(())
    }

    /// Files that contain a name of the query as written.
    fn mentioned(&mut self, place: usize, name: &str) -> Result<(), SearchError> {
        let reader = &self.corpus.committed().reader;
        for segment in 0..reader.segments().len() {
            let base = self.corpus.base(segment);
            reader.postings(segment, IndexField::Word, name, |doc, _| {
                let file = self.corpus.files()[(base + doc) as usize];
                if file != NO_FILE {
                    self.evidence.files[file as usize].mentions |= 1 << place;
                }
            })?;
        }
        Ok(())
    }

    /// Files that define a name of the query as written.
    fn defined(&mut self, place: usize, name: &str) -> Result<(), SearchError> {
        let reader = &self.corpus.committed().reader;
        for segment in 0..reader.segments().len() {
            let base = self.corpus.base(segment);
            let mut docs = Vec::new();
            reader.postings(segment, IndexField::Definition, name, |doc, _| docs.push(base + doc))?;
            for doc in docs {
                let file = self.corpus.files()[doc as usize];
                if file != NO_FILE && self.admits(file) {
                    self.evidence.files[file as usize].defines |= 1 << place;
                    self.defining.push(doc);
                    self.see(doc);
                }
            }
        }
        Ok(())
    }

    /// Sums the chunks up into their files and chooses the one to show, under the filter's kinds.
    fn choose_chunks(&mut self, context: &Context<'_>) -> Result<(), SearchError> {
        let literal_docs = std::mem::take(&mut self.evidence.literal_docs);
        literal_docs.iter().for_each(|doc| self.see(*doc));
        self.defining.sort_unstable();
        let mut chunks = std::mem::take(&mut self.evidence.chunks);
        chunks.sort_unstable();
        if context.filter.kinds().is_some() {
            let segments = self.corpus.committed().reader.segments();
            chunks.retain(|doc| {
                let (segment, within) = self.corpus.locate(*doc);
                context.filter.takes_kinds(segments[segment].kinds(within))
            });
            self.evidence.files.iter_mut().for_each(|file| file.touched = false);
        }
        for doc in &chunks {
            let at = *doc as usize;
            let file = &mut self.evidence.files[self.corpus.files()[at] as usize];
            let (body, symbol) = (self.evidence.chunk_body[at], self.evidence.chunk_symbol[at]);
            file.touched = true;
            file.symbol = file.symbol.max(symbol);
            file.comment = file.comment.max(self.chunk_comment[at]);
            file.chunk_cover = file.chunk_cover.max(self.chunk_cover[at]);
            let place = file.chunks.partition_point(|known| *known >= body);
            if place < file.chunks.len() {
                file.chunks[place..].rotate_right(1);
                file.chunks[place] = body;
            }
            let is_literal = literal_docs.binary_search(doc).is_ok();
            let first = self.defining.partition_point(|defining| defining < doc);
            let n_defined = self.defining[first..].iter().take_while(|defining| *defining == doc).count();
            let worth = body
                + SYMBOLS_IN_CHOICE * symbol
                + DEFINITION_IN_CHOICE * n_defined as f32
                + if is_literal { LITERAL_IN_CHOICE } else { 0.0 };
            let is_better = match file.best() {
                None => true,
                // Of equal ones the first of the file, and not of the index: a file's chunks may lie in two segments.
                Some(best) if worth == file.best_worth => {
                    start_of(self.corpus, *doc)? < start_of(self.corpus, best)?
                }
                Some(_) => worth > file.best_worth,
            };
            if is_better {
                file.best_worth = worth;
                file.best_doc = doc + 1;
            }
        }
        self.evidence.chunks = chunks;
        self.evidence.literal_docs = literal_docs;
        Ok(())
    }
}

/// Where in its file a chunk begins.
fn start_of(corpus: &Corpus, doc: u32) -> Result<u32, SearchError> {
    let (segment, within) = corpus.locate(doc);
    Ok(corpus.committed().reader.segments()[segment].columns(within)?.span.start)
}

/// How rare a term is: `n` of `total` documents hold it.
fn idf(total: u64, n: u64) -> f32 {
    // A view's sums and its postings are written by one commit; the guard is for an index that lost a document.
    let total = total.max(n) as f32;
    (1.0 + (total - n as f32 + 0.5) / (n as f32 + 0.5)).ln()
}

fn saturation(freq: f32, len: f32, average: f32, Bm25 { k1, b }: Bm25) -> f32 {
    freq * (k1 + 1.0) / (freq + k1 * (1.0 - b + b * len / average.max(1e-6)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bm25_by_hand() {
        assert!((idf(10, 2) - (1.0f32 + 8.5 / 2.5).ln()).abs() < 1e-6);
        let parameters = Bm25 { k1: 1.2, b: 0.75 };
        assert!((saturation(2.0, 10.0, 10.0, parameters) - 2.0 * 2.2 / 3.2).abs() < 1e-6);
        assert!(saturation(2.0, 20.0, 10.0, parameters) < saturation(2.0, 10.0, 10.0, parameters));
    }
}
