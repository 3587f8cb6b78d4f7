//! The choice of units within the budget, and the reason for each place that is left out.

use rustc_hash::FxHashSet;

use super::assembled::Assembled;
use super::candidates::{CandidatePlace, PackCandidate};
use super::run::PackRun;
use super::traces::{tokens_of_lines, tokens_of_traces};
use super::units::UnitExtent;
use crate::engine::Error;
use crate::engine::api::*;
use crate::goals::PackMode;
use crate::pack::{
    BYTES_PER_TOKEN, Budget, HEADING_TOKENS, LINE_BYTES, Spread, WeighedFile, cut, is_core, worth,
};
use crate::path::RelPath;
use crate::text::Lines;

/// The most places that a reply lists as left out.
const MAX_LEFT_OUT: usize = 30;

/// The most files that are considered.
const MAX_CONSIDERED: usize = 60;

/// The most core files, and further units of one of them.
const MAX_CORE: usize = 5;
const MAX_FURTHER: usize = 3;

/// The share of the score of a file's best place that its further units have at least.
const FURTHER_SHARE: f32 = 0.15;

/// The most units with traces.
const MAX_TRACED: usize = 2;

/// The expected number of files that a task needs.
const EXPECTED_FILES: f32 = 4.0;

/// A file that is being filled.
struct Draft<'c> {
    candidate: &'c PackCandidate,
    probability: f32,
    is_backup: bool,
    units: Vec<DraftUnit<'c>>,
    imports: Vec<PackLine>,
}

struct DraftUnit<'c> {
    extent: UnitExtent,
    place: &'c CandidatePlace,
    is_cut: bool,
    traces: Vec<PackTrace>,
}

/// The pages of a pack while they are filled.
struct Filling<'c> {
    budget: Budget,
    drafts: Vec<Draft<'c>>,
    left_out: Vec<LeftOutPlace>,
    /// The units of earlier pages.
    earlier: FxHashSet<(u32, u32, u32)>,
}

impl PackRun<'_, '_> {
    /// Fills the page of a pack, after the pages before it.
    pub(super) fn assembled(
        &mut self,
        candidates: &[PackCandidate],
        ranked: &[WeighedFile],
        page: usize,
    ) -> Result<Assembled, Error> {
        let mut earlier = FxHashSet::default();
        for number in 0..=page {
            // The pages before are filled as they were; a further page never repeats what the session was sent.
            self.dedupes = number == page && (self.request.dedupe || page > 0);
            let filling = Filling {
                budget: Budget::new(self.request.budget),
                drafts: Vec::new(),
                left_out: Vec::new(),
                earlier,
            };
            let filled = match self.request.stages.weighing {
                true => self.fill(candidates, ranked, filling, number > 0)?,
                false => self.fill_plainly(candidates, filling)?,
            };
            if number == page {
                return self.finished(filled);
            }
            earlier = filled.earlier;
            for draft in &filled.drafts {
                let key = |unit: &DraftUnit<'_>| unit.extent.key(draft.candidate.file);
                earlier.extend(draft.units.iter().map(key));
            }
        }
        unreachable!("the last page is returned")
    }

