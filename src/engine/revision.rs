//! A revision in place of the worktree: which commit is meant now, and where its files are read.

use std::sync::Arc;

use super::current::Viewed;
use super::{Engine, Error, lock};
use crate::git::{CommitTree, Head, Repo, Revision, RevisionError};
use crate::path::RelPath;
use crate::read::Ground;
use crate::tree::TreeKind;

impl Engine {
    /// What is checked out, or the commit that the options name.
    pub(super) fn head(&self) -> Head {
        let Some((repo, revision)) = self.named() else {
            return self.repo.as_ref().map(Repo::head).unwrap_or_default();
        };
        // A branch that has gone since stands nowhere.
        let gone = || Head { branch: revision.branch.clone(), commit: None, is_committed: true };
        repo.head_of(revision).unwrap_or_else(gone)
    }

    /// Where the files are read of what [`Engine::head`] is.
    pub(super) fn ground_now(&self, head: &Head) -> Result<Ground, Error> {
        let Some((repo, revision)) = self.named() else {
            return Ok(Ground::Folder(self.root().to_path_buf()));
        };
        let commit = head.commit.as_ref().ok_or_else(|| repo.unknown(&revision.spec))?;
        Ok(Ground::Tree(self.tree_of(repo, &revision.spec, commit)?))
    }

    /// Where the files are read that a view was made from, or is compared with.
    pub(super) fn ground_of(&self, viewed: Viewed<'_>) -> Result<Ground, Error> {
        match (self.named(), &viewed.info().commit) {
            (Some((repo, revision)), Some(commit)) if viewed.key.is_committed() => {
                Ok(Ground::Tree(self.tree_of(repo, &revision.spec, commit)?))
            }
            _ => Ok(Ground::Folder(self.root().to_path_buf())),
        }
    }

    fn named(&self) -> Option<(&Repo, &Revision)> {
        Some((self.repo.as_ref()?, self.revision.as_ref()?))
    }

    fn tree_of(&self, repo: &Repo, spec: &str, commit: &str) -> Result<Arc<CommitTree>, RevisionError> {
        let mut cached = lock(&self.tree);
        if let Some(tree) = cached.as_ref().filter(|tree| tree.commit() == commit) {
            return Ok(Arc::clone(tree));
        }
        let tree = Arc::new(repo.tree_of(spec, commit, self.root())?);
        *cached = Some(Arc::clone(&tree));
        Ok(tree)
    }

    /// Looks the revision up that the options name.
    pub(super) fn look_up(&mut self) -> Result<(), Error> {
        let Some(spec) = self.options.view.as_deref() else { return Ok(()) };
        let spec = spec.trim();
        let Some(repo) = &self.repo else {
            let root = self.root().to_path_buf();
            let (spec, why) = (spec.to_string(), self.no_repo.clone());
            return Err(RevisionError::NoRepository { spec, root, why }.into());
        };
        self.revision = Some(repo.revision(spec)?);
        // Whether its tree can be read is known before anything is asked of it.
        self.ground_now(&self.head())?;
        Ok(())
    }

    /// The revision that is searched in place of the worktree, as it was named.
    pub fn view(&self) -> Option<&str> {
        self.revision.as_ref().map(|revision| revision.spec.as_str())
    }

    /// Whether the view's name stands for what it stood for when this was opened: where a branch stands is looked up for
    /// each answer, what any other name stands for only once. True where the worktree is searched.
    pub fn view_holds(&self) -> bool {
        let holds = |(repo, then): (&Repo, &Revision)| {
            let is_same = |now: Revision| {
                now.branch == then.branch && (now.branch.is_some() || now.commit == then.commit)
            };
            repo.revision(&then.spec).is_ok_and(is_same)
        };
        self.named().is_none_or(holds)
    }

    /// Checks that there is something at `path` in what is searched.
    ///
    /// # Errors
    /// `BadRequest` when there is not.
    pub fn check_path(&self, path: &str) -> Result<(), Error> {
        let path = RelPath::new(path)?;
        let (is_there, place) = match (self.ground_now(&self.head())?, self.view()) {
            (Ground::Tree(tree), Some(view)) => {
                let is_there =
                    |entry: crate::tree::TreeEntry| matches!(entry.kind, TreeKind::File | TreeKind::Folder);
                (
                    path.as_str().is_empty() || tree.find(&tree.from_top(&path)).is_ok_and(is_there),
                    view.to_string(),
                )
            }
            _ => (path.below(self.root()).exists(), self.root().display().to_string()),
        };
        match is_there {
            true => Ok(()),
            false => Err(Error::bad(format!("path '{path}' does not exist in '{place}'"))),
        }
    }

    /// Refuses what only a worktree can do.
    pub(super) fn only_of_worktrees(&self, what: &str) -> Result<(), Error> {
        match self.view() {
            None => Ok(()),
            Some(view) => {
                let text = format!(
                    "{what} is about the worktree and cannot be of the view '{view}'; leave the view out"
                );
                Err(Error::bad(text))
            }
        }
    }
}
