//! Definitions by name: by fuzzy matching, like "go to symbol" in editors, optionally with a container before the name.
//! [`fuzzy`] finds and orders the names.

use std::cell::OnceCell;
use std::sync::Mutex;

use globset::{GlobBuilder, GlobMatcher};

use super::api::*;
use super::call::Call;
use super::cancel;
use super::core::Engine;
use super::corpus::Corpus;
use super::lock::lock;
use super::lookup::{check_pattern_length, check_rows, parse_offset};
use super::operation::Operation;
use super::origin::ReplyOrigin;
use super::remote::RemoteMembers;
use super::structure;
use crate::error::Error;
use spyhop_base::model::{KindSet, Note, SymbolKind};
use spyhop_base::path::{self, RelPath};
use spyhop_base::text::Span;
use spyhop_index::meta::{MetaError, OutlineSymbol, Version};
use spyhop_search::filter::Filter;
use spyhop_search::fuzzy::{self, FileName, FoundName, Fuzzy, FuzzyWords, MatchedPart};
use spyhop_search::query;
use spyhop_search::{SearchError, SearchSnapshot};
use spyhop_syntax::grammar::Grammars;

/// Definitions by name. Equal matches of several trees are sorted by path, then by tree.
impl Operation for SymbolsRequest {
    const NAME: &'static str = "symbols";

    type Reply = SymbolsReply;

    fn paths_in_sources(&mut self) -> Vec<&mut String> {
        self.filter.path.iter_mut().collect()
    }

    fn scope(&self) -> Option<&str> {
        self.filter.path.as_deref()
    }

    fn run(&self, corpus: &Corpus, call: &Call<'_>) -> Result<SymbolsReply, Error> {
        let lookup = SymbolLookup::new(corpus.first_engine()?, self)?;
        let span = tracing::info_span!("code.symbols", pattern = %self.pattern, project = %corpus);
        let _entered = span.enter();
        if let Some(remote) = &corpus.remote {
            let found = lookup.answer(&SymbolsOfMembers(&**remote))?;
            let found = found.of(ReplyOrigin::of_remote(remote.state()));
            return Ok(SymbolsReply { complete: remote.complete(), ..found });
        }
        corpus.with_snapshot(call, |asked, snapshot| {
            let source_of = |file: u32| asked.source_of(snapshot, file);
            let mut found = lookup.answer(&SymbolsOfSnapshot { snapshot, source_of: &source_of })?;
            if let [alone] = &asked.ready[..]
                && lookup.lacks_name(&found)
            {
                found.warnings.extend(structure::mentioned_in(alone.engine, snapshot, self.pattern.trim())?);
            }
            Ok(found.of(ReplyOrigin::of_members(asked)))
        })
    }
}

impl SymbolsReply {
    /// The reply with what it says of its origin.
    fn of(self, origin: ReplyOrigin) -> SymbolsReply {
        let mut reply = SymbolsReply {
            next: origin.next(self.offset.saturating_add(self.symbols.len()), self.total),
            complete: origin.complete(),
            snapshot: origin.snapshot,
            sources: origin.sources,
            warnings: origin.warnings.into_iter().chain(self.warnings).collect(),
            ..self
        };
        reply.settle_sources();
        reply
    }
}

/// The kinds that stand in for the only kind of a request: its name, the name of the others, and the others. Languages differ in
/// which functions are methods and which types are classes.
fn similar_kinds(kinds: KindSet) -> Option<(String, &'static str, KindSet)> {
    let asked = SymbolKind::ALL.iter().copied().find(|kind| kinds == KindSet::from_iter([*kind]))?;
    if asked == SymbolKind::Fn {
        return Some(("function".to_string(), "methods", KindSet::from_iter([SymbolKind::Method])));
    }
    let types = SymbolKind::ALL.iter().copied().filter(|kind| kind.is_type_like());
    asked.is_type_like().then(|| (asked.to_string(), "types of other kinds", types.collect()))
}

/// Where definitions are looked up: the snapshot of one tree or of several, or shards.
pub(super) trait NamedSymbols {
    /// The page of the definitions of these kinds that pass the filter, best first.
    fn best(
        &self,
        lookup: &SymbolLookup<'_>,
        wanted: &SymbolPattern,
        kinds: Option<KindSet>,
    ) -> Result<FoundSymbols, Error>;

    /// The defined names nearest to a typed one, nearest first.
    fn near(&self, typed: &str) -> Result<Vec<String>, Error>;
}

