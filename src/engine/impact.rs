//! The answer of `impact`: the changed symbols, what depends on them, and the test files to run.
//!
//! This module adds the warnings that only `impact` has. `GraphAnswer` collects them, and `graph.rs` puts them into the reply.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use super::api::*;
use super::changes::{self, ChangedFile, TouchedLines};
use super::entries;
use super::graph::{Answered, GraphAnswer};
use super::removed::{AddedNames, RemovedCode};
use crate::error::Error;
use spyhop_base::id::LanguageId;
use spyhop_base::model::SymbolKind;
use spyhop_base::path::{self, RelPath};
use spyhop_base::text::Lines;
use spyhop_graph::{Definition, GraphEdge, ReachedEntry, has_imports, is_test_file};

/// The most changed symbols whose dependents are looked for.
const MAX_CHANGED: usize = 300;

/// The most changed files whose importers are looked for.
const MAX_IMPORTED: usize = 40;

/// The most removed names that a warning lists.
const MAX_REMOVED: usize = 8;

/// The weight of each kind of evidence that a test file is concerned; a use counts less with each further step.
const BY_USE: f32 = 0.7;
const STEP: f32 = 0.7;
const BY_NAME: f32 = 0.6;
const BY_IMPORT: f32 = 0.4;

/// The changed symbols and files of a question.
#[derive(Default)]
pub(super) struct ChangedCode {
    pub symbols: Vec<Definition>,
    pub files: Vec<u32>,
    /// The touched lines of the files whose searched text has the change; of removed lines, the lines around the gap.
    pub touched: Vec<(u32, Lines)>,
    /// The definitions that the change removed.
    removed: RemovedCode,
    /// These definitions, once the graph knows them.
    gone: Vec<Definition>,
    /// The uses of these definitions.
    removed_uses: Vec<GraphEdge>,
}

impl GraphAnswer<'_, '_> {
    /// The impact of symbols.
    pub(super) fn impact_of_symbols(
        &mut self,
        symbols: Vec<Definition>,
        request: &GraphRequest,
        depth: u32,
    ) -> Result<Answered, Error> {
        let mut files: Vec<u32> = symbols.iter().map(|own| own.file).collect();
        files.sort_unstable();
        files.dedup();
        self.impact(ChangedCode { symbols, files, ..ChangedCode::default() }, request, depth)
    }

    /// The impact of a file: of all its symbols. The symbols of the file are not among its dependents.
    pub(super) fn impact_of_file(
        &mut self,
        file: u32,
        request: &GraphRequest,
        depth: u32,
    ) -> Result<Answered, Error> {
        let mut symbols = self.graph.symbols(file).map_err(Error::from)?;
        // A constant of a namespace, or one that is defined apart from its type, is in no item of the file.
        let is_item = |own: &Definition| {
            let holds = own.kind.is_function() || own.kind.is_type_like() || own.kind == SymbolKind::Impl;
            holds && own.lines.count() > 1
        };
        let items: FxHashSet<String> =
            symbols.iter().filter(|own| is_item(own)).map(|own| own.name.to_string()).collect();
        let is_inside = |own: &Definition| {
            let container = own.container.as_deref().and_then(|own| own.rsplit(['.', ':']).next());
            container.is_some_and(|container| own.kind != SymbolKind::Const || items.contains(container))
        };
        symbols.retain(|own| own.kind.is_function() || own.kind.is_type_like() || !is_inside(own));
        let mut answered = self.impact(
            ChangedCode { symbols, files: vec![file], ..ChangedCode::default() },
            request,
            depth,
        )?;
        let own = self.snapshot.path(file);
        answered.rows.retain(|row| row.path.as_str() != own);
        Ok(answered)
    }

    /// The impact of a change: of the symbols whose lines the change touches.
    pub(super) fn impact_of_changes(
        &mut self,
        changes: &GraphChanges,
        request: &GraphRequest,
        depth: u32,
    ) -> Result<Answered, Error> {
        let mut changed = self.changed_symbols(changes)?;
        let removed = std::mem::take(&mut changed.removed);
        (changed.gone, changed.removed_uses) = self.uses_of_removed(removed)?;
        if changed.symbols.len() > MAX_CHANGED {
            self.warnings.push(format!(
                "{} symbols are changed; the dependents of the first {MAX_CHANGED} are looked for",
                changed.symbols.len()
            ));
            changed.symbols.truncate(MAX_CHANGED);
            self.cut =
                Some(IncompleteCause::Limit.with("not every changed symbol was looked at".to_string()));
        }
        self.impact(changed, request, depth)
    }

