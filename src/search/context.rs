//! The inputs of a search besides the query.

use rustc_hash::FxHashSet;

use super::host_signal::HostSignals;
use super::reranker::Reranker;
use super::similar_texts::SimilarTexts;
use super::snapshot::SearchSnapshot;
use crate::filter::Filter;
use crate::profile::Profile;
use crate::session::ActivityRecord;
use crate::statistics::Statistics;
use spyhop_index::meta::Totals;
use spyhop_index::tokenize::Tokenizers;
use spyhop_syntax::grammar::Grammars;

/// The inputs of a search besides the query.
pub struct Context<'c> {
    /// The commit and view that the search reads.
    pub snapshot: &'c SearchSnapshot,
    pub grammars: &'c Grammars,
    /// A pool of tokenizers, for the names of definitions. Their caches hold the words of earlier queries.
    pub tokenizers: &'c Tokenizers,
    /// Weights and constants.
    pub profile: &'c Profile,
    /// The signals that the host adds.
    pub signals: &'c HostSignals,
    pub filter: &'c Filter,
    /// The files that contain the quoted parts of the query; `None` if all files are admitted.
    pub quoting: Option<&'c FxHashSet<u32>>,
    /// The activity of the session; `None` ranks without a session.
    pub session: Option<&'c ActivityRecord>,
    /// The most hits of one file.
    pub per_file: usize,
    /// Compares the texts of the first files with the query; `None` ranks without a model.
    pub similar: Option<&'c dyn SimilarTexts>,
    /// Compares the words of the query with the words that a model expanded the texts with; `None` ranks without it.
    pub expanded: Option<&'c dyn SimilarTexts>,
    /// Reads the best parts of the first files beside the query; `None` ranks without a cross-encoder.
    pub reranker: Option<&'c dyn Reranker>,
    /// The result of an exact search for the query as written; `None` leaves this search to the literal pass and its
    /// budget.
    pub exhaustive: Option<&'c ExhaustivePass>,
    /// The statistics of all shards, of which the snapshot is one; `None` if the snapshot has all files.
    pub statistics: Option<&'c Statistics>,
}

impl Context<'_> {
    /// The sums over the files of all shards.
    pub(crate) fn totals(&self) -> Totals {
        self.statistics.map_or_else(|| self.snapshot.totals(), |statistics| statistics.totals)
    }

    /// The number of files of all shards.
    pub(crate) fn n_files(&self) -> usize {
        self.totals().files as usize
    }

    /// Whether every file is admitted, so that no file has to be tested.
    pub(crate) fn admits_all_files(&self) -> bool {
        self.quoting.is_none() && self.filter.takes_all_files()
    }

    /// Whether a file can be a result.
    pub fn admits(&self, file: u32) -> bool {
        let version = self.snapshot.version(file);
        self.quoting.is_none_or(|files| files.contains(&file))
            && self.filter.takes_file(version.path(), version.language())
    }
}

/// The result of an exact search for the query as written. With this result the literal pass has no budget.
#[derive(Clone, Debug, Default)]
pub struct ExhaustivePass {
    /// The files whose decoded text may contain the query.
    pub candidates: Vec<u32>,
    /// The files whose current bytes contain the query, and the number of matching lines.
    pub lines: Vec<(u32, u32)>,
    /// Whether all files could be read.
    pub complete: bool,
}
