//! The results of analysis: chunks, symbols, references and notes; files that are skipped or partly indexed.
//!
//! These are plain data with no behaviour beyond naming. Spans are bytes of the decoded source; lines count from 1.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::path::RelPath;
use crate::similar::did_you_mean;
use crate::text::{Lines, Span};

macro_rules! symbol_kinds {
    ($($variant:ident $name:literal $sentence:literal,)+) => {
        /// The kind of a part of a file: the kinds of symbols, and `doc`, `block` and `text` for other parts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[repr(u8)]
        pub enum SymbolKind {
            $(#[doc = $sentence] $variant,)+
        }

        impl SymbolKind {
            /// Every kind, in the order of their numbers on disk: new kinds are added at the end.
            pub const ALL: &'static [SymbolKind] = &[$(SymbolKind::$variant,)+];

            /// The name that filters and replies use.
            pub fn name(self) -> &'static str {
                match self { $(SymbolKind::$variant => $name,)+ }
            }
        }
    };
}

symbol_kinds! {
    Fn "fn" "A free function.",
    Method "method" "A function that belongs to a type.",
    Struct "struct" "A record type.",
    Class "class" "A class.",
    Enum "enum" "An enumeration.",
    Trait "trait" "A trait.",
    Interface "interface" "An interface or protocol.",
    Impl "impl" "An implementation block.",
    Const "const" "A constant, static or exported variable.",
    Macro "macro" "A macro.",
    Module "module" "A module or namespace.",
    Type "type" "A type alias or another named type.",
    Field "field" "A field or property.",
    Doc "doc" "A section of a document, or a comment that stands alone.",
    Block "block" "Statements that belong to no item, or a part of a large item.",
    Text "text" "Lines of a file without a grammar.",
    Variant "variant" "A variant of an enumeration, such as an enumerator of C.",
}

/// A name with its container before it: `Container.name`.
pub fn qualified_name(container: Option<&str>, name: &str) -> String {
    match container {
        Some(container) => format!("{container}.{name}"),
        None => name.to_string(),
    }
}

impl SymbolKind {
    /// The kind with the number `number` on disk.
    pub fn from_number(number: u8) -> Option<SymbolKind> {
        SymbolKind::ALL.get(number as usize).copied()
    }

    /// Whether the symbol can be called: functions, methods and macros.
    pub fn is_function(self) -> bool {
        matches!(self, SymbolKind::Fn | SymbolKind::Method | SymbolKind::Macro)
    }

    /// Whether the symbol is a part of a type that holds a value. Such symbols come after others of their name.
    pub fn is_minor(self) -> bool {
        matches!(self, SymbolKind::Field | SymbolKind::Variant)
    }

    /// Whether the symbol is a type.
    pub fn is_type_like(self) -> bool {
        use SymbolKind::*;
        matches!(self, Struct | Class | Enum | Trait | Interface | Type)
    }
}

impl FromStr for SymbolKind {
    type Err = UnknownKind;
    fn from_str(text: &str) -> Result<SymbolKind, UnknownKind> {
        let known = |name: &str| {
            let canonical = match name {
                "func" | "function" | "def" => "fn",
                "comment" | "section" => "doc",
                "constant" | "variable" | "var" => "const",
                "mod" | "namespace" | "package" => "module",
                "property" | "propertie" | "attribute" => "field",
                "protocol" => "interface",
                "enumerator" => "variant",
                other => other,
            };
            SymbolKind::ALL.iter().copied().find(|kind| kind.name() == canonical)
        };
        let lower = text.to_lowercase();
        known(&lower)
            .or_else(|| known(lower.strip_suffix('s')?))
            .or_else(|| known(lower.strip_suffix("es")?))
            .ok_or_else(|| UnknownKind { value: text.to_string() })
    }
}

impl std::fmt::Display for SymbolKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for an unknown kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown kind '{value}'; choose one of {}{}", kind_names().join(", "), did_you_mean(value, kind_names()))]
#[non_exhaustive]
pub struct UnknownKind {
    /// The given value.
    pub value: String,
}

fn kind_names() -> Vec<&'static str> {
    SymbolKind::ALL.iter().map(|kind| kind.name()).collect()
}

/// A set of kinds, as a bitset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KindSet(pub u32);

impl KindSet {
    pub fn insert(&mut self, kind: SymbolKind) {
        self.0 |= 1 << kind as u32;
    }

    pub fn contains(self, kind: SymbolKind) -> bool {
        self.0 & (1 << kind as u32) != 0
    }

    /// Whether the two sets share a kind.
    pub fn meets(self, other: KindSet) -> bool {
        self.0 & other.0 != 0
    }
}

impl FromIterator<SymbolKind> for KindSet {
    fn from_iter<I: IntoIterator<Item = SymbolKind>>(kinds: I) -> KindSet {
        let mut set = KindSet::default();
        kinds.into_iter().for_each(|kind| set.insert(kind));
        set
    }
}

