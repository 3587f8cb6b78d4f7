//! From chunks to files: the sums over the chunks of every matching file, and the rows for the files of the head.

use std::mem::take;
use std::ops::Range;

use super::columns::{Evidence, FileEvidence, MATCHES, Marks, Sums, for_each_nonzero};
use crate::context::Context;
use crate::literal::Literal;
use spyhop_base::model::Field;
use spyhop_base::parallel;

/// The weight of symbols beside the text in the choice of the chunk to show.
const SYMBOLS_IN_CHOICE: f32 = 0.7;

/// The gain of a chunk in that choice for each definition of a name of the query; above any BM25.
const DEFINITION_IN_CHOICE: f32 = 1000.0;

/// The gain of a chunk that contains the query as written; above any BM25 and below a definition.
const LITERAL_IN_CHOICE: f32 = 500.0;

impl Evidence {
    /// Sums up the chunks of each matching file, under the kinds of the filter, and lists the matching files.
    pub(super) fn sum_up(&mut self, context: &Context<'_>, literal: &Literal, defining: Vec<u32>) {
        let Marks { doc_marks, file_marks, .. } = &mut self.columns.of_texts;
        literal.files.iter().for_each(|(file, _)| file_marks[*file as usize] = 1);
        literal.docs.iter().for_each(|doc| doc_marks[*doc as usize] |= MATCHES);
        for (file, _) in &self.framed {
            file_marks[*file as usize] = 1;
            context.snapshot.docs(*file).for_each(|doc| doc_marks[doc as usize] |= MATCHES);
        }
        // A word that only paths have is as rare as it is there.
        let of_paths = self.idf.iter_mut().zip(&self.path_idf).filter(|(idf, _)| **idf == 0.0);
        of_paths.for_each(|(idf, of_paths)| *idf = *of_paths);
        let total: f32 = self.idf.iter().sum();
        self.total_idf = total;
        if total > 0.0 {
            self.idf.iter_mut().for_each(|idf| *idf /= total);
        }
        let n_files = file_marks.len();
        let half = n_files / 2;
        let (mut earlier, mut later) =
            ((take(&mut self.matching), take(&mut self.sums)), take(&mut self.columns.later));
        parallel::join(
            context.snapshot.is_large(),
            || self.sum_up_files(context, 0..half, &mut earlier),
            || self.sum_up_files(context, half..n_files, &mut later),
        );
        earlier.0.extend(&later.0);
        earlier.1.extend(&later.1);
        (self.matching, self.sums) = earlier;
        self.columns.later = later;
        self.literal_docs.extend(&literal.docs);
        self.literal_files.extend(&literal.files);
        self.defining.extend(defining);
        self.defining.sort_unstable();
    }

    /// Sums up the chunks of the matching files in a range.
    fn sum_up_files(
        &self,
        context: &Context<'_>,
        files: Range<usize>,
        (matching, sums): &mut (Vec<u32>, Vec<Sums>),
    ) {
        let Evidence { chunk_body, chunk_symbol, columns, .. } = self;
        let (snapshot, doc_marks) = (context.snapshot, &columns.of_texts.doc_marks);
        let by_kind = context.filter.kinds().is_some();
        let first = files.start;
        for_each_nonzero(&columns.of_texts.file_marks[files], |place| {
            let file = first + place;
            let docs = snapshot.docs(file as u32);
            let mut file_sums = Sums::default();
            let mut best = [0.0; 3];
            if by_kind {
                let answers =
                    |doc: &u32| doc_marks[*doc as usize] != 0 && snapshot.is_of_kinds(*doc, context.filter);
                for doc in docs.filter(answers) {
                    let at = doc as usize;
                    file_sums.is_shown = true;
                    file_sums.symbol = file_sums.symbol.max(chunk_symbol[at]);
                    file_sums.comment = file_sums.comment.max(columns.comment[at]);
                    best = with_score(best, chunk_body[at]);
                }
                // Without a chunk of these kinds the file is not shown.
                if !file_sums.is_shown {
                    return;
                }
            } else {
                let docs = docs.start as usize..docs.end as usize;
                let greatest = |scores: &[f32]| scores.iter().fold(0.0, |most, score| greater(*score, most));
                let holds = |field: Field| columns.masks[field as usize][file] != 0;
                if holds(Field::Symbol) {
                    file_sums.symbol = greatest(&chunk_symbol[docs.clone()]);
                }
                if holds(Field::Comment) {
                    file_sums.comment = greatest(&columns.comment[docs.clone()]);
                }
                if holds(Field::Body) {
                    best = chunk_body[docs.clone()].iter().fold(best, |best, body| with_score(best, *body));
                }
                // A file that only contains the query as written is recognized by the marks of its chunks.
                file_sums.is_shown = [Field::Body, Field::Symbol, Field::Comment].into_iter().any(holds)
                    || columns.first[file] != 0
                    || doc_marks[docs].iter().any(|doc_marks| *doc_marks != 0);
            }
            (file_sums.chunk, file_sums.chunks) = (best[0], best.iter().sum());
            matching.push(file as u32);
            sums.push(file_sums);
        });
    }

    pub(crate) fn file_row(&self, context: &Context<'_>, file: u32) -> FileEvidence {
        let (snapshot, filter) = (context.snapshot, context.filter);
        let mut choice = Choice {
            literal_docs: &self.literal_docs,
            defining: &self.defining,
            row: self.columns.row(file as usize),
        };
        if filter.kinds().is_some() {
            choice.row.best_doc = 0;
        }
        for doc in snapshot.docs(file) {
            let at = doc as usize;
            if self.columns.of_texts.doc_marks[at] != 0 && snapshot.is_of_kinds(doc, filter) {
                choice.add(doc, self.chunk_body[at], self.chunk_symbol[at], self.columns.comment[at]);
            }
        }
        if let Ok(place) = self.literal_files.binary_search_by_key(&file, |(file, _)| *file) {
            choice.row.literal = self.literal_files[place].1;
        }
        choice.row
    }
}

/// The three greatest of `best` and `score`, in decreasing order. The code has no branches, because the branches would
/// be unpredictable.
fn with_score([first, second, third]: [f32; 3], score: f32) -> [f32; 3] {
    let rest = lesser(first, score);
    [greater(first, score), greater(second, rest), greater(third, lesser(second, rest))]
}

/// The greater of two numbers that are not NaN. [`f32::max`] takes four instructions instead of one.
fn greater(one: f32, other: f32) -> f32 {
    if one > other { one } else { other }
}

fn lesser(one: f32, other: f32) -> f32 {
    if one < other { one } else { other }
}

/// A row under construction, and the inputs of the choice of the chunk to show.
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
        row.chunks = with_score(row.chunks, body);
        let mut worth = body + SYMBOLS_IN_CHOICE * symbol;
        if !self.defining.is_empty() {
            let from = self.defining.partition_point(|defining| *defining < doc);
            let n_defined = self.defining[from..].iter().take_while(|defining| **defining == doc).count();
            worth += DEFINITION_IN_CHOICE * n_defined as f32;
        }
        if !self.literal_docs.is_empty() && self.literal_docs.binary_search(&doc).is_ok() {
            worth += LITERAL_IN_CHOICE;
        }
        // A tie keeps the earlier chunk of the file.
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
