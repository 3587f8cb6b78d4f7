//! From the messages of `git` to the reason for which a repository cannot be fetched.

use std::io;
use std::path::Path;
use std::process::ExitStatus;

use super::super::remote_error::RemoteError;
use super::child::{CallEnd, GitOutput};
use super::limits::CallLimits;
use super::shown::masked;
use spyhop_base::clean;

/// The most characters of a reason.
const MAX_REASON_CHARS: usize = 400;

/// Beginnings of lines that say how far `git` is, or what to do with an interactive `git`.
const NOISE: &[&str] = &[
    "remote: Enumerating",
    "remote: Counting",
    "remote: Compressing",
    "remote: Total",
    "Receiving objects",
    "Resolving deltas",
    "Unpacking objects",
    "From ",
    "warning: ",
    "Please make sure you have the correct access rights",
    "and the repository exists",
];

/// Parts of messages, one a line.
const ACCESS: &str = include_str!("messages/access.txt");
const NO_REPOSITORY: &str = include_str!("messages/no_repository.txt");
const LOST: &str = include_str!("messages/lost.txt");

/// The server breaks off; what `git` says of the pack is a consequence.
const BROKEN_OFF: &[&str] = &["early EOF", "unexpected disconnect", "the remote end hung up", "RPC failed"];

const BAD_PACK: &str = include_str!("messages/bad_pack.txt");

const NO_GIT_SERVER: &[&str] =
    &["protocol error", "bad line length", "invalid ls-refs", "expected ", "unexpected "];

impl RemoteError {
    /// The error for a call that was not carried out.
    pub(super) fn of_end(url: String, end: CallEnd) -> RemoteError {
        match end {
            CallEnd::NotStarted(source) => RemoteError::NoGit { url, source },
            CallEnd::Cancelled => RemoteError::Cancelled { url },
            CallEnd::Idle(bytes, limit) => {
                let fault = format!("has sent less than {bytes} bytes in");
                RemoteError::TimedOut { url, fault, seconds: limit.as_secs_f64() }
            }
            CallEnd::Late(limit) => RemoteError::TimedOut {
                url,
                fault: "has not sent everything within".to_string(),
                seconds: limit.as_secs_f64(),
            },
            CallEnd::Above(limit, what) => RemoteError::TooLarge { url, limit, what },
        }
    }

    /// The error for a call that failed, with what `git` said. `wanted` was asked for, and `folder` was written to.
    pub(super) fn of_output(
        url: String,
        output: &GitOutput,
        wanted: &str,
        folder: &Path,
        limits: &CallLimits,
    ) -> RemoteError {
        let text = String::from_utf8_lossy(&output.messages);
        // What the server says itself decides nothing.
        let said: Vec<&str> = lines(&text).filter(|line| !line.starts_with("remote: ")).collect();
        let has = |parts: &[&str]| said.iter().any(|line| parts.iter().any(|part| line.contains(part)));
        let says = |list: &str| list.lines().any(|part| has(&[part]));
        let too_large = |limit, what| RemoteError::TooLarge { url: url.clone(), limit, what };
        if let Some(source) = disk_error(&has) {
            let is_our_limit =
                source.kind() == io::ErrorKind::FileTooLarge && is_limited_here(limits.disk_bytes);
            return match is_our_limit {
                true => too_large(limits.disk_bytes, "bytes on disk"),
                false => RemoteError::File {
                    action: "write the fetched files to",
                    path: folder.to_path_buf(),
                    source,
                },
            };
        }
        if has(&["attempting to allocate"]) {
            return too_large(limits.buffer_bytes, "bytes for one object or list");
        }
        if has(&["Out of memory", "out of memory", "cannot allocate", "Cannot allocate"]) {
            return too_large(limits.memory_bytes, "bytes of memory");
        }
        if is_out_of_time(output.status) || has(&["died of signal 24"]) {
            return too_large(limits.processor_seconds, "seconds of processor time");
        }
        let reason = reason(&text, output.status);
        match () {
            () if says(LOST) => RemoteError::Lost { url, wanted: wanted.to_string() },
            () if says(ACCESS) => RemoteError::NeedsCredentials { url, reason },
            () if says(NO_REPOSITORY) => RemoteError::NoRepository { url, reason },
            () if has(BROKEN_OFF) => RemoteError::Unreachable { url, reason },
            () if says(BAD_PACK) => RemoteError::BadAnswer { url, what: "a damaged pack", reason },
            () if has(NO_GIT_SERVER) => {
                RemoteError::BadAnswer { url, what: "what is no answer of a git server", reason }
            }
            () => RemoteError::Unreachable { url, reason },
        }
    }
}

/// The error of the system about a file that cannot be written.
fn disk_error(has: &dyn Fn(&[&str]) -> bool) -> Option<io::Error> {
    let kind = match () {
        () if has(&["No space left on device"]) => io::ErrorKind::StorageFull,
        () if has(&["quota exceeded"]) => io::ErrorKind::QuotaExceeded,
        () if has(&["Read-only file system"]) => io::ErrorKind::ReadOnlyFilesystem,
        () if has(&["File too large", "died of signal 25"]) => io::ErrorKind::FileTooLarge,
        () => return None,
    };
    Some(kind.into())
}

/// Whether the limit of a file's size is that of this program, and not a smaller one around it.
#[cfg(unix)]
fn is_limited_here(bytes: u64) -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a live struct.
    let told = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) } == 0;
    !told || limit.rlim_cur > bytes
}

#[cfg(not(unix))]
fn is_limited_here(_: u64) -> bool {
    false
}

#[cfg(unix)]
fn is_out_of_time(status: ExitStatus) -> bool {
    std::os::unix::process::ExitStatusExt::signal(&status) == Some(libc::SIGXCPU)
}

#[cfg(not(unix))]
fn is_out_of_time(_: ExitStatus) -> bool {
    false
}

/// The lines, each without what was written over.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.rsplit('\r').find(|part| !part.trim().is_empty()).unwrap_or_default().trim())
}

/// The messages in one line, without control characters and secrets.
fn reason(text: &str, status: ExitStatus) -> String {
    let mut parts: Vec<String> = Vec::new();
    for line in lines(text).filter(|line| !NOISE.iter().any(|noise| line.starts_with(noise))) {
        let part = ["fatal: ", "error: ", "remote: "]
            .iter()
            .fold(line, |line, kind| line.strip_prefix(kind).unwrap_or(line));
        let part = part.trim().trim_end_matches(['.', ':']);
        if !part.is_empty() && !parts.iter().any(|known| known.contains(part)) {
            parts.push(part.to_string());
        }
    }
    if parts.is_empty() {
        parts.push(format!("git has ended without a message ({status})"));
    }
    let joined = masked(&clean::line(&parts.join(": ")));
    match joined.char_indices().nth(MAX_REASON_CHARS) {
        Some((end, _)) => format!("{}…", &joined[..end]),
        None => joined,
    }
}

#[cfg(all(test, unix))]
mod tests;
