//! Tool names that other systems have taught their agents, and names of Spyhop's own that are being removed.
//!
//! `aliases.toml` lists which tool each name stands for, until which version, and how its parameters are spelled here. An
//! alias also accepts every parameter of its tool, so an agent that mixes two dialects still gets an answer. Values are
//! checked with the tool's own; this module only renames and converts them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::lenient;
use super::param::Param;
use super::params::{PATH, TOOL_DB};
use spyhop_attributes::Name;

/// The state of an alias.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Name, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AliasState {
    /// The name works, without a notice.
    #[default]
    #[name = "hidden-compatibility"]
    Hidden,
    /// The name works, and the result's metadata names the replacement.
    Deprecated,
    /// The name no longer works; the error names the replacement.
    Removed,
}

/// An alias of a tool.
#[derive(Clone, Debug, Deserialize)]
pub struct Alias {
    /// The alias.
    #[serde(skip)]
    pub name: &'static str,
    /// The tool that answers.
    pub canonical: &'static str,
    /// The state of the alias.
    #[serde(default)]
    pub state: AliasState,
    /// The version that deprecated the alias.
    pub deprecated_in: Option<&'static str>,
    /// The version that is to remove the alias.
    pub removal: Option<&'static str>,
    /// Parameters that callers of the alias spell differently.
    #[serde(skip)]
    pub params: Spellings,
    /// Parameters that callers of the alias send and the tool does not have.
    #[serde(default, deserialize_with = "own_params")]
    pub own: Vec<&'static Param>,
    /// An argument that the alias implies, unless its caller gives it.
    pub implied: Option<(&'static str, &'static str)>,
    /// The reason for the state.
    pub why: &'static str,
}

/// Names of a parameter, separated by blanks, and their translation.
pub type Spellings = BTreeMap<&'static str, Becomes>;

/// The translation of a parameter.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Becomes {
    /// Becomes this parameter.
    As(&'static str),
    /// Becomes this parameter, with a converted value.
    Converted(&'static str, Conversion),
    /// Becomes this parameter; when several parameters become it, the largest number counts.
    Largest(&'static str),
    /// Becomes a part of the range of lines.
    Lines(LinePart),
    /// Becomes a part of a target of the code graph.
    Target(TargetPart),
    /// Becomes the first line of this parameter.
    FirstLine(&'static str),
    /// Dropped with this value, for the reason that follows: it asks for what always holds. Any other value is an error.
    Always(&'static str, &'static str),
    /// Dropped: a remark on the call, which asks for nothing.
    Remark,
}

/// How a value is converted.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Conversion {
    /// The number of rows before a page becomes the cursor of that page.
    Page,
    /// A list becomes its only element.
    Single,
    /// Extensions such as `.rs` become globs.
    Extensions,
    /// A flag becomes its opposite.
    Opposite,
    /// A file type, as ripgrep names it, becomes a language.
    Language,
    /// A list of the first and the last line becomes a range.
    Range,
    /// The direction of calls becomes the part of an answer that has them.
    Direction,
}

/// The part of a range of lines that a parameter gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinePart {
    /// The first line.
    First,
    /// The last line.
    Last,
    /// The number of lines.
    Count,
    /// Whether the whole file is meant, whatever the other parts say.
    Whole,
}

/// The part of a target of the code graph that a parameter gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetPart {
    /// The name of a symbol.
    Symbol,
    /// A file.
    File,
    /// The URI of a file, whose lines a client counts from 0 if it gives a character too.
    Uri,
    /// A line, from 1.
    Line,
    /// A column, from 1.
    Column,
    /// A column, from 0.
    Character,
}

/// The contents of `aliases.toml`.
#[derive(Deserialize)]
struct AliasTable {
    #[serde(borrow)]
    spellings: BTreeMap<&'static str, Spellings>,
    /// The spellings of parameters that other systems use for a tool of the same name.
    tools: BTreeMap<&'static str, Vec<&'static str>>,
    aliases: Vec<AliasRow>,
}

/// Aliases that differ in the name only.
#[derive(Deserialize)]
struct AliasRow {
    #[serde(borrow)]
    names: Vec<&'static str>,
    #[serde(default)]
    spellings: Vec<&'static str>,
    #[serde(flatten)]
    alias: Alias,
}

static TABLE: LazyLock<AliasTable> =
    LazyLock::new(|| toml::from_str(include_str!("aliases.toml")).expect("the table is sound"));

/// Every alias, sorted by name.
pub static ALIASES: LazyLock<Vec<Alias>> = LazyLock::new(|| {
    let of_row = |row: &'static AliasRow| {
        let params = joined(&row.spellings);
        row.names.iter().map(move |name| Alias { name, params: params.clone(), ..row.alias.clone() })
    };
    let mut aliases: Vec<Alias> = TABLE.aliases.iter().flat_map(of_row).collect();
    aliases.sort_unstable_by_key(|alias| alias.name);
    aliases
});

/// Spellings of the table, together.
fn joined(names: &[&str]) -> Spellings {
    names.iter().flat_map(|name| TABLE.spellings[name].clone()).collect()
}

