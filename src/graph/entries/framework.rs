//! The framework files under `frameworks/`: what declares a route or a command, as patterns on the code of a file.
//!
//! `frameworks/README.md` describes the fields. The files are part of the binary. The patterns of a framework are compiled
//! when a tree has a candidate for it, because compiling all of them takes longer than most answers. A test compiles all of
//! them and runs each on its fixture.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::template::Template;

/// The kind of an entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum EntryKind {
    /// A request to a path.
    Route,
    /// A command that people or tools run.
    Command,
}

impl EntryKind {
    /// Every kind.
    pub const ALL: [EntryKind; 2] = [EntryKind::Route, EntryKind::Command];

    /// The name of the kind in wire formats.
    pub fn name(self) -> &'static str {
        match self {
            EntryKind::Route => "route",
            EntryKind::Command => "command",
        }
    }
}

macro_rules! framework_files {
    ($($name:literal)+) => {
        /// The name and the text of each framework file.
        pub(super) const FRAMEWORK_FILES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../frameworks/", $name, "/framework.toml"))),)+];
    };
}

framework_files!(
    "actix" "argparse" "axum" "cargo" "clap" "click" "cobra" "django" "express" "fastapi" "flask" "gin" "just" "make"
    "nestjs" "nextjs" "npm" "phoenix" "python-scripts" "rails" "spring"
);

pub(super) static FRAMEWORKS: LazyLock<Vec<FrameworkFile>> = LazyLock::new(|| {
    let read = FRAMEWORK_FILES.iter().map(|(name, text)| {
        FrameworkFile::parse(name, text)
            .unwrap_or_else(|error| panic!("frameworks/{name}/framework.toml: {error}"))
    });
    read.collect()
});

/// A framework file: what chooses the candidates, and the patterns, which are compiled at their first use.
#[derive(Debug)]
pub(super) struct FrameworkFile {
    pub name: &'static str,
    pub kind: EntryKind,
    pub languages: Vec<String>,
    /// A candidate contains all words of one of these groups.
    pub words: Vec<Vec<String>>,
    /// Candidates by their file name.
    pub names: Vec<String>,
    /// Whether the path of a file may be an entry.
    pub has_files: bool,
    row: FrameworkRow,
    compiled: OnceLock<Framework>,
}

impl FrameworkFile {
    /// Reads a framework file.
    ///
    /// # Errors
    /// An unknown or missing field.
    pub fn parse(name: &'static str, text: &str) -> Result<FrameworkFile, String> {
        let row: FrameworkRow = toml::from_str(text).map_err(|error| error.to_string())?;
        if row.title.is_empty() || !row.source.starts_with("https://") {
            return Err("'title' and 'source' (the address of a document) are missing".to_string());
        }
        if row.words.is_empty() && row.names.is_empty() && row.file.is_empty() {
            return Err("'words', 'names' or a '[[file]]' must choose the candidates".to_string());
        }
        Ok(FrameworkFile {
            name,
            kind: row.kind.ok_or("'kind' is missing")?,
            languages: row.languages.clone(),
            words: row.words.iter().map(|group| group.split('+').map(str::to_string).collect()).collect(),
            names: row.names.clone(),
            has_files: !row.file.is_empty(),
            row,
            compiled: OnceLock::new(),
        })
    }

    /// The compiled patterns.
    pub fn framework(&self) -> &Framework {
        self.compiled.get_or_init(|| {
            let compiled = Framework::compile(self.name, self.kind, &self.row);
            compiled.unwrap_or_else(|error| panic!("frameworks/{}/framework.toml: {error}", self.name))
        })
    }
}

/// One text, or several that are tried in order.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    #[default]
    Absent,
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    fn texts(&self) -> Vec<&str> {
        match self {
            OneOrMany::Absent => Vec::new(),
            OneOrMany::One(text) => vec![text],
            OneOrMany::Many(texts) => texts.iter().map(String::as_str).collect(),
        }
    }

    fn templates(&self) -> Result<Vec<Template>, String> {
        self.texts().into_iter().map(Template::parse).collect()
    }
}

