//! The receiver of a use, read from the text before the name.

use super::family::{CSHARP, Family};
use spyhop_base::text::Span;

/// The text before a used name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Receiver {
    /// Nothing: a plain name.
    Absent,
    /// The object or type itself: `self`, `this`, `Self`.
    This,
    /// The base type: `super`.
    Base,
    /// A chain of names: `pool` of `pool.take()`, `self.pool` of `self.pool.take()`, `os.path` of `os.path.join()`.
    Chain(Box<str>),
    /// A path: `Pool` of `Pool::take()`, `crate::pool` of `crate::pool::take()`.
    Path(Box<str>),
    /// An expression that is not a name, such as the result of a call.
    Expression,
}

/// The text before the name at `start`.
pub(super) fn receiver_before(family: Family, text: &str, comments: &[Span], start: usize) -> Receiver {
    let Some(before) = text.get(..start).map(|before| without_comments(before, comments)) else {
        return Receiver::Absent;
    };
    // A field of a class of PHP: `Pool::$size`.
    let is_field = family == Family::Other("php") && before.ends_with("::$");
    let before = if is_field { &before[..before.len() - 1] } else { before };
    if let Some(rest) = before.strip_suffix("::") {
        let path = path_before(without_generics(rest));
        let path = if path.is_empty() && family == Family::Rust { qualified_type(rest) } else { path };
        return match path {
            "" => Receiver::Absent,
            // The module around the use.
            "self" if family == Family::Rust => Receiver::Absent,
            "Self" | "self" => Receiver::This,
            "static" if family == Family::Other("php") => Receiver::This,
            "parent" if family == Family::Other("php") => Receiver::Base,
            // Method references: `this::take`, `super::take`, `pool::take`.
            "this" => Receiver::This,
            "super" if family == Family::Jvm => Receiver::Base,
            path if family == Family::Jvm && path.starts_with(char::is_lowercase) => {
                Receiver::Chain(path.into())
            }
            path => Receiver::Path(path.into()),
        };
    }
    if family == Family::C
        && let Some(receiver) = message_receiver(before)
    {
        return receiver;
    }
    // In other languages, `->` is before the type of a result or the body of a lambda.
    let has_arrows = matches!(family, Family::C | Family::Other(_));
    let signs: &[&str] = if has_arrows { &["?.", "!.", "->", "."] } else { &["?.", "!.", "."] };
    let rest = signs.iter().find_map(|sign| before.strip_suffix(sign));
    let Some(rest) = rest.filter(|rest| !rest.ends_with('.')) else { return Receiver::Absent };
    let rest = without_comments(rest, comments);
    if rest.ends_with("super()") {
        return Receiver::Base;
    }
    // The dot of PHP joins texts.
    let joined = if family == Family::Other("php") { rest.rfind('.').map_or(0, |dot| dot + 1) } else { 0 };
    let chain = chain_before(&rest[joined..]);
    if let Some(path) = rest[..rest.len() - chain.len()].strip_suffix("::") {
        let path = path_before(without_generics(path));
        // In Ruby the last part is the class or module: `Shop::Order.build`.
        if family.calls_without_signs() {
            return match chain.contains('.') {
                true => Receiver::Expression,
                false => Receiver::Path(format!("{path}::{chain}").trim_start_matches(':').into()),
            };
        }
        // A constant or variant of a type: `EdgeRule::Import.sentence()`.
        return match path {
            // The namespaces of C# from the outermost one on: `global::Shop.Pool`.
            "global" if family == CSHARP => Receiver::Chain(chain.into()),
            "" | "Self" => Receiver::This,
            path => Receiver::Path(path.into()),
        };
    }
    // Variables of PHP begin with a sign.
    match chain.strip_prefix("$this").filter(|rest| rest.is_empty()).map_or(chain, |_| "this") {
        "" => Receiver::Expression,
        "self" | "this" | "cls" | "Self" => Receiver::This,
        "super" => Receiver::Base,
        chain => Receiver::Chain(chain.into()),
    }
}

/// The receiver of a message of Objective-C, at the end of a text: `[pool` of `[pool take]`, `[[Pool open]` of `[[Pool open] take]`.
fn message_receiver(before: &str) -> Option<Receiver> {
    let chain = chain_before(before);
    let rest = before[..before.len() - chain.len()].trim_end();
    if chain.is_empty() {
        let (inner, mut depth) = (last_bytes(before.strip_suffix(']')?), 1);
        let open = inner.char_indices().rev().find(|(_, c)| {
            depth += i32::from(*c == ']') - i32::from(*c == '[');
            depth == 0
        });
        return inner[..open?.0].trim_end().ends_with('[').then_some(Receiver::Expression);
    }
    (rest.ends_with('[') && !chain.ends_with('.')).then(|| match chain {
        "self" => Receiver::This,
        "super" => Receiver::Base,
        chain => Receiver::Chain(chain.into()),
    })
}

/// `text` without blanks and comments at its end.
pub(super) fn without_comments<'t>(text: &'t str, comments: &[Span]) -> &'t str {
    let mut text = text.trim_end();
    let before = comments.partition_point(|comment| (comment.start as usize) < text.len());
    for comment in comments[..before].iter().rev() {
        if (comment.end as usize) < text.len() {
            break;
        }
        text = text[..comment.start as usize].trim_end();
    }
    text
}

pub(super) fn is_word(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphanumeric()
}

/// The most bytes of a chain of names or of a path before a use. Nobody writes longer ones.
const MAX_CHAIN: usize = 1_024;

