//! The words that a file must contain for a pattern to match in the file.
//!
//! A plan is derived from the pattern as the matcher parses it. The index knows the words of a file, so a plan consists of
//! words. If a literal must occur, the pieces between its separators are words of the file. The first and the last piece
//! may be parts of words. A plan is weaker than the pattern: it ignores order, separators, short pieces and most character
//! classes. So a plan may select too many files and never too few. A conjunction applies to a file and not to a line, so
//! a match may span any number of lines.
//!
//! A word is a word of [`spyhop_index::tokenize`], a maximal run of XID_Continue. Outside of ASCII, the regex crate's `\b` and
//! `\w` differ slightly from this definition. So they determine a neighbouring character for ASCII only ([`Edge::Loose`]).

use std::fmt;

use memchr::memmem;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, Repetition};

use super::pattern::{Bounds, Case, Wanted};
use spyhop_index::inverted::{Trigram, grams_of};
use spyhop_index::tokenize::is_word_char;

/// The words that a file must contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NarrowPlan {
    /// Every file may match.
    All,
    /// All of these plans.
    And(Vec<NarrowPlan>),
    /// At least one of these plans.
    Or(Vec<NarrowPlan>),
    Word(WordPart),
}

/// A word, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordPart {
    /// The text, with case folded if `folded` is set.
    pub text: String,
    /// Whether case is ignored.
    pub folded: bool,
    /// The characters that may precede the text.
    pub start: Edge,
    /// The characters that may follow the text.
    pub end: Edge,
}

/// The characters that may be next to a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edge {
    /// Anything, including more characters of the word.
    Open,
    /// No ASCII letter, ASCII digit or `_`, but possibly another letter.
    Loose,
    /// The end of the word.
    Whole,
}

/// A part with fewer letters is ignored, unless it is a whole word.
const MIN_LETTERS: usize = 3;

/// The most members of a class that are examined one by one.
const MAX_CLASS: usize = 64;

/// The most branches of an alternation that are expanded together with the items next to the alternation.
const MAX_BRANCHES: usize = 16;

/// The most copies of a repeated item in a plan.
const MAX_UNROLLED: u32 = 8;

impl NarrowPlan {
    /// The plan of a pattern that the matcher has accepted.
    pub fn new(wanted: &Wanted) -> NarrowPlan {
        let plans = wanted.patterns.iter().map(|pattern| {
            let text = if wanted.fixed { regex_syntax::escape(pattern) } else { pattern.clone() };
            let parsed = regex_syntax::ParserBuilder::new()
                .utf8(false)
                .multi_line(true)
                .dot_matches_new_line(wanted.dot_all)
                // Smart case ignores case for some patterns. Ignoring case always selects more files.
                .case_insensitive(wanted.case != Case::Sensitive)
                .build()
                .parse(&text);
            parsed.map_or(NarrowPlan::All, |hir| bounded_plan(&hir, wanted))
        });
        simple(NarrowPlan::Or(plans.collect()))
    }
}

impl NarrowPlan {
    /// The plan of exactly this word, if the text is a word.
    pub fn word(text: &str) -> Option<NarrowPlan> {
        let is_word = !text.is_empty() && text.chars().all(is_word_char);
        let part =
            || WordPart { text: text.to_string(), folded: false, start: Edge::Whole, end: Edge::Whole };
        is_word.then(|| NarrowPlan::Word(part()))
    }
}

impl NarrowPlan {
    /// The texts of the parts, in order, without duplicates.
    pub fn words(&self) -> Vec<&str> {
        let mut words = Vec::new();
        self.each_word(&mut |word| {
            if !words.contains(&word) {
                words.push(word);
            }
        });
        words
    }

    fn each_word<'p>(&'p self, each: &mut impl FnMut(&'p str)) {
        match self {
            NarrowPlan::All => {}
            NarrowPlan::And(plans) | NarrowPlan::Or(plans) => {
                plans.iter().for_each(|plan| plan.each_word(each))
            }
            NarrowPlan::Word(part) => each(&part.text),
        }
    }
}

/// The plan of a pattern within the requested bounds.
fn bounded_plan(hir: &Hir, wanted: &Wanted) -> NarrowPlan {
    let (before, after) = match wanted.bounds {
        Bounds::None => return plan_of(hir),
        Bounds::Word => (Look::WordStartHalfUnicode, Look::WordEndHalfUnicode),
        Bounds::Line => (Look::StartLF, Look::EndLF),
    };
    let look = |look: Look| Hir::look(look);
    plan_of(&Hir::concat(vec![look(before), hir.clone(), look(after)]))
}

