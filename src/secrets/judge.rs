//! Whether a value is a secret by its looks, once something before it says that it may be one.
//!
//! What people write as an example, what a program reads from elsewhere and what is a word or a name are none. The
//! bounds were set on the test set in `tests.rs` and are otherwise arbitrary.

use super::table::TABLE;

/// What a value is expected to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Made up by a person.
    Password,
    /// Made by a machine.
    Key,
}

/// Whether a token of an issuer's form, without what all of them begin with, is nobody's.
pub fn is_placeholder(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let has = |word: &String| memchr::memmem::find(&lower, word.as_bytes()).is_some();
    let placeholder = &TABLE.placeholder;
    placeholder.words.iter().any(has)
        || placeholder.known.iter().any(|known| value.ends_with(known.as_bytes()))
        || distinct(value) < 5.min(value.len())
}

/// Whether a value that is assigned to a name for secrets is one.
pub fn is_secret(kind: Kind, value: &[u8], quoted: bool) -> bool {
    let least = if kind == Kind::Password { 8 } else { 16 };
    if value.len() < least || value.len() > 1_000 || value.iter().any(|byte| *byte <= b' ') {
        return false;
    }
    if is_placeholder(value) || is_expression(value, quoted) {
        return false;
    }
    match kind {
        Kind::Password => {
            let lower = value.to_ascii_lowercase();
            let has = |word: &String| memchr::memmem::find(&lower, word.as_bytes()).is_some();
            let is_made_up = TABLE.placeholder.password_words.iter().any(has) && value.len() < 24;
            !is_made_up && (looks_random(value) || (quoted && classes(value) >= 3 && has_digit(value)))
        }
        Kind::Key => looks_random(value),
    }
}

/// Whether a value looks as if a machine had made it: enough different signs, digits among letters, and no words.
pub fn looks_random(value: &[u8]) -> bool {
    // Letters alone are words unless upper and lower case change all the time.
    let most = if has_digit(value) { 3.2 } else { 2.7 };
    classes(value) >= 2
        && value.iter().any(u8::is_ascii_alphabetic)
        && entropy(value) >= if value.len() < 16 { 2.5 } else { 3.0 }
        && (mean_run(value) <= most || is_hex(value))
}

/// Whether it is a number in hexadecimal digits, ten of which are digits: some have long stretches of these by chance,
/// and six letters make no words of such a length.
fn is_hex(value: &[u8]) -> bool {
    let one_case = !value.iter().any(u8::is_ascii_lowercase) || !value.iter().any(u8::is_ascii_uppercase);
    value.len() >= 16 && one_case && value.iter().all(u8::is_ascii_hexdigit)
}

fn has_digit(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit)
}

/// Whether it stands for a value that comes from elsewhere.
fn is_expression(value: &[u8], quoted: bool) -> bool {
    const MARKS: [&[u8]; 10] = [b"${", b"{{", b"$(", b"<%", b"%(", b"#{", b"%{", b"://", b"()", b"::"];
    let first = value[0];
    if MARKS.iter().any(|mark| memchr::memmem::find(value, mark).is_some()) || b"<${%@&".contains(&first) {
        return true;
    }
    if value.ends_with(b"}") && value.contains(&b'{') {
        return true;
    }
    // Numbers, and lists of settings such as the tags of a Go field.
    let is_number = value.starts_with(b"0x") && value.len() <= 18;
    if is_uuid(value) || is_number || (value.contains(&b',') && value.contains(&b'=')) {
        return true;
    }
    // A constant's name, such as `P2P_SSID_LEN`; without quotes a variable's as well.
    let is_other = |byte: &u8| byte.is_ascii_digit() || b"_.".contains(byte);
    let short_pieces = || value.split(|byte| b"_.".contains(byte)).all(|piece| piece.len() <= 12);
    let one_case = value.iter().all(|byte| byte.is_ascii_uppercase() || is_other(byte))
        || (!quoted && value.iter().all(|byte| byte.is_ascii_lowercase() || is_other(byte)));
    if value.contains(&b'_') && one_case && short_pieces() {
        return true;
    }
    // Without quotes code calls, indexes and names fields.
    !quoted
        && !is_hex(value)
        && (value.iter().any(|byte| b"()[]{}<>".contains(byte))
            || is_path(value)
            || b"/.~*-".contains(&first))
}

/// A name, or names with dots between them, as code has them.
fn is_path(value: &[u8]) -> bool {
    // A piece between underscores: letters of one case, perhaps with a number behind.
    let is_piece = |piece: &[u8]| {
        let letters = piece.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let one_case = piece.iter().all(|byte| !byte.is_ascii_lowercase())
            || piece.iter().all(|byte| !byte.is_ascii_uppercase());
        one_case && piece[letters..].iter().all(u8::is_ascii_digit)
    };
    let is_name = |part: &[u8]| {
        part.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
            && part.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            && (mean_run(part) > 3.0 || part.split(|byte| *byte == b'_').all(is_piece))
    };
    value.split(|byte| *byte == b'.').all(is_name)
}

fn is_uuid(value: &[u8]) -> bool {
    let lens = [8, 4, 4, 4, 12];
    let mut parts = value.split(|byte| *byte == b'-');
    lens.iter().all(|len| {
        parts.next().is_some_and(|part| part.len() == *len && part.iter().all(u8::is_ascii_hexdigit))
    }) && parts.next().is_none()
}

/// How many different bytes there are.
fn distinct(value: &[u8]) -> usize {
    let mut seen = [false; 256];
    value.iter().for_each(|byte| seen[*byte as usize] = true);
    seen.iter().filter(|seen| **seen).count()
}

/// Bits a byte, by the bytes' own frequencies.
fn entropy(value: &[u8]) -> f32 {
    let mut counts = [0u32; 256];
    value.iter().for_each(|byte| counts[*byte as usize] += 1);
    let all = value.len() as f32;
    let share = |count: &u32| *count as f32 / all;
    counts.iter().filter(|count| **count > 0).map(|count| -share(count) * share(count).log2()).sum()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Other,
}

fn class(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' => Class::Lower,
        b'A'..=b'Z' => Class::Upper,
        b'0'..=b'9' => Class::Digit,
        _ => Class::Other,
    }
}

/// How many kinds of signs it has.
fn classes(value: &[u8]) -> usize {
    let of = |wanted: Class| value.iter().any(|byte| class(*byte) == wanted);
    [Class::Lower, Class::Upper, Class::Digit, Class::Other].into_iter().filter(|it| of(*it)).count()
}

/// How long the stretches of one kind of sign are, a capital and what follows taken as one: words have long ones, what
/// was drawn has short ones. Signs between words count for nothing.
fn mean_run(value: &[u8]) -> f32 {
    let (mut runs, mut signs, mut before) = (0u32, 0u32, Class::Other);
    for (place, byte) in value.iter().enumerate() {
        let own = class(*byte);
        let capital = own == Class::Lower && before == Class::Upper && place > 0;
        if own != Class::Other {
            signs += 1;
            runs += u32::from(own != before && !capital);
        }
        before = own;
    }
    signs as f32 / runs.max(1) as f32
}