    /// The symbols and the files that a change touches. Warnings list names that were removed, and files that are not
    /// in the index.
    pub(super) fn changed_symbols(&mut self, changes: &GraphChanges) -> Result<ChangedCode, Error> {
        let files: FxHashMap<&str, u32> =
            (0..self.snapshot.n_files() as u32).map(|file| (self.snapshot.path(file), file)).collect();
        let sources = self.sources;
        let text_of = |path: &RelPath| files.get(path.as_str()).and_then(|file| sources.source(*file));
        let found = changes::changes(self.engine.tree(), changes, &text_of)?;
        self.warnings.extend(found.warnings);
        if found.is_cut {
            self.cut = Some(IncompleteCause::Limit.with("not every changed file was looked at".to_string()));
        }
        let mut changed = ChangedCode::default();
        let (mut removed, mut unindexed) = (RemovedCode::default(), Vec::new());
        let (mut compared, mut gone) = (Vec::new(), Vec::new());
        for change in &found.files {
            match files.get(change.path.as_str()) {
                Some(&file) => {
                    changed.files.push(file);
                    changed.symbols.extend(self.touched_symbols(file, change)?);
                    if change.text.is_none() {
                        let touched = change.touched.iter().map(|own| (file, own.shown()));
                        changed.touched.extend(touched);
                    }
                    compared.push(self.compared(file, change)?);
                }
                None if change.is_removed => gone.push(change),
                None => unindexed.push(change.path.to_string()),
            }
        }
        let added = AddedNames::of(&compared);
        gone.into_iter().for_each(|change| self.collect_removed_file(change, &added, &mut removed));
        compared.iter().for_each(|file| self.collect_removed(file, &added, &mut removed));
        self.warn_of("names were removed", &removed.names);
        self.warn_of("changed files are not in the index", &unindexed);
        if found.is_of_worktree {
            self.warn_of("files that git does not track are not compared", &self.untracked_files());
        }
        changed.removed = removed;
        Ok(changed)
    }

    /// The files with symbols that git does not track, but those of another repository inside of the tree.
    fn untracked_files(&self) -> Vec<String> {
        let Some(tracked) = self.engine.tree().tracked() else { return Vec::new() };
        let root = self.engine.tree().root();
        let has_symbols = |file: &u32| self.snapshot.version(*file).symbols() > 0;
        let paths = (0..self.snapshot.n_files() as u32).filter(has_symbols);
        let paths = paths.filter_map(|file| RelPath::new(self.snapshot.path(file)).ok());
        let mut repositories: FxHashMap<String, bool> = FxHashMap::default();
        let mut is_of_other = |path: &RelPath| {
            let mut folders = path.as_str().match_indices('/').map(|(at, _)| &path.as_str()[..at]);
            folders.any(|folder| {
                let is_one = || root.join(folder).join(".git").exists();
                *repositories.entry(folder.to_string()).or_insert_with(is_one)
            })
        };
        let is_new = |path: &RelPath| !tracked.contains(path, false) && !is_of_other(path);
        let mut found: Vec<String> = paths.filter(is_new).map(|path| path.to_string()).collect();
        found.sort_unstable();
        found
    }

    fn warn_of(&mut self, what: &str, names: &[String]) {
        if names.is_empty() {
            return;
        }
        let more = names.len().saturating_sub(MAX_REMOVED);
        let shown = names[..names.len() - more].join(", ");
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        self.warnings.push(format!("{what}: {shown}{more}"));
    }

