//! Private keys in the form that OpenSSL, OpenSSH and PGP write: a line that begins them, many lines of base64, a line
//! that ends them. In sources they stand in strings, line by line or with `\n` in one, and are found there too.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::{self, Finder};

use super::{Block, KEY};

static BEGINS: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("PRIVATE KEY"));

/// A key has fewer bytes than this, also where each line is in quotes.
const MOST_BYTES: usize = 32 << 10;

/// Fewer signs of base64 are no key but a text about keys.
const LEAST_SIGNS: usize = 40;

/// Adds the bodies of the private keys in `bytes`.
pub fn find(bytes: &[u8], found: &mut Vec<Block>) {
    let mut from = 0;
    while let Some(at) = BEGINS.find(&bytes[from..]) {
        let at = from + at;
        from = at + BEGINS.needle().len();
        if !is_begin(&bytes[at.saturating_sub(40)..at]) {
            continue;
        }
        let Some(body) = body(bytes, from) else { continue };
        from = body.end;
        found.push(Block { span: body.start as u64..body.end as u64, name: KEY });
    }
}

/// Whether a line that goes on with the words begins a key.
fn is_begin(before: &[u8]) -> bool {
    memmem::rfind(before, b"--BEGIN").is_some() || memmem::rfind(before, b"-- BEGIN").is_some()
}

/// The body of the key whose first line's words end at `from`.
fn body(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let most = &bytes[from..bytes.len().min(from + MOST_BYTES)];
    // `-----`, or ` BLOCK-----`.
    let head = most.iter().take(24).rposition(|byte| *byte == b'-')? + 1;
    let head = head + most[head..].iter().take_while(|byte| b"\r\n".contains(byte)).count();
    let rest = &most[head..];
    let end = match memmem::find(rest, b"-----END").or_else(|| memmem::find(rest, b"---- END")) {
        Some(end) if is_body(&rest[..end]) => end,
        // It is cut off, or this is no key.
        _ => cut_off(rest),
    };
    let is_key = rest[..end].iter().filter(|byte| is_sign(**byte)).count() >= LEAST_SIGNS;
    // An escaped line end behind the head is no part of it, as a real one is not.
    is_key.then(|| from + head..from + head + end)
}

fn is_sign(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
}

/// Whether it is base64 but for a few lines of headers and what quotes it in a source.
fn is_body(text: &[u8]) -> bool {
    let signs = text.iter().filter(|byte| is_sign(**byte)).count();
    let others = text.iter().filter(|byte| !is_sign(**byte) && !b" \t\r\n\\\"'`,;".contains(byte)).count();
    others * 8 <= signs
}

/// Where the lines end that hold base64 and nothing else but quotes.
fn cut_off(text: &[u8]) -> usize {
    let mut end = 0;
    for (place, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let is_quote = |byte: &u8| b" \t\r\n\\\"'`,;+#*".contains(byte);
        let inner: Vec<u8> = line.iter().copied().filter(|byte| !is_quote(byte)).collect();
        let is_all = inner.iter().all(|byte| is_sign(*byte)) && inner.len() >= 16;
        // What is left of the first line may be empty.
        if !(is_all || (place == 0 && inner.len() <= 2)) {
            break;
        }
        end += line.len();
    }
    end
}
