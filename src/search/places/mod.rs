//! Places: the functions, types and sections of the first files that answer, best first.
//!
//! The first files of the ranking are read and divided into [`units`] by their outlines. Each unit is measured by its
//! own lines ([`measure`]), and the weights of places in the profile weigh the measures. P(place | file) is the softmax
//! of the sums over the units of a file that have evidence. The order of files changes by what is known from their
//! texts alone: verbatim runs and templates.

mod measure;
mod parts;
mod runs;
mod templates;
mod units;

use self::measure::{MeasuredUnit, UnitMeasure};
use self::units::Unit;
use super::context::Context;
use super::error::SearchError;
use super::evidence::Evidence;
use super::model::RankedFile;
use super::role::is_template;
use super::source::{CurrentFile, ReadSource};
use crate::model::SymbolKind;
use crate::parallel;
use crate::profile::{Feature, PlaceSignal, QueryKind, Signal, Transform};
use crate::query::Query;
use crate::text::{Lines, Span};
use memchr::memmem::Finder;

/// The number of files that are divided into places.
const FILES: usize = 10;

/// The number of files that are divided into places for a report or a message. A report needs more than the first hits,
/// and the values in a message put its file behind others until the text shows the template.
const FILES_OF_OUTPUT: usize = 20;

/// The limit of the bytes of these files. The files after the limit are shown by their chunks.
const MAX_BYTES: u64 = 4 << 20;

/// A place of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The bytes, with comments and attributes before the item.
    pub span: Span,
    /// The lines of the item; of a type with members, the lines before its first member.
    pub lines: Lines,
    /// The kind.
    pub kind: SymbolKind,
    /// The symbol that names the place, by its number in the outline.
    pub symbol: Option<u32>,
    /// The terms of the query in its lines.
    pub mask: u64,
    /// Whether the place contains the query as written.
    pub literal: bool,
    /// The line that answers, if there is one: of a frame, of the query as written, or of a verbatim run.
    pub wanted: Option<u32>,
    /// P(place | file), greater than 0.
    pub probability: f32,
}

/// A place with its measures, for fitting weights.
#[derive(Clone, Debug)]
pub struct MeasuredPlace {
    /// The place.
    pub place: Place,
    /// By signal: the measure, and the measure divided by the greatest one in the file.
    pub values: [[f32; 2]; PlaceSignal::COUNT],
}

/// The places of the first files, best first. A file has no places if its current text is not the indexed text.
/// Verbatim runs and templates are added to the sums of these files, and the files are sorted again.
pub fn places(
    query: &Query,
    context: &Context<'_>,
    evidence: &Evidence,
    files: &mut [RankedFile],
    source: &ReadSource<'_>,
) -> Result<Vec<Vec<MeasuredPlace>>, SearchError> {
    let n_files = if query.is_report || query.is_message { FILES_OF_OUTPUT } else { FILES };
    let mut left = MAX_BYTES;
    let fits = |ranked: &&RankedFile| {
        // A path-only file is not read.
        let is_read = !context.snapshot.is_path_only(ranked.file);
        let bytes = if is_read { context.snapshot.version(ranked.file).bytes() } else { 0 };
        let fits = bytes <= left;
        left -= if fits { bytes } else { 0 };
        fits
    };
    let first: Vec<&RankedFile> = files.iter().take(n_files).take_while(fits).collect();
    let everything = Finder::new("");
    let at_hand = || UnitMeasure::new(query, context, evidence);
    let work = |measure: &mut UnitMeasure<'_>, ranked: &RankedFile| {
        if context.snapshot.is_path_only(ranked.file) {
            return Ok(Vec::new());
        }
        let CurrentFile::Text(text) = source(ranked.file, &everything) else { return Ok(Vec::new()) };
        let version = context.snapshot.version(ranked.file);
        let mut names = Vec::new();
        let outline = version.outline(&mut names)?;
        let measured = measure.file(ranked, &outline, &text)?;
        Ok(weigh_units(measured, context, query.kind))
    };
    let n_read = first.len();
    let all = parallel::map_init(context.snapshot.is_large(), first, at_hand, work, || ());
    let mut places: Vec<Vec<MeasuredPlace>> = all.into_iter().collect::<Result<_, SearchError>>()?;
    reorder(&mut files[..n_read], &mut places, context, query);
    Ok(places)
}

