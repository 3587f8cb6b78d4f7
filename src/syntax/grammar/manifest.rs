//! The manifest of a language, `grammar.toml`, parsed into plain data.
//!
//! This module owns the format of the file and rejects unknown keys. [`super::rules`], which has the parser, checks
//! that the node kinds and fields named in it exist. Roles are given by node kind and field rather than by tree-sitter
//! queries, because one walk over the tree then carries out all roles at a fifth of a query's cost, and because nothing
//! needs compiling when a process starts.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::parsers::BuiltInHead;
use spyhop_base::model::ReferenceRole;

/// The contents of `grammars/<language>/grammar.toml`. [`ManifestHead`] says which fields are required.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Manifest {
    /// The name of the language, which must be that of its folder.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// Other names that filters accept.
    pub aliases: Vec<String>,
    /// File extensions, without the dot.
    pub extensions: Vec<String>,
    /// Whole file names.
    pub files: Vec<String>,
    /// Interpreters in a `#!` first line, without their version.
    pub interpreters: Vec<String>,
    /// Extensions of other languages whose files belong to this language if the text looks like it.
    #[serde(rename = "claim")]
    pub claims: Vec<ClaimEntry>,
    /// Another language of the same cargo feature whose roles come before these.
    pub extends: Option<String>,
    /// Whether the language is prose, so that text outside all items is `doc` and not `block`.
    pub prose: bool,
    /// The measure of nesting depth for the guard before parsing.
    pub nesting: Nesting,
    /// Whether words in capitals where only a macro can be are hidden from the parser.
    pub macros: bool,
    /// Parts of the patterns of line rules: `{name}` in a pattern stands for the part of that name.
    pub parts: BTreeMap<String, String>,
    /// The kind of the symbol that a file is, under its name without the extension: a component. Only without a parser.
    pub named_by_file: Option<String>,
    /// Parts of a text in another language.
    pub region: Vec<RegionEntry>,
    /// What is replaced before a text with errors is parsed once more.
    pub mend: Vec<MendEntry>,
    /// Whether wide characters after an open brace are hidden from the parser, which would crash.
    pub narrow_braces: bool,
    /// Whether `@` in a last line without a line break is hidden from the parser, which would never return.
    pub hide_open_annotations: bool,
    /// Comments. A comment belongs to the item that it touches.
    pub comments: Vec<String>,
    /// Other nodes that belong to the item that follows or encloses them: attributes, decorators.
    pub leading: Vec<String>,
    /// Nodes around an item that belong to the item: `export`, decorated definitions.
    pub wrappers: Vec<String>,
    /// Nodes whose children count as siblings of the node: preprocessor conditions.
    pub transparent: Vec<String>,
    /// Nodes that the walk does not enter.
    pub skip: Vec<String>,
    /// Nodes whose inside the parser does not read, such as the invocation of a macro, which line rules read instead.
    pub unread: Vec<String>,
    /// Nodes inside which a variable is local.
    pub functions: Vec<String>,
    /// Leaves that are names.
    pub identifiers: Vec<String>,
    /// Leaves that are type names wherever they occur.
    pub types: Vec<String>,
    /// Strings that contain the path of an import. The last part of the path, without extension, is the name.
    pub strings: Vec<String>,
    /// Whether dots separate the parts of such a path and never begin an extension.
    pub dotted: bool,
    /// The kinds, outermost first, of the first statement of a body if that statement documents the body.
    pub docstring: Vec<String>,
    /// For compound nodes, the step that leads to the name at their end.
    pub names: BTreeMap<String, String>,
    /// For names with a suffix that is not part of them, the step to that suffix: C++'s `operator bool() const`.
    pub ends: BTreeMap<String, String>,
    /// For kinds that qualify a name, the step to the qualifier: `C` in C++'s `C::f`.
    pub scopes: BTreeMap<String, String>,
    /// Marks before a name that are not part of it, such as Ruby's `:`.
    pub strip: String,
    /// Marks that end a name, such as the `=` of a shell's alias.
    pub until: String,
    /// Words that cannot be names, although the parser returns them as names after an error.
    pub reserved: Vec<String>,
    /// The rules for recognizing function bodies, which are then not parsed.
    pub bodies: Option<BodySection>,
    /// The nodes that define a name.
    pub item: Vec<ItemEntry>,
    #[serde(rename = "use")]
    pub uses: Vec<UseEntry>,
    /// The comments and strings, for line rules and colours.
    pub lexis: Option<LexisSection>,
    /// How items that line rules find end.
    pub blocks: Option<BlockSection>,
    /// The lines that define a name.
    pub rule: Vec<LineRuleEntry>,
}

