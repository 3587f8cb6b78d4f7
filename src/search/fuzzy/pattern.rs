//! A parsed pattern: whether it matches a name or path, and which characters match.

use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::best::{MatchedPart, NamedPlace};
use super::bound::Letters;
use spyhop_base::text::Span;

/// The factors of a score in the name and of a score in the whole path.
pub(super) const NAME_WORTH: u32 = 5;
pub(super) const PATH_WORTH: u32 = 4;

/// nucleo's score of a matching letter, before bonuses and penalties.
pub(super) const SCORE_OF_LETTER: u32 = 16;

/// A parsed pattern.
#[derive(Clone)]
pub struct Fuzzy {
    pub(super) text: String,
    pub(super) atom: Atom,
    /// The last of several pieces, which usually refers to the file name.
    pub(super) last: Option<Atom>,
    /// For ASCII paths; `None` if the pattern is not ASCII, so that no ASCII path matches.
    pub(super) letters: Option<Letters>,
    pub(super) last_letters: Option<Letters>,
    /// The folder that a pattern with a slash may name, in lower case, with a slash at its end.
    folder: Option<String>,
    pub(super) n_letters: usize,
    /// Matches of a smaller score are scattered: that of consecutive letters without bonuses.
    pub(super) least_score: u32,
}

impl Fuzzy {
    /// Parses a pattern; `None` if it is blank.
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
            folder: text.contains('/').then(|| format!("{}/", text.trim_matches('/').to_lowercase())),
            n_letters: text.chars().count(),
            least_score: SCORE_OF_LETTER * text.chars().count() as u32,
            text: text.to_lowercase(),
        })
    }

    /// The pattern in lower case, without white space.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a name contains the letters of the pattern in order.
    pub fn takes(&self, name: &str) -> bool {
        if name.is_ascii() {
            return self.letters.as_ref().is_some_and(|letters| letters.follow(0, name.as_bytes()));
        }
        self.atom.score(Utf32Str::new(name, &mut Vec::new()), &mut matcher()).is_some()
    }

    /// Whether a name equals the pattern, ignoring case.
    pub fn is_same(&self, name: &str) -> bool {
        match name.is_ascii() {
            true => name.eq_ignore_ascii_case(&self.text),
            false => name.to_lowercase() == self.text,
        }
    }

    /// The span of the pattern in `name` as a substring, ignoring case. Non-ASCII letters are compared with their case.
    pub fn run_in(&self, name: &str) -> Option<Span> {
        let (name, text) = (name.as_bytes(), self.text.as_bytes());
        let at = name.windows(text.len()).position(|part| part.eq_ignore_ascii_case(text))?;
        Some(Span::new(at, at + text.len()))
    }

    /// The matching characters of `path`; only those in the file name if the name is what matched.
    pub fn highlights(&self, path: &str, part: MatchedPart) -> Vec<Span> {
        let start = if part == MatchedPart::Name { path.len() - name_of(path).len() } else { 0 };
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

    /// The parts of a path that the pattern names.
    pub(super) fn place_in(&self, path: &str, name: &str) -> NamedPlace {
        NamedPlace { is_name: self.equals_name(name), is_folder: self.is_in_folder(path) }
    }

    fn is_in_folder(&self, path: &str) -> bool {
        let Some(folder) = self.folder.as_ref().filter(|folder| folder.len() <= path.len()) else {
            return false;
        };
        let lower = path.to_lowercase();
        lower.starts_with(folder) || lower.match_indices(folder).any(|(at, _)| lower[..at].ends_with('/'))
    }

    /// The upper bound of the score of a whole path, with the score of the last piece.
    pub(super) fn most_by_path(&self, letters: &Letters) -> u32 {
        letters.most() * PATH_WORTH + self.last_letters.as_ref().map_or(0, Letters::most)
    }

    /// Whether a file name equals the pattern, with or without its extension.
    pub(super) fn equals_name(&self, name: &str) -> bool {
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

pub(super) fn matcher() -> Matcher {
    Matcher::new(Config::DEFAULT.match_paths())
}

pub(super) fn name_of(path: &str) -> &str {
    spyhop_base::path::split(path).1
}
