//! Reading one commit: postings, lengths, columns.
//!
//! A [`Reader`] belongs to the commit whose `meta.json` it read; later commits do not change it, and it takes no lock
//! (see [`super::directory`]). Postings include all documents of a segment, even deleted ones: the caller checks
//! [`Segment::is_live`] and the view.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tantivy::columnar::ColumnValues;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::index::InvertedIndexReader;
use tantivy::postings::BlockSegmentPostings;
use tantivy::schema::IndexRecordOption;
use tantivy::{Index, SegmentReader, Term};

use super::checks::Checks;
use super::directory::{META, MappedFiles, PinnedDirectory};
use super::near::Near;
use super::schema::{IndexField, Layout, N_FIELDS, tokenizers};
use super::term_filter::{self, TermFilter};
use super::trigrams::TrigramIndex;
use super::vectors::{self, SegmentVectors};
use crate::inverted::error::{IndexError, guarded};
use crate::related::PACKED_BYTES;
use spyhop_base::id::VersionId;
use spyhop_base::model::{Field, KindSet, SymbolKind};
use spyhop_base::parallel;
use spyhop_base::text::{Lines, Span};
use spyhop_base::threads;

/// One commit of an index, open for reading from any number of threads.
pub struct Reader {
    dir: PathBuf,
    stamp: Arc<[u8]>,
    payload: String,
    checks: Option<Arc<Checks>>,
    segments: SegmentList,
    mapped: Arc<MappedFiles>,
}

/// Segments that are searched as one index: those of one commit, or those of the commits of several indexes. Clones
/// share the segments.
#[derive(Clone)]
pub struct SegmentList {
    layout: Layout,
    segments: Vec<Arc<Segment>>,
}

/// A segment of a [`SegmentList`].
pub struct Segment {
    dir: PathBuf,
    reader: SegmentReader,
    versions: OnceLock<Arc<dyn ColumnValues<u64>>>,
    pub(super) grams: OnceLock<Option<TrigramIndex>>,
    vectors: OnceLock<Option<SegmentVectors>>,
    /// Which terms the segment may hold, once that is worthwhile.
    filter: OnceLock<TermFilter>,
    columns: [Arc<dyn ColumnValues<u64>>; 6],
    lengths: [OnceLock<Option<FieldNormReader>>; Field::ALL.len()],
    /// The inverted index of each field, by the number of the field.
    inverted: [OnceLock<Arc<InvertedIndexReader>>; N_FIELDS],
}

/// The lengths of a scored field in the documents of a segment.
pub struct Lengths<'s>(Option<&'s FieldNormReader>);

impl Lengths<'_> {
    /// The number of length codes.
    pub const CODES: usize = 256;

    #[inline]
    pub fn code(&self, doc: u32) -> u8 {
        self.0.map_or(0, |reader| reader.fieldnorm_id(doc))
    }

    /// The length for a code.
    pub fn of_code(code: u8) -> u32 {
        FieldNormReader::id_to_fieldnorm(code)
    }

    /// How many terms the field of document `doc` holds, rounded as in the index: exact up to 40, then to some three
    /// significant bits. The value depends on the document alone, so it is the same in every index.
    pub fn of(&self, doc: u32) -> u32 {
        self.0.map_or(0, |reader| reader.fieldnorm(doc))
    }
}

/// The posting list of a term in a segment, in order, read in blocks of some hundred documents.
#[derive(Clone)]
pub struct PostingBlocks(BlockSegmentPostings);

/// The number of segments from which two threads open them.
const MIN_SEGMENTS_TO_SHARE: usize = 8;

/// How many values of a column are decoded at a time.
const AT_ONCE: usize = 1024;

/// The frequencies of a block of a field without frequencies.
const ONES: [u32; 128] = [1; 128];

impl PostingBlocks {
    pub(super) fn new(postings: BlockSegmentPostings) -> PostingBlocks {
        PostingBlocks(postings)
    }

    /// The length of the list, deleted documents included.
    pub fn count(&self) -> u64 {
        u64::from(self.0.doc_freq())
    }

