//! Pages of a list, continued by a cursor that names the last row seen.

use crate::{Failure, Result};

/// Where a page begins: behind this row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub created_at: i64,
    pub id: u64,
}

pub struct Page<T> {
    pub rows: Vec<T>,
    pub next: Option<Cursor>,
}

pub const MAX_ROWS: usize = 200;

impl Cursor {
    /// Opaque on purpose: callers who take it apart break when we change it.
    pub fn encode(&self) -> String {
        base64url(format!("{}.{}", self.created_at, self.id).as_bytes())
    }

    pub fn decode(text: &str) -> Result<Cursor> {
        let bad = || Failure::Invalid { field: "cursor", why: "not one of ours".into() };
        let bytes = from_base64url(text).ok_or_else(bad)?;
        let text = String::from_utf8(bytes).map_err(|_| bad())?;
        let (created_at, id) = text.split_once('.').ok_or_else(bad)?;
        Ok(Cursor { created_at: created_at.parse().map_err(|_| bad())?, id: id.parse().map_err(|_| bad())? })
    }
}

impl<T> Page<T> {
    /// Cuts one row more than wanted down to a page; that row proves that there is a next one.
    pub fn cut(mut rows: Vec<T>, wanted: usize, key: impl Fn(&T) -> Cursor) -> Page<T> {
        let more = rows.len() > wanted;
        rows.truncate(wanted);
        let next = if more { rows.last().map(key) } else { None };
        Page { rows, next }
    }
}
