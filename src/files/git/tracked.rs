//! The files that git tracks.

use std::sync::OnceLock;

use gix::bstr::BStr;

use super::sound::{MAX_OBJECT_BYTES, Sound};
use spyhop_base::path::RelPath;

/// The files that git tracks, as its index lists them. The index is read on first use, and then kept.
pub struct Tracked {
    pub(super) inner: gix::ThreadSafeRepository,
    pub(super) sound: Sound,
    /// The path from the top to the root, empty or with `/` at its end.
    pub(super) prefix: String,
    /// The index; `None` inside if there is none or it cannot be read.
    pub(super) index: OnceLock<Option<gix::index::File>>,
    /// Whether everything is tracked, as in a commit.
    pub(super) is_all: bool,
}

impl Tracked {
    /// Whether git tracks the file at `path` or, if `path` is a directory, anything below it. A submodule itself is
    /// tracked; its content belongs to the other repository.
    pub fn contains(&self, path: &RelPath, is_dir: bool) -> bool {
        if self.is_all {
            return true;
        }
        let Some(index) = self.index.get_or_init(|| self.load()) else {
            return false;
        };
        let mut path = format!("{}{path}", self.prefix);
        let is_entry = |path: &str| index.entry_index_by_path(path.into()).is_ok();
        if !is_dir {
            // A submodule's entry has the path of a directory; a file at that path is not tracked.
            return index
                .entry_range(path.as_str().into())
                .is_some_and(|range| index.entries()[range].iter().any(|entry| !entry.mode.is_submodule()));
        }
        if path.is_empty() {
            return !index.entries().is_empty();
        }
        if is_entry(&path) {
            return true;
        }
        if !path.ends_with('/') {
            path.push('/');
        }
        // Entries are sorted by the bytes of their paths, so the first entry below is where the path with its `/` would
        // be. A sparse index has that very path in place of everything below.
        match index.entry_index_by_path(path.as_str().into()) {
            Ok(_) => true,
            Err(at) => index.entries().get(at).is_some_and(|entry| {
                let found: &BStr = entry.path(index);
                found.starts_with(path.as_bytes())
            }),
        }
    }

    /// The index; `None` if there is none or it cannot be read.
    pub(super) fn load(&self) -> Option<gix::index::File> {
        if let Err(error) = self.sound.check_index() {
            tracing::warn!("the index is not read: {error}");
            return None;
        }
        let repo = self.inner.to_thread_local();
        let path = repo.index_path();
        let options =
            gix::index::decode::Options { alloc_limit_bytes: Some(MAX_OBJECT_BYTES), ..Default::default() };
        // Like git, which leaves the checksum to fsck: verifying the checksum takes longer than reading the entries.
        let index = gix::index::File::at(&path, repo.object_hash(), true, options);
        index.inspect_err(|error| tracing::debug!("no index at {}: {error}", path.display())).ok()
    }
}
