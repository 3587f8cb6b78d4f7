//! Operations of the catalog: their parameters from the address, their replies as `--json` prints them.

use serde::Serialize;
use serde_json::{Value, json};
use spyhop_engine::api::{
    ExplainSkipsRequest, FileGraphRequest, FilesRequest, GraphRequest, GrepRequest, OnMissing, Options,
    ReadRequest, SearchRequest, SkippedRequest, StalePolicy, SymbolsRequest, WhyNotRequest,
};
use spyhop_engine::{Call, Corpus, Operation};
use spyhop_interface::catalog::{self, Faces, FilledRequest, GrepCall, Listed, Param, Row, Takes};
use spyhop_interface::operations::{
    LIBRARY_OPERATIONS, ListedOperation, MEMORY_OPERATIONS, OPERATIONS, OperationId, RunLibrary, RunPlain,
};
use spyhop_interface::render::json::JsonPaths;

use super::super::ask::Ask;
use super::super::params::{OperationValues, PLACE, taken};
use super::super::reply::{ApiError, object, to_json};
use super::super::site::{AskedTrees, PageSite};

/// The plain operations that change nothing.
const READING: &[&str] = &[
    "routes",
    "commands",
    "map",
    "pack",
    "status",
    "views",
    "doctor",
    "languages",
    "memory list",
    "memory show",
    "memory search",
    "library list",
    "library status",
    "library show",
];

/// The operation of a path; only those that change nothing are served.
fn operation(path: &str) -> Option<&'static ListedOperation> {
    served().find(|(own, _)| own == path).map(|(_, listed)| listed)
}

/// The served operations with their paths.
fn served() -> impl Iterator<Item = (String, &'static ListedOperation)> {
    let is_read = |listed: &&ListedOperation| match listed {
        ListedOperation::Own(id, _) => matches!(
            id,
            OperationId::Grep
                | OperationId::Files
                | OperationId::Symbols
                | OperationId::Graph(_)
                | OperationId::FileGraph
                | OperationId::Read
                | OperationId::Skipped
                | OperationId::WhyNot
        ),
        ListedOperation::Plain(_) | ListedOperation::Library(_) => READING.contains(&listed.row().name),
    };
    let all = OPERATIONS.iter().chain(MEMORY_OPERATIONS).chain(LIBRARY_OPERATIONS).filter(is_read);
    all.map(|listed| (listed.row().name.replace(' ', "/"), listed))
}

pub fn is_served(path: &str) -> bool {
    operation(path).is_some()
}

/// Runs the operation of the path.
pub fn answer(site: &PageSite, ask: &Ask) -> Result<String, ApiError> {
    let listed = operation(&ask.name)
        .ok_or_else(|| ApiError::not_found(format!("no operation '{}' is served", ask.name)))?;
    if let ListedOperation::Library(own) = listed {
        return library(site, *own, ask);
    }
    run(site, listed, ask)
}

fn run(site: &PageSite, listed: &'static ListedOperation, ask: &Ask) -> Result<String, ApiError> {
    let asked = site.asked(&ask.params)?;
    let (tree, is_on_disk) = match &asked {
        AskedTrees::Tree { number, view, .. } => (*number, view.is_none()),
        AskedTrees::Sources(_) => (0, false),
    };
    let values = OperationValues {
        params: &ask.params,
        roots: &site.roots,
        tree,
        is_on_disk,
        face: face_of_call(listed, ask),
    };
    match &asked {
        AskedTrees::Tree { number, engine, view } => {
            // On disk the values are checked one by one.
            if let (Some(_), Some(path)) = (view, ask.params.all("path").next()) {
                engine.check_path(site.place(*number, "path", path)?.as_str())?;
            }
            of_trees(listed, &Corpus::from(engine), &values)
        }
        AskedTrees::Sources(_) if !listed.row().asks_sources => Err(one_tree(listed.row().name)),
        AskedTrees::Sources(set) => of_trees(listed, set, &values),
    }
}

