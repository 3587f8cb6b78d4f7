//! The code of a file for patterns: the text without its comments, brackets, arguments, chains of calls and literals.
//!
//! Blanks take the place of comments, so a position in the code is the position in the text.

use std::sync::LazyLock;

use regex::Regex;

use spyhop_base::text::Span;
use spyhop_syntax::analyze::{LexMode, blanked, lex};

/// The code of a file.
pub(super) struct Code {
    /// The text with blanks in place of comments.
    pub text: String,
    /// The text with blanks in place of comments and literals.
    bare: Vec<u8>,
}

impl Code {
    /// The code of a text in `language`, a name in filters.
    pub fn new(language: &str, text: &str) -> Code {
        let tokens = lex(language, text, LexMode::Code(None));
        // Whole tokens become blanks, so no character is cut.
        let code = blanked(text, &tokens, |token| token.is_comment || token.is_doc);
        let code = String::from_utf8(code).unwrap_or_else(|_| text.to_string());
        Code { text: code, bare: blanked(text, &tokens, |_| true) }
    }

    /// The brackets and commas from `start` to `end`, with the number of brackets that are open behind each.
    fn depths(&self, start: usize, end: usize) -> impl Iterator<Item = (usize, u8, usize)> {
        self.bare[start..end]
            .iter()
            .zip(start..)
            .scan(0usize, |depth, (byte, at)| {
                match byte {
                    b'(' | b'[' | b'{' => *depth += 1,
                    b')' | b']' | b'}' => *depth = depth.saturating_sub(1),
                    _ => {}
                }
                Some((at, *byte, *depth))
            })
            .filter(|(_, byte, _)| b"()[]{},".contains(byte))
    }

    /// The position of the bracket that closes the one at `open`.
    pub fn closing(&self, open: usize) -> Option<usize> {
        self.depths(open, self.bare.len()).find(|(_, _, depth)| *depth == 0).map(|(at, ..)| at)
    }

    /// The number of brackets that are open at `end`, counted from `start`.
    pub fn open_brackets(&self, start: usize, end: usize) -> usize {
        self.depths(start, end).last().map_or(0, |(_, _, depth)| depth)
    }

    /// The arguments in a span, without blanks around them.
    pub fn arguments(&self, span: Span) -> Vec<Span> {
        let (start, end) = (span.start as usize, span.end as usize);
        let commas = self.depths(start, end).filter(|(_, byte, depth)| *byte == b',' && *depth == 0);
        let ends = commas.map(|(at, ..)| at).chain([end]);
        let mut from = start;
        let parts = ends.map(|end| {
            let text = &self.text[std::mem::replace(&mut from, end + 1)..end];
            let start = end - text.trim_start().len();
            Span::new(start, start + text.trim().len())
        });
        parts.filter(|span| span.start < span.end).collect()
    }

    /// The end of the calls that are chained to the expression that ends at `at`: `.name(...)`, again and again.
    pub fn chain_end(&self, at: usize) -> usize {
        let code = &*self.text;
        let mut end = at;
        loop {
            let rest = code[end..].trim_start();
            let begin = code.len() - rest.len();
            let Some(name) = rest.strip_prefix('.') else { return end };
            let name = name.trim_start();
            let word = name.len()
                - name.trim_start_matches(|c: char| c == '_' || c == '$' || c.is_alphanumeric()).len();
            if word == 0 {
                return end;
            }
            let after = begin + rest.len() - name.len() + word;
            let is_call = code[after..].starts_with('(');
            end = match is_call.then(|| self.closing(after)).flatten() {
                Some(close) => close + 1,
                None => after,
            };
        }
    }

    /// Whether a name is a parameter of the function around a position.
    pub fn is_parameter(&self, name: &str, at: usize) -> bool {
        let code = &*self.text;
        static HEAD: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"\b(?:def|function|func|fun|fn)\b[^()\n{]*(?:\([^()\n]*\)\s*\w+)?\(([^)]*)\)")
                .expect("a constant pattern")
        });
        let is_word = |c: char| c == '_' || c.is_alphanumeric();
        if name.is_empty() || !name.chars().all(is_word) {
            return false;
        }
        let line_start = |at: usize| code[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let indent =
            |at: usize| code[line_start(at)..].chars().take_while(|c| matches!(c, ' ' | '\t')).count();
        let from = (at.saturating_sub(MAX_HEAD)..=at).find(|from| code.is_char_boundary(*from)).unwrap_or(at);
        let heads = HEAD.captures_iter(&code[from..at]).filter_map(|captures| captures.get(1));
        let mut heads = heads.map(|parameters| (parameters.range().start + from, parameters.as_str()));
        heads.any(|(start, parameters)| {
            let end = start + parameters.len();
            let body = code[end..].find('{').map(|open| end + open).filter(|open| *open < at);
            let closes = body.and_then(|open| self.closing(open));
            // A body without braces is indented.
            let is_around = match code[end..].trim_start_matches(')').trim_start().starts_with([':', '-']) {
                true => {
                    indent(start) < indent(at)
                        && code[end..at].lines().skip(1).all(|line| {
                            let own = line.len() - line.trim_start().len();
                            line.trim().is_empty()
                                || own > indent(start)
                                || line.trim_start().starts_with([')', ']'])
                        })
                }
                false => closes.is_some_and(|close| at < close),
            };
            is_around && parameters.split(|c| !is_word(c)).any(|word| word == name)
        })
    }
}

