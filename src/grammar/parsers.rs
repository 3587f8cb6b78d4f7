//! The one table of linked parsers.
//!
//! This module owns the link between a folder under `grammars/` and the parser crate of its language; it does not read
//! the contents of the folder. A row is the single line of code that a language needs, because everything else about a
//! language is data: the row embeds the manifest and names the parser, and the cargo feature in front of the row
//! decides whether either is in the binary.

use tree_sitter::Language;

/// A language whose parser is linked.
pub(super) struct Linked {
    /// The name of the language's folder.
    pub name: &'static str,
    /// The text of the language's manifest.
    pub manifest: &'static str,
    /// Returns the parser's language; cheap, because it wraps a pointer to static tables.
    pub parser: fn() -> Language,
}

#[allow(unused_macros, reason = "a build without languages has no row")]
macro_rules! row {
    ($name:literal, $language:expr) => {
        Linked {
            name: $name,
            manifest: include_str!(concat!("../../grammars/", $name, "/grammar.toml")),
            parser: || $language.into(),
        }
    };
}

/// The rows, sorted by name. A language's number is its position in this table, from 1.
#[rustfmt::skip]
pub(super) static LINKED: &[Linked] = &[
    #[cfg(feature = "lang-bash")] row!("bash", tree_sitter_bash::LANGUAGE),
    #[cfg(feature = "lang-c")] row!("c", tree_sitter_c::LANGUAGE),
    #[cfg(feature = "lang-cpp")] row!("cpp", tree_sitter_cpp::LANGUAGE),
    #[cfg(feature = "lang-csharp")] row!("csharp", tree_sitter_c_sharp::LANGUAGE),
    #[cfg(feature = "lang-css")] row!("css", tree_sitter_css::LANGUAGE),
    #[cfg(feature = "lang-elixir")] row!("elixir", tree_sitter_elixir::LANGUAGE),
    #[cfg(feature = "lang-go")] row!("go", tree_sitter_go::LANGUAGE),
    #[cfg(feature = "lang-haskell")] row!("haskell", tree_sitter_haskell::LANGUAGE),
    #[cfg(feature = "lang-html")] row!("html", tree_sitter_html::LANGUAGE),
    #[cfg(feature = "lang-java")] row!("java", tree_sitter_java::LANGUAGE),
    #[cfg(feature = "lang-javascript")] row!("javascript", tree_sitter_javascript::LANGUAGE),
    #[cfg(feature = "lang-json")] row!("json", tree_sitter_json::LANGUAGE),
    #[cfg(feature = "lang-kotlin")] row!("kotlin", tree_sitter_kotlin_ng::LANGUAGE),
    #[cfg(feature = "lang-lua")] row!("lua", tree_sitter_lua::LANGUAGE),
    #[cfg(feature = "lang-markdown")] row!("markdown", tree_sitter_md::LANGUAGE),
    #[cfg(feature = "lang-php")] row!("php", tree_sitter_php::LANGUAGE_PHP),
    #[cfg(feature = "lang-python")] row!("python", tree_sitter_python::LANGUAGE),
    #[cfg(feature = "lang-ruby")] row!("ruby", tree_sitter_ruby::LANGUAGE),
    #[cfg(feature = "lang-rust")] row!("rust", tree_sitter_rust::LANGUAGE),
    #[cfg(feature = "lang-scala")] row!("scala", tree_sitter_scala::LANGUAGE),
    #[cfg(feature = "lang-swift")] row!("swift", tree_sitter_swift::LANGUAGE),
    #[cfg(feature = "lang-toml")] row!("toml", tree_sitter_toml_ng::LANGUAGE),
    #[cfg(feature = "lang-typescript")] row!("tsx", tree_sitter_typescript::LANGUAGE_TSX),
    #[cfg(feature = "lang-typescript")] row!("typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT),
    #[cfg(feature = "lang-yaml")] row!("yaml", tree_sitter_yaml::LANGUAGE),
    #[cfg(feature = "lang-zig")] row!("zig", tree_sitter_zig::LANGUAGE),
];
