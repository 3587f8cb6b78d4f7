//! Patterns of several words, each of which must match a path, in any order, as in fzf.
//!
//! The scores of the words add up. Every matching path is scored, because a bound of a sum would hardly exclude any.

use super::best::{BLOCK, Best, FoundPath, MatchedPart, in_blocks};
use super::paths::{BestPaths, FoundPaths, PathMatcher};
use super::pattern::Fuzzy;
use spyhop_base::text::Span;

/// A pattern of at least two words.
#[derive(Clone)]
pub struct FuzzyWords {
    words: Vec<Fuzzy>,
}

impl FuzzyWords {
    /// Parses a pattern; `None` if it has fewer than two words.
    pub fn new(pattern: &str) -> Option<FuzzyWords> {
        let words: Vec<Fuzzy> = pattern.split_whitespace().filter_map(Fuzzy::new).collect();
        (words.len() > 1).then_some(FuzzyWords { words })
    }

    pub fn words(&self) -> &[Fuzzy] {
        &self.words
    }

    /// As [`Fuzzy::best`].
    pub fn best<'p>(
        &self,
        n: u32,
        keep: usize,
        takes_scattered: bool,
        path: impl Fn(u32) -> Option<&'p str> + Sync,
    ) -> FoundPaths<'p> {
        let parts = in_blocks(n, BLOCK, |next| {
            let mut matchers: Vec<PathMatcher<'_, 'p>> =
                self.words.iter().map(|word| PathMatcher::new(word, 0, true)).collect();
            let mut best = BestPaths { found: Best::new(keep), total: 0, scattered: 0 };
            while let Some(block) = next() {
                for (file, path) in block.filter_map(|file| Some((file, path(file)?))) {
                    if let Some(found) = sum(&mut matchers, file, path) {
                        best.add(found, takes_scattered);
                    }
                }
            }
            best
        });
        BestPaths::merged(keep, parts)
    }

    /// The matching characters of `path`, of all words.
    pub fn highlights(&self, path: &str) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        for word in &self.words {
            let part =
                PathMatcher::new(word, 0, true).scored(0, path).map_or(MatchedPart::Path, |found| found.part);
            spans.extend(word.highlights(path, part));
        }
        merge_touching(spans)
    }
}

/// A path that every word matches.
fn sum<'p>(matchers: &mut [PathMatcher<'_, 'p>], file: u32, path: &'p str) -> Option<FoundPath<'p>> {
    let mut all: Option<FoundPath<'p>> = None;
    for matcher in matchers {
        if !matcher.takes(path) {
            return None;
        }
        let found = matcher.scored(file, path)?;
        all = Some(match all {
            Some(all) => all.with(&found),
            None => found,
        });
    }
    all
}

/// Sorts spans, and merges those that touch.
pub fn merge_touching(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable_by_key(|span| (span.start, span.end));
    let mut all: Vec<Span> = Vec::new();
    for span in spans {
        match all.last_mut() {
            Some(last) if last.end >= span.start => last.end = last.end.max(span.end),
            _ => all.push(span),
        }
    }
    all
}
