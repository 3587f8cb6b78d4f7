//! The neighbours of the first files: what they import, what imports them, and what lies beside them.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::candidates::{CandidatePlace, PackCandidate, PackCandidates};
use super::deepen::FURTHER_SHARE;
use super::run::PackRun;
use super::traces::MIN_CONFIDENCE;
use crate::error::Error;
use spyhop_base::model::SymbolKind;
use spyhop_base::path;
use spyhop_context::pack::WeighedFile;
use spyhop_graph::Definition;

/// The first files whose neighbours count.
const FIRST: usize = 12;

/// The first files whose imports become candidates, and the first files whose importers do.
const IMPORTS_OF: usize = 8;
const IMPORTERS_OF: usize = 2;

/// The first files whose best units lead to callees and users, and the most files of either.
const CALLS_OF: usize = 3;
const MAX_ENDS: usize = 12;

/// The first folders whose other files become candidates.
const FOLDERS_OF: usize = 5;

/// The most neighbours of one kind of one file; a file with more of them tells nothing about any.
const MAX_NEIGHBORS: usize = 40;

/// The most candidates whose imports are read.
const MAX_READ: usize = 60;

/// The most files that an edge led to and whose places are looked for.
const MAX_EDGE_LED: usize = 40;

/// The first files whose functions and types become places.
const MAX_ITEMS_OF: usize = 5;

/// The share of what the most telling item of a file tells that a further item must tell.
const MIN_TELLING: f32 = 0.5;

/// A first file with its share of the weight of all first files.
struct FirstFile {
    file: u32,
    share: f32,
}

impl PackRun<'_, '_> {
    /// Adds the neighbours of the first files as candidates, and the evidence that the graph gives for each candidate.
    pub(super) fn add_neighbors(&mut self, candidates: &mut PackCandidates) -> Result<(), Error> {
        let first = self.first_files(candidates);
        let importing: Vec<u32> = first.iter().take(IMPORTS_OF).map(|own| own.file).collect();
        self.graph.graph.prepare_imports(&importing);
        for file in importing {
            let path = self.snapshot.path(file);
            let found = self.imports_read(file);
            if found.len() <= MAX_NEIGHBORS {
                self.add_led(candidates, &found, &format!("{path} imports it"));
            }
        }
        for own in first.iter().take(IMPORTERS_OF) {
            let path = self.snapshot.path(own.file);
            let mut found = self.graph.graph.possible_importers(own.file, MAX_NEIGHBORS)?;
            self.graph.graph.prepare_imports(&found);
            found.retain(|other| self.imports_read(*other).binary_search(&own.file).is_ok());
            self.add_led(candidates, &found, &format!("it imports {path}"));
        }
        let mut folders: FxHashSet<&str> = FxHashSet::default();
        for own in first.iter().take(FOLDERS_OF) {
            let path = self.snapshot.path(own.file);
            let folder = path::split(path).0;
            if folders.insert(folder) {
                let inside = self.snapshot.files_in(folder);
                if inside.len() <= MAX_NEIGHBORS {
                    self.add_led(candidates, &inside, &format!("it lies beside {path}"));
                }
            }
        }
        self.add_called(candidates, &first)?;
        self.add_evidence(candidates, &first);
        self.record.edges += self.imports.edges();
        Ok(())
    }

    /// The first files by the evidence of searches and start points, with shares that add up to 1.
    fn first_files(&self, candidates: &PackCandidates) -> Vec<FirstFile> {
        let files = candidates.by_file.values().filter(|own| !self.is_aside(own.file));
        let mut first: Vec<FirstFile> =
            files.map(|own| FirstFile { file: own.file, share: own.evidence.probability() }).collect();
        first.sort_by(|a, b| {
            let paths = || self.snapshot.path(a.file).cmp(self.snapshot.path(b.file));
            b.share.total_cmp(&a.share).then_with(paths)
        });
        first.truncate(FIRST);
        let all: f32 = first.iter().map(|own| own.share).sum();
        first.iter_mut().for_each(|own| own.share /= all.max(f32::MIN_POSITIVE));
        first
    }

