//! The patterns as data: the contents of `patterns.toml`, and the search that selects the patterns to try.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, Match, MatchKind};
use memchr::memmem;
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
    near: NearWords,
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
    /// Texts of which the line contains one, apart from `starts`: each match of `regex` contains one of them. The texts spare most
    /// lines the regular expression, and most searches the compilation of it.
    #[serde(default)]
    also: Vec<String>,
    #[cfg_attr(not(test), allow(dead_code, reason = "it is for those who read the file"))]
    source: String,
}

/// The words that are recognized in an assignment.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Assignment {
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

/// The words that are looked for in the line of a value that looks drawn.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NearWords {
    /// Parts of names that a secret stands near, besides those of an assignment.
    pub names: Vec<String>,
    /// Parts of the names of values that look drawn and are not secrets.
    pub public: Vec<String>,
}

/// Placeholders, which are not secrets.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Placeholder {
    /// Parts of any value.
    pub words: Vec<String>,
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
    /// Texts of which a value's line contains one; empty if there are no such texts.
    also: Vec<String>,
    pattern: String,
    regex: OnceLock<Regex>,
}

impl Rule {
    /// Whether `line`, which contains one of the rule's starts, may contain a value.
    pub fn may_match(&self, line: &[u8]) -> bool {
        self.also.is_empty() || self.also.iter().any(|text| memmem::find(line, text.as_bytes()).is_some())
    }

    /// The regular expression, compiled at its first use.
    pub fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| compiled(&self.pattern).expect("a test compiles it"))
    }
}

fn compiled(pattern: &str) -> Result<Regex, regex::Error> {
    regex::bytes::RegexBuilder::new(pattern).unicode(false).build()
}

/// Literal texts that values start with or follow.
pub(crate) struct ValueStarts {
    /// The search for these texts that is built fast, for processes that show a few lines.
    first: AhoCorasick,
    /// The search that is fast, and takes 18 million instructions to build.
    fast: OnceLock<AhoCorasick>,
    texts: Vec<String>,
    /// How many bytes were searched.
    searched: AtomicUsize,
    pub rule_of: Vec<usize>,
}

pub(crate) struct PatternTable {
    pub rules: Vec<Rule>,
    /// The literal texts of all rules.
    pub starts: ValueStarts,
    /// The words that are recognized in an assignment.
    pub assignment: Assignment,
    /// The search for parts of names: first those of passwords, then those of keys.
    pub parts: AhoCorasick,
    /// Placeholders, which are not secrets.
    pub placeholder: Placeholder,
    /// The words in the line of a value that looks drawn.
    pub near: NearWords,
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
                also: row.also,
                pattern: row.regex,
                regex: OnceLock::new(),
            });
        }
        let starts = ValueStarts::new(&texts);
        let assignment = file.assignment;
        let parts = assignment.passwords.iter().chain(&assignment.keys);
        let parts = AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).build(parts);
        let parts = parts.expect("a few short words");
        PatternTable { rules, starts, assignment, parts, placeholder: file.placeholder, near: file.near }
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

/// The number of bytes that are searched before the fast search is built. The number is arbitrary: more than a question shows, less than a
/// search of a large tree prints.
const FIRST_BYTES: usize = 4 << 20;

impl ValueStarts {
    fn new(texts: &[(String, usize)]) -> ValueStarts {
        let rule_of = texts.iter().map(|(_, rule)| *rule).collect();
        let texts: Vec<String> = texts.iter().map(|(text, _)| text.clone()).collect();
        let first = searcher(&texts, AhoCorasickKind::ContiguousNFA);
        ValueStarts { first, fast: OnceLock::new(), texts, searched: AtomicUsize::new(0), rule_of }
    }

    /// The texts in `bytes`, also those that overlap.
    pub fn find<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = Match> + 'a {
        let searcher = if self.searched.fetch_add(bytes.len(), Relaxed) < FIRST_BYTES {
            &self.first
        } else {
            self.fast.get_or_init(|| searcher(&self.texts, AhoCorasickKind::DFA))
        };
        searcher.find_overlapping_iter(bytes)
    }
}

/// A vectorized search stops at the beginnings of the texts, and some hundred texts have one that each line of code contains.
/// An automaton of this size stays in the cache, and takes half of the time.
fn searcher(texts: &[String], kind: AhoCorasickKind) -> AhoCorasick {
    let mut builder = AhoCorasick::builder();
    let builder = builder.match_kind(MatchKind::Standard).kind(Some(kind)).prefilter(false);
    builder.build(texts).expect("a few short texts")
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
        assert_eq!(TABLE.starts.rule_of.len(), file.rule.iter().map(|row| row.starts.len()).sum::<usize>());
    }

    #[test]
    fn both_searches_find_the_same_texts() {
        let text = include_str!("patterns.toml");
        let starts = &TABLE.starts;
        let found = |searcher: &AhoCorasick| {
            let found = searcher.find_overlapping_iter(text).map(|start| (start.end(), start.pattern()));
            let mut found: Vec<_> = found.collect();
            found.sort_unstable();
            found
        };
        let first = found(&starts.first);
        assert!(first.len() > starts.rule_of.len() / 2);
        assert_eq!(first, found(&searcher(&starts.texts, AhoCorasickKind::DFA)));
    }
}
