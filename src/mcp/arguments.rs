//! Converts JSON arguments to typed requests, by the catalog's rows.
//!
//! This module owns parameter names, value types and argument errors. An unknown parameter or a value of the wrong type
//! is an error that names the parameter and lists the valid choices, because a silently ignored parameter gives a wrong
//! answer that looks right. The engine checks ranges, except those of parameters that only tools take. Defaults are the
//! library's.

use std::path::PathBuf;

use serde_json::{Map, Value};
use spyhop::catalog::tools::{self, Tool};
use spyhop::catalog::{self, Param, Takes};
use spyhop::engine::api::{
    Bounds, Case, FilesRequest, GrepRequest, MapRequest, Mode, Recall, SearchRequest, Session, SymbolsRequest,
};
use spyhop::filter::FilterSpec;
use spyhop::model::{SkipReason, SymbolKind};
use spyhop::path::RelPath;

use super::roots::{self, Place, Roots};

/// A call with typed arguments.
#[derive(Debug)]
pub enum ToolRequest {
    Search(SearchRequest),
    Batch(Vec<String>, SearchRequest),
    Grep(GrepRequest),
    Files(FilesRequest),
    Symbols(SymbolsRequest),
    Map(MapRequest),
    Status,
    Skipped { reason: Option<SkipReason>, after: Option<String> },
    WhyNot(RelPath, SearchRequest),
    Touch(Vec<RelPath>),
    Tools(String),
}

impl ToolRequest {
    /// The folder or file that the request is limited to.
    pub fn path(&self) -> Option<&str> {
        let filter = match self {
            ToolRequest::Search(request)
            | ToolRequest::Batch(_, request)
            | ToolRequest::WhyNot(_, request) => &request.filter,
            ToolRequest::Grep(request) => &request.filter,
            ToolRequest::Files(request) => &request.filter,
            ToolRequest::Symbols(request) => &request.filter,
            ToolRequest::Map(request) => &request.filter,
            ToolRequest::Status
            | ToolRequest::Skipped { .. }
            | ToolRequest::Touch(_)
            | ToolRequest::Tools(_) => return None,
        };
        filter.path.as_deref()
    }
}

/// A typed call, with its tree, its session and the size limit of its answer.
#[derive(Debug)]
pub struct Call {
    pub root: usize,
    /// The revision to search in place of the worktree.
    pub view: Option<String>,
    /// An index of the root other than the server's.
    pub index_dir: Option<PathBuf>,
    pub ask: ToolRequest,
    pub budget: usize,
    /// The client's session; `None` for a client without one.
    pub session: Option<Session>,
}

/// Parses the arguments `given` to `tool`; `own` holds the extra parameters of the alias that the caller used.
pub fn call(
    tool: &Tool,
    own: &'static [&'static Param],
    given: Map<String, Value>,
    roots: &Roots,
    session: Option<Session>,
) -> Result<Call, String> {
    let arguments = Arguments::new(tool, own, given)?;
    let (root, path) = arguments.tree(roots)?;
    let budget = arguments.number(&tools::MAX_TOKENS)?;
    let Takes::Number(least, most) = tools::MAX_TOKENS.takes else { unreachable!("it is a number") };
    if let Some(tokens) = budget.filter(|tokens| !(least..=most).contains(tokens)) {
        return Err(format!("max_tokens is {tokens}; choose {least} to {most}"));
    }
    let default = tools::MAX_TOKENS.default.and_then(|default| default.parse().ok());
    let budget = budget.or(default).unwrap_or(most) as usize;
    let view = arguments.text(&catalog::VIEW)?;
    let index_dir = arguments.text(&catalog::INDEX_DIR)?;
    let index_dir = index_dir.map(|text| roots.folder(catalog::INDEX_DIR.name, &text, root)).transpose()?;
    let recall = session.clone().map_or(Recall::Off, Recall::Session);
    let is_on_disk = view.is_none();
    let named = Named { arguments: &arguments, roots, root, path, is_on_disk, recall };
    Ok(Call { root, ask: named.ask(tool)?, view, index_dir, budget, session })
}

