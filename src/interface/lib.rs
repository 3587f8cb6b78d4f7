//! What the faces share: the operations with their parameters, and replies as text, as JSON and as text for agents.

#![deny(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

pub mod catalog;
pub mod operations;
pub mod render;
