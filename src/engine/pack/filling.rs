//! A page of a pack while it is filled: which units are taken, what they cost, and what is left out.

use rustc_hash::FxHashMap;

use super::candidates::{CandidatePlace, PackCandidate};
use super::run::PackRun;
use super::units::UnitExtent;
use crate::api::*;
use crate::error::Error;
use spyhop_base::clean;
use spyhop_base::path::RelPath;
use spyhop_base::text::Lines;
use spyhop_context::pack::{Budget, file_line, tokens_of_bytes, unit_line};

/// The least room for a part of the unit at which a page ends, in tokens.
const MIN_PART_TOKENS: usize = 150;

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
    pub traces: Vec<PackTrace>,
}

/// The lines of files that pages of a pack show.
#[derive(Default)]
pub(crate) struct ShownLines(FxHashMap<u32, Vec<Lines>>);

/// The least lines of a part of a unit of which other parts are shown.
const MIN_REST: u32 = 3;

impl ShownLines {
    /// Whether a line of a file is shown.
    pub fn has(&self, file: u32, lines: Lines) -> bool {
        self.0.get(&file).into_iter().flatten().any(|known| known.overlaps(lines))
    }

    /// The parts of a unit that are not shown, without runs of few lines.
    pub fn rest(&self, file: u32, parts: &[Lines]) -> Vec<Lines> {
        let mut rest = Vec::new();
        for &part in parts {
            let mut known: Vec<Lines> = self.0.get(&file).into_iter().flatten().copied().collect();
            known.retain(|lines| lines.overlaps(part));
            if known.is_empty() {
                rest.push(part);
                continue;
            }
            known.sort_by_key(|lines| lines.first);
            let mut first = part.first;
            let mut end = |first: u32, end: u32| {
                if end >= first + MIN_REST {
                    rest.push(Lines { first, last: end - 1 });
                }
            };
            for lines in known {
                end(first, lines.first);
                first = first.max(lines.last + 1);
            }
            end(first, part.last + 1);
        }
        rest
    }
}

/// A page of a pack while it is filled.
pub(crate) struct Filling<'c> {
    pub budget: Budget,
    pub drafts: Vec<Draft<'c>>,
    pub left_out: Vec<LeftOutPlace>,
    /// The lines that earlier pages have, by file.
    pub earlier: ShownLines,
    /// Whether a further page has something to show.
    pub has_more: bool,
    /// Whether something did not fit. Nothing is added after that, so that a larger budget has all that a smaller one has.
    pub is_full: bool,
}

impl<'c> Filling<'c> {
    /// An empty page.
    pub fn new(budget: Budget, earlier: ShownLines) -> Filling<'c> {
        Filling { budget, drafts: Vec::new(), left_out: Vec::new(), earlier, has_more: false, is_full: false }
    }

    /// The lines that this page and the earlier ones have.
    pub(crate) fn into_shown(self) -> ShownLines {
        let mut shown = self.earlier;
        for draft in &self.drafts {
            let lines = draft.units.iter().flat_map(|unit| &unit.extent.parts);
            shown.0.entry(draft.candidate.file).or_default().extend(lines);
        }
        shown
    }

    /// Uses tokens if nothing was refused before and enough tokens are left.
    pub(crate) fn spend(&mut self, tokens: usize) -> bool {
        let fits = !self.is_full && self.budget.take(tokens);
        self.is_full |= !fits;
        fits
    }

    /// Leaves out a place, once.
    pub fn leave_out(&mut self, row: LeftOutPlace) {
        let is_same = |known: &LeftOutPlace| known.path == row.path && known.lines == row.lines;
        if !self.left_out.iter().any(is_same) {
            self.left_out.push(row);
        }
    }

    /// Whether the page has the lines of a place.
    pub(crate) fn has(&self, file: u32, place: &CandidatePlace) -> bool {
        let draft = self.draft_of(file).map(|at| &self.drafts[at]);
        draft.is_some_and(|draft| draft.units.iter().any(|unit| unit.extent.lines.overlaps(place.lines)))
    }

    /// The index of the draft of a file.
    pub(crate) fn draft_of(&self, file: u32) -> Option<usize> {
        self.drafts.iter().position(|draft| draft.candidate.file == file)
    }

    fn add(&mut self, pick: Pick<'c>, extent: UnitExtent) {
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
        self.drafts[at].units.push(DraftUnit { extent, place: pick.place, traces: Vec::new() });
    }
}

