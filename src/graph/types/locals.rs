//! Declarations of local names in the tokens of an item: those of Go and Rust, whose patterns and lists of names other languages do not
//! have.

use super::sources;
use crate::declarations::{LocalSource, ValuePart};
use crate::family::Family;
use crate::generics::end_of_type;
use crate::tokens::Tokens;

/// The nearest declaration of `name` before a token.
pub(super) fn declaration(
    language: &'static str,
    tokens: &Tokens,
    name: &str,
    before: usize,
) -> Option<LocalSource> {
    let of = match language {
        "rust" => rust,
        "go" => go,
        _ => return sources::declaration(tokens, language, name, before),
    };
    (0..before).rev().filter(|at| tokens.word(*at) == name).find_map(|at| of(tokens, at, before))
}

/// Whether the innermost block around `at` also contains `before`.
fn is_in_scope(tokens: &Tokens, at: usize, before: usize) -> bool {
    let mut around = tokens.around(at);
    while let Some(open) = around.filter(|open| !tokens.is(*open, b'{')) {
        around = tokens.around(open);
    }
    around.and_then(|open| tokens.partner(open)).is_none_or(|close| close > before)
}

/// Whether the block after the bracket at `open` contains `before`.
fn is_in_body(tokens: &Tokens, open: usize, before: usize) -> bool {
    let Some(close) = tokens.partner(open) else { return false };
    // `interface{}` may be the type of a parameter.
    let begins_body =
        |at: &usize| tokens.is(*at, b'{') && !matches!(tokens.word(at - 1), "interface" | "struct");
    let body = (close + 1..(close + 60).min(tokens.len())).find(begins_body);
    body.and_then(|body| tokens.partner(body)).is_none_or(|end| before < end)
}

fn rust(tokens: &Tokens, at: usize, before: usize) -> Option<LocalSource> {
    let (mut first, mut end, mut parts) = (at, at + 1, Vec::new());
    loop {
        while first > 0 && (matches!(tokens.word(first - 1), "mut" | "ref") || tokens.is(first - 1, b'&')) {
            first -= 1;
        }
        let previous = tokens.word(first.checked_sub(1)?);
        if parts.is_empty() && tokens.is(end, b':') && !is_path(tokens, end) {
            return rust_typed(tokens, (first, at), before);
        }
        match previous {
            "let" => return rust_let(tokens, (first, end), before, parts),
            "for" => {
                let body = tokens.find(end, before, |at| tokens.is(at, b'{'));
                let is_loop = tokens.word(end) == "in" && body < before;
                parts.push(ValuePart::Element);
                parts.reverse();
                let is_visible = is_loop && tokens.partner(body).is_some_and(|close| close > before);
                return is_visible.then_some(LocalSource::Value(end + 1, body, parts));
            }
            "|" | ","
                if let Some(open) = closure_open(tokens, first)
                    && tokens.around(open) == tokens.around(first) =>
            {
                parts.reverse();
                return closure_parameter(tokens, open, first, before, parts);
            }
            _ if tokens.is_operator(end, "=>") || tokens.word(end) == "if" => {
                return match_arm(tokens, first, end, before, parts);
            }
            _ => (first, end) = pattern_around(tokens, first, &mut parts)?,
        }
    }
}

fn is_path(tokens: &Tokens, at: usize) -> bool {
    tokens.is(at, b':') && tokens.is(at + 1, b':')
}

/// The pattern around the part of a pattern that begins at `part`: its first token, and the token after it.
fn pattern_around(tokens: &Tokens, part: usize, parts: &mut Vec<ValuePart>) -> Option<(usize, usize)> {
    let open = tokens.around(part)?;
    let end = tokens.partner(open)? + 1;
    let has_name = open > 0 && tokens.is_word(open - 1) && !is_keyword(tokens.word(open - 1));
    let starts =
        |at: usize| at > 0 && (tokens.is(at - 1, b'{') || tokens.is(at - 1, b'(') || tokens.is(at - 1, b','));
    if tokens.is(open, b'{') {
        let is_renamed = part > 1 && tokens.is(part - 1, b':') && !tokens.is(part - 2, b':');
        let field = if is_renamed { part - 2 } else { part };
        if !has_name || !starts(field) {
            return None;
        }
        parts.push(ValuePart::OfField(open - 1, field));
    } else if !tokens.is(open, b'(') || !starts(part) {
        return None;
    } else {
        let place = tokens.split(open + 1, part).len();
        parts.push(if has_name { ValuePart::OfVariant(open - 1, place) } else { ValuePart::OfTuple(place) });
    }
    let mut first = if has_name { open - 1 } else { open };
    while has_name && first > 2 && is_path(tokens, first - 2) && tokens.is_word(first - 3) {
        first -= 3;
    }
    Some((first, end))
}

