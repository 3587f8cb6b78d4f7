//! A query of a request, with what the query ranks.

use super::exhaustive::UnrankedFile;
use spyhop_search::query::Query;
use spyhop_search::{HeadFiles, Ranking, UnrankedMatch};

/// A query of a request, with its ranking.
pub(crate) struct RankedQuery<'q> {
    /// The position of the query in the request.
    pub place: usize,
    /// The query as it was typed.
    pub query: &'q Query,
    /// The ranked files and hits.
    pub ranking: Ranking,
    /// Whether every line that contains the query as written was counted.
    pub literal_complete: bool,
    /// The unranked files that contain the query as written, if the request is exhaustive.
    pub unranked: Vec<UnrankedFile>,
    /// The score of each of these files.
    pub worth: UnrankedMatch,
    /// Whether no file contains the quoted parts of the query, so that the quotes were dropped.
    pub is_unquoted: bool,
}

impl RankedQuery<'_> {
    /// The query that was answered: the typed query, or its respelling.
    pub fn query(&self) -> &Query {
        self.ranking.query(self.query)
    }

    /// The files that contain the query as written, if they are at most [`spyhop_search::MAX_FEW_FILES`]: the path, and the number of the
    /// tree.
    pub(crate) fn few_literal_files<'p>(&'p self, table: &'p dyn HeadFiles) -> Vec<(&'p str, usize)> {
        let Ranking { holding, .. } = &self.ranking;
        if holding.len() + self.unranked.len() > spyhop_search::MAX_FEW_FILES {
            return Vec::new();
        }
        let unranked = self.unranked.iter().map(|unranked| (unranked.first.path.as_str(), unranked.member));
        let ranked = holding.iter().map(|file| (table.path(*file), table.member_of(*file)));
        let mut files: Vec<(&str, usize)> = ranked.chain(unranked).collect();
        // Several queries share the places on the first page, so the order must not depend on the numbers of files.
        files.sort_unstable();
        files
    }

    pub fn literal_lines(&self) -> usize {
        let unranked = self.unranked.iter().map(|unranked| unranked.lines as usize);
        self.ranking.literal_lines + unranked.sum::<usize>()
    }
}
