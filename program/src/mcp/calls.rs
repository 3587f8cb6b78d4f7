//! One call on one engine: run the request, fit the answer into its budget, render it.
//!
//! When an answer is too long, its reply is truncated to the rows that fit. The reply then says where the next page
//! begins.

use spyhop_base::path::RelPath;
use spyhop_engine::api::{
    FileActivity, FilesReply, FilesRequest, GraphReply, GraphRequest, GrepReply, GrepRequest, MapReply,
    MapRequest, Mode, PackRequest, Progress, ReadReply, ReadRequest, SearchBatch, SearchReply, SearchRequest,
    Session, SymbolsReply, SymbolsRequest,
};
use spyhop_engine::{Call, Corpus, Engine, Error};
use spyhop_interface::render::agent::{self, Answer};

use super::arguments::{ToolCall, ToolRequest};

/// An answer, and the update of the session when the answer is sent: an answer that nobody waits for was not read.
pub struct PendingReply {
    answer: Answer,
    sent: Option<Box<dyn FnOnce() + Send>>,
}

impl From<Answer> for PendingReply {
    fn from(answer: Answer) -> PendingReply {
        PendingReply { answer, sent: None }
    }
}

impl PendingReply {
    /// Adds a warning to the answer.
    pub fn warn(self, warning: &str) -> PendingReply {
        PendingReply { answer: self.answer.warn(warning), ..self }
    }

    /// Returns the answer to be sent now, and updates the session.
    pub fn send(self) -> Answer {
        if let Some(sent) = self.sent {
            sent();
        }
        self.answer
    }
}