/// A name at `at` with a type after it, in a pattern that begins at `first`.
fn rust_typed(tokens: &Tokens, (first, at): (usize, usize), before: usize) -> Option<LocalSource> {
    let is_let = matches!(tokens.word(first - 1), "let" | "const" | "static");
    let in_braces = tokens.around(at).is_none_or(|open| tokens.is(open, b'{'));
    let is_parameter = match tokens.word(first - 1) {
        "|" => true,
        "," => !in_braces || is_closure_part(tokens, first),
        "(" => true,
        _ => false,
    };
    if !is_let && !is_parameter || is_let && !is_in_scope(tokens, at, before) {
        return None;
    }
    let ends = |at: usize| [b',', b'=', b';', b'|'].iter().any(|sign| tokens.is(at, *sign));
    let end = end_of_type(tokens, at + 2, tokens.len(), ends);
    // The value tells what `Vec<_>` holds.
    let is_list = matches!(tokens.word(at + 2), "BTreeSet" | "HashSet" | "Vec" | "VecDeque");
    if is_let && is_list && tokens.is(end, b'=') && (at + 2..end).any(|at| tokens.word(at) == "_") {
        return rust_let(tokens, (first, end), before, Vec::new());
    }
    Some(LocalSource::Written(at + 2, end))
}

/// A name in the pattern `first..end` after `let`.
fn rust_let(
    tokens: &Tokens,
    (first, end): (usize, usize),
    before: usize,
    mut parts: Vec<ValuePart>,
) -> Option<LocalSource> {
    let equals = tokens.find(end, before, |at| tokens.is(at, b'='));
    let is_condition = first > 1 && matches!(tokens.word(first - 2), "if" | "while" | "&");
    let ends =
        |at: usize| tokens.is(at, b';') || tokens.word(at) == "else" || is_condition && tokens.is(at, b'{');
    let value_end = tokens.find(equals + 1, tokens.len(), ends);
    let is_visible = equals < before && value_end <= before && is_in_scope(tokens, first, before);
    parts.reverse();
    is_visible.then_some(LocalSource::Value(equals + 1, value_end, parts))
}

fn is_keyword(word: &str) -> bool {
    matches!(word, "let" | "for" | "in" | "if" | "match" | "return" | "while" | "else" | "fn" | "mut" | "ref")
}

/// The parameter that begins at `first` of the closure whose parameters the bar at `open` begins.
fn closure_parameter(
    tokens: &Tokens,
    open: usize,
    first: usize,
    before: usize,
    parts: Vec<ValuePart>,
) -> Option<LocalSource> {
    let close = tokens.find(open + 1, tokens.len(), |at| tokens.is(at, b'|'));
    let numbers = (tokens.split(open + 1, first).len(), tokens.split(open + 1, close).len());
    let begin = if open > 0 && tokens.word(open - 1) == "move" { open - 1 } else { open };
    Some(sources::lambda_parameter((Family::Rust, tokens), begin, before, numbers, parts))
}

/// Whether a token is in the parameters of a closure, between two `|`.
fn is_closure_part(tokens: &Tokens, at: usize) -> bool {
    closure_open(tokens, at).is_some()
}

/// The bar before the parameters of the closure that a token is in.
fn closure_open(tokens: &Tokens, at: usize) -> Option<usize> {
    let near = (at.saturating_sub(30)..at).rev();
    let open = near.take_while(|at| ![b';', b'{', b'}', b'='].iter().any(|sign| tokens.is(*at, *sign)));
    let open = open.into_iter().find(|at| tokens.is(*at, b'|'))?;
    // The first bar of an `or` follows an operand.
    let is_operator =
        open > 0 && (tokens.is_word(open - 1) || tokens.is(open - 1, b')') || tokens.is(open - 1, b'|'));
    (!is_operator || tokens.word(open - 1) == "move").then_some(open)
}

