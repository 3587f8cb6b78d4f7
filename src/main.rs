//! The binary: command line in, text or JSON out.
//!
//! It owns nothing but the way from the process to [`cli`]; [`mcp`] is the front end for agents. Front ends use the library's public API like any other
//! program, so whatever the command line can do, an embedding program can do too.

mod cli;
mod mcp;

fn main() -> std::process::ExitCode {
    give_memory_back();
    cli::main()
}

/// From the first large piece of memory that is freed glibc learns to keep all up to that size in its heaps, where small
/// ones that live on hold them fast: what segments were filled in then adds up. With a size that is set it does not
/// learn, and large pieces go back to the system.
fn give_memory_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it sets a number of the allocator's, while there is no other thread.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 512 << 10);
    }
}
