//! Expressions and written types as tokens: chains of members and calls, the parts of a type, the result of a signature.

use super::family::Family;
use super::tokens::{TokenKind, Tokens};

/// One step of a chain. The figures are indexes of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChainStep {
    /// The name at the head of the chain.
    Name(usize),
    /// An expression in parentheses at the head.
    Group(usize, usize),
    /// A literal at the head.
    Literal,
    Member(usize),
    Call,
    Index,
    /// A cast to a written type.
    As(usize, usize),
}

/// An expression such as `pool.take().size`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MemberChain {
    pub steps: Vec<ChainStep>,
}

impl MemberChain {
    /// The chain before the dot at token `dot`.
    pub fn before(tokens: &Tokens, dot: usize) -> Option<MemberChain> {
        let mut steps = Vec::new();
        let mut at = dot.checked_sub(1)?;
        loop {
            // The sign of TypeScript that says that a value is there.
            while tokens.is(at, b'!') || tokens.is(at, b'?') {
                at = at.checked_sub(1)?;
            }
            match tokens.partner(at) {
                Some(open) if open < at => {
                    let is_postfix = open > 0 && is_operand(tokens, open - 1);
                    match tokens.word(at) {
                        ")" if is_postfix => steps.push(ChainStep::Call),
                        "]" if is_postfix => steps.push(ChainStep::Index),
                        ")" => {
                            steps.push(ChainStep::Group(open + 1, at));
                            break;
                        }
                        _ => {
                            steps.push(ChainStep::Literal);
                            break;
                        }
                    }
                    at = open - 1;
                }
                _ if tokens.is(at, b'>') => at = before_generics(tokens, at, ends_generics)?,
                _ if tokens.is_word(at) => {
                    let before = at.checked_sub(1);
                    // `...pool` is not a member.
                    let is_spread = at > 2 && tokens.is_operator(at - 3, "...");
                    if before.is_some_and(|before| tokens.is(before, b'.')) && !is_spread {
                        steps.push(ChainStep::Member(at));
                        at = at.checked_sub(2)?;
                    } else {
                        steps.push(ChainStep::Name(at));
                        break;
                    }
                }
                _ => {
                    let kind = tokens.at(at)?.kind;
                    if !matches!(kind, TokenKind::Literal | TokenKind::Number) {
                        return None;
                    }
                    steps.push(ChainStep::Literal);
                    break;
                }
            }
        }
        steps.reverse();
        Some(MemberChain { steps })
    }

    /// The chain that a range of tokens is.
    pub fn in_range(family: Family, tokens: &Tokens, from: usize, to: usize) -> Option<MemberChain> {
        let mut at = from;
        while matches!(tokens.word(at), "await" | "new" | "yield") && at + 1 < to {
            at += 1;
        }
        let mut steps = Vec::new();
        match tokens.partner(at) {
            Some(close) if close > at => {
                let is_group = tokens.is(at, b'(') && !tokens.is_operator(close + 1, "=>");
                let is_tuple = tokens.find(at + 1, close, |at| tokens.is(at, b',')) < close;
                steps.push(if is_group && !is_tuple {
                    ChainStep::Group(at + 1, close)
                } else {
                    ChainStep::Literal
                });
                if tokens.is_operator(close + 1, "=>") {
                    return None;
                }
                at = close + 1;
            }
            _ if tokens.is_word(at) => {
                let is_prefix = tokens.at(at + 1).is_some_and(|next| {
                    next.kind == TokenKind::Literal
                        && Some(next.start) == tokens.at(at).map(|token| token.end)
                });
                if is_prefix {
                    return Some(MemberChain { steps: vec![ChainStep::Literal] });
                }
                if matches!(tokens.word(at), "lambda" | "function" | "async" | "class" | "not" | "typeof") {
                    return None;
                }
                if matches!(
                    tokens.word(at),
                    "None" | "null" | "undefined" | "True" | "False" | "true" | "false"
                ) {
                    return Some(MemberChain { steps: vec![ChainStep::Literal] });
                }
                steps.push(ChainStep::Name(at));
                at += 1;
            }
            _ => {
                let kind = tokens.at(at)?.kind;
                return matches!(kind, TokenKind::Literal | TokenKind::Number)
                    .then(|| MemberChain { steps: vec![ChainStep::Literal] });
            }
        }
        while at < to {
            let close = tokens.partner(at).filter(|close| *close > at);
            match tokens.word(at) {
                "." if tokens.is_word(at + 1) => {
                    steps.push(ChainStep::Member(at + 1));
                    at += 2;
                }
                "?" if tokens.is(at + 1, b'.') && tokens.is_word(at + 2) => {
                    steps.push(ChainStep::Member(at + 2));
                    at += 3;
                }
                "!" if !tokens.is(at + 1, b'=') => at += 1,
                "(" => {
                    steps.push(ChainStep::Call);
                    at = close? + 1;
                }
                "[" => {
                    steps.push(ChainStep::Index);
                    at = close? + 1;
                }
                "<" if family == Family::Web => at = after_generics(tokens, at, to)?,
                "as" if family == Family::Web => {
                    return Some(MemberChain { steps: vec![ChainStep::As(at + 1, to)] });
                }
                // The other operand has the type of the first one in most code.
                "or" | "if" if family == Family::Python => break,
                "?" if tokens.is(at + 1, b'?') => break,
                "|" if tokens.is(at + 1, b'|') => break,
                _ => return None,
            }
        }
        Some(MemberChain { steps })
    }
}