    /// Takes the places of the search in their order.
    fn fill_plainly<'c>(
        &self,
        candidates: &'c [PackCandidate],
        mut filling: Filling<'c>,
    ) -> Result<Filling<'c>, Error> {
        let places = candidates.iter().flat_map(|own| own.places.iter().map(move |place| (own, place)));
        let mut places: Vec<(&PackCandidate, &CandidatePlace)> = places.collect();
        places.sort_by_key(|(_, place)| place.position);
        for (own, place) in places {
            self.take(&mut filling, own, place, place.score)?;
        }
        Ok(filling)
    }

    /// Takes one unit of each file that is worth its tokens, and then more of the core files.
    fn fill<'c>(
        &mut self,
        candidates: &'c [PackCandidate],
        ranked: &[WeighedFile],
        mut filling: Filling<'c>,
        is_extension: bool,
    ) -> Result<Filling<'c>, Error> {
        let mut others = Vec::new();
        let mut wanted: Vec<(&PackCandidate, f32)> = Vec::new();
        for own in ranked.iter().take(MAX_CONSIDERED) {
            let candidate = &candidates[own.at];
            match self.is_of_branch(candidate) {
                true => wanted.push((candidate, own.probability)),
                false => others.push((candidate, own.probability)),
            }
        }
        // The first file of each of several regions is wanted, however improbable the whole task makes it.
        let has_regions = self.record.regions.len() > 1;
        wanted.sort_by_key(|(own, _)| !(has_regions && own.leads));
        let n_wanted = self.number_of_files(&wanted, is_extension)?;
        for (rank, (own, probability)) in wanted.iter().enumerate() {
            let Some(place) = self.first_unsent(&mut filling, own, *probability)? else { continue };
            if rank >= n_wanted {
                let reason = self.reason_to_omit(&filling, own, place)?;
                filling.leave_out(self.place_row(own, place.lines, place, *probability, reason)?);
            } else {
                self.take(&mut filling, own, place, *probability)?;
            }
        }
        self.deepen(&mut filling)?;
        self.back_up(&mut filling, &others, &wanted[n_wanted.min(wanted.len())..])?;
        for (own, probability) in &others {
            let is_shown = filling.drafts.iter().any(|draft| draft.candidate.file == own.file);
            if let Some(place) = own.places.first().filter(|_| !is_shown) {
                filling.leave_out(self.place_row(
                    own,
                    place.lines,
                    place,
                    *probability,
                    LeftOutReason::OtherRegion,
                )?);
            }
        }
        Ok(filling)
    }

    /// Whether a file belongs to the primary region, if the mode commits to that region.
    fn is_of_branch(&self, candidate: &PackCandidate) -> bool {
        let primary = self.record.regions.first();
        let is_primary = |goal: &usize| primary.is_none_or(|region| region.goals.contains(goal));
        !self.commits_to_region()
            || candidate.evidence.is_named
            || candidate.goals.is_empty()
            || candidate.goals.iter().any(is_primary)
    }

    /// The number of files, of those in order, that are worth their tokens.
    fn number_of_files(&self, wanted: &[(&PackCandidate, f32)], is_extension: bool) -> Result<usize, Error> {
        if !self.request.stages.prune || is_extension {
            return Ok(wanted.len());
        }
        let precision = match self.record.pack_mode {
            PackMode::NavigationPrune => 1.5,
            PackMode::Broad => 0.65,
            PackMode::Focused | PackMode::Auto => 0.7,
        };
        let mut budget = Budget::new(self.request.budget);
        let (mut fitting, mut places) = (Vec::new(), Vec::new());
        for (at, (own, probability)) in wanted.iter().enumerate() {
            let Some(place) = self.by_worth(own)?.into_iter().next() else { continue };
            let Some(extent) = self.units.extent(own.file, place)? else { continue };
            if budget.take(extent.tokens + HEADING_TOKENS) {
                fitting.push(*probability);
                places.push(at);
            }
        }
        let n_fitting = cut(&fitting, EXPECTED_FILES, Spread { precision });
        let is_lead =
            |own: &PackCandidate| (own.leads && self.record.regions.len() > 1) || own.evidence.is_named;
        let leads = wanted.iter().take_while(|(own, _)| is_lead(own)).count();
        Ok(n_fitting.checked_sub(1).map_or(leads.max(1), |last| places[last] + 1).max(leads))
    }

    /// The best place of a file that the session was not sent, if the request leaves out what was sent.
    fn first_unsent<'c>(
        &self,
        filling: &mut Filling<'c>,
        own: &'c PackCandidate,
        probability: f32,
    ) -> Result<Option<&'c CandidatePlace>, Error> {
        for place in self.by_worth(own)? {
            let Some(extent) = self.units.extent(own.file, place)? else {
                filling.leave_out(self.place_row(
                    own,
                    place.lines,
                    place,
                    probability,
                    LeftOutReason::Unreadable,
                )?);
                return Ok(None);
            };
            if filling.earlier.contains(&extent.key(own.file)) {
                continue;
            }
            match self.sent_before(own.file, extent.lines)? {
                None => return Ok(Some(place)),
                Some(sent) => {
                    let mut row =
                        self.place_row(own, extent.lines, place, probability, LeftOutReason::Sent)?;
                    row.sent_before = Some(sent);
                    filling.leave_out(row);
                }
            }
        }
        Ok(None)
    }

    /// The places of a file by what they are worth their tokens.
    fn by_worth<'c>(&self, own: &'c PackCandidate) -> Result<Vec<&'c CandidatePlace>, Error> {
        let best = own.places.first().map_or(0.0, |place| place.score);
        let mut places = Vec::with_capacity(own.places.len());
        for place in &own.places {
            let tokens = self.units.extent(own.file, place)?.map_or(0, |extent| extent.tokens);
            places.push((worth(place.score, best, tokens), place));
        }
        places.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok(places.into_iter().map(|(_, place)| place).collect())
    }

    fn sent_before(&self, file: u32, lines: Lines) -> Result<Option<Sent>, Error> {
        let ActivitySource::Session(session) = &self.request.activity else { return Ok(None) };
        let version = self.snapshot.version(file);
        let Some(content) = version.content().ranked().filter(|_| self.dedupes) else {
            return Ok(None);
        };
        Ok(session.sent_lines(self.engine.root(), &RelPath::new(version.path())?, content, lines))
    }

    /// Takes the unit of a place, if it fits; else the place is left out with the reason.
    fn take<'c>(
        &self,
        filling: &mut Filling<'c>,
        own: &'c PackCandidate,
        place: &'c CandidatePlace,
        probability: f32,
    ) -> Result<bool, Error> {
        let row = |reason| self.place_row(own, place.lines, place, probability, reason);
        let Some(extent) = self.units.extent(own.file, place)? else {
            filling.leave_out(row(LeftOutReason::Unreadable)?);
            return Ok(false);
        };
        if let Some(sent) = self.sent_before(own.file, extent.lines)? {
            filling.leave_out(LeftOutPlace { sent_before: Some(sent), ..row(LeftOutReason::Sent)? });
            return Ok(false);
        }
        let known = filling.drafts.iter().position(|draft| draft.candidate.file == own.file);
        let is_known = |unit: &DraftUnit<'_>| overlaps(unit.extent.lines, extent.lines);
        if filling.earlier.contains(&extent.key(own.file))
            || known.is_some_and(|at| filling.drafts[at].units.iter().any(is_known))
        {
            filling.leave_out(row(LeftOutReason::Duplicate)?);
            return Ok(false);
        }
        if known.is_none() && filling.drafts.len() >= self.request.max_files {
            filling.leave_out(row(LeftOutReason::Files)?);
            return Ok(false);
        }
        let heading = if known.is_none() { HEADING_TOKENS } else { 0 };
        let mut tokens = extent.tokens + heading;
        // Only a unit that is larger than the whole budget is cut, and only if it is the best one.
        let is_cut = filling.drafts.is_empty() && tokens > self.request.budget;
        if is_cut {
            tokens = self.request.budget;
        }
        if !filling.budget.take(tokens) {
            filling.leave_out(row(LeftOutReason::Budget)?);
            return Ok(false);
        }
        let at = known.unwrap_or_else(|| {
            let candidate = own;
            filling.drafts.push(Draft {
                candidate,
                probability,
                is_backup: false,
                units: Vec::new(),
                imports: Vec::new(),
            });
            filling.drafts.len() - 1
        });
        filling.drafts[at].units.push(DraftUnit { extent, place, is_cut, traces: Vec::new() });
        Ok(true)
    }

    /// Why a place that is not worth its tokens is left out: there is no room for it, or it is improbable.
    fn reason_to_omit(
        &self,
        filling: &Filling<'_>,
        own: &PackCandidate,
        place: &CandidatePlace,
    ) -> Result<LeftOutReason, Error> {
        let tokens = self.units.extent(own.file, place)?.map_or(0, |extent| extent.tokens + HEADING_TOKENS);
        Ok(if tokens > filling.budget.left() { LeftOutReason::Budget } else { LeftOutReason::Threshold })
    }

    /// Adds to the core files further units, traces, and the imports that their units need.
    fn deepen(&mut self, filling: &mut Filling<'_>) -> Result<(), Error> {
        let first = filling.drafts.iter().map(|draft| draft.probability).fold(0.0, f32::max);
        let core: Vec<usize> = (0..filling.drafts.len())
            .filter(|at| {
                is_core(filling.drafts[*at].probability, first) || filling.drafts[*at].candidate.leads
            })
            .take(MAX_CORE)
            .collect();
        let is_narrow = self.record.pack_mode == PackMode::NavigationPrune;
        for at in 0..filling.drafts.len() {
            let (candidate, probability) = (filling.drafts[at].candidate, filling.drafts[at].probability);
            let best = candidate.places.first().map_or(0.0, |place| place.score);
            let mut further = if core.contains(&at) && !is_narrow { MAX_FURTHER } else { 0 };
            for place in &candidate.places {
                if filling.drafts[at].units.iter().any(|unit| unit.place.lines == place.lines) {
                    continue;
                }
                if further > 0 && place.score >= FURTHER_SHARE * best {
                    further -= usize::from(self.take(filling, candidate, place, probability)?);
                } else {
                    let reason = self.reason_to_omit(filling, candidate, place)?;
                    let row = self.place_row(candidate, place.lines, place, probability, reason)?;
                    filling.leave_out_part(at, row);
                }
            }
        }
        if !self.request.stages.graph {
            return Ok(());
        }
        for &at in core.iter().take(MAX_TRACED) {
            let draft = &mut filling.drafts[at];
            let file = draft.candidate.file;
            let (traces, edges) = self.traces(file, &draft.units[0].extent)?;
            self.record.edges += edges;
            if filling.budget.take(tokens_of_traces(&traces)) {
                draft.units[0].traces = traces;
            }
        }
        for &at in &core {
            let draft = &mut filling.drafts[at];
            let lines: Vec<Lines> = draft.units.iter().map(|unit| unit.extent.lines).collect();
            let imports = self.imports_of_units(draft.candidate.file, &lines)?;
            if filling.budget.take(tokens_of_lines(&imports)) {
                draft.imports = imports;
            }
        }
        Ok(())
    }

    /// Adds the backup, if there is room: the best file of another region, or else the best file that was too improbable
    /// and lies in a folder without a file of the pack.
    fn back_up<'c>(
        &mut self,
        filling: &mut Filling<'c>,
        others: &[(&'c PackCandidate, f32)],
        improbable: &[(&'c PackCandidate, f32)],
    ) -> Result<(), Error> {
        if !self.request.stages.backup || self.record.pack_mode == PackMode::NavigationPrune {
            return Ok(());
        }
        let folder = |own: &PackCandidate| crate::path::split(self.snapshot.path(own.file)).0;
        let folders: FxHashSet<&str> = filling.drafts.iter().map(|draft| folder(draft.candidate)).collect();
        let is_elsewhere = |own: &PackCandidate| !folders.contains(folder(own));
        let of_other = others.first();
        let backup = of_other.or_else(|| improbable.iter().find(|(own, _)| is_elsewhere(own)));
        let Some((own, probability)) = backup else { return Ok(()) };
        let Some(place) = own.places.first() else { return Ok(()) };
        let n_drafts = filling.drafts.len();
        let is_kept = self.take(filling, own, place, *probability)? && filling.drafts.len() > n_drafts;
        let (mut trace, mut neighbor) = (None, None);
        if is_kept {
            filling.drafts[n_drafts].is_backup = true;
            let row = |left: &LeftOutPlace| left.path.as_str() == self.snapshot.path(own.file);
            filling.left_out.retain(|left| !row(left));
            if self.request.stages.graph {
                let (mut traces, edges) = self.traces(own.file, &filling.drafts[n_drafts].units[0].extent)?;
                self.record.edges += edges;
                traces.truncate(1);
                trace = traces.first().and_then(|trace| trace.symbol.clone());
                if filling.budget.take(tokens_of_traces(&traces)) {
                    filling.drafts[n_drafts].units[0].traces = traces;
                }
                let imports = self.graph.graph.imports_of(own.file);
                let imported = imports.iter().find_map(|edge| edge.files.first());
                neighbor = imported.map(|file| RelPath::new(self.snapshot.path(*file))).transpose()?;
            }
        }
        let path = RelPath::new(self.snapshot.path(own.file))?;
        self.record.backup = Some(PackBackup { path, is_kept, trace, neighbor });
        Ok(())
    }

    fn place_row(
        &self,
        own: &PackCandidate,
        lines: Lines,
        place: &CandidatePlace,
        score: f32,
        reason: LeftOutReason,
    ) -> Result<LeftOutPlace, Error> {
        let path = RelPath::new(self.snapshot.path(own.file))?;
        let symbol = place.symbol.clone();
        Ok(LeftOutPlace { path, lines, symbol, score, reason, sent_before: None })
    }

    /// The reply's files, with their texts.
    fn finished(&self, filling: Filling<'_>) -> Result<Assembled, Error> {
        let Filling { budget, drafts, mut left_out, .. } = filling;
        let is_open = |place: &LeftOutPlace| {
            matches!(place.reason, LeftOutReason::Budget | LeftOutReason::Files | LeftOutReason::Threshold)
        };
        let is_complete = drafts.is_empty() || !left_out.iter().any(is_open);
        left_out.sort_by(|a, b| {
            let places = || (&a.path, a.lines.first).cmp(&(&b.path, b.lines.first));
            b.score.total_cmp(&a.score).then_with(places)
        });
        left_out.truncate(MAX_LEFT_OUT);
        let files = drafts.into_iter().map(|draft| self.pack_file(draft)).collect::<Result<_, Error>>()?;
        Ok(Assembled { files, left_out, tokens: budget.used(), is_complete })
    }

    fn pack_file(&self, draft: Draft<'_>) -> Result<PackFile, Error> {
        let file = draft.candidate.file;
        let version = self.snapshot.version(file);
        let mut units = draft.units;
        units.sort_by_key(|unit| unit.extent.lines.first);
        let units = units.into_iter().map(|unit| self.pack_unit(file, unit, draft.probability));
        Ok(PackFile {
            path: RelPath::new(version.path())?,
            language: self.engine.grammars.name(version.language()),
            content: version.content().ranked(),
            score: draft.probability,
            reason: reason_of(draft.candidate),
            is_backup: draft.is_backup,
            imports: draft.imports,
            units: units.collect::<Result<_, Error>>()?,
        })
    }

    fn pack_unit(&self, file: u32, unit: DraftUnit<'_>, probability: f32) -> Result<PackUnit, Error> {
        let DraftUnit { extent, place, is_cut, traces } = unit;
        let mut text = self.units.text(file, extent.lines)?;
        if is_cut {
            let room = self.request.budget.saturating_sub(2 * HEADING_TOKENS) * BYTES_PER_TOKEN;
            cut_text(&mut text, room);
        }
        let enclosing = extent.enclosing.map(|line| self.units.line(file, line)).transpose()?;
        let of_search = place.reasons.first().map(|reason| reason.text.clone());
        let reason = place.why.clone().or(of_search);
        Ok(PackUnit {
            lines: extent.lines,
            kind: extent.kind,
            symbol: extent.symbol,
            enclosing,
            text,
            is_cut,
            score: if place.score > 0.0 { place.score } else { probability },
            goals: place.goals.clone(),
            reason: reason.unwrap_or_else(|| "it is the main definition of the file".to_string()),
            reasons: if self.request.mode == Mode::Debug { place.reasons.clone() } else { Vec::new() },
            traces,
        })
    }
}

impl Filling<'_> {
    /// Leaves out a further place of the file at `at`, unless a unit contains the place.
    fn leave_out_part(&mut self, at: usize, row: LeftOutPlace) {
        if !self.drafts[at].units.iter().any(|unit| overlaps(unit.extent.lines, row.lines)) {
            self.leave_out(row);
        }
    }

    fn leave_out(&mut self, row: LeftOutPlace) {
        let is_same = |known: &LeftOutPlace| known.path == row.path && known.lines == row.lines;
        if !self.left_out.iter().any(is_same) {
            self.left_out.push(row);
        }
    }
}

impl UnitExtent {
    fn key(&self, file: u32) -> (u32, u32, u32) {
        (file, self.lines.first, self.lines.last)
    }
}

fn overlaps(one: Lines, other: Lines) -> bool {
    one.first <= other.last && other.first <= one.last
}

/// Why a file was chosen.
fn reason_of(own: &PackCandidate) -> String {
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

/// Drops lines at the end until the text has at most `room` bytes.
fn cut_text(text: &mut Vec<String>, room: usize) {
    let mut size = 0;
    let kept = text.iter().take_while(|line| {
        size += line.len() + 1 + LINE_BYTES;
        size <= room
    });
    let kept = kept.count();
    text.truncate(kept.max(1));
}
