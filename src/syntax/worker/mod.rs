//! Parser workers: child processes that parse source texts, so that a parser that crashes costs only one file.
//!
//! A tree-sitter grammar may come with a scanner in C that loops for ever, aborts or reads beyond a table on input
//! that its authors did not foresee. No check inside the process stops such a scanner. This module therefore runs the
//! analysis of a text in a worker: a process that can read its pipe, write its pipe, allocate memory and nothing else
//! ([`sandbox`]). The caller watches the worker's processor time, kills a worker that hangs or stands still, and starts
//! another one ([`process`]). [`FileAnalyzer`] is what an indexing thread or a query uses; [`Isolation`] is the
//! choice of the program that embeds the library.
//!
//! [`crate::analyze`] interprets a text; `spyhop_index::update` decides which files are never parsed again.

mod analyzer;
mod isolation;
mod lost;
mod pool;
#[cfg(unix)]
mod process;
#[cfg(unix)]
mod sandbox;
#[cfg(unix)]
mod serve;
#[cfg(unix)]
mod wire;

pub use analyzer::FileAnalyzer;
pub use isolation::Isolation;
pub use lost::message_of;
pub use lost::{LossKind, Lost};
pub use pool::{WORKER_ARGUMENT, WorkerPool};

/// Runs a parser worker and does not return, if the first argument of this process is [`WORKER_ARGUMENT`]. Any other
/// process returns at once.
pub fn run_worker_if_asked() {
    #[cfg(unix)]
    if std::env::args_os().nth(1).is_some_and(|argument| argument == WORKER_ARGUMENT) {
        serve::run();
    }
}