/// Arguments, each with its catalog row.
struct Arguments<'t> {
    tool: &'t Tool,
    values: Vec<(&'static Param, Value)>,
}

impl<'t> Arguments<'t> {
    fn new(
        tool: &'t Tool,
        own: &'static [&'static Param],
        given: Map<String, Value>,
    ) -> Result<Arguments<'t>, String> {
        let mut values: Vec<(&Param, Value)> = Vec::new();
        for (name, value) in given {
            let known = |param: &&&Param| param.name == name || param.aliases.contains(&name.as_str());
            let params = || tool.params.iter().chain(own);
            let Some(param) = params().find(known) else {
                let choices: Vec<&str> = params().map(|param| param.name).collect();
                let choices = if choices.is_empty() { "nothing".to_string() } else { choices.join(", ") };
                return Err(format!("{} has no parameter '{name}'; choose {choices}", tool.name));
            };
            if values.iter().any(|(other, _)| other.name == param.name) {
                return Err(format!("'{}' is given twice, once by another name", param.name));
            }
            // Some clients send every parameter they know; null means that the parameter is not set.
            if !value.is_null() {
                values.push((param, value));
            }
        }
        for param in tool.required() {
            if !values.iter().any(|(given, _)| given.name == param.name) {
                return Err(format!("{} needs '{}': {}", tool.name, param.name, param.help));
            }
        }
        Ok(Arguments { tool, values })
    }

    /// The root of the call and, where the tool takes a path, the path.
    fn tree(&self, roots: &Roots) -> Result<(usize, Option<Place>), String> {
        let root = self.text(&tools::TREE)?.map(|text| roots.root(&text)).transpose()?;
        let path = self
            .text(&catalog::PATH)?
            .map(|text| roots.place(catalog::PATH.name, &text, root))
            .transpose()?;
        // The files that a tool without `path` is about may choose its root.
        let root = root.or(path.as_ref().map(|place| place.root));
        let named = [&catalog::FILE, &catalog::FILES];
        let by_file = || {
            let param = named.iter().find(|param| self.value(param).is_some())?;
            let first = self.texts(param).ok()?.into_iter().next()?;
            roots.place(param.name, &first, None).ok().map(|place| place.root)
        };
        Ok((root.or_else(by_file).unwrap_or(0), path))
    }

    fn value(&self, param: &Param) -> Option<&Value> {
        self.values.iter().find(|(given, _)| given.name == param.name).map(|(_, value)| value)
    }

    fn wrong<T>(&self, param: &Param, value: &Value, wanted: &str) -> Result<T, String> {
        Err(format!("{} of {} is {value}; give {wanted}", param.name, self.tool.name))
    }

    fn text(&self, param: &Param) -> Result<Option<String>, String> {
        match self.value(param) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => self.wrong(param, other, "a text"),
        }
    }

    /// A list of texts; a single text counts as a list with one element.
    fn texts(&self, param: &Param) -> Result<Vec<String>, String> {
        let one = |value: &Value| match value {
            Value::String(text) => Ok(text.clone()),
            other => self.wrong(param, other, "a list of texts"),
        };
        match self.value(param) {
            None => Ok(Vec::new()),
            Some(Value::Array(list)) => list.iter().map(one).collect(),
            Some(value) => Ok(vec![one(value)?]),
        }
    }

    /// The words of a list, each element of which may hold several words, separated by commas.
    fn words(&self, param: &Param) -> Result<Vec<String>, String> {
        let texts = self.texts(param)?;
        Ok(texts.iter().flat_map(|text| text.split(',')).map(|word| word.trim().to_string()).collect())
    }

    fn flag(&self, param: &Param) -> Result<Option<bool>, String> {
        match self.value(param) {
            None => Ok(None),
            Some(Value::Bool(on)) => Ok(Some(*on)),
            Some(other) => self.wrong(param, other, "true or false"),
        }
    }

    fn number(&self, param: &Param) -> Result<Option<u64>, String> {
        let Some(value) = self.value(param) else { return Ok(None) };
        // 3.0 is a whole number in JSON.
        let whole = value.as_f64().filter(|number| number.fract() == 0.0 && (0.0..1e15).contains(number));
        match value.as_u64().or(whole.map(|number| number as u64)) {
            Some(number) => Ok(Some(number)),
            None => match param.takes {
                Takes::Number(least, most) if most < u32::MAX.into() => {
                    self.wrong(param, value, &format!("a whole number, {least} to {most}"))
                }
                _ => self.wrong(param, value, "a whole number"),
            },
        }
    }

    fn fraction(&self, param: &Param) -> Result<Option<f32>, String> {
        match self.value(param) {
            None => Ok(None),
            Some(Value::Number(number)) => Ok(number.as_f64().map(|number| number as f32)),
            Some(other) => self.wrong(param, other, "a number, 0 to 1"),
        }
    }

    fn choice(&self, param: &Param) -> Result<Option<String>, String> {
        let Takes::Choice(choices) = param.takes else { return self.text(param) };
        match self.text(param)? {
            Some(text) if !choices().contains(&text.as_str()) => {
                let choices = choices().join(", ");
                Err(format!("{} is '{text}'; choose {choices}", param.name))
            }
            other => Ok(other),
        }
    }
}