/// The head of a manifest: all that is needed to tell languages apart. A process that only answers needs nothing more
/// of most manifests, and parsing all of each takes longer than many answers.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(super) struct ManifestHead {
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
    pub claims: Vec<ClaimEntry>,
    pub extends: Option<String>,
    #[serde(default)]
    pub prose: bool,
}

impl From<&BuiltInHead> for ManifestHead {
    fn from(head: &BuiltInHead) -> ManifestHead {
        let list = |list: &[&str]| list.iter().map(|it| it.to_string()).collect();
        let claim = |(extension, lines, first): &(&str, &[&str], bool)| ClaimEntry {
            extension: extension.to_string(),
            lines: list(lines),
            first: *first,
        };
        ManifestHead {
            name: head.name.to_string(),
            title: head.title.to_string(),
            aliases: list(head.aliases),
            extensions: list(head.extensions),
            files: list(head.files),
            interpreters: list(head.interpreters),
            claims: head.claims.iter().map(claim).collect(),
            extends: head.extends.map(str::to_string),
            prose: head.prose,
        }
    }
}

/// The rules for recognizing the bodies of functions and tables, and for finding names in them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BodySection {
    /// Signs after which a brace begins a body.
    pub behind: Vec<char>,
    /// Words after which a brace belongs to a type. If there are any, a brace after any other word begins a body.
    #[serde(default)]
    pub type_braces: Vec<String>,
    /// The quote of raw text, which spans lines and has no escapes.
    pub raw: Option<char>,
    /// Whether lines that begin with `#` are preprocessor lines.
    #[serde(default)]
    pub directives: bool,
    /// Whether the end of a line can end a statement.
    #[serde(default)]
    pub newlines: bool,
    /// Words that define something at the start of a line.
    #[serde(default)]
    pub items: Vec<String>,
    /// Words that define something if a brace follows, with at most a name between.
    #[serde(default)]
    pub blocks: Vec<String>,
    /// The position of a variable's type.
    pub types: TypePlace,
    /// Words that a type follows.
    #[serde(default)]
    pub announce: Vec<String>,
    /// Words that cannot be names.
    pub reserved: Vec<String>,
}

/// The position of a variable's type: before or after the variable's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TypePlace {
    /// `int n`.
    Before,
    /// `n int`.
    Behind,
}

/// The table `[lexis]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct LexisSection {
    /// Signs that begin a comment up to the end of the line.
    pub comments: Vec<String>,
    /// Whether these signs count only at the start of a line and after white space.
    pub spaced: bool,
    /// A pattern of lines that are comments as a whole.
    pub comment_lines: Option<String>,
    /// The signs that begin and end a comment of several lines. As in raw strings, a `^` before a sign means the start of a
    /// line.
    pub blocks: Vec<(String, String)>,
    /// Whether such comments nest.
    pub nested: bool,
    /// The quotes of strings that end at the end of the line at the latest: one sign, or two.
    pub strings: Vec<OneOrMore>,
    /// The quotes of strings that may contain line ends.
    pub long_strings: Vec<OneOrMore>,
    /// The quotes of strings that may contain line ends and have no escapes.
    pub raw_strings: Vec<OneOrMore>,
    /// Strings of other forms, which come before those above.
    pub text: Vec<TextEntry>,
    /// The sign that hides the next character in a string; empty for none. The default is a backslash.
    pub escape: Option<char>,
    /// Whether strings have no escapes.
    pub no_escapes: bool,
    /// Signs inside strings that begin with a closing sign but close nothing: `''$` in Nix.
    pub kept: Vec<String>,
    /// Whether the sign hides the next character outside strings too.
    pub escapes_code: bool,
    /// Whether `'` encloses a single character.
    pub characters: bool,
    /// Whether patterns and keywords apply in any case.
    pub ignore_case: bool,
    /// The reserved words, separated by white space, for colours; a use of a name is none of them.
    pub keywords: String,
}

