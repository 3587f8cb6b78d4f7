//! The pool of parser workers: idle workers wait here for the next thread that analyses files.

use std::ffi::OsString;
use std::path::PathBuf;
#[cfg(unix)]
use std::sync::{Mutex, MutexGuard, PoisonError};

#[cfg(unix)]
use super::process::{StartError, Worker};
#[cfg(unix)]
use crate::grammar::Grammars;
#[cfg(unix)]
use spyhop_base::cores::cores;

/// The first argument of a process that is to be a parser worker.
pub const WORKER_ARGUMENT: &str = "--spyhop-parser-worker";

/// Child processes that parse. Engines may share a pool; a worker is used by one thread at a time. Idle workers end
/// when the pool is dropped, on [`WorkerPool::release_idle`], and when this process ends, however it ends.
#[derive(Debug)]
#[cfg_attr(not(unix), expect(dead_code, reason = "workers exist on Unix only"))]
pub struct WorkerPool {
    program: PathBuf,
    arguments: Vec<OsString>,
    #[cfg(unix)]
    idle: Mutex<Vec<Worker>>,
}

impl WorkerPool {
    /// A pool of processes that run `program` with `arguments`. That program must call
    /// [`super::run_worker_if_asked`] with [`WORKER_ARGUMENT`] as its first argument, and be the same build of this
    /// library; a worker of another build is refused.
    pub fn new(program: PathBuf, arguments: Vec<OsString>) -> WorkerPool {
        WorkerPool {
            program,
            arguments,
            #[cfg(unix)]
            idle: Mutex::default(),
        }
    }

    /// A pool of processes that run the current program again, see [`super::run_worker_if_asked`].
    pub fn of_this_program() -> WorkerPool {
        WorkerPool::new(current_program(), vec![OsString::from(WORKER_ARGUMENT)])
    }

    /// Ends the workers that nobody uses.
    pub fn release_idle(&self) {
        #[cfg(unix)]
        {
            let idle = std::mem::take(&mut *self.idle());
            drop(idle);
        }
    }

    /// An idle worker with these grammars, or a new one.
    #[cfg(unix)]
    pub(super) fn take(&self, grammars: &Grammars) -> Result<Worker, StartError> {
        let mut idle = self.idle();
        let place = idle.iter().position(|worker| worker.grammars() == grammars.fingerprint());
        let worker = place.map(|place| idle.swap_remove(place));
        drop(idle);
        match worker {
            Some(worker) => Ok(worker),
            None => Worker::start(&self.program, &self.arguments, grammars),
        }
    }

    /// Takes back a worker that waits for a request.
    #[cfg(unix)]
    pub(super) fn give_back(&self, worker: Worker) {
        let mut idle = self.idle();
        if idle.len() < cores() {
            idle.push(worker);
        }
    }

    #[cfg(unix)]
    fn idle(&self) -> MutexGuard<'_, Vec<Worker>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn current_program() -> PathBuf {
    // This link names the program that is running, even if its file was replaced by a newer version since.
    let link = PathBuf::from("/proc/self/exe");
    if cfg!(target_os = "linux") && link.exists() {
        return link;
    }
    std::env::current_exe().ok().or_else(started_as).unwrap_or_default()
}

/// The path by which the kernel started this program, known without `/proc`.
#[cfg(target_os = "linux")]
fn started_as() -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    // SAFETY: the kernel leaves a path that ends in NUL and lives as long as the process; 0 means that there is none.
    let name = unsafe {
        let name = libc::getauxval(libc::AT_EXECFN) as *const libc::c_char;
        if name.is_null() { None } else { Some(std::ffi::CStr::from_ptr(name)) }
    };
    let path = PathBuf::from(std::ffi::OsStr::from_bytes(name?.to_bytes()));
    Some(std::env::current_dir().ok()?.join(path))
}

#[cfg(not(target_os = "linux"))]
fn started_as() -> Option<PathBuf> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn the_current_program_is_known_without_proc() {
        let file = |path: &std::path::Path| path.metadata().map(|file| (file.dev(), file.ino())).unwrap();
        let known = super::started_as().unwrap();
        assert_eq!(file(&known), file("/proc/self/exe".as_ref()), "{}", known.display());
    }
}
