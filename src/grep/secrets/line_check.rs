//! Whether a block covers a line, found out without a scan of the whole file.
//!
//! [`super::blocks`] reads every line of a file. A search shows few lines of most files, and nearly none of them contains a
//! secret. A value on the line after its name is recognized here from these two lines alone. For the blocks of more than two
//! lines the check only tells that there is none, by conditions that each such block meets; otherwise the file has to be
//! scanned. The rejected alternative is a search of the whole file for parts of names: names may have separators between any
//! two letters, and no search for them is faster than the scan.

use std::cell::OnceCell;

use super::{around, block};

/// Checks lines of a text.
pub(crate) struct LineCheck<'t> {
    text: &'t [u8],
    /// Whether the text has a line that begins a private key, a YAML scalar of several lines, or a variable of Terraform.
    may_hold_long: OnceCell<bool>,
}

impl<'t> LineCheck<'t> {
    /// A check of lines of `text`, which is a whole file.
    pub fn new(text: &'t [u8]) -> LineCheck<'t> {
        LineCheck { text, may_hold_long: OnceCell::new() }
    }

    /// Whether one of the [`super::blocks`] of the text overlaps `line`, which begins at byte `at`; `None` if only these
    /// blocks can tell.
    pub(crate) fn has_block(&self, line: &[u8], at: u64) -> Option<bool> {
        let start = usize::try_from(at).ok()?;
        let end = start.checked_add(line.len())?;
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let is_line = self.text.get(start..end) == Some(line)
            && memchr::memchr(b'\n', text).is_none()
            && (start == 0 || self.text[start - 1] == b'\n')
            && (end == self.text.len() || text.len() < line.len());
        // The searcher may have decoded the text, or may search lines that end otherwise.
        if !is_line {
            return None;
        }
        let span = start..start + text.len();
        let may_hold_long = || {
            block::may_hold_key(self.text)
                || around::may_hold_scalar(self.text)
                || around::may_hold_variable(self.text)
        };
        if *self.may_hold_long.get_or_init(may_hold_long) || around::may_be_body(self.text, span.clone()) {
            return None;
        }
        Some(around::follows_name(self.text, span))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{blocks, tests::Random};
    use super::*;

    /// Lines that open, continue, look like, or interrupt blocks. `#` becomes random base64.
    const LINES: &[&str] = &[
        "",
        "   ",
        "\t",
        "password =",
        "  password:",
        "  password: |",
        "token: >-",
        "secret:|+\t",
        "db_password = (",
        "set_password(",
        "  \"password\",",
        "- name: DB_PASSWORD",
        "  value: ####################",
        "  \"value\": \"####################\"",
        "<key>api_key</key>",
        "<string>####################</string>",
        "tool --api-key \\",
        "  \"####################\"",
        "    ####################",
        "####################",
        "return nil, err",
        "}",
        "  foo(bar),",
        "a > b || c",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----END RSA PRIVATE KEY-----",
        "MIIE############################################################",
        "################################################################",
        "################################################################",
        "\"################################################################\\n\" +",
        "########################",
        "ab",
        "variable \"db_password\" {",
        "  default = \"####################\"",
    ];

    fn text_of(random: &mut Random) -> Vec<u8> {
        let mut text = String::new();
        for _ in 0..1 + random.below(14) {
            let line = LINES[random.below(LINES.len())];
            for sign in line.chars() {
                match sign {
                    '#' => text += &random.signs(super::super::tests::BASE64, 1),
                    sign => text.push(sign),
                }
            }
            text += ["\n", "\n", "\n", "\r\n"][random.below(4)];
        }
        if random.below(4) == 0 {
            text.pop();
        }
        text.into_bytes()
    }

    #[test]
    fn a_check_agrees_with_the_blocks_of_the_whole_text() {
        let mut random = Random(5);
        let (mut covered, mut clear, mut unknown) = (0, 0, 0);
        for _ in 0..30_000 {
            let text = text_of(&mut random);
            let (blocks, check, mut at) = (blocks(&text), LineCheck::new(&text), 0);
            for line in text.split_inclusive(|byte| *byte == b'\n') {
                let end = at + line.len() as u64;
                let expected = blocks.iter().any(|block| block.span.start < end && block.span.end > at);
                match check.has_block(line, at) {
                    Some(found) => {
                        let shown = String::from_utf8_lossy(&text);
                        assert_eq!(found, expected, "{:?} in\n{shown}", String::from_utf8_lossy(line));
                        *if found { &mut covered } else { &mut clear } += 1;
                    }
                    None => unknown += 1,
                }
                at = end;
            }
        }
        assert!(covered > 300 && clear > 20_000 && unknown > 1_000, "{covered} {clear} {unknown}");
    }

    #[test]
    fn a_line_that_is_not_of_the_text_is_unknown() {
        let check = LineCheck::new(b"one\ntwo\n");
        assert_eq!((check.has_block(b"two\n", 4), check.has_block(b"two\n", 3)), (Some(false), None));
        assert_eq!((check.has_block(b"two\n", 6), check.has_block(b"two\n", u64::MAX)), (None, None));
        let parts =
            [check.has_block(b"wo\n", 5), check.has_block(b"tw", 4), check.has_block(b"one\ntwo\n", 0)];
        assert_eq!(parts, [None; 3]);
    }
}
