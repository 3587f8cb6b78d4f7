//! Definitions by name: fuzzy as editors' "go to symbol" is, with the container before the name if it is typed.
//! How names are found and ordered is [`fuzzy`]'s.

use std::sync::Mutex;

use super::api::*;
use super::current::Viewed;
use super::lookup::{next, offset, pattern_length, rows};
use super::{Engine, Error, lock};
use crate::filter::Filter;
use crate::fuzzy::{self, FoundName, Fuzzy, Name, Part};
use crate::meta::{MetaError, OutlineSymbol};
use crate::model::SymbolKind;
use crate::path::RelPath;
use crate::query;
use crate::search::{self, Corpus, SearchError};
use crate::update::OnProgress;

impl Engine {
    /// Finds definitions by name.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn symbols(&self, request: &SymbolsRequest) -> Result<SymbolsReply, Error> {
        self.symbols_with_progress(request, &|_| ())
    }

    /// Finds definitions by name, and reports the progress of an index update that has to come first.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn symbols_with_progress(
        &self,
        request: &SymbolsRequest,
        progress: OnProgress<'_>,
    ) -> Result<SymbolsReply, Error> {
        rows("max_results", request.max_results, MAX_ROWS)?;
        let filter = Filter::new(&request.filter, &self.grammars)?;
        let from = offset(request.cursor.as_deref())?;
        let span =
            tracing::info_span!("code.symbols", pattern = %request.pattern, project = %self.root().display());
        let _entered = span.enter();
        pattern_length(&request.pattern)?;
        let mut wanted = Wanted::new(&request.pattern);
        let (corpus, freshness) = self.ready(progress)?;
        let corpus = &*corpus;
        let mut warnings = freshness.warnings.clone();
        let keep = from.saturating_add(request.max_results);
        let (mut found, mut total) = self.best(&wanted, corpus, &filter, keep)?;
        if found.first().is_none_or(|best| wanted.is_scattered_in(best))
            && let Some((names, near)) = wanted.near(corpus)?
        {
            let (near_found, near_total) = self.best(&near, corpus, &filter, keep)?;
            if !near_found.is_empty() {
                warnings.push(format!("no name is like '{}'; shown are {names}", request.pattern));
                (wanted, found, total) = (near, near_found, near_total);
            }
        }
        let page = found.iter().skip(from);
        let symbols =
            page.map(|found| self.symbol_row(corpus, found, &wanted)).collect::<Result<Vec<_>, _>>()?;
        Ok(self.masked_symbols(SymbolsReply {
            pattern: request.pattern.clone(),
            next: next(corpus, from.saturating_add(symbols.len()), total),
            symbols,
            total,
            snapshot: self.snapshot(Some(Viewed::of(corpus)), &freshness),
            warnings,
        }))
    }

    /// The best `keep` definitions that the filter takes, best first, and how many there are.
    fn best<'c>(
        &self,
        wanted: &Wanted,
        corpus: &'c Corpus,
        filter: &Filter,
        keep: usize,
    ) -> Result<(Vec<FoundName<'c>>, usize), Error> {
        let takes_all = filter.takes_all_files();
        let path = |file: u32| {
            let version = corpus.version(file);
            let takes = takes_all || filter.takes_file(version.path(), version.language());
            takes.then(|| version.path())
        };
        let path_of = |file: u32| corpus.version(file).path();
        let damaged: Mutex<Option<MetaError>> = Mutex::new(None);
        let each = |file: u32, take: &mut dyn FnMut(Name<'_>)| {
            let mut names = Vec::new();
            let outline = match corpus.version(file).outline(&mut names) {
                Ok(outline) => outline,
                Err(error) => {
                    lock(&damaged).get_or_insert(error);
                    return;
                }
            };
            for (place, symbol) in outline.symbols.iter().enumerate() {
                let takes_kind = match filter.kinds() {
                    Some(kinds) => kinds.contains(symbol.kind),
                    None => !matches!(symbol.kind, SymbolKind::Doc | SymbolKind::Impl),
                };
                if let Some(rank) = wanted.rank(symbol, path_of(file)).filter(|_| takes_kind) {
                    take(Name { place: place as u32, name: symbol.name, rank });
                }
            }
        };
        let n_files = corpus.n_files() as u32;
        let best = fuzzy::best_names(wanted.name.fuzzy(), (n_files, keep), path, each, search::is_aside);
        match lock(&damaged).take() {
            Some(error) => Err(SearchError::from(error).into()),
            None => Ok(best),
        }
    }

    fn symbol_row(
        &self,
        corpus: &Corpus,
        found: &FoundName<'_>,
        wanted: &Wanted,
    ) -> Result<SymbolRow, Error> {
        let version = corpus.version(found.file);
        let mut names = Vec::new();
        let outline = version.outline(&mut names).map_err(SearchError::from)?;
        let symbol = &outline.symbols[found.place as usize];
        let highlights = wanted.name.fuzzy().map_or_else(Vec::new, |name| match name.run_in(symbol.name) {
            Some(run) => vec![run],
            None => name.highlights(symbol.name, Part::Path),
        });
        Ok(SymbolRow {
            path: RelPath::new(version.path())?,
            lines: symbol.lines,
            kind: symbol.kind,
            name: symbol.name.to_string(),
            container: symbol.container.map(str::to_string),
            language: self.grammars.name(version.language()),
            highlights,
        })
    }
}

