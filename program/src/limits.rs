//! Limits of the operating system (`ulimit`): reaching a limit is an error and not a crash.
//!
//! By default the process ends without a message: a file at its size limit raises a signal, a small stack causes a
//! segmentation fault, and most libraries panic if a thread cannot be started.

use std::io::Write;
use std::process::ExitCode;

/// The stack size for the command line: the usual size of the system.
const STACK_BYTES: usize = 8 << 20;

/// The exit code of a process that cannot continue.
const FAILED: u8 = 2;

/// Makes a write beyond the limit of file sizes (`ulimit -f`) fail with an error instead of ending the process.
pub fn ignore_file_size_signal() {
    #[cfg(unix)]
    // SAFETY: no handler is set, the signal is ignored.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Lowers the priority of this thread, and of the threads that it starts, where threads have priorities of their own.
pub fn lower_priority() {
    #[cfg(target_os = "linux")]
    // SAFETY: the call changes the priority of this thread only.
    unsafe {
        libc::nice(5);
    }
}

/// Runs `work` on this thread or, if the stack of this thread is too small (`ulimit -s`), on a new thread. The limit does
/// not apply to the stacks of new threads.
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

/// The treatment of a panic in a library that could not start a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithoutThread {
    /// The process ends with a message. This is for commands that would end the process anyway.
    End,
    /// The panic is logged and not printed, because the caller that catches the panic reports the error.
    Unreported,
}

/// Sets the treatment of such panics.
pub fn set_without_thread(choice: WithoutThread) {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let said = panic.payload();
        let said = said.downcast_ref::<String>().map(String::as_str).or(said.downcast_ref::<&str>().copied());
        match (said.and_then(spyhop_engine::no_thread), choice) {
            (Some(text), WithoutThread::End) => {
                let _ = writeln!(std::io::stderr(), "spyhop: {text}");
                std::process::exit(FAILED.into());
            }
            (Some(text), WithoutThread::Unreported) => tracing::warn!(%text),
            (None, _) => usual(panic),
        }
    }));
}
