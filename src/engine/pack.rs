//! Context packs: the functions and types that a task needs, whole, within a budget of tokens.
//!
//! The task is divided into goals, each goal is searched, and the places that the searches find are chosen by the
//! probability that at least one of the searches is right. A place is shown as its whole item with its doc comment, or not
//! at all; only an item that is larger than the whole budget is cut, and says so. Each place that is left out has a
//! reason.

use std::collections::BTreeMap;

use super::Error;
use super::api::*;
use super::core::Engine;
use super::current::Recorded;
use super::items::{FileItem, ItemSources};
use super::lookup::check_rows;
use crate::goals::{Goal, decompose};
use crate::model::SymbolKind;
use crate::path::RelPath;
use crate::text::{LineIndex, Lines};
use crate::update::OnProgress;

/// The smallest and the largest budget, in tokens.
const BUDGETS: std::ops::RangeInclusive<usize> = 200..=200_000;

/// The places that are considered for each goal.
const PROBE: usize = 20;

/// Places below this probability are left out, except the best place of each goal.
const LEAST_SCORE: f32 = 0.05;

/// The factor of the probability of a place that only the text of the whole task finds, if there are several goals.
const WHOLE_TASK: f32 = 0.6;

/// The bytes of a token, on average.
const BYTES_PER_TOKEN: usize = 4;

/// The tokens of the heading of a file and of a unit.
const HEADING_TOKENS: usize = 12;

/// The most places that a reply lists as left out.
const MAX_LEFT_OUT: usize = 30;

/// A place that searches found.
struct PackCandidate {
    hit: Hit,
    /// The probability that no search is right about the place.
    doubt: f32,
    goals: Vec<usize>,
    /// Whether the place is the best one of a goal.
    leads: bool,
}

impl PackCandidate {
    fn score(&self) -> f32 {
        1.0 - self.doubt
    }
}

impl Engine {
    /// Collects the code that a task needs.
    ///
    /// # Errors
    /// As [`Engine::search`]; `BadRequest` if the budget or the number of files is out of range.
    pub fn pack(&self, request: &PackRequest) -> Result<PackReply, Error> {
        self.pack_with_progress(request, &|_| ())
    }

    /// Like [`Engine::pack`], and reports the progress of an index update before the answer.
    ///
    /// # Errors
    /// As [`Engine::pack`].
    pub fn pack_with_progress(
        &self,
        request: &PackRequest,
        progress: OnProgress<'_>,
    ) -> Result<PackReply, Error> {
        check_rows("max_files", request.max_files, MAX_RESULTS)?;
        if !BUDGETS.contains(&request.budget) {
            let (least, most) = (BUDGETS.start(), BUDGETS.end());
            return Err(Error::bad(format!("budget is {}; choose {least} to {most} tokens", request.budget)));
        }
        let span = tracing::info_span!("code.pack", project = %self.root().display());
        let _entered = span.enter();
        let goals = decompose(&request.task);
        let (first, candidates) = self.probe(request, &goals, progress)?;
        let (files, left_out, tokens) = self.select(request, candidates)?;
        Ok(PackReply {
            goals: goals.into_iter().map(pack_goal).collect(),
            files,
            left_out,
            tokens,
            budget: request.budget,
            snapshot: first.snapshot,
            warnings: first.warnings,
        })
    }

