//! Data in the text of a document: identifiers, the year, the abstract.

use std::sync::LazyLock;

use regex::Regex;

use super::content::{Document, MAX_ABSTRACT_CHARS};

/// The pages on which identifiers are looked for. Further ones may belong to cited papers.
const IDENTIFIER_PAGES: usize = 2;

/// The most bytes of a document of one part in which identifiers are looked for.
const IDENTIFIER_BYTES: usize = 8 << 10;

/// Adds what the text says to what the file says.
pub fn complete(document: &mut Document) {
    let first: String = document.pages.iter().take(IDENTIFIER_PAGES).cloned().collect::<Vec<_>>().join("\n");
    let end = if document.pages.len() > 1 { first.len() } else { first.len().min(IDENTIFIER_BYTES) };
    let end = (0..=end).rev().find(|at| first.is_char_boundary(*at)).unwrap_or(0);
    let first = &first[..end];
    document.doi = document.doi.take().or_else(|| doi(first));
    document.arxiv = document.arxiv.take().or_else(|| arxiv(first));
    document.abstract_text = document.abstract_text.take().or_else(|| abstract_of(first));
    // The number of a paper at arXiv begins with the year and month.
    let of_arxiv = document.arxiv.as_ref().and_then(|id| id.get(..2)).and_then(|two| two.parse::<u16>().ok());
    document.year = of_arxiv.map(|two| 2000 + two).or(document.year);
}

/// The first digital object identifier in a text.
pub fn doi(text: &str) -> Option<String> {
    static DOI: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\b10\.\d{4,9}/[-._;()/:A-Za-z0-9]+").expect("a valid pattern"));
    let found = DOI.find(text)?.as_str();
    Some(found.trim_end_matches(['.', ',', ';', ':', ')', '/']).to_string())
}

/// The first identifier of arXiv in a text.
pub fn arxiv(text: &str) -> Option<String> {
    static ARXIV: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\barxiv(?:\.org/(?:abs|pdf)/|:\s?)(\d{4}\.\d{4,5})").expect("a valid pattern")
    });
    Some(ARXIV.captures(text)?[1].to_string())
}

/// The text below or after the word `Abstract`, up to the next heading.
fn abstract_of(text: &str) -> Option<String> {
    static BEGIN: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?im)^[#*\s]*abstract\b[*\s.:—–-]*").expect("a valid pattern"));
    static END: LazyLock<Regex> = LazyLock::new(|| {
        let words =
            r"keywords|key\s?words|index terms|ccs concepts|categories and subject|general terms|contents";
        let heading = r"(?:(?:1|i)\.?\s*)?introduction\b|[1i]\.?\s+[A-Z]";
        Regex::new(&format!(r"(?m)^[#*\s]*(?:(?i:{words})|(?i:{heading})|#+\s)")).expect("a valid pattern")
    });
    let begin = BEGIN.find(text)?.end();
    let rest = &text[begin..];
    let end = END.find(rest).map_or(rest.len(), |end| end.start());
    let words: Vec<&str> = rest[..end].split_whitespace().collect();
    let found: String = words.join(" ").chars().take(MAX_ABSTRACT_CHARS).collect();
    // A shorter text is the word in a sentence or in a table of contents.
    (found.split(' ').count() >= 20).then_some(found)
}
