//! The limits of an archive.

/// The limits of an archive, against archives that are small and unpack to very much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnpackLimits {
    /// The most entries. Default 500 000; the Linux kernel has about 90 000.
    pub entries: usize,
    /// The size of the largest file in bytes. Default 1 GiB, the limit of indexed files.
    pub file_bytes: u64,
    /// The size of all files in bytes. Default 16 GiB.
    pub total_bytes: u64,
    /// How many times as large as the archive its files may be. Default 100; sources compress to a third or a tenth.
    pub ratio: u64,
    /// The size of all files up to which the ratio does not matter. Default 64 MiB.
    pub free_bytes: u64,
    /// The most folders around a file. Default 64.
    pub depth: usize,
}

impl Default for UnpackLimits {
    fn default() -> UnpackLimits {
        UnpackLimits {
            entries: 500_000,
            file_bytes: 1 << 30,
            total_bytes: 16 << 30,
            ratio: 100,
            free_bytes: 64 << 20,
            depth: 64,
        }
    }
}