    /// The files that a file imports, by their numbers.
    pub(super) fn imports_read(&self, file: u32) -> Rc<[u32]> {
        self.imports.of(file).unwrap_or_else(|| {
            let edges = self.graph.graph.imports_of(file);
            self.imports.keep(file, edges.iter().flat_map(|edge| edge.files.iter().copied()).collect())
        })
    }

    /// Adds files that an edge led to, if the filter takes them.
    fn add_led(&self, candidates: &mut PackCandidates, files: &[u32], edge: &str) {
        for &file in files {
            let version = self.snapshot.version(file);
            let is_taken = self.answer.takes_file(version.path(), version.language());
            if is_taken && !self.is_aside(file) && !version.content().is_path_only() {
                candidates.of(file).edge.get_or_insert_with(|| edge.to_string());
            }
        }
    }

    /// Adds what the best units of the first files call, and what uses these units. Files of one package need no imports for
    /// that.
    fn add_called(&mut self, candidates: &mut PackCandidates, first: &[FirstFile]) -> Result<(), Error> {
        for own in first.iter().take(CALLS_OF) {
            let place = candidates.by_file.get(&own.file).and_then(|known| known.places.first());
            let Some(extent) = place.map(|place| self.units.extent(own.file, place)).transpose()?.flatten()
            else {
                continue;
            };
            let Some(unit) = self.definition_of(own.file, &extent)? else { continue };
            let (callees, users) = self.edges_of(&unit)?;
            self.record.edges += callees.len() + users.len();
            let name = unit.qualified();
            let called = callees.into_iter().map(|edge| (edge.confidence, edge.to.file, Some(edge.to)));
            self.add_ends(candidates, called.collect(), own, &format!("{name} calls it"));
            let using = users.into_iter().map(|edge| (edge.confidence, edge.file, edge.from));
            self.add_ends(candidates, using.collect(), own, &format!("it uses {name}"));
        }
        Ok(())
    }

    /// Adds the other ends of the edges of a unit, if they are few, with the share of the unit's file.
    fn add_ends(
        &self,
        candidates: &mut PackCandidates,
        ends: Vec<(f32, u32, Option<Definition>)>,
        first: &FirstFile,
        why: &str,
    ) {
        let mut files: BTreeMap<u32, (f32, Option<Definition>)> = BTreeMap::new();
        for (confidence, file, end) in ends.into_iter().filter(|(_, file, _)| *file != first.file) {
            let version = self.snapshot.version(file);
            let is_taken = self.answer.takes_file(version.path(), version.language());
            let known = files.get(&file).is_some_and(|(known, _)| *known >= confidence);
            if confidence >= MIN_CONFIDENCE && is_taken && !known && !self.is_aside(file) {
                files.insert(file, (confidence, end));
            }
        }
        if files.len() > MAX_ENDS {
            return;
        }
        let damping = 1.0 + (1.0 + files.len() as f32).ln();
        for (file, (confidence, end)) in files {
            let candidate = candidates.of(file);
            candidate.evidence.called += first.share * confidence / damping;
            candidate.edge.get_or_insert_with(|| why.to_string());
            if let Some(end) = end.filter(|_| candidate.places.is_empty()) {
                candidate.add(CandidatePlace::led(end.lines, end.kind, end.qualified(), 0.0, why));
            }
        }
    }

    /// Sets the evidence that imports and names give.
    fn add_evidence(&self, candidates: &mut PackCandidates, first: &[FirstFile]) {
        let mut by_rank: Vec<(usize, &str, u32)> = Vec::new();
        for own in candidates.by_file.values() {
            let rank = own.evidence.task.map_or(usize::MAX, |(rank, _)| rank);
            by_rank.push((rank, self.snapshot.path(own.file), own.file));
        }
        by_rank.sort_unstable();
        let read: Vec<u32> = by_rank.iter().take(MAX_READ).map(|(_, _, file)| *file).collect();
        self.graph.graph.prepare_imports(&read);
        for file in read {
            self.imports_read(file);
        }
        let importers = self.imports.importers();
        let damped = |share: f32, edges: usize| share / (1.0 + (1.0 + edges as f32).ln());
        for own in candidates.by_file.values_mut() {
            let others = || first.iter().filter(|other| other.file != own.file);
            let imported = others().filter_map(|other| {
                let found = self.imports.of(other.file)?;
                found.contains(&own.file).then(|| damped(other.share, found.len()))
            });
            let imported = imported.sum();
            let found = self.imports.of(own.file).unwrap_or_default();
            let importing = others().filter(|other| found.contains(&other.file));
            let importing = importing
                .map(|other| damped(other.share, importers.get(&other.file).copied().unwrap_or(0)))
                .sum();
            let path = self.snapshot.path(own.file);
            let likeness = |other: &FirstFile| other.share * likeness(path, self.snapshot.path(other.file));
            let name = others().map(likeness).fold(0.0, f32::max);
            (own.evidence.imported, own.evidence.importing, own.evidence.name) = (imported, importing, name);
        }
    }