/// The end of a text, which may begin within what is looked for.
pub(super) fn last_bytes(text: &str) -> &str {
    let from = (text.len().saturating_sub(MAX_CHAIN)..).find(|at| text.is_char_boundary(*at));
    from.map_or(text, |from| &text[from..])
}

/// The first bytes of a text, at most so many.
pub(super) fn first_bytes(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}

/// The chain of names joined by dots at the end of `text`; empty if an expression comes before the dots.
fn chain_before(text: &str) -> &str {
    let text = last_bytes(text);
    let chain = text.len() - text.trim_end_matches(|c| is_word(c) || c == '.').len();
    let chain = &text[text.len() - chain..];
    let chain = chain.strip_prefix("...").unwrap_or(chain);
    // A chain that begins with a dot continues an expression: `make().pool` has no known root.
    if chain.starts_with('.') || chain.starts_with(|c: char| c.is_ascii_digit()) { "" } else { chain }
}

/// The path joined by `::` at the end of `text`.
fn path_before(text: &str) -> &str {
    let text = last_bytes(text);
    let path = text.trim_end_matches(|c| is_word(c) || c == ':');
    text[path.len()..].trim_start_matches(':')
}

/// `text` without generic arguments at its end: `Vec` of `Vec<u8>`.
fn without_generics(text: &str) -> &str {
    if !text.ends_with('>') {
        return text;
    }
    let (mut depth, least) = (0, text.len().saturating_sub(MAX_CHAIN));
    for (at, c) in text.char_indices().rev().take_while(|(at, _)| *at >= least) {
        match c {
            '>' => depth += 1,
            '<' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text[..at].trim_end_matches(':');
        }
    }
    text
}

/// The type of a path of Rust that begins with a bracket, or the trait if the type has no name: `Pool` of `<Pool as Take>` and of
/// `<Pool>`, `Take` of `<[u8] as Take>`.
fn qualified_type(text: &str) -> &str {
    let Some(inner) = text.strip_suffix('>').and_then(|inner| inner.get(without_generics(text).len() + 1..))
    else {
        return "";
    };
    let (own, of) = inner.rsplit_once(" as ").unwrap_or((inner, ""));
    match path_before(without_generics(own)) {
        "" => path_before(without_generics(of)),
        own => own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receivers_are_read_from_the_text_before_a_name() {
        let check_in = |family: Family, text: &str, expected: Receiver| {
            let start = text.find("take").unwrap();
            let comments = text.find("//").map(|at| Span::new(at, text.find('\n').unwrap_or(text.len())));
            let comments: Vec<Span> = comments.into_iter().collect();
            assert_eq!(receiver_before(family, text, &comments, start), expected, "{text}");
        };
        let check = |text: &str, expected: Receiver| check_in(Family::C, text, expected);
        check_in(Family::Python, "def f(pool) -> take: pass", Receiver::Absent);
        check_in(Family::Jvm, "pool -> take(pool)", Receiver::Absent);
        check_in(Family::Jvm, "map(this::take)", Receiver::This);
        check_in(Family::Jvm, "map(super::take)", Receiver::Base);
        check_in(Family::Jvm, "map(pool::take)", Receiver::Chain("pool".into()));
        check_in(Family::Jvm, "map(Pool::take)", Receiver::Path("Pool".into()));
        check("// All of them.\n    take()", Receiver::Absent);
        check("pool // All of them.\n    .take()", Receiver::Chain("pool".into()));
        check_in(Family::Other("php"), "static::take()", Receiver::This);
        check_in(Family::Other("php"), "parent::take()", Receiver::Base);
        check_in(Family::Other("php"), "static::$take", Receiver::This);
        check_in(Family::Other("php"), "Pool::$take", Receiver::Path("Pool".into()));
        check("take()", Receiver::Absent);
        check("x = take()", Receiver::Absent);
        check("self.take()", Receiver::This);
        check("Self::take()", Receiver::This);
        check("super().take()", Receiver::Base);
        check("pool.take()", Receiver::Chain("pool".into()));
        check("self.pool.take()", Receiver::Chain("self.pool".into()));
        check("pool->take()", Receiver::Chain("pool".into()));
        check("make().take()", Receiver::Expression);
        check("make().pool.take()", Receiver::Expression);
        check("pool\n    .take()", Receiver::Chain("pool".into()));
        check("Pool::take()", Receiver::Path("Pool".into()));
        check("Pool::<u8>::take()", Receiver::Path("Pool".into()));
        check_in(Family::Rust, "<shop::Pool<T> as Take>::take()", Receiver::Path("shop::Pool".into()));
        check_in(Family::Rust, "<[u8] as Take<Vec<u8>>>::take()", Receiver::Path("Take".into()));
        check_in(Family::Rust, "<Self as Take>::take()", Receiver::This);
        check("crate::pool::take()", Receiver::Path("crate::pool".into()));
        check("0..take()", Receiver::Absent);
        check("f(...pool.take())", Receiver::Chain("pool".into()));
        check("Rule::Import.take()", Receiver::Path("Rule".into()));
        check("[pool take]", Receiver::Chain("pool".into()));
        check("[self take]", Receiver::This);
        check("[super take]", Receiver::Base);
        check("[[Pool open] take]", Receiver::Expression);
        check("[[nodiscard]] take()", Receiver::Absent);
        check("all[take]", Receiver::Absent);
        check_in(CSHARP, "global::Shop.Order.take", Receiver::Chain("Shop.Order".into()));
        check_in(Family::Other("ruby"), "Shop::Order.take", Receiver::Path("Shop::Order".into()));
        check_in(Family::Other("ruby"), "::Order.take", Receiver::Path("Order".into()));
        check_in(Family::Other("ruby"), "Shop::Order.first.take", Receiver::Expression);
    }
}