/// A form of strings, whose beginning is a pattern.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TextEntry {
    /// Patterns of the first signs, each of which begins with a sign or a class of signs. What is in a group `then` is behind them.
    pub open: OneOrMore,
    /// A pattern of the text before these signs, up to them.
    pub behind: Option<String>,
    /// Signs, one of which is directly before the string: the pattern `behind` is tried only there.
    #[serde(default)]
    pub after: String,
    /// The last signs, in which `$1` stands for the first group of `behind` or else of `open`. Without them, they are that group or
    /// else the first signs; a bracket closes with its partner, and such brackets nest.
    pub close: Option<String>,
    /// The signs before code in the string, the last of which is the bracket that the code ends with.
    pub code: Option<String>,
    /// See [`LexisSection::kept`].
    #[serde(default)]
    pub kept: Vec<String>,
    /// Whether the string ends at the end of the line at the latest.
    #[serde(default)]
    pub one_line: bool,
    /// Whether the string has no escapes.
    #[serde(default)]
    pub no_escapes: bool,
    /// Whether the string is documentation.
    #[serde(default)]
    pub doc: bool,
    /// Whether the string begins with the next line and ends with a line that is the group.
    #[serde(default)]
    pub heredoc: bool,
}

/// The table `[blocks]`: how the items of a language end.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct BlockSection {
    /// The end of an item whose rule says nothing.
    pub ends: EndsEntry,
    /// Whether the header of an item with braces ends at the end of its line, unless the next line begins with a brace.
    pub newlines: bool,
    /// Signs inside a line behind which the rules are tried again: `message A { string b = 1; }`.
    pub again: String,
    /// A pattern of words that open a block, for items that end with a word.
    pub open: Option<String>,
    /// A pattern of the words that close one.
    pub close: Option<String>,
    /// A pattern of lines that belong to the item after them: attributes, decorators.
    pub leading: Option<String>,
    /// A pattern of lines that belong to the item before them although they are not indented, such as `end`.
    pub closing: Option<String>,
}

/// How an item ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EndsEntry {
    /// With the brace that closes the first brace of the item; without braces, with the first `;`.
    #[default]
    Braces,
    /// With the parenthesis that closes the first one.
    Parens,
    /// Before the first line that is not indented more than the item.
    Indent,
    /// With the word that closes the block.
    Words,
    /// With the first `;`.
    Statement,
    /// With the line, or with the line on which the last bracket of the line closes.
    Line,
    /// Before the next section of the same or a higher level.
    Section,
    /// Before the next empty line.
    Blank,
}

/// A table `[[rule]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LineRuleEntry {
    /// Patterns, matched at the first character of a line that is not white space. A group whose name begins with `name`
    /// is the name, `container` that of the container; a group `body` ends the match early, and the search for
    /// the first brace begins there.
    pub line: OneOrMore,
    /// The kind of the symbol. A line of a rule without a kind or role defines nothing, whatever later rules say.
    pub kind: Option<String>,
    /// The kind inside a type.
    pub inside: Option<String>,
    /// The rule finds uses of names, anywhere in a line.
    pub role: Option<RoleEntry>,
    /// The name of the symbol if the pattern has no group `name`, or if the group took no part.
    pub called: Option<String>,
    /// The rule applies only to lines with at most this indentation.
    pub indent: Option<u32>,
    /// The rule applies only where fewer items than this are open.
    pub depth: Option<usize>,
    /// Kinds of the innermost open item, or its name behind a `=`, one of which is necessary; `top` is outside all items.
    #[serde(default)]
    pub within: Vec<String>,
    /// The rule applies only outside functions.
    #[serde(default)]
    pub outer: bool,
    /// See [`BlockSection::ends`].
    pub ends: Option<EndsEntry>,
    /// A pattern of the line that ends the item, which is not indented more than the item.
    pub until: Option<String>,
    /// A pattern, with a group `name`, of the further names in the match behind the first: `signal a, b : bit`.
    pub more: Option<String>,
    /// The kind of the further names, which are members of the item then.
    pub more_kind: Option<String>,
    /// The level of a section; a group `level` gives the level by its length, a group `mark` by the order of its first
    /// sign. An item that is no section but has a level ends sections too.
    pub level: Option<u32>,
    /// See [`ItemEntry`].
    #[serde(default = "yes")]
    pub holds: bool,
    #[serde(default)]
    pub members: bool,
    #[serde(default)]
    pub continues: bool,
}

