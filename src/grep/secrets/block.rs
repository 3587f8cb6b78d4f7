//! Private keys in the format of OpenSSL, OpenSSH and PGP: a header line, many lines of base64, a footer line. Keys are
//! found in string literals of sources too, line by line or with `\n` in a single string.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::{self, Finder};

use super::secret::{KEY, SecretBlock};

static BEGINS: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("PRIVATE KEY"));

/// The size limit of a key in bytes, even if each line is in quotes.
const MAX_BYTES: usize = 32 << 10;

/// The fewest base64 characters of a key; fewer belong to a text about keys.
const MIN_SIGNS: usize = 40;

/// Adds the bodies of the private keys in `bytes`.
pub fn find(bytes: &[u8], found: &mut Vec<SecretBlock>) {
    let mut from = 0;
    while let Some(at) = BEGINS.find(&bytes[from..]) {
        let at = from + at;
        from = at + BEGINS.needle().len();
        if !is_begin(&bytes[at.saturating_sub(40)..at]) {
            continue;
        }
        let Some(body) = body(bytes, from) else { continue };
        from = body.end;
        found.push(SecretBlock { span: body.start as u64..body.end as u64, name: KEY });
    }
}

/// Whether a text contains the words of a key's header.
pub(crate) fn may_hold_key(bytes: &[u8]) -> bool {
    BEGINS.find(bytes).is_some()
}

/// Whether the text before the words on their line shows that the line begins a key.
fn is_begin(before: &[u8]) -> bool {
    memmem::rfind(before, b"--BEGIN").is_some() || memmem::rfind(before, b"-- BEGIN").is_some()
}

/// The body of the key whose header words end at `from`.
fn body(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let most = &bytes[from..bytes.len().min(from + MAX_BYTES)];
    // The end of the header is `-----` or ` BLOCK-----`.
    let head = most.iter().take(24).rposition(|byte| *byte == b'-')? + 1;
    let head = head + most[head..].iter().take_while(|byte| b"\r\n".contains(byte)).count();
    let rest = &most[head..];
    let end = match memmem::find(rest, b"-----END").or_else(|| memmem::find(rest, b"---- END")) {
        Some(end) if is_body(&rest[..end]) => end,
        // The key is cut off, or the text is not a key.
        _ => cut_off(rest),
    };
    let is_key = rest[..end].iter().filter(|byte| is_sign(**byte)).count() >= MIN_SIGNS;
    // An escaped line end after the header is not part of the body, just as a real line end is not.
    is_key.then(|| from + head..from + head + end)
}

fn is_sign(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
}

/// Whether a text is base64 except for a few header lines and the quoting of a source.
fn is_body(text: &[u8]) -> bool {
    let signs = text.iter().filter(|byte| is_sign(**byte)).count();
    let others = text.iter().filter(|byte| !is_sign(**byte) && !b" \t\r\n\\\"'`,;".contains(byte)).count();
    others * 8 <= signs
}

/// The end of the lines that contain only base64 and quotes.
fn cut_off(text: &[u8]) -> usize {
    let mut end = 0;
    for (place, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let is_quote = |byte: &u8| b" \t\r\n\\\"'`,;+#*".contains(byte);
        let inner: Vec<u8> = line.iter().copied().filter(|byte| !is_quote(byte)).collect();
        let is_all = inner.iter().all(|byte| is_sign(*byte)) && inner.len() >= 16;
        // The rest of the first line may be empty.
        if !(is_all || (place == 0 && inner.len() <= 2)) {
            break;
        }
        end += line.len();
    }
    end
}
