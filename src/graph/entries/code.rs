//! The code of a file for patterns: the text without its comments, brackets, arguments, chains of calls and literals.
//!
//! Blanks take the place of comments, so a position in the code is the position in the text.

use std::sync::LazyLock;

use regex::Regex;

use spyhop_base::text::Span;

/// How a language writes comments and literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CodeStyle {
    /// `#` begins a comment; text in three quotes that is a statement is a comment.
    Python,
    /// `#` begins a comment.
    Hash,
    /// `//` and `/* */`; text in backticks spans lines.
    Slashes,
    /// As [`CodeStyle::Slashes`]; an apostrophe begins a character or a lifetime.
    SlashesWithChars,
    /// No comments.
    Plain,
}

impl CodeStyle {
    /// The style of a language, by the language's name in filters, or else of a file name.
    pub fn of(language: &str, file_name: &str) -> CodeStyle {
        match language {
            "python" => CodeStyle::Python,
            "ruby" | "elixir" | "bash" | "toml" | "yaml" => CodeStyle::Hash,
            "javascript" | "jsx" | "typescript" | "tsx" | "php" | "swift" => CodeStyle::Slashes,
            "rust" | "go" | "java" | "kotlin" | "scala" | "c" | "cpp" | "csharp" => {
                CodeStyle::SlashesWithChars
            }
            "json" | "markdown" => CodeStyle::Plain,
            _ if file_name.to_ascii_lowercase().contains("makefile") || file_name.ends_with(".mk") => {
                CodeStyle::Hash
            }
            _ if file_name.to_ascii_lowercase().ends_with("justfile") => CodeStyle::Hash,
            _ => CodeStyle::Plain,
        }
    }
}

/// The text with blanks in place of comments.
pub(super) fn without_comments(style: CodeStyle, text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        if let Some(end) = comment_end(style, bytes, at) {
            code[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
            at = end.max(at + 1);
        } else {
            at = literal_end(style, bytes, at).unwrap_or(at + 1);
        }
    }
    // A comment ends at a line break or at its ASCII sign, so no character is cut.
    String::from_utf8(code).unwrap_or_else(|_| text.to_string())
}

/// The end of the comment that begins at `at`.
fn comment_end(style: CodeStyle, bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    let line_end = || at + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    let begins_word = at == 0 || bytes[at - 1].is_ascii_whitespace() || bytes[at - 1] == b';';
    match style {
        CodeStyle::Slashes | CodeStyle::SlashesWithChars if rest.starts_with(b"//") => Some(line_end()),
        CodeStyle::Slashes | CodeStyle::SlashesWithChars if rest.starts_with(b"/*") => {
            Some(memchr::memmem::find(&rest[2..], b"*/").map_or(bytes.len(), |found| at + 2 + found + 2))
        }
        CodeStyle::Python if rest[0] == b'#' => Some(line_end()),
        CodeStyle::Hash if rest[0] == b'#' && begins_word && !rest.starts_with(b"#{") => Some(line_end()),
        CodeStyle::Hash if rest.starts_with(b"\"\"\"") && is_documentation(bytes, at) => {
            Some(memchr::memmem::find(&rest[3..], b"\"\"\"").map_or(bytes.len(), |found| at + 3 + found + 3))
        }
        CodeStyle::Python
            if (rest.starts_with(b"\"\"\"") || rest.starts_with(b"'''")) && begins_line(bytes, at) =>
        {
            Some(memchr::memmem::find(&rest[3..], &rest[..3]).map_or(bytes.len(), |found| at + 3 + found + 3))
        }
        _ => None,
    }
}

/// Whether only blanks are before `at` in its line, and the line is a statement.
fn begins_line(bytes: &[u8], at: usize) -> bool {
    let before = bytes[..at].trim_ascii_end();
    let is_line = bytes[before.len()..at].contains(&b'\n') || before.is_empty();
    is_line && !before.ends_with(b"(") && !before.ends_with(b",") && !before.ends_with(b"=")
}

/// Whether the text in three quotes at `at` documents an Elixir module or function.
fn is_documentation(bytes: &[u8], at: usize) -> bool {
    let line = bytes[..at].rsplit(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii();
    line.starts_with(b"@") && line.ends_with(b"doc")
}

/// The end of the literal that begins at `at`; `None` if none begins there.
pub(super) fn literal_end(style: CodeStyle, bytes: &[u8], at: usize) -> Option<usize> {
    let quote = bytes[at];
    let is_quote = matches!(quote, b'"' | b'\'') || (quote == b'`' && style != CodeStyle::Hash);
    if !is_quote || style == CodeStyle::Plain {
        return None;
    }
    let is_triple = style == CodeStyle::Python && bytes[at..].starts_with(&[quote; 3]);
    let width = if is_triple { 3 } else { 1 };
    let is_char = quote == b'\'' && style == CodeStyle::SlashesWithChars;
    let spans_lines = is_triple || quote == b'`' || (quote == b'"' && style == CodeStyle::SlashesWithChars);
    let mut end = at + width;
    while end < bytes.len() {
        match bytes[end] {
            b'\\' => end += 1,
            b'\n' if !spans_lines || is_char => return None,
            byte if byte == quote && bytes[end..].starts_with(&[quote; 3][..width]) => {
                return Some(end + width);
            }
            _ if is_char && end > at + 10 => return None,
            _ => {}
        }
        end += 1;
    }
    None
}

/// The position of the bracket that closes the one at `open`.
pub(super) fn closing(style: CodeStyle, code: &str, open: usize) -> Option<usize> {
    let bytes = code.as_bytes();
    let (mut depth, mut at) = (0usize, open);
    while at < bytes.len() {
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {
                if let Some(end) = literal_end(style, bytes, at) {
                    at = end;
                    continue;
                }
            }
        }
        at += 1;
    }
    None
}