/// A part of a text that is in another language. Of the entries that begin at one place, the first counts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RegionEntry {
    /// A pattern of what stands before the part; a group `text` in it is the part.
    pub open: String,
    /// A pattern of what stands behind the part.
    pub close: Option<String>,
    /// A pattern of what belongs to the first language within the part.
    pub except: Option<String>,
    /// The language, which has a parser; without it, the part is text.
    pub language: Option<String>,
    /// What a parser of the language needs at the beginning of its text. It stands in place of the last bytes before the first part.
    pub begin: Option<String>,
    /// The sign that ends a statement, which stands in place of the first byte behind each part.
    pub ends: Option<char>,
    /// Whether the part is a string with the escapes of JSON.
    #[serde(default)]
    pub escaped: bool,
    /// A pattern; the entry is ignored in a text in which the pattern occurs.
    pub unless: Option<String>,
}

/// Text that the parser of a language cannot read. If the parser of a text with errors reads more without such text, what it
/// reads then counts. No other byte changes its position.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MendEntry {
    /// A pattern whose group `at` is replaced by blanks.
    pub find: String,
    /// The signs in place of the first bytes.
    #[serde(default = "blank")]
    pub with: String,
}

fn blank() -> String {
    " ".to_string()
}

/// An extension of another language whose files belong to this language if a line begins in a certain way: C++ in a
/// `.h`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClaimEntry {
    /// The extension, without the dot.
    pub extension: String,
    /// The prefixes, one of which must begin a line, after white space. `*` stands for a name.
    pub lines: Vec<String>,
    /// Whether these lines are looked for before those of other languages.
    #[serde(default)]
    pub first: bool,
}

/// The measure that stands for the depth of a tree before parsing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Nesting {
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
pub(super) struct ItemEntry {
    pub node: OneOrMore,
    /// The symbol kind of the item; without one, only a matching case makes the node an item.
    pub kind: Option<String>,
    /// The symbol kind inside a type.
    pub inside: Option<String>,
    /// The symbol kind if the name is qualified, see [`Manifest::scopes`].
    pub qualified: Option<String>,
    /// Paths to the name; the first that leads to a node counts. The default is `name`.
    pub name: Option<OneOrMore>,
    /// The name if no path leads to a node.
    pub called: Option<String>,
    /// Path to the body, where the signature ends.
    pub body: Option<String>,
    /// Path to the name of the container, if the item itself contains that name.
    pub container: Option<String>,
    /// Whether the item counts only outside functions.
    #[serde(default)]
    pub outer: bool,
    /// The item counts only where fewer symbols than this are open.
    pub depth: Option<u16>,
    /// The number of symbols, directly inside another or outside all others, after which the item no longer counts.
    pub most: Option<u32>,
    /// Whether the item is the container of enclosed items.
    #[serde(default = "yes")]
    pub holds: bool,
    /// Whether enclosed items count as inside a type, whatever the item's kind.
    #[serde(default)]
    pub members: bool,
    /// Whether the item is found by its name alone, as fields and variants are.
    #[serde(default)]
    pub minor: bool,
    /// Whether a minor item counts only if its container has no member of this name yet, as what methods assign to `self`.
    #[serde(default)]
    pub once: bool,
    /// Whether each node that the last step of the name finds is a separate name.
    #[serde(default)]
    pub each: bool,
    /// Whether the item continues the symbol before it if both have the same name: equations, clauses.
    #[serde(default)]
    pub continues: bool,
    /// Path to a list of base types.
    pub bases: Option<String>,
    /// Path to the parts of the item that are fields, such as the components of a record; the last step finds all of them.
    pub fields: Option<String>,
    /// Conditions that must all hold.
    #[serde(default, rename = "where")]
    pub conditions: Vec<ConditionEntry>,
    /// Variants. The first one whose conditions hold overrides the fields that it sets.
    #[serde(default)]
    pub case: Vec<CaseEntry>,
}

