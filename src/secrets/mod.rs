//! Values that look like secrets, and their masks.
//!
//! It owns what counts as a secret in a line of text and what stands in its place. Which texts are looked at is decided
//! where text of files is cut for a reply: nothing is looked at that is not shown. Patterns are data, in
//! `patterns.toml`; a pattern is compiled when a line first holds a text that its values start with, so that a process
//! which meets none pays for none. Randomness alone never makes a secret: a token has its issuer's form, anything else
//! a name in front of it that says what it is.
//!
//! A mask has as many bytes as what it stands for. So lines, columns, highlights and offsets are the same with masks
//! and without, and mean the same in the file and in the answer.

mod block;
mod judge;
mod line;
mod table;

pub use block::{blocks, blocks_of};

use std::borrow::Cow;
use std::ops::Range;

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// Its bytes.
    pub span: Range<usize>,
    /// How many of them stay readable: what all of its kind begin with.
    pub keep: usize,
    /// What it is.
    pub name: &'static str,
}

/// What a line of a private key is called.
const KEY: &str = "private key";
/// What all that stands in a file of secrets is called.
const IN_FILE: &str = "file of secrets";

/// What is known of a file whose lines are shown.
#[derive(Debug, Default)]
pub struct Cover {
    /// Whether the file holds secrets by its name, so that no value in it is shown.
    pub whole: bool,
    /// The private keys in it, as ranges of its bytes.
    pub blocks: Vec<Range<u64>>,
}

impl Cover {
    /// A line, which begins at this byte of the file, with its secrets masked; `None` where it holds none.
    pub fn line(&self, line: &[u8], at: u64) -> Option<Vec<u8>> {
        let mut secrets = Vec::new();
        if self.whole {
            secrets.extend(line::value_of(line));
        }
        let end = at + line.len() as u64;
        for block in self.blocks.iter().filter(|block| block.start < end && at < block.end) {
            let span = block.start.saturating_sub(at) as usize..(block.end.min(end) - at) as usize;
            secrets.push(Secret { span, keep: 0, name: KEY });
        }
        line::find(line, &mut secrets);
        (!secrets.is_empty()).then(|| masked(line, &secrets))
    }

    /// Whether a line holds secrets.
    pub fn hides(&self, line: &[u8], at: u64) -> bool {
        self.line(line, at).is_some()
    }
}

/// `text`, a part of a file from byte `from` to `to` of `source`, where both stand between lines.
///
/// The rest of `source` is left as it is.
pub fn mask_lines<'s>(source: &'s str, span: Range<usize>, cover: &Cover) -> Cow<'s, str> {
    let mut bytes: Option<Vec<u8>> = None;
    let mut at = span.start;
    for line in source[span].split_inclusive('\n') {
        if let Some(masked) = cover.line(line.as_bytes(), at as u64) {
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

/// All lines of `bytes` with their secrets masked.
pub fn mask_all(bytes: &[u8], cover: &Cover) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match cover.line(line, out.len() as u64) {
            Some(masked) => out.extend_from_slice(&masked),
            None => out.extend_from_slice(line),
        }
    }
    out
}

/// A text of a reply that is no piece of a file by itself, such as the name of a symbol or a reason.
pub fn mask_text(text: &mut String) {
    let cover = Cover { whole: false, blocks: blocks(text.as_bytes()) };
    let whole = 0..text.len();
    if let Cow::Owned(masked) = mask_lines(text, whole, &cover) {
        *text = masked;
    }
}

/// Masks end where characters do, so this is UTF-8 if it was before.
fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// `line` with these secrets masked.
fn masked(line: &[u8], secrets: &[Secret]) -> Vec<u8> {
    let mut out = line.to_vec();
    // The longest last: where two overlap, its name stands.
    let mut secrets: Vec<&Secret> = secrets.iter().collect();
    secrets.sort_by_key(|secret| (secret.span.len(), std::cmp::Reverse(secret.span.start)));
    for secret in &secrets {
        let inside = secrets.iter().any(|other| {
            other.span.len() > secret.span.len()
                && other.span.start <= secret.span.start
                && secret.span.end <= other.span.end
        });
        if inside {
            continue;
        }
        let start = (secret.span.start + secret.keep).min(secret.span.end);
        write_mask(&mut out[start..secret.span.end], secret.name);
    }
    out
}

/// Fills a stretch of a line: what it was, if there is room to say it, and stars. Line ends stay.
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