/// A name in the pattern `first..end` of an arm of `match`.
fn match_arm(
    tokens: &Tokens,
    first: usize,
    end: usize,
    before: usize,
    mut parts: Vec<ValuePart>,
) -> Option<LocalSource> {
    let open = tokens.around(first).filter(|open| tokens.is(*open, b'{'))?;
    let arrow = tokens.find(end, before, |at| tokens.is_operator(at, "=>"));
    let body = arrow + 2;
    let body_end = match tokens.partner(body) {
        Some(close) if tokens.is(body, b'{') => close,
        _ => tokens.find(body, tokens.len(), |at| tokens.is(at, b',') || tokens.is(at, b'}')),
    };
    if arrow >= before || body_end <= before {
        return None;
    }
    let near = (open.saturating_sub(80)..open).rev();
    let head =
        near.into_iter().find(|at| tokens.word(*at) == "match" && tokens.around(*at) == tokens.around(open));
    parts.reverse();
    head.map(|head| LocalSource::Value(head + 1, open, parts))
}

fn go(tokens: &Tokens, at: usize, before: usize) -> Option<LocalSource> {
    if at > 0 && tokens.is(at - 1, b'.') {
        return None;
    }
    // A list of names.
    let (mut first, mut last) = (at, at);
    while first > 1 && tokens.is(first - 1, b',') && tokens.is_word(first - 2) {
        first -= 2;
    }
    while tokens.is(last + 1, b',') && tokens.is_word(last + 2) {
        last += 2;
    }
    let place = (at - first) / 2;
    let is_only = first == last;
    let after = last + 1;
    if tokens.is_operator(after, ":=") || tokens.is(after, b'=') && is_declared_with_var(tokens, first) {
        let from = if tokens.is(after, b'=') { after + 1 } else { after + 2 };
        if let Some(source) = go_type_switch(tokens, from, before) {
            return Some(source);
        }
        let is_range = tokens.word(from) == "range";
        let is_case = tokens.word(first - 1) == "case";
        let ends = |index: usize| {
            let is_line = index > from
                && tokens.at(index).is_some_and(|token| token.indent.is_some())
                && ![b'.', b'(', b',', b'&', b'|', b'+'].iter().any(|sign| tokens.is(index - 1, *sign));
            is_line
                || is_case && tokens.is(index, b':')
                || tokens.is(index, b';')
                || tokens.is(index, b'}')
                || is_range && tokens.is(index, b'{')
        };
        let end = tokens.find(from, tokens.len(), ends);
        if !is_in_scope(tokens, at, before) || end > before {
            return None;
        }
        if is_range {
            let part = if place == 0 { ValuePart::Received } else { ValuePart::Element };
            return Some(LocalSource::Value(from + 1, end, vec![part]));
        }
        let values = tokens.split(from, end);
        if values.len() > 1 {
            return values.get(place).map(|(from, to)| LocalSource::Value(*from, *to, Vec::new()));
        }
        let parts = match (is_only, place) {
            (true, _) => Vec::new(),
            // `pool, ok := pools[key]`.
            (false, 0) if tells_success(tokens, from, end) => Vec::new(),
            (false, _) => vec![ValuePart::OfTuple(place)],
        };
        return Some(LocalSource::Value(from, end, parts));
    }
    if is_declared_with_var(tokens, first) {
        let ends = |index: usize| {
            let is_line = tokens.at(index).is_some_and(|token| token.indent.is_some());
            tokens.is(index, b'=') || index > after && is_line || tokens.is(index, b';')
        };
        let end = end_of_type(tokens, after, tokens.len(), ends);
        return is_in_scope(tokens, at, before).then_some(LocalSource::Written(after, end));
    }
    let open = tokens.around(at).filter(|open| tokens.is(*open, b'(') && *open > 0)?;
    let is_list = |open: usize| {
        let is_named = open > 1
            && tokens.is_word(open - 1)
            && (tokens.word(open - 2) == "func" || tokens.is(open - 2, b')'));
        open > 0 && (tokens.word(open - 1) == "func" || is_named)
    };
    // The results behind the parameters may have names too.
    let parameters = tokens.partner(open - 1).filter(|_| tokens.is(open - 1, b')'));
    let is_function = is_list(open) || parameters.is_some_and(is_list);
    // In `next http.Handler`, the package is not a parameter.
    let is_name = tokens.is(at - 1, b'(') || tokens.is(at - 1, b',');
    let is_type = tokens.is_word(after)
        || tokens.is_operator(after, "...")
        || [b'*', b'['].iter().any(|sign| tokens.is(after, *sign));
    if !is_function || !is_name || !is_type || !is_in_body(tokens, open, before) {
        return None;
    }
    let end = end_of_type(tokens, after, tokens.len(), |index| tokens.is(index, b','));
    Some(LocalSource::Written(after, end))
}

