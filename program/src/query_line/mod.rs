//! The query line of the picker and of the page: filter words such as `lang:rust`, and the text that remains.
//!
//! A filter word stands between blanks and has a known key, a colon and a value. A value never begins with a colon, so
//! that `path::Path` is text. `-test` excludes paths. A backslash before the word makes it text too. Each part has its
//! span, so that a page can mark the word that is wrong.

mod mode;

use std::ops::Range;

use spyhop_attributes::{All, Name};
use spyhop_base::model::SymbolKind;
use spyhop_search::filter::FilterSpec;

pub use mode::{QueryMode, choose};

/// A key of filter words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Name, All)]
pub enum Key {
    Lang,
    Kind,
    Path,
    Glob,
    Exclude,
    In,
    View,
}

impl Key {
    /// The description of a filter with this key, in completions.
    pub fn help(self) -> &'static str {
        match self {
            Key::Lang => "files of a language",
            Key::Kind => "results of a kind, such as fn",
            Key::Path => "files in a folder, or one file",
            Key::Glob => "paths that match, such as *.rs",
            Key::Exclude => "no paths that contain a text",
            Key::In => "a served tree, or a source of the library",
            Key::View => "a branch, tag or commit",
        }
    }

    pub fn by_name(name: &str) -> Option<Key> {
        Key::ALL.into_iter().find(|key| key.name() == name)
    }

    /// Whether `-KEY:VALUE` excludes.
    fn can_exclude(self) -> bool {
        matches!(self, Key::Path | Key::Glob | Key::Exclude)
    }
}

/// A filter word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterWord {
    pub key: Key,
    /// The value; empty while a person has typed only the key.
    pub value: String,
    /// Whether the word excludes what it names.
    pub excludes: bool,
    /// The bytes of the word in the line.
    pub span: Range<usize>,
}

/// A query line, parsed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParsedLine {
    /// The text to search for.
    pub text: String,
    /// The bytes from the beginning to the end of the text in the line.
    pub text_span: Option<Range<usize>>,
    /// The filter without its paths.
    pub filter: FilterSpec,
    /// The values of `path:`, as typed.
    pub paths: Vec<String>,
    /// The values of `-path:`, as typed.
    pub excluded_paths: Vec<String>,
    /// The values of `in:`.
    pub sources: Vec<String>,
    /// The value of the last `view:`.
    pub view: Option<String>,
    /// All filter words, in order.
    pub words: Vec<FilterWord>,
}

/// An error in a query line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct LineFault {
    pub text: String,
    /// The bytes of the wrong word in the line.
    pub span: Range<usize>,
    /// The valid words in place of the wrong one.
    pub choices: Vec<String>,
}

/// A part of a query line.
enum QueryPart {
    Filter(FilterWord),
    /// A word of the text, which ends before the blank behind it; and where the next part begins.
    Text(Range<usize>, usize),
}

/// The parts of a line, in order.
fn parts(line: &str) -> impl Iterator<Item = QueryPart> + use<'_> {
    let mut at = 0;
    std::iter::from_fn(move || {
        if at >= line.len() {
            return None;
        }
        if let Some(word) = filter_word(line, at) {
            at = blanks_end(line, word.span.end);
            return Some(QueryPart::Filter(word));
        }
        // Blanks between words of the text stay, because they count in an exact search.
        let word = at..word_end(line, at);
        at = if word.end < line.len() { word.end + 1 } else { word.end };
        Some(QueryPart::Text(word, at))
    })
}

/// Parses a query line. The error names the word that is wrong, and the choices.
pub fn parse(line: &str) -> Result<ParsedLine, LineFault> {
    let mut parsed = ParsedLine::default();
    let mut text_span: Option<Range<usize>> = None;
    for part in parts(line) {
        match part {
            QueryPart::Filter(word) => {
                add(&mut parsed, &word)?;
                parsed.words.push(word);
            }
            QueryPart::Text(word, next) => {
                parsed.text += unescaped(line, word.start, next);
                if !word.is_empty() {
                    text_span = Some(text_span.map_or(word.start, |span| span.start)..word.end);
                }
            }
        }
    }
    if !parsed.words.is_empty() {
        parsed.text = parsed.text.trim().to_string();
    }
    parsed.text_span = text_span;
    Ok(parsed)
}

