//! Words of texts and of commands in files that are no code, such as settings, pages and scripts of a shell.

use spyhop_base::text::Span;

/// Languages whose files hold texts and commands beside names of the code.
const LANGUAGES: &[&str] = &[
    "astro",
    "bash",
    "batch",
    "cmake",
    "dockerfile",
    "ejs",
    "fish",
    "html",
    "ini",
    "jinja",
    "makefile",
    "mdx",
    "properties",
    "svelte",
    "toml",
    "vue",
    "xml",
    "yaml",
];

/// Whether the name at `span` is a word of a text or command, in a file of a language: a plain word that stands beside another
/// word, as in `stop the server`, or is part of a word with a hyphen.
pub(super) fn is_word_of_text(language: &str, text: &str, span: Span) -> bool {
    let (before, after) = (&text[..span.start as usize], &text[span.end as usize..]);
    let word = &text[span.range()];
    LANGUAGES.contains(&language)
        && is_plain(word)
        && (is_hyphened(before, after) || is_beside_word(before, after))
}

/// Whether a name could be a word of a language that people speak.
fn is_plain(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_alphabetic) && letters.all(char::is_lowercase)
}

fn is_hyphened(before: &str, after: &str) -> bool {
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let before = before.strip_suffix('-').is_some_and(|rest| letter(rest.chars().next_back()));
    before || after.strip_prefix('-').is_some_and(|rest| letter(rest.chars().next()))
}

/// Whether blanks, or the signs of a text, are around a name, and another word is behind one of the blanks.
fn is_beside_word(before: &str, after: &str) -> bool {
    let is_open = before.is_empty() || before.ends_with([' ', '\t', '\n', '>', '"', '\'', '(', ',']);
    let is_closed = after.is_empty()
        || after.starts_with([' ', '\t', '\r', '\n', '<', ',', ';', '!', '?', '"', '\'', ')'])
        || after.starts_with(". ")
        || after.starts_with(".\n");
    let last = before.strip_suffix(' ').map(|rest| rest.trim_end_matches([',', ';']));
    let last = last.and_then(|rest| rest.rsplit(|c: char| !is_of_word(c)).next());
    let next = after.trim_start_matches([',', ';']).strip_prefix(' ');
    let next = next.and_then(|rest| rest.split(|c: char| !is_of_word(c)).next());
    let is_word = |word: Option<&str>| word.is_some_and(|word| word.chars().any(char::is_alphabetic));
    is_open && is_closed && (is_word(last) || is_word(next))
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '-'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_languages_are_known() {
        let grammars = spyhop_syntax::grammar::Grammars::shared();
        for language in LANGUAGES {
            assert!(grammars.by_name(language).is_ok(), "{language}");
        }
    }

    #[test]
    fn words_beside_words_are_text_and_names_are_not() {
        let is_word = |line: &str| {
            let start = line.find("start").unwrap() as u32;
            is_word_of_text("yaml", line, Span { start, end: start + 5 })
        };
        for line in [
            "description: when the start happens",
            "run: sc start traffic",
            "<p>the start of it</p>",
            "Please start.\n",
            "apt-get start now",
            "quick-start: 1",
            "start, then stop",
        ] {
            assert!(is_word(line), "{line}");
        }
        for line in [
            "start: true",
            "handler: Pool.start",
            "call: start()",
            "x: \"start\"",
            "- start\n",
            "onclick=\"start\"",
            "a = start",
            "handler: start",
        ] {
            assert!(!is_word(line), "{line}");
        }
        assert!(!is_word_of_text("python", "a start b", Span { start: 2, end: 7 }));
        assert!(!is_word_of_text("yaml", "a startAll b", Span { start: 2, end: 10 }));
    }
}
