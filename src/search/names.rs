//! The terms of names and their overlap with the query. Tokenizing is cached for each query, because names consist of
//! few different words and the files of a head share folders.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::relations::{self, WordRelations};
use crate::query::Query;
use spyhop_index::tokenize::{PooledTokenizer, TermList, Tokenizers};

/// The overlap of a name with the query.
#[derive(Clone, Copy, Default)]
pub(crate) struct TermOverlap {
    /// The terms of the query in the name.
    pub mask: u64,
    /// Bit `n` is set if term `n` of the query occurs directly before term `n + 1` in the name.
    pub pairs: u64,
    /// The share of the name's terms that are in the query.
    pub of_name: f32,
}

/// The names of one query, with their terms.
pub struct Names<'m> {
    query: &'m Query,
    relations: WordRelations<'m>,
    tokenizer: PooledTokenizer<'m>,
    /// By name: the range of its terms in `terms`.
    known: FxHashMap<Box<str>, TermRange>,
    terms: Vec<u32>,
    number_of: FxHashMap<Box<str>, u32>,
    /// By number: the term.
    term: Vec<Term>,
    scratch: TermList,
}

/// The terms of a name, as a range of [`Names::terms`].
pub(crate) type TermRange = Range<usize>;

struct Term {
    text: Box<str>,
    /// The position of the term in the query.
    place: Option<u8>,
    /// The terms of the query that are equal or related, once they are computed.
    related: Option<u64>,
}

impl<'m> Names<'m> {
    /// A cache without names.
    pub fn new(query: &'m Query, tokenizers: &'m Tokenizers) -> Names<'m> {
        Names {
            query,
            relations: WordRelations::new(query),
            tokenizer: tokenizers.take(),
            known: FxHashMap::default(),
            terms: Vec::new(),
            number_of: FxHashMap::default(),
            term: Vec::new(),
            scratch: TermList::default(),
        }
    }

    pub fn terms_of(&mut self, name: &str) -> TermRange {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        self.scratch.clear();
        self.tokenizer.terms(name, &mut self.scratch);
        let start = self.terms.len();
        for text in self.scratch.iter() {
            let number = match self.number_of.get(text) {
                Some(number) => *number,
                None => {
                    let number = self.term.len() as u32;
                    let place = self.query.terms.iter().position(|wanted| wanted.term == text);
                    self.term.push(Term {
                        text: text.into(),
                        place: place.map(|at| at as u8),
                        related: None,
                    });
                    self.number_of.insert(text.into(), number);
                    number
                }
            };
            self.terms.push(number);
        }
        let range = start..self.terms.len();
        self.known.insert(name.into(), range.clone());
        range
    }

    /// The terms of a path: those of its folder and of its file name.
    pub(crate) fn path_terms(&mut self, path: &str) -> TermRange {
        let (folder, file) = spyhop_base::path::split(path);
        let names = [self.terms_of(folder), self.terms_of(file)];
        let start = self.terms.len();
        names.into_iter().for_each(|name| self.terms.extend_from_within(name));
        start..self.terms.len()
    }

    pub fn cover(&self, name: TermRange) -> TermOverlap {
        let terms = &self.terms[name];
        let mut cover = TermOverlap::default();
        let (mut known, mut unknown) = (0u32, 0u32);
        let mut last = None;
        for (at, term) in terms.iter().enumerate() {
            let place = self.term[*term as usize].place;
            match place {
                Some(place) if cover.mask & (1 << place) == 0 => {
                    cover.mask |= 1 << place;
                    known += 1;
                }
                Some(_) => {}
                // Names are short, so a linear search is cheaper than a set.
                None => unknown += !terms[..at].contains(term) as u32,
            }
            if let (Some(place), Some(last)) = (place, last)
                && place == last + 1
            {
                cover.pairs |= 1u64 << last;
            }
            last = place;
        }
        cover.of_name = if known == 0 { 0.0 } else { known as f32 / (known + unknown) as f32 };
        cover
    }

    /// The overlap of a name with the query, if related words count as equal.
    pub(crate) fn related_overlap(&mut self, name: TermRange) -> TermOverlap {
        let mut cover = TermOverlap::default();
        let mut known = 0;
        // The terms of the query that a term and the previous one make as one word.
        let mut joined = 0;
        for at in name.clone() {
            let number = self.terms[at] as usize;
            let mut mask = joined | self.related(number);
            joined = 0;
            if at + 1 < name.end {
                let next = &self.term[self.terms[at + 1] as usize];
                joined = self.relations.joined_terms(&self.term[number].text, &next.text);
                mask |= joined;
            }
            known += u32::from(mask != 0);
            cover.mask |= mask;
        }
        cover.of_name = known as f32 / name.len().max(1) as f32;
        cover
    }

    fn related(&mut self, number: usize) -> u64 {
        let term = &mut self.term[number];
        *term.related.get_or_insert_with(|| self.relations.related_terms(&term.text))
    }

    /// Whether two names consist of equal or related words in one order.
    pub(crate) fn are_related(&self, one: TermRange, other: TermRange) -> bool {
        let text = |term: u32| &*self.term[term as usize].text;
        let is_related =
            |(one, other): (&u32, &u32)| one == other || relations::are_related(text(*one), text(*other));
        !one.is_empty()
            && one.len() == other.len()
            && self.terms[one].iter().zip(&self.terms[other]).all(is_related)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(query: &str, name: &str, expected: (u64, u64, f32), related: (u64, f32)) {
        let (query, tokenizers) = (Query::parse(query).unwrap(), Tokenizers::default());
        let mut names = Names::new(&query, &tokenizers);
        for _ in 0..2 {
            let of = names.terms_of(name);
            let cover = names.cover(of.clone());
            assert_eq!((cover.mask, cover.pairs, cover.of_name), expected, "{name}");
            let cover = names.related_overlap(of);
            assert_eq!((cover.mask, cover.of_name), related, "{name}");
        }
    }

    #[test]
    fn names_and_queries_cover_each_other() {
        check("image garbage collection", "collectGarbageOfGarbage", (0b110, 0, 2.0 / 3.0), (0b110, 0.75));
        check("image garbage collection", "ImageGarbage", (0b011, 0b01, 1.0), (0b011, 1.0));
        check("a websocket", "web_socket", (0, 0, 0.0), (1, 1.0));
        check("router", "routing/x", (0, 0, 0.0), (1, 0.5));
    }

    #[test]
    fn a_path_has_the_terms_of_its_parts() {
        let (query, tokenizers) = (Query::parse("pod").unwrap(), Tokenizers::default());
        let mut names = Names::new(&query, &tokenizers);
        let path = names.path_terms("pkg/kubelet/pod_workers.go");
        let whole = names.terms_of("pkg kubelet pod workers go");
        assert_eq!(names.terms[path], names.terms[whole]);
        let (one, other, third) =
            (names.terms_of("routers"), names.terms_of("routing"), names.terms_of("pods"));
        assert!(names.are_related(one.clone(), other) && !names.are_related(one, third));
    }
}
