//! What a pack adds to the files that were taken: further units, traces and imports of core files, the backup, and what
//! else is worth its tokens.

use rustc_hash::FxHashSet;

use super::candidates::{CandidatePlace, PackCandidate};
use super::filling::{Filling, Pick, unit_tokens};
use super::run::PackRun;
use super::traces::tokens_of_traces;
use crate::api::*;
use crate::error::Error;
use spyhop_base::path::{self, RelPath};
use spyhop_base::text::Lines;
use spyhop_context::goals::PackMode;
use spyhop_context::pack::{is_core, tokens_of_bytes, worth};

/// The most core files, and further units of one of them.
const MAX_CORE: usize = 5;
const MAX_FURTHER: usize = 3;

/// The share of the score of a file's best place that its further units have at least.
pub(crate) const FURTHER_SHARE: f32 = 0.15;

/// The share of the budget up to which a pack is filled with what is worth most for its tokens.
const FILLED: f32 = 0.85;

/// The probability below which a file is noise, however much of the budget is left.
const NOISE: f32 = 0.02;

/// The most units with traces.
const MAX_TRACED: usize = 2;

impl PackRun<'_, '_> {
    /// Adds to the core files further units, traces, and the imports that their units need.
    pub(super) fn deepen(&mut self, filling: &mut Filling<'_>) -> Result<(), Error> {
        let first = filling.drafts.iter().map(|draft| draft.probability).fold(0.0, f32::max);
        let core: Vec<usize> = (0..filling.drafts.len())
            .filter(|at| {
                let draft = &filling.drafts[*at];
                is_core(draft.probability, first) || !draft.candidate.leads.is_empty()
            })
            .take(MAX_CORE)
            .collect();
        self.add_further_units(filling, &core)?;
        if self.request.stages.graph {
            for &at in core.iter().take(MAX_TRACED) {
                self.add_traces_of(filling, at, usize::MAX)?;
            }
            self.add_imports(filling, &core)?;
        }
        Ok(())
    }

    /// Adds further units to core files.
    fn add_further_units(&self, filling: &mut Filling<'_>, core: &[usize]) -> Result<(), Error> {
        if self.record.pack_mode == PackMode::NavigationPrune {
            return Ok(());
        }
        for &at in core {
            let (own, probability) = (filling.drafts[at].candidate, filling.drafts[at].probability);
            let mut further = 0;
            for place in further_places(own) {
                if further < MAX_FURTHER && !filling.has(own.file, place) {
                    let pick = Pick { own, place, probability, is_backup: false };
                    further += usize::from(self.take(filling, pick)?);
                }
            }
        }
        Ok(())
    }

