//! The commands of `workspace/executeCommand`: a ranked search and an exact search, for editors that show results
//! themselves.

use lsp_types::{Position, Range};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use spyhop_base::model::SymbolKind;
use spyhop_engine::api::{Bounds, Case, GrepRequest, Hit, SearchRequest};
use spyhop_interface::catalog::lenient;
use spyhop_interface::render::text::evidence;
use spyhop_search::filter::FilterSpec;

use super::documents::RequestContext;
use super::navigate;
use super::request_error::RequestError;
use super::roots::ServedRoot;

/// The names of the commands.
pub const SEARCH: &str = "spyhop.search";
pub const GREP: &str = "spyhop.grep";

/// The most hits of a ranked search, and lines of an exact one, if the client names no number.
const HITS: usize = 20;
const LINES: usize = 200;

/// One value or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum Several {
    One(String),
    Many(Vec<String>),
}

impl Several {
    fn list(several: Option<Several>) -> Vec<String> {
        match several {
            Some(Several::One(one)) => one.split(',').map(|part| part.trim().to_string()).collect(),
            Some(Several::Many(many)) => many,
            None => Vec::new(),
        }
    }
}

/// A whole number, also as a string.
fn lenient_number<'de, D: Deserializer<'de>>(given: D) -> Result<Option<usize>, D::Error> {
    let value = Value::deserialize(given)?;
    let number = lenient::number(&value).and_then(|number| number.try_into().ok());
    match (number, value.is_null()) {
        (None, false) => Err(D::Error::custom(format!("n is {value}; give a whole number"))),
        (number, _) => Ok(number),
    }
}

/// The argument of [`SEARCH`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchArgument {
    query: String,
    #[serde(default, alias = "language")]
    lang: Option<Several>,
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    kind: Option<Several>,
    #[serde(default, alias = "max_results", deserialize_with = "lenient_number")]
    n: Option<usize>,
}

/// The argument of [`GREP`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GrepArgument {
    pattern: String,
    #[serde(default)]
    fixed: bool,
    #[serde(default)]
    ignore_case: bool,
    #[serde(default)]
    word: bool,
    #[serde(default, alias = "language")]
    lang: Option<Several>,
    #[serde(default)]
    path: Option<String>,
    #[serde(default, alias = "max_results", deserialize_with = "lenient_number")]
    n: Option<usize>,
}

/// Runs a command.
pub fn run(context: &RequestContext, command: &str, arguments: Vec<Value>) -> Result<Value, RequestError> {
    match command {
        SEARCH => search(context, argument(command, arguments)?),
        GREP => grep(context, argument(command, arguments)?),
        other => {
            Err(RequestError::params(format!("there is no command '{other}'; choose {SEARCH} or {GREP}")))
        }
    }
}

fn argument<T: DeserializeOwned>(command: &str, arguments: Vec<Value>) -> Result<T, RequestError> {
    let Ok([argument]) = <[Value; 1]>::try_from(arguments) else {
        return Err(RequestError::params(format!("{command} takes one argument, an object")));
    };
    serde_json::from_value(argument).map_err(|error| RequestError::params(format!("{command}: {error}")))
}

fn search(context: &RequestContext, argument: SearchArgument) -> Result<Value, RequestError> {
    let kinds = Several::list(argument.kind);
    let kinds = kinds.iter().map(|kind| kind.parse::<SymbolKind>()).collect::<Result<Vec<_>, _>>();
    let filter = FilterSpec {
        lang: Several::list(argument.lang),
        kind: kinds.map_err(|error| RequestError::params(error.to_string()))?,
        ..FilterSpec::default()
    };
    let most = argument.n.unwrap_or(HITS);
    let request =
        SearchRequest { max_results: most, filter, notes: false, ..SearchRequest::new(argument.query) };
    let mut found: Vec<(f32, Value)> = Vec::new();
    for root in context.roots.all() {
        let Some(path) = path_in(context, &root, argument.path.as_deref()) else { continue };
        let mut request = request.clone();
        request.filter.path = path;
        let reply = root.answer(&context.cancel, |engine| engine.search(&request))?;
        found.extend(reply.results.iter().filter_map(|hit| Some((hit.score, row(context, &root, hit)?))));
    }
    // The order within a root stays: the sort is stable, and a root's hits fall in score.
    found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    found.truncate(most);
    Ok(found.into_iter().map(|(_, row)| row).collect())
}

fn row(context: &RequestContext, root: &ServedRoot, hit: &Hit) -> Option<Value> {
    let last = hit.lines.last.saturating_sub(1);
    let end = context.text(root, &hit.path).map(|text| text.end_of(last, context.unit));
    let start = Position::new(hit.lines.first.saturating_sub(1), 0);
    let range = Range::new(start, end.unwrap_or(Position::new(last, 0)).max(start));
    Some(json!({
        "uri": root.uri(&hit.path)?,
        "range": range,
        "path": hit.path,
        "score": (f64::from(hit.score) * 1e6).round() / 1e6,
        "band": hit.band.name(),
        "kind": hit.kind.name(),
        "symbol": hit.symbol,
        "language": hit.language,
        "evidence": evidence(hit),
        "reasons": hit.reasons.iter().map(|reason| reason.text.as_str()).collect::<Vec<_>>(),
        "text": hit.snippet.as_ref().map(|snippet| snippet.text.as_str()),
    }))
}

fn grep(context: &RequestContext, argument: GrepArgument) -> Result<Value, RequestError> {
    let filter = FilterSpec { lang: Several::list(argument.lang), ..FilterSpec::default() };
    let most = argument.n.unwrap_or(LINES);
    let request = GrepRequest {
        fixed: argument.fixed,
        case: if argument.ignore_case { Case::Ignored } else { Case::Sensitive },
        bounds: if argument.word { Bounds::Word } else { Bounds::None },
        max_results: most,
        filter,
        ..GrepRequest::new(argument.pattern)
    };
    let mut found = Vec::new();
    for root in context.roots.all() {
        let Some(path) = path_in(context, &root, argument.path.as_deref()) else { continue };
        let mut request = request.clone();
        request.filter.path = path;
        let reply = root.answer_from_files(&context.cancel, |engine| engine.ask(&request))?;
        for line in &reply.lines {
            let range = navigate::ranges(context, &root, line).into_iter().next();
            if let (Some(uri), Some(range)) = (root.uri(&line.path), range) {
                found.push(json!({ "uri": uri, "range": range, "path": line.path, "text": line.text }));
            }
        }
    }
    found.truncate(most);
    Ok(found.into())
}

/// The path below a root that a request is restricted to; the outer `None` if the path lies in another root. A path is
/// a `file:` URI, absolute, or relative to each root.
#[expect(clippy::option_option, reason = "whether the root is asked, and whether the request is restricted")]
fn path_in(context: &RequestContext, root: &ServedRoot, path: Option<&str>) -> Option<Option<String>> {
    let Some(path) = path else { return Some(None) };
    let whole = super::uri::path_of(path).unwrap_or_else(|| path.into());
    if !whole.is_absolute() {
        return Some(Some(path.to_string()));
    }
    let (owner, relative) = context.roots.of(&whole)?;
    std::ptr::eq(&*owner, root).then(|| Some(relative.as_str().to_string()))
}
