//! Operands: where an expression begins and ends among tokens.

use crate::family::Family;
use crate::generics::before_generics;
use crate::tokens::{TokenKind, Tokens};

/// Whether a word of a language is before an operand, and ends none.
fn is_keyword(family: Family, word: &str) -> bool {
    match word {
        "return" | "if" | "in" | "while" | "for" | "else" | "await" | "case" => true,
        "match" | "range" | "func" | "switch" => !family.has_scopes(),
        "of" | "and" | "or" | "not" | "yield" | "typeof" | "new" | "is" | "assert" | "elif" | "raise"
        | "throw" | "delete" | "void" => family.has_scopes(),
        _ => false,
    }
}

/// Whether a token is a name. A member may have the name of a keyword.
pub(super) fn is_name(family: Family, tokens: &Tokens, at: usize) -> bool {
    let is_member = || at > 0 && tokens.is(at - 1, b'.');
    tokens.is_word(at) && (!is_keyword(family, tokens.word(at)) || is_member())
}

/// Whether an operand ends at `at`.
pub(super) fn is_operand(family: Family, tokens: &Tokens, at: usize) -> bool {
    let is_plain = |at: usize| tokens.is(at, b')') || tokens.is(at, b']');
    is_name(family, tokens, at)
        || is_plain(at)
        || match family {
            Family::Web => {
                let is_sure = tokens.is(at, b'!') && at > 0 && (tokens.is_word(at - 1) || is_plain(at - 1));
                let is_optional = tokens.is(at, b'.') && at > 0 && tokens.is(at - 1, b'?');
                let before = || before_generics(family, tokens, at);
                is_sure || is_optional || tokens.is(at, b'>') && before().is_some_and(|at| tokens.is_word(at))
            }
            Family::Python => false,
            // The end of a block that is an argument, or of a literal: `pools.groupBy { it.size }[1]`.
            _ => tokens.is(at, b'?') || tokens.is(at, b'}') && touches_next(tokens, at),
        }
}

/// Whether no blank is between the token `at` and the next one.
fn touches_next(tokens: &Tokens, at: usize) -> bool {
    tokens.at(at).map(|token| token.end) == tokens.at(at + 1).map(|token| token.start)
}

/// Whether a literal begins at `at`, which may have a prefix.
pub(super) fn is_literal(tokens: &Tokens, at: usize) -> bool {
    let kind_of = |at: usize| tokens.at(at).map(|token| token.kind);
    match kind_of(at) {
        Some(TokenKind::Literal | TokenKind::Number) => true,
        Some(TokenKind::Word) => touches_next(tokens, at) && kind_of(at + 1) == Some(TokenKind::Literal),
        _ => false,
    }
}

/// The first token of a path such as `pool::Pool::new` that ends with the word at `at`.
pub(super) fn first_of_path(family: Family, tokens: &Tokens, at: usize) -> usize {
    let mut first = at;
    while family == Family::Other("php") && first > 0 && tokens.is(first - 1, b'\\') {
        first -= if first > 1 && tokens.is_word(first - 2) { 2 } else { 1 };
    }
    while first > 2 && tokens.is(first - 1, b':') && tokens.is(first - 2, b':') {
        first = match tokens.is(first - 3, b'>') {
            true => match before_arguments(family, tokens, first - 3) {
                Some(before) => before,
                None => return first,
            },
            false => first - 3,
        };
    }
    first
}

/// The word before the generic arguments that end at `close`.
pub(super) fn before_arguments(family: Family, tokens: &Tokens, close: usize) -> Option<usize> {
    if tokens.is(close, b']') {
        return tokens.partner(close)?.checked_sub(1);
    }
    let before = before_generics(family, tokens, close)?;
    let is_path = before > 1 && tokens.is(before, b':') && tokens.is(before - 1, b':');
    if is_path { before.checked_sub(2) } else { Some(before) }
}
