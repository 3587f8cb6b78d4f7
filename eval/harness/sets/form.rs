//! The common parts of the formats: the forms of a target, and a JSON document or a line of it read with its place.
//!
//! A target is checked while it is read, so that the error knows the line.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use spyhop_base::text::Lines;

use super::{Query, SetError, Target, kind_by_shape};

/// The required form of a query's list of targets.
pub const TARGETS: &str =
    "targets: each a path, or {path, lines: [first, last], grade} of which only the path must be";

/// A target as it stands in a file.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a target is neither a path nor a table with a path")]
pub enum RawTarget {
    Path(String),
    Fields(RawFields),
}

/// A target with more than a path.
#[derive(Deserialize)]
pub struct RawFields {
    path: String,
    lines: Option<RawLines>,
    start_line: Option<u32>,
    end_line: Option<u32>,
    grade: Option<u32>,
}

/// Lines as a pair, or as the library writes them.
#[derive(Deserialize)]
#[serde(untagged, expecting = "lines are no pair [first, last]")]
enum RawLines {
    Pair(u32, u32),
    Lines(Lines),
}

impl TryFrom<RawTarget> for Target {
    type Error = String;

    fn try_from(raw: RawTarget) -> Result<Target, String> {
        let fields = match raw {
            RawTarget::Path(path) => {
                RawFields { path, lines: None, start_line: None, end_line: None, grade: None }
            }
            RawTarget::Fields(fields) => fields,
        };
        let lines = match (fields.lines, fields.start_line, fields.end_line) {
            (Some(RawLines::Pair(first, last)), None, None) => Some(Lines { first, last }),
            (Some(RawLines::Lines(lines)), None, None) => Some(lines),
            (None, Some(first), Some(last)) => Some(Lines { first, last }),
            (None, None, None) => None,
            _ => return Err(format!("the lines of '{}' lack an end or stand twice", fields.path)),
        };
        Target::new(&fields.path, lines, fields.grade.unwrap_or(1))
    }
}

impl Target {
    /// A target whose parts make sense together.
    pub fn new(path: &str, lines: Option<Lines>, grade: u32) -> Result<Target, String> {
        if path.is_empty() || path.starts_with('/') {
            return Err(format!("'{path}' is no path below a root"));
        }
        if let Some(Lines { first, last }) =
            lines.filter(|lines| lines.first == 0 || lines.last < lines.first)
        {
            return Err(format!("lines {first} to {last} of '{path}' are none"));
        }
        if grade == 0 {
            return Err(format!("'{path}' has grade 0; what does not answer is not listed"));
        }
        Ok(Target { path: path.to_string(), lines, grade })
    }
}

/// A query's targets that are not empty.
#[derive(Deserialize)]
#[serde(try_from = "Vec<Target>")]
pub struct Targets(pub Vec<Target>);

impl TryFrom<Vec<Target>> for Targets {
    type Error = &'static str;

    fn try_from(targets: Vec<Target>) -> Result<Targets, &'static str> {
        if targets.is_empty() { Err("a query has no target") } else { Ok(Targets(targets)) }
    }
}

/// A text of more words is a report, whose lines count.
const MAX_WORDS: usize = 40;

/// A query's text, its blanks made single; a report as it is.
#[derive(Deserialize)]
#[serde(try_from = "String")]
pub struct Text(pub String);

impl TryFrom<String> for Text {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Text, &'static str> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match text.trim() {
            "" => Err("a query is empty"),
            text if words.len() > MAX_WORDS => Ok(Text(text.to_string())),
            _ => Ok(Text(words.join(" "))),
        }
    }
}

/// The id of a query: a text or a number.
#[derive(Deserialize)]
#[serde(untagged, expecting = "an id is neither a text nor a number")]
pub enum Id {
    Number(u64),
    Text(String),
}

/// A query of the tree `name`, the `at`-th from 0. Numbers are only unique in their tree, so they get its name.
pub fn query(
    name: &str,
    at: usize,
    id: Option<Id>,
    kind: Option<String>,
    text: Text,
    targets: Vec<Target>,
) -> Query {
    let id = match id {
        Some(Id::Text(text)) => text,
        Some(Id::Number(number)) => format!("{name}-{number}"),
        None => format!("{name}-{}", at + 1),
    };
    let id = id.split_whitespace().collect::<Vec<_>>().join("-");
    let kind = kind.unwrap_or_else(|| kind_by_shape(&text.0).to_string());
    let all_have_lines = targets.iter().all(|target| target.lines.is_some());
    let places = if all_have_lines { targets.clone() } else { Vec::new() };
    Query { id, kind, text: text.0, targets, places }
}

/// A file's text.
pub fn text(path: &Path) -> Result<String, SetError> {
    fs::read_to_string(path).map_err(|source| SetError::read(path, source))
}

/// A JSON document that is a file.
pub fn json<T: DeserializeOwned>(path: &Path, expected: &'static str) -> Result<T, SetError> {
    serde_json::from_str(&text(path)?).map_err(|error| SetError::json(path, 1, &error, expected))
}

/// The JSON documents of a file that has one on each line, with the number of the line; empty lines are none.
pub fn json_lines<T: DeserializeOwned>(
    path: &Path,
    expected: &'static str,
) -> Result<Vec<(usize, T)>, SetError> {
    let text = text(path)?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            let parsed = serde_json::from_str(line);
            Ok((number, parsed.map_err(|error| SetError::json(path, number, &error, expected))?))
        })
        .collect()
}
