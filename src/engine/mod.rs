//! The facade.

pub mod api;
