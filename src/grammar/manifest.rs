//! The manifest of a language as it is written: `grammar.toml`, read into plain data.
//!
//! This module owns the format of the file and rejects unknown keys. [`super::rules`], which has the parser, checks
//! that the node kinds and fields named in it exist. Roles are given by node kind and field rather than by tree-sitter
//! queries, because one walk over the tree then carries out all roles at a fifth of a query's cost, and because nothing
//! needs compiling when a process starts.

use std::collections::BTreeMap;

use serde::Deserialize;

/// What `grammars/<language>/grammar.toml` says.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    /// The name of the language, which is that of its folder.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// Other names that filters accept.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// File extensions, without the dot.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Whole file names.
    #[serde(default)]
    pub files: Vec<String>,
    /// Interpreters of a first line `#!`, without their version.
    #[serde(default)]
    pub interpreters: Vec<String>,
    /// Extensions of other languages that are ours where the text looks like it.
    #[serde(default, rename = "claim")]
    pub claims: Vec<Claim>,
    /// Another language of the same cargo feature whose roles come before these.
    pub extends: Option<String>,
    /// Whether it is written for people, so that what belongs to no item is `doc` and not `block`.
    #[serde(default)]
    pub prose: bool,
    /// What makes its trees deep, for the guard before parsing.
    #[serde(default)]
    pub nesting: Nesting,
    /// Whether words in capitals that stand where only a macro can are kept from the parser.
    #[serde(default)]
    pub macros: bool,
    /// Whether wide characters behind an open brace are kept from the parser, which would crash.
    #[serde(default)]
    pub narrow_braces: bool,
    /// Whether `@` in a last line without a line break is kept from the parser, which would never return.
    #[serde(default)]
    pub hide_open_annotations: bool,
    /// Comments. They lead the item they touch.
    #[serde(default)]
    pub comments: Vec<String>,
    /// Other nodes that lead the item after them, or that they stand first in: attributes, decorators.
    #[serde(default)]
    pub leading: Vec<String>,
    /// Nodes around an item that belong to it: `export`, decorated definitions.
    #[serde(default)]
    pub wrappers: Vec<String>,
    /// Nodes whose children count as standing beside them: preprocessor conditions.
    #[serde(default)]
    pub transparent: Vec<String>,
    /// Nodes that are not worth a look inside.
    #[serde(default)]
    pub skip: Vec<String>,
    /// Nodes below which a variable is a local one.
    #[serde(default)]
    pub functions: Vec<String>,
    /// Leaves that are names.
    #[serde(default)]
    pub identifiers: Vec<String>,
    /// Leaves that name a type wherever they stand.
    #[serde(default)]
    pub types: Vec<String>,
    /// Strings that hold the path of an import; its last part without extension is the name.
    #[serde(default)]
    pub strings: Vec<String>,
    /// Whether dots separate the parts of such a path, and none is before an extension.
    #[serde(default)]
    pub dotted: bool,
    /// The kinds, outermost first, of the first statement of a body that documents it.
    #[serde(default)]
    pub docstring: Vec<String>,
    /// For compound nodes, the step that leads to the name they end in.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
    /// For names that are followed by what is no part of them, the step to that: C++'s `operator bool() const`.
    #[serde(default)]
    pub ends: BTreeMap<String, String>,
    /// For kinds that qualify a name, the step to what it is qualified by: `C` in C++'s `C::f`.
    #[serde(default)]
    pub scopes: BTreeMap<String, String>,
    /// Marks before a name that are no part of it, such as Ruby's `:`.
    #[serde(default)]
    pub strip: String,
    /// Marks before which a name ends, such as the `=` of a shell's alias.
    #[serde(default)]
    pub until: String,
    /// Words that are no name, though the parser takes them for one where it has lost its way.
    #[serde(default)]
    pub reserved: Vec<String>,
    /// How the insides of functions are told, which then are not parsed.
    pub bodies: Option<Bodies>,
    /// What defines a name.
    #[serde(default)]
    pub item: Vec<Item>,
    /// What uses a name.
    #[serde(default, rename = "use")]
    pub uses: Vec<Use>,
}