    /// Finds places in the files that an edge or a start point led to: the definition with the most words of the task, or
    /// else the main definition.
    pub(super) fn place_edge_led(
        &self,
        candidates: &mut [PackCandidate],
        ranked: &[WeighedFile],
    ) -> Result<(), Error> {
        let without = ranked.iter().map(|own| own.at).filter(|at| candidates[*at].places.is_empty());
        for at in without.take(MAX_EDGE_LED).collect::<Vec<_>>() {
            let file = candidates[at].file;
            let place = match self.units.telling_places(file)?.into_iter().next() {
                Some((_, lines, kind, symbol)) => {
                    Some((lines, kind, symbol, "it has the most words of the task in its file"))
                }
                None => self.main_definition(file)?.map(|own| {
                    (own.lines, own.kind, own.qualified(), "it is the main definition of its file")
                }),
            };
            if let Some((lines, kind, symbol, why)) = place {
                candidates[at].add(CandidatePlace::led(lines, kind, symbol, 0.0, why));
            }
        }
        Ok(())
    }

    /// Adds the functions and types of the first files that have words of the task. A place that a search found gets at least
    /// the score that its item would have: the scores of a search fall too fast to tell the items of one file apart.
    pub(super) fn add_items(
        &self,
        candidates: &mut [PackCandidate],
        ranked: &[WeighedFile],
    ) -> Result<(), Error> {
        for own in ranked.iter().take(MAX_ITEMS_OF) {
            let candidate = &mut candidates[own.at];
            let Some(best) = candidate.places.first().map(|place| place.score) else { continue };
            let items = self.units.telling_places(candidate.file)?;
            let most = items.first().map_or(1.0, |(tells, ..)| *tells);
            let telling = items.into_iter().take_while(|(tells, ..)| *tells >= most * MIN_TELLING);
            for (tells, lines, kind, symbol) in telling {
                let score = best * FURTHER_SHARE * (1.0 + tells / most);
                let is_in = |place: &CandidatePlace| {
                    lines.first <= place.lines.first && place.lines.last <= lines.last
                };
                if candidate.places.iter().any(|place| place.lines.overlaps(lines)) {
                    let inside = candidate.places.iter_mut().filter(|place| is_in(place));
                    inside.for_each(|place| place.score = place.score.max(score));
                } else {
                    candidate.add(CandidatePlace::led(
                        lines,
                        kind,
                        symbol,
                        score,
                        "it has words of the task",
                    ));
                }
            }
            candidate.places.sort_by(|a, b| b.score.total_cmp(&a.score));
        }
        Ok(())
    }

    /// The definition that stands for a file: its first type or function.
    fn main_definition(&self, file: u32) -> Result<Option<Definition>, Error> {
        let symbols = self.graph.graph.symbols(file)?;
        let is_main = |own: &&Definition| {
            own.kind.is_type_like() || (own.kind.is_function() && own.kind != SymbolKind::Macro)
        };
        Ok(symbols.iter().find(is_main).or(symbols.first()).cloned())
    }
}

/// The share of the longer name that both files' names begin with, 0 to 1.
fn likeness(path: &str, other: &str) -> f32 {
    let stem = |path| path::split(path).1.split('.').next().unwrap_or_default();
    let (one, other): (&str, &str) = (stem(path), stem(other));
    let common = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    common as f32 / one.len().max(other.len()).max(1) as f32
}
