//! Running `git` within limits: time, memory, processor time, and what it writes to its folder and to its pipes.
//!
//! The process leads a new session and process group, so the end of a call ends the programs that `git` has
//! started too, and none of them has a terminal. Where the system can, `git` ends with this program.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use super::limits::CallLimits;
use spyhop_base::threads;

/// The interval between two looks at the folder and the clock.
const TICK: Duration = Duration::from_millis(50);

/// How long `git` may take to end by itself, after which it is killed.
const GRACE: Duration = Duration::from_millis(500);

/// How long a pipe may stay open after `git` has ended.
const PIPE_GRACE: Duration = Duration::from_secs(2);

/// The bytes that are read from a pipe at a time.
const CHUNK_BYTES: usize = 16 << 10;

/// The chunks that wait.
const CHUNKS: usize = 8;

/// The bytes of messages that are kept, the last ones.
const KEPT_BYTES: usize = 16 << 10;

/// How the processes of a call ended.
#[derive(Debug)]
pub(super) struct GitOutput {
    pub status: ExitStatus,
    pub answer: Vec<u8>,
    /// The last messages.
    pub messages: Vec<u8>,
}

/// Why a call was not carried out.
#[derive(Debug)]
pub(super) enum CallEnd {
    /// The process could not be started.
    NotStarted(io::Error),
    Cancelled,
    /// Fewer bytes than that have arrived in so long a time.
    Idle(u64, Duration),
    /// The call has taken so long.
    Late(Duration),
    /// A limit, and what it limits.
    Above(u64, &'static str),
}

/// The limits and the folder by which a call is watched.
pub(super) struct CallWatch<'a> {
    pub limits: &'a CallLimits,
    /// The folder that `git` writes to.
    pub folder: &'a Path,
    /// Called with the number of bytes in the folder.
    pub progress: &'a dyn Fn(u64),
    pub is_cancelled: &'a dyn Fn() -> bool,
}

/// A piece of one of the two pipes.
enum OutputPiece {
    Answer(Vec<u8>),
    Messages(Vec<u8>),
}

/// Runs a command to its end, or ends it.
pub(super) fn run(command: &mut Command, watch: &CallWatch<'_>) -> Result<GitOutput, CallEnd> {
    isolate(command, watch.limits);
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(CallEnd::NotStarted)?;
    let (sender, chunks) = mpsc::sync_channel(CHUNKS);
    let (answers, messages) = (child.stdout.take(), child.stderr.take());
    let read = pass_on(answers, sender.clone(), OutputPiece::Answer);
    let read =
        read.and_then(|()| pass_on(messages, sender, OutputPiece::Messages)).map_err(CallEnd::NotStarted);
    let mut is_reaped = false;
    let followed = read.and_then(|()| follow(&mut child, &mut is_reaped, &chunks, watch));
    if followed.is_err() && !is_reaped {
        end(&mut child, &chunks);
    }
    followed
}

/// Passes on what a pipe has, on a thread that ends with the pipe or with the receiver.
fn pass_on(
    pipe: Option<impl Read + Send + 'static>,
    sender: SyncSender<OutputPiece>,
    chunk: fn(Vec<u8>) -> OutputPiece,
) -> io::Result<()> {
    let Some(mut pipe) = pipe else { return Ok(()) };
    let thread = std::thread::Builder::new().name("spyhop-git".to_string());
    threads::for_no_call(thread, move || {
        let mut buffer = vec![0; CHUNK_BYTES];
        while let Ok(read @ 1..) = pipe.read(&mut buffer) {
            if sender.send(chunk(buffer[..read].to_vec())).is_err() {
                break;
            }
        }
    })?;
    Ok(())
}

