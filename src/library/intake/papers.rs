//! Papers and documents: reading a protected file, its record and its text.

use std::fs;
use std::path::Path;

use super::class::IntakeClass;
use super::record::DocumentRecord;
use super::sorting::name_of;
use crate::error::LibraryError;
use crate::listing;
use crate::manifest::MANIFEST_FORMAT;
use crate::paths::LibraryPaths;
use crate::records;
use spyhop_base::store;
use spyhop_index::workspace::unix_now;
use spyhop_syntax::document::{Document, DocumentError, DocumentForm};
use spyhop_syntax::worker::FileAnalyzer;

/// The size of the largest document that is read, in bytes. This process and a parser worker hold it twice.
const MAX_DOCUMENT_BYTES: u64 = 160 << 20;

/// The content that was read from a file.
pub(super) type ReadDocument = Result<Document, DocumentError>;

pub(super) fn read(
    path: &Path,
    form: DocumentForm,
    reader: &mut FileAnalyzer<'_>,
) -> Result<ReadDocument, LibraryError> {
    let failed = |error| LibraryError::io("read", path, error);
    let size = path.metadata().map_err(failed)?.len();
    if size > MAX_DOCUMENT_BYTES {
        let text = format!("it has {size} bytes, above the limit of {MAX_DOCUMENT_BYTES}");
        return Ok(Err(DocumentError::Lost(text)));
    }
    let bytes = fs::read(path).map_err(failed)?;
    Ok(reader.extract(form, &bytes))
}

/// The class of what was read. A file that cannot be read is a document.
pub(super) fn class_of(read: &ReadDocument) -> IntakeClass {
    match read {
        Ok(document) if document.is_paper() => IntakeClass::Paper,
        _ => IntakeClass::Document,
    }
}

/// Writes the record and the text of the protected file at `path`. The text is written first: a file without a record is
/// read again by the next intake.
pub(super) fn record(
    path: &Path,
    class: IntakeClass,
    read: &ReadDocument,
    paths: &LibraryPaths,
) -> Result<DocumentRecord, LibraryError> {
    let failed = |error| LibraryError::io("read", path, error);
    let hash = listing::hash_of(path).map_err(failed)?;
    let bytes = path.metadata().map_err(failed)?.len();
    let file = name_of(path);
    let text = format!("{file}.md");
    let mut record = DocumentRecord {
        format: MANIFEST_FORMAT,
        file: file.clone(),
        class,
        hash,
        bytes,
        taken_at: unix_now(),
        text: text.clone(),
        problem: read.as_ref().err().map(ToString::to_string),
        title: None,
        authors: Vec::new(),
        year: None,
        doi: None,
        arxiv: None,
        abstract_text: None,
        page_count: None,
        outline: Vec::new(),
    };
    let markdown = match read {
        Ok(document) => {
            record.describe(document);
            document.to_markdown(&file)
        }
        Err(error) => format!("# {file}\n\nThe text of this document is missing: {error}.\n"),
    };
    let folder = paths.texts(class);
    store::create_private_dir(&folder)?;
    store::replace(&folder.join(&text), &[markdown.as_bytes()])?;
    records::write(&paths.document(class, &file), &record)?;
    Ok(record)
}
