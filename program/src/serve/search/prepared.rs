//! What a query line means here: the trees, the mode, the filter and the text, or the word that is wrong.

use std::ops::Range;

use serde_json::json;
use spyhop_engine::api::{MAX_RESULTS, Mode};
use spyhop_search::filter::FilterSpec;

use super::super::ask::Ask;
use super::super::reply::{ApiError, to_json, words_json};
use super::super::site::{AskedTrees, PageSite};
use crate::languages::{language_of, languages};
use crate::mcp::roots;
use crate::query_line::{self, FilterWord, Key, ParsedLine, QueryMode};

/// The most rows of a page of an answer that is not ranked.
const MAX_ROWS: usize = 1_000;

/// A search, ready to run.
pub struct PreparedSearch {
    /// The line as typed.
    pub line: String,
    pub mode: QueryMode,
    is_automatic: bool,
    why: String,
    /// The text to search for.
    pub text: String,
    /// Whether an exact search takes the text as it is.
    pub is_fixed: bool,
    pub filter: FilterSpec,
    pub asked: AskedTrees,
    pub limit: usize,
    pub cursor: Option<String>,
    /// Whether an exact search counts all lines.
    pub counts: bool,
    pub detail: Mode,
    text_span: Option<Range<usize>>,
    words: Vec<FilterWord>,
    /// The names for the page: of the tree, or of the sources.
    root: Option<String>,
    sources: Vec<String>,
}

const NAMES: &[&str] = &["q", "mode", "limit", "cursor", "tab", "counts", "detail", "root", "view", "in"];

impl PreparedSearch {
    pub fn new(site: &PageSite, ask: &Ask) -> Result<PreparedSearch, ApiError> {
        ask.params.only(NAMES)?;
        let params = &ask.params;
        let line = params.all("q").next().unwrap_or_default();
        let wanted = params.one("mode")?.filter(|name| *name != "auto").map(mode_of).transpose()?;
        let mut search =
            PreparedSearch::of_line(site, line, wanted, [params.one("root")?, params.one("view")?], || {
                params.sources()
            })?;
        let (default, most) = match search.mode {
            QueryMode::Ranked => (20, MAX_RESULTS),
            QueryMode::Exact | QueryMode::Files | QueryMode::Symbols => (100, MAX_ROWS),
        };
        search.limit = params.number("limit", 1..=MAX_ROWS)?.unwrap_or(default).min(most);
        search.cursor = params.one("cursor")?.map(str::to_string);
        search.counts = params.flag("counts")?.unwrap_or(true);
        search.detail = match params.one("detail")? {
            None => Mode::Default,
            Some(name) => Mode::ALL.into_iter().find(|mode| mode.name() == name).ok_or_else(|| {
                ApiError::bad(format!("detail is '{name}'; choose compact, default or debug"))
            })?,
        };
        Ok(search)
    }

    /// The search of a line. Its filters win over `[root, view]` and the sources of the address.
    pub fn of_line(
        site: &PageSite,
        line: &str,
        wanted: Option<QueryMode>,
        [root, view]: [Option<&str>; 2],
        sources: impl FnOnce() -> Vec<String>,
    ) -> Result<PreparedSearch, ApiError> {
        let parsed = query_line::parse(line).map_err(|fault| ApiError::of_line(line, fault))?;
        let sources = if parsed.sources.is_empty() { sources() } else { parsed.sources.clone() };
        let view = parsed.view.as_deref().or(view);
        let asked = site.chosen(root, view, &sources).map_err(|error| {
            let of_view =
                parsed.words.iter().find(|word| word.key == Key::View && error.text.contains(&word.value));
            let of_source = parsed.words.iter().find(|word| word.key == Key::In);
            match of_view.or(of_source.filter(|_| !error.text.contains("view"))) {
                Some(word) => error.at(line, word.span.clone(), choices(site, word.key)),
                None => error,
            }
        })?;
        let filter = filter(site, &asked, line, &parsed)?;
        let chosen = query_line::choose(&parsed.text, &|extension| language_of(extension).is_some());
        let (root, sources) = match &asked {
            AskedTrees::Tree { number, .. } => (Some(site.trees[*number].name.clone()), Vec::new()),
            AskedTrees::Sources(set) if sources.is_empty() => {
                (None, set.members().map(|(name, _)| name.as_str().to_string()).collect())
            }
            AskedTrees::Sources(_) => (None, sources),
        };
        let is_automatic = wanted.is_none();
        let (mode, text, is_fixed, why) = match wanted {
            None => (chosen.mode, chosen.text, chosen.is_fixed, chosen.why),
            Some(mode) => (mode, parsed.text, false, "the mode was chosen".to_string()),
        };
        Ok(PreparedSearch {
            line: line.to_string(),
            mode,
            is_automatic,
            why,
            text,
            is_fixed,
            filter,
            asked,
            limit: MAX_RESULTS,
            cursor: None,
            counts: true,
            detail: Mode::Default,
            text_span: parsed.text_span,
            words: parsed.words,
            root,
            sources,
        })
    }

