//! A filled pack.

use crate::api::{LeftOutPlace, LeftOutReason, PackFile};

/// The files and units of a pack.
pub(crate) struct Assembled {
    pub files: Vec<PackFile>,
    /// The best places that were left out, and how many there are for each reason.
    pub left_out: Vec<LeftOutPlace>,
    pub left_out_counts: Vec<(LeftOutReason, usize)>,
    pub tokens: usize,
    /// Whether nothing is left for a further page.
    pub is_complete: bool,
}
