//! Values that look like secrets, and their masks.
//!
//! This module owns the recognition of secrets in a line of text and their masks. Callers that cut text of files for a
//! reply decide which texts are scanned: text that is not shown is not scanned. Patterns are data, in `patterns.toml`.
//! A pattern is compiled when a line first contains a literal prefix of its values, so a process that never meets one
//! pays nothing. Randomness alone never makes a secret: a token has its issuer's form, and any other value needs a name
//! in front of it that says what it is.
//!
//! A mask has as many bytes as the text that it replaces. So lines, columns, highlights and offsets are the same with
//! and without masks, and mean the same in the file and in the answer.

mod around;
mod assign;
mod block;
mod call;
mod command;
mod file;
mod judge;
mod line;
mod line_check;
mod name;
mod near;
mod secret;
mod table;

pub use file::MaskScope;
pub(crate) use line::hold_tokens;
pub(crate) use line_check::LineCheck;
pub use secret::{Secret, SecretBlock};

use std::borrow::Cow;
use std::io::{self, Read};
use std::ops::Range;

/// The secrets in `bytes` that cannot be recognized from a single line: private keys, and values on the line after
/// their names. The blocks are sorted by position and do not overlap.
pub fn blocks(bytes: &[u8]) -> Vec<SecretBlock> {
    let mut found = Vec::new();
    block::find(bytes, &mut found);
    around::find(bytes, &mut found);
    merged(found)
}

/// The number of bytes around the start of a block that are searched in a large file: more than a private key has.
const REACH: usize = 64 << 10;
/// The size of the pieces in which a large file is searched.
const PIECE: usize = 1 << 20;

/// The blocks of a file that is too large to be held in memory.
pub fn blocks_of(mut file: impl Read) -> io::Result<Vec<SecretBlock>> {
    let (mut found, mut piece, mut at) = (Vec::new(), Vec::new(), 0);
    loop {
        let wanted = PIECE + 2 * REACH - piece.len();
        let read = file.by_ref().take(wanted as u64).read_to_end(&mut piece)?;
        let is_last = read < wanted;
        // A block belongs to the piece that contains enough text around it.
        let from = if at == 0 { 0 } else { REACH };
        let to = if is_last { piece.len() + 1 } else { piece.len() - REACH };
        let here =
            blocks(&piece).into_iter().filter(|block| (from..to).contains(&(block.span.start as usize)));
        found.extend(
            here.map(|block| SecretBlock { span: at + block.span.start..at + block.span.end, ..block }),
        );
        if is_last {
            return Ok(merged(found));
        }
        let done = to - REACH;
        piece.drain(..done);
        at += done as u64;
    }
}

/// Sorts blocks, and merges those that overlap.
fn merged(mut blocks: Vec<SecretBlock>) -> Vec<SecretBlock> {
    blocks.sort_by_key(|block| (block.span.start, std::cmp::Reverse(block.span.end)));
    blocks.dedup_by(|next, kept| {
        let overlap = next.span.start < kept.span.end;
        kept.span.end = if overlap { kept.span.end.max(next.span.end) } else { kept.span.end };
        overlap
    });
    blocks
}

/// The masking rules for a file whose lines are shown.
#[derive(Debug, Default)]
pub struct SecretMask {
    /// Whether the file, by its name, contains nothing but secrets, so that every value is masked.
    pub whole: bool,
    /// How strictly values are masked otherwise.
    pub scope: MaskScope,
    /// The [`blocks`] of the file, in order.
    pub blocks: Vec<SecretBlock>,
}

impl SecretMask {
    /// The mask for the file at `path`; `whole` says whether the walk counts the file as a file of secrets.
    pub fn new(path: &str, whole: bool, blocks: Vec<SecretBlock>) -> SecretMask {
        SecretMask { whole, scope: file::scope(path), blocks }
    }

    /// A line, which begins at byte `at` of the file, with its secrets masked; `None` if it contains none.
    pub fn line(&self, line: &[u8], at: u64) -> Option<Vec<u8>> {
        self.masked(line, at, true)
    }

    /// Like [`SecretMask::line`]; `may_hold_tokens` is false if no token starts in the line.
    fn masked(&self, line: &[u8], at: u64, may_hold_tokens: bool) -> Option<Vec<u8>> {
        let mut secrets = Vec::new();
        self.by_file(line, &mut secrets);
        let end = at + line.len() as u64;
        for block in self.blocks_in(at, end) {
            let span = block.span.start.saturating_sub(at) as usize..(block.span.end.min(end) - at) as usize;
            secrets.push(Secret { span, keep: 0, name: block.name });
        }
        if may_hold_tokens {
            line::tokens(line, &mut secrets);
        }
        line::values(line, self.scope, &mut secrets);
        (!secrets.is_empty()).then(|| masked(line, &secrets))
    }

    /// Whether the name of the file says nothing of secrets, so that a line means what it means in most files.
    pub(crate) fn is_ordinary(&self) -> bool {
        !self.whole && self.scope == MaskScope::SecretLike
    }

    /// Adds what the name of the file makes a secret.
    fn by_file(&self, line: &[u8], secrets: &mut Vec<Secret>) {
        if self.whole {
            secrets.extend(assign::value_of(line));
        } else if self.scope == MaskScope::Values {
            assign::all_values(line, secrets);
        }
    }

    /// The blocks that overlap the bytes from `at` to `end`.
    fn blocks_in(&self, at: u64, end: u64) -> impl Iterator<Item = &SecretBlock> {
        let first = self.blocks.partition_point(|block| block.span.end <= at);
        self.blocks[first..].iter().take_while(move |block| block.span.start < end)
    }

