//! Lists of parameters and arguments, read from the text behind a name.
//!
//! The lists are read without a syntax tree, because a question counts those of a few names only.

/// The most bytes of arguments that are read.
const MAX_BYTES: usize = 16 << 10;

/// How many arguments a function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ParameterCount {
    pub least: usize,
    pub most: usize,
}

impl ParameterCount {
    /// Whether a method with these parameters may override one with the others.
    pub fn may_override(self, other: ParameterCount) -> bool {
        self.most == other.most
    }
}

/// The parts of the list whose bracket opens at the first byte of `text`, between commas outside of other brackets, and the text
/// behind the list. `has_types` says that the signs `<` and `>` are brackets wherever they occur.
pub(super) fn parts_of_list(text: &str, has_types: bool) -> Option<(Vec<&str>, &str)> {
    let text = &text[..(0..=MAX_BYTES.min(text.len())).rev().find(|at| text.is_char_boundary(*at))?];
    let bytes = text.as_bytes();
    if !text.starts_with(['(', '[', '{']) {
        return None;
    }
    let (mut depth, mut from, mut at, mut parts) = (0, 1, 0, Vec::new());
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    parts.push(&text[from..at]);
                    parts.retain(|part| !part.trim().is_empty());
                    return Some((parts, &text[at + 1..]));
                }
            }
            b'"' | b'\'' => at += end_of_quotes(&bytes[at..]),
            b'/' if bytes[at..].starts_with(b"//") => at += memchr::memchr(b'\n', &bytes[at..])?,
            b'/' if bytes[at..].starts_with(b"/*") => at += memchr::memmem::find(&bytes[at..], b"*/")? + 1,
            b'<' => at += end_of_generics(&text[at..], has_types).map_or(0, |end| end - 1),
            b',' if depth == 1 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The last byte of the literal that begins `bytes`.
fn end_of_quotes(bytes: &[u8]) -> usize {
    let mut at = 1;
    while at < bytes.len() && bytes[at] != bytes[0] && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len() - 1)
}

/// The length of the generic arguments that begin `text` with `<`; `None` if the sign compares. Behind arguments stands what can not
/// follow a comparison, unless only types are there.
fn end_of_generics(text: &str, has_types: bool) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            '(' | ')' if has_types => {}
            c if c == '_' || c.is_alphanumeric() || c.is_whitespace() => {}
            ',' | '.' | '?' | '[' | ']' | ':' | '&' | '@' => {}
            _ => return None,
        }
        if depth == 0 {
            let next = text[at + 1..].trim_start().chars().next();
            let is_end = has_types
                || matches!(next, None | Some('(' | ')' | '.' | ',' | '>' | '{' | ';' | ':' | '[' | '?'));
            return is_end.then_some(at + 1);
        }
    }
    None
}

/// The number of generic parameters or arguments at the beginning of a text. `is_type` says that no sign there compares.
pub(super) fn type_parameters(text: &str, is_type: bool) -> usize {
    let text = text.trim_start();
    let Some(end) = text.starts_with('<').then(|| end_of_generics(text, is_type)).flatten() else { return 0 };
    let (mut depth, mut count) = (0, 1);
    for c in text[1..end - 1].chars() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => count += 1,
            _ => {}
        }
    }
    count
}

/// The list in parentheses at the beginning of a text, behind generic arguments.
fn list_after(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let skipped = if text.starts_with('<') { end_of_generics(text, false)? } else { 0 };
    Some(text[skipped..].trim_start()).filter(|text| text.starts_with('('))
}

/// Whether the text behind a name begins with arguments, behind generic ones as in `::<u8>(1)`.
pub(super) fn is_called(after: &str) -> bool {
    list_after(after.strip_prefix("::").unwrap_or(after)).is_some()
}

/// The arguments in parentheses or the values of fields in braces of a constructor at the beginning of a text.
pub(super) fn before_arguments(text: &str) -> Option<&str> {
    let skipped = if text.starts_with('<') { end_of_generics(text, false)? } else { 0 };
    Some(text[skipped..].trim_start()).filter(|text| text.starts_with(['(', '{']))
}

/// The number of the arguments of a call in the text behind the called name.
pub(super) fn arguments_in(after: &str) -> Option<usize> {
    parts_of_list(list_after(after)?, false).map(|(parts, _)| parts.len())
}

/// How many arguments the parameters in the text behind the name of a function take.
pub(super) fn parameters_in(after: &str) -> Option<ParameterCount> {
    let (parts, _) = parts_of_list(list_after(after)?, true)?;
    let has_word = |part: &str, word: &str| {
        part.split(|c: char| c != '_' && !c.is_alphanumeric()).any(|own| own == word)
    };
    let is_optional = |part: &&&str| part.contains('=') || has_word(part, "params") || part.contains("...");
    let has_rest = parts.iter().any(|part| has_word(part, "params") || part.contains("..."));
    let is_extension = parts.first().is_some_and(|first| has_word(first, "this"));
    let least = parts.len() - parts.iter().filter(is_optional).count() - usize::from(is_extension);
    Some(ParameterCount { least, most: if has_rest { usize::MAX } else { parts.len() } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_and_arguments_are_counted() {
        let takes = |text: &str, least: usize, most: usize| {
            assert_eq!(parameters_in(text), Some(ParameterCount { least, most }), "{text}");
        };
        takes("() { }", 0, 0);
        takes("(Map<String, List<A>> a, final B b)", 2, 2);
        takes("<T>(@Named(\"a, b\") T a, int... more)", 1, usize::MAX);
        takes("(this A a, [From(1, 2)] B b, C c = default, params D[] d)", 1, usize::MAX);
        takes("(this A a)", 0, 1);
        let check = |text: &str, expected: Option<usize>| assert_eq!(arguments_in(text), expected, "{text}");
        check("()", Some(0));
        check("(a, f(b, c), \"d, e\", ',')", Some(4));
        check("<A, B>(new C<D, E>(), a < b, c > d)", Some(3));
        check("(x -> { f(x, 1); }, /* a, b */ y)", Some(2));
        check(" other", None);
        assert_eq!(type_parameters("<A, B<C, D>> x", true), 2);
        assert_eq!(type_parameters("<a, b> x", false), 0);
        assert_eq!(type_parameters(" x", true), 0);
    }
}
