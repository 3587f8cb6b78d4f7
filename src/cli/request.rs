//! A search request, as it was typed.
//!
//! It owns the translation of arguments; defaults are the library's, ranges are checked by the engine.

use clap::ArgMatches;
use spyhop::catalog;
use spyhop::engine::api::{Mode, SearchRequest};
use spyhop::filter::FilterSpec;
use spyhop::model::SymbolKind;

use super::Failure;
use super::place::{Place, optional};

/// The words of the query, joined.
pub fn query(matches: &ArgMatches) -> String {
    texts(matches, catalog::QUERY.name).join(" ")
}

/// The request for `query`.
pub fn request(query: String, matches: &ArgMatches, place: &Place) -> Result<SearchRequest, Failure> {
    let mut request = SearchRequest::new(query);
    request.filter = filter(matches, place)?;
    request.cursor = optional::<String>(matches, catalog::CURSOR.name).cloned();
    if let Some(&number) = optional::<u64>(matches, catalog::MAX_RESULTS.name) {
        request.max_results = usize::try_from(number).unwrap_or(usize::MAX);
    }
    if let Some(&number) = optional::<u64>(matches, catalog::EXPAND.name) {
        request.expand = u32::try_from(number).unwrap_or(u32::MAX); // beyond any file already
    }
    if let Some(&score) = optional::<f32>(matches, catalog::MIN_SCORE.name) {
        request.min_score = score;
    }
    if let Some(&number) = optional::<u64>(matches, catalog::PER_FILE.name) {
        request.per_file = usize::try_from(number).unwrap_or(usize::MAX);
    }
    request.mode = match optional::<String>(matches, catalog::MODE.name).map(String::as_str) {
        Some("compact") => Mode::Compact,
        Some("debug") => Mode::Debug,
        _ => request.mode,
    };
    Ok(request)
}

fn filter(matches: &ArgMatches, place: &Place) -> Result<FilterSpec, Failure> {
    let kinds = texts(matches, catalog::KIND.name);
    let kinds: Result<Vec<SymbolKind>, _> = kinds.iter().map(|kind| kind.trim().parse()).collect();
    Ok(FilterSpec {
        path: place.path.clone(),
        path_glob: texts(matches, catalog::PATH_GLOB.name),
        exclude: texts(matches, catalog::EXCLUDE.name),
        lang: texts(matches, catalog::LANG.name),
        kind: kinds.map_err(|error| Failure::Usage(error.to_string()))?,
    })
}

fn texts(matches: &ArgMatches, id: &str) -> Vec<String> {
    let values = matches.try_get_many::<String>(id).ok().flatten();
    values.map(|values| values.cloned().collect()).unwrap_or_default()
}
