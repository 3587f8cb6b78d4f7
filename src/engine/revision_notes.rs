//! The revision notes of a tree: their place, the notes as they were read last, and the renames that were followed for
//! their links.

use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

use super::lock::lock;
use spyhop_base::path::RelPath;
use spyhop_context::memory::{MemoryError, NotePlace, NoteStamp, NoteTerms, Notebook};
use spyhop_index::tokenize::Tokenizers;

/// The revision notes of a tree.
pub(crate) struct RevisionNotes {
    place: NotePlace,
    cache: Mutex<MemoryCache>,
}

/// The notes that were read, and the renames that were followed.
#[derive(Default)]
struct MemoryCache {
    known: Option<(NoteStamp, Arc<KnownNotes>)>,
    /// By newest commit, older commit and path: the path in the newest commit.
    followed: FxHashMap<FollowedKey, Option<RelPath>>,
}

/// The newest commit, an older commit, and a path in it.
pub(super) type FollowedKey = (String, String, RelPath);

/// The most renames that are remembered.
const MAX_FOLLOWED: usize = 10_000;

impl RevisionNotes {
    /// The notes at `place`, which are read when they are needed.
    pub fn new(place: NotePlace) -> RevisionNotes {
        RevisionNotes { place, cache: Mutex::default() }
    }

    /// The place of the notes.
    pub fn place(&self) -> &NotePlace {
        &self.place
    }

    /// Whether the tree has had a note.
    pub fn are_there(&self) -> bool {
        self.place.stamp().is_some()
    }

    /// The notes; `None` if the tree has none. They are read anew when their log has changed.
    pub fn known(&self, tokenizers: &Tokenizers) -> Result<Option<Arc<KnownNotes>>, MemoryError> {
        let Some(stamp) = self.place.stamp() else { return Ok(None) };
        let mut cache = lock(&self.cache);
        if let Some((known_stamp, known)) = &cache.known
            && *known_stamp == stamp
        {
            return Ok(Some(Arc::clone(known)));
        }
        let notebook = self.place.read()?;
        let mut tokenizer = tokenizers.take();
        let terms = notebook.notes.iter().map(|note| NoteTerms::new(note, &mut tokenizer)).collect();
        let known = Arc::new(KnownNotes { notebook, terms });
        cache.known = Some((stamp, Arc::clone(&known)));
        Ok(Some(known))
    }

    /// Where a file is now, if the file was followed before.
    pub fn followed(&self, key: &FollowedKey) -> Option<Option<RelPath>> {
        lock(&self.cache).followed.get(key).cloned()
    }

    /// Remembers where a file is now.
    pub fn remember(&self, key: FollowedKey, path: Option<RelPath>) {
        let mut cache = lock(&self.cache);
        if cache.followed.len() >= MAX_FOLLOWED {
            cache.followed.clear();
        }
        cache.followed.insert(key, path);
    }

    /// Forgets the notes that were read and the renames that were followed.
    pub fn release(&self) {
        let kept = std::mem::take(&mut *lock(&self.cache));
        // Dropped when the lock is not held.
        drop(kept);
    }
}

/// Notes with their words.
pub(crate) struct KnownNotes {
    pub(super) notebook: Notebook,
    pub(super) terms: Vec<NoteTerms>,
}
