//! The notes that an engine has read, and the renames that it has followed.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use spyhop_base::path::RelPath;
use spyhop_context::memory::{NoteStamp, NoteTerms, Notebook};

/// The notes that an engine has read, and renames that it has followed.
#[derive(Default)]
pub(crate) struct MemoryCache {
    pub(super) known: Option<(NoteStamp, Arc<KnownNotes>)>,
    /// By newest commit, older commit and path: the path in the newest commit.
    pub(super) followed: FxHashMap<FollowedKey, Option<RelPath>>,
}

/// The newest commit, an older commit, and a path in it.
pub(super) type FollowedKey = (String, String, RelPath);

/// The most renames that are remembered.
const MAX_FOLLOWED: usize = 10_000;

impl MemoryCache {
    /// Remembers where a file is now.
    pub(super) fn remember(&mut self, key: FollowedKey, path: Option<RelPath>) {
        if self.followed.len() >= MAX_FOLLOWED {
            self.followed.clear();
        }
        self.followed.insert(key, path);
    }
}

/// Notes with their words.
pub(crate) struct KnownNotes {
    pub(super) notebook: Notebook,
    pub(super) terms: Vec<NoteTerms>,
}
