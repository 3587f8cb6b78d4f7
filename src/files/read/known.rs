//! Rereading text that was read before: the tests for text are not repeated, and if the file's stat data prove that its
//! content is unchanged, the content is not hashed either.

use std::fs::{File, Metadata};
use std::io::Read;

use memchr::memmem::Finder;

use super::encoding::{HEAD_BYTES, TextEncoding};
use super::limits::Limits;
use crate::confined::RootFolder;
use spyhop_base::id::ContentHash;
use spyhop_base::path::RelPath;

/// Reads files of known content, one after the other, into the same buffer.
#[derive(Default)]
pub struct Rereader {
    /// The buffer, as long as the longest file so far.
    bytes: Vec<u8>,
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

impl Rereader {
    /// Reads the file at `path` below `root`, whose content once had the hash `hash`. `matches_stat` decides by the metadata whether
    /// the content is unchanged; if it returns false, the hash decides. With `wanted`, a text that does not contain it
    /// is not returned.
    pub fn read(
        &mut self,
        (root, path): (&RootFolder, &RelPath),
        hash: ContentHash,
        matches_stat: impl FnOnce(&Metadata) -> bool,
        wanted: Option<&Finder<'_>>,
    ) -> Reread {
        let Some((bytes, metadata)) = self.content(root, path) else { return Reread::Changed };
        if !matches_stat(&metadata) && ContentHash::of(bytes) != hash {
            return Reread::Changed;
        }
        Reread::of(bytes, wanted)
    }

    /// The bytes of the file at `path` below `root`, if their hash is `hash`.
    pub fn bytes(&mut self, root: &RootFolder, path: &RelPath, hash: ContentHash) -> Option<&[u8]> {
        let (bytes, _) = self.content(root, path)?;
        (ContentHash::of(bytes) == hash).then_some(bytes)
    }

    fn content(&mut self, root: &RootFolder, path: &RelPath) -> Option<(&[u8], Metadata)> {
        let mut file = root.open(path).ok()?;
        let metadata = file.metadata().ok()?;
        if !metadata.is_file() || metadata.len() > Limits::MAX_FILE_BYTES {
            return None;
        }
        let len = usize::try_from(metadata.len()).ok()?;
        if self.bytes.len() <= len {
            self.bytes.try_reserve(len + 1 - self.bytes.len()).ok()?;
            self.bytes.resize(len + 1, 0);
        }
        // One byte more, so that a file that has grown is noticed.
        let n_read = fill(&mut file, &mut self.bytes[..len + 1], len)?;
        (n_read == len).then(|| (&self.bytes[..len], metadata))
    }
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
        let mut again = Rereader::default();
        let other = ContentHash::of(b"something else");
        for bytes in contents {
            fs::write(&path, bytes).unwrap();
            let ReadOutcome::Source(source) =
                TreeSource::Folder(RootFolder::new(dir.path())).read(&rel, &Limits::WANTED)
            else {
                panic!("{bytes:?} is text")
            };
            let text = Reread::Text(source.text);
            assert_eq!(again.read(at, source.hash, |_| false, None), text);
            assert_eq!(again.read(at, other, |_| false, None), Reread::Changed);
            assert_eq!(again.read(at, other, |metadata| metadata.len() == bytes.len() as u64, None), text);
        }
        let mut none = |path: &str| again.read((&root, &RelPath::new(path).unwrap()), other, |_| true, None);
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
            let found =
                Rereader::default().read((&root, &rel), ContentHash::of(bytes), |_| false, Some(&wanted));
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