/// The type of the case around `before` of a switch over the type of the value at `from`: `switch own := any.(type) { case *Pool: ... }`.
fn go_type_switch(tokens: &Tokens, from: usize, before: usize) -> Option<LocalSource> {
    let open = tokens.find(from, before, |at| tokens.is(at, b'{'));
    let is_one_line = (from + 1..open).all(|at| tokens.at(at).is_some_and(|token| token.indent.is_none()));
    let is_switch = is_one_line && open > 2 && tokens.word(open - 2) == "type" && tokens.is(open - 3, b'(');
    let close = tokens.partner(open).filter(|close| is_switch && before < *close)?;
    let is_clause =
        |at: &usize| matches!(tokens.word(*at), "case" | "default") && tokens.around(*at) == Some(open);
    let case = (open..before).rev().find(is_clause)?;
    let colon = tokens.find(case, close, |at| tokens.is(at, b':'));
    Some(match tokens.split(case + 1, colon)[..] {
        [(from, to)] => LocalSource::Written(from, to),
        _ => LocalSource::Value(from, open.saturating_sub(4), Vec::new()),
    })
}

/// Whether a value of Go may be followed by whether there is one: that of a key, of a type assertion, and of a channel.
fn tells_success(tokens: &Tokens, from: usize, end: usize) -> bool {
    let open = end.checked_sub(1).and_then(|last| tokens.partner(last)).filter(|open| *open > from);
    let is_key = |open: usize| tokens.is(open, b'[') && !tokens.is(open - 1, b']');
    tokens.is_operator(from, "<-") || open.is_some_and(|open| is_key(open) || tokens.is(open - 1, b'.'))
}

