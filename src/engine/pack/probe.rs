//! The searches for the task and its goals, the regions of the goals, and the mode.

use super::candidates::PackCandidates;
use super::run::PackRun;
use crate::api::*;
use crate::error::Error;
use spyhop_base::path::RelPath;
use spyhop_context::goals::{
    Goal, GoalHead, GoalRegion, GoalRegions, HeadFile, PackMode, ProbeFigures, asks_only_for_review,
    chosen_mode, demands, regions,
};
use spyhop_search::SearchSnapshot;

/// The places that a search for the whole task and for one of several goals gives.
const OF_TASK: usize = 100;
const OF_GOAL: usize = 40;

/// The places of the plain search without any stage.
const OF_PLAIN: usize = 50;

/// The files by which goals are compared.
const HEAD: usize = 5;

impl PackRun<'_, '_> {
    /// Searches for the whole task, and for each of several goals. A task such as "review the change" has no words of the code
    /// that is changed.
    pub(super) fn probe(&mut self, goals: &[Goal], candidates: &mut PackCandidates) -> Result<(), Error> {
        if self.request.changes.is_some() && asks_only_for_review(&self.request.task) {
            self.record.places_per_search.push(0);
            return Ok(());
        }
        let is_only = goals.len() == 1;
        let most = if self.request.stages.weighing { OF_TASK } else { OF_PLAIN };
        let places = self.answer.places(self.query, most)?;
        self.record.places_per_search.push(places.len());
        candidates.add(places, None, is_only);
        for (goal, asked) in goals.iter().enumerate().filter(|_| !is_only) {
            let places = match self.answer.engine().parsers().query(&asked.text) {
                Ok(query) => self.answer.places(&query, OF_GOAL)?,
                Err(_) => Vec::new(),
            };
            self.record.places_per_search.push(places.len());
            candidates.add(places, Some(goal), false);
        }
        Ok(())
    }

    /// Divides the goals into regions and chooses the mode.
    pub(super) fn choose_mode(&mut self, goals: &[Goal], candidates: &PackCandidates) -> Result<(), Error> {
        let heads: Vec<GoalHead<'_>> = {
            let snapshot = self.snapshot;
            (0..goals.len()).map(|goal| head(snapshot, goal, candidates)).collect()
        };
        let found = match self.request.stages.regions {
            true => {
                let linked = |one, other| self.imports(one, other) || self.imports(other, one);
                regions(goals, &heads, &linked, self.request.helpers.clusterer.as_deref())
            }
            false => {
                let alone = |goal| GoalRegion { goals: vec![goal], mass: 0.0 };
                GoalRegions { all: (0..goals.len()).map(alone).collect(), pairs: Vec::new() }
            }
        };
        let scores = || candidates.by_file.values().filter_map(|own| own.places.first());
        let best = scores().map(|place| place.score).fold(0.0, f32::max);
        let rivals = scores().filter(|place| place.score >= 0.5 * best).count().saturating_sub(1);
        let figures = ProbeFigures {
            goals: goals.len(),
            regions: found.all.len(),
            has_verb: goals.iter().any(|goal| goal.verb.is_some()) || demands(&self.request.task),
            words: self.query.n_words,
            best,
            rivals,
        };
        let prunes = self.request.stages.prune;
        let (mode, reason) = chosen_mode(self.request.pack_mode, prunes, &figures);
        (self.record.pack_mode, self.record.mode_reason) = (mode, reason);
        for region in &found.all {
            let files = region.goals.iter().flat_map(|goal| &heads[*goal].files);
            let mut files: Vec<RelPath> =
                files.map(|file| RelPath::new(file.path)).collect::<Result<_, _>>()?;
            files.sort();
            files.dedup();
            self.record.regions.push(PackRegion { goals: region.goals.clone(), mass: region.mass, files });
        }
        self.record.pairs = found
            .pairs
            .iter()
            .map(|pair| PackPair {
                first: pair.first,
                second: pair.second,
                nearness: pair.nearness,
                reason: pair.reason.name(),
                is_merged: pair.is_merged,
            })
            .collect();
        Ok(())
    }

    /// Whether a file imports another one.
    fn imports(&self, from: u32, to: u32) -> bool {
        self.request.stages.graph && self.imports_read(from).binary_search(&to).is_ok()
    }

    /// Whether files of other regions than the primary one are left out.
    pub(super) fn commits_to_region(&self) -> bool {
        self.record.pack_mode == PackMode::Focused && self.record.regions.len() > 1
    }
}

/// The first files of a goal.
fn head<'c>(snapshot: &'c SearchSnapshot, goal: usize, candidates: &'c PackCandidates) -> GoalHead<'c> {
    let mut files: Vec<HeadFile<'c>> = Vec::new();
    for own in candidates.by_file.values() {
        let of_goal = own.places.iter().find(|place| place.goals.contains(&goal));
        if let Some(place) = of_goal {
            let (path, symbol) = (snapshot.path(own.file), place.symbol.as_deref());
            files.push(HeadFile { file: own.file, path, symbol, weight: place.score });
        }
    }
    files.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.path.cmp(b.path)));
    files.truncate(HEAD);
    GoalHead { files }
}
