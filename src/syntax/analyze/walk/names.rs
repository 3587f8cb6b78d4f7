//! The text of a symbol: its name, its signature, and the start of the item proper.

use tree_sitter::{Node, TreeCursor};

use super::state::Walk;
use crate::grammar::flag;
use spyhop_base::model::SymbolKind;
use spyhop_base::text::Span;

/// The longest signature, in bytes. A longer signature is cut at the end of its first line.
pub(crate) const MAX_SIGNATURE: usize = 1024;

/// The longest name, in bytes: headings and computed names can be whole paragraphs.
pub(crate) const MAX_NAME: usize = 160;

impl<'a> Walk<'a> {
    /// The start of `node` after its attributes. Some parsers put attributes inside the item, directly or among its
    /// modifiers; those on separate lines count as the item's lead, as with other parsers.
    pub(super) fn behind_attributes(&self, node: Node<'a>) -> u32 {
        let leads = |node: Node| self.rules.kind(node.kind_id()).flags & (flag::COMMENT | flag::LEADING) != 0;
        let start = node.start_byte() as u32;
        let mut cursor = node.walk();
        let among = |cursor: &mut TreeCursor| cursor.goto_first_child() && leads(cursor.node());
        if !cursor.goto_first_child() || !(leads(cursor.node()) || among(&mut cursor)) {
            return start;
        }
        while leads(cursor.node()) {
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() || cursor.node() == node {
                    return start;
                }
            }
        }
        let behind = cursor.node().start_byte() as u32;
        let apart = self.text.as_bytes()[start as usize..behind as usize].contains(&b'\n');
        if apart { behind } else { start }
    }

    /// The end of the header of `node`: before its body, and before comments between the two.
    pub(super) fn header_end(&self, node: Node<'a>, body: Node<'a>) -> u32 {
        let (end, mut comments) = (body.start_byte(), None);
        let mut cursor = node.walk();
        for child in node.children(&mut cursor).take_while(|child| child.start_byte() < end) {
            if self.rules.kind(child.kind_id()).flags & flag::COMMENT == 0 {
                comments = None;
            } else {
                comments = comments.or(Some(child.start_byte()));
            }
        }
        comments.unwrap_or(end) as u32
    }

    /// The name that `node` spells, without quotes and on one line.
    pub(super) fn name(&self, node: Node<'_>) -> Option<Box<str>> {
        let end = self.rules.end_of(node).map_or(node.end_byte(), |end| end.start_byte());
        let text = self.text.get(node.start_byte()..end)?.trim();
        // A name over several lines has its opening and closing quotes on different lines.
        let text = if self.rules.prose { text } else { unquoted(text) };
        let mut text = text.lines().next()?.trim();
        if self.rules.prose {
            // Marks that close a heading follow a space; the mark of `C#` does not.
            let closed = text.trim_end_matches('#');
            text = if closed.ends_with(' ') { closed.trim_end() } else { text };
        } else {
            text = unquoted(text).trim_start_matches(&*self.rules.strip);
            text = text.split(&*self.rules.until).next()?;
        }
        if text == "_" {
            return None;
        }
        let mut end = text.len().min(MAX_NAME);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        (end > 0).then(|| text[..end].into())
    }

    /// The span from the item proper to its body. What has no body has its first line, but for functions and classes: the head of a class
    /// of Kotlin or a record of C# may go over several lines.
    pub(super) fn signature(&self, kind: SymbolKind, start: u32, body: Option<u32>, end: u32) -> Span {
        let whole = match body {
            Some(body) if body > start => super::trimmed(self.text, start, body),
            _ => end,
        };
        let text = self.text.get(start as usize..whole as usize).unwrap_or("");
        let has_head = matches!(kind, SymbolKind::Fn | SymbolKind::Method | SymbolKind::Class);
        let one_line = body.is_none() && !has_head;
        if !one_line && text.len() <= MAX_SIGNATURE {
            return Span { start, end: whole };
        }
        let mut len = memchr::memchr(b'\n', text.as_bytes()).unwrap_or(text.len()).min(MAX_SIGNATURE);
        while !text.is_char_boundary(len) {
            len -= 1;
        }
        Span { start, end: start + text[..len].trim_end().len() as u32 }
    }
}

/// `text` without the quotes around it.
pub(crate) fn unquoted(text: &str) -> &str {
    let strip = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    ['"', '\'', '`'].into_iter().find_map(strip).unwrap_or(text)
}