/// A page of definitions.
pub(super) struct FoundSymbols {
    page: Vec<SymbolRow>,
    /// The number of matching definitions.
    total: usize,
    /// Whether the letters of the pattern are scattered over the name of the best definition.
    is_scattered: bool,
}

/// The snapshot of one tree or of several. `source_of` is the source of a file.
struct SymbolsOfSnapshot<'s> {
    snapshot: &'s SearchSnapshot,
    source_of: &'s dyn Fn(u32) -> Option<SourceName>,
}

impl NamedSymbols for SymbolsOfSnapshot<'_> {
    fn best(
        &self,
        lookup: &SymbolLookup<'_>,
        wanted: &SymbolPattern,
        kinds: Option<KindSet>,
    ) -> Result<FoundSymbols, Error> {
        let (found, total) = lookup.best((wanted, kinds), self.snapshot, lookup.keep())?;
        let page = found.get(lookup.offset..).unwrap_or_default();
        Ok(FoundSymbols {
            page: lookup.symbol_rows(self.snapshot, page, wanted, self.source_of)?,
            total,
            is_scattered: found.first().is_some_and(|best| wanted.is_scattered_in(best)),
        })
    }

    fn near(&self, typed: &str) -> Result<Vec<String>, Error> {
        Ok(spyhop_search::near_names(typed, self.snapshot)?)
    }
}

/// A part of a search for definitions: the best ones of a shard. What stands in for them if there are none is decided over all
/// shards.
#[derive(Clone, Debug)]
pub(crate) struct SymbolsInShard {
    /// The request, without a cursor and with as many rows as the page over all shards may take from one.
    pub request: SymbolsRequest,
    /// The kinds, as bits.
    pub kinds: Option<u32>,
    /// The names in place of that of the pattern.
    pub near: Option<Vec<String>>,
}

impl Operation for SymbolsInShard {
    const NAME: &'static str = "symbols_in_shard";

    type Reply = SymbolsReply;

    fn run(&self, corpus: &Corpus, call: &Call<'_>) -> Result<SymbolsReply, Error> {
        let lookup = SymbolLookup::new(corpus.first_engine()?, &self.request)?;
        let near = self.near.clone().map(|names| SymbolPattern {
            name: WantedName::Near(names),
            container: lookup.wanted.container.clone(),
        });
        let wanted = near.as_ref().unwrap_or(&lookup.wanted);
        corpus.with_snapshot(call, |_, snapshot| {
            let symbols = SymbolsOfSnapshot { snapshot, source_of: &|_| None };
            let found = symbols.best(&lookup, wanted, self.kinds.map(KindSet))?;
            Ok(lookup.reply(found, false, Vec::new()))
        })
    }
}

/// Remote members: the best of the best definitions of each.
struct SymbolsOfMembers<'m>(&'m dyn RemoteMembers);

impl NamedSymbols for SymbolsOfMembers<'_> {
    fn best(
        &self,
        lookup: &SymbolLookup<'_>,
        wanted: &SymbolPattern,
        kinds: Option<KindSet>,
    ) -> Result<FoundSymbols, Error> {
        let keep = lookup.keep();
        let max_results = if keep <= MAX_ROWS { keep } else { ALL_ROWS };
        let near = match &wanted.name {
            WantedName::Near(names) => Some(names.clone()),
            _ => None,
        };
        let request = SymbolsRequest { cursor: None, max_results, ..lookup.request.clone() };
        let part = SymbolsInShard { request, kinds: kinds.map(|kinds| kinds.0), near };
        let told: Vec<SymbolsReply> = self.0.replies_of(&part)?;
        let total = told.iter().map(|own| own.total).sum();
        // Equal names of one file keep their order.
        let rows: Vec<(u32, SymbolRow)> = told.into_iter().flat_map(|own| (0..).zip(own.symbols)).collect();
        let path = |row: u32| Some(rows[row as usize].1.path.as_str());
        let each = |row: u32, take: &mut dyn FnMut(FileName<'_>)| {
            let (place, row) = &rows[row as usize];
            let container = row.container.as_deref();
            let (name, kind, lines) = (&*row.name, row.kind, row.lines);
            let symbol = OutlineSymbol { name, kind, span: Span::default(), lines, container, parent: None };
            if let Some(rank) = wanted.rank(&symbol, wanted.is_module(row.path.as_str())) {
                take(FileName { place: *place, name, rank, is_minor: kind.is_minor() });
            }
        };
        let (name, n_rows) = (wanted.name.fuzzy(), rows.len() as u32);
        let (found, _) = fuzzy::best_names(name, (n_rows, keep), path, each, spyhop_search::is_aside);
        Ok(FoundSymbols {
            page: found.iter().skip(lookup.offset).map(|own| rows[own.file as usize].1.clone()).collect(),
            total,
            is_scattered: found.first().is_some_and(|best| wanted.is_scattered_in(best)),
        })
    }

    fn near(&self, typed: &str) -> Result<Vec<String>, Error> {
        self.0.near_names(typed)
    }
}

