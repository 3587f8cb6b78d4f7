//! Matching paths against a pattern: only paths with a sufficient bound are scored.

use nucleo_matcher::pattern::Atom;
use nucleo_matcher::{Matcher, Utf32Str};

use super::best::{BLOCK, Best, FoundPath, MatchedPart, in_blocks, key};
use super::bound::SeenLetters;
use super::pattern::{Fuzzy, NAME_WORTH, PATH_WORTH, matcher, name_of};

/// The number of candidates that are collected before the best of them are scored.
const PENDING: usize = 1024;

impl Fuzzy {
    /// The best `keep` of `n` paths, best first. Scattered matches are only counted, unless `takes_scattered`. `path`
    /// returns the path with a number, or `None` if the file is filtered out. The order does not depend on the numbers,
    /// but paths of one folder with adjacent numbers are faster.
    pub fn best<'p>(
        &self,
        n: u32,
        keep: usize,
        takes_scattered: bool,
        path: impl Fn(u32) -> Option<&'p str> + Sync,
    ) -> FoundPaths<'p> {
        let parts = in_blocks(n, BLOCK, |next| {
            let mut reading = PathMatcher::new(self, keep, takes_scattered);
            while let Some(block) = next() {
                for file in block {
                    if let Some(path) = path(file) {
                        reading.read(file, path);
                    }
                }
            }
            reading.finish()
        });
        BestPaths::merged(keep, parts)
    }
}

/// The best of many paths.
pub struct FoundPaths<'p> {
    /// The paths, best first.
    pub found: Vec<FoundPath<'p>>,
    /// The number of matching paths, without those that were only counted.
    pub total: usize,
    /// The number of scattered matches that were only counted.
    pub scattered: usize,
}

/// The best paths that one thread has found.
pub(super) struct BestPaths<'p> {
    pub found: Best<FoundPath<'p>>,
    pub total: usize,
    pub scattered: usize,
}

impl<'p> BestPaths<'p> {
    pub fn add(&mut self, found: FoundPath<'p>, takes_scattered: bool) {
        if found.is_scattered && !takes_scattered {
            self.scattered += 1;
        } else {
            self.total += 1;
            self.found.add(found);
        }
    }

    pub fn merged(keep: usize, parts: Vec<BestPaths<'p>>) -> FoundPaths<'p> {
        let total = parts.iter().map(|part| part.total).sum();
        let scattered = parts.iter().map(|part| part.scattered).sum();
        FoundPaths { found: Best::merged(keep, parts.into_iter().map(|part| part.found)), total, scattered }
    }
}

/// The state of one thread that matches paths.
pub(super) struct PathMatcher<'f, 'p> {
    fuzzy: &'f Fuzzy,
    matcher: Matcher,
    chars: Vec<char>,
    places: Vec<u32>,
    /// The folder of the previous path, with its slash, and what is known of its letters.
    folder: &'p str,
    is_ascii: bool,
    seen: SeenLetters,
    pending: Vec<PathCandidate<'p>>,
    best: BestPaths<'p>,
    takes_scattered: bool,
    #[cfg(test)]
    scored: usize,
}

/// A match is long if it has so many characters for each letter of the pattern.
const LONG: usize = 3;

/// A matching path and the upper bound of its key.
struct PathCandidate<'p> {
    bound: u64,
    file: u32,
    path: &'p str,
}

