//! Searching a file that was read as a whole: one call of the system in place of four, no copying of lines, and a
//! second search for nothing.

use std::fs::File;
use std::io::{self, Read, Seek};

use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink};

use crate::path::RelPath;
use crate::read::{self, Ground};

/// A larger file is searched piece by piece.
const MAX_WHOLE_BYTES: u64 = 4 << 20;

/// A thread's memory for files.
#[derive(Default)]
pub(super) struct Whole {
    bytes: Vec<u8>,
}

impl Whole {
    /// Opens the file at `path`, and reads it unless it is large and lies in a folder.
    pub fn open(&mut self, ground: &Ground, path: &RelPath) -> io::Result<Content<'_>> {
        let (mut file, len) = match ground {
            Ground::Folder(root) => read::open(&path.below(root))?,
            Ground::Tree(tree) => {
                self.bytes = tree.read(&read::entry_of(&**tree, path)?)?;
                return Ok(Content::Read(&self.bytes));
            }
        };
        if len > MAX_WHOLE_BYTES {
            return Ok(Content::Large(file));
        }
        Ok(Content::Read(self.fill(&mut file, len as usize)?))
    }

    /// Reads a file that had `len` bytes when it was opened.
    fn fill(&mut self, file: &mut impl Read, len: usize) -> io::Result<&[u8]> {
        // One byte more tells whether there is more.
        if self.bytes.len() <= len {
            self.bytes.resize(len + 1, 0);
        }
        let mut filled = 0;
        loop {
            match file.read(&mut self.bytes[filled..]) {
                Ok(0) => break,
                Ok(n) => filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            if filled == len {
                break;
            }
            // It has grown meanwhile.
            if filled == self.bytes.len() {
                self.bytes.resize(filled * 2, 0);
            }
        }
        Ok(&self.bytes[..filled])
    }
}

/// A file that is open, and may be searched again.
pub(super) enum Content<'w> {
    /// Its bytes.
    Read(&'w [u8]),
    /// Too many to be held.
    Large(File),
}

impl<'w> Content<'w> {
    /// Its bytes, where they were read.
    pub fn bytes(&self) -> Option<&'w [u8]> {
        match self {
            Content::Read(bytes) => Some(bytes),
            Content::Large(_) => None,
        }
    }

    /// Finds what a search piece by piece finds.
    pub fn search<S: Sink<Error = io::Error>>(
        &mut self,
        searcher: &mut Searcher,
        matcher: &RegexMatcher,
        sink: S,
    ) -> io::Result<()> {
        match self {
            Content::Large(file) => {
                file.rewind()?;
                searcher.search_file(matcher, file, sink)
            }
            // Only piece by piece does a NUL byte end a search where it stands.
            Content::Read(bytes) => match memchr::memchr(0, bytes) {
                None => searcher.search_slice(matcher, bytes, sink),
                Some(_) => searcher.search_reader(matcher, *bytes, sink),
            },
        }
    }
}
