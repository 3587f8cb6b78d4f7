//! Whether a note helps with a question, by evidence.
//!
//! The evidence: the share of the question's words that the note has, the amount of these words, the share of the title
//! in the question (all weighed by rarity), a signal of the note in the question, and symbols and files that the question
//! and the links of the note share. The log-odds that the note helps are a sum of the evidence with fixed weights, and
//! each part is a reason. The weights are fitted on planted notes (`eval/notes.py` of commit 7154a438).

use rustc_hash::FxHashSet;

use super::note::RevisionNote;
use spyhop_attributes::reply;
use spyhop_base::path::RelPath;
use spyhop_base::wire::wire;
use spyhop_index::tokenize::{TermList, Tokenizer, for_each_word};
use spyhop_search::query::{Query, split_container};

/// Notes below this probability are not shown.
pub const CUT_OFF: f32 = 0.5;

/// Notes behind the first one are not shown below this probability: where one note helps, another one that resembles it
/// seldom does.
pub const FURTHER_CUT_OFF: f32 = 0.85;

/// The weights of the evidence, in log-odds.
const BASE: f32 = -5.8;
const COVERED: f32 = 2.3;
const AMOUNT: f32 = 1.5;
const TITLE: f32 = 4.2;
const SIGNAL: f32 = 4.6;
const SYMBOL: f32 = 14.0;
const FILE: f32 = 3.0;
const FOUND: f32 = 1.7;
const ELSEWHERE: f32 = -0.4;
/// A symbol that a search found is better evidence than its file, and worse than a symbol that the question names. This
/// weight is chosen, not fitted.
const FOUND_SYMBOL: f32 = 2.5;

/// The amount of shared words beyond which more words say nothing.
const MAX_AMOUNT: f32 = 4.0;

/// The fewest words of a signal, or of a question, that count as its text.
const MIN_RUN: usize = 3;

/// The share of a signal, by the rarity of its words, that a question must have.
const MIN_SHARE: f32 = 0.6;

/// The rarity from which one word is a signal by itself, such as the name of an error.
const RARE: f32 = 0.7;

/// The question with which notes are compared.
#[derive(Clone, Copy)]
pub struct NoteQuestion<'q> {
    pub query: &'q Query,
    pub words: &'q [String],
    /// The files that the caller names.
    pub files: &'q [RelPath],
    /// The symbols that the caller names.
    pub symbols: &'q [String],
    /// The files that a search found for the question, best first.
    pub found: &'q [RelPath],
    pub found_symbols: &'q [String],
}

/// The words of a note, prepared once.
#[derive(Debug)]
pub struct NoteTerms {
    all: FxHashSet<String>,
    title: Vec<String>,
    signals: Vec<Vec<SignalWord>>,
    /// The terms of the name of each link's symbol, without its container.
    symbols: Vec<Vec<String>>,
}

/// A word of a signal that is not a number or part of a path: those differ each time that an error occurs.
#[derive(Debug)]
struct SignalWord {
    word: String,
    terms: Vec<String>,
}

/// A part of the evidence, with a sentence.
#[reply(Clone, Debug, PartialEq)]
pub struct NoteReason {
    /// The kind of evidence: `words`, `rare`, `title`, `signal`, `symbol`, `file`, `found` or `elsewhere`.
    pub signal: &'static str,
    /// The contribution of the evidence to the log-odds.
    #[serde(rename = "weight", serialize_with = "wire")]
    pub contribution: f32,
    /// The sentence.
    pub text: String,
}

/// Whether a note helps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Relevance {
    /// The probability that the note helps, 0 to 1.
    pub score: f32,
    /// The evidence; empty if there is none.
    pub reasons: Vec<NoteReason>,
}

impl NoteTerms {
    pub fn new(note: &RevisionNote, tokenizer: &mut Tokenizer) -> NoteTerms {
        let mut terms = TermList::default();
        tokenizer.terms(note.title(), &mut terms);
        let mut title: Vec<String> = terms.iter().map(str::to_string).collect();
        title.sort_unstable();
        title.dedup();
        let names =
            note.links.iter().flat_map(|link| link.symbol.as_deref().into_iter().chain([link.path.stem()]));
        let texts = [note.text.as_str()].into_iter().chain(note.signals.iter().map(String::as_str));
        let texts = texts.chain(note.applies.conditions.iter().map(String::as_str)).chain(names);
        texts.for_each(|text| tokenizer.terms(text, &mut terms));
        let all = terms.iter().map(str::to_string).collect();
        let mut terms_of = |symbol: &str| {
            let mut terms = TermList::default();
            tokenizer.terms(split_container(symbol).1, &mut terms);
            terms.iter().map(str::to_string).collect()
        };
        let symbols =
            note.links.iter().map(|link| link.symbol.as_deref().map(&mut terms_of).unwrap_or_default());
        let symbols = symbols.collect();
        let signals = note.signals.iter().map(|signal| signal_words(signal, tokenizer)).collect();
        NoteTerms { all, title, signals, symbols }
    }

