//! A page of a pack while it is filled: which units are taken, what they cost, and what is left out.

use rustc_hash::FxHashSet;

use super::candidates::{CandidatePlace, PackCandidate};
use super::run::PackRun;
use super::units::UnitExtent;
use crate::api::*;
use crate::error::Error;
use spyhop_base::clean;
use spyhop_base::path::RelPath;
use spyhop_base::text::Lines;
use spyhop_context::pack::{BYTES_PER_TOKEN, Budget, CUT_LINE, file_line, tokens_of_bytes, unit_line};

/// A place that may be taken into a pack.
#[derive(Clone, Copy)]
pub(crate) struct Pick<'c> {
    pub own: &'c PackCandidate,
    pub place: &'c CandidatePlace,
    /// The probability that the task needs the file.
    pub probability: f32,
    /// Whether the place is taken as the backup.
    pub is_backup: bool,
}

/// A file that is being filled.
pub(crate) struct Draft<'c> {
    pub candidate: &'c PackCandidate,
    pub probability: f32,
    pub is_backup: bool,
    pub units: Vec<DraftUnit<'c>>,
    pub imports: Vec<PackLine>,
}

/// A unit that was taken.
pub(crate) struct DraftUnit<'c> {
    pub extent: UnitExtent,
    pub place: &'c CandidatePlace,
    /// For a unit that is larger than the whole budget: the number of its lines that are shown.
    pub cut_to: Option<usize>,
    pub traces: Vec<PackTrace>,
}

/// A page of a pack while it is filled.
pub(crate) struct Filling<'c> {
    pub budget: Budget,
    pub drafts: Vec<Draft<'c>>,
    pub left_out: Vec<LeftOutPlace>,
    /// The units of earlier pages.
    pub earlier: FxHashSet<(u32, u32, u32)>,
}

impl<'c> Filling<'c> {
    /// Leaves out a place, once.
    pub fn leave_out(&mut self, row: LeftOutPlace) {
        let is_same = |known: &LeftOutPlace| known.path == row.path && known.lines == row.lines;
        if !self.left_out.iter().any(is_same) {
            self.left_out.push(row);
        }
    }

    /// Leaves out a further place of the file at `at`, unless a unit contains the place.
    pub(crate) fn leave_out_part(&mut self, at: usize, row: LeftOutPlace) {
        if !self.drafts[at].units.iter().any(|unit| unit.extent.lines.overlaps(row.lines)) {
            self.leave_out(row);
        }
    }

    /// The index of the draft of a file.
    fn draft_of(&self, file: u32) -> Option<usize> {
        self.drafts.iter().position(|draft| draft.candidate.file == file)
    }

    fn add(&mut self, pick: Pick<'c>, extent: UnitExtent, cut_to: Option<usize>) {
        let at = self.draft_of(pick.own.file).unwrap_or_else(|| {
            self.drafts.push(Draft {
                candidate: pick.own,
                probability: pick.probability,
                is_backup: pick.is_backup,
                units: Vec::new(),
                imports: Vec::new(),
            });
            self.drafts.len() - 1
        });
        self.drafts[at].units.push(DraftUnit { extent, place: pick.place, cut_to, traces: Vec::new() });
    }
}

