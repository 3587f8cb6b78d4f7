//! Pages in HTML.

use ego_tree::iter::Edge;
use scraper::{ElementRef, Html, Node};

use super::content::{Document, Heading, one_line};
use super::plain::escaped;

/// Elements whose content is not text of the page.
const SKIPPED: &[&str] =
    &["script", "style", "noscript", "template", "svg", "nav", "head", "iframe", "button", "form"];

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

/// The document in a page.
pub fn extract(text: &str) -> Document {
    let html = Html::parse_document(text);
    let mut page = PageText::default();
    page.walk(html.root_element());
    let elements = || html.root_element().descendent_elements();
    let named = |name: &'static str| elements().find(move |element| element.value().name() == name);
    let meta = |names: &'static [&'static str]| {
        elements().filter(move |element| {
            let key = element.attr("name").or(element.attr("property")).unwrap_or_default();
            element.value().name() == "meta" && names.iter().any(|name| key.eq_ignore_ascii_case(name))
        })
    };
    let content = |names| meta(names).filter_map(|element| one_line(element.attr("content")?));
    let title = content(&["citation_title"]).next();
    let title =
        title.or_else(|| named("title").and_then(|element| one_line(&element.text().collect::<String>())));
    let date =
        content(&["citation_publication_date", "citation_date", "article:published_time", "date"]).next();
    Document {
        title: title.or_else(|| page.outline.first().map(|heading| heading.title.clone())),
        authors: content(&["citation_author", "author"]).collect(),
        year: date.and_then(|date| date.get(..4)?.parse().ok()),
        doi: content(&["citation_doi", "dc.identifier"]).find_map(|text| super::identifiers::doi(&text)),
        arxiv: content(&["citation_arxiv_id"]).next(),
        abstract_text: content(&["citation_abstract"]).next(),
        page_count: None,
        outline: page.outline,
        pages: vec![page.text],
    }
}

#[derive(Default)]
struct PageText {
    text: String,
    outline: Vec<Heading>,
}

impl PageText {
    /// Adds the text below an element. The stack of the walk is on the heap, because pages nest without limit.
    fn walk(&mut self, root: ElementRef<'_>) {
        let (mut skipped, mut preformatted) = (0usize, 0usize);
        for edge in root.traverse() {
            let (node, opens) = match edge {
                Edge::Open(node) => (node, true),
                Edge::Close(node) => (node, false),
            };
            match node.value() {
                Node::Element(element) => {
                    let name = element.name();
                    let level = level_of(name);
                    let is_block = level.is_some() || name == "pre" || BLOCKS.contains(&name);
                    if skipped == 0 && is_block {
                        self.end_line();
                    }
                    if name == "pre" {
                        preformatted = if opens { preformatted + 1 } else { preformatted.saturating_sub(1) };
                    }
                    if let Some(level) = level.filter(|_| skipped == 0 && opens) {
                        self.heading(level, ElementRef::wrap(node));
                    }
                    // The text of a heading is added with the heading.
                    if SKIPPED.contains(&name) || level.is_some() {
                        skipped = if opens { skipped + 1 } else { skipped.saturating_sub(1) };
                    }
                }
                Node::Text(text) if skipped == 0 && opens => self.push(text, preformatted > 0),
                _ => {}
            }
        }
    }

    fn heading(&mut self, level: u8, element: Option<ElementRef<'_>>) {
        let title = element.and_then(|element| one_line(&element.text().collect::<String>()));
        let Some(title) = title else { return };
        self.text.push_str(&format!("\n{} {title}\n\n", "#".repeat(usize::from(level.min(5)) + 1)));
        self.outline.push(Heading { level, title, page: None });
    }

    /// Adds a text with single spaces, or a preformatted one as it is.
    fn push(&mut self, text: &str, is_preformatted: bool) {
        if is_preformatted {
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

fn level_of(name: &str) -> Option<u8> {
    let level = name.strip_prefix('h')?.parse().ok()?;
    (1..=6).contains(&level).then_some(level)
}
