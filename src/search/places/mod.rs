//! Places: the functions, types and sections of the first files that answer, best first.
//!
//! The first files of the ranking are read and divided into [`units`] by their outlines. Each unit is measured by its
//! lines ([`measure`]), and the weights of places in the profile weigh the measures. P(place | file) is the softmax
//! of the sums over the units of a file that have evidence. The order of files changes by what is known from their
//! texts alone: verbatim runs, templates, and how well their best places match.

mod host;
mod measure;
mod parts;
mod runs;
mod templates;
mod units;

use self::host::HostPlaceMeasure;
pub use self::host::HostPlacePart;
use self::measure::{MeasuredUnit, UnitMeasure};
use self::units::Unit;
use super::context::Context;
use super::definition::{has_body, qualification};
use super::error::{SearchError, check_cancelled};
use super::evidence::Evidence;
use super::head_files::HeadFiles;
use super::measure::MeasuredFile;
use super::model::RankedFile;
use super::named_outline::{OutlineNames, named_outline};
use super::role::is_template;
use super::snapshot::SearchSnapshot;
use super::source::{CurrentFile, ReadSource};
use crate::profile::{Feature, PlaceSignal, Profile, QueryKind, Signal, Transform};
use crate::query::Query;
use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};
use spyhop_base::model::SymbolKind;
use spyhop_base::parallel;
use spyhop_base::text::{Lines, Span};
use spyhop_index::meta::{Outline, OutlineSymbol};

/// The number of files that are divided into places.
const FILES: usize = 10;

/// The number of files that are divided into places for a report or a message. A report needs more than the first hits,
/// and the values in a message put its file behind others until the text shows the template.
const FILES_OF_OUTPUT: usize = 20;

/// The limit of the bytes of these files. The files after the limit are shown by their chunks.
const MAX_BYTES: u64 = 4 << 20;

/// A place of a file.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// The bytes, with comments and attributes before the item.
    pub span: Span,
    /// The lines of the item; of a type with members, the lines before its first member.
    pub lines: Lines,
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
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MeasuredPlace {
    pub place: Place,
    /// The sum of the weighed measures, in log-odds.
    pub sum: f32,
    /// By signal: the measure, and the measure divided by the greatest one in the file.
    #[serde(with = "super::array")]
    pub values: [[f32; 2]; PlaceSignal::COUNT],
    /// The contributions of the host's signals to the sum.
    #[serde(skip)]
    pub host_parts: Vec<HostPlacePart>,
}

/// The places of a file, best first, and the symbol that the first place shows instead of the one that was measured.
pub type PlacesOfFile = (Vec<MeasuredPlace>, Option<u32>);

/// How many of the ranked files, best first, are divided into places. `bytes` is the number of bytes of a file that are
/// read.
pub fn n_divided(query: &Query, files: &[RankedFile], bytes: impl Fn(&RankedFile) -> u64) -> usize {
    let n_files = if query.is_report || query.is_message { FILES_OF_OUTPUT } else { FILES };
    let mut left = MAX_BYTES;
    let fits = |ranked: &&RankedFile| {
        let bytes = bytes(ranked);
        let fits = bytes <= left;
        left -= if fits { bytes } else { 0 };
        fits
    };
    files.iter().take(n_files).take_while(fits).count()
}

/// The bytes of a file that are read to divide the file. A path-only file is not read.
pub fn bytes_to_divide(snapshot: &SearchSnapshot, file: u32) -> u64 {
    if snapshot.is_path_only(file) { 0 } else { snapshot.version(file).bytes() }
}

