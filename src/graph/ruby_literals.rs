//! The string literals of Ruby: quotes, `%w[]` and its relatives, regular expressions and heredocs. The code in `#{}` is no part of a
//! literal.

use rustc_hash::FxHashSet;

use spyhop_base::text::Span;

/// The deepest nesting of literals in the code of literals. Deeper code counts as text.
const MAX_DEPTH: usize = 16;

/// The comments and string literals of `text`, in order.
pub(super) fn skipped(text: &str, comments: &[Span]) -> Vec<Span> {
    let mut scan = LiteralScan {
        bytes: text.as_bytes(),
        comments,
        next_comment: 0,
        heredocs: Vec::new(),
        unclosed: [false; 128],
        endless: FxHashSet::default(),
        depth: 0,
        found: Vec::new(),
    };
    scan.code(0, false);
    scan.found
}

/// A heredoc whose text begins with the next line.
struct Heredoc<'t> {
    end: &'t [u8],
    is_indented: bool,
    is_raw: bool,
}

/// How a literal is delimited.
#[derive(Clone, Copy)]
struct Delimiters {
    /// The opening bracket, if the literal ends with a bracket.
    open: Option<u8>,
    close: u8,
    has_code: bool,
}

struct LiteralScan<'t> {
    bytes: &'t [u8],
    comments: &'t [Span],
    next_comment: usize,
    /// The heredocs of the line, whose texts follow.
    heredocs: Vec<Heredoc<'t>>,
    /// The closing signs of which the rest of the text has none.
    unclosed: [bool; 128],
    /// The words of heredocs of which the rest of the text has no end.
    endless: FxHashSet<&'t [u8]>,
    depth: usize,
    found: Vec<Span>,
}

impl<'t> LiteralScan<'t> {
    /// Reads code from `at`, to the end of the text or, inside of a literal, to the brace that ends the code. Returns where that is.
    fn code(&mut self, mut at: usize, is_inner: bool) -> usize {
        let (mut braces, mut outer) = (0, std::mem::take(&mut self.heredocs));
        while at < self.bytes.len() {
            if let Some(end) = self.comment(at) {
                at = end;
                continue;
            }
            match self.bytes[at] {
                b'{' => braces += 1,
                b'}' if is_inner && braces == 0 => break,
                b'}' => braces -= 1,
                b'\n' if !self.heredocs.is_empty() => {
                    at += 1;
                    for heredoc in std::mem::take(&mut self.heredocs) {
                        at = self.heredoc(at, &heredoc);
                    }
                    continue;
                }
                b'\n' if self.bytes[at + 1..].starts_with(b"__END__\n") => {
                    self.found.push(Span::new(at + 1, self.bytes.len()));
                    at = self.bytes.len();
                }
                _ => {
                    let end = self.literal(at);
                    if end > at {
                        at = end;
                        continue;
                    }
                }
            }
            at += 1;
        }
        // The texts of the others follow the line that the code ends in.
        outer.append(&mut self.heredocs);
        self.heredocs = outer;
        at
    }

    /// The end of the comment at `at`, if one is there.
    fn comment(&mut self, at: usize) -> Option<usize> {
        while self.comments.get(self.next_comment).is_some_and(|comment| comment.end as usize <= at) {
            self.next_comment += 1;
        }
        let comment = *self.comments.get(self.next_comment).filter(|comment| comment.start as usize <= at)?;
        self.found.push(comment);
        Some((comment.end as usize).max(at + 1))
    }

    /// The end of the literal at `at`; `at` if none begins there. A heredoc begins with its sign.
    fn literal(&mut self, at: usize) -> usize {
        let bytes = self.bytes;
        let before = at.checked_sub(1).map_or(b'\n', |before| bytes[before]);
        let plain = |close: u8, has_code: bool| Delimiters { open: None, close, has_code };
        match bytes[at] {
            // `?"` is a character, `$'` a variable.
            b'"' | b'\'' | b'`' if matches!(before, b'$' | b'\\') => at + 1,
            b'"' | b'\'' | b'`' if before == b'?' && self.is_value(at - 1) => at + 1,
            quote @ (b'"' | b'`') => self.delimited(at, at + 1, plain(quote, true)),
            b'\'' => self.delimited(at, at + 1, plain(b'\'', false)),
            b'/' if self.is_value(at) => self.delimited(at, at + 1, plain(b'/', true)),
            b'%' if self.is_value(at) => self.with_percent(at),
            b'<' if bytes[at..].starts_with(b"<<") => self.heredoc_sign(at),
            _ => at,
        }
    }

