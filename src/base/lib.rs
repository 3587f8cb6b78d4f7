//! The lowest crate: paths, numbers, text, durable files and threads, without any knowledge of search.

#![deny(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

pub mod cancel;
pub mod clean;
pub mod cores;
pub mod id;
pub mod input;
pub mod judged;
pub mod limit;
pub mod model;
pub mod parallel;
pub mod path;
pub mod similar;
pub mod store;
pub mod text;
pub mod threads;
pub mod time;
pub mod wire;
