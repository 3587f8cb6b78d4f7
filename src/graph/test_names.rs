//! Tests by name: the test file of a source file by the naming conventions of its language, and the tests in it that
//! have the name of a definition.
//!
//! The conventions are data, in `frameworks/test-names.toml`.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;
use serde::Deserialize;

use super::files::Graph;
use super::paths::ends_in;
use super::questions::{GraphEdge, Relation};
use super::rule::EdgeRule;
use crate::definition::Definition;
use spyhop_base::path;
use spyhop_base::text::Span;
use spyhop_search::SearchError;

/// The fewest letters of a name that identifies a test.
const MIN_NAME: usize = 3;

/// The most test files of one source file.
const MAX_FILES: usize = 4;

/// Stems of files that stand for their folder.
const FOLDER_STEMS: &[&str] = &["__init__", "mod", "index", "lib", "main"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Conventions {
    convention: Vec<TestNames>,
}

/// The names of test files of some languages.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TestNames {
    languages: Vec<String>,
    names: Vec<String>,
    #[cfg_attr(not(test), allow(dead_code, reason = "it is for those who read the file"))]
    source: String,
}

static CONVENTIONS: LazyLock<Vec<TestNames>> = LazyLock::new(|| {
    let file: Conventions =
        toml::from_str(include_str!("frameworks/test-names.toml")).expect("a test reads it");
    file.convention
});

impl Graph<'_> {
    /// The tests of definitions by name and by file. Files in `known` have edges already and are left out.
    pub fn tests_by_name(
        &self,
        wanted: &[Definition],
        known: &FxHashSet<u32>,
    ) -> Result<Vec<GraphEdge>, SearchError> {
        let mut edges = Vec::new();
        for definition in wanted {
            for file in self.test_files(definition.file).into_iter().filter(|file| !known.contains(file)) {
                edges.extend(self.named_tests(file, definition)?);
            }
        }
        Ok(edges)
    }

    /// The test files of a source file, those whose folders are most like those of the source file.
    pub(crate) fn test_files(&self, file: u32) -> Vec<u32> {
        let source = self.snapshot.path(file);
        let (folder, name) = path::split(source);
        let stem = name.split('.').next().unwrap_or(name);
        let stem = match FOLDER_STEMS.contains(&stem) {
            true => path::split(folder).1,
            false => stem,
        };
        let language = self.language(file);
        let rows = CONVENTIONS.iter().filter(|row| row.languages.iter().any(|known| known == language));
        let parts: FxHashSet<&str> = folder.split('/').collect();
        let mut found: Vec<(usize, &str, u32)> = Vec::new();
        for pattern in rows.flat_map(|row| &row.names) {
            let suffix = pattern.replace("{stem}", stem);
            for test in self.paths().named(path::split(&suffix).1) {
                let path = self.snapshot.path(test);
                if test != file && ends_in(path, &suffix) {
                    let shared = path::split(path).0.split('/').filter(|part| parts.contains(part)).count();
                    found.push((shared, path, test));
                }
            }
        }
        let most = found.iter().map(|(shared, _, _)| *shared).max();
        found.retain(|(shared, _, _)| Some(*shared) == most);
        found.sort_by_key(|(_, path, _)| *path);
        found.dedup();
        found.truncate(MAX_FILES);
        found.into_iter().map(|(_, _, file)| file).collect()
    }

    /// The tests of a file that have the name of a definition, or else the file itself.
    fn named_tests(&self, file: u32, definition: &Definition) -> Result<Vec<GraphEdge>, SearchError> {
        let name = letters(&definition.name);
        let edge = |from: Option<Definition>, span: Span, rule: EdgeRule| GraphEdge {
            relation: Relation::Tests,
            depth: 1,
            file,
            span,
            from,
            to: definition.clone(),
            confidence: rule.confidence(),
            rule,
            is_value: false,
        };
        let named = self.symbols(file)?.into_iter().filter(|test| {
            test.kind.is_function() && name.len() >= MIN_NAME && letters(&test.name).contains(&name)
        });
        let named: Vec<GraphEdge> = named
            .map(|test| {
                let span = Span::new(test.span.start as usize, test.span.start as usize + 1);
                edge(Some(test), span, EdgeRule::TestName)
            })
            .collect();
        if !named.is_empty() {
            return Ok(named);
        }
        let text = self.text(file).unwrap_or_default();
        let at = text.match_indices(&*definition.name).map(|(at, _)| at).find(|at| {
            let is_word = |c: char| c == '_' || c.is_alphanumeric();
            !text[..*at].ends_with(is_word) && !text[at + definition.name.len()..].starts_with(is_word)
        });
        let rule = if at.is_some() { EdgeRule::TestFileWithName } else { EdgeRule::TestFile };
        let at = at.unwrap_or(0);
        Ok(vec![edge(None, Span::new(at, (at + 1).min(text.len()).max(at)), rule)])
    }
}

/// The letters and digits of a name, in lower case.
fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_convention_names_files_by_their_stem_and_a_source() {
        for row in CONVENTIONS.iter() {
            assert!(!row.languages.is_empty() && row.source.starts_with("https://"), "{:?}", row.names);
            assert!(
                row.names.iter().all(|name| name.contains("{stem}") && name.contains('.')),
                "{:?}",
                row.names
            );
        }
    }

    #[test]
    fn names_are_compared_by_their_letters() {
        assert!(letters("test_take_all").contains(&letters("takeAll")));
    }
}
