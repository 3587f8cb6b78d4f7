//! Roles of uses of C++ that the text around a name tells: objects that are made, and the slots and signals of Qt. A signal that
//! is emitted is a call.
//!
//! `Pool pool(size);` in a function is a declaration of a function to a parser, which cannot know that `size` is no type.

use std::sync::LazyLock;

use regex::Regex;

use super::receiver_text::{Receiver, first_bytes, is_word, last_bytes};
use super::use_role::UseRole;
use super::words::is_skipped;
use spyhop_base::model::{Reference, ReferenceRole, Symbol};
use spyhop_base::text::Span;

/// Whether a word is a macro of Qt around the name of a member.
pub(super) fn is_member_macro(word: &str) -> bool {
    matches!(word, "SLOT" | "SIGNAL")
}

/// The text before the macro of Qt around a name.
fn before_macro(text: &str, start: usize) -> Option<&str> {
    let before = last_bytes(&text[..start]).trim_end().strip_suffix('(')?.trim_end();
    let rest = before.trim_end_matches(is_word);
    is_member_macro(&before[rest.len()..]).then(|| rest.trim_end())
}

/// The object whose slot or signal the name at `start` is, other than the object itself: `pool` of `connect(pool, SIGNAL(taken()))`.
pub(super) fn connected(text: &str, start: usize) -> Option<Receiver> {
    let before = before_macro(text, start)?.strip_suffix(',')?.trim_end();
    if before.ends_with(')') {
        let call = before.rfind('(').map_or("", |open| before[..open].trim_end());
        let inner = &call[call.trim_end_matches(is_word).len()..];
        // `SIGNAL(taken(Pool*)), SLOT(give())`: the slot is one of the object itself.
        let is_macro = is_member_macro(inner) || before_macro(before, call.len() - inner.len()).is_some();
        return (!is_macro).then_some(Receiver::Expression);
    }
    let chain = &before[before.trim_end_matches(|c| is_word(c) || c == '.').len()..];
    match chain {
        "this" => None,
        "" => Some(Receiver::Expression),
        chain => Some(Receiver::Chain(chain.into())),
    }
}

/// Words before a type that is declared, so that no object is made.
const DECLARING: [&str; 6] = ["class", "struct", "enum", "union", "typename", "->"];

/// The most bytes of generic arguments and names behind a type that are read.
const MAX_BEHIND: usize = 400;

/// The role of a use of C or C++ with the role `role`, `owner` being the innermost symbol around it.
pub(super) fn role_of(text: &str, span: Span, role: UseRole, owner: Option<&Symbol>) -> UseRole {
    if !matches!(role, UseRole::Type | UseRole::Mention) {
        return role;
    }
    let before = last_bytes(&text[..span.start as usize]).trim_end();
    let behind = first_bytes(&text[span.end as usize..], MAX_BEHIND);
    let is_named = before_macro(text, span.start as usize).is_some();
    let is_base = |owner: &Symbol| {
        let is_constructor = owner.container.as_deref().is_some_and(|own| own.ends_with(&*owner.name));
        let is_listed = before.ends_with(':') && !before.ends_with("::");
        is_constructor && is_listed && behind.trim_start().starts_with(['(', '{'])
    };
    let is_call = is_named
        || owner.filter(|owner| owner.kind.is_function()).is_some_and(|owner| {
            match owner.signature.end <= span.start {
                true => role == UseRole::Type && makes_object(before, behind),
                false => is_base(owner),
            }
        });
    if is_call { UseRole::Call } else { role }
}