/// The filter words of a line, also of a line that has a fault.
pub fn filter_words(line: &str) -> Vec<FilterWord> {
    let filter = |part| match part {
        QueryPart::Filter(word) => Some(word),
        QueryPart::Text(..) => None,
    };
    parts(line).filter_map(filter).collect()
}

/// The bytes of the word around a caret. A value in quotes is one word; without the second quote, the word ends at the
/// caret, so that what stands behind the caret is not a part of the value.
pub fn word_at(line: &str, at: usize) -> Range<usize> {
    let around = parts(line).find_map(|part| {
        let (span, is_filter) = match part {
            QueryPart::Filter(word) => (word.span, true),
            QueryPart::Text(word, _) => (word, false),
        };
        let is_open = is_filter && line[span.clone()].matches('"').count() == 1;
        let is_around = span.start <= at && at <= span.end;
        is_around.then_some(if is_open { span.start..at } else { span })
    });
    around.unwrap_or(at..at)
}

/// The end of the word at `at`: the next blank, or the end of the line.
fn word_end(line: &str, at: usize) -> usize {
    line[at..].find(' ').map_or(line.len(), |len| at + len)
}

fn blanks_end(line: &str, at: usize) -> usize {
    line.len() - line[at..].trim_start_matches(' ').len()
}

/// The filter word that begins at `at`.
fn filter_word(line: &str, at: usize) -> Option<FilterWord> {
    let rest = &line[at..];
    let bare = rest.strip_prefix('-');
    let minus = rest.len() - bare.unwrap_or(rest).len();
    let word = &line[at + minus..word_end(line, at)];
    let key = word.split_once(':').and_then(|(key, _)| Key::by_name(key));
    let Some(key) = key.filter(|_| !word.contains("::")) else {
        let is_text = bare.is_none() || !word.starts_with(char::is_alphabetic);
        return (!is_text).then(|| FilterWord {
            key: Key::Exclude,
            value: word.to_string(),
            excludes: true,
            span: at..at + minus + word.len(),
        });
    };
    let begin = at + minus + key.name().len() + 1;
    let (value, end) = match line[begin..].strip_prefix('"') {
        Some(quoted) => match quoted.find('"') {
            Some(len) => (&quoted[..len], begin + 1 + len + 1),
            None => (quoted, line.len()),
        },
        None => (&line[begin..word_end(line, at)], word_end(line, at)),
    };
    // `kind: Foo` is text, and so is a key before further text.
    if value.is_empty() && end < line.len() {
        return None;
    }
    let excludes = minus > 0 || key == Key::Exclude;
    Some(FilterWord { key, value: value.to_string(), excludes, span: at..end })
}

/// The text from `at` to `next`, without the backslash that keeps a word from being a filter word.
fn unescaped(line: &str, at: usize, next: usize) -> &str {
    let is_escaped = line[at..next].starts_with('\\') && filter_word(line, at + 1).is_some();
    &line[at + usize::from(is_escaped)..next]
}

