//! The facade's plain data: requests, replies and options. Front ends fill requests and print replies.
//!
//! A reply serializes itself, and its JSON is that of every face: `--json`, HTTP, MCP and Python. The order of fields is that
//! of the JSON. Where JSON has other fields than the Rust type, a form beside the type has them (`wire_form!`).

#[cfg(feature = "serde")]
pub(super) mod blank;
pub(super) mod cursor;
mod entries;
mod file_graph;
mod files;
mod form;
mod graph;
mod grep;
mod incomplete;
mod map;
mod memory;
mod mentions;
mod options;
mod pack;
mod page;
mod read;
mod reasons;
pub(super) mod remedy;
mod search;
mod semantic;
mod skipped;
mod snapshot;
mod sources;
mod state;
mod symbols;
mod views;

pub use self::entries::*;
pub use self::file_graph::*;
pub use self::files::*;
pub use self::graph::*;
pub use self::grep::*;
pub use self::incomplete::*;
pub use self::map::*;
pub use self::memory::*;
pub use self::mentions::*;
pub use self::options::*;
pub use self::pack::*;
pub use self::page::*;
pub use self::read::*;
pub use self::reasons::Reason;
pub(crate) use self::reasons::most_telling;
pub use self::reasons::telling;
pub use self::remedy::*;
pub use self::search::*;
pub use self::semantic::*;
pub use self::skipped::*;
pub use self::snapshot::*;
pub use self::sources::*;
pub use self::state::*;
pub use self::symbols::*;
pub use self::views::*;
pub use super::session::{ActivitySource, FileActivity, Sent, Session};
pub use spyhop_base::store::LockHolder;
pub use spyhop_files::git::Reach as GitReach;
pub use spyhop_files::walk::{BuiltInFire, Cause, Exception, IgnoreKind, IgnoreRule, OverridingRule};
pub use spyhop_index::archive::{Export, Exported, Import, Imported};
pub use spyhop_index::retention::{Collected, Cost, DropReason, Dropped, Neighbour, SpaceTarget};
pub use spyhop_index::tokenize::{ExtraTerms, TokenizerHook};
pub use spyhop_index::update::{Progress, RefreshReport, Stage};
pub use spyhop_search::snippet::{ContextLine, Snippet, SourceLine};
pub use spyhop_search::{HostSignal, HostSignals, PlaceInput, SignalInput, SignalValue};
pub use spyhop_syntax::worker::{Isolation, WorkerPool};
