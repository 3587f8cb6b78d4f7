//! Reading the bytes of an open file.

use std::fs::{File, FileType};
use std::io::{self, Read};

use super::encoding::{HEAD_BYTES, TextEncoding};
use super::outcome::SkipDetail;
use crate::confined::RootFolder;
use spyhop_base::model::SkipReason;
use spyhop_base::path::RelPath;

/// An open file with its length, if the file is regular.
pub fn regular(file: File) -> io::Result<(File, u64)> {
    let metadata = file.metadata()?;
    match wrong_type(metadata.file_type()) {
        None => Ok((file, metadata.len())),
        Some((_, detail)) => Err(io::Error::other(detail)),
    }
}

pub(super) enum Content {
    Bytes(Vec<u8>),
    TooLarge(u64),
}

pub(super) fn content(root: &RootFolder, path: &RelPath, max: u64) -> Result<Content, SkipDetail> {
    let unreadable = |error: io::Error| (SkipReason::Unreadable, error.to_string());
    let file = root.open(path).map_err(|error| {
        // A link or a socket cannot be opened this way; name its type instead of the system's error.
        match root.metadata(path) {
            Ok(metadata) => wrong_type(metadata.file_type()).unwrap_or_else(|| unreadable(error)),
            Err(_) => unreadable(error),
        }
    })?;
    let metadata = file.metadata().map_err(unreadable)?;
    if let Some(why) = wrong_type(metadata.file_type()) {
        return Err(why);
    }
    if metadata.len() > max {
        return Ok(Content::TooLarge(metadata.len()));
    }
    // An exact reservation, which may fail: the limit is a setting, and the memory may be smaller.
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(metadata.len() as usize).map_err(|error| unreadable(io::Error::other(error)))?;
    // One byte more than allowed, so that a file that grows meanwhile is noticed.
    let mut file = file.take(max.saturating_add(1));
    // The first bytes show that a file is binary; then the rest, which may be a gigabyte, is not read.
    (&mut file).take(HEAD_BYTES as u64).read_to_end(&mut bytes).map_err(unreadable)?;
    TextEncoding::of(&bytes)?;
    file.read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > max {
        return Ok(Content::TooLarge(bytes.len() as u64));
    }
    Ok(Content::Bytes(bytes))
}

fn wrong_type(file_type: FileType) -> Option<SkipDetail> {
    if file_type.is_file() {
        None
    } else if file_type.is_symlink() {
        Some((SkipReason::Symlink, "it became a link".to_string()))
    } else {
        let detail = if file_type.is_dir() { "it became a directory" } else { "it is not a regular file" };
        Some((SkipReason::Special, detail.to_string()))
    }
}
