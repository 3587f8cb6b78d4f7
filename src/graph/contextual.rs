//! The types of parameters that a function takes from the call whose argument it is, as in `pools.forEach(pool => ...)`.

use super::expressions::{ChainStep, MemberChain};
use super::files::Graph;
use super::tokens::Tokens;
use super::values::{FileReading, Value};
use crate::definition::Definition;
use spyhop_search::SearchError;

/// Methods of arrays that pass an element to their argument.
const PASS_ELEMENTS: &[&str] =
    &["every", "filter", "find", "findIndex", "flatMap", "forEach", "map", "some", "sort", "toSorted"];

impl Graph<'_> {
    /// The values of the parameter number `parameter` of a function that is the argument number `argument` of the call
    /// whose parenthesis is at `open`.
    pub(super) fn contextual_values(
        &self,
        file: u32,
        reading: &FileReading,
        (open, argument, parameter): (usize, usize, usize),
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        let Some(mut chain) = MemberChain::before(&reading.tokens, open) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for value in self.values(file, &chain, depth + 1)? {
            let function = match value {
                Value::Function(function, _) => function,
                Value::Class(class) => match self.constructor(&class)? {
                    Some(constructor) => constructor,
                    None => continue,
                },
                _ => continue,
            };
            found.extend(self.callback_parameter(&function, argument, parameter, depth)?);
        }
        if let (true, Some(ChainStep::Member(name))) = (found.is_empty(), chain.steps.pop())
            && PASS_ELEMENTS.contains(&reading.tokens.word(name))
        {
            for value in self.values(file, &chain, depth + 1)? {
                if matches!(value, Value::Written(..)) {
                    found.extend(self.element(value, depth + 1)?);
                }
            }
        }
        Ok(found)
    }

    fn constructor(&self, class: &Definition) -> Result<Option<Definition>, SearchError> {
        let all = self.definitions("constructor")?;
        let mut here = all.in_span(class.file, class.span).iter().take_while(|_| self.steps.take(1));
        Ok(here.find(|found| class.span.contains(found.span)).cloned())
    }

    /// The written type of a parameter of the function type of a parameter of `function`.
    fn callback_parameter(
        &self,
        function: &Definition,
        argument: usize,
        parameter: usize,
        depth: usize,
    ) -> Result<Option<Value>, SearchError> {
        let (Some(reading), Some(facts)) = (self.reading(function.file), self.facts(function.file)) else {
            return Ok(None);
        };
        let Some(symbol) = facts.symbols.get(function.place as usize) else { return Ok(None) };
        let tokens = &reading.tokens;
        let (start, end) = (tokens.index_at(symbol.signature.start), tokens.index_at(function.span.end));
        let name = (start..end).find(|at| tokens.word(*at) == &*function.name);
        let open = name.and_then(|name| (name + 1..end.min(name + 80)).find(|at| tokens.is(*at, b'(')));
        let Some((open, close)) = open.and_then(|open| Some((open, tokens.partner(open)?))) else {
            return Ok(None);
        };
        let parts = tokens.split(open + 1, close);
        let written = parts.get(argument).and_then(|(from, to)| written_type(tokens, *from, *to));
        let Some((from, to)) = written else { return Ok(None) };
        if let Some((from, to)) = function_parameter(tokens, from, to, parameter) {
            return Ok(Some(Value::Written(function.file, from, to)));
        }
        // The function type has a name.
        if !tokens.is_word(from) {
            return Ok(None);
        }
        let chain = MemberChain { steps: vec![ChainStep::Name(from)] };
        for value in self.values(function.file, &chain, depth + 2)? {
            let Value::Class(alias) = value else { continue };
            let Some((from, to)) = self.alias_of(&alias) else { continue };
            let Some(reading) = self.reading(alias.file) else { continue };
            if let Some((from, to)) = function_parameter(&reading.tokens, from, to, parameter) {
                return Ok(Some(Value::Written(alias.file, from, to)));
            }
        }
        Ok(None)
    }
}

fn written_type(tokens: &Tokens, from: usize, to: usize) -> Option<(usize, usize)> {
    let colon = tokens.find(from, to, |at| tokens.is(at, b':'));
    let equals = tokens.find(colon, to, |at| tokens.is(at, b'=') && !tokens.is_operator(at, "=>"));
    (colon + 1 < equals).then_some((colon + 1, equals))
}

/// The tokens of the type of one parameter of a function type.
fn function_parameter(tokens: &Tokens, from: usize, to: usize, parameter: usize) -> Option<(usize, usize)> {
    let close = tokens.partner(from).filter(|_| tokens.is(from, b'('))?;
    if close + 1 < to && tokens.is_operator(close + 1, "=>") {
        let parts = tokens.split(from + 1, close);
        return parts.get(parameter).and_then(|(from, to)| written_type(tokens, *from, *to));
    }
    // Parentheses around a function type, as in `((a: A) => B) | null`.
    function_parameter(tokens, from + 1, close, parameter)
}
