//! The hits of several queries in one order.

use rustc_hash::FxHashSet;

use super::answer::Asked;
use crate::search::{Beyond, Corpus, Ranked};

/// A hit of one of the queries.
pub struct Row {
    /// Which query found it.
    pub query: usize,
    /// The sum of its contributions, in log-odds: it tells scores apart that round to the same.
    pub sum: f32,
    /// 0 to 1.
    pub score: f32,
    /// The uncalibrated score: the logistic function of the sum of contributions before calibration, which does not depend
    /// on the other hits. 0 to 1.
    pub evidence: f32,
    /// Whether it holds the query as written.
    pub literal: bool,
    /// What it is.
    pub what: What,
}

/// What a hit is.
pub enum What {
    /// A chunk of a ranked file.
    Ranked(Ranked),
    /// A file that is not ranked, by its place among those of the query, and what it is worth.
    Beyond(usize, Beyond),
}

impl Row {
    /// The path of its file.
    pub fn path<'p>(&self, asked: &'p [Asked<'_>], corpus: &'p Corpus) -> &'p str {
        self.place(asked, corpus).0
    }

    /// The path of its file and where it begins there.
    fn place<'p>(&self, asked: &'p [Asked<'_>], corpus: &'p Corpus) -> (&'p str, u32) {
        match &self.what {
            What::Ranked(hit) => (corpus.path_of(hit.doc), hit.start(corpus)),
            What::Beyond(place, _) => (asked[self.query].beyond[*place].first.path.as_str(), 0),
        }
    }

    /// This row with the greater sum `to`, because few files hold the query as written.
    pub fn lifted(self, to: f32) -> Row {
        let (score, what) = match self.what {
            What::Ranked(hit) => {
                let hit = hit.lifted(to);
                (hit.score, What::Ranked(hit))
            }
            What::Beyond(place, worth) => {
                let worth = worth.lifted(to);
                (worth.score, What::Beyond(place, worth))
            }
        };
        Row { sum: to, score, what, ..self }
    }
}

/// The hits that are `wanted`, best first: by score, then by path and place; a place once.
pub fn merged(asked: &[Asked<'_>], corpus: &Corpus, wanted: impl Fn(&Row) -> bool) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (query, asked) in asked.iter().enumerate() {
        rows.extend(asked.ranking.hits.iter().map(|hit| Row {
            query,
            sum: hit.sum,
            score: hit.score,
            evidence: hit.evidence,
            literal: hit.literal,
            what: What::Ranked(*hit),
        }));
        let (sum, score) = (asked.worth.sum, asked.worth.score);
        let beyond = 0..asked.beyond.len();
        rows.extend(beyond.map(|place| Row {
            query,
            sum,
            score,
            evidence: 1.0,
            literal: true,
            what: What::Beyond(place, asked.worth.clone()),
        }));
    }
    rows.sort_by(|a, b| {
        let by_sum = b.sum.total_cmp(&a.sum);
        by_sum
            .then_with(|| a.place(asked, corpus).cmp(&b.place(asked, corpus)))
            .then_with(|| a.query.cmp(&b.query))
    });
    let mut seen = FxHashSet::default();
    rows.retain(|row| seen.insert(row.place(asked, corpus)) && wanted(row));
    rows
}
