//! Which rule excludes a path, or that no rule does.
//!
//! An explanation reads the present tree and not the index, so no index is needed. At most one file is read: the file in
//! question. [`spyhop_files::walk`] applies the rules and [`spyhop_files::read`] inspects content; this module combines both results.

use std::path::Path;

use super::api::*;
use super::call::Call;
use super::core::Engine;
use super::corpus::Corpus;
use super::operation::Operation;
use super::updating;
use super::why_not::reason;
use crate::error::Error;
use spyhop_base::clean;
use spyhop_base::model::{SkipReason, Skipped};
use spyhop_base::path::RelPath;
use spyhop_files::read::ReadOutcome;
use spyhop_files::walk::{self, Candidate, Trace, TraceEnd, WalkOptions};
use spyhop_index::update::Updater;

/// How an update treats one path. Errors: `BadRequest` when the path leaves the root; `NoRoot` when the root cannot be read.
impl Operation for ExplainSkipsRequest {
    const NAME: &'static str = "explain_skips";

    type Reply = Explanation;

    fn run(&self, corpus: &Corpus, _call: &Call<'_>) -> Result<Explanation, Error> {
        let engine = corpus.only(Self::NAME, "the rules of a path are those of its tree")?;
        engine.tree().only_of_worktrees(Self::NAME)?;
        engine.tree().only_of_folders(Self::NAME)?;
        explain(engine, &self.path)
    }
}

/// Explains how an update treats `path`, which is relative to the root.
fn explain(engine: &Engine, path: &Path) -> Result<Explanation, Error> {
    let tracked = engine.tree().tracked();
    let is_tracked =
        |path: &RelPath, is_dir: bool| tracked.as_ref().is_some_and(|tracked| tracked.contains(path, is_dir));
    let options = WalkOptions { is_tracked: Some(&is_tracked), ..engine.tree().settings().walk_options() };
    let Trace { path: asked, found, mut exceptions, wanted_by } = walk::trace(engine.root(), path, &options)?;
    let updater = updating::updater(engine, tracked.as_ref())?;
    let index = updater.index_in_tree().filter(|index| index.covers(&asked));
    let outcome = match (index, found) {
        (_, TraceEnd::Outside) => {
            return Err(Error::bad(format!("path '{}' leaves its root", path.display())));
        }
        (_, TraceEnd::Nothing(_) | TraceEnd::BelowAFile(_)) => PathOutcome::Missing,
        (Some(index), _) => left_out(index),
        (None, TraceEnd::LeftOut(row, cause)) => PathOutcome::LeftOut(row, cause),
        (None, TraceEnd::Directory) => PathOutcome::Folder,
        (None, TraceEnd::Candidate(candidate)) => {
            outcome_of_candidate(&updater, &candidate, wanted_by, &mut exceptions)
        }
    };
    let is_dir =
        outcome == PathOutcome::Folder || outcome.row().is_some_and(|row| row.is_dir && row.path == asked);
    let mut explanation = Explanation {
        tracked: is_tracked(&asked, is_dir),
        in_index: in_index(engine, &asked),
        include_line: outcome.row().and_then(include_line),
        text: String::new(),
        path: asked,
        outcome,
        exceptions,
    };
    explanation.text = sentence(engine, &explanation);
    Ok(explanation)
}

fn left_out(row: Skipped) -> PathOutcome {
    let cause = Cause::Text(row.detail.clone());
    PathOutcome::LeftOut(row, cause)
}

/// The outcome for a candidate, from its content.
fn outcome_of_candidate(
    updater: &Updater<'_>,
    candidate: &Candidate,
    wanted_by: Option<IgnoreRule>,
    exceptions: &mut Vec<Exception>,
) -> PathOutcome {
    let row = |reason, detail| Skipped::new(candidate.path.clone(), reason, detail, false);
    let (outcome, strict) = updater.read(candidate);
    match outcome {
        ReadOutcome::Skipped { reason, detail } => left_out(row(reason, detail)),
        ReadOutcome::PathOnly { reason, detail, .. } => PathOutcome::PathOnly(row(reason, detail)),
        ReadOutcome::Source(_) => {
            if let ReadOutcome::PathOnly { reason, detail, .. } = strict {
                let by = match wanted_by {
                    Some(rule) => OverridingRule::Rule(rule),
                    None if updater.settings.no_built_in => OverridingRule::Option("no_built_in"),
                    None if updater.is_tracked(&candidate.path) => OverridingRule::Git,
                    None => OverridingRule::NoRepository,
                };
                exceptions.push(Exception::new(candidate.path.clone(), reason, Cause::Text(detail), by));
            }
            PathOutcome::Indexed
        }
    }
}

/// Whether the newest commit contains a file; `None` without an index.
fn in_index(engine: &Engine, path: &RelPath) -> Option<bool> {
    let snapshot = engine.current().ok()?.snapshot()?;
    Some((0..snapshot.n_files() as u32).any(|file| snapshot.path(file) == path.as_str()))
}

/// The line of an ignore file that includes a skipped entry, if a line can.
fn include_line(row: &Skipped) -> Option<String> {
    let helps = matches!(
        row.reason,
        SkipReason::Ignored
            | SkipReason::Hidden
            | SkipReason::BuiltIn
            | SkipReason::Secret
            | SkipReason::TooLarge
            | SkipReason::Generated
            | SkipReason::Minified
    );
    let path = row.path.as_str();
    let is_git = path.rsplit('/').next() == Some(".git");
    let is_index =
        [spyhop_index::update::INDEX_IN_TREE, spyhop_files::walk::INDEX_FOLDER].contains(&&*row.detail);
    // A pattern cannot span lines, and blanks at its end are removed.
    if !helps || is_git || is_index || path.contains(['\n', '\r']) || path.ends_with(char::is_whitespace) {
        return None;
    }
    let mut pattern = String::from("!/");
    for c in path.chars() {
        if "\\*?[]{}".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    if row.is_dir {
        pattern.push('/');
    }
    Some(pattern)
}

fn sentence(engine: &Engine, explanation: &Explanation) -> String {
    let Explanation { path, outcome, in_index, .. } = explanation;
    let shown = clean::answer_path(path.as_str());
    let shown = if shown.is_empty() { "." } else { &shown };
    match outcome {
        PathOutcome::Indexed if *in_index == Some(false) => {
            format!("nothing leaves {shown} out; it is not indexed yet")
        }
        PathOutcome::Indexed => format!("nothing leaves {shown} out"),
        PathOutcome::Folder => format!("nothing leaves the folder {shown} out"),
        PathOutcome::Missing => format!("there is no file {shown} below {}", engine.root().display()),
        PathOutcome::PathOnly(row) => format!("{shown} is found by its path only: {}", reason(row)),
        PathOutcome::LeftOut(row, _) if row.path == *path => format!("{shown} is left out: {}", reason(row)),
        PathOutcome::LeftOut(row, _) => {
            format!(
                "{shown} is left out with the folder {}: {}",
                clean::answer_path(row.path.as_str()),
                reason(row)
            )
        }
    }
}
