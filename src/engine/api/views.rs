//! The plain data of the views in an index.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use spyhop_index::meta::{ViewInfo, ViewKey};
use spyhop_index::retention::Cost;

/// A view of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ViewRow {
    /// The root of the worktree.
    pub root: String,
    /// The branch, or `@` with a commit if no branch is checked out; empty outside git.
    pub head: String,
    /// Whether the view has the files of a commit; otherwise the view has the files of a worktree.
    pub is_of_commit: bool,
    /// The number of files.
    pub files: usize,
    /// When the view was last written.
    pub updated_at: SystemTime,
    /// Whether the view is staged: the progress of an unfinished update.
    pub staged: bool,
}

impl ViewRow {
    pub(crate) fn new(key: &ViewKey, info: &ViewInfo) -> ViewRow {
        ViewRow {
            root: key.root.clone(),
            head: key.head.shown(),
            is_of_commit: key.is_of_commit(),
            files: info.files as usize,
            updated_at: UNIX_EPOCH + Duration::from_secs(info.used),
            staged: key.staged,
        }
    }
}

/// The views of an index, with sizes.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ViewsReply {
    /// The folder of the index.
    pub index_path: PathBuf,
    /// The size of the index in bytes.
    pub index_bytes: u64,
    /// The folder that contains this index and the indexes of other trees; `None` if the options name a folder for this
    /// index only.
    pub home: Option<PathBuf>,
    /// The size of that folder in bytes.
    pub home_bytes: Option<u64>,
    /// The views, the most recently used first.
    pub views: Vec<KeptView>,
}

/// A view, with its cost.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct KeptView {
    /// The view.
    pub view: ViewRow,
    /// The commit that was checked out when the view was last written, or the commit whose files the view has.
    pub commit: Option<String>,
    /// When the view last answered or was written.
    pub last_used: SystemTime,
    /// Whether the view is that of this engine.
    pub is_current: bool,
    /// The space that removing only this view would free.
    pub cost: Cost,
}