    /// Calls `each` with the numbers and frequencies of the remaining documents. Fields without frequencies give 1.
    pub fn for_each(&mut self, mut each: impl FnMut(&[u32], &[u32])) {
        loop {
            let len = self.0.block_len();
            if len == 0 {
                return;
            }
            let freqs = self.0.freqs().get(..len).unwrap_or(&ONES[..len]);
            each(&self.0.docs()[..len], freqs);
            self.0.advance();
        }
    }

    /// The first document at or after `doc`; `None` after the last one. Calls must go forward.
    pub fn seek(&mut self, doc: u32) -> Option<u32> {
        let place = self.0.seek(doc);
        (place < self.0.block_len()).then(|| self.0.doc(place))
    }
}

/// The column values of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocColumns {
    /// The file version of the document.
    pub version: VersionId,
    /// The span in the decoded source.
    pub span: Span,
    pub lines: Lines,
    pub kind: SymbolKind,
    /// The kind of the chunk and those of its symbols.
    pub kinds: KindSet,
}

/// The newest commit of an index according to its commit point, before any segment is opened.
pub(super) struct NewestCommit {
    pub layout: Layout,
    stamp: Arc<[u8]>,
    payload: String,
    checks: Option<Arc<Checks>>,
    mapped: Arc<MappedFiles>,
    pub segments: Vec<tantivy::Segment>,
}

impl NewestCommit {
    /// Reads the commit point in the folder `dir`.
    pub fn read(dir: &Path) -> Result<NewestCommit, IndexError> {
        let stamp: Arc<[u8]> = match std::fs::read(dir.join(META)) {
            Ok(bytes) => bytes.into(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(IndexError::Missing),
            Err(error) => return Err(error.into()),
        };
        let directory = PinnedDirectory::open(dir, stamp.clone())?;
        let (mapped, checks) = (directory.mapped(), directory.checks());
        let mut index = Index::open(directory)?;
        let layout = Layout::new();
        if index.schema() != layout.schema {
            return Err(IndexError::Damaged("its fields are not those of this format".into()));
        }
        index.set_tokenizers(tokenizers());
        let metas = index.load_metas()?;
        let payload = metas.payload.ok_or(IndexError::Missing)?;
        let segments = metas.segments.into_iter().map(|meta| index.segment(meta)).collect();
        Ok(NewestCommit { layout, stamp, payload, checks, mapped, segments })
    }
}

impl Reader {
    /// Opens the newest commit of the index in the folder `dir`.
    pub fn open(dir: &Path) -> Result<Reader, IndexError> {
        guarded(|| Reader::open_unguarded(dir))
    }

    fn open_unguarded(dir: &Path) -> Result<Reader, IndexError> {
        let NewestCommit { layout, stamp, payload, checks, mapped, segments: all } = NewestCommit::read(dir)?;
        let open = |some: &[tantivy::Segment]| -> Result<Vec<Arc<Segment>>, IndexError> {
            some.iter()
                .map(|segment| Segment::open(dir, SegmentReader::open(segment)?).map(Arc::new))
                .collect()
        };
        // Opening a segment takes some tenths of a millisecond, so many segments are shared by two threads.
        let segments = if all.len() < MIN_SEGMENTS_TO_SHARE {
            open(&all)?
        } else {
            let (first, second) = all.split_at(all.len() / 2);
            std::thread::scope(|scope| {
                let helper = threads::for_call(scope, std::thread::Builder::new(), || open(second));
                let mut segments = open(first)?;
                segments.extend(match helper {
                    Ok(helper) => helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?,
                    // No second thread could be started.
                    Err(_) => open(second)?,
                });
                Ok::<_, IndexError>(segments)
            })?
        };
        let segments = SegmentList { layout, segments };
        Ok(Reader { dir: dir.to_path_buf(), stamp, payload, checks, segments, mapped })
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The bytes of the commit point that this reader is pinned to.
    pub fn stamp(&self) -> &[u8] {
        &self.stamp
    }

    /// Whether the commit has checksums of the blocks of its files, which readers compare. A commit of an older program
    /// has none.
    pub fn is_sealed(&self) -> bool {
        self.checks.is_some()
    }

    /// Whether a segment lacks the vectors of its files, or has those of another format or of another table of words, as in an
    /// index of an older program.
    pub fn lacks_vectors(&self) -> bool {
        let lacks = |segment: &Arc<Segment>| {
            let path = || vectors::path_of(&segment.dir, &segment.id());
            vectors::has_file(segment.max_doc()) && SegmentVectors::is_lacking(&path())
        };
        self.segments.segments.iter().any(lacks)
    }

    /// Notes which blocks of the files were compared, if that saves later processes much. Called after an answer.
    pub fn note_checks(&self) {
        if let Some(checks) = &self.checks {
            checks.note();
        }
    }

    /// Releases the memory of the mapped files.
    pub fn release_pages(&self) {
        self.mapped.release();
        for lists in self.segments.segments.iter().filter_map(|segment| segment.grams.get()?.as_ref()) {
            lists.release_pages();
        }
        for vectors in self.segments.segments.iter().filter_map(|segment| segment.vectors.get()?.as_ref()) {
            vectors.release_pages();
        }
    }

    pub fn payload(&self) -> &str {
        &self.payload
    }
}

impl Deref for Reader {
    type Target = SegmentList;

