//! Why one path is included or excluded: the walk from the root down to this path alone.
//!
//! This module owns the answer's types and the single-path walk. The walk lists only the folders above the path, so its
//! time does not depend on the tree's size. Entries are judged by the `judge` of the full walk.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path};

use super::cause::{Cause, Exception};
use super::error::WalkError;
use super::options::WalkOptions;
use super::rules::{self, IgnoreRule, Ruling};
use super::walked::Candidate;
use super::walker::{EntryVerdict, Listing, Walker, unreadable_dir};
use spyhop_base::model::{SkipReason, Skipped};
use spyhop_base::path::RelPath;

/// The result of a walk down to one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The requested path; lossy if a name is not UTF-8.
    pub path: RelPath,
    pub found: TraceEnd,
    /// The entries on the way that were included against a rule, outermost first.
    pub exceptions: Vec<Exception>,
    /// The line that makes the path [`Candidate::wanted`].
    pub wanted_by: Option<IgnoreRule>,
}

/// The end of the walk to a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceEnd {
    Candidate(Candidate),
    Directory,
    /// An excluded entry: the path itself or a directory above it.
    LeftOut(Skipped, Cause),
    /// Nothing is at this path, which may lie above the requested one.
    Nothing(RelPath),
    /// The requested path leads below this file, which is not a directory.
    BelowAFile(RelPath),
    /// The path leaves the root, or is not one that a walk could reach.
    Outside,
}

/// The row that excludes `path`: that of the path itself or, from the root down, of the first excluded directory above
/// it. `None` if the path is a candidate, or a directory that is walked.
pub fn explain(root: &Path, path: &RelPath, options: &WalkOptions) -> Option<Skipped> {
    let unreadable = |path: &RelPath, detail: String| {
        Some(Skipped::new(path.clone(), SkipReason::Unreadable, detail, false))
    };
    match trace(root, Path::new(path.as_str()), options) {
        Err(error) => unreadable(path, error.to_string()),
        Ok(Trace { found, .. }) => match found {
            TraceEnd::Candidate(_) | TraceEnd::Directory | TraceEnd::Outside => None,
            TraceEnd::LeftOut(skipped, _) => Some(skipped),
            TraceEnd::Nothing(at) => unreadable(path, format!("there is no '{at}'")),
            TraceEnd::BelowAFile(at) => unreadable(path, format!("'{at}' is not a directory")),
        },
    }
}

/// Walks down from the root to `path`, which is relative to it and may hold names that are not UTF-8.
pub fn trace(root: &Path, path: &Path, options: &WalkOptions) -> Result<Trace, WalkError> {
    let walker = Walker::new(root, options)?;
    let Some(parts) = normal(path) else {
        return Ok(Trace {
            path: RelPath::root(),
            found: TraceEnd::Outside,
            exceptions: Vec::new(),
            wanted_by: None,
        });
    };
    let asked = parts.iter().fold(RelPath::root(), |path, part| path.join(&part.to_string_lossy()));
    let mut trace =
        Trace { path: asked, found: TraceEnd::Directory, exceptions: Vec::new(), wanted_by: None };
    trace.found = walker.follow(&parts, &mut trace);
    Ok(trace)
}

/// The names of the parts of `path`; `None` when it leads out of the root.
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
    fn follow(&self, parts: &[&OsStr], trace: &mut Trace) -> TraceEnd {
        let mut dir = self.top();
        for (at, part) in parts.iter().enumerate() {
            let listing = match self.list(&dir) {
                Ok(listing) => listing,
                Err(error) => return unread(unreadable_dir(&dir.rel, &error), &error),
            };
            if let Some(row) = listing.left_out {
                return left_out(row);
            }
            let lossy = part.to_string_lossy();
            let rel = dir.rel.join(&lossy);
            // A row shows a lossy form of a name that is not UTF-8, and a user may ask about the shown form.
            let entries = &listing.listed.entries;
            let exact = entries.iter().find(|entry| listing.listed.exact_name(entry) == *part);
            let Some(entry) = exact.or_else(|| entries.iter().find(|entry| listing.name(entry) == lossy))
            else {
                return TraceEnd::Nothing(rel);
            };
            let is_dir = entry.is_dir();
            let row = |reason, cause: Cause| {
                let path = rel.clone();
                // An ignore file that cannot be read already has a row with more details.
                let broken = listing.broken.iter().find(|row| row.path == rel).cloned();
                let detail = cause.to_string();
                TraceEnd::LeftOut(broken.unwrap_or(Skipped::new(path, reason, detail, is_dir)), cause)
            };
            match self.judge(&listing, entry, &rel, Some(&mut trace.exceptions)) {
                EntryVerdict::Omit => {
                    return row(SkipReason::Hidden, Cause::Text("git's own folder".to_string()));
                }
                EntryVerdict::Leave(reason, cause) => return row(reason, cause),
                EntryVerdict::Keep(_) if at + 1 < parts.len() => return TraceEnd::BelowAFile(rel),
                EntryVerdict::Keep(wanted) => {
                    if wanted {
                        trace.wanted_by = self.wanted_by(&listing, &rel);
                    }
                    return match listing.folder.identity(&listing.listed, entry) {
                        Ok(identity) => TraceEnd::Candidate(Candidate { path: rel, identity, wanted }),
                        Err(error) if error.kind() == io::ErrorKind::NotFound => TraceEnd::Nothing(rel),
                        Err(error) => row(SkipReason::Unreadable, Cause::Text(error.to_string())),
                    };
                }
                EntryVerdict::Enter(only_tracked) => dir = self.child(rel, &listing, only_tracked),
            }
        }
        match self.list(&dir) {
            Err(error) => unread(unreadable_dir(&dir.rel, &error), &error),
            Ok(Listing { left_out: Some(row), .. }) => left_out(row),
            Ok(_) => TraceEnd::Directory,
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

fn left_out(row: Skipped) -> TraceEnd {
    let cause = Cause::Text(row.detail.clone());
    TraceEnd::LeftOut(row, cause)
}

fn unread(row: Skipped, error: &io::Error) -> TraceEnd {
    TraceEnd::LeftOut(row, Cause::Text(error.to_string()))
}
