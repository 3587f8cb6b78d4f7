//! The tools for agents over shards: the names, the schemas and the answers of `spyhop mcp`, for the operations that shards
//! answer.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use serde_json::{Map, Value, json};
use spyhop_engine::api::*;
use spyhop_engine::federated::{Federation, Front};
use spyhop_engine::{Corpus, Error};
use spyhop_interface::catalog::tools::{TOOLS, Tool, ToolId, tool};
use spyhop_interface::catalog::{
    self, Arguments, Faces, FilledRequest, GrepCall, Param, RawValues, Row, SearchCall, ValueError, params,
    schema,
};
use spyhop_interface::render::agent::{self, Answer};

use crate::failure::Failure;

/// A question whose answer is the text and the data of a tool, as JSON.
pub type ToolQuestion = Federation<Vec<u8>>;

/// The tools whose operations shards answer, each with its name, its description and the schema of its arguments.
#[pyfunction]
pub fn cluster_tools() -> String {
    let all = TOOLS.iter().filter(|tool| is_answered(tool));
    Value::from(all.map(schema::described).collect::<Vec<Value>>()).to_string()
}

fn is_answered(tool: &Tool) -> bool {
    use ToolId::{Entries, FileGraph, Graph, ListNotes, Map, Pack, Read, SearchNotes, Skipped, Status};
    let is_by_trees = matches!(
        tool.id,
        Map | Read | FileGraph | Graph(_) | Entries(_) | Pack | Skipped | Status | ListNotes | SearchNotes
    );
    is_merged(tool) || is_by_trees
}

/// Whether the answer of a tool is that of one engine over all files.
fn is_merged(tool: &Tool) -> bool {
    use ToolId::{Files, Grep, Search, SearchBatch, Symbols, WhyNot};
    matches!(tool.id, Search | SearchBatch | Grep | Files | Symbols | WhyNot)
}

/// Whether a tool has an answer that is that of one engine over all files.
#[pyfunction]
pub fn is_merged_tool(name: &str) -> bool {
    tool(name).is_some_and(is_merged)
}

/// Begins a call of a tool over shards. The exception is `KeyError` for a tool that is not offered.
pub fn begun(
    py: Python<'_>,
    front: &Arc<Front>,
    (name, arguments): (&str, &str),
    shards: &[String],
) -> PyResult<Result<ToolQuestion, Failure>> {
    let Some(tool) = tool(name).filter(|tool| is_answered(tool)) else {
        return Err(PyKeyError::new_err(name.to_string()));
    };
    Ok(py.detach(|| {
        let given: Map<String, Value> = serde_json::from_str(arguments)
            .map_err(|error| Failure::bad(format!("the arguments of {name}: {error}")))?;
        let call = ToolCall::new(tool, given).map_err(Failure::bad)?;
        Ok(front.run(shards, move |corpus| {
            let Answer { text, data } = call.answer(corpus)?;
            Ok(json!({ "text": text, "data": data }).to_string().into_bytes())
        })?)
    }))
}

/// A call with its request and the most tokens of its answer.
struct ToolCall {
    ask: ToolAsk,
    budget: usize,
}

enum ToolAsk {
    Search(Vec<String>, SearchRequest),
    Grep(GrepRequest),
    Files(FilesRequest),
    Symbols(SymbolsRequest),
    Map(MapRequest),
    Read(ReadRequest),
    Graph(GraphRequest),
    Entries(EntriesRequest),
    FileGraph(FileGraphRequest),
    Pack(PackRequest),
    Skipped(SkippedRequest),
    WhyNot(Box<WhyNotRequest>),
    Status,
    ListNotes(ListNotesRequest),
    SearchNotes(SearchNotesRequest),
}