/// The plan of an expression without regard to its neighbours.
fn plan_of(hir: &Hir) -> NarrowPlan {
    simple(distributed(hir).unwrap_or_else(|| {
        let mut run = ConcatWalk::default();
        run.visit(hir);
        run.finish()
    }))
}

/// The plan of a concatenation with one alternation, distributed over the branches. So each branch keeps its neighbours.
fn distributed(hir: &Hir) -> Option<NarrowPlan> {
    let inner = |hir: &Hir| match hir.kind() {
        HirKind::Capture(capture) => (*capture.sub).clone(),
        _ => hir.clone(),
    };
    match inner(hir).kind() {
        HirKind::Alternation(branches) => Some(NarrowPlan::Or(branches.iter().map(plan_of).collect())),
        HirKind::Concat(items) => {
            let items: Vec<Hir> = items.iter().map(inner).collect();
            let is_choice = |item: &Hir| matches!(item.kind(), HirKind::Alternation(_));
            let place = items.iter().position(is_choice)?;
            let HirKind::Alternation(branches) = items[place].kind() else { return None };
            if branches.len() > MAX_BRANCHES || items[place + 1..].iter().any(is_choice) {
                return None;
            }
            let with = |branch: &Hir| {
                let mut items = items.clone();
                items[place] = branch.clone();
                plan_of(&Hir::concat(items))
            };
            Some(NarrowPlan::Or(branches.iter().map(with).collect()))
        }
        _ => None,
    }
}

/// An equivalent plan without parts that match every file.
fn simple(plan: NarrowPlan) -> NarrowPlan {
    match plan {
        NarrowPlan::And(plans) => {
            let mut all: Vec<NarrowPlan> = Vec::new();
            for plan in plans.into_iter().map(simple) {
                match plan {
                    NarrowPlan::All => {}
                    NarrowPlan::And(inner) => all.extend(inner),
                    plan => all.push(plan),
                }
            }
            let mut kept: Vec<NarrowPlan> = Vec::new();
            for plan in all {
                if !kept.contains(&plan) {
                    kept.push(plan);
                }
            }
            match kept.len() {
                0 => NarrowPlan::All,
                1 => kept.swap_remove(0),
                _ => NarrowPlan::And(kept),
            }
        }
        NarrowPlan::Or(plans) => {
            let mut any: Vec<NarrowPlan> = Vec::new();
            for plan in plans.into_iter().map(simple) {
                match plan {
                    NarrowPlan::All => return NarrowPlan::All,
                    NarrowPlan::Or(inner) => any.extend(inner),
                    plan => any.push(plan),
                }
            }
            match any.len() {
                0 => NarrowPlan::All,
                1 => any.swap_remove(0),
                _ => NarrowPlan::Or(any),
            }
        }
        NarrowPlan::Word(part) if !part.narrows() => NarrowPlan::All,
        plan => plan,
    }
}

/// A walk through a concatenation.
struct ConcatWalk {
    plans: Vec<NarrowPlan>,
    part: Option<WordPart>,
    /// The edge that an optional separator after the current part would be, if there is one.
    perhaps: Option<Edge>,
    /// The kind of the character before the next letter, and whether this is known only if the letter is ASCII.
    edge: (Edge, bool),
}

impl Default for ConcatWalk {
    fn default() -> ConcatWalk {
        ConcatWalk { plans: Vec::new(), part: None, perhaps: None, edge: (Edge::Open, false) }
    }
}

impl ConcatWalk {
    fn finish(mut self) -> NarrowPlan {
        self.end(Edge::Open);
        NarrowPlan::And(self.plans)
    }

    fn visit(&mut self, hir: &Hir) {
        match hir.kind() {
            HirKind::Empty => {}
            HirKind::Literal(literal) => {
                for chunk in literal.0.utf8_chunks() {
                    chunk.valid().chars().for_each(|c| self.letter(c, false));
                    if !chunk.invalid().is_empty() {
                        self.gap();
                    }
                }
            }
            HirKind::Class(class) => self.class(class),
            HirKind::Look(look) => self.look(*look),
            HirKind::Repetition(repetition) => self.repetition(repetition),
            HirKind::Capture(capture) => self.visit(&capture.sub),
            HirKind::Concat(items) => items.iter().for_each(|item| self.visit(item)),
            HirKind::Alternation(branches) => {
                self.gap();
                self.plans.push(NarrowPlan::Or(branches.iter().map(plan_of).collect()));
            }
        }
    }

