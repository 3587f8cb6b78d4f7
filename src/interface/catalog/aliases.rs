//! Tool names that other systems have taught their agents, and names of Spyhop's own that are being removed.
//!
//! One table lists which tool each name stands for, until which version, and how its parameters are spelled here. An
//! alias also accepts every parameter of its tool, so an agent that mixes two dialects still gets an answer. Values are
//! checked with the tool's own; this module only renames and converts them.

use serde_json::{Map, Value};

use super::lenient;
use super::param::Param;
use super::params::{PATH, TOOL_DB};
use spyhop_attributes::Name;

/// The state of an alias.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Name)]
pub enum AliasState {
    /// The name works, without a notice.
    #[name = "hidden-compatibility"]
    Hidden,
    /// The name works, and the result's metadata names the replacement.
    Deprecated,
    /// The name no longer works; the error names the replacement.
    Removed,
}

/// An alias of a tool.
#[derive(Debug)]
pub struct Alias {
    /// The alias.
    pub name: &'static str,
    /// The tool that answers.
    pub canonical: &'static str,
    /// The state of the alias.
    pub state: AliasState,
    /// The version that deprecated the alias.
    pub deprecated_in: Option<&'static str>,
    /// The version that is to remove the alias.
    pub removal: Option<&'static str>,
    /// Parameters that callers of the alias spell differently.
    pub params: &'static [Spelling],
    /// Parameters that callers of the alias send and the tool does not have.
    pub own: &'static [&'static Param],
    /// Arguments that the alias implies, unless its caller gives them.
    pub implied: &'static [(&'static str, &'static str)],
    /// The reason for the state.
    pub why: &'static str,
}

