//! Reports: texts of many words on several lines, such as an issue with its template, code and traces.
//!
//! Most words of a report say nothing about the location of the fault. Only the title, which is the first line, and the
//! words that look like code are looked up. A term weighs more if the report repeats it.

use std::collections::{HashMap, HashSet};

/// A text of several lines and more words than this is a report.
pub(crate) const MIN_WORDS: usize = 40;

/// The most words of a title.
const TITLE_WORDS: usize = 30;

/// If a report has fewer informative words, this many of its other words are added.
const MIN_INFORMATIVE_WORDS: usize = 8;

/// The most words outside the title that are looked up because they look like code.
const MAX_CODE_WORDS: usize = 90;

/// The words of a report that are looked up, in order. `words` are all words of the report, as slices of `text`.
pub(crate) fn informative<'t>(text: &'t str, words: Vec<&'t str>) -> Vec<&'t str> {
    let title_end = text.find('\n').unwrap_or(text.len());
    let is_in_title = |word: &str| offset_in(text, word) < title_end;
    let n_title = words.iter().take(TITLE_WORDS).take_while(|word| is_in_title(word)).count();
    let (title, rest) = words.split_at(n_title);
    let spans = code_spans(text);
    let is_code = |word: &&&str| {
        let at = offset_in(text, word);
        looks_like_name(word) || spans.iter().any(|(start, end)| *start <= at && at < *end)
    };
    let mut seen = HashSet::new();
    let mut informative: Vec<&str> = title.to_vec();
    seen.extend(title.iter().copied());
    let mut count: HashMap<&str, usize> = HashMap::new();
    words.iter().for_each(|word| *count.entry(*word).or_default() += 1);
    let mut code: Vec<&str> =
        rest.iter().filter(is_code).copied().filter(|word| seen.insert(*word)).collect();
    // The words that a report repeats most are closest to its subject. The sort is stable, so ties keep their order.
    code.sort_by_key(|word| std::cmp::Reverse(count[word]));
    informative.extend(code.into_iter().take(MAX_CODE_WORDS));
    if informative.len() < MIN_INFORMATIVE_WORDS {
        informative
            .extend(rest.iter().copied().filter(|word| seen.insert(*word)).take(MIN_INFORMATIVE_WORDS));
    }
    informative
}

/// The names among the informative words.
pub fn names(text: &str, words: &[&str]) -> Vec<String> {
    let spans = code_spans(text);
    let mut names: Vec<String> = Vec::new();
    for word in words {
        let at = offset_in(text, word);
        let is_quoted = spans.iter().any(|(start, end)| *start <= at && at < *end);
        let is_name = looks_like_name(word) || (is_quoted && word.len() > 2);
        if is_name && names.len() < super::MAX_TERMS && !names.iter().any(|name| name == word) {
            names.push(word.to_string());
        }
    }
    names
}

/// Whether a word has an inner capital or underscore, as many names in code have.
fn looks_like_name(word: &str) -> bool {
    let has_inner_capital =
        word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    has_inner_capital || word.trim_matches('_').contains('_')
}

/// The byte ranges of the short texts between backticks.
fn code_spans(text: &str) -> Vec<(usize, usize)> {
    let ticks: Vec<usize> = text.match_indices('`').map(|(at, _)| at).collect();
    ticks.chunks_exact(2).map(|pair| (pair[0], pair[1])).filter(|(start, end)| end - start < 80).collect()
}

fn offset_in(text: &str, word: &str) -> usize {
    word.as_ptr() as usize - text.as_ptr() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;

    #[test]
    fn a_report_is_looked_up_by_its_title_and_its_names() {
        let filler =
            "please note that the weather was fine on that day and nobody expected anything ".repeat(4);
        let text =
            format!("Crash when a filter is empty\n{filler}`slice` of QuerySet and fetch_all. {filler}");
        let query = Query::parse(&text).unwrap();
        assert!(query.is_report);
        assert_eq!(query.names, ["slice", "QuerySet", "fetch_all"]);
        let terms: Vec<&str> = query.terms.iter().map(|term| term.term.as_str()).collect();
        assert_eq!(terms[..3], ["crash", "filter", "empti"]);
        assert!(!terms.contains(&"weather"), "{terms:?}");
    }

    #[test]
    fn a_report_without_names_keeps_its_first_words() {
        let words: Vec<String> = (0..60).map(|number| format!("word{number}")).collect();
        let text = words.join(" ").replacen("word1 ", "word1\n", 1);
        let all: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(informative(&text, all).len(), 2 + MIN_INFORMATIVE_WORDS);
    }
}
