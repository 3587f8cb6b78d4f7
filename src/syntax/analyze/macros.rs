//! Macros that a C++ parser misreads, because it parses a file without the headers that the file includes.
//!
//! This module recognizes such macros by their spelling and replaces them by blanks, so that every other byte keeps its
//! offset. The parser takes `class API Name : public Base {` for a variable where every human reader sees a class, and
//! a `BEGIN_NAMESPACE` alone on a line swallows the line after it. The text around a word decides whether the word
//! is a macro: a type may be in capitals too, and stays where hiding it would leave a declaration without a type.

use crate::grammar::in_capitals;

/// `text` with such macros replaced by blanks; `None` when there are none.
pub(super) fn hidden(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out: Option<Vec<u8>> = None;
    let mut hide = |(from, to): (usize, usize)| {
        out.get_or_insert_with(|| bytes.to_vec())[from..to].fill(b' ');
    };
    // Whether a statement may begin on the line, and whether the line belongs to a directive.
    let (mut at, mut begins, mut directive) = (0, true, false);
    for line in text.split_inclusive('\n') {
        let written = line.trim();
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        directive |= written.starts_with('#');
        if directive {
            directive = written.ends_with('\\');
            begins = true;
            continue;
        }
        if begins
            && let Some(end) = stands_alone(bytes, start, written)
            && !is_in_enum(bytes, start)
        {
            hide((start, end));
            continue;
        }
        if begins {
            before_block(bytes, start).into_iter().for_each(&mut hide);
            before_declaration(bytes, start).into_iter().for_each(&mut hide);
        }
        for keyword in ["class", "struct", "union"] {
            for (found, _) in line.match_indices(keyword) {
                before_name(bytes, at - line.len() + found, keyword).into_iter().for_each(&mut hide);
            }
        }
        for (found, _) in line.match_indices("enum") {
            base_of_nameless(bytes, at - line.len() + found).into_iter().for_each(&mut hide);
        }
        for found in memchr::memchr_iter(b')', line.as_bytes()) {
            behind_parameters(bytes, at - line.len() + found).into_iter().for_each(&mut hide);
        }
        begins = written.is_empty() && begins || ends_something(written);
    }
    out.and_then(|out| String::from_utf8(out).ok())
}

/// Whether `line` ends a statement or is not part of one, so that the next line begins a statement.
fn ends_something(line: &str) -> bool {
    let code = line.split_once(" //").map_or(line, |(code, _)| code.trim_end());
    line.starts_with(['*'])
        || line.starts_with("//")
        || (code.ends_with('>') && !code.ends_with("->"))
        || code.ends_with([';', '{', '}', ':', '/'])
}

fn is_word(byte: &u8) -> bool {
    *byte == b'_' || byte.is_ascii_alphanumeric()
}

/// The end of the word at `at`.
fn word(bytes: &[u8], at: usize) -> usize {
    at + bytes[at.min(bytes.len())..].iter().take_while(|byte| is_word(byte)).count()
}

