//! The rows of ranked search and of the question why a file does not answer.

use super::operation::OperationRow;
use super::param::{Param, Positional, Takes, param};
use super::params::{QUERIES, QUERY_LIST};
use super::row::{Listed, Row, assign, both, command_line, listed, saturated, saturated_u32, tools};
use super::shared::{self, FilledRequest, HasFilter, HasOptions, HasSearch, flag};
use super::table::table;
use super::{choice, params};
use spyhop_base::path::RelPath;
use spyhop_engine::api::{Mode, Options, SearchRequest};
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

impl HasFilter for SearchRequest {
    fn filter(&mut self) -> &mut FilterSpec {
        &mut self.filter
    }
}

impl HasFilter for SearchCall {
    fn filter(&mut self) -> &mut FilterSpec {
        self.search.filter()
    }
}

impl HasOptions for SearchCall {
    fn options(&mut self) -> &mut Options {
        &mut self.search.options
    }
}

impl HasSearch for SearchCall {
    fn search(&mut self) -> &mut SearchRequest {
        &mut self.search.request
    }
}

/// Lines of context around a hit.
pub(crate) const EXPAND: Param = Param {
    default: Some("0"),
    ..param("expand", Takes::Number(0, u32::MAX as u64), "Lines of context before and after")
};
/// The most hits of one file before further files.
pub const PER_FILE: Param = Param {
    default: Some("10"),
    ..param("per_file", Takes::Number(1, u32::MAX as u64), "Hits a file; further ones come after")
};
/// Every file that contains the query literally.
pub(crate) const EXHAUSTIVE: Param = param(
    "exhaustive",
    Takes::Nothing,
    "Every file that holds the query as written is a hit, however long it takes; pages hold up to 1000",
);
/// The amount of detail of a hit.
pub const MODE: Param = Param {
    default: Some("default"),
    ..param(
        "mode",
        Takes::Choice(choice::names::<Mode>),
        "compact: a line a hit; default: a snippet; debug: all",
    )
};
/// Refers to code that was sent before instead of sending it again.
pub(crate) const DEDUPE: Param = param("dedupe", Takes::Nothing, "Only refer to code sent before");
/// The file that a search was expected to find.
pub const FILE: Param = Param {
    positional: Positional::Required,
    ..param("file", Takes::Path, "The file that was expected to answer")
};

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
        both(&params::MAX_RESULTS, |call, param, given| {
            assign(&mut call.search().max_results, saturated(given.number(param)?));
            Ok(())
        }),
        both(&PER_FILE, |call, param, given| {
            assign(&mut call.search().per_file, saturated(given.number(param)?));
            Ok(())
        }),
        shared::min_score(),
        both(&MODE, |call, param, given| {
            if let Some(name) = given.text(param)? {
                call.search().mode = choice::parse(param.name, &name)?;
            }
            Ok(())
        }),
        both(&EXPAND, |call, param, given| {
            assign(&mut call.search().expand, saturated_u32(given.number(param)?));
            Ok(())
        }),
        command_line(&EXHAUSTIVE, |call, param, given| flag(&mut call.search().exhaustive, param, given)),
        tools(&DEDUPE, |call, param, given| flag(&mut call.search().dedupe, param, given)),
        both(&params::CURSOR, |call, param, given| {
            call.search().cursor = given.text(param)?;
            Ok(())
        }),
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

const SEARCH_PARAMS: [Listed; SEARCH_ROWS.len()] = listed(SEARCH_ROWS);

/// Ranked search.
pub const SEARCH: OperationRow = OperationRow {
    name: "search",
    aliases: &[],
    help: "Find code by what it does, by name or as written",
    params: &SEARCH_PARAMS,
    examples: &[
        ("where is the retry delay computed", "a question in your own words"),
        ("resolve_api_key --lang rust --kind fn", "a name, in functions of one language"),
        ("search --vimgrep auth token --glob '!*_test.go'", "places for an editor, without tests"),
    ],
};

/// The question why a file does not answer a search.
#[derive(Clone, Debug)]
pub struct WhyNotCall {
    /// The search.
    pub search: FilledRequest<SearchRequest>,
    /// The file.
    pub file: Option<RelPath>,
}

impl WhyNotCall {
    /// A call with these options, without a file and a query.
    pub fn new(options: Options) -> WhyNotCall {
        WhyNotCall { search: FilledRequest::new(SearchRequest::new(""), options), file: None }
    }
}

impl HasFilter for WhyNotCall {
    fn filter(&mut self) -> &mut FilterSpec {
        self.search.filter()
    }
}

impl HasOptions for WhyNotCall {
    fn options(&mut self) -> &mut Options {
        &mut self.search.options
    }
}

impl HasSearch for WhyNotCall {
    fn search(&mut self) -> &mut SearchRequest {
        &mut self.search.request
    }
}

/// The rows of `why-not`.
pub const WHY_NOT_ROWS: &[Row<WhyNotCall>] = table![Row<WhyNotCall>:
    [
        both(&FILE, |call, param, given| {
            call.file = given.paths(param)?.pop();
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

const WHY_NOT_PARAMS: [Listed; WHY_NOT_ROWS.len()] = listed(WHY_NOT_ROWS);

/// Explains why a file does not rank.
pub(crate) const WHY_NOT: OperationRow = OperationRow {
    name: "why-not",
    aliases: &[],
    help: "Say why a file does not answer a query, or where it ranks",
    params: &WHY_NOT_PARAMS,
    examples: &[
        ("why-not src/auth.rs token refresh", "why a file is not among the answers"),
        ("why-not src/auth.rs token refresh --json", "as JSON"),
    ],
};
