//! Paths by their letters in order, some left out, as editors' "go to file" finds them: the best of very many.
//!
//! A file's name weighs more than its folders, because that is what people remember. Equal scores are ordered by the
//! length of the path and then by the path, so the order is always the same.
//!
//! Scores are nucleo's. To score a path takes it some hundred times longer than to see whether it matches at all, and of
//! a million that match a few are shown. So a path is read once, its folder only where the path before it lay in
//! another, and what was seen bounds its score ([`bound`]); only paths whose bound reaches the best so far are scored.
//! The bound may let through too much, never too little.

mod best;
mod bound;
mod names;

pub use best::{Found, Part, listed};
pub use names::{FoundName, Name, best_names};

use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use crate::text::Span;
use best::{BLOCK, Best, in_blocks, key};
use bound::{Letters, Seen};

/// A score in the name is worth so many of these, one in the path four.
const NAME_WORTH: u32 = 5;
const PATH_WORTH: u32 = 4;

/// So many candidates are looked at before the best of them are scored.
const PENDING: usize = 1024;

/// A parsed pattern.
#[derive(Clone)]
pub struct Fuzzy {
    text: String,
    atom: Atom,
    /// The last of several pieces, which is likely meant for the name.
    last: Option<Atom>,
    /// How to read paths in ASCII for it; `None` where none of them can match.
    letters: Option<Letters>,
    last_letters: Option<Letters>,
}

impl Fuzzy {
    /// A pattern, unless it is blank.
    pub fn new(pattern: &str) -> Option<Fuzzy> {
        let text: String = pattern.split_whitespace().collect();
        if text.is_empty() {
            return None;
        }
        let atom =
            |text: &str| Atom::new(text, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy, false);
        let mut pieces = pattern.rsplit(|c: char| c == '/' || c.is_whitespace()).filter(|it| !it.is_empty());
        let last = pieces.next().filter(|_| pieces.next().is_some());
        Some(Fuzzy {
            atom: atom(&text),
            last: last.map(atom),
            letters: Letters::new(&text),
            last_letters: last.and_then(Letters::new),
            text: text.to_lowercase(),
        })
    }

