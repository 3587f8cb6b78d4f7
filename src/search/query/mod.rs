//! Parsing of queries: terms, names, qualified names, frames, requested kinds of file, and the query as a literal.
//!
//! The module is pure. Function words are dropped, unless the query has no other words.

mod frames;
mod qualified;
mod report;

pub use frames::Frame;
pub use qualified::{Qualified, split_container};

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::profile::QueryKind;
use spyhop_index::tokenize::{ExtraTerms, TermList, Tokenizer, for_each_word, parts};

/// The most characters of a query.
pub(crate) const MAX_QUERY_CHARS: usize = 10_000;

/// The most terms of a query, and the most names; further ones are dropped. A set of terms fits a 64-bit mask.
pub(crate) const MAX_TERMS: usize = 64;

/// A parsed query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Query {
    /// The text of the query, without white space at its ends.
    pub text: String,
    /// The distinct terms, in the order of the query.
    pub terms: Vec<QueryTerm>,
    /// The names in the query, as written: a query of one word, words with an inner capital or `_`, words with a
    /// capital that are not first, words in backticks.
    pub names: Vec<String>,
    /// Texts that must occur in a file that answers: the parts in double quotes of a query that has nothing else, and
    /// the parts behind a plus, `+"text"`. Any other double quote is an ordinary character.
    pub quoted: Vec<String>,
    /// The qualified names in the query, such as `Type.method`.
    pub qualified: Vec<Qualified>,
    /// Whether the query is one qualified name, the last of `qualified`.
    pub is_qualified_name: bool,
    /// The files that the query names, and their lines, such as the frames of a stack trace.
    pub frames: Vec<Frame>,
    /// Whether the query looks like the output of a program and not like a question: it has a number, or punctuation
    /// that delimits values.
    pub is_message: bool,
    /// Whether the query is a report: a text of many words on several lines, such as an issue. Only its title and the
    /// words that look like code are looked up.
    pub is_report: bool,
    /// Whether `names` replaces a name that is not defined.
    pub is_respelled: bool,
    /// The number of words, with function words.
    pub n_words: usize,
    /// The kinds of file that the query asks for.
    pub asks: Asks,
    pub kind: QueryKind,
    /// Whether the query looks like code: only names, a path, a quoted text, or the punctuation of code.
    pub is_code: bool,
}

/// A term and the word that it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryTerm {
    /// The term as indexed.
    pub term: String,
    /// The word in lower case.
    pub word: String,
    /// The weight of the term: 1, or more if a report repeats the term.
    pub weight: Weight,
}

/// The weight of a term, in hundredths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Weight(u16);

impl Weight {
    const ONE: Weight = Weight(100);

    /// The weight of a term that occurs `n` times in a report: 1 + ln(n), with `n` limited to 20.
    fn of_repeated(n: usize) -> Weight {
        Weight(100 + (100.0 * (n.clamp(1, 20) as f32).ln()) as u16)
    }

    /// The weight as a factor.
    pub fn get(self) -> f32 {
        f32::from(self.0) / 100.0
    }
}

/// A word that does not occur in the view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replaced {
    /// The word as typed.
    pub typed: String,
    /// What is looked for instead, nearest first.
    pub instead: Vec<String>,
    /// Whether the word was looked for as the name of a definition.
    pub is_name: bool,
}

/// Kinds of file that ranking usually puts behind other files, unless the query asks for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asks {
    /// Tests, benches, examples, fixtures.
    pub tests: bool,
    /// Tests, and no other code: `which test covers the basket`, `tests for the basket`.
    pub only_tests: bool,
    /// Prose.
    pub docs: bool,
    /// Deprecated, legacy, vendored and compatibility code.
    pub compat: bool,
    /// Generated code.
    pub generated: bool,
    /// Data, settings and markup.
    pub data: bool,
    /// Code for one operating system.
    pub platform: bool,
}

