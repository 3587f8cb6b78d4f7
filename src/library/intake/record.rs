//! The record of a paper or document: what the file says of itself, and where its text lies.

use serde::{Deserialize, Serialize};

use super::class::IntakeClass;
use spyhop_attributes::open;
use spyhop_syntax::document::{Document, Heading};

/// The record of a paper or document.
#[open(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentRecord {
    /// The format of the record.
    pub format: u32,
    /// The name of the protected file.
    pub file: String,
    /// Whether the document is a paper.
    pub class: IntakeClass,
    /// The BLAKE3 hash of the file.
    pub hash: String,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// When the document was taken in, in seconds since 1970.
    pub taken_at: u64,
    /// The file with the text, relative to the source of its class.
    pub text: String,
    /// Why the text is missing.
    pub problem: Option<String>,
    /// The title.
    pub title: Option<String>,
    /// The authors.
    pub authors: Vec<String>,
    /// The year.
    pub year: Option<u16>,
    /// The digital object identifier.
    pub doi: Option<String>,
    /// The identifier at arXiv.
    pub arxiv: Option<String>,
    /// The abstract.
    #[serde(rename = "abstract")]
    pub abstract_text: Option<String>,
    /// The number of pages.
    pub page_count: Option<u32>,
    /// The headings.
    pub outline: Vec<Heading>,
}

impl DocumentRecord {
    /// Takes over what a document says of itself.
    pub(super) fn describe(&mut self, document: &Document) {
        let Document { title, authors, year, doi, arxiv, abstract_text, page_count, outline, pages: _ } =
            document;
        self.title.clone_from(title);
        self.authors.clone_from(authors);
        self.year = *year;
        self.doi.clone_from(doi);
        self.arxiv.clone_from(arxiv);
        self.abstract_text.clone_from(abstract_text);
        self.page_count = *page_count;
        self.outline.clone_from(outline);
    }
}
