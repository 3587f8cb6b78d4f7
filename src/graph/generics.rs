//! Types and their generic arguments among tokens: where they end, and the parts between commas.

use super::family::Family;
use super::tokens::Tokens;

/// The most tokens of generic arguments that are looked back over.
const MAX_BEFORE: usize = 60;

/// Whether the `>` at `at` is the end of `->` or `=>`.
pub(super) fn is_arrow(tokens: &Tokens, at: usize) -> bool {
    at > 0 && (tokens.is(at - 1, b'-') || tokens.is(at - 1, b'='))
}

/// The token before the generic arguments that `close` ends.
pub(super) fn before_generics(family: Family, tokens: &Tokens, close: usize) -> Option<usize> {
    // These signs are in comparisons, and never in arguments.
    let ends: &[u8] = if family == Family::Web { b";&" } else { b";{}" };
    let mut depth = 0;
    for at in (close.saturating_sub(MAX_BEFORE)..=close).rev() {
        match tokens.word(at) {
            ">" if !is_arrow(tokens, at) => depth += 1,
            "<" => depth -= 1,
            _ if ends.iter().any(|sign| tokens.is(at, *sign)) => return None,
            _ => {}
        }
        if depth == 0 {
            return at.checked_sub(1);
        }
    }
    None
}

/// The name that is called with arguments in the parenthesis at `open`, before which generic arguments may be.
pub(super) fn called_at(family: Family, tokens: &Tokens, open: usize) -> Option<usize> {
    let before = open.checked_sub(1)?;
    let called = if tokens.is(before, b'>') { before_generics(family, tokens, before)? } else { before };
    tokens.is_word(called).then_some(called)
}

/// Whether a name looks like that of a type parameter: `T`, `TResult`.
pub(super) fn is_parameter_name(name: &str) -> bool {
    name.len() < 3 || name.starts_with('T') && name.chars().nth(1).is_some_and(char::is_uppercase)
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