impl PackRun<'_, '_> {
    /// Takes the unit of a place, if it fits; else the place is left out with the reason.
    pub(super) fn take<'c>(&self, filling: &mut Filling<'c>, pick: Pick<'c>) -> Result<bool, Error> {
        let Some(extent) = self.units.extent(pick.own.file, pick.place)? else {
            filling.leave_out(self.place_row(pick, LeftOutReason::Unreadable)?);
            return Ok(false);
        };
        if let Some(sent) = self.sent_before(pick.own.file, &extent)? {
            let row = self.place_row(pick, LeftOutReason::Sent)?;
            filling.leave_out(LeftOutPlace { sent_before: Some(sent), ..row });
            return Ok(false);
        }
        let Some(extent) = self.unshown(filling, pick.own.file, extent)? else { return Ok(false) };
        let known = filling.draft_of(pick.own.file);
        let is_known = |unit: &DraftUnit<'_>| unit.extent.lines.overlaps(extent.lines);
        let refusal = if extent.parts.is_empty() {
            // The lines of the unit are too long for any pack.
            Some(LeftOutReason::Budget)
        } else if known.is_some_and(|at| filling.drafts[at].units.iter().any(is_known)) {
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
        let is_open = !filling.is_full;
        let fits = match self.request.stages.weighing {
            true => filling.spend(tokens),
            false => filling.budget.take(tokens),
        };
        let shown = match fits {
            true => Some(extent),
            false if is_open => self.take_part(filling, pick, &extent, heading)?,
            false => None,
        };
        let Some(extent) = shown else {
            filling.leave_out(self.place_row(pick, LeftOutReason::Budget)?);
            return Ok(false);
        };
        filling.add(pick, extent);
        Ok(true)
    }

    /// A unit without the lines that earlier pages have; `None` if nothing is left.
    pub(super) fn unshown(
        &self,
        filling: &Filling<'_>,
        file: u32,
        extent: UnitExtent,
    ) -> Result<Option<UnitExtent>, Error> {
        let rest = filling.earlier.rest(file, &extent.parts);
        if rest == extent.parts {
            return Ok(Some(extent));
        }
        if rest.is_empty() { Ok(None) } else { self.units.with_parts(file, &extent, rest) }
    }

    /// Takes the part of a unit for which there is room. A unit at which a page ends needs room for more than a few lines.
    fn take_part(
        &self,
        filling: &mut Filling<'_>,
        pick: Pick<'_>,
        extent: &UnitExtent,
        heading: usize,
    ) -> Result<Option<UnitExtent>, Error> {
        let left = filling.budget.left();
        let is_worth_it = self.request.stages.weighing && left >= MIN_PART_TOKENS;
        if !is_worth_it && !filling.drafts.is_empty() {
            return Ok(None);
        }
        let of_unit = unit_heading(pick, extent, extent.lines, true);
        // Each of the three sums of bytes is rounded up.
        let room = left.saturating_sub(heading + tokens_of_bytes(of_unit) + 3);
        let part = self.units.shortened(pick.own.file, extent, pick.place, (room, of_unit))?;
        let part = part.map(|part| self.unshown(filling, pick.own.file, part)).transpose()?.flatten();
        Ok(part.filter(|part| filling.budget.take(heading + unit_tokens(pick, part))))
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

    /// The earlier reply of the session that had the unit or its first part, if the request leaves out what was sent.
    pub(super) fn sent_before(&self, file: u32, extent: &UnitExtent) -> Result<Option<Sent>, Error> {
        if self.dedupes { self.sent_of_session(file, extent) } else { Ok(None) }
    }

    /// The earlier reply of the session that had the unit or its first part. Further pages leave out such units.
    pub(super) fn sent_of_session(&self, file: u32, extent: &UnitExtent) -> Result<Option<Sent>, Error> {
        let ActivitySource::Session(session) = self.activity else { return Ok(None) };
        let version = self.snapshot.version(file);
        let Some(content) = version.content().ranked() else { return Ok(None) };
        let path = RelPath::new(version.path())?;
        let mut shown = [extent.lines].into_iter().chain(extent.parts.first().copied());
        Ok(shown.find_map(|lines| session.sent_lines(self.engine.root(), &path, content, lines)))
    }
}

/// The tokens of a unit with the headings of its parts.
pub(crate) fn unit_tokens(pick: Pick<'_>, extent: &UnitExtent) -> usize {
    let headings = extent.parts.iter().enumerate();
    let headings = headings.map(|(at, lines)| unit_heading(pick, extent, *lines, at == 0)).sum();
    extent.tokens + tokens_of_bytes(headings)
}

/// The bytes of the heading of a part of a unit.
fn unit_heading(pick: Pick<'_>, extent: &UnitExtent, lines: Lines, is_first: bool) -> usize {
    let name = extent.symbol.as_deref().unwrap_or(extent.kind.name());
    let whole = Some(extent.lines).filter(|whole| *whole != lines);
    unit_line(lines, whole, name, pick.probability, &part_reason(pick.place, is_first)).len() + 1
}

/// Why a part of a unit is shown.
pub(crate) fn part_reason(place: &CandidatePlace, is_first: bool) -> String {
    if is_first { unit_reason(place) } else { "it has words of the task".to_string() }
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
    if parts.is_empty() || evidence.near > 0.0 {
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