/// The places of files. A file has no places if its current text is not the indexed text.
pub fn places(
    query: &Query,
    context: &Context<'_>,
    evidence: &Evidence,
    files: Vec<&MeasuredFile>,
    source: &ReadSource<'_>,
) -> Result<Vec<PlacesOfFile>, SearchError> {
    let everything = Finder::new("");
    let at_hand = || UnitMeasure::new(query, context, evidence);
    let work = |measure: &mut UnitMeasure<'_>, measured: &MeasuredFile| -> Result<_, SearchError> {
        check_cancelled()?;
        let file = measured.file;
        if context.snapshot.is_path_only(file) {
            return Ok((Vec::new(), None));
        }
        let CurrentFile::Text(text) = source(file, &everything) else { return Ok((Vec::new(), None)) };
        let version = context.snapshot.version(file);
        let mut names = OutlineNames::default();
        let outline = named_outline(version, query, &mut names)?;
        let units = measure.file(measured, &outline, &text)?;
        let host = HostPlaceMeasure::new(query, context, file, &outline, &text);
        let mut places = weigh_units(units, context, query.kind, &host);
        let exact = measured.facts.exact.filter(|_| query.kind == QueryKind::Names);
        let shown =
            exact.map(|exact| definition_first(&mut places, query, &outline, (version.path(), exact)));
        set_probabilities(&mut places);
        Ok((places, shown))
    };
    parallel::map_init(context.snapshot.is_large(), files, at_hand, work, || ()).into_iter().collect()
}

/// Adds to the sums of the first files what only their texts show, and sorts them again. `found` has an entry for each of
/// these files.
pub fn add_places(
    query: &Query,
    profile: &Profile,
    files: &mut [RankedFile],
    found: Vec<PlacesOfFile>,
    table: &dyn HeadFiles,
) -> Vec<Vec<MeasuredPlace>> {
    let (read, others) = files.split_at_mut(found.len());
    let mut places: Vec<Vec<MeasuredPlace>> = Vec::with_capacity(found.len());
    for ((found, shown), ranked) in found.into_iter().zip(&mut *read) {
        ranked.measured.facts.exact = shown.or(ranked.measured.facts.exact);
        places.push(found);
    }
    add_texts(read, &places, (query, profile), table);
    add_best_places(read, &places, others.first().map(|ranked| ranked.raw), (query, profile));
    sort(read, &mut places, table);
    places
}

/// The factor of a verbatim run if the query is not a message and the file is not a template. The words of a question
/// occur in this order in many texts by chance; the text of a template is what its page says.
const RUN_OF_QUESTION: f32 = 0.1;

/// Best places whose sums differ by less are equal.
const EQUAL: f32 = 1e-3;

/// Adds to the sums of the files what only their texts show: verbatim runs and templates.
fn add_texts(
    files: &mut [RankedFile],
    places: &[Vec<MeasuredPlace>],
    (query, profile): (&Query, &Profile),
    table: &dyn HeadFiles,
) {
    let weight = profile.weight(query.kind, Feature { signal: Signal::Run, transform: Transform::Value });
    let related = |ranked: &RankedFile| ranked.measured.values[Signal::Related as usize];
    let most_related = files.iter().map(related).fold(0.0, f32::max);
    let related_weight =
        profile.weight(query.kind, Feature { signal: Signal::Related, transform: Transform::Value });
    for (ranked, places) in files.iter_mut().zip(places) {
        let most = |signal: PlaceSignal| {
            places.iter().map(|place| place.values[signal as usize][0]).fold(0.0, f32::max)
        };
        let is_said = query.is_message || is_template(table.path(ranked.file));
        let counted = if is_said { 1.0 } else { RUN_OF_QUESTION };
        let run = (counted * most(PlaceSignal::Run)).max(most(PlaceSignal::Template));
        ranked.add(Signal::Run, run, weight);
        if is_said && run > 0.0 {
            // Words that stand there as in the query are as related as words can be.
            let gain = (most_related - related(ranked)) * run.min(1.0);
            let value = related(ranked) + gain;
            ranked.raw -= ranked.parts[Signal::Related as usize];
            ranked.add(Signal::Related, value, related_weight);
        }
    }
}

