//! A walk of some paths of a tree: it finds what a full walk would find there, for callers that know what has changed.
//!
//! This module owns the descent to each of the paths. The folders above a path are judged as in a full walk, so what
//! lies in an excluded folder is left out here too. A path that is a folder stands for everything below it.

use std::path::Path;

use rustc_hash::FxHashSet;

use super::error::{WalkError, root_error};
use super::options::WalkOptions;
use super::queue;
use super::tally::{self, Tally};
use super::walked::Walked;
use super::walker::{Dir, EntryVerdict, Listing, Walker, default_threads};
use super::whole::walk;
use spyhop_base::path::RelPath;

/// Paths of a tree, each with everything below it.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// The paths, sorted; no path lies below another.
    paths: Vec<RelPath>,
    names: FxHashSet<RelPath>,
}

/// The most paths that are compared one by one. With more paths, the folders above a path are looked up.
const MAX_COMPARED: usize = 4;

impl Region {
    pub fn new(mut paths: Vec<RelPath>) -> Region {
        paths.sort_unstable();
        paths.dedup();
        let all: FxHashSet<RelPath> = paths.iter().cloned().collect();
        let is_top = |path: &RelPath| above(path.as_str()).all(|above| !holds(&all, above));
        paths.retain(is_top);
        let names = paths.iter().cloned().collect();
        Region { paths, names }
    }

    /// Whether a path is in the region: one of its paths, or below one.
    pub fn contains(&self, path: &str) -> bool {
        if self.paths.len() <= MAX_COMPARED {
            return self.paths.iter().any(|folder| covers(folder.as_str(), path));
        }
        holds(&self.names, path) || above(path).any(|above| holds(&self.names, above))
    }

    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// Whether there are no paths.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }
}

fn holds(names: &FxHashSet<RelPath>, path: &str) -> bool {
    RelPath::new(path).is_ok_and(|path| names.contains(&path))
}

fn covers(top: &str, path: &str) -> bool {
    top.is_empty() || path.strip_prefix(top).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The folders above a path, the root last.
fn above(path: &str) -> impl Iterator<Item = &str> {
    let root = (!path.is_empty()).then_some("");
    path.rmatch_indices('/').map(|(at, _)| &path[..at]).chain(root)
}

/// Walks `region` of the tree at `root`, with the results that a full walk would have there.
pub fn walk_some(root: &Path, region: &Region, options: &WalkOptions) -> Result<Walked, WalkError> {
    if region.paths.first().is_some_and(|path| path.as_str().is_empty()) {
        return walk(root, options);
    }
    let walker = Walker::new(root, options)?;
    let mut tally = Tally::default();
    let mut dirs = Vec::new();
    let parent = |path: &RelPath| path.parent().unwrap_or_default().to_string();
    for siblings in region.paths.chunk_by(|a, b| a.parent() == b.parent()) {
        let names: FxHashSet<&str> = siblings.iter().map(RelPath::file_name).collect();
        let Some((dir, listing)) = walker.entered(&parent(&siblings[0]))? else { continue };
        dirs.extend(walker.sort_out_some(&dir, listing, |name| names.contains(name), &mut tally));
    }
    let threads = options.threads.unwrap_or_else(default_threads).max(1).min(dirs.len().max(1));
    let parts = queue::drain(dirs, threads, |dir, part: &mut Tally| walker.visit(dir, part));
    walker.spent.checked()?;
    let mut walked = tally::heap(parts.into_iter().chain([tally]));
    walked.skipped.retain(|row| region.contains(row.path.as_str()));
    Ok(walked)
}

impl<'a> Walker<'a> {
    /// The folder at `path` with its entries, if a full walk would list it.
    fn entered(&self, path: &str) -> Result<Option<(Dir, Listing<'a>)>, WalkError> {
        let mut dir = self.top();
        let mut listing = match self.list(&dir) {
            Ok(listing) => listing,
            Err(source) => return Err(root_error(self.root, source)),
        };
        for name in path.split('/').filter(|name| !name.is_empty()) {
            let Some(entry) = listing.listed.entries.iter().find(|entry| listing.name(entry) == name) else {
                return Ok(None);
            };
            let rel = dir.rel.join(name);
            let EntryVerdict::Enter(only_tracked) = self.judge(&listing, entry, &rel, None) else {
                return Ok(None);
            };
            dir = self.child(rel, &listing, only_tracked);
            match self.list(&dir) {
                Ok(inner) if inner.left_out.is_some() => return Ok(None),
                Ok(inner) => listing = inner,
                // An unreadable folder is a row of the folder above, whose change reports it.
                Err(_) => return Ok(None),
            }
        }
        Ok(Some((dir, listing)))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::walk::options::GlobalExcludes;

    fn region(paths: &str) -> Region {
        Region::new(paths.split(' ').map(|path| RelPath::new(path).unwrap()).collect())
    }

    #[test]
    fn a_region_holds_its_paths_and_what_lies_below() {
        for region in [region("a a/b c/d"), region("a a/b c/d e f g h i")] {
            for (path, inside) in
                [("a", true), ("a/b/c", true), ("a-b", false), ("c", false), ("c/d", true), ("c/dd", false)]
            {
                assert_eq!(region.contains(path), inside, "{path} in {region:?}");
            }
        }
        assert_eq!(region("a a/b c/d").len(), 2);
        assert!(Region::new(vec![RelPath::root()]).contains("any/thing"));
    }

    #[test]
    fn a_walk_of_a_region_finds_what_a_whole_walk_finds() {
        let tree = tempfile::tempdir().unwrap();
        for path in [
            "a.rs",
            "src/b.rs",
            "src/deep/c.rs",
            "src/deep/er/d.rs",
            "src/gen/e.rs",
            "out/f.rs",
            "out/g/h.rs",
            "target/x.rs",
            "Cargo.toml",
            ".hidden/i.rs",
        ] {
            let path = tree.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        fs::write(tree.path().join(".gitignore"), "out\n").unwrap();
        fs::write(tree.path().join("src/.ignore"), "gen\n").unwrap();
        let options = WalkOptions { global_excludes: GlobalExcludes::None, ..WalkOptions::default() };
        let whole = walk(tree.path(), &options).unwrap();
        for paths in [
            "a.rs",
            "src",
            "src/deep src/b.rs a.rs none.rs",
            "src/gen src/gen/e.rs out/g/h.rs target",
            "none/at/all target/x.rs .hidden/i.rs",
            "src/deep/er src/deep/c.rs .hidden Cargo.toml src/.ignore",
        ] {
            let region = region(paths);
            let some = walk_some(tree.path(), &region, &options).unwrap();
            let mut expected = whole.clone();
            expected.candidates.retain(|candidate| region.contains(candidate.path.as_str()));
            expected.skipped.retain(|row| region.contains(row.path.as_str()));
            assert_eq!(some, expected, "{paths}");
        }
    }
}
