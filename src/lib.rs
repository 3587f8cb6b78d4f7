//! Spyhop finds code by what it does.

// Floors, lowest first; each module imports only from floors below (`tests/architecture.rs`).
pub mod id;
pub mod path;
pub mod text;

pub mod model;

pub mod grammar;
pub mod git;
pub mod read;
pub mod walk;
pub mod store;
pub mod tokenize;

pub mod profile;

pub mod analyze;
pub mod filter;

pub mod index;
pub mod meta;

pub mod engine;
