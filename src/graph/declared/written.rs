//! Types as they are written.

use crate::expressions::is_arrow;
use crate::family::Family;
use crate::tokens::Tokens;

/// The name of a list or array as a type.
pub(super) const LIST: &str = "[]";

/// The name of several values as a type.
pub(super) const TUPLE: &str = "(,)";

/// The most names of a type that is kept with its arguments. A field of the type `P<(T, T)>` in `P<T>` doubles them.
const MAX_PARTS: usize = 64;

/// The deepest nesting of generic arguments that is read.
const MAX_NESTING: usize = 12;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenType {
    /// The file in which it is written, whose imports say what the name means.
    pub file: u32,
    /// The last part of the name; [`LIST`] and [`TUPLE`] for lists and several values.
    pub name: Box<str>,
    /// The package or type before the name, as it is written in Go and Java.
    pub package: Option<Box<str>>,
    pub args: Vec<WrittenType>,
}

impl WrittenType {
    pub fn new(file: u32, name: &str) -> WrittenType {
        WrittenType { file, name: name.into(), package: None, args: Vec::new() }
    }

    pub fn with(self, args: Vec<WrittenType>) -> WrittenType {
        WrittenType { args, ..self }
    }

    /// The type without its arguments, if they are too many to be kept.
    pub fn bounded(self) -> WrittenType {
        if self.parts() > MAX_PARTS { WrittenType { args: Vec::new(), ..self } } else { self }
    }

    /// The number of names in the type.
    fn parts(&self) -> usize {
        1 + self.args.iter().map(WrittenType::parts).sum::<usize>()
    }

    /// Replaces a name in the type and its arguments by a type.
    pub fn replace(&mut self, name: &str, by: &WrittenType) {
        if &*self.name == name {
            *self = by.clone();
            return;
        }
        for argument in &mut self.args {
            argument.replace(name, by);
        }
    }
}

/// The types that `from..to` writes: one, or the bounds of a type that is any of them.
pub(super) fn written(
    (family, file): (Family, u32),
    tokens: &Tokens,
    from: usize,
    to: usize,
) -> Vec<WrittenType> {
    let mut found = Vec::new();
    let mut start = from;
    while start < to {
        let end = end_of_type(tokens, start, to, |at| tokens.is(at, b'+'));
        let reader = TypeReader { family, file, tokens };
        found.extend(reader.one(start, end, MAX_NESTING).map(WrittenType::bounded));
        start = end + 1;
    }
    found
}

/// The end of a type: the first token outside of brackets and generic arguments for which `ends` holds, or the bracket
/// around the type.
pub(super) fn end_of_type(tokens: &Tokens, from: usize, to: usize, ends: impl Fn(usize) -> bool) -> usize {
    let (mut at, mut depth) = (from, 0);
    while at < to {
        if tokens.is(at, b'<') {
            depth += 1;
        } else if tokens.is(at, b'>') && !is_arrow(tokens, at) {
            depth -= 1;
        }
        let closes = [b')', b']', b'}'].iter().any(|sign| tokens.is(at, *sign));
        if depth < 0 || closes || depth == 0 && ends(at) {
            return at;
        }
        at = match tokens.partner(at) {
            Some(close) if close > at => close + 1,
            _ => at + 1,
        };
    }
    to
}

/// The generic arguments after the `<` at `open`, and the token after them.
pub(super) fn generic_arguments(tokens: &Tokens, open: usize, to: usize) -> (Vec<(usize, usize)>, usize) {
    let (parts, end) = types_between_commas(tokens, open + 1, to);
    (parts, (end + 1).min(to))
}

/// The parts of a list of types.
pub(super) fn split_types(tokens: &Tokens, from: usize, to: usize) -> Vec<(usize, usize)> {
    types_between_commas(tokens, from, to).0
}

/// The types from `from` on that commas separate, and the token that ends the last one.
fn types_between_commas(tokens: &Tokens, from: usize, to: usize) -> (Vec<(usize, usize)>, usize) {
    let (mut parts, mut start) = (Vec::new(), from);
    loop {
        let end = end_of_type(tokens, start, to, |at| tokens.is(at, b','));
        if end > start {
            parts.push((start, end));
        }
        if end >= to || !tokens.is(end, b',') {
            return (parts, end);
        }
        start = end + 1;
    }
}

/// Reads types from the tokens of a file.
struct TypeReader<'t> {
    family: Family,
    file: u32,
    tokens: &'t Tokens,
}

