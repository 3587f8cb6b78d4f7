//! The choice of units within the budget, and the reason for each place that is left out.

use rustc_hash::FxHashSet;

use super::assembled::Assembled;
use super::candidates::{CandidatePlace, PackCandidate, StartPlace};
use super::filling::{Draft, DraftUnit, Filling, Pick, ShownLines, part_reason, reason_of};
use super::run::PackRun;
use crate::api::*;
use crate::error::Error;
use spyhop_base::id::ContentHash;
use spyhop_base::path::RelPath;
use spyhop_context::goals::{Goal, PackMode};
use spyhop_context::pack::{Budget, Spread, WeighedFile, cut, worth};
use spyhop_search::is_aside;

/// The most places that a reply lists as left out.
pub(crate) const MAX_LEFT_OUT: usize = 30;

/// The most files that are considered.
const MAX_CONSIDERED: usize = 60;

/// The most files that are taken before further units. `docs/packs.md` has the figures of other numbers.
const MAX_WANTED: usize = 16;

/// The expected number of files that a task needs.
const EXPECTED_FILES: f32 = 4.0;

impl PackRun<'_, '_> {
    /// Fills the page of a pack, after the pages before it.
    pub(super) fn assembled(
        &mut self,
        candidates: &[PackCandidate],
        ranked: &[WeighedFile],
        goals: &[Goal],
        page: usize,
    ) -> Result<Assembled, Error> {
        let mut earlier = ShownLines::default();
        for number in 0..=page {
            // The pages before are filled as they were; a further page never repeats what the session was sent.
            self.dedupes = number == page && (self.request.dedupe || page > 0);
            let filling = Filling::new(self.budget_of_page(goals, number), earlier);
            let filled = match self.request.stages.weighing {
                true => self.fill(candidates, ranked, filling, goals.len(), number > 0)?,
                false => self.fill_plainly(candidates, filling)?,
            };
            if number == page {
                return self.finished(filled, goals.len() == 1);
            }
            earlier = filled.into_shown();
        }
        unreachable!("the last page is returned")
    }