/// Where the rows of an operation come from. The graph of files and the lists of notes are taken as on a command line, with
/// formats and policies that no tool has.
fn face(listed: &ListedOperation) -> Faces {
    let is_as_tool = !matches!(listed, ListedOperation::Own(OperationId::FileGraph, _))
        && !["memory list", "memory show"].contains(&listed.row().name);
    if is_as_tool { Faces::Tools } else { Faces::CommandLine }
}

/// The graph of files is also asked as the tool is.
fn face_of_call(listed: &ListedOperation, ask: &Ask) -> Faces {
    let has_question = ask.params.all(catalog::FILE_GRAPH_QUESTION.name).next().is_some();
    if is_file_graph(listed) && has_question { Faces::Tools } else { face(listed) }
}

fn is_file_graph(listed: &ListedOperation) -> bool {
    matches!(listed, ListedOperation::Own(OperationId::FileGraph, _))
}

/// A request with the values of its rows.
fn filled<R>(
    values: &OperationValues<'_>,
    rows: &[Row<FilledRequest<R>>],
    request: R,
) -> Result<R, ApiError> {
    let mut call = FilledRequest::new(request, Options::default());
    values.fill(rows, &mut call, &PLACE)?;
    Ok(call.request)
}

fn of_trees(
    listed: &'static ListedOperation,
    corpus: &Corpus,
    values: &OperationValues<'_>,
) -> Result<String, ApiError> {
    let id = match listed {
        ListedOperation::Own(id, _) => *id,
        ListedOperation::Plain(plain) => return of_plain(*plain, corpus, values),
        ListedOperation::Library(_) => unreachable!("an operation of a library asks no tree"),
    };
    match id {
        OperationId::Grep => asked(corpus, &grep_request(values)?),
        OperationId::Files => asked(corpus, &filled(values, catalog::FILES_ROWS, FilesRequest::new(""))?),
        OperationId::Symbols => {
            asked(corpus, &filled(values, catalog::SYMBOLS_ROWS, SymbolsRequest::new(""))?)
        }
        OperationId::Graph(question) => {
            asked(corpus, &filled(values, catalog::graph_rows(question), GraphRequest::new(question, ""))?)
        }
        OperationId::FileGraph => {
            asked(corpus, &filled(values, catalog::FILE_GRAPH_ROWS, FileGraphRequest::default())?)
        }
        OperationId::Read => asked(corpus, &filled(values, catalog::READ_ROWS, ReadRequest::default())?),
        OperationId::Skipped => {
            asked(corpus, &filled(values, catalog::SKIPPED_ROWS, SkippedRequest::default())?)
        }
        OperationId::WhyNot => {
            let request =
                filled(values, catalog::WHY_NOT_ROWS, WhyNotRequest::new("", SearchRequest::new("")))?;
            if request.path.is_empty() {
                return Err(ApiError::bad("the parameter 'file' is missing"));
            }
            asked(corpus, &request)
        }
        _ => Err(ApiError::not_found("this operation is not served")),
    }
}

/// The reply to a request, as JSON.
fn asked<O: Operation<Reply: Serialize>>(corpus: &Corpus, request: &O) -> Result<String, ApiError> {
    Ok(to_json(&corpus.ask(request)?))
}

fn grep_request(values: &OperationValues<'_>) -> Result<GrepRequest, ApiError> {
    let mut call = GrepCall::new(Options::default());
    values.fill(catalog::GREP_ROWS, &mut call, &PLACE)?;
    Ok(GrepRequest { enclosing: true, ..call.grep.request })
}

fn of_plain(
    plain: &'static dyn RunPlain,
    corpus: &Corpus,
    values: &OperationValues<'_>,
) -> Result<String, ApiError> {
    values.check_names(with_faces(plain.operation().params), &PLACE)?;
    let call = plain.prepare(Options::default(), values)?;
    Ok((call.run)(corpus, &Call::default())?.json(JsonPaths::default()))
}

/// The parameters of an operation, with the faces that have them.
fn with_faces(listed: &'static [Listed]) -> impl Iterator<Item = (&'static Param, Faces)> {
    listed.iter().map(|row| (row.param, row.faces))
}

