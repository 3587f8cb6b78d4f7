//! Trees of files: what is in them, what a walk leaves out, the text of a file, what changed.

#![deny(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

pub mod confined;
pub mod git;
pub mod gitdir;
pub mod read;
pub mod source;
pub mod tree;
pub mod walk;
pub mod watch;
