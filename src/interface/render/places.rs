//! The places of rows: below the root of the reply or, in a reply of several sources, below the root of their source and
//! with its name.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::render::paint::Style;
use spyhop_base::clean;
use spyhop_base::path::{PathBase, RelPath};
use spyhop_engine::api::{Snapshot, SourceName, SourceSnapshot};

/// The roots of a reply.
#[derive(Clone, Copy)]
pub(super) struct RowPlaces<'r> {
    snapshot: &'r Snapshot,
    sources: &'r [SourceSnapshot],
}

impl<'r> RowPlaces<'r> {
    /// The roots of a reply with this snapshot and these sources.
    pub fn new(snapshot: &'r Snapshot, sources: &'r [SourceSnapshot]) -> RowPlaces<'r> {
        RowPlaces { snapshot, sources }
    }

    /// The source of a row.
    pub fn source(self, name: Option<&SourceName>) -> Option<&'r SourceSnapshot> {
        let name = name?;
        self.sources.iter().find(|source| source.name == *name)
    }

    /// The root of a row.
    pub fn root(self, source: Option<&SourceName>) -> &'r Path {
        self.source(source).map_or(&self.snapshot.root, |source| &source.snapshot.root)
    }

    /// The file of a row.
    pub fn file(self, source: Option<&SourceName>, path: &RelPath) -> PathBuf {
        path.below(self.root(source))
    }

    /// The text that replaces the beginning of a path, and the number of bytes that the text replaces.
    pub fn split(self, style: &Style, source: Option<&SourceName>, path: &str) -> (String, usize) {
        match (source, &style.paths) {
            (None, base) => base.split(path),
            (Some(_), PathBase::Absolute(_)) => {
                PathBase::Absolute(self.root(source).to_path_buf()).split(path)
            }
            (Some(name), _) => (format!("{name}:"), 0),
        }
    }

    /// The path of a row as people see it: with the name of the source in front, or absolute if asked.
    pub fn shown(self, style: &Style, source: Option<&SourceName>, path: &RelPath) -> String {
        let (prefix, strip) = self.split(style, source, path.as_str());
        prefix + &path.as_str()[strip..]
    }

    /// As [`RowPlaces::shown`], without characters that control a terminal.
    pub fn clean(self, style: &Style, source: Option<&SourceName>, path: &RelPath) -> String {
        clean::path(&self.shown(style, source, path)).into_owned()
    }
}

/// The path of a row for agents.
pub(super) fn agent_path<'p>(source: Option<&SourceName>, path: &'p RelPath) -> Cow<'p, str> {
    match source {
        None => clean::answer_path(path.as_str()),
        Some(name) => Cow::Owned(format!("{name}:{}", clean::answer_path(path.as_str()))),
    }
}
