//! Definitions by name: fuzzy as editors' "go to symbol" is, with the container before the name if it is typed.
//! How names are found and ordered is [`fuzzy`]'s.

use std::sync::Mutex;

use super::api::*;
use super::current::Viewed;
use super::lookup::{next, offset, rows};
use super::{Engine, Error, lock};
use crate::filter::Filter;
use crate::fuzzy::{self, FoundName, Fuzzy, Name, Part};
use crate::meta::{MetaError, OutlineSymbol};
use crate::model::SymbolKind;
use crate::path::RelPath;
use crate::search::{self, Corpus, SearchError};
use crate::update::OnProgress;

/// A longer pattern is refused.
const MAX_PATTERN_CHARS: usize = 1_000;

/// What stands between a container and a name.
const SEPARATORS: &[&str] = &["::", "->", ".", "#", "/"];

impl Engine {
    /// Finds definitions by name.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn symbols(&self, request: &SymbolsRequest) -> Result<SymbolsReply, Error> {
        self.symbols_with_progress(request, &|_| ())
    }

    /// The same, telling how far an index update is that has to come first.
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
        let mut wanted = Wanted::new(&request.pattern)?;
        let (corpus, freshness) = self.ready(progress)?;
        let corpus = &*corpus;
        let mut warnings = freshness.warnings.clone();
        let keep = from.saturating_add(request.max_results);
        let (mut found, mut total) = self.best(&wanted, corpus, &filter, keep)?;
        if found.first().is_none_or(|best| wanted.is_scattered_in(best))
            && let Some(near) = wanted.near(corpus)?
        {
            let names = near.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
            warnings.push(format!("no name is like '{}'; shown are {names}", request.pattern));
            wanted = Wanted::Near(near);
            (found, total) = self.best(&wanted, corpus, &filter, keep)?;
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
                if let Some(rank) = wanted.rank(symbol).filter(|_| takes_kind) {
                    take(Name { place: place as u32, name: symbol.name, rank });
                }
            }
        };
        let fuzzy = match wanted {
            Wanted::Fuzzy { name, .. } => name.as_deref(),
            Wanted::Near(_) => None,
        };
        let n_files = corpus.n_files() as u32;
        let best = fuzzy::best_names(fuzzy, (n_files, keep), path, each, search::is_aside);
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
        let highlights = match wanted {
            Wanted::Fuzzy { name: Some(name), .. } => name.highlights(symbol.name, Part::Path),
            _ => Vec::new(),
        };
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

/// What is looked for.
enum Wanted {
    /// Letters of a name, and of what holds it.
    Fuzzy { name: Option<Box<Fuzzy>>, container: Option<Box<Fuzzy>> },
    /// Names as they are defined, nearest first.
    Near(Vec<String>),
}

impl Wanted {
    fn new(pattern: &str) -> Result<Wanted, Error> {
        let chars = pattern.chars().count();
        if chars > MAX_PATTERN_CHARS {
            return Err(Error::bad(format!(
                "pattern has {chars} characters; {MAX_PATTERN_CHARS} are the most"
            )));
        }
        let pattern = pattern.trim();
        let split = SEPARATORS.iter().filter_map(|sign| Some((pattern.rfind(sign)?, sign.len()))).max();
        let (container, name) = match split {
            Some((at, len)) if !pattern[at + len..].is_empty() => (&pattern[..at], &pattern[at + len..]),
            _ => ("", pattern),
        };
        let fuzzy = |text: &str| Fuzzy::new(text).map(Box::new);
        Ok(Wanted::Fuzzy { name: fuzzy(name), container: fuzzy(last_name(container)) })
    }

    /// How far before others a symbol stands; `None` where it is not looked for.
    fn rank(&self, symbol: &OutlineSymbol<'_>) -> Option<u8> {
        match self {
            Wanted::Fuzzy { container: None, .. } => Some(0),
            Wanted::Fuzzy { container: Some(container), .. } => {
                let held_by = symbol.container.filter(|name| container.takes(name))?;
                Some(u8::from(container.is_same(held_by)))
            }
            Wanted::Near(names) => {
                let place = names.iter().position(|name| name == symbol.name)?;
                Some(3u8.saturating_sub(place as u8))
            }
        }
    }

    /// Whether the letters of the pattern are scattered over a name.
    fn is_scattered_in(&self, best: &FoundName<'_>) -> bool {
        match self {
            Wanted::Fuzzy { name: Some(name), .. } => best.is_scattered(name.text()),
            _ => false,
        }
    }

    /// The defined names that are nearest to a single name.
    fn near(&self, corpus: &Corpus) -> Result<Option<Vec<String>>, Error> {
        let Wanted::Fuzzy { name: Some(name), container: None } = self else { return Ok(None) };
        let typed = name.text();
        if !typed.is_ascii() {
            return Ok(None);
        }
        let near = search::near_names(typed, corpus)?;
        Ok(Some(near).filter(|near| !near.is_empty()))
    }
}

/// The last of several containers.
fn last_name(container: &str) -> &str {
    let ends = SEPARATORS.iter().filter_map(|sign| Some(container.rfind(sign)? + sign.len()));
    &container[ends.max().unwrap_or(0)..]
}
