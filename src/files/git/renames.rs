//! Where a file of an older commit is now, by git's rule: a file that is gone was renamed to the file that is new and has
//! at least half of its content.
//!
//! git records no renames; `git log --follow` and `git diff --find-renames` compare contents, and so does this module.

use std::collections::HashMap;
use std::io;

use gix::ObjectId;
use rustc_hash::FxHashMap;

use super::commit::CommitTree;
use super::repo::Repo;
use super::tree_change::{ReadNew, TreeChange};
use crate::tree::{Tree, TreeEntry};
use spyhop_base::path::RelPath;

/// The share of the content that a renamed file keeps at least, as in git.
const MIN_SIMILAR: f32 = 0.5;

/// Larger files are followed only if their content is the same.
const MAX_BYTES: u64 = 1 << 20;

/// The most new files that are compared by content, as in git.
const MAX_CANDIDATES: usize = 1_000;

/// The most commits that are looked at for a rename.
const MAX_COMMITS: usize = 2_000;

/// The most bytes of a piece of content that is compared as one, as in git.
const MAX_PIECE: usize = 64;

impl CommitTree {
    /// The new name of the file at `path` of this commit. `changes` are all differences to the newer state, and
    /// `read_new` reads a file that is not in a commit. `None` if no new file resembles the file.
    ///
    /// # Errors
    /// Git cannot read the file.
    pub fn renamed(
        &self,
        path: &RelPath,
        newer: Option<&CommitTree>,
        changes: &[TreeChange],
        read_new: ReadNew<'_>,
    ) -> io::Result<Option<RelPath>> {
        let Some(gone) =
            changes.iter().find(|change| change.path == *path).and_then(|change| change.old.clone())
        else {
            return Ok(None);
        };
        let added: Vec<&TreeChange> = changes.iter().filter(|change| change.old.is_none()).collect();
        let is_same_blob = |change: &&&TreeChange| change.new.as_ref().is_some_and(|new| new.id == gone.id);
        let by_name =
            |change: &&&TreeChange| (change.path.file_name() != path.file_name(), change.path.clone());
        if let Some(same) = added.iter().filter(is_same_blob).min_by_key(by_name) {
            return Ok(Some(same.path.clone()));
        }
        if self.size(&gone)? > MAX_BYTES || added.len() > MAX_CANDIDATES {
            return Ok(None);
        }
        let old = Pieces::new(&self.read(&gone)?);
        let mut best: Option<(f32, bool, RelPath)> = None;
        for change in added {
            let bytes = match (&change.new, newer) {
                (Some(entry), Some(tree)) => small(tree, entry),
                _ => read_new(&change.path).filter(|bytes| bytes.len() as u64 <= MAX_BYTES),
            };
            let Some(bytes) = bytes else { continue };
            let likeness = old.likeness(&bytes);
            let has_name = change.path.file_name() == path.file_name();
            let is_better =
                best.as_ref().is_none_or(|(most, named, _)| (likeness, has_name) > (*most, *named));
            if likeness >= MIN_SIMILAR && is_better {
                best = Some((likeness, has_name, change.path.clone()));
            }
        }
        Ok(best.map(|(_, _, path)| path))
    }
}

fn small(tree: &CommitTree, entry: &TreeEntry) -> Option<Vec<u8>> {
    let is_small = tree.size(entry).is_ok_and(|size| size <= MAX_BYTES);
    is_small.then(|| tree.read(entry).ok()).flatten()
}

/// The pieces of a content, each with the number of its bytes: lines, and parts of long lines.
struct Pieces {
    bytes: HashMap<Vec<u8>, usize>,
    len: usize,
}

impl Pieces {
    fn new(content: &[u8]) -> Pieces {
        let mut bytes: HashMap<Vec<u8>, usize> = HashMap::new();
        for piece in pieces(content) {
            *bytes.entry(piece.to_vec()).or_default() += piece.len();
        }
        Pieces { bytes, len: content.len() }
    }

    /// The share of the larger content that both have.
    fn likeness(&self, other: &[u8]) -> f32 {
        let most = self.len.max(other.len());
        // As in git, two contents of very different size are not compared.
        if most == 0 || self.len.min(other.len()) * 2 < most {
            return 0.0;
        }
        let mut left: FxHashMap<&[u8], usize> = FxHashMap::default();
        self.bytes.iter().for_each(|(piece, bytes)| _ = left.insert(piece, *bytes));
        let mut shared = 0;
        for piece in pieces(other) {
            if let Some(bytes) = left.get_mut(piece).filter(|bytes| **bytes >= piece.len()) {
                *bytes -= piece.len();
                shared += piece.len();
            }
        }
        shared as f32 / most as f32
    }
}

fn pieces(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = content.split_inclusive(|byte| *byte == b'\n');
    lines.flat_map(|line| line.chunks(MAX_PIECE))
}

impl Repo {
    /// The commits from `newest` back to `oldest` along the first parents, newest first, without `oldest`. The list ends
    /// early after 2,000 commits and where git has no further commit.
    pub fn first_parents(&self, newest: &str, oldest: &str) -> Vec<String> {
        let repo = self.inner.to_thread_local();
        let Ok(oldest) = ObjectId::from_hex(oldest.as_bytes()) else { return Vec::new() };
        let mut next = ObjectId::from_hex(newest.as_bytes()).ok();
        let mut found = Vec::new();
        while let Some(id) = next.filter(|id| *id != oldest && found.len() < MAX_COMMITS) {
            let Ok(commit) = repo.find_commit(id) else { break };
            found.push(id.to_hex().to_string());
            next = commit.parent_ids().next().map(|parent| parent.detach());
        }
        found
    }

    /// The first parent of a commit.
    pub fn first_parent(&self, commit: &str) -> Option<String> {
        let repo = self.inner.to_thread_local();
        let commit = repo.find_commit(ObjectId::from_hex(commit.as_bytes()).ok()?).ok()?;
        commit.parent_ids().next().map(|parent| parent.detach().to_hex().to_string())
    }

    /// Whether a commit has a file at a path relative to the top.
    pub fn has_file(&self, commit: &str, path: &RelPath) -> bool {
        let repo = self.inner.to_thread_local();
        let has = || {
            let commit = repo.find_commit(ObjectId::from_hex(commit.as_bytes()).ok()?).ok()?;
            let entry = commit.tree().ok()?.lookup_entry_by_path(path.as_str()).ok()??;
            Some(entry.mode().is_blob())
        };
        has().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likeness_is_the_share_of_equal_lines() {
        let lines = |from: usize, to: usize| (from..to).map(|n| format!("line {n:04}\n")).collect::<String>();
        let likeness = |one: &str, other: &str| Pieces::new(one.as_bytes()).likeness(other.as_bytes());
        assert_eq!(likeness(&lines(0, 10), &lines(0, 10)), 1.0);
        assert_eq!(likeness(&lines(0, 10), &lines(2, 10)), 0.8);
        assert_eq!(likeness(&lines(0, 10), &lines(5, 15)), 0.5);
        assert_eq!(likeness(&lines(0, 10), &lines(20, 30)), 0.0);
        assert_eq!(likeness("", ""), 0.0);
        assert_eq!(likeness("a\na\nb\n", "a\nb\nb\n"), 2.0 / 3.0);
    }
}
