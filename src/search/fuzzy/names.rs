//! Fuzzy matching of definition names: the best of the names in very many files.
//!
//! The order is: equality with the pattern, rank, a run that contains the whole pattern without a gap, nucleo's score, fields and
//! variants last, names outside tests and compatibility code first, length, path, position.

use std::cmp::Ordering;

use nucleo_matcher::{Matcher, Utf32Str};

use super::best::{Best, in_blocks};
use super::bound::{Letters, SeenLetters};
use super::pattern::{Fuzzy, SCORE_OF_LETTER, matcher};
use spyhop_index::meta::SymbolNames;

/// The position of the score in a key, and its mask.
const SCORE_SHIFT: u32 = 34;
const SCORE_BITS: u64 = (1 << 27) - 1;

/// The number of files that a thread takes at a time.
const BLOCK: u32 = 512;

#[derive(Clone, Copy, Debug)]
pub struct FileName<'n> {
    /// The number of the name in the file.
    pub place: u32,
    pub name: &'n str,
    /// Names of a greater rank come first, after equality with the pattern: 0 to 3 without a pattern, 0 or 1 with one.
    pub rank: u8,
    /// Whether names with an equal score come first.
    pub is_minor: bool,
}

/// A matching name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundName<'p> {
    pub file: u32,
    /// The number of the name in the file.
    pub place: u32,
    path: &'p str,
    key: u64,
}

impl FoundName<'_> {
    /// Whether the letters of the pattern are so scattered in the name that a typing error is more likely than this
    /// match. The score is then below the score of consecutive letters without bonuses.
    pub fn is_scattered(&self, pattern: &str) -> bool {
        let score = self.key >> SCORE_SHIFT & SCORE_BITS;
        score < u64::from(SCORE_OF_LETTER) * pattern.chars().count() as u64
    }
}

impl Ord for FoundName<'_> {
    /// A better match is less.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_place = || (self.path, self.place).cmp(&(other.path, other.place));
        other.key.cmp(&self.key).then_with(by_place)
    }
}