/// Why a query was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    #[error("query is empty")]
    Empty,
    #[error("query has {0} characters; the limit is {MAX_QUERY_CHARS}")]
    TooLong(usize),
}

/// Words that carry no information in a question about code.
const FUNCTION_WORDS: &[&str] = &[
    "a", "an", "and", "any", "are", "as", "at", "be", "been", "between", "but", "by", "can", "code", "did",
    "do", "does", "done", "each", "find", "for", "from", "had", "has", "have", "how", "i", "in", "into",
    "is", "it", "its", "me", "of", "on", "or", "our", "show", "so", "some", "that", "the", "their", "them",
    "then", "there", "these", "they", "this", "those", "to", "was", "we", "were", "what", "when", "where",
    "which", "who", "why", "will", "with", "would", "you",
];

/// The bytes of the longest of these words.
const MAX_FUNCTION_WORD: usize = {
    let (mut most, mut at) = (0, 0);
    while at < FUNCTION_WORDS.len() {
        most = if FUNCTION_WORDS[at].len() > most { FUNCTION_WORDS[at].len() } else { most };
        at += 1;
    }
    most
};

impl Query {
    pub fn parse(text: &str) -> Result<Query, QueryError> {
        Query::parse_with(text, &ExtraTerms::default())
    }

    /// Parses a query whose words have further terms.
    pub fn parse_with(text: &str, extra: &ExtraTerms) -> Result<Query, QueryError> {
        let n_chars = text.chars().count();
        if n_chars > MAX_QUERY_CHARS {
            return Err(QueryError::TooLong(n_chars));
        }
        let text = text.trim();
        if text.is_empty() {
            return Err(QueryError::Empty);
        }
        let mut words = Vec::new();
        for_each_word(text, |word| words.push(word));
        let n_words = words.len();
        let is_report = n_words > report::MIN_WORDS && text.contains('\n');
        let all = words.clone();
        if is_report {
            words = report::informative(text, words);
        }
        let meaningful: Vec<&str> = words.iter().copied().filter(|word| !is_function_word(word)).collect();
        let kept = if meaningful.is_empty() { &words } else { &meaningful };
        let qualified = qualified::qualified_of(text);
        let mut names = if is_report { report::names(text, &words) } else { names_of(text, &words) };
        // A separator stands before each word except the first, so a call with arguments is not a name.
        let is_chain = !text.contains(char::is_whitespace) && n_words == qualified.len() + 1;
        let qualified_name =
            qualified.last().filter(|last| is_chain && last.is_code(text)).map(|last| &last.name);
        // The last part of a qualified name is a name in any style.
        names.extend(qualified_name.filter(|name| !names.contains(name)).cloned());
        let kind = if qualified_name.is_some() { QueryKind::Names } else { kind_of(&words, &names) };
        let is_qualified_name = qualified_name.is_some();
        let quoted = quoted_of(text);
        let is_message = looks_like_message(text);
        let without_values: Vec<&str> = match is_message && kind != QueryKind::Names && !is_report {
            true => {
                let numbers_count = !has_message_signs(text);
                let is_value =
                    |word: &str| is_of_value(text, word) && !(numbers_count && is_telling_number(word));
                kept.iter().copied().filter(|word| !is_value(word)).collect()
            }
            false => Vec::new(),
        };
        let kept = if without_values.len() >= MIN_INFORMATIVE_WORDS { &without_values } else { kept };
        let mut terms = terms_of(kept, extra);
        if is_report {
            weigh_repeated(&mut terms, &all);
        }
        Ok(Query {
            text: text.to_string(),
            terms,
            kind,
            names,
            is_code: kind == QueryKind::Names || !quoted.is_empty() || has_code(text),
            quoted,
            asks: asks_of(&words),
            n_words,
            qualified,
            frames: frames::frames_of(text),
            is_qualified_name,
            is_respelled: false,
            is_message,
            is_report,
        })
    }

