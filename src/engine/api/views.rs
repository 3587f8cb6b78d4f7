//! The plain data of the views in an index.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::form::form_of;
use spyhop_attributes::{open, reply, request};
use spyhop_base::time::rfc3339;
use spyhop_base::wire::wire;
use spyhop_base::wire_form;
use spyhop_index::meta::{ViewInfo, ViewKey};
use spyhop_index::retention::Cost;

/// A view of an index.
#[reply(Clone, Debug, PartialEq, Eq)]
pub struct ViewRow {
    /// The root of the worktree.
    pub root: String,
    /// The branch, or `@` with a commit if no branch is checked out; empty outside git.
    pub head: String,
    /// Whether the view has the files of a commit; otherwise the view has the files of a worktree.
    #[serde(rename = "committed", skip_serializing_if = "std::ops::Not::not")]
    pub is_of_commit: bool,
    /// The number of files.
    pub files: usize,
    /// When the view was last written.
    #[serde(rename = "used", serialize_with = "wire")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub updated_at: SystemTime,
    /// Whether the view is staged: the progress of an unfinished update.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
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
#[reply(Clone, Debug)]
pub struct ViewsReply {
    /// The folder of the index.
    #[serde(serialize_with = "wire")]
    pub index_path: PathBuf,
    /// The size of the index in bytes.
    pub index_bytes: u64,
    /// The folder that contains this index and the indexes of other trees; `None` if the options name a folder for this
    /// index only.
    #[serde(serialize_with = "wire")]
    pub home: Option<PathBuf>,
    /// The size of that folder in bytes.
    pub home_bytes: Option<u64>,
    /// The views, the most recently used first.
    pub views: Vec<KeptView>,
}

/// A view, with its cost.
#[open(Clone, Debug)]
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

wire_form!(KeptView as KeptViewForm);

form_of! {
    /// How a [`KeptView`] is serialized.
    struct KeptViewForm<'r>(kept: &'r KeptView) {
        /// The root of the worktree.
        root: &'r str = &kept.view.root,
        /// The branch, or `@` with a commit if no branch is checked out; empty outside git.
        head: &'r str = &kept.view.head,
        /// Whether the view has the files of a commit.
        committed: bool = kept.view.is_of_commit,
        /// The commit that was checked out when the view was last written.
        commit: Option<&'r str> = kept.commit.as_deref(),
        /// Whether the view is that of the asked tree.
        current: bool = kept.is_current,
        /// Whether the view is the progress of an unfinished update.
        staged: bool = kept.view.staged,
        /// The number of files.
        files: usize = kept.view.files,
        /// When the view last answered or was written.
        used: String = rfc3339(kept.last_used),
        /// Files that no other view has.
        own_files: usize = kept.cost.files,
        /// Bytes of the sources of these files.
        own_source_bytes: u64 = kept.cost.source_bytes,
        /// Bytes of the index that removing only this view would free.
        own_bytes: u64 = kept.cost.index_bytes,
    }
}

/// Asks for the views of the index, the most recently used first. An index is never built or changed.
#[request(Clone, Copy, Debug, Default)]
pub struct ViewsRequest;