    /// The budget for the code of a page: without the lines around the files, and without the room of notes.
    fn budget_of_page(&self, goals: &[Goal], page: usize) -> Budget {
        let mut budget = Budget::new(self.request.budget - self.room_of_notes(page));
        budget.take(self.tokens_around(goals, page));
        budget
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
            self.take(&mut filling, Pick { own, place, probability: place.score, is_backup: false })?;
        }
        Ok(filling)
    }

    /// Fills a page: one unit of each file that is worth its tokens, more of the core files, the backup; and then, up to
    /// [`FILLED`] of the budget, what is worth most for its tokens. The order of these steps does not depend on the budget.
    fn fill<'c>(
        &mut self,
        candidates: &'c [PackCandidate],
        ranked: &[WeighedFile],
        mut filling: Filling<'c>,
        n_goals: usize,
        is_extension: bool,
    ) -> Result<Filling<'c>, Error> {
        let mut others = Vec::new();
        let mut wanted: Vec<(&PackCandidate, f32)> = Vec::new();
        let mut contents = FxHashSet::default();
        for own in ranked.iter().take(MAX_CONSIDERED) {
            let candidate = &candidates[own.at];
            if self.is_copy(candidate, &mut contents) {
                self.leave_out_copy(&mut filling, candidate, own.probability)?;
                continue;
            }
            match self.is_of_branch(candidate) {
                true => wanted.push((candidate, own.probability)),
                false => others.push((candidate, own.probability)),
            }
        }
        // The files that the task or the caller names are wanted, and so is the first file of each of several goals, however
        // improbable the whole task makes them.
        let leads = |own: &PackCandidate| own.evidence.is_named || (n_goals > 1 && !own.leads.is_empty());
        wanted.sort_by_key(|(own, _)| !leads(own));
        let n_leads = wanted.iter().take_while(|(own, _)| leads(own)).count();
        let n_wanted = if is_extension { wanted.len() } else { self.number_of_files(&wanted, n_leads)? };
        self.take_starts(&mut filling, &wanted)?;
        for &(own, probability) in &wanted[..n_wanted] {
            self.take_first_units(&mut filling, own, probability, n_goals)?;
        }
        self.deepen(&mut filling)?;
        self.back_up(&mut filling, &others, &wanted[n_wanted..])?;
        if self.record.pack_mode != PackMode::NavigationPrune {
            self.fill_up(&mut filling, &wanted)?;
        }
        self.list_what_is_left_out(&mut filling, &wanted, &others)?;
        Ok(filling)
    }

    /// Takes the places that the caller gave, and then those that use them.
    fn take_starts<'c>(
        &self,
        filling: &mut Filling<'c>,
        wanted: &[(&'c PackCandidate, f32)],
    ) -> Result<(), Error> {
        for start in [StartPlace::Given, StartPlace::User] {
            for &(own, probability) in wanted {
                for place in own.places.iter().filter(|place| place.start == Some(start)) {
                    self.take(filling, Pick { own, place, probability, is_backup: false })?;
                }
            }
        }
        Ok(())
    }

    /// Takes the best unit of a file, and the best unit for each of several goals that the file leads.
    fn take_first_units<'c>(
        &self,
        filling: &mut Filling<'c>,
        own: &'c PackCandidate,
        probability: f32,
        n_goals: usize,
    ) -> Result<(), Error> {
        let goals: &[usize] = if n_goals > 1 { &own.leads } else { &[] };
        for goal in goals {
            let is_of_goal = |place: &&CandidatePlace| place.goals.contains(goal);
            if let Some(place) = self.by_worth(own)?.into_iter().find(is_of_goal) {
                self.take(filling, Pick { own, place, probability, is_backup: false })?;
            }
        }
        if filling.draft_of(own.file).is_none()
            && let Some(pick) = self.first_unsent(filling, own, probability)?
        {
            self.take(filling, pick)?;
        }
        Ok(())
    }

    /// Lists the places of the considered files that the page does not have.
    fn list_what_is_left_out<'c>(
        &self,
        filling: &mut Filling<'c>,
        wanted: &[(&'c PackCandidate, f32)],
        others: &[(&'c PackCandidate, f32)],
    ) -> Result<(), Error> {
        for &(own, probability) in wanted {
            let has_unit = filling.draft_of(own.file).is_some();
            for place in &own.places {
                if filling.has(own.file, place) {
                    continue;
                }
                if let Some(extent) = self.units.extent(own.file, place)? {
                    let Some(rest) = self.unshown(filling, own.file, extent)? else { continue };
                    filling.has_more |=
                        !rest.parts.is_empty() && self.sent_of_session(own.file, &rest)?.is_none();
                }
                let pick = Pick { own, place, probability, is_backup: false };
                let reason = self.reason_to_omit(filling, pick)?;
                filling.leave_out(self.place_row(pick, reason)?);
                // Of a file without a unit the best place is listed.
                if !has_unit {
                    break;
                }
            }
        }
        for &(own, probability) in
            others.iter().filter(|(own, _)| filling.draft_of(own.file).is_none()).collect::<Vec<_>>()
        {
            if let Some(place) = own.places.first() {
                let pick = Pick { own, place, probability, is_backup: false };
                filling.leave_out(self.place_row(pick, LeftOutReason::OtherRegion)?);
            }
        }
        Ok(())
    }

    /// Whether a file is a test, vendored or generated, and has one of `contents`, those of the files before it; as in a search.
    fn is_copy(&self, own: &PackCandidate, contents: &mut FxHashSet<ContentHash>) -> bool {
        let content = self.snapshot.version(own.file).content().ranked();
        let is_known = content.is_some_and(|content| !contents.insert(content));
        is_known && !own.evidence.is_named && is_aside(self.snapshot.path(own.file))
    }

    fn leave_out_copy<'c>(
        &self,
        filling: &mut Filling<'c>,
        own: &'c PackCandidate,
        probability: f32,
    ) -> Result<(), Error> {
        if let Some(place) = own.places.first() {
            let pick = Pick { own, place, probability, is_backup: false };
            filling.leave_out(self.place_row(pick, LeftOutReason::Duplicate)?);
        }
        Ok(())
    }

    /// Whether a file belongs to the primary region, if the mode commits to that region.
    fn is_of_branch(&self, candidate: &PackCandidate) -> bool {
        let primary = self.record.regions.first();
        let is_primary =
            |(goal, _): &(usize, usize)| primary.is_none_or(|region| region.goals.contains(goal));
        !self.commits_to_region()
            || candidate.evidence.is_named
            || candidate.goals.is_empty()
            || candidate.goals.iter().any(is_primary)
    }

    /// The number of files, of those in order, that are worth their tokens; at least the first `n_leads`.
    fn number_of_files(&self, wanted: &[(&PackCandidate, f32)], n_leads: usize) -> Result<usize, Error> {
        if !self.request.stages.prune {
            return Ok(wanted.len());
        }
        let precision = match self.record.pack_mode {
            PackMode::NavigationPrune => 1.5,
            PackMode::Broad => 0.65,
            PackMode::Focused | PackMode::Auto => 0.7,
        };
        let (mut probabilities, mut places) = (Vec::new(), Vec::new());
        for (at, (own, probability)) in wanted.iter().enumerate().take(MAX_WANTED) {
            if !own.places.is_empty() {
                probabilities.push(*probability);
                places.push(at);
            }
        }
        let n_files = cut(&probabilities, EXPECTED_FILES, Spread { precision });
        let n_files = n_files.checked_sub(1).map_or(1, |last| places[last] + 1);
        Ok(n_files.max(n_leads).min(wanted.len()))
    }

    /// The best place of a file that the session was not sent, if the request leaves out what was sent.
    fn first_unsent<'c>(
        &self,
        filling: &mut Filling<'c>,
        own: &'c PackCandidate,
        probability: f32,
    ) -> Result<Option<Pick<'c>>, Error> {
        for place in self.by_worth(own)? {
            let pick = Pick { own, place, probability, is_backup: false };
            let Some(extent) = self.units.extent(own.file, place)? else {
                filling.leave_out(self.place_row(pick, LeftOutReason::Unreadable)?);
                return Ok(None);
            };
            let Some(extent) = self.unshown(filling, own.file, extent)? else { continue };
            let Some(sent) = self.sent_before(own.file, &extent)? else { return Ok(Some(pick)) };
            let row = self.place_row(pick, LeftOutReason::Sent)?;
            filling.leave_out(LeftOutPlace { lines: extent.lines, sent_before: Some(sent), ..row });
        }
        Ok(None)
    }

    /// The places of a file by what they are worth their tokens.
    pub(super) fn by_worth<'c>(&self, own: &'c PackCandidate) -> Result<Vec<&'c CandidatePlace>, Error> {
        let best = own.places.first().map_or(0.0, |place| place.score);
        let mut places = Vec::with_capacity(own.places.len());
        for place in &own.places {
            let tokens = self.units.extent(own.file, place)?.map_or(0, |extent| extent.tokens);
            places.push((worth(place.score, best, tokens), place));
        }
        places.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok(places.into_iter().map(|(_, place)| place).collect())
    }

    /// The reply's files, with their texts. The files of a task with one goal are in the order of the search, and the files
    /// that only the code graph led to come after them, except for the start points and what uses them.
    fn finished(&self, filling: Filling<'_>, has_one_goal: bool) -> Result<Assembled, Error> {
        let Filling { budget, mut drafts, mut left_out, has_more, .. } = filling;
        if has_one_goal && self.request.stages.weighing {
            drafts.sort_by_key(|draft| {
                let evidence = &draft.candidate.evidence;
                let rank = evidence.task.map_or(usize::MAX, |(rank, _)| rank);
                (draft.is_backup, !evidence.is_named, evidence.near == 0.0, rank)
            });
        }
        let lacks_room = |place: &LeftOutPlace| place.reason == LeftOutReason::Budget;
        let has_more = has_more || (!self.request.stages.weighing && left_out.iter().any(lacks_room));
        let is_complete = drafts.is_empty() || !has_more;
        let left_out_counts = counts_of(&left_out);
        left_out.sort_by(|a, b| {
            let places = || (&a.path, a.lines.first).cmp(&(&b.path, b.lines.first));
            b.score.total_cmp(&a.score).then_with(places)
        });
        left_out.truncate(MAX_LEFT_OUT);
        let files = drafts.into_iter().map(|draft| self.pack_file(draft)).collect::<Result<_, Error>>()?;
        Ok(Assembled { files, left_out, left_out_counts, tokens: budget.used(), is_complete })
    }

    fn pack_file(&self, draft: Draft<'_>) -> Result<PackFile, Error> {
        let file = draft.candidate.file;
        let version = self.snapshot.version(file);
        let mut units = draft.units;
        units.sort_by_key(|unit| unit.extent.lines.first);
        let units = units.into_iter().map(|unit| self.pack_units(file, unit, draft.probability));
        let units = units.collect::<Result<Vec<_>, Error>>()?;
        Ok(PackFile {
            source: None,
            path: RelPath::new(version.path())?,
            language: self.engine.grammars().name(version.language()),
            content: version.content().ranked(),
            score: draft.probability,
            reason: reason_of(draft.candidate),
            is_backup: draft.is_backup,
            imports: if self.request.mode == Mode::Compact { Vec::new() } else { draft.imports },
            units: units.into_iter().flatten().collect(),
        })
    }

    /// The unit, or its parts.
    fn pack_units(&self, file: u32, unit: DraftUnit<'_>, probability: f32) -> Result<Vec<PackUnit>, Error> {
        let DraftUnit { extent, place, mut traces } = unit;
        let mut units = Vec::with_capacity(extent.parts.len());
        for (at, &lines) in extent.parts.iter().enumerate() {
            let is_first = at == 0;
            let text = match self.request.mode {
                Mode::Compact => Vec::new(),
                Mode::Default | Mode::Debug => self.units.text(file, lines)?,
            };
            let enclosing = extent.enclosing.filter(|_| is_first);
            let has_reasons = is_first && self.request.mode == Mode::Debug;
            units.push(PackUnit {
                lines,
                kind: extent.kind,
                symbol: extent.symbol.clone(),
                enclosing: enclosing.map(|line| self.units.line(file, line)).transpose()?,
                text,
                part_of: extent.is_cut().then_some(extent.lines),
                score: if place.score > 0.0 { place.score } else { probability },
                goals: place.goals.clone(),
                reason: part_reason(place, is_first),
                reasons: if has_reasons { place.reasons.clone() } else { Vec::new() },
                traces: std::mem::take(&mut traces),
            });
        }
        Ok(units)
    }
}

/// How many places were left out for each reason, in the order of the reasons.
fn counts_of(left_out: &[LeftOutPlace]) -> Vec<(LeftOutReason, usize)> {
    let count = |reason| left_out.iter().filter(|place| place.reason == reason).count();
    let counts = LeftOutReason::ALL.map(|reason| (reason, count(reason)));
    counts.into_iter().filter(|(_, count)| *count > 0).collect()
}
