//! The server's entry in a JSON file, which may have comments and trailing commas.
//!
//! This module owns the checks for what prevents an edit: a file that is not an object, servers that are not an object,
//! and duplicate names, of which a client might read one and Spyhop change the other. The syntax tree keeps every
//! comment and blank, so the written text differs only where it must.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde_json::Value;

use super::entry::{Entry, NAME};
use super::error::EditError;

/// The syntax that clients accept: comments, but not JSON5.
fn options() -> ParseOptions {
    ParseOptions {
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
        ..ParseOptions::default()
    }
}

fn parse(text: &str) -> Result<CstRootNode, EditError> {
    CstRootNode::parse(text, &options()).map_err(|error| EditError::Malformed(error.to_string()))
}

/// `text` with Spyhop's entry among the servers below `key`; `None` where the entry is there already.
pub fn put(text: &str, key: &str, entry: &Entry) -> Result<Option<String>, EditError> {
    let root = parse(text)?;
    if root.value().is_some_and(|value| value.as_object().is_none()) {
        return Err(EditError::NoObject("the file".to_string()));
    }
    let servers = match servers(&root, key)? {
        Some(servers) => servers,
        None => root.object_value_or_set().object_value_or_set(key),
    };
    match only(&servers, NAME)? {
        // Fields that somebody added to the entry stay, unless the entry is for a different kind of server.
        Some(own) => match own.object_value().filter(|own| own.get("command").is_some()) {
            Some(own) => {
                for (name, value) in fields(entry) {
                    set(&own, name, value)?;
                }
            }
            None => own.set_value(object(entry)),
        },
        None => _ = servers.append(NAME, object(entry)),
    }
    let after = root.to_string();
    Ok((after != text).then_some(after))
}

/// `text` without Spyhop's entry, and without the table of servers if no others are left and `whole` is set. `None`
/// where there is no entry.
pub fn remove(text: &str, key: &str, whole: bool) -> Result<Option<String>, EditError> {
    let root = parse(text)?;
    let Some(servers) = servers(&root, key)? else { return Ok(None) };
    let Some(own) = only(&servers, NAME)? else { return Ok(None) };
    own.remove();
    if whole && servers.children_exclude_trivia_and_tokens().is_empty() {
        only(&root.object_value_or_set(), key)?.into_iter().for_each(CstObjectProp::remove);
    }
    Ok(Some(root.to_string()))
}

/// The parsed value of the file.
pub fn value(text: &str) -> Result<Value, EditError> {
    Ok(parse(text)?.to_serde_value().unwrap_or(Value::Object(serde_json::Map::new())))
}

fn servers(root: &CstRootNode, key: &str) -> Result<Option<CstObject>, EditError> {
    let Some(whole) = root.object_value() else { return Ok(None) };
    let Some(servers) = only(&whole, key)? else { return Ok(None) };
    servers.object_value().map(Some).ok_or_else(|| EditError::NoObject(format!("'{key}'")))
}

/// The property of that name; duplicates are an error.
fn only(object: &CstObject, name: &str) -> Result<Option<CstObjectProp>, EditError> {
    let named = |property: &CstObjectProp| property.decoded_name().as_deref() == Some(name);
    let mut found = object.properties().into_iter().filter(named);
    let first = found.next();
    if found.next().is_some() { Err(EditError::Twice(name.to_string())) } else { Ok(first) }
}

/// Sets a field if its value differs: a field that is already right keeps its layout.
fn set(object: &CstObject, name: &str, value: Value) -> Result<(), EditError> {
    match only(object, name)? {
        Some(field) if field.to_serde_value().as_ref() == Some(&value) => {}
        Some(field) => field.set_value(input(value)),
        None => _ = object.append(name, input(value)),
    }
    Ok(())
}

/// The fields of an entry, in the order in which clients show them.
fn fields(entry: &Entry) -> Vec<(&'static str, Value)> {
    let kind = entry.typed.then(|| ("type", Value::from("stdio")));
    let rest = [("command", Value::from(entry.command.as_str())), ("args", Value::from(entry.args.clone()))];
    kind.into_iter().chain(rest).collect()
}

fn object(entry: &Entry) -> CstInputValue {
    let fields = fields(entry).into_iter();
    CstInputValue::Object(fields.map(|(name, value)| (name.to_string(), input(value))).collect())
}

fn input(value: Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(is) => CstInputValue::Bool(is),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text),
        Value::Array(values) => CstInputValue::Array(values.into_iter().map(input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.into_iter().map(|(name, value)| (name, input(value))).collect())
        }
    }
}
