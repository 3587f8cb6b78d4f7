//! The identity of a file as a view records it, and its stored form.

use std::fs::Metadata;

use serde::{Deserialize, Serialize};

use spyhop_files::tree::BlobId;
use spyhop_files::walk::{self, FileIdentity, Stat};

/// The identity of a file that a view records when the file is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "PackedIdentity", into = "PackedIdentity")]
pub enum RecordedIdentity {
    /// The file must be read again: it was modified so close to being read that its time proves nothing, or it was
    /// read on another machine.
    #[default]
    Unproven,
    /// A file with this identity has the content that was read.
    Proven {
        /// The stat data, or the id of the blob.
        identity: FileIdentity,
        /// Whether the user asked for the content, whatever its size and looks: a file has to be read again when that
        /// changes, although its stat data does not.
        wanted: bool,
    },
}

/// Four numbers, as records store an identity: size, modification and change time in nanoseconds, inode. The two
/// highest bits of the inode tell what the other numbers are. All known file systems count inodes from below, so the
/// bits of an inode there are dropped. All zeros are an unproven identity.
pub(super) type PackedIdentity = (u64, i64, i64, u64);

/// The bit of the inode for [`RecordedIdentity::Proven::wanted`].
const WANTED: u64 = 1 << 63;

/// The bit of the inode for a blob, whose id takes the place of times and inode.
const BLOB: u64 = 1 << 62;

impl RecordedIdentity {
    /// The identity of a file that was read, or that is to be compared with what was read.
    pub fn stat_verified(identity: FileIdentity, wanted: bool) -> RecordedIdentity {
        let identity = match identity {
            FileIdentity::Stat(stat) => {
                FileIdentity::Stat(Stat { inode: stat.inode & !(WANTED | BLOB), ..stat })
            }
            blob => blob,
        };
        RecordedIdentity::Proven { identity, wanted }
    }

    /// Whether a file with this metadata has the recorded content, by the stat data that an update trusts.
    pub fn matches_stat(self, metadata: &Metadata) -> bool {
        self.matches(FileIdentity::Stat(walk::stat(metadata)))
    }

    /// Whether the recorded content is the blob `id`.
    pub fn matches_blob(self, id: BlobId) -> bool {
        matches!(self, RecordedIdentity::Proven { identity: FileIdentity::Blob { id: recorded, .. }, .. } if recorded == id)
    }

    fn matches(self, identity: FileIdentity) -> bool {
        [false, true].iter().any(|wanted| self == RecordedIdentity::stat_verified(identity, *wanted))
    }
}

impl From<RecordedIdentity> for PackedIdentity {
    fn from(recorded: RecordedIdentity) -> PackedIdentity {
        let RecordedIdentity::Proven { identity, wanted } = recorded else { return (0, 0, 0, 0) };
        let wanted = if wanted { WANTED } else { 0 };
        match identity {
            FileIdentity::Stat(Stat { size, mtime_ns, ctime_ns, inode }) => {
                (size, mtime_ns, ctime_ns, inode | wanted)
            }
            FileIdentity::Blob { size, id: BlobId(id) } => {
                let part = |at: usize| i64::from_le_bytes(std::array::from_fn(|byte| id[at + byte]));
                let rest = u32::from_le_bytes(std::array::from_fn(|byte| id[16 + byte]));
                (size, part(0), part(8), u64::from(rest) | BLOB | wanted)
            }
        }
    }
}

impl From<PackedIdentity> for RecordedIdentity {
    fn from(packed: PackedIdentity) -> RecordedIdentity {
        if packed == (0, 0, 0, 0) {
            return RecordedIdentity::Unproven;
        }
        let (size, mtime_ns, ctime_ns, bits) = packed;
        let inode = bits & !(WANTED | BLOB);
        let identity = if bits & BLOB == 0 {
            FileIdentity::Stat(Stat { size, mtime_ns, ctime_ns, inode })
        } else {
            let mut id = [0; 20];
            id[..8].copy_from_slice(&mtime_ns.to_le_bytes());
            id[8..16].copy_from_slice(&ctime_ns.to_le_bytes());
            id[16..].copy_from_slice(&(inode as u32).to_le_bytes());
            FileIdentity::Blob { size, id: BlobId(id) }
        };
        RecordedIdentity::Proven { identity, wanted: bits & WANTED != 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_identity_is_read_back_as_recorded() {
        let stat = Stat { size: 7, mtime_ns: -1, ctime_ns: i64::MAX, inode: u64::MAX };
        let blob = FileIdentity::Blob { size: 9, id: BlobId(std::array::from_fn(|byte| 200 + byte as u8)) };
        let identities =
            [FileIdentity::Stat(stat), FileIdentity::Stat(Stat { size: 1, ..Stat::default() }), blob];
        let mut recorded = vec![RecordedIdentity::Unproven];
        for identity in identities {
            recorded.extend([false, true].map(|wanted| RecordedIdentity::stat_verified(identity, wanted)));
        }
        let packed: Vec<PackedIdentity> = recorded.iter().map(|recorded| (*recorded).into()).collect();
        let again: Vec<RecordedIdentity> = packed.iter().map(|packed| (*packed).into()).collect();
        assert_eq!(again, recorded);
        let distinct: std::collections::HashSet<_> = packed.iter().collect();
        assert_eq!(distinct.len(), packed.len());
        assert!(
            recorded[5..]
                .iter()
                .all(|recorded| recorded.matches_blob(BlobId(std::array::from_fn(|byte| 200 + byte as u8))))
        );
    }
}
