//! How many threads can run at a time. The standard library asks the system anew each time, which on Linux reads
//! several files: a tenth of a millisecond, in answers of a few.

use std::sync::LazyLock;

static CORES: LazyLock<usize> = LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));

/// At least 1, as it was when it was first asked for.
pub fn cores() -> usize {
    *CORES
}
