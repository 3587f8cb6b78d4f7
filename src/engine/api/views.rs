//! The plain data of the views that an index keeps.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::Cost;
use crate::meta::{ViewInfo, ViewKey};

/// A worktree and branch that an index holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewRow {
    /// The worktree.
    pub root: String,
    /// Its branch, `@` and a commit where there is none, or nothing outside git.
    pub head: String,
    /// Whether its files are those of the commit and not those of the worktree.
    pub is_committed: bool,
    /// How many files it holds.
    pub files: usize,
    /// When it was last written.
    pub used: SystemTime,
    /// Whether it is an update that has not ended.
    pub staged: bool,
}

impl ViewRow {
    pub(in crate::engine) fn new(key: &ViewKey, info: &ViewInfo) -> ViewRow {
        ViewRow {
            root: key.root.clone(),
            head: key.shown().to_string(),
            is_committed: key.is_committed(),
            files: info.files as usize,
            used: UNIX_EPOCH + Duration::from_secs(info.used),
            staged: key.staged,
        }
    }
}

/// What an index keeps.
#[derive(Clone, Debug)]
pub struct ViewsReply {
    /// Where the index lies.
    pub index_path: PathBuf,
    /// Its bytes.
    pub index_bytes: u64,
    /// The folder that holds it beside the indexes of other trees; `None` where it lies by itself.
    pub home: Option<PathBuf>,
    /// The bytes of all of these.
    pub home_bytes: Option<u64>,
    /// The views, the last used first.
    pub views: Vec<KeptView>,
}

/// A view, with what it costs.
#[derive(Clone, Debug)]
pub struct KeptView {
    /// Which one.
    pub view: ViewRow,
    /// The commit that was checked out when it was last written, or that it is of.
    pub commit: Option<String>,
    /// When it last answered or was written.
    pub used: SystemTime,
    /// Whether it is what the engine answers from.
    pub is_current: bool,
    /// What it costs beyond the others: what would be given back if it alone went.
    pub cost: Cost,
}
