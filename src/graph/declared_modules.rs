//! The modules that a source text of Rust declares.

use std::sync::LazyLock;

use regex::Regex;
use rustc_hash::FxHashMap;

/// The modules that a text declares without their content, each with the path that an attribute gives to the module.
pub(super) type DeclaredModules = FxHashMap<Box<str>, Option<Box<str>>>;

/// Reads the declarations of modules. Of two declarations of one name, the first counts.
pub(super) fn modules_in(text: &str) -> DeclaredModules {
    static MODULE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?m)(?:#\[path[ \t]*=[ \t]*"([^"\n]+)"\]\s*)?^[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?mod[ \t]+(\w+)[ \t]*;"#)
            .expect("a constant pattern")
    });
    let mut modules = DeclaredModules::default();
    for found in MODULE.captures_iter(text) {
        let path = || found.get(1).map(|path| path.as_str().into());
        modules.entry(found[2].into()).or_insert_with(path);
    }
    modules
}