/// The parameters of an alias that its tool does not have, by name.
fn own_params<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<&'static Param>, D::Error> {
    let names: Vec<String> = Vec::deserialize(deserializer)?;
    let is_named = |param: &&Param| names.iter().any(|name| name == param.name);
    Ok([&TOOL_DB, &PATH].into_iter().filter(is_named).collect())
}

/// The other spellings of a tool's parameters; an alias has spellings of its own.
pub fn spellings(tool: &str, alias: Option<&Alias>) -> Spellings {
    let of_tool = || TABLE.tools.get(tool).map(|names| joined(names));
    alias.map(|alias| alias.params.clone()).or_else(of_tool).unwrap_or_default()
}

impl Conversion {
    fn of(self, value: Value) -> Value {
        match self {
            Conversion::Page => page(value),
            Conversion::Single => lenient::single(&value).clone(),
            Conversion::Extensions => extensions(value),
            Conversion::Opposite => lenient::flag(&value).map_or(value, |on| (!on).into()),
            Conversion::Language => language(value),
            Conversion::Range => range(value),
            Conversion::Direction => direction(value),
        }
    }
}

/// Converts the number of rows before a page to the cursor of that page.
fn page(value: Value) -> Value {
    match lenient::number(&value) {
        Some(0) => Value::Null,
        Some(rows) => format!("g0-{rows}").into(),
        None => value,
    }
}

/// Converts the direction of calls to the part of an answer that has them.
fn direction(value: Value) -> Value {
    match lenient::text(&value).map(str::to_ascii_lowercase).as_deref() {
        Some("incoming" | "in" | "callers" | "up" | "upstream") => "callers".into(),
        Some("outgoing" | "out" | "callees" | "down" | "downstream") => "callees".into(),
        Some("both") => Value::Null,
        _ => value,
    }
}

/// Converts a file type, as ripgrep names it, to a language.
fn language(value: Value) -> Value {
    let name = match lenient::text(&value) {
        Some("py") => "python",
        Some("js") => "javascript",
        Some("ts") => "typescript",
        Some("md") => "markdown",
        Some("rs") => "rust",
        _ => return value,
    };
    name.into()
}

/// Converts extensions such as `.rs` to globs.
fn extensions(value: Value) -> Value {
    let glob = |text: &String| format!("*.{}", text.trim_start_matches(['*', '.']));
    lenient::texts(&value).map_or(value, |texts| texts.iter().map(glob).collect())
}

/// Converts a list of the first and the last line, which is negative for the end of the file, to a range.
fn range(value: Value) -> Value {
    let listed = value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let lines = listed.as_ref().unwrap_or(&value);
    let line = |at: usize| lines.get(at).and_then(lenient::integer);
    match (line(0), line(1)) {
        (Some(first), Some(last)) if last < 0 => format!("{}-", first.max(1)).into(),
        (Some(first), Some(last)) => format!("{}-{last}", first.max(1)).into(),
        _ => value,
    }
}

/// The range of lines that several parameters give together. Some systems count lines from 0, and then mean the first line
/// with 0.
fn lines_of(parts: &[(LinePart, i64)]) -> String {
    let part = |wanted: LinePart| parts.iter().find(|(part, _)| *part == wanted).map(|(_, number)| *number);
    let first = part(LinePart::First).unwrap_or(1).max(1);
    let end = part(LinePart::Count).map(|count| first.saturating_add(count.max(1) - 1));
    match part(LinePart::Last).filter(|last| *last > 0).or(end) {
        Some(last) => format!("{first}-{last}"),
        None => format!("{first}-"),
    }
}

/// The target of the code graph that several parameters give together; `None` if they name neither a symbol nor a file.
/// Where a symbol comes with a line, the line is that of a use, which says less than the name.
fn target_of(parts: &[(TargetPart, Value)]) -> Option<String> {
    let part = |wanted: TargetPart| parts.iter().find(|(part, _)| *part == wanted).map(|(_, value)| value);
    let text = |wanted: TargetPart| part(wanted).and_then(lenient::text);
    let number = |wanted: TargetPart| part(wanted).and_then(lenient::number);
    let (symbol, uri) = (text(TargetPart::Symbol), text(TargetPart::Uri));
    // The positions of language servers begin at 0.
    let from_zero = uri.is_some() && part(TargetPart::Character).is_some();
    let line = number(TargetPart::Line).map(|line| line.saturating_add(from_zero.into()));
    let file = text(TargetPart::File).or(uri);
    let column = number(TargetPart::Column)
        .or_else(|| number(TargetPart::Character).map(|character| character.saturating_add(1)));
    match (symbol, file, line) {
        (Some(symbol), Some(file), None) if !symbol.contains('#') => {
            Some(format!("{file}#{}", symbol.trim_matches('/').replace('/', ".")))
        }
        (Some(symbol), _, _) => Some(symbol.to_string()),
        (None, Some(file), None) => Some(file.to_string()),
        (None, Some(file), Some(line)) => {
            Some(column.map_or_else(|| format!("{file}:{line}"), |column| format!("{file}:{line}:{column}")))
        }
        (None, None, _) => None,
    }
}