fn is_operand(tokens: &Tokens, at: usize) -> bool {
    let is_keyword = matches!(
        tokens.word(at),
        "return"
            | "await"
            | "in"
            | "of"
            | "and"
            | "or"
            | "not"
            | "if"
            | "else"
            | "yield"
            | "typeof"
            | "case"
            | "new"
            | "is"
            | "assert"
            | "elif"
            | "while"
            | "for"
            | "raise"
            | "throw"
            | "delete"
            | "void"
    );
    is_end_of_operand(tokens, at, |_| is_keyword)
        || tokens.is(at, b'!') && at > 0 && (tokens.is_word(at - 1) || tokens.is(at - 1, b')'))
        || tokens.is(at, b'>')
            && before_generics(tokens, at, ends_generics).is_some_and(|at| tokens.is_word(at))
        || tokens.is(at, b'.') && at > 0 && tokens.is(at - 1, b'?')
}

/// Whether a word that is not a keyword, or a bracket, ends an operand at `at`.
pub(super) fn is_end_of_operand(tokens: &Tokens, at: usize, is_keyword: impl Fn(&str) -> bool) -> bool {
    tokens.is_word(at) && !is_keyword(tokens.word(at)) || tokens.is(at, b')') || tokens.is(at, b']')
}

/// Whether a token is never part of generic arguments of TypeScript.
fn ends_generics(word: &str) -> bool {
    matches!(word, ";" | "&")
}

/// The token before the generic arguments that `close` ends. A token that `ends` holds for is in none.
pub(super) fn before_generics(tokens: &Tokens, close: usize, ends: impl Fn(&str) -> bool) -> Option<usize> {
    let mut depth = 0;
    for at in (close.saturating_sub(60)..=close).rev() {
        match tokens.word(at) {
            ">" if !is_arrow(tokens, at) => depth += 1,
            "<" => depth -= 1,
            word if ends(word) => return None,
            _ => {}
        }
        if depth == 0 {
            return at.checked_sub(1);
        }
    }
    None
}

/// Whether the `>` at `at` is the end of `->` or `=>`.
pub(super) fn is_arrow(tokens: &Tokens, at: usize) -> bool {
    at > 0 && (tokens.is(at - 1, b'-') || tokens.is(at - 1, b'='))
}

/// The token after the generic arguments that begin at `open`, if a call or the end follows.
fn after_generics(tokens: &Tokens, open: usize, to: usize) -> Option<usize> {
    end_of_generics(tokens, open, to).filter(|at| *at == to || tokens.is(*at, b'('))
}

