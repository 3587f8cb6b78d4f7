//! The code that a task needs, and what is remembered about code: goals, packs, revision notes.

#![deny(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

pub mod goals;
pub mod memory;
pub mod pack;
