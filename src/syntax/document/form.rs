//! The forms of documents, recognized by content.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DocumentForm {
    /// A PDF file.
    Pdf,
    /// A document of Word in the form of Office Open XML.
    Docx,
    /// A page in HTML.
    Html,
    /// A text in Markdown.
    Markdown,
    /// A plain text.
    Text,
}

impl DocumentForm {
    /// Every form.
    pub const ALL: [DocumentForm; 5] = [
        DocumentForm::Pdf,
        DocumentForm::Docx,
        DocumentForm::Html,
        DocumentForm::Markdown,
        DocumentForm::Text,
    ];

    /// The name in replies and errors.
    pub fn name(self) -> &'static str {
        match self {
            DocumentForm::Pdf => "PDF",
            DocumentForm::Docx => "DOCX",
            DocumentForm::Html => "HTML",
            DocumentForm::Markdown => "Markdown",
            DocumentForm::Text => "text",
        }
    }

    /// The form of a file with this name that begins with `head`. The content decides where content can: a PDF file or a
    /// page in HTML is one under any name. `None` for a file that is not a document.
    pub fn of(name: &str, head: &[u8]) -> Option<DocumentForm> {
        // Readers of PDF accept up to 1,024 bytes before the header, which a source text can contain too.
        let start = &head[..head.len().min(1024)];
        let header = memchr::memmem::find(start, b"%PDF-");
        if header == Some(0) || (header.is_some() && is_binary(head)) {
            return Some(DocumentForm::Pdf);
        }
        if head.starts_with(b"PK\x03\x04") {
            let is_word = has_entry(head, b"word/document.xml") || has_ending(name, &["docx"]);
            return is_word.then_some(DocumentForm::Docx);
        }
        let text = String::from_utf8_lossy(start).to_lowercase();
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if ["<!doctype html", "<html", "<head", "<body"].iter().any(|tag| text.starts_with(tag)) {
            return Some(DocumentForm::Html);
        }
        if is_binary(head) {
            return None;
        }
        if has_ending(name, &["html", "htm", "xhtml"]) {
            return Some(DocumentForm::Html);
        }
        if has_ending(name, &["md", "markdown", "mkd"]) {
            return Some(DocumentForm::Markdown);
        }
        has_ending(name, &["txt", "text", "rst", "adoc", "asciidoc", "org", "tex"])
            .then_some(DocumentForm::Text)
    }
}

fn is_binary(head: &[u8]) -> bool {
    head.contains(&0)
}

/// Whether an archive that begins with `head` has an entry of this name there. The name follows 30 bytes of its header.
fn has_entry(head: &[u8], name: &[u8]) -> bool {
    memchr::memmem::find_iter(head, name).any(|at| {
        let header = at.checked_sub(30).map(|start| &head[start..at]);
        header.is_some_and(|header| {
            header.starts_with(b"PK\x03\x04")
                && usize::from(u16::from_le_bytes([header[26], header[27]])) == name.len()
        })
    })
}

fn has_ending(name: &str, endings: &[&str]) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    endings.iter().any(|known| ending.eq_ignore_ascii_case(known))
}
