//! A filled pack.

use crate::api::{LeftOutPlace, PackFile};

/// The files and units of a pack.
pub(crate) struct Assembled {
    pub files: Vec<PackFile>,
    pub left_out: Vec<LeftOutPlace>,
    pub tokens: usize,
    /// Whether nothing is left for a further page.
    pub is_complete: bool,
}
