//! The mapping between the documents of the segments and the files of a view.

use std::ops::Range;
use std::sync::Arc;

use spyhop_base::id::VersionId;
use spyhop_base::parallel;
use spyhop_index::inverted::{IndexError, Segment, SegmentList};

/// The file of a document that is deleted or belongs to another view.
pub const NO_FILE: u32 = u32::MAX;

/// The documents of all segments, numbered consecutively over the segments.
pub struct Documents {
    /// By segment: the number of its first document. The last entry is the number of documents.
    pub bases: Vec<u32>,
    /// By document: its file, or [`NO_FILE`].
    pub files: Vec<u32>,
    /// By file: its documents, which are adjacent, because one thread adds all documents of a file.
    pub of_file: Vec<Range<u32>>,
    /// By segment: whether the view contains all its documents.
    pub whole: Vec<bool>,
}

impl Documents {
    /// The documents of the files with these versions, which are in increasing order.
    pub fn new(segments: &SegmentList, versions: &[VersionId]) -> Result<Documents, IndexError> {
        let segments = segments.segments();
        let mut bases = vec![0];
        bases.extend(segments.iter().scan(0, |docs, segment| {
            *docs += segment.max_doc();
            Some(*docs)
        }));
        let n_docs = bases[segments.len()] as usize;
        let wanted = FileByVersion::new(versions);
        let mut files = vec![NO_FILE; n_docs];
        // The segments in the first half of the documents, and the others.
        let half = bases.partition_point(|base| (*base as usize) < n_docs / 2).min(segments.len());
        let (one, other) = files.split_at_mut(bases[half] as usize);
        let (one, other) = parallel::join(
            parallel::is_worthwhile(n_docs),
            || assign_runs(&segments[..half], &wanted, one),
            || assign_runs(&segments[half..], &wanted, other),
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

    /// The documents of several views, each with its number of files. The files of a view are numbered after those of the
    /// views before it. `None` if there are more documents than 32-bit numbers.
    pub fn joined<'d>(parts: impl Iterator<Item = (&'d Documents, u32)>) -> Option<Documents> {
        let mut all = Documents { bases: vec![0], files: Vec::new(), of_file: Vec::new(), whole: Vec::new() };
        let mut first_file = 0;
        for (part, n_files) in parts {
            let first_doc = u32::try_from(all.files.len()).ok()?;
            first_doc.checked_add(u32::try_from(part.files.len()).ok()?)?;
            all.bases.extend(part.bases[1..].iter().map(|base| first_doc + base));
            let file = |file: &u32| if *file == NO_FILE { NO_FILE } else { first_file + file };
            all.files.extend(part.files.iter().map(file));
            all.of_file.extend(part.of_file.iter().map(|docs| first_doc + docs.start..first_doc + docs.end));
            all.whole.extend(&part.whole);
            first_file += n_files;
        }
        Some(all)
    }
}

/// The mapping from versions to files.
struct FileByVersion {
    /// The first version. Version numbers are never used again, so they start far above 0 after a rebuild.
    lowest: u32,
    files: Vec<u32>,
    n_files: usize,
}

impl FileByVersion {
    fn new(versions: &[VersionId]) -> FileByVersion {
        let lowest = versions.first().map_or(0, |id| id.0);
        let mut files = vec![NO_FILE; versions.last().map_or(0, |id| (id.0 - lowest) as usize + 1)];
        for (file, version) in versions.iter().enumerate() {
            files[(version.0 - lowest) as usize] = file as u32;
        }
        FileByVersion { lowest, files, n_files: versions.len() }
    }

    fn get(&self, version: u32) -> u32 {
        // A version below the lowest wraps to an index past the end.
        self.files.get(version.wrapping_sub(self.lowest) as usize).copied().unwrap_or(NO_FILE)
    }
}

/// A file, and adjacent documents of this file.
type DocumentRun = (u32, Range<u32>);

/// Writes the file of every document of `segments` to `files`, which is all [`NO_FILE`]. Returns the runs of documents,
/// counted from the first document of the first segment, and for each segment whether the view contains all its
/// documents.
fn assign_runs(
    segments: &[Arc<Segment>],
    wanted: &FileByVersion,
    files: &mut [u32],
) -> Result<(Vec<DocumentRun>, Vec<bool>), IndexError> {
    // The capacity suffices for all runs, because growing step by step touches new memory each time.
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

/// Assigns the documents of one segment to files. Returns the number of documents that belong to a file.
fn files_of(
    segment: &Segment,
    wanted: &FileByVersion,
    files: &mut [u32],
    mut run: impl FnMut(u32, Range<u32>),
) -> Result<u32, IndexError> {
    let deletes = segment.has_deletes();
    let (mut doc, mut n_live) = (0, 0);
    // The version and deletion state of the previous documents, their file, and the first of them.
    let (mut last, mut file, mut start) = (None, NO_FILE, 0);
    let mut end = |file: u32, docs: Range<u32>, files: &mut [u32]| {
        if file != NO_FILE && !docs.is_empty() {
            files[docs.start as usize..docs.end as usize].fill(file);
            n_live += docs.end - docs.start;
            run(file, docs);
        }
    };
    segment.for_each_version(|version| {
        let current = Some((version, deletes && !segment.is_live(doc)));
        if current != last {
            end(file, start..doc, files);
            let is_deleted = current.is_some_and(|(_, is_deleted)| is_deleted);
            (last, start) = (current, doc);
            file = if is_deleted { NO_FILE } else { wanted.get(version) };
        }
        doc += 1;
    })?;
    end(file, start..doc, files);
    Ok(n_live)
}