    fn deref(&self) -> &SegmentList {
        &self.segments
    }
}

impl SegmentList {
    /// The segments of several lists, in their order.
    pub fn joined<'l>(lists: impl IntoIterator<Item = &'l SegmentList>) -> SegmentList {
        let segments = lists.into_iter().flat_map(|list| list.segments.iter().cloned()).collect();
        SegmentList { layout: Layout::new(), segments }
    }

    /// Makes the filters of terms that segments lack, so that later questions skip segments without their terms. Answers
    /// do not change. A segment that cannot be read gets no filter.
    pub fn make_filters(&self) {
        let lacking = self.segments.iter().filter(|segment| segment.filter.get().is_none()).collect();
        let make = |segment: &Arc<Segment>| {
            if let Ok(filter) = guarded(|| self.filter_of(segment)) {
                let _ = segment.filter.set(filter);
            }
        };
        parallel::map(true, lacking, make, || ());
    }

    fn filter_of(&self, segment: &Segment) -> Result<TermFilter, IndexError> {
        let all: Vec<_> = IndexField::all()
            .map(|field| Ok((field, segment.inverted(&self.layout, field)?)))
            .collect::<Result<_, IndexError>>()?;
        let mut filter = TermFilter::new(all.iter().map(|(_, inverted)| inverted.terms().num_terms()).sum());
        for (field, inverted) in &all {
            let mut stream = inverted.terms().stream()?;
            while stream.advance() {
                filter.insert(term_filter::hash(*field, stream.key()));
            }
        }
        Ok(filter)
    }

    pub(super) fn inverted(
        &self,
        segment: usize,
        field: IndexField,
    ) -> Result<Arc<InvertedIndexReader>, IndexError> {
        Ok(Arc::clone(self.segments[segment].inverted(&self.layout, field)?))
    }

    /// The segments; a document is identified by the position of its segment here and its number in the segment.
    pub fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }

    /// The documents of segment `segment` that hold `term`; `None` when there are none.
    pub fn blocks(
        &self,
        segment: usize,
        field: IndexField,
        term: &str,
    ) -> Result<Option<PostingBlocks>, IndexError> {
        if !self.segments[segment].may_hold(field, term) {
            return Ok(None);
        }
        let tantivy_field = self.layout.field(field);
        let record = match field {
            IndexField::Scored(_) | IndexField::Reference => IndexRecordOption::WithFreqs,
            IndexField::Word | IndexField::Definition => IndexRecordOption::Basic,
        };
        let term = Term::from_field_text(tantivy_field, term);
        guarded(|| {
            let inverted = self.segments[segment].inverted(&self.layout, field)?;
            Ok(inverted.read_block_postings(&term, record)?.map(PostingBlocks))
        })
    }

