//! The operations: an [`Engine`] has one tree with its index, a [`Corpus`] one engine or several, and each request is an
//! [`Operation`].
//!
//! Threads share an [`Engine`] by reference. The engine keeps one commit open and compares the bytes of the commit
//! point before an answer, so it notices the commits of other processes. Searches take no lock that an update holds.
//! The engine prints nothing, has no global state, and starts no thread that outlives a call. A panic in it becomes an error.
//! With [`Isolation::Subprocess`](api::Isolation::Subprocess), idle parser workers wait for the next call until
//! [`Engine::release_caches`].

#![deny(missing_docs)]
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

mod activity;
mod advice;
mod answer;
pub mod api;
mod archive;
mod asked_queries;
#[cfg(feature = "async")]
mod asynchronous;
mod call;
mod cancel;
mod changes;
mod code_graph;
mod colors;
mod comparing;
mod completions;
mod copies;
mod core;
mod corpus;
mod current;
mod doctor;
mod entries;
mod error;
mod exhaustive;
mod explain;
mod fault;
#[cfg(feature = "serde")]
pub mod federated;
mod file_graph;
mod files;
mod graph;
mod graph_incomplete;
mod graph_mentions;
mod graph_outside;
mod graph_target;
mod graph_texts;
mod graph_uses;
mod grep;
mod grep_selection;
mod hit_callers;
mod hosted;
mod impact;
mod in_memory;
mod items;
mod lead;
mod literal_files;
mod lock;
mod lookup;
mod map;
mod mask;
mod member;
mod memory;
mod named_source;
mod note_links;
mod note_renames;
mod note_search;
mod open_index;
mod opening;
mod operation;
mod origin;
mod pack;
mod parsers;
mod query_faults;
mod ranked_query;
mod read;
mod remote;
mod removed;
mod reply_page;
mod revision_notes;
mod rows;
mod scope;
mod search;
mod search_defaults;
mod semantic;
mod session;
mod session_replies;
mod source;
mod state;
mod structure;
mod symbols;
mod touches;
mod tree;
mod updating;
mod views;
mod vouched;
mod watch;
mod why_not;

pub use self::core::Engine;
pub use api::LanguageRow;
#[cfg(feature = "async")]
pub use asynchronous::AsyncEngine;
pub use call::Call;
pub use cancel::Cancel;
pub use cancel::is_cancelled;
pub use corpus::{Corpus, CorpusMember};
pub use error::{Error, ErrorKind, no_thread};
pub use graph_uses::GraphOfFile;
pub use mask::MaskTexts;
pub use opening::index_home;
pub use operation::Operation;
pub use session::Session;
pub use watch::Stop;

#[cfg(test)]
mod tests;