    /// The name that the whole query is, or the last part of the qualified name that the whole query is.
    pub(crate) fn only_name(&self) -> Option<&str> {
        match (&self.names[..], self.qualified.last()) {
            (_, Some(last)) => Some(last.name.as_str()).filter(|_| self.is_qualified_name),
            ([name], None) => Some(name.as_str()).filter(|name| *name == self.text),
            _ => None,
        }
    }

    /// The query with other words instead of words that do not occur. Names of definitions become names of the query.
    pub(crate) fn with_words(&self, replaced: &[Replaced]) -> Query {
        let mut terms: Vec<QueryTerm> = Vec::new();
        let mut names = self.names.clone();
        for term in &self.terms {
            let other = replaced.iter().find(|other| other.typed == term.word);
            let instead = match other {
                Some(other) => terms_of(&[&other.instead[0]], &ExtraTerms::default()),
                None => vec![term.clone()],
            };
            let is_new = |new: &QueryTerm| !terms.iter().any(|known| known.term == new.term);
            let new: Vec<QueryTerm> = instead.into_iter().filter(is_new).collect();
            terms.extend(new);
            names.retain(|name| other.is_none_or(|other| !name.eq_ignore_ascii_case(&other.typed)));
            names.extend(
                other.filter(|other| other.is_name).into_iter().flat_map(|other| other.instead.clone()),
            );
        }
        terms.truncate(MAX_TERMS);
        names.truncate(MAX_TERMS);
        let is_replaced = |word: &str| {
            replaced.iter().any(|other| other.is_name && other.typed.eq_ignore_ascii_case(word))
                || self.names.iter().any(|name| name == word)
        };
        let mut are_names = true;
        for_each_word(&self.text, |word| are_names &= is_replaced(word));
        let kind = match (names.is_empty(), are_names) {
            (true, _) => QueryKind::Words,
            (false, true) => QueryKind::Names,
            (false, false) => QueryKind::Mixed,
        };
        Query { terms, names, kind, ..self.clone() }
    }

    /// The query that names these files.
    pub(crate) fn with_files(&self, paths: Vec<String>) -> Query {
        let frames = paths.into_iter().map(|path| Frame { path, line: None, function: None }).collect();
        Query { frames, ..self.clone() }
    }

    /// The query that means the definitions `names`, whose words it has.
    pub(crate) fn with_spaced_name(&self, names: Vec<String>) -> Query {
        Query { names, kind: QueryKind::Names, ..self.clone() }
    }

    /// The query that means the definitions `names` in `container`.
    pub(crate) fn with_pair(&self, container: &str, names: &[String]) -> Query {
        let pair = |name: &String| Qualified { container: container.to_string(), name: name.clone() };
        let qualified: Vec<Qualified> = names.iter().map(pair).collect();
        let names = names.iter().cloned().chain([container.to_string()]).collect();
        Query { names, qualified, kind: QueryKind::Names, ..self.clone() }
    }

    /// The query with `names` instead of its names. If the query has a qualified name, each name keeps its
    /// container, or has each of `containers` instead. The terms of the first name are added before the terms of the
    /// query; the text does not change.
    pub(crate) fn with_names(&self, names: &[String], containers: &[String]) -> Query {
        let first: Vec<&str> = names.iter().take(1).map(String::as_str).collect();
        let mut terms = terms_of(&first, &ExtraTerms::default());
        terms.extend(
            self.terms
                .iter()
                .filter(|known| !terms.iter().any(|term| term.term == known.term))
                .cloned()
                .collect::<Vec<_>>(),
        );
        terms.truncate(MAX_TERMS);
        let typed = self.qualified.last().map(|last| last.container.clone());
        let own: Vec<String> =
            if containers.is_empty() { typed.into_iter().collect() } else { containers.to_vec() };
        let qualified = own.iter().flat_map(|container| {
            names.iter().map(|name| Qualified { container: container.clone(), name: name.clone() })
        });
        let qualified = qualified.collect();
        Query { terms, names: names.to_vec(), qualified, is_respelled: true, ..self.clone() }
    }