/// Translates the arguments to the spelling of the tool.
///
/// # Errors
/// When two arguments become the same parameter, and when an argument asks for what no tool does.
pub fn translated(
    spellings: &Spellings,
    arguments: Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    let mut made = Translation::default();
    for (name, value) in arguments {
        match spellings.iter().find(|(names, _)| names.split(' ').any(|other| other == name)) {
            None => made.insert(&name, value)?,
            Some((_, becomes)) => made.add(becomes, &name, value)?,
        }
    }
    made.finish()
}

/// Arguments that are being translated.
#[derive(Default)]
struct Translation {
    out: Map<String, Value>,
    /// What the arguments say of the lines to read, and of a target.
    lines: Vec<(LinePart, i64)>,
    target: Vec<(TargetPart, Value)>,
    /// The text that comes before another argument.
    first_line: Option<(&'static str, String)>,
}

/// The error for a parameter that two arguments mean.
fn twice(name: &str) -> String {
    format!("'{name}' is given twice, once by another name")
}

impl Translation {
    /// Adds the argument `name`, which becomes something else.
    fn add(&mut self, becomes: &Becomes, name: &str, value: Value) -> Result<(), String> {
        match becomes {
            Becomes::Remark => {}
            Becomes::Always(always, why) => {
                let given = lenient::flag(&value).map(|on| on.to_string());
                let given = given.or_else(|| lenient::text(&value).map(str::to_string));
                if !value.is_null() && given.as_deref() != Some(always) {
                    return Err(format!("'{name}' is {value}, but {why}; leave it out"));
                }
            }
            Becomes::FirstLine(own) => {
                self.first_line = lenient::text(&value).map(|text| (*own, text.to_string()));
            }
            Becomes::Target(part) => self.add_target(*part, name, value)?,
            Becomes::Lines(part) => self.add_lines(*part, name, &value)?,
            Becomes::As(own) => self.insert(own, value)?,
            Becomes::Converted(own, change) => self.insert(own, change.of(value))?,
            Becomes::Largest(own) => {
                let before = self.out.remove(*own).and_then(|value| lenient::number(&value));
                let value = match (before, lenient::number(&value)) {
                    (Some(before), Some(number)) => before.max(number).into(),
                    _ => value,
                };
                self.insert(own, value)?;
            }
        }
        Ok(())
    }

    fn insert(&mut self, name: &str, value: Value) -> Result<(), String> {
        match self.out.insert(name.to_string(), value) {
            Some(_) => Err(twice(name)),
            None => Ok(()),
        }
    }

    fn add_target(&mut self, part: TargetPart, name: &str, value: Value) -> Result<(), String> {
        if self.target.iter().any(|(known, _)| *known == part) {
            return Err(twice(name));
        }
        let is_text = matches!(part, TargetPart::Symbol | TargetPart::File | TargetPart::Uri);
        if value.is_null() {
            return Ok(());
        }
        if is_text && lenient::text(&value).is_none() {
            return Err(format!("{name} is {value}; give a text"));
        }
        if !is_text && lenient::number(&value).is_none() {
            return Err(format!("{name} is {value}; give a whole number"));
        }
        self.target.push((part, value));
        Ok(())
    }

    fn add_lines(&mut self, part: LinePart, name: &str, value: &Value) -> Result<(), String> {
        if value.is_null() {
            return Ok(());
        }
        let (number, wanted) = match part {
            LinePart::Whole => (lenient::flag(value).map(i64::from), "true or false"),
            _ => (lenient::integer(value), "a whole number"),
        };
        let number = number.ok_or_else(|| format!("{name} is {value}; give {wanted}"))?;
        self.lines.push((part, number));
        Ok(())
    }

    /// The arguments of the tool.
    fn finish(mut self) -> Result<Map<String, Value>, String> {
        // A line is one of a file; without another name for the file, its path is meant.
        let has = |part: TargetPart| self.target.iter().any(|(known, _)| *known == part);
        if has(TargetPart::Line)
            && !has(TargetPart::Symbol)
            && !has(TargetPart::File)
            && !has(TargetPart::Uri)
            && let Some(path) = self.out.remove("path")
        {
            self.target.push((TargetPart::File, path));
        }
        if let Some(target) = target_of(&self.target) {
            self.insert("target", target.into())?;
        }
        let is_whole = self.lines.contains(&(LinePart::Whole, 1));
        self.lines.retain(|(part, _)| *part != LinePart::Whole);
        if !self.lines.is_empty() && !is_whole {
            self.insert("lines", lines_of(&self.lines).into())?;
        }
        if let Some((own, line)) = self.first_line {
            let rest = self.out.get(own).and_then(lenient::text).unwrap_or_default();
            self.out.insert(own.to_string(), format!("{line}\n{rest}").trim_end().into());
        }
        Ok(self.out)
    }
}

#[cfg(test)]
mod tests;