/// The factor of a verbatim run if the query is not a message and the file is not a template. The words of a question
/// occur in this order in many texts by chance; the text of a template is what its page says.
const RUN_OF_QUESTION: f32 = 0.1;

/// Adds to the sums of the files what only their texts show: verbatim runs and templates. Sorts the files
/// with their places.
fn reorder(
    files: &mut [RankedFile],
    places: &mut [Vec<MeasuredPlace>],
    context: &Context<'_>,
    query: &Query,
) {
    let weight = context.profile.weight(query.kind, Feature { signal: Signal::Run, form: Transform::Value });
    for (ranked, places) in files.iter_mut().zip(&*places) {
        let most = |signal: PlaceSignal| {
            places.iter().map(|place| place.values[signal as usize][0]).fold(0.0, f32::max)
        };
        let is_said = query.is_message || is_template(context.snapshot.path(ranked.file));
        let counted = if is_said { 1.0 } else { RUN_OF_QUESTION };
        let run = (counted * most(PlaceSignal::Run)).max(most(PlaceSignal::Template));
        let part = weight * run;
        ranked.measured.values[Signal::Run as usize] = run;
        ranked.parts[Signal::Run as usize] = part;
        ranked.raw += part;
        ranked.sum = ranked.raw;
    }
    let taken = files.iter().cloned().zip(places.iter_mut().map(std::mem::take));
    let mut pairs: Vec<(RankedFile, Vec<MeasuredPlace>)> = taken.collect();
    // Ties are broken by path.
    let path = |ranked: &RankedFile| context.snapshot.path(ranked.file);
    pairs.sort_by(|(a, _), (b, _)| b.raw.total_cmp(&a.raw).then_with(|| path(a).cmp(path(b))));
    for ((file, places), pair) in files.iter_mut().zip(places).zip(pairs) {
        (*file, *places) = pair;
    }
}

/// Weighs the measures of the units of a file.
fn weigh_units(measured: Vec<MeasuredUnit>, context: &Context<'_>, kind: QueryKind) -> Vec<MeasuredPlace> {
    let mut greatest = [0.0f32; PlaceSignal::COUNT];
    for unit in &measured {
        greatest.iter_mut().zip(unit.values).for_each(|(most, value)| *most = most.max(value));
    }
    let weights = context.profile.place_weights(kind);
    let mut places: Vec<(f32, MeasuredPlace)> = Vec::new();
    for MeasuredUnit { unit, values, mask, literal, wanted } in measured {
        let relative = |at: usize| if greatest[at] > 0.0 { values[at] / greatest[at] } else { 0.0 };
        let values: [[f32; 2]; PlaceSignal::COUNT] = std::array::from_fn(|at| [values[at], relative(at)]);
        let sum = values.iter().zip(weights).map(|(of, by)| of[0] * by[0] + of[1] * by[1]).sum::<f32>();
        let Unit { span, lines, kind, symbol, .. } = unit;
        let place = Place { span, lines, kind, symbol, mask, literal, wanted, probability: 0.0 };
        places.push((sum, MeasuredPlace { place, values }));
    }
    // The units are in the order of the file, and the sort is stable.
    places.sort_by(|a, b| b.0.total_cmp(&a.0));
    let best = places.first().map_or(0.0, |(sum, _)| *sum);
    let total: f32 = places.iter().map(|(sum, _)| (sum - best).exp()).sum();
    let shared = |(sum, mut own): (f32, MeasuredPlace)| {
        own.place.probability = ((sum - best).exp() / total).max(f32::MIN_POSITIVE);
        own
    };
    places.into_iter().map(shared).collect()
}
