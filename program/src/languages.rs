//! The languages that the names of files tell, where no engine is asked.

use std::collections::HashMap;
use std::sync::OnceLock;

use spyhop_engine::Engine;

/// The built-in languages by the extensions of their files.
fn by_extension() -> &'static HashMap<String, &'static str> {
    static KNOWN: OnceLock<HashMap<String, &'static str>> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let rows = Engine::built_in_languages();
        let pairs = rows.iter().flat_map(|row| {
            row.extensions.iter().map(move |own| (own.trim_start_matches('.').to_string(), row.name))
        });
        pairs.collect()
    })
}

/// The language of files with an extension.
pub fn language_of(extension: &str) -> Option<&'static str> {
    by_extension().get(extension).copied()
}

/// The names of the built-in languages, sorted.
pub fn languages() -> impl Iterator<Item = &'static str> {
    let mut names: Vec<&'static str> = by_extension().values().copied().collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter()
}
