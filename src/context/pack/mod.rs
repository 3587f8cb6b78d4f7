//! The choice of a context pack: which files a task needs, how many of them, and which units fit the budget.
//!
//! The module is pure. The engine finds the evidence ([`NeedEvidence`]), asks [`order`] for the files by their
//! probability, [`cut`] for their number, and a [`Budget`] for what fits. The weights of the evidence are in [`weights`].

mod budget;
mod choice;
mod lines;
mod weights;

pub use budget::{BYTES_PER_TOKEN, Budget, tokens_of_bytes};
pub use choice::{NeedEvidence, Spread, WeighedFile, cut, is_core, order, worth};
pub use lines::{file_line, goal_line, next_line, row_bytes, summary_line, trace_line, unit_line};
