//! Record files on the disk: mapped, and compared with what a commit says about them.

use std::path::Path;

use super::commit::RecordRef;
use super::error::MetaError;
use spyhop_base::store::{AtFile, ENVELOPE_LEN, Envelope, EnvelopeError};

/// Maps a record file that a commit names. Returns the kind, the location of the table, and the bytes.
pub(super) fn map_record(
    path: &Path,
    expected: &RecordRef,
) -> Result<(u32, std::ops::Range<usize>, memmap2::Mmap), MetaError> {
    let damaged = |reason: String| MetaError::Damaged { path: path.to_path_buf(), reason };
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(MetaError::Gone(path.to_path_buf()));
        }
        Err(error) => return Err(Err::<(), _>(error).at("open", path).unwrap_err().into()),
    };
    // SAFETY: a record file is never changed or truncated after it got its name; it is only ever unlinked.
    let map = unsafe { memmap2::Mmap::map(&file) }.at("map", path)?;
    let envelope = Envelope::open(&map).map_err(|error: EnvelopeError| damaged(error.to_string()))?;
    if map.len() as u64 != expected.len || Envelope::checksum_of(&map) != expected.checksum {
        return Err(damaged("it is not the file that the commit names".into()));
    }
    let (kind, table) = (envelope.kind, ENVELOPE_LEN..ENVELOPE_LEN + envelope.table.len());
    Ok((kind, table, map))
}
