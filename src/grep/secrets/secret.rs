//! A secret and where it lies.

use std::ops::Range;

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    pub span: Range<usize>,
    /// How many of these bytes stay readable: the common prefix of this kind of secret.
    pub keep: usize,
    /// The kind of secret.
    pub name: &'static str,
}

/// The name of a private key's line in a mask.
pub(super) const KEY: &str = "private key";

/// The name of everything in a file of secrets in a mask.
pub(super) const IN_FILE: &str = "file of secrets";

/// A secret that spans lines, with its byte range in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretBlock {
    /// The bytes to be masked.
    pub span: Range<u64>,
    /// The kind of secret.
    pub name: &'static str,
}
