//! Why an archive is refused.

use std::io;
use std::path::PathBuf;

use spyhop_base::store::IoCause;

/// Why an archive is refused, with the entry that is the reason.
#[derive(Debug, thiserror::Error)]
#[error("{} is refused: {}", archive.display(), self.reason())]
pub struct UnpackError {
    /// The archive.
    pub archive: PathBuf,
    /// The name of the entry, with escapes for characters that cannot be shown; `None` if the archive as a whole is the
    /// reason.
    pub entry: Option<String>,
    /// The fault.
    pub fault: UnpackFault,
}

impl UnpackError {
    /// The reason, as a sentence about the archive.
    pub(super) fn reason(&self) -> String {
        let UnpackError { entry, fault, .. } = self;
        match entry {
            Some(entry) => format!("its entry '{entry}' {fault}"),
            None => format!("it {fault}"),
        }
    }
}

impl UnpackFault {
    /// Whether the fault is that of one entry or archive, and not of the limits of the whole source or of the disk.
    pub(super) fn is_local(&self) -> bool {
        !matches!(
            self,
            UnpackFault::TotalBytes(_)
                | UnpackFault::Ratio(_)
                | UnpackFault::Entries(_)
                | UnpackFault::Extent { .. }
                | UnpackFault::Io(_)
        )
    }
}

/// The fault of an entry or an archive. The text continues a sentence that begins with the entry or the archive.
#[derive(Debug, thiserror::Error)]
pub enum UnpackFault {
    /// The name is absolute, or has a drive.
    #[error("has an absolute name")]
    Absolute,
    /// The name has a part that leads out of its folder or is not a name.
    #[error("has a name with a part that {0}")]
    Part(&'static str),
    /// The name is longer than any path may be.
    #[error("has a name of {0} bytes, above the limit of 4096")]
    LongName(usize),
    /// The name has too many parts.
    #[error("lies in {found} folders, above the limit of {limit}")]
    Depth {
        /// The number of folders.
        found: usize,
        /// The limit.
        limit: usize,
    },
    /// A symbolic or hard link.
    #[error("is a link")]
    Link,
    /// A device, a pipe or a socket.
    #[error("is a device, pipe or socket")]
    Device,
    /// A kind of entry that sources do not have.
    #[error("is of the kind {0}, which is not supported")]
    Kind(String),
    /// Another entry has the same name.
    #[error("occurs twice")]
    Duplicate,
    /// Another entry has a name that some file systems do not distinguish.
    #[error("differs from '{0}' only by case or by the form of its letters")]
    Collision(String),
    /// One entry is a file, and another one needs a folder of that name.
    #[error("is both a file and a folder")]
    FileAndFolder,
    /// The entry is encrypted.
    #[error("is encrypted; decrypt the archive first")]
    Encrypted,
    /// The compression method is not supported.
    #[error("is compressed by the method {0}; repack the archive with deflate")]
    Method(String),
    /// The entry is larger than the limit.
    #[error("is larger than {0} bytes")]
    FileBytes(u64),
    /// All entries together are larger than the limit.
    #[error("makes the files larger than {0} bytes in all")]
    TotalBytes(u64),
    /// The entries are too much larger than the archive.
    #[error("makes the files more than {0} times as large as the archive")]
    Ratio(u64),
    /// There are too many entries.
    #[error("is one of more than {0} entries")]
    Entries(usize),
    /// The source as a whole is larger than a limit. This is known before anything is written.
    #[error("has {found} {what}{}, above the limit of {limit}", if *is_lower_bound { " or more" } else { "" })]
    Extent {
        /// The counted quantity.
        what: &'static str,
        /// How many there are.
        found: u64,
        /// Whether counting ended before everything was counted.
        is_lower_bound: bool,
        /// The limit.
        limit: u64,
    },
    /// The entry shares its bytes with another entry.
    #[error("shares its bytes with '{0}'")]
    Overlap(String),
    /// The entry has another name in another part of the archive.
    #[error("is called '{0}' in its own header")]
    TwoNames(String),
    /// The size differs from the stated one.
    #[error("has {found} bytes, and {stated} by its header")]
    Size {
        /// The size in the header.
        stated: u64,
        /// The actual size, or what could be read.
        found: u64,
    },
    /// The archive cannot be read.
    #[error("is damaged: {0}")]
    Damaged(String),
    /// The archive has no files.
    #[error("has no files")]
    Empty,
    /// A file could not be read or written.
    #[error("cannot be unpacked: {}", io_text(.0))]
    Io(io::Error),
}

fn io_text(error: &io::Error) -> String {
    format!("{error}{}", IoCause::of(error).advice())
}
