//! The choice where source texts are parsed.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use super::pool::{WORKER_ARGUMENT, WorkerPool};
use crate::grammar::Grammars;

/// Where source texts are parsed.
///
/// Parsers contain C code of many authors, and some input makes a parser loop forever or crash. With
/// [`Isolation::Subprocess`], such a file loses its structure and nothing else happens. With [`Isolation::InProcess`], the
/// default for a library, a parse that passes its budget is stopped by the callbacks of tree-sitter, and nothing of the
/// process is changed. But some scanners never come back to a callback, abort, or allocate gigabytes between two
/// callbacks; in process, such input hangs or ends the program. A file that ended the program is found on the next update
/// and not parsed again.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Isolation {
    /// On the threads of this process.
    #[default]
    InProcess,
    /// In child processes of a pool, which engines may share. If none can be started, files are indexed by lines, without
    /// structure, and listed with the cause. On systems other than Unix, this is the same as `InProcess`.
    Subprocess(Arc<WorkerPool>),
}

impl Isolation {
    /// Parses in child processes that run the current program again. The program must call
    /// [`run_worker_if_asked`](super::run_worker_if_asked) as the first thing in its `main`.
    pub fn own_program() -> Isolation {
        Isolation::Subprocess(Arc::new(WorkerPool::of_this_program()))
    }

    /// Parses in child processes that run `program`: the program `spyhop` of the same version and with the same languages, or
    /// any other that calls [`run_worker_if_asked`](super::run_worker_if_asked) as the first thing in its `main`.
    pub fn subprocess(program: impl Into<PathBuf>) -> Isolation {
        Isolation::Subprocess(Arc::new(WorkerPool::new(
            program.into(),
            vec![OsString::from(WORKER_ARGUMENT)],
        )))
    }

    /// Starts a worker that the next [`FileAnalyzer`](super::FileAnalyzer) can use, unless one is idle. A worker takes
    /// some milliseconds to get ready, so a caller that is about to parse calls this early.
    #[doc(hidden)]
    pub fn prepare(&self, grammars: &Grammars) {
        #[cfg(unix)]
        if let Isolation::Subprocess(pool) = self
            && let Ok(worker) = pool.take(grammars)
        {
            pool.give_back(worker);
        }
        #[cfg(not(unix))]
        let _ = grammars;
    }
}
