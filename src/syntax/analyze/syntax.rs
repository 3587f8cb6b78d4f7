//! Keywords, strings, comments and numbers in a piece of source text, for colours on a terminal.
//!
//! This module owns the form of these tokens in each language. A piece begins and ends anywhere, and comes from files
//! that nobody has to trust. The program's process must not parse them, and the start of a worker would
//! cost more than the answer. A lexer over a table needs microseconds and cannot crash. The price is that words which are
//! keywords in some places only are coloured in all places, or in none. Whole files are coloured by [`super::colors`].

use super::lines::lex;
use crate::grammar::{self, lexis_of};
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

/// The tokens of a language.
struct TokenTable {
    /// The signs that begin a comment up to the end of the line.
    line_comments: &'static [&'static str],
    /// The signs that begin and end a comment of several lines.
    block_comment: Option<(&'static str, &'static str)>,
    /// The signs that begin and end a string, the longest first. Only those of more than one character, and backquotes, may
    /// contain line ends.
    quotes: &'static [&'static str],
    /// The reserved words, separated by blanks.
    keywords: &'static str,
}

const C_COMMENT: Option<(&str, &str)> = Some(("/*", "*/"));
const C_QUOTES: &[&str] = &["\"", "'"];

const C: &str = "auto break case char const continue default do double else enum extern float for goto if inline int long \
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool \
    true false NULL";
const CPP: &str = "alignas alignof and auto bool break case catch char class co_await co_return co_yield concept const \
    consteval constexpr constinit const_cast continue decltype default delete do double dynamic_cast else enum explicit \
    export extern false final float for friend goto if inline int long mutable namespace new noexcept not nullptr \
    operator or override private protected public register reinterpret_cast requires return short signed sizeof static \
    static_assert static_cast struct switch template this throw true try typedef typeid typename union unsigned using \
    virtual void volatile while";
const RUST: &str = "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match \
    mod move mut pub ref return self Self static struct super trait true type unsafe use where while";
const GO: &str = "break case chan const continue default defer else fallthrough false for func go goto if import interface \
    map nil package range return select struct switch true type var";
const JAVA: &str = "abstract assert boolean break byte case catch char class const continue default do double else enum \
    extends false final finally float for if implements import instanceof int interface long native new null package \
    private protected public record return sealed short static super switch synchronized this throw throws transient \
    true try var void volatile while yield";
const CSHARP: &str = "abstract as async await base bool break byte case catch char class const continue decimal default \
    delegate do double else enum event explicit extern false finally fixed float for foreach if implicit in int \
    interface internal is lock long namespace new null object operator out override params private protected public \
    readonly record ref return sealed sbyte short sizeof static string struct switch this throw true try typeof uint \
    ulong unchecked unsafe ushort using var virtual void volatile while yield";
const SCRIPT: &str = "abstract any as async await boolean break case catch class const constructor continue debugger declare \
    default delete do else enum export extends false finally for function if implements import in instanceof interface \
    keyof let namespace never new null number of private protected public readonly return satisfies static string super \
    switch this throw true try typeof undefined unknown var void while with yield";
const PYTHON: &str = "False None True and as assert async await break class continue def del elif else except finally for \
    from global if import in is lambda nonlocal not or pass raise return self try while with yield";
const RUBY: &str = "alias and begin break case class def defined do else elsif end ensure false for if in module next nil \
    not or redo rescue retry return self super then true undef unless until when while yield";
const PHP: &str = "abstract and array as break case catch class clone const continue declare default do echo else elseif \
    empty extends false final finally fn for foreach function global if implements include instanceof interface isset \
    match namespace new null or private protected public readonly require return static switch throw trait true try \
    use var while yield";
const KOTLIN: &str = "abstract as break by catch class companion const continue data do else enum false final finally for \
    fun if import in inline interface internal is lateinit null object open override package private protected public \
    return sealed super suspend this throw true try typealias val var when while";
const SCALA: &str = "abstract case catch class def do else enum extends false final finally for given if implicit import \
    lazy match new null object override package private protected return sealed super then this throw trait true try \
    type using val var while with yield";
const SWIFT: &str = "actor as associatedtype async await break case catch class continue default defer deinit do else enum \
    extension fallthrough false fileprivate for func guard if import in init inout internal is let mutating nil open \
    operator override private protocol public repeat rethrows return self Self static struct subscript super switch \
    throw throws true try typealias var where while";
const LUA: &str = "and break do else elseif end false for function goto if in local nil not or repeat return then true \
    until while";
const HASKELL: &str = "case class data default deriving do else foreign if import in infix infixl infixr instance let \
    module newtype of then type where";
