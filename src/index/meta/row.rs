//! A file version to be recorded.

use super::details::EncodedDetails;
use super::outline::EncodedOutline;
use super::uses::EncodedUses;
use spyhop_base::id::{LanguageId, VersionContent, VersionId};
use spyhop_base::model::{FieldLengths, Note};

/// A file version to be recorded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VersionRow<'a> {
    pub id: VersionId,
    pub path: &'a str,
    pub content: VersionContent,
    pub language: LanguageId,
    pub notes: &'a [Note],
    /// The size of the source in bytes.
    pub bytes: u64,
    /// The number of lines in the source.
    pub lines: u32,
    pub chunks: u32,
    /// The number of terms in each scored field.
    pub lengths: FieldLengths,
    pub outline: &'a EncodedOutline,
    pub uses: &'a EncodedUses,
    pub details: &'a EncodedDetails,
}
