//! The secrets in a file's lines, and the search of a copy in which the secrets are masked.
//!
//! A search shows few lines of most files, so the file is scanned for secrets only if a line cannot be judged otherwise
//! ([`LineCheck`]), and tokens are looked for in many lines at once. If a line contains a secret, the file is searched again
//! in a masked copy. A mask has as many bytes as the secret, and the matcher reads the original bytes at the same
//! offset. So masks change no line, count, column or offset.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::hash::BuildHasher;
use std::io::{self, Read};

use encoding_rs::Encoding;
use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher, NoCaptures, NoError};
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};
use rustc_hash::FxBuildHasher;

use super::pattern::MAX_HEAP_BYTES;
use super::whole::OpenContent;
use crate::secrets::{self, LineCheck, SecretMask};
use spyhop_base::path::RelPath;
use spyhop_files::read::{self, TreeSource};
use spyhop_files::walk;

/// The secrets of a file, determined when they are first needed.
pub(super) struct Covered<'c> {
    masks: bool,
    source_tree: &'c TreeSource,
    path: &'c RelPath,
    /// The content, if the file was read as a whole.
    bytes: Option<&'c [u8]>,
    /// The mask that follows from the name of the file alone.
    by_name: OnceCell<SecretMask>,
    check: Option<LineCheck<'c>>,
    mask: OnceCell<SecretMask>,
}

impl<'c> Covered<'c> {
    /// The secrets of the file at `path`. `bytes` is the content, if it was read.
    pub fn new(
        masks: bool,
        source_tree: &'c TreeSource,
        path: &'c RelPath,
        bytes: Option<&'c [u8]>,
    ) -> Covered<'c> {
        let check = bytes.filter(|bytes| Encoding::for_bom(bytes).is_none()).map(LineCheck::new);
        Covered { masks, source_tree, path, bytes, by_name: OnceCell::new(), check, mask: OnceCell::new() }
    }

    /// Whether the line that begins at byte `at` contains a secret that is not a token.
    fn has_value(&self, line: &[u8], at: u64) -> bool {
        self.holds_value(line) || self.has_block(line, at)
    }

    /// Whether a line contains a secret apart from tokens and blocks.
    fn holds_value(&self, line: &[u8]) -> bool {
        self.by_name().holds_value(line)
    }

    /// Whether a block overlaps the line that begins at byte `at`.
    fn has_block(&self, line: &[u8], at: u64) -> bool {
        let known = self.check.as_ref().and_then(|check| check.has_block(line, at));
        known.unwrap_or_else(|| self.mask().has_block(line, at))
    }

    /// The mask that the name of the file demands for its lines, or the whole mask, if the file cannot be checked line by line.
    fn by_name(&self) -> &SecretMask {
        if self.check.is_none() {
            return self.mask();
        }
        self.by_name.get_or_init(|| {
            let path = self.path.as_str();
            SecretMask::new(path, walk::holds_secrets(path), Vec::new())
        })
    }

    /// The line that begins at byte `at`, with its secrets masked; `None` if the line contains none.
    pub fn line(&self, line: &[u8], at: u64) -> Option<Vec<u8>> {
        let has_secret = self.masks && (secrets::hold_tokens(line) || self.has_value(line, at));
        has_secret.then(|| self.mask().line(line, at)).flatten()
    }

    fn mask(&self) -> &SecretMask {
        self.mask.get_or_init(|| {
            let blocks = match self.bytes {
                // A search may go on after a NUL byte.
                Some(bytes) => Ok(secrets::blocks(&decoded(bytes))),
                None => self.blocks_of_large(),
            };
            // Every value of a file that cannot be read a second time is masked.
            let whole = walk::holds_secrets(self.path.as_str()) || blocks.is_err();
            SecretMask::new(self.path.as_str(), whole, blocks.unwrap_or_default())
        })
    }

    fn blocks_of_large(&self) -> io::Result<Vec<secrets::SecretBlock>> {
        if self.source_tree.folder().is_none() {
            return Ok(Vec::new());
        }
        let mut file = self.source_tree.open(self.path)?.0;
        let mut bom = [0; 3];
        let n = file.read(&mut bom)?;
        if Encoding::for_bom(&bom[..n]).is_some() {
            return Ok(secrets::blocks(&as_searched(&self.content()?)));
        }
        secrets::blocks_of(bom[..n].chain(file))
    }

    /// The whole content of the file.
    fn content(&self) -> io::Result<Cow<'c, [u8]>> {
        match (self.bytes, self.source_tree) {
            (Some(bytes), _) => return Ok(Cow::Borrowed(bytes)),
            (None, TreeSource::Tree(tree)) => {
                return Ok(Cow::Owned(tree.read(&read::entry_of(&**tree, self.path)?)?));
            }
            (None, TreeSource::Folder(_)) => {}
        }
        let (file, len) = self.source_tree.open(self.path)?;
        if len > MAX_HEAP_BYTES as u64 {
            return Err(io::Error::other("it holds secrets and is too large to be shown with masks"));
        }
        let mut bytes = Vec::new();
        file.take(MAX_HEAP_BYTES as u64).read_to_end(&mut bytes)?;
        Ok(Cow::Owned(bytes))
    }

    /// The file with its secrets masked.
    pub fn masked(&self) -> io::Result<Masked> {
        let text = as_searched(&self.content()?).into_owned();
        let masked = secrets::mask_all(&text, self.mask());
        Ok(Masked { text, masked })
    }
}

