//! The result of reading a file.

use spyhop_base::id::{ContentHash, PathOnlyKey};
use spyhop_base::model::SkipReason;

/// The text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The text, without a byte order mark.
    pub text: String,
    /// The hash of the bytes on disk.
    pub hash: ContentHash,
    /// The number of bytes on disk.
    pub bytes: u64,
    /// Whether the text was decoded from another encoding than UTF-8.
    pub decoded: bool,
}

/// The result of reading a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadOutcome {
    Source(Source),
    /// A file that is indexed by its path only, and listed among the skipped.
    PathOnly {
        /// The key of the content; it does not depend on the content if the file was too large to be read.
        key: PathOnlyKey,
        /// Why the content is left out.
        reason: SkipReason,
        /// The measure or marker behind the reason.
        detail: String,
    },
    Skipped {
        /// Why the file is skipped.
        reason: SkipReason,
        /// The error or measure behind the reason.
        detail: String,
    },
}

/// Why a file is skipped, and the detail.
pub(super) type SkipDetail = (SkipReason, String);
