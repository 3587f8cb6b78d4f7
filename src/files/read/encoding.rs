//! The encoding of a file's bytes: UTF-8, the one that a byte order mark names, or a guess; and the detection of binary
//! data.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

use super::outcome::SkipDetail;
use spyhop_base::model::SkipReason;

/// The number of bytes that decide whether a file is binary, the same number as in git.
pub(super) const HEAD_BYTES: usize = 8 << 10;

pub(super) enum TextEncoding {
    Utf8 { bom: bool },
    Utf16 { encoding: &'static Encoding, bom: bool },
    Utf32 { is_big: bool },
}

impl TextEncoding {
    /// The encoding according to the byte order mark and the first bytes only.
    pub fn of(bytes: &[u8]) -> Result<TextEncoding, SkipDetail> {
        // The marks come before the test for NUL bytes, because half of the bytes of UTF-16 are NUL. Bytes that begin
        // like little-endian UTF-32 could be UTF-16 that begins with a NUL; no text does.
        match bytes {
            [0xff, 0xfe, 0, 0, ..] => return Ok(TextEncoding::Utf32 { is_big: false }),
            [0, 0, 0xfe, 0xff, ..] => return Ok(TextEncoding::Utf32 { is_big: true }),
            _ => {}
        }
        match Encoding::for_bom(bytes) {
            Some((encoding, _)) if encoding == UTF_16LE || encoding == UTF_16BE => {
                return Ok(TextEncoding::Utf16 { encoding, bom: true });
            }
            _ => {}
        }
        if let Some(encoding) = unmarked_utf16(bytes) {
            return Ok(TextEncoding::Utf16 { encoding, bom: false });
        }
        binary(bytes)?;
        Ok(TextEncoding::Utf8 { bom: bytes.starts_with(b"\xef\xbb\xbf") })
    }

    pub fn decode(self, mut bytes: Vec<u8>) -> Result<(String, bool), SkipDetail> {
        match self {
            TextEncoding::Utf16 { encoding, bom } => {
                let units = &bytes[if bom { 2 } else { 0 }..];
                let text = encoding
                    .decode_without_bom_handling_and_without_replacement(units)
                    // Without a byte order mark, the bytes only looked like UTF-16.
                    .ok_or_else(|| match binary(&bytes) {
                        Err(why) if !bom => why,
                        _ => (SkipReason::Encoding, format!("broken {}", encoding.name())),
                    })?;
                binary(text.as_bytes())?;
                Ok((text.into_owned(), true))
            }
            TextEncoding::Utf32 { is_big } => {
                let text = utf32(&bytes[4..], is_big)
                    .ok_or_else(|| (SkipReason::Encoding, "broken UTF-32".to_string()))?;
                binary(text.as_bytes())?;
                Ok((text, true))
            }
            TextEncoding::Utf8 { bom } => {
                if bom {
                    bytes.drain(..3);
                }
                match String::from_utf8(bytes) {
                    Ok(text) => Ok((text, false)),
                    Err(_) if bom => {
                        Err((SkipReason::Encoding, "not the UTF-8 that it begins as".to_string()))
                    }
                    Err(error) => legacy(error.as_bytes()).map(|text| (text, true)),
                }
            }
        }
    }
}

/// Refuses binary data: the first bytes contain a NUL, or more than 30 % control characters. Escape sequences of
/// terminals and form feeds occur in sources and do not count.
fn binary(bytes: &[u8]) -> Result<(), SkipDetail> {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    if let Some(at) = memchr::memchr(0, head) {
        return Err((SkipReason::Binary, format!("NUL at byte {at}")));
    }
    let is_control = |byte: &&u8| matches!(byte, 1..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f);
    let controls = head.iter().filter(is_control).count();
    if controls * 10 > head.len() * 3 {
        return Err((SkipReason::Binary, format!("{controls} control characters in {} bytes", head.len())));
    }
    Ok(())
}

/// UTF-16 without a byte order mark, if these bytes can hardly be anything else: source text is mostly ASCII, and then
/// every other byte is NUL, always on the same side.
fn unmarked_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(HEAD_BYTES) & !1];
    let zeros = |from: usize| head.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    let (first, second, pairs) = (zeros(0), zeros(1), head.len() / 2);
    // A few bytes prove nothing.
    let most = |zeros: usize| zeros * 10 >= pairs * 7 && pairs >= 8;
    match (first, second) {
        (0, zeros) if most(zeros) => Some(UTF_16LE),
        (zeros, 0) if most(zeros) => Some(UTF_16BE),
        _ => None,
    }
}

fn utf32(bytes: &[u8], is_big: bool) -> Option<String> {
    let (units, rest) = bytes.as_chunks::<4>();
    let number = |unit: &[u8; 4]| if is_big { u32::from_be_bytes(*unit) } else { u32::from_le_bytes(*unit) };
    let text = units.iter().map(|unit| char::from_u32(number(unit))).collect();
    if rest.is_empty() { text } else { None }
}

/// Decodes text that is not UTF-8 with the encoding that the browsers' detector guesses. Keywords and identifiers are
/// ASCII nearly everywhere, so the guess affects the letters of comments and strings. The guess is accepted when every
/// byte has a meaning in that encoding and the result is mostly letters: noise decodes to a mixture of everything.
fn legacy(bytes: &[u8]) -> Result<String, SkipDetail> {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, Utf8Detection::Deny);
    let refused = |what: &str| {
        let at = bytes.iter().position(|byte| *byte >= 0x80).unwrap_or(0);
        (SkipReason::Encoding, format!("byte 0x{:02x} at {at} is not UTF-8, and {what}", bytes[at]))
    };
    let name = encoding.name();
    let text = encoding
        .decode_without_bom_handling_and_without_replacement(bytes)
        .ok_or_else(|| refused(&format!("the text is not {name} either")))?;
    let (mut letters, mut others) = (0u64, 0u64);
    for c in text.chars().filter(|c| !c.is_ascii()) {
        // Typographic characters, and the punctuation and full-width forms of East Asian scripts.
        let is_of_text = c.is_alphanumeric()
            || matches!(
                c,
                '\u{a0}' | '\u{a7}' | '\u{a9}' | '\u{ab}' | '\u{ae}' | '\u{b0}' | '\u{b7}' | '\u{bb}'
            )
            || matches!(c, '\u{2010}'..='\u{203a}' | '\u{20ac}' | '\u{2122}' | '\u{3000}'..='\u{30ff}')
            || matches!(c, '\u{2500}'..='\u{259f}' | '\u{ff00}'..='\u{ffef}');
        if is_of_text { letters += 1 } else { others += 1 }
    }
    // C1 control characters do not occur in text.
    if others * 4 > letters || text.chars().any(|c| ('\u{80}'..'\u{a0}').contains(&c)) {
        return Err(refused(&format!("as {name} it is not text")));
    }
    Ok(text.into_owned())
}
