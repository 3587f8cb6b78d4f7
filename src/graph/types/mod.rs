//! The types of values, as declarations tell them: one evaluator for all languages.
//!
//! The type of `make().pool` follows from the result that `make` writes and from the field `pool` of that type. A value is
//! the type that is written for it, with generic arguments; nothing is checked, and what is not written is not known. Languages
//! differ in where names are looked up. In Python and the languages of the web, the declarations of all scopes of a file are read
//! (`found.rs`). In other languages, a local name is looked up in the function around it, and any other name by the rules of
//! [`super::resolve`] that need no type of a receiver. Go and Rust have rules of their own for declarations (`locals.rs`); what
//! the others differ in is in `languages.toml` (`sources.rs`).

mod blocks;
mod built_in;
mod calls;
mod docs;
mod evaluate;
mod evaluations;
mod fields;
mod found;
mod functions;
mod implied;
mod initializers;
mod instances;
mod item;
mod known;
mod library;
mod literals;
mod locals;
mod members;
mod operands;
mod operators;
mod pointers;
mod read;
mod ruling;
mod site;
mod sources;
mod web;
mod written;

pub(super) use known::{DeclaredTypes, Embeddings};
