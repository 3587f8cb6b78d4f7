//! The content that is read from a document.

use serde::{Deserialize, Serialize};

/// The character between two pages of a text.
pub(crate) const PAGE_BREAK: char = '\u{c}';

/// The most characters of an abstract that are kept.
pub(crate) const MAX_ABSTRACT_CHARS: usize = 3_000;

/// The most characters of a title or heading that are kept.
const MAX_TITLE_CHARS: usize = 300;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    pub title: Option<String>,
    /// The authors, in the order of the document.
    pub authors: Vec<String>,
    /// The year of publication, or of the creation of the file.
    pub year: Option<u16>,
    /// The digital object identifier, such as `10.1145/3292500.3330701`.
    pub doi: Option<String>,
    /// The identifier at arXiv, such as `1706.03762`.
    pub arxiv: Option<String>,
    /// The abstract, up to 3,000 characters.
    pub abstract_text: Option<String>,
    /// The number of pages, as far as the file tells.
    pub page_count: Option<u32>,
    /// The headings, in the order of the document.
    pub outline: Vec<Heading>,
    /// The text in Markdown: a part for each page of a PDF file or of a text with form feeds; else one part.
    pub pages: Vec<String>,
}

/// A heading of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Heading {
    /// The level, from 1.
    pub level: u8,
    /// The text.
    pub title: String,
    /// The page, from 1, if the document has pages.
    pub page: Option<u32>,
}

impl Document {
    /// Whether the document looks like a paper: it has an identifier of papers, or an abstract and a list of references.
    pub fn is_paper(&self) -> bool {
        let has_references = || {
            let is_references = |heading: &Heading| {
                let title = heading.title.to_lowercase();
                title.contains("references") || title.contains("bibliography")
            };
            self.outline.iter().any(is_references)
                || self.pages.iter().flat_map(|page| page.lines()).any(|line| {
                    matches!(line.trim_matches(['#', ' ']), "References" | "REFERENCES" | "Bibliography")
                })
        };
        self.arxiv.is_some() || (self.abstract_text.is_some() && (self.doi.is_some() || has_references()))
    }

    /// The document in Markdown: the title as the first heading, what is known of the document, and the pages with a
    /// [`PAGE_BREAK`] after each but the last. `name` is the title of a document without one.
    pub fn to_markdown(&self, name: &str) -> String {
        let mut text = format!("# {}\n\n", self.title.as_deref().unwrap_or(name));
        let known = [
            (!self.authors.is_empty()).then(|| format!("Authors: {}", self.authors.join(", "))),
            self.year.map(|year| format!("Year: {year}")),
            self.doi.as_ref().map(|doi| format!("DOI: {doi}")),
            self.arxiv.as_ref().map(|arxiv| format!("arXiv: {arxiv}")),
        ];
        for line in known.into_iter().flatten() {
            text.push_str(&line);
            text.push('\n');
        }
        for (at, page) in self.pages.iter().enumerate() {
            if at > 0 {
                text.push(PAGE_BREAK);
            }
            text.push('\n');
            text.push_str(page.trim_end());
            text.push('\n');
        }
        text
    }
}

/// The page of a line, both from 1, in a text with a [`PAGE_BREAK`] before each page but the first; `None` for a text without
/// pages.
pub fn page_of(text: &str, line: u32) -> Option<u32> {
    if !text.contains(PAGE_BREAK) {
        return None;
    }
    let until = text.split_inclusive('\n').take(line as usize);
    Some(1 + until.map(|line| line.matches(PAGE_BREAK).count() as u32).sum::<u32>())
}

/// A title or heading on one line, without Markdown's marks, or `None` if nothing is left.
pub(crate) fn one_line(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words.join(" ").chars().take(MAX_TITLE_CHARS).collect();
    (!line.is_empty()).then_some(line)
}
