//! Archives inside an archive.

use std::fs::File;
use std::io;

use crate::format::{self, FileForm};
use crate::unpack::error::{UnpackError, UnpackFault};
use crate::unpack::guarded::unpack_guarded;
use crate::unpack::tarball::unpack_tar;
use crate::unpack::writer::TreeWriter;
use crate::unpack::zip_file::unpack_zip;

/// Unpacks the archives among the files of a tree, each into a folder beside it. Archives inside these stay files.
pub(crate) fn unpack_nested(writer: &mut TreeWriter<'_>) -> Result<(), UnpackError> {
    writer.settle()?;
    for path in writer.paths() {
        let failed =
            |writer: &TreeWriter<'_>, error: io::Error| writer.error(path.as_bytes(), UnpackFault::Io(error));
        let at = writer.tree().join(&path);
        let form = format::form_of(&at).map_err(|error| failed(writer, error))?;
        let open = |writer: &TreeWriter<'_>| File::open(&at).map_err(|error| failed(writer, error));
        match form {
            FileForm::Zip => {
                let file = open(writer)?;
                writer.nested(&path, |writer| unpack_guarded(writer, |writer| unpack_zip(file, writer)))?;
            }
            FileForm::Tar(compression) => {
                if format::holds_tar(&at, compression).map_err(|error| failed(writer, error))? {
                    let file = open(writer)?;
                    writer.nested(&path, |writer| {
                        unpack_guarded(writer, |writer| unpack_tar(file, compression, writer))
                    })?;
                }
            }
            FileForm::Text | FileForm::Foreign(_) | FileForm::Unknown => {}
        }
    }
    Ok(())
}
