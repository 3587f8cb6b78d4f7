//! Why one path is in or out: the way of the walk from the root down to it, and nothing beside that way.
//!
//! This module owns the answer's types and the single-path walk. The walk lists only the folders above the path, so its
//! time does not depend on the tree's size. It judges entries by the full walk's own `judge`.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path};

use super::*;

/// What a row's detail says, in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A line of an ignore file.
    Rule(IgnoreRule),
    /// A built-in rule.
    BuiltIn(BuiltInFire),
    /// Something else: a link's target, what the system said.
    Text(String),
}

impl std::fmt::Display for Cause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Cause::Rule(rule) => rule.fmt(f),
            Cause::BuiltIn(fire) => fire.fmt(f),
            Cause::Text(text) => f.write_str(text),
        }
    }
}

/// Something that would have been left out, and what kept it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception {
    /// The path in question, or a folder above it.
    pub path: RelPath,
    /// For what reason it would have been left out.
    pub reason: SkipReason,
    /// The rule that gave way.
    pub over: Cause,
    /// What it gave way to.
    pub by: OverridingRule,
}

/// What a rule gives way to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OverridingRule {
    /// A line of an ignore file that begins with `!`.
    Rule(IgnoreRule),
    /// Git tracks it, or something below it.
    Git,
    /// An option of that name.
    Option(&'static str),
    /// There is no repository around it, so nothing tells whether somebody keeps it.
    NoRepository,
}

/// What a walk meets on its way to a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The path that was asked about; lossy where a name is no UTF-8.
    pub path: RelPath,
    /// What is there.
    pub found: Found,
    /// What was kept on the way, outermost first.
    pub exceptions: Vec<Exception>,
    /// The line that makes it [`Candidate::wanted`].
    pub wanted_by: Option<IgnoreRule>,
}

/// Where the way to a path ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// At a candidate.
    Candidate(Candidate),
    /// At a directory that is walked.
    Directory,
    /// At something that is left out: the path itself or a directory above it.
    LeftOut(Skipped, Cause),
    /// There is nothing at this path, which may lie above the one that was asked about.
    Nothing(RelPath),
    /// The path goes on below this file, which is not a directory.
    BelowAFile(RelPath),
    /// The path leaves the root, or is not one that a walk could meet.
    Outside,
}

/// What leaves `path` out: the rule that names it or, walking down from the root, the first directory above it that
/// is left out. `None` when it would be a candidate, or a directory that is walked.
pub fn explain(root: &Path, path: &RelPath, options: &WalkOptions) -> Option<Skipped> {
    let unreadable = |path: &RelPath, detail: String| {
        Some(Skipped { path: path.clone(), reason: SkipReason::Unreadable, detail, is_dir: false })
    };
    match trace(root, Path::new(path.as_str()), options) {
        Err(error) => unreadable(path, error.to_string()),
        Ok(Trace { found, .. }) => match found {
            Found::Candidate(_) | Found::Directory | Found::Outside => None,
            Found::LeftOut(skipped, _) => Some(skipped),
            Found::Nothing(at) => unreadable(path, format!("there is no '{at}'")),
            Found::BelowAFile(at) => unreadable(path, format!("'{at}' is not a directory")),
        },
    }
}

/// Walks down from the root to `path`, which is relative to it and may hold names that are no UTF-8.
pub fn trace(root: &Path, path: &Path, options: &WalkOptions) -> Result<Trace, WalkError> {
    let walker = Walker::new(root, options)?;
    let Some(parts) = normal(path) else {
        return Ok(Trace {
            path: RelPath::root(),
            found: Found::Outside,
            exceptions: Vec::new(),
            wanted_by: None,
        });
    };
    let asked = parts.iter().fold(RelPath::root(), |path, part| path.join(&part.to_string_lossy()));
    let mut trace = Trace { path: asked, found: Found::Directory, exceptions: Vec::new(), wanted_by: None };
    trace.found = walker.follow(&parts, &mut trace);
    Ok(trace)
}

/// The names on the way; `None` when it leads out of the root.
fn normal(path: &Path) -> Option<Vec<&OsStr>> {
    let mut parts = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(part) => parts.push(part),
            Component::CurDir => {}
            Component::ParentDir => _ = parts.pop()?,
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts)
}

impl Walker<'_> {
    fn follow(&self, parts: &[&OsStr], trace: &mut Trace) -> Found {
        let mut dir = self.top();
        for (at, part) in parts.iter().enumerate() {
            let listing = match self.list(&dir) {
                Ok(listing) => listing,
                Err(error) => return unread(unreadable_dir(&dir.rel, &error), &error),
            };
            if listing.is_index {
                return index(&dir.rel);
            }
            let lossy = part.to_string_lossy();
            let rel = dir.rel.join(&lossy);
            // A row shows a lossy form of a name that is no UTF-8, and what is shown can be asked about.
            let entries = &listing.listed.entries;
            let exact = entries.iter().find(|entry| listing.listed.exact_name(entry) == *part);
            let Some(entry) = exact.or_else(|| entries.iter().find(|entry| listing.name(entry) == lossy))
            else {
                return Found::Nothing(rel);
            };
            let is_dir = entry.is_dir();
            let row = |reason, cause: Cause| {
                let path = rel.clone();
                // An ignore file that cannot be read has a row already, which says more.
                let broken = listing.broken.iter().find(|row| row.path == rel).cloned();
                let detail = cause.to_string();
                Found::LeftOut(broken.unwrap_or(Skipped { path, reason, detail, is_dir }), cause)
            };
            match self.judge(&listing, entry, &rel, Some(&mut trace.exceptions)) {
                Verdict::Omit => {
                    return row(SkipReason::Hidden, Cause::Text("git's own folder".to_string()));
                }
                Verdict::Leave(reason, cause) => return row(reason, cause),
                Verdict::Keep(_) if at + 1 < parts.len() => return Found::BelowAFile(rel),
                Verdict::Keep(wanted) => {
                    if wanted {
                        trace.wanted_by = self.wanted_by(&listing, &rel);
                    }
                    return match listing.folder.stat(&listing.listed, entry) {
                        Ok(stat) => Found::Candidate(Candidate { path: rel, stat, wanted }),
                        Err(error) if error.kind() == io::ErrorKind::NotFound => Found::Nothing(rel),
                        Err(error) => row(SkipReason::Unreadable, Cause::Text(error.to_string())),
                    };
                }
                Verdict::Enter => dir = self.child(rel, &listing),
            }
        }
        match self.list(&dir) {
            Err(error) => unread(unreadable_dir(&dir.rel, &error), &error),
            Ok(listing) if listing.is_index => index(&dir.rel),
            Ok(_) => Found::Directory,
        }
    }
}

impl Walker<'_> {
    fn wanted_by(&self, listing: &Listing<'_>, rel: &RelPath) -> Option<IgnoreRule> {
        match rules::rule(listing.rules.as_deref(), &self.base.path(rel), false, self.git_counts()) {
            Ruling::Whitelist(line) => Some(line.rule()),
            _ => None,
        }
    }
}

fn index(folder: &RelPath) -> Found {
    let row = claim::row(folder);
    let cause = Cause::Text(row.detail.clone());
    Found::LeftOut(row, cause)
}

fn unread(row: Skipped, error: &io::Error) -> Found {
    Found::LeftOut(row, Cause::Text(error.to_string()))
}