    /// Whether a value may begin at `at`: behind a sign, a word of the language, or a blank that no other follows.
    fn is_value(&self, at: usize) -> bool {
        let before = self.bytes[..at].trim_ascii_end();
        let has_blank = before.len() < at;
        let Some(last) = before.last() else { return true };
        if !(last.is_ascii_alphanumeric()
            || matches!(last, b'_' | b')' | b']' | b'}' | b'"' | b'\'' | b'?' | b'!'))
        {
            return true;
        }
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let start = before.iter().rposition(|byte| !is_word(byte)).map_or(0, |sign| sign + 1);
        const WORDS: &[&[u8]] = &[
            b"and", b"elsif", b"if", b"in", b"not", b"or", b"return", b"then", b"unless", b"until", b"when",
            b"while",
        ];
        let next = self.bytes.get(at + 1).copied().unwrap_or(b' ');
        let is_argument = has_blank && !next.is_ascii_whitespace() && next != b'=' && is_word(last);
        let is_line = self.bytes[before.len()..at].contains(&b'\n');
        WORDS.contains(&&before[start..]) || is_argument || is_line
    }

    /// The end of a literal such as `%w[a b]`; `at` if there is none.
    fn with_percent(&mut self, at: usize) -> usize {
        let kind = self.bytes.get(at + 1).copied().unwrap_or_default();
        let is_named = kind.is_ascii_alphabetic();
        let open_at = at + 1 + usize::from(is_named);
        let open = self.bytes.get(open_at).copied().unwrap_or_default();
        let is_known = !is_named || b"wWiIqQrsx".contains(&kind);
        let close = match open {
            b'(' => b')',
            b'[' => b']',
            b'{' => b'}',
            b'<' => b'>',
            sign if sign.is_ascii_punctuation() && sign != b'=' => sign,
            _ => return at,
        };
        if !is_known || !is_named && close == open && !matches!(open, b'|' | b'/' | b'!') {
            return at;
        }
        let has_code = !matches!(kind, b'w' | b'i' | b'q' | b's');
        let delimiters = Delimiters { open: (close != open).then_some(open), close, has_code };
        self.delimited(at, open_at + 1, delimiters)
    }

    /// Adds the literal from `start` whose text begins at `at`, and returns its end; `start` if it has none.
    fn delimited(
        &mut self,
        start: usize,
        mut at: usize,
        Delimiters { open, close, has_code }: Delimiters,
    ) -> usize {
        if self.unclosed[usize::from(close)] {
            return start;
        }
        let (n_found, next_comment) = (self.found.len(), self.next_comment);
        let (mut from, mut depth) = (start, 0);
        while at < self.bytes.len() {
            match self.bytes[at] {
                b'\\' => at += 1,
                b'#' if has_code && self.bytes.get(at + 1) == Some(&b'{') => {
                    (from, at) = self.inner(from, at);
                    continue;
                }
                byte if byte == close && depth == 0 => {
                    self.found.push(Span::new(from, at + 1));
                    return at + 1;
                }
                byte if byte == close => depth -= 1,
                byte if Some(byte) == open => depth += 1,
                _ => {}
            }
            at += 1;
        }
        self.found.truncate(n_found);
        self.next_comment = next_comment;
        self.unclosed[usize::from(close)] = true;
        start
    }

    /// Reads the code of a literal at `at`. Returns from where on the literal goes on, twice.
    fn inner(&mut self, from: usize, at: usize) -> (usize, usize) {
        if self.depth >= MAX_DEPTH {
            return (from, at + 2);
        }
        self.found.push(Span::new(from, at + 2));
        self.depth += 1;
        let end = self.code(at + 2, true);
        self.depth -= 1;
        (end, end)
    }

    /// Remembers the heredoc whose sign is at `at`, and returns the end of the sign; `at` if there is none.
    fn heredoc_sign(&mut self, at: usize) -> usize {
        let rest = &self.bytes[at + 2..];
        let is_indented = matches!(rest.first(), Some(b'~' | b'-'));
        let rest = &rest[usize::from(is_indented)..];
        let quote = rest.first().copied().filter(|quote| matches!(quote, b'"' | b'\'' | b'`'));
        let word = &rest[usize::from(quote.is_some())..];
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
        let length = word.iter().take_while(|byte| is_word(byte)).count();
        let first = word.first().copied().unwrap_or_default();
        let is_closed = quote.is_none_or(|quote| word.get(length) == Some(&quote));
        // `<<` without a sign behind it is more often an operator.
        let is_it = is_indented || quote.is_some() || first.is_ascii_uppercase() && self.is_value(at);
        if length == 0 || first.is_ascii_digit() || !is_closed || !is_it {
            return at;
        }
        self.heredocs.push(Heredoc { end: &word[..length], is_indented, is_raw: quote == Some(b'\'') });
        at + 2 + usize::from(is_indented) + length + 2 * usize::from(quote.is_some())
    }

