//! A folder as BEIR has them: `queries.jsonl`, `corpus.jsonl` and `qrels/*.tsv`.
//!
//! Its corpus is documents and no tree, so they are written as files, [`write_documents`], before they are indexed. A
//! file is named by the number of its line, because a name made of the id would be words that queries match. Its
//! extension is that of the document's `language`, where it has one that is known, so that code is parsed.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use spyhop::grammar::Grammars;

use super::form::{self, Id, Text};
use super::{SetError, Target, Tree, files, stem};

const QUERIES: &str = "an object with `_id` and `text`";
const CORPUS: &str = "an object with `_id` and `text`; optional `title` and `language`";
const QRELS: &str = "a head line, then `query-id<TAB>corpus-id<TAB>score`";

/// Documents of one folder; large folders are slow to list.
const PER_FOLDER: usize = 1_000;

#[derive(Deserialize)]
struct Asked {
    #[serde(rename = "_id")]
    id: String,
    text: Text,
}

#[derive(Deserialize)]
struct Document {
    #[serde(rename = "_id")]
    id: String,
    #[serde(default)]
    title: String,
    text: String,
    language: Option<String>,
}

/// Whether the path is such a folder.
pub fn is(path: &Path) -> bool {
    path.join("queries.jsonl").is_file() && path.join("corpus.jsonl").is_file() && path.join("qrels").is_dir()
}

/// Reads it: `qrels/test.tsv`, or all of `qrels/` where that is not there. Queries without an answer cannot be measured
/// and are left out.
pub fn read(path: &Path) -> Result<Vec<Tree>, SetError> {
    let corpus = path.join("corpus.jsonl");
    let mut files_of: HashMap<String, String> = HashMap::new();
    let extensions = Extensions::new();
    each_document(&corpus, |number, document| {
        files_of.insert(document.id, file_name(number, extensions.of(document.language.as_deref())));
        Ok(())
    })?;
    let mut judged = judgements(path, &files_of)?;
    let known = path.canonicalize().map_err(|source| SetError::read(path, source))?;
    let name = stem(&known);
    let mut queries = Vec::new();
    for (_, Asked { id, text }) in form::json_lines::<Asked>(&path.join("queries.jsonl"), QUERIES)? {
        if let Some(targets) = judged.remove(&id) {
            queries.push(form::query(&name, queries.len(), Some(Id::Text(id)), None, text, targets));
        }
    }
    let (folder, root) = (name.clone(), ".".to_string());
    Ok(vec![Tree { name, folder, root, language: None, documents: Some(corpus), queries }])
}

fn judgements(
    path: &Path,
    files_of: &HashMap<String, String>,
) -> Result<HashMap<String, Vec<Target>>, SetError> {
    let qrels = path.join("qrels");
    let test = qrels.join("test.tsv");
    let sources = if test.is_file() { vec![test] } else { files(&qrels, |name| name.ends_with(".tsv"))? };
    let mut judged: HashMap<String, Vec<Target>> = HashMap::new();
    for file in sources {
        let text = form::text(&file)?;
        for (number, line) in (1..).zip(text.lines()).skip(1).filter(|(_, line)| !line.trim().is_empty()) {
            let bad = |problem: String| SetError::bad(&file, number, problem, QRELS);
            let [query, document, score] = line.split('\t').collect::<Vec<_>>()[..] else {
                return Err(bad("this is no judgement".to_string()));
            };
            let grade: i64 = score.trim().parse().map_err(|_| bad(format!("'{score}' is no score")))?;
            let Some(file) = files_of.get(document) else {
                return Err(bad(format!("no document has the id '{document}'")));
            };
            if grade > 0 {
                let grade = u32::try_from(grade).unwrap_or(u32::MAX);
                judged.entry(query.to_string()).or_default().push(Target {
                    path: file.clone(),
                    lines: None,
                    grade,
                });
            }
        }
    }
    Ok(judged)
}

/// Writes the documents of `corpus` as files below `folder`.
pub fn write_documents(corpus: &Path, folder: &Path) -> Result<(), SetError> {
    let extensions = Extensions::new();
    each_document(corpus, |number, document| {
        let file = folder.join(file_name(number, extensions.of(document.language.as_deref())));
        let text =
            if document.title.is_empty() { document.text } else { document.title + "\n\n" + &document.text };
        let written =
            fs::create_dir_all(file.parent().unwrap_or(folder)).and_then(|()| fs::write(&file, text));
        written.map_err(|source| SetError::Read { path: file, source })
    })
}

/// Reads a corpus line by line: it may be larger than memory.
fn each_document(
    corpus: &Path,
    mut each: impl FnMut(usize, Document) -> Result<(), SetError>,
) -> Result<(), SetError> {
    let read = |source: io::Error| SetError::read(corpus, source);
    for (number, line) in (1..).zip(BufReader::new(File::open(corpus).map_err(read)?).lines()) {
        let line = line.map_err(read)?;
        if line.trim().is_empty() {
            continue;
        }
        let document: Result<Document, _> = serde_json::from_str(&line);
        each(number, document.map_err(|error| SetError::json(corpus, number, &error, CORPUS))?)?;
    }
    Ok(())
}

fn file_name(number: usize, extension: &str) -> String {
    PathBuf::from(format!("{:04}", number / PER_FOLDER))
        .join(format!("{number:07}.{extension}"))
        .to_string_lossy()
        .into_owned()
}

/// The first extension of each language.
struct Extensions(HashMap<String, String>);

impl Extensions {
    fn new() -> Extensions {
        let rows = Grammars::built_in().list();
        Extensions(
            rows.into_iter().filter_map(|row| Some((row.name, row.extensions.first()?.clone()))).collect(),
        )
    }

    fn of(&self, language: Option<&str>) -> &str {
        language.and_then(|name| self.0.get(&name.to_lowercase())).map_or("txt", String::as_str)
    }
}
