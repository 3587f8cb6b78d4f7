//! The code graph of the trees of a set, tree by tree.

use std::cmp::Ordering;

use super::super::api::*;
use super::super::graph::order_of_edges;
use super::super::lookup::check_rows;
use super::super::set_source::SetSource;
use super::super::{Error, ErrorKind};
use super::set::SourceSet;
use super::{asking, origin};

impl SourceSet {
    /// Answers a question to the code graph, as [`Engine::graph`](crate::Engine::graph) does, tree by tree. A target that
    /// begins with the name of a source and `:`, as in `client:src/lib.rs:12`, is of that source.
    ///
    /// # Errors
    /// As [`SourceSet::search`]; `BadRequest` if the target means nothing in any tree.
    pub fn graph(&self, request: &GraphRequest) -> Result<GraphReply, Error> {
        check_rows("max_results", request.max_results, MAX_ROWS)?;
        if request.changes.is_some() {
            return Err(Error::bad("a diff is about one tree; ask that tree alone"));
        }
        let (only, target) = self.split_target(&request.target);
        let request = GraphRequest { target: target.to_string(), ..request.clone() };
        let mut unknown: Option<Error> = None;
        let (answers, warnings) = self.each(|source, engine| {
            if only.is_some_and(|only| *only != source.name) {
                return Ok(None);
            }
            match engine.graph(&request) {
                // The target is no name of this tree.
                Err(error) if error.kind() == ErrorKind::BadRequest => {
                    unknown.get_or_insert(error);
                    Ok(None)
                }
                answer => answer.map(Some),
            }
        })?;
        let found: Vec<_> =
            answers.into_iter().filter_map(|(source, answer)| Some((source, answer?))).collect();
        match unknown {
            Some(error) if found.is_empty() => Err(error),
            _ => Ok(self.joined_graph(&request, found, warnings)),
        }
    }

    /// The source that a target names, and the target in that source.
    fn split_target<'t>(&self, target: &'t str) -> (Option<&SourceName>, &'t str) {
        let named =
            target.split_once(':').filter(|(_, rest)| !rest.starts_with(':')).and_then(|(name, rest)| {
                let source = self.sources.iter().find(|source| source.name.as_str() == name)?;
                Some((Some(&source.name), rest))
            });
        named.unwrap_or((None, target))
    }

    /// One reply of the replies of trees. `silent` names the sources that do not answer.
    fn joined_graph(
        &self,
        request: &GraphRequest,
        answers: Vec<(&SetSource, GraphReply)>,
        silent: Vec<String>,
    ) -> GraphReply {
        let missing = (!silent.is_empty()).then(|| self.missing(silent.len()));
        let mut whole = GraphReply {
            question: request.question,
            target: request.target.clone(),
            definitions: Vec::new(),
            rows: Vec::new(),
            total: 0,
            further_files: 0,
            paths: Vec::new(),
            tests: Vec::new(),
            entries: Vec::new(),
            incomplete: missing,
            snapshot: Snapshot::default(),
            sources: Vec::new(),
            warnings: silent,
        };
        for (source, mut reply) in answers {
            let name = &source.name;
            name_source(&mut reply, name);
            whole.definitions.append(&mut reply.definitions);
            whole.rows.append(&mut reply.rows);
            whole.paths.append(&mut reply.paths);
            whole.tests.append(&mut reply.tests);
            whole.total += reply.total;
            whole.further_files += reply.further_files;
            let incomplete = reply.incomplete.map(|why| asking::of_source(name, &why));
            whole.incomplete = whole.incomplete.take().or(incomplete);
            whole.warnings.extend(reply.warnings.iter().map(|text| asking::of_source(name, text)));
            whole.sources.push(source.snapshot(reply.snapshot));
        }
        whole.snapshot = origin::sums(&whole.sources);
        whole.rows.sort_by(|a, b| order_in_set(request.question, a, b));
        whole.tests.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
        whole.rows.truncate(request.max_results);
        whole.tests.truncate(request.max_results);
        whole.paths.truncate(request.max_results);
        whole
    }
}

/// The order of rows of several trees: that of one tree, but equal rows by source before path.
fn order_in_set(question: GraphQuestion, a: &GraphRow, b: &GraphRow) -> Ordering {
    let place = |row: &GraphRow| (row.source.clone(), row.path.clone(), row.line, row.column);
    order_of_edges(question, a, b).then_with(|| place(a).cmp(&place(b)))
}

/// Writes the name of the source into each row of a reply.
fn name_source(reply: &mut GraphReply, name: &SourceName) {
    let own = || Some(name.clone());
    reply.definitions.iter_mut().for_each(|row| row.source = own());
    reply.tests.iter_mut().for_each(|test| test.source = own());
    for row in reply.rows.iter_mut().chain(reply.paths.iter_mut().flatten()) {
        row.source = own();
        row.from.iter_mut().for_each(|from| from.source = own());
        if let GraphEnd::Symbol(to) | GraphEnd::Removed(to) = &mut row.to {
            to.source = own();
        }
    }
}
