//! The table of a record file.

use serde::{Deserialize, Serialize};

use super::columns::ColumnsAt;
use super::view::{ViewInfo, ViewKey};

/// The table of a record file.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct RecordTable {
    pub versions: ColumnsAt,
    /// Versions of earlier records that no view names any more.
    pub collected: Vec<u32>,
    /// The changes of views, in the order in which they are applied.
    pub views: Vec<ViewChange>,
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct ViewChange {
    pub key: ViewKey,
    pub change: TableChange,
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) enum TableChange {
    /// The view is dropped.
    Gone,
    /// The view becomes the content of `from` with the changes of `part`; without `from` it starts empty.
    Set { info: ViewInfo, from: Option<ViewKey>, part: PartAt },
}

/// The location of the pieces of a [`ViewDelta`](super::view::ViewDelta) in the heap, one after the other.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct PartAt {
    pub at: u64,
    pub lens: [u32; 3],
}
