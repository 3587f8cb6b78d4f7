//! The identifiers of a text outside of comments and string literals.
//!
//! The analysis records calls, types and imports, but not every mention of a name: an argument, a type in quotes, the
//! class of an `except`. Mentions are found by their letters, which needs no rules of the language but for its quotes.

use super::family::Family;
use spyhop_base::text::Span;
use spyhop_syntax::analyze::{LexMode, lex};

/// The whole words `name` in `text`, in order.
pub(super) fn whole_words(text: &str, name: &str) -> Vec<Span> {
    let is_word = |c: char| c == '_' || c == '$' || c.is_alphanumeric();
    if name.is_empty() {
        return Vec::new();
    }
    let all = memchr::memmem::find_iter(text.as_bytes(), name.as_bytes());
    let all = all.map(|at| Span::new(at, at + name.len()));
    all.filter(|span| {
        let range = span.range();
        !text[..range.start].ends_with(is_word) && !text[range.end..].starts_with(is_word)
    })
    .collect()
}

/// The length of the mark at `at`, the end of a word, that belongs to the name: `x`, `x?` and `x!` are three methods.
pub(super) fn mark_at(text: &str, at: usize) -> usize {
    match text.as_bytes().get(at..).unwrap_or_default() {
        [b'?' | b'!', b'=', next, ..] => usize::from(matches!(next, b'=' | b'~' | b'>')),
        [b'?' | b'!', b'='] => 0,
        [b'?' | b'!', ..] => 1,
        _ => 0,
    }
}

/// Whether a span begins in one of the `skipped` spans, which are in order.
pub(super) fn is_skipped(skipped: &[Span], span: Span) -> bool {
    let next = skipped.partition_point(|skipped| skipped.end <= span.start);
    skipped.get(next).is_some_and(|skipped| skipped.start <= span.start)
}

/// The whole words in a `part` of `text` outside of the `skipped` spans that `takes` chooses, in order.
pub(super) fn words_where(
    family: Family,
    text: &str,
    part: Span,
    skipped: &[Span],
    mut takes: impl FnMut(&str) -> bool,
) -> Vec<Span> {
    let is_word = |c: char| c == '_' || c == '$' || c.is_alphanumeric();
    let (mut found, mut at, to) = (Vec::new(), part.start as usize, part.end as usize);
    let next = skipped.partition_point(|skipped| skipped.end <= part.start);
    for next in skipped[next..].iter().copied().chain([Span::new(to, to)]) {
        while let Some(start) = text.get(at..to.min(next.start as usize)).and_then(|rest| rest.find(is_word))
        {
            let start = at + start;
            let length = text[start..].find(|c| !is_word(c)).unwrap_or(text.len() - start);
            at = start + length;
            at += if family.calls_without_signs() { mark_at(text, at) } else { 0 };
            if takes(&text[start..at]) {
                found.push(Span::new(start, at));
            }
        }
        at = at.max(next.end as usize);
    }
    found
}

/// The comments and string literals of a text, in order. The code inside of a literal, as in `f"{x}"`, is not part of it.
pub(super) fn skipped(language: &'static str, text: &str, comments: &[Span]) -> Vec<Span> {
    lex(Family::lexis(language), text, LexMode::Code(Some(comments)))
        .into_iter()
        .map(|token| token.span)
        .collect()
}

