//! Families of languages that share names and rules of resolution.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::syntax_facts::SyntaxFacts;
use spyhop_base::model::SymbolKind;

/// A group of languages whose files use each other's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Family {
    /// C, C++ and Objective-C.
    C,
    Go,
    /// Java, Kotlin and Scala.
    Jvm,
    Python,
    Rust,
    /// JavaScript, TypeScript, and components whose scripts are in one of them.
    Web,
    /// A language without specific rules: names are resolved within the language.
    Other(&'static str),
}

/// C#, whose namespaces have rules of their own.
pub(super) const CSHARP: Family = Family::Other("csharp");

/// Whether imports of a language, by its name in filters, are resolved to files.
pub fn has_imports(language: &'static str) -> bool {
    match Family::of_language(language) {
        Family::Other(language) => matches!(language, "csharp" | "php" | "ruby" | "swift"),
        _ => true,
    }
}

/// Whether a name of another file has to be imported in a language, by its name in filters, before it is used without a receiver.
pub fn imports_names(language: &'static str) -> bool {
    Family::of_language(language).imports_names()
}

impl Family {
    /// Whether code of this family may use the names of another one as they are: those of libraries of C and of bindings. Files
    /// that are no programs, such as templates, may name anything.
    pub fn may_call(self, other: Family) -> bool {
        const CALLS: &[(Family, Family)] = &[
            (Family::Web, Family::Rust),
            (Family::Python, Family::Rust),
            (Family::Web, Family::Jvm),
            (Family::Web, Family::Go),
            (Family::Web, Family::Other("swift")),
            (Family::Jvm, Family::Rust),
            (Family::Other("swift"), Family::Jvm),
            (Family::Other("swift"), Family::Rust),
        ];
        let is_known = |family: Family| match family {
            Family::Go | Family::Jvm | Family::Python | Family::Rust | Family::Web => true,
            Family::Other(language) => matches!(language, "csharp" | "php" | "ruby" | "swift"),
            Family::C => false,
        };
        self == other || !is_known(self) || !is_known(other) || CALLS.contains(&(self, other))
    }

    /// The family of a language, by the language's name in filters.
    pub(crate) fn of_language(name: &'static str) -> Family {
        match name {
            "c" | "cpp" | "objc" => Family::C,
            "go" => Family::Go,
            "java" | "kotlin" | "scala" => Family::Jvm,
            "python" | "notebook" => Family::Python,
            "rust" => Family::Rust,
            "javascript" | "jsx" | "typescript" | "tsx" | "vue" | "svelte" | "astro" | "mdx" => Family::Web,
            "erb" => Family::Other("ruby"),
            "blade" => Family::Other("php"),
            other => Family::Other(other),
        }
    }

    /// A language of the family, whose comments and strings stand for those of the others. Texts without code have those of scripts.
    pub(super) fn common_language(self) -> &'static str {
        match self {
            Family::C => "cpp",
            Family::Go => "go",
            Family::Jvm => "java",
            Family::Python => "python",
            Family::Rust => "rust",
            Family::Web | Family::Other("markdown") => "typescript",
            Family::Other(language) => language,
        }
    }

    /// The language whose comments and strings those of `language` are. Strings of Kotlin and Scala hold code, and those of Java do not.
    pub(super) fn lexis(language: &'static str) -> &'static str {
        match Family::of_language(language) {
            Family::Jvm => language,
            family => family.common_language(),
        }
    }

    /// The language of a family without rules of its own.
    pub(super) fn language(self) -> Option<&'static str> {
        match self {
            Family::Other(language) => Some(language),
            _ => None,
        }
    }

    /// Whether a name of another file has to be imported before it is used without a receiver.
    pub(crate) fn imports_names(self) -> bool {
        matches!(self, Family::Python | Family::Rust | Family::Web)
    }

    /// Whether the declarations of all scopes of a file are read.
    pub(crate) fn has_scopes(self) -> bool {
        matches!(self, Family::Python | Family::Web)
    }

    /// Whether a symbol of a kind may be the type of a value: in Ruby, a module is an object too.
    pub(crate) fn is_type(self, kind: SymbolKind) -> bool {
        kind.is_type_like() || kind == SymbolKind::Module && self.calls_without_signs()
    }

    /// Whether the files of a package, which is mostly a folder, see each other's names without an import.
    pub(crate) fn shares_folder(self) -> bool {
        matches!(self, Family::Go | Family::Jvm | Family::Other("swift"))
    }

    /// Whether a member has the name of one of the standard library.
    pub(crate) fn is_library_member(self, name: &str) -> bool {
        static OF_CPP: LazyLock<FxHashSet<&'static str>> =
            LazyLock::new(|| include_str!("libraries/cpp.txt").split_whitespace().collect());
        if self == Family::C { OF_CPP.contains(name) } else { self.is_library_name(name) }
    }

    /// Names of functions and members of the standard library that a tree often defines as well.
    pub(crate) fn is_library_name(self, name: &str) -> bool {
        static LISTS: LazyLock<[FxHashSet<&'static str>; 8]> = LazyLock::new(|| {
            [
                include_str!("libraries/c.txt"),
                include_str!("libraries/go.txt"),
                include_str!("libraries/java.txt"),
                include_str!("libraries/python.txt"),
                include_str!("libraries/rust.txt"),
                include_str!("libraries/typescript.txt"),
                include_str!("libraries/php.txt"),
                include_str!("libraries/ruby.txt"),
            ]
            .map(|list| list.split_whitespace().collect())
        });
        let list = match self {
            Family::C => 0,
            Family::Go => 1,
            Family::Jvm => 2,
            Family::Python => 3,
            Family::Rust => 4,
            Family::Web => 5,
            Family::Other("php") => 6,
            Family::Other("ruby") => 7,
            Family::Other(_) => return false,
        };
        LISTS[list].contains(name)
    }

    /// Whether a name without parentheses and arguments may be a call.
    pub(crate) fn calls_without_signs(self) -> bool {
        self == Family::Other("ruby")
    }

    /// Whether a method may call a sibling without a receiver.
    pub(crate) fn has_implicit_receiver(self) -> bool {
        match self {
            Family::Jvm | Family::C => true,
            Family::Other(language) => !SyntaxFacts::of(language).explicit,
            _ => false,
        }
    }
}
