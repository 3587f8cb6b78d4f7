//! What a process may use, as its user has limited it: a limit that is reached is an error and not a crash.
//!
//! The system's defaults end a process without a word: a file that reaches its size limit raises a signal, a stack that
//! is too small is a segmentation fault, and a thread that cannot be started is a panic in most libraries.

use std::io::Write;
use std::process::ExitCode;

/// The stack that the command line runs on: the system's usual one.
const STACK_BYTES: usize = 8 << 20;

/// How the process ends where it cannot go on.
const FAILED: u8 = 2;

/// Has a write beyond the limit of file sizes (`ulimit -f`) fail with an error that can be told.
pub fn ignore_file_size_signal() {
    #[cfg(unix)]
    // SAFETY: no handler is set, the signal is ignored.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Runs `work` here or, where this thread's stack is limited (`ulimit -s`), on a thread with a stack of its own, which
/// that limit does not concern.
pub fn with_enough_stack(work: fn() -> ExitCode) -> ExitCode {
    if !is_stack_small() {
        return work();
    }
    let thread = std::thread::Builder::new().name("main".to_string()).stack_size(STACK_BYTES).spawn(work);
    match thread {
        Ok(thread) => thread.join().unwrap_or(ExitCode::from(FAILED)),
        Err(error) => {
            let _ = writeln!(
                std::io::stderr(),
                "spyhop: the stack is limited to less than {} KiB (ulimit -s), and there is no thread with a larger \
                 one: {error}; raise the limit",
                STACK_BYTES >> 10
            );
            ExitCode::from(FAILED)
        }
    }
}

#[cfg(unix)]
fn is_stack_small() -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the call fills the structure that it is given.
    let is_known = unsafe { libc::getrlimit(libc::RLIMIT_STACK, &mut limit) } == 0;
    is_known && limit.rlim_cur < STACK_BYTES as libc::rlim_t
}

#[cfg(not(unix))]
fn is_stack_small() -> bool {
    false
}

/// What becomes of a panic for want of a thread: libraries start threads in places where they can do nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithoutThread {
    /// The process ends with a message that says so. It is for commands that end the process anyway.
    End,
    /// Whoever catches the panic tells of it, so it is not reported as a fault.
    Unreported,
}

/// Sets what becomes of such panics from now on.
pub fn set_without_thread(choice: WithoutThread) {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let said = panic.payload();
        let said = said.downcast_ref::<String>().map(String::as_str).or(said.downcast_ref::<&str>().copied());
        match (said.and_then(spyhop::engine::no_thread), choice) {
            (Some(text), WithoutThread::End) => {
                let _ = writeln!(std::io::stderr(), "spyhop: {text}");
                std::process::exit(FAILED.into());
            }
            (Some(text), WithoutThread::Unreported) => tracing::warn!(%text),
            (None, _) => usual(panic),
        }
    }));
}
