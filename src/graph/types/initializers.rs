//! Members of objects of C# that are named in braces: in initializers, copies with changes, and patterns.

use super::evaluate::unique;
use super::known::TypedExpression;
use super::library;
use super::operands::before_arguments;
use super::site::Site;
use super::sources;
use super::written::{WrittenType, written};
use crate::definition::Definition;
use crate::family::CSHARP;
use crate::files::Graph;
use crate::questions::definition_of;
use crate::resolve::Question;
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

    /// The types of the tree that the word `new` of a question makes an object of.
    pub(crate) fn types_expected_at(&self, question: &Question<'_>) -> Result<Vec<Definition>, SearchError> {
        let Some(site) = self.site(question.file, question.facts, question.used.owner) else {
            return Ok(Vec::new());
        };
        self.types.expressions.begin();
        let expected = self.expected_at(&site, site.item.index_at(question.used.span.start))?;
        let mut found = Vec::new();
        for own in expected.iter().flatten().filter(|_| !self.types.expressions.is_cut()) {
            found.extend(self.type_definitions(own)?);
        }
        Ok(found)
    }

    /// The types that the word `new` at a token makes an object of, without a type behind it: that of the declared variable or member,
    /// of the result of the function, of the parameter, or of the elements of a collection.
    fn expected_at(&self, site: &Site<'_>, new: usize) -> Result<InitializedTypes, SearchError> {
        let (tokens, symbols) = (&site.item.tokens, &site.facts.symbols);
        let Some(last) = new.checked_sub(1) else { return Ok(None) };
        let open = tokens.around(new);
        let mut around = std::iter::successors(site.owner, |at| symbols[*at as usize].parent);
        let function = around.find(|at| symbols[*at as usize].kind.is_function());
        let is_arrow = last > 0 && tokens.is_operator(last - 1, "=>");
        let is_body = is_arrow && (open.is_none() || function.is_none());
        if is_body || tokens.word(last) == "return" {
            let Some(own) = function.or(site.owner).map(|place| definition_of(site.file, site.facts, place))
            else {
                return Ok(None);
            };
            return if function.is_some() {
                Ok(Some(self.result_types(&own)))
            } else {
                self.constant_types(&own).map(Some)
            };
        }
        let is_part = tokens.is(last, b',') || open == Some(last);
        if let Some(open) = open.filter(|open| is_part && *open > 0) {
            return match tokens.is(open, b'(') {
                true => self.types_of_argument(site, open, new),
                false if tokens.is(open, b'{') => self.expected_element(site, open),
                false => Ok(None),
            };
        }
        let Some(before) = last.checked_sub(1).filter(|_| tokens.is(last, b'=')) else { return Ok(None) };
        // `["key"] = new()` in the braces of a map.
        if tokens.is(before, b']') {
            return open.map_or(Ok(None), |open| self.expected_element(site, open));
        }
        // `Pool Spare { get; } = new()`.
        let accessors = tokens.partner(before).filter(|_| tokens.is(before, b'}'));
        let name = accessors.map_or(Some(before), |open| open.checked_sub(1));
        let Some(name) = name else { return Ok(None) };
        match self.named_in_braces(site, name)? {
            Some(types) => Ok(Some(types)),
            None => self.local(site, sources::source_at(tokens, site.language, name)).map(Some),
        }
    }

    /// The types before the dot of Swift without a receiver, in front of the name at a token: `let pool: Pool = .make()`.
    pub(super) fn implied(&self, site: &Site<'_>, at: usize) -> Result<InitializedTypes, SearchError> {
        let (tokens, symbols) = (&site.item.tokens, &site.facts.symbols);
        let Some(last) = at.checked_sub(2).filter(|_| site.language == "swift") else { return Ok(None) };
        let is_sign = [b'=', b'(', b',', b':'].iter().any(|sign| tokens.is(last, *sign));
        if !is_sign && tokens.word(last) != "return" {
            return Ok(None);
        }
        if tokens.word(last) == "return" {
            let mut around = std::iter::successors(site.owner, |at| symbols[*at as usize].parent);
            let function = around.find(|at| symbols[*at as usize].kind.is_function());
            let function = function.map(|place| definition_of(site.file, site.facts, place));
            return Ok(function.map(|function| self.result_types(&function)));
        }
        let open = tokens.around(at).filter(|open| *open > 0 && tokens.is(*open, b'('));
        if !tokens.is(last, b'=') {
            return open.map_or(Ok(None), |open| self.types_of_argument(site, open, at - 1));
        }
        let Some(before) = last.checked_sub(1).filter(|before| !tokens.is(*before, b'=')) else {
            return Ok(None);
        };
        let mut signs = (0..last).rev().take_while(|at| tokens.around(*at) == tokens.around(last));
        let sign = signs
            .find(|at| tokens.is(*at, b':') || tokens.at(*at).is_some_and(|token| token.indent.is_some()));
        match sign.filter(|sign| tokens.is(*sign, b':')) {
            Some(colon) => {
                let family = self.family(site.file);
                Ok(Some(written((family, site.file), &site.item, colon + 1, last)))
            }
            None => Ok(self.ending_at(site, before)?.map(|(types, _)| types)),
        }
    }

    /// The types of the parameter for the argument at a token of the call whose parenthesis is at `open`.
    fn types_of_argument(
        &self,
        site: &Site<'_>,
        open: usize,
        at: usize,
    ) -> Result<InitializedTypes, SearchError> {
        let tokens = &site.item.tokens;
        let (called, number) = (open - 1, tokens.split(open + 1, at).len());
        if !tokens.is_word(called) {
            return Ok(None);
        }
        let functions = self.functions_called(site, called)?;
        let mut found: Vec<WrittenType> =
            functions.iter().flat_map(|own| self.argument_types(own, number)).collect();
        unique(&mut found);
        Ok(Some(found).filter(|found| found.len() == 1))
    }

    /// The types of the elements of the collection whose braces open at a token.
    fn expected_element(&self, site: &Site<'_>, open: usize) -> Result<InitializedTypes, SearchError> {
        let tokens = &site.item.tokens;
        let list =
            open.checked_sub(1).and_then(|close| tokens.partner(close)).filter(|_| tokens.is(open - 1, b')'));
        let new = list.and_then(|list| list.checked_sub(1)).filter(|new| tokens.word(*new) == "new");
        let types = match new {
            Some(new) => self.expected_at(site, new)?,
            None => self.before_braces(site, list.unwrap_or(open), false),
        };
        Ok(types.map(|all| all.iter().filter_map(|own| library::indexed(site.syntax(), own)).collect()))
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
