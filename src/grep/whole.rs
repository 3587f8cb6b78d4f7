//! Searching a file that was read as a whole: one call of the system in place of four, and no copying of lines.

use std::io::{self, Read};
use std::path::Path;

use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink};

use crate::read;

/// A larger file is searched piece by piece.
const MAX_WHOLE_BYTES: u64 = 4 << 20;

/// A thread's memory for files.
#[derive(Default)]
pub(super) struct Whole {
    bytes: Vec<u8>,
}

impl Whole {
    /// Searches the file at `path`, with what a search piece by piece finds in it.
    pub fn search<S: Sink<Error = io::Error>>(
        &mut self,
        path: &Path,
        searcher: &mut Searcher,
        matcher: &RegexMatcher,
        sink: S,
    ) -> io::Result<()> {
        let (mut file, len) = read::open(path)?;
        if len > MAX_WHOLE_BYTES {
            return searcher.search_file(matcher, &file, sink);
        }
        let bytes = self.fill(&mut file, len as usize)?;
        // Only piece by piece does a NUL byte end a search where it stands.
        match memchr::memchr(0, bytes) {
            None => searcher.search_slice(matcher, bytes, sink),
            Some(_) => searcher.search_reader(matcher, bytes, sink),
        }
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