/// What a manifest says first: all that telling languages apart takes. A process that only answers needs no more of
/// them, and reading all of each takes longer than many an answer.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(super) struct Head {
    pub name: String,
    pub title: String,
    #[serde(default)]
    pub aliases: Vec<String>,
    #[serde(default)]
    pub extensions: Vec<String>,
    #[serde(default)]
    pub files: Vec<String>,
    #[serde(default)]
    pub interpreters: Vec<String>,
    #[serde(default, rename = "claim")]
    pub claims: Vec<Claim>,
    pub extends: Option<String>,
}

impl Head {
    /// Of a built-in manifest, where claims come before all other tables.
    pub fn of_built_in(text: &str) -> Result<Head, toml::de::Error> {
        let is_other = |line: &str| line.starts_with('[') && line.trim_end() != "[[claim]]";
        let lines = text.split_inclusive('\n').take_while(|line| !is_other(line));
        toml::from_str(&text[..lines.map(str::len).sum()])
    }

    pub fn of(manifest: &Manifest) -> Head {
        let Manifest { name, title, aliases, extensions, files, interpreters, claims, extends, .. } =
            manifest.clone();
        Head { name, title, aliases, extensions, files, interpreters, claims, extends }
    }
}

/// How the insides of functions and tables are told, and what is looked for in them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Bodies {
    /// Signs behind which a brace begins a body.
    pub behind: Vec<char>,
    /// Words behind which a brace is a type's; where there are any, one behind every other word begins a body.
    #[serde(default)]
    pub type_braces: Vec<String>,
    /// The quote of raw text, which goes over the ends of lines and knows no escapes.
    pub raw: Option<char>,
    /// Whether lines that begin with `#` are a preprocessor's.
    #[serde(default)]
    pub directives: bool,
    /// Whether the end of a line can end a statement.
    #[serde(default)]
    pub newlines: bool,
    /// Words that define something where a line begins with them.
    #[serde(default)]
    pub items: Vec<String>,
    /// Words that define something where a brace follows, with at most a name between.
    #[serde(default)]
    pub blocks: Vec<String>,
    /// Where the type of a variable stands.
    pub types: TypePlace,
    /// Words behind which a type stands.
    #[serde(default)]
    pub announce: Vec<String>,
    /// Words that are no name.
    pub reserved: Vec<String>,
}

/// Where the type of a variable stands: before its name or behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TypePlace {
    /// `int n`.
    Before,
    /// `n int`.
    Behind,
}

/// An extension of another language that is ours where one of the lines begins in a certain way: C++ in a `.h`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Claim {
    /// The extension, without the dot.
    pub extension: String,
    /// With what one line has to begin, behind white space.
    pub lines: Vec<String>,
}

/// Which measure stands for the depth of a tree before it exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Nesting {
    /// Brackets that are open at the same time.
    #[default]
    Brackets,
    /// Quote and list markers, or indentation, at the start of a line.
    Markers,
    /// Elements that are open at the same time.
    Tags,
}

/// A node kind that defines a name.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Item {
    /// The node kinds.
    pub node: OneOrMore,
    /// Its symbol kind; without one, only a matching case makes it an item.
    pub kind: Option<String>,
    /// Its symbol kind inside a type.
    pub inside: Option<String>,
    /// Its symbol kind where its name is qualified, see [`Manifest::scopes`].
    pub qualified: Option<String>,
    /// Paths to its name; the first that leads somewhere counts. `name` unless given.
    pub name: Option<OneOrMore>,
    /// Its name where no path leads to one.
    pub called: Option<String>,
    /// Path to its body, where the signature ends.
    pub body: Option<String>,
    /// Path to the name of what holds it, where that is written in the item.
    pub container: Option<String>,
    /// Whether it counts only outside functions.
    #[serde(default)]
    pub outer: bool,
    /// Whether it counts only where fewer symbols than this are open.
    pub depth: Option<u16>,
    /// How many symbols directly inside another, or outside all, there may be before it.
    pub most: Option<u32>,
    /// Whether what it encloses has it as a container.
    #[serde(default = "yes")]
    pub holds: bool,
    /// Whether what it encloses counts as inside a type, whatever its kind.
    #[serde(default)]
    pub members: bool,
    /// Whether each node that the last step of the name finds is a name of its own.
    #[serde(default)]
    pub each: bool,
    /// Whether it goes on with the symbol before it, where that has the same name: equations, clauses.
    #[serde(default)]
    pub continues: bool,
    /// Path to a list of the types it is based on.
    pub bases: Option<String>,
    /// What must hold.
    #[serde(default, rename = "where")]
    pub conditions: Vec<Condition>,
    /// Variants; the first whose conditions hold overrides what it names.
    #[serde(default)]
    pub case: Vec<Case>,
}

