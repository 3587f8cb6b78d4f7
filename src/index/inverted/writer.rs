//! Writing segments and committing them.
//!
//! Every worker thread fills a separate segment ([`SegmentBuilder`]), so documents cross no channel and the thread
//! that parsed a file also inverts it. Finished segments, deletions and the payload become visible together, at
//! [`Writer::commit`]. There is no background merging: merges are explicit and bounded, because the end of a
//! short-lived process would kill background merges.

use std::ops::Bound;
use std::path::Path;

use tantivy::indexer::{AddOperation, IndexWriterOptions, NoMergePolicy, SegmentWriter};
use tantivy::query::RangeQuery;
use tantivy::schema::TantivyDocument;
use tantivy::{Index, IndexSettings, IndexWriter, SegmentMeta, Term};

use super::schema::{ChunkDoc, Layout, tokenizers};
use super::workfolder::WorkFolder;
use super::{directory, merge};
use crate::inverted::error::IndexError;
use spyhop_base::id::VersionId;

/// The number of consecutive version numbers from which they are deleted as a range: a range query reads a column of
/// each segment, while a single number is looked up in the dictionary.
const LONG_RUN: usize = 64;

/// The number of concurrent merges, if they are large.
const MERGES: usize = 2;

/// The one writer of an index. The caller holds the workspace's lock.
pub struct Writer {
    layout: Layout,
    index: Index,
    folder: WorkFolder,
    writer: IndexWriter,
}

/// Creates segments that belong to no commit yet.
pub struct SegmentMaker {
    layout: Layout,
    index: Index,
    folder: WorkFolder,
}

/// A segment that is being filled by one thread.
pub(crate) struct SegmentBuilder {
    layout: Layout,
    folder: WorkFolder,
    segment: tantivy::Segment,
    writer: SegmentWriter,
    next_opstamp: u64,
}

/// A segment on disk that belongs to no commit yet.
pub struct FinishedSegment(SegmentMeta);

impl Writer {
    /// Opens the index in the folder `dir` for writing, creating it there if there is none.
    pub fn open(dir: &Path) -> Result<Writer, IndexError> {
        let layout = Layout::new();
        let folder = WorkFolder::open(dir)?;
        let explain = |error| folder.explain(error);
        let mut index = if dir.join(directory::META).exists() {
            Index::open(folder.clone())?
        } else {
            let settings = IndexSettings {
                docstore_compression: tantivy::store::Compressor::None,
                docstore_compress_dedicated_thread: false,
                ..IndexSettings::default()
            };
            Index::create(folder.clone(), layout.schema.clone(), settings).map_err(explain)?
        };
        if index.schema() != layout.schema {
            return Err(IndexError::Damaged("its fields are not those of this format".into()));
        }
        index.set_tokenizers(tokenizers());
        let listed = index.load_metas()?.list_segment_files();
        folder.adopt(listed, |name| Ok(index.directory().validate_checksum(name)?))?;
        // The indexing thread of tantivy's writer stays idle: documents come in finished segments, and merges are waited for.
        let options = IndexWriterOptions::builder().num_merge_threads(MERGES).build();
        let writer = index.writer_with_options(options).map_err(explain)?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        // The remains of a killed update take space and block names: deletions are written to a file that is named by
        // the number of operations, so a retry of the same update would find its file name taken.
        if let Err(error) = writer.garbage_collect_files().wait() {
            tracing::warn!(%error, "files of an update that did not end stay behind");
        }
        Ok(Writer { layout, index, folder, writer })
    }

    /// A maker for worker threads, which create segments while this writer commits others.
    pub fn segments(&self) -> SegmentMaker {
        let Writer { layout, index, folder, .. } = self;
        SegmentMaker { layout: layout.clone(), index: index.clone(), folder: folder.clone() }
    }

    /// Deletes all documents of a file version, as of the next commit.
    pub fn delete(&self, version: VersionId) {
        self.writer.delete_term(Term::from_field_u64(self.layout.version, version.0 as u64));
    }

    /// Deletes all documents of many file versions, which are in increasing order. A long run of consecutive numbers
    /// becomes one delete operation, because every operation is looked up in every segment.
    pub(crate) fn delete_all(&self, versions: &[VersionId]) -> Result<(), IndexError> {
        for run in versions.chunk_by(|a, b| a.0 + 1 == b.0) {
            if run.len() < LONG_RUN {
                run.iter().for_each(|version| self.delete(*version));
                continue;
            }
            let term = |version: VersionId| Term::from_field_u64(self.layout.version, version.0 as u64);
            let bound = |version: VersionId| Bound::Included(term(version));
            let range = RangeQuery::new(bound(run[0]), bound(run[run.len() - 1]));
            self.writer.delete_query(Box::new(range))?;
        }
        Ok(())
    }