impl TypeReader<'_> {
    /// The type in `from..to`, with arguments down to `depth`.
    fn one(&self, from: usize, to: usize, depth: usize) -> Option<WrittenType> {
        let TypeReader { family, file, tokens } = *self;
        let depth = depth.checked_sub(1)?;
        let mut at = from;
        // What stands before the type itself.
        loop {
            let is_lifetime = tokens.is(at, b'\'');
            let is_sign = [b'&', b'*', b'.', b'?'].iter().any(|sign| tokens.is(at, *sign));
            let is_word =
                matches!(tokens.word(at), "mut" | "const" | "dyn" | "impl" | "final" | "chan" | "extends");
            at += match () {
                () if is_lifetime => 2,
                () if tokens.is(at, b'@') => 2,
                () if is_sign || is_word => 1,
                () => break,
            };
        }
        if at >= to {
            return None;
        }
        if tokens.is(at, b'(') {
            let close = tokens.partner(at)?;
            let parts = split_types(tokens, at + 1, close);
            if parts.len() == 1 && !tokens.is(close - 1, b',') {
                return self.one(parts[0].0, parts[0].1, depth);
            }
            let unknown = || WrittenType::new(file, "");
            let args = parts.iter().map(|(from, to)| self.one(*from, *to, depth).unwrap_or_else(unknown));
            return Some(WrittenType::new(file, TUPLE).with(args.collect()));
        }
        if tokens.is(at, b'[') {
            let close = tokens.partner(at)?;
            let element = match family {
                Family::Go => self.one(close + 1, to, depth),
                _ => {
                    let end = tokens.find(at + 1, close, |at| tokens.is(at, b';'));
                    self.one(at + 1, end, depth)
                }
            };
            return Some(WrittenType::new(file, LIST).with(element.into_iter().collect()));
        }
        if !tokens.is_word(at) {
            return None;
        }
        if family == Family::Go && tokens.word(at) == "map" && tokens.is(at + 1, b'[') {
            let close = tokens.partner(at + 1)?;
            let ends = [self.one(at + 2, close, depth), self.one(close + 1, to, depth)];
            return Some(WrittenType::new(file, "map").with(ends.into_iter().flatten().collect()));
        }
        self.named(at, to, depth)
    }

    /// A type with a name, which may be a path with generic arguments.
    fn named(&self, from: usize, to: usize, depth: usize) -> Option<WrittenType> {
        let TypeReader { family, file, tokens } = *self;
        let (mut at, mut name, mut args) = (from, from, Vec::new());
        loop {
            name = if tokens.is_word(at) { at } else { name };
            at += 1;
            if at < to && tokens.is(at, b'<') {
                let (parts, end) = generic_arguments(tokens, at, to);
                args = parts.iter().filter_map(|(from, to)| self.one(*from, *to, depth)).collect();
                at = end;
            } else if at < to && tokens.is(at, b'[') && family == Family::Go {
                let close = tokens.partner(at)?;
                args = split_types(tokens, at + 1, close)
                    .iter()
                    .filter_map(|(from, to)| self.one(*from, *to, depth))
                    .collect();
                at = close + 1;
            }
            let next = match () {
                () if tokens.is(at, b':') && tokens.is(at + 1, b':') => at + 2,
                () if tokens.is(at, b'.') && tokens.is_word(at + 1) => at + 1,
                () => break,
            };
            if next >= to || !(tokens.is_word(next) || tokens.is(next, b'<')) {
                break;
            }
            at = if tokens.is(next, b'<') { next - 1 } else { next };
        }
        let is_entry = family == Family::Jvm && tokens.word(from) == "Map" && tokens.word(name) == "Entry";
        let mut named = WrittenType::new(file, if is_entry { TUPLE } else { tokens.word(name) }).with(args);
        if matches!(family, Family::Go | Family::Jvm) && name > from + 1 && !is_entry {
            named.package = Some(tokens.word(name - 2).into());
        }
        let is_array = family == Family::Jvm && at < to && (tokens.is(at, b'[') || tokens.is(at, b'.'));
        Some(if is_array { WrittenType::new(file, LIST).with(vec![named]) } else { named })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn shown(written: &WrittenType) -> String {
        match &written.args[..] {
            [] => written.name.to_string(),
            args => format!("{}<{}>", written.name, args.iter().map(shown).collect::<Vec<_>>().join(", ")),
        }
    }

    fn check(family: Family, text: &str, expected: &str) {
        let tokens = Tokens::new(family, Arc::new(text.to_string()), &[], std::rc::Rc::default());
        let found = written((family, 0), &tokens, 0, tokens.len());
        assert_eq!(found.iter().map(shown).collect::<Vec<_>>().join(" + "), expected, "{text}");
    }

    #[test]
    fn types_are_read_with_their_arguments() {
        check(Family::Rust, "&'a mut Pool", "Pool");
        check(Family::Rust, "io::Result<Vec<Pool>, fmt::Error>", "Result<Vec<Pool>, Error>");
        check(Family::Rust, "Option<&[u8]>", "Option<[]<u8>>");
        check(Family::Rust, "impl Take + Give", "Take + Give");
        check(Family::Rust, "(Pool, Vec<(u8, Pool)>)", "(,)<Pool, Vec<(,)<u8, Pool>>>");
        check(Family::Rust, "Map<fn(u8) -> Pool, Pool>", "Map<fn, Pool>");
        check(Family::Go, "*pool.Pool", "Pool");
        check(Family::Go, "[]*Pool", "[]<Pool>");
        check(Family::Go, "map[string]*Pool", "map<string, Pool>");
        check(Family::Go, "(*Pool, error)", "(,)<Pool, error>");
        check(Family::Go, "...Pool", "Pool");
        check(Family::Jvm, "final Map<String, List<Pool>>", "Map<String, List<Pool>>");
        check(Family::Jvm, "Outer.Builder", "Builder");
        check(Family::Jvm, "Pool[]", "[]<Pool>");
    }

    #[test]
    fn deeply_nested_types_are_read_to_a_bounded_depth() {
        for (open, close) in [("A<", ">"), ("(A, ", ")"), ("[", "]")] {
            let text = format!("{}A{}", open.repeat(50_000), close.repeat(50_000));
            let tokens = Tokens::new(Family::Rust, Arc::new(text), &[], std::rc::Rc::default());
            let found = written((Family::Rust, 0), &tokens, 0, tokens.len());
            let deepest = std::iter::successors(found.first(), |deeper| deeper.args.last());
            assert!((MAX_NESTING..=MAX_NESTING + 1).contains(&deepest.count()), "{open}");
        }
    }

    #[test]
    fn a_type_with_very_many_arguments_is_kept_without_them() {
        let text = format!("A<{}>", "B, ".repeat(MAX_PARTS));
        check(Family::Rust, &text, "A");
        check(Family::Rust, &text.replacen("B, ", "", MAX_PARTS - 2), "A<B, B>");
    }
}