/// A name that a file defines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// The name alone, as written.
    pub name: Box<str>,
    pub kind: SymbolKind,
    /// The whole item, with its doc comment, attributes or decorators.
    pub span: Span,
    /// The lines of the item proper, without its doc comment, attributes or decorators.
    pub lines: Lines,
    /// The name of the container, such as a type, or a Go method's receiver.
    pub container: Option<Box<str>>,
    /// The enclosing symbol, as an index into the file's list of symbols.
    pub parent: Option<u32>,
    /// The signature: from the item proper to its body, on one or more lines.
    pub signature: Span,
}

/// How a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReferenceRole {
    Call,
    Type,
    Import,
}

/// A name that a file uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    pub span: Span,
    /// How the name is used.
    pub role: ReferenceRole,
}

/// A section of a file that is indexed and shown as one unit: about forty lines along the syntax. The chunks of a file
/// cover it exactly once, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// The span in bytes.
    pub span: Span,
    pub lines: Lines,
    /// The kind of the main symbol; `block`, `doc` or `text` if there is none.
    pub kind: SymbolKind,
    /// The kind of the chunk and those of all symbols that begin in it.
    pub kinds: KindSet,
    /// The symbols that begin in the chunk, as a range of indexes into the file's list, which is sorted by start.
    pub symbols: std::ops::Range<u32>,
    /// The symbols that enclose the start of the chunk, outermost first.
    pub context: Vec<u32>,
}

/// The fields that BM25 scores. Their lengths are counted for each file version, so that averages are exact for each
/// view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Field {
    /// Terms of all the text of a chunk, comments included.
    Body,
    /// Terms of the comments in the chunk.
    Comment,
    /// Terms of the names that the chunk defines.
    Symbol,
    /// Terms of the file's naming part, see [`RelPath::naming`]; on a file's first chunk only.
    Name,
    /// Terms of the file's whole path without extension; on a file's first chunk only.
    Path,
}

impl Field {
    /// Every scored field, in the order of [`FieldLengths`].
    pub const ALL: [Field; 5] = [Field::Body, Field::Comment, Field::Symbol, Field::Name, Field::Path];

    pub fn name(self) -> &'static str {
        match self {
            Field::Body => "body",
            Field::Comment => "comment",
            Field::Symbol => "symbol",
            Field::Name => "name",
            Field::Path => "path",
        }
    }

    /// Whether the field is on a file's first chunk only, so that its documents are files and not chunks.
    pub fn is_per_file(self) -> bool {
        matches!(self, Field::Name | Field::Path)
    }
}

/// How many terms each scored field holds.
pub type FieldLengths = [u32; Field::ALL.len()];

macro_rules! notes {
    ($($(#[$doc:meta])* $variant:ident $name:literal $words:literal,)+) => {
        /// A remark about the analysis of a file. A file with a note is still indexed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[repr(u8)]
        #[non_exhaustive]
        pub enum Note {
            $($(#[$doc])* $variant,)+
        }

        impl Note {
            /// Every note, in the order of their bits on disk: new notes are added at the end.
            pub const ALL: &'static [Note] = &[$(Note::$variant,)+];

            /// The name of the note in JSON.
            pub fn name(self) -> &'static str {
                match self { $(Note::$variant => $name,)+ }
            }

            /// The note in words, such as `the parser met errors`.
            pub fn words(self) -> &'static str {
                match self { $(Note::$variant => $words,)+ }
            }
        }
    };
}

notes! {
    /// The parser met errors; structure around them is a guess.
    SyntaxErrors "syntax-errors" "the parser met errors",
    /// Brackets nest too deep to parse; chunks are windows of lines.
    TooDeep "too-deep" "nested too deep to parse, cut by lines",
    /// The parser used up its budget; chunks are windows of lines.
    ParseBudget "parse-budget" "parsing was given up, cut by lines",
    /// The text was decoded from an encoding other than UTF-8.
    Decoded "decoded" "decoded from another encoding than UTF-8",
    /// The file is partly indexed: by its path only. [`Skipped`] has the reason.
    PathOnly "path-only" "found by path only",
    /// The file is partly indexed: its parser crashed, hung, was killed or could not be started, so chunks are windows of
    /// lines. [`Skipped`] has the detail.
    Quarantined "quarantined" "its parser failed, cut by lines",
    /// The file belongs to a large tree that is being indexed for the first time: its text is indexed, its structure is
    /// not yet. Chunks are windows of lines.
    TextOnly "text-only" "not parsed yet, cut by lines",
    /// Every definition was found by patterns of lines, without a parser.
    ByRule "by-rule" "read by patterns of lines",
}

/// A file's structure. There is always one: without a grammar, or if parsing was given up, chunks are windows of lines
/// and `notes` give the reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Analysis {
    /// The chunks, in order; at least one, empty for an empty file.
    pub chunks: Vec<Chunk>,
    /// The symbols, sorted by the start of their spans; an enclosing symbol comes before those that it encloses.
    pub symbols: Vec<Symbol>,
    /// The fields and variants that only look-ups by name find, sorted by start. The parent of each is one of `symbols`.
    pub minor: Vec<Symbol>,
    /// The places of the symbols that line rules found in a text with a parser, in order.
    pub by_rule: Vec<u32>,
    /// The used names, in order.
    pub references: Vec<Reference>,
    /// Comments and doc strings, in order, not overlapping.
    pub comments: Vec<Span>,
    pub notes: Vec<Note>,
}

impl Analysis {
    /// This analysis with a symbol before the others, which encloses none of them.
    pub fn preceded_by(mut self, symbol: Symbol) -> Analysis {
        let shift = |place: &mut u32| *place += 1;
        for own in self.symbols.iter_mut().chain(&mut self.minor) {
            own.parent.iter_mut().for_each(shift);
        }
        self.by_rule.iter_mut().for_each(shift);
        for chunk in &mut self.chunks {
            chunk.context.iter_mut().for_each(shift);
            chunk.symbols = chunk.symbols.start + 1..chunk.symbols.end + 1;
        }
        if let Some(first) = self.chunks.first_mut() {
            first.symbols.start = 0;
            first.kind = symbol.kind;
            first.kinds.insert(symbol.kind);
        }
        self.symbols.insert(0, symbol);
        self
    }
}

macro_rules! skip_reasons {
    ($($variant:ident $name:literal $sentence:literal,)+) => {
        /// Why a file is not indexed, or only partly indexed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum SkipReason {
            $(#[doc = $sentence] $variant,)+
        }

        impl SkipReason {
            /// Every reason.
            pub const ALL: &'static [SkipReason] = &[$(SkipReason::$variant,)+];

            /// The name of the reason in replies.
            pub fn name(self) -> &'static str {
                match self { $(SkipReason::$variant => $name,)+ }
            }

            /// The reason as a sentence for people.
            pub fn sentence(self) -> &'static str {
                match self { $(SkipReason::$variant => $sentence,)+ }
            }
        }
    };
}

