//! Keywords, strings, comments and numbers in a piece of source text, for colours on a terminal.
//!
//! This module owns the form of these tokens in each language. A piece begins and ends anywhere, and comes from files
//! that nobody has to trust. The program's process must not parse them, and the start of a worker would
//! cost more than the answer. A lexer over a table needs microseconds and cannot crash. The price is that words which are
//! keywords in some places only are coloured in all places, or in none. Whole files are coloured by [`super::colors`].

use super::lines::{LexMode, tokens};
use crate::grammar::{DelimiterPair, Lexis, lexis_of};
use spyhop_base::text::Span;

/// The class of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntaxClass {
    Keyword,
    /// A string or a character.
    Text,
    Comment,
    Number,
}

/// The tokens of a piece of text with a class, in order and not overlapping. `language` is the name of a built-in language.
pub fn syntax(language: &str, text: &str) -> Vec<(Span, SyntaxClass)> {
    let Some(lexis) = lexis_of(language) else { return Vec::new() };
    let mut spans = Vec::new();
    let mut at = end_of_open_comment(lexis, text);
    if at > 0 {
        spans.push((Span::new(0, at as usize), SyntaxClass::Comment));
    }
    let from = at;
    for token in tokens(&text[at as usize..], lexis, LexMode::Excerpt) {
        let span = Span { start: from + token.span.start, end: from + token.span.end };
        words(lexis, text, Span { start: at, end: span.start }, &mut spans);
        spans.push((span, if token.is_comment { SyntaxClass::Comment } else { SyntaxClass::Text }));
        at = span.end;
    }
    words(lexis, text, Span { start: at, end: text.len() as u32 }, &mut spans);
    spans
}

/// The end of the comment in which a piece starts: its first end of a comment comes before any beginning.
fn end_of_open_comment(lexis: &Lexis, text: &str) -> u32 {
    let blocks = lexis.pairs.iter().filter(|pair| pair.is_comment && !pair.opens_line);
    let end = |pair: &DelimiterPair| {
        let close = pair.close.as_deref().filter(|close| !close.is_empty())?;
        let end = text.find(close)?;
        text.find(&*pair.open).is_none_or(|begin| begin > end).then_some((end + close.len()) as u32)
    };
    blocks.filter_map(end).next().unwrap_or(0)
}

/// Adds the keywords and numbers of a part of a text.
fn words(lexis: &Lexis, text: &str, part: Span, spans: &mut Vec<(Span, SyntaxClass)>) {
    let bytes = &text.as_bytes()[..part.end as usize];
    let is_word = |at: usize| match bytes[at] {
        b'-' => lexis.has_dashes && at > 0 && bytes[at - 1].is_ascii_alphabetic(),
        byte => byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80,
    };
    let mut at = part.start as usize;
    while at < bytes.len() {
        let start = at;
        let is_number = bytes[start].is_ascii_digit();
        let goes_on = |at: usize| {
            is_word(at) || is_number && bytes[at] == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
        };
        at += 1;
        if bytes[start] == b'@' || is_word(start) {
            at += (at..bytes.len()).take_while(|at| goes_on(*at)).count();
            let class = match text.get(start..at) {
                Some(_) if is_number => SyntaxClass::Number,
                // `class` is not a keyword in `node.class`, and neither is `for` in `@for`.
                Some(word) if lexis.is_keyword(word) && !text[..start].ends_with(['.', '$', '@', '-']) => {
                    SyntaxClass::Keyword
                }
                _ => continue,
            };
            spans.push((Span::new(start, at), class));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows each token as its text behind the first letter of its class.
    fn check(language: &str, text: &str, expected: &str) {
        let letter = |class| match class {
            SyntaxClass::Keyword => 'k',
            SyntaxClass::Text => 't',
            SyntaxClass::Comment => 'c',
            SyntaxClass::Number => 'n',
        };
        let shown: Vec<String> = syntax(language, text)
            .into_iter()
            .map(|(span, class)| format!("{}:{}", letter(class), &text[span.range()]))
            .collect();
        assert_eq!(shown.join(" "), expected, "{language}");
    }

    #[test]
    fn tokens() {
        check("rust", "fn f<'a>(c: char) { c == '\\'' || c == 'ß' // no", "k:fn t:'\\'' t:'ß' c:// no");
        check("rust", "let x = 0x1f_u8 + 1.5 + a.1..2;", "k:let n:0x1f_u8 n:1.5 n:1 n:2");
        check("rust", "tail of it */ fn", "c:tail of it */ k:fn");
        check(
            "python",
            "def f(self):\n  '''a\n  # b'''\n  return 'x' # y",
            "k:def k:self t:'''a\n  # b''' k:return t:'x' c:# y",
        );
        check("go", "a := `x\n` + \"y\\\"\" /* z", "t:`x\n` t:\"y\\\"\" c:/* z");
        check("javascript", "node.class = class {}", "k:class");
        check("bash", "if [ $# -gt 1 ]; then # two", "k:if n:1 k:then c:# two");
        check("haskell", "x' = case y of -- z", "k:case k:of c:-- z");
        check("java", "\"open\nint x", "t:\"open k:int");
        check("json", "{\"a\": [1, true]}", "t:\"a\" n:1 k:true");
        check("markdown", "# if \"x\"", "");
        check("sql", "SELECT 1 -- one\nFROM a.select", "k:SELECT n:1 c:-- one k:FROM");
        check("terraform", "x = \"for\" # for", "t:\"for\" c:# for");
    }

    #[test]
    fn any_text_ends_on_character_boundaries() {
        let texts =
            ["'\\", "'\\ß'", "'", "\"\\", "ß'ß", "1.ß", "'''", "/*", "*/", "--[[ß", "\u{2028}'\\u{1f}'"];
        let languages = crate::grammar::Grammars::built_in();
        for text in texts {
            for language in languages.list().into_iter().map(|row| row.name) {
                for (span, _) in syntax(&language, text) {
                    assert!(text.get(span.range()).is_some(), "{language}: {text}");
                }
            }
        }
    }

    #[test]
    fn every_programming_language_has_tokens() {
        let languages = crate::grammar::Grammars::built_in();
        let names = languages.list().into_iter().map(|row| row.name);
        let without = names.filter(|name| lexis_of(name).is_none());
        assert_eq!(without.collect::<Vec<_>>(), ["markdown", "notebook"]);
    }
}
