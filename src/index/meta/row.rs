//! A file version to be recorded.

use super::outline::EncodedOutline;
use super::uses::EncodedUses;
use spyhop_base::id::{LanguageId, VersionContent, VersionId};
use spyhop_base::model::{FieldLengths, Note};

/// A file version to be recorded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VersionRow<'a> {
    /// The number of the version.
    pub id: VersionId,
    /// The root-relative path.
    pub path: &'a str,
    /// The content of the file.
    pub content: VersionContent,
    /// The language of the file.
    pub language: LanguageId,
    /// The notes of the analysis.
    pub notes: &'a [Note],
    /// The size of the source in bytes.
    pub bytes: u64,
    /// The number of lines in the source.
    pub lines: u32,
    /// The number of chunks.
    pub chunks: u32,
    /// The number of terms in each scored field.
    pub lengths: FieldLengths,
    /// The symbols.
    pub outline: &'a EncodedOutline,
    /// The uses of names.
    pub uses: &'a EncodedUses,
}