/// Adds to the sums of the files how well their best places match, compared with the mean of these files, weighed by
/// their probabilities. No sum falls below `least`, the sum of the first file without places, because a file must not
/// rank lower only because it was read.
fn add_best_places(
    files: &mut [RankedFile],
    places: &[Vec<MeasuredPlace>],
    least: Option<f32>,
    (query, profile): (&Query, &Profile),
) {
    let weight = best_place_weight(query, profile);
    if weight == 0.0 {
        return;
    }
    let sums: Vec<f32> = files.iter().map(|ranked| ranked.raw).collect();
    let best: Vec<Option<f32>> = places.iter().map(|places| places.first().map(|best| best.sum)).collect();
    let leads = leads_of_best(&sums, &best, least, weight);
    for (ranked, lead) in files.iter_mut().zip(leads) {
        ranked.add(Signal::BestPlace, lead, weight);
    }
}

pub(crate) fn best_place_weight(query: &Query, profile: &Profile) -> f32 {
    let feature = Feature { signal: Signal::BestPlace, transform: Transform::Value };
    match query.is_report {
        true => profile.reports.best_place,
        false => profile.weight(query.kind, feature),
    }
}

/// By file: the lead of its best place over the mean of the best places, weighed by the probabilities of the files.
fn leads_of_best(sums: &[f32], best: &[Option<f32>], least: Option<f32>, weight: f32) -> Vec<f32> {
    let greatest = sums.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let (mut total, mut mean) = (f32::MIN_POSITIVE, 0.0);
    for (sum, best) in sums.iter().zip(best) {
        let Some(best) = best else { continue };
        let odds = (sum - greatest).exp();
        total += odds;
        mean += odds * best;
    }
    mean /= total;
    let lead = |(sum, best): (&f32, &Option<f32>)| {
        let lowest = least.map_or(f32::NEG_INFINITY, |least| ((least - sum) / weight).min(0.0));
        // Rounding must not tell equal files apart.
        best.map(|best| best - mean).filter(|lead| lead.abs() > EQUAL).map_or(0.0, |lead| lead.max(lowest))
    };
    sums.iter().zip(best).map(lead).collect()
}

/// Sorts the files with their places. Ties are broken by path.
fn sort(files: &mut [RankedFile], places: &mut [Vec<MeasuredPlace>], table: &dyn HeadFiles) {
    let taken = files.iter().cloned().zip(places.iter_mut().map(std::mem::take));
    let mut pairs: Vec<(RankedFile, Vec<MeasuredPlace>)> = taken.collect();
    let path = |ranked: &RankedFile| table.path(ranked.file);
    pairs.sort_by(|(a, _), (b, _)| b.raw.total_cmp(&a.raw).then_with(|| path(a).cmp(path(b))));
    for ((file, places), pair) in files.iter_mut().zip(places).zip(pairs) {
        (*file, *places) = pair;
    }
}

/// Weighs the measures of the units of a file.
fn weigh_units(
    measured: Vec<MeasuredUnit>,
    context: &Context<'_>,
    kind: QueryKind,
    host: &HostPlaceMeasure<'_>,
) -> Vec<MeasuredPlace> {
    let mut greatest = [0.0f32; PlaceSignal::COUNT];
    for unit in &measured {
        greatest.iter_mut().zip(unit.values).for_each(|(most, value)| *most = most.max(value));
    }
    let weights = context.profile.place_weights(kind);
    let mut places: Vec<MeasuredPlace> = Vec::new();
    for MeasuredUnit { unit, values, mask, literal, wanted } in measured {
        let relative = |at: usize| if greatest[at] > 0.0 { values[at] / greatest[at] } else { 0.0 };
        let values: [[f32; 2]; PlaceSignal::COUNT] = std::array::from_fn(|at| [values[at], relative(at)]);
        let host_parts = host.parts(&unit);
        let sum = values.iter().zip(weights).map(|(of, by)| of[0] * by[0] + of[1] * by[1]).sum::<f32>()
            + host_parts.iter().map(|part| part.weighed).sum::<f32>();
        let Unit { span, lines, kind, symbol, .. } = unit;
        let place = Place { span, lines, kind, symbol, mask, literal, wanted, probability: 0.0 };
        places.push(MeasuredPlace { place, sum, values, host_parts });
    }
    // The units are in the order of the file, and the sort is stable.
    places.sort_by(|a, b| b.sum.total_cmp(&a.sum));
    places
}

