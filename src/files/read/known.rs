//! Rereading text that was read before: the tests for text are not repeated, and if the file's stat data prove that its
//! content is unchanged, the content is not hashed either.

use std::cell::Cell;
use std::fs::{File, Metadata};
use std::io::Read;

use memchr::memmem::Finder;

use super::encoding::{HEAD_BYTES, TextEncoding};
use super::limits::Limits;
use crate::confined::RootFolder;
use spyhop_base::id::ContentHash;
use spyhop_base::path::RelPath;

/// A larger buffer is not kept for the next file.
const MAX_KEPT_BYTES: usize = 8 << 20;

thread_local! {
    /// The buffer of the files that this thread reads again, as long as the longest of them. The allocator gives the memory of a buffer
    /// that is dropped back to the system, and a page that the system clears takes longer than reading its bytes.
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// The result of rereading a file of known content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reread {
    /// The file has other content, or none.
    Changed,
    /// The file has the known content, which does not contain the text that was searched for.
    Without,
    /// The text, which may contain the wanted text.
    Text(String),
}

impl Reread {
    /// Decodes bytes that were text before. With `wanted`, a text that does not contain it is not returned.
    pub fn of(bytes: &[u8], wanted: Option<&Finder<'_>>) -> Reread {
        let head = &bytes[..bytes.len().min(HEAD_BYTES)];
        // A byte order mark begins with one of these, and UTF-16 without a mark is full of NUL bytes.
        let is_plain =
            !matches!(bytes.first(), Some(0xef | 0xfe | 0xff)) && memchr::memchr(0, head).is_none();
        // All remaining encodings encode ASCII as ASCII, and use these bytes for nothing else.
        if let Some(wanted) = wanted
            && is_plain
            && wanted.find(bytes).is_none()
            && (wanted.needle().is_ascii() || std::str::from_utf8(bytes).is_ok())
        {
            return Reread::Without;
        }
        let form = if is_plain { Ok(TextEncoding::Utf8 { bom: false }) } else { TextEncoding::of(bytes) };
        let text = form.and_then(|form| form.decode(bytes.to_vec()));
        text.map_or(Reread::Changed, |(text, _)| Reread::Text(text))
    }
}

/// Reads the file at `path` below `root`, whose content once had the hash `hash`. `matches_stat` decides by the metadata whether
/// the content is unchanged; if it returns false, the hash decides. With `wanted`, a text that does not contain it
/// is not returned.
pub fn reread(
    at: (&RootFolder, &RelPath),
    hash: ContentHash,
    matches_stat: impl FnOnce(&Metadata) -> bool,
    wanted: Option<&Finder<'_>>,
) -> Reread {
    let read = with_content(at, Limits::MAX_FILE_BYTES, |bytes, metadata| {
        let is_same = matches_stat(metadata) || ContentHash::of(bytes) == hash;
        if is_same { Reread::of(bytes, wanted) } else { Reread::Changed }
    });
    read.unwrap_or(Reread::Changed)
}

/// Calls `then` with the content and the metadata of the regular file at `path` below `root`. `None` if the file cannot be read, has more
/// than `max` bytes, or is written meanwhile.
pub fn with_content<R>(
    (root, path): (&RootFolder, &RelPath),
    max: u64,
    then: impl FnOnce(&[u8], &Metadata) -> R,
) -> Option<R> {
    let mut file = root.open(path).ok()?;
    let metadata = file.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > max {
        return None;
    }
    let len = usize::try_from(metadata.len()).ok()?;
    let mut buffer = BUFFER.take();
    if buffer.len() <= len {
        buffer.try_reserve(len + 1 - buffer.len()).ok()?;
        buffer.resize(len + 1, 0);
    }
    // One byte more, so that a file that has grown is noticed.
    let n_read = fill(&mut file, &mut buffer[..len + 1], len);
    let result = (n_read == Some(len)).then(|| then(&buffer[..len], &metadata));
    if buffer.len() <= MAX_KEPT_BYTES {
        BUFFER.set(buffer);
    }
    result
}

/// Reads until the end of the file, or until there are `enough` bytes or more. Returns their number.
fn fill(file: &mut File, bytes: &mut [u8], enough: usize) -> Option<usize> {
    let mut n_read = 0;
    while n_read < enough {
        match file.read(&mut bytes[n_read..]) {
            Ok(0) => break,
            Ok(n) => n_read += n,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    Some(n_read)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::read::outcome::ReadOutcome;
    use crate::read::tree_source::TreeSource;

    #[test]
    fn known_text_is_read_as_before_and_changed_text_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let (root, rel) = (RootFolder::new(dir.path()), RelPath::new("a.txt").unwrap());
        let (path, at) = (dir.path().join("a.txt"), (&root, &rel));
        let utf16: Vec<u8> = "ein Text in UTF-16".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let contents: [&[u8]; 7] = [
            b"one\ntwo and three\n",
            b"",
            b"one\ntwo\n",
            b"\xef\xbb\xbfmarked",
            b"\xff\xfea\0b\0",
            &utf16,
            b"na\xefve",
        ];
        let other = ContentHash::of(b"something else");
        for bytes in contents {
            fs::write(&path, bytes).unwrap();
            let ReadOutcome::Source(source) =
                TreeSource::Folder(RootFolder::new(dir.path())).read(&rel, &Limits::WANTED)
            else {
                panic!("{bytes:?} is text")
            };
            let text = Reread::Text(source.text);
            assert_eq!(reread(at, source.hash, |_| false, None), text);
            assert_eq!(reread(at, other, |_| false, None), Reread::Changed);
            assert_eq!(reread(at, other, |metadata| metadata.len() == bytes.len() as u64, None), text);
        }
        let none = |path: &str| reread((&root, &RelPath::new(path).unwrap()), other, |_| true, None);
        assert_eq!((none(""), none("none")), (Reread::Changed, Reread::Changed));
    }

    #[test]
    fn text_without_what_is_wanted_stays_where_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let (root, rel) = (RootFolder::new(dir.path()), RelPath::new("a.txt").unwrap());
        let path = dir.path().join("a.txt");
        let check = |bytes: &[u8], wanted: &str, expected: Option<&str>| {
            fs::write(&path, bytes).unwrap();
            let wanted = Finder::new(wanted);
            let found = reread((&root, &rel), ContentHash::of(bytes), |_| false, Some(&wanted));
            assert_eq!(found, expected.map_or(Reread::Without, |text| Reread::Text(text.to_string())));
        };
        check(b"one two", "two", Some("one two"));
        check(b"one two", "three", None);
        check("na\u{ef}ve".as_bytes(), "\u{ef}v", Some("na\u{ef}ve"));
        check("naive \u{ef}".as_bytes(), "\u{ef}v", None);
        check(b"die Gr\xf6\xdfe", "\u{f6}\u{df}", Some("die Gr\u{f6}\u{df}e"));
        check(b"die Gr\xf6\xdfe", "der", None);
        check(b"\xff\xfea\0b\0", "ab", Some("ab"));
    }
}
