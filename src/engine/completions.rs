//! Values that are known without opening an engine, for the completion of command lines. No index is read or built.

use std::path::Path;

use super::api::LanguageRow;
use super::core::Engine;
use spyhop_files::git;
use spyhop_syntax::grammar::Grammars;

impl Engine {
    /// The names of the branches and tags of the repository around `folder`; empty if there is no repository.
    pub fn revision_names(folder: &Path) -> Vec<String> {
        git::discover(folder).map(|repo| repo.revision_names()).unwrap_or_default()
    }

    /// The built-in languages, without numbers of files.
    pub fn built_in_languages() -> Vec<LanguageRow> {
        let grammars = Grammars::built_in();
        let row = |row: spyhop_syntax::grammar::GrammarRow| LanguageRow {
            name: grammars.name(row.id),
            title: row.title,
            extensions: row.extensions,
            overridden: row.overridden,
            files: None,
        };
        grammars.list().into_iter().map(row).collect()
    }
}
