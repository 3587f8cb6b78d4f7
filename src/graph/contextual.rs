//! The types of parameters that a function takes from the call whose argument it is, as in `pools.forEach(pool => ...)`.

use super::expressions::{ChainStep, MemberChain};
use super::files::Graph;
use super::tokens::Tokens;
use super::values::{FileReading, Value};
use crate::definition::Definition;
use spyhop_search::SearchError;

/// Methods of arrays that pass an element to their argument.
const PASS_ELEMENTS: &[&str] = &[
    "every",
    "filter",
    "find",
    "findIndex",
    "flatMap",
    "forEach",
    "map",
    "some",
    "sort",
    "then",
    "toSorted",
];

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
            let name = reading.tokens.word(name);
            for value in self.values(file, &chain, depth + 1)? {
                found.extend(self.passed_parameter(value, name, parameter, depth)?);
            }
        }
        Ok(found)
    }

    /// The values of a parameter of a function that is the argument of the method `name` of a collection.
    fn passed_parameter(
        &self,
        value: Value,
        name: &str,
        parameter: usize,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        let parts = self.type_arguments(&value);
        let [first, .., last] = &parts[..] else {
            let takes_two = matches!(name, "sort" | "toSorted");
            let is_collection = matches!(value, Value::Written(..) | Value::Elements(..));
            let is_element = is_collection && (parameter == 0 || takes_two);
            return if is_element { self.element(value, depth + 1) } else { Ok(Vec::new()) };
        };
        // A map passes the value before the key.
        Ok(match parameter {
            0 => vec![last.clone()],
            1 => vec![first.clone()],
            _ => Vec::new(),
        })
    }

    /// The written arguments of a type, as in `Map<string, Pool>`.
    fn type_arguments(&self, value: &Value) -> Vec<Value> {
        let Value::Written(file, from, to) = *value else { return Vec::new() };
        let Some(reading) = self.reading(file) else { return Vec::new() };
        let parts = super::expressions::arguments(&reading.tokens, from, to);
        parts.iter().map(|(from, to)| Value::Written(file, *from, *to)).collect()
    }

    /// A part of an element of a value: of the items of a map, of a numbered element, of several collections in parallel.
    pub(super) fn element_part(
        &self,
        file: u32,
        reading: &FileReading,
        (from, to, part): (usize, usize, usize),
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        let tokens = &reading.tokens;
        let whole = |from: usize, to: usize| self.values_in(file, reading, from, to, depth);
        let inner =
            |open: usize| tokens.partner(open).map(|close| tokens.split(open + 1, close)).unwrap_or_default();
        // `pools.items()`.
        if to > from + 4 && tokens.word(to - 3) == "items" && tokens.is(to - 4, b'.') {
            let values = whole(from, to - 4)?;
            return Ok(values
                .iter()
                .filter_map(|value| self.type_arguments(value).get(part).cloned())
                .collect());
        }
        match (tokens.word(from), tokens.is(from + 1, b'(')) {
            ("enumerate", true) => match (part, inner(from + 1).first()) {
                (1, Some((from, to))) => {
                    let values = whole(*from, *to)?;
                    self.each(values, |value| self.element(value, depth + 1))
                }
                _ => Ok(Vec::new()),
            },
            ("zip", true) => match inner(from + 1).get(part) {
                Some((from, to)) => {
                    let values = whole(*from, *to)?;
                    self.each(values, |value| self.element(value, depth + 1))
                }
                None => Ok(Vec::new()),
            },
            // `Object.entries(pools)`.
            ("Object", _) if tokens.word(from + 2) == "entries" => match inner(from + 3).first() {
                Some((from, to)) if part == 1 => {
                    let values = whole(*from, *to)?;
                    Ok(values.iter().filter_map(|value| self.type_arguments(value).last().cloned()).collect())
                }
                _ => Ok(Vec::new()),
            },
            _ => {
                let values = whole(from, to)?;
                let mut found = Vec::new();
                for value in values {
                    let arguments = self.type_arguments(&value);
                    match &arguments[..] {
                        [_, _] => found.extend(arguments.get(part).cloned()),
                        [pair] => found.extend(self.type_arguments(pair).get(part).cloned()),
                        _ => {}
                    }
                }
                Ok(found)
            }
        }
    }

    /// The values of the parameter of a lambda of Python that is the argument of a function that passes elements.
    pub(super) fn lambda_values(
        &self,
        file: u32,
        reading: &FileReading,
        lambda: usize,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        let tokens = &reading.tokens;
        let Some(open) = tokens.around(lambda).filter(|open| tokens.is(*open, b'(') && *open > 0) else {
            return Ok(Vec::new());
        };
        let Some(close) = tokens.partner(open) else { return Ok(Vec::new()) };
        let arguments = tokens.split(open + 1, close);
        let collection = match tokens.word(open - 1) {
            "sort" if open > 2 && tokens.is(open - 2, b'.') => {
                let Some(chain) = MemberChain::before(tokens, open - 2) else { return Ok(Vec::new()) };
                let values = self.values(file, &chain, depth + 1)?;
                return self.each(values, |value| self.element(value, depth + 1));
            }
            "sorted" | "min" | "max" | "groupby" => arguments.first(),
            "map" | "filter" | "takewhile" | "dropwhile" => arguments.get(1),
            _ => None,
        };
        let Some((from, to)) = collection.filter(|(from, _)| *from != lambda) else { return Ok(Vec::new()) };
        let values = self.values_in(file, reading, *from, *to, depth)?;
        self.each(values, |value| self.element(value, depth + 1))
    }

    fn values_in(
        &self,
        file: u32,
        reading: &FileReading,
        from: usize,
        to: usize,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        match MemberChain::in_range(self.family(file), &reading.tokens, from, to) {
            Some(chain) => self.values(file, &chain, depth + 1),
            None => Ok(Vec::new()),
        }
    }

    /// The values that a method of a collection gives, for the collections before it; `otherwise` for methods of other values.
    pub(super) fn passed_on(
        &self,
        held: &[Value],
        name: &str,
        otherwise: Vec<Value>,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        // A type of the tree has methods of its own.
        let is_outside = otherwise.iter().all(|value| matches!(value, Value::Outside));
        if !is_outside {
            return self.each(otherwise, |value| self.called(value, depth));
        }
        let mut found = Vec::new();
        for value in held {
            let last = self.type_arguments(value).last().cloned();
            match name {
                "get" | "pop" | "at" | "shift" | "find" | "findLast" | "popleft" | "setdefault" => match last
                {
                    Some(last) => found.push(last),
                    None => found.extend(self.element(value.clone(), depth + 1)?),
                },
                "values" => {
                    if let Some(Value::Written(file, from, to)) = last {
                        found.push(Value::Elements(file, from, to));
                    }
                }
                "filter" | "slice" | "concat" | "sort" | "toSorted" | "reverse" | "toReversed" | "copy" => {
                    found.push(value.clone());
                }
                _ => {}
            }
        }
        Ok(if found.is_empty() { otherwise } else { found })
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