/// The end of the white space at `at`.
fn blanks(bytes: &[u8], at: usize) -> usize {
    at + bytes[at.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// The place of the sign `close` that the sign `open` at the first of `places` has as its partner, before any of `stops`.
fn partner(
    bytes: &[u8],
    places: impl Iterator<Item = usize>,
    (open, close): (u8, u8),
    stops: &[u8],
) -> Option<usize> {
    let (mut depth, mut quoted) = (0, false);
    for place in places.take(NEAR) {
        match bytes[place] {
            b'"' => quoted = !quoted,
            _ if quoted => {}
            byte if byte == open => depth += 1,
            byte if byte == close => depth -= 1,
            byte if stops.contains(&byte) => return None,
            _ => {}
        }
        if depth == 0 {
            return (bytes[place] == close).then_some(place);
        }
    }
    None
}

/// The position after the parenthesis that closes the parenthesis at `at`, if it is near.
fn closed(bytes: &[u8], at: usize) -> Option<usize> {
    partner(bytes, at..bytes.len(), (b'(', b')'), b";{}").map(|place| place + 1)
}

/// The position of the parenthesis that the one at `at` closes, if it is near.
fn opened(bytes: &[u8], at: usize) -> Option<usize> {
    partner(bytes, (0..=at).rev(), (b')', b'('), b";{}#")
}

/// The position after the `>` that closes the `<` at `at`, if both are on the same line.
fn behind_angles(bytes: &[u8], at: usize) -> Option<usize> {
    partner(bytes, at..bytes.len(), (b'<', b'>'), b"\n;{").map(|place| place + 1)
}

fn is_among(words: &str, word: &[u8]) -> bool {
    words.split(' ').any(|one| one.as_bytes() == word)
}

/// Whether the nearest brace before `at` opens an enum, whose enumerators are in capitals too.
fn is_in_enum(bytes: &[u8], at: usize) -> bool {
    let ends = |byte: &u8| matches!(byte, b'{' | b'}' | b';');
    let Some(brace) = bytes[..at].iter().rposition(ends).filter(|place| bytes[*place] == b'{') else {
        return false;
    };
    let begin = bytes[..brace].iter().rposition(ends).map_or(0, |place| place + 1);
    bytes[begin..brace].split(|byte| !is_word(byte)).any(|word| word == b"enum")
}

/// The most bytes between matching parentheses.
const NEAR: usize = 1024;

/// The end of the macro at `at`, including its arguments. Only a macro with an underscore in its name is hidden.
fn macro_at(bytes: &[u8], at: usize) -> Option<usize> {
    let end = word(bytes, at);
    let name = std::str::from_utf8(&bytes[at..end]).ok()?;
    if !(name.contains('_') && in_capitals(name)) {
        return None;
    }
    let next = blanks(bytes, end);
    if bytes.get(next) == Some(&b'(') { closed(bytes, next) } else { Some(end) }
}

/// The end of the macro that makes up the whole line `written` at `start`, where a statement may begin. A macro with
/// arguments may instead be the head of a body, or the left side of an expression.
fn stands_alone(bytes: &[u8], start: usize, written: &str) -> Option<usize> {
    let code = written.split_once(" //").map_or(written, |(code, _)| code.trim_end());
    let end = macro_at(bytes, start).filter(|end| *end == start + code.len())?;
    let next = blanks(bytes, start + written.len());
    let is_alone = !code.ends_with(')')
        || bytes.get(next).is_none_or(|byte| is_word(byte) || b"~#[".contains(byte))
        || bytes[next..].starts_with(b"//")
        || bytes[next..].starts_with(b"/*");
    is_alone.then_some(end)
}

/// The macro at `at` that stands for `try` or `catch`: the parser would lose the class around such a block.
fn before_block(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let end = macro_at(bytes, at)?;
    let is_try = end == word(bytes, at) || bytes[at..word(bytes, at)].ends_with(b"_CATCH");
    (is_try && bytes.get(blanks(bytes, end)) == Some(&b'{')).then_some((at, end))
}

/// The macros among the words before the declaration at `at`, as in `API Type* name(`. The text after the macros must
/// itself be a declaration: `NUMBER_T name(` has a type in capitals and no macro.
fn before_declaration(bytes: &[u8], mut at: usize) -> Vec<(usize, usize)> {
    let mut macros = Vec::new();
    // Template parameters may be on the same line.
    if bytes[at..].starts_with(b"template")
        && let Some(behind) = behind_angles(bytes, blanks(bytes, at + 8))
    {
        at = blanks(bytes, behind);
    }
    for _ in 0..8 {
        let end = word(bytes, at);
        let is_instance = &bytes[at..end] == b"template" && bytes.get(blanks(bytes, end)) != Some(&b'<');
        if is_instance || is_among(SPECIFIERS, &bytes[at..end]) {
            at = blanks(bytes, end);
        } else if let Some(end) = macro_at(bytes, at)
            && blanks(bytes, end) > end
        {
            macros.push((at, end));
            at = blanks(bytes, end);
        } else {
            break;
        }
    }
    if !macros.is_empty() && !declares(bytes, at) {
        macros.clear();
    }
    macros
}

const SPECIFIERS: &str = "constexpr consteval inline static explicit virtual friend extern typedef";

/// Words that begin a declaration.
const DECLARING: &str = "template class struct union enum using namespace auto void bool char int short long unsigned \
    signed float double typename";

/// Words that begin a statement, or that precede parentheses.
const STATEMENTS: &str = "return if for while do switch case goto throw delete new else catch sizeof alignas alignof \
    decltype explicit requires co_return co_await __attribute__ __declspec typeof";

/// Whether the text at `at` is a declaration by itself, without the word before it.
fn declares(bytes: &[u8], at: usize) -> bool {
    let next_is_name = |at: usize| bytes.get(at).is_some_and(|byte| is_word(byte) && !byte.is_ascii_digit());
    if bytes.get(at) == Some(&b'~') || bytes[at..].starts_with(b"[[") {
        return true;
    }
    let mut at = if bytes[at..].starts_with(b"::") { at + 2 } else { at };
    let mut end = word(bytes, at);
    match &bytes[at..end] {
        b"" => return false,
        // A conversion operator; other operators have a return type.
        b"operator" => {
            at = blanks(bytes, end);
            return next_is_name(at) && ![&b"new"[..], b"delete"].contains(&&bytes[at..word(bytes, at)]);
        }
        word if is_among(DECLARING, word) => return true,
        word if is_among(STATEMENTS, word) => return false,
        b"const" => {
            at = blanks(bytes, end);
            end = word(bytes, at);
        }
        _ => {}
    }
    if end == at {
        return false;
    }
    if bytes.get(end) == Some(&b'(') {
        // A constructor, if its initializers follow.
        let next = closed(bytes, end).map(|end| blanks(bytes, end));
        return next
            .is_some_and(|next| bytes[next..].starts_with(b":") && bytes.get(next + 1) != Some(&b':'));
    }
    // A type and a name.
    loop {
        if bytes.get(end) == Some(&b'<') {
            let Some(behind) = behind_angles(bytes, end) else { return false };
            end = behind;
        }
        if !bytes[end..].starts_with(b"::") {
            break;
        }
        end = word(bytes, end + 2);
    }
    let marks = |byte: &&u8| byte.is_ascii_whitespace() || matches!(byte, b'*' | b'&');
    let name = end + bytes[end..].iter().take_while(marks).count();
    if !next_is_name(name) || name == end {
        return false;
    }
    let end = word(bytes, name);
    let reads = std::str::from_utf8(&bytes[name..end]).unwrap_or("");
    let next = bytes.get(blanks(bytes, end));
    !(reads.contains('_') && in_capitals(reads))
        && next.is_some_and(|byte| is_word(byte) || b"(;={[:<".contains(byte))
}

/// The macros that annotate a function, after the parenthesis at `at` that closes its parameters.
fn behind_parameters(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    const BEHIND: [&[u8]; 4] = [b"const", b"noexcept", b"override", b"final"];
    let behind = |mut from: usize| {
        for _ in 0..4 {
            from = blanks(bytes, from);
            let end = word(bytes, from);
            if !BEHIND.contains(&&bytes[from..end]) {
                break;
            }
            from = end;
        }
        from
    };
    let from = behind(at + 1);
    let mut to = macro_at(bytes, from)?;
    for _ in 0..4 {
        match macro_at(bytes, blanks(bytes, to)) {
            Some(end) => to = end,
            None => break,
        }
    }
    let next = behind(to);
    let ends = match bytes.get(next) {
        Some(b';' | b'{') => true,
        Some(mark @ (b'=' | b':')) => bytes.get(next + 1) != Some(mark),
        _ => false,
    };
    if !ends {
        return None;
    }
    let open = opened(bytes, at)?;
    let len = bytes[..open].iter().rev().take_while(|byte| is_word(byte)).count();
    let name = &bytes[open - len..open];
    let is_function =
        len > 0 && !is_among(STATEMENTS, name) && !std::str::from_utf8(name).is_ok_and(in_capitals);
    is_function.then_some((from, to))
}

/// The underlying type of an anonymous `enum` at `at`: the parser would take the type for the name.
fn base_of_nameless(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let from = blanks(bytes, at + 4);
    if bytes.get(from) != Some(&b':') || (at > 0 && is_word(&bytes[at - 1])) {
        return None;
    }
    let len = bytes[from..].iter().take(80).position(|byte| matches!(byte, b'{' | b';' | b'}' | b'('))?;
    (bytes[from + len] == b'{').then_some((from, from + len))
}

/// The macros between the `keyword` at `at` and the name of the type that it defines or declares.
fn before_name(bytes: &[u8], at: usize, keyword: &str) -> Option<(usize, usize)> {
    let from = blanks(bytes, at + keyword.len());
    if (at > 0 && is_word(&bytes[at - 1])) || from == at + keyword.len() {
        return None;
    }
    let (mut start, mut to) = (from, from);
    // More than two macros before a name are rare, so the loop is bounded.
    for _ in 0..4 {
        let end = word(bytes, start);
        let next = blanks(bytes, end);
        let rest = bytes.get(next..).filter(|_| end > start)?;
        let ends = match rest {
            [b':', b':', ..] => false,
            [b':' | b'{', ..] => true,
            // `struct STAT status;` is a variable.
            [b';', ..] => keyword == "class",
            _ => rest.starts_with(b"final") && word(bytes, next) == next + 5,
        };
        if ends {
            return (to > from).then_some((from, to));
        }
        if !in_capitals(std::str::from_utf8(&bytes[start..end]).ok()?) {
            return None;
        }
        (start, to) = (next, end);
        // The macro's arguments, on one line and without nested brackets.
        if rest.first() == Some(&b'(') {
            let len = rest.iter().take(80).position(|byte| matches!(byte, b')' | b'\n'))?;
            to = next + len + 1;
            start = (rest[len] == b')').then(|| blanks(bytes, to))?;
        }
        // The parser knows this attribute between the macro and the name.
        if [&b"[["[..], b"alignas", b"__attribute__"].iter().any(|known| bytes[start..].starts_with(known)) {
            return Some((from, to));
        }
    }
    None
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
    fn macros_alone_on_a_line_are_hidden() {
        let check = |text: &str, expected: &str| {
            let found = hidden(text);
            assert_eq!(found.as_deref().unwrap_or(text), expected);
        };
        check("#endif\n\nBEGIN_NS\nint a;", "#endif\n\n        \nint a;");
        check("  Q_OBJECT\n", "          \n");
        check("A_B(x) // NOLINT\nT(int a) : a(a) {}", "       // NOLINT\nT(int a) : a(a) {}");
        check("A_B(x)\n{", "A_B(x)\n{");
        check("#define A \\\n  A_B\n", "#define A \\\n  A_B\n");
        check("a =\n  FIRST_OF\n;", "a =\n  FIRST_OF\n;");
        check("f(a,\n  FIRST_OF\n);", "f(a,\n  FIRST_OF\n);");
        check("EOF\n", "EOF\n");
    }

    #[test]
    fn an_enumerator_alone_on_a_line_is_no_macro() {
        assert_eq!(hidden("enum one {\n    ONLY_ONE\n};\n"), None);
        assert_eq!(hidden("typedef enum class E : int {\n    FIRST_ONE\n} e;\n"), None);
        assert!(hidden("struct s {\n    Q_OBJECT\n    int x;\n};\n").is_some());
    }

    #[test]
    fn macros_around_declarations_are_hidden() {
        let check = |text: &str, expected: &str| {
            let found = hidden(text);
            assert_eq!(found.as_deref().unwrap_or(text), expected);
        };
        check("A_B type* name(int);", "    type* name(int);");
        check("A_B(1) const std::map<int, T>& name(int);", "       const std::map<int, T>& name(int);");
        check("A_B C_D T(int a) : a(a) {}", "        T(int a) : a(a) {}");
        check("constexpr A_B T(int a) : a(a) {}", "constexpr     T(int a) : a(a) {}");
        check("template <class T> A_B ~T();", "template <class T>     ~T();");
        check("A_B operator const T&();", "    operator const T&();");
        check("A_B template <class T>", "    template <class T>");
        check("A_B name(int);", "A_B name(int);");
        check("A_B const* name(int);", "A_B const* name(int);");
        check("A_B operator+(A_B a);", "A_B operator+(A_B a);");
        check("A_B name = 1;", "A_B name = 1;");
        check("A_B(name) {", "A_B(name) {");
        check("f(a,\n  A_B * b c);", "f(a,\n  A_B * b c);");
        check("extern template A_B void f<int>(int);", "extern template     void f<int>(int);");
        check(
            "template <class A,\n  X<A>>\nA_B T(A a) : a(a) {}",
            "template <class A,\n  X<A>>\n    T(A a) : a(a) {}",
        );
        check("explicit T(int a) A_B(m) : a(a) {}", "explicit T(int a)        : a(a) {}");
        check("A_TRY { f(); }", "      { f(); }");
        check("A_CATCH (...) { f(); }", "              { f(); }");
        check("A_TEST(f) { f(); }", "A_TEST(f) { f(); }");
        check("void f() A_B();", "void f()      ;");
        check("void f() const A_B(g) C_D override {", "void f() const            override {");
        check("void f(int (*g)())\n  A_B(m) = 0;", "void f(int (*g)())\n         = 0;");
        check("if (f()) A_B(x);", "if (f()) A_B(x);");
        check("x = (int) A_B(y);", "x = (int) A_B(y);");
        check("AB(x) A_B(y);", "AB(x) A_B(y);");
        check("enum : byte { A };", "enum        { A };");
        check("enum E : byte { A };", "enum E : byte { A };");
    }
}
