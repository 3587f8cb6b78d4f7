//! The types of receivers in Go, Java and Rust, as declarations tell them.
//!
//! The type of `make().pool` follows from the result that `make` writes and from the field `pool` of that type. A value is
//! the type that is written for it, with generic arguments; nothing is checked, and what is not written is not known.
//! Calls in an expression are resolved by the rules of [`super::resolve`] that need no type of a receiver.

mod evaluate;
mod evaluations;
mod fields;
mod item;
mod library;
mod locals;
mod members;
mod read;
mod ruling;
mod site;
mod written;

pub(super) use item::DeclaredTypes;
