//! Archives of an index: exporting a commit's view into one file, and importing such a file as the index of a tree
//! elsewhere.
//!
//! Export pins a commit, extracts the view of the checked-out head, and writes an archive ([`mod@file`]). Import trusts
//! nothing in an archive before it is checked, unpacks it beside the existing index, and makes it the index in one
//! step, at the commit point that every update has. The stat data of the exporting machine prove nothing here and are
//! left out: after an import every file is hashed, and parsed only if its content differs from the archive's.

mod error;
mod export;
mod file;
mod import;
mod layout;

pub use error::ArchiveError;
pub use export::{Export, Exported};
pub use import::{Import, Imported};

#[cfg(test)]
mod crashes;
#[cfg(test)]
mod tests;