    /// Adds a finished segment, as of the next commit. Deletions of the same commit apply to the segment too, whichever
    /// came first, so a deleted version must not be added again.
    pub fn add(&self, segment: FinishedSegment) -> Result<(), IndexError> {
        self.writer.add_segment(segment.0).map_err(|error| self.folder.explain(error))
    }

    /// The commit point: deletions and additions become visible with `payload`, and are durable on return.
    pub fn commit(&mut self, payload: &str) -> Result<(), IndexError> {
        let explain = |error| self.folder.explain(error);
        let mut prepared = self.writer.prepare_commit().map_err(explain)?;
        prepared.set_payload(payload);
        prepared.commit().map_err(explain)?;
        Ok(())
    }

    /// Merges small segments when there are many, and rewrites those that hold mostly deleted documents: bounded work
    /// for the end of a command that added `added_docs` documents. Returns the number of rewritten documents. Neither
    /// answers nor the payload change. A large merge is split into two of about the same size, which run concurrently.
    pub fn merge(&mut self, added_docs: u32) -> Result<u64, IndexError> {
        let choose = |sizes: &[merge::Size]| merge::halves(sizes, merge::plan(sizes, added_docs));
        self.merge_groups(MERGES, choose)
    }

    /// Drops all deleted documents and leaves few segments, however long that takes. Returns the number of rewritten
    /// documents. Every new segment is durable before the next is started, so an interruption does not lose finished
    /// work.
    pub fn compact(&mut self) -> Result<u64, IndexError> {
        self.merge_groups(1, merge::compaction)
    }

    fn merge_groups(
        &mut self,
        at_a_time: usize,
        choose: impl FnOnce(&[merge::Size]) -> Vec<Vec<usize>>,
    ) -> Result<u64, IndexError> {
        let segments = self.index.searchable_segment_metas()?;
        let mut docs = 0;
        let mut groups = choose(&sizes(&segments));
        groups.retain(|group| !group.is_empty());
        let groups: Vec<Vec<_>> = groups
            .iter()
            .map(|group| {
                docs += group.iter().map(|&place| u64::from(segments[place].num_docs())).sum::<u64>();
                group.iter().map(|&place| segments[place].id()).collect()
            })
            .collect();
        // The files of a segment are kept as long as its metadata are referenced.
        drop(segments);
        for together in groups.chunks(at_a_time) {
            let begun: Vec<_> = together.iter().map(|ids| self.writer.merge(ids)).collect();
            let ended = begun.into_iter().map(|merge| merge.wait());
            // Wait for all merges: a running merge would still use files that the caller believes to be free.
            let ended: Vec<_> = ended.collect();
            ended
                .into_iter()
                .try_for_each(|merge| merge.map(drop))
                .map_err(|error| self.folder.explain(error))?;
        }
        Ok(docs)
    }

    /// Closes the writer after waiting for its merges.
    pub fn close(self) -> Result<(), IndexError> {
        self.writer.wait_merging_threads().map_err(|error| self.folder.explain(error))
    }
}

impl SegmentMaker {
    /// A new segment for one thread to fill. `budget`, in bytes, determines the size of the term table; the caller
    /// finishes the segment when [`SegmentBuilder::memory`] exceeds `budget`.
    pub(crate) fn new_segment(&self, budget: usize) -> Result<SegmentBuilder, IndexError> {
        let segment = self.index.new_segment();
        let folder = self.folder.clone();
        let writer =
            SegmentWriter::for_segment(budget, segment.clone()).map_err(|error| folder.explain(error))?;
        Ok(SegmentBuilder { layout: self.layout.clone(), folder, segment, writer, next_opstamp: 0 })
    }
}

fn sizes(segments: &[SegmentMeta]) -> Vec<merge::Size> {
    segments
        .iter()
        .map(|segment| merge::Size {
            live: segment.num_docs().into(),
            deleted: segment.num_deleted_docs().into(),
        })
        .collect()
}

impl FinishedSegment {
    pub fn docs(&self) -> u32 {
        self.0.max_doc()
    }
}

