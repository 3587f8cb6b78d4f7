//! Spyhop finds code by what it does.

// Floors, lowest first; each module imports only from floors below (`tests/architecture.rs`).
pub mod id;
pub mod path;
pub mod text;

pub mod model;

pub mod git;
pub mod grammar;
pub mod profile;
pub mod query;
pub mod read;
pub mod store;
pub mod tokenize;
pub mod walk;

pub mod analyze;
pub mod filter;
pub mod snippet;

pub mod index;
pub mod meta;
pub mod session;

pub mod update;

pub mod search;

pub mod engine;

pub mod catalog;
pub mod render;

/// README's example is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
