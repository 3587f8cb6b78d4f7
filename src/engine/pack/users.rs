//! The start of a pack for known symbols or a change: the symbols, their users, and their tests.

use rustc_hash::FxHashSet;

use super::candidates::{CandidatePlace, PackCandidates, StartPlace};
use super::run::PackRun;
use crate::api::{GraphChanges, Relation};
use crate::error::Error;
use spyhop_base::text::Lines;
use spyhop_graph::{Definition, GraphEdge};

/// The most symbols of a change, and the most of its touched lines outside of symbols.
const MAX_CHANGED: usize = 40;

/// The steps from a start point to its users, and the most users.
const STEPS: u32 = 2;
const MAX_USERS: usize = 24;

/// The most tests that no use leads to.
const MAX_NAMED_TESTS: usize = 4;

/// The least confidence of a use.
const MIN_CONFIDENCE_OF_USE: f32 = 0.5;

/// The lines that are shown above and below a use outside of symbols.
const AROUND: u32 = 3;

/// The score of a start point, and the share of it that each step takes away.
const GIVEN: f32 = 0.99;
const STEP: f32 = 0.6;

/// How start points are called in the reason of a user.
#[derive(Clone, Copy)]
pub(super) enum StartKind {
    Symbol,
    Change,
}

impl StartKind {
    fn of_start(self) -> &'static str {
        match self {
            StartKind::Symbol => "given as a start point",
            StartKind::Change => "the change touches it",
        }
    }

    fn of_user(self, edge: &GraphEdge) -> String {
        let used = edge.to.qualified();
        match (self, edge.depth) {
            (StartKind::Symbol, 1) => format!("it uses {used}, a start point"),
            (StartKind::Symbol, _) => format!("it calls {used}, which uses a start point"),
            (StartKind::Change, 1) => format!("it uses {used}, which the change touches"),
            (StartKind::Change, _) => format!("it calls {used}, which uses what the change touches"),
        }
    }
}

impl PackRun<'_, '_> {
    /// Adds the symbols and the further lines that a change touches.
    pub(super) fn add_change(
        &mut self,
        candidates: &mut PackCandidates,
        changes: &GraphChanges,
    ) -> Result<(), Error> {
        let mut changed = self.graph.changed_symbols(changes)?;
        for &file in &changed.files {
            let own = candidates.of(file);
            own.evidence.is_named = true;
            own.edge.get_or_insert_with(|| StartKind::Change.of_start().to_string());
        }
        for &(file, lines) in changed.touched.iter().take(MAX_CHANGED) {
            let is_inside = |own: &Definition| own.file == file && own.lines.overlaps(lines);
            if !changed.symbols.iter().any(is_inside) {
                let place = CandidatePlace::of_lines(lines, GIVEN, StartKind::Change.of_start());
                candidates.of(file).add(CandidatePlace { start: Some(StartPlace::Given), ..place });
            }
        }
        self.units.set_touched(std::mem::take(&mut changed.touched));
        changed.symbols.truncate(MAX_CHANGED);
        self.add_start_symbols(candidates, &changed.symbols, StartKind::Change)
    }

    /// Adds start points, what uses them, and their tests.
    pub(super) fn add_start_symbols(
        &mut self,
        candidates: &mut PackCandidates,
        symbols: &[Definition],
        kind: StartKind,
    ) -> Result<(), Error> {
        for own in symbols {
            let place = CandidatePlace::led(own.lines, own.kind, own.qualified(), GIVEN, kind.of_start());
            let candidate = candidates.of(own.file);
            candidate.evidence.is_named = true;
            candidate.add(CandidatePlace { start: Some(StartPlace::Given), ..place });
        }
        if self.request.stages.graph {
            for edge in self.users(symbols)? {
                self.add_user(candidates, &edge, kind)?;
            }
        }
        Ok(())
    }

    /// The users of symbols, nearest first, and then the tests that are named after the symbols or their files.
    fn users(&mut self, symbols: &[Definition]) -> Result<Vec<GraphEdge>, Error> {
        let graph = &self.graph.graph;
        for own in symbols.iter().filter(|own| graph.is_minor(own)) {
            graph.admit_minor(&own.name, true)?;
        }
        let mut users = graph.dependents(symbols, Vec::new(), STEPS, MIN_CONFIDENCE_OF_USE, MAX_USERS)?;
        self.record.edges += users.len();
        users.truncate(MAX_USERS);
        let known: FxHashSet<u32> = users.iter().map(|edge| edge.file).collect();
        let named = graph.tests_by_name(symbols, &known)?;
        users.extend(named.into_iter().take(MAX_NAMED_TESTS));
        Ok(users)
    }

    /// Adds the symbol around a use, or the file of a use outside of symbols.
    fn add_user(
        &self,
        candidates: &mut PackCandidates,
        edge: &GraphEdge,
        kind: StartKind,
    ) -> Result<(), Error> {
        let version = self.snapshot.version(edge.file);
        if !self.answer.takes_file(version.path(), version.language()) {
            return Ok(());
        }
        let nearness = edge.confidence * STEP.powi(edge.depth as i32 - 1);
        let why = match edge.relation {
            Relation::Tests => format!("it tests {}", edge.to.qualified()),
            _ => kind.of_user(edge),
        };
        let candidate = candidates.of(edge.file);
        candidate.evidence.near = candidate.evidence.near.max(nearness);
        candidate.edge.get_or_insert_with(|| why.clone());
        let score = GIVEN * STEP * nearness;
        let place = match &edge.from {
            Some(own) => CandidatePlace::led(own.lines, own.kind, own.qualified(), score, &why),
            None => {
                let line = self.units.line_of(edge.file, edge.span.start)?;
                let lines = Lines { first: line.saturating_sub(AROUND).max(1), last: line + AROUND };
                CandidatePlace::of_lines(lines, score, &why)
            }
        };
        let start = (edge.depth == 1).then_some(StartPlace::User);
        candidates.of(edge.file).add(CandidatePlace { start, ..place });
        Ok(())
    }
}