impl ToolCall {
    fn new(tool: &'static Tool, given: Map<String, Value>) -> Result<ToolCall, String> {
        let values = ShardValues(Arguments::new(tool, &[], given)?);
        let budget = catalog::in_range(&params::MAX_TOKENS, values.0.number(&params::MAX_TOKENS)?);
        let default = params::MAX_TOKENS.default.and_then(|default| default.parse().ok());
        let budget = budget.map_err(|error| error.to_string())?.or(default).unwrap_or(u64::MAX) as usize;
        for param in [&params::TREE, &params::VIEW, &params::TOOL_DB, &catalog::TOOL_IN] {
            if values.0.value(param).is_some() {
                return Err(format!(
                    "'{}' is of one machine, and shards are asked; leave it out",
                    param.name
                ));
            }
        }
        Ok(ToolCall { ask: values.ask(tool)?, budget })
    }

    fn answer(&self, corpus: &Corpus) -> Result<Answer, Error> {
        let budget = self.budget;
        Ok(match &self.ask {
            ToolAsk::Search(queries, request) => {
                let mut reply = match &queries[..] {
                    [] => corpus.ask(request)?,
                    _ => corpus.ask(&SearchBatch::new(queries.clone(), request.clone()))?,
                };
                agent::search_within(&mut reply, (queries, request.mode), budget).0
            }
            ToolAsk::Grep(request) => agent::grep_within(corpus.ask(request)?, budget),
            ToolAsk::Files(request) => agent::files_within(corpus.ask(request)?, budget),
            ToolAsk::Symbols(request) => agent::symbols_within(corpus.ask(request)?, budget),
            ToolAsk::Map(request) => agent::map_within(|request| corpus.ask(request), request, budget)?,
            ToolAsk::Read(request) => agent::read_within(corpus.ask(request)?, budget),
            ToolAsk::Graph(request) => agent::graph_within(corpus.ask(request)?, budget),
            ToolAsk::Entries(request) => agent::entries(corpus.ask(request)?, budget),
            ToolAsk::FileGraph(request) => agent::file_graph(&corpus.ask(request)?, budget),
            ToolAsk::Pack(request) => agent::pack(&corpus.ask(request)?),
            ToolAsk::Skipped(request) => {
                let whole = SkippedRequest { after: None, ..request.clone() };
                agent::skipped(&corpus.ask(&whole)?, request.after.as_deref(), budget)
            }
            ToolAsk::WhyNot(request) => agent::cut(agent::why_not(&corpus.ask(&**request)?), budget),
            ToolAsk::Status => agent::cut(agent::source_statuses(&corpus.statuses()), budget),
            ToolAsk::ListNotes(request) => agent::notes(&corpus.ask(request)?, budget),
            ToolAsk::SearchNotes(request) => agent::notes(&corpus.ask(request)?, budget),
        }
        // The files lie on other machines.
        .without_links()
        .lean())
    }
}

/// Arguments whose paths are those of the shards.
struct ShardValues<'t>(Arguments<'t>);

