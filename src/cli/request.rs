//! A search request, built from the command line.
//!
//! This module owns the translation of arguments; defaults are the library's, and the engine checks ranges.

use std::path::PathBuf;
use std::sync::Arc;

use clap::ArgMatches;
use spyhop::catalog;
use spyhop::engine::api::{Mode, SearchRequest};
use spyhop::filter::FilterSpec;
use spyhop::model::SymbolKind;
use spyhop::profile::Profile;

use super::Failure;
use super::args::PROFILE;
use super::place::{Place, given, optional};

/// The words of the query, joined by spaces.
pub fn query(matches: &ArgMatches) -> String {
    texts(matches, catalog::QUERY.name).join(" ")
}

/// The request for `query`.
pub fn request(query: String, matches: &ArgMatches, place: &Place) -> Result<SearchRequest, Failure> {
    let mut request = SearchRequest::new(query);
    request.filter = filter(matches, place)?;
    request.cursor = optional::<String>(matches, catalog::CURSOR.name).cloned();
    request.max_results = number(matches, catalog::MAX_RESULTS.name).unwrap_or(request.max_results);
    request.expand = number(matches, catalog::EXPAND.name).unwrap_or(request.expand);
    if let Some(&score) = optional::<f32>(matches, catalog::MIN_SCORE.name) {
        request.min_score = score;
    }
    request.per_file = number(matches, catalog::PER_FILE.name).unwrap_or(request.per_file);
    request.exhaustive = given(matches, catalog::EXHAUSTIVE.name);
    request.mode = match optional::<String>(matches, catalog::MODE.name).map(String::as_str) {
        Some("compact") => Mode::Compact,
        Some("debug") => Mode::Debug,
        _ => request.mode,
    };
    if let Some(file) = optional::<PathBuf>(matches, PROFILE.name) {
        let profile = Profile::read(file).map_err(|error| Failure::Usage(error.to_string()))?;
        request.profile = Some(Arc::new(profile));
    }
    Ok(request)
}

/// The filters of an operation.
pub fn filter(matches: &ArgMatches, place: &Place) -> Result<FilterSpec, Failure> {
    let kinds = texts(matches, catalog::KIND.name);
    let kinds: Result<Vec<SymbolKind>, _> = kinds.iter().map(|kind| kind.trim().parse()).collect();
    Ok(FilterSpec {
        path: place.path.clone(),
        or_paths: Vec::new(),
        globs: texts(matches, catalog::grep::GREP_GLOB.name),
        path_glob: texts(matches, catalog::PATH_GLOB.name),
        exclude: texts(matches, catalog::EXCLUDE.name),
        lang: texts(matches, catalog::LANG.name),
        kind: kinds.map_err(|error| Failure::Usage(error.to_string()))?,
    })
}

/// A number, if it is given. A number too large for its type becomes the largest one, which is out of every range.
pub fn number<N: TryFrom<u64> + Bounded>(matches: &ArgMatches, id: &str) -> Option<N> {
    optional::<u64>(matches, id).map(|&number| N::try_from(number).unwrap_or(N::MAX))
}

/// A number type with a largest value.
pub trait Bounded {
    /// The largest value.
    const MAX: Self;
}

impl Bounded for usize {
    const MAX: usize = usize::MAX;
}

impl Bounded for u32 {
    const MAX: u32 = u32::MAX;
}

pub fn texts(matches: &ArgMatches, id: &str) -> Vec<String> {
    let values = matches.try_get_many::<String>(id).ok().flatten();
    values.map(|values| values.cloned().collect()).unwrap_or_default()
}
