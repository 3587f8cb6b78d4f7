//! Parser workers: child processes that parse source texts, so that a parser that crashes costs only one file.
//!
//! A tree-sitter grammar may come with a scanner in C that loops for ever, aborts or reads beyond a table on input
//! that its authors did not foresee. No check inside the process stops such a scanner. This module therefore runs the
//! analysis of a text in a worker: a process that can read its pipe, write its pipe, allocate memory and nothing else
//! ([`sandbox`]). The caller watches the worker's processor time and the clock, kills a worker that exceeds its budget, and
//! starts another one ([`process`]). [`FileAnalyzer`] is what an indexing thread or a query uses; [`Parsing`] is the
//! choice of the program that embeds the library.
//!
//! [`crate::analyze`] interprets a text; [`crate::update`] decides which files are never parsed again.

mod analyzer;
mod pool;
#[cfg(unix)]
mod process;
#[cfg(unix)]
mod sandbox;
#[cfg(unix)]
mod serve;
#[cfg(unix)]
mod wire;

use std::sync::Arc;

use crate::grammar::Grammars;

pub use analyzer::{FileAnalyzer, Lost};
pub use pool::WorkerPool;

/// The first argument of a process that is to be a parser worker.
pub const WORKER_ARGUMENT: &str = "--spyhop-parser-worker";

/// Where source texts are parsed.
///
/// Grammars are C code of many authors, and some input makes one loop for ever or end the process. With
/// [`Parsing::Workers`], such a file loses its structure and nothing else happens. With [`Parsing::InProcess`], the default
/// for a library, the calling process can hang or die; a file that killed it is found on the next update and not parsed
/// again.
#[derive(Clone, Debug, Default)]
pub enum Parsing {
    /// On the threads of this process.
    #[default]
    InProcess,
    /// In child processes of a pool, which engines may share. On systems other than Unix, this is the same as `InProcess`.
    Workers(Arc<WorkerPool>),
}

impl Parsing {
    /// Parses in child processes that run the current program again. The program must call
    /// [`run_worker_if_asked`] as the first thing in its `main`.
    pub fn in_workers() -> Parsing {
        Parsing::Workers(Arc::new(WorkerPool::of_this_program()))
    }

    /// Starts a worker that the next [`FileAnalyzer`] can use, unless one is idle. A worker takes some milliseconds to
    /// get ready, so a caller that is about to parse calls this early.
    pub(crate) fn prepare(&self, grammars: &Grammars) {
        #[cfg(unix)]
        if let Parsing::Workers(pool) = self
            && let Ok(worker) = pool.take(grammars)
        {
            pool.give_back(worker);
        }
        #[cfg(not(unix))]
        let _ = grammars;
    }
}

/// Runs a parser worker and does not return, if the first argument of this process is [`WORKER_ARGUMENT`]. Any other
/// process returns at once.
///
/// ```
/// spyhop::worker::run_worker_if_asked();
/// let options = spyhop::Options { parsing: spyhop::worker::Parsing::in_workers(), ..Default::default() };
/// # let _ = options;
/// ```
pub fn run_worker_if_asked() {
    #[cfg(unix)]
    if std::env::args_os().nth(1).is_some_and(|argument| argument == WORKER_ARGUMENT) {
        serve::run();
    }
}
