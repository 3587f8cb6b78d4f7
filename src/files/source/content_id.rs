//! The id of a content in a source.

/// A value that tells whether a file has changed. Two contents of one path must have different ids; files at different
/// paths may have equal ids. A hash of the bytes or a version number serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContentId(pub(super) [u8; 20]);

impl ContentId {
    /// The id of these bytes: a hash.
    pub fn of(bytes: &[u8]) -> ContentId {
        let mut id = [0; 20];
        id.copy_from_slice(&blake3::hash(bytes).as_bytes()[..20]);
        ContentId(id)
    }

    /// The id of a content with this version number, for sources that count the versions of each file.
    pub fn of_version(version: u64) -> ContentId {
        ContentId::of(&version.to_le_bytes())
    }
}
