//! The first page has a row for every file that contains the query as written, if these files are few.
//!
//! A caller who pastes a literal wants the places that contain the literal, but other files may rank higher by its
//! words. Rows of the few files that rank after the first page therefore replace the last other rows of the page. A
//! moved row gets the sum of the first row that it passes, and the difference is a contribution of the literal signal.
//! Scores thus still fall from row to row, and contributions still add up to the score.

use rustc_hash::FxHashSet;

use super::ranked_query::RankedQuery;
use super::rows::HitRow;
use spyhop_search::{HeadFiles, MAX_FEW_FILES};

/// The default number of hits of a page. The order of rows must not depend on the page size of a request, so that pages
/// of different sizes are consistent.
const PAGE: usize = 2 * MAX_FEW_FILES;

/// Moves the rows of files that contain a query as written to the first page, if these files are few.
pub fn lifted(rows: Vec<HitRow>, asked: &[RankedQuery<'_>], table: &dyn HeadFiles) -> Vec<HitRow> {
    if rows.len() <= PAGE {
        return rows;
    }
    let wanted = wanted(&rows, asked, table);
    let n_behind = wanted.iter().filter(|place| **place >= PAGE).count();
    if n_behind == 0 {
        return rows;
    }
    // At most half of the page is wanted, so enough other rows are on the page.
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

/// The rows that must be on the first page: one row for each file, preferably the first that contains the query as
/// written. Several queries share [`MAX_FEW_FILES`] rows.
fn wanted(rows: &[HitRow], asked: &[RankedQuery<'_>], table: &dyn HeadFiles) -> FxHashSet<usize> {
    let mut wanted = FxHashSet::default();
    for (query, own) in asked.iter().enumerate() {
        for wanted_file in own.few_literal_files(table) {
            let of_file = || rows.iter().enumerate().filter(|(_, row)| row.file(asked, table) == wanted_file);
            let literal = of_file().find(|(_, row)| row.literal && row.query == query);
            if let Some((place, _)) = literal.or_else(|| of_file().next())
                && wanted.len() < MAX_FEW_FILES
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
    use crate::api::SearchRequest;

    #[test]
    fn a_page_is_the_usual_one() {
        assert_eq!(SearchRequest::new("x").max_results, PAGE);
    }
}
