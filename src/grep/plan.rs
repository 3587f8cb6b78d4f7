//! What a file must hold for a pattern to match in it.
//!
//! A plan is derived from the pattern as the matcher parses it. It speaks of words only, because words are what the
//! index knows of a file: of a text that must occur, the pieces between its separators are words of the file, all but
//! the first and the last whole. It says less than the pattern (nothing of order, of what stands between words, of
//! short pieces and of classes of letters), and never more: [`Plan`] may let through too much, never too little. A
//! conjunction holds for a file and not for a line, so a match may have any number of lines.
//!
//! A word here is a word of [`crate::tokenize`], a maximal run of XID_Continue. The regex crate's `\b` and `\w` mean
//! almost the same outside of ASCII, and almost is not enough: what they say of a neighbour is trusted for ASCII only
//! ([`Edge::Loose`]).

use std::fmt;

use memchr::memmem;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, Repetition};

use super::Wanted;
use crate::index::{Trigram, grams_of};
use crate::tokenize::is_word_char;

/// What a file must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Nothing is known.
    All,
    /// Every one of these.
    And(Vec<Plan>),
    /// One of these.
    Or(Vec<Plan>),
    /// A word of this kind.
    Word(Part),
}

/// A word, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The text; where case plays no part, folded.
    pub text: String,
    /// Whether case plays no part.
    pub folded: bool,
    /// What stands before it.
    pub start: Edge,
    /// What stands behind it.
    pub end: Edge,
}

/// What stands beside a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edge {
    /// Anything, more of the word too.
    Open,
    /// No letter, digit or `_` of ASCII; perhaps another letter.
    Loose,
    /// The end of the word.
    Whole,
}

/// A part of fewer letters narrows nothing unless it is a whole word.
const MIN_LETTERS: usize = 3;

/// Classes of more letters are not looked at one by one.
const MAX_CLASS: usize = 64;

/// An alternation of more branches is looked at without what stands beside it.
const MAX_BRANCHES: usize = 16;

/// A repetition is written out so many times.
const MAX_UNROLLED: u32 = 8;

impl Plan {
    /// The plan of a pattern that the matcher has accepted.
    pub fn new(wanted: &Wanted) -> Plan {
        let plans = wanted.patterns.iter().map(|pattern| {
            let text = if wanted.fixed { regex_syntax::escape(pattern) } else { pattern.clone() };
            let parsed = regex_syntax::ParserBuilder::new()
                .utf8(false)
                .multi_line(true)
                .dot_matches_new_line(wanted.dot_all)
                // Smart case ignores case for some patterns; ignoring it lets through more.
                .case_insensitive(wanted.case != super::Case::Sensitive)
                .build()
                .parse(&text);
            parsed.map_or(Plan::All, |hir| of_pattern(&hir, wanted))
        });
        simple(Plan::Or(plans.collect()))
    }
}

impl Plan {
    /// The words that it speaks of, as they come, each once.
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
            Plan::All => {}
            Plan::And(plans) | Plan::Or(plans) => plans.iter().for_each(|plan| plan.each_word(each)),
            Plan::Word(part) => each(&part.text),
        }
    }
}

fn of_pattern(hir: &Hir, wanted: &Wanted) -> Plan {
    let (before, after) = match wanted.bounds {
        super::Bounds::None => return of(hir),
        super::Bounds::Word => (Look::WordStartHalfUnicode, Look::WordEndHalfUnicode),
        super::Bounds::Line => (Look::StartLF, Look::EndLF),
    };
    let look = |look: Look| Hir::look(look);
    of(&Hir::concat(vec![look(before), hir.clone(), look(after)]))
}

/// The plan of an expression that stands alone.
fn of(hir: &Hir) -> Plan {
    simple(distributed(hir).unwrap_or_else(|| {
        let mut run = Run::default();
        run.visit(hir);
        run.finish()
    }))
}

/// The only alternation of a concatenation: what stands beside it stands beside each of its branches.
fn distributed(hir: &Hir) -> Option<Plan> {
    let inner = |hir: &Hir| match hir.kind() {
        HirKind::Capture(capture) => (*capture.sub).clone(),
        _ => hir.clone(),
    };
    match inner(hir).kind() {
        HirKind::Alternation(branches) => Some(Plan::Or(branches.iter().map(of).collect())),
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
                of(&Hir::concat(items))
            };
            Some(Plan::Or(branches.iter().map(with).collect()))
        }
        _ => None,
    }
}

/// An equivalent plan without parts that match every file.
fn simple(plan: Plan) -> Plan {
    match plan {
        Plan::And(plans) => {
            let mut all: Vec<Plan> = Vec::new();
            for plan in plans.into_iter().map(simple) {
                match plan {
                    Plan::All => {}
                    Plan::And(inner) => all.extend(inner),
                    plan => all.push(plan),
                }
            }
            let mut kept: Vec<Plan> = Vec::new();
            for plan in all {
                if !kept.contains(&plan) {
                    kept.push(plan);
                }
            }
            match kept.len() {
                0 => Plan::All,
                1 => kept.swap_remove(0),
                _ => Plan::And(kept),
            }
        }
        Plan::Or(plans) => {
            let mut any: Vec<Plan> = Vec::new();
            for plan in plans.into_iter().map(simple) {
                match plan {
                    Plan::All => return Plan::All,
                    Plan::Or(inner) => any.extend(inner),
                    plan => any.push(plan),
                }
            }
            match any.len() {
                0 => Plan::All,
                1 => any.swap_remove(0),
                _ => Plan::Or(any),
            }
        }
        Plan::Word(part) if !part.narrows() => Plan::All,
        plan => plan,
    }
}

