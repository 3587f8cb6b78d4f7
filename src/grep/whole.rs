//! Searching a file that was read as a whole: one system call in place of four, no copies of lines, and a second search
//! without reading the file again.

use std::fs::File;
use std::io::{self, Read, Seek};

use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink};

use crate::path::RelPath;
use crate::read::{self, SourceTree};

/// A larger file is streamed through the searcher's buffer.
const MAX_WHOLE_BYTES: u64 = 4 << 20;

/// The read buffer of a thread, reused for each file.
#[derive(Default)]
pub(super) struct Whole {
    bytes: Vec<u8>,
}

impl Whole {
    /// Opens the file at `path`. A file is read as a whole, except for a large file of a folder.
    pub fn open(&mut self, source_tree: &SourceTree, path: &RelPath) -> io::Result<OpenContent<'_>> {
        let (mut file, len) = match source_tree {
            SourceTree::Folder(_) | SourceTree::Followed(_) => source_tree.open(path)?,
            SourceTree::Tree(tree) => {
                self.bytes = tree.read(&read::entry_of(&**tree, path)?)?;
                return Ok(OpenContent::Read(&self.bytes));
            }
        };
        if len > MAX_WHOLE_BYTES {
            return Ok(OpenContent::Large(file));
        }
        Ok(OpenContent::Read(self.fill(&mut file, len as usize)?))
    }

    /// Reads a file that had `len` bytes when it was opened.
    fn fill(&mut self, file: &mut impl Read, len: usize) -> io::Result<&[u8]> {
        // One additional byte shows whether the file has grown.
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
            // The file has grown since it was opened.
            if filled == self.bytes.len() {
                self.bytes.resize(filled * 2, 0);
            }
        }
        Ok(&self.bytes[..filled])
    }
}

/// An open file, which may be searched several times.
pub(super) enum OpenContent<'w> {
    /// A file that was read as a whole.
    Read(&'w [u8]),
    /// A file that is too large to be read as a whole.
    Large(File),
}

impl<'w> OpenContent<'w> {
    /// The bytes, if the file was read as a whole.
    pub fn bytes(&self) -> Option<&'w [u8]> {
        match self {
            OpenContent::Read(bytes) => Some(bytes),
            OpenContent::Large(_) => None,
        }
    }

    /// Searches the file, with the results that a streaming search has.
    pub fn search<S: Sink<Error = io::Error>>(
        &mut self,
        searcher: &mut Searcher,
        matcher: &RegexMatcher,
        sink: S,
    ) -> io::Result<()> {
        match self {
            OpenContent::Large(file) => {
                file.rewind()?;
                searcher.search_file(matcher, file, sink)
            }
            // Only a streaming search ends at a NUL byte.
            OpenContent::Read(bytes) => match memchr::memchr(0, bytes) {
                None => searcher.search_slice(matcher, bytes, sink),
                Some(_) => searcher.search_reader(matcher, *bytes, sink),
            },
        }
    }
}