/// The number of brackets that are open at `end`, counted from `start`.
pub(super) fn open_brackets(style: CodeStyle, code: &str, start: usize, end: usize) -> usize {
    let bytes = code.as_bytes();
    let (mut depth, mut at) = (0usize, start);
    while at < end {
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {
                if let Some(end) = literal_end(style, bytes, at) {
                    at = end;
                    continue;
                }
            }
        }
        at += 1;
    }
    depth
}

/// The arguments in a span, without blanks around them.
pub(super) fn arguments(style: CodeStyle, code: &str, span: Span) -> Vec<Span> {
    let bytes = code.as_bytes();
    let (mut start, end) = (span.start as usize, span.end as usize);
    let (mut depth, mut at, mut found) = (0usize, start, Vec::new());
    while at < end {
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                found.push(trimmed(code, start, at));
                start = at + 1;
            }
            _ => {
                if let Some(end) = literal_end(style, bytes, at) {
                    at = end;
                    continue;
                }
            }
        }
        at += 1;
    }
    found.push(trimmed(code, start, end));
    found.retain(|span| span.start < span.end);
    found
}

fn trimmed(code: &str, start: usize, end: usize) -> Span {
    let text = &code[start..end];
    let start = start + text.len() - text.trim_start().len();
    Span::new(start, start + text.trim().len())
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

/// The end of the calls that are chained to the expression that ends at `at`: `.name(...)`, again and again.
pub(super) fn chain_end(style: CodeStyle, code: &str, at: usize) -> usize {
    let mut end = at;
    loop {
        let rest = code[end..].trim_start();
        let begin = code.len() - rest.len();
        let Some(name) = rest.strip_prefix('.') else { return end };
        let name = name.trim_start();
        let word =
            name.len() - name.trim_start_matches(|c: char| c == '_' || c == '$' || c.is_alphanumeric()).len();
        if word == 0 {
            return end;
        }
        let after = begin + rest.len() - name.len() + word;
        let is_call = code[after..].starts_with('(');
        end = match is_call.then(|| closing(style, code, after)).flatten() {
            Some(close) => close + 1,
            None => after,
        };
    }
}

/// The end of the block of the statement at `start`, whose arguments end at `end`: the line `end` of the same indentation.
pub(super) fn do_end(code: &str, start: usize, end: usize) -> Option<usize> {
    let line_start = code[..start].rfind('\n').map_or(0, |at| at + 1);
    let indent = code[line_start..].len() - code[line_start..].trim_start_matches([' ', '\t']).len();
    let head_end = statement_end(code, end.min(code.len()));
    let head = code[start..head_end].trim_end();
    let opens = head.ends_with(" do") || head.ends_with('|') && head.contains(" do ");
    if !opens {
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

/// Whether a name is a parameter of the function around a position.
pub(super) fn is_parameter(style: CodeStyle, code: &str, name: &str, at: usize) -> bool {
    static HEAD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:def|function|func|fun|fn)\b[^()\n{]*(?:\([^()\n]*\)\s*\w+)?\(([^)]*)\)")
            .expect("a constant pattern")
    });
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    if name.is_empty() || !name.chars().all(is_word) {
        return false;
    }
    let line_start = |at: usize| code[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let indent = |at: usize| code[line_start(at)..].chars().take_while(|c| matches!(c, ' ' | '\t')).count();
    let from = (at.saturating_sub(MAX_HEAD)..=at).find(|from| code.is_char_boundary(*from)).unwrap_or(at);
    let heads = HEAD.captures_iter(&code[from..at]).filter_map(|captures| captures.get(1));
    let mut heads = heads.map(|parameters| (parameters.range().start + from, parameters.as_str()));
    heads.any(|(start, parameters)| {
        let end = start + parameters.len();
        let body = code[end..].find('{').map(|open| end + open).filter(|open| *open < at);
        let closes = body.and_then(|open| closing(style, code, open));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_become_blanks_and_literals_stay() {
        let check = |style, text: &str, gone: &str, kept: &str| {
            let code = without_comments(style, text);
            assert_eq!(code.len(), text.len());
            assert!(!code.contains(gone) && code.contains(kept), "{code:?}");
        };
        check(CodeStyle::Python, "a = '# kept'  # gone\n", "gone", "# kept");
        check(
            CodeStyle::Python,
            "def f():\n    \"\"\"gone\n    gone\"\"\"\n    return '''kept'''\n",
            "gone",
            "kept",
        );
        check(CodeStyle::Slashes, "get('http://kept') // gone\n/* gone\n */", "gone", "http://kept");
        check(
            CodeStyle::SlashesWithChars,
            "fn f<'a>(x: &'a str) {} // gone\nlet c = '\"'; kept",
            "gone",
            "kept",
        );
        check(CodeStyle::Hash, "get \"/a#{kept}\" # gone\n", "gone", "kept");
        check(CodeStyle::Hash, "@doc \"\"\"\ngone\n\"\"\"\nget \"/kept\"", "gone", "kept");
    }

    #[test]
    fn brackets_arguments_and_chains_are_found() {
        let code = "route(\"/a)\", get(list).post(add)).layer(x).with(y), z";
        let close = closing(CodeStyle::SlashesWithChars, code, 5).unwrap();
        let spans = arguments(CodeStyle::SlashesWithChars, code, Span::new(6, close));
        let texts: Vec<&str> = spans.iter().map(|span| &code[span.range()]).collect();
        assert_eq!(texts, ["\"/a)\"", "get(list).post(add)"]);
        assert_eq!(&code[chain_end(CodeStyle::SlashesWithChars, code, close + 1)..], ", z");
        assert_eq!(open_brackets(CodeStyle::SlashesWithChars, code, 0, 20), 2);
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
