//! Every use in a file with its meanings, for comparisons of the graph with the references of other tools.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::files::Graph;
use super::questions::GraphEdge;
use spyhop_base::text::Span;
use spyhop_search::SearchError;

impl Graph<'_> {
    /// The text of a file, if its content is still the indexed content.
    pub fn text_of(&self, file: u32) -> Option<Arc<String>> {
        self.text(file)
    }

    /// The edges of every use in a file, in the order of the uses.
    pub fn uses_in(&self, file: u32) -> Result<Vec<GraphEdge>, SearchError> {
        let Some(facts) = self.facts(file) else { return Ok(Vec::new()) };
        let bound = facts.imports.iter().flat_map(|import| &import.bindings);
        let bound: FxHashSet<&str> = bound.map(|binding| &*binding.local).collect();
        let mut failed = None;
        let mentions = facts.mentions_where(self.family(file), Span::new(0, facts.text.len()), |name| {
            let defined = self.definitions(name).map(|found| !found.is_empty());
            bound.contains(name) || defined.unwrap_or_else(|error| failed.replace(error).is_some())
        });
        if let Some(error) = failed {
            return Err(error);
        }
        let mut uses = facts.uses.clone();
        uses.extend(mentions);
        uses.sort_by_key(|used| used.span.start);
        let mut edges = Vec::new();
        for used in &uses {
            edges.extend(self.edges(file, &facts, used, 1)?);
        }
        Ok(edges)
    }
}
