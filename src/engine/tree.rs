//! The tree that an engine searches: a folder, a revision of its repository, or the files of a host; with its present
//! commit, the source of its files, and what git knows of them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::api::{GitReach, Options};
use super::hosted::HostedFiles;
use super::lock::lock;
use super::open_index::Viewed;
use crate::error::Error;
use spyhop_base::path::RelPath;
use spyhop_files::confined::{LinkReach, RootFolder};
use spyhop_files::git::{CommitTree, Head, Repo, Revision, RevisionError, Tracked};
use spyhop_files::gitdir::GitFolders;
use spyhop_files::read::{self, TreeSource};
use spyhop_files::tree::TreeKind;
use spyhop_index::workspace::Settings;

/// The tree that an engine searches.
pub(crate) struct SearchedTree {
    root: PathBuf,
    settings: Settings,
    git_reach: GitReach,
    repo: Option<Repo>,
    /// Why the repository cannot be used, if there is one that cannot be read.
    no_repo: Option<String>,
    /// The revision that is searched instead of the worktree.
    revision: Option<Revision>,
    /// The files that a host provides instead of a folder.
    hosted: Option<HostedFiles>,
    /// The tree of the commit that was read last.
    commit_tree: Mutex<Option<Arc<CommitTree>>>,
}

impl SearchedTree {
    /// The worktree at `root`, with the repository around it, or why that cannot be used.
    pub fn of_folder(root: PathBuf, repo: Result<Option<Repo>, String>, options: &Options) -> SearchedTree {
        let (repo, no_repo) = match repo {
            Ok(repo) => (repo, None),
            Err(why) => (None, Some(why)),
        };
        SearchedTree::new(root, options, repo, no_repo, None)
    }

    /// The files of a host. `root` is an empty folder that stands for their root.
    pub fn of_host(root: PathBuf, hosted: HostedFiles, options: &Options) -> SearchedTree {
        SearchedTree::new(root, options, None, None, Some(hosted))
    }

    fn new(
        root: PathBuf,
        options: &Options,
        repo: Option<Repo>,
        no_repo: Option<String>,
        hosted: Option<HostedFiles>,
    ) -> SearchedTree {
        let settings = Settings {
            hidden: options.hidden,
            max_file_bytes: options.max_file_bytes,
            no_ignore: options.no_ignore,
            no_built_in: options.no_built_in,
            secrets: options.secrets,
        };
        let (git_reach, commit_tree) = (options.git_reach.clone(), Mutex::default());
        SearchedTree { root, settings, git_reach, repo, no_repo, revision: None, hosted, commit_tree }
    }

