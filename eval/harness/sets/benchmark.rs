//! A folder with `repos.json` and `annotations/NAME.json`: the form in which the code-search benchmark of
//! MinishLab/semble is published.

use std::path::Path;

use serde::Deserialize;

use super::form::{self, Text};
use super::{SetError, Target, Tree};

const REPOS: &str = "a list of objects with `name`, `root` and `language`";
const ANNOTATIONS: &str = "a list of objects with `query`, `category`, `relevant` and `secondary`, whose targets are \
                           paths or {path, start_line, end_line}";

#[derive(Deserialize)]
struct Repo {
    name: String,
    root: String,
    language: Option<String>,
}

#[derive(Deserialize)]
#[serde(try_from = "RawAnnotation")]
struct Annotation {
    query: Text,
    category: Option<String>,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct RawAnnotation {
    query: Text,
    category: Option<String>,
    relevant: Vec<Target>,
    #[serde(default)]
    secondary: Vec<Target>,
}

/// Both lists of targets count alike; only one of them may be empty.
impl TryFrom<RawAnnotation> for Annotation {
    type Error = &'static str;

    fn try_from(raw: RawAnnotation) -> Result<Annotation, &'static str> {
        let targets: Vec<Target> = raw.relevant.into_iter().chain(raw.secondary).collect();
        if targets.is_empty() {
            return Err("a query has no target");
        }
        Ok(Annotation { query: raw.query, category: raw.category, targets })
    }
}

/// Whether the path is such a folder.
pub fn is(path: &Path) -> bool {
    path.join("repos.json").is_file() && path.join("annotations").is_dir()
}

/// Reads it.
pub fn read(path: &Path) -> Result<Vec<Tree>, SetError> {
    let repos: Vec<Repo> = form::json(&path.join("repos.json"), REPOS)?;
    repos.into_iter().map(|repo| tree(path, repo)).collect()
}

fn tree(path: &Path, repo: Repo) -> Result<Tree, SetError> {
    let Repo { name, root, language } = repo;
    let file = path.join("annotations").join(format!("{name}.json"));
    let annotations: Vec<Annotation> = form::json(&file, ANNOTATIONS)?;
    let queries = annotations.into_iter().enumerate().map(|(at, annotation)| {
        form::query(&name, at, None, annotation.category, annotation.query, annotation.targets)
    });
    Ok(Tree { queries: queries.collect(), folder: name.clone(), name, root, language })
}
