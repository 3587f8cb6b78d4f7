//! The patterns as data: the contents of `patterns.toml`, and the search that selects the patterns to try.

use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use regex::bytes::Regex;
use serde::Deserialize;

/// The parsed contents of the file.
pub static TABLE: LazyLock<PatternTable> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("patterns.toml")).expect("a test reads it");
    PatternTable::new(file)
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rule: Vec<PatternRow>,
    assignment: Assignment,
    placeholder: Placeholder,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PatternRow {
    name: String,
    starts: Vec<String>,
    regex: String,
    keep: usize,
    /// Whether the value must look random as well, because its form alone says little.
    #[serde(default)]
    random: bool,
    /// Whether the value is a password that a person may have made up.
    #[serde(default)]
    password: bool,
    #[cfg_attr(not(test), allow(dead_code, reason = "it is for those who read the file"))]
    source: String,
}

/// The words that are recognized in an assignment.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assignment {
    #[allow(dead_code, reason = "it is for those who read the file")]
    source: String,
    /// Parts of the names of passwords.
    pub passwords: Vec<String>,
    /// Words at the end of a password's name.
    pub short: Vec<String>,
    /// Words that end with `pass` and mean something else.
    pub not_pass: Vec<String>,
    /// Parts of the names of keys.
    pub keys: Vec<String>,
    /// Suffixes of names that mean something else.
    pub about: Vec<String>,
}

/// Placeholders, which are not secrets.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placeholder {
    /// Parts of any value.
    pub words: Vec<String>,
    /// Parts of passwords.
    pub password_words: Vec<String>,
    /// Whole passwords.
    pub passwords: Vec<String>,
    /// Suffixes of values.
    pub known: Vec<String>,
}

/// A pattern.
pub struct Rule {
    /// The kind of secret.
    pub name: &'static str,
    /// How many bytes of a value stay readable.
    pub keep: usize,
    /// Whether a value must look random.
    pub random: bool,
    /// Whether a value is a password.
    pub password: bool,
    pattern: String,
    regex: OnceLock<Regex>,
}

impl Rule {
    /// The regular expression, compiled at its first use.
    pub fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| compiled(&self.pattern).expect("a test compiles it"))
    }
}

fn compiled(pattern: &str) -> Result<Regex, regex::Error> {
    regex::bytes::RegexBuilder::new(pattern).unicode(false).build()
}

/// Literal texts that values start with or follow.
pub struct ValueStarts {
    /// The search for these texts.
    pub texts: AhoCorasick,
    /// The rule of each text.
    pub rule_of: Vec<usize>,
}

/// The most texts that the search can find at some dozen bytes at a time.
const TEXTS_AT_ONCE: usize = 64;

/// The patterns.
pub struct PatternTable {
    /// Every rule.
    pub rules: Vec<Rule>,
    /// The literal texts of all rules, in groups that are small enough for a fast search.
    pub starts: Vec<ValueStarts>,
    /// The words that are recognized in an assignment.
    pub assignment: Assignment,
    /// The search for parts of names: first those of passwords, then those of keys.
    pub parts: AhoCorasick,
    /// Placeholders, which are not secrets.
    pub placeholder: Placeholder,
}

impl PatternTable {
    fn new(file: File) -> PatternTable {
        let (mut texts, mut rules) = (Vec::new(), Vec::new());
        for (place, row) in file.rule.into_iter().enumerate() {
            texts.extend(row.starts.into_iter().map(|text| (text, place)));
            rules.push(Rule {
                // The table is built once and lives as long as the process.
                name: Box::leak(row.name.into_boxed_str()),
                keep: row.keep,
                random: row.random,
                password: row.password,
                pattern: row.regex,
                regex: OnceLock::new(),
            });
        }
        let starts = texts.chunks(TEXTS_AT_ONCE).map(ValueStarts::new).collect();
        let assignment = file.assignment;
        let parts = assignment.passwords.iter().chain(&assignment.keys);
        let parts = AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).build(parts);
        let parts = parts.expect("a few short words");
        PatternTable { rules, starts, assignment, parts, placeholder: file.placeholder }
    }
}

impl PatternTable {
    /// Whether `text` begins a private key in base64.
    pub fn is_key(&self, text: &[u8]) -> bool {
        let begins = |start: &&str| text.starts_with(start.as_bytes());
        // A cheap check first: few lines of base64 begin with these texts.
        KEY_STARTS.iter().any(begins)
            && self
                .rules
                .iter()
                .filter(|rule| rule.name == "private key")
                .any(|rule| rule.regex().is_match(text))
    }
}

/// The first characters of private keys in base64.
const KEY_STARTS: &[&str] = &["MI", "MH", "MC", "b3Bl", "LS0t"];

impl ValueStarts {
    fn new(texts: &[(String, usize)]) -> ValueStarts {
        let searcher = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(texts.iter().map(|(text, _)| text));
        ValueStarts {
            texts: searcher.expect("a few short texts"),
            rule_of: texts.iter().map(|(_, rule)| *rule).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_whole() {
        let file: File = toml::from_str(include_str!("patterns.toml")).unwrap();
        for PatternRow { name, starts, regex, source, .. } in &file.rule {
            assert!(compiled(regex).is_ok(), "{name}: {regex}");
            assert!(source.starts_with("https://") && !starts.is_empty(), "{name}");
            assert!(starts.iter().all(|start| start.len() >= 3), "{name}: a short text is in every line");
        }
        assert!(file.assignment.source.starts_with("https://"));
        let texts: usize = TABLE.starts.iter().map(|starts| starts.rule_of.len()).sum();
        assert_eq!(texts, file.rule.iter().map(|row| row.starts.len()).sum::<usize>());
    }
}
