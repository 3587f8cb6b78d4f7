//! A query line, from its meaning to the answer of the engine.

mod answer;
mod prepared;

pub use answer::{answer, early_files, why_not};
pub use prepared::{PreparedSearch, mode_of};
