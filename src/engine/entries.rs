//! The routes and the commands of a tree, as rows of a reply.
//!
//! [`crate::graph`] finds the entries. This module filters them, and masks what the reply shows.

use super::Error;
use super::api::*;
use super::core::Engine;
use super::current::Viewed;
use super::graph::{GraphSources, on_large_stack};
use super::lookup::{check_pattern_length, check_rows};
use crate::filter::Filter;
use crate::graph::{EntryPoint, Graph};
use crate::path::RelPath;
use crate::search::SearchSnapshot;
use crate::text::LineIndex;
use crate::update::OnProgress;

/// The most files that are analysed for the receivers of handlers.
const MAX_ANALYSED: usize = 200;

impl Engine {
    /// Lists the routes or the commands of the tree.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn entries(&self, request: &EntriesRequest) -> Result<EntriesReply, Error> {
        self.entries_with_progress(request, &|_| ())
    }

    /// Like [`Engine::entries`], and reports the progress of an index update before the answer.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn entries_with_progress(
        &self,
        request: &EntriesRequest,
        progress: OnProgress<'_>,
    ) -> Result<EntriesReply, Error> {
        check_rows("max_results", request.max_results, MAX_ROWS)?;
        check_pattern_length(&request.pattern)?;
        let filter = Filter::new(&request.filter, &self.grammars)?;
        let (snapshot, freshness) = self.ready(progress)?;
        let answer = || -> Result<EntriesReply, Error> {
            let quarantine = self.updater(None)?.quarantine();
            let sources = GraphSources::new(self, &snapshot, &quarantine)?;
            let graph = Graph::new(&snapshot, &self.grammars, &sources, MAX_ANALYSED);
            let found = graph.entry_points(request.kind).map_err(Error::from)?;
            let words: Vec<String> = request.pattern.split_whitespace().map(str::to_lowercase).collect();
            let mut rows = Vec::new();
            for entry in &found.entries {
                let version = snapshot.version(entry.file);
                let takes_kind = filter.kinds().is_none_or(|kinds| {
                    entry.handler.definition.as_ref().is_some_and(|own| kinds.contains(own.kind))
                });
                if !takes_kind
                    || !filter.takes_file(version.path(), version.language())
                    || !has_words(entry, &words)
                {
                    continue;
                }
                rows.push(self.entry_row(&snapshot, &sources, entry)?);
            }
            rows.sort_by_key(|row| row.is_test);
            let total = rows.len();
            rows.truncate(request.max_results);
            let left_out = found.left_out;
            let reply = EntriesReply {
                kind: request.kind,
                pattern: request.pattern.clone(),
                rows,
                total,
                incomplete: (left_out > 0)
                    .then(|| format!("{left_out} files that may declare more were not read")),
                snapshot: self.snapshot(Some(Viewed::from_snapshot(&snapshot)), &freshness),
                warnings: freshness.warnings.clone(),
            };
            Ok(self.masked_entries(reply))
        };
        on_large_stack(answer)
    }

    pub(super) fn entry_row(
        &self,
        snapshot: &SearchSnapshot,
        sources: &GraphSources<'_>,
        entry: &EntryPoint,
    ) -> Result<EntryRow, Error> {
        let path = RelPath::new(snapshot.path(entry.file))?;
        let text = sources.source(entry.file).unwrap_or_default();
        let lines = LineIndex::new(&text);
        let line = lines.line_of(entry.span.start);
        let definition = entry.handler.definition.as_ref().map(|own| -> Result<SymbolRow, Error> {
            let version = snapshot.version(own.file);
            Ok(SymbolRow {
                path: RelPath::new(version.path())?,
                lines: own.lines,
                kind: own.kind,
                name: own.name.to_string(),
                container: own.container.as_deref().map(str::to_string),
                language: self.grammars.name(version.language()),
                highlights: Vec::new(),
            })
        });
        let file = entry.handler.file.map(|file| RelPath::new(snapshot.path(file)));
        Ok(EntryRow {
            kind: entry.kind,
            framework: entry.framework,
            method: entry.method.clone(),
            name: entry.name.clone(),
            line,
            column: entry.span.start - lines.start_of(line) + 1,
            handler: entry.handler.text.clone(),
            definition: definition.transpose()?,
            handler_path: file.transpose()?,
            confidence: entry.handler.confidence,
            is_test: crate::search::is_aside(path.as_str()),
            path,
        })
    }
}

/// Whether an entry contains all words, in its method, name or handler.
fn has_words(entry: &EntryPoint, words: &[String]) -> bool {
    let texts = [&entry.method, &entry.name, &entry.handler.text].map(|text| text.to_lowercase());
    words.iter().all(|word| texts.iter().any(|text| text.contains(word.as_str())))
}
