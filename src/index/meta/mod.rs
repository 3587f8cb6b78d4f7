//! The metadata: which file versions exist, which of them each view holds, and what is recorded about each.
//!
//! ```text
//! meta/g000000012.base    all file versions and views as of generation 12
//! meta/g000000013.delta   what generation 13 changed
//! ```
//!
//! A record file is an [`Envelope`](spyhop_base::store::Envelope): a small table (serde, postcard) that is read whole, and a
//! heap of outlines, uses and details, one of each for each file version, of columns ([`columns`]) with a row for each version, and of parts of
//! views. Columns are read from the mapped file, so opening costs next to nothing; a view costs nothing until it is
//! requested. A commit names its records in its payload ([`Commit`]); records that no kept commit names are garbage.
//! Deltas are folded into a new base when they outgrow it.
//!
//! There is a view for each worktree and branch, and one for each update that has not ended. Stat data belongs to a
//! view, because two worktrees of one repository hold the same version with different times. Everything else belongs to
//! the version: (path, content hash).

mod columns;
mod commit;
mod details;
mod error;
mod head;
mod identity;
mod metadata;
mod outline;
mod record;
mod record_file;
mod row;
mod sources;
mod table;
mod uses;
mod versions;
mod view;

use std::path::Path;

pub use commit::{Commit, RecordRef};
pub use details::{Details, EncodedDetails};
pub use error::MetaError;
pub use head::{RevisionHead, ViewHead};
pub use identity::RecordedIdentity;
#[cfg(any(test, feature = "testing"))]
pub use metadata::outlines_read;
pub use metadata::{Meta, Totals, Version, VersionPlace};
pub use outline::{EncodedOutline, Outline, OutlineSymbol, SymbolNames};
pub(crate) use record::RecordBuilder;
pub(crate) use row::VersionRow;
pub use sources::Sources;
pub(crate) use sources::{SOURCES, SourcesBuilder};
pub use uses::{EncodedUses, StoredSignature, StoredUse, StoredUses};
pub use view::{SkippedEntry, View, ViewEntry, ViewInfo, ViewKey};

use spyhop_base::store::{self, AtFile, FileError};

/// Removes record files that no commit in `kept` names, and the temporary files of a crash.
pub(crate) fn remove_garbage(dir: &Path, kept: &[&Commit]) -> Result<(), FileError> {
    for entry in std::fs::read_dir(dir).at("list", dir)?.flatten() {
        let name = entry.file_name();
        let named = kept
            .iter()
            .flat_map(|commit| commit.records.iter().chain(&commit.sources))
            .any(|record| *record.name == *name);
        if !named {
            // Another process may still read the file; on Windows the file then stays until the next commit.
            let _ = store::remove_file(&entry.path());
        }
    }
    // A removal that is lost in a crash is repeated after the next commit.
    Ok(())
}

#[cfg(test)]
mod tests;