impl SegmentBuilder {
    pub fn add(&mut self, doc: &ChunkDoc<'_>) -> Result<(), IndexError> {
        let layout = &self.layout;
        let mut document = TantivyDocument::new();
        for (field, terms) in layout.scored.iter().zip(doc.scored) {
            if let Some(terms) = terms.filter(|terms| terms.count > 0) {
                document.add_text(*field, &terms.text);
            }
        }
        let names = [
            (layout.word, doc.words),
            (layout.definition, doc.definitions),
            (layout.reference, doc.references),
        ];
        for (field, terms) in names {
            if terms.count > 0 {
                document.add_text(field, &terms.text);
            }
        }
        let columns = [
            (layout.version, doc.version.0 as u64),
            (layout.start, doc.span.start as u64),
            (layout.len, doc.span.len() as u64),
            (layout.line, doc.lines.first as u64),
            (layout.lines, doc.lines.count() as u64),
            (layout.kind, doc.kind as u64),
            (layout.kinds, doc.kinds.0 as u64),
        ];
        for (field, value) in columns {
            document.add_u64(field, value);
        }
        let opstamp = self.next_opstamp;
        self.next_opstamp += 1;
        let operation = AddOperation { opstamp, document };
        self.writer.add_document(operation).map_err(|error| self.folder.explain(error))
    }

    /// The present memory of the segment in bytes.
    pub fn memory(&self) -> usize {
        self.writer.mem_usage()
    }

    /// Writes the segment to disk; `None` when it holds no document.
    pub fn finish(self) -> Result<Option<FinishedSegment>, IndexError> {
        let docs = self.writer.max_doc();
        if docs == 0 {
            return Ok(None);
        }
        self.writer.finalize().map_err(|error| self.folder.explain(error))?;
        Ok(Some(FinishedSegment(self.segment.with_max_doc(docs).meta().clone())))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::inverted::reader::Reader;
    use crate::inverted::schema::IndexField;
    use crate::tokenize::TermList;
    use spyhop_base::id::VersionId;
    use spyhop_base::model::{Field, KindSet, SymbolKind};
    use spyhop_base::store::faults;
    use spyhop_base::text::{Lines, Span};

    fn add(writer: &Writer, versions: std::ops::Range<u32>) {
        writer.add(segment(writer, versions)).unwrap();
    }

    /// A segment with a document for each of `versions`.
    pub fn segment(writer: &Writer, versions: std::ops::Range<u32>) -> FinishedSegment {
        try_segment(writer, versions).unwrap()
    }

    /// A segment with a document for each of `versions`, or the error of a failing disk.
    pub(crate) fn try_segment(
        writer: &Writer,
        versions: std::ops::Range<u32>,
    ) -> Result<FinishedSegment, IndexError> {
        let mut segment = writer.segments().new_segment(1 << 20)?;
        let mut terms = TermList::default();
        terms.push("term");
        for version in versions {
            let doc = ChunkDoc {
                version: VersionId(version),
                span: Span::new(0, 1),
                lines: Lines { first: 1, last: 1 },
                kind: SymbolKind::Text,
                kinds: KindSet::default(),
                scored: [Some(&terms); Field::ALL.len()],
                words: &terms,
                definitions: &terms,
                references: &terms,
            };
            segment.add(&doc)?;
        }
        Ok(segment.finish()?.expect("documents were added"))
    }

    fn names(dir: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(dir).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn an_update_that_was_killed_while_deleting_can_be_tried_again() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(dir.path()).unwrap();
        add(&writer, 0..2);
        writer.commit("one").unwrap();
        writer.close().unwrap();
        // The same update, up to the files of deletions; the commit point is restored as if the process had died.
        let before = std::fs::read(dir.path().join("meta.json")).unwrap();
        let mut writer = Writer::open(dir.path()).unwrap();
        writer.delete(VersionId(0));
        writer.commit("two").unwrap();
        writer.close().unwrap();
        assert!(names(dir.path()).iter().any(|name| name.ends_with(".del")));
        std::fs::write(dir.path().join("meta.json"), before).unwrap();

        let mut writer = Writer::open(dir.path()).unwrap();
        writer.delete(VersionId(0));
        writer.commit("three").unwrap();
        writer.close().unwrap();
        let reader = Reader::open(dir.path()).unwrap();
        assert_eq!(reader.payload(), "three");
        let segment = &reader.segments()[0];
        assert_eq!((segment.is_live(0), segment.is_live(1)), (false, true));
    }

    #[test]
    fn segments_of_an_update_that_did_not_end_are_removed_by_the_next() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(dir.path()).unwrap();
        add(&writer, 0..2);
        writer.commit("one").unwrap();
        writer.close().unwrap();
        let before = names(dir.path()).len();
        let writer = Writer::open(dir.path()).unwrap();
        add(&writer, 2..4);
        drop(writer);
        assert!(names(dir.path()).len() > before);
        Writer::open(dir.path()).unwrap().close().unwrap();
        assert_eq!(names(dir.path()).len(), before);
    }

