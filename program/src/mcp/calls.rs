//! One call on one engine: run the request, fit the answer into its budget, render it.

use std::path::Path;

use spyhop_base::path::RelPath;
use spyhop_engine::api::{
    ActivitySource, FileActivity, Mode, PackRequest, Progress, ReadReply, ReadRequest, SearchBatch,
    SearchReply, SearchRequest, Session, SkippedRequest, StatusReply, StatusRequest, ViewsRequest,
};
use spyhop_engine::{Call, Corpus, Engine, Error, Operation};
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
    let asked = ToolTrees { corpus: &Corpus::from(engine), engine: Some(engine), call, progress };
    if call.view.is_none() {
        return asked.answer();
    }
    if let Some(path) = call.ask.path() {
        engine.check_path(path)?;
    }
    // Links would lead to files of the worktree, not of the view.
    let told = asked.answer()?;
    Ok(PendingReply { answer: told.answer.without_links(), ..told })
}

/// Answers a call with several trees. Sessions do not affect the answer.
pub fn of_sources(corpus: &Corpus, call: &ToolCall) -> Result<PendingReply, Error> {
    ToolTrees { corpus, engine: None, call, progress: &|_| () }.answer()
}

/// The trees that a call asks.
struct ToolTrees<'a> {
    corpus: &'a Corpus,
    /// The engine, if one tree is asked.
    engine: Option<&'a Engine>,
    call: &'a ToolCall,
    progress: &'a (dyn Fn(Progress) + Sync),
}

impl ToolTrees<'_> {
    fn ask<O: Operation>(&self, request: &O) -> Result<O::Reply, Error> {
        // A search remembers the actions of its own client, never those of other clients.
        let session = self.call.session.clone().map_or(ActivitySource::Ignored, ActivitySource::Session);
        self.corpus.call(request, &Call::default().with_progress(self.progress).with_session(session))
    }

    fn root(&self) -> &Path {
        self.corpus.root().unwrap_or(Path::new(""))
    }

    fn answer(&self) -> Result<PendingReply, Error> {
        let (budget, call) = (self.call.budget, self.call);
        match &call.ask {
            ToolRequest::Search(request) => return Ok(found(self.ask(request)?, &[], request, call)),
            ToolRequest::Batch(queries, request) => {
                let batch = SearchBatch::new(queries.clone(), request.clone());
                return Ok(found(self.ask(&batch)?, queries, request, call));
            }
            ToolRequest::Pack(request) => return self.pack(request),
            ToolRequest::Grep(request) => {
                self.opened(request.filter.path.as_deref());
                Ok(agent::grep_within(self.ask(request)?, budget))
            }
            ToolRequest::Files(request) => Ok(agent::files_within(self.ask(request)?, budget)),
            ToolRequest::Symbols(request) => Ok(agent::symbols_within(self.ask(request)?, budget)),
            ToolRequest::Map(request) => {
                self.opened(request.filter.path.as_deref());
                agent::map_within(|request| self.ask(request), request, budget)
            }
            ToolRequest::Read(request) => self.read(request),
            ToolRequest::Skipped(request) => {
                let whole = SkippedRequest { after: None, ..request.clone() };
                Ok(agent::skipped(&self.ask(&whole)?, request.after.as_deref(), budget))
            }
            ToolRequest::WhyNot(request) => Ok(agent::cut(agent::why_not(&self.ask(&**request)?), budget)),
            ToolRequest::Graph(request) => Ok(agent::graph_within(self.ask(request)?, budget)),
            ToolRequest::Entries(request) => Ok(agent::entries(self.ask(request)?, budget)),
            ToolRequest::FileGraph(request) => Ok(agent::file_graph(&self.ask(request)?, budget)),
            ToolRequest::Views => Ok(agent::views(&self.ask(&ViewsRequest)?)),
            ToolRequest::Notes(request) => Ok(agent::notes(&self.ask(request)?, budget)),
            ToolRequest::ListNotes(request) => Ok(agent::notes(&self.ask(request)?, budget)),
            ToolRequest::Verify(request) => Ok(agent::notes(&self.ask(request)?, budget)),
            ToolRequest::Retire(request) => Ok(agent::notes(&self.ask(request)?, budget)),
            ToolRequest::Record(request) => Ok(agent::notes(&self.ask(request)?, budget)),
            ToolRequest::Touch(files) => self.touch(files),
            ToolRequest::Status => Ok(match self.ask(&StatusRequest)? {
                StatusReply::Tree(status) => agent::status(&status, &[self.root()], None),
                StatusReply::Sources(statuses) => agent::cut(agent::source_statuses(&statuses), budget),
            }),
            ToolRequest::Library(_) => unreachable!("the library answers"),
            ToolRequest::Tools(_) => unreachable!("the server answers for its tools itself"),
        }
        .map(PendingReply::from)
    }

    /// The session of a client that asks one tree, with the engine of the tree.
    fn session(&self) -> Option<(&Engine, &Session)> {
        self.engine.zip(self.call.session.as_ref())
    }

    /// Notes that a call requested one file by its path. A folder says less about the client's interest, so folders are not
    /// noted.
    fn opened(&self, path: Option<&str>) {
        let file = path.and_then(|path| RelPath::new(path).ok());
        if let (Some((engine, session)), Some(file)) = (self.session(), file) {
            let _ = engine.record_activity(session, &[file], FileActivity::Opened);
        }
    }

    /// Collects a pack. Its own budget limits the text.
    fn pack(&self, request: &PackRequest) -> Result<PendingReply, Error> {
        let reply = self.ask(request)?;
        let answer = agent::pack(&reply);
        // A compact pack has no code that the session could refer to.
        let session = self.session().map(|(_, session)| session.clone());
        let session = session.filter(|_| request.mode != Mode::Compact);
        let request = request.clone();
        let sent = session.map(|session| -> Box<dyn FnOnce() + Send> {
            Box::new(move || session.record_pack(&request, &reply))
        });
        Ok(PendingReply { answer, sent })
    }

    /// Reads lines, and notes their file as opened.
    fn read(&self, request: &ReadRequest) -> Result<Answer, Error> {
        let (reply, budget) = (self.ask(request)?, self.call.budget);
        if let ReadReply::Text(text) = &reply {
            self.opened(Some(text.path.as_str()));
        }
        Ok(agent::read_within(reply, budget))
    }

    /// Notes files in the client's own session. A client without a session gets an error: noted elsewhere, the files would
    /// affect other clients.
    fn touch(&self, files: &[RelPath]) -> Result<Answer, Error> {
        let answer = agent::touched(self.root(), files);
        match self.session() {
            Some((engine, session)) => {
                engine.record_activity(session, files, FileActivity::Touched).map(|()| answer)
            }
            None => Ok(answer.warn("this client has no session (Mcp-Session-Id), so nothing was noted")),
        }
    }
}

/// The answer to a call that failed.
pub fn failed(error: &Error) -> Answer {
    agent::failed(error)
}

/// The answer with the hits that fit.
fn found(
    mut reply: SearchReply,
    queries: &[String],
    request: &SearchRequest,
    call: &ToolCall,
) -> PendingReply {
    let (answer, is_whole) = agent::search_within(&mut reply, (queries, request.mode), call.budget);
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
