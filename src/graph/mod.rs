//! The code graph: which definition a use of a name means, and from that who calls, uses, imports and implements what.
//!
//! The graph is not stored. The index says which files define or use a name; these files are read and analysed when a
//! question is asked, and each use is resolved to definitions by rules ([`EdgeRule`]). A use that stays ambiguous gives
//! several edges with a shared confidence. An answer analyses a bounded number of files and says when that was not
//! enough, so a question about a name that half of the tree uses ends in bounded time.
//!
//! This module owns resolution; the engine owns reading, budgets and the reply.

mod contextual;
mod definition;
mod expressions;
mod family;
mod files;
mod imports;
mod locals;
mod macros;
mod modules;
mod paths;
mod questions;
mod receivers;
mod resolve;
mod rule;
mod rust_modules;
mod scopes;
mod tokens;
mod types;
mod uses;
mod values;
mod web_scopes;
mod whole;
mod words;
mod written;

pub use files::{Definition, Graph, GraphFiles};
pub use questions::{GraphEdge, ImportEdge, Relation};
pub use rule::EdgeRule;
