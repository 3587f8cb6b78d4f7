//! The run file: what was asked, of what, and what came back, as JSON lines.
//!
//! The first line is the [`Header`], then come a [`TreeRow`] for each tree and its [`QueryRow`]s. Measures are not in it:
//! they follow from the rows, so a run can be looked at again with another k.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use spyhop::{Hit, Profile};
use spyhop_base::judged::JudgedList;
use spyhop_base::text::Lines;

use crate::measure::{Measures, PlaceMeasures};
use crate::sets::{Query, Target, answered};

/// The version of the run file format; files of other versions are refused.
const FORMAT: u32 = 1;

/// A run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The configuration of the run.
    pub header: Header,
    /// The trees that were found.
    pub trees: Vec<TreeRow>,
    /// The queries, in the order of the sets.
    pub queries: Vec<QueryRow>,
}

/// The configuration of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The version of the format.
    pub format: u32,
    /// The version of the program.
    pub version: String,
    /// The ranking profile: its name, and the beginning of the hash of its content.
    pub profile: String,
    /// The names of the sets.
    pub sets: Vec<String>,
    /// The number of first hits that measures use.
    pub k: usize,
    /// The number of requested hits.
    pub depth: usize,
    /// The number of timed passes for each query.
    pub repeat: usize,
    /// The number of indexing threads; 0 for one for each core.
    pub threads: usize,
    /// The missing trees, as `set/folder`.
    pub missing: Vec<String>,
}

/// A tree, with the cost of its index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TreeRow {
    /// The set whose queries are about the tree.
    pub set: String,
    /// The name of the tree; revisions of one repository have the same name.
    pub tree: String,
    /// The folder of the tree.
    pub folder: String,
    /// The language, `-` if the set does not name it.
    pub language: String,
    /// The number of ranked files.
    pub files: usize,
    /// The number of chunks.
    pub chunks: usize,
    /// The size of the sources in bytes.
    pub source_bytes: u64,
    /// The size of the index in bytes.
    pub index_bytes: u64,
    /// The number of files that this run parsed; fewer than `files` if there was an index.
    pub parsed: usize,
    /// The duration of indexing.
    pub index_ms: f64,
}

/// A query and its list of hits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueryRow {
    /// The set.
    pub set: String,
    /// The tree.
    pub tree: String,
    /// The folder of the tree.
    pub folder: String,
    /// The tree's language, `-` if the set does not name it.
    pub language: String,
    /// The id of the query in its set.
    pub id: String,
    /// The kind of the query.
    pub kind: String,
    /// The text of the query.
    pub query: String,
    /// The targets that answer the query.
    pub targets: Vec<Target>,
    /// The places that answer the query, if the set names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Target>,
    /// The time for the first k hits: the median of the timed passes.
    pub ms: f64,
    /// The hits, best first.
    pub hits: Vec<HitRow>,
}

/// A hit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HitRow {
    /// The file.
    pub path: String,
    /// The lines.
    pub lines: Lines,
    /// The shown score.
    pub score: f32,
    /// The number of characters of the snippet.
    pub chars: usize,
    /// The targets that the hit answers, by their index in the query's list.
    pub targets: Vec<usize>,
    /// The places that share a line with the hit, by their index in the query's list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<usize>,
    /// The places that share a line with the snippet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<usize>,
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
#[serde(tag = "row", rename_all = "lowercase")]
enum Row {
    Header(Header),
    Tree(TreeRow),
    Query(QueryRow),
}

/// Why a run file is refused.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A line is invalid.
    #[error("{}:{line}: {problem}; expected a run file as `spyhop-eval run --out` writes it", path.display())]
    Bad {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Why the line is invalid.
        problem: String,
    },
}

impl Header {
    /// The header of a run of this program.
    pub fn new(profile: &Profile, sets: Vec<String>, [k, depth, repeat, threads]: [usize; 4]) -> Header {
        let version = env!("CARGO_PKG_VERSION").to_string();
        let hash = blake3::hash(profile.to_toml().as_bytes()).to_hex();
        let profile = format!("{} {}", profile.name, &hash[..8]);
        Header { format: FORMAT, version, profile, sets, k, depth, repeat, threads, missing: Vec::new() }
    }
}

impl HitRow {
    /// A hit, with the targets of `query` that the hit answers.
    pub fn new(query: &Query, hit: &Hit) -> HitRow {
        let chars = hit.snippet.as_ref().map_or(0, |snippet| snippet.text.chars().count());
        let shown = hit
            .snippet
            .as_ref()
            .map_or(Vec::new(), |snippet| answered(&query.places, hit.path.as_str(), snippet.lines));
        HitRow { chars, shown, ..HitRow::at(query, hit.path.as_str(), hit.lines, hit.score) }
    }