    /// Searches the revision `spec` instead of the worktree.
    pub fn search_revision(&mut self, spec: &str) -> Result<(), Error> {
        self.revision = Some(self.named_revision(spec)?.1);
        // Opening the engine fails if the tree of the revision cannot be read.
        self.source_now(&self.head()).map(drop)
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What is indexed of the tree.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn git_reach(&self) -> &GitReach {
        &self.git_reach
    }

    pub fn repo(&self) -> Option<&Repo> {
        self.repo.as_ref()
    }

    /// The files that a host provides instead of a folder.
    pub fn hosted(&self) -> Option<&HostedFiles> {
        self.hosted.as_ref()
    }

    /// The warning about a repository that cannot be used.
    pub fn unused_repository(&self) -> Option<String> {
        self.no_repo.as_ref().map(|why| format!("the git repository is not used: {why}"))
    }

    /// The files that git tracks.
    pub fn tracked(&self) -> Option<Tracked> {
        self.repo.as_ref().map(|repo| match self.revision {
            Some(_) => repo.all_tracked(),
            None => repo.tracked_below(&self.root),
        })
    }

    /// The checked-out head, or the commit that the options name.
    pub fn head(&self) -> Head {
        let Some((repo, revision)) = self.repo_and_revision() else {
            return self.repo.as_ref().map(Repo::head).unwrap_or_default();
        };
        // A branch that was deleted meanwhile has no commit.
        let gone = || Head { branch: revision.branch.clone(), commit: None, is_of_commit: true };
        repo.head_of(revision).unwrap_or_else(gone)
    }

    /// The source of the files of [`SearchedTree::head`].
    pub fn source_now(&self, head: &Head) -> Result<TreeSource, Error> {
        if let Some(hosted) = &self.hosted {
            return Ok(TreeSource::Tree(hosted.now().tree.clone()));
        }
        let Some((repo, revision)) = self.repo_and_revision() else {
            return Ok(TreeSource::Folder(RootFolder::new(&self.root)));
        };
        let commit = head.commit.as_ref().ok_or_else(|| repo.unknown(&revision.spec))?;
        Ok(TreeSource::Tree(self.tree_of(repo, &revision.spec, commit)?))
    }

    /// The source of the files of a view: the commit that was indexed, or the worktree.
    pub fn source_of(&self, viewed: Viewed<'_>) -> Result<TreeSource, Error> {
        if let Some(hosted) = &self.hosted {
            // The tree as it was when the view was indexed, if that is known, or as it is now.
            return Ok(TreeSource::Tree(hosted.tree_of(&viewed.token())));
        }
        match (self.repo_and_revision(), &viewed.info().commit) {
            (Some((repo, revision)), Some(commit)) if viewed.key.is_of_commit() => {
                Ok(TreeSource::Tree(self.tree_of(repo, &revision.spec, commit)?))
            }
            _ => Ok(TreeSource::Folder(RootFolder::new(&self.root))),
        }
    }

    fn repo_and_revision(&self) -> Option<(&Repo, &Revision)> {
        Some((self.repo.as_ref()?, self.revision.as_ref()?))
    }

    fn tree_of(&self, repo: &Repo, spec: &str, commit: &str) -> Result<Arc<CommitTree>, RevisionError> {
        let mut cached = lock(&self.commit_tree);
        if let Some(tree) = cached.as_ref().filter(|tree| tree.commit() == commit) {
            return Ok(Arc::clone(tree));
        }
        let tree = Arc::new(repo.tree_of(spec, commit, &self.root)?);
        *cached = Some(Arc::clone(&tree));
        Ok(tree)
    }

    /// Resolves the name of a revision, in the repository of the tree.
    pub fn named_revision(&self, spec: &str) -> Result<(&Repo, Revision), Error> {
        let spec = spec.trim();
        let Some(repo) = &self.repo else {
            let root = self.root.clone();
            let (spec, why) = (spec.to_string(), self.no_repo.clone());
            return Err(RevisionError::NoRepository { spec, root, why }.into());
        };
        Ok((repo, repo.revision(spec)?))
    }

    /// The revision that is searched instead of the worktree, as named in the options.
    pub fn view(&self) -> Option<&str> {
        self.revision.as_ref().map(|revision| revision.spec.as_str())
    }

    /// Whether the name of the view still has the meaning from when the engine was opened. The commit of a branch is
    /// looked up for each answer; any other name is resolved only once. True if the worktree is searched.
    pub fn view_holds(&self) -> bool {
        let holds = |(repo, then): (&Repo, &Revision)| {
            let is_same = |now: Revision| {
                now.branch == then.branch && (now.branch.is_some() || now.commit == then.commit)
            };
            repo.revision(&then.spec).is_ok_and(is_same)
        };
        self.repo_and_revision().is_none_or(holds)
    }

    /// Checks that `path` exists.
    pub fn check_path(&self, path: &str) -> Result<(), Error> {
        let path = RelPath::new(path)?;
        let (is_there, place) = match (self.source_now(&self.head())?, self.view()) {
            (TreeSource::Tree(tree), view) => {
                let is_there = |entry: spyhop_files::tree::TreeEntry| {
                    matches!(entry.kind, TreeKind::File | TreeKind::Folder)
                };
                (
                    path.as_str().is_empty()
                        || tree.find(&tree.path_in_repository(&path)).is_ok_and(is_there),
                    view.unwrap_or("the tree of the host").to_string(),
                )
            }
            _ => (path.below(&self.root).exists(), self.root.display().to_string()),
        };
        match is_there {
            true => Ok(()),
            false => Err(Error::bad(format!("path '{path}' does not exist in '{place}'"))),
        }
    }

    /// Refuses an operation that only a worktree supports.
    pub fn only_of_worktrees(&self, what: &str) -> Result<(), Error> {
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

    /// Whether the tree has a regular file at `path` now.
    pub fn has_file(&self, path: &RelPath) -> bool {
        match &self.hosted {
            Some(hosted) => read::entry_of(&*hosted.now().tree, path).is_ok(),
            None => RootFolder::following(&self.root, LinkReach::Inside).has_file(path),
        }
    }

    /// Whether the files are those of a folder, as they are now.
    pub fn is_of_folder(&self) -> bool {
        self.view().is_none() && self.hosted.is_none()
    }

    /// Refuses an operation that is about a folder.
    pub fn only_of_folders(&self, what: &str) -> Result<(), Error> {
        match self.hosted {
            None => Ok(()),
            Some(_) => Err(Error::bad(format!(
                "{what} is about a folder, and this engine's files come from its host"
            ))),
        }
    }

    /// Refuses a path in a git directory, if the clients of a server are not to read it.
    pub fn check_served(&self, path: &RelPath) -> Result<(), Error> {
        match self.git_folders().is_some_and(|mut folders| folders.contain(path.as_str())) {
            true => Err(Error::in_git_folder("path", path.as_str())),
            false => Ok(()),
        }
    }

    /// The git directories in the tree, if the clients of a server are not to read them: a configuration may hold a token.
    pub fn git_folders(&self) -> Option<GitFolders> {
        matches!(self.git_reach, GitReach::Within(_)).then(|| GitFolders::of(&self.root))
    }

    /// Forgets the tree of the commit that was read last.
    pub fn release(&self) {
        let tree = lock(&self.commit_tree).take();
        // Dropped when the lock is not held.
        drop(tree);
    }
}
