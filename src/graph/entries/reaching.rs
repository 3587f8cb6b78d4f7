//! The routes and commands that reach definitions: those whose handler is a definition, or calls one transitively.

use rustc_hash::{FxHashMap, FxHashSet};

use super::collect::EntryPoint;
use super::framework::EntryKind;
use crate::definition::Definition;
use crate::files::Graph;
use crate::questions::GraphEdge;
use spyhop_search::SearchError;

/// A route or command that reaches a definition.
#[derive(Clone, Debug)]
pub struct ReachedEntry {
    /// The route or command.
    pub entry: EntryPoint,
    /// The number of calls from the handler to the definition; 0 if the handler is the definition.
    pub depth: u32,
    /// The estimated probability of the whole chain, 0 to 1.
    pub confidence: f32,
}

impl Graph<'_> {
    /// The entries of `kinds` that reach `wanted`, nearest first. `dependents` are those of `wanted`, as
    /// [`Graph::dependents`] gives them, with the confidence of the whole chain: the depth and the budget of that question
    /// bound the answer.
    pub fn reaching(
        &self,
        wanted: &[Definition],
        dependents: &[GraphEdge],
        kinds: &[EntryKind],
    ) -> Result<Vec<ReachedEntry>, SearchError> {
        let mut reached: FxHashMap<(u32, u32), (u32, f32)> = FxHashMap::default();
        for definition in wanted {
            reached.insert((definition.file, definition.place), (0, 1.0));
        }
        let mut edges: Vec<&GraphEdge> = dependents.iter().collect();
        edges.sort_by_key(|edge| edge.depth);
        for edge in &edges {
            let Some(from) = &edge.from else { continue };
            let route = (edge.depth, edge.confidence);
            let known = reached.entry((from.file, from.place)).or_insert(route);
            known.1 = if known.0 == route.0 { known.1.max(route.1) } else { known.1 };
        }
        let users = edges.iter().filter_map(|edge| edge.from.as_ref());
        let names: FxHashSet<&str> = wanted.iter().chain(users).map(|own| &*own.name).collect();
        let mut found = Vec::new();
        for &kind in kinds {
            for entry in self.entries_by_handler(kind, &|name| names.contains(name))?.entries {
                let by_handler = entry.handler.definition.as_ref().and_then(|definition| {
                    reached.get(&(definition.file, definition.place)).map(|(depth, sure)| (*depth, *sure))
                });
                // Code inside of the declaration calls the definition, or a file that the entry runs does.
                let by_code = || {
                    let is_inside = |edge: &&&GraphEdge| {
                        let is_inline = entry.handler.definition.is_none() && entry.handler.file.is_none();
                        let in_code = is_inline && edge.file == entry.file && entry.span.contains(edge.span);
                        let in_file = entry.handler.file == Some(edge.file) && edge.from.is_none();
                        in_code || in_file
                    };
                    let edge = edges.iter().find(is_inside)?;
                    Some((edge.depth, edge.confidence))
                };
                if let Some((depth, confidence)) = by_handler.or_else(by_code) {
                    let confidence = confidence * entry.handler.confidence;
                    found.push(ReachedEntry { entry, depth, confidence });
                }
            }
        }
        found.sort_by(|a, b| a.depth.cmp(&b.depth).then_with(|| b.confidence.total_cmp(&a.confidence)));
        Ok(found)
    }
}
