//! The words by which a task is divided. A list is a text with blanks between its words.

/// Verbs that begin a goal.
const VERBS: &str = include_str!("words/verbs.txt");

/// Verbs that are nouns as often. Such a word begins a goal only before an article or pronoun: "and queue every upload".
const NOUN_VERBS: &str = include_str!("words/noun_verbs.txt");

/// Words between a conjunction and its verb.
const ADVERBS: &str = "also then finally please afterwards additionally just always";

/// Words before the verb of a demand, whatever the verb is: "do not leak", "must keep", "let's drop". Such a word may be followed by
/// `not`.
const LEADS: &str = "don't dont never must should shall let's";

/// Pairs of such words.
const LEAD_PAIRS: &[[&str; 2]] = &[["do", "not"], ["no", "longer"], ["let", "us"]];

/// Words that make a sentence with a subject a demand: "a disabled user must not stay signed in".
const MODALS: &str = "must mustn't should shouldn't shall need needs ought don't cannot";

/// Words that begin a question.
const QUESTION_WORDS: &str =
    "how where what which who whose when why is are does did do has have can could should must";

/// Conjunctions and adverbs that join two clauses.
const JOINTS: &str = "and then but plus";

/// Words behind which a clause says where, when or why.
const QUALIFIERS: &str = "in into to for from with without of on at by when while if unless after before during inside within \
    under because since so such instead as via through per across where whenever until";

/// Pronouns that stand for the object of the goal before.
const PRONOUNS: &str = "it them this that these those";

/// Words that are not the subject of a goal by themselves.
const ARTICLES: &str = "a an the each every all any some its their our both";

/// Words of a task that asks for a review of a change and says nothing of its code: "what does this pull request break?".
const REVIEW_WORDS: &str = include_str!("words/review.txt");

fn has(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known.eq_ignore_ascii_case(word))
}

pub(super) fn is_verb(word: &str) -> bool {
    has(VERBS, word)
}

pub(super) fn is_noun_verb(word: &str) -> bool {
    has(NOUN_VERBS, word)
}

pub(super) fn is_adverb(word: &str) -> bool {
    has(ADVERBS, word)
}

/// The number of words at the beginning of a demand before its verb.
pub(super) fn lead_len(mut words: impl Iterator<Item = impl AsRef<str>>) -> usize {
    let mut next = || words.next().map(|word| word.as_ref().replace('’', "'")).unwrap_or_default();
    let (first, second) = (next(), next());
    let is_pair =
        |pair: &[&str; 2]| pair[0].eq_ignore_ascii_case(&first) && pair[1].eq_ignore_ascii_case(&second);
    if LEAD_PAIRS.iter().any(is_pair) {
        return 2;
    }
    let is_lead = has(LEADS, &first);
    usize::from(is_lead) + usize::from(is_lead && second.eq_ignore_ascii_case("not"))
}

pub(super) fn is_joint(word: &str) -> bool {
    has(JOINTS, word)
}

pub(super) fn is_qualifier(word: &str) -> bool {
    has(QUALIFIERS, word)
}

pub(super) fn is_pronoun(word: &str) -> bool {
    has(PRONOUNS, word)
}

pub(super) fn is_article(word: &str) -> bool {
    has(ARTICLES, word)
}

/// Whether a task is a sentence with a word such as "must": "a disabled user must not stay signed in". A question is none.
pub fn demands(task: &str) -> bool {
    let task = task.replace('’', "'");
    let words = task.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let mut words = words.filter(|word| !word.is_empty());
    let is_question =
        task.trim_end().ends_with('?') || words.next().is_none_or(|first| has(QUESTION_WORDS, first));
    !is_question && words.any(|word| has(MODALS, word))
}

/// Whether a task asks for a review of a change and has no words of the code that is changed.
pub fn asks_only_for_review(task: &str) -> bool {
    let lists = [REVIEW_WORDS, QUALIFIERS, PRONOUNS, ARTICLES, ADVERBS, JOINTS];
    let words = task.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.into_iter().all(|word| lists.iter().any(|list| has(list, word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_about_nothing_but_a_change_has_no_words_of_code() {
        let check = |task: &str, expected: bool| assert_eq!(asks_only_for_review(task), expected, "{task}");
        check("review the change", true);
        check("What does this pull request break?", true);
        check("review the change of the retry limit", false);
        check("test_review", false);
    }

    #[test]
    fn a_sentence_with_must_or_should_demands_something() {
        let check = |task: &str, expected: bool| assert_eq!(demands(task), expected, "{task}");
        check("a disabled user must not stay signed in", true);
        check("Disabled users shouldn't keep their sessions", true);
        check("where must the session of a user end", false);
        check("should a disabled user stay signed in?", false);
        check("the session of a disabled user", false);
    }
}