/// Arguments whose tree is known.
struct Named<'a> {
    arguments: &'a Arguments<'a>,
    roots: &'a Roots,
    root: usize,
    path: Option<Place>,
    /// Whether the call searches files on disk. If not, only the engine knows which paths exist.
    is_on_disk: bool,
    /// What a search remembers: the actions of its own client, never those of other clients.
    recall: Recall,
}

impl Named<'_> {
    fn ask(&self, tool: &Tool) -> Result<ToolRequest, String> {
        let Some(operation) = tool.operation else {
            return Ok(ToolRequest::Tools(self.arguments.text(&tools::TOOL_QUERY)?.unwrap_or_default()));
        };
        let is = |row: &catalog::Operation| row.name == operation.name;
        if is(&catalog::SEARCH) {
            let queries = self.queries()?;
            let request = self.search()?;
            let is_batch = tool.required().iter().any(|param| param.name == catalog::QUERIES.name);
            return Ok(if is_batch {
                ToolRequest::Batch(queries, request)
            } else {
                ToolRequest::Search(request)
            });
        }
        if is(&catalog::grep::GREP) {
            return self.grep().map(ToolRequest::Grep);
        }
        if is(&catalog::FIND_FILES) {
            return self.files().map(ToolRequest::Files);
        }
        if is(&catalog::SYMBOLS) {
            return self.symbols().map(ToolRequest::Symbols);
        }
        if is(&catalog::MAP) {
            return self.map().map(ToolRequest::Map);
        }
        if is(&catalog::SKIPPED) {
            let reason = self.arguments.choice(&catalog::REASON)?;
            let reason =
                reason.and_then(|name| SkipReason::ALL.iter().copied().find(|one| one.name() == name));
            return Ok(ToolRequest::Skipped { reason, after: self.arguments.text(&catalog::CURSOR)? });
        }
        if is(&catalog::WHY_NOT) {
            let file = self.arguments.text(&catalog::FILE)?.unwrap_or_default();
            let file = self.roots.place(catalog::FILE.name, &file, Some(self.root))?;
            return Ok(ToolRequest::WhyNot(file.path, self.search()?));
        }
        if is(&catalog::TOUCH) {
            let files = self.arguments.texts(&catalog::FILES)?;
            let place = |file: &String| self.roots.place(catalog::FILES.name, file, Some(self.root));
            let places: Result<Vec<Place>, String> = files.iter().map(place).collect();
            return Ok(ToolRequest::Touch(places?.into_iter().map(|place| place.path).collect()));
        }
        // The path may choose the root, so a mistyped path must be an error and must not choose another root.
        self.path()?;
        Ok(ToolRequest::Status)
    }

    /// The queries of a batch. Empty queries are dropped, as between two `|` on a command line.
    fn queries(&self) -> Result<Vec<String>, String> {
        let texts = self.arguments.texts(&catalog::QUERIES)?;
        let queries = texts.iter().flat_map(|text| text.split('|')).map(str::trim);
        Ok(queries.filter(|query| !query.is_empty()).map(str::to_string).collect())
    }

    fn search(&self) -> Result<SearchRequest, String> {
        let given = self.arguments;
        let mut request = SearchRequest::new(given.text(&catalog::QUERY)?.unwrap_or_default());
        request.filter = self.filter()?;
        request.session = self.recall.clone();
        request.dedupe = given.flag(&tools::DEDUPE)?.unwrap_or(request.dedupe);
        request.cursor = given.text(&catalog::CURSOR)?;
        set(&mut request.max_results, given.number(&catalog::MAX_RESULTS)?);
        set(&mut request.per_file, given.number(&catalog::PER_FILE)?);
        set(&mut request.expand, given.number(&catalog::EXPAND)?);
        if let Some(score) = given.fraction(&catalog::MIN_SCORE)? {
            request.min_score = score;
        }
        request.mode = match given.choice(&catalog::MODE)?.as_deref() {
            Some("compact") => Mode::Compact,
            Some("debug") => Mode::Debug,
            _ => request.mode,
        };
        Ok(request)
    }

    fn grep(&self) -> Result<GrepRequest, String> {
        let given = self.arguments;
        let mut request = GrepRequest::new(given.text(&catalog::grep::PATTERN)?.unwrap_or_default());
        request.filter = self.filter()?;
        request.cursor = given.text(&catalog::CURSOR)?;
        request.fixed = given.flag(&catalog::grep::FIXED)?.unwrap_or(request.fixed);
        if given.flag(&catalog::grep::IGNORE_CASE)?.unwrap_or(false) {
            request.case = Case::Ignored;
        }
        if given.flag(&catalog::grep::WORD)?.unwrap_or(false) {
            request.bounds = Bounds::Word;
        }
        request.rank = given.flag(&catalog::grep::RANK)?.unwrap_or(request.rank);
        set(&mut request.max_results, given.number(&catalog::grep::GREP_RESULTS)?);
        set(&mut request.expand, given.number(&catalog::grep::GREP_EXPAND)?);
        Ok(request)
    }

    fn files(&self) -> Result<FilesRequest, String> {
        let given = self.arguments;
        let mut request = FilesRequest::new(given.text(&catalog::NAME_PATTERN)?.unwrap_or_default());
        request.filter = self.filter()?;
        request.cursor = given.text(&catalog::CURSOR)?;
        set(&mut request.max_results, given.number(&catalog::FILES_RESULTS)?);
        roots::pattern(catalog::NAME_PATTERN.name, &request.pattern)?;
        Ok(request)
    }

    fn symbols(&self) -> Result<SymbolsRequest, String> {
        let given = self.arguments;
        let mut request = SymbolsRequest::new(given.text(&catalog::SYMBOL_PATTERN)?.unwrap_or_default());
        request.filter = self.filter()?;
        request.cursor = given.text(&catalog::CURSOR)?;
        set(&mut request.max_results, given.number(&catalog::SYMBOLS_RESULTS)?);
        Ok(request)
    }

    fn map(&self) -> Result<MapRequest, String> {
        let given = self.arguments;
        let mut request = MapRequest { filter: self.filter()?, ..MapRequest::default() };
        set(&mut request.max_items, given.number(&catalog::MAX_ITEMS)?);
        set(&mut request.depth, given.number(&catalog::DEPTH)?);
        Ok(request)
    }

    fn filter(&self) -> Result<FilterSpec, String> {
        let given = self.arguments;
        let path_glob = given.texts(&catalog::PATH_GLOB)?;
        path_glob.iter().try_for_each(|glob| roots::pattern(catalog::PATH_GLOB.name, glob))?;
        let kinds: Result<Vec<SymbolKind>, _> =
            given.words(&catalog::KIND)?.iter().map(|kind| kind.parse()).collect();
        Ok(FilterSpec {
            path: self.path()?,
            or_paths: Vec::new(),
            globs: Vec::new(),
            path_glob,
            exclude: given.texts(&catalog::EXCLUDE)?,
            lang: given.words(&catalog::LANG)?,
            kind: kinds.map_err(|error| error.to_string())?,
        })
    }

    /// The folder or file that limits the request. The path must exist: with a mistyped path, the answer would be
    /// empty.
    fn path(&self) -> Result<Option<String>, String> {
        let Some(place) = &self.path else { return Ok(None) };
        let Some(root) = self.roots.iter().nth(place.root) else { return Ok(None) };
        if self.is_on_disk && !place.path.below(root).exists() {
            return Err(format!("path '{}' does not exist below the root '{}'", place.path, root.display()));
        }
        Ok(Some(place.path.to_string()).filter(|path| !path.is_empty()))
    }
}