/// The text of a file, and a copy in which the secrets are masked.
pub(super) struct Masked {
    text: Vec<u8>,
    masked: Vec<u8>,
}

/// A text to search, with its matcher.
pub(super) trait Searched {
    type Matcher: Matcher;
    /// The matcher with which a printer highlights matches.
    fn matcher(&self) -> Self::Matcher;
    fn search<S: Sink<Error = io::Error>>(&mut self, searcher: &mut Searcher, sink: S) -> io::Result<()>;
}

/// A file without masks.
pub(super) struct PlainFile<'f, 'w> {
    pub matcher: &'f RegexMatcher,
    pub content: &'f mut OpenContent<'w>,
}

impl<'f> Searched for PlainFile<'f, '_> {
    type Matcher = &'f RegexMatcher;

    fn matcher(&self) -> &'f RegexMatcher {
        self.matcher
    }

    fn search<S: Sink<Error = io::Error>>(&mut self, searcher: &mut Searcher, sink: S) -> io::Result<()> {
        self.content.search(searcher, self.matcher, sink)
    }
}

/// A file with its secrets masked.
pub(super) struct MaskedFile<'f> {
    pub matcher: &'f RegexMatcher,
    /// The text and its masked copy.
    pub file: &'f Masked,
}

impl<'f> Searched for MaskedFile<'f> {
    type Matcher = UnmaskedMatcher<'f>;

    fn matcher(&self) -> UnmaskedMatcher<'f> {
        UnmaskedMatcher { matcher: self.matcher, masked: &self.file.masked, text: &self.file.text }
    }

    fn search<S: Sink<Error = io::Error>>(&mut self, searcher: &mut Searcher, sink: S) -> io::Result<()> {
        searcher.search_slice(self.matcher(), &self.file.masked, sink)
    }
}

/// The bytes of a file as the searcher sees them: decoded by the byte order mark, and only up to a NUL.
fn as_searched(bytes: &[u8]) -> Cow<'_, [u8]> {
    let text = decoded(bytes);
    match (memchr::memchr(0, &text), text) {
        (None, text) => text,
        (Some(end), Cow::Borrowed(text)) => Cow::Borrowed(&text[..end]),
        (Some(end), Cow::Owned(mut text)) => {
            text.truncate(end);
            Cow::Owned(text)
        }
    }
}

/// The bytes of a file, decoded by the byte order mark.
fn decoded(bytes: &[u8]) -> Cow<'_, [u8]> {
    match Encoding::for_bom(bytes) {
        Some((encoding, bom)) if encoding == encoding_rs::UTF_8 => Cow::Borrowed(&bytes[bom..]),
        Some((encoding, bom)) => {
            Cow::Owned(encoding.decode_without_bom_handling(&bytes[bom..]).0.into_owned().into_bytes())
        }
        None => Cow::Borrowed(bytes),
    }
}

