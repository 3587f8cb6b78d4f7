//! The command line and the environment of `git`: the user's means to reach servers, and nothing that runs, asks or writes.
//!
//! The user's configuration is read, because credential helpers, proxies, certificates, `url.*.insteadOf` and
//! `core.sshCommand` are there. Settings on the command line win over it. Prompts are impossible: `git` and `ssh` have no
//! terminal (they run in a new session), and the programs that would ask in its place are set to none.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use gix::url::Scheme;

use super::limits::CallLimits;

/// The command of SSH, which asks for no password, passphrase or confirmation.
const SSH: &str = "ssh -o BatchMode=yes";

/// The variables of git that belong to the way to a server. All others, such as `GIT_DIR` in a hook, are removed.
const KEPT: &[&str] = &["GIT_CONFIG_", "GIT_EXEC_PATH", "GIT_HTTP_", "GIT_PROXY_", "GIT_SSH", "GIT_SSL_"];

/// Kept by their prefix, but set by a git process around this program for that process.
const NOT_KEPT: &[&str] = &["GIT_CONFIG_PARAMETERS"];

/// Settings that win over those of the user.
const SETTINGS: &[&str] = &[
    // An embedded transport such as `ext::` would run a command.
    "protocol.allow=never",
    "protocol.ext.allow=never",
    "protocol.https.allow=always",
    "protocol.ssh.allow=always",
    "protocol.git.allow=always",
    // Only `url.*.insteadOf` of the user leads to a file or folder.
    "protocol.file.allow=always",
    "http.followRedirects=initial",
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.askPass=",
    "credential.interactive=false",
    "fetch.recurseSubmodules=false",
    "submodule.recurse=false",
    "transfer.bundleURI=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "fetch.writeCommitGraph=false",
    "fetch.prune=false",
    "color.ui=false",
    // A received pack stays one file, whose size is known and limited.
    "fetch.unpackLimit=1",
    // Larger files are copied in pieces.
    "core.bigFileThreshold=64m",
    "pack.threads=2",
];

/// `git` in the bare repository `folder`, without a subcommand.
pub(super) fn git(scheme: &Scheme, folder: &Path, limits: &CallLimits) -> Command {
    let mut command = bare(folder);
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    // A server that is reached over HTTPS cannot redirect to HTTP.
    let is_http = *scheme == Scheme::Http;
    command.args(["-c", if is_http { "protocol.http.allow=always" } else { "protocol.http.allow=user" }]);
    if is_http {
        // An empty helper removes all that came before it: no credentials go over a connection that anybody can read.
        command.args(["-c", "credential.helper="]);
    }
    command.env("GIT_ALLOC_LIMIT", limits.buffer_bytes.to_string());
    if !has_ssh_command(folder) {
        command.env("GIT_SSH_COMMAND", SSH);
    }
    command
}

/// `git` with a clean environment.
fn bare(folder: &Path) -> Command {
    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os() {
        if is_removed(&name) {
            command.env_remove(name);
        }
    }
    command
        .current_dir(folder)
        .env("GIT_DIR", folder)
        .env("GIT_TERMINAL_PROMPT", "0")
        // Set and empty: neither `core.askPass` nor `SSH_ASKPASS` takes its place.
        .env("GIT_ASKPASS", "")
        .env("SSH_ASKPASS_REQUIRE", "never")
        .env_remove("SSH_ASKPASS")
        .env("GCM_INTERACTIVE", "never")
        // Messages are read here.
        .env("LC_ALL", "C")
        .env_remove("LANGUAGE");
    command
}

fn is_removed(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let is_kept = KEPT.iter().any(|kept| name.starts_with(kept)) && !NOT_KEPT.contains(&name.as_ref());
    name.starts_with("GIT_") && !is_kept
}

/// Whether the user has a command of SSH, which then stays as it is.
fn has_ssh_command(folder: &Path) -> bool {
    if ["GIT_SSH", "GIT_SSH_COMMAND"].iter().any(|name| std::env::var_os(name).is_some()) {
        return true;
    }
    let mut command = bare(folder);
    command.args(["config", "--get", "core.sshCommand"]);
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// Creates an empty bare repository, without the hooks and settings of the user's templates.
pub(super) fn create_repository(folder: &Path) -> io::Result<()> {
    for name in ["objects/info", "objects/pack", "refs/heads"] {
        fs::create_dir_all(folder.join(name))?;
    }
    fs::write(folder.join("config"), "[core]\n\trepositoryformatversion = 0\n\tbare = true\n")?;
    fs::write(folder.join("HEAD"), "ref: refs/heads/main\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_a_git_around_this_program_are_removed() {
        for name in ["GIT_DIR", "GIT_ALLOW_PROTOCOL", "GIT_CONFIG_PARAMETERS", "GIT_INDEX_FILE", "GIT_TRACE"]
        {
            assert!(is_removed(OsStr::new(name)), "{name}");
        }
        for name in
            ["GIT_SSH_COMMAND", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_KEY_0", "GIT_SSL_CAINFO", "HTTPS_PROXY"]
        {
            assert!(!is_removed(OsStr::new(name)), "{name}");
        }
    }
}
