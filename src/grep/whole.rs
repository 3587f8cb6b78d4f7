//! Searching a file that was read as a whole: one system call in place of four, no copies of lines, and a second search
//! without reading the file again.

use std::fs::File;
use std::io::{self, Read, Seek};

use grep_cli::{CommandReader, DecompressionMatcher};
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink};

use super::pattern::MAX_HEAP_BYTES;
use spyhop_base::path::RelPath;
use spyhop_files::read::{self, TreeSource};

/// A larger file is streamed through the searcher's buffer, and read a second time for the secrets around its lines. Seven
/// files of kubernetes have more than 4 MiB; reading them twice took a tenth of a search that shows a line of each.
const MAX_WHOLE_BYTES: u64 = 8 << 20;

/// How files are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Whether a compressed file is searched in its decompressed form. The program for the format is run, such as `gzip`.
    pub zip: bool,
    /// Whether a NUL byte is looked for as in a mapped file: among the first bytes and in matching lines.
    pub as_mapped: bool,
}

/// The read buffer of a thread, reused for each file.
pub(super) struct Whole {
    bytes: Vec<u8>,
    zip: Option<DecompressionMatcher>,
    as_mapped: bool,
    is_encoded: bool,
}

impl Whole {
    /// A buffer for files that are read in a way; `is_encoded` says whether they are decoded from an encoding of the request.
    pub fn new(reading: Reading, is_encoded: bool) -> Whole {
        let zip = reading.zip.then(DecompressionMatcher::new);
        Whole { bytes: Vec::new(), zip, as_mapped: reading.as_mapped, is_encoded }
    }

    /// Opens the file at `path`. A file is read as a whole, except for a large file of a folder.
    pub fn open(&mut self, source_tree: &TreeSource, path: &RelPath) -> io::Result<OpenContent<'_>> {
        let (as_mapped, is_encoded) = (self.as_mapped, self.is_encoded);
        let (mut file, len) = match source_tree {
            TreeSource::Folder(_) => source_tree.open(path)?,
            TreeSource::Tree(tree) => {
                self.bytes = tree.read(&read::entry_of(&**tree, path)?)?;
                return Ok(OpenContent::Read { bytes: &self.bytes, as_mapped, is_encoded });
            }
        };
        // The program gets the open file, because another file may be at the path by now. Without the program the file is
        // searched as it is.
        if let Some(mut command) = self.zip.as_ref().and_then(|zip| zip.command(path.as_str()))
            && let Ok(mut unzipped) = CommandReader::new(command.stdin(file.try_clone()?))
        {
            self.bytes.clear();
            let limit = MAX_HEAP_BYTES as u64;
            (&mut unzipped).take(limit + 1).read_to_end(&mut self.bytes)?;
            if self.bytes.len() as u64 > limit {
                return Err(io::Error::other(format!("its decompressed content is above {limit} bytes")));
            }
            unzipped.close()?;
            return Ok(OpenContent::Read { bytes: &self.bytes, as_mapped: false, is_encoded });
        }
        let most = if as_mapped { MAX_HEAP_BYTES as u64 } else { MAX_WHOLE_BYTES };
        if len > most {
            return Ok(OpenContent::Large(file));
        }
        Ok(OpenContent::Read { bytes: self.fill(&mut file, len as usize)?, as_mapped, is_encoded })
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
    Read {
        bytes: &'w [u8],
        /// Whether a NUL byte is looked for as in a mapped file.
        as_mapped: bool,
        /// Whether the content is decoded from an encoding of the request.
        is_encoded: bool,
    },
    /// A file that is too large to be read as a whole.
    Large(File),
}

impl<'w> OpenContent<'w> {
    /// The bytes, if the file was read as a whole.
    pub fn bytes(&self) -> Option<&'w [u8]> {
        match self {
            OpenContent::Read { bytes, .. } => Some(bytes),
            OpenContent::Large(_) => None,
        }
    }

    /// Searches the file, with the results that a streaming search has.
    ///
    /// A searcher that streams keeps a buffer as long as the longest line so far, and how far it reads ahead decides what
    /// it reports before a NUL byte. A copy of the searcher streams, so that no file affects another one.
    pub fn search<S: Sink<Error = io::Error>>(
        &mut self,
        searcher: &mut Searcher,
        matcher: &RegexMatcher,
        sink: S,
    ) -> io::Result<()> {
        match self {
            OpenContent::Large(file) => {
                file.rewind()?;
                searcher.clone().search_file(matcher, file, sink)
            }
            // Only a streaming search ends at a NUL byte.
            OpenContent::Read { bytes, as_mapped, is_encoded } => {
                let has_mark = matches!(bytes.first(), Some(0xef | 0xfe | 0xff));
                match memchr::memchr(0, bytes).filter(|_| !*as_mapped) {
                    Some(_) => searcher.clone().search_reader(matcher, *bytes, sink),
                    None if *is_encoded || has_mark => searcher.clone().search_slice(matcher, bytes, sink),
                    None => searcher.search_slice(matcher, bytes, sink),
                }
            }
        }
    }
}
