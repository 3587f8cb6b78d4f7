//! One directory as the system lists it: the names, the kinds and the stat data of its entries.
//!
//! This module owns the system calls of a walk. On Linux the calls are relative to an open directory and reuse their
//! buffers, which takes a third of the time that `std` takes to list small directories. Elsewhere `std` makes the
//! calls.

#[cfg(target_os = "linux")]
mod linux;
mod listing;
#[cfg(any(not(target_os = "linux"), test))]
#[cfg_attr(target_os = "linux", allow(dead_code, reason = "the test compares what both list"))]
mod portable;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
use portable as system;

pub(super) use listing::{Entry, EntryFailure, FolderListing, ListedKind};
pub(super) use system::Folder;

#[cfg(all(test, target_os = "linux"))]
mod tests;