/// The end of the statement that goes on at `at`: of its line, and of the next line after a comma or an arrow.
pub(super) fn statement_end(code: &str, at: usize) -> usize {
    let mut end = at;
    loop {
        let line = &code[end..];
        let next = end + line.find('\n').unwrap_or(line.len());
        let text = code[at..next].trim_end();
        let goes_on = text.ends_with(',') || text.ends_with("=>") || text.ends_with('\\');
        if !goes_on || next == code.len() {
            return next;
        }
        end = next + 1;
    }
}

/// The end of the block of the statement at `start`, whose arguments end at `end`: the line `end` of the same indentation.
pub(super) fn do_end(code: &str, start: usize, end: usize) -> Option<usize> {
    let line_start = code[..start].rfind('\n').map_or(0, |at| at + 1);
    let indent = code[line_start..].len() - code[line_start..].trim_start_matches([' ', '\t']).len();
    let head_end = statement_end(code, end.min(code.len()));
    let head = code[start..head_end].trim_end();
    if !(head.ends_with(" do") || head.ends_with('|') && head.contains(" do ")) {
        return None;
    }
    let mut at = head_end;
    for line in code[head_end..].split_inclusive('\n') {
        let text = line.trim();
        let depth = line.len() - line.trim_start_matches([' ', '\t']).len();
        if text.starts_with("end")
            && !text[3..].starts_with(|c: char| c == '_' || c.is_alphanumeric())
            && depth <= indent
        {
            return Some(at + line.len());
        }
        at += line.len();
    }
    None
}

/// The content of a string literal, or the name of a symbol; `None` for any other expression.
pub(super) fn literal_text(expression: &str) -> Option<&str> {
    let text = expression.trim();
    let plain = text.trim_start_matches(['r', 'R', 'f', 'F', 'b', 'u', 'U']);
    let hashes = if text.starts_with('r') { plain.trim_start_matches('#') } else { plain };
    let quote = hashes.chars().next().filter(|quote| ['"', '\'', '`'].contains(quote));
    if let Some(quote) = quote {
        let body = hashes.trim_end_matches('#').strip_prefix(quote)?.strip_suffix(quote)?;
        return (!body.contains(quote)).then_some(body);
    }
    let symbol = text.strip_prefix(':')?;
    let is_name = !symbol.is_empty() && symbol.chars().all(|c| c == '_' || c.is_alphanumeric());
    is_name.then_some(symbol)
}

/// The most bytes before a position in which the function around it is looked for.
const MAX_HEAD: usize = 20_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_become_blanks_and_literals_stay() {
        let check = |language, text: &str, gone: &str, kept: &str| {
            let code = Code::new(language, text).text;
            assert_eq!(code.len(), text.len());
            assert!(!code.contains(gone) && code.contains(kept), "{code:?}");
        };
        check("python", "a = '# kept'  # gone\n", "gone", "# kept");
        check("python", "def f():\n    \"\"\"gone\n    gone\"\"\"\n    return '''kept'''\n", "gone", "kept");
        check("javascript", "get('http://kept') // gone\n/* gone\n */", "gone", "http://kept");
        check("rust", "fn f<'a>(x: &'a str) {} // gone\nlet c = '\"'; kept", "gone", "kept");
        check("ruby", "get \"/a#{kept}\" # gone\n", "gone", "kept");
        check("elixir", "@doc \"\"\"\ngone\n\"\"\"\nget \"/kept\"", "gone", "kept");
    }

    #[test]
    fn brackets_arguments_and_chains_are_found() {
        let code = "route(\"/a)\", get(list).post(add)).layer(x).with(y), z";
        let read = Code::new("rust", code);
        let close = read.closing(5).unwrap();
        let spans = read.arguments(Span::new(6, close));
        let texts: Vec<&str> = spans.iter().map(|span| &code[span.range()]).collect();
        assert_eq!(texts, ["\"/a)\"", "get(list).post(add)"]);
        assert_eq!(&code[read.chain_end(close + 1)..], ", z");
        assert_eq!(read.open_brackets(0, 20), 2);
    }

    #[test]
    fn blocks_end_at_the_end_of_their_indentation() {
        let code = "  scope \"/a\" do\n    get \"/b\"\n    scope \"/c\" do\n    end\n  end\n  get \"/d\"\n";
        let end = do_end(code, 2, 12).unwrap();
        assert!(code[end..].trim_start().starts_with("get \"/d\""));
        assert_eq!(do_end("get \"/b\"\nend\n", 0, 8), None);
    }

    #[test]
    fn literals_have_a_text() {
        assert_eq!(literal_text("r'^api/'"), Some("^api/"));
        assert_eq!(literal_text("\"/a\""), Some("/a"));
        assert_eq!(literal_text(":show"), Some("show"));
        assert_eq!(literal_text("r#\"/a\"#"), Some("/a"));
        assert_eq!(literal_text("prefix + '/a'"), None);
        assert_eq!(literal_text("'/a' + '/b'"), None);
    }
}
