//! A repository with a worktree: its folders, its head and its tracked files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use gix::bstr::ByteSlice;

use super::head::Head;
use super::sound::Sound;
use super::tracked::Tracked;
use spyhop_base::path::RelPath;

/// A repository with a worktree.
#[derive(Clone)]
pub struct Repo {
    pub(super) inner: gix::ThreadSafeRepository,
    pub(super) top: PathBuf,
    pub(super) sound: Sound,
}

impl Repo {
    /// The top of the worktree, without symbolic links.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// The folder with the objects and branches that all worktrees share: the `.git` of the main worktree.
    pub fn common_dir(&self) -> PathBuf {
        let repo = self.inner.to_thread_local();
        let dir = repo.common_dir();
        fs::canonicalize(dir).unwrap_or_else(|_| dir.to_path_buf())
    }

    /// The folder with the head and the index of this worktree.
    pub fn git_dir(&self) -> PathBuf {
        let dir = self.inner.to_thread_local().git_dir().to_path_buf();
        fs::canonicalize(&dir).unwrap_or(dir)
    }

    /// The checked-out head, which is read anew for each call. Empty if it cannot be read.
    pub fn head(&self) -> Head {
        if let Err(error) = self.sound.check_head() {
            tracing::warn!("cannot read the head of {}: {error}", self.top.display());
            return Head::default();
        }
        let repo = self.inner.to_thread_local();
        let head = match repo.head() {
            Ok(head) => head,
            Err(error) => {
                tracing::debug!("cannot read the head of {}: {error}", self.top.display());
                return Head::default();
            }
        };
        Head {
            branch: head.referent_name().map(|name| name.shorten().to_str_lossy().into_owned()),
            commit: head.id().map(|id| id.to_hex().to_string()),
            is_of_commit: false,
        }
    }

    /// The files that git tracks, looked up by paths relative to the top.
    pub fn tracked(&self) -> Tracked {
        let (inner, sound) = (self.inner.clone(), self.sound.clone());
        Tracked { inner, sound, prefix: String::new(), index: OnceLock::new(), is_all: false }
    }

    /// The tracked files of a commit: all of its files.
    pub fn all_tracked(&self) -> Tracked {
        Tracked { is_all: true, ..self.tracked() }
    }

    /// The files that git tracks, looked up by paths relative to `root`, a folder of the worktree. No file is tracked
    /// if `root` is outside the worktree.
    pub fn tracked_below(&self, root: &Path) -> Tracked {
        let tracked = self.tracked();
        let below = fs::canonicalize(root).ok().and_then(|root| {
            let below = RelPath::from_path(root.strip_prefix(&self.top).ok()?).ok()?;
            Some(if below.as_str().is_empty() { String::new() } else { format!("{below}/") })
        });
        match below {
            Some(prefix) => Tracked { prefix, ..tracked },
            None => Tracked { index: OnceLock::from(None), ..tracked },
        }
    }
}