    /// The best `keep` of `n` paths, best first, and how many match. `path` gives each by its number, `None` for one
    /// that does not count; the order does not depend on the numbers, but it is fast where they follow the paths.
    pub fn best<'p>(
        &self,
        n: u32,
        keep: usize,
        path: impl Fn(u32) -> Option<&'p str> + Sync,
    ) -> (Vec<Found<'p>>, usize) {
        let parts = in_blocks(n, BLOCK, |next| {
            let mut reading = Reading::new(self, keep);
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

    /// The pattern in lower case, without blanks.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a name has the letters of the pattern in their order.
    pub fn takes(&self, name: &str) -> bool {
        if name.is_ascii() {
            return self.letters.as_ref().is_some_and(|letters| letters.follow(0, name.as_bytes()));
        }
        self.atom.score(Utf32Str::new(name, &mut Vec::new()), &mut matcher()).is_some()
    }

    /// Whether a name is what is looked for, upper and lower case alike.
    pub fn is_same(&self, name: &str) -> bool {
        match name.is_ascii() {
            true => name.eq_ignore_ascii_case(&self.text),
            false => name.to_lowercase() == self.text,
        }
    }

    /// Where `name` holds the pattern without a gap, upper and lower case alike; names outside ASCII never do.
    pub fn run_in(&self, name: &str) -> Option<Span> {
        let (name, text) = (name.as_bytes(), self.text.as_bytes());
        let at = name.windows(text.len()).position(|part| part.eq_ignore_ascii_case(text))?;
        Some(Span::new(at, at + text.len()))
    }

    /// The parts of `path` that match, in its name only where that is what matched.
    pub fn highlights(&self, path: &str, part: Part) -> Vec<Span> {
        let start = if part == Part::Name { path.len() - name_of(path).len() } else { 0 };
        let mut places = Vec::new();
        let shown = &path[start..];
        self.atom.indices(Utf32Str::new(shown, &mut Vec::new()), &mut matcher(), &mut places);
        places.sort_unstable();
        places.dedup();
        let mut highlights: Vec<Span> = Vec::new();
        for place in places {
            let Some((at, letter)) = shown.char_indices().nth(place as usize) else { continue };
            let (from, to) = (start + at, start + at + letter.len_utf8());
            match highlights.last_mut() {
                Some(last) if last.end as usize == from => last.end = to as u32,
                _ => highlights.push(Span::new(from, to)),
            }
        }
        highlights
    }

    /// The most that a path can be worth by itself, the last piece's share included.
    fn most_by_path(&self, letters: &Letters) -> u32 {
        letters.most() * PATH_WORTH + self.last_letters.as_ref().map_or(0, Letters::most)
    }

    /// Whether a file's name is what is looked for, with or without its extension.
    fn is_it(&self, name: &str) -> bool {
        let is = |name: &str, text: &str| match name.rsplit_once('.') {
            _ if name == text => true,
            Some((stem, _)) => stem == text,
            None => false,
        };
        if !name.is_ascii() {
            return is(&name.to_lowercase(), &self.text);
        }
        match name.get(..self.text.len()) {
            Some(start) if start.eq_ignore_ascii_case(&self.text) => match &name[self.text.len()..] {
                "" => true,
                rest => rest.starts_with('.') && !rest[1..].contains('.'),
            },
            _ => false,
        }
    }
}

/// One thread's way through the paths.
struct Reading<'f, 'p> {
    fuzzy: &'f Fuzzy,
    matcher: Matcher,
    chars: Vec<char>,
    /// The folder of the path before, with its slash, and what was seen in it.
    folder: &'p str,
    is_ascii: bool,
    seen: Seen,
    pending: Vec<Candidate<'p>>,
    best: Best<Found<'p>>,
    total: usize,
    #[cfg(test)]
    scored: usize,
}

/// A path that matches, and what it could be worth.
struct Candidate<'p> {
    bound: u64,
    file: u32,
    path: &'p str,
}

impl<'f, 'p> Reading<'f, 'p> {
    fn new(fuzzy: &'f Fuzzy, keep: usize) -> Self {
        Reading {
            fuzzy,
            matcher: matcher(),
            chars: Vec::new(),
            folder: "",
            is_ascii: true,
            seen: Seen::default(),
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
            self.seen = Seen::default();
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
            self.pending.push(Candidate { bound, file, path });
            if self.pending.len() == PENDING {
                self.score_pending();
            }
        }
    }

    /// The best key that a path in ASCII can have; `None` where it does not match.
    fn bound(&self, path: &str, name: &str) -> Option<u64> {
        let fuzzy = self.fuzzy;
        let letters = fuzzy.letters.as_ref()?;
        if !letters.follow(self.seen.found(), name.as_bytes()) {
            return None;
        }
        let in_name = letters.follow(0, name.as_bytes());
        let is_it = in_name && fuzzy.is_it(name);
        let most_by_path = fuzzy.most_by_path(letters);
        let most = if in_name { most_by_path.max(letters.most() * NAME_WORTH) } else { most_by_path };
        let most = key(is_it, most, path.len());
        if most < self.best.least() {
            return Some(most);
        }
        let name = name.as_bytes();
        let in_name = if in_name { letters.bound_of(name, Seen::default()) } else { 0 };
        let by_name = in_name * NAME_WORTH;
        if by_name >= most_by_path {
            return Some(key(is_it, by_name, path.len()));
        }
        // A folder without the first letter adds nothing to the name.
        let in_path = if self.seen.found() == 0 { in_name } else { letters.bound_of(name, self.seen) };
        let last = fuzzy.last_letters.as_ref().map_or(0, |last| last.bound_of(name, Seen::default()));
        Some(key(is_it, by_name.max(in_path * PATH_WORTH + last), path.len()))
    }

    fn score_pending(&mut self) {
        let mut pending = std::mem::take(&mut self.pending);
        pending.sort_unstable_by_key(|candidate| std::cmp::Reverse(candidate.bound));
        for Candidate { bound, file, path } in pending.drain(..) {
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

    fn scored(&mut self, file: u32, path: &'p str) -> Option<Found<'p>> {
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
        let part = if by_name >= by_path { Part::Name } else { Part::Path };
        Some(Found::new(file, path, fuzzy.is_it(name), by_name.max(by_path), part))
    }

    fn score(&mut self, atom: &Atom, text: &str) -> Option<u32> {
        atom.score(Utf32Str::new(text, &mut self.chars), &mut self.matcher).map(u32::from)
    }

    fn finish(mut self) -> (Best<Found<'p>>, usize) {
        self.score_pending();
        (self.best, self.total)
    }
}

fn matcher() -> Matcher {
    Matcher::new(Config::DEFAULT.match_paths())
}

fn name_of(path: &str) -> &str {
    crate::path::split(path).1
}

#[cfg(test)]
mod tests;
