//! Converts JSON arguments to typed requests, by the catalog's rows.
//!
//! [`Arguments`] has the values; this module finds the tree that they name. The engine checks ranges, except those of
//! parameters that only tools take. Defaults are the library's.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use spyhop_base::path::RelPath;
use spyhop_engine::api::{
    AddNoteRequest, EntriesRequest, FileGraphRequest, FilesRequest, GraphQuestion, GraphRequest, GrepRequest,
    LineRange, ListNotesRequest, NotesReply, Options, PackRequest, ReadRequest, Relation, RetireNoteRequest,
    SearchNotesRequest, SearchRequest, Session, SourceName, SymbolsRequest, VerifyNoteRequest, ViewsRequest,
    WhyNotRequest,
};
use spyhop_engine::{Error, Operation};
use spyhop_interface::catalog::tools::{Tool, ToolId};
use spyhop_interface::catalog::{
    self, Arguments, Faces, GrepCall, Param, RawValues, Row, SearchCall, TARGET, TOOL_IN, ValueError,
    lenient, params,
};
use spyhop_interface::operations::{LIBRARY_OPERATIONS, ListedOperation, OPERATIONS};
use spyhop_interface::render::agent::{self, Answer};
use spyhop_library::{SourceChoice, is_remote};

use super::calls::{PendingReply, ToolCall, ToolRequest, ToolTrees};
use super::library_request::LibraryRequest;
use super::roots::{self, ResolvedPath, Roots};

/// A question with an answer of its own.
fn trees(
    answer: impl Fn(&ToolTrees<'_>) -> Result<PendingReply, Error> + Send + Sync + 'static,
) -> ToolRequest {
    ToolRequest::Trees(Box::new(answer))
}

/// A question whose reply is printed within the size limit.
fn printed<O>(request: O, print: fn(O::Reply, usize) -> Answer) -> ToolRequest
where
    O: Operation + Send + Sync + 'static,
{
    trees(move |asked| Ok(print(asked.ask(&request)?, asked.budget()).into()))
}

/// Whether the answer comes from the files as they are. An index, if there is one, only makes it faster.
fn needs_no_index(arguments: &Arguments<'_>) -> bool {
    match arguments.tool.id {
        ToolId::Grep
        | ToolId::SearchNotes
        | ToolId::ListNotes
        | ToolId::RecordNote
        | ToolId::VerifyNote
        | ToolId::RetireNote => true,
        ToolId::Read => arguments.value(&catalog::READ_PATH).is_some(),
        _ => false,
    }
}

/// Whether the answer may take seconds in a large tree, so that searches must not wait for it.
fn is_slow(tool: &Tool) -> bool {
    matches!(
        tool.id,
        ToolId::SearchBatch
            | ToolId::Graph(_)
            | ToolId::Entries(_)
            | ToolId::FileGraph
            | ToolId::Map
            | ToolId::Pack
            | ToolId::WhyNot
    )
}

/// Parses the arguments `given` to `tool`; `own` holds the extra parameters of the alias that the caller used. `is_source`
/// tells whether a name is that of a source, which a path may begin with.
pub fn call(
    tool: &'static Tool,
    own: &'static [&'static Param],
    given: Map<String, Value>,
    (roots, is_source): (&Roots, &dyn Fn(&str) -> bool),
    session: Option<Session>,
) -> Result<ToolCall, String> {
    let arguments = Arguments::new(tool, own, several_paths(tool, roots, given)?)?;
    let sources = sources(&arguments)?.or_else(|| source_of_path(&arguments, is_source));
    let (root, path) = match &sources {
        Some(_) => (0, path_in_sources(&arguments)?),
        None => tree(&arguments, roots)?,
    };
    let budget = catalog::in_range(&params::MAX_TOKENS, arguments.number(&params::MAX_TOKENS)?);
    let default = params::MAX_TOKENS.default.and_then(|default| default.parse().ok());
    let budget = budget.map_err(|error| error.to_string())?.or(default).unwrap_or(u64::MAX) as usize;
    let view = arguments.text(&params::VIEW)?;
    let index_dir = arguments.text(&params::TOOL_DB)?;
    let index_dir = index_dir.map(|text| roots.folder(params::TOOL_DB.name, &text, root)).transpose()?;
    let is_on_disk = view.is_none() && sources.is_none();
    let named = ResolvedArguments { arguments: &arguments, roots, root, path, is_on_disk };
    let (ask, needs_no_index, is_slow) = (named.ask(tool)?, needs_no_index(&arguments), is_slow(tool));
    // The file to read is no limit.
    let path = if tool.id == ToolId::Read { None } else { named.path()? };
    Ok(ToolCall { root, sources, view, index_dir, path, ask, needs_no_index, is_slow, budget, session })
}

