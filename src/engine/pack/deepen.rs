//! What a pack adds to the files that were taken: further units, traces and imports of core files, and the backup.

use rustc_hash::FxHashSet;

use super::candidates::PackCandidate;
use super::filling::{Filling, Pick};
use super::run::PackRun;
use super::traces::tokens_of_traces;
use crate::api::*;
use crate::error::Error;
use spyhop_base::path::{self, RelPath};
use spyhop_base::text::Lines;
use spyhop_context::goals::PackMode;
use spyhop_context::pack::{is_core, tokens_of_bytes};

/// The most core files, and further units of one of them.
const MAX_CORE: usize = 5;
const MAX_FURTHER: usize = 3;

/// The share of the score of a file's best place that its further units have at least.
const FURTHER_SHARE: f32 = 0.15;

/// The most units with traces.
const MAX_TRACED: usize = 2;

impl PackRun<'_, '_> {
    /// Adds to the core files further units, traces, and the imports that their units need.
    pub(super) fn deepen(&mut self, filling: &mut Filling<'_>) -> Result<(), Error> {
        let first = filling.drafts.iter().map(|draft| draft.probability).fold(0.0, f32::max);
        let core: Vec<usize> = (0..filling.drafts.len())
            .filter(|at| {
                is_core(filling.drafts[*at].probability, first) || filling.drafts[*at].candidate.leads
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

    /// Adds further units to core files, and leaves out the other places of all files.
    fn add_further_units(&self, filling: &mut Filling<'_>, core: &[usize]) -> Result<(), Error> {
        let is_narrow = self.record.pack_mode == PackMode::NavigationPrune;
        for at in 0..filling.drafts.len() {
            let (own, probability) = (filling.drafts[at].candidate, filling.drafts[at].probability);
            let best = own.places.first().map_or(0.0, |place| place.score);
            let mut further = if core.contains(&at) && !is_narrow { MAX_FURTHER } else { 0 };
            for place in &own.places {
                if filling.drafts[at].units.iter().any(|unit| unit.place.lines == place.lines) {
                    continue;
                }
                let pick = Pick { own, place, probability, is_backup: false };
                if further > 0 && place.score >= FURTHER_SHARE * best {
                    further -= usize::from(self.take(filling, pick)?);
                } else {
                    let reason = self.reason_to_omit(filling, pick)?;
                    filling.leave_out_part(at, self.place_row(pick, reason)?);
                }
            }
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
        if filling.budget.take(tokens_of_traces(&traces)) {
            draft.units[0].traces = traces;
        }
        Ok(symbol)
    }

    /// Adds the imports that the units of files need, if there is room.
    fn add_imports(&self, filling: &mut Filling<'_>, files: &[usize]) -> Result<(), Error> {
        for &at in files {
            let draft = &mut filling.drafts[at];
            let file = draft.candidate.file;
            let lines: Vec<Lines> = draft.units.iter().map(|unit| unit.extent.lines).collect();
            let imports = self.imports_of_units(file, &lines)?;
            if filling.budget.take(tokens_of_bytes(self.units.bytes_of_rows(file, &imports)?)) {
                draft.imports = imports;
            }
        }
        Ok(())
    }

    /// Adds the backup, if there is room: the best file of another region, or else the best file that was too improbable
    /// and lies in a folder without a file of the pack.
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
        let is_elsewhere = |own: &PackCandidate| !folders.contains(folder(own));
        let of_other = others.first();
        let backup = of_other.or_else(|| improbable.iter().find(|(own, _)| is_elsewhere(own)));
        let Some(&(own, probability)) = backup else { return Ok(()) };
        let Some(place) = own.places.first() else { return Ok(()) };
        let n_drafts = filling.drafts.len();
        let is_kept = self.take(filling, Pick { own, place, probability, is_backup: true })?
            && filling.drafts.len() > n_drafts;
        let path = RelPath::new(self.snapshot.path(own.file))?;
        let (mut trace, mut neighbor) = (None, None);
        if is_kept {
            filling.left_out.retain(|left| left.path != path);
            if self.request.stages.graph {
                trace = self.add_traces_of(filling, n_drafts, 1)?;
                let imports = self.imports_read(own.file);
                let imported = imports.iter().min_by_key(|file| self.snapshot.path(**file));
                neighbor = imported.map(|file| RelPath::new(self.snapshot.path(*file))).transpose()?;
            }
        }
        self.record.backup = Some(PackBackup { path, is_kept, trace, neighbor });
        Ok(())
    }
}