    /// Whether a line contains a secret apart from tokens and blocks.
    pub(crate) fn holds_value(&self, line: &[u8]) -> bool {
        let mut secrets = Vec::new();
        self.by_file(line, &mut secrets);
        line::values(line, self.scope, &mut secrets);
        !secrets.is_empty()
    }

    /// Whether a block overlaps a line, which begins at byte `at` of the file.
    pub(crate) fn has_block(&self, line: &[u8], at: u64) -> bool {
        self.blocks_in(at, at + line.len() as u64).next().is_some()
    }
}

/// Returns `source` with the secrets in `span` masked; `span` must begin and end between lines.
///
/// The rest of `source` stays the same.
pub fn mask_lines<'s>(source: &'s str, span: Range<usize>, cover: &SecretMask) -> Cow<'s, str> {
    let mut bytes: Option<Vec<u8>> = None;
    let mut at = span.start;
    let mut starts = line::LineStarts::of(&source.as_bytes()[span.clone()]);
    for line in source[span.clone()].split_inclusive('\n') {
        let may_hold_tokens = starts.pass(at + line.len() - span.start);
        if let Some(masked) = cover.masked(line.as_bytes(), at as u64, may_hold_tokens) {
            let bytes = bytes.get_or_insert_with(|| source.as_bytes().to_vec());
            bytes[at..at + line.len()].copy_from_slice(&masked);
        }
        at += line.len();
    }
    match bytes {
        None => Cow::Borrowed(source),
        Some(bytes) => Cow::Owned(text_of(bytes)),
    }
}

/// Returns the text of a file with the secrets in `spans` masked, which are ranges of whole lines; `path` is that of the file, and
/// `whole` says whether the walk counts the file as a file of secrets. The text is searched for blocks only if these lines
/// may contain a secret.
pub fn mask_spans<'s>(text: &'s str, spans: &[Range<usize>], (path, whole): (&str, bool)) -> Cow<'s, str> {
    let (by_name, check) = (SecretMask::new(path, whole, Vec::new()), LineCheck::new(text.as_bytes()));
    if !spans.iter().any(|span| may_hold_secret(text, span.clone(), &by_name, &check)) {
        return Cow::Borrowed(text);
    }
    let cover = SecretMask { blocks: blocks(text.as_bytes()), ..by_name };
    spans.iter().fold(Cow::Borrowed(text), |text, span| match mask_lines(&text, span.clone(), &cover) {
        Cow::Owned(masked) => Cow::Owned(masked),
        Cow::Borrowed(_) => text,
    })
}

/// Whether whole lines of a text may contain a secret; certain if not. `by_name` has no blocks.
fn may_hold_secret(text: &str, span: Range<usize>, by_name: &SecretMask, check: &LineCheck<'_>) -> bool {
    let mut at = span.start;
    let mut starts = line::LineStarts::of(&text.as_bytes()[span.clone()]);
    text[span.clone()].split_inclusive('\n').any(|line| {
        let (line, from) = (line.as_bytes(), at);
        at += line.len();
        let may_hold_tokens = starts.pass(at - span.start);
        by_name.masked(line, from as u64, may_hold_tokens).is_some()
            || check.has_block(line, from as u64) != Some(false)
    })
}

/// All lines of `bytes` with their secrets masked.
pub(crate) fn mask_all(bytes: &[u8], cover: &SecretMask) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut starts = line::LineStarts::of(bytes);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let may_hold_tokens = starts.pass(out.len() + line.len());
        match cover.masked(line, out.len() as u64, may_hold_tokens) {
            Some(masked) => out.extend_from_slice(&masked),
            None => out.extend_from_slice(line),
        }
    }
    out
}

/// Masks a text of a reply that is not part of a file, such as the name of a symbol or a reason. Returns whether the text contains
/// a secret.
pub fn mask_text(text: &mut String) -> bool {
    let cover = SecretMask { blocks: blocks(text.as_bytes()), ..SecretMask::default() };
    let whole = 0..text.len();
    let Cow::Owned(masked) = mask_lines(text, whole, &cover) else { return false };
    *text = masked;
    true
}

/// Masks end at character boundaries, so the result is UTF-8 if the text was.
fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// `line` with these secrets masked.
fn masked(line: &[u8], secrets: &[Secret]) -> Vec<u8> {
    let mut out = line.to_vec();
    let mut secrets: Vec<&Secret> = secrets.iter().collect();
    secrets.sort_by_key(|secret| (secret.span.start, std::cmp::Reverse(secret.span.end)));
    let mut end = 0;
    // A secret within another one is covered by the outer mask.
    for secret in secrets {
        if secret.span.end > end {
            end = boundary(line, secret.span.end);
            let start = (secret.span.start + secret.keep).min(end);
            write_mask(&mut out[start..end], secret.name);
        }
    }
    out
}

/// The end of the character that contains byte `at`: a pattern with a maximum length may end within a character.
fn boundary(line: &[u8], at: usize) -> usize {
    let rest = line[at..].iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
    at + rest
}

/// Overwrites a range of a line with the kind of secret, if there is room, and stars. Line ends stay.
fn write_mask(place: &mut [u8], name: &str) {
    let end = place.iter().rposition(|byte| !b"\r\n".contains(byte)).map_or(0, |last| last + 1);
    let place = &mut place[..end];
    place.fill(b'*');
    let label =
        [format!("[masked: {name}]"), "[masked]".to_string()].into_iter().find(|it| it.len() <= place.len());
    if let Some(label) = label {
        place[..label.len()].copy_from_slice(label.as_bytes());
    }
}

#[cfg(test)]
mod tests;
