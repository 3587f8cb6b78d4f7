//! Newtypes for numbers and hashes: content hashes, file versions, generations, languages.

use serde::{Deserialize, Serialize};

/// The first 128 bits of the BLAKE3 hash of a file's bytes on disk. The hash distinguishes the versions of a file; it
/// does not protect against deliberate collisions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ContentHash(pub [u8; 16]);

impl ContentHash {
    /// The hash of `bytes`.
    pub fn of(bytes: &[u8]) -> ContentHash {
        let mut head = [0; 16];
        head.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
        ContentHash(head)
    }
}

impl std::fmt::Display for ContentHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl std::fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

/// The content of a file version, and how much of it is ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VersionContent {
    /// The text is ranked. The hash is that of the bytes on disk.
    Ranked(ContentHash),
    /// Only the path is ranked.
    PathOnly(PathOnlyKey),
}

impl VersionContent {
    /// The hash of ranked content.
    pub fn ranked(self) -> Option<ContentHash> {
        match self {
            VersionContent::Ranked(hash) => Some(hash),
            VersionContent::PathOnly(_) => None,
        }
    }

    /// Whether only the path is ranked.
    pub fn is_path_only(self) -> bool {
        matches!(self, VersionContent::PathOnly(_))
    }
}

/// The key of content that is not ranked: the last 64 bits of its hash. The key shows a change of the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathOnlyKey(pub [u8; 8]);

impl PathOnlyKey {
    /// The key of content with this hash.
    pub fn of(ContentHash(hash): ContentHash) -> PathOnlyKey {
        PathOnlyKey(std::array::from_fn(|byte| hash[8 + byte]))
    }

    /// The key of content that was not read.
    pub fn unread() -> PathOnlyKey {
        PathOnlyKey::of(ContentHash::of(b"unread"))
    }
}

/// The number of a file version, a (path, content hash), within one workspace. Numbers are never reused, so a posting
/// of a collected version cannot refer to another version by mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct VersionId(pub u32);

/// The number of a commit of the index, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct Generation(pub u64);

impl std::fmt::Display for Generation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The index of a language in the table of grammars that this binary links, see `spyhop_syntax::grammar`. The index is stable
/// within one settings fingerprint, which includes the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LanguageId(pub u16);

impl LanguageId {
    /// The language of text without a grammar.
    pub const TEXT: LanguageId = LanguageId(0);
}