/// Sets a number that was given. A number too large for its type is out of every range anyway.
fn set<N: TryFrom<u64> + Bounded>(number: &mut N, given: Option<u64>) {
    if let Some(given) = given {
        *number = N::try_from(given).unwrap_or(N::MOST);
    }
}

/// The largest number of a type.
trait Bounded {
    const MOST: Self;
}

impl Bounded for usize {
    const MOST: usize = usize::MAX;
}

impl Bounded for u32 {
    const MOST: u32 = u32::MAX;
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asked(tool: &str, given: Value) -> Result<ToolRequest, String> {
        let roots = Roots::new(vec![std::env::temp_dir().canonicalize().unwrap()]);
        let Value::Object(given) = given else { unreachable!() };
        call(tools::tool(tool).unwrap(), &[], given, &roots, None).map(|call| call.ask)
    }

    #[test]
    fn values_are_read_by_their_rows() {
        let given = json!({
            "query": "a|b", "limit": 3.0, "language": "rust, go", "chunk_type": ["function"], "exclude": "x|y",
            "min_score": 0.5, "mode": "compact", "expand": 99999999999u64, "cursor": null, "glob": ["*.rs"],
        });
        let Ok(ToolRequest::Search(request)) = asked("codebase_search", given) else { panic!() };
        assert_eq!((request.query.as_str(), request.max_results, request.expand), ("a|b", 3, u32::MAX));
        assert_eq!(request.filter.lang, ["rust", "go"]);
        assert_eq!(
            (&request.filter.exclude[..], &request.filter.path_glob[..]),
            (&["x|y".into()][..], &["*.rs".into()][..])
        );
        assert_eq!((request.min_score, request.mode, request.cursor), (0.5, Mode::Compact, None));
        let Ok(ToolRequest::Batch(queries, _)) = asked("search_batch", json!({ "queries": ["a | b", "c"] }))
        else {
            panic!()
        };
        assert_eq!(queries, ["a", "b", "c"]);
    }

