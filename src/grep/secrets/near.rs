//! Values that nothing ties to a name but their line: a word of a line that names a secret, and that looks drawn.
//!
//! Tables, commands, calls and prose have too many forms for a rule each. So here the value alone has to say what it is:
//! letters of both cases and digits that change all the time, letters that follow each other in no word, or as many hexadecimal
//! digits as a key has.

use std::ops::Range;

use super::judge;
use super::name;
use super::secret::Secret;
use super::table::TABLE;

/// The shortest value, and the longest.
const MIN_WORD: usize = 12;
const MAX_WORD: usize = 200;

/// The most bytes of a line that are looked at before and behind a value.
const MAX_REACH: usize = 200;

/// Adds the words of `line` that look drawn, if the line names a secret near them.
pub fn find(line: &[u8], found: &mut Vec<Secret>) {
    let mut from = 0;
    while from < line.len() {
        let word = word_at(line, from);
        from = word.end + 1;
        if word.len() < MIN_WORD {
            continue;
        }
        // `user:value`, `user/value@host`.
        let has_parts = line[word.clone()].iter().any(|byte| b":@".contains(byte));
        let pieces = parts(line, word.clone()).filter(|_| has_parts).chain([word]);
        let drawn = pieces.map(|piece| trimmed(line, piece)).find(|piece| is_drawn(line, piece));
        if let Some(value) = drawn.filter(|value| is_named(line, value)) {
            found.push(Secret { span: value, keep: 0, name: "password or key" });
        }
    }
}

/// The word that begins at `from`: what no blank, quote, bracket or separator divides.
fn word_at(line: &[u8], from: usize) -> Range<usize> {
    let len = line[from..].iter().position(|byte| IS_END[usize::from(*byte)]).unwrap_or(line.len() - from);
    from..from + len
}

/// By byte: whether it divides words. Every byte of every line that is shown is looked at.
const IS_END: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte <= b' ' as usize {
        table[byte] = true;
        byte += 1;
    }
    let (signs, mut at) = (b"\"'`()[]{}<>,;|=", 0);
    while at < signs.len() {
        table[signs[at] as usize] = true;
        at += 1;
    }
    table
};

/// The parts of a word between colons, slashes and the sign of an address.
fn parts(line: &[u8], word: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut start = word.start;
    (word.start..=word.end).filter_map(move |at| {
        let ends = at == word.end || b":/@".contains(&line[at]);
        ends.then(|| std::mem::replace(&mut start, at + 1)..at)
    })
}

/// A word without the punctuation at its ends.
fn trimmed(line: &[u8], word: Range<usize>) -> Range<usize> {
    let is_sign = |byte: &&u8| b".:!?-*_@&$".contains(byte);
    let text = &line[word.clone()];
    let before = text.iter().take_while(is_sign).count();
    let behind = text[before..].iter().rev().take_while(is_sign).count();
    word.start + before..word.end - behind
}

/// Whether a word looks drawn. The checks that most words fail come first.
fn is_drawn(line: &[u8], word: &Range<usize>) -> bool {
    // Letters alone may be a name in code, unless no name has such pairs of letters.
    let is_quoted = word.start > 0 && b"\"'`".contains(&line[word.start - 1]);
    // A list of checksums has each at the start of its line, or in quotes.
    let is_apart = word.start > 0 && b" \t".contains(&line[word.start - 1]);
    let word = &line[word.clone()];
    if is_key_in_hexadecimal(word) {
        return is_apart && !judge::is_placeholder(word);
    }
    (MIN_WORD..=MAX_WORD).contains(&word.len())
        && (is_quoted || word.iter().any(u8::is_ascii_digit) || judge::is_unlike_names(word))
        && word.iter().any(u8::is_ascii_uppercase)
        && word.iter().any(u8::is_ascii_lowercase)
        && judge::may_be_drawn(word)
        && !judge::is_path_data(word)
        && !judge::is_regex(word)
        && !judge::is_placeholder(word)
}

/// Whether a word has the length of a key in hexadecimal digits. Names of commits have 40 digits.
fn is_key_in_hexadecimal(word: &[u8]) -> bool {
    matches!(word.len(), 32 | 48 | 64 | 96 | 128)
        && word.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && word.iter().any(u8::is_ascii_digit)
        && word.iter().any(u8::is_ascii_alphabetic)
}

/// Whether a name near a word is that of a secret, and no name is one of something that only looks drawn.
fn is_named(line: &[u8], word: &Range<usize>) -> bool {
    let before = &line[word.start.saturating_sub(MAX_REACH)..word.start];
    let behind = &line[word.end..line.len().min(word.end + MAX_REACH)];
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let names = || {
        [before, behind]
            .into_iter()
            .flat_map(|text| text.split(|byte| !is_name(byte)))
            .filter(|name| name.len() >= 2)
    };
    let is_one_of = |name: &[u8], words: &[String]| {
        words.iter().any(|word| match word.len() {
            // A short word is the whole name or one of its parts, as in `DB_DSN`.
            0..=4 => {
                name.eq_ignore_ascii_case(word.as_bytes())
                    || name
                        .split(|byte| b"_-".contains(byte))
                        .any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
            }
            len => name.windows(len).any(|part| part.eq_ignore_ascii_case(word.as_bytes())),
        })
    };
    let words = &TABLE.near;
    names().any(|name| name::kind_of(name).is_some() || is_one_of(name, &words.names))
        && !names().any(|name| is_one_of(name, &words.public))
}
