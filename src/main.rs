//! The binary: command line in, text or JSON out.
//!
//! This file only connects the process to [`cli`]. [`mcp`] is the front end for agents, and [`install`] registers that
//! server with clients. Front ends use the library's public API like any other program, so whatever the command line
//! can do, an embedding program can do too.

mod cli;
mod install;
mod limits;
mod mcp;

fn main() -> std::process::ExitCode {
    give_back_after(QUESTION);
    limits::ignore_file_size_signal();
    limits::with_enough_stack(|| {
        spyhop::worker::run_worker_if_asked();
        cli::main()
    })
}

/// A parser allocates and frees a small piece for each node: with this allocator, which the C code uses too, indexing
/// takes a seventh less processor time than with glibc's.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// After how many milliseconds what is freed goes back to the system. A single question is over before that, and asks for
/// the same memory again and again: giving it back in between takes a fifth of its time. Segments are filled in tens of
/// megabytes: what the allocator keeps for its default of ten milliseconds adds up to a quarter more than an index takes
/// to build; but with no delay at all each stage of a server's answers gives back what the next one asks for.
const QUESTION: i64 = 100;
const UPDATES: i64 = 1;

/// Has freed memory go back to the system after so many milliseconds.
fn give_back_after(milliseconds: i64) {
    #[cfg(target_os = "linux")]
    // SAFETY: it sets a number of the allocator's.
    unsafe {
        /// The place of `mi_option_purge_delay`.
        const PURGE_DELAY: i32 = 15;
        libmimalloc_sys::mi_option_set(PURGE_DELAY, milliseconds as std::ffi::c_long);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = milliseconds;
}

/// Prepares for an update of an index.
fn give_back_soon() {
    give_back_after(UPDATES);
}

/// Gives back now what is free and kept for later: of this thread all, of others what they have left to the process.
fn give_back() {
    #[cfg(target_os = "linux")]
    // SAFETY: it may be called at any time.
    unsafe {
        libmimalloc_sys::mi_collect(true);
    }
}

/// Has the system make huge pages of the allocator's small ones, as it does unless it is told otherwise, or not. Each is
/// cleared whole when it is first touched, which pays where memory is filled: a question on a large tree takes two thirds
/// of the time with them. A new segment has a megabyte for each field and touches little of it: with them the thread that
/// indexes one file spends three quarters of its time on clearing pages.
fn huge_pages(wanted: bool) {
    #[cfg(target_os = "linux")]
    // SAFETY: it sets a flag of the process; where the system does not know it, nothing happens.
    unsafe {
        const UNUSED: libc::c_ulong = 0;
        libc::prctl(libc::PR_SET_THP_DISABLE, libc::c_ulong::from(!wanted), UNUSED, UNUSED, UNUSED);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = wanted;
}

/// Prepares for a long life: a server of ten roots takes a third of the memory without huge pages.
fn live_long() {
    give_back_soon();
    huge_pages(false);
}
