//! Macros that a parser of C++ stumbles over, because it reads a file without what it includes.
//!
//! It owns finding them by how they are written; where they are hidden, blanks stand, so that every other byte keeps
//! its place. `class API Name : public Base {` is a variable to the parser, a class is what all its readers see; and a
//! `BEGIN_NAMESPACE` on a line of its own takes the line after it along.

/// `text` with blanks for such macros; `None` when there are none.
pub(super) fn hidden(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out: Option<Vec<u8>> = None;
    let mut hide = |from: usize, to: usize| {
        out.get_or_insert_with(|| bytes.to_vec())[from..to].fill(b' ');
    };
    let (mut at, mut above) = (0, None);
    for line in text.split_inclusive('\n') {
        let written = line.trim();
        let start = at + (line.len() - line.trim_start().len());
        if is_macro(written) && written.contains('_') && above.is_none_or(ends_something) {
            hide(start, start + written.len());
        } else {
            for keyword in ["class", "struct", "union"] {
                for (found, _) in line.match_indices(keyword) {
                    if let Some((from, to)) = before_name(bytes, at + found, keyword) {
                        hide(from, to);
                    }
                }
            }
        }
        above = if written.is_empty() { above } else { Some(written) };
        at += line.len();
    }
    out.and_then(|out| String::from_utf8(out).ok())
}

/// Whether `line` ends a statement or is none, so that what follows begins one.
fn ends_something(line: &str) -> bool {
    line.starts_with(['#', '*'])
        || line.starts_with("//")
        || line.ends_with([';', '{', '}', ':', '/'])
        || is_macro(line)
}

/// The macros between the `keyword` at `at` and the name of the type it defines or declares.
fn before_name(bytes: &[u8], at: usize, keyword: &str) -> Option<(usize, usize)> {
    let is_word = |at: usize| bytes.get(at).is_some_and(|&byte| byte == b'_' || byte.is_ascii_alphanumeric());
    let blanks = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        at
    };
    let from = blanks(at + keyword.len());
    if (at > 0 && is_word(at - 1)) || from == at + keyword.len() {
        return None;
    }
    let (mut word, mut to) = (from, from);
    // Two macros before a name are many.
    for _ in 0..4 {
        let mut end = word;
        while is_word(end) {
            end += 1;
        }
        let next = blanks(end);
        if end == word {
            return None;
        }
        let ends = match bytes.get(next) {
            Some(b':') => bytes.get(next + 1) != Some(&b':'),
            Some(b'{') => true,
            // `struct STAT status;` is a variable.
            Some(b';') => keyword == "class",
            Some(_) => bytes[next..].starts_with(b"final") && !is_word(next + 5),
            None => false,
        };
        if ends {
            return (to > from).then_some((from, to));
        }
        if !is_macro(std::str::from_utf8(&bytes[word..end]).ok()?) {
            return None;
        }
        to = end;
        word = match bytes.get(next) {
            // What the macro is given, on one line and without brackets of its own.
            Some(b'(') => {
                let len = bytes[next..].iter().take(80).position(|byte| matches!(byte, b')' | b'\n'))?;
                to = next + len + 1;
                (bytes[next + len] == b')').then(|| blanks(to))?
            }
            _ => next,
        };
        // The parser knows what stands between the macro and the name.
        if [&b"[["[..], b"alignas", b"__attribute__"].iter().any(|known| bytes[word..].starts_with(known)) {
            return Some((from, to));
        }
    }
    None
}

/// Whether `word` is in capitals.
fn is_macro(word: &str) -> bool {
    word.len() > 1
        && word.bytes().all(|byte| byte == b'_' || byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && word.bytes().any(|byte| byte.is_ascii_uppercase())
        && !word.as_bytes()[0].is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::hidden;

    #[test]
    fn macros_before_names_are_hidden() {
        let check = |text: &str, expected: &str| {
            let found = hidden(text);
            assert_eq!(found.as_deref().unwrap_or(text), expected);
        };
        check("class API Name : Base {", "class     Name : Base {");
        check("class API Name;", "class     Name;");
        check("struct EXPORT(base) Name final {", "struct              Name final {");
        check("class A_B C_D Name {", "class         Name {");
        check("class NAME final {", "class NAME final {");
        check("class API [[nodiscard]] Name {", "class     [[nodiscard]] Name {");
        check("struct EXPORT(base) alignas(8) Name {", "struct              alignas(8) Name {");
        check("class NAME {", "class NAME {");
        check("struct STAT status;", "struct STAT status;");
        check("struct STAT status = {0};", "struct STAT status = {0};");
        check("STAT f(struct STAT *s)", "STAT f(struct STAT *s)");
        check("subclass API Name {", "subclass API Name {");
        check("class API Outer::Inner {", "class API Outer::Inner {");
        check("class", "class");
    }

    #[test]
    fn macros_on_lines_of_their_own_are_hidden() {
        let check = |text: &str, expected: &str| {
            let found = hidden(text);
            assert_eq!(found.as_deref().unwrap_or(text), expected);
        };
        check("#endif\n\nBEGIN_NS\nint a;", "#endif\n\n        \nint a;");
        check("  Q_OBJECT\n", "          \n");
        check("a =\n  FIRST_OF\n;", "a =\n  FIRST_OF\n;");
        check("f(a,\n  FIRST_OF\n);", "f(a,\n  FIRST_OF\n);");
        check("EOF\n", "EOF\n");
    }
}
