//! The choice of units within the budget, and the reason for each place that is left out.

use rustc_hash::FxHashSet;

use super::assembled::Assembled;
use super::candidates::{CandidatePlace, PackCandidate};
use super::filling::{Draft, DraftUnit, Filling, Pick, reason_of, unit_reason, unit_tokens};
use super::run::PackRun;
use crate::api::*;
use crate::error::Error;
use spyhop_base::path::RelPath;
use spyhop_context::goals::{Goal, PackMode};
use spyhop_context::pack::{Budget, Spread, WeighedFile, cut, worth};

/// The most places that a reply lists as left out.
pub(crate) const MAX_LEFT_OUT: usize = 30;

/// The most files that are considered.
const MAX_CONSIDERED: usize = 60;

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
        let mut earlier = FxHashSet::default();
        for number in 0..=page {
            // The pages before are filled as they were; a further page never repeats what the session was sent.
            self.dedupes = number == page && (self.request.dedupe || page > 0);
            let filling = Filling {
                budget: self.budget_of_page(goals, number),
                drafts: Vec::new(),
                left_out: Vec::new(),
                earlier,
            };
            let filled = match self.request.stages.weighing {
                true => self.fill(candidates, ranked, filling, number > 0)?,
                false => self.fill_plainly(candidates, filling)?,
            };
            if number == page {
                return self.finished(filled, goals.len() == 1);
            }
            earlier = filled.earlier;
            for draft in &filled.drafts {
                let key = |unit: &DraftUnit<'_>| unit.extent.key(draft.candidate.file);
                earlier.extend(draft.units.iter().map(key));
            }
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
        let n_wanted = self.number_of_files(&wanted, filling.budget, is_extension)?;
        for (rank, (own, probability)) in wanted.iter().enumerate() {
            let Some(pick) = self.first_unsent(&mut filling, own, *probability)? else { continue };
            if rank >= n_wanted {
                let reason = self.reason_to_omit(&filling, pick)?;
                filling.leave_out(self.place_row(pick, reason)?);
            } else {
                self.take(&mut filling, pick)?;
            }
        }
        self.deepen(&mut filling)?;
        self.back_up(&mut filling, &others, &wanted[n_wanted.min(wanted.len())..])?;
        for &(own, probability) in &others {
            let is_shown = filling.drafts.iter().any(|draft| draft.candidate.file == own.file);
            if let Some(place) = own.places.first().filter(|_| !is_shown) {
                let pick = Pick { own, place, probability, is_backup: false };
                filling.leave_out(self.place_row(pick, LeftOutReason::OtherRegion)?);
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
    fn number_of_files(
        &self,
        wanted: &[(&PackCandidate, f32)],
        mut budget: Budget,
        is_extension: bool,
    ) -> Result<usize, Error> {
        if !self.request.stages.prune || is_extension {
            return Ok(wanted.len());
        }
        let precision = match self.record.pack_mode {
            PackMode::NavigationPrune => 1.5,
            PackMode::Broad => 0.65,
            PackMode::Focused | PackMode::Auto => 0.7,
        };
        let (mut fitting, mut places) = (Vec::new(), Vec::new());
        for (at, (own, probability)) in wanted.iter().enumerate() {
            let Some(place) = self.by_worth(own)?.into_iter().next() else { continue };
            let Some(extent) = self.units.extent(own.file, place)? else { continue };
            let pick = Pick { own, place, probability: *probability, is_backup: false };
            if budget.take(unit_tokens(pick, &extent) + self.file_tokens(pick)) {
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
    ) -> Result<Option<Pick<'c>>, Error> {
        for place in self.by_worth(own)? {
            let pick = Pick { own, place, probability, is_backup: false };
            let Some(extent) = self.units.extent(own.file, place)? else {
                filling.leave_out(self.place_row(pick, LeftOutReason::Unreadable)?);
                return Ok(None);
            };
            if filling.earlier.contains(&extent.key(own.file)) {
                continue;
            }
            let Some(sent) = self.sent_before(own.file, extent.lines)? else { return Ok(Some(pick)) };
            let row = self.place_row(pick, LeftOutReason::Sent)?;
            filling.leave_out(LeftOutPlace { lines: extent.lines, sent_before: Some(sent), ..row });
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

    /// The reply's files, with their texts. The files of a task with one goal are in the order of the search, and the files
    /// that only the code graph led to come after them.
    fn finished(&self, filling: Filling<'_>, has_one_goal: bool) -> Result<Assembled, Error> {
        let Filling { budget, mut drafts, mut left_out, .. } = filling;
        if has_one_goal && self.request.stages.weighing {
            drafts.sort_by_key(|draft| {
                let evidence = &draft.candidate.evidence;
                let rank = evidence.task.map_or(usize::MAX, |(rank, _)| rank);
                (draft.is_backup, !evidence.is_named, rank)
            });
        }
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
            source: None,
            path: RelPath::new(version.path())?,
            language: self.engine.grammars().name(version.language()),
            content: version.content().ranked(),
            score: draft.probability,
            reason: reason_of(draft.candidate),
            is_backup: draft.is_backup,
            imports: if self.request.mode == Mode::Compact { Vec::new() } else { draft.imports },
            units: units.collect::<Result<_, Error>>()?,
        })
    }

    fn pack_unit(&self, file: u32, unit: DraftUnit<'_>, probability: f32) -> Result<PackUnit, Error> {
        let DraftUnit { extent, place, cut_to, traces } = unit;
        let mut text = match self.request.mode {
            Mode::Compact => Vec::new(),
            Mode::Default | Mode::Debug => self.units.text(file, extent.lines)?,
        };
        text.truncate(cut_to.unwrap_or(text.len()));
        let enclosing = extent.enclosing.map(|line| self.units.line(file, line)).transpose()?;
        Ok(PackUnit {
            lines: extent.lines,
            kind: extent.kind,
            symbol: extent.symbol,
            enclosing,
            text,
            is_cut: cut_to.is_some(),
            score: if place.score > 0.0 { place.score } else { probability },
            goals: place.goals.clone(),
            reason: unit_reason(place),
            reasons: if self.request.mode == Mode::Debug { place.reasons.clone() } else { Vec::new() },
            traces,
        })
    }
}