    fn repetition(&mut self, repetition: &Repetition) {
        let Repetition { min, max, sub, .. } = repetition;
        if let HirKind::Class(class) = sub.kind()
            && let Some(edge) = separator(class)
        {
            return if *min > 0 { self.separate(edge) } else { self.separate_perhaps(edge) };
        }
        let is_plain = matches!(sub.kind(), HirKind::Class(_) | HirKind::Literal(_));
        let times = (*min).min(if is_plain { MAX_UNROLLED } else { 1 });
        (0..times).for_each(|_| self.visit(sub));
        if *max != Some(times) {
            self.gap();
        }
    }

    fn class(&mut self, class: &Class) {
        if let Some(edge) = separator(class) {
            return self.separate(edge);
        }
        match letters(class).as_deref() {
            Some([first, others @ ..]) => {
                let letter = folded(*first);
                if others.iter().all(|other| folded(*other) == letter) && is_of_words(letter) {
                    self.letter(letter, true);
                } else {
                    self.gap();
                }
            }
            _ => self.gap(),
        }
    }

    fn look(&mut self, look: Look) {
        match look {
            Look::Start | Look::StartLF | Look::StartCRLF => {
                self.end(Edge::Open);
                self.edge = (Edge::Whole, false);
            }
            Look::End | Look::EndLF | Look::EndCRLF => {
                self.end(Edge::Whole);
                self.edge = (Edge::Open, false);
            }
            Look::WordStartHalfAscii
            | Look::WordStartHalfUnicode
            | Look::WordStartAscii
            | Look::WordStartUnicode => {
                self.end(Edge::Open);
                self.edge.0 = self.edge.0.max(Edge::Loose);
            }
            Look::WordEndHalfAscii | Look::WordEndHalfUnicode | Look::WordEndAscii | Look::WordEndUnicode => {
                self.end(Edge::Loose);
                self.edge = (Edge::Open, false);
            }
            // The boundary may be before or after the optional separator.
            Look::WordUnicode if self.perhaps.is_some() => self.gap(),
            // Only next to an ASCII letter is the side of the word known: all definitions of a word contain these letters.
            Look::WordUnicode => match &self.part {
                Some(part) if part.text.ends_with(|c: char| c.is_ascii()) => {
                    self.end(Edge::Loose);
                    self.edge = (Edge::Open, false);
                }
                Some(_) => self.gap(),
                None if self.edge.0 == Edge::Open => self.edge = (Edge::Loose, true),
                None => {}
            },
            Look::WordAscii | Look::WordAsciiNegate | Look::WordUnicodeNegate => {}
        }
    }

    fn letter(&mut self, c: char, is_folded: bool) {
        if !is_word_char(c) {
            return self.separate(Edge::Whole);
        }
        if self.perhaps.is_some() {
            self.gap();
        }
        let (edge, of_ascii_only) = self.edge;
        let start = if of_ascii_only && !c.is_ascii() { Edge::Open } else { edge };
        let new = || WordPart { text: String::new(), folded: false, start, end: Edge::Open };
        let part = self.part.get_or_insert_with(new);
        part.text.push(c);
        part.folded |= is_folded;
        self.edge = (Edge::Open, false);
    }

    /// Adds one or more characters that are not part of a word.
    fn separate(&mut self, edge: Edge) {
        self.end(edge);
        self.edge = (edge, false);
    }

    /// Adds an optional character that is not part of a word.
    fn separate_perhaps(&mut self, edge: Edge) {
        match self.part {
            Some(_) => self.perhaps = Some(self.perhaps.map_or(edge, |perhaps| perhaps.min(edge))),
            None => self.edge.0 = self.edge.0.min(edge),
        }
    }

    /// Adds an unknown text, which may be empty.
    fn gap(&mut self) {
        self.separate(Edge::Open);
    }

    /// Ends the current part, with `edge` after it.
    fn end(&mut self, edge: Edge) {
        let perhaps = self.perhaps.take().unwrap_or(Edge::Whole);
        if let Some(mut part) = self.part.take() {
            part.end = edge.min(perhaps);
            if part.folded {
                part.text = part.text.chars().map(folded).collect();
            }
            self.plans.push(NarrowPlan::Word(part));
        }
    }
}

/// The edge that a class is for its neighbours, if no member of the class is part of a word.
fn separator(class: &Class) -> Option<Edge> {
    if let Some(letters) = letters(class) {
        return letters.iter().all(|letter| !is_word_char(*letter)).then_some(Edge::Whole);
    }
    let is_apart = |start: u32, end: u32| {
        let words = [(0x30, 0x39), (0x41, 0x5a), (0x5f, 0x5f), (0x61, 0x7a)];
        words.iter().all(|(first, last)| end < *first || *last < start)
    };
    let apart = match class {
        Class::Unicode(class) => class.iter().all(|range| is_apart(range.start() as u32, range.end() as u32)),
        Class::Bytes(class) => class.iter().all(|range| is_apart(range.start().into(), range.end().into())),
    };
    apart.then_some(Edge::Loose)
}

