//! Tests by name: the test file of a source file by the naming conventions of its language, and the tests in it that
//! have the name of a definition.
//!
//! The conventions are data, in `frameworks/test-names.toml`. The test around a use is named here too: a function, or the
//! title of a block such as `it('adds up', ...)`.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;
use serde::Deserialize;

use super::files::{BYTES_PER_STEP, Graph};
use super::paths::ends_in;
use super::questions::{GraphEdge, Relation, definition_of, owner_of};
use super::rule::EdgeRule;
use super::test_files::is_test_file;
use super::titles;
use super::uses::{NameAt, innermost};
use super::words::whole_words;
use crate::definition::Definition;
use spyhop_base::model::SymbolKind;
use spyhop_base::path;
use spyhop_base::text::{Lines, Span};
use spyhop_search::SearchError;

/// The fewest letters of a name that identifies a test.
const MIN_NAME: usize = 3;

/// The most test files of one source file.
const MAX_FILES: usize = 4;

/// The most mentions of a definition in a test file that are looked at.
const MAX_MENTIONS: usize = 64;

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
    /// The test around a use: the outermost function, or the titles of the blocks around the use or that function. `from` is the
    /// symbol around the use.
    pub fn test_around(&self, file: u32, span: Span, from: Option<&Definition>) -> Option<Definition> {
        let Some(facts) = self.facts(file) else { return from.cloned() };
        let symbols = &facts.symbols;
        let owner = from.map(|own| own.place).filter(|own| (*own as usize) < symbols.len());
        let owner = owner.or_else(|| innermost(symbols, span));
        let around = std::iter::successors(owner, |at| symbols[*at as usize].parent);
        let outermost = around.filter(|at| symbols[*at as usize].kind.is_function()).last();
        let start = outermost.map(|own| symbols[own as usize].span.start as usize);
        // A block with a title may be a symbol itself.
        let line_end = |at: usize| facts.text[at..].find('\n').map_or(facts.text.len(), |end| at + end);
        let at = start.map_or(span.start as usize, line_end);
        self.steps.take(1 + titles::MOST_BYTES / BYTES_PER_STEP);
        let is_test_file = is_test_file(self.snapshot.path(file));
        // A function in a group of tests is called by some of them.
        let names_test =
            |titled: &titles::Titled<'_>| is_test_file && (titled.is_test || outermost.is_none());
        if let Some(titled) = titles::around(&facts.text, at).filter(names_test) {
            let (first, last) = (titled.start as u32, at as u32);
            let lines = Lines { first: facts.lines.line_of(first), last: facts.lines.line_of(last) };
            return Some(Definition {
                file,
                // A place that no symbol has.
                place: u32::MAX - lines.first,
                name: titled.name.into(),
                container: titled.container.map(Into::into),
                kind: SymbolKind::Fn,
                lines,
                span: Span { start: first, end: last },
            });
        }
        outermost.map(|place| definition_of(file, &facts, place)).or_else(|| from.cloned())
    }

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
        let spans = whole_words(&text, &definition.name);
        self.steps.take(text.len() / BYTES_PER_STEP);
        let mut mentions: Vec<GraphEdge> = Vec::new();
        let facts = self.facts(file);
        let is_code = |span: &&Span| {
            let name_at = facts.as_ref().map(|facts| facts.name_at(**span, true));
            !matches!(name_at, Some(NameAt::Comment | NameAt::Literal(_)))
        };
        // Words in texts count only if the tests have no others.
        let code: Vec<Span> = spans.iter().filter(is_code).copied().collect();
        for span in if code.is_empty() { spans } else { code }.into_iter().take(MAX_MENTIONS) {
            let owner = facts.as_ref().and_then(|facts| owner_of(file, facts, &facts.use_at(span)));
            let from = self.test_around(file, span, owner.as_ref());
            let place = |own: &Option<Definition>| own.as_ref().map(|own| own.place);
            if mentions.iter().all(|own| place(&own.from) != place(&from)) {
                mentions.push(edge(from, span, EdgeRule::TestFileWithName));
            }
        }
        // An import outside of the tests tells less than the tests that have the name.
        if mentions.iter().any(|own| own.from.is_some()) {
            mentions.retain(|own| own.from.is_some());
        }
        if mentions.is_empty() {
            let class = self
                .symbols(file)?
                .into_iter()
                .find(|own| own.kind.is_type_like() && own.container.is_none());
            let at = class.as_ref().map_or(0, |class| class.span.start as usize);
            mentions.push(edge(class, Span::new(at, (at + 1).min(text.len()).max(at)), EdgeRule::TestFile));
        }
        Ok(mentions)
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
