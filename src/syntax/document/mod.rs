//! Papers and documents: the text of a PDF, DOCX, HTML, Markdown or plain text file, and what the file says of itself.
//!
//! [`extract`] turns the bytes of a file into a [`Document`]. [`Document::to_markdown`] writes the document as Markdown,
//! which the index cuts by headings; a form feed ends each page, so that the page of a line can be counted. The crates that
//! read PDF files panic on files that their authors did not foresee, and may loop; [`crate::worker`] therefore calls this
//! module in a parser worker where the caller has workers.

mod content;
#[cfg(feature = "documents")]
mod docx;
mod error;
mod form;
#[cfg(feature = "documents")]
mod html;
mod identifiers;
mod markdown;
#[cfg(feature = "documents")]
mod pdf;
#[cfg(feature = "documents")]
mod pdf_limits;
#[cfg(feature = "documents")]
mod pdf_lines;
mod plain;

pub use content::{Document, Heading, page_of};

pub use error::DocumentError;
pub use form::DocumentForm;

/// The most bytes of a document's text.
const MAX_TEXT_BYTES: usize = 48 << 20;

/// The text and the metadata of a document.
///
/// # Errors
/// [`DocumentError`] if the file cannot be read as a document of this form. A page that cannot be read is an empty page.
pub fn extract(form: DocumentForm, bytes: &[u8]) -> Result<Document, DocumentError> {
    let mut document = match form {
        DocumentForm::Markdown => markdown::extract(&text_of(bytes)),
        DocumentForm::Text => plain::extract(&text_of(bytes)),
        #[cfg(feature = "documents")]
        DocumentForm::Pdf => pdf::extract(bytes)?,
        #[cfg(feature = "documents")]
        DocumentForm::Docx => docx::extract(bytes)?,
        #[cfg(feature = "documents")]
        DocumentForm::Html => html::extract(&text_of(bytes))?,
        #[cfg(not(feature = "documents"))]
        form => return Err(DocumentError::NotBuiltIn(form.name().to_string())),
    };
    let bytes: usize = document.pages.iter().map(String::len).sum();
    if bytes > MAX_TEXT_BYTES {
        return Err(DocumentError::Damaged(format!("its text has more than {} MB", MAX_TEXT_BYTES >> 20)));
    }
    identifiers::complete(&mut document);
    Ok(document)
}

/// The text of a file in UTF-8, UTF-16 or another encoding.
fn text_of(bytes: &[u8]) -> String {
    match spyhop_files::read::decode(bytes.to_vec()) {
        Ok((text, _)) => text,
        Err(_) => String::from_utf8_lossy(bytes).into_owned(),
    }
}

#[cfg(test)]
mod tests;
