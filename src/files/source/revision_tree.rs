//! The tree of a git revision as a source.

use std::io;
use std::path::Path;

use super::content_id::ContentId;
use super::source_tree::{SourceEntry, SourceTree};
use crate::git::{self, CommitTree};
use crate::tree::{Tree, TreeKind};
use spyhop_base::path::RelPath;

/// The files of a git revision as git stores them. Nothing is checked out. The revision is resolved once, so the tree
/// never changes. `Options::view` searches a revision in the index of its repository instead.
pub struct RevisionTree {
    tree: CommitTree,
}

impl RevisionTree {
    /// The files of the revision `spec`, a branch, a tag or a commit, in the repository around `folder`. The root of the
    /// tree is `folder`.
    ///
    /// # Errors
    /// There is no repository, or it has no such revision. The text of the error names both.
    pub fn open(folder: impl AsRef<Path>, spec: &str) -> io::Result<RevisionTree> {
        let folder = folder.as_ref().canonicalize()?;
        let repo = git::discover(&folder).ok_or_else(|| {
            let text = format!("there is no git repository around {}", folder.display());
            io::Error::new(io::ErrorKind::NotFound, text)
        })?;
        let revision = repo.revision(spec).map_err(io::Error::other)?;
        let tree = repo.tree_of(spec, &revision.commit, &folder).map_err(io::Error::other)?;
        Ok(RevisionTree { tree })
    }

    /// The id of the commit.
    pub fn commit(&self) -> &str {
        self.tree.commit()
    }

    fn path(&self, path: &str) -> io::Result<RelPath> {
        Ok(self.tree.path_in_repository(&RelPath::new(path).map_err(io::Error::other)?))
    }
}

impl SourceTree for RevisionTree {
    fn list(&self, folder: &str) -> io::Result<Vec<SourceEntry>> {
        let listed = self.tree.list(&self.path(folder)?)?;
        let entry = |entry: &crate::tree::TreeEntry| {
            let id = || ContentId(entry.id.0);
            Ok(match entry.kind {
                TreeKind::Folder => SourceEntry::folder(&entry.name),
                TreeKind::Submodule => SourceEntry::submodule(&entry.name),
                TreeKind::File => SourceEntry::file(&entry.name, self.tree.size(entry)?, id()),
                TreeKind::Link => SourceEntry::link(&entry.name, self.tree.size(entry)?, id()),
            })
        };
        listed.entries().iter().map(entry).collect()
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self.tree.read(&self.tree.find(&self.path(path)?)?)
    }

    fn version(&self) -> Option<u64> {
        Some(0)
    }
}