    /// Calls `each` with the number and frequency of every document of segment `segment` that holds `term`, in order.
    /// Fields without frequencies give 1.
    pub fn postings(
        &self,
        segment: usize,
        field: IndexField,
        term: &str,
        mut each: impl FnMut(u32, u32),
    ) -> Result<(), IndexError> {
        if let Some(mut blocks) = self.blocks(segment, field, term)? {
            blocks.for_each(|docs, freqs| docs.iter().zip(freqs).for_each(|(&doc, &freq)| each(doc, freq)));
        }
        Ok(())
    }

    /// The packed vector of a file version with documents in segment `segment`; `None` if the segment lacks vectors.
    pub fn vector(&self, segment: usize, version: VersionId) -> Option<&[u8; PACKED_BYTES]> {
        let segment = &self.segments[segment];
        let path = || vectors::path_of(&segment.dir, &segment.id());
        let open = || SegmentVectors::open(&path(), &segment.reader, &self.layout);
        segment.vectors.get_or_init(open).as_ref()?.get(version.0)
    }

    /// Calls `each` with the terms of a field whose letters differ from `pattern`, which is [`folded`](super::folded),
    /// by at most `slips`, and with those that have it as a prefix; segment by segment in the order of their bytes.
    pub fn terms_near(
        &self,
        field: IndexField,
        pattern: &str,
        slips: u8,
        each: impl FnMut(&str),
    ) -> Result<(), IndexError> {
        self.terms_of(field, &Near::new(pattern, slips), each)
    }

    /// Calls `each` with the terms of a field that have the letters of `pattern`, which is [`folded`](super::folded) and in
    /// ASCII, and with some others that have characters outside of ASCII. Other terms are not visited.
    pub fn terms_alike(
        &self,
        field: IndexField,
        pattern: &str,
        each: impl FnMut(&str),
    ) -> Result<(), IndexError> {
        self.terms_of(field, &Near::same(pattern), each)
    }

    fn terms_of(&self, field: IndexField, near: &Near, mut each: impl FnMut(&str)) -> Result<(), IndexError> {
        for segment in &self.segments {
            let inverted = segment.inverted(&self.layout, field)?;
            let mut stream = inverted.terms().search(near).into_stream()?;
            while stream.advance() {
                if let Ok(term) = std::str::from_utf8(stream.key()) {
                    each(term);
                }
            }
        }
        Ok(())
    }

    /// Calls `each` with the terms of a field from `from` on, in the order of their bytes, segment by segment, until
    /// `each` returns false. Without `from`, starts with the first term. A term comes once for each segment that holds
    /// it.
    pub fn terms(
        &self,
        field: IndexField,
        from: Option<&str>,
        mut each: impl FnMut(&str) -> bool,
    ) -> Result<(), IndexError> {
        for segment in &self.segments {
            let inverted = segment.inverted(&self.layout, field)?;
            let mut stream = match from {
                Some(from) => inverted.terms().range().ge(from.as_bytes()).into_stream()?,
                None => inverted.terms().stream()?,
            };
            while stream.advance() {
                if let Ok(term) = std::str::from_utf8(stream.key())
                    && !each(term)
                {
                    break;
                }
            }
        }
        Ok(())
    }
}

impl Segment {
    fn open(dir: &Path, reader: SegmentReader) -> Result<Segment, IndexError> {
        let column = |name: &str| -> Result<Arc<dyn ColumnValues<u64>>, IndexError> {
            Ok(reader.fast_fields().u64(name)?.values)
        };
        let columns = [
            column("start")?,
            column("len")?,
            column("line")?,
            column("lines")?,
            column("kind")?,
            column("kinds")?,
        ];
        Ok(Segment {
            dir: dir.to_path_buf(),
            reader,
            versions: OnceLock::new(),
            grams: OnceLock::new(),
            vectors: OnceLock::new(),
            filter: OnceLock::new(),
            columns,
            lengths: Default::default(),
            inverted: Default::default(),
        })
    }

    fn inverted(&self, layout: &Layout, field: IndexField) -> Result<&Arc<InvertedIndexReader>, IndexError> {
        let known = &self.inverted[field.number()];
        if let Some(inverted) = known.get() {
            return Ok(inverted);
        }
        let inverted = self.reader.inverted_index(layout.field(field))?;
        Ok(known.get_or_init(|| inverted))
    }

