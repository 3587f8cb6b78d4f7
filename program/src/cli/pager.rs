//! The pager: another program that shows an answer which is longer than the screen.
//!
//! This module owns the choice of the program and the decision whether an answer needs it. Only people at a terminal get
//! a pager: a program that waits for keys would stop a pipe or an agent for ever.

use std::io::{self, Write};
use std::process::{Command, ExitStatus, Stdio};

/// The variables that name the pager, the first that is set counts; an empty one means no pager.
const VARIABLES: [&str; 2] = ["SPYHOP_PAGER", "PAGER"];
/// The pager if no variable names one: colours, no clearing of the screen, and an end where the text fits.
const DEFAULT: &str = "less -FRX";
/// Variables that agents and build machines set for the programs that they start.
const AGENTS: [&str; 6] =
    ["CI", "CLAUDECODE", "CODEX_SANDBOX", "CURSOR_AGENT", "GEMINI_CLI", "SPYHOP_NO_PAGER"];
/// The exit codes of a shell that could not start a program.
const NOT_STARTED: [i32; 2] = [126, 127];

/// The command of the pager, unless this terminal has none.
pub fn command() -> Option<String> {
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    if is_dumb || AGENTS.iter().any(is_set) {
        return None;
    }
    let named = VARIABLES.iter().find_map(|name| std::env::var(name).ok());
    let command = named.unwrap_or_else(|| DEFAULT.to_string());
    let command = command.trim();
    (!command.is_empty() && command != "cat").then(|| command.to_string())
}

/// Shows a text with the pager. False if the pager could not be started, so that the text has not been shown.
pub fn show(command: &str, text: &str) -> io::Result<bool> {
    let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut process = Command::new(shell);
    process.args([flag, command]).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        // `PAGER=less` shows colours too, as it does for git.
        process.env("LESS", "FRX");
    }
    let Ok(mut child) = process.spawn() else { return Ok(false) };
    if let Some(mut input) = child.stdin.take() {
        match input.write_all(text.as_bytes()) {
            // The reader has seen enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            written => written?,
        }
    }
    let status: ExitStatus = child.wait()?;
    Ok(!status.code().is_some_and(|code| NOT_STARTED.contains(&code)))
}