impl PartialOrd for FoundName<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The best `keep` names of `n_files` files, best first, and the number of matching names. Without a pattern all names
/// match. `path` returns the path of a file, or `None` if the file is filtered out. `each` passes the names of a file
/// to a function, one by one. At equal scores, names in files for which `is_aside` is true come later.
pub fn best_names<'p>(
    fuzzy: Option<&Fuzzy>,
    (n_files, keep): (u32, usize),
    path: impl Fn(u32) -> Option<&'p str> + Sync,
    each: impl Fn(u32, &mut dyn FnMut(FileName<'_>)) + Sync,
    is_aside: impl Fn(&str) -> bool + Sync,
) -> (Vec<FoundName<'p>>, usize) {
    let parts = in_blocks(n_files, BLOCK, |next| {
        let mut reading =
            NameMatcher { fuzzy, matcher: matcher(), chars: Vec::new(), best: Best::new(keep), total: 0 };
        while let Some(block) = next() {
            for (file, path) in block.filter_map(|file| Some((file, path(file)?))) {
                let mut aside = None;
                each(file, &mut |name| {
                    let is_aside = || *aside.get_or_insert_with(|| is_aside(path));
                    reading.read(file, path, name, is_aside);
                });
            }
        }
        (reading.best, reading.total)
    });
    let total = parts.iter().map(|(_, total)| total).sum();
    (Best::merged(keep, parts.into_iter().map(|(best, _)| best)), total)
}

impl Fuzzy {
    /// Whether one of the names may match; certain if not. The bytes that a name shares with the one before are not read again.
    pub fn may_take_any(&self, mut names: SymbolNames<'_>) -> bool {
        let Some(letters) = &self.letters else { return true };
        let mut scan = LetterScan::default();
        while let Some((name, shared)) = names.advance() {
            if scan.may_take(letters, name, shared) {
                return true;
            }
        }
        false
    }
}

/// A scan over names for the letters of a pattern.
#[derive(Default)]
struct LetterScan {
    /// By byte of the previous name: how many letters of the pattern occur in order up to the byte.
    up_to: Vec<usize>,
}

impl LetterScan {
    /// Whether a name may match, which shares its first `shared` bytes with the previous name. No name may follow one that may
    /// match.
    fn may_take(&mut self, letters: &Letters, name: &[u8], shared: usize) -> bool {
        self.up_to.truncate(shared);
        let mut found = self.up_to.last().copied().unwrap_or_default();
        for byte in &name[shared..] {
            if !byte.is_ascii() {
                return true;
            }
            found = letters.found_with(*byte, found);
            self.up_to.push(found);
        }
        letters.is_whole(found)
    }
}

/// The state of one thread that matches names.
struct NameMatcher<'f, 'p> {
    fuzzy: Option<&'f Fuzzy>,
    matcher: Matcher,
    chars: Vec<char>,
    best: Best<FoundName<'p>>,
    total: usize,
}

impl<'p> NameMatcher<'_, 'p> {
    fn read(&mut self, file: u32, path: &'p str, name: FileName<'_>, is_aside: impl FnOnce() -> bool) {
        let Some(key) = self.key(name, is_aside) else { return };
        self.best.add(FoundName { file, place: name.place, path, key });
    }

    /// Counts a name if it matches, and returns its key. The result is `None` if the name does not match, or cannot be
    /// better than the worst kept name.
    fn key(&mut self, name: FileName<'_>, is_aside: impl FnOnce() -> bool) -> Option<u64> {
        let Some(fuzzy) = self.fuzzy else {
            self.total += 1;
            return Some(u64::from(name.rank) << 62);
        };
        let text = name.name;
        let rank = u64::from(fuzzy.is_same(text)) << 1 | u64::from(name.rank);
        let shortness = u64::from(u32::MAX - text.len() as u32);
        let key = |has_run: bool, score: u32, plain: u64| {
            rank << 62 | u64::from(has_run) << 61 | u64::from(score) << SCORE_SHIFT | plain << 32 | shortness
        };
        let has_run = || fuzzy.run_in(text).is_some();
        if let Some(letters) = fuzzy.letters.as_ref().filter(|_| text.is_ascii()) {
            if !letters.follow(0, text.as_bytes()) {
                return None;
            }
            if self.best.worst().is_some_and(|worst| {
                key(true, letters.most(), 3) < worst.key
                    || key(has_run(), letters.bound_of(text.as_bytes(), SeenLetters::default()), 3)
                        < worst.key
            }) {
                self.total += 1;
                return None;
            }
        }
        let score = fuzzy.atom.score(Utf32Str::new(text, &mut self.chars), &mut self.matcher)?;
        self.total += 1;
        let plain = u64::from(!name.is_minor) << 1 | u64::from(!is_aside());
        Some(key(has_run(), u32::from(score), plain))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, files: &[(&str, &[&str])]) -> Vec<String> {
        let path = |file: u32| Some(files[file as usize].0);
        let each = |file: u32, take: &mut dyn FnMut(FileName<'_>)| {
            for (place, name) in files[file as usize].1.iter().enumerate() {
                take(FileName { place: place as u32, name, rank: 0, is_minor: false });
            }
        };
        let is_aside = |path: &str| path.starts_with("tests/");
        let n_files = files.len() as u32;
        let (found, total) = best_names(Fuzzy::new(pattern).as_ref(), (n_files, 3), path, each, is_aside);
        let row = |found: &FoundName<'_>| {
            format!("{} {}", found.path, files[found.file as usize].1[found.place as usize])
        };
        found.iter().map(row).chain([total.to_string()]).collect()
    }

    #[test]
    fn the_name_itself_is_first_then_the_best_match_then_what_stands_nowhere_aside() {
        let files: &[(&str, &[&str])] = &[
            ("a.rs", &["resolve_provider_key", "Provider", "überlanger_provider"]),
            ("tests/b.rs", &["provider", "resolve_provider"]),
            ("z.rs", &["resolve_provider", "x"]),
        ];
        assert_eq!(
            found("provider", files),
            ["a.rs Provider", "tests/b.rs provider", "z.rs resolve_provider", "6"]
        );
        assert_eq!(found("rpk", files), ["a.rs resolve_provider_key", "1"]);
        assert_eq!(found("über", files), ["a.rs überlanger_provider", "1"]);
        assert_eq!(
            found("", files),
            ["a.rs resolve_provider_key", "a.rs Provider", "a.rs überlanger_provider", "7"]
        );
        assert_eq!(found("zzz", files), ["0"]);
    }

    #[test]
    fn a_scan_takes_the_names_that_the_pattern_takes() {
        let names = [
            "resolve",
            "resolveKey",
            "resolve_provider",
            "re",
            "x",
            "",
            "Rest",
            "rest_of_key",
            "über",
            "übersee",
        ];
        for pattern in ["r", "rk", "resolvekey", "REST", "key", "zz", "rp", "ee", "rr"] {
            let fuzzy = Fuzzy::new(pattern).unwrap();
            let letters = fuzzy.letters.as_ref().unwrap();
            let (mut scan, mut before) = (LetterScan::default(), "");
            for name in names {
                let shared = before.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
                let may_take = scan.may_take(letters, name.as_bytes(), shared);
                assert_eq!(may_take, fuzzy.takes(name) || !name.is_ascii(), "{pattern} {name}");
                (scan, before) = if may_take { (LetterScan::default(), "") } else { (scan, name) };
            }
        }
    }

    #[test]
    fn a_name_that_holds_the_pattern_without_a_gap_stands_before_a_scattered_one() {
        let files: &[(&str, &[&str])] = &[("a.java", &["OpenMapsController", "MMapController"])];
        assert_eq!(
            found("MapController", files),
            ["a.java MMapController", "a.java OpenMapsController", "2"]
        );
    }
}