/// A checked request, for the snapshot of one tree or of several.
pub(super) struct SymbolLookup<'r> {
    request: &'r SymbolsRequest,
    grammars: &'r Grammars,
    filter: Filter,
    wanted: SymbolPattern,
    offset: usize,
}

impl<'r> SymbolLookup<'r> {
    pub fn new(engine: &'r Engine, request: &'r SymbolsRequest) -> Result<SymbolLookup<'r>, Error> {
        if request.max_results != ALL_ROWS {
            check_rows("max_results", request.max_results, MAX_ROWS)?;
        }
        let grammars = engine.grammars();
        let filter = Filter::new(&request.filter, grammars)?;
        let offset = parse_offset(request.cursor.as_deref())?;
        check_pattern_length(&request.pattern)?;
        let wanted = SymbolPattern::new(&request.pattern)?;
        Ok(SymbolLookup { request, grammars, filter, wanted, offset })
    }

    /// The definitions of the page, without what the reply says of its origin.
    pub fn answer(&self, symbols: &dyn NamedSymbols) -> Result<SymbolsReply, Error> {
        let (mut wanted, mut warnings, near_pattern) = (&self.wanted, Vec::new(), OnceCell::new());
        let mut found = symbols.best(self, wanted, self.filter.kinds())?;
        if found.total == 0
            && let Some((asked, shown, kinds)) = self.filter.kinds().and_then(similar_kinds)
        {
            let others = symbols.best(self, wanted, Some(kinds))?;
            let is_list = self.request.pattern.trim().is_empty();
            match others.total {
                0 => {}
                // Whoever lists a kind does not look for others.
                _ if is_list => warnings.push(format!("there is no {asked}, but there are {shown}")),
                _ => {
                    let pattern = &self.request.pattern;
                    warnings.push(format!("no {asked} matches '{pattern}'; shown are {shown}"));
                    found = others;
                }
            }
        }
        if (found.total == 0 || found.is_scattered)
            && let Some((names, near)) = wanted.near(symbols)?
        {
            let near = near_pattern.get_or_init(|| near);
            let near_found = symbols.best(self, near, self.filter.kinds())?;
            if near_found.total > 0 {
                warnings.push(format!("no name is like '{}'; shown are {names}", self.request.pattern));
                (wanted, found) = (near, near_found);
            }
        }
        let are_similar = near_pattern.get().is_some_and(|near| std::ptr::eq(wanted, near));
        Ok(self.reply(found, are_similar, warnings))
    }

    fn reply(&self, found: FoundSymbols, are_similar: bool, warnings: Vec<String>) -> SymbolsReply {
        SymbolsReply {
            pattern: self.request.pattern.clone(),
            symbols: found.page,
            total: found.total,
            are_similar,
            next: None,
            offset: self.offset,
            snapshot: Snapshot::default(),
            sources: Vec::new(),
            complete: None,
            warnings,
        }
    }

    /// The number of definitions up to the end of the page.
    fn keep(&self) -> usize {
        self.offset.saturating_add(self.request.max_results)
    }

    /// Whether the pattern is a name that no symbol of the tree is like.
    fn lacks_name(&self, reply: &SymbolsReply) -> bool {
        let name = query::split_container(self.request.pattern.trim()).1;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let is_first = self.offset == 0 && self.filter.takes_all_files();
        is_name && is_first && (reply.are_similar || reply.symbols.is_empty())
    }

    /// The best `keep` definitions of these kinds that pass the filter, best first, and the number of all matching definitions.
    fn best<'c>(
        &self,
        (wanted, kinds): (&SymbolPattern, Option<KindSet>),
        snapshot: &'c SearchSnapshot,
        keep: usize,
    ) -> Result<(Vec<FoundName<'c>>, usize), Error> {
        let filter = &self.filter;
        let takes_all = filter.takes_all_files();
        let path = |file: u32| {
            let version = snapshot.version(file);
            let takes = takes_all || filter.takes_file(version.path(), version.language());
            takes.then(|| version.path())
        };
        let damaged: Mutex<Option<MetaError>> = Mutex::new(None);
        let each = |file: u32, take: &mut dyn FnMut(FileName<'_>)| {
            if cancel::is_cancelled() {
                return;
            }
            let (version, mut names) = (snapshot.version(file), Default::default());
            let symbols = match may_define(wanted, version)
                .and_then(|may| may.then(|| all_symbols(version, &mut names)).transpose())
            {
                Ok(Some(symbols)) => symbols,
                Ok(None) => return,
                Err(error) => {
                    lock(&damaged).get_or_insert(error);
                    return;
                }
            };
            let is_in_module = wanted.is_module(snapshot.path(file));
            for (place, (symbol, _)) in symbols.iter().enumerate() {
                let takes_kind = match kinds {
                    Some(kinds) => kinds.contains(symbol.kind),
                    None => !matches!(symbol.kind, SymbolKind::Doc | SymbolKind::Impl),
                };
                if let Some(rank) = wanted.rank(symbol, is_in_module).filter(|_| takes_kind) {
                    let is_minor = symbol.kind.is_minor();
                    take(FileName { place: place as u32, name: symbol.name, rank, is_minor });
                }
            }
        };
        let n_files = snapshot.n_files() as u32;
        let best =
            fuzzy::best_names(wanted.name.fuzzy(), (n_files, keep), path, each, spyhop_search::is_aside);
        cancel::check()?;
        match lock(&damaged).take() {
            Some(error) => Err(SearchError::from(error).into()),
            None => Ok(best),
        }
    }

    /// The rows of a page. The outline of each file is read once.
    fn symbol_rows(
        &self,
        snapshot: &SearchSnapshot,
        page: &[FoundName<'_>],
        wanted: &SymbolPattern,
        source_of: &dyn Fn(u32) -> Option<SourceName>,
    ) -> Result<Vec<SymbolRow>, Error> {
        let mut by_file: Vec<(usize, &FoundName<'_>)> = page.iter().enumerate().collect();
        by_file.sort_by_key(|(_, found)| found.file);
        let mut rows = Vec::with_capacity(page.len());
        for of_file in by_file.chunk_by(|(_, one), (_, other)| one.file == other.file) {
            cancel::check()?;
            let file = of_file[0].1.file;
            let version = snapshot.version(file);
            let mut names = Default::default();
            let symbols = all_symbols(version, &mut names).map_err(SearchError::from)?;
            let is_by_rule = version.notes().any(|note| note == Note::ByRule);
            for (place, found) in of_file {
                let (symbol, is_marked) = &symbols[found.place as usize];
                let row = SymbolRow {
                    source: source_of(file),
                    path: RelPath::new(version.path())?,
                    lines: symbol.lines,
                    kind: symbol.kind,
                    name: symbol.name.to_string(),
                    container: symbol.container.map(str::to_string),
                    language: self.grammars.name(version.language()),
                    by_rule: is_by_rule || *is_marked,
                    highlights: wanted.name.highlights(symbol.name),
                };
                rows.push((*place, row));
            }
        }
        rows.sort_unstable_by_key(|(place, _)| *place);
        Ok(rows.into_iter().map(|(_, row)| row).collect())
    }
}

/// Whether a name of a file may match; certain if not. The names are stored together, so symbols without one are not decoded.
fn may_define(wanted: &SymbolPattern, version: Version<'_>) -> Result<bool, MetaError> {
    let Some(name) = wanted.name.fuzzy() else { return Ok(true) };
    Ok(name.may_take_any(version.symbol_names()?) || name.may_take_any(version.minor_names()?))
}

/// Every symbol of a file, in order, each with whether line rules found the symbol.
fn all_symbols<'n>(
    version: Version<'n>,
    (names, minor): &'n mut (Vec<u8>, Vec<u8>),
) -> Result<Vec<(OutlineSymbol<'n>, bool)>, MetaError> {
    let outline = version.outline(names)?;
    let details = version.details(&outline, minor)?;
    Ok(details.with(outline))
}