    /// The terms and names as one line, for tests.
    pub fn printed(&self) -> String {
        let terms: Vec<&str> = self.terms.iter().map(|term| term.term.as_str()).collect();
        format!("terms [{}] names [{}]", terms.join(" "), self.names.join(" "))
    }
}

/// Sets the weight of each term by its frequency in `words`.
fn weigh_repeated(terms: &mut [QueryTerm], words: &[&str]) {
    let mut tokenizer = Tokenizer::new();
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut list = TermList::default();
    words.iter().for_each(|word| tokenizer.terms(word, &mut list));
    list.iter().for_each(|term| *counts.entry(term.to_string()).or_default() += 1);
    for term in terms {
        term.weight = Weight::of_repeated(counts.get(&term.term).copied().unwrap_or(1));
    }
}

pub(crate) fn is_function_word(word: &str) -> bool {
    // No allocation for a word of a text, of which there are many.
    let mut lower = [0; MAX_FUNCTION_WORD];
    match lower.get_mut(..word.len()) {
        Some(lower) if word.is_ascii() => {
            lower.copy_from_slice(word.as_bytes());
            lower.make_ascii_lowercase();
            FUNCTION_WORDS.binary_search_by(|known| known.as_bytes().cmp(lower)).is_ok()
        }
        None if word.is_ascii() => false,
        _ => FUNCTION_WORDS.binary_search(&word.to_lowercase().as_str()).is_ok(),
    }
}

fn terms_of(words: &[&str], extra: &ExtraTerms) -> Vec<QueryTerm> {
    let mut tokenizer = Tokenizer::with(extra.clone());
    let mut terms: Vec<QueryTerm> = Vec::new();
    for word in words {
        // Each part is looked up separately, so that a reason can show the part that matched.
        let mut whole = TermList::default();
        tokenizer.terms(word, &mut whole);
        let shown = parts(word);
        for term in whole.iter() {
            if terms.len() == MAX_TERMS || terms.iter().any(|known| known.term == term) {
                continue;
            }
            let part = shown.iter().find(|part| {
                let mut part_terms = TermList::default();
                tokenizer.terms(part, &mut part_terms);
                part_terms.iter().eq([term])
            });
            let word = part.map_or(term.to_string(), |part| part.to_lowercase());
            terms.push(QueryTerm { term: term.to_string(), word, weight: Weight::ONE });
        }
    }
    terms
}

/// The texts in double quotes, if only blanks are outside the quotes; otherwise the texts between `+"` and `"`.
fn quoted_of(text: &str) -> Vec<String> {
    let pieces: Vec<&str> = text.split('"').collect();
    let n_closed = (pieces.len() - 1) / 2 * 2;
    let is_all =
        n_closed + 1 == pieces.len() && pieces.iter().step_by(2).all(|outside| outside.trim().is_empty());
    let mut quoted: Vec<String> = Vec::new();
    for at in (1..n_closed).step_by(2) {
        let part = pieces[at];
        let is_wanted = pieces[at - 1]
            .strip_suffix('+')
            .is_some_and(|before| before.is_empty() || before.ends_with(char::is_whitespace));
        if (is_all || is_wanted) && !part.trim().is_empty() && !quoted.iter().any(|known| known == part) {
            quoted.push(part.to_string());
        }
    }
    quoted
}

fn names_of(text: &str, words: &[&str]) -> Vec<String> {
    let quoted: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    let mut names: Vec<String> = Vec::new();
    for (place, word) in words.iter().enumerate() {
        if names.len() == MAX_TERMS {
            break;
        }
        let inner_capital =
            word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
        let capital = word.chars().next().is_some_and(char::is_uppercase) && place > 0;
        let is_name = words.len() == 1
            || inner_capital
            || capital
            || word.trim_matches('_').contains('_')
            || quoted.iter().any(|quoted| quoted.contains(word));
        if is_name && !is_function_word(word) && !names.iter().any(|name| name == word) {
            names.push(word.to_string());
        }
    }
    names
}

