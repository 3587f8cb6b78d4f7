//! Answers without ranking: what a request must hold, cursors, the snapshot.

use super::api::*;
use super::current::{Freshness, Viewed};
use super::{Engine, Error};
use crate::filter::FilterSpec;
use crate::git::Head;
use crate::id::Generation;
use crate::path::RelPath;
use crate::search::Corpus;

impl Engine {
    /// Where an answer comes from; without a view there is no index.
    pub(super) fn snapshot(&self, viewed: Option<Viewed<'_>>, freshness: &Freshness) -> Snapshot {
        let mut head = self.head();
        if let Some(viewed) = viewed {
            let branch = viewed.key.branch().map(str::to_string);
            // An answer that compared is of what is checked out now, another of what was when it was indexed.
            if freshness.checked_at.is_none() || branch != head.branch {
                head.commit.clone_from(&viewed.info().commit);
            }
            head.branch = branch;
        }
        let branch = head.shown().map(str::to_string);
        let Head { commit, .. } = head;
        Snapshot {
            root: self.root().to_path_buf(),
            branch,
            commit,
            generation: viewed.map_or(Generation(0), |viewed| viewed.meta().commit().generation),
            checked_at: freshness.checked_at,
            indexed_files: viewed.map_or(0, |viewed| viewed.view.len()),
            skipped_files: viewed.map_or(0, |viewed| viewed.view.skipped().len()),
            stale_files: freshness.stale_files,
            building: viewed.and_then(Viewed::building),
        }
    }
}

/// Checks how many rows are asked for.
pub(super) fn rows(name: &str, value: usize, most: usize) -> Result<(), Error> {
    if (1..=most).contains(&value) {
        return Ok(());
    }
    Err(Error::bad(format!("{name} is {value}; choose 1 to {most}")))
}

/// The most characters of a pattern of names.
const MAX_PATTERN_CHARS: usize = 1_000;

/// Checks the length of a pattern of names.
pub(super) fn pattern_length(pattern: &str) -> Result<(), Error> {
    match pattern.chars().count() {
        chars if chars > MAX_PATTERN_CHARS => Err(Error::bad(format!(
            "pattern has {chars} characters; at most {MAX_PATTERN_CHARS} are allowed"
        ))),
        _ => Ok(()),
    }
}

/// Refuses kinds where they say nothing.
pub(super) fn no_kinds(filter: &FilterSpec, what: &str) -> Result<(), Error> {
    match filter.kind.first() {
        Some(kind) => Err(Error::bad(format!("kind is {kind}, and {what} has no kind; leave it out"))),
        None => Ok(()),
    }
}

/// Where a page of a list begins. A cursor of another generation still counts: the order of a head rarely moves.
pub(super) fn offset(cursor: Option<&str>) -> Result<usize, Error> {
    let Some(cursor) = cursor else { return Ok(0) };
    let parse = || {
        let (generation, offset) = cursor.strip_prefix('g')?.split_once('-')?;
        generation.parse::<u64>().ok()?;
        offset.parse().ok()
    };
    parse().ok_or_else(|| no_cursor(cursor))
}

/// The cursor of the page behind `end`, if there is one.
pub(super) fn next(corpus: &Corpus, end: usize, total: usize) -> Option<String> {
    (end < total).then(|| format!("g{}-{end}", corpus.meta().commit().generation.0))
}

fn no_cursor(cursor: &str) -> Error {
    Error::bad(format!("cursor '{cursor}' is not one; give the 'next' of a reply"))
}

/// What stands behind a line: `l17-src/a%20b.rs`, where files are ordered by relevance `r4l17-src/a%20b.rs` with the
/// place of the file. It goes through a shell unharmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    path: RelPath,
    line: u32,
    rank: Option<usize>,
}

impl Cursor {
    /// The one behind a line of one of `files`.
    pub fn behind(path: &RelPath, line: u32, files: &[RelPath], ranked: bool) -> Cursor {
        let rank = ranked.then(|| files.iter().position(|file| file == path).unwrap_or(files.len()));
        Cursor { path: path.clone(), line, rank }
    }

    /// Reads one of an answer that was ranked or not.
    pub fn read(cursor: &str, ranked: bool) -> Result<Cursor, Error> {
        let parse = || {
            let (rank, place) = match cursor.strip_prefix('r') {
                Some(rest) => {
                    let at = rest.find('l')?;
                    (Some(rest[..at].parse().ok()?), &rest[at..])
                }
                None => (None, cursor),
            };
            let (path, line) = place_of(place)?;
            (rank.is_some() == ranked).then_some(Cursor { path, line, rank })
        };
        parse().ok_or_else(|| no_cursor(cursor))
    }

    /// The place among `files` behind whose line the next page begins. Where its file is no more among them, that is
    /// the file that came behind it.
    pub fn place(&self, files: &[RelPath]) -> (usize, u32) {
        let place = match self.rank {
            Some(rank) => files.iter().position(|file| *file == self.path).ok_or(rank),
            None => files.binary_search(&self.path),
        };
        place.map_or_else(|behind| (behind, 0), |place| (place, self.line))
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(rank) = self.rank {
            write!(f, "r{rank}")?;
        }
        write!(f, "l{}-", self.line)?;
        for byte in self.path.as_str().bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => {
                    write!(f, "{}", byte as char)?;
                }
                _ => write!(f, "%{byte:02X}")?,
            }
        }
        Ok(())
    }
}

/// The place that such a cursor names.
fn place_of(cursor: &str) -> Option<(RelPath, u32)> {
    let (line, path) = cursor.strip_prefix('l')?.split_once('-')?;
    let mut bytes = Vec::with_capacity(path.len());
    let mut parts = path.split('%');
    bytes.extend(parts.next()?.bytes());
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend(part[2..].bytes());
    }
    Some((RelPath::new(&String::from_utf8(bytes).ok()?).ok()?, line.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_names_its_place_and_nothing_else_does() {
        for path in ["a.rs", "src/a b/%41.rs", "größe/x'y;z", "l3-x"].map(|path| RelPath::new(path).unwrap())
        {
            for ranked in [false, true] {
                let behind = Cursor::behind(&path, 17, std::slice::from_ref(&path), ranked);
                let text = behind.to_string();
                assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/-_.%".contains(&byte)));
                assert_eq!(Cursor::read(&text, ranked).unwrap(), behind, "{text}");
                assert!(Cursor::read(&text, !ranked).is_err(), "{text}");
            }
        }
        for bad in [
            "",
            "g1-10",
            "l-a",
            "lx-a",
            "l1",
            "l1-%4",
            "l1-%zz",
            "l1-/etc/passwd",
            "l1-../x",
            "l1-%ff",
            "r",
            "rl1-a",
        ] {
            for ranked in [false, true] {
                let error = Cursor::read(bad, ranked).unwrap_err().to_string();
                assert_eq!(error, format!("cursor '{bad}' is not one; give the 'next' of a reply"));
            }
        }
    }

    #[test]
    fn a_page_goes_on_though_its_file_is_gone() {
        let files = ["c", "a", "d"].map(|path| RelPath::new(path).unwrap());
        let cursor = Cursor::read("r1l7-a", true).unwrap();
        assert_eq!(cursor.place(&files), (1, 7));
        assert_eq!(cursor.place(&[files[0].clone(), files[2].clone()]), (1, 0));
        let cursor = Cursor::read("l7-b", false).unwrap();
        assert_eq!(cursor.place(&["a", "c"].map(|path| RelPath::new(path).unwrap())), (1, 0));
    }
}
