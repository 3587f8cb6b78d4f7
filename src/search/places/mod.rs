//! Places: which functions, types and sections of the first files answer, best first.
//!
//! The first files of the ranking are read, cut into [`units`] by their outlines, and every unit is measured by what stands
//! in its own lines ([`measure`]). The profile's `places` weigh the measures; P(place | file) is the softmax of the sums over
//! the units of a file that hold any evidence. The order of files stays, but for what only their text tells: verbatim runs.

mod measure;
mod parts;
mod runs;
mod units;

use self::measure::{Measure, Measured};
use self::units::Unit;
use super::evidence::Evidence;
use super::model::RankedFile;
use super::{Context, Present, ReadSource, SearchError};
use crate::model::SymbolKind;
use crate::parallel;
use crate::profile::{Feature, PlaceSignal, QueryKind, Signal, Transform};
use crate::query::Query;
use crate::text::{Lines, Span};
use memchr::memmem::Finder;

/// The number of first files that are read and cut into places.
const FILES: usize = 10;

/// The number of first files that are cut into places for a report, whose reader looks at all hits.
const FILES_OF_REPORT: usize = 20;

/// Of these, files are read until they have so many bytes together; the others are shown by their chunks.
const MAX_BYTES: u64 = 4 << 20;

/// A place of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Its bytes, with what leads it.
    pub span: Span,
    /// The lines of the item proper; of a type with members those before the first member.
    pub lines: Lines,
    /// What it is.
    pub kind: SymbolKind,
    /// The symbol that names it, by its number in the outline.
    pub symbol: Option<u32>,
    /// The query's terms in its lines.
    pub mask: u64,
    /// Whether it holds the query as written.
    pub literal: bool,
    /// The line that answers, where one does: that of a frame, of the query as written, or of a verbatim run.
    pub wanted: Option<u32>,
    /// P(place | file), above 0.
    pub share: f32,
}

/// A place with what it measures, to learn from.
#[derive(Clone, Debug)]
pub struct MeasuredPlace {
    /// The place.
    pub place: Place,
    /// By signal: the measure, and its share of the greatest in the file.
    pub values: [[f32; 2]; PlaceSignal::COUNT],
}

/// The places of the first of `files`, best first; no places for a file whose text is not the indexed one. What only the
/// text of these files tells is added to their sums, and they are put in order anew.
pub fn places(
    query: &Query,
    context: &Context<'_>,
    evidence: &Evidence,
    files: &mut [RankedFile],
    source: &ReadSource<'_>,
) -> Result<Vec<Vec<MeasuredPlace>>, SearchError> {
    let n_files = if query.is_report { FILES_OF_REPORT } else { FILES };
    let mut left = MAX_BYTES;
    let fits = |ranked: &&RankedFile| {
        // None of what is found by its path only is read.
        let is_read = !context.corpus.is_path_only(ranked.file);
        let bytes = if is_read { context.corpus.version(ranked.file).bytes() } else { 0 };
        let fits = bytes <= left;
        left -= if fits { bytes } else { 0 };
        fits
    };
    let first: Vec<&RankedFile> = files.iter().take(n_files).take_while(fits).collect();
    let everything = Finder::new("");
    let at_hand = || Measure::new(query, context, evidence);
    let work = |measure: &mut Measure<'_>, ranked: &RankedFile| {
        if context.corpus.is_path_only(ranked.file) {
            return Ok(Vec::new());
        }
        let Present::Text(text) = source(ranked.file, &everything) else { return Ok(Vec::new()) };
        let version = context.corpus.version(ranked.file);
        let mut names = Vec::new();
        let outline = version.outline(&mut names)?;
        let measured = measure.file(ranked, &outline, &text)?;
        Ok(ordered(measured, context, query.kind))
    };
    let n_read = first.len();
    let all = parallel::map_init(context.corpus.is_large(), first, at_hand, work, || ());
    let mut places: Vec<Vec<MeasuredPlace>> = all.into_iter().collect::<Result<_, SearchError>>()?;
    reordered(&mut files[..n_read], &mut places, context, query);
    Ok(places)
}

/// What a verbatim run of a question counts beside one of a message: the words of a question follow each other in many
/// texts by chance.
const RUN_OF_QUESTION: f32 = 0.1;

/// Adds what verbatim runs say of the files, and puts files and places in their order.
fn reordered(
    files: &mut [RankedFile],
    places: &mut [Vec<MeasuredPlace>],
    context: &Context<'_>,
    query: &Query,
) {
    let weight = context.profile.weight(query.kind, Feature { signal: Signal::Run, form: Transform::Value });
    let part_of_question = if query.is_message { 1.0 } else { RUN_OF_QUESTION };
    for (ranked, places) in files.iter_mut().zip(&*places) {
        let runs = places.iter().map(|place| place.values[PlaceSignal::Run as usize][0]);
        let value = part_of_question * runs.fold(0.0, f32::max);
        let part = weight * value;
        ranked.measured.values[Signal::Run as usize] = value;
        ranked.parts[Signal::Run as usize] = part;
        ranked.raw += part;
        ranked.sum = ranked.raw;
    }
    let taken = files.iter().cloned().zip(places.iter_mut().map(std::mem::take));
    let mut pairs: Vec<(RankedFile, Vec<MeasuredPlace>)> = taken.collect();
    // Of equal ones the path decides, as before.
    let path = |ranked: &RankedFile| context.corpus.path(ranked.file);
    pairs.sort_by(|(a, _), (b, _)| b.raw.total_cmp(&a.raw).then_with(|| path(a).cmp(path(b))));
    for ((file, places), pair) in files.iter_mut().zip(places).zip(pairs) {
        (*file, *places) = pair;
    }
}

/// Weighs what the units of a file measure.
fn ordered(measured: Vec<Measured>, context: &Context<'_>, kind: QueryKind) -> Vec<MeasuredPlace> {
    let mut greatest = [0.0f32; PlaceSignal::COUNT];
    for unit in &measured {
        greatest.iter_mut().zip(unit.values).for_each(|(most, value)| *most = most.max(value));
    }
    let weights = context.profile.place_weights(kind);
    let mut places: Vec<(f32, MeasuredPlace)> = Vec::new();
    for Measured { unit, values, mask, literal, wanted } in measured {
        let share = |at: usize| if greatest[at] > 0.0 { values[at] / greatest[at] } else { 0.0 };
        let values: [[f32; 2]; PlaceSignal::COUNT] = std::array::from_fn(|at| [values[at], share(at)]);
        let sum = values.iter().zip(weights).map(|(of, by)| of[0] * by[0] + of[1] * by[1]).sum::<f32>();
        let Unit { span, lines, kind, symbol, .. } = unit;
        let place = Place { span, lines, kind, symbol, mask, literal, wanted, share: 0.0 };
        places.push((sum, MeasuredPlace { place, values }));
    }
    // Units stand in the order of the file, so of equal ones the first comes first.
    places.sort_by(|a, b| b.0.total_cmp(&a.0));
    let best = places.first().map_or(0.0, |(sum, _)| *sum);
    let total: f32 = places.iter().map(|(sum, _)| (sum - best).exp()).sum();
    let shared = |(sum, mut own): (f32, MeasuredPlace)| {
        own.place.share = ((sum - best).exp() / total).max(f32::MIN_POSITIVE);
        own
    };
    places.into_iter().map(shared).collect()
}
