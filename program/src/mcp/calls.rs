//! One call on one engine: run the request, fit the answer into its budget, render it.

use std::path::{Path, PathBuf};

use spyhop_base::path::RelPath;
use spyhop_engine::api::{
    ActivitySource, FileActivity, GrepRequest, MapRequest, Mode, PackRequest, Progress, ReadReply,
    ReadRequest, SearchBatch, SearchReply, SearchRequest, Session, SkippedRequest, StatusReply,
    StatusRequest,
};
use spyhop_engine::{Call, Corpus, Engine, Error, Operation};
use spyhop_interface::render::agent::{self, Answer};
use spyhop_library::SourceChoice;

use super::library_request::LibraryRequest;

/// The question of a call.
pub enum ToolRequest {
    /// A question that trees answer.
    Trees(TreeQuestion),
    /// A call about the library itself.
    Library(LibraryRequest),
    /// The search among tools.
    Tools(String),
}

/// A typed request, with what makes an answer of its reply.
pub type TreeQuestion = Box<dyn Fn(&ToolTrees<'_>) -> Result<PendingReply, Error> + Send + Sync>;

/// A typed call, with its tree, its session and the size limit of its answer.
pub struct ToolCall {
    pub root: usize,
    /// The sources of the library to ask in place of the root.
    pub sources: Option<SourceChoice>,
    /// The revision to search in place of the worktree.
    pub view: Option<String>,
    /// An index of the root other than the server's.
    pub index_dir: Option<PathBuf>,
    /// The folder or file that the request is limited to.
    pub path: Option<String>,
    pub ask: ToolRequest,
    pub needs_no_index: bool,
    pub is_slow: bool,
    pub budget: usize,
    /// The client's session; `None` for a client without one.
    pub session: Option<Session>,
}

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
    if let Some(path) = &call.path {
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
pub struct ToolTrees<'a> {
    corpus: &'a Corpus,
    /// The engine, if one tree is asked.
    engine: Option<&'a Engine>,
    call: &'a ToolCall,
    progress: &'a (dyn Fn(Progress) + Sync),
}

impl ToolTrees<'_> {
    /// Asks the trees, in the session of the call.
    pub fn ask<O: Operation>(&self, request: &O) -> Result<O::Reply, Error> {
        // A search remembers the actions of its own client, never those of other clients.
        let session = self.call.session.clone().map_or(ActivitySource::Ignored, ActivitySource::Session);
        self.corpus.call(request, &Call::default().with_progress(self.progress).with_session(session))
    }

    /// The size limit of the answer.
    pub fn budget(&self) -> usize {
        self.call.budget
    }

    fn root(&self) -> &Path {
        self.corpus.root().unwrap_or(Path::new(""))
    }

    fn answer(&self) -> Result<PendingReply, Error> {
        let ToolRequest::Trees(answer) = &self.call.ask else { unreachable!("no tree answers") };
        answer(self)
    }

    /// Searches, for several queries at once if there are any.
    pub fn search(
        &self,
        queries: Option<&Vec<String>>,
        request: &SearchRequest,
    ) -> Result<PendingReply, Error> {
        let reply = match queries {
            Some(queries) => self.ask(&SearchBatch::new(queries.clone(), request.clone()))?,
            None => self.ask(request)?,
        };
        Ok(found(reply, queries.map_or(&[], Vec::as_slice), request, self.call))
    }

    pub fn grep(&self, request: &GrepRequest) -> Result<PendingReply, Error> {
        self.opened(request.filter.path.as_deref());
        Ok(agent::grep_within(self.ask(request)?, self.budget()).into())
    }

    pub fn map(&self, request: &MapRequest) -> Result<PendingReply, Error> {
        self.opened(request.filter.path.as_deref());
        Ok(agent::map_within(|request| self.ask(request), request, self.budget())?.into())
    }

    pub fn skipped(&self, request: &SkippedRequest) -> Result<PendingReply, Error> {
        let whole = SkippedRequest { after: None, ..request.clone() };
        Ok(agent::skipped(&self.ask(&whole)?, request.after.as_deref(), self.budget()).into())
    }

    pub fn status(&self) -> Result<PendingReply, Error> {
        Ok(match self.ask(&StatusRequest)? {
            StatusReply::Tree(status) => agent::status(&status, &[self.root()], None),
            StatusReply::Sources(statuses) => agent::cut(agent::source_statuses(&statuses), self.budget()),
        }
        .into())
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
    pub fn pack(&self, request: &PackRequest) -> Result<PendingReply, Error> {
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
    pub fn read(&self, request: &ReadRequest) -> Result<PendingReply, Error> {
        let reply = self.ask(request)?;
        if let ReadReply::Text(text) = &reply {
            self.opened(Some(text.path.as_str()));
        }
        Ok(agent::read_within(reply, self.budget()).into())
    }

    /// Notes files in the client's own session. A client without a session gets an error: noted elsewhere, the files would
    /// affect other clients.
    pub fn touch(&self, files: &[RelPath]) -> Result<PendingReply, Error> {
        let answer = agent::touched(self.root(), files);
        let Some((engine, session)) = self.session() else {
            let text = "this client has no session (Mcp-Session-Id), so nothing was noted";
            return Ok(answer.warn(text).into());
        };
        engine.record_activity(session, files, FileActivity::Touched)?;
        Ok(answer.into())
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
