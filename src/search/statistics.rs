//! The statistics of a query, which the shards of a view add up before they score: what BM25, the uses of names and the
//! frames of a query depend on beyond one file.

use serde::{Deserialize, Serialize};

use crate::query::Query;
use spyhop_base::model::Field;
use spyhop_index::meta::Totals;

/// The statistics of a query over the files of a shard, or of several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    pub totals: Totals,
    /// By term of the query and field: the documents with the term.
    pub(crate) chunks: Vec<[u64; Field::ALL.len()]>,
    /// By term of the query: the files with the term in their text, and in their symbols.
    pub(crate) files: Vec<[u64; 2]>,
    /// By name of the query: the chunks that use the name.
    pub(crate) uses: Vec<u32>,
    /// By frame of the query: the most path components that a file shares with the frame, and the number of these files.
    pub(crate) frames: Vec<(u32, u32)>,
    /// The files that hold the words of the query, if the literal pass narrows by these alone.
    pub(crate) of_ends: u64,
    /// The files that contain the quoted parts of the query.
    pub quoting: u64,
    /// Whether the filter and the quoted parts leave no file, so that nothing can be offered.
    pub(crate) is_idle: bool,
}

impl Statistics {
    /// The sums over shards, for one query; `None` without a shard.
    pub fn sum<'s>(mut shards: impl Iterator<Item = &'s Statistics>) -> Option<Statistics> {
        let mut sum = shards.next()?.clone();
        shards.for_each(|other| sum.add(other));
        Some(sum)
    }

    fn add(&mut self, other: &Statistics) {
        self.totals.add_all(other.totals);
        let pairs = self.chunks.iter_mut().flatten().zip(other.chunks.iter().flatten());
        pairs.for_each(|(own, other)| *own += other);
        let pairs = self.files.iter_mut().flatten().zip(other.files.iter().flatten());
        pairs.for_each(|(own, other)| *own += other);
        self.uses.iter_mut().zip(&other.uses).for_each(|(own, other)| *own += other);
        for (own, other) in self.frames.iter_mut().zip(&other.frames) {
            match own.0.cmp(&other.0) {
                std::cmp::Ordering::Less => *own = *other,
                std::cmp::Ordering::Equal => own.1 += other.1,
                std::cmp::Ordering::Greater => {}
            }
        }
        self.of_ends += other.of_ends;
        self.quoting += other.quoting;
        self.is_idle &= other.is_idle;
    }

    /// Whether these are statistics of a query.
    pub fn is_of(&self, query: &Query) -> bool {
        self.chunks.len() == query.terms.len()
            && self.files.len() == query.terms.len()
            && self.uses.len() == query.names.len()
            && self.frames.len() == query.frames.len()
    }

    /// The files with the term at `place` in their text, or in their symbols.
    pub(crate) fn files_with(&self, field: Field, place: usize) -> u64 {
        self.files[place][(field == Field::Symbol) as usize]
    }

    /// The chunks that use a name of the query.
    pub(crate) fn uses_of(&self, query: &Query, name: &str) -> Option<u32> {
        query.names.iter().zip(&self.uses).find(|(own, _)| *own == name).map(|(_, uses)| *uses)
    }
}
