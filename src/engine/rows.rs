//! The order of the hits of several queries.

use rustc_hash::FxHashSet;

use super::ranked_query::RankedQuery;
use spyhop_search::{HeadFiles, Ranked, UnrankedMatch};

/// A hit of one of the queries.
pub struct HitRow {
    /// The index of the query that found the hit.
    pub query: usize,
    /// The sum of the contributions, in log-odds. It separates hits whose scores round to equal values.
    pub sum: f32,
    /// The calibrated score, 0 to 1.
    pub score: f32,
    /// Whether the hit contains the query as written.
    pub literal: bool,
    /// The place of the hit.
    pub kind: RowKind,
}

/// The place of a hit.
pub enum RowKind {
    /// A chunk of a ranked file.
    Ranked(Ranked),
    /// An unranked file, by its index among those of the query, with its score.
    UnrankedMatch(usize, UnrankedMatch),
}

impl HitRow {
    /// The path of the file, and the number of its tree.
    pub fn file<'p>(&self, asked: &'p [RankedQuery<'_>], table: &'p dyn HeadFiles) -> (&'p str, usize) {
        match &self.kind {
            RowKind::Ranked(hit) => {
                let file = table.file_of_doc(hit.doc);
                (table.path(file), table.member_of(file))
            }
            RowKind::UnrankedMatch(place, _) => {
                let unranked = &asked[self.query].unranked[*place];
                (unranked.first.path.as_str(), unranked.member)
            }
        }
    }

    /// The file, and the start of the hit in it.
    fn place<'p>(&self, asked: &'p [RankedQuery<'_>], table: &'p dyn HeadFiles) -> ((&'p str, usize), u32) {
        let start = match &self.kind {
            RowKind::Ranked(hit) => hit.start(table),
            RowKind::UnrankedMatch(..) => 0,
        };
        (self.file(asked, table), start)
    }

    /// This row with the greater sum `to`, because only few files contain the query as written.
    pub fn lifted(self, to: f32) -> HitRow {
        let (score, kind) = match self.kind {
            RowKind::Ranked(hit) => {
                let hit = hit.lifted(to);
                (hit.score, RowKind::Ranked(hit))
            }
            RowKind::UnrankedMatch(place, worth) => {
                let worth = worth.lifted(to);
                (worth.score, RowKind::UnrankedMatch(place, worth))
            }
        };
        HitRow { sum: to, score, kind, ..self }
    }
}

/// The `wanted` hits of all queries, best first. Ties are broken by path and position. A place occurs once.
pub fn merged(
    asked: &[RankedQuery<'_>],
    table: &dyn HeadFiles,
    wanted: impl Fn(&HitRow) -> bool,
) -> Vec<HitRow> {
    let mut rows: Vec<HitRow> = Vec::new();
    for (query, asked) in asked.iter().enumerate() {
        rows.extend(asked.ranking.hits.iter().map(|hit| HitRow {
            query,
            sum: hit.sum,
            score: hit.score,
            literal: hit.literal,
            kind: RowKind::Ranked(*hit),
        }));
        let (sum, score) = (asked.worth.sum, asked.worth.score);
        let unranked = 0..asked.unranked.len();
        rows.extend(unranked.map(|place| HitRow {
            query,
            sum,
            score,
            literal: true,
            kind: RowKind::UnrankedMatch(place, asked.worth.clone()),
        }));
    }
    rows.sort_by(|a, b| {
        let by_sum = b.sum.total_cmp(&a.sum);
        by_sum
            .then_with(|| a.place(asked, table).cmp(&b.place(asked, table)))
            .then_with(|| a.query.cmp(&b.query))
    });
    let mut seen = FxHashSet::default();
    rows.retain(|row| seen.insert(row.place(asked, table)) && wanted(row));
    rows
}
