//! The rows of ranked search and of the question why a file does not answer.

use super::operation::OperationRow;
use super::param::{Positional, Takes, params};
use super::params::{QUERIES, QUERY_LIST};
use super::row::{FilledField, Row, assign, both, command_line, listed, row, tools};
use super::shared::{self, FilledRequest, HasFilter, HasOptions, HasSearch, homes};
use super::table::table;
use super::{choice, params};
use spyhop_engine::api::{Mode, Options, SearchRequest, WhyNotRequest};
use spyhop_search::filter::FilterSpec;

/// A search, of one query or of several.
#[derive(Clone, Debug)]
pub struct SearchCall {
    /// The search.
    pub search: FilledRequest<SearchRequest>,
    /// The queries of a batch; `None` for a search of one query.
    pub queries: Option<Vec<String>>,
}

impl SearchCall {
    /// A search with these options, without a query.
    pub fn new(options: Options) -> SearchCall {
        SearchCall { search: FilledRequest::new(SearchRequest::new(""), options), queries: None }
    }
}

homes! {
    HasFilter::filter -> FilterSpec {
        SearchCall => search.request.filter;
        WhyNotRequest => search.filter;
    }
    HasOptions::options -> Options { SearchCall => search.options; }
    HasSearch::search -> SearchRequest {
        SearchCall => search.request;
        WhyNotCall => request.search;
    }
}

params! {
    pub(crate) EXPAND = "expand": Takes::Number(0, u32::MAX as u64), default: Some("0"),
        "Lines of context before and after";
    pub PER_FILE = "per_file": Takes::Number(1, u32::MAX as u64), default: Some("10"),
        "Hits a file; further ones come after";
    pub MODE = "mode": Takes::Choice(choice::names::<Mode>), default: Some("default"),
        "compact: a line a hit; default: a snippet; debug: all";
    pub(crate) DEDUPE = "dedupe": Takes::Nothing, "Only refer to code sent before";
    pub FILE = "file": Takes::Path, positional: Positional::Required, "The file that was expected to answer";
}

/// The rows of a search.
pub const SEARCH_ROWS: &[Row<SearchCall>] = table![Row<SearchCall>:
    [
        shared::query(),
        command_line(&QUERIES, |call, param, given| {
            call.queries = given.text(param)?.map(|queries| separated(&[queries]));
            Ok(())
        }),
        tools(&QUERY_LIST, |call, param, given| {
            let queries = given.texts(param)?;
            call.queries = (!queries.is_empty()).then(|| separated(&queries));
            Ok(())
        }),
    ],
    shared::filters(),
    [
        shared::kind(&params::KIND),
        both(&params::MAX_RESULTS, |call, param, given| call.search().max_results.fill(param, given)),
        both(&PER_FILE, |call, param, given| call.search().per_file.fill(param, given)),
        shared::min_score(),
        both(&MODE, |call, param, given| call.search().mode.fill(param, given)),
        both(&EXPAND, |call, param, given| call.search().expand.fill(param, given)),
        row!(command_line "exhaustive" => search.request.exhaustive: Takes::Nothing,
            "Every file that holds the query as written is a hit, however long it takes; pages hold up to 1000"),
        tools(&DEDUPE, |call, param, given| call.search().dedupe.fill(param, given)),
        both(&params::CURSOR, |call, param, given| call.search().cursor.fill(param, given)),
        shared::show_secrets(),
    ],
    shared::snapshot(),
    [shared::wait_for_index(), shared::require_index(), shared::profile()],
];

/// The queries of a list, also those separated by `|`. Empty queries are dropped.
fn separated(texts: &[String]) -> Vec<String> {
    let queries = texts.iter().flat_map(|text| text.split('|')).map(str::trim);
    queries.filter(|query| !query.is_empty()).map(str::to_string).collect()
}

/// Ranked search.
pub const SEARCH: OperationRow =
    OperationRow::new("search", "Find code by what it does, by name or as written", listed!(SEARCH_ROWS))
        .about_code();

/// The question why a file has its rank, with the options of the engine.
pub type WhyNotCall = FilledRequest<WhyNotRequest>;

/// The rows of `why-not`.
pub const WHY_NOT_ROWS: &[Row<WhyNotCall>] = table![Row<WhyNotCall>:
    [
        both(&FILE, |call, param, given| {
            assign(&mut call.request.path, given.paths(param)?.pop().map(|path| path.to_string()));
            Ok(())
        }),
        shared::query(),
        shared::path(),
        shared::path_glob(&params::PATH_GLOB),
        shared::exclude(),
        shared::lang(),
        shared::kind(&params::KIND),
        shared::min_score(),
        shared::show_secrets(),
    ],
    shared::snapshot(),
    [shared::profile()],
];

/// Explains why a file does not rank.
pub const WHY_NOT: OperationRow = OperationRow::new(
    "why-not",
    "Say why a file does not answer a query, or where it ranks",
    listed!(WHY_NOT_ROWS),
)
.about_code();
