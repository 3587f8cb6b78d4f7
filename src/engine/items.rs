//! The items of present files: definitions, and the parts of a file that define nothing. The items of an unchanged file
//! come from the index; a changed file is parsed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};

use super::core::Engine;
use super::lock::lock;
use super::open_index::Viewed;
use crate::error::Error;
use spyhop_base::id::VersionId;
use spyhop_base::model::{Note, SkipReason, Symbol, SymbolKind};
use spyhop_base::path::RelPath;
use spyhop_base::text::{Lines, Span};
use spyhop_base::threads;
use spyhop_files::read::{self, Limits, ReadOutcome, TreeSource};
use spyhop_index::update::Quarantine;
use spyhop_syntax::analyze::STACK_BYTES;
use spyhop_syntax::worker::FileAnalyzer;

/// The kinds of the parts of a file that belong to no symbol.
pub(super) const PART_KINDS: [SymbolKind; 3] = [SymbolKind::Doc, SymbolKind::Block, SymbolKind::Text];

/// An item of a file.
#[derive(Clone, Copy)]
pub(super) struct FileItem<'a> {
    pub kind: SymbolKind,
    /// The name alone; empty for a part of a file that defines nothing.
    pub name: &'a str,
    pub container: Option<&'a str>,
    /// The lines of the item proper.
    pub lines: Lines,
    /// The whole item, with its doc comment and attributes.
    pub span: Span,
    /// Whether a pattern of lines found the item.
    pub by_rule: bool,
}

/// The files whose items are wanted, and where the items may come from.
pub(super) struct ItemSources<'s> {
    /// The view of the index, if there is one.
    pub viewed: Option<Viewed<'s>>,
    /// The tree of the files.
    pub source_tree: &'s TreeSource,
    /// Whether definitions suffice. The index has no other items, so a file is parsed for those.
    pub by_outline: bool,
    /// Whether fields and variants that only look-ups by name find are items.
    pub with_minor: bool,
    /// The most files that are parsed; the others have no items.
    pub most_parsed: usize,
}

/// Selects an item and converts it.
pub(super) type TakeItem<'t, T> = &'t (dyn Fn(FileItem<'_>) -> Option<T> + Sync);

/// The selected items of each file, in the order of the file.
pub(super) fn items<'f, T: Send>(
    engine: &Engine,
    sources: &ItemSources<'_>,
    files: impl Iterator<Item = &'f RelPath>,
    take: TakeItem<'_, T>,
) -> Result<FxHashMap<RelPath, Vec<T>>, Error> {
    let files: Vec<&RelPath> = files.collect();
    let recorded = sources.viewed.map(|viewed| versions_of(viewed, &files)).unwrap_or_default();
    let (mut found, mut others) = (FxHashMap::default(), Vec::new());
    for path in files {
        let version = recorded.get(path.as_str()).filter(|_| sources.by_outline);
        match version.and_then(|version| sources.recorded_items(*version, path, take)) {
            Some(items) => _ = found.insert(path.clone(), items),
            None => others.push(path),
        }
    }
    others.truncate(sources.most_parsed);
    found.extend(parsed_items(engine, &others, sources, take)?);
    Ok(found)
}

/// Parses `files` for their items.
fn parsed_items<T: Send>(
    engine: &Engine,
    files: &[&RelPath],
    sources: &ItemSources<'_>,
    take: TakeItem<'_, T>,
) -> Result<Vec<(RelPath, Vec<T>)>, Error> {
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let quarantine = engine.quarantine();
    let work = || {
        let mut analyzer = engine.parsers().analyzer();
        while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let items = || items_of(engine, &mut analyzer, &quarantine, (sources, *path), take);
            match catch_unwind(AssertUnwindSafe(items)) {
                Ok(items) => lock(&found).push(((*path).clone(), items)),
                // A file on which this program panics has no items.
                Err(_) => analyzer = engine.parsers().analyzer(),
            }
        }
    };
    let threads = engine.options().threads.unwrap_or(2).min(files.len());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            if let Err(error) = threads::for_call(scope, thread, work) {
                tracing::warn!(%error, "no thread to cut files with");
            }
        }
    });
    Ok(found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
}

