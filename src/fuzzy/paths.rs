//! Matching paths against a pattern: only paths with a sufficient bound are scored.

use nucleo_matcher::pattern::Atom;
use nucleo_matcher::{Matcher, Utf32Str};

use super::best::{BLOCK, Best, FoundPath, MatchedPart, in_blocks, key};
use super::bound::SeenLetters;
use super::pattern::{Fuzzy, NAME_WORTH, PATH_WORTH, matcher, name_of};

/// The number of candidates that are collected before the best of them are scored.
const PENDING: usize = 1024;

impl Fuzzy {
    /// The best `keep` of `n` paths, best first, and the number of matching paths. `path` returns the path with a
    /// number, or `None` if the file is filtered out. The order does not depend on the numbers, but paths of one folder
    /// with adjacent numbers are faster.
    pub fn best<'p>(
        &self,
        n: u32,
        keep: usize,
        path: impl Fn(u32) -> Option<&'p str> + Sync,
    ) -> (Vec<FoundPath<'p>>, usize) {
        let parts = in_blocks(n, BLOCK, |next| {
            let mut reading = PathMatcher::new(self, keep);
            while let Some(block) = next() {
                for file in block {
                    if let Some(path) = path(file) {
                        reading.read(file, path);
                    }
                }
            }
            reading.finish()
        });
        let total = parts.iter().map(|(_, total)| total).sum();
        (Best::merged(keep, parts.into_iter().map(|(best, _)| best)), total)
    }
}

/// The state of one thread that matches paths.
struct PathMatcher<'f, 'p> {
    fuzzy: &'f Fuzzy,
    matcher: Matcher,
    chars: Vec<char>,
    /// The folder of the previous path, with its slash, and what is known of its letters.
    folder: &'p str,
    is_ascii: bool,
    seen: SeenLetters,
    pending: Vec<PathCandidate<'p>>,
    best: Best<FoundPath<'p>>,
    total: usize,
    #[cfg(test)]
    scored: usize,
}

/// A matching path and the upper bound of its key.
struct PathCandidate<'p> {
    bound: u64,
    file: u32,
    path: &'p str,
}

impl<'f, 'p> PathMatcher<'f, 'p> {
    fn new(fuzzy: &'f Fuzzy, keep: usize) -> Self {
        PathMatcher {
            fuzzy,
            matcher: matcher(),
            chars: Vec::new(),
            folder: "",
            is_ascii: true,
            seen: SeenLetters::default(),
            pending: Vec::with_capacity(PENDING),
            best: Best::new(keep),
            total: 0,
            #[cfg(test)]
            scored: 0,
        }
    }

    fn read(&mut self, file: u32, path: &'p str) {
        let (folder, name) = path.split_at(path.len() - name_of(path).len());
        if folder != self.folder {
            self.folder = folder;
            self.is_ascii = folder.is_ascii();
            self.seen = SeenLetters::default();
            if let Some(letters) = self.fuzzy.letters.as_ref().filter(|_| self.is_ascii) {
                letters.read(folder.as_bytes(), &mut self.seen);
            }
        }
        if !self.is_ascii || !name.is_ascii() {
            if let Some(found) = self.scored(file, path) {
                self.total += 1;
                self.best.add(found);
            }
            return;
        }
        let Some(bound) = self.bound(path, name) else { return };
        self.total += 1;
        if bound >= self.best.least() {
            self.pending.push(PathCandidate { bound, file, path });
            if self.pending.len() == PENDING {
                self.score_pending();
            }
        }
    }

    /// The upper bound of the key of an ASCII path; `None` if the path does not match.
    fn bound(&self, path: &str, name: &str) -> Option<u64> {
        let fuzzy = self.fuzzy;
        let letters = fuzzy.letters.as_ref()?;
        if !letters.follow(self.seen.found(), name.as_bytes()) {
            return None;
        }
        let in_name = letters.follow(0, name.as_bytes());
        let is_equal = in_name && fuzzy.equals_name(name);
        let most_by_path = fuzzy.most_by_path(letters);
        let most = if in_name { most_by_path.max(letters.most() * NAME_WORTH) } else { most_by_path };
        let most = key(is_equal, most, path.len());
        if most < self.best.least() {
            return Some(most);
        }
        let name = name.as_bytes();
        let in_name = if in_name { letters.bound_of(name, SeenLetters::default()) } else { 0 };
        let by_name = in_name * NAME_WORTH;
        if by_name >= most_by_path {
            return Some(key(is_equal, by_name, path.len()));
        }
        // If the folder lacks the first letter of the pattern, the match begins in the name.
        let in_path = if self.seen.found() == 0 { in_name } else { letters.bound_of(name, self.seen) };
        let last = fuzzy.last_letters.as_ref().map_or(0, |last| last.bound_of(name, SeenLetters::default()));
        Some(key(is_equal, by_name.max(in_path * PATH_WORTH + last), path.len()))
    }

    fn score_pending(&mut self) {
        let mut pending = std::mem::take(&mut self.pending);
        pending.sort_unstable_by_key(|candidate| std::cmp::Reverse(candidate.bound));
        for PathCandidate { bound, file, path } in pending.drain(..) {
            if bound < self.best.least() {
                break;
            }
            if let Some(found) = self.scored(file, path) {
                debug_assert!(found.key() <= bound, "{path} is worth more than was thought");
                self.best.add(found);
            }
        }
        self.pending = pending;
    }

    fn scored(&mut self, file: u32, path: &'p str) -> Option<FoundPath<'p>> {
        #[cfg(test)]
        {
            self.scored += 1;
        }
        let fuzzy = self.fuzzy;
        let name = name_of(path);
        let by_name = self.score(&fuzzy.atom, name).map_or(0, |score| score * NAME_WORTH);
        let most_by_path = fuzzy.letters.as_ref().map_or(u32::MAX, |letters| fuzzy.most_by_path(letters));
        let by_path = if by_name >= most_by_path {
            0
        } else {
            let last = fuzzy.last.as_ref().and_then(|last| self.score(last, name)).unwrap_or(0);
            self.score(&fuzzy.atom, path)? * PATH_WORTH + last
        };
        let part = if by_name >= by_path { MatchedPart::Name } else { MatchedPart::Path };
        Some(FoundPath::new(file, path, fuzzy.equals_name(name), by_name.max(by_path), part))
    }

    fn score(&mut self, atom: &Atom, text: &str) -> Option<u32> {
        atom.score(Utf32Str::new(text, &mut self.chars), &mut self.matcher).map(u32::from)
    }

    fn finish(mut self) -> (Best<FoundPath<'p>>, usize) {
        self.score_pending();
        (self.best, self.total)
    }
}

#[cfg(test)]
mod tests;
