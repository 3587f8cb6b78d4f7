//! The shapes of replies in `docs/json.md`, which are written from the schemas of the replies.

use std::collections::BTreeSet;
use std::fs;

use super::definitions::definitions;
use serde_json::{Map, Value};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/json.md");

/// The mark before a block, which names the reply.
const MARK: &str = "<!-- shape: ";

/// The columns of a line.
const COLUMNS: usize = 128;

/// `SPYHOP_BLESS` rewrites the blocks.
#[test]
fn the_page_has_the_shapes_of_the_replies() {
    let committed = fs::read_to_string(PAGE).unwrap();
    let schemas = definitions("");
    let (mut page, mut rest, mut known) = (String::new(), committed.as_str(), BTreeSet::new());
    while let Some(at) = rest.find(MARK) {
        let (name, block) = rest[at + MARK.len()..].split_once(" -->\n").unwrap();
        let (_, after) = block.strip_prefix("```text\n").unwrap().split_once("```\n").unwrap();
        page += &format!("{}{MARK}{name} -->\n```text\n", &rest[..at]);
        page += &shapes(&schemas, &committed, name, &mut known);
        page += "```\n";
        rest = after;
    }
    page += rest;
    // The replies of a library of sources are written by hand.
    let replies = schemas.keys().filter(|name| name.ends_with("Reply") && *name != "LibraryReply");
    let missing: Vec<&String> = replies.filter(|name| !known.contains(*name)).collect();
    assert!(missing.is_empty(), "{missing:?} have no shape");
    if std::env::var_os("SPYHOP_BLESS").is_some() {
        fs::write(PAGE, &page).unwrap();
    }
    assert!(page == committed, "docs/json.md has other shapes; SPYHOP_BLESS=1 rewrites them");
}

/// The shape of a schema, and of its parts that no block before has; the fields have the order that the page has.
fn shapes(schemas: &Map<String, Value>, page: &str, name: &str, known: &mut BTreeSet<String>) -> String {
    let (mut out, mut open) = (String::new(), vec![name.to_string()]);
    while let Some(name) = open.pop() {
        let Some(fields) = schemas[&name]["properties"].as_object().filter(|_| known.insert(name.clone()))
        else {
            continue;
        };
        let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
        let before = page.split_once(&format!("\n{name} = {{")).map_or("", |(_, rest)| rest);
        let before = before.split_once("}\n").map_or(before, |(own, _)| own);
        fields.sort_by_key(|(field, _)| before.find(&format!("\"{field}\"")).unwrap_or(usize::MAX));
        let required = |field: &String| {
            let names = schemas[&name]["required"].as_array().into_iter().flatten();
            names.into_iter().any(|own| own.as_str() == Some(field))
        };
        let mut parts = Vec::new();
        let shown: Vec<String> = fields
            .iter()
            .map(|(field, own)| {
                let mark = if required(field) { "" } else { "?" };
                let kind = kind(schemas, own, &mut parts);
                if kind.is_empty() {
                    format!("\"{field}\"{mark}")
                } else {
                    format!("\"{field}\"{mark}: {kind}")
                }
            })
            .collect();
        out += &wrapped(&format!("{name} = {{ {} }}", shown.join(", ")));
        open.extend(parts.into_iter().rev());
    }
    out
}

/// The part that a value is, or the parts of a list; empty for other values. Choices of names are shown.
fn kind(schemas: &Map<String, Value>, schema: &Value, parts: &mut Vec<String>) -> String {
    if let Some(name) = schema["$ref"].as_str().map(|path| path.trim_start_matches(['#', '/'])) {
        let own = &schemas[name];
        if own["properties"].is_object() {
            parts.push(name.to_string());
            return name.to_string();
        }
        return kind(schemas, own, parts);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let kinds: Vec<String> = choices.iter().map(|choice| kind(schemas, choice, parts)).collect();
        return kinds.into_iter().filter(|kind| !kind.is_empty()).collect::<Vec<_>>().join(" or ");
    }
    if schema["items"].is_object() {
        let item = kind(schemas, &schema["items"], parts);
        return if item.is_empty() { String::new() } else { format!("[ {item} ]") };
    }
    String::new()
}

/// A line, broken between fields.
fn wrapped(line: &str) -> String {
    let mut out = String::new();
    let mut columns = 0;
    for (at, word) in line.split(", ").enumerate() {
        if at > 0 && columns + word.len() + 2 > COLUMNS {
            out += ",\n   ";
            columns = 3;
        } else if at > 0 {
            out.push(',');
        }
        if at > 0 {
            out.push(' ');
        }
        out += word;
        columns += word.len() + 2;
    }
    out + "\n"
}
