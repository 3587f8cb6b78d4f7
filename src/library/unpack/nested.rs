//! Archives inside an archive.

use std::fs::File;
use std::io;

use super::{TreeWriter, UnpackError, UnpackFault, unpack_guarded, unpack_tar, unpack_zip};
use crate::format::{self, FileForm};

/// Unpacks the archives among the files of a tree, each into a folder beside it. Archives inside these stay files.
pub(crate) fn unpack_nested(writer: &mut TreeWriter<'_>) -> Result<(), UnpackError> {
    writer.settle()?;
    for path in writer.paths() {
        let failed =
            |writer: &TreeWriter<'_>, error: io::Error| writer.error(path.as_bytes(), UnpackFault::Io(error));
        let at = writer.tree().join(&path);
        let form = format::form_of(&at).map_err(|error| failed(writer, error))?;
        let is_archive = match form {
            FileForm::Zip => true,
            FileForm::Tar(compression) => {
                format::holds_tar(&at, compression).map_err(|error| failed(writer, error))?
            }
            _ => false,
        };
        if !is_archive {
            continue;
        }
        let file = File::open(&at).map_err(|error| failed(writer, error))?;
        writer.nested(&path, |writer| {
            unpack_guarded(writer, |writer| match form {
                FileForm::Tar(compression) => unpack_tar(file, compression, writer),
                _ => unpack_zip(file, writer),
            })
        })?;
    }
    Ok(())
}
