//! The binary: command line in, text or JSON out.
//!
//! This file only connects the process to [`cli`]. [`mcp`] is the front end for agents, [`lsp`] the one for editors, [`ui`]
//! the picker in the terminal, and [`install`] registers the server for agents with clients. Front ends use the library's public API like any other program, so whatever the command line
//! can do, an embedding program can do too.

#![allow(
    rustdoc::private_intra_doc_links,
    reason = "module docs lead readers of the code; `cargo doc --document-private-items` resolves the links"
)]

mod cli;
mod editor;
mod http;
mod install;
mod keep;
mod languages;
mod limits;
mod lsp;
mod mcp;
mod query_line;
mod serve;
mod ui;

fn main() -> std::process::ExitCode {
    give_back_after(QUESTION);
    huge_pages(false);
    limits::ignore_file_size_signal();
    limits::with_enough_stack(|| {
        spyhop_syntax::worker::run_worker_if_asked();
        cli::main()
    })
}

/// The allocator, which the C code uses too. A parser allocates and frees a small block for each node: with this
/// allocator, indexing takes a seventh less processor time than with glibc's.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The delay in milliseconds after which freed memory goes back to the system. A query is over before that, and the next one
/// allocates the same memory again and again: returning it in between takes a fifth of the query's time. An update
/// fills segments of tens of megabytes: with the allocator's default of ten milliseconds, the memory that it keeps adds
/// a quarter to what an index build takes. With no delay at all, each stage of a server's answers would return what the
/// next stage allocates.
const QUESTION: i64 = 1_000;
const UPDATES: i64 = 1;

/// Sets the delay after which freed memory goes back to the system.
fn give_back_after(milliseconds: i64) {
    #[cfg(target_os = "linux")]
    // SAFETY: the call sets a number of the allocator.
    unsafe {
        /// The number of the option `mi_option_purge_delay`.
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

/// Returns free memory to the system now: all free memory of this thread, and of other threads what they have left to
/// the process.
fn give_back() {
    #[cfg(target_os = "linux")]
    // SAFETY: the function may be called at any time.
    unsafe {
        libmimalloc_sys::mi_collect(true);
    }
}

/// Turns transparent huge pages on, which is the system's default, or off. A huge page is cleared whole when it is
/// first touched, which pays off where memory is filled: with huge pages, a query on a large tree takes two thirds of
/// the time. A new segment allocates a megabyte for each field and touches little of it: with huge pages, the thread
/// that indexes one file spends three quarters of its time on clearing pages.
fn huge_pages(wanted: bool) {
    #[cfg(target_os = "linux")]
    // SAFETY: the call sets a flag of the process; a system that does not know the flag ignores the call.
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
