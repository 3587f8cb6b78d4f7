//! The cursors of pages.

use spyhop_base::id::Generation;
use spyhop_base::path::RelPath;

/// The cursor of the page after the first `end` rows of a list.
pub(crate) fn page_cursor(generation: Generation, end: usize) -> String {
    format!("g{generation}-{end}")
}

/// The position after a line: `l17-src/a%20b.rs` or, if files are ordered by relevance, `r4l17-src/a%20b.rs` with the
/// rank of the file. The text needs no quoting in a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineCursor {
    pub path: RelPath,
    pub line: u32,
    pub rank: Option<usize>,
}

impl LineCursor {
    /// Parses the cursor of an answer that was ordered by relevance, if `ranked`, or else by path.
    pub fn parse(cursor: &str, ranked: bool) -> Option<LineCursor> {
        let parse = || {
            let (rank, place) = match cursor.strip_prefix('r') {
                Some(rest) => {
                    let at = rest.find('l')?;
                    (Some(rest[..at].parse().ok()?), &rest[at..])
                }
                None => (None, cursor),
            };
            let (path, line) = parse_line_cursor(place)?;
            (rank.is_some() == ranked).then_some(LineCursor { path, line, rank })
        };
        parse()
    }

    /// The index in `files` and the line after which the next page begins. If the file is gone, the page begins with
    /// the file that came after it.
    pub fn place(&self, files: &[RelPath]) -> (usize, u32) {
        let place = match self.rank {
            Some(rank) => files.iter().position(|file| *file == self.path).ok_or(rank),
            None => files.binary_search(&self.path),
        };
        place.map_or_else(|behind| (behind, 0), |place| (place, self.line))
    }
}

impl std::fmt::Display for LineCursor {
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

/// Parses the line and the path of a cursor.
fn parse_line_cursor(cursor: &str) -> Option<(RelPath, u32)> {
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
                let behind = LineCursor { path: path.clone(), line: 17, rank: ranked.then_some(0) };
                let text = behind.to_string();
                assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/-_.%".contains(&byte)));
                assert_eq!(LineCursor::parse(&text, ranked).unwrap(), behind, "{text}");
                assert!(LineCursor::parse(&text, !ranked).is_none(), "{text}");
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
                assert_eq!(LineCursor::parse(bad, ranked), None, "{bad}");
            }
        }
    }

    #[test]
    fn a_page_goes_on_though_its_file_is_gone() {
        let files = ["c", "a", "d"].map(|path| RelPath::new(path).unwrap());
        let cursor = LineCursor::parse("r1l7-a", true).unwrap();
        assert_eq!(cursor.place(&files), (1, 7));
        assert_eq!(cursor.place(&[files[0].clone(), files[2].clone()]), (1, 0));
        let cursor = LineCursor::parse("l7-b", false).unwrap();
        assert_eq!(cursor.place(&["a", "c"].map(|path| RelPath::new(path).unwrap())), (1, 0));
    }
}
