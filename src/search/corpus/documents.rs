//! Which documents of the segments are of which file of a view.

use std::ops::Range;

use super::NO_FILE;
use crate::id::VersionId;
use crate::index::{IndexError, Reader, Segment};
use crate::parallel;

/// The documents of all segments, numbered one segment behind the other.
pub struct Documents {
    /// Number of the first document of each segment, and the number of documents at the end.
    pub bases: Vec<u32>,
    /// The file of every document.
    pub files: Vec<u32>,
    /// The documents of every file; they stand together, because a thread adds a file as a whole.
    pub of_file: Vec<Range<u32>>,
    /// Whether the view holds every document of a segment, by segment.
    pub whole: Vec<bool>,
}

impl Documents {
    /// Those of the files whose versions are these, which increase.
    pub fn of(reader: &Reader, versions: &[VersionId]) -> Result<Documents, IndexError> {
        let segments = reader.segments();
        let mut bases = vec![0];
        bases.extend(segments.iter().scan(0, |docs, segment| {
            *docs += segment.max_doc();
            Some(*docs)
        }));
        let n_docs = bases[segments.len()] as usize;
        let wanted = FileOf::new(versions);
        let mut files = vec![NO_FILE; n_docs];
        // The segments that lie in the first half of the documents, and the others.
        let half = bases.partition_point(|base| (*base as usize) < n_docs / 2).min(segments.len());
        let (one, other) = files.split_at_mut(bases[half] as usize);
        let (one, other) = parallel::join(
            parallel::is_worthwhile(n_docs),
            || runs(&segments[..half], &wanted, one),
            || runs(&segments[half..], &wanted, other),
        );
        let ((one, mut whole), (other, others_whole)) = (one?, other?);
        whole.extend(others_whole);
        let mut of_file = vec![0..0; versions.len()];
        for (first, runs) in [(0, one), (bases[half], other)] {
            for (file, docs) in runs {
                let range: &mut Range<u32> = &mut of_file[file as usize];
                let is_first = range.end == 0;
                let start = if is_first { first + docs.start } else { range.start };
                *range = start..first + docs.end;
            }
        }
        Ok(Documents { bases, files, of_file, whole })
    }
}

/// From the number of a version to that of its file.
struct FileOf {
    /// Numbers are never used again, so after a rebuild they begin far from 0.
    lowest: u32,
    files: Vec<u32>,
    n_files: usize,
}

impl FileOf {
    fn new(versions: &[VersionId]) -> FileOf {
        let lowest = versions.first().map_or(0, |id| id.0);
        let mut files = vec![NO_FILE; versions.last().map_or(0, |id| (id.0 - lowest) as usize + 1)];
        for (file, version) in versions.iter().enumerate() {
            files[(version.0 - lowest) as usize] = file as u32;
        }
        FileOf { lowest, files, n_files: versions.len() }
    }

    fn get(&self, version: u32) -> u32 {
        // Below the lowest it wraps past the end.
        self.files.get(version.wrapping_sub(self.lowest) as usize).copied().unwrap_or(NO_FILE)
    }
}

/// A file, and documents of it that follow each other.
type Run = (u32, Range<u32>);

/// Writes the file of every document of `segments` to `files`, which held none; the runs of documents of the same file,
/// counted from the first document of the first segment, and whether every document of a segment is of some file.
fn runs(
    segments: &[Segment],
    wanted: &FileOf,
    files: &mut [u32],
) -> Result<(Vec<Run>, Vec<bool>), IndexError> {
    // Room for all of them at once: growing step by step touches new memory at each.
    let (mut runs, mut whole) = (Vec::with_capacity(wanted.n_files.min(files.len())), Vec::new());
    let mut first = 0;
    for segment in segments {
        let n_live = files_of(
            segment,
            wanted,
            &mut files[first as usize..][..segment.max_doc() as usize],
            |file, docs| {
                runs.push((file, first + docs.start..first + docs.end));
            },
        )?;
        whole.push(n_live == segment.max_doc());
        first += segment.max_doc();
    }
    Ok((runs, whole))
}

/// Assigns the documents of one segment to files; returns how many documents belong to a file.
fn files_of(
    segment: &Segment,
    wanted: &FileOf,
    files: &mut [u32],
    mut run: impl FnMut(u32, Range<u32>),
) -> Result<u32, IndexError> {
    let deletes = segment.has_deletes();
    let (mut doc, mut n_live) = (0, 0);
    // The version that the last documents were of, its file, and the first of them.
    let (mut last, mut file, mut start) = (None, NO_FILE, 0);
    let mut end = |file: u32, docs: Range<u32>, files: &mut [u32]| {
        if file != NO_FILE && !docs.is_empty() {
            files[docs.start as usize..docs.end as usize].fill(file);
            n_live += docs.end - docs.start;
            run(file, docs);
        }
    };
    segment.for_each_version(|version| {
        let own = Some((version, deletes && !segment.is_live(doc)));
        if own != last {
            end(file, start..doc, files);
            let is_deleted = own.is_some_and(|(_, is_deleted)| is_deleted);
            (last, start) = (own, doc);
            file = if is_deleted { NO_FILE } else { wanted.get(version) };
        }
        doc += 1;
    })?;
    end(file, start..doc, files);
    Ok(n_live)
}
