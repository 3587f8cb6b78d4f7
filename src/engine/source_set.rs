//! Several trees that are searched as one: one ranking over all files, equal to the ranking of one tree that has them all.
//!
//! The snapshots of the trees are joined: their segments, documents and totals are searched like those of one index, so
//! document frequencies, average lengths and budgets are those of the union. No score is computed for a tree alone. Files
//! and definitions are found by name in the same way. Lines, outlines and the code graph are asked tree by tree.

mod asking;
mod by_name;
mod graph;
mod lines;
mod maps;
mod origin;
mod ranked;
mod set;
mod statuses;

pub use self::set::SourceSet;
