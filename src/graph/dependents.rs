//! The dependents of definitions: the symbols that reach them through uses, nearest first. `impact.rs` of the crate `engine`
//! makes the reply of `impact` from them, with its warnings.

use std::cmp::Ordering;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::files::{Graph, SymbolKey};
use super::questions::{GraphEdge, Relation};
use crate::definition::Definition;
use spyhop_base::model::SymbolKind;
use spyhop_search::SearchError;

/// The most definitions whose implementations count as dependents.
const MAX_IMPLEMENTED: usize = 12;

/// The share of the calls of a method that reach one of its overrides: an estimate.
const BY_OVERRIDE: f32 = 0.5;

/// The user of an edge; the code outside of the symbols of a file has a separate number.
fn symbol_of(edge: &GraphEdge) -> SymbolKey {
    (edge.file, edge.from.as_ref().map_or(u32::MAX, |from| from.place))
}

impl Graph<'_> {
    /// The symbols that depend on `changed`, through at most `depth` steps: users of the definitions, then those that call the
    /// functions among them or hand them on as a value, and so on. Each dependent has one edge, its most certain one; the
    /// confidence is the product of those of the steps. Dependents below the confidence `least` are neither listed nor
    /// followed. No further step is taken after `most` dependents. `first` are uses of what was removed, which are all listed.
    pub fn dependents(
        &self,
        changed: &[Definition],
        first: Vec<GraphEdge>,
        depth: u32,
        least: f32,
        most: usize,
    ) -> Result<Vec<GraphEdge>, SearchError> {
        let mut known: FxHashMap<SymbolKey, f32> =
            changed.iter().map(|definition| ((definition.file, definition.place), 1.0)).collect();
        let mut dependents = first;
        dependents.retain(|edge| edge.confidence >= least);
        dependents.sort_by(|a, b| self.precedes(a, b));
        for edge in &dependents {
            known.entry(symbol_of(edge)).or_insert(edge.confidence);
        }
        let mut wave = changed.to_vec();
        self.add_overridden(&mut wave, &mut known)?;
        for step in 1..=depth {
            let is_first = step == 1;
            let follows_values = self.looks_for_values(step, &wave);
            let takes =
                |relation| relation == Relation::Calls || follows_values && relation == Relation::References;
            let mut found = self.uses_of(&wave, step, takes)?;
            found.retain(|edge| is_first || edge.relation == Relation::Calls || edge.is_value);
            if is_first && changed.len() <= MAX_IMPLEMENTED {
                for definition in changed {
                    found.extend(self.implementations(definition, 1)?);
                }
            }
            let mut nearest: FxHashMap<SymbolKey, GraphEdge> = FxHashMap::default();
            for mut edge in found {
                let symbol = symbol_of(&edge);
                edge.confidence *= known.get(&(edge.to.file, edge.to.place)).copied().unwrap_or(1.0);
                if edge.confidence < least || known.contains_key(&symbol) {
                    continue;
                }
                if nearest.get(&symbol).is_none_or(|best| self.precedes(&edge, best) == Ordering::Less) {
                    nearest.insert(symbol, edge);
                }
            }
            let mut nearest: Vec<GraphEdge> = nearest.into_values().collect();
            nearest.sort_by(|a, b| self.precedes(a, b));
            known.extend(nearest.iter().map(|edge| (symbol_of(edge), edge.confidence)));
            let broken = if is_first { dependents.as_slice() } else { &[] };
            // A constant may be what a function makes of the function that it is given: `const Wide = wide(Grid)`.
            let leads_on = |edge: &&GraphEdge, from: &Definition| {
                from.kind.is_function() || edge.is_value && from.kind == SymbolKind::Const
            };
            let users = broken.iter().chain(&nearest);
            wave = users.filter_map(|edge| edge.from.clone().filter(|from| leads_on(&edge, from))).collect();
            wave.sort_by_key(|from| (from.file, from.place));
            wave.dedup_by_key(|from| (from.file, from.place));
            dependents.extend(nearest);
            self.add_overridden(&mut wave, &mut known)?;
            if wave.is_empty() || dependents.len() >= most {
                break;
            }
        }
        self.count_unfollowed(&wave);
        Ok(dependents)
    }

    /// Adds the methods of base types that methods override: who calls one of them may reach the override.
    fn add_overridden(
        &self,
        wave: &mut Vec<Definition>,
        known: &mut FxHashMap<SymbolKey, f32>,
    ) -> Result<(), SearchError> {
        for own in wave.clone() {
            let confidence = known.get(&(own.file, own.place)).copied().unwrap_or(1.0) * BY_OVERRIDE;
            for base in self.overridden(&own)? {
                if let Entry::Vacant(new) = known.entry((base.file, base.place)) {
                    new.insert(confidence);
                    wave.push(base);
                }
            }
        }
        Ok(())
    }

    fn precedes(&self, a: &GraphEdge, b: &GraphEdge) -> Ordering {
        let place = |edge: &GraphEdge| (self.snapshot.path(edge.file).to_string(), edge.span.start);
        b.confidence.total_cmp(&a.confidence).then_with(|| place(a).cmp(&place(b)))
    }
}
