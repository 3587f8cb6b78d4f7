//! The framework files under `frameworks/`: what declares a route or a command, as patterns on the code of a file.
//!
//! `frameworks/README.md` describes the fields. The files are part of the binary. A pattern is compiled when it is first used,
//! because compiling all of them takes longer than most answers. A test compiles all of them and runs each on its fixture.

use std::collections::BTreeMap;
use std::ops::Deref;
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
    "actix" "argparse" "aspnet" "axum" "cargo" "chi" "clap" "click" "cobra" "django" "express" "fastapi" "flask" "gin" "jaxrs" "just" "laravel" "make"
    "nestjs" "net-http" "nextjs" "npm" "phoenix" "python-scripts" "rails" "spring"
);

pub(super) static FRAMEWORKS: LazyLock<Vec<Framework>> = LazyLock::new(|| {
    let read = FRAMEWORK_FILES.iter().map(|(name, text)| {
        Framework::parse(name, text)
            .unwrap_or_else(|error| panic!("frameworks/{name}/framework.toml: {error}"))
    });
    read.collect()
});

/// A pattern that is compiled when it is first used.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "String")]
pub(super) struct LazyPattern {
    text: String,
    compiled: OnceLock<Regex>,
}

impl From<String> for LazyPattern {
    fn from(text: String) -> LazyPattern {
        LazyPattern { text, compiled: OnceLock::new() }
    }
}

impl Deref for LazyPattern {
    type Target = Regex;

    fn deref(&self) -> &Regex {
        self.compiled.get_or_init(|| Regex::new(&self.text).unwrap_or_else(|error| panic!("{error}")))
    }
}

/// One text, or several that are tried in order.
#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl From<OneOrMany> for Vec<String> {
    fn from(texts: OneOrMany) -> Vec<String> {
        match texts {
            OneOrMany::One(text) => vec![text],
            OneOrMany::Many(texts) => texts,
        }
    }
}

/// FirstTemplate that are tried in order.
#[derive(Debug, Default, Deserialize)]
#[serde(try_from = "OneOrMany")]
pub(super) struct FirstTemplate(Vec<Template>);

impl TryFrom<OneOrMany> for FirstTemplate {
    type Error = String;

    fn try_from(texts: OneOrMany) -> Result<FirstTemplate, String> {
        Vec::from(texts).iter().map(|text| Template::parse(text)).collect::<Result<_, _>>().map(FirstTemplate)
    }
}

impl Deref for FirstTemplate {
    type Target = [Template];

    fn deref(&self) -> &[Template] {
        &self.0
    }
}

/// FirstPattern that are tried in order.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "OneOrMany")]
pub(super) struct FirstPattern(pub Vec<LazyPattern>);

impl From<OneOrMany> for FirstPattern {
    fn from(texts: OneOrMany) -> FirstPattern {
        FirstPattern(Vec::from(texts).into_iter().map(LazyPattern::from).collect())
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

/// A framework file: what chooses the candidates, and the patterns.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Framework {
    title: String,
    source: String,
    #[serde(skip)]
    pub name: &'static str,
    kind: Option<EntryKind>,
    pub languages: Vec<String>,
    /// A candidate contains all words of one of these groups, in which `+` is between words.
    pub words: Vec<String>,
    /// Candidates by their file name.
    pub names: Vec<String>,
    pub paths: Option<LazyPattern>,
    pub requires: Option<LazyPattern>,
    #[serde(rename = "block")]
    pub blocks: Vec<PatternRule>,
    #[serde(rename = "router")]
    pub routers: Vec<PatternRule>,
    #[serde(rename = "mount")]
    pub mounts: Vec<PatternRule>,
    #[serde(rename = "entry")]
    pub entries: Vec<PatternRule>,
    #[serde(rename = "global")]
    pub globals: Vec<PatternRule>,
    #[serde(rename = "file")]
    pub files: Vec<FileRule>,
    #[serde(rename = "table")]
    pub tables: Vec<TableRule>,
}

impl Framework {
    /// Reads a framework file.
    ///
    /// # Errors
    /// An unknown or missing field, a template that cannot be read.
    pub fn parse(name: &'static str, text: &str) -> Result<Framework, String> {
        let read: Framework = toml::from_str(text).map_err(|error| error.to_string())?;
        let is_route = read.kind == Some(EntryKind::Route);
        let is_entry = |rule: &PatternRule| match is_route {
            true => !rule.path.is_empty() || !rule.actions.is_empty(),
            false => !rule.name.is_empty(),
        };
        let has_object = |rule: &PatternRule| rule.pattern.text.contains("(?P<object>");
        let missing = match () {
            () if read.title.is_empty() || !read.source.starts_with("https://") => {
                "'title' or 'source' (the address of a document)"
            }
            () if read.words.is_empty() && read.names.is_empty() && read.files.is_empty() => {
                "'words', 'names' or a '[[file]]', which choose the candidates,"
            }
            () if read.kind.is_none() => "'kind'",
            () if !read.routers.iter().all(has_object) => "the capture 'object' of a router",
            () if read.mounts.iter().any(|rule| rule.child.is_empty()) => "the 'child' of a mount",
            () if read.globals.iter().any(|rule| rule.path.is_empty()) => "the 'path' of a global",
            () if read.tables.iter().any(|rule| rule.key.is_empty()) => "the 'key' of a table",
            () if !read.entries.iter().all(is_entry) => {
                "the 'path' or 'actions' of a route, or the 'name' of a command"
            }
            () => return Ok(Framework { name, ..read }),
        };
        Err(format!("{missing} is missing"))
    }