    #[test]
    fn what_is_wrong_is_named_with_the_choices() {
        let check = |tool: &str, given: Value, expected: &str| {
            let error = asked(tool, given).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        };
        let query = |name: &str, value: Value| json!({ "query": "a", name: value });
        check("codebase_search", json!({}), "codebase_search needs 'query': What the code does");
        check("codebase_search", json!({ "query": 3 }), "query of codebase_search is 3; give a text");
        check(
            "codebase_search",
            query("colour", json!(1)),
            "codebase_search has no parameter 'colour'; choose query, path",
        );
        check(
            "codebase_search",
            query("mode", json!("loud")),
            "mode is 'loud'; choose compact, default, debug",
        );
        check("codebase_search", query("kind", json!(["fun"])), "unknown kind 'fun'; choose one of fn,");
        check(
            "codebase_search",
            query("max_results", json!("ten")),
            "max_results of codebase_search is \"ten\"; give a whole number, 1 to 50",
        );
        check("codebase_search", query("max_results", json!(-1)), "max_results of codebase_search is -1");
        check("codebase_search", query("max_tokens", json!(1)), "max_tokens is 1; choose 100 to 100000");
        check(
            "codebase_search",
            query("lang", json!([1])),
            "lang of codebase_search is 1; give a list of texts",
        );
        check(
            "codebase_search",
            json!({ "query": "a", "limit": 1, "max_results": 2 }),
            "'max_results' is given twice",
        );
        check(
            "codebase_search",
            query("path", json!("no/such")),
            "path 'no/such' does not exist below the root",
        );
        check("skipped_files", json!({ "reason": "ugly" }), "reason is 'ugly'; choose ");
        check("touch", json!({}), "touch needs 'files'");
    }
}