impl<'f, 'p> PathMatcher<'f, 'p> {
    pub fn new(fuzzy: &'f Fuzzy, keep: usize, takes_scattered: bool) -> Self {
        PathMatcher {
            fuzzy,
            matcher: matcher(),
            chars: Vec::new(),
            places: Vec::new(),
            folder: "",
            is_ascii: true,
            seen: SeenLetters::default(),
            pending: Vec::with_capacity(PENDING),
            best: BestPaths { found: Best::new(keep), total: 0, scattered: 0 },
            takes_scattered,
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
                self.best.add(found, self.takes_scattered);
            }
            return;
        }
        if !self.takes_scattered {
            self.read_sound(file, path, name);
            return;
        }
        let Some(bound) = self.bound(path, name) else { return };
        self.best.total += 1;
        if bound >= self.best.found.least() {
            self.pending.push(PathCandidate { bound, file, path });
            if self.pending.len() == PENDING {
                self.score_pending();
            }
        }
    }

    /// Scores an ASCII path unless its match is scattered for certain, so that scattered matches are counted.
    fn read_sound(&mut self, file: u32, path: &'p str, name: &str) {
        let Some(letters) = self.fuzzy.letters.as_ref() else { return };
        if !letters.follow(self.seen.found(), name.as_bytes()) {
            return;
        }
        let least = self.fuzzy.least_score;
        let bound = |seen: SeenLetters| letters.bound_of(name.as_bytes(), seen);
        if bound(self.seen) < least && bound(SeenLetters::default()) < least {
            self.best.scattered += 1;
        } else if let Some(found) = self.scored(file, path) {
            self.best.add(found, false);
        }
    }

    /// Whether a path contains the letters of the pattern in order.
    pub fn takes(&self, path: &str) -> bool {
        self.fuzzy.takes(path)
    }

    /// The upper bound of the key of an ASCII path; `None` if the path does not match.
    fn bound(&self, path: &str, name: &str) -> Option<u64> {
        let fuzzy = self.fuzzy;
        let letters = fuzzy.letters.as_ref()?;
        if !letters.follow(self.seen.found(), name.as_bytes()) {
            return None;
        }
        let in_name = letters.follow(0, name.as_bytes());
        let place = fuzzy.place_in(path, name);
        let most_by_path = fuzzy.most_by_path(letters);
        let most = if in_name { most_by_path.max(letters.most() * NAME_WORTH) } else { most_by_path };
        let most = key(place, most, path.len());
        if most < self.best.found.least() {
            return Some(most);
        }
        let name = name.as_bytes();
        let in_name = if in_name { letters.bound_of(name, SeenLetters::default()) } else { 0 };
        let by_name = in_name * NAME_WORTH;
        if by_name >= most_by_path {
            return Some(key(place, by_name, path.len()));
        }
        // If the folder lacks the first letter of the pattern, the match begins in the name.
        let in_path = if self.seen.found() == 0 { in_name } else { letters.bound_of(name, self.seen) };
        let last = fuzzy.last_letters.as_ref().map_or(0, |last| last.bound_of(name, SeenLetters::default()));
        Some(key(place, by_name.max(in_path * PATH_WORTH + last), path.len()))
    }

    fn score_pending(&mut self) {
        let mut pending = std::mem::take(&mut self.pending);
        pending.sort_unstable_by_key(|candidate| std::cmp::Reverse(candidate.bound));
        for PathCandidate { bound, file, path } in pending.drain(..) {
            if bound < self.best.found.least() {
                break;
            }
            if let Some(found) = self.scored(file, path) {
                debug_assert!(found.key() <= bound, "{path} is worth more than was thought");
                self.best.found.add(found);
            }
        }
        self.pending = pending;
    }

    pub fn scored(&mut self, file: u32, path: &'p str) -> Option<FoundPath<'p>> {
        #[cfg(test)]
        {
            self.scored += 1;
        }
        let fuzzy = self.fuzzy;
        let name = name_of(path);
        let in_name = self.score(&fuzzy.atom, name).unwrap_or(0);
        let by_name = in_name * NAME_WORTH;
        let most_by_path = fuzzy.letters.as_ref().map_or(u32::MAX, |letters| fuzzy.most_by_path(letters));
        let (in_path, last) = if by_name >= most_by_path {
            (0, 0)
        } else {
            let last = fuzzy.last.as_ref().and_then(|last| self.score(last, name)).unwrap_or(0);
            (self.score(&fuzzy.atom, path)?, last)
        };
        let by_path = in_path * PATH_WORTH + last;
        let part = if by_name >= by_path { MatchedPart::Name } else { MatchedPart::Path };
        let is_scattered = in_name.max(in_path) < fuzzy.least_score
            || match part {
                MatchedPart::Path => 2 * self.runs_in(path) > fuzzy.n_letters + 1,
                MatchedPart::Name => self.is_scattered_in(name),
            };
        let place = fuzzy.place_in(path, name);
        Some(FoundPath::new(file, path, place, (by_name.max(by_path), part, is_scattered)))
    }

    fn score(&mut self, atom: &Atom, text: &str) -> Option<u32> {
        atom.score(Utf32Str::new(text, &mut self.chars), &mut self.matcher).map(u32::from)
    }

    /// How many runs of consecutive characters match in a path.
    fn runs_in(&mut self, path: &str) -> usize {
        self.places.clear();
        let text = Utf32Str::new(path, &mut self.chars);
        self.fuzzy.atom.indices(text, &mut self.matcher, &mut self.places);
        self.places.sort_unstable();
        self.places.chunk_by(|one, next| one + 1 == *next).count()
    }

    /// Whether the letters of the pattern are scattered over a file name: half of them begin runs within words, and the match is
    /// long. The beginnings of words, as in `uc` for `UserController`, are how people abbreviate names.
    fn is_scattered_in(&mut self, name: &str) -> bool {
        self.places.clear();
        let text = Utf32Str::new(name, &mut self.chars);
        self.fuzzy.atom.indices(text, &mut self.matcher, &mut self.places);
        self.places.sort_unstable();
        let (Some(first), Some(last)) = (self.places.first(), self.places.last()) else { return false };
        let len = (last - first + 1) as usize;
        let begins_word = |at: u32| {
            let Some(before) = at.checked_sub(1).map(|before| text.get(before)) else { return true };
            !before.is_alphanumeric() || (before.is_lowercase() && text.get(at).is_uppercase())
        };
        let runs = self.places.chunk_by(|one, next| one + 1 == *next);
        let inside = runs.filter(|run| !begins_word(run[0])).count();
        let n_letters = self.fuzzy.n_letters;
        2 * inside > n_letters || (2 * inside >= n_letters && len > LONG * n_letters)
    }

    fn finish(mut self) -> BestPaths<'p> {
        self.score_pending();
        self.best
    }
}

#[cfg(test)]
mod tests;
