//! The first page holds every file that holds the query as written, if these are few.
//!
//! Whoever asks with a literal wants the places where it stands, and ranking may know better answers to the words of the
//! literal. So rows of these files that stand behind the first page replace its last other rows. A row that moves gains what
//! its sum lacks to that of the first row it passes, as a contribution of the literal signal: scores still fall from row to
//! row, and shares still add up to the score.

use rustc_hash::FxHashSet;

use super::answer::Asked;
use super::rows::Row;
use crate::search::{Corpus, FEW};

/// The hits of a first page, unless a request says otherwise. The order of rows must not depend on what a request says, so
/// that pages of different sizes fit together.
const PAGE: usize = 2 * FEW;

/// Moves the rows of files that hold a query as written, if these are few, to the first page.
pub fn lifted(rows: Vec<Row>, asked: &[Asked<'_>], corpus: &Corpus) -> Vec<Row> {
    if rows.len() <= PAGE {
        return rows;
    }
    let wanted = wanted(&rows, asked, corpus);
    let n_behind = wanted.iter().filter(|place| **place >= PAGE).count();
    if n_behind == 0 {
        return rows;
    }
    // No more rows are wanted than others are on the page.
    let others = (0..PAGE).rev().filter(|place| !wanted.contains(place)).take(n_behind);
    let replaced: FxHashSet<usize> = others.collect();
    let first = *replaced.iter().min().expect("at least one row is replaced");
    let passed = rows[first].sum;
    let (mut page, mut behind) = (Vec::with_capacity(PAGE), Vec::with_capacity(rows.len()));
    for (place, row) in rows.into_iter().enumerate() {
        match wanted.contains(&place) || (place < PAGE && !replaced.contains(&place)) {
            true if place > first => page.push(row.lifted(passed)),
            true => page.push(row),
            false => behind.push(row),
        }
    }
    page.extend(behind);
    page
}

/// The rows that have a place on the first page: one of each file, the first that holds the query as written if there is
/// such a row. Several queries share the places.
fn wanted(rows: &[Row], asked: &[Asked<'_>], corpus: &Corpus) -> FxHashSet<usize> {
    let mut wanted = FxHashSet::default();
    for (query, own) in asked.iter().enumerate() {
        for path in own.few(corpus) {
            let of_file = || rows.iter().enumerate().filter(|(_, row)| row.path(asked, corpus) == path);
            let literal = of_file().find(|(_, row)| row.literal && row.query == query);
            if let Some((place, _)) = literal.or_else(|| of_file().next())
                && wanted.len() < FEW
            {
                wanted.insert(place);
            }
        }
    }
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::api::SearchRequest;

    #[test]
    fn a_page_is_the_usual_one() {
        assert_eq!(SearchRequest::new("x").max_results, PAGE);
    }
}