/// Names of a parameter, separated by blanks, and their translation.
type Spelling = (&'static str, Becomes);

/// The translation of a parameter.
#[derive(Clone, Copy, Debug)]
pub enum Becomes {
    /// Becomes this parameter, with a converted value.
    As(&'static str, fn(Value) -> Value),
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

/// The part of a range of lines that a parameter gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

const fn same(name: &'static str) -> Becomes {
    Becomes::As(name, |value| value)
}

/// An alias without a notice.
const fn hidden(
    name: &'static str,
    canonical: &'static str,
    params: &'static [Spelling],
    why: &'static str,
) -> Alias {
    let (state, deprecated_in, removal) = (AliasState::Hidden, None, None);
    Alias { name, canonical, state, deprecated_in, removal, params, own: &[], implied: &[], why }
}

/// An alias whose result names the replacement.
const fn deprecated(
    name: &'static str,
    canonical: &'static str,
    params: &'static [Spelling],
    own: &'static [&'static Param],
    why: &'static str,
) -> Alias {
    let (state, deprecated_in, removal) = (AliasState::Deprecated, Some("0.1.0"), Some("1.0.0"));
    Alias { state, deprecated_in, removal, own, ..hidden(name, canonical, params, why) }
}

/// A name for reading a file.
const READ_AS: Alias = hidden(
    "read",
    "read_file",
    READING,
    "Hosts teach it as a tool of their own, so agents call it unasked; read_file does the same",
);
/// A name for a context pack.
const PACK_AS: Alias = hidden(
    "context_pack",
    "get_context_pack",
    PACKED,
    "Hosts teach it as a tool of their own; get_context_pack does the same",
);
/// A name for the uses of a symbol.
const USES_AS: Alias = hidden(
    "find_usages",
    "find_references",
    TARGETED,
    "Language servers and other indexes teach it; agents call it unasked, and find_references does the same",
);
/// A name for the calls of a function.
const CALLERS_AS: Alias = Alias { name: "get_callers", implied: &[("relation", "calls")], ..USES_AS };
/// A name for the implementations of a type or method.
const IMPLEMENTATIONS_AS: Alias =
    Alias { name: "find_implementations", implied: &[("relation", "implements")], ..USES_AS };
/// A name for the surroundings of a symbol in the code graph.
const TRACE_AS: Alias = hidden(
    "call_graph",
    "trace_symbol",
    TRACED,
    "As find_usages; trace_symbol says where a symbol is defined, who calls it and what it calls",
);
/// A name for the functions that a function calls.
const CALLEES_AS: Alias = Alias { name: "get_callees", implied: &[("only", "callees")], ..TRACE_AS };
/// A name for the place where a symbol is defined.
const DEFINITION_AS: Alias = Alias { name: "get_definition", implied: &[("only", "def")], ..TRACE_AS };
/// A name for what depends on a symbol.
const IMPACT_AS: Alias =
    hidden("blast_radius", "impact", TARGETED, "As find_usages, for what depends on a change");
/// A name for recording a note.
const RECORD_AS: Alias = hidden(
    "add_memory",
    "record_revision",
    &[("content memory data", same("text")), ("name", Becomes::FirstLine("text"))],
    "Servers that keep memories teach it; agents call it unasked, and record_revision keeps notes about code",
);
/// A name for searching notes.
const NOTES_AS: Alias = hidden(
    "search_memory",
    "search_revision_memory",
    &[("text q", same("query")), ("top_k", same("max_results"))],
    "As add_memory; search_revision_memory finds notes about code",
);

/// Every alias, sorted by name.
pub const ALIASES: &[Alias] = &[
    RECORD_AS,
    Alias { name: "analyze_impact", ..IMPACT_AS },
    IMPACT_AS,
    TRACE_AS,
    Alias { name: "call_hierarchy", ..TRACE_AS },
    Alias { name: "cat", ..READ_AS },
    deprecated(
        "code.search",
        "codebase_search",
        RANKED,
        &[&TOOL_DB],
        "A dot is not allowed in tool names by several model providers, so the name cannot be kept for ever",
    ),
    deprecated("code.search_batch", "search_batch", RANKED, &[&TOOL_DB], "As code.search"),
    deprecated("code.status", "index_status", &[], &[&TOOL_DB, &PATH], "As code.search"),
    PACK_AS,
    Alias { name: "find_all_references", ..USES_AS },
    Alias { name: "find_callees", ..CALLEES_AS },
    Alias { name: "find_callers", ..CALLERS_AS },
    Alias { name: "find_definition", ..DEFINITION_AS },
    IMPLEMENTATIONS_AS,
    Alias { name: "find_referencing_symbols", ..USES_AS },
    USES_AS,
    Alias { name: "get_call_graph", ..TRACE_AS },
    CALLEES_AS,
    CALLERS_AS,
    Alias { name: "get_context", ..PACK_AS },
    DEFINITION_AS,
    Alias { name: "get_references", ..USES_AS },
    hidden(
        "glob",
        "file_search",
        &[
            ("glob_pattern", same("pattern")),
            ("directory target_directory", same("path")),
            ("head_limit", same("max_results")),
        ],
        "Hosts teach it as a tool of their own, so agents call it unasked; a glob is what file_search takes too",
    ),
    Alias { name: "go_to_definition", ..DEFINITION_AS },
    Alias { name: "go_to_implementation", ..IMPLEMENTATIONS_AS },
    Alias { name: "goto_definition", ..DEFINITION_AS },
    hidden(
        "grep",
        "grep_files",
        LINES,
        "As glob; the patterns are of the same kind, lines and their numbers come always",
    ),
    Alias { name: "impact_analysis", ..IMPACT_AS },
    Alias { name: "list_code_usages", ..USES_AS },
    Alias { name: "open_file", ..READ_AS },
    Alias { name: "pack_context", ..PACK_AS },
    READ_AS,
    Alias { name: "recall", ..NOTES_AS },
    Alias { name: "remember", ..RECORD_AS },
    hidden(
        "search_code",
        "codebase_search",
        RANKED,
        "The commonest name for what codebase_search does; agents call it unasked, and it promises nothing else",
    ),
    NOTES_AS,
    deprecated(
        "semantic_search",
        "codebase_search",
        RANKED,
        &[],
        "It promises a model, and there is none here: an agent should learn the honest name",
    ),
    Alias { name: "store_memory", ..RECORD_AS },
    Alias { name: "view", ..READ_AS },
    Alias { name: "view_file", ..READ_AS },
    Alias { name: "who_calls", ..CALLERS_AS },
    Alias { name: "write_memory", ..RECORD_AS },
];

/// The number of rows before a page, which becomes the cursor of that page.
const PAGED: Becomes = Becomes::As("cursor", |value| match lenient::number(&value) {
    Some(0) => Value::Null,
    Some(rows) => format!("g0-{rows}").into(),
    None => value,
});

/// Other systems' parameters of a ranked search.
const RANKED: &[Spelling] = &[
    ("q", same("query")),
    ("offset", PAGED),
    ("top_k k perPage per_page num_results n_results topK maxResults", same("max_results")),
    ("directory", same("path")),
    ("target_directories", Becomes::As("path", |value| lenient::single(&value).clone())),
    ("include", same("path_glob")),
    ("extensionFilter", Becomes::As("path_glob", extensions)),
    ("explanation", Becomes::Remark),
];

/// Other systems' parameters of a line search.
const LINES: &[Spelling] = &[
    ("query regex", same("pattern")),
    ("-i case_insensitive", same("ignore_case")),
    ("case_sensitive", Becomes::As("ignore_case", opposite)),
    ("-w", same("word")),
    ("-F", same("fixed")),
    ("-n", Becomes::Always("true", "lines always have their numbers")),
    ("-A -B -C context_lines", Becomes::Largest("expand")),
    ("head_limit", same("max_results")),
    (
        "output_mode",
        Becomes::Always(
            "content",
            "answers have the matching lines below their files, and the number of both",
        ),
    ),
    ("include include_pattern", same("path_glob")),
    ("type", Becomes::As("lang", language)),
    ("explanation", Becomes::Remark),
];

/// Other systems' parameters for reading a file.
const READING: &[Spelling] = &[
    ("file_path filePath absolute_path AbsolutePath target_file file", same("path")),
    ("offset startLine start_line StartLine start_line_one_indexed", Becomes::Lines(LinePart::First)),
    ("endLine end_line EndLine end_line_one_indexed_inclusive", Becomes::Lines(LinePart::Last)),
    ("limit", Becomes::Lines(LinePart::Count)),
    ("lines view_range line_range", Becomes::As("lines", range)),
    ("should_read_entire_file", Becomes::Lines(LinePart::Whole)),
    ("explanation", Becomes::Remark),
];

/// Other systems' parameters for a context pack.
const PACKED: &[Spelling] = &[
    ("query prompt description", same("task")),
    ("max_tokens token_budget", same("budget")),
    ("files seed_files", same("seed_file")),
    ("symbols seed_symbols", same("seed_symbol")),
    ("explanation", Becomes::Remark),
];

/// Other systems' parameters for a symbol or a place in the code graph, after some of one tool.
macro_rules! targeted {
    ($($own:expr),*) => { &[
        $($own,)*
        (
            "symbol symbol_name symbolName function function_name name name_path identifier query",
            Becomes::Target(TargetPart::Symbol),
        ),
        ("file file_path filePath relative_path", Becomes::Target(TargetPart::File)),
        ("uri", Becomes::Target(TargetPart::Uri)),
        ("line", Becomes::Target(TargetPart::Line)),
        ("column", Becomes::Target(TargetPart::Column)),
        ("character", Becomes::Target(TargetPart::Character)),
        ("max_depth", same("depth")),
        ("limit", same("max_results")),
        ("explanation", Becomes::Remark),
    ] };
}

/// Other systems' parameters for a symbol or a place in the code graph.
const TARGETED: &[Spelling] = targeted![];

/// These parameters, with the direction of calls.
const TRACED: &[Spelling] = targeted![("direction", Becomes::As("only", direction))];

/// Parameters of tools as other systems spell them for a tool of the same name.
pub const SPELLINGS: &[(&str, &[Spelling])] = &[
    ("codebase_search", RANKED),
    ("file_search", &[("query", same("pattern")), ("limit", same("max_results")), ("offset", PAGED)]),
    ("find_references", TARGETED),
    ("get_context_pack", PACKED),
    ("grep_files", LINES),
    ("impact", TARGETED),
    ("project_map", &[("max_depth", same("depth"))]),
    ("read_file", READING),
    ("search_batch", RANKED),
    ("symbol_search", &[("query", same("pattern")), ("offset", PAGED)]),
    ("trace_symbol", TRACED),
];

/// The other spellings of a tool's parameters; an alias has spellings of its own.
pub fn spellings(tool: &str, alias: Option<&Alias>) -> &'static [Spelling] {
    let of_tool = || SPELLINGS.iter().find(|(name, _)| *name == tool).map(|(_, spellings)| *spellings);
    alias.map(|alias| alias.params).or_else(of_tool).unwrap_or_default()
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

fn opposite(value: Value) -> Value {
    lenient::flag(&value).map_or(value, |on| (!on).into())
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
    spellings: &[Spelling],
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
            Becomes::As(own, change) => self.insert(own, change(value))?,
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
