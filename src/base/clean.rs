//! Text from files, repositories and requests, made safe for a terminal or an agent to read.
//!
//! This module owns the set of characters that control a terminal, reorder text or stay invisible, and their visible
//! replacements. Every renderer uses this module, so that the set is the same for people, agents and errors. Pipes and
//! files get the bytes unchanged; the front end decides whether a stream is a terminal.
//!
//! Besides the control characters the set contains Unicode's `Default_Ignorable_Code_Point` (zero-width characters,
//! variation selectors, tags: letters that are invisible to people but read by a model), the characters that change the
//! direction of text, and the line ends that only some readers know. Such a character is replaced by a visible sign and
//! not dropped: a reader should see that something is there. The price is that emoji lose their variants.

use std::borrow::Cow;
use std::fmt::Write;

/// The visible replacement of a hidden or control character; `None` for an ordinary one. A tab is ordinary, a line end
/// is not.
fn picture(c: char) -> Option<char> {
    match c {
        '\t' => None,
        '\0'..='\u{1f}' => Some(char::from_u32(0x2400 + c as u32).unwrap_or('␦')),
        '\u{7f}' => Some('␡'),
        ' '..='~' => None,
        // The C1 controls; U+009B begins an escape sequence.
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => Some('␦'),
        _ => None,
    }
}

/// `text` on one line: each hidden or control character is replaced by a picture (`␛` for escape).
pub fn line(text: &str) -> String {
    text.chars().map(|c| picture(c).unwrap_or(c)).collect()
}

/// The number of bytes of [`line()`].
pub fn line_bytes(text: &str) -> usize {
    text.chars().map(|c| picture(c).unwrap_or(c).len_utf8()).sum()
}

/// The most characters of a name that are shown, because the heading of a document can be a whole paragraph.
const MAX_NAME_CHARS: usize = 160;

/// A name on one line, cut at 160 characters.
pub fn short_name(text: &str) -> String {
    let name = line(text);
    match name.char_indices().nth(MAX_NAME_CHARS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name,
    }
}

/// `text` with its line ends, but without hidden or control characters.
pub fn lines(text: &str) -> String {
    text.chars().map(|c| if c == '\n' { c } else { picture(c).unwrap_or(c) }).collect()
}

/// `text` for a program that displays it: like [`lines`], but carriage returns stay.
pub fn data(text: &str) -> Cow<'_, str> {
    let steers = |c: char| !matches!(c, '\n' | '\r') && picture(c).is_some();
    if text.contains(steers) {
        let shown = |c: char| if steers(c) { picture(c).unwrap_or(c) } else { c };
        Cow::Owned(text.chars().map(shown).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Equivalent JSON in which hidden and control characters are escaped.
pub fn json(text: &str) -> Cow<'_, str> {
    let mut cleaner = Cleaner::new(ControlDisplay::Escapes);
    let mut out = Vec::with_capacity(text.len());
    if !text.contains(|c| picture(c).is_some()) {
        return Cow::Borrowed(text);
    }
    cleaner.push(text.as_bytes(), &mut out);
    cleaner.settle(&mut out);
    Cow::Owned(String::from_utf8_lossy(&out).into_owned())
}

/// A path for display. If it would not stay on one line or contains hidden or control characters, it is quoted with
/// escapes, as git shows such names. A path that begins with a quote is quoted too, so that no two paths look alike.
pub fn path(path: &str) -> Cow<'_, str> {
    if path.starts_with('"') || path.contains(is_odd) {
        Cow::Owned(quoted(path))
    } else {
        Cow::Borrowed(path)
    }
}

/// A path in an answer to an agent: like [`path`], and also quoted if it could be mistaken for a line of the answer
/// (`next: g1-2`, `3: text`).
pub fn answer_path(path: &str) -> Cow<'_, str> {
    let behind_number = path.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = behind_number.len() < path.len() && behind_number.starts_with([' ', '-']);
    let has_blank_end = path.starts_with(char::is_whitespace) || path.ends_with(char::is_whitespace);
    if is_numbered || has_blank_end || path.contains(':') {
        return Cow::Owned(quoted(path));
    }
    self::path(path)
}

fn is_odd(c: char) -> bool {
    c == '\t' || picture(c).is_some()
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if picture(c).is_some() => _ = write!(out, "\\u{{{:x}}}", c as u32),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The replacement that a [`Cleaner`] writes for a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlDisplay {
    /// A picture.
    Pictures,
    /// A JSON escape.
    Escapes,
}

/// Cleans bytes that come in pieces, which may split a character. Line ends stay, including `\r\n`; bytes that are not
/// UTF-8 become U+FFFD, because a terminal may interpret one of them as a control character.
#[derive(Clone, Debug)]
pub struct Cleaner {
    form: ControlDisplay,
    /// The start of a character, or a carriage return that a line end may follow.
    held: Vec<u8>,
}

impl Cleaner {
    /// A cleaner that has seen nothing yet.
    pub fn new(form: ControlDisplay) -> Cleaner {
        Cleaner { form, held: Vec::new() }
    }

    /// Appends `bytes` to `out`, cleaned; an unfinished character at the end is held back.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let is_plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n');
        if self.held.is_empty() && bytes.iter().all(is_plain) {
            out.extend_from_slice(bytes);
            return;
        }
        let mut piece = std::mem::take(&mut self.held);
        piece.extend_from_slice(bytes);
        let whole = piece.len() - unfinished(&piece);
        self.clean(&piece[..whole], out);
        self.held = piece.split_off(whole);
    }

    /// Appends the bytes that were held back, at the end of the input.
    pub fn settle(&mut self, out: &mut Vec<u8>) {
        let held = std::mem::take(&mut self.held);
        self.clean(&held, out);
    }

    fn clean(&self, bytes: &[u8], out: &mut Vec<u8>) {
        let text = String::from_utf8_lossy(bytes);
        let mut chars = text.chars().peekable();
        let mut buffer = [0; 4];
        while let Some(c) = chars.next() {
            let is_line_end = c == '\n' || c == '\r' && chars.peek() == Some(&'\n');
            match picture(c).filter(|_| !is_line_end) {
                None => out.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes()),
                Some(picture) if self.form == ControlDisplay::Pictures => {
                    out.extend_from_slice(picture.encode_utf8(&mut buffer).as_bytes());
                }
                Some(_) => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                    }
                }
            }
        }
    }
}