impl PackRun<'_, '_> {
    /// Takes the unit of a place, if it fits; else the place is left out with the reason.
    pub(super) fn take<'c>(&self, filling: &mut Filling<'c>, pick: Pick<'c>) -> Result<bool, Error> {
        let Some(extent) = self.units.extent(pick.own.file, pick.place)? else {
            filling.leave_out(self.place_row(pick, LeftOutReason::Unreadable)?);
            return Ok(false);
        };
        if let Some(sent) = self.sent_before(pick.own.file, extent.lines)? {
            let row = self.place_row(pick, LeftOutReason::Sent)?;
            filling.leave_out(LeftOutPlace { sent_before: Some(sent), ..row });
            return Ok(false);
        }
        let known = filling.draft_of(pick.own.file);
        let is_known = |unit: &DraftUnit<'_>| unit.extent.lines.overlaps(extent.lines);
        let refusal = if filling.earlier.contains(&extent.key(pick.own.file))
            || known.is_some_and(|at| filling.drafts[at].units.iter().any(is_known))
        {
            Some(LeftOutReason::Duplicate)
        } else if known.is_none() && filling.drafts.len() >= self.request.max_files {
            Some(LeftOutReason::Files)
        } else {
            None
        };
        if let Some(reason) = refusal {
            filling.leave_out(self.place_row(pick, reason)?);
            return Ok(false);
        }
        let heading = if known.is_none() { self.file_tokens(pick) } else { 0 };
        let tokens = heading + unit_tokens(pick, &extent);
        if filling.budget.take(tokens) {
            filling.add(pick, extent, None);
            return Ok(true);
        }
        // Only a unit that is larger than the whole budget is cut, and only if it is the best one.
        if filling.drafts.is_empty() && self.take_cut(filling, pick, &extent, tokens)? {
            return Ok(true);
        }
        filling.leave_out(self.place_row(pick, LeftOutReason::Budget)?);
        Ok(false)
    }

    /// Takes the first lines of a unit of `tokens` tokens, as many as fit; nothing if no line fits.
    fn take_cut<'c>(
        &self,
        filling: &mut Filling<'c>,
        pick: Pick<'c>,
        extent: &UnitExtent,
        tokens: usize,
    ) -> Result<bool, Error> {
        let around = tokens - extent.code_tokens + tokens_of_bytes(CUT_LINE.len() + 1);
        let room = filling.budget.left().saturating_sub(around);
        let (n_lines, bytes) = self.units.rows_within(pick.own.file, extent.lines, room * BYTES_PER_TOKEN)?;
        let is_taken = n_lines > 0 && filling.budget.take(around + tokens_of_bytes(bytes));
        if is_taken {
            filling.add(pick, extent.clone(), Some(n_lines));
        }
        Ok(is_taken)
    }

    /// The tokens of the heading of a file, with the blank line behind the file.
    pub(super) fn file_tokens(&self, pick: Pick<'_>) -> usize {
        let source = self.source.map_or(0, |source| source.as_str().len() + 1);
        let path = source + clean::path(self.snapshot.path(pick.own.file)).len();
        let line = file_line(pick.probability, pick.is_backup, &reason_of(pick.own));
        tokens_of_bytes(path + line.len() + 2)
    }

    /// Why a place that is not worth its tokens is left out: there is no room for it, or it is improbable.
    pub(super) fn reason_to_omit(
        &self,
        filling: &Filling<'_>,
        pick: Pick<'_>,
    ) -> Result<LeftOutReason, Error> {
        let extent = self.units.extent(pick.own.file, pick.place)?;
        let tokens = extent.map_or(0, |extent| unit_tokens(pick, &extent) + self.file_tokens(pick));
        Ok(if tokens > filling.budget.left() { LeftOutReason::Budget } else { LeftOutReason::Threshold })
    }

    /// The row of a place that is left out.
    pub(super) fn place_row(&self, pick: Pick<'_>, reason: LeftOutReason) -> Result<LeftOutPlace, Error> {
        let path = RelPath::new(self.snapshot.path(pick.own.file))?;
        let (lines, symbol, score) = (pick.place.lines, pick.place.symbol.clone(), pick.probability);
        Ok(LeftOutPlace { source: None, path, lines, symbol, score, reason, sent_before: None })
    }

    /// The earlier reply of the session that had the lines, if the request leaves out what was sent.
    pub(super) fn sent_before(&self, file: u32, lines: Lines) -> Result<Option<Sent>, Error> {
        let ActivitySource::Session(session) = self.activity else { return Ok(None) };
        let version = self.snapshot.version(file);
        let Some(content) = version.content().ranked().filter(|_| self.dedupes) else {
            return Ok(None);
        };
        Ok(session.sent_lines(self.engine.root(), &RelPath::new(version.path())?, content, lines))
    }
}

/// The tokens of a unit with its heading.
pub(crate) fn unit_tokens(pick: Pick<'_>, extent: &UnitExtent) -> usize {
    let name = extent.symbol.as_deref().unwrap_or(extent.kind.name());
    let line = unit_line(extent.lines, name, pick.probability, &unit_reason(pick.place));
    extent.tokens + tokens_of_bytes(line.len() + 1)
}

/// Why a file was chosen.
pub fn reason_of(own: &PackCandidate) -> String {
    let evidence = &own.evidence;
    if evidence.is_named {
        return own.edge.clone().unwrap_or_else(|| "the task names it".to_string());
    }
    let mut parts = Vec::new();
    if let Some((rank, _)) = evidence.task {
        parts.push(format!("file {} of the search for the task", rank + 1));
    }
    if let Some((rank, _)) = evidence.goal {
        parts.push(format!("file {} of the search for a goal", rank + 1));
    }
    if parts.is_empty() {
        parts.extend(own.edge.clone());
    }
    parts.join("; ")
}

/// Why a unit was chosen: the edge or start point that led to the unit, else the reason of the search that says most about
/// the unit itself. A figure that every file has, such as its size, is no reason.
pub(crate) fn unit_reason(place: &CandidatePlace) -> String {
    let of_search = || most_telling(&place.reasons).map(|reason| reason.text.clone());
    let why = place.why.clone().or_else(of_search);
    why.unwrap_or_else(|| "it is the best place that the search found in the file".to_string())
}