fn kind_of(words: &[&str], names: &[String]) -> QueryKind {
    let is_name = |word: &&str| names.iter().any(|name| name == word);
    match names.is_empty() {
        true => QueryKind::Words,
        false if words.iter().all(is_name) => QueryKind::Names,
        false => QueryKind::Mixed,
    }
}

/// Whether a text has punctuation that sentences do not have: a bracket directly after a word, an operator, a path.
fn has_code(text: &str) -> bool {
    const SIGNS: &[&str] =
        &["::", "->", "=>", "==", "!=", "&&", "||", "()", "{", "}", "[", "]", ";", "=", "<", "`", "\\"];
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    // The sign joins two words, or is a bracket directly after a word.
    let joins = |(at, c): (usize, char)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + c.len_utf8()..].chars().next());
        match c {
            '/' | '.' | ':' => is_word(before) && is_word(after),
            '(' => is_word(before),
            _ => false,
        }
    };
    SIGNS.iter().any(|sign| text.contains(sign)) || text.char_indices().any(joins)
}

/// If a message has at least this many words that are not values, only these words are looked up.
const MIN_INFORMATIVE_WORDS: usize = 3;

/// Whether a word of `text` is part of a value, such as a number, a time or a path. Values rarely occur in source code.
fn is_of_value(text: &str, word: &str) -> bool {
    let at = word.as_ptr() as usize - text.as_ptr() as usize;
    // A blank may have several bytes, such as U+3000.
    let start = text[..at].trim_end_matches(|c: char| !c.is_whitespace()).len();
    let end = text[at..].find(char::is_whitespace).map_or(text.len(), |blank| at + blank);
    let token = text[start..end].trim_matches(|c: char| !c.is_alphanumeric() && c != '/');
    word.starts_with(|c: char| c.is_ascii_digit()) || token.starts_with('/')
}

/// Whether a number in a question tells code apart, as in "rfc 2822" and "status 429".
fn is_telling_number(word: &str) -> bool {
    word.len() >= 2 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a text looks like program output: it has a number or other signs of messages.
fn looks_like_message(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|word| word.starts_with(|c: char| c.is_ascii_digit())) || has_message_signs(text)
}

/// Whether a text has signs of program output that questions lack, besides numbers: a quoted value, a colon after a word.
fn has_message_signs(text: &str) -> bool {
    text.contains(['"', '=', '[', '%', '{', '<', '!', '$'])
        || [": ", " '", " (", ". "].iter().any(|signs| text.contains(signs))
}

/// Whether a question asks for the tests of something.
fn asks_for_tests(words: &[&str]) -> bool {
    let is = |at: usize, wanted: &[&str]| {
        words.get(at).is_some_and(|word| wanted.iter().any(|own| word.eq_ignore_ascii_case(own)))
    };
    let names = |at: usize| is(at, &["test", "tests", "spec", "specs"]);
    let begins = is(0, &["which", "what"]) && (names(1) || names(2)) || is(0, &["unit"]) && names(1);
    let of = names(0) && is(1, &["of", "for", "that", "which", "covering"]);
    let is_tested =
        is(0, &["how", "where", "is"]) && words.iter().any(|word| word.eq_ignore_ascii_case("tested"));
    words.len() > 2 && (begins || of || is_tested)
}