/// Moves the place of a definition to the front, for a query that only names the definition: the best place whose symbol is as
/// much what the query names as the symbol `exact`, or else the place around `exact`, which is not a place. Returns
/// the symbol that the place shows.
fn definition_first(
    places: &mut [MeasuredPlace],
    query: &Query,
    outline: &Outline<'_>,
    (path, exact): (&str, u32),
) -> u32 {
    let named = &outline.symbols[exact as usize];
    let names_other = |best: &MeasuredPlace| {
        let name = best.place.symbol.map(|symbol| outline.symbols[symbol as usize].name);
        name.is_some_and(|name| name != named.name && query.names.iter().any(|asked| asked == name))
    };
    if places.first().is_some_and(names_other) {
        return exact;
    }
    let exactness = |symbol: &OutlineSymbol<'_>| (qualification(query, symbol, path), has_body(symbol));
    let begins_in = |symbol: &OutlineSymbol<'_>, lines: Lines| {
        lines.first <= symbol.lines.first && symbol.lines.first <= lines.last
    };
    let shown = |place: &Place| {
        let number = place.symbol?;
        let symbol = &outline.symbols[number as usize];
        let is_same = symbol.name == named.name && exactness(symbol) == exactness(named);
        (is_same && begins_in(symbol, place.lines)).then_some(number)
    };
    let best = places.iter().enumerate().find_map(|(at, measured)| Some((at, shown(&measured.place)?)));
    let around = || {
        let all = places.iter().enumerate().filter(|(_, measured)| measured.place.span.contains(named.span));
        all.min_by_key(|(_, measured)| measured.place.span.len()).map(|(at, _)| (at, exact))
    };
    let Some((at, symbol)) = best.or_else(around) else { return exact };
    let sum = places[0].sum;
    places[..=at].rotate_right(1);
    places[0].sum = sum;
    // A type is shown up to its first member, which the definition may be.
    let (line, place) = (outline.symbols[symbol as usize].lines.first, &mut places[0].place);
    if !(place.lines.first <= line && line <= place.lines.last) {
        place.lines.last = line;
        place.wanted = place.wanted.or(Some(line));
    }
    symbol
}

/// Sets the probabilities of the places of a file, from their sums.
fn set_probabilities(places: &mut [MeasuredPlace]) {
    let best = places.first().map_or(0.0, |measured| measured.sum);
    let total: f32 = places.iter().map(|measured| (measured.sum - best).exp()).sum();
    for measured in places {
        measured.place.probability = ((measured.sum - best).exp() / total).max(f32::MIN_POSITIVE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_leads_by_its_best_place_and_does_not_fall_behind_files_that_were_not_read() {
        let leads = |sums: &[f32], best: &[Option<f32>], least| leads_of_best(sums, best, least, 0.5);
        assert_eq!(leads(&[1.0, 1.0], &[Some(3.0), Some(3.0)], Some(0.0)), [0.0, 0.0]);
        let [first, second, without] = leads(&[1.0, 1.0, 0.5], &[Some(2.0), Some(4.0), None], None)[..]
        else {
            panic!("a lead for each file");
        };
        assert!((first + 1.0).abs() < 1e-4 && (second - 1.0).abs() < 1e-4 && without == 0.0);
        let clamped = leads(&[1.0, 0.9], &[Some(9.0), Some(-9.0)], Some(0.5));
        assert!((0.9 + 0.5 * clamped[1] - 0.5).abs() < 1e-5, "{clamped:?}");
    }
}