    /// Searches for the whole task and for each goal. The candidates are the places found, best first, those that lead
    /// a goal before all others.
    fn probe(
        &self,
        request: &PackRequest,
        goals: &[Goal],
        progress: OnProgress<'_>,
    ) -> Result<(SearchReply, Vec<PackCandidate>), Error> {
        let search = |text: &str, max_results| SearchRequest {
            filter: request.filter.clone(),
            mode: Mode::Compact,
            max_results,
            ..SearchRequest::new(text)
        };
        let is_divided = goals.len() > 1;
        let n_whole = if is_divided { PROBE } else { MAX_RESULTS };
        let whole = self.search_with_progress(&search(&request.task, n_whole), progress)?;
        let mut found: BTreeMap<(RelPath, u32, u32), PackCandidate> = BTreeMap::new();
        let mut add = |hit: &Hit, goal: Option<usize>, leads: bool| {
            let factor = if goal.is_none() && is_divided { WHOLE_TASK } else { 1.0 };
            let key = (hit.path.clone(), hit.lines.first, hit.lines.last);
            let candidate = found.entry(key).or_insert_with(|| PackCandidate {
                hit: hit.clone(),
                doubt: 1.0,
                goals: Vec::new(),
                leads: false,
            });
            candidate.doubt *= 1.0 - (factor * hit.score).clamp(0.0, 1.0);
            candidate.goals.extend(goal);
            candidate.leads |= leads;
            if hit.score > candidate.hit.score {
                candidate.hit = hit.clone();
            }
        };
        let only = (!is_divided && !goals.is_empty()).then_some(0);
        whole.results.iter().enumerate().for_each(|(rank, hit)| add(hit, only, rank == 0 && !is_divided));
        // The first search has compared the tree, so all searches of a pack answer from one commit of the index.
        let compared = self.with_policy(CallPolicy { stale_policy: StalePolicy::Ignore, ..self.policy });
        for (goal, asked) in goals.iter().enumerate().filter(|_| is_divided) {
            let reply = compared.search(&search(&asked.text, PROBE))?;
            reply.results.iter().enumerate().for_each(|(rank, hit)| add(hit, Some(goal), rank == 0));
        }
        let mut candidates: Vec<PackCandidate> = found.into_values().collect();
        // The sort is stable, so that equal scores stay in the order of paths and lines.
        candidates.sort_by(|a, b| b.leads.cmp(&a.leads).then(b.score().total_cmp(&a.score())));
        Ok((whole, candidates))
    }

    /// Takes candidates in their order while the budget lasts.
    fn select(
        &self,
        request: &PackRequest,
        candidates: Vec<PackCandidate>,
    ) -> Result<(Vec<PackFile>, Vec<LeftOutPlace>, usize), Error> {
        let mut files: Vec<PackFile> = Vec::new();
        let (mut left_out, mut tokens) = (Vec::new(), 0);
        for candidate in candidates {
            let known = files.iter().position(|file| file.path == candidate.hit.path);
            let covers = |unit: &PackUnit| {
                unit.lines.first <= candidate.hit.lines.first && candidate.hit.lines.last <= unit.lines.last
            };
            if known.is_some_and(|at| files[at].units.iter().any(covers)) {
                continue;
            }
            let outcome = match known {
                _ if candidate.score() < LEAST_SCORE && !candidate.leads => Err(LeftOutReason::Threshold),
                None if files.len() == request.max_files => Err(LeftOutReason::Files),
                _ => self.unit(&candidate, request.budget)?.ok_or(LeftOutReason::Unreadable),
            };
            let outcome = outcome.and_then(|unit| {
                let heading = if known.is_some() { 0 } else { HEADING_TOKENS };
                let cost = tokens_of(&unit) + heading;
                if tokens + cost > request.budget { Err(LeftOutReason::Budget) } else { Ok((unit, cost)) }
            });
            match outcome {
                Err(reason) => left_out.push(candidate.left_out(reason)),
                Ok((unit, cost)) => {
                    tokens += cost;
                    let at = known.unwrap_or(files.len());
                    if known.is_none() {
                        let (path, language) = (candidate.hit.path, candidate.hit.language);
                        files.push(PackFile { path, language, units: Vec::new() });
                    }
                    tokens -= place(&mut files[at].units, unit);
                }
            }
        }
        left_out.truncate(MAX_LEFT_OUT);
        Ok((files, left_out, tokens))
    }