skip_reasons! {
    Ignored "ignored" "An ignore file names it.",
    Hidden "hidden" "Its name begins with a dot.",
    BuiltIn "built-in" "A built-in rule takes it for a build product or a dependency.",
    Symlink "symlink" "It is a symbolic link; links are not followed.",
    Special "special" "It is not a regular file.",
    Unreadable "unreadable" "It could not be read.",
    NameNotUtf8 "name-not-utf8" "Its name is not valid UTF-8.",
    Binary "binary" "It holds NUL bytes or too many control characters.",
    Encoding "encoding" "Its text could not be decoded.",
    TooLarge "too-large" "It is above the size that is ranked by content; its path is indexed.",
    Generated "generated" "A marker says that it is generated.",
    Minified "minified" "Its lines are so long that it must be minified.",
    Quarantined "quarantined" "Its parser crashed, hung, was killed or could not be started; it is indexed by lines, without structure.",
    Secret "secret" "It holds passwords, keys or tokens by its name.",
    TooDeep "too-deep" "Its brackets nest too deep to parse; it is indexed by lines, without structure.",
    ParseBudget "parse-budget" "Parsing it was given up; it is indexed by lines, without structure.",
}

/// A file or directory that is not indexed, or a file that is partly indexed: by its path only, or without structure. A
/// directory stands for everything below it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Skipped {
    /// The path; a lossy form if the name is not UTF-8.
    pub path: RelPath,
    /// The reason.
    pub reason: SkipReason,
    /// The rule, the error or the measure behind the reason, such as `.gitignore:3: *.log` or `3145728 bytes`.
    pub detail: String,
    /// Whether it is a directory.
    pub is_dir: bool,
}

impl Skipped {
    /// The entry for `path`, a directory if `is_dir`.
    #[doc(hidden)]
    pub fn new(path: RelPath, reason: SkipReason, detail: String, is_dir: bool) -> Skipped {
        Skipped { path, reason, detail, is_dir }
    }

    /// Whether the entry covers `path`: it is for that path, or for a directory above it.
    pub fn covers(&self, path: &RelPath) -> bool {
        let rest = path.as_str().strip_prefix(self.path.as_str());
        rest.is_some_and(|rest| rest.is_empty() || (self.is_dir && rest.starts_with('/')))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_read_as_they_print() {
        for kind in SymbolKind::ALL {
            assert_eq!(kind.name().parse::<SymbolKind>().unwrap(), *kind);
            assert_eq!(SymbolKind::from_number(*kind as u8), Some(*kind));
        }
        assert_eq!("function".parse::<SymbolKind>().unwrap(), SymbolKind::Fn);
        assert_eq!("comment".parse::<SymbolKind>().unwrap(), SymbolKind::Doc);
        let error = "klass".parse::<SymbolKind>().unwrap_err().to_string();
        assert!(error.starts_with("unknown kind 'klass'; choose one of fn, method, struct"), "{error}");
    }

    #[test]
    fn a_kind_set_holds_what_was_put_in() {
        let set: KindSet = [SymbolKind::Fn, SymbolKind::Text].into_iter().collect();
        assert!(
            set.contains(SymbolKind::Fn)
                && set.contains(SymbolKind::Text)
                && !set.contains(SymbolKind::Class)
        );
        assert!(set.meets([SymbolKind::Text].into_iter().collect()));
        assert!(!set.meets([SymbolKind::Enum].into_iter().collect()));
    }
}