/// Searches a masked copy for the matches in the original text.
#[derive(Clone, Copy)]
pub(super) struct UnmaskedMatcher<'b> {
    matcher: &'b RegexMatcher,
    masked: &'b [u8],
    text: &'b [u8],
}

impl<'b> UnmaskedMatcher<'b> {
    /// The original bytes of a part of the copy. Bytes from elsewhere are returned unchanged.
    fn original<'h>(&'h self, part: &'h [u8]) -> &'h [u8] {
        let at = (part.as_ptr() as usize).checked_sub(self.masked.as_ptr() as usize);
        at.and_then(|at| self.text.get(at..at + part.len())).unwrap_or(part)
    }
}

impl Matcher for UnmaskedMatcher<'_> {
    type Captures = NoCaptures;
    type Error = NoError;

    fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, NoError> {
        self.matcher.find_at(self.original(haystack), at)
    }

    fn new_captures(&self) -> Result<NoCaptures, NoError> {
        Ok(NoCaptures::new())
    }

    fn shortest_match_at(&self, haystack: &[u8], at: usize) -> Result<Option<usize>, NoError> {
        self.matcher.shortest_match_at(self.original(haystack), at)
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        self.matcher.non_matching_bytes()
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        self.matcher.line_terminator()
    }

    fn find_candidate_line(&self, haystack: &[u8]) -> Result<Option<LineMatchKind>, NoError> {
        self.matcher.find_candidate_line(self.original(haystack))
    }
}

/// Passes lines on up to a line with a secret, and possibly a few lines more.
pub(super) struct SecretGuard<'g, S> {
    /// Receives the lines.
    pub sink: S,
    pub covered: &'g Covered<'g>,
    /// The lines that were passed on.
    pub passed: &'g PassedLines,
}

/// The size from which on the lines that were passed on are searched for tokens.
const MAX_PASSED_BYTES: usize = 64 << 10;

/// The number of lines that are remembered as free of secrets, and the most bytes of such a line.
const CLEAR_LINES: usize = 4096;
const MAX_CLEAR_BYTES: usize = 160;

/// Lines that are known to be free of secrets: each at the place that its hash names, where a later line replaces it. So
/// lines with equal hashes, which a hostile tree can contain, cost no time.
#[derive(Default)]
struct ClearLines {
    lines: Vec<Vec<u8>>,
}

impl ClearLines {
    fn place(line: &[u8]) -> usize {
        FxBuildHasher.hash_one(line) as usize % CLEAR_LINES
    }

    fn contains(&self, line: &[u8]) -> bool {
        line.len() <= MAX_CLEAR_BYTES && self.lines.get(Self::place(line)).is_some_and(|known| known == line)
    }

    fn add(&mut self, line: &[u8]) {
        if line.len() <= MAX_CLEAR_BYTES {
            self.lines.resize(CLEAR_LINES, Vec::new());
            let known = &mut self.lines[Self::place(line)];
            known.clear();
            known.extend_from_slice(line);
        }
    }

    fn clear(&mut self) {
        self.lines.clear();
    }
}

/// Lines that were passed on and are not searched for tokens yet: one search of many lines is faster than a search of each.
#[derive(Default)]
pub(super) struct PassedLines {
    lines: RefCell<Vec<u8>>,
    held: Cell<bool>,
    /// Lines without values and tokens, in files whose names say nothing of secrets. Code repeats itself: of the lines with
    /// `return` in kubernetes, seven in ten are lines of this set. Lines that are not searched for tokens yet are in the
    /// set too, because nothing is shown before [`PassedLines::end`]; the set is emptied if a token is found.
    clear: RefCell<ClearLines>,
}

impl PassedLines {
    /// Adds a line that is passed on. An ordinary line is one of a file whose name says nothing of secrets: the line counts
    /// as clear before the search for tokens, so that a search that finds a token forgets the line too.
    fn pass(&self, line: &[u8], is_ordinary: bool) {
        if is_ordinary {
            self.clear.borrow_mut().add(line);
        }
        // A long line is not copied.
        if line.len() >= MAX_PASSED_BYTES {
            self.search();
            return self.search_in(line);
        }
        let mut lines = self.lines.borrow_mut();
        if lines.last().is_some_and(|last| *last != b'\n') {
            lines.push(b'\n');
        }
        lines.extend_from_slice(line);
        if lines.len() >= MAX_PASSED_BYTES {
            drop(lines);
            self.search();
        }
    }

