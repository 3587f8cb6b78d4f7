//! Recognizes names whose values are passwords, keys or tokens.

use super::judge::ValueKind;
use super::table::TABLE;

/// The longest name that is examined.
const MAX_NAME: usize = 96;

/// The kind of value that `name` announces; `None` for a name that has nothing to do with secrets, or that describes a
/// property of a secret, such as the length of a password.
pub fn kind_of(name: &[u8]) -> Option<ValueKind> {
    let mut buffer = [0; MAX_NAME];
    let plain = plain(name, &mut buffer)?;
    let words = &TABLE.assignment;
    let last = last_word(name);
    let first_part = TABLE.parts.find_overlapping_iter(plain).map(|part| part.pattern().as_usize()).min();
    let kind = match first_part {
        Some(part) if part < words.passwords.len() => ValueKind::Password,
        _ if is_short_name(last) => ValueKind::Password,
        Some(_) if plain.ends_with(b"secret") => ValueKind::Secret,
        Some(_) => ValueKind::Key,
        None => return None,
    };
    (!is_about(last, plain)).then_some(kind)
}

/// Like [`kind_of`], for files whose names announce secrets: salts, and keys for any purpose, count too.
pub(crate) fn kind_in_settings(name: &[u8]) -> Option<ValueKind> {
    kind_of(name).or_else(|| {
        let last = last_word(name);
        let is_key = last.len() < name.len() && last.eq_ignore_ascii_case(b"key");
        (is_key || last.eq_ignore_ascii_case(b"salt")).then_some(ValueKind::Secret)
    })
}

/// `name` in lower case, without the signs between its words.
fn plain<'b>(name: &[u8], buffer: &'b mut [u8; MAX_NAME]) -> Option<&'b [u8]> {
    let mut len = 0;
    for byte in name.iter().filter(|byte| byte.is_ascii_alphanumeric()) {
        *buffer.get_mut(len)? = byte.to_ascii_lowercase();
        len += 1;
    }
    // The shortest name is `pw`.
    (len >= 2).then_some(&buffer[..len])
}

/// Whether the last word of a name is a short word for a password, such as `pass`, even without a separator before the
/// word, as in `DBPASS`.
fn is_short_name(last: &[u8]) -> bool {
    let last = &last[..last.len() - last.iter().rev().take_while(|byte| byte.is_ascii_digit()).count()];
    let mut buffer = [0; 16];
    let Some(lower) = buffer.get_mut(..last.len()) else { return false };
    lower.copy_from_slice(last);
    lower.make_ascii_lowercase();
    let words = &TABLE.assignment;
    let is = |word: &String| word.as_bytes() == lower;
    words.short.iter().any(is) || (lower.ends_with(b"pass") && !words.not_pass.iter().any(is))
}

/// Whether the last word of a name shows that the name describes a property of a secret.
fn is_about(last: &[u8], plain: &[u8]) -> bool {
    let is_word = |word: &String| word.as_bytes().eq_ignore_ascii_case(last);
    // `passwordhash` has no separator between its words.
    let is_end = |word: &String| word.len() >= 4 && plain.ends_with(word.as_bytes());
    TABLE.assignment.about.iter().any(|word| is_word(word) || is_end(word))
}

/// The last word of a name with underscores or capitals.
fn last_word(name: &[u8]) -> &[u8] {
    let name =
        name.rsplit(|byte| !byte.is_ascii_alphanumeric()).find(|part| !part.is_empty()).unwrap_or(name);
    let capital =
        (1..name.len()).rev().find(|at| name[*at].is_ascii_uppercase() && name[*at - 1].is_ascii_lowercase());
    &name[capital.unwrap_or(0)..]
}

/// The first word of a name with underscores or capitals.
pub fn first_word(name: &[u8]) -> &[u8] {
    let seam = |at: &usize| {
        !name[*at].is_ascii_alphanumeric()
            || (name[*at].is_ascii_uppercase() && name[*at - 1].is_ascii_lowercase())
    };
    &name[..(1..name.len()).find(seam).unwrap_or(name.len())]
}

/// Whether a byte can be part of a name.
pub fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.".contains(&byte)
}

/// The name at the end of `text`.
pub fn ending(text: &[u8]) -> &[u8] {
    let len = text.iter().rev().take_while(|byte| is_part(**byte)).count();
    &text[text.len() - len..]
}