/// A parsed pattern: a name and a container.
pub(super) struct SymbolPattern {
    name: WantedName,
    container: Option<Fuzzy>,
}

/// The name of a pattern.
enum WantedName {
    /// Any name.
    Any,
    /// Letters of a name in order, with gaps.
    Fuzzy(Box<Fuzzy>),
    /// Several words, each of which must match the name or its container, and one the name.
    Words(Vec<Fuzzy>),
    /// A glob for the whole name, case-insensitive.
    Glob(Box<GlobMatcher>),
    /// The defined names nearest to the typed name, nearest first.
    Near(Vec<String>),
}

impl SymbolPattern {
    fn new(pattern: &str) -> Result<SymbolPattern, Error> {
        let pattern = pattern.trim();
        // A container stands before the first word, as in `LoginTest.rejects an empty password`.
        let first = pattern.split_whitespace().next().unwrap_or_default();
        let (container, begin) = query::split_container(first);
        let container = Fuzzy::new(query::split_container(container).1);
        let name = &pattern[first.len() - begin.len()..];
        if let Some(words) = FuzzyWords::new(name) {
            return Ok(SymbolPattern { name: WantedName::Words(words.words().to_vec()), container });
        }
        if name.contains(['*', '?', '[']) {
            let glob = GlobBuilder::new(name).case_insensitive(true).build();
            let glob = glob.map_err(|error| Error::bad(format!("pattern is '{name}': {}", error.kind())))?;
            return Ok(SymbolPattern { name: WantedName::Glob(Box::new(glob.compile_matcher())), container });
        }
        let name = Fuzzy::new(name).map_or(WantedName::Any, |name| WantedName::Fuzzy(Box::new(name)));
        Ok(SymbolPattern { name, container })
    }

