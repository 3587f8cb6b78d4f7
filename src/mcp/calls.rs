//! One call on one engine: ask, fit the answer into its budget, render.
//!
//! It owns the pages. An answer that is too long is asked for again with as many rows as fit: only the engine can say
//! where the next page begins, and asking twice is cheap beside reading too much.

use spyhop::engine::api::{FilesRequest, GrepRequest, MapRequest, Progress, SearchRequest};
use spyhop::engine::{Engine, Error};
use spyhop::path::RelPath;
use spyhop::render::agent::{self, Answer};
use spyhop::render::json;

use super::arguments::{Ask, Call};

/// Answers a call by the engine of what it is about; a failure is an answer too, marked as such.
pub fn answer(engine: &Engine, call: &Call, progress: &(dyn Fn(Progress) + Sync)) -> Result<Answer, Error> {
    if call.view.is_none() {
        return asked(engine, &call.ask, call.budget, progress);
    }
    if let Some(path) = call.ask.path() {
        engine.check_path(path)?;
    }
    // The files that links would lead to are those of the worktree.
    asked(engine, &call.ask, call.budget, progress).map(Answer::without_links)
}

fn asked(
    engine: &Engine,
    ask: &Ask,
    budget: usize,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Answer, Error> {
    match ask {
        Ask::Search(request) => search(engine, None, request, budget, progress),
        Ask::Batch(queries, request) => search(engine, Some(queries), request, budget, progress),
        Ask::Grep(request) => grep(engine, request, budget),
        Ask::Files(request) => files(engine, request, budget),
        Ask::Map(request) => map(engine, request, budget),
        Ask::Skipped { reason, after } => {
            let mut reply = engine.skipped()?;
            if let Some(reason) = reason {
                reply.entries.retain(|entry| entry.reason == *reason);
                reply.counts.retain(|(counted, _)| counted == reason);
            }
            Ok(agent::skipped(&reply, after.as_deref(), budget))
        }
        Ask::WhyNot(file, request) => {
            let reply = engine.why_not(file.as_str(), request)?;
            Ok(agent::cut(agent::why_not(&reply, engine.root()), budget))
        }
        Ask::Touch(files) => touch(engine, files),
        Ask::Status => Ok(agent::status(&engine.status()?, &[engine.root()], None)),
        Ask::Tools(_) => unreachable!("the server answers for its tools itself"),
    }
}

/// How a failure is answered.
pub fn failed(error: &Error) -> Answer {
    agent::error(&error.to_string(), json::error_kind(error.kind()))
}

fn search(
    engine: &Engine,
    queries: Option<&[String]>,
    request: &SearchRequest,
    budget: usize,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Answer, Error> {
    let mut request = request.clone();
    loop {
        let reply = match queries {
            Some(queries) => engine.search_batch(queries, &request)?,
            None => engine.search_with_progress(&request, progress)?,
        };
        let queries = queries.unwrap_or_default();
        let rows = reply.results.len();
        let fits = agent::search_fits(&reply, queries, request.mode, budget).max(1);
        if fits < rows {
            request.max_results = fits;
            continue;
        }
        let answer = agent::search(&reply, queries, request.mode);
        return Ok(if rows <= 1 { agent::cut(answer, budget) } else { answer });
    }
}

fn grep(engine: &Engine, request: &GrepRequest, budget: usize) -> Result<Answer, Error> {
    let mut request = request.clone();
    loop {
        let reply = engine.grep(&request)?;
        let rows = reply.lines.len();
        let fits = agent::grep_fits(&reply, budget).max(1);
        if fits < rows {
            request.max_results = fits;
            continue;
        }
        let answer = agent::grep(&reply);
        return Ok(if rows <= 1 { agent::cut(answer, budget) } else { answer });
    }
}

fn files(engine: &Engine, request: &FilesRequest, budget: usize) -> Result<Answer, Error> {
    let mut request = request.clone();
    loop {
        let reply = engine.files(&request)?;
        let fits = agent::files_fits(&reply, budget).max(1);
        if fits >= reply.files.len() {
            return Ok(agent::files(&reply));
        }
        request.max_results = fits;
    }
}

/// A map has no pages: one that is too long is made again with fewer rows, as many as should fit.
fn map(engine: &Engine, request: &MapRequest, budget: usize) -> Result<Answer, Error> {
    let mut request = request.clone();
    loop {
        let answer = agent::map(&engine.project_map(&request)?);
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

/// Notes all files or none: what one of them is refused for, is known before the first is noted.
fn touch(engine: &Engine, files: &[RelPath]) -> Result<Answer, Error> {
    for probe in [true, false] {
        for file in files.iter().filter(|file| !probe || !file.below(engine.root()).is_file()) {
            engine.touch(file.as_str())?;
        }
    }
    Ok(agent::touched(engine.root(), files))
}
