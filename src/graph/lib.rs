//! The code graph: which definition a use of a name means, and so the callers, users, importers and implementations of a definition.
//!
//! Edges are not stored. The index says which files define or use a name, and holds the places of the uses in each file
//! ([`spyhop_index::meta::StoredUses`]). When a question is asked, the texts of these files are read, nearest files first, and
//! each use is resolved to definitions by rules ([`EdgeRule`]). A use that stays ambiguous gives several edges with a
//! shared confidence. An answer reads a bounded number of files and says when that was not enough
//! ([`GraphLimits`]), so a question about a name that half of the tree uses ends in bounded time.
//!
//! This module owns resolution; the engine owns reading, budgets and the reply.

#![deny(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

mod arguments;
mod bases;
mod blocks;
mod by_name;
mod c_headers;
mod callables;
mod constructor_words;
mod constructors;
mod cpp_roles;
mod csharp_namespaces;
mod declarations;
mod declared_modules;
mod declared_namespaces;
mod definition;
mod definitions;
mod dependents;
mod entries;
mod family;
mod file_graph;
mod file_sort;
mod files;
mod generics;
mod go_interfaces;
mod implementations;
mod importers;
mod imports;
mod judgement;
mod local_names;
mod macros;
mod mention_rules;
mod mentions;
mod mixins;
mod modules;
mod namespaces;
mod other_names;
mod outside;
mod overloads;
mod paths;
mod paths_between;
mod php_imports;
mod php_names;
mod position;
mod qualified;
mod questions;
mod re_exports;
mod receiver_text;
mod removed;
mod resolve;
mod ruby;
mod rule;
mod runs;
mod rust_aliases;
mod rust_crates;
mod rust_modules;
mod schedulers;
mod scopes;
mod stand_ins;
mod steps;
mod swift_labels;
mod syntax_facts;
mod test_files;
mod test_names;
mod titles;
mod tokens;
mod types;
mod use_form;
mod use_role;
mod uses;
mod web_scopes;
mod whole;
mod words;
mod words_of_texts;

pub use entries::{EntryKind, EntryPoint, EntryPoints, Handler, ReachedEntry};
pub use family::{has_imports, imports_names};
pub use file_graph::{FileEdge, cycles};
pub use files::{Definition, Graph, GraphFiles, GraphLimits, MAX_STEPS};
pub use imports::ImportEdge;
pub use mentions::{Mention, MentionPart, MentionReason, NotJudged, RESOLVED, WantedSymbols};
pub use outside::{OutsideName, OutsideUse};
pub use position::{PlaceMeaning, PlacedName};
pub use questions::{GraphEdge, Relation};
pub use removed::REMOVED_FILE;
pub use resolve::MAX_MEANINGS;
pub use rule::EdgeRule;
pub use test_files::is_test_file;