const ELIXIR: &str = "after alias and case catch cond def defimpl defmacro defmodule defp defprotocol defstruct do else end \
    false fn for if import in nil not or quote raise receive require rescue true try unless unquote use when with";
const ZIG: &str = "and anytype break catch comptime const continue defer else enum errdefer error export extern false fn \
    for if inline null or orelse packed pub return struct switch test true try undefined union unreachable usingnamespace \
    var volatile while";
const BASH: &str = "case declare do done elif else esac exit export fi for function if in local readonly return select set \
    shift then unset until while";

/// The tokens of a language; `None` for prose, and for a language that is not in the table.
fn lexis(language: &str) -> Option<TokenTable> {
    let new = |line_comments, block_comment, quotes, keywords| {
        Some(TokenTable { line_comments, block_comment, quotes, keywords })
    };
    let braces = |keywords| new(&["//"], C_COMMENT, C_QUOTES, keywords);
    match language {
        "c" => braces(C),
        "cpp" => braces(CPP),
        "rust" => braces(RUST),
        "csharp" => braces(CSHARP),
        "java" => new(&["//"], C_COMMENT, &["\"\"\"", "\"", "'"], JAVA),
        "kotlin" => new(&["//"], C_COMMENT, &["\"\"\"", "\"", "'"], KOTLIN),
        "scala" => new(&["//"], C_COMMENT, &["\"\"\"", "\""], SCALA),
        "swift" => new(&["//"], C_COMMENT, &["\"\"\"", "\""], SWIFT),
        "go" => new(&["//"], C_COMMENT, &["`", "\"", "'"], GO),
        "javascript" | "typescript" | "tsx" => new(&["//"], C_COMMENT, &["`", "\"", "'"], SCRIPT),
        "php" => new(&["//", "#"], C_COMMENT, C_QUOTES, PHP),
        "zig" => new(&["//"], None, C_QUOTES, ZIG),
        "python" => new(&["#"], None, &["\"\"\"", "'''", "\"", "'"], PYTHON),
        "ruby" => new(&["#"], None, C_QUOTES, RUBY),
        "elixir" => new(&["#"], None, &["\"\"\"", "\""], ELIXIR),
        "bash" => new(&["#"], None, C_QUOTES, BASH),
        "lua" => new(&["--"], Some(("--[[", "]]")), C_QUOTES, LUA),
        "haskell" => new(&["--"], Some(("{-", "-}")), &["\""], HASKELL),
        "css" => new(&[], C_COMMENT, C_QUOTES, ""),
        "html" => new(&[], Some(("<!--", "-->")), &["\""], ""),
        "json" => new(&[], None, &["\""], "true false null"),
        "toml" => new(&["#"], None, &["\"\"\"", "'''", "\"", "'"], "true false"),
        "yaml" => new(&["#"], None, &["\""], "true false null"),
        _ => None,
    }
}

/// The tokens of a piece of text with a class, in order and not overlapping. `language` is the language's name.
pub fn syntax(language: &str, text: &str) -> Vec<(Span, SyntaxClass)> {
    let Some(lexis) = lexis(language) else {
        return lexis_of(language).map_or_else(Vec::new, |lexis| by_manifest(lexis, text));
    };
    let mut lexer = SyntaxLexer { language, lexis, text, at: 0, spans: Vec::new() };
    lexer.end_of_open_comment();
    while lexer.at < text.len() {
        lexer.step();
    }
    lexer.spans
}

/// The tokens of a text by the comments, strings and keywords in the manifest of its language.
fn by_manifest(lexis: &grammar::Lexis, text: &str) -> Vec<(Span, SyntaxClass)> {
    let mut spans = Vec::new();
    let mut at = 0;
    for token in lex::tokens(text, lexis) {
        words(lexis, text, Span { start: at, end: token.span.start }, &mut spans);
        spans.push((token.span, if token.is_comment { SyntaxClass::Comment } else { SyntaxClass::Text }));
        at = token.span.end;
    }
    words(lexis, text, Span { start: at, end: text.len() as u32 }, &mut spans);
    spans
}

/// Adds the keywords and numbers of a part of a text.
fn words(lexis: &grammar::Lexis, text: &str, part: Span, spans: &mut Vec<(Span, SyntaxClass)>) {
    let bytes = text.as_bytes();
    let is_word = |at: usize| {
        let byte = bytes[at];
        byte.is_ascii_alphanumeric()
            || byte >= 0x80
            || byte == b'_'
            || (byte == b'-' && at > 0 && bytes[at - 1].is_ascii_alphabetic())
    };
    let (mut at, end) = (part.start as usize, part.end as usize);
    while at < end {
        let start = at;
        at += 1;
        if bytes[start] == b'@' || is_word(start) {
            while at < end && is_word(at) {
                at += 1;
            }
            let class = match text.get(start..at) {
                Some(word) if lexis.is_keyword(word) => SyntaxClass::Keyword,
                Some(word) if word.as_bytes()[0].is_ascii_digit() => SyntaxClass::Number,
                _ => continue,
            };
            if start == 0 || !matches!(bytes[start - 1], b'.' | b'$') {
                spans.push((Span::new(start, at), class));
            }
        }
    }
}