    /// The whole item of a place; `None` if the file cannot be read any more.
    fn unit(&self, candidate: &PackCandidate, budget: usize) -> Result<Option<PackUnit>, Error> {
        let hit = &candidate.hit;
        let Ok(file) = self.file_text(&hit.path) else { return Ok(None) };
        let recorded = self.recorded();
        let viewed = recorded.as_ref().map(Recorded::viewed);
        let sources =
            ItemSources { viewed, source_tree: &file.source_tree, by_outline: true, most_parsed: 1 };
        let index = LineIndex::new(&file.text);
        let end = u32::try_from(file.text.len()).unwrap_or(u32::MAX);
        let take = |item: FileItem<'_>| {
            let span = crate::text::Span { start: item.span.start.min(end), end: item.span.end.min(end) };
            (!item.name.is_empty()).then(|| (item.kind, item.lines, index.lines_of(span)))
        };
        let items = self.items(&sources, std::iter::once(&hit.path), &take)?;
        let items: Vec<(SymbolKind, Lines, Lines)> = items.into_values().flatten().collect();
        let contains = |outer: Lines| outer.first <= hit.lines.first && hit.lines.last <= outer.last;
        let is_own = |(_, proper, whole): &&(SymbolKind, Lines, Lines)| {
            contains(*whole) && (proper.first == hit.lines.first || *whole == hit.lines)
        };
        let whole = items.iter().find(is_own).map_or(hit.lines, |(_, _, whole)| *whole);
        let around = items.iter().rev().find(|(kind, proper, outer)| {
            let is_container = kind.is_type_like() || matches!(kind, SymbolKind::Impl | SymbolKind::Module);
            is_container && proper.first < whole.first && whole.last <= outer.last
        });
        let Some(mut unit) = self.text_of_unit(candidate, whole)? else { return Ok(None) };
        if let Some((_, proper, _)) = around {
            let request = read_request(&hit.path, Lines { first: proper.first, last: proper.first });
            if let ReadReply::Text(line) = self.read(&request)? {
                let text = line.text.into_iter().next().unwrap_or_default();
                unit.enclosing = Some(EnclosingLine { line: proper.first, text });
            }
        }
        let room = budget.saturating_sub(2 * HEADING_TOKENS) * BYTES_PER_TOKEN;
        unit.is_cut = cut(&mut unit.text, room);
        Ok(Some(unit))
    }

    fn text_of_unit(&self, candidate: &PackCandidate, lines: Lines) -> Result<Option<PackUnit>, Error> {
        let hit = &candidate.hit;
        let Ok(ReadReply::Text(read)) = self.read(&read_request(&hit.path, lines)) else { return Ok(None) };
        let reason = hit.reasons.first().map(|reason| reason.text.clone()).unwrap_or_default();
        Ok(Some(PackUnit {
            lines,
            kind: hit.kind,
            symbol: hit.symbol.clone(),
            enclosing: None,
            text: read.text,
            is_cut: false,
            score: candidate.score(),
            goals: candidate.goals.clone(),
            reason,
        }))
    }
}

impl PackCandidate {
    fn left_out(self, reason: LeftOutReason) -> LeftOutPlace {
        let score = self.score();
        LeftOutPlace { path: self.hit.path, lines: self.hit.lines, symbol: self.hit.symbol, score, reason }
    }
}

fn read_request(path: &RelPath, lines: Lines) -> ReadRequest {
    let lines = LineRange { first: lines.first, last: Some(lines.last) };
    ReadRequest { path: Some(path.clone()), lines: Some(lines), symbol: None }
}

fn pack_goal(goal: Goal) -> PackGoal {
    PackGoal { text: goal.text, verb: goal.verb, object: goal.object, qualifiers: goal.qualifiers }
}

/// Drops lines at the end until the text has at most `room` bytes.
fn cut(text: &mut Vec<String>, room: usize) -> bool {
    let mut size = 0;
    let kept = text.iter().take_while(|line| {
        size += line.len() + 1;
        size <= room
    });
    let kept = kept.count();
    let is_cut = kept < text.len();
    text.truncate(kept.max(1));
    is_cut
}

fn tokens_of(unit: &PackUnit) -> usize {
    let bytes: usize = unit.text.iter().map(|line| line.len() + 1).sum();
    let around = unit.enclosing.as_ref().map_or(0, |line| line.text.len() + 1);
    (bytes + around).div_ceil(BYTES_PER_TOKEN) + HEADING_TOKENS
}

/// Adds a unit in the order of lines, in place of the units that it contains. Returns the tokens of the replaced units.
fn place(units: &mut Vec<PackUnit>, unit: PackUnit) -> usize {
    let is_inside =
        |other: &PackUnit| unit.lines.first <= other.lines.first && other.lines.last <= unit.lines.last;
    let replaced = units.iter().filter(|other| is_inside(other)).map(tokens_of).sum();
    units.retain(|other| !is_inside(other));
    let at = units.partition_point(|other| other.lines.first < unit.lines.first);
    units.insert(at, unit);
    replaced
}
