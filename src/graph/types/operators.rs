//! The types of expressions with casts, and with operators that choose among values.

use super::evaluate::unique;
use super::functions::is_function;
use super::operands::{is_literal, is_operand};
use super::site::Site;
use super::written::{LIST, WrittenType, written};
use crate::family::Family;
use crate::files::Graph;
use crate::tokens::Tokens;
use spyhop_search::SearchError;

impl Graph<'_> {
    /// The types of an expression with casts and with operators that choose among values: `value as T`, `(T) value`, `a ?: b`, `a ?? b`,
    /// `a ? b : c`.
    pub(super) fn common_operand(
        &self,
        site: &Site<'_>,
        from: usize,
        to: usize,
    ) -> Result<Vec<WrittenType>, SearchError> {
        let (tokens, family, mut from) = (&site.item.tokens, self.family(site.file), from);
        let is_any = |at: usize, signs: &[u8]| signs.iter().any(|sign| tokens.is(at, *sign));
        let is_prefix = |at: usize| {
            matches!(
                tokens.word(at),
                "await" | "clone" | "co_await" | "out" | "ref" | "return" | "throw" | "try" | "yield"
            )
        };
        while from < to
            && (is_any(from, b"&*")
                || is_prefix(from)
                || from > 0 && is_any(from, b"?!") && is_prefix(from - 1))
        {
            from += 1;
        }
        if from >= to {
            return Ok(Vec::new());
        }
        // `from pool in pools where ... select pool`.
        if site.language == "csharp" && tokens.word(from) == "from" && tokens.is_word(from + 1) {
            let select = tokens.find(from + 1, to, |at| tokens.word(at) == "select");
            let held = self.in_range(site, select + 1, to)?;
            return Ok(vec![WrittenType::new(site.file, LIST).with(held)]);
        }
        let choice = tokens
            .find(from + 1, to, |at| ["?:", "??", "||"].iter().any(|sign| tokens.is_operator(at, sign)));
        if choice < to {
            let first = self.in_range(site, from, choice)?;
            return if first.is_empty() { self.in_range(site, choice + 2, to) } else { Ok(first) };
        }
        let cast = tokens.find(from + 1, to, |at| tokens.word(at) == "as");
        if cast < to {
            let begin = cast + 1 + usize::from(is_any(cast + 1, b"?!"));
            return Ok(written((family, site.file), &site.item, begin, to));
        }
        let condition = tokens.find(from + 1, to, |at| tokens.is(at, b'?') && !is_any(at + 1, b".[:)"));
        let colon = tokens.find(condition + 1, to, |at| {
            tokens.is(at, b':') && !is_any(at + 1, b":") && !is_any(at - 1, b":")
        });
        if condition + 1 < colon && colon < to {
            let first = self.in_range(site, condition + 1, colon)?;
            return if first.is_empty() { self.in_range(site, colon + 1, to) } else { Ok(first) };
        }
        if let Some(close) = tokens.partner(from).filter(|close| tokens.is(from, b'(') && close + 1 < to) {
            let is_value = is_operand(family, tokens, close + 1)
                || tokens.is(close + 1, b'(')
                || tokens.word(close + 1) == "new";
            if is_value && tokens.is_word(from + 1) {
                return Ok(written((family, site.file), &site.item, from + 1, close));
            }
        }
        let evaluated = self.ending_at(site, to - 1)?;
        Ok(evaluated.filter(|(_, first)| *first == from).map_or_else(Vec::new, |(types, _)| types))
    }

    /// The types of an expression of Python or of the web: of `a` in `await a`, in `a or b`, in `a ?? b` and in `a if b else c`.
    pub(super) fn operand(
        &self,
        site: &Site<'_>,
        from: usize,
        to: usize,
    ) -> Result<Vec<WrittenType>, SearchError> {
        let (tokens, family, mut from) = (&site.item.tokens, self.family(site.file), from);
        while matches!(tokens.word(from), "await" | "yield") && from + 1 < to {
            from += 1;
        }
        if is_literal(tokens, from) {
            return Ok(vec![WrittenType::outside()]);
        }
        if matches!(tokens.word(from), "lambda" | "function" | "async" | "class" | "not" | "typeof")
            || family == Family::Web && is_function(tokens, from, to)
        {
            return Ok(Vec::new());
        }
        if family == Family::Web
            && let Some((condition, colon)) = conditional(tokens, from, to)
        {
            let mut found = self.operand(site, condition + 1, colon)?;
            found.extend(self.operand(site, colon + 1, to)?);
            unique(&mut found);
            return Ok(found);
        }
        if family == Family::Python && tokens.find(from, to, |at| tokens.is(at, b',')) < to {
            return self.tuple(site, tokens.split(from, to));
        }
        let end = tokens.find(from, to, |at| match family {
            Family::Python => matches!(tokens.word(at), "or" | "if"),
            _ => tokens.word(at) == "as" || ["??", "||"].iter().any(|sign| tokens.is_operator(at, sign)),
        });
        if family == Family::Web && end < to && tokens.word(end) == "as" {
            return Ok(written((family, site.file), &site.item, end + 1, to));
        }
        // The constructor of a module: `new pool.Pool()`.
        let is_new = tokens.word(from) == "new";
        let is_whole = |first: usize| first == from || is_new && first == from + 1;
        let Some(last) = end.checked_sub(1).filter(|last| *last >= from) else { return Ok(Vec::new()) };
        let evaluated = self.ending_at(site, last)?.filter(|(_, first)| is_whole(*first));
        let found = evaluated.map_or_else(Vec::new, |(types, _)| types);
        // The other value, where the first one tells nothing.
        let other = match family {
            Family::Python if tokens.word(end) == "if" => {
                tokens.find(end, to, |at| tokens.word(at) == "else") + 1
            }
            Family::Python => end + 1,
            _ => end + 2,
        };
        if other < to && found.iter().all(WrittenType::is_outside) {
            return self.operand(site, other, to);
        }
        Ok(found)
    }
}

/// The signs of a conditional expression of the web: `a ? b : c`.
fn conditional(tokens: &Tokens, from: usize, to: usize) -> Option<(usize, usize)> {
    let is_chained =
        |at: usize| tokens.is(at - 1, b'?') || tokens.is(at + 1, b'?') || tokens.is(at + 1, b'.');
    let condition = tokens.find(from + 1, to, |at| tokens.is(at, b'?') && !is_chained(at));
    let colon = tokens.find(condition + 1, to, |at| tokens.is(at, b':'));
    (colon < to).then_some((condition, colon))
}
