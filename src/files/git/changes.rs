//! The files that differ between two commits, or between a commit and the worktree.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

use gix::ObjectId;
use gix::bstr::ByteSlice;

use super::commit::CommitTree;
use super::repo::Repo;
use super::tree_change::TreeChange;
use crate::tree::{Tree, TreeEntry, TreeFolder, TreeKind};
use spyhop_base::path::RelPath;

impl CommitTree {
    /// The files that differ from those of `new`, by path.
    ///
    /// # Errors
    /// Git cannot read a folder of one of the commits.
    pub fn changes_to(&self, new: &CommitTree) -> io::Result<Vec<TreeChange>> {
        let mut found = Vec::new();
        self.compare(Some(new), &self.prefix().clone(), &mut found)?;
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    /// The tracked files that may differ in the worktree, by path: those with another blob in git's index, and those
    /// whose stat data are not those of git's index. The caller compares contents.
    ///
    /// # Errors
    /// Git cannot read a folder of the commit.
    pub fn changes_to_worktree(&self, repo: &Repo) -> io::Result<Vec<TreeChange>> {
        let mut all = Vec::new();
        self.compare(None, &self.prefix().clone(), &mut all)?;
        let mut files: BTreeMap<RelPath, TreeChange> =
            all.into_iter().map(|file| (file.path.clone(), file)).collect();
        let mut found = Vec::new();
        let Some(index) = repo.tracked().load() else { return Ok(files.into_values().collect()) };
        for entry in index.entries().iter().filter(|entry| !entry.mode.is_submodule()) {
            let Some(path) = entry.path(&index).to_str().ok().and_then(|path| self.below_root(path)) else {
                continue;
            };
            let Some(old) = files.remove(&path) else {
                found.push(TreeChange { path, old: None, new: None });
                continue;
            };
            let is_same_blob = old.old.as_ref().is_some_and(|old| old.id.0[..] == *entry.id.as_bytes());
            let top = repo.top().join(entry.path(&index).to_str_lossy().as_ref());
            let is_same_file = || {
                let now = top.symlink_metadata();
                now.is_ok_and(|now| is_unchanged(&entry.stat, &now) || has_content(&top, &now, entry.id))
            };
            if !(is_same_blob && is_same_file()) {
                found.push(old);
            }
        }
        found.extend(files.into_values());
        found.sort_by(|a, b| a.path.cmp(&b.path));
        found.dedup_by(|next, first| next.path == first.path);
        Ok(found)
    }

    /// Adds the files below `folder` that differ from those of `new`, or all files without `new`.
    fn compare(
        &self,
        new: Option<&CommitTree>,
        folder: &RelPath,
        found: &mut Vec<TreeChange>,
    ) -> io::Result<()> {
        let old_folder = listed(self, folder)?;
        let new_folder = new.map(|new| listed(new, folder)).transpose()?.flatten();
        let mut names: BTreeMap<&str, [Option<&TreeEntry>; 2]> = BTreeMap::new();
        for (side, entries) in [&old_folder, &new_folder].into_iter().enumerate() {
            for entry in entries.iter().flat_map(|folder| folder.entries()) {
                if let Some(name) = entry.name.to_str() {
                    names.entry(name).or_default()[side] = Some(entry);
                }
            }
        }
        for (name, [old, new_entry]) in names {
            if new.is_some() && old.map(|it| (it.id, it.kind)) == new_entry.map(|it| (it.id, it.kind)) {
                continue;
            }
            let path = folder.join(name);
            let is = |entry: &Option<&TreeEntry>, kind| entry.is_some_and(|entry| entry.kind == kind);
            if is(&old, TreeKind::Folder) || is(&new_entry, TreeKind::Folder) {
                self.compare(new, &path, found)?;
            }
            let file =
                |entry: Option<&TreeEntry>| entry.filter(|entry| entry.kind == TreeKind::File).cloned();
            let (old, new) = (file(old), file(new_entry));
            if let Some(path) = self.below_root(path.as_str()).filter(|_| old.is_some() || new.is_some()) {
                found.push(TreeChange { path, old, new });
            }
        }
        Ok(())
    }

    /// A path of the repository, relative to the root; `None` outside of the root.
    fn below_root(&self, path: &str) -> Option<RelPath> {
        let prefix = self.prefix().as_str();
        let below = if prefix.is_empty() { path } else { path.strip_prefix(prefix)?.strip_prefix('/')? };
        RelPath::new(below).ok()
    }
}

impl Repo {
    /// The best common ancestor of two commits; `None` if there is none.
    pub fn merge_base(&self, one: &str, other: &str) -> Option<String> {
        let repo = self.inner.to_thread_local();
        let id = |commit: &str| ObjectId::from_hex(commit.as_bytes()).ok();
        let base = repo.merge_base(id(one)?, id(other)?).ok()??;
        Some(base.to_hex().to_string())
    }
}

/// The entries of a folder; `None` if there is no such folder.
fn listed(tree: &CommitTree, folder: &RelPath) -> io::Result<Option<std::sync::Arc<TreeFolder>>> {
    match tree.list(folder) {
        Ok(listed) => Ok(Some(listed)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// A larger file counts as changed if its stat data are not those of git's index.
const MAX_HASHED: u64 = 8 << 20;

/// Whether a regular file has the content of a blob. After a copy of the tree, git's index has other stat data for every file.
fn has_content(path: &Path, now: &Metadata, blob: ObjectId) -> bool {
    let hash = |bytes: Vec<u8>| gix::objs::compute_hash(blob.kind(), gix::objs::Kind::Blob, &bytes).ok();
    now.is_file() && now.len() <= MAX_HASHED && fs::read(path).ok().and_then(hash) == Some(blob)
}

/// Whether a file has the size and the time of git's index. A file that was changed within the resolution of the time
/// keeps its size only by chance.
fn is_unchanged(stat: &gix::index::entry::Stat, now: &Metadata) -> bool {
    let modified = now.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    modified.is_some_and(|time| {
        time.as_secs() as u32 == stat.mtime.secs
            && (stat.mtime.nsecs == 0 || time.subsec_nanos() == stat.mtime.nsecs)
            && now.len() as u32 == stat.size
            && now.is_file()
    })
}
