//! One commit of an index, open for reading.

use rustc_hash::FxHashMap;

use crate::inverted::Reader;
use crate::meta::Meta;

/// One commit, open for reading: segments and metadata of the same generation.
pub struct Committed {
    pub reader: Reader,
    pub meta: Meta,
}

impl Committed {
    /// Inconsistencies: the segments must hold the documents of every version, and no others.
    pub fn contradictions(&self) -> Vec<String> {
        let mut documents: FxHashMap<u32, u32> = FxHashMap::default();
        for segment in self.reader.segments() {
            let versions = match segment.versions() {
                Ok(versions) => versions,
                Err(error) => return vec![error.to_string()],
            };
            let live = (0..).zip(versions).filter(|(doc, _)| segment.is_live(*doc));
            live.for_each(|(_, version)| *documents.entry(version).or_default() += 1);
        }
        let mut problems = Vec::new();
        for version in self.meta.versions() {
            let found = documents.remove(&version.id().0).unwrap_or(0);
            if found != version.chunks() {
                problems.push(format!("{}: {found} of {} documents", version.path(), version.chunks()));
            }
        }
        if !documents.is_empty() {
            problems.push(format!("documents of {} unknown file versions", documents.len()));
        }
        problems
    }
}