    /// Fills most of the budget with what is worth most for its tokens: further units of the files of the pack, and further
    /// files. Long units are shown as wholes in the end, if there is room.
    pub(super) fn fill_up<'c>(
        &self,
        filling: &mut Filling<'c>,
        wanted: &[(&'c PackCandidate, f32)],
    ) -> Result<(), Error> {
        let is_filled = |filling: &Filling<'_>, budget: usize| {
            filling.is_full || filling.budget.left() as f32 <= (1.0 - FILLED) * budget as f32
        };
        let mut picks: Vec<(f32, Pick<'c>)> = Vec::new();
        for &(own, probability) in wanted {
            let best = own.places.first().map_or(0.0, |place| place.score);
            let is_in_pack = filling.draft_of(own.file).is_some();
            let places: Vec<&CandidatePlace> = match is_in_pack {
                true => further_places(own).collect(),
                false if probability >= NOISE => self.by_worth(own)?.into_iter().take(1).collect(),
                false => Vec::new(),
            };
            for place in places {
                let tokens = self.units.extent(own.file, place)?.map_or(0, |extent| extent.tokens);
                let worth = if is_in_pack { worth(place.score, best, tokens) } else { 1.0 };
                picks.push((probability * worth, Pick { own, place, probability, is_backup: false }));
            }
        }
        picks.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (_, pick) in picks {
            if is_filled(filling, self.request.budget) {
                return Ok(());
            }
            if !filling.has(pick.own.file, pick.place) {
                self.take(filling, pick)?;
            }
        }
        for at in 0..filling.drafts.len() {
            for unit in 0..filling.drafts[at].units.len() {
                if is_filled(filling, self.request.budget) {
                    return Ok(());
                }
                self.show_whole(filling, at, unit)?;
            }
        }
        Ok(())
    }

    /// Shows all lines of a unit that is shown in parts, if there is room.
    fn show_whole(&self, filling: &mut Filling<'_>, at: usize, unit: usize) -> Result<(), Error> {
        let draft = &filling.drafts[at];
        let (own, shown) = (draft.candidate, &draft.units[unit]);
        let lines = shown.extent.lines;
        if !shown.extent.is_cut() || filling.earlier.has(own.file, lines) {
            return Ok(());
        }
        let Some(whole) = self.units.with_parts(own.file, &shown.extent, vec![lines])? else { return Ok(()) };
        let pick =
            Pick { own, place: shown.place, probability: draft.probability, is_backup: draft.is_backup };
        let more = unit_tokens(pick, &whole).saturating_sub(unit_tokens(pick, &shown.extent));
        if filling.spend(more) {
            filling.drafts[at].units[unit].extent = whole;
        }
        Ok(())
    }

    /// Adds up to `most` traces of the first unit of the file at `at`, if there is room. The result is the symbol of the
    /// first trace, whether or not there is room.
    fn add_traces_of(
        &mut self,
        filling: &mut Filling<'_>,
        at: usize,
        most: usize,
    ) -> Result<Option<String>, Error> {
        let draft = &mut filling.drafts[at];
        let (mut traces, edges) = self.traces(draft.candidate.file, &draft.units[0].extent)?;
        self.record.edges += edges;
        traces.truncate(most);
        let symbol = traces.first().and_then(|trace| trace.symbol.clone());
        if filling.spend(tokens_of_traces(&traces)) {
            let draft = &mut filling.drafts[at];
            draft.units[0].traces = traces;
        }
        Ok(symbol)
    }

    /// Adds the imports that the units of files need, if there is room.
    fn add_imports(&self, filling: &mut Filling<'_>, files: &[usize]) -> Result<(), Error> {
        for &at in files {
            let draft = &filling.drafts[at];
            let file = draft.candidate.file;
            let lines: Vec<Lines> = draft.units.iter().flat_map(|unit| unit.extent.parts.clone()).collect();
            let imports = self.imports_of_units(file, &lines)?;
            if filling.spend(tokens_of_bytes(self.units.bytes_of_rows(file, &imports)?)) {
                filling.drafts[at].imports = imports;
            }
        }
        Ok(())
    }

    /// Adds the backup, if there is room: the best file of another region, or else the best file that was too improbable
    /// and lies in a folder without a file of the pack. A file of a kind that the task does not ask for is none.
    pub(super) fn back_up<'c>(
        &mut self,
        filling: &mut Filling<'c>,
        others: &[(&'c PackCandidate, f32)],
        improbable: &[(&'c PackCandidate, f32)],
    ) -> Result<(), Error> {
        if !self.request.stages.backup || self.record.pack_mode == PackMode::NavigationPrune {
            return Ok(());
        }
        let folder = |own: &PackCandidate| path::split(self.snapshot.path(own.file)).0;
        let folders: FxHashSet<&str> = filling.drafts.iter().map(|draft| folder(draft.candidate)).collect();
        let is_elsewhere = |own: &PackCandidate| !own.evidence.is_aside && !folders.contains(folder(own));
        let of_other = others.first();
        let backup = of_other.or_else(|| improbable.iter().find(|(own, _)| is_elsewhere(own)));
        let Some(&(own, probability)) = backup else { return Ok(()) };
        let Some(place) = own.places.first() else { return Ok(()) };
        let n_drafts = filling.drafts.len();
        let is_kept = self.take(filling, Pick { own, place, probability, is_backup: true })?
            && filling.drafts.len() > n_drafts;
        let path = RelPath::new(self.snapshot.path(own.file))?;
        let (mut trace, mut neighbor) = (None, None);
        if is_kept && self.request.stages.graph {
            trace = self.add_traces_of(filling, n_drafts, 1)?;
            let imports = self.imports_read(own.file);
            let imported = imports.iter().min_by_key(|file| self.snapshot.path(**file));
            neighbor = imported.map(|file| RelPath::new(self.snapshot.path(*file))).transpose()?;
        }
        self.record.backup = Some(PackBackup { path, is_kept, trace, neighbor });
        Ok(())
    }
}

/// The places of a file that are nearly as good as the best one.
fn further_places(own: &PackCandidate) -> impl Iterator<Item = &CandidatePlace> {
    let best = own.places.first().map_or(0.0, |place| place.score);
    own.places.iter().filter(move |place| place.score >= FURTHER_SHARE * best)
}
