//! Page numbers of the first interface, as cursors.

use crate::http::Cursor;

/// A page number that stands for where its cursor would be.
pub struct PageNumber(pub usize);

impl PageNumber {
    /// Decodes `?page=3`; anything else is the first page.
    pub fn decode(text: &str) -> PageNumber {
        PageNumber(text.parse().unwrap_or(1).max(1))
    }

    /// How many rows a cursor has to pass before it.
    pub fn rows_before(&self, page_size: usize) -> usize {
        (self.0 - 1) * page_size
    }
}

/// A cursor that begins at the newest row.
pub fn beginning() -> Cursor {
    Cursor { created_at: i64::MAX, id: u64::MAX }
}
