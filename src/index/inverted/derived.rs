//! Files that are derived from a segment, beside it under its name: trigram indexes and vectors. Each kind is written
//! after the commit, for the segments that lack it, and belongs to no commit.

use std::path::{Path, PathBuf};

use tantivy::SegmentReader;

use super::reader::NewestCommit;
use super::schema::{IndexField, Layout};
use super::trigrams::{self, TrigramIndex};
use super::vectors::{self, SegmentVectors};
use super::words::write_grams_of;
use crate::inverted::error::{IndexError, guarded};
use spyhop_base::cores::{cores, spread};
use spyhop_base::store;

/// A kind of derived file.
#[derive(Clone, Copy)]
enum DerivedKind {
    Grams,
    Vectors,
}

/// The segment to which a derived file with this name belongs.
pub(super) fn segment_of(name: &str) -> Option<&str> {
    trigrams::segment_of(name).or_else(|| vectors::segment_of(name))
}

/// The derived files of a segment that are damaged, with the damage.
pub(super) fn damaged(dir: &Path, id: &str) -> impl Iterator<Item = (PathBuf, String)> {
    let (grams, vectors) = (trigrams::path_of(dir, id), vectors::path_of(dir, id));
    let damage = [TrigramIndex::damage(&grams), SegmentVectors::damage(&vectors)];
    [grams, vectors].into_iter().zip(damage).filter_map(|(path, damage)| Some((path, damage?)))
}

/// Writes the derived files that segments of the newest commit in the folder `dir` lack, and removes those of segments
/// that no longer exist. The caller holds the workspace's lock.
pub(crate) fn write_derived(dir: &Path) -> Result<(), IndexError> {
    guarded(|| write_derived_unguarded(dir))
}

fn write_derived_unguarded(dir: &Path) -> Result<(), IndexError> {
    let listed = NewestCommit::read(dir)?;
    let ids: Vec<String> = listed.segments.iter().map(|segment| segment.id().uuid_string()).collect();
    for entry in std::fs::read_dir(dir)?.flatten() {
        let name = entry.file_name();
        let segment = name.to_str().and_then(segment_of);
        if segment.is_some_and(|segment| !ids.iter().any(|id| id == segment)) {
            // On some systems a file that another process still reads stays until the next time.
            let _ = store::remove_file(&entry.path());
        }
    }
    // Opening a segment takes longer than checking for its files.
    let mut lack: Vec<(&tantivy::Segment, DerivedKind, PathBuf)> = Vec::new();
    for (segment, id) in listed.segments.iter().zip(&ids) {
        let grams = trigrams::path_of(dir, id);
        if TrigramIndex::open(&grams, None).is_none() || TrigramIndex::damage(&grams).is_some() {
            lack.push((segment, DerivedKind::Grams, grams));
        }
        let vectors = vectors::path_of(dir, id);
        if vectors::has_file(segment.meta().max_doc()) && SegmentVectors::is_lacking(&vectors) {
            lack.push((segment, DerivedKind::Vectors, vectors));
        }
    }
    let next = std::sync::atomic::AtomicUsize::new(0);
    let work = || -> Result<(), IndexError> {
        loop {
            let place = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let Some((segment, kind, path)) = lack.get(place) else { return Ok(()) };
            kind.write(&SegmentReader::open(segment)?, &listed.layout, path)?;
        }
    };
    spread(cores().min(lack.len()), work).into_iter().collect()
}

impl DerivedKind {
    fn write(self, reader: &SegmentReader, layout: &Layout, path: &Path) -> Result<(), IndexError> {
        match self {
            DerivedKind::Grams => {
                write_grams_of(&*reader.inverted_index(layout.field(IndexField::Word))?, path)
            }
            DerivedKind::Vectors => vectors::write(reader, layout, path),
        }
    }
}