    /// Searches the lines for tokens.
    fn search(&self) {
        let mut lines = self.lines.borrow_mut();
        self.search_in(&lines);
        lines.clear();
    }

    fn search_in(&self, lines: &[u8]) {
        if secrets::hold_tokens(lines) {
            self.held.set(true);
            self.clear.borrow_mut().clear();
        }
    }

    /// Whether a line contains a secret, so that nothing that was passed on may be shown. Forgets all lines.
    pub fn end(&self) -> bool {
        self.search();
        self.held.take()
    }
}

impl<S> SecretGuard<'_, S> {
    fn holds_back(&self, lines: &[u8], mut at: u64) -> bool {
        if !self.covered.masks {
            return false;
        }
        let is_ordinary = self.covered.by_name().is_ordinary();
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            let is_clear = is_ordinary && self.passed.clear.borrow().contains(line);
            if (!is_clear && self.covered.holds_value(line)) || self.covered.has_block(line, at) {
                self.passed.held.set(true);
            } else if !is_clear {
                self.passed.pass(line, is_ordinary);
            }
            at += line.len() as u64;
        }
        self.passed.held.get()
    }
}

impl<S: Sink> Sink for SecretGuard<'_, S> {
    type Error = S::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> Result<bool, S::Error> {
        if self.holds_back(found.bytes(), found.absolute_byte_offset()) {
            return Ok(false);
        }
        self.sink.matched(searcher, found)
    }

    fn context(&mut self, searcher: &Searcher, line: &SinkContext<'_>) -> Result<bool, S::Error> {
        if self.holds_back(line.bytes(), line.absolute_byte_offset()) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A line with a token of a known form, made here so that none which looks real stands in this repository.
    fn token_line() -> Vec<u8> {
        let signs: String =
            (0..36).map(|at| char::from(b"kQ7xT2mZ9bWc4LrV"[(at * 7 + at / 5) % 16])).collect();
        format!("    harbour(\"gh{}_{signs}\");\n", "p").into_bytes()
    }

    #[test]
    fn a_line_is_clear_until_another_takes_its_place() {
        let mut clear = ClearLines::default();
        assert!(!clear.contains(b"\n"));
        clear.add(b"return nil\n");
        assert!(clear.contains(b"return nil\n") && !clear.contains(b"return nil"));
        let long = vec![b'x'; MAX_CLEAR_BYTES + 1];
        clear.add(&long);
        assert!(!clear.contains(&long));
        for number in 0..20 * CLEAR_LINES {
            clear.add(format!("return {number}\n").as_bytes());
        }
        assert_eq!(clear.lines.len(), CLEAR_LINES);
        assert!(!clear.contains(b"return nil\n"));
    }

    #[test]
    fn a_token_takes_the_lines_before_it_from_the_clear_ones() {
        let (passed, token) = (PassedLines::default(), token_line());
        for line in [b"return nil\n", &token[..]] {
            passed.pass(line, true);
        }
        assert!(passed.end(), "{}", String::from_utf8_lossy(&token));
        assert!(!passed.clear.borrow().contains(&token) && !passed.clear.borrow().contains(b"return nil\n"));
        assert!(!passed.end());
    }

    #[test]
    fn a_token_in_the_line_that_begins_a_search_is_not_clear() {
        let (passed, token) = (PassedLines::default(), token_line());
        let mut size = 0;
        for number in 0.. {
            let line = format!("    harbour(\"mooring {number}\");\n");
            if size + line.len() + token.len() > MAX_PASSED_BYTES {
                break;
            }
            size += line.len();
            passed.pass(line.as_bytes(), true);
        }
        let filler = format!("{}\n", "x".repeat(MAX_PASSED_BYTES - size - 2));
        passed.pass(filler.as_bytes(), true);
        assert!(!passed.held.get(), "the lines before the token begin no search");
        passed.pass(&token, true);
        assert!(passed.held.get(), "the line with the token begins the search");
        assert!(!passed.clear.borrow().contains(&token));
        assert!(passed.end());
    }
}