/// Answers a call with the engine of its tree. A failure is an answer too, marked as an error.
pub fn answer(
    engine: &Engine,
    call: &ToolCall,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<PendingReply, Error> {
    if call.view.is_none() {
        return asked(engine, call, progress);
    }
    if let Some(path) = call.ask.path() {
        engine.check_path(path)?;
    }
    // Links would lead to files of the worktree, not of the view.
    let told = asked(engine, call, progress)?;
    Ok(PendingReply { answer: told.answer.without_links(), ..told })
}

fn asked(
    engine: &Engine,
    call: &ToolCall,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<PendingReply, Error> {
    let (budget, session) = (call.budget, call.session.as_ref());
    match &call.ask {
        ToolRequest::Search(request) => return search(engine, None, request, call, progress),
        ToolRequest::Batch(queries, request) => {
            return search(engine, Some(queries), request, call, progress);
        }
        ToolRequest::Pack(request) => return pack(engine, request, session, progress),
        ToolRequest::Grep(request) => {
            opened(engine, session, request.filter.path.as_deref());
            grep(engine, request, budget)
        }
        ToolRequest::Files(request) => files(engine, request, budget),
        ToolRequest::Symbols(request) => symbols(engine, request, budget),
        ToolRequest::Map(request) => {
            opened(engine, session, request.filter.path.as_deref());
            map(|request| engine.ask(request), request, budget)
        }
        ToolRequest::Read(request) => read(engine, session, request, budget, progress),
        ToolRequest::Skipped { reason, after } => {
            let reply = engine.skipped()?.of_reason(*reason);
            Ok(agent::skipped(&reply, after.as_deref(), budget))
        }
        ToolRequest::WhyNot(file, request) => {
            let reply = engine.why_not(file.as_str(), request)?;
            Ok(agent::cut(agent::why_not(&reply, engine.root()), budget))
        }
        ToolRequest::Graph(request) => graph(engine, request, budget, progress),
        ToolRequest::Entries(request) => {
            Ok(agent::entries(engine.call(request, &Call::default().with_progress(progress))?, budget))
        }
        ToolRequest::FileGraph(request) => {
            Ok(agent::file_graph(&engine.call(request, &Call::default().with_progress(progress))?, budget))
        }
        ToolRequest::Views => Ok(agent::views(&engine.views()?)),
        ToolRequest::Notes(request) => Ok(agent::notes(&engine.ask(request)?, budget)),
        ToolRequest::ListNotes(request) => Ok(agent::notes(&engine.ask(request)?, budget)),
        ToolRequest::Verify(request) => Ok(agent::notes(&engine.ask(request)?, budget)),
        ToolRequest::Retire(request) => Ok(agent::notes(&engine.ask(request)?, budget)),
        ToolRequest::Record(request) => Ok(agent::notes(&engine.ask(request)?, budget)),
        ToolRequest::Touch(files) => touch(engine, session, files),
        ToolRequest::Status => Ok(agent::status(&engine.status()?, &[engine.root()], None)),
        ToolRequest::Library(_) => unreachable!("the library answers"),
        ToolRequest::Tools(_) => unreachable!("the server answers for its tools itself"),
    }
    .map(PendingReply::from)
}

/// Notes that a call requested one file by its path. A folder says less about the client's interest, so folders are not
/// noted.
fn opened(engine: &Engine, session: Option<&Session>, path: Option<&str>) {
    let file = path.and_then(|path| RelPath::new(path).ok());
    if let (Some(session), Some(file)) = (session, file) {
        let _ = engine.record_activity(session, &[file], FileActivity::Opened);
    }
}

/// Answers a call with several sources of a library. Sessions do not affect the answer.
pub fn of_sources(set: &Corpus, call: &ToolCall) -> Result<PendingReply, Error> {
    let budget = call.budget;
    Ok(match &call.ask {
        ToolRequest::Search(request) => found(set.ask(request)?, None, request, call),
        ToolRequest::Batch(queries, request) => found(
            set.ask(&SearchBatch::new(queries.to_vec(), request.clone()))?,
            Some(queries),
            request,
            call,
        ),
        ToolRequest::Grep(request) => lines(set.ask(request)?, budget).into(),
        ToolRequest::Files(request) => found_files(set.ask(request)?, budget).into(),
        ToolRequest::Symbols(request) => found_symbols(set.ask(request)?, budget).into(),
        ToolRequest::Map(request) => map(|request| set.ask(request), request, budget)?.into(),
        ToolRequest::Graph(request) => edges(set.ask(request)?, budget).into(),
        ToolRequest::Status => agent::cut(agent::source_statuses(&set.statuses()), budget).into(),
        _ => unreachable!("only these tools have the parameter 'in'"),
    })
}

/// The answer to a call that failed.
pub fn failed(error: &Error) -> Answer {
    agent::failed(error)
}

fn search(
    engine: &Engine,
    queries: Option<&[String]>,
    request: &SearchRequest,
    call: &ToolCall,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<PendingReply, Error> {
    let reply = match queries {
        Some(queries) => engine.ask(&SearchBatch::new(queries.to_vec(), request.clone()))?,
        None => engine.call(request, &Call::default().with_progress(progress))?,
    };
    Ok(found(reply, queries, request, call))
}

/// The answer with the hits that fit.
fn found(
    mut reply: SearchReply,
    queries: Option<&[String]>,
    request: &SearchRequest,
    call: &ToolCall,
) -> PendingReply {
    let budget = call.budget;
    let queries = queries.unwrap_or_default();
    reply.truncate(agent::search_fits(&reply, queries, request.mode, budget).max(1));
    let answer = agent::search(&reply, queries, request.mode);
    let is_whole = agent::tokens(&answer.text) <= budget;
    let answer = if reply.results.len() <= 1 { agent::cut(answer, budget) } else { answer };
    // A truncated answer does not contain everything that the session would remember as sent.
    let session = call.session.clone().filter(|_| is_whole);
    // Code that the text leaves out was not sent.
    for (place, hit) in reply.results.iter_mut().enumerate() {
        if agent::is_reduced(place, hit, request.mode) {
            hit.snippet = None;
        }
    }
    let request = request.clone();
    let sent = session.map(|session| -> Box<dyn FnOnce() + Send> {
        Box::new(move || session.record_reply(&request, &reply))
    });
    PendingReply { answer, sent }
}

/// Collects a pack. Its own budget limits the text.
fn pack(
    engine: &Engine,
    request: &PackRequest,
    session: Option<&Session>,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<PendingReply, Error> {
    let reply = engine.call(request, &Call::default().with_progress(progress))?;
    let answer = agent::pack(&reply);
    let (request, session) = (request.clone(), session.cloned());
    // A compact pack has no code that the session could refer to.
    let session = session.filter(|_| request.mode != Mode::Compact);
    let sent = session.map(|session| -> Box<dyn FnOnce() + Send> {
        Box::new(move || session.record_pack(&request, &reply))
    });
    Ok(PendingReply { answer, sent })
}

fn grep(engine: &Engine, request: &GrepRequest, budget: usize) -> Result<Answer, Error> {
    Ok(lines(engine.ask(request)?, budget))
}

fn lines(mut reply: GrepReply, budget: usize) -> Answer {
    reply.truncate(agent::grep_fits(&reply, budget).max(1));
    let answer = agent::grep(&reply);
    if reply.lines.len() <= 1 { agent::cut(answer, budget) } else { answer }
}

fn files(engine: &Engine, request: &FilesRequest, budget: usize) -> Result<Answer, Error> {
    Ok(found_files(engine.ask(request)?, budget))
}

fn found_files(mut reply: FilesReply, budget: usize) -> Answer {
    reply.truncate(agent::files_fits(&reply, budget).max(1));
    agent::files(&reply)
}

fn symbols(engine: &Engine, request: &SymbolsRequest, budget: usize) -> Result<Answer, Error> {
    Ok(found_symbols(engine.ask(request)?, budget))
}

fn found_symbols(mut reply: SymbolsReply, budget: usize) -> Answer {
    reply.truncate(agent::symbols_fits(&reply, budget).max(1));
    agent::symbols(&reply)
}

fn graph(
    engine: &Engine,
    request: &GraphRequest,
    budget: usize,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Answer, Error> {
    Ok(edges(engine.call(request, &Call::default().with_progress(progress))?, budget))
}

fn edges(mut reply: GraphReply, budget: usize) -> Answer {
    reply.truncate(agent::graph_fits(&reply, budget).max(1));
    agent::cut(agent::graph(&reply), budget)
}

/// Reads lines, and notes their file as opened.
fn read(
    engine: &Engine,
    session: Option<&Session>,
    request: &ReadRequest,
    budget: usize,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Answer, Error> {
    let mut reply = engine.call(request, &Call::default().with_progress(progress))?;
    if let ReadReply::Text(text) = &mut reply {
        opened(engine, session, Some(text.path.as_str()));
        text.truncate(agent::read_fits(text, budget).max(1));
    }
    Ok(agent::cut(agent::read(&reply), budget))
}

/// Answers a map request. A map has no pages: when it is too long, the request runs again with as many rows as should
/// fit.
fn map(
    ask: impl Fn(&MapRequest) -> Result<MapReply, Error>,
    request: &MapRequest,
    budget: usize,
) -> Result<Answer, Error> {
    let mut request = request.clone();
    loop {
        let answer = agent::map(&ask(&request)?);
        let tokens = agent::tokens(&answer.text);
        if tokens <= budget {
            return Ok(answer);
        }
        if request.max_items == 1 {
            return Ok(agent::cut(answer, budget));
        }
        request.max_items = (request.max_items * budget / tokens).clamp(1, request.max_items - 1);
    }
}

/// Notes files in the client's own session. A client without a session gets an error: noted elsewhere, the files would
/// affect other clients.
fn touch(engine: &Engine, session: Option<&Session>, files: &[RelPath]) -> Result<Answer, Error> {
    let answer = agent::touched(engine.root(), files);
    match session {
        Some(session) => engine.record_activity(session, files, FileActivity::Touched).map(|()| answer),
        None => Ok(answer.warn("this client has no session (Mcp-Session-Id), so nothing was noted")),
    }
}