    pub fn kind(&self) -> EntryKind {
        self.kind.unwrap_or(EntryKind::Route)
    }
}

/// A pattern with what a match of it means.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct PatternRule {
    pub pattern: LazyPattern,
    pub args: ArgsPlace,
    pub extent: RuleExtent,
    /// Further captures: the first group of the first pattern that matches the arguments.
    pub find: BTreeMap<String, FirstPattern>,
    pub requires: Option<LazyPattern>,
    pub unless: Option<LazyPattern>,
    pub each: Option<LazyPattern>,
    pub next: Option<LazyPattern>,
    pub next_is_optional: bool,
    pub label: String,
    pub method: FirstTemplate,
    pub path: FirstTemplate,
    pub name: FirstTemplate,
    pub handler: FirstTemplate,
    pub handler_form: HandlerForm,
    pub handler_ending: Option<LazyPattern>,
    pub child: FirstTemplate,
    pub child_is_module: bool,
    pub parent: FirstTemplate,
    pub member: FirstTemplate,
    pub collection: FirstTemplate,
    pub set: BTreeMap<String, FirstTemplate>,
    /// Method, path and action of each entry of a resource.
    pub actions: Vec<(String, Template, String)>,
    pub inside: Option<String>,
    pub part: Option<String>,
    pub needs_router: bool,
    pub handler_is_base: bool,
}

/// A rule by which the path of a file is an entry.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct FileRule {
    pub pattern: LazyPattern,
    pub root_files: Vec<String>,
    pub root_manifest: Option<String>,
    pub root_requires: Option<LazyPattern>,
    pub name_key: Option<String>,
    pub label: String,
    pub each: Option<LazyPattern>,
    pub method: FirstTemplate,
    pub path: FirstTemplate,
    pub name: FirstTemplate,
    pub handler: FirstTemplate,
}

/// A table of a TOML or JSON file whose rows are entries.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct TableRule {
    pub key: String,
    pub label: String,
    pub name: FirstTemplate,
    pub handler: FirstTemplate,
    pub handler_form: HandlerForm,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_framework_compiles_and_every_folder_is_listed() {
        for read in FRAMEWORKS.iter() {
            assert!(!read.entries.is_empty() || !read.files.is_empty() || !read.tables.is_empty());
            let mut all: Vec<&LazyPattern> = Vec::new();
            for rule in [&read.blocks, &read.routers, &read.mounts, &read.entries, &read.globals]
                .into_iter()
                .flatten()
            {
                let PatternRule { pattern, find, requires, unless, each, next, handler_ending, .. } = rule;
                all.push(pattern);
                all.extend([requires, unless, each, next, handler_ending].into_iter().flatten());
                all.extend(find.values().flat_map(|patterns| &patterns.0));
            }
            for rule in &read.files {
                all.push(&rule.pattern);
                all.extend([&rule.root_requires, &rule.each].into_iter().flatten());
            }
            all.extend([&read.paths, &read.requires].into_iter().flatten());
            all.iter().for_each(|pattern| assert!(Regex::new(&pattern.text).is_ok(), "{pattern:?}"));
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
            let error = Framework::parse("t", &text).expect_err(rest);
            assert!(error.contains(expected), "{rest}: {error}");
        };
        check("speed = 1\n", "unknown field");
        check("[[entry]]\npattern = 'a'\n", "'path' or 'actions' of a route");
        check("[[entry]]\npattern = 'a'\npath = '{p|loud}'\n", "unknown filter 'loud'");
        check("[[router]]\npattern = 'a'\n", "capture 'object'");
        check("[[mount]]\npattern = 'a'\n", "'child' of a mount");
        assert!(Framework::parse("t", "kind = 'route'\nwords = ['t']\n").is_err());
        assert!(Framework::parse("t", "title = 'T'\nkind = 'route'\nsource = 'https://t'\n").is_err());
    }
}
