//! Pages in HTML.
//!
//! The text of a page is taken from its tags and texts in one pass, without a tree: a tree takes quadratic time for elements
//! that are nested without an end.

use html5gum::emitters::default::DefaultEmitter;
use html5gum::{StartTag, Token, Tokenizer};

use super::content::{Document, Heading, one_line};
use super::error::DocumentError;
use super::plain::escaped;

/// Elements whose content is not text of the page.
const SKIPPED: [&str; 9] =
    ["script", "style", "noscript", "template", "svg", "nav", "iframe", "button", "form"];

/// Elements that begin a line.
const BLOCKS: &[&str] = &[
    "p",
    "div",
    "section",
    "article",
    "main",
    "li",
    "ul",
    "ol",
    "dl",
    "dt",
    "dd",
    "table",
    "tr",
    "blockquote",
    "header",
    "footer",
    "figure",
    "figcaption",
    "aside",
    "br",
    "hr",
    "body",
    "address",
    "details",
    "summary",
    "pre",
];

pub fn extract(text: &str) -> Result<Document, DocumentError> {
    let mut emitter = DefaultEmitter::default();
    // The text of a script or style is not markup.
    emitter.naively_switch_states(true);
    let mut page = PageText::default();
    for token in Tokenizer::new_with_emitter(text, emitter) {
        match token.unwrap_or_else(|never| match never {}) {
            Token::StartTag(tag) => page.begin_tag(&tag),
            Token::EndTag(tag) => page.end_tag(&tag.name),
            Token::String(text) => page.pending.push_str(&String::from_utf8_lossy(&text)),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    page.flush();
    page.end_heading();
    let content = |names: &'static [&'static str]| {
        let is_asked = move |key: &String| names.iter().any(|name| key.eq_ignore_ascii_case(name));
        page.meta.iter().filter(move |(key, _)| is_asked(key)).filter_map(|(_, content)| one_line(content))
    };
    let title = content(&["citation_title"]).next().or_else(|| one_line(&page.title));
    let date =
        content(&["citation_publication_date", "citation_date", "article:published_time", "date"]).next();
    Ok(Document {
        title: title.or_else(|| page.outline.first().map(|heading| heading.title.clone())),
        authors: content(&["citation_author", "author"]).collect(),
        year: date.and_then(|date| date.get(..4)?.parse().ok()),
        doi: content(&["citation_doi", "dc.identifier"]).find_map(|text| super::identifiers::doi(&text)),
        arxiv: content(&["citation_arxiv_id"]).next(),
        abstract_text: content(&["citation_abstract"]).next(),
        page_count: None,
        outline: page.outline,
        pages: vec![page.text],
    })
}

/// The content that was read of a page so far.
#[derive(Default)]
struct PageText {
    text: String,
    outline: Vec<Heading>,
    title: String,
    /// The names and contents of the elements `meta`.
    meta: Vec<(String, String)>,
    /// How many of the elements [`SKIPPED`] are open, by their places in the list.
    skipped: [usize; SKIPPED.len()],
    preformatted: usize,
    /// The level and the text of the heading that is open.
    heading: Option<(u8, String)>,
    /// Whether the title is open, and whether there was one.
    is_in_title: bool,
    has_title: bool,
    /// The text since the last tag: the tokenizer cuts a text at its entities.
    pending: String,
}

impl PageText {
    fn is_skipped(&self) -> bool {
        self.skipped.iter().any(|open| *open > 0)
    }

    fn begin_tag(&mut self, tag: &StartTag<()>) {
        self.flush();
        if let Some(place) = place_in_skipped(&tag.name) {
            self.skipped[place] += usize::from(!tag.self_closing);
        }
        self.end_block(&tag.name);
        match &**tag.name {
            b"pre" => self.preformatted += 1,
            // An element in an image has this name, too.
            b"title" if !self.is_skipped() => self.is_in_title = !self.has_title,
            b"meta" => self.meta.extend(meta_of(tag)),
            _ => {}
        }
        if let Some(level) = level_of(&tag.name).filter(|_| !self.is_skipped()) {
            self.heading = Some((level, String::new()));
        }
    }

    fn end_tag(&mut self, name: &[u8]) {
        self.flush();
        if let Some(place) = place_in_skipped(name) {
            self.skipped[place] = self.skipped[place].saturating_sub(1);
        }
        self.end_block(name);
        match name {
            b"pre" => self.preformatted = self.preformatted.saturating_sub(1),
            b"title" if !self.is_skipped() => {
                self.is_in_title = false;
                self.has_title = true;
            }
            _ => {}
        }
    }

    /// Ends the line, and a heading with text, at a tag of an element that begins a line.
    fn end_block(&mut self, name: &[u8]) {
        let level = level_of(name);
        if self.is_skipped() || !(level.is_some() || BLOCKS.iter().any(|block| block.as_bytes() == name)) {
            return;
        }
        let is_filled = self.heading.as_ref().is_some_and(|(_, text)| !text.trim().is_empty());
        if level.is_some() || is_filled {
            self.end_heading();
        }
        self.end_line();
    }

    /// Adds the text since the last tag.
    fn flush(&mut self) {
        let text = std::mem::take(&mut self.pending);
        if self.is_in_title {
            self.title.push_str(&text);
        } else if self.is_skipped() || text.is_empty() {
            // Nothing to show.
        } else if let Some((_, heading)) = &mut self.heading {
            heading.push_str(&text);
        } else {
            self.push(&text);
        }
    }

    fn end_heading(&mut self) {
        let Some((level, text)) = self.heading.take() else { return };
        let Some(title) = one_line(&text) else { return };
        self.end_line();
        self.text.push_str(&format!("\n{} {title}\n\n", "#".repeat(usize::from(level.min(5)) + 1)));
        self.outline.push(Heading { level, title, page: None });
    }

    /// Adds a text with single spaces, or a preformatted one as it is.
    fn push(&mut self, text: &str) {
        if self.preformatted > 0 {
            self.text.push_str(&escaped(text));
            return;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let begins = text.starts_with(char::is_whitespace);
        if begins && !self.text.is_empty() && !self.text.ends_with(char::is_whitespace) {
            self.text.push(' ');
        }
        let line = words.join(" ");
        match self.text.is_empty() || self.text.ends_with('\n') {
            true => self.text.push_str(escaped(&line).trim_end_matches('\n')),
            false => self.text.push_str(&line),
        }
        if !words.is_empty() && text.ends_with(char::is_whitespace) {
            self.text.push(' ');
        }
    }

    fn end_line(&mut self) {
        self.text.truncate(self.text.trim_end_matches(' ').len());
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }
}

fn place_in_skipped(name: &[u8]) -> Option<usize> {
    SKIPPED.iter().position(|skipped| skipped.as_bytes() == name)
}

/// The name and the content of an element `meta`.
fn meta_of(tag: &StartTag<()>) -> Option<(String, String)> {
    let value = |name: &str| {
        tag.attributes.get(name.as_bytes()).map(|value| String::from_utf8_lossy(value).into_owned())
    };
    value("name").or_else(|| value("property")).zip(value("content"))
}

fn level_of(name: &[u8]) -> Option<u8> {
    match name {
        [b'h', level @ b'1'..=b'6'] => Some(level - b'0'),
        _ => None,
    }
}
