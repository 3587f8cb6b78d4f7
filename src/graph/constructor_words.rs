//! The words that stand for a type in the call of its constructor, such as `super`, in the text of a file. The parser records no use there.

use super::arguments::is_called;
use super::family::{CSHARP, Family};
use super::receiver_text::{is_word, last_bytes, without_comments};
use super::words::{is_skipped, skipped, whole_words};
use spyhop_base::model::{Reference, ReferenceRole};
use spyhop_base::text::Span;

/// The words that stand for a type in the call of its constructor.
pub(super) fn constructor_words(family: Family) -> &'static [&'static str] {
    match family {
        Family::Jvm => &["super", "this"],
        CSHARP => &["base", "new", "this"],
        _ => &[],
    }
}

/// The calls of constructors by these words, in order.
pub(super) fn constructor_calls(family: Family, text: &str, comments: &[Span]) -> Vec<Reference> {
    let words = constructor_words(family).iter().flat_map(|word| whole_words(text, word));
    let is_call = |span: &Span| {
        if !text[span.end as usize..].starts_with('(') {
            return false;
        }
        let before = without_comments(&text[..span.start as usize], comments);
        // In Java, the call is a statement; in the others, it stands behind the parameters.
        match &text[span.range()] {
            "new" => !before.ends_with('.'),
            _ if family == CSHARP => before.ends_with(':'),
            _ => before.ends_with(['{', '}', ';', ':']),
        }
    };
    let mut calls: Vec<Span> = words.filter(is_call).collect();
    if !calls.is_empty() {
        let skipped = skipped(family.common_language(), text, comments);
        calls.retain(|span| !is_skipped(&skipped, *span));
    }
    calls.sort_unstable_by_key(|span| span.start);
    calls.into_iter().map(|span| Reference { span, role: ReferenceRole::Call }).collect()
}

/// Whether a base type is called in the head of a type: `class Pool : Base(1)`.
pub(super) fn is_base_called(text: &str, span: Span) -> bool {
    let head = last_bytes(&text[..span.start as usize]);
    let head = head.trim_end_matches(|c: char| is_word(c) || c == '.').trim_end();
    let is_base = head.ends_with([':', ',']) && !head.ends_with("::") || head.ends_with(" extends");
    is_base && is_called(&text[span.end as usize..])
}
