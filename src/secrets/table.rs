//! The patterns as data: what is read from `patterns.toml`, and the search that tells which of them to try.

use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, MatchKind};
use regex::bytes::Regex;
use serde::Deserialize;

/// Everything in the file.
pub static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let file: File = toml::from_str(include_str!("patterns.toml")).expect("a test reads it");
    Table::new(file)
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rule: Vec<Row>,
    assignment: Assignment,
    placeholder: Placeholder,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    starts: Vec<String>,
    regex: String,
    keep: usize,
    /// Whether the value must look random as well: the form alone says little.
    #[serde(default)]
    random: bool,
    /// Whether the value is a password that somebody may have made up.
    #[serde(default)]
    password: bool,
    #[cfg_attr(not(test), allow(dead_code, reason = "it is for those who read the file"))]
    source: String,
}

/// What an assignment is looked at for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assignment {
    #[allow(dead_code, reason = "it is for those who read the file")]
    source: String,
    /// Parts of the names of passwords.
    pub passwords: Vec<String>,
    /// Parts of the names of keys.
    pub keys: Vec<String>,
    /// Ends of names that mean something else.
    pub about: Vec<String>,
}

/// What is nobody's secret.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placeholder {
    /// Parts of any value.
    pub words: Vec<String>,
    /// Parts of passwords.
    pub password_words: Vec<String>,
    /// Ends of values.
    pub known: Vec<String>,
}

/// A pattern.
pub struct Rule {
    /// What its values are.
    pub name: &'static str,
    /// How many bytes of a value stay readable.
    pub keep: usize,
    /// Whether a value must look random.
    pub random: bool,
    /// Whether it is a password.
    pub password: bool,
    pattern: String,
    regex: OnceLock<Regex>,
}

impl Rule {
    /// Its expression, compiled when it is first asked for.
    pub fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| compiled(&self.pattern).expect("a test compiles it"))
    }
}

fn compiled(pattern: &str) -> Result<Regex, regex::Error> {
    regex::bytes::RegexBuilder::new(pattern).unicode(false).build()
}

/// The patterns.
pub struct Table {
    /// Every rule.
    pub rules: Vec<Rule>,
    /// What all values start with or stand behind.
    pub starts: AhoCorasick,
    /// The rule of each of these.
    pub rule_of: Vec<usize>,
    /// What an assignment is looked at for.
    pub assignment: Assignment,
    /// What is nobody's secret.
    pub placeholder: Placeholder,
}

impl Table {
    fn new(file: File) -> Table {
        let (mut texts, mut rule_of, mut rules) = (Vec::new(), Vec::new(), Vec::new());
        for (place, row) in file.rule.into_iter().enumerate() {
            rule_of.extend(row.starts.iter().map(|_| place));
            texts.extend(row.starts);
            rules.push(Rule {
                // Read once for the life of the process.
                name: Box::leak(row.name.into_boxed_str()),
                keep: row.keep,
                random: row.random,
                password: row.password,
                pattern: row.regex,
                regex: OnceLock::new(),
            });
        }
        let starts = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(texts);
        let starts = starts.expect("a few short texts");
        Table { rules, starts, rule_of, assignment: file.assignment, placeholder: file.placeholder }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_whole() {
        let file: File = toml::from_str(include_str!("patterns.toml")).unwrap();
        for Row { name, starts, regex, source, .. } in &file.rule {
            assert!(compiled(regex).is_ok(), "{name}: {regex}");
            assert!(source.starts_with("https://") && !starts.is_empty(), "{name}");
            assert!(starts.iter().all(|start| start.len() >= 3), "{name}: a short text is in every line");
        }
        assert!(file.assignment.source.starts_with("https://"));
        // More of them are no longer looked for some dozen bytes at a time.
        assert!(TABLE.rule_of.len() <= 64);
    }
}
