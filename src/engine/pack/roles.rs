//! The files of kinds that a task does not ask for: tests, prose, data, stylesheets, old and vendored code.

use rustc_hash::FxHashMap;

use super::candidates::PackCandidates;
use super::run::PackRun;
use spyhop_base::path;
use spyhop_graph::is_test_file;
use spyhop_search::{compat_part, generated_part, is_prose, test_part};

/// Words of tasks about the look of pages.
const STYLE_WORDS: &[&str] = &[
    "color", "colors", "colour", "colours", "css", "dark", "font", "layout", "less", "scss", "style",
    "styles", "theme",
];

impl PackRun<'_, '_> {
    /// Marks the files of kinds that the task does not ask for, and the first other file of each goal as the one that leads
    /// the goal.
    pub(super) fn mark_asides(&self, candidates: &mut PackCandidates) {
        let mut first: FxHashMap<usize, (bool, usize, u32)> = FxHashMap::default();
        for own in candidates.by_file.values_mut() {
            let is_led = own.evidence.is_named || own.evidence.near > 0.0;
            own.evidence.is_aside = !is_led && self.is_aside(own.file);
            for &(goal, rank) in &own.goals {
                let key = (own.evidence.is_aside, rank, own.file);
                let known = first.entry(goal).or_insert(key);
                *known = key.min(*known);
            }
        }
        for (goal, (_, _, file)) in first {
            candidates.of(file).leads.push(goal);
        }
        candidates.by_file.values_mut().for_each(|own| own.leads.sort_unstable());
    }

    /// Whether a file is of a kind that the task does not ask for.
    pub(super) fn is_aside(&self, file: u32) -> bool {
        let version = self.snapshot.version(file);
        let (path, language) = (version.path(), version.language());
        let name = self.engine.grammars().name(language);
        let asks = self.query.asks;
        let is_data = matches!(name, "json" | "yaml" | "toml" | "xml" | "ini" | "csv" | "properties");
        let is_style = matches!(name, "css" | "scss" | "less");
        let is_prose = is_prose(path, language, self.engine.grammars());
        (!asks.tests && is_of_tests(path))
            || (!asks.compat && compat_part(path).is_some_and(|part| !self.folders.has(self.snapshot, part)))
            || (!asks.generated && generated_part(path).is_some())
            || (!asks.docs && (is_prose || self.is_of_docs(path)))
            || (is_data && !asks.data)
            || (is_style && !asks.data && !self.asks_style())
    }

    /// Whether a file, such as a script of a page, lies below a folder of documentation.
    fn is_of_docs(&self, path: &str) -> bool {
        let mut folders = path::split(path).0.split('/');
        folders.any(|part| matches!(part, "doc" | "docs") && !self.folders.has(self.snapshot, part))
    }

    fn asks_style(&self) -> bool {
        self.query.terms.iter().any(|own| STYLE_WORDS.contains(&own.word.to_lowercase().as_str()))
    }
}

/// Whether a file is a test or belongs to tests, also in a folder such as `commonTest` or `Shop.Tests`.
fn is_of_tests(path: &str) -> bool {
    let ends = |part: &str| {
        let before = part.strip_suffix("Tests").or_else(|| part.strip_suffix("Test"));
        before.is_some_and(|before| before.ends_with(|c: char| c.is_lowercase() || c == '.'))
    };
    test_part(path).is_some() || is_test_file(path) || path::split(path).0.split('/').any(ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_known_by_their_names_in_any_case() {
        let check = |path: &str, expected: bool| assert_eq!(is_of_tests(path), expected, "{path}");
        check("core/src/commonTest/kotlin/Fixtures.kt", true);
        check("src/Shop.Tests/Helper.cs", true);
        check("core/src/main/PoolTest.kt", true);
        check("core/src/main/Latest/Pool.kt", false);
        check("core/src/main/Contest.kt", false);
    }
}
