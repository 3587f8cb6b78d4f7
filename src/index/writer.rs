//! Writing segments and committing them.
//!
//! Every indexing thread fills a segment of its own ([`SegmentBuilder`]), so documents cross no channel and the
//! thread that parsed a file also inverts it. Finished segments, deletions and the payload become visible together,
//! at [`Writer::commit`]. There is no background merging: merges are explicit and bounded, because a short-lived
//! process kills those that a policy would start.

use std::path::{Path, PathBuf};

use tantivy::directory::MmapDirectory;
use tantivy::indexer::{AddOperation, NoMergePolicy, SegmentWriter};
use tantivy::schema::TantivyDocument;
use tantivy::{Index, IndexSettings, IndexWriter, SegmentMeta, Term};

use super::schema::{ChunkDoc, Layout, tokenizers};
use super::{IndexError, directory};
use crate::id::VersionId;
use crate::store;

/// More segments than this are merged down after a commit.
const MAX_SEGMENTS: usize = 12;

/// A merge takes at most this many documents, so that no refresh pays for the whole index.
const MAX_MERGE_DOCS: u32 = 100_000;

/// The one writer of an index. The caller holds the workspace's lock.
pub struct Writer {
    layout: Layout,
    index: Index,
    writer: IndexWriter,
    dir: PathBuf,
}

/// Makes segments that belong to no commit yet.
pub struct SegmentMaker {
    layout: Layout,
    index: Index,
}

/// A segment that is being filled by one thread.
pub struct SegmentBuilder {
    layout: Layout,
    segment: tantivy::Segment,
    writer: SegmentWriter,
    next_opstamp: u64,
}

/// A segment that lies on disk and belongs to no commit yet.
pub struct FinishedSegment(SegmentMeta);

impl Writer {
    /// Opens the index in the folder `dir` for writing, creating it there if there is none.
    pub fn open(dir: &Path) -> Result<Writer, IndexError> {
        let layout = Layout::new();
        let files = MmapDirectory::open(dir).map_err(tantivy::TantivyError::from)?;
        let mut index = if dir.join(directory::META).exists() {
            Index::open(files)?
        } else {
            let settings = IndexSettings {
                docstore_compression: tantivy::store::Compressor::None,
                docstore_compress_dedicated_thread: false,
                ..IndexSettings::default()
            };
            Index::create(files, layout.schema.clone(), settings)?
        };
        if index.schema() != layout.schema {
            return Err(IndexError::Damaged("its fields are not those of this format".into()));
        }
        index.set_tokenizers(tokenizers());
        // The writer's own indexing thread stays idle: documents come in finished segments. 15 MB is the least.
        let writer = index.writer_with_num_threads(1, 15_000_000)?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        // What an update that was killed left behind takes space and names: deletions are written to a file that is
        // named by the number of operations, so the same update tried again would find its file taken.
        if let Err(error) = writer.garbage_collect_files().wait() {
            tracing::warn!(%error, "files of an update that did not end stay behind");
        }
        Ok(Writer { layout, index, writer, dir: dir.to_path_buf() })
    }

    /// What threads make segments with while this writer commits others.
    pub fn segments(&self) -> SegmentMaker {
        SegmentMaker { layout: self.layout.clone(), index: self.index.clone() }
    }

    /// Deletes all documents of a file version, as of the next commit.
    pub fn delete(&self, version: VersionId) {
        self.writer.delete_term(Term::from_field_u64(self.layout.version, version.0 as u64));
    }

    /// Adds a finished segment, as of the next commit. Deletions of the same commit count for it too, whichever came
    /// first, so a version that is deleted must not be added again.
    pub fn add(&self, segment: FinishedSegment) -> Result<(), IndexError> {
        Ok(self.writer.add_segment(segment.0)?)
    }