/// Turns several folders and files in `path` into globs, if the tool takes globs.
fn several_paths(
    tool: &Tool,
    roots: &Roots,
    mut given: Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    let (path, glob) = (params::PATH.name, params::PATH_GLOB.name);
    let takes = |name: &str| tool.params().any(|param| param.name == name);
    let paths = given.get(path).and_then(lenient::texts).filter(|paths| paths.len() > 1);
    let is_given = |name: &str| given.get(name).is_some_and(|value| !value.is_null());
    // Globs of sources have no root before them.
    let may_be_globs = takes(path) && takes(glob) && !is_given(TOOL_IN.name);
    let Some(paths) = paths.filter(|_| may_be_globs) else { return Ok(given) };
    if is_given(glob) || params::PATH_GLOB.aliases.iter().any(|name| is_given(name)) {
        return Err(format!(
            "{path} is a list, which stands for globs, and {glob} is given; give one of them"
        ));
    }
    let root = given.get(params::TREE.name).and_then(lenient::word);
    let mut root = root.map(|text| roots.root(&text)).transpose()?;
    let is_elsewhere = is_given(params::VIEW.name);
    let mut globs = Vec::new();
    for text in &paths {
        let place = roots.place(path, text, root)?;
        root.get_or_insert(place.root);
        let folder = roots.iter().nth(place.root);
        let own = folder.map(|folder| place.path.below(folder)).unwrap_or_default();
        if !is_elsewhere && !own.exists() {
            return Err(format!("path '{}' does not exist", place.path));
        }
        let begin = folder.and_then(Path::to_str).map_or(String::new(), |folder| format!("{folder}/"));
        let written = format!("{begin}{}", roots::as_glob(place.path.as_str()));
        globs.extend((is_elsewhere || !own.is_dir()).then(|| written.clone()));
        globs.extend((is_elsewhere || own.is_dir()).then(|| format!("{}/**", written.trim_end_matches('/'))));
    }
    given.remove(path);
    given.insert(glob.to_string(), globs.into());
    if let Some(root) = root.filter(|root| *root > 0).and_then(|root| roots.iter().nth(root)) {
        given.insert(params::TREE.name.to_string(), root.to_string_lossy().into());
    }
    Ok(given)
}

/// The root of the call and, where the tool takes a path, the path.
fn tree(arguments: &Arguments<'_>, roots: &Roots) -> Result<(usize, Option<ResolvedPath>), String> {
    let root = arguments.text(&params::TREE)?.map(|text| roots.root(&text)).transpose()?;
    let path =
        arguments.text(&params::PATH)?.map(|text| roots.place(params::PATH.name, &text, root)).transpose()?;
    // The files that a tool without `path` is about may choose its root.
    let root = root.or(path.as_ref().map(|place| place.root));
    let named = [&catalog::FILE, &catalog::FILES, &TARGET];
    let by_file = || {
        let param = named.iter().find(|param| arguments.value(param).is_some())?;
        let first = arguments.texts(param).ok()?.into_iter().next()?;
        let file = if param.name == TARGET.name { catalog::file_of_target(&first) } else { &first };
        roots.place(param.name, file, None).ok().map(|place| place.root)
    };
    Ok((root.or_else(by_file).unwrap_or(0), path))
}

/// The sources of the library that are asked.
fn sources(arguments: &Arguments<'_>) -> Result<Option<SourceChoice>, String> {
    let names = arguments.texts(&TOOL_IN)?;
    let names = names.iter().flat_map(|names| names.split(',')).map(str::trim);
    let names: Vec<String> = names.filter(|name| !name.is_empty()).map(str::to_string).collect();
    catalog::check_texts(&TOOL_IN, &names).map_err(|error| error.to_string())?;
    if names.is_empty() {
        return Ok(None);
    }
    for param in [&params::TREE, &params::VIEW, &params::TOOL_DB] {
        if arguments.value(param).is_some() {
            return Err(format!("'{}' is of one root, and 'in' asks sources; leave one out", param.name));
        }
    }
    Ok(Some(SourceChoice::of_names(names)))
}

