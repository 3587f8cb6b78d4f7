//! The types of variables and fields, as far as they are written near their use.

use super::family::Family;

/// The most names of types that a declaration gives.
const MAX_TYPES: usize = 8;

/// Words before a name that are no types.
const NO_TYPES: &[&str] = &[
    "return", "new", "case", "else", "goto", "in", "throw", "delete", "let", "var", "val", "const", "auto",
    "for", "foreach", "if", "while", "until", "unless", "guard", "as", "is", "await", "yield", "print",
    "echo", "puts", "and", "or", "not", "do", "end", "static", "final", "mut", "my", "local", "using",
    "import", "package", "def", "fun", "func", "fn", "out", "ref",
];

/// Whether a word is the name of a type, as far as its letters tell.
pub(super) fn is_type_name(word: &str) -> bool {
    const BASIC: &[&str] = &[
        "bool", "boolean", "byte", "char", "double", "float", "int", "long", "short", "string", "str", "u8",
        "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize", "f32", "f64", "number", "error",
        "rune", "uint", "int64", "int32", "object",
    ];
    word.starts_with(char::is_uppercase) || BASIC.contains(&word)
}

/// The names of types that declarations of `variable` in `text` mention: of `pool: Arc<Pool>` both `Arc` and `Pool`, of
/// `pool = Pool(...)`, `new Pool(...)`, `Pool::new(...)`, `NewPool(...)` and `Pool pool` the name `Pool`.
pub(super) fn declared_types<'t>(family: Family, text: &'t str, variable: &str) -> Vec<&'t str> {
    let mut types = Vec::new();
    if variable.is_empty() {
        return types;
    }
    for at in memchr::memmem::find_iter(text.as_bytes(), variable) {
        let (before, after) = (&text[..at], &text[at + variable.len()..]);
        if before.ends_with(is_word) || after.starts_with(is_word) || before.ends_with(['"', '\'']) {
            continue;
        }
        declared_after(family, after, &mut types);
        if matches!(family, Family::Jvm | Family::C | Family::Other(_)) {
            declared_before(before, &mut types);
        }
        if types.len() >= MAX_TYPES {
            break;
        }
    }
    types.truncate(MAX_TYPES);
    types
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// The types in what follows a variable: an annotation or an initial value.
fn declared_after<'t>(family: Family, after: &'t str, types: &mut Vec<&'t str>) {
    let after = after.trim_start_matches([' ', '\t', '?', '!']);
    if let Some(rest) = after.strip_prefix(":=") {
        value_types(rest, types);
    } else if let Some(rest) = after.strip_prefix(':').filter(|rest| !rest.starts_with(':')) {
        let end = rest.find(['=', ',', ')', ';', '\n', '{']).unwrap_or(rest.len());
        type_names(&rest[..end], types);
        if let Some(value) = rest[end..].strip_prefix('=') {
            value_types(value, types);
        }
    } else if let Some(rest) = after.strip_prefix('=').filter(|rest| !rest.starts_with(['=', '>'])) {
        value_types(rest, types);
    } else if family == Family::Go {
        let end = after.find([',', ')', '\n', '{', '=']).unwrap_or(after.len());
        let written = after[..end].trim();
        if written.chars().all(|c| is_word(c) || "*.[]".contains(c)) {
            type_names(written, types);
        }
    }
}

/// The type before a variable, as in `Pool pool` and `struct page *page`.
fn declared_before<'t>(before: &'t str, types: &mut Vec<&'t str>) {
    let stem = before.trim_end_matches([' ', '\t', '*', '&']);
    // A lambda: `pool -> pool.take()`.
    if stem.len() == before.len() || stem.ends_with("->") || stem.ends_with("=>") {
        return;
    }
    let stem = if stem.ends_with('>') { &stem[..stem.find('<').unwrap_or(stem.len())] } else { stem };
    let word = &stem[stem.trim_end_matches(is_word).len()..];
    let is_keyword = NO_TYPES.contains(&word);
    if !word.is_empty() && !is_keyword && !word.starts_with(|c: char| c.is_ascii_digit()) {
        types.push(word);
    }
}

fn type_names<'t>(written: &'t str, types: &mut Vec<&'t str>) {
    let names = written.split(|c: char| !is_word(c)).filter(|name| !name.is_empty());
    types.extend(names.filter(|name| !matches!(*name, "mut" | "dyn" | "impl" | "const" | "None" | "null")));
}

/// The type of an initial value, if the value is a call of a constructor.
fn value_types<'t>(value: &'t str, types: &mut Vec<&'t str>) {
    let mut value = value.trim_start();
    for prefix in ["await ", "new ", "&", "*"] {
        value = value.strip_prefix(prefix).unwrap_or(value).trim_start();
    }
    let end = value.find(|c: char| !(is_word(c) || c == '.' || c == ':')).unwrap_or(value.len());
    if !value[end..].starts_with(['(', '{', '<', '!']) {
        return;
    }
    for part in value[..end].split(['.', ':']).filter(|part| !part.is_empty()) {
        let constructed = part.strip_prefix("New").filter(|rest| rest.starts_with(char::is_uppercase));
        types.extend(constructed);
        if part.starts_with(char::is_uppercase) {
            types.push(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(family: Family, text: &str, expected: &[&str]) {
        assert_eq!(declared_types(family, text, "pool"), expected, "{text}");
    }

    #[test]
    fn types_are_read_from_declarations_near_a_use() {
        check(Family::Rust, "fn f(pool: &Arc<Pool>) {}", &["Arc", "Pool"]);
        check(Family::Rust, "let pool = Pool::new(3);", &["Pool"]);
        check(Family::Python, "pool = Pool(3)", &["Pool"]);
        check(Family::Python, "def f(pool: Pool = None): pass", &["Pool"]);
        check(Family::Python, "pool = make(3)", &[]);
        check(Family::Web, "const pool: Pool = make()", &["Pool"]);
        check(Family::Web, "const pool = new Pool()", &["Pool"]);
        check(Family::Go, "func f(pool *Pool) {}", &["Pool"]);
        check(Family::Go, "pool := NewPool(3)", &["Pool", "NewPool"]);
        check(Family::Go, "pool := &worker.Pool{}", &["Pool"]);
        check(Family::Jvm, "Pool pool = find();", &["Pool"]);
        check(Family::C, "struct page *pool;", &["page"]);
        check(Family::Rust, "x.pool.take(); carpool = Pool::new()", &[]);
    }
}
