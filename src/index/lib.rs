//! The index of a tree: tokens, the inverted index, metadata, updates, what is kept, archives.

#![deny(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

pub mod archive;
pub mod inverted;
pub mod meta;
pub mod related;
pub mod retention;
pub mod tokenize;
pub mod update;
pub mod workspace;
