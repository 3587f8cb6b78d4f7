//! The first index of a tree that nobody has asked to index.
//!
//! This module owns the process that completes the index after the text of a large tree has answered. The process is
//! `spyhop index` in a session of its own, without the terminal and the pipes of its parent, so closing the terminal
//! does not end it. It ends when the index is complete. If it is killed, the next search starts another one, which goes
//! on with what the index has.

use std::io;
use std::process::{Child, Command, Stdio};

use spyhop_engine::Engine;
use spyhop_engine::api::{OnMissing, Options, Snapshot, StalePolicy};
use spyhop_interface::render::index_arguments;

/// How a command treats a tree without an index.
pub struct FirstIndex {
    /// Whether the text alone may answer.
    answers_early: bool,
    /// The options of the process that completes the index, beside those that choose the index.
    limits: Vec<(&'static str, u64)>,
}

impl FirstIndex {
    /// The treatment that the options of a command ask for.
    pub fn new(options: &Options) -> FirstIndex {
        let threads = options.threads.map(|threads| ("--threads", threads as u64));
        let memory = options.max_memory.map(|bytes| ("--max-memory", bytes));
        FirstIndex {
            answers_early: options.on_missing == OnMissing::Build
                && options.stale_policy == StalePolicy::Refresh,
            limits: threads.into_iter().chain(memory).collect(),
        }
    }

    /// The options of the engine that answers.
    pub fn engine_options(&self, options: Options) -> Options {
        match self.answers_early {
            true => Options { on_missing: OnMissing::BuildText, ..options },
            false => options,
        }
    }

    /// Starts the process that completes the index, if an answer came from an unfinished one and no process works on
    /// it. Returns the warning about that.
    pub fn complete(&self, engine: &Engine, snapshot: &Snapshot) -> Option<String> {
        if !self.answers_early || snapshot.building.is_none() || engine.is_updating() {
            return None;
        }
        Some(match self.start(engine) {
            Ok(child) => format!(
                "process {} completes the index in the background; --wait waits for the complete index",
                child.id()
            ),
            Err(error) => format!(
                "no process could be started to complete the index: {error}; complete it by: {}",
                spyhop_interface::render::index_command(&engine.recipe())
            ),
        })
    }

    fn start(&self, engine: &Engine) -> io::Result<Child> {
        let recipe = engine.recipe();
        let mut command = Command::new(std::env::current_exe()?);
        command.args(index_arguments(&recipe)).arg("--quiet");
        match recipe.view {
            // Another process may have begun meanwhile; then that process completes the index.
            None => command.arg("--no-wait"),
            Some(_) => command.args(["--wait", "--yes"]),
        };
        for (flag, number) in &self.limits {
            command.args([flag.to_string(), number.to_string()]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        detach(&mut command);
        command.spawn()
    }
}

/// Gives a process a session of its own.
#[cfg(unix)]
fn detach(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    // SAFETY: between fork and exec only `setsid` is called, which is safe there.
    unsafe {
        command.pre_exec(|| match libc::setsid() {
            -1 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        });
    }
}

/// Gives a process no console, and a process group of its own.
#[cfg(windows)]
fn detach(command: &mut Command) {
    use std::os::windows::process::CommandExt;
    const DETACHED_PROCESS: u32 = 0x0000_0008;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;
    command.creation_flags(DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP);
}

#[cfg(not(any(unix, windows)))]
fn detach(_: &mut Command) {}
