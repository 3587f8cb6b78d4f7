//! The binary: command line in, text or JSON out.
//!
//! It owns nothing but the way from the process to [`cli`]; [`mcp`] is the front end for agents, and [`install`] sets
//! it up with them. Front ends use the library's public API like any other program, so whatever the command line can
//! do, an embedding program can do too.

mod cli;
mod install;
mod mcp;

fn main() -> std::process::ExitCode {
    give_back_soon();
    cli::main()
}

/// A parser allocates and frees a small piece for each node: with this allocator, which the C code uses too, indexing
/// takes a seventh less processor time than with glibc's.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What is freed goes back to the system soon: segments are filled in tens of megabytes, and what the allocator keeps
/// for its default of ten milliseconds adds up to a quarter more than an index takes to build. With no delay at all a
/// query would give back what its next stage asks for.
fn give_back_soon() {
    #[cfg(target_os = "linux")]
    // SAFETY: it sets a number of the allocator's.
    unsafe {
        /// The place of `mi_option_purge_delay`, which is in milliseconds.
        const PURGE_DELAY: i32 = 15;
        libmimalloc_sys::mi_option_set(PURGE_DELAY, 1);
    }
}

/// Gives back now what is free and kept for later: of this thread all, of others what they have left to the process.
fn give_back() {
    #[cfg(target_os = "linux")]
    // SAFETY: it may be called at any time.
    unsafe {
        libmimalloc_sys::mi_collect(true);
    }
}

/// Keeps the system from making huge pages of the allocator's small ones, of which a process that lives long uses little
/// each: a server of ten roots takes a third of the memory without them. Indexing by itself is over before that counts.
fn keep_pages_small() {
    #[cfg(target_os = "linux")]
    // SAFETY: it sets a flag of the process; where the system does not know it, nothing happens.
    unsafe {
        libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0);
    }
}