/// A variant of an item.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CaseEntry {
    #[serde(rename = "where")]
    pub conditions: Vec<ConditionEntry>,
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
    pub minor: Option<bool>,
    pub once: Option<bool>,
    pub each: Option<bool>,
    pub continues: Option<bool>,
}

/// A condition on the node at the end of a path. With only a path, the node must exist.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConditionEntry {
    /// The path from the item's node.
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
pub(super) struct UseEntry {
    pub node: OneOrMore,
    /// The field of the child that is the name or ends in it; without a field, any child.
    pub field: Option<String>,
    /// Path from the node itself to the names, which are all nodes that the last step finds. For uses where a single
    /// step is not enough, or where a condition must hold.
    pub path: Option<String>,
    /// Conditions on the node; only with a path.
    #[serde(default, rename = "where")]
    pub conditions: Vec<ConditionEntry>,
    pub role: RoleEntry,
}

/// The roles of [`spyhop_base::model::ReferenceRole`], as spelled in a manifest.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum RoleEntry {
    Call,
    Type,
    Import,
}

impl From<RoleEntry> for ReferenceRole {
    fn from(role: RoleEntry) -> ReferenceRole {
        match role {
            RoleEntry::Call => ReferenceRole::Call,
            RoleEntry::Type => ReferenceRole::Type,
            RoleEntry::Import => ReferenceRole::Import,
        }
    }
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
    /// Whether the language can be read without a parser.
    pub fn has_line_rules(&self) -> bool {
        !self.rule.is_empty() || self.lexis.is_some() && self.item.is_empty()
    }

    /// Returns this manifest with the roles of `base` before the roles of this one. The fields that identify the language stay the
    /// same.
    pub fn after(self, base: &Manifest) -> Manifest {
        fn join<T: Clone>(base: &[T], added: Vec<T>) -> Vec<T> {
            base.iter().cloned().chain(added).collect()
        }
        let mut names = base.names.clone();
        names.extend(self.names);
        let mut scopes = base.scopes.clone();
        scopes.extend(self.scopes);
        let mut ends = base.ends.clone();
        ends.extend(self.ends);
        let mut parts = base.parts.clone();
        parts.extend(self.parts);
        Manifest {
            prose: self.prose || base.prose,
            dotted: self.dotted || base.dotted,
            nesting: base.nesting,
            comments: join(&base.comments, self.comments),
            leading: join(&base.leading, self.leading),
            wrappers: join(&base.wrappers, self.wrappers),
            transparent: join(&base.transparent, self.transparent),
            skip: join(&base.skip, self.skip),
            unread: join(&base.unread, self.unread),
            functions: join(&base.functions, self.functions),
            identifiers: join(&base.identifiers, self.identifiers),
            types: join(&base.types, self.types),
            strings: join(&base.strings, self.strings),
            docstring: if self.docstring.is_empty() { base.docstring.clone() } else { self.docstring },
            names,
            scopes,
            ends,
            macros: self.macros || base.macros,
            parts,
            named_by_file: self.named_by_file.or_else(|| base.named_by_file.clone()),
            region: join(&base.region, self.region),
            mend: join(&base.mend, self.mend),
            narrow_braces: self.narrow_braces || base.narrow_braces,
            hide_open_annotations: self.hide_open_annotations || base.hide_open_annotations,
            reserved: join(&base.reserved, self.reserved),
            strip: base.strip.clone() + &self.strip,
            until: base.until.clone() + &self.until,
            item: join(&base.item, self.item),
            uses: join(&base.uses, self.uses),
            lexis: self.lexis.or_else(|| base.lexis.clone()),
            blocks: self.blocks.or_else(|| base.blocks.clone()),
            rule: join(&base.rule, self.rule),
            ..self
        }
    }
}

fn yes() -> bool {
    true
}
