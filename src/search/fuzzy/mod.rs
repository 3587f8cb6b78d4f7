//! Fuzzy matching of file paths and definition names, as in the "go to file" of editors: the best of very many.
//!
//! A match in the name of a file weighs more than a match in its folders, because people remember names. Ties are
//! broken by the length of the path and then by the path, so the order is deterministic.
//!
//! Scores are nucleo's. Scoring a path takes about a hundred times longer than testing whether the path matches, and
//! few of a million matching paths are shown. So each path is read once, and its folder only if the previous path has
//! another folder. The read gives an upper bound of the score ([`bound`]), and only paths whose bound reaches the best
//! scores so far are scored. A bound may be too high, never too low.

mod best;
mod bound;
mod names;
mod paths;
mod pattern;
mod words;

pub use best::{FoundPath, MatchedPart, listed};
pub use names::{FileName, FoundName, best_names};
pub use paths::FoundPaths;
pub use pattern::Fuzzy;
pub use words::{FuzzyWords, merge_touching};
