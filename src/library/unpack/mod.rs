//! Unpacking archives of unknown origin into a new folder.
//!
//! Each format has a reader (`tarball`, `zip_file`), and all of them write through one [`TreeWriter`], which decides what
//! may be written. No file can be seen in the library until every entry was accepted, so that a refused archive leaves
//! nothing. A refused archive inside an archive is left out whole (`nested`). Only regular files and folders are written:
//! no link, no device, no permission and no owner comes from an archive.

pub(crate) mod error;
mod guarded;
mod limits;
mod name;
mod nested;
mod sink;
mod tar_pax;
mod tarball;
mod writer;
mod zip_file;

pub use error::{UnpackError, UnpackFault};
pub(super) use guarded::unpack_guarded;
pub(crate) use limits::UnpackLimits;
pub(super) use nested::unpack_nested;
pub(super) use tarball::unpack_tar;
pub(super) use writer::{TreeWriter, UnpackedTree};
pub(super) use zip_file::unpack_zip;

#[cfg(test)]
mod tests;
