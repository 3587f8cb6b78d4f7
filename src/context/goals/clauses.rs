//! The clauses of a task: sentences and list items, divided at conjunctions before verbs and at enumerations.

use std::ops::Range;

use super::words::{
    is_adverb, is_article, is_joint, is_noun_verb, is_pronoun, is_qualifier, is_verb, lead_len,
};

/// The longest item of an enumeration, in words.
const MAX_ITEM_WORDS: usize = 5;

/// A clause, as parts of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Clause<'t> {
    /// The words of a demand before its verb, such as `do not`.
    pub lead: Option<&'t str>,
    /// The verb; of an item of an enumeration, the verb before the first item.
    pub verb: Option<&'t str>,
    pub object: &'t str,
    pub qualifiers: Vec<&'t str>,
    /// The text behind the verb, or the whole text if no verb is known.
    rest: &'t str,
}

impl Clause<'_> {
    /// The clause as a query. `before` is the object of the goal before, which a pronoun means.
    pub fn query(&self, before: Option<&str>) -> String {
        let rest = match before {
            Some(before) if is_pronoun(self.object) => {
                format!("{before}{}", &self.rest[self.object.len()..])
            }
            _ => self.rest.to_string(),
        };
        let words = self.lead.into_iter().chain(self.verb).chain([rest.as_str()]);
        words.collect::<Vec<_>>().join(" ")
    }
}

/// A word of a sentence: a run without blanks, or a whole quoted part.
#[derive(Clone, Debug)]
struct ClauseWord<'t> {
    /// The word without punctuation at its end.
    text: &'t str,
    span: Range<usize>,
    /// Whether a comma follows.
    has_comma: bool,
    /// Whether the word ends a sentence.
    is_last: bool,
}

/// The clauses of a text, in order.
pub(super) fn clauses_of(text: &str) -> Vec<Clause<'_>> {
    let mut clauses = Vec::new();
    for item in items_of(text) {
        let words = words_of(item);
        for sentence in words.split_inclusive(|word| word.is_last) {
            for part in parts_of(sentence) {
                clauses.extend(enumerated(item, part));
            }
        }
    }
    clauses
}

/// The quoted parts and code spans of a text, without their quotes.
pub(super) fn literals_of(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match quoted_end(text, at) {
            Some(end) => {
                found.push(text[at + 1..end - 1].to_string());
                at = end;
            }
            None => at += text[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    found
}

/// The items of a list, or the paragraphs of a text.
fn items_of(text: &str) -> Vec<&str> {
    let mut items: Vec<Range<usize>> = Vec::new();
    let mut begins = true;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        let marker = marker_of(content);
        let start = at + (line.len() - line.trim_start().len()) + marker;
        let end = at + line.trim_end().len();
        at += line.len();
        if content.is_empty() {
            begins = true;
            continue;
        }
        match items.last_mut().filter(|_| !begins && marker == 0) {
            Some(last) => last.end = end,
            None => items.push(start..end),
        }
        begins = false;
    }
    items.into_iter().filter(|item| item.start < item.end).map(|item| &text[item]).collect()
}

/// The length of the bullet or number before an item of a list, with its blank.
fn marker_of(line: &str) -> usize {
    if let Some(rest) = line.strip_prefix(['-', '*', '+', '•']).filter(|rest| rest.starts_with(' ')) {
        return line.len() - rest.trim_start().len();
    }
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let is_number = (1..=2).contains(&digits) && line[digits..].starts_with(['.', ')']);
    match is_number.then(|| &line[digits + 1..]) {
        Some(rest) if rest.starts_with(' ') => line.len() - rest.trim_start().len(),
        _ => 0,
    }
}

/// The end of the quoted part that begins at `start`, behind its closing quote.
fn quoted_end(text: &str, start: usize) -> Option<usize> {
    let quote = text[start..].chars().next().filter(|c| matches!(c, '`' | '"' | '\''))?;
    let is_inside_word = text[..start].ends_with(|c: char| c.is_alphanumeric());
    let body = &text[start + 1..];
    let length = body.find(quote).filter(|length| *length > 0 && !body[..*length].contains('\n'))?;
    let end = start + 1 + length + 1;
    let continues = quote == '\'' && text[end..].starts_with(|c: char| c.is_alphanumeric());
    (!is_inside_word && !continues).then_some(end)
}

fn words_of(item: &str) -> Vec<ClauseWord<'_>> {
    let mut words = Vec::new();
    let mut at = 0;
    while at < item.len() {
        let rest = &item[at..];
        let blanks = rest.len() - rest.trim_start().len();
        if blanks > 0 {
            at += blanks;
            continue;
        }
        let start = at;
        while at < item.len() && !item[at..].starts_with(char::is_whitespace) {
            at = quoted_end(item, at).unwrap_or(at + item[at..].chars().next().map_or(1, char::len_utf8));
        }
        let whole = &item[start..at];
        let text = whole.trim_end_matches(['.', ',', ';', '!', '?', ':']);
        let signs = &whole[text.len()..];
        let span = start..start + text.len();
        let is_last = signs.contains(['.', ';', '!', '?']) && !is_abbreviation(text);
        words.push(ClauseWord { text, span, has_comma: signs.contains(','), is_last });
    }
    words
}

fn is_abbreviation(word: &str) -> bool {
    matches!(word.to_ascii_lowercase().as_str(), "e.g" | "i.e" | "etc" | "vs" | "cf" | "approx")
}

