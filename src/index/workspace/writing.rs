//! The common steps of writers of an index: the lock, the check that there is a tree to compare, and the derived
//! files of segments.

use std::time::Duration;

use super::committed::Committed;
use super::error::{WorkspaceError, WriteError};
use super::folder::Workspace;
use crate::inverted;
use spyhop_base::store::{self, Lock, LockHolder};

impl Workspace {
    /// Takes the lock and claims the folder for this tree. Waits at most `timeout` for another process; `on_wait` is
    /// called while waiting, with the holder of the lock if it is known.
    pub fn lock(
        &self,
        timeout: Duration,
        on_wait: &mut dyn FnMut(Option<&LockHolder>),
    ) -> Result<Lock, WriteError> {
        self.lock_renewing(Workspace::is_certain, timeout, on_wait)
    }

    /// As [`Workspace::lock`], for a caller that replaces all data: any folder with the structure of an index is claimed
    /// if its claim was lost.
    pub(crate) fn lock_to_rebuild(
        &self,
        timeout: Duration,
        on_wait: &mut dyn FnMut(Option<&LockHolder>),
    ) -> Result<Lock, WriteError> {
        self.lock_renewing(Workspace::has_structure, timeout, on_wait)
    }

    /// Takes the lock and claims the folder. A claim that was lost is written anew if `may_renew` says so.
    fn lock_renewing(
        &self,
        may_renew: fn(&Workspace) -> bool,
        timeout: Duration,
        on_wait: &mut dyn FnMut(Option<&LockHolder>),
    ) -> Result<Lock, WriteError> {
        let check = || match self.check_owner() {
            Err(error @ WorkspaceError::LostClaim { .. }) if may_renew(self) => {
                tracing::warn!(%error, "the claim is written anew");
                Ok(())
            }
            checked => checked,
        };
        check()?;
        store::create_private_dir(self.dir())?;
        let lock = Lock::acquire(&self.lock_path(), timeout, on_wait)?;
        check()?;
        self.write_claim()?;
        Ok(lock)
    }

    /// Refuses to compare an index that was imported with its sources with a tree that is absent.
    pub(crate) fn check_has_tree(&self, committed: &Committed) -> Result<(), WriteError> {
        match committed.meta.sources() {
            Some(_) => Err(WriteError::NoSources { dir: self.dir().to_path_buf() }),
            None => Ok(()),
        }
    }

    /// Writes the trigram indexes and the vectors of the newest segments. They are derived data and belong to no commit:
    /// without trigram indexes an exact search is slower and finds the same results; without vectors the next update
    /// writes them. The caller holds the lock.
    pub(crate) fn write_derived(&self) {
        if let Err(error) = inverted::write_derived(&self.segment_dir()) {
            tracing::warn!(%error, "the derived files were not written");
        }
    }
}
