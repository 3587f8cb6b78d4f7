//! Written types: the types of the tree that they mean, their elements, and what stands behind an alias.

use std::sync::LazyLock;

use regex::Regex;

use super::expressions::{ChainStep, MemberChain, TypePart, type_parts};
use super::family::Family;
use super::files::{BYTES_PER_STEP, Graph};
use super::types::{MAX_DEPTH, MAX_VALUES, Member};
use super::values::{FileReading, Value};
use crate::definition::Definition;
use spyhop_base::model::SymbolKind;
use spyhop_search::SearchError;

impl Graph<'_> {
    /// The values that an index into a value gives.
    pub(super) fn indexed(&self, value: Value, depth: usize) -> Result<Vec<Value>, SearchError> {
        match value {
            Value::Written(file, from, to) => {
                let Some(reading) = self.reading(file) else { return Ok(Vec::new()) };
                let parts = super::expressions::arguments(&reading.tokens, from, to);
                Ok(match parts.last() {
                    Some((from, to)) => vec![Value::Written(file, *from, *to)],
                    None => self
                        .instances(value, None, depth)?
                        .into_iter()
                        .filter(|value| matches!(value, Value::Outside))
                        .collect(),
                })
            }
            Value::Elements(file, from, to) => Ok(vec![Value::Written(file, from, to)]),
            Value::Class(class) => Ok(vec![Value::Class(class)]),
            Value::Instance(class) => match self.member(&class, "__getitem__", false)? {
                Member::Symbols(found, _) => {
                    let found = found.first().map(|found| self.returned(found, Some(&class), depth + 1));
                    found.unwrap_or(Ok(Vec::new()))
                }
                _ => Ok(Vec::new()),
            },
            Value::Outside => Ok(vec![Value::Outside]),
            _ => Ok(Vec::new()),
        }
    }

    pub(super) fn element(&self, value: Value, depth: usize) -> Result<Vec<Value>, SearchError> {
        match value {
            Value::Written(file, from, to) => {
                let Some(reading) = self.reading(file) else { return Ok(Vec::new()) };
                let parts = super::expressions::arguments(&reading.tokens, from, to);
                Ok(parts.first().map(|(from, to)| Value::Written(file, *from, *to)).into_iter().collect())
            }
            Value::Elements(file, from, to) => Ok(vec![Value::Written(file, from, to)]),
            Value::Instance(class) => match self.member(&class, "__iter__", false)? {
                Member::Symbols(found, _) => {
                    let mut values = Vec::new();
                    for found in found.iter().take(1) {
                        for value in self.returned(found, Some(&class), depth + 1)? {
                            if matches!(value, Value::Written(..)) {
                                values.extend(self.element(value, depth + 1)?);
                            }
                        }
                    }
                    Ok(values)
                }
                _ => Ok(Vec::new()),
            },
            Value::Outside => Ok(vec![Value::Outside]),
            _ => Ok(Vec::new()),
        }
    }

    /// The values that a context manager yields.
    pub(super) fn entered(&self, value: Value, depth: usize) -> Result<Vec<Value>, SearchError> {
        match value {
            Value::Instance(class) => {
                for name in ["__enter__", "__aenter__"] {
                    if let Member::Symbols(found, _) = self.member(&class, name, false)? {
                        let found = found.first().map(|found| self.returned(found, Some(&class), depth + 1));
                        let values = found.unwrap_or(Ok(Vec::new()))?;
                        return Ok(if values.is_empty() { vec![Value::Instance(class)] } else { values });
                    }
                }
                Ok(vec![Value::Instance(class)])
            }
            Value::Written(..) => self.element(value, depth),
            Value::Outside => Ok(vec![Value::Outside]),
            _ => Ok(Vec::new()),
        }
    }

    /// The types of the tree that a written type means, as instances.
    pub(super) fn instances(
        &self,
        value: Value,
        receiver: Option<&Definition>,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        let Value::Written(file, from, to) = value else { return Ok(vec![value]) };
        let may = depth < MAX_DEPTH && self.evaluations.spend();
        let Some(reading) = self.reading(file).filter(|_| may) else { return Ok(Vec::new()) };
        let family = self.family(file);
        let mut found = Vec::new();
        for part in type_parts(family, &reading.tokens, from, to) {
            match part {
                TypePart::SelfType => found.extend(receiver.cloned().map(Value::Instance)),
                TypePart::Unknown => {}
                TypePart::Outside => found.push(Value::Outside),
                TypePart::Quoted(at, name) => {
                    let byte = reading.tokens.at(at).map_or(0, |token| token.start);
                    found.extend(self.instances_of_name(file, &name, byte, depth)?);
                }
                TypePart::Value(chain) => found.extend(self.values(file, &chain, depth + 1)?),
                TypePart::Class(chain) => {
                    let values = self.values(file, &chain, depth + 1)?;
                    found.extend(values.into_iter().filter(|value| matches!(value, Value::Class(_))));
                }
                TypePart::Name(chain) => {
                    let values = self.values(file, &chain, depth + 1)?;
                    let is_unknown = values.is_empty();
                    for value in values {
                        found.extend(self.instance_of(value, depth)?);
                    }
                    if is_unknown && self.is_unknown_outside(&reading, &chain)? {
                        found.push(Value::Outside);
                    }
                }
            }
        }
        found.truncate(MAX_VALUES);
        Ok(found)
    }

    /// Whether a name that means nothing known is one of the language or of a library, and not a type parameter.
    fn is_unknown_outside(&self, reading: &FileReading, chain: &MemberChain) -> Result<bool, SearchError> {
        let Some(ChainStep::Name(at)) = chain.steps.first() else { return Ok(false) };
        let name = reading.tokens.word(*at);
        let is_parameter =
            name.len() < 3 || name.starts_with('T') && name.chars().nth(1).is_some_and(char::is_uppercase);
        Ok(!is_parameter && !self.definitions(name)?.iter().any(|own| self.is_global(own)))
    }

    /// Whether other files may use a name of a file without an import: Python has no such names, and in TypeScript scripts and
    /// modules with global declarations have them.
    fn is_global(&self, own: &Definition) -> bool {
        static MODULE: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"(?m)^(?:import|export)\b").expect("a constant pattern"));
        let text = self.text(own.file).unwrap_or_default();
        self.steps.take(text.len() / BYTES_PER_STEP);
        let is_declared = || ["declare global", "declare module"].iter().any(|words| text.contains(words));
        self.family(own.file) == Family::Web && (!MODULE.is_match(&text) || is_declared())
    }

    fn instances_of_name(
        &self,
        file: u32,
        name: &str,
        at: u32,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        let (Some(facts), Some(reading)) = (self.facts(file), self.reading(file)) else {
            return Ok(Vec::new());
        };
        let mut parts = name.split('.');
        let first = parts.next().unwrap_or_default();
        let mut values = self.named(file, &facts, &reading, first, at, depth + 1)?;
        for part in parts {
            values = self.each(values, |value| self.member_values(&value, part, depth + 1))?;
        }
        let mut found = Vec::new();
        for value in values {
            found.extend(self.instance_of(value, depth)?);
        }
        Ok(found)
    }

    /// An object of the type that a value names; of an alias, of the type that the alias stands for.
    fn instance_of(&self, value: Value, depth: usize) -> Result<Vec<Value>, SearchError> {
        match value {
            Value::Class(class) if class.kind == SymbolKind::Type => {
                let Some((from, to)) = self.alias_of(&class) else { return Ok(vec![Value::Instance(class)]) };
                let values = self.instances(Value::Written(class.file, from, to), None, depth + 1)?;
                Ok(if values.is_empty() { vec![Value::Instance(class)] } else { values })
            }
            Value::Class(class) => Ok(vec![Value::Instance(class)]),
            Value::Outside => Ok(vec![Value::Outside]),
            _ => Ok(Vec::new()),
        }
    }

    /// The tokens of the type that an alias stands for.
    pub(super) fn alias_of(&self, alias: &Definition) -> Option<(usize, usize)> {
        let reading = self.reading(alias.file)?;
        let tokens = &reading.tokens;
        let (start, end) = (tokens.index_at(alias.span.start), tokens.index_at(alias.span.end));
        let name = tokens.find(start, end, |at| tokens.word(at) == &*alias.name);
        let equals = tokens.find(name, end, |at| tokens.is(at, b'=') && !tokens.is_operator(at, "=>"));
        let end = if tokens.is(end.saturating_sub(1), b';') { end - 1 } else { end };
        (equals + 1 < end).then_some((equals + 1, end))
    }
}
