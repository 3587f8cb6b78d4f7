//! The definitions that a change removed, and the uses of them that remain.

use rustc_hash::FxHashSet;

use super::api::{RESOLVED, SymbolRow};
use super::changes::ChangedFile;
use super::graph::{GraphAnswer, RemovedRows};
use crate::error::Error;
use spyhop_base::model::{Symbol, SymbolKind, qualified_name};
use spyhop_base::text::Span;
use spyhop_graph::{Definition, GraphEdge, REMOVED_FILE};

/// The most removed definitions whose uses are looked for.
const MAX_REMOVED: usize = 100;

/// A removed file, with what it defined.
struct RemovedFile {
    path: String,
    old: String,
    language: &'static str,
    definitions: Vec<Definition>,
}

/// The definitions that a change removed.
#[derive(Default)]
pub(super) struct RemovedCode {
    /// Those of files that are still there.
    symbols: Vec<Definition>,
    /// Removed files.
    files: Vec<RemovedFile>,
    rows: RemovedRows,
    /// What a warning names.
    pub names: Vec<String>,
}

impl RemovedCode {
    fn len(&self) -> usize {
        self.rows.len()
    }

    /// Adds a symbol of an old text, and gives it a place that no symbol has.
    fn add(
        &mut self,
        file: u32,
        change: &ChangedFile,
        own: &Symbol,
        span: Span,
        language: &'static str,
    ) -> Definition {
        let place = u32::MAX - 1 - self.len() as u32;
        let row = SymbolRow {
            source: None,
            path: change.path.clone(),
            lines: own.lines,
            kind: own.kind,
            name: own.name.to_string(),
            container: own.container.as_deref().map(str::to_string),
            language,
            by_rule: false,
            highlights: Vec::new(),
        };
        self.rows.insert((file, place), row);
        let (name, container) = ((&*own.name).into(), own.container.as_deref().map(Into::into));
        Definition { file, place, name, container, kind: own.kind, lines: own.lines, span }
    }
}

/// Whether others can use a symbol by its name.
fn is_item(own: &Symbol) -> bool {
    !matches!(own.kind, SymbolKind::Impl | SymbolKind::Doc)
}

/// A changed file that the tree has: what the file defines now, and what its old content defined.
pub(super) struct ChangedOutline<'c> {
    pub file: u32,
    pub change: &'c ChangedFile,
    now: Vec<Definition>,
    before: Vec<Symbol>,
}

impl ChangedOutline<'_> {
    /// The names of the definitions that the file has now, with their containers.
    fn names(&self) -> FxHashSet<(Option<&str>, &str)> {
        self.now.iter().map(|own| (own.container.as_deref(), &*own.name)).collect()
    }
}

/// The definitions that a change added to its files.
pub(super) struct AddedNames<'c>(FxHashSet<(Option<&'c str>, &'c str)>);

impl<'c> AddedNames<'c> {
    pub(super) fn of(files: &'c [ChangedOutline<'c>]) -> AddedNames<'c> {
        let added = files.iter().flat_map(|file| {
            let mut names = file.names();
            file.before.iter().for_each(|own| _ = names.remove(&(own.container.as_deref(), &*own.name)));
            names
        });
        AddedNames(added.collect())
    }
}

impl GraphAnswer<'_, '_> {
    /// The definitions of a changed file, now and in its old content.
    pub(super) fn compared<'c>(
        &self,
        file: u32,
        change: &'c ChangedFile,
    ) -> Result<ChangedOutline<'c>, Error> {
        let mut now = self.graph.symbols(file).map_err(Error::from)?;
        now.extend(self.graph.minor_symbols(file).map_err(Error::from)?);
        let language = self.snapshot.version(file).language();
        let before = change.old.as_ref().map(|old| self.sources.analyze_other(language, old));
        let before = before.map(|own| own.symbols.into_iter().chain(own.minor).collect());
        Ok(ChangedOutline { file, change, now, before: before.unwrap_or_default() })
    }

    /// Collects the definitions that the old content of a file has and that the file does not have now. A definition that the
    /// change added to another file was moved, unless other files have to import the name and this file does not mention the name.
    pub(super) fn collect_removed(
        &self,
        compared: &ChangedOutline<'_>,
        added: &AddedNames<'_>,
        removed: &mut RemovedCode,
    ) {
        let (names, ChangedOutline { file, change, now, before }) = (compared.names(), compared);
        let id = self.snapshot.version(*file).language();
        let language = self.engine.grammars().name(id);
        let text = self.sources.source(*file).unwrap_or_default();
        let breaks_imports = |name: &str| spyhop_graph::imports_names(language) && !text.contains(name);
        for own in before.iter().filter(|own| is_item(own)) {
            let named = (own.container.as_deref(), &*own.name);
            if names.contains(&named) || (added.0.contains(&named) && !breaks_imports(&own.name)) {
                continue;
            }
            // Members count as members of what is around them, so they take the place of their container.
            let container = now
                .iter()
                .find(|around| Some(&*around.name) == own.container.as_deref() && around.kind.is_type_like());
            let start = container.map_or(0, |around| around.span.start as usize);
            if removed.len() < MAX_REMOVED {
                let definition = removed.add(*file, change, own, Span::new(start, start), language);
                removed.symbols.push(definition);
            }
            removed.names.push(qualified_name(own.container.as_deref(), &own.name));
        }
        removed.names.dedup();
    }

    /// Collects the definitions of a removed file but for those that the change added to another file: these were moved, unless other
    /// files have to import the name.
    pub(super) fn collect_removed_file(
        &self,
        change: &ChangedFile,
        added: &AddedNames<'_>,
        removed: &mut RemovedCode,
    ) {
        removed.names.push(format!("file {}", change.path));
        let Some(old) = &change.old else { return };
        let language = self.engine.grammars().detect(&change.path, old);
        let name = self.engine.grammars().name(language);
        let mut definitions = Vec::new();
        for own in self.sources.analyze_other(language, old).symbols.iter().filter(|own| is_item(own)) {
            let is_added = added.0.contains(&(own.container.as_deref(), &*own.name));
            if is_added && !spyhop_graph::imports_names(name) {
                continue;
            }
            if removed.len() < MAX_REMOVED {
                definitions.push(removed.add(REMOVED_FILE, change, own, own.span, name));
            }
        }
        let (path, old) = (change.path.to_string(), old.clone());
        removed.files.push(RemovedFile { path, old, language: name, definitions });
    }

    /// The definitions that were removed, and their uses.
    pub(super) fn uses_of_removed(
        &mut self,
        removed: RemovedCode,
    ) -> Result<(Vec<Definition>, Vec<GraphEdge>), Error> {
        let RemovedCode { symbols, files, rows, .. } = removed;
        self.graph.add_removed(&symbols).map_err(Error::from)?;
        let mut edges = self.graph.uses_of_removed(&symbols).map_err(Error::from)?;
        edges.extend(self.graph.implementing_removed(&symbols).map_err(Error::from)?);
        for RemovedFile { path, old, language, definitions } in &files {
            let uses = self.graph.uses_of_removed_file((path, old), language, definitions);
            let uses = uses.map_err(Error::from)?;
            let certain = uses.iter().filter(|edge| edge.confidence >= RESOLVED);
            self.removed_uses.extend(certain.map(|edge| (edge.file, edge.span)));
            edges.extend(uses);
        }
        self.removed = rows;
        let of_files = files.into_iter().flat_map(|file| file.definitions);
        Ok((symbols.into_iter().chain(of_files).collect(), edges))
    }
}