    /// The live documents of the newest commit, sorted, and the number of segments that hold them.
    pub fn live(dir: &Path) -> (Vec<u32>, usize) {
        let reader = Reader::open(dir).unwrap();
        let mut live = Vec::new();
        for segment in reader.segments() {
            let versions = segment.versions().unwrap();
            live.extend(
                (0..segment.max_doc()).filter(|&doc| segment.is_live(doc)).map(|doc| versions[doc as usize]),
            );
        }
        live.sort_unstable();
        (live, reader.segments().len())
    }

    #[test]
    fn a_thousand_small_commits_leave_few_segments_for_little_work() {
        const COMMITS: u32 = 1000;
        let dir = tempfile::tempdir().unwrap();
        let _fast = faults::without_sync(dir.path());
        let mut writer = Writer::open(dir.path()).unwrap();
        add(&writer, 0..COMMITS);
        writer.commit("0").unwrap();
        let (mut rewritten, mut most) = (0, 0);
        let mut times = Vec::new();
        for commit in 0..COMMITS {
            if commit % 100 == 99 {
                writer.close().unwrap();
                writer = Writer::open(dir.path()).unwrap();
            }
            writer.delete(VersionId(commit));
            add(&writer, COMMITS + commit..COMMITS + commit + 1);
            writer.commit(&commit.to_string()).unwrap();
            let begin = std::time::Instant::now();
            rewritten += writer.merge(1).unwrap();
            times.push(begin.elapsed());
            most = most.max(writer.index.searchable_segment_metas().unwrap().len());
        }
        writer.close().unwrap();
        let files = names(dir.path()).len();
        times.sort_unstable();
        let at = |percent: usize| times[times.len() * percent / 100 - 1];
        let figures = format!("{most} segments, {rewritten} rewritten, p50 {:?} p99 {:?}", at(50), at(99));
        assert!(most <= 16, "{figures}");
        // 1000 * log2(1000); the constant is 1.
        assert!(rewritten <= 10_000, "{figures}");
        let (live, segments) = live(dir.path());
        assert!(files <= segments * 8 + 2, "{files} files of {segments} segments");
        assert_eq!(live, (COMMITS..2 * COMMITS).collect::<Vec<_>>());
        assert_eq!(Reader::open(dir.path()).unwrap().payload(), (COMMITS - 1).to_string());
    }

    #[test]
    fn deletions_that_come_after_a_merge_reach_what_was_merged() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(dir.path()).unwrap();
        for version in 0..14 {
            add(&writer, version..version + 1);
            writer.commit("some").unwrap();
        }
        // A deletion that is not committed when the merge runs is not lost.
        writer.delete(VersionId(3));
        assert!(writer.merge(1).unwrap() > 0);
        assert_eq!(live(dir.path()), ((0..14).collect(), 1));
        writer.delete(VersionId(4));
        writer.commit("all").unwrap();
        writer.close().unwrap();
        let left: Vec<u32> = (0..14).filter(|version| ![3, 4].contains(version)).collect();
        assert_eq!(live(dir.path()), (left.clone(), 1));
        let mut writer = Writer::open(dir.path()).unwrap();
        assert_eq!(writer.compact().unwrap(), 12);
        assert_eq!(writer.compact().unwrap(), 0);
        writer.close().unwrap();
        assert_eq!(live(dir.path()), (left, 1));
        let reader = Reader::open(dir.path()).unwrap();
        assert_eq!((reader.payload(), reader.segments()[0].has_deletes()), ("all", false));
    }

    #[test]
    fn a_reader_goes_on_when_its_segments_are_merged_away() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(dir.path()).unwrap();
        for version in 0..3 {
            add(&writer, version * 2..version * 2 + 2);
            writer.commit("three").unwrap();
        }
        let reader = Reader::open(dir.path()).unwrap();
        writer.delete(VersionId(0));
        writer.commit("four").unwrap();
        writer.compact().unwrap();
        writer.close().unwrap();
        assert_eq!(live(dir.path()), ((1..6).collect(), 1));
        assert_eq!((reader.segments().len(), reader.payload()), (3, "three"));
        for segment in 0..3 {
            let mut docs = Vec::new();
            reader.postings(segment, IndexField::Word, "term", |doc, _| docs.push(doc)).unwrap();
            assert_eq!(docs, [0, 1]);
            assert!(reader.segments()[segment].is_live(0));
            assert_eq!(reader.segments()[segment].columns(1).unwrap().version.0 % 2, 1);
        }
    }
}
