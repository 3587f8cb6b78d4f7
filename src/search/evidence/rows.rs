//! From chunks to files: what the chunks of every file that matches sum up to, and all that is known of a file for
//! the few hundred that are looked at closely.

use std::mem::take;
use std::ops::Range;

use super::{Columns, Evidence, FileEvidence, Marks, SEEN, for_each_place};
use crate::model::Field;
use crate::parallel;
use crate::search::Context;
use crate::search::literal::Literal;

/// How much a chunk's symbols count beside its text when the chunk to show is chosen.
const SYMBOLS_IN_CHOICE: f32 = 0.7;

/// What a chunk gains in that choice for each name of the query that it defines; above any BM25.
const DEFINITION_IN_CHOICE: f32 = 1000.0;

/// What a chunk that holds the query as written gains; above any BM25, below a definition.
const LITERAL_IN_CHOICE: f32 = 500.0;

/// What the chunks of a file sum up to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    /// BM25 of the best chunk.
    pub chunk: f32,
    /// BM25 of the three best chunks together.
    pub chunks: f32,
    /// BM25 of its best chunk's symbols.
    pub symbol: f32,
    /// BM25 of its best chunk's comments.
    pub comment: f32,
    /// Whether there is a chunk to show.
    pub is_shown: bool,
}

impl Evidence {
    /// Sums the chunks of each file up, under the filter's kinds, and notes the files that match.
    pub(super) fn sum_up(&mut self, context: &Context<'_>, literal: &Literal, defining: Vec<u32>) {
        let Marks { seen, touched, .. } = &mut self.columns.of_texts;
        literal.files.iter().for_each(|(file, _)| touched[*file as usize] = 1);
        literal.docs.iter().for_each(|doc| seen[*doc as usize] |= SEEN);
        for (file, _) in &self.framed {
            touched[*file as usize] = 1;
            context.corpus.docs(*file).for_each(|doc| seen[doc as usize] |= SEEN);
        }
        let total: f32 = self.idf.iter().sum();
        if total > 0.0 {
            self.idf.iter_mut().for_each(|idf| *idf /= total);
        }
        let n_files = touched.len();
        let half = n_files / 2;
        let (mut earlier, mut later) =
            ((take(&mut self.touched), take(&mut self.sums)), take(&mut self.columns.later));
        parallel::join(
            context.corpus.is_large(),
            || self.sum_up_files(context, 0..half, &mut earlier),
            || self.sum_up_files(context, half..n_files, &mut later),
        );
        earlier.0.extend(&later.0);
        earlier.1.extend(&later.1);
        (self.touched, self.sums) = earlier;
        self.columns.later = later;
        self.literal_docs.extend(&literal.docs);
        self.literal_files.extend(&literal.files);
        self.defining.extend(defining);
        self.defining.sort_unstable();
    }

    /// Sums up the chunks of a range of matching files.
    fn sum_up_files(
        &self,
        context: &Context<'_>,
        files: Range<usize>,
        (touched, sums): &mut (Vec<u32>, Vec<Sums>),
    ) {
        let Evidence { chunk_body, chunk_symbol, columns, .. } = self;
        let (corpus, seen) = (context.corpus, &columns.of_texts.seen);
        let by_kind = context.filter.kinds().is_some();
        let first = files.start;
        for_each_place(&columns.of_texts.touched[files], |place| {
            let file = first + place;
            let docs = corpus.docs(file as u32);
            let mut own = Sums::default();
            let mut best = [0.0; 3];
            if by_kind {
                let answers =
                    |doc: &u32| seen[*doc as usize] != 0 && corpus.is_of_kinds(*doc, context.filter);
                for doc in docs.filter(answers) {
                    let at = doc as usize;
                    own.is_shown = true;
                    own.symbol = own.symbol.max(chunk_symbol[at]);
                    own.comment = own.comment.max(columns.comment[at]);
                    best = with(best, chunk_body[at]);
                }
                // A file is shown by a chunk of these kinds or not at all.
                if !own.is_shown {
                    return;
                }
            } else {
                let docs = docs.start as usize..docs.end as usize;
                let greatest = |scores: &[f32]| scores.iter().fold(0.0, |most, score| greater(*score, most));
                let holds = |field: Field| columns.masks[field as usize][file] != 0;
                if holds(Field::Symbol) {
                    own.symbol = greatest(&chunk_symbol[docs.clone()]);
                }
                if holds(Field::Comment) {
                    own.comment = greatest(&columns.comment[docs.clone()]);
                }
                if holds(Field::Body) {
                    best = chunk_body[docs.clone()].iter().fold(best, |best, body| with(best, *body));
                }
                // Where only the query as written stands in a file, its chunks say so.
                own.is_shown = [Field::Body, Field::Symbol, Field::Comment].into_iter().any(holds)
                    || columns.first[file] != 0
                    || seen[docs].iter().any(|seen| *seen != 0);
            }
            (own.chunk, own.chunks) = (best[0], best.iter().sum());
            touched.push(file as u32);
            sums.push(own);
        });
    }