struct SyntaxLexer<'t> {
    language: &'t str,
    lexis: TokenTable,
    text: &'t str,
    at: usize,
    spans: Vec<(Span, SyntaxClass)>,
}

impl<'t> SyntaxLexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Takes the next `len` bytes as a token.
    fn take(&mut self, len: usize, class: SyntaxClass) {
        self.spans.push((Span::new(self.at, self.at + len), class));
        self.at += len;
    }

    /// A piece whose first end of a comment comes before any beginning starts inside of that comment.
    fn end_of_open_comment(&mut self) {
        let Some((open, close)) = self.lexis.block_comment else { return };
        let Some(end) = self.text.find(close) else { return };
        if self.text.find(open).is_none_or(|begin| begin > end) {
            self.take(end + close.len(), SyntaxClass::Comment);
        }
    }

    fn step(&mut self) {
        let rest = self.rest();
        if let Some((open, close)) = self.lexis.block_comment
            && rest.starts_with(open)
        {
            let end = rest[open.len()..].find(close).map_or(rest.len(), |at| open.len() + at + close.len());
            return self.take(end, SyntaxClass::Comment);
        }
        if self.lexis.line_comments.iter().any(|sign| rest.starts_with(sign) && self.may_comment(sign)) {
            return self.take(rest.find('\n').unwrap_or(rest.len()), SyntaxClass::Comment);
        }
        if let Some(quote) = self.lexis.quotes.iter().copied().find(|quote| rest.starts_with(quote)) {
            return match self.end_of_text(quote) {
                Some(end) => self.take(end, SyntaxClass::Text),
                None => self.at += quote.len(),
            };
        }
        let first = rest.chars().next().unwrap_or_default();
        let is_prime = |c: char| c == '\'' && self.language == "haskell";
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || is_prime(c);
        if first.is_ascii_digit() {
            let is_point = |at: usize| rest[at + 1..].starts_with(|c: char| c.is_ascii_digit());
            let end = rest.char_indices().find(|&(at, c)| !(is_word(c) || c == '.' && is_point(at)));
            return self.take(end.map_or(rest.len(), |(at, _)| at), SyntaxClass::Number);
        }
        if !is_word(first) {
            self.at += first.len_utf8();
            return;
        }
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        // `class` is not a keyword in `node.class`, and neither is `for` in `@for`.
        let is_free = !self.text[..self.at].ends_with(['.', '$', '@', '-']);
        if is_free && self.lexis.keywords.split_ascii_whitespace().any(|word| word == &rest[..end]) {
            return self.take(end, SyntaxClass::Keyword);
        }
        self.at += end;
    }

    /// `#` begins a comment of a shell, and of languages with colours or anchors, only after a blank.
    fn may_comment(&self, sign: &str) -> bool {
        let before = self.text[..self.at].chars().next_back();
        sign != "#" || before.is_none_or(char::is_whitespace)
    }

    /// The length of the text that begins with `quote`; `None` if the quote begins no text.
    fn end_of_text(&self, quote: &str) -> Option<usize> {
        let rest = self.rest();
        if quote == "'" && self.language == "rust" {
            // A lifetime has no second quote.
            let inner = &rest[1..];
            let close = match inner.strip_prefix('\\') {
                Some(escape) => {
                    let escaped = escape.chars().next()?.len_utf8();
                    1 + escaped + escape[escaped..].find('\'')?.min(12)
                }
                None => inner.chars().next().filter(|c| *c != '\n')?.len_utf8(),
            };
            return inner.get(close..)?.starts_with('\'').then_some(close + 2);
        }
        let spans_lines = quote.len() > 1 || quote == "`";
        let mut chars = rest.char_indices().skip(quote.len());
        while let Some((at, c)) = chars.next() {
            if rest[at..].starts_with(quote) {
                return Some(at + quote.len());
            }
            match c {
                '\\' => _ = chars.next(),
                '\n' if !spans_lines => return Some(at),
                _ => {}
            }
        }
        Some(rest.len())
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
        let without = names.filter(|name| lexis(name).is_none() && lexis_of(name).is_none());
        assert_eq!(without.collect::<Vec<_>>(), ["markdown"]);
    }
}