    /// Lines of a file as a hit without a snippet.
    fn at(query: &Query, path: &str, lines: Lines, score: f32) -> HitRow {
        HitRow {
            path: path.to_string(),
            lines,
            score,
            chars: 0,
            targets: query.answered(path, lines),
            places: answered(&query.places, path, lines),
            shown: Vec::new(),
        }
    }
}

/// The measures of a list of hits.
pub fn measures(hits: &[HitRow], targets: &[Target], k: usize) -> Measures {
    let chars: Vec<usize> = hits.iter().map(|hit| hit.chars).collect();
    Measures::of(&judged(hits, targets), k, &chars)
}

fn judged(hits: &[HitRow], targets: &[Target]) -> JudgedList {
    let hits: Vec<&[usize]> = hits.iter().map(|hit| hit.targets.as_slice()).collect();
    let grades: Vec<u32> = targets.iter().map(|target| target.grade).collect();
    JudgedList::new(&hits, &grades)
}

impl QueryRow {
    /// The ranks of the list, as input of the measures.
    pub fn judged(&self) -> JudgedList {
        judged(&self.hits, &self.targets)
    }

    /// The measures of the list.
    pub fn measures(&self, k: usize) -> Measures {
        measures(&self.hits, &self.targets, k)
    }

    /// The measures over places; `None` if the set names no places.
    pub fn place_measures(&self, k: usize) -> Option<PlaceMeasures> {
        if self.places.is_empty() {
            return None;
        }
        let list = |of: fn(&HitRow) -> &Vec<usize>| {
            let hits: Vec<&[usize]> = self.hits.iter().map(|hit| of(hit).as_slice()).collect();
            JudgedList::new(&hits, &vec![1; self.places.len()])
        };
        let (places, shown) = (list(|hit| &hit.places), list(|hit| &hit.shown));
        Some(PlaceMeasures {
            place_1: places.success(1),
            place_5: places.success(5),
            ndcg: places.ndcg(k),
            reciprocal_rank: places.reciprocal_rank(k),
            shown_1: shown.success(1),
            shown_5: shown.success(5),
            all_5: places.all_within(5),
            all_10: places.all_within(10),
        })
    }

    /// The rank of each target; `-` if no hit answers the target.
    pub fn ranks(&self) -> String {
        let judged = self.judged();
        let shown = judged.first().iter().map(|rank| rank.map_or("-".to_string(), |rank| rank.to_string()));
        shown.collect::<Vec<_>>().join(",")
    }

    /// The group for averages: the set and the tree.
    pub fn group(&self) -> (&str, &str) {
        (&self.set, &self.tree)
    }
}

impl Run {
    /// Writes the file.
    pub fn write(self, path: &Path) -> Result<(), RunError> {
        let rows = std::iter::once(Row::Header(self.header))
            .chain(self.trees.into_iter().map(Row::Tree))
            .chain(self.queries.into_iter().map(Row::Query));
        let write = || -> io::Result<()> {
            let mut out = BufWriter::new(File::create(path)?);
            for row in rows {
                serde_json::to_writer(&mut out, &row)?;
                out.write_all(b"\n")?;
            }
            out.flush()
        };
        write().map_err(|source| RunError::Io { path: path.to_path_buf(), source })
    }

    /// Reads the file.
    pub fn read(path: &Path) -> Result<Run, RunError> {
        let text =
            fs::read_to_string(path).map_err(|source| RunError::Io { path: path.to_path_buf(), source })?;
        let bad = |line: usize, problem: String| RunError::Bad { path: path.to_path_buf(), line, problem };
        let mut lines = (1..).zip(text.lines());
        let parse = |(line, text): (usize, &str)| {
            serde_json::from_str::<Row>(text).map_err(|error| bad(line, error.to_string()))
        };
        let header = match lines.next().map(parse).transpose()? {
            Some(Row::Header(header)) if header.format == FORMAT => header,
            Some(Row::Header(header)) => {
                return Err(bad(1, format!("format {} is not {FORMAT}", header.format)));
            }
            _ => return Err(bad(1, "there is no header".to_string())),
        };
        let mut run = Run { header, trees: Vec::new(), queries: Vec::new() };
        for (line, text) in lines {
            match parse((line, text))? {
                Row::Header(_) => return Err(bad(line, "there is a second header".to_string())),
                Row::Tree(row) => run.trees.push(row),
                Row::Query(row) => {
                    let n_targets = row.targets.len();
                    if row.hits.iter().flat_map(|hit| &hit.targets).any(|target| *target >= n_targets) {
                        return Err(bad(line, format!("a hit answers a target beyond the {n_targets}")));
                    }
                    run.queries.push(row);
                }
            }
        }
        Ok(run)
    }
}
