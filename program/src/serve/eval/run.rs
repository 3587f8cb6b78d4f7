//! Reads the files that `spyhop-eval run --out` writes.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use spyhop_base::judged::JudgedList;
use spyhop_base::text::Lines;

use super::super::reply::ApiError;

/// The version of the format.
const FORMAT: u32 = 1;

/// The longest file that is read.
const MAX_BYTES: u64 = 256 << 20;

/// The extension of runs.
const EXTENSION: &str = "jsonl";

/// A run.
pub struct Run {
    pub header: Header,
    /// The number of trees.
    pub trees: usize,
    pub queries: Vec<QueryRow>,
}

#[derive(Deserialize)]
pub struct Header {
    format: u32,
    pub version: String,
    pub profile: String,
    pub sets: Vec<String>,
    pub k: usize,
}

/// A query with its list of hits.
#[derive(Deserialize)]
pub struct QueryRow {
    pub set: String,
    pub tree: String,
    pub id: String,
    pub kind: String,
    pub query: String,
    pub targets: Vec<RunTarget>,
    pub ms: f64,
    pub hits: Vec<RunHit>,
}

/// What answers a query.
#[derive(Deserialize, PartialEq)]
pub struct RunTarget {
    pub path: String,
    pub lines: Option<Lines>,
    pub grade: u32,
}

#[derive(Deserialize)]
pub struct RunHit {
    pub path: String,
    pub lines: Lines,
    pub score: f32,
    pub targets: Vec<usize>,
}

#[derive(Deserialize)]
#[serde(tag = "row", rename_all = "lowercase")]
enum RunRow {
    Header(Header),
    Tree {},
    Query(QueryRow),
}

/// The names of the runs in a folder, sorted.
pub fn names(folder: &Path) -> Result<Vec<String>, ApiError> {
    files(folder, EXTENSION)
}

/// The names of the files with an extension in a folder, without the extension, sorted.
pub fn files(folder: &Path, extension: &str) -> Result<Vec<String>, ApiError> {
    let failed = |error: std::io::Error| ApiError::not_found(format!("{}: {error}", folder.display()));
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).filter(|stem| is_name(stem));
        if path.extension().is_some_and(|own| own == extension) {
            names.extend(stem.map(str::to_string));
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Whether a text is a name of a file in the folder: no name leads out of it.
pub fn is_name(text: &str) -> bool {
    let is_plain = |sign: char| sign.is_alphanumeric() || "-_.+".contains(sign);
    (1..=100).contains(&text.len()) && !text.starts_with('.') && text.chars().all(is_plain)
}

impl Run {
    /// Reads a run by its name.
    pub fn read(folder: &Path, name: &str) -> Result<Run, ApiError> {
        if !is_name(name) {
            return Err(ApiError::not_found(format!("there is no run '{name}'")));
        }
        let path = folder.join(format!("{name}.{EXTENSION}"));
        let failed = |error: std::io::Error| ApiError::not_found(format!("the run '{name}': {error}"));
        let stat = path.symlink_metadata().map_err(failed)?;
        if !stat.is_file() || stat.len() > MAX_BYTES {
            return Err(ApiError::bad(format!("the run '{name}' is not a file of up to {MAX_BYTES} bytes")));
        }
        Run::parse(&spyhop_base::input::named_text(&path).map_err(failed)?)
            .map_err(|problem| ApiError::bad(format!("the run '{name}': {problem}")))
    }

    fn parse(text: &str) -> Result<Run, String> {
        let mut lines = (1..).zip(text.lines());
        let parse = |(line, text): (usize, &str)| {
            serde_json::from_str::<RunRow>(text).map_err(|error| format!("line {line}: {error}"))
        };
        let header = match lines.next().map(parse).transpose()? {
            Some(RunRow::Header(header)) if header.format == FORMAT => header,
            Some(RunRow::Header(header)) => return Err(format!("format {} is not {FORMAT}", header.format)),
            _ => return Err("there is no header; spyhop-eval run --out writes one".to_string()),
        };
        let mut run = Run { header, trees: 0, queries: Vec::new() };
        for (line, text) in lines {
            match parse((line, text))? {
                RunRow::Header(_) => return Err(format!("line {line}: there is a second header")),
                RunRow::Tree {} => run.trees += 1,
                RunRow::Query(row) => {
                    let most = row.targets.len();
                    if row.hits.iter().flat_map(|hit| &hit.targets).any(|target| *target >= most) {
                        return Err(format!("line {line}: a hit answers a target beyond the {most}"));
                    }
                    run.queries.push(row);
                }
            }
        }
        Ok(run)
    }
}

impl QueryRow {
    /// The ranks of the list, as input of the measures.
    pub fn judged(&self) -> JudgedList {
        let hits: Vec<&[usize]> = self.hits.iter().map(|hit| hit.targets.as_slice()).collect();
        let grades: Vec<u32> = self.targets.iter().map(|target| target.grade).collect();
        JudgedList::new(&hits, &grades)
    }

    /// The group for averages: the set and the tree.
    pub fn group(&self) -> (&str, &str) {
        (&self.set, &self.tree)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str =
        r#"{"row":"header","format":1,"version":"0","profile":"p","sets":["s"],"k":10,"depth":20}"#;

    #[test]
    fn a_run_is_read_and_damage_is_named() {
        let query = r#"{"row":"query","set":"s","tree":"t","folder":"f","language":"-","id":"1","kind":"names","query":"q","targets":[{"path":"a","grade":1}],"ms":1.5,"hits":[{"path":"a","lines":{"first":1,"last":2},"score":0.5,"chars":3,"targets":[0]}]}"#;
        let run = Run::parse(&format!("{HEADER}\n{query}\n")).unwrap();
        assert_eq!((run.queries.len(), run.queries[0].judged().first()), (1, &[Some(1)][..]));
        let wrong = query.replace("\"targets\":[0]", "\"targets\":[1]");
        assert!(
            Run::parse(&format!("{HEADER}\n{wrong}\n")).err().unwrap().starts_with("line 2: a hit answers")
        );
        assert!(Run::parse(query).err().unwrap().contains("no header"));
        assert!(Run::parse(&HEADER.replace(":1,", ":9,")).err().unwrap().contains("format 9"));
    }

    #[test]
    fn names_stay_in_the_folder() {
        assert!(is_name("run-1.b") && !is_name("../a") && !is_name("a/b") && !is_name(".a") && !is_name(""));
    }
}
