//! The choice where source texts are parsed.

use std::sync::Arc;

use super::pool::WorkerPool;
use crate::grammar::Grammars;

/// Where source texts are parsed.
///
/// Parsers contain C code of many authors, and some input makes a parser loop forever or crash. With
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
    /// [`run_worker_if_asked`](super::run_worker_if_asked) as the first thing in its `main`.
    pub fn in_workers() -> Parsing {
        Parsing::Workers(Arc::new(WorkerPool::of_this_program()))
    }

    /// Starts a worker that the next [`FileAnalyzer`](super::FileAnalyzer) can use, unless one is idle. A worker takes
    /// some milliseconds to get ready, so a caller that is about to parse calls this early.
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