    fn impact(
        &mut self,
        mut changed: ChangedCode,
        request: &GraphRequest,
        depth: u32,
    ) -> Result<Answered, Error> {
        let (least, first) = (request.min_confidence, std::mem::take(&mut changed.removed_uses));
        self.graph.add_bodies_of_declared(&mut changed.symbols).map_err(Error::from)?;
        for own in changed.symbols.iter().filter(|own| self.graph.is_minor(own)) {
            self.graph.admit_minor(&own.name, true).map_err(Error::from)?;
        }
        let edges = self.graph.dependents(&changed.symbols, first, depth, least, MAX_ROWS);
        let edges = edges.map_err(Error::from)?;
        let tests = self.tests_of_change(&changed, &edges, request.changes.is_some())?;
        let entries = self.entries_of_change(&changed, &edges)?;
        let rows = self.rows(edges, false)?;
        let unread_imports = self.unread_uses(&changed);
        let counted = changed.gone.into_iter().chain(changed.symbols.iter().cloned()).collect();
        let definitions = changed.symbols;
        Ok(Answered { definitions, rows, tests, entries, counted, unread_imports, ..Answered::default() })
    }

    /// The language of a changed file, such as a template, of which other files use no symbols, and whose imports are not read.
    fn unread_uses(&self, changed: &ChangedCode) -> Option<&'static str> {
        let is_used = |own: &Definition| own.kind.is_function() || own.kind.is_type_like();
        let is_left = |file: &u32| {
            let version = self.snapshot.version(*file);
            let is_prose = self.engine.grammars().is_prose(version.language());
            !is_prose
                && version.language() != LanguageId::TEXT
                && !changed.symbols.iter().any(|own| own.file == *file && is_used(own))
        };
        let language = |file: u32| self.engine.grammars().name(self.snapshot.version(file).language());
        let left = changed.files.iter().copied().filter(is_left);
        left.map(language).find(|language| !has_imports(language))
    }

    /// The routes and commands that lead to what changes.
    fn entries_of_change(
        &self,
        changed: &ChangedCode,
        dependents: &[GraphEdge],
    ) -> Result<Vec<EntryRow>, Error> {
        let reached = self.graph.reaching(&changed.symbols, dependents, &EntryKind::ALL)?;
        let row = |own: &ReachedEntry| -> Result<EntryRow, Error> {
            let row = entries::entry_row(self.engine, self.snapshot, self.sources, &own.entry)?;
            Ok(EntryRow { depth: Some(own.depth), confidence: own.confidence, ..row })
        };
        reached.iter().map(row).collect()
    }

    /// The symbols of a file whose own lines a change touches: the innermost symbol around each line, and the functions
    /// around that symbol.
    fn touched_symbols(&self, file: u32, change: &ChangedFile) -> Result<Vec<Definition>, Error> {
        let mut symbols = self.graph.symbols(file).map_err(Error::from)?;
        symbols.extend(self.graph.minor_symbols(file).map_err(Error::from)?);
        let Some(text) = &change.text else {
            let lines: Vec<(Lines, bool)> =
                symbols.iter().map(|own| (own.lines, own.kind.is_function())).collect();
            let touched = innermost(&lines, &change.touched);
            return Ok(touched.into_iter().map(|at| symbols[at].clone()).collect());
        };
        // The lines are those of another content, so that symbols are found again by their names.
        let other = self.sources.analyze_other(self.snapshot.version(file).language(), text);
        let other: Vec<_> = other.symbols.into_iter().chain(other.minor).collect();
        let lines: Vec<(Lines, bool)> = other.iter().map(|own| (own.lines, own.kind.is_function())).collect();
        let touched = innermost(&lines, &change.touched);
        let names: FxHashSet<(Option<&str>, &str)> =
            touched.into_iter().map(|at| (other[at].container.as_deref(), &*other[at].name)).collect();
        let is_named = |own: &Definition| names.contains(&(own.container.as_deref(), &*own.name));
        Ok(symbols.into_iter().filter(is_named).collect())
    }

    /// The test files that a change concerns: those that are changed, use what is changed, import a changed file, or have
    /// the name of a changed file.
    fn tests_of_change(
        &self,
        changed: &ChangedCode,
        edges: &[GraphEdge],
        is_change: bool,
    ) -> Result<Vec<AffectedTest>, Error> {
        let mut tests = TestEvidence::default();
        for edge in edges.iter().filter(|edge| self.graph.is_test(edge.file, edge.from.as_ref())) {
            let steps = if edge.depth == 1 { String::new() } else { format!(" in {} steps", edge.depth) };
            let reason = format!("uses {}{steps}", edge.to.qualified());
            tests.add(edge.file, BY_USE * edge.confidence * STEP.powi(edge.depth as i32 - 1), reason);
        }
        for &file in changed.files.iter().take(MAX_IMPORTED) {
            let path = self.snapshot.path(file);
            if is_change && is_test_file(path) {
                tests.add(file, 1.0, "is changed".to_string());
            }
            let takes = |other: u32| is_test_file(self.snapshot.path(other));
            for edge in self.graph.importers_of(file, takes).map_err(Error::from)? {
                tests.add(edge.file, BY_IMPORT, format!("imports {path}"));
            }
        }
        self.add_tests_by_name(changed, &mut tests);
        tests.ranked(|file| self.snapshot.path(file))
    }

    /// Adds the test files with the name of a changed file. A test is named after the nearest files of that name.
    fn add_tests_by_name(&self, changed: &ChangedCode, tests: &mut TestEvidence) {
        let is_source = |file: &u32| !is_test_file(self.snapshot.path(*file));
        let changed: Vec<u32> = changed.files.iter().copied().filter(is_source).collect();
        let mut named: FxHashMap<String, Vec<u32>> =
            changed.iter().map(|file| (subject(self.snapshot.path(*file)), Vec::new())).collect();
        let mut alike = Vec::new();
        let n_files = if named.is_empty() { 0 } else { self.snapshot.n_files() as u32 };
        for file in 0..n_files {
            let path = self.snapshot.path(file);
            let Some(sources) = named.get_mut(&subject(path)) else { continue };
            match is_test_file(path) {
                true => alike.push(file),
                false => sources.push(file),
            }
        }
        for file in alike {
            let path = self.snapshot.path(file);
            let sources = named.get(&subject(path)).into_iter().flatten();
            let near = sources.map(|source| (nearness(path, self.snapshot.path(*source)), *source));
            let near: Vec<_> =
                near.filter(|(_, source)| is_one_language(path, self.snapshot.path(*source))).collect();
            let nearest = near.iter().map(|(nearness, _)| *nearness).max();
            let is_meant = |(nearness, source): &&((usize, Reverse<usize>), u32)| {
                Some(*nearness) == nearest && changed.contains(source)
            };
            for ((shared, _), source) in near.iter().filter(is_meant) {
                let worth = BY_NAME * (1.0 - 0.5 / (1.0 + *shared as f32));
                tests.add(file, worth, format!("is named after {}", self.snapshot.path(*source)));
            }
        }
    }
}

