//! Pages in HTML.
//!
//! The text of a page is taken from its tags and texts in one pass, without a tree: a tree takes quadratic time for elements
//! that are nested without an end.

use std::cell::RefCell;

use html5ever::buffer_queue::BufferQueue;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer};

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
];

/// The most attributes of a tag: the tokenizer compares each with all before it.
const MAX_ATTRIBUTES: usize = 5_000;

/// The document in a page.
pub fn extract(text: &str) -> Result<Document, DocumentError> {
    if most_words_of_a_tag(text) > MAX_ATTRIBUTES {
        return Err(DocumentError::Damaged(format!("a tag has more than {MAX_ATTRIBUTES} attributes")));
    }
    let input = BufferQueue::default();
    input.push_back(text.into());
    let tokenizer = Tokenizer::new(PageSink::default(), Default::default());
    // A script is a text like any other, so the tokenizer stops at none.
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    let mut page = tokenizer.sink.0.into_inner();
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

/// The most words between the begin of a tag and the next `>`.
fn most_words_of_a_tag(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut most, mut at) = (0, 0);
    while let Some(open) = memchr::memchr(b'<', &bytes[at..]).map(|len| at + len) {
        at = open + 1;
        if bytes.get(at).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'/') {
            at = memchr::memchr(b'>', &bytes[open..]).map_or(bytes.len(), |len| open + len);
            let begins = |pair: &&[u8]| b" \t\n\r\x0c/\"'".contains(&pair[0]) && pair[1] > b' ';
            most = most.max(bytes[open..at].windows(2).filter(begins).count());
        }
    }
    most
}

/// What was read of a page so far.
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

    /// Takes in a tag. Returns the kind of text that follows a tag such as `<script>`.
    fn tag(&mut self, tag: &Tag) -> Option<RawKind> {
        self.flush();
        let (name, opens) = (&*tag.name, tag.kind == TagKind::StartTag);
        if let Some(place) = SKIPPED.iter().position(|skipped| *skipped == name) {
            let open = &mut self.skipped[place];
            *open =
                if opens && !tag.self_closing { *open + 1 } else { open.saturating_sub(usize::from(!opens)) };
        }
        let level = level_of(name);
        if !self.is_skipped() && (level.is_some() || name == "pre" || BLOCKS.contains(&name)) {
            let is_filled = self.heading.as_ref().is_some_and(|(_, text)| !text.trim().is_empty());
            if level.is_some() || is_filled {
                self.end_heading();
            }
            self.end_line();
        }
        match name {
            "pre" if opens => self.preformatted += 1,
            "pre" => self.preformatted = self.preformatted.saturating_sub(1),
            // An element in an image has this name, too.
            "title" if !self.is_skipped() => {
                self.is_in_title = opens && !self.has_title;
                self.has_title |= !opens;
            }
            "meta" if opens => self.meta.extend(meta_of(tag)),
            _ => {}
        }
        if let Some(level) = level.filter(|_| opens && !self.is_skipped()) {
            self.heading = Some((level, String::new()));
        }
        match name {
            "script" if opens => Some(RawKind::ScriptData),
            "style" | "noscript" | "iframe" | "xmp" | "noembed" | "noframes" if opens => {
                Some(RawKind::Rawtext)
            }
            "title" | "textarea" if opens => Some(RawKind::Rcdata),
            _ => None,
        }
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

/// The name and the content of an element `meta`.
fn meta_of(tag: &Tag) -> Option<(String, String)> {
    let value = |name: &str| {
        tag.attrs
            .iter()
            .find(|attribute| &*attribute.name.local == name)
            .map(|attribute| attribute.value.to_string())
    };
    value("name").or_else(|| value("property")).zip(value("content"))
}

fn level_of(name: &str) -> Option<u8> {
    let level = name.strip_prefix('h')?.parse().ok()?;
    (1..=6).contains(&level).then_some(level)
}

/// Receives the tokens of a page.
#[derive(Default)]
struct PageSink(RefCell<PageText>);

impl TokenSink for PageSink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut page = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) => {
                page.tag(&tag).map_or(TokenSinkResult::Continue, TokenSinkResult::RawData)
            }
            Token::CharacterTokens(text) => {
                page.pending.push_str(&text);
                TokenSinkResult::Continue
            }
            _ => TokenSinkResult::Continue,
        }
    }
}
