//! The binary: command line in, text or JSON out.
//!
//! It owns nothing but the way from the process to [`cli`]. Front ends use the library's public API like any other
//! program, so whatever the command line can do, an embedding program can do too.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
