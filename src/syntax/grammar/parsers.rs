//! The one table of linked parsers, and the list of all languages.
//!
//! This module owns the link between a folder under `grammars/` and the parser crate of its language; it does not read
//! the contents of the folder. A row is the single line of code that a language needs, because everything else about a
//! language is data: the row embeds the manifest and names the parser, and the cargo feature in front of the row
//! decides whether either is in the binary.

use tree_sitter::Language;

/// The heads of all built-in manifests, sorted by name, as the build script found them.
pub(super) static HEADS: &[BuiltInHead] = include!(concat!(env!("OUT_DIR"), "/heads.rs"));

/// The head of a built-in manifest, see [`super::manifest::ManifestHead`].
pub(super) struct BuiltInHead {
    pub name: &'static str,
    pub title: &'static str,
    pub aliases: &'static [&'static str],
    pub extensions: &'static [&'static str],
    pub files: &'static [&'static str],
    pub interpreters: &'static [&'static str],
    /// Extensions with the lines that decide, and whether these are looked for first.
    pub claims: &'static [(&'static str, &'static [&'static str], bool)],
    pub extends: Option<&'static str>,
    pub prose: bool,
    /// The manifest of a language without a parser.
    pub manifest: Option<&'static str>,
    /// The table `[lexis]` of the manifest, or of that which it extends.
    pub lexis: &'static str,
}

/// A language whose parser is linked.
pub(super) struct Linked {
    /// The name of the language's folder.
    pub name: &'static str,
    /// The text of the language's manifest.
    pub manifest: &'static str,
    /// Returns the parser's language; cheap, because it wraps a pointer to static tables.
    pub parser: fn() -> Language,
    /// The queries that say which colour a node has, mostly those of the parser's crate; a later one wins. A query of a
    /// language that this one extends is missing where that language is not linked.
    pub highlights: &'static [&'static str],
}

#[allow(unused_macros, reason = "a build without languages has no row")]
macro_rules! row {
    ($name:literal, $language:expr, $highlights:expr) => {
        Linked {
            name: $name,
            manifest: include_str!(concat!("../grammars/", $name, "/grammar.toml")),
            parser: || $language.into(),
            highlights: $highlights,
        }
    };
}

/// The rows, sorted by name.
#[rustfmt::skip]
pub(super) static LINKED: &[Linked] = &[
    #[cfg(feature = "lang-bash")] row!("bash", tree_sitter_bash::LANGUAGE, &[tree_sitter_bash::HIGHLIGHT_QUERY]),
    #[cfg(feature = "lang-c")] row!("c", tree_sitter_c::LANGUAGE, &[tree_sitter_c::HIGHLIGHT_QUERY]),
    #[cfg(feature = "lang-cpp")] row!("cpp", tree_sitter_cpp::LANGUAGE, super::highlights::CPP),
    #[cfg(feature = "lang-csharp")] row!("csharp", tree_sitter_c_sharp::LANGUAGE, &[tree_sitter_c_sharp::HIGHLIGHTS_QUERY]),
    #[cfg(feature = "lang-css")] row!("css", tree_sitter_css::LANGUAGE, &[tree_sitter_css::HIGHLIGHTS_QUERY]),
    #[cfg(feature = "lang-elixir")] row!("elixir", tree_sitter_elixir::LANGUAGE, &[tree_sitter_elixir::HIGHLIGHTS_QUERY]),
    #[cfg(feature = "lang-go")] row!("go", tree_sitter_go::LANGUAGE, super::highlights::GO),
    #[cfg(feature = "lang-haskell")] row!("haskell", tree_sitter_haskell::LANGUAGE, super::highlights::HASKELL),
    #[cfg(feature = "lang-html")] row!("html", tree_sitter_html::LANGUAGE, &[tree_sitter_html::HIGHLIGHTS_QUERY]),
    #[cfg(feature = "lang-java")] row!("java", tree_sitter_java::LANGUAGE, &[tree_sitter_java::HIGHLIGHTS_QUERY]),
    #[cfg(feature = "lang-javascript")] row!("javascript", tree_sitter_javascript::LANGUAGE, &[tree_sitter_javascript::HIGHLIGHT_QUERY, tree_sitter_javascript::JSX_HIGHLIGHT_QUERY]),
    #[cfg(feature = "lang-json")] row!("json", tree_sitter_json::LANGUAGE, super::highlights::JSON),
    #[cfg(feature = "lang-kotlin")] row!("kotlin", tree_sitter_kotlin_ng::LANGUAGE, &[]),
    #[cfg(feature = "lang-lua")] row!("lua", tree_sitter_lua::LANGUAGE, super::highlights::LUA),
    #[cfg(feature = "lang-markdown")] row!("markdown", tree_sitter_md::LANGUAGE, &[tree_sitter_md::HIGHLIGHT_QUERY_BLOCK]),
    #[cfg(feature = "lang-php")] row!("php", tree_sitter_php::LANGUAGE_PHP, &[tree_sitter_php::HIGHLIGHTS_QUERY]),
    #[cfg(feature = "lang-python")] row!("python", tree_sitter_python::LANGUAGE, &[tree_sitter_python::HIGHLIGHTS_QUERY]),
    #[cfg(feature = "lang-ruby")] row!("ruby", tree_sitter_ruby::LANGUAGE, &[tree_sitter_ruby::HIGHLIGHTS_QUERY]),
    #[cfg(feature = "lang-rust")] row!("rust", tree_sitter_rust::LANGUAGE, super::highlights::RUST),
    #[cfg(feature = "lang-scala")] row!("scala", tree_sitter_scala::LANGUAGE, &[tree_sitter_scala::HIGHLIGHTS_QUERY]),
    #[cfg(feature = "lang-swift")] row!("swift", tree_sitter_swift::LANGUAGE, &[tree_sitter_swift::HIGHLIGHTS_QUERY]),
    #[cfg(feature = "lang-toml")] row!("toml", tree_sitter_toml_ng::LANGUAGE, &[tree_sitter_toml_ng::HIGHLIGHTS_QUERY]),
    #[cfg(feature = "lang-typescript")] row!("tsx", tree_sitter_typescript::LANGUAGE_TSX, super::highlights::TSX),
    #[cfg(feature = "lang-typescript")] row!("typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT, super::highlights::TYPESCRIPT),
    #[cfg(feature = "lang-yaml")] row!("yaml", tree_sitter_yaml::LANGUAGE, &[tree_sitter_yaml::HIGHLIGHTS_QUERY]),
    #[cfg(feature = "lang-zig")] row!("zig", tree_sitter_zig::LANGUAGE, &[tree_sitter_zig::HIGHLIGHTS_QUERY]),
];
