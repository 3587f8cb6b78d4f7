//! The candidates of a pack: files with the places that were found in them, and with their evidence.

use std::collections::BTreeMap;

use super::super::answer::FoundPlace;
use crate::api::Reason;
use spyhop_base::model::SymbolKind;
use spyhop_base::text::Lines;
use spyhop_context::pack::NeedEvidence;

/// A place in a candidate file.
#[derive(Clone)]
pub(crate) struct CandidatePlace {
    pub lines: Lines,
    pub kind: SymbolKind,
    pub symbol: Option<String>,
    pub score: f32,
    pub goals: Vec<usize>,
    pub reasons: Vec<Reason>,
    /// The position among all places of the search for the task; the last position for other places.
    pub position: usize,
    /// Why the place was chosen, if no search found it.
    pub why: Option<String>,
    /// Whether the pack begins with the place.
    pub start: Option<StartPlace>,
}

/// A place with which a pack begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StartPlace {
    /// The caller gave the place, or the change of the request touches it.
    Given,
    /// The place uses one that the caller gave.
    User,
}

impl CandidatePlace {
    /// The place of a symbol that no search found, with the reason for it.
    pub fn led(lines: Lines, kind: SymbolKind, symbol: String, score: f32, why: &str) -> CandidatePlace {
        CandidatePlace { kind, symbol: Some(symbol), ..CandidatePlace::of_lines(lines, score, why) }
    }

    /// Lines outside of symbols that no search found, with the reason for them.
    pub fn of_lines(lines: Lines, score: f32, why: &str) -> CandidatePlace {
        CandidatePlace {
            lines,
            kind: SymbolKind::Text,
            symbol: None,
            score,
            goals: Vec::new(),
            reasons: Vec::new(),
            position: usize::MAX,
            why: Some(why.to_string()),
            start: None,
        }
    }
}

/// A file that a task may need.
#[derive(Clone, Default)]
pub(crate) struct PackCandidate {
    pub file: u32,
    /// The places, best first.
    pub places: Vec<CandidatePlace>,
    pub evidence: NeedEvidence,
    /// The goals whose searches found the file, each with the rank of the file.
    pub goals: Vec<(usize, usize)>,
    /// The goals of whose searches the file is the first one, of the kinds that the task asks for.
    pub leads: Vec<usize>,
    /// The edge that led to the file, if no search found it.
    pub edge: Option<String>,
}

/// The candidates by the number of their file.
#[derive(Default)]
pub(crate) struct PackCandidates {
    pub by_file: BTreeMap<u32, PackCandidate>,
}

impl PackCandidates {
    pub fn of(&mut self, file: u32) -> &mut PackCandidate {
        self.by_file.entry(file).or_insert_with(|| PackCandidate { file, ..PackCandidate::default() })
    }

    /// Adds the places of a search: of a goal, or of the whole task.
    pub fn add(&mut self, places: Vec<FoundPlace>, goal: Option<usize>, is_only: bool) {
        let mut ranks: Vec<u32> = Vec::new();
        for (position, place) in places.into_iter().enumerate() {
            let rank = ranks.iter().position(|file| *file == place.file).unwrap_or_else(|| {
                ranks.push(place.file);
                ranks.len() - 1
            });
            let candidate = self.of(place.file);
            let found = match goal {
                Some(_) => &mut candidate.evidence.goal,
                None => &mut candidate.evidence.task,
            };
            if found.is_none_or(|(known, _)| rank < known) {
                *found = Some((rank, place.lead));
            }
            let goals: Vec<usize> = goal.or(is_only.then_some(0)).into_iter().collect();
            for &goal in &goals {
                if !candidate.goals.iter().any(|(known, _)| *known == goal) {
                    candidate.goals.push((goal, rank));
                }
            }
            candidate.add(CandidatePlace {
                lines: place.lines,
                kind: place.kind,
                symbol: place.symbol,
                score: place.lead,
                goals,
                reasons: place.reasons,
                position: if goal.is_none() { position } else { usize::MAX },
                why: None,
                start: None,
            });
        }
    }
}

impl PackCandidate {
    /// Adds a place in the order of scores; equal places are one.
    pub fn add(&mut self, place: CandidatePlace) {
        let place = match self.places.iter().position(|known| known.lines == place.lines) {
            Some(at) => joined(self.places.remove(at), place),
            None => place,
        };
        let at = self.places.partition_point(|known| known.score >= place.score);
        self.places.insert(at, place);
    }
}

/// The better of two equal places, with the goals of both.
fn joined(known: CandidatePlace, new: CandidatePlace) -> CandidatePlace {
    let mut goals = known.goals.clone();
    goals.extend(new.goals.iter().filter(|goal| !known.goals.contains(goal)));
    let position = known.position.min(new.position);
    let start = known.start.into_iter().chain(new.start).min();
    let better = if new.score > known.score { new } else { known };
    CandidatePlace { goals, position, start, ..better }
}
