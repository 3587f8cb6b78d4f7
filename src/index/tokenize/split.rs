//! Splitting a word into parts: at case changes, digits, underscores and scripts.

/// The parts of a word as written, split at case changes, digits, underscores and scripts.
pub fn parts(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for_each_component(word, |component| cut(component, |part| parts.push(part)));
    parts
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CharClass {
    Lower,
    Upper,
    Digit,
    Cjk,
}

pub(super) fn class_of(c: char) -> CharClass {
    match c {
        'a'..='z' => CharClass::Lower,
        'A'..='Z' => CharClass::Upper,
        '0'..='9' => CharClass::Digit,
        c if c.is_ascii() => CharClass::Lower,
        c if is_cjk(c) => CharClass::Cjk,
        c if c.is_uppercase() => CharClass::Upper,
        c if c.is_numeric() => CharClass::Digit,
        _ => CharClass::Lower,
    }
}

/// Scripts without spaces between words, and Hangul, whose words include their particles.
fn is_cjk(c: char) -> bool {
    matches!(c as u32,
        0x2E80..=0x2FDF | 0x3005..=0x3007 | 0x3040..=0x30FF | 0x3105..=0x312F | 0x3131..=0x318E | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF | 0xFF66..=0xFF9F
        | 0x20000..=0x3FFFF)
}

pub(super) fn for_each_component<'w>(word: &'w str, each: impl FnMut(&'w str)) {
    word.split('_').filter(|component| !component.is_empty()).for_each(each);
}

/// Splits a component without underscores at case changes (`aB` to `a B`, `ABc` to `A Bc`), digits and scripts.
pub(super) fn cut<'w>(component: &'w str, mut each: impl FnMut(&'w str)) {
    let mut start = 0;
    let mut previous: Option<(usize, CharClass)> = None;
    for (at, c) in component.char_indices() {
        let class = class_of(c);
        if let Some((previous_at, before)) = previous {
            let boundary = match (before, class) {
                // `PDFs`, `URLsOf`: the `s` belongs to no part.
                (CharClass::Upper, CharClass::Lower)
                    if previous_at > start && is_plural(&component[at..]) =>
                {
                    each(&component[start..at]);
                    start = at + 1;
                    previous = None;
                    continue;
                }
                (CharClass::Upper, CharClass::Lower) => {
                    // `HTTPServer`: the last capital belongs to the next part.
                    if previous_at > start {
                        each(&component[start..previous_at]);
                        start = previous_at;
                    }
                    false
                }
                (before, class) => before != class,
            };
            if boundary {
                each(&component[start..at]);
                start = at;
            }
        }
        previous = Some((at, class));
    }
    if start < component.len() {
        each(&component[start..]);
    }
}

/// Whether `rest`, the text after an acronym, begins with the `s` of a plural.
fn is_plural(rest: &str) -> bool {
    rest.strip_prefix('s')
        .is_some_and(|after| after.chars().next().is_none_or(|c| class_of(c) != CharClass::Lower))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_keep_their_case() {
        assert_eq!(parts("resolveAPIKey_v2"), ["resolve", "API", "Key", "v", "2"]);
        assert_eq!(parts("openURLsOfPDFs"), ["open", "URL", "Of", "PDF"]);
        assert_eq!(parts("DNSserver_isOK"), ["DN", "Sserver", "is", "OK"]);
    }
}
