//! The edges of one step around a unit, the tests that cover the unit, and the imports that the units of a file need.

use rustc_hash::FxHashSet;

use super::run::PackRun;
use super::units::UnitExtent;
use crate::api::*;
use crate::error::Error;
use spyhop_base::path::RelPath;
use spyhop_base::text::Lines;
use spyhop_context::pack::{tokens_of_bytes, trace_line};
use spyhop_graph::{Definition, GraphEdge};

/// The most callees, callers and tests of a unit.
const MAX_OF_KIND: usize = 4;

/// The least confidence of an edge that is shown.
pub(crate) const MIN_CONFIDENCE: f32 = 0.6;

/// The most import statements of a file.
const MAX_IMPORTS: usize = 10;

impl PackRun<'_, '_> {
    /// The callees, callers and tests of a unit, each a few, and the number of edges that were followed for them.
    pub(super) fn traces(&self, file: u32, unit: &UnitExtent) -> Result<(Vec<PackTrace>, usize), Error> {
        let Some(own) = self.definition_of(file, unit)? else { return Ok((Vec::new(), 0)) };
        let graph = &self.graph.graph;
        let (callees, users) = self.edges_of(&own)?;
        let edges = callees.len() + users.len();
        let is_test = |edge: &&GraphEdge| graph.is_test(edge.file, edge.from.as_ref());
        let (tests, callers): (Vec<&GraphEdge>, Vec<&GraphEdge>) = users.iter().partition(is_test);
        let mut traces = Vec::new();
        self.add_traces(&mut traces, callees.iter().collect(), true, None)?;
        self.add_traces(&mut traces, callers, false, None)?;
        let known = traces.len();
        self.add_traces(&mut traces, tests, false, Some(Relation::Tests))?;
        if traces.len() == known {
            let named = graph.tests_by_name(std::slice::from_ref(&own), &FxHashSet::default())?;
            self.add_traces(&mut traces, named.iter().collect(), false, Some(Relation::Tests))?;
        }
        Ok((traces, edges))
    }

    /// The definition that a unit shows.
    pub(super) fn definition_of(&self, file: u32, unit: &UnitExtent) -> Result<Option<Definition>, Error> {
        let is_unit = |own: &Definition| {
            unit.lines.first <= own.lines.first
                && own.lines.last <= unit.lines.last
                && unit.symbol.as_deref() == Some(&*own.qualified())
        };
        Ok(self.graph.graph.symbols(file)?.into_iter().find(is_unit))
    }

    /// The callees of a definition, and its uses.
    pub(super) fn edges_of(&self, own: &Definition) -> Result<(Vec<GraphEdge>, Vec<GraphEdge>), Error> {
        let graph = &self.graph.graph;
        let callees = if own.kind.is_function() { graph.callees(own)? } else { Vec::new() };
        let users = graph.uses_of(std::slice::from_ref(own), 1, |relation| {
            matches!(relation, Relation::Calls | Relation::References)
        })?;
        Ok((callees, users))
    }

    /// Adds the most certain edges of one kind, one for each other end.
    fn add_traces(
        &self,
        traces: &mut Vec<PackTrace>,
        mut edges: Vec<&GraphEdge>,
        is_outgoing: bool,
        relation: Option<Relation>,
    ) -> Result<(), Error> {
        let least = if relation == Some(Relation::Tests) { 0.0 } else { MIN_CONFIDENCE };
        edges.retain(|edge| edge.confidence >= least);
        edges.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
        let mut seen: FxHashSet<(u32, Option<u32>)> = FxHashSet::default();
        for edge in edges {
            let end = if is_outgoing { Some(&edge.to) } else { edge.from.as_ref() };
            let file = if is_outgoing { edge.to.file } else { edge.file };
            let is_itself = edge.from.as_ref().is_some_and(|from| from.is(&edge.to));
            if is_itself || !seen.insert((file, end.map(|own| own.place))) {
                continue;
            }
            let line = match end {
                Some(own) => own.lines.first,
                None => self.units.line_of(file, edge.span.start)?,
            };
            traces.push(PackTrace {
                relation: relation.unwrap_or(edge.relation),
                is_outgoing,
                symbol: end.map(Definition::qualified),
                path: RelPath::new(self.snapshot.path(file))?,
                line,
                confidence: edge.confidence,
            });
            if seen.len() == MAX_OF_KIND {
                break;
            }
        }
        Ok(())
    }

    /// The import statements that bind a word of the units of a file, outside of these units.
    pub(super) fn imports_of_units(&self, file: u32, units: &[Lines]) -> Result<Vec<PackLine>, Error> {
        let texts = units.iter().map(|lines| self.units.raw(file, *lines));
        let texts = texts.collect::<Result<Vec<String>, Error>>()?;
        let is_sign = |c: char| c != '_' && c != '$' && !c.is_alphanumeric();
        let words: FxHashSet<&str> = texts.iter().flat_map(|text| text.split(is_sign)).collect();
        let mut lines: Vec<PackLine> = Vec::new();
        for start in self.graph.graph.imports_binding(file, &words).into_iter().take(MAX_IMPORTS) {
            for line in self.units.statement(file, start)? {
                let is_inside = units.iter().any(|own| own.first <= line.line && line.line <= own.last);
                let is_known = lines.last().is_some_and(|last| last.line >= line.line);
                if !is_inside && !is_known {
                    lines.push(line);
                }
            }
        }
        Ok(lines)
    }
}

/// The tokens of traces.
pub(crate) fn tokens_of_traces(traces: &[PackTrace]) -> usize {
    let line = |trace: &PackTrace| {
        trace_line(trace.words(), trace.symbol.as_deref(), trace.path.as_str(), trace.line)
    };
    tokens_of_bytes(traces.iter().map(|trace| line(trace).len() + 1).sum())
}
