//! Archives to trees, and the checksums of both.
//!
//! Only regular files are unpacked, into a folder that is new, below names that cannot leave it; links are left out, so
//! nothing that is written later can go through one. Their contents are the same for everybody, which is why a tree's
//! checksum is of files only: SHA-256 over the files in order of their paths, for each its path, a NUL, its length in
//! decimal digits, a NUL, its bytes.

use std::fmt::{self, Write as _};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read};
use std::path::{Component, Path, PathBuf};

use flate2::read::MultiGzDecoder;
use serde::Deserialize;
use sha2::{Digest, Sha256};

/// More than that is no source tree.
const MAX_BYTES: u64 = 4 << 30;

/// A SHA-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Checksum([u8; 32]);

impl TryFrom<String> for Checksum {
    type Error = String;

    fn try_from(text: String) -> Result<Checksum, String> {
        let bad = || format!("'{text}' is no SHA-256 in hexadecimal digits");
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(bad());
        }
        let mut bytes = [0; 32];
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).map_err(|_| bad())?;
        }
        Ok(Checksum(bytes))
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Why an archive could not be unpacked.
#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    /// A name that would leave the folder.
    #[error("the archive has a file that would lie outside its folder: {}", .0.escape_debug())]
    Outside(String),
    /// Too much.
    #[error("the archive holds more than {MAX_BYTES} bytes")]
    TooLarge,
    /// The archive is broken, or the disk does not take it.
    #[error("the archive cannot be unpacked: {0}")]
    Io(#[from] io::Error),
}

/// Unpacks a tar archive, compressed with gzip or not, into a new folder, without the first folder of each name.
pub fn unpack(archive: &Path, into: &Path) -> Result<(), UnpackError> {
    fs::create_dir(into)?;
    let mut file = BufReader::new(File::open(archive)?);
    let mut magic = [0; 2];
    file.read_exact(&mut magic)?;
    let whole = io::Cursor::new(magic).chain(file);
    let mut left = MAX_BYTES;
    if magic == [0x1f, 0x8b] {
        entries(MultiGzDecoder::new(whole), into, &mut left)
    } else {
        entries(whole, into, &mut left)
    }
}

fn entries(archive: impl Read, into: &Path, left: &mut u64) -> Result<(), UnpackError> {
    for entry in tar::Archive::new(archive).entries()? {
        let mut entry = entry?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let name = entry.path()?.into_owned();
        let place = into.join(below(&name)?);
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder)?;
        }
        *left = left.checked_sub(entry.size()).ok_or(UnpackError::TooLarge)?;
        io::copy(&mut entry, &mut OpenOptions::new().write(true).create_new(true).open(place)?)?;
    }
    Ok(())
}

/// A name without its first folder.
fn below(name: &Path) -> Result<PathBuf, UnpackError> {
    let outside = || UnpackError::Outside(name.to_string_lossy().into_owned());
    let mut parts = Vec::new();
    for part in name.components() {
        match part {
            Component::Normal(part) => parts.push(part),
            Component::CurDir => {}
            _ => return Err(outside()),
        }
    }
    if parts.len() < 2 { Err(outside()) } else { Ok(parts[1..].iter().collect()) }
}

/// The checksum of a file.
pub fn file(path: &Path) -> io::Result<Checksum> {
    let mut sum = Sha256::new();
    feed(&mut sum, File::open(path)?)?;
    Ok(Checksum(sum.finalize().into()))
}

/// The checksum of a tree. A link or a special file makes it another one.
pub fn tree(root: &Path) -> io::Result<Checksum> {
    let mut found = Vec::new();
    list(root, String::new(), &mut found)?;
    found.sort();
    let mut sum = Sha256::new();
    for (path, length) in found {
        sum.update(path.as_bytes());
        sum.update([0]);
        match length {
            Some(length) => {
                sum.update(format!("{length}\0"));
                feed(&mut sum, File::open(root.join(&path))?)?;
            }
            None => sum.update(b"no file\0"),
        }
    }
    Ok(Checksum(sum.finalize().into()))
}

/// Everything below `folder` that is no folder: its path with `/`, and its length where it is a file.
fn list(folder: &Path, before: String, found: &mut Vec<(String, Option<u64>)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let mut path = before.clone();
        let _ = write!(path, "{}", entry.file_name().to_string_lossy());
        let what = fs::symlink_metadata(entry.path())?;
        if what.is_dir() {
            list(&entry.path(), path + "/", found)?;
        } else {
            found.push((path, what.is_file().then_some(what.len())));
        }
    }
    Ok(())
}

fn feed(sum: &mut Sha256, mut file: File) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(()),
            n => sum.update(&buffer[..n]),
        }
    }
}
