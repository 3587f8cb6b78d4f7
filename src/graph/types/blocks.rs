//! Values of blocks, in languages in which a block has one: `if ready { a } else { b }`, `match key { 1 => a, _ => b }`, `try { a }`.

use crate::tokens::Tokens;

/// The deepest nesting of blocks whose values are looked at.
const MAX_NESTING: usize = 64;

/// The most values of one expression that are looked at.
const MAX_VALUES: usize = 4;

/// The values of which the expression in `from..to` is one; none if the expression is not one of blocks.
pub(super) fn values(tokens: &Tokens, language: &str, from: usize, to: usize) -> Vec<(usize, usize)> {
    let mut around = std::iter::successors(tokens.around(from), |open| tokens.around(*open));
    if !matches!(language, "kotlin" | "rust" | "scala" | "swift") || around.nth(MAX_NESTING).is_some() {
        return Vec::new();
    }
    match tokens.word(from) {
        "if" => of_condition(tokens, from, to),
        "match" if language == "rust" => of_arms(tokens, from, to),
        "{" if language != "rust" => Vec::new(),
        "try" | "unsafe" | "{" => {
            let open = if tokens.is(from, b'{') { from } else { from + 1 };
            tail(tokens, open).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// The values of the branches of a condition. Kotlin and Scala have the condition in parentheses, and need no braces.
fn of_condition(tokens: &Tokens, from: usize, to: usize) -> Vec<(usize, usize)> {
    let (mut found, mut at) = (Vec::new(), from);
    while found.len() < MAX_VALUES {
        let is_condition = tokens.word(at) == "if";
        let body = match tokens.partner(at + 1).filter(|_| is_condition && tokens.is(at + 1, b'(')) {
            Some(close) => close + 1,
            None if is_condition => tokens.find(at + 1, to, |at| tokens.is(at, b'{')),
            None => at,
        };
        let is_block = tokens.is(body, b'{');
        let end = match tokens.partner(body).filter(|_| is_block) {
            Some(close) => close + 1,
            None => tokens.find(body, to, |at| tokens.word(at) == "else"),
        };
        found.extend(if is_block { tail(tokens, body) } else { Some((body, end)) });
        if end >= to || tokens.word(end) != "else" {
            break;
        }
        at = end + 1;
    }
    found
}

/// The values of the arms of a `match` of Rust.
fn of_arms(tokens: &Tokens, from: usize, to: usize) -> Vec<(usize, usize)> {
    let open = tokens.find(from, to, |at| tokens.is(at, b'{'));
    let Some(close) = tokens.partner(open) else { return Vec::new() };
    let is_arrow = |at: &usize| tokens.is_operator(*at, "=>") && tokens.around(*at) == Some(open);
    let values = (open..close).filter(is_arrow).map(|arrow| arrow + 2).filter_map(|value| {
        match tokens.is(value, b'{') {
            true => tail(tokens, value),
            false => Some((value, tokens.find(value, close, |at| tokens.is(at, b',')))),
        }
    });
    values.take(MAX_VALUES).collect()
}

/// The last expression of the block at `open`.
fn tail(tokens: &Tokens, open: usize) -> Option<(usize, usize)> {
    let close = tokens.partner(open)?;
    let begins = |at: &usize| {
        let is_line = || {
            tokens.at(*at).is_some_and(|token| token.indent.is_some())
                && ![b'.', b'?', b'}', b')', b']'].iter().any(|sign| tokens.is(*at, *sign))
        };
        tokens.around(*at) == Some(open) && (*at == open + 1 || tokens.is(at - 1, b';') || is_line())
    };
    let first = (open + 1..close).rev().find(begins)?;
    Some((first, close))
}
