//! The shortest paths of calls from one symbol to another.

use rustc_hash::{FxHashMap, FxHashSet};

use super::files::{Graph, SymbolKey};
use super::questions::GraphEdge;
use crate::definition::Definition;
use spyhop_search::SearchError;

/// The most symbols whose calls are followed.
const MAX_SYMBOLS: usize = 2_000;

fn symbol(definition: &Definition) -> SymbolKey {
    (definition.file, definition.place)
}

/// A call on a shortest path to a symbol, with the symbol from which the path comes.
#[derive(Clone)]
struct PathStep {
    from: SymbolKey,
    edge: GraphEdge,
}

impl Graph<'_> {
    /// The shortest paths of calls from one of `from` to one of `to`, with at most `depth` calls, the most certain paths
    /// first, at most `most`. Calls below the confidence `least` are not followed.
    pub fn paths_between(
        &self,
        from: &[Definition],
        to: &[Definition],
        depth: u32,
        least: f32,
        most: usize,
    ) -> Result<Vec<Vec<GraphEdge>>, SearchError> {
        let ends: FxHashSet<SymbolKey> = to.iter().map(symbol).collect();
        let mut levels: FxHashMap<SymbolKey, u32> = from.iter().map(|start| (symbol(start), 0)).collect();
        let mut steps: FxHashMap<SymbolKey, Vec<PathStep>> = FxHashMap::default();
        let mut wave = from.to_vec();
        for step in 1..=depth {
            let mut next: Vec<Definition> = Vec::new();
            for caller in &wave {
                if self.steps.is_ended() {
                    return Ok(Vec::new());
                }
                let mut called: FxHashSet<SymbolKey> = FxHashSet::default();
                for mut edge in self.callees(caller)? {
                    if caller.kind.is_type_like() && !is_constructor(caller, &edge) {
                        continue;
                    }
                    let target = symbol(&edge.to);
                    if edge.confidence < least || *levels.entry(target).or_insert(step) != step {
                        continue;
                    }
                    // Of the calls of one function by another, the first is shown.
                    if !called.insert(target) {
                        continue;
                    }
                    if !steps.contains_key(&target) {
                        next.push(edge.to.clone());
                    }
                    edge.depth = step;
                    steps.entry(target).or_default().push(PathStep { from: symbol(caller), edge });
                }
            }
            if next.iter().any(|callee| ends.contains(&symbol(callee))) {
                let reached = next.iter().map(symbol).filter(|end| ends.contains(end));
                let mut paths: Vec<Vec<GraphEdge>> = Vec::new();
                reached.for_each(|end| walk_back(&steps, end, step, &mut Vec::new(), most, &mut paths));
                let certainty =
                    |path: &Vec<GraphEdge>| path.iter().map(|edge| edge.confidence).product::<f32>();
                paths.sort_by(|a, b| certainty(b).total_cmp(&certainty(a)));
                return Ok(paths);
            }
            wave = next;
            if wave.is_empty() || levels.len() > MAX_SYMBOLS {
                break;
            }
        }
        Ok(Vec::new())
    }
}

/// Whether a call in a type is made when a value of the type is made: a call of the type reaches no other member.
fn is_constructor(class: &Definition, edge: &GraphEdge) -> bool {
    let is_named = |from: &Definition| {
        matches!(&*from.name, "__init__" | "__new__" | "__post_init__" | "constructor" | "new")
            || from.name == class.name
    };
    edge.from.as_ref().is_some_and(is_named)
}

/// Adds the paths that end with a step to `end`, which is `left` steps from the beginning.
fn walk_back(
    steps: &FxHashMap<SymbolKey, Vec<PathStep>>,
    end: SymbolKey,
    left: u32,
    tail: &mut Vec<GraphEdge>,
    most: usize,
    paths: &mut Vec<Vec<GraphEdge>>,
) {
    if paths.len() >= most {
        return;
    }
    if left == 0 {
        paths.push(tail.iter().rev().cloned().collect());
        return;
    }
    for step in steps.get(&end).into_iter().flatten().filter(|step| step.edge.depth == left) {
        tail.push(step.edge.clone());
        walk_back(steps, step.from, left - 1, tail, most, paths);
        tail.pop();
    }
}
