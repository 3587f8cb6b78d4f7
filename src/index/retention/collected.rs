//! The options and the result of a collection.

use std::path::PathBuf;

use serde::{Serialize, Serializer};

use super::neighbours::{IndexHome, Neighbour};
use crate::meta::ViewKey;
use spyhop_base::id::Generation;
use spyhop_base::wire::Wire;
use spyhop_base::wire_form;

/// The options of a collection.
#[derive(Clone, Debug, Default)]
pub struct Collection {
    /// Whether to report only what would be dropped.
    pub dry_run: bool,
    /// The space target: the most bytes that all indexes may take.
    pub max_bytes: Option<u64>,
    /// The folder with the indexes of other trees; `None` if this index does not lie in such a folder.
    pub home: Option<IndexHome>,
}

/// The space target of a collection and the space before and after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpaceTarget {
    /// The bytes that were allowed.
    pub max_bytes: u64,
    /// Bytes of all indexes before.
    pub before: u64,
    /// Bytes of all indexes after; an estimate if nothing was removed.
    pub after: u64,
}

/// Why a view is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum DropReason {
    /// The view cannot be read.
    Damaged,
    /// The worktree is gone, or belongs to another repository now.
    NoWorktree,
    /// The branch is gone.
    NoBranch,
    /// The view is of a commit that was checked out directly (a detached head) and no longer is.
    Detached,
    /// The commit is gone.
    NoCommit,
    /// The view belongs to an update that never ended.
    Unfinished,
    /// Other views were used more recently, and the index has reached its budget.
    Budget,
    /// Other views were used more recently, and the indexes are to take less space.
    SpaceTarget,
}

impl DropReason {
    /// The reason in a few words.
    pub fn text(self) -> &'static str {
        match self {
            DropReason::Damaged => "it cannot be read",
            DropReason::NoWorktree => "its folder is gone",
            DropReason::NoBranch => "its branch is gone",
            DropReason::Detached => "that commit is no longer checked out",
            DropReason::NoCommit => "its commit is gone",
            DropReason::Unfinished => "its update never ended",
            DropReason::Budget => "it was not used for long and would make the index too large",
            DropReason::SpaceTarget => "it is the longest unused, and the indexes are to take less",
        }
    }
}

/// A view that is dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Dropped {
    /// The root of the worktree.
    pub root: String,
    /// The branch or commit that was checked out there, or that the view is of.
    pub head: String,
    /// Whether the view is of a commit and not of the worktree.
    #[serde(rename = "committed", skip_serializing_if = "std::ops::Not::not")]
    pub is_of_commit: bool,
    /// The reason.
    #[serde(serialize_with = "text")]
    #[cfg_attr(feature = "schema", schemars(with = "&'static str"))]
    pub why: DropReason,
}

impl Dropped {
    pub(super) fn new(key: &ViewKey, why: DropReason) -> Dropped {
        let (root, head) = (key.root.clone(), key.head.shown());
        Dropped { root, head, is_of_commit: key.is_of_commit(), why }
    }
}

/// The result of a collection, or of a dry run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Collected {
    /// The current generation.
    pub generation: Generation,
    /// The dropped views.
    pub dropped: Vec<Dropped>,
    /// How many file versions were dropped with the views.
    pub versions: usize,
    /// Removed folders of data in another format, or for other parsers.
    pub others: Vec<PathBuf>,
    /// Folders of damaged data. A collection never deletes them.
    pub aside: Vec<PathBuf>,
    /// Bytes of the index folder before the collection.
    pub bytes_before: u64,
    /// Bytes of the index folder after the collection.
    pub bytes_after: u64,
    /// The number of segments before the collection.
    pub segments_before: usize,
    /// The number of segments after the collection.
    pub segments_after: usize,
    /// Indexes of other trees that were removed to reach the space target.
    pub neighbours: Vec<Neighbour>,
    /// Indexes of other trees that would have been removed, but are being changed or watched.
    pub busy: Vec<PathBuf>,
    /// The space target and its result, if one was requested.
    pub room: Option<SpaceTarget>,
}

impl Collected {
    /// Bytes of this index that were freed so far.
    pub(super) fn given_back(&self) -> u64 {
        self.bytes_before.saturating_sub(self.bytes_after)
    }
}

/// Serializes a reason as its text.
fn text<S: Serializer>(why: &DropReason, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(why.text())
}

wire_form!(Collected as CollectedForm);

/// How a [`Collected`] is serialized: what belongs to the space target is in one object.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct CollectedForm<'r> {
    /// The current generation.
    generation: Generation,
    /// The dropped views.
    views: &'r [Dropped],
    /// How many file versions were dropped with the views.
    versions: usize,
    /// Removed folders of data in another format, or for other parsers.
    other_formats: Vec<String>,
    /// Folders of damaged data.
    damaged: Vec<String>,
    /// Bytes of the index folder before the collection.
    bytes_before: u64,
    /// Bytes of the index folder after the collection.
    bytes_after: u64,
    /// The number of segments before the collection.
    segments_before: usize,
    /// The number of segments after the collection.
    segments_after: usize,
    /// The space target and its result, if one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    room: Option<RoomForm<'r>>,
}

/// A space target and its result.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct RoomForm<'r> {
    /// The bytes that were allowed.
    max_bytes: u64,
    /// Bytes of all indexes before.
    bytes_before: u64,
    /// Bytes of all indexes after; an estimate if nothing was removed.
    bytes_after: u64,
    /// Whether the indexes take no more than the allowed bytes.
    fits: bool,
    /// Indexes of other trees that were removed.
    indexes: &'r [Neighbour],
    /// Indexes of other trees that are being changed or watched.
    busy: Vec<String>,
}

impl<'r> CollectedForm<'r> {
    fn new(collected: &'r Collected) -> CollectedForm<'r> {
        let room = |room: SpaceTarget| RoomForm {
            max_bytes: room.max_bytes,
            bytes_before: room.before,
            bytes_after: room.after,
            fits: room.after <= room.max_bytes,
            indexes: &collected.neighbours,
            busy: collected.busy.form(),
        };
        CollectedForm {
            generation: collected.generation,
            views: &collected.dropped,
            versions: collected.versions,
            other_formats: collected.others.form(),
            damaged: collected.aside.form(),
            bytes_before: collected.bytes_before,
            bytes_after: collected.bytes_after,
            segments_before: collected.segments_before,
            segments_after: collected.segments_after,
            room: collected.room.map(room),
        }
    }
}