/// The comments of a text, for texts whose analysis is not at hand.
pub(super) fn comments(language: &'static str, text: &str) -> Vec<Span> {
    let all = lex(Family::lexis(language), text, LexMode::Code(None)).into_iter();
    all.filter(|token| token.is_comment).map(|token| token.span).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: &'static str, text: &str, expected: usize) {
        let comments: Vec<Span> = text.find('#').map(|at| Span::new(at, text.len())).into_iter().collect();
        let skipped = skipped(language, text, &comments);
        let found = whole_words(text, "take").into_iter().filter(|span| !is_skipped(&skipped, *span));
        assert_eq!(found.count(), expected, "{text}");
    }

    fn check_comments(language: &'static str, text: &str, expected: &[&str]) {
        let found: Vec<&str> = comments(language, text).iter().map(|span| &text[span.range()]).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn comments_are_outside_of_literals() {
        let all = "a(r#\"\" // no\"#, \"// no\", '\"', '\\'') // yes\n/* and */ b";
        check_comments("rust", all, &["// yes", "/* and */"]);
        check_comments("rust", "fn f<'a, 'b>(a: &'a str) {} // 'a'", &["// 'a'"]);
        check_comments("rust", "/* a /* b */ c */ d", &["/* a /* b */ c */"]);
        check_comments("java", "/* a /* b */ c /**/ d / e", &["/* a /* b */", "/**/"]);
        check_comments("go", "a := `// no` // yes", &["// yes"]);
        check_comments("go", "a := 'x' /", &[]);
    }

    #[test]
    fn a_text_may_end_inside_of_anything() {
        for text in ["'\\", "'", "\"\\", "/*", "/* *", "//", "/", "`", "r#\"", "'é"] {
            for language in ["rust", "go", "java"] {
                assert!(comments(language, text).len() <= 1, "{text}");
                skipped(language, text, &[]);
            }
        }
    }

    #[test]
    fn mentions_are_outside_of_comments_and_literals() {
        check("python", "take(take, x.take)  # take", 3);
        check("python", "\"take\" + 'take' + take + \"\"\"a\ntake\n\"\"\"", 1);
        check("python", "mistake(take_all, take)", 1);
        check("rust", "fn f<'take>(x: &'take str) { take('\"', \"take\") }", 3);
        check("typescript", "`take ${x}` + take + 'it\\'s take'", 1);
        check("typescript", "`take ${take(1)} take`", 1);
        check("python", "f\"take {take!r} {{take}}\" + \"{take}\"", 1);
        check("go", "take('\\'', \"take\")", 1);
        check("rust", "take(r\"take\\\", take)", 2);
        check("java", "\"\"\"\n take \"take\" \\\"\"\" take\n\"\"\" + take", 1);
        check("csharp", "\"take {take}\" + take", 1);
        check("csharp", "$\"take {take} {{take}} {f(\"take\")} {take:N2}\" + take", 3);
        check("csharp", "@\"take \"\"take\"\" \\\" + take", 1);
        check("csharp", "$@\"take \n {take}\" + take", 2);
        check("csharp", "\"\"\"take \"take\" {take}\"\"\" + take", 1);
        check("csharp", "$$\"\"\"take {take} {{take}}\"\"\" + take", 2);
    }

    /// Asserts that the parts of a text outside of literals are `expected`, with a blank between them.
    fn check_ruby(text: &str, expected: &str) {
        let (mut code, mut at) = (Vec::new(), 0);
        for span in skipped("ruby", text, &[]) {
            assert!(at <= span.start as usize && span.start <= span.end, "{text}");
            code.push(&text[at..span.start as usize]);
            at = span.end as usize;
        }
        code.push(&text[at..]);
        assert_eq!(code.join("_"), expected, "{text}");
    }

    #[test]
    fn code_of_ruby_is_told_from_literals() {
        check_ruby("a 'b' + \"c \\\" d\" e", "a _ + _ e");
        check_ruby("a \"b #{c \"d #{e}\"} f\" g", "a _c _e__ g");
        check_ruby("a %w[b [c] d] + %i(e) % f", "a _ + _ % f");
        check_ruby("a = %q{b} if c =~ /d\\/e/ && f / g / h", "a = _ if c =~ _ && f / g / h");
        check_ruby("put /a b/", "put _");
        check_ruby("a.b / 2", "a.b / 2");
        check_ruby("put <<~MD\n  b c\n  MD\nd", "put <<~MD\n_\nd");
        check_ruby("put <<-'A', <<B\n #{b}\n  A\n c #{d} e\nB\nf", "put <<-'A', <<B\n__d_\nf");
        check_ruby(
            "put <<~MD\n  b #{c('t', <<~MD)}\n  d\n  MD\n  e\n  MD\nf",
            "put <<~MD\n_c(_, <<~MD)___\nf",
        );
        check_ruby("class << self\n  a\nend\nb << C", "class << self\n  a\nend\nb << C");
        check_ruby("a = ?\" + b + $' + c", "a = _ + b + _ + c");
        check_ruby("a ? \"b\" : 'c'", "a ? _ : _");
        check_ruby("a\n__END__\nb \"c", "a\n_");
    }

    #[test]
    fn a_text_of_ruby_may_end_inside_of_anything() {
        for text in [
            "'", "\"#{", "\"#{a", "%w[", "%", "<<~A", "<<~A\n", "<<~A\n#{", "/", "a /", "?", "\\", "%w",
            "é'é",
        ] {
            skipped("ruby", text, &[]);
        }
        for unit in ["\"#{", "'\"", "<<~A\n#{", "%w[", "/ "] {
            skipped("ruby", &unit.repeat(20_000), &[]);
        }
    }
}