fn add(parsed: &mut ParsedLine, word: &FilterWord) -> Result<(), LineFault> {
    let FilterWord { key, value, excludes, span } = word;
    if *excludes && !key.can_exclude() {
        let name = key.name();
        return Err(LineFault {
            text: format!("-{name}: does not exclude; choose -path:, -glob: or - before a part of a path"),
            span: span.clone(),
            choices: vec![format!("{name}:{value}"), "-path:".into(), "-glob:".into()],
        });
    }
    if value.is_empty() {
        return Ok(());
    }
    let values = || value.split(',').filter(|value| !value.is_empty());
    let filter = &mut parsed.filter;
    match key {
        Key::Lang => filter.lang.extend(values().map(str::to_string)),
        Key::Kind => {
            for value in values() {
                let kind = value.parse::<SymbolKind>().map_err(|error| LineFault {
                    text: format!("kind: {error}"),
                    span: span.clone(),
                    choices: kinds().map(str::to_string).collect(),
                })?;
                filter.kind.push(kind);
            }
        }
        Key::Path if *excludes => parsed.excluded_paths.push(value.clone()),
        Key::Path => parsed.paths.push(value.clone()),
        // A comma may be part of a glob.
        Key::Glob if *excludes => filter.path_globs.push(format!("!{value}")),
        Key::Glob => filter.path_globs.push(value.clone()),
        Key::Exclude => filter.exclude.extend(values().map(str::to_string)),
        Key::In => parsed.sources.extend(values().map(str::to_string)),
        Key::View => parsed.view = Some(value.clone()),
    }
    Ok(())
}

/// The names of all kinds.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    SymbolKind::ALL.iter().map(|kind| kind.name())
}