    /// Whether the note has a term.
    pub fn contains(&self, term: &str) -> bool {
        self.all.contains(term)
    }
}

/// The evidence that `note` helps with a question. `rarity` is that of a term in the tree, 0 for a term of every file
/// and 1 for a term of none.
pub fn relevance(
    note: &RevisionNote,
    terms: &NoteTerms,
    question: &NoteQuestion<'_>,
    rarity: &dyn Fn(&str) -> f32,
) -> Relevance {
    let reasons: Vec<NoteReason> = word_reasons(terms, question, rarity)
        .into_iter()
        .chain(signal_reason(terms, question, rarity))
        .chain(symbol_reason(note, terms, question, rarity))
        .chain(file_reason(note, question))
        .collect();
    let sum: f32 = reasons.iter().map(|reason| reason.contribution).sum();
    match reasons.iter().all(|reason| reason.contribution <= 0.0) {
        true => Relevance::default(),
        false => Relevance { score: 1.0 / (1.0 + (-(BASE + sum)).exp()), reasons },
    }
}

fn word_reasons(
    terms: &NoteTerms,
    question: &NoteQuestion<'_>,
    rarity: &dyn Fn(&str) -> f32,
) -> Vec<NoteReason> {
    let (mut all, mut shared, mut named) = (0.0, 0.0, Vec::new());
    let mut asked: FxHashSet<&str> = FxHashSet::default();
    for asked_term in &question.query.terms {
        let weight = rarity(&asked_term.term);
        all += weight;
        asked.insert(&asked_term.term);
        if terms.all.contains(&asked_term.term) {
            shared += weight;
            named.push((weight, asked_term.word.as_str()));
        }
    }
    if shared <= 0.0 {
        return Vec::new();
    }
    named.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    let named: Vec<&str> = named.iter().take(6).map(|(_, word)| *word).collect();
    let words = NoteReason {
        signal: "words",
        contribution: COVERED * shared / all,
        text: format!("words: the note has [{}]", named.join(", ")),
    };
    let rare = NoteReason {
        signal: "rare",
        contribution: AMOUNT * shared.min(MAX_AMOUNT),
        text: format!("rare: the shared words count as {shared:.1} of the rarest words"),
    };
    let weigh = |terms: &mut dyn Iterator<Item = &String>| terms.map(|term| rarity(term)).sum::<f32>();
    let whole = weigh(&mut terms.title.iter());
    let in_title = weigh(&mut terms.title.iter().filter(|term| asked.contains(term.as_str())));
    let title = (in_title > 0.0).then(|| NoteReason {
        signal: "title",
        contribution: TITLE * in_title / whole,
        text: format!("title: the question has {:.0} % of the title", 100.0 * in_title / whole),
    });
    [words, rare].into_iter().chain(title).collect()
}

fn signal_reason(
    terms: &NoteTerms,
    question: &NoteQuestion<'_>,
    rarity: &dyn Fn(&str) -> f32,
) -> Option<NoteReason> {
    let asked = question.words;
    let rarity_of = |own: &SignalWord| own.terms.iter().map(|term| rarity(term)).fold(0.0, f32::max);
    let is_met = |signal: &Vec<SignalWord>| {
        let run = longest_run(signal, asked);
        let is_whole_question = run == asked.len() && run >= MIN_RUN;
        let (mut all, mut shared, mut rarest, mut n_shared) = (0.0, 0.0, 0.0_f32, 0);
        for own in signal {
            let weight = rarity_of(own);
            all += weight;
            if asked.contains(&own.word) {
                (shared, rarest, n_shared) = (shared + weight, rarest.max(weight), n_shared + 1);
            }
        }
        let is_shared = all > 0.0 && shared >= MIN_SHARE * all;
        let is_rare_question =
            rarest >= RARE && asked.iter().all(|word| signal.iter().any(|own| own.word == *word));
        is_whole_question || is_rare_question || (is_shared && (n_shared >= MIN_RUN || rarest >= RARE))
    };
    let met = terms.signals.iter().position(is_met)?;
    // The text of the signal comes from outside; a reason stands outside of what is marked as such.
    Some(NoteReason {
        signal: "signal",
        contribution: SIGNAL,
        text: format!("signal: the question has signal {} of the note", met + 1),
    })
}