/// How near a file is to a test of its name: the folders that both paths have, then the fewest others of the file.
fn nearness(test: &str, source: &str) -> (usize, Reverse<usize>) {
    let folders: Vec<&str> = path::split(test).0.split('/').collect();
    let own = || path::split(source).0.split('/');
    let shared = folders.iter().filter(|folder| own().any(|part| part == **folder)).count();
    (shared, Reverse(own().filter(|part| !folders.contains(part)).count()))
}

/// What tells that test files are concerned: the probability of the contrary, the weight of the strongest reason, and that
/// reason.
#[derive(Default)]
struct TestEvidence(FxHashMap<u32, (f32, f32, String)>);

impl TestEvidence {
    fn add(&mut self, file: u32, worth: f32, reason: String) {
        let (contrary, best, why) = self.0.entry(file).or_insert((1.0, 0.0, String::new()));
        *contrary *= 1.0 - worth;
        if worth > *best {
            (*best, *why) = (worth, reason);
        }
    }

    fn ranked<'p>(self, path_of: impl Fn(u32) -> &'p str) -> Result<Vec<AffectedTest>, Error> {
        let test = |(file, (contrary, _, reason)): (u32, (f32, f32, String))| {
            let path = RelPath::new(path_of(file))?;
            Ok(AffectedTest { source: None, path, confidence: 1.0 - contrary, reason })
        };
        let mut tests: Vec<AffectedTest> = self.0.into_iter().map(test).collect::<Result<_, Error>>()?;
        tests.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then_with(|| a.path.cmp(&b.path)));
        Ok(tests)
    }
}

