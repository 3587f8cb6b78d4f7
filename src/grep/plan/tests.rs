//! Plans of patterns, and that none leaves out a file in which its pattern matches.

use std::collections::HashSet;

use grep_matcher::Matcher;
use proptest::prelude::*;

use super::*;
use crate::pattern::{Bounds, Case, Pattern, Wanted};
use spyhop_index::tokenize::for_each_word;

fn check_with(pattern: &str, change: impl Fn(&mut Wanted), expected: &str) {
    let mut wanted = Wanted::new(pattern);
    change(&mut wanted);
    assert!(Pattern::new(&wanted).is_ok(), "{pattern}");
    assert_eq!(NarrowPlan::new(&wanted).to_string(), expected, "{pattern}");
}

fn check(pattern: &str, expected: &str) {
    check_with(pattern, |_| (), expected);
}

#[test]
fn texts() {
    let fixed = |pattern, expected| check_with(pattern, |wanted| wanted.fixed = true, expected);
    fixed("alloc_pages", "*alloc_pages*");
    fixed("static int probe(", "*static and int and probe");
    fixed("if (err) return x", "err and return");
    fixed("->next", "next*");
    fixed("a.b(", "b");
    fixed("= 0;", "0");
    fixed("();", "any file");
    fixed("größe ", "*größe");
    fixed("[a-z]+\\w", "a and z");
    fixed("x (y) z", "y");
}

#[test]
fn regular_expressions() {
    check(r"fn \w+_key\(", "*_key");
    check(r"fn\s+open", "open*");
    check(r"func\s+open\b", "*func and open|");
    check(r"\bfunc\b", "|func|");
    check(r"^impl\s", "impl");
    check(r"^\s*return;$", "return");
    check(r"read\s*\(", "*read");
    check(r"read\s*x", "*read*");
    check(r"read\s*$", "*read");
    check(r"read\s*\bx", "*read*");
    check(r"read[^a-zA-Z0-9_]*=", "*read|");
    check(r"(ifndef|There)\s*\(", "*ifndef or *There");
    check(r"(get|set)_name", "*get_name* or *set_name*");
    check(r"(getter|setter)_name", "*getter_name* or *setter_name*");
    check(r"foobar|bazqux", "*foobar* or *bazqux*");
    check(r"foobar|.", "any file");
    check(r"(foobar)?quux", "*quux*");
    check(r"(foobar)+quux", "*foobar* and *quux*");
    check(r"colou?r_map", "*colo* and *r_map*");
    check(r"[Ss]truct", "*struct*/i");
    check(r"a{3}", "*aaa*");
    check(r"0x[0-9a-f]{8}", "any file");
    check(r"foo.*bar", "*foo* and *bar*");
    check(r"foo[^a-zA-Z0-9_]bar", "*foo| and |bar*");
    check(r"foo\W+bar", "*foo| and |bar*");
    check(r"foo[ (]bar", "*foo and bar*");
    check(r"foo\Bbar", "*foobar*");
    check(r"\x61bc", "*abc*");
    check(r"(?-u:\xff)abc", "*abc*");
    check(r"x*", "any file");
    check(r"\p{Greek}", "any file");
    check(r"(?:foo)(?:bar)", "*foobar*");
    check(r"foo(?:bar|baz) (qux)", "*foobar and qux* or *foobaz and qux*");
}

#[test]
fn case_and_bounds() {
    let insensitive = |pattern, expected| check_with(pattern, |it| it.case = Case::Ignored, expected);
    insensitive("Struct", "*struct*/i");
    insensitive("größe", "*grÖße*/i");
    insensitive("x Kind y", "kind/i");
    insensitive("[a-f]oo_", "*oo_*/i");
    check_with("Name", |wanted| wanted.case = Case::Smart, "*name*/i");
    check("(?i)abc", "*abc*/i");
    check("(?i:abc)DEF", "*abcdef*/i");
    check_with("foo", |wanted| wanted.bounds = Bounds::Word, "|foo|");
    check_with("foo bar", |wanted| wanted.bounds = Bounds::Word, "|foo and bar|");
    check_with("one|two|three", |wanted| wanted.bounds = Bounds::Word, "|one| or |two| or |three|");
    check_with("foo bar", |wanted| wanted.bounds = Bounds::Line, "foo and bar");
    check_with("foo", |wanted| wanted.patterns.push("b.r_x".into()), "*foo* or *r_x*");
    check_with("foo", |wanted| wanted.patterns.push("x".into()), "any file");
    let lines = |wanted: &mut Wanted| wanted.multi_line = true;
    check_with("end\\}\\nstart of", lines, "*end and start");
}