/// The token after the generic arguments or parameters that begin at `open`.
fn end_of_generics(tokens: &Tokens, open: usize, to: usize) -> Option<usize> {
    let mut depth = 0;
    for at in open..to {
        match tokens.word(at) {
            "<" => depth += 1,
            ">" if !tokens.is(at - 1, b'=') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// A part of a written type.
pub(super) enum TypePart {
    /// The type of the object itself.
    SelfType,
    /// A type that may be any.
    Unknown,
    /// A type of the language or of a library.
    Outside,
    Name(MemberChain),
    /// The type itself, not an object of the type.
    Class(MemberChain),
    Value(MemberChain),
    /// A name in quotes, at this token.
    Quoted(usize, String),
}

/// Types around the type that counts, because members of the inner type are reached through the outer one.
const WRAPPERS: &[&str] = &[
    "Optional",
    "Annotated",
    "Final",
    "ClassVar",
    "Required",
    "NotRequired",
    "Awaitable",
    "Coroutine",
    "Promise",
    "PromiseLike",
    "Readonly",
    "Partial",
    "NonNullable",
    "Awaited",
    "Union",
    "DeepPartial",
];

pub(super) fn type_parts(family: Family, tokens: &Tokens, from: usize, to: usize) -> Vec<TypePart> {
    let mut parts = Vec::new();
    let mut start = from;
    while start < to {
        let end = end_of_union_part(tokens, start, to);
        if end > start {
            type_part(family, tokens, start, end, &mut parts);
        }
        start = end + 1;
    }
    parts
}

/// The next `|` or `&` outside of brackets and of generic arguments.
fn end_of_union_part(tokens: &Tokens, from: usize, to: usize) -> usize {
    let mut depth = 0;
    tokens.find(from, to, |_| false);
    let mut at = from;
    while at < to {
        match tokens.word(at) {
            "<" => depth += 1,
            ">" if at > 0 && !tokens.is(at - 1, b'=') => depth -= 1,
            "|" | "&" if depth == 0 => return at,
            _ => {}
        }
        at = match tokens.partner(at) {
            Some(close) if close > at => close + 1,
            _ => at + 1,
        };
    }
    to
}

fn type_part(family: Family, tokens: &Tokens, from: usize, to: usize, parts: &mut Vec<TypePart>) {
    let first = tokens.word(from);
    match first {
        "None" | "null" | "undefined" | "void" | "never" => return,
        "Any" | "any" | "unknown" | "object" => return parts.push(TypePart::Unknown),
        "Self" | "this" => return parts.push(TypePart::SelfType),
        "readonly" => return type_part(family, tokens, from + 1, to, parts),
        "typeof" => {
            let chain = MemberChain::in_range(family, tokens, from + 1, to);
            return parts.extend(chain.map(TypePart::Value));
        }
        "keyof" | "infer" => return parts.push(TypePart::Unknown),
        _ => {}
    }
    match tokens.at(from).map(|token| token.kind) {
        Some(TokenKind::Literal) if to == from + 1 => {
            let inner = first.trim_matches(['"', '\'']);
            let is_name = |name: &str| {
                !name.is_empty() && name.chars().all(|c| c == '_' || c == '.' || c.is_alphanumeric())
            };
            let names = inner.split('|').map(str::trim).filter(|name| *name != "None");
            let before = parts.len();
            parts.extend(names.filter(|name| is_name(name)).map(|name| TypePart::Quoted(from, name.into())));
            if parts.len() == before {
                parts.push(TypePart::Unknown);
            }
            return;
        }
        Some(TokenKind::Word) => {}
        Some(TokenKind::Sign(b'(')) if tokens.partner(from) == Some(to - 1) => {
            return parts.extend(type_parts(family, tokens, from + 1, to - 1));
        }
        _ => return parts.push(TypePart::Unknown),
    }
    let mut name_end = from + 1;
    while tokens.is(name_end, b'.') && tokens.is_word(name_end + 1) && name_end + 1 < to {
        name_end += 2;
    }
    let last = tokens.word(name_end - 1);
    let inner = arguments(tokens, from, to);
    if WRAPPERS.contains(&last) && !inner.is_empty() {
        let typed: &[(usize, usize)] = match last {
            "Union" => &inner,
            "Coroutine" => &inner[inner.len() - 1..],
            _ => &inner[..1],
        };
        for (from, to) in typed {
            parts.extend(type_parts(family, tokens, *from, *to));
        }
        return;
    }
    if matches!(last, "Type" | "type") && family == Family::Python {
        for (from, to) in inner.iter().take(1) {
            let chain = MemberChain::in_range(family, tokens, *from, *to);
            parts.extend(chain.map(TypePart::Class));
        }
        return;
    }
    // An array is not one of its elements.
    if tokens.is(to - 1, b']') && family == Family::Web {
        return parts.push(TypePart::Outside);
    }
    let steps = (from..name_end)
        .step_by(2)
        .map(|at| if at == from { ChainStep::Name(at) } else { ChainStep::Member(at) });
    parts.push(TypePart::Name(MemberChain { steps: steps.collect() }));
}

/// The generic arguments of the type in `from..to`, or the element type of an array.
pub(super) fn arguments(tokens: &Tokens, from: usize, to: usize) -> Vec<(usize, usize)> {
    if to >= from + 3 && tokens.is(to - 1, b']') && tokens.is(to - 2, b'[') {
        return vec![(from, to - 2)];
    }
    let open = (from..to).find(|at| tokens.is(*at, b'[') || tokens.is(*at, b'<'));
    let Some(open) = open else { return Vec::new() };
    if tokens.is(open, b'[') {
        return tokens.partner(open).map_or_else(Vec::new, |close| tokens.split(open + 1, close));
    }
    let (mut parts, mut depth, mut start) = (Vec::new(), 1, open + 1);
    let mut at = open + 1;
    while at < to && depth > 0 {
        match tokens.word(at) {
            "<" => depth += 1,
            ">" if !tokens.is(at - 1, b'=') => depth -= 1,
            _ => {}
        }
        let ends = depth == 0 || depth == 1 && tokens.is(at, b',');
        if ends && at > start {
            parts.push((start, at));
        }
        if ends {
            start = at + 1;
        }
        at = match tokens.partner(at) {
            Some(close) if close > at => close + 1,
            _ => at + 1,
        };
    }
    parts
}

/// The base types that the signature of a type writes after the type's name.
pub(super) fn base_types(family: Family, tokens: &Tokens, from: usize, to: usize) -> Vec<(usize, usize)> {
    match family {
        Family::Python => {
            let open = tokens.find(from, to, |at| tokens.is(at, b'('));
            let Some(close) = tokens.partner(open).filter(|_| open < to) else { return Vec::new() };
            let is_base = |(from, to): &(usize, usize)| {
                tokens.find(*from, *to, |at| tokens.is(at, b'=')) == *to && tokens.is_word(*from)
            };
            tokens.split(open + 1, close).into_iter().filter(is_base).collect()
        }
        Family::Web => {
            // `extends` in the type parameters is a bound and no base.
            let bounds = tokens.is(from, b'<').then(|| end_of_generics(tokens, from, to)).flatten();
            let (mut found, mut at) = (Vec::new(), bounds.unwrap_or(from));
            while at < to {
                if !matches!(tokens.word(at), "extends" | "implements") {
                    at += 1;
                    continue;
                }
                let is_end = |at: usize| matches!(tokens.word(at), "implements" | "{");
                let (mut start, mut depth) = (at + 1, 0);
                at += 1;
                while at < to && (depth > 0 || !is_end(at)) {
                    match tokens.word(at) {
                        "<" => depth += 1,
                        ">" => depth -= 1,
                        "," if depth == 0 => {
                            found.push((start, at));
                            start = at + 1;
                        }
                        _ => {}
                    }
                    at += 1;
                }
                found.push((start, at));
            }
            found.retain(|(from, to)| from < to);
            found
        }
        _ => Vec::new(),
    }
}

/// The first token, and the token behind the last one.
pub(super) type TokenRange = (usize, usize);

/// The written result of the function `name` whose signature begins at `start`, and the written type of its `self`.
pub(super) fn return_type(
    family: Family,
    tokens: &Tokens,
    start: usize,
    end: usize,
    name: &str,
) -> Option<(TokenRange, Option<TokenRange>)> {
    let name = (start..end).find(|at| tokens.word(*at) == name)?;
    let limit = end.min(name + 80);
    let open = (name + 1..limit).find(|at| tokens.is(*at, b'('))?;
    let close = tokens.partner(open)?;
    let of_self = tokens.split(open + 1, close).first().and_then(|(from, to)| {
        let is_typed = matches!(tokens.word(*from), "self" | "cls") && tokens.is(from + 1, b':');
        is_typed.then_some((from + 2, *to))
    });
    match family {
        Family::Python if tokens.is_operator(close + 1, "->") => {
            let to = tokens.find(close + 3, end, |at| tokens.is(at, b':'));
            Some(((close + 3, to), of_self))
        }
        Family::Web if tokens.is(close + 1, b':') => {
            let mut depth = 0;
            let mut at = close + 2;
            while at < end {
                match tokens.word(at) {
                    "<" => depth += 1,
                    ">" if !tokens.is(at - 1, b'=') => depth -= 1,
                    "{" | ";" if depth == 0 => break,
                    "=" if depth == 0 => break,
                    _ => {}
                }
                let begins_line = tokens.at(at).is_some_and(|token| token.indent.is_some());
                if depth == 0 && begins_line && tokens.is_word(at) && at > close + 2 {
                    break;
                }
                at = match tokens.partner(at) {
                    Some(close) if close > at => close + 1,
                    _ => at + 1,
                };
            }
            (at > close + 2).then_some(((close + 2, at), None))
        }
        _ => None,
    }
}

/// The end of the statement around `at`.
pub(super) fn end_of_statement(family: Family, tokens: &Tokens, at: usize, end: usize) -> usize {
    tokens.find(at, end, |index| {
        let begins_line = index > at && tokens.at(index).is_some_and(|token| token.indent.is_some());
        let continues = family == Family::Web && tokens.is(index, b'.');
        tokens.is(index, b';') || tokens.is(index, b'}') || begins_line && !continues
    })
}
