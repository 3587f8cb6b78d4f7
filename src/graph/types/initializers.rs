//! Members of objects of C# that are named in braces: in initializers, copies with changes, and patterns.

use super::known::TypedExpression;
use super::operands::before_arguments;
use super::site::Site;
use super::sources;
use super::written::{WrittenType, written};
use crate::family::CSHARP;
use crate::files::Graph;
use crate::questions::definition_of;
use spyhop_search::SearchError;

/// The types of an object, if they are known.
type InitializedTypes = Option<Vec<WrittenType>>;

impl Graph<'_> {
    /// The types of the object whose member the name at `at` is, behind the brace at `open`: of `new Pool { Size = 1 }`,
    /// `pool with { Size = 1 }` and `any is Pool { Size: 1 }`.
    pub(super) fn initialized(
        &self,
        site: &Site<'_>,
        at: usize,
        open: usize,
    ) -> Result<InitializedTypes, SearchError> {
        let tokens = &site.item.tokens;
        let is_equals = |at: usize| ["==", "=>"].iter().any(|sign| tokens.is_operator(at, sign));
        let is_value = tokens.is(at + 1, b'=') && !is_equals(at + 1);
        let is_pattern = tokens.is(at + 1, b':') && !tokens.is(at + 2, b':');
        let begins = tokens.is(at - 1, b'{') || tokens.is(at - 1, b',');
        let before = open - 1;
        let last = before.checked_sub(1).filter(|_| begins && (is_value || is_pattern));
        let Some(last) = last else { return Ok(None) };
        let of_value = |value: TypedExpression| Ok(value.map(|(types, _)| types));
        match tokens.word(before) {
            "with" if is_value => return of_value(self.ending_at(site, last)?),
            "is" if is_pattern => return of_value(self.ending_at(site, last)?),
            // An object without a type.
            "new" if is_value => return Ok(Some(vec![WrittenType::new(site.file, "object")])),
            "=" if is_value => return self.named_in_braces(site, last),
            ":" if is_pattern => return self.named_in_braces(site, last),
            _ => {}
        }
        let list = tokens.partner(before).filter(|_| tokens.is(before, b')'));
        let new = list.and_then(|list| list.checked_sub(1)).filter(|new| tokens.word(*new) == "new");
        match new {
            Some(new) if is_value => self.expected_at(site, new),
            Some(_) => Ok(None),
            None => Ok(self.before_braces(site, list.unwrap_or(open), is_pattern && list.is_none())),
        }
    }

    /// The types of the member at `key`, which is named in the braces of an object around it.
    fn named_in_braces(&self, site: &Site<'_>, key: usize) -> Result<InitializedTypes, SearchError> {
        let tokens = &site.item.tokens;
        let outer = tokens.around(key).filter(|outer| tokens.is(*outer, b'{') && *outer > 0);
        let types = outer.map(|outer| self.initialized(site, key, outer)).transpose()?.flatten();
        types.map(|types| self.each(&types, |own| self.field_of(own, tokens.word(key)))).transpose()
    }

    /// The types that the word `new` at a token makes an object of, without a type behind it: that of the declared variable or member, or
    /// of the result of the function.
    fn expected_at(&self, site: &Site<'_>, new: usize) -> Result<InitializedTypes, SearchError> {
        let (tokens, symbols) = (&site.item.tokens, &site.facts.symbols);
        let Some(last) = new.checked_sub(1) else { return Ok(None) };
        let is_body = last > 0 && tokens.is_operator(last - 1, "=>") && tokens.around(new).is_none();
        if is_body || tokens.word(last) == "return" {
            let mut around = std::iter::successors(site.owner, |at| symbols[*at as usize].parent);
            let function = around.find(|at| symbols[*at as usize].kind.is_function());
            let function = function.map(|place| definition_of(site.file, site.facts, place));
            return Ok(function.map(|function| self.result_types(&function)));
        }
        let Some(name) = last.checked_sub(1).filter(|_| tokens.is(last, b'=')) else { return Ok(None) };
        match self.named_in_braces(site, name)? {
            Some(types) => Ok(Some(types)),
            None => self.local(site, sources::source_at(tokens, site.language, name)).map(Some),
        }
    }

    /// The type that is written before the token `end`: behind the word `new`, or in a pattern alone.
    fn before_braces(&self, site: &Site<'_>, end: usize, is_pattern: bool) -> InitializedTypes {
        let tokens = &site.item.tokens;
        let last = end.checked_sub(1)?;
        let mut first = if tokens.is(last, b'>') { before_arguments(CSHARP, tokens, last)? } else { last };
        while first > 1 && tokens.is(first - 1, b'.') && tokens.is_word(first - 2) {
            first -= 2;
        }
        let is_new = first > 0 && tokens.word(first - 1) == "new";
        let is_type = tokens.word(first).starts_with(char::is_uppercase);
        (is_type && (is_new || is_pattern)).then(|| written((CSHARP, site.file), &site.item, first, end))
    }
}