/// Whether the names from `first` on are declared with `var`, alone or in a list in parentheses.
fn is_declared_with_var(tokens: &Tokens, first: usize) -> bool {
    let is_var = |at: usize| matches!(tokens.word(at), "var" | "const");
    let is_listed = || {
        let open = tokens.around(first).filter(|open| tokens.is(*open, b'(') && *open > 0);
        open.is_some_and(|open| is_var(open - 1))
            && tokens.at(first).is_some_and(|token| token.indent.is_some())
    };
    first > 0 && is_var(first - 1) || is_listed()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// The declaration of `pool` before the last `pool` of `text`, as text.
    fn check(language: &'static str, text: &str, expected: &str) {
        let tokens = Tokens::new(language, Arc::new(text.to_string()), &[], std::rc::Rc::default());
        let before = (0..tokens.len()).rfind(|at| tokens.word(*at) == "pool").unwrap();
        let shown = match declaration(language, &tokens, "pool", before) {
            None => "-".to_string(),
            Some(LocalSource::Untyped | LocalSource::Item) => "?".to_string(),
            Some(LocalSource::Parameter(own)) => {
                format!("{}/{}/{}", tokens.word(own.called), own.argument, own.number)
            }
            Some(LocalSource::HandedOut(called, argument)) => format!("{}/{argument}", tokens.word(called)),
            Some(LocalSource::Written(from, to) | LocalSource::PartOfType(from, to, _)) => {
                format!(": {}", tokens.text(from, to))
            }
            Some(LocalSource::Value(from, to, parts)) => {
                let part = |part: &ValuePart| match part {
                    ValuePart::Received => " received".to_string(),
                    ValuePart::Element | ValuePart::Entered | ValuePart::Member(_) => " element".to_string(),
                    ValuePart::OfTuple(place) | ValuePart::Parameter(place) => format!(" .{place}"),
                    ValuePart::OfField(name, field) => {
                        format!(" {}.{}", tokens.word(*name), tokens.word(*field))
                    }
                    ValuePart::OfVariant(name, place) => format!(" {}.{place}", tokens.word(*name)),
                };
                format!("= {}{}", tokens.text(from, to), parts.iter().map(part).collect::<String>())
            }
        };
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn declarations_of_rust_are_found() {
        check("rust", "fn f(a: u8, pool: &mut Pool<u8>) { pool.take() }", ": &mut Pool<u8>");
        check("rust", "fn f() { let mut pool: Pool = make(); pool.take() }", ": Pool");
        check("rust", "fn f() { let pool = make()?; pool.take() }", "= make()?");
        check("rust", "fn f() { { let pool = 1; } pool.take() }", "-");
        check("rust", "fn f() { let Some(pool) = find(1) else { return }; pool.take() }", "= find(1) Some.0");
        check("rust", "fn f() { if let Ok((a, pool)) = find(1) { pool.take() } }", "= find(1) Ok.0 .1");
        check("rust", "fn f() { for pool in &self.pools { pool.take() } }", "= &self.pools element");
        check("rust", "fn f() { match x { Kind::A(ref pool) => pool.take(), _ => 1 } }", "= x A.0");
        check("rust", "fn f() { match x { Kind::A { a, b: pool } => { pool.take() } } }", "= x A.b");
        check("rust", "fn f() { let Kind { pool, .. } = x; pool.take() }", "= x Kind.pool");
        check("rust", "fn f() { all.map(|pool| pool.take()) }", "map/0/0");
        check("rust", "m!(|a: u8, pool: Pool| { pool.take() })", ": Pool");
        check("rust", "fn f() { Pool { a: 1, pool: 2 }; pool.take() }", "-");
    }

    #[test]
    fn declarations_of_go_are_found() {
        check("go", "func (pool *Pool) f() { pool.Take() }", ": *Pool");
        check("go", "func f(a, pool *Pool, b int) { pool.Take() }", ": *Pool");
        check("go", "func f(pool *Pool) (int, error) { pool.Take() }", ": *Pool");
        check("go", "func f(n int, pool ...Pool) { pool.Take() }", ": ...Pool");
        check("go", "func f(next pool.Kind) pool.Kind { pool.Take() }", "-");
        check("go", "func f(n int) (pool *Pool, err error) { pool.Take() }", ": *Pool");
        check("go", "func (a A) f(n int) (n int, pool Pool) { pool.Take() }", ": Pool");
        check(
            "go",
            "func f() {\n\tpool := Make(1).\n\t\tOther()\n\tpool.Take()\n}",
            "= Make(1).\n\t\tOther()",
        );
        check("go", "func f() {\n\tpool, err := Make()\n\tpool.Take()\n}", "= Make() .0");
        check("go", "func f() {\n\ta, pool := b, c\n\tpool.Take()\n}", "= c");
        check("go", "func f() {\n\tfor _, pool := range all {\n\t\tpool.Take()\n\t}\n}", "= all element");
        check("go", "func f() {\n\tvar pool Pool\n\tpool.Take()\n}", ": Pool");
        check("go", "func f() {\n\tg(func(pool *Pool) error {\n\t\treturn pool.Take()\n\t})\n}", ": *Pool");
    }

    #[test]
    fn declarations_of_java_are_found() {
        check("java", "void f(final Pool pool) { pool.take(); }", ": Pool");
        check("java", "void f() { Map<A, List<B>> pool = x; pool.take(); }", ": Map<A, List<B>>");
        check("java", "void f() { var pool = make(); pool.take(); }", "= make()");
        check("java", "void f() { for (Pool pool : pools) { pool.take(); } }", ": Pool");
        check("java", "void f() { return pool; pool.take(); }", "-");
        check("java", "void f() { all.map(pool -> pool.take()); }", "map/0/0");
    }
}