impl ShardValues<'_> {
    fn ask(&self, tool: &Tool) -> Result<ToolAsk, String> {
        Ok(match tool.id {
            ToolId::Search | ToolId::SearchBatch => {
                let mut call = SearchCall::new(Options::default());
                self.fill(catalog::SEARCH_ROWS, &mut call)?;
                let queries = call.queries.filter(|_| tool.id == ToolId::SearchBatch);
                ToolAsk::Search(queries.unwrap_or_default(), call.search.request)
            }
            ToolId::Grep => {
                let mut call = GrepCall::new(Options::default());
                self.fill(catalog::GREP_ROWS, &mut call)?;
                ToolAsk::Grep(GrepRequest { enclosing: true, ..call.grep.request })
            }
            ToolId::Files => ToolAsk::Files(self.filled(catalog::FILES_ROWS, FilesRequest::new(""))?),
            ToolId::Symbols => ToolAsk::Symbols(self.filled(catalog::SYMBOLS_ROWS, SymbolsRequest::new(""))?),
            ToolId::Map => ToolAsk::Map(self.filled(catalog::MAP_ROWS, MapRequest::default())?),
            ToolId::Read => ToolAsk::Read(self.filled(catalog::READ_ROWS, ReadRequest::default())?),
            ToolId::Graph(question) => {
                let mut request =
                    self.filled(catalog::graph_rows(question), GraphRequest::new(question, ""))?;
                // The uses of one relation are a question of their own, by whichever name the tool is called.
                request.question = match request.relation {
                    Some(Relation::Calls) => GraphQuestion::Callers,
                    Some(Relation::Implements) => GraphQuestion::Implementations,
                    _ => request.question,
                };
                ToolAsk::Graph(request)
            }
            ToolId::Entries(kind) => {
                ToolAsk::Entries(self.filled(catalog::ENTRIES_ROWS, EntriesRequest::new(kind, ""))?)
            }
            ToolId::FileGraph => {
                ToolAsk::FileGraph(self.filled(catalog::FILE_GRAPH_ROWS, FileGraphRequest::default())?)
            }
            ToolId::Pack => ToolAsk::Pack(self.filled(catalog::PACK_ROWS, PackRequest::new(""))?),
            ToolId::Skipped => {
                ToolAsk::Skipped(self.filled(catalog::SKIPPED_ROWS, SkippedRequest::default())?)
            }
            ToolId::WhyNot => {
                let request = WhyNotRequest::new("", SearchRequest::new(""));
                let request = self.filled(catalog::WHY_NOT_ROWS, request)?;
                if request.path.is_empty() {
                    return Err(format!("{} needs '{}'", tool.name, catalog::FILE.name));
                }
                ToolAsk::WhyNot(Box::new(request))
            }
            ToolId::Status => ToolAsk::Status,
            ToolId::ListNotes => {
                ToolAsk::ListNotes(self.filled(catalog::LIST_NOTES_ROWS, ListNotesRequest::default())?)
            }
            ToolId::SearchNotes => {
                ToolAsk::SearchNotes(self.filled(catalog::SEARCH_NOTES_ROWS, SearchNotesRequest::new(""))?)
            }
            _ => return Err(format!("{} is not answered over shards", tool.name)),
        })
    }

    fn filled<R>(&self, rows: &[Row<FilledRequest<R>>], request: R) -> Result<R, String> {
        let mut call = FilledRequest::new(request, Options::default());
        self.fill(rows, &mut call)?;
        Ok(call.request)
    }

    fn fill<R>(&self, rows: &[Row<R>], request: &mut R) -> Result<(), String> {
        catalog::fill(rows, request, self).map_err(|error| error.to_string())
    }
}

impl RawValues for ShardValues<'_> {
    fn face(&self) -> Faces {
        Faces::Tools
    }

    fn text(&self, param: &Param) -> Result<Option<String>, ValueError> {
        Ok(self.0.text(param)?)
    }

    fn texts(&self, param: &Param) -> Result<Vec<String>, ValueError> {
        Ok(self.0.texts(param)?)
    }

    fn flag(&self, param: &Param) -> Result<Option<bool>, ValueError> {
        Ok(self.0.flag(param)?)
    }

    fn number(&self, param: &Param) -> Result<Option<u64>, ValueError> {
        Ok(self.0.number(param)?)
    }

    fn fraction(&self, param: &Param) -> Result<Option<f32>, ValueError> {
        Ok(self.0.fraction(param)?)
    }

    fn scope(&self, _: &Param) -> Result<Option<String>, ValueError> {
        Ok(self.0.text(&params::PATH)?.filter(|path| !path.is_empty()))
    }

    fn paths(&self, param: &Param) -> Result<Vec<spyhop::RelPath>, ValueError> {
        let path =
            |text: &String| spyhop::RelPath::new(text).map_err(|error| ValueError::new(error.to_string()));
        self.0.texts(param)?.iter().map(path).collect()
    }

    /// No tool takes a file of this machine.
    fn file(&self, _: &Param) -> Result<Option<PathBuf>, ValueError> {
        Ok(None)
    }

    fn text_of_path(&self, _: &Param) -> Result<Option<PathBuf>, ValueError> {
        Ok(None)
    }
}
