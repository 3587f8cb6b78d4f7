//! From the arguments of a call to a request of the library.

use std::sync::Arc;

use pyo3::prelude::*;
use spyhop::{ActivitySource, FilterSpec, Mode, Profile, SearchRequest, StalePolicy};
use spyhop_engine::api::Case;

use crate::failure::Failure;

/// A list of texts, or one text.
#[derive(FromPyObject)]
pub enum Texts {
    One(String),
    Many(Vec<String>),
}

/// The texts of an argument that may be absent.
pub fn listed(texts: Option<Texts>) -> Vec<String> {
    match texts {
        None => Vec::new(),
        Some(Texts::One(text)) => vec![text],
        Some(Texts::Many(texts)) => texts,
    }
}

/// The arguments that filter files and kinds.
pub struct FilterArgs {
    pub paths: Option<Texts>,
    pub globs: Option<Texts>,
    pub exclude: Option<Texts>,
    pub languages: Option<Texts>,
    pub kinds: Option<Texts>,
}

impl FilterArgs {
    /// The filter of a request.
    pub fn spec(self) -> Result<FilterSpec, Failure> {
        let mut spec = FilterSpec::default();
        let mut paths = listed(self.paths).into_iter();
        spec.path = paths.next();
        spec.or_paths = paths.collect();
        spec.path_globs = listed(self.globs);
        spec.exclude = listed(self.exclude);
        spec.lang = listed(self.languages);
        for kind in listed(self.kinds) {
            let known = kind.parse().map_err(|error| Failure::bad(format!("kinds: {error}")))?;
            spec.kind.push(known);
        }
        Ok(spec)
    }
}

/// The arguments of a ranked search, apart from the filter.
pub struct SearchArgs<'a> {
    pub max_results: usize,
    pub mode: &'a str,
    pub min_score: f32,
    pub per_file: Option<usize>,
    pub expand: u32,
    pub exhaustive: bool,
    pub profile: Option<Arc<Profile>>,
}

impl SearchArgs<'_> {
    /// The request for `query`.
    pub fn request(self, query: String, filter: FilterSpec) -> Result<SearchRequest, Failure> {
        let mut request = SearchRequest::new(query);
        request.filter = filter;
        request.max_results = self.max_results;
        request.mode = named("mode", self.mode, &Mode::ALL, Mode::name)?;
        request.min_score = self.min_score;
        request.per_file = self.per_file.unwrap_or(request.per_file);
        request.expand = self.expand;
        request.exhaustive = self.exhaustive;
        // Notes are for agents; results have none.
        request.notes = false;
        request.profile = self.profile;
        Ok(request)
    }
}

/// Whose earlier work counts: that of any caller, or nobody's.
pub fn session(activity: bool) -> ActivitySource {
    if activity { ActivitySource::AnyCaller } else { ActivitySource::Ignored }
}

/// The choice of a stale policy by its name.
pub fn stale_policy(name: &str) -> Result<StalePolicy, Failure> {
    named("stale", name, &StalePolicy::ALL, StalePolicy::name)
}

/// How letter case is treated, by name.
pub fn case(name: &str) -> Result<Case, Failure> {
    let all = [Case::Sensitive, Case::Ignored, Case::Smart];
    named("case", name, &all, |case| match case {
        Case::Ignored => "ignored",
        Case::Smart => "smart",
        _ => "sensitive",
    })
}

/// The choice with this name.
fn named<T: Copy>(
    argument: &str,
    given: &str,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<T, Failure> {
    let found = all.iter().copied().find(|choice| name(*choice) == given);
    found.ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|choice| name(*choice)).collect();
        Failure::bad(format!("{argument} is '{given}'; choose {}", names.join(", ")))
    })
}
