//! The server's entry in a TOML file.
//!
//! This module owns the position of the table. Spyhop's table is placed after the other servers, or at the end of the
//! file, and never between a comment and the table that it describes. Removing the table keeps the comments around it.
//! Where the servers are one inline table, the entry is inline too.

use std::ops::Range;

use serde_json::Value as Json;
use toml_edit::{Array, Document, DocumentMut, Item, Table, TableLike, Value};

use super::entry::{Entry, NAME};
use super::error::EditError;

fn malformed(error: toml_edit::TomlError) -> EditError {
    EditError::Malformed(error.to_string().trim_end().to_string())
}

/// `text` with Spyhop's entry among the servers below `key`; `None` where the entry is there already.
pub fn put(text: &str, key: &str, entry: &Entry) -> Result<Option<String>, EditError> {
    let mut whole: DocumentMut = text.parse().map_err(malformed)?;
    let servers = whole.as_table_mut().entry(key).or_insert_with(|| {
        let mut servers = Table::new();
        servers.set_implicit(true);
        Item::Table(servers)
    });
    let inline = servers.is_inline_table();
    let servers = servers.as_table_like_mut().ok_or_else(|| EditError::NoObject(format!("'{key}'")))?;
    let is_there = servers.contains_key(NAME);
    match servers.get_mut(NAME).and_then(Item::as_table_like_mut) {
        Some(own) if own.contains_key("command") => set(own, entry),
        _ => {
            let mut own = Table::new();
            set(&mut own, entry);
            let own = if inline { Item::Value(own.into_inline_table().into()) } else { Item::Table(own) };
            servers.insert(NAME, own);
        }
    }
    let after = whole.to_string();
    let table = written(key, entry);
    let trailing = whole.trailing().as_str().unwrap_or_default();
    let is_last = after.strip_suffix(trailing).is_some_and(|rest| rest.ends_with(&table));
    if !is_there && !inline && is_last {
        return Ok(Some(behind(text, &table)));
    }
    Ok((after != text).then_some(after))
}

/// `text` with a table at its end, after any comments there.
fn behind(text: &str, table: &str) -> String {
    let gap = match text {
        "" => "",
        _ if text.ends_with("\n\n") => "",
        _ if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    format!("{text}{gap}{table}")
}

/// The text of the table.
fn written(key: &str, entry: &Entry) -> String {
    let mut own = Table::new();
    set(&mut own, entry);
    format!("[{key}.{NAME}]\n{own}")
}

fn set(own: &mut dyn TableLike, entry: &Entry) {
    let args: Array = entry.args.iter().map(String::as_str).collect();
    for (name, value) in [("command", Value::from(entry.command.as_str())), ("args", Value::from(args))] {
        let same = |known: &Item| known.as_value().is_some_and(|known| bare(known) == bare(&value));
        if !own.get(name).is_some_and(same) {
            own.insert(name, Item::Value(value));
        }
    }
}

/// A value without its layout.
fn bare(value: &Value) -> String {
    let mut value = value.clone();
    value.decor_mut().clear();
    if let Value::Array(array) = &mut value {
        array.fmt();
        array.set_trailing_comma(false);
        array.set_trailing("");
    }
    if let Value::String(text) = value { text.into_value() } else { value.to_string() }
}

/// `text` without Spyhop's entry; `None` where there is no entry. A table of servers that becomes empty is removed too
/// where Spyhop's entry is a table of its own, or where `whole` is set.
pub fn remove(text: &str, key: &str, whole: bool) -> Result<Option<String>, EditError> {
    let document = Document::parse(text).map_err(malformed)?;
    let Some(servers) = document.get(key) else { return Ok(None) };
    let Some(own) = servers.get(NAME) else { return Ok(None) };
    if let Some(own) = own.as_table().filter(|own| !own.is_dotted()) {
        let mut ranges = Vec::new();
        stretches(text, own, &mut ranges);
        ranges.sort_by_key(|range| range.start);
        return Ok(Some(cut(text, &ranges)));
    }
    let mut changed: DocumentMut = text.parse().map_err(malformed)?;
    let Some(servers) = changed.get_mut(key).and_then(Item::as_table_like_mut) else { return Ok(None) };
    servers.remove(NAME);
    if whole && servers.is_empty() {
        changed.remove(key);
    }
    Ok(Some(changed.to_string()))
}

/// The lines of a table: from its header to its last value, and those of its subtables.
fn stretches(text: &str, table: &Table, ranges: &mut Vec<Range<usize>>) {
    let mut end = table.span().map_or(0, |head| head.end);
    for (_, item) in table.iter() {
        match item {
            Item::Table(inner) if !inner.is_dotted() => stretches(text, inner, ranges),
            Item::ArrayOfTables(inner) => inner.iter().for_each(|inner| stretches(text, inner, ranges)),
            item => end = end.max(last(item)),
        }
    }
    // An implicit table, which exists only because of its subtables, has no header.
    if let Some(head) = table.span().filter(|_| !table.is_implicit()) {
        let line = |at: usize| text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let next = text[end..].find('\n').map_or(text.len(), |newline| end + newline + 1);
        ranges.push(line(head.start)..next);
    }
}

/// The end of a value; a dotted table ends with its last value.
fn last(item: &Item) -> usize {
    match item {
        Item::Table(dotted) => dotted.iter().map(|(_, item)| last(item)).max().unwrap_or(0),
        item => item.span().map_or(0, |span| span.end),
    }
}

/// `text` without some lines, and without a blank line that no longer separates anything.
fn cut(text: &str, ranges: &[Range<usize>]) -> String {
    let mut left = String::new();
    let mut at = 0;
    for range in ranges {
        left += &text[at..range.start];
        at = range.end;
        let rest = &text[at..];
        if left.ends_with("\n\n") && (rest.is_empty() || rest.starts_with('\n')) {
            left.pop();
        }
    }
    left + &text[at..]
}

/// The parsed value of the file.
pub fn value(text: &str) -> Result<Json, EditError> {
    ::toml::from_str(text).map_err(|error| EditError::Malformed(error.to_string().trim_end().to_string()))
}
