//! Definitions by name over shards: the best of the best definitions of each.

use super::{FoundSymbols, NamedSymbols, SymbolLookup, SymbolPattern, SymbolsOfSnapshot, WantedName};
use crate::api::*;
use crate::call::Call;
use crate::corpus::Corpus;
use crate::error::Error;
use crate::federated::AskedShards;
use crate::operation::Operation;
use spyhop_base::model::KindSet;
use spyhop_base::text::Span;
use spyhop_index::meta::OutlineSymbol;
use spyhop_search::fuzzy::{self, FileName};

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

impl NamedSymbols for AskedShards {
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
        let told = self.answers(&SymbolsInShard { request, kinds: kinds.map(|kinds| kinds.0), near })?;
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
        self.near_names(typed)
    }
}
