//! The outcome for a file, by its content.

use std::path::Path;

use super::encoding::TextEncoding;
use super::limits::Limits;
use super::machine::{generated, minified};
use super::open::Content;
use super::outcome::{ReadOutcome, SkipDetail, Source};
use spyhop_base::id::{ContentHash, PathOnlyKey};
use spyhop_base::model::SkipReason;

pub(super) fn judged(content: Result<Content, SkipDetail>, path: &Path, limits: &Limits) -> ReadOutcome {
    let skipped = |(reason, detail)| ReadOutcome::Skipped { reason, detail };
    let bytes = match content {
        Ok(Content::Bytes(bytes)) => bytes,
        Ok(Content::TooLarge(size)) => {
            let detail = format!("{size} bytes, above {}", limits.max_file_bytes);
            return ReadOutcome::PathOnly {
                key: PathOnlyKey::unread(),
                reason: SkipReason::TooLarge,
                detail,
            };
        }
        Err(why) => return skipped(why),
    };
    let form = match TextEncoding::of(&bytes) {
        Ok(form) => form,
        Err(why) => return skipped(why),
    };
    let (hash, size) = (ContentHash::of(&bytes), bytes.len() as u64);
    let (text, decoded) = match form.decode(bytes) {
        Ok(decoded) => decoded,
        Err(why) => return skipped(why),
    };
    if limits.skip_generated
        && let Some(detail) = generated(&text)
    {
        return ReadOutcome::PathOnly { key: PathOnlyKey::of(hash), reason: SkipReason::Generated, detail };
    }
    if limits.skip_minified
        && let Some(detail) = minified(path, &text)
    {
        return ReadOutcome::PathOnly { key: PathOnlyKey::of(hash), reason: SkipReason::Minified, detail };
    }
    ReadOutcome::Source(Source { text, hash, bytes: size, decoded })
}