/// A parsed pattern: a name, and what has to hold it.
struct Wanted {
    name: WantedName,
    container: Option<Fuzzy>,
}

/// The name of a pattern.
enum WantedName {
    /// Any name.
    Any,
    /// Letters of a name in their order.
    Fuzzy(Box<Fuzzy>),
    /// Names as they are defined, nearest first.
    Near(Vec<String>),
}

impl Wanted {
    fn new(pattern: &str) -> Wanted {
        let (container, name) = query::split_container(pattern.trim());
        let name = Fuzzy::new(name).map_or(WantedName::Any, |name| WantedName::Fuzzy(Box::new(name)));
        Wanted { name, container: Fuzzy::new(query::split_container(container).1) }
    }

    /// How far before others a symbol stands; `None` if the symbol does not match.
    fn rank(&self, symbol: &OutlineSymbol<'_>, path: &str) -> Option<u8> {
        let by_container = match &self.container {
            Some(container) => container_rank(container, symbol, path)?,
            None => 0,
        };
        match &self.name {
            WantedName::Any | WantedName::Fuzzy(_) => Some(by_container),
            WantedName::Near(names) => {
                let place = names.iter().position(|name| name == symbol.name)?;
                Some(3u8.saturating_sub(place as u8))
            }
        }
    }

    /// Whether the letters of the pattern are scattered over a name.
    fn is_scattered_in(&self, best: &FoundName<'_>) -> bool {
        self.name.fuzzy().is_some_and(|name| best.is_scattered(name.text()))
    }

    /// The defined names nearest to the name of the pattern, as a text and as a pattern.
    fn near(&self, corpus: &Corpus) -> Result<Option<(String, Wanted)>, Error> {
        let Some(typed) = self.name.fuzzy().map(Fuzzy::text).filter(|text| text.is_ascii()) else {
            return Ok(None);
        };
        let near = search::near_names(typed, corpus)?;
        if near.is_empty() {
            return Ok(None);
        }
        let names = near.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
        Ok(Some((names, Wanted { name: WantedName::Near(near), container: self.container.clone() })))
    }
}

impl WantedName {
    fn fuzzy(&self) -> Option<&Fuzzy> {
        match self {
            WantedName::Fuzzy(name) => Some(name),
            WantedName::Any | WantedName::Near(_) => None,
        }
    }
}

/// How far before others a symbol stands by what holds it: its container in the file, or the file and folders of its
/// path, which are modules and packages. 1 for the container's own name, 0 for its letters.
fn container_rank(container: &Fuzzy, symbol: &OutlineSymbol<'_>, path: &str) -> Option<u8> {
    let (folders, file) = crate::path::split(path);
    let stem = file.split('.').next().unwrap_or(file);
    let mut modules = folders.split('/').chain([stem]);
    if symbol.container.is_some_and(|name| container.is_same(name))
        || modules.any(|name| container.is_same(name))
    {
        return Some(1);
    }
    symbol.container.filter(|name| container.takes(name)).map(|_| 0)
}