/// Reads the pipes until the process has ended, or a limit is exceeded.
fn follow(
    child: &mut Child,
    is_reaped: &mut bool,
    chunks: &Receiver<OutputPiece>,
    watch: &CallWatch<'_>,
) -> Result<GitOutput, CallEnd> {
    let limits = watch.limits;
    let begun = Instant::now();
    let (mut signed, mut looked, mut bytes) = (begun, begun, 0u64);
    // The bytes since the last sign of progress.
    let mut gained = 0;
    let (mut answer, mut messages, mut message_bytes) = (Vec::new(), Vec::new(), 0u64);
    let mut ended: Option<(ExitStatus, Instant)> = None;
    loop {
        let received = chunks.recv_timeout(TICK);
        let now = Instant::now();
        match received {
            Ok(OutputPiece::Answer(chunk)) => {
                gained += chunk.len() as u64;
                answer.extend(chunk);
            }
            Ok(OutputPiece::Messages(chunk)) => {
                gained += chunk.len() as u64;
                message_bytes += chunk.len() as u64;
                messages.extend(chunk);
                let surplus = messages.len().saturating_sub(KEPT_BYTES);
                messages.drain(..surplus);
            }
            Err(error) => {
                if ended.is_none() {
                    ended = child.try_wait().ok().flatten().map(|status| (status, now));
                    *is_reaped = ended.is_some();
                }
                let is_closed = error == RecvTimeoutError::Disconnected;
                match ended {
                    // A program that goes on in the background, such as a kept connection of SSH, may hold a pipe open.
                    Some((status, since)) if is_closed || now - since >= PIPE_GRACE => {
                        return Ok(GitOutput { status, answer, messages });
                    }
                    None if is_closed => std::thread::sleep(TICK / 10),
                    _ => {}
                }
            }
        }
        if answer.len() as u64 > limits.answer_bytes {
            return Err(CallEnd::Above(limits.answer_bytes, "bytes of references"));
        }
        if message_bytes > limits.message_bytes {
            return Err(CallEnd::Above(limits.message_bytes, "bytes of messages"));
        }
        if now - looked >= TICK {
            let found = bytes_below(watch.folder);
            if found != bytes {
                gained += found.saturating_sub(bytes);
                bytes = found;
                (watch.progress)(bytes);
            }
            looked = now;
            if bytes > limits.disk_bytes {
                return Err(CallEnd::Above(limits.disk_bytes, "bytes on disk"));
            }
            if (watch.is_cancelled)() {
                return Err(CallEnd::Cancelled);
            }
        }
        if gained >= limits.idle_bytes {
            (gained, signed) = (0, now);
        }
        if now - begun >= limits.whole {
            return Err(CallEnd::Late(limits.whole));
        }
        if now - signed >= limits.idle {
            return Err(CallEnd::Idle(limits.idle_bytes, limits.idle));
        }
    }
}

fn bytes_below(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let bytes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => bytes_below(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    });
    bytes.sum()
}

/// Ends the process and those that it has started: first by a signal at which `git` removes its temporary files.
fn end(child: &mut Child, chunks: &Receiver<OutputPiece>) {
    signal_group(child, false);
    let until = Instant::now() + GRACE;
    // The pipes end with the last process of the group.
    while chunks.recv_timeout(until.saturating_duration_since(Instant::now())).is_ok() {}
    // The process was not waited for, so its id still names its group.
    signal_group(child, true);
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(unix)]
fn signal_group(child: &Child, kills: bool) {
    let signal = if kills { libc::SIGKILL } else { libc::SIGTERM };
    if let Ok(group) = libc::pid_t::try_from(child.id()) {
        // SAFETY: numbers. The group is that of a child that has not been waited for.
        unsafe { libc::kill(-group, signal) };
    }
}

#[cfg(not(unix))]
fn signal_group(_: &Child, _: bool) {}

/// Starts the process in a new session, without a terminal, and limits its resources and those of its children.
#[cfg(unix)]
fn isolate(command: &mut Command, limits: &CallLimits) {
    use std::os::unix::process::CommandExt;
    let bounds = [
        (libc::RLIMIT_CORE, 0),
        (libc::RLIMIT_FSIZE, limits.disk_bytes),
        (libc::RLIMIT_DATA, limits.memory_bytes),
        (libc::RLIMIT_CPU, limits.processor_seconds),
    ];
    let lower = move || {
        // SAFETY: system calls with live structs. A limit that the system refuses leaves the process without that limit.
        unsafe {
            libc::setsid();
            for (what, most) in bounds {
                let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
                if libc::getrlimit(what, &mut limit) == 0 {
                    let most = limit.rlim_cur.min(most as libc::rlim_t);
                    // At the hard limit of processor time the signal is that of any kill, and the cause is lost.
                    let hard = if what == libc::RLIMIT_CPU { most.saturating_add(1) } else { most };
                    limit = libc::rlimit { rlim_cur: most, rlim_max: hard.min(limit.rlim_max) };
                    libc::setrlimit(what, &limit);
                }
            }
            // A file above its limit is an error, which git reports.
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
            #[cfg(target_os = "linux")]
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM as libc::c_ulong);
        }
        Ok(())
    };
    // SAFETY: between fork and exec, the closure makes system calls that are safe there, and allocates nothing.
    unsafe { command.pre_exec(lower) };
}

#[cfg(not(unix))]
fn isolate(_: &mut Command, _: &CallLimits) {}
