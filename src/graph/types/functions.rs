//! Functions of the web that are values: where their bodies begin, and the values that they give.

use crate::tokens::Tokens;
use crate::web_scopes::CONTROL;

/// Whether the expression in `from..to` is a function.
pub(super) fn is_function(tokens: &Tokens, from: usize, to: usize) -> bool {
    body_of_function(tokens, from, to).is_some()
}

/// The first token of the body of the function in `from..to`: a brace or an expression.
pub(super) fn body_of_function(tokens: &Tokens, from: usize, to: usize) -> Option<usize> {
    let from = if tokens.word(from) == "async" { from + 1 } else { from };
    if tokens.word(from) == "function" {
        let open = tokens.find(from, to, |at| tokens.is(at, b'('));
        let body = tokens.find(tokens.partner(open)? + 1, to, |at| tokens.is(at, b'{'));
        return Some(body).filter(|body| *body < to);
    }
    let begins = tokens.is(from, b'(') || tokens.is(from, b'<') || tokens.is_word(from);
    let arrow = tokens.find(from, to, |at| tokens.is_operator(at, "=>"));
    (begins && arrow + 2 < to).then_some(arrow + 2)
}

/// The value that the function `name` in `from..to` gives without a block: `const make = () => new Pool()`.
pub(super) fn value_of_arrow(tokens: &Tokens, name: &str, from: usize, to: usize) -> Option<(usize, usize)> {
    let name = tokens.find(from, to, |at| tokens.word(at) == name);
    let equals = tokens.find(name, to, |at| tokens.is(at, b'=') && !tokens.is_operator(at, "=>"));
    let body = body_of_function(tokens, equals + 1, to).filter(|body| !tokens.is(*body, b'{'))?;
    let ends = |at: usize| tokens.is(at, b';');
    Some((body, tokens.find(body, to, ends)))
}

/// Whether no function is around a token in the block that begins at `body`.
pub(super) fn is_direct(tokens: &Tokens, at: usize, body: usize) -> bool {
    let mut around = tokens.around(at);
    while let Some(open) = around.filter(|open| *open > body) {
        let is_block = tokens.is(open, b'{')
            && open > 0
            && match tokens.partner(open - 1).filter(|_| tokens.is(open - 1, b')')) {
                Some(head) => head > 0 && CONTROL.contains(&tokens.word(head - 1)),
                None => {
                    matches!(tokens.word(open - 1), "else" | "try" | "do" | "finally")
                        || [b';', b'}', b'{'].iter().any(|sign| tokens.is(open - 1, *sign))
                }
            };
        if !is_block {
            return false;
        }
        around = tokens.around(open);
    }
    around == Some(body)
}