fn items_of<T>(
    engine: &Engine,
    analyzer: &mut FileAnalyzer<'_>,
    quarantine: &Quarantine,
    (sources, path): (&ItemSources<'_>, &RelPath),
    take: TakeItem<'_, T>,
) -> Vec<T> {
    let max_file_bytes = engine.tree().settings().max_file_bytes;
    let limits = Limits { max_file_bytes, skip_generated: false, skip_minified: false };
    let source = match sources.source_tree.read(path, &limits) {
        ReadOutcome::Source(source) => source,
        ReadOutcome::PathOnly { reason: SkipReason::TooLarge, .. } => {
            return items_by_rule(engine, analyzer, (sources, path), take);
        }
        _ => return Vec::new(),
    };
    let language = engine.grammars().detect(path, &source.text);
    let by_lines = || engine.parsers().by_lines(language, &source.text);
    let analysis = match quarantine.cause(source.hash) {
        Some(_) => by_lines(),
        None => analyzer.analyze(path.as_str(), language, &source.text).unwrap_or_else(|lost| {
            quarantine.add_from_query(path, source.hash, &lost);
            by_lines()
        }),
    };
    let all_by_rule = analysis.notes.contains(&Note::ByRule);
    let minor = if sources.with_minor { &analysis.minor[..] } else { &[] };
    let symbols = (0..).zip(analysis.symbols.iter().chain(minor)).map(|(place, symbol)| FileItem {
        kind: symbol.kind,
        name: &symbol.name,
        container: symbol.container.as_deref(),
        lines: symbol.lines,
        span: symbol.span,
        by_rule: all_by_rule || analysis.by_rule.binary_search(&place).is_ok(),
    });
    let parts = analysis.chunks.iter().filter(|chunk| PART_KINDS.contains(&chunk.kind));
    let parts = parts.map(|chunk| FileItem {
        kind: chunk.kind,
        name: "",
        container: None,
        lines: chunk.lines,
        span: chunk.span,
        by_rule: false,
    });
    symbols.chain(parts).filter_map(take).collect()
}

/// The items of a file that is too large to be parsed.
fn items_by_rule<T>(
    engine: &Engine,
    analyzer: &FileAnalyzer<'_>,
    (sources, path): (&ItemSources<'_>, &RelPath),
    take: TakeItem<'_, T>,
) -> Vec<T> {
    let limits = Limits { max_file_bytes: Limits::MAX_RULE_BYTES, ..Limits::default() };
    let ReadOutcome::Source(source) = sources.source_tree.read(path, &limits) else { return Vec::new() };
    let language = engine.grammars().detect(path, &source.text);
    let symbols = analyzer.definitions_by_rule(language, &source.text).unwrap_or_default();
    let item = |symbol: &Symbol| {
        take(FileItem {
            kind: symbol.kind,
            name: &symbol.name,
            container: symbol.container.as_deref(),
            lines: symbol.lines,
            span: symbol.span,
            by_rule: true,
        })
    };
    symbols.iter().filter_map(item).collect()
}

impl ItemSources<'_> {
    /// The items that the index has for a file; `None` if the file has changed since.
    fn recorded_items<T>(&self, version: VersionId, path: &RelPath, take: TakeItem<'_, T>) -> Option<Vec<T>> {
        let viewed = self.viewed?;
        let identity = viewed.view.identity(version)?;
        let is_same = match self.source_tree {
            TreeSource::Folder(root) => identity.matches_stat(&root.metadata(path).ok()?),
            TreeSource::Tree(tree) => identity.matches_blob(read::entry_of(&**tree, path).ok()?.id),
        };
        let version = viewed.meta().version(version).filter(|_| is_same)?;
        let (mut names, mut minor) = (Vec::new(), Vec::new());
        let all_by_rule = version.notes().any(|note| note == Note::ByRule);
        let is_known = all_by_rule || !version.content().is_path_only();
        let outline = version.outline(&mut names).ok().filter(|_| is_known)?;
        let mut details = version.details(&outline, &mut minor).ok()?;
        if !self.with_minor {
            details.minor.clear();
        }
        let items = details.with(outline).into_iter().map(|(symbol, by_rule)| FileItem {
            kind: symbol.kind,
            name: symbol.name,
            container: symbol.container,
            lines: symbol.lines,
            span: symbol.span,
            by_rule: all_by_rule || by_rule,
        });
        Some(items.filter_map(take).collect())
    }
}

/// The versions of `files` in a view.
fn versions_of<'c>(viewed: Viewed<'c>, files: &[&RelPath]) -> FxHashMap<&'c str, VersionId> {
    let wanted: FxHashSet<&str> = files.iter().map(|path| path.as_str()).collect();
    let versions = viewed.view.versions().iter();
    let paths = versions.filter_map(|id| Some((viewed.meta().version(*id)?.path(), *id)));
    paths.filter(|(path, _)| wanted.contains(path)).collect()
}
