//! The JSON arguments of a call of a tool, read by the catalog's rows.
//!
//! This module owns parameter names, value types and argument errors. An unknown parameter or a value of the wrong type
//! is an error that names the parameter and lists the valid choices, because a silently ignored parameter gives a wrong
//! answer that looks right. [`lenient`] reads the forms in which clients write one value.

use serde_json::{Map, Value};

use super::files::NAME_PATTERN;
use super::graph::DIFF;
use super::lenient;
use super::param::{Param, Takes};
use super::symbols::SYMBOL_PATTERN;
use super::tools::Tool;

/// The arguments of a call, each with its catalog row.
pub struct Arguments<'t> {
    /// The tool.
    pub tool: &'t Tool,
    values: Vec<(&'static Param, Value)>,
}

/// Whether a value means that the parameter is not set. Some clients send every parameter that they know, with null, an empty
/// list or an empty text.
fn is_unset(param: &Param, value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        // An empty pattern takes all files and symbols, and an empty diff compares with the last commit.
        Value::String(text) => {
            let is_meant = [NAME_PATTERN.name, SYMBOL_PATTERN.name, DIFF.name].contains(&param.name);
            text.is_empty() && !is_meant
        }
        _ => false,
    }
}

impl<'t> Arguments<'t> {
    /// The arguments `given` to `tool`; `own` holds the extra parameters of the alias that the caller used.
    ///
    /// # Errors
    /// An unknown parameter, one that is given twice, and one that is missing.
    pub fn new(
        tool: &'t Tool,
        own: &'static [&'static Param],
        given: Map<String, Value>,
    ) -> Result<Arguments<'t>, String> {
        let mut values: Vec<(&Param, Value)> = Vec::new();
        for (name, value) in given {
            let known = |param: &&Param| param.name == name || param.aliases.contains(&name.as_str());
            let params = || tool.params().chain(own.iter().copied());
            let Some(param) = params().find(known) else {
                let choices: Vec<&str> = params().map(|param| param.name).collect();
                let choices = if choices.is_empty() { "nothing".to_string() } else { choices.join(", ") };
                return Err(format!("{} has no parameter '{name}'; choose {choices}", tool.name));
            };
            if values.iter().any(|(other, _)| other.name == param.name) {
                return Err(format!("'{}' is given twice, once by another name", param.name));
            }
            if !is_unset(param, &value) || (tool.requires(param) && value.is_string()) {
                values.push((param, value));
            }
        }
        for param in tool.required {
            if !values.iter().any(|(given, _)| given.name == param.name) {
                return Err(format!("{} needs '{}': {}", tool.name, param.name, param.help));
            }
        }
        Ok(Arguments { tool, values })
    }

    /// The value of a parameter, if there is one.
    pub fn value(&self, param: &Param) -> Option<&Value> {
        self.values.iter().find(|(given, _)| given.name == param.name).map(|(_, value)| value)
    }

    fn wrong<T>(&self, param: &Param, value: &Value, wanted: &str) -> Result<T, String> {
        Err(format!("{} of {} is {value}; give {wanted}", param.name, self.tool.name))
    }

    /// A text.
    ///
    /// # Errors
    /// A value of another type.
    pub fn text(&self, param: &Param) -> Result<Option<String>, String> {
        let Some(value) = self.value(param) else { return Ok(None) };
        let text = match param.takes {
            Takes::Path => lenient::word(value),
            Takes::Choice(_) => lenient::word(value).map(|word| word.to_ascii_lowercase()),
            // Models write `"pattern": 404` and `"lines": 10`.
            _ if lenient::single(value).is_number() => Some(lenient::single(value).to_string()),
            _ => lenient::text(value).map(str::to_string),
        };
        text.map_or_else(|| self.wrong(param, value, "a text"), |text| Ok(Some(text)))
    }

    /// A list of texts; a single text counts as a list with one element.
    ///
    /// # Errors
    /// A value of another type.
    pub fn texts(&self, param: &Param) -> Result<Vec<String>, String> {
        let Some(value) = self.value(param) else { return Ok(Vec::new()) };
        // One query or note may look like a JSON list.
        let texts = match (param.takes, value) {
            (Takes::Texts, Value::String(text)) => Some(vec![text.clone()]),
            _ => lenient::texts(value),
        };
        let is_choice = matches!(param.takes, Takes::Choices(_));
        let texts = texts.map(|texts| match is_choice {
            true => texts.iter().map(|text| text.to_ascii_lowercase()).collect(),
            false => texts,
        });
        let first_wrong = || value.as_array().and_then(|list| list.iter().find(|item| !item.is_string()));
        texts.map_or_else(|| self.wrong(param, first_wrong().unwrap_or(value), "a list of texts"), Ok)
    }

    /// Whether a flag is on.
    ///
    /// # Errors
    /// A value of another type.
    pub fn flag(&self, param: &Param) -> Result<Option<bool>, String> {
        let Some(value) = self.value(param) else { return Ok(None) };
        lenient::flag(value).map_or_else(|| self.wrong(param, value, "true or false"), |on| Ok(Some(on)))
    }

    /// A whole number.
    ///
    /// # Errors
    /// A value of another type.
    pub fn number(&self, param: &Param) -> Result<Option<u64>, String> {
        let Some(value) = self.value(param) else { return Ok(None) };
        match lenient::number(value) {
            Some(number) => Ok(Some(number)),
            None => match param.takes {
                Takes::Number(least, most) if most < u32::MAX.into() => {
                    self.wrong(param, value, &format!("a whole number, {least} to {most}"))
                }
                _ => self.wrong(param, value, "a whole number"),
            },
        }
    }

    /// A number with a fraction.
    ///
    /// # Errors
    /// A value of another type.
    pub fn fraction(&self, param: &Param) -> Result<Option<f32>, String> {
        let Some(value) = self.value(param) else { return Ok(None) };
        let number = lenient::fraction(value).map(|number| number as f32);
        number.map_or_else(|| self.wrong(param, value, "a number, 0 to 1"), |number| Ok(Some(number)))
    }
}
