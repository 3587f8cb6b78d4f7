//! A folder with a `NAME.json` for each repository: subjects of commits as questions, the files that they changed as
//! answers, asked of the tree as it was at a revision before.
//!
//! The tree of a query is `NAME@` and the first ten digits of its revision.

use std::path::Path;

use serde::Deserialize;

use super::form::{self, Targets, Text};
use super::{SetError, Tree, files};

const EXPECTED: &str = "an object with `name`, `language` and `queries`, each with `revision` (ten digits or more), \
                        `query` and `relevant`";

/// How much of a revision names a tree.
const DIGITS: usize = 10;

#[derive(Deserialize)]
struct Repo {
    name: String,
    language: Option<String>,
    queries: Vec<Change>,
}

#[derive(Deserialize)]
struct Change {
    revision: Revision,
    query: Text,
    relevant: Targets,
    kind: Option<String>,
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Revision(String);

impl TryFrom<String> for Revision {
    type Error = String;

    fn try_from(text: String) -> Result<Revision, String> {
        match text.get(..DIGITS).filter(|start| start.bytes().all(|byte| byte.is_ascii_hexdigit())) {
            Some(start) => Ok(Revision(start.to_string())),
            None => Err(format!("'{text}' is no revision")),
        }
    }
}

/// Whether the path is such a folder.
pub fn is(path: &Path) -> bool {
    path.is_dir() && files(path, |name| name.ends_with(".json")).is_ok_and(|files| !files.is_empty())
}

/// Reads it. A repository's trees stand in the order in which its queries name them.
pub fn read(path: &Path) -> Result<Vec<Tree>, SetError> {
    let mut trees = Vec::new();
    for file in files(path, |name| name.ends_with(".json"))? {
        let repo: Repo = form::json(&file, EXPECTED)?;
        let begin = trees.len();
        for (at, change) in repo.queries.into_iter().enumerate() {
            let folder = format!("{}@{}", repo.name, change.revision.0);
            let query = form::query(&repo.name, at, None, change.kind, change.query, change.relevant.0);
            match trees[begin..].iter_mut().find(|tree: &&mut Tree| tree.folder == folder) {
                Some(tree) => tree.queries.push(query),
                None => trees.push(Tree {
                    name: repo.name.clone(),
                    folder,
                    root: ".".to_string(),
                    language: repo.language.clone(),
                    queries: vec![query],
                }),
            }
        }
    }
    Ok(trees)
}