/// A sentence divided at its conjunctions before verbs: "add a limit and show it". A part before a conjunction needs
/// a verb with an object, so that "fix and test the parser" is one part.
fn parts_of<'w, 't>(sentence: &'w [ClauseWord<'t>]) -> Vec<&'w [ClauseWord<'t>]> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut at = 1;
    while at < sentence.len() {
        let begin = skip(sentence, at, |word| is_joint(word.text) || is_adverb(word.text));
        let is_joined = begin > at || sentence[at - 1].has_comma;
        let begins_goal =
            is_joined && verb_at(&sentence[begin..]).is_some() && has_object(&sentence[start..at]);
        if begins_goal {
            parts.push(&sentence[start..at]);
            start = begin;
            at = begin + 1;
        } else {
            at += 1;
        }
    }
    parts.push(&sentence[start..]);
    parts
}

/// The number of words before the verb, if words are a verb with words behind it. A word that may be a noun is a verb before an
/// article or pronoun, and each word is one behind "do not".
fn verb_at(words: &[ClauseWord<'_>]) -> Option<usize> {
    let lead = lead_len(words.iter().map(|word| word.text));
    let lead = lead + if lead > 0 { skip(&words[lead..], 0, |word| is_adverb(word.text)) } else { 0 };
    // "Should a user sign in" is a question.
    let is_subject = |word: &ClauseWord<'_>| is_article(word.text) || is_pronoun(word.text);
    if lead > 0 && words.get(lead).is_some_and(|word| !is_subject(word)) {
        return Some(lead);
    }
    let [first, second, ..] = words else { return None };
    let is_determined = is_article(second.text) || is_pronoun(second.text);
    (is_verb(first.text) || (is_noun_verb(first.text) && is_determined)).then_some(0)
}

/// Whether a part of a sentence is a verb with words behind it.
fn has_object(part: &[ClauseWord<'_>]) -> bool {
    let begin = skip(part, 0, |word| is_adverb(word.text));
    let lead = lead_len(part[begin..].iter().map(|word| word.text));
    let verb =
        part.get(begin + lead).filter(|word| lead > 0 || is_verb(word.text) || is_noun_verb(word.text));
    verb.is_some()
        && part[begin + lead + 1..].iter().any(|word| !is_article(word.text) && !is_joint(word.text))
}

fn skip<'t>(words: &[ClauseWord<'t>], from: usize, takes: impl Fn(&ClauseWord<'t>) -> bool) -> usize {
    from + words[from..].iter().take_while(|word| takes(word)).count()
}

/// The clauses of a part: one for each item of an enumeration behind a verb, else one.
fn enumerated<'t>(item: &'t str, part: &[ClauseWord<'t>]) -> Vec<Clause<'t>> {
    let begin = skip(part, 0, |word| is_adverb(word.text) || is_joint(word.text));
    let Some(first) = part.get(begin) else { return Vec::new() };
    let at = verb_at(&part[begin..]).map(|lead| begin + lead);
    let lead = at.filter(|at| *at > begin).map(|at| &item[first.span.start..part[at - 1].span.end]);
    let verb = at.map(|at| part[at].text);
    let words = &part[at.map_or(begin, |at| at + 1)..];
    let items = match verb {
        Some(_) => enumeration(words),
        None => None,
    };
    match items {
        Some(items) => items.into_iter().map(|words| clause(item, (lead, verb), words)).collect(),
        None => vec![clause(item, (lead, verb), words)],
    }
}

/// The items of "the limit, the queue and the page": at least three, each short and none with a qualifier.
fn enumeration<'w, 't>(words: &'w [ClauseWord<'t>]) -> Option<Vec<&'w [ClauseWord<'t>]>> {
    let mut items = Vec::new();
    let mut start = 0;
    for at in 0..words.len() {
        if words[at].has_comma {
            items.push(&words[start..=at]);
            start = at + 1;
        } else if words[at].text.eq_ignore_ascii_case("and") {
            if at > start {
                items.push(&words[start..at]);
            }
            start = at + 1;
        }
    }
    items.push(words.get(start..)?);
    let is_item = |item: &&[ClauseWord<'_>]| {
        (1..=MAX_ITEM_WORDS).contains(&item.len())
            && item.iter().all(|word| !is_qualifier(word.text))
            && item.iter().any(|word| !is_article(word.text))
    };
    // Items without articles are often adjectives: "add colour, pager and width options".
    let has_articles = items.iter().all(|item| item.first().is_some_and(|word| is_article(word.text)));
    (items.len() >= 3 && has_articles && items.iter().all(is_item)).then_some(items)
}

fn clause<'t>(
    item: &'t str,
    (lead, verb): (Option<&'t str>, Option<&'t str>),
    words: &[ClauseWord<'t>],
) -> Clause<'t> {
    let text = |words: &[ClauseWord<'t>]| match (words.first(), words.last()) {
        (Some(first), Some(last)) => &item[first.span.start..last.span.end],
        _ => "",
    };
    let first = words.iter().position(|word| is_qualifier(word.text)).unwrap_or(words.len());
    let mut qualifiers = Vec::new();
    let mut start = first;
    for at in first + 1..=words.len() {
        let ends = words.get(at).is_none_or(|word| is_qualifier(word.text) && at > start + 1);
        if ends && at > start {
            qualifiers.push(text(&words[start..at]));
            start = at;
        }
    }
    Clause { lead, verb, object: text(&words[..first]), qualifiers, rest: text(words) }
}
