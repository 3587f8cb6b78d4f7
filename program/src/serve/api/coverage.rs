//! What is indexed and what is not, by folder; and the entries of one folder.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use spyhop_base::model::{SkipReason, Skipped};
use spyhop_base::path::RelPath;
use spyhop_engine::Engine;
use spyhop_engine::api::{ALL_ROWS, FilesReply, FilesRequest, SkippedRequest};
use spyhop_search::filter::FilterSpec;

use super::super::ask::Ask;
use super::super::reply::ApiError;
use super::super::site::{AskedTrees, PageSite};
use super::files::snapshot;

/// The most children of a folder; the rest is one child.
const MAX_CHILDREN: usize = 200;

const DEPTH: usize = 3;
const MAX_DEPTH: usize = 6;

/// A folder of a tree in a view.
struct AskedFolder {
    engine: Engine,
    path: RelPath,
    has_view: bool,
}

fn asked_folder(site: &PageSite, ask: &Ask) -> Result<AskedFolder, ApiError> {
    let AskedTrees::Tree { number, engine, view } = site.asked(&ask.params)? else {
        return Err(ApiError::bad("this is about one tree; name a served tree in 'root'"));
    };
    let path = site.place(number, "path", ask.params.one("path")?.unwrap_or_default())?;
    Ok(AskedFolder { engine, path, has_view: view.is_some() })
}

/// Every indexed file below a folder, by path.
pub fn all_files(engine: &Engine, folder: &str) -> Result<FilesReply, ApiError> {
    let path = Some(folder.to_string()).filter(|path| !path.is_empty());
    let filter = FilterSpec { path, ..FilterSpec::default() };
    let request = FilesRequest { filter, max_results: ALL_ROWS, ..FilesRequest::new("") };
    Ok(engine.ask(&request)?)
}

/// The part of a path below a folder.
fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    if folder.is_empty() {
        return Some(path);
    }
    path.strip_prefix(folder)?.strip_prefix('/')
}

/// The entries of a folder.
pub fn folder(site: &PageSite, ask: &Ask) -> Result<String, ApiError> {
    ask.params.only(&["path", "root", "view", "in"])?;
    let folder = asked_folder(site, ask)?;
    let reply = all_files(&folder.engine, folder.path.as_str())?;
    let rows: Vec<Value> = entries(&reply, folder.path.as_str())
        .iter()
        .map(|entry| {
            json!({
                "name": entry.name, "path": folder.path.join(entry.name).as_str(), "is_dir": entry.is_dir,
                "language": entry.language, "files": entry.files, "lines": entry.lines, "bytes": entry.bytes,
            })
        })
        .collect();
    let (path, snapshot) = (folder.path.as_str(), snapshot(&reply.snapshot));
    // A folder on disk may have no indexed file.
    let is_there = || !folder.has_view && folder.path.below(folder.engine.root()).is_dir();
    if rows.is_empty() && !path.is_empty() && !is_there() {
        return Err(ApiError::not_found(format!("folder '{path}' does not exist")));
    }
    Ok(json!({ "path": path, "entries": rows, "snapshot": snapshot }).to_string())
}

/// A folder in a folder, with the sums of its files, or a file.
pub struct FolderEntry<'r> {
    pub name: &'r str,
    pub is_dir: bool,
    pub files: usize,
    lines: u64,
    bytes: u64,
    language: Option<&'static str>,
}

/// The entries of a folder, folders first, each kind by name.
pub fn entries<'r>(reply: &'r FilesReply, folder: &str) -> Vec<FolderEntry<'r>> {
    let mut entries: BTreeMap<(bool, &str), FolderEntry<'_>> = BTreeMap::new();
    for file in &reply.files {
        let Some(rest) = below(file.path.as_str(), folder) else { continue };
        let (name, is_dir) = rest.split_once('/').map_or((rest, false), |(name, _)| (name, true));
        let language = (!is_dir).then_some(file.language);
        let empty = FolderEntry { name, is_dir, files: 0, lines: 0, bytes: 0, language };
        let entry = entries.entry((!is_dir, name)).or_insert(empty);
        entry.files += 1;
        entry.bytes += file.bytes;
        entry.lines += u64::from(file.lines.unwrap_or(0));
    }
    entries.into_values().collect()
}

/// What a folder has, with everything below it.
#[derive(Default)]
struct CoverageNode {
    files: usize,
    lines: u64,
    bytes: u64,
    skipped: BTreeMap<SkipReason, (usize, u64)>,
    languages: BTreeMap<&'static str, u64>,
    children: BTreeMap<String, CoverageNode>,
}

