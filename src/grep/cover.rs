//! What of a file's lines must not be shown, and a search of the file with that masked.
//!
//! Nothing is known of a file until a line of it is to be shown. Where one holds a secret, the file is searched again in
//! a copy with masks as long as what they stand for, and every match is looked for at the same place of what the file
//! really holds. So lines, counts, columns and offsets are those of the file, whatever is masked.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::io::{self, Read};

use encoding_rs::Encoding;
use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher, NoCaptures, NoError};
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};

use super::MAX_HEAP_BYTES;
use super::whole::Content;
use crate::path::RelPath;
use crate::read::{self, Ground};
use crate::secrets::{self, Block, SecretMask};
use crate::walk;

/// What is known of one file, once somebody asks.
pub(super) struct Covered<'c> {
    /// Whether anything is masked at all.
    masks: bool,
    ground: &'c Ground,
    path: &'c RelPath,
    /// The file, where it was read as a whole.
    bytes: Option<&'c [u8]>,
    cover: OnceCell<SecretMask>,
}

impl<'c> Covered<'c> {
    /// Of the file at `path`, with its bytes where they are known.
    pub fn new(masks: bool, ground: &'c Ground, path: &'c RelPath, bytes: Option<&'c [u8]>) -> Covered<'c> {
        Covered { masks, ground, path, bytes, cover: OnceCell::new() }
    }

    /// Whether a line has something to be masked.
    fn hides(&self, line: &[u8], at: u64) -> bool {
        self.line(line, at).is_some()
    }

    /// A line that begins at this byte, with its secrets masked; `None` where it holds none.
    pub fn line(&self, line: &[u8], at: u64) -> Option<Vec<u8>> {
        self.masks.then(|| self.cover().line(line, at)).flatten()
    }

    fn cover(&self) -> &SecretMask {
        self.cover.get_or_init(|| {
            let blocks = match self.bytes {
                Some(bytes) => Ok(secrets::blocks(&as_searched(bytes))),
                None => self.blocks_of_large(),
            };
            // A file that cannot be read a second time is not shown.
            let whole = walk::holds_secrets(self.path.as_str()) || blocks.is_err();
            SecretMask::new(self.path.as_str(), whole, blocks.unwrap_or_default())
        })
    }

    fn blocks_of_large(&self) -> io::Result<Vec<Block>> {
        let Ground::Folder(root) = self.ground else { return Ok(Vec::new()) };
        let mut file = read::open(&self.path.below(root))?.0;
        let mut mark = [0; 3];
        let n = file.read(&mut mark)?;
        if Encoding::for_bom(&mark[..n]).is_some() {
            return Ok(secrets::blocks(&as_searched(&self.all()?)));
        }
        secrets::blocks_of(mark[..n].chain(file))
    }

    /// All of a file.
    fn all(&self) -> io::Result<Cow<'c, [u8]>> {
        let root = match (self.bytes, self.ground) {
            (Some(bytes), _) => return Ok(Cow::Borrowed(bytes)),
            (None, Ground::Folder(root)) => root,
            (None, Ground::Tree(tree)) => {
                return Ok(Cow::Owned(tree.read(&read::entry_of(&**tree, self.path)?)?));
            }
        };
        let (file, len) = read::open(&self.path.below(root))?;
        if len > MAX_HEAP_BYTES as u64 {
            return Err(io::Error::other("it holds secrets and is too large to be shown with masks"));
        }
        let mut bytes = Vec::new();
        file.take(MAX_HEAP_BYTES as u64).read_to_end(&mut bytes)?;
        Ok(Cow::Owned(bytes))
    }

    /// The file with its secrets masked.
    pub fn masked(&self) -> io::Result<Masked> {
        let text = as_searched(&self.all()?).into_owned();
        let masked = secrets::mask_all(&text, self.cover());
        Ok(Masked { text, masked })
    }
}

/// A file's text, and a copy of it in which secrets are masked.
pub(super) struct Masked {
    text: Vec<u8>,
    masked: Vec<u8>,
}

/// What is searched, and with what.
pub(super) trait Searched {
    /// What finds matches in it.
    type Matcher: Matcher;
    /// The matcher of a printer, which highlights matches.
    fn matcher(&self) -> Self::Matcher;
    /// Searches it.
    fn search<S: Sink<Error = io::Error>>(&mut self, searcher: &mut Searcher, sink: S) -> io::Result<()>;
}

/// A file as it is.
pub(super) struct AsItIs<'f, 'w> {
    /// What is looked for.
    pub matcher: &'f RegexMatcher,
    /// The file.
    pub content: &'f mut Content<'w>,
}

impl<'f> Searched for AsItIs<'f, '_> {
    type Matcher = &'f RegexMatcher;

    fn matcher(&self) -> &'f RegexMatcher {
        self.matcher
    }

    fn search<S: Sink<Error = io::Error>>(&mut self, searcher: &mut Searcher, sink: S) -> io::Result<()> {
        self.content.search(searcher, self.matcher, sink)
    }
}