/// The source that a path names, as in `client:src/lib.rs`, if the tool can ask sources.
fn source_of_path(arguments: &Arguments<'_>, is_source: &dyn Fn(&str) -> bool) -> Option<SourceChoice> {
    arguments.tool.operation.filter(|operation| operation.asks_sources)?;
    let paths = [&params::PATH, &catalog::FILE, &TARGET, &catalog::SYMBOL];
    let texts = paths.into_iter().filter_map(|param| arguments.text(param).ok()?);
    let names = texts.filter_map(|text| SourceName::before_path(&text).map(str::to_string));
    names.into_iter().find(|name| is_source(name)).map(|name| SourceChoice::of_names(vec![name]))
}

/// The folder or file of each source.
fn path_in_sources(arguments: &Arguments<'_>) -> Result<Option<ResolvedPath>, String> {
    arguments.text(&params::PATH)?.map(|text| roots::below(params::PATH.name, &text)).transpose()
}

/// Arguments whose tree is known.
struct ResolvedArguments<'a> {
    arguments: &'a Arguments<'a>,
    roots: &'a Roots,
    root: usize,
    path: Option<ResolvedPath>,
    /// Whether the call searches files on disk. If not, only the engine knows which paths exist.
    is_on_disk: bool,
}

impl ResolvedArguments<'_> {
    fn ask(&self, tool: &'static Tool) -> Result<ToolRequest, String> {
        Ok(match tool.id {
            ToolId::Search => {
                let (_, request) = self.search()?;
                trees(move |asked| asked.search(None, &request))
            }
            ToolId::SearchBatch => {
                let (queries, request) = self.search()?;
                let queries = queries.unwrap_or_default();
                trees(move |asked| asked.search(Some(&queries), &request))
            }
            ToolId::Grep => {
                let mut call = GrepCall::new(Options::default());
                self.fill(catalog::GREP_ROWS, &mut call)?;
                let request = GrepRequest { enclosing: true, ..call.grep.request };
                trees(move |asked| asked.grep(&request))
            }
            ToolId::Files => {
                printed(self.filled(catalog::FILES_ROWS, FilesRequest::new(""))?, agent::files_within)
            }
            ToolId::Symbols => {
                printed(self.filled(catalog::SYMBOLS_ROWS, SymbolsRequest::new(""))?, agent::symbols_within)
            }
            ToolId::Map => {
                let request = self.default(catalog::MAP_ROWS)?;
                trees(move |asked| asked.map(&request))
            }
            ToolId::Read => {
                let request = self.read()?;
                trees(move |asked| asked.read(&request))
            }
            ToolId::Skipped => {
                let request = self.default(catalog::SKIPPED_ROWS)?;
                trees(move |asked| asked.skipped(&request))
            }
            ToolId::WhyNot => {
                let request =
                    self.filled(catalog::WHY_NOT_ROWS, WhyNotRequest::new("", SearchRequest::new("")))?;
                if request.path.is_empty() {
                    return Err(format!("{} needs '{}'", tool.name, catalog::FILE.name));
                }
                printed(request, |reply, budget| agent::cut(agent::why_not(&reply), budget))
            }
            ToolId::Pack => {
                let request = self.filled(catalog::PACK_ROWS, PackRequest::new(""))?;
                let files = self.relative(catalog::SEED_FILE.name, &request.seed_files)?;
                let request = PackRequest { seed_files: files, ..request };
                trees(move |asked| asked.pack(&request))
            }
            ToolId::ToolSearch => {
                ToolRequest::Tools(self.arguments.text(&params::TOOL_QUERY)?.unwrap_or_default())
            }
            _ => self.of_state(tool)?,
        })
    }

    /// The request of a tool about the state of the tree, its code graph, its notes or the library.
    fn of_state(&self, tool: &'static Tool) -> Result<ToolRequest, String> {
        let notes: fn(NotesReply, usize) -> Answer = |reply, budget| agent::notes(&reply, budget);
        Ok(match tool.id {
            ToolId::Status => {
                // The path may choose the root, so a mistyped path must be an error and must not choose another root.
                self.path()?;
                trees(|asked| asked.status())
            }
            ToolId::Views => printed(ViewsRequest, |reply, _| agent::views(&reply)),
            ToolId::Touch => {
                let mut files = Vec::new();
                self.fill(catalog::TOUCH_ROWS, &mut files)?;
                trees(move |asked| asked.touch(&files))
            }
            ToolId::Graph(question) => printed(self.graph(question)?, agent::graph_within),
            ToolId::Entries(kind) => {
                let mut request = self.filled(catalog::ENTRIES_ROWS, EntriesRequest::new(kind, ""))?;
                request.reaches = request.reaches.map(|target| self.target(&target)).transpose()?;
                printed(request, agent::entries)
            }
            ToolId::FileGraph => {
                printed(self.default::<FileGraphRequest>(catalog::FILE_GRAPH_ROWS)?, |reply, budget| {
                    agent::file_graph(&reply, budget)
                })
            }
            ToolId::ListNotes => printed(self.default::<ListNotesRequest>(catalog::LIST_NOTES_ROWS)?, notes),
            ToolId::VerifyNote => {
                printed(self.default::<VerifyNoteRequest>(catalog::VERIFY_NOTE_ROWS)?, notes)
            }
            ToolId::RetireNote => {
                printed(self.default::<RetireNoteRequest>(catalog::RETIRE_NOTE_ROWS)?, notes)
            }
            ToolId::SearchNotes => {
                printed(self.filled(catalog::SEARCH_NOTES_ROWS, SearchNotesRequest::new(""))?, notes)
            }
            ToolId::RecordNote => {
                let mut request: AddNoteRequest = self.default(catalog::ADD_NOTE_ROWS)?;
                let links = request.links.iter().map(|link| self.target(link));
                request.links = links.collect::<Result<_, _>>()?;
                printed(request, notes)
            }
            _ => ToolRequest::Library(self.of_library(tool)?),
        })
    }

    /// The lines or the definition to read. The path may name them too: `file:///w/src/a.rs#L3` is the line of a link,
    /// `src/a.rs#take` a definition.
    fn read(&self) -> Result<ReadRequest, String> {
        let mut request = self.default(catalog::READ_ROWS)?;
        let (Some(path), Some(typed)) = (&request.path, self.arguments.text(&catalog::READ_PATH)?) else {
            return Ok(request);
        };
        if request.lines.is_some() || request.symbol.is_some() {
            return Ok(request);
        }
        if let Some(lines) = roots::lines_of_link(&typed) {
            request.path = Some(RelPath::new(&format!("{path}:{lines}")).map_err(|error| error.to_string())?);
        } else if let Some((file, name)) = path.as_str().split_once('#')
            && !file.is_empty()
            && !name.is_empty()
            && name.parse::<LineRange>().is_err()
            && !self.exists(path)
        {
            request.symbol = Some(name.to_string());
            request.path = Some(RelPath::new(file).map_err(|error| error.to_string())?);
        }
        Ok(request)
    }

    /// Whether the root of the call has the file or folder on disk.
    fn exists(&self, path: &RelPath) -> bool {
        self.roots.iter().nth(self.root).is_some_and(|root| path.below(root).exists())
    }

    /// The question about the code graph.
    fn graph(&self, question: GraphQuestion) -> Result<GraphRequest, String> {
        let mut request = self.filled(catalog::graph_rows(question), GraphRequest::new(question, ""))?;
        request.target = self.target(&request.target)?;
        // The uses of one relation are a question of their own, by whichever name the tool is called.
        request.question = match request.relation {
            Some(Relation::Calls) => GraphQuestion::Callers,
            Some(Relation::Implements) => GraphQuestion::Implementations,
            _ => request.question,
        };
        Ok(request)
    }

    fn of_library(&self, tool: &'static Tool) -> Result<LibraryRequest, String> {
        let shown = self.arguments.text(&catalog::ONE_SOURCE)?.filter(|_| tool.id == ToolId::Library);
        let name = if shown.is_some() {
            catalog::SHOW_SOURCE.name
        } else {
            tool.operation.map_or("", |row| row.name)
        };
        let operation = OPERATIONS.iter().chain(LIBRARY_OPERATIONS).find(|listed| listed.row().name == name);
        let Some(ListedOperation::Library(operation)) = operation else {
            unreachable!("{name} is not about the library")
        };
        let run = operation.prepare(self).map_err(|error| error.to_string())?;
        let source = self.text(&catalog::SOURCE).map_err(|error| error.to_string())?;
        let is_local = tool.id == ToolId::AddSource && !source.is_some_and(|source| is_remote(&source));
        Ok(LibraryRequest { tool, asks_servers: tool.is_open_world() && !is_local, run })
    }

    /// The queries, if a list is given, and the search.
    fn search(&self) -> Result<(Option<Vec<String>>, SearchRequest), String> {
        let mut call = SearchCall::new(Options::default());
        self.fill(catalog::SEARCH_ROWS, &mut call)?;
        Ok((call.queries, call.search.request))
    }

    fn default<R: Default>(&self, rows: &[Row<catalog::FilledRequest<R>>]) -> Result<R, String> {
        self.filled(rows, R::default())
    }

    fn filled<R>(&self, rows: &[Row<catalog::FilledRequest<R>>], request: R) -> Result<R, String> {
        let mut call = catalog::FilledRequest::new(request, Options::default());
        self.fill(rows, &mut call)?;
        Ok(call.request)
    }

    fn fill<R>(&self, rows: &[Row<R>], request: &mut R) -> Result<(), String> {
        catalog::fill(rows, request, self).map_err(|error| error.to_string())
    }

    /// A target of the code graph. The file of a target is relative to the root, or absolute and inside of the root.
    fn target(&self, typed: &str) -> Result<String, String> {
        if let Some(path) = roots::path_of_link(typed) {
            let place = self.roots.place(TARGET.name, &path, Some(self.root))?;
            let line =
                roots::lines_of_link(typed).and_then(|lines| lines.split('-').next()?.parse::<u32>().ok());
            return Ok(line.map_or(place.path.to_string(), |line| format!("{}:{line}", place.path)));
        }
        let file = catalog::file_of_target(typed);
        if !Path::new(file).is_absolute() && !file.starts_with("~/") {
            return Ok(typed.to_string());
        }
        let place = self.roots.place(TARGET.name, file, Some(self.root))?;
        Ok(format!("{}{}", place.path, &typed[file.len()..]))
    }

    /// A source to add: the URL of a repository on another machine, or a path inside of a root. Every other path could
    /// lead to files that the server does not serve.
    fn source(&self, typed: &str) -> Result<String, String> {
        // A file of this machine may have a name of that form.
        if typed.is_empty() || (is_remote(typed) && !Path::new(typed).exists()) {
            return Ok(typed.to_string());
        }
        let place = self.roots.place(catalog::SOURCE.name, typed, None)?;
        let root = self.roots.iter().nth(place.root).unwrap_or(Path::new(""));
        Ok(place.path.below(root).to_string_lossy().into_owned())
    }

    /// Files, relative to the root of the call.
    fn relative(&self, param: &str, files: &[String]) -> Result<Vec<String>, String> {
        let place = |file: &String| self.roots.place(param, file, Some(self.root));
        files.iter().map(|file| place(file).map(|place| place.path.to_string())).collect()
    }

    /// The folder or file that limits the request. The path must exist: with a mistyped path, the answer would be
    /// empty.
    fn path(&self) -> Result<Option<String>, String> {
        let Some(place) = &self.path else { return Ok(None) };
        let Some(root) = self.roots.iter().nth(place.root) else { return Ok(None) };
        if self.is_on_disk && !place.path.below(root).exists() {
            let other = self.roots.having(&place.path).map(Path::display);
            let other = other.map_or(String::new(), |other| format!(", but below the root '{other}'"));
            let (path, root) = (&place.path, root.display());
            return Err(format!("path '{path}' does not exist below the root '{root}'{other}"));
        }
        Ok(Some(place.path.to_string()).filter(|path| !path.is_empty()))
    }
}