/// The length of the longest run of words that both have.
fn longest_run(one: &[SignalWord], other: &[String]) -> usize {
    let mut longest = 0;
    let mut before = vec![0; other.len() + 1];
    for word in one {
        let mut row = vec![0; other.len() + 1];
        for (at, other_word) in other.iter().enumerate() {
            if *other_word == word.word {
                row[at + 1] = before[at] + 1;
                longest = longest.max(row[at + 1]);
            }
        }
        before = row;
    }
    longest
}

/// A symbol of the note that the question names. A name of common words, such as that of a central type, is weak evidence.
fn symbol_reason(
    note: &RevisionNote,
    terms: &NoteTerms,
    question: &NoteQuestion<'_>,
    rarity: &dyn Fn(&str) -> f32,
) -> Option<NoteReason> {
    let query = question.query;
    let qualified = query.qualified.iter().map(|named| (named.container.as_str(), named.name.as_str()));
    let given = question.symbols.iter().map(|symbol| split_container(symbol));
    // In `Pool.take`, the question is about the member and not about the type.
    let is_container =
        |name: &str| query.qualified.iter().any(|qualified| split_container(&qualified.container).1 == name);
    let plain = query.names.iter().filter(|name| !is_container(name)).map(|name| ("", name.as_str()));
    let asked: Vec<(&str, &str)> = given.chain(qualified).chain(plain).collect();
    let is_same = |symbol: &str| {
        let (container, name) = split_container(symbol);
        let inner = split_container(container).1;
        asked.iter().any(|(around, asked)| {
            *asked == name && (around.is_empty() || inner.is_empty() || split_container(around).1 == inner)
        })
    };
    let symbols = note.links.iter().zip(&terms.symbols);
    let named = symbols.filter_map(|(link, terms)| Some((link.symbol.as_deref()?, terms)));
    let named = named.filter(|(symbol, _)| is_same(symbol));
    let weigh = |terms: &[String]| terms.iter().map(|term| rarity(term)).fold(0.0, f32::max);
    let weighed = named.map(|(symbol, terms)| (weigh(terms), symbol));
    let (weight, symbol) = weighed.max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(NoteReason {
        signal: "symbol",
        contribution: SYMBOL * weight,
        text: format!("symbol: the note is about '{symbol}'"),
    })
}

fn file_reason(note: &RevisionNote, question: &NoteQuestion<'_>) -> Option<NoteReason> {
    let is_linked = |path: &&RelPath| note.links.iter().any(|link| link.path == **path);
    let in_query = |path: &str| question.query.text.contains(path) && path.contains(['/', '.']);
    let named = question.files.iter().find(is_linked);
    let named =
        named.or_else(|| note.links.iter().map(|link| &link.path).find(|path| in_query(path.as_str())));
    if let Some(path) = named {
        let text = format!("file: the note is about '{path}'");
        return Some(NoteReason { signal: "file", contribution: FILE, text });
    }
    let linked = |symbol: &&String| note.links.iter().any(|link| link.symbol.as_ref() == Some(*symbol));
    if let Some(symbol) = question.found_symbols.iter().find(linked) {
        let text = format!("found: the note is about '{symbol}', which the search found");
        return Some(NoteReason { signal: "found", contribution: FOUND_SYMBOL, text });
    }
    let Some((rank, path)) = question.found.iter().enumerate().find(|(_, path)| is_linked(path)) else {
        let has_place = !note.links.is_empty() && !question.found.is_empty();
        return has_place.then(|| NoteReason {
            signal: "elsewhere",
            contribution: ELSEWHERE,
            text: "elsewhere: no result of the search is in a file of the note".to_string(),
        });
    };
    Some(NoteReason {
        signal: "found",
        contribution: FOUND / (1.0 + rank as f32 / 2.0),
        text: format!("found: the note is about '{path}', result {} of the search", rank + 1),
    })
}

/// The words of a signal without its numbers and paths; all its words if nothing else remains.
fn signal_words(signal: &str, tokenizer: &mut Tokenizer) -> Vec<SignalWord> {
    let is_variable = |part: &&str| part.contains(['/', '\\']) || part.contains(|c: char| c.is_ascii_digit());
    let constant: Vec<&str> = signal.split_whitespace().filter(|part| !is_variable(part)).collect();
    let text = if constant.is_empty() { signal.to_string() } else { constant.join(" ") };
    let mut terms = TermList::default();
    let mut with_terms = |word: String| {
        terms = TermList::default();
        tokenizer.terms(&word, &mut terms);
        SignalWord { terms: terms.iter().map(str::to_string).collect(), word }
    };
    words(&text).into_iter().map(&mut with_terms).collect()
}

/// The words of a text in lower case, in their order.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for_each_word(text, |word| words.push(word.to_lowercase()));
    words
}
