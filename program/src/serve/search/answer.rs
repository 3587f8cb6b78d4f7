//! Asks the engine, by mode, and colours the rows.

use serde_json::json;
use spyhop_engine::api::{
    Case, FilesReply, FilesRequest, GrepReply, GrepRequest, SearchRequest, SymbolsReply, SymbolsRequest,
    WhyNotRequest,
};
use spyhop_engine::{Error, ErrorKind};

use super::super::colors::{CLASSES, tokens};
use super::super::reply::{ApiError, to_json};
use super::super::site::{AskedTrees, PageSite};
use super::prepared::PreparedSearch;
use crate::languages::language_of;
use crate::query_line::QueryMode;

/// The most files before the results of a ranked search.
const EARLY_FILES: usize = 5;

/// The longest text for which they are looked up.
const LONGEST_NAME: usize = 60;

/// An exact search starts at this many characters: a pattern of one character matches most lines of a tree.
const MIN_PATTERN: usize = 2;

/// The rows of an exact search that have colours.
const MAX_COLORED: usize = 200;

/// An answer as JSON, and what is coloured of it.
pub struct SearchAnswer {
    pub json: String,
    /// A remark for people.
    pub note: Option<String>,
    /// The language and the text of each row.
    pieces: Vec<(&'static str, String)>,
    /// The request of an exact search, if lines follow that were not counted.
    uncounted: Option<Box<GrepRequest>>,
}

/// A token with its class.
type ColoredToken = (u32, u32, &'static str);

impl SearchAnswer {
    fn new(json: String) -> SearchAnswer {
        SearchAnswer { json, note: None, pieces: Vec::new(), uncounted: None }
    }

    /// The tokens of each row.
    pub fn colors(&self) -> Vec<Vec<ColoredToken>> {
        let of = |(language, text): &(&'static str, String)| -> Vec<ColoredToken> {
            tokens(language, text).map(|(start, end, class)| (start, end, CLASSES[class])).collect()
        };
        self.pieces.iter().map(of).collect()
    }

    /// How many lines match altogether, as JSON; `None` if the answer says that.
    pub fn counts(&self, search: &PreparedSearch) -> Result<Option<String>, ApiError> {
        let Some(request) = &self.uncounted else { return Ok(None) };
        let request = GrepRequest { counts: true, max_results: 1, enclosing: false, ..(**request).clone() };
        let reply = search.asked.ask(&request).map_err(|error| search.error(error))?;
        let counts = json!({
            "total_lines": reply.total_lines,
            "total_files": reply.total_files,
            "complete": reply.incomplete.is_none(),
            "incomplete": reply.incomplete.as_deref(),
        });
        Ok(Some(counts.to_string()))
    }
}

/// Answers a search.
pub fn answer(search: &PreparedSearch) -> Result<SearchAnswer, ApiError> {
    let failed = |error| search.error(error);
    match search.mode {
        QueryMode::Ranked => {
            let reply = search.asked.ask(&ranked_request(search)).map_err(failed)?;
            let piece = |hit: &spyhop_engine::api::Hit| {
                (hit.language, hit.snippet.as_ref().map(|snippet| snippet.text.clone()).unwrap_or_default())
            };
            let pieces = reply.results.iter().map(piece).collect();
            Ok(SearchAnswer { pieces, ..SearchAnswer::new(to_json(&reply)) })
        }
        QueryMode::Exact if search.text.chars().count() < MIN_PATTERN => Err(search.too_short(MIN_PATTERN)),
        QueryMode::Exact => {
            let ExactAnswer { reply, request, note } = exact(search).map_err(failed)?;
            let piece = |line: &spyhop_engine::api::GrepLine| {
                let extension = line.path.file_name().rsplit_once('.').map_or("", |(_, extension)| extension);
                (language_of(extension).unwrap_or("text"), line.text.clone())
            };
            let pieces = reply.lines.iter().take(MAX_COLORED).map(piece).collect();
            let uncounted = (!request.counts && reply.next.is_some()).then(|| Box::new(request));
            Ok(SearchAnswer { json: to_json(&reply), note, pieces, uncounted })
        }
        QueryMode::Files => {
            let reply = files(search, search.limit).map_err(failed)?;
            Ok(SearchAnswer::new(to_json(&reply)))
        }
        QueryMode::Symbols => {
            let reply = symbols(search).map_err(failed)?;
            Ok(SearchAnswer::new(to_json(&reply)))
        }
    }
}

/// The request of a ranked search.
fn ranked_request(search: &PreparedSearch) -> SearchRequest {
    SearchRequest {
        max_results: search.limit,
        cursor: search.cursor.clone(),
        filter: search.filter.clone(),
        mode: search.detail,
        ..SearchRequest::new(search.text.as_str())
    }
}

/// Why a file does not answer a ranked search, or where it ranks.
pub fn why_not(site: &PageSite, search: &PreparedSearch, file: &str) -> Result<String, ApiError> {
    let AskedTrees::Tree { number, engine, .. } = &search.asked else {
        return Err(ApiError::bad("why-not is about one tree; name one in 'root'"));
    };
    let file = site.place(*number, "file", file)?;
    let reply = engine.ask(&WhyNotRequest { path: file.as_str().into(), search: ranked_request(search) });
    Ok(to_json(&reply.map_err(|error| search.error(error))?))
}

/// The answer of an exact search, and the request that has this answer.
struct ExactAnswer {
    reply: GrepReply,
    request: GrepRequest,
    note: Option<String>,
}

/// Lines that match the regular expression or, if the text is not one, that contain the text.
fn exact(search: &PreparedSearch) -> Result<ExactAnswer, Error> {
    let request = GrepRequest {
        filter: search.filter.clone(),
        fixed: search.is_fixed,
        case: Case::Smart,
        max_results: search.limit,
        cursor: search.cursor.clone(),
        enclosing: true,
        counts: search.counts,
        ..GrepRequest::new(search.text.as_str())
    };
    match search.asked.ask(&request) {
        Err(error) if error.kind() == ErrorKind::BadRequest && !request.fixed => {
            let request = GrepRequest { fixed: true, ..request };
            // A wrong filter fails again, and its error is the first one's.
            match search.asked.ask(&request) {
                Ok(reply) => {
                    Ok(ExactAnswer { reply, request, note: Some(format!("searched as a text: {error}")) })
                }
                Err(_) => Err(error),
            }
        }
        reply => Ok(ExactAnswer { reply: reply?, request, note: None }),
    }
}

fn files(search: &PreparedSearch, limit: usize) -> Result<FilesReply, Error> {
    let request = FilesRequest {
        filter: search.filter.clone(),
        max_results: limit,
        cursor: search.cursor.clone(),
        ..FilesRequest::new(search.text.trim())
    };
    search.asked.ask(&request)
}

fn symbols(search: &PreparedSearch) -> Result<SymbolsReply, Error> {
    let request = SymbolsRequest {
        filter: search.filter.clone(),
        max_results: search.limit,
        cursor: search.cursor.clone(),
        ..SymbolsRequest::new(search.text.trim())
    };
    search.asked.ask(&request)
}

/// Files whose names match the text of a ranked search, as JSON; `None` if there are none. They are there before the
/// search has an answer.
pub fn early_files(search: &PreparedSearch) -> Option<String> {
    let is_asked = search.mode == QueryMode::Ranked
        && search.cursor.is_none()
        && search.filter.kind.is_empty()
        && search.text.len() <= LONGEST_NAME
        && search.text.split_whitespace().count() == 1
        && search.text.trim().chars().count() > 1;
    let reply = if is_asked { files(search, EARLY_FILES).ok()? } else { return None };
    (!reply.files.is_empty()).then(|| to_json(&reply))
}