/// The members of a class, if they are at most [`MAX_CLASS`] and valid characters.
fn letters(class: &Class) -> Option<Vec<char>> {
    let mut letters = Vec::new();
    match class {
        Class::Unicode(class) => {
            for range in class.iter() {
                if range.len() + letters.len() > MAX_CLASS {
                    return None;
                }
                letters.extend(range.start()..=range.end());
            }
        }
        Class::Bytes(class) => {
            for range in class.iter() {
                if range.len() + letters.len() > MAX_CLASS || !range.end().is_ascii() {
                    return None;
                }
                letters.extend((range.start()..=range.end()).map(char::from));
            }
        }
    }
    (!letters.is_empty()).then_some(letters)
}

/// The representative of all letters that are equal under simple case folding.
fn folded(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let all = alike(c);
    let ascii = all.iter().find(|c| c.is_ascii()).map(|c| c.to_ascii_lowercase());
    ascii.or(all.first().copied()).unwrap_or(c)
}

/// Whether all letters that are equal to `c` without case are parts of words.
fn is_of_words(c: char) -> bool {
    alike(c).into_iter().all(is_word_char)
}

/// The letters that are equal to `c` without case, increasing.
fn alike(c: char) -> Vec<char> {
    let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
    class.case_fold_simple();
    class.iter().flat_map(|range| range.start()..=range.end()).collect()
}

impl WordPart {
    /// Whether a lookup of this part is worthwhile.
    fn narrows(&self) -> bool {
        self.is_word() || self.text.chars().count() >= MIN_LETTERS
    }

    /// Whether the part matches exactly one word.
    pub fn is_word(&self) -> bool {
        !self.folded && self.start == Edge::Whole && self.end == Edge::Whole
    }

    /// The trigrams that every matching word contains.
    pub fn grams(&self) -> Vec<Trigram> {
        let mut grams = Vec::new();
        grams_of(&self.text, |gram| grams.push(gram));
        grams.sort_unstable();
        grams.dedup();
        grams
    }

    pub fn tester(&self) -> Tester<'_> {
        Tester { part: self, finder: memmem::Finder::new(&self.text), scratch: String::new() }
    }
}

/// Tests whether a part matches a word.
pub struct Tester<'p> {
    part: &'p WordPart,
    finder: memmem::Finder<'p>,
    scratch: String,
}

impl Tester<'_> {
    /// Whether the part matches `word`.
    pub fn takes(&mut self, word: &str) -> bool {
        if !self.part.folded {
            return self.contains(word, word.is_ascii());
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        let is_ascii = word.is_ascii();
        if is_ascii {
            scratch.push_str(word);
            scratch.make_ascii_lowercase();
        } else {
            scratch.extend(word.chars().map(folded));
        }
        let takes = self.contains(&scratch, is_ascii);
        self.scratch = scratch;
        takes
    }

    fn contains(&self, word: &str, is_ascii: bool) -> bool {
        let meets = |edge: Edge, is_end: bool| match edge {
            Edge::Open => true,
            Edge::Loose => is_end || !is_ascii,
            Edge::Whole => is_end,
        };
        let len = self.part.text.len();
        // Occurrences may overlap.
        let mut from = 0;
        while let Some(at) = self.finder.find(&word.as_bytes()[from..]).map(|at| from + at) {
            if meets(self.part.start, at == 0) && meets(self.part.end, at + len == word.len()) {
                return true;
            }
            from = at + 1;
        }
        false
    }
}

impl fmt::Display for NarrowPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, plans: &[NarrowPlan], between: &str| {
            for (place, plan) in plans.iter().enumerate() {
                f.write_str(if place == 0 { "" } else { between })?;
                match plan {
                    NarrowPlan::Or(_) => write!(f, "({plan})")?,
                    plan => write!(f, "{plan}")?,
                }
            }
            Ok(())
        };
        match self {
            NarrowPlan::All => f.write_str("any file"),
            NarrowPlan::And(plans) => list(f, plans, " and "),
            NarrowPlan::Or(plans) => list(f, plans, " or "),
            NarrowPlan::Word(part) => part.fmt(f),
        }
    }
}

/// Writes `*` where a word may continue, `|` where it may continue with letters outside of ASCII, and `/i` if case is
/// ignored.
impl fmt::Display for WordPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = |edge: Edge| match edge {
            Edge::Open => "*",
            Edge::Loose => "|",
            Edge::Whole => "",
        };
        let case = if self.folded { "/i" } else { "" };
        write!(f, "{}{}{}{case}", sign(self.start), self.text, sign(self.end))
    }
}

#[cfg(test)]
mod tests;
