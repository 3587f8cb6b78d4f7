//! Folders that hold a Spyhop index, of whatever tree: they are never walked.
//!
//! An index is recognized by the file that claims its folder. The listing of a folder shows whether that file is there,
//! so only a folder with such a file costs a read. Bazel uses a file of the same name, so the content decides.

use serde::Deserialize;

use crate::model::{SkipReason, Skipped};
use crate::path::RelPath;

/// The name of the file that names the owner of an index folder.
pub(super) const NAME: &str = "WORKSPACE";

/// The detail of the row for a folder that holds an index.
pub const INDEX_FOLDER: &str = "an index of spyhop, by its file WORKSPACE";

/// The part of a claim that is common to all formats.
#[derive(Deserialize)]
struct Claim {
    #[serde(rename = "format")]
    _format: u32,
    #[serde(rename = "owner")]
    _owner: String,
}

/// Whether these are the bytes of a claim.
pub(super) fn is_claim(bytes: &[u8]) -> bool {
    bytes.starts_with(b"{") && serde_json::from_slice::<Claim>(bytes).is_ok()
}

/// The row for a folder that holds an index.
pub(super) fn row(folder: &RelPath) -> Skipped {
    let detail = INDEX_FOLDER.to_string();
    Skipped { path: folder.clone(), reason: SkipReason::BuiltIn, detail, is_dir: true }
}
