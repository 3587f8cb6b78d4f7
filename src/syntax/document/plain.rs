//! Plain text.

use super::content::{Document, PAGE_BREAK, one_line};

/// The document in a plain text. Its first line is the title. Form feeds end pages.
pub fn extract(text: &str) -> Document {
    let title = text.lines().find_map(one_line);
    let pages: Vec<String> = text.split(PAGE_BREAK).map(escaped).collect();
    let page_count = (pages.len() > 1).then_some(pages.len() as u32);
    Document { title, page_count, pages, ..Document::default() }
}

/// A text in which no line is a heading of Markdown, and none underlines one.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for line in text.lines() {
        let trimmed = line.trim();
        let underlines = |sign: char| !trimmed.is_empty() && trimmed.chars().all(|c| c == sign);
        if trimmed.starts_with('#') || underlines('=') || underlines('-') {
            escaped.push('\\');
        }
        escaped.push_str(line);
        escaped.push('\n');
    }
    escaped
}
