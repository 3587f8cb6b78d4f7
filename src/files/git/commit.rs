//! Resolving revisions, and the trees of commits: data that git stores, without a worktree.
//!
//! gix reads objects from the object database as they are stored. No conversion of a checkout is applied: neither line
//! ends nor encodings, nor filters, which could run programs.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::object::tree::EntryKind;
use rustc_hash::FxHashMap;

use super::head::Head;
use super::repo::Repo;
use super::revision::{Revision, RevisionError};
use crate::tree::{BlobId, Tree, TreeEntry, TreeFolder, TreeKind};
use spyhop_base::path::RelPath;

/// How many similar names an error suggests.
const OFFERED: usize = 5;

impl Repo {
    /// Resolves `spec`: a branch, a tag, a commit or any other name that git accepts.
    pub fn revision(&self, spec: &str) -> Result<Revision, RevisionError> {
        self.check_for(spec)?;
        let repo = self.inner.to_thread_local();
        let unknown = || self.unknown(spec);
        let is_branch = |name: &str| ["refs/heads/", "refs/remotes/"].iter().any(|at| name.starts_with(at));
        if let Ok(Some(mut reference)) = repo.try_find_reference(spec) {
            let name = reference.name().as_bstr().to_str_lossy().into_owned();
            let commit = reference.peel_to_commit().map_err(|error| no_commit(spec, error))?;
            let branch = is_branch(&name).then_some(name);
            return Ok(Revision { spec: spec.to_string(), branch, commit: commit.id().to_hex().to_string() });
        }
        if spec.is_empty() {
            return Err(unknown());
        }
        let id = repo.rev_parse_single(spec).map_err(|error| {
            tracing::debug!("'{spec}' is not a revision: {error}");
            unknown()
        })?;
        let object = id.object().map_err(|error| no_commit(spec, error))?;
        let commit = object.peel_to_commit().map_err(|error| no_commit(spec, error))?;
        Ok(Revision { spec: spec.to_string(), branch: None, commit: commit.id().to_hex().to_string() })
    }

    /// Checks the files that are read to resolve `spec`.
    fn check_for(&self, spec: &str) -> Result<(), RevisionError> {
        let not_read = |reason: String| RevisionError::NotRead { spec: spec.to_string(), reason };
        self.sound.borrows.clone().map_or(Ok(()), |borrows| Err(not_read(borrows)))?;
        let checked = self.sound.check_refs().and_then(|()| self.sound.check_head());
        let checked =
            checked.and_then(|()| self.sound.check_name(spec)).and_then(|()| self.sound.check_objects());
        checked.map_err(|error| not_read(error.to_string()))
    }

    /// The present head of a revision, whose branch may have moved; `None` when the branch is gone.
    pub fn head_of(&self, revision: &Revision) -> Option<Head> {
        let commit = match &revision.branch {
            None => revision.commit.clone(),
            Some(name) => {
                let repo = self.inner.to_thread_local();
                let mut reference = repo.try_find_reference(name.as_str()).ok()??;
                reference.peel_to_commit().ok()?.id().to_hex().to_string()
            }
        };
        Some(Head { branch: revision.branch.clone(), commit: Some(commit), is_of_commit: true })
    }

    /// Whether there is a commit with this id.
    pub fn has_commit(&self, commit: &str) -> bool {
        let repo = self.inner.to_thread_local();
        ObjectId::from_hex(commit.as_bytes()).is_ok_and(|id| repo.has_object(id))
    }

    /// Whether there is a branch with this full name. If the branches cannot be read, the answer is true, so that no
    /// caller concludes that a branch is gone.
    pub fn has_reference(&self, name: &str) -> bool {
        self.inner.to_thread_local().try_find_reference(name).map_or(true, |found| found.is_some())
    }

    /// The short names of the local branches, the remote branches and the tags, in this order. Names that cannot be read
    /// are missing.
    pub fn revision_names(&self) -> Vec<String> {
        let repo = self.inner.to_thread_local();
        let mut names: Vec<String> = Vec::new();
        if let Ok(references) = repo.references() {
            let all = [references.local_branches(), references.remote_branches(), references.tags()];
            for reference in all.into_iter().flatten().flatten().flatten() {
                names.push(reference.name().shorten().to_str_lossy().into_owned());
            }
        }
        names
    }

    /// The error for an unknown revision `spec`.
    pub fn unknown(&self, spec: &str) -> RevisionError {
        let mut names = self.revision_names();
        names.sort_by_key(|name| strsim::damerau_levenshtein(name, spec));
        names.dedup();
        let is_like =
            |name: &String| strsim::damerau_levenshtein(name, spec) <= name.len().max(spec.len()) / 2;
        if names.iter().any(is_like) {
            names.retain(is_like);
        }
        names.truncate(OFFERED);
        RevisionError::Unknown { spec: spec.to_string(), top: self.top.clone(), near: names }
    }

    /// The tree of a commit, to be searched below the path that `root` has in the worktree.
    pub fn tree_of(&self, spec: &str, commit: &str, root: &Path) -> Result<CommitTree, RevisionError> {
        let folder = || {
            let root = std::fs::canonicalize(root).ok()?;
            RelPath::from_path(root.strip_prefix(&self.top).ok()?).ok()
        };
        let prefix = folder().ok_or_else(|| RevisionError::NoRepository {
            spec: spec.to_string(),
            root: root.to_path_buf(),
            why: None,
        })?;
        self.tree_below(spec, commit, prefix)
    }