fn asks_of(words: &[&str]) -> Asks {
    let any = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.to_lowercase().as_str()));
    Asks {
        only_tests: asks_for_tests(words),
        tests: any(&[
            "test",
            "tests",
            "tested",
            "testing",
            "spec",
            "specs",
            "example",
            "examples",
            "bench",
            "benchmark",
            "benchmarks",
            "fixture",
            "fixtures",
            "mock",
            "mocks",
        ]),
        docs: any(&[
            "doc",
            "docs",
            "documentation",
            "readme",
            "changelog",
            "guide",
            "tutorial",
            "documented",
            "license",
        ]),
        compat: any(&[
            "compat",
            "compatibility",
            "legacy",
            "deprecated",
            "v1",
            "old",
            "backward",
            "backwards",
            "vendor",
            "vendored",
        ]),
        generated: any(&["generated", "codegen", "generate", "dist", "bundle", "bundled", "minified"]),
        platform: any(&[
            "windows", "win32", "macos", "darwin", "ios", "android", "wasm", "platform", "freebsd",
        ]),
        data: any(&["json", "toml", "yaml", "css", "html", "stylesheet", "markup", "schema", "manifest"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_words_are_sorted_for_the_search() {
        assert!(FUNCTION_WORDS.is_sorted());
    }

    #[test]
    fn queries_print() {
        let check = |text: &str, expected: &str| {
            assert_eq!(Query::parse(text).unwrap().printed(), expected, "{text}")
        };
        check("Where is provider auth resolved?", "terms [provid auth resolv] names []");
        check("how does JoinMap::remove work", "terms [join map remov work] names [JoinMap]");
        check("resolve_api_key", "terms [resolv api key] names [resolve_api_key]");
        check("where", "terms [where] names []");
        check("the `config` loader of Arcee", "terms [config loader arce] names [config Arcee]");
        check("Tool tools tooling", "terms [tool] names []");
        check("?!", "terms [] names []");
        check("检索代码", "terms [检索 索代 代码] names [检索代码]");
    }

    #[test]
    fn code_looks_like_code() {
        let is_code = |text: &str| Query::parse(text).unwrap().is_code;
        for text in [
            "JoinMap",
            "config",
            "src/main.rs",
            "foo(bar",
            "std::mem",
            "a->b",
            "x = 1",
            "\"hello\"",
            "obj.field of",
        ] {
            assert!(is_code(text), "{text}");
        }
        for text in
            ["where is the vault opened?", "retry, then fail (or not)", "error handling", "Why? Because."]
        {
            assert!(!is_code(text), "{text}");
        }
    }

    #[test]
    fn bad_queries_are_refused() {
        let check =
            |text: &str, expected: &str| assert_eq!(Query::parse(text).unwrap_err().to_string(), expected);
        check("", "query is empty");
        check(" \n\t", "query is empty");
        check(&"x".repeat(100_000), "query has 100000 characters; the limit is 10000");
    }

    #[test]
    fn a_long_query_has_bounded_terms_and_names() {
        let text: String = (0..200).map(|number| format!("Name{number} ")).collect();
        let query = Query::parse(&text).unwrap();
        assert_eq!((query.terms.len(), query.names.len()), (MAX_TERMS, MAX_TERMS));
    }

    #[test]
    fn a_value_of_a_message_ends_at_any_blank() {
        for blank in [" ", "\u{a0}", "\u{85}", "\u{3000}", "\u{2028}"] {
            let query = Query::parse(&format!("/tmp/größe{blank}failed{blank}to open: 7 files")).unwrap();
            assert_eq!(query.printed(), "terms [fail open file] names []", "{blank:?}");
        }
    }

    #[test]
    fn numbers_of_a_question_count_and_values_of_a_message_do_not() {
        let check = |text: &str, expected: &str| {
            assert_eq!(
                Query::parse(text).unwrap().printed(),
                format!("terms [{expected}] names []"),
                "{text}"
            );
        };
        check("how is an rfc 2822 date parsed", "rfc 2822 date pars");
        check("retry after status 429 with a pause", "retri after status 429 paus");
        check("connection lost: 2822 bytes written, 12 left", "connect lose byte write left");
        check("wait 3 seconds before closing", "wait second befor close");
    }

    #[test]
    fn a_query_can_ask_for_tests() {
        assert!(Query::parse("tests of the parser").unwrap().asks.tests);
        assert!(!Query::parse("parser").unwrap().asks.tests);
        assert!(Query::parse("the legacy API").unwrap().asks.compat);
    }
}