    /// Adds the text of a heredoc, which begins at `start`, and returns its end; `start` if it has none.
    fn heredoc(&mut self, start: usize, heredoc: &Heredoc<'t>) -> usize {
        if self.endless.contains(heredoc.end) {
            return start;
        }
        let (n_found, next_comment) = (self.found.len(), self.next_comment);
        let (mut from, mut at, mut is_line_start) = (start, start, true);
        while at < self.bytes.len() {
            let length = memchr::memchr(b'\n', &self.bytes[at..]).unwrap_or(self.bytes.len() - at);
            let line = &self.bytes[at..at + length];
            let ends = if heredoc.is_indented { line.trim_ascii() } else { line.trim_ascii_end() };
            if is_line_start && ends == heredoc.end {
                self.found.push(Span::new(from, at + length));
                return at + length;
            }
            match memchr::memmem::find(line, b"#{").filter(|_| !heredoc.is_raw) {
                Some(code) if code > 0 && line[code - 1] == b'\\' => {
                    (at, is_line_start) = (at + code + 2, false)
                }
                Some(code) => {
                    (from, at) = self.inner(from, at + code);
                    is_line_start = false;
                }
                None => {
                    (at, is_line_start) = ((at + length + 1).min(self.bytes.len()), true);
                    for inner in std::mem::take(&mut self.heredocs) {
                        self.found.push(Span::new(from, at));
                        at = self.heredoc(at, &inner);
                        from = at;
                    }
                }
            }
        }
        self.found.truncate(n_found);
        self.next_comment = next_comment;
        self.endless.insert(heredoc.end);
        start
    }
}

#[cfg(test)]
mod tests {
    use super::skipped;

    /// Asserts that the parts of a text that are no literals are `expected`, with a blank between them.
    fn check(text: &str, expected: &str) {
        let (mut code, mut at) = (Vec::new(), 0);
        for span in skipped(text, &[]) {
            assert!(at <= span.start as usize && span.start <= span.end, "{text}");
            code.push(&text[at..span.start as usize]);
            at = span.end as usize;
        }
        code.push(&text[at..]);
        assert_eq!(code.join("_"), expected, "{text}");
    }

    #[test]
    fn code_is_told_from_literals() {
        check("a 'b' + \"c \\\" d\" e", "a _ + _ e");
        check("a \"b #{c \"d #{e}\"} f\" g", "a _c _e__ g");
        check("a %w[b [c] d] + %i(e) % f", "a _ + _ % f");
        check("a = %q{b} if c =~ /d\\/e/ && f / g / h", "a = _ if c =~ _ && f / g / h");
        check("put /a b/", "put _");
        check("a.b / 2", "a.b / 2");
        check("put <<~MD\n  b c\n  MD\nd", "put <<~MD\n_\nd");
        check("put <<-'A', <<B\n #{b}\n  A\n c #{d} e\nB\nf", "put <<-'A', <<B\n__d_\nf");
        check("put <<~MD\n  b #{c('t', <<~MD)}\n  d\n  MD\n  e\n  MD\nf", "put <<~MD\n_c(_, <<~MD)___\nf");
        check("class << self\n  a\nend\nb << C", "class << self\n  a\nend\nb << C");
        check("a = ?\" + b + $' + c", "a = ?\" + b + $' + c");
        check("a ? \"b\" : 'c'", "a ? _ : _");
        check("a\n__END__\nb \"c", "a\n_");
    }

    #[test]
    fn a_text_may_end_inside_of_anything() {
        for text in [
            "'", "\"#{", "\"#{a", "%w[", "%", "<<~A", "<<~A\n", "<<~A\n#{", "/", "a /", "?", "\\", "%w",
            "é'é",
        ] {
            skipped(text, &[]);
        }
        for unit in ["\"#{", "'\"", "<<~A\n#{", "%w[", "/ "] {
            skipped(&unit.repeat(20_000), &[]);
        }
    }
}