/// The calls behind the words `emit` and `Q_EMIT` of Qt, which a parser takes for types.
pub(super) fn emitted(text: &str, comments: &[Span]) -> Vec<Reference> {
    static EMITTED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\b(?:emit|Q_EMIT)\s+(\w+)\s*\(").expect("a constant pattern"));
    if memchr::memmem::find(text.as_bytes(), b"emit ").is_none()
        && memchr::memmem::find(text.as_bytes(), b"Q_EMIT").is_none()
    {
        return Vec::new();
    }
    let names = EMITTED.captures_iter(text).filter_map(|found| found.get(1));
    let spans = names.map(|name| Span::new(name.start(), name.end()));
    let calls = spans.filter(|span| !is_skipped(comments, *span));
    calls.map(|span| Reference { span, role: ReferenceRole::Call }).collect()
}

/// Whether a type in the body of a function makes an object: `new Pool`, `Pool pool(1)`, `Pool{1}`, `make_unique<Pool>(1)`.
fn makes_object(before: &str, behind: &str) -> bool {
    let path = match before.ends_with("::") {
        true => before.trim_end_matches(|c: char| is_word(c) || c == ':').trim_end(),
        false => before,
    };
    if ends_with_word(path, "new") {
        return true;
    }
    if DECLARING.iter().any(|word| ends_with_word(path, word)) {
        return false;
    }
    if let Some(call) = path.strip_suffix('<') {
        let name = call.trim_end_matches(is_word);
        let name = &call[name.len()..];
        let Some(end) = behind.trim_start().strip_prefix('>') else { return false };
        let end = end.trim_start();
        let is_maker = name.starts_with("make") && end.starts_with('(');
        let is_member = || {
            end.strip_prefix("::").is_some_and(|end| end.starts_with("create(") || end.starts_with("make("))
        };
        return is_maker || is_member();
    }
    let begins = path.is_empty() || path.ends_with([';', '{', '}', '(', ')', ',', '=', ':', '?', '&', '|']);
    let begins = begins
        || ["return", "else", "static", "const", "constexpr"].iter().any(|word| ends_with_word(path, word));
    let Some(behind) = behind_arguments(behind) else { return false };
    // In `emit changed(size());`, the parser takes `size` for a type.
    if behind.starts_with(['{', '(']) {
        return begins;
    }
    let name = behind.trim_start_matches(is_word);
    name.len() < behind.len() && begins && name.trim_start().starts_with(['(', '{'])
}

/// The text behind the generic arguments at the beginning of a text.
fn behind_arguments(text: &str) -> Option<&str> {
    let text = text.trim_start();
    if !text.starts_with('<') {
        return Some(text);
    }
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            ';' | '{' => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(text[at + 1..].trim_start());
        }
    }
    None
}

fn ends_with_word(text: &str, word: &str) -> bool {
    text.strip_suffix(word).is_some_and(|before| !before.ends_with(is_word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use spyhop_base::model::SymbolKind;
    use spyhop_base::text::Lines;

    /// Whether the first `Pool` in the body of a function is a call.
    fn check(body: &str, expected: bool) {
        let text = format!("void run() {body}");
        let at = text.find("Pool").or_else(|| text.find("give")).unwrap();
        let owner = Symbol {
            name: "run".into(),
            kind: SymbolKind::Fn,
            span: Span::new(0, text.len()),
            lines: Lines { first: 1, last: 1 },
            container: None,
            parent: None,
            signature: Span::new(0, 10),
        };
        let role = role_of(&text, Span::new(at, at + 4), UseRole::Type, Some(&owner));
        assert_eq!(role == UseRole::Call, expected, "{text}");
    }

    #[test]
    fn slots_and_signals_belong_to_the_object_before_them() {
        let check = |text: &str, expected: Option<Receiver>| {
            assert_eq!(connected(text, text.find("take").unwrap()), expected, "{text}");
        };
        check("connect(pool, SIGNAL(take(int)), SLOT(give()))", Some(Receiver::Chain("pool".into())));
        check("connect(&own.pool, SIGNAL(take(int)))", Some(Receiver::Chain("own.pool".into())));
        check("connect(pool.data(), SIGNAL(take()))", Some(Receiver::Expression));
        check("connect(this, SIGNAL(take()))", None);
        check("connect(pool, SIGNAL(given(Pool*)), SLOT(take(Pool*)))", None);
        check("connect(pool, SIGNAL(given()), SLOT(take()))", None);
        check("run(pool, take(1))", None);
    }

    #[test]
    fn objects_that_are_made_are_told_from_types() {
        check("{ Pool pool(1); }", true);
        check("{ const shop::Pool<int> pool{size}; }", true);
        check("{ return new shop::Pool(1); }", true);
        check("{ auto pool = std::make_unique<Pool>(1); }", true);
        check("{ auto pool = Pointer<shop::Pool>::create(1); }", true);
        check("{ take(Pool{1}); }", true);
        check("{ emit changed(give()); }", true);
        check("{ std::function<Pool(int)> make; }", false);
        check("{ connect(this, SLOT(give(int))); }", true);
        check("{ Pool pool; }", false);
        check("{ Pool* pool = all; }", false);
        check("{ std::vector<Pool> all; }", false);
        check("{ class Pool {}; }", false);
        check("{ for (Pool pool : all) {} }", false);
        check("{ auto run = [](Pool pool) {}; }", false);
    }
}
