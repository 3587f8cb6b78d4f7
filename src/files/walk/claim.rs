//! Folders that hold a Spyhop index, of whatever tree: ranking leaves them out.
//!
//! An index is recognized by its structure, which the listing of a folder shows: the file that claims the folder, the lock
//! and the folder of the data. Bazel uses a file of the same name as the claim, so its content decides, too. A folder of
//! another user, and a folder that git tracks, count as sources: whoever writes a tree could otherwise hide code in it. An
//! exact search knows no such folders.

use serde::Deserialize;

use super::folder::{Entry, FolderListing, ListedKind};
use spyhop_base::model::{SkipReason, Skipped};
use spyhop_base::path::RelPath;

/// The name of the file that names the owner of an index folder.
pub(super) const NAME: &str = "WORKSPACE";

/// The detail of the row for a folder that holds an index.
pub const INDEX_FOLDER: &str = "an index of spyhop, by its structure";

/// The part of a claim that is common to all formats.
#[derive(Deserialize)]
struct Claim {
    #[serde(rename = "format")]
    _format: u32,
    #[serde(rename = "owner")]
    _owner: String,
}

/// Whether a folder with these entries may hold an index.
pub(super) fn has_structure(listed: &FolderListing) -> bool {
    let holds = |is_it: &dyn Fn(&Entry, &str) -> bool| {
        listed.entries.iter().any(|entry| is_it(entry, listed.name(entry)))
    };
    holds(&|entry, name| name == NAME && entry.kind == ListedKind::File)
        && holds(&|entry, name| name == "lock" && entry.kind == ListedKind::File)
        && holds(&|entry, name| is_data_folder(name) && entry.is_dir())
}

/// Whether an entry of this name makes its folder an index.
pub(super) fn decides(name: &str) -> bool {
    name == NAME || is_data_folder(name)
}

/// Whether this is the name of the folder of an index's data: `vN-HASH`.
fn is_data_folder(name: &str) -> bool {
    let parts = name.strip_prefix('v').and_then(|rest| rest.split_once('-'));
    parts.is_some_and(|(format, fingerprint)| {
        !format.is_empty()
            && format.bytes().all(|byte| byte.is_ascii_digit())
            && !fingerprint.is_empty()
            && fingerprint.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Whether these are the bytes of a claim.
pub(super) fn is_claim(bytes: &[u8]) -> bool {
    bytes.starts_with(b"{") && serde_json::from_slice::<Claim>(bytes).is_ok()
}

/// Whether the user of this process may have made a folder that belongs to `owner`.
pub(super) fn is_of_this_user(owner: Option<u32>) -> bool {
    #[cfg(unix)]
    // SAFETY: the call only returns the user id of this process.
    let user = Some(unsafe { libc::geteuid() });
    #[cfg(not(unix))]
    let user = None;
    owner == user
}

/// The row for a folder that holds an index.
pub(super) fn row(folder: &RelPath) -> Skipped {
    let detail = INDEX_FOLDER.to_string();
    Skipped::new(folder.clone(), SkipReason::BuiltIn, detail, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_data_folders() {
        for name in ["v1-abc", "v23-0123456789abcdef"] {
            assert!(is_data_folder(name), "{name}");
        }
        for name in ["v1", "v-abc", "v1-", "v1-xyz", "1-abc", "va-abc"] {
            assert!(!is_data_folder(name), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_folders_of_this_user_are_recognized() {
        let user = unsafe { libc::geteuid() };
        assert!(is_of_this_user(Some(user)));
        assert!(!is_of_this_user(Some(user + 1)) && !is_of_this_user(None));
    }
}