    /// Whether the container is a module or package in the path.
    fn is_module(&self, path: &str) -> bool {
        let is = |container: &Fuzzy| path::modules(path).any(|module| container.is_same(module));
        self.container.as_ref().is_some_and(is)
    }

    /// The rank of a symbol, higher is better; `None` if the symbol does not match.
    fn rank(&self, symbol: &OutlineSymbol<'_>, is_in_module: bool) -> Option<u8> {
        let by_container = match &self.container {
            Some(_) if is_in_module => 1,
            Some(container) => container_rank(container, symbol.container?)?,
            None => 0,
        };
        match &self.name {
            WantedName::Any | WantedName::Fuzzy(_) => Some(by_container),
            WantedName::Words(words) => rank_of_words(words, symbol),
            WantedName::Glob(glob) => glob.is_match(symbol.name).then_some(by_container),
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

    /// The defined names nearest to the name of the pattern, as text and as a pattern.
    fn near(&self, symbols: &dyn NamedSymbols) -> Result<Option<(String, SymbolPattern)>, Error> {
        let Some(typed) = self.name.fuzzy().map(Fuzzy::text).filter(|text| text.is_ascii()) else {
            return Ok(None);
        };
        let near = symbols.near(typed)?;
        if near.is_empty() {
            return Ok(None);
        }
        let names = near.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
        Ok(Some((names, SymbolPattern { name: WantedName::Near(near), container: self.container.clone() })))
    }
}

impl WantedName {
    fn fuzzy(&self) -> Option<&Fuzzy> {
        match self {
            WantedName::Fuzzy(name) => Some(name),
            WantedName::Any | WantedName::Words(_) | WantedName::Glob(_) | WantedName::Near(_) => None,
        }
    }

    /// The matching characters of a name.
    fn highlights(&self, name: &str) -> Vec<Span> {
        let of = |word: &Fuzzy| match word.run_in(name) {
            Some(run) => vec![run],
            None => word.highlights(name, MatchedPart::Path),
        };
        match self {
            WantedName::Fuzzy(word) => of(word),
            WantedName::Words(words) => fuzzy::merge_touching(words.iter().flat_map(of).collect()),
            WantedName::Any | WantedName::Glob(_) | WantedName::Near(_) => Vec::new(),
        }
    }
}

/// The rank of a symbol by several words: 3 if the name has each word as a run, 2 if the name or its container has, 1 if
/// the name has the letters of each word, 0 if some only match the container; `None` if a word matches neither.
fn rank_of_words(words: &[Fuzzy], symbol: &OutlineSymbol<'_>) -> Option<u8> {
    let (mut runs, mut all_runs, mut letters) = (true, true, true);
    let mut in_name = false;
    for word in words {
        let has_run = |text: &str| word.run_in(text).is_some();
        let has_letters = word.takes(symbol.name);
        if !has_letters && !symbol.container.is_some_and(|container| word.takes(container)) {
            return None;
        }
        in_name |= has_letters;
        letters &= has_letters;
        runs &= has_run(symbol.name);
        all_runs &= has_run(symbol.name) || symbol.container.is_some_and(has_run);
    }
    let rank = match () {
        () if runs => 3,
        () if all_runs => 2,
        () if letters => 1,
        () => 0,
    };
    in_name.then_some(rank)
}

/// The rank of a symbol by its container: 1 if the container has the typed name, 0 if it only has its letters.
fn container_rank(container: &Fuzzy, holder: &str) -> Option<u8> {
    match container.is_same(holder) {
        true => Some(1),
        false => container.takes(holder).then_some(0),
    }
}
