//! The binary: command line in, text or JSON out.
//!
//! It owns nothing but the way from the process to [`cli`]; [`mcp`] is the front end for agents. Front ends use the library's public API like any other
//! program, so whatever the command line can do, an embedding program can do too.

mod cli;
mod mcp;

fn main() -> std::process::ExitCode {
    cli::main()
}