    /// Whether the segment may hold a term; certain if not.
    fn may_hold(&self, field: IndexField, term: &str) -> bool {
        self.filter.get().is_none_or(|filter| filter.may_hold(term_filter::hash(field, term.as_bytes())))
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The name of the segment.
    pub(super) fn id(&self) -> String {
        self.reader.segment_id().uuid_string()
    }

    /// One more than the highest document number.
    pub fn max_doc(&self) -> u32 {
        self.reader.max_doc()
    }

    /// The number of documents that are not deleted.
    pub fn live_docs(&self) -> u64 {
        u64::from(self.reader.num_docs())
    }

    /// Whether any document is deleted.
    pub fn has_deletes(&self) -> bool {
        self.reader.has_deletes()
    }

    /// Whether a document is not deleted.
    pub fn is_live(&self, doc: u32) -> bool {
        !self.reader.is_deleted(doc)
    }

    /// Calls `each` with the file version of every document, in order.
    pub fn for_each_version(&self, mut each: impl FnMut(u32)) -> Result<(), IndexError> {
        let (column, max_doc) = (self.version_column()?, self.max_doc() as usize);
        let mut values = [0; AT_ONCE];
        for start in (0..max_doc).step_by(AT_ONCE) {
            let values = &mut values[..AT_ONCE.min(max_doc - start)];
            column.get_range(start as u64, values);
            values.iter().for_each(|version| each(*version as u32));
        }
        Ok(())
    }

    /// The file version of every document, by its number.
    pub fn versions(&self) -> Result<Vec<u32>, IndexError> {
        let mut versions = Vec::with_capacity(self.max_doc() as usize);
        self.for_each_version(|version| versions.push(version))?;
        Ok(versions)
    }

    /// The file versions of some documents.
    pub fn versions_of(&self, docs: &[u32]) -> Result<Vec<VersionId>, IndexError> {
        let column = self.version_column()?;
        Ok(docs.iter().map(|doc| VersionId(column.get_val(*doc) as u32)).collect())
    }

    /// The column of file versions. Opening a column costs as much as reading many of its values, so this is done on
    /// first use.
    fn version_column(&self) -> Result<&dyn ColumnValues<u64>, IndexError> {
        if let Some(column) = self.versions.get() {
            return Ok(&**column);
        }
        let column = self.reader.fast_fields().u64("version")?.values;
        Ok(&**self.versions.get_or_init(|| column))
    }

    pub fn lengths(&self, field: Field) -> Result<Lengths<'_>, IndexError> {
        let cell = &self.lengths[field as usize];
        if cell.get().is_none() {
            let layout_field = self.reader.schema().get_field(field.name())?;
            let reader = self.reader.fieldnorms_readers().get_field(layout_field)?;
            let _ = cell.set(reader);
        }
        Ok(Lengths(cell.get().expect("just set").as_ref()))
    }

    pub fn columns(&self, doc: u32) -> Result<DocColumns, IndexError> {
        let [start, len, line, lines, kind, kinds] =
            std::array::from_fn(|column| self.columns[column].get_val(doc) as u32);
        let kind = SymbolKind::from_number(kind as u8)
            .ok_or_else(|| IndexError::Damaged(format!("kind {kind} does not exist")))?;
        Ok(DocColumns {
            version: VersionId(self.version_column()?.get_val(doc) as u32),
            span: Span { start, end: start.saturating_add(len) },
            lines: Lines { first: line, last: line + lines.max(1) - 1 },
            kind,
            kinds: KindSet(kinds),
        })
    }

    /// The start of a document in its file, for callers that need no other column.
    pub fn start(&self, doc: u32) -> u32 {
        self.columns[0].get_val(doc) as u32
    }

    /// The kinds of a document, for callers that need no other column.
    pub fn kinds(&self, doc: u32) -> KindSet {
        KindSet(self.columns[5].get_val(doc) as u32)
    }
}