impl RawValues for ResolvedArguments<'_> {
    fn face(&self) -> Faces {
        Faces::Tools
    }

    fn text(&self, param: &Param) -> Result<Option<String>, ValueError> {
        let is_source = self.arguments.tool.id == ToolId::AddSource && param.name == catalog::SOURCE.name;
        let text = self.arguments.text(param)?;
        Ok(text.map(|text| if is_source { self.source(&text) } else { Ok(text) }).transpose()?)
    }

    fn texts(&self, param: &Param) -> Result<Vec<String>, ValueError> {
        Ok(self.arguments.texts(param)?)
    }

    fn flag(&self, param: &Param) -> Result<Option<bool>, ValueError> {
        Ok(self.arguments.flag(param)?)
    }

    fn number(&self, param: &Param) -> Result<Option<u64>, ValueError> {
        Ok(self.arguments.number(param)?)
    }

    fn fraction(&self, param: &Param) -> Result<Option<f32>, ValueError> {
        Ok(self.arguments.fraction(param)?)
    }

    fn scope(&self, _: &Param) -> Result<Option<String>, ValueError> {
        Ok(self.path()?)
    }

    fn paths(&self, param: &Param) -> Result<Vec<RelPath>, ValueError> {
        let texts = self.arguments.texts(param)?;
        let place =
            |text: &String| self.roots.place(param.name, text, Some(self.root)).map(|place| place.path);
        Ok(texts.iter().map(place).collect::<Result<_, _>>()?)
    }

    /// No tool takes a path outside the roots.
    fn file(&self, _: &Param) -> Result<Option<PathBuf>, ValueError> {
        Ok(None)
    }

    fn text_of_path(&self, _: &Param) -> Result<Option<PathBuf>, ValueError> {
        Ok(None)
    }

    fn pattern(&self, param: &Param, pattern: String) -> Result<String, ValueError> {
        Ok(self.roots.pattern(param.name, pattern, self.root)?)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use spyhop_engine::api::Mode;
    use spyhop_interface::catalog::tools;

    use super::*;

    fn refused(tool: &str, given: Value) -> String {
        let roots = Roots::new(vec![std::env::temp_dir().canonicalize().unwrap()]);
        let Value::Object(given) = given else { unreachable!() };
        call(tools::tool(tool).unwrap(), &[], given, (&roots, &|_| false), None).err().unwrap()
    }

    fn searched(tool: &str, given: Value) -> (Option<Vec<String>>, SearchRequest) {
        let Value::Object(given) = given else { unreachable!() };
        let arguments = &Arguments::new(tools::tool(tool).unwrap(), &[], given).unwrap();
        let roots = &Roots::new(vec![std::env::temp_dir().canonicalize().unwrap()]);
        ResolvedArguments { arguments, roots, root: 0, path: None, is_on_disk: true }.search().unwrap()
    }

    #[test]
    fn values_are_read_by_their_rows() {
        let given = json!({
            "query": "a|b", "limit": 3.0, "language": "rust, go", "chunk_type": ["function"], "exclude": "x|y",
            "min_score": 0.5, "mode": "compact", "expand": 99999999999u64, "cursor": null, "glob": ["*.rs"],
        });
        let (_, request) = searched("codebase_search", given);
        assert_eq!((request.query.as_str(), request.max_results, request.expand), ("a|b", 3, u32::MAX));
        assert_eq!(request.filter.lang, ["rust", "go"]);
        assert_eq!(
            (&request.filter.exclude[..], &request.filter.path_globs[..]),
            (&["x|y".into()][..], &["*.rs".into()][..])
        );
        assert_eq!((request.min_score, request.mode, request.cursor), (Some(0.5), Mode::Compact, None));
        let (queries, _) = searched("search_batch", json!({ "queries": ["a | b", "c"] }));
        assert_eq!(queries.unwrap(), ["a", "b", "c"]);
    }

    #[test]
    fn what_is_wrong_is_named_with_the_choices() {
        let check = |tool: &str, given: Value, expected: &str| {
            let error = refused(tool, given);
            assert!(error.starts_with(expected), "{error}");
        };
        let query = |name: &str, value: Value| json!({ "query": "a", name: value });
        check("codebase_search", json!({}), "codebase_search needs 'query': What the code does");
        check("codebase_search", json!({ "query": true }), "query of codebase_search is true; give a text");
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