    /// All that is known of a file that matches.
    pub fn of_file(&self, context: &Context<'_>, file: u32) -> FileEvidence {
        let (corpus, filter) = (context.corpus, context.filter);
        let mut choice = Choice {
            literal_docs: &self.literal_docs,
            defining: &self.defining,
            row: self.columns.row(file as usize),
        };
        if filter.kinds().is_some() {
            choice.row.best_doc = 0;
        }
        for doc in corpus.docs(file) {
            let at = doc as usize;
            if self.columns.of_texts.seen[at] != 0 && corpus.is_of_kinds(doc, filter) {
                choice.add(doc, self.chunk_body[at], self.chunk_symbol[at], self.columns.comment[at]);
            }
        }
        if let Ok(place) = self.literal_files.binary_search_by_key(&file, |(file, _)| *file) {
            choice.row.literal = self.literal_files[place].1;
        }
        choice.row
    }
}

/// The three greatest of `best` and `score`, the greatest first; without branches, which nobody could foretell.
fn with([first, second, third]: [f32; 3], score: f32) -> [f32; 3] {
    let rest = lesser(first, score);
    [greater(first, score), greater(second, rest), greater(third, lesser(second, rest))]
}

/// As [`f32::max`] of two numbers, of which none is NaN: an instruction instead of four.
fn greater(one: f32, other: f32) -> f32 {
    if one > other { one } else { other }
}

fn lesser(one: f32, other: f32) -> f32 {
    if one < other { one } else { other }
}

impl Columns {
    /// The row of a file, without its chunks.
    fn row(&self, file: usize) -> FileEvidence {
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
            // A file that matches by its path alone shows its first chunk, where the path stands.
            best_doc: self.first[file],
            ..FileEvidence::default()
        }
    }
}

/// A row as its file's chunks come in, and what else plays a part in the choice of the one to show.
struct Choice<'c> {
    literal_docs: &'c [u32],
    defining: &'c [u32],
    row: FileEvidence,
}

impl Choice<'_> {
    fn add(&mut self, doc: u32, body: f32, symbol: f32, comment: f32) {
        let row = &mut self.row;
        row.symbol = row.symbol.max(symbol);
        row.comment = row.comment.max(comment);
        row.chunks = with(row.chunks, body);
        let mut worth = body + SYMBOLS_IN_CHOICE * symbol;
        if !self.defining.is_empty() {
            let from = self.defining.partition_point(|defining| *defining < doc);
            let n_defined = self.defining[from..].iter().take_while(|defining| **defining == doc).count();
            worth += DEFINITION_IN_CHOICE * n_defined as f32;
        }
        if !self.literal_docs.is_empty() && self.literal_docs.binary_search(&doc).is_ok() {
            worth += LITERAL_IN_CHOICE;
        }
        // Of equal ones the first of the file: its chunks stand together and in order.
        if row.best_doc == 0 || worth > row.best_worth {
            (row.best_worth, row.best_doc) = (worth, doc + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_chunk_is_shown_and_the_three_best_are_summed() {
        let choose = |defining: &[u32], literal_docs: &[u32]| {
            let mut choice = Choice { literal_docs, defining, row: FileEvidence::default() };
            for (doc, body) in [(4, 1.0), (5, 3.0), (6, 3.0), (7, 2.0), (8, 0.5)] {
                choice.add(doc, body, 0.0, 0.0);
            }
            (choice.row.best().unwrap(), choice.row.chunks)
        };
        assert_eq!(choose(&[], &[]), (5, [3.0, 3.0, 2.0]));
        assert_eq!(choose(&[], &[7]).0, 7);
        assert_eq!(choose(&[4, 8, 8], &[7]).0, 8);
    }
}
