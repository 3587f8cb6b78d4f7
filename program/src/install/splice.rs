//! The one place where two versions of a text differ.
//!
//! This module guarantees that nothing else in a file changes. An edit of a configuration works on a copy with plain
//! line ends; its result is reduced to the one range that differs, and only that range is replaced in the original
//! bytes. So mixed line ends stay mixed, and a byte that nobody meant to change cannot change.

use serde::{Deserialize, Serialize};

/// A range of a text, and its replacement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Splice {
    /// The start of the range, in bytes.
    pub at: usize,
    pub removed: String,
    pub inserted: String,
}

impl Splice {
    /// The smallest splice that turns `before` into `after`.
    pub fn between(before: &str, after: &str) -> Splice {
        let mut at = before.bytes().zip(after.bytes()).take_while(|(one, other)| one == other).count();
        while !before.is_char_boundary(at) || !after.is_char_boundary(at) {
            at -= 1;
        }
        let (before, after) = (&before[at..], &after[at..]);
        let same = |(one, other): &(u8, u8)| one == other;
        let mut tail = before.bytes().rev().zip(after.bytes().rev()).take_while(same).count();
        while !before.is_char_boundary(before.len() - tail) || !after.is_char_boundary(after.len() - tail) {
            tail -= 1;
        }
        Splice {
            at,
            removed: before[..before.len() - tail].to_string(),
            inserted: after[..after.len() - tail].to_string(),
        }
    }

    /// `text` with the splice applied; `None` where other bytes are in its place.
    pub fn on(&self, text: &str) -> Option<String> {
        let rest = text.get(self.at..)?.strip_prefix(self.removed.as_str())?;
        Some(format!("{}{}{rest}", &text[..self.at], self.inserted))
    }

    /// The splice that reverts this one.
    pub fn back(&self) -> Splice {
        Splice { at: self.at, removed: self.inserted.clone(), inserted: self.removed.clone() }
    }
}

/// `text` after `edit`, which gets the text without a byte order mark and with plain line ends. Inserted text gets the
/// line ends of most lines.
pub fn edited<E>(
    text: &str,
    edit: impl FnOnce(&str) -> Result<Option<String>, E>,
) -> Result<Option<String>, E> {
    const MARK: char = '\u{feff}';
    let bare = text.strip_prefix(MARK).unwrap_or(text);
    let plain = bare.replace("\r\n", "\n");
    let Some(after) = edit(&plain)? else { return Ok(None) };
    let splice = Splice::between(&plain, &after);
    let pairs = bare.matches("\r\n").count();
    let newline = if 2 * pairs > bare.matches('\n').count() { "\r\n" } else { "\n" };
    let from = as_it_is(bare, splice.at);
    let to = as_it_is(bare, splice.at + splice.removed.len());
    let inserted = splice.inserted.replace('\n', newline);
    let mark = &text[..text.len() - bare.len()];
    Ok(Some(format!("{mark}{}{inserted}{}", &bare[..from], &bare[to..])))
}

/// Maps an offset in the plain text to the original text. No offset maps between a carriage return and its newline.
fn as_it_is(text: &str, plain: usize) -> usize {
    let mut left = plain;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let ends_in_pair = line.ends_with("\r\n");
        let len = line.len() - usize::from(ends_in_pair);
        if left < len {
            return at + left;
        }
        left -= len;
        at += line.len();
    }
    at + left
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_smallest_stretch() {
        let check = |before: &str, after: &str, expected: (usize, &str, &str)| {
            let splice = Splice::between(before, after);
            assert_eq!((splice.at, splice.removed.as_str(), splice.inserted.as_str()), expected);
            assert_eq!(splice.on(before).as_deref(), Some(after));
            assert_eq!(splice.back().on(after).as_deref(), Some(before));
        };
        check("", "abc", (0, "", "abc"));
        check("ad", "abcd", (1, "", "bc"));
        check("abcd", "ad", (1, "bc", ""));
        check("aXd", "aYd", (1, "X", "Y"));
        check("aa", "aaa", (2, "", "a"));
        check("same", "same", (4, "", ""));
        // Letters that share their first bytes, or their last.
        check("é", "è", (0, "é", "è"));
        check("Ŀ", "ſ", (0, "Ŀ", "ſ"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_becomes_any_other(before in TEXT, after in TEXT) {
            let splice = Splice::between(&before, &after);
            assert_eq!(splice.on(&before).as_ref(), Some(&after));
            assert_eq!(splice.back().on(&after).as_ref(), Some(&before));
        }

        #[test]
        fn what_is_edited_reads_as_it_was_meant(before in TEXT, after in TEXT) {
            let plain = after.replace("\r\n", "\n");
            let edited = edited(&before, |_| Ok::<_, Infallible>(Some(plain.clone()))).unwrap().unwrap();
            assert_eq!(edited.replace("\r\n", "\n"), plain);
        }
    }

    /// Lines of letters of one, two and three bytes, some with common first or last bytes, with line ends of both
    /// kinds.
    const TEXT: &str = "((a|b|é|è|Ŀ|ſ|€|₭){0,3}(\r\n|\n)){0,6}(a|é){0,2}";

    #[test]
    fn other_bytes_are_not_touched() {
        let check = |text: &str, edit: fn(&str) -> String, expected: &str| {
            let after = edited(text, |plain| Ok::<_, Infallible>(Some(edit(plain)))).unwrap();
            assert_eq!(after.as_deref(), Some(expected));
        };
        check("a\r\nb\r\n", |plain| plain.replace("b\n", "b\nc\n"), "a\r\nb\r\nc\r\n");
        check("a\r\nb\r\n", |plain| plain.replace("a\n", "a\nc\n"), "a\r\nc\r\nb\r\n");
        check("a\nb\r\nc\n", |plain| plain.replace('c', "c\nd"), "a\nb\r\nc\nd\n");
        check("\u{feff}{}\r\n", |plain| plain.replace("{}", "{\n}"), "\u{feff}{\r\n}\r\n");
        check("a\r\nb", |plain| plain.replace("a\nb", "ab"), "ab");
        check("a\rb\r\n", |plain| plain.replace('b', "c"), "a\rc\r\n");
        check("", |_| "x\ny\n".into(), "x\ny\n");
    }
}
