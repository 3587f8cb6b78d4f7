//! The notes about earlier revisions that a pack shows.

use super::run::PackRun;
use crate::engine::api::{PackFile, PackNote};

impl PackRun<'_, '_> {
    /// The notes that are related to the files of a pack. There are none without a memory of revisions.
    pub(super) fn related_notes(&self, _files: &[PackFile]) -> Vec<PackNote> {
        Vec::new()
    }
}
