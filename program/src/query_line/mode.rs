//! Which search a text asks for, where the person has not chosen one.
//!
//! A mistake costs a key press, so only texts that are clearly a regular expression or a path leave the ranked search.

use regex_syntax::ParserBuilder;
use spyhop_attributes::{All, Name};

/// The kind of search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Name, All)]
pub enum QueryMode {
    Ranked,
    Exact,
    Files,
    Symbols,
}

impl QueryMode {
    pub fn by_name(name: &str) -> Option<QueryMode> {
        QueryMode::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

/// The mode of a text, and the text without the signs that chose the mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenMode {
    pub mode: QueryMode,
    pub text: String,
    /// Whether an exact search takes the text as it is.
    pub is_fixed: bool,
    /// The reason, for people.
    pub why: String,
}

/// Chooses the mode of a text. `is_extension` tells whether files of a known language have this extension.
pub fn choose(text: &str, is_extension: &dyn Fn(&str) -> bool) -> ChosenMode {
    let chosen = |mode, text: &str, why: &str| ChosenMode {
        mode,
        text: text.to_string(),
        is_fixed: false,
        why: why.to_string(),
    };
    let bare = text.trim();
    if bare.is_empty() {
        return chosen(QueryMode::Files, "", "without words, all files are listed");
    }
    if let Some(inside) = between(bare, '/').filter(|inside| compiles(inside)) {
        return chosen(QueryMode::Exact, inside, "a regular expression stands between slashes");
    }
    if let Some(inside) = between(bare, '"') {
        let why = "the text in quotes is searched as it is";
        return ChosenMode { is_fixed: true, ..chosen(QueryMode::Exact, inside, why) };
    }
    if let Some(name) = bare.strip_prefix('@').filter(|name| is_name(name)) {
        return chosen(QueryMode::Symbols, name, "@ asks for definitions");
    }
    if is_clearly_regex(text.trim_start()) {
        return chosen(QueryMode::Exact, text, &format!("'{bare}' is a regular expression"));
    }
    if is_path(bare, is_extension) {
        return chosen(QueryMode::Files, bare, &format!("'{bare}' looks like a path"));
    }
    chosen(QueryMode::Ranked, text, "words are ranked")
}

fn between(text: &str, sign: char) -> Option<&str> {
    text.strip_prefix(sign)?.strip_suffix(sign).filter(|inside| !inside.is_empty())
}

fn is_name(text: &str) -> bool {
    text.starts_with(|sign: char| sign.is_alphabetic() || sign == '_')
        && text.chars().all(|sign| sign.is_alphanumeric() || "_.:".contains(sign))
}

fn compiles(pattern: &str) -> bool {
    ParserBuilder::new().nest_limit(100).build().parse(pattern).is_ok()
}

/// Signs that code and prose hardly have.
const REGEX_SIGNS: &[&str] = &[
    r"\b", r"\w", r"\d", r"\s", r"\B", r"\W", r"\D", r"\S", r"\.", r"\(", r"\)", r"\[", r"\]", r"\{", r"\*",
    r"\+", r"\?", ".*", ".+", "[^", "(?", "]+", "]*", ")+", ")?",
];

fn is_clearly_regex(text: &str) -> bool {
    let has_sign = REGEX_SIGNS.iter().any(|sign| text.contains(sign));
    let is_anchored = text.len() > 1 && (text.starts_with('^') || text.ends_with('$'));
    let has_choice = text.split(['(', ')']).skip(1).step_by(2).any(is_choice);
    (has_sign || is_anchored || has_choice) && compiles(text)
}

/// Whether the text between brackets is alternatives, such as `get|set`.
fn is_choice(inside: &str) -> bool {
    let mut parts = inside.split('|');
    inside.contains('|') && parts.all(|part| !part.is_empty() && !part.contains(' '))
}

fn is_path(text: &str, is_extension: &dyn Fn(&str) -> bool) -> bool {
    let is_of_paths = |sign: char| sign.is_alphanumeric() || "_-./*?+@[]{},~".contains(sign);
    if !text.chars().all(is_of_paths) || text.contains("//") || !text.contains(char::is_alphanumeric) {
        return false;
    }
    let is_glob = text.contains('*') && (text.contains('.') || text.contains('/'));
    let has_extension = || {
        let (stem, extension) = text.rsplit_once('.').unwrap_or(("", ""));
        !stem.is_empty() && !extension.is_empty() && is_extension(extension)
    };
    text.contains('/') || is_glob || has_extension()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(text: &str) -> (QueryMode, String, bool) {
        let chosen = choose(text, &|extension| ["rs", "toml", "go"].contains(&extension));
        (chosen.mode, chosen.text, chosen.is_fixed)
    }

    #[test]
    fn regular_expressions_and_quoted_texts_are_exact() {
        for text in [r"fn \w+_key", "^use", "(get|set)_key", "open.*file", "end;$", r"call\(", "[^a]b"] {
            assert_eq!(mode(text), (QueryMode::Exact, text.to_string(), false));
        }
        assert_eq!(mode("/a b/"), (QueryMode::Exact, "a b".into(), false));
        assert_eq!(mode("\"a(b\""), (QueryMode::Exact, "a(b".into(), true));
    }

    #[test]
    fn paths_are_files_and_names_after_a_sign_symbols() {
        for text in ["src/main", "parser.rs", "*.toml", "src/**/*.go", "a/b/"] {
            assert_eq!(mode(text), (QueryMode::Files, text.to_string(), false));
        }
        assert_eq!(mode("@Pool.take"), (QueryMode::Symbols, "Pool.take".into(), false));
        assert_eq!(mode("  "), (QueryMode::Files, String::new(), false));
    }

    #[test]
    fn code_and_words_are_ranked() {
        for text in [
            "where is the key resolved?",
            "fn main() {",
            "Engine.search",
            "a || b",
            "foo(bar, baz)",
            "*ptr",
            "x[i]",
            "http://host/a",
            "resolve_api_key",
            "a(",
            "if (a || b)",
            "$",
            "@Override(",
            "Vec<T>",
            "What is a/b testing",
        ] {
            assert_eq!(mode(text), (QueryMode::Ranked, text.to_string(), false));
        }
    }
}
