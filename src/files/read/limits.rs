//! The limits on files whose content is read.

/// The limits on files whose content is read. The defaults are those of the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The size above which files are found by their path only, which also bounds the memory for one file.
    pub max_file_bytes: u64,
    /// Whether to index only the path of a file with a marker of generated code. The caller clears this for files that
    /// git tracks.
    pub skip_generated: bool,
    /// Whether to index only the path of a minified file. The caller clears this for files that git tracks.
    pub skip_minified: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { max_file_bytes: 1 << 20, skip_generated: true, skip_minified: true }
    }
}

impl Limits {
    /// The size of the largest file whose content can be indexed: spans are 32 bits wide, and decoded text can be three
    /// times as long as its bytes.
    pub const MAX_FILE_BYTES: u64 = 1 << 30;

    /// The size of the largest file whose definitions are found by line rules, although it is above the limit of sizes.
    pub const MAX_RULE_BYTES: u64 = 8 << 20;

    /// The limits for files whose content the user wants, whatever they look like.
    pub const WANTED: Limits =
        Limits { max_file_bytes: Limits::MAX_FILE_BYTES, skip_generated: false, skip_minified: false };
}