/// A file with masks.
pub(super) struct WithMasks<'f> {
    /// What is looked for.
    pub matcher: &'f RegexMatcher,
    /// The file.
    pub file: &'f Masked,
}

impl<'f> Searched for WithMasks<'f> {
    type Matcher = Behind<'f>;

    fn matcher(&self) -> Behind<'f> {
        Behind { matcher: self.matcher, masked: &self.file.masked, text: &self.file.text }
    }

    fn search<S: Sink<Error = io::Error>>(&mut self, searcher: &mut Searcher, sink: S) -> io::Result<()> {
        searcher.search_slice(self.matcher(), &self.file.masked, sink)
    }
}

/// The bytes that the searcher sees of a file: decoded by its mark, and only up to a NUL.
fn as_searched(bytes: &[u8]) -> Cow<'_, [u8]> {
    let text = match Encoding::for_bom(bytes) {
        Some((encoding, mark)) if encoding == encoding_rs::UTF_8 => Cow::Borrowed(&bytes[mark..]),
        Some((encoding, mark)) => {
            Cow::Owned(encoding.decode_without_bom_handling(&bytes[mark..]).0.into_owned().into_bytes())
        }
        None => Cow::Borrowed(bytes),
    };
    match (memchr::memchr(0, &text), text) {
        (None, text) => text,
        (Some(end), Cow::Borrowed(text)) => Cow::Borrowed(&text[..end]),
        (Some(end), Cow::Owned(mut text)) => {
            text.truncate(end);
            Cow::Owned(text)
        }
    }
}

/// Finds in a masked copy what the text behind it holds.
#[derive(Clone, Copy)]
pub(super) struct Behind<'b> {
    matcher: &'b RegexMatcher,
    masked: &'b [u8],
    text: &'b [u8],
}

impl<'b> Behind<'b> {
    /// What stands behind a part of the copy; a text from elsewhere stands for itself.
    fn of<'h>(&'h self, part: &'h [u8]) -> &'h [u8] {
        let at = (part.as_ptr() as usize).checked_sub(self.masked.as_ptr() as usize);
        at.and_then(|at| self.text.get(at..at + part.len())).unwrap_or(part)
    }
}

impl Matcher for Behind<'_> {
    type Captures = NoCaptures;
    type Error = NoError;

    fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, NoError> {
        self.matcher.find_at(self.of(haystack), at)
    }

    fn new_captures(&self) -> Result<NoCaptures, NoError> {
        Ok(NoCaptures::new())
    }

    fn shortest_match_at(&self, haystack: &[u8], at: usize) -> Result<Option<usize>, NoError> {
        self.matcher.shortest_match_at(self.of(haystack), at)
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        self.matcher.non_matching_bytes()
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        self.matcher.line_terminator()
    }

    fn find_candidate_line(&self, haystack: &[u8]) -> Result<Option<LineMatchKind>, NoError> {
        self.matcher.find_candidate_line(self.of(haystack))
    }
}

/// Passes lines on until one holds a secret.
pub(super) struct Guard<'g, S> {
    /// What gets them.
    pub sink: S,
    /// What is known of the file.
    pub covered: &'g Covered<'g>,
    /// Set when a line was held back.
    pub held: &'g Cell<bool>,
}

impl<S> Guard<'_, S> {
    fn holds(&self, lines: &[u8], mut at: u64) -> bool {
        let holds = lines.split_inclusive(|byte| *byte == b'\n').any(|line| {
            let hides = self.covered.hides(line, at);
            at += line.len() as u64;
            hides
        });
        self.held.set(self.held.get() || holds);
        holds
    }
}

impl<S: Sink> Sink for Guard<'_, S> {
    type Error = S::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> Result<bool, S::Error> {
        if self.holds(found.bytes(), found.absolute_byte_offset()) {
            return Ok(false);
        }
        self.sink.matched(searcher, found)
    }

    fn context(&mut self, searcher: &Searcher, line: &SinkContext<'_>) -> Result<bool, S::Error> {
        if self.holds(line.bytes(), line.absolute_byte_offset()) {
            return Ok(false);
        }
        self.sink.context(searcher, line)
    }

    fn context_break(&mut self, searcher: &Searcher) -> Result<bool, S::Error> {
        self.sink.context_break(searcher)
    }

    fn binary_data(&mut self, searcher: &Searcher, offset: u64) -> Result<bool, S::Error> {
        self.sink.binary_data(searcher, offset)
    }

    fn begin(&mut self, searcher: &Searcher) -> Result<bool, S::Error> {
        self.sink.begin(searcher)
    }

    fn finish(&mut self, searcher: &Searcher, finish: &SinkFinish) -> Result<(), S::Error> {
        self.sink.finish(searcher, finish)
    }
}
