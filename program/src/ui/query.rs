//! The query line: filter words such as `lang:rust`, and the text that remains.
//!
//! A filter word stands between blanks and has a known key, a colon and a value. A value never begins with a colon, so
//! that `path::Path` is text. A backslash before the word makes it text too.

use spyhop::filter::FilterSpec;
use spyhop::model::SymbolKind;

/// The keys of filter words, with the filters that they fill.
pub const KEYS: [&str; 5] = ["lang", "kind", "path", "glob", "exclude"];

/// A query line, parsed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParsedLine {
    /// The text to search for.
    pub text: String,
    /// The filter without its paths.
    pub filter: FilterSpec,
    /// The values of `path:`, as typed.
    pub paths: Vec<String>,
}

/// Parses a query line. The error names the word that is wrong, and the choices.
pub fn parse(line: &str) -> Result<ParsedLine, String> {
    let mut parsed = ParsedLine::default();
    let mut has_filters = false;
    // Blanks between words of the text stay, because they count in an exact search.
    for word in line.split_inclusive(' ') {
        let bare = word.trim_end();
        match filter_word(bare) {
            Some((key, value)) => {
                has_filters = true;
                add(&mut parsed, key, value)?;
            }
            None => parsed.text += unescaped(word),
        }
    }
    if has_filters {
        parsed.text = parsed.text.trim().to_string();
    }
    Ok(parsed)
}

/// The key and the value of a filter word.
fn filter_word(word: &str) -> Option<(&str, &str)> {
    let (key, value) = word.split_once(':')?;
    let is_filter = KEYS.contains(&key) && !value.is_empty() && !value.starts_with(':');
    is_filter.then_some((key, value))
}

/// The text of a word that a backslash keeps from being a filter word.
fn unescaped(word: &str) -> &str {
    match word.strip_prefix('\\') {
        Some(rest) if filter_word(rest.trim_end()).is_some() => rest,
        _ => word,
    }
}

fn add(parsed: &mut ParsedLine, key: &str, value: &str) -> Result<(), String> {
    let values = || value.split(',').filter(|value| !value.is_empty());
    match key {
        "lang" => parsed.filter.lang.extend(values().map(str::to_string)),
        "kind" => {
            for kind in values() {
                let kind = kind.parse::<SymbolKind>().map_err(|error| format!("kind: {error}"))?;
                parsed.filter.kind.push(kind);
            }
        }
        "path" => parsed.paths.push(value.to_string()),
        // A comma may be part of a glob.
        "glob" => parsed.filter.path_globs.push(value.to_string()),
        _ => parsed.filter.exclude.extend(values().map(str::to_string)),
    }
    Ok(())
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
    }

    #[test]
    fn what_only_looks_like_a_filter_is_text() {
        for line in ["path::Path", "std::path::PathBuf", "kind: Foo", "a:b", "lang", "xlang:rust", "fn  f( "]
        {
            assert_eq!(text(line), line);
        }
        assert_eq!(text(r"\lang:rust \d+"), r"lang:rust \d+");
        assert_eq!(text("a  b lang:c"), "a  b");
        assert_eq!(text(""), "");
    }

    #[test]
    fn a_wrong_kind_is_named_with_the_choices() {
        let error = parse("kind:fnn x").unwrap_err();
        assert!(error.starts_with("kind: unknown kind 'fnn'; choose one of fn, "), "{error}");
    }
}