/// The glob that excludes the folder or the file with this path.
pub fn excluding_glob(path: &str) -> String {
    let path = path.trim_matches('/');
    let mut literal = String::new();
    for sign in path.chars() {
        if "*?[]{}\\!,".contains(sign) {
            literal.push('\\');
        }
        literal.push(sign);
    }
    // With a slash, the glob is compared with whole paths.
    format!("!{{{literal},{literal}/**}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: &str) -> String {
        parse(line).unwrap().text
    }

    #[test]
    fn filter_words_become_a_filter() {
        let parsed = parse("where lang:rust,go is kind:fn path:src/ glob:*.{rs,go} exclude:test it").unwrap();
        assert_eq!(parsed.text, "where is it");
        assert_eq!(parsed.paths, ["src/"]);
        let expected = FilterSpec {
            lang: vec!["rust".into(), "go".into()],
            kind: vec![SymbolKind::Fn],
            path_globs: vec!["*.{rs,go}".into()],
            exclude: vec!["test".into()],
            ..FilterSpec::default()
        };
        assert_eq!(parsed.filter, expected);
        let both = parse("path:a path:b").unwrap();
        assert_eq!((both.text.as_str(), both.paths), ("", vec!["a".to_string(), "b".to_string()]));
        let scope = parse("in:one,two view:main x").unwrap();
        assert_eq!((scope.sources, scope.view.as_deref()), (vec!["one".into(), "two".into()], Some("main")));
    }

    #[test]
    fn words_have_their_spans() {
        let line = "fn lang:rust -test é path:\"my docs\" b";
        let parsed = parse(line).unwrap();
        let shown: Vec<(&str, &str, bool)> = parsed
            .words
            .iter()
            .map(|word| (&line[word.span.clone()], word.value.as_str(), word.excludes))
            .collect();
        let expected =
            [("lang:rust", "rust", false), ("-test", "test", true), ("path:\"my docs\"", "my docs", false)];
        assert_eq!(shown, expected);
        assert_eq!((parsed.text.as_str(), parsed.text_span), ("fn é b", Some(0..line.len())));
        assert_eq!(parse("  ab c lang:go").unwrap().text_span, Some(2..6));
        assert_eq!(parse("lang:go").unwrap().text_span, None);
    }

    #[test]
    fn the_word_around_a_caret() {
        let check =
            |line: &str, at: usize, word: &str| assert_eq!(&line[word_at(line, at)], word, "{line} {at}");
        check("a lang:ru b", 9, "lang:ru");
        check("a lang:ru b", 4, "lang:ru");
        check("", 0, "");
        check("a ", 2, "");
        check("a  b", 2, "");
        check("x path:\"my d", 12, "path:\"my d");
        check("x path:\"my docs\" y", 12, "path:\"my docs\"");
        check("x path:\"my d lang:go", 12, "path:\"my d");
        check("kind: Foo", 5, "kind:");
        check("a::b", 2, "a::b");
    }

    #[test]
    fn a_line_with_a_fault_has_its_words() {
        let words = filter_words("a kind:fnn -lang:go \\in:x");
        let shown: Vec<_> = words.iter().map(|word| (word.key, word.value.as_str(), word.excludes)).collect();
        assert_eq!(shown, [(Key::Kind, "fnn", false), (Key::Lang, "go", true)]);
    }

    #[test]
    fn what_only_looks_like_a_filter_is_text() {
        for line in [
            "path::Path",
            "std::path::PathBuf",
            "kind: Foo",
            "a:b",
            "lang",
            "xlang:rust",
            "fn  f( ",
            "a -> b",
            "x -1",
            "--all",
            "a - b",
            "lang: x",
        ] {
            assert_eq!(text(line), line);
        }
        assert_eq!(text(r"\lang:rust \d+"), r"lang:rust \d+");
        assert_eq!(text(r"\-test a"), "-test a");
        assert_eq!(text("a  b lang:c"), "a  b");
        assert_eq!(text(""), "");
    }

    #[test]
    fn a_key_alone_does_nothing_yet() {
        let parsed = parse("open lang:").unwrap();
        assert_eq!((parsed.text.as_str(), parsed.filter), ("open", FilterSpec::default()));
        assert_eq!((parsed.words[0].key, parsed.words[0].span.clone()), (Key::Lang, 5..10));
        assert_eq!(parse("path:\"my do").unwrap().paths, ["my do"]);
    }

    #[test]
    fn words_exclude() {
        let parsed = parse("-path:vendor/ -glob:*.md -exclude:x -gen a").unwrap();
        assert_eq!((parsed.excluded_paths, parsed.text.as_str()), (vec!["vendor/".to_string()], "a"));
        assert_eq!(
            (parsed.filter.path_globs, parsed.filter.exclude),
            (vec!["!*.md".into()], vec!["x".into(), "gen".into()])
        );
        assert_eq!(excluding_glob("a/b[1]/"), r"!{a/b\[1\],a/b\[1\]/**}");
        let fault = parse("a -lang:rust").unwrap_err();
        assert_eq!((fault.span, &fault.choices[0]), (2..12, &"lang:rust".to_string()));
    }

    #[test]
    fn a_wrong_kind_is_named_with_the_choices() {
        let fault = parse("x kind:fnn").unwrap_err();
        assert!(fault.text.starts_with("kind: unknown kind 'fnn'; choose one of fn, "), "{fault}");
        assert_eq!((fault.span, fault.choices[0].as_str()), (2..10, "fn"));
    }

    #[test]
    fn lines_of_any_characters_are_parsed() {
        use proptest::prelude::*;
        const PIECES: &[&str] = &[
            "x",
            "größe",
            " ",
            "\u{3000}",
            "\u{a0}",
            "\\",
            "-",
            "\"",
            ":",
            "::",
            "path:",
            "glob:",
            "kind:fn",
            "-lang:",
            "é\u{301}",
        ];
        let piece = prop_oneof![
            4 => prop::sample::select(PIECES).prop_map(str::to_string),
            1 => any::<char>().prop_map(String::from),
        ];
        let line = prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat());
        let config = ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() };
        proptest!(config, |(line in line)| {
            let spans = match parse(&line) {
                Ok(parsed) => parsed.words.into_iter().map(|word| word.span).chain(parsed.text_span).collect(),
                Err(fault) => vec![fault.span],
            };
            for span in spans {
                prop_assert!(line.get(span.clone()).is_some(), "{line:?}: {span:?}");
            }
            for (at, _) in line.char_indices() {
                prop_assert!(line.get(word_at(&line, at)).is_some(), "{line:?}: {at}");
            }
        });
    }
}