    /// The tree of a commit below `prefix`, a folder of the commit that the worktree need not have.
    pub fn tree_below(&self, spec: &str, commit: &str, prefix: RelPath) -> Result<CommitTree, RevisionError> {
        self.sound
            .check_objects()
            .map_err(|error| RevisionError::NotRead { spec: spec.to_string(), reason: error.to_string() })?;
        let repo = self.inner.to_thread_local();
        let id = ObjectId::from_hex(commit.as_bytes()).map_err(|error| no_commit(spec, error))?;
        let found = repo.find_commit(id).map_err(|error| no_commit(spec, error))?;
        let top = found.tree_id().map_err(|error| no_commit(spec, error))?.detach();
        let tree = CommitTree {
            inner: self.inner.clone(),
            commit: commit.to_string(),
            top,
            prefix,
            folders: RwLock::default(),
            idle: Mutex::default(),
        };
        match tree.list(&tree.prefix) {
            Ok(_) => Ok(tree),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(RevisionError::NoFolder { spec: spec.to_string(), folder: tree.prefix.clone() })
            }
            Err(error) => Err(no_commit(spec, error)),
        }
    }
}

fn no_commit(spec: &str, reason: impl std::fmt::Display) -> RevisionError {
    RevisionError::NoCommit { spec: spec.to_string(), reason: reason.to_string() }
}

/// The size of the largest folder object that is read. The object of a folder with a million files is half as large.
const MAX_FOLDER_BYTES: u64 = 64 << 20;

/// The tree of a commit. Listed folders are cached, since files are looked up by their paths repeatedly. Folders that
/// are the same object are cached once.
pub struct CommitTree {
    inner: gix::ThreadSafeRepository,
    commit: String,
    top: ObjectId,
    prefix: RelPath,
    folders: RwLock<CommitFolders>,
    /// Repository handles that no thread uses at the moment.
    idle: Mutex<Vec<gix::Repository>>,
}

#[derive(Default)]
struct CommitFolders {
    by_path: FxHashMap<RelPath, Arc<TreeFolder>>,
    by_id: FxHashMap<ObjectId, Arc<TreeFolder>>,
}

impl CommitTree {
    pub fn commit(&self) -> &str {
        &self.commit
    }

    fn with<T>(&self, work: impl FnOnce(&gix::Repository) -> T) -> T {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let repo = idle.unwrap_or_else(|| self.inner.to_thread_local());
        let result = work(&repo);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(repo);
        result
    }

    fn folder(&self, id: ObjectId) -> io::Result<TreeFolder> {
        self.with(|repo| {
            let bytes = repo.find_header(id).map_err(missing)?.size();
            if bytes > MAX_FOLDER_BYTES {
                let text =
                    format!("the folder has {bytes} bytes in git, above the limit of {MAX_FOLDER_BYTES}");
                return Err(io::Error::other(text));
            }
            let object = repo.find_object(id).map_err(missing)?;
            let tree = gix::objs::TreeRef::from_bytes(&object.data, id.kind()).map_err(io::Error::other)?;
            let mut entries = Vec::with_capacity(tree.entries.len());
            for entry in &tree.entries {
                let kind = match entry.mode.kind() {
                    EntryKind::Tree => TreeKind::Folder,
                    EntryKind::Blob | EntryKind::BlobExecutable => TreeKind::File,
                    EntryKind::Link => TreeKind::Link,
                    EntryKind::Commit => TreeKind::Submodule,
                };
                let id = entry.oid.as_bytes().try_into().map_err(io::Error::other)?;
                entries.push(TreeEntry { name: os_string(entry.filename), kind, id: BlobId(id) });
            }
            Ok(TreeFolder::new(entries))
        })
    }
}

impl Tree for CommitTree {
    fn prefix(&self) -> &RelPath {
        &self.prefix
    }

    fn list(&self, folder: &RelPath) -> io::Result<Arc<TreeFolder>> {
        let known = self.folders.read().unwrap_or_else(PoisonError::into_inner).by_path.get(folder).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let id = if folder.as_str().is_empty() {
            self.top
        } else {
            let entry = self.find(folder)?;
            if entry.kind != TreeKind::Folder {
                return Err(io::ErrorKind::NotFound.into());
            }
            object_id(entry.id)
        };
        let known = self.folders.read().unwrap_or_else(PoisonError::into_inner).by_id.get(&id).cloned();
        let listed = known.map_or_else(|| self.folder(id).map(Arc::new), Ok)?;
        let mut folders = self.folders.write().unwrap_or_else(PoisonError::into_inner);
        folders.by_path.insert(folder.clone(), Arc::clone(&listed));
        folders.by_id.insert(id, Arc::clone(&listed));
        Ok(listed)
    }

    fn size(&self, entry: &TreeEntry) -> io::Result<u64> {
        self.with(|repo| Ok(repo.find_header(object_id(entry.id)).map_err(missing)?.size()))
    }

    fn read(&self, entry: &TreeEntry) -> io::Result<Vec<u8>> {
        self.with(|repo| Ok(repo.find_object(object_id(entry.id)).map_err(missing)?.detach().data))
    }
}

fn object_id(id: BlobId) -> ObjectId {
    ObjectId::Sha1(id.0)
}

/// The error for an object that a partial clone lacks. This is not `NotFound`, because the tree does contain the file.
fn missing(error: impl std::fmt::Display) -> io::Error {
    io::Error::other(format!("git cannot read it: {error}"))
}

#[cfg(unix)]
fn os_string(name: &gix::bstr::BStr) -> OsString {
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(name.to_vec())
}

#[cfg(not(unix))]
fn os_string(name: &gix::bstr::BStr) -> OsString {
    name.to_str_lossy().into_owned().into()
}
