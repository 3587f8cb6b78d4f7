//! The answer to each query of a request, and the hits of a page, with a warning for each query that is lost to a panic.

use super::answer::AnswerContext;
use super::api::Hit;
use super::asked_queries::{AskedQueries, lost_query};
use super::ranked_query::RankedQuery;
use super::rows::{HitRow, RowKind};
use super::{cancel, fault};
use crate::error::{Error, ErrorKind};
use spyhop_base::parallel;
use spyhop_index::inverted;

impl AnswerContext<'_> {
    /// Ranks every query; with a warning for each query that is lost. The error of the first query is returned if no query
    /// can be ranked.
    pub(super) fn ask_all<'q>(
        &self,
        all: &'q AskedQueries,
    ) -> Result<(Vec<RankedQuery<'q>>, Vec<String>), Error> {
        let (mut asked, mut lost, mut first) = (Vec::new(), all.lost.clone(), None);
        for (place, query) in all.places.iter().zip(&all.parsed) {
            cancel::check()?;
            match self.without_panic(|| self.ask(*place, query))? {
                Ok(ranked) => asked.push(ranked),
                Err(fault) => {
                    lost.push(lost_query(&query.text, &fault));
                    first.get_or_insert(fault);
                }
            }
            // A batch lets the other calls of a server have the processor.
            if all.parsed.len() > 1 {
                std::thread::yield_now();
            }
        }
        match first {
            Some(fault) if asked.is_empty() => Err(fault),
            _ => Ok((asked, lost)),
        }
    }

    /// The hits of a page; for a panic, the position of its query among `asked`, and the error.
    pub(super) fn page_of(
        &self,
        asked: &[RankedQuery<'_>],
        page: Vec<HitRow>,
    ) -> Result<Result<Vec<Hit>, (usize, Error)>, Error> {
        let hit = |row: HitRow| {
            cancel::check()?;
            let at = row.query;
            let made = self.without_panic(|| match row.kind {
                RowKind::Ranked(ranked) => self.hit(&asked[at], ranked),
                RowKind::UnrankedMatch(place, worth) => self.unranked_hit(&asked[at], place, &worth),
            })?;
            Ok(made.map_err(|fault| (at, fault)))
        };
        let results = parallel::map(self.snapshot.is_large(), page, hit, || self.snapshot.reset());
        let results: Result<Vec<_>, Error> = results.into_iter().collect();
        Ok(results?.into_iter().collect())
    }

    /// Runs a part of the answer. The inner error is a panic in a sound index, which is a fault of the program. Damage of
    /// the index and every other failure are the outer error.
    fn without_panic<T>(&self, part: impl FnOnce() -> Result<T, Error>) -> Result<Result<T, Error>, Error> {
        match inverted::guarded(part) {
            Err(error) if error.kind() == ErrorKind::Damaged => {
                let mut engines = self.trees.all().iter().map(|tree| tree.engine);
                match engines.all(|engine| engine.index().workspace().damage().is_none()) {
                    true => Ok(Err(fault::in_sound_index(&error))),
                    false => Err(error),
                }
            }
            other => other.map(Ok),
        }
    }
}