    /// The commit point: what was deleted and added becomes visible with `payload`, and is durable on return.
    pub fn commit(&mut self, payload: &str) -> Result<(), IndexError> {
        let mut prepared = self.writer.prepare_commit()?;
        prepared.set_payload(payload);
        prepared.commit()?;
        // The library syncs the folder before the commit point gets its name, not after.
        store::sync_folder(&self.dir).map_err(|error| IndexError::Io(error.source))
    }

    /// Merges the smallest segments when there are many. Answers do not change, and neither does the payload.
    pub fn merge(&mut self) -> Result<(), IndexError> {
        let mut segments = self.index.searchable_segment_metas()?;
        if segments.len() <= MAX_SEGMENTS {
            return Ok(());
        }
        segments.sort_by_key(|segment| (segment.num_docs(), segment.id()));
        let mut docs = 0;
        let small: Vec<_> = segments
            .iter()
            .take_while(|segment| {
                docs += segment.num_docs();
                docs <= MAX_MERGE_DOCS
            })
            .map(SegmentMeta::id)
            .collect();
        if small.len() > 1 {
            self.writer.merge(&small).wait()?;
        }
        Ok(())
    }

    /// Merges all segments that hold deleted documents or stand beside others.
    pub fn compact(&mut self) -> Result<(), IndexError> {
        let segments: Vec<_> = self.index.searchable_segment_metas()?.iter().map(SegmentMeta::id).collect();
        if segments.len() > 1 {
            self.writer.merge(&segments).wait()?;
        }
        Ok(())
    }

    /// Ends the writer, waiting for what it still does.
    pub fn close(self) -> Result<(), IndexError> {
        Ok(self.writer.wait_merging_threads()?)
    }
}

impl SegmentMaker {
    /// A new segment for one thread to fill. `budget` is in bytes and sizes the hash table of terms; the caller
    /// finishes the segment when [`SegmentBuilder::memory`] passes it.
    pub fn new_segment(&self, budget: usize) -> Result<SegmentBuilder, IndexError> {
        let segment = self.index.new_segment();
        let writer = SegmentWriter::for_segment(budget, segment.clone())?;
        Ok(SegmentBuilder { layout: self.layout.clone(), segment, writer, next_opstamp: 0 })
    }
}

impl SegmentBuilder {
    /// Adds a document.
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
        Ok(self.writer.add_document(AddOperation { opstamp, document })?)
    }

    /// Bytes of memory that it takes now.
    pub fn memory(&self) -> usize {
        self.writer.mem_usage()
    }

    /// Writes the segment to disk; `None` when it holds no document.
    pub fn finish(self) -> Result<Option<FinishedSegment>, IndexError> {
        let docs = self.writer.max_doc();
        if docs == 0 {
            return Ok(None);
        }
        self.writer.finalize()?;
        Ok(Some(FinishedSegment(self.segment.with_max_doc(docs).meta().clone())))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::id::VersionId;
    use crate::index::Reader;
    use crate::model::{KindSet, SymbolKind};
    use crate::text::{Lines, Span};
    use crate::tokenize::TermList;

    fn add(writer: &Writer, versions: std::ops::Range<u32>) {
        writer.add(segment(writer, versions)).unwrap();
    }

    /// A segment with a document for each of `versions`.
    pub fn segment(writer: &Writer, versions: std::ops::Range<u32>) -> FinishedSegment {
        let mut segment = writer.segments().new_segment(15_000_000).unwrap();
        let mut terms = TermList::default();
        terms.push("term");
        for version in versions {
            let doc = ChunkDoc {
                version: VersionId(version),
                span: Span::new(0, 1),
                lines: Lines { first: 1, last: 1 },
                kind: SymbolKind::Text,
                kinds: KindSet::default(),
                scored: [Some(&terms); 5],
                words: &terms,
                definitions: &terms,
                references: &terms,
            };
            segment.add(&doc).unwrap();
        }
        segment.finish().unwrap().unwrap()
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
        // The same update, as far as to the files of deletions; the commit point is put back as if it had died.
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
}
