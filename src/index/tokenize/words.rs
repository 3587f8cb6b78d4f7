//! Words: maximal runs of letters, digits and `_`, as written.

/// Longer words are data, such as hashes and encoded blobs. They give no terms.
pub const MAX_WORD_BYTES: usize = 64;

/// Calls `each` with every word of `text`, as written, in order.
pub fn for_each_word<'t>(text: &'t str, mut each: impl FnMut(&'t str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !WORD_BYTE[bytes[at] as usize] {
            at += 1;
            continue;
        }
        let start = at;
        let mut ascii = true;
        while at < bytes.len() && WORD_BYTE[bytes[at] as usize] {
            ascii &= bytes[at].is_ascii();
            at += 1;
        }
        if ascii {
            each(&text[start..at]);
        } else {
            words_of_chars(&text[start..at]).for_each(&mut each);
        }
    }
}

/// The words of a text of [`WORD_BYTE`]s. The table accepts every byte of a non-ASCII character, so the characters are
/// checked here.
pub(super) fn words_of_chars(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word_char(c)).filter(|word| !word.is_empty())
}

/// Whether `c` can be part of a word.
pub fn is_word_char(c: char) -> bool {
    if c.is_ascii() { WORD_BYTE[c as usize] } else { unicode_ident::is_xid_continue(c) }
}

/// Whether a byte can be part of a word; every byte of a non-ASCII character can.
pub(super) const WORD_BYTE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        table[byte] = b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
        byte += 1;
    }
    table
};