/// A walk through a concatenation.
struct Run {
    plans: Vec<Plan>,
    /// The part that is being read.
    part: Option<Part>,
    /// What no word has may follow that part, or nothing; then this is what is known of the former.
    perhaps: Option<Edge>,
    /// What stands before the next letter, and whether that is known of ASCII letters only.
    edge: (Edge, bool),
}

impl Default for Run {
    fn default() -> Run {
        Run { plans: Vec::new(), part: None, perhaps: None, edge: (Edge::Open, false) }
    }
}

impl Run {
    fn finish(mut self) -> Plan {
        self.end(Edge::Open);
        Plan::And(self.plans)
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
                self.plans.push(Plan::Or(branches.iter().map(of).collect()));
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
            // It may stand before or behind what may follow the part.
            Look::WordUnicode if self.perhaps.is_some() => self.gap(),
            // Which side of it is the word is known of letters that every program takes for letters.
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
        let new = || Part { text: String::new(), folded: false, start, end: Edge::Open };
        let part = self.part.get_or_insert_with(new);
        part.text.push(c);
        part.folded |= is_folded;
        self.edge = (Edge::Open, false);
    }

    /// Something that is no part of a word, once or more.
    fn separate(&mut self, edge: Edge) {
        self.end(edge);
        self.edge = (edge, false);
    }

    /// Something that is no part of a word, or nothing.
    fn separate_perhaps(&mut self, edge: Edge) {
        match self.part {
            Some(_) => self.perhaps = Some(self.perhaps.map_or(edge, |perhaps| perhaps.min(edge))),
            None => self.edge.0 = self.edge.0.min(edge),
        }
    }

    /// Anything or nothing.
    fn gap(&mut self) {
        self.separate(Edge::Open);
    }

    fn end(&mut self, edge: Edge) {
        let perhaps = self.perhaps.take().unwrap_or(Edge::Whole);
        if let Some(mut part) = self.part.take() {
            part.end = edge.min(perhaps);
            if part.folded {
                part.text = part.text.chars().map(folded).collect();
            }
            self.plans.push(Plan::Word(part));
        }
    }
}

/// What stands beside a match of a class of which no member is a part of a word.
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

/// The members of a class, if they are few and characters.
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

/// The one that stands for all letters that simple case folding makes equal.
fn folded(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let all = alike(c);
    let ascii = all.iter().find(|c| c.is_ascii()).map(|c| c.to_ascii_lowercase());
    ascii.or(all.first().copied()).unwrap_or(c)
}

/// Whether all letters that are equal to a folded one without case are parts of words.
fn is_of_words(c: char) -> bool {
    alike(c).into_iter().all(is_word_char)
}

/// The letters that are equal to `c` without case, increasing.
fn alike(c: char) -> Vec<char> {
    let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
    class.case_fold_simple();
    class.iter().flat_map(|range| range.start()..=range.end()).collect()
}

impl Part {
    /// Whether it is worth looking for.
    fn narrows(&self) -> bool {
        self.is_word() || self.text.chars().count() >= MIN_LETTERS
    }

    /// Whether it is one word and no other.
    pub fn is_word(&self) -> bool {
        !self.folded && self.start == Edge::Whole && self.end == Edge::Whole
    }

    /// The grams that every word has that it stands for.
    pub fn grams(&self) -> Vec<Trigram> {
        let mut grams = Vec::new();
        grams_of(&self.text, |gram| grams.push(gram));
        grams.sort_unstable();
        grams.dedup();
        grams
    }

    /// Something that tells whether a word is one that it stands for.
    pub fn tester(&self) -> Tester<'_> {
        Tester { part: self, finder: memmem::Finder::new(&self.text), scratch: String::new() }
    }
}

/// Tells whether words are those of a part.
pub struct Tester<'p> {
    part: &'p Part,
    finder: memmem::Finder<'p>,
    scratch: String,
}

impl Tester<'_> {
    /// Whether `word` is one of them.
    pub fn takes(&mut self, word: &str) -> bool {
        if !self.part.folded {
            return self.holds(word, word.is_ascii());
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
        let takes = self.holds(&scratch, is_ascii);
        self.scratch = scratch;
        takes
    }

    fn holds(&self, word: &str, is_ascii: bool) -> bool {
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

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, plans: &[Plan], between: &str| {
            for (place, plan) in plans.iter().enumerate() {
                f.write_str(if place == 0 { "" } else { between })?;
                match plan {
                    Plan::Or(_) => write!(f, "({plan})")?,
                    plan => write!(f, "{plan}")?,
                }
            }
            Ok(())
        };
        match self {
            Plan::All => f.write_str("any file"),
            Plan::And(plans) => list(f, plans, " and "),
            Plan::Or(plans) => list(f, plans, " or "),
            Plan::Word(part) => part.fmt(f),
        }
    }
}

/// `*` where a word may go on, `|` where it may with letters outside of ASCII, `/i` where case plays no part.
impl fmt::Display for Part {
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
