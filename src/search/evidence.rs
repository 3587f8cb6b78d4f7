//! The evidence of a query: the scores of files and chunks from the posting lists.
//!
//! The passes over the postings ([`collect()`]) add up scores in columns, one column for each kind of score. A common
//! term occurs in most chunks, and the columns that one pass writes fit the caches. The scores of the chunks of a file
//! are summed once, after the passes. A row with all scores of a file is made only for the files of the head. Dropped
//! evidence returns to a pool of its snapshot for the next query. The pool clears the evidence when there is time, or
//! at the latest before the next use. A new allocation of this size costs more than the sums, because the system
//! provides its memory page by page.

mod collect;
pub(crate) mod columns;
mod rows;

pub use collect::collect;
pub(crate) use collect::collect_with;
pub(crate) use columns::FusedList;
pub use columns::{Evidence, FileEvidence, TermRarity};