/// What is indexed and what is not.
pub fn answer(site: &PageSite, ask: &Ask) -> Result<String, ApiError> {
    ask.params.only(&["path", "depth", "root", "view", "in"])?;
    let depth = ask.params.number("depth", 1..=MAX_DEPTH)?.unwrap_or(DEPTH);
    let folder = asked_folder(site, ask)?;
    let reply = all_files(&folder.engine, folder.path.as_str())?;
    let skipped = folder.engine.ask(&SkippedRequest::default())?;
    let root = (!folder.has_view).then(|| folder.engine.root());
    let mut top = CoverageNode::default();
    // A file that is indexed by its path only is among the skipped ones.
    for file in reply.files.iter().filter(|file| file.lines.is_some()) {
        let Some(rest) = below(file.path.as_str(), folder.path.as_str()) else { continue };
        top.visit(rest, depth, &mut |node| {
            node.files += 1;
            node.lines += u64::from(file.lines.unwrap_or(0));
            node.bytes += file.bytes;
            *node.languages.entry(file.language).or_default() += file.bytes;
        });
    }
    for row in &skipped.entries {
        let Some(rest) = below(row.path.as_str(), folder.path.as_str()) else { continue };
        let bytes = root.map_or(0, |root| size(root, row));
        top.visit(rest, depth, &mut |node| {
            let counted = node.skipped.entry(row.reason).or_default();
            *counted = (counted.0 + 1, counted.1 + bytes);
        });
    }
    Ok(json!({
        "path": folder.path.as_str(),
        "node": top.json(folder.path.file_name(), Some(&folder.path)),
        "reasons": top.reasons(),
        "is_whole": reply.snapshot.building.is_none(),
        "snapshot": snapshot(&reply.snapshot),
    })
    .to_string())
}

/// The size of a file that is not indexed. No link is followed, and a folder counts nothing.
fn size(root: &Path, row: &Skipped) -> u64 {
    if row.is_dir {
        return 0;
    }
    row.path.below(root).symlink_metadata().map_or(0, |stat| if stat.is_file() { stat.len() } else { 0 })
}

impl CoverageNode {
    /// Counts an entry in this folder and in those below it that hold the entry.
    fn visit(&mut self, rest: &str, depth: usize, count: &mut dyn FnMut(&mut CoverageNode)) {
        count(self);
        if depth > 0 {
            let (name, below) = rest.split_once('/').unwrap_or((rest, ""));
            let child = match self.children.get_mut(name) {
                Some(child) => child,
                None => self.children.entry(name.to_string()).or_default(),
            };
            if below.is_empty() { count(child) } else { child.visit(below, depth - 1, count) }
        }
    }

    fn weight(&self) -> u64 {
        self.bytes + self.skipped.values().map(|(_, bytes)| bytes).sum::<u64>()
    }

    fn reasons(&self) -> Vec<Value> {
        let row = |(reason, (count, bytes)): (&SkipReason, &(usize, u64))| json!({ "reason": reason.name(), "count": count, "bytes": bytes });
        self.skipped.iter().map(row).collect()
    }

    fn json(&self, name: &str, path: Option<&RelPath>) -> Value {
        let mut order: Vec<(&String, &CoverageNode)> = self.children.iter().collect();
        order.sort_by_key(|(name, node)| (Reverse(node.weight()), *name));
        let is_cut = order.len() > MAX_CHILDREN;
        let rest = order.split_off(order.len().min(MAX_CHILDREN));
        let mut children: Vec<Value> = order
            .iter()
            .map(|(name, node)| node.json(name, path.map(|path| path.join(name)).as_ref()))
            .collect();
        if is_cut {
            let mut sum = CoverageNode::default();
            rest.iter().for_each(|(_, node)| sum.add(node));
            children.push(sum.json("…", None));
        }
        let mut languages: Vec<(&&str, &u64)> = self.languages.iter().collect();
        languages.sort_by_key(|(name, bytes)| (Reverse(**bytes), **name));
        let languages: Vec<Value> =
            languages.iter().map(|(name, bytes)| json!({ "name": name, "bytes": bytes })).collect();
        json!({
            "name": name, "path": path.map(RelPath::as_str), "files": self.files, "lines": self.lines, "bytes": self.bytes,
            "skipped": self.reasons(), "languages": languages, "children": children, "is_cut": is_cut,
        })
    }

    fn add(&mut self, other: &CoverageNode) {
        self.files += other.files;
        self.lines += other.lines;
        self.bytes += other.bytes;
        for (reason, (count, bytes)) in &other.skipped {
            let own = self.skipped.entry(*reason).or_default();
            *own = (own.0 + count, own.1 + bytes);
        }
        for (language, bytes) in &other.languages {
            *self.languages.entry(language).or_default() += bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_everything_below() {
        let mut top = CoverageNode::default();
        for (path, bytes) in [("a/b/c/d.rs", 4), ("a/e.rs", 2), ("f.rs", 1)] {
            top.visit(path, 2, &mut |node| (node.files, node.bytes) = (node.files + 1, node.bytes + bytes));
        }
        let json = top.json("", Some(&RelPath::root()));
        assert_eq!((&json["files"], &json["bytes"]), (&json!(3), &json!(7)));
        let a = &json["children"][0];
        assert_eq!((&a["path"], &a["files"], &a["bytes"]), (&json!("a"), &json!(2), &json!(6)));
        assert_eq!(a["children"][0]["path"], "a/b");
        assert_eq!(a["children"][0]["children"], json!([]));
    }

    #[test]
    fn many_children_are_summed() {
        let mut top = CoverageNode::default();
        for number in 0..MAX_CHILDREN + 5 {
            top.visit(&format!("f{number}"), 1, &mut |node| {
                (node.files, node.bytes) = (node.files + 1, node.bytes + 1)
            });
        }
        let json = top.json("", Some(&RelPath::root()));
        let children = json["children"].as_array().unwrap();
        assert_eq!((children.len(), &json["is_cut"]), (MAX_CHILDREN + 1, &json!(true)));
        assert_eq!(
            (&children[MAX_CHILDREN]["files"], &children[MAX_CHILDREN]["path"]),
            (&json!(5), &Value::Null)
        );
    }
}