/// A variant of an item.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    #[serde(rename = "where")]
    pub conditions: Vec<Condition>,
    pub kind: String,
    pub inside: Option<String>,
    pub qualified: Option<String>,
    pub name: Option<OneOrMore>,
    pub called: Option<String>,
    pub body: Option<String>,
    pub container: Option<String>,
    #[serde(default)]
    pub outer: bool,
    pub depth: Option<u16>,
    pub most: Option<u32>,
    pub holds: Option<bool>,
    pub members: Option<bool>,
    pub each: Option<bool>,
    pub continues: Option<bool>,
}

/// Something that must hold of the node at the end of a path. With only a path: it exists.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Condition {
    /// From the item's node.
    pub path: String,
    /// The node has one of these kinds.
    #[serde(default)]
    pub is: Vec<String>,
    /// The node's text is one of these.
    #[serde(default)]
    pub text: Vec<String>,
    /// The node's text begins with one of these.
    #[serde(default)]
    pub begins: Vec<String>,
    /// The node's text looks like a macro: in capitals, with an underscore.
    #[serde(default, rename = "macro")]
    pub is_macro: bool,
    /// The node does not exist.
    #[serde(default)]
    pub absent: bool,
}

/// A place where a name is used.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Use {
    /// The node kinds.
    pub node: OneOrMore,
    /// The field of the child that is or ends in the name; without one, any child.
    pub field: Option<String>,
    /// Path from the node itself to the names, all that its last step finds, where one step from it is not enough or `where` has to hold.
    pub path: Option<String>,
    /// What must hold of the node; only with a path.
    #[serde(default, rename = "where")]
    pub conditions: Vec<Condition>,
    /// How the name is used.
    pub role: Role,
}

/// The roles of [`crate::model::ReferenceRole`], as they are written.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    Call,
    Type,
    Import,
}

/// A string or a list of them.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    pub fn as_slice(&self) -> &[String] {
        match self {
            OneOrMore::One(one) => std::slice::from_ref(one),
            OneOrMore::More(more) => more,
        }
    }
}

impl Manifest {
    /// This manifest with the roles of `base` before its own. What identifies the language stays its own.
    pub fn after(self, base: &Manifest) -> Manifest {
        fn join<T: Clone>(base: &[T], own: Vec<T>) -> Vec<T> {
            base.iter().cloned().chain(own).collect()
        }
        let mut names = base.names.clone();
        names.extend(self.names);
        let mut scopes = base.scopes.clone();
        scopes.extend(self.scopes);
        let mut ends = base.ends.clone();
        ends.extend(self.ends);
        Manifest {
            prose: self.prose || base.prose,
            dotted: self.dotted || base.dotted,
            nesting: base.nesting,
            comments: join(&base.comments, self.comments),
            leading: join(&base.leading, self.leading),
            wrappers: join(&base.wrappers, self.wrappers),
            transparent: join(&base.transparent, self.transparent),
            skip: join(&base.skip, self.skip),
            functions: join(&base.functions, self.functions),
            identifiers: join(&base.identifiers, self.identifiers),
            types: join(&base.types, self.types),
            strings: join(&base.strings, self.strings),
            docstring: if self.docstring.is_empty() { base.docstring.clone() } else { self.docstring },
            names,
            scopes,
            ends,
            macros: self.macros || base.macros,
            narrow_braces: self.narrow_braces || base.narrow_braces,
            hide_open_annotations: self.hide_open_annotations || base.hide_open_annotations,
            reserved: join(&base.reserved, self.reserved),
            strip: base.strip.clone() + &self.strip,
            until: base.until.clone() + &self.until,
            item: join(&base.item, self.item),
            uses: join(&base.uses, self.uses),
            ..self
        }
    }
}

fn yes() -> bool {
    true
}
