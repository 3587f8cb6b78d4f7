//! The syntax of the text of a file: grammars, chunks, symbols and references; parsing in child processes; documents.

#![deny(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

pub mod analyze;
pub mod document;
pub mod grammar;
pub mod worker;