/// How many bytes at the end of a piece may continue in the next piece.
fn unfinished(piece: &[u8]) -> usize {
    if piece.ends_with(b"\r") {
        return 1;
    }
    let tail = &piece[piece.len().saturating_sub(3)..];
    let Some(at) = tail.iter().rposition(|byte| *byte >= 0xc0) else { return 0 };
    match std::str::from_utf8(&tail[at..]) {
        Err(error) if error.error_len().is_none() => tail.len() - at,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Characters that must never reach a terminal or an agent.
    const HIDDEN: &str = "\0\u{1b}\u{7f}\u{9b}\u{ad}\u{61c}\u{200b}\u{200d}\u{200f}\u{2028}\u{202e}\u{2060}\u{2069}\
                          \u{fe00}\u{fe0f}\u{feff}\u{e0001}\u{e0041}\u{e007f}\u{e0100}\u{e01ef}";

    #[test]
    fn source_text_cannot_steer_the_terminal() {
        assert_eq!(line("a\x1b]0;title\x07\tb\r\u{9b}31m\u{202e}"), "a␛]0;title␇\tb␍␦31m␦");
        assert_eq!(line("a\u{2028}b\u{2029}c\u{e0041}\u{b}\u{c}\n"), "a␦b␦c␦␋␌␊");
        assert_eq!(lines("a\r\nb\u{200b}"), "a␍\nb␦");
        assert_eq!(data("a\r\n\tb\u{200b}"), "a\r\n\tb␦");
        for c in HIDDEN.chars() {
            let text = format!("a{c}b");
            assert!(!line(&text).contains(c) && line(&text).chars().count() == 3, "{c:?}");
            assert!(!lines(&text).contains(c) && !data(&text).contains(c), "{c:?}");
            assert!(!path(&text).contains(c) && path(&text).starts_with('"'), "{c:?}");
            assert_eq!(answer_path(&text), path(&text));
        }
        let plain = "größe \u{301} 漢字 🦀 עברית a_b(){}\\";
        assert_eq!((line(plain).as_str(), lines(plain).as_str(), &*data(plain)), (plain, plain, plain));
        assert_eq!((&*path(plain), &*answer_path(plain)), (plain, plain));
    }

    #[test]
    fn json_keeps_its_meaning() {
        let text = format!("{HIDDEN}größe\n🦀");
        let wire = serde_json::to_string(&text).unwrap();
        let cleaned = json(&wire);
        assert!(!cleaned.contains(|c| picture(c).is_some()), "{cleaned}");
        assert_eq!(serde_json::from_str::<String>(&cleaned).unwrap(), text);
        assert!(matches!(json("{\"a\":\"größe\"}"), Cow::Borrowed(_)));
    }

    #[test]
    fn names_that_look_like_a_line_of_ours_are_quoted() {
        for plain in ["a b/größe's \\ \"x\".rs", "2024/01-02.md", "src/12-a.rs", "7zip.c", "404.html", "a/ b"]
        {
            assert_eq!(answer_path(plain), plain);
        }
        for like_ours in [
            "next: g1-2",
            "3: something",
            "12-text",
            "1 of 1 line in 1 file",
            "a.rs:1-2 function f 1.00 high",
            "  why it is",
        ] {
            assert_eq!(answer_path(like_ours), format!("\"{like_ours}\""));
            assert_eq!(path(like_ours), like_ours);
        }
        let check = |text: &str, expected: &str| {
            assert_eq!((&*path(text), &*answer_path(text)), (expected, expected));
        };
        check("two\nlines.rs", r#""two\nlines.rs""#);
        check("a\tb\\n\"\u{1b}[31m", r#""a\tb\\n\"\u{1b}[31m""#);
        check("a\u{85}\u{2028}\u{202e}\u{fe0f}", r#""a\u{85}\u{2028}\u{202e}\u{fe0f}""#);
        check(r#""two\nlines.rs""#, r#""\"two\\nlines.rs\"""#);
    }

    #[test]
    fn pieces_may_be_cut_anywhere() {
        let text = "größe\u{200b}\r\n\x1b[31m漢\u{e0100}\rx\r\n🦀\u{9b}".as_bytes();
        let text = [text, b"\x9b\xff\xe6\xbc"].concat();
        let expected = "größe␦\r\n␛[31m漢␦␍x\r\n🦀␦\u{fffd}\u{fffd}\u{fffd}";
        for size in 1..=text.len() {
            let (mut cleaner, mut out) = (Cleaner::new(ControlDisplay::Pictures), Vec::new());
            text.chunks(size).for_each(|piece| cleaner.push(piece, &mut out));
            cleaner.settle(&mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected, "pieces of {size}");
        }
    }
}
