//! The exact search: every line that matches a pattern, counted over all files and shown page by page.
//!
//! An exact search reads the present files with ripgrep's crates and ripgrep's defaults, line by line. Invalid
//! UTF-8 is searched as bytes, UTF-16 is recognized by its byte order mark, and a search stops at the first NUL byte of a
//! file. The walk decides which files there are. Threads take files in the order of the paths, and the results are merged
//! in this order, so the answer does not depend on threads.

#![deny(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

mod cover;
mod line;
mod narrow;
mod options;
mod pattern;
mod plan;
mod print;
mod scan;
mod screen;
pub mod secrets;
mod source;
mod whole;
mod within;

pub use line::MAX_LINE_BYTES;
pub use narrow::{Effort, Narrowed, narrow};
pub use options::{FileOrder, FileTime, OutputFormat, PrintOptions};
pub use pattern::{Binary, Bounds, Case, MAX_PATTERN_CHARS, Pattern, PatternError, Wanted};
pub use plan::NarrowPlan;
pub use print::{Print, Printed, print, print_stream};
pub use scan::{Line, LineScan, ScanResult, Unread, scan};
pub use source::{FileFeed, FileSource};
pub use whole::Reading;
pub use within::Within;

#[cfg(test)]
mod tests;