fn one_tree(name: &str) -> ApiError {
    ApiError::bad(format!("{name} is about one tree; leave out 'in'"))
}

/// Runs an operation of the library.
fn library(site: &PageSite, own: &'static dyn RunLibrary, ask: &Ask) -> Result<String, ApiError> {
    let values = OperationValues {
        params: &ask.params,
        roots: &site.roots,
        tree: 0,
        is_on_disk: false,
        face: Faces::CommandLine,
    };
    values.check_names(with_faces(own.operation().params), &[])?;
    let run = own.prepare(&values)?;
    Ok(run(&site.library.open()?, Options::default(), &|_| ())?.json(JsonPaths::default()))
}

/// The rule that leaves a path out.
pub fn explain(site: &PageSite, ask: &Ask) -> Result<String, ApiError> {
    ask.params.only(&["path", "root"])?;
    let tree = site.tree(ask.params.one("root")?)?;
    let path = site.place(tree, "path", ask.params.required("path")?)?;
    let request = ExplainSkipsRequest { path: path.as_str().into() };
    Ok(to_json(&site.engine(tree, None)?.ask(&request)?))
}

/// Routes and commands.
pub fn entries(site: &PageSite, ask: &Ask) -> Result<String, ApiError> {
    let of = |name: &str| {
        let listed = OPERATIONS.iter().find(|listed| listed.row().name == name);
        run(site, listed.ok_or_else(|| ApiError::internal("no such operation"))?, ask)
    };
    Ok(object(&[("routes", of("routes")?), ("commands", of("commands")?)]))
}

/// The notes: all of them, or those that help with a question.
pub fn notes(site: &PageSite, ask: &Ask) -> Result<String, ApiError> {
    let name = if ask.params.all("query").next().is_some() { "memory search" } else { "memory list" };
    let listed = MEMORY_OPERATIONS.iter().find(|listed| listed.row().name == name);
    run(site, listed.ok_or_else(|| ApiError::internal("no such operation"))?, ask)
}

/// The library: its list and its state.
pub fn sources(site: &PageSite, ask: &Ask) -> Result<String, ApiError> {
    ask.params.only(&[])?;
    let library = site.library.open()?;
    let as_indexed =
        Options { stale_policy: StalePolicy::Ignore, on_missing: OnMissing::Fail, ..Options::default() };
    let (list, status) = (library.list()?, library.status(&as_indexed)?);
    Ok(object(&[("list", to_json(&list)), ("status", to_json(&status))]))
}

/// The served operations with their parameters.
pub fn catalog(_: &PageSite, ask: &Ask) -> Result<String, ApiError> {
    ask.params.only(&[])?;
    let rows: Vec<Value> = served()
        .map(|(path, listed)| {
            let face = face(listed);
            let question = is_file_graph(listed).then_some(&catalog::FILE_GRAPH_QUESTION);
            let params = question.into_iter().chain(taken(face, with_faces(listed.row().params)));
            let params: Vec<Value> = params.map(param).collect();
            json!({ "path": path, "help": listed.row().help, "params": params })
        })
        .collect();
    Ok(json!({ "operations": rows }).to_string())
}

fn param(param: &Param) -> Value {
    let (takes, choices) = match param.takes {
        Takes::Nothing => ("flag", Vec::new()),
        Takes::Text | Takes::Texts => ("text", Vec::new()),
        Takes::Repeated | Takes::List => ("list", Vec::new()),
        Takes::Choice(choices) => ("choice", choices()),
        Takes::Choices(choices) => ("choices", choices()),
        Takes::Number(..) | Takes::Bytes => ("number", Vec::new()),
        Takes::Fraction => ("fraction", Vec::new()),
        Takes::Path => ("path", Vec::new()),
        Takes::Paths => ("paths", Vec::new()),
    };
    json!({ "name": param.name, "help": param.help, "takes": takes, "choices": choices, "default": param.default })
}