#[test]
fn words_are_told_apart() {
    let check = |pattern: &str, word: &str, expected: bool| {
        let NarrowPlan::Word(part) = NarrowPlan::new(&Wanted::new(pattern)) else { panic!("{pattern}") };
        assert_eq!(part.tester().takes(word), expected, "{part} {word}");
        if expected {
            let mut expected = HashSet::new();
            grams_of(word, |gram| _ = expected.insert(gram));
            assert!(part.grams().iter().all(|gram| expected.contains(gram)), "{part} {word}");
        }
    };
    check("abc", "xabcx", true);
    check("abc", "ab_c", false);
    check(r"\babc\b", "abc", true);
    check(r"\babc\b", "abcd", false);
    // A middle dot is a part of our words and of none of regex's.
    check(r"\babc\b", "x\u{b7}abc", true);
    check(" abc ", "abc", true);
    check(" abc ", "abc\u{b7}", false);
    check(r"\bababa\b", "abababa", false);
    check("(?i)mask", "MA\u{17f}\u{212a}", true);
    check("(?i)ÉTAT", "état", true);
    check("(?i)σας_", "ΣΑΣ_", true);
}

/// What stands in texts and patterns: letters of words, letters that fold oddly, and separators.
const LETTERS: &[char] = &[
    'a', 'b', 'k', 's', 'K', 'S', '_', '1', 'é', 'É', '\u{17f}', '\u{212a}', '\u{b7}', 'ß', 'λ', ' ', '-',
    '\n',
];

fn pattern() -> impl Strategy<Value = String> {
    let letter = || prop::sample::select(&LETTERS[..LETTERS.len() - 1]);
    let text = prop::collection::vec(letter(), 1..6)
        .prop_map(|letters| regex_syntax::escape(&letters.into_iter().collect::<String>()));
    let words = prop::sample::select(vec!["abk", "ask_1", "sab", "kaS", "b1", "\\b", "^", "$", "\\B"]);
    let odd = prop::sample::select(vec![
        r"\w",
        r"\W",
        ".",
        r"\s+",
        "[ks]",
        "[^a]",
        "(?-u:[^a])",
        r"[_-]",
        r"\p{L}",
        "[ -]+",
        r"\s*",
        "[ -]*",
        "-?",
        r"\W*",
        "(?i)as",
        r"(?-u:\xc3)",
    ]);
    let leaf = prop_oneof![4 => text, 3 => words.prop_map(String::from), 2 => odd.prop_map(String::from)];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let repeat = prop::sample::select(vec!["?", "*", "+", "{2}", "{1,2}", "+?"]);
        prop_oneof![
            4 => prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            2 => prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| format!("({})", parts.join("|"))),
            1 => (inner.clone(), repeat).prop_map(|(part, repeat)| format!("(?:{part}){repeat}")),
            1 => inner.prop_map(|part| format!("(?i:{part})")),
        ]
    })
}

fn text() -> impl Strategy<Value = String> {
    let words =
        prop::sample::select(vec!["abk", "ASK_1", "a\u{17f}\u{212a}_1", "sab", "kas", "b1", "aaab", "·abk·"]);
    let letter = prop::sample::select(LETTERS).prop_map(String::from);
    let piece = prop_oneof![letter, words.prop_map(String::from)];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn takes(plan: &NarrowPlan, words: &HashSet<String>) -> bool {
    match plan {
        NarrowPlan::All => true,
        NarrowPlan::And(plans) => plans.iter().all(|plan| takes(plan, words)),
        NarrowPlan::Or(plans) => plans.iter().any(|plan| takes(plan, words)),
        NarrowPlan::Word(part) if part.is_word() => words.contains(&part.text),
        NarrowPlan::Word(part) => words.iter().any(|word| part.tester().takes(word)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_plan_lets_through_every_file_that_matches(
        pattern in pattern(),
        texts in prop::collection::vec(text(), 1..8),
        case in prop::sample::select(vec![Case::Sensitive, Case::Ignored, Case::Smart]),
        bounds in prop::sample::select(vec![Bounds::None, Bounds::Word, Bounds::Line]),
        multi_line in any::<bool>(),
    ) {
        let wanted = Wanted { case, bounds, multi_line, ..Wanted::new(pattern) };
        let Ok(matcher) = Pattern::new(&wanted) else { return Ok(()) };
        let plan = NarrowPlan::new(&wanted);
        for text in &texts {
            let mut words = HashSet::new();
            for_each_word(text, |word| _ = words.insert(word.to_string()));
            let pieces: Vec<&str> = if multi_line { vec![text] } else { text.split('\n').collect() };
            let matches = pieces.iter().any(|piece| matcher.matcher.is_match(piece.as_bytes()).unwrap());
            prop_assert!(!matches || takes(&plan, &words), "{:?} in {:?}: {}", wanted, text, plan);
        }
    }
}
