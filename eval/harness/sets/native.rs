//! Spyhop's native form: a TOML file about one tree, or JSON lines, a query a line.
//!
//! TOML is for sets that people write, lines are for those that programs make. Both say the same things.

use std::path::Path;

use serde::Deserialize;

use super::form::{self, Id, TARGETS, Targets, Text};
use super::{SetError, Tree, stem};

const TOML: &str = "`corpus` and [[queries]] with `query` and `relevant`; optional `root`, `language`, and `id`, `kind`, \
                    `places`, `note` of a query";
const LINES: &str =
    "an object with `query` and `relevant`; optional `id`, `kind`, `places`, `corpus`, `language`, `note`";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    corpus: String,
    #[serde(default = "whole")]
    root: String,
    language: Option<String>,
    queries: Vec<Question>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    id: Option<Id>,
    kind: Option<String>,
    query: Text,
    relevant: Targets,
    places: Option<Targets>,
    corpus: Option<String>,
    language: Option<String>,
    #[serde(rename = "note")]
    _note: Option<String>,
}

fn whole() -> String {
    ".".to_string()
}

fn expected(problem: &str, otherwise: &'static str) -> &'static str {
    if problem.contains("target") || problem.contains("lines") { TARGETS } else { otherwise }
}

/// Reads a TOML file.
pub fn toml(path: &Path) -> Result<Vec<Tree>, SetError> {
    let text = form::text(path)?;
    let file: File = toml::from_str(&text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start.min(text.len()));
        let line = text[..at].matches('\n').count() + 1;
        SetError::bad(path, line, error.message(), expected(error.message(), TOML))
    })?;
    let File { corpus, root, language, queries } = file;
    let mut tree = Tree { name: corpus.clone(), folder: corpus.clone(), root, language, queries: Vec::new() };
    for (at, question) in queries.into_iter().enumerate() {
        if question.corpus.is_some() || question.language.is_some() {
            let problem = format!("query {} names a corpus or a language, which the file has", at + 1);
            return Err(SetError::bad(path, 1, problem, TOML));
        }
        tree.queries.push(question.asked(&corpus, at));
    }
    Ok(vec![tree])
}

/// Reads JSON lines. A line without a corpus is about the tree that is called as the file is.
pub fn jsonl(path: &Path) -> Result<Vec<Tree>, SetError> {
    let mut trees: Vec<Tree> = Vec::new();
    for (_, mut question) in form::json_lines::<Question>(path, LINES)? {
        let name = question.corpus.take().unwrap_or_else(|| stem(path));
        let language = question.language.take();
        let index = trees.iter().position(|tree| tree.name == name).unwrap_or_else(|| {
            trees.push(Tree {
                name: name.clone(),
                folder: name.clone(),
                root: whole(),
                language,
                queries: Vec::new(),
            });
            trees.len() - 1
        });
        let tree = &mut trees[index];
        let at = tree.queries.len();
        tree.queries.push(question.asked(&name, at));
    }
    Ok(trees)
}

impl Question {
    fn asked(self, corpus: &str, at: usize) -> super::Query {
        let query = form::query(corpus, at, self.id, self.kind, self.query, self.relevant.0);
        match self.places {
            Some(Targets(places)) => super::Query { places, ..query },
            None => query,
        }
    }
}