/// Where the arguments of a match are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ArgsPlace {
    /// In the bracket at the end of the match; none, if the match ends with no bracket.
    #[default]
    Brackets,
    /// As `brackets`, or else the rest of the statement.
    Line,
}

/// The text that a block covers, or in which `each` is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RuleExtent {
    #[default]
    Args,
    /// The arguments, and the calls chained to the expression.
    Chain,
    /// From the match to the line `end` of the same indentation.
    DoEnd,
    /// The next pair of braces.
    Braces,
}

/// How the text of a handler names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum HandlerForm {
    /// An expression of the file, resolved as a use.
    #[default]
    Expression,
    /// `Type#member` or `Type.member`, anywhere in the tree.
    Member,
    /// `package.module:name`.
    Module,
    /// The path of a file, relative to the folder of the declaring file.
    File,
    /// A command line, which leads nowhere in the tree.
    Text,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct FrameworkRow {
    title: String,
    kind: Option<EntryKind>,
    source: String,
    languages: Vec<String>,
    words: Vec<String>,
    names: Vec<String>,
    paths: Option<String>,
    requires: Option<String>,
    block: Vec<RuleRow>,
    router: Vec<RuleRow>,
    mount: Vec<RuleRow>,
    entry: Vec<RuleRow>,
    global: Vec<RuleRow>,
    file: Vec<PathRow>,
    table: Vec<TableRow>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RuleRow {
    pattern: String,
    args: ArgsPlace,
    extent: RuleExtent,
    find: BTreeMap<String, OneOrMany>,
    requires: Option<String>,
    unless: Option<String>,
    each: Option<String>,
    next: Option<String>,
    next_is_optional: bool,
    label: String,
    method: OneOrMany,
    path: OneOrMany,
    name: OneOrMany,
    handler: OneOrMany,
    handler_form: HandlerForm,
    handler_ending: Option<String>,
    child: OneOrMany,
    child_is_module: bool,
    parent: OneOrMany,
    member: OneOrMany,
    collection: OneOrMany,
    set: BTreeMap<String, OneOrMany>,
    actions: Vec<[String; 3]>,
    inside: Option<String>,
    part: Option<String>,
    needs_router: bool,
    handler_is_base: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct PathRow {
    pattern: String,
    root_files: Vec<String>,
    root_manifest: Option<String>,
    root_requires: Option<String>,
    name_key: Option<String>,
    label: String,
    each: Option<String>,
    method: OneOrMany,
    path: OneOrMany,
    name: OneOrMany,
    handler: OneOrMany,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct TableRow {
    key: String,
    label: String,
    name: OneOrMany,
    handler: OneOrMany,
    handler_form: HandlerForm,
}

/// The compiled patterns of a framework.
#[derive(Debug)]
pub(super) struct Framework {
    pub name: &'static str,
    pub kind: EntryKind,
    pub languages: Vec<String>,
    pub paths: Option<Regex>,
    pub requires: Option<Regex>,
    pub blocks: Vec<PatternRule>,
    pub routers: Vec<PatternRule>,
    pub mounts: Vec<PatternRule>,
    pub entries: Vec<PatternRule>,
    pub globals: Vec<PatternRule>,
    pub files: Vec<FileRule>,
    pub tables: Vec<TableRule>,
}

/// A pattern with what a match of it means.
#[derive(Debug)]
pub(super) struct PatternRule {
    pub pattern: Regex,
    pub args: ArgsPlace,
    pub extent: RuleExtent,
    /// Further captures: the first group of the first pattern that matches the arguments.
    pub find: Vec<(String, Vec<Regex>)>,
    pub requires: Option<Regex>,
    pub unless: Option<Regex>,
    pub each: Option<Regex>,
    pub next: Option<Regex>,
    pub next_is_optional: bool,
    pub label: String,
    pub method: Vec<Template>,
    pub path: Vec<Template>,
    pub name: Vec<Template>,
    pub handler: Vec<Template>,
    pub handler_form: HandlerForm,
    pub handler_ending: Option<Regex>,
    pub child: Vec<Template>,
    pub child_is_module: bool,
    pub parent: Vec<Template>,
    pub member: Vec<Template>,
    pub collection: Vec<Template>,
    pub set: Vec<(String, Vec<Template>)>,
    /// Method, path and action of each entry of a resource.
    pub actions: Vec<(String, Template, String)>,
    pub inside: Option<String>,
    pub part: Option<String>,
    pub needs_router: bool,
    pub handler_is_base: bool,
}

/// A rule by which the path of a file is an entry.
#[derive(Debug)]
pub(super) struct FileRule {
    pub pattern: Regex,
    pub root_files: Vec<String>,
    pub root_manifest: Option<String>,
    pub root_requires: Option<Regex>,
    pub name_key: Option<String>,
    pub label: String,
    pub each: Option<Regex>,
    pub method: Vec<Template>,
    pub path: Vec<Template>,
    pub name: Vec<Template>,
    pub handler: Vec<Template>,
}

/// A table of a TOML or JSON file whose rows are entries.
#[derive(Debug)]
pub(super) struct TableRule {
    pub key: String,
    pub label: String,
    pub name: Vec<Template>,
    pub handler: Vec<Template>,
    pub handler_form: HandlerForm,
}

fn regex(pattern: &str) -> Result<Regex, String> {
    Regex::new(pattern).map_err(|error| error.to_string())
}

fn optional(pattern: &Option<String>) -> Result<Option<Regex>, String> {
    pattern.as_deref().map(regex).transpose()
}

impl Framework {
    /// Compiles the patterns and templates.
    ///
    /// # Errors
    /// A pattern or template that does not compile, a missing field of a rule.
    fn compile(name: &'static str, kind: EntryKind, row: &FrameworkRow) -> Result<Framework, String> {
        let rules = |rows: &[RuleRow], role| -> Result<Vec<PatternRule>, String> {
            rows.iter().map(|row| PatternRule::compile(row, role)).collect()
        };
        Ok(Framework {
            name,
            kind,
            languages: row.languages.clone(),
            paths: optional(&row.paths)?,
            requires: optional(&row.requires)?,
            blocks: rules(&row.block, Role::Block)?,
            routers: rules(&row.router, Role::Router)?,
            mounts: rules(&row.mount, Role::Mount)?,
            entries: rules(&row.entry, Role::Entry(kind))?,
            globals: rules(&row.global, Role::Global)?,
            files: row.file.iter().map(FileRule::compile).collect::<Result<_, _>>()?,
            tables: row.table.iter().map(TableRule::compile).collect::<Result<_, _>>()?,
        })
    }
}

/// The purpose of a rule.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Block,
    Router,
    Mount,
    Entry(EntryKind),
    Global,
}

impl PatternRule {
    fn compile(row: &RuleRow, role: Role) -> Result<PatternRule, String> {
        let find = row.find.iter().map(|(name, patterns)| {
            let patterns = patterns.texts().into_iter().map(regex).collect::<Result<Vec<_>, _>>()?;
            Ok::<_, String>((name.clone(), patterns))
        });
        let set =
            row.set.iter().map(|(name, templates)| Ok::<_, String>((name.clone(), templates.templates()?)));
        let actions = row.actions.iter().map(|[method, path, action]| {
            Ok::<_, String>((method.clone(), Template::parse(path)?, action.clone()))
        });
        let rule = PatternRule {
            pattern: regex(&row.pattern)?,
            args: row.args,
            extent: row.extent,
            find: find.collect::<Result<_, _>>()?,
            requires: optional(&row.requires)?,
            unless: optional(&row.unless)?,
            each: optional(&row.each)?,
            next: optional(&row.next)?,
            next_is_optional: row.next_is_optional,
            label: row.label.clone(),
            method: row.method.templates()?,
            path: row.path.templates()?,
            name: row.name.templates()?,
            handler: row.handler.templates()?,
            handler_form: row.handler_form,
            handler_ending: optional(&row.handler_ending)?,
            child: row.child.templates()?,
            child_is_module: row.child_is_module,
            parent: row.parent.templates()?,
            member: row.member.templates()?,
            collection: row.collection.templates()?,
            set: set.collect::<Result<_, _>>()?,
            actions: actions.collect::<Result<_, _>>()?,
            inside: row.inside.clone(),
            part: row.part.clone(),
            needs_router: row.needs_router,
            handler_is_base: row.handler_is_base,
        };
        let has_object = rule.pattern.capture_names().any(|name| name == Some("object"));
        let missing = match role {
            Role::Router if !has_object => Some("a router needs a capture 'object'"),
            Role::Mount if rule.child.is_empty() => Some("a mount needs a 'child'"),
            Role::Global if rule.path.is_empty() => Some("a global needs a 'path'"),
            Role::Entry(EntryKind::Route) if rule.path.is_empty() && rule.actions.is_empty() => {
                Some("a route needs a 'path' or 'actions'")
            }
            Role::Entry(EntryKind::Command) if rule.name.is_empty() => Some("a command needs a 'name'"),
            _ => None,
        };
        match missing {
            Some(missing) => Err(format!("{missing}: '{}'", row.pattern)),
            None => Ok(rule),
        }
    }
}

impl FileRule {
    fn compile(row: &PathRow) -> Result<FileRule, String> {
        Ok(FileRule {
            pattern: regex(&row.pattern)?,
            root_files: row.root_files.clone(),
            root_manifest: row.root_manifest.clone(),
            root_requires: optional(&row.root_requires)?,
            name_key: row.name_key.clone(),
            label: row.label.clone(),
            each: optional(&row.each)?,
            method: row.method.templates()?,
            path: row.path.templates()?,
            name: row.name.templates()?,
            handler: row.handler.templates()?,
        })
    }
}

impl TableRule {
    fn compile(row: &TableRow) -> Result<TableRule, String> {
        match row.key.is_empty() {
            true => Err("a table needs a 'key'".to_string()),
            false => Ok(TableRule {
                key: row.key.clone(),
                label: row.label.clone(),
                name: row.name.templates()?,
                handler: row.handler.templates()?,
                handler_form: row.handler_form,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_framework_compiles_and_every_folder_is_listed() {
        for row in FRAMEWORKS.iter() {
            let compiled = row.framework();
            assert!(
                !compiled.entries.is_empty() || !compiled.files.is_empty() || !compiled.tables.is_empty()
            );
        }
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("frameworks");
        let folders = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.path().is_dir());
        let mut names: Vec<String> = folders.map(|entry| entry.file_name().into_string().unwrap()).collect();
        names.sort();
        let mut listed: Vec<&str> = FRAMEWORK_FILES.iter().map(|(name, _)| *name).collect();
        listed.sort_unstable();
        assert_eq!(names, listed);
    }

    #[test]
    fn mistakes_in_a_framework_file_are_errors() {
        let head = "title = 'T'\nkind = 'route'\nsource = 'https://t'\nwords = ['t']\n";
        let check = |rest: &str, expected: &str| {
            let text = format!("{head}{rest}");
            let framework = FrameworkFile::parse("t", &text);
            let error = framework
                .and_then(|framework| Framework::compile("t", framework.kind, &framework.row).map(|_| ()));
            let error = error.expect_err(rest);
            assert!(error.contains(expected), "{rest}: {error}");
        };
        check("speed = 1\n", "unknown field");
        check("[[entry]]\npattern = '('\npath = 'p'\n", "unclosed group");
        check("[[entry]]\npattern = 'a'\n", "a route needs a 'path'");
        check("[[entry]]\npattern = 'a'\npath = '{p|loud}'\n", "unknown filter 'loud'");
        check("[[router]]\npattern = 'a'\n", "capture 'object'");
        check("[[mount]]\npattern = 'a'\n", "needs a 'child'");
        assert!(FrameworkFile::parse("t", "kind = 'route'\nwords = ['t']\n").is_err());
        assert!(FrameworkFile::parse("t", "title = 'T'\nkind = 'route'\nsource = 'https://t'\n").is_err());
    }
}