/// The places, among symbols given by their lines and whether they are functions, of those that lines touch.
fn innermost(symbols: &[(Lines, bool)], touched: &[TouchedLines]) -> Vec<usize> {
    let mut found: FxHashSet<usize> = FxHashSet::default();
    let mut by_first: Vec<usize> = (0..symbols.len()).collect();
    by_first.sort_by_key(|at| symbols[*at].0.first);
    // The greatest last line up to each symbol: symbols before it are not looked at where none of them reaches a line.
    let greatest: Vec<u32> = by_first
        .iter()
        .scan(0, |greatest, at| {
            *greatest = symbols[*at].0.last.max(*greatest);
            Some(*greatest)
        })
        .collect();
    for lines in touched {
        // A symbol is touched by a line that no symbol inside of it has, and by a gap that no symbol inside of it has.
        let gap = TouchedLines { first: lines.first, last: lines.last };
        let single = (lines.first..=lines.last).map(|line| TouchedLines { first: line, last: line });
        let parts: Vec<TouchedLines> = if lines.first > lines.last { vec![gap] } else { single.collect() };
        for part in parts {
            let (low, high) = (part.first.min(part.last), part.first.max(part.last));
            let next = by_first.partition_point(|at| symbols[*at].0.first <= low);
            let before = (0..next).rev().take_while(|place| high <= greatest[*place]);
            let around = before.map(|place| (by_first[place], &symbols[by_first[place]]));
            let mut around: Vec<(usize, &(Lines, bool))> =
                around.filter(|(_, (own, _))| high <= own.last).collect();
            around.sort_unstable_by_key(|(at, _)| *at);
            let Some((inner, _)) = around.iter().min_by_key(|(_, (own, _))| own.count()) else { continue };
            found.insert(*inner);
            found.extend(around.iter().filter(|(_, (_, is_function))| *is_function).map(|(at, _)| *at));
        }
    }
    let mut found: Vec<usize> = found.into_iter().collect();
    found.sort_unstable();
    found
}

/// The name of what a file is about: its stem in lower case without the words that mark tests.
fn subject(path: &str) -> String {
    let name = path::split(path).1;
    let is_index = |stem: &str| matches!(stem, "index" | "mod" | "__init__" | "lib" | "main");
    let mut stem = name.split('.').next().unwrap_or(name).to_string();
    if is_index(&stem) {
        stem = path::split(path::split(path).0).1.to_string();
    }
    for end in ["Tests", "Test", "Spec", "IT"] {
        if let Some(rest) = stem.strip_suffix(end).filter(|rest| !rest.is_empty()) {
            stem = rest.to_string();
            break;
        }
    }
    let words = stem.split(['_', '-']).map(str::to_ascii_lowercase);
    let words: Vec<String> =
        words.filter(|word| !matches!(word.as_str(), "test" | "tests" | "spec")).collect();
    words.join("_")
}

/// Whether two files may be of one language, by their extensions: `ts` and `tsx`, `js` and `mjs`.
fn is_one_language(path: &str, other: &str) -> bool {
    let family = |path: &str| {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension {
            "ts" | "tsx" | "js" | "jsx" | "mjs" | "cjs" | "mts" | "cts" | "vue" | "svelte" => {
                "web".to_string()
            }
            "c" | "h" | "cc" | "cpp" | "hpp" | "cxx" | "hxx" => "c".to_string(),
            "java" | "kt" | "scala" | "groovy" => "jvm".to_string(),
            other => other.to_string(),
        }
    };
    family(path) == family(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_nearest_to_the_file_beside_it() {
        let nearer = |test: &str, one: &str, other: &str| nearness(test, one) > nearness(test, other);
        assert!(nearer("app/config/parser_test.go", "app/config/parser.go", "app/json/parser.go"));
        assert!(nearer("app/config/parser_test.go", "app/config/parser.go", "app/config/x/parser.go"));
        assert!(nearer("tests/unit/Helper/ProxyTest.php", "src/Helper/Proxy.php", "src/Other/Proxy.php"));
    }
}
