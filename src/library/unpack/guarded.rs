//! Panics of the readers of archives.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::unpack::error::{UnpackError, UnpackFault};
use crate::unpack::writer::TreeWriter;
use spyhop_syntax::worker::message_of;

/// Unpacks with `unpack`. A reader that panics on the bytes of the archive has found damage.
pub(crate) fn unpack_guarded(
    writer: &mut TreeWriter<'_>,
    unpack: impl FnOnce(&mut TreeWriter<'_>) -> Result<(), UnpackError>,
) -> Result<(), UnpackError> {
    catch_unwind(AssertUnwindSafe(|| unpack(writer)))
        .unwrap_or_else(|panic| Err(writer.error_of_all(UnpackFault::Damaged(message_of(&*panic)))))
}