    /// The name under which durations are recorded.
    pub fn latency_name(&self) -> String {
        format!("search {}", self.mode.name())
    }

    /// What the page shows of the query, as JSON.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        let query = json!({
            "text": self.text,
            "text_span": self.text_span.as_ref().map(|span| [span.start, span.end]),
            "is_fixed": self.is_fixed,
            "words": words_json(&self.words),
            "root": self.root,
            "view": match &self.asked {
                AskedTrees::Tree { view, .. } => view.clone(),
                AskedTrees::Sources(_) => None,
            },
            "in": self.sources,
        });
        vec![
            ("mode", to_json(&self.mode.name())),
            ("is_automatic", to_json(&self.is_automatic)),
            ("why_mode", to_json(&self.why)),
            ("query", query.to_string()),
        ]
    }

    /// The error of a text that has fewer characters than a search needs.
    pub fn too_short(&self, least: usize) -> ApiError {
        let error = ApiError::bad(format!("type {least} characters or more"));
        let span = self.text_span.clone().unwrap_or(self.line.len()..self.line.len());
        error.at(&self.line, span, Vec::new())
    }

    /// An error of the engine, at the word that it is about: it names the value of the word in quotes.
    pub fn error(&self, error: spyhop_engine::Error) -> ApiError {
        let error = ApiError::from(error);
        if error.kind != "bad-request" {
            return error;
        }
        let is_named = |word: &&FilterWord| {
            word.value.split(',').any(|value| !value.is_empty() && error.text.contains(&format!("'{value}'")))
        };
        if let Some(word) = self.words.iter().find(is_named) {
            let choices = match word.key {
                Key::Lang => languages().map(str::to_string).collect(),
                _ => Vec::new(),
            };
            return error.at(&self.line, word.span.clone(), choices);
        }
        let is_of_kinds = error.text.contains("kind");
        let word = self.words.iter().find(|word| word.key == Key::Kind && is_of_kinds);
        let span = word.map(|word| word.span.clone()).or(self.text_span.clone());
        match span {
            Some(span) => error.at(&self.line, span, Vec::new()),
            None => error,
        }
    }
}

pub fn mode_of(name: &str) -> Result<QueryMode, ApiError> {
    QueryMode::by_name(name).ok_or_else(|| {
        ApiError::bad(format!("mode is '{name}'; choose auto, ranked, exact, files or symbols"))
    })
}

fn choices(site: &PageSite, key: Key) -> Vec<String> {
    match key {
        Key::In => site.trees.iter().map(|tree| tree.name.clone()).chain(site.source_names()).collect(),
        _ => Vec::new(),
    }
}

/// The filter with its paths, which must exist where files on disk are asked.
fn filter(
    site: &PageSite,
    asked: &AskedTrees,
    line: &str,
    parsed: &ParsedLine,
) -> Result<FilterSpec, ApiError> {
    let mut filter = parsed.filter.clone();
    let words = || parsed.words.iter().filter(|word| word.key == Key::Path && !word.value.is_empty());
    let place = |word: &FilterWord| {
        path_of(site, asked, word).map_err(|error| error.at(line, word.span.clone(), Vec::new()))
    };
    let mut paths = Vec::new();
    for word in words() {
        let path = place(word)?;
        match word.excludes {
            true => filter.path_globs.push(query_line::excluding_glob(&path)),
            false => paths.push(path),
        }
    }
    if !paths.is_empty() {
        filter.path = Some(paths.remove(0));
        filter.or_paths = paths;
    }
    for word in parsed.words.iter().filter(|word| word.key == Key::Glob) {
        let checked = roots::pattern("glob", &word.value);
        checked.map_err(|text| ApiError::bad(text).at(line, word.span.clone(), Vec::new()))?;
    }
    Ok(filter)
}

fn path_of(site: &PageSite, asked: &AskedTrees, word: &FilterWord) -> Result<String, ApiError> {
    let name = Key::Path.name();
    match asked {
        AskedTrees::Sources(_) => {
            Ok(roots::below(name, &word.value).map_err(ApiError::bad)?.path.to_string())
        }
        AskedTrees::Tree { number, engine, view } => {
            let path = site.place(*number, name, &word.value)?;
            match view.is_none() {
                true if !path.below(engine.root()).exists() => {
                    Err(ApiError::bad(format!("path '{path}' does not exist")))
                }
                true => Ok(path.to_string()),
                false => engine.check_path(path.as_str()).map(|()| path.to_string()).map_err(ApiError::from),
            }
        }
    }
}
